/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart.h: statements about time partitions, and who runs their rollouts. One task of the
 * database sleeps until the next step is due (rollout.h) and makes it, holding the lease of
 * rollouts; it is started with the first partition, or the first row that expires. What became due
 * while nobody ran it is made up for when the database is opened, and when a clock for tests is set
 * ahead, before that returns.
 *
 * Statements: the thread of the session. The rest: any thread. */
#pragma once

#include "catalog/rollout.h"
#include "engine/engine_int.h"

struct rollouts;

/* ---- timepart.c ---- */
/* PUT TIME PARTITION … STATE (timepart_state.c): what a dump says of a partition, after its tables
 * were made and filled. */
int stmt_run_timepart_state(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* timepart_start.c: refuses a START so far in the past that the table is no shard of `parent` any
 * more once all rollouts have been made up for, if it has rows: they would be gone with the
 * statement. */
int ddl_partition_loss(struct dendro_stmt *stmt,
                       const struct table *shard,
                       const struct table *parent,
                       struct dn_err *err) DN_MUST_CHECK;
/* In an edit: the table, which is in *cat, becomes a partition (PARTITIONED BY); *cat is replaced.
 */
int ddl_partition(struct dendro_stmt *stmt,
                  const struct table *t,
                  const struct partition_def *def,
                  struct catalog **cat,
                  struct dn_err *err) DN_MUST_CHECK;

/* … which is one already: another retention. */
int ddl_repartition(struct dendro_stmt *stmt,
                    const struct table *t,
                    const struct partition_def *def,
                    struct catalog **cat,
                    struct dn_err *err) DN_MUST_CHECK;

/* ---- rollouts.c ---- */
/* Does all that is due. Errors are those of the first step that failed. */
int engine_rollouts_run(struct dendro_db *db,
                        const atomic_bool *cancel,
                        struct dn_err *err) DN_MUST_CHECK;
/* There is a partition, or one has changed: the task looks again, and is started if it must be. */
void engine_rollouts_wake(struct dendro_db *db);
/* Is there anything in the database that goes by time: partitions, retention, rows that expire? */
bool engine_rollouts_wanted(struct dendro_db *db);
void engine_rollouts_stop(struct dendro_db *db);
/* Rows come that expire: the task looks for their space from now on, once in a while. */
void engine_rollouts_expiry(struct dendro_db *db);
/* What time it is for a partition. */
int engine_rollout_now(struct dendro_db *db,
                       const struct table *t,
                       struct rollout_now *ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* ---- counter.c: counters of partitions that are rolled by hand ---- */
#define COUNTER_NAME_MAX TIMEPART_COUNTER_MAX
struct engine_logical {
    char name[COUNTER_NAME_MAX];
    bool set; /* it has a value: */
    int64_t value;
};
/* As of sequences (sequence.h): the document is there; is it sound? */
int engine_counters_ensure(struct dendro_db *db, struct dn_err *err) DN_MUST_CHECK;
struct volume;
int engine_counters_verify(struct volume *v, struct dn_err *err) DN_MUST_CHECK;
/* All of them, in the arena. */
int engine_counters(struct dendro_db *db,
                    struct arena *arena,
                    struct engine_logical **ret,
                    size_t *ret_count,
                    struct dn_err *err) DN_MUST_CHECK;
/* One is made, raised by one (from nothing to 0) or set; durable when it returns. */
int engine_counter_put(struct dendro_db *db,
                       const char *name,
                       enum counter_what what,
                       int64_t value,
                       struct dn_err *err) DN_MUST_CHECK;
/* Some go; durable when it returns. ret_count: as many as were there. */
int engine_counters_drop(struct dendro_db *db,
                         const char *const *names,
                         size_t count,
                         uint64_t *ret_count,
                         struct dn_err *err) DN_MUST_CHECK;

/* ---- counter_delete.c: DELETE FROM comdb2_logical_cron ---- */
/* Is the statement one? */
bool stmt_deletes_counters(const struct dendro_stmt *stmt);
int stmt_run_delete_counters(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
