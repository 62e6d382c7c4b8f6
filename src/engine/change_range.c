/* SPDX-License-Identifier: Apache-2.0
 *
 * change_range.c: a DELETE that is some ranges of the key: the rows are counted, which zone maps
 * mostly answer, and one commit with a range tombstone for each range deletes them. The shard
 * refuses it (DN_E_CONFLICT) when anything in a range is newer than the snapshot, so that what was
 * counted is what goes. */
#include "engine/change_range.h"
#include "engine/commit.h"

static int range_count(struct dendro_stmt *stmt,
                       const struct plan *plan,
                       struct plan_node *counter,
                       uint64_t *ret,
                       struct dn_err *err)
{
    struct plan count = *plan;
    struct batch b;
    int rc;

    count.root = counter;
    rc = exec_open(&count, &stmt->ctx, &stmt->root, err);
    if (rc == 0)
        rc = exec_next(stmt->root, &b, err);
    if (rc == 0)
        *ret = (uint64_t)vec_i64(&b.cols[0], b.sel ? b.sel[0] : 0);
    exec_close(stmt->root);
    stmt->root = NULL;
    return rc == DN_EOF ? 0 : rc;
}

int stmt_run_ranges(struct dendro_stmt *stmt,
                    const struct plan *plan,
                    const struct plan_ranges *ranges,
                    struct dn_err *err)
{
    struct shard_batch batches[PLAN_RANGES_MAX];
    uint64_t rows = 0;
    int rc = range_count(stmt, plan, ranges->counter, &rows, err);

    stmt->rows_count = 0;
    if (rc < 0 || rows == 0)
        return rc;
    for (uint32_t i = 0; i < ranges->count; i++)
        batches[i] = (struct shard_batch){.table = plan->table,
                                          .op = ROW_RANGE,
                                          .range = &ranges->v[i],
                                          .check_seq = snapshot_seq(stmt->snap)};
    rc = session_commit(stmt->conn, batches, ranges->count, err);
    stmt->rows_count = rc == 0 ? rows : 0;
    return rc;
}

void stmt_change_advise(const struct dendro_stmt *stmt, struct dn_err *err)
{
    if (err)
        err->hint[0] = '\0'; /* what an operator advises is about queries */
    dn_err_hint(err,
                stmt_inner(stmt)->kind == STMT_DELETE
                    ? "All rows of a statement change at once: delete by ranges of the key, or "
                      "everything with TRUNCATE."
                    : "All rows of a statement change at once: update by ranges of the key.");
}

int stmt_delete_ranges(struct dendro_stmt *stmt,
                       const struct plan *plan,
                       struct plan_ranges *ret,
                       struct dn_err *err)
{
    return plan_delete_ranges(
        &stmt->ctx.env, plan, stmt->ctx.params, stmt->ctx.params_count, &stmt->run, ret, err);
}
