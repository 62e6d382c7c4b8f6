/* SPDX-License-Identifier: Apache-2.0
 *
 * change_range.h: a DELETE that is some ranges of the key. As a statement: one thread at a time. */
#pragma once

#include "engine/engine_int.h"
#include "plan/ranges.h"

/* A DELETE's ranges for this execution (after stmt_begin), in its arena. */
int stmt_delete_ranges(struct dendro_stmt *stmt,
                       const struct plan *plan,
                       struct plan_ranges *ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* What to do where the rows of a change took too much memory. */
void stmt_change_advise(const struct dendro_stmt *stmt, struct dn_err *err);
/* Counts the rows and deletes them with one range tombstone each. */
int stmt_run_ranges(struct dendro_stmt *stmt,
                    const struct plan *plan,
                    const struct plan_ranges *ranges,
                    struct dn_err *err) DN_MUST_CHECK;
