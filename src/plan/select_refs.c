/* SPDX-License-Identifier: Apache-2.0
 *
 * select_refs.c: items of the select list that GROUP BY, ORDER BY and DISTINCT ON mean: by
 * number, or by a subquery that says the same; by name: select_names.c. */
#include "plan/select_int.h"

#include "base/text.h"
#include "sql/sql.h"

int select_ordinal(
    const struct expr *e, const char *clause, uint32_t count, uint32_t *ret, struct dn_err *err)
{
    int rc;

    if (e->kind != EXPR_LITERAL)
        return 1;
    if (!type_is_int(e->value.type) || e->value.null) {
        rc = DN_FAIL(
            err, DN_E_SYNTAX, "a constant in %s must be the number of a select list item", clause);
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->value.v.i64 < 1 || e->value.v.i64 > (int64_t)count) {
        rc = DN_FAIL(err,
                     DN_E_INVALID_COLUMN,
                     "%s position %lld is not in select list",
                     clause,
                     (long long)e->value.v.i64);
        dn_err_hint(err, "It has %u items.", count);
        dn_err_at(err, e->pos);
        return rc;
    }
    *ret = (uint32_t)(e->value.v.i64 - 1);
    return 0;
}

static bool sel_has_query(const struct expr *e)
{
    bool found = e && (e->query != NULL);

    if (!e || found)
        return found;
    found = sel_has_query(e->a) || sel_has_query(e->b) || sel_has_query(e->c);
    for (uint32_t i = 0; !found && i < e->args_count; i++)
        found = sel_has_query(e->args[i]);
    return found;
}

int select_by_query(const struct sel *s, const struct expr *e, uint32_t *ret, struct dn_err *err)
{
    struct buf asked, item;
    int rc = 1;

    if (!sel_has_query(e))
        return 1;
    buf_init(&asked, s->b.env->arena->owner);
    buf_init(&item, s->b.env->arena->owner);
    sql_print_expr(e, &asked);
    for (uint32_t i = 0; rc == 1 && i < s->outs_count; i++) {
        if (!s->outs[i].ast || s->outs[i].ast->kind != e->kind || !sel_has_query(s->outs[i].ast))
            continue;
        item.len = 0;
        sql_print_expr(s->outs[i].ast, &item);
        if (asked.failed || item.failed) {
            rc = DN_FAIL_NOMEM(err);
        } else if (asked.len == item.len && memcmp(asked.data, item.data, asked.len) == 0) {
            *ret = i;
            rc = 0;
        }
    }
    buf_done(&asked);
    buf_done(&item);
    return rc;
}
