/* SPDX-License-Identifier: Apache-2.0
 *
 * build.h: bound expressions and vectors in few words, for tests. All memory is of the arena given
 * to build_init. One thread at a time. */
#pragma once

#include "func/expr.h"

void build_init(struct arena *arena);

struct datum build_int(enum type_id type, int64_t v);
struct datum build_f64(double v);
struct datum build_str(const char *s);
struct datum build_null(enum type_id type);

struct bexpr *build_const(struct datum d);
struct bexpr *build_col(enum type_id type, uint32_t col);
struct bexpr *build_param(enum type_id type, uint32_t number);
/* The overload that takes the arguments as they are; anything else fails the test. b may be NULL.
 */
struct bexpr *build_call(const char *name, struct bexpr *a, struct bexpr *b);
struct bexpr *build_cast(struct bexpr *a, enum type_id to);
struct bexpr *build_chain(enum bexpr_kind kind, struct bexpr *a, struct bexpr *b);
struct bexpr *build_in(struct bexpr *a, const struct datum *list, uint32_t count, bool negated);

/* A FLAT vector of values. */
struct vec build_vec(enum type_id type, const struct datum *values, uint32_t count);
/* The same values as a DICT with one entry per distinct value. */
struct vec build_dict(enum type_id type, const struct datum *values, uint32_t count);
