/* SPDX-License-Identifier: Apache-2.0
 *
 * num_quad.h: floats of 113 bits, for logarithms and powers of decimal numbers: some 34 digits,
 * twice what PostgreSQL shows at least. Any thread. */
#pragma once

#include "base/err.h"
#include "vec/numeric.h"

#if defined(__x86_64__)
__extension__ typedef __float128 num_quad;
#else
typedef long double num_quad; /* has 113 bits on aarch64 */
#endif

num_quad num_quad_of(struct vnumeric v); /* not of NaN */
/* With `scale` digits after the point, fewer if there is no room. DN_E_OUT_OF_RANGE. */
int num_quad_back(num_quad x, int scale, struct vnumeric *ret, struct dn_err *err) DN_MUST_CHECK;
num_quad num_quad_exp(num_quad x);               /* |x| <= 700 */
num_quad num_quad_ln(struct vnumeric v);         /* v > 0 */
num_quad num_quad_power(num_quad x, uint32_t n); /* x^n */
