/* SPDX-License-Identifier: Apache-2.0
 *
 * Format 5 of the catalog: the golden document (--write makes it anew, as long as the format is
 * not released), what is written as an older one, what is refused. */
#include "spec_text.h"

#include "catalog/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN DN_GOLDEN_DIR "/catalog-5.json"

static struct catalog *with(struct catalog *c, const char *sql)
{
    struct catalog *next = NULL;
    struct table *t;
    struct dn_err err;

    if (spec_text_build_old(sql, &t, &err) < 0 || catalog_with_table(c, t, &next, &err) < 0)
        fail_msg("%s: %s", sql, err.text);
    table_unref(t);
    catalog_unref(c);
    return next;
}

/* All that only this format has. */
static struct catalog *sample(void)
{
    return with(spec_empty_catalog(),
                "CREATE TABLE session (token VARCHAR PRIMARY KEY, name VARCHAR) WITH "
                "(default_time_to_live = '1h')");
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
    static char golden[1 << 14];
    struct catalog *c = sample();
    struct catalog *back = NULL;
    char *doc = print(c);
    char *again;
    FILE *f = fopen(GOLDEN, "rb");

    (void)state;
    assert_non_null(f);
    golden[fread(golden, 1, sizeof golden - 1, f)] = '\0';
    (void)fclose(f);
    assert_string_equal(doc, golden);
    assert_int_equal(catalog_parse(golden, strlen(golden), &back, NULL), 0);
    assert_int_equal(catalog_table(back, "public", "session", NULL)->ttl_seconds, 3600);
    again = print(back);
    assert_string_equal(again, golden);
    mem_free(doc);
    mem_free(again);
    catalog_unref(c);
    catalog_unref(back);
}

/* What older releases can read they are given. */
static void test_older(void **state)
{
    struct catalog *c = with(spec_empty_catalog(),
                             "CREATE TABLE t (a INT PRIMARY KEY) WITH (default_time_to_live = 0)");
    char *doc = print(c);

    (void)state;
    assert_non_null(strstr(doc, "\"format\": 1"));
    assert_null(strstr(doc, "\"ttl\""));
    mem_free(doc);
    catalog_unref(c);
}

static void refused(const char *from, const char *to, const char *why)
{
    struct catalog *c = sample();
    char *doc = print(c);

    spec_refused(doc, from, to, why);
    mem_free(doc);
    catalog_unref(c);
}

static void test_refused(void **state)
{
    (void)state;
    refused("\"ttl\": 3600", "\"ttl\": 0", "tables[0].ttl");
    refused("\"ttl\": 3600", "\"ttl\": 630720001", "tables[0].ttl");
    refused("\"ttl\": 3600", "\"ttl\": \"1h\"", "tables[0].ttl");
    refused("\"upsert\": \"row\"", "\"upsert\": \"field\"", "tables[0].ttl");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_older),
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
    return cmocka_run_group_tests_name("catalog_5", tests, NULL, NULL);
}
