/* SPDX-License-Identifier: Apache-2.0
 *
 * retry.c: see the header. */
#include "engine/retry.h"

#include "engine/engine_int.h"
#include "engine/parts.h"

#define RETRY_WAIT_NS    50000u /* the first pause is shorter than this, later ones up to … */
#define RETRY_WAIT_GROWS 8u     /* … 2^8 times as long */

struct retry *retry_of(struct dendro_stmt *stmt)
{
    return stmt->among ? &stmt->among->whole->retry : &stmt->retry;
}

int retry_again(struct retry *r, struct dendro_conn *conn, int rc, struct dn_err *err)
{
    struct sched *sched = conn->db->volume->sched;
    uint32_t grown = r->tries < RETRY_WAIT_GROWS ? r->tries : RETRY_WAIT_GROWS;

    DN_ASSERT(rc < 0 && r->tries < RETRY_MAX);
    if (rc != DN_E_CONFLICT && rc != DN_E_TABLE_CHANGED)
        return rc;
    if (r->tries + 1 == RETRY_MAX)
        return rc;
    r->tries++;
    if (rc == DN_E_TABLE_CHANGED)
        return engine_wait_edit(conn->db, &conn->cancel, err);
    sched_sleep_ns(sched, sched_random(sched) % ((uint64_t)RETRY_WAIT_NS << grown));
    return session_check_cancel(conn, err);
}

int stmt_retry(struct dendro_stmt *stmt, stmt_once_fn once, struct dn_err *err)
{
    int rc;

    for (int tries = 0; (rc = once(stmt, tries, err)) == DN_E_CONFLICT; tries++) {
        stmt_unwind(stmt);
        rc = retry_again(retry_of(stmt), stmt->conn, rc, err);
        if (rc == 0 && !stmt_compiled(stmt))
            rc = stmt_compile_again(stmt, err);
        if (rc < 0)
            break;
    }
    return rc;
}
