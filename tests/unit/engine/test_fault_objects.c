/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements about objects of the catalog, disturbed at every point: the n-th allocation fails, the
 * n-th call of the volume fails, fills the disk or is the moment of a power cut. What is there
 * afterwards is what an undisturbed run has after as many statements as were acknowledged, or after
 * the one more that was begun: nothing is half done. */
#include "db_fix.h"
#include "sweep_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const script[] = {
    "CREATE SCHEMA s",
    "CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR, c INT)",
    "INSERT INTO t VALUES (1, 'x', 10), (2, 'y', 20)",
    "CREATE VIEW v AS SELECT * FROM t WHERE a > 1",
    ("CREATE VIEW s.w (k, n) AS SELECT v.a, count(*) FROM v NATURAL JOIN (VALUES (1), (2)) AS n "
     "(a) GROUP BY v.a"),
    "CREATE OR REPLACE VIEW v AS SELECT *, a + c AS d FROM t",
    "SELECT * FROM s.w JOIN v ON w.k = v.a ORDER BY d",
    ("SELECT x, y FROM t x FULL JOIN t y ON x.a = y.a AND EXISTS (SELECT 1 WHERE x.c < y.c) "
     "ORDER BY x.a"),
    "ALTER TABLE t RENAME c TO cc",
    "ALTER VIEW v RENAME TO v2",
    "TRUNCATE t",
    "DESCRIBE v2",
    "DROP VIEW v2 CASCADE",
    "CREATE VIEW s.x AS SELECT a FROM t",
    "ALTER TABLE t RENAME TO tt",
    "DROP SCHEMA s CASCADE",
    "INSERT INTO tt VALUES (1, 'x', 10), (2, 'y', 20)",
    "CREATE TABLE ct (x, y) AS SELECT a, b FROM tt WHERE a > 0",
    "CREATE TEMP TABLE tmp (LIKE tt INCLUDING ALL) ON COMMIT DELETE ROWS",
    "INSERT INTO tmp SELECT * FROM tt",
    "CREATE VIEW tmpv AS SELECT a FROM tmp",
    "SELECT x INTO ct2 FROM ct",
    "COMMENT ON TABLE ct2 IS 'it''s one'",
    "COMMENT ON COLUMN ct2.x IS 'a number'",
    "CREATE TABLE l (LIKE tt INCLUDING ALL, more INT)",
    ("BEGIN; DECLARE c SCROLL CURSOR FOR SELECT y FROM ct ORDER BY x; MOVE LAST FROM c; "
     "UPDATE ct SET y = 'cur' WHERE CURRENT OF c; MOVE PRIOR FROM c; "
     "DELETE FROM ct WHERE CURRENT OF c RETURNING x; COMMIT"),
    ("WITH p AS (UPDATE tt SET cc = 11 WHERE a = 1 RETURNING a), q AS (DELETE FROM tt WHERE a = 1 "
     "RETURNING a) SELECT (SELECT count(*) FROM p), (SELECT count(*) FROM q)"),
    ("WITH RECURSIVE p AS (INSERT INTO tt SELECT a + 50, b FROM q RETURNING a), q AS (DELETE FROM "
     "tt WHERE a = 2 RETURNING a, b) SELECT count(*) FROM p"),
    "CREATE TABLE nc (); INSERT INTO nc DEFAULT VALUES; INSERT INTO nc SELECT FROM nc",
    "SELECT nc FROM nc UNION SELECT '()'; SELECT FROM nc UNION SELECT FROM nc",
    "ALTER TABLE nc ADD n INT DEFAULT 4; ALTER TABLE nc DROP n; DELETE FROM nc",
    "SELECT count(*) FROM tt TABLESAMPLE BERNOULLI (50) REPEATABLE (1), ct TABLESAMPLE SYSTEM (9)",
    ("DEALLOCATE ALL; PREPARE pq AS SELECT a, b FROM tt WHERE a = $1; "
     "CREATE TABLE ct3 AS EXECUTE pq (1)"),
    "ALTER TABLE ct3 ADD CONSTRAINT con CHECK (a < 100)",
    "COMMENT ON CONSTRAINT con ON ct3 IS 'small'",
    "CREATE INDEX cix ON ct3 (b)",
    "COMMENT ON INDEX cix IS 'none'",
    "EXPLAIN CREATE TABLE ct4 AS SELECT tableoid, current_query() FROM ct3",
    ("EXPLAIN MERGE INTO tt USING ct3 ON tt.a = ct3.a WHEN MATCHED THEN UPDATE SET cc = 1 "
     "WHEN NOT MATCHED THEN INSERT (a) VALUES (5)"),
    "DROP TABLE ct, ct2, ct3",
    "CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy')",
    "CREATE TABLE en (k mood PRIMARY KEY, l mood[])",
    "INSERT INTO en VALUES ('ok', '{sad,happy}'), ('happy', NULL)",
    "CHECKPOINT",
    "ALTER TYPE mood ADD VALUE 'meh' BEFORE 'ok'",
    "ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'",
    "INSERT INTO en VALUES ('meh', '{blue}')",
    "ALTER TYPE mood RENAME TO feeling",
    "SELECT k, l FROM en WHERE k > 'blue' ORDER BY k DESC",
    "CREATE ROLE viewer",
    "GRANT SELECT (k), UPDATE (l) ON en TO viewer",
    "SET ROLE viewer; SELECT k FROM en; UPDATE en SET l = '{meh}' WHERE k = 'ok'; RESET ROLE",
    "REVOKE SELECT ON en FROM viewer",
    "DROP TABLE en",
    "DROP TYPE feeling",
    "DROP ROLE viewer",
    "CREATE SEQUENCE sq START 5 OWNED BY tt.a",
    "CREATE TABLE ser (id SERIAL, w BIGINT GENERATED ALWAYS AS IDENTITY (START 7), d BIGINT "
    "DEFAULT nextval('sq'))",
    "ALTER SEQUENCE sq RENAME TO sr",
    "ALTER SEQUENCE sr INCREMENT BY 2 RESTART WITH 9",
    "CREATE TABLE ser2 (LIKE ser INCLUDING ALL)",
    "DROP SEQUENCE sr CASCADE",
    "DROP TABLE ser2",
    ("CREATE TABLE m (h VARCHAR NOT NULL, t TIMESTAMP NOT NULL, v INT, w INT, "
     "PRIMARY KEY ((h, QUANTUM(t, 1, 'd')), h, t)) WITH (upsert = 'field')"),
    "INSERT INTO m VALUES ('a', 1, 1, 1), ('b', 2, 2, 2)",
    "CHECKPOINT",
    "INSERT INTO m (h, t, v) VALUES ('a', 1, 3), ('c', 3, 3)",
    ("BEGIN; ALTER TABLE m ADD tag VARCHAR NOT NULL DEFAULT '' PRIMARY KEY; "
     "INSERT INTO m (h, t, tag, v) VALUES ('a', 1, 'x', 4), ('b', 2, '', 5); COMMIT"),
    "DELETE FROM m WHERE h = 'c' AND tag = ''",
    "ALTER TABLE m ALTER v TYPE BIGINT",
    ("BEGIN; INSERT INTO m (h, t, v) VALUES ('w', 1, 6); ALTER TABLE m ALTER v TYPE DOUBLE; "
     "INSERT INTO m (h, t, v) VALUES ('w', 2, 6.5), ('a', 1, 1.5); COMMIT"),
    "ALTER TABLE m ADD n INT DEFAULT 7 PRIMARY KEY",
    "CHECKPOINT",
    "CREATE VIEW mv AS SELECT h, v FROM m",
    "ALTER TABLE m ALTER w TYPE VARCHAR(9) USING 'w' || w, ALTER n TYPE BIGINT",
    "INSERT INTO m (h, t, w) VALUES ('d', 4, 'new')",
    "ALTER TABLE tt ADD id SERIAL, ADD g INT GENERATED ALWAYS AS (cc * 2) STORED",
    "INSERT INTO tt (a, cc, id) VALUES (9, 9, 9)",
    "CHECKPOINT",
};
#define STEPS DN_ARRAY_SIZE(script)
#define SEEN  16384

struct world {
    struct sim_disk *disk;
    struct volume *volume;
    dendro_db *db;
    dendro_conn *conn;
    size_t done;  /* statements acknowledged */
    size_t tried; /* statements begun */
    int rc;       /* of what failed first, 0 = nothing */
};

/* What an undisturbed run shows after each statement. */
static char expected[STEPS + 1][SEEN];

struct text {
    char *to;
    size_t len;
};

static int add_row(void *arg, dendro_stmt *stmt)
{
    struct text *t = arg;

    for (int i = 0; i < dendro_column_count(stmt); i++) {
        const char *value = dendro_column_text(stmt, i);

        if (t)
            t->len +=
                (size_t)snprintf(t->to + t->len, SEEN - t->len, "%s|", value ? value : "NULL");
    }
    return 0;
}

/* Everything that can be asked about the objects; errors are answers too. */
static void look(dendro_conn *conn, char *to)
{
    static const char *const questions[] = {
        "SHOW SCHEMAS",
        "SHOW TABLES",
        "SELECT * FROM t ORDER BY a",
        "SHOW CREATE TABLE t",
        "SHOW CREATE TABLE tt",
        "SHOW CREATE VIEW v",
        "SHOW CREATE VIEW v2",
        "SHOW CREATE VIEW s.w",
        "SHOW CREATE VIEW s.x",
        "SELECT * FROM v ORDER BY a",
        "SELECT * FROM s.w ORDER BY k",
        "SELECT * FROM s.x",
        "SELECT * FROM ct ORDER BY x",
        "SHOW CREATE TABLE ct",
        "SHOW CREATE TABLE ct2",
        "SHOW CREATE TABLE l",
        "SELECT * FROM tmp",
        "SHOW CREATE TABLE sq",
        "SHOW CREATE TABLE sr",
        "SELECT * FROM sr",
        "SHOW CREATE TABLE ser",
        "SHOW CREATE TABLE ser_id_seq",
        "SHOW CREATE TABLE ser2",
        "SHOW CREATE TABLE m",
        "SELECT * FROM m ORDER BY 1, 2, 3, 4",
        "SELECT * FROM mv ORDER BY 1, 2",
        "SELECT * FROM tt ORDER BY a",
        "SELECT * FROM en ORDER BY k",
        "SELECT enumlabel FROM pg_enum ORDER BY enumsortorder",
        ("SELECT grantee, column_name, privilege_type FROM information_schema.column_privileges "
         "WHERE table_name = 'en' AND grantee = 'viewer' ORDER BY 1, 2, 3"),
    };
    struct text t = {.to = to};

    to[0] = '\0';
    for (size_t i = 0; i < DN_ARRAY_SIZE(questions); i++) {
        struct dendro_error e;
        int rc = dendro_exec(conn, questions[i], -1, add_row, &t, &e);

        t.len +=
            (size_t)snprintf(to + t.len, SEEN - t.len, "%s\n", rc < 0 ? dendro_error_name(rc) : "");
    }
    assert_true(t.len < SEEN);
}

/* Temporary objects are seen by their session alone: another one looks. */
static void note(struct world *w, size_t step)
{
    dendro_conn *other;

    assert_int_equal(dendro_connect(w->db, &other, NULL), DENDRO_OK);
    look(other, expected[step]);
    dendro_disconnect(other);
}

static void run_script(struct world *w, bool record)
{
    struct engine_options options = {.flags = 0};
    struct dn_err err;

    w->done = w->tried = 0;
    w->rc = sim_volume_open(w->disk, 1, &w->volume, &err);
    if (w->rc == 0)
        w->rc = engine_open_volume(w->volume, &options, &w->db, &err);
    if (w->rc == 0)
        w->rc = dendro_connect(w->db, &w->conn, NULL);
    if (record)
        note(w, 0);
    while (w->rc == 0 && w->done < STEPS) {
        struct dendro_error e;

        w->tried++;
        w->rc = dendro_exec(w->conn, script[w->done], -1, add_row, NULL, &e);
        if (record && w->rc != 0)
            fail_msg("%s: %s", script[w->done], e.message);
        w->done += w->rc == 0;
        if (record)
            note(w, w->done);
    }
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    volume_close(w->volume);
    w->conn = NULL;
    w->db = NULL;
    w->volume = NULL;
}

static void fault_text(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        print_error("check: %s\n", text);
}

/* From the first line that differs on; messages of cmocka are short. */
static void show_difference(const char *seen, const char *instead_of)
{
    size_t line = 0;

    for (size_t i = 0; seen[i] && seen[i] == instead_of[i]; i++)
        line = seen[i] == '\n' ? i + 1 : line;
    print_error("%.400s\n", seen + line);
    print_error("instead of\n%.400s\n", instead_of + line);
}

static void check_state(struct world *w, const char *what, uint64_t n)
{
    struct engine_options options = {.flags = 0};
    static char seen[SEEN];
    struct dn_err err;
    uint64_t faults = 0;

    if (sim_volume_open(w->disk, 2, &w->volume, &err) < 0)
        fail_msg("%s %llu: volume: %s", what, (unsigned long long)n, err.text);
    if (engine_open_volume(w->volume, &options, &w->db, &err) < 0)
        fail_msg("%s %llu: open: %s", what, (unsigned long long)n, err.text);
    assert_int_equal(dendro_connect(w->db, &w->conn, NULL), DENDRO_OK);
    look(w->conn, seen);
    if (strcmp(seen, expected[w->done]) != 0 && strcmp(seen, expected[w->tried]) != 0) {
        show_difference(seen, expected[w->done]);
        fail_msg(
            "%s %llu: after %zu of %zu statements", what, (unsigned long long)n, w->done, w->tried);
    }
    dendro_disconnect(w->conn);
    assert_int_equal(dendro_close(w->db), DENDRO_OK);
    if (engine_check_volume(w->volume, fault_text, NULL, &faults, &err) < 0)
        fail_msg("%s %llu: check: %s", what, (unsigned long long)n, err.text);
    if (faults)
        fail_msg("%s %llu: %llu faults", what, (unsigned long long)n, (unsigned long long)faults);
    volume_close(w->volume);
}

static void test_undisturbed(void **state)
{
    struct world w = {.disk = sim_disk_new(1)};

    (void)state;
    run_script(&w, true);
    assert_int_equal(w.rc, 0);
    check_state(&w, "undisturbed", 0);
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

static struct sweep sweep = {.run = swept_run, .check = swept_check, .grain = 1000};

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_undisturbed),
        cmocka_unit_test_prestate(sweep_allocations, &sweep),
        SWEEP_TESTS(&sweep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
