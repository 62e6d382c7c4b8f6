/* SPDX-License-Identifier: Apache-2.0
 *
 * include/dendro.h on a real directory: prepare, bind, step, columns, errors, scripts, misuse. */
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

static void remove_dir(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

struct fix {
    dendro_db *db;
    dendro_conn *conn;
    struct dendro_error e;
};

static void open_db(struct fix *f)
{
    if (dendro_open(dir, NULL, &f->db, &f->e) < 0)
        fail_msg("open: %s", f->e.message);
    assert_int_equal(dendro_connect(f->db, &f->conn, &f->e), DENDRO_OK);
}

static void exec_ok(struct fix *f, const char *sql)
{
    if (dendro_exec(f->conn, sql, -1, NULL, NULL, &f->e) < 0)
        fail_msg("%s: %s", sql, f->e.message);
}

static dendro_stmt *prepare_ok(struct fix *f, const char *sql)
{
    dendro_stmt *stmt = NULL;

    if (dendro_prepare(f->conn, sql, -1, &stmt, NULL, &f->e) < 0)
        fail_msg("%s: %s", sql, f->e.message);
    assert_non_null(stmt);
    return stmt;
}

#define TABLE                                                                                     \
    "CREATE TABLE t (k INTEGER PRIMARY KEY, b BIGINT, d DOUBLE, r REAL, f BOOLEAN, v VARCHAR, x " \
    "BLOB, ts TIMESTAMP, "                                                                        \
    "us TIMESTAMP(6), ns TIMESTAMP(9))"

static int setup(void **state)
{
    static struct fix f;

    memset(&f, 0, sizeof(f));
    snprintf(dir, sizeof(dir), "/tmp/dendro-api-XXXXXX");
    assert_non_null(mkdtemp(dir));
    open_db(&f);
    exec_ok(&f, TABLE);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    struct fix *f = *state;

    dendro_disconnect(f->conn);
    assert_int_equal(dendro_close(f->db), DENDRO_OK);
    remove_dir();
    return 0;
}

/* ---- bind and read back every type ---- */

static void bind_row(struct fix *f, dendro_stmt *stmt)
{
    static const unsigned char bytes[] = {0, 255, 0};

    assert_int_equal(dendro_param_count(stmt), 10);
    assert_int_equal(dendro_bind_int64(stmt, 1, 1, &f->e), DENDRO_OK);
    assert_int_equal(dendro_bind_int64(stmt, 2, INT64_MIN, &f->e), DENDRO_OK);
    assert_int_equal(dendro_bind_double(stmt, 3, -0.1, &f->e), DENDRO_OK);
    assert_int_equal(dendro_bind_double(stmt, 4, 1.5, &f->e), DENDRO_OK);
    assert_int_equal(dendro_bind_bool(stmt, 5, true, &f->e), DENDRO_OK);
    assert_int_equal(dendro_bind_text(stmt, 6, "a b!", 3, &f->e), DENDRO_OK);
    assert_int_equal(dendro_bind_blob(stmt, 7, bytes, sizeof(bytes), &f->e), DENDRO_OK);
    assert_int_equal(dendro_bind_timestamp(stmt, 8, -1, DENDRO_UNIT_S, &f->e), DENDRO_OK);
    assert_int_equal(dendro_bind_text(stmt, 9, "2015-06-01T10:00:00.123456Z", -1, &f->e),
                     DENDRO_OK);
    assert_int_equal(dendro_bind_timestamp(stmt, 10, 123456789, DENDRO_UNIT_NS, &f->e), DENDRO_OK);
}

static void test_types(void **state)
{
    struct fix *f = *state;
    dendro_stmt *stmt = prepare_ok(f, "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const unsigned char *blob;
    size_t len;

    assert_int_equal(dendro_column_count(stmt), 0);
    bind_row(f, stmt);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_DONE);
    assert_string_equal(dendro_command_tag(stmt), "INSERT 0 1");
    assert_int_equal(dendro_rows_affected(stmt), 1);
    for (int i = 1; i <= 10; i++) {
        if (i > 1)
            assert_int_equal(dendro_bind_null(stmt, i, &f->e), DENDRO_OK);
    }
    assert_int_equal(dendro_bind_int64(stmt, 1, 2, &f->e), DENDRO_OK);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_DONE); /* starts over by itself */
    dendro_finalize(stmt);

    stmt = prepare_ok(f, "SELECT * FROM t ORDER BY k");
    assert_int_equal(dendro_column_count(stmt), 10);
    assert_string_equal(dendro_column_name(stmt, 7), "ts");
    assert_null(dendro_column_name(stmt, 10));
    assert_int_equal(dendro_column_type(stmt, 9), DENDRO_TYPE_TIMESTAMP_NS);
    assert_string_equal(dendro_type_name(dendro_column_type(stmt, 9)), "TIMESTAMP(9)");
    assert_true(dendro_column_is_null(stmt, 0)); /* no row yet */
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_ROW);
    assert_int_equal(dendro_column_int64(stmt, 1), INT64_MIN);
    assert_true(dendro_column_double(stmt, 2) == -0.1);
    assert_int_equal(dendro_column_int64(stmt, 2), 0);
    assert_true(dendro_column_double(stmt, 3) == 1.5);
    assert_true(dendro_column_bool(stmt, 4));
    assert_int_equal(dendro_column_bytes(stmt, 5), 3);
    assert_memory_equal(dendro_column_text(stmt, 5), "a b", 4);
    blob = dendro_column_blob(stmt, 6, &len);
    assert_int_equal(len, 3);
    assert_int_equal(blob[1], 255);
    assert_string_equal(dendro_column_text(stmt, 6), "0x00ff00");
    assert_null(dendro_column_blob(stmt, 0, &len));
    assert_int_equal(dendro_column_int64(stmt, 7), -1000);
    assert_int_equal(dendro_column_timestamp(stmt, 7, DENDRO_UNIT_S), -1);
    assert_int_equal(dendro_column_timestamp(stmt, 7, DENDRO_UNIT_NS), -1000000000);
    assert_string_equal(dendro_column_text(stmt, 8), "2015-06-01T10:00:00.123456Z");
    assert_int_equal(dendro_column_timestamp(stmt, 9, DENDRO_UNIT_MS), 123);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_ROW);
    for (int i = 1; i < 10; i++) {
        assert_true(dendro_column_is_null(stmt, i));
        assert_null(dendro_column_text(stmt, i));
        assert_int_equal(dendro_column_int64(stmt, i), 0);
    }
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_DONE);
    assert_string_equal(dendro_command_tag(stmt), "SELECT 2");
    assert_true(dendro_column_is_null(stmt, 0));
    dendro_finalize(stmt);
}

/* ---- parameters in queries ---- */

static int64_t count_with(struct fix *f, dendro_stmt *stmt)
{
    int64_t n;

    if (dendro_step(stmt, &f->e) != DENDRO_ROW)
        fail_msg("%s", f->e.message);
    n = dendro_column_int64(stmt, 0);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_DONE);
    return n;
}

static void test_params(void **state)
{
    struct fix *f = *state;
    dendro_stmt *stmt;

    exec_ok(f,
            "INSERT INTO t (k, b, r, ts, v) VALUES (1, 1, 0.1, 1000, '5'), (2, 2, 0.5, 2000, 'x'), "
            "(3, 3, 2, 3000, NULL)");
    stmt = prepare_ok(f, "SELECT count(*) FROM t WHERE ts >= $1");
    assert_int_equal(dendro_step(stmt, &f->e), -41);
    assert_string_equal(f->e.sqlstate, "08P01");
    dendro_bind_int64(stmt, 1, 2000, NULL);
    assert_int_equal(count_with(f, stmt), 2);
    dendro_bind_text(stmt,
                     1,
                     "1970-01-01T00:00:02.0005Z",
                     -1,
                     NULL); /* finer than the column, and still exact */
    assert_int_equal(count_with(f, stmt), 1);
    dendro_bind_timestamp(stmt, 1, 2000000001, DENDRO_UNIT_NS, NULL);
    assert_int_equal(count_with(f, stmt), 1);
    dendro_bind_timestamp(stmt, 1, 2000000000, DENDRO_UNIT_NS, NULL);
    assert_int_equal(count_with(f, stmt), 2);
    dendro_bind_null(stmt, 1, NULL);
    assert_int_equal(count_with(f, stmt), 0);
    dendro_bind_text(stmt, 1, "soon", -1, NULL);
    assert_true(dendro_step(stmt, &f->e) < 0);
    assert_string_equal(f->e.sqlstate, "22007");
    assert_int_equal(f->e.position, 36);
    dendro_bind_text(stmt, 1, "1970", -1, NULL);
    assert_int_equal(count_with(f, stmt), 3);
    dendro_finalize(stmt);

    stmt = prepare_ok(f, "SELECT count(*) FROM t WHERE b > ?");
    dendro_bind_double(stmt, 1, 1.5, NULL);
    assert_int_equal(count_with(f, stmt), 2);
    dendro_bind_text(stmt, 1, "1", -1, NULL);
    assert_int_equal(count_with(f, stmt), 2);
    dendro_finalize(stmt);

    stmt =
        prepare_ok(f, "SELECT count(*) FROM t WHERE r = ?"); /* as with a literal: 0.1 is no REAL */
    dendro_bind_double(stmt, 1, 0.1, NULL);
    assert_int_equal(count_with(f, stmt), 0);
    dendro_bind_double(stmt, 1, 0.5, NULL);
    assert_int_equal(count_with(f, stmt), 1);
    dendro_finalize(stmt);

    stmt = prepare_ok(f, "SELECT $1");
    dendro_bind_int64(stmt, 1, 42, NULL);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_ROW);
    assert_string_equal(dendro_column_text(stmt, 0), "42");
    assert_true(dendro_bind_int64(stmt, 1, 43, &f->e) < 0); /* it runs */
    assert_string_equal(f->e.sqlstate, "HY010");
    dendro_reset(stmt);
    assert_int_equal(dendro_bind_int64(stmt, 1, 43, &f->e), DENDRO_OK);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_ROW);
    assert_string_equal(dendro_column_text(stmt, 0), "43");
    dendro_finalize(stmt);
    stmt = prepare_ok(f, "SELECT k FROM t ORDER BY k LIMIT $1 OFFSET $2");
    dendro_bind_int64(stmt, 1, 1, NULL);
    dendro_bind_int64(stmt, 2, 1, NULL);
    assert_int_equal(count_with(f, stmt), 2);
    dendro_bind_int64(stmt, 1, -1, NULL);
    assert_true(dendro_step(stmt, &f->e) < 0);
    assert_string_equal(f->e.sqlstate, "22023");
    dendro_finalize(stmt);
}

/* ---- errors leave everything usable ---- */

static void test_errors(void **state)
{
    struct fix *f = *state;
    dendro_stmt *stmt;

    assert_true(dendro_prepare(f->conn, "SELECT * FORM t", -1, &stmt, NULL, &f->e) < 0);
    assert_int_equal(f->e.code, DENDRO_E_SYNTAX);
    assert_string_equal(f->e.sqlstate, "42601");
    assert_int_equal(f->e.position, 10);
    assert_null(stmt);
    assert_string_equal(dendro_error_name(f->e.code), "SYNTAX");
    assert_true(dendro_exec(f->conn, "SELECT 'ä', nix FROM t", -1, NULL, NULL, &f->e) < 0);
    assert_int_equal(f->e.position, 13); /* characters, not bytes */
    stmt = prepare_ok(f, "INSERT INTO t (k, b) VALUES ($1, 10 / $2)");
    dendro_bind_int64(stmt, 1, 1, NULL);
    dendro_bind_int64(stmt, 2, 0, NULL);
    assert_true(dendro_step(stmt, &f->e) < 0);
    assert_string_equal(f->e.sqlstate, "22012");
    dendro_bind_int64(stmt, 2, 5, NULL);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_DONE); /* the same statement goes on */
    dendro_finalize(stmt);
    stmt = prepare_ok(f, "SELECT 10 / (b - 2) FROM t");
    assert_true(dendro_step(stmt, &f->e) < 0);
    exec_ok(f, "INSERT INTO t (k, b) VALUES (1, 7)");
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_ROW);
    assert_int_equal(dendro_column_int64(stmt, 0), 2);
    dendro_finalize(stmt);
}

static void test_misuse(void **state)
{
    struct fix *f = *state;
    dendro_stmt *stmt = prepare_ok(f, "SELECT $1");

    assert_int_equal(dendro_bind_int64(stmt, 0, 1, &f->e), DENDRO_E_MISUSE);
    assert_int_equal(dendro_bind_int64(stmt, 2, 1, &f->e), DENDRO_E_MISUSE);
    assert_int_equal(dendro_bind_text(stmt, 1, NULL, 3, &f->e), DENDRO_E_MISUSE);
    assert_int_equal(dendro_bind_timestamp(stmt, 1, 1, (enum dendro_unit)4, &f->e),
                     DENDRO_E_MISUSE);
    assert_true(dendro_bind_text(stmt, 1, "\xff", -1, &f->e) < 0);
    assert_string_equal(f->e.sqlstate, "22021");
    assert_true(dendro_bind_text(stmt, 1, "a\0b", 3, &f->e) < 0);
    assert_string_equal(f->e.sqlstate, "22021");
    assert_int_equal(dendro_step(NULL, &f->e), DENDRO_E_MISUSE);
    assert_int_equal(dendro_prepare(NULL, "SELECT 1", -1, &stmt, NULL, NULL), DENDRO_E_MISUSE);
    assert_int_equal(dendro_close(f->db), DENDRO_E_MISUSE); /* a session is open */
    assert_int_equal(dendro_open(NULL, NULL, &f->db, &f->e), DENDRO_E_MISUSE);
    dendro_finalize(NULL);
    dendro_reset(NULL);
    dendro_disconnect(NULL);
    assert_int_equal(dendro_close(NULL), DENDRO_OK);
    /* the statement is left to dendro_disconnect */
}

/* ---- scripts ---- */

static int count_rows(void *arg, dendro_stmt *stmt)
{
    int *n = arg;

    (void)stmt;
    return ++*n == 3 ? 1 : 0;
}

static void test_scripts(void **state)
{
    struct fix *f = *state;
    const char *sql = "  ; -- nothing\nINSERT INTO t (k) VALUES (1), (2);; SELECT k FROM t; SELECT "
                      "nosuch; SELECT 1";
    const char *tail = sql;
    dendro_stmt *stmt;
    int n = 0;

    assert_true(dendro_exec(f->conn, sql, -1, count_rows, &n, &f->e) < 0);
    assert_int_equal(n, 2);
    assert_int_equal(f->e.position, 76); /* from the start of the script */
    n = 0;
    assert_int_equal(
        dendro_exec(f->conn, "SELECT k FROM t; SELECT k FROM t", -1, count_rows, &n, &f->e),
        DENDRO_E_CANCELED);
    assert_int_equal(dendro_exec(f->conn, "SELECT 1 garbage", 8, NULL, NULL, &f->e),
                     DENDRO_OK); /* len counts */
    assert_int_equal(dendro_exec(f->conn, "", -1, NULL, NULL, &f->e), DENDRO_OK);

    n = 0;
    for (;;) { /* a shell's loop: an error does not stop it */
        int rc = dendro_prepare(f->conn, tail, -1, &stmt, &tail, &f->e);

        if (rc == DENDRO_OK && !stmt)
            break;
        n += rc < 0 ? 100 : 1;
        dendro_finalize(stmt);
    }
    assert_int_equal(n, 103);
    assert_true(dendro_complete("SELECT ';';", -1));
    assert_false(dendro_complete("SELECT ';'", -1));
}

/* ---- plans follow the catalog ---- */

static void test_replan(void **state)
{
    struct fix *f = *state;
    dendro_stmt *all, *ins;

    exec_ok(f, "INSERT INTO t (k, b) VALUES (1, 5)");
    all = prepare_ok(f, "SELECT * FROM t");
    ins = prepare_ok(f, "INSERT INTO t (k) VALUES (7)");
    exec_ok(f, "DROP TABLE t");
    assert_true(dendro_step(ins, &f->e) < 0);
    assert_true(dendro_step(all, &f->e) < 0);
    assert_string_equal(f->e.sqlstate, "42P01");
    assert_true(dendro_step(all, &f->e) < 0); /* and again */
    exec_ok(f, "CREATE TABLE t (z VARCHAR PRIMARY KEY); INSERT INTO t VALUES ('new')");
    assert_int_equal(dendro_step(all, &f->e), DENDRO_ROW);
    assert_int_equal(dendro_column_count(all), 1);
    assert_string_equal(dendro_column_text(all, 0), "new");
    assert_true(dendro_step(ins, &f->e) < 0);
    assert_string_equal(f->e.sqlstate, "42703"); /* it has no column k */
    dendro_finalize(ins);
    exec_ok(f, "DROP TABLE t"); /* under a running query, which keeps what it sees */
    assert_int_equal(dendro_step(all, &f->e), DENDRO_DONE);
    dendro_finalize(all);
}

/* ---- opening ---- */

static void test_open(void **state)
{
    struct fix *f = *state;
    struct dendro_options ro = {.flags = DENDRO_OPEN_READ_ONLY};
    struct dendro_options no = {.flags = DENDRO_OPEN_NO_CREATE};
    const char *const bad[] = {"memory_limit", "lots", NULL};
    const char *const good[] = {"memory_limit", "64MB", "max_subqueries", "3", NULL};
    struct dendro_options with = {.settings = bad};
    uint64_t faults = 1;
    dendro_db *db;
    dendro_stmt *stmt;

    assert_int_equal(dendro_open(dir, NULL, &db, &f->e), DENDRO_E_BUSY);
    assert_true(dendro_open("/nonexistent/dendro", &no, &db, &f->e) < 0);
    assert_int_not_equal(f->e.message[0], 0);
    exec_ok(f, "INSERT INTO t (k, b) VALUES (1, 5)");
    dendro_disconnect(f->conn);
    assert_int_equal(dendro_close(f->db), DENDRO_OK);

    assert_int_equal(dendro_check(dir, NULL, NULL, &faults, &f->e), DENDRO_OK);
    assert_int_equal(faults, 0);
    assert_true(dendro_open(dir, &with, &db, &f->e) < 0);
    assert_string_equal(f->e.sqlstate, "22023");
    assert_int_equal(dendro_open(dir, &ro, &f->db, &f->e), DENDRO_OK);
    assert_int_equal(dendro_connect(f->db, &f->conn, &f->e), DENDRO_OK);
    assert_int_equal(dendro_exec(f->conn, "INSERT INTO t (k) VALUES (1)", -1, NULL, NULL, &f->e),
                     DENDRO_E_READ_ONLY);
    assert_int_equal(dendro_exec(f->conn, "DROP TABLE t", -1, NULL, NULL, &f->e),
                     DENDRO_E_READ_ONLY);
    stmt = prepare_ok(f, "SELECT b FROM t");
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_ROW);
    assert_int_equal(dendro_column_int64(stmt, 0), 5);
    dendro_disconnect(f->conn);
    assert_int_equal(dendro_close(f->db), DENDRO_OK);

    with.settings = good;
    assert_int_equal(dendro_open(dir, &with, &f->db, &f->e), DENDRO_OK);
    assert_int_equal(dendro_connect(f->db, &f->conn, &f->e), DENDRO_OK);
    stmt = prepare_ok(f, "SHOW max_subqueries");
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_ROW);
    assert_string_equal(dendro_column_text(stmt, 0), "3");
    dendro_finalize(stmt);
}

/* A statement over the memory limit fails alone. */
static void test_memory_limit(void **state)
{
    const char *const settings[] = {"memory_limit", "8MB", NULL};
    const char *const odd[] = {"memory_limit", NULL};
    struct dendro_options options = {.settings = settings};
    struct dendro_options bad = {.settings = odd};
    size_t len = 3u << 20;
    struct fix *f = *state;
    dendro_stmt *stmt;
    dendro_db *db;
    char *big = malloc(len);

    memset(big, 'x', len);
    dendro_disconnect(f->conn);
    assert_int_equal(dendro_close(f->db), DENDRO_OK);
    assert_int_equal(dendro_open(dir, &bad, &db, &f->e), DENDRO_E_MISUSE);
    assert_int_equal(dendro_open(dir, &options, &f->db, &f->e), DENDRO_OK);
    assert_int_equal(dendro_connect(f->db, &f->conn, &f->e), DENDRO_OK);
    stmt = prepare_ok(f, "INSERT INTO t (k, v) VALUES (1, $1), (2, $1), (3, $1)");
    assert_int_equal(dendro_bind_text(stmt, 1, big, (ptrdiff_t)len, &f->e), DENDRO_OK);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_E_NOMEM);
    assert_string_equal(f->e.sqlstate, "53200");
    assert_int_equal(dendro_bind_text(stmt, 1, "small", -1, &f->e), DENDRO_OK);
    assert_int_equal(dendro_step(stmt, &f->e), DENDRO_DONE);
    dendro_finalize(stmt);
    stmt = prepare_ok(f, "SELECT count(*) FROM t WHERE v = 'small'");
    assert_int_equal(count_with(f, stmt), 3);
    dendro_finalize(stmt);
    free(big);
}

static void test_version(void **state)
{
    (void)state;
    assert_non_null(strstr(dendro_version_full(), dendro_version()));
    assert_non_null(strstr(dendro_version_full(), "commit "));
    assert_non_null(strstr(dendro_version_full(), "catalog 9"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_types, setup, teardown),
        cmocka_unit_test_setup_teardown(test_params, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_misuse, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scripts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_replan, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_limit, setup, teardown),
        cmocka_unit_test(test_version),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
