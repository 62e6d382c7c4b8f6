/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_done.h: groups that one unit has all rows of. Where groups are series, and a run is alone
 * (scan_unit_series), nothing will be added to its group later: the aggregates are finished at
 * once, and results are kept as rows, not as states that are looked up, brought together over
 * threads and finished one by one at the end. Rows of other runs are left to the caller.
 *
 *   - Where newest or oldest values are all that is asked for (exec_units.ends), results are values
 *     of the row at that end of the run.
 *   - Else each run gets states for as long as its unit is at hand.
 *
 * One thread at a time; each has a spool of its own. */
#pragma once

#include "exec/agg_units.h"
#include "exec/spool.h"

/* Can groups of the node be finished so? Its order of groups is not kept. */
bool exec_done_may(const struct exec_units *u);
/* Before the first row; `threads` share the memory of the operator. exec_spool_done ends it. */
int exec_done_init(struct exec_spool *s, struct op *op, uint32_t threads, struct dn_err *err)
    DN_MUST_CHECK;
/* Adds the rows of the unit at hand to f->done, or to the groups of the feed. 1: nothing was done,
 * as too few runs are known to be alone, or their strings are too long. */
int exec_feed_done(struct exec_feed *f, struct dn_err *err) DN_MUST_CHECK;
