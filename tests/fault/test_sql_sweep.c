/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sql_sweep.c: one script of statements, from an empty disk over CREATE, INSERT, UPDATE,
 * ALTER, CHECKPOINT, TRUNCATE and DROP to a reopened database, in which the n-th storage call or
 * the n-th allocation fails, for n = 1, 2, 3 … until a run goes through unharmed. After each: the
 * error is the one that was injected, `dendro check` finds nothing, nothing leaks, each statement
 * has happened or has not, and the rest of the script leads to the same end.
 *
 * And with synchronous_commit = off on a disk that writes pages in any order: what a crash takes is
 * a suffix of the commits that were not synced. */
#include "sql_db.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REOPEN NULL

static const struct {
    const char *sql;  /* REOPEN: close, and open again */
    const char *undo; /* brings back what was there; NULL: running it twice is the same as once */
} script[] = {
    {REOPEN, NULL},
    {"CREATE SCHEMA s", "DROP SCHEMA s"},
    {"CREATE TABLE s.a (g VARCHAR NOT NULL, t TIMESTAMP NOT NULL, v DOUBLE, n INT DEFAULT 7, "
     "PRIMARY KEY ((g, QUANTUM(t, 15, 'm')), g, t DESC)) WITH (slab = '1d')",
     "DROP TABLE s.a"},
    {"INSERT INTO s.a VALUES ('x', 1, 0.5, 1), ('x', 90000000, 1.5, NULL), ('y', 2, NULL, 3)",
     NULL},
    {"CHECKPOINT", NULL},
    {"INSERT INTO s.a (t, g) VALUES ('1970-01-02', 'y'), (1, 'x'), (3, 'a longer series name')",
     NULL},
    {"CREATE TABLE s.b (k INT PRIMARY KEY, x BIGINT DEFAULT 5, y VARCHAR) WITH (upsert = 'field')",
     "DROP TABLE s.b"},
    {"INSERT INTO s.b VALUES (1, 10, 'one'), (2, NULL, 'two'), (3, 30, NULL)", NULL},
    {"INSERT INTO s.b (k, y) VALUES (1, 'uno'), (4, 'four')", NULL},
    {"SELECT g, count(*), sum(n), max(t) FROM s.a WHERE t > 0 GROUP BY g ORDER BY g DESC LIMIT 5",
     NULL},
    {"CHECKPOINT", NULL},
    {"SELECT * FROM s.a WHERE g = 'x' AND t >= 1 AND t < 100000000", NULL},
    {"SELECT DISTINCT ON (g) g, t, n FROM s.a WHERE n >= 0 ORDER BY g, t DESC", NULL},
    {"SELECT x.g, y.n FROM s.a x LEFT JOIN s.a y ON x.g = y.g AND x.t = y.t AND y.n > 1", NULL},
    {"UPDATE s.a SET v = 2.5, n = n WHERE g <> 'y' OR v IS NULL", NULL},
    {"ALTER TABLE s.a SET (quantum = '30m', slab = '2d')",
     "ALTER TABLE s.a SET (quantum = '15m', slab = '1d')"},
    {"DELETE FROM s.a WHERE g = 'y' AND t < 1000", NULL},
    {"DROP TABLE s.a",
     "CREATE TABLE s.a (g VARCHAR NOT NULL, t TIMESTAMP NOT NULL, v DOUBLE, n INT DEFAULT 7, "
     "PRIMARY KEY ((g, QUANTUM(t, 30, 'm')), g, t DESC)) WITH (slab = '2d'); "
     "INSERT INTO s.a VALUES ('a longer series name', 3, 2.5, 7), ('x', 1, 2.5, 7), "
     "('x', 90000000, 2.5, NULL), ('y', 86400000, 2.5, 7)"},
    {"INSERT INTO s.b (k, x) VALUES (2, 20), (5, 50)", NULL},
    {REOPEN, NULL},
    {"INSERT INTO s.b (k, y) VALUES (6, 'six'), (2, NULL)", NULL},
    {"ALTER TABLE s.b ADD z VARCHAR NOT NULL DEFAULT 'zed', DROP x, RENAME y TO why",
     "DROP TABLE s.b; CREATE TABLE s.b (k INT PRIMARY KEY, x BIGINT DEFAULT 5, y VARCHAR) WITH "
     "(upsert = 'field'); INSERT INTO s.b VALUES (1, 10, 'uno'), (2, 20, NULL), (3, 30, NULL), "
     "(4, 5, 'four'), (5, 50, NULL), (6, 5, 'six')"},
    {"UPDATE s.b SET why = 'w', z = z WHERE k < 3", NULL},
    {"UPDATE s.b SET k = k + 10 WHERE k < 10", "UPDATE s.b SET k = k - 10 WHERE k > 10"},
    {"SHOW PARTITIONS s.b", NULL},
    {"DELETE FROM s.b WHERE k = 14", NULL},
    {"CREATE TABLE s.c (x INT, y DOUBLE)", "DROP TABLE s.c"},
    {"INSERT INTO s.c VALUES (1, 1.5), (2, 2.5), (2, 2.5)", "TRUNCATE s.c"},
    {"UPDATE s.c SET y = 0 WHERE x = 2 RETURNING *", "UPDATE s.c SET y = 2.5 WHERE x = 2"},
    {"DELETE FROM s.c WHERE x = 1 RETURNING y + 1, (SELECT count(*) FROM s.c)",
     "INSERT INTO s.c VALUES (1, 1.5)"},
    {"INSERT INTO s.b (k, why, z) SELECT k + 20, why, 'new' FROM s.b WHERE k < 13 RETURNING *",
     "DELETE FROM s.b WHERE k > 20"},
    {"INSERT INTO s.b VALUES ((SELECT min(k) FROM s.b), 'least', 'z') RETURNING k",
     "INSERT INTO s.b VALUES (11, 'w', 'zed')"},
    {"INSERT INTO s.b VALUES (11, 'w2', 'zz'), (34, 'new', 'n') ON CONFLICT (k) DO UPDATE SET why "
     "= "
     "excluded.why || 'u', z = 'conflict' RETURNING *",
     "INSERT INTO s.b VALUES (11, 'least', 'z'); DELETE FROM s.b WHERE k = 34"},
    {"INSERT INTO s.b VALUES (11, 'no', 'no'), (33, 'new', 'n') ON CONFLICT DO NOTHING",
     "DELETE FROM s.b WHERE k = 33"},
    {"MERGE INTO s.b USING (VALUES (11, 'm'), (35, 'new')) AS n (k, w) ON b.k = n.k WHEN MATCHED "
     "AND n.w = 'none' THEN DELETE WHEN MATCHED THEN UPDATE SET why = n.w WHEN NOT MATCHED THEN "
     "INSERT VALUES (n.k, n.w, 'z')",
     "INSERT INTO s.b VALUES (11, 'w2u', 'conflict'); DELETE FROM s.b WHERE k = 35"},
    {"CREATE TABLE s.d (k INT PRIMARY KEY, v VARCHAR DEFAULT CASE WHEN random() < 2 THEN 'v' || "
     "42 END, n INT)",
     "DROP TABLE s.d"},
    {"INSERT INTO s.d (k) VALUES (1), (2), (3)", NULL},
    {"ALTER TABLE s.d ALTER n SET DEFAULT 5 * 5, ALTER v DROP DEFAULT",
     "ALTER TABLE s.d ALTER n DROP DEFAULT, ALTER v SET DEFAULT CASE WHEN random() < 2 THEN 'v' || "
     "42 END"},
    {"UPDATE s.d SET v = DEFAULT, n = DEFAULT WHERE k = 3",
     "UPDATE s.d SET v = 'v42', n = NULL WHERE k = 3"},
    {"ALTER TABLE s.d ADD CONSTRAINT few CHECK (k < 10 AND length(v) < 5), ADD CHECK (n > 0)",
     "ALTER TABLE s.d DROP CONSTRAINT few, DROP CONSTRAINT d_n_check"},
    {"INSERT INTO s.d (k, v) VALUES (4, 'four'), (5, NULL)", "DELETE FROM s.d WHERE k IN (4, 5)"},
    {"TRUNCATE s.c", "INSERT INTO s.c VALUES (2, 0), (2, 0)"},
    {"INSERT INTO s.c VALUES (3, 3)", "TRUNCATE s.c"},
    {REOPEN, NULL},
    {"CHECKPOINT", NULL},
    {"SELECT k, why FROM s.b WHERE z IS NOT NULL ORDER BY why, k", NULL},
};

#define STEPS DN_ARRAY_SIZE(script)

static char *dumps[STEPS + 1]; /* what is there before each step, and at the end */

struct run {
    struct sql_db d;
    bool background;
    uint64_t seed;
    const char *what; /* for messages */
    uint64_t n;       /* the call or allocation that fails; the seed */
    bool struck;
};

#define run_fail(r, k, ...)                                      \
    do {                                                         \
        (void)fprintf(stderr,                                    \
                      "%s %llu, step %zu (%s): ",                \
                      (r)->what,                                 \
                      (unsigned long long)(r)->n,                \
                      (size_t)(k),                               \
                      script[k].sql ? script[k].sql : "reopen"); \
        fail_msg(__VA_ARGS__);                                   \
    } while (0)

static int run_open(struct run *r, struct dendro_error *err)
{
    /* Small, so that log chunks roll on the way. */
    static const char *const settings[] = {"log_chunk_size", "4kB", NULL};
    struct sql_db_options o = {.seed = r->seed, .background = r->background, .settings = settings};
    struct dn_err e;
    int rc = sql_db_open(&r->d, &o, &e);

    if (rc < 0) {
        memset(err, 0, sizeof *err);
        (void)snprintf(err->message, sizeof err->message, "%.500s", e.text);
        (void)snprintf(err->hint, sizeof err->hint, "%.200s", e.hint);
    }
    return rc;
}

static int run_step(struct run *r, size_t k, struct dendro_error *err)
{
    memset(err, 0, sizeof *err);
    if (script[k].sql)
        return sql_exec(r->d.conn, script[k].sql, err);
    sql_db_close(&r->d);
    return run_open(r, err);
}

static void run_expect(struct run *r, size_t k, size_t want, const char *when)
{
    char *now = sql_dump(r->d.conn);

    if (strcmp(now, dumps[want]) != 0)
        run_fail(r, k, "%s:\n%s--- instead of\n%s", when, now, dumps[want]);
    mem_free(now);
}

static void run_begin(struct run *r, uint64_t seed)
{
    sql_db_init(&r->d, seed);
    r->seed = seed;
}

/* A step may succeed although an allocation failed; the sweep then undoes it and goes on. So the
 * undo must bring back exactly what was there, and the step must leave the same once more. */
static void run_again(struct run *r, size_t k)
{
    char *after = sql_dump(r->d.conn);
    struct dendro_error err;
    char *again;

    if (script[k].undo) {
        if (sql_exec(r->d.conn, script[k].undo, &err) < 0)
            run_fail(r, k, "%s: %s", script[k].undo, err.message);
        run_expect(r, k, k, "undone");
    }
    if (run_step(r, k, &err) < 0)
        run_fail(r, k, "%s", err.message);
    again = sql_dump(r->d.conn);
    if (strcmp(again, after) != 0)
        run_fail(r, k, "once more:\n%s--- instead of\n%s", again, after);
    mem_free(again);
    mem_free(after);
}

/* A run without faults: what each step leaves. */
static int setup(void **state)
{
    struct run r = {.what = "clean run"};
    struct dendro_error err;

    (void)state;
    run_begin(&r, 1);
    if (run_open(&r, &err) < 0)
        fail_msg("%s", err.message);
    for (size_t k = 0; k < STEPS; k++) {
        dumps[k] = sql_dump(r.d.conn);
        if (run_step(&r, k, &err) < 0)
            run_fail(&r, k, "%s", err.message);
        run_again(&r, k);
    }
    dumps[STEPS] = sql_dump(r.d.conn);
    sql_db_done(&r.d);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    for (size_t k = 0; k <= STEPS; k++)
        mem_free(dumps[k]);
    return 0;
}

/* ---- storage ---- */

/* After a failed step: what is there, and where to go on. */
static size_t run_settle(struct run *r, size_t k, bool sure, bool may_look)
{
    struct dendro_error err;
    bool crashed = sim_disk_crashed(r->d.disk);
    char *now;
    size_t next = k;

    r->struck = true;
    sim_disk_fail_nth(r->d.disk, 0, SIM_FAULT_NONE, false);
    if (!crashed && may_look && r->d.conn)
        run_expect(r, k, k, "in the session that saw the error");
    if (!crashed && r->n % 2)
        sim_disk_crash(r->d.disk);
    sql_db_close(&r->d);
    if (!sql_db_check(&r->d, r->what))
        run_fail(r, k, "check finds faults");
    if (run_open(r, &err) < 0)
        run_fail(r, k, "does not open again: %s", err.message);
    now = sql_dump(r->d.conn);
    if (strcmp(now, dumps[k]) != 0) {
        next = k + 1;
        if (sure || strcmp(now, dumps[next]) != 0)
            run_fail(r, k, "neither before nor after:\n%s", now);
    }
    mem_free(now);
    return next;
}

/* Returns whether the fault struck. */
static bool run_storage(struct run *r, enum sim_fault fault, bool sticky)
{
    struct dendro_error err;
    int rc;

    run_begin(r, r->n);
    r->struck = false;
    sim_disk_fail_nth(r->d.disk, r->n, fault, sticky);
    for (size_t k = 0; k < STEPS;) {
        rc = run_step(r, k, &err);
        if (rc >= 0 && !sim_disk_crashed(r->d.disk)) {
            k++;
            continue;
        }
        if (!sim_disk_fail_hit(r->d.disk))
            run_fail(r, k, "without a fault: %s", err.message);
        if (rc < 0 && rc != (fault == SIM_FAULT_NOSPC ? DN_E_NOSPC : DN_E_IO))
            run_fail(r, k, "the error is another one: %s %s", dendro_error_name(rc), err.message);
        if (rc < 0 && !err.message[0])
            run_fail(r, k, "an error without a message");
        /* An error means that nothing happened, unless it says that nobody knows, or the machine
         * died, or the storage stays away and the catalog cannot be read back. */
        if (rc < 0)
            k = run_settle(r,
                           k,
                           !sim_disk_crashed(r->d.disk) && !strstr(err.hint, "unknown") && !sticky,
                           !sticky);
        else
            k = run_settle(r, k + 1, true, true); /* it struck in work nobody waited for */
    }
    r->struck = r->struck || sim_disk_fail_hit(r->d.disk);
    sim_disk_fail_nth(r->d.disk, 0, SIM_FAULT_NONE, false);
    run_expect(r, STEPS - 1, STEPS, "at the end");
    sql_db_close(&r->d);
    if (run_open(r, &err) < 0)
        run_fail(r, STEPS - 1, "does not open at the end: %s", err.message);
    run_expect(r, STEPS - 1, STEPS, "reopened");
    sql_db_close(&r->d);
    if (!sql_db_check(&r->d, r->what))
        run_fail(r, STEPS - 1, "check finds faults at the end");
    sql_db_done(&r->d);
    return r->struck;
}

static void storage_sweep(enum sim_fault fault, bool sticky, bool background, const char *what)
{
    size_t before = mem_process_used();
    struct run r = {.what = what, .background = background};

    for (r.n = 1;; r.n++) {
        bool struck = run_storage(&r, fault, sticky);
        if (mem_process_used() != before)
            fail_msg("%s %llu leaks", what, (unsigned long long)r.n);
        if (!struck)
            break;
    }
    assert_true(r.n > 40); /* the sweep did sweep */
    print_message("%s: %llu calls\n", what, (unsigned long long)r.n - 1);
}

static void test_io(void **state)
{
    (void)state;
    storage_sweep(SIM_FAULT_IO, false, false, "I/O error at call");
    storage_sweep(SIM_FAULT_IO, false, true, "I/O error, background, at call");
}

static void test_io_sticky(void **state)
{
    (void)state;
    storage_sweep(SIM_FAULT_IO, true, false, "I/O errors from call");
}

static void test_nospc(void **state)
{
    (void)state;
    storage_sweep(SIM_FAULT_NOSPC, false, false, "no space at call");
    storage_sweep(SIM_FAULT_NOSPC, true, true, "no space, background, from call");
}

static void test_crash(void **state)
{
    (void)state;
    storage_sweep(SIM_FAULT_CRASH, false, false, "crash at call");
    storage_sweep(SIM_FAULT_CRASH, false, true, "crash, background, at call");
}

/* ---- memory ---- */

/* Fails the n-th allocation of one step for n = 1, 2, … until it goes through without. */
static uint64_t memory_sweep_step(struct run *r, size_t k)
{
    struct dendro_error err;
    bool struck = true;
    int rc = 0;

    for (r->n = 1; struck; r->n++) {
        mem_fail_nth(r->n, false);
        rc = run_step(r, k, &err);
        struck = mem_fail_hit();
        mem_fail_nth(0, false);
        if (rc < 0 && (rc != DN_E_NOMEM || !struck))
            run_fail(r, k, "%s %s", dendro_error_name(rc), err.message);
        if (rc < 0 && !r->d.conn && run_open(r, &err) < 0)
            run_fail(r, k, "does not open again: %s", err.message);
        if (rc < 0)
            run_expect(r, k, k, "after the error");
        if (rc == 0 && struck && script[k].undo && sql_exec(r->d.conn, script[k].undo, &err) < 0)
            run_fail(r, k, "%s: %s", script[k].undo, err.message);
        if (rc == 0 && struck && !script[k].sql)
            run_expect(r, k, k, "opened");
    }
    return r->n - 1;
}

static void memory_sweep(bool background, const char *what)
{
    size_t before = mem_process_used();
    struct run r = {.what = what, .background = background};
    struct dendro_error err;
    uint64_t total = 0;

    run_begin(&r, 1);
    if (run_open(&r, &err) < 0)
        fail_msg("%s", err.message);
    for (size_t k = 0; k < STEPS; k++) {
        total += memory_sweep_step(&r, k);
        run_expect(&r, k, k + 1, "after the step");
        sql_db_close(&r.d);
        if (!sql_db_check(&r.d, what))
            run_fail(&r, k, "check finds faults");
        if (run_open(&r, &err) < 0)
            run_fail(&r, k, "does not open again: %s", err.message);
    }
    sql_db_done(&r.d);
    if (mem_process_used() != before)
        fail_msg("%s leaks %zu bytes", what, mem_process_used() - before);
    assert_true(total > 500);
    print_message("%s: %llu allocations\n", what, (unsigned long long)total);
}

static void test_memory(void **state)
{
    (void)state;
    memory_sweep(false, "allocation");
    memory_sweep(true, "allocation, background,");
}

/* ---- opening and closing ---- */

/* Every open begins a log chunk; those that stayed empty do not pile up. */
static void test_idle_opens(void **state)
{
    struct run r = {.what = "idle opens"};
    struct volume_names names = {0};
    struct dendro_error err;
    struct dn_err e;

    (void)state;
    run_begin(&r, 1);
    for (int i = 0; i < 30; i++) {
        if (run_open(&r, &err) < 0)
            fail_msg("%s", err.message);
        if (i == 10 && sql_exec(r.d.conn,
                                "CREATE TABLE t (k INT PRIMARY KEY); INSERT INTO t VALUES (1)",
                                &err) < 0)
            fail_msg("%s", err.message);
        if (i < 29)
            sql_db_close(&r.d);
    }
    assert_int_equal(volume_log_list(r.d.v, "log/", &names, &e), 0);
    assert_int_equal(names.count, 2); /* the one with the row, and the one that is open */
    volume_names_done(&names);
    sql_db_done(&r.d);
}

/* ---- a DROP that nobody knows the outcome of ---- */

/* The DROP reported an error; what is written after it must stay, or not be acknowledged. */
static void test_unsure_drop(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 40; n++) {
        struct run r = {.what = "unsure drop", .n = n};
        struct dendro_error err;
        struct sql_rows rows;
        bool dropped;
        bool acked;
        int rc;
        run_begin(&r, n);
        if (run_open(&r, &err) < 0 ||
            sql_exec(r.d.conn, "CREATE TABLE t (k INT PRIMARY KEY); CHECKPOINT", &err) < 0)
            fail_msg("%s", err.message);
        sim_disk_fail_nth(r.d.disk, 1 + n % 4, SIM_FAULT_IO, true);
        dropped = sql_exec(r.d.conn, "DROP TABLE t", &err) == 0;
        sim_disk_fail_nth(r.d.disk, 0, SIM_FAULT_NONE, false);
        rc = sql_exec(r.d.conn, "INSERT INTO t VALUES (1)", &err);
        acked = rc == 0;
        if (rc < 0 && rc != DN_E_UNDEFINED_TABLE)
            fail_msg("seed %llu: %s", (unsigned long long)n, err.message);
        assert_false(dropped && acked);
        sql_db_close(&r.d);
        if (run_open(&r, &err) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)n, err.message);
        rc = sql_query(r.d.conn, "SELECT k FROM t", &rows, &err);
        if (acked && (rc < 0 || rows.count != 1))
            fail_msg("seed %llu: an acknowledged row is lost: %s",
                     (unsigned long long)n,
                     rc < 0 ? err.message : "the table is empty");
        sql_rows_done(&rows);
        sql_db_done(&r.d);
    }
}

/* ---- synchronous_commit = off ---- */

struct async {
    struct run r;
    struct rng rng;
    dendro_conn *on; /* another session, synchronous */
    int64_t acked;   /* rows 1 … acked were acknowledged */
    int64_t synced;  /* and 1 … synced are durable */
    bool crashed;
};

static void async_write(struct async *a)
{
    struct dendro_error err;
    bool sync = rng_one_in(&a->rng, 8);
    char sql[400];
    int rc;

    (void)snprintf(sql,
                   sizeof sql,
                   "INSERT INTO t VALUES (%lld, '%0*d')",
                   (long long)a->acked + 1,
                   (int)rng_below(&a->rng, 300) + 1,
                   7);
    rc = sql_exec(sync ? a->on : a->r.d.conn, sql, &err);
    if (rc == 0) {
        a->acked++;
        a->synced = sync ? a->acked : a->synced;
    } else if (!sim_disk_crashed(a->r.d.disk)) {
        fail_msg("seed %llu: %s", (unsigned long long)a->r.n, err.message);
    }
}

static void async_step(struct async *a)
{
    struct dendro_error err;
    uint32_t what = rng_below(&a->rng, 30);

    if (what == 0) {
        int64_t all = a->acked;
        if (sql_exec(a->on, "CHECKPOINT", &err) == 0)
            a->synced = all;
        else if (!sim_disk_crashed(a->r.d.disk))
            fail_msg("seed %llu: %s", (unsigned long long)a->r.n, err.message);
    } else if (what == 1 && a->r.background) {
        sched_sim_advance(a->r.d.v->sched, 200u * 1000 * 1000);
        if (!sim_disk_crashed(a->r.d.disk))
            a->synced = a->acked; /* "within a fraction of a second" */
    } else {
        async_write(a);
    }
}

static void async_check(struct async *a)
{
    struct dendro_error err;
    struct sql_rows rows;

    if (!sql_db_check(&a->r.d, "holes"))
        fail_msg("seed %llu: check finds faults", (unsigned long long)a->r.n);
    if (run_open(&a->r, &err) < 0)
        fail_msg("seed %llu: does not open: %s", (unsigned long long)a->r.n, err.message);
    if (sql_query(a->r.d.conn, "SELECT k FROM t ORDER BY k", &rows, &err) < 0)
        fail_msg("seed %llu: %s", (unsigned long long)a->r.n, err.message);
    for (size_t i = 0; i < rows.count; i++)
        if (sql_row(&rows, i)->i64 != (int64_t)i + 1)
            fail_msg("seed %llu: %lld is there, but not %zu",
                     (unsigned long long)a->r.n,
                     (long long)sql_row(&rows, i)->i64,
                     i + 1);
    /* The row after the last acknowledged one may have been on its way. */
    if ((int64_t)rows.count < a->synced || (int64_t)rows.count > a->acked + 1)
        fail_msg("seed %llu: %zu rows, %lld acknowledged, %lld of them synced",
                 (unsigned long long)a->r.n,
                 rows.count,
                 (long long)a->acked,
                 (long long)a->synced);
    a->acked = a->synced = (int64_t)rows.count;
    sql_rows_done(&rows);
}

static void async_run(struct async *a)
{
    struct dendro_error err;
    uint32_t steps = 5 + rng_below(&a->rng, 60);

    if (dendro_connect(a->r.d.db, &a->on, &err) < 0 ||
        sql_exec(a->r.d.conn, "SET synchronous_commit = off", &err) < 0)
        fail_msg("%s", err.message);
    if (rng_one_in(&a->rng, 2))
        sim_disk_fail_nth(a->r.d.disk, 1 + rng_below(&a->rng, 60), SIM_FAULT_CRASH, false);
    for (uint32_t i = 0; i < steps && !sim_disk_crashed(a->r.d.disk); i++)
        async_step(a);
    sim_disk_fail_nth(a->r.d.disk, 0, SIM_FAULT_NONE, false);
    sim_disk_crash(a->r.d.disk);
    dendro_disconnect(a->on);
    sql_db_close(&a->r.d);
    async_check(a);
}

static void test_async_holes(void **state)
{
    uint64_t seed = test_env("DENDRO_TEST_SEED", 0);
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 3) * 1000;
    uint64_t first = seed ? seed : 1;

    (void)state;
    for (uint64_t n = first; n == first || (!seed && test_now_ms() < end); n++) {
        struct async a = {.r = {.what = "holes", .n = n}, .rng = {.state = n}};
        struct dendro_error err;
        a.r.background = rng_one_in(&a.rng, 2);
        run_begin(&a.r, n);
        sim_disk_set_holes(a.r.d.disk, true);
        if (run_open(&a.r, &err) < 0 ||
            sql_exec(a.r.d.conn, "CREATE TABLE t (k BIGINT PRIMARY KEY, pad VARCHAR)", &err) < 0)
            fail_msg("%s", err.message);
        async_run(&a);
        async_run(&a);
        sql_db_done(&a.r.d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io),
        cmocka_unit_test(test_io_sticky),
        cmocka_unit_test(test_nospc),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_idle_opens),
        cmocka_unit_test(test_unsure_drop),
        cmocka_unit_test(test_async_holes),
    };

    return cmocka_run_group_tests_name("sql_sweep", tests, setup, teardown);
}
