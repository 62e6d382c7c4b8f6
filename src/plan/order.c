/* SPDX-License-Identifier: Apache-2.0
 *
 * order.c: when a scan's own order is the order asked for.
 *
 * Physical order is (slab, token, series values, rest of the local key). If the WHERE clause pins
 * every series column to one value, all rows that pass the filter have the same token and series,
 * so they come in the order (slab, rest). That is the order of `rest` alone if there is one slab
 * only, or if the rest begins with the time column: slabs are disjoint intervals of it and run in
 * its direction. So ORDER BY columns that are, one after the other, those of `rest` with the same
 * directions (pinned columns may stand anywhere: they are constant) need no sort. Key columns are
 * never NULL, so NULLS FIRST or LAST is the same. The last key may also be a function of such a
 * column that never falls (date_trunc of the time): rows that are in the order of the column are in
 * its order too, though ties leave what comes after undecided. */
#include "plan/preds_mono.h"
#include "plan/select_int.h"

/* Table columns that an AND-ed equality with a constant or parameter makes constant. */
static bool order_pinned(const struct sel *s, const struct bexpr *e, uint16_t table_col)
{
    if (!e)
        return false;
    if (e->kind == BEXPR_AND) {
        for (uint32_t i = 0; i < e->args_count; i++) {
            if (order_pinned(s, e->args[i], table_col))
                return true;
        }
        return false;
    }
    return bind_op_of(e) == OP_EQ && e->args[0]->kind == BEXPR_COLUMN &&
           s->b.scan_cols[e->args[0]->col] == table_col &&
           (e->args[1]->kind == BEXPR_CONST || e->args[1]->kind == BEXPR_PARAM);
}

bool plan_order_given(const struct sel *s, bool grouped)
{
    const struct table *t = s->b.table;
    uint32_t at = 0;

    if (!t || grouped || s->sel->distinct || t->spread > 1)
        return false;
    for (uint16_t i = 0; i < t->series_count; i++) {
        if (!order_pinned(s, s->where, t->series[i]))
            return false;
    }
    if (t->time_col >= 0 && (t->rest_count == 0 || t->rest[0].col != t->time_col))
        return false;
    for (uint32_t i = 0; i < s->order_count; i++) {
        const struct bexpr *e = s->outs[s->order[i].col].e;
        uint16_t col;

        if (e->kind != BEXPR_COLUMN && i + 1 == s->order_count)
            e = mono_column(e);
        if (!e || e->kind != BEXPR_COLUMN)
            return false;
        col = s->b.scan_cols[e->col];
        if (order_pinned(s, s->where, col) && t->columns[col].key_pos > 0)
            continue;
        while (at < t->rest_count && t->rest[at].col != col &&
               order_pinned(s, s->where, t->rest[at].col))
            at++;
        if (at == t->rest_count || t->rest[at].col != col || t->rest[at].desc != s->order[i].desc)
            return false;
        at++;
    }
    return true;
}
