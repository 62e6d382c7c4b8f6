/* SPDX-License-Identifier: Apache-2.0
 *
 * op_values.c: VALUES: rows of expressions without columns, evaluated when their batch is asked
 * for. */
#include "exec/exec_int.h"

struct op_values {
    struct arena batch; /* values of a batch, and what they borrow */
    struct arena run;
    struct eval ev;
    struct vec *cols; /* in run */
    uint32_t at;      /* rows returned so far */
};

static int op_values_open(struct op *op, struct dn_err *err)
{
    struct op_values *st = op->state;

    arena_init(&st->batch, &op->mem);
    arena_init(&st->run, &op->mem);
    st->ev = exec_eval(op, &st->batch, &st->run);
    st->cols = arena_calloc(&st->run, op->node->cols_count, sizeof *st->cols);
    return st->cols ? 0 : DN_FAIL_NOMEM(err);
}

static int
values_column(struct op *op, uint32_t col, uint32_t count, struct vec *ret, struct dn_err *err)
{
    struct op_values *st = op->state;
    const struct plan_node *node = op->node;
    enum type_id type = node->cols[col].type;
    void *data = arena_alloc_array(&st->batch, count, phys_size(type_phys(type)));
    uint64_t *nulls = arena_calloc(&st->batch, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        const struct bexpr *e = node->values[(size_t)(st->at + i) * node->cols_count + col];
        struct datum d;
        int rc = expr_eval_datum(e, &st->ev, &d, err);

        if (rc < 0)
            return rc;
        d.type = type;
        datum_store(&d, data, i);
        if (d.null)
            vec_bit_set(nulls, i);
    }
    *ret =
        (struct vec){.type = type, .form = VEC_FLAT, .count = count, .data = data, .nulls = nulls};
    return 0;
}

static int op_values_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_values *st = op->state;
    uint32_t count = op->node->rows_count - st->at;

    arena_reset(&st->batch);
    if (count == 0)
        return DN_EOF;
    if (count > VEC_ROWS_MAX)
        count = VEC_ROWS_MAX;
    for (uint32_t c = 0; c < op->node->cols_count; c++) {
        int rc = values_column(op, c, count, &st->cols[c], err);

        if (rc < 0)
            return rc;
    }
    st->at += count;
    *ret = (struct batch){
        .count = count, .cols_count = op->node->cols_count, .cols = st->cols, .sel_count = count};
    return 0;
}

static void op_values_close(struct op *op)
{
    struct op_values *st = op->state;

    arena_done(&st->batch);
    arena_done(&st->run);
}

static int op_values_explain(const struct plan_node *node,
                             struct exec_ctx *ctx DN_UNUSED,
                             struct buf *b,
                             struct dn_err *err DN_UNUSED)
{
    buf_printf(b, "Values, %u row%s of ", node->rows_count, node->rows_count == 1 ? "" : "s");
    exec_explain_cols(node, b);
    return 0;
}

const struct op_ops op_values_ops = {.name = "Values",
                                     .open = op_values_open,
                                     .next = op_values_next,
                                     .close = op_values_close,
                                     .explain = op_values_explain,
                                     .state_size = sizeof(struct op_values)};
