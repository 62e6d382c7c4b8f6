/* SPDX-License-Identifier: Apache-2.0
 *
 * ast.h: the one syntax tree. Made by sql_parse, read by the binder and the printer. All memory
 * is of the statement's arena. Positions are 1-based characters (not bytes) in the statement text.
 * Names are NUL-terminated, as written (quotes removed, case kept).
 *
 * One thread at a time. */
#pragma once

#include "catalog/table.h"
#include "sql/ast_node.h"

struct select_item {
    struct expr *expr;
    const char *alias; /* NULL = none */
    uint32_t alias_pos;
    uint32_t pos; /* first character of the item; the text between pos and end names the column when
                     there is no alias */
    uint32_t end; /* one past the last character */
};

enum nulls_order { NULLS_DEFAULT, NULLS_FIRST, NULLS_LAST };

struct order_item {
    struct expr *expr;
    bool desc;
    enum nulls_order nulls;
};

struct qual_name {
    const char *schema; /* NULL = not given */
    const char *name;
    uint32_t pos;      /* of the first part */
    uint32_t name_pos; /* of the last part */
};

struct select_stmt {
    bool distinct; /* SELECT DISTINCT */
    struct select_item *items;
    uint32_t items_count;
    bool has_from;
    struct qual_name from;
    const char *from_alias; /* NULL = none */
    struct expr *where;     /* NULL = none */
    struct expr **group_by;
    uint32_t group_by_count;
    struct expr *having;
    struct order_item *order_by;
    uint32_t order_by_count;
    struct expr *limit; /* NULL = none */
    struct expr *offset;
};

struct insert_stmt {
    struct qual_name table;
    struct spec_name *columns; /* NULL = all in order */
    uint32_t columns_count;
    struct expr ***rows; /* rows[i][j]; NULL element = DEFAULT keyword */
    uint32_t *rows_len;  /* values in row i */
    uint32_t *rows_pos;  /* position of each row's parenthesis */
    uint32_t rows_count;
};

struct set_item {
    struct spec_name column;
    struct expr *expr; /* NULL = DEFAULT */
};

/* UPDATE and DELETE: which rows, and what becomes of them. */
struct change_stmt {
    struct qual_name table;
    const char *alias;    /* NULL = none */
    struct set_item *set; /* UPDATE */
    uint32_t set_count;
    struct expr *where; /* NULL = all rows */
};

enum alter_kind {
    ALTER_ADD_COLUMN,
    ALTER_DROP_COLUMN,
    ALTER_RENAME_COLUMN,
    ALTER_RENAME_TABLE,
    ALTER_SET_OPTIONS,
    ALTER_KIND_MAX
};

/* One of the things an ALTER TABLE does. */
struct alter_action {
    enum alter_kind kind;
    bool if_exists;              /* DROP COLUMN IF EXISTS */
    bool if_not_exists;          /* ADD COLUMN IF NOT EXISTS */
    struct column_spec column;   /* ADD */
    struct expr *column_default; /* ADD: NULL = none; evaluated by the engine */
    struct spec_name name;       /* DROP, RENAME: the column as it is called now */
    struct spec_name to;         /* RENAME: what it, or the table, is called then */
    struct option_spec *options; /* SET */
    uint32_t options_count;
};

struct alter_stmt {
    struct alter_action *actions;
    uint32_t actions_count;
};

struct copy_stmt {
    bool from; /* COPY … FROM; else TO, and the statement's `explained` is the query */
    struct qual_name table;    /* no name: COPY (SELECT …) TO */
    struct spec_name *columns; /* NULL = all in order */
    uint32_t columns_count;
    const char *file; /* as given */
    uint32_t file_pos;
    struct option_spec *options; /* value NULL: it was named without one */
    uint32_t options_count;
};

enum stmt_kind {
    STMT_EMPTY, /* nothing but spaces and comments */
    STMT_SELECT,
    STMT_INSERT,
    STMT_UPDATE,
    STMT_DELETE,
    STMT_COPY,
    STMT_TRUNCATE,
    STMT_ALTER_TABLE,
    STMT_CREATE_TABLE,
    STMT_DROP_TABLE,
    STMT_CREATE_SCHEMA, /* and KEYSPACE */
    STMT_DROP_SCHEMA,
    STMT_USE,
    STMT_DESCRIBE,
    STMT_SHOW_TABLES,
    STMT_SHOW_SCHEMAS,
    STMT_SHOW_CREATE_TABLE,
    STMT_SHOW_TABLE_STATUS,
    STMT_SHOW_PARTITIONS,
    STMT_SHOW_SETTING, /* SHOW name, SHOW ALL (name "all") */
    STMT_SET,          /* SET name = value | TO value | DEFAULT */
    STMT_EXPLAIN,
    STMT_CHECKPOINT, /* flush everything to segments */
    STMT_KIND_MAX
};

struct stmt {
    enum stmt_kind kind;
    const char *text;    /* whole input, borrowed */
    uint32_t start;      /* character position where this statement begins */
    uint32_t start_byte; /* byte offsets of this statement in text: [start_byte, end_byte) */
    uint32_t end_byte;
    uint32_t params_count; /* highest parameter number */
    bool if_exists;        /* DROP … IF EXISTS */
    bool if_not_exists;    /* CREATE … IF NOT EXISTS */
    bool keyspace;         /* the word KEYSPACE was used */
    struct select_stmt *select;
    struct insert_stmt *insert;
    struct change_stmt *change; /* UPDATE, DELETE */
    struct alter_stmt *alter;
    struct copy_stmt *copy;
    struct table_spec
        *create; /* spec.schema.s is NULL when not given; defaults are in column_defaults */
    struct expr *
        *column_defaults;  /* CREATE TABLE: one per column, NULL = none; evaluated by the engine */
    struct qual_name name; /* DROP TABLE, ALTER TABLE, TRUNCATE, DESCRIBE, SHOW …, USE / CREATE
                              SCHEMA (name only) */
    const char *replication; /* CREATE KEYSPACE: the map's text, NULL = none */
    const char *set_value;   /* SET: text without quotes; NULL = DEFAULT */
    uint32_t set_value_pos;
    struct stmt *explained; /* EXPLAIN; COPY TO: what is copied, a SELECT */
};
