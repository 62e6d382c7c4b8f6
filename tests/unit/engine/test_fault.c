/* SPDX-License-Identifier: Apache-2.0
 *
 * One script, disturbed at every point: the n-th allocation fails, the n-th call of the volume
 * fails, fills the disk or is the moment of a power cut. After each: the error surfaced, nothing
 * leaked, `check` finds no fault, every statement that was acknowledged is there and every other
 * one wholly there or not at all. */
#include "db_fix.h"
#include "sweep_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const char *const script[] = {
    "CREATE SCHEMA s",
    "CREATE TABLE t (a VARCHAR NOT NULL, time TIMESTAMP NOT NULL, v DOUBLE DEFAULT 1.5, PRIMARY "
    "KEY ((a, QUANTUM(time, 1, 'd')), a, time))",
    "INSERT INTO t (a, time) VALUES ('x', 1), ('y', 100000000), ('z', 1 + 2)",
    "SELECT a, count(*), sum(v) + 1 FROM t WHERE time > 0 AND a IN ('x', 'y') GROUP BY a HAVING "
    "count(*) > 0 ORDER BY 3 DESC, lower(a)",
    "CHECKPOINT",
    "INSERT INTO t VALUES ('x', 1, 7), ('y', 5, 8)",
    "SELECT DISTINCT a FROM t ORDER BY a LIMIT 2",
    "EXPLAIN SELECT * FROM t WHERE v > 3",
    "DESCRIBE t",
    "SHOW CREATE TABLE t",
    "CREATE TABLE u (k INTEGER PRIMARY KEY, id UUID DEFAULT gen_random_uuid(), d VARCHAR DEFAULT "
    "'on ' || current_date)",
    "INSERT INTO u (k) VALUES (1), (2)",
    "INSERT INTO u (k) VALUES (3) USING TTL '1 hour'",
    "UPDATE u USING TTL 3600 SET d = 'x' WHERE ttl(u) > 5 AND expires_at(k) > now()",
    "CREATE TABLE g (k INT PRIMARY KEY, v INT, w VARCHAR GENERATED ALWAYS AS ('w' || v) STORED)",
    "INSERT INTO g VALUES (1, 2), (2, 3) ON CONFLICT (k) DO UPDATE SET v = 5",
    "UPDATE g SET v = v + 1",
    "ALTER TABLE g ALTER COLUMN w DROP EXPRESSION",
    "ALTER TABLE g ALTER COLUMN v TYPE VARCHAR USING v || 'x', ADD COLUMN s SERIAL",
    "BEGIN; INSERT INTO g VALUES (3, 'y'); ALTER TABLE g ALTER COLUMN v TYPE INT USING length(v), "
    "ADD CHECK (k > 0), ALTER COLUMN v SET NOT NULL; CREATE VIEW gv AS SELECT k, v + 1 AS w, v "
    "FROM g WHERE k > 0 WITH CHECK OPTION; UPDATE gv SET v = w WHERE w > 0 RETURNING *; COMMIT",
    "BEGIN; SELECT g.k FROM g, u WHERE g.k = u.k ORDER BY g.k LIMIT 1 FOR UPDATE; COMMIT",
    "PREPARE p (INT, VARCHAR) AS SELECT count(*) FROM u WHERE k > $1 OR d = $2",
    "EXECUTE p(0, 'x' || 'y')",
    "DEALLOCATE p",
    "DROP TABLE u",
    "CHECKPOINT",
    "USE s",
};
#define STEPS DN_ARRAY_SIZE(script)

struct world {
    struct sim_disk *disk;
    struct volume *volume;
    dendro_db *db;
    dendro_conn *conn;
    size_t done;  /* statements acknowledged */
    size_t tried; /* statements begun */
    int rc;       /* of what failed first, 0 = nothing */
};

static int ignore_row(void *arg, dendro_stmt *stmt)
{
    (void)arg;
    for (int i = 0; i < dendro_column_count(stmt); i++)
        (void)dendro_column_text(stmt, i);
    return 0;
}

/* Opens, runs the script until something fails, closes. */
static void run_script(struct world *w)
{
    struct engine_options options = {.flags = 0};
    struct dn_err err;

    w->db = NULL;
    w->conn = NULL;
    w->volume = NULL;
    w->done = w->tried = 0;
    w->rc = sim_volume_open(w->disk, 1, &w->volume, &err);
    if (w->rc == 0)
        w->rc = engine_open_volume(w->volume, &options, &w->db, &err);
    if (w->rc == 0)
        w->rc = dendro_connect(w->db, &w->conn, NULL);
    while (w->rc == 0 && w->done < STEPS) {
        w->tried++;
        w->rc = dendro_exec(w->conn, script[w->done], -1, ignore_row, NULL, NULL);
        w->done += w->rc == 0;
    }
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    volume_close(w->volume);
}

static int64_t count(dendro_conn *conn, const char *sql)
{
    dendro_stmt *stmt = NULL;
    struct dendro_error e;
    int64_t n = -1;

    if (dendro_prepare(conn, sql, -1, &stmt, NULL, &e) == DENDRO_OK) {
        if (dendro_step(stmt, &e) != DENDRO_ROW)
            fail_msg("%s: %s", sql, e.message);
        n = dendro_column_int64(stmt, 0);
    }
    dendro_finalize(stmt);
    return n;
}

static void fault_text(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        print_error("check: %s\n", text);
}

/* What must be there after `done` statements, and may be after `tried`. */
static void check_state(struct world *w, const char *what, uint64_t n)
{
    static const int64_t rows_t[STEPS + 1] = {-1, -1, 0, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
                                              4,  4,  4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    static const int64_t rows_u[STEPS + 1] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
                                              -1, 0,  2,  3,  3,  3,  3,  3,  3,  3,
                                              3,  3,  3,  3,  3,  -1, -1, -1};
    struct engine_options options = {.flags = 0};
    struct dn_err err;
    uint64_t faults = 0;
    int64_t t, u;

    if (sim_volume_open(w->disk, 2, &w->volume, &err) < 0)
        fail_msg("%s %llu: volume: %s", what, (unsigned long long)n, err.text);
    if (engine_open_volume(w->volume, &options, &w->db, &err) < 0)
        fail_msg("%s %llu: open: %s", what, (unsigned long long)n, err.text);
    assert_int_equal(dendro_connect(w->db, &w->conn, NULL), DENDRO_OK);
    t = count(w->conn, "SELECT count(*) FROM t");
    u = count(w->conn, "SELECT count(*) FROM u");
    if (!((t == rows_t[w->done] || t == rows_t[w->tried]) &&
          (u == rows_u[w->done] || u == rows_u[w->tried])))
        fail_msg("%s %llu: after %zu of %zu statements: %lld rows in t, %lld in u",
                 what,
                 (unsigned long long)n,
                 w->done,
                 w->tried,
                 (long long)t,
                 (long long)u);
    /* and it can be written */
    assert_int_equal(
        dendro_exec(
            w->conn,
            "CREATE TABLE after (k INT PRIMARY KEY); INSERT INTO after VALUES (1); CHECKPOINT",
            -1,
            NULL,
            NULL,
            NULL),
        DENDRO_OK);
    assert_int_equal(count(w->conn, "SELECT count(*) FROM after"), 1);
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    if (engine_check_volume(w->volume, fault_text, NULL, &faults, &err) < 0)
        fail_msg("%s %llu: check: %s", what, (unsigned long long)n, err.text);
    if (faults)
        fail_msg("%s %llu: %llu faults", what, (unsigned long long)n, (unsigned long long)faults);
    volume_close(w->volume);
}

static void test_undisturbed(void **state)
{
    struct world w = {.disk = sim_disk_new(1)};

    (void)state;
    run_script(&w);
    assert_int_equal(w.rc, 0);
    check_state(&w, "undisturbed", 0);
    sim_disk_free(w.disk);
}

/* Every allocation, as far as the time allows: all of the first ones, then a random choice. */
static void test_allocations(void **state)
{
    clock_t end = clock() + 6 * CLOCKS_PER_SEC;
    uint64_t surfaced = 0;
    uint64_t tried = 0;
    uint64_t step = 1;

    (void)state;
    for (uint64_t n = 1;; n += step) {
        struct world w = {.disk = NULL};
        size_t before = mem_process_used();
        bool hit;

        w.disk = sim_disk_new(n);
        mem_fail_nth(n, false);
        run_script(&w);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        surfaced += w.rc == DN_E_NOMEM;
        tried++;
        check_state(&w, "allocation", n);
        sim_disk_free(w.disk);
        if (mem_process_used() != before)
            fail_msg("allocation %llu: leaked %zd bytes",
                     (unsigned long long)n,
                     (ssize_t)(mem_process_used() - before));
        if (!hit)
            break;
        step = clock() < end ? 1 : 1 + n / 10; /* out of time: bigger and bigger steps */
    }
    assert_true(surfaced > tried / 2); /* caches do without; most others cannot */
}

static struct world swept;

static void swept_run(struct sim_disk *disk)
{
    swept = (struct world){.disk = disk};
    run_script(&swept);
}

static void swept_check(const char *what, uint64_t n)
{
    check_state(&swept, what, n);
}

static struct sweep sweep = {.run = swept_run, .check = swept_check};

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undisturbed),
        cmocka_unit_test(test_allocations),
        SWEEP_TESTS(&sweep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
