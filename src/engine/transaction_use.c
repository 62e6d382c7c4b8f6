/* SPDX-License-Identifier: Apache-2.0
 *
 * transaction_use.c: which statement may run when: in a block, in one that failed, in one that is
 * read-only; and what must stay as it is until a block ends. */
#include "engine/engine_int.h"
#include "engine/parts.h"

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

enum tx_use {
    TX_FREE,  /* neither reads nor writes tables */
    TX_READS, /* … tables or the catalog */
    TX_WRITES,
    TX_ALONE, /* writes, and never inside a block */
};

static enum tx_use tx_use_of(const struct stmt *ast)
{
    switch (ast->kind) {
    case STMT_EMPTY:
    case STMT_TRANSACTION:
    case STMT_SHOW_SETTING:
    case STMT_CHECKPOINT:
    case STMT_PREPARE:
    case STMT_EXECUTE:
    case STMT_DEALLOCATE:
    case STMT_DECLARE:
    case STMT_FETCH:
    case STMT_CLOSE:
    case STMT_DISCARD:
    case STMT_CHANNEL:
        return TX_FREE;
    case STMT_SET:
        return ast->set->scope == SET_SYSTEM ? TX_ALONE : TX_FREE;
    case STMT_SELECT:
        return stmt_has_parts(ast) || ast->query->locks_count > 0 ? TX_WRITES : TX_READS;
    case STMT_USE:
    case STMT_DESCRIBE:
    case STMT_SHOW_TABLES:
    case STMT_SHOW_SCHEMAS:
    case STMT_SHOW_CREATE_TABLE:
    case STMT_SHOW_TABLE_STATUS:
    case STMT_SHOW_PARTITIONS:
    case STMT_LOCK:
        return TX_READS;
    case STMT_EXPLAIN:
        return ast->explain.analyze ? tx_use_of(ast->explained) : TX_READS;
    case STMT_COPY:
        return ast->copy->from ? TX_WRITES : tx_use_of(ast->explained);
    case STMT_INSERT:
    case STMT_UPDATE:
    case STMT_DELETE:
    case STMT_MERGE:
    case STMT_TRUNCATE:
    case STMT_ALTER:
    case STMT_CREATE_TABLE:
    case STMT_DROP:
    case STMT_CREATE_SCHEMA:
    case STMT_DROP_SCHEMA:
    case STMT_CREATE_VIEW:
    case STMT_CREATE_INDEX:
    case STMT_TYPE:
    case STMT_COMMENT:
    case STMT_ROLE:
    case STMT_GRANT:
        return TX_WRITES;
    case STMT_MAINTAIN:
        return ast->misc->maintain == MAINTAIN_ANALYZE ? TX_READS : TX_ALONE;
    case STMT_CREATE_SEQUENCE:
    case STMT_ALTER_SEQUENCE:
        return TX_WRITES;
    case STMT_SLABS:
        return ast->slabs->what == SLABS_DROP ? TX_WRITES : TX_ALONE;
    case STMT_TIMEPART: /* as a dump has it, in one transaction */
        return ast->timepart->def.state.s || ast->timepart->what == TIMEPART_UNDO ? TX_WRITES
                                                                                  : TX_ALONE;
    case STMT_KIND_MAX:
        break;
    }
    return TX_ALONE;
}

int tx_statement(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    enum tx_use use = tx_use_of(stmt->ast);
    int rc = tx_allows(conn, stmt->ast, err);

    if (rc < 0)
        return rc;
    if (use >= TX_WRITES &&
        (tx_in_block(conn) ? conn->tx.read_only : conn->settings.default_transaction_read_only))
        return DN_FAIL(err,
                       DN_E_READ_ONLY,
                       "cannot execute %s in a read-only transaction",
                       stmt_kind_name(stmt_inner(stmt)));
    if (use == TX_ALONE && conn->tx.implicit && !conn->tx.rows)
        tx_rollback(conn); /* it is the first: nothing is lost with a group that has done nothing */
    if (!tx_in_block(conn))
        return 0;
    if (use == TX_ALONE)
        return DN_FAIL(err,
                       DN_E_TX_ACTIVE,
                       "%s cannot run inside a transaction block",
                       stmt_kind_name(stmt_inner(stmt)));
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
