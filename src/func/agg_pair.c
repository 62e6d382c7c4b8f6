/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_pair.c: statistics of pairs (y, x): correlation, covariance, linear regression. Pairs with a
 * NULL do not count. The sums of squares are those of distances from the mean, brought up to date
 * pair by pair as agg_stddev.c has it. */
#include "func/agg_each.h"

#include <math.h>

struct agg_pair {
    double count;
    double x; /* sums */
    double y;
    double xx; /* of distances from the mean */
    double yy;
    double xy;
};

/* A sum of squares beyond DOUBLE: an error if all that went in was finite, else not a number. */
static int agg_pair_infinite(struct agg_pair *s, bool x_finite, bool y_finite, struct dn_err *err)
{
    bool over = (x_finite && (isinf(s->x) || isinf(s->xx))) ||
                (y_finite && (isinf(s->y) || isinf(s->yy))) ||
                (x_finite && y_finite && isinf(s->xy));

    if (over)
        return DN_FAIL(err, DN_E_OUT_OF_RANGE, "DOUBLE out of range: overflow");
    if (isinf(s->xx))
        s->xx = (double)NAN;
    if (isinf(s->yy))
        s->yy = (double)NAN;
    if (isinf(s->xy))
        s->xy = (double)NAN;
    return 0;
}

static int agg_pair_add(struct agg_pair *s, double y, double x, struct dn_err *err)
{
    bool x_finite = !isinf(s->x) && !isinf(x);
    bool y_finite = !isinf(s->y) && !isinf(y);
    double from_x, from_y, scale;

    s->count += 1;
    s->x += x;
    s->y += y;
    if (s->count <= 1) {
        s->xx = x - x; /* NaN for what is not finite */
        s->yy = y - y;
        s->xy = s->xx + s->yy;
        return 0;
    }
    from_x = x * s->count - s->x;
    from_y = y * s->count - s->y;
    scale = 1 / (s->count * (s->count - 1));
    s->xx += from_x * from_x * scale;
    s->yy += from_y * from_y * scale;
    s->xy += from_x * from_y * scale;
    return isfinite(s->xx + s->yy + s->xy + s->x + s->y)
               ? 0
               : agg_pair_infinite(s, x_finite, y_finite, err);
}

static inline int agg_pair_one(void *state,
                               const struct vec *v,
                               uint32_t row,
                               struct arena *strings DN_UNUSED,
                               struct dn_err *err)
{
    if (vec_is_null(&v[0], row) || vec_is_null(&v[1], row))
        return 0;
    return agg_pair_add(state,
                        ((const double *)v[0].data)[vec_at(&v[0], row)],
                        ((const double *)v[1].data)[vec_at(&v[1], row)],
                        err);
}

AGG_EACH(agg_pair, agg_pair_one)

static int agg_pair_merge(void *into,
                          const void *from,
                          struct arena *strings DN_UNUSED,
                          struct dn_err *err DN_UNUSED)
{
    struct agg_pair *a = into;
    const struct agg_pair *b = from;
    double count = a->count + b->count;
    double apart_x, apart_y, weight;

    if (b->count == 0)
        return 0;
    if (a->count == 0) {
        *a = *b;
        return 0;
    }
    apart_x = a->x / a->count - b->x / b->count;
    apart_y = a->y / a->count - b->y / b->count;
    weight = a->count * b->count;
    a->xx += b->xx + weight * apart_x * apart_x / count;
    a->yy += b->yy + weight * apart_y * apart_y / count;
    a->xy += b->xy + weight * apart_x * apart_y / count;
    a->x += b->x;
    a->y += b->y;
    a->count = count;
    return 0;
}

/* null: beside that there are fewer than `least` pairs. */
#define AGG_PAIR_EMIT(name, least, is_null, value)                          \
    static int agg_pair_emit_##name(                                        \
        const void *state, struct datum *ret, struct dn_err *err DN_UNUSED) \
    {                                                                       \
        const struct agg_pair *s = state;                                   \
                                                                            \
        *ret = (struct datum){.type = TYPE_DOUBLE};                         \
        ret->null = s->count < (least) || (is_null);                        \
        if (!ret->null)                                                     \
            ret->v.f64 = (value);                                           \
        return 0;                                                           \
    }
AGG_PAIR_EMIT(corr, 1, s->xx == 0 || s->yy == 0, s->xy / sqrt(s->xx * s->yy))
AGG_PAIR_EMIT(covar_pop, 1, false, s->xy / s->count)
AGG_PAIR_EMIT(covar_samp, 2, false, s->xy / (s->count - 1))
AGG_PAIR_EMIT(avgx, 1, false, s->x / s->count)
AGG_PAIR_EMIT(avgy, 1, false, s->y / s->count)
AGG_PAIR_EMIT(sxx, 1, false, s->xx)
AGG_PAIR_EMIT(syy, 1, false, s->yy)
AGG_PAIR_EMIT(sxy, 1, false, s->xy)
AGG_PAIR_EMIT(slope, 1, s->xx == 0, s->xy / s->xx)
AGG_PAIR_EMIT(intercept, 1, s->xx == 0, (s->y - s->x * s->xy / s->xx) / s->count)
AGG_PAIR_EMIT(r2, 1, s->xx == 0, s->yy == 0 ? 1 : s->xy * s->xy / (s->xx * s->yy))

static int agg_pair_emit_count(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_pair *s = state;

    *ret = (struct datum){.type = TYPE_BIGINT, .v = {.i64 = (int64_t)s->count}};
    return 0;
}

#define PAIR_ROW(aname, final, type, text, sample)                              \
    {                                                                           \
        .name = aname, .arg = TYPE_DOUBLE, .arg2 = TYPE_DOUBLE, .result = type, \
        .state_size = sizeof(struct agg_pair), .update_all = agg_pair_all,      \
        .update_grouped = agg_pair_grouped, .merge = agg_pair_merge,            \
        .emit = agg_pair_emit_##final, .doc = text,                             \
        .example = aname " of (1, 3, NULL, 2) with (1, 2, 3, 3) = " sample      \
    }

static const struct agg agg_pair_rows[] = {
    PAIR_ROW("corr", corr, TYPE_DOUBLE, "Coefficient of correlation of (y, x).", "0.5"),
    PAIR_ROW("covar_pop",
             covar_pop,
             TYPE_DOUBLE,
             "Covariance of (y, x), of the whole population.",
             "0.3333333333333333"),
    PAIR_ROW("covar_samp",
             covar_samp,
             TYPE_DOUBLE,
             "Covariance of (y, x), of a sample; NULL for fewer than two pairs.",
             "0.5"),
    PAIR_ROW("regr_avgx", avgx, TYPE_DOUBLE, "Mean of x in the pairs (y, x).", "2"),
    PAIR_ROW("regr_avgy", avgy, TYPE_DOUBLE, "Mean of y in the pairs (y, x).", "2"),
    PAIR_ROW("regr_count",
             count,
             TYPE_BIGINT,
             "Number of pairs (y, x) without a NULL; 0 when there are none.",
             "3"),
    PAIR_ROW("regr_intercept",
             intercept,
             TYPE_DOUBLE,
             "Where the line that fits the pairs (y, x) best has x = 0.",
             "1"),
    PAIR_ROW(
        "regr_r2", r2, TYPE_DOUBLE, "Square of the coefficient of correlation of (y, x).", "0.25"),
    PAIR_ROW("regr_slope",
             slope,
             TYPE_DOUBLE,
             "Slope of the line that fits the pairs (y, x) best.",
             "0.5"),
    PAIR_ROW("regr_sxx",
             sxx,
             TYPE_DOUBLE,
             "Sum of squares of the distances of x from its mean, in the pairs (y, x).",
             "2"),
    PAIR_ROW("regr_sxy",
             sxy,
             TYPE_DOUBLE,
             "Sum of the distances of x and y from their means, multiplied, in the pairs (y, x).",
             "1"),
    PAIR_ROW("regr_syy",
             syy,
             TYPE_DOUBLE,
             "Sum of squares of the distances of y from its mean, in the pairs (y, x).",
             "2"),
};

const struct agg_table agg_table_pair = {agg_pair_rows, DN_ARRAY_SIZE(agg_pair_rows)};
