/* SPDX-License-Identifier: Apache-2.0
 *
 * Imports on real threads, in a real directory, beside sessions that write and read the same table:
 * nothing is lost, nobody sees half of an import that is to be whole, and of two writes to a key
 * the later one stays. Batches that several tasks sort and write, for each form of key. */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "dendro.h"

#include <ftw.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HOSTS 20
#define STEPS 4000 /* rows of a host in the file */
#define ROWS  (HOSTS * STEPS)

static dendro_db *db;
static char dir[64];
static atomic_bool stop;
static atomic_int failures;
static char *text;
static size_t text_len;

static void report(const char *what, const struct dendro_error *e)
{
    if (atomic_fetch_add(&failures, 1) < 5)
        fprintf(stderr, "%s: %s %s\n", what, e->sqlstate, e->message);
}

struct source {
    size_t at;
    int again; /* so often the text comes once more */
};

static int source_read(void *arg, void *to, size_t len, size_t *ret_len)
{
    struct source *s = arg;
    size_t n = text_len - s->at;

    n = n < len ? n : len;
    n = n < 50000 ? n : 50000;
    memcpy(to, text + s->at, n);
    s->at += n;
    if (s->at == text_len && s->again > 0) {
        s->again--;
        s->at = 0;
    }
    *ret_len = n;
    return 0;
}

static int64_t number(dendro_conn *conn, const char *sql)
{
    dendro_stmt *stmt = NULL;
    struct dendro_error e;
    int64_t n = -1;

    if (dendro_prepare(conn, sql, -1, &stmt, NULL, &e) < 0 || dendro_step(stmt, &e) != DENDRO_ROW)
        report(sql, &e);
    else
        n = dendro_column_int64(stmt, 0);
    dendro_finalize(stmt);
    return n;
}

/* Reads until it is told to stop. arg: the import is to be whole. */
static void *reader(void *arg)
{
    bool whole = arg != NULL;
    struct dendro_error e = {.message = "rows went, or half an import was seen"};
    dendro_conn *conn;
    int64_t last = 0;

    if (dendro_connect(db, &conn, &e) < 0)
        return NULL;
    while (!atomic_load(&stop)) {
        int64_t n = number(conn, "SELECT count(*) FROM t WHERE v >= 0");

        if (n < last || (whole && n != 0 && n != ROWS))
            report("reader", &e);
        last = n;
    }
    dendro_disconnect(conn);
    return NULL;
}

static atomic_int inserted;

static void *writer(void *arg)
{
    struct dendro_error e;
    dendro_conn *conn;
    char sql[128];

    (void)arg;
    if (dendro_connect(db, &conn, &e) < 0)
        return NULL;
    for (int i = 0; !atomic_load(&stop); i++) {
        (void)snprintf(sql, sizeof sql, "INSERT INTO t VALUES (%d, 'other', -1)", i + 1);
        if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
            report(sql, &e);
        else
            atomic_fetch_add(&inserted, 1);
    }
    dendro_disconnect(conn);
    return NULL;
}

static void import(dendro_conn *conn, bool whole, int again)
{
    struct source s = {.again = again};
    struct dendro_import spec = {
        .table = "t", .read = source_read, .read_arg = &s, .atomic = whole};
    struct dendro_import_result r;
    struct dendro_error e;

    if (dendro_import_csv(conn, &spec, &r, &e) < 0)
        fail_msg("%s", e.message);
    assert_int_equal(r.rows, ROWS * (1 + again));
}

static void run(bool whole)
{
    pthread_t threads[2];
    struct dendro_error e;
    dendro_conn *conn;

    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    if (dendro_exec(conn,
                    "DROP TABLE IF EXISTS t; CREATE TABLE t (time TIMESTAMP NOT NULL, host VARCHAR "
                    "NOT NULL, v BIGINT, PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), host, time))",
                    -1,
                    NULL,
                    NULL,
                    &e) < 0)
        fail_msg("%s", e.message);
    atomic_store(&stop, false);
    atomic_store(&inserted, 0);
    assert_int_equal(pthread_create(&threads[0], NULL, reader, whole ? &stop : NULL), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, writer, NULL), 0);
    import(conn, whole, 0);
    import(conn, whole, 0); /* the same rows: newer versions of them */
    atomic_store(&stop, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&failures), 0);
    assert_int_equal(number(conn, "SELECT count(*) FROM t WHERE v >= 0"), ROWS);
    assert_int_equal(number(conn, "SELECT count(*) FROM t WHERE host = 'other'"),
                     atomic_load(&inserted));
    dendro_disconnect(conn);
}

static void test_batches(void **state)
{
    (void)state;
    run(false);
}

static void test_whole(void **state)
{
    (void)state;
    run(true);
}

/* Every row several times, in the order of the file: neither hosts nor times are in that of the
 * key. A batch has rows for several tasks. */
static void test_keys(void **state)
{
    static const char *const settings[] = {"memtable_size", "8388608", NULL};
    static const char *const keys[] = {"",
                                       ", PRIMARY KEY (time, host)",
                                       ", PRIMARY KEY (time DESC, host DESC, v)",
                                       ", PRIMARY KEY ((host), v, time)",
                                       ", PRIMARY KEY ((v, QUANTUM(time, 1, 'h')), v, time, host)"};
    struct dendro_options options = {.settings = settings};
    struct dendro_error e;
    dendro_conn *conn;

    (void)state;
    assert_int_equal(dendro_close(db), DENDRO_OK);
    assert_int_equal(dendro_open(dir, &options, &db, NULL), DENDRO_OK);
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char sql[256];

        (void)snprintf(sql,
                       sizeof sql,
                       "DROP TABLE IF EXISTS t; CREATE TABLE t (time TIMESTAMP NOT NULL, host "
                       "VARCHAR NOT NULL, v BIGINT NOT NULL%s)",
                       keys[i]);
        if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
            fail_msg("%s", e.message);
        import(conn, true, 3);
        assert_int_equal(number(conn, "SELECT count(*) FROM t"), i ? ROWS : 4 * ROWS);
        assert_int_equal(number(conn,
                                "SELECT count(*) FROM (SELECT host FROM t GROUP BY host HAVING "
                                "count(DISTINCT v) = 4000 AND min(v) = 0 AND max(v) = 3999) AS x"),
                         HOSTS);
    }
    dendro_disconnect(conn);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int set_up(void **state)
{
    static const char *const settings[] = {"memtable_size", "262144", NULL};
    struct dendro_options options = {.settings = settings};
    size_t room = (size_t)ROWS * 40;

    (void)state;
    text = malloc(room);
    for (int step = 0; text && step < STEPS; step++)
        for (int host = 0; host < HOSTS; host++)
            text_len += (size_t)snprintf(text + text_len,
                                         room - text_len,
                                         "%lld,host_%d,%d\n",
                                         1451606400000LL + step * 10000LL,
                                         host,
                                         step);
    (void)snprintf(dir, sizeof dir, "/tmp/dendro-load-XXXXXX");
    if (!text || !mkdtemp(dir))
        return -1;
    return dendro_open(dir, &options, &db, NULL) < 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(text);
    if (dendro_close(db) != DENDRO_OK)
        return -1;
    return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_keys),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
