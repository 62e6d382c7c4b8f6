/* SPDX-License-Identifier: Apache-2.0
 *
 * op_single.c: one row without columns, under a SELECT without FROM. */
#include "exec/exec_int.h"

struct op_single {
    bool done;
};

static int op_single_open(struct op *op DN_UNUSED, struct dn_err *err DN_UNUSED)
{
    return 0;
}

static int op_single_next(struct op *op, struct batch *ret, struct dn_err *err DN_UNUSED)
{
    struct op_single *st = op->state;

    if (st->done)
        return DN_EOF;
    st->done = true;
    *ret = (struct batch){.count = 1, .sel_count = 1};
    return 0;
}

static void op_single_close(struct op *op DN_UNUSED) {}

static int op_single_explain(const struct plan_node *node DN_UNUSED,
                             struct exec_ctx *ctx DN_UNUSED,
                             struct buf *b,
                             struct dn_err *err DN_UNUSED)
{
    buf_puts(b, "Single row");
    return 0;
}

const struct op_ops op_single_ops = {.name = "Single row",
                                     .open = op_single_open,
                                     .next = op_single_next,
                                     .close = op_single_close,
                                     .explain = op_single_explain,
                                     .state_size = sizeof(struct op_single)};
