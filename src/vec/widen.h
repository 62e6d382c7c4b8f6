/* SPDX-License-Identifier: Apache-2.0
 *
 * widen.h: numbers read as a wider type than they were written with. Widening is monotonic
 * (integers beyond 2^53 may become equal as DOUBLE). Any thread. */
#pragma once

#include "vec/vec.h"

#define VEC_EXACT_MAX 9007199254740992 /* 2^53: integers up to it are DOUBLEs, too */

/* May stored values of one type be read as those of another, wider one? Not of itself. */
bool type_widens(enum type_id from, enum type_id to);
/* The type must be d's own or one it widens to. */
struct datum datum_widen(const struct datum *d, enum type_id to);
/* Converts a vector; the form, nulls and absent bits are borrowed from v, values lie in the arena.
 * False: out of memory. */
bool vec_widen(struct arena *arena, const struct vec *v, enum type_id to, struct vec *ret)
    DN_MUST_CHECK;
