/* SPDX-License-Identifier: Apache-2.0
 *
 * Transaction blocks as the API shows them: status, results that are still being fetched,
 * appenders, cancel, the end of a session, memory, statements prepared before and after. What SQL
 * alone can say is in tests/sql/transactions.test. */
#include "db_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dendro_conn *second(struct db_fix *f)
{
    dendro_conn *conn;

    assert_int_equal(dendro_connect(f->db, &conn, NULL), DENDRO_OK);
    return conn;
}

static void table_of_three(struct db_fix *f)
{
    db_open(f);
    db_ok(f, "CREATE TABLE t (k INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1,1),(2,2),(3,3)");
}

static void test_status(void **state)
{
    struct db_fix f;

    (void)state;
    table_of_three(&f);
    assert_int_equal(dendro_transaction_status(NULL), DENDRO_TX_IDLE);
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_IDLE);
    db_ok(&f, "BEGIN");
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_BLOCK);
    db_ok(&f, "DELETE FROM t; SAVEPOINT s");
    assert_non_null(strstr(db_run(&f, "SELECT v / 0 FROM (VALUES (1)) x (v)"), "ERROR 22012"));
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_FAILED);
    db_ok(&f, "ROLLBACK TO s");
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_BLOCK);
    assert_non_null(strstr(db_run(&f, "SELEC"), "ERROR 42601"));
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_FAILED);
    assert_string_equal(db_run(&f, "COMMIT"), "(ROLLBACK)\n");
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_IDLE);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "3\n(SELECT 1)\n");
    db_close(&f);
}

/* An error at COMMIT ends the block. */
static void test_conflict_ends(void **state)
{
    struct db_fix f;
    dendro_conn *other;

    (void)state;
    table_of_three(&f);
    other = second(&f);
    db_ok(&f, "BEGIN; UPDATE t SET v = v + 1 WHERE k = 1");
    assert_non_null(
        strstr(db_run_on(&f, other, "BEGIN; UPDATE t SET v = 9 WHERE k = 1; COMMIT"), "(COMMIT)"));
    assert_non_null(strstr(db_run(&f, "COMMIT"), "ERROR 40001"));
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_IDLE);
    assert_string_equal(db_ok(&f, "SELECT v FROM t WHERE k = 1"), "9\n(SELECT 1)\n");
    dendro_disconnect(other);
    db_close(&f);
}

static dendro_stmt *begin_select(struct db_fix *f, const char *sql, int64_t first)
{
    dendro_stmt *stmt;

    assert_int_equal(dendro_prepare(f->conn, sql, -1, &stmt, NULL, NULL), DENDRO_OK);
    assert_int_equal(dendro_step(stmt, NULL), DENDRO_ROW);
    assert_int_equal(dendro_column_int64(stmt, 0), first);
    return stmt;
}

/* A result that is being fetched keeps its snapshot, past the statements and the end of the block.
 */
static void test_open_results(void **state)
{
    struct db_fix f;
    dendro_stmt *before, *inside;

    (void)state;
    table_of_three(&f);
    before = begin_select(&f, "SELECT k FROM t ORDER BY k", 1);
    db_ok(&f, "BEGIN; INSERT INTO t VALUES (0, 0)");
    inside = begin_select(&f, "SELECT k FROM t ORDER BY k", 0);
    db_ok(&f, "DELETE FROM t; COMMIT");
    for (int64_t k = 2; k <= 3; k++) {
        assert_int_equal(dendro_step(before, NULL), DENDRO_ROW);
        assert_int_equal(dendro_column_int64(before, 0), k);
    }
    assert_int_equal(dendro_step(before, NULL), DENDRO_DONE);
    for (int64_t k = 1; k <= 3; k++) {
        assert_int_equal(dendro_step(inside, NULL), DENDRO_ROW);
        assert_int_equal(dendro_column_int64(inside, 0), k);
    }
    assert_int_equal(dendro_step(inside, NULL), DENDRO_DONE);
    /* And once more: what is there now. */
    assert_int_equal(dendro_step(inside, NULL), DENDRO_DONE);
    dendro_finalize(before);
    dendro_finalize(inside);
    db_close(&f);
}

/* … but not a ROLLBACK TO behind which it began, nor the failure of the block. */
static void test_lost_results(void **state)
{
    struct dendro_error e;
    struct db_fix f;
    dendro_stmt *outer, *inner;

    (void)state;
    table_of_three(&f);
    db_ok(&f, "BEGIN; INSERT INTO t VALUES (0, 0)");
    outer = begin_select(&f, "SELECT k FROM t ORDER BY k", 0);
    db_ok(&f, "SAVEPOINT s; INSERT INTO t VALUES (-1, 0)");
    inner = begin_select(&f, "SELECT k FROM t ORDER BY k", -1);
    db_ok(&f, "ROLLBACK TO s; INSERT INTO t VALUES (-2, 0), (-3, 0)");
    assert_int_equal(dendro_step(outer, NULL), DENDRO_ROW);
    assert_int_equal(dendro_column_int64(outer, 0), 1);
    assert_true(dendro_step(inner, &e) < 0);
    assert_string_equal(e.sqlstate, "24000");
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_FAILED);
    assert_true(dendro_step(outer, &e) < 0);
    assert_string_equal(e.sqlstate, "25P02");
    db_ok(&f, "ROLLBACK TO s");
    assert_int_equal(dendro_step(inner, NULL), DENDRO_ROW); /* anew */
    assert_int_equal(dendro_column_int64(inner, 0), 0);
    dendro_finalize(outer);
    dendro_finalize(inner);
    db_ok(&f, "COMMIT");
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "4\n(SELECT 1)\n");
    db_close(&f);
}

static void test_appender(void **state)
{
    struct dendro_error e;
    struct db_fix f;
    dendro_appender *app;
    dendro_conn *other;

    (void)state;
    table_of_three(&f);
    other = second(&f);
    db_ok(&f, "BEGIN");
    assert_int_equal(dendro_appender_open(f.conn, NULL, "t", NULL, &app, &e), DENDRO_OK);
    for (int i = 10; i < 20; i++) {
        assert_int_equal(dendro_append_int64(app, i, &e), DENDRO_OK);
        assert_int_equal(dendro_append_int64(app, i, &e), DENDRO_OK);
        assert_int_equal(dendro_append_end_row(app, &e), DENDRO_OK);
    }
    assert_int_equal(dendro_appender_flush(app, &e), DENDRO_OK);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "13\n(SELECT 1)\n");
    assert_string_equal(db_run_on(&f, other, "SELECT count(*) FROM t"), "3\n(SELECT 1)\n");
    assert_int_equal(dendro_appender_close(app, &e), DENDRO_OK);
    db_ok(&f, "COMMIT");
    assert_string_equal(db_run_on(&f, other, "SELECT count(*) FROM t"), "13\n(SELECT 1)\n");
    dendro_disconnect(other);
    db_close(&f);
}

/* The end of a session is the end of its block. */
static void test_disconnect(void **state)
{
    struct db_fix f;
    dendro_conn *other;

    (void)state;
    table_of_three(&f);
    other = second(&f);
    db_run_on(&f, other, "BEGIN; DELETE FROM t; SAVEPOINT a; INSERT INTO t VALUES (7, 7)");
    dendro_disconnect(other);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "3\n(SELECT 1)\n");
    db_close(&f);
}

static int stop_at_once(void *arg, dendro_stmt *stmt)
{
    (void)arg;
    (void)stmt;
    return 1;
}

static int cancel_it(void *arg, const struct dendro_progress *so_far)
{
    (void)so_far;
    dendro_cancel(arg);
    return 0;
}

/* A statement that was stopped fails the block. */
static void test_cancel(void **state)
{
    struct dendro_error e;
    struct db_fix f;

    (void)state;
    table_of_three(&f);
    db_ok(&f, "BEGIN; DELETE FROM t WHERE k = 1");
    assert_true(dendro_exec(f.conn, "SELECT k FROM t", -1, stop_at_once, NULL, &e) < 0);
    assert_string_equal(e.sqlstate, "57014");
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_FAILED);
    db_ok(&f,
          "ROLLBACK; INSERT INTO t SELECT k * 10 + i, 0 FROM t, generate_series(4, 20000) g (i)");
    dendro_set_progress(f.conn, cancel_it, f.conn, 0);
    db_ok(&f, "BEGIN");
    assert_true(
        dendro_exec(
            f.conn, "SELECT count(*) FROM t a, t b WHERE a.k + b.k = 1", -1, NULL, NULL, &e) < 0);
    assert_string_equal(e.sqlstate, "57014");
    assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_FAILED);
    dendro_set_progress(f.conn, NULL, NULL, 0);
    db_ok(&f, "ROLLBACK");
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t WHERE k < 4"), "3\n(SELECT 1)\n");
    db_close(&f);
}

/* Statements that were prepared outside, inside, and before the snapshot. */
static void test_prepared(void **state)
{
    struct db_fix f;
    dendro_stmt *insert, *count;
    dendro_conn *other;

    (void)state;
    table_of_three(&f);
    other = second(&f);
    assert_int_equal(
        dendro_prepare(f.conn, "INSERT INTO t VALUES ($1, 0)", -1, &insert, NULL, NULL), DENDRO_OK);
    assert_int_equal(dendro_prepare(f.conn, "SELECT count(*) FROM t", -1, &count, NULL, NULL),
                     DENDRO_OK);
    for (int i = 0; i < 3; i++) {
        db_ok(&f, "BEGIN");
        if (i == 1)
            assert_non_null(
                strstr(db_run_on(&f, other, "ALTER TABLE t ADD COLUMN more INT"), "ALTER"));
        assert_int_equal(dendro_bind_int64(insert, 1, 100 + i, NULL), DENDRO_OK);
        assert_int_equal(dendro_step(insert, NULL), DENDRO_DONE);
        assert_int_equal(dendro_step(count, NULL), DENDRO_ROW);
        assert_int_equal(dendro_column_int64(count, 0), 4);
        dendro_reset(count);
        db_ok(&f, "ROLLBACK");
    }
    dendro_finalize(insert);
    dendro_finalize(count);
    dendro_disconnect(other);
    db_close(&f);
}

/* INSERT, UPDATE, DELETE in WITH: parameters of the parts, again and again. */
static void test_parts(void **state)
{
    struct db_fix f;
    dendro_stmt *stmt;

    (void)state;
    table_of_three(&f);
    assert_int_equal(dendro_prepare(f.conn,
                                    "WITH a AS (UPDATE t SET v = v + $1 WHERE k <= $2 RETURNING k, "
                                    "v) SELECT sum(v), count(*) FROM a WHERE k > $3",
                                    -1,
                                    &stmt,
                                    NULL,
                                    NULL),
                     DENDRO_OK);
    assert_int_equal(dendro_param_count(stmt), 3);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(dendro_bind_int64(stmt, 1, 10, NULL), DENDRO_OK);
        assert_int_equal(dendro_bind_text(stmt, 2, "2", -1, NULL), DENDRO_OK);
        assert_int_equal(dendro_bind_int64(stmt, 3, 1, NULL), DENDRO_OK);
        assert_int_equal(dendro_step(stmt, NULL), DENDRO_ROW);
        assert_int_equal(dendro_column_int64(stmt, 0), 2 + 10 * i);
        assert_int_equal(dendro_column_int64(stmt, 1), 1);
        assert_int_equal(dendro_transaction_status(f.conn), DENDRO_TX_IDLE);
        assert_int_equal(dendro_step(stmt, NULL), DENDRO_DONE);
        assert_string_equal(dendro_command_tag(stmt), "SELECT 1");
    }
    dendro_finalize(stmt);
    assert_string_equal(db_ok(&f, "SELECT sum(v) FROM t"), "66\n(SELECT 1)\n");
    db_close(&f);
}

/* Too many rows: a clear error, and nothing of the block is left in memory. */
static void test_memory(void **state)
{
    struct db_fix f;
    size_t before;

    (void)state;
    table_of_three(&f);
    db_ok(&f, "CREATE TABLE big (k INT PRIMARY KEY, s VARCHAR); SET transaction_memory = '1MB'");
    before = mem_owner_used(engine_owner(f.db));
    db_ok(&f, "BEGIN; INSERT INTO t VALUES (4, 4)");
    assert_string_equal(
        db_run(&f,
               "INSERT INTO big SELECT i, repeat('x', 100) FROM generate_series(1, 30000) g (i)"),
        "ERROR 53200 0 the rows that the transaction has written take more than 1 MB of memory "
        "[Write them in several transactions, or let transaction_memory or memory_limit be more.]");
    db_ok(&f, "ROLLBACK");
    assert_true(mem_owner_used(engine_owner(f.db)) <= before + 65536);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t; SELECT count(*) FROM big"),
                        "3\n(SELECT 1)\n0\n(SELECT 1)\n");
    /* Savepoints give the room back that rows took. */
    db_ok(&f, "BEGIN; SAVEPOINT s");
    for (int i = 0; i < 50; i++)
        db_ok(&f,
              "INSERT INTO big SELECT i, 'x' FROM generate_series(1, 3000) g (i); ROLLBACK TO s");
    db_ok(&f, "COMMIT");
    db_close(&f);
}

/* Many small savepoints, released or not. */
static void test_many_savepoints(void **state)
{
    struct db_fix f;
    char sql[128];

    (void)state;
    table_of_three(&f);
    db_ok(&f, "BEGIN");
    for (int i = 0; i < 2000; i++) {
        snprintf(sql,
                 sizeof(sql),
                 "SAVEPOINT s; INSERT INTO t VALUES (%d, 0); %s",
                 10 + i,
                 i % 3 == 0   ? "RELEASE s"
                 : i % 3 == 1 ? "ROLLBACK TO s"
                              : "");
        db_ok(&f, sql);
    }
    db_ok(&f, "COMMIT");
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "1336\n(SELECT 1)\n");
    db_reopen(&f);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t"), "1336\n(SELECT 1)\n");
    db_close(&f);
}

/* What the other session does to row 3 or 4 meanwhile; all of it is in segments then. */
static void change_elsewhere(struct db_fix *f, dendro_conn *other, int k, int how, bool series)
{
    char sql[256];

    snprintf(sql,
             sizeof(sql),
             how == 1 ? "DELETE FROM x WHERE k = %d; CHECKPOINT"
                      : "UPDATE x SET v = 5 WHERE k = %d; CHECKPOINT",
             k);
    assert_null(strstr(db_run_on(f, other, sql), "ERROR"));
    if (how == 2)
        assert_null(strstr(db_run_on(f,
                                     other,
                                     series ? "INSERT INTO x VALUES ('b', 9, 9); CHECKPOINT"
                                            : "INSERT INTO x VALUES (9, 9); CHECKPOINT"),
                           "ERROR"));
}

/* A conflict is found in segments as in memory, and only where there is one. */
static void test_flushed_conflicts(void **state)
{
    static const char *const tables[] = {
        "CREATE TABLE x (k INT PRIMARY KEY, v INT)",
        "CREATE TABLE x (s VARCHAR, k INT, v INT, PRIMARY KEY ((s), k))",
        "CREATE TABLE x (k INT, v INT)",
        "CREATE TABLE x (k INT PRIMARY KEY, v INT) WITH (upsert = 'field')",
    };

    (void)state;
    for (int i = 0; i < 24; i++) {
        int t = i / 6, how = i % 3;
        bool same = i / 3 % 2;
        const char *result;
        struct db_fix f;
        dendro_conn *other;

        db_open(&f);
        other = second(&f);
        db_ok(&f, tables[t]);
        db_ok(&f,
              t == 1 ? "INSERT INTO x SELECT 'a', i, 0 FROM generate_series(1, 8) g (i); CHECKPOINT"
                     : "INSERT INTO x SELECT i, 0 FROM generate_series(1, 8) g (i); CHECKPOINT");
        db_ok(&f, "BEGIN; UPDATE x SET v = 1 WHERE k = 3");
        change_elsewhere(&f, other, same ? 3 : 4, how, t == 1);
        result = db_run(&f, "COMMIT");
        if (same ? !strstr(result, "ERROR 40001") : strcmp(result, "(COMMIT)\n") != 0)
            fail_msg("table %d, change %d: %s", t, how, result);
        dendro_disconnect(other);
        db_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_conflict_ends),
        cmocka_unit_test(test_open_results),
        cmocka_unit_test(test_lost_results),
        cmocka_unit_test(test_appender),
        cmocka_unit_test(test_disconnect),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_prepared),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_many_savepoints),
        cmocka_unit_test(test_flushed_conflicts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
