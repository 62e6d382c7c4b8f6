/* SPDX-License-Identifier: Apache-2.0
 *
 * stmt_ops.c: the table of all kinds of statements, and what their rows share. */
#include "engine/stmt_ops.h"

#include "engine/retain.h"

#include <inttypes.h>
#include <stdio.h>

const struct stmt_ops *stmt_ops_of(const struct stmt *ast)
{
    static const struct stmt_ops *const rows[STMT_KIND_MAX] = {
#define SQL_STMT(kind, name, printer) [STMT_##kind] = &stmt_##name##_ops,
#include "sql/stmt_list.h"
#undef SQL_STMT
    };

    DN_ASSERT((unsigned)ast->kind < STMT_KIND_MAX);
    return rows[ast->kind];
}

/* ---- shared columns ---- */

void stmt_tag_name(const struct dendro_stmt *stmt, char *to, size_t size)
{
    snprintf(to, size, "%s", stmt_ops_of(stmt->ast)->name(stmt->ast));
}

void stmt_tag_rows(const struct dendro_stmt *stmt, char *to, size_t size)
{
    snprintf(to, size, "%s %" PRIu64, stmt_ops_of(stmt->ast)->name(stmt->ast), stmt->rows_count);
}

enum engine_class stmt_class_other(const struct stmt *ast)
{
    (void)ast;
    return ENGINE_OTHER;
}

enum engine_class stmt_class_mod(const struct stmt *ast)
{
    (void)ast;
    return ENGINE_MOD;
}

enum engine_class stmt_class_ddl(const struct stmt *ast)
{
    (void)ast;
    return ENGINE_DDL;
}

enum tx_use stmt_use_free(const struct stmt *ast)
{
    (void)ast;
    return TX_FREE;
}

enum tx_use stmt_use_reads(const struct stmt *ast)
{
    (void)ast;
    return TX_READS;
}

enum tx_use stmt_use_writes(const struct stmt *ast)
{
    (void)ast;
    return TX_WRITES;
}

enum tx_use stmt_use_alone(const struct stmt *ast)
{
    (void)ast;
    return TX_ALONE;
}

int privilege_everybody(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    (void)stmt;
    (void)ast;
    (void)err;
    return 0;
}

int privilege_by_planner(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return privilege_everybody(stmt, ast, err);
}

int privilege_when_run(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return privilege_everybody(stmt, ast, err);
}

int stmt_compile_nothing(struct dendro_stmt *stmt, struct dn_err *err)
{
    (void)stmt;
    (void)err;
    return 0;
}

/* ---- the rows of the empty statement and of CHECKPOINT ---- */

STMT_NAME(empty, "")
STMT_OPS(empty,
         stmt_name_empty,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_everybody,
         stmt_compile_nothing,
         stmt_compile_nothing);

static int
checkpoint_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    (void)ast;
    return access_inherits(stmt->catalog->access, stmt->conn->role, ACCESS_CHECKPOINT)
               ? 0
               : DN_FAIL(err,
                         DN_E_DENIED,
                         "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT");
}

static int checkpoint_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = session_write_allowed(stmt->conn, err);

    engine_settle(stmt->conn->db);
    return rc < 0 ? rc : shard_checkpoint(stmt->conn->db->shard, &stmt->conn->cancel, err);
}

STMT_NAME(checkpoint, "CHECKPOINT")
STMT_OPS(checkpoint,
         stmt_name_checkpoint,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         checkpoint_privilege,
         stmt_compile_nothing,
         checkpoint_run);
