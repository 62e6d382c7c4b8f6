/* SPDX-License-Identifier: Apache-2.0
 *
 * op_function.c: functions that return rows (func/rowfunc.h). Several stand side by side; those
 * that end early are filled with NULL. */
#include "exec/exec_int.h"
#include "func/rowfunc.h"

#include <string.h>

struct op_function {
    struct arena batch;
    struct arena run;
    struct eval ev;
    struct rowfunc_call *calls; /* in run */
    bool *done;                 /* in run: of each call */
    struct vec *cols;           /* in run */
    int64_t rows;               /* returned so far */
    bool started;
};

static int op_function_open(struct op *op, struct dn_err *err)
{
    struct op_function *st = op->state;
    const struct plan_function *f = op->node->func;

    arena_init(&st->batch, &op->mem);
    arena_init(&st->run, &op->mem);
    st->ev = exec_eval(op, &st->run, &st->run);
    st->calls = arena_calloc(&st->run, f->calls_count, sizeof *st->calls);
    st->done = arena_calloc(&st->run, f->calls_count, sizeof *st->done);
    st->cols = arena_calloc(&st->run, op->node->cols_count, sizeof *st->cols);
    return st->calls && st->done && st->cols ? 0 : DN_FAIL_NOMEM(err);
}

static void op_function_close(struct op *op)
{
    struct op_function *st = op->state;

    arena_done(&st->batch);
    arena_done(&st->run);
}

static int function_start(struct op *op, uint32_t i, struct dn_err *err)
{
    struct op_function *st = op->state;
    const struct plan_function_call *from = &op->node->func->calls[i];
    struct rowfunc_call *c = &st->calls[i];
    struct datum *args = arena_calloc(&st->run, from->args_count, sizeof *args);
    bool null = false;
    int rc = 0;

    *c = (struct rowfunc_call){.fn = from->fn,
                               .type = op->node->cols[i].type,
                               .state = arena_calloc(&st->run, 1, from->fn->state_size),
                               .args = args,
                               .args_count = from->args_count,
                               .run = &st->run,
                               .now_ns = op->ctx->env.now_ns,
                               .session = op->ctx->env.session,
                               .pos = from->args_count ? from->args[0]->pos : 0};
    if (!args || !c->state)
        return DN_FAIL_NOMEM(err);
    for (uint32_t a = 0; a < from->args_count && rc == 0; a++) {
        rc = expr_eval_datum(from->args[a], &st->ev, &args[a], err);
        null |= rc == 0 && args[a].null;
    }
    st->done[i] = null && (from->fn->flags & FUNC_STRICT);
    return rc < 0 || st->done[i] ? rc : from->fn->start(c, err);
}

/* A column of `count` rows, NULL behind the end of v. */
static int function_pad(struct op_function *st, struct vec *v, uint32_t count, struct dn_err *err)
{
    size_t size = phys_size(type_phys(v->type));
    char *data = arena_calloc(&st->batch, count, size);
    uint64_t *nulls = arena_calloc(&st->batch, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    if (v->count)
        memcpy(data, v->data, v->count * size);
    for (uint32_t i = 0; i < count; i++) {
        if (i >= v->count && type_phys(v->type) == PHYS_STR)
            ((struct vstr *)(void *)data)[i] = (struct vstr){"", 0};
        if (i >= v->count || vec_bit(v->nulls, i))
            vec_bit_set(nulls, i);
    }
    *v = (struct vec){
        .type = v->type, .form = VEC_FLAT, .count = count, .data = data, .nulls = nulls};
    return 0;
}

static int function_number(struct op *op, uint32_t count, struct vec *ret, struct dn_err *err)
{
    struct op_function *st = op->state;
    int64_t *data = arena_alloc_array(&st->batch, count, sizeof *data);

    if (!data)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        data[i] = ++st->rows;
    *ret = (struct vec){.type = TYPE_BIGINT, .form = VEC_FLAT, .count = count, .data = data};
    return 0;
}

/* The next rows of a call into its column, none when it is done. */
static int function_pull(struct op *op, uint32_t i, struct dn_err *err)
{
    struct op_function *st = op->state;
    int rc = DN_EOF;

    st->cols[i] = (struct vec){.type = op->node->cols[i].type, .form = VEC_FLAT};
    if (!st->done[i])
        rc = st->calls[i].fn->next(&st->calls[i], &st->batch, VEC_ROWS_MAX, &st->cols[i], err);
    if (rc < 0)
        return rc;
    if (rc == DN_EOF)
        st->cols[i].count = 0;
    st->done[i] = st->cols[i].count < VEC_ROWS_MAX;
    return 0;
}

static int op_function_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_function *st = op->state;
    const struct plan_function *f = op->node->func;
    uint32_t count = 0;
    int rc = 0;

    arena_reset(&st->batch);
    for (uint32_t i = 0; i < f->calls_count && !st->started && rc == 0; i++)
        rc = function_start(op, i, err);
    st->started = true;
    for (uint32_t i = 0; i < f->calls_count && rc == 0; i++) {
        rc = function_pull(op, i, err);
        if (st->cols[i].count > count)
            count = st->cols[i].count;
    }
    if (rc < 0)
        return rc;
    if (count == 0)
        return DN_EOF;
    for (uint32_t i = 0; i < f->calls_count && rc == 0; i++)
        if (st->cols[i].count < count)
            rc = function_pad(st, &st->cols[i], count, err);
    if (rc == 0 && f->ordinality)
        rc = function_number(op, count, &st->cols[f->calls_count], err);
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->cols, .sel_count = count};
    return rc;
}

static int op_function_explain(const struct plan_node *node,
                               struct exec_ctx *ctx DN_UNUSED,
                               struct buf *b,
                               struct dn_err *err DN_UNUSED)
{
    buf_puts(b, "Function ");
    for (uint32_t i = 0; i < node->func->calls_count; i++) {
        const struct plan_function_call *c = &node->func->calls[i];

        buf_printf(b, "%s%s(", i ? ", " : "", c->fn->name);
        for (uint32_t a = 0; a < c->args_count; a++) {
            buf_puts(b, a ? ", " : "");
            expr_print(c->args[a], NULL, b);
        }
        buf_puts(b, ")");
    }
    buf_puts(b, node->func->ordinality ? " with ordinality" : "");
    return 0;
}

const struct op_ops op_function_ops = {.name = "Function",
                                       .open = op_function_open,
                                       .next = op_function_next,
                                       .close = op_function_close,
                                       .explain = op_function_explain,
                                       .state_size = sizeof(struct op_function)};
