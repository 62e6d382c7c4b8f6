/* SPDX-License-Identifier: Apache-2.0
 *
 * safe.h: inside of plan/: what may be computed for rows that nobody asks about, because it cannot
 * fail. What is not known to be so is not. Any thread. */
#pragma once

#include "plan/logic.h"

bool logic_safe_expr(const struct planner *q, const struct bexpr *e); /* NULL is safe */
bool logic_safe_tree(const struct planner *q, const struct lnode *n);
/* Has it one row at most? */
bool logic_safe_row(const struct lnode *n);
