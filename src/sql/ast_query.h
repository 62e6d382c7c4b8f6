/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_query.h: queries in the syntax tree. ast.h says what holds for all of it.
 *
 *     query       [WITH …] body [ORDER BY …] [LIMIT …] [OFFSET …] [FETCH …] [FOR …]
 *     body        SELECT core | VALUES rows | query UNION | INTERSECT | EXCEPT query
 *
 * Parentheses around a query leave no trace: (SELECT 1) ORDER BY 1 is SELECT 1 ORDER BY 1, as in
 * PostgreSQL, and a second ORDER BY, LIMIT or WITH for the same query is an error of the parser.
 * TABLE t is SELECT * FROM t. Queries nest at most SQL_DEPTH_MAX deep, counted together with
 * the expressions around and in them, so a walk may recurse; a chain of set operations leans to the
 * left and its length counts too.
 *
 * One thread at a time. */
#pragma once

#include "sql/ast_from.h"

struct stmt;

/* ---- the select list, ORDER BY ---- */

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
    const char *using_op; /* ORDER BY a USING >: the symbol; NULL = none */
};

/* ---- windows ---- */

enum frame_mode { FRAME_NONE, FRAME_ROWS, FRAME_RANGE, FRAME_GROUPS };
enum frame_bound {
    FRAME_UNBOUNDED_PRECEDING,
    FRAME_PRECEDING, /* with a value */
    FRAME_CURRENT,
    FRAME_FOLLOWING, /* with a value */
    FRAME_UNBOUNDED_FOLLOWING
};
enum frame_exclude { EXCLUDE_NONE, EXCLUDE_CURRENT, EXCLUDE_GROUP, EXCLUDE_TIES };

struct window_def {
    const char *name; /* WINDOW clause: how it is called; NULL in OVER */
    const char *ref;  /* the window this one is built on, NULL = none */
    bool bare;        /* OVER ref: that window as it is; OVER (ref) is a copy */
    struct expr **partition_by;
    uint32_t partition_by_count;
    struct order_item *order_by;
    uint32_t order_by_count;
    enum frame_mode mode;        /* NONE: no frame was written, and what follows is of no meaning */
    enum frame_bound from;       /* a frame without BETWEEN ends at the CURRENT row */
    enum frame_bound to;         /* the parser refuses frames that end before they begin */
    struct expr *from_value;     /* NULL unless PRECEDING or FOLLOWING */
    struct expr *to_value;       /* as from_value */
    enum frame_exclude excluded; /* NONE also for EXCLUDE NO OTHERS */
    uint32_t pos;                /* of the name or the parenthesis */
    uint32_t frame_pos;          /* of ROWS, RANGE or GROUPS */
};

/* ---- GROUP BY ---- */

enum group_kind {
    GROUP_EXPR,   /* an expression, an ordinal or an alias; (a, b) is both: expr is a ROW */
    GROUP_EMPTY,  /* () */
    GROUP_ROLLUP, /* ROLLUP (items): GROUP_EXPR each, a ROW stands for one step */
    GROUP_CUBE,   /* CUBE (items), likewise */
    GROUP_SETS,   /* GROUPING SETS (items): any kind each */
    GROUP_KIND_MAX
};

struct group_item {
    enum group_kind kind;
    uint32_t pos;
    uint32_t depth;
    struct expr *expr; /* EXPR */
    struct group_item *items;
    uint32_t items_count;
};

/* ---- SELECT, VALUES, set operations ---- */

struct select_core {
    bool distinct;             /* SELECT DISTINCT, also with distinct_on */
    struct expr **distinct_on; /* DISTINCT ON (…); NULL = none */
    uint32_t distinct_on_count;
    struct select_item *items; /* may be none at all: SELECT FROM t */
    uint32_t items_count;
    struct from_item **from; /* comma list; none: no FROM */
    uint32_t from_count;
    struct expr *where;          /* NULL = none */
    struct group_item *group_by; /* grouping sets of several items multiply */
    uint32_t group_by_count;
    bool group_distinct; /* GROUP BY DISTINCT */
    struct expr *having;
    struct window_def *windows;
    uint32_t windows_count;
    uint32_t pos; /* of the word SELECT */
};

struct values_rows {
    struct expr ***rows;  /* rows[i][j]; NULL element = DEFAULT, in an INSERT's own VALUES only */
    uint32_t *rows_len;   /* values in row i; they may differ, which is the user's mistake */
    uint32_t *rows_pos;   /* position of each row's parenthesis */
    uint32_t rows_count;  /* at least 1 */
    uint32_t default_pos; /* of a row with DEFAULT in it, 0 = none */
};

enum query_kind { QUERY_SELECT, QUERY_VALUES, QUERY_SET, QUERY_KIND_MAX };
enum set_op { SET_UNION, SET_INTERSECT, SET_EXCEPT, SET_OP_MAX };

enum cte_material { CTE_DEFAULT, CTE_MATERIALIZED, CTE_NOT_MATERIALIZED };

struct cte {
    struct spec_name name;
    struct spec_name *columns; /* NULL = those of the query */
    uint32_t columns_count;
    enum cte_material material;
    struct query *query; /* NULL: change is set */
    struct stmt *change; /* INSERT, UPDATE or DELETE [RETURNING] */
};

struct with_clause {
    bool recursive;
    struct cte *ctes;
    uint32_t ctes_count;
    uint32_t depth; /* height of all of them */
    uint32_t pos;   /* of the word WITH */
};

enum lock_mode { LOCK_NONE, LOCK_UPDATE, LOCK_NO_KEY_UPDATE, LOCK_SHARE, LOCK_KEY_SHARE };
enum lock_wait { LOCK_WAITS, LOCK_NOWAIT, LOCK_SKIPS };

/* FOR UPDATE, NO KEY UPDATE, SHARE or KEY SHARE [OF a, b] [NOWAIT | SKIP LOCKED]. */
struct lock_clause {
    enum lock_mode mode; /* never NONE */
    enum lock_wait wait;
    uint32_t pos;
    struct qual_name *of; /* NULL: all of FROM */
    uint32_t of_count;
};

struct query {
    enum query_kind kind;
    uint32_t pos;              /* of its first word */
    uint32_t depth;            /* height of everything in it */
    struct with_clause *with;  /* NULL = none */
    struct select_core *core;  /* SELECT */
    struct values_rows values; /* VALUES */
    enum set_op set;           /* SET */
    bool all;                  /* SET: UNION ALL and the like */
    uint32_t set_pos;          /* SET: of the operator's word */
    struct query *left;        /* SET */
    struct query *right;       /* SET */
    struct order_item *order_by;
    uint32_t order_by_count;
    struct expr *limit;        /* LIMIT, FETCH FIRST; NULL = none, and LIMIT ALL */
    struct expr *offset;       /* NULL = none */
    bool with_ties;            /* FETCH FIRST … WITH TIES; the parser saw an ORDER BY */
    struct lock_clause *locks; /* FOR UPDATE and the weaker forms */
    uint32_t locks_count;
};
