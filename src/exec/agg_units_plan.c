/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_units_plan.c: what units can answer for an AGGREGATE node: the part of agg_units.h that
 * depends on the plan alone. */
#include "exec/agg_units.h"

#include "exec/exec_int.h"
#include "exec/mono.h"

#include <string.h>

static void units_plan_key(struct exec_units *u, uint32_t k)
{
    const struct plan_node *scan = u->source->node;
    const struct table *t = scan->table;
    const struct bexpr *e = u->node->exprs[k];
    uint32_t col = exec_mono_col(e);

    u->keys[k] = (struct exec_key){.kind = EXEC_KEY_OTHER};
    if (e->kind == BEXPR_COLUMN) {
        u->keys[k] = (struct exec_key){.kind = EXEC_KEY_COLUMN, .col = e->col};
    } else if (col != PLAN_NO_COL && type_phys(scan->cols[col].type) == PHYS_I64 &&
               t->rest_count > 0 && t->rest[0].col == scan->scan_cols[col]) {
        u->keys[k] = (struct exec_key){.kind = EXEC_KEY_BUCKET, .col = col};
        u->bucket_col = col;
        u->buckets[u->buckets_count++] = e;
    } else {
        u->simple = false;
    }
}

static int units_plan_agg(struct exec_units *u, uint32_t g, struct dn_err *err)
{
    const struct plan_node *scan = u->source->node;
    const struct plan_agg *pa = &u->node->aggs[g];
    const struct bexpr **args =
        arena_calloc(&u->source->run, 2 + (size_t)pa->order_count, sizeof(struct bexpr *));
    struct exec_way *way = &u->ways[g];
    bool timed = pa->agg->zone & (AGG_ZONE_EARLY | AGG_ZONE_LATE);

    if (!args)
        return DN_FAIL_NOMEM(err);
    args[0] = pa->arg;
    args[1] = pa->arg2;
    for (uint32_t k = 0; k < pa->order_count; k++)
        args[2 + k] = pa->order[k].e;
    way->col = pa->arg && pa->arg->kind == BEXPR_COLUMN ? pa->arg->col : PLAN_NO_COL;
    way->zone = pa->agg->update_zone && !pa->distinct && !pa->order_count &&
                (!pa->arg || way->col != PLAN_NO_COL ||
                 (pa->agg->zone == AGG_ZONE_COUNT && pa->arg->kind == BEXPR_CONST &&
                  !pa->arg->value.null)); /* count(1) is count(*) */
    if (timed)                            /* only by the time that orders runs */
        way->zone = way->zone && u->times_unique && pa->arg2 && pa->arg2->kind == BEXPR_COLUMN &&
                    scan->scan_cols[pa->arg2->col] == scan->table->rest[0].col;
    return exec_expr_cols(args,
                          2 + pa->order_count,
                          scan->cols_count,
                          &u->source->run,
                          &way->cols,
                          &way->cols_count,
                          err);
}

/* Which aggregates can be made of stored values: of columns that are decoded for nothing else. */
static int units_plan_packed(struct exec_units *u, struct dn_err *err)
{
    const struct plan_node *scan = u->source->node;
    struct arena *run = &u->source->run;
    bool *decoded = arena_calloc(run, scan->cols_count, sizeof *decoded);
    uint32_t *at = arena_alloc_array(run, scan->cols_count, sizeof *at);

    u->packed_cols = arena_alloc_array(run, scan->cols_count, sizeof *u->packed_cols);
    if (!decoded || !at || !u->packed_cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t g = 0; g < u->node->aggs_count; g++) {
        struct exec_way *way = &u->ways[g];
        unsigned needs = u->node->aggs[g].agg->zone;

        way->packed = way->zone && !(needs & ~(unsigned)(AGG_ZONE_COUNT | AGG_ZONE_SUM)) &&
                      (way->col == PLAN_NO_COL || type_is_fixed(scan->cols[way->col].type));
        way->packed_at = PLAN_NO_COL;
        for (uint32_t i = 0; i < way->cols_count && !way->packed; i++)
            decoded[way->cols[i]] = true;
        u->packed = u->packed || way->packed;
    }
    for (uint32_t c = 0; c < scan->cols_count; c++)
        at[c] = PLAN_NO_COL;
    for (uint32_t g = 0; g < u->node->aggs_count; g++) {
        struct exec_way *way = &u->ways[g];

        if (!way->packed || !(u->node->aggs[g].agg->zone & AGG_ZONE_SUM))
            continue;
        if (decoded[way->col] || way->col == u->bucket_col) {
            way->packed = false;
            continue;
        }
        if (at[way->col] == PLAN_NO_COL) {
            at[way->col] = u->packed_count;
            u->packed_cols[u->packed_count++] = way->col;
        }
        way->packed_at = at[way->col];
    }
    return 0;
}

/* Are two values of the type the same in a group if and only if they are in a series? */
static bool units_series_type(enum type_id type)
{
    switch (type_phys(type)) {
    case PHYS_I8:
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
        return true;
    case PHYS_STR:
        return !type_is_array(type);
    case PHYS_F32: /* -0 equals 0 in a group */
    case PHYS_F64:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    return false;
}

/* Is a group a series? */
static void units_plan_series(struct exec_units *u)
{
    const struct plan_node *scan = u->source->node;
    const struct table *t = scan->table;
    uint32_t found = 0;

    u->series_col = PLAN_NO_COL;
    for (uint32_t i = 0; i < t->series_count; i++)
        if (!units_series_type(t->columns[t->series[i]].type))
            return;
    for (uint32_t c = 0; c < scan->cols_count && t->series_count == 1; c++)
        if (u->node->exprs_count == 0 && scan->scan_cols[c] == t->series[0])
            u->series_col = c;
    if (u->node->exprs_count != t->series_count)
        return;
    for (uint32_t i = 0; i < t->series_count; i++)
        for (uint32_t k = 0; k < u->node->exprs_count; k++)
            if (u->keys[k].kind == EXEC_KEY_COLUMN &&
                scan->scan_cols[u->keys[k].col] == t->series[i]) {
                found++;
                break;
            }
    u->by_series = found > 0 && found == t->series_count;
}

/* The end of time that an aggregate asks for, and nothing else. */
static enum exec_ends units_agg_ends(const struct exec_units *u, uint32_t g)
{
    const struct plan_node *scan = u->source->node;
    const struct agg *agg = u->node->aggs[g].agg;
    uint32_t col = u->ways[g].col;

    if (!u->ways[g].zone)
        return EXEC_ENDS_NONE;
    if (agg->zone & AGG_ZONE_LATE)
        return EXEC_ENDS_LATE;
    if (agg->zone & AGG_ZONE_EARLY)
        return EXEC_ENDS_EARLY;
    if (col == PLAN_NO_COL || scan->scan_cols[col] != scan->table->rest[0].col)
        return EXEC_ENDS_NONE;
    return strcmp(agg->name, "max") == 0   ? EXEC_ENDS_LATE
           : strcmp(agg->name, "min") == 0 ? EXEC_ENDS_EARLY
                                           : EXEC_ENDS_NONE;
}

/* The same whatever orders the rows: of which column do they ask for an end? */
static enum exec_ends
units_agg_row_ends(const struct exec_units *u, uint32_t g, bool *ret_timed, uint32_t *ret_col)
{
    const struct plan_node *scan = u->source->node;
    const struct plan_agg *pa = &u->node->aggs[g];
    const struct bexpr *time = pa->arg2;
    enum exec_ends ends = pa->agg->zone & AGG_ZONE_LATE    ? EXEC_ENDS_LATE
                          : pa->agg->zone & AGG_ZONE_EARLY ? EXEC_ENDS_EARLY
                                                           : EXEC_ENDS_NONE;

    if (pa->distinct || pa->order_count || u->ways[g].col == PLAN_NO_COL)
        return EXEC_ENDS_NONE;
    *ret_timed = ends != EXEC_ENDS_NONE;
    if (ends == EXEC_ENDS_NONE) {
        time = pa->arg;
        ends = strcmp(pa->agg->name, "max") == 0   ? EXEC_ENDS_LATE
               : strcmp(pa->agg->name, "min") == 0 ? EXEC_ENDS_EARLY
                                                   : EXEC_ENDS_NONE;
    }
    if (!time || time->kind != BEXPR_COLUMN || type_phys(scan->cols[time->col].type) != PHYS_I64)
        return EXEC_ENDS_NONE;
    *ret_col = time->col;
    return ends;
}

/* Do all aggregates ask for the same end of the same column? */
static int units_plan_row_ends(struct exec_units *u, struct dn_err *err)
{
    const struct exec_source *source = u->source;
    enum exec_ends ends = EXEC_ENDS_NONE;
    bool any_timed = false;
    uint32_t col = 0;
    int trend;

    if (u->bucket_col != PLAN_NO_COL)
        return 0;
    for (uint32_t g = 0; g < u->node->aggs_count; g++) {
        uint32_t of = 0;
        bool timed = false;
        enum exec_ends one = units_agg_row_ends(u, g, &timed, &of);

        if (one == EXEC_ENDS_NONE || (g > 0 && (one != ends || of != col)))
            return 0;
        any_timed = any_timed || timed;
        ends = one;
        col = of;
    }
    trend = ends == EXEC_ENDS_NONE ? 0 : scan_trend(source->scan, col);
    /* max(x) of a column that does not follow the order of rows is found best by reading it. */
    if (ends == EXEC_ENDS_NONE || (u->ends == EXEC_ENDS_NONE && !any_timed && trend == 0))
        return 0;
    DN_ASSERT(u->ends == EXEC_ENDS_NONE || u->ends == ends);
    u->row_ends = ends;
    u->ends_col = col;
    if (u->ends == EXEC_ENDS_NONE && (ends == EXEC_ENDS_LATE ? trend > 0 : trend < 0))
        scan_reverse(source->scan);
    return exec_expr_cols((const struct bexpr *const *)u->node->exprs,
                          u->node->exprs_count,
                          source->node->cols_count,
                          &u->source->run,
                          &u->key_cols,
                          &u->key_cols_count,
                          err);
}

/* Are newest or oldest values all that is wanted of each group? Then the scan begins there. */
static void units_plan_ends(struct exec_units *u)
{
    const struct table *t = u->source->node->table;

    if (!u->simple || u->bucket_col != PLAN_NO_COL || u->node->aggs_count == 0 || !u->times_unique)
        return;
    u->ends = units_agg_ends(u, 0);
    for (uint32_t g = 1; g < u->node->aggs_count; g++)
        if (units_agg_ends(u, g) != u->ends)
            u->ends = EXEC_ENDS_NONE;
    if (u->ends != EXEC_ENDS_NONE && (u->ends == EXEC_ENDS_LATE) != t->rest[0].desc)
        scan_reverse(u->source->scan);
}

int exec_units_plan(struct exec_units *u,
                    const struct plan_node *node,
                    struct exec_source *source,
                    struct dn_err *err)
{
    const struct table *t = source->node->table;
    struct arena *run = &source->run;
    size_t all_count = node->exprs_count;
    const struct bexpr **all;
    uint32_t n = 0;
    int rc = 0;

    for (uint32_t g = 0; g < node->aggs_count; g++)
        all_count += 2 + (size_t)node->aggs[g].order_count;

    *u = (struct exec_units){
        .node = node, .source = source, .simple = true, .bucket_col = PLAN_NO_COL};
    u->times_unique = t->rest_count == 1 && t->time_col >= 0 && t->rest[0].col == t->time_col;
    u->keys = arena_calloc(run, node->exprs_count, sizeof *u->keys);
    u->ways = arena_calloc(run, node->aggs_count, sizeof *u->ways);
    u->buckets = arena_calloc(run, node->exprs_count, sizeof(struct bexpr *));
    all = arena_calloc(run, all_count, sizeof(struct bexpr *));
    if (!u->keys || !u->ways || !u->buckets || !all)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < node->exprs_count; k++) {
        units_plan_key(u, k);
        all[n++] = node->exprs[k];
    }
    for (uint32_t g = 0; g < node->aggs_count && rc == 0; g++) {
        rc = units_plan_agg(u, g, err);
        all[n++] = node->aggs[g].arg;
        all[n++] = node->aggs[g].arg2;
        for (uint32_t k = 0; k < node->aggs[g].order_count; k++)
            all[n++] = node->aggs[g].order[k].e;
    }
    if (rc < 0)
        return rc;
    rc = units_plan_packed(u, err);
    if (rc < 0)
        return rc;
    units_plan_series(u);
    units_plan_ends(u);
    rc = units_plan_row_ends(u, err);
    if (rc < 0)
        return rc;
    return exec_expr_cols(all, n, source->node->cols_count, run, &u->cols, &u->cols_count, err);
}
