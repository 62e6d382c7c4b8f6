/* SPDX-License-Identifier: Apache-2.0
 *
 * clock_fix.c: see the header. */
#include "clock_fix.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

int world_open(struct world *w)
{
    char text[40];
    const char *const settings[] = {"test_clock", text, NULL};
    struct engine_options options = {.settings = settings};
    time_t at = (time_t)w->clock;
    struct tm tm;
    struct dn_err err;
    int rc = sim_volume_open(w->disk, ++w->epoch, &w->volume, &err);

    gmtime_r(&at, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    if (rc < 0)
        return rc;
    rc = engine_open_volume(w->volume, &options, &w->db, &err);
    if (rc < 0) {
        volume_close(w->volume);
        w->db = NULL;
        return rc;
    }
    return dendro_connect(w->db, &w->conn, NULL);
}

void world_close(struct world *w)
{
    if (!w->db)
        return;
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    volume_close(w->volume);
    w->db = NULL;
    w->conn = NULL;
}

int world_run(struct world *w, const char *sql)
{
    return dendro_exec(w->conn, sql, -1, NULL, NULL, NULL);
}

static int world_clock(void *arg, dendro_stmt *stmt)
{
    struct world *w = arg;

    w->clock = dendro_column_int64(stmt, 0);
    return 0;
}

int world_advance(struct world *w, int64_t seconds)
{
    char sql[80];
    int rc;

    snprintf(sql, sizeof(sql), "SELECT dendro_test_clock_advance('%" PRId64 " seconds')", seconds);
    rc = world_run(w, sql);
    if (rc >= 0)
        w->rolled = w->clock += seconds;
    else /* it may be set, and what was due then have failed */
        DN_IGNORE(dendro_exec(w->conn,
                              "SELECT extract(epoch FROM clock_timestamp())::BIGINT",
                              -1,
                              world_clock,
                              w,
                              NULL));
    return rc;
}

struct listed {
    struct buf b;
};

static int world_row(void *arg, dendro_stmt *stmt)
{
    struct listed *l = arg;

    for (int i = 0; i < dendro_column_count(stmt); i++) {
        const char *text = dendro_column_is_null(stmt, i) ? "~" : dendro_column_text(stmt, i);

        buf_puts(&l->b, i ? "|" : "");
        buf_puts(&l->b, text);
    }
    buf_puts(&l->b, "\n");
    return 0;
}

char *world_list(struct world *w, const char *sql)
{
    struct listed l;
    struct dendro_error err;
    char *text;

    buf_init(&l.b, NULL);
    if (dendro_exec(w->conn, sql, -1, world_row, &l, &err) < 0)
        fail_msg("%s: %s", sql, err.message);
    buf_u8(&l.b, 0);
    text = strdup((const char *)l.b.data);
    buf_done(&l.b);
    return text;
}

uint64_t seed_next(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}
