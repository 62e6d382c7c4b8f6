/* SPDX-License-Identifier: Apache-2.0
 *
 * variadic.c: f(a, VARIADIC array): the elements of an array as arguments, how many is known
 * row by row. Of the functions that take values of any type. In no table: the binder asks for them
 * by the name of the function whose rows they call. */
#include "func/variadic.h"

#include "func/func_array.h"

/* The arguments of one row: those before the array, then its elements. */
static int variadic_args(const struct func_ctx *ctx,
                         const struct vec *args,
                         uint32_t fixed,
                         const struct varray *a,
                         uint32_t row,
                         struct vec **ret,
                         struct dn_err *err)
{
    struct vec *out = arena_alloc_array(ctx->arena, (size_t)fixed + a->count + 1, sizeof *out);

    if (!out)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < fixed + a->count; i++) {
        struct datum d = i < fixed ? vec_datum(&args[i], row) : a->items[i - fixed];

        d.type = i < fixed ? args[i].type : a->elem;
        if (!vec_make_const(ctx->arena, &d, 1, &out[i]))
            return DN_FAIL_NOMEM(err);
    }
    *ret = out;
    return 0;
}

/* The call of one row; the result is in *ret, or 1 (NULL). */
static int variadic_row(const struct func_ctx *ctx,
                        const struct func *f,
                        const struct vec *args,
                        uint32_t args_count,
                        uint32_t row,
                        struct datum *ret,
                        struct dn_err *err)
{
    const struct vec *last = &args[args_count - 1];
    struct varray a = {.elem = type_element(last->type)};
    struct vec *call = NULL;
    uint64_t *nulls = arena_calloc(ctx->arena, 1, sizeof *nulls);
    struct vec out = {.type = f->result, .form = VEC_FLAT, .count = 1, .nulls = nulls};
    int rc = 0;

    if (!nulls)
        return DN_FAIL_NOMEM(err);
    if (vec_is_null(last, row) && strcmp(f->name, "format") != 0)
        return 1;
    if (!vec_is_null(last, row))
        rc = func_array_read(ctx, vec_str(last, row), last->type, &a, err);
    if (rc == 0)
        rc = variadic_args(ctx, args, args_count - 1, &a, row, &call, err);
    if (rc == 0)
        rc = f->kernel(ctx, call, args_count - 1 + a.count, 1, &out, err);
    if (rc < 0)
        return rc;
    *ret = vec_datum(&out, 0);
    return ret->null ? 1 : 0;
}

static int variadic_rows(const struct func_ctx *ctx,
                         const char *name,
                         const struct vec *args,
                         uint32_t args_count,
                         uint32_t count,
                         struct vec *ret,
                         struct dn_err *err)
{
    uint64_t *nulls = arena_calloc(ctx->arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    size_t size = phys_size(type_phys(ret->type));
    uint8_t *to = func_ret_alloc(ctx, ret, count, size, err);
    enum type_id types[2] = {TYPE_VARCHAR, TYPE_VARCHAR};
    enum type_id casts[2];
    const struct func *f = func_find(name, types, args_count, casts, ctx->pos, err);

    if (!f || !to)
        return err ? err->code : DN_E_NOMEM;
    if (!nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct datum d = {.type = ret->type};
        int rc = 1;

        func_array_clear(to + i * size, size);
        if (!vec_is_null(ret, i))
            rc = variadic_row(ctx, f, args, args_count, i, &d, err);
        if (rc < 0)
            return rc;
        if (rc == 1)
            vec_bit_set(nulls, i);
        else
            datum_store(&d, to, i);
    }
    ret->nulls = nulls;
    return 0;
}

#define VARIADIC_KERNEL(word)                                                \
    static int func_variadic_##word(const struct func_ctx *ctx,              \
                                    const struct vec *args,                  \
                                    uint32_t args_count,                     \
                                    uint32_t count,                          \
                                    struct vec *ret,                         \
                                    struct dn_err *err)                      \
    {                                                                        \
        return variadic_rows(ctx, #word, args, args_count, count, ret, err); \
    }

VARIADIC_KERNEL(concat)
VARIADIC_KERNEL(concat_ws)
VARIADIC_KERNEL(format)
VARIADIC_KERNEL(num_nulls)
VARIADIC_KERNEL(num_nonnulls)

static const struct func func_variadic_rows[] = {
    {.name = "concat",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .kernel = func_variadic_concat},
    {.name = "concat_ws",
     .args = {TYPE_VARCHAR, TYPE_NONE},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .kernel = func_variadic_concat_ws},
    {.name = "format",
     .args = {TYPE_VARCHAR, TYPE_NONE},
     .args_count = 2,
     .result = TYPE_VARCHAR,
     .kernel = func_variadic_format},
    {.name = "num_nulls",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_INTEGER,
     .kernel = func_variadic_num_nulls},
    {.name = "num_nonnulls",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_INTEGER,
     .kernel = func_variadic_num_nonnulls},
};

const struct func *func_variadic(const char *name)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(func_variadic_rows); i++)
        if (strcmp(func_variadic_rows[i].name, name) == 0)
            return &func_variadic_rows[i];
    return NULL;
}
