/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_ttl.c: ttl(column) and expires_at(column): not of the column's value but of its row, which
 * keeps when it expires in a hidden column of the store. The functions take that one. */
#include "plan/select_int.h"

#include "sql/ast.h"
#include "store/rows.h"

#include <string.h>

bool bind_is_ttl(const char *name)
{
    return strcmp(name, "ttl") == 0 || strcmp(name, "expires_at") == 0;
}

/* The hidden column of a table of FROM; 0: out of memory. */
static uint32_t ttl_var(struct planner *q, const struct lrel *rel, struct sel *level)
{
    uint32_t *var = &rel->scan->col_vars[rel->table->columns_count + (uint32_t)HIDDEN_EXPIRY];

    if (*var)
        return *var;
    *var = logic_var(q, "expiry", TYPE_BIGINT);
    if (*var) {
        q->vars[*var].level = level;
        q->vars[*var].rel = rel;
    }
    return *var;
}

static int ttl_refuse(const struct expr *e, bool named, struct dn_err *err)
{
    int rc =
        named
            ? DN_FAIL(err,
                      DN_E_UNSUPPORTED,
                      "%s is about rows of tables, not of views, time partitions, subqueries "
                      "and RETURNING",
                      e->name)
            : DN_FAIL(
                  err, DN_E_DATATYPE_MISMATCH, "%s takes a column or the name of a table", e->name);

    if (named)
        dn_err_hint(err, "A view or a subquery may have it as a column.");
    dn_err_at(err, e->pos);
    return rc;
}

int bind_ttl(struct binder *b,
             const struct expr *e,
             const char *name,
             struct bexpr **ret,
             struct dn_err *err)
{
    const struct scope *s = NULL;
    const struct lrel *rel = e->args_count == 1 ? bind_whole(b, e->args[0], &s) : NULL;
    struct sel *level = rel ? s->level : NULL;
    struct bexpr *arg;
    uint32_t var;
    int rc;

    if (!rel && e->args_count == 1 && e->args[0]->kind == EXPR_COLUMN) {
        rc = bind_expr(b, e->args[0], &arg, err);
        if (rc < 0)
            return rc;
        if (arg->kind == BEXPR_COLUMN) {
            rel = b->q->vars[arg->col].rel;
            level = b->q->vars[arg->col].level;
        }
    }
    if (!rel || !rel->table || !rel->scan || rel->scan->kind != L_SCAN || !rel->scan->col_vars)
        return ttl_refuse(e, rel || (e->args_count == 1 && e->args[0]->kind == EXPR_COLUMN), err);
    var = ttl_var(b->q, rel, level);
    arg = var ? bind_var(b, var, e->pos) : NULL;
    if (!arg)
        return DN_FAIL_NOMEM(err);
    return bind_call(b, name, e->pos, &arg, 1, ret, err);
}
