/* SPDX-License-Identifier: Apache-2.0
 *
 * database.c: opening, closing, checking; the catalog that everybody sees and how it changes. */
#include "engine/advisory.h"
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/retain.h"
#include "engine/timepart.h"
#include "engine/watch.h"
#include "volume/beside.h"

#include <unistd.h>

#define ENGINE_MEMORY_SHARE   40u               /* percent of RAM */
#define ENGINE_MEMORY_UNKNOWN ((size_t)1 << 30) /* bytes, where the machine does not say */
#define ENGINE_MEMTABLE_SHARE 8u                /* of the memory limit, at most */
#define ENGINE_EDIT_TRIES     16                /* of a catalog edit that lost a race */
#define ENGINE_CATALOG_TRIES  1000              /* of opening beside a process that changes it */
#define ENGINE_MEMORY_MIN     ((size_t)4 * 1024 * 1024) /* bytes; less could not run a statement */

static size_t engine_memory_default(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGESIZE);

    if (pages <= 0 || page <= 0)
        return ENGINE_MEMORY_UNKNOWN;
    return (size_t)pages / 100 * ENGINE_MEMORY_SHARE * (size_t)page;
}

/* The log has a catalog that the document has not got: a crash came between the two. */
static int engine_take_newer(struct dendro_db *db, struct catalog *newer, struct dn_err *err)
{
    int rc = 0;

    atomic_store(&db->catalog_late, false);

    if (newer->generation == 0) /* out of the log */
        newer->generation = db->catalog->generation;
    catalog_unref(db->catalog);
    db->catalog = newer;
    if (!db->read_only)
        rc = catalog_save(db->volume, newer, err);
    if (rc == DN_E_NOSPC) { /* the log keeps it: a full disk can be opened */
        atomic_store(&db->catalog_late, true);
        dn_err_clear(err);
        rc = 0;
    }
    return rc;
}

static int engine_open_shard(struct dendro_db *db, bool background, struct dn_err *err)
{
    size_t limit = db->owner.limit;
    struct catalog *newer = NULL;
    struct shard_options options = {
        .owner = &db->owner,
        .memtable_bytes = (size_t)db->settings.memtable_size,
        .log_chunk_bytes = (size_t)db->settings.log_chunk_size,
        .cache_bytes = limit / 4,
        .read_only = db->read_only,
        .background = background,
        .newer = &newer,
    };
    unsigned tries = 0;
    int rc;

    /* Fresh rows may take three memtables, the cache and statements as much again: then there is
     * room for what a flush needs. */
    if (options.memtable_bytes > limit / ENGINE_MEMTABLE_SHARE)
        options.memtable_bytes = limit / ENGINE_MEMTABLE_SHARE;
    do { /* it may have several, one newer than the other */
        rc = shard_open(db->volume, db->catalog, &options, &db->shard, err);
        if (rc != DN_E_TABLE_CHANGED || !newer) {
            catalog_unref(newer);
            return rc;
        }
        rc = engine_take_newer(db, newer, err);
        options.catalog_unsaved = atomic_load(&db->catalog_late);
        newer = NULL;
    } while (rc == 0 && ++tries < ENGINE_CATALOG_TRIES);
    return rc < 0 ? rc
                  : DN_FAIL(err,
                            DN_E_SNAPSHOT_GONE,
                            "the catalog changes faster than the database can be opened");
}

static void engine_free(struct dendro_db *db)
{
    engine_rollouts_stop(db);
    if (db->shard)
        engine_settle(db);
    watch_free(db);
    advisory_free(db);
    engine_sequences_close(db);
    shard_close(db->shard);
    catalog_unref(db->catalog);
    tz_cache_free(db->zones);
    engine_settings_close(db);
    sched_mutex_free(db->lock);
    edit_lock_done(&db->edit);
    sched_mutex_free(db->sequences.lock);
    sched_mutex_free(db->activity.lock);
    if (db->volume_owned)
        volume_close(db->volume);
    keep_close(db);
    mem_free(db);
}

int engine_open_volume(struct volume *v,
                       const struct engine_options *options,
                       dendro_db **ret_db,
                       struct dn_err *err)
{
    struct dendro_db *db = mem_calloc(NULL, 1, sizeof(*db));
    size_t limit;
    int rc;

    if (!db)
        return DN_FAIL_NOMEM(err);
    db->volume = v;
    db->read_only = options->flags & DENDRO_OPEN_READ_ONLY;
    rc = engine_settings_open(db, options, err);
    if (rc == 0)
        rc = engine_clock_open(db, err);
    if (rc < 0)
        goto fail;
    limit =
        db->settings.memory_limit > 0 ? (size_t)db->settings.memory_limit : engine_memory_default();
    if (limit < ENGINE_MEMORY_MIN) {
        rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "memory_limit is %zu bytes; a database needs %zu MB",
                     limit,
                     ENGINE_MEMORY_MIN >> 20);
        goto fail;
    }
    mem_owner_init(&db->owner, "database", NULL, limit);
    keep_open(db);
    db->lock = sched_mutex_new(v->sched, "database");
    db->sequences.lock = sched_mutex_new(v->sched, "sequences");
    db->activity.lock = sched_mutex_new(v->sched, "sessions");
    if (!edit_lock_init(&db->edit, v->sched) || !db->lock || !db->sequences.lock ||
        !db->activity.lock) {
        rc = DN_FAIL_NOMEM(err);
        goto fail;
    }
    db->opened_ns = (uint64_t)volume_clock_ns(v);
    rc = tz_cache_new(&db->owner, v->sched, &db->zones, err);
    if (rc < 0)
        goto fail;
    rc = engine_settings_check(db, err);
    if (rc < 0)
        goto fail;
    rc = catalog_load(v, &db->catalog, err);
    if (rc < 0)
        goto fail;
    rc = engine_open_shard(db, options->background, err);
    if (rc < 0)
        goto fail;
    rc = engine_documents_open(db, err);
    if (rc < 0)
        goto fail;
    engine_sweep_temps(db);
    db->background = options->background;
    if (!engine_rollouts_wanted(db))
        engine_clock_unneeded(db);
    DN_IGNORE(engine_rollouts_run(db, NULL, err)); /* what cannot be done now is tried again */
    dn_err_clear(err);
    *ret_db = db;
    return 0;

fail:
    engine_free(db);
    return rc;
}

void engine_announce(dendro_db *db, const char *address)
{
    volume_announce(db->volume, address);
}

int engine_scratch(dendro_db *db, struct volume_scratch **ret, struct dn_err *err)
{
    return volume_scratch_open(db->volume, ret, err);
}

struct mem_owner *engine_owner(dendro_db *db)
{
    return &db->owner;
}

static int engine_open_posix(const char *path,
                             const struct engine_options *options,
                             unsigned threads,
                             dendro_db **ret_db,
                             struct dn_err *err)
{
    struct volume_posix_options vo = {
        .read_only = options->flags & DENDRO_OPEN_READ_ONLY,
        .create = !(options->flags & (DENDRO_OPEN_NO_CREATE | DENDRO_OPEN_READ_ONLY)),
        .threads_max = threads};
    struct volume *v;
    int rc = volume_posix_open(path, &vo, &v, err);

    if (rc < 0)
        return rc;
    rc = engine_open_volume(v, options, ret_db, err);
    if (rc < 0)
        volume_close(v);
    else
        (*ret_db)->volume_owned = true;
    return rc;
}

int engine_open(const char *path,
                const struct engine_options *options,
                dendro_db **ret_db,
                struct dn_err *err)
{
    return engine_open_posix(path, options, 0, ret_db, err);
}

int dendro_open(const char *path,
                const struct dendro_options *options,
                dendro_db **ret_db,
                struct dendro_error *err)
{
    struct dendro_options none = {.flags = 0};
    const struct dendro_options *o = options ? options : &none;
    struct engine_options eo = {.flags = o->flags, .settings = o->settings, .background = true};
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!path || !ret_db)
        return engine_return(
            err, &e, DN_FAIL(&e, DN_E_MISUSE, "dendro_open: no path, or no place for the result"));
    rc = engine_open_posix(path, &eo, o->threads, ret_db, &e);
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

int dendro_close(dendro_db *db)
{
    uint32_t conns;

    if (!db)
        return DENDRO_OK;
    sched_lock(db->lock);
    conns = db->conns_count;
    sched_unlock(db->lock);
    if (conns > 0)
        return DN_E_MISUSE;
    engine_free(db);
    return DENDRO_OK;
}

/* ---- check ---- */

int engine_check_volume(
    struct volume *v, dendro_report_fn report, void *arg, uint64_t *ret_faults, struct dn_err *err)
{
    struct catalog *cat = NULL;
    uint64_t faults = 0;
    int rc = catalog_load(v, &cat, err);

    if (rc < 0 && rc != DN_E_CORRUPT)
        return rc;
    if (rc == DN_E_CORRUPT) { /* it hides what segments and log are about */
        report(arg, true, err->text);
        faults = 1;
        rc = 0;
    } else {
        rc = shard_check(v, cat, report, arg, &faults, err);
    }
    if (rc == 0)
        rc = engine_documents_verify(v, cat, report, arg, &faults, err);
    catalog_unref(cat);
    *ret_faults = faults;
    return rc;
}

static void
engine_report_nothing(void *arg DN_UNUSED, bool fault DN_UNUSED, const char *text DN_UNUSED)
{
}

int dendro_check(const char *path,
                 dendro_report_fn report,
                 void *arg,
                 uint64_t *ret_faults,
                 struct dendro_error *err)
{
    struct volume_posix_options vo = {.read_only = true, .still = true};
    uint64_t faults = 0;
    struct volume *v;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (!path)
        return engine_return(err, &e, DN_FAIL(&e, DN_E_MISUSE, "dendro_check: no path"));
    rc = volume_posix_open(path, &vo, &v, &e);
    if (rc < 0)
        return engine_return(err, &e, rc);
    rc = engine_check_volume(v, report ? report : engine_report_nothing, arg, &faults, &e);
    volume_close(v);
    if (ret_faults)
        *ret_faults = faults;
    return engine_return(err, &e, rc < 0 ? rc : DENDRO_OK);
}

/* ---- the catalog ---- */

struct catalog *engine_catalog(struct dendro_db *db)
{
    struct catalog *c;

    sched_lock(db->lock);
    c = catalog_ref(db->catalog);
    sched_unlock(db->lock);
    return c;
}

/* Takes over the reference. Holds db->edit. */
static void engine_publish(struct dendro_db *db, struct catalog *next)
{
    struct catalog *old;

    /* First: whoever sees the new catalog must wait for the shard, or it refuses their rows. */
    atomic_store(&db->shard_behind, true);
    sched_lock(db->lock);
    old = db->catalog;
    db->catalog = next;
    sched_unlock(db->lock);
    catalog_unref(old);
}

static int engine_reload(struct dendro_db *db, struct dn_err *err)
{
    struct catalog *c;
    int rc = catalog_load(db->volume, &c, err);

    if (rc < 0)
        return rc;
    if (c->generation == 0 && db->catalog->generation > 0) { /* the first one of an empty volume */
        catalog_unref(c);
        rc = DN_FAIL(err,
                     DN_E_CORRUPT,
                     "document '" CATALOG_DOC "' is missing: it was removed while the database was "
                     "open");
        dn_err_hint(err, "Put the file back from a copy of the database.");
        return rc;
    }
    engine_publish(db, c);
    atomic_store(&db->catalog_unsure, false);
    return 0;
}

/* A save failed, and the old or the new document may be there: look. 0: the new one is. */
static int engine_resolve(struct dendro_db *db, const struct catalog *next, int rc)
{
    struct dn_err ignored;

    atomic_store(&db->catalog_unsure, true);
    if (engine_reload(db, &ignored) < 0)
        return rc;
    return db->catalog->version == next->version ? 0 : rc;
}

static int engine_tell_shard(struct dendro_db *db, struct dn_err *err)
{
    int rc;

    if (!atomic_load(&db->shard_behind))
        return 0;
    rc = shard_set_catalog(db->shard, db->catalog, err);
    if (rc == 0)
        atomic_store(&db->shard_behind, false);
    return rc;
}

/* Holds db->edit: what only the log has goes into the document. Then the shard may flush what was
 * committed with it, but not before it knows the tables: rows of others are not worth a segment. */
static int engine_save_late(struct dendro_db *db, struct dn_err *err)
{
    struct dn_err ignored;
    struct catalog *there;
    int rc;

    if (!atomic_load(&db->catalog_late))
        return 0;
    rc = catalog_save(db->volume, db->catalog, err);
    if (rc < 0 && catalog_load(db->volume, &there, &ignored) == 0) {
        if (there->version == db->catalog->version) { /* it had been saved after all */
            db->catalog->generation = there->generation;
            rc = 0;
        }
        catalog_unref(there);
    }
    if (rc == 0)
        rc = engine_tell_shard(db, err);
    if (rc < 0) {
        shard_catalog_unsaved(db->shard);
        return rc;
    }
    atomic_store(&db->catalog_late, false);
    shard_catalog_saved(db->shard);
    return 0;
}

void engine_settle(struct dendro_db *db)
{
    struct dn_err ignored;

    if (!atomic_load(&db->catalog_late))
        return;
    edit_take_surely(&db->edit);
    DN_IGNORE(engine_save_late(db, &ignored)); /* the log has it */
    edit_give(&db->edit);
}

int engine_sync_shard(struct dendro_db *db, struct dn_err *err)
{
    int rc;

    if (!atomic_load(&db->shard_behind))
        return 0;
    edit_take_surely(&db->edit);
    rc = engine_tell_shard(db, err);
    edit_give(&db->edit);
    return rc;
}

int engine_wait_edit(struct dendro_db *db, const atomic_bool *cancel, struct dn_err *err)
{
    int rc = edit_take(&db->edit, cancel, err);

    if (rc == 0)
        edit_give(&db->edit);
    return rc;
}

void engine_release(struct dendro_db *db)
{
    edit_take_surely(&db->edit);
    /* Otherwise the catalog that is read then lets them in. */
    if (!atomic_load(&db->catalog_unsure) && !atomic_load(&db->shard_behind))
        shard_release(db->shard);
    edit_give(&db->edit);
}

int engine_catalog_now(struct dendro_db *db, struct catalog **ret, struct dn_err *err)
{
    int rc = 0;

    if (atomic_load(&db->catalog_unsure)) {
        edit_take_surely(&db->edit);
        if (atomic_load(&db->catalog_unsure))
            rc = engine_reload(db, err);
        edit_give(&db->edit);
    }
    engine_settle(db);
    while (rc == 0) {
        rc = engine_sync_shard(db, err);
        if (rc < 0)
            break;
        *ret = engine_catalog(db);
        if (!atomic_load(&db->shard_behind)) /* set before a catalog can be seen */
            return 0;
        catalog_unref(*ret);
    }
    return rc;
}

int engine_write_ready(struct dendro_db *db, const struct table *t, struct dn_err *err)
{
    struct catalog *cat;
    bool there;
    int rc = engine_catalog_now(db, &cat, err);

    if (rc < 0)
        return rc;
    there = catalog_table_by_id(cat, t->id) != NULL;
    catalog_unref(cat);
    if (!there)
        return DN_FAIL(err,
                       DN_E_TABLE_CHANGED,
                       "table \"%s\" was dropped or emptied by another session meanwhile",
                       t->name);
    return 0;
}

/* Holds db->edit: the catalog is the document's. */
static int engine_edit_ready(struct dendro_db *db, struct dn_err *err)
{
    int rc = engine_save_late(db, err);

    return rc == 0 && atomic_load(&db->catalog_unsure) ? engine_reload(db, err) : rc;
}

/* Holds db->edit: saves and publishes; takes over the reference. */
static int engine_save(struct dendro_db *db, struct catalog *next, struct dn_err *err)
{
    int rc = db->catalog->generation == 0 ? shard_ensure_manifest(db->shard, err) : 0;

    if (rc == 0)
        rc = engine_documents_ready(db, next, err);
    if (rc == 0)
        rc = catalog_save(db->volume, next, err);
    if (rc == 0) {
        engine_publish(db, next);
        return 0;
    }
    if (rc == DN_E_CONFLICT)
        atomic_store(&db->catalog_unsure, true);
    else
        rc = engine_resolve(db, next, rc);
    catalog_unref(next);
    return rc;
}

/* Holds db->edit. */
static int engine_edit_once(struct dendro_db *db, engine_edit_fn fn, void *arg, struct dn_err *err)
{
    struct catalog *next = NULL;
    int rc;

    rc = engine_edit_ready(db, err);
    if (rc == 0)
        rc = engine_tell_shard(db, err); /* fn may read tables, which must not wait for this lock */
    if (rc < 0)
        return rc;
    rc = fn(arg, db->catalog, &next, err);
    return rc != 0 ? rc : engine_save(db, next, err);
}

/* Holds db->edit, which is given back. */
static int engine_edit_held(struct dendro_db *db, engine_edit_fn fn, void *arg, struct dn_err *err)
{
    struct dn_err ignored;
    int rc = DN_E_CONFLICT;

    for (int i = 0; i < ENGINE_EDIT_TRIES && rc == DN_E_CONFLICT; i++)
        rc = engine_edit_once(db, fn, arg, err);
    /* Done is done: the document has it. If the shard cannot follow now it is told again before the
     * next use. */
    if (rc == 0)
        DN_IGNORE(engine_tell_shard(db, &ignored));
    edit_give(&db->edit);
    return rc;
}

int engine_edit(struct dendro_db *db,
                const atomic_bool *cancel,
                engine_edit_fn fn,
                void *arg,
                struct dn_err *err)
{
    int rc = edit_take(&db->edit, cancel, err);

    return rc < 0 ? rc : engine_edit_held(db, fn, arg, err);
}

int engine_edit_of(struct dendro_conn *conn, engine_edit_fn fn, void *arg, struct dn_err *err)
{
    return engine_edit(conn->db, &conn->cancel, fn, arg, err);
}

/* ---- the end of a transaction that changed the catalog ---- */

struct engine_end {
    struct dendro_db *db;
    struct catalog *next;
};

/* The commit becomes visible: so does the catalog, in the same moment. */
static void engine_end_publish(void *arg)
{
    struct engine_end *end = arg;

    engine_publish(end->db, catalog_ref(end->next));
}

/* Holds db->edit. The commit in the log decides; the document follows, now or later. */
static int engine_end_rows(struct dendro_db *db,
                           struct catalog *next,
                           struct overlay *rows,
                           const atomic_bool *cancel,
                           struct dn_err *err)
{
    struct engine_end end = {.db = db, .next = next};
    struct shard_how how = {.sync = true, .cancel = cancel};
    struct dn_err ignored;
    int rc = engine_tell_shard(db, err);

    if (rc == 0)
        rc = engine_documents_ready(db, next, err);
    if (rc < 0)
        return rc;
    /* Who reads or flushes from now on waits for the end of this. */
    atomic_store(&db->shard_behind, true);
    atomic_store(&db->catalog_late, true);
    rc = overlay_commit(rows, &how, engine_end_publish, &end, err);
    if (rc < 0) {
        atomic_store(&db->shard_behind, false);
        atomic_store(&db->catalog_late, false);
        return rc;
    }
    DN_IGNORE(engine_save_late(db, &ignored));
    return 0;
}

int engine_end(struct dendro_db *db,
               const struct catalog *base,
               struct catalog *next,
               struct overlay *rows,
               const atomic_bool *cancel,
               struct dn_err *err)
{
    struct dn_err ignored;
    int rc = edit_take(&db->edit, cancel, err);

    if (rc < 0)
        return rc;
    rc = engine_edit_ready(db, err);
    if (rc == 0 && db->catalog != base)
        rc = DN_FAIL(err, DN_E_TABLE_CHANGED, "another session changed the catalog meanwhile");
    if (rc == 0) {
        next->generation = db->catalog->generation;
        rc = overlay_empty(rows) ? engine_save(db, catalog_ref(next), err)
                                 : engine_end_rows(db, next, rows, cancel, err);
    }
    if (rc == 0)
        DN_IGNORE(engine_tell_shard(db, &ignored)); /* as in engine_edit */
    edit_give(&db->edit);
    if (rc == 0)
        engine_retain_now(db, cancel);
    return rc;
}
