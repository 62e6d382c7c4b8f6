/* SPDX-License-Identifier: Apache-2.0
 *
 * The same statements through the real parser: what SHOW CREATE TABLE prints can be run again, and
 * the errors point at the same words. */
#include "bad_tables.h"
#include "good_tables.h"
#include "spec_text.h"

#include "sql/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Parses one CREATE TABLE and builds it. Defaults are the engine's to evaluate: none here. */
static int build(const char *sql, struct arena *arena, struct table **ret, struct dn_err *err)
{
    struct sql_text text;
    struct stmt *stmt = NULL;
    int rc;

    sql_text_init(&text, sql, strlen(sql));
    rc = sql_parse(&text, arena, &stmt, err);
    if (rc != 0)
        return rc;
    assert_int_equal(stmt->kind, STMT_CREATE_TABLE);
    if (!stmt->create->schema.s)
        stmt->create->schema.s = "public";
    return table_build(stmt->create, ret, err);
}

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(forms); i++) {
        struct table *direct = NULL;
        struct table *parsed = NULL;
        struct table *again = NULL;
        struct dn_err err = {0};
        struct arena arena;
        struct buf b;

        arena_init(&arena, NULL);
        buf_init(&b, NULL);
        assert_int_equal(spec_text_build(forms[i].sql, &direct, NULL), 0);
        if (build(forms[i].sql, &arena, &parsed, &err) != 0)
            fail_msg("%s\n%s", forms[i].sql, err.text);
        assert_true(spec_same_table(direct, parsed));
        table_print_create(direct, &b);
        buf_u8(&b, 0);
        if (build((const char *)b.data, &arena, &again, &err) != 0)
            fail_msg("%s\n%s", (const char *)b.data, err.text);
        assert_true(spec_same_table(direct, again));
        table_unref(direct);
        table_unref(parsed);
        table_unref(again);
        buf_done(&b);
        arena_done(&arena);
    }
}

/* The parser has its own words for a list with nothing in it; all else is said as without it. */
static size_t check_bad(const struct bad *bad, size_t count)
{
    size_t refused = 0;

    for (size_t i = 0; i < count; i++) {
        const char *mark = strchr(bad[i].sql, '^');
        struct table *t = NULL;
        struct dn_err err = {0};
        struct arena arena;
        char sql[2048];
        int rc;

        (void)snprintf(sql, sizeof sql, "%.*s%s", (int)(mark - bad[i].sql), bad[i].sql, mark + 1);
        if (strstr(sql, "DEFAULT"))
            continue;
        arena_init(&arena, NULL);
        rc = build(sql, &arena, &t, &err);
        assert_null(t);
        if (rc == DN_E_SYNTAX && bad[i].code != DN_E_SYNTAX) {
            refused++;
            if (!strstr(sql, "()") && !strstr(sql, "((),"))
                fail_msg("%s\n%s", sql, err.text);
        } else if (rc != bad[i].code || strcmp(err.text, bad[i].text) != 0 ||
                   err.position != (uint32_t)(mark - bad[i].sql) + 1) {
            fail_msg("%s\n got: %s at %u\nwant: %s at %d",
                     sql,
                     err.text,
                     err.position,
                     bad[i].text,
                     (int)(mark - bad[i].sql) + 1);
        }
        arena_done(&arena);
    }
    return refused;
}

static void test_bad(void **state)
{
    (void)state;
    assert_true(check_bad(bad_keys, DN_ARRAY_SIZE(bad_keys)) <= 2);
    assert_int_equal(check_bad(bad_quantum, DN_ARRAY_SIZE(bad_quantum)), 0);
    assert_int_equal(check_bad(bad_clauses, DN_ARRAY_SIZE(bad_clauses)), 0);
    assert_int_equal(check_bad(bad_options, DN_ARRAY_SIZE(bad_options)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
