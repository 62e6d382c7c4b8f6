/* SPDX-License-Identifier: Apache-2.0
 *
 * activity.c: see activity.h. */
#include "engine/activity.h"

#include "base/text.h"
#include "engine/engine_int.h"

#include <stdio.h>

#define ACTIVITY_LOOK_NS 5000000u /* between looks whether a session is gone */

/* ---- the session's own entry ---- */

int32_t engine_pid(const dendro_conn *conn)
{
    return conn->functions.id;
}

/* Under the lock: names, which only SET and a login change. */
static void activity_names(struct dendro_conn *conn)
{
    struct activity *a = &conn->activity;

    if (a->epoch == conn->epoch)
        return;
    a->epoch = conn->epoch;
    a->user = conn->user;
    snprintf(a->user_name, sizeof a->user_name, "%s", conn->functions.login);
    snprintf(a->application, sizeof a->application, "%s", conn->settings.application_name);
}

static int64_t activity_now(const struct dendro_conn *conn)
{
    return volume_clock_ns(conn->db->volume);
}

void activity_connect(struct dendro_conn *conn)
{
    struct activities *all = &conn->db->activity;
    struct activity *a = &conn->activity;

    atomic_init(&a->ended, false);
    sched_lock(all->lock);
    a->pid = conn->functions.id;
    a->epoch = conn->epoch + 1; /* not copied yet */
    activity_names(conn);
    a->connected_ns = a->changed_ns = activity_now(conn);
    a->next = all->first;
    if (a->next)
        a->next->activity.prev = conn;
    all->first = conn;
    all->count++;
    sched_unlock(all->lock);
}

void activity_disconnect(struct dendro_conn *conn)
{
    struct activities *all = &conn->db->activity;
    struct activity *a = &conn->activity;

    sched_lock(all->lock);
    if (a->prev)
        a->prev->activity.next = a->next;
    else
        all->first = a->next;
    if (a->next)
        a->next->activity.prev = a->prev;
    all->count--;
    sched_unlock(all->lock);
}

void engine_client(dendro_conn *conn, const struct engine_client *client)
{
    struct activity *a = &conn->activity;

    sched_lock(conn->db->activity.lock);
    snprintf(a->address, sizeof a->address, "%s", client->address ? client->address : "");
    a->port = client->port;
    a->signal = client->signal;
    a->signal_arg = client->arg;
    activity_names(conn);
    sched_unlock(conn->db->activity.lock);
}

int activity_text(struct dendro_stmt *stmt, const char *text, size_t len, struct dn_err *err)
{
    struct engine_about about;
    char masked[sizeof about.kind + sizeof about.object + 16];

    while (len > 0 && text_one_of(text[0], " \t\r\n\f;")) {
        text++;
        len--;
    }
    engine_about(stmt, &about);
    if (about.secret) { /* as the log has it */
        engine_about_masked(&about, masked, sizeof masked);
        text = masked;
        len = strlen(masked);
    }
    if (len >= ACTIVITY_QUERY_MAX) {
        len = ACTIVITY_QUERY_MAX - 1;
        while (len > 0 && ((unsigned char)text[len] & 0xC0) == 0x80)
            len--;
    }
    stmt->shown = arena_strndup(&stmt->arena, text, len);
    return stmt->shown ? 0 : DN_FAIL_NOMEM(err);
}

void activity_begin(struct dendro_stmt *stmt)
{
    struct dendro_conn *conn = stmt->conn;
    struct activity *a = &conn->activity;

    if (conn->stepping != 1 || stmt->of_cursor)
        return;
    sched_lock(conn->db->activity.lock);
    activity_names(conn);
    a->state = FUNC_ACTIVITY_ACTIVE;
    a->transaction_ns = conn->functions.transaction_ns;
    a->statement_ns = a->changed_ns = conn->functions.statement_ns;
    snprintf(a->query, sizeof a->query, "%s", stmt->shown ? stmt->shown : "");
    sched_unlock(conn->db->activity.lock);
}

static void activity_change(struct dendro_conn *conn, enum func_activity_state state)
{
    struct activity *a = &conn->activity;

    if (a->state == state && a->epoch == conn->epoch) /* only this thread writes them */
        return;
    sched_lock(conn->db->activity.lock);
    activity_names(conn);
    if (a->state != state)
        a->changed_ns = activity_now(conn);
    a->state = state;
    a->transaction_ns = tx_in_block(conn)               ? conn->tx.now_ns
                        : state == FUNC_ACTIVITY_ACTIVE ? conn->functions.transaction_ns
                                                        : 0;
    sched_unlock(conn->db->activity.lock);
}

void activity_resume(struct dendro_conn *conn)
{
    if (conn->stepping == 1)
        activity_change(conn, FUNC_ACTIVITY_ACTIVE);
}

void activity_rest(struct dendro_conn *conn)
{
    static const enum func_activity_state states[] = {
        [TX_IDLE] = FUNC_ACTIVITY_IDLE,
        [TX_BLOCK] = FUNC_ACTIVITY_BLOCK,
        [TX_FAILED] = FUNC_ACTIVITY_FAILED,
    };

    if (conn->stepping == 0)
        activity_change(conn, conn->tx.implicit ? FUNC_ACTIVITY_IDLE : states[conn->tx.state]);
}

void engine_waits(dendro_conn *conn)
{
    activity_rest(conn);
}

bool activity_ended(const struct dendro_conn *conn)
{
    return atomic_load_explicit(&conn->activity.ended, memory_order_relaxed);
}

int activity_explain(const struct dendro_conn *conn, int rc, struct dn_err *err)
{
    if (rc != DN_E_CANCELED || !activity_ended(conn))
        return rc;
    return DN_FAIL(err, DN_E_TERMINATED, "terminating connection due to administrator command");
}

/* ---- all of them ---- */

/* May the session see what those of that role do? */
static bool
activity_seen(const struct dendro_conn *conn, const struct access *access, uint32_t user)
{
    return access_inherits(access, conn->role, user) ||
           access_inherits(access, conn->role, ACCESS_READ_STATS);
}

static void activity_tell(const struct dendro_conn *conn,
                          const struct access *access,
                          const struct activity *a,
                          func_activity_fn fn,
                          void *fn_arg)
{
    const struct func_activity one = {.pid = a->pid,
                                      .user = a->user,
                                      .user_name = a->user_name,
                                      .application = a->application,
                                      .seen = activity_seen(conn, access, a->user),
                                      .state = a->state,
                                      .address = a->address[0] ? a->address : NULL,
                                      .port = a->port,
                                      .connected_us = a->connected_ns / 1000,
                                      .transaction_us = a->transaction_ns / 1000,
                                      .statement_us = a->statement_ns / 1000,
                                      .changed_us = a->changed_ns / 1000,
                                      .query = a->query};

    fn(fn_arg, &one);
}

/* Copies entries, as many as there is room for; returns how many there are. */
static uint32_t activity_copy(struct activities *all, struct activity *to, uint32_t room)
{
    uint32_t n = 0;

    sched_lock(all->lock);
    for (const struct dendro_conn *c = all->first; c; c = c->activity.next) {
        if (n < room)
            memcpy(&to[n], &c->activity, sizeof to[n]);
        n++;
    }
    sched_unlock(all->lock);
    return n;
}

int activity_each(void *arg, func_activity_fn fn, void *fn_arg, struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    uint32_t room, count = activity_copy(&conn->db->activity, NULL, 0);
    struct activity *list = NULL;
    struct catalog *cat;

    do { /* sessions come and go meanwhile */
        room = count + 16;
        mem_free(list);
        list = mem_alloc_array(&conn->db->owner, room, sizeof(*list));
        if (!list)
            return DN_FAIL_NOMEM(err);
        count = activity_copy(&conn->db->activity, list, room);
    } while (count > room);
    cat = tx_catalog(conn);
    for (uint32_t i = count; i-- > 0;) /* the oldest first */
        activity_tell(conn, cat->access, &list[i], fn, fn_arg);
    catalog_unref(cat);
    mem_free(list);
    return 0;
}

/* ---- signals ---- */

/* Under the lock. */
static struct dendro_conn *activity_find(const struct activities *all, int64_t pid)
{
    struct dendro_conn *c = all->first;

    while (c && c->activity.pid != pid)
        c = c->activity.next;
    return c;
}

static bool activity_user(struct activities *all, int64_t pid, uint32_t *ret)
{
    const struct dendro_conn *c;

    sched_lock(all->lock);
    c = activity_find(all, pid);
    if (c)
        *ret = c->activity.user;
    sched_unlock(all->lock);
    return c != NULL;
}

static int activity_may(struct dendro_conn *conn, uint32_t user, bool end, struct dn_err *err)
{
    struct catalog *cat = tx_catalog(conn);
    int rc = 0;

    if (access_superuser(cat->access, user) && !access_superuser(cat->access, conn->role))
        rc = DN_FAIL(err,
                     DN_E_DENIED,
                     "must be a superuser to %s",
                     end ? "terminate superuser process" : "cancel superuser query");
    else if (!access_inherits(cat->access, conn->role, user) &&
             !access_inherits(cat->access, conn->role, ACCESS_SIGNAL))
        rc = DN_FAIL(err,
                     DN_E_DENIED,
                     "must be a member of the role whose %s or member of pg_signal_backend",
                     end ? "process is being terminated" : "query is being canceled");
    catalog_unref(cat);
    return rc;
}

/* Flags alone are set: the session itself sees them. */
static void activity_tell_one(struct activities *all, int64_t pid, bool end)
{
    struct dendro_conn *c;

    sched_lock(all->lock);
    c = activity_find(all, pid);
    if (c) {
        if (end)
            atomic_store(&c->activity.ended, true);
        atomic_store(&c->cancel, true);
        if (c->activity.signal)
            c->activity.signal(c->activity.signal_arg, end);
    }
    sched_unlock(all->lock);
}

/* 1 it is gone, 0 the time is up. */
static int activity_await(struct dendro_conn *conn, const struct func_signal *s, struct dn_err *err)
{
    struct sched *sched = conn->db->volume->sched;
    uint64_t start = sched_now_ns(sched);
    uint32_t user;
    int rc;

    while (activity_user(&conn->db->activity, s->pid, &user)) {
        rc = session_check_cancel(conn, err);
        if (rc < 0)
            return rc;
        if ((sched_now_ns(sched) - start) / 1000000u >= (uint64_t)s->timeout_ms) {
            session_notice(conn,
                           "WARNING",
                           "backend with PID %d did not terminate within %lld milliseconds",
                           (int)s->pid,
                           (long long)s->timeout_ms);
            return 0;
        }
        sched_sleep_ns(sched, ACTIVITY_LOOK_NS);
    }
    return 1;
}

int activity_signal(void *arg, const struct func_signal *s, struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    struct activities *all = &conn->db->activity;
    uint32_t user = 0;
    int rc;

    if (s->timeout_ms < 0)
        return DN_FAIL(err, DN_E_OUT_OF_RANGE, "\"timeout\" must not be negative");
    if (!activity_user(all, s->pid, &user)) {
        session_notice(conn, "WARNING", "PID %d is not a PostgreSQL backend process", (int)s->pid);
        return 0;
    }
    rc = activity_may(conn, user, s->end, err);
    if (rc < 0)
        return rc;
    activity_tell_one(all, s->pid, s->end);
    return s->end && s->timeout_ms > 0 ? activity_await(conn, s, err) : 1;
}
