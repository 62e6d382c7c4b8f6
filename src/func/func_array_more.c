/* SPDX-License-Identifier: Apache-2.0
 *
 * func_array_more.c: what is asked of arrays: sizes, elements, slices, places; array_fill. */
#include "func/func_array.h"

#include <inttypes.h>

/* ---- sizes ---- */

enum array_measure { ARRAY_LENGTH, ARRAY_LOWER, ARRAY_UPPER };

static int array_measure(const struct varray *a, int64_t dim, enum array_measure what, int32_t *ret)
{
    if (dim < 1 || dim > (int64_t)a->dims)
        return 1;
    *ret = what == ARRAY_LENGTH  ? a->len[dim - 1]
           : what == ARRAY_LOWER ? a->low[dim - 1]
                                 : (int32_t)varray_high(a, (uint32_t)dim - 1);
    return 0;
}

static int
array_dims(const struct func_ctx *ctx, const struct varray *a, struct vstr *ret, struct dn_err *err)
{
    struct buf b;

    if (a->dims == 0)
        return 1;
    buf_init(&b, ctx->arena->owner);
    for (uint32_t d = 0; d < a->dims; d++)
        buf_printf(&b, "[%d:%" PRId64 "]", a->low[d], varray_high(a, d));
    return func_array_text(ctx, &b, ret, err);
}

FUNC_ARRAY_EACH(func_array_length,
                int32_t,
                array_measure(&a, vec_i64(&args[1], i), ARRAY_LENGTH, &to[i]))
FUNC_ARRAY_EACH(func_array_lower,
                int32_t,
                array_measure(&a, vec_i64(&args[1], i), ARRAY_LOWER, &to[i]))
FUNC_ARRAY_EACH(func_array_upper,
                int32_t,
                array_measure(&a, vec_i64(&args[1], i), ARRAY_UPPER, &to[i]))
FUNC_ARRAY_EACH(func_array_ndims, int32_t, a.dims ? (to[i] = (int32_t)a.dims, 0) : 1)
FUNC_ARRAY_EACH(func_cardinality, int32_t, (to[i] = (int32_t)a.count, 0))
FUNC_ARRAY_EACH(func_array_dims, struct vstr, array_dims(ctx, &a, &to[i], err))

/* ---- elements ---- */

/* The element at the subscripts in args[1..]; 1: there is none. */
static int
array_at(const struct vec *args, uint32_t count, uint32_t row, const struct varray *a, void *to)
{
    uint64_t at = 0;

    if (count - 1 != a->dims)
        return 1;
    for (uint32_t d = 0; d < a->dims; d++) {
        int64_t i;

        if (vec_is_null(&args[d + 1], row))
            return 1;
        i = vec_i64(&args[d + 1], row);
        if (i < a->low[d] || i >= (int64_t)a->low[d] + a->len[d])
            return 1;
        at = at * (uint64_t)a->len[d] + (uint64_t)(i - a->low[d]);
    }
    if (a->items[at].null)
        return 1;
    datum_store(&a->items[at], to, row);
    return 0;
}

static int func_array_subscript(const struct func_ctx *ctx,
                                const struct vec *args,
                                uint32_t args_count,
                                uint32_t count,
                                struct vec *ret,
                                struct dn_err *err)
{
    void *to = func_ret_alloc(ctx, ret, count, phys_size(type_phys(ret->type)), err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    struct datum none = {.type = ret->type, .null = true};

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct varray a;
        int rc = 1;

        datum_store(&none, to, i);
        if (!vec_is_null(ret, i) && !vec_is_null(&args[0], i)) {
            rc = func_array_read(ctx, vec_str(&args[0], i), args[0].type, &a, err);
            if (rc == 0)
                rc = array_at(args, args_count, i, &a, to);
        }
        if (rc < 0)
            return rc;
        if (rc == 1)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

/* Copies the items of a part: dimension d onward, `at` items of the whole passed over. */
static uint32_t array_copy_part(const struct varray *from,
                                const int32_t *first,
                                const struct varray *to,
                                uint32_t d,
                                uint64_t at,
                                struct datum *items)
{
    uint32_t n = 0;

    if (d == from->dims) {
        items[0] = from->items[at];
        return 1;
    }
    for (int32_t i = 0; i < to->len[d]; i++)
        n += array_copy_part(from,
                             first,
                             to,
                             d + 1,
                             at * (uint64_t)from->len[d] + (uint64_t)(first[d] + i),
                             items + n);
    return n;
}

/* a[low:high]…: bounds of the first dimensions, the others whole; INT64_MIN and INT64_MAX leave an
 * end open, NULL makes NULL. The result counts from 1. */
static int array_slice(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t count,
                       uint32_t row,
                       const struct varray *a,
                       struct vstr *ret,
                       struct dn_err *err)
{
    uint32_t given = (count - 1) / 2;
    struct varray part = {.elem = a->elem, .dims = a->dims, .count = 1};
    int32_t first[VARRAY_DIMS_MAX];

    for (uint32_t i = 1; i < count; i++)
        if (vec_is_null(&args[i], row))
            return 1;
    for (uint32_t d = 0; d < a->dims && part.count; d++) {
        int64_t low = a->low[d];
        int64_t high = low + a->len[d] - 1;

        if (d < given && vec_i64(&args[1 + 2 * d], row) > low)
            low = vec_i64(&args[1 + 2 * d], row);
        if (d < given && vec_i64(&args[2 + 2 * d], row) < high)
            high = vec_i64(&args[2 + 2 * d], row);
        first[d] = (int32_t)(low <= high ? low - a->low[d] : 0);
        part.len[d] = (int32_t)(low <= high ? high - low + 1 : 0);
        part.low[d] = 1;
        part.count *= (uint32_t)part.len[d];
    }
    if (given > a->dims || part.count == 0 || a->dims == 0) {
        part = (struct varray){.elem = a->elem};
        return func_array_write(ctx, &part, ret, err);
    }
    part.items = arena_alloc_array(ctx->arena, part.count, sizeof *part.items);
    if (!part.items)
        return DN_FAIL_NOMEM(err);
    DN_ASSERT(array_copy_part(a, first, &part, 0, 0, part.items) == part.count);
    return func_array_write(ctx, &part, ret, err);
}

/* Without the last n elements of the first dimension. */
static int array_trim(
    const struct func_ctx *ctx, int64_t n, struct varray *a, struct vstr *ret, struct dn_err *err)
{
    int32_t len = a->dims ? a->len[0] : 0;

    if (n < 0 || n > len)
        return DN_FAIL(
            err, DN_E_BAD_SUBSCRIPT, "number of elements to trim must be between 0 and %d", len);
    if (n == len)
        *a = (struct varray){.elem = a->elem};
    if (a->dims) {
        a->count = a->count / (uint32_t)len * (uint32_t)(len - n);
        a->len[0] = (int32_t)(len - n);
        for (uint32_t d = 0; d < a->dims; d++)
            a->low[d] = 1;
    }
    return func_array_write(ctx, a, ret, err);
}

FUNC_ARRAY_EACH(func_array_slice,
                struct vstr,
                array_slice(ctx, args, args_count, i, &a, &to[i], err))
FUNC_ARRAY_EACH(func_trim_array,
                struct vstr,
                vec_is_null(&args[1], i) ? 1
                                         : array_trim(ctx, vec_i64(&args[1], i), &a, &to[i], err))

/* ---- array_fill ---- */

/* The numbers of an array of one dimension at most. */
static int array_numbers(const struct func_ctx *ctx,
                         const struct vec *v,
                         uint32_t row,
                         const char *what,
                         struct varray *ret,
                         struct dn_err *err)
{
    int rc;

    if (vec_is_null(v, row))
        return DN_FAIL(err, DN_E_NULL_VALUE, "dimension array or low bound array cannot be null");
    rc = func_array_read(ctx, vec_str(v, row), v->type, ret, err);
    if (rc < 0)
        return rc;
    if (ret->dims > 1) {
        rc = DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "wrong number of array subscripts");
        dn_err_hint(err, "Dimension array must be one dimensional.");
        return rc;
    }
    for (uint32_t i = 0; i < ret->count; i++)
        if (ret->items[i].null)
            return DN_FAIL(err, DN_E_NULL_VALUE, "%s cannot be null", what);
    return 0;
}

static int array_fill_shape(const struct varray *lens,
                            const struct varray *lows,
                            struct varray *a,
                            struct dn_err *err)
{
    uint64_t items = 1;

    if (lens->count > VARRAY_DIMS_MAX)
        return DN_FAIL(err,
                       DN_E_ARRAY_LIMIT,
                       "number of array dimensions (%u) exceeds the maximum allowed (%d)",
                       lens->count,
                       VARRAY_DIMS_MAX);
    if (lows && lows->count != lens->count)
        return DN_FAIL(err, DN_E_BAD_SUBSCRIPT, "wrong number of array subscripts");
    for (uint32_t d = 0; d < lens->count; d++) {
        int64_t len = lens->items[d].v.i64;
        int64_t low = lows ? lows->items[d].v.i64 : 1;

        items *= (uint64_t)len;
        if (len < 0 || (uint64_t)len > VARRAY_ITEMS_MAX || items > VARRAY_ITEMS_MAX ||
            low + len > INT32_MAX)
            return DN_FAIL(err,
                           DN_E_ARRAY_LIMIT,
                           "array size exceeds the maximum allowed (%u)",
                           VARRAY_ITEMS_MAX);
        a->len[d] = (int32_t)len;
        a->low[d] = (int32_t)low;
    }
    a->dims = lens->count;
    a->count = lens->count ? (uint32_t)items : 0;
    return 0;
}

static int array_fill(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t count,
                      uint32_t row,
                      struct vstr *ret,
                      struct dn_err *err)
{
    struct varray a = {.elem = args[0].type};
    struct varray lens, lows;
    int rc = array_numbers(ctx, &args[1], row, "dimension values", &lens, err);

    if (rc == 0 && count > 2)
        rc = array_numbers(ctx, &args[2], row, "low bound values", &lows, err);
    if (rc == 0)
        rc = array_fill_shape(&lens, count > 2 ? &lows : NULL, &a, err);
    if (rc < 0)
        return rc;
    a.items = arena_alloc_array(ctx->arena, (size_t)a.count + 1, sizeof *a.items);
    if (!a.items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < a.count; i++)
        a.items[i] = vec_datum(&args[0], row);
    return func_array_write(ctx, &a, ret, err);
}

static int func_array_fill(const struct func_ctx *ctx,
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
        if (!vec_is_null(ret, i))
            rc = array_fill(ctx, args, args_count, i, &to[i], err);
    }
    return rc;
}

/* ---- places ---- */

static bool array_same(const struct datum *a, const struct datum *b)
{
    return a->null || b->null ? a->null && b->null : datum_cmp(a, b) == 0;
}

static int array_one_dim(const struct varray *a, const char *what, struct dn_err *err)
{
    if (a->dims <= 1)
        return 0;
    return DN_FAIL(err, DN_E_UNSUPPORTED, "%s multidimensional arrays is not supported", what);
}

static int array_position(const struct vec *args,
                          uint32_t count,
                          uint32_t row,
                          const struct varray *a,
                          int32_t *ret,
                          struct dn_err *err)
{
    struct datum want = vec_datum(&args[1], row);
    int64_t from = a->low[0];
    int rc;

    if (count > 2 && vec_is_null(&args[2], row))
        return DN_FAIL(err, DN_E_NULL_VALUE, "initial position must not be null");
    if (count > 2)
        from = vec_i64(&args[2], row);
    rc = array_one_dim(a, "searching for elements in", err);

    for (uint32_t i = 0; rc == 0 && i < a->count; i++)
        if (a->low[0] + (int64_t)i >= from && array_same(&a->items[i], &want)) {
            *ret = (int32_t)(a->low[0] + (int64_t)i);
            return 0;
        }
    return rc < 0 ? rc : 1;
}

static int array_positions(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t row,
                           const struct varray *a,
                           struct vstr *ret,
                           struct dn_err *err)
{
    struct datum want = vec_datum(&args[1], row);
    struct datum *items = arena_alloc_array(ctx->arena, (size_t)a->count + 1, sizeof *items);
    struct varray found;
    uint32_t n = 0;
    int rc = array_one_dim(a, "searching for elements in", err);

    if (rc < 0)
        return rc;
    if (!items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < a->count; i++)
        if (array_same(&a->items[i], &want))
            items[n++] = (struct datum){.type = TYPE_INTEGER, .v = {.i64 = a->low[0] + (int64_t)i}};
    found = varray_flat(TYPE_INTEGER, items, n);
    return func_array_write(ctx, &found, ret, err);
}

/* Without the items that are args[1], or with args[2] in their place. */
static int array_replace(const struct func_ctx *ctx,
                         const struct vec *args,
                         uint32_t count,
                         uint32_t row,
                         struct varray *a,
                         struct vstr *ret,
                         struct dn_err *err)
{
    struct datum want = vec_datum(&args[1], row);
    uint32_t n = 0;
    int rc = count == 2 ? array_one_dim(a, "removing elements from", err) : 0;

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!array_same(&a->items[i], &want))
            a->items[n++] = a->items[i];
        else if (count == 3)
            a->items[n++] = vec_datum(&args[2], row);
    }
    if (count == 2) {
        a->count = n;
        a->len[0] = (int32_t)n;
        a->dims = n > 0;
    }
    return func_array_write(ctx, a, ret, err);
}

FUNC_ARRAY_EACH(func_array_position, int32_t, array_position(args, args_count, i, &a, &to[i], err))
FUNC_ARRAY_EACH(func_array_positions, struct vstr, array_positions(ctx, args, i, &a, &to[i], err))
FUNC_ARRAY_EACH(func_array_replace,
                struct vstr,
                array_replace(ctx, args, args_count, i, &a, &to[i], err))

#define MORE_ROW(fname, n, r, fn, text, ...)                                \
    {                                                                       \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = r, \
        .flags = FUNC_COMPATIBLE, .kernel = fn, .doc = text                 \
    }
#define INTEGER_ARRAY ((enum type_id)(TYPE_INTEGER | TYPE_ARRAY))

static const struct func func_array_more_rows[] = {
    MORE_ROW("array_length",
             2,
             TYPE_INTEGER,
             func_array_length,
             "The length of a dimension.",
             TYPE_ANY_ARRAY,
             TYPE_INTEGER),
    MORE_ROW("array_lower",
             2,
             TYPE_INTEGER,
             func_array_lower,
             "The first subscript of a dimension.",
             TYPE_ANY_ARRAY,
             TYPE_INTEGER),
    MORE_ROW("array_upper",
             2,
             TYPE_INTEGER,
             func_array_upper,
             "The last subscript of a dimension.",
             TYPE_ANY_ARRAY,
             TYPE_INTEGER),
    MORE_ROW("array_ndims",
             1,
             TYPE_INTEGER,
             func_array_ndims,
             "How many dimensions it has.",
             TYPE_ANY_ARRAY),
    MORE_ROW("array_dims",
             1,
             TYPE_VARCHAR,
             func_array_dims,
             "Its dimensions as text: [1:3].",
             TYPE_ANY_ARRAY),
    MORE_ROW("cardinality",
             1,
             TYPE_INTEGER,
             func_cardinality,
             "How many elements it has.",
             TYPE_ANY_ARRAY),
    {.name = "array_subscript",
     .args = {TYPE_ANY_ARRAY, TYPE_INTEGER},
     .args_count = 2,
     .result = TYPE_ANY_ELEMENT,
     .flags = FUNC_VARIADIC,
     .kernel = func_array_subscript,
     .doc = "The element at the subscripts, one for each dimension: a[i]; NULL if there is none."},
    {.name = "array_slice",
     .args = {TYPE_ANY_ARRAY, TYPE_BIGINT},
     .args_count = 2,
     .result = TYPE_ANY_ARRAY,
     .flags = FUNC_VARIADIC,
     .kernel = func_array_slice,
     .doc = "The elements from one subscript to another: a[i:j], for each dimension."},
    MORE_ROW("trim_array",
             2,
             TYPE_ANY_ARRAY,
             func_trim_array,
             "The array without so many elements at its end.",
             TYPE_ANY_ARRAY,
             TYPE_INTEGER),
    MORE_ROW("array_fill",
             2,
             TYPE_ANY_ARRAY,
             func_array_fill,
             "An array of the value, as long in each dimension as the second argument says.",
             TYPE_ANY_ELEMENT,
             INTEGER_ARRAY),
    MORE_ROW("array_fill",
             3,
             TYPE_ANY_ARRAY,
             func_array_fill,
             "The same with lower bounds.",
             TYPE_ANY_ELEMENT,
             INTEGER_ARRAY,
             INTEGER_ARRAY),
    MORE_ROW("array_position",
             2,
             TYPE_INTEGER,
             func_array_position,
             "The subscript of the first element that is the value; NULL if there is none.",
             TYPE_ANY_ARRAY,
             TYPE_ANY_ELEMENT),
    MORE_ROW("array_position",
             3,
             TYPE_INTEGER,
             func_array_position,
             "The same from a subscript on.",
             TYPE_ANY_ARRAY,
             TYPE_ANY_ELEMENT,
             TYPE_INTEGER),
    MORE_ROW("array_positions",
             2,
             INTEGER_ARRAY,
             func_array_positions,
             "The subscripts of all elements that are the value.",
             TYPE_ANY_ARRAY,
             TYPE_ANY_ELEMENT),
    MORE_ROW("array_remove",
             2,
             TYPE_ANY_ARRAY,
             func_array_replace,
             "The array without the elements that are the value.",
             TYPE_ANY_ARRAY,
             TYPE_ANY_ELEMENT),
    MORE_ROW("array_replace",
             3,
             TYPE_ANY_ARRAY,
             func_array_replace,
             "The array with another value in place of one.",
             TYPE_ANY_ARRAY,
             TYPE_ANY_ELEMENT,
             TYPE_ANY_ELEMENT),
};

const struct func_table func_table_array_more = {func_array_more_rows,
                                                 DN_ARRAY_SIZE(func_array_more_rows)};
