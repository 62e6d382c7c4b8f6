/* SPDX-License-Identifier: Apache-2.0
 *
 * apply_cache.c: entries by bind values; their rows one entry after the other. Only one entry is
 * filled at a time, so its rows lie together. */
#include "exec/apply_cache.h"

#include "exec/source.h"

#include <string.h>

#define APPLY_KEYS_MAX  8192u /* entries */
#define APPLY_ROWS_MAX  256u  /* of an entry */
#define APPLY_BYTES_MAX (1u << 20)

/* ---- may it be kept? ---- */

static bool apply_any_volatile(struct bexpr *const *exprs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (exprs[i] && exec_expr_volatile(exprs[i]))
            return true;
    return false;
}

static bool apply_join_volatile(const struct plan_join *join)
{
    for (uint32_t k = 0; k < join->keys_count; k++)
        if (exec_expr_volatile(join->keys[k].left) || exec_expr_volatile(join->keys[k].right))
            return true;
    return join->filter && exec_expr_volatile(join->filter);
}

static bool apply_agg_volatile(const struct plan_agg *a)
{
    for (uint32_t k = 0; k < a->order_count; k++)
        if (exec_expr_volatile(a->order[k].e))
            return true;
    return (a->arg && exec_expr_volatile(a->arg)) || (a->arg2 && exec_expr_volatile(a->arg2));
}

bool exec_apply_stable(const struct plan_node *node)
{
    if ((node->filter && exec_expr_volatile(node->filter)) ||
        apply_any_volatile(node->exprs, node->exprs_count) ||
        apply_any_volatile(node->values, node->rows_count * node->cols_count) ||
        (node->join && apply_join_volatile(node->join)))
        return false;
    for (uint32_t a = 0; a < node->aggs_count; a++)
        if (apply_agg_volatile(&node->aggs[a]))
            return false;
    for (uint32_t f = 0; node->func && f < node->func->calls_count; f++)
        if (apply_any_volatile(node->func->calls[f].args, node->func->calls[f].args_count))
            return false;
    return (!node->input || exec_apply_stable(node->input)) &&
           (!node->right || exec_apply_stable(node->right));
}

/* ---- life ---- */

int exec_apply_cache_init(struct exec_apply_cache *c,
                          enum type_id *key_types,
                          uint32_t keys_count,
                          const enum type_id *types,
                          uint32_t cols_count,
                          struct mem_owner *owner,
                          struct dn_err *err)
{
    int rc;

    mem_owner_init(&c->mem, "apply cache", owner, 0);
    c->key_types = key_types;
    c->keys_count = keys_count;
    rc = exec_groups_init(&c->keys, key_types, keys_count, &c->mem, err);
    if (rc == 0)
        rc = exec_rows_init(&c->rows, types, cols_count, true, &c->mem, err);
    c->on = rc == 0;
    return rc;
}

void exec_apply_cache_done(struct exec_apply_cache *c)
{
    exec_groups_done(&c->keys);
    exec_rows_done(&c->rows);
    mem_free(c->entries);
    c->entries = NULL;
    c->on = false;
}

static int apply_restart(struct exec_apply_cache *c, struct dn_err *err)
{
    exec_groups_done(&c->keys);
    exec_rows_reset(&c->rows);
    c->entries_count = 0;
    return exec_groups_init(&c->keys, c->key_types, c->keys_count, &c->mem, err);
}

int exec_apply_cache_find(struct exec_apply_cache *c,
                          const struct vec *keys,
                          const struct batch *in,
                          struct arena *scratch,
                          uint32_t *ids,
                          struct dn_err *err)
{
    struct exec_apply_entry *entries;
    bool one;
    int rc = 0;

    if (c->entries_count > APPLY_KEYS_MAX || mem_owner_used(&c->mem) > APPLY_BYTES_MAX)
        rc = apply_restart(c, err);
    if (rc == 0)
        rc = exec_groups_find(&c->keys, keys, in, scratch, ids, &one, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 1; one && i < in->sel_count; i++)
        ids[i] = ids[0];
    if (c->keys.count > c->entries_cap) {
        uint32_t cap = c->keys.count + VEC_ROWS_MAX;

        entries = mem_realloc(&c->mem, c->entries, cap * sizeof *entries);
        if (!entries)
            return DN_FAIL_NOMEM(err);
        c->entries = entries;
        c->entries_cap = cap;
    }
    while (c->entries_count < c->keys.count)
        c->entries[c->entries_count++] = (struct exec_apply_entry){.state = APPLY_NEW};
    return 0;
}

int exec_apply_cache_add(struct exec_apply_cache *c,
                         uint32_t id,
                         const struct batch *in,
                         struct dn_err *err)
{
    struct exec_apply_entry *e = &c->entries[id];

    if (e->state != APPLY_NEW)
        return 0;
    if (e->count + in->sel_count > APPLY_ROWS_MAX || mem_owner_used(&c->mem) > APPLY_BYTES_MAX) {
        e->state = APPLY_LARGE; /* rows that are there already are dropped with the next start */
        return 0;
    }
    if (e->count == 0)
        e->first = c->rows.count;
    e->count += in->sel_count;
    return exec_rows_add(&c->rows, in->cols, in->sel, in->sel_count, err);
}
