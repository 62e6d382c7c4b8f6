/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of sequences: none comes twice, wherever an allocation or a call of the volume fails or
 * the power goes, and none is given to two threads. */
#include "db_fix.h"
#include "sweep_fix.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define VALUES_MAX 4096

static const char *const script[] = {
    "CREATE SEQUENCE s",
    "SELECT nextval('s')",
    "SELECT nextval('s') FROM generate_series(1, 40)",
    "CREATE TABLE t (id BIGINT DEFAULT nextval('s') PRIMARY KEY, v INT)",
    "INSERT INTO t (v) VALUES (1), (2), (3) RETURNING id",
    "SELECT nextval('s')",
    "BEGIN",
    "SELECT nextval('s')",
    "ROLLBACK",
    "SELECT setval('s', 5000) + 0 * nextval('s')",
    "INSERT INTO t (v) SELECT i FROM generate_series(1, 100) AS i RETURNING id",
    "ALTER SEQUENCE s INCREMENT BY 3",
    "SELECT nextval('s') FROM generate_series(1, 50)",
    "CHECKPOINT",
    "SELECT nextval('s')",
};
#define STEPS DN_ARRAY_SIZE(script)

struct world {
    struct sim_disk *disk;
    struct volume *volume;
    dendro_db *db;
    dendro_conn *conn;
    size_t done; /* statements acknowledged */
    int rc;      /* of what failed first, 0 = nothing */
    int64_t last;
    uint32_t count;
    bool again; /* a value came that is not above all before it */
};

static int take_row(void *arg, dendro_stmt *stmt)
{
    struct world *w = arg;
    int64_t value = dendro_column_int64(stmt, 0);

    w->again = w->again || value <= w->last;
    w->last = value;
    w->count++;
    return 0;
}

static int open_world(struct world *w, uint64_t epoch)
{
    struct engine_options options = {.flags = 0};
    struct dn_err err;
    int rc = sim_volume_open(w->disk, epoch, &w->volume, &err);

    if (rc == 0)
        rc = engine_open_volume(w->volume, &options, &w->db, &err);
    return rc < 0 ? rc : dendro_connect(w->db, &w->conn, NULL);
}

static void close_world(struct world *w)
{
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    volume_close(w->volume);
    w->conn = NULL;
    w->db = NULL;
    w->volume = NULL;
}

static void run_script(struct world *w, bool must)
{
    struct dendro_error e;

    w->rc = open_world(w, 1);
    while (w->rc == 0 && w->done < STEPS) {
        w->rc = dendro_exec(w->conn, script[w->done], -1, take_row, w, &e);
        if (must && w->rc != 0)
            fail_msg("%s: %s", script[w->done], e.message);
        w->done += w->rc == 0;
    }
    close_world(w);
}

/* What comes now lies behind everything that was given out. */
static void check_state(struct world *w, const char *what, uint64_t n)
{
    struct dendro_error e;
    int rc;

    assert_int_equal(open_world(w, 2), 0);
    for (int i = 0; i < 3; i++) {
        rc = dendro_exec(w->conn, "SELECT nextval('s')", -1, take_row, w, &e);
        if (rc < 0 && w->done > 0)
            fail_msg("%s %llu: %s", what, (unsigned long long)n, e.message);
    }
    if (w->again)
        fail_msg("%s %llu: a value came again", what, (unsigned long long)n);
    close_world(w);
}

static void test_undisturbed(void **state)
{
    struct world w = {.disk = sim_disk_new(1)};

    (void)state;
    run_script(&w, true);
    assert_int_equal(w.count, 1 + 40 + 3 + 1 + 1 + 1 + 100 + 50 + 1);
    assert_int_equal(w.last, 5101 + 51 * 3);
    check_state(&w, "undisturbed", 0);
    assert_int_equal(w.last, 5101 + 54 * 3); /* nothing is lost by closing */
    sim_disk_free(w.disk);
}

static struct world swept;

static void swept_run(struct sim_disk *disk)
{
    swept = (struct world){.disk = disk};
    run_script(&swept, false);
}

static void swept_check(const char *what, uint64_t n)
{
    check_state(&swept, what, n);
}

static struct sweep sweep = {.run = swept_run, .check = swept_check, .grain = 300};

/* Bytes that are no document of counters are an error, and nothing else. */
static void test_damaged(void **state)
{
    static const uint8_t newer[12] = {'D', 'N', 'c', 't', 99};
    static const struct {
        const char *bytes;
        size_t len;
        int rc;
    } docs[] = {{"", 0, DN_E_CORRUPT},
                {"DNct", 4, DN_E_CORRUPT},
                {"XXXX\1\0\0\0\0\0\0\0", 12, DN_E_CORRUPT},
                {"DNct\1\0\0\0\1\0\0\0", 12, DN_E_CORRUPT},
                {"DNct\1\0\0\0\0\0\0\0x", 13, DN_E_CORRUPT},
                {"DNct\1\0\0\0\xff\xff\xff\xff", 12, DN_E_CORRUPT},
                {(const char *)newer, sizeof(newer), DN_E_VERSION}};

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(docs); i++) {
        struct world w = {.disk = sim_disk_new(i + 1)};
        struct dendro_error e;
        uint64_t generation = 0;
        struct dn_err err;

        assert_int_equal(open_world(&w, 1), 0);
        assert_int_equal(dendro_exec(w.conn, "CREATE SEQUENCE s", -1, NULL, NULL, &e), 0);
        assert_int_equal(
            volume_doc_replace(
                w.volume, "counters", docs[i].bytes, docs[i].len, 1, &generation, &err),
            0);
        assert_int_equal(dendro_exec(w.conn, "SELECT nextval('s')", -1, NULL, NULL, &e),
                         docs[i].rc);
        assert_non_null(strstr(e.message, "counters"));
        close_world(&w);
        sim_disk_free(w.disk);
    }
}

/* ---- threads ---- */

#define THREADS 3
#define EACH    400

static dendro_db *shared;
static int64_t given[THREADS][EACH];
static char failed[] = "a thread failed";

static int take_given(void *arg, dendro_stmt *stmt)
{
    int64_t **to = arg;

    *(*to)++ = dendro_column_int64(stmt, 0);
    return 0;
}

static void *taker(void *arg)
{
    int64_t *to = arg;
    const int64_t *end = to + EACH;
    dendro_conn *conn;

    if (dendro_connect(shared, &conn, NULL) < 0)
        return failed;
    while (to < end)
        if (dendro_exec(conn,
                        end - to >= 7 ? "SELECT nextval('s') FROM generate_series(1, 7)"
                                      : "SELECT nextval('s')",
                        -1,
                        take_given,
                        &to,
                        NULL) < 0)
            return failed;
    dendro_disconnect(conn);
    return NULL;
}

static int cmp_value(const void *a, const void *b)
{
    int64_t x, y;

    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return x < y ? -1 : x > y;
}

static void test_threads(void **state)
{
    char dir[] = "/tmp/dendro-sequence-XXXXXX";
    char rm[sizeof(dir) + 16];
    pthread_t threads[THREADS];
    int64_t *all = &given[0][0];
    struct dendro_error e;
    dendro_conn *conn;

    (void)state;
    assert_non_null(mkdtemp(dir));
    assert_int_equal(dendro_open(dir, NULL, &shared, &e), 0);
    assert_int_equal(dendro_connect(shared, &conn, &e), 0);
    assert_int_equal(dendro_exec(conn, "CREATE SEQUENCE s", -1, NULL, NULL, &e), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, taker, given[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *why;

        assert_int_equal(pthread_join(threads[i], &why), 0);
        assert_null(why);
    }
    qsort(all, (size_t)THREADS * EACH, sizeof(*all), cmp_value);
    for (int i = 0; i < THREADS * EACH; i++)
        assert_int_equal(all[i], i + 1);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(shared), DENDRO_OK);
    snprintf(rm, sizeof(rm), "rm -r %s", dir);
    assert_int_equal(system(rm), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undisturbed),
        cmocka_unit_test_prestate(sweep_allocations, &sweep),
        SWEEP_TESTS(&sweep),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
