/* SPDX-License-Identifier: Apache-2.0
 *
 * Format 6 of the catalog: the golden document (--write makes it anew, as long as the format is
 * not released), what is written as an older one, what is refused. */
#include "spec_text.h"

#include "catalog/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN DN_GOLDEN_DIR "/catalog-6.json"

static struct catalog *with_type(struct catalog *c, struct user_type *t)
{
    struct catalog *next = NULL;

    assert_int_equal(catalog_with_type(c, t, &next, NULL), 0);
    catalog_type_unref(t);
    catalog_unref(c);
    return next;
}

static void add(struct user_type *t, const char *name, const char *neighbor, bool after)
{
    struct user_label_spec spec = {.name = name, .neighbor = neighbor, .after = after};

    assert_int_equal(catalog_type_add(t, &spec, NULL), 0);
}

static struct user_type *color(void)
{
    struct user_type *t = catalog_type_new("public", "color");

    assert_non_null(t);
    add(t, "red", NULL, false);
    add(t, "blue", NULL, false);
    add(t, "pink", "red", false);
    add(t, "lila", "blue", false);
    return t;
}

/* All that only this format has. The type of a dropped one left its number. */
static struct catalog *sample(void)
{
    static const struct spec_name key = {.s = "k"};
    struct column_spec columns[] = {{.name = key, .type = TYPE_INTEGER},
                                    {.name = {.s = "c"}, .has_default = true},
                                    {.name = {.s = "a"}}};
    struct key_elem_spec local[] = {{.name = key}};
    struct table_spec spec = {.name = {.s = "paint"},
                              .schema = {.s = "public"},
                              .columns = columns,
                              .columns_count = 3,
                              .has_key = true,
                              .local = local,
                              .local_count = 1};
    struct catalog *c = with_type(spec_empty_catalog(), catalog_type_new("public", "gone"));
    struct catalog *next = NULL;
    uint32_t gone = 1;
    struct table *t;
    struct dn_err err;

    assert_int_equal(catalog_without_types(c, &gone, 1, &next, NULL), 0);
    catalog_unref(c);
    c = with_type(next, color());
    columns[1].type = type_enum(2);
    columns[1].def = (struct datum){.type = type_enum(2)};
    columns[1].def.v.i64 = enum_value(2, c->types[0]->labels[1].order);
    columns[2].type = type_array_of(type_enum(2));
    if (table_build(&spec, &t, &err) < 0)
        fail_msg("%s", err.text);
    spec_by_token(t);
    if (catalog_with_table(c, t, &next, &err) < 0)
        fail_msg("%s", err.text);
    table_unref(t);
    catalog_unref(c);
    return next;
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
    assert_int_equal(catalog_table(back, "public", "paint", NULL)->columns[1].type, type_enum(2));
    assert_int_equal(back->type_next, 3);
    again = print(back);
    assert_string_equal(again, golden);
    mem_free(doc);
    mem_free(again);
    catalog_unref(c);
    catalog_unref(back);
}

/* Labels lie between their neighbors, as often as there is room; numbers never change. */
static void test_labels(void **state)
{
    struct user_type *t = color();
    struct user_label_spec spec = {.neighbor = "red", .after = true};
    int64_t red = t->labels[1].order;
    char name[16];
    int n = 0;
    int rc;

    (void)state;
    assert_string_equal(t->labels[0].name, "pink");
    assert_string_equal(t->labels[1].name, "red");
    assert_string_equal(t->labels[2].name, "lila");
    spec.name = "red";
    assert_int_equal(catalog_type_add(t, &spec, NULL), DN_E_DUPLICATE_OBJECT);
    spec.if_missing = true;
    assert_int_equal(catalog_type_add(t, &spec, NULL), DN_NOT_FOUND);
    spec.name = name;
    do {
        (void)snprintf(name, sizeof name, "n%d", n);
        rc = catalog_type_add(t, &spec, NULL);
    } while (rc == 0 && n++ < 100);
    assert_int_equal(rc, DN_E_TOO_COMPLEX);
    assert_in_range(n, 28, 31);
    t->number = 1;
    assert_int_equal(catalog_type_check(t, NULL), 0);
    assert_int_equal(t->labels[1].order, red);
    assert_string_equal(catalog_type_label_at(t, red)->name, "red");
    assert_null(catalog_type_label_at(t, ENUM_ORDER_MAX));
    spec = (struct user_label_spec){.name = "x", .neighbor = "nobody"};
    assert_int_equal(catalog_type_add(t, &spec, NULL), DN_E_INVALID_PARAM);
    assert_int_equal(catalog_type_rename_label(t, "red", "pink", NULL), DN_E_DUPLICATE_OBJECT);
    assert_int_equal(catalog_type_rename_label(t, "red", "rot", NULL), 0);
    assert_string_equal(catalog_type_label_at(t, red)->name, "rot");
    catalog_type_unref(t);
}

/* As many as there may be, and one more between any two. */
static void test_many(void **state)
{
    struct user_type *t = catalog_type_new("public", "many");
    struct user_label_spec spec = {.of = USER_TYPE_LABELS_MAX - 1};
    char name[16];

    (void)state;
    spec.name = name;
    for (uint32_t i = 0; i + 1 < USER_TYPE_LABELS_MAX; i++) {
        (void)snprintf(name, sizeof name, "n%u", i);
        assert_int_equal(catalog_type_add(t, &spec, NULL), 0);
    }
    spec = (struct user_label_spec){.name = "more", .neighbor = "n4000"};
    assert_int_equal(catalog_type_add(t, &spec, NULL), 0);
    spec = (struct user_label_spec){.name = "too many"};
    assert_int_equal(catalog_type_add(t, &spec, NULL), DN_E_TOO_COMPLEX);
    t->number = TYPE_ENUM_MAX;
    assert_true(enum_value(t->number, t->labels[USER_TYPE_LABELS_MAX - 1].order) > 0);
    catalog_type_unref(t);
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
    refused("\"type_next\": 3", "\"type_next\": 2", "types[0].number");
    refused("\"number\": 2", "\"number\": 1", "types");
    refused("\"name\": \"lila\"", "\"name\": \"red\"", "types[0]");
    refused("\"order\": 1073741824", "\"order\": 1", "types[0]");
    refused("\"type\": \"ENUM(2)\"", "\"type\": \"ENUM(1)\"", "\"paint\".\"c\"");
    refused("\"type\": \"ENUM(2)[]\"", "\"type\": \"ENUM(1)[]\"", "\"paint\".\"a\"");
    refused("\"type\": \"ENUM(2)\"", "\"type\": \"ENUM\"", "columns[1].type");
    refused("\"type\": \"ENUM(2)\"", "\"type\": \"ENUM(2\"", "columns[1].type");
    refused("\"schema\": \"public\",\n   \"name\": \"color\"",
            "\"schema\": \"x\", \"name\": \"color\"",
            "types[0].schema");
    refused("\"default\": 4399120252928", "\"default\": 7", "\"paint\".\"c\"");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_many),
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
    return cmocka_run_group_tests_name("catalog_6", tests, NULL, NULL);
}
