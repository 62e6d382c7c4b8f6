/* SPDX-License-Identifier: Apache-2.0
 *
 * op_system.c: a relation of pg_catalog or information_schema: its rows are made when the first is
 * asked for, out of the catalog that the statement sees. */
#include "exec/exec_int.h"
#include "system/system.h"

struct op_system {
    struct arena strings;
    struct colbuf *cols; /* owned: of the node's columns */
    struct vec *vecs;    /* owned */
    uint32_t made;       /* cols that are there */
    uint32_t at;         /* rows returned so far */
    bool filled;
};

static int op_system_open(struct op *op, struct dn_err *err)
{
    struct op_system *st = op->state;

    arena_init(&st->strings, &op->mem);
    st->cols = mem_calloc(&op->mem, op->node->cols_count, sizeof *st->cols);
    st->vecs = mem_calloc(&op->mem, op->node->cols_count, sizeof *st->vecs);
    if (!st->cols || !st->vecs)
        return DN_FAIL_NOMEM(err);
    for (; st->made < op->node->cols_count; st->made++)
        colbuf_init(&st->cols[st->made], op->node->cols[st->made].type, &op->mem, &st->strings);
    return 0;
}

static int system_fill(struct op *op, struct dn_err *err)
{
    struct op_system *st = op->state;
    const struct plan_env *env = &op->ctx->env;
    struct sys_env sys = {.catalog = env->catalog,
                          .schema = env->schema,
                          .temp = env->temp,
                          .more = env->more,
                          .settings = env->settings,
                          .session = env->session,
                          .count = env->rows,
                          .count_arg = env->rows_arg};

    st->filled = true;
    return sys_rows(
        &sys, op->node->system, op->node->scan_cols, op->node->cols_count, st->cols, err);
}

static int op_system_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_system *st = op->state;
    uint32_t count;
    int rc = 0;

    if (!st->filled)
        rc = system_fill(op, err);
    if (rc < 0)
        return rc;
    count = st->cols[0].count - st->at;
    if (count == 0)
        return DN_EOF;
    if (count > VEC_ROWS_MAX)
        count = VEC_ROWS_MAX;
    for (uint32_t i = 0; i < op->node->cols_count; i++)
        st->vecs[i] = colbuf_vec(&st->cols[i], st->at, count);
    st->at += count;
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->vecs, .sel_count = count};
    return 0;
}

static void op_system_close(struct op *op)
{
    struct op_system *st = op->state;

    for (uint32_t i = 0; i < st->made; i++)
        colbuf_done(&st->cols[i]);
    mem_free(st->cols);
    mem_free(st->vecs);
    arena_done(&st->strings);
}

static int op_system_explain(const struct plan_node *node,
                             struct exec_ctx *ctx DN_UNUSED,
                             struct buf *b,
                             struct dn_err *err DN_UNUSED)
{
    buf_printf(
        b, "System %s.%s ", sys_relation_schema(node->system), sys_relation_name(node->system));
    exec_explain_cols(node, b);
    return 0;
}

const struct op_ops op_system_ops = {.name = "System",
                                     .open = op_system_open,
                                     .next = op_system_next,
                                     .close = op_system_close,
                                     .explain = op_system_explain,
                                     .state_size = sizeof(struct op_system)};
