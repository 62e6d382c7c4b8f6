/* SPDX-License-Identifier: Apache-2.0
 *
 * join_prune.c: few different keys make a list of points, many an interval from the least to the
 * greatest. */
#include "exec/join_prune.h"

#include <stdlib.h>

#define PRUNE_POINTS_MAX 256u  /* of a constraint */
#define PRUNE_SORT_MAX   4096u /* right rows that are worth sorting for that */

/* The scan below whose column the expression is; filters and projections are looked through, and
 * the left sides of joins. */
static const struct plan_node *
prune_scan(const struct plan_node *n, uint32_t col, uint16_t *ret_col)
{
    for (;; n = n->input) {
        if (n->kind == PLAN_SCAN) {
            *ret_col = n->scan_cols[col];
            return n;
        }
        if (n->kind == PLAN_PROJECT) {
            if (n->exprs[col]->kind != BEXPR_COLUMN)
                return NULL;
            col = n->exprs[col]->col;
        } else if (n->kind == PLAN_JOIN) {
            if (n->join->kind == PLAN_JOIN_FULL || col >= n->input->cols_count)
                return NULL;
        } else if (n->kind != PLAN_FILTER) {
            return NULL;
        }
    }
}

static bool prune_type(enum type_id type)
{
    return type_is_int(type) || type_is_timestamp(type) || type_is_text(type);
}

static int prune_cmp(const void *a, const void *b)
{
    return datum_cmp(a, b);
}

static struct interval prune_interval(const struct datum *lo, const struct datum *hi)
{
    return (struct interval){
        .has_lo = true, .lo_incl = true, .has_hi = true, .hi_incl = true, .lo = *lo, .hi = *hi};
}

/* From the least to the greatest value. */
static int prune_range(const struct exec_rows *rows,
                       uint32_t col,
                       struct arena *arena,
                       struct scan_pred *ret,
                       struct dn_err *err)
{
    struct interval *set = arena_alloc(arena, sizeof *set);
    struct datum lo = exec_rows_datum(rows, col, 0);
    struct datum hi = lo;

    if (!set)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 1; i < rows->count; i++) {
        struct datum d = exec_rows_datum(rows, col, i);

        if (datum_cmp(&d, &lo) < 0)
            lo = d;
        else if (datum_cmp(&d, &hi) > 0)
            hi = d;
    }
    *set = prune_interval(&lo, &hi);
    ret->set = set;
    ret->set_count = 1;
    return 0;
}

/* Each value, if they are few; set_count 0: they are not. */
static int prune_points(const struct exec_rows *rows,
                        uint32_t col,
                        struct arena *arena,
                        struct scan_pred *ret,
                        struct dn_err *err)
{
    struct datum *values = arena_alloc_array(arena, rows->count, sizeof *values);
    struct interval *set = arena_alloc_array(arena, PRUNE_POINTS_MAX, sizeof *set);
    uint32_t n = 0;

    if (!values || !set)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rows->count; i++)
        values[i] = exec_rows_datum(rows, col, i);
    qsort(values, rows->count, sizeof *values, prune_cmp);
    for (uint32_t i = 0; i < rows->count; i++) {
        if (i > 0 && datum_cmp(&values[i - 1], &values[i]) == 0)
            continue;
        if (n == PRUNE_POINTS_MAX)
            return 0;
        set[n++] = prune_interval(&values[i], &values[i]);
    }
    ret->set = set;
    ret->set_count = n;
    return 0;
}

static int prune_key(const struct op *op,
                     const struct exec_join_table *t,
                     uint32_t k,
                     struct arena *arena,
                     struct exec_ctx *ctx,
                     struct dn_err *err)
{
    const struct plan_join_key *key = &op->node->join->keys[k];
    struct exec_prune *prune;
    const struct plan_node *scan;
    uint16_t col;
    int rc = 0;

    if (key->nulls_equal || key->left->kind != BEXPR_COLUMN || !prune_type(key->left->type))
        return 0;
    scan = prune_scan(op->node->input, key->left->col, &col);
    if (!scan || col >= scan->table->columns_count ||
        scan->table->columns[col].type != key->left->type)
        return 0;
    prune = arena_calloc(arena, 1, sizeof *prune);
    if (!prune)
        return DN_FAIL_NOMEM(err);
    *prune = (struct exec_prune){.next = ctx->prunes, .scan = scan, .pred = {.col = col}};
    if (t->rows.count <= PRUNE_SORT_MAX)
        rc = prune_points(&t->rows, t->key_cols[k], arena, &prune->pred, err);
    if (rc == 0 && prune->pred.set_count == 0)
        rc = prune_range(&t->rows, t->key_cols[k], arena, &prune->pred, err);
    ctx->prunes = prune;
    return rc;
}

int exec_join_prune(const struct op *op,
                    const struct exec_join_table *t,
                    struct arena *arena,
                    struct exec_ctx *ctx,
                    struct dn_err *err)
{
    enum plan_join_kind kind = op->node->join->kind;
    int rc = 0;

    if ((kind != PLAN_JOIN_INNER && kind != PLAN_JOIN_SEMI) || t->rows.count == 0)
        return 0;
    for (uint32_t k = 0; k < op->node->join->keys_count && rc == 0; k++)
        rc = prune_key(op, t, k, arena, ctx, err);
    return rc;
}
