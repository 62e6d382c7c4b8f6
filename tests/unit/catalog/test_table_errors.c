/* SPDX-License-Identifier: Apache-2.0
 *
 * Every rule of CREATE TABLE broken once: exact text, hint, code with its SQLSTATE, and the
 * position, which the statement marks with ^. docs/keys.md must have each text. */
#include "bad_tables.h"
#include "spec_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_page(const char *name)
{
    char path[512];
    FILE *f;
    char *text;
    size_t n;

    (void)snprintf(path, sizeof path, "%s/%s", DN_DOCS_DIR, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    text = malloc(1 << 20);
    assert_non_null(text);
    n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    return text;
}

static void check_one(const struct bad *bad, const char *page)
{
    const char *mark = strchr(bad->sql, '^');
    char sql[2048];
    struct table *t = NULL;
    struct dn_err err = {0};
    size_t used = mem_process_used();
    int rc;

    assert_non_null(mark);
    (void)snprintf(sql, sizeof sql, "%.*s%s", (int)(mark - bad->sql), bad->sql, mark + 1);
    rc = spec_text_build(sql, &t, &err);
    if (rc != bad->code || strcmp(err.text, bad->text) != 0 || strcmp(err.hint, bad->hint) != 0 ||
        err.position != (uint32_t)(mark - bad->sql) + 1 || t)
        fail_msg("%s\n got: %s %s\nwant: %s %s\nhint: %s\nwant: %s\nposition %u, want %d",
                 sql,
                 dn_code_name(rc),
                 err.text,
                 dn_code_name(bad->code),
                 bad->text,
                 err.hint,
                 bad->hint,
                 err.position,
                 (int)(mark - bad->sql) + 1);
    assert_int_equal(err.code, bad->code);
    assert_string_equal(err.sqlstate, dn_code_sqlstate(bad->code));
    assert_int_equal(mem_process_used(), used);
    /* The same without a place for the detail. */
    assert_int_equal(spec_text_build(sql, &t, NULL), bad->code);
    if (page && !strstr(page, bad->text))
        fail_msg("docs/keys.md does not show: %s", bad->text);
}

static void check_all(const struct bad *bad, size_t count, bool in_page)
{
    char *page = in_page ? read_page("keys.md") : NULL;

    for (size_t i = 0; i < count; i++)
        check_one(&bad[i], page);
    free(page);
}

static void test_columns(void **state)
{
    (void)state;
    check_all(bad_columns, DN_ARRAY_SIZE(bad_columns), false);
}

static void test_keys(void **state)
{
    (void)state;
    check_all(bad_keys, DN_ARRAY_SIZE(bad_keys), true);
}

static void test_quantum(void **state)
{
    (void)state;
    check_all(bad_quantum, DN_ARRAY_SIZE(bad_quantum), true);
}

static void test_clauses(void **state)
{
    (void)state;
    check_all(bad_clauses, DN_ARRAY_SIZE(bad_clauses), true);
}

static void test_options(void **state)
{
    (void)state;
    check_all(bad_options, DN_ARRAY_SIZE(bad_options), true);
}

/* n columns c0, c1, …; the key on the first if key. */
static char *make_wide(unsigned n, const char *end)
{
    size_t cap = (size_t)n * 16 + 100;
    char *sql = malloc(cap);
    size_t len;

    assert_non_null(sql);
    len = (size_t)snprintf(sql, cap, "CREATE TABLE wide (");
    for (unsigned i = 0; i < n; i++)
        len += (size_t)snprintf(sql + len, cap - len, "%sc%u INT", i ? ", " : "", i);
    (void)snprintf(sql + len, cap - len, "%s)", end);
    return sql;
}

static void test_width(void **state)
{
    struct table *t = NULL;
    struct dn_err err = {0};
    char *sql = make_wide(511, ", PRIMARY KEY (c510)");

    (void)state;
    assert_int_equal(spec_text_build(sql, &t, &err), 0);
    assert_int_equal(t->columns_count, 511);
    table_unref(t);
    free(sql);

    sql = make_wide(512, ", PRIMARY KEY (c510)");
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_TOO_MANY_COLUMNS);
    assert_string_equal(err.text, "table \"wide\" has 512 columns, the most is 511");
    assert_string_equal(err.sqlstate, "54011");
    assert_int_equal(err.position, strstr(sql, "c511") - sql + 1);
    free(sql);
}

/* A key of more elements than a table has columns. */
static void test_long_key(void **state)
{
    char sql[8192];
    size_t len = (size_t)snprintf(sql, sizeof sql, "CREATE TABLE t (a INT, PRIMARY KEY (a");
    struct table *t = NULL;
    struct dn_err err = {0};

    (void)state;
    for (int i = 1; i < 512; i++)
        len += (size_t)snprintf(sql + len, sizeof sql - len, ", a");
    (void)snprintf(sql + len, sizeof sql - len, "))");
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_TOO_MANY_COLUMNS);
    assert_string_equal(err.text, "the primary key lists 512 columns, a table has at most 511");
}

static void test_long_names(void **state)
{
    char sql[4096];
    char name[300];
    struct table *t = NULL;
    struct dn_err err = {0};

    (void)state;
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    (void)snprintf(
        sql, sizeof sql, "CREATE TABLE t (%s INT, PRIMARY KEY (%s, %s))", name, name, name);
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_DUPLICATE_COLUMN);
    name[255] = 'n';
    name[256] = '\0';
    (void)snprintf(sql, sizeof sql, "CREATE TABLE t (a INT, %s INT)", name);
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_BAD_NAME);
    assert_string_equal(
        err.text,
        "the column name \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…\" has 256 bytes, "
        "the most is 255");
    assert_int_equal(err.position, 24);
    (void)snprintf(sql, sizeof sql, "CREATE TABLE t (a INT, PRIMARY KEY (%s%s))", name, name);
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_UNDEFINED_COLUMN);
    assert_non_null(strstr(err.text, "is not declared"));
}

/* A list of names that does not fit the message ends in an ellipsis. */
static void test_many_names(void **state)
{
    char sql[8192] = "CREATE TABLE t (";
    char key[4096] = "";
    size_t len = strlen(sql);
    size_t key_len = 0;
    struct table *t = NULL;
    struct dn_err err = {0};

    (void)state;
    for (int i = 0; i < 60; i++) {
        len += (size_t)snprintf(sql + len, sizeof sql - len, "a_long_column_name_%d INT, ", i);
        key_len +=
            (size_t)snprintf(key + key_len, sizeof key - key_len, ", a_long_column_name_%d", i);
    }
    (void)snprintf(sql + len, sizeof sql - len, "PRIMARY KEY ((a_long_column_name_0)%s))", key);
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_KEY_RULE);
    assert_non_null(strstr(err.text, "\"a_long_column_name_13\", … must be declared NOT NULL"));
}

/* The engine gives defaults of the column's type; if not, it is an error and no crash. */
static void test_default_type(void **state)
{
    struct column_spec c = {.name = {"a", 3}, .type = TYPE_INTEGER, .has_default = true};
    struct table_spec spec = {
        .schema = {"public", 0}, .name = {"t", 1}, .columns = &c, .columns_count = 1};
    struct table *t = NULL;
    struct dn_err err = {0};

    (void)state;
    c.def.type = TYPE_VARCHAR;
    assert_int_equal(table_build(&spec, &t, &err), DN_E_DATATYPE_MISMATCH);
    assert_string_equal(err.text, "the DEFAULT of column \"a\" is VARCHAR, the column is INTEGER");
    c.type = TYPE_NONE;
    c.has_default = false;
    assert_int_equal(table_build(&spec, &t, &err), DN_E_DATATYPE_MISMATCH);
    assert_string_equal(err.text, "column \"a\" has no type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_quantum),
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_long_key),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_default_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
