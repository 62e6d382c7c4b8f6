/* SPDX-License-Identifier: Apache-2.0
 *
 * plan.h: from syntax tree to plan. A plan is a tree of nodes, const during execution; exec/ has
 * one operator per node kind. Memory: the statement's arena; tables are held by reference until
 * plan_done.
 *
 * One thread at a time while planning; a finished plan may be read by any thread. */
#pragma once

#include "base/cancel.h"
#include "catalog/settings.h"
#include "plan/node.h"
#include "plan/plan_change.h"
#include "sql/ast.h"

/* What an UPDATE puts into one column. */
struct plan_set {
    uint16_t col; /* table column */
    uint32_t at;  /* place of the new value among the plan's columns, PLAN_NO_COL: none */
    const struct expr *value; /* without a place: a literal or parameter; NULL = the default */
    uint32_t pos;             /* of the new value */
};
#define PLAN_NO_COL UINT32_MAX

struct plan {
    struct plan_node *root;
    struct plan_col *cols; /* of the result, as it is shown; the first columns of the root */
    uint32_t cols_count;
    uint32_t hidden_cols; /* trailing columns of the root, for locks and what only the sort needed:
                             not shown */
    enum type_id *param_types; /* params_count; TYPE_NONE = could be anything (taken as VARCHAR) */
    uint32_t params_count;
    uint32_t slots_count; /* parameters in all: the statement's own, then of binds and inits */
    struct plan_cte *ctes;
    uint32_t ctes_count;
    struct plan_init *inits;
    uint32_t inits_count;
    uint32_t works_count;        /* working tables of RECURSIVE nodes */
    const struct table **tables; /* all that are read, each referenced */
    uint32_t tables_count;
    const struct table *table;  /* UPDATE, DELETE: the one that is changed; SELECT: the first */
    struct plan_change *change; /* UPDATE, DELETE; NULL for others */
    struct plan_lock *locks;
    uint32_t locks_count;
    char notice[256]; /* "" or a warning for EXPLAIN (full scan) */
};

/* An INSERT, UPDATE or DELETE in the WITH of a statement, as the rest of the statement sees it. */
struct plan_part {
    const struct stmt *change;   /* borrowed */
    const struct plan_col *cols; /* of its RETURNING; borrowed */
    uint32_t cols_count;         /* 0: it has none */
};

/* In a WITH RECURSIVE a part may read what those that are named after it return: they are planned
 * and run before it. A part that mentions one which is not planned yet fails and must wait. */
struct plan_later {
    const struct with_clause *with; /* whose changes are the parts; borrowed */
    const struct stmt *self;        /* the one that is being planned; borrowed */
    bool *waits;                    /* set when it mentions another one */
};

struct plan_env {
    const struct catalog *catalog;
    const char *schema, *temp, *more; /* of unqualified names, as in struct catalog_path */
    const struct settings *settings;
    uint32_t role; /* whose rights count (catalog/access.h); 0 = nobody's: all is allowed */
    struct arena *arena;
    int64_t now_ns;
    const struct sql_types *types;      /* those of CREATE TYPE, in texts of the catalog */
    const struct func_session *session; /* of functions; NULL = none */
    const struct eval_lazy *lazy;       /* of an execution; NULL = none */
    /* About how many rows a table has, to choose the order of joins; NULL: nobody knows. */
    double (*rows)(void *arg, const struct table *table);
    void *rows_arg;
    struct plan_hints hints;
    /* Parameters taken as literals, for one execution; NULL = none. untyped: it is a quoted one. */
    const struct datum *literals;
    const bool *literals_untyped;
    uint32_t literals_count;
    bool short_names; /* of columns nobody named: count, ?column?; else the text of a result's */
    /* What comes before in the statement: rows of part i are working table i + 1. */
    const struct plan_part *parts;
    uint32_t parts_count, shard;    /* shard: which one of a partition UPDATE or DELETE changes */
    const struct plan_later *later; /* parts that are not planned yet; NULL: there are none */
    bool estimates;                 /* EXPLAIN: nodes say how many rows are expected of them */
    bool keys; /* SELECT of one table, for a cursor: plan.locks also without FOR UPDATE */
    const struct plan_row *at; /* UPDATE and DELETE with WHERE CURRENT OF; else NULL */
};

/* DN_E_CANCELED if the statement is to end. What is called once per expression, node or step of a
 * search looks here. */
static inline DN_MUST_CHECK int plan_check_cancel(const struct plan_env *env, struct dn_err *err)
{
    return env->session ? dn_cancel_check(env->session->cancel, err) : 0;
}

/* What expressions are evaluated with. */
struct eval plan_eval(const struct plan_env *env,
                      struct arena *arena,
                      const struct datum *params,
                      uint32_t params_count);

/* SELECT. Errors carry SQLSTATE, position and "perhaps you meant" hints. */
int plan_select(const struct plan_env *env,
                const struct stmt *stmt,
                struct plan **ret,
                struct dn_err *err) DN_MUST_CHECK;
/* A query of another statement: what an INSERT reads, in the sight of its WITH (NULL: none). */
int plan_query(const struct plan_env *env,
               const struct stmt *stmt,
               const struct with_clause *with,
               const struct query *query,
               struct plan **ret,
               struct dn_err *err) DN_MUST_CHECK;
/* RETURNING of an INSERT, UPDATE or DELETE: a query over rows of the table that the execution
 * brings with it (exec_ctx.given). */
int plan_returning(const struct plan_env *env,
                   const struct stmt *stmt,
                   const struct table *table,
                   const struct plan_change *change,
                   struct plan **ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* ON CONFLICT of an INSERT: for each given row whose key is in the table the row that is there (all
 * columns in order), then the values of SET in order (of DEFAULT: any) and the condition, if there
 * is one. */
int plan_conflict(const struct plan_env *env,
                  const struct stmt *stmt,
                  const struct table *table,
                  struct plan **ret,
                  struct dn_err *err) DN_MUST_CHECK;
void plan_done(struct plan *p); /* drops the table reference; NULL is fine */

/* UPDATE and DELETE: the plan that finds their rows. */
int plan_change(const struct plan_env *env,
                const struct stmt *stmt,
                struct plan **ret,
                struct dn_err *err) DN_MUST_CHECK;

/* Fills any_order of all nodes; the plan is made (any_order.c). */
void plan_mark_any_order(struct plan *p);

/* What a scan may be pruned by: as in struct scan_spec. */
struct plan_preds {
    struct scan_pred *preds;
    uint32_t count;
    bool exact; /* of plan_scan_preds: rows that satisfy them satisfy the whole clause */
};

/* Column constraints implied by a bound WHERE clause over a scan's columns, with parameters known.
 * Also enforces max_subqueries and strict_keys. */
int plan_scan_preds(const struct plan_env *env,
                    const struct plan_node *scan,
                    const struct datum *params,
                    uint32_t params_count,
                    struct arena *arena,
                    struct plan_preds *ret,
                    struct dn_err *err) DN_MUST_CHECK;

/* One condition of an AND above a scan. */
struct plan_cond {
    const struct bexpr *e; /* over the scan's columns */
    const struct datum *params;
    uint32_t params_count;
};

/* Which of the scan's constraints implies the condition? It does when the condition says nothing
 * but "the value of this column is in a set". PLAN_NO_COL: none. */
int plan_cond_pred(const struct plan_env *env,
                   const struct plan_node *scan,
                   const struct plan_preds *preds,
                   const struct plan_cond *cond,
                   struct arena *arena,
                   uint32_t *ret_pred,
                   struct dn_err *err) DN_MUST_CHECK;

/* An expression without columns (INSERT values, DEFAULT): bound, types as they come. what names the
 * place in messages ("VALUES"). A quoted literal alone keeps TYPE_NONE, its value VARCHAR:
 * plan_assign reads it as the column's type. Parameters must be among env->literals. */
int plan_value_expr(const struct plan_env *env,
                    const struct expr *e,
                    const char *what,
                    struct bexpr **ret,
                    struct dn_err *err) DN_MUST_CHECK;

/* Where a value is to be stored. */
struct plan_target {
    enum type_id type;
    struct type_mods mods; /* VARCHAR(n): longer text is refused; NUMERIC(p, s): rounded to fit */
    bool exact; /* a key column: a time finer than the column keeps is refused, not rounded */
    bool key;   /* a key column: equal values are stored alike (datum_key_form of vec/wide.h) */
    const struct func_session *session; /* whose time zone texts are in; NULL: UTC */
};

/* Whose digits does the value of an expression without columns have? Of a plan's columns its cols
 * tell. */
struct plan_digits plan_expr_digits(const struct bexpr *e);
/* Does a column round such a value? What a clock says: now(), and arithmetic, casts and choices
 * with it. Then `exact` is not meant for it. */
bool plan_digits_round(struct plan_digits d, enum type_id type, const struct type_mods *mods);
/* Is it a text that stands for the time that a clock says: 'now'? */
bool plan_text_is_clock(const struct datum *d);

/* May values of a type be stored as another at all? (plan_assign then looks at each.) */
bool plan_assignable(enum type_id to, enum type_id from);

/* A value as a column of that type stores it: numbers fit or are refused (no fraction is dropped,
 * no NaN, no infinity), integers are times in the column's unit, untyped text is read as the type.
 * ret borrows strings from in or the arena. Errors name type and value; the caller adds row, column
 * and position. */
int plan_assign(const struct plan_target *to,
                const struct datum *in,
                bool untyped,
                struct arena *arena,
                struct datum *ret,
                struct dn_err *err) DN_MUST_CHECK;
