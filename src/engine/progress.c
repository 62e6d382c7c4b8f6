/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: telling a program how far its statement is. Scans count rows in all threads; the
 * thread that runs the statement looks at the clock now and then and calls. */
#include "engine/engine_int.h"

#include "exec/progress.h"

#define PROGRESS_SURE_PERCENT 2 /* before, nothing is said about the time that is left */
#define PROGRESS_SURE_S       0.5

void dendro_set_progress(dendro_conn *conn, dendro_progress_fn fn, void *arg, unsigned interval_ms)
{
    if (!conn)
        return;
    conn->progress = fn;
    conn->progress_arg = arg;
    conn->progress_ns = (uint64_t)interval_ms * 1000000;
}

/* Seconds that are left if it goes on like that; < 0: too early to say. */
static double progress_left(double percent, uint64_t past_ns)
{
    double past_s = (double)past_ns / 1e9;

    if (percent < PROGRESS_SURE_PERCENT || past_s < PROGRESS_SURE_S)
        return -1;
    return past_s * (100 - percent) / percent;
}

int stmt_tell(struct dendro_stmt *stmt, const struct dendro_progress *so_far, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    struct dendro_progress told = *so_far;
    uint64_t now;

    if (!conn->progress ||
        (so_far->rows == stmt->told_rows && !(so_far->percent > stmt->told_percent)))
        return 0;
    now = sched_now_ns(conn->db->volume->sched);
    if (conn->progress_ns > 0 && now - stmt->told_ns < conn->progress_ns)
        return 0;
    stmt->told_ns = now;
    stmt->told_rows = so_far->rows;
    stmt->told_percent = so_far->percent;
    told.seconds_left = progress_left(so_far->percent, now - stmt->progress_began_ns);
    if (conn->progress(conn->progress_arg, &told) != 0)
        return DN_FAIL(err, DN_E_CANCELED, "stopped by the callback");
    return 0;
}

static int progress_tell(void *arg, struct dn_err *err)
{
    struct dendro_stmt *stmt = arg;
    double share = exec_progress_share(&stmt->progress);
    struct dendro_progress p = {
        .rows = atomic_load_explicit(&stmt->progress.rows, memory_order_relaxed),
        .rows_expected = stmt->progress.rows_expected,
        .percent = share < 0 ? -1 : 100 * share};

    return stmt_tell(stmt, &p, err);
}

struct exec_progress *stmt_progress(struct dendro_stmt *stmt)
{
    if (!stmt->conn->progress)
        return NULL;
    stmt->told_rows = 0;
    stmt->told_percent = -1;
    stmt->told_ns = stmt->progress_began_ns = sched_now_ns(stmt->conn->db->volume->sched);
    stmt->progress = (struct exec_progress){.tell = progress_tell, .arg = stmt};
    atomic_init(&stmt->progress.rows, 0);
    atomic_init(&stmt->progress.work, 0);
    return &stmt->progress;
}
