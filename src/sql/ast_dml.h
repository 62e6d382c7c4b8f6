/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_dml.h: INSERT, UPDATE, DELETE, MERGE. ast.h says what holds for all of the tree. One thread
 * at a time. */
#pragma once

#include "sql/ast_ddl.h"

struct set_item {
    struct spec_name column;
    struct expr *expr;  /* NULL = DEFAULT */
    struct expr *place; /* a[i] = …: the EXPR_SUBSCRIPT of the column; NULL = the column itself */
    /* (a, b) = (query): the names, column is the first of them; NULL = a single column. A row of
     * values is an item for each. */
    struct spec_name *columns;
    uint32_t columns_count;
};

enum conflict_action { CONFLICT_NONE, CONFLICT_NOTHING, CONFLICT_UPDATE };

struct conflict_clause {
    enum conflict_action action;
    uint32_t pos;              /* of the word ON */
    struct index_elem *target; /* (a, b); NULL = none */
    uint32_t target_count;
    struct expr *target_where;   /* NULL = none */
    struct spec_name constraint; /* ON CONSTRAINT; s NULL = none */
    struct set_item *set;        /* UPDATE; the row that was not inserted is called "excluded" */
    uint32_t set_count;
    struct expr *where; /* NULL = none */
};

enum overriding { OVERRIDING_NONE, OVERRIDING_USER, OVERRIDING_SYSTEM };

struct insert_stmt {
    struct with_clause *with; /* NULL = none */
    struct qual_name table;
    const char *alias;         /* NULL = none */
    struct spec_name *columns; /* NULL = all in order */
    uint32_t columns_count;
    enum overriding overriding;
    struct query *query; /* NULL = DEFAULT VALUES; only a VALUES that is all of the query may have
                            DEFAULT among its values */
    struct expr *ttl;    /* USING TTL; NULL = none */
    struct conflict_clause conflict;
    struct select_item *returning;
    uint32_t returning_count;
    uint32_t depth; /* height of everything in it */
};

enum merge_action { MERGE_NOTHING, MERGE_UPDATE, MERGE_DELETE, MERGE_INSERT };

/* WHEN [NOT] MATCHED [AND cond] THEN … */
struct merge_when {
    uint32_t pos; /* of the word WHEN */
    bool matched;
    enum merge_action action;
    struct expr *cond;    /* NULL = none */
    struct set_item *set; /* UPDATE */
    uint32_t set_count;
    struct spec_name *columns; /* INSERT; NULL = all in order */
    uint32_t columns_count;
    enum overriding overriding;
    struct expr **values; /* INSERT; NULL element = DEFAULT; NULL = DEFAULT VALUES */
    uint32_t values_count;
};

struct merge_stmt {
    struct with_clause *with; /* NULL = none */
    struct qual_name table;
    const char *alias; /* NULL = none */
    uint32_t pos;
    struct from_item *source;
    struct expr *on;
    struct merge_when *whens;
    uint32_t whens_count;
    uint32_t depth; /* height of everything in it */
};

/* UPDATE and DELETE: which rows, and what becomes of them. */
struct change_stmt {
    struct with_clause *with; /* NULL = none */
    struct qual_name table;
    const char *alias;    /* NULL = none */
    struct expr *ttl;     /* UPDATE … USING TTL; NULL = none */
    struct set_item *set; /* UPDATE */
    uint32_t set_count;
    struct from_item **from; /* UPDATE … FROM, DELETE … USING */
    uint32_t from_count;
    struct expr *where;          /* NULL = all rows */
    struct spec_name current_of; /* WHERE CURRENT OF cursor; no name = none */
    struct select_item *returning;
    uint32_t returning_count;
    uint32_t depth; /* height of everything in it */
    bool once;      /* DELETE that deletes nothing: refused (21000) if a row has several partners */
};
