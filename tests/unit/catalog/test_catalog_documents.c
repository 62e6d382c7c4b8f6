/* SPDX-License-Identifier: Apache-2.0
 *
 * Format 7 of the catalog: the documents that must be there beside it. The golden document (--write
 * makes it anew, as long as the format is not released), what is written as an older one, what is
 * refused. */
#include "spec_text.h"

#include "catalog/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN DN_GOLDEN_DIR "/catalog-7.json"

static struct catalog *sample(uint32_t documents)
{
    struct catalog *c = spec_empty_catalog();

    c->documents = documents;
    return c;
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
    static char golden[1 << 12];
    struct catalog *c = sample(CATALOG_HAS_COUNTERS | CATALOG_HAS_CLOCKS);
    struct catalog *back = NULL;
    char *doc = print(c);
    FILE *f = fopen(GOLDEN, "rb");

    (void)state;
    assert_non_null(f);
    golden[fread(golden, 1, sizeof golden - 1, f)] = '\0';
    (void)fclose(f);
    assert_string_equal(doc, golden);
    assert_int_equal(catalog_parse(golden, strlen(golden), &back, NULL), 0);
    assert_int_equal(back->documents, CATALOG_HAS_COUNTERS | CATALOG_HAS_CLOCKS);
    mem_free(doc);
    catalog_unref(c);
    catalog_unref(back);
}

/* One that names none is for every release. */
static void test_lowest(void **state)
{
    struct catalog *c = sample(0);
    char *doc = print(c);

    (void)state;
    assert_non_null(strstr(doc, "\"format\": 1"));
    assert_null(strstr(doc, "documents"));
    mem_free(doc);
    catalog_unref(c);
}

static void test_edits_keep_it(void **state)
{
    struct catalog *c = sample(CATALOG_HAS_COUNTERS);
    struct catalog *next = NULL;

    (void)state;
    assert_int_equal(catalog_with_schema(c, "s", "", &next, NULL), 0);
    assert_int_equal(next->documents, CATALOG_HAS_COUNTERS);
    catalog_unref(c);
    catalog_unref(next);
}

static void test_refused(void **state)
{
    struct catalog *c = sample(CATALOG_HAS_COUNTERS | CATALOG_HAS_CLOCKS);
    char *doc = print(c);

    (void)state;
    spec_refused(doc, "\"counters\"", "\"calendars\"", "documents");
    spec_refused(doc, "\"counters\"", "\"clocks\"", "documents");
    spec_refused(doc, "\"counters\"", "7", "documents");
    mem_free(doc);
    catalog_unref(c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_lowest),
        cmocka_unit_test(test_edits_keep_it),
        cmocka_unit_test(test_refused),
    };

    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        struct catalog *c = sample(CATALOG_HAS_COUNTERS | CATALOG_HAS_CLOCKS);
        char *doc = print(c);
        FILE *f = fopen(GOLDEN, "wb");
        int rc = f && fputs(doc, f) >= 0 && fclose(f) == 0 ? 0 : 1;

        mem_free(doc);
        catalog_unref(c);
        return rc;
    }
    return cmocka_run_group_tests_name("documents of the catalog", tests, NULL, NULL);
}
