/* SPDX-License-Identifier: Apache-2.0
 *
 * intake_late.c: see the header. */
#include "engine/intake_late.h"

#include "engine/engine_int.h"

#include "store/late.h"
#include "volume/clock.h"

#include <inttypes.h>

int intake_late(const struct intake_run *run,
                bool in_order,
                struct arena *arena,
                struct shard_batch *b,
                struct dn_err *err)
{
    const struct table *t = b->table;
    const struct late_span span = late_span_at(t, run->latest_ns);
    uint32_t row;
    int rc;

    if (!late_may(b, span))
        return 0;
    row = late_next(b, span, 0);
    if (row == b->rows)
        return 0;
    if (t->late == LATE_DROP)
        return late_drop(b, span, arena, b, err);
    rc = late_fail(t, span, vec_i64(&b->cols[t->time_col], row), err);
    if (rc != DN_E_NOMEM && in_order)
        dn_err_prefix(err, "row %" PRIu64, run->first + row);
    return rc;
}

static bool late_any(const struct shard_batch *batches, size_t count, int64_t latest_ns)
{
    for (size_t i = 0; i < count; i++) {
        struct late_span span;

        if (!batches[i].table)
            continue;
        span = late_span_at(batches[i].table, latest_ns);
        if (late_may(&batches[i], span) && late_next(&batches[i], span, 0) < batches[i].rows)
            return true;
    }
    return false;
}

int session_late(struct dendro_conn *conn,
                 const struct shard_batch **batches,
                 size_t *count,
                 struct arena *arena,
                 struct dn_err *err)
{
    struct intake_run run = {.latest_ns = volume_latest_ns(conn->db->volume)};
    struct shard_batch *kept;
    size_t n = 0;

    if (!late_any(*batches, *count, run.latest_ns))
        return 0;
    kept = arena_calloc(arena, *count, sizeof(*kept));
    if (!kept)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < *count; i++) {
        int rc;

        kept[n] = (*batches)[i];
        rc = kept[n].table ? intake_late(&run, false, arena, &kept[n], err) : 0;
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
                       "%" PRIu64
                       " %s left out: too old for the retention of the table, or too far ahead",
                       conn->late,
                       conn->late == 1 ? "row was" : "rows were");
    session_late_count(conn);
}
