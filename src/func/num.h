/* SPDX-License-Identifier: Apache-2.0
 *
 * num.h: arithmetic of decimal numbers, as PostgreSQL does it within 38 digits.
 *
 *   + - %      the greater scale of the two; exact
 *   *          the sum of the scales; when that needs more than 38 digits the last ones are rounded
 *              away, but not below the greater scale of the two
 *   / avg      at least 16 significant digits and the scale of either operand; fewer only where 38
 *              digits leave no room
 *   rounding   to the nearest, halves away from zero
 *
 * What has no room in 38 digits raises DN_E_OUT_OF_RANGE. NaN in, NaN out; with infinities as
 * PostgreSQL has it. Any thread. */
#pragma once

#include "base/err.h"
#include "vec/numeric.h"

#define NUM_SURELY ((vnumeric_i128)1 << 126) /* has 38 digits; each number below has no more */

int num_add(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
int num_sub(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
int num_mul(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* DN_E_DIVISION_BY_ZERO. */
int num_div(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
int num_mod(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* The whole part of the quotient: div(). */
int num_div_trunc(struct vnumeric a, struct vnumeric b, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* a / b with that many digits after the point, or as many as 38 digits leave room for. */
int num_div_scale(struct vnumeric a,
                  struct vnumeric b,
                  int scale,
                  struct vnumeric *ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* PostgreSQL's scale of a / b. */
int num_div_digits(struct vnumeric a, struct vnumeric b);
/* BAD_POWER for a negative number. With that many digits after the point; less than 0: as
 * PostgreSQL's sqrt has them. */
int num_sqrt(struct vnumeric a, int scale, struct vnumeric *ret, struct dn_err *err) DN_MUST_CHECK;
/* The same for numbers as most are, of 64 bits each: what they come to has room in 127 bits, which
 * are less than 38 digits. By pointers, field by field, because copies of whole numbers that were
 * written by fields make the processor wait; ret is neither a nor b. */
static inline void num_put(vnumeric_i128 coef, int scale, struct vnumeric *ret)
{
    ret->lo = (uint64_t)coef;
    ret->hi = (int64_t)(uint64_t)((vnumeric_u128)coef >> 64);
    ret->scale = (int16_t)scale;
    ret->special = 0;
    ret->zero = 0;
}

static inline bool num_both_short(const struct vnumeric *a, const struct vnumeric *b)
{
    return !(a->special | b->special) && a->hi == (int64_t)a->lo >> 63 &&
           b->hi == (int64_t)b->lo >> 63;
}

/* Two such numbers at the greater of their scales. False: these are too far apart. */
static inline bool num_align_fast(const struct vnumeric *a,
                                  const struct vnumeric *b,
                                  vnumeric_i128 *ret_a,
                                  vnumeric_i128 *ret_b)
{
    int d = a->scale - b->scale;

    /* 63 bits times 10^18 are 123, and the sum of two of these 124. */
    if (d <= 1 - VNUMERIC_TENS || d >= VNUMERIC_TENS - 1)
        return false;
    *ret_a = (vnumeric_i128)(int64_t)a->lo * (int64_t)vnumeric_tens[d < 0 ? -d : 0];
    *ret_b = (vnumeric_i128)(int64_t)b->lo * (int64_t)vnumeric_tens[d > 0 ? d : 0];
    return true;
}

static inline int num_add_fast(const struct vnumeric *a,
                               const struct vnumeric *b,
                               struct vnumeric *ret,
                               struct dn_err *err)
{
    vnumeric_i128 x, y;

    if (!num_both_short(a, b) || !num_align_fast(a, b, &x, &y))
        return num_add(*a, *b, ret, err);
    num_put(x + y, a->scale > b->scale ? a->scale : b->scale, ret);
    return 0;
}

static inline int num_sub_fast(const struct vnumeric *a,
                               const struct vnumeric *b,
                               struct vnumeric *ret,
                               struct dn_err *err)
{
    vnumeric_i128 x, y;

    if (!num_both_short(a, b) || !num_align_fast(a, b, &x, &y))
        return num_sub(*a, *b, ret, err);
    num_put(x - y, a->scale > b->scale ? a->scale : b->scale, ret);
    return 0;
}

static inline int num_mul_fast(const struct vnumeric *a,
                               const struct vnumeric *b,
                               struct vnumeric *ret,
                               struct dn_err *err)
{
    if (a->scale + b->scale > VNUMERIC_SCALE_MAX || !num_both_short(a, b))
        return num_mul(*a, *b, ret, err);
    num_put((vnumeric_i128)(int64_t)a->lo * (int64_t)b->lo, a->scale + b->scale, ret);
    return 0;
}

/* A sum of many: as num_add(*sum, x, sum). */
static inline int num_add_to(struct vnumeric *sum, const struct vnumeric *x, struct dn_err *err)
{
    vnumeric_i128 total;

    if (sum->scale != x->scale || sum->special || x->special)
        return num_add(*sum, *x, sum, err);
    if (__builtin_add_overflow(vnumeric_coef(*sum), vnumeric_coef(*x), &total) ||
        total >= NUM_SURELY || total <= -NUM_SURELY)
        return num_add(*sum, *x, sum, err);
    sum->lo = (uint64_t)total;
    sum->hi = (int64_t)(total >> 64);
    return 0;
}

/* base^k with `scale` digits after the point, or as many as 38 digits leave room for; correctly
 * rounded. base is finite, k below 1000 (num_power.c). */
int num_power(struct vnumeric base, uint32_t k, int scale, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
struct vnumeric num_neg(struct vnumeric a);
struct vnumeric num_abs(struct vnumeric a);
int num_sign(struct vnumeric a); /* -1, 0, 1; of an infinity its own, NaN is 1 */

enum num_rounding { NUM_NEAREST, NUM_TOWARD_ZERO, NUM_DOWN, NUM_UP };

/* To `scale` digits after the point; a negative scale rounds before it. */
int num_round(struct vnumeric a,
              int scale,
              enum num_rounding how,
              struct vnumeric *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* As NUMERIC(precision, scale) keeps it. "numeric field overflow". */
int num_fit(struct vnumeric a, int precision, int scale, struct vnumeric *ret, struct dn_err *err)
    DN_MUST_CHECK;
/* Where the first digit stands: 5 for 123456, -1 for 0.1; 0 for zero. */
int num_exponent(struct vnumeric a);

struct vnumeric num_from_i64(int64_t v);
/* Fifteen digits, as PostgreSQL's cast; six for a REAL. */
int num_from_f64(double v, int digits, struct vnumeric *ret, struct dn_err *err) DN_MUST_CHECK;
/* The nearest one. */
double num_to_f64(struct vnumeric v);
/* Rounded. False: it does not fit. */
bool num_to_i64(struct vnumeric v, int64_t *ret);
long double num_to_long_double(struct vnumeric v);

int num_fail_range(struct dn_err *err);
