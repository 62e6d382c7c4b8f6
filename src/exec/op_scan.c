/* SPDX-License-Identifier: Apache-2.0
 *
 * op_scan.c: a table, through source.h: batches of all columns, or only rows that pass a condition
 * handed down by the filter above. */
#include "exec/exec_int.h"
#include "exec/quota.h"
#include "exec/source.h"
#include "exec/team.h"

#include <inttypes.h>

#define SCAN_INTERVALS_MAX 4u      /* intervals of a column that EXPLAIN prints */
#define SCAN_ORDER_ROWS    131072u /* a scan of more gives up order that is not needed */

struct op_scan {
    struct exec_source own;
    struct exec_source *source; /* own, or that of the twin */
    uint32_t morsel_rows;       /* taken from the scan at a time; 0: it has one reader */
    struct exec_reader *reader; /* owned; once there is a condition to evaluate, or a bound, or the
                                   scan goes backward */
    struct arena turned;        /* backward: rows of a batch in that order */
};

/* Few rows come in their order all the same: so do groups that are made of them. */
static int op_scan_give_up_order(struct op *op, struct dn_err *err)
{
    struct op_scan *st = op->state;
    struct scan_stats stats;

    if (!op->node->any_order || !exec_fast(op->ctx))
        return 0;
    scan_get_stats(st->source->scan, &stats);
    return stats.rows_expected < exec_team_rows(op->ctx, SCAN_ORDER_ROWS)
               ? 0
               : scan_any_order(st->source->scan, err);
}

static int op_scan_open(struct op *op, struct dn_err *err)
{
    struct op_scan *st = op->state;
    int rc;

    arena_init(&st->turned, &op->mem);
    if (op->twin) {
        const struct op_scan *twin = op->twin->state;

        st->source = twin->source;
        st->morsel_rows = twin->morsel_rows;
        return 0;
    }
    st->source = &st->own;
    rc = exec_source_open(st->source, op->node, op->ctx, &op->mem, err);
    st->source->backward = op->node->backward;
    if (rc == 0 && op->node->backward)
        scan_reverse(st->source->scan);
    return rc < 0 ? rc : op_scan_give_up_order(op, err);
}

struct exec_source *exec_source_of(const struct op *op)
{
    if (op->ops == &op_filter_ops)
        return op_filter_pushed(op) ? exec_source_of(op->input) : NULL;
    if (op->ops != &op_scan_ops || !exec_fast(op->ctx))
        return NULL;
    return ((struct op_scan *)op->state)->source;
}

void op_scan_share(struct op *op, uint32_t morsel_rows)
{
    ((struct op_scan *)op->state)->morsel_rows = morsel_rows;
}

void op_scan_limit(struct op *input, uint64_t rows)
{
    struct op *op = input;
    struct exec_source *source;

    while (op->ops == &op_project_ops || (op->ops == &op_filter_ops && op_filter_pushed(op)))
        op = op->input;
    source = op->ops == &op_scan_ops ? exec_source_of(op) : NULL;
    if (!source || op->twin)
        return;
    source->limited = true;
    source->wanted = rows;
}

/* Of the selected rows those that a LIMIT above still wants. */
static void op_scan_want(struct op_scan *st, struct batch *b)
{
    struct exec_source *source = st->source;
    uint32_t first = 0;

    if (!source->limited)
        return;
    if (source->wanted < b->sel_count) {
        uint32_t count = (uint32_t)source->wanted;

        if (source->backward && !st->reader->unit.backward)
            first = b->sel_count - count;
        for (uint32_t i = 0; i < count; i++)
            st->reader->sel[i] = b->sel ? b->sel[first + i] : (uint16_t)(first + i);
        b->sel = st->reader->sel;
        b->sel_count = count;
    }
    source->wanted -= b->sel_count;
}

/* Rows that pass the conditions handed down by a filter and may be among the first of a sort. */
static int op_scan_filtered(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_scan *st = op->state;
    bool full;
    int rc;

    if (!st->reader) {
        const struct scan_reader_options options = {.blocks = st->source->bound.wanted ||
                                                              st->source->quota,
                                                    .morsel_rows = st->morsel_rows,
                                                    .owner = &op->mem};

        st->reader = mem_calloc(&op->mem, 1, sizeof *st->reader);
        if (!st->reader)
            return DN_FAIL_NOMEM(err);
        rc = exec_reader_open(st->reader, st->source, &options, err);
        if (rc < 0)
            return rc;
    }
    if (st->source->limited && st->source->wanted == 0)
        return DN_EOF;
    do {
        ret->sel_count = 0;
        rc = exec_reader_next(st->reader, err);
        if (rc != 0)
            return rc;
        if (exec_reader_late(st->reader))
            continue;
        if (st->source->quota) {
            rc = exec_quota_full(st->reader, &full, err);
            if (rc < 0)
                return rc;
            if (full)
                continue;
        }
        if (st->reader->unit.kind == SCAN_BLOCK) {
            scan_unit_split(st->reader->r);
            continue;
        }
        rc = exec_reader_select(st->reader, ret, err);
        if (rc == 0)
            rc = exec_reader_bound(st->reader, ret, err);
        if (rc == 0 && st->source->quota)
            rc = exec_quota_select(st->reader, ret, err);
        if (rc != 0)
            return rc;
    } while (ret->sel_count == 0);
    op_scan_want(st, ret);
    if (st->source->limited || st->source->quota) { /* filters keep dictionaries for those above */
        rc = exec_reader_pick(st->reader, ret, err);
        if (rc < 0)
            return rc;
    }
    return exec_reader_fetch(st->reader, st->source->all_cols, op->node->cols_count, ret, err);
}

/* The rows of a unit from the last to the first. */
static int op_scan_turn(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_scan *st = op->state;
    uint32_t count = ret->sel_count;
    uint16_t rows[VEC_ROWS_MAX];
    struct vec *cols;

    arena_reset(&st->turned);
    cols = arena_alloc_array(&st->turned, (size_t)ret->cols_count + 1, sizeof *cols);
    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = ret->sel ? ret->sel[count - 1 - i] : (uint16_t)(count - 1 - i);
    for (uint32_t c = 0; c < ret->cols_count; c++) {
        cols[c] = ret->cols[c];
        if (cols[c].form == VEC_CONST)
            cols[c].count = count;
        else if (!vec_flatten(&st->turned, &ret->cols[c], rows, count, &cols[c]))
            return DN_FAIL_NOMEM(err);
    }
    *ret = (struct batch){
        .count = count, .cols_count = ret->cols_count, .cols = cols, .sel_count = count};
    return 0;
}

static int op_scan_next(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct op_scan *st = op->state;
    int rc;

    if (st->source->backward) {
        rc = op_scan_filtered(op, ret, err);
        return rc == 0 && !st->reader->unit.backward ? op_scan_turn(op, ret, err) : rc;
    }
    if (st->source->conds_count || st->source->keys_count || st->source->bound.wanted ||
        st->source->quota || st->morsel_rows || st->source->limited)
        return op_scan_filtered(op, ret, err);
    rc = scan_next(st->source->scan, ret, err);
    if (rc == 0)
        exec_count_rows(op->ctx, ret->sel_count, st->source->work);
    return rc;
}

static void op_scan_close(struct op *op)
{
    struct op_scan *st = op->state;

    if (st->reader)
        exec_reader_close(st->reader);
    mem_free(st->reader);
    if (op->figures && st->own.scan) {
        scan_get_stats(st->own.scan, &op->figures->scan);
        op->figures->scanned = true;
    }
    arena_done(&st->turned);
    exec_source_close(&st->own);
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
    buf_puts(b, node->backward ? "Scan backward " : "Scan ");
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

static void op_scan_print_stats(const struct table *t, const struct scan_stats *s, struct buf *b)
{
    buf_printf(b, "\nslabs: %" PRIu64 " of %" PRIu64, s->slabs_read, s->slabs_total);
    if (!t->by_value) /* else nobody has counted them */
        buf_printf(
            b, ", partitions: %" PRIu64 " of %" PRIu64, s->partitions_read, s->partitions_total);
    buf_printf(b,
               ", blocks: %" PRIu64 " of %" PRIu64 ", segments: %" PRIu64 " of %" PRIu64
               ", memtable rows: %" PRIu64,
               s->blocks_read,
               s->blocks_total,
               s->segments_read,
               s->segments_total,
               s->memtable_rows);
}

static void op_scan_print_horizon(const struct table *t, const struct scan_stats *s, struct buf *b)
{
    struct datum d = {.type = t->time_col < 0 ? TYPE_NONE : t->columns[t->time_col].type,
                      .v.i64 = t->horizon};

    if (t->horizon == RETENTION_NO_HORIZON)
        return;
    buf_puts(b, "\nhorizon: ");
    table_print_literal(&d, b);
    buf_printf(b, ", slabs before it: %" PRIu64 " left out", s->slabs_gone);
}

static int op_scan_explain(const struct plan_node *node,
                           struct exec_ctx *ctx,
                           struct buf *b,
                           struct dn_err *err)
{
    struct exec_source source;
    struct scan_stats stats;
    int rc;

    op_scan_print_head(node, b);
    rc = exec_source_open(&source, node, ctx, ctx->owner, err);
    if (rc == DN_E_UNBOUND) {
        buf_puts(b, "\nconstraints: known when the parameters are");
        dn_err_clear(err);
        rc = 0;
        goto out;
    }
    if (rc < 0)
        goto out;
    buf_puts(b, "\nconstraints: ");
    for (uint32_t i = 0; i < source.preds.count; i++) {
        buf_puts(b, i ? "; " : "");
        op_scan_print_pred(node->table, &source.preds.preds[i], b);
    }
    buf_puts(b, source.preds.count ? "" : "none");
    scan_get_stats(source.scan, &stats);
    op_scan_print_stats(node->table, &stats, b);
    op_scan_print_horizon(node->table, &stats, b);
out:
    exec_source_close(&source);
    return rc;
}

const struct op_ops op_scan_ops = {.name = "Scan",
                                   .open = op_scan_open,
                                   .next = op_scan_next,
                                   .close = op_scan_close,
                                   .explain = op_scan_explain,
                                   .state_size = sizeof(struct op_scan),
                                   .thins = true};
