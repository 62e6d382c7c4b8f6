/* SPDX-License-Identifier: Apache-2.0
 *
 * commit.c: see the header. */
#include "engine/commit.h"

#include "engine/engine_int.h"
#include "engine/intake_late.h"
#include "engine/names.h"
#include "engine/pressure.h"
#include "engine/retry.h"
#include "engine/route.h"
#include "engine/timepart.h"

struct shard_how session_how(struct dendro_conn *conn, bool sync)
{
    return (struct shard_how){.sync = sync, .cancel = &conn->cancel, .dropped = &conn->late};
}

/* Rows that expire need the task that drops them. */
static void commit_expiry(struct dendro_conn *conn, const struct shard_batch *batches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (batches[i].expiry_ns > 0 || (batches[i].table && batches[i].table->ttl_seconds))
            engine_rollouts_expiry(conn->db);
}

/* Inserted rows of shards of a time partition, to those that are the newest: again while a rollout
 * makes another one that. */
static int commit_routed(struct dendro_conn *conn,
                         const struct shard_batch *batches,
                         size_t count,
                         const struct shard_how *how,
                         struct dn_err *err)
{
    struct dendro_db *db = conn->db;
    struct shard_batch *to = mem_calloc(&db->owner, count, sizeof(*to));
    int rc = to ? DN_E_TABLE_CHANGED : DN_FAIL_NOMEM(err);

    for (int i = 0; rc == DN_E_TABLE_CHANGED && i < RETRY_MAX; i++) {
        struct catalog *cat;
        bool same;

        rc = engine_catalog_now(db, &cat, err);
        if (rc < 0)
            break;
        rc = route_batches(cat, batches, count, to, err);
        if (rc == 0)
            rc = shard_write_how(db->shard, to, count, how, NULL, err);
        sched_lock(db->lock);
        same = db->catalog == cat;
        sched_unlock(db->lock);
        catalog_unref(cat);
        if (same) /* it is not for a rollout */
            break;
    }
    mem_free(to);
    return rc;
}

int session_commit(struct dendro_conn *conn,
                   const struct shard_batch *batches,
                   size_t count,
                   struct dn_err *err)
{
    struct shard_how how = session_how(conn, session_syncs(conn, batches[0].table));
    uint64_t late = conn->late;
    struct arena arena;
    int rc;

    DN_ASSERT(count > 0);
    commit_expiry(conn, batches, count);
    arena_init(&arena, &conn->db->owner);
    rc = session_late(conn, &batches, &count, &arena, err);
    if (rc < 0 || count == 0)
        goto out;
    if (tx_in_block(conn)) {
        rc = tx_write(conn, batches, count, err);
        goto out;
    }
    if (route_may(batches, count)) {
        rc = commit_routed(conn, batches, count, &how, err);
        goto out;
    }
    rc = engine_write_ready(conn->db, batches[0].table, err);
    if (rc == 0)
        rc = shard_write_how(conn->db->shard, batches, count, &how, NULL, err);
out:
    arena_done(&arena);
    if (rc < 0)
        conn->late = late; /* nothing was left out of a commit that did not happen */
    return rc;
}

/* ---- COMMIT of a block ---- */

static int commit_block_once(struct dendro_conn *conn, struct dn_err *err)
{
    struct shard_how how = session_how(conn, conn->settings.synchronous_commit);
    struct pressure p;
    int rc;

    pressure_begin(&p, conn);
    do {
        rc = overlay_commit(conn->tx.rows, &how, NULL, NULL, err);
    } while (rc < 0 && (rc = pressure_relieve(&p, conn, 0, rc, err)) == 0);
    return rc;
}

int commit_block(struct dendro_conn *conn, struct dn_err *err)
{
    int rc = DN_E_TABLE_CHANGED;
    bool same = false;

    for (int i = 0; rc == DN_E_TABLE_CHANGED && !same && i < RETRY_MAX; i++) {
        struct routes r;

        rc = route_overlay(conn, &r, err);
        if (rc < 0)
            return rc;
        rc = commit_block_once(conn, err);
        sched_lock(conn->db->lock);
        same = conn->db->catalog == r.cat;
        sched_unlock(conn->db->lock);
        overlay_set_routes(conn->tx.rows, NULL, 0);
        routes_done(&r);
    }
    return rc;
}
