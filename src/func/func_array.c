/* SPDX-License-Identifier: Apache-2.0
 *
 * func_array.c: making, joining and comparing arrays. Arrays are taken apart row by row
 * (vec/array.h). */
#include "func/func_array.h"
#include "func/func_int.h"

#include <inttypes.h>

int func_array_read(const struct func_ctx *ctx,
                    struct vstr s,
                    enum type_id type,
                    struct varray *ret,
                    struct dn_err *err)
{
    int rc = func_check_cancel(ctx, err);

    if (rc < 0)
        return rc;
    rc = varray_read(
        s, type_element(type), ctx->session ? ctx->session->cancel : NULL, ctx->arena, ret);
    if (rc < 0) {
        rc = func_check_cancel(ctx, err); /* that ends the reading, too */
        return rc < 0 ? rc : DN_FAIL_NOMEM(err);
    }
    DN_CHECK_DISK(rc == 0, err, "a value is no %s", type_name(type));
    return 0;
}

int func_array_bounds(const struct varray *a, struct dn_err *err)
{
    for (uint32_t d = 0; d < a->dims; d++)
        if (varray_high(a, d) >= INT32_MAX)
            return DN_FAIL(
                err, DN_E_ARRAY_LIMIT, "array lower bound is too large: %" PRId32, a->low[d]);
    return 0;
}

int func_array_write(const struct func_ctx *ctx,
                     const struct varray *a,
                     struct vstr *ret,
                     struct dn_err *err)
{
    struct buf b;
    void *bytes;
    int rc = func_array_bounds(a, err);

    if (rc < 0)
        return rc;
    if (a->count > VARRAY_ITEMS_MAX)
        return DN_FAIL(err, DN_E_TOO_LONG, "an array has more than %u elements", VARRAY_ITEMS_MAX);
    buf_init(&b, ctx->arena->owner);
    varray_write(a, ctx->session ? ctx->session->cancel : NULL, &b);
    bytes = b.failed ? NULL : arena_dup(ctx->arena, b.data, b.len);
    ret->len = (uint32_t)b.len;
    buf_done(&b);
    if (!bytes)
        return DN_FAIL_NOMEM(err);
    ret->ptr = bytes;
    return 0;
}

/* Row of an argument as an array; NULL is an empty one. */
static int array_arg(const struct func_ctx *ctx,
                     const struct vec *v,
                     uint32_t row,
                     struct varray *ret,
                     struct dn_err *err)
{
    if (vec_is_null(v, row)) {
        *ret = (struct varray){.elem = type_element(v->type)};
        return 0;
    }
    return func_array_read(ctx, vec_str(v, row), v->type, ret, err);
}

/* ---- making ---- */

/* ARRAY[…]: of values one dimension, of arrays of one shape one more. */
static int array_make(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t count,
                      uint32_t row,
                      struct vstr *ret,
                      struct dn_err *err)
{
    struct datum *items = arena_alloc_array(ctx->arena, count + 1, sizeof *items);
    struct varray a;

    if (!items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        items[i] = vec_datum(&args[i], row);
    a = varray_flat(args[0].type, items, count);
    return func_array_write(ctx, &a, ret, err);
}

static int array_fail_nested(struct dn_err *err)
{
    return DN_FAIL(err,
                   DN_E_BAD_SUBSCRIPT,
                   "multidimensional arrays must have array expressions with matching dimensions");
}

/* Empty arrays make an empty one. */
static int array_make_nested(const struct func_ctx *ctx,
                             const struct vec *args,
                             uint32_t count,
                             uint32_t row,
                             struct vstr *ret,
                             struct dn_err *err)
{
    struct varray first, next;
    struct varray a;
    int rc = array_arg(ctx, &args[0], row, &first, err);

    if (rc < 0)
        return rc;
    a = first;
    a.items = arena_alloc_array(ctx->arena, (size_t)first.count * count + 1, sizeof *a.items);
    if (!a.items)
        return DN_FAIL_NOMEM(err);
    a.count = 0;
    if (first.dims == VARRAY_DIMS_MAX)
        return DN_FAIL(err,
                       DN_E_ARRAY_LIMIT,
                       "number of array dimensions (%d) exceeds the maximum allowed (%d)",
                       VARRAY_DIMS_MAX + 1,
                       VARRAY_DIMS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        rc = array_arg(ctx, &args[i], row, &next, err);
        if (rc < 0)
            return rc;
        if (next.dims != first.dims || next.count != first.count ||
            memcmp(next.len, first.len, sizeof first.len) != 0 ||
            memcmp(next.low, first.low, sizeof first.low) != 0)
            return array_fail_nested(err);
        if (next.count)
            memcpy(a.items + a.count, next.items, next.count * sizeof *a.items);
        a.count += next.count;
    }
    if (a.count == 0)
        return func_array_write(ctx, &first, ret, err);
    for (uint32_t d = first.dims; d > 0; d--) {
        a.len[d] = a.len[d - 1];
        a.low[d] = a.low[d - 1];
    }
    a.len[0] = (int32_t)count;
    a.low[0] = 1;
    a.dims = first.dims + 1;
    return func_array_write(ctx, &a, ret, err);
}

static int func_array_make(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t args_count,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int rc = 0;

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        to[i] = (struct vstr){"", 0};
        if (vec_is_null(ret, i))
            continue;
        rc = type_is_array(args[0].type) ? array_make_nested(ctx, args, args_count, i, &to[i], err)
                                         : array_make(ctx, args, args_count, i, &to[i], err);
    }
    return rc;
}

/* ---- joining ---- */

/* One more item in front or at the end of an array of at most one dimension. */
static int array_add(const struct func_ctx *ctx,
                     const struct vec *array,
                     const struct vec *item,
                     uint32_t row,
                     bool front,
                     struct vstr *ret,
                     struct dn_err *err)
{
    struct varray a;
    struct datum *items;
    int rc = array_arg(ctx, array, row, &a, err);

    if (rc < 0)
        return rc;
    if (a.dims > 1)
        return DN_FAIL(err, DN_E_DATA_EXCEPTION, "argument must be empty or one-dimensional array");
    items = arena_alloc_array(ctx->arena, (size_t)a.count + 1, sizeof *items);
    if (!items)
        return DN_FAIL_NOMEM(err);
    if (a.count)
        memcpy(items + front, a.items, a.count * sizeof *items);
    items[front ? 0 : a.count] = vec_datum(item, row);
    a.items = items;
    a.low[0] = a.count ? a.low[0] : 1;
    a.len[0] = (int32_t)++a.count;
    a.dims = 1;
    return func_array_write(ctx, &a, ret, err);
}

static int array_join(const struct func_ctx *ctx,
                      const struct varray *x,
                      const struct varray *y,
                      struct vstr *ret,
                      struct dn_err *err)
{
    struct varray a = *x;
    uint32_t whole = x->dims > y->dims ? x->dims : y->dims;
    /* The dimension that grows is the first; an array of one less counts as one item of it. */
    const int32_t *inner_x = x->len + (x->dims == whole);
    const int32_t *inner_y = y->len + (y->dims == whole);
    size_t inner = (whole - 1) * sizeof *inner_x;

    if (x->count == 0 || y->count == 0)
        return func_array_write(ctx, x->count == 0 ? y : x, ret, err);
    if (x->dims + 1 < whole || y->dims + 1 < whole || memcmp(inner_x, inner_y, inner) != 0)
        return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "cannot concatenate incompatible arrays");
    if (x->dims < whole)
        a = *y;
    a.len[0] = (x->dims == whole ? x->len[0] : 1) + (y->dims == whole ? y->len[0] : 1);
    a.items = arena_alloc_array(ctx->arena, (size_t)x->count + y->count, sizeof *a.items);
    if (!a.items)
        return DN_FAIL_NOMEM(err);
    memcpy(a.items, x->items, x->count * sizeof *a.items);
    memcpy(a.items + x->count, y->items, y->count * sizeof *a.items);
    a.count = x->count + y->count;
    return func_array_write(ctx, &a, ret, err);
}

static int array_cat(const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t row,
                     struct vstr *ret,
                     struct dn_err *err)
{
    struct varray x, y;
    int rc = array_arg(ctx, &args[0], row, &x, err);

    if (rc == 0)
        rc = array_arg(ctx, &args[1], row, &y, err);
    return rc < 0 ? rc : array_join(ctx, &x, &y, ret, err);
}

/* Not strict, so that NULL may be an item; two NULLs are NULL. */
#define ARRAY_OPEN(fn, call, none)                                                          \
    static int fn(const struct func_ctx *ctx,                                               \
                  const struct vec *args,                                                   \
                  uint32_t args_count DN_UNUSED,                                            \
                  uint32_t count,                                                           \
                  struct vec *ret,                                                          \
                  struct dn_err *err)                                                       \
    {                                                                                       \
        struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);                 \
        uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls); \
        int rc = 0;                                                                         \
                                                                                            \
        if (!to)                                                                            \
            return DN_E_NOMEM;                                                              \
        if (!nulls)                                                                         \
            return DN_FAIL_NOMEM(err);                                                      \
        for (uint32_t i = 0; i < count && rc == 0; i++) {                                   \
            to[i] = (struct vstr){"", 0};                                                   \
            if (vec_is_null(ret, i) || (none))                                              \
                vec_bit_set(nulls, i);                                                      \
            else                                                                            \
                rc = (call);                                                                \
        }                                                                                   \
        ret->nulls = nulls;                                                                 \
        return rc;                                                                          \
    }

ARRAY_OPEN(func_array_append, array_add(ctx, &args[0], &args[1], i, false, &to[i], err), false)
ARRAY_OPEN(func_array_prepend, array_add(ctx, &args[1], &args[0], i, true, &to[i], err), false)
ARRAY_OPEN(func_array_cat,
           array_cat(ctx, args, i, &to[i], err),
           vec_is_null(&args[0], i) && vec_is_null(&args[1], i))

/* ---- comparing ---- */

static int array_order(const struct vec *args, uint32_t i)
{
    return varray_cmp(args[0].type, vec_str(&args[0], i), vec_str(&args[1], i));
}

FUNC_EACH(func_array_eq, int8_t, (to[i] = array_order(args, i) == 0, 0))
FUNC_EACH(func_array_ne, int8_t, (to[i] = array_order(args, i) != 0, 0))
FUNC_EACH(func_array_lt, int8_t, (to[i] = array_order(args, i) < 0, 0))
FUNC_EACH(func_array_le, int8_t, (to[i] = array_order(args, i) <= 0, 0))
FUNC_EACH(func_array_gt, int8_t, (to[i] = array_order(args, i) > 0, 0))
FUNC_EACH(func_array_ge, int8_t, (to[i] = array_order(args, i) >= 0, 0))

static bool array_has(const struct varray *a, const struct datum *d, uint32_t *ret_looked)
{
    uint32_t i = 0;

    while (i < a->count && (a->items[i].null || datum_cmp(&a->items[i], d) != 0))
        i++;
    *ret_looked = i + 1;
    return i < a->count;
}

/* Are all items of y (or, if any is set, is one of them) in x? NULL is in nothing. */
static int array_covers(const struct func_ctx *ctx,
                        const struct vec *x,
                        const struct vec *y,
                        uint32_t row,
                        bool any,
                        int8_t *ret,
                        struct dn_err *err)
{
    struct varray a, b;
    uint64_t steps = 0;
    int rc = array_arg(ctx, x, row, &a, err);

    if (rc == 0)
        rc = array_arg(ctx, y, row, &b, err);
    if (rc < 0)
        return rc;
    *ret = !any;
    for (uint32_t i = 0; rc == 0 && i < b.count && *ret == !any; i++) {
        uint32_t looked = 1;

        if ((!b.items[i].null && array_has(&a, &b.items[i], &looked)) == any)
            *ret = any;
        rc = func_count_steps(ctx, looked, &steps, err);
    }
    return rc;
}

FUNC_EACH(func_array_contains, int8_t, array_covers(ctx, &args[0], &args[1], i, false, &to[i], err))
FUNC_EACH(func_array_contained,
          int8_t,
          array_covers(ctx, &args[1], &args[0], i, false, &to[i], err))
FUNC_EACH(func_array_overlap, int8_t, array_covers(ctx, &args[0], &args[1], i, true, &to[i], err))

#define ARRAY_ROW(fname, a, b, r, bits, fn, text, sample)                                 \
    {                                                                                     \
        .name = fname, .args = {TYPE_##a, TYPE_##b}, .args_count = 2, .result = TYPE_##r, \
        .flags = bits, .kernel = fn, .doc = text, .example = sample                       \
    }
#define ARRAY_OP(op, fn, text, sample) \
    ARRAY_ROW(op, ANY_ARRAY, ANY_ARRAY, BOOLEAN, FUNC_STRICT | FUNC_OPERATOR, fn, text, sample)
static const struct func func_array_rows[] = {
    {.name = "array",
     .args = {TYPE_ANY_ELEMENT},
     .args_count = 1,
     .result = TYPE_ANY_ARRAY,
     .flags = FUNC_OPERATOR | FUNC_VARIADIC,
     .kernel = func_array_make,
     .doc = "An array of the values: ARRAY[a, b]."},
    {.name = "array",
     .args = {TYPE_ANY_ARRAY},
     .args_count = 1,
     .result = TYPE_ANY_ARRAY,
     .flags = FUNC_OPERATOR | FUNC_VARIADIC,
     .kernel = func_array_make,
     .doc = "An array of arrays of one shape: one with a dimension more."},
    ARRAY_OP("=", func_array_eq, "Equal, element by element.", NULL),
    ARRAY_OP("<>", func_array_ne, "Not equal; != is the same.", NULL),
    ARRAY_OP("<", func_array_lt, "Less at the first element that differs.", NULL),
    ARRAY_OP("<=", func_array_le, "Less or equal.", NULL),
    ARRAY_OP(">", func_array_gt, "Greater at the first element that differs.", NULL),
    ARRAY_OP(">=", func_array_ge, "Greater or equal.", NULL),
    ARRAY_OP("@>", func_array_contains, "Are all elements of the second in the first.", NULL),
    ARRAY_OP("<@", func_array_contained, "Are all elements of the first in the second.", NULL),
    ARRAY_OP("&&", func_array_overlap, "Have they an element in common.", NULL),
    ARRAY_ROW("||",
              ANY_ARRAY,
              ANY_ARRAY,
              ANY_ARRAY,
              FUNC_OPERATOR | FUNC_COMPATIBLE,
              func_array_cat,
              "One after the other.",
              NULL),
    ARRAY_ROW("||",
              ANY_ARRAY,
              ANY_ELEMENT,
              ANY_ARRAY,
              FUNC_OPERATOR | FUNC_COMPATIBLE,
              func_array_append,
              "With one more element at the end.",
              NULL),
    ARRAY_ROW("||",
              ANY_ELEMENT,
              ANY_ARRAY,
              ANY_ARRAY,
              FUNC_OPERATOR | FUNC_COMPATIBLE,
              func_array_prepend,
              "With one more element in front.",
              NULL),
    ARRAY_ROW("array_append",
              ANY_ARRAY,
              ANY_ELEMENT,
              ANY_ARRAY,
              FUNC_COMPATIBLE,
              func_array_append,
              "The array with one more element at the end.",
              NULL),
    ARRAY_ROW("array_prepend",
              ANY_ELEMENT,
              ANY_ARRAY,
              ANY_ARRAY,
              FUNC_COMPATIBLE,
              func_array_prepend,
              "The array with one more element in front.",
              NULL),
    ARRAY_ROW("array_cat",
              ANY_ARRAY,
              ANY_ARRAY,
              ANY_ARRAY,
              FUNC_COMPATIBLE,
              func_array_cat,
              "One array after the other.",
              NULL),
};

const struct func_table func_table_array = {func_array_rows, DN_ARRAY_SIZE(func_array_rows)};
