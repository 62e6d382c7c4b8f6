/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_naive.c: aggregates by plain loops. */
#include "agg_naive.h"

#include "func/num.h"

#include <math.h>
#include <string.h>

/* Variance from the mean, in two passes. */
static double
naive_squares(const struct datum *values, const uint16_t *sel, uint32_t rows, double mean)
{
    double squares = 0;

    for (uint32_t i = 0; i < rows; i++) {
        const struct datum *d = &values[sel ? sel[i] : i];
        double x = type_is_float(d->type)    ? d->v.f64
                   : d->type == TYPE_NUMERIC ? num_to_f64(d->num)
                                             : (double)d->v.i64;

        squares += d->null ? 0 : (x - mean) * (x - mean);
    }
    return squares;
}

static void naive_dev(const struct agg *a, double squares, int64_t count, struct datum *ret)
{
    bool pop = strstr(a->name, "_pop") != NULL;
    double v = squares / (double)(pop ? count : count - 1);

    ret->null = count < (pop ? 1 : 2);
    ret->v.f64 = a->name[0] == 's' ? sqrt(v) : v;
}

static void naive_interval(const struct agg *a,
                           const struct datum *values,
                           const uint16_t *sel,
                           uint32_t rows,
                           struct datum *ret)
{
    int64_t count = 0;

    ret->iv = (struct vinterval){0};
    for (uint32_t i = 0; i < rows; i++) {
        const struct datum *d = &values[sel ? sel[i] : i];

        if (d->null)
            continue;
        ret->iv.us += d->iv.us;
        ret->iv.days += d->iv.days;
        ret->iv.months += d->iv.months;
        count++;
    }
    if (a->name[0] != 's' && count) { /* one part after the other, each to the last digit */
        double months = (double)ret->iv.months / (double)count;
        double days = (double)ret->iv.days / (double)count;
        double part = rint((months - trunc(months)) * 30e6) / 1e6;
        double seconds = rint((days - trunc(days) + part - trunc(part)) * 86400e6) / 1e6;

        ret->iv.us = (int64_t)rint((double)ret->iv.us / (double)count + seconds * 1e6);
        ret->iv.days = (int32_t)(trunc(days) + trunc(part));
        ret->iv.months = (int32_t)months;
    }
}

/* first and last by time, then by value; the time of row i is times[i]. */
static void naive_timed(const struct agg *a,
                        const struct datum *values,
                        const struct datum *times,
                        const uint16_t *sel,
                        uint32_t rows,
                        struct datum *ret)
{
    int sign = a->name[0] == 'l' ? 1 : -1;
    int64_t best = 0;

    ret->null = true;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;
        int c;

        if (values[row].null || times[row].null)
            continue;
        c = ret->null ? 1 : sign * ((times[row].v.i64 > best) - (times[row].v.i64 < best));
        if (c > 0 || (c == 0 && sign * datum_cmp(&values[row], ret) > 0)) {
            *ret = values[row];
            best = times[row].v.i64;
        }
    }
}

/* What the aggregate is, as a child would compute it. */
void agg_naive(const struct agg *a,
               const struct datum *values,
               const struct datum *times,
               const uint16_t *sel,
               uint32_t rows,
               struct datum *ret)
{
    int64_t count = 0;
    int64_t isum = 0;
    double fsum = 0;
    const struct datum *best = NULL;
    bool dev = strncmp(a->name, "std", 3) == 0 || strncmp(a->name, "var", 3) == 0;

    for (uint32_t i = 0; i < rows; i++) {
        const struct datum *d = &values[sel ? sel[i] : i];

        if (d->null && !a->star)
            continue;
        count++;
        if (type_is_float(d->type))
            fsum += d->v.f64;
        else if (d->type == TYPE_NUMERIC)
            fsum += num_to_f64(d->num);
        else if (type_is_fixed(d->type))
            isum += d->v.i64;
        if (!best || (a->name[1] == 'i' ? datum_cmp(d, best) < 0 : datum_cmp(d, best) > 0))
            best = d;
    }
    *ret = (struct datum){.type = a->result == TYPE_NUMERIC ? TYPE_DOUBLE : a->result,
                          .null = count == 0 && strcmp(a->name, "count") != 0};
    if (strcmp(a->name, "count") == 0)
        ret->v.i64 = count;
    else if (dev)
        naive_dev(
            a, naive_squares(values, sel, rows, (fsum + (double)isum) / (double)count), count, ret);
    else if (a->arg2 != TYPE_NONE)
        naive_timed(a, values, times, sel, rows, ret);
    else if (strcmp(a->name, "bool_or") == 0)
        ret->v.i64 = isum > 0;
    else if (a->arg == TYPE_BOOLEAN && a->name[0] != 'm')
        ret->v.i64 = isum == count;
    else if (a->arg == TYPE_INTERVAL && (a->name[0] != 'm' || a->name[1] == 'e'))
        naive_interval(a, values, sel, rows, ret);
    else if (strcmp(a->name, "sum") == 0 && a->result == TYPE_BIGINT)
        ret->v.i64 = isum;
    else if (strcmp(a->name, "sum") == 0)
        ret->v.f64 = fsum;
    else if (a->name[0] == 'a' || strcmp(a->name, "mean") == 0)
        ret->v.f64 = (fsum + (double)isum) / (double)count;
    else if (best)
        *ret = *best;
}
