/* SPDX-License-Identifier: Apache-2.0
 *
 * stack.c: the nodes of a bound SELECT, one on the other. */
#include "plan/select_int.h"

static struct plan_node *
sel_node(struct sel *s, enum plan_kind kind, struct plan_node *input, struct dn_err *err)
{
    struct plan_node *n = arena_calloc(s->b.env->arena, 1, sizeof(*n));

    if (!n) {
        DN_IGNORE(DN_FAIL_NOMEM(err)); /* the caller returns the code */
        return NULL;
    }
    n->kind = kind;
    n->input = input;
    if (input) { /* most nodes hand on what they get */
        n->cols = input->cols;
        n->cols_count = input->cols_count;
    }
    return n;
}

static bool sel_is_late(const struct bexpr *e)
{
    if (e->kind == BEXPR_PARAM || (e->kind == BEXPR_CALL && (e->func->flags & FUNC_STABLE)))
        return true;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (sel_is_late(e->args[i]))
            return true;
    }
    return false;
}

static int sel_make_scan(struct sel *s, struct plan *p, struct plan_node **ret, struct dn_err *err)
{
    struct plan_node *n = sel_node(s, s->b.table ? PLAN_SCAN : PLAN_SINGLE, NULL, err);
    const struct table *t = s->b.table;
    struct plan_preds preds;
    int rc;

    if (!n)
        return DN_E_NOMEM;
    *ret = n;
    if (!t)
        return 0;
    n->table = t;
    n->scan_cols = s->b.scan_cols;
    n->cols_count = s->b.scan_cols_count;
    n->cols = arena_alloc_array(s->b.env->arena, n->cols_count + 1, sizeof(*n->cols));
    if (!n->cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->cols_count; i++) {
        n->cols[i].name =
            n->scan_cols[i] < t->columns_count ? t->columns[n->scan_cols[i]].name : "row id";
        n->cols[i].type = store_col_type(t, n->scan_cols[i]);
    }
    n->prune = s->where;
    if (s->where && sel_is_late(s->where))
        return 0;
    rc = plan_scan_preds(s->b.env, n, NULL, 0, s->b.env->arena, &preds, err);
    if (rc < 0) {
        dn_err_at(err, s->sel->from.pos);
        return rc;
    }
    n->preds = preds.preds;
    n->preds_count = preds.count;
    n->prune = NULL;
    plan_note_full_scan(n, p->notice, sizeof(p->notice));
    return 0;
}

static int
sel_make_filter(struct sel *s, struct bexpr *cond, struct plan_node **node, struct dn_err *err)
{
    struct plan_node *n;

    if (!cond || (cond->kind == BEXPR_CONST && !cond->value.null && cond->value.v.i64))
        return 0;
    n = sel_node(s, PLAN_FILTER, *node, err);
    if (!n)
        return DN_E_NOMEM;
    n->filter = cond;
    *node = n;
    return 0;
}

static int sel_make_aggregate(struct sel *s, struct plan_node **node, struct dn_err *err)
{
    struct plan_node *n = sel_node(s, PLAN_AGGREGATE, *node, err);

    if (!n)
        return DN_E_NOMEM;
    n->exprs = s->keys;
    n->exprs_count = s->keys_count;
    n->aggs = s->b.aggs;
    n->aggs_count = s->b.aggs_count;
    n->cols_count = n->exprs_count + n->aggs_count;
    n->cols = arena_calloc(s->b.env->arena, n->cols_count + 1, sizeof(*n->cols));
    if (!n->cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->cols_count; i++) {
        bool key = i < n->exprs_count;

        n->cols[i].name = key ? "key" : n->aggs[i - n->exprs_count].agg->name;
        n->cols[i].type = key ? n->exprs[i]->type : n->aggs[i - n->exprs_count].agg->result;
        if (key && n->exprs[i]->kind == BEXPR_COLUMN)
            n->cols[i].name = n->input->cols[n->exprs[i]->col].name;
        else if (!key && n->aggs[i - n->exprs_count].agg->star)
            n->cols[i].name = "count(*)";
    }
    *node = n;
    return 0;
}

static int sel_lift_all(struct sel *s, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < s->outs_count; i++)
        rc = bind_lift(&s->b, s->outs[i].e, s->keys, s->keys_count, &s->outs[i].e, err);
    if (rc == 0 && s->having)
        rc = bind_lift(&s->b, s->having, s->keys, s->keys_count, &s->having, err);
    return rc;
}

static int sel_make_project(struct sel *s, struct plan_node **node, struct dn_err *err)
{
    struct plan_node *n;
    bool same = s->outs_count == (*node)->cols_count;

    for (uint32_t i = 0; same && i < s->outs_count; i++) {
        same = s->outs[i].e->kind == BEXPR_COLUMN && s->outs[i].e->col == i &&
               (i >= s->shown_count || strcmp(s->outs[i].name, (*node)->cols[i].name) == 0);
    }
    if (same && s->outs_count > 0)
        return 0;
    n = sel_node(s, PLAN_PROJECT, *node, err);
    if (!n)
        return DN_E_NOMEM;
    n->cols_count = n->exprs_count = s->outs_count;
    n->cols = arena_alloc_array(s->b.env->arena, s->outs_count + 1, sizeof(*n->cols));
    n->exprs = arena_alloc_array(s->b.env->arena, s->outs_count + 1, sizeof(*n->exprs));
    if (!n->cols || !n->exprs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < s->outs_count; i++) {
        n->cols[i] = (struct plan_col){.name = s->outs[i].name, .type = s->outs[i].e->type};
        n->exprs[i] = s->outs[i].e;
    }
    *node = n;
    return 0;
}

/* DISTINCT: an aggregation by all columns and without aggregates. */
static int sel_make_distinct(struct sel *s, struct plan_node **node, struct dn_err *err)
{
    struct plan_node *n = sel_node(s, PLAN_AGGREGATE, *node, err);

    if (!n)
        return DN_E_NOMEM;
    n->exprs_count = n->cols_count;
    n->exprs = arena_alloc_array(s->b.env->arena, n->exprs_count + 1, sizeof(*n->exprs));
    if (!n->exprs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->exprs_count; i++) {
        n->exprs[i] = bind_new(&s->b, BEXPR_COLUMN, n->cols[i].type, 0);
        if (!n->exprs[i])
            return DN_FAIL_NOMEM(err);
        n->exprs[i]->col = i;
    }
    *node = n;
    return 0;
}

int plan_stack(struct sel *s, struct plan *p, struct dn_err *err)
{
    const struct select_stmt *sel = s->sel;
    bool grouped = sel->group_by_count > 0 || sel->having || s->b.aggs_count > 0;
    struct plan_node *node, *top;
    int rc;

    rc = sel_make_scan(s, p, &node, err);
    if (rc == 0)
        rc = sel_make_filter(s, s->where, &node, err);
    if (rc == 0 && grouped)
        rc = sel_make_aggregate(s, &node, err);
    if (rc == 0 && grouped)
        rc = sel_lift_all(s, err);
    if (rc == 0 && grouped)
        rc = sel_make_filter(s, s->having, &node, err);
    if (rc == 0)
        rc = sel_make_project(s, &node, err);
    if (rc == 0 && sel->distinct)
        rc = sel_make_distinct(s, &node, err);
    if (rc < 0)
        return rc;
    if (s->order_count > 0 && !(plan_order_given(s, grouped))) {
        top = sel_node(s, PLAN_SORT, node, err);
        if (!top)
            return DN_E_NOMEM;
        top->keys = s->order;
        top->keys_count = s->order_count;
        top->limit = s->limit;
        top->offset = s->offset;
        node = top;
    }
    if (s->limit || s->offset) {
        top = sel_node(s, PLAN_LIMIT, node, err);
        if (!top)
            return DN_E_NOMEM;
        top->limit = s->limit;
        top->offset = s->offset;
        node = top;
    }
    p->root = node;
    p->hidden_cols = s->outs_count - s->shown_count;
    return 0;
}
