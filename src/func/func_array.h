/* SPDX-License-Identifier: Apache-2.0
 *
 * func_array.h: arrays inside of functions. Any thread. */
#pragma once

#include "func/func_int.h"
#include "vec/array.h"

/* An array value of that type taken apart (DN_E_CORRUPT), and put together. */
int func_array_read(const struct func_ctx *ctx,
                    struct vstr s,
                    enum type_id type,
                    struct varray *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* DN_E_ARRAY_LIMIT: an upper bound would not be an INTEGER below the greatest, PostgreSQL's limit.
 * func_array_write looks itself. */
int func_array_bounds(const struct varray *a, struct dn_err *err) DN_MUST_CHECK;
int func_array_write(const struct func_ctx *ctx,
                     const struct varray *a,
                     struct vstr *ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* What was printed, as a text of the batch; b is done with. */
int func_array_text(const struct func_ctx *ctx, struct buf *b, struct vstr *ret, struct dn_err *err)
    DN_MUST_CHECK;

static inline void func_array_clear(void *value, size_t size)
{
    struct vstr none = {"", 0};

    if (size == sizeof none)
        memcpy(value, &none, size);
    else
        memset(value, 0, size);
}

/* A kernel over an array in argument 0 that may give NULL: `call` is 1 then. */
#define FUNC_ARRAY_EACH(fn, result_type, call)                                              \
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
            int rc = func_check_cancel(ctx, err);                                           \
                                                                                            \
            if (rc < 0)                                                                     \
                return rc;                                                                  \
            rc = 1;                                                                         \
            func_array_clear(&to[i], sizeof to[i]);                                         \
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
