/* SPDX-License-Identifier: Apache-2.0
 *
 * retain.h: who moves the horizons of tables (catalog/retention.h) and drops what is before them.
 * Two steps, docs/adr/0010-retention-by-horizon.md: one edit of the catalog for all tables that are
 * due, then one range tombstone each. Whoever finds rows before a horizon does the second step
 * again: after a crash, after an error, after a load that began before it moved.
 *
 * The task of rollouts (timepart.h) looks now and then, and when an age is over; the database when
 * it is opened; CREATE TABLE, ALTER TABLE and CHECKPOINT when they are done.
 *
 * Any thread. */
#pragma once

#include "engine/engine_int.h"

/* Does all that is due. ret_when: when to look again, in seconds of the clock. DN_E_CANCELED as
 * engine_edit. */
int engine_retain(struct dendro_db *db,
                  const atomic_bool *cancel,
                  int64_t *ret_when,
                  struct dn_err *err) DN_MUST_CHECK;
/* Has any table a retention? */
bool engine_retains(struct dendro_db *db);
/* A statement is done that may have changed what is due: looks, if there is any such table. What
 * fails is tried again by the task. */
void engine_retain_now(struct dendro_db *db, const atomic_bool *cancel);
/* In an edit of the catalog (db->edit is held), before a table loses its horizon: nothing before it
 * is left, and no row comes in any more until the edit is done (shard_hold). */
int engine_retain_finish(struct dendro_db *db,
                         const struct table *t,
                         struct dn_err *err) DN_MUST_CHECK;
