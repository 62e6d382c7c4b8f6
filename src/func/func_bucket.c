/* SPDX-License-Identifier: Apache-2.0
 *
 * func_bucket.c: time stamps brought down to the start of their bucket: date_trunc, time_bucket,
 * time, date_bin.
 *
 * Time comes in order more often than not. So a kernel looks at the whole vector first: if it rises
 * (or falls) all along, the edges of the buckets are searched and the result is a DICT with an
 * entry for each bucket, or a CONST when there is only one. That is what GROUP BY works best on.
 * Otherwise the bucket of the row before is tried first, and computed anew only when the time has
 * left it. Buckets are half open; a calendar bucket is a number of months. */
#include "base/civil.h"
#include "func/bucket_int.h"
#include "func/func_int.h"
#include "func/text.h"

#include <string.h>

#define BUCKET_US_SECOND 1000000
#define BUCKET_MONDAY    4 /* 1970-01-05, days */

/* Start of a month counted from year 0; false: beyond the type. */
static bool bucket_month_start(const struct bucketer *b, int64_t month, int64_t *ret)
{
    int64_t year = civil_floor(month, 12);
    int64_t days = civil_to_days(year, (int)(month - year * 12) + 1, 1);

    return !__builtin_mul_overflow(days, CIVIL_DAY_SECONDS * b->per, ret);
}

bool func_bucket_of(const struct bucketer *b, int64_t t, struct bucket *ret)
{
    int64_t rest;

    if (t == INT64_MAX || t == INT64_MIN) { /* infinite */
        *ret = (struct bucket){.lo = t, .end = t == INT64_MIN ? t + 1 : t};
        return true;
    }
    if (b->width == 0) {
        struct civil c = civil_from_days(civil_floor(t, CIVIL_DAY_SECONDS * b->per));
        int64_t since = c.year * 12 + c.month - 1 - b->origin_month;
        int64_t month = b->origin_month + civil_floor(since, b->months) * b->months;

        if (!bucket_month_start(b, month, &ret->lo))
            return false;
        if (!bucket_month_start(b, month + b->months, &ret->end))
            ret->end = INT64_MAX;
        return true;
    }
    rest = civil_mod(t, b->width) - b->origin;
    if (rest < 0)
        rest += b->width;
    if (__builtin_sub_overflow(t, rest, &ret->lo))
        return false;
    if (__builtin_add_overflow(ret->lo, b->width, &ret->end))
        ret->end = INT64_MAX;
    return true;
}

/* ---- whole vectors ---- */

enum bucket_order { BUCKET_MIXED, BUCKET_RISING, BUCKET_FALLING };

/* Differences are taken modulo 2^64, which is right as long as no value is beyond ±2^62: then their
 * signs tell. No branch in the loop, and nothing SSE2 lacks. */
static enum bucket_order bucket_order(const int64_t *t, uint32_t count)
{
    uint64_t falls = 0;
    uint64_t rises = 0;
    uint64_t wide = (uint64_t)t[0] ^ (uint64_t)t[0] << 1;

    for (uint32_t i = 1; i < count; i++) {
        uint64_t a = (uint64_t)t[i - 1];
        uint64_t b = (uint64_t)t[i];

        falls |= b - a;
        rises |= a - b;
        wide |= b ^ b << 1;
    }
    if (wide >> 63)
        return BUCKET_MIXED;
    return !(falls >> 63) ? BUCKET_RISING : !(rises >> 63) ? BUCKET_FALLING : BUCKET_MIXED;
}

/* First row from `from` on whose time is not in the bucket any more: strides double, then halve. */
static uint32_t bucket_edge(const int64_t *t, uint32_t from, uint32_t count, const struct bucket *k)
{
    uint32_t in = from; /* this one is inside */
    uint32_t step = 1;
    uint32_t out;

    if (bucket_has(k, t[count - 1]))
        return count;
    while (in + step < count && bucket_has(k, t[in + step])) {
        in += step;
        step *= 2;
    }
    out = in + step < count ? in + step : count - 1;
    while (out - in > 1) {
        uint32_t mid = in + (out - in) / 2;

        if (bucket_has(k, t[mid]))
            in = mid;
        else
            out = mid;
    }
    return out;
}

/* 1: not worth it, or a row is out of range. */
static int bucket_sorted(const struct func_ctx *ctx,
                         const struct bucketer *b,
                         const int64_t *t,
                         uint32_t count,
                         struct vec *ret,
                         struct dn_err *err)
{
    uint32_t entries_max = count / 8 + 1;
    int64_t *lo;
    uint16_t *codes;
    uint32_t entries = 0;
    struct bucket k;

    if (!func_bucket_of(b, t[0], &k))
        return 1;
    if (bucket_has(&k, t[count - 1])) { /* one bucket: as both ends are in it, all are */
        lo = arena_alloc_array(ctx->arena, 1, sizeof *lo);
        if (!lo)
            return DN_FAIL_NOMEM(err);
        lo[0] = k.lo;
        ret->form = VEC_CONST;
        ret->data = lo;
        return 0;
    }
    lo = arena_alloc_array(ctx->arena, entries_max, sizeof *lo);
    codes = arena_alloc_array(ctx->arena, count, sizeof *codes);
    if (!lo || !codes)
        return DN_FAIL_NOMEM(err);
    for (uint32_t from = 0; from < count;) {
        uint32_t edge;

        if (entries == entries_max || !func_bucket_of(b, t[from], &k))
            return 1;
        edge = bucket_edge(t, from, count, &k);
        for (uint32_t i = from; i < edge; i++)
            codes[i] = (uint16_t)entries;
        lo[entries++] = k.lo;
        from = edge;
    }
    ret->form = VEC_DICT;
    ret->data = lo;
    ret->codes = codes;
    ret->dict_count = entries;
    return 0;
}

#ifdef FUNC_AVX2
#define BUCKET_FEW      16u /* buckets that are told apart by comparisons … */
#define BUCKET_FEW_ROWS 64u /* … with so many rows in each, on average */
#define BUCKET_LANES    8u

FUNC_AVX2 static void
bucket_ends(const int64_t *t, uint32_t count, int64_t *ret_min, int64_t *ret_max)
{
    int64_t min[BUCKET_LANES];
    int64_t max[BUCKET_LANES];
    uint32_t i = 0;

    for (uint32_t k = 0; k < BUCKET_LANES; k++)
        min[k] = max[k] = t[0];
    for (; i + BUCKET_LANES <= count; i += BUCKET_LANES)
        for (uint32_t k = 0; k < BUCKET_LANES; k++) {
            min[k] = t[i + k] < min[k] ? t[i + k] : min[k];
            max[k] = t[i + k] > max[k] ? t[i + k] : max[k];
        }
    for (; i < count; i++) {
        min[0] = t[i] < min[0] ? t[i] : min[0];
        max[0] = t[i] > max[0] ? t[i] : max[0];
    }
    for (uint32_t k = 1; k < BUCKET_LANES; k++) {
        min[0] = min[k] < min[0] ? min[k] : min[0];
        max[0] = max[k] > max[0] ? max[k] : max[0];
    }
    *ret_min = min[0];
    *ret_max = max[0];
}

/* codes[i] = the last of the buckets that begins at or before t[i]; the first does. */
FUNC_AVX2 static void bucket_codes(const int64_t *restrict t,
                                   uint32_t count,
                                   const int64_t *starts,
                                   uint32_t buckets,
                                   uint16_t *restrict codes)
{
    memset(codes, 0, count * sizeof *codes);
    for (uint32_t k = 1; k < buckets; k++)
        for (uint32_t i = 0; i < count; i++)
            codes[i] = (uint16_t)(codes[i] + (t[i] >= starts[k]));
}

/* Times in any order that are in few buckets of one width. 1: they are not. */
static int bucket_few(const struct func_ctx *ctx,
                      const struct bucketer *b,
                      const int64_t *t,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    struct bucket first;
    uint64_t buckets;
    uint16_t *codes;
    int64_t *lo;
    int64_t min;
    int64_t max;

    if (b->width <= 0 || count < 2 * BUCKET_FEW_ROWS || !func_has_avx2())
        return 1;
    bucket_ends(t, count, &min, &max);
    if (min == INT64_MIN || max == INT64_MAX || !func_bucket_of(b, min, &first))
        return 1;
    buckets = ((uint64_t)max - (uint64_t)first.lo) / (uint64_t)b->width + 1;
    if (buckets > BUCKET_FEW || buckets * BUCKET_FEW_ROWS > count)
        return 1;
    lo = arena_alloc_array(ctx->arena, buckets, sizeof *lo);
    codes = arena_alloc_array(ctx->arena, count, sizeof *codes);
    if (!lo || !codes)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < buckets; k++)
        lo[k] = first.lo + k * b->width;
    bucket_codes(t, count, lo, (uint32_t)buckets, codes);
    ret->form = VEC_DICT;
    ret->data = lo;
    ret->codes = codes;
    ret->dict_count = (uint32_t)buckets;
    return 0;
}
#else
static int bucket_few(const struct func_ctx *ctx DN_UNUSED,
                      const struct bucketer *b DN_UNUSED,
                      const int64_t *t DN_UNUSED,
                      uint32_t count DN_UNUSED,
                      struct vec *ret DN_UNUSED,
                      struct dn_err *err DN_UNUSED)
{
    return 1;
}
#endif

static int bucket_vec(const struct func_ctx *ctx,
                      const struct bucketer *b,
                      const struct vec *ts,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    const int64_t *t = ts->data;
    struct bucket k = {.lo = 1, .end = 0}; /* holds nothing */
    int64_t *to;

    if (ts->form == VEC_FLAT && !ts->nulls && count > 1) {
        int rc = bucket_order(t, count) == BUCKET_MIXED ? bucket_few(ctx, b, t, count, ret, err)
                                                        : bucket_sorted(ctx, b, t, count, ret, err);

        if (rc != 1)
            return rc;
    }
    to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        int64_t x = t[ts->form == VEC_CONST ? 0 : i];

        if (!bucket_has(&k, x) && !func_bucket_of(b, x, &k)) {
            if (!vec_is_null(ret, i))
                return func_fail_range(ret->type, err);
            k = (struct bucket){.lo = 1, .end = 0};
        }
        to[i] = k.lo;
    }
    return 0;
}

/* ---- widths ---- */

static int bucket_fail_width(const char *why, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_INVALID_PARAM, "%s", why);
}

static int bucket_fail_empty(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_DATETIME_RANGE, "a bucket must be wider than nothing");
}

/* A bucketer of a width from 1970-01-01 (or origin, in units) on. */
static int bucket_by_width(struct vinterval v,
                           enum type_id type,
                           const int64_t *origin,
                           struct bucketer *ret,
                           struct dn_err *err)
{
    int64_t per = type_ts_per_second(type);
    struct bucketer b = {.per = per};
    int64_t us;

    if (v.months) {
        struct civil c;

        if (v.days || v.us)
            return bucket_fail_width("a bucket has months or days and hours, not both", err);
        if (v.months < 0)
            return bucket_fail_empty(err);
        b.months = v.months;
        b.origin_month = (int64_t)1970 * 12;
        if (origin) {
            c = civil_from_days(civil_floor(*origin, CIVIL_DAY_SECONDS * per));
            if (c.day != 1 || civil_mod(*origin, CIVIL_DAY_SECONDS * per) != 0)
                return bucket_fail_width("buckets of months start with the first of a month", err);
            b.origin_month = c.year * 12 + c.month - 1;
        }
        *ret = b;
        return 0;
    }
    if (__builtin_mul_overflow(
            (int64_t)v.days, (int64_t)CIVIL_DAY_SECONDS * BUCKET_US_SECOND, &us) ||
        __builtin_add_overflow(us, v.us, &us))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "interval out of range");
    if (us <= 0)
        return bucket_fail_empty(err);
    if (per < BUCKET_US_SECOND) {
        int64_t unit = BUCKET_US_SECOND / per;

        if (us % unit != 0) {
            int rc = bucket_fail_width("the bucket is finer than the time stamp", err);

            dn_err_hint(err, "Cast the time stamp to TIMESTAMP(6).");
            return rc;
        }
        b.width = us / unit;
    } else if (__builtin_mul_overflow(us, per / BUCKET_US_SECOND, &b.width)) {
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "interval out of range");
    }
    b.origin = origin ? civil_mod(*origin, b.width) : 0;
    *ret = b;
    return 0;
}

/* ---- date_trunc ---- */

static const struct {
    const char *word;
    int64_t us;     /* width */
    int64_t months; /* or that */
} bucket_fields[] = {
    {"microsecond", 1, 0},
    {"millisecond", 1000, 0},
    {"second", BUCKET_US_SECOND, 0},
    {"minute", (int64_t)60 * BUCKET_US_SECOND, 0},
    {"hour", (int64_t)3600 * BUCKET_US_SECOND, 0},
    {"day", (int64_t)CIVIL_DAY_SECONDS *BUCKET_US_SECOND, 0},
    {"week", (int64_t)7 * CIVIL_DAY_SECONDS *BUCKET_US_SECOND, 0},
    {"month", 0, 1},
    {"quarter", 0, 3},
    {"year", 0, 12},
    {"decade", 0, 120},
    {"century", 0, 1200},
    {"millennium", 0, 12000},
};

/* "hour" and whatever else it is called. */
static bool bucket_field_is(const char *word, struct vstr s)
{
    const char *name = func_unit_name(s);

    return name && strcmp(word, name) == 0;
}

int func_bucket_by_field(struct vstr field,
                         enum type_id type,
                         struct bucketer *ret,
                         struct dn_err *err)
{
    int64_t per = type_ts_per_second(type);
    struct vinterval width;
    struct dn_err local;

    for (size_t i = 0; i < DN_ARRAY_SIZE(bucket_fields); i++) {
        int64_t us = bucket_fields[i].us;

        if (!bucket_field_is(bucket_fields[i].word, field))
            continue;
        *ret = (struct bucketer){.per = per, .months = bucket_fields[i].months};
        if (us) /* what is finer than the type changes nothing */
            ret->width = us < BUCKET_US_SECOND / per ? 1
                         : per >= BUCKET_US_SECOND   ? us * (per / BUCKET_US_SECOND)
                                                     : us / (BUCKET_US_SECOND / per);
        if (strcmp(bucket_fields[i].word, "week") == 0)
            ret->origin = BUCKET_MONDAY * CIVIL_DAY_SECONDS * per;
        if (ret->months >= 1200) /* centuries start with year 1 */
            ret->origin_month = 12;
        return 0;
    }
    if (text_parse_interval(field, &width, &local) == 0) /* '15 minutes' */
        return bucket_by_width(width, type, NULL, ret, err);
    return DN_FAIL(err,
                   DN_E_INVALID_PARAM,
                   "unit \"%.*s\" not recognized for type %s",
                   field.len > 60 ? 60 : (int)field.len,
                   field.ptr,
                   type_word(type));
}

/* ---- kernels ---- */

/* Where a function has its arguments. */
struct bucket_args {
    const struct vec *field; /* VARCHAR, or NULL */
    const struct vec *width; /* INTERVAL, or NULL */
    const struct vec *ts;
    const struct vec *origin; /* NULL = none */
};

static int bucket_make(const struct bucket_args *a,
                       uint32_t row,
                       enum type_id type,
                       struct bucketer *ret,
                       struct dn_err *err)
{
    int64_t origin;

    if (a->field)
        return func_bucket_by_field(vec_str(a->field, row), type, ret, err);
    origin = a->origin ? vec_i64(a->origin, row) : 0;
    return bucket_by_width(((const struct vinterval *)a->width->data)[vec_at(a->width, row)],
                           type,
                           a->origin ? &origin : NULL,
                           ret,
                           err);
}

/* Does a row count? If not, a bad width is nobody's. */
static bool bucket_any(const struct vec *ret, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!vec_is_null(ret, i))
            return true;
    return false;
}

static int bucket_run(const struct func_ctx *ctx,
                      const struct bucket_args *a,
                      uint32_t count,
                      struct vec *ret,
                      struct dn_err *err)
{
    const struct vec *by = a->field ? a->field : a->width;
    struct bucketer b;
    int64_t *to;

    if (by->form == VEC_CONST && (!a->origin || a->origin->form == VEC_CONST)) {
        int rc = bucket_any(ret, count) ? bucket_make(a, 0, ret->type, &b, err) : 1;

        if (rc == 0)
            return bucket_vec(ctx, &b, a->ts, count, ret, err);
        if (rc < 0)
            return rc;
    }
    to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct bucket k;
        int rc;

        to[i] = 0;
        if (vec_is_null(ret, i))
            continue;
        rc = bucket_make(a, i, ret->type, &b, err);
        if (rc == 0 && !func_bucket_of(&b, vec_i64(a->ts, i), &k))
            rc = func_fail_range(ret->type, err);
        if (rc < 0)
            return rc;
        to[i] = k.lo;
    }
    return 0;
}

static int func_date_trunc(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t args_count DN_UNUSED,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err)
{
    struct bucket_args a = {.field = &args[0], .ts = &args[1]};

    return bucket_run(ctx, &a, count, ret, err);
}

static int func_time_bucket(const struct func_ctx *ctx,
                            const struct vec *args,
                            uint32_t args_count,
                            uint32_t count,
                            struct vec *ret,
                            struct dn_err *err)
{
    struct bucket_args a = {.width = &args[0], .ts = &args[1]};

    if (args_count == 3)
        a.origin = &args[2];
    return bucket_run(ctx, &a, count, ret, err);
}

static int func_time(const struct func_ctx *ctx,
                     const struct vec *args,
                     uint32_t args_count DN_UNUSED,
                     uint32_t count,
                     struct vec *ret,
                     struct dn_err *err)
{
    struct bucket_args a = {.width = &args[1], .ts = &args[0]};

    return bucket_run(ctx, &a, count, ret, err);
}

#define BUCKET_DOC      "The start of the bucket of that width, counted from 1970-01-01 UTC."
#define BUCKET_FROM_DOC "The start of the bucket of that width, counted from the time given last."
#define BUCKET(fname, n, at, t, fn, text, sample, ...)                                    \
    {                                                                                     \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = t,               \
        .flags = FUNC_STRICT | FUNC_MONOTONIC, .mono_arg = at, .kernel = fn, .doc = text, \
        .example = sample                                                                 \
    }
#define TRUNC(t, sql, between, zeros)                                                              \
    BUCKET("date_trunc",                                                                           \
           2,                                                                                      \
           1,                                                                                      \
           t,                                                                                      \
           func_date_trunc,                                                                        \
           "The start of the second, minute, hour, day, week (Monday), month, quarter, year, "     \
           "decade, century or millennium; or of a bucket as time_bucket gives it.",               \
           "date_trunc('hour', " sql " '2015-06-01T09:47') = 2015-06-01" between "09:00:00" zeros, \
           TYPE_VARCHAR,                                                                           \
           t)
#define BUCKETS(t, sql, between, zeros)                                                          \
    BUCKET("time_bucket",                                                                        \
           2,                                                                                    \
           1,                                                                                    \
           t,                                                                                    \
           func_time_bucket,                                                                     \
           BUCKET_DOC,                                                                           \
           "time_bucket(INTERVAL '15m', " sql " '2015-06-01T09:47') = 2015-06-01" between        \
           "09:45:00" zeros,                                                                     \
           TYPE_INTERVAL,                                                                        \
           t),                                                                                   \
        BUCKET("time_bucket",                                                                    \
               3,                                                                                \
               1,                                                                                \
               t,                                                                                \
               func_time_bucket,                                                                 \
               BUCKET_FROM_DOC,                                                                  \
               "time_bucket(INTERVAL '1 week', " sql " '2015-06-01', " sql                       \
               " '2015-01-04') = 2015-05-31" between "00:00:00" zeros,                           \
               TYPE_INTERVAL,                                                                    \
               t,                                                                                \
               t),                                                                               \
        BUCKET("date_bin",                                                                       \
               3,                                                                                \
               1,                                                                                \
               t,                                                                                \
               func_time_bucket,                                                                 \
               BUCKET_FROM_DOC,                                                                  \
               "date_bin(INTERVAL '15m', " sql " '2015-06-01T09:47', " sql                       \
               " '2015-01-01T00:05') = 2015-06-01" between "09:35:00" zeros,                     \
               TYPE_INTERVAL,                                                                    \
               t,                                                                                \
               t),                                                                               \
        BUCKET("time",                                                                           \
               2,                                                                                \
               0,                                                                                \
               t,                                                                                \
               func_time,                                                                        \
               "time_bucket with the arguments the other way round, for GROUP BY time(t, 15m).", \
               "time(" sql " '2015-06-01T09:47', INTERVAL '15m') = 2015-06-01" between           \
               "09:45:00" zeros,                                                                 \
               t,                                                                                \
               TYPE_INTERVAL)

#define LOCAL_SAMPLE(time) "TIMESTAMPTZ '" time "' AT TIME ZONE 'UTC'"
#define LOCAL_BUCKETS                                                                            \
    BUCKET("date_trunc",                                                                         \
           2,                                                                                    \
           1,                                                                                    \
           TYPE_TIMESTAMP_LOCAL,                                                                 \
           func_date_trunc,                                                                      \
           "The same of a time without a zone.",                                                 \
           "date_trunc('hour', " LOCAL_SAMPLE("2015-06-01T09:47") ") = 2015-06-01 09:00:00",     \
           TYPE_VARCHAR,                                                                         \
           TYPE_TIMESTAMP_LOCAL),                                                                \
        BUCKET("time_bucket",                                                                    \
               2,                                                                                \
               1,                                                                                \
               TYPE_TIMESTAMP_LOCAL,                                                             \
               func_time_bucket,                                                                 \
               BUCKET_DOC,                                                                       \
               "time_bucket(INTERVAL '15m', " LOCAL_SAMPLE("2015-06-01T09:47") ") = 2015-06-01 " \
                                                                               "09:45:00",       \
               TYPE_INTERVAL,                                                                    \
               TYPE_TIMESTAMP_LOCAL),                                                            \
        BUCKET("time_bucket",                                                                    \
               3,                                                                                \
               1,                                                                                \
               TYPE_TIMESTAMP_LOCAL,                                                             \
               func_time_bucket,                                                                 \
               BUCKET_FROM_DOC,                                                                  \
               "time_bucket(INTERVAL '1 week', " LOCAL_SAMPLE("2015-06-01") ", " LOCAL_SAMPLE(   \
                   "2015-01-04") ") = 2015-05-31 00:00:00",                                      \
               TYPE_INTERVAL,                                                                    \
               TYPE_TIMESTAMP_LOCAL,                                                             \
               TYPE_TIMESTAMP_LOCAL),                                                            \
        BUCKET("date_bin",                                                                       \
               3,                                                                                \
               1,                                                                                \
               TYPE_TIMESTAMP_LOCAL,                                                             \
               func_time_bucket,                                                                 \
               BUCKET_FROM_DOC,                                                                  \
               "date_bin(INTERVAL '15m', " LOCAL_SAMPLE("2015-06-01T09:47") ", " LOCAL_SAMPLE(   \
                   "2015-01-01T00:05") ") = 2015-06-01 "                                         \
                                       "09:35:00",                                               \
               TYPE_INTERVAL,                                                                    \
               TYPE_TIMESTAMP_LOCAL,                                                             \
               TYPE_TIMESTAMP_LOCAL)

static const struct func func_bucket_rows[] = {
    TRUNC(TYPE_TIMESTAMP, "TIMESTAMP", "T", ".000Z"),
    TRUNC(TYPE_TIMESTAMP_US, "TIMESTAMP(6)", "T", ".000000Z"),
    TRUNC(TYPE_TIMESTAMP_NS, "TIMESTAMP(9)", "T", ".000000000Z"),
    BUCKETS(TYPE_TIMESTAMP, "TIMESTAMP", "T", ".000Z"),
    BUCKETS(TYPE_TIMESTAMP_US, "TIMESTAMP(6)", "T", ".000000Z"),
    BUCKETS(TYPE_TIMESTAMP_NS, "TIMESTAMP(9)", "T", ".000000000Z"),
    BUCKETS(TYPE_TIMESTAMPTZ, "TIMESTAMPTZ", " ", "+00"),
    LOCAL_BUCKETS,
};

const struct func_table func_table_bucket = {func_bucket_rows, DN_ARRAY_SIZE(func_bucket_rows)};
