/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_int.h: what the files of expr.h share: calls, AND and OR in expr.c, IN in expr_in.c,
 * CASE and COALESCE in expr_case.c.
 * One thread at a time per struct eval. */
#pragma once

#include "func/expr.h"

/* The value of a parameter, checked against the expression's type. */
int expr_param(const struct bexpr *e,
               const struct eval *ev,
               const struct datum **ret,
               struct dn_err *err) DN_MUST_CHECK;

/* All clear; NULL when out of memory. */
uint64_t *expr_bitmap(struct arena *arena, uint32_t count);

/* Operands are evaluated only for the rows that need them. */
int expr_case(const struct bexpr *e,
              struct eval *ev,
              const struct batch *in,
              struct vec *ret,
              struct dn_err *err) DN_MUST_CHECK;
int expr_coalesce(const struct bexpr *e,
                  struct eval *ev,
                  const struct batch *in,
                  struct vec *ret,
                  struct dn_err *err) DN_MUST_CHECK;

/* IN, with the left side evaluated already. */
int expr_in(const struct bexpr *e,
            struct eval *ev,
            const struct batch *in,
            const struct vec *left,
            struct vec *ret,
            struct dn_err *err) DN_MUST_CHECK;
