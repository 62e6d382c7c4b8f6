/* SPDX-License-Identifier: Apache-2.0
 *
 * advisory.c: see advisory.h. A list of what is held, under the database's lock; there are few.
 * Whoever must wait looks again every few milliseconds, so that cancel and lock_timeout are seen.
 */
#include "engine/advisory.h"

#include "engine/engine_int.h"

#define ADVISORY_LOOK_NS 5000000u /* between looks */
#define ADVISORY_MAX     100000u  /* that are held at once */
#define ADVISORY_SHARE   10000u   /* … by one session, so that it cannot take all */

struct advisory {
    struct advisory *next;
    const struct dendro_conn *holder;
    int64_t key;
    unsigned how;   /* FUNC_LOCK_SHARED, _XACT, _PAIR */
    size_t level;   /* savepoints that there were, of a lock for the transaction; else 0 */
    uint32_t times; /* taken */
};

#define ADVISORY_SORT ((unsigned)(FUNC_LOCK_SHARED | FUNC_LOCK_XACT | FUNC_LOCK_PAIR))

/* Does what another session holds stand in the way? */
static bool advisory_blocked(const struct dendro_conn *conn, unsigned how, int64_t key)
{
    for (const struct advisory *a = conn->db->advisory; a; a = a->next)
        if (a->holder != conn && a->key == key &&
            (a->how & FUNC_LOCK_PAIR) == (how & FUNC_LOCK_PAIR) &&
            !(a->how & how & FUNC_LOCK_SHARED))
            return true;
    return false;
}

static size_t advisory_level(const struct dendro_conn *conn, unsigned how)
{
    return how & FUNC_LOCK_XACT ? conn->tx.saves_count : 0;
}

static struct advisory *advisory_find(const struct dendro_conn *conn, unsigned how, int64_t key)
{
    struct advisory *a = conn->db->advisory;

    while (a && !(a->holder == conn && a->key == key && a->how == (how & ADVISORY_SORT) &&
                  a->level == advisory_level(conn, how)))
        a = a->next;
    return a;
}

static int advisory_full(const struct dendro_conn *conn, struct dn_err *err)
{
    bool own = conn->advisory_count >= ADVISORY_SHARE;
    int rc = DN_FAIL(err,
                     DN_E_NOMEM,
                     "out of shared memory: %s %u advisory locks",
                     own ? "the session holds" : "all sessions together hold",
                     own ? ADVISORY_SHARE : ADVISORY_MAX);

    dn_err_hint(err, "Give some back with pg_advisory_unlock(), or end the transaction.");
    return rc;
}

/* Under the lock: 1 taken, 0 not free. */
static int advisory_take(struct dendro_conn *conn, unsigned how, int64_t key, struct dn_err *err)
{
    struct advisory *a = advisory_find(conn, how, key);

    if (advisory_blocked(conn, how, key))
        return 0;
    if (a) {
        a->times++;
        return 1;
    }
    if (conn->advisory_count >= ADVISORY_SHARE || conn->db->advisory_count >= ADVISORY_MAX)
        return advisory_full(conn, err);
    a = mem_calloc(&conn->db->owner, 1, sizeof(*a));
    if (!a)
        return DN_FAIL_NOMEM(err);
    *a = (struct advisory){.next = conn->db->advisory,
                           .holder = conn,
                           .key = key,
                           .how = how & ADVISORY_SORT,
                           .level = advisory_level(conn, how),
                           .times = 1};
    conn->db->advisory = a;
    conn->db->advisory_count++;
    conn->advisory_count++;
    conn->advisory_held = true;
    conn->advisory_xact = conn->advisory_xact || (how & FUNC_LOCK_XACT);
    return 1;
}

/* Under the lock: all of that sort goes; of the transaction's from this level on. */
static void advisory_sweep(struct dendro_conn *conn, bool session, bool xact, size_t level)
{
    struct advisory **at = &conn->db->advisory;

    while (*at) {
        struct advisory *a = *at;

        if (a->holder != conn || !(a->how & FUNC_LOCK_XACT ? xact && a->level >= level : session)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        conn->db->advisory_count--;
        conn->advisory_count--;
        mem_free(a);
    }
}

/* Under the lock: 1 given back, 0 it was not held. */
static int advisory_give(struct dendro_conn *conn, unsigned how, int64_t key)
{
    struct advisory *a = advisory_find(conn, how, key);

    if (!a)
        return 0;
    if (--a->times > 0)
        return 1;
    for (struct advisory **at = &conn->db->advisory; *at; at = &(*at)->next)
        if (*at == a) {
            *at = a->next;
            break;
        }
    conn->db->advisory_count--;
    conn->advisory_count--;
    mem_free(a);
    return 1;
}

static int advisory_once(struct dendro_conn *conn, unsigned how, int64_t key, struct dn_err *err)
{
    int rc = 1;

    sched_lock(conn->db->lock);
    if (!(how & FUNC_LOCK_GIVE))
        rc = advisory_take(conn, how, key, err);
    else if (how & FUNC_LOCK_ALL)
        advisory_sweep(conn, true, false, 0);
    else
        rc = advisory_give(conn, how, key);
    sched_unlock(conn->db->lock);
    return rc;
}

int advisory_ask(struct dendro_conn *conn, unsigned how, int64_t key, struct dn_err *err)
{
    struct sched *sched = conn->db->volume->sched;
    uint64_t start = sched_now_ns(sched);
    uint64_t most = (uint64_t)conn->settings.lock_timeout * 1000000u;
    int rc = advisory_once(conn, how, key, err);

    if (rc == 0 && how & FUNC_LOCK_GIVE)
        session_notice(conn,
                       "WARNING",
                       "you don't own a lock of type %s",
                       how & FUNC_LOCK_SHARED ? "ShareLock" : "ExclusiveLock");
    while (rc == 0 && !(how & (FUNC_LOCK_TRY | FUNC_LOCK_GIVE))) {
        sched_sleep_ns(sched, ADVISORY_LOOK_NS);
        rc = session_check_cancel(conn, err);
        if (rc == 0 && most && sched_now_ns(sched) - start > most)
            rc = DN_FAIL(err, DN_E_LOCK_TIMEOUT, "canceling statement due to lock timeout");
        if (rc == 0)
            rc = advisory_once(conn, how, key, err);
    }
    return rc;
}

void advisory_end_transaction(struct dendro_conn *conn)
{
    if (!conn->advisory_xact)
        return;
    sched_lock(conn->db->lock);
    advisory_sweep(conn, false, true, 0);
    sched_unlock(conn->db->lock);
    conn->advisory_xact = false;
}

void advisory_back_to(struct dendro_conn *conn, size_t save)
{
    if (!conn->advisory_xact)
        return;
    sched_lock(conn->db->lock);
    advisory_sweep(conn, false, true, save + 1);
    sched_unlock(conn->db->lock);
}

void advisory_release(struct dendro_conn *conn, size_t save)
{
    if (!conn->advisory_xact)
        return;
    sched_lock(conn->db->lock);
    for (struct advisory *a = conn->db->advisory; a; a = a->next)
        if (a->holder == conn && a->level > save)
            a->level = save;
    sched_unlock(conn->db->lock);
}

void advisory_end_session(struct dendro_conn *conn)
{
    if (!conn->advisory_held)
        return;
    sched_lock(conn->db->lock);
    advisory_sweep(conn, true, true, 0);
    sched_unlock(conn->db->lock);
    conn->advisory_held = conn->advisory_xact = false;
}

void advisory_free(struct dendro_db *db)
{
    while (db->advisory) {
        struct advisory *a = db->advisory;

        db->advisory = a->next;
        mem_free(a);
    }
}
