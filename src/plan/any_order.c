/* SPDX-License-Identifier: Apache-2.0
 *
 * any_order.c: scans whose order nobody sees. What a statement returns without ORDER BY comes in
 * the physical order of its table (token order, time order), and sorts leave equal rows as they
 * come, so the order of a scan counts up to the root of a plan. It ends at an aggregate for which
 * rows are alike in any order, and at the side of a join that is only asked whether a row matches.
 */
#include "plan/plan.h"

#include <string.h>

/* Does it matter in which order rows are added? Of distinct doubles the sum would depend on which
 * of those that are equal is seen first. */
static bool any_order_agg_sees(const struct plan_agg *a)
{
    const char *name = a->agg->name;

    if (a->order_count || a->agg->in_order)
        return true;
    return a->distinct && !type_is_int(a->arg->type) && strcmp(name, "count") != 0 &&
           strcmp(name, "min") != 0 && strcmp(name, "max") != 0;
}

static bool any_order_aggs(const struct plan_node *n)
{
    for (uint32_t g = 0; g < n->aggs_count; g++)
        if (any_order_agg_sees(&n->aggs[g]))
            return false;
    return true;
}

/* Is the right side of a join asked for nothing but whether there is a match? */
static bool any_order_asked(const struct plan_join *j)
{
    return !j->merge &&
           (j->kind == PLAN_JOIN_SEMI || j->kind == PLAN_JOIN_ANTI || j->kind == PLAN_JOIN_MARK);
}

/* any: nobody above sees the order of the node's rows. */
static void any_order_mark(struct plan_node *n, bool any)
{
    for (; n; n = n->input) {
        switch (n->kind) {
        case PLAN_SCAN:
            n->any_order = any && !n->backward;
            break;
        case PLAN_FILTER:
        case PLAN_PROJECT:
            break;
        case PLAN_AGGREGATE:
            any = n->any_order = any_order_aggs(n);
            break;
        case PLAN_JOIN:
            any = any && !n->join->merge && !n->join->in_order;
            any_order_mark(n->right, any || any_order_asked(n->join));
            break;
        case PLAN_SETOP:
            any = any && n->setop == PLAN_SETOP_UNION_ALL;
            any_order_mark(n->right, any);
            break;
        case PLAN_APPLY:
        case PLAN_RECURSIVE:
            any = false;
            any_order_mark(n->right, false);
            break;
        case PLAN_SORT: /* equal rows stay as they come */
        case PLAN_LIMIT:
        case PLAN_UNIQUE:
        case PLAN_WINDOW:
        case PLAN_SINGLE:
        case PLAN_VALUES:
        case PLAN_CTE:
        case PLAN_WORK:
        case PLAN_FUNCTION:
        case PLAN_SYSTEM:
        case PLAN_FILE:
            any = false;
            break;
        case PLAN_KIND_MAX:
            break;
        }
    }
}

void plan_mark_any_order(struct plan *p)
{
    any_order_mark(p->root, false);
    for (uint32_t i = 0; i < p->inits_count; i++)
        any_order_mark(p->inits[i].root, false);
    for (uint32_t i = 0; i < p->ctes_count; i++)
        any_order_mark(p->ctes[i].root, false);
}
