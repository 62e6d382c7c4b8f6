/* SPDX-License-Identifier: Apache-2.0
 *
 * narrow.h: conditions on numbers that are stored as small integers over a power of ten, decided on
 * these integers, sixteen of them in a register where there would be four DOUBLEs. A condition is
 * made of comparisons of sums of columns and constants, AND, OR and NOT:
 *
 *     a > b        a + b > 50        a - 2 * b BETWEEN -1 AND c        a = 1 OR NOT b < c
 *
 * The answers are those of expr_select, bit for bit:
 *   - Different integers over one power of ten are different DOUBLEs, in the same order (they have
 *     5 digits and both types have 7 or more), so columns are compared as integers are.
 *   - Sums of whole numbers are exact in either way. Others are rounded as DOUBLEs, by less than
 *     2^-10 of the last decimal, as there are few terms of 16 bits: what the integers say is right
 *     unless their sum is the one that equals the constant. Rows of that sum are computed as
 *     DOUBLEs.
 *   - Sums are made modulo 2^16; bounds of the columns tell that they fit.
 *
 * What does not fit is not decided here. Any thread; one at a time per struct narrow_room. */
#pragma once

#include "func/expr.h"

#define NARROW_TERMS_MAX 4u

/* What is known of a column without reading it: every value that is not NULL lies between. */
struct narrow_range {
    double min;
    double max;
    bool nulls; /* there may be some */
};

/* A column of the rows at hand: values[i] / 10^exponent, rounded to its type. */
struct narrow_col {
    const int16_t *values; /* those of NULL rows are anything */
    const uint64_t *nulls; /* as in struct vec */
    unsigned exponent;     /* 0 for integers */
    int32_t lo;            /* bounds of values */
    int32_t hi;
};

/* Where columns come from. */
struct narrow_source {
    bool (*range)(void *arg, uint32_t col, struct narrow_range *ret);
    /* DN_NOT_FOUND: it is not stored that way. The column lives as long as the rows are at hand. */
    int (*load)(void *arg, uint32_t col, struct narrow_col *ret, struct dn_err *err);
    void *arg;
};

struct narrow; /* a condition, compiled; constant */

/* Scratch. Starts with zeros, and again for other rows. */
struct narrow_room {
    const struct narrow_form *form; /* whose sums these are; NULL: of none */
    int16_t sums[VEC_ROWS_MAX];
};

/* NULL in *ret: the condition is of another kind. Memory is the arena's; e and params, which may be
 * NULL, are borrowed. */
int narrow_compile(const struct bexpr *e,
                   const struct datum *params,
                   uint32_t params_count,
                   struct arena *arena,
                   const struct narrow **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* ret[i] becomes 1 where row i of `count` satisfies the condition, else 0. DN_NOT_FOUND: these rows
 * do not fit. */
int narrow_answer(const struct narrow *n,
                  const struct narrow_source *source,
                  uint32_t count,
                  struct arena *arena,
                  struct narrow_room *room,
                  int8_t ret[VEC_ROWS_MAX],
                  struct dn_err *err) DN_MUST_CHECK;
/* to[i] &= from[i]; is one of them left? */
bool narrow_keep(int8_t *to, const int8_t *from, uint32_t count);
