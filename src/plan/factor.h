/* SPDX-License-Identifier: Apache-2.0
 *
 * factor.h: inside of plan/: an OR taken apart. One thread at a time. */
#pragma once

#include "plan/logic.h"

/* The OR, what its branches have in common and what they say about single tables added to a list.
 * False: out of memory. */
bool factor_or(struct planner *q, struct bexpr *cond, struct lexprs *to) DN_MUST_CHECK;
