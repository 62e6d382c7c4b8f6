/* SPDX-License-Identifier: Apache-2.0
 *
 * rollout.h: rollouts of time partitions: when they are due, and what each step makes of the
 * catalog. Nothing here reads a clock or writes: struct rollout_now says what time it is, and a
 * step is an edit of the catalog (timepart.h has the states), so that after a crash between any two
 * steps the next process to open the database continues with the same step.
 *
 *              n-th rollout minus the window        n-th rollout           5 seconds later
 *     VIEW     ADD: a table for it is made          ROLL: it is the        DROP: those too old
 *                                                   newest shard           are no tables any more
 *     TABLE                                         ROLL: the oldest is emptied and is the newest
 *
 * What was missed (the database was closed, or START lies in the past) is made up for by one ROLL:
 * names, bounds and numbers are those of all rollouts one after the other, but only shards that are
 * still there at its end are made.
 *
 * Any thread. */
#pragma once

#include "catalog/catalog.h"

#define ROLLOUT_WINDOW     1800 /* seconds before a rollout its table is made; a quarter of the … */
#define ROLLOUT_DROP_AFTER 5    /* … period if that is less. Seconds until evicted shards go */

struct rollout_now {
    int64_t seconds; /* since 1970 */
    bool counted;    /* the partition's counter was ever set: */
    int64_t counter;
};

enum rollout_act { ROLLOUT_NOTHING, ROLLOUT_ADD, ROLLOUT_ROLL, ROLLOUT_DROP };

/* The n-th rollout, from 0 on: seconds since 1970, or the counter. False: beyond the end of time.
 */
bool rollout_point(const struct timepart *p, uint64_t n, int64_t *ret);
/* How many rollouts, from that one on, are not after this moment? There may be millions. */
uint64_t rollout_passed(const struct timepart *p, uint64_t from, int64_t at);
/* The next step and when it is due (INT64_MAX: never, or it depends on the counter). */
enum rollout_act
rollout_next(const struct timepart *p, const struct rollout_now *now, int64_t *ret_when);
/* The step that is due now. */
enum rollout_act rollout_due(const struct timepart *p, const struct rollout_now *now);
/* Makes *ret from c by taking the step that is due. */
int rollout_edit(const struct catalog *c,
                 uint64_t parent,
                 enum rollout_act act,
                 const struct rollout_now *now,
                 struct catalog **ret,
                 struct dn_err *err) DN_MUST_CHECK;
/* Changes the retention: surplus shards are evicted at once; a TABLE gets the shards it lacks. */
int rollout_retain(const struct catalog *c,
                   uint64_t parent,
                   uint32_t retention,
                   const struct rollout_now *now,
                   struct catalog **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* Gives a TABLE with one shard the others that its retention asks for. */
int rollout_fill(const struct catalog *c, uint64_t parent, struct catalog **ret, struct dn_err *err)
    DN_MUST_CHECK;
