/* SPDX-License-Identifier: Apache-2.0
 *
 * logic.h: inside of plan/: queries as trees over variables, before anybody knows positions.
 *
 * A variable (a number from 1 on) is a value that rows have: a column of a table, a computed one,
 * an aggregate's result. In expressions of this stage BEXPR_COLUMN.col is a variable. Each is
 * defined by one node and seen by all nodes above it; nodes hand on what they get, so nothing must
 * be renamed when a condition moves or a join is turned. A node defines
 *
 *     SCAN      those of its table's columns that somebody asked for
 *     MAP       defs[i].var = defs[i].e
 *     AGG       defs (the keys) and aggs; hands on nothing else
 *     WINDOW    the results of its calls
 *     JOIN      the mark of a MARK join; hands on both sides, or the left one (SEMI, ANTI, MARK)
 *     SETOP, VALUES, FUNCTION, CTE, RECURSIVE, WORK, SYSTEM   vars, by position, and no others
 *
 * and FILTER, SORT, LIMIT, UNIQUE none. A tree may use variables that nobody in it defines: those
 * of the queries around it. A JOIN whose right side uses variables of its left side is what
 * LATERAL and correlated subqueries become; rewrite.c removes most, lower.c makes APPLY of the
 * others.
 *
 * One thread at a time; memory of the statement's arena. */
#pragma once

#include "plan/lvars.h"
#include "plan/plan.h"
#include "plan/window.h"

enum lkind {
    L_SINGLE, /* one row without columns */
    L_SCAN,
    L_FILTER,
    L_MAP,
    L_JOIN,
    L_AGG,
    L_WINDOW,
    L_SORT,
    L_LIMIT,
    L_UNIQUE, /* the first of neighbours that are equal in keys: DISTINCT ON */
    L_SETOP,
    L_VALUES,
    L_FUNCTION,
    L_CTE,
    L_RECURSIVE,
    L_WORK,
    L_SYSTEM,
    L_FILE,
    L_KIND_MAX
};

struct lvar {
    const char *name; /* for EXPLAIN and messages */
    enum type_id type;
    struct sel *level;         /* the query whose FROM it comes from; NULL: it is computed */
    const struct lrel *rel;    /* the table of that FROM; NULL: it is computed */
    uint32_t col, row;         /* column of rel; -chars of a row of values, 0: none */
    bool decimal;              /* a DOUBLE that stands for a NUMERIC (decimal.h) */
    struct plan_digits digits; /* of times, once logic_digits() was there */
    struct plan_origin origin;
};

struct ldef {
    uint32_t var;
    struct bexpr *e;
};

struct lagg {
    uint32_t var;
    struct plan_agg agg;
};

struct lkey {
    uint32_t var;
    bool desc;
    bool nulls_first;
};

struct lcall {
    uint32_t var;
    struct plan_window_call call;
};

struct lnode {
    enum lkind kind;
    struct lnode *in;
    struct lnode *right; /* JOIN, SETOP, RECURSIVE */

    const struct table *table; /* SCAN; SORT: by the tokens of this one first (token_order.c) */
    bool loose;                /* SORT: not if there are too many rows */
    uint32_t *col_vars;        /* SCAN: store column -> variable, 0 = nobody asked for it */
    bool backward;             /* SCAN: from the last row to the first */
    uint32_t pos;              /* in the text, for errors */

    struct bexpr **conds; /* FILTER, JOIN: all must be true */
    uint32_t conds_count;

    struct ldef *defs; /* MAP; AGG: keys */
    uint32_t defs_count;
    struct lagg *aggs; /* AGG */
    uint32_t aggs_count;

    uint32_t *partition; /* WINDOW: variables */
    uint32_t partition_count;
    struct lcall *calls; /* WINDOW */
    uint32_t calls_count;
    struct lkey *keys; /* SORT, UNIQUE, WINDOW (its ORDER BY), LIMIT WITH TIES */
    uint32_t keys_count;
    struct bexpr *limit, *offset; /* LIMIT */
    bool ties;

    enum plan_join_kind join;        /* JOIN */
    uint32_t mark;                   /* JOIN, MARK: the variable */
    bool never_null, fixed, guarded; /* fixed: INNER: the left side stays left and keeps its order;
                                        guarded: not all left rows ask (bind_guard.c) */

    enum plan_setop setop; /* SETOP */
    bool all, nested;      /* SETOP, RECURSIVE; WORK: read by a WITH inside of the recursive term */
    uint32_t *vars;        /* SETOP, VALUES, FUNCTION, CTE, RECURSIVE, WORK, SYSTEM, FILE */
    uint32_t vars_count;
    uint32_t *left_vars;   /* SETOP, RECURSIVE: of in, vars_count of them */
    uint32_t *right_vars;  /* likewise of right */
    struct bexpr **values; /* VALUES: rows_count * vars_count */
    uint32_t rows_count;
    struct plan_function *func; /* FUNCTION: its expressions over variables of other nodes */
    struct lcte *cte;           /* CTE */
    uint32_t work;              /* RECURSIVE, WORK: number of the working table */
    const struct sys_relation *system;
    const struct plan_file *file;
};

/* A query of a WITH clause, bound. */
struct lcte {
    const char *name;
    struct lnode *tree;
    uint32_t *vars; /* what it returns */
    uint32_t vars_count;
    uint32_t refs;   /* CTE nodes that read it */
    bool keep;       /* MATERIALIZED, or it may not run twice */
    bool bound;      /* uses rows of the queries around it: each reader has a copy */
    bool estimated;  /* rows is known */
    bool digits;     /* those of vars are known */
    double rows;     /* about how many it has */
    uint32_t number; /* in plan->ctes, once lowered; UINT32_MAX before */
};

/* A scalar subquery that needs no row. */
struct linit {
    struct lnode *tree;
    uint32_t var; /* its one column */
    uint32_t param;
    uint32_t pos;
};

/* What the planning of one statement shares. */
struct planner {
    const struct plan_env *env;
    const struct stmt *stmt;
    struct plan *plan;
    uint32_t *param_uses; /* how often each parameter has been met so far */
    struct lvar *vars;    /* vars[0] is none */
    struct linit *inits;
    uint32_t vars_count, vars_cap, inits_count, inits_cap;
    uint32_t withs_open;           /* queries of WITH that are being bound, one for the other */
    struct lvars lock_vars;        /* of plan->locks, behind the result */
    struct lrel **locked;          /* their tables of FROM */
    uint32_t tables_cap, ctes_cap; /* of plan->tables, plan->ctes */
    uint32_t depth;                /* queries in queries, now */
    bool shows;                    /* its rows are the answer of a statement */
    const struct given *given;     /* from_int.h: rows that the caller has; NULL = none */
    struct plan_notes *notes;      /* note.h: what names turn out to be; NULL = nobody asks */
};

uint32_t logic_var(struct planner *q, const char *name, enum type_id type); /* 0: out of memory */
void logic_named(struct planner *q, uint32_t var, uint32_t as); /* name and origin of another */
struct lnode *logic_node(struct planner *q, enum lkind kind, struct lnode *in);
/* Rows of in that satisfy all conditions; in itself if there are none. NULL: out of memory. */
struct lnode *
logic_filter(struct planner *q, struct lnode *in, struct bexpr *const *conds, uint32_t count);
/* The operands of an AND added to a list, or the condition itself; TRUE is left out, what an OR
 * says about one table alone is added (factor.c): NULL must count as false. */
bool logic_split(struct planner *q, struct bexpr *cond, struct lexprs *to) DN_MUST_CHECK;
/* in with defs added. */
struct lnode *
logic_map(struct planner *q, struct lnode *in, const struct ldef *defs, uint32_t count);

/* What an expression uses; what a tree hands on; what it needs from outside. False: no memory. */
bool logic_uses(struct planner *q, const struct bexpr *e, struct lvars *to) DN_MUST_CHECK;
bool logic_gives(struct planner *q, const struct lnode *n, struct lvars *to) DN_MUST_CHECK;
bool logic_free(struct planner *q, const struct lnode *n, struct lvars *to) DN_MUST_CHECK;
/* What the expressions of the node itself use. */
bool logic_uses_here(struct planner *q, const struct lnode *n, struct lvars *to) DN_MUST_CHECK;
/* Does the expression use any of these? None but these? */
bool logic_uses_any(const struct bexpr *e, const struct lvars *vars);
bool logic_uses_only(const struct bexpr *e, const struct lvars *vars);
/* Does each evaluation count? */
bool logic_volatile(const struct bexpr *e);
/* A copy with the variables of defs replaced by their expressions. NULL: out of memory. */
struct bexpr *
logic_replace(struct planner *q, struct bexpr *e, const struct ldef *defs, uint32_t count);

/* Whose digits times have: of all variables of the tree, if any of vars is a time (clock.c). */
void logic_digits(struct planner *q, struct lnode *tree, const uint32_t *vars, uint32_t count);

/* The plan: nodes whose first columns are vars, then plan->hidden_cols others; inits, CTEs. */
int lower_root(struct planner *q,
               struct lnode *tree,
               const uint32_t *vars,
               uint32_t count,
               struct dn_err *err) DN_MUST_CHECK;
