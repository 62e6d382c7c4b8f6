/* SPDX-License-Identifier: Apache-2.0
 *
 * padded.h: inside of plan/: CHAR(n), which has no blanks at its end until it is shown. An
 * expression knows its n (bexpr.chars), as far as anybody does, and so does a variable.
 *
 * One thread at a time. */
#pragma once

#include "func/expr.h"

struct binder;
struct plan_col;
struct planner;
struct qout;

/* Of a variable: n of CHAR(n), or of an array of them; 0: it is none, or nobody knows. set: that of
 * the expression it stands for. */
int32_t logic_chars(const struct planner *q, uint32_t var);
void logic_set_chars(struct planner *q, uint32_t var, int32_t chars);
/* The length that all those of type CHAR(n) have; 0: they differ, or there are none. */
int32_t bind_chars(struct bexpr *const *args, uint32_t count);
/* With its blanks, as a value of that type. */
int bind_pad(struct binder *b, enum type_id type, struct bexpr **e, struct dn_err *err)
    DN_MUST_CHECK;
/* The columns of a query as a client gets them; and what came so back again. */
int query_shown(struct planner *q, struct qout *out, struct dn_err *err) DN_MUST_CHECK;
int query_unshown(struct planner *q,
                  const struct plan_col *cols,
                  struct qout *out,
                  struct dn_err *err) DN_MUST_CHECK;
