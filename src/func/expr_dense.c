/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_dense.c: a few selected rows, side by side. Kernels work on all rows of a batch; where a
 * filter has left few of them, the columns that an expression reads are gathered first, and it is
 * evaluated over these rows alone. Rows that are not selected are not computed at all then, so
 * nothing can raise that would not have raised before. Columns keep their form: of a DICT the codes
 * are gathered. */
#include "func/expr_int.h"

#include <string.h>

#define EXPR_DENSE_PART 4u /* one selected row in that many, or fewer */

/* Is there something to compute, and does the number of rows that are computed not matter? */
static bool expr_dense_good(const struct bexpr *e)
{
    if (e->kind == BEXPR_CALL && (e->func->flags & FUNC_VOLATILE))
        return false;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (!expr_dense_good(e->args[i]))
            return false;
    return true;
}

bool expr_is_thin(const struct bexpr *e, const struct eval *ev, const struct batch *in)
{
    return in->sel && in->sel_count && in->sel_count <= in->count / EXPR_DENSE_PART &&
           !ev->every_row && e->args_count && expr_dense_good(e);
}

/* The selected rows' bits; NULL when none of them is set. */
static int expr_dense_bits(struct arena *arena,
                           const uint64_t *bits,
                           const struct batch *in,
                           const uint64_t **ret,
                           struct dn_err *err)
{
    uint64_t *to;

    *ret = NULL;
    if (!bits)
        return 0;
    to = expr_bitmap(arena, in->sel_count);
    if (!to)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < in->sel_count; i++)
        to[i >> 6] |= (uint64_t)vec_bit(bits, in->sel[i]) << (i & 63);
    *ret = to;
    return 0;
}

static int expr_dense_vec(struct arena *arena,
                          const struct vec *v,
                          const struct batch *in,
                          struct vec *ret,
                          struct dn_err *err)
{
    struct vec out = *v;
    uint16_t *codes;
    int rc;

    out.count = in->sel_count;
    if (v->form == VEC_CONST) {
        *ret = out;
        return 0;
    }
    if (v->form == VEC_FLAT) {
        if (!vec_flatten(arena, v, in->sel, in->sel_count, ret))
            return DN_FAIL_NOMEM(err);
        return 0;
    }
    codes = arena_alloc_array(arena, in->sel_count, sizeof *codes);
    if (!codes)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < in->sel_count; i++)
        codes[i] = v->codes[in->sel[i]];
    out.codes = codes;
    out.absent = NULL;
    rc = expr_dense_bits(arena, v->nulls, in, &out.nulls, err);
    if (rc < 0)
        return rc;
    *ret = out;
    return 0;
}

/* Gathers the columns that e reads; those that are there already have a count. */
static int expr_dense_columns(const struct bexpr *e,
                              struct eval *ev,
                              const struct batch *in,
                              struct vec *cols,
                              struct dn_err *err)
{
    int rc;

    if (e->kind == BEXPR_COLUMN) {
        DN_ASSERT(e->col < in->cols_count);
        return cols[e->col].count
                   ? 0
                   : expr_dense_vec(ev->arena, &in->cols[e->col], in, &cols[e->col], err);
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        rc = expr_dense_columns(e->args[i], ev, in, cols, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int expr_dense(const struct bexpr *e,
               struct eval *ev,
               const struct batch *in,
               struct batch *ret,
               struct dn_err *err)
{
    struct batch out = {
        .count = in->sel_count, .sel_count = in->sel_count, .cols_count = in->cols_count};

    out.cols = arena_calloc(ev->arena, in->cols_count + 1, sizeof *out.cols);
    if (!out.cols)
        return DN_FAIL_NOMEM(err);
    *ret = out;
    return expr_dense_columns(e, ev, in, out.cols, err);
}

#define EXPR_SPREAD(T)                           \
    for (uint32_t i = 0; i < in->sel_count; i++) \
    ((T *)to)[in->sel[i]] = ((const T *)v->data)[i]

static void expr_spread_values(const struct vec *v, const struct batch *in, void *to)
{
    switch (phys_size(type_phys(v->type))) {
    case 1:
        EXPR_SPREAD(uint8_t);
        return;
    case 2:
        EXPR_SPREAD(uint16_t);
        return;
    case 4:
        EXPR_SPREAD(uint32_t);
        return;
    case 8:
        EXPR_SPREAD(uint64_t);
        return;
    case sizeof(struct vnumeric):
        EXPR_SPREAD(struct vnumeric);
        return;
    default: /* struct vstr and struct vinterval; a number, not an enum of ours */
        EXPR_SPREAD(struct vstr);
        return;
    }
}
#undef EXPR_SPREAD

/* Memory for the values of all rows. Values that stay unwritten may be read: they are zero or "".
 */
static void *expr_spread_room(struct arena *arena, const struct vec *v, uint32_t count)
{
    struct vstr *to = arena_calloc(arena, count, phys_size(type_phys(v->type)));

    for (uint32_t i = 0; to && type_is_string(v->type) && i < count; i++)
        to[i].ptr = "";
    return to;
}

int expr_spread(struct eval *ev,
                const struct batch *in,
                const struct vec *v,
                struct vec *ret,
                struct dn_err *err)
{
    struct vec out = {.type = v->type,
                      .form = v->form,
                      .count = in->count,
                      .dict_count = v->dict_count,
                      .data = v->data,
                      .nulls = v->nulls};
    uint16_t *codes;
    uint64_t *nulls;
    void *data;

    if (v->form == VEC_CONST) {
        *ret = out;
        return 0;
    }
    if (v->form == VEC_DICT) {
        codes = arena_calloc(ev->arena, in->count, sizeof *codes);
        if (!codes)
            return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; i < in->sel_count; i++)
            codes[in->sel[i]] = v->codes[i];
        out.codes = codes;
    } else {
        data = expr_spread_room(ev->arena, v, in->count);
        if (!data)
            return DN_FAIL_NOMEM(err);
        expr_spread_values(v, in, data);
        out.data = data;
    }
    if (v->nulls) {
        nulls = expr_bitmap(ev->arena, in->count);
        if (!nulls)
            return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; i < in->sel_count; i++)
            if (vec_bit(v->nulls, i))
                vec_bit_set(nulls, in->sel[i]);
        out.nulls = nulls;
    }
    *ret = out;
    return 0;
}
