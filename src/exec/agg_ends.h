/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_ends.h: the newest (or oldest) values of groups whose rows lie among each other: last(x, t)
 * and max(t) GROUP BY host, in a table that is ordered by time, by an id or not at all.
 *
 * A group has a floor: every aggregate of it has a value of that time or of one nearer to the end,
 * so rows farther from the end cannot matter. Of a unit the keys are decoded first; if all its rows
 * lie behind the floors of their groups, which the zone of the time tells, nothing else is. The
 * scan begins at the end that is asked for, where zones tell which it is, so that soon all floors
 * are there. Rows of the same time as the floor still count: of those the greatest value is taken.
 *
 * One thread at a time, as the feed. */
#pragma once

#include "exec/agg_units.h"

/* Adds the rows of the unit at hand, which is no BLOCK. */
int exec_feed_ends(struct exec_feed *f, struct dn_err *err) DN_MUST_CHECK;
