/* SPDX-License-Identifier: Apache-2.0
 *
 * op_scan.c: a table, through store/scan.h. The constraints that prune are part of the plan, or are
 * made when the run begins if they depend on parameters or on the time. */
#include "exec/exec_int.h"

#include <inttypes.h>

#define SCAN_INTERVALS_MAX 4u /* intervals of a column that EXPLAIN prints */

struct op_scan {
    struct arena run; /* constraints */
    struct scan *scan;
};

static int op_scan_preds(const struct plan_node *node,
                         const struct exec_ctx *ctx,
                         struct arena *arena,
                         struct scan_spec *spec,
                         struct dn_err *err)
{
    struct plan_preds made = {.preds = node->preds, .count = node->preds_count};

    if (node->prune) {
        int rc =
            plan_scan_preds(&ctx->env, node, ctx->params, ctx->params_count, arena, &made, err);

        if (rc < 0)
            return rc;
    }
    spec->preds = made.preds;
    spec->preds_count = made.count;
    return 0;
}

static struct scan_spec op_scan_spec(const struct plan_node *node, struct mem_owner *owner)
{
    return (struct scan_spec){.table = node->table,
                              .cols = node->scan_cols,
                              .cols_count = node->cols_count,
                              .owner = owner};
}

static int op_scan_open(struct op *op, struct dn_err *err)
{
    struct op_scan *st = op->state;
    struct scan_spec spec = op_scan_spec(op->node, &op->mem);
    int rc;

    arena_init(&st->run, &op->mem);
    rc = op_scan_preds(op->node, op->ctx, &st->run, &spec, err);
    if (rc < 0)
        return rc;
    return scan_open(op->ctx->snap, &spec, &st->scan, err);
}

static int op_scan_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_scan *st = op->state;

    return scan_next(st->scan, ret, err);
}

static void op_scan_close(struct op *op)
{
    struct op_scan *st = op->state;

    scan_close(st->scan);
    arena_done(&st->run);
}

/* ---- EXPLAIN ---- */

static void op_scan_print_interval(const char *name, const struct interval *v, struct buf *b)
{
    if (v->has_lo && v->has_hi && v->lo_incl && v->hi_incl && datum_cmp(&v->lo, &v->hi) == 0) {
        buf_printf(b, "%s = ", name);
        table_print_literal(&v->lo, b);
        return;
    }
    if (v->has_lo) {
        buf_printf(b, "%s %s ", name, v->lo_incl ? ">=" : ">");
        table_print_literal(&v->lo, b);
    }
    if (v->has_lo && v->has_hi)
        buf_puts(b, " and ");
    if (v->has_hi) {
        buf_printf(b, "%s %s ", name, v->hi_incl ? "<=" : "<");
        table_print_literal(&v->hi, b);
    }
    if (!v->has_lo && !v->has_hi)
        buf_printf(b, "%s is not null", name);
}

static void
op_scan_print_pred(const struct table *table, const struct scan_pred *pred, struct buf *b)
{
    const char *name = table->columns[pred->col].name;

    if (pred->set_count == 0)
        buf_puts(b, "nothing can match");
    for (uint32_t i = 0; i < pred->set_count; i++) {
        buf_puts(b, i ? " or " : "");
        if (i == SCAN_INTERVALS_MAX) {
            buf_printf(b, "… %u more", pred->set_count - i);
            break;
        }
        op_scan_print_interval(name, &pred->set[i], b);
    }
}

static void op_scan_print_head(const struct plan_node *node, struct buf *b)
{
    buf_puts(b, "Scan ");
    table_print_ident(node->table->schema, b);
    buf_puts(b, ".");
    table_print_ident(node->table->name, b);
    buf_puts(b, "\ncolumns: ");
    for (uint32_t i = 0; i < node->cols_count; i++) {
        buf_puts(b, i ? ", " : "");
        table_print_ident(node->cols[i].name, b);
    }
    buf_puts(b, node->cols_count ? "" : "none, only rows are counted");
}

static void op_scan_print_stats(const struct scan_stats *s, struct buf *b)
{
    buf_printf(b,
               "\nslabs: %" PRIu64 " of %" PRIu64 ", partitions: %" PRIu64 " of %" PRIu64
               ", blocks: %" PRIu64 " of %" PRIu64 ", segments: %" PRIu64 " of %" PRIu64
               ", memtable rows: %" PRIu64,
               s->slabs_read,
               s->slabs_total,
               s->partitions_read,
               s->partitions_total,
               s->blocks_read,
               s->blocks_total,
               s->segments_read,
               s->segments_total,
               s->memtable_rows);
}

static int op_scan_explain(const struct plan_node *node,
                           struct exec_ctx *ctx,
                           struct buf *b,
                           struct dn_err *err)
{
    struct scan_spec spec = op_scan_spec(node, ctx->owner);
    struct scan_stats stats = {0};
    struct arena arena;
    int rc;

    arena_init(&arena, ctx->owner);
    op_scan_print_head(node, b);
    rc = op_scan_preds(node, ctx, &arena, &spec, err);
    if (rc == DN_E_UNBOUND) {
        buf_puts(b, "\nconstraints: known when the parameters are");
        dn_err_clear(err);
        rc = 0;
        goto out;
    }
    if (rc < 0)
        goto out;
    buf_puts(b, "\nconstraints: ");
    for (uint32_t i = 0; i < spec.preds_count; i++) {
        buf_puts(b, i ? "; " : "");
        op_scan_print_pred(node->table, &spec.preds[i], b);
    }
    buf_puts(b, spec.preds_count ? "" : "none");
    rc = scan_explain(ctx->snap, &spec, &stats, err);
    if (rc == 0)
        op_scan_print_stats(&stats, b);
out:
    arena_done(&arena);
    return rc;
}

const struct op_ops op_scan_ops = {.name = "Scan",
                                   .open = op_scan_open,
                                   .next = op_scan_next,
                                   .close = op_scan_close,
                                   .explain = op_scan_explain,
                                   .state_size = sizeof(struct op_scan)};
