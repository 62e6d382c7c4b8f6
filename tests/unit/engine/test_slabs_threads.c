/* SPDX-License-Identifier: Apache-2.0
 *
 * Slabs on several threads: while sessions write, others drop the oldest slabs, detach some of
 * another table and attach them again, and read. Writers are never refused; readers see a slab
 * whole or not at all; nothing that was dropped comes back. */
#include "dendro.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define WRITERS    3
#define PER_SLAB   24 /* rows of a writer in a slab: an hour apart */
#define RUN_MS     1500
#define RUN_MS_MAX 40000 /* until all have done something */
#define KEPT       2     /* slabs that are not dropped */

static dendro_db *db;
static char dir[] = "/tmp/dendro-slabs-XXXXXX";
static atomic_bool stop;
static atomic_int failures;
static atomic_int_fast64_t last[WRITERS]; /* rows that were acknowledged */
static atomic_int_fast64_t dropped;       /* slabs below this one are gone */
static atomic_uint_fast64_t drops, moves, reads;

static void report(const char *who, const char *what, const struct dendro_error *e)
{
    if (atomic_fetch_add(&failures, 1) < 5)
        fprintf(stderr, "%s: %s: %s %s\n", who, what, e ? e->sqlstate : "", e ? e->message : "");
}

/* False: another session was in the way (40001), and that is no failure if `again`. */
static bool run(dendro_conn *conn, const char *who, const char *sql, bool again)
{
    struct dendro_error e;

    if (dendro_exec(conn, sql, -1, NULL, NULL, &e) >= 0)
        return true;
    if (!again || strcmp(e.sqlstate, "40001") != 0)
        report(who, sql, &e);
    return false;
}

static dendro_conn *begin(const char *who)
{
    struct dendro_error e;
    dendro_conn *conn = NULL;

    if (dendro_connect(db, &conn, &e) < 0)
        report(who, "connect", &e);
    return conn;
}

static void *writer(void *arg)
{
    int id = *(int *)arg;
    dendro_conn *conn = begin("writer");
    char sql[200];

    run(conn, "writer", "SET synchronous_commit = off", false);
    for (int64_t n = 0; !atomic_load(&stop); n++) {
        snprintf(sql,
                 sizeof(sql),
                 "INSERT INTO m VALUES (%d, TIMESTAMP '2024-01-01' + %" PRId64
                 " * INTERVAL '1 hour', %" PRId64 ")",
                 id,
                 n,
                 n);
        if (run(conn, "writer", sql, false))
            atomic_store(&last[id], n + 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

static void *dropper(void *arg)
{
    dendro_conn *conn = begin("dropper");
    char sql[200];

    (void)arg;
    while (!atomic_load(&stop)) {
        int64_t slab = INT64_MAX;

        for (int i = 0; i < WRITERS; i++) {
            int64_t at = atomic_load(&last[i]) / PER_SLAB;
            slab = at < slab ? at : slab;
        }
        slab -= KEPT;
        if (slab <= atomic_load(&dropped))
            continue;
        snprintf(sql,
                 sizeof(sql),
                 "ALTER TABLE m DROP PARTITIONS WHERE time < TIMESTAMP '2024-01-01' + %" PRId64
                 " * INTERVAL '1 day'",
                 slab);
        if (run(conn, "dropper", sql, true)) {
            atomic_store(&dropped, slab);
            atomic_fetch_add(&drops, 1);
        }
    }
    dendro_disconnect(conn);
    return NULL;
}

static int take_ints(void *arg, dendro_stmt *stmt)
{
    int64_t *to = arg;

    for (int i = 0; i < dendro_column_count(stmt); i++)
        to[i] = dendro_column_int64(stmt, i);
    return 0;
}

/* What is there of a writer is one stretch, from the start of a slab to what it wrote last. */
static void *reader(void *arg)
{
    dendro_conn *conn = begin("reader");
    char sql[200];

    (void)arg;
    for (int id = 0; !atomic_load(&stop); id = (id + 1) % WRITERS) {
        int64_t first = atomic_load(&dropped) * PER_SLAB;
        int64_t end = atomic_load(&last[id]);
        int64_t got[3] = {0};
        struct dendro_error e;

        snprintf(sql, sizeof(sql), "SELECT count(*), min(x), max(x) FROM m WHERE g = %d", id);
        if (dendro_exec(conn, sql, -1, take_ints, got, &e) < 0)
            report("reader", sql, &e);
        else if (got[0] && (got[2] - got[1] + 1 != got[0] || got[1] % PER_SLAB != 0 ||
                            got[1] < first || got[2] + 1 < end))
            report("reader", "not one stretch", NULL);
        else if (!got[0] && end > 0)
            report("reader", "nothing is there", NULL);
        if (dendro_exec(conn, "SELECT count(*) FROM n", -1, take_ints, got, &e) < 0)
            report("reader", "n", &e);
        else if (got[0] != 4 * PER_SLAB && got[0] != 3 * PER_SLAB)
            report("reader", "half a slab", NULL);
        atomic_fetch_add(&reads, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

static void *mover(void *arg)
{
    dendro_conn *conn = begin("mover");
    char sql[300];

    (void)arg;
    for (int i = 0; !atomic_load(&stop); i++) {
        snprintf(sql,
                 sizeof(sql),
                 "ALTER TABLE n DETACH PARTITION '2024-01-0%d' TO '%s/part%d'",
                 i % 4 + 1,
                 dir,
                 i);
        while (!run(conn, "mover", sql, true) && !atomic_load(&failures))
            continue;
        snprintf(sql, sizeof(sql), "ALTER TABLE n ATTACH PARTITION FROM '%s/part%d'", dir, i);
        while (!run(conn, "mover", sql, true) && !atomic_load(&failures))
            continue;
        atomic_fetch_add(&moves, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

static bool all_did_something(void)
{
    return atomic_load(&drops) >= 3 && atomic_load(&moves) >= 2 && atomic_load(&reads) >= 5;
}

static void wait_for_all(void)
{
    const struct timespec moment = {.tv_nsec = 10000000};

    for (int ms = 0;
         ms < RUN_MS_MAX && (ms < RUN_MS || !all_did_something()) && !atomic_load(&failures);
         ms += 10)
        nanosleep(&moment, NULL);
    atomic_store(&stop, true);
}

static void test_threads(void **state)
{
    void *(*const fns[])(void *) = {writer, writer, writer, dropper, reader, mover};
    const struct dendro_options options = {.flags = 0};
    pthread_t threads[6];
    int ids[6] = {0, 1, 2, 0, 0, 0};
    dendro_conn *conn;
    char path[64];
    char sql[100];

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/db", dir);
    assert_int_equal(dendro_open(path, &options, &db, NULL), DENDRO_OK);
    conn = begin("test");
    assert_true(run(conn,
                    "test",
                    "CREATE TABLE m (g INT NOT NULL, time TIMESTAMP NOT NULL, x BIGINT, PRIMARY "
                    "KEY ((g, QUANTUM(time, 1, 'd')), g, time)); CREATE TABLE n (LIKE m INCLUDING "
                    "ALL); INSERT INTO n SELECT 1, TIMESTAMP '2024-01-01' + i * INTERVAL '1 hour', "
                    "i FROM generate_series(0, 95) i; CHECKPOINT",
                    false));
    for (int i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fns[i], &ids[i]), 0);
    wait_for_all();
    for (int i = 0; i < 6; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&failures), 0);
    assert_true(all_did_something());
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    snprintf(sql, sizeof(sql), "rm -rf %s", dir);
    assert_int_equal(system(sql), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
