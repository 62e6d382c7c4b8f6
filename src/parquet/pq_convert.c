/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_convert.c: stored values to ours, array by array. */
#include "parquet/pq_int.h"

#include "base/civil.h"
#include "base/text.h"
#include "vec/numeric.h"

#include <math.h>
#include <string.h>

#define DAY_US            INT64_C(86400000000)
#define INT96_EPOCH       2440588 /* the Julian day of 1970-01-01 */
#define INT96_DAY_NS      INT64_C(86400000000000)
#define DECIMAL_BYTES_MAX 64u

uint32_t pq_raw_size(const struct pq_field *f)
{
    static const uint8_t sizes[PQ_PHYS_COUNT] = {[PQ_BOOLEAN] = 1,
                                                 [PQ_INT32] = 4,
                                                 [PQ_INT64] = 8,
                                                 [PQ_INT96] = 12,
                                                 [PQ_FLOAT] = 4,
                                                 [PQ_DOUBLE] = 8,
                                                 [PQ_BYTE_ARRAY] = sizeof(struct vstr),
                                                 [PQ_FIXED] = sizeof(struct vstr)};

    return sizes[f->phys];
}

uint32_t pq_shown_size(const struct pq_field *f)
{
    return phys_size(type_phys(f->shown.type));
}

static const char *convert_utf8(const struct vstr *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!text_value_valid(from[i].ptr, from[i].len))
            return "a text is not valid UTF-8";
    return NULL;
}

static const char *convert_i32(const struct pq_field *f, const int32_t *from, uint32_t n, void *to)
{
    static const char range[] = "a number does not fit its type";

    for (uint32_t i = 0; i < n; i++) {
        switch ((int)f->convert) {
        case PQ_TO_INT16:
            if (from[i] < INT16_MIN || from[i] > INT16_MAX)
                return range;
            ((int16_t *)to)[i] = (int16_t)from[i];
            break;
        case PQ_FROM_UINT16:
            if (from[i] < 0 || from[i] > UINT16_MAX)
                return range;
            ((int32_t *)to)[i] = from[i];
            break;
        case PQ_FROM_UINT32:
            ((int64_t *)to)[i] = (uint32_t)from[i];
            break;
        case PQ_TO_DATE:
            if (!civil_is_date(from[i]) && from[i] != INT32_MAX && from[i] != INT32_MIN)
                return "a date is before 4714 BC or after 5874897";
            ((int32_t *)to)[i] = from[i];
            break;
        case PQ_FROM_MS_TIME:
            if (from[i] < 0 || from[i] > 86400000)
                return "a time of day is out of range";
            ((int64_t *)to)[i] = (int64_t)from[i] * 1000;
            break;
        default: /* PQ_DECIMAL32 */
            ((struct vnumeric *)to)[i] = vnumeric_make(from[i], f->scale);
            break;
        }
    }
    return NULL;
}

static const char *convert_i64(const struct pq_field *f, const int64_t *from, uint32_t n, void *to)
{
    bool ns = f->convert == PQ_FROM_NS_TIME;

    for (uint32_t i = 0; i < n; i++) {
        switch ((int)f->convert) {
        case PQ_FROM_UINT64:
            ((struct vnumeric *)to)[i] = vnumeric_make((vnumeric_i128)(uint64_t)from[i], 0);
            break;
        case PQ_DECIMAL64:
            ((struct vnumeric *)to)[i] = vnumeric_make(from[i], f->scale);
            break;
        default: /* times of day */
            if (from[i] < 0 || from[i] > (ns ? DAY_US * 1000 : DAY_US))
                return "a time of day is out of range";
            if (ns && from[i] % 1000 != 0)
                return "a time of day has nanoseconds, and TIME keeps microseconds";
            ((int64_t *)to)[i] = ns ? from[i] / 1000 : from[i];
            break;
        }
    }
    return NULL;
}

/* Nanoseconds of a day, then a Julian day. */
static const char *convert_int96(const uint8_t *from, uint32_t n, int64_t *to)
{
    for (uint32_t i = 0; i < n; i++, from += 12) {
        int64_t days = (int64_t)(int32_t)le_get32(from + 8) - INT96_EPOCH;
        int64_t ns = (int64_t)le_get64(from);

        if (__builtin_mul_overflow(days, INT96_DAY_NS, &days) ||
            __builtin_add_overflow(days, ns, &to[i]))
            return "a time is before 1677 or after 2262";
    }
    return NULL;
}

static const char *convert_half(const struct vstr *from, uint32_t n, float *to)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = le_get16(from[i].ptr);
        int exponent = (int)(h >> 10 & 31);
        double part = (double)(h & 1023);
        double v = exponent == 0    ? ldexp(part, -24)
                   : exponent == 31 ? (part > 0 ? (double)NAN : (double)INFINITY)
                                    : ldexp(1024 + part, exponent - 25);

        to[i] = (float)(h >> 15 ? -v : v);
    }
    return NULL;
}

static const char *convert_interval(const struct vstr *from, uint32_t n, struct vinterval *to)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t months = le_get32(from[i].ptr);
        uint32_t days = le_get32(from[i].ptr + 4);

        if (months > INT32_MAX || days > INT32_MAX)
            return "an interval is out of range";
        to[i] = (struct vinterval){.months = (int32_t)months,
                                   .days = (int32_t)days,
                                   .us = (int64_t)le_get32(from[i].ptr + 8) * 1000};
    }
    return NULL;
}

/* Big-endian, in two's complement, of any length. */
static const char *
convert_decimal(const struct pq_field *f, const struct vstr *from, uint32_t n, struct vnumeric *to)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *p = (const uint8_t *)from[i].ptr;
        uint32_t len = from[i].len;
        uint8_t sign = len > 0 && p[0] & 0x80 ? 0xff : 0;
        vnumeric_u128 v = sign ? ~(vnumeric_u128)0 : 0;

        if (len == 0 || len > DECIMAL_BYTES_MAX)
            return "a decimal has no digits, or too many";
        for (; len > 16; p++, len--)
            if (*p != sign)
                return "a decimal has more than 38 digits";
        for (uint32_t k = 0; k < len; k++)
            v = v << 8 | p[k];
        if ((sign != 0) != ((vnumeric_i128)v < 0) ||
            vnumeric_digits(vnumeric_abs((vnumeric_i128)v)) > VNUMERIC_DIGITS)
            return "a decimal has more than 38 digits";
        to[i] = vnumeric_make((vnumeric_i128)v, f->scale);
    }
    return NULL;
}

const char *pq_convert(const struct pq_field *f, const void *raw, uint32_t n, void *to)
{
    switch (f->convert) {
    case PQ_AS_IS:
    case PQ_TO_UTF8:
        if (to != raw && n > 0)
            memcpy(to, raw, (size_t)n * pq_raw_size(f));
        return f->convert == PQ_TO_UTF8 ? convert_utf8(raw, n) : NULL;
    case PQ_TO_INT16:
    case PQ_FROM_UINT16:
    case PQ_FROM_UINT32:
    case PQ_TO_DATE:
    case PQ_FROM_MS_TIME:
    case PQ_DECIMAL32:
        return convert_i32(f, raw, n, to);
    case PQ_FROM_UINT64:
    case PQ_FROM_US_TIME:
    case PQ_FROM_NS_TIME:
    case PQ_DECIMAL64:
        return convert_i64(f, raw, n, to);
    case PQ_FROM_INT96:
        return convert_int96(raw, n, to);
    case PQ_FROM_HALF:
        return convert_half(raw, n, to);
    case PQ_FROM_INTERVAL:
        return convert_interval(raw, n, to);
    case PQ_DECIMAL_BYTES:
        return convert_decimal(f, raw, n, to);
    }
    return NULL;
}
