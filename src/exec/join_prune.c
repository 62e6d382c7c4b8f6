/* SPDX-License-Identifier: Apache-2.0
 *
 * join_prune.c: few different keys make a list of points, many an interval from the least to the
 * greatest. Rows of a scan that has all keys are looked up in the table, too (source.h). */
#include "exec/join_prune.h"

#include "exec/join_reach.h"

#include <stdlib.h>

#define PRUNE_POINTS_MAX 256u  /* of a constraint */
#define PRUNE_SORT_MAX   4096u /* right rows that are worth sorting for that */

/* What callbacks of exec_join_reach see. */
struct prune {
    const struct exec_join_table *table;
    struct arena *arena;
    struct exec_ctx *ctx;
    struct scan_pred *preds; /* of each key; set NULL: not made yet */
};

static bool prune_type(enum type_id type)
{
    return !type_is_wide(type) && !type_is_array(type) && !type_is_float(type); /* NaN, -0 */
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

#define PRUNE_LOOP(T)                                              \
    do {                                                           \
        const T *data = b->data;                                   \
        for (uint32_t i = 0; i < b->count; i++) {                  \
            if (vec_bit(b->nulls, i))                              \
                continue;                                          \
            lo->v.i64 = data[i] < lo->v.i64 ? data[i] : lo->v.i64; \
            hi->v.i64 = data[i] > hi->v.i64 ? data[i] : hi->v.i64; \
        }                                                          \
    } while (0)

/* The least and the greatest of them and of the values of a column; *lo and *hi are values. */
static void prune_widen(const struct colbuf *b, struct datum *lo, struct datum *hi)
{
    switch (type_phys(b->type)) {
    case PHYS_I8:
        PRUNE_LOOP(int8_t);
        return;
    case PHYS_I16:
        PRUNE_LOOP(int16_t);
        return;
    case PHYS_I32:
        PRUNE_LOOP(int32_t);
        return;
    case PHYS_I64:
        PRUNE_LOOP(int64_t);
        return;
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        struct datum d = colbuf_datum(b, i);

        if (d.null)
            continue;
        if (datum_cmp(&d, lo) < 0)
            *lo = d;
        else if (datum_cmp(&d, hi) > 0)
            *hi = d;
    }
}

/* From the least to the greatest value; the empty set if all are NULL. */
static int prune_range(const struct exec_rows *rows,
                       uint32_t col,
                       struct arena *arena,
                       struct scan_pred *ret,
                       struct dn_err *err)
{
    struct interval *set = arena_alloc(arena, sizeof *set);
    struct datum lo = {.null = true};
    struct datum hi;

    if (!set)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rows->count && lo.null; i++)
        lo = exec_rows_datum(rows, col, i);
    hi = lo;
    for (uint32_t c = 0; c < rows->chunks_count && !lo.null; c++)
        prune_widen(&rows->chunks[c][col], &lo, &hi);
    *set = prune_interval(&lo, &hi);
    ret->set = set;
    ret->set_count = !lo.null;
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

/* The values of a key as a constraint. */
static int prune_values(struct prune *p, uint32_t k, struct dn_err *err)
{
    const struct exec_join_table *t = p->table;
    struct scan_pred *pred = &p->preds[k];
    int rc = 0;

    if (pred->set)
        return 0;
    if (t->rows.count <= PRUNE_SORT_MAX)
        rc = prune_points(&t->rows, t->key_cols[k], p->arena, pred, err);
    if (rc == 0 && pred->set_count == 0)
        rc = prune_range(&t->rows, t->key_cols[k], p->arena, pred, err);
    return rc;
}

static struct exec_prune *prune_add(struct prune *p, const struct plan_node *scan)
{
    struct exec_prune *prune = arena_calloc(p->arena, 1, sizeof *prune);

    if (!prune)
        return NULL;
    *prune = (struct exec_prune){.next = p->ctx->prunes, .scan = scan};
    p->ctx->prunes = prune;
    return prune;
}

/* A scan: a constraint for each key, and the table itself if it has all of them. */
static int
prune_scan(void *arg, const struct plan_node *scan, const uint32_t *cols, struct dn_err *err)
{
    struct prune *p = arg;
    const struct plan_join *join = p->table->node->join;
    struct exec_prune *prune;
    bool all = true;

    for (uint32_t k = 0; k < join->keys_count; k++) {
        const struct plan_join_key *key = &join->keys[k];
        uint16_t col;
        int rc;

        all = all && cols[k] != PLAN_NO_COL;
        if (cols[k] == PLAN_NO_COL || key->nulls_equal || !prune_type(key->left->type))
            continue;
        col = scan->scan_cols[cols[k]];
        if (col >= scan->table->columns_count || scan->table->columns[col].type != key->left->type)
            continue;
        rc = prune_values(p, k, err);
        if (rc < 0)
            return rc;
        prune = prune_add(p, scan);
        if (!prune)
            return DN_FAIL_NOMEM(err);
        prune->pred = p->preds[k];
        prune->pred.col = col;
    }
    if (!all)
        return 0;
    prune = prune_add(p, scan);
    if (!prune)
        return DN_FAIL_NOMEM(err);
    prune->table = p->table;
    prune->cols = cols;
    return 0;
}

int exec_join_prune(const struct op *op,
                    const struct exec_join_table *t,
                    struct arena *arena,
                    struct exec_ctx *ctx,
                    struct dn_err *err)
{
    struct prune p = {.table = t, .arena = arena, .ctx = ctx};

    if (t->rows.count == 0)
        return 0;
    p.preds = arena_calloc(arena, op->node->join->keys_count, sizeof *p.preds);
    if (!p.preds)
        return DN_FAIL_NOMEM(err);
    return exec_join_reach(op->node, arena, prune_scan, &p, err);
}

/* ---- EXPLAIN ---- */

struct prune_text {
    struct buf *b;
    bool any;
};

static int
prune_print(void *arg, const struct plan_node *scan, const uint32_t *cols, struct dn_err *err)
{
    struct prune_text *text = arg;

    (void)err;
    (void)cols;
    buf_puts(text->b, text->any ? ", " : "\nkeys narrow: ");
    table_print_ident(scan->table->name, text->b);
    text->any = true;
    return 0;
}

int exec_join_prune_explain(const struct plan_node *node, struct buf *b, struct dn_err *err)
{
    struct prune_text text = {.b = b};
    struct arena arena;
    int rc;

    arena_init(&arena, b->owner);
    rc = exec_join_reach(node, &arena, prune_print, &text, err);
    arena_done(&arena);
    return rc;
}
