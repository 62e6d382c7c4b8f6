/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_zone_tmpl.h: zone of a flat vector of one fixed-width form; included by seg_zone.c only.
 *
 * Inputs:  SEG_T      type of the values
 *          SEG_NAME   name of the function
 *          SEG_FIELD  i64 or f64 of union vfixed
 *          SEG_WIDE   type of that field
 *          SEG_FLOAT  1: sums in double, four lanes; 0: exact sums of the halves
 *
 * Compares with < and >, so a NaN is skipped here; seg_zone.c looks for NaN first. */

static void SEG_NAME(const SEG_T *x, uint32_t n, const uint64_t *nulls, struct seg_zone *z)
{
    SEG_T min = 0;
    SEG_T max = 0;
    uint32_t i = 0;
#if SEG_FLOAT
    double sum[4] = {0, 0, 0, 0};
#else
    int64_t high = 0;
    int64_t low = 0;
#endif

    while (i < n && vec_bit(nulls, i))
        i++;
    if (i == n)
        return;
    min = x[i];
    max = x[i];
    if (!nulls) {
        for (i = 0; i < n; i++) {
            SEG_T v = x[i];

            min = v < min ? v : min;
            max = v > max ? v : max;
#if !SEG_FLOAT
            high += (int64_t)v >> 32;
            low += (int64_t)v & 0xffffffff;
#endif
        }
#if SEG_FLOAT
        for (i = 0; i + 4 <= n; i += 4)
            for (uint32_t k = 0; k < 4; k++)
                sum[k] += (double)x[i + k];
        for (; i < n; i++)
            sum[i & 3] += (double)x[i];
#endif
    } else {
        for (i = 0; i < n; i++) {
            SEG_T v = x[i];

            if (vec_bit(nulls, i))
                continue;
            min = v < min ? v : min;
            max = v > max ? v : max;
#if SEG_FLOAT
            sum[i & 3] += (double)v;
#else
            high += (int64_t)v >> 32;
            low += (int64_t)v & 0xffffffff;
#endif
        }
    }
    z->has_range = true;
    z->min.SEG_FIELD = (SEG_WIDE)min;
    z->max.SEG_FIELD = (SEG_WIDE)max;
#if SEG_FLOAT
    z->fsum = (sum[0] + sum[1]) + (sum[2] + sum[3]);
#else
    z->isum = ((seg_i128)high * ((seg_i128)1 << 32)) + low;
#endif
}

#undef SEG_T
#undef SEG_NAME
#undef SEG_FIELD
#undef SEG_WIDE
#undef SEG_FLOAT
