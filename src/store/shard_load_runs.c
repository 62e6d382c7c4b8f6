/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_runs.c: rows that come in order need no sorting, only their series do. A run is a
 * stretch of a part: rows of one series and slab, their keys ascending as the table has it. If the
 * keys of each run of a series are behind those of the run before it (in time), the runs in the
 * order (slab, series, age) are the rows in physical order, and go to the segment writer as they
 * lie. Many rows are written by several tasks, each with segments of its own: stretches of whole
 * series, one behind the other in physical order. */
#include "store/shard_int.h"
#include "store/shard_load_int.h"

#include "vec/normkey.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_SHORT     8u            /* rows on average: sorting them all is as good */
#define RUNS_FEW       4096u         /* runs that are not too many in any case */
#define RUNS_TASKS     16u           /* that write a batch, at most */
#define RUNS_TASK_ROWS (128u * 1024) /* rows that are worth a task and a segment of their own */

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
    uint32_t number; /* in the order they came */
    uint32_t part;
    uint32_t first;
    uint32_t count;
};

struct load_runs {
    const struct table *t;
    const struct load_batch *batch;
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
    uint16_t rest; /* column of the key behind the series */
    bool desc;
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
    s->token = table_token(t, values, &r->token);
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

/* Is the row of the series of the one before it? */
static bool runs_same_series(const struct table *t, const struct vec *cols, uint32_t row)
{
    for (uint16_t i = 0; i < t->series_count; i++) {
        const struct vec *v = &cols[t->series[i]];
        const struct vstr *s = (const struct vstr *)v->data + row;

        if (v->form == VEC_CONST)
            continue;
        if (type_is_string(v->type)) {
            if (s[0].len != s[-1].len ||
                (s[0].ptr != s[-1].ptr && memcmp(s[0].ptr, s[-1].ptr, s[0].len) != 0))
                return false;
        } else {
            struct datum a = vec_datum(v, row - 1);
            struct datum b = vec_datum(v, row);

            if (datum_cmp(&a, &b) != 0)
                return false;
        }
    }
    return true;
}

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
        if (!runs_same_series(r->t, part->cols, row))
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
    r->runs[r->runs_count] = *run;
    r->runs[r->runs_count].number = r->runs_count;
    r->runs_count++;
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
        run->count = stop - run->first;
        if (!runs_put(r, run))
            return DN_FAIL_NOMEM(err);
        run->first = stop;
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
        rc = runs_put_slabs(r, &run, err);
        if (rc < 0)
            return rc;
        row = end;
    }
    return DN_OK;
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
    return x->number < y->number ? -1 : x->number > y->number;
}

/* As runs_cmp, slabs and ages backwards: the time goes down. */
static int runs_cmp_desc(const void *a, const void *b)
{
    const struct load_run *x = a;
    const struct load_run *y = b;

    return x->slab == y->slab && x->series != y->series ? runs_cmp(a, b) : runs_cmp(b, a);
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

/* Consecutive runs that one task writes. */
struct load_stretch {
    const struct load_runs *r;
    uint32_t first; /* number of the first run */
    uint32_t end;   /* one past the last */
    struct seg_sink sink;
    struct arena slice; /* bitmaps of one run */
    struct sched_task *task;
    int rc;
    struct dn_err why;
};

static const uint64_t *
runs_bits(struct arena *slice, const uint64_t *bits, uint32_t first, uint32_t count)
{
    uint64_t *to = arena_calloc(slice, VEC_BITMAP_WORDS(count), sizeof *to);

    for (uint32_t i = 0; to && i < count; i++)
        if (vec_bit(bits, first + i))
            vec_bit_set(to, i);
    return to;
}

static int runs_slice(const struct load_runs *r,
                      const struct load_run *run,
                      struct arena *slice,
                      struct vec *cols,
                      struct dn_err *err)
{
    const struct shard_load_part *part = &r->batch->parts[run->part];

    arena_reset(slice);
    for (uint16_t i = 0; i < r->t->columns_count; i++) {
        const struct vec *v = &part->cols[i];
        uint32_t size = phys_size(type_phys(v->type));

        cols[i] = *v;
        cols[i].count = run->count;
        if (v->form == VEC_CONST)
            continue;
        cols[i].data = (const uint8_t *)v->data + (size_t)run->first * size;
        if (v->nulls) {
            cols[i].nulls = runs_bits(slice, v->nulls, run->first, run->count);
            if (!cols[i].nulls)
                return DN_FAIL_NOMEM(err);
        }
        DN_ASSERT(!v->absent); /* CONST alone has it */
    }
    return DN_OK;
}

static int runs_write(struct load_stretch *st, struct vec *cols, struct dn_err *err)
{
    static const uint64_t one_null = 1;
    static const int64_t zero = 0;
    const struct load_runs *r = st->r;
    const struct table *t = r->t;
    struct vec *hidden = cols + t->columns_count;
    int64_t seq = (int64_t)r->batch->seq;
    int16_t op = ROW_PUT;
    int64_t expiry = ROW_NEVER;

    for (uint32_t i = 0; i < HIDDEN_MAX; i++)
        hidden[i] = (struct vec){.type = store_col_type(t, t->columns_count + i),
                                 .form = VEC_CONST,
                                 .data = i == HIDDEN_SEQ      ? (const void *)&seq
                                         : i == HIDDEN_OP     ? (const void *)&op
                                         : i == HIDDEN_EXPIRY ? (const void *)&expiry
                                                              : (const void *)&zero};
    for (uint32_t k = st->first; k < st->end; k++) {
        const struct load_run *run = &r->runs[k];
        int rc;

        op = (int16_t)r->batch->parts[run->part].op;
        expiry = r->batch->parts[run->part].expiry_ns;
        hidden[HIDDEN_EXPIRY].nulls = expiry == ROW_NEVER ? &one_null : NULL;
        for (uint32_t i = 0; i < HIDDEN_MAX; i++)
            hidden[i].count = run->count;
        rc = seg_sink_slab(&st->sink, run->slab, err);
        if (rc < 0)
            return rc;
        rc = runs_slice(r, run, &st->slice, cols, err);
        if (rc < 0)
            return rc;
        rc = seg_sink_add(&st->sink, cols, run->count, err);
        if (rc < 0)
            return rc;
    }
    return seg_sink_finish(&st->sink, err);
}

static void runs_task(void *arg)
{
    struct load_stretch *st = arg;
    struct vec *cols = mem_calloc(st->r->owner, store_cols_count(st->r->t), sizeof *cols);

    arena_init(&st->slice, st->r->owner);
    st->rc = cols ? runs_write(st, cols, &st->why) : DN_FAIL_NOMEM(&st->why);
    arena_done(&st->slice);
    mem_free(cols);
}

/* Cuts the runs into at most `count` stretches of about as many rows; a series of a slab stays in
 * one. Returns how many there are. */
static uint32_t runs_cut(const struct load_runs *r, struct load_stretch *st, uint32_t count)
{
    uint64_t each = (r->batch->rows + count - 1) / count;
    uint64_t rows = 0;
    uint32_t n = 0;

    st[0].first = 0;
    for (uint32_t k = 0; k < r->runs_count; k++) {
        const struct load_run *run = &r->runs[k];

        if (rows >= each && n + 1 < count &&
            (run->slab != run[-1].slab || run->series != run[-1].series)) {
            st[n++].end = k;
            st[n].first = k;
            rows = 0;
        }
        rows += run->count;
    }
    st[n].end = r->runs_count;
    return n + 1;
}

/* What a stretch has written becomes the load's, which discards it if the load fails. */
static int runs_collect(struct load_stretch *st, struct seg_sink *sink, struct dn_err *err)
{
    struct seg_sink *from = &st->sink;
    struct seg_meta *grown = NULL;

    if (from->metas_count > 0)
        grown = mem_realloc(
            &sink->s->owner, sink->metas, (sink->metas_count + from->metas_count) * sizeof *grown);
    if (from->metas_count > 0 && !grown) {
        seg_sink_discard(from);
        return DN_FAIL_NOMEM(err);
    }
    if (grown) {
        sink->metas = grown;
        memcpy(grown + sink->metas_count, from->metas, from->metas_count * sizeof *grown);
        sink->metas_count += from->metas_count;
        sink->bytes += from->bytes;
    }
    if (st->rc < 0)
        *err = st->why;
    return st->rc;
}

static int runs_write_all(const struct load_runs *r, struct seg_sink *sink, struct dn_err *err)
{
    struct sched *sched = sink->s->sched;
    uint32_t task_rows = r->batch->task_rows ? r->batch->task_rows : RUNS_TASK_ROWS;
    uint64_t most = r->batch->rows / task_rows;
    uint32_t count = sched_cores(sched) < RUNS_TASKS ? sched_cores(sched) : RUNS_TASKS;
    struct load_stretch *st;
    struct dn_err why;
    int rc = DN_OK;

    count = most < count ? most < 1 ? 1 : (uint32_t)most : count;
    st = mem_calloc(r->owner, count, sizeof *st);
    if (!st)
        return DN_FAIL_NOMEM(err);
    count = runs_cut(r, st, count);
    for (uint32_t i = 0; i < count; i++) {
        st[i].r = r;
        st[i].sink = (struct seg_sink){
            .s = sink->s, .t = sink->t, .level = sink->level, .cancel = sink->cancel};
        if (i + 1 == count || /* this task itself */
            sched_spawn(sched, "load write", runs_task, &st[i], &st[i].task, NULL) < 0) {
            st[i].task = NULL;
            runs_task(&st[i]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        int one;

        if (st[i].task)
            sched_join(st[i].task);
        one = runs_collect(&st[i], sink, &why);
        if (one < 0 && rc == DN_OK) {
            rc = one;
            if (err)
                *err = why;
        }
        seg_sink_done(&st[i].sink);
    }
    mem_free(st);
    return rc;
}

int shard_load_runs(struct shard *s,
                    const struct table *t,
                    const struct load_batch *batch,
                    struct seg_sink *sink,
                    struct dn_err *err)
{
    struct load_runs r = {.t = t, .batch = batch, .owner = &s->owner};
    int rc = DN_OK;

    if (t->form == KEY_NONE || t->rest_count != 1 ||
        type_phys(t->columns[t->rest[0].col].type) != PHYS_I64)
        return DN_NOT_FOUND;
    r.rest = t->rest[0].col;
    r.desc = t->rest[0].desc;
    arena_init(&r.arena, r.owner);
    hidx_init(&r.index, r.owner);
    buf_init(&r.key, r.owner);
    buf_init(&r.token, r.owner);
    for (uint32_t i = 0; i < batch->parts_count && rc == DN_OK; i++) {
        rc = shard_check_cancel(sink->cancel, err);
        if (rc == DN_OK && batch->parts[i].expiries)
            rc = DN_NOT_FOUND; /* a memtable sorts them, with their rows */
        if (rc == DN_OK)
            rc = runs_of_part(&r, i, err);
        if (rc == DN_OK && r.runs_count > RUNS_FEW && r.runs_count > batch->rows / RUNS_SHORT)
            rc = DN_NOT_FOUND;
    }
    if (rc == DN_OK)
        rc = runs_sort(&r, err);
    if (rc == DN_OK)
        rc = runs_write_all(&r, sink, err);
    mem_free(r.series);
    mem_free(r.runs);
    hidx_done(&r.index);
    buf_done(&r.key);
    buf_done(&r.token);
    arena_done(&r.arena);
    return rc;
}
