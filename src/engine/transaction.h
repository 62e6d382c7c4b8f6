/* SPDX-License-Identifier: Apache-2.0
 *
 * transaction.h: transaction blocks: BEGIN … COMMIT, savepoints, and what a session sees and writes
 * meanwhile.
 *
 *     idle --BEGIN--> block --COMMIT, ROLLBACK--> idle
 *                     block --error--> failed --ROLLBACK TO--> block
 *                                      failed --COMMIT, ROLLBACK--> idle, nothing was written
 *
 * The first statement of a block that reads or writes fixes its catalog and its snapshot. Rows go
 * into an overlay (store/overlay.h) until COMMIT writes them, all at once. Outside a block each
 * statement is a transaction: sessions write straight to the shard.
 *
 * One thread at a time, as the session. */
#pragma once

#include "catalog/catalog.h"
#include "catalog/settings.h"
#include "sql/ast.h"
#include "store/overlay.h"

struct dendro_conn;
struct dendro_stmt;

enum tx_state { TX_IDLE, TX_BLOCK, TX_FAILED };

/* What SET and USE change, and ROLLBACK brings back. */
struct tx_settings {
    struct settings settings;
    struct settings_extra *extra; /* reference */
};

struct tx_savepoint {
    char name[TABLE_NAME_MAX + 1];
    uint64_t mark;            /* of the overlay; 0: there was none yet */
    struct catalog *catalog;  /* reference, or NULL: no statement yet */
    struct tx_settings now;   /* as they were */
    struct tx_settings stays; /* as COMMIT would have left them */
    uint64_t cursors; /* declared until then, of the session: cursor serials up to it stay */
    bool read_only;
    bool temp_shown; /* session_temp_shown */
};

/* A snapshot that other transactions may take over, as long as the one that it is of is under way.
 */
struct tx_export {
    struct tx_export *next;   /* in dendro_db.exports; under its lock, as refs */
    uint32_t refs;            /* the transaction, and those that take it over at this moment */
    uint32_t ids;             /* given out for it; the owner's thread, under lock */
    uint64_t number;          /* not used again */
    uint32_t user;            /* who logged in to the session */
    enum isolation isolation; /* of the transaction */
    bool read_only;           /* likewise */
    struct snapshot *snap;    /* owned */
    struct catalog *catalog;  /* reference: that the snapshot was taken with */
};

struct tx {
    enum tx_state state;
    bool implicit; /* nobody said BEGIN: it ends with a message of the client (door.h) */
    bool read_only;
    bool deferrable;
    bool temp_shown;            /* session_temp_shown when it began */
    enum isolation isolation;   /* as asked for; all are given REPEATABLE READ */
    int64_t now_ns;             /* when it began */
    struct catalog *catalog;    /* reference: what its statements see; NULL: no statement yet */
    struct catalog *base;       /* reference: what it was before the block changed it; NULL: it
                                   did not */
    struct overlay *rows;       /* owned; NULL as catalog */
    struct tx_export *exported; /* reference: pg_export_snapshot; NULL: it was not called */
    uint64_t seen;              /* statements read up to this mark; 0: all that was written */
    struct tx_settings before;  /* what ROLLBACK brings back */
    struct tx_settings stays;   /* what COMMIT leaves: without SET LOCAL */
    struct tx_savepoint *saves; /* owned: oldest first */
    size_t saves_count;
    size_t saves_cap;
    bool undone; /* the last COMMIT was of a block that had failed: it rolled back */
};

/* Catalog and snapshot of the block, which has none yet. */
int tx_fix(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
/* … which are those of another transaction. */
int tx_fix_as(struct dendro_conn *conn,
              const struct tx_export *from,
              struct dn_err *err) DN_MUST_CHECK;

/* ---- transaction_share.c: a snapshot for several sessions ---- */
#define TX_EXPORT_ID_MAX 40u /* bytes of an id, with the zero behind it */
/* pg_export_snapshot(): the id by which others find the snapshot of the block. */
int tx_export(struct dendro_conn *conn,
              char ret_id[TX_EXPORT_ID_MAX],
              struct dn_err *err) DN_MUST_CHECK;
/* SET TRANSACTION SNAPSHOT. */
int tx_import(struct dendro_conn *conn, const char *id, struct dn_err *err) DN_MUST_CHECK;
/* The transaction ends: its ids mean nothing any more. */
void tx_unexport(struct dendro_conn *conn);

/* ---- transaction_use.c ---- */
/* May the statement run now? Fixes catalog and snapshot of the block if it is the first. */
int tx_statement(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* Only: does a failed block allow it? For prepare. */
int tx_allows(const struct dendro_conn *conn,
              const struct stmt *ast,
              struct dn_err *err) DN_MUST_CHECK;

/* ---- transaction.c ---- */
/* A statement failed: so does the block. */
void tx_fail(struct dendro_conn *conn);
/* Ends a block without a trace; fine without one. */
void tx_rollback(struct dendro_conn *conn);
bool tx_in_block(const struct dendro_conn *conn);

/* A statement of several parts (parts.h): all of them read what was there when it began. */
void tx_one_snapshot(struct dendro_conn *conn, bool on);
/* … and outside a block it gets one of its own: 0, or why not; and its end, with the result of the
 * statement, or of its commit. */
int tx_begin_one(struct dendro_conn *conn, struct dn_err *err) DN_MUST_CHECK;
int tx_end_one(struct dendro_conn *conn, int rc, struct dn_err *err) DN_MUST_CHECK;

/* The catalog that statements of the session see (a reference); and is it this one? */
struct catalog *tx_catalog(const struct dendro_conn *conn);
bool tx_catalog_is(struct dendro_conn *conn, const struct catalog *cat);
/* An edit of the catalog: at once (engine_edit), or with the block. */
int tx_edit(
    struct dendro_conn *conn,
    int (*fn)(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err),
    void *arg,
    struct dn_err *err) DN_MUST_CHECK;
/* What a statement reads. NULL: out of memory. */
struct snapshot *tx_snapshot(struct dendro_conn *conn);
/* Where the block's rows stand; and what came since goes, before a statement runs once more. */
uint64_t tx_mark(const struct dendro_conn *conn);
void tx_undo(struct dendro_conn *conn, uint64_t mark);
/* Writes rows of one table with the block there is (session_commit writes them at once). */
int tx_write(struct dendro_conn *conn,
             const struct shard_batch *batches,
             size_t count,
             struct dn_err *err) DN_MUST_CHECK;

/* In a block: those rows must not be changed by others before COMMIT (store/overlay.h); without one
 * nothing. */
int tx_hold(struct dendro_conn *conn,
            const struct shard_batch *b,
            struct dn_err *err) DN_MUST_CHECK;

/* In a block: nobody else may write to the table before COMMIT. */
int tx_hold_table(struct dendro_conn *conn,
                  const struct table *t,
                  struct dn_err *err) DN_MUST_CHECK;

/* ISOLATION LEVEL, READ ONLY and so on for the block that is under way. */
int tx_modes(struct dendro_conn *conn,
             const struct transaction *modes,
             struct dn_err *err) DN_MUST_CHECK;

/* What SET and USE have set so far; and that again, from then on. */
void tx_keep_settings(const struct dendro_conn *conn, struct tx_settings *to);
void tx_put_settings(struct dendro_conn *conn, const struct tx_settings *from);
/* The block has another catalog from now on. */
int tx_put_catalog(struct tx *tx, struct catalog *cat, struct dn_err *err) DN_MUST_CHECK;

/* ---- savepoint.c ---- */
/* SAVEPOINT, RELEASE, ROLLBACK TO. */
int tx_savepoints(struct dendro_stmt *stmt,
                  const struct misc_stmt *m,
                  struct dn_err *err) DN_MUST_CHECK;
/* The savepoints from this one on go, without a change of the block. */
void tx_forget_saves(struct tx *tx, size_t from);

/* ---- transaction_set.c ---- */
void tx_settings_copy(struct tx_settings *to, const struct tx_settings *from);
void tx_settings_done(struct tx_settings *s);
/* SET of one that is the transaction's own (value NULL: its default); DN_NOT_FOUND: it is not. */
int tx_set(struct dendro_conn *conn, const char *name, const char *value, struct dn_err *err)
    DN_MUST_CHECK;
/* Settings that are the transaction's own, such as transaction_isolation: the name as it is
 * written, and its value; NULL: it is none of them. */
const char *tx_show(const struct dendro_conn *conn, const char *name, const char **ret_value);
