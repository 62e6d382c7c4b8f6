/* SPDX-License-Identifier: Apache-2.0
 *
 * op_unique.c: the first row of each run of rows that are equal in the keys: DISTINCT ON over
 * sorted input. */
#include "exec/exec_int.h"
#include "exec/quota.h"
#include "exec/tie.h"

struct op_unique {
    struct exec_tie tie; /* remembers the last row of the batch before */
    uint16_t sel[VEC_ROWS_MAX];
};

static int op_unique_open(struct op *op, struct dn_err *err)
{
    struct op_unique *st = op->state;
    int rc = exec_tie_init(&st->tie, op->node->keys_count, &op->mem, err);

    for (uint32_t i = 0; i < op->node->keys_count && rc == 0; i++)
        st->tie.cols[i] = op->node->keys[i].col;
    return rc < 0 ? rc : exec_quota_tell(op, err);
}

static int op_unique_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_unique *st = op->state;
    struct batch in;
    uint32_t n = 0;
    uint32_t last = 0;
    int rc = exec_pull(op->input, &in, err);

    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < in.sel_count; i++) {
        uint32_t row = in.sel ? in.sel[i] : i;

        if (i == 0 ? !exec_tie_same(&st->tie, &in, row) : !exec_tie_rows(&st->tie, &in, last, row))
            st->sel[n++] = (uint16_t)row;
        last = row;
    }
    rc = exec_tie_keep(&st->tie, &in, last, err);
    *ret = in;
    ret->sel = st->sel;
    ret->sel_count = n;
    return rc;
}

static void op_unique_close(struct op *op)
{
    struct op_unique *st = op->state;

    exec_tie_done(&st->tie);
}

static int op_unique_explain(const struct plan_node *node,
                             struct exec_ctx *ctx,
                             struct buf *b,
                             struct dn_err *err DN_UNUSED)
{
    buf_puts(b, "First rows of each");
    for (uint32_t i = 0; i < node->keys_count; i++)
        buf_printf(b, "%s %s", i ? "," : "", node->input->cols[node->keys[i].col].name);
    exec_quota_explain(node, ctx, b);
    return 0;
}

const struct op_ops op_unique_ops = {.name = "Unique",
                                     .open = op_unique_open,
                                     .next = op_unique_next,
                                     .close = op_unique_close,
                                     .explain = op_unique_explain,
                                     .state_size = sizeof(struct op_unique)};
