/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_sum.c: sum, avg and mean.
 *
 * Integers add up in 128 bits, so only the result can be too big for BIGINT. Floats add up in four
 * lanes, the n-th value of a group in lane n mod 4, and the lanes are added at the end: the
 * vectorizer can keep them in one register, and the result depends on the order of the group's
 * values alone, not on how they were cut into batches or which update saw them. */
#include "func/func_int.h"

#include <math.h>

#define AGG_LANES 4u

struct agg_sum_int {
    agg_i128 sum;
    int64_t count; /* values */
};

struct agg_sum_float {
    double lane[AGG_LANES];
    int64_t count; /* values; the next goes to lane count % AGG_LANES */
};

/* ---- integers ---- */

static inline void agg_int_one(void *state, int64_t x)
{
    struct agg_sum_int *s = state;

    s->sum += x;
    s->count++;
}

/* At most VEC_ROWS_MAX values, so 32-bit halves cannot overflow 64 bits. */
static void agg_i64_many(void *state, const int64_t *data, uint32_t count)
{
    struct agg_sum_int *s = state;
    int64_t high = 0;
    uint64_t low = 0;

    DN_ASSERT(count <= VEC_ROWS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        high += data[i] >> 32;
        low += (uint64_t)data[i] & UINT32_MAX;
    }
    s->sum += (agg_i128)high * ((int64_t)1 << 32) + (agg_i128)low;
    s->count += count;
}

static void agg_i32_many(void *state, const int32_t *data, uint32_t count)
{
    struct agg_sum_int *s = state;
    int64_t sum = 0;

    DN_ASSERT(count <= VEC_ROWS_MAX);
    for (uint32_t i = 0; i < count; i++)
        sum += data[i];
    s->sum += sum;
    s->count += count;
}

static void agg_i16_many(void *state, const int16_t *data, uint32_t count)
{
    struct agg_sum_int *s = state;
    int32_t sum = 0;

    DN_ASSERT(count <= VEC_ROWS_MAX);
    for (uint32_t i = 0; i < count; i++)
        sum += data[i];
    s->sum += sum;
    s->count += count;
}

#define SUM_T       int64_t
#define SUM_STATE   struct agg_sum_int
#define SUM_ONE     agg_int_one
#define SUM_MANY    agg_i64_many
#define SUM_ALL     agg_sum_i64_all
#define SUM_GROUPED agg_sum_i64_grouped
#define SUM_TURNS   agg_sum_i64_turns
#include "func/agg_sum_tmpl.h"

#define SUM_T       int32_t
#define SUM_STATE   struct agg_sum_int
#define SUM_ONE     agg_int_one
#define SUM_MANY    agg_i32_many
#define SUM_ALL     agg_sum_i32_all
#define SUM_GROUPED agg_sum_i32_grouped
#define SUM_TURNS   agg_sum_i32_turns
#include "func/agg_sum_tmpl.h"

#define SUM_T       int16_t
#define SUM_STATE   struct agg_sum_int
#define SUM_ONE     agg_int_one
#define SUM_MANY    agg_i16_many
#define SUM_ALL     agg_sum_i16_all
#define SUM_GROUPED agg_sum_i16_grouped
#define SUM_TURNS   agg_sum_i16_turns
#include "func/agg_sum_tmpl.h"

static int agg_int_merge(void *into,
                         const void *from,
                         struct arena *strings DN_UNUSED,
                         struct dn_err *err DN_UNUSED)
{
    struct agg_sum_int *a = into;
    const struct agg_sum_int *b = from;

    a->sum += b->sum;
    a->count += b->count;
    return 0;
}

static int agg_int_zone(void *state,
                        const struct agg_zone *z,
                        struct arena *strings DN_UNUSED,
                        struct dn_err *err DN_UNUSED)
{
    struct agg_sum_int *s = state;

    s->sum += z->sum.i64;
    s->count += z->rows - z->nulls;
    return 0;
}

static int agg_int_emit_sum(const void *state, struct datum *ret, struct dn_err *err)
{
    const struct agg_sum_int *s = state;

    if (s->sum > INT64_MAX || s->sum < INT64_MIN) {
        DN_IGNORE(DN_FAIL(err, DN_E_OUT_OF_RANGE, "sum: BIGINT out of range"));
        dn_err_hint(err, "Cast the argument to DOUBLE.");
        return DN_E_OUT_OF_RANGE;
    }
    *ret = (struct datum){.type = TYPE_BIGINT, .null = !s->count, .v.i64 = (int64_t)s->sum};
    return 0;
}

static int agg_int_emit_avg(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_sum_int *s = state;

    *ret = (struct datum){.type = TYPE_DOUBLE, .null = !s->count};
    if (s->count)
        ret->v.f64 = (double)s->sum / (double)s->count;
    return 0;
}

/* ---- floats ---- */

static inline void agg_f64_one(void *state, double x)
{
    struct agg_sum_float *s = state;

    s->lane[(uint64_t)s->count % AGG_LANES] += x;
    s->count++;
}

static inline void agg_f32_one(void *state, float x)
{
    agg_f64_one(state, (double)x);
}

/* First to the next whole round of lanes, then rounds, then the rest. sel NULL: all rows. */
static inline __attribute__((always_inline)) void
agg_f64_rounds(struct agg_sum_float *s, const double *data, const uint16_t *sel, uint32_t count)
{
    double lane[AGG_LANES];
    uint32_t i = 0;

    for (; i < count && (uint64_t)s->count % AGG_LANES; i++)
        agg_f64_one(s, data[sel ? sel[i] : i]);
    for (uint32_t k = 0; k < AGG_LANES; k++)
        lane[k] = s->lane[k];
    for (; i + AGG_LANES <= count; i += AGG_LANES) {
        for (uint32_t k = 0; k < AGG_LANES; k++)
            lane[k] += data[sel ? sel[i + k] : i + k];
        s->count += AGG_LANES;
    }
    for (uint32_t k = 0; k < AGG_LANES; k++)
        s->lane[k] = lane[k];
    for (; i < count; i++)
        agg_f64_one(s, data[sel ? sel[i] : i]);
}

static void agg_f64_many(void *state, const double *data, uint32_t count)
{
    agg_f64_rounds(state, data, NULL, count);
}

static void agg_f64_pick(void *state, const double *data, const uint16_t *sel, uint32_t count)
{
    agg_f64_rounds(state, data, sel, count);
}

static void agg_f32_many(void *state, const float *data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        agg_f32_one(state, data[i]);
}

#define SUM_T       double
#define SUM_STATE   struct agg_sum_float
#define SUM_ONE     agg_f64_one
#define SUM_MANY    agg_f64_many
#define SUM_PICK    agg_f64_pick
#define SUM_ALL     agg_sum_f64_all
#define SUM_GROUPED agg_sum_f64_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       float
#define SUM_STATE   struct agg_sum_float
#define SUM_ONE     agg_f32_one
#define SUM_MANY    agg_f32_many
#define SUM_ALL     agg_sum_f32_all
#define SUM_GROUPED agg_sum_f32_grouped
#define SUM_TURNS   agg_sum_f32_turns
#include "func/agg_sum_tmpl.h"

/* As the template has it for others, with the lanes in registers. */
static void
agg_sum_f64_turns(void *const *states, const struct vec *v, uint32_t turn, uint32_t rows)
{
    const double *data = v->data;

    for (uint32_t i = 0; i < turn; i++) {
        struct agg_sum_float *s = states[i];
        uint32_t next = (uint32_t)((uint64_t)s->count % AGG_LANES);
        double lane[AGG_LANES];
        uint32_t row = i;

        for (uint32_t k = 0; k < AGG_LANES; k++)
            lane[k] = s->lane[(next + k) % AGG_LANES];
        for (; row + (AGG_LANES - 1) * turn < rows; row += AGG_LANES * turn) {
            for (uint32_t k = 0; k < AGG_LANES; k++)
                lane[k] += data[row + k * turn];
            s->count += AGG_LANES;
        }
        for (uint32_t k = 0; k < AGG_LANES; k++)
            s->lane[(next + k) % AGG_LANES] = lane[k];
        for (; row < rows; row += turn)
            agg_f64_one(s, data[row]);
    }
}

static double agg_float_total(const struct agg_sum_float *s)
{
    return (s->lane[0] + s->lane[1]) + (s->lane[2] + s->lane[3]);
}

/* Parts are added as one value each: merging is for parallel runs, whose order is free anyway. */
static int agg_float_merge(void *into,
                           const void *from,
                           struct arena *strings DN_UNUSED,
                           struct dn_err *err DN_UNUSED)
{
    struct agg_sum_float *a = into;
    const struct agg_sum_float *b = from;

    for (uint32_t k = 0; k < AGG_LANES; k++)
        a->lane[k] += b->lane[k];
    a->count += b->count;
    return 0;
}

static int agg_float_zone(void *state,
                          const struct agg_zone *z,
                          struct arena *strings DN_UNUSED,
                          struct dn_err *err DN_UNUSED)
{
    struct agg_sum_float *s = state;

    s->lane[0] += z->sum.f64;
    s->count += z->rows - z->nulls;
    return 0;
}

static int agg_float_emit_sum(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_sum_float *s = state;

    *ret = (struct datum){.type = TYPE_DOUBLE, .null = !s->count, .v.f64 = agg_float_total(s)};
    return 0;
}

/* Of REAL: added up in double precision, so that only the result is rounded. */
static int agg_float_emit_sum32(const void *state, struct datum *ret, struct dn_err *err)
{
    const struct agg_sum_float *s = state;
    double total = agg_float_total(s);

    *ret = (struct datum){.type = TYPE_REAL, .null = !s->count};
    if (s->count && isfinite(total) && fabs(total) >= 0x1.ffffffp127)
        return func_fail_range(TYPE_REAL, err);
    ret->v.f64 = isfinite(total) ? (double)(float)total : total;
    return 0;
}

static int agg_float_emit_avg(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_sum_float *s = state;

    *ret = (struct datum){.type = TYPE_DOUBLE, .null = !s->count};
    if (s->count)
        ret->v.f64 = agg_float_total(s) / (double)s->count;
    return 0;
}

#define SUM_ROW(aname, t, r, suffix, kind, final, text, sample)                                 \
    {                                                                                           \
        .name = aname, .arg = TYPE_##t, .result = TYPE_##r,                                     \
        .state_size = sizeof(struct agg_sum_##kind), .update_all = agg_sum_##suffix##_all,      \
        .update_grouped = agg_sum_##suffix##_grouped, .update_turns = agg_sum_##suffix##_turns, \
        .merge = agg_##kind##_merge, .emit = agg_##kind##_emit_##final,                         \
        .update_zone = agg_##kind##_zone, .zone = AGG_ZONE_COUNT | AGG_ZONE_SUM, .doc = text,   \
        .example = sample                                                                       \
    }
#define SUM_ROWS(aname, ints, final, text, int_sample, float_sample)       \
    SUM_ROW(aname, BIGINT, ints, i64, int, final, text, int_sample),       \
        SUM_ROW(aname, INTEGER, ints, i32, int, final, text, int_sample),  \
        SUM_ROW(aname, SMALLINT, ints, i16, int, final, text, int_sample), \
        SUM_ROW(aname, DOUBLE, DOUBLE, f64, float, final, text, float_sample)

static const struct agg agg_sum_rows[] = {
    SUM_ROWS("sum",
             BIGINT,
             sum,
             "Sum of the values that are not NULL; NULL when there are none.",
             "sum of (1, 2, 3) = 6",
             "sum of (0.5, NULL, 0.25) = 0.75"),
    SUM_ROW("sum",
            REAL,
            REAL,
            f32,
            float,
            sum32,
            "Sum of the values that are not NULL; NULL when there are none.",
            "sum of (0.5, NULL, 0.25) = 0.75"),
    SUM_ROWS("avg",
             DOUBLE,
             avg,
             "Arithmetic mean of the values that are not NULL; NULL when there are none.",
             "avg of (1, 2, NULL) = 1.5",
             "avg of (0.5, NULL, 1) = 0.75"),
    SUM_ROW("avg",
            REAL,
            DOUBLE,
            f32,
            float,
            avg,
            "Arithmetic mean of the values that are not NULL; NULL when there are none.",
            "avg of (0.5, NULL, 1) = 0.75"),
    SUM_ROWS("mean",
             DOUBLE,
             avg,
             "The same as avg.",
             "mean of (1, 2, NULL) = 1.5",
             "mean of (0.5, NULL, 1) = 0.75"),
    SUM_ROW(
        "mean", REAL, DOUBLE, f32, float, avg, "The same as avg.", "mean of (0.5, NULL, 1) = 0.75"),
};

const struct agg_table agg_table_sum = {agg_sum_rows, DN_ARRAY_SIZE(agg_sum_rows)};
