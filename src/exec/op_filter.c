/* SPDX-License-Identifier: Apache-2.0
 *
 * op_filter.c: rows where a condition is true. Nothing is copied: the input's vectors go on with a
 * narrower selection. A condition without columns is decided once. Right above a scan the condition
 * is handed down to it (source.h). */
#include "exec/exec_int.h"
#include "exec/quota.h"
#include "exec/slice.h"

enum op_filter_fixed { FILTER_OPEN, FILTER_ALL, FILTER_NONE };

struct op_filter {
    struct arena batch;
    struct arena run;
    struct eval ev;
    enum op_filter_fixed fixed; /* a constant condition passes all or nothing */
    bool pushed;                /* the scan below evaluates it */
    uint16_t sel[VEC_ROWS_MAX];
    struct exec_pace pace;
    struct exec_held held;
};

static int op_filter_open(struct op *op, struct dn_err *err)
{
    struct op_filter *st = op->state;
    struct datum d;
    int rc;

    exec_pace_init(&st->pace, &st->batch, &op->mem);
    exec_pace_add(&st->pace, op->node->filter, op->ctx->slice_bytes);
    arena_init(&st->run, &op->mem);
    st->ev = exec_eval(op, &st->batch, &st->run);
    if (op->twin) {
        st->fixed = ((const struct op_filter *)op->twin->state)->fixed;
        st->pushed = op_filter_pushed(op->twin);
        return 0;
    }
    if (!expr_is_const(op->node->filter, true)) {
        struct exec_source *source = exec_source_of(op->input);

        if (!source || exec_expr_volatile(op->node->filter))
            return exec_quota_tell(op, err);
        st->pushed = true;
        return exec_source_push(source, op->node->filter, err);
    }
    rc = expr_eval_datum(op->node->filter, &st->ev, &d, err);
    if (rc < 0)
        return rc;
    st->fixed = !d.null && d.v.i64 ? FILTER_ALL : FILTER_NONE;
    return 0;
}

bool op_filter_pushed(const struct op *op)
{
    return ((const struct op_filter *)op->state)->pushed;
}

static int op_filter_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_filter *st = op->state;
    struct batch in;
    uint32_t count = 0;
    int rc;

    if (st->fixed == FILTER_NONE)
        return DN_EOF;
    if (st->fixed == FILTER_ALL || st->pushed)
        return exec_pull(op->input, ret, err);
    do {
        exec_pace_begin(&st->pace, &st->batch);
        rc = exec_pull_paced(op->input, &st->pace, &st->held, &in, err);
        if (rc != 0)
            return rc;
        rc = expr_select(op->node->filter, &st->ev, &in, st->sel, &count, err);
        if (rc < 0)
            return rc;
        exec_pace_end(&st->pace, in.sel_count);
    } while (count == 0);
    if (count < in.sel_count) {
        in.sel = st->sel;
        in.sel_count = count;
    }
    *ret = in;
    return 0;
}

static void op_filter_close(struct op *op)
{
    struct op_filter *st = op->state;

    arena_done(&st->batch);
    arena_done(&st->run);
}

static int op_filter_explain(const struct plan_node *node,
                             struct exec_ctx *ctx,
                             struct buf *b,
                             struct dn_err *err)
{
    int rc;

    buf_puts(b, "Filter ");
    rc = exec_explain_exprs(node, &node->filter, 1, b, err);
    exec_quota_explain(node, ctx, b);
    return rc;
}

const struct op_ops op_filter_ops = {.name = "Filter",
                                     .open = op_filter_open,
                                     .next = op_filter_next,
                                     .close = op_filter_close,
                                     .explain = op_filter_explain,
                                     .state_size = sizeof(struct op_filter),
                                     .thins = true};
