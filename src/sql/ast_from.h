/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_from.h: names of tables and what stands in FROM. ast.h says what holds for all of the tree.
 * One thread at a time. */
#pragma once

#include "catalog/table.h"
#include "sql/ast_node.h"

struct qual_name {
    const char *schema; /* NULL = not given */
    const char *name;
    uint32_t pos;      /* of the first part */
    uint32_t name_pos; /* of the last part */
};

/* ---- FROM ---- */

enum from_kind {
    FROM_TABLE,    /* table */
    FROM_QUERY,    /* query: SELECT, VALUES, … in parentheses */
    FROM_FUNCTION, /* call */
    FROM_JOIN,     /* left join right */
    FROM_FILE,     /* file */
    FROM_KIND_MAX
};
enum join_kind { JOIN_INNER, JOIN_LEFT, JOIN_RIGHT, JOIN_FULL, JOIN_CROSS, JOIN_KIND_MAX };

/* f(…) AS t(a int, b text) */
struct from_column {
    struct spec_name name;
    struct type_name *type;
};

/* TABLESAMPLE method (args) [REPEATABLE (seed)]. */
struct from_sample {
    struct spec_name method;
    struct expr **args;
    uint32_t args_count;
    struct expr *seed; /* NULL = none */
};

struct from_item {
    enum from_kind kind;
    uint32_t pos;               /* first character; JOIN: of its word */
    uint32_t depth;             /* height of the joins and queries below */
    bool only;                  /* ONLY t: there is no inheritance, so it changes nothing */
    bool lateral;               /* QUERY, FUNCTION: LATERAL was written (a FUNCTION is so anyway) */
    bool ordinality;            /* FUNCTION: WITH ORDINALITY */
    struct qual_name table;     /* TABLE */
    struct from_sample *sample; /* TABLE; NULL = none */
    struct query *query;        /* QUERY */
    struct expr *call;          /* FUNCTION: an EXPR_CALL; NULL: ROWS FROM (…) */
    struct expr **calls;        /* ROWS FROM: those side by side */
    uint32_t calls_count;
    const char *file;  /* FILE: its name */
    const char *alias; /* NULL = none; a JOIN in parentheses may have one too */
    uint32_t alias_pos;
    struct spec_name *columns; /* AS t (a, b): new names for the first columns; NULL = none */
    uint32_t columns_count;
    struct from_column *column_defs; /* FUNCTION: with types; NULL = none */
    uint32_t column_defs_count;

    enum join_kind join;
    bool natural; /* JOIN: then neither on nor using */
    struct from_item *left;
    struct from_item *right;
    struct expr *on;         /* NULL = none */
    struct spec_name *using; /* NULL = none */
    uint32_t using_count;
    const char *using_alias; /* USING (a) AS u; NULL = none */
};
