/* SPDX-License-Identifier: Apache-2.0
 *
 * clock.c: does an expression say what a clock says? No user typed the digits of now(), so
 * that a key column which keeps fewer of them rounds; digits that were written are refused there,
 * because rounding would merge rows. */
#include "plan/plan.h"

#include "base/text.h"
#include "func/func.h"

#include <strings.h>

static bool clock_in_list(struct expr *const *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (plan_from_clock(list[i]))
            return true;
    return false;
}

bool plan_text_is_clock(const struct datum *d)
{
    struct vstr s = d->str;

    if (d->null || d->type != TYPE_VARCHAR)
        return false;
    while (s.len > 0 && text_one_of(s.ptr[s.len - 1], " \t\n\r"))
        s.len--;
    while (s.len > 0 && text_one_of(*s.ptr, " \t\n\r")) {
        s.ptr++;
        s.len--;
    }
    return s.len == 3 && strncasecmp(s.ptr, "now", 3) == 0;
}

bool plan_from_clock(const struct expr *e)
{
    if (!e)
        return false;
    switch (e->kind) {
    case EXPR_CALL:
        return func_is_clock(e->name) || clock_in_list(e->args, e->args_count);
    case EXPR_UNARY:
    case EXPR_CAST:
    case EXPR_NAMED_ARG:
    case EXPR_COLLATE:
        return plan_from_clock(e->a);
    case EXPR_BINARY:
        return plan_from_clock(e->a) || plan_from_clock(e->b);
    case EXPR_CASE:
        for (uint32_t i = 1; i < e->args_count; i += 2)
            if (plan_from_clock(e->args[i]))
                return true;
        return plan_from_clock(e->b);
    case EXPR_QUERY:
        return plan_item_from_clock(e->query, 0);
    case EXPR_LITERAL:
        return plan_text_is_clock(&e->value);
    case EXPR_COLUMN:
    case EXPR_PARAM:
    case EXPR_STAR:
    case EXPR_BETWEEN:
    case EXPR_IN:
    case EXPR_IS_NULL:
    case EXPR_LIKE:
    case EXPR_IS:
    case EXPR_DISTINCT:
    case EXPR_EXISTS:
    case EXPR_ANY:
    case EXPR_ROW:
    case EXPR_ARRAY:
    case EXPR_ARRAY_QUERY:
    case EXPR_SUBSCRIPT:
    case EXPR_FIELD:
    case EXPR_KIND_MAX:
        break;
    }
    return false;
}

bool plan_item_from_clock(const struct query *q, uint32_t i)
{
    switch (q->kind) {
    case QUERY_SELECT:
        if (i >= q->core->items_count)
            return false;
        for (uint32_t k = 0; k <= i; k++) /* a star hides which item makes the column */
            if (q->core->items[k].expr->kind == EXPR_STAR)
                return false;
        return plan_from_clock(q->core->items[i].expr);
    case QUERY_SET:
        return plan_item_from_clock(q->left, i) && plan_item_from_clock(q->right, i);
    case QUERY_VALUES:
    case QUERY_KIND_MAX:
        break;
    }
    return false;
}
