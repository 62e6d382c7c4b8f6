/* SPDX-License-Identifier: Apache-2.0
 *
 * The catalog: edits, look-ups, the document and back, and every kind of damage to it. */
#include "spec_text.h"

#include "base/json.h"
#include "catalog/catalog.h"
#include "catalog/table_int.h"
#include "volume/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const sample[] = {
    "CREATE TABLE GeoCheckin (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time TIMESTAMP NOT "
    "NULL, weather VARCHAR DEFAULT 'it''s fine', temperature DOUBLE DEFAULT 0.1, PRIMARY KEY "
    "((region, state, QUANTUM(time, 15, 'm')), region, state, time DESC)) WITH (n_val = 3)",
    "CREATE TABLE dev.events (device_id INT, year_month INT, sequence TIMESTAMP(6), pressure REAL "
    "DEFAULT -2.5, PRIMARY KEY ((device_id, year_month), sequence)) WITH CLUSTERING ORDER BY "
    "(sequence DESC) AND upsert = 'field' AND comment = 'grün'",
    "CREATE TABLE dev.device (device_id INT PRIMARY KEY, on_since BOOLEAN DEFAULT true, raw BLOB "
    "DEFAULT X'00ff', n SMALLINT DEFAULT -7, none BIGINT DEFAULT NULL)",
    "CREATE TABLE measurements (collected_at TIMESTAMP(9), sensor_id VARCHAR, PRIMARY KEY "
    "(collected_at, sensor_id)) WITH (quantum = '6h', slab = '3d', spread = 4)",
    "CREATE TABLE notes (at TIMESTAMP DEFAULT TIMESTAMP '2024-02-29T12:00:00.000Z', body VARCHAR) "
    "WITH (time = 'at')",
    "CREATE TABLE Notes (body VARCHAR)",
};

static struct catalog *empty_catalog(void)
{
    static const char doc[] =
        "{\"format\": 1, \"version\": 0, \"table_id_next\": 1, \"schemas\": [{\"name\": "
        "\"public\", \"replication\": \"\"}], \"tables\": []}";
    struct catalog *c = NULL;

    assert_int_equal(catalog_parse(doc, sizeof doc - 1, &c, NULL), 0);
    return c;
}

static struct catalog *with_table(struct catalog *c, const char *sql)
{
    struct catalog *next = NULL;
    struct table *t = NULL;
    struct dn_err err = {0};

    assert_int_equal(spec_text_build(sql, &t, &err), 0);
    if (catalog_with_table(c, t, &next, &err) != 0)
        fail_msg("%s", err.text);
    table_unref(t);
    catalog_unref(c);
    return next;
}

static struct catalog *sample_catalog(void)
{
    struct catalog *c = empty_catalog();
    struct catalog *next = NULL;

    assert_int_equal(
        catalog_with_schema(
            c, "dev", "{'class': 'SimpleStrategy', 'replication_factor': 1}", &next, NULL),
        0);
    catalog_unref(c);
    for (size_t i = 0; i < DN_ARRAY_SIZE(sample); i++)
        next = with_table(next, sample[i]);
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

static void check_same(const struct catalog *a, const struct catalog *b)
{
    assert_int_equal(a->version, b->version);
    assert_int_equal(a->table_id_next, b->table_id_next);
    assert_int_equal(a->schemas_count, b->schemas_count);
    for (size_t i = 0; i < a->schemas_count; i++) {
        assert_string_equal(a->schemas[i].name, b->schemas[i].name);
        assert_string_equal(a->schemas[i].replication, b->schemas[i].replication);
    }
    assert_int_equal(a->tables_count, b->tables_count);
    for (size_t i = 0; i < a->tables_count; i++) {
        assert_int_equal(a->tables[i]->id, b->tables[i]->id);
        assert_int_equal(a->tables[i]->version, b->tables[i]->version);
        assert_true(spec_same_table(a->tables[i], b->tables[i]));
    }
}

static void test_round_trip(void **state)
{
    struct catalog *c = sample_catalog();
    struct catalog *again = NULL;
    char *doc = print(c);
    char *doc_again;

    (void)state;
    assert_int_equal(catalog_parse(doc, strlen(doc), &again, NULL), 0);
    check_same(c, again);
    doc_again = print(again);
    assert_string_equal(doc, doc_again);
    mem_free(doc_again);
    mem_free(doc);
    catalog_unref(again);
    catalog_unref(c);
}

static char *read_file(const char *dir, const char *name)
{
    char path[512];
    char *text = malloc(1 << 20);
    FILE *f;
    size_t n;

    assert_non_null(text);
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "rb");
    if (!f)
        fail_msg("cannot open %s", path);
    n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    return text;
}

/* Format 1 as the first release wrote it: read for ever, and still written so. */
static void test_golden(void **state)
{
    char *golden = read_file(DN_GOLDEN_DIR, "catalog-1.json");
    struct catalog *c = sample_catalog();
    struct catalog *old = NULL;
    char *doc = print(c);

    (void)state;
    assert_int_equal(catalog_parse(golden, strlen(golden), &old, NULL), 0);
    check_same(c, old);
    assert_string_equal(doc, golden);
    mem_free(doc);
    free(golden);
    catalog_unref(old);
    catalog_unref(c);
}

/* Every member of the golden document is in the format's page, between backticks. */
static void check_documented(const struct dn_json *v, const char *page)
{
    char word[64];

    for (size_t i = 0; i < v->count; i++) {
        (void)snprintf(word, sizeof word, "`%s`", v->items[i].name ? v->items[i].name : "");
        if (v->items[i].name && !strstr(page, word))
            fail_msg("docs/format/catalog.md does not mention %s", word);
        check_documented(&v->items[i], page);
    }
}

static void test_documented(void **state)
{
    char *golden = read_file(DN_GOLDEN_DIR, "catalog-1.json");
    char *page = read_file(DN_DOCS_DIR, "format/catalog.md");
    const struct dn_json *root = NULL;
    struct arena arena;

    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(dn_json_parse(&arena, golden, strlen(golden), &root, NULL), 0);
    check_documented(root, page);
    arena_done(&arena);
    free(golden);
    free(page);
}

/* ---- damage ---- */

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
static void damage(const char *path, const char *to, const char *text)
{
    char *golden = read_file(DN_GOLDEN_DIR, "catalog-1.json");
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

static void test_damage(void **state)
{
    (void)state;
    expect_damage("", 0, DN_E_CORRUPT, "catalog: line 1, column 1: not a value");
    expect_damage("[]", 2, DN_E_CORRUPT, "catalog: document: not an object");
    expect_damage("{}", 2, DN_E_CORRUPT, "catalog: format: missing");
    expect_damage("{\"format\": \"1\"}", 15, DN_E_CORRUPT, "catalog: format: not an integer");
    expect_damage("{\"format\": 2, \"new\": {}}",
                  24,
                  DN_E_VERSION,
                  "catalog: format 2 is of a newer release of Dendro; this one reads up to 1");
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
    damage("tables[0].upsert", "\"cell\"", "catalog: tables[0].upsert: neither row nor field");
    damage("tables[0].spread", "4", "catalog: tables[0].spread: 4");
    damage("tables[4].key.form", "\"cql\"", "catalog: tables[4].key.form: does not fit the key");
}

static void test_damage_columns(void **state)
{
    (void)state;
    damage("tables[2].columns", "[]", "catalog: tables[2].key.series[0]: not the id of a column");
    damage("tables[3].columns", "[]", "catalog: tables[3].columns: 0 of them");
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
static void test_sweep(void **state)
{
    char *golden = read_file(DN_GOLDEN_DIR, "catalog-1.json");
    size_t n = strlen(golden);
    size_t used;
    size_t good = 0;

    (void)state;
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

/* ---- look-ups and edits ---- */

static void test_lookup(void **state)
{
    struct catalog *c = sample_catalog();
    struct dn_err err = {0};

    (void)state;
    assert_string_equal(catalog_table(c, "public", "GeoCheckin", NULL)->name, "GeoCheckin");
    assert_string_equal(catalog_table(c, "PUBLIC", "geocheckin", NULL)->name, "GeoCheckin");
    assert_string_equal(catalog_table(c, "public", "notes", &err)->name, "notes");
    assert_string_equal(catalog_table(c, "public", "Notes", &err)->name, "Notes");
    assert_null(catalog_table(c, "public", "NOTES", &err));
    assert_int_equal(err.code, DN_E_AMBIGUOUS);
    assert_string_equal(err.text, "\"NOTES\" fits more than one table");
    assert_null(catalog_table(c, "public", "GeoChekin", &err));
    assert_int_equal(err.code, DN_E_UNDEFINED_TABLE);
    assert_string_equal(err.text, "there is no table \"GeoChekin\"");
    assert_string_equal(err.hint, "did you mean \"GeoCheckin\"?");
    assert_null(catalog_table(c, "public", "events", &err));
    assert_string_equal(err.hint, "schema \"dev\" has one");
    assert_null(catalog_table(c, "dev", "zebra", &err));
    assert_string_equal(err.text, "there is no table \"dev.zebra\"");
    assert_string_equal(err.hint, "");
    assert_null(catalog_table(c, "pubic", "x", &err));
    assert_int_equal(err.code, DN_E_UNDEFINED_SCHEMA);
    assert_string_equal(err.text, "there is no schema \"pubic\"");
    assert_string_equal(err.hint, "did you mean \"public\"?");
    assert_string_equal(catalog_schema(c, "Dev", NULL)->name, "dev");
    assert_null(catalog_schema(c, "x", NULL));
    assert_string_equal(catalog_table_by_id(c, 2)->name, "events");
    assert_null(catalog_table_by_id(c, 99));
    catalog_unref(c);
}

static void test_edits(void **state)
{
    struct catalog *c = sample_catalog();
    struct catalog *next = NULL;
    struct table *t = NULL;
    struct dn_err err = {0};
    size_t count = c->tables_count;

    (void)state;
    assert_int_equal(spec_text_build("CREATE TABLE GeoCheckin (a INT)", &t, NULL), 0);
    assert_int_equal(catalog_with_table(c, t, &next, &err), DN_E_DUPLICATE_TABLE);
    assert_string_equal(err.text, "table \"GeoCheckin\" exists already");
    assert_int_equal(t->id, 0);
    table_unref(t);
    assert_int_equal(spec_text_build("CREATE TABLE nowhere.t (a INT)", &t, NULL), 0);
    assert_int_equal(catalog_with_table(c, t, &next, &err), DN_E_UNDEFINED_SCHEMA);
    table_unref(t);

    assert_int_equal(catalog_without_table(c, 99, &next, &err), DN_E_UNDEFINED_TABLE);
    assert_int_equal(catalog_without_table(c, 1, &next, &err), 0);
    assert_int_equal(c->tables_count, count);
    assert_non_null(catalog_table_by_id(c, 1));
    assert_int_equal(next->tables_count, count - 1);
    assert_null(catalog_table_by_id(next, 1));
    assert_int_equal(next->version, c->version + 1);
    /* An id is never used again. */
    next = with_table(next, "CREATE TABLE GeoCheckin (a INT)");
    assert_int_equal(catalog_table(next, "public", "GeoCheckin", NULL)->id, c->table_id_next);
    catalog_unref(next);

    assert_int_equal(catalog_with_schema(c, "dev", NULL, &next, &err), DN_E_DUPLICATE_SCHEMA);
    assert_int_equal(catalog_with_schema(c, "", NULL, &next, &err), DN_E_BAD_NAME);
    assert_int_equal(catalog_with_schema(c, "x", "\xff", &next, &err), DN_E_BAD_ENCODING);
    assert_int_equal(catalog_without_schema(c, "dev", &next, &err), DN_E_DEPENDENT);
    assert_string_equal(err.text, "schema \"dev\" still has tables: \"device\", \"events\"");
    assert_int_equal(catalog_without_schema(c, "public", &next, &err), DN_E_DEPENDENT);
    assert_string_equal(err.text, "schema \"public\" is always there");
    assert_int_equal(catalog_without_schema(c, "nope", &next, &err), DN_E_UNDEFINED_SCHEMA);
    assert_int_equal(catalog_without_schema(c, "nope", &next, NULL), DN_E_UNDEFINED_SCHEMA);
    assert_int_equal(catalog_with_schema(c, "zoo", NULL, &next, &err), 0);
    assert_string_equal(next->schemas[2].name, "zoo");
    catalog_unref(c);
    assert_int_equal(catalog_without_schema(next, "ZOO", &c, &err), 0);
    assert_int_equal(c->schemas_count, 2);
    catalog_unref(next);
    catalog_unref(c);
}

/* ---- storage ---- */

static void test_load_save(void **state)
{
    struct sim_disk *disk = sim_disk_new(7);
    struct volume *v = NULL;
    struct catalog *c = NULL;
    struct catalog *next = NULL;
    struct catalog *other = NULL;
    struct dn_err err = {0};

    (void)state;
    assert_int_equal(sim_volume_open(disk, 7, &v, &err), 0);
    assert_int_equal(catalog_load(v, &c, &err), 0);
    assert_int_equal(c->generation, 0);
    assert_int_equal(c->schemas_count, 1);
    assert_string_equal(c->schemas[0].name, "public");
    assert_int_equal(catalog_with_schema(c, "dev", NULL, &next, &err), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(sample); i++)
        next = with_table(next, sample[i]);
    assert_int_equal(catalog_save(v, next, &err), 0);
    assert_true(next->generation > 0);
    /* Whoever still holds the old one is too late. */
    assert_int_equal(catalog_save(v, c, &err), DN_E_CONFLICT);
    assert_int_equal(catalog_load(v, &other, &err), 0);
    assert_int_equal(other->generation, next->generation);
    check_same(next, other);
    catalog_unref(other);
    catalog_unref(next);
    catalog_unref(c);
    volume_close(v);

    /* The next process finds it again; a foreign document is refused. */
    assert_int_equal(sim_volume_open(disk, 8, &v, &err), 0);
    assert_int_equal(catalog_load(v, &c, &err), 0);
    assert_int_equal(c->tables_count, DN_ARRAY_SIZE(sample));
    assert_int_equal(
        volume_doc_replace(
            v, CATALOG_DOC, "{\"format\": 9}", 13, c->generation, &c->generation, &err),
        0);
    assert_int_equal(catalog_load(v, &other, &err), DN_E_VERSION);
    catalog_unref(c);
    volume_close(v);
    sim_disk_free(disk);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_documented),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_damage_columns),
        cmocka_unit_test(test_damage_key),
        cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_load_save),
    };

    /* --print: the document of the sample catalog, to be looked at or kept as a golden file. */
    if (argc == 2 && strcmp(argv[1], "--print") == 0) {
        struct catalog *c = sample_catalog();
        char *doc = print(c);

        (void)fputs(doc, stdout);
        mem_free(doc);
        catalog_unref(c);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
