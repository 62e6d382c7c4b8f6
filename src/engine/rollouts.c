/* SPDX-License-Identifier: Apache-2.0
 *
 * rollouts.c: who runs rollouts and retention, and when; see timepart.h and retain.h. */
#include "engine/retain.h"
#include "engine/timepart.h"

#include <string.h>

#define ROLLOUTS_LEASE    "rollout"
#define ROLLOUTS_HOLDER   "rollouts"
#define ROLLOUTS_LEASE_NS ((uint64_t)60 * 1000000000)
#define ROLLOUTS_LOOK_NS  ((uint64_t)60 * 1000000000) /* at least so often: clocks are set */
#define ROLLOUTS_RETRY_NS ((uint64_t)1000000000)      /* after a step that failed */

struct rollouts {
    struct dendro_db *db;
    struct sched_mutex *lock;
    struct sched_cond *news; /* look again, or the end */
    struct sched_task *task;
    bool stop;
    bool again;
};

int engine_rollout_now(struct dendro_db *db,
                       const struct table *t,
                       struct rollout_now *ret,
                       struct dn_err *err)
{
    struct engine_logical *all = NULL;
    char name[COUNTER_NAME_MAX];
    struct arena arena;
    size_t count = 0;
    int rc = 0;

    *ret = (struct rollout_now){.seconds = engine_sure_ns(db) / 1000000000};
    if (!t->timepart->manual)
        return 0;
    timepart_counter_name(t, name);
    arena_init(&arena, &db->owner);
    rc = engine_counters(db, &arena, &all, &count, err);
    for (size_t i = 0; rc == 0 && i < count; i++)
        if (strcmp(all[i].name, name) == 0) {
            ret->counted = all[i].set;
            ret->counter = all[i].value;
        }
    arena_done(&arena);
    return rc;
}

struct rollouts_step {
    uint64_t parent;
    struct rollout_now now;
};

static int
rollouts_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    const struct rollouts_step *s = arg;
    const struct table *t = catalog_table_by_id(cur, s->parent);
    enum rollout_act act = t && t->timepart ? rollout_due(t->timepart, &s->now) : ROLLOUT_NOTHING;

    if (act == ROLLOUT_NOTHING) /* somebody was faster */
        return DN_NOT_FOUND;
    return rollout_edit(cur, s->parent, act, &s->now, ret_next, err);
}

/* One step that is due. 0: it was made, DN_NOT_FOUND: there is none, and *ret_when is the time of
 * the next, in seconds. */
static int
rollouts_one(struct dendro_db *db, const atomic_bool *cancel, int64_t *ret_when, struct dn_err *err)
{
    struct catalog *cat = engine_catalog(db);
    struct rollouts_step step = {.parent = 0};
    int rc = 0;

    *ret_when = INT64_MAX;
    for (size_t i = 0; rc == 0 && i < cat->tables_count && !step.parent; i++) {
        const struct table *t = cat->tables[i];
        struct rollout_now now;
        int64_t when = INT64_MAX;

        if (!t->timepart)
            continue;
        rc = engine_rollout_now(db, t, &now, err);
        if (rc == 0 && rollout_next(t->timepart, &now, &when) != ROLLOUT_NOTHING &&
            when <= now.seconds) {
            step = (struct rollouts_step){.parent = t->id, .now = now};
        } else if (when < *ret_when) {
            *ret_when = when;
        }
    }
    catalog_unref(cat);
    if (rc == 0)
        rc = step.parent ? engine_edit(db, cancel, rollouts_edit, &step, err) : DN_NOT_FOUND;
    return rc == DN_NOT_FOUND && step.parent ? 0 : rc;
}

/* All that is due. */
static int
rollouts_all(struct dendro_db *db, const atomic_bool *cancel, int64_t *ret_when, struct dn_err *err)
{
    int64_t when;
    int rc;

    *ret_when = INT64_MAX;
    if (db->read_only)
        return 0;
    engine_clock_record(db);
    rc = volume_lease_acquire(db->volume, ROLLOUTS_LEASE, ROLLOUTS_HOLDER, ROLLOUTS_LEASE_NS, err);
    if (rc == DN_E_BUSY) { /* another one does it */
        *ret_when = engine_sure_ns(db) / 1000000000 + 1;
        return 0;
    }
    while (rc == 0)
        rc = rollouts_one(db, cancel, ret_when, err);
    if (rc == DN_NOT_FOUND) {
        rc = engine_retain(db, cancel, &when, err);
        *ret_when = when < *ret_when ? when : *ret_when;
    }
    volume_lease_release(db->volume, ROLLOUTS_LEASE, ROLLOUTS_HOLDER);
    return rc;
}

int engine_rollouts_run(struct dendro_db *db, const atomic_bool *cancel, struct dn_err *err)
{
    int64_t when;
    int rc = rollouts_all(db, cancel, &when, err);

    engine_rollouts_wake(db);
    return rc;
}

/* ---- the task ---- */

static uint64_t rollouts_wait(struct dendro_db *db, int64_t when)
{
    int64_t left = 0;

    if (__builtin_mul_overflow(when, (int64_t)1000000000, &when))
        return ROLLOUTS_LOOK_NS;
    left = when - engine_sure_ns(db);
    return left <= 0 ? 1 : (uint64_t)left > ROLLOUTS_LOOK_NS ? ROLLOUTS_LOOK_NS : (uint64_t)left;
}

static void rollouts_task(void *arg)
{
    struct rollouts *r = arg;
    struct dn_err err;

    sched_lock(r->lock);
    while (!r->stop) {
        int64_t when;
        uint64_t wait_ns;
        int rc;

        r->again = false;
        sched_unlock(r->lock);
        dn_err_clear(&err);
        rc = rollouts_all(r->db, NULL, &when, &err);
        wait_ns = rc < 0 ? ROLLOUTS_RETRY_NS : rollouts_wait(r->db, when);
        shard_expire(r->db->shard);
        sched_lock(r->lock);
        if (!r->stop && !r->again)
            sched_wait_ns(r->news, r->lock, wait_ns);
    }
    sched_unlock(r->lock);
}

bool engine_rollouts_wanted(struct dendro_db *db)
{
    struct catalog *cat = engine_catalog(db);
    bool wanted = atomic_load(&db->expires);

    for (size_t i = 0; i < cat->tables_count && !wanted; i++)
        wanted = cat->tables[i]->timepart || cat->tables[i]->retention.kind != RETENTION_NONE ||
                 shard_expires(db->shard, cat->tables[i]->id);
    catalog_unref(cat);
    return wanted;
}

static void rollouts_free(struct rollouts *r)
{
    sched_cond_free(r->news);
    sched_mutex_free(r->lock);
    mem_free(r);
}

/* Without the memory for it the next one who wakes it makes it. */
static struct rollouts *rollouts_new(struct dendro_db *db)
{
    struct rollouts *r = mem_calloc(&db->owner, 1, sizeof(*r));
    struct dn_err ignored;

    if (!r)
        return NULL;
    r->db = db;
    r->lock = sched_mutex_new(db->volume->sched, "rollouts");
    r->news = sched_cond_new(db->volume->sched, "rollouts");
    if (r->lock && r->news &&
        sched_spawn(db->volume->sched, "rollouts", rollouts_task, r, &r->task, &ignored) == 0)
        return r;
    rollouts_free(r);
    return NULL;
}

void engine_rollouts_wake(struct dendro_db *db)
{
    struct rollouts *r;

    if (db->read_only || !db->background || !engine_rollouts_wanted(db))
        return;
    sched_lock(db->lock); /* so that one is made */
    if (!db->rollouts)
        db->rollouts = rollouts_new(db);
    r = db->rollouts;
    sched_unlock(db->lock);
    if (!r)
        return;
    sched_lock(r->lock);
    r->again = true;
    sched_signal(r->news);
    sched_unlock(r->lock);
}

void engine_rollouts_expiry(struct dendro_db *db)
{
    if (!atomic_load_explicit(&db->expires, memory_order_relaxed) &&
        !atomic_exchange(&db->expires, true))
        engine_rollouts_wake(db);
}

void engine_rollouts_stop(struct dendro_db *db)
{
    struct rollouts *r = db->rollouts;

    if (!r)
        return;
    sched_lock(r->lock);
    r->stop = true;
    sched_signal(r->news);
    sched_unlock(r->lock);
    sched_join(r->task);
    rollouts_free(r);
    db->rollouts = NULL;
}
