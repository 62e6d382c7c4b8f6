/* SPDX-License-Identifier: Apache-2.0
 *
 * interval.h: sets of values of one column as sorted lists of disjoint intervals. Bounds of integer
 * and time stamp types are always inclusive ((3, 7) is [4, 6]), so that equal sets look equal and
 * an empty interval is seen to be empty. Memory is the arena's; sets are never changed once made.
 * One thread at a time. */
#pragma once

#include "base/arena.h"
#include "sql/ast.h"
#include "store/scan.h"

#define ISET_INTERVALS_MAX 16384u /* a set with more is widened to one interval that covers it */

struct iset {
    const struct interval *v; /* ascending, disjoint */
    uint32_t n;               /* 0: no value is in it */
};

/* All functions: false when out of memory. */
bool iset_all(struct arena *arena, struct iset *ret) DN_MUST_CHECK; /* every value but NULL */
/* x op d, d not NULL and not NaN. */
bool iset_compare(struct arena *arena, enum expr_op op, const struct datum *d, struct iset *ret)
    DN_MUST_CHECK;
/* The values themselves (negated: all others); points is sorted in place. */
bool iset_points(struct arena *arena,
                 struct datum *points,
                 uint32_t n,
                 bool negated,
                 struct iset *ret) DN_MUST_CHECK;
bool iset_union(struct arena *arena, const struct iset *a, const struct iset *b, struct iset *ret)
    DN_MUST_CHECK;
bool iset_intersect(struct arena *arena,
                    const struct iset *a,
                    const struct iset *b,
                    struct iset *ret) DN_MUST_CHECK;

bool iset_is_all(const struct iset *s);
bool iset_is_points(const struct iset *s); /* single values only; true for the empty set */
bool iset_has(const struct iset *s, const struct datum *d);
