/* SPDX-License-Identifier: Apache-2.0
 *
 * Several sessions as fibers of a simulated machine: one seed, one interleaving. Writers commit
 * batches, a reader checks that it never sees part of one, an editor makes and drops tables,
 * flushes run in the background. Then the power goes and every acknowledged batch must be there. */
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

#define WRITERS 3
#define BATCH   5
#define ROUNDS  12

struct run {
    dendro_db *db;
    struct sched *sched;
    uint64_t seed;
    int acked[WRITERS]; /* batches */
    int id_next;
    int writers_left;
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
        fail_msg("seed %llu: %s: %s", (unsigned long long)r->seed, sql, e.message);
}

static void fiber_writer(void *arg)
{
    struct run *r = arg;
    int id = r->id_next++;
    dendro_conn *conn = connect_to(r);
    char sql[400];

    for (int n = 0; n < ROUNDS; n++) {
        int len = snprintf(sql, sizeof(sql), "INSERT INTO m VALUES ");

        for (int i = 0; i < BATCH; i++)
            len += snprintf(sql + len,
                            sizeof(sql) - (size_t)len,
                            "%s(%d, %d, %d)",
                            i ? ", " : "",
                            id,
                            (n * BATCH + i + 1) * 1000000,
                            n);
        must(r, conn, sql);
        r->acked[id]++;
        sched_pass(r->sched);
    }
    dendro_disconnect(conn);
    r->writers_left--;
}

static int check_row(void *arg, dendro_stmt *stmt)
{
    struct run *r = arg;

    if (dendro_column_int64(stmt, 1) % BATCH != 0)
        fail_msg("seed %llu: series %lld has %lld rows",
                 (unsigned long long)r->seed,
                 (long long)dendro_column_int64(stmt, 0),
                 (long long)dendro_column_int64(stmt, 1));
    return 0;
}

static void fiber_reader(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);
    struct dendro_error e;

    while (r->writers_left > 0) {
        if (dendro_exec(conn, "SELECT id, count(*) FROM m GROUP BY id", -1, check_row, r, &e) < 0)
            fail_msg("seed %llu: %s", (unsigned long long)r->seed, e.message);
        sched_pass(r->sched);
    }
    dendro_disconnect(conn);
}

static void fiber_editor(void *arg)
{
    struct run *r = arg;
    dendro_conn *conn = connect_to(r);

    while (r->writers_left > 0) {
        must(r, conn, "CREATE TABLE x (a INT PRIMARY KEY); INSERT INTO x VALUES (1)");
        sched_pass(r->sched);
        must(r, conn, "CHECKPOINT; DROP TABLE x");
        sched_pass(r->sched);
    }
    dendro_disconnect(conn);
}

static int sum_row(void *arg, dendro_stmt *stmt)
{
    int64_t *counts = arg;

    counts[dendro_column_int64(stmt, 0)] = dendro_column_int64(stmt, 1);
    return 0;
}

static void check_after(struct sim_disk *disk, struct run *r)
{
    struct engine_options options = {.flags = 0};
    int64_t counts[WRITERS] = {0};
    struct volume *v;
    dendro_conn *conn;
    struct dn_err err;

    assert_int_equal(sim_volume_open(disk, r->seed, &v, &err), 0);
    if (engine_open_volume(v, &options, &r->db, &err) < 0)
        fail_msg("seed %llu: open: %s", (unsigned long long)r->seed, err.text);
    conn = connect_to(r);
    assert_int_equal(
        dendro_exec(conn, "SELECT id, count(*) FROM m GROUP BY id", -1, sum_row, counts, NULL),
        DENDRO_OK);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(counts[i], r->acked[i] * BATCH);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(r->db), DENDRO_OK);
    volume_close(v);
}

static void run_seed(uint64_t seed)
{
    static const char *const settings[] = {"memtable_size", "64kB", "log_chunk_size", "4096", NULL};
    struct engine_options options = {.settings = settings, .background = true};
    sched_fn fns[WRITERS + 2] = {
        fiber_writer, fiber_writer, fiber_writer, fiber_reader, fiber_editor};
    struct sched_task *tasks[WRITERS + 2];
    struct run r = {.seed = seed, .writers_left = WRITERS};
    struct sim_disk *disk = sim_disk_new(seed);
    struct volume *v;
    dendro_conn *conn;
    struct dn_err err;

    assert_int_equal(sim_volume_open(disk, seed, &v, &err), 0);
    assert_int_equal(engine_open_volume(v, &options, &r.db, &err), 0);
    r.sched = v->sched;
    sched_sim_set_stack(r.sched, 4u << 20);
    conn = connect_to(&r);
    must(&r,
         conn,
         "CREATE TABLE m (id INTEGER, time TIMESTAMP, v BIGINT, PRIMARY KEY ((id, QUANTUM(time, 1, "
         "'h')), time))");
    dendro_disconnect(conn);
    for (size_t i = 0; i < DN_ARRAY_SIZE(fns); i++)
        assert_int_equal(sched_spawn(v->sched, "session", fns[i], &r, &tasks[i], &err), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(fns); i++)
        sched_join(tasks[i]);
    sim_disk_crash(disk);
    assert_int_equal(dendro_close(r.db), DENDRO_OK);
    volume_close(v);
    check_after(disk, &r);
    sim_disk_free(disk);
}

static void test_seeds(void **state)
{
    const char *given = getenv("DENDRO_TEST_SEED");
    clock_t end = clock() + 3 * CLOCKS_PER_SEC;

    (void)state;
    if (given) {
        run_seed(strtoull(given, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= 3 || (clock() < end && seed < 1000); seed++)
        run_seed(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_seeds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
