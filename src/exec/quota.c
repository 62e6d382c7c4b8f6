/* SPDX-License-Identifier: Apache-2.0
 *
 * quota.c: see quota.h. */
#include "exec/quota.h"

#include "exec/exec_int.h"
#include "func/winfunc.h"
#include "plan/window.h"

#include <string.h>

#define QUOTA_SERIES_MAX (1u << 20) /* more are let through: they would fill the memory */
#define QUOTA_ROWS_MAX   (1u << 20)

/* ---- the plan ---- */

/* The scan below nodes that keep or rename columns; cols become columns of it. NULL: there is none,
 * or a column is computed, or a condition cannot be handed down to it. */
static const struct plan_node *
quota_scan(const struct plan_node *node, uint32_t *cols, uint32_t cols_count)
{
    bool filtered = false;

    for (; node->kind == PLAN_PROJECT || node->kind == PLAN_FILTER; node = node->input) {
        if (node->kind == PLAN_FILTER) {
            if (expr_is_const(node->filter, true) || exec_expr_volatile(node->filter))
                return NULL;
            filtered = true;
            continue;
        }
        if (filtered)
            return NULL;
        for (uint32_t i = 0; i < cols_count; i++) {
            const struct bexpr *e = node->exprs[cols[i]];

            if (e->kind != BEXPR_COLUMN)
                return NULL;
            cols[i] = e->col;
        }
    }
    return node->kind == PLAN_SCAN && !node->backward ? node : NULL;
}

static bool quota_is_series(const struct table *t, uint16_t col)
{
    for (uint16_t i = 0; i < t->series_count; i++)
        if (t->series[i] == col)
            return true;
    return false;
}

/* Does the sort put rows by series, then as the scan reads them or the other way round? */
static bool quota_order(const struct plan_node *sort,
                        uint32_t groups_count,
                        const struct plan_node *scan,
                        const uint32_t *cols,
                        bool *ret_backward)
{
    const struct table *t = scan->table;

    if (t->series_count == 0 || t->spread > 1 || t->rest_count == 0 ||
        groups_count != t->series_count || sort->keys_count > groups_count + t->rest_count ||
        (t->time_col >= 0 && t->rest[0].col != t->time_col))
        return false;
    for (uint32_t k = 0; k < groups_count; k++) {
        uint16_t col = scan->scan_cols[cols[k]];

        for (uint32_t j = 0; j < k; j++)
            if (scan->scan_cols[cols[j]] == col)
                return false;
        if (!quota_is_series(t, col))
            return false;
    }
    for (uint32_t i = 0; i < sort->keys_count - groups_count; i++) {
        const struct plan_sort_key *key = &sort->keys[groups_count + i];
        bool backward = t->rest[i].desc != key->desc;

        if (scan->scan_cols[cols[groups_count + i]] != t->rest[i].col ||
            (i > 0 && backward != *ret_backward))
            return false;
        *ret_backward = backward;
    }
    return true;
}

bool exec_quota_order(const struct plan_node *sort, struct exec_quota_plan *ret)
{
    ret->backward = false;
    if (sort->kind != PLAN_SORT || sort->limit || sort->keys_count > TABLE_COLUMNS_MAX)
        return false;
    for (uint32_t k = 0; k < sort->keys_count; k++)
        ret->cols[k] = sort->keys[k].col;
    ret->scan = quota_scan(sort->input, ret->cols, sort->keys_count);
    return ret->scan && ret->scan->table->series_count <= sort->keys_count &&
           quota_order(sort, ret->scan->table->series_count, ret->scan, ret->cols, &ret->backward);
}

/* The scan below a sort whose first keys are the groups, and whose keys tell all rows apart. */
static bool
quota_below(const struct plan_node *sort, uint32_t groups_count, struct exec_quota_plan *ret)
{
    return exec_quota_order(sort, ret) && groups_count == ret->scan->table->series_count &&
           sort->keys_count == groups_count + ret->scan->table->rest_count;
}

static bool quota_same_keys(const struct plan_node *sort,
                            uint32_t count,
                            const struct plan_sort_key *keys,
                            const uint32_t *cols)
{
    if (sort->kind != PLAN_SORT || sort->keys_count < count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;

        for (uint32_t k = 0; k < count && !found; k++)
            found = sort->keys[k].col == (keys ? keys[i].col : cols[i]);
        if (!found)
            return false;
    }
    return true;
}

/* Column `col` <= n, < n or = n: how many rows of a partition that leaves at most. 0: it is
 * something else. */
static uint32_t quota_bound(const struct bexpr *e, uint32_t col)
{
    const struct bexpr *n;
    int64_t most;

    if (e->kind != BEXPR_CALL || e->args_count != 2 || e->args[0]->kind != BEXPR_COLUMN ||
        e->args[0]->col != col || e->args[1]->kind != BEXPR_CONST)
        return 0;
    n = e->args[1];
    if (!type_is_int(n->type) || n->value.null)
        return 0;
    most = n->value.v.i64;
    if (strcmp(e->func->name, "<") == 0)
        most--;
    else if (strcmp(e->func->name, "<=") != 0 && strcmp(e->func->name, "=") != 0)
        return 0;
    return most >= 1 && most <= QUOTA_ROWS_MAX ? (uint32_t)most : 0;
}

/* Does each call depend on nothing but the rows before and the row itself? */
static const struct plan_node *quota_window(const struct plan_node *node, uint32_t *col)
{
    const struct plan_window *w;

    for (; node->kind == PLAN_PROJECT; node = node->input) {
        if (node->exprs[*col]->kind != BEXPR_COLUMN)
            return NULL;
        *col = node->exprs[*col]->col;
    }
    if (node->kind != PLAN_WINDOW || *col < node->input->cols_count)
        return NULL;
    w = node->window;
    for (uint32_t i = 0; i < w->calls_count; i++)
        if (!w->calls[i].fn || strcmp(w->calls[i].fn->name, "row_number") != 0)
            return NULL;
    return node;
}

static bool quota_of_filter(const struct plan_node *node, struct exec_quota_plan *ret)
{
    const struct bexpr *all = node->filter;
    uint32_t count = all->kind == BEXPR_AND ? all->args_count : 1;

    for (uint32_t i = 0; i < count; i++) {
        const struct bexpr *e = all->kind == BEXPR_AND ? all->args[i] : all;
        const struct plan_node *w;
        uint32_t col;

        if (e->kind != BEXPR_CALL || e->args_count != 2 || e->args[0]->kind != BEXPR_COLUMN)
            continue;
        col = e->args[0]->col;
        ret->rows = quota_bound(e, col);
        w = ret->rows ? quota_window(node->input, &col) : NULL;
        if (w &&
            quota_same_keys(w->input, w->window->partition_count, NULL, w->window->partition) &&
            quota_below(w->input, w->window->partition_count, ret))
            return true;
    }
    return false;
}

bool exec_quota_find(const struct plan_node *node, struct exec_quota_plan *ret)
{
    *ret = (struct exec_quota_plan){.rows = 1};
    if (node->kind == PLAN_UNIQUE)
        return quota_same_keys(node->input, node->keys_count, node->keys, NULL) &&
               quota_below(node->input, node->keys_count, ret);
    return node->kind == PLAN_FILTER && quota_of_filter(node, ret);
}

void exec_quota_explain(const struct plan_node *node, const struct exec_ctx *ctx, struct buf *b)
{
    struct exec_quota_plan plan;

    if (!exec_fast(ctx) || !exec_quota_find(node, &plan))
        return;
    buf_printf(b,
               "\nthe scan returns %u row%s of each series, from the %s on",
               plan.rows,
               plan.rows == 1 ? "" : "s",
               plan.backward ? "last" : "first");
}

/* ---- telling the scan ---- */

int exec_quota_tell(struct op *op, struct dn_err *err)
{
    struct exec_quota_plan plan;
    struct exec_source *source;
    struct exec_quota *q;
    uint32_t *cols;
    struct op *in = op->input;

    if (!exec_fast(op->ctx) || !exec_quota_find(op->node, &plan))
        return 0;
    while (in->ops != &op_scan_ops && in->ops != &op_filter_ops)
        in = in->input;
    source = exec_source_of(in);
    if (!source || source->node != plan.scan || source->bound.wanted)
        return 0;
    q = mem_calloc(source->owner, 1, sizeof *q);
    if (!q)
        return DN_FAIL_NOMEM(err);
    source->quota = q;
    q->rows = plan.rows;
    q->backward = plan.backward;
    q->cols_count = plan.scan->table->series_count;
    cols = arena_alloc_array(&source->run, q->cols_count, sizeof *cols);
    q->keys = arena_calloc(&source->run, q->cols_count, sizeof *q->keys);
    if (!cols || !q->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0, n = 0; i < plan.scan->cols_count; i++) {
        bool known = false;

        for (uint32_t k = 0; k < n; k++)
            known = known || plan.scan->scan_cols[cols[k]] == plan.scan->scan_cols[i];
        if (!known && quota_is_series(plan.scan->table, plan.scan->scan_cols[i]))
            cols[n++] = i;
    }
    q->cols = cols;
    if (plan.backward)
        scan_reverse(source->scan);
    return 0;
}

void exec_quota_done(struct exec_quota *q)
{
    if (!q)
        return;
    exec_groups_done(&q->series);
    mem_free(q->taken);
    mem_free(q);
}

/* ---- reading ---- */

static int quota_taken_grow(struct exec_quota *q, struct mem_owner *owner, struct dn_err *err)
{
    uint32_t cap = q->taken_cap ? q->taken_cap : 64;
    uint32_t *taken;

    while (cap < q->series.count)
        cap *= 2;
    if (cap == q->taken_cap)
        return 0;
    taken = mem_realloc(owner, q->taken, cap * sizeof *taken);
    if (!taken)
        return DN_FAIL_NOMEM(err);
    memset(taken + q->taken_cap, 0, (cap - q->taken_cap) * sizeof *taken);
    q->taken = taken;
    q->taken_cap = cap;
    return 0;
}

/* Numbers of the series of rows. */
static int quota_ids(struct exec_reader *r, const struct batch *in, bool *one, struct dn_err *err)
{
    struct exec_quota *q = r->source->quota;
    int rc = 0;

    if (!q->series.keys) {
        enum type_id *types = arena_alloc_array(&r->run, q->cols_count, sizeof *types);

        if (!types)
            return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; i < q->cols_count; i++)
            types[i] = r->source->node->cols[q->cols[i]].type;
        rc = exec_groups_init(&q->series, types, q->cols_count, r->source->owner, err);
    }
    if (rc < 0)
        return rc;
    rc = q->series.count < QUOTA_SERIES_MAX
             ? exec_groups_find(&q->series, q->keys, in, &r->batch, q->ids, one, err)
             : exec_groups_look(&q->series, q->keys, in, &r->batch, q->ids, one, err);
    return rc < 0 ? rc : quota_taken_grow(q, r->source->owner, err);
}

int exec_quota_full(struct exec_reader *r, bool *ret, struct dn_err *err)
{
    struct exec_quota *q = r->source->quota;
    const struct batch row = {.count = 1, .sel_count = 1};
    bool one;
    int rc;

    *ret = false;
    for (uint32_t i = 0; i < q->cols_count; i++) {
        struct datum d;

        if (!scan_unit_const(r->r, q->cols[i], &d))
            return 0;
        if (!vec_make_const(&r->batch, &d, 1, &q->keys[i]))
            return DN_FAIL_NOMEM(err);
    }
    rc = quota_ids(r, &row, &one, err);
    if (rc == 0 && q->ids[0] != EXEC_GROUPS_NO_ID)
        *ret = q->taken[q->ids[0]] >= q->rows;
    return rc;
}

int exec_quota_select(struct exec_reader *r, struct batch *batch, struct dn_err *err)
{
    struct exec_quota *q = r->source->quota;
    bool turned = q->backward && !r->unit.backward;
    uint32_t count = batch->sel_count;
    uint32_t n = 0;
    bool one;
    int rc;

    if (count == 0)
        return 0;
    rc = exec_reader_fetch(r, q->cols, q->cols_count, batch, err);
    for (uint32_t i = 0; i < q->cols_count && rc == 0; i++)
        q->keys[i] = batch->cols[q->cols[i]];
    if (rc == 0)
        rc = quota_ids(r, batch, &one, err);
    if (rc < 0)
        return rc;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = turned ? count - 1 - k : k;
        uint32_t id = q->ids[one ? 0 : i];

        if (id != EXEC_GROUPS_NO_ID && q->taken[id]++ >= q->rows) {
            q->taken[id] = q->rows;
            continue;
        }
        q->sel[turned ? count - 1 - n : n] = batch->sel ? batch->sel[i] : (uint16_t)i;
        n++;
    }
    batch->sel = turned ? q->sel + count - n : q->sel;
    batch->sel_count = n;
    return 0;
}
