/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepared statements that are kept: taken again for the same text only, compiled anew after DDL,
 * SET and USE, bounded, and gone with the session. */
#include "db_fix.h"

#include "engine/engine_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct db_fix fix;

static dendro_stmt *prepare(const char *sql)
{
    struct dendro_error e;
    dendro_stmt *stmt = NULL;

    if (dendro_prepare(fix.conn, sql, -1, &stmt, NULL, &e) < 0)
        fail_msg("%s: %s", sql, e.message);
    return stmt;
}

static int64_t one(dendro_stmt *stmt)
{
    struct dendro_error e;
    int64_t v;

    if (dendro_step(stmt, &e) != DENDRO_ROW)
        fail_msg("no row: %s", e.message);
    v = dendro_column_int64(stmt, 0);
    assert_int_equal(dendro_step(stmt, &e), DENDRO_DONE);
    return v;
}

/* The value of a query that is prepared, run and finalized. */
static int64_t query(const char *sql)
{
    dendro_stmt *stmt = prepare(sql);
    int64_t v = one(stmt);

    dendro_finalize(stmt);
    return v;
}

static void exec(const char *sql)
{
    struct dendro_error e;

    if (dendro_exec(fix.conn, sql, -1, NULL, NULL, &e) < 0)
        fail_msg("%s: %s", sql, e.message);
}

static void fails(const char *sql, int code)
{
    struct dendro_error e;
    dendro_stmt *stmt = NULL;

    assert_int_equal(dendro_prepare(fix.conn, sql, -1, &stmt, NULL, &e), code);
    assert_null(stmt);
}

static int setup(void **state)
{
    (void)state;
    db_open(&fix);
    exec("CREATE TABLE t (k INT PRIMARY KEY, v INT)");
    exec("INSERT INTO t VALUES (1, 10), (2, 20)");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    db_close(&fix);
    return 0;
}

static void test_hit(void **state)
{
    uint64_t hits = fix.conn->cache_hits;

    (void)state;
    assert_int_equal(query("SELECT sum(v) FROM t"), 30);
    assert_int_equal(fix.conn->cache_hits, hits);
    assert_int_equal(query("SELECT sum(v) FROM t"), 30);
    assert_int_equal(fix.conn->cache_hits, hits + 1);
    exec("INSERT INTO t VALUES (3, 3)"); /* new rows need no new plan */
    assert_int_equal(query("SELECT sum(v) FROM t"), 33);
    assert_int_equal(fix.conn->cache_hits, hits + 2);
    assert_int_equal(query("SELECT sum(v)  FROM t"), 33); /* another text */
    assert_int_equal(fix.conn->cache_hits, hits + 2);
}

/* Two of the same text at a time are two statements; parameters do not stay. */
static void test_apart(void **state)
{
    const char *sql = "SELECT v FROM t WHERE k = ?";
    struct dendro_error e;
    dendro_stmt *a = prepare(sql);
    dendro_stmt *b = prepare(sql);

    (void)state;
    assert_ptr_not_equal(a, b);
    assert_int_equal(dendro_bind_int64(a, 1, 1, &e), DENDRO_OK);
    assert_int_equal(dendro_bind_int64(b, 1, 2, &e), DENDRO_OK);
    assert_int_equal(dendro_step(a, &e), DENDRO_ROW);
    assert_int_equal(one(b), 20);
    assert_int_equal(dendro_column_int64(a, 0), 10);
    dendro_finalize(a); /* while it runs */
    dendro_finalize(b);
    a = prepare(sql);
    assert_true(dendro_step(a, &e) < 0); /* nothing is bound */
    assert_string_equal(e.sqlstate, "08P01");
    assert_int_equal(dendro_bind_text(a, 1, "2", -1, &e), DENDRO_OK);
    assert_int_equal(one(a), 20);
    dendro_finalize(a);
}

static void test_ddl(void **state)
{
    (void)state;
    assert_int_equal(query("SELECT count(*) FROM t"), 2);
    exec("DROP TABLE t");
    fails("SELECT count(*) FROM t", DN_E_UNDEFINED_TABLE);
    exec("CREATE TABLE t (v VARCHAR PRIMARY KEY)");
    assert_int_equal(query("SELECT count(*) FROM t"), 0);
    exec("INSERT INTO t VALUES ('x')");
    assert_int_equal(query("SELECT count(*) FROM t"), 1);
    fails("SELECT sum(v) FROM t", DN_E_UNDEFINED_FUNCTION);
}

static void test_session(void **state)
{
    (void)state;
    exec("CREATE SCHEMA s");
    exec("CREATE TABLE s.t (k INT PRIMARY KEY)");
    assert_int_equal(query("SELECT count(*) FROM t"), 2);
    exec("USE s");
    assert_int_equal(query("SELECT count(*) FROM t"), 0);
    exec("USE public");
    assert_int_equal(query("SELECT count(*) FROM t"), 2);
    exec("SET strict_keys = on");
    fails("SELECT count(*) FROM t", DN_E_UNCOVERED_KEY);
    exec("SET strict_keys = off");
    assert_int_equal(query("SELECT count(*) FROM t"), 2);
}

static void test_write(void **state)
{
    const char *sql = "INSERT INTO t VALUES ($1, $2)";
    uint64_t hits = fix.conn->cache_hits;
    struct dendro_error e;

    (void)state;
    for (int i = 0; i < 3; i++) {
        dendro_stmt *stmt = prepare(sql);

        assert_int_equal(dendro_bind_int64(stmt, 1, 100 + i, &e), DENDRO_OK);
        assert_int_equal(dendro_bind_int64(stmt, 2, i, &e), DENDRO_OK);
        assert_int_equal(dendro_step(stmt, &e), DENDRO_DONE);
        assert_int_equal(dendro_rows_affected(stmt), 1);
        dendro_finalize(stmt);
    }
    assert_int_equal(fix.conn->cache_hits, hits + 2);
    assert_int_equal(query("SELECT count(*) FROM t"), 5);
}

/* The tail of a text and positions are as they would be. */
static void test_text(void **state)
{
    const char *sql = "SELECT 7 ; SELECT 8";
    struct dendro_error e;

    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *tail = NULL;
        dendro_stmt *stmt = NULL;

        assert_int_equal(dendro_prepare(fix.conn, sql, -1, &stmt, &tail, &e), DENDRO_OK);
        assert_string_equal(tail, " SELECT 8");
        assert_int_equal(one(stmt), 7);
        dendro_finalize(stmt);
    }
    for (int i = 0; i < 2; i++) {
        dendro_stmt *stmt = prepare("SELECT 1 / (k - 1) FROM t");

        assert_true(dendro_step(stmt, &e) < 0);
        assert_int_equal(e.position, 10);
        dendro_finalize(stmt);
    }
}

static void test_bounded(void **state)
{
    char sql[64];

    (void)state;
    for (int i = 0; i < 500; i++) {
        snprintf(sql, sizeof(sql), "SELECT %d", i);
        assert_int_equal(query(sql), i);
    }
    assert_true(fix.conn->cached_count > 10 && fix.conn->cached_count < 100);
    assert_int_equal(query("SELECT 499"), 499);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ddl, setup, teardown),
        cmocka_unit_test_setup_teardown(test_session, setup, teardown),
        cmocka_unit_test_setup_teardown(test_write, setup, teardown),
        cmocka_unit_test_setup_teardown(test_text, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bounded, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
