/* SPDX-License-Identifier: Apache-2.0
 *
 * op_window.c: WINDOW. Rows are gathered with the arguments of the calls until there are some
 * thousands and at least one partition is whole; a partition that does not fit in memory goes on in
 * scratch (spool.h). Then the rows go on batch by batch, in the order in which they came, with a
 * column for each call (window.h). Rows of the partition that is not whole yet start the next
 * round.
 *
 * Where the calls do not look far (window_reach.c) rows of the last partition go on before it is
 * whole: all but those that must see what comes. The next round starts with them and the rows
 * before them that are still looked at, and the partition goes on there. */
#include "exec/slice.h"
#include "exec/tie.h"
#include "exec/window.h"

#include <string.h>

#define WINDOW_ROUND_ROWS  4096u
#define WINDOW_ROUND_FIRST 64u /* rounds grow: who wants but a few rows does not wait for more */
#define WINDOW_PART_MAX    (UINT32_MAX - (1u << 28)) /* rows of a partition that goes on */

struct op_window {
    struct exec_window window;
    struct exec_spool rows[2];
    uint32_t now;          /* which of them is gathered; the other one goes out */
    struct exec_tie tie;   /* the partition of the last row */
    struct exec_tie order; /* its place in the order, where peers count and rows go on early */
    uint32_t group;        /* the first of its peers, or a row of a partition before */
    struct arena batch;
    struct exec_pace pace;
    struct exec_held held;
    struct eval ev;
    const struct bexpr **exprs; /* in run: columns of the rows behind those of the input */
    uint32_t exprs_count;
    struct vec *in;  /* in run: columns of the rows */
    struct vec *out; /* in run: of the result */
    uint32_t *parts; /* owned: where partitions of the gathered rows begin */
    uint32_t parts_count;
    uint32_t parts_cap;
    uint32_t base;     /* rows of the first partition that are not here any more */
    bool going;        /* it was begun in the round before */
    bool begun;        /* a partition is at hand: … */
    uint32_t part;     /* … this one, … */
    uint32_t part_end; /* … of which rows go out up to here */
    uint32_t round;    /* rows to gather, apart from those that went */
    uint32_t ready;    /* rows that can go out */
    uint32_t sent;     /* rows of them that went */
    bool going_out;    /* a round is */
    bool done;         /* the input has no more */
};

/* ---- columns that are computed beside those of the input ---- */

/* The column of an expression; a plain one is there already. */
static uint32_t window_col(struct op *op, const struct bexpr *e)
{
    struct op_window *st = op->state;

    if (!e)
        return EXEC_WINDOW_NO_COL;
    if (e->kind == BEXPR_COLUMN)
        return e->col;
    st->exprs[st->exprs_count++] = e;
    return op->node->input->cols_count + st->exprs_count - 1;
}

static struct bexpr *window_expr(struct op_window *st, struct bexpr e)
{
    return arena_dup(&st->window.run, &e, sizeof e);
}

/* f(a, b), or f(a) without b. */
static struct bexpr *
window_call_expr(struct op_window *st, const struct func *f, struct bexpr *a, struct bexpr *b)
{
    struct bexpr **args = arena_alloc_array(&st->window.run, 2, sizeof(struct bexpr *));

    if (!args || !a)
        return NULL;
    args[0] = a;
    args[1] = b;
    return window_expr(st,
                       (struct bexpr){.kind = BEXPR_CALL,
                                      .type = f->result,
                                      .pos = a->pos,
                                      .func = f,
                                      .args = args,
                                      .args_count = b ? 2 : 1});
}

static struct bexpr *window_cast(struct op_window *st, struct bexpr *e, enum type_id to)
{
    const struct func *f = !e || e->type == to ? NULL : func_cast(e->type, to, false);

    return f ? window_call_expr(st, f, e, NULL) : e;
}

/* RANGE over anything but integers: the order column plus or minus the offset. */
static int window_bound_col(struct op *op,
                            struct exec_window_bound *b,
                            const struct datum *offset,
                            bool forwards,
                            enum type_id *ret_type,
                            struct dn_err *err)
{
    struct op_window *st = op->state;
    const struct plan_sort_key *key = &op->node->window->order[0];
    enum type_id types[2] = {op->node->input->cols[key->col].type, offset->type};
    enum type_id casts[2];
    const struct func *f = func_find(forwards != key->desc ? "+" : "-", types, 2, casts, 0, err);
    struct bexpr *col =
        window_expr(st, (struct bexpr){.kind = BEXPR_COLUMN, .type = types[0], .col = key->col});
    struct bexpr *by = window_expr(
        st, (struct bexpr){.kind = BEXPR_CONST, .type = offset->type, .value = *offset});
    struct bexpr *e;

    if (!f)
        return DN_E_UNDEFINED_FUNCTION;
    e = window_call_expr(st, f, window_cast(st, col, casts[0]), window_cast(st, by, casts[1]));
    if (!e || !by)
        return DN_FAIL_NOMEM(err);
    b->col = window_col(op, e);
    *ret_type = f->result;
    return 0;
}

/* The offset of a bound: checked, and told forwards. */
static int window_bound(struct op *op,
                        struct exec_window_call *c,
                        bool start,
                        enum type_id *ret_type,
                        struct dn_err *err)
{
    struct op_window *st = op->state;
    const struct plan_frame *f = &c->call->frame;
    struct exec_window_bound *b = start ? &c->start : &c->end;
    enum plan_frame_bound kind = start ? f->start : f->end;
    const struct bexpr *e = start ? f->start_offset : f->end_offset;
    struct datum d;
    struct datum zero;
    int rc;

    b->col = EXEC_WINDOW_NO_COL;
    if (kind != PLAN_BOUND_PRECEDING && kind != PLAN_BOUND_FOLLOWING)
        return 0;
    rc = expr_eval_datum(e, &st->ev, &d, err);
    if (rc < 0)
        return rc;
    zero = (struct datum){.type = d.type};
    if (d.null || datum_cmp(&d, &zero) < 0 || exec_window_is_nan(&d)) {
        rc = DN_FAIL(err,
                     d.null ? DN_E_NULL_VALUE : DN_E_BAD_FRAME,
                     "frame %s offset must not be %s",
                     start ? "starting" : "ending",
                     d.null                   ? "null"
                     : exec_window_is_nan(&d) ? "NaN"
                                              : "negative");
        dn_err_at(err, e->pos);
        return rc;
    }
    if (f->mode == PLAN_FRAME_RANGE && !type_is_int(d.type))
        return window_bound_col(op, b, &d, kind == PLAN_BOUND_FOLLOWING, ret_type, err);
    b->offset = kind == PLAN_BOUND_PRECEDING ? -d.v.i64 : d.v.i64;
    return 0;
}

/* RANGE with an offset compares values of the order column as the bounds' type. */
static int window_frame(struct op *op, struct exec_window_call *c, struct dn_err *err)
{
    struct op_window *st = op->state;
    const struct plan_window *w = op->node->window;
    const struct plan_frame *f = &c->call->frame;
    enum type_id type = TYPE_NONE;
    struct bexpr *col;
    int rc = window_bound(op, c, true, &type, err);

    if (rc == 0)
        rc = window_bound(op, c, false, &type, err);
    if (rc < 0 || f->mode != PLAN_FRAME_RANGE || (!f->start_offset && !f->end_offset))
        return rc;
    DN_ASSERT(w->order_count == 1);
    c->value = w->order[0].col;
    if (type == TYPE_NONE || type == op->node->input->cols[c->value].type)
        return 0;
    col = window_expr(st,
                      (struct bexpr){.kind = BEXPR_COLUMN,
                                     .type = op->node->input->cols[c->value].type,
                                     .col = c->value});
    col = window_cast(st, col, type);
    if (!col)
        return DN_FAIL_NOMEM(err);
    c->value = window_col(op, col);
    return 0;
}

static int window_call(struct op *op, struct exec_window_call *c, struct dn_err *err)
{
    const struct plan_window_call *call = c->call;

    c->filter = window_col(op, call->filter);
    if (call->fn) {
        for (uint32_t i = 0; i < call->args_count; i++)
            c->args[i] = window_col(op, call->args[i]);
        c->args_count = call->args_count;
    } else if (call->agg.arg) {
        c->args[0] = window_col(op, call->agg.arg);
        c->args[1] = window_col(op, call->agg.arg2);
        c->args_count = call->agg.arg2 ? 2 : 1;
    }
    return window_frame(op, c, err);
}

/* ---- life ---- */

static int window_rows_init(struct op *op, struct dn_err *err)
{
    struct op_window *st = op->state;
    uint32_t cols = op->node->input->cols_count;
    enum type_id *types =
        arena_alloc_array(&st->window.run, (size_t)cols + st->exprs_count, sizeof *types);
    const struct exec_spool_options options = {.types = types,
                                               .cols_count = cols + st->exprs_count,
                                               .owner = &op->mem,
                                               .volume = op->ctx->volume,
                                               .cancel = op->ctx->cancel,
                                               .share = op->share};
    int rc = 0;

    if (!types)
        return DN_FAIL_NOMEM(err);
    for (uint32_t c = 0; c < cols + st->exprs_count; c++)
        types[c] = c < cols ? op->node->input->cols[c].type : st->exprs[c - cols]->type;
    for (uint32_t i = 0; i < 2 && rc == 0; i++)
        rc = exec_spool_init(&st->rows[i], &options, err);
    return rc < 0 ? rc : exec_window_open(&st->window, err);
}

static int op_window_open(struct op *op, struct dn_err *err)
{
    struct op_window *st = op->state;
    const struct plan_window *w = op->node->window;
    uint32_t cols = op->node->input->cols_count;
    size_t exprs = 7 * (size_t)w->calls_count; /* filter, three arguments, two bounds, value */
    int rc;

    exec_pace_init(&st->pace, &st->batch, &op->mem);
    arena_init(&st->window.run, &op->mem);
    st->ev = exec_eval(op, &st->batch, &st->window.run);
    st->window.plan = w;
    st->window.ctx = op->ctx;
    st->window.owner = &op->mem;
    st->window.calls = arena_calloc(&st->window.run, w->calls_count, sizeof *st->window.calls);
    st->exprs = arena_alloc_array(&st->window.run, exprs, sizeof(struct bexpr *));
    st->in = arena_calloc(&st->window.run, cols + exprs, sizeof *st->in);
    st->out = arena_calloc(&st->window.run, cols + exprs, sizeof *st->out);
    if (!st->window.calls || !st->exprs || !st->in || !st->out)
        return DN_FAIL_NOMEM(err);
    st->round = WINDOW_ROUND_FIRST;
    rc = exec_tie_init(&st->tie, w->partition_count, &op->mem, err);
    for (uint32_t i = 0; i < w->partition_count && rc == 0; i++)
        st->tie.cols[i] = w->partition[i];
    if (rc == 0)
        rc = exec_tie_init(&st->order, w->order_count, &op->mem, err);
    for (uint32_t i = 0; i < w->order_count && rc == 0; i++)
        st->order.cols[i] = w->order[i].col;
    for (uint32_t i = 0; i < w->calls_count && rc == 0; i++) {
        st->window.calls[i].call = &w->calls[i];
        rc = window_call(op, &st->window.calls[i], err);
    }
    for (uint32_t i = 0; i < st->exprs_count; i++)
        exec_pace_add(&st->pace, st->exprs[i], op->ctx->slice_bytes);
    return rc < 0 ? rc : window_rows_init(op, err);
}

static void op_window_close(struct op *op)
{
    struct op_window *st = op->state;

    exec_tie_done(&st->tie);
    exec_tie_done(&st->order);
    exec_window_close(&st->window);
    exec_spool_done(&st->rows[0]);
    exec_spool_done(&st->rows[1]);
    arena_done(&st->batch);
    arena_done(&st->window.run);
    mem_free(st->parts);
}

/* ---- gathering ---- */

static int window_part_begins(struct op *op, uint32_t row, struct dn_err *err)
{
    struct op_window *st = op->state;

    if (st->parts_count == st->parts_cap) {
        uint32_t cap = st->parts_cap ? st->parts_cap * 2 : 256;
        uint32_t *parts = mem_realloc(&op->mem, st->parts, cap * sizeof *parts);

        if (!parts)
            return DN_FAIL_NOMEM(err);
        st->parts = parts;
        st->parts_cap = cap;
    }
    st->parts[st->parts_count++] = row;
    return 0;
}

/* Where partitions begin in the batch, whose first row gets number `at`. */
static int window_find_parts(struct op *op, const struct batch *in, uint32_t at, struct dn_err *err)
{
    struct op_window *st = op->state;
    uint32_t last = in->sel ? in->sel[0] : 0;
    bool same = true; /* all rows of the batch */
    int rc = 0;

    if (st->tie.count == 0)
        return st->parts_count == 0 ? window_part_begins(op, 0, err) : 0;
    for (uint32_t i = 0; i < st->tie.count; i++)
        same = same && in->cols[st->tie.cols[i]].form == VEC_CONST;
    for (uint32_t i = 0; i < (same ? 1 : in->sel_count) && rc == 0; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        if (i == 0 ? !exec_tie_same(&st->tie, in, row) : !exec_tie_rows(&st->tie, in, last, row))
            rc = window_part_begins(op, at + i, err);
        last = row;
    }
    return rc < 0 ? rc : exec_tie_keep(&st->tie, in, last, err);
}

/* Where the peers of the last row begin. */
static int window_find_group(struct op *op, const struct batch *in, uint32_t at, struct dn_err *err)
{
    struct op_window *st = op->state;
    uint32_t i = in->sel_count - 1;
    uint32_t last = in->sel ? in->sel[i] : i;

    while (i > 0 && exec_tie_rows(&st->order, in, in->sel ? in->sel[i - 1] : i - 1, last))
        i--;
    if (i > 0 || !exec_tie_same(&st->order, in, last))
        st->group = at + i;
    return exec_tie_keep(&st->order, in, last, err);
}

static int window_gather(struct op *op, const struct batch *in, struct dn_err *err)
{
    struct op_window *st = op->state;
    uint32_t cols = op->node->input->cols_count;
    uint32_t at = st->rows[st->now].count;
    int rc = window_find_parts(op, in, at, err);

    if (rc == 0 && st->window.reach.streams && st->window.reach.peers)
        rc = window_find_group(op, in, at, err);
    for (uint32_t c = 0; c < cols; c++)
        st->in[c] = in->cols[c];
    for (uint32_t i = 0; i < st->exprs_count && rc == 0; i++)
        rc = expr_eval(st->exprs[i], &st->ev, in, &st->in[cols + i], err);
    if (rc == 0)
        rc = exec_spool_add(&st->rows[st->now], st->in, in->sel, in->sel_count, err);
    return rc;
}

/* ---- rounds ---- */

/* Where a partition ends, as far as it is known. */
static uint32_t window_part_end(const struct op_window *st, uint32_t part)
{
    return part + 1 < st->parts_count ? st->parts[part + 1] : st->rows[st->now].count;
}

/* Its place, see exec_window_part. */
static uint32_t window_part_first(const struct op_window *st, uint32_t part)
{
    return st->parts[part] - (part == 0 ? st->base : 0);
}

/* The first so many of the gathered rows can go out. */
static uint32_t window_ready(const struct op_window *st)
{
    const struct exec_window_reach *reach = &st->window.reach;
    uint32_t count = st->rows[st->now].count;
    uint32_t last = st->parts_count ? st->parts[st->parts_count - 1] : 0;
    uint32_t ready = count;

    if (st->done)
        return count;
    if (!reach->streams)
        return last;
    if (reach->peers)
        ready = st->group;
    if (ready > count - (reach->ahead < count ? reach->ahead : count))
        ready = count - (reach->ahead < count ? reach->ahead : count);
    return ready > last ? ready : last;
}

/* What is still looked at starts the next round: rows from `first` on. */
static int window_carry(struct op *op, uint32_t first, struct dn_err *err)
{
    struct op_window *st = op->state;
    struct exec_spool *from = &st->rows[st->now];
    struct exec_spool *to = &st->rows[1 - st->now];
    int rc = 0;

    for (uint32_t at = first, count; at < from->count && rc == 0; at += count) {
        arena_reset(&st->batch);
        rc = exec_spool_view(&st->window.now, at, VEC_ROWS_MAX, &st->batch, st->in, &count, err);
        if (rc == 0)
            rc = exec_spool_add(to, st->in, NULL, count, err);
    }
    return rc;
}

/* The round is over: the partition that is not whole is the first one of the next. */
static int window_turn(struct op *op, struct dn_err *err)
{
    struct op_window *st = op->state;
    uint32_t last = st->parts_count - 1;
    uint32_t first = window_part_first(st, last);
    uint32_t keep = 0; /* of the partition */
    uint32_t at;
    int rc;

    st->going = !st->done && st->begun && st->part == last;
    if (st->going)
        keep = exec_window_keep(&st->window, st->ready - first);
    if (st->going && last == 0 && keep < st->base)
        keep = st->base;
    if (keep > WINDOW_PART_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "a partition of a window has more than %u rows",
                       WINDOW_PART_MAX);
    at = st->done ? st->ready : first + keep;
    rc = window_carry(op, at, err);
    exec_window_leave(&st->window);
    exec_spool_reset(&st->rows[st->now]);
    st->now = 1 - st->now;
    st->ready = st->sent = st->ready - at;
    st->group -= st->group < at ? st->group : at;
    st->base = keep;
    st->parts[0] = 0;
    st->parts_count = 1;
    st->going_out = false;
    return rc;
}

/* All rows that are ready go out. */
static int window_round(struct op *op, struct dn_err *err)
{
    struct op_window *st = op->state;
    int rc = exec_window_begin(&st->window, &st->rows[st->now], err);

    st->ready = window_ready(st);
    st->going_out = true;
    st->part = 0;
    st->begun = st->going;
    if (st->begun) {
        uint32_t end = window_part_end(st, 0);

        st->part_end = end < st->ready ? end : st->ready;
        exec_window_go_on(&st->window, window_part_first(st, 0), end - window_part_first(st, 0));
    }
    st->round = st->round * 2 < WINDOW_ROUND_ROWS ? st->round * 2 : WINDOW_ROUND_ROWS;
    op->spilled = st->rows[0].spilled + st->rows[1].spilled;
    return rc;
}

/* Enough is gathered: some rows can go out, and more than had to be carried. */
static bool window_enough(const struct op *op)
{
    const struct op_window *st = op->state;
    uint32_t fresh = st->rows[st->now].count - st->sent;

    return window_ready(st) > st->sent && fresh >= st->sent &&
           (fresh - st->sent >= st->round || exec_over(op, mem_owner_used(&op->mem), 2));
}

static int window_fill(struct op *op, struct dn_err *err)
{
    struct op_window *st = op->state;
    struct batch in;
    int rc = st->going_out ? window_turn(op, err) : 0;

    if (rc < 0)
        return rc;
    while (!st->done && !window_enough(op)) {
        exec_pace_begin(&st->pace, &st->batch);
        rc = exec_pull_paced(op->input, &st->pace, &st->held, &in, err);
        if (rc == DN_EOF) {
            st->done = true;
            break;
        }
        if (rc == 0)
            rc = window_gather(op, &in, err);
        if (rc == 0)
            exec_pace_end(&st->pace, in.sel_count);
        if (rc < 0)
            return rc;
    }
    return st->rows[st->now].count > st->sent ? window_round(op, err) : DN_EOF;
}

/* ---- the result ---- */

/* The calls of the rows [st->sent, st->sent + count), which may be of several partitions. */
static int window_compute(struct op *op, uint32_t count, struct dn_err *err)
{
    struct op_window *st = op->state;
    uint32_t row = st->sent;
    uint32_t end = st->sent + count;
    int rc = 0;

    exec_window_batch(&st->window, row);
    while (row < end && rc == 0) {
        uint32_t stop;

        if (!st->begun || row == st->part_end) {
            uint32_t next = st->begun ? st->part + 1 : 0;
            uint32_t first = window_part_first(st, next);
            uint32_t last = window_part_end(st, next);

            st->part = next;
            st->part_end = last < st->ready ? last : st->ready;
            st->begun = true;
            rc = exec_window_part(&st->window, first, last - first, err);
        }
        stop = st->part_end < end ? st->part_end : end;
        if (rc == 0)
            rc = exec_window_run(&st->window, row, stop - row, err);
        row = stop;
    }
    return rc;
}

static int op_window_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_window *st = op->state;
    uint32_t cols = op->node->input->cols_count;
    uint32_t count;
    int rc = 0;

    if (st->sent == st->ready)
        rc = window_fill(op, err);
    if (rc != 0)
        return rc;
    arena_reset(&st->batch);
    rc = exec_spool_view(
        &st->window.now, st->sent, st->ready - st->sent, &st->batch, st->out, &count, err);
    if (rc == 0)
        rc = window_compute(op, count, err);
    if (rc < 0)
        return rc;
    if (st->parts[st->part] <= st->sent) /* all of one partition */
        for (uint32_t i = 0; i < st->tie.count; i++) {
            struct vec *v = &st->out[st->tie.cols[i]];
            struct vec first = *v;

            exec_pick_const(&first, 1, 0, count, v);
        }
    for (uint32_t i = 0; i < op->node->window->calls_count; i++) {
        const struct exec_window_call *c = &st->window.calls[i];

        st->out[cols + i] = (struct vec){.type = c->call->type,
                                         .form = VEC_FLAT,
                                         .count = count,
                                         .data = c->data,
                                         .nulls = c->nulls};
    }
    st->sent += count;
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->out, .sel_count = count};
    return 0;
}

const struct op_ops op_window_ops = {.name = "Window",
                                     .open = op_window_open,
                                     .next = op_window_next,
                                     .close = op_window_close,
                                     .explain = exec_window_explain,
                                     .state_size = sizeof(struct op_window),
                                     .holds = true};
