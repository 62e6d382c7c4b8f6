/* SPDX-License-Identifier: Apache-2.0
 *
 * func_array_any.c: a op ANY (array), a op ALL (array). Comparisons go element by element; of
 * patterns the kernel of the operator is called with all elements at once. */
#include "func/func_array.h"
#include "func/func_int.h"

enum array_op { ARRAY_EQ, ARRAY_NE, ARRAY_LT, ARRAY_LE, ARRAY_GT, ARRAY_GE };

static bool array_holds(enum array_op op, int c)
{
    switch (op) {
    case ARRAY_EQ:
        return c == 0;
    case ARRAY_NE:
        return c != 0;
    case ARRAY_LT:
        return c < 0;
    case ARRAY_LE:
        return c <= 0;
    case ARRAY_GT:
        return c > 0;
    case ARRAY_GE:
        return c >= 0;
    }
    return false;
}

/* The array of a row, taken apart: one that is the same for all rows once. */
struct array_rows {
    struct varray a;
    struct vstr bytes; /* that `a` was made of; ptr NULL = none yet */
};

static int array_rows_read(const struct func_ctx *ctx,
                           struct array_rows *r,
                           const struct vec *v,
                           uint32_t row,
                           struct dn_err *err)
{
    struct vstr s = vec_str(v, row);
    int rc;

    if (r->bytes.ptr && r->bytes.ptr == s.ptr && r->bytes.len == s.len)
        return 0;
    rc = func_array_read(ctx, s, v->type, &r->a, err);
    if (rc == 0)
        r->bytes = s;
    return rc;
}

/* 1: NULL. */
static int
array_quantified(const struct varray *a, struct datum x, enum array_op op, bool all, int8_t *ret)
{
    bool unknown = false;

    *ret = all;
    for (uint32_t i = 0; i < a->count; i++) {
        if (x.null || a->items[i].null) {
            unknown = true;
        } else if (array_holds(op, datum_cmp(&x, &a->items[i])) != all) {
            *ret = !all;
            return 0;
        }
    }
    return unknown;
}

static int array_quantify(const struct func_ctx *ctx,
                          const struct vec *args,
                          enum array_op op,
                          bool all,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    struct array_rows arrays = {.bytes = {NULL, 0}};
    int rc = 0;

    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        to[i] = 0;
        rc = 1;
        if (!vec_is_null(ret, i) && !vec_is_null(&args[1], i)) {
            rc = array_rows_read(ctx, &arrays, &args[1], i, err);
            if (rc == 0)
                rc = array_quantified(&arrays.a, vec_datum(&args[0], i), op, all, &to[i]);
        }
        if (rc < 0)
            return rc;
        if (rc == 1)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

#define ARRAY_QUANTIFIED(fn, op, all)                               \
    static int fn(const struct func_ctx *ctx,                       \
                  const struct vec *args,                           \
                  uint32_t args_count DN_UNUSED,                    \
                  uint32_t count,                                   \
                  struct vec *ret,                                  \
                  struct dn_err *err)                               \
    {                                                               \
        return array_quantify(ctx, args, op, all, count, ret, err); \
    }
ARRAY_QUANTIFIED(func_any_eq, ARRAY_EQ, false)
ARRAY_QUANTIFIED(func_any_ne, ARRAY_NE, false)
ARRAY_QUANTIFIED(func_any_lt, ARRAY_LT, false)
ARRAY_QUANTIFIED(func_any_le, ARRAY_LE, false)
ARRAY_QUANTIFIED(func_any_gt, ARRAY_GT, false)
ARRAY_QUANTIFIED(func_any_ge, ARRAY_GE, false)
ARRAY_QUANTIFIED(func_all_eq, ARRAY_EQ, true)
ARRAY_QUANTIFIED(func_all_ne, ARRAY_NE, true)
ARRAY_QUANTIFIED(func_all_lt, ARRAY_LT, true)
ARRAY_QUANTIFIED(func_all_le, ARRAY_LE, true)
ARRAY_QUANTIFIED(func_all_gt, ARRAY_GT, true)
ARRAY_QUANTIFIED(func_all_ge, ARRAY_GE, true)

/* ---- patterns ---- */

/* x op each element, by the kernel of the operator; ret has a value or NULL for each. */
static int array_match(const struct func_ctx *ctx,
                       const struct func *f,
                       const struct datum *x,
                       const struct varray *a,
                       struct vec *ret,
                       struct dn_err *err)
{
    struct vstr *items = arena_alloc_array(ctx->arena, a->count, sizeof *items);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(a->count), sizeof *nulls);
    struct vec args[2];

    if (!items || !nulls || !vec_make_const(ctx->arena, x, a->count, &args[0]))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < a->count; i++) {
        items[i] = a->items[i].null ? (struct vstr){"", 0} : a->items[i].str;
        if (a->items[i].null)
            vec_bit_set(nulls, i);
    }
    args[1] = (struct vec){
        .type = a->elem, .form = VEC_FLAT, .count = a->count, .data = items, .nulls = nulls};
    *ret = (struct vec){.type = TYPE_BOOLEAN, .form = VEC_FLAT, .count = a->count, .nulls = nulls};
    return f->kernel(ctx, args, 2, a->count, ret, err);
}

/* 1: NULL. */
static int array_matched(const struct func_ctx *ctx,
                         const struct func *f,
                         const struct varray *a,
                         struct datum x,
                         uint32_t how,
                         int8_t *ret,
                         struct dn_err *err)
{
    bool all = how & 1;
    bool negated = how & 2;
    bool unknown = false;
    struct vec found;
    int rc;

    *ret = all;
    if (a->count == 0)
        return 0;
    if (x.null)
        return 1;
    rc = array_match(ctx, f, &x, a, &found, err);
    for (uint32_t i = 0; rc == 0 && i < a->count; i++) {
        if (vec_is_null(&found, i)) {
            unknown = true;
        } else if ((vec_i64(&found, i) != 0) == (all == negated)) {
            *ret = !all;
            return 0;
        }
    }
    return rc < 0 ? rc : unknown;
}

static int array_patterns(const struct func_ctx *ctx,
                          const struct vec *args,
                          const char *op,
                          uint32_t how,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    static const enum type_id texts[] = {TYPE_VARCHAR, TYPE_VARCHAR};
    int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    enum type_id casts[2];
    const struct func *f = func_find(op, texts, 2, casts, ctx->pos, err);
    struct array_rows arrays = {.bytes = {NULL, 0}};

    if (!f)
        return DN_E_UNDEFINED_FUNCTION;
    if (!to)
        return DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        int rc = 1;

        to[i] = 0;
        if (!vec_is_null(ret, i) && !vec_is_null(&args[1], i)) {
            rc = array_rows_read(ctx, &arrays, &args[1], i, err);
            if (rc == 0)
                rc = array_matched(ctx, f, &arrays.a, vec_datum(&args[0], i), how, &to[i], err);
        }
        if (rc < 0)
            return rc;
        if (rc == 1)
            vec_bit_set(nulls, i);
    }
    ret->nulls = nulls;
    return 0;
}

/* how: 1 ALL, 2 NOT. */
#define ARRAY_PATTERN(fn, op, how)                                  \
    static int fn(const struct func_ctx *ctx,                       \
                  const struct vec *args,                           \
                  uint32_t args_count DN_UNUSED,                    \
                  uint32_t count,                                   \
                  struct vec *ret,                                  \
                  struct dn_err *err)                               \
    {                                                               \
        return array_patterns(ctx, args, op, how, count, ret, err); \
    }
ARRAY_PATTERN(func_any_like, "like", 0)
ARRAY_PATTERN(func_all_like, "like", 1)
ARRAY_PATTERN(func_any_not_like, "like", 2)
ARRAY_PATTERN(func_all_not_like, "like", 3)
ARRAY_PATTERN(func_any_ilike, "ilike", 0)
ARRAY_PATTERN(func_all_ilike, "ilike", 1)
ARRAY_PATTERN(func_any_not_ilike, "ilike", 2)
ARRAY_PATTERN(func_all_not_ilike, "ilike", 3)
ARRAY_PATTERN(func_any_regex, "~", 0)
ARRAY_PATTERN(func_all_regex, "~", 1)
ARRAY_PATTERN(func_any_iregex, "~*", 0)
ARRAY_PATTERN(func_all_iregex, "~*", 1)
ARRAY_PATTERN(func_any_not_regex, "!~", 0)
ARRAY_PATTERN(func_all_not_regex, "!~", 1)
ARRAY_PATTERN(func_any_not_iregex, "!~*", 0)
ARRAY_PATTERN(func_all_not_iregex, "!~*", 1)

/* ---- the table ---- */

#define ARRAY_ROW(fname, a, b, fn, text)                                               \
    {                                                                                  \
        .name = fname, .args = {TYPE_##a, b}, .args_count = 2, .result = TYPE_BOOLEAN, \
        .flags = FUNC_OPERATOR, .kernel = fn, .doc = text                              \
    }
#define ARRAY_ANY(op, fn, all_fn)                                        \
    ARRAY_ROW(op " any",                                                 \
              ANY_ELEMENT,                                               \
              TYPE_ANY_ARRAY,                                            \
              fn,                                                        \
              "Whether it holds for an element: a " op " ANY (array)."), \
        ARRAY_ROW(op " all",                                             \
                  ANY_ELEMENT,                                           \
                  TYPE_ANY_ARRAY,                                        \
                  all_fn,                                                \
                  "Whether it holds for all elements: a " op " ALL (array).")
#define VARCHAR_ARRAY ((enum type_id)(TYPE_VARCHAR | TYPE_ARRAY))
#define ARRAY_TEXTS(op, fn, all_fn)                                      \
    ARRAY_ROW(op " any",                                                 \
              VARCHAR,                                                   \
              VARCHAR_ARRAY,                                             \
              fn,                                                        \
              "Whether it holds for an element: a " op " ANY (array)."), \
        ARRAY_ROW(op " all",                                             \
                  VARCHAR,                                               \
                  VARCHAR_ARRAY,                                         \
                  all_fn,                                                \
                  "Whether it holds for all elements: a " op " ALL (array).")

static const struct func func_array_any_rows[] = {
    ARRAY_ANY("=", func_any_eq, func_all_eq),
    ARRAY_ANY("<>", func_any_ne, func_all_ne),
    ARRAY_ANY("<", func_any_lt, func_all_lt),
    ARRAY_ANY("<=", func_any_le, func_all_le),
    ARRAY_ANY(">", func_any_gt, func_all_gt),
    ARRAY_ANY(">=", func_any_ge, func_all_ge),
    ARRAY_TEXTS("like", func_any_like, func_all_like),
    ARRAY_TEXTS("not like", func_any_not_like, func_all_not_like),
    ARRAY_TEXTS("ilike", func_any_ilike, func_all_ilike),
    ARRAY_TEXTS("not ilike", func_any_not_ilike, func_all_not_ilike),
    ARRAY_TEXTS("~", func_any_regex, func_all_regex),
    ARRAY_TEXTS("~*", func_any_iregex, func_all_iregex),
    ARRAY_TEXTS("!~", func_any_not_regex, func_all_not_regex),
    ARRAY_TEXTS("!~*", func_any_not_iregex, func_all_not_iregex),
};

const struct func_table func_table_array_any = {func_array_any_rows,
                                                DN_ARRAY_SIZE(func_array_any_rows)};
