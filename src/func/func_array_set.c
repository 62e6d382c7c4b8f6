/* SPDX-License-Identifier: Apache-2.0
 *
 * func_array_set.c: what UPDATE … SET a[i] = x makes of an array: an array of one dimension grows
 * to reach the place, and what lies between is NULL; others keep their shape. */
#include "func/func_array.h"

static int array_set_null(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_NULL_VALUE, "array subscript in assignment must not be null");
}

static int array_set_range(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "array subscript out of range");
}

/* Room for the subscripts low to high of an array of at most one dimension. */
static int array_stretch(
    const struct func_ctx *ctx, struct varray *a, int64_t low, int64_t high, struct dn_err *err)
{
    int64_t first = a->dims ? a->low[0] : low;
    int64_t last = a->dims ? first + a->len[0] - 1 : low - 1;
    int64_t from = low < first ? low : first;
    int64_t to = high > last ? high : last;
    struct datum *items;

    if (to - from + 1 > (int64_t)VARRAY_ITEMS_MAX)
        return DN_FAIL(
            err, DN_E_ARRAY_LIMIT, "array size exceeds the maximum allowed (%u)", VARRAY_ITEMS_MAX);
    items = arena_alloc_array(ctx->arena, (size_t)(to - from + 1), sizeof *items);
    if (!items)
        return DN_FAIL_NOMEM(err);
    for (int64_t i = from; i <= to; i++)
        items[i - from] = i >= first && i <= last
                              ? a->items[i - first]
                              : (struct datum){.type = a->elem, .null = true, .str = {"", 0}};
    a->items = items;
    a->dims = 1;
    a->low[0] = (int32_t)from;
    a->len[0] = (int32_t)(to - from + 1);
    a->count = (uint32_t)a->len[0];
    return 0;
}

/* The place of subscripts in args[2..]. */
static int array_set_place(const struct vec *args,
                           uint32_t count,
                           uint32_t row,
                           const struct varray *a,
                           uint64_t *ret,
                           struct dn_err *err)
{
    *ret = 0;
    if (count - 2 != a->dims)
        return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "wrong number of array subscripts");
    for (uint32_t d = 0; d < a->dims; d++) {
        int64_t i = vec_i64(&args[d + 2], row);

        if (i < a->low[d] || i >= (int64_t)a->low[d] + a->len[d])
            return array_set_range(err);
        *ret = *ret * (uint64_t)a->len[d] + (uint64_t)(i - a->low[d]);
    }
    return 0;
}

static int array_set_read(const struct func_ctx *ctx,
                          const struct vec *v,
                          uint32_t row,
                          struct varray *ret,
                          struct dn_err *err)
{
    *ret = (struct varray){.elem = type_element(v->type)};
    return vec_is_null(v, row) ? 0 : func_array_read(ctx, vec_str(v, row), v->type, ret, err);
}

/* An empty array becomes one of as many dimensions as there are subscripts, with one element. */
static void array_set_first(
    const struct vec *args, uint32_t count, uint32_t row, struct varray *a, struct datum *item)
{
    for (uint32_t d = 0; d < count - 2; d++) {
        a->len[d] = 1;
        a->low[d] = (int32_t)vec_i64(&args[d + 2], row);
    }
    a->dims = count - 2;
    a->count = 1;
    a->items = item;
}

/* array, value, subscripts */
static int array_set(const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t count,
                     uint32_t row,
                     struct vstr *ret,
                     struct dn_err *err)
{
    struct datum value = vec_datum(&args[1], row);
    struct varray a;
    uint64_t at = 0;
    int rc = array_set_read(ctx, &args[0], row, &a, err);

    for (uint32_t i = 2; rc == 0 && i < count; i++)
        if (vec_is_null(&args[i], row))
            rc = array_set_null(err);
    if (rc < 0)
        return rc;
    if (a.count == 0)
        array_set_first(args, count, row, &a, &value);
    if (a.dims == 1 && count == 3)
        rc = array_stretch(ctx, &a, vec_i64(&args[2], row), vec_i64(&args[2], row), err);
    if (rc == 0)
        rc = array_set_place(args, count, row, &a, &at, err);
    if (rc < 0)
        return rc;
    a.items[at] = value;
    return func_array_write(ctx, &a, ret, err);
}

/* array, array of values, low, high; INT64_MIN and INT64_MAX: where the array begins or ends. */
static int array_set_slice(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t row,
                           struct vstr *ret,
                           struct dn_err *err)
{
    struct varray a, values;
    int64_t low, high;
    int rc = array_set_read(ctx, &args[0], row, &a, err);

    if (rc == 0)
        rc = array_set_read(ctx, &args[1], row, &values, err);
    if (rc < 0)
        return rc;
    if (vec_is_null(&args[2], row) || vec_is_null(&args[3], row))
        return array_set_null(err);
    if (vec_is_null(&args[1], row)) /* nothing to take values from: it stays */
        return func_array_write(ctx, &a, ret, err);
    if (a.dims > 1)
        return DN_FAIL(
            err, DN_E_UNSUPPORTED, "a slice of an array of several dimensions cannot be set");
    low = vec_i64(&args[2], row);
    high = vec_i64(&args[3], row);
    if (a.dims == 0 && (low == INT64_MIN || high == INT64_MAX)) {
        rc = DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "array slice subscript must provide both boundaries");
        dn_err_hint(err,
                    "When assigning to a slice of an empty array value, slice boundaries must be "
                    "fully specified.");
        return rc;
    }
    low = low == INT64_MIN ? a.low[0] : low;
    high = high == INT64_MAX ? (int64_t)a.low[0] + a.len[0] - 1 : high;
    if (low > high)
        return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "upper bound cannot be less than lower bound");
    if (high - low + 1 > (int64_t)values.count)
        return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "source array too small");
    rc = array_stretch(ctx, &a, low, high, err);
    if (rc < 0)
        return rc;
    memcpy(a.items + (low - a.low[0]), values.items, (size_t)(high - low + 1) * sizeof *a.items);
    return func_array_write(ctx, &a, ret, err);
}

#define ARRAY_SET(fn, call)                                                 \
    static int fn(const struct func_ctx *ctx,                               \
                  const struct vec *args,                                   \
                  uint32_t args_count DN_UNUSED,                            \
                  uint32_t count,                                           \
                  struct vec *ret,                                          \
                  struct dn_err *err)                                       \
    {                                                                       \
        struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err); \
        int rc = 0;                                                         \
                                                                            \
        if (!to)                                                            \
            return DN_E_NOMEM;                                              \
        for (uint32_t i = 0; i < count && rc == 0; i++) {                   \
            to[i] = (struct vstr){"", 0};                                   \
            if (!vec_is_null(ret, i))                                       \
                rc = (call);                                                \
        }                                                                   \
        return rc;                                                          \
    }
ARRAY_SET(func_array_set, array_set(ctx, args, args_count, i, &to[i], err))
ARRAY_SET(func_array_set_slice, array_set_slice(ctx, args, i, &to[i], err))

static const struct func func_array_set_rows[] = {
    {.name = "array_set",
     .args = {TYPE_ANY_ARRAY, TYPE_ANY_ELEMENT, TYPE_INTEGER},
     .args_count = 3,
     .result = TYPE_ANY_ARRAY,
     .flags = FUNC_VARIADIC,
     .kernel = func_array_set,
     .doc = "The array with another element at the subscripts: SET a[i] = x."},
    {.name = "array_set_slice",
     .args = {TYPE_ANY_ARRAY, TYPE_ANY_ARRAY, TYPE_BIGINT, TYPE_BIGINT},
     .args_count = 4,
     .result = TYPE_ANY_ARRAY,
     .kernel = func_array_set_slice,
     .doc = "The array with other elements from one subscript to another: SET a[i:j] = b."},
};

const struct func_table func_table_array_set = {func_array_set_rows,
                                                DN_ARRAY_SIZE(func_array_set_rows)};
