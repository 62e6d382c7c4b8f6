/* SPDX-License-Identifier: Apache-2.0
 *
 * op_project.c: expressions over the input's columns. Plain columns are passed on, not copied. */
#include "exec/exec_int.h"
#include "exec/slice.h"

struct op_project {
    struct arena batch;
    struct arena run;
    struct eval ev;
    struct vec *cols; /* in run; one per expression */
    struct exec_pace pace;
    struct exec_held held;
};

static int op_project_open(struct op *op, struct dn_err *err)
{
    struct op_project *st = op->state;

    exec_pace_init(&st->pace, &st->batch, &op->mem);
    for (uint32_t i = 0; i < op->node->exprs_count; i++)
        exec_pace_add(&st->pace, op->node->exprs[i], op->ctx->slice_bytes);
    arena_init(&st->run, &op->mem);
    st->ev = exec_eval(op, &st->batch, &st->run);
    DN_ASSERT(op->node->exprs_count == op->node->cols_count);
    st->cols = arena_calloc(&st->run, op->node->exprs_count, sizeof *st->cols);
    return st->cols ? 0 : DN_FAIL_NOMEM(err);
}

static int op_project_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_project *st = op->state;
    struct batch in;
    int rc;

    exec_pace_begin(&st->pace, &st->batch);
    rc = exec_pull_paced(op->input, &st->pace, &st->held, &in, err);
    if (rc != 0)
        return rc;
    for (uint32_t i = 0; i < op->node->exprs_count; i++) {
        rc = expr_eval(op->node->exprs[i], &st->ev, &in, &st->cols[i], err);
        if (rc < 0)
            return rc;
    }
    exec_pace_end(&st->pace, in.sel_count);
    *ret = (struct batch){.count = in.count,
                          .cols_count = op->node->exprs_count,
                          .cols = st->cols,
                          .sel = in.sel,
                          .sel_count = in.sel_count};
    return 0;
}

static void op_project_close(struct op *op)
{
    struct op_project *st = op->state;

    arena_done(&st->batch);
    arena_done(&st->run);
}

static int op_project_explain(const struct plan_node *node,
                              struct exec_ctx *ctx DN_UNUSED,
                              struct buf *b,
                              struct dn_err *err)
{
    buf_puts(b, "Project ");
    return exec_explain_exprs(node, node->exprs, node->exprs_count, b, err);
}

const struct op_ops op_project_ops = {.name = "Project",
                                      .open = op_project_open,
                                      .next = op_project_next,
                                      .close = op_project_close,
                                      .explain = op_project_explain,
                                      .state_size = sizeof(struct op_project)};
