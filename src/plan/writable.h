/* SPDX-License-Identifier: Apache-2.0
 *
 * writable.h: views that rows can be written through, as PostgreSQL has it: the query of each, down
 * to the table, has one table or view in FROM and no DISTINCT, GROUP BY, HAVING, LIMIT, OFFSET,
 * WITH, set operation, aggregate, window or function that returns rows. A column that is one of the
 * table can be written. Everything lies in the environment's arena; one thread at a time. */
#pragma once

#include "plan/plan.h"

struct lnode;
struct lrel;
struct planner;
struct query;

/* One view on the way to the table. */
struct plan_level {
    const struct view *view;
    const struct query *query; /* its text, parsed */
    bool checked;              /* WITH CHECK OPTION: new rows must satisfy its condition */
};

struct plan_writable {
    const struct view *view;   /* that the statement names */
    const struct table *table; /* that has the rows */
    struct plan_level *levels; /* the view first, then those that it reads */
    uint32_t levels_count;
    int32_t *cols; /* by columns of the view: the table's; -1: it is an expression */
    bool checked;  /* some level is */
};

/* Why rows cannot be written through a query, NULL = they can. */
const char *plan_query_unwritable(const struct query *query);

/* what: "insert into", "update", "delete from"; need: privileges that the view's owner must have.
 * DN_E_NOT_READY with the reason as hint. */
int plan_writable(const struct plan_env *env,
                  const struct view *view,
                  const char *what,
                  uint32_t need,
                  struct plan_writable **ret,
                  struct dn_err *err) DN_MUST_CHECK;
/* A column of the view by its name, and the table's column behind it. */
int plan_writable_column(const struct plan_writable *w,
                         const char *what,
                         const struct spec_name *name,
                         uint32_t *ret_shown,
                         uint16_t *ret,
                         struct dn_err *err) DN_MUST_CHECK;

/* Which conditions of the views count. */
enum writable_use {
    WRITABLE_FIND,  /* all: rows that the view has */
    WRITABLE_SHOW,  /* none: rows that were written */
    WRITABLE_CHECK, /* those of CHECK OPTION */
};
/* *tree has the rows of the table, base its columns: then it has those of the view. */
int writable_bind(struct planner *q,
                  const struct plan_writable *w,
                  enum writable_use use,
                  struct lrel *base,
                  struct lnode **tree,
                  struct lrel **ret,
                  struct dn_err *err) DN_MUST_CHECK;

/* Those of the given rows (exec_ctx.given: whole rows of the table) that satisfy the CHECK OPTIONs.
 */
int plan_check_option(const struct plan_env *env,
                      const struct stmt *stmt,
                      const struct plan_writable *w,
                      struct plan **ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* CREATE VIEW: can rows be written through it? WITH CHECK OPTION says that they are to be. */
int plan_view_writable(const struct plan_env *env,
                       const struct stmt *stmt,
                       struct view_spec *ret,
                       struct dn_err *err) DN_MUST_CHECK;
