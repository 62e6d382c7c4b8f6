/* SPDX-License-Identifier: Apache-2.0
 *
 * values.h: inside of plan/: VALUES as a query. One thread at a time. */
#pragma once

#include "plan/select_int.h"

int query_values(struct planner *q,
                 const struct query *ast,
                 const struct scope *outer,
                 struct qout *ret,
                 struct dn_err *err) DN_MUST_CHECK;
