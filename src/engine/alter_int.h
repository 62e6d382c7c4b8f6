/* SPDX-License-Identifier: Apache-2.0
 *
 * alter_int.h: an ALTER TABLE under way, shared by alter.c and alter_rewrite.c. Owner thread of the
 * connection. */
#pragma once

#include "engine/names.h"
#include "engine/sequence_ddl.h"

struct alter {
    struct dendro_stmt *stmt;
    struct alter_action *actions; /* with defaults filled in */
    uint32_t actions_count;
    bool held;                             /* the shard takes no rows of the table */
    char skipped[2 * TABLE_NAME_MAX + 64]; /* what the notice says when there is nothing to do */
    struct ddl_serials serials;            /* sequences to be made */
    bool rewrites;     /* every row is written anew, with the new definition; see alter_rewrite.c */
    bool collapses;    /* … of all shards of a partition into one table */
    struct table *was; /* reference: the table before; rewrites only */
    struct table *now; /* owned: under its own name; rewrites only */
    struct timepart_rows *made;    /* in the run's arena: tables that are filled, and for which */
    size_t made_count;             /* … one; of a partition that stays one, each of its shards */
    char hidden[SESSION_TEMP_MAX]; /* its schema meanwhile */
    bool filled;
};

/* The definition that the actions make of the table (ret_t, owned; ret_was borrowed from cur).
 * DN_NOT_FOUND: nothing is to be done. */
int ddl_alter_make(struct alter *a,
                   const struct catalog *cur,
                   const struct table **ret_was,
                   struct table **ret_t,
                   struct dn_err *err) DN_MUST_CHECK;
/* Views and sequences follow the table, which is changed in *cat already. */
int ddl_alter_follow(struct alter *a,
                     const struct catalog *before,
                     const struct table *was,
                     const struct table *t,
                     struct catalog **cat,
                     struct dn_err *err) DN_MUST_CHECK;
/* From here on no row comes into the table until the edit is done; in a transaction block COMMIT
 * fails if one of another session did. */
int ddl_alter_hold(struct alter *a, const struct table *was, struct dn_err *err) DN_MUST_CHECK;

/* ---- alter_rewrite.c ---- */
/* Does one of the actions need it? Sets rewrites. */
int ddl_alter_look(struct alter *a, struct dn_err *err) DN_MUST_CHECK;
/* ALTER COLUMN TYPE, of any kind. */
int ddl_alter_type(struct alter *a,
                   const struct table *was,
                   struct table *t,
                   const struct alter_action *action,
                   struct dn_err *err) DN_MUST_CHECK;
int ddl_alter_run_rewrite(struct alter *a, struct dn_err *err) DN_MUST_CHECK;
