/* SPDX-License-Identifier: Apache-2.0
 *
 * truncate.c: TRUNCATE, one edit of the catalog: the rows of a table that was emptied belong to an
 * id that is no longer there. */
#include "engine/commit.h"
#include "engine/names.h"
#include "engine/sequence_ddl.h"
#include "engine/stmt_ops.h"

/* *now: the last catalog made, NULL = none yet. */
static int truncate_one(struct dendro_stmt *stmt,
                        const struct catalog *cur,
                        const struct table *was,
                        struct catalog **now,
                        struct dn_err *err)
{
    struct catalog *next = NULL;
    struct table *t;
    int rc = table_copy(was, &t, err);

    if (rc < 0)
        return rc;
    rc = catalog_with_changed_table(*now ? *now : cur, t, true, &next, err);
    if (rc == 0 && stmt->ast->restart_identity)
        rc = ddl_sequences_restart(stmt, t->id, &next, err);
    table_unref(t);
    if (rc < 0) {
        catalog_unref(next);
        return rc;
    }
    catalog_unref(*now);
    *now = next;
    return 0;
}

static int
truncate_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct dendro_stmt *stmt = arg;
    struct catalog *now = NULL; /* the last one made */
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < stmt->ast->names_count; i++) {
        const struct table *named = session_table(stmt->conn, cur, &stmt->ast->names[i], err);

        rc = named ? timepart_refuse_shard(cur, named, "truncate", err) : err->code;
        for (uint32_t n = 0; rc == 0; n++) {
            const struct table *was = named->timepart ? timepart_nth(cur, named, n)
                                      : n == 0        ? named
                                                      : NULL;

            if (!was)
                break;
            rc = truncate_one(stmt, cur, was, &now, err);
        }
        if (rc == 0 && named->timepart && stmt->ast->restart_identity)
            rc = ddl_sequences_restart(stmt, named->id, &now, err);
    }
    if (rc < 0)
        catalog_unref(now);
    else
        *ret_next = now;
    return rc;
}

/* In a block: only the sequences. */
static int truncate_restart(void *arg,
                            const struct catalog *cur,
                            struct catalog **ret_next,
                            struct dn_err *err)
{
    struct dendro_stmt *stmt = arg;
    struct catalog *now = NULL;
    int rc = catalog_without(cur, NULL, 0, &now, err);

    for (uint32_t i = 0; rc == 0 && i < stmt->ast->names_count; i++) {
        const struct table *t = session_table(stmt->conn, cur, &stmt->ast->names[i], err);

        rc = t ? ddl_sequences_restart(stmt, t->id, &now, err) : err->code;
    }
    if (rc < 0)
        catalog_unref(now);
    else
        *ret_next = now;
    return rc;
}

/* In a transaction block all rows are deleted with one range tombstone: whatever the block writes
 * afterwards stays, and ROLLBACK brings them back. */
static int truncate_rows(struct dendro_stmt *stmt, struct dn_err *err)
{
    static const struct range all = {.slab_min = INT64_MIN, .slab_max = INT64_MAX};
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < stmt->ast->names_count; i++) {
        const struct table *named =
            session_table(stmt->conn, stmt->catalog, &stmt->ast->names[i], err);
        struct shard_batch b = {.table = named, .op = ROW_RANGE, .range = &all, .check_seq = 1};

        rc = named ? timepart_refuse_shard(stmt->catalog, named, "truncate", err) : err->code;
        if (rc == 0)
            rc = cursor_check_unused(stmt->conn, named, "TRUNCATE", err);
        for (uint32_t n = 0; rc == 0; n++) {
            if (named->timepart)
                b.table = timepart_nth(stmt->catalog, named, n);
            if (!b.table || (n > 0 && !named->timepart))
                break;
            rc = session_commit(stmt->conn, &b, 1, err);
        }
    }
    if (rc == 0 && stmt->ast->restart_identity)
        rc = tx_edit(stmt->conn, truncate_restart, stmt, err);
    return rc;
}

static int stmt_run_truncate(struct dendro_stmt *stmt, struct dn_err *err)
{
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0 && tx_in_block(stmt->conn))
        return truncate_rows(stmt, err);
    return rc < 0 ? rc : engine_edit_of(stmt->conn, truncate_edit, stmt, err);
}

static int
truncate_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return privilege_names(stmt, ast, PRIVILEGE_BIT(PRIVILEGE_TRUNCATE), err);
}

STMT_NAME(truncate, "TRUNCATE TABLE")
STMT_OPS(truncate,
         stmt_name_truncate,
         stmt_tag_name,
         stmt_class_mod,
         stmt_use_writes,
         truncate_privilege,
         stmt_compile_nothing,
         stmt_run_truncate);
