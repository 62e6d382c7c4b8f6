/* SPDX-License-Identifier: Apache-2.0
 *
 * ast.h: the one syntax tree. Made by sql_parse, read by the binder and the printer. All memory
 * is of the statement's arena. Positions are 1-based characters (not bytes) in the statement text.
 * Names are NUL-terminated, as written (quotes removed, case kept). Lists are an array and a count;
 * one that was not written has the array NULL and the count 0. Everything in a tree is read-only
 * once sql_parse has returned.
 *
 *     ast_node.h   expressions, type names     ast_ddl.h    CREATE, ALTER, DROP
 *     ast_query.h  queries; ast_from.h FROM    ast_misc.h   transactions, settings, cursors, …
 *     ast_dml.h    INSERT, UPDATE, DELETE      ast_access.h roles, GRANT
 *
 * The tree is wider than what the engine does: plan/refuse.c says "… is not supported yet".
 *
 * One thread at a time. */
#pragma once

#include "sql/ast_access.h"
#include "sql/ast_ddl.h"
#include "sql/ast_dml.h"
#include "sql/ast_misc.h"

/* ---- ALTER ---- */

enum alter_kind {
    ALTER_ADD_COLUMN,
    ALTER_DROP_COLUMN,
    ALTER_RENAME_COLUMN,
    ALTER_RENAME_TABLE, /* or view, sequence, index: stmt.object */
    ALTER_SET_OPTIONS,
    ALTER_ADD_CONSTRAINT,
    ALTER_DROP_CONSTRAINT,
    ALTER_RENAME_CONSTRAINT,
    ALTER_SET_DEFAULT, /* name, def */
    ALTER_DROP_DEFAULT,
    ALTER_SET_NOT_NULL,
    ALTER_DROP_NOT_NULL,
    ALTER_TYPE,       /* name, def.type, using */
    ALTER_SET_SCHEMA, /* to */
    ALTER_DROP_EXPRESSION,
    ALTER_ADD_IDENTITY, /* name, def.identity, def.sequence */
    ALTER_SET_IDENTITY, /* likewise; IDENTITY_NONE, NULL: not said */
    ALTER_DROP_IDENTITY,
    ALTER_VALIDATE_CONSTRAINT,
    ALTER_ADD_KEY,       /* key */
    ALTER_PARTITION,     /* partition */
    ALTER_RESET_OPTIONS, /* options without values */
    ALTER_KIND_MAX
};

/* One of the things an ALTER TABLE does. */
struct alter_action {
    enum alter_kind kind;
    bool if_exists;              /* DROP COLUMN, CONSTRAINT, EXPRESSION, IDENTITY */
    bool if_not_exists;          /* ADD COLUMN */
    enum drop_behavior behavior; /* DROP */
    struct column_spec column;   /* ADD */
    struct column_def def;       /* ADD; def.def of SET DEFAULT, def.type and collation of TYPE */
    struct constraint_def *constraints; /* ADD CONSTRAINT: one; ADD COLUMN: those of the column */
    uint32_t constraints_count;
    const struct table_spec *key; /* ADD PRIMARY KEY: nothing else of it counts */
    struct expr *using;           /* TYPE … USING; NULL = none */
    struct spec_name name;        /* the column or constraint as it is called now */
    struct spec_name to;          /* RENAME, SET SCHEMA */
    struct option_spec *options;  /* SET, RESET */
    uint32_t options_count;
    struct partition_def *partition; /* PARTITIONED BY */
};

struct alter_stmt {
    struct alter_action *actions;
    uint32_t actions_count;
};

/* ---- all statements ---- */

enum stmt_kind {
#define SQL_STMT(kind, name, printer) STMT_##kind,
#include "sql/stmt_list.h"
#undef SQL_STMT
    STMT_KIND_MAX
};

/* A pointer belongs to the kind of its name and is NULL in all others. */
struct stmt {
    enum stmt_kind kind;
    const char *text;    /* whole input, borrowed */
    uint32_t start;      /* character position where this statement begins */
    uint32_t start_byte; /* byte offsets of this statement in text: [start_byte, end_byte) */
    uint32_t end_byte;
    uint32_t params_count;       /* highest parameter number */
    bool if_exists;              /* DROP, ALTER … IF EXISTS */
    bool restart_identity;       /* TRUNCATE … RESTART IDENTITY */
    bool if_not_exists;          /* CREATE … IF NOT EXISTS */
    bool user_types;             /* it names types that CREATE TYPE made */
    bool keyspace;               /* the word KEYSPACE was used */
    enum object_kind object;     /* DROP, ALTER, SHOW CREATE: of what */
    enum drop_behavior behavior; /* DROP, TRUNCATE */
    struct query *query;         /* SELECT */
    struct insert_stmt *insert;
    struct change_stmt *change; /* UPDATE, DELETE */
    struct merge_stmt *merge;
    struct alter_stmt *alter;
    struct copy_stmt *copy;
    struct table_spec *create; /* CREATE TABLE; spec.schema.s is NULL when not given; defaults are
                                  in table_def */
    struct table_def *table_def;
    struct view_def *view;
    struct index_def *index;
    struct sequence_def *sequence; /* CREATE SEQUENCE, ALTER SEQUENCE */
    struct timepart_stmt *timepart;
    struct slabs_stmt *slabs; /* also SHOW PARTITIONS FROM */
    struct type_stmt *type;
    struct comment_stmt *comment;
    struct misc_stmt *misc; /* TRANSACTION … MAINTAIN; see there */
    struct set_stmt *set;
    struct role_stmt *role;
    struct grant_stmt *grant;
    struct qual_name name; /* what CREATE, DROP, ALTER, TRUNCATE, DESCRIBE, SHOW …, USE are about */
    struct qual_name *names; /* DROP, TRUNCATE, LOCK, MAINTAIN: all of them, name is the first */
    uint32_t names_count;
    const char *replication; /* CREATE KEYSPACE: the map's text, NULL = none */
    struct explain_options explain;
    struct stmt *explained; /* EXPLAIN, PREPARE, DECLARE: that statement; COPY TO: what is copied, a
                               SELECT, or with RETURNING another */
};
