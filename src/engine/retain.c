/* SPDX-License-Identifier: Apache-2.0
 *
 * retain.c: see the header. */
#include "engine/retain.h"

#include "engine/timepart.h"
#include "store/shard_slabs.h"

#define RETAIN_COUNT_SECONDS                                             \
    1 /* between looks at what flushes made, where size or number counts \
       */
#define RETAIN_FINISH_TRIES 100

/* What one look does. */
struct retain {
    struct dendro_db *db;
    const atomic_bool *cancel; /* borrowed; NULL = never */
    struct catalog *cat;       /* reference */
    struct catalog_horizon *moves;
    size_t moves_count;
    struct arena arena;
};

static bool retain_wanted(const struct table *t)
{
    return t->retention.kind != RETENTION_NONE;
}

bool engine_retains(struct dendro_db *db)
{
    struct catalog *cat = engine_catalog(db);
    bool any = false;

    for (size_t i = 0; i < cat->tables_count && !any; i++)
        any = retain_wanted(cat->tables[i]);
    catalog_unref(cat);
    return any;
}

static int retain_slabs(struct dendro_db *db,
                        const struct table *t,
                        struct shard_slabs *ret,
                        struct dn_err *err)
{
    struct snapshot *snap = shard_snapshot(db->shard);
    int rc = snap ? shard_slabs_list(snap, t, &db->owner, ret, err) : DN_FAIL_NOMEM(err);

    snapshot_free(snap);
    return rc;
}

/* ---- step 1 ---- */

static int
retain_horizon(struct retain *r, const struct table *t, int64_t *ret_horizon, struct dn_err *err)
{
    struct shard_slabs slabs = {.count = 0};
    struct retention_slab *list = NULL;
    int rc = 0;

    if (retention_counts(&t->retention)) {
        rc = retain_slabs(r->db, t, &slabs, err);
        list = rc == 0 ? arena_calloc(&r->arena, (size_t)slabs.count + 1, sizeof(*list)) : NULL;
        if (rc == 0 && !list)
            rc = DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; rc == 0 && i < slabs.count; i++)
        list[i] = (struct retention_slab){
            .start = slabs.list[i].start, .rows = slabs.list[i].rows, .bytes = slabs.list[i].bytes};
    if (rc == 0)
        *ret_horizon = retention_horizon(t, engine_sure_ns(r->db), list, slabs.count);
    shard_slabs_done(&slabs);
    return rc;
}

static int
retain_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    const struct retain *r = arg;

    return catalog_with_horizons(cur, r->moves, r->moves_count, ret_next, err);
}

static int retain_move(struct retain *r, struct dn_err *err)
{
    int rc = 0;

    r->moves = arena_calloc(&r->arena, r->cat->tables_count + 1, sizeof(*r->moves));
    if (!r->moves)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; rc == 0 && i < r->cat->tables_count; i++) {
        const struct table *t = r->cat->tables[i];
        int64_t horizon;

        if (!retain_wanted(t))
            continue;
        rc = retain_horizon(r, t, &horizon, err);
        if (rc == 0 && horizon > t->horizon)
            r->moves[r->moves_count++] =
                (struct catalog_horizon){.table = t->id, .version = t->version, .horizon = horizon};
    }
    return rc == 0 && r->moves_count > 0 ? engine_edit(r->db, r->cancel, retain_edit, r, err) : rc;
}

/* ---- step 2 ---- */

static int retain_below(struct dendro_db *db, const struct table *t, bool *ret, struct dn_err *err)
{
    struct shard_slabs slabs = {.count = 0};
    int rc = retain_slabs(db, t, &slabs, err);

    *ret = rc == 0 && slabs.count > 0 && slabs.list[0].start < t->horizon;
    shard_slabs_done(&slabs);
    return rc;
}

static int retain_drop(struct dendro_db *db, const struct table *t, struct dn_err *err)
{
    bool any = false;
    int rc = retain_below(db, t, &any, err);

    if (rc == 0 && any)
        rc = shard_slabs_retain(db->shard, t, t->horizon, err);
    return rc;
}

int engine_retain(struct dendro_db *db,
                  const atomic_bool *cancel,
                  int64_t *ret_when,
                  struct dn_err *err)
{
    struct retain r = {.db = db, .cancel = cancel};
    int64_t now = engine_sure_ns(db);
    int rc;

    *ret_when = INT64_MAX;
    if (db->read_only || !engine_retains(db))
        return 0;
    arena_init(&r.arena, &db->owner);
    r.cat = engine_catalog(db);
    rc = engine_sync_shard(db, err);
    if (rc == 0)
        rc = retain_move(&r, err);
    catalog_unref(r.cat);
    r.cat = engine_catalog(db);
    if (rc == 0)
        rc = engine_sync_shard(db, err); /* from here on no row comes before the horizons */
    for (size_t i = 0; rc == 0 && i < r.cat->tables_count; i++) {
        const struct table *t = r.cat->tables[i];
        int64_t when = retention_counts(&t->retention) ? now / 1000000000 + RETAIN_COUNT_SECONDS
                                                       : retention_next(t, now);

        if (t->horizon != RETENTION_NO_HORIZON)
            rc = retain_drop(db, t, err);
        if (rc == DN_E_TABLE_CHANGED) /* the next look finds what has become of it */
            rc = 0;
        if (when < *ret_when)
            *ret_when = when;
    }
    catalog_unref(r.cat);
    arena_done(&r.arena);
    return rc;
}

void engine_retain_now(struct dendro_db *db, const atomic_bool *cancel)
{
    struct dn_err ignored;

    if (!db->read_only && engine_retains(db))
        DN_IGNORE(engine_rollouts_run(db, cancel, &ignored)); /* the task tries again */
}

int engine_retain_finish(struct dendro_db *db, const struct table *t, struct dn_err *err)
{
    struct shard_span span;
    bool any = true;
    int rc = 0;

    for (int i = 0; rc == 0 && i < RETAIN_FINISH_TRIES; i++) {
        rc = retain_drop(db, t, err);
        if (rc < 0)
            break;
        shard_hold(db->shard, t->id, &span);
        rc = retain_below(db, t, &any, err);
        if (rc == 0 && !any)
            return 0;
        shard_release(db->shard); /* a load was faster */
    }
    return rc < 0 ? rc
                  : DN_FAIL(err,
                            DN_E_CONFLICT,
                            "rows that retention drops come into table \"%s\" faster than they go",
                            t->name);
}
