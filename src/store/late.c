/* SPDX-License-Identifier: Apache-2.0
 *
 * late.c: see the header. */
#include "store/late.h"

#include "base/bytes.h"
#include "store/shard_int.h"

#include <string.h>

uint32_t late_next(const struct shard_batch *b, struct late_span span, uint32_t from)
{
    const struct vec *v = &b->cols[b->table->time_col];
    const int64_t *times = v->data;

    for (; from < b->rows; from++)
        if (!vec_is_null(v, from) &&
            (times[vec_at(v, from)] < span.from || times[vec_at(v, from)] > span.to))
            return from;
    return b->rows;
}

static int
late_fail_future(const struct table *t, const char *time, const char *latest, struct dn_err *err)
{
    const char *limit = retention_option(t, "future_limit");
    int rc =
        DN_FAIL(err,
                DN_E_FUTURE_ROW,
                "%s is too far ahead of the clock for table \"%s\", which takes times up to %s "
                "(future_limit = '%.80s')",
                time,
                t->name,
                latest,
                limit ? limit : "1 day");

    dn_err_hint(err,
                "If the time is meant, ALTER TABLE %s SET (future_limit = '…'), or 'none' for any "
                "time; late_rows = 'drop' leaves such rows out.",
                t->name);
    return rc;
}

int late_fail(const struct table *t, struct late_span span, int64_t time, struct dn_err *err)
{
    struct datum at = {.type = t->columns[t->time_col].type, .v.i64 = time};
    struct datum bound = {.type = at.type, .v.i64 = time > span.to ? span.to : span.from};
    const char *keep = retention_option(t, "retention");
    struct buf text;
    size_t second;
    int rc;

    buf_init(&text, NULL);
    table_print_literal(&at, &text);
    buf_u8(&text, '\0');
    second = text.len;
    table_print_literal(&bound, &text);
    buf_u8(&text, '\0');
    if (text.failed) {
        rc = DN_FAIL_NOMEM(err);
    } else if (time > span.to) {
        rc = late_fail_future(t, (const char *)text.data, (const char *)text.data + second, err);
    } else {
        rc = DN_FAIL(err,
                     DN_E_LATE_ROW,
                     "%s is too old for table \"%s\", whose rows begin at %s (retention = '%.80s')",
                     (const char *)text.data,
                     t->name,
                     (const char *)text.data + second,
                     keep ? keep : "");
        dn_err_hint(err,
                    "ALTER TABLE %s SET (late_rows = 'drop') leaves such rows out; RESET "
                    "(retention) takes rows of any time.",
                    t->name);
    }
    buf_done(&text);
    return rc;
}

/* The rows of a column that have no set bit. */
static bool late_column(const struct vec *v,
                        const uint64_t *gone,
                        uint32_t rows,
                        uint32_t kept,
                        struct arena *arena,
                        struct vec *ret)
{
    size_t size = phys_size(type_phys(v->type));
    uint64_t *nulls = NULL;
    uint64_t *absent = NULL;
    uint8_t *data;
    uint32_t n = 0;

    *ret = *v;
    ret->count = kept;
    if (v->form == VEC_CONST || !v->data)
        return true;
    data = arena_alloc_array(arena, (size_t)kept + 1, size);
    if (v->nulls)
        nulls = arena_calloc(arena, VEC_BITMAP_WORDS(kept) + 1, sizeof *nulls);
    if (v->absent)
        absent = arena_calloc(arena, VEC_BITMAP_WORDS(kept) + 1, sizeof *absent);
    if (!data || (v->nulls && !nulls) || (v->absent && !absent))
        return false;
    for (uint32_t row = 0; row < rows; row++) {
        if (vec_bit(gone, row))
            continue;
        memcpy(data + n * size, (const uint8_t *)v->data + vec_at(v, row) * size, size);
        if (vec_bit(v->nulls, row))
            vec_bit_set(nulls, n);
        if (vec_bit(v->absent, row))
            vec_bit_set(absent, n);
        n++;
    }
    *ret = (struct vec){.type = v->type,
                        .form = VEC_FLAT,
                        .count = kept,
                        .data = data,
                        .nulls = nulls,
                        .absent = absent};
    return true;
}

/* A number for each row: those that stay. from NULL: none. */
static bool late_numbers(const int64_t *from,
                         const uint64_t *gone,
                         uint32_t rows,
                         uint32_t kept,
                         struct arena *arena,
                         const int64_t **ret)
{
    int64_t *to = from ? arena_alloc_array(arena, (size_t)kept + 1, sizeof *to) : NULL;
    uint32_t n = 0;

    for (uint32_t row = 0; to && row < rows; row++)
        if (!vec_bit(gone, row))
            to[n++] = from[row];
    *ret = to;
    return to || !from;
}

int late_drop(const struct shard_batch *b,
              struct late_span span,
              struct arena *arena,
              struct shard_batch *ret,
              struct dn_err *err)
{
    uint64_t *gone = arena_calloc(arena, VEC_BITMAP_WORDS(b->rows) + 1, sizeof *gone);
    struct vec *cols = arena_calloc(arena, b->table->columns_count, sizeof *cols);
    const int64_t *rowids = NULL;
    const int64_t *expiries = NULL;
    uint32_t kept = b->rows;
    bool ok = gone && cols;

    for (uint32_t row = late_next(b, span, 0); ok && row < b->rows;
         row = late_next(b, span, row + 1)) {
        vec_bit_set(gone, row);
        kept--;
    }
    ok = ok && late_numbers(b->rowids, gone, b->rows, kept, arena, &rowids) &&
         late_numbers(b->expiries, gone, b->rows, kept, arena, &expiries);
    for (uint16_t i = 0; ok && i < b->table->columns_count; i++)
        ok = late_column(&b->cols[i], gone, b->rows, kept, arena, &cols[i]);
    if (!ok)
        return DN_FAIL_NOMEM(err);
    *ret = *b;
    ret->cols = cols;
    ret->rowids = rowids;
    ret->expiries = expiries;
    ret->rows = kept;
    return DN_OK;
}

/* ---- the commit ---- */

/* One that was read in a slab that went meanwhile is a conflict: whoever looks again does not find
 * it. */
int shard_check_late(const struct shard *s,
                     const struct catalog *cat,
                     const struct shard_batch *b,
                     struct dn_err *err)
{
    const struct table *cur;
    uint32_t row;

    if (b->table->retention.kind == RETENTION_NONE)
        return DN_OK;
    cur = catalog_table_by_id(cat ? cat : s->catalog, b->table->id);
    if (!cur || !late_may(b, late_span_horizon(cur)))
        return DN_OK;
    row = late_next(b, late_span_horizon(cur), 0);
    if (row == b->rows)
        return DN_OK;
    if (b->check_seq)
        return DN_FAIL(err,
                       DN_E_CONFLICT,
                       "a row of table \"%s\" went with its slab meanwhile",
                       b->table->name);
    return late_fail(cur, late_span_horizon(cur), vec_i64(&b->cols[cur->time_col], row), err);
}

/* A commit that was turned back, without its late rows. */
struct late_retry {
    struct shard_batch *list; /* in arena */
    size_t count;
    size_t written; /* batches among them that are more than checks */
    uint64_t dropped;
    struct arena arena;
};

/* Leaves out what the catalog of this moment calls late, in tables that want it so. */
static int late_filter(struct late_retry *r,
                       const struct catalog *cat,
                       const struct shard_batch *from,
                       size_t count,
                       struct dn_err *err)
{
    int rc = DN_OK;

    r->list = arena_calloc(&r->arena, count + 1, sizeof *r->list);
    r->count = r->written = 0;
    if (!r->list)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; rc == DN_OK && i < count; i++) {
        struct shard_batch *to = &r->list[r->count];
        const struct table *cur =
            from[i].table ? catalog_table_by_id(cat, from[i].table->id) : NULL;

        *to = from[i];
        if (!from[i].check_only && cur && cur->late == LATE_DROP &&
            late_may(to, late_span_horizon(cur))) {
            rc = late_drop(&from[i], late_span_horizon(cur), &r->arena, to, err);
            r->dropped += from[i].rows - to->rows;
            if (to->rows == 0)
                continue;
        }
        r->count++;
        r->written += !from[i].check_only;
    }
    return rc;
}

int shard_write_how(struct shard *s,
                    const struct shard_batch *batches,
                    size_t count,
                    const struct shard_how *how,
                    uint64_t *ret_seq,
                    struct dn_err *err)
{
    struct late_retry r = {.count = count};
    uint64_t before = 0;
    int rc = shard_commit(s, batches, count, how, ret_seq, err);

    if (rc != DN_E_LATE_ROW)
        return rc;
    arena_init(&r.arena, &s->owner);
    do { /* the horizon may move again meanwhile */
        struct catalog *cat;

        sched_lock(s->lock);
        cat = catalog_ref(s->catalog);
        sched_unlock(s->lock);
        before = r.dropped;
        rc = late_filter(&r, cat, before ? r.list : batches, r.count, err);
        catalog_unref(cat);
        if (rc == DN_OK && r.dropped == before)
            rc = DN_E_LATE_ROW; /* of a table that does not leave them out; err says it */
        else if (rc == DN_OK && r.written > 0)
            rc = shard_commit(s, r.list, r.count, how, ret_seq, err);
    } while (rc == DN_E_LATE_ROW && r.dropped > before);
    if (rc == DN_OK && how->dropped)
        *how->dropped += r.dropped;
    arena_done(&r.arena);
    return rc;
}
