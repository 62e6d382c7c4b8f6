/* SPDX-License-Identifier: Apache-2.0
 *
 * unmark.c: MARK joins whose mark a condition above fixes. See rewrite.h. */
#include "plan/rewrite.h"

#include <string.h>

/* Does the right side depend on rows of the left? False when out of memory, too. */
static bool unmark_correlated(struct planner *q, const struct lnode *n)
{
    struct lvars left = {0}, free = {0};
    bool some = false;

    if (!logic_gives(q, n->in, &left) || !logic_free(q, n->right, &free))
        return false;
    for (uint32_t i = 0; i < free.n && !some; i++)
        some = lvars_has(&left, free.v[i]);
    return some;
}

/* x NOT IN (query): the mark must be FALSE, so no right row may have a condition that is TRUE or
 * NULL: an ANTI join, too. Only of a query that depends on the left row, which as a mark would have
 * to be run for each (pull_correlated); one that does not is hashed with its NULLs. */
static int unmark_not_false(struct planner *q, struct lnode *n, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    int rc = 0;

    for (uint32_t i = 0; i < n->conds_count && rc == 0; i++)
        rc = bind_call(&b, "is not false", 0, &n->conds[i], 1, &n->conds[i], err);
    return rc;
}

int rewrite_unmark(
    struct planner *q, struct lnode *n, struct lexprs *conds, struct ldef *ret, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct datum value = {.type = TYPE_BOOLEAN};
    struct lexprs own = {0};
    int rc;

    ret->var = 0;
    for (uint32_t i = 0; i < conds->n && ret->var == 0; i++) {
        const struct bexpr *e = conds->v[i];
        bool not = e->kind == BEXPR_CALL && strcmp(e->func->name, "not") == 0;

        if (not )
            e = e->args[0];
        if (e->kind != BEXPR_COLUMN || e->col != n->mark)
            continue;
        if (not &&!n->never_null) {
            if (n->conds_count != 1 || !unmark_correlated(q, n))
                continue;
            rc = unmark_not_false(q, n, err);
            if (rc < 0)
                return rc;
        }
        value.v.i64 = !not ;
        rc = bind_const(&b, &value, 0, &ret->e, err);
        if (rc < 0)
            return rc;
        ret->var = n->mark;
        n->join = not ? PLAN_JOIN_ANTI : PLAN_JOIN_SEMI;
        n->mark = 0;
        memmove(conds->v + i, conds->v + i + 1, (conds->n - i - 1) * sizeof(*conds->v));
        conds->n--;
    }
    for (uint32_t i = 0; i < n->conds_count && ret->var != 0; i++) {
        if (!logic_split(q, n->conds[i], &own))
            return DN_FAIL_NOMEM(err);
    }
    if (ret->var != 0) {
        n->conds = own.v;
        n->conds_count = own.n;
    }
    for (uint32_t i = 0; i < conds->n && ret->var != 0; i++) {
        conds->v[i] = logic_replace(q, conds->v[i], ret, 1);
        if (!conds->v[i])
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}
