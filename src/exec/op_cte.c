/* SPDX-License-Identifier: Apache-2.0
 *
 * op_cte.c: a reader of a CTE. The rows are kept by the run (run.h), so several readers go through
 * them each at its own pace, and the query is run once, and only as far as somebody reads. */
#include "exec/exec_int.h"
#include "exec/run.h"

struct op_cte {
    struct arena batch;
    struct exec_spool_cursor cursor;
    uint32_t at; /* rows read so far */
};

static struct exec_cte *cte_of(const struct op *op)
{
    DN_ASSERT(op->ctx->run && op->node->cte < op->ctx->run->ctes_count);
    return &op->ctx->run->ctes[op->node->cte];
}

static int op_cte_open(struct op *op, struct dn_err *err DN_UNUSED)
{
    struct op_cte *st = op->state;

    arena_init(&st->batch, &op->mem);
    return 0;
}

static int op_cte_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_cte *st = op->state;
    int rc;

    arena_reset(&st->batch);
    rc = exec_cte_read(cte_of(op), op->ctx->run, &st->cursor, st->at, &st->batch, ret, err);
    if (rc == 0)
        st->at += ret->count;
    op->spilled = cte_of(op)->rows.spilled;
    return rc;
}

static void op_cte_close(struct op *op)
{
    struct op_cte *st = op->state;

    exec_spool_cursor_close(&st->cursor);
    arena_done(&st->batch);
}

static int op_cte_explain(const struct plan_node *node,
                          struct exec_ctx *ctx DN_UNUSED,
                          struct buf *b,
                          struct dn_err *err DN_UNUSED)
{
    buf_puts(b, "CTE scan ");
    exec_explain_cols(node, b);
    return 0;
}

const struct op_ops op_cte_ops = {.name = "CTE scan",
                                  .open = op_cte_open,
                                  .next = op_cte_next,
                                  .close = op_cte_close,
                                  .explain = op_cte_explain,
                                  .state_size = sizeof(struct op_cte)};
