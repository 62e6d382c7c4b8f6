/* SPDX-License-Identifier: Apache-2.0
 *
 * test_model.c: the whole engine on the simulated volume against a naive model, in SQL: random
 * tables of every key form, INSERTs good and bad, queries, CHECKPOINT, DROP and CREATE, closing and
 * reopening, crashes at any storage call, failing and full disks. After every statement that failed
 * the database holds what it held before; after every crash it holds what was acknowledged, and of
 * the statement that was under way all or nothing.
 *
 * A failure prints the seed; DENDRO_TEST_SEED reproduces it, DENDRO_TEST_TRACE=1 prints every
 * statement, DENDRO_TEST_SECONDS sets the time budget. */
#include "sql_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TABLES    3u
#define MAYBE_MAX 8u
#define STEPS     70
#define ROWS_MAX  400u /* no INSERT into a table beyond: the model is quadratic */
#define BIG_ONE_IN \
    16u /* of so many worlds one has fewer steps and bigger tables: several vectors */
#define BIG_STEPS 20
#define BIG_ROWS  6000u

enum ddl { DDL_NONE, DDL_CREATE, DDL_DROP };

struct world {
    struct rng rng;
    uint64_t seed;
    struct sql_db d;
    struct sqlm_table t[TABLES];
    uint32_t names; /* tables made so far */
    struct {
        struct sqlm_insert ins;
        uint32_t table;
    } maybe[MAYBE_MAX]; /* failed, outcome unknown: one of them may show after the next open */
    uint32_t maybe_count;
    enum ddl ddl; /* a failed CREATE or DROP: done or not, we will see */
    uint32_t ddl_table;
    bool big;
    bool trace;
    bool failed;
};

static void world_die(struct world *w, const char *when, const char *why)
{
    if (w->failed)
        return;
    (void)fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)w->seed, when, why);
    for (uint32_t i = 0; i < TABLES; i++)
        if (w->t[i].exists)
            (void)fprintf(stderr, "%s;\n", (const char *)w->t[i].create.data);
    w->failed = true;
}

static int world_exec(struct world *w, const char *sql, struct dendro_error *err)
{
    int rc;

    memset(err, 0, sizeof *err);
    rc = sql_exec(w->d.conn, sql, err);
    if (w->trace)
        (void)fprintf(stderr,
                      "%s; -- %s %s%s%s\n",
                      sql,
                      rc < 0 ? err->sqlstate : "done",
                      rc < 0 ? err->message : "",
                      rc < 0 && err->hint[0] ? " | " : "",
                      rc < 0 ? err->hint : "");
    return rc;
}

static void world_trace(const struct world *w, const char *what)
{
    if (w->trace)
        (void)fprintf(stderr, "-- %s\n", what);
}

static int world_open(struct world *w, struct dn_err *err)
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

static void world_forget_maybe(struct world *w)
{
    for (uint32_t i = 0; i < w->maybe_count; i++)
        sqlm_insert_done(&w->maybe[i].ins);
    w->maybe_count = 0;
}

/* ---- checks ---- */

static bool world_has_table(struct world *w, const struct sqlm_table *t)
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

static void world_verify(struct world *w, const char *when)
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

/* A CREATE or DROP that failed: take what is there. */
static void world_settle_ddl(struct world *w)
{
    struct sqlm_table *t = &w->t[w->ddl_table];

    if (w->ddl == DDL_NONE)
        return;
    if (w->ddl == DDL_DROP && t->exists && !world_has_table(w, t)) {
        t->exists = false;
        world_trace(w, "the failed DROP had happened");
    } else if (w->ddl == DDL_CREATE && !t->exists && world_has_table(w, t)) {
        t->exists = true;
        world_trace(w, "the failed CREATE had happened");
    }
    w->ddl = DDL_NONE;
}

/* After a crash: the failed INSERTs are gone, or one of them is there as a whole. */
static void world_settle_inserts(struct world *w)
{
    for (uint32_t i = 0; i < w->maybe_count && !w->failed; i++) {
        struct sqlm_table *t = &w->t[w->maybe[i].table];
        struct sql_rows before;
        if (!t->exists || !sqlm_compare(t, &t->rows, w->d.conn))
            continue;
        sql_rows_copy(&t->rows, &before);
        sqlm_insert_apply(&w->maybe[i].ins, t);
        if (!sqlm_compare(t, &t->rows, w->d.conn)) {
            world_trace(w, "a failed INSERT had happened");
            sql_rows_done(&before);
            break;
        }
        sql_rows_done(&t->rows);
        t->rows = before;
    }
    world_forget_maybe(w);
}

static void world_reopen(struct world *w, bool crash)
{
    struct dn_err err;

    world_trace(w, crash ? "crash" : "close");
    sim_disk_fail_nth(w->d.disk, 0, SIM_FAULT_NONE, false);
    if (crash)
        sim_disk_crash(w->d.disk);
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
    if (world_open(w, &err) < 0) {
        world_die(w, "cannot reopen", err.text);
        return;
    }
    if (!sql_check(w->d.v, "after reopening"))
        world_die(w, "check", "faults found");
    world_settle_ddl(w);
    world_settle_inserts(w);
    world_verify(w, "after reopening");
}

/* ---- steps ---- */

/* Arms a fault for the next statement, or not. */
static bool world_arm(struct world *w)
{
    if (rng_below(&w->rng, 5))
        return false;
    sim_disk_fail_nth(w->d.disk,
                      1 + rng_below(&w->rng, 12),
                      (enum sim_fault)(1 + rng_below(&w->rng, 3)),
                      rng_one_in(&w->rng, 2));
    return true;
}

static bool world_fault_code(int rc)
{
    return rc == DN_E_IO || rc == DN_E_NOSPC;
}

/* After a statement: the fault goes; after a crash the machine comes back. */
static void world_disarm(struct world *w, bool armed, bool failed)
{
    bool crashed = sim_disk_crashed(w->d.disk);

    sim_disk_fail_nth(w->d.disk, 0, SIM_FAULT_NONE, false);
    if (crashed || (armed && rng_one_in(&w->rng, 3)))
        world_reopen(w, true);
    else if (failed && w->ddl == DDL_NONE)
        world_verify(w, "after a failed statement");
}

static void step_insert(struct world *w)
{
    uint32_t i = rng_below(&w->rng, TABLES);
    struct sqlm_table *t = &w->t[i];
    struct sqlm_insert ins;
    struct dendro_error err;
    bool armed;
    int rc;

    if (!t->exists || t->rows.count > (w->big ? BIG_ROWS : ROWS_MAX))
        return;
    sqlm_insert_random(&ins, t, &w->rng, w->big ? BIG_ROWS / 4 : rng_below(&w->rng, 8) ? 6 : 60);
    armed = world_arm(w);
    rc = world_exec(w, (const char *)ins.sql.data, &err);
    if (!armed && world_fault_code(rc) && strstr(err.message, "fresh rows cannot be flushed")) {
        /* A flush failed a moment ago and memory is full. It is tried again after a pause, and
         * then, the disk being well again, writes go on. */
        sched_sim_advance(w->d.v->sched, 2000000000u);
        rc = world_exec(w, (const char *)ins.sql.data, &err);
    }
    if (rc == DN_E_UNDEFINED_TABLE && w->ddl == DDL_DROP && w->ddl_table == i) {
        /* A write finds out whether the DROP that failed had happened. */
        world_settle_ddl(w);
        if (t->exists)
            world_die(w, (const char *)ins.sql.data, err.message);
        sqlm_insert_done(&ins);
        world_disarm(w, armed, false);
        return;
    }
    if (rc == 0 && ins.bad)
        world_die(w, (const char *)ins.sql.data, ins.bad);
    if (rc < 0 && !ins.bad && !(armed && world_fault_code(rc)))
        world_die(w, (const char *)ins.sql.data, err.message);
    if (rc == 0) {
        sqlm_insert_apply(&ins, t);
        world_forget_maybe(w); /* this one's place in the log says that they never happened */
    } else if (!ins.bad && w->maybe_count < MAYBE_MAX &&
               (sim_disk_crashed(w->d.disk) || strstr(err.hint, "unknown"))) {
        sqlm_insert_copy(&ins, &w->maybe[w->maybe_count].ins);
        w->maybe[w->maybe_count++].table = i;
    }
    sqlm_insert_done(&ins);
    if (!w->failed)
        world_disarm(w, armed, rc < 0);
}

static void step_create(struct world *w, uint32_t i)
{
    struct sqlm_table *t = &w->t[i];
    struct dendro_error err;
    char name[16];
    bool armed;
    int rc;

    sqlm_table_done(t);
    (void)snprintf(name, sizeof name, "t%u", w->names++);
    sqlm_table_random(t, &w->rng, name);
    armed = world_arm(w);
    rc = world_exec(w, (const char *)t->create.data, &err);
    t->exists = rc == 0;
    if (rc < 0 && !(armed && world_fault_code(rc)))
        world_die(w, (const char *)t->create.data, err.message);
    if (rc < 0) {
        w->ddl = DDL_CREATE;
        w->ddl_table = i;
    }
    world_disarm(w, armed, rc < 0);
}

static void step_drop(struct world *w, uint32_t i)
{
    struct sqlm_table *t = &w->t[i];
    struct dendro_error err;
    char sql[64];
    bool armed = world_arm(w);
    int rc;

    (void)snprintf(sql, sizeof sql, "DROP TABLE %s", t->name);
    rc = world_exec(w, sql, &err);
    if (rc < 0 && !(armed && world_fault_code(rc)))
        world_die(w, sql, err.message);
    if (rc == 0) {
        t->exists = false;
    } else {
        w->ddl = DDL_DROP;
        w->ddl_table = i;
    }
    world_disarm(w, armed, rc < 0);
}

/* Creates or drops table i. */
static void step_ddl(struct world *w, uint32_t i)
{
    struct dendro_error err;

    /* An edit of the catalog first finds out how the last one ended. */
    if (w->ddl != DDL_NONE) {
        if (world_exec(w, "DROP TABLE IF EXISTS nothing", &err) < 0)
            world_die(w, "DROP TABLE IF EXISTS nothing", err.message);
        world_settle_ddl(w);
    }
    if (!w->failed && w->t[i].exists)
        step_drop(w, i);
    else if (!w->failed)
        step_create(w, i);
}

static void step_checkpoint(struct world *w)
{
    struct dendro_error err;
    bool armed = world_arm(w);
    int rc = world_exec(w, "CHECKPOINT", &err);

    if (rc < 0 && !(armed && world_fault_code(rc)))
        world_die(w, "CHECKPOINT", err.message);
    world_disarm(w, armed, rc < 0);
}

static void step_query(struct world *w)
{
    const struct sqlm_table *t = &w->t[rng_below(&w->rng, TABLES)];
    const char *bad;
    bool armed;

    /* A DROP whose outcome is open: the table may go away at any statement. */
    if (!t->exists || w->ddl != DDL_NONE)
        return;
    armed = world_arm(w);
    bad = sqlm_query(t, &w->rng, w->d.conn, armed);
    if (bad)
        world_die(w, "query", bad);
    if (!w->failed)
        world_disarm(w, armed, false);
}

static void world_step(struct world *w)
{
    uint32_t what = rng_below(&w->rng, 40);

    if (what < 16)
        step_insert(w);
    else if (what < 32)
        step_query(w);
    else if (what < 35)
        step_checkpoint(w);
    else if (what < 38)
        step_ddl(w, rng_below(&w->rng, TABLES));
    else
        world_reopen(w, rng_one_in(&w->rng, 2));
}

static void world_run(struct world *w, uint64_t seed)
{
    struct dn_err err;

    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->rng.state = seed;
    w->big = rng_one_in(&w->rng, BIG_ONE_IN);
    w->trace = test_env("DENDRO_TEST_TRACE", 0);
    sql_db_init(&w->d, seed);
    if (world_open(w, &err) < 0)
        world_die(w, "cannot begin", err.text);
    for (uint32_t i = 0; i < TABLES && !w->failed; i++)
        step_ddl(w, i);
    for (int i = 0; i < (w->big ? BIG_STEPS : STEPS) && !w->failed; i++)
        world_step(w);
    if (!w->failed)
        world_reopen(w, false);
    world_forget_maybe(w);
    for (uint32_t i = 0; i < TABLES; i++)
        sqlm_table_done(&w->t[i]);
    sql_db_done(&w->d);
}

static void test_model(void **state)
{
    uint64_t seed = test_env("DENDRO_TEST_SEED", 0);
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 10) * 1000;
    /* A longer budget goes where no shorter one has been. */
    uint64_t first = seed ? seed : 1;
    uint64_t n;

    (void)state;
    for (n = first; n == first || (!seed && test_now_ms() < end); n++) {
        size_t before = mem_process_used();
        struct world *w = malloc(sizeof *w);
        bool failed;
        assert_non_null(w);
        world_run(w, n);
        failed = w->failed;
        free(w);
        assert_false(failed);
        if (mem_process_used() != before)
            fail_msg(
                "seed %llu leaves %zu bytes", (unsigned long long)n, mem_process_used() - before);
    }
    print_message("%llu seeds\n", (unsigned long long)(n - first));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
    };

    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
