/* SPDX-License-Identifier: Apache-2.0
 *
 * view.h: the queries of views: from a statement to the text that the catalog keeps, and what
 * becomes of the text when something it reads is renamed. One thread at a time; everything lies in
 * the environment's arena. */
#pragma once

#include "plan/plan.h"

/* CREATE VIEW: query, columns and uses of the view into ret; schema and name are the caller's. A
 * list of columns may be shorter than the query's. Errors with positions. */
int plan_view(const struct plan_env *env,
              const struct stmt *stmt,
              struct view_spec *ret,
              struct dn_err *err) DN_MUST_CHECK;

/* The text of a view as a tree without positions. */
int plan_view_parse(const struct plan_env *env,
                    const char *text,
                    struct stmt **ret,
                    struct dn_err *err) DN_MUST_CHECK;

/* What a table or view, and its columns, are called from now on. */
struct plan_rename {
    uint64_t id; /* of the table or view */
    const char *schema;
    const char *name;
    const char *const *columns; /* by their old places; NULL: that column stays, or is gone */
};
/* The text of a view that reads it, with the new names; env has the catalog from before. */
int plan_view_rename(const struct plan_env *env,
                     const struct view *view,
                     const struct plan_rename *to,
                     struct buf *ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* Can the view be read with this catalog, and are its columns of the same types? 1: no; why says
 * what is wrong. */
int plan_view_check(const struct plan_env *env,
                    const struct view *view,
                    struct dn_err *why,
                    struct dn_err *err) DN_MUST_CHECK;
