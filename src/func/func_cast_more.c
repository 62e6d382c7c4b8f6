/* SPDX-License-Identifier: Apache-2.0
 *
 * func_cast_more.c: casts of NUMERIC, DATE, TIME, TIMESTAMPTZ and UUID, and which casts happen
 * unasked, which when a value is stored, and which only when asked for: as in PostgreSQL, but that
 * an integer beside a time stamp is one, in its unit. */
#include "base/civil.h"
#include "func/enum_int.h"
#include "func/func_array.h"
#include "func/func_int.h"
#include "func/num.h"
#include "func/text.h"
#include "func/zoned.h"

#include <math.h>

#define CAST_US_SECOND 1000000
#define CAST_US_DAY    ((int64_t)CIVIL_DAY_SECONDS * CAST_US_SECOND)

/* ---- NUMERIC ---- */

static int cast_num_int(struct vnumeric v, enum type_id type, int64_t *ret, struct dn_err *err)
{
    int64_t low = type == TYPE_SMALLINT ? INT16_MIN : type == TYPE_INTEGER ? INT32_MIN : INT64_MIN;
    int64_t high = type == TYPE_SMALLINT ? INT16_MAX : type == TYPE_INTEGER ? INT32_MAX : INT64_MAX;

    if (v.special)
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "cannot convert %s to %s",
                       vnumeric_is_nan(v) ? "NaN" : "infinity",
                       type_word(type));
    if (!num_to_i64(v, ret) || *ret < low || *ret > high)
        return func_fail_range(type, err);
    return 0;
}

static int cast_num_i16(struct vnumeric v, int16_t *ret, struct dn_err *err)
{
    int64_t x = 0;
    int rc = cast_num_int(v, TYPE_SMALLINT, &x, err);

    *ret = (int16_t)x;
    return rc;
}

static int cast_num_i32(struct vnumeric v, int32_t *ret, struct dn_err *err)
{
    int64_t x = 0;
    int rc = cast_num_int(v, TYPE_INTEGER, &x, err);

    *ret = (int32_t)x;
    return rc;
}

static int cast_num_f32(struct vnumeric v, float *ret, struct dn_err *err)
{
    double f = num_to_f64(v);

    if (!v.special && fabs(f) > 0x1.fffffefffffffp127)
        return func_fail_range(TYPE_REAL, err);
    *ret = (float)f;
    return 0;
}

FUNC_EACH(func_cast_int_num, struct vnumeric, (to[i] = num_from_i64(vec_i64(&args[0], i)), 0))
FUNC_EACH(func_cast_f32_num, struct vnumeric, num_from_f64(vec_f64(&args[0], i), 6, &to[i], err))
FUNC_EACH(func_cast_f64_num, struct vnumeric, num_from_f64(vec_f64(&args[0], i), 15, &to[i], err))
FUNC_EACH(func_cast_num_i16, int16_t, cast_num_i16(func_num(&args[0], i), &to[i], err))
FUNC_EACH(func_cast_num_i32, int32_t, cast_num_i32(func_num(&args[0], i), &to[i], err))
FUNC_EACH(func_cast_num_i64, int64_t, cast_num_int(func_num(&args[0], i), TYPE_BIGINT, &to[i], err))
FUNC_EACH(func_cast_num_f32, float, cast_num_f32(func_num(&args[0], i), &to[i], err))
static int func_cast_num_f64(const struct func_ctx *ctx,
                             const struct vec *args,
                             uint32_t args_count DN_UNUSED,
                             uint32_t count,
                             struct vec *ret,
                             struct dn_err *err)
{
    double *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        to[i] = vec_is_null(ret, i) ? 0 : num_to_f64(*func_num_at(&args[0], i));
    return 0;
}

/* ---- dates and times ---- */

static bool cast_date_infinite(int64_t days)
{
    return days == INT32_MAX || days == INT32_MIN;
}

static int cast_date_ts(int64_t days, enum type_id type, int64_t *ret, struct dn_err *err)
{
    if (cast_date_infinite(days)) {
        *ret = days > 0 ? INT64_MAX : INT64_MIN;
        return 0;
    }
    if (__builtin_mul_overflow(days, CIVIL_DAY_SECONDS * type_ts_per_second(type), ret))
        return func_fail_range(type, err);
    return 0;
}

static int cast_ts_date(int64_t t, enum type_id type, int32_t *ret, struct dn_err *err)
{
    int64_t days = civil_floor(t, CIVIL_DAY_SECONDS * type_ts_per_second(type));

    if (zoned_infinite(t)) {
        *ret = t > 0 ? INT32_MAX : INT32_MIN;
        return 0;
    }
    if (!civil_is_date(days))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "date out of range");
    *ret = (int32_t)days;
    return 0;
}

/* From one unit to the other; coarser ones round. */
static int
cast_ts_ts(int64_t t, enum type_id from, enum type_id to, int64_t *ret, struct dn_err *err)
{
    int64_t a = type_ts_per_second(from);
    int64_t b = type_ts_per_second(to);

    if (zoned_infinite(t)) {
        *ret = t;
        return 0;
    }
    if (a <= b) {
        if (__builtin_mul_overflow(t, b / a, ret))
            return func_fail_range(to, err);
        return 0;
    }
    *ret = civil_floor(t, a / b) + (civil_mod(t, a / b) * 2 >= a / b);
    return 0;
}

static int cast_ts_time(int64_t t, enum type_id type, int64_t *ret, struct dn_err *err)
{
    int64_t us;
    int rc = cast_ts_ts(t, type, TYPE_TIMESTAMP_US, &us, err);

    *ret = rc == 0 ? civil_mod(us, CAST_US_DAY) : 0;
    return rc;
}

FUNC_EACH(func_cast_date_ts, int64_t, cast_date_ts(vec_i64(&args[0], i), ret->type, &to[i], err))
FUNC_EACH(func_cast_ts_date, int32_t, cast_ts_date(vec_i64(&args[0], i), args[0].type, &to[i], err))
FUNC_EACH(func_cast_ts_ts,
          int64_t,
          cast_ts_ts(vec_i64(&args[0], i), args[0].type, ret->type, &to[i], err))
FUNC_EACH(func_cast_ts_time,
          int64_t,
          zoned_infinite(vec_i64(&args[0], i))
              ? func_ret_null(ctx, ret, i, err)
              : cast_ts_time(vec_i64(&args[0], i), args[0].type, &to[i], err))
FUNC_EACH(func_cast_time_iv,
          struct vinterval,
          (to[i] = (struct vinterval){.us = vec_i64(&args[0], i)}, 0))
FUNC_EACH(func_cast_iv_time, int64_t, (to[i] = civil_mod(func_iv(&args[0], i).us, CAST_US_DAY), 0))

#define CAST(from, to, fn, sample)                                                               \
    {                                                                                            \
        .name = "cast", .args = {TYPE_##from}, .args_count = 1, .result = TYPE_##to,             \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = "The value as another type.", \
        .example = sample                                                                        \
    }
#define CAST_TEXT(type, text, shown)                                                    \
    CAST(VARCHAR, type, func_cast_from_text, "CAST('" text "' AS " #type ") = " shown), \
        CAST(type, VARCHAR, func_cast_to_text, "CAST(" #type " '" text "' AS VARCHAR) = " shown)
#define CAST_TS(type, sql, zeros)                                                                  \
    CAST(DATE,                                                                                     \
         type,                                                                                     \
         func_cast_date_ts,                                                                        \
         "CAST(DATE '2015-06-01' AS " sql ") = 2015-06-01T00:00:00." zeros "Z"),                   \
        CAST(type,                                                                                 \
             DATE,                                                                                 \
             func_cast_ts_date,                                                                    \
             "CAST(" sql " '2015-06-01T09:47' AS DATE) = 2015-06-01"),                             \
        CAST(                                                                                      \
            type, TIME, func_cast_ts_time, "CAST(" sql " '2015-06-01T09:47' AS TIME) = 09:47:00"), \
        CAST(type,                                                                                 \
             TIMESTAMPTZ,                                                                          \
             func_cast_ts_ts,                                                                      \
             "CAST(" sql " '2015-06-01T09:47' AS TIMESTAMPTZ) = 2015-06-01 09:47:00+00"),          \
        CAST(TIMESTAMPTZ,                                                                          \
             type,                                                                                 \
             func_cast_ts_ts,                                                                      \
             "CAST(TIMESTAMPTZ '2015-06-01T09:47' AS " sql ") = 2015-06-01T09:47:00." zeros "Z")

static const struct func func_cast_more_rows[] = {
    CAST(SMALLINT, NUMERIC, func_cast_int_num, "CAST(7 AS NUMERIC) = 7"),
    CAST(INTEGER, NUMERIC, func_cast_int_num, "CAST(7 AS NUMERIC) = 7"),
    CAST(BIGINT, NUMERIC, func_cast_int_num, "CAST(7 AS NUMERIC) = 7"),
    CAST(REAL, NUMERIC, func_cast_f32_num, "CAST(0.1 AS NUMERIC) = 0.1"),
    CAST(DOUBLE, NUMERIC, func_cast_f64_num, "CAST(0.1 AS NUMERIC) = 0.1"),
    CAST(NUMERIC, SMALLINT, func_cast_num_i16, "CAST(2.5 AS SMALLINT) = 3"),
    CAST(NUMERIC, INTEGER, func_cast_num_i32, "CAST(2.5 AS INTEGER) = 3"),
    CAST(NUMERIC, BIGINT, func_cast_num_i64, "CAST(-2.5 AS BIGINT) = -3"),
    CAST(NUMERIC, REAL, func_cast_num_f32, "CAST(0.10 AS REAL) = 0.1"),
    CAST(NUMERIC, DOUBLE, func_cast_num_f64, "CAST(0.10 AS DOUBLE) = 0.1"),
    CAST_TEXT(NUMERIC, "1.50", "1.50"),
    CAST_TEXT(DATE, "2015-06-01", "2015-06-01"),
    CAST_TEXT(TIME, "04:05", "04:05:00"),
    CAST_TEXT(TIMESTAMPTZ, "2015-06-01T09:47+02", "2015-06-01 07:47:00+00"),
    CAST_TEXT(UUID, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    CAST_TS(TIMESTAMP, "TIMESTAMP", "000"),
    CAST_TS(TIMESTAMP_US, "TIMESTAMP(6)", "000000"),
    CAST_TS(TIMESTAMP_NS, "TIMESTAMP(9)", "000000000"),
    CAST(DATE, TIMESTAMP_LOCAL, func_cast_date_ts, NULL), /* no SQL names the type */
    CAST(TIMESTAMP_LOCAL,
         DATE,
         func_cast_ts_date,
         "CAST(TIMESTAMPTZ '2015-06-01T09:47' AT TIME ZONE 'UTC' AS DATE) = 2015-06-01"),
    CAST(TIMESTAMP_LOCAL,
         TIME,
         func_cast_ts_time,
         "CAST(TIMESTAMPTZ '2015-06-01T09:47' AT TIME ZONE 'UTC' AS TIME) = 09:47:00"),
    CAST(VARCHAR, TIMESTAMP_LOCAL, func_cast_from_text, NULL),
    CAST(TIMESTAMP_LOCAL,
         VARCHAR,
         func_cast_to_text,
         "CAST(TIMESTAMPTZ '2015-06-01T09:47' AT TIME ZONE 'UTC' AS VARCHAR) = 2015-06-01 "
         "09:47:00"),
    CAST(TIME, INTERVAL, func_cast_time_iv, "CAST(TIME '04:05' AS INTERVAL) = 04:05:00"),
    CAST(INTERVAL, TIME, func_cast_iv_time, "CAST(INTERVAL '1 day 04:05' AS TIME) = 04:05:00"),
};

const struct func_table func_table_cast_more = {func_cast_more_rows,
                                                DN_ARRAY_SIZE(func_cast_more_rows)};

/* ---- arrays ---- */

#define CAST_STEPS 64u /* of func_count_steps, for the cast of an item */

static int cast_array(const struct func_ctx *ctx,
                      struct vstr s,
                      enum type_id from,
                      enum type_id to,
                      struct vstr *ret,
                      struct dn_err *err)
{
    const struct func *f = func_cast(type_element(from), type_element(to), false);
    uint64_t steps = 0;
    struct varray a;
    int rc = func_array_read(ctx, s, from, &a, err);

    for (uint32_t i = 0; rc == 0 && f && i < a.count; i++) {
        struct vec one;
        struct vec out = {.type = type_element(to), .form = VEC_FLAT, .count = 1};

        if (!vec_make_const(ctx->arena, &a.items[i], 1, &one))
            return DN_FAIL_NOMEM(err);
        if (!a.items[i].null) {
            rc = f->kernel(ctx, &one, 1, 1, &out, err);
            if (rc == 0)
                a.items[i] = vec_datum(&out, 0);
        }
        if (rc == 0)
            rc = func_count_steps(ctx, CAST_STEPS, &steps, err);
        a.items[i].type = type_element(to);
    }
    a.elem = type_element(to);
    return rc < 0 ? rc : func_array_write(ctx, &a, ret, err);
}

FUNC_EACH(func_cast_array,
          struct vstr,
          cast_array(ctx, vec_str(&args[0], i), args[0].type, ret->type, &to[i], err))

static const struct func func_cast_array_rows[] = {
    {.name = "cast",
     .args = {TYPE_ANY_ARRAY},
     .args_count = 1,
     .result = TYPE_ANY_ARRAY,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_cast_array},
    {.name = "cast",
     .args = {TYPE_ANY_ARRAY},
     .args_count = 1,
     .result = TYPE_VARCHAR,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_cast_to_text},
    {.name = "cast",
     .args = {TYPE_VARCHAR},
     .args_count = 1,
     .result = TYPE_ANY_ARRAY,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_cast_from_text},
};

/* ---- CHAR(n) ---- */

FUNC_EACH(func_cast_unblank, struct vstr, (to[i] = text_unblank(vec_str(&args[0], i)), 0))

/* Between CHAR(n) or NAME and all types but arrays, by their texts. */
static const struct func *cast_by_text(enum type_id from, enum type_id to)
{
    static const struct func texts = {.name = "cast",
                                      .args = {TYPE_VARCHAR},
                                      .args_count = 1,
                                      .result = TYPE_BPCHAR,
                                      .flags = FUNC_STRICT | FUNC_OPERATOR,
                                      .kernel = func_cast_unblank};
    static const struct func out = {.name = "cast",
                                    .args = {TYPE_NONE},
                                    .args_count = 1,
                                    .result = TYPE_BPCHAR,
                                    .flags = FUNC_STRICT | FUNC_OPERATOR,
                                    .kernel = func_cast_to_text};
    static const struct func in = {.name = "cast",
                                   .args = {TYPE_BPCHAR},
                                   .args_count = 1,
                                   .result = TYPE_NONE,
                                   .flags = FUNC_STRICT | FUNC_OPERATOR,
                                   .kernel = func_cast_from_text};

    if (type_is_text(from) && type_is_text(to))
        return &texts;
    if (type_is_utf8(from) && type_is_utf8(to))
        return to == TYPE_BPCHAR ? &texts : &in;
    if (!func_cast(
            type_is_utf8(from) ? TYPE_VARCHAR : from, type_is_utf8(to) ? TYPE_VARCHAR : to, false))
        return NULL;
    return type_is_utf8(from) ? &in : &out;
}

/* ---- which cast, and when ---- */

static const struct func *cast_row(const struct func_table *t, enum type_id from, enum type_id to)
{
    for (uint32_t i = 0; i < t->count; i++)
        if (t->rows[i].args[0] == from && t->rows[i].result == to)
            return &t->rows[i];
    return NULL;
}

static bool cast_is_instant(enum type_id t)
{
    return type_is_timestamp(t) || t == TYPE_TIMESTAMPTZ;
}

/* Numbers widen and become NUMERIC or floats; dates and times get finer. */
static bool cast_implicit(enum type_id from, enum type_id to)
{
    if (type_is_system(from) || type_is_system(to))
        return func_cast_system_implicit(from, to);
    if (from == TYPE_BPCHAR)
        return to == TYPE_VARCHAR;
    if (type_is_bits(from))
        return type_is_bits(to);
    if (type_is_int(from))
        return (type_is_int(to) && from < to) || type_is_float(to) || to == TYPE_NUMERIC ||
               type_is_timestamp(to);
    if (from == TYPE_NUMERIC)
        return type_is_float(to);
    if (from == TYPE_REAL)
        return to == TYPE_DOUBLE;
    if (from == TYPE_DATE)
        return cast_is_instant(to) || to == TYPE_TIMESTAMP_LOCAL;
    if (from == TYPE_TIMESTAMP_LOCAL)
        return cast_is_instant(to) && to != TYPE_TIMESTAMP;
    if (from == TYPE_TIME)
        return to == TYPE_INTERVAL || to == TYPE_TIMETZ;
    return type_is_timestamp(from) &&
           ((type_is_timestamp(to) && from < to) || to == TYPE_TIMESTAMPTZ);
}

static bool cast_assign(enum type_id from, enum type_id to)
{
    if (type_is_utf8(to))
        return true;
    if (type_is_number(from))
        return type_is_number(to);
    if (from == TYPE_TIMESTAMP_LOCAL)
        return cast_is_instant(to) || to == TYPE_DATE || to == TYPE_TIME;
    if (cast_is_instant(from))
        return cast_is_instant(to) || to == TYPE_TIMESTAMP_LOCAL || to == TYPE_DATE ||
               to == TYPE_TIME || to == TYPE_TIMETZ;
    return (from == TYPE_INTERVAL || from == TYPE_TIMETZ) && to == TYPE_TIME;
}

enum func_cast_level func_cast_level(enum type_id from, enum type_id to)
{
    if (type_is_array(from) && type_is_array(to))
        return from == to ? FUNC_CAST_IMPLICIT
                          : func_cast_level(type_element(from), type_element(to));
    if (func_cast_of_vector(from, to))
        return FUNC_CAST_IMPLICIT;
    if (type_is_array(from) || type_is_array(to))
        return type_is_text(to)     ? FUNC_CAST_ASSIGN
               : type_is_text(from) ? FUNC_CAST_EXPLICIT
                                    : FUNC_CAST_NONE;
    if (cast_implicit(from, to))
        return FUNC_CAST_IMPLICIT;
    if (!func_cast(from, to, false))
        return FUNC_CAST_NONE;
    return cast_assign(from, to) ? FUNC_CAST_ASSIGN : FUNC_CAST_EXPLICIT;
}

const struct func *func_cast(enum type_id from, enum type_id to, bool implicit)
{
    const struct func *f = func_cast_of_vector(from, to);

    if (f)
        return f;
    if (type_is_array(from) || type_is_array(to)) {
        enum func_cast_level level = func_cast_level(from, to);

        if (level == FUNC_CAST_NONE || (implicit && level != FUNC_CAST_IMPLICIT))
            return NULL;
        return type_is_text(to)     ? &func_cast_array_rows[1]
               : type_is_text(from) ? &func_cast_array_rows[2]
                                    : &func_cast_array_rows[0];
    }
    if (implicit && !cast_implicit(from, to))
        return NULL;
    if (type_is_enum(from) || type_is_enum(to))
        return func_cast_enum(from, to);
    if (from == TYPE_BPCHAR || to == TYPE_BPCHAR)
        return cast_by_text(from, to);
    f = cast_row(&func_table_cast, from, to);
    f = f ? f : cast_row(&func_table_cast_more, from, to);
    f = f ? f : cast_row(&func_table_cast_zone, from, to);
    f = f ? f : cast_row(&func_table_cast_local, from, to);
    f = f ? f : cast_row(&func_table_cast_timetz, from, to);
    f = f ? f : cast_row(&func_table_cast_bitstr, from, to);
    f = f ? f : cast_row(&func_table_cast_system, from, to);
    return !f && from != to && (from == TYPE_NAME || to == TYPE_NAME) ? cast_by_text(from, to) : f;
}
