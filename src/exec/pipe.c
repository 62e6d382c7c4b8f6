/* SPDX-License-Identifier: Apache-2.0
 *
 * pipe.c: see pipe.h. */
#include "exec/pipe.h"

#include "exec/compact.h"
#include "exec/exec_int.h"
#include "exec/join_merge.h"
#include "exec/run.h"
#include "exec/source.h"

#define PIPE_TEAM_ROWS   131072u /* expected from the scan if others may be called */
#define PIPE_MORSEL_ROWS 16384u  /* taken from the scan at a time */

/* ---- what is a pipe ---- */

static bool pipe_exprs(struct bexpr *const *exprs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (exprs[i] && exec_expr_volatile(exprs[i]))
            return false;
    return true;
}

static bool pipe_join(const struct plan_node *n, const struct exec_ctx *ctx)
{
    const struct plan_join *join = n->join;

    if (join->kind == PLAN_JOIN_FULL || join->kind == PLAN_JOIN_SINGLE || join->in_order ||
        exec_merges(n, ctx) || (join->filter && exec_expr_volatile(join->filter)))
        return false;
    for (uint32_t k = 0; k < join->keys_count; k++)
        if (exec_expr_volatile(join->keys[k].left))
            return false;
    return true;
}

/* Do the plan nodes allow it? */
static bool pipe_nodes(const struct plan_node *n, const struct exec_ctx *ctx)
{
    for (; n && n->kind != PLAN_SCAN; n = n->input) {
        bool good = (n->kind == PLAN_PROJECT && pipe_exprs(n->exprs, n->exprs_count)) ||
                    (n->kind == PLAN_FILTER && !exec_expr_volatile(n->filter)) ||
                    (n->kind == PLAN_JOIN && pipe_join(n, ctx));

        if (!good)
            return false;
    }
    return n && !n->backward;
}

/* The scan at the end, joins on the way being ready. NULL: it is no pipe. */
static int pipe_scan(struct op *op, struct op **ret, struct dn_err *err)
{
    *ret = NULL;
    while (op && op->ops != &op_scan_ops) {
        int rc = 0;

        if (op->ops == &op_join_ops)
            rc = op_join_left(op, &op, err);
        else
            op = op->input;
        if (rc < 0)
            return rc;
    }
    *ret = op;
    return 0;
}

static int pipe_settle(const struct exec_pipe *p, struct dn_err *err)
{
    int rc = 0;

    for (const struct op *op = p->top; op != p->scan && rc == 0; op = op->input) {
        const struct plan_node *n = op->node;
        struct exec_run *run = op->ctx->run;

        for (uint32_t i = 0; n->kind == PLAN_PROJECT && i < n->exprs_count && rc == 0; i++)
            rc = exec_run_settle(run, n->exprs[i], err);
        if (n->kind == PLAN_FILTER)
            rc = exec_run_settle(run, n->filter, err);
        if (n->kind != PLAN_JOIN)
            continue;
        for (uint32_t k = 0; k < n->join->keys_count && rc == 0; k++)
            rc = exec_run_settle(run, n->join->keys[k].left, err);
        if (rc == 0)
            rc = exec_run_settle(run, n->join->filter, err);
    }
    return rc;
}

int exec_pipe_open(struct exec_pipe *p, struct op *input, struct dn_err *err)
{
    const struct exec_source *source;
    struct scan_stats stats;
    struct op *scan;
    int rc;

    *p = (struct exec_pipe){.top = NULL};
    if (!exec_fast(input->ctx) || exec_team_helpers(input->ctx) == 0 ||
        !pipe_nodes(input->node, input->ctx))
        return 0;
    rc = pipe_scan(input, &scan, err);
    if (rc < 0 || !scan)
        return rc;
    source = exec_source_of(scan);
    if (source->bound.wanted || source->quota)
        return 0;
    scan_get_stats(source->scan, &stats);
    if (stats.rows_expected < exec_team_rows(input->ctx, PIPE_TEAM_ROWS))
        return 0;
    p->top = input;
    p->scan = scan;
    p->helpers = exec_team_helpers(input->ctx);
    p->ctx = *input->ctx;
    p->ctx.progress = NULL; /* the statement's thread tells; readers count for its context */
    p->ctx.analysis = NULL;
    op_scan_share(scan, exec_team_rows(input->ctx, PIPE_MORSEL_ROWS));
    return pipe_settle(p, err);
}

/* ---- running ---- */

static int pipe_help(void *arg, uint32_t number, struct exec_team *team, struct dn_err *err)
{
    struct exec_pipe *p = arg;
    int rc = exec_open_twin(p->top, &p->ctx, &p->twins[number], err);

    while (rc == 0 && !exec_team_stopped(team))
        rc = p->step(p->arg, number + 1, p->twins[number], err);
    return rc < 0 ? rc : 0;
}

int exec_pipe_run(struct exec_pipe *p, exec_pipe_fn step, void *arg, struct dn_err *err)
{
    int rc;

    DN_ASSERT(p->top && p->helpers > 0);
    p->step = step;
    p->arg = arg;
    exec_drain(p->top);
    rc = scan_share(exec_source_of(p->scan)->scan, err);
    if (rc < 0)
        return rc;
    p->twins = mem_calloc(p->ctx.owner, p->helpers, sizeof(struct op *));
    if (!p->twins)
        return DN_FAIL_NOMEM(err);
    rc = exec_team_start(&p->team, &p->ctx, p->helpers, pipe_help, p, err);
    while (rc == 0 && !exec_team_stopped(&p->team))
        rc = step(arg, 0, p->top, err);
    rc = exec_team_join(&p->team, rc, err);
    return rc < 0 ? rc : 0;
}

/* Figures of the operators that the twins stand beside. */
static void pipe_count(const struct op *twin)
{
    for (; twin; twin = twin->input)
        if (twin->twin->figures)
            twin->twin->figures->rows += twin->rows_out;
}

void exec_pipe_close(struct exec_pipe *p)
{
    for (uint32_t i = 0; p->twins && i < p->helpers; i++) {
        pipe_count(p->twins[i]);
        exec_close(p->twins[i]);
    }
    mem_free(p->twins);
    *p = (struct exec_pipe){.top = NULL};
}
