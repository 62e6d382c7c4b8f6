/* SPDX-License-Identifier: Apache-2.0
 *
 * token_order.c: rows of a table that is laid out by value, in the order of their tokens where a
 * statement returns them as they come (docs/adr/0021).
 *
 * A query without ORDER BY that reads one table, and nothing between the table and its result that
 * has an order of its own, gets a sort by (token, partition key, rest of the local key): the order
 * in which a scan of any other table with a partition key yields its rows. The sort is loose: it
 * gives up where there are too many rows, which then come in the order of the key. Who asks for
 * tokens goes through a table by them, so where token() is called for columns of the table it is
 * not loose.
 *
 * Aggregates, joins, subqueries and ORDER BY have nothing of it. */
#include "plan/lower.h"

/* Is a place on the ring computed from columns? */
static bool tokens_asked(const struct bexpr *e)
{
    bool columns = e->kind == BEXPR_CALL && (e->func->flags & FUNC_TOKEN);

    for (uint32_t i = 0; i < e->args_count; i++) {
        columns = columns && e->args[i]->kind == BEXPR_COLUMN;
        if (tokens_asked(e->args[i]))
            return true;
    }
    return columns;
}

static bool tokens_asked_here(const struct lnode *n)
{
    bool asked = false;

    for (uint32_t i = 0; i < n->conds_count; i++)
        asked = asked || tokens_asked(n->conds[i]);
    for (uint32_t i = 0; i < n->defs_count; i++)
        asked = asked || tokens_asked(n->defs[i].e);
    return asked;
}

static int tokens_key(struct planner *q,
                      struct lnode *scan,
                      struct lnode *sort,
                      const struct key_part *part,
                      struct dn_err *err)
{
    const struct column *c = &scan->table->columns[part->col];
    uint32_t *var = &scan->col_vars[part->col];

    if (!*var)
        *var = logic_var(q, c->name, c->type);
    if (!*var)
        return DN_FAIL_NOMEM(err);
    sort->keys[sort->keys_count++] = (struct lkey){.var = *var, .desc = part->desc};
    return 0;
}

/* The sort over `in`, which are rows of the scan. */
static int tokens_sort(struct planner *q,
                       struct lnode *scan,
                       struct lnode *in,
                       bool loose,
                       struct lnode **ret,
                       struct dn_err *err)
{
    const struct table *t = scan->table;
    struct lnode *sort = logic_node(q, L_SORT, in);
    int rc = 0;

    if (!sort)
        return DN_FAIL_NOMEM(err);
    sort->table = t;
    sort->loose = loose;
    sort->keys = arena_calloc(q->env->arena, t->local_count, sizeof(*sort->keys));
    if (!sort->keys)
        return DN_FAIL_NOMEM(err);
    for (uint16_t i = 0; i < t->local_count && rc == 0; i++) {
        struct key_part part = t->local[i];

        part.desc = part.desc && i >= t->partition_count; /* series have no direction */
        rc = tokens_key(q, scan, sort, &part, err);
    }
    *ret = sort;
    return rc;
}

int query_token_order(struct planner *q, struct lnode **tree, struct dn_err *err)
{
    struct lnode **limit = (*tree)->kind == L_LIMIT && !(*tree)->ties ? tree : NULL;
    struct lnode **at = limit ? &(*limit)->in : tree;
    struct lnode *n;
    struct lnode *sort;
    bool asked = false;
    int rc;

    for (; (*at)->kind == L_MAP; at = &(*at)->in)
        asked = asked || tokens_asked_here(*at);
    if ((*at)->kind == L_SETOP && (*at)->setop == PLAN_SETOP_UNION_ALL) {
        rc = query_token_order(q, &(*at)->in, err);
        return rc < 0 ? rc : query_token_order(q, &(*at)->right, err);
    }
    for (n = *at; n->kind == L_FILTER || n->kind == L_MAP; n = n->in)
        asked = asked || tokens_asked_here(n);
    if (n->kind != L_SCAN || !n->table->by_value || order_one_partition(*at))
        return 0;
    rc = tokens_sort(q, n, *at, !asked, &sort, err);
    if (rc < 0)
        return rc;
    if (limit) { /* it goes down to the sort, which then keeps no more rows than it lets through */
        struct lnode *first = *limit;

        if (at == &first->in)
            at = limit;
        *limit = first->in;
        first->in = sort;
        sort = first;
    }
    *at = sort;
    return 0;
}
