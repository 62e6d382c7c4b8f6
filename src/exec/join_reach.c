/* SPDX-License-Identifier: Apache-2.0
 *
 * join_reach.c: keys of a join on their way down. See join_reach.h. */
#include "exec/join_reach.h"

#include "plan/window.h"

struct reach {
    struct arena *arena;
    exec_reach_fn fn;
    void *arg;
    uint32_t count; /* of keys */
};

static int reach_down(const struct reach *r,
                      const struct plan_node *n,
                      const uint32_t *cols,
                      struct dn_err *err);

static uint32_t *reach_cols(const struct reach *r)
{
    uint32_t *cols = arena_alloc_array(r->arena, r->count, sizeof *cols);

    for (uint32_t k = 0; cols && k < r->count; k++)
        cols[k] = PLAN_NO_COL;
    return cols;
}

/* What a column of PROJECT is, or of the keys of AGGREGATE. */
static uint32_t reach_expr(const struct plan_node *n, uint32_t col)
{
    if (col >= n->exprs_count && n->kind == PLAN_AGGREGATE)
        return PLAN_NO_COL;
    return n->exprs[col]->kind == BEXPR_COLUMN ? n->exprs[col]->col : PLAN_NO_COL;
}

/* A column by which rows are divided, so that all rows with a value go, or none. */
static uint32_t reach_part(const struct plan_node *n, uint32_t col)
{
    if (n->kind == PLAN_UNIQUE) {
        for (uint32_t i = 0; i < n->keys_count; i++)
            if (n->keys[i].col == col)
                return col;
        return PLAN_NO_COL;
    }
    for (uint32_t i = 0; i < n->window->partition_count; i++)
        if (n->window->partition[i] == col)
            return col;
    return PLAN_NO_COL;
}

static int reach_mapped(const struct reach *r,
                        const struct plan_node *n,
                        const uint32_t *cols,
                        struct dn_err *err)
{
    uint32_t *below = reach_cols(r);

    if (!below)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < r->count; k++) {
        if (cols[k] == PLAN_NO_COL)
            continue;
        below[k] = n->kind == PLAN_PROJECT || n->kind == PLAN_AGGREGATE ? reach_expr(n, cols[k])
                                                                        : reach_part(n, cols[k]);
    }
    return reach_down(r, n->input, below, err);
}

/* The column on the other side that equals this one in all pairs of rows. */
static uint32_t reach_other(const struct plan_join *join, bool from_left, uint32_t col)
{
    for (uint32_t i = 0; i < join->keys_count; i++) {
        const struct bexpr *from = from_left ? join->keys[i].left : join->keys[i].right;
        const struct bexpr *to = from_left ? join->keys[i].right : join->keys[i].left;

        if (from->kind == BEXPR_COLUMN && from->col == col && to->kind == BEXPR_COLUMN &&
            from->type == to->type)
            return to->col;
    }
    return PLAN_NO_COL;
}

/* A right row that is left out changes nothing but for left rows that do not count themselves. Not
 * of a mark that a NULL makes unknown, nor of a subquery that may have too many rows. */
static bool reach_right(const struct plan_node *n)
{
    return n->kind == PLAN_JOIN &&
           (n->join->kind == PLAN_JOIN_INNER || n->join->kind == PLAN_JOIN_LEFT ||
            n->join->kind == PLAN_JOIN_SEMI || n->join->kind == PLAN_JOIN_ANTI);
}

static int reach_sides(const struct reach *r,
                       const struct plan_node *n,
                       const uint32_t *cols,
                       struct dn_err *err)
{
    uint32_t *left = reach_cols(r);
    uint32_t *right = reach_cols(r);
    uint32_t width = n->input->cols_count;
    int rc;

    if (!left || !right)
        return DN_FAIL_NOMEM(err);
    if (n->join->kind == PLAN_JOIN_FULL)
        return 0;
    for (uint32_t k = 0; k < r->count; k++) {
        if (cols[k] == PLAN_NO_COL)
            continue;
        if (cols[k] < width) {
            left[k] = cols[k];
            right[k] = reach_right(n) ? reach_other(n->join, true, cols[k]) : PLAN_NO_COL;
        } else if (n->join->kind == PLAN_JOIN_INNER && n->kind == PLAN_JOIN) {
            right[k] = cols[k] - width;
            left[k] = reach_other(n->join, false, right[k]);
        }
    }
    rc = reach_down(r, n->input, left, err);
    return rc < 0 ? rc : reach_down(r, n->right, right, err);
}

static int reach_down(const struct reach *r,
                      const struct plan_node *n,
                      const uint32_t *cols,
                      struct dn_err *err)
{
    uint32_t k = 0;
    int rc;

    while (k < r->count && cols[k] == PLAN_NO_COL)
        k++;
    if (k == r->count)
        return 0;
    switch (n->kind) {
    case PLAN_SCAN:
        return r->fn(r->arg, n, cols, err);
    case PLAN_FILTER:
        return reach_down(r, n->input, cols, err);
    case PLAN_SORT:
        return n->limit ? 0 : reach_down(r, n->input, cols, err);
    case PLAN_PROJECT:
    case PLAN_AGGREGATE:
    case PLAN_UNIQUE:
    case PLAN_WINDOW:
        return reach_mapped(r, n, cols, err);
    case PLAN_JOIN:
    case PLAN_APPLY:
        return reach_sides(r, n, cols, err);
    case PLAN_SETOP:
        rc = reach_down(r, n->input, cols, err);
        return rc < 0 ? rc : reach_down(r, n->right, cols, err);
    case PLAN_SINGLE:
    case PLAN_LIMIT:
    case PLAN_VALUES:
    case PLAN_CTE:
    case PLAN_RECURSIVE:
    case PLAN_WORK:
    case PLAN_FUNCTION:
    case PLAN_SYSTEM:
    case PLAN_FILE:
    case PLAN_KIND_MAX:
        break;
    }
    return 0;
}

int exec_join_reach(const struct plan_node *node,
                    struct arena *arena,
                    exec_reach_fn fn,
                    void *arg,
                    struct dn_err *err)
{
    const struct plan_join *join = node->join;
    const struct reach r = {.arena = arena, .fn = fn, .arg = arg, .count = join->keys_count};
    uint32_t *cols = reach_cols(&r);

    if (!cols)
        return DN_FAIL_NOMEM(err);
    if (join->kind != PLAN_JOIN_INNER && join->kind != PLAN_JOIN_SEMI)
        return 0;
    for (uint32_t k = 0; k < r.count; k++)
        if (join->keys[k].left->kind == BEXPR_COLUMN)
            cols[k] = join->keys[k].left->col;
    return reach_down(&r, node->input, cols, err);
}
