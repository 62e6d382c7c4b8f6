/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence.c: see the header. Of each counter that somebody has used:
 *
 *     value, called   the last value given out, or (not called) the next one
 *     reserved        what the document says: all up to here may have been given out
 *
 * Invariants
 *   Q1  A value is given out only while it does not lie behind `reserved`, which is durable.
 *   Q2  After a write whose end is not known everything is read again before the next use: what the
 *       document says is at or behind every value given out.
 *   Q3  Counters of temporary sequences are in memory alone. */
#include "engine/sequence.h"

#include "engine/documents.h"
#include "engine/engine_int.h"

#include "base/bytes.h"
#include "volume/document.h"

#include <inttypes.h>

#define SEQ_DOC         "counters"
#define SEQ_MAGIC       "DNct"
#define SEQ_FORMAT      1u
#define SEQ_HEAD_BYTES  12u
#define SEQ_ENTRY_BYTES 17u
#define SEQ_BLOCK       32u    /* values reserved at a time, beyond those asked for */
#define SEQ_BLOCK_MAX   65536u /* … when many are asked for again and again */
#define SEQ_TRIES       16     /* somebody else may have written the document */

struct engine_counter {
    uint64_t id;
    int64_t value;
    bool called;
    bool temp;
    bool has_reserved; /* else value and called are what the document says */
    int64_t reserved;
    int64_t increment; /* which the block has */
    uint32_t block;    /* how many were reserved last */
};

/* ---- the document ---- */

/* Only those of temporary sequences stay. */
static void seq_forget(struct engine_sequences *q)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < q->count; i++)
        if (q->counters[i].temp)
            q->counters[kept++] = q->counters[i];
    q->count = kept;
    q->loaded = false;
}

static int seq_grow(struct dendro_db *db, uint64_t count, struct dn_err *err)
{
    struct engine_sequences *q = &db->sequences;
    uint64_t cap = q->cap ? q->cap : 8;
    void *more;

    while (cap < count)
        cap *= 2;
    if (q->cap >= cap)
        return 0;
    more = mem_realloc(&db->owner, q->counters, (size_t)cap * sizeof(*q->counters));
    if (!more)
        return DN_FAIL_NOMEM(err);
    q->counters = more;
    q->cap = (uint32_t)cap;
    return 0;
}

/* volume_doc_load_fn: is it a document of counters? */
static int seq_loads(void *arg DN_UNUSED, const void *bytes, size_t len, struct dn_err *err)
{
    const uint8_t *p = bytes;
    uint32_t n;

    DN_CHECK_DISK(len >= SEQ_HEAD_BYTES && memcmp(p, SEQ_MAGIC, 4) == 0,
                  err,
                  SEQ_DOC ": not a document of counters");
    if (le_get16(p + 4) > SEQ_FORMAT)
        return DN_FAIL(err,
                       DN_E_VERSION,
                       SEQ_DOC ": format %u is of a newer release of Dendro; this one reads up "
                               "to %u",
                       le_get16(p + 4),
                       SEQ_FORMAT);
    n = le_get32(p + 8);
    DN_CHECK_DISK(len == SEQ_HEAD_BYTES + (uint64_t)n * SEQ_ENTRY_BYTES,
                  err,
                  SEQ_DOC ": %u entries in %zu bytes",
                  n,
                  len);
    return 0;
}

static int seq_read(struct dendro_db *db, const struct buf *doc, struct dn_err *err)
{
    struct engine_sequences *q = &db->sequences;
    struct catalog *cat = NULL;
    const uint8_t *p = doc->data;
    uint32_t n;
    int rc = seq_loads(NULL, doc->data, doc->len, err);

    if (rc < 0)
        return rc;
    n = le_get32(p + 8);
    rc = seq_grow(db, (uint64_t)q->count + n, err);
    if (rc < 0)
        return rc;
    if (!q->swept)
        cat = engine_catalog(db);
    p += SEQ_HEAD_BYTES;
    for (uint32_t i = 0; i < n; i++, p += SEQ_ENTRY_BYTES) {
        struct engine_counter c = {
            .id = le_get64(p), .value = (int64_t)le_get64(p + 8), .called = p[16] != 0};
        bool wanted = !cat;

        for (size_t k = 0; cat && !wanted && k < cat->sequences_count; k++)
            wanted = cat->sequences[k]->counter == c.id;
        if (wanted)
            q->counters[q->count++] = c;
    }
    catalog_unref(cat);
    return 0;
}

static int seq_load(struct dendro_db *db, struct dn_err *err)
{
    struct engine_sequences *q = &db->sequences;
    struct buf doc;
    int rc;

    if (q->loaded)
        return 0;
    buf_init(&doc, NULL);
    q->generation = 0;
    rc = volume_doc_read(db->volume, SEQ_DOC, &doc, &q->generation, err);
    if (rc == 0)
        rc = seq_read(db, &doc, err);
    else if (rc == DN_NOT_FOUND && engine_expects(db, CATALOG_HAS_COUNTERS))
        rc = engine_document_lost(SEQ_DOC, "how far sequences have come", err);
    buf_done(&doc);
    if (rc < 0) {
        seq_forget(q);
        return rc;
    }
    q->loaded = q->swept = true;
    return 0;
}

/* exact: nothing is given out any more. */
static int seq_save(struct dendro_db *db, bool exact, struct dn_err *err)
{
    struct engine_sequences *q = &db->sequences;
    struct buf b;
    struct volume_doc doc = {.name = SEQ_DOC, .bytes = &b, .load = seq_loads};
    uint32_t n = 0;
    int rc;

    for (uint32_t i = 0; i < q->count; i++)
        n += !q->counters[i].temp;
    buf_init(&b, NULL);
    buf_append(&b, SEQ_MAGIC, 4);
    buf_u16(&b, SEQ_FORMAT);
    buf_u16(&b, 0);
    buf_u32(&b, n);
    for (uint32_t i = 0; i < q->count; i++) {
        const struct engine_counter *c = &q->counters[i];
        bool ahead = c->has_reserved && !exact;

        if (c->temp)
            continue;
        buf_u64(&b, c->id);
        buf_u64(&b, (uint64_t)(ahead ? c->reserved : c->value));
        buf_u8(&b, ahead || c->called);
    }
    rc = volume_doc_save(db->volume, &doc, q->generation, &q->generation, err);
    buf_done(&b);
    if (rc < 0)
        seq_forget(q); /* Q2 */
    return rc;
}

int engine_sequences_ensure(struct dendro_db *db, struct dn_err *err)
{
    int rc;

    sched_lock(db->sequences.lock);
    rc = seq_load(db, err);
    if (rc == 0 && db->sequences.generation == 0)
        rc = seq_save(db, false, err);
    sched_unlock(db->sequences.lock);
    return rc;
}

int engine_sequences_verify(struct volume *v, struct dn_err *err)
{
    uint64_t generation;
    struct buf doc;
    int rc;

    buf_init(&doc, NULL);
    rc = volume_doc_read(v, SEQ_DOC, &doc, &generation, err);
    if (rc == 0)
        rc = seq_loads(NULL, doc.data, doc.len, err);
    buf_done(&doc);
    return rc;
}

static struct engine_counter *
seq_counter(struct dendro_db *db, const struct sequence *s, struct dn_err *err)
{
    struct engine_sequences *q = &db->sequences;

    if (seq_load(db, err) < 0)
        return NULL;
    for (uint32_t i = 0; i < q->count; i++)
        if (q->counters[i].id == s->counter)
            return &q->counters[i];
    if (seq_grow(db, (uint64_t)q->count + 1, err) < 0)
        return NULL;
    q->counters[q->count] =
        (struct engine_counter){.id = s->counter, .value = s->first, .temp = s->temp};
    return &q->counters[q->count++];
}

/* ---- values ---- */

/* The value after that; 1: it begins anew. */
static int seq_after(const struct sequence *s, int64_t value, int64_t *ret, struct dn_err *err)
{
    bool up = s->increment > 0;
    bool over = __builtin_add_overflow(value, s->increment, ret);

    if (!over && *ret >= s->min && *ret <= s->max)
        return 0;
    if (!over && (up ? *ret < s->min : *ret > s->max)) /* bounds that were altered */
        return 0;
    if (!s->cycle)
        return DN_FAIL(err,
                       DN_E_SEQUENCE_LIMIT,
                       "nextval: reached %s value of sequence \"%s\" (%" PRId64 ")",
                       up ? "maximum" : "minimum",
                       s->name,
                       up ? s->max : s->min);
    *ret = up ? s->min : s->max;
    return 1;
}

/* Up to where a block of n values from `from` on goes, without beginning anew. */
static int64_t seq_block_end(const struct sequence *s, int64_t from, uint64_t n)
{
    bool up = s->increment > 0;
    bool outside = up ? from > s->max : from < s->min;
    uint64_t room = up ? (uint64_t)s->max - (uint64_t)from : (uint64_t)from - (uint64_t)s->min;
    uint64_t step = up ? (uint64_t)s->increment : 0 - (uint64_t)s->increment;
    uint64_t steps = outside ? 0 : room / step;

    if (steps > n - 1)
        steps = n - 1;
    return (int64_t)((uint64_t)from + steps * (uint64_t)s->increment);
}

/* How many values to reserve: more and more for those who ask for many. */
static uint64_t seq_block(struct engine_counter *c, uint32_t wanted)
{
    uint32_t more = wanted < SEQ_BLOCK || c->block < SEQ_BLOCK ? SEQ_BLOCK : 2 * c->block;

    c->block = more > SEQ_BLOCK_MAX ? SEQ_BLOCK_MAX : more;
    return (uint64_t)wanted + c->block;
}

/* One value; wanted: it, and how many more. */
static int seq_next(struct dendro_db *db,
                    const struct sequence *s,
                    uint32_t wanted,
                    int64_t *ret,
                    struct dn_err *err)
{
    struct engine_counter *c = seq_counter(db, s, err);
    int64_t next;
    int again = 0;
    int rc;

    if (!c)
        return err->code;
    next = c->value;
    if (c->called)
        again = seq_after(s, c->value, &next, err);
    if (again < 0)
        return again;
    if (!c->temp && (!c->has_reserved || again || c->increment != s->increment ||
                     (s->increment > 0 ? next > c->reserved : next < c->reserved))) {
        c->reserved = seq_block_end(s, next, seq_block(c, wanted));
        c->increment = s->increment;
        c->has_reserved = true;
        rc = seq_save(db, false, err);
        if (rc < 0)
            return rc;
    }
    c->value = next;
    c->called = true;
    *ret = next;
    return 0;
}

int engine_sequence_next(struct dendro_db *db,
                         const struct sequence *s,
                         uint32_t count,
                         int64_t *ret,
                         struct dn_err *err)
{
    int tries = 0;
    int rc = 0;

    sched_lock(db->sequences.lock);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        rc = seq_next(db, s, count - i, &ret[i], err);
        while (rc == DN_E_CONFLICT && ++tries < SEQ_TRIES)
            rc = seq_next(db, s, count - i, &ret[i], err);
    }
    sched_unlock(db->sequences.lock);
    return rc;
}

int engine_sequence_set(
    struct dendro_db *db, const struct sequence *s, int64_t value, bool called, struct dn_err *err)
{
    int rc = DN_E_CONFLICT;

    sched_lock(db->sequences.lock);
    for (int i = 0; rc == DN_E_CONFLICT && i < SEQ_TRIES; i++) {
        struct engine_counter *c = seq_counter(db, s, err);

        rc = c ? 0 : err->code;
        if (rc == 0) {
            *c = (struct engine_counter){
                .id = s->counter, .value = value, .called = called, .temp = s->temp};
            rc = s->temp ? 0 : seq_save(db, false, err);
        }
    }
    sched_unlock(db->sequences.lock);
    return rc;
}

int engine_sequence_last(struct dendro_db *db,
                         const struct sequence *s,
                         int64_t *ret_value,
                         bool *ret_called,
                         struct dn_err *err)
{
    struct engine_counter *c;

    sched_lock(db->sequences.lock);
    c = seq_counter(db, s, err);
    if (c) {
        *ret_value = c->value;
        *ret_called = c->called;
    }
    sched_unlock(db->sequences.lock);
    return c ? 0 : err->code;
}

uint64_t engine_sequence_counter(struct dendro_db *db)
{
    uint64_t id;

    do
        id = volume_random(db->volume) >> 1;
    while (id == 0);
    return id;
}

void engine_sequences_close(struct dendro_db *db)
{
    struct engine_sequences *q = &db->sequences;
    struct dn_err ignored;
    bool ahead = false;

    for (uint32_t i = 0; q->loaded && i < q->count; i++)
        ahead = ahead ||
                (q->counters[i].has_reserved && q->counters[i].reserved != q->counters[i].value);
    if (ahead && !db->read_only)
        DN_IGNORE(seq_save(db, true, &ignored)); /* else the rest of the blocks is lost */
    mem_free(q->counters);
    q->counters = NULL;
    q->count = q->cap = 0;
    q->loaded = false;
}
