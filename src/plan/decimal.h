/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal.h: inside of plan/: a DOUBLE that stands for a NUMERIC. avg, stddev and variance of
 * integers are DOUBLE; in PostgreSQL they are NUMERIC, which rounds halves away from zero where a
 * DOUBLE rounds them to the even number. So an expression knows whether it is such a number
 * (bexpr.decimal), and so does a variable: an aggregate of integers, and what PostgreSQL would
 * compute of it as NUMERIC. round(), to_char() and integers that are made of it go by that.
 *
 * One thread at a time. */
#pragma once

#include "plan/logic.h"

struct binder;

enum {
    DECIMAL_YES = 1,
    DECIMAL_NO = 2, /* a cast said that it is DOUBLE */
};

/* May it stand beside one and both be? An integer or NUMERIC, before or after it became DOUBLE; a
 * constant. */
bool bind_decimal_joins(const struct bexpr *e);
/* Does a choice between these, all DOUBLE, give such a number? One of them is, the others are or
 * were integers and NUMERICs, or constants. */
bool bind_decimal_choice(struct bexpr *const *args, uint32_t count);
/* A call that was found for these arguments, before they are cast: *f may become another one, so
 * that func_find must be asked again with the arguments as they are then (returns 1). */
int bind_decimal_call(struct binder *b,
                      const struct func **f,
                      struct bexpr **args,
                      uint32_t count,
                      struct dn_err *err) DN_MUST_CHECK;
/* Would PostgreSQL's result be NUMERIC? `f` was found for these arguments, and is DOUBLE. */
bool bind_decimal_result(const struct func *f, struct bexpr *const *args, uint32_t count);
/* *e on its way to an integer: rounded, if it is such a number. */
int bind_decimal_to_int(struct binder *b, struct bexpr **e, struct dn_err *err) DN_MUST_CHECK;
/* The variable stands for the expression: its length, if it is a CHAR(n), and whether it is such a
 * number. */
void logic_set_like(struct planner *q, uint32_t var, const struct bexpr *e);
/* It stands for the result of an aggregate with an argument. */
void logic_set_agg(struct planner *q, uint32_t var, const struct plan_agg *agg);
