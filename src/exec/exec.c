/* SPDX-License-Identifier: Apache-2.0
 *
 * exec.c: from plan nodes to operators: opening, pulling, closing and explaining the tree. The
 * operators themselves are in op_<name>.c, one for each line of plan/node_list.h. */
#include "exec/compact.h"
#include "exec/exec_int.h"
#include "exec/run.h"
#include "exec/slice.h"

#include "base/cancel.h"

#include <inttypes.h>
#include <string.h>

#define EXEC_SHARE_MIN   (256u * 1024) /* bytes; less would be all buffers */
#define EXEC_SPILL_LEAST 16u           /* part of a share that is worth spilling early */
#define EXEC_LEFT_LEAST  8u            /* part of the limit that should stay free */

static const struct op_ops *const op_list[PLAN_KIND_MAX] = {
#define DN_PLAN(NAME, name) [PLAN_##NAME] = &op_##name##_ops,
#include "plan/node_list.h"
#undef DN_PLAN
};

const struct op_ops *exec_ops_of(enum plan_kind kind)
{
    DN_ASSERT(kind < PLAN_KIND_MAX);
    return op_list[kind];
}

int exec_check_cancel(const struct exec_ctx *ctx, struct dn_err *err)
{
    return dn_cancel_check(ctx->cancel, err);
}

int exec_tell(const struct exec_ctx *ctx, struct dn_err *err)
{
    int rc = exec_check_cancel(ctx, err);

    return rc == 0 && ctx->progress ? ctx->progress->tell(ctx->progress->arg, err) : rc;
}

/* The nearest limit above the operator, 0 = none. */
static size_t exec_limit(const struct op *op)
{
    for (const struct mem_owner *o = &op->mem; o; o = o->parent)
        if (o->limit)
            return o->limit;
    return 0;
}

/* The first operator that sees the error says who it was; the hint tells others that it is said.
 * An arena that does not grow because its statement is canceled says that memory has run out, too
 * (base/arena.h): that is DN_E_CANCELED. */
static int exec_name_nomem(const struct op *op, struct dn_err *err)
{
    size_t limit = exec_limit(op);
    int rc = dn_cancel_check(op->ctx->cancel, err);

    if (rc < 0)
        return rc;
    if (!err || err->hint[0])
        return DN_E_NOMEM;
    if (limit)
        rc = DN_FAIL(
            err, DN_E_NOMEM, "%s: out of memory at the limit of %zu bytes", op->ops->name, limit);
    else
        rc = DN_FAIL(err, DN_E_NOMEM, "%s: out of memory", op->ops->name);
    dn_err_hint(err, "Let the query read, group or sort less at a time, or raise memory_limit.");
    return rc;
}

/* Bytes left under the nearest limits; SIZE_MAX = no limit. Sets ret_limit to the tightest. */
static size_t exec_left(const struct mem_owner *owner, size_t *ret_limit)
{
    size_t left = SIZE_MAX;

    *ret_limit = 0;
    for (const struct mem_owner *o = owner; o; o = o->parent) {
        size_t used = mem_owner_used(o);
        size_t now = used < o->limit ? o->limit - used : 0;

        if (o->limit && now < left) {
            left = now;
            *ret_limit = o->limit;
        }
    }
    return left;
}

bool exec_over_share(const struct mem_owner *owner, size_t share, size_t used, uint32_t threads)
{
    size_t limit;

    if (!share)
        return false;
    if (used > share / 2 / threads)
        return true;
    return used > share / EXEC_SPILL_LEAST / threads &&
           exec_left(owner, &limit) < limit / EXEC_LEFT_LEAST;
}

bool exec_over(const struct op *op, size_t used, uint32_t threads)
{
    return exec_over_share(&op->mem, op->share, used, threads);
}

/* The next rows of the batch that is held. */
static void exec_held_next(struct exec_held *h, struct batch *ret)
{
    uint32_t left = h->batch.sel_count - h->next;
    uint32_t count = left < h->rows ? left : h->rows;

    *ret = exec_slice(&h->batch, h->next, count, h->all);
    h->next += count;
}

/* Long strings, little memory: the batch is handed on some rows at a time. */
static int exec_hold(struct op *op, struct batch *ret, struct dn_err *err)
{
    uint32_t rows = exec_slice_rows(ret, NULL, ret->cols_count, op->ctx->slice_bytes);

    if (DN_LIKELY(rows == ret->sel_count))
        return 0;
    if (!op->held)
        op->held = mem_calloc(&op->mem, 1, sizeof *op->held);
    if (!op->held)
        return DN_FAIL_NOMEM(err);
    op->held->batch = *ret;
    op->held->rows = rows;
    op->held->next = 0;
    exec_held_next(op->held, ret);
    return 0;
}

/* A batch with rows, as the operator makes it. */
static int exec_next_batch(struct op *op, struct batch *ret, struct dn_err *err)
{
    int rc;

    do {
        rc = exec_tell(op->ctx, err);
        if (rc < 0)
            return rc;
        rc = op->ops->next(op, ret, err);
    } while (rc == 0 && ret->sel_count == 0);
    return rc;
}

static int exec_next_rows(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct exec_held *h = op->held;
    int rc;

    if (h && h->next < h->batch.sel_count) {
        rc = exec_tell(op->ctx, err);
        if (rc == 0) {
            exec_held_next(h, ret);
            op->rows_out += ret->sel_count;
        }
        return rc;
    }
    rc = op->drained && op->ops->thins ? exec_compact_next(op, exec_next_batch, ret, err)
                                       : exec_next_batch(op, ret, err);
    if (rc == 0)
        rc = exec_hold(op, ret, err);
    if (rc == DN_E_NOMEM)
        rc = exec_name_nomem(op, err);
    if (rc == 0)
        op->rows_out += ret->sel_count;
    return rc;
}

int exec_pull(struct op *op, struct batch *ret, struct dn_err *err)
{
    struct exec_figures *f = op->figures;
    uint64_t start;
    int rc;

    if (DN_LIKELY(!f))
        return exec_next_rows(op, ret, err);
    start = sched_now_ns(op->ctx->sched);
    rc = exec_next_rows(op, ret, err);
    f->time_ns += sched_now_ns(op->ctx->sched) - start;
    f->pulled = true;
    f->batches += rc == 0;
    f->rows += rc == 0 ? ret->sel_count : 0;
    return rc;
}

struct eval exec_eval(const struct op *op, struct arena *batch, struct arena *run)
{
    return (struct eval){.arena = batch,
                         .params = op->ctx->params,
                         .params_count = op->ctx->params_count,
                         .now_ns = op->ctx->env.now_ns,
                         .session = op->ctx->env.session,
                         .lazy = op->ctx->env.lazy,
                         .run = run,
                         .every_row = !exec_fast(op->ctx)};
}

int exec_count_value(const struct exec_ctx *ctx,
                     const struct bexpr *e,
                     const char *word,
                     int64_t otherwise,
                     int64_t *ret,
                     struct dn_err *err)
{
    struct arena arena;
    struct eval ev = {.arena = &arena,
                      .params = ctx->params,
                      .params_count = ctx->params_count,
                      .now_ns = ctx->env.now_ns,
                      .session = ctx->env.session,
                      .lazy = ctx->env.lazy};
    struct datum d = {.null = true};
    int rc = 0;

    arena_init(&arena, ctx->owner);
    if (e)
        rc = expr_eval_datum(e, &ev, &d, err);
    arena_done(&arena);
    if (rc < 0)
        return rc;
    if (!d.null && d.v.i64 < 0) {
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "%s may not be negative: %" PRId64, word, d.v.i64);
        dn_err_at(err, e->pos);
        return rc;
    }
    *ret = d.null ? otherwise : d.v.i64;
    return 0;
}

/* ---- open and close ---- */

void exec_close(struct op *root)
{
    while (root) {
        struct exec_run *run = root->run;
        struct op *input;

        if (root->state)
            root->ops->close(root); /* may have closed inputs itself */
        input = root->input;
        exec_figures_close(root);
        exec_close(root->right);
        exec_compact_close(root);
        mem_free(root->held);
        mem_free(root->state);
        mem_free(root);
        if (run) {
            exec_close(input);
            exec_run_close(run);
            return;
        }
        root = input;
    }
}

/* ops->open comes after the inputs, unless it is lazy. */
static int exec_open_inputs(struct op *op, struct dn_err *err)
{
    int rc = op->ops->lazy || !op->node->input ? 0 : exec_need_input(op, err);

    return rc < 0 || op->ops->lazy || !op->node->right ? rc : exec_need_right(op, err);
}

int exec_open_node(const struct plan_node *node,
                   struct exec_ctx *ctx,
                   struct op **ret,
                   struct dn_err *err)
{
    struct op *op = mem_calloc(ctx->owner, 1, sizeof *op);
    int rc;

    if (!op)
        return DN_FAIL_NOMEM(err);
    DN_ASSERT(node->kind < PLAN_KIND_MAX);
    op->ops = op_list[node->kind];
    op->node = node;
    op->ctx = ctx;
    op->share = op->ops->holds ? ctx->share : 0;
    if (ctx->analysis) {
        op->figures = exec_analysis_of(ctx->analysis, node);
        if (!op->figures) {
            mem_free(op);
            return DN_FAIL_NOMEM(err);
        }
        op->figures->loops++;
    }
    mem_owner_init(&op->mem, op->ops->name, ctx->owner, 0);
    rc = exec_open_inputs(op, err);
    if (rc == 0) {
        op->state = mem_calloc(&op->mem, 1, op->ops->state_size);
        rc = op->state ? op->ops->open(op, err) : DN_FAIL_NOMEM(err);
        if (rc == DN_E_NOMEM)
            rc = exec_name_nomem(op, err);
    }
    if (rc < 0) {
        exec_close(op);
        return rc;
    }
    *ret = op;
    return 0;
}

int exec_open_twin(const struct op *of, struct exec_ctx *ctx, struct op **ret, struct dn_err *err)
{
    struct op *op = mem_calloc(ctx->owner, 1, sizeof *op);
    int rc = 0;

    if (!op)
        return DN_FAIL_NOMEM(err);
    op->ops = of->ops;
    op->node = of->node;
    op->ctx = ctx;
    op->twin = of;
    op->drained = of->drained;
    mem_owner_init(&op->mem, op->ops->name, ctx->owner, 0);
    if (of->input)
        rc = exec_open_twin(of->input, ctx, &op->input, err);
    if (rc == 0) {
        op->state = mem_calloc(&op->mem, 1, op->ops->state_size);
        rc = op->state ? op->ops->open(op, err) : DN_FAIL_NOMEM(err);
        if (rc == DN_E_NOMEM)
            rc = exec_name_nomem(op, err);
    }
    if (rc < 0) {
        exec_close(op);
        return rc;
    }
    *ret = op;
    return 0;
}

int exec_need_input(struct op *op, struct dn_err *err)
{
    return op->input ? 0 : exec_open_node(op->node->input, op->ctx, &op->input, err);
}

int exec_need_right(struct op *op, struct dn_err *err)
{
    return op->right ? 0 : exec_open_node(op->node->right, op->ctx, &op->right, err);
}

/* Operators that may hold all of their input. */
static size_t exec_holders(const struct plan_node *node)
{
    size_t n = 0;

    for (; node; node = node->input)
        n += op_list[node->kind]->holds + exec_holders(node->right);
    return n;
}

/* What each of them gets of the budget. */
static size_t exec_share(const struct plan *plan, const struct exec_ctx *ctx)
{
    size_t holders = exec_holders(plan->root);
    size_t inits = 0;

    if (!ctx->volume || !ctx->budget)
        return 0;
    for (uint32_t i = 0; i < plan->ctes_count; i++)
        holders += 1 + exec_holders(plan->ctes[i].root); /* and the rows it has returned */
    for (uint32_t i = 0; i < plan->inits_count; i++) { /* one runs at a time, but for inner ones */
        size_t n = exec_holders(plan->inits[i].root);

        inits = n > inits ? n : inits;
    }
    holders += inits;
    if (holders < 2)
        holders = 1;
    return ctx->budget / holders < EXEC_SHARE_MIN ? EXEC_SHARE_MIN : ctx->budget / holders;
}

int exec_open(const struct plan *plan, struct exec_ctx *ctx, struct op **ret, struct dn_err *err)
{
    struct exec_run *run = NULL;
    int rc;

    ctx->share = exec_share(plan, ctx);
    ctx->slice_bytes = exec_slice_bytes(ctx->owner);
    rc = exec_run_open(plan, ctx, &run, err);
    if (rc == 0)
        rc = exec_open_node(plan->root, run ? &run->ctx : ctx, ret, err);
    if (rc < 0) {
        exec_run_close(run);
        return rc;
    }
    (*ret)->run = run;
    return 0;
}

int exec_next(struct op *root, struct batch *ret, struct dn_err *err)
{
    return exec_pull(root, ret, err);
}
