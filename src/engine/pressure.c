/* SPDX-License-Identifier: Apache-2.0
 *
 * pressure.c: what happens when memory_limit is reached: fresh rows are flushed, the cache is
 * emptied, and the statement, which has changed nothing yet, runs again. While others hold the
 * memory it waits for them. A statement that is too big by itself is refused at once. */
#include "engine/pressure.h"

#include "engine/engine_int.h"

#define PRESSURE_OWN_SHARE                                                                         \
    8u                       /* of the limit: a statement that holds more is too big by itself … \
                              */
#define PRESSURE_OWN_TRIES 2 /* … when it fails so often with all memory to itself */
#define PRESSURE_WAIT_NS   (30ull * 1000 * 1000 * 1000) /* others may take so long */
#define PRESSURE_PAUSE_NS  (5ull * 1000 * 1000)

void pressure_begin(struct pressure *p, const struct dendro_conn *conn)
{
    *p = (struct pressure){.refused = mem_owner_refused(&conn->db->owner)};
}

/* Whoever failed knows best what to do instead. */
static int pressure_too_big(const struct dendro_db *db, struct dn_err *err)
{
    char hint[DN_ERR_HINT_MAX] = "";
    int rc;

    if (err)
        memcpy(hint, err->hint, sizeof hint);
    rc = DN_FAIL(err,
                 DN_E_NOMEM,
                 "the statement needs more memory than memory_limit (%zu MB) leaves it",
                 db->owner.limit >> 20);

    dn_err_hint(err,
                "%s",
                hint[0]
                    ? hint
                    : "Write fewer rows at a time, load them with COPY or an appender, or raise "
                      "memory_limit.");
    return rc;
}

/* Nobody else could give memory back. */
static bool pressure_alone(struct dendro_db *db)
{
    bool alone;

    sched_lock(db->lock);
    alone = db->conns_count == 1;
    sched_unlock(db->lock);
    return alone;
}

int pressure_relieve(
    struct pressure *p, struct dendro_conn *conn, size_t own_bytes, int rc, struct dn_err *err)
{
    struct dendro_db *db = conn->db;
    struct sched *sched = db->volume->sched;
    bool big = own_bytes > db->owner.limit / PRESSURE_OWN_SHARE;
    uint64_t now = sched_now_ns(sched);
    int given;

    if (rc != DN_E_NOMEM || mem_owner_refused(&db->owner) == p->refused)
        return rc;
    if (p->tries == 0)
        p->since_ns = now;
    if ((big && p->tries >= PRESSURE_OWN_TRIES) || now - p->since_ns > PRESSURE_WAIT_NS)
        return pressure_too_big(db, err);
    stmt_cache_free(conn);
    given = shard_relieve(db->shard, &conn->cancel, err);
    if (given < 0)
        return given;
    if (given == 0 && p->tries > 0 && pressure_alone(db))
        return pressure_too_big(db, err);
    p->tries++;
    p->refused = mem_owner_refused(&db->owner);
    if (given == 0)
        sched_sleep_ns(sched, PRESSURE_PAUSE_NS);
    if (atomic_load(&conn->cancel))
        return DN_FAIL(err, DN_E_CANCELED, "the statement was canceled");
    dn_err_clear(err);
    return 0;
}
