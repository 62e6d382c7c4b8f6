/* SPDX-License-Identifier: Apache-2.0
 *
 * watch.c: see watch.h. */
#include "engine/watch.h"

#include "engine/engine_int.h"

struct watch {
    struct sched *sched;
    struct sched_mutex *lock;
    struct sched_cond *news; /* an earlier deadline, or the end */
    struct sched_task *task;
    bool stop;
    struct dendro_conn *first; /* list of sessions with a deadline, in no order */
};

static uint64_t watch_due(const struct watch *w)
{
    uint64_t due = UINT64_MAX;

    for (const struct dendro_conn *c = w->first; c; c = c->watched.next)
        due = c->watched.deadline_ns < due ? c->watched.deadline_ns : due;
    return due;
}

static void watch_remove(struct watch *w, struct dendro_conn *conn)
{
    for (struct dendro_conn **at = &w->first; *at; at = &(*at)->watched.next)
        if (*at == conn) {
            *at = conn->watched.next;
            return;
        }
}

static void watch_run(void *arg)
{
    struct watch *w = arg;

    sched_lock(w->lock);
    while (!w->stop) {
        uint64_t now = sched_now_ns(w->sched);
        uint64_t due = watch_due(w);

        if (due == UINT64_MAX) {
            sched_wait(w->news, w->lock);
        } else if (due > now) {
            sched_wait_ns(w->news, w->lock, due - now);
        } else {
            struct dendro_conn *c = w->first;

            while (c->watched.deadline_ns != due)
                c = c->watched.next;
            watch_remove(w, c);
            atomic_store(&c->watched.timed_out, true);
            atomic_store(&c->cancel, true);
        }
    }
    sched_unlock(w->lock);
}

static int watch_new(struct dendro_db *db, struct watch **ret, struct dn_err *err)
{
    struct watch *w = mem_calloc(&db->owner, 1, sizeof(*w));
    int rc;

    if (!w)
        return DN_FAIL_NOMEM(err);
    w->sched = db->volume->sched;
    w->lock = sched_mutex_new(w->sched, "watch");
    w->news = sched_cond_new(w->sched, "watch");
    rc = w->lock && w->news ? sched_spawn(w->sched, "watch", watch_run, w, &w->task, err)
                            : DN_FAIL_NOMEM(err);
    if (rc < 0) {
        sched_cond_free(w->news);
        sched_mutex_free(w->lock);
        mem_free(w);
        return rc;
    }
    *ret = w;
    return 0;
}

/* That of the database, made if there is none yet. */
static int watch_get(struct dendro_db *db, struct watch **ret, struct dn_err *err)
{
    int rc = 0;

    sched_lock(db->lock); /* so that one is made */
    if (!db->watch)
        rc = watch_new(db, &db->watch, err);
    *ret = db->watch;
    sched_unlock(db->lock);
    return rc;
}

int watch_begin(struct dendro_conn *conn, const void *what, struct dn_err *err)
{
    struct watch *w;
    int rc;

    atomic_store(&conn->watched.timed_out, false);
    if (conn->watched.what)
        watch_end(conn, conn->watched.what);
    if (conn->settings.statement_timeout == 0)
        return 0;
    rc = watch_get(conn->db, &w, err);
    if (rc < 0)
        return rc;
    sched_lock(w->lock);
    conn->watched.deadline_ns =
        sched_now_ns(w->sched) + (uint64_t)conn->settings.statement_timeout * 1000000u;
    conn->watched.next = w->first;
    w->first = conn;
    sched_signal(w->news);
    sched_unlock(w->lock);
    conn->watched.what = what;
    return 0;
}

void watch_end(struct dendro_conn *conn, const void *what)
{
    struct watch *w = conn->db->watch;

    if (conn->watched.what != what)
        return;
    sched_lock(w->lock);
    watch_remove(w, conn);
    sched_unlock(w->lock);
    conn->watched.what = NULL;
}

void watch_explain(const struct dendro_conn *conn, struct dn_err *err)
{
    if (err->code == DN_E_CANCELED && atomic_load(&conn->watched.timed_out))
        DN_IGNORE(/* it is the same error */
                  DN_FAIL(err, DN_E_CANCELED, "canceling statement due to statement timeout"));
}

void watch_free(struct dendro_db *db)
{
    struct watch *w = db->watch;

    if (!w)
        return;
    sched_lock(w->lock);
    w->stop = true;
    sched_signal(w->news);
    sched_unlock(w->lock);
    sched_join(w->task);
    sched_cond_free(w->news);
    sched_mutex_free(w->lock);
    mem_free(w);
    db->watch = NULL;
}
