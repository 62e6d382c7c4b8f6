/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_int.h: what the files of expr.h share: calls, AND and OR in expr.c, IN in expr_in.c,
 * CASE and COALESCE in expr_case.c, batches of which few rows are selected in expr_dense.c, rows
 * of which something is true in expr_pick.c.
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

/* The selected rows where v is true, and how many. sel may be the memory of in->sel: nothing is
 * written ahead of what is read. */
uint32_t expr_pick_true(const struct vec *v, const struct batch *in, uint16_t *sel);
/* The same where found[row], 0 or 1, is `which`. */
uint32_t expr_pick_found(const int8_t *found, bool which, const struct batch *in, uint16_t *sel);
/* found[i] |= is row i of v true? For all rows of the batch. */
void expr_or_into(const struct vec *v, uint32_t count, int8_t *restrict found);
/* Takes away what is not true of v. */
void expr_and_into(const struct vec *v, uint32_t count, int8_t *restrict found);

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

/* Is it worth while to gather the selected rows before e is evaluated? */
bool expr_is_thin(const struct bexpr *e, const struct eval *ev, const struct batch *in);
/* The selected rows of the columns that e reads, side by side; the other columns are empty. */
int expr_dense(const struct bexpr *e,
               struct eval *ev,
               const struct batch *in,
               struct batch *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* The way back: value i of v becomes that of row in->sel[i]. */
int expr_spread(struct eval *ev,
                const struct batch *in,
                const struct vec *v,
                struct vec *ret,
                struct dn_err *err) DN_MUST_CHECK;
