/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows for a shard that the statement names: by INSERT, COPY, imports and appenders, in blocks and
 * outside. They are in that shard, which is not the newest, or, if it has gone meanwhile, nowhere,
 * with an error. And the same while calls of the volume fail, the disk fills up or the power goes.
 * What SQL alone can say is in tests/sql/time_partitions_named.test. */
#include "db_fix.h"
#include "sweep_fix.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LINES_MANY 40000             /* more than the memory that goes through the log */
#define OLD        "\"$0_F64CD191\"" /* the first shard of a partition that is called t */

static const char *const kinds[] = {
    "CREATE TABLE t (k INT PRIMARY KEY, v INT, s TEXT) PARTITIONED BY MANUAL RETENTION 3 START 1",
    "CREATE TABLE t (k INT, v INT, s TEXT) PARTITIONED BY MANUAL RETENTION 3 START 1",
    ("CREATE TABLE t (k INT PRIMARY KEY, v INT, s TEXT) WITH (upsert = 'field') "
     "PARTITIONED BY MANUAL RETENTION 3 START 1"),
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Two shards, of which the older one is looked for. */
static void begin(struct db_fix *f, size_t kind)
{
    db_open(f);
    db_ok(f, kinds[kind]);
    db_ok(f, "PUT COUNTER t SET 1; INSERT INTO t (k, v) VALUES (0, 0)");
}

static void expect(struct db_fix *f, const char *sql, const char *want)
{
    const char *out = db_run(f, sql);

    if (strncmp(out, want, strlen(want)) != 0)
        fail_msg("%s: %s, not %s", sql, out, want);
}

/* Rows 1 to count are in the older shard, once, and the one that was there is in the newest. */
static void expect_old(struct db_fix *f, int count)
{
    char want[80];

    snprintf(want, sizeof want, "%d|%d|1|%d\n", count, count, count);
    expect(f, "SELECT count(*), count(DISTINCT k), min(k), max(k) FROM " OLD, want);
    snprintf(want, sizeof want, "%d\n", count + 1);
    expect(f, "SELECT count(*) FROM t", want);
}

struct lines {
    dendro_conn *other; /* rolls in the middle; NULL: nothing happens then */
    int next;
    int count;
};

#define LINE_BYTES 140

static int lines_read(void *arg, void *to, size_t len, size_t *ret_len)
{
    struct lines *l = arg;
    size_t used = 0;

    if (l->next >= l->count / 2 && l->other) {
        DN_IGNORE(dendro_exec(
            l->other, "PUT COUNTER t SET 2; PUT COUNTER t SET 3", -1, NULL, NULL, NULL));
        l->other = NULL;
    }
    while (l->next < l->count && len - used > LINE_BYTES && (!l->other || l->next < l->count / 2)) {
        l->next++;
        used += (size_t)snprintf(
            (char *)to + used, LINE_BYTES, "%d,%d,%0100d\n", l->next, l->next % 7, l->next);
    }
    *ret_len = used;
    return 0;
}

static int append(dendro_appender *app, int first, int last, struct dendro_error *e)
{
    for (int i = first; i <= last; i++) {
        assert_int_equal(dendro_append_int64(app, i, e), DENDRO_OK);
        assert_int_equal(dendro_append_int64(app, 0, e), DENDRO_OK);
        assert_int_equal(dendro_append_null(app, e), DENDRO_OK);
        assert_int_equal(dendro_append_end_row(app, e), DENDRO_OK);
    }
    return dendro_appender_flush(app, e);
}

static void test_ways(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int block = 0; block < 2; block++)
            for (int many = 0; many < 2; many++) {
                struct lines l = {.count = many && !block ? LINES_MANY : 6};
                struct dendro_copy copy = {.read = lines_read, .read_arg = &l};
                struct dendro_import import = {
                    .table = "$0_F64CD191", .read = lines_read, .read_arg = &l, .atomic = true};
                struct dendro_error e;
                dendro_appender *app;
                struct db_fix f;

                begin(&f, kind);
                db_ok(&f, block ? "BEGIN" : "SELECT 1");
                dendro_set_copy(f.conn, &copy);
                db_ok(&f, "COPY " OLD " FROM STDIN (FORMAT csv)");
                expect_old(&f, l.count);
                db_ok(&f, block ? "COMMIT" : "SELECT 1");
                expect_old(&f, l.count);
                db_ok(&f, "DELETE FROM " OLD);

                l.next = 0;
                db_ok(&f, block ? "BEGIN" : "SELECT 1");
                if (dendro_import_csv(f.conn, &import, NULL, &e) < 0)
                    fail_msg("import: %s %s", e.sqlstate, e.message);
                db_ok(&f, block ? "COMMIT" : "SELECT 1");
                expect_old(&f, l.count);
                db_ok(&f, "DELETE FROM " OLD);

                db_ok(&f, block ? "BEGIN" : "SELECT 1");
                assert_int_equal(dendro_appender_open(f.conn, NULL, "$0_F64CD191", NULL, &app, &e),
                                 DENDRO_OK);
                if (append(app, 1, many ? LINES_MANY : 6, &e) < 0)
                    fail_msg("append: %s %s", e.sqlstate, e.message);
                assert_int_equal(dendro_appender_close(app, &e), DENDRO_OK);
                db_ok(&f, block ? "COMMIT" : "SELECT 1");
                expect_old(&f, many ? LINES_MANY : 6);
                db_reopen(&f);
                expect_old(&f, many ? LINES_MANY : 6);
                db_close(&f);
            }
}

/* The shard is emptied and used again meanwhile: nothing of the rows is anywhere. */
static void test_gone(void **state)
{
    (void)state;
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int many = 0; many < 2; many++) {
            struct lines l = {.count = many ? LINES_MANY : 6};
            struct dendro_copy copy = {.read = lines_read, .read_arg = &l};
            struct dendro_error e;
            dendro_appender *app;
            dendro_conn *other;
            struct db_fix f;

            begin(&f, kind);
            assert_int_equal(dendro_connect(f.db, &other, NULL), DENDRO_OK);
            l.other = other;
            dendro_set_copy(f.conn, &copy);
            expect(&f, "COPY " OLD " FROM STDIN (FORMAT csv)", "ERROR 40001");
            expect(&f, "SELECT count(*) FROM t WHERE k > 0", "0\n");

            db_ok(&f, "BEGIN; INSERT INTO " OLD " (k, v) VALUES (7, 7); UPDATE t SET v = 8");
            db_run_on(&f, other, "PUT COUNTER t SET 4; PUT COUNTER t SET 5; PUT COUNTER t SET 6");
            expect(&f, "COMMIT", "ERROR 40001");
            expect(&f, "SELECT count(*) FROM t WHERE k > 0", "0\n");

            assert_int_equal(dendro_appender_open(f.conn, NULL, "$0_F64CD191", NULL, &app, &e),
                             DENDRO_OK);
            assert_int_equal(append(app, 1, 2, &e), DENDRO_OK);
            db_run_on(&f, other, "PUT COUNTER t SET 7; PUT COUNTER t SET 8; PUT COUNTER t SET 9");
            assert_true(append(app, 3, 4, &e) < 0);
            assert_string_equal(e.sqlstate, "42P01");
            DN_IGNORE(dendro_appender_close(app, &e)); /* it said why */
            expect(&f, "SELECT count(*) FROM t WHERE k > 0", "0\n");
            dendro_disconnect(other);
            db_close(&f);
        }
}

/* ---- faults ---- */

static struct {
    struct sim_disk *disk;
    bool copied;
    bool block;
} seen;

static int run(dendro_conn *conn, const char *sql)
{
    return conn ? dendro_exec(conn, sql, -1, NULL, NULL, NULL) : -1;
}

static void faults_run(struct sim_disk *disk)
{
    static const char *const settings[] = {"memory_limit", "24MB", NULL};
    struct engine_options options = {.settings = settings};
    struct lines l = {.count = LINES_MANY};
    struct dendro_copy copy = {.read = lines_read, .read_arg = &l};
    struct db_fix f = {.disk = disk};
    struct dn_err err;

    memset(&seen, 0, sizeof(seen));
    seen.disk = disk;
    if (sim_volume_open(disk, 1, &f.volume, &err) < 0)
        return;
    if (engine_open_volume(f.volume, &options, &f.db, &err) < 0) {
        volume_close(f.volume);
        return;
    }
    DN_IGNORE(dendro_connect(f.db, &f.conn, NULL)); /* statements say it */
    if (run(f.conn, kinds[0]) >= 0 && run(f.conn, "PUT COUNTER t SET 1") >= 0) {
        dendro_set_copy(f.conn, &copy);
        seen.copied = run(f.conn, "COPY " OLD " FROM STDIN (FORMAT csv)") >= 0;
        DN_IGNORE(run(f.conn, "BEGIN"));
        seen.block = run(f.conn, "INSERT INTO " OLD " (k, v) VALUES (100001, 0)") >= 0 &&
                     run(f.conn, "INSERT INTO t (k, v) VALUES (100002, 0)") >= 0;
        seen.block = run(f.conn, "COMMIT") >= 0 && seen.block;
    }
    dendro_disconnect(f.conn);
    DN_IGNORE(dendro_close(f.db)); /* the check says what is left */
    volume_close(f.volume);
}

static int faults_row(void *arg, dendro_stmt *stmt)
{
    int64_t *to = arg;

    for (int i = 0; i < 3; i++)
        to[i] = dendro_column_int64(stmt, i);
    return 0;
}

/* Whole or not at all, there if it was acknowledged, and each row in the shard it was meant for. */
static void faults_check(const char *what, uint64_t n)
{
    static const char sql[] = "SELECT (SELECT count(*) FROM " OLD " WHERE k < 100000), (SELECT "
                              "count(*) FROM " OLD " WHERE k > 100000), count(*) FROM t";
    struct engine_options options = {.settings = NULL};
    int64_t rows[3] = {0, 0, 0};
    struct volume *volume;
    struct dendro_error e;
    dendro_conn *conn;
    struct dn_err err;
    dendro_db *db;

    assert_int_equal(sim_volume_open(seen.disk, 2, &volume, &err), 0);
    if (engine_open_volume(volume, &options, &db, &err) < 0)
        fail_msg("%s %" PRIu64 ": the database does not open: %s", what, n, err.text);
    assert_int_equal(dendro_connect(db, &conn, NULL), DENDRO_OK);
    if (dendro_exec(conn, sql, -1, faults_row, rows, &e) < 0 &&
        (seen.copied || strcmp(e.sqlstate, "42P01") != 0))
        fail_msg("%s %" PRIu64 ": %s", what, n, e.message);
    if ((rows[0] != 0 && rows[0] != LINES_MANY) || (seen.copied && rows[0] == 0) || rows[1] > 1 ||
        (seen.block && rows[1] == 0) || rows[2] != rows[0] + 2 * rows[1])
        fail_msg("%s %" PRIu64 ": %" PRId64 " %" PRId64 " %" PRId64 ", copied %d, block %d",
                 what,
                 n,
                 rows[0],
                 rows[1],
                 rows[2],
                 seen.copied,
                 seen.block);
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    volume_close(volume);
}

static struct sweep faults = {.run = faults_run, .check = faults_check, .grain = 4000};

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_gone),
        SWEEP_TESTS(&faults),
        cmocka_unit_test_prestate(sweep_allocations, &faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
