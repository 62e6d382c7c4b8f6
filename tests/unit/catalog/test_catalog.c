/* SPDX-License-Identifier: Apache-2.0
 *
 * The catalog: edits, look-ups, the document and back, storage. Damage to it is in
 * test_catalog_damage.c. */
#include "spec_text.h"

#include "base/json.h"
#include "catalog/catalog.h"
#include "catalog/table_constraint.h"
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

    assert_int_equal(spec_text_build_old(sql, &t, &err), 0);
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

/* Format 1 as the first release wrote it: read for ever, and still written so. */
static void test_golden(void **state)
{
    char *golden = spec_read_file(DN_GOLDEN_DIR, "catalog-1.json");
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

/* What format 2 adds: defaults that are expressions, constraints. */
static struct catalog *sample_catalog_2(void)
{
    static const uint16_t cols[] = {0, 2};
    static const struct constraint_spec specs[] = {
        {.kind = TABLE_CHECK, .text = "(c > 0)", .cols = &cols[1], .cols_count = 1},
        {.kind = TABLE_CHECK, .text = "(c > 1)", .cols = &cols[1], .cols_count = 1},
        {.kind = TABLE_CHECK, .text = "(c > a)", .cols = cols, .cols_count = 2, .not_valid = true},
        {.kind = TABLE_CHECK, .text = "true", .name = {.s = "a \"name\""}},
        {.kind = TABLE_UNIQUE, .text = "", .cols = cols, .cols_count = 2},
        {.kind = TABLE_FOREIGN, .text = "REFERENCES u (x)", .cols = cols, .cols_count = 1},
    };
    struct spec_name b = {.s = "b"};
    struct catalog *c = empty_catalog();
    struct catalog *next = NULL;
    struct table *t = NULL;

    assert_int_equal(
        spec_text_build_old(
            "CREATE TABLE t (a BIGINT, b VARCHAR DEFAULT 'x', c BIGINT, PRIMARY KEY (a))",
            &t,
            NULL),
        0);
    assert_int_equal(table_set_default(t, &b, "upper('y')", NULL), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(specs); i++)
        assert_int_equal(table_add_constraint(t, &specs[i], NULL), 0);
    assert_int_equal(catalog_with_table(c, t, &next, NULL), 0);
    table_unref(t);
    catalog_unref(c);
    return next;
}

static void test_golden_2(void **state)
{
    static const char *const names[] = {
        "t_c_check", "t_c_check1", "t_check", "a \"name\"", "t_a_c_key", "t_a_fkey"};
    char *golden = spec_read_file(DN_GOLDEN_DIR, "catalog-2.json");
    struct catalog *c = sample_catalog_2();
    struct catalog *old = NULL;
    char *doc = print(c);
    const struct table *t;

    (void)state;
    assert_string_equal(doc, golden);
    assert_int_equal(catalog_parse(golden, strlen(golden), &old, NULL), 0);
    check_same(c, old);
    t = old->tables[0];
    assert_string_equal(t->columns[1].def_sql, "upper('y')");
    assert_int_equal(t->constraints_count, DN_ARRAY_SIZE(names));
    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++) {
        assert_string_equal(t->constraints[i].name, names[i]);
        assert_string_equal(t->constraints[i].text, c->tables[0]->constraints[i].text);
        assert_int_equal(t->constraints[i].not_valid, i == 2);
    }
    mem_free(doc);
    free(golden);
    catalog_unref(old);
    catalog_unref(c);
}

static void test_constraints(void **state)
{
    struct catalog *c = sample_catalog_2();
    struct spec_name check1 = {.s = "t_c_check1"};
    struct spec_name key = {.s = "t_pkey"};
    struct spec_name none = {.s = "none"};
    struct spec_name col = {.s = "c"};
    struct constraint_spec twice = {.kind = TABLE_CHECK, .name = {.s = "t_check"}, .text = "true"};
    struct dn_err err = {0};
    struct table *t = NULL;

    (void)state;
    assert_int_equal(table_copy(c->tables[0], &t, &err), 0);
    assert_int_equal(table_add_constraint(t, &twice, &err), DN_E_DUPLICATE_OBJECT);
    assert_int_equal(table_drop_constraint(t, &none, &err), DN_E_UNDEFINED_OBJECT);
    assert_int_equal(table_drop_constraint(t, &key, &err), DN_E_UNSUPPORTED);
    assert_int_equal(table_rename_constraint(t, &check1, &key, &err), DN_E_DUPLICATE_OBJECT);
    assert_int_equal(table_rename_constraint(t, &check1, &none, &err), 0);
    assert_non_null(table_constraint_find(t, "none"));
    assert_int_equal(table_drop_constraint(t, &none, &err), 0);
    assert_int_equal(t->constraints_count, 5);
    /* A column takes the constraints that name it with it. */
    assert_int_equal(table_drop_column(t, &col, &err), 0);
    assert_int_equal(t->constraints_count, 2);
    assert_string_equal(t->constraints[0].name, "a \"name\"");
    assert_string_equal(t->constraints[1].name, "t_a_fkey");
    table_unref(t);
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

static void check_page(const char *name)
{
    char *golden = spec_read_file(DN_GOLDEN_DIR, name);
    char *page = spec_read_file(DN_DOCS_DIR, "format/catalog.md");
    const struct dn_json *root = NULL;
    struct arena arena;

    arena_init(&arena, NULL);
    assert_int_equal(dn_json_parse(&arena, golden, strlen(golden), &root, NULL), 0);
    check_documented(root, page);
    arena_done(&arena);
    free(golden);
    free(page);
}

static void test_documented(void **state)
{
    (void)state;
    check_page("catalog-1.json");
    check_page("catalog-2.json");
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
    assert_string_equal(err.text, "relation \"GeoChekin\" does not exist");
    assert_string_equal(err.hint, "Perhaps you meant \"GeoCheckin\".");
    assert_null(catalog_table(c, "public", "events", &err));
    assert_string_equal(err.hint, "schema \"dev\" has one");
    assert_null(catalog_table(c, "dev", "zebra", &err));
    assert_string_equal(err.text, "relation \"dev.zebra\" does not exist");
    assert_string_equal(err.hint, "");
    assert_null(catalog_table(c, "pubic", "x", &err));
    assert_int_equal(err.code, DN_E_UNDEFINED_SCHEMA);
    assert_string_equal(err.text, "schema \"pubic\" does not exist");
    assert_string_equal(err.hint, "Perhaps you meant \"public\".");
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
    assert_int_equal(spec_text_build_old("CREATE TABLE GeoCheckin (a INT)", &t, NULL), 0);
    assert_int_equal(catalog_with_table(c, t, &next, &err), DN_E_DUPLICATE_TABLE);
    assert_string_equal(err.text, "relation \"GeoCheckin\" already exists");
    assert_int_equal(t->id, 0);
    table_unref(t);
    assert_int_equal(spec_text_build_old("CREATE TABLE nowhere.t (a INT)", &t, NULL), 0);
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
            v, CATALOG_DOC, "{\"format\": 10}", 14, c->generation, &c->generation, &err),
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
        cmocka_unit_test(test_golden_2),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_documented),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_load_save),
    };

    /* --print, --print2: the document of the sample catalog, to be looked at or kept as a golden
     * file. */
    if (argc == 2 && strncmp(argv[1], "--print", 7) == 0) {
        struct catalog *c = argv[1][7] == '2' ? sample_catalog_2() : sample_catalog();
        char *doc = print(c);

        (void)fputs(doc, stdout);
        mem_free(doc);
        catalog_unref(c);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
