/* SPDX-License-Identifier: Apache-2.0
 *
 * transaction.c: see transaction.h. What may be said when, and in which words, is PostgreSQL's. */
#include "engine/advisory.h"
#include "engine/commit.h"
#include "engine/names.h"
#include "engine/privilege.h"
#include "engine/route.h"
#include "engine/session_settings.h"
#include "engine/stmt_ops.h"

#include <stdio.h>

#define TX_MEMORY_PART 8u /* of memory_limit: what rows of a block may take */
#define TX_TRIES       64 /* to fix a catalog and a snapshot that belong together */

bool tx_in_block(const struct dendro_conn *conn)
{
    return conn->tx.state != TX_IDLE;
}

enum dendro_tx_status dendro_transaction_status(const dendro_conn *conn)
{
    if (!conn || conn->tx.implicit || conn->tx.state == TX_IDLE)
        return DENDRO_TX_IDLE;
    return conn->tx.state == TX_BLOCK ? DENDRO_TX_BLOCK : DENDRO_TX_FAILED;
}

/* ---- settings ---- */

void tx_keep_settings(const struct dendro_conn *conn, struct tx_settings *to)
{
    const struct tx_settings now = {.settings = conn->settings, .extra = conn->extra};

    tx_settings_copy(to, &now);
}

void tx_put_settings(struct dendro_conn *conn, const struct tx_settings *from)
{
    struct settings_extra *was = conn->extra;

    conn->settings = from->settings;
    conn->extra = settings_extra_ref(from->extra);
    settings_extra_unref(was);
    session_settings_changed(conn);
}

/* ---- begin and end ---- */

static void tx_begin(struct dendro_conn *conn)
{
    struct tx *tx = &conn->tx;

    tx->state = TX_BLOCK;
    tx->implicit = false;
    tx->isolation = ISOLATION_DEFAULT;
    tx->read_only = conn->settings.default_transaction_read_only;
    tx->deferrable = false;
    tx->temp_shown = session_temp_shown(conn);
    tx->now_ns = conn->functions.statement_ns;
    tx_keep_settings(conn, &tx->before);
    tx_settings_copy(&tx->stays, &tx->before);
}

/* The end of it; settings are the caller's. */
static void tx_end(struct dendro_conn *conn)
{
    struct tx *tx = &conn->tx;

    advisory_end_transaction(conn);
    tx_unexport(conn);
    tx_forget_saves(tx, 0);
    overlay_free(tx->rows);
    catalog_unref(tx->base);
    catalog_unref(tx->catalog);
    mem_free(tx->saves);
    tx_settings_done(&tx->before);
    tx_settings_done(&tx->stays);
    *tx = (struct tx){.undone = tx->undone};
}

void tx_rollback(struct dendro_conn *conn)
{
    bool shown = conn->tx.temp_shown;

    if (!tx_in_block(conn))
        return;
    cursor_end_block(conn, false);
    tx_put_settings(conn, &conn->tx.before);
    tx_end(conn);
    session_temp_follow(conn, shown);
}

void tx_fail(struct dendro_conn *conn)
{
    if (conn->tx.state == TX_BLOCK)
        conn->tx.state = TX_FAILED;
}

static size_t tx_memory(const struct dendro_conn *conn)
{
    return conn->settings.transaction_memory ? (size_t)conn->settings.transaction_memory
                                             : conn->db->owner.limit / TX_MEMORY_PART;
}

/* Catalog and snapshot, of one moment: a catalog is published before the shard acts on it. */
int tx_fix(struct dendro_conn *conn, struct dn_err *err)
{
    struct dendro_db *db = conn->db;
    struct tx *tx = &conn->tx;

    for (int i = 0; i < TX_TRIES; i++) {
        struct catalog *cat = engine_catalog(db);
        int rc = engine_sync_shard(db, err);
        struct overlay *rows;
        bool same;

        rows = rc == 0 ? overlay_new(db->shard, cat, keep_source(conn), tx_memory(conn)) : NULL;
        if (!rows) {
            catalog_unref(cat);
            return rc < 0 ? rc : DN_FAIL_NOMEM(err);
        }
        sched_lock(db->lock);
        same = db->catalog == cat;
        sched_unlock(db->lock);
        if (same) {
            tx->catalog = cat;
            tx->rows = rows;
            return 0;
        }
        overlay_free(rows);
        catalog_unref(cat);
    }
    return DN_FAIL(err, DN_E_TABLE_CHANGED, "the tables change faster than they are read");
}

int tx_fix_as(struct dendro_conn *conn, const struct tx_export *from, struct dn_err *err)
{
    struct tx *tx = &conn->tx;

    DN_ASSERT(!tx->rows && !tx->catalog);
    tx->rows = overlay_new_over(
        conn->db->shard, from->catalog, from->snap, keep_source(conn), tx_memory(conn));
    if (!tx->rows)
        return DN_FAIL_NOMEM(err);
    tx->catalog = catalog_ref(from->catalog);
    return 0;
}

static int tx_commit(struct dendro_conn *conn, struct dn_err *err)
{
    struct tx *tx = &conn->tx;
    int rc = cursor_hold_all(conn, err);

    if (rc == 0 && tx->base)
        rc = engine_end(conn->db, tx->base, tx->catalog, tx->rows, &conn->cancel, err);
    else if (rc == 0 && tx->rows)
        rc = commit_block(conn, err);
    if (rc == DN_E_CONFLICT || rc == DN_E_TABLE_CHANGED) {
        dn_err_prefix(err, "could not serialize access due to concurrent update");
        dn_err_hint(err, "The transaction was rolled back. Run it again from its beginning.");
    }
    if (rc < 0) {
        tx_rollback(conn);
        return rc;
    }
    cursor_end_block(conn, true);
    tx_put_settings(conn, &tx->stays);
    tx_end(conn);
    return 0;
}

/* ---- modes ---- */

static int tx_too_late(const char *what, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_TX_ACTIVE, "%s must be set before any query", what);
}

int tx_modes(struct dendro_conn *conn, const struct transaction *modes, struct dn_err *err)
{
    struct tx *tx = &conn->tx;

    if (modes->isolation != ISOLATION_DEFAULT) {
        if (tx->saves_count > 0)
            return DN_FAIL(
                err,
                DN_E_TX_ACTIVE,
                "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction");
        if (tx->rows)
            return DN_FAIL(err,
                           DN_E_TX_ACTIVE,
                           "SET TRANSACTION ISOLATION LEVEL must be called before any query");
        tx->isolation = modes->isolation;
        if (modes->isolation == ISOLATION_SERIALIZABLE)
            session_notice(conn,
                           "NOTICE",
                           "SERIALIZABLE is run as REPEATABLE READ, which is snapshot isolation");
    }
    if (modes->read_only == MODE_NO && tx->read_only && tx->rows)
        return tx_too_late("transaction read-write mode", err);
    if (modes->read_only != MODE_DEFAULT)
        tx->read_only = modes->read_only == MODE_YES;
    if (modes->deferrable != MODE_DEFAULT)
        tx->deferrable = modes->deferrable == MODE_YES;
    return 0;
}

/* ---- the statements ---- */

static int tx_run_begin(struct dendro_conn *conn, const struct transaction *t, struct dn_err *err)
{
    int rc;

    if (conn->tx.implicit) { /* from now on it is theirs */
        conn->tx.implicit = false;
        return tx_modes(conn, t, err);
    }
    if (tx_in_block(conn)) {
        session_notice(conn, "WARNING", "there is already a transaction in progress");
        return tx_modes(conn, t, err);
    }
    tx_begin(conn);
    rc = tx_modes(conn, t, err);
    if (rc < 0)
        tx_rollback(conn);
    return rc;
}

static int tx_run_end(struct dendro_conn *conn, const struct transaction *t, struct dn_err *err)
{
    struct tx old = conn->tx;
    bool commit = t->kind == TRANSACTION_COMMIT;
    int rc = 0;

    if ((!tx_in_block(conn) || old.implicit) && t->chain)
        return DN_FAIL(err,
                       DN_E_NO_TX,
                       "%s AND CHAIN can only be used in transaction blocks",
                       commit ? "COMMIT" : "ROLLBACK");
    if (!tx_in_block(conn) || old.implicit)
        session_notice(conn, "WARNING", "there is no transaction in progress");
    if (!tx_in_block(conn))
        return 0;
    if (commit && conn->tx.state == TX_BLOCK) {
        rc = tx_commit(conn, err);
    } else {
        conn->tx.undone = true;
        tx_rollback(conn);
    }
    if (rc == 0 && t->chain) {
        tx_begin(conn);
        conn->tx.isolation = old.isolation;
        conn->tx.read_only = old.read_only;
        conn->tx.deferrable = old.deferrable;
    }
    return rc;
}

/* What blocks begin with from now on. The isolation is the same for all. */
static int
tx_run_defaults(struct dendro_conn *conn, const struct transaction *t, struct dn_err *err)
{
    if (t->read_only == MODE_DEFAULT)
        return 0;
    return session_setting_set(
        conn, "default_transaction_read_only", t->read_only == MODE_YES ? "on" : "off", false, err);
}

static int tx_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct transaction *t = &stmt->ast->misc->transaction;
    struct dendro_conn *conn = stmt->conn;

    conn->tx.undone = false;
    switch (t->kind) {
    case TRANSACTION_BEGIN:
        return tx_run_begin(conn, t, err);
    case TRANSACTION_COMMIT:
    case TRANSACTION_ROLLBACK:
        return tx_run_end(conn, t, err);
    case TRANSACTION_SAVEPOINT:
    case TRANSACTION_RELEASE:
    case TRANSACTION_ROLLBACK_TO:
        return tx_savepoints(stmt, stmt->ast->misc, err);
    case TRANSACTION_SET:
        if (tx_in_block(conn))
            return tx_modes(conn, t, err);
        session_notice(conn, "WARNING", "SET TRANSACTION can only be used in transaction blocks");
        return 0;
    case TRANSACTION_SNAPSHOT:
        if (!tx_in_block(conn))
            session_notice(
                conn, "WARNING", "SET TRANSACTION can only be used in transaction blocks");
        return tx_import(conn, t->snapshot, err);
    case TRANSACTION_SET_SESSION:
        return tx_run_defaults(conn, t, err);
    case TRANSACTION_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown transaction statement: %d", (int)t->kind);
}

/* ---- what statements see and write ---- */

struct catalog *tx_catalog(const struct dendro_conn *conn)
{
    return conn->tx.catalog ? catalog_ref(conn->tx.catalog) : engine_catalog(conn->db);
}

bool tx_catalog_is(struct dendro_conn *conn, const struct catalog *cat)
{
    struct dendro_db *db = conn->db;
    bool same;

    if (conn->tx.catalog)
        return conn->tx.catalog == cat;
    sched_lock(db->lock);
    same = db->catalog == cat;
    sched_unlock(db->lock);
    return same;
}

int tx_put_catalog(struct tx *tx, struct catalog *cat, struct dn_err *err)
{
    int rc = overlay_set_catalog(tx->rows, cat, err);

    if (rc < 0)
        return rc;
    if (!tx->base)
        tx->base = tx->catalog;
    else
        catalog_unref(tx->catalog);
    tx->catalog = catalog_ref(cat);
    return 0;
}

struct tx_edit {
    struct dendro_conn *conn;
    int (*fn)(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err);
    void *arg;
};

/* The edit, and what it made is the session's. */
static int
tx_edit_owned(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    const struct tx_edit *e = arg;
    int rc = e->fn(e->arg, cur, ret_next, err);

    return rc == 0 ? privilege_own_new(e->conn, cur, ret_next, err) : rc;
}

int tx_edit(
    struct dendro_conn *conn,
    int (*fn)(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err),
    void *arg,
    struct dn_err *err)
{
    struct tx_edit edit = {.conn = conn, .fn = fn, .arg = arg};
    struct catalog *next;
    int rc;

    if (!tx_in_block(conn))
        return engine_edit_of(conn, tx_edit_owned, &edit, err);
    rc = tx_edit_owned(&edit, conn->tx.catalog, &next, err);
    if (rc != 0)
        return rc;
    rc = tx_put_catalog(&conn->tx, next, err);
    catalog_unref(next);
    return rc;
}

struct snapshot *tx_snapshot(struct dendro_conn *conn)
{
    const struct tx *tx = &conn->tx;

    return tx->rows ? overlay_snapshot(tx->rows, tx->seen ? tx->seen : overlay_mark(tx->rows))
                    : shard_snapshot(conn->db->shard);
}

void tx_one_snapshot(struct dendro_conn *conn, bool on)
{
    conn->tx.seen = on ? tx_mark(conn) : 0;
}

int tx_begin_one(struct dendro_conn *conn, struct dn_err *err)
{
    int rc;

    tx_begin(conn);
    rc = tx_fix(conn, err);
    if (rc < 0)
        tx_rollback(conn);
    return rc;
}

int tx_end_one(struct dendro_conn *conn, int rc, struct dn_err *err)
{
    if (rc == 0 && conn->tx.state == TX_BLOCK)
        return tx_commit(conn, err);
    tx_rollback(conn);
    return rc;
}

void engine_group_begin(dendro_conn *conn)
{
    if (tx_in_block(conn))
        return;
    session_tick(conn);
    tx_begin(conn);
    conn->tx.implicit = true;
}

int engine_group_end(dendro_conn *conn, bool keep, struct dendro_error *err)
{
    struct dn_err e;
    int rc = 0;

    dn_err_clear(&e);
    if (!conn->tx.implicit)
        return DENDRO_OK;
    if (keep && conn->tx.state == TX_BLOCK)
        rc = tx_commit(conn, &e);
    else
        tx_rollback(conn);
    if (rc == 0)
        rc = session_commit_temps(conn, &e);
    return engine_return(err, &e, rc);
}

uint64_t tx_mark(const struct dendro_conn *conn)
{
    return conn->tx.rows ? overlay_mark(conn->tx.rows) : 0;
}

void tx_undo(struct dendro_conn *conn, uint64_t mark)
{
    if (conn->tx.rows)
        overlay_rollback(conn->tx.rows, mark);
}

int tx_write(struct dendro_conn *conn,
             const struct shard_batch *batches,
             size_t count,
             struct dn_err *err)
{
    int rc = 0;

    if (conn->tx.state == TX_FAILED)
        return DN_FAIL(err,
                       DN_E_TX_FAILED,
                       "current transaction is aborted, commands ignored until end of transaction "
                       "block");
    if (!conn->tx.rows) /* an appender may be the first */
        rc = tx_fix(conn, err);
    return rc < 0 ? rc : overlay_write(conn->tx.rows, batches, count, &conn->cancel, err);
}

/* ---- the row of BEGIN, COMMIT and the like ---- */

static const char *transaction_name(const struct stmt *ast)
{
    static const char *const names[TRANSACTION_KIND_MAX] = {
        [TRANSACTION_BEGIN] = "BEGIN",
        [TRANSACTION_COMMIT] = "COMMIT",
        [TRANSACTION_ROLLBACK] = "ROLLBACK",
        [TRANSACTION_SAVEPOINT] = "SAVEPOINT",
        [TRANSACTION_RELEASE] = "RELEASE",
        [TRANSACTION_ROLLBACK_TO] = "ROLLBACK",
        [TRANSACTION_SET] = "SET",
        [TRANSACTION_SNAPSHOT] = "SET",
        [TRANSACTION_SET_SESSION] = "SET",
    };

    return ast->misc->transaction.start ? "START TRANSACTION" : names[ast->misc->transaction.kind];
}

/* COMMIT of a block that failed says ROLLBACK. */
static void transaction_tag(const struct dendro_stmt *stmt, char *to, size_t size)
{
    snprintf(to, size, "%s", stmt->conn->tx.undone ? "ROLLBACK" : transaction_name(stmt->ast));
}

STMT_OPS(transaction,
         transaction_name,
         transaction_tag,
         stmt_class_other,
         stmt_use_free,
         privilege_everybody,
         stmt_compile_nothing,
         tx_run);
