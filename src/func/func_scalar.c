/* SPDX-License-Identifier: Apache-2.0
 *
 * func_scalar.c: functions called by name. */
#include "func/str_int.h"
#include "vec/keyser.h"

#include <math.h>
#include <utf8proc.h>

/* ---- abs ---- */

#define UNARY_FN       func_abs_i16
#define UNARY_T        int16_t
#define UNARY_R        int16_t
#define UNARY_OP(x, r) ((r) = (int16_t)((x) < 0 ? -(x) : (x)), (x) == INT16_MIN)
#define UNARY_RAISE(x) func_fail_range(TYPE_SMALLINT, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_abs_i32
#define UNARY_T        int32_t
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (x) == INT32_MIN ? 0 : (x) < 0 ? -(x) : (x), (x) == INT32_MIN)
#define UNARY_RAISE(x) func_fail_range(TYPE_INTEGER, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_abs_i64
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = (x) == INT64_MIN ? 0 : (x) < 0 ? -(x) : (x), (x) == INT64_MIN)
#define UNARY_RAISE(x) func_fail_range(TYPE_BIGINT, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_abs_f32
#define UNARY_T        float
#define UNARY_R        float
#define UNARY_OP(x, r) ((r) = fabsf(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_abs_f64
#define UNARY_T        double
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = fabs(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

/* ---- length ---- */

#define UNARY_FN       func_length_text
#define UNARY_T        struct vstr
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (int32_t)str_chars(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_length_blob
#define UNARY_T        struct vstr
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (int32_t)(x).len, 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

/* ---- lower, upper: simple case mapping, character by character ---- */

static bool case_is_ascii(struct vstr s)
{
    uint64_t all = 0;
    uint32_t i = 0;

    for (; i + 8 <= s.len; i += 8) {
        uint64_t word;

        memcpy(&word, s.ptr + i, sizeof word);
        all |= word;
    }
    for (; i < s.len; i++)
        all |= (uint8_t)s.ptr[i];
    return (all & UINT64_C(0x8080808080808080)) == 0;
}

static int case_map_ascii(
    const struct func_ctx *ctx, struct vstr s, bool upper, struct vstr *ret, struct dn_err *err)
{
    uint8_t *to = arena_alloc(ctx->arena, s.len);
    const uint8_t *from = (const uint8_t *)s.ptr;
    uint8_t first = upper ? 'a' : 'A';

    if (!to)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < s.len; i++)
        to[i] = from[i] ^ ((uint8_t)(from[i] - first) < 26 ? 'a' ^ 'A' : 0);
    *ret = (struct vstr){(const char *)to, s.len};
    return 0;
}

int func_map_case(
    const struct func_ctx *ctx, struct vstr s, bool upper, struct vstr *ret, struct dn_err *err)
{
    /* A mapped character is never more than three bytes where it was one, nor four where it was
     * two. */
    uint8_t *to;
    uint64_t steps = 0;
    size_t at = 0;
    size_t n = 0;

    if (s.len > 0 && case_is_ascii(s))
        return case_map_ascii(ctx, s, upper, ret, err);
    to = arena_alloc(ctx->arena, (size_t)s.len * 3);
    if (!to)
        return DN_FAIL_NOMEM(err);
    *ret = (struct vstr){"", 0};
    while (at < s.len) {
        utf8proc_int32_t c;
        int rc = func_count_steps(ctx, 1, &steps, err);
        utf8proc_ssize_t used = utf8proc_iterate(
            (const utf8proc_uint8_t *)s.ptr + at, (utf8proc_ssize_t)(s.len - at), &c);

        if (rc < 0)
            return rc;
        if (used <= 0) /* values are UTF-8; should one not be, its bytes stay */
            to[n++] = (uint8_t)s.ptr[at++];
        else {
            n += (size_t)utf8proc_encode_char(upper ? utf8proc_toupper(c) : utf8proc_tolower(c),
                                              to + n);
            at += (size_t)used;
        }
    }
    *ret = (struct vstr){(const char *)to, (uint32_t)n};
    return 0;
}

static int func_map_cases(const struct func_ctx *ctx,
                          const struct vec *arg,
                          bool upper,
                          uint32_t count,
                          struct vec *ret,
                          struct dn_err *err)
{
    const struct vstr *from = arg->data;
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int rc;

        to[i] = (struct vstr){"", 0};
        if (vec_is_null(ret, i) || !from[i].len)
            continue;
        rc = func_map_case(ctx, from[i], upper, &to[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int func_lower(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count DN_UNUSED,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    return func_map_cases(ctx, &args[0], false, count, ret, err);
}

static int func_upper(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count DN_UNUSED,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    return func_map_cases(ctx, &args[0], true, count, ret, err);
}

/* ---- now, token ---- */

static int func_now(const struct func_ctx *ctx,
                    const struct vec *args DN_UNUSED,
                    uint32_t args_count DN_UNUSED,
                    uint32_t count,
                    struct vec *ret,
                    struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    int64_t us = ctx->now_ns / 1000 - (ctx->now_ns % 1000 < 0);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        to[i] = us;
    return 0;
}

static int func_token(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    int64_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    struct datum *key = arena_calloc(ctx->arena, args_count, sizeof *key);
    struct buf scratch;
    int rc = 0;

    if (!to)
        return DN_E_NOMEM;
    if (!key)
        return DN_FAIL_NOMEM(err);
    buf_init(&scratch, ctx->arena->owner);
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        for (uint32_t k = 0; k < args_count; k++)
            key[k] = vec_datum(&args[k], i);
        rc = keyser_token(&scratch, key, args_count, &to[i], err);
    }
    buf_done(&scratch);
    return rc;
}

#define SCALAR1(fname, t, r, fn, text, sample)                                  \
    {                                                                           \
        .name = fname, .args = {TYPE_##t}, .args_count = 1, .result = TYPE_##r, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample      \
    }

static const struct func func_scalar_rows[] = {
    SCALAR1("abs", BIGINT, BIGINT, func_abs_i64, "The value without its sign.", "abs(-3) = 3"),
    SCALAR1("abs", INTEGER, INTEGER, func_abs_i32, "The value without its sign.", "abs(-3) = 3"),
    SCALAR1("abs", SMALLINT, SMALLINT, func_abs_i16, "The value without its sign.", "abs(-3) = 3"),
    SCALAR1("abs", DOUBLE, DOUBLE, func_abs_f64, "The value without its sign.", "abs(-0.5) = 0.5"),
    SCALAR1("abs", REAL, REAL, func_abs_f32, "The value without its sign.", "abs(-0.5) = 0.5"),
    SCALAR1("length",
            VARCHAR,
            INTEGER,
            func_length_text,
            "Characters of a text, bytes of a BLOB.",
            "length('Größe') = 5"),
    SCALAR1("length",
            BLOB,
            INTEGER,
            func_length_blob,
            "Characters of a text, bytes of a BLOB.",
            "length(0x00ff) = 2"),
    SCALAR1("lower", VARCHAR, VARCHAR, func_lower, "The text in lower case.", "lower('ÄB') = äb"),
    SCALAR1("upper", VARCHAR, VARCHAR, func_upper, "The text in upper case.", "upper('äb') = ÄB"),
    {.name = "now",
     .result = TYPE_TIMESTAMP_US,
     .flags = FUNC_STRICT | FUNC_STABLE | FUNC_CLOCK,
     .kernel = func_now,
     .doc = "The time at which the statement began.",
     .example = NULL}, /* another one each time */
    {.name = "token",
     .args = {TYPE_NONE},
     .args_count = 1,
     .result = TYPE_BIGINT,
     .flags = FUNC_STRICT | FUNC_VARIADIC | FUNC_ANY_FORM | FUNC_TOKEN,
     .kernel = func_token,
     .doc = "The place of a partition key on the ring: Murmur3 of its columns in Cassandra's "
            "serialization.",
     .example = "token(CAST(1 AS INTEGER)) = -4069959284402364209"},
};

const struct func_table func_table_scalar = {func_scalar_rows, DN_ARRAY_SIZE(func_scalar_rows)};
