/* SPDX-License-Identifier: Apache-2.0
 *
 * Format 9 of the catalog: tables laid out by value (docs/adr/0021). The golden document (--write
 * makes it anew, as long as the format is not released), which keys are laid out so, and what is
 * refused. */
#include "spec_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN_NAME "catalog-9.json"
#define GOLDEN      DN_GOLDEN_DIR "/" GOLDEN_NAME

static struct table *build(const char *sql)
{
    struct table *t = NULL;
    struct dn_err err;

    if (spec_text_build(sql, &t, &err) < 0)
        fail_msg("%s: %s", sql, err.text);
    return t;
}

static struct catalog *with(struct catalog *c, const char *sql)
{
    struct catalog *next = NULL;
    struct table *t = build(sql);
    struct dn_err err;

    if (catalog_with_table(c, t, &next, &err) < 0)
        fail_msg("%s", err.text);
    catalog_unref(c);
    table_unref(t);
    return next;
}

static struct catalog *sample(void)
{
    struct catalog *c = with(spec_empty_catalog(), "CREATE TABLE a (id BIGINT PRIMARY KEY)");

    c = with(c, "CREATE TABLE b (x INT, y INT, z VARCHAR, PRIMARY KEY ((x, y), z DESC))");
    return with(c, "CREATE TABLE c (x INT, t TIMESTAMP, PRIMARY KEY (x, t))");
}

static char *print(const struct catalog *c)
{
    struct buf b;
    size_t n;

    buf_init(&b, NULL);
    assert_int_equal(catalog_print(c, &b, NULL), 0);
    buf_u8(&b, 0);
    return (char *)buf_take(&b, &n);
}

static void test_golden(void **state)
{
    struct catalog *c = sample();
    struct catalog *back = NULL;
    char *golden = spec_read_file(DN_GOLDEN_DIR, GOLDEN_NAME);
    char *doc = print(c);

    (void)state;
    assert_string_equal(doc, golden);
    assert_int_equal(catalog_parse(golden, strlen(golden), &back, NULL), 0);
    for (size_t i = 0; i < c->tables_count; i++)
        assert_true(spec_same_table(back->tables[i], c->tables[i]));
    assert_true(back->tables[1]->by_value);
    assert_int_equal(back->tables[1]->partition_count, 2);
    assert_int_equal(back->tables[1]->series_count, 0);
    assert_int_equal(back->tables[1]->rest_count, 3);
    assert_false(back->tables[2]->by_value);
    assert_int_equal(back->tables[2]->series_count, 1);
    assert_int_equal(back->tables[2]->rest_count, 1);
    free(golden);
    mem_free(doc);
    catalog_unref(c);
    catalog_unref(back);
}

static void test_which(void **state)
{
    static const struct {
        const char *sql;
        bool by_value;
    } cases[] = {
        {"CREATE TABLE t (a INT, PRIMARY KEY (a))", true},
        {"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY ((a, b), a, b))", true},
        {"CREATE TABLE t (a UUID, b INT, PRIMARY KEY ((a), b))", true},
        {"CREATE TABLE t (a INT, b DATE, PRIMARY KEY (a, b))", false},
        {"CREATE TABLE t (a INT, b TIMESTAMPTZ, PRIMARY KEY (a, b))", false},
        {"CREATE TABLE t (a DATE, PRIMARY KEY ((a)))", false},
        {"CREATE TABLE t (a INT, b TIMESTAMP, PRIMARY KEY ((a, QUANTUM(b, 1, 'd'))))", false},
        {"CREATE TABLE t (b TIMESTAMP, a INT, PRIMARY KEY (b, a))", false},
        {"CREATE TABLE t (a INT)", false},
        {"CREATE TABLE t (a INT, b TIMESTAMP, PRIMARY KEY (a))", true},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct table *t = build(cases[i].sql);

        if (t->by_value != cases[i].by_value)
            fail_msg("%s", cases[i].sql);
        assert_int_equal(t->series_count, t->by_value ? 0 : t->partition_count);
        table_unref(t);
    }
}

static void test_refused(void **state)
{
    struct catalog *c = sample();
    char *doc = print(c);

    (void)state;
    spec_refused(doc,
                 "\"layout\": \"value\"",
                 "\"layout\": \"token\"",
                 "key.layout: there is no layout \"token\"");
    spec_refused(doc, "\"layout\": \"value\"", "\"layout\": 1", "key.layout");
    spec_refused(doc, "\"time\": null", "\"time\": 1", "time");
    mem_free(doc);
    catalog_unref(c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_which),
        cmocka_unit_test(test_refused),
    };

    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        struct catalog *c = sample();
        char *doc = print(c);
        FILE *f = fopen(GOLDEN, "wb");
        int rc = f && fputs(doc, f) >= 0 && fclose(f) == 0 ? 0 : 1;

        mem_free(doc);
        catalog_unref(c);
        return rc;
    }
    return cmocka_run_group_tests_name("format 9 of the catalog", tests, NULL, NULL);
}
