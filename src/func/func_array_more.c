/* SPDX-License-Identifier: Apache-2.0
 *
 * func_array_more.c: what is asked of arrays: sizes, elements, slices, places, texts. */
#include "func/func_array.h"
#include "func/func_int.h"
#include "func/text.h"

/* A kernel over an array in argument 0 that may give NULL: `call` is 1 then. */
#define ARRAY_EACH(fn, result_type, call)                                                   \
    static int fn(const struct func_ctx *ctx,                                               \
                  const struct vec *args,                                                   \
                  uint32_t args_count DN_UNUSED,                                            \
                  uint32_t count,                                                           \
                  struct vec *ret,                                                          \
                  struct dn_err *err)                                                       \
    {                                                                                       \
        result_type *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);                 \
        uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls); \
                                                                                            \
        if (!to)                                                                            \
            return DN_E_NOMEM;                                                              \
        if (!nulls)                                                                         \
            return DN_FAIL_NOMEM(err);                                                      \
        for (uint32_t i = 0; i < count; i++) {                                              \
            struct varray a;                                                                \
            int rc = 1;                                                                     \
                                                                                            \
            array_clear(&to[i], sizeof to[i]);                                              \
            if (!vec_is_null(ret, i) && !vec_is_null(&args[0], i)) {                        \
                rc = func_array_read(ctx, vec_str(&args[0], i), args[0].type, &a, err);     \
                if (rc == 0)                                                                \
                    rc = (call);                                                            \
            }                                                                               \
            if (rc < 0)                                                                     \
                return rc;                                                                  \
            if (rc == 1)                                                                    \
                vec_bit_set(nulls, i);                                                      \
        }                                                                                   \
        ret->nulls = nulls;                                                                 \
        return 0;                                                                           \
    }

static void array_clear(void *value, size_t size)
{
    struct vstr none = {"", 0};

    if (size == sizeof none)
        memcpy(value, &none, size);
    else
        memset(value, 0, size);
}

/* ---- sizes ---- */

enum array_measure { ARRAY_LENGTH, ARRAY_LOWER, ARRAY_UPPER };

static int array_measure(const struct varray *a, int64_t dim, enum array_measure what, int32_t *ret)
{
    if (dim < 1 || dim > (int64_t)a->dims)
        return 1;
    *ret = what == ARRAY_LENGTH  ? a->len[dim - 1]
           : what == ARRAY_LOWER ? a->low[dim - 1]
                                 : a->low[dim - 1] + a->len[dim - 1] - 1;
    return 0;
}

static int
array_text(const struct func_ctx *ctx, struct buf *b, struct vstr *ret, struct dn_err *err)
{
    ret->len = (uint32_t)b->len;
    ret->ptr = b->failed ? NULL : b->len ? arena_dup(ctx->arena, b->data, b->len) : "";
    buf_done(b);
    return ret->ptr ? 0 : DN_FAIL_NOMEM(err);
}

static int
array_dims(const struct func_ctx *ctx, const struct varray *a, struct vstr *ret, struct dn_err *err)
{
    struct buf b;

    if (a->dims == 0)
        return 1;
    buf_init(&b, ctx->arena->owner);
    for (uint32_t d = 0; d < a->dims; d++)
        buf_printf(&b, "[%d:%d]", a->low[d], a->low[d] + a->len[d] - 1);
    return array_text(ctx, &b, ret, err);
}

ARRAY_EACH(func_array_length,
           int32_t,
           array_measure(&a, vec_i64(&args[1], i), ARRAY_LENGTH, &to[i]))
ARRAY_EACH(func_array_lower, int32_t, array_measure(&a, vec_i64(&args[1], i), ARRAY_LOWER, &to[i]))
ARRAY_EACH(func_array_upper, int32_t, array_measure(&a, vec_i64(&args[1], i), ARRAY_UPPER, &to[i]))
ARRAY_EACH(func_array_ndims, int32_t, a.dims ? (to[i] = (int32_t)a.dims, 0) : 1)
ARRAY_EACH(func_cardinality, int32_t, (to[i] = (int32_t)a.count, 0))
ARRAY_EACH(func_array_dims, struct vstr, array_dims(ctx, &a, &to[i], err))

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

/* a[low:high] of the first dimension; a NULL bound is left open. The result counts from 1. */
static int array_slice(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t row,
                       struct varray *a,
                       struct vstr *ret,
                       struct dn_err *err)
{
    int64_t first = a->dims ? a->low[0] : 1;
    int64_t last = a->dims ? first + a->len[0] - 1 : 0;
    int64_t low = vec_is_null(&args[1], row) ? first : vec_i64(&args[1], row);
    int64_t high = vec_is_null(&args[2], row) ? last : vec_i64(&args[2], row);
    uint32_t width;

    low = low < first ? first : low;
    high = high > last ? last : high;
    if (low > high) {
        *a = (struct varray){.elem = a->elem};
        return func_array_write(ctx, a, ret, err);
    }
    width = a->count / (uint32_t)a->len[0];
    a->items += (uint32_t)(low - first) * width;
    a->len[0] = (int32_t)(high - low + 1);
    a->count = (uint32_t)a->len[0] * width;
    for (uint32_t d = 0; d < a->dims; d++)
        a->low[d] = 1;
    return func_array_write(ctx, a, ret, err);
}

ARRAY_EACH(func_array_slice, struct vstr, array_slice(ctx, args, i, &a, &to[i], err))

/* ---- places ---- */

static bool array_same(const struct datum *a, const struct datum *b)
{
    return a->null || b->null ? a->null && b->null : datum_cmp(a, b) == 0;
}

static int array_one_dim(const struct varray *a, const char *what, struct dn_err *err)
{
    if (a->dims <= 1)
        return 0;
    return DN_FAIL(err, DN_E_UNSUPPORTED, "%s is not supported for multidimensional arrays", what);
}

static int array_position(const struct vec *args,
                          uint32_t count,
                          uint32_t row,
                          const struct varray *a,
                          int32_t *ret,
                          struct dn_err *err)
{
    struct datum want = vec_datum(&args[1], row);
    int64_t from = count > 2 && !vec_is_null(&args[2], row) ? vec_i64(&args[2], row) : a->low[0];
    int rc = array_one_dim(a, "searching for elements", err);

    for (uint32_t i = 0; rc == 0 && i < a->count; i++)
        if (a->low[0] + (int64_t)i >= from && array_same(&a->items[i], &want)) {
            *ret = a->low[0] + (int32_t)i;
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
    int rc = array_one_dim(a, "searching for elements", err);

    if (rc < 0)
        return rc;
    if (!items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < a->count; i++)
        if (array_same(&a->items[i], &want))
            items[n++] = (struct datum){.type = TYPE_INTEGER, .v = {.i64 = a->low[0] + (int32_t)i}};
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
    int rc = count == 2 ? array_one_dim(a, "removing elements", err) : 0;

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

ARRAY_EACH(func_array_position, int32_t, array_position(args, args_count, i, &a, &to[i], err))
ARRAY_EACH(func_array_positions, struct vstr, array_positions(ctx, args, i, &a, &to[i], err))
ARRAY_EACH(func_array_replace,
           struct vstr,
           array_replace(ctx, args, args_count, i, &a, &to[i], err))

/* ---- texts ---- */

/* Items with the separator between them; NULLs are passed over unless args[2] stands for them. */
static int array_to_string(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t count,
                           uint32_t row,
                           const struct varray *a,
                           struct vstr *ret,
                           struct dn_err *err)
{
    bool shows = count > 2 && !vec_is_null(&args[2], row);
    struct vstr separator, null = {"", 0};
    bool some = false;
    struct buf b;

    if (vec_is_null(&args[1], row))
        return 1;
    separator = vec_str(&args[1], row);
    if (shows)
        null = vec_str(&args[2], row);
    buf_init(&b, ctx->arena->owner);
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->items[i].null && !shows)
            continue;
        if (some)
            buf_append(&b, separator.ptr, separator.len);
        some = true;
        if (a->items[i].null)
            buf_append(&b, null.ptr, null.len);
        else if (a->elem == TYPE_BOOLEAN)
            buf_u8(&b, a->items[i].v.i64 ? 't' : 'f');
        else
            text_print(&a->items[i], &b);
    }
    return array_text(ctx, &b, ret, err);
}

ARRAY_EACH(func_array_to_string,
           struct vstr,
           array_to_string(ctx, args, args_count, i, &a, &to[i], err))

struct array_split {
    struct datum *items;
    uint32_t count;
    uint32_t cap;
    struct vstr null;
    bool has_null;
};

static int array_split_add(const struct func_ctx *ctx,
                           struct array_split *s,
                           struct vstr part,
                           struct dn_err *err)
{
    if (s->count == s->cap) {
        uint32_t more = s->cap ? s->cap * 2 : 16;
        struct datum *grown = arena_alloc_array(ctx->arena, more, sizeof *grown);

        if (!grown)
            return DN_FAIL_NOMEM(err);
        if (s->cap)
            memcpy(grown, s->items, s->cap * sizeof *grown);
        s->items = grown;
        s->cap = more;
    }
    s->items[s->count++] = (struct datum){
        .type = TYPE_VARCHAR, .null = s->has_null && vstr_cmp(part, s->null) == 0, .str = part};
    return 0;
}

/* A character of UTF-8 at s. */
static uint32_t array_char(struct vstr s)
{
    uint32_t n = 1;

    while (n < s.len && ((uint8_t)s.ptr[n] & 0xc0) == 0x80)
        n++;
    return n;
}

/* NULL as separator cuts between all characters, the empty text nowhere. */
static int array_split(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t count,
                       uint32_t row,
                       struct vstr *ret,
                       struct dn_err *err)
{
    struct array_split s = {.has_null = count > 2 && !vec_is_null(&args[2], row)};
    bool each = vec_is_null(&args[1], row);
    struct vstr separator = each ? (struct vstr){"", 0} : vec_str(&args[1], row);
    struct vstr rest = vec_str(&args[0], row);
    struct varray a;
    int rc = 0;

    if (s.has_null)
        s.null = vec_str(&args[2], row);
    while (rc == 0 && rest.len) {
        const char *at = each || !separator.len ? NULL : func_find_text(rest, separator);
        uint32_t n = each ? array_char(rest) : at ? (uint32_t)(at - rest.ptr) : rest.len;
        uint32_t skip = n + (at ? separator.len : 0);

        rc = array_split_add(ctx, &s, (struct vstr){rest.ptr, n}, err);
        rest = (struct vstr){rest.ptr + skip, rest.len - skip};
        if (rc == 0 && at && rest.len == 0) /* it ends with a separator */
            rc = array_split_add(ctx, &s, rest, err);
    }
    if (rc < 0)
        return rc;
    a = varray_flat(TYPE_VARCHAR, s.items, s.count);
    return func_array_write(ctx, &a, ret, err);
}

static int func_string_to_array(const struct func_ctx *ctx,
                                const struct vec *args,
                                uint32_t args_count,
                                uint32_t count,
                                struct vec *ret,
                                struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        int rc = 0;

        to[i] = (struct vstr){"", 0};
        if (vec_is_null(ret, i) || vec_is_null(&args[0], i))
            vec_bit_set(nulls, i);
        else
            rc = array_split(ctx, args, args_count, i, &to[i], err);
        if (rc < 0)
            return rc;
    }
    ret->nulls = nulls;
    return 0;
}

#define MORE_ROW(fname, n, r, fn, text, ...)                                              \
    {                                                                                     \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = r, .kernel = fn, \
        .doc = text                                                                       \
    }
#define VARCHAR_ARRAY ((enum type_id)(TYPE_VARCHAR | TYPE_ARRAY))
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
    MORE_ROW("array_slice",
             3,
             TYPE_ANY_ARRAY,
             func_array_slice,
             "The elements from one subscript to another: a[i:j]; NULL leaves an end open.",
             TYPE_ANY_ARRAY,
             TYPE_INTEGER,
             TYPE_INTEGER),
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
    MORE_ROW("array_to_string",
             2,
             TYPE_VARCHAR,
             func_array_to_string,
             "The elements that are not NULL as text, with a text between them.",
             TYPE_ANY_ARRAY,
             TYPE_VARCHAR),
    MORE_ROW("array_to_string",
             3,
             TYPE_VARCHAR,
             func_array_to_string,
             "The same with a text for NULL.",
             TYPE_ANY_ARRAY,
             TYPE_VARCHAR,
             TYPE_VARCHAR),
    MORE_ROW("string_to_array",
             2,
             VARCHAR_ARRAY,
             func_string_to_array,
             "The parts between the separators; NULL as separator gives the characters.",
             TYPE_VARCHAR,
             TYPE_VARCHAR),
    MORE_ROW("string_to_array",
             3,
             VARCHAR_ARRAY,
             func_string_to_array,
             "The same; parts that are the third text become NULL.",
             TYPE_VARCHAR,
             TYPE_VARCHAR,
             TYPE_VARCHAR),
};

const struct func_table func_table_array_more = {func_array_more_rows,
                                                 DN_ARRAY_SIZE(func_array_more_rows)};
