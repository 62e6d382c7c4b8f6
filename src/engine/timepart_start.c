/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart_start.c: CREATE TIME PARTITION with a START in the past, over a table that has rows. */
#include "engine/timepart.h"

#include "store/scan.h"

#include <inttypes.h>

static int
part_count(struct dendro_stmt *stmt, const struct table *t, uint64_t *ret, struct dn_err *err)
{
    struct scan_spec spec = {
        .table = t, .moves = true, .owner = &stmt->owner, .cancel = &stmt->conn->cancel};
    struct snapshot *snap = tx_snapshot(stmt->conn);
    struct scan *scan = NULL;
    struct batch b;
    int rc;

    *ret = 0;
    if (!snap)
        return DN_FAIL_NOMEM(err);
    rc = scan_open(snap, &spec, &scan, err);
    while (rc == 0 && (rc = scan_next(scan, &b, err)) == 0)
        *ret += b.sel_count;
    scan_close(scan);
    snapshot_free(snap);
    return rc == DN_EOF ? 0 : rc;
}

int ddl_partition_loss(struct dendro_stmt *stmt,
                       const struct table *shard,
                       const struct table *parent,
                       struct dn_err *err)
{
    const struct partition_def *def = &stmt->ast->timepart->def;
    uint64_t rows;
    int rc;

    for (uint32_t i = 0; i < parent->timepart->shards_count; i++)
        if (parent->timepart->shards[i].id == shard->id)
            return 0;
    rc = part_count(stmt, shard, &rows, err);
    if (rc < 0 || rows == 0)
        return rc;
    rc = DN_FAIL(err,
                 DN_E_INVALID_PARAM,
                 "START '%.60s' would drop the %" PRIu64 " %s of table \"%s\": so many rollouts "
                 "have passed since then that RETENTION %" PRIu32 " does not keep it",
                 def->start.s,
                 rows,
                 rows == 1 ? "row" : "rows",
                 shard->name,
                 parent->timepart->retention);
    dn_err_hint(err,
                "Give a later START or a longer RETENTION. If the rows are not wanted, TRUNCATE "
                "the table first.");
    dn_err_at(err, def->start.pos);
    return rc;
}
