/* SPDX-License-Identifier: Apache-2.0
 *
 * op_limit.c: OFFSET skips rows, LIMIT ends them. The input is not asked for more than is needed.
 * WITH TIES goes on with rows that are equal to the last one in the first keys of the order. */
#include "exec/exec_int.h"
#include "exec/tie.h"

#include <inttypes.h>

struct op_limit {
    int64_t skip; /* rows still to skip */
    int64_t left; /* rows still to return */
    bool ties;    /* WITH TIES, and the limit is reached */
    struct exec_tie tie;
    uint16_t sel[VEC_ROWS_MAX];
};

static int op_limit_open(struct op *op, struct dn_err *err)
{
    struct op_limit *st = op->state;
    int rc;

    rc = exec_count_value(op->ctx, op->node->limit, "LIMIT", INT64_MAX, &st->left, err);
    if (rc < 0)
        return rc;
    rc = exec_count_value(op->ctx, op->node->offset, "OFFSET", 0, &st->skip, err);
    if (rc < 0)
        return rc;
    if (!op->node->ties && st->left < INT64_MAX - st->skip)
        op_scan_limit(op->input, (uint64_t)st->left + (uint64_t)st->skip);
    if (!op->node->ties)
        return 0;
    rc = exec_tie_init(&st->tie, op->node->ties, &op->mem, err);
    for (uint32_t i = 0; i < op->node->ties && rc == 0; i++)
        st->tie.cols[i] = op->node->keys[i].col;
    return rc;
}

/* Rows of a batch, from its selected row `first` on, that tie with the last one returned. */
static uint32_t limit_ties(struct op_limit *st, const struct batch *in, uint32_t first)
{
    uint32_t i = first;

    while (i < in->sel_count && exec_tie_same(&st->tie, in, in->sel ? in->sel[i] : i))
        i++;
    if (i < in->sel_count)
        st->ties = false;
    return i - first;
}

/* The limit is reached: only ties go on. */
static int limit_more_ties(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_limit *st = op->state;
    int rc = exec_pull(op->input, ret, err);
    uint32_t count = rc == 0 ? limit_ties(st, ret, 0) : 0;

    if (rc == 0 && count == 0)
        return DN_EOF;
    for (uint32_t i = 0; rc == 0 && i < count && !ret->sel; i++)
        st->sel[i] = (uint16_t)i;
    if (rc == 0) {
        ret->sel = ret->sel ? ret->sel : st->sel;
        ret->sel_count = count;
    }
    return rc;
}

static int op_limit_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_limit *st = op->state;
    struct batch in;
    uint32_t first;
    uint32_t count;
    int rc;

    if (st->left == 0)
        return st->ties ? limit_more_ties(op, ret, err) : DN_EOF;
    for (;;) {
        rc = exec_pull(op->input, &in, err);
        if (rc != 0)
            return rc;
        if (st->skip < (int64_t)in.sel_count)
            break;
        st->skip -= in.sel_count;
    }
    first = (uint32_t)st->skip;
    count = in.sel_count - first;
    if ((int64_t)count > st->left)
        count = (uint32_t)st->left;
    st->skip = 0;
    st->left -= count;
    if (st->left == 0 && op->node->ties) {
        uint32_t last = first + count - 1;

        rc = exec_tie_keep(&st->tie, &in, in.sel ? in.sel[last] : last, err);
        if (rc < 0)
            return rc;
        st->ties = true;
        count += limit_ties(st, &in, first + count);
    }
    if (count < in.sel_count) {
        for (uint32_t i = 0; i < count && !in.sel; i++)
            st->sel[i] = (uint16_t)(first + i);
        in.sel = in.sel ? in.sel + first : st->sel;
        in.sel_count = count;
    }
    *ret = in;
    return 0;
}

static void op_limit_close(struct op *op)
{
    struct op_limit *st = op->state;

    exec_tie_done(&st->tie);
}

static int op_limit_explain(const struct plan_node *node,
                            struct exec_ctx *ctx DN_UNUSED,
                            struct buf *b,
                            struct dn_err *err DN_UNUSED)
{
    buf_puts(b, "Limit");
    if (node->limit) {
        buf_puts(b, " ");
        expr_print(node->limit, NULL, b);
        buf_puts(b, node->ties ? " with ties" : "");
    }
    if (node->offset) {
        buf_puts(b, " offset ");
        expr_print(node->offset, NULL, b);
    }
    return 0;
}

const struct op_ops op_limit_ops = {.name = "Limit",
                                    .open = op_limit_open,
                                    .next = op_limit_next,
                                    .close = op_limit_close,
                                    .explain = op_limit_explain,
                                    .state_size = sizeof(struct op_limit)};
