/* SPDX-License-Identifier: Apache-2.0
 *
 * session_stmts.c: statements about the session itself, and those for which there is nothing to do
 * but to see that what they name is there: DISCARD, LOCK, LISTEN, UNLISTEN, NOTIFY, ANALYZE,
 * VACUUM, REINDEX, CLUSTER. */
#include "engine/advisory.h"
#include "engine/names.h"
#include "engine/session_settings.h"
#include "engine/stmt_ops.h"

static int session_discard(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_conn *conn = stmt->conn;
    enum discard_kind what = stmt->ast->misc->discard;
    bool all = what == DISCARD_ALL;
    int rc = 0;

    if (all && tx_in_block(conn))
        return DN_FAIL(err, DN_E_TX_ACTIVE, "DISCARD ALL cannot run inside a transaction block");
    if (all) {
        cursor_close_all(conn);
        session_free_prepared(conn);
        rc = session_settings_reset(conn, err);
        advisory_end_session(conn);
    }
    if (rc == 0 && (all || what == DISCARD_PLANS)) {
        conn->epoch++;
        stmt_cache_free(conn);
    }
    if (rc == 0 && (all || what == DISCARD_SEQUENCES))
        session_sequences_forget(conn);
    if (rc == 0 && (all || what == DISCARD_TEMP))
        rc = session_discard_temps(conn, err);
    return rc;
}

/* Those that are named exist. */
static int session_see(struct dendro_stmt *stmt, bool tables, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < stmt->ast->names_count; i++) {
        const struct qual_name *name = &stmt->ast->names[i];
        struct catalog_relation r;

        if (!tables)
            rc = session_relation(stmt->conn, stmt->catalog, name, &r, err);
        else if (!session_table(stmt->conn, stmt->catalog, name, err))
            rc = err->code;
    }
    return rc;
}

/* Readers do not wait for writers, nor the other way round; of two that change the same rows the
 * one that commits first wins. So there is nothing to wait for. */
static int session_lock(struct dendro_stmt *stmt, struct dn_err *err)
{
    if (!tx_in_block(stmt->conn))
        return DN_FAIL(err, DN_E_NO_TX, "LOCK TABLE can only be used in transaction blocks");
    return session_see(stmt, false, err);
}

/* The background does what there is to do. */
static int session_maintain(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt->ast->misc->maintain == MAINTAIN_REINDEX ? 0 : session_see(stmt, true, err);
}

static int session_channel(struct dendro_stmt *stmt, struct dn_err *err)
{
    enum channel_kind kind = stmt->ast->misc->channel;
    int rc;

    if (kind == CHANNEL_UNLISTEN)
        return 0; /* nobody listens */
    rc = DN_FAIL(err,
                 DN_E_UNSUPPORTED,
                 "%s is not supported: sessions cannot send messages to each other",
                 kind == CHANNEL_LISTEN ? "LISTEN" : "NOTIFY");
    dn_err_at(err, stmt->ast->start);
    return rc;
}

/* ---- their rows ---- */

static const char *discard_name(const struct stmt *ast)
{
    static const char *const names[] = {[DISCARD_ALL] = "DISCARD ALL",
                                        [DISCARD_PLANS] = "DISCARD PLANS",
                                        [DISCARD_SEQUENCES] = "DISCARD SEQUENCES",
                                        [DISCARD_TEMP] = "DISCARD TEMP"};

    return names[ast->misc->discard];
}

/* As PostgreSQL: a reader may keep others from what readers are in the way of, and so on. */
static int
lock_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    const char *mode = ast->misc->lock_mode ? ast->misc->lock_mode : "ACCESS EXCLUSIVE";
    uint32_t rights = PRIVILEGE_BIT(PRIVILEGE_UPDATE) | PRIVILEGE_BIT(PRIVILEGE_DELETE) |
                      PRIVILEGE_BIT(PRIVILEGE_TRUNCATE);
    int rc = 0;

    if (strcmp(mode, "ACCESS SHARE") == 0)
        rights = PRIVILEGE_BIT(PRIVILEGE_SELECT);
    else if (strcmp(mode, "ROW EXCLUSIVE") == 0)
        rights |= PRIVILEGE_BIT(PRIVILEGE_INSERT);
    for (uint32_t i = 0; rc == 0 && i < ast->names_count; i++)
        rc = privilege_any(stmt, &ast->names[i], rights, false, err);
    return rc;
}

static const char *channel_name(const struct stmt *ast)
{
    static const char *const names[] = {
        [CHANNEL_LISTEN] = "LISTEN", [CHANNEL_UNLISTEN] = "UNLISTEN", [CHANNEL_NOTIFY] = "NOTIFY"};

    return names[ast->misc->channel];
}

static const char *maintain_name(const struct stmt *ast)
{
    static const char *const names[] = {[MAINTAIN_ANALYZE] = "ANALYZE",
                                        [MAINTAIN_VACUUM] = "VACUUM",
                                        [MAINTAIN_REINDEX] = "REINDEX",
                                        [MAINTAIN_CLUSTER] = "CLUSTER"};

    return names[ast->misc->maintain];
}

static enum tx_use maintain_use(const struct stmt *ast)
{
    return ast->misc->maintain == MAINTAIN_ANALYZE ? TX_READS : TX_ALONE;
}

STMT_OPS(discard,
         discard_name,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_everybody,
         stmt_compile_nothing,
         session_discard);

STMT_NAME(lock, "LOCK TABLE")
STMT_OPS(lock,
         stmt_name_lock,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_reads,
         lock_privilege,
         stmt_compile_nothing,
         session_lock);

STMT_OPS(channel,
         channel_name,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_everybody,
         stmt_compile_nothing,
         session_channel);

STMT_OPS(maintain,
         maintain_name,
         stmt_tag_name,
         stmt_class_other,
         maintain_use,
         privilege_everybody,
         stmt_compile_nothing,
         session_maintain);
