/* SPDX-License-Identifier: Apache-2.0
 *
 * What roles may do: every kind of statement as somebody who has no right, then with exactly the
 * right it needs; owners, members, views, revokes, recovery; and a fault at every allocation. */
#include "db_fix.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dendro_conn *as(struct db_fix *f, const char *role)
{
    dendro_conn *conn;

    assert_int_equal(dendro_connect(f->db, &conn, NULL), DENDRO_OK);
    assert_int_equal(engine_session_role(conn, role, NULL), 0);
    return conn;
}

static void open_with_alice(struct db_fix *f)
{
    db_open(f);
    db_ok(f,
          "CREATE TABLE t (k INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 10);"
          "CREATE TABLE u (k INT PRIMARY KEY, v INT); INSERT INTO u VALUES (1, 20);"
          "CREATE VIEW w AS SELECT v FROM u;"
          "CREATE SCHEMA s; CREATE TABLE s.x (k INT PRIMARY KEY);"
          "CREATE USER alice; CREATE USER bob; CREATE ROLE readers");
}

static void denied(struct db_fix *f, dendro_conn *conn, const char *sql, const char *what)
{
    const char *said = db_run_on(f, conn, sql);

    if (!strstr(said, "ERROR 42501") || !strstr(said, what))
        fail_msg("%s: said %s, not 42501 %s", sql, said, what);
}

static void allowed(struct db_fix *f, dendro_conn *conn, const char *sql)
{
    const char *said = db_run_on(f, conn, sql);

    if (strstr(said, "ERROR"))
        fail_msg("%s: said %s", sql, said);
}

static void test_each_statement(void **state)
{
    static const struct {
        const char *grant;
        const char *sql;
        const char *denied;
    } cases[] = {
        {"SELECT ON t", "SELECT * FROM t", "permission denied for table t"},
        {"SELECT ON t", "SELECT (SELECT max(v) FROM t)", "permission denied for table t"},
        {"SELECT ON t", "EXPLAIN SELECT * FROM t", "permission denied for table t"},
        {"SELECT ON t", "WITH a AS (SELECT * FROM t) SELECT * FROM a", "for table t"},
        {"SELECT ON t", "COPY t TO STDOUT", "permission denied for table t"},
        {"SELECT ON w", "SELECT * FROM w", "permission denied for view w"},
        {"INSERT ON t", "INSERT INTO t VALUES (2, 2)", "permission denied for table t"},
        {"INSERT, SELECT ON t", "INSERT INTO t VALUES (3, 2) RETURNING k", "for table t"},
        {"INSERT, SELECT, UPDATE ON t",
         "INSERT INTO t VALUES (3, 2) ON CONFLICT (k) DO UPDATE SET v = 1",
         "permission denied for table t"},
        {"UPDATE ON t", "UPDATE t SET v = 1", "permission denied for table t"},
        {"UPDATE, SELECT ON t", "UPDATE t SET v = 1 WHERE k = 1", "permission denied for table t"},
        {"DELETE ON t", "DELETE FROM t", "permission denied for table t"},
        {"DELETE, SELECT ON t", "DELETE FROM t WHERE k = 1", "permission denied for table t"},
        {"UPDATE, SELECT ON t",
         "MERGE INTO t USING (SELECT 1 AS k) AS s ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = 1",
         "permission denied for table t"},
        {"DELETE, SELECT ON t",
         "MERGE INTO t USING (SELECT 1 AS k) AS s ON t.k = s.k WHEN MATCHED THEN DELETE",
         "permission denied for table t"},
        {"INSERT, SELECT ON t",
         "MERGE INTO t USING (SELECT 7 AS k) AS s ON t.k = s.k WHEN NOT MATCHED THEN INSERT VALUES "
         "(7, 1)",
         "permission denied for table t"},
        {"TRUNCATE ON t", "TRUNCATE t", "permission denied for table t"},
        {"CREATE ON SCHEMA public", "CREATE TABLE n (k INT PRIMARY KEY)", "for schema public"},
        {"CREATE ON SCHEMA public", "CREATE VIEW n AS SELECT 1 AS a", "for schema public"},
        {"CREATE ON DATABASE dendro", "CREATE SCHEMA n", "permission denied for database dendro"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[300];
        struct db_fix f;
        dendro_conn *alice;

        open_with_alice(&f);
        alice = as(&f, "alice");
        denied(&f, alice, cases[i].sql, cases[i].denied);
        (void)snprintf(sql, sizeof sql, "GRANT %s TO alice", cases[i].grant);
        db_ok(&f, sql);
        if (!strstr(cases[i].sql, "STDOUT"))
            allowed(&f, alice, cases[i].sql);
        (void)snprintf(sql, sizeof sql, "REVOKE %s FROM alice", cases[i].grant);
        db_ok(&f, sql);
        denied(&f, alice, cases[i].sql, cases[i].denied);
        dendro_disconnect(alice);
        db_close(&f);
    }
}

/* Appenders are how line protocol and Prometheus write: the right is asked for when one is opened,
 * and with each batch. */
static void test_appenders(void **state)
{
    static const char *const key[] = {"k", NULL};
    dendro_appender *app = NULL;
    struct dendro_error err;
    dendro_conn *alice;
    struct db_fix f;

    (void)state;
    open_with_alice(&f);
    alice = as(&f, "alice");
    assert_int_not_equal(dendro_appender_open(alice, NULL, "t", NULL, &app, &err), DENDRO_OK);
    assert_string_equal(err.sqlstate, "42501");
    db_ok(&f, "GRANT INSERT (k) ON t TO alice");
    assert_int_not_equal(dendro_appender_open(alice, NULL, "t", NULL, &app, &err), DENDRO_OK);
    assert_string_equal(err.sqlstate, "42501");
    assert_int_equal(dendro_appender_open(alice, NULL, "t", key, &app, &err), DENDRO_OK);
    assert_int_equal(dendro_append_int64(app, 7, NULL), DENDRO_OK);
    assert_int_equal(dendro_append_end_row(app, NULL), DENDRO_OK);
    assert_int_equal(dendro_appender_flush(app, &err), DENDRO_OK);
    db_ok(&f, "REVOKE INSERT ON t FROM alice");
    assert_int_equal(dendro_append_int64(app, 8, NULL), DENDRO_OK);
    assert_int_equal(dendro_append_end_row(app, NULL), DENDRO_OK);
    assert_int_not_equal(dendro_appender_flush(app, &err), DENDRO_OK);
    assert_string_equal(err.sqlstate, "42501");
    dendro_appender_clear(app);
    assert_int_equal(dendro_appender_close(app, NULL), DENDRO_OK);
    assert_string_equal(db_ok(&f, "SELECT count(*) FROM t WHERE k >= 7"), "1\n(SELECT 1)\n");
    dendro_disconnect(alice);
    db_close(&f);
}

static void test_owners_only(void **state)
{
    static const char *const statements[] = {
        "ALTER TABLE t ADD COLUMN c INT",
        "DROP TABLE t",
        "COMMENT ON TABLE t IS 'x'",
        "CREATE INDEX i ON t (v)",
        "ALTER TABLE t OWNER TO alice",
        "ALTER VIEW w RENAME TO ww",
        "DROP VIEW w",
        "DROP SCHEMA s CASCADE",
    };
    struct db_fix f;
    dendro_conn *alice;

    (void)state;
    open_with_alice(&f);
    alice = as(&f, "alice");
    db_ok(&f, "GRANT ALL ON t, u, w TO alice; GRANT ALL ON SCHEMA s TO alice");
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        denied(&f, alice, statements[i], "must be owner of");
    denied(&f, alice, "COPY t FROM '/etc/passwd'", "must be superuser");
    denied(&f, alice, "COPY t TO '/tmp/x'", "must be superuser");
    denied(&f, alice, "CHECKPOINT", "must be superuser");
    denied(&f, alice, "CREATE ROLE x", "permission denied to create role");
    denied(&f, alice, "ALTER ROLE bob NOLOGIN", "permission denied to alter role");
    denied(&f, alice, "ALTER ROLE alice SUPERUSER", "permission denied to alter role");
    denied(&f, alice, "DROP ROLE bob", "permission denied to drop role");
    denied(&f, alice, "GRANT SELECT ON s.x TO bob", "permission denied for table x");
    allowed(&f, alice, "GRANT SELECT ON u TO bob"); /* a warning: what she has she may not give */
    assert_string_equal(db_ok(&f, "SELECT has_table_privilege('bob', 'u', 'SELECT')"),
                        "false\n(SELECT 1)\n");
    denied(&f, alice, "GRANT dendro TO alice", "must have admin option on role \"dendro\"");
    allowed(&f, alice, "ALTER ROLE alice PASSWORD NULL");
    db_ok(&f, "ALTER TABLE t OWNER TO alice");
    allowed(&f, alice, "ALTER TABLE t ADD COLUMN c INT; GRANT SELECT ON t TO bob; DROP TABLE t");
    dendro_disconnect(alice);
    db_close(&f);
}

/* What somebody makes is his; a view reads with the rights of its owner. */
static void test_owned(void **state)
{
    struct db_fix f;
    dendro_conn *alice, *bob;

    (void)state;
    open_with_alice(&f);
    alice = as(&f, "alice");
    bob = as(&f, "bob");
    db_ok(&f, "GRANT CREATE ON SCHEMA public TO alice");
    allowed(&f, alice, "CREATE TABLE a (k INT PRIMARY KEY); INSERT INTO a VALUES (1)");
    denied(&f, bob, "SELECT * FROM a", "permission denied for table a");
    allowed(&f, alice, "CREATE VIEW av AS SELECT k FROM a; GRANT SELECT ON av TO bob");
    assert_string_equal(db_run_on(&f, bob, "SELECT * FROM av"), "1\n(SELECT 1)\n");
    denied(&f, alice, "CREATE VIEW tv AS SELECT v FROM t", "permission denied for table t");
    /* Another id, the same rights. */
    allowed(&f, alice, "TRUNCATE a; INSERT INTO a VALUES (7)");
    assert_string_equal(db_run_on(&f, bob, "SELECT * FROM av"), "7\n(SELECT 1)\n");
    /* In a block, too. */
    allowed(&f, alice, "BEGIN; CREATE TABLE b (k INT PRIMARY KEY); COMMIT; DROP TABLE b");
    allowed(&f, alice, "CREATE TABLE c AS SELECT 1 AS k; DROP TABLE c");
    assert_non_null(strstr(db_run(&f, "DROP ROLE alice"), "ERROR 2BP01"));
    db_ok(&f, "REASSIGN OWNED BY alice TO dendro; DROP OWNED BY alice; DROP ROLE alice");
    denied(&f, alice, "SELECT * FROM a", "permission denied");
    dendro_disconnect(alice);
    dendro_disconnect(bob);
    db_close(&f);
}

static void test_members(void **state)
{
    struct db_fix f;
    dendro_conn *alice;

    (void)state;
    open_with_alice(&f);
    alice = as(&f, "alice");
    db_ok(&f, "GRANT SELECT ON t TO readers; GRANT readers TO alice");
    allowed(&f, alice, "SELECT * FROM t");
    db_ok(&f, "ALTER ROLE alice NOINHERIT");
    denied(&f, alice, "SELECT * FROM t", "permission denied");
    db_ok(&f, "ALTER ROLE alice INHERIT; REVOKE readers FROM alice");
    denied(&f, alice, "SELECT * FROM t", "permission denied");
    db_ok(&f, "GRANT SELECT ON t TO PUBLIC");
    allowed(&f, alice, "SELECT * FROM t");
    db_ok(&f, "REVOKE USAGE ON SCHEMA public FROM PUBLIC");
    denied(&f, alice, "SELECT * FROM t", "permission denied for schema public");
    db_ok(&f, "GRANT USAGE ON SCHEMA public TO PUBLIC; GRANT pg_read_all_data TO alice");
    allowed(&f, alice, "SELECT * FROM u; SELECT * FROM w; SELECT * FROM s.x");
    denied(&f, alice, "INSERT INTO u VALUES (5, 5)", "permission denied for table u");
    db_ok(&f, "ALTER ROLE alice SUPERUSER");
    allowed(&f, alice, "INSERT INTO u VALUES (5, 5); DROP TABLE s.x");
    dendro_disconnect(alice);
    db_close(&f);
}

static void test_recovery(void **state)
{
    struct db_fix f;
    dendro_conn *alice;
    struct engine_login login;

    (void)state;
    open_with_alice(&f);
    db_ok(&f,
          "ALTER ROLE alice PASSWORD 'SCRAM-SHA-256$4096:c2FsdA==$a2V5:a2V5' CONNECTION LIMIT 2 "
          "VALID UNTIL '1999-01-01'; GRANT SELECT ON t TO alice; BEGIN; GRANT SELECT ON u TO "
          "alice; ROLLBACK");
    db_reopen(&f);
    engine_login(f.db, "alice", &login);
    assert_true(login.known && login.login && login.expired && login.passwords);
    assert_int_equal(login.connections, 2);
    assert_string_equal(login.verifier, "SCRAM-SHA-256$4096:c2FsdA==$a2V5:a2V5");
    engine_login(f.db, "nobody", &login);
    assert_false(login.known);
    assert_true(login.passwords);
    alice = as(&f, "alice");
    allowed(&f, alice, "SELECT * FROM t");
    denied(&f, alice, "SELECT * FROM u", "permission denied for table u");
    assert_string_equal(db_run_on(&f, alice, "SELECT current_user"), "alice\n(SELECT 1)\n");
    dendro_disconnect(alice);
    db_close(&f);
}

/* An allocation fails in the middle of an edit: an error, and nothing has changed. */
static void test_faults(void **state)
{
    static const char sql[] =
        "CREATE ROLE x LOGIN IN ROLE readers PASSWORD 'SCRAM-SHA-256$4096:c2FsdA==$a2V5:a2V5'";
    struct db_fix f;

    (void)state;
    open_with_alice(&f);
    db_ok(&f, "GRANT SELECT ON t TO alice; ALTER TABLE u OWNER TO bob");
    for (uint64_t n = 1;; n++) {
        struct engine_login login;
        struct dendro_error err;
        dendro_stmt *stmt = NULL;
        bool hit;
        int rc;

        assert_true(n < 100000);
        mem_fail_nth(n, false);
        rc = dendro_prepare(f.conn, sql, -1, &stmt, NULL, &err);
        if (rc == DENDRO_OK)
            rc = dendro_step(stmt, &err);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        dendro_finalize(stmt);
        engine_login(f.db, "x", &login);
        if (!hit) {
            assert_int_equal(rc, DENDRO_DONE);
            assert_true(login.known);
            break;
        }
        if (rc == DENDRO_DONE) { /* what failed was not needed */
            assert_true(login.known);
            db_ok(&f, "DROP ROLE x");
        } else {
            assert_string_equal(err.sqlstate, "53200");
            assert_false(login.known);
        }
    }
    db_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_statement),
        cmocka_unit_test(test_appenders),
        cmocka_unit_test(test_owners_only),
        cmocka_unit_test(test_owned),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_recovery),
        cmocka_unit_test(test_faults),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
