/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_runs.c: rows that come in order need no sorting, only their series do. A run is a
 * stretch of a part: rows of one series and slab, their keys ascending as the table has it.
 *
 *   - With one time behind the series: if the keys of each run of a series are behind those of the
 *     run before it (in time), the runs in the order (slab, series, age) are the rows in physical
 *     order.
 *   - With an empty series the rows may lie in physical order as they came, whatever the key is
 *     made of; those of a table without a key always do, within a slab.
 *
 * Either way they go to the segment writer as they lie. Many rows are written by several tasks,
 * each with segments of its own: stretches of whole series, one behind the other in physical
 * order. */
#include "store/shard_int.h"
#include "store/shard_load_int.h"

#include "vec/normkey.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_SHORT 8u             /* rows on average: sorting them all is as good */
#define RUNS_FEW   4096u          /* runs that are not too many in any case */
#define RUNS_PIECE SEG_BLOCK_ROWS /* an empty series is cut into runs of so many rows */

struct load_series {
    int64_t token;
    uint64_t hash;
    const uint8_t *key; /* normalized values; arena */
    uint32_t key_len;
    uint32_t rank; /* in physical order */
    bool any;
    int64_t edge; /* greatest key of its runs so far */
};

struct load_run {
    int64_t slab;
    uint32_t series; /* number; then its rank */
    uint32_t number; /* in the order they came; pieces of one run have the same */
    uint32_t part;
    uint32_t first;
    uint32_t count;
};

struct load_runs {
    const struct table *t;
    struct load_batch *batch;
    struct mem_owner *owner;
    struct arena arena; /* keys of series */
    struct hidx index;  /* key hash -> series */
    struct load_series *series;
    uint32_t series_count;
    uint32_t series_cap;
    struct load_run *runs;
    uint32_t runs_count;
    uint32_t runs_cap;
    struct buf key;
    struct buf token;
    uint16_t rest;            /* column of the key behind the series */
    bool desc;                /* it goes down */
    bool straight;            /* all rows are to lie in physical order as they came */
    struct load_slab slab;    /* of the rows looked at … */
    const struct vec *before; /* … the last of which is in these columns; NULL: none was */
    uint32_t before_row;
    atomic_uint *left;   /* owned: rows of each part that are not written yet; NULL: the parts
                            are released all at once */
    uint64_t *rowids;    /* owned, append tables: of each part's first row */
    uint32_t *stretches; /* owned: first run of each, and the end */
};

/* ---- series ---- */

static bool runs_same(const void *ctx, const void *key, uint32_t id)
{
    const struct load_runs *r = ctx;
    const struct buf *k = key;
    const struct load_series *s = &r->series[id];

    return s->key_len == k->len && (k->len == 0 || memcmp(s->key, k->data, k->len) == 0);
}

static uint64_t runs_hash(const void *ctx, uint32_t id)
{
    const struct load_runs *r = ctx;

    return r->series[id].hash;
}

static int
runs_add_series(struct load_runs *r, const struct vec *cols, uint32_t row, struct dn_err *err)
{
    const struct table *t = r->t;
    struct load_series *s;
    struct datum *values = arena_alloc_array(&r->arena, t->series_count + 1u, sizeof *values);

    if (r->series_count == r->series_cap) {
        uint32_t want = r->series_cap ? r->series_cap * 2 : 64;
        struct load_series *grown = mem_realloc(r->owner, r->series, want * sizeof *grown);

        if (!grown)
            return DN_FAIL_NOMEM(err);
        r->series = grown;
        r->series_cap = want;
    }
    s = &r->series[r->series_count];
    *s = (struct load_series){.hash = dn_hash64(r->key.data, r->key.len, 0),
                              .key = arena_dup(&r->arena, r->key.data, r->key.len),
                              .key_len = (uint32_t)r->key.len};
    if (!values || !s->key)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->series_count; i++)
        values[i] = vec_datum(&cols[t->series[i]], row);
    s->token = table_series_token(t, values, &r->token);
    if (r->token.failed || !hidx_add(&r->index, s->hash, r->series_count, runs_hash, r))
        return DN_FAIL_NOMEM(err);
    r->series_count++;
    return DN_OK;
}

static int runs_series_of(
    struct load_runs *r, const struct vec *cols, uint32_t row, uint32_t *ret, struct dn_err *err)
{
    const struct table *t = r->t;
    int rc;

    buf_reset(&r->key);
    for (uint16_t i = 0; i < t->series_count; i++)
        normkey_append_vec(&r->key, &cols[t->series[i]], row, false);
    if (r->key.failed)
        return DN_FAIL_NOMEM(err);
    *ret = hidx_find(&r->index, dn_hash64(r->key.data, r->key.len, 0), runs_same, r, &r->key);
    if (*ret != UINT32_MAX)
        return DN_OK;
    rc = runs_add_series(r, cols, row, err);
    *ret = r->series_count - 1;
    return rc;
}

/* ---- runs ---- */

/* The end of the run that begins at a row: same series, key after key. */
static uint32_t
runs_end(const struct load_runs *r, const struct shard_load_part *part, uint32_t row)
{
    const struct vec *v = &part->cols[r->rest];
    const int64_t *key = v->data;

    if (v->form == VEC_CONST)
        return row + 1;
    for (row++; row < part->rows; row++) {
        if (r->desc ? key[row] >= key[row - 1] : key[row] <= key[row - 1])
            break;
        if (!shard_load_same_series(r->t, part->cols, row - 1, part->cols, row))
            break;
    }
    return row;
}

static bool runs_put(struct load_runs *r, const struct load_run *run)
{
    if (r->runs_count == r->runs_cap) {
        uint32_t want = r->runs_cap ? r->runs_cap * 2 : 1024;
        struct load_run *grown = mem_realloc(r->owner, r->runs, (size_t)want * sizeof *grown);

        if (!grown)
            return false;
        r->runs = grown;
        r->runs_cap = want;
    }
    r->runs[r->runs_count++] = *run;
    return true;
}

/* Puts rows up to `end` of one slab. */
static bool runs_put_rows(struct load_runs *r, struct load_run *run, uint32_t end)
{
    uint32_t most = r->t->series_count == 0 ? RUNS_PIECE : UINT32_MAX;

    while (run->first < end) {
        run->count = end - run->first < most ? end - run->first : most;
        if (!runs_put(r, run))
            return false;
        run->first += run->count;
    }
    return true;
}

/* Cuts a run where the slab changes. */
static int runs_put_slabs(struct load_runs *r, struct load_run *run, struct dn_err *err)
{
    const struct vec *cols = r->batch->parts[run->part].cols;
    uint32_t end = run->first + run->count;

    while (run->first < end) {
        uint32_t stop = end;

        run->slab = rows_slab(r->t, cols, run->first);
        if (rows_slab(r->t, cols, end - 1) != run->slab) {
            stop = run->first + 1;
            while (rows_slab(r->t, cols, stop) == run->slab)
                stop++;
        }
        if (!runs_put_rows(r, run, stop))
            return DN_FAIL_NOMEM(err);
    }
    return DN_OK;
}

/* DN_NOT_FOUND: some series is not in order. */
static int runs_of_part(struct load_runs *r, uint32_t number, struct dn_err *err)
{
    const struct shard_load_part *part = &r->batch->parts[number];
    const struct vec *keys = &part->cols[r->rest];
    uint32_t row = 0;

    while (row < part->rows) {
        struct load_run run = {.part = number, .first = row};
        uint32_t end = runs_end(r, part, row);
        int64_t first = vec_i64(keys, row);
        int64_t last = vec_i64(keys, end - 1);
        struct load_series *s;
        int rc = runs_series_of(r, part->cols, row, &run.series, err);

        if (rc < 0)
            return rc;
        s = &r->series[run.series];
        if (s->any && (r->desc ? last : first) <= s->edge)
            return DN_NOT_FOUND;
        s->any = true;
        s->edge = r->desc ? first : last;
        run.count = end - row;
        run.number = r->runs_count;
        rc = runs_put_slabs(r, &run, err);
        if (rc < 0)
            return rc;
        row = end;
    }
    return DN_OK;
}

/* Is the row behind the one before it, which is of the same slab? */
static bool runs_behind(const struct load_runs *r,
                        const struct vec *before,
                        uint32_t before_row,
                        const struct vec *cols,
                        uint32_t row)
{
    return r->t->form == KEY_NONE || shard_load_cmp_rest(r->t, before, before_row, cols, row) < 0;
}

/* All rows of the part, behind those of the parts before. DN_NOT_FOUND: they are not in order. */
static int runs_of_straight(struct load_runs *r, uint32_t number, struct dn_err *err)
{
    const struct table *t = r->t;
    const struct shard_load_part *part = &r->batch->parts[number];
    const struct vec *before = r->before;
    uint32_t before_row = r->before_row;
    bool cut = t->time_col >= 0;
    struct load_run run = {.part = number, .number = r->runs_count, .slab = r->slab.slab};
    uint32_t row = 0;

    for (; row < part->rows; row++) {
        int64_t slab = cut ? shard_load_slab_of(&r->slab, t, part->cols, row) : 0;

        if (before && slab != run.slab) {
            if ((slab > run.slab) == t->time_desc)
                return DN_NOT_FOUND;
            if (!runs_put_rows(r, &run, row))
                return DN_FAIL_NOMEM(err);
        } else if (before && !runs_behind(r, before, before_row, part->cols, row)) {
            return DN_NOT_FOUND;
        }
        run.slab = slab;
        before = part->cols;
        before_row = row;
        if (!cut && t->form == KEY_NONE) /* nothing to look at */
            row = before_row = part->rows - 1;
    }
    r->before = before;
    r->before_row = before_row;
    return runs_put_rows(r, &run, row) ? DN_OK : DN_FAIL_NOMEM(err);
}

/* ---- order ---- */

static int runs_cmp_series(const void *a, const void *b)
{
    const struct load_series *x = *(struct load_series *const *)a;
    const struct load_series *y = *(struct load_series *const *)b;
    uint32_t n = x->key_len < y->key_len ? x->key_len : y->key_len;
    int c;

    if (x->token != y->token)
        return x->token < y->token ? -1 : 1;
    c = n ? memcmp(x->key, y->key, n) : 0;
    if (c != 0)
        return c;
    return x->key_len < y->key_len ? -1 : x->key_len > y->key_len;
}

static int runs_cmp(const void *a, const void *b)
{
    const struct load_run *x = a;
    const struct load_run *y = b;

    if (x->slab != y->slab)
        return x->slab < y->slab ? -1 : 1;
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* As runs_cmp, slabs and ages backwards: the time goes down. */
static int runs_cmp_desc(const void *a, const void *b)
{
    const struct load_run *x = a;
    const struct load_run *y = b;
    bool forth = x->slab == y->slab && (x->series != y->series || x->number == y->number);

    return forth ? runs_cmp(a, b) : runs_cmp(b, a);
}

static int runs_sort(struct load_runs *r, struct dn_err *err)
{
    struct load_series **order =
        mem_alloc_array(r->owner, r->series_count + 1u, sizeof(struct load_series *));

    if (!order)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < r->series_count; i++)
        order[i] = &r->series[i];
    qsort(order, r->series_count, sizeof(struct load_series *), runs_cmp_series);
    for (uint32_t i = 0; i < r->series_count; i++)
        order[i]->rank = i;
    mem_free(order);
    for (uint32_t i = 0; i < r->runs_count; i++)
        r->runs[i].series = r->series[r->runs[i].series].rank;
    qsort(r->runs, r->runs_count, sizeof *r->runs, r->desc ? runs_cmp_desc : runs_cmp);
    return DN_OK;
}

/* ---- out ---- */

static int runs_slice(const struct load_runs *r,
                      const struct load_run *run,
                      struct arena *slice,
                      struct vec *cols,
                      struct dn_err *err)
{
    const struct shard_load_part *part = &r->batch->parts[run->part];

    arena_reset(slice);
    for (uint16_t i = 0; i < r->t->columns_count; i++)
        if (!vec_slice(slice, &part->cols[i], run->first, run->count, &cols[i]))
            return DN_FAIL_NOMEM(err);
    return DN_OK;
}

/* The hidden columns of a batch of rows. */
struct runs_hidden {
    int64_t seq;
    int16_t op;
    int64_t expiry;
    int64_t *rowids; /* owned, append tables: RUNS_PIECE of them */
};

static void runs_hide(const struct load_runs *r,
                      const struct load_run *run,
                      struct runs_hidden *h,
                      struct vec *hidden)
{
    static const uint64_t one_null = 1;
    static const int64_t zero = 0;
    const struct shard_load_part *part = &r->batch->parts[run->part];
    const void *data[HIDDEN_MAX] = {[HIDDEN_SEQ] = &h->seq,
                                    [HIDDEN_OP] = &h->op,
                                    [HIDDEN_EXPIRY] = &h->expiry,
                                    [HIDDEN_ROWID] = &zero};

    h->seq = (int64_t)r->batch->seq;
    h->op = (int16_t)part->op;
    h->expiry = part->expiry_ns;
    for (uint32_t i = 0; i < HIDDEN_MAX; i++)
        hidden[i] = (struct vec){.type = store_col_type(r->t, r->t->columns_count + i),
                                 .form = VEC_CONST,
                                 .count = run->count,
                                 .data = data[i]};
    hidden[HIDDEN_EXPIRY].nulls = h->expiry == ROW_NEVER ? &one_null : NULL;
    if (!h->rowids)
        return;
    for (uint32_t i = 0; i < run->count; i++)
        h->rowids[i] = (int64_t)(r->rowids[run->part] + run->first + i);
    hidden[HIDDEN_ROWID].form = VEC_FLAT;
    hidden[HIDDEN_ROWID].data = h->rowids;
}

static int runs_write_run(const struct load_runs *r,
                          const struct load_run *run,
                          struct seg_sink *sink,
                          struct arena *slice,
                          struct vec *cols,
                          struct dn_err *err)
{
    int rc = seg_sink_slab(sink, run->slab, err);

    if (rc == DN_OK)
        rc = runs_slice(r, run, slice, cols, err);
    if (rc == DN_OK)
        rc = seg_sink_add(sink, cols, run->count, err);
    if (rc == DN_OK && r->left && atomic_fetch_sub(&r->left[run->part], run->count) == run->count)
        shard_load_part_release(&r->batch->parts[run->part]); /* the writer has a copy */
    return rc;
}

static int runs_write(void *arg, uint32_t number, struct seg_sink *sink, struct dn_err *err)
{
    const struct load_runs *r = arg;
    struct vec *cols = mem_calloc(r->owner, store_cols_count(r->t), sizeof *cols);
    struct runs_hidden hidden = {.rowids = NULL};
    struct arena slice; /* bitmaps of one run */
    int rc = cols ? DN_OK : DN_FAIL_NOMEM(err);

    arena_init(&slice, r->owner);
    if (rc == DN_OK && r->rowids) {
        hidden.rowids = mem_alloc_array(r->owner, RUNS_PIECE, sizeof *hidden.rowids);
        if (!hidden.rowids)
            rc = DN_FAIL_NOMEM(err);
    }
    for (uint32_t k = r->stretches[number]; rc == DN_OK && k < r->stretches[number + 1]; k++) {
        runs_hide(r, &r->runs[k], &hidden, cols + r->t->columns_count);
        rc = runs_write_run(r, &r->runs[k], sink, &slice, cols, err);
    }
    if (rc == DN_OK)
        rc = seg_sink_finish(sink, err);
    arena_done(&slice);
    mem_free(hidden.rowids);
    mem_free(cols);
    return rc;
}

/* Cuts the runs into at most `count` stretches of about as many rows; a series of a slab stays in
 * one, unless it is the only one. Returns how many there are. */
static uint32_t runs_cut(struct load_runs *r, uint32_t count)
{
    uint64_t each = (r->batch->rows + count - 1) / count;
    uint64_t rows = 0;
    uint32_t n = 1;

    r->stretches[0] = 0;
    for (uint32_t k = 0; k < r->runs_count; k++) {
        const struct load_run *run = &r->runs[k];

        if (rows >= each && n < count &&
            (r->t->series_count == 0 || run->slab != run[-1].slab ||
             run->series != run[-1].series)) {
            r->stretches[n++] = k;
            rows = 0;
        }
        rows += run->count;
    }
    r->stretches[n] = r->runs_count;
    return n;
}

/* Row ids of the parts, and counts of their rows: those of an empty series are done one after the
 * other. */
static int runs_number_parts(struct load_runs *r, struct dn_err *err)
{
    const struct load_batch *b = r->batch;
    uint64_t rowid = b->rowid_base;

    if (r->t->series_count > 0)
        return DN_OK;
    r->left = mem_calloc(r->owner, b->parts_count, sizeof *r->left);
    if (!r->left)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < b->parts_count; i++)
        atomic_init(&r->left[i], b->parts[i].rows);
    if (r->t->form != KEY_NONE)
        return DN_OK;
    r->rowids = mem_alloc_array(r->owner, b->parts_count, sizeof *r->rowids);
    if (!r->rowids)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < b->parts_count; i++) {
        r->rowids[i] = rowid;
        rowid += b->parts[i].rows;
    }
    return DN_OK;
}

static int runs_write_all(struct load_runs *r, struct seg_sink *sink, struct dn_err *err)
{
    uint32_t count = shard_load_stretches(r->batch, sink->s);
    int rc;

    r->stretches = mem_calloc(r->owner, count + 1u, sizeof *r->stretches);
    if (!r->stretches)
        return DN_FAIL_NOMEM(err);
    rc = runs_number_parts(r, err);
    if (rc < 0)
        return rc;
    return shard_load_write_stretches(sink, runs_cut(r, count), runs_write, r, err);
}

/* Which of the two ways may do? */
static bool runs_possible(struct load_runs *r)
{
    const struct table *t = r->t;
    bool one = t->form != KEY_NONE && t->rest_count == 1 &&
               type_phys(t->columns[t->rest[0].col].type) == PHYS_I64 &&
               (t->time_col < 0 || t->rest[0].col == (uint16_t)t->time_col);

    if (one) {
        r->rest = t->rest[0].col;
        r->desc = t->rest[0].desc;
    }
    r->straight = t->series_count == 0 && !(one && r->desc);
    return one || r->straight;
}

int shard_load_runs(struct shard *s,
                    const struct table *t,
                    struct load_batch *batch,
                    struct seg_sink *sink,
                    struct dn_err *err)
{
    struct load_runs r = {.t = t, .batch = batch, .owner = &s->owner};
    int rc = DN_OK;

    if (!runs_possible(&r))
        return DN_NOT_FOUND;
    shard_load_slab_init(&r.slab, t);
    arena_init(&r.arena, r.owner);
    hidx_init(&r.index, r.owner);
    buf_init(&r.key, r.owner);
    buf_init(&r.token, r.owner);
    for (uint32_t i = 0; i < batch->parts_count && rc == DN_OK; i++) {
        rc = shard_check_cancel(sink->cancel, err);
        if (rc == DN_OK && batch->parts[i].expiries)
            rc = DN_NOT_FOUND; /* they are sorted with their rows */
        if (rc == DN_OK)
            rc = r.straight ? runs_of_straight(&r, i, err) : runs_of_part(&r, i, err);
        if (rc == DN_OK && t->series_count > 0 && r.runs_count > RUNS_FEW &&
            r.runs_count > batch->rows / RUNS_SHORT)
            rc = DN_NOT_FOUND;
    }
    if (rc == DN_OK && !r.straight)
        rc = runs_sort(&r, err);
    if (rc == DN_OK)
        rc = runs_write_all(&r, sink, err);
    mem_free(r.series);
    mem_free(r.runs);
    mem_free(r.left);
    mem_free(r.rowids);
    mem_free(r.stretches);
    hidx_done(&r.index);
    buf_done(&r.key);
    buf_done(&r.token);
    arena_done(&r.arena);
    return rc;
}
