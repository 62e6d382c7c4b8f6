/* SPDX-License-Identifier: Apache-2.0
 *
 * explain.c: plans as text and as JSON; EXPLAIN ANALYZE puts what each operator did before it:
 *
 *       rows  batches   time ms    own ms    memory   spilled
 *          2        1     0.120     0.104     36 kB         -  Aggregate count(*) by state
 *          -        -         -         -      2 kB         -  -> Scan public.geo
 *                                                                   columns: state */
#include "exec/exec_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXPLAIN_KIB       1024u
#define EXPLAIN_NS_PER_MS 1e6
#define EXPLAIN_SURPRISE  10.0 /* times more or fewer rows than were expected */
#define EXPLAIN_GUTTER    64   /* characters of figures before the tree */

/* ---- names ---- */

/* "avg(temperature)" of an aggregate; else what the column is called. NULL: out of memory. */
static const char *explain_name(const struct plan_node *node, uint32_t col, struct arena *arena)
{
    const char *name = NULL;
    struct dn_err err;
    struct buf b;

    if (node->kind != PLAN_AGGREGATE || col < node->exprs_count)
        return node->cols[col].name;
    buf_init(&b, arena->owner);
    if (exec_explain_agg(node, &node->aggs[col - node->exprs_count], &b, &err) == 0 && !b.failed)
        name = arena_strndup(arena, (const char *)b.data, b.len);
    buf_done(&b);
    return name;
}

const char **exec_names(const struct plan_node *node, struct arena *arena)
{
    const char **names = arena_alloc_array(arena, node->cols_count, sizeof *names);

    for (uint32_t i = 0; names && i < node->cols_count; i++) {
        names[i] = explain_name(node, i, arena);
        if (!names[i])
            return NULL;
    }
    return names;
}

const char **exec_names_both(const struct plan_node *node, struct arena *arena)
{
    uint32_t left = node->input->cols_count;
    uint32_t right = node->right->cols_count;
    const char **names = arena_alloc_array(arena, (size_t)left + right, sizeof *names);

    for (uint32_t i = 0; names && i < left + right; i++) {
        names[i] = i < left ? explain_name(node->input, i, arena)
                            : explain_name(node->right, i - left, arena);
        if (!names[i])
            return NULL;
    }
    return names;
}

enum type_id *exec_types(const struct plan_node *node, struct arena *arena)
{
    enum type_id *types = arena_alloc_array(arena, node->cols_count, sizeof *types);

    for (uint32_t i = 0; types && i < node->cols_count; i++)
        types[i] = node->cols[i].type;
    return types;
}

void exec_explain_cols(const struct plan_node *node, struct buf *b)
{
    buf_puts(b, "(");
    for (uint32_t i = 0; i < node->cols_count; i++)
        buf_printf(b, "%s%s", i ? ", " : "", node->cols[i].name);
    buf_puts(b, ")");
}

int exec_explain_exprs(const struct plan_node *node,
                       struct bexpr *const *exprs,
                       uint32_t count,
                       struct buf *b,
                       struct dn_err *err)
{
    struct arena arena;
    const char **names;

    arena_init(&arena, b->owner);
    names = exec_names(node->input, &arena);
    for (uint32_t i = 0; names && i < count; i++) {
        buf_puts(b, i ? ", " : "");
        expr_print(exprs[i], names, b);
    }
    arena_done(&arena);
    return names ? 0 : DN_FAIL_NOMEM(err);
}

int exec_explain_agg(const struct plan_node *node,
                     const struct plan_agg *pa,
                     struct buf *b,
                     struct dn_err *err)
{
    int rc = 0;

    if (pa->agg->within != AGG_WITHIN_NONE) {
        buf_printf(b, "%s(", pa->agg->name);
        if (pa->arg2)
            rc = exec_explain_exprs(node, &pa->arg2, 1, b, err);
        buf_puts(b, ") WITHIN GROUP (ORDER BY ");
        if (rc == 0)
            rc = exec_explain_exprs(node, &pa->arg, 1, b, err);
        buf_puts(b, pa->agg->within == AGG_WITHIN_DESC ? " DESC)" : ")");
        return rc;
    }
    buf_printf(b, "%s(%s", pa->agg->name, pa->distinct ? "DISTINCT " : "");
    if (pa->arg) {
        rc = exec_explain_exprs(node, &pa->arg, 1, b, err);
        if (rc == 0 && pa->arg2) {
            buf_puts(b, ", ");
            rc = exec_explain_exprs(node, &pa->arg2, 1, b, err);
        }
        if (rc < 0)
            return rc;
    }
    buf_puts(b, pa->arg ? "" : "*");
    for (uint32_t k = 0; k < pa->order_count && rc == 0; k++) {
        const struct plan_agg_order *o = &pa->order[k];

        buf_puts(b, k ? ", " : " ORDER BY ");
        rc = exec_explain_exprs(node, &o->e, 1, b, err);
        buf_puts(b, o->desc ? " DESC" : "");
        if (o->nulls_first != o->desc)
            buf_puts(b, o->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
    buf_puts(b, ")");
    return rc;
}

/* ---- figures ---- */

struct exec_figures *exec_analysis_of(struct exec_analysis *a, const struct plan_node *node)
{
    struct exec_figures *f = a->figures;

    while (f && f->node != node)
        f = f->next;
    if (f)
        return f;
    f = arena_calloc(a->arena, 1, sizeof *f);
    if (!f)
        return NULL;
    f->node = node;
    f->next = a->figures;
    a->figures = f;
    return f;
}

void exec_figures_close(struct op *op)
{
    struct exec_figures *f = op->figures;
    size_t peak;

    if (!f)
        return;
    peak = atomic_load_explicit(&op->mem.peak, memory_order_relaxed);
    if (peak > f->memory)
        f->memory = peak;
    f->spilled += op->spilled;
}

/* Time of the node without what is below it. */
static uint64_t explain_own(const struct exec_analysis *a, const struct exec_figures *f)
{
    uint64_t below = 0;

    for (const struct exec_figures *c = a->figures; c; c = c->next)
        if (c->node == f->node->input || c->node == f->node->right)
            below += c->time_ns;
    return f->time_ns > below ? f->time_ns - below : 0;
}

/* Time of a statement without that of its plan. */
static uint64_t
explain_top_own(const struct exec_analysis *a, const struct plan *plan, const struct exec_top *top)
{
    uint64_t below = 0;

    for (const struct exec_figures *c = a->figures; plan && c; c = c->next)
        if (c->node == plan->root)
            below += c->time_ns;
    return top->time_ns > below ? top->time_ns - below : 0;
}

static void explain_size(uint64_t bytes, struct buf *b)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    char text[32];
    uint32_t u = 0;
    uint64_t whole = bytes;

    for (; whole >= 10 * EXPLAIN_KIB && u + 1 < DN_ARRAY_SIZE(units); u++)
        whole /= EXPLAIN_KIB;
    (void)snprintf(text, sizeof text, "%" PRIu64 " %s", whole, units[u]);
    buf_printf(b, " %9s", bytes ? text : "-");
}

static void explain_figures(const struct exec_analysis *a, const struct plan_node *n, struct buf *b)
{
    const struct exec_figures *f = a->figures;

    while (f && f->node != n)
        f = f->next;
    if (f && f->pulled)
        buf_printf(b,
                   "%11" PRIu64 " %9" PRIu64 " %10.3f %9.3f",
                   f->rows,
                   f->batches,
                   (double)f->time_ns / EXPLAIN_NS_PER_MS,
                   (double)explain_own(a, f) / EXPLAIN_NS_PER_MS);
    else
        buf_printf(b, "%11s %9s %10s %9s", "-", "-", "-", "-");
    explain_size(f ? f->memory : 0, b);
    explain_size(f ? f->spilled : 0, b);
    buf_puts(b, "  ");
}

/* What the scan did, after its other lines. */
static void explain_scan(const struct exec_figures *f, struct buf *lines)
{
    const struct scan_stats *s = &f->scan;

    buf_printf(lines,
               "\nrows read: %" PRIu64 ", merged: %" PRIu64 ", bytes read: %" PRIu64,
               s->rows,
               s->rows_merged,
               s->bytes_read);
    buf_printf(lines,
               "\nleft out by zone maps: %" PRIu64 " blocks, %" PRIu64
               " vectors; answered by them: %" PRIu64 " blocks, %" PRIu64 " vectors",
               s->blocks_pruned,
               s->vectors_pruned,
               s->blocks_zone,
               s->vectors_zone);
    buf_printf(lines,
               "\ndecoded: %" PRIu64 " vectors, %" PRIu64 " columns of them",
               s->vectors_decoded,
               s->columns_decoded);
    if (s->columns_packed)
        buf_printf(lines, "; added up as stored: %" PRIu64 " columns", s->columns_packed);
}

/* Where far more or fewer rows came than the planner expected, that is said. */
static void
explain_surprise(const struct plan_node *n, const struct exec_figures *f, struct buf *lines)
{
    double expected = n->rows_estimate;
    double rows;

    if (expected <= 0 || !f->pulled || f->loops == 0)
        return;
    rows = (double)f->rows / (double)f->loops;
    expected = expected < 1 ? 1 : expected;
    rows = rows < 1 ? 1 : rows;
    if (rows >= expected * EXPLAIN_SURPRISE || expected >= rows * EXPLAIN_SURPRISE)
        buf_printf(lines, "\nrows expected: %.0f", expected);
}

/* The lines of a node, with those of its scan. */
static int explain_lines(const struct plan_node *n,
                         struct exec_ctx *ctx,
                         struct buf *lines,
                         struct dn_err *err)
{
    struct exec_analysis *analysis = ctx->analysis;
    int rc;

    ctx->analysis = NULL; /* what EXPLAIN opens by itself is no run */
    rc = exec_ops_of(n->kind)->explain(n, ctx, lines, err);
    ctx->analysis = analysis;
    for (const struct exec_figures *f = analysis ? analysis->figures : NULL; f; f = f->next)
        if (f->node == n && lines->len) {
            explain_surprise(n, f, lines);
            if (f->scanned)
                explain_scan(f, lines);
        }
    if (rc == 0 && lines->failed)
        rc = DN_FAIL_NOMEM(err);
    return rc;
}

/* ---- text ---- */

/* Lines of an operator: the first behind an arrow and its figures, if any; the others a little
 * deeper. */
static void
explain_indent(const char *p, size_t len, const struct buf *figures, uint32_t depth, struct buf *b)
{
    const char *end = p + len;
    bool first = true;

    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));

        if (!stop)
            stop = end;
        if (figures->len && first)
            buf_append(b, figures->data, figures->len);
        else if (figures->len)
            buf_printf(b, "%*s", EXPLAIN_GUTTER, "");
        if (first && depth)
            buf_printf(b, "%*s-> ", (int)(depth - 1) * 3, "");
        else
            buf_printf(b, "%*s", (int)(depth * 3 + (first ? 0 : 2)), "");
        buf_append(b, p, (size_t)(stop - p));
        buf_u8(b, '\n');
        first = false;
        p = stop + 1;
    }
}

static int explain_node(const struct plan_node *n,
                        uint32_t depth,
                        struct exec_ctx *ctx,
                        struct buf *b,
                        struct dn_err *err);

static bool explain_is_union(const struct plan_node *n)
{
    return n->kind == PLAN_SETOP && n->setop == PLAN_SETOP_UNION_ALL;
}

/* What is below a node. All inputs of a chain of UNION ALLs, such as the shards of a time
 * partition, stand side by side below the first of them. */
static int explain_inputs(const struct plan_node *n,
                          uint32_t depth,
                          struct exec_ctx *ctx,
                          struct buf *b,
                          struct dn_err *err)
{
    const struct plan_node *inputs[] = {n->input, n->right};
    int rc = 0;

    for (uint32_t i = 0; i < DN_ARRAY_SIZE(inputs) && rc == 0; i++) {
        if (!inputs[i])
            continue;
        rc = explain_is_union(n) && explain_is_union(inputs[i])
                 ? explain_inputs(inputs[i], depth, ctx, b, err)
                 : explain_node(inputs[i], depth, ctx, b, err);
    }
    return rc;
}

/* A node and what is below it; a node without lines is not there for the reader. */
static int explain_node(const struct plan_node *n,
                        uint32_t depth,
                        struct exec_ctx *ctx,
                        struct buf *b,
                        struct dn_err *err)
{
    struct buf figures;
    struct buf lines;
    int rc;

    buf_init(&figures, ctx->owner);
    buf_init(&lines, ctx->owner);
    rc = explain_lines(n, ctx, &lines, err);
    if (ctx->analysis)
        explain_figures(ctx->analysis, n, &figures);
    if (rc == 0 && lines.len)
        explain_indent((const char *)lines.data, lines.len, &figures, depth++, b);
    b->failed = b->failed || figures.failed;
    buf_done(&lines);
    buf_done(&figures);
    return rc < 0 ? rc : explain_inputs(n, depth, ctx, b, err);
}

static void explain_top(const struct plan *plan,
                        const struct exec_top *top,
                        const struct exec_ctx *ctx,
                        struct buf *b)
{
    struct buf figures;

    buf_init(&figures, ctx->owner);
    if (ctx->analysis)
        buf_printf(&figures,
                   "%11" PRIu64 " %9s %10.3f %9.3f %9s %9s  ",
                   top->rows,
                   "-",
                   (double)top->time_ns / EXPLAIN_NS_PER_MS,
                   (double)explain_top_own(ctx->analysis, plan, top) / EXPLAIN_NS_PER_MS,
                   "-",
                   "-");
    explain_indent(top->lines, strlen(top->lines), &figures, 0, b);
    b->failed = b->failed || figures.failed;
    buf_done(&figures);
}

/* What stands below the tree. */
static int
explain_rest(const struct plan *plan, struct exec_ctx *ctx, struct buf *b, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < plan->ctes_count && rc == 0; i++) {
        buf_printf(b, "CTE %s\n", plan->ctes[i].name);
        rc = explain_node(plan->ctes[i].root, 1, ctx, b, err);
    }
    for (uint32_t i = 0; i < plan->inits_count && rc == 0; i++) {
        buf_printf(b, "Subquery for $%u\n", plan->inits[i].param);
        rc = explain_node(plan->inits[i].root, 1, ctx, b, err);
    }
    if (rc == 0 && plan->notice[0])
        buf_printf(b, "Warning: %s\n", plan->notice);
    return rc;
}

int exec_explain(const struct plan *plan,
                 const struct exec_top *top,
                 struct exec_ctx *ctx,
                 struct buf *b,
                 struct dn_err *err)
{
    int rc = 0;

    if (ctx->analysis)
        buf_printf(b,
                   "%11s %9s %10s %9s %9s %9s\n",
                   "rows",
                   "batches",
                   "time ms",
                   "own ms",
                   "memory",
                   "spilled");
    if (top)
        explain_top(plan, top, ctx, b);
    if (plan)
        rc = explain_node(plan->root, top ? 1 : 0, ctx, b, err);
    if (plan && rc == 0)
        rc = explain_rest(plan, ctx, b, err);
    return rc < 0 ? rc : b->failed ? DN_FAIL_NOMEM(err) : 0;
}

/* ---- JSON ---- */

static void explain_json_lines(const char *p, size_t len, struct dn_json_writer *w)
{
    const char *end = p + len;
    bool first = true;

    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));

        if (!stop)
            stop = end;
        dn_json_put_text(w, first ? "Operator" : NULL, p, (size_t)(stop - p));
        if (first)
            dn_json_begin(w, "Details", '[');
        first = false;
        p = stop + 1;
    }
    dn_json_end(w, ']');
}

static void explain_json_figures(const struct exec_analysis *a,
                                 const struct plan_node *n,
                                 struct dn_json_writer *w)
{
    const struct exec_figures *f = a->figures;

    while (f && f->node != n)
        f = f->next;
    if (!f)
        return;
    dn_json_put_int(w, "Loops", (int64_t)f->loops);
    if (f->pulled) {
        dn_json_put_int(w, "Rows", (int64_t)f->rows);
        dn_json_put_int(w, "Batches", (int64_t)f->batches);
        dn_json_put_int(w, "Time ns", (int64_t)f->time_ns);
        dn_json_put_int(w, "Own time ns", (int64_t)explain_own(a, f));
    }
    dn_json_put_int(w, "Memory bytes", (int64_t)f->memory);
    dn_json_put_int(w, "Spilled bytes", (int64_t)f->spilled);
    if (!f->scanned)
        return;
    dn_json_put_int(w, "Rows read", (int64_t)f->scan.rows);
    dn_json_put_int(w, "Rows merged", (int64_t)f->scan.rows_merged);
    dn_json_put_int(w, "Blocks left out", (int64_t)f->scan.blocks_pruned);
    dn_json_put_int(w, "Vectors left out", (int64_t)f->scan.vectors_pruned);
    dn_json_put_int(w, "Blocks answered", (int64_t)f->scan.blocks_zone);
    dn_json_put_int(w, "Vectors answered", (int64_t)f->scan.vectors_zone);
    dn_json_put_int(w, "Vectors decoded", (int64_t)f->scan.vectors_decoded);
    dn_json_put_int(w, "Columns decoded", (int64_t)f->scan.columns_decoded);
    dn_json_put_int(w, "Columns added up as stored", (int64_t)f->scan.columns_packed);
    dn_json_put_int(w, "Bytes read", (int64_t)f->scan.bytes_read);
}

static int explain_json_node(const struct plan_node *n,
                             const char *name,
                             struct exec_ctx *ctx,
                             struct dn_json_writer *w,
                             struct dn_err *err)
{
    static const char deeper[] = "… (too deep to show)";
    struct buf lines;
    int rc;

    if (w->depth + 3 > DN_JSON_DEPTH_MAX) {
        dn_json_put_text(w, name, deeper, sizeof deeper - 1);
        return 0;
    }
    buf_init(&lines, ctx->owner);
    rc = explain_lines(n, ctx, &lines, err);
    if (rc == 0 && lines.len == 0 && n->input) { /* not there for the reader */
        buf_done(&lines);
        return explain_json_node(n->input, name, ctx, w, err);
    }
    dn_json_begin(w, name, '{');
    if (rc == 0)
        explain_json_lines((const char *)lines.data, lines.len, w);
    if (n->rows_estimate > 0)
        dn_json_put_int(w, "Rows expected", (int64_t)n->rows_estimate);
    if (ctx->analysis)
        explain_json_figures(ctx->analysis, n, w);
    buf_done(&lines);
    if (rc == 0 && n->input)
        rc = explain_json_node(n->input, "Input", ctx, w, err);
    if (rc == 0 && n->right)
        rc = explain_json_node(n->right, "Right", ctx, w, err);
    dn_json_end(w, '}');
    return rc;
}

/* The object of the statement, left open for its plan. */
static void explain_json_top(const struct plan *plan,
                             const struct exec_top *top,
                             const struct exec_ctx *ctx,
                             struct dn_json_writer *w)
{
    dn_json_begin(w, "Plan", '{');
    explain_json_lines(top->lines, strlen(top->lines), w);
    if (!ctx->analysis)
        return;
    dn_json_put_int(w, "Rows", (int64_t)top->rows);
    dn_json_put_int(w, "Time ns", (int64_t)top->time_ns);
    dn_json_put_int(w, "Own time ns", (int64_t)explain_top_own(ctx->analysis, plan, top));
}

int exec_explain_json(const struct plan *plan,
                      const struct exec_top *top,
                      struct exec_ctx *ctx,
                      struct dn_json_writer *w,
                      struct dn_err *err)
{
    int rc = 0;

    if (top)
        explain_json_top(plan, top, ctx, w);
    if (plan)
        rc = explain_json_node(plan->root, top ? "Input" : "Plan", ctx, w, err);
    if (rc < 0)
        return rc;
    if (top)
        dn_json_end(w, '}');
    if (!plan)
        return w->b->failed ? DN_FAIL_NOMEM(err) : 0;
    if (plan->ctes_count) {
        dn_json_begin(w, "CTEs", '[');
        for (uint32_t i = 0; i < plan->ctes_count && rc == 0; i++)
            rc = explain_json_node(plan->ctes[i].root, NULL, ctx, w, err);
        dn_json_end(w, ']');
    }
    if (plan->inits_count) {
        dn_json_begin(w, "Subqueries", '[');
        for (uint32_t i = 0; i < plan->inits_count && rc == 0; i++)
            rc = explain_json_node(plan->inits[i].root, NULL, ctx, w, err);
        dn_json_end(w, ']');
    }
    if (plan->notice[0])
        dn_json_put_text(w, "Warning", plan->notice, strlen(plan->notice));
    return rc < 0 ? rc : w->b->failed ? DN_FAIL_NOMEM(err) : 0;
}
