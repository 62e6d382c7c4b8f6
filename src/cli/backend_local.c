/* SPDX-License-Identifier: Apache-2.0
 *
 * backend_local.c: a database in this process. */
#include "base/mem.h"
#include "cli/backend.h"
#include "engine/engine.h"
#include "server/auth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct local {
    struct backend base; /* first */
    dendro_db *db;
    dendro_conn *conn;
    dendro_stmt *stmt; /* that runs, or NULL */
};

static struct local *local_of(struct backend *b)
{
    return (struct local *)b;
}

static const struct local *local_const(const struct backend *b)
{
    return (const struct local *)b;
}

static int local_prepare(
    struct backend *b, const char *sql, size_t len, const char **ret_tail, struct dendro_error *err)
{
    struct local *l = local_of(b);
    int rc = dendro_prepare(l->conn, sql, (ptrdiff_t)len, &l->stmt, ret_tail, err);

    return rc < 0 ? rc : l->stmt != NULL;
}

static int local_step(struct backend *b, struct dendro_error *err)
{
    return dendro_step(local_of(b)->stmt, err);
}

static void local_finish(struct backend *b)
{
    dendro_finalize(local_of(b)->stmt);
    local_of(b)->stmt = NULL;
}

static int local_columns(const struct backend *b)
{
    return dendro_column_count(local_const(b)->stmt);
}

static const char *local_name(const struct backend *b, int col)
{
    return dendro_column_name(local_const(b)->stmt, col);
}

static enum dendro_type local_type(const struct backend *b, int col)
{
    return dendro_column_type(local_const(b)->stmt, col);
}

static void local_type_name(const struct backend *b, int col, char *ret, size_t size)
{
    (void)snprintf(ret, size, "%s", dendro_type_name(local_type(b, col)));
}

static const char *local_text(struct backend *b, int col, size_t *ret_len)
{
    const char *text = dendro_column_text(local_of(b)->stmt, col);

    *ret_len = text ? dendro_column_bytes(local_of(b)->stmt, col) : 0;
    return text;
}

static double local_number(struct backend *b, int col)
{
    const dendro_stmt *stmt = local_of(b)->stmt;

    if (dendro_column_is_null(stmt, col))
        return (double)NAN;
    if (local_type(b, col) == DENDRO_TYPE_DATE)
        return (double)dendro_column_int64(stmt, col) * 86400;
    if (backend_is_time(b, col))
        return (double)dendro_column_timestamp(stmt, col, DENDRO_UNIT_MS) / 1e3;
    return dendro_column_double(stmt, col);
}

static const char *local_tag(const struct backend *b)
{
    return dendro_command_tag(local_const(b)->stmt);
}

static void local_copy_info(const struct backend *b, struct dendro_copy_info *ret)
{
    dendro_stmt_copy(local_const(b)->stmt, ret);
}

static void local_set_copy(struct backend *b, const struct dendro_copy *copy)
{
    dendro_set_copy(local_of(b)->conn, copy);
}

static void
local_set_progress(struct backend *b, dendro_progress_fn fn, void *arg, unsigned interval_ms)
{
    dendro_set_progress(local_of(b)->conn, fn, arg, interval_ms);
}

static void local_set_notice(struct backend *b, dendro_notice_fn fn, void *arg)
{
    dendro_set_notice(local_of(b)->conn, fn, arg);
}

static void local_cancel(struct backend *b)
{
    dendro_cancel(local_of(b)->conn);
}

static enum dendro_tx_status local_status(const struct backend *b)
{
    return dendro_transaction_status(local_const(b)->conn);
}

static void local_close(struct backend *b)
{
    struct local *l = local_of(b);

    dendro_finalize(l->stmt);
    dendro_disconnect(l->conn);
    (void)dendro_close(l->db);
    mem_free(l);
}

static const struct backend_ops local_ops = {
    .prepare = local_prepare,
    .step = local_step,
    .finish = local_finish,
    .columns = local_columns,
    .name = local_name,
    .type = local_type,
    .type_name = local_type_name,
    .text = local_text,
    .number = local_number,
    .tag = local_tag,
    .copy_info = local_copy_info,
    .set_copy = local_set_copy,
    .set_progress = local_set_progress,
    .set_notice = local_set_notice,
    .cancel = local_cancel,
    .status = local_status,
    .close = local_close,
};

int backend_local_open(const char *where,
                       const struct backend_options *options,
                       struct backend **ret,
                       struct dendro_error *err)
{
    struct dendro_options o = {.flags = (options->read_only ? DENDRO_OPEN_READ_ONLY : 0u) |
                                        (options->must_exist ? DENDRO_OPEN_NO_CREATE : 0u),
                               .settings = options->settings};
    struct local *l = mem_calloc(NULL, 1, sizeof *l);
    int rc;

    if (!l) {
        (void)snprintf(err->message, sizeof err->message, "out of memory");
        return err->code = DENDRO_E_NOMEM;
    }
    l->base = (struct backend){.ops = &local_ops, .dendro = true, .title = "dendro"};
    (void)snprintf(l->base.where, sizeof l->base.where, "%s", where);
    rc = dendro_open(where, &o, &l->db, err);
    if (rc == DENDRO_OK) {
        engine_set_password(l->db, auth_make_verifier);
        rc = dendro_connect(l->db, &l->conn, err);
    }
    if (rc < 0) {
        local_close(&l->base);
        return rc;
    }
    *ret = &l->base;
    return DENDRO_OK;
}
