/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_gather.c: x = 1 OR x = 2 OR … as x IN (1, 2, …), x <> 1 AND x <> 2 AND … as NOT IN, where
 * there are enough of them that a look-up by hash is quicker. None of these comparisons can fail,
 * so it does not matter that they change places with others. */
#include "plan/bind_gather.h"

#define BIND_GATHER_MIN 9u /* so many of them are looked up by hash */

/* Is it column = constant (or, for an AND, <>), as IN compares them? */
static bool bind_gathers(enum bexpr_kind kind, const struct bexpr *e)
{
    return bind_op_of(e) == (kind == BEXPR_OR ? OP_EQ : OP_NE) &&
           e->args[0]->kind == BEXPR_COLUMN && e->args[1]->kind == BEXPR_CONST &&
           !e->args[1]->value.null && e->args[0]->type == e->args[1]->type &&
           !type_is_wide(e->args[0]->type) && !type_is_array(e->args[0]->type);
}

bool bind_in_gather(struct binder *b, enum bexpr_kind kind, struct bexpr **args, uint32_t *count)
{
    uint32_t n = *count;

    for (uint32_t i = 0; i + BIND_GATHER_MIN <= n; i++) {
        struct bexpr *in;
        uint32_t left = i + 1;
        uint32_t same = 0;

        if (!bind_gathers(kind, args[i]))
            continue;
        for (uint32_t k = i; k < n; k++)
            same += bind_gathers(kind, args[k]) && args[k]->args[0]->col == args[i]->args[0]->col;
        if (same < BIND_GATHER_MIN)
            continue;
        in = bind_new(b, BEXPR_IN, TYPE_BOOLEAN, args[i]->pos);
        if (in)
            in->args = arena_alloc_array(b->env->arena, (size_t)same + 1, sizeof(struct bexpr *));
        if (!in || !in->args)
            return false;
        in->negated = kind == BEXPR_AND;
        in->args[in->args_count++] = args[i]->args[0];
        in->args[in->args_count++] = args[i]->args[1];
        for (uint32_t k = i + 1; k < n; k++) {
            if (bind_gathers(kind, args[k]) && args[k]->args[0]->col == in->args[0]->col)
                in->args[in->args_count++] = args[k]->args[1];
            else
                args[left++] = args[k];
        }
        args[i] = in;
        n = left;
    }
    *count = n;
    return true;
}
