/* SPDX-License-Identifier: Apache-2.0
 *
 * sql_world.h: a database on a simulated disk beside the model of what it should hold: opening,
 * faults, crashes, and the check that both say the same. A statement that failed in storage leaves
 * its outcome open (the `maybe` and `ddl` members) until the database tells. One thread at a time.
 */
#pragma once

#include "sql_change.h"

#define TABLES    3u
#define MAYBE_MAX 8u

enum ddl { DDL_NONE, DDL_CREATE, DDL_DROP, DDL_ALTER };

struct world {
    struct rng rng;
    uint64_t seed;
    struct sql_db d;
    struct sqlm_table t[TABLES];
    uint32_t names; /* tables made so far */
    struct {
        struct sql_rows after; /* the table's rows if it happened */
        uint32_t table;
    } maybe[MAYBE_MAX]; /* failed, outcome unknown: one of them may show after the next open */
    uint32_t maybe_count;
    enum ddl ddl; /* a failed CREATE, DROP, ALTER: done or not, we will see */
    uint32_t ddl_table;
    struct sqlm_alter alter; /* with DDL_ALTER */
    uint64_t merges;         /* of segments, until the last close */
    bool big;
    bool trace;
    bool failed;
};

/* Prints seed and tables once, and marks the world as failed. */
void world_die(struct world *w, const char *when, const char *why);
int world_exec(struct world *w, const char *sql, struct dendro_error *err) DN_MUST_CHECK;
/* Under DENDRO_TEST_TRACE: a statement and how it ended; a remark. */
void world_said(const struct world *w, const char *sql, int rc, const struct dendro_error *err);
void world_trace(const struct world *w, const char *what);
int world_open(struct world *w, struct dn_err *err) DN_MUST_CHECK;
void world_reopen(struct world *w, bool crash);
bool world_has_table(struct world *w, const struct sqlm_table *t);
/* Every table is there, or is not, with the rows of the model. */
void world_verify(struct world *w, const char *when);

/* Arms a fault for the next statement, or not. */
bool world_arm(struct world *w);
/* After a statement: the fault goes; after a crash the machine comes back. */
void world_disarm(struct world *w, bool armed, bool failed);
bool world_fault_code(int rc);
/* A flush failed a moment ago and memory is full. It is tried again after a pause, and then, the
 * disk being well again, writes go on: true after that pause. */
bool world_again(struct world *w, bool armed, int rc, const struct dendro_error *err);

/* A write that failed and may have happened all the same. Takes the rows over. */
void world_maybe(struct world *w, uint32_t table, struct sql_rows *after);
bool world_unknown(const struct world *w, const struct dendro_error *err);
void world_forget_maybe(struct world *w);
/* How the last failed CREATE, DROP or ALTER ended: by looking; by an edit of the catalog, which
 * finds it out. */
void world_settle_ddl(struct world *w);
void world_know(struct world *w);
