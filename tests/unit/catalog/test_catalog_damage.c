/* SPDX-License-Identifier: Apache-2.0
 *
 * Every kind of damage to the catalog document: the error names the place, nothing leaks, and what
 * still parses keeps every invariant. */
#include "base/json.h"
#include "catalog/catalog.h"
#include "catalog/table_int.h"
#include "spec_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_damage(const char *doc, size_t n, int code, const char *text)
{
    struct catalog *c = NULL;
    struct dn_err err = {0};
    size_t used = mem_process_used();
    int rc = catalog_parse(doc, n, &c, &err);

    if (rc != code || strcmp(err.text, text) != 0)
        fail_msg("got %s: %s\nwant %s: %s", dn_code_name(rc), err.text, dn_code_name(code), text);
    assert_null(c);
    assert_int_equal(mem_process_used(), used);
}

/* A tree back to text, but for the value at the path, which is written as given ("" leaves it out).
 */
static void print_damaged(struct dn_json_writer *w,
                          const struct dn_json *v,
                          const char *here,
                          const char *path,
                          const char *to)
{
    bool object = v->kind == DN_JSON_OBJECT;
    bool found = false;

    dn_json_begin(w, NULL, object ? '{' : '[');
    for (size_t i = 0; i < v->count; i++) {
        const struct dn_json *item = &v->items[i];
        char there[256];

        if (object)
            (void)snprintf(there, sizeof there, "%s%s%s", here, here[0] ? "." : "", item->name);
        else
            (void)snprintf(there, sizeof there, "%s[%zu]", here, i);
        found = found || strcmp(there, path) == 0;
        if (strcmp(there, path) == 0 && !to[0])
            continue;
        /* The name alone, then the value, so that any text can stand for it. */
        buf_puts(w->b, w->started >> w->depth & 1 ? ",\n" : "\n");
        w->started |= (uint32_t)1 << w->depth;
        if (object)
            buf_printf(w->b, "\"%s\":", item->name);
        if (strcmp(there, path) == 0) {
            buf_puts(w->b, to);
        } else if (item->kind == DN_JSON_OBJECT || item->kind == DN_JSON_ARRAY) {
            struct dn_json_writer inner = dn_json_writer_make(w->b);

            print_damaged(&inner, item, there, path, to);
        } else {
            struct dn_json_writer inner = dn_json_writer_make(w->b);

            switch (item->kind) {
            case DN_JSON_NULL:
                dn_json_put_null(&inner, NULL);
                break;
            case DN_JSON_BOOL:
                dn_json_put_bool(&inner, NULL, item->integer != 0);
                break;
            case DN_JSON_INT:
                dn_json_put_int(&inner, NULL, item->integer);
                break;
            case DN_JSON_REAL:
                dn_json_put_real(&inner, NULL, item->real);
                break;
            case DN_JSON_STRING:
            case DN_JSON_ARRAY:
            case DN_JSON_OBJECT:
                dn_json_put_text(&inner, NULL, item->str, item->len);
                break;
            }
        }
    }
    if (here[0] == '\0' && !strpbrk(path, ".[") && !found)
        buf_printf(w->b, ",\"%s\":%s", path, to); /* a new member of the document */
    dn_json_end(w, object ? '}' : ']');
}

/* Sets one value of the golden document, given by a path as the errors have it. */
static void damage_in(const char *name, const char *path, const char *to, const char *text)
{
    char *golden = spec_read_file(DN_GOLDEN_DIR, name);
    const struct dn_json *root = NULL;
    struct arena arena;
    struct dn_json_writer w;
    struct buf b;

    arena_init(&arena, NULL);
    buf_init(&b, NULL);
    assert_int_equal(dn_json_parse(&arena, golden, strlen(golden), &root, NULL), 0);
    w = dn_json_writer_make(&b);
    print_damaged(&w, root, "", path, to);
    expect_damage((const char *)b.data, b.len, DN_E_CORRUPT, text);
    buf_done(&b);
    arena_done(&arena);
    free(golden);
}

static void damage(const char *path, const char *to, const char *text)
{
    damage_in("catalog-1.json", path, to, text);
}

static void test_damage_2(void **state)
{
    static const char *const rows[][3] = {
        {"tables[0].columns[1].default_sql",
         "\"\"",
         "catalog: tables[0].columns[1].default_sql: not an expression"},
        {"tables[0].columns[1].default_sql",
         "7",
         "catalog: tables[0].columns[1].default_sql: not a string"},
        {"tables[0].upsert",
         "\"field\"",
         "catalog: tables[0].upsert: by field, but the default of column \"b\" is an expression"},
        {"tables[0].constraints", "7", "catalog: tables[0].constraints: not an array"},
        {"tables[0].constraints[0].kind",
         "\"x\"",
         "catalog: tables[0].constraints[0].kind: there is no kind \"x\""},
        {"tables[0].constraints[0].name",
         "\"\"",
         "catalog: tables[0].constraints[0].name: not a name"},
        {"tables[0].constraints[1].name",
         "\"t_c_check\"",
         "catalog: tables[0].constraints[1].name: \"t_c_check\" is another's too"},
        {"tables[0].constraints[0].text",
         "\"\"",
         "catalog: tables[0].constraints[0].text: not one"},
        {"tables[0].constraints[0].columns[0]",
         "9",
         "catalog: tables[0].constraints[0].columns[0]: not the id of a column"},
        {"tables[0].constraints[0].valid",
         "1",
         "catalog: tables[0].constraints[0].valid: neither true nor false"},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++)
        damage_in("catalog-2.json", rows[i][0], rows[i][1], rows[i][2]);
}

static void test_damage(void **state)
{
    (void)state;
    expect_damage("", 0, DN_E_CORRUPT, "catalog: line 1, column 1: not a value");
    expect_damage("[]", 2, DN_E_CORRUPT, "catalog: document: not an object");
    expect_damage("{}", 2, DN_E_CORRUPT, "catalog: format: missing");
    expect_damage("{\"format\": \"1\"}", 15, DN_E_CORRUPT, "catalog: format: not an integer");
    expect_damage("{\"format\": 10, \"new\": {}}",
                  25,
                  DN_E_VERSION,
                  "catalog: format 10 is of a newer release of Dendro; this one reads up to 9");
    damage("format", "0", "catalog: format: 0 is not from 1 to 9223372036854775807");
    damage("tables", "", "catalog: tables: missing");
    damage("tables", "{}", "catalog: tables: not an array");
    damage("colour", "1", "catalog: document: unknown members");
    damage("table_id_next", "6", "catalog: tables[3].id: 6 is not below table_id_next");
    damage("schemas[0].name", "\"x\"", "catalog: schemas[1].name: \"public\" is out of order");
    damage("schemas[1].name", "\"x\"", "catalog: schemas: \"public\" is missing");
    damage("schemas[0].name", "\"\"", "catalog: schemas[0].name: empty");
    damage("schemas[0].replication", "7", "catalog: schemas[0].replication: not a string");
    damage("tables[1].id", "3", "catalog: tables: two of them have the id 3");
    damage("tables[1].name", "\"dev\"", "catalog: tables[1].name: \"dev\" is out of order");
    damage("tables[1].name",
           "\"a\\u0000b\"",
           "catalog: tables[1].name: more than 255 bytes, or a NUL among them");
    damage("tables[0].schema", "\"x\"", "catalog: tables[0].schema: there is no schema \"x\"");
    damage("tables[0].name", "\"\"", "catalog: tables[0].name: not a name");
    damage("tables[0].version", "0", "catalog: tables[0].version: 0 is not from 1 to 4294967295");
    damage("tables[3]", "null", "catalog: tables[3]: not an object");
    damage(
        "tables[0].upsert", "\"cell\"", "catalog: tables[0].upsert: there is no upsert \"cell\"");
    damage("tables[0].spread", "4", "catalog: tables[0].spread: 4");
    damage("tables[4].key.form", "\"cql\"", "catalog: tables[4].key.form: does not fit the key");
}

static void test_damage_columns(void **state)
{
    (void)state;
    damage("tables[2].columns", "[]", "catalog: tables[2].key.series[0]: not the id of a column");
    damage("tables[2].columns[1].type",
           "\"INT\"",
           "catalog: tables[2].columns[1].type: there is no type \"INT\"");
    damage("tables[2].columns[1].type", "", "catalog: tables[2].columns[1].type: missing");
    damage(
        "tables[2].columns[1].id", "1", "catalog: tables[2].key.series[1]: not the id of a column");
    damage(
        "tables[2].columns[4].id", "1", "catalog: tables[2].columns[4].id: 1 is columns[0]'s too");
    damage("tables[2].columns[4].id", "6", "catalog: tables[2].columns[4].id: 6 is not below 6");
    damage("tables[2].columns[0].name",
           "\"state\"",
           "catalog: tables[2].columns[1].name: \"state\" is columns[0]'s too");
    damage("tables[2].columns[0].not_null",
           "1",
           "catalog: tables[2].columns[0].not_null: neither true nor false");
    damage("tables[2].columns[0].not_null",
           "false",
           "catalog: tables[2].key.local[0]: column \"region\" allows NULL");
    damage("tables[0].columns[1].default",
           "1",
           "catalog: tables[0].columns[1].default: neither true nor false");
    damage("tables[0].columns[2].default",
           "\"0\"",
           "catalog: tables[0].columns[2].default: not a value of BLOB");
    damage(
        "tables[0].columns[2].default", "\"0g\"", "catalog: tables[0].columns[2].default: not hex");
    damage("tables[0].columns[3].default",
           "1.5",
           "catalog: tables[0].columns[3].default: not an integer");
    damage("tables[0].columns[3].default",
           "70000",
           "catalog: tables[0].columns[3].default: not a value of the column");
    damage("tables[2].columns[4].default",
           "1",
           "catalog: tables[2].columns[4].default: not a number with a point");
    damage("tables[1].columns[3].default",
           "1e300",
           "catalog: tables[1].columns[3].default: not a value of the column");
    damage("tables[0].columns[4].not_null",
           "true",
           "catalog: tables[0].columns[4].default: not a value of the column");
}

static void test_damage_key(void **state)
{
    (void)state;
    damage("tables[2].key.form",
           "\"btree\"",
           "catalog: tables[2].key.form: there is no form \"btree\"");
    damage("tables[2].key.form", "\"range\"", "catalog: tables[2].key.form: does not fit the key");
    damage("tables[2].key.series[0]",
           "2",
           "catalog: tables[2].key.series[0]: differs from the local key");
    damage("tables[2].key.series[0]",
           "99999999999",
           "catalog: tables[2].key.series[0]: not the id of a column");
    damage("tables[2].key.local[0]",
           "{\"column\": 2, \"desc\": false}",
           "catalog: tables[2].key.local[1]: no column, or one named before");
    damage("tables[2].key.local[0].desc",
           "0",
           "catalog: tables[2].key.local[0].desc: neither true nor false");
    damage("tables[2].key.local[2]",
           "{\"column\": 4, \"desc\": false}",
           "catalog: tables[2].key.local[2]: column \"weather\" allows NULL");
    damage("tables[2].key.clustering_clause",
           "true",
           "catalog: tables[2].key.clustering_clause: does not fit the form");
    damage("tables[2].time",
           "1",
           "catalog: tables[2].time: column \"region\" is no NOT NULL time stamp");
    damage("tables[2].time",
           "null",
           "catalog: tables[2].slabs: 1 without a time column, or none with one");
    damage("tables[2].time", "\"time\"", "catalog: tables[2].time: not the id of a column");
    damage("tables[2].quantum", "null", "catalog: tables[2].key.quantum: does not fit the key");
    damage("tables[2].quantum.count",
           "0",
           "catalog: tables[2].quantum.count: 0 is not from 1 to 9223372036854775807");
    damage("tables[2].quantum.count",
           "16",
           "catalog: tables[2].quantum: does not fit the newest slab rule");
    damage("tables[2].quantum.unit", "\"y\"", "catalog: tables[2].quantum.unit: not d, h, m or s");
    damage("tables[2].quantum.unit", "\"M\"", "catalog: tables[2].quantum.unit: not d, h, m or s");
    damage("tables[5].upsert", "\"field\"", "catalog: tables[5].upsert: by field without a key");
    damage("tables[4].quantum", "null", "catalog: tables[4].quantum: missing");
    damage("tables[2].slabs",
           "[]",
           "catalog: tables[2].slabs: 0 without a time column, or none with one");
    damage("tables[2].slabs[0].from", "5", "catalog: tables[2].slabs[0].from: out of order");
    damage("tables[2].slabs[0].slab",
           "0",
           "catalog: tables[2].slabs[0].slab: 0 is not from 1 to 9223372036854775807");
    damage("tables[2].slabs[0].slab",
           "900001",
           "catalog: tables[2].slabs[0]: slab 900001 is no multiple of quantum 900000");
    damage("tables[1].options[0].name", "\"\"", "catalog: tables[1].options[0]: bad name or value");
    damage("tables[1].options[0].quoted", "", "catalog: tables[1].options[0].quoted: missing");
}

/* Every prefix is damage; every flipped bit is either damage or still a catalog that keeps all
 * invariants. */
static void sweep(const char *name)
{
    char *golden = spec_read_file(DN_GOLDEN_DIR, name);
    size_t n = strlen(golden);
    size_t used;
    size_t good = 0;

    used = mem_process_used();
    for (size_t len = 0; len < n - 2; len += 1 + len / 512) {
        char *part = malloc(len + 1);
        struct catalog *c = NULL;

        assert_non_null(part);
        memcpy(part, golden, len);
        assert_int_equal(catalog_parse(part, len, &c, NULL), DN_E_CORRUPT);
        free(part);
    }
    for (size_t bit = 0; bit < 8 * n; bit += 1 + bit % 13) {
        struct catalog *c = NULL;
        int rc;

        golden[bit / 8] = (char)(golden[bit / 8] ^ 1 << bit % 8);
        rc = catalog_parse(golden, n, &c, NULL);
        assert_true(rc == 0 || rc == DN_E_CORRUPT || rc == DN_E_VERSION);
        for (size_t i = 0; c && i < c->tables_count; i++)
            assert_int_equal(table_check(c->tables[i], NULL), 0);
        good += rc == 0 ? 1 : 0;
        catalog_unref(c);
        golden[bit / 8] = (char)(golden[bit / 8] ^ 1 << bit % 8);
    }
    assert_true(good >
                0); /* a letter of a name may change unseen: the volume's checksum is for that */
    assert_int_equal(mem_process_used(), used);
    free(golden);
}

static void test_sweep(void **state)
{
    (void)state;
    sweep("catalog-1.json");
    sweep("catalog-2.json");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_damage_2),
        cmocka_unit_test(test_damage_columns),
        cmocka_unit_test(test_damage_key),
        cmocka_unit_test(test_sweep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
