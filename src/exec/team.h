/* SPDX-License-Identifier: Apache-2.0
 *
 * team.h: tasks that help the thread of a statement. The thread starts them when there is enough to
 * do, does its own share, and joins them; the first error ends all and is the statement's. Under
 * the simulated scheduler they are fibers, so one seed gives one run.
 *
 * One statement's thread, except exec_team_stop and exec_team_stopped: any of its tasks. */
#pragma once

#include "exec/exec.h"

#define EXEC_TEAM_MAX 32u /* helpers at most */

struct exec_team;

/* What helper `number` (0..) does; it looks at exec_team_stopped now and then. */
typedef int (*exec_team_fn)(void *arg, uint32_t number, struct exec_team *team, struct dn_err *err);

struct exec_team_member {
    struct exec_team *team;
    struct sched_task *task;
    uint32_t number;
    int rc;
    struct dn_err err;
};

struct exec_team {
    exec_team_fn fn;
    void *arg;
    struct exec_team_member *members; /* owned */
    uint32_t count;                   /* helpers that run */
    atomic_bool stop;
};

/* Helpers that a statement may have beside its own thread. */
uint32_t exec_team_helpers(const struct exec_ctx *ctx);
/* A number of rows that decides about helpers: much smaller in simulations, so that small tables
 * have them too. */
uint32_t exec_team_rows(const struct exec_ctx *ctx, uint32_t rows);
/* Starts up to `helpers` of them; fewer when tasks cannot be had, which is no error. */
int exec_team_start(struct exec_team *t,
                    const struct exec_ctx *ctx,
                    uint32_t helpers,
                    exec_team_fn fn,
                    void *arg,
                    struct dn_err *err) DN_MUST_CHECK;
void exec_team_stop(struct exec_team *t);
static inline bool exec_team_stopped(struct exec_team *t)
{
    return atomic_load_explicit(&t->stop, memory_order_relaxed);
}
/* Waits for all. rc is how the caller's own share ended (< 0: err has it already); the result is
 * that, or the first error of a helper, then in err. A team that was never started is fine. */
int exec_team_join(struct exec_team *t, int rc, struct dn_err *err) DN_MUST_CHECK;
