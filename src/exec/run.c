/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: parameters, subqueries that are run once, rows of CTEs. */
#include "exec/run.h"

#include "exec/exec_int.h"

/* ---- subqueries that are run once ---- */

/* The first value of the result; a second row is an error. */
static int run_scalar(struct op *op, struct arena *arena, struct datum *ret, struct dn_err *err)
{
    struct batch in;
    uint64_t rows = 0;
    int rc;

    for (;;) {
        rc = exec_pull(op, &in, err);
        if (rc != 0)
            return rc == DN_EOF ? 0 : rc;
        rows += in.sel_count;
        if (rows > 1)
            return DN_FAIL(err,
                           DN_E_CARDINALITY,
                           "more than one row returned by a subquery used as an expression");
        *ret = vec_datum(&in.cols[0], in.sel ? in.sel[0] : 0);
        if (!datum_copy(arena, ret, ret))
            return DN_FAIL_NOMEM(err);
    }
}

static int run_init(struct exec_run *run, struct exec_init *init, struct dn_err *err)
{
    struct op *op = NULL;
    int rc = exec_open_node(init->plan->root, &run->ctx, &op, err);

    if (rc == 0)
        rc = run_scalar(op, &run->arena, &init->value, err);
    exec_close(op);
    if (rc == DN_E_CARDINALITY)
        dn_err_at(err, init->plan->pos);
    return rc;
}

static int run_get(void *arg, uint32_t param, const struct datum **ret, struct dn_err *err)
{
    struct exec_run *run = arg;
    uint32_t number = param <= run->slots_count ? run->inits_of[param - 1] : 0;
    struct exec_init *init;

    if (number == 0)
        return 1;
    init = &run->inits[number - 1];
    if (init->busy)
        return DN_FAIL(err, DN_E_INTERNAL, "a subquery asks for its own value");
    if (!init->done) {
        init->busy = true;
        dn_err_clear(&init->error);
        init->rc = run_init(run, init, &init->error);
        init->busy = false;
        init->done = true;
    }
    if (init->rc < 0 && err)
        *err = init->error;
    *ret = &init->value;
    return init->rc;
}

int exec_run_settle(struct exec_run *run, const struct bexpr *e, struct dn_err *err)
{
    const struct datum *value;
    struct dn_err local;
    int rc = 0;

    if (!run || !e)
        return 0;
    if (e->kind == BEXPR_PARAM) {
        rc = run_get(run, e->param, &value, &local);
        if (rc != DN_E_NOMEM && rc != DN_E_CANCELED)
            return 0;
        if (err)
            *err = local;
        return rc;
    }
    for (uint32_t i = 0; i < e->args_count && rc == 0; i++)
        rc = exec_run_settle(run, e->args[i], err);
    return rc;
}

/* ---- life ---- */

static int
run_make(const struct plan *plan, struct exec_ctx *ctx, struct exec_run *run, struct dn_err *err)
{
    uint32_t slots = plan->slots_count > ctx->params_count ? plan->slots_count : ctx->params_count;

    run->ctx = *ctx;
    mem_owner_init(&run->mem, "plan", ctx->owner, 0);
    run->ctx.run = run;
    arena_init(&run->arena, &run->mem);
    run->slots = arena_calloc(&run->arena, slots, sizeof *run->slots);
    run->ctes = arena_calloc(&run->arena, plan->ctes_count, sizeof *run->ctes);
    run->works = arena_calloc(&run->arena, plan->works_count, sizeof *run->works);
    run->inits = arena_calloc(&run->arena, plan->inits_count, sizeof *run->inits);
    run->inits_of = arena_calloc(&run->arena, slots, sizeof *run->inits_of);
    if (!run->slots || !run->ctes || !run->works || !run->inits || !run->inits_of)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < slots; i++)
        run->slots[i] = i < ctx->params_count ? ctx->params[i] : (struct datum){.null = true};
    for (uint32_t i = 0; i < plan->ctes_count; i++)
        run->ctes[i].root = plan->ctes[i].root;
    run->ctes_count = plan->ctes_count;
    run->works_count = plan->works_count;
    if (ctx->given && plan->works_count > 0)
        run->works[0].rows = ctx->given;
    for (uint32_t i = 0; i < ctx->parts_count && i + 1 < plan->works_count; i++)
        run->works[i + 1].rows = &ctx->parts[i];
    run->ctx.params = run->slots;
    run->ctx.params_count = slots;
    run->slots_count = slots;
    for (uint32_t i = 0; i < plan->inits_count; i++) {
        const struct plan_init *init = &plan->inits[i];

        run->inits[i] = (struct exec_init){
            .plan = init, .value = {.type = init->root->cols[0].type, .null = true}};
        run->inits_of[init->param - 1] = i + 1;
    }
    run->lazy = (struct eval_lazy){.get = run_get, .arg = run};
    run->ctx.env.lazy = plan->inits_count ? &run->lazy : NULL;
    return 0;
}

int exec_run_open(const struct plan *plan,
                  struct exec_ctx *ctx,
                  struct exec_run **ret,
                  struct dn_err *err)
{
    struct exec_run *run;
    int rc;

    *ret = NULL;
    if (plan->slots_count <= plan->params_count && !plan->ctes_count && !plan->works_count)
        return 0;
    run = mem_calloc(ctx->owner, 1, sizeof *run);
    if (!run)
        return DN_FAIL_NOMEM(err);
    rc = run_make(plan, ctx, run, err);
    if (rc < 0) {
        exec_run_close(run);
        return rc;
    }
    *ret = run;
    return 0;
}

void exec_run_close(struct exec_run *run)
{
    if (!run)
        return;
    for (uint32_t i = 0; i < run->ctes_count; i++)
        exec_close(run->ctes[i].source); /* which may read others */
    for (uint32_t i = 0; i < run->ctes_count; i++)
        exec_spool_done(&run->ctes[i].rows);
    arena_done(&run->arena);
    mem_free(run);
}

/* ---- CTEs ---- */

static int cte_start(struct exec_cte *cte, struct exec_run *run, struct dn_err *err)
{
    const struct exec_spool_options options = {.types = exec_types(cte->root, &run->arena),
                                               .cols_count = cte->root->cols_count,
                                               .owner = &cte->mem,
                                               .volume = run->ctx.volume,
                                               .cancel = run->ctx.cancel,
                                               .share = run->ctx.share,
                                               .stable = true};
    int rc;

    if (!options.types)
        return DN_FAIL_NOMEM(err);
    mem_owner_init(&cte->mem, "CTE", &run->mem, 0);
    rc = exec_spool_init(&cte->rows, &options, err);
    if (rc == 0)
        rc = exec_open_node(cte->root, &run->ctx, &cte->source, err);
    if (rc == 0)
        cte->started = true;
    return rc;
}

/* One more batch of the query. */
static int cte_fill(struct exec_cte *cte, struct dn_err *err)
{
    struct batch in;
    int rc;

    cte->busy = true;
    rc = exec_pull(cte->source, &in, err);
    cte->busy = false;
    if (rc == DN_EOF) {
        cte->done = true;
        exec_close(cte->source); /* its memory is for others now */
        cte->source = NULL;
        return 0;
    }
    if (rc == 0)
        rc = exec_spool_add(&cte->rows, in.cols, in.sel, in.sel_count, err);
    return rc;
}

int exec_cte_read(struct exec_cte *cte,
                  struct exec_run *run,
                  struct exec_spool_cursor *cursor,
                  uint32_t at,
                  struct arena *arena,
                  struct batch *ret,
                  struct dn_err *err)
{
    struct vec *cols = arena_calloc(arena, cte->root->cols_count, sizeof *cols);
    uint32_t count;
    int rc = 0;

    if (!cols)
        return DN_FAIL_NOMEM(err);
    if (cte->busy)
        return DN_FAIL(err, DN_E_INTERNAL, "a CTE reads itself");
    if (!cte->started)
        rc = cte_start(cte, run, err);
    while (rc == 0 && !cte->done && cte->rows.count <= at)
        rc = cte_fill(cte, err);
    if (rc < 0)
        return rc;
    if (cte->rows.count <= at)
        return DN_EOF;
    if (!cursor->spool)
        rc = exec_spool_cursor_open(cursor, &cte->rows, err);
    if (rc == 0)
        rc = exec_spool_view(cursor, at, VEC_ROWS_MAX, arena, cols, &count, err);
    if (rc < 0)
        return rc;
    *ret = (struct batch){
        .count = count, .cols_count = cte->root->cols_count, .cols = cols, .sel_count = count};
    return 0;
}
