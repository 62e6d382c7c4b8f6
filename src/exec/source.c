/* SPDX-License-Identifier: Apache-2.0
 *
 * source.c: opening a scan with what is known at run time, conditions that its constraints imply,
 * and readers that evaluate what is left of them. */
#include "exec/source.h"

#include "exec/progress.h"

#include "exec/exec_int.h"
#include "exec/quota.h"
#include "exec/slice.h"

#include <string.h>

#define READER_TOGETHER 4u /* conditions that are tested in one go */

/* ---- life ---- */

static void
source_add_pred(struct exec_source *s, struct scan_pred *preds, const struct exec_prune *p)
{
    if (p->scan != s->node || p->table)
        return;
    for (uint32_t i = 0; i < s->preds.count; i++) {
        if (preds[i].col != p->pred.col)
            continue;
        if (p->instead)
            preds[i] = p->pred;
        return;
    }
    preds[s->preds.count++] = p->pred;
}

/* What joins have found out, for columns that the statement itself says nothing about. */
static int source_prune(struct exec_source *s, struct dn_err *err)
{
    struct scan_pred *preds;
    uint32_t more = 0;

    for (const struct exec_prune *p = s->ctx->prunes; p; p = p->next)
        more += p->scan == s->node;
    if (more == 0 || !exec_fast(s->ctx))
        return 0;
    s->keys = arena_calloc(&s->run, more, sizeof(struct exec_prune *));
    preds = arena_calloc(&s->run, (size_t)s->preds.count + more, sizeof *preds);
    if (!preds || !s->keys)
        return DN_FAIL_NOMEM(err);
    for (const struct exec_prune *p = s->ctx->prunes; p; p = p->next)
        if (p->scan == s->node && p->table)
            s->keys[s->keys_count++] = p;
    if (s->preds.count)
        memcpy(preds, s->preds.preds, s->preds.count * sizeof *preds);
    s->preds.preds = preds;
    for (const struct exec_prune *p = s->ctx->prunes; p; p = p->next)
        source_add_pred(s, preds, p);
    return 0;
}

int exec_source_open(struct exec_source *s,
                     const struct plan_node *node,
                     struct exec_ctx *ctx,
                     struct mem_owner *owner,
                     struct dn_err *err)
{
    struct scan_spec spec = {.table = node->table,
                             .cols = node->scan_cols,
                             .cols_count = node->cols_count,
                             .plain = !exec_fast(ctx),
                             .owner = owner};
    int rc;

    *s = (struct exec_source){.node = node, .ctx = ctx, .owner = owner};
    arena_init(&s->run, owner);
    s->preds = (struct plan_preds){.preds = node->preds, .count = node->preds_count};
    if (node->prune) {
        rc = plan_scan_preds(
            &ctx->env, node, ctx->params, ctx->params_count, &s->run, &s->preds, err);
        if (rc < 0)
            return rc;
    }
    rc = source_prune(s, err);
    if (rc < 0)
        return rc;
    s->all_cols = arena_alloc_array(&s->run, node->cols_count, sizeof *s->all_cols);
    if (!s->all_cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < node->cols_count; i++)
        s->all_cols[i] = i;
    spec.preds = s->preds.preds;
    spec.preds_count = s->preds.count;
    spec.cancel = ctx->cancel;
    rc = scan_open(ctx->snap, &spec, &s->scan, err);
    if (rc == 0 && ctx->progress) {
        struct scan_stats stats;

        scan_get_stats(s->scan, &stats);
        s->work = exec_progress_scan(ctx->progress, node, stats.rows_expected);
    }
    return rc;
}

void exec_source_close(struct exec_source *s)
{
    exec_bound_done(&s->bound);
    exec_quota_done(s->quota);
    scan_close(s->scan);
    arena_done(&s->run);
    memset(s, 0, sizeof *s);
}

/* ---- conditions ---- */

bool exec_expr_volatile(const struct bexpr *e)
{
    if (e->kind == BEXPR_CALL && (e->func->flags & FUNC_VOLATILE))
        return true;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (exec_expr_volatile(e->args[i]))
            return true;
    return false;
}

static void source_mark_cols(const struct bexpr *e, uint8_t *marks)
{
    if (e->kind == BEXPR_COLUMN)
        marks[e->col] = 1;
    for (uint32_t i = 0; i < e->args_count; i++)
        source_mark_cols(e->args[i], marks);
}

int exec_expr_cols(const struct bexpr *const *exprs,
                   uint32_t count,
                   uint32_t cols_max,
                   struct arena *arena,
                   const uint32_t **ret_cols,
                   uint32_t *ret_count,
                   struct dn_err *err)
{
    uint8_t *marks = arena_calloc(arena, cols_max, 1);
    uint32_t *cols = arena_alloc_array(arena, cols_max, sizeof *cols);
    uint32_t n = 0;

    if (!marks || !cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        if (exprs[i])
            source_mark_cols(exprs[i], marks);
    for (uint32_t c = 0; c < cols_max; c++)
        if (marks[c])
            cols[n++] = c;
    *ret_cols = cols;
    *ret_count = n;
    return 0;
}

/* May the last two conditions be tested together? */
static bool source_joins(const struct exec_source *s)
{
    const struct exec_cond *c = &s->conds[s->conds_count - 1];
    const struct exec_cond *before = c - 1;

    return s->conds_count > 1 && c->cols_count == 1 && before->cols_count == 1 &&
           c->cols[0] == before->cols[0] && type_is_fixed(s->node->cols[c->cols[0]].type) &&
           expr_is_plain(c->e) && expr_is_plain(before->e);
}

static int source_add_cond(struct exec_source *s, const struct bexpr *e, struct dn_err *err)
{
    struct exec_cond *c = &s->conds[s->conds_count];
    const struct plan_cond cond = {
        .e = e, .params = s->ctx->params, .params_count = s->ctx->params_count};
    int rc;

    *c = (struct exec_cond){.e = e, .pred = PLAN_NO_COL};
    rc = exec_expr_cols(&e, 1, s->node->cols_count, &s->run, &c->cols, &c->cols_count, err);
    if (rc == 0)
        rc = plan_cond_pred(&s->ctx->env, s->node, &s->preds, &cond, &s->run, &c->pred, err);
    if (rc == 0 && exec_fast(s->ctx)) {
        bool lazy = s->ctx->env.lazy;

        rc = narrow_compile(e,
                            lazy ? NULL : s->ctx->params,
                            lazy ? 0 : s->ctx->params_count,
                            &s->run,
                            &c->narrow,
                            err);
    }
    if (rc < 0)
        return rc;
    s->conds_count++;
    c->joins = source_joins(s);
    return 0;
}

int exec_source_push(struct exec_source *s, const struct bexpr *cond, struct dn_err *err)
{
    uint32_t more = cond->kind == BEXPR_AND ? cond->args_count : 1;
    struct exec_cond *conds = arena_calloc(&s->run, (size_t)s->conds_count + more, sizeof *conds);
    int rc = 0;

    if (!conds)
        return DN_FAIL_NOMEM(err);
    if (s->conds_count)
        memcpy(conds, s->conds, s->conds_count * sizeof *conds);
    s->conds = conds;
    for (uint32_t i = 0; i < more && rc == 0; i++)
        rc = source_add_cond(s, cond->kind == BEXPR_AND ? cond->args[i] : cond, err);
    return rc;
}

/* ---- readers ---- */

int exec_reader_open(struct exec_reader *r,
                     const struct exec_source *s,
                     const struct scan_reader_options *options,
                     struct dn_err *err)
{
    r->source = s;
    exec_pace_init(&r->pace, &r->batch, options->owner);
    for (uint32_t i = 0; i < s->conds_count; i++)
        exec_pace_add(&r->pace, s->conds[i].e, s->ctx->slice_bytes);
    arena_init(&r->run, options->owner);
    r->ev = (struct eval){.arena = &r->batch,
                          .params = s->ctx->params,
                          .params_count = s->ctx->params_count,
                          .now_ns = s->ctx->env.now_ns,
                          .session = s->ctx->env.session,
                          .lazy = s->ctx->env.lazy,
                          .run = &r->run,
                          .every_row = !exec_fast(s->ctx)};
    return scan_reader_new(s->scan, options, &r->r, err);
}

void exec_reader_close(struct exec_reader *r)
{
    scan_reader_free(r->r);
    r->r = NULL;
    arena_done(&r->batch);
    arena_done(&r->run);
}

static bool reader_implied(const struct exec_reader *r, const struct exec_cond *c)
{
    return c->pred != PLAN_NO_COL && r->unit.holds[c->pred];
}

int exec_reader_next(struct exec_reader *r, struct dn_err *err)
{
    int rc = exec_check_cancel(r->source->ctx, err);
    bool some = true;

    do {
        if (rc < 0)
            return rc;
        arena_reset(&r->batch);
        rc = scan_unit_next(r->r, &r->unit, err);
        if (rc != 0)
            return rc;
        exec_count_rows(r->source->ctx, r->unit.rows, r->source->work);
        rc = exec_reader_unit_keys(r, &some, err);
        if (rc == 0 && !some)
            rc = exec_check_cancel(r->source->ctx, err);
    } while (rc < 0 || !some);
    r->exact = !r->keys_asked;
    for (uint32_t i = 0; i < r->source->conds_count; i++)
        r->exact = r->exact && reader_implied(r, &r->source->conds[i]);
    return 0;
}

int exec_reader_fetch(struct exec_reader *r,
                      const uint32_t *cols,
                      uint32_t count,
                      struct batch *batch,
                      struct dn_err *err)
{
    const uint16_t *sel = batch->sel;
    uint32_t sel_count = batch->sel_count;
    int rc = scan_unit_fetch(r->r, cols, count, batch, err);

    if (rc < 0)
        return rc;
    batch->sel = sel;
    batch->sel_count = sel_count;
    return 0;
}

int exec_reader_pick(struct exec_reader *r, struct batch *batch, struct dn_err *err)
{
    uint32_t count = batch->sel_count;
    int rc;

    if (!batch->sel || count == 0 || count > SCAN_FEW_ROWS || !exec_fast(r->source->ctx))
        return 0;
    rc = scan_unit_pick(r->r, batch->sel, count, batch, err);
    if (rc == 0)
        r->unit.rows = count;
    return rc == DN_NOT_FOUND ? 0 : rc;
}

bool exec_reader_late(struct exec_reader *r)
{
    const struct exec_bound *b = &r->source->bound;
    struct zone z;
    int c = 0;

    if (!b->set)
        return false;
    for (uint32_t k = 0; k < b->keys_count && c == 0; k++) {
        if (!scan_unit_bounds(r->r, b->keys[k].col, &z))
            return false;
        c = exec_bound_zone(b, k, &z);
    }
    return c > 0;
}

int exec_reader_bound(struct exec_reader *r, struct batch *batch, struct dn_err *err)
{
    const struct exec_bound *b = &r->source->bound;
    int rc = 0;

    if (!b->set)
        return 0;
    for (uint32_t step = 0; step < 2 && batch->sel_count && rc == 0; step++) {
        uint32_t count;

        if (step == 1 && b->keys_count == 1)
            break;
        for (uint32_t k = step; k < (step ? b->keys_count : 1) && rc == 0; k++)
            rc = exec_reader_fetch(r, &b->keys[k].col, 1, batch, err);
        if (rc < 0)
            break;
        count =
            step ? exec_bound_select_all(b, batch, r->sel) : exec_bound_select(b, batch, r->sel);
        if (count < batch->sel_count) {
            batch->sel = r->sel;
            batch->sel_count = count;
        }
    }
    return rc;
}

/* Leaves out rows of which the condition is not true. Where their strings are long, some at a time.
 */
static int reader_cond(struct exec_reader *r,
                       const struct exec_cond *c,
                       struct batch *batch,
                       struct dn_err *err)
{
    uint32_t slice = exec_slice_rows(batch, c->cols, c->cols_count, r->source->ctx->slice_bytes);
    uint16_t all[VEC_ROWS_MAX];
    uint32_t first = 0;
    uint32_t n = 0;

    while (first < batch->sel_count) {
        uint32_t left = batch->sel_count - first;
        uint32_t rows = exec_pace_rows(&r->pace, left < slice ? left : slice);
        struct batch part = *batch;
        uint32_t count = 0;
        int rc;

        if (rows < batch->sel_count) {
            exec_pace_begin(&r->pace, &r->batch);
            part = exec_slice(batch, first, rows, all);
        }
        rc = expr_select(c->e, &r->ev, &part, r->sel + n, &count, err);
        if (rc < 0)
            return rc;
        exec_pace_end(&r->pace, rows);
        n += count;
        first += rows;
    }
    if (n < batch->sel_count) {
        batch->sel = r->sel;
        batch->sel_count = n;
    }
    return 0;
}

/* The condition and those that can be tested together with it, in one go over all rows: how many
 * these are. */
static uint32_t reader_together(const struct exec_reader *r,
                                uint32_t first,
                                const struct batch *batch,
                                const struct bexpr **ret)
{
    const struct exec_source *s = r->source;
    uint32_t n = 0;

    ret[n++] = s->conds[first].e;
    while (!batch->sel && n < READER_TOGETHER && first + n < s->conds_count &&
           s->conds[first + n].joins && !reader_implied(r, &s->conds[first + n])) {
        ret[n] = s->conds[first + n].e;
        n++;
    }
    return n;
}

static int reader_conds(struct exec_reader *r,
                        const struct bexpr *const *e,
                        uint32_t e_count,
                        struct batch *batch,
                        struct dn_err *err)
{
    uint32_t count;
    int rc = expr_select_plain(e, e_count, &r->ev, batch, r->sel, &count, err);

    if (rc == 0 && count < batch->sel_count) {
        batch->sel = r->sel;
        batch->sel_count = count;
    }
    return rc;
}

int exec_reader_select(struct exec_reader *r, struct batch *ret, struct dn_err *err)
{
    int rc = scan_unit_fetch(r->r, NULL, 0, ret, err);
    bool some = true;

    exec_reader_narrow_begin(r);
    for (uint32_t i = 0; i < r->source->conds_count && rc == 0 && ret->sel_count && some; i++) {
        const struct exec_cond *c = &r->source->conds[i];
        const struct bexpr *e[READER_TOGETHER];
        uint32_t n;

        if (reader_implied(r, c))
            continue;
        rc = ret->sel ? DN_NOT_FOUND : exec_reader_narrow(r, c, &some, err);
        if (rc != DN_NOT_FOUND)
            continue;
        exec_reader_narrow_done(r, ret);
        rc = exec_reader_fetch(r, c->cols, c->cols_count, ret, err);
        if (rc < 0)
            break;
        n = reader_together(r, i, ret, e);
        rc = n > 1 ? reader_conds(r, e, n, ret, err) : reader_cond(r, c, ret, err);
        i += n - 1;
    }
    if (rc == 0)
        exec_reader_narrow_done(r, ret);
    if (rc == 0 && r->keys_asked && ret->sel_count)
        rc = exec_reader_keys(r, ret, err);
    return rc;
}
