/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of all kinds of statements: none has a hole, and what they say of statements: name,
 * class for logs, what it may do in a block. A kind that no statement here is of fails. */
#include "engine/stmt_ops.h"

#include "base/arena.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *sql;
    const char *name;
    enum engine_class class;
    enum tx_use use;
} cases[] = {
    {";", "", ENGINE_OTHER, TX_FREE},
    {"SELECT 1", "SELECT", ENGINE_OTHER, TX_READS},
    {"SELECT * FROM t FOR UPDATE", "SELECT", ENGINE_OTHER, TX_WRITES},
    {"WITH x AS (DELETE FROM t RETURNING k) SELECT * FROM x", "SELECT", ENGINE_MOD, TX_WRITES},
    {"INSERT INTO t VALUES (1)", "INSERT", ENGINE_MOD, TX_WRITES},
    {"UPDATE t SET v = 1", "UPDATE", ENGINE_MOD, TX_WRITES},
    {"DELETE FROM t", "DELETE", ENGINE_MOD, TX_WRITES},
    {"MERGE INTO t USING u ON t.k = u.k WHEN MATCHED THEN DELETE", "MERGE", ENGINE_MOD, TX_WRITES},
    {"COPY t FROM STDIN", "COPY FROM", ENGINE_MOD, TX_WRITES},
    {"COPY t TO STDOUT", "COPY", ENGINE_OTHER, TX_READS},
    {"COPY (DELETE FROM t RETURNING k) TO STDOUT", "COPY", ENGINE_MOD, TX_WRITES},
    {"TRUNCATE t", "TRUNCATE TABLE", ENGINE_MOD, TX_WRITES},
    {"ALTER TABLE t RENAME TO u", "ALTER TABLE", ENGINE_DDL, TX_WRITES},
    {"ALTER VIEW t RENAME TO u", "ALTER VIEW", ENGINE_DDL, TX_WRITES},
    {"ALTER SEQUENCE t RENAME TO u", "ALTER SEQUENCE", ENGINE_DDL, TX_WRITES},
    {"ALTER INDEX t RENAME TO u", "ALTER INDEX", ENGINE_DDL, TX_WRITES},
    {"ALTER SCHEMA t RENAME TO u", "ALTER SCHEMA", ENGINE_DDL, TX_WRITES},
    {"CREATE TABLE t (k INT PRIMARY KEY)", "CREATE TABLE", ENGINE_DDL, TX_WRITES},
    {"CREATE TABLE t AS SELECT 1", "CREATE TABLE AS", ENGINE_DDL, TX_WRITES},
    {"CREATE VIEW v AS SELECT 1", "CREATE VIEW", ENGINE_DDL, TX_WRITES},
    {"CREATE INDEX i ON t (v)", "CREATE INDEX", ENGINE_DDL, TX_WRITES},
    {"CREATE SEQUENCE s", "CREATE SEQUENCE", ENGINE_DDL, TX_WRITES},
    {"ALTER SEQUENCE s INCREMENT 2", "ALTER SEQUENCE", ENGINE_DDL, TX_WRITES},
    {"DROP TABLE t", "DROP TABLE", ENGINE_DDL, TX_WRITES},
    {"DROP VIEW t", "DROP VIEW", ENGINE_DDL, TX_WRITES},
    {"DROP SEQUENCE t", "DROP SEQUENCE", ENGINE_DDL, TX_WRITES},
    {"DROP INDEX t", "DROP INDEX", ENGINE_DDL, TX_WRITES},
    {"CREATE SCHEMA s", "CREATE SCHEMA", ENGINE_DDL, TX_WRITES},
    {"CREATE KEYSPACE s WITH replication = {'class': 'SimpleStrategy'}",
     "CREATE KEYSPACE",
     ENGINE_DDL,
     TX_WRITES},
    {"DROP SCHEMA s", "DROP SCHEMA", ENGINE_DDL, TX_WRITES},
    {"DROP KEYSPACE s", "DROP KEYSPACE", ENGINE_DDL, TX_WRITES},
    {"DROP TIME PARTITION p", "DROP TIME PARTITION", ENGINE_DDL, TX_ALONE},
    {"ALTER TABLE t DROP PARTITIONS WHERE k < 1", "ALTER TABLE", ENGINE_DDL, TX_WRITES},
    {"CREATE TYPE t AS ENUM ('a')", "CREATE TYPE", ENGINE_DDL, TX_WRITES},
    {"ALTER TYPE t RENAME TO u", "ALTER TYPE", ENGINE_DDL, TX_WRITES},
    {"DROP TYPE t", "DROP TYPE", ENGINE_DDL, TX_WRITES},
    {"COMMENT ON TABLE t IS 'x'", "COMMENT", ENGINE_DDL, TX_WRITES},
    {"USE s", "USE", ENGINE_OTHER, TX_READS},
    {"DESCRIBE t", "DESCRIBE", ENGINE_OTHER, TX_READS},
    {"SHOW TABLES", "SHOW", ENGINE_OTHER, TX_READS},
    {"SHOW SCHEMAS", "SHOW", ENGINE_OTHER, TX_READS},
    {"SHOW CREATE TABLE t", "SHOW", ENGINE_OTHER, TX_READS},
    {"SHOW TABLE STATUS t", "SHOW", ENGINE_OTHER, TX_READS},
    {"SHOW PARTITIONS t", "SHOW", ENGINE_OTHER, TX_READS},
    {"SHOW timezone", "SHOW", ENGINE_OTHER, TX_FREE},
    {"SET timezone = 'UTC'", "SET", ENGINE_OTHER, TX_FREE},
    {"RESET timezone", "RESET", ENGINE_OTHER, TX_FREE},
    {"ALTER SYSTEM SET log_statement = 'all'", "ALTER SYSTEM", ENGINE_DDL, TX_ALONE},
    {"EXPLAIN DELETE FROM t", "EXPLAIN", ENGINE_OTHER, TX_READS},
    {"EXPLAIN ANALYZE DELETE FROM t", "EXPLAIN", ENGINE_MOD, TX_WRITES},
    {"CHECKPOINT", "CHECKPOINT", ENGINE_OTHER, TX_FREE},
    {"BEGIN", "BEGIN", ENGINE_OTHER, TX_FREE},
    {"START TRANSACTION", "START TRANSACTION", ENGINE_OTHER, TX_FREE},
    {"ROLLBACK TO a", "ROLLBACK", ENGINE_OTHER, TX_FREE},
    {"PREPARE p AS SELECT 1", "PREPARE", ENGINE_OTHER, TX_FREE},
    {"EXECUTE p", "EXECUTE", ENGINE_OTHER, TX_FREE},
    {"DEALLOCATE p", "DEALLOCATE", ENGINE_OTHER, TX_FREE},
    {"DEALLOCATE ALL", "DEALLOCATE ALL", ENGINE_OTHER, TX_FREE},
    {"DECLARE c CURSOR FOR SELECT 1", "DECLARE CURSOR", ENGINE_OTHER, TX_FREE},
    {"FETCH c", "FETCH", ENGINE_OTHER, TX_FREE},
    {"MOVE c", "MOVE", ENGINE_OTHER, TX_FREE},
    {"CLOSE c", "CLOSE CURSOR", ENGINE_OTHER, TX_FREE},
    {"DISCARD PLANS", "DISCARD PLANS", ENGINE_OTHER, TX_FREE},
    {"LOCK TABLE t", "LOCK TABLE", ENGINE_OTHER, TX_READS},
    {"CREATE ROLE r", "CREATE ROLE", ENGINE_DDL, TX_WRITES},
    {"ALTER TABLE t OWNER TO r", "ALTER TABLE", ENGINE_DDL, TX_WRITES},
    {"GRANT SELECT ON t TO r", "GRANT", ENGINE_DDL, TX_WRITES},
    {"REVOKE SELECT ON t FROM r", "REVOKE", ENGINE_DDL, TX_WRITES},
    {"LISTEN a", "LISTEN", ENGINE_OTHER, TX_FREE},
    {"UNLISTEN a", "UNLISTEN", ENGINE_OTHER, TX_FREE},
    {"ANALYZE t", "ANALYZE", ENGINE_OTHER, TX_READS},
    {"VACUUM t", "VACUUM", ENGINE_OTHER, TX_ALONE},
};

static void test_rows_are_whole(void **state)
{
    (void)state;
    for (int kind = 0; kind < STMT_KIND_MAX; kind++) {
        struct stmt ast = {.kind = (enum stmt_kind)kind};
        const struct stmt_ops *ops = stmt_ops_of(&ast);

        assert_non_null(ops->name);
        assert_non_null(ops->tag);
        assert_non_null(ops->class);
        assert_non_null(ops->use);
        assert_non_null(ops->privilege);
        assert_non_null(ops->compile);
        assert_non_null(ops->run);
    }
}

static void test_what_they_say(void **state)
{
    bool seen[STMT_KIND_MAX] = {false};
    struct mem_owner owner;

    (void)state;
    mem_owner_init(&owner, "test", NULL, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena;
        struct sql_text text;
        struct stmt *ast;
        struct dn_err err;

        arena_init(&arena, &owner);
        sql_text_init(&text, cases[i].sql, strlen(cases[i].sql));
        if (sql_parse(&text, &arena, &ast, &err) != 0)
            fail_msg("%s: %s", cases[i].sql, err.text);
        seen[ast->kind] = true;
        assert_string_equal(stmt_ops_of(ast)->name(ast), cases[i].name);
        if (stmt_ops_of(ast)->class(ast) != cases[i].class ||
            stmt_ops_of(ast)->use(ast) != cases[i].use)
            fail_msg("%s: class %d, use %d",
                     cases[i].sql,
                     (int)stmt_ops_of(ast)->class(ast),
                     (int)stmt_ops_of(ast)->use(ast));
        arena_done(&arena);
    }
    for (int kind = 0; kind < STMT_KIND_MAX; kind++)
        if (!seen[kind])
            fail_msg("no statement of kind %d is tried", kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_are_whole),
        cmocka_unit_test(test_what_they_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
