/* SPDX-License-Identifier: Apache-2.0
 *
 * node.h: the nodes of a plan. A node returns rows with columns `cols`; its expressions are over
 * the columns of its input, by position. Memory: the statement's arena; const during execution.
 *
 * Any thread may read them. */
#pragma once

#include "catalog/catalog.h"
#include "func/expr.h"
#include "store/scan.h"

struct rowfunc;      /* func/rowfunc.h */
struct plan_window;  /* plan/window.h */
struct pq_column;    /* parquet/parquet.h */
struct sys_relation; /* system/system.h */

enum plan_kind {
#define DN_PLAN(NAME, name) PLAN_##NAME,
#include "plan/node_list.h"
#undef DN_PLAN
    PLAN_KIND_MAX
};

/* Where a value comes from, when it is a column of a relation and nothing else. */
struct plan_origin {
    uint32_t relation;     /* its number (system/system.h); 0: of none */
    int32_t column;        /* its number there */
    uint32_t type;         /* the number of its type, where it is not that of other such values */
    bool declared;         /* mods are those of its declaration, or of a cast */
    struct type_mods mods; /* VARCHAR(n), NUMERIC(p, s) */
};

/* Whose are the digits of a fraction? */
struct plan_digits {
    bool decimal;    /* DOUBLE: halves are rounded as those of a NUMERIC (decimal.h) */
    bool clock;      /* times: made of what a clock says (clock.c) */
    uint8_t written; /* times: of values that are not, there may be so many */
};
#define PLAN_DIGITS_MAX 9u

struct plan_col {
    const char *name; /* header of the result */
    enum type_id type;
    struct plan_digits digits;
    struct plan_origin origin;
};

/* Types that parameters of a statement were given before, TYPE_NONE: this one was not. */
struct plan_hints {
    const enum type_id *types;
    uint32_t count;
};

struct plan_agg {
    const struct agg *agg;
    struct bexpr *arg;  /* NULL for count(*); over the input's columns */
    struct bexpr *arg2; /* the second argument (agg->arg2); NULL = none */
    bool distinct;
    uint32_t pos;
    struct plan_agg_order *order; /* ORDER BY in the parentheses; not that of WITHIN GROUP */
    uint32_t order_count;
};

/* The rows of a group reach an aggregate in this order. */
struct plan_agg_order {
    struct bexpr *e; /* over the input's columns */
    bool desc;
    bool nulls_first;
    uint8_t arg; /* DISTINCT: it is the first (1) or the second argument (2); else 0 */
};

struct plan_sort_key {
    uint32_t col; /* of the input */
    bool desc;
    bool nulls_first;
};

/* ---- two inputs ---- */

enum plan_join_kind {
    PLAN_JOIN_INNER,
    PLAN_JOIN_LEFT,   /* every left row at least once */
    PLAN_JOIN_FULL,   /* every row of both at least once; never of APPLY */
    PLAN_JOIN_SEMI,   /* left rows with a match, once; columns of the left only */
    PLAN_JOIN_ANTI,   /* left rows without */
    PLAN_JOIN_MARK,   /* every left row once, and a BOOLEAN behind its columns: is there a match? */
    PLAN_JOIN_SINGLE, /* like LEFT, but a second match is an error (DN_E_CARDINALITY): scalar
                         subquery */
    PLAN_JOIN_KIND_MAX
};

/* One pair of expressions that must be equal. */
struct plan_join_key {
    struct bexpr *left;  /* over the left input's columns */
    struct bexpr *right; /* over the right input's columns; of the same type */
    bool nulls_equal;    /* IS NOT DISTINCT FROM: NULL matches NULL */
};

/* A left column whose value the right side of an APPLY sees as a parameter. */
struct plan_bind {
    uint32_t col;   /* of the left input */
    uint32_t param; /* 1-based, above the statement's own */
};

#define PLAN_MARK_KEYS_MAX 64u

/* A row of the left and one of the right match if all keys are equal and the filter is true.
 * Columns: those of the left, then those of the right (INNER, LEFT, FULL, SINGLE) or the mark.
 *
 * MARK is TRUE if some right row matches, else NULL if for some right row the condition is NULL,
 * else FALSE: what IN and = ANY mean. With never_null it is FALSE instead of NULL (EXISTS). With
 * keys it is so without a filter and with at most PLAN_MARK_KEYS_MAX of them, or with never_null;
 * else keys_count is 0 and everything is in the filter.
 *
 * JOIN with merge goes through both sides together. Else it reads its right side once and keeps it
 * (build side of a hash table, or what loops run over); the planner has put the smaller side there
 * where it can choose. APPLY runs the right side anew for each left row, with binds as parameters.
 */
struct plan_join {
    enum plan_join_kind kind;
    struct plan_join_key *keys; /* JOIN: none means all pairs are looked at */
    uint32_t keys_count;
    struct bexpr *filter; /* over left columns, then right columns; NULL = none */
    bool never_null;      /* MARK */
    bool in_order;        /* JOIN, no keys: all rows of one left row, then those of the next */
    /* Both inputs come in the physical order of tables whose keys are alike, and the join's keys
     * are those keys: series columns, then the rest of the local key. This is the left one; NULL:
     * no. */
    const struct table *merge;
    struct plan_bind *binds; /* APPLY */
    uint32_t binds_count;
};

/* UNION ALL hands on left rows, then right ones. INTERSECT and EXCEPT compare whole rows, NULLs
 * being equal; with all they count (min, difference), else each row comes once. */
enum plan_setop { PLAN_SETOP_UNION_ALL, PLAN_SETOP_INTERSECT, PLAN_SETOP_EXCEPT };

/* FUNCTION: a function that returns rows, in FROM. Arguments have no columns of an input (what
 * LATERAL gives comes as parameters). Several: side by side, short ones filled with NULL. */
struct plan_function_call {
    const struct rowfunc *fn;
    struct bexpr **args;
    uint32_t args_count;
};

struct plan_function {
    struct plan_function_call *calls;
    uint32_t calls_count;
    bool ordinality; /* a BIGINT column at the end counts rows from 1 */
};

/* A Parquet file, as it was when the statement was planned. */
struct plan_file {
    const char *path;
    const struct pq_column *columns;
    uint32_t columns_count;
    uint64_t rows;
};

/* ---- the node ---- */

struct plan_node {
    enum plan_kind kind;
    struct plan_node *input; /* NULL for leaves */
    struct plan_node *right; /* JOIN, APPLY, SETOP, RECURSIVE: the second input; NULL for others */
    struct plan_col *cols;   /* what it returns */
    uint32_t cols_count;

    const struct table *table;         /* SCAN */
    const struct sys_relation *system; /* SYSTEM */
    const struct plan_file *file;      /* FILE */
    uint16_t *scan_cols; /* SCAN: store columns, SYSTEM, FILE: its columns, in the order of cols */
    bool backward;       /* SCAN: rows in reverse physical order */
    bool any_order;      /* SCAN: nobody sees in what order its rows come; AGGREGATE: it gives the
                            same, in whatever order they do */
    struct scan_pred *preds; /* SCAN: from the WHERE clause, constants only */
    uint32_t preds_count;
    /* SCAN with parameters in the WHERE clause: preds are made at execution by plan_scan_preds().
     */
    struct bexpr *prune;  /* SCAN: the whole WHERE clause, for that; NULL = none */
    struct bexpr *filter; /* FILTER */
    struct bexpr **exprs; /* PROJECT: cols_count of them; AGGREGATE: group keys */
    uint32_t exprs_count;
    struct plan_agg *aggs; /* AGGREGATE: after the keys in cols */
    uint32_t aggs_count;
    struct plan_sort_key *keys; /* SORT, UNIQUE, LIMIT with ties */
    uint32_t keys_count;
    const struct table *tokens; /* SORT: tokens of its partition key, which are the first keys, come
                                   before them; NULL = no */
    bool loose;                 /* SORT: only as long as there are few rows, else as they come */
    struct bexpr *limit;        /* LIMIT: BIGINT, NULL = none; also a hint on SORT (top-N) */
    struct bexpr *offset;
    uint32_t ties;              /* LIMIT … WITH TIES: the first so many of keys; 0 = without */
    struct plan_join *join;     /* JOIN, APPLY */
    struct plan_window *window; /* WINDOW */
    enum plan_setop setop;      /* SETOP */
    bool all;                   /* SETOP, RECURSIVE: ALL, duplicates are kept */
    struct bexpr **values;      /* VALUES: rows_count * cols_count, no columns in them */
    uint32_t rows_count;        /* VALUES */
    struct plan_function *func; /* FUNCTION */
    uint32_t cte;               /* CTE: which of plan->ctes; RECURSIVE, WORK: which working table */
    double rows_estimate;       /* how many rows it may return; 0 = not asked for */
};

/* ---- shared parts ---- */

/* A query that is run once and read by CTE nodes as often as they like, whole or in part. */
struct plan_cte {
    struct plan_node *root;
    const char *name;
};

/* A scalar subquery that depends on no row: run once, when its value, a parameter, is first asked
 * for. More than one row is DN_E_CARDINALITY, none is NULL. Its own inits come before it in the
 * list. */
struct plan_init {
    struct plan_node *root; /* one column */
    uint32_t param;         /* 1-based, above the statement's own */
    uint32_t pos;
};
