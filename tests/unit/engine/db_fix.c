/* SPDX-License-Identifier: Apache-2.0 */
#include "db_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void db_on_notice(void *arg, const char *severity, const char *message)
{
    struct db_fix *f = arg;

    buf_printf(&f->notices, "%s: %s\n", severity, message);
}

static void db_start(struct db_fix *f)
{
    struct engine_options options = {.flags = 0};
    struct dendro_error e;
    struct dn_err err;

    if (sim_volume_open(f->disk, 1, &f->volume, &err) < 0 ||
        engine_open_volume(f->volume, &options, &f->db, &err) < 0)
        fail_msg("open: %s", err.text);
    assert_int_equal(dendro_connect(f->db, &f->conn, &e), DENDRO_OK);
    dendro_set_notice(f->conn, db_on_notice, f);
}

static void db_stop(struct db_fix *f)
{
    dendro_disconnect(f->conn);
    assert_int_equal(dendro_close(f->db), DENDRO_OK);
    volume_close(f->volume);
}

void db_open(struct db_fix *f)
{
    memset(f, 0, sizeof(*f));
    buf_init(&f->out, NULL);
    buf_init(&f->notices, NULL);
    f->disk = sim_disk_new(1);
    assert_non_null(f->disk);
    db_start(f);
}

void db_close(struct db_fix *f)
{
    db_stop(f);
    sim_disk_free(f->disk);
    buf_done(&f->out);
    buf_done(&f->notices);
}

void db_reopen(struct db_fix *f)
{
    db_stop(f);
    db_start(f);
}

static int db_row(struct buf *out, dendro_stmt *stmt)
{
    for (int i = 0; i < dendro_column_count(stmt); i++) {
        const char *text = dendro_column_is_null(stmt, i) ? "~" : dendro_column_text(stmt, i);

        buf_puts(out, i ? "|" : "");
        buf_puts(out, text ? text : "ERROR 53200 no memory for the text of a value");
    }
    buf_puts(out, "\n");
    return 0;
}

const char *db_run_on(struct db_fix *f, dendro_conn *conn, const char *sql)
{
    struct dendro_error e;
    dendro_stmt *stmt;
    int rc;

    buf_reset(&f->out);
    buf_reset(&f->notices);
    for (;;) {
        rc = dendro_prepare(conn, sql, -1, &stmt, &sql, &e);
        if (rc < 0 || !stmt)
            break;
        while ((rc = dendro_step(stmt, &e)) == DENDRO_ROW)
            db_row(&f->out, stmt);
        if (rc == DENDRO_DONE)
            buf_printf(&f->out, "(%s)\n", dendro_command_tag(stmt));
        dendro_finalize(stmt);
        if (rc < 0)
            break;
    }
    if (rc < 0) {
        buf_printf(&f->out, "ERROR %s %u %s", e.sqlstate, e.position, e.message);
        if (e.hint[0])
            buf_printf(&f->out, " [%s]", e.hint);
    }
    buf_u8(&f->out, 0);
    assert_false(f->out.failed);
    return (const char *)f->out.data;
}

const char *db_run(struct db_fix *f, const char *sql)
{
    return db_run_on(f, f->conn, sql);
}

const char *db_ok(struct db_fix *f, const char *sql)
{
    const char *out = db_run(f, sql);

    if (strstr(out, "ERROR "))
        fail_msg("%s\n  %s", sql, out);
    return out;
}

const char *db_notices(struct db_fix *f)
{
    buf_u8(&f->notices, 0);
    assert_false(f->notices.failed);
    return (const char *)f->notices.data;
}
