/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_merge.c: joins of two tables on their whole keys, which are alike: both come in the same
 * physical order (slab, token, series, rest), so that they can be merged, without a hash table and
 * without a sort. */
#include "plan/lower.h"
#include "plan/rewrite.h"

#define MERGE_LARGER 8.0 /* times that the left side may be: else few keys prune it */

/* The scan below nodes that keep the order of rows, and its table column that the expression is;
 * NULL: something else. */
static const struct plan_node *
merge_scan(const struct plan_node *node, const struct bexpr *e, uint16_t *ret_col)
{
    if (e->kind != BEXPR_COLUMN)
        return NULL;
    for (; node->kind == PLAN_PROJECT || node->kind == PLAN_FILTER; node = node->input) {
        if (node->kind == PLAN_FILTER)
            continue;
        e = node->exprs[e->col];
        if (e->kind != BEXPR_COLUMN)
            return NULL;
    }
    if (node->kind != PLAN_SCAN || node->backward)
        return NULL;
    *ret_col = node->scan_cols[e->col];
    return node;
}

struct merge_sides {
    const struct table *tables[2];
    uint16_t *cols[2]; /* of each key of the join */
};

static bool merge_sides(const struct plan_node *node, struct merge_sides *s)
{
    const struct plan_join *join = node->join;

    for (uint32_t i = 0; i < join->keys_count; i++) {
        const struct plan_node *l = merge_scan(node->input, join->keys[i].left, &s->cols[0][i]);
        const struct plan_node *r = merge_scan(node->right, join->keys[i].right, &s->cols[1][i]);

        if (!l || !r)
            return false;
        s->tables[0] = l->table;
        s->tables[1] = r->table;
    }
    return true;
}

/* Which key of the join is that of these columns? keys_count: none. */
static uint32_t
merge_key(const struct plan_join *join, const struct merge_sides *s, uint16_t left, uint16_t right)
{
    uint32_t k = 0;

    while (k < join->keys_count && (s->cols[0][k] != left || s->cols[1][k] != right))
        k++;
    return k;
}

static bool merge_alike(const struct table *l, const struct table *r, uint32_t keys_count)
{
    return l->series_count == r->series_count && l->rest_count == r->rest_count &&
           keys_count == (uint32_t)l->series_count + l->rest_count && l->spread <= 1 &&
           r->spread <= 1 && (l->time_col >= 0) == (r->time_col >= 0) &&
           l->time_desc == r->time_desc && table_same_schedule(l, r);
}

int lower_merge(struct lower *lo, const struct lnode *n, struct plan_node *node, struct dn_err *err)
{
    struct plan_join *join = node->join;
    struct arena *arena = lo->q->env->arena;
    struct plan_join_key *keys = arena_calloc(arena, (size_t)join->keys_count + 1, sizeof(*keys));
    struct merge_sides s = {.tables = {NULL}};
    bool time = false;

    for (int k = 0; k < 2; k++)
        s.cols[k] = arena_calloc(arena, (size_t)join->keys_count + 1, sizeof(*s.cols[k]));
    if (!keys || !s.cols[0] || !s.cols[1])
        return DN_FAIL_NOMEM(err);
    if (join->keys_count == 0 || !merge_sides(node, &s) ||
        !merge_alike(s.tables[0], s.tables[1], join->keys_count))
        return 0;
    if (join->kind != PLAN_JOIN_FULL && /* of which nothing can be pruned */
        rewrite_rows(lo->q, n->right) * MERGE_LARGER < rewrite_rows(lo->q, n->in))
        return 0;
    time = s.tables[0]->time_col < 0;
    for (uint32_t i = 0; i < join->keys_count; i++) {
        uint32_t series = s.tables[0]->series_count;
        const struct key_part *l = i < series ? NULL : &s.tables[0]->rest[i - series];
        const struct key_part *r = i < series ? NULL : &s.tables[1]->rest[i - series];
        uint16_t cols[2] = {l ? l->col : s.tables[0]->series[i],
                            r ? r->col : s.tables[1]->series[i]};
        uint32_t k = merge_key(join, &s, cols[0], cols[1]);

        if (k == join->keys_count || (l && l->desc != r->desc))
            return 0;
        time = time || (cols[0] == s.tables[0]->time_col && cols[1] == s.tables[1]->time_col);
        keys[i] = join->keys[k];
    }
    if (!time)
        return 0;
    join->keys = keys;
    join->merge = s.tables[0];
    return 0;
}
