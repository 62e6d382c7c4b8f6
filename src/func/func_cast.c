/* SPDX-License-Identifier: Apache-2.0
 *
 * func_cast.c: one row for each pair of types that can be turned into each other. Which of them
 * happen unasked is func_cast_implicit's business. Numbers that do not fit raise; fractions round
 * to the nearest integer, halves to the even one; a time stamp that loses digits rounds to the
 * nearest, halves up; text is parsed and printed as text.h says. */
#include "func/func_int.h"
#include "func/text.h"

#include <math.h>
#include <string.h>

/* Also right for NaN, which fits nothing. rint follows the rounding mode: nearest, halves to even.
 */
static inline bool func_f64_fits(double x, double low, double end)
{
    double whole = rint(x);

    return whole >= low && whole < end;
}

static inline int64_t func_f64_to_int(double x, double low, double end)
{
    return func_f64_fits(x, low, end) ? (int64_t)rint(x) : 0;
}

/* A conversion beyond the range of float is undefined in C: infinity stands for it. */
static inline float func_f64_to_f32(double x)
{
    double abs_x = fabs(x);

    if (abs_x > 0x1.fffffefffffffp127 && !isinf(x))
        return x < 0 ? -INFINITY : INFINITY;
    return (float)x;
}

/* The greatest and the least are infinite, in every unit. */
static inline bool func_ts_finer(int64_t x, int64_t factor, int64_t *ret)
{
    bool over = __builtin_mul_overflow(x, factor, ret);

    if (over && (x == INT64_MAX || x == INT64_MIN)) {
        *ret = x;
        return false;
    }
    return over;
}

static inline int64_t func_ts_coarser(int64_t x, int64_t divisor)
{
    int64_t whole = x / divisor;
    int64_t rest = x % divisor;

    if (x == INT64_MAX || x == INT64_MIN)
        return x;
    if (rest < 0) {
        rest += divisor;
        whole--;
    }
    return whole + (rest * 2 >= divisor);
}

/* ---- integers ---- */

#define UNARY_FN       func_cast_i16_i32
#define UNARY_T        int16_t
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i16_i64
#define UNARY_T        int16_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = (x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i32_i64
#define UNARY_T        int32_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = (x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i64_i64
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = (x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i32_i16
#define UNARY_T        int32_t
#define UNARY_R        int16_t
#define UNARY_OP(x, r) ((r) = (int16_t)(x), (r) != (x))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i64_i16
#define UNARY_T        int64_t
#define UNARY_R        int16_t
#define UNARY_OP(x, r) ((r) = (int16_t)(x), (r) != (x))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i64_i32
#define UNARY_T        int64_t
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (int32_t)(x), (r) != (x))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

/* ---- BOOLEAN ---- */

#define UNARY_FN       func_cast_i8_i16
#define UNARY_T        int8_t
#define UNARY_R        int16_t
#define UNARY_OP(x, r) ((r) = (x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i8_i32
#define UNARY_T        int8_t
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i8_i64
#define UNARY_T        int8_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = (x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i16_i8
#define UNARY_T        int16_t
#define UNARY_R        int8_t
#define UNARY_OP(x, r) ((r) = (int8_t)((x) != 0), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i32_i8
#define UNARY_T        int32_t
#define UNARY_R        int8_t
#define UNARY_OP(x, r) ((r) = (int8_t)((x) != 0), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i64_i8
#define UNARY_T        int64_t
#define UNARY_R        int8_t
#define UNARY_OP(x, r) ((r) = (int8_t)((x) != 0), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

/* ---- REAL and DOUBLE ---- */

#define UNARY_FN       func_cast_i16_f32
#define UNARY_T        int16_t
#define UNARY_R        float
#define UNARY_OP(x, r) ((r) = (float)(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i16_f64
#define UNARY_T        int16_t
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = (double)(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i32_f32
#define UNARY_T        int32_t
#define UNARY_R        float
#define UNARY_OP(x, r) ((r) = (float)(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i32_f64
#define UNARY_T        int32_t
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = (double)(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i64_f32
#define UNARY_T        int64_t
#define UNARY_R        float
#define UNARY_OP(x, r) ((r) = (float)(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_i64_f64
#define UNARY_T        int64_t
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = (double)(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_f32_f64
#define UNARY_T        float
#define UNARY_R        double
#define UNARY_OP(x, r) ((r) = (double)(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_f64_f32
#define UNARY_T        double
#define UNARY_R        float
#define UNARY_OP(x, r) ((r) = func_f64_to_f32(x), isinf(r) && !isinf(x))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN func_cast_f32_i16
#define UNARY_T  float
#define UNARY_R  int16_t
#define UNARY_OP(x, r)                                             \
    ((r) = (int16_t)func_f64_to_int((double)(x), -0x1p15, 0x1p15), \
     !func_f64_fits((double)(x), -0x1p15, 0x1p15))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN func_cast_f32_i32
#define UNARY_T  float
#define UNARY_R  int32_t
#define UNARY_OP(x, r)                                             \
    ((r) = (int32_t)func_f64_to_int((double)(x), -0x1p31, 0x1p31), \
     !func_f64_fits((double)(x), -0x1p31, 0x1p31))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN func_cast_f32_i64
#define UNARY_T  float
#define UNARY_R  int64_t
#define UNARY_OP(x, r)                                             \
    ((r) = (int64_t)func_f64_to_int((double)(x), -0x1p63, 0x1p63), \
     !func_f64_fits((double)(x), -0x1p63, 0x1p63))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN func_cast_f64_i16
#define UNARY_T  double
#define UNARY_R  int16_t
#define UNARY_OP(x, r)                                             \
    ((r) = (int16_t)func_f64_to_int((double)(x), -0x1p15, 0x1p15), \
     !func_f64_fits((double)(x), -0x1p15, 0x1p15))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN func_cast_f64_i32
#define UNARY_T  double
#define UNARY_R  int32_t
#define UNARY_OP(x, r)                                             \
    ((r) = (int32_t)func_f64_to_int((double)(x), -0x1p31, 0x1p31), \
     !func_f64_fits((double)(x), -0x1p31, 0x1p31))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN func_cast_f64_i64
#define UNARY_T  double
#define UNARY_R  int64_t
#define UNARY_OP(x, r)                                             \
    ((r) = (int64_t)func_f64_to_int((double)(x), -0x1p63, 0x1p63), \
     !func_f64_fits((double)(x), -0x1p63, 0x1p63))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

/* ---- time stamps ---- */

#define UNARY_FN       func_cast_ms_us
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) func_ts_finer(x, 1000, &(r))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_us_ns
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) func_ts_finer(x, 1000, &(r))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_ms_ns
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) func_ts_finer(x, 1000000, &(r))
#define UNARY_RAISE(x) func_fail_range(ret->type, err)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_us_ms
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = func_ts_coarser(x, 1000), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_ns_us
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = func_ts_coarser(x, 1000), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_cast_ns_ms
#define UNARY_T        int64_t
#define UNARY_R        int64_t
#define UNARY_OP(x, r) ((r) = func_ts_coarser(x, 1000000), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

/* ---- text ---- */

int func_cast_to_text(const struct func_ctx *ctx,
                      const struct vec *args,
                      uint32_t args_count DN_UNUSED,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    struct buf text;
    int rc = 0;

    if (!to)
        return DN_E_NOMEM;
    buf_init(&text, ctx->arena->owner);
    for (uint32_t i = 0; i < count; i++) {
        struct datum d;

        to[i] = (struct vstr){"", 0};
        if (vec_is_null(ret, i))
            continue;
        d = vec_datum(&args[0], i);
        buf_reset(&text);
        text_print_in(ctx->session, &d, &text);
        if (text.len && !text.failed)
            to[i].ptr = arena_dup(ctx->arena, text.data, text.len);
        if (text.failed || !to[i].ptr) {
            rc = DN_FAIL_NOMEM(err);
            break;
        }
        to[i].len = (uint32_t)text.len;
        if (ret->type == TYPE_BPCHAR)
            to[i] = text_unblank(to[i]);
        else if (ret->type == TYPE_NAME)
            to[i] = func_name_cut(to[i]);
    }
    buf_done(&text);
    return rc;
}

int func_cast_from_text(const struct func_ctx *ctx,
                        const struct vec *args,
                        uint32_t args_count DN_UNUSED,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err)
{
    void *to = func_ret_alloc(ctx, ret, count, phys_size(type_phys(ret->type)), err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct datum d = {.type = ret->type, .null = true};

        if (!vec_is_null(ret, i)) {
            int rc =
                text_parse_in(ctx->session, ret->type, vec_str(&args[0], i), ctx->arena, &d, err);

            if (rc < 0)
                return rc;
        }
        datum_store(&d, to, i);
    }
    return 0;
}

#define CAST(from, to, fn, sample)                                                               \
    {                                                                                            \
        .name = "cast", .args = {TYPE_##from}, .args_count = 1, .result = TYPE_##to,             \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = "The value as another type.", \
        .example = sample                                                                        \
    }

static const struct func func_cast_rows[] = {
    CAST(SMALLINT, INTEGER, func_cast_i16_i32, "CAST(7 AS INTEGER) = 7"),
    CAST(SMALLINT, BIGINT, func_cast_i16_i64, "CAST(7 AS BIGINT) = 7"),
    CAST(INTEGER, SMALLINT, func_cast_i32_i16, "CAST(7 AS SMALLINT) = 7"),
    CAST(INTEGER, BIGINT, func_cast_i32_i64, "CAST(7 AS BIGINT) = 7"),
    CAST(BIGINT, SMALLINT, func_cast_i64_i16, "CAST(7 AS SMALLINT) = 7"),
    CAST(BIGINT, INTEGER, func_cast_i64_i32, "CAST(7 AS INTEGER) = 7"),
    CAST(SMALLINT, REAL, func_cast_i16_f32, "CAST(7 AS REAL) = 7"),
    CAST(SMALLINT, DOUBLE, func_cast_i16_f64, "CAST(7 AS DOUBLE) = 7"),
    CAST(INTEGER, REAL, func_cast_i32_f32, "CAST(7 AS REAL) = 7"),
    CAST(INTEGER, DOUBLE, func_cast_i32_f64, "CAST(7 AS DOUBLE) = 7"),
    CAST(BIGINT, REAL, func_cast_i64_f32, "CAST(7 AS REAL) = 7"),
    CAST(BIGINT, DOUBLE, func_cast_i64_f64, "CAST(7 AS DOUBLE) = 7"),
    CAST(REAL, DOUBLE, func_cast_f32_f64, "CAST(0.5 AS DOUBLE) = 0.5"),
    CAST(DOUBLE, REAL, func_cast_f64_f32, "CAST(0.1 AS REAL) = 0.1"),
    CAST(REAL, SMALLINT, func_cast_f32_i16, "CAST(2.5 AS SMALLINT) = 2"),
    CAST(REAL, INTEGER, func_cast_f32_i32, "CAST(2.5 AS INTEGER) = 2"),
    CAST(REAL, BIGINT, func_cast_f32_i64, "CAST(2.5 AS BIGINT) = 2"),
    CAST(DOUBLE, SMALLINT, func_cast_f64_i16, "CAST(2.5 AS SMALLINT) = 2"),
    CAST(DOUBLE, INTEGER, func_cast_f64_i32, "CAST(2.5 AS INTEGER) = 2"),
    CAST(DOUBLE, BIGINT, func_cast_f64_i64, "CAST(2.5 AS BIGINT) = 2"),
    CAST(BOOLEAN, SMALLINT, func_cast_i8_i16, "CAST(true AS SMALLINT) = 1"),
    CAST(SMALLINT, BOOLEAN, func_cast_i16_i8, "CAST(7 AS BOOLEAN) = true"),
    CAST(BOOLEAN, INTEGER, func_cast_i8_i32, "CAST(true AS INTEGER) = 1"),
    CAST(INTEGER, BOOLEAN, func_cast_i32_i8, "CAST(7 AS BOOLEAN) = true"),
    CAST(BOOLEAN, BIGINT, func_cast_i8_i64, "CAST(true AS BIGINT) = 1"),
    CAST(BIGINT, BOOLEAN, func_cast_i64_i8, "CAST(7 AS BOOLEAN) = true"),
    CAST(SMALLINT, TIMESTAMP, func_cast_i16_i64, "CAST(7 AS TIMESTAMP) = 1970-01-01T00:00:00.007Z"),
    CAST(SMALLINT,
         TIMESTAMP_US,
         func_cast_i16_i64,
         "CAST(7 AS TIMESTAMP(6)) = 1970-01-01T00:00:00.000007Z"),
    CAST(SMALLINT,
         TIMESTAMP_NS,
         func_cast_i16_i64,
         "CAST(7 AS TIMESTAMP(9)) = 1970-01-01T00:00:00.000000007Z"),
    CAST(INTEGER, TIMESTAMP, func_cast_i32_i64, "CAST(7 AS TIMESTAMP) = 1970-01-01T00:00:00.007Z"),
    CAST(INTEGER,
         TIMESTAMP_US,
         func_cast_i32_i64,
         "CAST(7 AS TIMESTAMP(6)) = 1970-01-01T00:00:00.000007Z"),
    CAST(INTEGER,
         TIMESTAMP_NS,
         func_cast_i32_i64,
         "CAST(7 AS TIMESTAMP(9)) = 1970-01-01T00:00:00.000000007Z"),
    CAST(BIGINT, TIMESTAMP, func_cast_i64_i64, "CAST(7 AS TIMESTAMP) = 1970-01-01T00:00:00.007Z"),
    CAST(BIGINT,
         TIMESTAMP_US,
         func_cast_i64_i64,
         "CAST(7 AS TIMESTAMP(6)) = 1970-01-01T00:00:00.000007Z"),
    CAST(BIGINT,
         TIMESTAMP_NS,
         func_cast_i64_i64,
         "CAST(7 AS TIMESTAMP(9)) = 1970-01-01T00:00:00.000000007Z"),
    CAST(TIMESTAMP,
         BIGINT,
         func_cast_i64_i64,
         "CAST(TIMESTAMP '1970-01-01T00:00:01' AS BIGINT) = 1000"),
    CAST(TIMESTAMP_US,
         BIGINT,
         func_cast_i64_i64,
         "CAST(TIMESTAMP(6) '1970-01-01T00:00:01' AS BIGINT) = 1000000"),
    CAST(TIMESTAMP_NS,
         BIGINT,
         func_cast_i64_i64,
         "CAST(TIMESTAMP(9) '1970-01-01T00:00:01' AS BIGINT) = 1000000000"),
    CAST(TIMESTAMP,
         TIMESTAMP_US,
         func_cast_ms_us,
         "CAST(TIMESTAMP '2015-06-01T00:00:00.5' AS TIMESTAMP(6)) = 2015-06-01T00:00:00.500000Z"),
    CAST(
        TIMESTAMP,
        TIMESTAMP_NS,
        func_cast_ms_ns,
        "CAST(TIMESTAMP '2015-06-01T00:00:00.5' AS TIMESTAMP(9)) = 2015-06-01T00:00:00.500000000Z"),
    CAST(TIMESTAMP_US,
         TIMESTAMP,
         func_cast_us_ms,
         "CAST(TIMESTAMP(6) '2015-06-01T00:00:00.5' AS TIMESTAMP) = 2015-06-01T00:00:00.500Z"),
    CAST(TIMESTAMP_US,
         TIMESTAMP_NS,
         func_cast_us_ns,
         "CAST(TIMESTAMP(6) '2015-06-01T00:00:00.5' AS TIMESTAMP(9)) = "
         "2015-06-01T00:00:00.500000000Z"),
    CAST(TIMESTAMP_NS,
         TIMESTAMP,
         func_cast_ns_ms,
         "CAST(TIMESTAMP(9) '2015-06-01T00:00:00.5' AS TIMESTAMP) = 2015-06-01T00:00:00.500Z"),
    CAST(
        TIMESTAMP_NS,
        TIMESTAMP_US,
        func_cast_ns_us,
        "CAST(TIMESTAMP(9) '2015-06-01T00:00:00.5' AS TIMESTAMP(6)) = 2015-06-01T00:00:00.500000Z"),
    CAST(BOOLEAN, VARCHAR, func_cast_to_text, "CAST(true AS VARCHAR) = true"),
    CAST(SMALLINT, VARCHAR, func_cast_to_text, "CAST(-7 AS VARCHAR) = -7"),
    CAST(INTEGER, VARCHAR, func_cast_to_text, "CAST(-7 AS VARCHAR) = -7"),
    CAST(BIGINT, VARCHAR, func_cast_to_text, "CAST(-7 AS VARCHAR) = -7"),
    CAST(REAL, VARCHAR, func_cast_to_text, "CAST(0.1 AS VARCHAR) = 0.1"),
    CAST(DOUBLE, VARCHAR, func_cast_to_text, "CAST(1e20 AS VARCHAR) = 1e+20"),
    CAST(BLOB, VARCHAR, func_cast_to_text, "CAST(0x00FF AS VARCHAR) = 0x00ff"),
    CAST(TIMESTAMP,
         VARCHAR,
         func_cast_to_text,
         "CAST(TIMESTAMP '2015-06-01' AS VARCHAR) = 2015-06-01T00:00:00.000Z"),
    CAST(TIMESTAMP_US,
         VARCHAR,
         func_cast_to_text,
         "CAST(TIMESTAMP(6) '2015-06-01' AS VARCHAR) = 2015-06-01T00:00:00.000000Z"),
    CAST(TIMESTAMP_NS,
         VARCHAR,
         func_cast_to_text,
         "CAST(TIMESTAMP(9) '2015-06-01' AS VARCHAR) = 2015-06-01T00:00:00.000000000Z"),
    CAST(INTERVAL, VARCHAR, func_cast_to_text, "CAST(INTERVAL '26 hours' AS VARCHAR) = 26:00:00"),
    CAST(VARCHAR, BOOLEAN, func_cast_from_text, "CAST('true' AS BOOLEAN) = true"),
    CAST(VARCHAR, SMALLINT, func_cast_from_text, "CAST('-7' AS SMALLINT) = -7"),
    CAST(VARCHAR, INTEGER, func_cast_from_text, "CAST('-7' AS INTEGER) = -7"),
    CAST(VARCHAR, BIGINT, func_cast_from_text, "CAST('-7' AS BIGINT) = -7"),
    CAST(VARCHAR, REAL, func_cast_from_text, "CAST('0.1' AS REAL) = 0.1"),
    CAST(VARCHAR, DOUBLE, func_cast_from_text, "CAST('1e20' AS DOUBLE) = 1e+20"),
    CAST(VARCHAR, BLOB, func_cast_from_text, "CAST('0x00FF' AS BLOB) = 0x00ff"),
    CAST(VARCHAR,
         TIMESTAMP,
         func_cast_from_text,
         "CAST('2015-06-01' AS TIMESTAMP) = 2015-06-01T00:00:00.000Z"),
    CAST(VARCHAR,
         TIMESTAMP_US,
         func_cast_from_text,
         "CAST('2015-06-01' AS TIMESTAMP(6)) = 2015-06-01T00:00:00.000000Z"),
    CAST(VARCHAR,
         TIMESTAMP_NS,
         func_cast_from_text,
         "CAST('2015-06-01' AS TIMESTAMP(9)) = 2015-06-01T00:00:00.000000000Z"),
    CAST(VARCHAR, INTERVAL, func_cast_from_text, "CAST('90m' AS INTERVAL) = 01:30:00"),
};

const struct func_table func_table_cast = {func_cast_rows, DN_ARRAY_SIZE(func_cast_rows)};
