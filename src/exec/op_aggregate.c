/* SPDX-License-Identifier: Apache-2.0
 *
 * op_aggregate.c: GROUP BY and aggregates; SELECT DISTINCT is the same without aggregates.
 *
 * The whole input is read first. Groups are numbered as they are first seen (groups.h) and come out
 * in that order. Their states lie in chunks that never move. A batch that belongs to one group, and
 * each long stretch of rows that do, is added by update_all on a slice; only mixed batches go row
 * by row through update_grouped. Both add values in row order, so they give the same result.
 *
 * A DISTINCT aggregate keeps the set of (group, value) it has seen and adds only what is new.
 * Without keys there is one group from the start, so no rows still make one row. */
#include "exec/exec_int.h"
#include "exec/groups.h"

#include <inttypes.h>
#include <string.h>

#define AGG_CHUNK_GROUPS 256u /* states allocated at a time */
#define AGG_STATE_ALIGN  16u
#define AGG_RUN_MIN      16u /* rows per stretch from which slices pay */

struct op_aggregate {
    struct arena batch;   /* reset for each batch */
    struct arena run;     /* small arrays for the whole run */
    struct arena strings; /* winners of min and max */
    struct eval ev;
    struct exec_groups groups; /* unused without keys */
    struct exec_groups *seen;  /* in run; one per aggregate, used by DISTINCT ones */
    uint32_t *offsets;         /* in run: of each aggregate inside a group's state */
    size_t stride;             /* bytes of a group's states */
    uint8_t **chunks;          /* owned, each owned */
    uint32_t chunks_count;
    uint32_t chunks_cap;
    uint32_t groups_count; /* groups with states */
    uint32_t emitted;
    bool drained;               /* input is read */
    struct vec *keys;           /* in run: of the batch at hand */
    struct vec *out;            /* in run: result columns */
    uint32_t ids[VEC_ROWS_MAX]; /* group of each selected row */
    void *states[VEC_ROWS_MAX];
    uint16_t rows[VEC_ROWS_MAX];  /* 0, 1, 2, … */
    uint16_t fresh[VEC_ROWS_MAX]; /* DISTINCT: rows with a new value */
};

static void *aggregate_state(const struct op_aggregate *st, uint32_t group, uint32_t agg)
{
    return st->chunks[group / AGG_CHUNK_GROUPS] + (group % AGG_CHUNK_GROUPS) * st->stride +
           st->offsets[agg];
}

/* States for groups up to count, zeroed. */
static int aggregate_grow(struct op *op, uint32_t count, struct dn_err *err)
{
    struct op_aggregate *st = op->state;

    st->groups_count = count;
    if (st->stride == 0)
        return 0;
    while ((uint64_t)st->chunks_count * AGG_CHUNK_GROUPS < count) {
        if (st->chunks_count == st->chunks_cap) {
            uint32_t cap = st->chunks_cap ? st->chunks_cap * 2 : 8;
            uint8_t **chunks = mem_realloc(&op->mem, st->chunks, cap * sizeof *chunks);

            if (!chunks)
                return DN_FAIL_NOMEM(err);
            st->chunks = chunks;
            st->chunks_cap = cap;
        }
        st->chunks[st->chunks_count] = mem_calloc(&op->mem, AGG_CHUNK_GROUPS, st->stride);
        if (!st->chunks[st->chunks_count])
            return DN_FAIL_NOMEM(err);
        st->chunks_count++;
    }
    return 0;
}

/* The set of a DISTINCT aggregate: (group, value), or (value) when there is only one group. */
static int aggregate_open_seen(struct op *op, uint32_t agg, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    enum type_id types[2] = {TYPE_BIGINT, op->node->aggs[agg].arg->type};
    bool grouped = op->node->exprs_count > 0;

    return exec_groups_init(
        &st->seen[agg], grouped ? types : types + 1, grouped ? 2 : 1, &op->mem, err);
}

static int aggregate_open_keys(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    uint32_t count = op->node->exprs_count;
    enum type_id *types;

    if (count == 0)
        return aggregate_grow(op, 1, err);
    types = arena_alloc_array(&st->run, count, sizeof *types);
    if (!types)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < count; k++)
        types[k] = op->node->exprs[k]->type;
    return exec_groups_init(&st->groups, types, count, &op->mem, err);
}

static int op_aggregate_open(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    const struct plan_node *node = op->node;

    arena_init(&st->batch, &op->mem);
    arena_init(&st->run, &op->mem);
    arena_init(&st->strings, &op->mem);
    st->ev = exec_eval(op, &st->batch, &st->run);
    DN_ASSERT(node->exprs_count + node->aggs_count == node->cols_count);
    st->offsets = arena_calloc(&st->run, node->aggs_count, sizeof *st->offsets);
    st->keys = arena_calloc(&st->run, node->exprs_count, sizeof *st->keys);
    st->out = arena_calloc(&st->run, node->cols_count, sizeof *st->out);
    st->seen = arena_calloc(&st->run, node->aggs_count, sizeof *st->seen);
    if (!st->offsets || !st->keys || !st->out || !st->seen)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < VEC_ROWS_MAX; i++)
        st->rows[i] = (uint16_t)i;
    for (uint32_t a = 0; a < node->aggs_count; a++) {
        st->offsets[a] = (uint32_t)st->stride;
        st->stride +=
            (node->aggs[a].agg->state_size + AGG_STATE_ALIGN - 1) & ~(AGG_STATE_ALIGN - 1);
        if (node->aggs[a].distinct) {
            int rc = aggregate_open_seen(op, a, err);

            if (rc < 0)
                return rc;
        }
    }
    return aggregate_open_keys(op, err);
}

static void op_aggregate_close(struct op *op)
{
    struct op_aggregate *st = op->state;

    for (uint32_t a = 0; st->seen && a < op->node->aggs_count; a++)
        exec_groups_done(&st->seen[a]);
    exec_groups_done(&st->groups);
    for (uint32_t i = 0; i < st->chunks_count; i++)
        mem_free(st->chunks[i]);
    mem_free(st->chunks);
    arena_done(&st->batch);
    arena_done(&st->strings);
    arena_done(&st->run);
}

/* ---- reading ---- */

/* Rows [first, first + count) of a vector, if its bitmaps allow the cut. */
static bool aggregate_slice(const struct vec *v, uint32_t first, uint32_t count, struct vec *ret)
{
    size_t size = phys_size(type_phys(v->type));

    if (v->nulls && v->form != VEC_CONST && first % 64 != 0)
        return false;
    *ret = *v;
    ret->count = count;
    ret->absent = NULL;
    if (v->form == VEC_FLAT)
        ret->data = (const char *)v->data + first * size;
    if (v->form == VEC_DICT)
        ret->codes = v->codes + first;
    if (v->form != VEC_CONST && v->nulls)
        ret->nulls = v->nulls + first / 64;
    return true;
}

/* Selected rows [first, first + count), all of one group. v is NULL for count(*). */
static int aggregate_update_run(struct op *op,
                                uint32_t agg,
                                const struct vec *v,
                                const struct batch *in,
                                uint32_t first,
                                uint32_t count,
                                struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    const struct agg *a = op->node->aggs[agg].agg;
    void *state = aggregate_state(st, st->ids[first], agg);
    struct vec part[2];

    if (!v)
        return a->update_all(state, NULL, NULL, count, &st->strings, err);
    if (in->sel)
        return a->update_all(state, v, in->sel + first, count, &st->strings, err);
    if (aggregate_slice(v, first, count, &part[0]) &&
        (a->arg2 == TYPE_NONE || aggregate_slice(v + 1, first, count, &part[1])))
        return a->update_all(state, part, NULL, count, &st->strings, err);
    return a->update_all(state, v, st->rows + first, count, &st->strings, err);
}

static int aggregate_update_runs(
    struct op *op, uint32_t agg, const struct vec *v, const struct batch *in, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    uint32_t first = 0;

    while (first < in->sel_count) {
        uint32_t end = first + 1;
        int rc;

        while (end < in->sel_count && st->ids[end] == st->ids[first])
            end++;
        rc = aggregate_update_run(op, agg, v, in, first, end - first, err);
        if (rc < 0)
            return rc;
        first = end;
    }
    return 0;
}

static int aggregate_update_mixed(
    struct op *op, uint32_t agg, const struct vec *v, const struct batch *in, struct dn_err *err)
{
    struct op_aggregate *st = op->state;

    for (uint32_t i = 0; i < in->sel_count; i++)
        st->states[i] = aggregate_state(st, st->ids[i], agg);
    return op->node->aggs[agg].agg->update_grouped(
        st->states, v, in->sel, in->sel_count, &st->strings, err);
}

/* Finds the rows whose (group, value) is new; they replace the selection. */
static int aggregate_fresh(struct op *op,
                           uint32_t agg,
                           const struct vec *v,
                           const struct batch *in,
                           struct batch *ret,
                           struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    struct exec_groups *seen = &st->seen[agg];
    uint32_t *found = arena_alloc_array(&st->batch, in->sel_count, sizeof *found);
    int64_t *group = arena_calloc(&st->batch, in->count, sizeof *group);
    struct vec keys[2] = {
        {.type = TYPE_BIGINT, .form = VEC_FLAT, .count = in->count, .data = group}, *v};
    uint32_t before = seen->count;
    uint32_t n = 0;
    bool one;
    int rc;

    if (!found || !group)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < in->sel_count; i++)
        group[in->sel ? in->sel[i] : i] = st->ids[i];
    rc = exec_groups_find(seen, keys + (seen->keys_count == 1), in, &st->batch, found, &one, err);
    if (rc < 0)
        return rc;
    /* Numbers are given in row order: a row is the first of its tuple when its number is the next.
     */
    for (uint32_t i = 0; i < in->sel_count && (!one || i == 0); i++)
        if (found[i] == before) {
            st->fresh[n] = in->sel ? in->sel[i] : (uint16_t)i;
            st->states[n++] = aggregate_state(st, st->ids[i], agg);
            before++;
        }
    *ret = *in;
    ret->sel = st->fresh;
    ret->sel_count = n;
    return 0;
}

static int aggregate_update(
    struct op *op, uint32_t agg, const struct batch *in, uint32_t runs, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    const struct plan_agg *pa = &op->node->aggs[agg];
    struct vec arg[2];
    struct batch fresh;
    int rc;

    if (pa->arg) {
        rc = expr_eval(pa->arg, &st->ev, in, &arg[0], err);
        if (rc == 0 && pa->arg2)
            rc = expr_eval(pa->arg2, &st->ev, in, &arg[1], err);
        if (rc < 0)
            return rc;
    }
    if (pa->distinct) {
        rc = aggregate_fresh(op, agg, arg, in, &fresh, err);
        if (rc < 0)
            return rc;
        return pa->agg->update_grouped(
            st->states, arg, fresh.sel, fresh.sel_count, &st->strings, err);
    }
    if ((uint64_t)runs * AGG_RUN_MIN <= in->sel_count || runs == 1)
        return aggregate_update_runs(op, agg, pa->arg ? arg : NULL, in, err);
    return aggregate_update_mixed(op, agg, pa->arg ? arg : NULL, in, err);
}

/* Groups of the batch's rows in st->ids; *ret_runs: stretches of one group. */
static int
aggregate_find(struct op *op, const struct batch *in, uint32_t *ret_runs, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    bool one = true;
    int rc;

    if (op->node->exprs_count == 0) {
        memset(st->ids, 0, in->sel_count * sizeof *st->ids);
        *ret_runs = 1;
        return 0;
    }
    for (uint32_t k = 0; k < op->node->exprs_count; k++) {
        rc = expr_eval(op->node->exprs[k], &st->ev, in, &st->keys[k], err);
        if (rc < 0)
            return rc;
    }
    rc = exec_groups_find(&st->groups, st->keys, in, &st->batch, st->ids, &one, err);
    if (rc < 0)
        return rc;
    *ret_runs = 1;
    for (uint32_t i = 1; i < in->sel_count; i++) {
        if (one)
            st->ids[i] = st->ids[0];
        *ret_runs += st->ids[i] != st->ids[i - 1];
    }
    return aggregate_grow(op, st->groups.count, err);
}

static int aggregate_drain(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    struct batch in;
    uint32_t runs = 0;
    int rc;

    for (;;) {
        arena_reset(&st->batch);
        rc = exec_pull(op->input, &in, err);
        if (rc == DN_EOF)
            return 0;
        if (rc < 0)
            return rc;
        rc = aggregate_find(op, &in, &runs, err);
        for (uint32_t a = 0; a < op->node->aggs_count && rc == 0; a++) {
            rc = aggregate_update(op, a, &in, runs, err);
            if (rc < 0)
                dn_err_at(err, op->node->aggs[a].pos);
        }
        if (rc < 0)
            return rc;
    }
}

/* ---- returning ---- */

static int aggregate_emit(struct op *op, uint32_t agg, uint32_t count, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    const struct plan_agg *pa = &op->node->aggs[agg];
    enum type_id type = pa->agg->result;
    void *data = arena_alloc_array(&st->batch, count, phys_size(type_phys(type)));
    uint64_t *nulls = arena_calloc(&st->batch, VEC_BITMAP_WORDS(count), sizeof *nulls);
    bool any_null = false;

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct datum d;
        int rc = pa->agg->emit(aggregate_state(st, st->emitted + i, agg), &d, err);

        if (rc < 0) {
            dn_err_at(err, pa->pos);
            return rc;
        }
        datum_store(&d, data, i);
        if (d.null)
            vec_bit_set(nulls, i);
        any_null |= d.null;
    }
    st->out[op->node->exprs_count + agg] = (struct vec){.type = type,
                                                        .form = VEC_FLAT,
                                                        .count = count,
                                                        .data = data,
                                                        .nulls = any_null ? nulls : NULL};
    return 0;
}

static int op_aggregate_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    uint32_t count;
    int rc;

    if (!st->drained) {
        rc = aggregate_drain(op, err);
        if (rc < 0)
            return rc;
        st->drained = true;
    }
    if (st->emitted == st->groups_count)
        return DN_EOF;
    arena_reset(&st->batch);
    count = st->groups_count - st->emitted;
    if (count > VEC_ROWS_MAX)
        count = VEC_ROWS_MAX;
    for (uint32_t k = 0; k < op->node->exprs_count; k++)
        st->out[k] = colbuf_vec(&st->groups.keys[k], st->emitted, count);
    for (uint32_t a = 0; a < op->node->aggs_count; a++) {
        rc = aggregate_emit(op, a, count, err);
        if (rc < 0)
            return rc;
    }
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->out, .sel_count = count};
    st->emitted += count;
    return 0;
}

static int op_aggregate_explain(const struct plan_node *node,
                                struct exec_ctx *ctx DN_UNUSED,
                                struct buf *b,
                                struct dn_err *err)
{
    int rc;

    buf_puts(b, "Aggregate");
    for (uint32_t a = 0; a < node->aggs_count; a++) {
        const struct plan_agg *pa = &node->aggs[a];

        buf_printf(b, "%s %s(%s", a ? "," : "", pa->agg->name, pa->distinct ? "DISTINCT " : "");
        if (pa->arg) {
            rc = exec_explain_exprs(node, &pa->arg, 1, b, err);
            if (rc == 0 && pa->arg2) {
                buf_puts(b, ", ");
                rc = exec_explain_exprs(node, &pa->arg2, 1, b, err);
            }
            if (rc < 0)
                return rc;
        }
        buf_puts(b, pa->arg ? ")" : "*)");
    }
    if (node->exprs_count == 0)
        return 0;
    buf_puts(b, " by ");
    return exec_explain_exprs(node, node->exprs, node->exprs_count, b, err);
}

const struct op_ops op_aggregate_ops = {.name = "Aggregate",
                                        .open = op_aggregate_open,
                                        .next = op_aggregate_next,
                                        .close = op_aggregate_close,
                                        .explain = op_aggregate_explain,
                                        .state_size = sizeof(struct op_aggregate)};
