/* SPDX-License-Identifier: Apache-2.0
 *
 * op_recursive.c: WITH RECURSIVE. The rows of the left side are the first round. The right side is
 * run again and again; its WORK nodes read what the round before has found, until a round finds
 * nothing. With UNION only rows that no round has found before count (bag.h). Rows go on as they
 * are found, so a LIMIT above ends a recursion that would not end by itself; once the rows of all
 * rounds do not fit in memory, those of a UNION go on when their round is over. */
#include "exec/bag.h"
#include "exec/exec_int.h"
#include "exec/run.h"

struct op_recursive {
    struct exec_spool rows[2]; /* of the round before, and of this one */
    uint32_t now;              /* which of them is this round's */
    struct exec_bag seen;      /* UNION: all rows */
    struct arena run;
    bool base_done;
    bool round_done; /* the round is read; what the bag has held back is to come */
    bool done;
};

static int op_recursive_open(struct op *op, struct dn_err *err)
{
    struct op_recursive *st = op->state;
    const struct plan_node *node = op->node;
    struct exec_spool_options options = {.cols_count = node->cols_count,
                                         .owner = &op->mem,
                                         .volume = op->ctx->volume,
                                         .cancel = op->ctx->cancel,
                                         .share = op->share};
    int rc = 0;

    DN_ASSERT(op->ctx->run && node->cte < op->ctx->run->works_count);
    arena_init(&st->run, &op->mem);
    options.types = exec_types(node, &st->run);
    if (!options.types)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < 2 && rc == 0; i++)
        rc = exec_spool_init(&st->rows[i], &options, err);
    if (rc < 0 || node->all)
        return rc;
    st->seen.again = true;
    return exec_bag_init(&st->seen, op, options.types, node->cols_count, EXEC_BAG_NEW, err);
}

static void op_recursive_close(struct op *op)
{
    struct op_recursive *st = op->state;

    exec_close(op->right); /* it reads our rows */
    op->right = NULL;
    exec_spool_done(&st->rows[0]);
    exec_spool_done(&st->rows[1]);
    exec_bag_done(&st->seen);
    arena_done(&st->run);
}

/* The rows of the next batch of this round; DN_EOF: the round is over. */
static int recursive_pull(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_recursive *st = op->state;
    int rc;

    if (!st->base_done) {
        rc = exec_need_input(op, err);
        return rc < 0 ? rc : exec_pull(op->input, ret, err);
    }
    /* Another recursion of the same number may have run in between. */
    op->ctx->run->works[op->node->cte].spool = &st->rows[1 - st->now];
    rc = exec_need_right(op, err);
    return rc < 0 ? rc : exec_pull(op->right, ret, err);
}

/* The round is over: what it has found is what the next one reads. */
static void recursive_turn(struct op *op)
{
    struct op_recursive *st = op->state;

    if (!st->base_done) {
        st->base_done = true;
        exec_close(op->input);
        op->input = NULL;
    }
    exec_close(op->right);
    op->right = NULL;
    st->done = st->rows[st->now].count == 0;
    st->now = 1 - st->now;
    st->round_done = false;
    exec_spool_reset(&st->rows[st->now]);
}

static int op_recursive_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_recursive *st = op->state;
    int rc = 0;

    while (rc == 0 && !st->done) {
        rc = st->round_done ? DN_EOF : recursive_pull(op, ret, err);
        st->round_done = rc == DN_EOF;
        if (rc == 0 && !op->node->all)
            rc = exec_bag_take(&st->seen, ret, err);
        else if (rc == DN_EOF && !op->node->all)
            rc = exec_bag_rest(&st->seen, ret, err);
        if (rc == 0)
            rc = exec_spool_add(&st->rows[st->now], ret->cols, ret->sel, ret->sel_count, err);
        op->spilled = st->rows[0].spilled + st->rows[1].spilled + st->seen.spilled;
        if (rc != DN_EOF)
            return rc;
        recursive_turn(op);
        rc = exec_check_cancel(op->ctx, err);
    }
    return rc < 0 ? rc : DN_EOF;
}

static int op_recursive_explain(const struct plan_node *node,
                                struct exec_ctx *ctx DN_UNUSED,
                                struct buf *b,
                                struct dn_err *err DN_UNUSED)
{
    buf_puts(b, node->all ? "Recursive union all" : "Recursive union");
    return 0;
}

const struct op_ops op_recursive_ops = {.name = "Recursive union",
                                        .open = op_recursive_open,
                                        .next = op_recursive_next,
                                        .close = op_recursive_close,
                                        .explain = op_recursive_explain,
                                        .state_size = sizeof(struct op_recursive),
                                        .lazy = true,
                                        .holds = true};
