/* SPDX-License-Identifier: Apache-2.0
 *
 * transaction_share.c: pg_export_snapshot() and SET TRANSACTION SNAPSHOT: several sessions read one
 * snapshot, as those of pg_dump -j. What may be said when, and in which words, is PostgreSQL's.
 *
 * An export is in a list of the database as long as its transaction is under way. It refers to the
 * snapshot below the transaction's rows and to the catalog of that moment, so that nothing which
 * the transaction has written itself is shared. An importing transaction refers to both itself: it
 * goes on when the exporting one has ended.
 *
 * A block has the privileges that its catalog says. An importing one could so have privileges which
 * were revoked before it began; therefore only a session of the same login role, which has them
 * still in the exporting block, or one of a superuser may import. */
#include "engine/names.h"
#include "engine/privilege.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void export_id(uint64_t number, uint32_t id, char ret[TX_EXPORT_ID_MAX])
{
    snprintf(ret,
             TX_EXPORT_ID_MAX,
             "%08" PRIX32 "-%08" PRIX32 "-%" PRIu32,
             (uint32_t)(number >> 32),
             (uint32_t)number,
             id);
}

static void export_unref(struct dendro_db *db, struct tx_export *e)
{
    bool last;

    sched_lock(db->lock);
    last = --e->refs == 0;
    sched_unlock(db->lock);
    if (!last)
        return;
    snapshot_free(e->snap);
    catalog_unref(e->catalog);
    mem_free(e);
}

/* The export of the block, which has none yet. */
static int export_new(struct dendro_conn *conn, struct dn_err *err)
{
    struct dendro_db *db = conn->db;
    struct tx *tx = &conn->tx;
    struct tx_export *e = mem_calloc(&db->owner, 1, sizeof *e);

    if (!e)
        return DN_FAIL_NOMEM(err);
    e->snap = overlay_base(tx->rows);
    if (!e->snap) {
        mem_free(e);
        return DN_FAIL_NOMEM(err);
    }
    e->catalog = catalog_ref(tx->base ? tx->base : tx->catalog);
    e->refs = 1;
    e->user = conn->user;
    e->isolation = tx->isolation;
    sched_lock(db->lock);
    e->number = ++db->exports_made;
    e->next = db->exports;
    db->exports = e;
    sched_unlock(db->lock);
    tx->exported = e;
    return 0;
}

int tx_export(struct dendro_conn *conn, char ret_id[TX_EXPORT_ID_MAX], struct dn_err *err)
{
    struct dendro_db *db = conn->db;
    struct tx *tx = &conn->tx;
    int rc;

    if (!tx_in_block(conn)) { /* the transaction ends with the statement, and the id with it */
        sched_lock(db->lock);
        export_id(++db->exports_made, 1, ret_id);
        sched_unlock(db->lock);
        return 0;
    }
    if (tx->saves_count > 0)
        return DN_FAIL(err, DN_E_TX_ACTIVE, "cannot export a snapshot from a subtransaction");
    if (!tx->rows) {
        rc = tx_fix(conn, err);
        if (rc < 0)
            return rc;
    }
    if (!tx->exported) {
        rc = export_new(conn, err);
        if (rc < 0)
            return rc;
    }
    if (tx->exported->ids == UINT32_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "the transaction has exported too many snapshots");
    sched_lock(db->lock);
    tx->exported->read_only = tx->read_only;
    export_id(tx->exported->number, ++tx->exported->ids, ret_id);
    sched_unlock(db->lock);
    return 0;
}

void tx_unexport(struct dendro_conn *conn)
{
    struct dendro_db *db = conn->db;
    struct tx_export *e = conn->tx.exported;

    if (!e)
        return;
    sched_lock(db->lock);
    for (struct tx_export **at = &db->exports; *at; at = &(*at)->next)
        if (*at == e) {
            *at = e->next;
            break;
        }
    sched_unlock(db->lock);
    conn->tx.exported = NULL;
    export_unref(db, e);
}

/* The export that an id is of, with a reference. NULL: there is none. */
static struct tx_export *export_find(struct dendro_db *db, const char *id)
{
    const char *last = strrchr(id, '-');
    unsigned long n = last ? strtoul(last + 1, NULL, 10) : 0;
    struct tx_export *e;

    sched_lock(db->lock);
    for (e = db->exports; e; e = e->next) {
        char own[TX_EXPORT_ID_MAX];

        if (n == 0 || n > e->ids)
            continue;
        export_id(e->number, (uint32_t)n, own);
        if (strcmp(own, id) == 0)
            break;
    }
    if (e)
        e->refs++;
    sched_unlock(db->lock);
    return e;
}

static int import_check(struct dendro_conn *conn, const struct tx_export *from, struct dn_err *err)
{
    const struct tx *tx = &conn->tx;
    int rc;

    if (from->user != conn->user && !session_superuser(conn)) {
        rc = DN_FAIL(err, DN_E_DENIED, "the snapshot was exported by a session of another role");
        dn_err_hint(err, "Log in as that role, or as a superuser.");
        return rc;
    }
    if (tx->isolation == ISOLATION_SERIALIZABLE && from->isolation != ISOLATION_SERIALIZABLE)
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "a serializable transaction cannot import a snapshot from a "
                       "non-serializable transaction");
    if (tx->isolation == ISOLATION_SERIALIZABLE && from->read_only && !tx->read_only)
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "a non-read-only serializable transaction cannot import a snapshot from a "
                       "read-only transaction");
    if (conn->temp_schema[0] && !catalog_schema(from->catalog, conn->temp_schema, NULL))
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "a session with temporary objects cannot import a snapshot from before "
                       "they were made");
    return 0;
}

int tx_import(struct dendro_conn *conn, const char *id, struct dn_err *err)
{
    const struct tx *tx = &conn->tx;
    struct tx_export *from;
    int rc;

    if (tx->rows || tx->saves_count > 0)
        return DN_FAIL(
            err, DN_E_TX_ACTIVE, "SET TRANSACTION SNAPSHOT must be called before any query");
    if (tx->isolation == ISOLATION_READ_COMMITTED || tx->isolation == ISOLATION_READ_UNCOMMITTED)
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "a snapshot-importing transaction must have isolation level SERIALIZABLE or "
                       "REPEATABLE READ");
    from = export_find(conn->db, id);
    if (!from) {
        rc = DN_FAIL(err, DN_E_INVALID_PARAM, "invalid snapshot identifier: \"%.60s\"", id);
        dn_err_hint(err,
                    "An identifier is of pg_export_snapshot(), and good while the transaction that "
                    "called it is under way.");
        return rc;
    }
    rc = import_check(conn, from, err);
    if (rc == 0 && tx_in_block(conn))
        rc = tx_fix_as(conn, from, err);
    export_unref(conn->db, from);
    return rc;
}
