/* SPDX-License-Identifier: Apache-2.0
 *
 * keep.c: see keep.h. */
#include "engine/keep.h"

#include "engine/door.h"
#include "engine/engine_int.h"

#define KEEP_ALL_PART     2u                 /* of memory_limit: what all sessions may keep */
#define KEEP_SESSION_PART 16u                /* … and one, unless session_memory says */
#define KEEP_ROLE_PART    2u                 /* … what a role may have, unless role_memory says */
#define KEEP_ROLE_MIN     ((size_t)4 << 20)  /* bytes */
#define KEEP_BUDGET_MIN   ((size_t)1 << 20)  /* bytes */
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

void keep_close(struct dendro_db *db)
{
    while (db->shares) {
        struct keep_share *s = db->shares;

        db->shares = s->next;
        mem_free(s);
    }
}

/* The limits of the role, as the session's settings have them. */
static void keep_limits(const struct dendro_conn *conn)
{
    size_t all = conn->db->owner.limit;
    size_t share =
        conn->settings.role_memory > 0 ? (size_t)conn->settings.role_memory : all / KEEP_ROLE_PART;

    if (!conn->share)
        return;
    if (share < KEEP_ROLE_MIN)
        share = KEEP_ROLE_MIN;
    conn->share->used.limit = share;
    conn->share->kept.limit = share / KEEP_ALL_PART;
}

int keep_login(struct dendro_conn *conn, bool superuser, struct dn_err *err)
{
    struct dendro_db *db = conn->db;
    struct keep_share *s = NULL;

    conn->reserve = superuser;
    if (!superuser) {
        sched_lock(db->lock);
        for (s = db->shares; s && s->role != conn->user; s = s->next)
            ;
        if (!s) {
            s = mem_calloc(&db->sessions, 1, sizeof *s);
            if (s) {
                s->role = conn->user;
                mem_owner_init(&s->kept, "kept of a role", &db->kept, 0);
                mem_owner_init(&s->used, "role", &db->owner, 0);
                mem_owner_init(&s->wire, "wire of a role", NULL, 0);
                s->next = db->shares;
                db->shares = s;
            }
        }
        sched_unlock(db->lock);
        if (!s)
            return DN_FAIL_NOMEM(err);
    }
    DN_ASSERT(mem_owner_used(&conn->kept) == 0); /* nothing has run yet */
    conn->share = s;
    conn->kept.parent = s ? &s->kept : &db->kept;
    keep_limits(conn);
    return 0;
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
    keep_limits(conn);
}

/* Counted where: the session, or all of them. */
static struct mem_owner *keep_owner(struct dendro_conn *conn, bool alone)
{
    return !alone ? &conn->kept : conn->share ? &conn->share->kept : &conn->db->kept;
}

static int
keep_fail_role(const struct dendro_conn *conn, const char *what, size_t limit, struct dn_err *err)
{
    int rc =
        DN_FAIL(err,
                DN_E_NOMEM,
                "the sessions of role \"%s\" have more than its share of the memory: %zu MB of "
                "%s",
                conn->login_name,
                limit >> 20,
                what);

    dn_err_hint(err,
                "End some of its sessions, close statements and cursors, or have role_memory or "
                "memory_limit raised.");
    return rc;
}

int keep_charge(struct dendro_conn *conn, size_t bytes, bool alone, struct dn_err *err)
{
    struct mem_owner *owner = keep_owner(conn, alone);
    uint64_t refused = mem_owner_refused(&conn->kept);
    uint64_t refused_role = conn->share ? mem_owner_refused(&conn->share->kept) : 0;
    int rc;

    if (conn->reserve || mem_charge(owner, bytes))
        return 0;
    if (conn->share && mem_owner_refused(&conn->share->kept) != refused_role)
        return keep_fail_role(conn, "statements and cursors", conn->share->kept.limit, err);
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

    if (conn->share)
        return &conn->share->used;
    return conn->reserve && mem_owner_used(all) + margin > all->limit ? &conn->db->reserve : all;
}

void keep_mark(struct dendro_conn *conn)
{
    conn->share_refused = conn->share ? mem_owner_refused(&conn->share->used) : 0;
}

int keep_explain(const struct dendro_conn *conn, int rc, struct dn_err *err)
{
    if (rc != DN_E_NOMEM || !conn->share ||
        mem_owner_refused(&conn->share->used) == conn->share_refused)
        return rc;
    return keep_fail_role(conn, "statements, rows and cursors", conn->share->used.limit, err);
}

size_t keep_budget(const struct dendro_conn *conn, size_t part)
{
    size_t limit = conn->share ? conn->share->used.limit : 0;
    size_t used = conn->share ? mem_owner_used(&conn->share->used) : 0;
    size_t left = used < limit ? (limit - used) / 2 : 0;

    if (!conn->share || left >= part)
        return part;
    return left > KEEP_BUDGET_MIN ? left : KEEP_BUDGET_MIN;
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

struct mem_owner *engine_wire(dendro_conn *conn, struct mem_owner *all)
{
    struct keep_share *s = conn->share;

    if (!s)
        return all;
    sched_lock(conn->db->lock);
    if (!s->wire.parent) {
        s->wire.parent = all;
        s->wire.limit = all->limit / KEEP_ROLE_PART;
    }
    sched_unlock(conn->db->lock);
    return &s->wire;
}

int engine_keep_stmt(dendro_stmt *stmt, bool alone, struct dendro_error *err)
{
    struct dn_err e;

    dn_err_clear(&e);
    return stmt ? engine_return(err, &e, keep_stmt(stmt, alone, &e)) : 0;
}
