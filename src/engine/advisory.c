/* SPDX-License-Identifier: Apache-2.0
 *
 * advisory.c: see advisory.h. What is held is found by its key and by its session, under the
 * database's lock, which is kept for moments only, however many there are.
 * Whoever must wait looks again every few milliseconds, so that cancel and lock_timeout are seen.
 */
#include "engine/advisory.h"

#include "base/hash.h"
#include "engine/engine_int.h"

#define ADVISORY_LOOK_NS 5000000u /* between looks */
#define ADVISORY_MAX     100000u  /* that are held at once */
#define ADVISORY_SHARE   10000u   /* … by one session, so that it cannot take all */
#define ADVISORY_ROLE    50000u   /* … and by all sessions of a role that is no superuser */

struct advisory {
    struct advisory *next;  /* of the same bucket */
    struct advisory *after; /* of the same session */
    struct advisory *before;
    struct dendro_conn *holder;
    int64_t key;
    unsigned how;   /* FUNC_LOCK_SHARED, _XACT, _PAIR */
    size_t level;   /* savepoints that there were, of a lock for the transaction; else 0 */
    uint32_t times; /* taken */
};

#define ADVISORY_SORT ((unsigned)(FUNC_LOCK_SHARED | FUNC_LOCK_XACT | FUNC_LOCK_PAIR))

/* Where locks of that key are. */
static struct advisory **advisory_bucket(struct dendro_db *db, int64_t key)
{
    return &db->advisory[dn_mix64((uint64_t)key) % ADVISORY_BUCKETS];
}

/* Does what another session holds stand in the way? */
static bool advisory_blocked(const struct dendro_conn *conn, unsigned how, int64_t key)
{
    for (const struct advisory *a = *advisory_bucket(conn->db, key); a; a = a->next)
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
    struct advisory *a = *advisory_bucket(conn->db, key);

    while (a && !(a->holder == conn && a->key == key && a->how == (how & ADVISORY_SORT) &&
                  a->level == advisory_level(conn, how)))
        a = a->next;
    return a;
}

/* Under the lock: so many more are held. */
static void advisory_count(struct dendro_conn *conn, int more)
{
    conn->db->advisory_count += (uint32_t)more;
    conn->advisory_count += (uint32_t)more;
    if (conn->share)
        conn->share->locks += (uint32_t)more;
}

/* Under the lock: it is held no more. */
static void advisory_drop(struct advisory *a)
{
    struct advisory **at = advisory_bucket(a->holder->db, a->key);

    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    if (a->before)
        a->before->after = a->after;
    else
        a->holder->advisory = a->after;
    if (a->after)
        a->after->before = a->before;
    advisory_count(a->holder, -1);
    mem_free(a);
}

static int advisory_full(const struct dendro_conn *conn, struct dn_err *err)
{
    bool own = conn->advisory_count >= ADVISORY_SHARE;
    bool role = !own && conn->share && conn->share->locks >= ADVISORY_ROLE;
    int rc;

    if (role)
        rc = DN_FAIL(err,
                     DN_E_NOMEM,
                     "out of shared memory: the sessions of role \"%s\" hold %u advisory locks",
                     conn->login_name,
                     ADVISORY_ROLE);
    else
        rc = DN_FAIL(err,
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
    struct advisory **bucket;

    if (advisory_blocked(conn, how, key))
        return 0;
    if (a) {
        a->times++;
        return 1;
    }
    if (conn->advisory_count >= ADVISORY_SHARE || conn->db->advisory_count >= ADVISORY_MAX ||
        (conn->share && conn->share->locks >= ADVISORY_ROLE))
        return advisory_full(conn, err);
    a = mem_calloc(keep_source(conn), 1, sizeof(*a));
    if (!a)
        return DN_FAIL_NOMEM(err);
    bucket = advisory_bucket(conn->db, key);
    *a = (struct advisory){.next = *bucket,
                           .after = conn->advisory,
                           .holder = conn,
                           .key = key,
                           .how = how & ADVISORY_SORT,
                           .level = advisory_level(conn, how),
                           .times = 1};
    *bucket = a;
    if (conn->advisory)
        conn->advisory->before = a;
    conn->advisory = a;
    advisory_count(conn, 1);
    conn->advisory_held = true;
    conn->advisory_xact = conn->advisory_xact || (how & FUNC_LOCK_XACT);
    return 1;
}

/* Under the lock: all of that sort goes; of the transaction's from this level on. */
static void advisory_sweep(struct dendro_conn *conn, bool session, bool xact, size_t level)
{
    struct advisory *after;

    for (struct advisory *a = conn->advisory; a; a = after) {
        after = a->after;
        if (a->how & FUNC_LOCK_XACT ? xact && a->level >= level : session)
            advisory_drop(a);
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
    advisory_drop(a);
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
    for (struct advisory *a = conn->advisory; a; a = a->after)
        if (a->level > save)
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
    for (size_t i = 0; i < ADVISORY_BUCKETS; i++)
        while (db->advisory[i]) {
            struct advisory *a = db->advisory[i];

            db->advisory[i] = a->next;
            mem_free(a);
        }
}
