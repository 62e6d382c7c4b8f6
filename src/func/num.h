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
 * What has no room in 38 digits raises DN_E_OUT_OF_RANGE. NaN in, NaN out. Any thread. */
#pragma once

#include "base/err.h"
#include "vec/numeric.h"

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
struct vnumeric num_neg(struct vnumeric a);
struct vnumeric num_abs(struct vnumeric a);
int num_sign(struct vnumeric a); /* -1, 0, 1; NaN is 1 */

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
/* Without zeros at the end of the fraction. */
struct vnumeric num_trim(struct vnumeric a);
/* Where the first digit stands: 5 for 123456, -1 for 0.1; 0 for zero. */
int num_exponent(struct vnumeric a);

struct vnumeric num_from_i64(int64_t v);
/* Fifteen digits, as PostgreSQL's cast; six for a REAL. DN_E_OUT_OF_RANGE for infinity. */
int num_from_f64(double v, int digits, struct vnumeric *ret, struct dn_err *err) DN_MUST_CHECK;
/* The nearest one. */
double num_to_f64(struct vnumeric v);
/* Rounded. False: it does not fit. */
bool num_to_i64(struct vnumeric v, int64_t *ret);
long double num_to_long_double(struct vnumeric v);

int num_fail_range(struct dn_err *err);
