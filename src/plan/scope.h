/* SPDX-License-Identifier: Apache-2.0
 *
 * scope.h: inside of plan/: which names mean what. A scope has the tables of a FROM clause; names
 * not found there are looked for in the scope around it. One thread at a time. */
#pragma once

#include "plan/logic.h"
#include "plan/padded.h"

struct lcol {
    const char *name;
    enum type_id type;
    uint32_t var; /* 0: a column of a table that nobody has asked for yet */
};

/* A table of FROM: stored, a subquery, a function, the rows of VALUES. */
struct lrel {
    const char *alias;         /* what a qualifier must be; NULL: a join without name */
    const char *schema;        /* of a stored table without alias; NULL */
    const struct table *table; /* stored; NULL */
    const struct view *view;   /* a view; NULL */
    struct lnode *scan;        /* stored */
    struct lnode *tree;        /* its rows, as FROM has them; NULL: none of its own */
    uint32_t mark;             /* a column that is never NULL in them (bind_whole.c); 0: none yet */
    bool nullable;             /* an outer join may make up a row of NULLs */
    struct lcol *cols;
    uint32_t cols_count;
    bool single;     /* one function of one value: its name alone is that value, not a row */
    uint32_t hidden; /* the last so many are no part of * */
    uint32_t pos;
    const uint8_t *closed;  /* by columns: bits of SCOPE_NO_…; NULL: the role may do all */
    const char *closed_for; /* then: "table t" */
};

/* What the role may not do with a column of a table. */
#define SCOPE_NO_SELECT 1u
#define SCOPE_NO_UPDATE 2u

/* A column that can be named without a table, in the order of *. */
struct lname {
    const char *name;
    struct lrel *rel;  /* NULL: merged by USING */
    uint32_t col;      /* of rel */
    uint32_t var;      /* merged */
    enum type_id type; /* merged */
};

/* A query of WITH, for as long as its statement is bound. */
struct lwith {
    struct lwith *next; /* those named before it, and those of the queries around */
    const struct cte *ast;
    struct scope *scope;   /* what its query sees */
    struct lwith *visible; /* the others it sees, and in a WITH RECURSIVE itself */
    uint32_t part;         /* it changes rows: number of it in plan_env.parts, from 1 on; 0: not,
                              UINT32_MAX: it is one of plan_env.later */
    struct lcte *bound;    /* NULL until somebody asks */
    bool recursive;        /* of a WITH RECURSIVE: it sees itself and all of that clause */
    uint32_t open;      /* being bound, as the n-th at once: a mention now is recursion; 0: not */
    struct lwith *last; /* the last of its WITH */
    struct lnode *work_of; /* the recursive term being bound: columns of its working table */
    bool mentioned;        /* while open */
    bool used;             /* somebody has named it */
    const char **names;    /* of its columns */
    const struct plan_origin *origins; /* of qout */
    uint32_t names_count;
};

struct scope {
    const struct scope *outer; /* NULL = none */
    struct sel *level;         /* the query of this FROM; NULL = none */
    struct lrel **rels;
    uint32_t rels_count;
    uint32_t rels_cap;
    struct lname *names;
    uint32_t names_count;
    uint32_t names_cap;
    struct lwith *withs; /* seen from here */
};

bool scope_add_rel(struct planner *q, struct scope *s, struct lrel *rel) DN_MUST_CHECK;
bool scope_add_name(struct planner *q, struct scope *s, const struct lname *name) DN_MUST_CHECK;
/* The tables and names of another one after its own. */
bool scope_append(struct planner *q, struct scope *s, const struct scope *more) DN_MUST_CHECK;

/* Somebody mentions the column: may it be read (SCOPE_NO_SELECT) or written (SCOPE_NO_UPDATE)? */
int scope_may(const struct lrel *rel, uint32_t col, uint8_t how, uint32_t pos, struct dn_err *err)
    DN_MUST_CHECK;

/* Of a stored column. */
struct plan_origin scope_origin(const struct table *t, uint32_t col);
/* The variable of a column; made if need be. 0: out of memory. */
uint32_t scope_var(struct planner *q, const struct scope *s, struct lrel *rel, uint32_t col);
/* The same for the column behind a name. */
uint32_t scope_name_var(struct planner *q, const struct scope *s, const struct lname *name);

/* [[schema.]table.]name to a variable, with error for none and several. */
int scope_find(struct planner *q,
               const struct scope *s,
               const struct expr *e,
               const char *clause,
               uint32_t *ret,
               struct dn_err *err) DN_MUST_CHECK;
/* Is there a column of that bare name in this scope itself? */
bool scope_has_name(const struct scope *s, const char *name);
/* A table by qualifier in this scope itself: exact, then in any case; NULL: none. */
struct lrel *scope_rel(const struct scope *s, const char *schema, const char *alias);
