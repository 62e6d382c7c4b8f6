/* SPDX-License-Identifier: Apache-2.0
 *
 * op_work.c: the working table of a recursion: what its last round has found (op_recursive.c). */
#include "exec/exec_int.h"
#include "exec/run.h"

struct op_work {
    struct arena batch;
    struct vec *cols; /* owned */
    uint32_t at;      /* rows read so far */
    struct exec_spool_cursor cursor;
};

static int op_work_open(struct op *op, struct dn_err *err)
{
    struct op_work *st = op->state;

    DN_ASSERT(op->ctx->run && op->node->cte < op->ctx->run->works_count);
    arena_init(&st->batch, &op->mem);
    st->cols = mem_calloc(&op->mem, op->node->cols_count, sizeof *st->cols);
    return st->cols ? 0 : DN_FAIL_NOMEM(err);
}

/* Some rows from st->at on. */
static int work_view(struct op *op, uint32_t *ret_count, struct dn_err *err)
{
    struct op_work *st = op->state;
    const struct exec_work *work = &op->ctx->run->works[op->node->cte];
    uint32_t rows = work->spool ? work->spool->count : work->rows ? work->rows->count : 0;
    int rc = 0;

    if (!work->spool && !work->rows)
        return DN_FAIL(err, DN_E_INTERNAL, "a working table outside of its recursion");
    if (st->at == rows)
        return DN_EOF;
    if (!work->spool)
        return exec_rows_view(
            work->rows, st->at, VEC_ROWS_MAX, &st->batch, st->cols, ret_count, err);
    if (!st->cursor.spool)
        rc = exec_spool_cursor_open(&st->cursor, work->spool, err);
    DN_ASSERT(st->cursor.spool == work->spool);
    return rc < 0 ? rc
                  : exec_spool_view(
                        &st->cursor, st->at, VEC_ROWS_MAX, &st->batch, st->cols, ret_count, err);
}

static int op_work_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_work *st = op->state;
    uint32_t count;
    int rc;

    arena_reset(&st->batch);
    rc = work_view(op, &count, err);
    if (rc != 0)
        return rc;
    st->at += count;
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->cols, .sel_count = count};
    return 0;
}

static void op_work_close(struct op *op)
{
    struct op_work *st = op->state;

    exec_spool_cursor_close(&st->cursor);
    arena_done(&st->batch);
    mem_free(st->cols);
}

static int op_work_explain(const struct plan_node *node,
                           struct exec_ctx *ctx DN_UNUSED,
                           struct buf *b,
                           struct dn_err *err DN_UNUSED)
{
    buf_puts(b, "Rows of the last round ");
    exec_explain_cols(node, b);
    return 0;
}

const struct op_ops op_work_ops = {.name = "Working table",
                                   .open = op_work_open,
                                   .next = op_work_next,
                                   .close = op_work_close,
                                   .explain = op_work_explain,
                                   .state_size = sizeof(struct op_work)};
