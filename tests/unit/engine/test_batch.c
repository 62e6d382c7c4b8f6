/* SPDX-License-Identifier: Apache-2.0
 *
 * dendro_step_batch, dendro_set_progress, dendro_set and dendro_get, through the shared library. */
#include "dendro.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char dir[64];
static dendro_db *db;
static dendro_conn *conn;
static struct dendro_error e;

static void exec_ok(const char *sql)
{
    if (dendro_exec(conn, sql, -1, NULL, NULL, &e) < 0)
        fail_msg("%s: %s", sql, e.message);
}

static dendro_stmt *prepare_ok(const char *sql)
{
    dendro_stmt *stmt = NULL;

    if (dendro_prepare(conn, sql, -1, &stmt, NULL, &e) < 0)
        fail_msg("%s: %s", sql, e.message);
    assert_non_null(stmt);
    return stmt;
}

static int setup(void **state)
{
    (void)state;
    snprintf(dir, sizeof(dir), "/tmp/dendro-batch-XXXXXX");
    assert_non_null(mkdtemp(dir));
    assert_int_equal(dendro_open(dir, NULL, &db, &e), DENDRO_OK);
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    return 0;
}

static int teardown(void **state)
{
    char command[128];

    (void)state;
    dendro_disconnect(conn);
    assert_int_equal(dendro_close(db), DENDRO_OK);
    snprintf(command, sizeof(command), "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
    return 0;
}

/* Rows 0 … count - 1 of (host, time, value): a time in ten is followed by a NULL value. */
static void fill(int count)
{
    dendro_appender *app;
    char host[16];

    exec_ok("CREATE TABLE m (host VARCHAR NOT NULL, time TIMESTAMP NOT NULL, v DOUBLE, n INTEGER, "
            "PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), host, time))");
    assert_int_equal(dendro_appender_open(conn, NULL, "m", NULL, &app, &e), DENDRO_OK);
    for (int i = 0; i < count; i++) {
        snprintf(host, sizeof(host), "h%d", i % 3);
        assert_int_equal(dendro_append_text(app, host, -1, &e), DENDRO_OK);
        assert_int_equal(dendro_append_timestamp(app, 1000 + i, DENDRO_UNIT_S, &e), DENDRO_OK);
        if (i % 10 == 0)
            assert_int_equal(dendro_append_null(app, &e), DENDRO_OK);
        else
            assert_int_equal(dendro_append_double(app, i * 0.5, &e), DENDRO_OK);
        assert_int_equal(dendro_append_int64(app, i, &e), DENDRO_OK);
        assert_int_equal(dendro_append_end_row(app, &e), DENDRO_OK);
    }
    assert_int_equal(dendro_appender_close(app, &e), DENDRO_OK);
}

/* The answer of a statement as text, cell by cell: by rows. */
static char *by_rows(const char *sql, size_t *ret_rows)
{
    dendro_stmt *stmt = prepare_ok(sql);
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    int rc;

    *ret_rows = 0;
    while ((rc = dendro_step(stmt, &e)) == DENDRO_ROW) {
        for (int c = 0; c < dendro_column_count(stmt); c++) {
            const char *t = dendro_column_text(stmt, c);

            fprintf(f, "%s|", t ? t : "NULL");
        }
        fputc('\n', f);
        ++*ret_rows;
    }
    assert_int_equal(rc, DENDRO_DONE);
    dendro_finalize(stmt);
    fclose(f);
    return text;
}

static void put_cell(FILE *f, const struct dendro_column *col, size_t row)
{
    const struct dendro_text *text;

    if (dendro_batch_null(col, row)) {
        fputs("NULL|", f);
        return;
    }
    switch (col->type) {
    case DENDRO_TYPE_BOOLEAN:
        fprintf(f, "%s|", ((const int8_t *)col->values)[row] ? "true" : "false");
        break;
    case DENDRO_TYPE_SMALLINT:
        fprintf(f, "%d|", ((const int16_t *)col->values)[row]);
        break;
    case DENDRO_TYPE_INTEGER:
        fprintf(f, "%d|", ((const int32_t *)col->values)[row]);
        break;
    case DENDRO_TYPE_BIGINT:
        fprintf(f, "%lld|", (long long)((const int64_t *)col->values)[row]);
        break;
    case DENDRO_TYPE_REAL:
        fprintf(f, "%g|", (double)((const float *)col->values)[row]);
        break;
    case DENDRO_TYPE_DOUBLE:
        fprintf(f, "%.17g|", ((const double *)col->values)[row]);
        break;
    case DENDRO_TYPE_VARCHAR:
    case DENDRO_TYPE_BPCHAR:
        text = (const struct dendro_text *)col->values + row;
        fprintf(f, "%.*s|", (int)text->len, text->ptr);
        break;
    case DENDRO_TYPE_NONE:
    case DENDRO_TYPE_BLOB:
    case DENDRO_TYPE_TIMESTAMP:
    case DENDRO_TYPE_TIMESTAMP_US:
    case DENDRO_TYPE_TIMESTAMP_NS:
    case DENDRO_TYPE_INTERVAL:
    case DENDRO_TYPE_DATE:
    case DENDRO_TYPE_TIME:
    case DENDRO_TYPE_TIMETZ:
    case DENDRO_TYPE_BIT:
    case DENDRO_TYPE_VARBIT:
    case DENDRO_TYPE_ENUM:
    case DENDRO_TYPE_TIMESTAMPTZ:
    case DENDRO_TYPE_TIMESTAMP_LOCAL:
    case DENDRO_TYPE_UUID:
    case DENDRO_TYPE_NUMERIC:
    case DENDRO_TYPE_OID:
    case DENDRO_TYPE_NAME:
    case DENDRO_TYPE_CHAR1:
    case DENDRO_TYPE_REGCLASS:
    case DENDRO_TYPE_REGTYPE:
    case DENDRO_TYPE_REGPROC:
    case DENDRO_TYPE_REGNAMESPACE:
    case DENDRO_TYPE_REGROLE:
    case DENDRO_TYPE_INT2VECTOR:
    case DENDRO_TYPE_OIDVECTOR:
    case DENDRO_TYPE_NODE_TREE:
    case DENDRO_TYPE_ACLITEM:
    case DENDRO_TYPE_EXPANDED:
    case DENDRO_TYPE_ARRAY:
        fail_msg("not a type of this test: %d", (int)col->type);
    }
}

/* The same by batches; the first `steps` rows by single steps. */
static char *by_batches(const char *sql, size_t steps, size_t *ret_rows)
{
    dendro_stmt *stmt = prepare_ok(sql);
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    struct dendro_batch b;
    int rc = DENDRO_ROW;

    *ret_rows = 0;
    for (; steps > 0; steps--) {
        assert_int_equal(dendro_step(stmt, &e), DENDRO_ROW);
        for (int c = 0; c < dendro_column_count(stmt); c++) {
            const char *t = dendro_column_text(stmt, c);

            fprintf(f, "%s|", t ? t : "NULL");
        }
        fputc('\n', f);
        ++*ret_rows;
    }
    while ((rc = dendro_step_batch(stmt, &b, &e)) == DENDRO_ROW) {
        assert_in_range(b.rows, 1, 1024);
        assert_int_equal(b.columns_count, dendro_column_count(stmt));
        for (size_t r = 0; r < b.rows; r++) {
            for (int c = 0; c < b.columns_count; c++) {
                assert_int_equal(b.columns[c].type, dendro_column_type(stmt, c));
                put_cell(f, &b.columns[c], r);
            }
            fputc('\n', f);
        }
        *ret_rows += b.rows;
        assert_int_equal(dendro_rows_affected(stmt), *ret_rows);
    }
    if (rc < 0)
        fail_msg("%s: %s", sql, e.message);
    assert_int_equal(rc, DENDRO_DONE);
    assert_int_equal(b.rows, 0);
    assert_null(b.columns);
    dendro_finalize(stmt);
    fclose(f);
    return text;
}

#define ANY SIZE_MAX /* rows */

static void same(const char *sql, size_t rows)
{
    static const size_t steps[] = {0, 1, 63, 64, 65, 700};
    size_t n;
    char *want = by_rows(sql, &n);

    if (rows != ANY && n != rows)
        fail_msg("%s: %zu rows, not %zu", sql, n, rows);
    rows = n;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        char *got;

        if (steps[i] > rows)
            continue;
        got = by_batches(sql, steps[i], &n);
        assert_int_equal(n, rows);
        assert_string_equal(got, want);
        free(got);
    }
    free(want);
}

/* Every form of vector, with and without a selection: fresh, and from segments. */
static void test_same_as_rows(void **state)
{
    (void)state;
    fill(5000);
    for (int stored = 0; stored < 2; stored++) {
        same("SELECT host, v, n FROM m", 5000);
        same("SELECT host, v, n FROM m WHERE n % 7 = 1", 715);
        same("SELECT v, host FROM m WHERE v > 2000.5", 899);
        same("SELECT n, v FROM m WHERE host = 'h1' ORDER BY n DESC", 1667);
        same("SELECT 1 AS one, host, NULL::BIGINT AS z, true AS t FROM m WHERE n < 10", 10);
        same("SELECT host, count(*) AS c, avg(v) AS a FROM m GROUP BY host ORDER BY host", 3);
        same("SELECT n::SMALLINT AS s, n::REAL AS r FROM m WHERE n BETWEEN 100 AND 1000", 901);
        same("SELECT host FROM m WHERE false", 0);
        same("SELECT host, n FROM m ORDER BY n LIMIT 10 OFFSET 3", 10);
        exec_ok("CHECKPOINT");
    }
}

static void test_lists(void **state)
{
    char sql[64];

    (void)state;
    same("SHOW TABLES", 0);
    for (int i = 0; i < 70; i++) {
        snprintf(sql, sizeof(sql), "CREATE TABLE t%d (k INT PRIMARY KEY)", i);
        exec_ok(sql);
    }
    same("SHOW TABLES", 70);
    same("DESCRIBE t1", 1);
    same("SHOW ALL", ANY);
    same("EXPLAIN SELECT * FROM t1", ANY);
}

static void test_all_types(void **state)
{
    struct dendro_batch b;
    dendro_stmt *stmt;
    const struct dendro_text *text;
    const struct dendro_interval *iv;

    (void)state;
    stmt = prepare_ok("SELECT 0xff00 AS x, '' AS v, TIMESTAMP '1970-01-01 00:00:01' AS us, NULL AS "
                      "z, INTERVAL '1 month 2 days 3 seconds' AS iv");
    assert_int_equal(dendro_step_batch(stmt, &b, &e), DENDRO_ROW);
    assert_int_equal(b.rows, 1);
    text = b.columns[0].values;
    assert_int_equal(b.columns[0].type, DENDRO_TYPE_BLOB);
    assert_int_equal(text->len, 2);
    assert_memory_equal(text->ptr, "\xff\0", 2);
    text = b.columns[1].values;
    assert_int_equal(text->len, 0);
    assert_non_null(text->ptr);
    assert_false(dendro_batch_null(&b.columns[1], 0));
    assert_int_equal(*(const int64_t *)b.columns[2].values,
                     b.columns[2].type == DENDRO_TYPE_TIMESTAMP ? 1000 : 1000000);
    assert_true(dendro_batch_null(&b.columns[3], 0));
    iv = b.columns[4].values;
    assert_int_equal(b.columns[4].type, DENDRO_TYPE_INTERVAL);
    assert_true(iv->months == 1 && iv->days == 2 && iv->us == 3000000);
    /* the batch's last row is the current one */
    assert_int_equal(dendro_column_bytes(stmt, 0), 6);
    assert_int_equal(dendro_step_batch(stmt, &b, &e), DENDRO_DONE);
    assert_string_equal(dendro_command_tag(stmt), "SELECT 1");
    /* and over again */
    assert_int_equal(dendro_step_batch(stmt, &b, &e), DENDRO_ROW);
    dendro_finalize(stmt);
}

static void test_arrays(void **state)
{
    struct dendro_batch b;
    dendro_stmt *stmt;
    const struct dendro_text *text;
    size_t len = 7;

    (void)state;
    exec_ok("CREATE TABLE arrays (k INT PRIMARY KEY, a INT[], t TEXT[])");
    exec_ok("INSERT INTO arrays VALUES (1, '{1,NULL}', ARRAY['a b']), (2, NULL, '{}')");
    stmt = prepare_ok("SELECT a, t FROM arrays ORDER BY k");
    assert_int_equal(dendro_column_type(stmt, 0), DENDRO_TYPE_INTEGER | DENDRO_TYPE_ARRAY);
    assert_string_equal(dendro_type_name(dendro_column_type(stmt, 0)), "INTEGER[]");
    assert_int_equal(dendro_step_batch(stmt, &b, &e), DENDRO_ROW);
    assert_int_equal(b.rows, 2);
    text = b.columns[0].values;
    assert_int_equal(text[0].len, 8);
    assert_memory_equal(text[0].ptr, "{1,NULL}", 8);
    assert_true(dendro_batch_null(&b.columns[0], 1));
    text = b.columns[1].values;
    assert_memory_equal(text[0].ptr, "{\"a b\"}", 7);
    assert_int_equal(text[1].len, 2);
    dendro_finalize(stmt);
    stmt = prepare_ok("SELECT a, t FROM arrays ORDER BY k");
    assert_int_equal(dendro_step(stmt, &e), DENDRO_ROW);
    assert_string_equal(dendro_column_text(stmt, 0), "{1,NULL}");
    assert_null(dendro_column_blob(stmt, 0, &len));
    assert_int_equal(len, 0);
    assert_int_equal(dendro_column_int64(stmt, 0), 0);
    dendro_finalize(stmt);
}

static void test_later_types(void **state)
{
    struct dendro_batch b;
    dendro_stmt *stmt;
    const struct dendro_text *text;

    (void)state;
    fill(3);
    stmt = prepare_ok(
        "SELECT n::NUMERIC / 4 AS q, DATE '1970-01-03' AS d, TIME '00:00:01' AS t FROM m "
        "WHERE n > 0 ORDER BY n");
    assert_int_equal(dendro_step_batch(stmt, &b, &e), DENDRO_ROW);
    assert_int_equal(b.rows, 2);
    text = b.columns[0].values;
    assert_int_equal(b.columns[0].type, DENDRO_TYPE_NUMERIC);
    assert_memory_equal(text[0].ptr, "0.25", 4);
    assert_memory_equal(text[1].ptr, "0.5", 3);
    assert_int_equal(((const int32_t *)b.columns[1].values)[1], 2);
    assert_int_equal(((const int64_t *)b.columns[2].values)[1], 1000000);
    dendro_finalize(stmt);
}

static void test_no_result(void **state)
{
    struct dendro_batch b = {.rows = 7};
    dendro_stmt *stmt;

    (void)state;
    stmt = prepare_ok("CREATE TABLE t (k INT PRIMARY KEY)");
    assert_int_equal(dendro_step_batch(stmt, &b, &e), DENDRO_DONE);
    assert_int_equal(b.rows, 0);
    dendro_finalize(stmt);
    assert_int_equal(dendro_step_batch(NULL, &b, &e), DENDRO_E_MISUSE);
    stmt = prepare_ok("SELECT 1 / 0");
    assert_int_equal(dendro_step_batch(stmt, NULL, &e), DENDRO_E_MISUSE);
    b.rows = 7;
    assert_true(dendro_step_batch(stmt, &b, &e) < 0);
    assert_string_equal(e.sqlstate, "22012");
    assert_int_equal(b.rows, 0);
    dendro_finalize(stmt);
}

/* ---- progress ---- */

struct told {
    int calls;
    int stop_at; /* 0 = never */
    uint64_t rows;
    double percent;
    bool wrong; /* it went backwards, or out of 0 to 100 */
};

static int on_progress(void *arg, const struct dendro_progress *p)
{
    struct told *t = arg;

    t->wrong = t->wrong || p->percent > 100 || (p->percent < 0 && p->rows_expected > 0) ||
               p->rows < t->rows;
    t->rows = p->rows;
    t->percent = p->percent;
    return ++t->calls == t->stop_at;
}

static void test_progress(void **state)
{
    static const char *const queries[] = {"SELECT * FROM m",
                                          "SELECT * FROM m WHERE n % 2 = 0",
                                          "SELECT host, sum(v) FROM m GROUP BY host",
                                          "SELECT n % 100, sum(v) FROM m GROUP BY 1",
                                          "SELECT * FROM m ORDER BY v",
                                          "UPDATE m SET v = v + 1"};

    (void)state;
    fill(20000);
    for (int stored = 0; stored < 2; stored++) {
        for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
            struct told t = {.calls = 0};

            dendro_set_progress(conn, on_progress, &t, 0);
            exec_ok(queries[i]);
            if (t.calls < 2 || t.wrong || t.rows > 20000)
                fail_msg("%s: %d calls, %llu rows, %g%%%s",
                         queries[i],
                         t.calls,
                         (unsigned long long)t.rows,
                         t.percent,
                         t.wrong ? ", wrong" : "");
            t = (struct told){.stop_at = 2};
            assert_int_equal(dendro_exec(conn, queries[i], -1, NULL, NULL, &e), DENDRO_E_CANCELED);
            assert_int_equal(t.calls, 2);
            assert_string_equal(e.sqlstate, "57014");
        }
        exec_ok("CHECKPOINT");
    }
}

struct told_work {
    double percent;
    double fell;        /* the most that it went back */
    double after_reads; /* when the last row was read */
    uint64_t rows;
    int sorted; /* calls behind the last row */
    bool left;  /* the time that is left was told, and was negative or more than a day */
};

static int on_work(void *arg, const struct dendro_progress *p)
{
    struct told_work *t = arg;

    if (t->percent - p->percent > t->fell)
        t->fell = t->percent - p->percent;
    t->sorted = p->rows == t->rows ? t->sorted + 1 : 0;
    if (p->rows != t->rows)
        t->after_reads = p->percent;
    t->percent = p->percent;
    t->rows = p->rows;
    t->left = t->left || p->seconds_left > 86400;
    return 0;
}

/* What is done only grows, though a join reads a second table and a sort goes on when all is read.
 */
static void test_progress_of_work(void **state)
{
    static const struct {
        const char *sql;
        uint64_t rows;
        double reads; /* at most so much is done when all rows are read; 100 = no matter */
    } cases[] = {
        {"SELECT * FROM m", 400000, 100},
        {"SELECT count(*) FROM m x JOIN m y ON x.v = y.v AND x.n = y.n", 800000, 100},
        {"SELECT * FROM m ORDER BY v * 7 % 1000, n", 400000, 45},
        {"SELECT sum(s) FROM (SELECT row_number() OVER (ORDER BY v * 7 % 1000, n) s FROM m) q",
         400000,
         80},
        {"SELECT n % 1000, sum(v) FROM m GROUP BY 1", 400000, 100},
        {"SELECT host, n FROM m UNION ALL SELECT host, n FROM m", 800000, 100},
        {"SELECT count(*) FROM few x, few y WHERE x.v + y.v > 3", 6000, 80},
    };

    (void)state;
    fill(400000);
    exec_ok("CREATE TABLE few AS SELECT n, v FROM m LIMIT 3000");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct told_work t = {.percent = 0};

        dendro_set_progress(conn, on_work, &t, 0);
        exec_ok(cases[i].sql);
        if (t.rows != cases[i].rows || t.fell > 2 || t.percent < 60 || t.percent > 100 ||
            t.after_reads > cases[i].reads || t.left)
            fail_msg("%s: %llu rows, fell by %g%%, %g%% when all were read, %g%% at last",
                     cases[i].sql,
                     (unsigned long long)t.rows,
                     t.fell,
                     t.after_reads,
                     t.percent);
        if (cases[i].reads < 50 && t.sorted < 10)
            fail_msg("%s: told %d times while it sorted", cases[i].sql, t.sorted);
    }
    dendro_set_progress(conn, NULL, NULL, 0);
}

static void test_progress_often_enough(void **state)
{
    struct told t = {.calls = 0};

    (void)state;
    fill(5000);
    dendro_set_progress(conn, on_progress, &t, 60000);
    exec_ok("SELECT * FROM m");
    assert_int_equal(t.calls, 0); /* it did not take a minute */
    dendro_set_progress(conn, NULL, NULL, 0);
    exec_ok("SELECT * FROM m");
    dendro_set_progress(NULL, on_progress, &t, 0);
    assert_int_equal(t.calls, 0);
}

static void test_progress_of_copy(void **state)
{
    struct told t = {.calls = 0};
    char sql[128];

    (void)state;
    fill(20000);
    dendro_set_progress(conn, on_progress, &t, 0);
    snprintf(sql, sizeof(sql), "COPY m TO '%s/m.csv'", dir);
    exec_ok(sql);
    assert_in_range(t.calls, 2, 1000000);
    assert_false(t.wrong);
    t = (struct told){.calls = 0};
    snprintf(sql, sizeof(sql), "COPY m FROM '%s/m.csv'", dir);
    exec_ok(sql);
    assert_in_range(t.calls, 1, 1000000);
    assert_int_equal(t.rows, 20000);
    assert_true(t.percent > 99.9);
    t = (struct told){.stop_at = 1};
    exec_ok("TRUNCATE TABLE m");
    assert_int_equal(dendro_exec(conn, sql, -1, NULL, NULL, &e), DENDRO_E_CANCELED);
    same("SELECT n FROM m", 0);
}

/* ---- settings ---- */

/* Clients are told of all reported settings first, and then of changes; ROLLBACK is one. */
static void told_settings(void)
{
    const char *name, *value;
    size_t told = 0;
    bool zone = false;

    while (dendro_setting_changed(conn, &name, &value)) {
        told++;
        zone = zone || (strcmp(name, "TimeZone") == 0 && strcmp(value, "UTC") == 0);
    }
    assert_true(told > 10 && zone);
    assert_int_equal(dendro_exec(conn, "SET work_mem = '1MB'; SELECT 1", -1, NULL, NULL, NULL), 0);
    assert_false(dendro_setting_changed(conn, &name, &value));
    assert_int_equal(dendro_exec(conn, "BEGIN; SET TimeZone = 'Asia/Tokyo'", -1, NULL, NULL, NULL),
                     0);
    assert_true(dendro_setting_changed(conn, &name, &value));
    assert_string_equal(name, "TimeZone");
    assert_string_equal(value, "Asia/Tokyo");
    assert_false(dendro_setting_changed(conn, &name, &value));
    assert_int_equal(dendro_exec(conn, "ROLLBACK", -1, NULL, NULL, NULL), 0);
    assert_true(dendro_setting_changed(conn, &name, &value));
    assert_string_equal(value, "UTC");
    assert_int_equal(dendro_set(conn, "application_name", "tests", NULL), 0);
    dendro_keep_settings(conn);
    assert_int_equal(
        dendro_exec(conn, "SET application_name = 'x'; RESET ALL", -1, NULL, NULL, NULL), 0);
    assert_true(dendro_setting_changed(conn, &name, &value));
    assert_string_equal(value, "tests");
    assert_false(dendro_setting_changed(conn, &name, &value));
}

static void test_settings(void **state)
{
    static const char *const opened[] = {"memory_limit", "300MB", "max_subqueries", "5", NULL};
    static const char *const wrong[] = {"memory_limt", "300MB", NULL};
    static const char *const value[] = {"memory_limit", "lots", NULL};
    struct dendro_options options = {.settings = opened};
    char *text = NULL;

    (void)state;
    assert_int_equal(dendro_set(conn, "max_subqueries", "7", &e), DENDRO_OK);
    assert_int_equal(dendro_get(conn, "MAX_subqueries", &text, &e), DENDRO_OK);
    assert_string_equal(text, "7");
    dendro_free(text);
    assert_int_equal(dendro_set(conn, "max_subqueries", NULL, &e), DENDRO_OK);
    assert_int_equal(dendro_get(conn, "max_subqueries", &text, &e), DENDRO_OK);
    assert_string_equal(text, "0");
    dendro_free(text);
    assert_true(dendro_set(conn, "max_subqueries", "many", &e) < 0);
    assert_true(dendro_set(conn, "memory_limit", "1GB", &e) < 0); /* of the database */
    assert_true(dendro_set(conn, "nosuch", "1", &e) < 0);
    assert_string_equal(e.sqlstate, "42704");
    assert_true(dendro_get(conn, "nosuch", &text, &e) < 0);
    told_settings();
    assert_int_equal(dendro_get(conn, NULL, &text, &e), DENDRO_E_MISUSE);
    assert_int_equal(dendro_set(NULL, "workers", "1", &e), DENDRO_E_MISUSE);

    teardown(NULL);
    snprintf(dir, sizeof(dir), "/tmp/dendro-batch-XXXXXX");
    assert_non_null(mkdtemp(dir));
    options.settings = wrong;
    assert_true(dendro_open(dir, &options, &db, &e) < 0);
    assert_non_null(strstr(e.message, "memory_limt"));
    assert_non_null(strstr(e.hint, "memory_limit"));
    options.settings = value;
    assert_true(dendro_open(dir, &options, &db, &e) < 0);
    assert_non_null(strstr(e.message, "lots"));
    options.settings = opened;
    assert_int_equal(dendro_open(dir, &options, &db, &e), DENDRO_OK);
    assert_int_equal(dendro_connect(db, &conn, &e), DENDRO_OK);
    assert_int_equal(dendro_get(conn, "memory_limit", &text, &e), DENDRO_OK);
    assert_string_equal(text, "300MB");
    dendro_free(text);
    assert_int_equal(dendro_get(conn, "max_subqueries", &text, &e), DENDRO_OK);
    assert_string_equal(text, "5");
    dendro_free(text);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_same_as_rows),
        T(test_lists),
        T(test_all_types),
        T(test_arrays),
        T(test_later_types),
        T(test_no_result),
        T(test_progress),
        T(test_progress_of_work),
        T(test_progress_often_enough),
        T(test_progress_of_copy),
        T(test_settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
