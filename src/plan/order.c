/* SPDX-License-Identifier: Apache-2.0
 *
 * order.c: when a scan's own order is the order asked for.
 *
 * Physical order is (slab, token, series values, rest of the local key). If the WHERE clause pins
 * every series column to one value, all rows that pass the filter have the same token and series,
 * so they come in the order (slab, rest). That is the order of `rest` alone if there is one slab
 * only, or if the rest begins with the time column: slabs are disjoint intervals of it and run in
 * its direction. So ORDER BY columns that are, one after the other, those of `rest` with the same
 * directions (pinned columns may stand anywhere: they are constant) need no sort, and columns with
 * all directions turned round need none if the scan goes backward. Key columns are
 * never NULL, so NULLS FIRST or LAST is the same. The last key may also be a function of such a
 * column that never falls (date_trunc of the time): rows that are in the order of the column are in
 * its order too, though ties leave what comes after undecided. A window that needs no sort itself
 * leaves rows as they come, but they must come forward.
 *
 * Above a sort (of another window, say) rows are in its order, and so in that of its first keys. */
#include "plan/lower.h"
#include "plan/preds_mono.h"

#define ORDER_DEPTH_MAX 16 /* filters and maps above a scan that are looked through */
#define ORDER_KEYS_MAX  16u

/* A scan below filters and maps. */
struct order {
    const struct lnode *scan;
    const struct lnode *above[ORDER_DEPTH_MAX]; /* from the top */
    uint32_t above_count;
    bool windows; /* there are windows among them: the scan cannot be turned round */
};

/* Does it find its rows in the order it wants? */
static bool order_of_window(const struct lnode *n)
{
    struct lkey keys[ORDER_KEYS_MAX];
    uint32_t count = 0;

    if (n->partition_count + n->keys_count > ORDER_KEYS_MAX)
        return false;
    for (uint32_t i = 0; i < n->partition_count; i++)
        keys[count++] = (struct lkey){.var = n->partition[i]};
    for (uint32_t i = 0; i < n->keys_count; i++)
        keys[count++] = n->keys[i];
    return count == 0 || order_given(n->in, keys, count) == ORDER_FORWARD;
}

static bool order_walk(const struct lnode *n, struct order *ret)
{
    ret->above_count = 0;
    ret->windows = false;
    while (n->kind == L_FILTER || n->kind == L_MAP || n->kind == L_WINDOW) {
        if (n->kind == L_WINDOW) {
            if (!order_of_window(n))
                return false;
            ret->windows = true;
            n = n->in;
            continue;
        }
        if (ret->above_count == ORDER_DEPTH_MAX)
            return false;
        ret->above[ret->above_count++] = n;
        n = n->in;
    }
    ret->scan = n;
    return n->kind == L_SCAN;
}

/* The table column of a variable; -1: it is none. */
static int order_col(const struct order *o, uint32_t var)
{
    for (uint16_t i = 0; i < o->scan->table->columns_count; i++) {
        if (o->scan->col_vars[i] == var)
            return i;
    }
    return -1;
}

/* What a variable stands for: an expression over variables of nodes below, NULL: it is one of the
 * scan. */
static const struct bexpr *order_def(const struct order *o, uint32_t var)
{
    const struct bexpr *found = NULL;

    for (uint32_t i = 0; i < o->above_count; i++) {
        const struct lnode *n = o->above[i];

        for (uint32_t k = 0; k < n->defs_count; k++) {
            if (n->defs[k].var != var)
                continue;
            found = n->defs[k].e;
            if (found->kind != BEXPR_COLUMN)
                return found;
            var = found->col; /* a rename */
        }
    }
    return found;
}

/* Is it the same for all rows of the scan: constants, parameters, columns of queries around? */
static bool order_fixed(const struct order *o, const struct bexpr *e)
{
    if (e->kind == BEXPR_COLUMN) {
        uint32_t cols = store_cols_count(o->scan->table);

        for (uint32_t i = 0; i < cols; i++) {
            if (o->scan->col_vars[i] == e->col)
                return false;
        }
        return !order_def(o, e->col);
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (!order_fixed(o, e->args[i]))
            return false;
    }
    return !logic_volatile(e);
}

/* Does an AND-ed equality make the table column the same for all rows? */
static bool order_pinned(const struct order *o, int col)
{
    for (uint32_t i = 0; i < o->above_count; i++) {
        for (uint32_t k = 0; k < o->above[i]->conds_count; k++) {
            const struct bexpr *e = o->above[i]->conds[k];

            for (int side = 0; bind_op_of(e) == OP_EQ && side < 2; side++) {
                if (e->args[side]->kind == BEXPR_COLUMN &&
                    order_col(o, e->args[side]->col) == col && order_fixed(o, e->args[1 - side]))
                    return true;
            }
        }
    }
    return false;
}

/* The column that a sort key follows; -1: none. */
static int order_key_col(const struct order *o, uint32_t var, bool last)
{
    const struct bexpr *e = order_def(o, var);

    if (!e)
        return order_col(o, var);
    if (e->kind != BEXPR_COLUMN && last)
        e = mono_column(e);
    return e && e->kind == BEXPR_COLUMN ? order_col(o, e->col) : -1;
}

enum order_way order_given(const struct lnode *n, const struct lkey *keys, uint32_t count)
{
    enum order_way way = ORDER_NONE;
    const struct table *t;
    struct order o;
    uint32_t at = 0;

    if (!order_walk(n, &o))
        return ORDER_NONE;
    t = o.scan->table;
    if (t->spread > 1)
        return ORDER_NONE;
    for (uint16_t i = 0; i < t->series_count; i++) {
        if (!order_pinned(&o, t->series[i]))
            return ORDER_NONE;
    }
    if (t->time_col >= 0 && (t->rest_count == 0 || t->rest[0].col != t->time_col))
        return ORDER_NONE;
    for (uint32_t i = 0; i < count; i++) {
        int col = order_key_col(&o, keys[i].var, i + 1 == count);
        enum order_way own;

        if (col < 0)
            return ORDER_NONE;
        if (order_pinned(&o, col) && t->columns[col].key_pos > 0)
            continue;
        while (at < t->rest_count && t->rest[at].col != col && order_pinned(&o, t->rest[at].col))
            at++;
        if (at == t->rest_count || t->rest[at].col != col)
            return ORDER_NONE;
        own = t->rest[at].desc == keys[i].desc ? ORDER_FORWARD : ORDER_BACKWARD;
        if (way != ORDER_NONE && way != own)
            return ORDER_NONE;
        way = own;
        at++;
    }
    if (way == ORDER_BACKWARD && o.windows)
        return ORDER_NONE;
    return way == ORDER_NONE ? ORDER_FORWARD : way;
}

bool order_one_partition(const struct lnode *n)
{
    struct order o;

    if (!order_walk(n, &o))
        return false;
    for (uint16_t i = 0; i < o.scan->table->partition_count; i++)
        if (!order_pinned(&o, o.scan->table->partition[i]))
            return false;
    return true;
}

/* ---- above a sort ---- */

/* Are the columns of the first `count` keys of the sort those of cols, in whatever order? */
static bool order_same_set(const struct plan_node *sort, const uint32_t *cols, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool ours = false;
        bool theirs = false;

        for (uint32_t k = 0; k < count; k++) {
            ours = ours || sort->keys[k].col == cols[i];
            theirs = theirs || sort->keys[i].col == cols[k];
        }
        if (!ours || !theirs)
            return false;
    }
    return true;
}

bool order_sorted(const struct plan_node *n,
                  const struct plan_sort_key *keys,
                  uint32_t count,
                  uint32_t together)
{
    uint32_t cols[ORDER_KEYS_MAX];

    if (count > ORDER_KEYS_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        cols[i] = keys[i].col;
    for (; n->kind == PLAN_WINDOW || n->kind == PLAN_FILTER || n->kind == PLAN_PROJECT;
         n = n->input) {
        for (uint32_t i = 0; i < count; i++) {
            if (n->kind == PLAN_PROJECT && n->exprs[cols[i]]->kind != BEXPR_COLUMN)
                return false;
            if (n->kind == PLAN_PROJECT)
                cols[i] = n->exprs[cols[i]]->col;
            if (cols[i] >= n->input->cols_count)
                return false;
        }
    }
    if (n->kind != PLAN_SORT || n->keys_count < count || !order_same_set(n, cols, together))
        return false;
    for (uint32_t i = together; i < count; i++) {
        if (n->keys[i].col != cols[i] || n->keys[i].desc != keys[i].desc ||
            n->keys[i].nulls_first != keys[i].nulls_first)
            return false;
    }
    return true;
}

void order_turn(struct lnode *n)
{
    while (n->kind == L_FILTER || n->kind == L_MAP)
        n = n->in;
    n->backward = true;
}
