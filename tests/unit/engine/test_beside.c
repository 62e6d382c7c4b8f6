/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers beside a writer: read-only openings of a directory that somebody else writes to. They see
 * what was acknowledged when they came, whole, and go on seeing it whatever is flushed, merged,
 * truncated and dropped meanwhile. Here the other process is another opening in this one, so that
 * the sanitizers see both sides. */
#define _GNU_SOURCE /* mkdtemp, nftw */
#include "dendro.h"
#include "engine/engine.h"

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
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#define BESIDE_BATCHES 160
#define BESIDE_ROWS    20
#define BESIDE_READERS 3
#define BESIDE_TEXT    400u

struct beside {
    char dir[128];
    dendro_db *db; /* the writer's */
    dendro_conn *conn;
    atomic_int begun; /* batches whose INSERT was sent */
    atomic_int acked; /* … and acknowledged */
    atomic_int floor; /* first batch after the last TRUNCATE that is done */
    atomic_int truncs_begun;
    atomic_int truncs_done;
    atomic_bool finished;
    atomic_int opened; /* by readers */
};

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static void run(dendro_conn *conn, const char *sql)
{
    struct dendro_error err = {0};

    if (dendro_exec(conn, sql, -1, NULL, NULL, &err) < 0) {
        (void)fprintf(stderr, "%s: %s %s\n", sql, err.sqlstate, err.message);
        abort(); /* from any thread */
    }
}

static void beside_open(struct beside *b)
{
    struct dendro_error err = {0};

    memset(b, 0, sizeof *b);
    (void)snprintf(b->dir,
                   sizeof b->dir,
                   "%s/dendro-beside-XXXXXX",
                   getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(b->dir));
    assert_int_equal(dendro_open(b->dir, NULL, &b->db, &err), DENDRO_OK);
    assert_int_equal(dendro_connect(b->db, &b->conn, &err), DENDRO_OK);
    run(b->conn, "CREATE TABLE t (b INT, k INT, v VARCHAR, PRIMARY KEY ((b), k))");
}

static void beside_close(struct beside *b)
{
    dendro_disconnect(b->conn);
    assert_int_equal(dendro_close(b->db), DENDRO_OK);
    assert_int_equal(nftw(b->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void reader_open(const struct beside *b, dendro_db **db, dendro_conn **conn)
{
    struct dendro_options options = {.flags = DENDRO_OPEN_READ_ONLY, .threads = 1};
    struct dendro_error err = {0};

    if (dendro_open(b->dir, &options, db, &err) < 0 || dendro_connect(*db, conn, &err) < 0) {
        (void)fprintf(stderr, "read-only: %s %s\n", err.sqlstate, err.message);
        abort();
    }
}

static void reader_close(dendro_db *db, dendro_conn *conn)
{
    dendro_disconnect(conn);
    if (dendro_close(db) != DENDRO_OK)
        abort();
}

static void insert_batch(struct beside *b, int batch)
{
    char sql[BESIDE_ROWS * 32 + 64];
    size_t len = (size_t)snprintf(sql, sizeof sql, "INSERT INTO t (b, k, v) VALUES ");

    for (int k = 0; k < BESIDE_ROWS; k++)
        len += (size_t)snprintf(
            sql + len, sizeof sql - len, "%s(%d, %d, 'x%d')", k ? ", " : "", batch, k, batch);
    atomic_store(&b->begun, batch);
    run(b->conn, sql);
    atomic_store(&b->acked, batch);
}

/* ---- one after the other ---- */

static int64_t count_of(dendro_conn *conn, const char *sql)
{
    struct dendro_error err = {0};
    dendro_stmt *stmt = NULL;
    int64_t n;

    assert_int_equal(dendro_prepare(conn, sql, -1, &stmt, NULL, &err), DENDRO_OK);
    assert_int_equal(dendro_step(stmt, &err), DENDRO_ROW);
    n = dendro_column_int64(stmt, 0);
    dendro_finalize(stmt);
    return n;
}

static void snapshot_stays(void **state)
{
    struct dendro_error err = {0};
    struct beside b;
    dendro_db *old_db = NULL;
    dendro_conn *old = NULL;
    dendro_db *db = NULL;
    dendro_conn *conn = NULL;

    (void)state;
    beside_open(&b);
    insert_batch(&b, 1);
    run(b.conn, "CHECKPOINT");
    insert_batch(&b, 2); /* in the log alone */
    reader_open(&b, &old_db, &old);
    insert_batch(&b, 3);
    run(b.conn, "CHECKPOINT; TRUNCATE TABLE t; CHECKPOINT");
    run(b.conn,
        "CREATE TABLE u (k INT PRIMARY KEY); INSERT INTO u VALUES (1); DROP TABLE t; CHECKPOINT");
    assert_int_equal(count_of(old, "SELECT count(v) FROM t"), 2 * BESIDE_ROWS);
    assert_int_equal(count_of(old, "SELECT max(b) FROM t WHERE v LIKE 'x%'"), 2);
    assert_true(dendro_exec(old, "SELECT * FROM u", -1, NULL, NULL, &err) < 0);
    assert_string_equal(err.sqlstate, "42P01");
    for (size_t i = 0; i < 6; i++) {
        static const char *const writes[] = {"INSERT INTO t VALUES (9, 9, 'x')",
                                             "UPDATE t SET v = 'y'",
                                             "DELETE FROM t",
                                             "TRUNCATE TABLE t",
                                             "DROP TABLE t",
                                             "CREATE TABLE w (k INT)"};
        assert_int_equal(dendro_exec(old, writes[i], -1, NULL, NULL, &err), DENDRO_E_READ_ONLY);
        assert_string_equal(err.sqlstate, "25006");
    }
    reader_open(&b, &db, &conn);
    assert_int_equal(count_of(conn, "SELECT count(*) FROM u"), 1);
    assert_true(dendro_exec(conn, "SELECT * FROM t", -1, NULL, NULL, &err) < 0);
    reader_close(db, conn);
    reader_close(old_db, old);
    beside_close(&b);
}

static void holder_says_where(void **state)
{
    struct dendro_error err = {0};
    dendro_db *other = NULL;
    struct beside b;

    (void)state;
    beside_open(&b);
    assert_int_equal(dendro_open(b.dir, NULL, &other, &err), DENDRO_E_BUSY);
    assert_null(strstr(err.hint, "dendro sql"));
    engine_announce(b.db, "postgres://dendro@127.0.0.1:1234/dendro");
    assert_int_equal(dendro_open(b.dir, NULL, &other, &err), DENDRO_E_BUSY);
    assert_non_null(strstr(err.message, "(pid "));
    assert_non_null(strstr(err.hint, "`dendro sql postgres://dendro@127.0.0.1:1234/dendro`"));
    beside_close(&b);
}

/* ---- all at once ---- */

static void *beside_write(void *arg)
{
    struct beside *b = arg;
    char sql[BESIDE_TEXT];

    for (int i = 1; i <= BESIDE_BATCHES; i++) {
        if (i % 31 == 0) {
            atomic_fetch_add(&b->truncs_begun, 1);
            run(b->conn, "TRUNCATE TABLE t");
            atomic_store(&b->floor, i);
            atomic_fetch_add(&b->truncs_done, 1);
        }
        insert_batch(b, i);
        if (i % 5 == 0)
            run(b->conn, "CHECKPOINT");
        if (i % 13 == 0) {
            (void)snprintf(
                sql,
                sizeof sql,
                "ALTER TABLE t ADD COLUMN c%d INT; CREATE TABLE u%d (k INT PRIMARY KEY); "
                "BEGIN; INSERT INTO u%d VALUES (1); CREATE TABLE w%d (k INT); COMMIT; "
                "DROP TABLE w%d",
                i,
                i,
                i,
                i,
                i);
            run(b->conn, sql);
        }
    }
    atomic_store(&b->finished, true);
    return NULL;
}

struct seen {
    int first;
    int last; /* 0 = no rows at all */
};

/* Batches are whole and without gaps. */
static struct seen look(dendro_conn *conn)
{
    static const char sql[] = "SELECT b, count(*), min(v), max(v) FROM t GROUP BY b ORDER BY b";
    struct dendro_error err = {0};
    struct seen s = {0, 0};
    dendro_stmt *stmt = NULL;
    char text[32];
    int rc = dendro_prepare(conn, sql, -1, &stmt, NULL, &err);

    while (rc >= 0 && (rc = dendro_step(stmt, &err)) == DENDRO_ROW) {
        int batch = (int)dendro_column_int64(stmt, 0);
        (void)snprintf(text, sizeof text, "x%d", batch);
        if (dendro_column_int64(stmt, 1) != BESIDE_ROWS || (s.last && batch != s.last + 1) ||
            strcmp(dendro_column_text(stmt, 2), text) != 0 ||
            strcmp(dendro_column_text(stmt, 3), text) != 0) {
            (void)fprintf(stderr, "batch %d after %d is not whole\n", batch, s.last);
            abort();
        }
        s.first = s.last ? s.first : batch;
        s.last = batch;
    }
    if (rc < 0) {
        (void)fprintf(stderr, "look: %s %s\n", err.sqlstate, err.message);
        abort();
    }
    dendro_finalize(stmt);
    return s;
}

static void *beside_read(void *arg)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 1000000};
    struct beside *b = arg;
    bool last = false;

    while (!last) {
        int truncs = atomic_load(&b->truncs_done);
        int floor_before = atomic_load(&b->floor);
        int acked = atomic_load(&b->acked);
        dendro_db *db = NULL;
        dendro_conn *conn = NULL;
        struct seen s;
        struct seen again;

        last = atomic_load(&b->finished);
        reader_open(b, &db, &conn);
        s = look(conn);
        if (s.last > atomic_load(&b->begun))
            abort();
        if (atomic_load(&b->truncs_begun) == truncs && acked >= floor_before && acked > 0 &&
            (s.last < acked || s.first != (floor_before ? floor_before : 1))) {
            (void)fprintf(stderr,
                          "%d to %d, but %d to %d were there\n",
                          s.first,
                          s.last,
                          floor_before,
                          acked);
            abort();
        }
        for (int i = 0; i < 2; i++) { /* while the writer goes on */
            int from = atomic_load(&b->acked);
            while (!atomic_load(&b->finished) && atomic_load(&b->acked) < from + 4)
                (void)nanosleep(&moment, NULL);
            again = look(conn);
            if (again.first != s.first || again.last != s.last) {
                (void)fprintf(stderr, "the snapshot moved\n");
                abort();
            }
        }
        reader_close(db, conn);
        atomic_fetch_add(&b->opened, 1);
    }
    return NULL;
}

static void readers_and_a_writer(void **state)
{
    pthread_t readers[BESIDE_READERS];
    pthread_t writer;
    struct beside b;

    (void)state;
    beside_open(&b);
    for (int i = 0; i < BESIDE_READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, beside_read, &b), 0);
    assert_int_equal(pthread_create(&writer, NULL, beside_write, &b), 0);
    assert_int_equal(pthread_join(writer, NULL), 0);
    for (int i = 0; i < BESIDE_READERS; i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    assert_true(atomic_load(&b.opened) >= BESIDE_READERS);
    beside_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshot_stays),
        cmocka_unit_test(holder_says_where),
        cmocka_unit_test(readers_and_a_writer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
