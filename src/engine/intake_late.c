/* SPDX-License-Identifier: Apache-2.0
 *
 * intake_late.c: see the header. */
#include "engine/intake_late.h"

#include "engine/engine_int.h"

#include "store/late.h"

#include <inttypes.h>

int intake_late(const struct intake_run *run,
                struct arena *arena,
                struct shard_batch *b,
                struct dn_err *err)
{
    const struct table *t = b->table;
    uint32_t row;
    int rc;

    if (!late_may(b, t->horizon))
        return 0;
    row = late_next(b, t->horizon, 0);
    if (row == b->rows)
        return 0;
    if (t->late == LATE_DROP)
        return late_drop(b, t->horizon, arena, b, err);
    rc = late_fail(t, t->horizon, vec_i64(&b->cols[t->time_col], row), err);
    if (rc != DN_E_NOMEM && run)
        dn_err_prefix(err, "row %" PRIu64, run->first + row);
    return rc;
}

static bool late_any(const struct shard_batch *batches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (batches[i].table && late_may(&batches[i], batches[i].table->horizon) &&
            late_next(&batches[i], batches[i].table->horizon, 0) < batches[i].rows)
            return true;
    return false;
}

int session_late(struct dendro_conn *conn,
                 const struct shard_batch **batches,
                 size_t *count,
                 struct arena *arena,
                 struct dn_err *err)
{
    struct shard_batch *kept;
    size_t n = 0;

    if (!late_any(*batches, *count))
        return 0;
    kept = arena_calloc(arena, *count, sizeof(*kept));
    if (!kept)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < *count; i++) {
        int rc;

        kept[n] = (*batches)[i];
        rc = kept[n].table ? intake_late(NULL, arena, &kept[n], err) : 0;
        if (rc < 0)
            return rc;
        conn->late += (*batches)[i].rows - kept[n].rows;
        n += kept[n].rows > 0 || (*batches)[i].rows == 0;
    }
    *batches = kept;
    *count = n;
    return 0;
}

void session_late_count(struct dendro_conn *conn)
{
    atomic_fetch_add(&conn->db->late_rows, conn->late);
    conn->late = 0;
}

void session_late_notice(struct dendro_conn *conn)
{
    if (conn->late > 0)
        session_notice(conn,
                       "NOTICE",
                       "%" PRIu64 " %s left out: too old for the retention of the table",
                       conn->late,
                       conn->late == 1 ? "row was" : "rows were");
    session_late_count(conn);
}
