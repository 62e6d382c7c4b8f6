/* SPDX-License-Identifier: Apache-2.0
 *
 * Format 8 of the catalog: keys of NUMERIC and INTERVAL columns (docs/adr/0016). The golden
 * document (--write makes it anew, as long as the format is not released), and what is written as
 * an older one. */
#include "spec_text.h"

#include "vec/numeric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN_NAME "catalog-8.json"
#define GOLDEN      DN_GOLDEN_DIR "/" GOLDEN_NAME

static struct catalog *with(struct catalog *c, struct table *t)
{
    struct catalog *next = NULL;
    struct dn_err err;

    if (catalog_with_table(c, t, &next, &err) < 0)
        fail_msg("%s", err.text);
    catalog_unref(c);
    table_unref(t);
    return next;
}

static struct table *build(const char *sql, const struct datum *def)
{
    struct spec_text *s = mem_calloc(NULL, 1, sizeof *s);
    struct table *t = NULL;
    struct dn_err err;

    assert_non_null(s);
    spec_text_parse(s, sql);
    if (def) {
        s->columns[0].has_default = true;
        s->columns[0].def = *def;
    }
    if (table_build(&s->spec, &t, &err) < 0)
        fail_msg("%s", err.text);
    spec_by_token(t);
    mem_free(s);
    return t;
}

static struct catalog *sample(void)
{
    struct datum price = {.type = TYPE_NUMERIC, .num = vnumeric_make(1500, 3)};
    struct datum span = {.type = TYPE_INTERVAL, .iv = {.days = 30}};
    struct catalog *c = spec_empty_catalog();

    c = with(c, build("CREATE TABLE price (p NUMERIC, v INT, PRIMARY KEY (p))", &price));
    return with(c,
                build("CREATE TABLE span (i INTERVAL, n INT, PRIMARY KEY ((n), i DESC))", &span));
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
    assert_int_equal(back->tables_count, c->tables_count);
    for (size_t i = 0; i < c->tables_count; i++)
        assert_true(spec_same_table(back->tables[i], c->tables[i]));
    /* A DEFAULT has the form in which the key is stored. */
    assert_int_equal(back->tables[0]->columns[0].def.num.scale, 1);
    assert_int_equal(back->tables[1]->columns[0].def.iv.months, 1);
    free(golden);
    mem_free(doc);
    catalog_unref(c);
    catalog_unref(back);
}

/* Outside the key such columns are for every release. */
static void test_lowest(void **state)
{
    struct catalog *c = with(spec_empty_catalog(),
                             build("CREATE TABLE t (k INT, p NUMERIC, PRIMARY KEY (k))", NULL));
    char *doc = print(c);

    (void)state;
    assert_non_null(strstr(doc, "\"format\": 1,"));
    mem_free(doc);
    catalog_unref(c);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_lowest),
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
    return cmocka_run_group_tests_name("format 8 of the catalog", tests, NULL, NULL);
}
