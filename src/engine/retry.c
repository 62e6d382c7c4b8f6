/* SPDX-License-Identifier: Apache-2.0
 *
 * retry.c: statements that another session came before are run again, with a new snapshot. */
#include "engine/engine_int.h"
#include "engine/parts.h"

#define STMT_TRIES       64
#define RETRY_WAIT_NS    50000u /* the first pause is shorter than this, later ones up to … */
#define RETRY_WAIT_GROWS 8      /* … 2^8 times as long */

static void retry_pause(struct dendro_stmt *stmt, int tries)
{
    struct sched *sched = stmt->conn->db->volume->sched;
    uint64_t max = (uint64_t)RETRY_WAIT_NS << (tries < RETRY_WAIT_GROWS ? tries : RETRY_WAIT_GROWS);

    sched_sleep_ns(sched, sched_random(sched) % max);
}

int stmt_retry(struct dendro_stmt *stmt, stmt_once_fn once, struct dn_err *err)
{
    int rc = 0;

    for (int i = 0; rc == 0; i++) {
        rc = once(stmt, i, err);
        if (rc != DN_E_CONFLICT || i + 1 == STMT_TRIES)
            return rc;
        stmt_unwind(stmt);
        retry_pause(stmt, i);
        rc = session_check_cancel(stmt->conn, err);
        if (rc == 0 && !stmt_compiled(stmt))
            rc = stmt_compile_again(stmt, err);
    }
    return rc;
}
