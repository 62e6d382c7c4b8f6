/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence_ddl.h: sequences in definitions: their own statements, SERIAL and IDENTITY columns, and
 * DEFAULTs that name them. Owner thread of the connection. */
#pragma once

#include "engine/engine_int.h"

/* ---- sequence_ddl.c ---- */
int stmt_run_sequence(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* Options into a definition. fresh: a new one, of the type it has; else what is not given stays. */
int ddl_sequence_options(const struct sequence_def *def,
                         bool fresh,
                         struct sequence *s,
                         struct dn_err *err) DN_MUST_CHECK;
/* Those options for one of *cat, which is replaced. */
int ddl_sequence_change(struct dendro_stmt *stmt,
                        const struct sequence *was,
                        const struct sequence_def *def,
                        struct catalog **cat,
                        struct dn_err *err) DN_MUST_CHECK;
/* Into another schema, with its table or with all of its schema; *cat is replaced. */
int ddl_sequence_move(struct dendro_stmt *stmt,
                      const struct sequence *was,
                      const char *schema,
                      struct catalog **cat,
                      struct dn_err *err) DN_MUST_CHECK;
/* A table was altered: sequences of its columns that went, and (SET SCHEMA) those that stay. */
int ddl_sequences_follow(struct dendro_stmt *stmt,
                         const struct catalog *before,
                         const struct table *was,
                         const struct table *now,
                         struct catalog **cat,
                         struct dn_err *err) DN_MUST_CHECK;
/* TRUNCATE … RESTART IDENTITY: those of the table begin anew; *cat is replaced. */
int ddl_sequences_restart(struct dendro_stmt *stmt,
                          uint64_t table,
                          struct catalog **cat,
                          struct dn_err *err) DN_MUST_CHECK;

/* ---- serial.c: columns with a sequence of their own ---- */
/* One that is to be made with its table. */
struct ddl_serial {
    struct ddl_serial *next;
    const char *column;
    uint32_t pos;
    enum type_id type;
    bool identity;
    const struct sequence_def *def; /* its options; NULL = none */
    const struct sequence *like;    /* … as another one's; NULL = none. Borrowed from a catalog */
    char name[TABLE_NAME_MAX + 1];
};
/* The table whose columns they are. */
struct ddl_serials {
    struct dendro_stmt *stmt;
    const struct catalog *cat;
    const char *schema;
    const char *table;
    bool temp;
    struct ddl_serial *list; /* arena of the execution */
};
/* A SERIAL or IDENTITY column: its name is chosen, the column gets its DEFAULT. */
int ddl_serial_add(struct ddl_serials *all,
                   struct column_spec *col,
                   const struct column_def *def,
                   struct dn_err *err) DN_MUST_CHECK;
/* A column of another table's identity, for LIKE. */
int ddl_serial_like(struct ddl_serials *all,
                    struct column_spec *col,
                    const struct table *t,
                    uint16_t of,
                    struct dn_err *err) DN_MUST_CHECK;
/* Now the table is in *cat, which is replaced. */
int ddl_serials_make(const struct ddl_serials *all,
                     const struct table *t,
                     struct catalog **cat,
                     struct dn_err *err) DN_MUST_CHECK;
/* "nextval('schema.name'::regclass)" in the arena; NULL: out of memory. */
const char *ddl_nextval(struct arena *arena, const char *schema, const char *name);

/* ---- identity.c: ALTER COLUMN … IDENTITY ---- */
/* The column of a definition that nobody else holds; 1: it is none, IF EXISTS. */
int ddl_identity_alter(struct ddl_serials *serials,
                       struct table *t,
                       const struct alter_action *a,
                       struct dn_err *err) DN_MUST_CHECK;
/* Its sequence in *cat, which is replaced; was: the table before. */
int ddl_identity_follow(struct dendro_stmt *stmt,
                        const struct table *was,
                        const struct alter_action *a,
                        struct catalog **cat,
                        struct dn_err *err) DN_MUST_CHECK;

/* ---- sequence_use.c: DEFAULTs that name sequences ---- */
/* Names of sequences in a tree that nobody else holds, with their schema. */
int ddl_qualify_sequences(struct dendro_stmt *stmt,
                          struct expr *e,
                          struct dn_err *err) DN_MUST_CHECK;
/* A sequence is called otherwise: the DEFAULTs that name it say so; *cat is replaced. */
int ddl_sequence_renamed(struct dendro_stmt *stmt,
                         const struct sequence *was,
                         const struct sequence *now,
                         struct catalog **cat,
                         struct dn_err *err) DN_MUST_CHECK;
/* Sequences of before that *cat, which is replaced, does not have: DEFAULTs that name them go too
 * (cascade; notices gets lines), or it is an error: what, "table t", cannot be dropped. */
struct ddl_gone {
    struct arena *arena;
    const struct sql_types *types; /* for DEFAULTs with types of CREATE TYPE; NULL: none is known */
    const struct catalog *before;
    const char *what;
    bool cascade;
    struct buf *notices;
};
int ddl_sequences_gone(const struct ddl_gone *gone,
                       struct catalog **cat,
                       struct dn_err *err) DN_MUST_CHECK;
