/* SPDX-License-Identifier: Apache-2.0
 *
 * transaction_use.c: which statement may run when: in a block, in one that failed, in one that is
 * read-only; and what must stay as it is until a block ends. */
#include "engine/stmt_ops.h"

int tx_allows(const struct dendro_conn *conn, const struct stmt *ast, struct dn_err *err)
{
    if (conn->tx.state != TX_FAILED || ast->kind == STMT_EMPTY)
        return 0;
    if (ast->kind == STMT_TRANSACTION && (ast->misc->transaction.kind == TRANSACTION_COMMIT ||
                                          ast->misc->transaction.kind == TRANSACTION_ROLLBACK ||
                                          ast->misc->transaction.kind == TRANSACTION_ROLLBACK_TO))
        return 0;
    return DN_FAIL(err,
                   DN_E_TX_FAILED,
                   "current transaction is aborted, commands ignored until end of transaction "
                   "block");
}

int tx_statement(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    enum tx_use use = stmt_ops_of(stmt->ast)->use(stmt->ast);
    const struct stmt *inner = stmt_inner(stmt);
    int rc = tx_allows(conn, stmt->ast, err);

    if (rc < 0)
        return rc;
    if (use >= TX_WRITES &&
        (tx_in_block(conn) ? conn->tx.read_only : conn->settings.default_transaction_read_only))
        return DN_FAIL(err,
                       DN_E_READ_ONLY,
                       "cannot execute %s in a read-only transaction",
                       stmt_ops_of(inner)->name(inner));
    if (use == TX_ALONE && conn->tx.implicit && !conn->tx.rows)
        tx_rollback(conn); /* it is the first: nothing is lost with a group that has done nothing */
    if (!tx_in_block(conn))
        return 0;
    if (use == TX_ALONE)
        return DN_FAIL(err,
                       DN_E_TX_ACTIVE,
                       "%s cannot run inside a transaction block",
                       stmt_ops_of(inner)->name(inner));
    return use != TX_FREE && !conn->tx.rows ? tx_fix(conn, err) : 0;
}

int tx_hold(struct dendro_conn *conn, const struct shard_batch *b, struct dn_err *err)
{
    return conn->tx.rows && conn->tx.state == TX_BLOCK
               ? overlay_hold(conn->tx.rows, b, &conn->cancel, err)
               : 0;
}

int tx_hold_table(struct dendro_conn *conn, const struct table *t, struct dn_err *err)
{
    int rc = conn->tx.rows ? 0 : tx_fix(conn, err);

    return rc < 0 ? rc : overlay_hold_table(conn->tx.rows, t, err);
}
