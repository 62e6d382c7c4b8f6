/* SPDX-License-Identifier: Apache-2.0
 *
 * run.c: each kind of statement to the function that executes it, and the tag it ends with. */
#include "engine/run.h"

#include "engine/merge.h"
#include "engine/privilege.h"
#include "engine/sequence_ddl.h"
#include "engine/slabs.h"
#include "engine/timepart.h"
#include "engine/type_ddl.h"

#include <inttypes.h>
#include <stdio.h>

static const char *stmt_kind_tag(enum stmt_kind kind)
{
    static const char *const tags[STMT_KIND_MAX] = {
        [STMT_EMPTY] = "",
        [STMT_SELECT] = "SELECT",
        [STMT_INSERT] = "INSERT",
        [STMT_UPDATE] = "UPDATE",
        [STMT_DELETE] = "DELETE",
        [STMT_MERGE] = "MERGE",
        [STMT_COPY] = "COPY",
        [STMT_TRUNCATE] = "TRUNCATE TABLE",
        [STMT_ALTER] = "ALTER TABLE",
        [STMT_CREATE_TABLE] = "CREATE TABLE",
        [STMT_CREATE_VIEW] = "CREATE VIEW",
        [STMT_CREATE_INDEX] = "CREATE INDEX",
        [STMT_CREATE_SEQUENCE] = "CREATE SEQUENCE",
        [STMT_ALTER_SEQUENCE] = "ALTER SEQUENCE",
        [STMT_SLABS] = "ALTER TABLE",
        [STMT_TIMEPART] = "TIME PARTITION",
        [STMT_TYPE] = "ALTER TYPE",
        [STMT_COMMENT] = "COMMENT",
        [STMT_DROP] = "DROP TABLE",
        [STMT_CREATE_SCHEMA] = "CREATE SCHEMA",
        [STMT_DROP_SCHEMA] = "DROP SCHEMA",
        [STMT_USE] = "USE",
        [STMT_DESCRIBE] = "DESCRIBE",
        [STMT_SHOW_TABLES] = "SHOW",
        [STMT_SHOW_SCHEMAS] = "SHOW",
        [STMT_SHOW_CREATE_TABLE] = "SHOW",
        [STMT_SHOW_TABLE_STATUS] = "SHOW",
        [STMT_SHOW_PARTITIONS] = "SHOW",
        [STMT_SHOW_SETTING] = "SHOW",
        [STMT_SET] = "SET",
        [STMT_EXPLAIN] = "EXPLAIN",
        [STMT_CHECKPOINT] = "CHECKPOINT",
        [STMT_DECLARE] = "DECLARE CURSOR",
        [STMT_FETCH] = "FETCH",
        [STMT_CLOSE] = "CLOSE CURSOR",
        [STMT_PREPARE] = "PREPARE",
        [STMT_DEALLOCATE] = "DEALLOCATE",
        [STMT_ROLE] = "CREATE ROLE",
        [STMT_GRANT] = "GRANT",
        [STMT_LOCK] = "LOCK TABLE",
    };

    return tags[kind] ? tags[kind] : "this statement";
}

static const char *const run_maintained[] = {[MAINTAIN_ANALYZE] = "ANALYZE",
                                             [MAINTAIN_VACUUM] = "VACUUM",
                                             [MAINTAIN_REINDEX] = "REINDEX",
                                             [MAINTAIN_CLUSTER] = "CLUSTER"};

const char *stmt_kind_name(const struct stmt *ast)
{
    if (ast->kind == STMT_MAINTAIN)
        return run_maintained[ast->misc->maintain];
    if (ast->kind == STMT_SET && ast->set->scope == SET_SYSTEM)
        return "ALTER SYSTEM";
    if (ast->kind == STMT_SLABS && ast->slabs->what != SLABS_DROP)
        return ast->slabs->what == SLABS_DETACH ? "DETACH PARTITION" : "ATTACH PARTITION";
    return ast->kind == STMT_COPY && ast->copy->from ? "COPY FROM" : stmt_kind_tag(ast->kind);
}

void stmt_set_tag(struct dendro_stmt *stmt)
{
    const char *tag =
        stmt->ast->kind == STMT_TRANSACTION ? stmt->conn->tx.tag : stmt_kind_tag(stmt->ast->kind);

    static const char *const discarded[] = {[DISCARD_ALL] = "DISCARD ALL",
                                            [DISCARD_PLANS] = "DISCARD PLANS",
                                            [DISCARD_SEQUENCES] = "DISCARD SEQUENCES",
                                            [DISCARD_TEMP] = "DISCARD TEMP"};

    static const char *const timeparts[] = {[TIMEPART_CREATE] = "CREATE TIME PARTITION",
                                            [TIMEPART_DROP] = "DROP TIME PARTITION",
                                            [TIMEPART_UNDO] = "DROP TRIGGER",
                                            [TIMEPART_PUT] = "PUT TIME PARTITION",
                                            [TIMEPART_COUNTER] = "PUT COUNTER"};

    if (stmt->ast->kind == STMT_TIMEPART)
        tag = timeparts[stmt->ast->timepart->what];
    else if (stmt->ast->kind == STMT_TYPE)
        tag = stmt->ast->type->what == TYPE_STMT_CREATE ? "CREATE TYPE"
              : stmt->ast->type->what == TYPE_STMT_DROP ? "DROP TYPE"
                                                        : tag;
    else if (stmt->ast->kind == STMT_DISCARD)
        tag = discarded[stmt->ast->misc->discard];
    else if (stmt->ast->kind == STMT_CHANNEL)
        tag = "UNLISTEN";
    else if (stmt->ast->kind == STMT_SET && stmt->ast->set->scope == SET_SYSTEM)
        tag = "ALTER SYSTEM";
    else if (stmt->ast->kind == STMT_SET && stmt->ast->set->reset)
        tag = "RESET";
    else if (stmt->ast->object == OBJECT_VIEW && stmt->ast->kind == STMT_DROP)
        tag = "DROP VIEW";
    else if (stmt->ast->object == OBJECT_INDEX && stmt->ast->kind == STMT_DROP)
        tag = "DROP INDEX";
    else if (stmt->ast->kind == STMT_ROLE)
        tag = role_tag(stmt->ast);
    else if (stmt->ast->kind == STMT_GRANT)
        tag = stmt->ast->grant->revoke ? "REVOKE" : "GRANT";
    else if (stmt->ast->object == OBJECT_SEQUENCE && stmt->ast->kind == STMT_DROP)
        tag = "DROP SEQUENCE";
    else if (stmt->ast->object == OBJECT_SEQUENCE && stmt->ast->kind == STMT_ALTER)
        tag = "ALTER SEQUENCE";
    else if (stmt->ast->kind == STMT_MAINTAIN)
        tag = run_maintained[stmt->ast->misc->maintain];
    else if (stmt->ast->object == OBJECT_VIEW && stmt->ast->kind == STMT_ALTER)
        tag = "ALTER VIEW";
    else if (stmt->ast->kind == STMT_ALTER && stmt->ast->object != OBJECT_TABLE)
        tag = stmt->ast->object == OBJECT_INDEX ? "ALTER INDEX" : "ALTER SCHEMA";
    else if (stmt->ast->kind == STMT_FETCH && stmt->ast->misc->fetch.move)
        tag = "MOVE";
    else if (stmt->ast->kind == STMT_CLOSE && !stmt->ast->misc->name.s)
        tag = "CLOSE CURSOR ALL";
    if (stmt->ast->kind == STMT_DEALLOCATE && !stmt->ast->misc->name.s)
        tag = "DEALLOCATE ALL";
    if (stmt->ast->keyspace)
        tag = stmt->ast->kind == STMT_CREATE_SCHEMA ? "CREATE KEYSPACE" : "DROP KEYSPACE";
    if (stmt->ast->kind == STMT_CREATE_TABLE && stmt->ast->table_def->no_data)
        tag = "CREATE TABLE AS";
    if (stmt->ast->kind == STMT_SELECT ||
        (stmt->ast->kind == STMT_CREATE_TABLE && stmt->reads && !stmt->ast->table_def->no_data))
        snprintf(stmt->tag, sizeof(stmt->tag), "SELECT %" PRIu64, stmt->rows_count);
    else if (stmt->ast->kind == STMT_UPDATE || stmt->ast->kind == STMT_DELETE ||
             stmt->ast->kind == STMT_MERGE || stmt->ast->kind == STMT_COPY ||
             stmt->ast->kind == STMT_FETCH)
        snprintf(stmt->tag, sizeof(stmt->tag), "%s %" PRIu64, tag, stmt->rows_count);
    else if (stmt->ast->kind == STMT_INSERT)
        snprintf(stmt->tag, sizeof(stmt->tag), "INSERT 0 %" PRIu64, stmt->rows_count);
    else
        snprintf(stmt->tag, sizeof(stmt->tag), "%s", tag);
}

static int stmt_run_checkpoint(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = session_write_allowed(stmt->conn, err);

    engine_settle(stmt->conn->db);
    return rc < 0 ? rc : shard_checkpoint(stmt->conn->db->shard, &stmt->conn->cancel, err);
}

/* Views, partitions, and what is said about objects. */
static int stmt_run_about(struct dendro_stmt *stmt, struct dn_err *err)
{
    if (stmt->ast->kind == STMT_CREATE_VIEW)
        return stmt_run_create_view(stmt, err);
    if (stmt->ast->kind == STMT_COMMENT)
        return stmt_run_comment(stmt, err);
    if (stmt->ast->kind == STMT_SLABS)
        return stmt_run_slabs(stmt, err);
    if (stmt->ast->kind == STMT_TIMEPART)
        return stmt_run_timepart(stmt, err);
    return stmt->ast->kind == STMT_ROLE ? stmt_run_role(stmt, err) : stmt_run_grant(stmt, err);
}

static int run_change(struct dendro_stmt *stmt, struct dn_err *err)
{
    if (stmt->ast->kind == STMT_DELETE && !stmt->plan)
        return stmt_run_delete_counters(stmt, err);
    if (stmt->ast->kind != STMT_MERGE)
        return stmt_run_change(stmt, err);
    stmt_merge_count(stmt); /* its parts have run */
    return 0;
}

static int run_cursor(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt->ast->kind == STMT_DECLARE ? cursor_run_declare(stmt, err)
           : stmt->ast->kind == STMT_FETCH ? cursor_run_fetch(stmt, err)
                                           : cursor_run_close(stmt, err);
}

static int run_alter(struct dendro_stmt *stmt, struct dn_err *err)
{
    if (stmt->ast->kind == STMT_CREATE_INDEX)
        return stmt_run_create_index(stmt, err);
    if (stmt->ast->kind == STMT_TRUNCATE)
        return stmt_run_truncate(stmt, err);
    if (stmt->ast->kind == STMT_TYPE)
        return stmt_run_type(stmt, err);
    if (stmt->ast->object == OBJECT_VIEW)
        return stmt_run_alter_view(stmt, err);
    if (stmt->ast->object == OBJECT_SEQUENCE || stmt->ast->kind != STMT_ALTER)
        return stmt_run_sequence(stmt, err);
    if (stmt->ast->object == OBJECT_INDEX)
        return stmt_run_drop_index(stmt, err);
    return stmt->ast->object == OBJECT_SCHEMA ? stmt_run_alter_schema(stmt, err)
                                              : stmt_run_alter(stmt, err);
}

int stmt_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    switch (stmt->ast->kind) {
    case STMT_EMPTY:
        return 0;
    case STMT_MAINTAIN:
    case STMT_DISCARD:
    case STMT_LOCK:
    case STMT_CHANNEL:
        return session_run(stmt, err);
    case STMT_SELECT:
        return stmt_run_select(stmt, err);
    case STMT_INSERT:
        return stmt_run_insert(stmt, err);
    case STMT_UPDATE:
    case STMT_DELETE:
    case STMT_MERGE:
        return run_change(stmt, err);
    case STMT_COPY:
        return stmt_run_copy(stmt, err);
    case STMT_TRUNCATE:
    case STMT_TYPE:
    case STMT_ALTER:
    case STMT_CREATE_SEQUENCE:
    case STMT_ALTER_SEQUENCE:
    case STMT_CREATE_INDEX:
        return run_alter(stmt, err);
    case STMT_SHOW_PARTITIONS:
        return stmt_run_partitions(stmt, err);
    case STMT_CREATE_TABLE:
    case STMT_CREATE_SCHEMA:
        return stmt_run_ddl(stmt, err);
    case STMT_TRANSACTION:
        return tx_run(stmt, err);
    case STMT_CREATE_VIEW:
    case STMT_COMMENT:
    case STMT_ROLE:
    case STMT_GRANT:
    case STMT_TIMEPART:
    case STMT_SLABS:
        return stmt_run_about(stmt, err);
    case STMT_DROP:
    case STMT_DROP_SCHEMA:
        return stmt->ast->object == OBJECT_INDEX ? stmt_run_drop_index(stmt, err)
                                                 : stmt_run_drop(stmt, err);
    case STMT_USE:
    case STMT_SET:
        return session_set(stmt->conn, stmt->ast, err);
    case STMT_DESCRIBE:
    case STMT_SHOW_TABLES:
    case STMT_SHOW_SCHEMAS:
    case STMT_SHOW_CREATE_TABLE:
    case STMT_SHOW_TABLE_STATUS:
    case STMT_SHOW_SETTING:
        return stmt_describe(stmt, stmt->catalog, &stmt->run, &stmt->rows, err);
    case STMT_DECLARE:
    case STMT_FETCH:
    case STMT_CLOSE:
        return run_cursor(stmt, err);
    case STMT_EXPLAIN:
        return stmt_run_explain(stmt, err);
    case STMT_PREPARE:
        return session_prepare(stmt, err);
    case STMT_DEALLOCATE:
        return session_deallocate(stmt, err);
    case STMT_CHECKPOINT:
        return stmt_run_checkpoint(stmt, err);
    case STMT_EXECUTE: /* from here on: refuse.c */
    case STMT_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown kind of statement: %d", (int)stmt->ast->kind);
}
