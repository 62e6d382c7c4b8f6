/* SPDX-License-Identifier: Apache-2.0
 *
 * UPDATE, DELETE, TRUNCATE and ALTER of several sessions at once, as fibers of a simulated machine:
 * no increment is lost, no row is written by a definition that is not in force, nobody sees half of
 * a change. And what one session sees of them through the API: parameters, limits, tags. */
#include "db_fix.h"

#include "base/sched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define SESSIONS 5
#define ROUNDS   8

struct run {
    struct sim_disk *disk;
    struct volume *v;
    dendro_db *db;
    struct sched *sched;
    uint64_t seed;
    int id_next;
    int left;      /* sessions that count and are not done */
    int64_t acked; /* what they were told */
    int64_t epoch; /* TRUNCATEs begun */
    int64_t since; /* rows acknowledged that were begun after the last TRUNCATE ended */
    const char *const *to_alter;
    size_t to_alter_count;
};

static dendro_conn *connect_to(struct run *r)
{
    dendro_conn *conn;

    assert_int_equal(dendro_connect(r->db, &conn, NULL), DENDRO_OK);
    return conn;
}

static void must(struct run *r, dendro_conn *conn, const char *sql)
{
    struct dendro_error e;

    if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
        fail_msg("seed %llu: %s: %s %s", (unsigned long long)r->seed, sql, e.sqlstate, e.message);
}

static int take_int(void *arg, dendro_stmt *stmt)
{
    *(int64_t *)arg = dendro_column_int64(stmt, 0);
    return 0;
}

static int64_t ask(struct run *r, dendro_conn *conn, const char *sql)
{
    struct dendro_error e;
    int64_t value = -1;

    if (dendro_exec(conn, sql, -1, take_int, &value, &e) < 0)
        fail_msg("seed %llu: %s: %s", (unsigned long long)r->seed, sql, e.message);
    return value;
}

static void run_open(struct run *r, uint64_t seed, bool first)
{
    static const char *const settings[] = {"memtable_size", "64kB", "log_chunk_size", "4096", NULL};
    struct engine_options options = {.settings = settings, .background = true};
    struct dn_err err;

    if (first) {
        *r = (struct run){.seed = seed, .disk = sim_disk_new(seed)};
        assert_non_null(r->disk);
    }
    assert_int_equal(sim_volume_open(r->disk, seed, &r->v, &err), 0);
    if (engine_open_volume(r->v, &options, &r->db, &err) < 0)
        fail_msg("seed %llu: open: %s", (unsigned long long)seed, err.text);
    r->sched = r->v->sched;
    sched_sim_set_stack(r->sched, 4u << 20);
}

static void run_close(struct run *r, bool last)
{
    assert_int_equal(dendro_close(r->db), DENDRO_OK);
    volume_close(r->v);
    if (last)
        sim_disk_free(r->disk);
}

/* Runs `count` fibers of fn beside one of each other function, to their ends. */
static void run_fibers(struct run *r, sched_fn fn, int count, const sched_fn *others)
{
    struct sched_task *tasks[16];
    struct dn_err err;
    int n = 0;

    r->left = count;
    for (int i = 0; i < count; i++)
        assert_int_equal(sched_spawn(r->sched, "session", fn, r, &tasks[n++], &err), 0);
    for (; *others; others++)
        assert_int_equal(sched_spawn(r->sched, "other", *others, r, &tasks[n++], &err), 0);
    while (n > 0)
        sched_join(tasks[--n]);
}

static void seeds(void (*one)(uint64_t seed))
{
    const char *given = getenv("DENDRO_TEST_SEED");
    clock_t end = clock() + CLOCKS_PER_SEC;

    if (given) {
        one(strtoull(given, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= 3 || (clock() < end && seed < 1000); seed++)
        one(seed);
}

/* ---- no increment is lost ---- */

static void fiber_count(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);

    for (int i = 0; i < ROUNDS; i++) {
        must(r, conn, "UPDATE c SET n = n + 1 WHERE k = 1");
        must(r, conn, "UPDATE a SET n = n + 1");
        must(r, conn, "UPDATE f SET n = n + 1, m = m - 1 WHERE k < 3");
        r->acked++;
    }
    dendro_disconnect(conn);
    r->left--;
}

static void fiber_flush(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);

    while (r->left > 0) {
        must(r, conn, "CHECKPOINT");
        sched_sleep_ns(r->sched, 300000);
    }
    dendro_disconnect(conn);
}

/* Rows beside the ones that are counted come and go. */
static void fiber_noise(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);

    while (r->left > 0) {
        must(r, conn, "INSERT INTO c VALUES (2, 5), (3, 7)");
        must(r, conn, "DELETE FROM c WHERE k > 1");
        must(r, conn, "INSERT INTO f (k, m) VALUES (5, 5)");
        sched_sleep_ns(r->sched, 20000); /* time moves only when all wait */
    }
    dendro_disconnect(conn);
}

static void count_seed(uint64_t seed)
{
    static const sched_fn others[] = {fiber_flush, fiber_noise, NULL};
    struct run r;
    dendro_conn *conn;

    run_open(&r, seed, true);
    conn = connect_to(&r);
    must(&r,
         conn,
         "CREATE TABLE c (k INT PRIMARY KEY, n BIGINT); INSERT INTO c VALUES (1, 0);"
         "CREATE TABLE a (n BIGINT); INSERT INTO a VALUES (0), (100);"
         "CREATE TABLE f (k INT PRIMARY KEY, n INT, m INT) WITH (upsert = 'field');"
         "INSERT INTO f VALUES (1, 0, 0), (2, 0, 0)");
    dendro_disconnect(conn);
    run_fibers(&r, fiber_count, SESSIONS, others);
    sim_disk_crash(r.disk);
    run_close(&r, false);
    run_open(&r, seed, false);
    conn = connect_to(&r);
    assert_int_equal(r.acked, SESSIONS * ROUNDS);
    assert_int_equal(ask(&r, conn, "SELECT n FROM c WHERE k = 1"), r.acked);
    assert_int_equal(ask(&r, conn, "SELECT min(n) FROM a"), r.acked);
    assert_int_equal(ask(&r, conn, "SELECT max(n) FROM a"), r.acked + 100);
    assert_int_equal(ask(&r, conn, "SELECT count(*) FROM a"), 2);
    assert_int_equal(ask(&r, conn, "SELECT sum(n) FROM f"), 2 * r.acked);
    assert_int_equal(ask(&r, conn, "SELECT sum(m) FROM f WHERE k < 3"), -2 * r.acked);
    dendro_disconnect(conn);
    run_close(&r, true);
}

static void test_increments(void **state)
{
    (void)state;
    seeds(count_seed);
}

/* ---- keys that move ---- */

/* A token is handed around: each UPDATE moves it to another key, a reader sees it exactly once. */
static void fiber_move(void *arg)
{
    struct run *r = arg;
    int id = r->id_next++;
    dendro_conn *conn = connect_to(r);
    char sql[80];

    for (int i = 0; i < ROUNDS; i++) {
        (void)snprintf(sql,
                       sizeof(sql),
                       "UPDATE p SET k = (k * 7 + %d) %% 1000, n = n + 1 WHERE token",
                       id + 1);
        must(r, conn, sql);
    }
    dendro_disconnect(conn);
    r->left--;
}

static void fiber_see(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);

    while (r->left > 0) {
        int64_t seen = ask(r, conn, "SELECT count(*) FROM p WHERE token");
        if (seen != 1)
            fail_msg("seed %llu: %lld tokens", (unsigned long long)r->seed, (long long)seen);
        sched_sleep_ns(r->sched, 20000); /* time moves only when all wait */
    }
    dendro_disconnect(conn);
}

static void move_seed(uint64_t seed)
{
    static const sched_fn others[] = {fiber_flush, fiber_see, NULL};
    struct run r;
    dendro_conn *conn;

    run_open(&r, seed, true);
    conn = connect_to(&r);
    must(&r,
         conn,
         "CREATE TABLE p (k INT PRIMARY KEY, token BOOLEAN, n INT);"
         "INSERT INTO p VALUES (1, true, 0)");
    run_fibers(&r, fiber_move, SESSIONS, others);
    assert_int_equal(ask(&r, conn, "SELECT n FROM p WHERE token"), SESSIONS * ROUNDS);
    assert_int_equal(ask(&r, conn, "SELECT count(*) FROM p"), 1);
    dendro_disconnect(conn);
    run_close(&r, true);
}

static void test_moves(void **state)
{
    (void)state;
    seeds(move_seed);
}

/* ---- definitions change under writers and readers ---- */

static void fiber_write(void *arg)
{
    struct run *r = arg;
    int id = r->id_next++;
    dendro_conn *conn = connect_to(r);
    char sql[160];

    for (int i = 0; i < 3 * ROUNDS; i++) {
        (void)snprintf(sql,
                       sizeof(sql),
                       "INSERT INTO w (s, t, v) VALUES (%d, %lld, 1), (%d, %lld, 1)",
                       id,
                       (long long)(i + 1) * 3600000 * 5,
                       id,
                       (long long)(i + 1) * 3600000 * 5 + 1);
        must(r, conn, sql);
        (void)snprintf(sql, sizeof(sql), "UPDATE w SET v = v + 1 WHERE s = %d", id);
        must(r, conn, sql);
        r->acked += 2;
    }
    dendro_disconnect(conn);
    r->left--;
}

static void fiber_read(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);
    int64_t last = 0;

    while (r->left > 0) {
        int64_t before = r->acked;
        int64_t rows = ask(r, conn, "SELECT count(v) FROM w");
        if (rows < before || rows < last || rows % 2)
            fail_msg("seed %llu: %lld rows after %lld, %lld acknowledged",
                     (unsigned long long)r->seed,
                     (long long)rows,
                     (long long)last,
                     (long long)before);
        last = rows;
        sched_sleep_ns(r->sched, 20000); /* time moves only when all wait */
    }
    dendro_disconnect(conn);
}

static void fiber_alter(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);

    for (size_t i = 0; r->left > 0; i++) {
        must(r, conn, r->to_alter[i % r->to_alter_count]);
        sched_sleep_ns(r->sched, 100000);
    }
    dendro_disconnect(conn);
}

static void alter_seed(uint64_t seed)
{
    static const sched_fn others[] = {fiber_flush, fiber_read, fiber_alter, NULL};
    static const char *const edits[] = {
        "ALTER TABLE w ADD x INT DEFAULT 5",
        "ALTER TABLE w SET (quantum = '1h', slab = '6h')",
        "ALTER TABLE w DROP junk, ADD junk VARCHAR DEFAULT 'j'",
        "ALTER TABLE w RENAME x TO y",
        "ALTER TABLE w SET (quantum = '2h', slab = '1d')",
        "ALTER TABLE w DROP y",
        "ALTER TABLE w RENAME TO u; ALTER TABLE u RENAME TO w",
    };
    struct run r;
    dendro_conn *conn;

    run_open(&r, seed, true);
    conn = connect_to(&r);
    must(&r,
         conn,
         "CREATE TABLE w (junk VARCHAR, s INT NOT NULL, t TIMESTAMP NOT NULL, v INT, PRIMARY KEY "
         "((s, QUANTUM(t, 15, 'm')), s, t))");
    dendro_disconnect(conn);
    r.to_alter = edits;
    r.to_alter_count = DN_ARRAY_SIZE(edits) - 1; /* the last would hide the table for a moment */
    run_fibers(&r, fiber_write, SESSIONS, others);
    sim_disk_crash(r.disk);
    run_close(&r, false);
    run_open(&r, seed, false);
    conn = connect_to(&r);
    must(&r, conn, edits[DN_ARRAY_SIZE(edits) - 1]);
    assert_int_equal(ask(&r, conn, "SELECT count(*) FROM w"), r.acked);
    /* Every row was counted up once for each round that came after it was there. */
    assert_int_equal(ask(&r, conn, "SELECT sum(v) FROM w"),
                     (int64_t)SESSIONS * (3 * ROUNDS) * (3 * ROUNDS + 3));
    must(&r, conn, "CHECKPOINT; DELETE FROM w WHERE s = 0");
    assert_int_equal(ask(&r, conn, "SELECT count(*) FROM w"), r.acked / SESSIONS * (SESSIONS - 1));
    dendro_disconnect(conn);
    run_close(&r, true);
}

static void test_alter(void **state)
{
    (void)state;
    seeds(alter_seed);
}

/* ---- TRUNCATE ---- */

static void fiber_append(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);

    for (int i = 0; i < 3 * ROUNDS; i++) {
        int64_t epoch = r->epoch;
        must(r, conn, "INSERT INTO e VALUES (1), (2)");
        if (epoch == r->epoch && epoch % 2 == 0)
            r->since += 2;               /* no TRUNCATE came near it */
        sched_sleep_ns(r->sched, 20000); /* time moves only when all wait */
    }
    dendro_disconnect(conn);
    r->left--;
}

static void fiber_empty(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);

    while (r->left > 0) {
        int64_t since;
        int64_t rows;
        r->epoch++; /* odd: one is under way */
        must(r, conn, "TRUNCATE e");
        r->since = 0;
        r->epoch++;
        sched_sleep_ns(r->sched, 400000);
        since = r->since;
        rows = ask(r, conn, "SELECT count(*) FROM e");
        if (rows < since || rows % 2)
            fail_msg("seed %llu: %lld rows of %lld",
                     (unsigned long long)r->seed,
                     (long long)rows,
                     (long long)since);
    }
    dendro_disconnect(conn);
}

static void truncate_seed(uint64_t seed)
{
    static const sched_fn others[] = {fiber_flush, fiber_empty, NULL};
    struct run r;
    dendro_conn *conn;
    int64_t rows;

    run_open(&r, seed, true);
    conn = connect_to(&r);
    must(&r, conn, "CREATE TABLE e (x INT)");
    dendro_disconnect(conn);
    run_fibers(&r, fiber_append, SESSIONS, others);
    sim_disk_crash(r.disk);
    run_close(&r, false);
    run_open(&r, seed, false);
    conn = connect_to(&r);
    rows = ask(&r, conn, "SELECT count(*) FROM e");
    if (rows < r.since)
        fail_msg("seed %llu: %lld rows of %lld",
                 (unsigned long long)seed,
                 (long long)rows,
                 (long long)r.since);
    must(&r, conn, "TRUNCATE e");
    sim_disk_crash(r.disk);
    dendro_disconnect(conn);
    run_close(&r, false);
    run_open(&r, seed, false);
    conn = connect_to(&r);
    assert_int_equal(ask(&r, conn, "SELECT count(*) FROM e"), 0);
    dendro_disconnect(conn);
    run_close(&r, true);
}

static void test_truncate(void **state)
{
    (void)state;
    seeds(truncate_seed);
}

/* ---- one session ---- */

static void test_params(void **state)
{
    struct db_fix f;
    dendro_stmt *stmt;

    (void)state;
    db_open(&f);
    (void)db_ok(&f,
                "CREATE TABLE t (k INT PRIMARY KEY, v BIGINT, s VARCHAR, at TIMESTAMP);"
                "INSERT INTO t VALUES (1, 10, 'a', 5), (2, 20, 'b', 6), (3, 30, 'c', 7)");
    assert_int_equal(dendro_prepare(f.conn,
                                    "UPDATE t SET v = v * ? + ?, s = ?, at = ? WHERE k >= ?",
                                    -1,
                                    &stmt,
                                    NULL,
                                    NULL),
                     DENDRO_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(dendro_bind_int64(stmt, 1, 2, NULL), DENDRO_OK);
        assert_int_equal(dendro_bind_int64(stmt, 2, i, NULL), DENDRO_OK);
        assert_int_equal(dendro_bind_text(stmt, 3, "x", -1, NULL), DENDRO_OK);
        assert_int_equal(dendro_bind_text(stmt, 4, "1970-01-01T00:00:01Z", -1, NULL), DENDRO_OK);
        assert_int_equal(dendro_bind_double(stmt, 5, 1.5, NULL), DENDRO_OK);
        assert_int_equal(dendro_step(stmt, NULL), DENDRO_DONE);
        assert_int_equal(dendro_rows_affected(stmt), 2);
        assert_string_equal(dendro_command_tag(stmt), "UPDATE 2");
    }
    /* Prepared, it lives through an ALTER. */
    (void)db_ok(&f, "ALTER TABLE t ADD z INT DEFAULT 1, RENAME at TO time");
    assert_true(dendro_step(stmt, NULL) < 0); /* "at" is gone */
    (void)db_ok(&f, "ALTER TABLE t RENAME time TO at");
    assert_int_equal(dendro_step(stmt, NULL), DENDRO_DONE);
    dendro_finalize(stmt);
    assert_string_equal(db_ok(&f, "SELECT k, v, s, CAST(at AS BIGINT), z FROM t ORDER BY k"),
                        "1|10|a|5|1\n2|163|x|1000|1\n3|243|x|1000|1\n(SELECT 3)\n");
    assert_int_equal(
        dendro_prepare(f.conn, "DELETE FROM t WHERE s = $1 AND k <> $2", -1, &stmt, NULL, NULL),
        DENDRO_OK);
    assert_int_equal(dendro_bind_text(stmt, 1, "x", -1, NULL), DENDRO_OK);
    assert_int_equal(dendro_bind_text(stmt, 2, "3", -1, NULL), DENDRO_OK);
    assert_int_equal(dendro_step(stmt, NULL), DENDRO_DONE);
    assert_string_equal(dendro_command_tag(stmt), "DELETE 1");
    (void)db_ok(&f, "TRUNCATE t");
    assert_int_equal(dendro_step(stmt, NULL), DENDRO_DONE);
    assert_string_equal(dendro_command_tag(stmt), "DELETE 0");
    dendro_finalize(stmt);
    db_close(&f);
}

static void test_read_only(void **state)
{
    static const char *const writes[] = {
        "UPDATE t SET v = 1", "DELETE FROM t", "TRUNCATE t", "ALTER TABLE t ADD x INT"};
    struct engine_options options = {.flags = DENDRO_OPEN_READ_ONLY};
    struct db_fix f;
    struct dn_err err;

    (void)state;
    db_open(&f);
    (void)db_ok(&f, "CREATE TABLE t (k INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1)");
    dendro_disconnect(f.conn);
    assert_int_equal(dendro_close(f.db), DENDRO_OK);
    assert_int_equal(engine_open_volume(f.volume, &options, &f.db, &err), 0);
    assert_int_equal(dendro_connect(f.db, &f.conn, NULL), DENDRO_OK);
    for (size_t i = 0; i < DN_ARRAY_SIZE(writes); i++)
        assert_non_null(strstr(db_run(&f, writes[i]), "ERROR 25006"));
    assert_string_equal(db_ok(&f, "SELECT * FROM t"), "1|1\n(SELECT 1)\n");
    db_close(&f);
}

/* More rows than memory: the statement fails, says what to do, and nothing has changed. */
static void test_memory(void **state)
{
    static const char *const settings[] = {"memory_limit", "6MB", "memtable_size", "256kB", NULL};
    struct engine_options options = {.settings = settings};
    struct db_fix f;
    struct dn_err err;
    struct buf sql;

    (void)state;
    db_open(&f);
    dendro_disconnect(f.conn);
    assert_int_equal(dendro_close(f.db), DENDRO_OK);
    assert_int_equal(engine_open_volume(f.volume, &options, &f.db, &err), 0);
    assert_int_equal(dendro_connect(f.db, &f.conn, NULL), DENDRO_OK);
    (void)db_ok(&f, "CREATE TABLE t (k INT, s VARCHAR, PRIMARY KEY (k, s))");
    buf_init(&sql, NULL);
    for (int i = 0; i < 60; i++) {
        buf_reset(&sql);
        buf_puts(&sql, "INSERT INTO t VALUES ");
        for (int k = 0; k < 500; k++)
            buf_printf(&sql, "%s(%d, '%0150d')", k ? ", " : "", i, k);
        buf_u8(&sql, 0);
        (void)db_ok(&f, (const char *)sql.data);
    }
    buf_done(&sql);
    assert_non_null(strstr(db_run(&f, "DELETE FROM t WHERE length(s) > 0"), "ERROR 53200"));
    assert_non_null(strstr((const char *)f.out.data, "delete by ranges of the key"));
    assert_non_null(strstr(db_run(&f, "UPDATE t SET s = s"), "update by ranges of the key"));
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "30000\n(SELECT 1)\n");
    for (int i = 0; i < 60; i += 10) {
        char range[64];
        (void)snprintf(range, sizeof(range), "DELETE FROM t WHERE k >= %d AND k < %d", i, i + 2);
        (void)db_ok(&f, range);
    }
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "24000\n(SELECT 1)\n");
    (void)db_ok(&f, "TRUNCATE t");
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "0\n(SELECT 1)\n");
    db_close(&f);
}

/* Widths of quantum and slab hold from the slab after the last row on, and from the start where
 * there is none. */
static void test_schedule(void **state)
{
    struct db_fix f;

    (void)state;
    db_open(&f);
    (void)db_ok(&f,
                "CREATE TABLE t (t TIMESTAMP, v INT, PRIMARY KEY (t)) WITH (quantum = '6h');"
                "ALTER TABLE t SET (quantum = '1h');"
                "INSERT INTO t VALUES ('2020-01-01T03:30:00Z', 1);"
                "ALTER TABLE t SET (quantum = '3h');"
                "INSERT INTO t VALUES ('2020-01-01T05:30:00Z', 2), ('2020-01-02T05:30:00Z', 3)");
    for (int i = 0; i < 3; i++) {
        const char *out = db_ok(&f, "SHOW PARTITIONS t");

        assert_non_null(strstr(out, "|2020-01-01T03:00:00.000Z|2020-01-01T04:00:00.000Z|0|"));
        assert_non_null(strstr(out, "|2020-01-01T05:00:00.000Z|2020-01-01T06:00:00.000Z|0|"));
        assert_non_null(strstr(out, "|2020-01-02T03:00:00.000Z|2020-01-02T06:00:00.000Z|0|"));
        if (i == 0)
            (void)db_ok(&f, "CHECKPOINT");
        else
            db_reopen(&f);
    }
    /* The row at the end of time leaves no later slab. */
    (void)db_ok(&f, "INSERT INTO t VALUES (9223372036854775806, 9)");
    assert_non_null(strstr(db_run(&f, "ALTER TABLE t SET (quantum = '2h')"), "ERROR 22023"));
    /* The table was held for a moment: it takes rows again. */
    (void)db_ok(&f, "INSERT INTO t VALUES (5, 5)");
    db_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_increments),
        cmocka_unit_test(test_moves),
        cmocka_unit_test(test_alter),
        cmocka_unit_test(test_truncate),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_schedule),
    };

    return cmocka_run_group_tests_name("engine_change", tests, NULL, NULL);
}
