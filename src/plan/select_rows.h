/* SPDX-License-Identifier: Apache-2.0
 *
 * select_rows.h: inside of plan/: functions that return rows in a SELECT outside of FROM. One
 * thread at a time. */
#pragma once

#include "plan/select_int.h"

/* When one runs (select_rows.c has why). */
enum sel_stage { SEL_ROWS_INNER, SEL_ROWS_WINDOW, SEL_ROWS_FINAL };
struct sel_rowfunc {
    struct plan_function_call call;
    uint32_t var;
    uint32_t level;       /* of calls in calls, within its stage */
    enum sel_stage stage; /* when it runs */
    uint32_t again;       /* INNER, and used above the aggregation too: the variable there; 0 */
};

/* Who uses one; when they run, once all is bound; over
 * the aggregation, one variable (1: it is none of those below it) and all arguments; the nodes. */
bool select_has_sets(const struct sel *s, const struct bexpr *e);
void select_rows_stages(struct sel *s);
int select_rows_lift_var(struct sel *s, struct bexpr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
int select_rows_lift(struct sel *s, struct dn_err *err) DN_MUST_CHECK;
int select_rows(struct sel *s, enum sel_stage stage, struct dn_err *err) DN_MUST_CHECK;
