/* SPDX-License-Identifier: Apache-2.0
 *
 * test_sessions.c: several sessions at once, as fibers of the simulated scheduler: writers,
 * readers, one that checkpoints, one that creates and drops tables, and one that breaks the disk
 * now and then. Each INSERT is a batch with a number and a size, its rows spread over series and
 * slabs.
 *
 *   - whoever reads sees of each batch nothing or all
 *   - a batch acknowledged before a query began is in its result
 *   - a batch that failed is never seen; after a crash it may be there as a whole only if its
 *     outcome was unknown
 *   - an acknowledged batch is there after a crash; one written with synchronous_commit = off only
 *     if every batch acknowledged before it was begun is there too
 *
 * A failure prints the seed; DENDRO_TEST_SEED reproduces it, DENDRO_TEST_SECONDS sets the budget.
 */
#include "sql_db.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TABLES      4u
#define BATCHES_MAX 2000u
#define WRITERS     3u
#define READERS     2u
#define ROUNDS      3u

static const char *const creates[TABLES] = {
    "CREATE TABLE c0 (w INT NOT NULL, t TIMESTAMP NOT NULL, i INT NOT NULL, bn BIGINT, n INT, pad "
    "VARCHAR, PRIMARY KEY ((w, QUANTUM(t, 1, 'h')), w, t, i))",
    "CREATE TABLE c1 (w INT, t TIMESTAMP, i INT, bn BIGINT, n INT, pad VARCHAR, PRIMARY KEY ((w), "
    "bn, i)) WITH CLUSTERING ORDER BY (bn DESC)",
    "CREATE TABLE c2 (w INT, t TIMESTAMP, i INT, bn BIGINT, n INT, pad VARCHAR, PRIMARY KEY (t "
    "DESC, w, i)) WITH (upsert = 'field')",
    "CREATE TABLE c3 (w INT, t TIMESTAMP, i INT, bn BIGINT, n INT, pad VARCHAR)",
};

enum batch_state {
    B_RUNNING, /* under way */
    B_ACKED,   /* durable */
    B_ASYNC,   /* acknowledged, synchronous_commit = off */
    B_FAILED,  /* and certainly not there */
    B_UNKNOWN, /* failed, or a crash came: whole or gone after the next open */
    B_GONE,    /* seen to be gone after an open */
};

struct batch {
    enum batch_state state;
    uint32_t table;
    uint32_t n;
    uint64_t begun; /* logical times */
    uint64_t ended;
};

struct world {
    struct rng rng;
    uint64_t seed;
    struct sql_db d;
    struct batch b[BATCHES_MAX];
    uint32_t batches;
    uint64_t clock;
    uint32_t running; /* writers that are not done yet */
    bool faults;      /* this round has some */
    bool failed;
    uint32_t sightings; /* batches seen by readers, to prove that they saw any */
};

static void world_die(struct world *w, const char *what, const char *why)
{
    if (!w->failed)
        (void)fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)w->seed, what, why);
    w->failed = true;
}

static bool storage_error(const struct world *w, int rc)
{
    return (w->faults || sim_disk_crashed(w->d.disk)) && (rc == DN_E_IO || rc == DN_E_NOSPC);
}

static dendro_conn *world_connect(struct world *w)
{
    dendro_conn *conn = NULL;
    struct dendro_error err;

    if (dendro_connect(w->d.db, &conn, &err) < 0)
        world_die(w, "connect", err.message);
    return conn;
}

/* ---- writers ---- */

static void batch_sql(struct world *w, uint32_t bn, struct buf *sql)
{
    const struct batch *b = &w->b[bn];

    buf_printf(sql, "INSERT INTO c%u (n, bn, pad, i, t, w) VALUES ", b->table);
    for (uint32_t i = 0; i < b->n; i++)
        buf_printf(sql,
                   "%s(%u, %u, '%0*u', %u, %" PRIu64 ", %u)",
                   i ? ", " : "",
                   b->n,
                   bn,
                   (int)(10 + (bn * 7 + i) % 90),
                   bn,
                   i,
                   /* a batch touches several quanta and slabs, and no other batch's rows */
                   (uint64_t)1 + bn + (uint64_t)i * 7 * 3600 * 1000,
                   (bn + i) % 5);
    buf_u8(sql, 0);
    DN_ASSERT(!sql->failed);
}

static void writer_batch(struct world *w, dendro_conn *conn, bool sync)
{
    uint32_t bn = w->batches++;
    struct batch *b = &w->b[bn];
    struct dendro_error err;
    struct buf sql;
    int rc;

    *b = (struct batch){.state = B_RUNNING,
                        .table = rng_below(&w->rng, TABLES),
                        .n = 1 + rng_below(&w->rng, rng_one_in(&w->rng, 6) ? 60 : 8),
                        .begun = ++w->clock};
    buf_init(&sql, NULL);
    batch_sql(w, bn, &sql);
    memset(&err, 0, sizeof err);
    rc = sql_exec(conn, (const char *)sql.data, &err);
    buf_done(&sql);
    b->ended = ++w->clock;
    if (rc == 0)
        b->state = sync ? B_ACKED : B_ASYNC;
    else if (sim_disk_crashed(w->d.disk) || strstr(err.hint, "unknown"))
        b->state = B_UNKNOWN;
    else
        b->state = B_FAILED;
    if (rc < 0 && !storage_error(w, rc))
        world_die(w, "INSERT", err.message);
}

static void writer(void *arg)
{
    struct world *w = arg;
    dendro_conn *conn = world_connect(w);
    struct dendro_error err;
    bool sync = rng_below(&w->rng, 3);
    uint32_t count = 8 + rng_below(&w->rng, 12);

    if (conn && !sync && sql_exec(conn, "SET synchronous_commit = off", &err) < 0)
        world_die(w, "SET", err.message);
    for (uint32_t i = 0; conn && i < count && !w->failed && w->batches < BATCHES_MAX; i++) {
        if (sim_disk_crashed(w->d.disk))
            break;
        writer_batch(w, conn, sync);
        if (rng_one_in(&w->rng, 4))
            sched_sleep_ns(w->d.v->sched, rng_below(&w->rng, 80) * 1000000ull);
    }
    dendro_disconnect(conn);
    w->running--;
}

/* ---- readers ---- */

struct sight {
    struct world *w;
    uint32_t table;
    uint64_t since;             /* when the query began */
    uint32_t seen[BATCHES_MAX]; /* rows of each batch */
    bool before[BATCHES_MAX];   /* acknowledged when the query began */
    bool whole;                 /* the query is over the whole table */
    uint32_t only;              /* otherwise: this batch */
};

static void sight_check(struct sight *s, const char *query)
{
    struct world *w = s->w;
    char why[160];

    for (uint32_t bn = 0; bn < w->batches && !w->failed; bn++) {
        const struct batch *b = &w->b[bn];
        const char *bad = NULL;
        if (b->table != s->table || (!s->whole && bn != s->only))
            continue;
        w->sightings += s->seen[bn] > 0;
        if (s->seen[bn] != 0 && s->seen[bn] != b->n)
            bad = "half a batch";
        else if (s->seen[bn] && (b->state == B_FAILED || b->state == B_GONE))
            bad = "a batch that failed";
        else if (s->seen[bn] && b->state == B_UNKNOWN && !sim_disk_crashed(w->d.disk))
            bad = "a batch whose INSERT returned an error";
        else if (!s->seen[bn] && s->before[bn])
            bad = "not a batch that was acknowledged before";
        if (bad) {
            (void)snprintf(
                why, sizeof why, "sees %s: number %u, %u of %u rows", bad, bn, s->seen[bn], b->n);
            world_die(w, query, why);
        }
    }
}

/* Rows of (bn, count, n) or, when slow, (bn, 1, n) with others running in between. */
static void sight_take(struct sight *s, dendro_conn *conn, const char *sql, bool slow)
{
    struct world *w = s->w;
    dendro_stmt *stmt = NULL;
    struct dendro_error err;
    int rc = dendro_prepare(conn, sql, -1, &stmt, NULL, &err);

    memset(s->seen, 0, sizeof s->seen);
    for (uint32_t bn = 0; bn < w->batches; bn++)
        s->before[bn] = w->b[bn].state == B_ACKED || w->b[bn].state == B_ASYNC;
    while (rc >= 0 && (rc = dendro_step(stmt, &err)) == DENDRO_ROW) {
        int64_t bn = dendro_column_int64(stmt, 0);
        if (bn < 0 || bn >= w->batches || dendro_column_int64(stmt, 2) != w->b[bn].n) {
            world_die(w, sql, "a row that nobody wrote");
            break;
        }
        s->seen[bn] += (uint32_t)dendro_column_int64(stmt, 1);
        if (slow && rng_one_in(&w->rng, 20))
            sched_pass(w->d.v->sched);
    }
    dendro_finalize(stmt);
    if (rc == DENDRO_DONE)
        sight_check(s, sql);
    else if (rc < 0 && !storage_error(w, rc))
        world_die(w, sql, err.message);
}

static void sight_random(struct sight *s, dendro_conn *conn)
{
    struct world *w = s->w;
    char sql[200];
    bool slow = false;

    s->table = rng_below(&w->rng, TABLES);
    s->only = w->batches ? rng_below(&w->rng, w->batches) : 0;
    s->whole = true;
    switch (rng_below(&w->rng, 5)) {
    case 0:
    case 1:
        (void)snprintf(
            sql, sizeof sql, "SELECT bn, COUNT(*), MAX(n) FROM c%u GROUP BY bn", s->table);
        break;
    case 2:
        slow = true;
        (void)snprintf(sql, sizeof sql, "SELECT bn, 1, n FROM c%u", s->table);
        break;
    case 3:
        (void)snprintf(sql, sizeof sql, "SELECT bn, 1, n FROM c%u ORDER BY t DESC, pad", s->table);
        break;
    default:
        s->whole = false;
        (void)snprintf(sql,
                       sizeof sql,
                       "SELECT bn, COUNT(*), MIN(n) FROM c%u WHERE bn = %u GROUP BY bn",
                       s->table,
                       s->only);
        break;
    }
    sight_take(s, conn, sql, slow);
}

static void reader(void *arg)
{
    struct world *w = arg;
    dendro_conn *conn = world_connect(w);
    struct sight *s = malloc(sizeof *s);

    DN_ASSERT(s);
    memset(s, 0, sizeof *s);
    s->w = w;
    while (conn && w->running && !w->failed && !sim_disk_crashed(w->d.disk)) {
        sight_random(s, conn);
        /* Time stands still for the others while one goes on without sleeping. */
        if (rng_below(&w->rng, 4))
            sched_sleep_ns(w->d.v->sched, (1 + rng_below(&w->rng, 60)) * 1000000ull);
        else
            sched_pass(w->d.v->sched);
    }
    free(s);
    dendro_disconnect(conn);
}

/* ---- the others ---- */

static void checkpointer(void *arg)
{
    struct world *w = arg;
    dendro_conn *conn = world_connect(w);
    struct dendro_error err;

    while (conn && w->running && !w->failed && !sim_disk_crashed(w->d.disk)) {
        int rc = sql_exec(conn, "CHECKPOINT", &err);
        if (rc < 0 && !storage_error(w, rc))
            world_die(w, "CHECKPOINT", err.message);
        sched_sleep_ns(w->d.v->sched, rng_below(&w->rng, 400) * 1000000ull);
    }
    dendro_disconnect(conn);
}

/* A table and its rows in one transaction; whatever is flushed around it, they are there. */
static void architect_builds(struct world *w, dendro_conn *conn)
{
    static const char *const script =
        "BEGIN; DROP TABLE IF EXISTS y; CREATE TABLE y (k INT PRIMARY KEY, v VARCHAR); "
        "INSERT INTO y SELECT g, 'row' FROM generate_series(1, 40) AS r (g); COMMIT";
    struct sql_rows rows = {0};
    struct dendro_error err;
    int rc = sql_exec(conn, script, &err);
    bool built = rc >= 0;

    if (rc < 0 && !storage_error(w, rc))
        world_die(w, script, err.message);
    if (rc < 0 && dendro_transaction_status(conn) != DENDRO_TX_IDLE)
        DN_IGNORE(sql_exec(conn, "ROLLBACK", &err));
    sched_sleep_ns(w->d.v->sched, rng_below(&w->rng, 60) * 1000000ull);
    rc = built ? sql_query(conn, "SELECT count(*) FROM y", &rows, &err) : 0;
    if (rc < 0 && !storage_error(w, rc))
        world_die(w, "SELECT count(*) FROM y", err.message);
    if (built && rc >= 0 && sql_row(&rows, 0)->i64 != 40)
        world_die(w, "SELECT count(*) FROM y", "rows of the transaction are gone");
    sql_rows_done(&rows);
    rc = sql_exec(conn, "DROP TABLE IF EXISTS y", &err);
    if (rc < 0 && !storage_error(w, rc))
        world_die(w, "DROP TABLE IF EXISTS y", err.message);
}

static void architect(void *arg)
{
    struct world *w = arg;
    dendro_conn *conn = world_connect(w);
    struct dendro_error err;

    for (uint32_t i = 0; conn && w->running && !w->failed; i++) {
        static const char *const steps[] = {
            "CREATE TABLE IF NOT EXISTS x (k INT PRIMARY KEY, v VARCHAR)",
            "INSERT INTO x VALUES (1, 'one'), (2, 'two')",
            "SELECT * FROM x",
            "DROP TABLE IF EXISTS x"};
        int rc = sql_exec(conn, steps[i % DN_ARRAY_SIZE(steps)], &err);
        if (sim_disk_crashed(w->d.disk))
            break;
        /* After a fault the table may be there or not. */
        if (rc < 0 && !storage_error(w, rc) && !(w->faults && rc == DN_E_UNDEFINED_TABLE))
            world_die(w, steps[i % DN_ARRAY_SIZE(steps)], err.message);
        if (i % DN_ARRAY_SIZE(steps) == 0)
            architect_builds(w, conn);
        sched_sleep_ns(w->d.v->sched, rng_below(&w->rng, 60) * 1000000ull);
    }
    dendro_disconnect(conn);
}

static void gremlin(void *arg)
{
    struct world *w = arg;

    while (w->faults && w->running && !w->failed && !sim_disk_crashed(w->d.disk)) {
        enum sim_fault fault = rng_one_in(&w->rng, 5)   ? SIM_FAULT_CRASH
                               : rng_one_in(&w->rng, 2) ? SIM_FAULT_IO
                                                        : SIM_FAULT_NOSPC;
        sched_sleep_ns(w->d.v->sched, rng_below(&w->rng, 300) * 1000000ull);
        sim_disk_fail_nth(w->d.disk, 1 + rng_below(&w->rng, 30), fault, rng_one_in(&w->rng, 3));
        sched_sleep_ns(w->d.v->sched, rng_below(&w->rng, 100) * 1000000ull);
        if (!sim_disk_crashed(w->d.disk))
            sim_disk_fail_nth(w->d.disk, 0, SIM_FAULT_NONE, false);
    }
}

/* ---- rounds ---- */

static int world_open(struct world *w, struct dn_err *err)
{
    static const char *const settings[] = {"memtable_size", "64kB", "log_chunk_size", "4kB", NULL};
    struct sql_db_options o = {.seed = rng_next(&w->rng),
                               .settings = rng_below(&w->rng, 3) ? settings : NULL,
                               .background = rng_below(&w->rng, 4)};

    return sql_db_open(&w->d, &o, err);
}

/* What a fresh look at the disk shows settles every open question. */
static void world_settle(struct world *w, bool crashed)
{
    uint32_t *seen = malloc(BATCHES_MAX * sizeof *seen);
    uint64_t lost = UINT64_MAX; /* the earliest end of a lost batch */
    char sql[100];

    DN_ASSERT(seen);
    memset(seen, 0, BATCHES_MAX * sizeof *seen);
    for (uint32_t t = 0; t < TABLES && !w->failed; t++) {
        struct dendro_error err;
        struct sql_rows rows;
        (void)snprintf(sql, sizeof sql, "SELECT bn, COUNT(*) FROM c%u GROUP BY bn", t);
        if (sql_query(w->d.conn, sql, &rows, &err) < 0)
            world_die(w, sql, err.message);
        for (size_t i = 0; i < rows.count; i++)
            if (sql_row(&rows, i)[0].i64 < w->batches)
                seen[sql_row(&rows, i)[0].i64] += (uint32_t)sql_row(&rows, i)[1].i64;
        sql_rows_done(&rows);
    }
    for (uint32_t bn = 0; bn < w->batches && !w->failed; bn++) {
        struct batch *b = &w->b[bn];
        const char *bad = NULL;
        if (seen[bn] && seen[bn] != b->n)
            bad = "half a batch is there after reopening";
        else if (!seen[bn] && (b->state == B_ACKED || (b->state == B_ASYNC && !crashed)))
            bad = "an acknowledged batch is lost";
        else if (seen[bn] && (b->state == B_FAILED || b->state == B_GONE))
            bad = "a failed batch has come to life";
        if (bad) {
            (void)snprintf(sql, sizeof sql, "batch %u of c%u", bn, b->table);
            world_die(w, bad, sql);
        }
        if (!seen[bn] && b->state == B_ASYNC && b->ended < lost)
            lost = b->ended;
    }
    for (uint32_t bn = 0; bn < w->batches && !w->failed; bn++) {
        struct batch *b = &w->b[bn];
        if (seen[bn] && b->begun > lost) {
            (void)snprintf(sql, sizeof sql, "batch %u of c%u", bn, b->table);
            world_die(w, "is there, although one acknowledged before it was begun is lost", sql);
        }
        b->state = seen[bn] ? B_ACKED : B_GONE;
        b->begun = b->ended = 0;
    }
    free(seen);
}

static void world_round(struct world *w)
{
    static const struct {
        const char *name;
        sched_fn fn;
        uint32_t count;
    } cast[] = {{"writer", writer, WRITERS},
                {"reader", reader, READERS},
                {"checkpointer", checkpointer, 1},
                {"architect", architect, 1},
                {"gremlin", gremlin, 1}};
    struct sched_task *tasks[16];
    struct dn_err err;
    uint32_t count = 0;
    bool crash;

    w->running = WRITERS;
    for (uint32_t i = 0; i < DN_ARRAY_SIZE(cast); i++)
        for (uint32_t k = 0; k < cast[i].count; k++)
            if (sched_spawn(w->d.v->sched, cast[i].name, cast[i].fn, w, &tasks[count++], &err) < 0)
                fail_msg("spawn: %s", err.text);
    for (uint32_t i = 0; i < count; i++)
        sched_join(tasks[i]);
    sim_disk_fail_nth(w->d.disk, 0, SIM_FAULT_NONE, false);
    crash = sim_disk_crashed(w->d.disk) || rng_one_in(&w->rng, 2);
    if (crash)
        sim_disk_crash(w->d.disk);
    sql_db_close(&w->d);
    if (!sql_db_check(&w->d, "before reopening"))
        world_die(w, "check", "faults found");
    if (world_open(w, &err) < 0) {
        world_die(w, "cannot reopen", err.text);
        return;
    }
    world_settle(w, crash);
}

static void world_run(struct world *w, uint64_t seed)
{
    struct dendro_error e;
    struct dn_err err;

    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->rng.state = seed;
    sql_db_init(&w->d, seed);
    sim_disk_set_holes(w->d.disk, rng_one_in(&w->rng, 2));
    if (world_open(w, &err) < 0)
        fail_msg("cannot begin: %s", err.text);
    for (uint32_t i = 0; i < TABLES; i++)
        if (sql_exec(w->d.conn, creates[i], &e) < 0)
            fail_msg("%s: %s", creates[i], e.message);
    for (uint32_t i = 0; i < ROUNDS && !w->failed; i++) {
        w->faults = rng_below(&w->rng, 3);
        world_round(w);
    }
    sql_db_done(&w->d);
}

static void test_sessions(void **state)
{
    uint64_t seed = test_env("DENDRO_TEST_SEED", 0);
    uint64_t end = test_now_ms() + test_env("DENDRO_TEST_SECONDS", 10) * 1000;
    uint64_t first = seed ? seed : 1;
    struct world *w = malloc(sizeof *w);
    uint64_t sightings = 0;
    uint64_t n;

    (void)state;
    assert_non_null(w);
    for (n = first; n == first || (!seed && test_now_ms() < end); n++) {
        size_t before = mem_process_used();
        bool failed;
        world_run(w, n);
        failed = w->failed;
        sightings += w->sightings;
        assert_false(failed);
        if (mem_process_used() != before)
            fail_msg(
                "seed %llu leaves %zu bytes", (unsigned long long)n, mem_process_used() - before);
    }
    free(w);
    assert_true(sightings > 0);
    print_message("%llu seeds, %llu batches seen\n",
                  (unsigned long long)(n - first),
                  (unsigned long long)sightings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sessions),
    };

    return cmocka_run_group_tests_name("sessions", tests, NULL, NULL);
}
