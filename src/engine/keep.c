/* SPDX-License-Identifier: Apache-2.0
 *
 * keep.c: see keep.h. */
#include "engine/keep.h"

#include "engine/door.h"
#include "engine/engine_int.h"

#define KEEP_ALL_PART     2u                 /* of memory_limit: what all sessions may keep */
#define KEEP_SESSION_PART 16u                /* … and one, unless session_memory says */
#define KEEP_SESSION_MIN  ((size_t)1 << 20)  /* bytes */
#define KEEP_RESERVE_PART 16u                /* of memory_limit: beside it, for superusers … */
#define KEEP_RESERVE_MIN  ((size_t)16 << 20) /* … but so many bytes at least */

void keep_open(struct dendro_db *db)
{
    size_t limit = db->owner.limit;
    size_t reserve = limit / KEEP_RESERVE_PART;

    mem_owner_init(&db->kept, "kept", NULL, limit / KEEP_ALL_PART);
    mem_owner_init(&db->sessions, "sessions", NULL, 0);
    mem_owner_init(
        &db->reserve, "reserve", NULL, reserve > KEEP_RESERVE_MIN ? reserve : KEEP_RESERVE_MIN);
}

void keep_begin(struct dendro_conn *conn)
{
    size_t share = conn->db->owner.limit / KEEP_SESSION_PART;

    if (conn->settings.session_memory > 0)
        share = (size_t)conn->settings.session_memory;
    else if (share < KEEP_SESSION_MIN)
        share = KEEP_SESSION_MIN;
    if (!conn->kept.name)
        mem_owner_init(&conn->kept, "session", &conn->db->kept, 0);
    conn->kept.limit = share;
}

/* Counted where: the session, or all of them. */
static struct mem_owner *keep_owner(struct dendro_conn *conn, bool alone)
{
    return alone ? &conn->db->kept : &conn->kept;
}

int keep_charge(struct dendro_conn *conn, size_t bytes, bool alone, struct dn_err *err)
{
    struct mem_owner *owner = keep_owner(conn, alone);
    uint64_t refused = mem_owner_refused(&conn->kept);
    int rc;

    if (conn->reserve || mem_charge(owner, bytes))
        return 0;
    if (mem_owner_refused(&conn->kept) == refused) {
        rc = DN_FAIL(err,
                     DN_E_NOMEM,
                     "all sessions together keep more than %zu MB of statements and cursors",
                     conn->db->kept.limit >> 20);
        dn_err_hint(err, "Try again when others have ended, or raise memory_limit.");
        return rc;
    }
    rc = DN_FAIL(err,
                 DN_E_NOMEM,
                 "the session keeps more than session_memory (%zu kB) of statements, portals and "
                 "cursors",
                 conn->kept.limit >> 10);
    dn_err_hint(err, "Close some of them (DEALLOCATE, CLOSE), or have session_memory raised.");
    return rc;
}

void keep_release(struct dendro_conn *conn, size_t bytes, bool alone)
{
    if (!conn->reserve)
        mem_uncharge(keep_owner(conn, alone), bytes);
}

int keep_stmt(struct dendro_stmt *stmt, bool alone, struct dn_err *err)
{
    size_t now = mem_owner_used(&stmt->owner) + sizeof(*stmt);
    int rc = 0;

    if (stmt->kept > 0 && stmt->kept_alone != alone)
        keep_forget(stmt);
    stmt->kept_alone = alone;
    if (now > stmt->kept)
        rc = keep_charge(stmt->conn, now - stmt->kept, alone, err);
    else
        keep_release(stmt->conn, stmt->kept - now, alone);
    if (rc == 0)
        stmt->kept = now;
    return rc;
}

void keep_forget(struct dendro_stmt *stmt)
{
    keep_release(stmt->conn, stmt->kept, stmt->kept_alone);
    stmt->kept = 0;
}

bool keep_tight(const struct dendro_conn *conn)
{
    return mem_owner_used(&conn->kept) > conn->kept.limit / 2;
}

struct mem_owner *keep_source(struct dendro_conn *conn)
{
    struct mem_owner *all = &conn->db->owner;
    size_t margin = all->limit / KEEP_RESERVE_PART;

    return conn->reserve && mem_owner_used(all) + margin > all->limit ? &conn->db->reserve : all;
}

/* ---- for protocols ---- */

int engine_keep(dendro_conn *conn, size_t bytes, bool alone, struct dendro_error *err)
{
    struct dn_err e;

    dn_err_clear(&e);
    return engine_return(err, &e, keep_charge(conn, bytes, alone, &e));
}

void engine_unkeep(dendro_conn *conn, size_t bytes, bool alone)
{
    keep_release(conn, bytes, alone);
}

int engine_keep_stmt(dendro_stmt *stmt, bool alone, struct dendro_error *err)
{
    struct dn_err e;

    dn_err_clear(&e);
    return stmt ? engine_return(err, &e, keep_stmt(stmt, alone, &e)) : 0;
}
