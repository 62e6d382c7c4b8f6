/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_scan.c: scans, and the filters that prune them. */
#include "plan/lower.h"

static bool lower_is_late(const struct bexpr *e)
{
    if (e->kind == BEXPR_PARAM || (e->kind == BEXPR_CALL && (e->func->flags & FUNC_STABLE)))
        return true;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (lower_is_late(e->args[i]))
            return true;
    }
    return false;
}

static uint32_t lower_scan_col(const struct lnode *n, uint32_t var)
{
    uint32_t cols = store_cols_count(n->table);

    for (uint32_t i = 0; i < cols; i++) {
        if (n->col_vars[i] == var)
            return i;
    }
    return UINT32_MAX;
}

static int lower_columns(struct lower *lo,
                         struct lnode *n,
                         const struct lvars *want,
                         struct lplan *ret,
                         struct dn_err *err)
{
    const struct table *t = n->table;
    struct plan_node *node = lower_node(lo, PLAN_SCAN, NULL, err);

    if (!node)
        return DN_E_NOMEM;
    ret->node = node;
    node->table = t;
    node->backward = n->backward;
    node->scan_cols =
        arena_alloc_array(lo->q->env->arena, (size_t)want->n + 1, sizeof(*node->scan_cols));
    node->cols = arena_alloc_array(lo->q->env->arena, (size_t)want->n + 1, sizeof(*node->cols));
    if (!node->scan_cols || !node->cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < want->n; i++) {
        uint32_t col = lower_scan_col(n, want->v[i]);
        uint32_t at = node->cols_count++;

        if (col == UINT32_MAX)
            return DN_FAIL(err, DN_E_INTERNAL, "variable %u is no column", want->v[i]);
        node->scan_cols[at] = (uint16_t)col;
        node->cols[at].name = col < t->columns_count ? t->columns[col].name : "row id";
        node->cols[at].type = store_col_type(t, col);
        if (!lower_place(lo, ret, want->v[i], at))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* What the condition above a scan says about its columns. */
static int lower_prune(struct lower *lo,
                       struct lnode *scan,
                       struct plan_node *node,
                       struct bexpr *cond,
                       struct dn_err *err)
{
    struct plan_preds preds;
    int rc;

    node->prune = cond;
    if (cond && lower_is_late(cond))
        return 0;
    rc = plan_scan_preds(lo->q->env, node, NULL, 0, lo->q->env->arena, &preds, err);
    if (rc < 0) {
        dn_err_at(err, scan->pos);
        return rc;
    }
    node->preds = preds.preds;
    node->preds_count = preds.count;
    node->prune = NULL;
    if (!lo->q->plan->notice[0])
        plan_note_full_scan(lo->q, node);
    return 0;
}

int lower_scan(struct lower *lo,
               struct lnode *n,
               const struct lvars *want,
               struct lplan *ret,
               struct dn_err *err)
{
    int rc = lower_columns(lo, n, want, ret, err);

    return rc < 0 ? rc : lower_prune(lo, n, ret->node, NULL, err);
}

int lower_filter(struct lower *lo,
                 struct lnode *n,
                 const struct lvars *want,
                 struct lplan *ret,
                 struct dn_err *err)
{
    struct lvars more = {0};
    struct plan_node *node;
    struct bexpr *cond;
    bool scan = n->in->kind == L_SCAN;
    int rc = lower_want(lo, n, want, &more, err);

    if (rc == 0)
        rc = scan ? lower_columns(lo, n->in, &more, ret, err)
                  : lower_tree(lo, n->in, &more, ret, err);
    if (rc == 0)
        rc = lower_conds(lo, ret, n->conds, n->conds_count, &cond, err);
    if (rc == 0 && scan)
        rc = lower_prune(lo, n->in, ret->node, cond, err);
    if (rc < 0 || !cond || (cond->kind == BEXPR_CONST && !cond->value.null && cond->value.v.i64))
        return rc;
    node = lower_node(lo, PLAN_FILTER, ret->node, err);
    if (!node)
        return DN_E_NOMEM;
    node->filter = cond;
    ret->node = node;
    return 0;
}
