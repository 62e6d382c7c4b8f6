/* SPDX-License-Identifier: Apache-2.0
 *
 * savepoint.c: SAVEPOINT, RELEASE, ROLLBACK TO: what a block was when a savepoint was set, and back
 * to that. See transaction.h. */
#include "engine/advisory.h"
#include "engine/names.h"

#include <stdio.h>
#include <strings.h>

#define TX_SAVES_MAX 65536u

void tx_forget_saves(struct tx *tx, size_t from)
{
    while (tx->saves_count > from) {
        struct tx_savepoint *s = &tx->saves[--tx->saves_count];

        catalog_unref(s->catalog);
        tx_settings_done(&s->now);
        tx_settings_done(&s->stays);
    }
}

static int tx_save(struct dendro_conn *conn, const char *name, struct dn_err *err)
{
    struct tx *tx = &conn->tx;
    struct tx_savepoint *s;

    if (tx->saves_count == TX_SAVES_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u savepoints", TX_SAVES_MAX);
    if (tx->saves_count == tx->saves_cap) {
        size_t cap = tx->saves_cap ? tx->saves_cap * 2 : 4;

        s = mem_realloc(keep_source(conn), tx->saves, cap * sizeof(*s));
        if (!s)
            return DN_FAIL_NOMEM(err);
        tx->saves = s;
        tx->saves_cap = cap;
    }
    s = &tx->saves[tx->saves_count++];
    *s = (struct tx_savepoint){.mark = 0};
    snprintf(s->name, sizeof(s->name), "%s", name);
    s->mark = tx_mark(conn);
    s->catalog = tx->catalog ? catalog_ref(tx->catalog) : NULL;
    s->read_only = tx->read_only;
    s->cursors = conn->cursors_made;
    s->temp_shown = session_temp_shown(conn);
    tx_keep_settings(conn, &s->now);
    tx_settings_copy(&s->stays, &tx->stays);
    return 0;
}

/* The newest of that name, in its case or else in any; -1: none. */
static ptrdiff_t tx_find_save(const struct tx *tx, const char *name)
{
    for (size_t i = tx->saves_count; i-- > 0;)
        if (strcmp(tx->saves[i].name, name) == 0)
            return (ptrdiff_t)i;
    for (size_t i = tx->saves_count; i-- > 0;)
        if (strcasecmp(tx->saves[i].name, name) == 0)
            return (ptrdiff_t)i;
    return -1;
}

/* Rows that are gone are read no further. */
static void tx_lose_results(struct dendro_conn *conn, uint64_t mark)
{
    for (struct dendro_stmt *s = conn->stmts; s; s = s->next) {
        if (s->state != RUN_ACTIVE || !s->snap || overlay_snapshot_mark(s->snap) <= mark)
            continue;
        stmt_stop(s);
        s->lost = true;
    }
}

static int tx_back_to(struct dendro_conn *conn, size_t save, struct dn_err *err)
{
    struct tx *tx = &conn->tx;
    const struct tx_savepoint *s = &tx->saves[save];
    struct catalog *cat = s->catalog ? s->catalog : tx->base;

    if (tx->base && cat != tx->catalog) {
        int rc = tx_put_catalog(tx, cat, err);

        if (rc < 0)
            return rc;
    }
    cursor_back_to(conn, s->cursors);
    advisory_back_to(conn, save);
    if (tx->rows) {
        tx_lose_results(conn, s->mark);
        overlay_rollback(tx->rows, s->mark);
    }
    tx->state = TX_BLOCK;
    tx->read_only = s->read_only;
    tx_settings_copy(&tx->stays, &s->stays);
    tx_put_settings(conn, &s->now);
    tx_forget_saves(tx, save + 1);
    session_temp_follow(conn, s->temp_shown);
    return 0;
}

int tx_savepoints(struct dendro_stmt *stmt, const struct misc_stmt *m, struct dn_err *err)
{
    static const char *const names[TRANSACTION_KIND_MAX] = {
        [TRANSACTION_SAVEPOINT] = "SAVEPOINT",
        [TRANSACTION_RELEASE] = "RELEASE SAVEPOINT",
        [TRANSACTION_ROLLBACK_TO] = "ROLLBACK TO SAVEPOINT",
    };
    struct tx *tx = &stmt->conn->tx;
    enum transaction_kind kind = m->transaction.kind;
    ptrdiff_t save;
    int rc;

    if (tx->state == TX_IDLE || tx->implicit)
        return DN_FAIL(err, DN_E_NO_TX, "%s can only be used in transaction blocks", names[kind]);
    if (kind == TRANSACTION_SAVEPOINT)
        return tx_save(stmt->conn, m->name.s, err);
    save = tx_find_save(tx, m->name.s);
    if (save < 0) {
        rc = DN_FAIL(err, DN_E_NO_SAVEPOINT, "savepoint \"%s\" does not exist", m->name.s);
        dn_err_at(err, m->name.pos);
        return rc;
    }
    if (kind == TRANSACTION_ROLLBACK_TO)
        return tx_back_to(stmt->conn, (size_t)save, err);
    tx->read_only = tx->saves[save].read_only; /* SET TRANSACTION READ ONLY ends with it */
    advisory_release(stmt->conn, (size_t)save);
    tx_forget_saves(tx, (size_t)save);
    return 0;
}
