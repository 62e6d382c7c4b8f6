/* SPDX-License-Identifier: Apache-2.0
 *
 * team.c: starting, stopping and joining helpers. */
#include "exec/team.h"

#include "base/sched.h"

#define TEAM_HELPER_BYTES ((size_t)16 << 20) /* of the memory limit: a helper reads blocks too */

/* Helpers that the tightest memory limit of the statement has room for. */
static int64_t team_room(const struct exec_ctx *ctx)
{
    size_t limit = SIZE_MAX;

    for (const struct mem_owner *o = ctx->owner; o; o = o->parent)
        if (o->limit && o->limit < limit)
            limit = o->limit;
    return (int64_t)(limit / TEAM_HELPER_BYTES < EXEC_TEAM_MAX ? limit / TEAM_HELPER_BYTES
                                                               : EXEC_TEAM_MAX);
}

uint32_t exec_team_helpers(const struct exec_ctx *ctx)
{
    int64_t workers;

    if (!ctx->sched || !ctx->env.settings)
        return 0;
    workers = ctx->env.settings->workers;
    if (workers == 0)
        workers = (int64_t)sched_cores(ctx->sched);
    if (workers > team_room(ctx) + 1)
        workers = team_room(ctx) + 1;
    return (uint32_t)(workers - 1);
}

uint32_t exec_team_rows(const struct exec_ctx *ctx, uint32_t rows)
{
    return ctx->sched && sched_is_sim(ctx->sched) ? rows / 256 : rows;
}

static void team_run(void *arg)
{
    struct exec_team_member *m = arg;

    m->rc = m->team->fn(m->team->arg, m->number, m->team, &m->err);
    if (m->rc < 0)
        exec_team_stop(m->team);
}

int exec_team_start(struct exec_team *t,
                    const struct exec_ctx *ctx,
                    uint32_t helpers,
                    exec_team_fn fn,
                    void *arg,
                    struct dn_err *err)
{
    *t = (struct exec_team){.fn = fn, .arg = arg};
    atomic_init(&t->stop, false);
    t->members = mem_calloc(ctx->owner, helpers, sizeof *t->members);
    if (!t->members)
        return DN_FAIL_NOMEM(err);
    while (t->count < helpers) {
        struct exec_team_member *m = &t->members[t->count];

        *m = (struct exec_team_member){.team = t, .number = t->count};
        if (sched_spawn(ctx->sched, "query", team_run, m, &m->task, NULL) < 0)
            break;
        t->count++;
    }
    return 0;
}

void exec_team_stop(struct exec_team *t)
{
    atomic_store_explicit(&t->stop, true, memory_order_relaxed);
}

int exec_team_join(struct exec_team *t, int rc, struct dn_err *err)
{
    if (rc < 0)
        exec_team_stop(t);
    for (uint32_t i = 0; i < t->count; i++) {
        sched_join(t->members[i].task);
        if (t->members[i].rc < 0 && rc >= 0) {
            rc = t->members[i].rc;
            if (err)
                *err = t->members[i].err;
        }
    }
    mem_free(t->members);
    *t = (struct exec_team){.fn = NULL};
    return rc;
}
