/* SPDX-License-Identifier: Apache-2.0
 *
 * sort_team.c: see sort_team.h. Helpers only read the rows; each has a stretch of the two arrays of
 * items to itself. */
#include "exec/sort_team.h"

#include "exec/progress.h"
#include "exec/team.h"

#define SORT_TEAM_ROWS 131072u /* fewer are sorted by one thread */

struct sort_job {
    const struct exec_sort_rows *rows;
    const struct exec_ctx *ctx;
    struct exec_sort_item *arrays[2];
    uint32_t width; /* rows of a stretch */
    uint64_t work;  /* between two checks */
};

/* A helper looks whether it is to go on; the statement's own thread tells how far it is, too. */
struct sort_job_check {
    const struct exec_ctx *ctx;
    struct exec_team *team; /* NULL: the statement's own thread */
    uint64_t work;          /* between two checks */
};

static int sort_job_check(const void *arg, struct dn_err *err)
{
    const struct sort_job_check *c = arg;

    exec_worked(c->ctx, c->work);
    if (!c->team)
        return exec_tell(c->ctx, err);
    if (exec_team_stopped(c->team)) /* another one has failed: its error counts */
        return DN_FAIL(err, DN_E_CANCELED, "the statement has failed elsewhere");
    return exec_check_cancel(c->ctx, err);
}

static int
sort_job_part(const struct sort_job *j, uint32_t part, struct exec_team *team, struct dn_err *err)
{
    const struct sort_job_check check = {.ctx = j->ctx, .team = team, .work = j->work};
    uint64_t first = (uint64_t)part * j->width;
    uint64_t end = first + j->width < j->rows->count ? first + j->width : j->rows->count;

    if (first >= end)
        return 0;
    return exec_sort_stretch(
        j->rows, j->arrays, (uint32_t)first, (uint32_t)(end - first), sort_job_check, &check, err);
}

static int sort_job_help(void *arg, uint32_t number, struct exec_team *team, struct dn_err *err)
{
    return sort_job_part(arg, number + 1, team, err);
}

/* Parts whose helpers could not be had are sorted by the statement's own thread. */
static int sort_job_run(struct sort_job *j, uint32_t helpers, struct dn_err *err)
{
    struct exec_team team = {.count = 0};
    int rc = exec_team_start(&team, j->ctx, helpers, sort_job_help, j, err);
    uint32_t started = team.count;

    if (rc == 0)
        rc = sort_job_part(j, 0, NULL, err);
    for (uint32_t part = started + 1; part <= helpers && rc == 0; part++)
        rc = sort_job_part(j, part, NULL, err);
    return exec_team_join(&team, rc, err);
}

int exec_sort_order_team(struct exec_sort_rows *s, const struct exec_ctx *ctx, struct dn_err *err)
{
    uint64_t work = exec_progress_moved(s->count, EXEC_SORT_CHECK_ROWS);
    const struct sort_job_check check = {.ctx = ctx, .work = work};
    struct sort_job j = {.rows = s, .ctx = ctx, .work = work};
    uint32_t helpers = 0;
    int rc = 0;

    if (s->count >= exec_team_rows(ctx, SORT_TEAM_ROWS))
        helpers = exec_team_helpers(ctx);
    if (helpers == 0)
        return exec_sort_order(s, sort_job_check, &check, err);
    j.width = s->count / (helpers + 1) + 1;
    for (int i = 0; i < 2; i++)
        j.arrays[i] = mem_alloc_array(s->owner, s->count, sizeof *j.arrays[i]);
    if (!j.arrays[0] || !j.arrays[1])
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = sort_job_run(&j, helpers, err);
    if (rc == 0)
        rc = exec_sort_together(s, j.arrays, j.width, sort_job_check, &check, err);
    mem_free(j.arrays[0]);
    mem_free(j.arrays[1]);
    return rc;
}
