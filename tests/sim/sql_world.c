/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_world.h"

#include <stdio.h>
#include <string.h>

void world_die(struct world *w, const char *when, const char *why)
{
    if (w->failed)
        return;
    (void)fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)w->seed, when, why);
    for (uint32_t i = 0; i < TABLES; i++)
        if (w->t[i].exists)
            (void)fprintf(stderr, "%s;\n", (const char *)w->t[i].create.data);
    w->failed = true;
}

void world_said(const struct world *w, const char *sql, int rc, const struct dendro_error *err)
{
    if (w->trace)
        (void)fprintf(stderr,
                      "%s; -- %s %s%s%s\n",
                      sql,
                      rc < 0 ? err->sqlstate : "done",
                      rc < 0 ? err->message : "",
                      rc < 0 && err->hint[0] ? " | " : "",
                      rc < 0 ? err->hint : "");
}

int world_exec(struct world *w, const char *sql, struct dendro_error *err)
{
    int rc;

    memset(err, 0, sizeof *err);
    rc = sql_exec(w->d.conn, sql, err);
    world_said(w, sql, rc, err);
    return rc;
}

void world_trace(const struct world *w, const char *what)
{
    if (w->trace)
        (void)fprintf(stderr, "-- %s\n", what);
}

int world_open(struct world *w, struct dn_err *err)
{
    static const char *const memtables[] = {"64kB", "128kB", "1MB", "64MB"};
    static const char *const chunks[] = {"4kB", "16kB", "4MB"};
    const char *settings[] = {"memtable_size",
                              memtables[rng_below(&w->rng, DN_ARRAY_SIZE(memtables))],
                              "log_chunk_size",
                              chunks[rng_below(&w->rng, DN_ARRAY_SIZE(chunks))],
                              NULL};
    struct sql_db_options o = {
        .seed = rng_next(&w->rng), .settings = settings, .background = rng_one_in(&w->rng, 2)};

    return sql_db_open(&w->d, &o, err);
}

void world_forget_maybe(struct world *w)
{
    for (uint32_t i = 0; i < w->maybe_count; i++)
        sql_rows_done(&w->maybe[i].after);
    w->maybe_count = 0;
}

/* ---- checks ---- */

bool world_has_table(struct world *w, const struct sqlm_table *t)
{
    struct dendro_error err;
    char sql[64];
    int rc;

    if (!t->name[0])
        return false; /* never made */
    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", t->name);
    rc = sql_exec(w->d.conn, sql, &err);
    if (rc < 0 && rc != DN_E_UNDEFINED_TABLE)
        world_die(w, sql, err.message);
    return rc == 0;
}

void world_verify(struct world *w, const char *when)
{
    for (uint32_t i = 0; i < TABLES && !w->failed; i++) {
        const char *bad = NULL;
        if (w->t[i].exists != world_has_table(w, &w->t[i]))
            bad = w->t[i].exists ? "a table is gone" : "a table is there that should not be";
        else if (w->t[i].exists)
            bad = sqlm_compare(&w->t[i], &w->t[i].rows, w->d.conn);
        if (bad)
            world_die(w, when, bad);
    }
}

/* An ALTER that failed: take what is there. */
static void world_settle_alter(struct world *w)
{
    struct sqlm_table *t = &w->t[w->ddl_table];
    struct dendro_error err;
    bool done = false;

    if (w->alter.probe[0])
        done = (sql_exec(w->d.conn, w->alter.probe, &err) == 0) == w->alter.probe_ok;
    else
        done = sqlm_compare(t, &t->rows, w->d.conn) != NULL;
    if (done) {
        world_trace(w, "the failed ALTER had happened");
        sqlm_table_done(t);
        *t = w->alter.after;
        memset(&w->alter.after, 0, sizeof w->alter.after);
    }
    sqlm_alter_done(&w->alter);
}

/* A CREATE or DROP that failed: take what is there. */
void world_settle_ddl(struct world *w)
{
    struct sqlm_table *t = &w->t[w->ddl_table];

    if (w->ddl == DDL_NONE)
        return;
    if (w->ddl == DDL_ALTER)
        world_settle_alter(w);
    else if (w->ddl == DDL_DROP && t->exists && !world_has_table(w, t)) {
        t->exists = false;
        world_trace(w, "the failed DROP had happened");
    } else if (w->ddl == DDL_CREATE && !t->exists && world_has_table(w, t)) {
        t->exists = true;
        world_trace(w, "the failed CREATE had happened");
    }
    w->ddl = DDL_NONE;
}

/* After a crash: the failed writes are gone, or one of them is there as a whole. */
static void world_settle_writes(struct world *w)
{
    for (uint32_t i = 0; i < w->maybe_count && !w->failed; i++) {
        struct sqlm_table *t = &w->t[w->maybe[i].table];
        if (!t->exists || !sqlm_compare(t, &t->rows, w->d.conn) ||
            sqlm_compare(t, &w->maybe[i].after, w->d.conn))
            continue;
        world_trace(w, "a failed write had happened");
        sql_rows_done(&t->rows);
        t->rows = w->maybe[i].after;
        memset(&w->maybe[i].after, 0, sizeof w->maybe[i].after);
        break;
    }
    world_forget_maybe(w);
}

void world_reopen(struct world *w, bool crash)
{
    struct dn_err err;

    world_trace(w, crash ? "crash" : "close");
    sim_disk_fail_nth(w->d.disk, 0, SIM_FAULT_NONE, false);
    if (crash)
        sim_disk_crash(w->d.disk);
    w->merges += sql_db_merges(&w->d);
    sql_db_close(&w->d);
    /* Sometimes the machine dies once more while it recovers. */
    if (rng_one_in(&w->rng, 3)) {
        sim_disk_fail_nth(w->d.disk,
                          1 + rng_below(&w->rng, 20),
                          (enum sim_fault)(1 + rng_below(&w->rng, 3)),
                          rng_one_in(&w->rng, 2));
        if (world_open(w, &err) < 0) {
            if (err.code != DN_E_IO && err.code != DN_E_NOSPC)
                world_die(w, "a fault while opening", err.text);
        } else {
            sim_disk_fail_nth(w->d.disk, 0, SIM_FAULT_NONE, false);
            sql_db_close(&w->d);
        }
        sim_disk_fail_nth(w->d.disk, 0, SIM_FAULT_NONE, false);
    }
    if (!sql_db_check(&w->d, "before reopening"))
        world_die(w, "check", "faults found");
    if (world_open(w, &err) < 0) {
        world_die(w, "cannot reopen", err.text);
        return;
    }
    world_settle_ddl(w);
    world_settle_writes(w);
    world_verify(w, "after reopening");
}

/* ---- faults ---- */

bool world_arm(struct world *w)
{
    if (rng_below(&w->rng, 5))
        return false;
    sim_disk_fail_nth(w->d.disk,
                      1 + rng_below(&w->rng, 12),
                      (enum sim_fault)(1 + rng_below(&w->rng, 3)),
                      rng_one_in(&w->rng, 2));
    return true;
}

bool world_fault_code(int rc)
{
    return rc == DN_E_IO || rc == DN_E_NOSPC;
}

bool world_again(struct world *w, bool armed, int rc, const struct dendro_error *err)
{
    if (armed || !world_fault_code(rc) || !strstr(err->message, "fresh rows cannot be flushed"))
        return false;
    world_trace(w, "a pause");
    sched_sim_advance(w->d.v->sched, 2000000000u);
    return true;
}

void world_disarm(struct world *w, bool armed, bool failed)
{
    bool crashed = sim_disk_crashed(w->d.disk);

    sim_disk_fail_nth(w->d.disk, 0, SIM_FAULT_NONE, false);
    if (crashed || (armed && rng_one_in(&w->rng, 3)))
        world_reopen(w, true);
    else if (failed && w->ddl == DDL_NONE)
        world_verify(w, "after a failed statement");
}

void world_know(struct world *w)
{
    struct dendro_error err;

    if (world_exec(w, "DROP TABLE IF EXISTS nothing", &err) < 0)
        world_die(w, "DROP TABLE IF EXISTS nothing", err.message);
    world_settle_ddl(w);
}

void world_maybe(struct world *w, uint32_t table, struct sql_rows *after)
{
    if (w->maybe_count == MAYBE_MAX) {
        sql_rows_done(after);
        return;
    }
    w->maybe[w->maybe_count].after = *after;
    w->maybe[w->maybe_count++].table = table;
    memset(after, 0, sizeof *after);
}

bool world_unknown(const struct world *w, const struct dendro_error *err)
{
    return sim_disk_crashed(w->d.disk) || strstr(err->hint, "unknown");
}
