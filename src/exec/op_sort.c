/* SPDX-License-Identifier: Apache-2.0
 *
 * op_sort.c: ORDER BY. Rows are copied with their keys in normalized form (vec/normkey.h), each key
 * column led by a byte that puts NULLs first or last; then memcmp order is the order asked for
 * (sort_rows.h). Rows with equal keys stay as they came.
 *
 * With a LIMIT above it only the first `keep` rows matter: whenever twice as many have gathered,
 * they are sorted and the rest dropped; from then on a row that does not come before the last one
 * kept is not even copied, and the scan below is told what it need not read (bound.h). Where no
 * scan can be told, the first sort key of rows is compared as the number it is, before they get a
 * normalized key.
 *
 * A loose sort is there for the look of small answers (plan/token_order.c): where more than
 * SORT_LOOSE_ROWS rows come, or they do not fit into memory, they are handed on as they come.
 *
 * What outgrows the operator's share of memory is sorted, put aside as a run, and merged at the end
 * (sort_runs.h). */
#include "exec/compact.h"
#include "exec/exec_int.h"
#include "exec/progress.h"
#include "exec/sort_runs.h"
#include "exec/sort_series.h"
#include "exec/sort_team.h"
#include "exec/source.h"
#include "exec/union.h"
#include "vec/normkey.h"

#include <inttypes.h>
#include <string.h>

#define SORT_TOP_MAX    (1u << 20) /* more rows than this are sorted as a whole */
#define SORT_TOP_FEW    16u
#define SORT_TOP_ROWS   512u /* rows gathered at least before a cut */
#define SORT_LOOSE_ROWS 16384u

struct op_sort {
    struct exec_sort_rows rows;
    struct exec_sort_runs runs; /* once rows did not fit */
    struct exec_series series;  /* the input is read series by series */
    bool by_series;
    struct arena batch;
    enum type_id *types; /* owned: of the input */
    struct buf keys;     /* of the batch at hand */
    struct buf bound;    /* key of the last row kept; empty = none yet */
    struct vec *out;     /* owned: result columns */
    uint32_t keep;       /* top-N: rows wanted; UINT32_MAX = all */
    uint64_t emitted;
    struct exec_source *source; /* top-N: the scan that is told the bound; NULL = none */
    struct exec_bound first;    /* top-N: else rows are tested here, before they have a key */
    bool bounded;               /* `bound` counts */
    bool sorted;
    bool passes; /* loose: too many rows: what comes behind those in `rows` is handed on */
    struct datum *token_key; /* owned: partition key of a row; NULL: the order is not by token */
    struct buf token;        /* scratch */
    size_t key_at[VEC_ROWS_MAX + 1];
    uint16_t sel[VEC_ROWS_MAX];
};

/* Rows that a LIMIT above will take: limit + offset. */
static int sort_keep(const struct plan_node *node,
                     const struct exec_ctx *ctx,
                     uint32_t *ret,
                     struct dn_err *err)
{
    int64_t limit;
    int64_t offset;
    int rc;

    *ret = UINT32_MAX;
    if (!node->limit)
        return 0;
    rc = exec_count_value(ctx, node->limit, "LIMIT", INT64_MAX, &limit, err);
    if (rc < 0)
        return rc;
    rc = exec_count_value(ctx, node->offset, "OFFSET", 0, &offset, err);
    if (rc < 0)
        return rc;
    if (limit <= SORT_TOP_MAX && offset <= SORT_TOP_MAX && limit + offset <= SORT_TOP_MAX)
        *ret = (uint32_t)(limit + offset);
    return 0;
}

static int op_sort_open(struct op *op, struct dn_err *err)
{
    struct op_sort *st = op->state;
    const struct plan_node *input = op->node->input;
    int rc;

    arena_init(&st->batch, &op->mem);
    buf_init(&st->keys, &op->mem);
    buf_init(&st->bound, &op->mem);
    buf_init(&st->token, &op->mem);
    rc = sort_keep(op->node, op->ctx, &st->keep, err);
    if (rc < 0)
        return rc;
    st->out = mem_calloc(&op->mem, input->cols_count, sizeof *st->out);
    st->types = mem_alloc_array(&op->mem, input->cols_count, sizeof *st->types);
    if (!st->out || !st->types)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < input->cols_count; c++)
        st->types[c] = input->cols[c].type;
    if (op->node->keys_count && !op->node->tokens)
        exec_bound_init(&st->first, op->node, &op->mem);
    if (op->node->tokens) {
        st->token_key =
            mem_calloc(&op->mem, op->node->tokens->partition_count, sizeof *st->token_key);
        if (!st->token_key)
            return DN_FAIL_NOMEM(err);
    }
    return exec_sort_init(&st->rows, st->types, input->cols_count, &op->mem, err);
}

static void op_sort_close(struct op *op)
{
    struct op_sort *st = op->state;

    exec_series_done(&st->series);
    exec_sort_done(&st->rows);
    exec_sort_runs_done(&st->runs);
    arena_done(&st->batch);
    buf_done(&st->keys);
    buf_done(&st->bound);
    exec_bound_done(&st->first);
    buf_done(&st->token);
    mem_free(st->token_key);
    mem_free(st->out);
    mem_free(st->types);
}

/* The token of a row's partition key, which its first keys are. */
static void sort_row_token(struct op_sort *st,
                           const struct plan_node *node,
                           const struct batch *in,
                           uint32_t row,
                           struct buf *b)
{
    struct datum token = {.type = TYPE_BIGINT};

    for (uint32_t k = 0; k < node->tokens->partition_count; k++)
        st->token_key[k] = vec_datum(&in->cols[node->keys[k].col], row);
    token.v.i64 = table_token(node->tokens, st->token_key, &st->token);
    normkey_append(b, &token, false);
    b->failed = b->failed || st->token.failed;
}

static void
sort_row_key(const struct plan_node *node, const struct batch *in, uint32_t row, struct buf *b)
{
    for (uint32_t k = 0; k < node->keys_count; k++) {
        const struct plan_sort_key *key = &node->keys[k];
        const struct vec *v = &in->cols[key->col];

        if (vec_is_null(v, row)) {
            buf_u8(b, key->nulls_first ? 0 : 2);
            continue;
        }
        buf_u8(b, 1);
        normkey_append_vec(b, v, row, key->desc);
    }
}

static bool sort_before_bound(const struct op_sort *st, const uint8_t *key, size_t len)
{
    size_t n = len < st->bound.len ? len : st->bound.len;
    int c = n ? memcmp(key, st->bound.data, n) : 0;

    return c ? c < 0 : len < st->bound.len;
}

/* Does row a of the batch come before row b? Equal ones in the order they came. */
static bool sort_before(const struct op_sort *st, uint32_t a, uint32_t b)
{
    size_t la = st->key_at[a + 1] - st->key_at[a];
    size_t lb = st->key_at[b + 1] - st->key_at[b];
    int c = memcmp(st->keys.data + st->key_at[a], st->keys.data + st->key_at[b], la < lb ? la : lb);

    return c ? c < 0 : la != lb ? la < lb : a < b;
}

/* heap[0] is the last of all; puts the one at `at` where it belongs. */
static void sort_sift(const struct op_sort *st, uint16_t *heap, uint32_t count, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        uint16_t swap;

        if (child >= count)
            return;
        if (child + 1 < count && sort_before(st, heap[child], heap[child + 1]))
            child++;
        if (!sort_before(st, heap[at], heap[child]))
            return;
        swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

/* Of n rows with keys only the first st->keep matter: copying the others would be work for nothing.
 * Returns how many are left. */
static uint32_t sort_batch_trim(struct op_sort *st, uint32_t n)
{
    uint16_t heap[VEC_ROWS_MAX];
    bool kept[VEC_ROWS_MAX] = {false};
    uint32_t left = 0;

    if (st->keep == 0 || st->keep >= n / 2)
        return n;
    for (uint32_t i = 0; i < st->keep; i++)
        heap[i] = (uint16_t)i;
    for (uint32_t i = st->keep / 2; i-- > 0;)
        sort_sift(st, heap, st->keep, i);
    for (uint32_t i = st->keep; i < n; i++) {
        if (!sort_before(st, i, heap[0]))
            continue;
        heap[0] = (uint16_t)i;
        sort_sift(st, heap, st->keep, 0);
    }
    for (uint32_t i = 0; i < st->keep; i++)
        kept[heap[i]] = true;
    for (uint32_t i = 0; i < n; i++) {
        size_t from = st->key_at[i];
        size_t len = st->key_at[i + 1] - from; /* read before the place is written */

        if (!kept[i])
            continue;
        memmove(st->keys.data + st->key_at[left], st->keys.data + from, len);
        st->sel[left] = st->sel[i];
        st->key_at[left + 1] = st->key_at[left] + len;
        left++;
    }
    st->keys.len = st->key_at[left];
    return left;
}

/* Keys of the rows that matter; in->sel becomes those rows. */
static int sort_batch_keys(struct op *op, struct batch *in, struct dn_err *err)
{
    struct op_sort *st = op->state;
    uint32_t n = 0;

    buf_reset(&st->keys);
    st->key_at[0] = 0;
    if (st->first.set && !st->source) {
        in->sel_count = exec_bound_select(&st->first, in, st->sel);
        in->sel = st->sel;
    }
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;
        size_t before = st->keys.len;

        if (st->token_key)
            sort_row_token(st, op->node, in, row, &st->keys);
        sort_row_key(op->node, in, row, &st->keys);
        if (st->keys.failed)
            return DN_FAIL_NOMEM(err);
        if (st->bounded && !sort_before_bound(st, st->keys.data + before, st->keys.len - before)) {
            st->keys.len = before;
            continue;
        }
        st->sel[n++] = row;
        st->key_at[n] = st->keys.len;
    }
    n = sort_batch_trim(st, n);
    if (n < in->sel_count) {
        in->sel = st->sel;
        in->sel_count = n;
    }
    return 0;
}

static int sort_check(const void *arg, struct dn_err *err)
{
    return exec_tell(arg, err);
}

/* Top-N: the sort keys of the last row kept bound the first key of rows to come, here or in the
 * scan. */
static int sort_tell_bound(struct op *op, struct dn_err *err)
{
    struct op_sort *st = op->state;
    struct exec_bound *b = st->source ? &st->source->bound : &st->first;
    struct datum last[EXEC_BOUND_KEYS_MAX];

    if (!st->source && !exec_fast(op->ctx))
        return 0;
    for (uint32_t k = 0; k < b->keys_count; k++)
        last[k] = colbuf_datum(&st->rows.cols[op->node->keys[k].col], st->keep - 1);
    return b->keys_count ? exec_bound_tighten(b, last, err) : 0;
}

/* Top-N: enough rows gathered, keep the best. */
static int sort_cut(struct op *op, struct dn_err *err)
{
    struct op_sort *st = op->state;
    const uint8_t *key;
    size_t len;
    int rc;

    rc = exec_sort_order(&st->rows, sort_check, op->ctx, err);
    if (rc == 0)
        rc = exec_sort_cut(&st->rows, st->keep, err);
    if (rc < 0)
        return rc;
    key = exec_sort_key(&st->rows, st->keep - 1, &len);
    buf_reset(&st->bound);
    buf_append(&st->bound, key, len);
    if (st->bound.failed)
        return DN_FAIL_NOMEM(err);
    st->bounded = true;
    return sort_tell_bound(op, err);
}

/* The sooner there is a bound, the less is read; but a cut copies what it keeps. Of a batch come
 * st->keep rows at most where that is few (sort_batch_trim). */
static bool sort_cut_now(const struct op_sort *st)
{
    if (st->keep == UINT32_MAX || st->rows.count < st->keep || st->keep == 0)
        return false;
    if (!st->bounded && st->keep < VEC_ROWS_MAX / 2)
        return true;
    return st->rows.count >= (st->keep < VEC_ROWS_MAX / 2    ? st->keep * 2 + SORT_TOP_FEW
                              : st->keep > SORT_TOP_ROWS / 2 ? st->keep * 2
                                                             : SORT_TOP_ROWS);
}

/* The rows in memory become a run. */
static int sort_spill(struct op *op, struct dn_err *err)
{
    struct op_sort *st = op->state;
    uint32_t cols = op->node->input->cols_count;
    uint32_t count = st->rows.count < st->keep ? st->rows.count : st->keep;
    int rc = 0;

    if (!exec_sort_runs_any(&st->runs)) {
        const struct exec_sort_runs_options options = {.volume = op->ctx->volume,
                                                       .owner = &op->mem,
                                                       .types = st->types,
                                                       .cols_count = cols,
                                                       .memory = op->share / 2,
                                                       .check = sort_check,
                                                       .check_arg = op->ctx};

        rc = exec_sort_runs_init(&st->runs, &options, err);
    }
    if (rc == 0)
        rc = exec_sort_order_team(&st->rows, op->ctx, err);
    if (rc == 0)
        rc = exec_sort_runs_add(&st->runs, &st->rows, count, err);
    op->spilled = st->runs.bytes;
    exec_sort_done(&st->rows);
    return rc < 0 ? rc : exec_sort_init(&st->rows, st->types, cols, &op->mem, err);
}

static int sort_drain_input(struct op *op, struct op *input, struct dn_err *err)
{
    struct op_sort *st = op->state;
    struct batch in;
    int rc;

    if (!st->source) /* which wants a bound soon */
        exec_drain(input);
    for (;;) {
        rc = exec_pull(input, &in, err);
        if (rc == DN_EOF)
            return 0;
        if (rc < 0)
            return rc;
        rc = sort_batch_keys(op, &in, err);
        if (rc == 0)
            rc = exec_sort_add(&st->rows, &in, st->keys.data, st->key_at, err);
        if (rc == 0 && sort_cut_now(st))
            rc = sort_cut(op, err);
        if (rc == 0 &&
            exec_over(op, mem_owner_used(&op->mem) + exec_sort_order_bytes(&st->rows), 1))
            rc = sort_spill(op, err);
        if (rc < 0)
            return rc;
    }
}

/* Top-N of a UNION ALL: each input is told what those before it came to. */
static int sort_drain_union(struct op *op, struct dn_err *err)
{
    struct op_sort *st = op->state;
    struct op *input;
    int rc = 0;

    for (;;) {
        st->source = NULL;
        rc = exec_union_next(op->input, &input, err);
        if (rc == DN_EOF)
            return 0;
        if (rc == 0)
            rc = exec_bound_find(input, op->node, st->keep, &st->source, err);
        if (rc == 0 && st->source && st->bounded && st->rows.count >= st->keep)
            rc = sort_cut(op, err);
        if (rc == 0)
            rc = sort_drain_input(op, input, err);
        if (rc < 0)
            return rc;
    }
}

static int sort_drain(struct op *op, struct dn_err *err)
{
    struct op_sort *st = op->state;
    int rc = st->keep != UINT32_MAX && exec_union_is(op->input)
                 ? sort_drain_union(op, err)
                 : sort_drain_input(op, op->input, err);

    if (rc < 0)
        return rc;
    if (!exec_sort_runs_any(&st->runs)) {
        if (op->ctx->progress)
            exec_progress_sort(op->ctx->progress, op->node, st->rows.count, st->rows.count);
        return exec_sort_order_team(&st->rows, op->ctx, err);
    }
    rc = st->rows.count ? sort_spill(op, err) : 0;
    exec_sort_done(&st->rows);
    buf_done(&st->keys);
    exec_close(op->input); /* its memory is for the merge now */
    op->input = NULL;
    st->source = NULL;
    if (rc == 0)
        rc = exec_sort_runs_start(&st->runs, err);
    op->spilled = st->runs.bytes;
    return rc;
}

/* A loose sort: all rows, or as many as are too many for it. */
static int sort_drain_loose(struct op *op, struct dn_err *err)
{
    struct op_sort *st = op->state;
    uint32_t keep = st->keep;
    struct batch in;
    int rc = 0;

    st->keep = UINT32_MAX; /* who comes first is not known before the end */
    while (rc == 0 && !st->passes) {
        rc = exec_pull(op->input, &in, err);
        if (rc == 0)
            rc = sort_batch_keys(op, &in, err);
        if (rc == 0)
            rc = exec_sort_add(&st->rows, &in, st->keys.data, st->key_at, err);
        st->passes =
            rc == 0 &&
            (st->rows.count > SORT_LOOSE_ROWS ||
             exec_over(op, mem_owner_used(&op->mem) + exec_sort_order_bytes(&st->rows), 1));
    }
    st->keep = keep;
    if (rc < 0)
        return rc;
    return st->passes ? exec_sort_as_added(&st->rows, err)
                      : exec_sort_order_team(&st->rows, op->ctx, err);
}

/* The next rows from runs. */
static int sort_next_merged(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_sort *st = op->state;
    int rc = exec_sort_runs_next(&st->runs, ret, err);

    if (rc != 0)
        return rc;
    ret->cols_count = op->node->input->cols_count; /* without the key */
    exec_worked(op->ctx, exec_progress_given(ret->count, true));
    if (st->keep != UINT32_MAX && ret->count > st->keep - st->emitted) {
        ret->count = ret->sel_count = (uint32_t)(st->keep - st->emitted);
        for (uint32_t c = 0; c < ret->cols_count; c++)
            ret->cols[c].count = ret->count;
    }
    st->emitted += ret->count;
    return 0;
}

/* Reads what there is to sort. */
static int sort_start(struct op *op, struct dn_err *err)
{
    struct op_sort *st = op->state;
    int rc = 0;

    if (op->node->tokens) {
        rc = op->node->loose ? sort_drain_loose(op, err) : sort_drain(op, err);
    } else {
        if (st->keep != UINT32_MAX && st->keep > 0)
            rc = exec_bound_find(op->input, op->node, st->keep, &st->source, err);
        if (rc == 0)
            rc = exec_series_start(&st->series, op, &st->by_series, err);
        if (rc == 0 && !st->by_series)
            rc = sort_drain(op, err);
    }
    if (rc < 0)
        return rc;
    st->sorted = true;
    if (!st->by_series && !st->passes && !exec_sort_runs_any(&st->runs) &&
        st->keep > st->rows.count)
        st->keep = st->rows.count;
    return 0;
}

static int op_sort_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_sort *st = op->state;
    uint32_t count;
    int rc;

    if (st->keep == 0)
        return DN_EOF;
    if (!st->sorted) {
        rc = sort_start(op, err);
        if (rc < 0)
            return rc;
    }
    if (st->passes && st->emitted >= st->rows.count)
        return exec_pull(op->input, ret, err);
    if (st->by_series) {
        rc = exec_series_next(&st->series, ret, err);
        if (rc == 0)
            exec_worked(op->ctx, exec_progress_given(ret->sel_count, true));
        return rc;
    }
    if (st->keep != UINT32_MAX && st->emitted >= st->keep)
        return DN_EOF;
    if (exec_sort_runs_any(&st->runs))
        return sort_next_merged(op, ret, err);
    count = (st->passes ? st->rows.count : st->keep) - (uint32_t)st->emitted;
    if (count > VEC_ROWS_MAX)
        count = VEC_ROWS_MAX;
    arena_reset(&st->batch);
    rc = exec_sort_batch(&st->rows, (uint32_t)st->emitted, count, &st->batch, st->out, err);
    if (rc < 0)
        return rc;
    *ret = (struct batch){
        .count = count, .cols_count = st->rows.cols_count, .cols = st->out, .sel_count = count};
    st->emitted += count;
    exec_worked(op->ctx, exec_progress_given(count, false));
    return 0;
}

static int op_sort_explain(const struct plan_node *node,
                           struct exec_ctx *ctx,
                           struct buf *b,
                           struct dn_err *err DN_UNUSED)
{
    buf_puts(b, node->limit ? "Sort, first rows only, by " : "Sort by ");
    for (uint32_t k = 0; node->tokens && k < node->tokens->partition_count; k++)
        buf_printf(b, "%s%s", k ? ", " : "token(", node->input->cols[node->keys[k].col].name);
    buf_puts(b, node->tokens ? "), " : "");
    for (uint32_t k = 0; k < node->keys_count; k++) {
        const struct plan_sort_key *key = &node->keys[k];

        buf_printf(
            b, "%s%s%s", k ? ", " : "", node->input->cols[key->col].name, key->desc ? " DESC" : "");
        if (key->nulls_first != key->desc)
            buf_puts(b, key->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
    if (node->loose)
        buf_printf(b, "\nmore than %u rows stay in the order of the key", SORT_LOOSE_ROWS);
    if (!node->tokens && exec_fast(ctx) && exec_series_ordered(node))
        buf_puts(b, "\nlong series are read one after the other instead");
    return 0;
}

const struct op_ops op_sort_ops = {.name = "Sort",
                                   .open = op_sort_open,
                                   .next = op_sort_next,
                                   .close = op_sort_close,
                                   .explain = op_sort_explain,
                                   .state_size = sizeof(struct op_sort),
                                   .holds = true};
