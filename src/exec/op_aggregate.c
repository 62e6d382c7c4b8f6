/* SPDX-License-Identifier: Apache-2.0
 *
 * op_aggregate.c: GROUP BY and aggregates; SELECT DISTINCT is the same without aggregates. The
 * whole input is read first, then the groups come out in the order in which they were first seen.
 *
 * Above a scan (with or without a filter) the units of the scan are read directly (agg_units.h), by
 * one thread as long as that is quick, then by several; above anything else batches are pulled, by
 * several threads where that is a pipe (pipe.h). Of a UNION ALL each input is read in its own way,
 * one after the other.
 *
 * Groups that outgrow the operator's share of memory are put aside (agg_aside.h), by each thread
 * its own; then they come out part by part. */
#include "exec/agg_aside.h"
#include "exec/agg_done.h"
#include "exec/agg_units.h"
#include "exec/compact.h"
#include "exec/exec_int.h"
#include "exec/pipe.h"
#include "exec/run.h"
#include "exec/team.h"
#include "exec/union.h"

#include <inttypes.h>
#include <string.h>

#define AGG_MORSEL_ROWS 16384u  /* taken from the scan at a time when threads may share it */
#define AGG_ALONE_ROWS  8192u   /* decoded by one thread before others are called */
#define AGG_TEAM_ROWS   131072u /* expected from the scan if others may be called */

struct op_aggregate {
    struct exec_source *source; /* of the input; NULL: batches are pulled */
    struct exec_units units;
    struct exec_feed feed;     /* this thread's; agg is the result */
    struct exec_feed *helpers; /* owned: the others' */
    uint32_t helpers_count;
    struct exec_team team;
    struct exec_pipe pipe;     /* of the input, if it is one */
    struct exec_held held;     /* a batch whose rows go in by and by */
    struct exec_held *helds;   /* owned: the same of the helpers of a pipe */
    struct exec_aside *asides; /* owned: this thread's, then the helpers' */
    uint32_t asides_count;
    struct exec_aside_results results;
    struct exec_spool *dones; /* owned: groups that were done with their unit, by thread */
    uint32_t dones_count;
    uint32_t dones_at;               /* whose groups are being emitted, … */
    uint32_t emitted_done;           /* … and how many of these were */
    struct exec_spool_cursor cursor; /* over these */
    struct arena view;
    struct exec_agg *groups;     /* to be emitted: the feed's, or a part of the results */
    struct vec *out;             /* owned: result columns */
    uint32_t emitted;            /* of groups */
    uint32_t helpers_next;       /* whose groups follow, if they were kept */
    bool drained;                /* input is read */
    uint16_t left[VEC_ROWS_MAX]; /* selection of the batch that was handed on */
};

static bool aggregate_many_rows(const struct op *op)
{
    const struct op_aggregate *st = op->state;
    struct scan_stats stats;

    scan_get_stats(st->source->scan, &stats);
    return stats.rows_expected >= exec_team_rows(op->ctx, AGG_TEAM_ROWS);
}

/* How many helpers the scan is worth, if it turns out to need decoding. */
static uint32_t aggregate_helpers(const struct op *op)
{
    return op->node->any_order && aggregate_many_rows(op) ? exec_team_helpers(op->ctx) : 0;
}

/* The order of rows is given up where it does not matter: where there are no groups, or so many
 * rows that the order of groups depends on threads anyway. */
static int aggregate_give_up_order(struct op *op, struct dn_err *err)
{
    const struct op_aggregate *st = op->state;

    if (!op->node->any_order || (op->node->exprs_count && !aggregate_many_rows(op)))
        return 0;
    return scan_any_order(st->source->scan, err);
}

static struct scan_reader_options aggregate_reading(struct op *op)
{
    const struct op_aggregate *st = op->state;

    return (struct scan_reader_options){
        .blocks = true,
        .morsel_rows = st->helpers_count ? exec_team_rows(op->ctx, AGG_MORSEL_ROWS) : 0,
        .owner = &op->mem};
}

static int op_aggregate_open(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;

    arena_init(&st->view, &op->mem);
    st->out = mem_calloc(&op->mem, op->node->cols_count, sizeof *st->out);
    if (!st->out)
        return DN_FAIL_NOMEM(err);
    return exec_feed_init(&st->feed, op->node, op->ctx, &op->mem, err);
}

static void aggregate_close_helpers(struct op_aggregate *st)
{
    for (uint32_t i = 0; st->helpers && i < st->helpers_count; i++)
        exec_feed_close(&st->helpers[i]);
    mem_free(st->helpers);
    mem_free(st->helds);
    st->helpers = NULL;
    st->helds = NULL;
}

static void aggregate_close_dones(struct op_aggregate *st)
{
    exec_spool_cursor_close(&st->cursor);
    for (uint32_t i = 0; i < st->dones_count; i++)
        exec_spool_done(&st->dones[i]);
    mem_free(st->dones);
    arena_done(&st->view);
}

static void op_aggregate_close(struct op *op)
{
    struct op_aggregate *st = op->state;

    exec_pipe_close(&st->pipe);
    aggregate_close_dones(st);
    exec_aside_results_close(&st->results);
    for (uint32_t i = 0; st->asides && i < st->asides_count; i++)
        exec_aside_done(&st->asides[i]);
    mem_free(st->asides);
    aggregate_close_helpers(st);
    exec_feed_close(&st->feed);
    mem_free(st->out);
}

/* One aside per thread, before the first row; none if nothing may be put aside. */
static int aggregate_open_asides(struct op *op, uint32_t threads, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    int rc = 0;

    if (!op->share)
        return 0;
    st->asides = mem_calloc(&op->mem, threads, sizeof *st->asides);
    if (!st->asides)
        return DN_FAIL_NOMEM(err);
    st->asides_count = threads;
    for (uint32_t i = 0; i < threads && rc == 0; i++)
        rc = exec_aside_init(&st->asides[i], op, threads, err);
    return rc;
}

/* Puts the feed's groups aside if they are too many. */
static int
aggregate_watch(struct op *op, struct exec_feed *feed, uint32_t thread, struct dn_err *err)
{
    struct op_aggregate *st = op->state;

    if (!st->asides || !exec_over(op, mem_owner_used(&feed->mem), st->helpers_count + 1) ||
        !exec_aside_many(&feed->agg))
        return 0;
    exec_feed_forget(feed);
    return exec_aside_put(&st->asides[thread], &feed->agg, err);
}

/* The next batch of the input to the groups of a worker. */
static int aggregate_step(void *arg, uint32_t worker, struct op *input, struct dn_err *err)
{
    struct op *op = arg;
    struct op_aggregate *st = op->state;
    struct exec_feed *feed = worker ? &st->helpers[worker - 1] : &st->feed;
    struct exec_held *held = worker ? &st->helds[worker - 1] : &st->held;
    struct batch in;
    int rc;

    if (!feed->agg.node) {
        rc = exec_feed_init(feed, op->node, op->ctx, &op->mem, err);
        if (rc < 0)
            return rc;
    }
    exec_pace_begin(&feed->agg.pace, &feed->agg.batch);
    rc = exec_pull_paced(input, &feed->agg.pace, held, &in, err);
    if (rc != 0)
        return rc;
    rc = exec_agg_batch(&feed->agg, &in, err);
    if (rc < 0)
        return rc;
    exec_pace_end(&feed->agg.pace, in.sel_count);
    return aggregate_watch(op, feed, worker, err);
}

static int aggregate_drain_batches(struct op *op, struct op *input, struct dn_err *err)
{
    int rc;

    exec_drain(input);
    do
        rc = aggregate_step(op, 0, input, err);
    while (rc == 0);
    return rc == DN_EOF ? 0 : rc;
}

/* A helper's share. */
static int aggregate_help(void *arg, uint32_t number, struct exec_team *team, struct dn_err *err)
{
    struct op *op = arg;
    struct op_aggregate *st = op->state;
    struct exec_feed *feed = &st->helpers[number];
    const struct scan_reader_options options = aggregate_reading(op);
    int rc;

    feed->done = st->dones ? &st->dones[number + 1] : NULL;
    rc = exec_feed_open(feed, &st->units, &options, err);
    while (rc == 0 && !exec_team_stopped(team)) {
        rc = exec_feed_next(feed, err);
        if (rc == 0)
            rc = aggregate_watch(op, feed, number + 1, err);
    }
    return rc < 0 ? rc : 0;
}

/* Values of subqueries that helpers will ask for. */
static int aggregate_settle(struct op *op, struct dn_err *err)
{
    const struct op_aggregate *st = op->state;
    const struct plan_node *node = op->node;
    struct exec_run *run = op->ctx->run;
    int rc = 0;

    for (uint32_t i = 0; st->source && i < st->source->conds_count && rc == 0; i++)
        rc = exec_run_settle(run, st->source->conds[i].e, err);
    for (uint32_t i = 0; i < node->exprs_count && rc == 0; i++)
        rc = exec_run_settle(run, node->exprs[i], err);
    for (uint32_t g = 0; g < node->aggs_count && rc == 0; g++) {
        rc = exec_run_settle(run, node->aggs[g].arg, err);
        if (rc == 0)
            rc = exec_run_settle(run, node->aggs[g].arg2, err);
    }
    return rc;
}

static int aggregate_call_team(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    int rc = aggregate_settle(op, err);

    if (rc == 0)
        rc = scan_share(st->source->scan, err);
    if (rc < 0)
        return rc;
    st->helpers = mem_calloc(&op->mem, st->helpers_count, sizeof *st->helpers);
    if (!st->helpers)
        return DN_FAIL_NOMEM(err);
    return exec_team_start(&st->team, op->ctx, st->helpers_count, aggregate_help, op, err);
}

static int aggregate_read_units(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    int rc;

    do {
        if (st->helpers_count && !st->helpers &&
            st->feed.rows_decoded >= exec_team_rows(op->ctx, AGG_ALONE_ROWS)) {
            rc = aggregate_call_team(op, err);
            if (rc < 0)
                break;
        }
        rc = exec_tell(op->ctx, err);
        if (rc == 0)
            rc = exec_feed_next(&st->feed, err);
        if (rc == 0)
            rc = aggregate_watch(op, &st->feed, 0, err);
    } while (rc == 0 && !exec_team_stopped(&st->team));
    rc = exec_team_join(&st->team, rc, err);
    return rc < 0 ? rc : 0;
}

/* Did some thread put groups aside? */
static bool aggregate_aside(const struct op_aggregate *st)
{
    for (uint32_t i = 0; st->asides && i < st->asides_count; i++)
        if (exec_aside_any(&st->asides[i]))
            return true;
    return false;
}

static bool aggregate_distinct(const struct plan_node *node)
{
    for (uint32_t g = 0; g < node->aggs_count; g++)
        if (node->aggs[g].distinct)
            return true;
    return false;
}

/* Groups of a helper that this thread or an earlier helper has, too, are merged into theirs; it
 * keeps the others. */
static int aggregate_match(struct op *op, uint32_t helper, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    struct exec_agg *agg = &st->helpers[helper].agg;
    int rc = exec_agg_match(&st->feed.agg, agg, err);

    for (uint32_t i = 0; i < helper && rc == 0; i++)
        if (st->helpers[i].agg.node)
            rc = exec_agg_match(&st->helpers[i].agg, agg, err);
    if (rc == 0)
        exec_feed_leave(&st->helpers[helper]);
    return rc;
}

/* The groups of helpers to those of this thread; if some were put aside, they follow. After the
 * last input helpers keep what only they have, and it is handed on from there; but of several with
 * DISTINCT aggregates only the last one does. */
static int aggregate_take_helpers(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    bool aside = aggregate_aside(st);
    bool keep = !aside && !exec_union_is(op->input);
    bool distinct = aggregate_distinct(op->node);
    int rc = 0;

    for (uint32_t i = 0; st->helpers && i < st->helpers_count && rc == 0; i++) {
        struct exec_agg *agg = &st->helpers[i].agg;

        if (!agg->node) /* it was never opened */
            continue;
        if (keep && (!distinct || i + 1 == st->helpers_count)) {
            rc = aggregate_match(op, i, err);
            continue;
        }
        rc = aside ? exec_aside_put(&st->asides[i + 1], agg, err)
                   : exec_agg_merge(&st->feed.agg, agg, err);
        if (rc == 0)
            exec_agg_done(agg);
    }
    if (rc == 0 && !keep)
        aggregate_close_helpers(st);
    return rc;
}

static int aggregate_bring_together(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    int rc;

    st->groups = &st->feed.agg;
    if (!aggregate_aside(st))
        return 0;
    rc = exec_aside_put(&st->asides[0], &st->feed.agg, err);
    st->groups = &st->results.agg;
    return rc < 0 ? rc
                  : exec_aside_results_open(&st->results, op, st->asides, st->asides_count, err);
}

/* Other inputs of a union may have the same series. */
static int aggregate_tell_series(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    struct exec_units *u = &st->units;

    u->tells_series = !exec_union_is(op->input) && exec_fast(op->ctx) &&
                      (u->by_series || u->series_col != PLAN_NO_COL);
    return u->tells_series ? scan_tell_series(st->source->scan, err) : 0;
}

/* Groups may be done with their unit, a spool for each thread. The order of groups depends on
 * threads then, as where there are many rows it does anyway. */
static int aggregate_open_dones(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    uint32_t threads = st->helpers_count + 1;
    int rc = 0;

    if (!op->node->any_order || !aggregate_many_rows(op) || !exec_done_may(&st->units))
        return 0;
    st->dones = mem_calloc(&op->mem, threads, sizeof *st->dones);
    if (!st->dones)
        return DN_FAIL_NOMEM(err);
    st->dones_count = threads;
    for (uint32_t i = 0; i < threads && rc == 0; i++)
        rc = exec_done_init(&st->dones[i], op, threads, err);
    st->feed.done = &st->dones[0];
    return rc;
}

static int aggregate_drain_units(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    struct scan_reader_options options;
    int rc = exec_units_plan(&st->units, op->node, st->source, err);

    if (rc == 0)
        rc = aggregate_give_up_order(op, err);
    if (rc == 0)
        rc = aggregate_tell_series(op, err);
    if (rc < 0)
        return rc;
    st->helpers_count = aggregate_helpers(op);
    st->team = (struct exec_team){0};
    st->feed.rows_decoded = 0;
    options = aggregate_reading(op);
    rc = aggregate_open_dones(op, err);
    if (rc == 0)
        rc = exec_feed_enter(&st->feed, &st->units, &options, err);
    if (rc == 0)
        rc = aggregate_read_units(op, err);
    if (rc == 0)
        rc = aggregate_take_helpers(op, err);
    if (rc == 0)
        exec_feed_leave(&st->feed);
    return rc;
}

/* Several threads run what is below, each into groups of its own. */
static int aggregate_drain_pipe(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    int rc = aggregate_settle(op, err);

    if (rc < 0)
        return rc;
    st->helpers_count = st->pipe.helpers;
    st->helpers = mem_calloc(&op->mem, st->helpers_count, sizeof *st->helpers);
    st->helds = mem_calloc(&op->mem, st->helpers_count, sizeof *st->helds);
    if (!st->helpers || !st->helds)
        return DN_FAIL_NOMEM(err);
    rc = exec_pipe_run(&st->pipe, aggregate_step, op, err);
    exec_pipe_close(&st->pipe);
    return rc < 0 ? rc : aggregate_take_helpers(op, err);
}

/* Are its columns those of the union, and not only of types that can be made them? */
static bool aggregate_same_cols(const struct plan_node *all, const struct plan_node *one)
{
    bool same = all->cols_count == one->cols_count;

    for (uint32_t i = 0; same && i < all->cols_count; i++)
        same = all->cols[i].type == one->cols[i].type;
    return same;
}

/* Looks how the input can be read: units, a pipe or batches. */
static int aggregate_look(struct op *op, struct op *input, struct dn_err *err)
{
    struct op_aggregate *st = op->state;

    st->source = aggregate_same_cols(op->input->node, input->node) ? exec_source_of(input) : NULL;
    if (st->source && st->source->backward && !op->node->any_order)
        st->source = NULL; /* rows of a unit stand forward in it: the scan turns them round */
    if (st->source || !op->node->any_order)
        return 0;
    return exec_pipe_open(&st->pipe, input, err);
}

static int aggregate_drain_input(struct op *op, struct op *input, struct dn_err *err)
{
    struct op_aggregate *st = op->state;

    st->helpers_count = 0;
    if (st->source)
        return aggregate_drain_units(op, err);
    return st->pipe.helpers ? aggregate_drain_pipe(op, err)
                            : aggregate_drain_batches(op, input, err);
}

static int aggregate_drain(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    struct op *input = op->input;
    bool several = exec_union_is(input);
    uint32_t threads = 1;
    int rc = several ? 0 : aggregate_look(op, input, err);

    if (rc < 0)
        return rc;
    if (several)
        threads += exec_team_helpers(op->ctx);
    else
        threads += st->source ? aggregate_helpers(op) : st->pipe.helpers;
    rc = aggregate_open_asides(op, threads, err);
    if (rc == 0 && !several)
        rc = aggregate_drain_input(op, input, err);
    while (rc == 0 && several) {
        rc = exec_union_next(op->input, &input, err);
        if (rc == 0)
            rc = aggregate_look(op, input, err);
        if (rc == 0)
            rc = aggregate_drain_input(op, input, err);
    }
    return rc < 0 ? rc : aggregate_bring_together(op, err);
}

static void aggregate_count_spilled(struct op *op)
{
    const struct op_aggregate *st = op->state;

    op->spilled = st->results.bytes;
    for (uint32_t i = 0; i < st->dones_count; i++)
        op->spilled += st->dones[i].spilled;
    for (uint32_t i = 0; st->asides && i < st->asides_count; i++)
        op->spilled += exec_aside_bytes(&st->asides[i]);
}

/* Groups to be emitted after those at hand: the next part, or what a helper has kept. */
static int aggregate_next_groups(struct op *op, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    int rc = 0;

    if (st->results.op) {
        rc = exec_aside_results_next(&st->results, err);
        aggregate_count_spilled(op);
    } else if (st->helpers && st->helpers_next < st->helpers_count) {
        st->groups = &st->helpers[st->helpers_next++].agg;
    } else {
        rc = DN_EOF;
    }
    if (rc == 0)
        st->emitted = 0;
    return rc;
}

/* The next groups, with a selection if some are gone: then it may be empty. */
static int aggregate_emit(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    uint32_t count = st->groups->groups_count - st->emitted;
    int rc;

    if (count > VEC_ROWS_MAX)
        count = VEC_ROWS_MAX;
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->out, .sel_count = count};
    if (st->groups->gone) {
        ret->sel_count = exec_agg_left(st->groups, st->emitted, count, st->left);
        ret->sel = ret->sel_count < count ? st->left : NULL;
    }
    rc = ret->sel_count ? exec_agg_emit(st->groups, st->emitted, count, st->out, err) : 0;
    st->emitted += count;
    return rc;
}

/* The next groups of those that were done with their unit. */
static int aggregate_next_done(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    uint32_t count;
    int rc;

    while (st->dones_at < st->dones_count && st->emitted_done == st->dones[st->dones_at].count) {
        exec_spool_cursor_close(&st->cursor);
        exec_spool_done(&st->dones[st->dones_at++]);
        st->emitted_done = 0;
    }
    if (st->dones_at == st->dones_count)
        return DN_EOF;
    rc = st->cursor.spool ? 0 : exec_spool_cursor_open(&st->cursor, &st->dones[st->dones_at], err);
    arena_reset(&st->view);
    if (rc == 0)
        rc = exec_spool_view(
            &st->cursor, st->emitted_done, VEC_ROWS_MAX, &st->view, st->out, &count, err);
    if (rc < 0)
        return rc;
    st->emitted_done += count;
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->out, .sel_count = count};
    return 0;
}

static int op_aggregate_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_aggregate *st = op->state;
    int rc;

    if (!st->drained) {
        rc = aggregate_drain(op, err);
        if (rc < 0)
            return rc;
        st->drained = true;
        st->emitted = st->results.op ? st->groups->groups_count : 0; /* parts are brought below */
        aggregate_count_spilled(op);
    }
    rc = aggregate_next_done(op, ret, err);
    if (rc != DN_EOF)
        return rc;
    do {
        while (st->emitted == st->groups->groups_count) {
            rc = aggregate_next_groups(op, err);
            if (rc != 0)
                return rc;
        }
        rc = aggregate_emit(op, ret, err);
    } while (rc == 0 && ret->sel_count == 0);
    return rc;
}

static int op_aggregate_explain(const struct plan_node *node,
                                struct exec_ctx *ctx DN_UNUSED,
                                struct buf *b,
                                struct dn_err *err)
{
    int rc;

    buf_puts(b, "Aggregate");
    for (uint32_t a = 0; a < node->aggs_count; a++) {
        buf_puts(b, a ? ", " : " ");
        rc = exec_explain_agg(node, &node->aggs[a], b, err);
        if (rc < 0)
            return rc;
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
                                        .state_size = sizeof(struct op_aggregate),
                                        .holds = true};
