/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_interval.c: sum, avg, mean, min and max of intervals. Sums are kept part by part. */
#include "func/func_int.h"

struct agg_iv_sum {
    agg_i128 us;
    int64_t days;
    int64_t months;
    int64_t count;
};

struct agg_iv_best {
    struct vinterval v;
    bool any;
};

static inline void agg_iv_sum_one(void *state, struct vinterval x)
{
    struct agg_iv_sum *s = state;

    s->us += x.us;
    s->days += x.days;
    s->months += x.months;
    s->count++;
}

static inline void agg_iv_min_one(void *state, struct vinterval x)
{
    struct agg_iv_best *s = state;

    if (!s->any || vinterval_cmp(x, s->v) < 0)
        s->v = x;
    s->any = true;
}

static inline void agg_iv_max_one(void *state, struct vinterval x)
{
    struct agg_iv_best *s = state;

    if (!s->any || vinterval_cmp(x, s->v) > 0)
        s->v = x;
    s->any = true;
}

#define AGG_IV_MANY(name)                                                                       \
    static void agg_iv_##name##_many(void *state, const struct vinterval *data, uint32_t count) \
    {                                                                                           \
        for (uint32_t i = 0; i < count; i++)                                                    \
            agg_iv_##name##_one(state, data[i]);                                                \
    }
AGG_IV_MANY(sum)
AGG_IV_MANY(min)
AGG_IV_MANY(max)

#define SUM_T       struct vinterval
#define SUM_STATE   struct agg_iv_sum
#define SUM_ONE     agg_iv_sum_one
#define SUM_MANY    agg_iv_sum_many
#define SUM_ALL     agg_iv_sum_all
#define SUM_GROUPED agg_iv_sum_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       struct vinterval
#define SUM_STATE   struct agg_iv_best
#define SUM_ONE     agg_iv_min_one
#define SUM_MANY    agg_iv_min_many
#define SUM_ALL     agg_iv_min_all
#define SUM_GROUPED agg_iv_min_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       struct vinterval
#define SUM_STATE   struct agg_iv_best
#define SUM_ONE     agg_iv_max_one
#define SUM_MANY    agg_iv_max_many
#define SUM_ALL     agg_iv_max_all
#define SUM_GROUPED agg_iv_max_grouped
#include "func/agg_sum_tmpl.h"

static int agg_iv_sum_merge(void *into,
                            const void *from,
                            struct arena *strings DN_UNUSED,
                            struct dn_err *err DN_UNUSED)
{
    struct agg_iv_sum *a = into;
    const struct agg_iv_sum *b = from;

    a->us += b->us;
    a->days += b->days;
    a->months += b->months;
    a->count += b->count;
    return 0;
}

static int agg_iv_min_merge(void *into,
                            const void *from,
                            struct arena *strings DN_UNUSED,
                            struct dn_err *err DN_UNUSED)
{
    const struct agg_iv_best *b = from;

    if (b->any)
        agg_iv_min_one(into, b->v);
    return 0;
}

static int agg_iv_max_merge(void *into,
                            const void *from,
                            struct arena *strings DN_UNUSED,
                            struct dn_err *err DN_UNUSED)
{
    const struct agg_iv_best *b = from;

    if (b->any)
        agg_iv_max_one(into, b->v);
    return 0;
}

static int agg_iv_emit_best(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_iv_best *s = state;

    *ret = (struct datum){.type = TYPE_INTERVAL, .null = !s->any, .iv = s->v};
    return 0;
}

static int agg_iv_emit_sum(const void *state, struct datum *ret, struct dn_err *err)
{
    const struct agg_iv_sum *s = state;

    *ret = (struct datum){.type = TYPE_INTERVAL, .null = !s->count};
    if (s->us > INT64_MAX || s->us < INT64_MIN || s->days > INT32_MAX || s->days < INT32_MIN ||
        s->months > INT32_MAX || s->months < INT32_MIN)
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "interval out of range");
    ret->iv = (struct vinterval){
        .us = (int64_t)s->us, .days = (int32_t)s->days, .months = (int32_t)s->months};
    return 0;
}

static int agg_iv_emit_avg(const void *state, struct datum *ret, struct dn_err *err)
{
    const struct agg_iv_sum *s = state;
    double count = (double)s->count;

    *ret = (struct datum){.type = TYPE_INTERVAL, .null = !s->count};
    if (!s->count)
        return 0;
    return func_interval_spread(
        (double)s->months / count, (double)s->days / count, (double)s->us / count, &ret->iv, err);
}

#define IV_ROW(aname, kernel, state, final, text, shown)                               \
    {                                                                                  \
        .name = aname, .arg = TYPE_INTERVAL, .result = TYPE_INTERVAL,                  \
        .state_size = sizeof(struct state), .update_all = agg_iv_##kernel##_all,       \
        .update_grouped = agg_iv_##kernel##_grouped, .merge = agg_iv_##kernel##_merge, \
        .emit = agg_iv_emit_##final, .doc = text,                                      \
        .example = aname " of (1 day, NULL, 12:00) = " shown                           \
    }

static const struct agg agg_interval_rows[] = {
    IV_ROW("sum",
           sum,
           agg_iv_sum,
           sum,
           "Sum of the values that are not NULL; NULL when there are none.",
           "1 day 12:00:00"),
    IV_ROW("avg",
           sum,
           agg_iv_sum,
           avg,
           "Arithmetic mean of the values that are not NULL; NULL when there are none.",
           "18:00:00"),
    IV_ROW("mean", sum, agg_iv_sum, avg, "The same as avg.", "18:00:00"),
    IV_ROW("min",
           min,
           agg_iv_best,
           best,
           "Least value that is not NULL; NULL when there is none.",
           "12:00:00"),
    IV_ROW("max",
           max,
           agg_iv_best,
           best,
           "Greatest value that is not NULL; NULL when there is none.",
           "1 day"),
};

const struct agg_table agg_table_interval = {agg_interval_rows, DN_ARRAY_SIZE(agg_interval_rows)};
