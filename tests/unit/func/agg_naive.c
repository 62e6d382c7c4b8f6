/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_naive.c: aggregates by plain loops. */
#include "agg_naive.h"

#include "func/num.h"
#include "vec/array.h"

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

/* ---- pairs, texts, ranks ---- */

static void naive_pair(const struct agg *a,
                       const struct datum *ys,
                       const struct datum *xs,
                       const uint16_t *sel,
                       uint32_t rows,
                       struct datum *ret)
{
    const char *name = a->name + (strncmp(a->name, "regr_", 5) == 0 ? 5 : 0);
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < rows; i++) {
            const struct datum *dx = &xs[sel ? sel[i] : i];
            const struct datum *dy = &ys[sel ? sel[i] : i];

            if (dx->null || dy->null)
                continue;
            if (pass == 0) {
                n++;
                x += dx->v.f64;
                y += dy->v.f64;
            } else {
                xx += (dx->v.f64 - x / n) * (dx->v.f64 - x / n);
                yy += (dy->v.f64 - y / n) * (dy->v.f64 - y / n);
                xy += (dx->v.f64 - x / n) * (dy->v.f64 - y / n);
            }
        }
    }
    ret->null = n < (strcmp(name, "covar_samp") == 0 ? 2 : 1);
    if (strcmp(name, "count") == 0) {
        ret->null = false;
        ret->v.i64 = (int64_t)n;
    } else if (strcmp(name, "corr") == 0) {
        ret->null = ret->null || xx == 0 || yy == 0;
        ret->v.f64 = xy / sqrt(xx * yy);
    } else if (strcmp(name, "r2") == 0 || strcmp(name, "slope") == 0 ||
               strcmp(name, "intercept") == 0) {
        ret->null = ret->null || xx == 0;
        ret->v.f64 = name[0] == 's'   ? xy / xx
                     : name[0] == 'i' ? y / n - x / n * (xy / xx)
                     : yy == 0        ? 1
                                      : xy * xy / (xx * yy);
    } else {
        ret->v.f64 = strcmp(name, "covar_pop") == 0    ? xy / n
                     : strcmp(name, "covar_samp") == 0 ? xy / (n - 1)
                     : strcmp(name, "avgx") == 0       ? x / n
                     : strcmp(name, "avgy") == 0       ? y / n
                     : strcmp(name, "sxx") == 0        ? xx
                     : strcmp(name, "syy") == 0        ? yy
                                                       : xy;
    }
}

/* The array by its own writer; kept until the next call. */
static void naive_array(const struct agg *a,
                        const struct datum *values,
                        const struct datum *seconds,
                        const uint16_t *sel,
                        uint32_t rows,
                        struct datum *ret)
{
    static struct buf bytes;
    struct datum items[256];
    struct varray made;
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (a->arg2 == TYPE_NONE || (!seconds[row].null && seconds[row].v.i64))
            items[n++] = values[row];
    }
    if (n == 0)
        return;
    buf_reset(&bytes);
    made = varray_flat(a->arg, items, n);
    varray_write(&made, NULL, &bytes);
    ret->null = false;
    ret->str = (struct vstr){(const char *)bytes.data, (uint32_t)bytes.len};
}

static void naive_text(const struct datum *values,
                       const struct datum *separators,
                       const uint16_t *sel,
                       uint32_t rows,
                       struct datum *ret)
{
    static char text[64 * 1024];
    size_t len = 0;

    ret->null = true;
    for (uint32_t i = 0; i < rows; i++) {
        const struct datum *d = &values[sel ? sel[i] : i];
        const struct datum *s = &separators[sel ? sel[i] : i];

        if (d->null)
            continue;
        if (!ret->null && !s->null) {
            memcpy(text + len, s->str.ptr, s->str.len);
            len += s->str.len;
        }
        memcpy(text + len, d->str.ptr, d->str.len);
        len += d->str.len;
        ret->null = false;
    }
    ret->str = (struct vstr){.ptr = text, .len = (uint32_t)len};
}

/* The values that are not NULL in ascending order; returns how many. */
static uint32_t
naive_sort(const struct datum *values, const uint16_t *sel, uint32_t rows, const struct datum **to)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows; i++) {
        const struct datum *d = &values[sel ? sel[i] : i];
        uint32_t at = n;

        if (d->null)
            continue;
        for (; at > 0 && datum_cmp(to[at - 1], d) > 0; at--)
            to[at] = to[at - 1];
        to[at] = d;
        n++;
    }
    return n;
}

static void naive_within(const struct agg *a,
                         const struct datum *values,
                         const struct datum *fractions,
                         const uint16_t *sel,
                         uint32_t rows,
                         struct datum *ret)
{
    const struct datum *sorted[1024];
    uint32_t n = naive_sort(values, sel, rows, sorted);
    double fraction = rows ? fractions[sel ? sel[0] : 0].v.f64 : 0;
    bool desc = a->within == AGG_WITHIN_DESC;
    double at =
        strcmp(a->name, "percentile_cont") == 0 ? fraction * (n - 1.0) : ceil(fraction * n) - 1;
    uint32_t low, most = 0;

    ret->null = n == 0;
    if (n == 0)
        return;
    for (uint32_t i = 0; desc && i < n / 2; i++) {
        const struct datum *d = sorted[i];

        sorted[i] = sorted[n - 1 - i];
        sorted[n - 1 - i] = d;
    }
    low = at > 0 ? (uint32_t)at : 0;
    if (strcmp(a->name, "mode") == 0) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t count = 0;

            for (uint32_t k = 0; k < n; k++)
                count += datum_cmp(sorted[i], sorted[k]) == 0;
            if (count > most) {
                most = count;
                *ret = *sorted[i];
            }
        }
    } else {
        *ret = *sorted[low];
        if (a->name[11] == 'c' && a->arg == TYPE_DOUBLE && at > low)
            ret->v.f64 += (at - low) * (sorted[low + 1]->v.f64 - ret->v.f64);
    }
}

/* 1: it is none of these. */
/* bit_and, bit_or, bit_xor of bit strings of four bits. */
static void naive_bits(const struct agg *a,
                       const struct datum *values,
                       const uint16_t *sel,
                       uint32_t rows,
                       struct datum *ret)
{
    static char bits[4];

    for (uint32_t i = 0; i < rows; i++) {
        const struct datum *d = &values[sel ? sel[i] : i];

        for (uint32_t k = 0; !d->null && k < 4; k++) {
            bool x = bits[k] == '1';
            bool y = d->str.ptr[k] == '1';
            bool z = ret->null           ? y
                     : a->name[4] == 'a' ? x && y
                     : a->name[4] == 'o' ? x || y
                                         : x != y;

            bits[k] = z ? '1' : '0';
        }
        ret->null = ret->null && d->null;
    }
    ret->str = (struct vstr){bits, ret->null ? 0 : 4};
}

static int naive_more(const struct agg *a,
                      const struct datum *values,
                      const struct datum *seconds,
                      const uint16_t *sel,
                      uint32_t rows,
                      struct datum *ret)
{
    *ret = (struct datum){.type = a->result, .null = true, .str = {"", 0}};
    if (a->within != AGG_WITHIN_NONE) {
        naive_within(a, values, seconds, sel, rows, ret);
    } else if (strcmp(a->name, "string_agg") == 0) {
        naive_text(values, seconds, sel, rows, ret);
    } else if (strcmp(a->name, "array_agg") == 0) {
        naive_array(a, values, seconds, sel, rows, ret);
    } else if (a->arg2 == TYPE_DOUBLE) {
        naive_pair(a, values, seconds, sel, rows, ret);
    } else if (strncmp(a->name, "bit_", 4) == 0 && type_is_bits(a->arg)) {
        naive_bits(a, values, sel, rows, ret);
    } else if (strncmp(a->name, "bit_", 4) == 0) {
        for (uint32_t i = 0; i < rows; i++) {
            const struct datum *d = &values[sel ? sel[i] : i];

            if (d->null)
                continue;
            ret->v.i64 = ret->null           ? d->v.i64
                         : a->name[4] == 'a' ? ret->v.i64 & d->v.i64
                         : a->name[4] == 'o' ? ret->v.i64 | d->v.i64
                                             : ret->v.i64 ^ d->v.i64;
            ret->null = false;
        }
    } else {
        return 1;
    }
    return 0;
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

    if (naive_more(a, values, times, sel, rows, ret) == 0)
        return;
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
