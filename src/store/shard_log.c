/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_log.c: the manifest's compare-and-swap and the log chunks it names. */
#include "store/shard_int.h"
#include "volume/document.h"

#include <inttypes.h>

/* Reads the document again and decides which of two manifests is in force (I4). */
int shard_manifest_resolve(struct shard *s, struct dn_err *err)
{
    struct buf now;
    uint64_t generation = 0;
    bool landed;
    int rc;

    if (!s->man_unknown)
        return DN_OK;
    buf_init(&now, &s->owner);
    rc = volume_doc_read(s->volume, MANIFEST_DOC, &now, &generation, err);
    if (rc < 0) {
        buf_done(&now);
        return rc;
    }
    landed = rc == DN_OK && now.len == s->pending_bytes.len &&
             memcmp(now.data, s->pending_bytes.data, now.len) == 0 &&
             generation != s->man.generation;
    buf_done(&now);
    s->fenced = s->fenced || (!landed && generation != s->man.generation);
    if (s->fenced && generation == 0)
        return DN_FAIL(err,
                       DN_E_FENCED,
                       "document '" MANIFEST_DOC "' was removed while the database was open");
    if (s->fenced)
        return DN_FAIL(err,
                       DN_E_FENCED,
                       "manifest: another writer replaced it (generation %" PRIu64
                       ", expected %" PRIu64 ")",
                       generation,
                       s->man.generation);
    if (landed) {
        s->pending.generation = generation;
        manifest_done(&s->man);
        s->man = s->pending;
    } else {
        manifest_done(&s->pending);
    }
    memset(&s->pending, 0, sizeof s->pending);
    s->man_unknown = false;
    return DN_OK;
}

/* volume_doc_load_fn. */
static int log_manifest_loads(void *arg, const void *p, size_t n, struct dn_err *err)
{
    struct shard *s = arg;
    struct manifest again;
    int rc = manifest_parse(p, n, &s->owner, &again, err);

    if (rc == DN_OK)
        manifest_done(&again);
    return rc;
}

int shard_manifest_commit(struct shard *s, struct manifest *next, struct dn_err *err)
{
    struct volume_doc doc = {
        .name = MANIFEST_DOC, .bytes = &s->pending_bytes, .load = log_manifest_loads, .arg = s};
    struct dn_err first;
    uint64_t generation = 0;
    uint64_t wanted;
    int rc;

    rc = shard_manifest_resolve(s, err);
    if (rc < 0)
        return rc;
    DN_ASSERT(next->generation == s->man.generation); /* made from the manifest in force */
    next->segment_id_next = s->segment_id_next;       /* ids given out are never given again */
    buf_reset(&s->pending_bytes);
    rc = manifest_print(next, &s->pending_bytes, err);
    if (rc < 0)
        return rc;
    rc = volume_doc_save(s->volume, &doc, s->man.generation, &generation, &first);
    if (rc == DN_OK) {
        manifest_done(&s->man);
        s->man = *next;
        s->man.generation = generation;
        return DN_OK;
    }
    if (rc == DN_E_INTERNAL) { /* the old one is in force */
        if (err)
            *err = first;
        return rc;
    }
    if (rc == DN_E_CONFLICT) {
        s->fenced = true;
        return DN_FAIL(err,
                       DN_E_FENCED,
                       "document '" MANIFEST_DOC "' was removed or replaced by another process");
    }
    s->pending = *next;
    s->man_unknown = true;
    wanted = s->man.generation;
    if (shard_manifest_resolve(s, err) < 0) {
        /* Still unknown; the caller's copy now belongs to the shard. */
        memset(next, 0, sizeof *next);
        if (err)
            *err = first;
        return rc;
    }
    memset(next, 0, sizeof *next);
    if (s->man.generation != wanted)
        return DN_OK; /* it had landed after all */
    if (err)
        *err = first;
    return rc;
}

int shard_ensure_manifest(struct shard *s, struct dn_err *err)
{
    struct manifest next = {0};
    int rc;

    sched_lock(s->man_lock);
    rc = shard_manifest_resolve(s, err);
    if (rc < 0 || s->man.generation > 0)
        goto out;
    rc = manifest_copy(&s->man, &next, err);
    if (rc < 0)
        goto out;
    rc = shard_manifest_commit(s, &next, err);
    if (rc < 0)
        manifest_done(&next);
out:
    sched_unlock(s->man_lock);
    return rc;
}

bool shard_chunk_note(struct shard *s, uint64_t number, uint64_t seq)
{
    struct chunk_seq *grown;
    size_t keep = 0;

    for (size_t i = 0; i < s->chunk_seqs_count; i++) {
        if (s->chunk_seqs[i].number == number) {
            s->chunk_seqs[i].seq = seq;
            return true;
        }
    }
    /* A new chunk: forget those that were trimmed. */
    for (size_t i = 0; i < s->chunk_seqs_count; i++)
        if (s->man.chunks_count == 0 || s->chunk_seqs[i].number >= s->man.chunks[0].number)
            s->chunk_seqs[keep++] = s->chunk_seqs[i];
    s->chunk_seqs_count = keep;
    grown = mem_realloc(&s->owner, s->chunk_seqs, (keep + 1) * sizeof *grown);
    if (!grown)
        return false;
    s->chunk_seqs = grown;
    s->chunk_seqs[s->chunk_seqs_count++] = (struct chunk_seq){.number = number, .seq = seq};
    return true;
}

uint64_t shard_chunk_seq(const struct shard *s, uint64_t number)
{
    for (size_t i = 0; i < s->chunk_seqs_count; i++)
        if (s->chunk_seqs[i].number == number)
            return s->chunk_seqs[i].seq;
    return UINT64_MAX;
}

uint64_t *shard_rowid_next(struct shard *s, uint64_t table_id)
{
    struct rowid_counter *grown;

    for (size_t i = 0; i < s->rowids_count; i++)
        if (s->rowids[i].table_id == table_id)
            return &s->rowids[i].next;
    grown = mem_realloc(&s->owner, s->rowids, (s->rowids_count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    s->rowids = grown;
    s->rowids[s->rowids_count] = (struct rowid_counter){.table_id = table_id, .next = 1};
    return &s->rowids[s->rowids_count++].next;
}

/* An append or sync failed. If the file of the chunk was removed from outside, nothing of the chunk
 * is durable: it is sealed at no bytes, and what memory has of it goes to segments (I7). */
static void log_chunk_failed(struct shard *s, int rc)
{
    s->chunk_broken = true;
    if (rc == DN_E_NO_OBJECT)
        s->chunk_durable = s->chunk_mark = 0;
}

/* Seals the open chunk (if any) at its acknowledged length and begins the next one: I2, I3. */
int shard_log_roll(struct shard *s, struct dn_err *err)
{
    struct manifest next = {0};
    struct manifest_chunk fresh;
    char name[VOLUME_NAME_MAX + 1];
    bool noted;
    bool lost; /* acknowledged commits lie behind the durable end */
    int rc;

    rc = shard_log_sync(s, err);
    if (rc < 0 && !s->chunk_broken)
        return rc;
    lost = s->chunk_open && s->chunk_durable + s->chunk_mark < s->chunk_len;
    sched_lock(s->man_lock);
    rc = shard_manifest_resolve(s, err);
    if (rc < 0)
        goto out;
    fresh = (struct manifest_chunk){.epoch = s->epoch, .number = s->man.chunk_next};
    manifest_chunk_name(&fresh, name);
    sched_lock(s->lock);
    noted = shard_chunk_note(s, fresh.number, 0);
    sched_unlock(s->lock);
    if (!noted) {
        rc = DN_FAIL_NOMEM(err);
        goto out;
    }
    rc = volume_log_create(s->volume, name, s->epoch, err);
    if (rc == DN_E_EXISTS) {
        /* Left by an attempt whose manifest change failed: never named, it holds nothing. */
        rc = volume_log_delete(s->volume, name, err);
        if (rc >= 0)
            rc = volume_log_create(s->volume, name, s->epoch, err);
    }
    if (rc < 0)
        goto out;
    rc = manifest_copy(&s->man, &next, err);
    if (rc < 0)
        goto out;
    for (size_t i = 0; i < next.chunks_count; i++) {
        struct manifest_chunk *c = &next.chunks[i];
        if (!c->sealed) {
            /* Ours, or one whose naming was in doubt and which nobody wrote to. */
            bool ours = s->chunk_open && c->number == s->chunk_number;
            c->sealed = true;
            c->len = ours ? s->chunk_durable : 0;
        }
    }
    manifest_remove_empty_chunks(&next);
    rc = manifest_add_chunk(&next, fresh.epoch, fresh.number, err);
    if (rc == DN_OK) {
        next.chunk_next++;
        rc = shard_manifest_commit(s, &next, err);
    }
    if (rc < 0) {
        manifest_done(&next);
        goto out;
    }
    sched_lock(s->lock);
    s->sync_wanted = false;
    if (lost)
        s->rescue_seq = s->seq_visible;
    sched_unlock(s->lock);
    memcpy(s->chunk_name, name, sizeof name);
    s->chunk_number = fresh.number;
    s->chunk_open = true;
    s->chunk_broken = false;
    s->chunk_len = s->chunk_durable = s->chunk_mark = 0;
out:
    sched_unlock(s->man_lock);
    if (rc == DN_OK)
        shard_forget_left(s);
    return rc;
}

/* Says behind the last frame, in the file if not yet on disk, that all before is durable
 * (docs/adr/0013). A chunk that does not take the mark takes nothing more: the next commit begins
 * another one. */
static void log_mark(struct shard *s)
{
    size_t frame;

    DN_ASSERT(s->chunk_durable == s->chunk_len);
    if (s->chunk_len == 0)
        return;
    buf_reset(&s->mark);
    log_frame_begin(&s->mark, &frame);
    log_frame_end(&s->mark, frame, s->epoch, 0, s->chunk_durable);
    if (volume_log_append_nosync(
            s->volume, s->chunk_name, s->epoch, s->mark.data, s->mark.len, NULL) < 0) {
        s->chunk_broken = true;
        return;
    }
    s->chunk_len += s->mark.len;
    s->chunk_mark = s->mark.len;
}

int shard_log_sync(struct shard *s, struct dn_err *err)
{
    int rc;

    if (!s->chunk_open || s->chunk_broken || s->chunk_durable + s->chunk_mark == s->chunk_len)
        return DN_OK;
    rc = volume_log_sync(s->volume, s->chunk_name, s->epoch, err);
    if (rc < 0) {
        log_chunk_failed(s, rc);
        return rc;
    }
    s->chunk_durable = s->chunk_len;
    log_mark(s);
    sched_lock(s->lock);
    s->sync_wanted = false;
    sched_unlock(s->lock);
    return DN_OK;
}

void shard_log_seal(struct shard *s)
{
    struct manifest next = {0};
    bool sealed = false;

    sched_lock(s->man_lock);
    if (s->chunk_open && !s->chunk_broken && shard_manifest_resolve(s, NULL) == DN_OK &&
        manifest_chunk_is_open(&s->man, s->chunk_number) &&
        manifest_copy(&s->man, &next, NULL) == DN_OK) {
        struct manifest_chunk *last = &next.chunks[next.chunks_count - 1];

        last->sealed = true;
        last->len = s->chunk_durable;
        manifest_remove_empty_chunks(&next);
        sealed = shard_manifest_commit(s, &next, NULL) == DN_OK;
        if (!sealed)
            manifest_done(&next);
    }
    sched_unlock(s->man_lock);
    if (!sealed)
        return; /* the next open finds its end by its frames */
    s->chunk_open = false;
    if (s->chunk_durable == 0)
        DN_IGNORE(volume_log_delete(s->volume, s->chunk_name, NULL)); /* no longer named */
}

int shard_log_append(struct shard *s, uint64_t seq_last, bool sync, struct dn_err *err)
{
    struct dn_err why;
    int rc;

    if (sync)
        rc = volume_log_append(
            s->volume, s->chunk_name, s->epoch, s->frame.data, s->frame.len, &why);
    else
        rc = volume_log_append_nosync(
            s->volume, s->chunk_name, s->epoch, s->frame.data, s->frame.len, &why);
    if (rc < 0) {
        log_chunk_failed(s, rc);
        /* Sealing at once makes the failure certain; otherwise the next write or open decides. */
        if (rc != DN_E_FENCED && rc != DN_E_OUTCOME_UNKNOWN && shard_log_roll(s, NULL) < 0)
            dn_err_hint(&why,
                        "the outcome is unknown until the storage recovers: the rows may appear "
                        "after a restart");
        if (err)
            *err = why;
        return rc;
    }
    s->chunk_len += s->frame.len;
    s->chunk_mark = 0;
    if (sync) {
        s->chunk_durable = s->chunk_len;
        log_mark(s);
    }
    sched_lock(s->lock);
    s->sync_wanted = !sync;
    DN_IGNORE(shard_chunk_note(s, s->chunk_number, seq_last)); /* known since the roll */
    s->stats.log_appends++;
    sched_unlock(s->lock);
    return DN_OK;
}
