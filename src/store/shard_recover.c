/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_recover.c: what happens at open.
 *
 *   1. read the manifest; an empty volume gets its first one
 *   2. raise the epoch in the manifest, then in every log chunk it names: an old writer that still
 *      runs can neither name new chunks nor append
 *   3. sweep objects that the manifest does not name: their names are given again
 *   4. replay the chunks: commits after flushed_seq go into memtables, which are flushed when they
 *      are full. The memory limit does not count meanwhile: what was written under a larger one
 * must come back under any
 *   5. begin a new chunk; the same manifest change seals the old ones at the length that was good
 *   6. sweep chunks that the manifest does not name
 *
 * A crash anywhere in between leaves a state from which the same steps succeed.
 *
 * A volume without a manifest is empty, or has lost its documents: then nothing is swept.
 *
 * A full disk keeps nothing from being opened. What the steps would write is put off: the epoch
 * goes into the document with the next change of it, rows stay in memory instead of segments, and
 * the new chunk is begun by the first commit. So everything can be read, and dropped to make room.
 */
#include "store/shard_int.h"
#include "vec/widen.h"
#include "volume/beside.h"

#include <inttypes.h>

#define RECOVER_HOLD_TRIES 1000u

struct replay {
    struct shard *s;
    struct memgroup *set;
    struct arena arena;
    uint64_t seq;   /* of the last commit seen */
    uint64_t epoch; /* of the last frame */
    bool full;      /* there was no space for segments: the rest stays in memory */
};

/* No catalog was ever saved: there were no tables. */
static bool recover_without_catalog(const struct shard *s)
{
    return s->catalog->generation == 0 && s->catalog->version == 0;
}

int shard_fail_catalog_lost(struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_CORRUPT,
                     "document '" CATALOG_DOC "' is missing, but there are rows in the database");

    dn_err_hint(err, "Put the file back from a copy of the database.");
    return rc;
}

/* The batch's columns in the order of the table's definition; those it lacks are absent in a patch
 * and have their default otherwise. */
static int replay_cols(struct replay *r,
                       const struct table *t,
                       const struct log_batch *b,
                       struct vec **ret,
                       struct dn_err *err)
{
    static const uint64_t all = UINT64_MAX;
    struct vec *cols = arena_calloc(&r->arena, t->columns_count, sizeof *cols);

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint16_t c = 0; c < t->columns_count; c++) {
        const struct column *col = &t->columns[c];
        struct datum d = {.type = col->type, .null = true};
        if ((b->op == ROW_PUT || col->key_pos) && col->has_default)
            d = col->def; /* of a key column: it joined the key since */
        if (!vec_make_const(&r->arena, &d, b->rows, &cols[c]))
            return DN_FAIL_NOMEM(err);
        if (b->op == ROW_PATCH && (d.null || !col->key_pos))
            cols[c].absent = &all;
    }
    for (uint32_t i = 0; i < b->cols_count; i++) {
        int c = b->col_ids[i] < HIDDEN_ID_BASE ? table_column_by_id(t, b->col_ids[i]) : -1;
        if (c < 0)
            continue; /* the column was dropped since */
        if (t->columns[c].key_pos == 0 && type_widens(b->cols[i].type, t->columns[c].type)) {
            if (!vec_widen(&r->arena, &b->cols[i], t->columns[c].type, &cols[c]))
                return DN_FAIL_NOMEM(err);
            continue; /* the column got the wider type since */
        }
        DN_CHECK_DISK(TYPE_BASE(b->cols[i].type) == TYPE_BASE(t->columns[c].type),
                      err,
                      "log: column \"%s\" of table \"%s\" has type %s, the catalog says %s",
                      t->columns[c].name,
                      t->name,
                      type_name(b->cols[i].type),
                      type_name(t->columns[c].type));
        cols[c] = b->cols[i];
        cols[c].type = t->columns[c].type; /* files do not say which ENUM it is */
    }
    for (uint16_t i = 0; i < t->local_count; i++) {
        const struct vec *v = &cols[t->local[i].col];
        DN_CHECK_DISK(
            !v->absent && !v->nulls, err, "log: a key column of table \"%s\" holds NULL", t->name);
    }
    *ret = cols;
    return DN_OK;
}

static int replay_range(
    struct replay *r, const struct table *t, struct log_batch *b, uint64_t seq, struct dn_err *err)
{
    struct range *range;
    int rc = range_parse(&b->range, &r->s->owner, t->id, seq, &range, err);

    if (rc < 0)
        return rc;
    rc = range_check(range, t, err);
    if (rc == DN_OK)
        rc = memgroup_add_range(r->s, r->set, range, err);
    range_unref(range);
    return rc;
}

/* A crash came between a commit and the document: the catalog is here. */
static int replay_catalog(struct replay *r, struct log_batch *b, uint64_t seq, struct dn_err *err)
{
    size_t len = rd_left(&b->catalog);
    const uint8_t *json = rd_bytes(&b->catalog, len);
    struct catalog *cat;
    int rc = catalog_parse(json, len, &cat, err);

    if (rc < 0)
        return rc;
    if (cat->version <= r->s->catalog->version) {
        if (r->s->options.catalog_unsaved && cat->version == r->s->catalog->version) {
            r->s->catalog_seq = seq; /* the log keeps it, so nothing is flushed */
            r->s->catalog_failed = true;
            r->full = true;
        }
        catalog_unref(cat);
        return DN_OK;
    }
    if (r->s->options.newer)
        *r->s->options.newer = cat;
    else
        catalog_unref(cat);
    return DN_FAIL(err, DN_E_TABLE_CHANGED, "the log has a newer catalog than the document");
}

static int replay_batch(struct replay *r, struct log_batch *b, uint64_t seq, struct dn_err *err)
{
    struct shard *s = r->s;
    const struct table *t = catalog_table_by_id(s->catalog, b->table_id);
    struct memtable *m;
    struct mem_write w;
    struct vec *cols;
    uint64_t *rowid;
    int rc;

    if (b->op == ROW_CATALOG)
        return replay_catalog(r, b, seq, err);
    if (!t && recover_without_catalog(s))
        return shard_fail_catalog_lost(err);
    if (!t)
        return DN_OK; /* dropped after the write */
    if (b->op == ROW_RANGE)
        return replay_range(r, t, b, seq, err);
    rc = replay_cols(r, t, b, &cols, err);
    if (rc < 0)
        return rc;
    rc = memgroup_get(s, r->set, t, &m, err);
    if (rc < 0)
        return rc;
    w = (struct mem_write){.cols = cols,
                           .seq = seq,
                           .op = b->op,
                           .rowid_base = b->rowid_base,
                           .rowids = b->rowids,
                           .expiries = b->expiries};
    rc = memtable_stage(m, &w, b->rows, err);
    if (rc < 0)
        return rc;
    memtable_publish(m);
    if (t->form == KEY_NONE && !b->rowids) {
        rowid = shard_rowid_next(s, t->id);
        if (!rowid)
            return DN_FAIL_NOMEM(err);
        if (*rowid < b->rowid_base + b->rows)
            *rowid = b->rowid_base + b->rows;
    }
    return DN_OK;
}

static int replay_frame(struct replay *r, struct log_frame *f, struct dn_err *err)
{
    struct log_commit c;
    int rc;

    while ((rc = log_commit_next(f, &c, err)) == DN_OK) {
        struct log_batch b;
        bool wanted = c.seq > r->seq && c.seq > r->s->man.flushed_seq;

        arena_reset(&r->arena);
        while ((rc = log_batch_next(f, &c, &r->arena, &b, err)) == DN_OK) {
            if (!wanted)
                continue; /* flushed already, or a repeat after an unknown outcome */
            rc = replay_batch(r, &b, c.seq, err);
            if (rc < 0)
                return rc;
        }
        if (rc < 0)
            return rc;
        if (c.seq > r->seq)
            r->seq = c.seq;
        r->s->stats.replayed_commits += wanted;
    }
    return rc < 0 ? rc : DN_OK;
}

/* Between frames: full memtables go to segments. */
static int replay_flush(struct replay *r, struct dn_err *err)
{
    struct shard *s = r->s;
    int rc;

    if (s->options.read_only || r->full || !shard_set_full(s))
        return DN_OK;
    rc = shard_flush_replayed(s, r->seq, err);
    r->set = version_active(s->ver);
    if (rc != DN_E_NOSPC)
        return rc;
    r->full = true; /* the background tries again */
    dn_err_clear(err);
    return DN_OK;
}

/* Replays one chunk and tells how many of its bytes are good. */
static int replay_chunk(struct replay *r,
                        const struct manifest_chunk *chunk,
                        uint64_t *ret_len,
                        struct dn_err *err)
{
    struct shard *s = r->s;
    char name[VOLUME_NAME_MAX + 1];
    struct log_reader reader;
    struct log_frame frame;
    struct buf data;
    int rc;

    manifest_chunk_name(chunk, name);
    buf_init(&data, NULL); /* not counted: it is as large as it was under some other limit */
    rc = volume_log_read(s->volume, name, 0, &data, err);
    if (rc == DN_NOT_FOUND)
        rc = chunk->sealed && chunk->len == 0
                 ? DN_OK
                 : DN_FAIL(
                       err, DN_E_CORRUPT, "log %s: the manifest names it, but it is missing", name);
    if (rc == DN_OK && chunk->sealed && data.len < chunk->len)
        rc = DN_FAIL(err,
                     DN_E_CORRUPT,
                     "log %s: %zu bytes, but %" PRIu64 " were acknowledged",
                     name,
                     data.len,
                     chunk->len);
    if (rc < 0) {
        buf_done(&data);
        return rc;
    }
    log_reader_init(
        &reader, name, data.data, chunk->sealed ? (size_t)chunk->len : data.len, chunk->sealed);
    while ((rc = log_reader_next(&reader, &frame, err)) == DN_OK) {
        rc = replay_frame(r, &frame, err);
        if (rc == DN_OK)
            rc = replay_flush(r, err);
        if (rc < 0) {
            dn_err_prefix(err, "log %s", name);
            break;
        }
    }
    if (rc == DN_EOF) {
        rc = DN_OK;
        *ret_len = reader.next;
        if (reader.torn)
            s->stats.torn_tail = true;
    }
    buf_done(&data);
    return rc;
}

static int recover_replay_chunks(struct shard *s, bool *ret_full, struct dn_err *err)
{
    struct replay r = {.s = s, .set = version_active(s->ver), .seq = 0};
    size_t count = s->man.chunks_count;
    struct manifest_chunk *chunks = mem_dup(&s->owner, s->man.chunks, count * sizeof *chunks);
    int rc = chunks ? DN_OK : DN_FAIL_NOMEM(err);

    arena_init(&r.arena, &s->owner);
    for (size_t i = 0; rc == DN_OK && i < count; i++) { /* a flush changes the manifest's list */
        const struct manifest_chunk *c = &chunks[i];
        uint64_t len = 0;
        rc = replay_chunk(&r, c, &len, err);
        if (rc == DN_OK && !shard_chunk_note(s, c->number, r.seq))
            rc = DN_FAIL_NOMEM(err);
        if (rc == DN_OK && !c->sealed) {
            /* What roll seals it at. */
            s->chunk_open = true;
            s->chunk_number = c->number;
            s->chunk_len = len;
            s->chunk_durable = len;
        }
    }
    arena_done(&r.arena);
    mem_free(chunks);
    s->seq_last = r.seq > s->man.flushed_seq ? r.seq : s->man.flushed_seq;
    for (size_t i = 0; i < s->man.segs_count; i++) /* loaded ones are in no log */
        if (s->man.segs[i].seq_max > s->seq_last)
            s->seq_last = s->man.segs[i].seq_max;
    if (s->seq_last == 0)
        s->seq_last = 1; /* no commit: a snapshot of nothing has a sequence to check against, too */
    s->seq_visible = s->seq_last;
    *ret_full = r.full;
    return rc;
}

/* Nobody else uses the owner yet. Who writes nothing, or has no space to, keeps the log's rows in
 * memory: they come on top of the limit. */
static int recover_replay(struct shard *s, struct dn_err *err)
{
    struct mem_owner *owner = s->options.owner;
    size_t limit = owner ? owner->limit : 0;
    size_t before = owner ? mem_owner_used(owner) : 0;
    bool full = false;
    int rc;

    if (limit)
        owner->limit = 0;
    rc = recover_replay_chunks(s, &full, err);
    if (limit)
        owner->limit = limit + (s->options.read_only || full ? mem_owner_used(owner) - before : 0);
    return rc;
}

/* Is it a full disk that a step failed for? Then opening goes on without it. */
static bool recover_put_off(const struct shard *s, int rc, struct dn_err *err)
{
    if (rc != DN_E_NOSPC || s->man_unknown)
        return false;
    dn_err_clear(err);
    return true;
}

/* Step 2. */
static int recover_fence(struct shard *s, struct dn_err *err)
{
    struct manifest next = {0};
    char name[VOLUME_NAME_MAX + 1];
    int rc;

    rc = manifest_copy(&s->man, &next, err);
    if (rc < 0)
        return rc;
    next.epoch++;
    sched_lock(s->man_lock);
    rc = shard_manifest_commit(s, &next, err);
    if (rc == DN_E_NOSPC && !s->man_unknown)
        s->man.epoch++; /* nothing is appended before a change of the manifest, which brings it */
    sched_unlock(s->man_lock);
    if (rc < 0)
        manifest_done(&next);
    if (rc < 0 && !recover_put_off(s, rc, err))
        return rc;
    s->epoch = s->man.epoch;
    for (size_t i = 0; i < s->man.chunks_count; i++) {
        manifest_chunk_name(&s->man.chunks[i], name);
        rc = volume_log_fence(s->volume, name, s->man.epoch, err);
        /* A missing chunk is reported by the replay. */
        if (rc < 0 && rc != DN_E_NO_OBJECT && !recover_put_off(s, rc, err))
            return rc;
    }
    return DN_OK;
}

/* Steps 3 and 6. Failures are harmless: the next open tries again. */
static void recover_sweep(struct shard *s)
{
    struct volume_names names = {0};

    if (volume_list(s->volume, "seg/", &names, NULL) == DN_OK) {
        manifest_keep_unnamed(&s->man, VOLUME_OBJECT, &names);
        for (size_t i = 0; i < names.count; i++)
            DN_IGNORE(volume_delete(s->volume, names.names[i], NULL));
    }
    volume_names_done(&names);
}

static void recover_sweep_chunks(struct shard *s)
{
    struct volume_names names = {0};

    if (volume_log_list(s->volume, "log/0/", &names, NULL) == DN_OK) {
        manifest_keep_unnamed(&s->man, VOLUME_LOG, &names);
        for (size_t i = 0; i < names.count; i++)
            DN_IGNORE(volume_log_delete(s->volume, names.names[i], NULL));
    }
    volume_names_done(&names);
}

/* Segments of tables that the catalog lost while we were away. */
static int recover_drop_orphans(struct shard *s, struct dn_err *err)
{
    struct manifest next = {0};
    size_t keep = 0;
    size_t segs;
    int rc;

    rc = manifest_copy(&s->man, &next, err);
    if (rc < 0)
        return rc;
    segs = next.segs_count;
    for (size_t i = 0; i < segs; i++)
        if (catalog_table_by_id(s->catalog, next.segs[i].table_id))
            next.segs[keep++] = next.segs[i];
    next.segs_count = keep;
    manifest_apply_ranges(&next, s->catalog);
    if ((keep == segs && next.ranges.count == s->man.ranges.count) || s->options.read_only) {
        manifest_done(&next);
        return DN_OK;
    }
    sched_lock(s->man_lock);
    rc = shard_manifest_commit(s, &next, err);
    sched_unlock(s->man_lock);
    if (rc < 0)
        manifest_done(&next);
    return rc < 0 && recover_put_off(s, rc, err) ? DN_OK : rc;
}

static int recover_version(struct shard *s, struct dn_err *err)
{
    struct version *v = version_new(s->man.segs_count, 1);

    if (!v)
        return DN_FAIL_NOMEM(err);
    s->ver = v;
    for (size_t i = 0; i < s->man.segs_count; i++) {
        const struct seg_meta *meta = &s->man.segs[i];
        const struct table *t = catalog_table_by_id(s->catalog, meta->table_id);
        if (!t)
            continue;
        v->segs[v->segs_count] = segref_new(s, meta, t);
        if (!v->segs[v->segs_count])
            return DN_FAIL_NOMEM(err);
        v->segs_count++;
        if (t->form == KEY_NONE) {
            uint64_t *rowid = shard_rowid_next(s, t->id);
            if (!rowid)
                return DN_FAIL_NOMEM(err);
            if (*rowid <= meta->rowid_max)
                *rowid = meta->rowid_max + 1;
        }
    }
    v->sets[0] = memgroup_new(s);
    if (!v->sets[0])
        return DN_FAIL_NOMEM(err);
    v->sets_count = 1;
    if (!version_set_ranges(v, &s->man.ranges, s->man.flushed_seq))
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < v->ranges.count; i++) {
        const struct range *r = v->ranges.v[i];
        const struct table *t = catalog_table_by_id(s->catalog, r->table_id);
        int rc = t ? range_check(r, t, err) : DN_OK;
        if (rc < 0)
            return rc;
    }
    return DN_OK;
}

/* Has any of the chunks a byte? One that was made for a manifest that failed has none. */
static int recover_chunks_used(struct volume *v,
                               const struct volume_names *chunks,
                               bool *ret_used,
                               struct dn_err *err)
{
    struct buf data;
    int rc = DN_OK;

    *ret_used = false;
    buf_init(&data, NULL);
    for (size_t i = 0; rc >= 0 && !*ret_used && i < chunks->count; i++) {
        buf_reset(&data);
        rc = volume_log_read(v, chunks->names[i], 0, &data, err);
        *ret_used = data.len > 0;
    }
    buf_done(&data);
    return rc < 0 ? rc : DN_OK;
}

/* Rows come into a segment or a chunk that a manifest names, or into a table, which no catalog has
 * before there is a manifest. */
int shard_check_unwritten(struct volume *v, struct dn_err *err)
{
    struct volume_names segs = {0};
    struct volume_names chunks = {0};
    bool used = false;
    int rc;

    rc = volume_list(v, "seg/", &segs, err);
    if (rc < 0)
        goto out;
    rc = volume_log_list(v, "log/0/", &chunks, err);
    if (rc < 0)
        goto out;
    rc = recover_chunks_used(v, &chunks, &used, err);
    if (rc < 0)
        goto out;
    if (segs.count > 0 || used) {
        rc = DN_FAIL(err,
                     DN_E_CORRUPT,
                     "documents '" CATALOG_DOC "' and '" MANIFEST_DOC
                     "' are missing, but there are rows: segments %zu, log chunks %zu",
                     segs.count,
                     chunks.count);
        dn_err_hint(err, "Put the directory of documents back from a copy of the database.");
    }
out:
    volume_names_done(&segs);
    volume_names_done(&chunks);
    return rc;
}

static int recover_manifest(struct shard *s, struct dn_err *err)
{
    struct buf doc;
    uint64_t generation = 0;
    int rc;

    buf_init(&doc, &s->owner);
    rc = volume_doc_read(s->volume, MANIFEST_DOC, &doc, &generation, err);
    if (rc == DN_OK) {
        manifest_done(&s->man);
        rc = manifest_parse(doc.data, doc.len, &s->owner, &s->man, err);
        s->man.generation = generation;
        if (rc == DN_OK && manifest_is_used(&s->man) && recover_without_catalog(s))
            rc = shard_fail_catalog_lost(err);
    } else if (rc == DN_NOT_FOUND && s->catalog->generation > 0) {
        /* The first open makes it, before anything else. */
        rc = DN_FAIL(
            err, DN_E_CORRUPT, "document '" MANIFEST_DOC "' is missing, but there is a catalog");
        dn_err_hint(err, "Put the file back from a copy of the database.");
    } else if (rc == DN_NOT_FOUND) {
        rc = shard_check_unwritten(s->volume, err);
    }
    buf_done(&doc);
    s->segment_id_next = s->man.segment_id_next;
    return rc;
}

/* All that the manifest names, as it is now. DN_NOT_FOUND: some of it is gone. */
static int recover_hold_files(struct shard *s, struct dn_err *err)
{
    char name[VOLUME_NAME_MAX + 1];
    int rc = DN_OK;

    for (size_t i = 0; rc >= 0 && rc != DN_NOT_FOUND && i < s->man.chunks_count; i++) {
        manifest_chunk_name(&s->man.chunks[i], name);
        rc = volume_hold(s->volume, VOLUME_LOG, name, err);
    }
    for (size_t i = 0; rc >= 0 && rc != DN_NOT_FOUND && i < s->man.segs_count; i++) {
        seg_name(s->man.segs[i].table_id, s->man.segs[i].id, name);
        rc = volume_hold(s->volume, VOLUME_OBJECT, name, err);
    }
    return rc == VOLUME_NOT_HELD ? DN_OK : rc;
}

/* The rows that are held were written with this catalog, or with one that the log has. */
static int recover_check_catalog(struct shard *s, struct dn_err *err)
{
    struct catalog *now;
    int rc = catalog_load(s->volume, &now, err);

    if (rc < 0)
        return rc;
    if (now->generation == s->catalog->generation || !s->options.newer) {
        catalog_unref(now);
        return DN_OK;
    }
    *s->options.newer = now;
    return DN_FAIL(err, DN_E_TABLE_CHANGED, "the catalog was changed meanwhile");
}

/* Step 1 beside a process that writes: it may replace the manifest and delete what the old one
 * names before we have opened it. Then the new one is read. What is held stays as it is, whatever
 * that process does: the snapshot of this moment. */
static int recover_hold(struct shard *s, struct dn_err *err)
{
    uint64_t seen = UINT64_MAX; /* generation with which something was missing */
    int rc = DN_NOT_FOUND;

    for (unsigned i = 0; rc == DN_NOT_FOUND && i < RECOVER_HOLD_TRIES; i++) {
        volume_let_go(s->volume);
        rc = recover_manifest(s, err);
        if (rc == DN_OK && s->man.generation == seen)
            break; /* it is missing indeed: who needs it says so */
        seen = s->man.generation;
        if (rc == DN_OK)
            rc = recover_hold_files(s, err);
    }
    if (rc == DN_NOT_FOUND)
        return DN_FAIL(
            err, DN_E_SNAPSHOT_GONE, "the database changes faster than it can be opened read-only");
    return rc < 0 ? rc : recover_check_catalog(s, err);
}

int shard_recover(struct shard *s, struct dn_err *err)
{
    int rc;

    rc = s->options.read_only ? recover_hold(s, err) : recover_manifest(s, err);
    if (rc == DN_OK && !s->options.read_only)
        rc = recover_fence(s, err);
    if (rc == DN_OK)
        rc = recover_drop_orphans(s, err);
    if (rc == DN_OK)
        rc = recover_version(s, err);
    if (rc == DN_OK && !s->options.read_only)
        recover_sweep(s);
    if (rc == DN_OK)
        rc = recover_replay(s, err);
    if (rc < 0 || s->options.read_only)
        return rc;
    rc = shard_log_roll(s, err);
    if (rc < 0 && recover_put_off(s, rc, err)) {
        s->chunk_broken = true; /* the first commit begins the next one */
        rc = DN_OK;
    }
    if (rc == DN_OK)
        recover_sweep_chunks(s);
    return rc;
}
