/* SPDX-License-Identifier: Apache-2.0
 *
 * join_reach.h: the scans on the left side of a join whose columns are keys of the join: rows of
 * them whose keys no right row has cannot matter. A key is followed down through what hands columns
 * on and loses nothing else with the rows: filters, projections, sorts, set operations; as a group
 * key, a column of DISTINCT ON or of PARTITION BY (whole groups go); and through joins, into their
 * other side as well where that is joined on the same column. Not through LIMIT, and not to columns
 * that an outer join fills with NULL.
 *
 * Any thread. */
#pragma once

#include "base/arena.h"
#include "exec/exec.h"

/* cols: column of the scan (of its cols) for each key of the join, PLAN_NO_COL where there is none;
 * one at least is. */
typedef int (*exec_reach_fn)(void *arg,
                             const struct plan_node *scan,
                             const uint32_t *cols,
                             struct dn_err *err);

/* node is a JOIN. Nothing of a join that keeps left rows without a match. */
int exec_join_reach(const struct plan_node *node,
                    struct arena *arena,
                    exec_reach_fn fn,
                    void *arg,
                    struct dn_err *err) DN_MUST_CHECK;
