/* SPDX-License-Identifier: Apache-2.0
 *
 * clock_world.c: see the header. */
#include "clock_world.h"

#include "base/civil.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int64_t world_now(const struct world *w)
{
    return w->base_ns + (w->d.v ? (int64_t)sched_now_ns(w->d.v->sched) : 0);
}

void world_off(struct world *w, int64_t error_ns)
{
    w->error_ns = error_ns;
    sim_disk_set_clock(w->d.disk, world_now(w) + error_ns);
}

void world_open(struct world *w)
{
    struct sql_db_options o = {.seed = w->seed * 1000 + ++w->opened, .background = true};
    struct dn_err err;

    world_off(w, w->error_ns);
    if (sql_db_open(&w->d, &o, &err) < 0)
        fail_msg("seed %" PRIu64 ": open: %s", w->seed, err.text);
}

void world_close(struct world *w)
{
    int64_t now = world_now(w);

    sql_db_close(&w->d);
    w->base_ns = now;
}

void world_begin(struct world *w, uint64_t seed)
{
    *w = (struct world){.seed = seed, .base_ns = START};
    sql_db_init(&w->d, seed);
    world_open(w);
}

void world_end(struct world *w)
{
    sql_db_done(&w->d);
}

void world_pass(struct world *w, int64_t ns)
{
    if (w->d.v) {
        sched_sim_advance(w->d.v->sched, (uint64_t)ns);
        return;
    }
    w->base_ns += ns;
    w->lost_ns += ns + 3600 * SECOND; /* the last record may be an hour old */
}

void world_restart(struct world *w, int64_t off_ns, int64_t error_ns)
{
    world_close(w);
    world_pass(w, off_ns);
    w->error_ns = error_ns;
    world_open(w);
}

int world_run(struct world *w, struct dendro_error *err, const char *sql)
{
    return sql_exec(w->d.conn, sql, err);
}

void world_must(struct world *w, const char *sql)
{
    struct dendro_error err;

    if (world_run(w, &err, sql) < 0)
        fail_msg("seed %" PRIu64 ": %s: %s %s", w->seed, sql, err.sqlstate, err.message);
}

void world_refuses(struct world *w, const char *sql, const char *sqlstate, const char *part)
{
    struct dendro_error err;

    assert_true(world_run(w, &err, sql) < 0);
    assert_string_equal(err.sqlstate, sqlstate);
    if (!strstr(err.message, part))
        fail_msg("%s: %s", sql, err.message);
}

static int world_first(void *arg, dendro_stmt *stmt)
{
    int64_t *to = arg;

    *to = dendro_column_int64(stmt, 0);
    return 0;
}

int64_t world_number(struct world *w, const char *sql)
{
    struct dendro_error err;
    int64_t n = -1;

    if (dendro_exec(w->d.conn, sql, -1, world_first, &n, &err) < 0)
        fail_msg("seed %" PRIu64 ": %s: %s", w->seed, sql, err.message);
    return n;
}

static int world_status(void *arg, dendro_stmt *stmt)
{
    int64_t *to = arg;

    if (strcmp(dendro_column_text(stmt, 1), "clock_ahead_seconds") == 0)
        *to = strtoll(dendro_column_text(stmt, 2), NULL, 10);
    return 0;
}

int64_t world_ahead(struct world *w)
{
    int64_t n = -1;

    assert_true(dendro_exec(w->d.conn, "SHOW STATUS", -1, world_status, &n, NULL) >= 0);
    return n;
}

void world_merge(struct world *w)
{
    struct dn_err err;

    if (sql_db_merge(&w->d, &err) < 0)
        fail_msg("seed %" PRIu64 ": merge: %s", w->seed, err.text);
}

int world_put(struct world *w, const char *table, int64_t key, int64_t at_ns)
{
    struct dendro_error err;
    char sql[120];
    int rc;

    snprintf(sql,
             sizeof sql,
             "INSERT INTO %s VALUES (%" PRId64 ", %" PRId64 ")",
             table,
             key,
             at_ns / 1000000);
    rc = world_run(w, &err, sql);
    if (rc < 0 && strcmp(err.sqlstate, "22008") != 0)
        fail_msg("seed %" PRIu64 ": %s: %s %s", w->seed, sql, err.sqlstate, err.message);
    return rc;
}

int world_confirm(struct world *w, int64_t day, struct dendro_error *err)
{
    struct civil c = civil_from_days(day);
    char sql[100];

    snprintf(sql,
             sizeof sql,
             "SELECT dendro_confirm_clock('%04" PRId64 "-%02d-%02d')",
             c.year,
             c.month,
             c.day);
    return world_run(w, err, sql);
}

void world_make(struct world *w)
{
    world_must(w,
               "CREATE TABLE r (k INT, time TIMESTAMP, PRIMARY KEY (time, k)) WITH (retention = "
               "'30 days')");
    world_must(w,
               "CREATE TABLE n (k INT, time TIMESTAMP, PRIMARY KEY (time, k)) WITH (retention = "
               "'5 partitions')");
    world_must(w, "CREATE TABLE e (k INT PRIMARY KEY)");
}
