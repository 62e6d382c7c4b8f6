/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_stddev.c: standard deviation and variance, of a sample and of a population.
 *
 * The state has the number of values, their sum, and the sum of squares of their distances from
 * the mean, which is brought up to date with each value (Youngs and Cramer), so that no big numbers
 * are subtracted from each other at the end. Parts are merged as Chan has it. */
#include "func/func_int.h"

#include <math.h>

struct agg_dev {
    double count;
    double sum;
    double squares; /* of distances from the mean */
};

static inline void agg_dev_one(void *state, double x)
{
    struct agg_dev *s = state;

    s->count += 1;
    s->sum += x;
    if (s->count > 1) {
        double distance = x * s->count - s->sum;

        s->squares += distance * distance / (s->count * (s->count - 1));
    } else {
        s->squares = x - x; /* NaN for what is not finite */
    }
}

#define AGG_DEV_TYPE(suffix, T)                                                   \
    static inline void agg_dev_one_##suffix(void *state, T x)                     \
    {                                                                             \
        agg_dev_one(state, (double)x);                                            \
    }                                                                             \
    static void agg_dev_many_##suffix(void *state, const T *data, uint32_t count) \
    {                                                                             \
        for (uint32_t i = 0; i < count; i++)                                      \
            agg_dev_one(state, (double)data[i]);                                  \
    }
AGG_DEV_TYPE(i64, int64_t)
AGG_DEV_TYPE(i32, int32_t)
AGG_DEV_TYPE(i16, int16_t)
AGG_DEV_TYPE(f64, double)
AGG_DEV_TYPE(f32, float)

#define SUM_T       int64_t
#define SUM_STATE   struct agg_dev
#define SUM_ONE     agg_dev_one_i64
#define SUM_MANY    agg_dev_many_i64
#define SUM_ALL     agg_dev_i64_all
#define SUM_GROUPED agg_dev_i64_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       int32_t
#define SUM_STATE   struct agg_dev
#define SUM_ONE     agg_dev_one_i32
#define SUM_MANY    agg_dev_many_i32
#define SUM_ALL     agg_dev_i32_all
#define SUM_GROUPED agg_dev_i32_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       int16_t
#define SUM_STATE   struct agg_dev
#define SUM_ONE     agg_dev_one_i16
#define SUM_MANY    agg_dev_many_i16
#define SUM_ALL     agg_dev_i16_all
#define SUM_GROUPED agg_dev_i16_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       double
#define SUM_STATE   struct agg_dev
#define SUM_ONE     agg_dev_one_f64
#define SUM_MANY    agg_dev_many_f64
#define SUM_ALL     agg_dev_f64_all
#define SUM_GROUPED agg_dev_f64_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       float
#define SUM_STATE   struct agg_dev
#define SUM_ONE     agg_dev_one_f32
#define SUM_MANY    agg_dev_many_f32
#define SUM_ALL     agg_dev_f32_all
#define SUM_GROUPED agg_dev_f32_grouped
#include "func/agg_sum_tmpl.h"

static int agg_dev_merge(void *into,
                         const void *from,
                         struct arena *strings DN_UNUSED,
                         struct dn_err *err DN_UNUSED)
{
    struct agg_dev *a = into;
    const struct agg_dev *b = from;
    double count = a->count + b->count;
    double apart;

    if (b->count == 0)
        return 0;
    if (a->count == 0) {
        *a = *b;
        return 0;
    }
    apart = a->sum / a->count - b->sum / b->count;
    a->squares += b->squares + a->count * b->count * apart * apart / count;
    a->sum += b->sum;
    a->count = count;
    return 0;
}

/* least: values it takes to have one. */
static int agg_dev_emit(const struct agg_dev *s, double least, bool root, struct datum *ret)
{
    double v = s->squares / (s->count - (least - 1));

    *ret = (struct datum){.type = TYPE_DOUBLE, .null = s->count < least};
    if (!ret->null)
        ret->v.f64 = root ? sqrt(v) : v;
    return 0;
}

#define AGG_DEV_EMIT(name, least, root)                                                            \
    static int agg_emit_##name(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED) \
    {                                                                                              \
        return agg_dev_emit(state, least, root, ret);                                              \
    }
AGG_DEV_EMIT(stddev_samp, 2, true)
AGG_DEV_EMIT(stddev_pop, 1, true)
AGG_DEV_EMIT(var_samp, 2, false)
AGG_DEV_EMIT(var_pop, 1, false)

#define DEV_ROW(aname, t, suffix, final, text, sample)                              \
    {                                                                               \
        .name = aname, .arg = TYPE_##t, .result = TYPE_DOUBLE,                      \
        .state_size = sizeof(struct agg_dev), .update_all = agg_dev_##suffix##_all, \
        .update_grouped = agg_dev_##suffix##_grouped, .merge = agg_dev_merge,       \
        .emit = agg_emit_##final, .doc = text, .example = sample                    \
    }
#define DEV_ROWS(aname, final, text, result)                                              \
    DEV_ROW(aname, BIGINT, i64, final, text, aname " of (1, 3, NULL) = " result),         \
        DEV_ROW(aname, INTEGER, i32, final, text, aname " of (1, 3, NULL) = " result),    \
        DEV_ROW(aname, SMALLINT, i16, final, text, aname " of (1, 3, NULL) = " result),   \
        DEV_ROW(aname, DOUBLE, f64, final, text, aname " of (0.5, NULL, 2.5) = " result), \
        DEV_ROW(aname, REAL, f32, final, text, aname " of (0.5, NULL, 2.5) = " result)

static const struct agg agg_stddev_rows[] = {
    DEV_ROWS("stddev",
             stddev_samp,
             "Standard deviation of a sample; NULL for less than two values.",
             "1.4142135623730951"),
    DEV_ROWS("stddev_samp",
             stddev_samp,
             "Standard deviation of a sample; NULL for less than two values.",
             "1.4142135623730951"),
    DEV_ROWS("stddev_pop",
             stddev_pop,
             "Standard deviation of the whole population; NULL when there are no values.",
             "1"),
    DEV_ROWS("variance", var_samp, "Variance of a sample; NULL for less than two values.", "2"),
    DEV_ROWS("var_samp", var_samp, "Variance of a sample; NULL for less than two values.", "2"),
    DEV_ROWS("var_pop",
             var_pop,
             "Variance of the whole population; NULL when there are no values.",
             "1"),
};

const struct agg_table agg_table_stddev = {agg_stddev_rows, DN_ARRAY_SIZE(agg_stddev_rows)};
