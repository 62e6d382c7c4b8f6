/* SPDX-License-Identifier: Apache-2.0
 *
 * func_enum.c: functions of types that CREATE TYPE made. TYPE_ENUM in a row stands for any such
 * type, the same in all arguments (func.c). Values are numbers in the order of their labels. */
#include "func/enum_int.h"
#include "func/func_array.h"
#include "func/func_int.h"

/* The numbers of all labels of a type, ascending. */
static int enum_all(const struct func_ctx *ctx,
                    enum type_id type,
                    const int64_t **ret,
                    uint32_t *ret_count,
                    struct dn_err *err)
{
    struct func_ask ask = {.kind = FUNC_ASK_ENUM_ALL, .oid = TYPE_NUMBER(type)};
    struct func_answer answer;
    struct buf b;
    int rc;

    if (!ctx->session || !ctx->session->ask)
        return DN_FAIL(err, DN_E_UNSUPPORTED, "labels are not known without a session");
    buf_init(&b, ctx->arena->owner);
    answer.text = &b;
    rc = ctx->session->ask(ctx->session->arg, &ask, &answer, err);
    if (rc == 0) {
        *ret = b.failed ? NULL : arena_dup(ctx->arena, b.data, b.len);
        *ret_count = (uint32_t)(b.len / sizeof(int64_t));
        rc = *ret || b.len == 0 ? 0 : DN_FAIL_NOMEM(err);
    }
    buf_done(&b);
    return rc;
}

static int enum_end(const struct func_ctx *ctx,
                    const struct vec *args,
                    bool last,
                    uint32_t count,
                    struct vec *ret,
                    struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    const int64_t *all = NULL;
    uint32_t n = 0;
    int rc = to ? enum_all(ctx, args[0].type, &all, &n, err) : DN_E_NOMEM;

    if (rc == 0 && n == 0)
        rc = DN_FAIL(err, DN_E_NOT_READY, "enum has no values");
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        to[i] = enum_value(TYPE_NUMBER(args[0].type), all[last ? n - 1 : 0]);
    return rc;
}

static int func_enum_first(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t args_count DN_UNUSED,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err)
{
    return enum_end(ctx, args, false, count, ret, err);
}

static int func_enum_last(const struct func_ctx *ctx,
                          const struct vec *args,
                          uint32_t args_count DN_UNUSED,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    return enum_end(ctx, args, true, count, ret, err);
}

/* Those from the first argument up to the second; NULL: from the first, to the last. */
static int func_enum_range(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t args_count,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    enum type_id type = args[0].type;
    const int64_t *all = NULL;
    struct datum *items;
    uint32_t n = 0;
    int rc = to ? enum_all(ctx, type, &all, &n, err) : DN_E_NOMEM;

    if (rc < 0)
        return rc;
    items = arena_calloc(ctx->arena, (size_t)n + 1, sizeof *items);
    if (!items)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        bool both = args_count > 1;
        struct varray a;
        uint32_t used = 0;

        for (uint32_t k = 0; k < n; k++) {
            int64_t v = enum_value(TYPE_NUMBER(type), all[k]);

            if (both && !vec_is_null(&args[0], i) && v < vec_i64(&args[0], i))
                continue;
            if (both && !vec_is_null(&args[1], i) && v > vec_i64(&args[1], i))
                continue;
            items[used++] = (struct datum){.type = type, .v = {.i64 = v}};
        }
        a = varray_flat(type, items, used);
        if (used == 0)
            a.dims = 0;
        rc = func_array_write(ctx, &a, &to[i], err);
    }
    return rc;
}

static const struct func func_enum_rows[] = {
    {.name = "enum_first",
     .args = {TYPE_ENUM},
     .args_count = 1,
     .result = TYPE_ENUM,
     .flags = FUNC_STABLE,
     .kernel = func_enum_first,
     .doc = "The first label of the type of its argument, which may be NULL."},
    {.name = "enum_last",
     .args = {TYPE_ENUM},
     .args_count = 1,
     .result = TYPE_ENUM,
     .flags = FUNC_STABLE,
     .kernel = func_enum_last,
     .doc = "The last label of the type of its argument, which may be NULL."},
    {.name = "enum_range",
     .args = {TYPE_ENUM},
     .args_count = 1,
     .result = (enum type_id)(TYPE_ENUM | TYPE_ARRAY),
     .flags = FUNC_STABLE,
     .kernel = func_enum_range,
     .doc = "All labels of the type of its argument, in order."},
    {.name = "enum_range",
     .args = {TYPE_ENUM, TYPE_ENUM},
     .args_count = 2,
     .result = (enum type_id)(TYPE_ENUM | TYPE_ARRAY),
     .flags = FUNC_STABLE,
     .kernel = func_enum_range,
     .doc = "The labels from the first up to the second; NULL: without that bound."},
};

const struct func_table func_table_enum = {func_enum_rows, DN_ARRAY_SIZE(func_enum_rows)};

/* To and from text, at its labels. */
const struct func *func_cast_enum(enum type_id from, enum type_id to)
{
    static const struct func out = {.name = "cast",
                                    .args = {TYPE_NONE},
                                    .args_count = 1,
                                    .result = TYPE_NONE,
                                    .flags = FUNC_STRICT | FUNC_STABLE | FUNC_OPERATOR,
                                    .kernel = func_cast_to_text};
    static const struct func in = {.name = "cast",
                                   .args = {TYPE_NONE},
                                   .args_count = 1,
                                   .result = TYPE_NONE,
                                   .flags = FUNC_STRICT | FUNC_STABLE | FUNC_OPERATOR,
                                   .kernel = func_cast_from_text};

    if (type_is_enum(from) && type_is_utf8(to))
        return &out;
    return type_is_utf8(from) && type_is_enum(to) ? &in : NULL;
}
