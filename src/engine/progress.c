/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: telling a program how far its statement is. Scans count rows in all threads; the
 * thread that runs the statement looks at the clock now and then and calls. */
#include "engine/engine_int.h"

void dendro_set_progress(dendro_conn *conn, dendro_progress_fn fn, void *arg, unsigned interval_ms)
{
    if (!conn)
        return;
    conn->progress = fn;
    conn->progress_arg = arg;
    conn->progress_ns = (uint64_t)interval_ms * 1000000;
}

int stmt_tell(struct dendro_stmt *stmt, const struct dendro_progress *so_far, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    uint64_t now;

    if (!conn->progress || so_far->rows == stmt->told_rows)
        return 0;
    if (conn->progress_ns > 0) {
        now = sched_now_ns(conn->db->volume->sched);
        if (now - stmt->told_ns < conn->progress_ns)
            return 0;
        stmt->told_ns = now;
    }
    stmt->told_rows = so_far->rows;
    if (conn->progress(conn->progress_arg, so_far) != 0)
        return DN_FAIL(err, DN_E_CANCELED, "stopped by the callback");
    return 0;
}

static int progress_tell(void *arg, struct dn_err *err)
{
    struct dendro_stmt *stmt = arg;
    struct dendro_progress p = {
        .rows = atomic_load_explicit(&stmt->progress.rows, memory_order_relaxed),
        .rows_expected = stmt->progress.rows_expected,
        .percent = -1};

    if (p.rows_expected > 0)
        p.percent =
            p.rows < p.rows_expected ? 100.0 * (double)p.rows / (double)p.rows_expected : 100.0;
    return stmt_tell(stmt, &p, err);
}

struct exec_progress *stmt_progress(struct dendro_stmt *stmt)
{
    if (!stmt->conn->progress)
        return NULL;
    stmt->told_rows = 0;
    stmt->told_ns = sched_now_ns(stmt->conn->db->volume->sched);
    stmt->progress = (struct exec_progress){.tell = progress_tell, .arg = stmt};
    atomic_init(&stmt->progress.rows, 0);
    return &stmt->progress;
}
