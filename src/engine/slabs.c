/* SPDX-License-Identifier: Apache-2.0
 *
 * slabs.c: ALTER TABLE … DROP PARTITION: one commit with a range tombstone for each range of slabs.
 * In a transaction block the tombstones go with the block, and the space comes back with a later
 * flush. */
#include "engine/slabs.h"

#include "engine/commit.h"
#include "engine/slabs_other.h"
#include "engine/stmt_ops.h"

#include <stdio.h>

/* In a transaction block. */
static int drop_in_block(struct dendro_stmt *stmt, const struct slab_pick *p, struct dn_err *err)
{
    struct range *ranges = arena_calloc(&stmt->run, p->ranges_count + 1u, sizeof(*ranges));
    struct shard_batch *batches = arena_calloc(&stmt->run, p->ranges_count + 1u, sizeof(*batches));

    int rc = cursor_check_unused(stmt->conn, p->t, "ALTER TABLE", err);

    if (rc < 0)
        return rc;
    if (!ranges || !batches)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < p->ranges_count; i++) {
        ranges[i].slab_min = p->ranges[i].first;
        ranges[i].slab_max = p->ranges[i].last;
        batches[i] = (struct shard_batch){.table = p->t,
                                          .op = ROW_RANGE,
                                          .range = &ranges[i],
                                          .check_seq = snapshot_seq(stmt->snap)};
    }
    return session_commit(stmt->conn, batches, p->ranges_count, err);
}

static int slabs_drop(struct dendro_stmt *stmt, const struct table *t, struct dn_err *err)
{
    struct slab_pick p;
    struct shard_slabs_what what;
    int rc = slabs_pick(stmt, t, &p, err);

    if (rc == 0 && p.ranges_count > 0 && tx_in_block(stmt->conn)) {
        rc = drop_in_block(stmt, &p, err);
    } else if (rc == 0) {
        what = (struct shard_slabs_what){
            .ranges = p.ranges, .count = p.ranges_count, .cancel = &stmt->conn->cancel};
        rc = engine_write_ready(stmt->conn->db, t, err);
        if (rc == 0)
            rc = shard_slabs_drop_all(stmt->conn->db->shard, t, &what, err);
    }
    if (rc == 0)
        slabs_tell(stmt, &p, "dropped");
    return rc;
}

static int stmt_run_slabs(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct table *t = NULL;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0 && stmt->ast->slabs->what == SLABS_DETACH)
        return slabs_detach(stmt, err);
    if (rc == 0)
        rc = stmt_begin(stmt, stmt->ast, err);
    if (rc == 0)
        rc = slabs_table(stmt, &t, err);
    if (rc != 0)
        return rc == DN_NOT_FOUND ? 0 : rc;
    return stmt->ast->slabs->what == SLABS_DROP ? slabs_drop(stmt, t, err)
                                                : slabs_attach(stmt, t, err);
}

/* ---- the row of ALTER TABLE … DROP, DETACH, ATTACH PARTITION ---- */

static int
slabs_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    if (ast->slabs->what != SLABS_DROP)
        return DN_FAIL(err,
                       DN_E_DENIED,
                       "must be superuser to %s",
                       ast->slabs->what == SLABS_DETACH ? "detach partitions to a directory"
                                                        : "attach partitions from a directory");
    return privilege_owner(stmt, &ast->name, err);
}

static const char *slabs_name(const struct stmt *ast)
{
    return ast->slabs->what == SLABS_DROP     ? "ALTER TABLE"
           : ast->slabs->what == SLABS_DETACH ? "DETACH PARTITION"
                                              : "ATTACH PARTITION";
}

static void slabs_tag(const struct dendro_stmt *stmt, char *to, size_t size)
{
    (void)stmt;
    snprintf(to, size, "ALTER TABLE");
}

static enum tx_use slabs_use(const struct stmt *ast)
{
    return ast->slabs->what == SLABS_DROP ? TX_WRITES : TX_ALONE;
}

STMT_OPS(slabs,
         slabs_name,
         slabs_tag,
         stmt_class_ddl,
         slabs_use,
         slabs_privilege,
         stmt_compile_nothing,
         stmt_run_slabs);
