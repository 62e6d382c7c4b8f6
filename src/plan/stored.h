/* SPDX-License-Identifier: Apache-2.0
 *
 * stored.h: expressions that the catalog keeps as text: DEFAULT and CHECK. Printed by src/sql when
 * the table was defined, parsed and bound again by each statement that needs them. Their positions
 * are 0: they do not stand in the statement. One thread at a time. */
#pragma once

#include "plan/plan.h"

/* The text as a tree. types: as of sql_text. */
int plan_stored_parse(const struct sql_types *types,
                      struct arena *arena,
                      const char *sql,
                      struct expr **ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* DEFAULT of a column, as of a row on its way into the table: nothing untyped but NULL. */
int plan_stored_default(const struct plan_env *env,
                        const struct column *c,
                        struct bexpr **ret,
                        struct dn_err *err) DN_MUST_CHECK;
/* An expression over the columns of a table, bound to their places; a condition is BOOLEAN. what
 * names it in messages: "CHECK". used: by column, set for those it names; NULL: nobody asks. */
int plan_row_expr(const struct plan_env *env,
                  const struct table *t,
                  const struct expr *e,
                  const char *what,
                  bool *used,
                  struct bexpr **ret,
                  struct dn_err *err) DN_MUST_CHECK;
