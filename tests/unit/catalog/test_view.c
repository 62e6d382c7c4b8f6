/* SPDX-License-Identifier: Apache-2.0
 *
 * Views in the catalog: building, look-ups in one name space with tables, edits, the document and
 * every kind of damage to it. */
#include "spec_text.h"

#include "catalog/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN_2 DN_GOLDEN_DIR "/catalog-2-views.json"
#define GOLDEN_5 DN_GOLDEN_DIR "/catalog-5-views.json"

static char *read_file(const char *name)
{
    char *text = malloc(1 << 16);
    FILE *f = fopen(name, "rb");

    assert_non_null(text);
    assert_non_null(f);
    text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
    (void)fclose(f);
    return text;
}

static char *read_golden(void)
{
    return read_file(GOLDEN_2);
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

static const char *const names[] = {"a", "größe"};
static const enum type_id types[] = {TYPE_INTEGER, TYPE_VARCHAR};

static struct catalog *
with_view(struct catalog *c, const char *name, const char *query, const struct view_use *use)
{
    struct view_spec spec = {.schema = "public",
                             .name = name,
                             .query = query,
                             .query_len = strlen(query),
                             .names = names,
                             .types = types,
                             .columns_count = 2,
                             .uses = use,
                             .uses_count = use ? 1 : 0};
    struct catalog *next = NULL;
    struct view *v = NULL;

    assert_int_equal(view_build(&spec, &v, NULL), 0);
    assert_int_equal(catalog_with_view(c, v, &next, NULL), 0);
    view_unref(v);
    catalog_unref(c);
    return next;
}

/* A temporary table (4), and comments. */
static struct catalog *more(struct catalog *c)
{
    struct spec_name column = {.s = "a"};
    struct catalog *next = NULL;
    const char *schema = "pg_temp_1";
    struct table *t = NULL;

    assert_int_equal(catalog_with_temp_schema(c, schema, &next, NULL), 0);
    catalog_unref(c);
    assert_int_equal(spec_text_build_old("CREATE TABLE tmp (a INT PRIMARY KEY)", &t, NULL), 0);
    assert_int_equal(table_move(t, schema, "tmp", NULL), 0);
    assert_int_equal(table_set_comment(t, &column, "a number", NULL), 0);
    assert_int_equal(table_set_comment(t, NULL, "it's temporary", NULL), 0);
    t->temp = TABLE_TEMP_DELETE;
    assert_int_equal(catalog_with_table(next, t, &c, NULL), 0);
    table_unref(t);
    catalog_unref(next);
    assert_int_equal(catalog_with_comment(c, "public", "for all", &next, NULL), 0);
    catalog_unref(c);
    return next;
}

/* A table t (1), a view of it (2), a view of that (3). */
static struct catalog *sample(void)
{
    static const char doc[] =
        "{\"format\": 1, \"version\": 0, \"table_id_next\": 1, \"schemas\": [{\"name\": "
        "\"public\", \"replication\": \"\"}], \"tables\": []}";
    uint32_t columns[] = {1, 2};
    struct view_use of_table = {.id = 1, .columns = columns, .columns_count = 2};
    struct view_use of_view = {.id = 2};
    struct catalog *c = NULL;
    struct catalog *next = NULL;
    struct table *t = NULL;

    assert_int_equal(catalog_parse(doc, sizeof doc - 1, &c, NULL), 0);
    assert_int_equal(
        spec_text_build_old("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR, c INT)", &t, NULL), 0);
    assert_int_equal(catalog_with_table(c, t, &next, NULL), 0);
    table_unref(t);
    catalog_unref(c);
    c = with_view(next, "v", "SELECT t.a, t.b FROM public.t", &of_table);
    return more(with_view(c, "a\"view", "SELECT v.a, v.\"größe\" FROM public.v", &of_view));
}

/* The same, and the first view is one that rows can be written through. */
static struct catalog *sample_writable(void)
{
    struct catalog *c = sample();
    struct catalog *next = NULL;
    struct view *v = NULL;

    assert_int_equal(view_copy(c->views[1], &v, NULL), 0);
    v->writable = true;
    v->check = VIEW_CHECK_CASCADED;
    assert_int_equal(catalog_with_view(c, v, &next, NULL), 0);
    view_unref(v);
    catalog_unref(c);
    return next;
}

/* Format 5: what rows that are written through a view must be. */
static void test_writable(void **state)
{
    char *golden = read_file(GOLDEN_5);
    struct catalog *c = sample_writable();
    struct catalog *read = NULL;
    char *doc = print(c);
    char *bad;
    struct view *v = NULL;

    (void)state;
    assert_string_equal(doc, golden);
    assert_int_equal(catalog_parse(golden, strlen(golden), &read, NULL), 0);
    assert_true(read->views[1]->writable);
    assert_int_equal(read->views[1]->check, VIEW_CHECK_CASCADED);
    assert_int_equal(view_copy(read->views[1], &v, NULL), 0);
    assert_true(v->writable && v->check == VIEW_CHECK_CASCADED);
    view_unref(v);
    catalog_unref(read);
    bad = strstr(golden, "\"cascaded\"");
    assert_non_null(bad);
    bad[1] = 'x';
    assert_int_equal(catalog_parse(golden, strlen(golden), &read, NULL), DN_E_CORRUPT);
    mem_free(doc);
    catalog_unref(c);
    free(golden);
}

static void write_file(const char *name, struct catalog *c)
{
    char *doc = print(c);
    FILE *f = fopen(name, "wb");

    assert_non_null(f);
    assert_int_equal(fputs(doc, f) >= 0, 1);
    (void)fclose(f);
    mem_free(doc);
    catalog_unref(c);
}

static void test_golden(void **state)
{
    char *golden = read_golden();
    struct catalog *c = sample();
    struct catalog *old = NULL;
    char *doc = print(c);
    char *again;

    (void)state;
    assert_string_equal(doc, golden);
    assert_int_equal(catalog_parse(golden, strlen(golden), &old, NULL), 0);
    again = print(old);
    assert_string_equal(again, golden);
    mem_free(again);
    mem_free(doc);
    free(golden);
    catalog_unref(old);
    catalog_unref(c);
}

static void test_lookup(void **state)
{
    struct catalog_relation r = {0};
    struct catalog *c = sample();
    struct dn_err err = {0};

    (void)state;
    assert_non_null(catalog_view(c, "public", "V", &err));
    assert_null(catalog_view(c, "public", "t", &err));
    assert_int_equal(err.code, DN_E_WRONG_OBJECT);
    assert_null(catalog_table(c, "public", "v", &err));
    assert_int_equal(err.code, DN_E_WRONG_OBJECT);
    assert_string_equal(err.text, "\"v\" is not a table");
    assert_int_equal(catalog_relation(c, "public", "T", &r, &err), 0);
    assert_true(r.table && !r.view);
    assert_int_equal(catalog_relation(c, "public", "v", &r, &err), 0);
    assert_true(r.view && !r.table);
    assert_true(view_reads(r.view, 1, 0) && view_reads(r.view, 1, 2));
    assert_false(view_reads(r.view, 1, 3) || view_reads(r.view, 2, 0));
    assert_int_equal(catalog_relation(c, "public", "none", &r, NULL), DN_NOT_FOUND);
    catalog_unref(c);
}

/* Names without a schema are temporary ones first; nobody sees those of others. */
static void test_path(void **state)
{
    struct catalog_path mine = {.temp = "pg_temp_1", .schema = "public"};
    struct catalog_path others = {.schema = "public"};
    struct catalog_relation r = {0};
    struct catalog *c = sample();
    struct dn_err err = {0};

    (void)state;
    assert_int_equal(catalog_resolve(c, &mine, NULL, "TMP", &r, &err), 0);
    assert_true(r.table && r.table->temp == TABLE_TEMP_DELETE);
    assert_int_equal(catalog_resolve(c, &mine, "pg_temp", "tmp", &r, &err), 0);
    assert_int_equal(catalog_resolve(c, &mine, "pg_temp_1", "tmp", &r, &err), 0);
    assert_int_equal(catalog_resolve(c, &mine, NULL, "t", &r, &err), 0);
    assert_int_equal(catalog_resolve(c, &others, NULL, "tmp", &r, &err), DN_E_UNDEFINED_TABLE);
    assert_string_equal(err.hint, "");
    assert_int_equal(catalog_resolve(c, &others, "pg_temp", "tmp", &r, &err),
                     DN_E_UNDEFINED_SCHEMA);
    assert_int_equal(catalog_resolve(c, &others, "pg_temp_1", "tmp", &r, &err),
                     DN_E_UNDEFINED_SCHEMA);
    catalog_unref(c);
}

static void test_edits(void **state)
{
    struct catalog *c = sample();
    struct catalog *next = NULL;
    struct view_spec bad = {.schema = "public",
                            .name = "t",
                            .query = "SELECT",
                            .query_len = 6,
                            .names = names,
                            .types = types,
                            .columns_count = 2};
    const char *const same[] = {"x", "x"};
    uint64_t ids[] = {1, 3};
    struct dn_err err = {0};
    struct table *t = NULL;
    struct view *v = NULL;

    (void)state;
    assert_int_equal(view_build(&bad, &v, &err), 0);
    assert_int_equal(catalog_with_view(c, v, &next, &err), DN_E_DUPLICATE_TABLE);
    view_unref(v);
    bad.names = same;
    assert_int_equal(view_build(&bad, &v, &err), DN_E_DUPLICATE_COLUMN);
    bad.name = "";
    assert_int_equal(view_build(&bad, &v, &err), DN_E_BAD_NAME);
    assert_int_equal(spec_text_build_old("CREATE TABLE v (a INT PRIMARY KEY)", &t, NULL), 0);
    assert_int_equal(catalog_with_table(c, t, &next, &err), DN_E_DUPLICATE_TABLE);
    table_unref(t);
    /* A table that is emptied has another id: who reads it knows. */
    assert_int_equal(table_copy(c->tables[1], &t, NULL), 0);
    assert_int_equal(catalog_with_changed_table(c, t, true, &next, &err), 0);
    assert_int_equal(t->id, 5);
    assert_true(view_reads(catalog_view(next, "public", "v", NULL), 5, 2));
    assert_false(view_reads(catalog_view(next, "public", "v", NULL), 1, 0));
    assert_true(view_reads(catalog_view(c, "public", "v", NULL), 1, 0));
    table_unref(t);
    catalog_unref(next);
    /* A table is in a schema that is there, or the document could not be read again. */
    assert_int_equal(table_copy(c->tables[1], &t, NULL), 0);
    assert_int_equal(table_move(t, "pg_temp_7", "b", NULL), 0);
    assert_int_equal(catalog_with_changed_table(c, t, false, &next, &err), DN_E_UNDEFINED_SCHEMA);
    table_unref(t);
    assert_int_equal(catalog_without(c, ids, 2, &next, &err), 0);
    assert_int_equal(next->tables_count, 1);
    assert_int_equal(next->views_count, 1);
    assert_string_equal(next->views[0]->name, "v");
    catalog_unref(next);
    catalog_unref(c);
}

/* The golden document with one text in it replaced. */
static void test_damage(void **state)
{
    static const struct {
        const char *from, *to, *text;
    } rows[] = {
        {"\"id\": 3,", "\"id\": 2,", "catalog: tables: two of them have the id 2"},
        {"\"id\": 3,", "\"id\": 9,", "catalog: views[0].id: 9 is not below table_id_next"},
        {"\"name\": \"v\"", "\"name\": \"t\"", "catalog: views[1].name: \"t\" is a table, too"},
        {"\"name\": \"v\"", "\"name\": \"\"", "catalog: views[1].name: empty"},
        {"\"name\": \"v\"", "\"name\": \"A\"", "catalog: views[1].name: \"A\" is out of order"},
        {"\"query\": \"SELECT t.a, t.b FROM public.t\"",
         "\"query\": \"\"",
         "catalog: views[1].query: empty"},
        {"\"query\": \"SELECT t.a, t.b FROM public.t\"",
         "\"query\": 1",
         "catalog: views[1].query: not a string"},
        {"\"id\": 2,\n     \"columns\"",
         "\"id\": 7,\n     \"columns\"",
         "catalog: views[0].uses: there is nothing with the id 7"},
        {"      1,\n      2",
         "      1,\n      7",
         "catalog: views[1].uses: there is no column with the id 7"},
        {"      1,\n      2",
         "      2,\n      1",
         "catalog: views[1].uses[0].columns: out of order"},
        {"      1,\n      2",
         "      1,\n      \"x\"",
         "catalog: views[1].uses[0].columns[1]: not an integer"},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        char *golden = read_golden();
        const char *at = strstr(golden, rows[i].from);
        const char *last = at;
        struct catalog *c = NULL;
        struct dn_err err = {0};
        struct buf b;

        assert_non_null(at);
        while ((at = strstr(last + 1, rows[i].from)) != NULL)
            last = at; /* views come last */
        buf_init(&b, NULL);
        buf_append(&b, golden, (size_t)(last - golden));
        buf_puts(&b, rows[i].to);
        buf_puts(&b, last + strlen(rows[i].from));
        assert_int_equal(catalog_parse(b.data, b.len, &c, &err), DN_E_CORRUPT);
        assert_string_equal(err.text, rows[i].text);
        buf_done(&b);
        free(golden);
    }
}

/* Every allocation of a round trip fails once. */
static void test_memory(void **state)
{
    char *golden = read_golden();

    (void)state;
    for (uint64_t n = 1;; n++) {
        size_t before = mem_process_used();
        struct catalog *c = NULL;
        struct catalog *next = NULL;
        struct view *v = NULL;
        bool hit;
        int rc;

        mem_fail_nth(n, false);
        rc = catalog_parse(golden, strlen(golden), &c, NULL);
        if (rc == 0)
            rc = view_copy(c->views[1], &v, NULL);
        if (rc == 0)
            rc = catalog_with_view(c, v, &next, NULL);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        view_unref(v);
        catalog_unref(next);
        catalog_unref(c);
        assert_int_equal(mem_process_used(), before);
        assert_int_equal(rc, hit ? DN_E_NOMEM : 0);
        if (!hit)
            break;
    }
    free(golden);
}

/* --write: the golden files anew. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_writable),
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_edits),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_memory),
    };

    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        write_file(GOLDEN_2, sample());
        write_file(GOLDEN_5, sample_writable());
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
