/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_done.c: see agg_done.h. */
#include "exec/agg_done.h"

#include "exec/exec_int.h"
#include "exec/slice.h"

#include <string.h>

#define DONE_RUNS_MIN    4u  /* runs of a unit that are alone from which that is worth it */
#define DONE_STRETCH_MIN 16u /* selected rows of a group, on average, to be added in one call */

bool exec_done_may(const struct exec_units *u)
{
    if (!u->by_series || !u->tells_series)
        return false;
    for (uint32_t g = 0; g < u->node->aggs_count; g++)
        if (u->node->aggs[g].distinct || u->node->aggs[g].order_count)
            return false;
    return true;
}

int exec_done_init(struct exec_spool *s, struct op *op, uint32_t threads, struct dn_err *err)
{
    const struct plan_node *node = op->node;
    struct exec_spool_options options = {.cols_count = node->cols_count,
                                         .owner = &op->mem,
                                         .volume = op->ctx->volume,
                                         .share = op->share / 2 / threads,
                                         .cancel = op->ctx->cancel};
    struct arena arena;
    int rc;

    arena_init(&arena, &op->mem);
    options.types = exec_types(node, &arena);
    rc = options.types ? exec_spool_init(s, &options, err) : DN_FAIL_NOMEM(err);
    arena_done(&arena);
    return rc;
}

/* The groups of a unit that are finished: rows selected of each are [ends[i - 1], ends[i]) of
 * rows. Memory: agg.batch, or the feed. */
struct done_groups {
    uint32_t count;
    uint16_t *firsts; /* the first selected row of each */
    uint16_t *ends;
    uint16_t *rows; /* selected rows of all of them */
    struct vec *out;
};

static bool done_alloc(struct exec_feed *f, struct done_groups *d)
{
    struct arena *batch = &f->agg.batch;

    d->count = 0;
    d->firsts = arena_alloc_array(batch, VEC_ROWS_MAX, sizeof *d->firsts);
    d->ends = arena_alloc_array(batch, VEC_ROWS_MAX, sizeof *d->ends);
    d->rows = arena_alloc_array(batch, VEC_ROWS_MAX, sizeof *d->rows);
    d->out = arena_alloc_array(batch, f->u->node->cols_count, sizeof *d->out);
    return d->firsts && d->ends && d->rows && d->out;
}

/* Rows of runs that are alone become groups; the others are left selected. */
static void done_divide(struct exec_feed *f, struct batch *in, struct done_groups *d)
{
    const struct scan_series *series = &f->series;
    uint32_t rest = 0;
    uint32_t n = 0;
    uint32_t at = 0;

    for (uint32_t run = 0; run < series->count && at < in->sel_count; run++) {
        uint32_t end = series->ends[run];
        uint32_t from = n;

        if (series->alone[run]) {
            for (; at < in->sel_count && (in->sel ? in->sel[at] : at) < end; at++)
                d->rows[n++] = in->sel ? in->sel[at] : (uint16_t)at;
        } else {
            for (; at < in->sel_count && (in->sel ? in->sel[at] : at) < end; at++)
                f->near[rest++] = in->sel ? in->sel[at] : (uint16_t)at;
        }
        if (n == from)
            continue;
        d->firsts[d->count] = d->rows[from];
        d->ends[d->count++] = (uint16_t)n;
    }
    in->sel = f->near;
    in->sel_count = rest;
}

/* ---- results ---- */

/* The values of one row of each group. 1: they are not the results. */
static int
done_ends(struct exec_feed *f, const struct batch *in, struct done_groups *d, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    uint16_t at[VEC_ROWS_MAX];
    bool last;

    if (u->ends == EXEC_ENDS_NONE || u->row_ends == EXEC_ENDS_NONE || in->cols[u->ends_col].nulls)
        return 1;
    for (uint32_t g = 0; g < u->node->aggs_count; g++) {
        const struct vec *v = &in->cols[u->ways[g].col];

        if (v->nulls || v->type != u->node->cols[u->node->exprs_count + g].type)
            return 1;
    }
    DN_ASSERT(u->source->node->table->rest_count == 1); /* or u->ends were EXEC_ENDS_NONE */
    last = (u->row_ends == EXEC_ENDS_LATE) != u->source->node->table->rest[0].desc;
    for (uint32_t i = 0; i < d->count; i++)
        at[i] = last ? d->rows[d->ends[i] - 1u] : d->firsts[i];
    for (uint32_t g = 0; g < u->node->aggs_count; g++)
        if (!vec_flatten(&f->agg.batch,
                         &in->cols[u->ways[g].col],
                         at,
                         d->count,
                         &d->out[u->node->exprs_count + g]))
            return DN_FAIL_NOMEM(err);
    return 0;
}

/* All rows of the groups to the states of an aggregate, one state per group. */
static int done_update(struct exec_feed *f,
                       const struct plan_agg *pa,
                       const struct batch *in,
                       const struct done_groups *d,
                       uint8_t *states,
                       struct dn_err *err)
{
    struct exec_agg *a = &f->agg;
    uint32_t rows = d->ends[d->count - 1];
    struct vec arg[2];
    const struct vec *v = pa->arg ? arg : NULL;
    uint32_t from = 0;
    int rc = 0;

    if (pa->arg)
        rc = expr_eval(pa->arg, &a->ev, in, &arg[0], err);
    if (rc == 0 && pa->arg2)
        rc = expr_eval(pa->arg2, &a->ev, in, &arg[1], err);
    if (rc == 0 && d->count * DONE_STRETCH_MIN <= rows) {
        for (uint32_t i = 0; i < d->count && rc == 0; from = d->ends[i++])
            rc = pa->agg->update_all(
                states + i * a->stride, v, d->rows + from, d->ends[i] - from, &a->batch, err);
        return rc;
    }
    for (uint32_t i = 0; i < d->count; from = d->ends[i++])
        for (uint32_t k = from; k < d->ends[i]; k++)
            a->states[k] = states + i * a->stride;
    return rc < 0 ? rc : pa->agg->update_grouped(a->states, v, d->rows, rows, &a->batch, err);
}

static int done_emit(struct exec_feed *f,
                     uint32_t agg,
                     const struct done_groups *d,
                     const uint8_t *states,
                     struct dn_err *err)
{
    const struct plan_node *node = f->u->node;
    enum type_id type = node->cols[node->exprs_count + agg].type;
    void *data = arena_alloc_array(&f->agg.batch, d->count, phys_size(type_phys(type)));
    uint64_t *nulls = arena_calloc(&f->agg.batch, VEC_BITMAP_WORDS(d->count), sizeof *nulls);
    bool any_null = false;

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < d->count; i++) {
        struct datum value;
        int rc = node->aggs[agg].agg->emit(states + i * f->agg.stride, &value, err);

        if (rc < 0)
            return rc;
        datum_store(&value, data, i);
        if (value.null)
            vec_bit_set(nulls, i);
        any_null |= value.null;
    }
    d->out[node->exprs_count + agg] = (struct vec){.type = type,
                                                   .form = VEC_FLAT,
                                                   .count = d->count,
                                                   .data = data,
                                                   .nulls = any_null ? nulls : NULL};
    return 0;
}

/* By states that go with the unit. */
static int
done_states(struct exec_feed *f, const struct batch *in, struct done_groups *d, struct dn_err *err)
{
    struct exec_agg *a = &f->agg;
    uint8_t *states = arena_calloc(&a->batch, (size_t)d->count + 1, a->stride ? a->stride : 1);
    struct batch all = *in;
    int rc = 0;

    if (!states)
        return DN_FAIL_NOMEM(err);
    all.sel = d->rows;
    all.sel_count = d->ends[d->count - 1];
    for (uint32_t g = 0; g < a->node->aggs_count && rc == 0; g++) {
        uint8_t *own = states + a->offsets[a->twins[g]];

        if (a->twins[g] == g)
            rc = done_update(f, &a->node->aggs[g], &all, d, own, err);
        if (rc == 0)
            rc = done_emit(f, g, d, own, err);
        if (rc < 0)
            dn_err_at(err, a->node->aggs[g].pos);
    }
    return rc;
}

/* ---- a unit ---- */

static bool done_many(const struct scan_series *series)
{
    uint32_t alone = 0;

    for (uint32_t i = 0; i < series->count; i++)
        alone += series->alone[i];
    return alone >= DONE_RUNS_MIN;
}

static int
done_keep(struct exec_feed *f, const struct batch *in, struct done_groups *d, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    int rc;

    for (uint32_t k = 0; k < u->node->exprs_count; k++)
        if (!vec_flatten(&f->agg.batch, &in->cols[u->keys[k].col], d->firsts, d->count, &d->out[k]))
            return DN_FAIL_NOMEM(err);
    rc = done_ends(f, in, d, err);
    if (rc == 1)
        rc = done_states(f, in, d, err);
    return rc < 0 ? rc : exec_spool_add(f->done, d->out, NULL, d->count, err);
}

int exec_feed_done(struct exec_feed *f, struct dn_err *err)
{
    const struct exec_units *u = f->u;
    struct done_groups d;
    uint32_t slice;
    struct batch in;
    int rc;

    if (f->reader.unit.one_run || !scan_unit_series(f->reader.r, &f->series) ||
        !done_many(&f->series))
        return 1;
    rc = exec_reader_select(&f->reader, &in, err);
    if (rc < 0 || in.sel_count == 0)
        return rc;
    rc = exec_reader_fetch(&f->reader, u->cols, u->cols_count, &in, err);
    if (rc < 0)
        return rc;
    f->rows_decoded += in.count;
    slice = exec_slice_rows(&in, u->cols, u->cols_count, f->reader.source->ctx->slice_bytes);
    if (exec_pace_rows(&f->agg.pace, slice) < in.sel_count)
        return exec_feed_batches(f, &in, slice, err);
    if (!done_alloc(f, &d))
        return DN_FAIL_NOMEM(err);
    done_divide(f, &in, &d);
    rc = d.count ? done_keep(f, &in, &d, err) : 0;
    if (rc == 0 && in.sel_count)
        rc = exec_agg_batch(&f->agg, &in, err);
    exec_pace_end(&f->agg.pace, in.count);
    return rc;
}
