/* SPDX-License-Identifier: Apache-2.0
 *
 * The answers of DESCRIBE and SHOW, cell by cell. */
#include "spec_text.h"

#include "catalog/describe.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Rows as text: cells between |, NULL as nothing. */
static const char *page_text(const struct describe *d)
{
    static char text[8192];
    size_t n = 0;

    for (size_t i = 0; i < d->cols_count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i ? "|" : "", d->names[i]);
    for (size_t i = 0; i < d->rows_count * d->cols_count; i++) {
        const struct datum *c = &d->cells[i];

        n += (size_t)snprintf(text + n, sizeof text - n, "%s", i % d->cols_count ? "|" : "\n");
        assert_int_equal(c->type, d->types[i % d->cols_count]);
        if (c->null)
            continue;
        if (c->type == TYPE_VARCHAR)
            n += (size_t)snprintf(text + n, sizeof text - n, "%.*s", (int)c->str.len, c->str.ptr);
        else if (c->type == TYPE_BOOLEAN)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", c->v.i64 ? "true" : "false");
        else
            n += (size_t)snprintf(text + n, sizeof text - n, "%" PRId64, c->v.i64);
    }
    return text;
}

static void check_table(const char *sql, const char *described, const char *status)
{
    struct arena arena;
    struct describe d;
    struct table *t = NULL;

    assert_int_equal(spec_text_build(sql, &t, NULL), 0);
    arena_init(&arena, NULL);
    assert_int_equal(describe_table(NULL, t, &arena, &d, NULL), 0);
    assert_string_equal(page_text(&d), described);
    assert_int_equal(describe_status(NULL, t, NULL, &arena, &d, NULL), 0);
    assert_string_equal(page_text(&d), status);
    arena_done(&arena);
    table_unref(t);
}

#define DESCRIBE_HEAD "Column|Type|Nullable|Partition Key|Local Key|Interval|Unit|Sort Order\n"
#define STATUS_HEAD   "Section|Index|Name|Value\n"

static void test_describe(void **state)
{
    (void)state;
    check_table("CREATE TABLE GeoCheckin (region VARCHAR NOT NULL, state VARCHAR NOT NULL, time "
                "TIMESTAMP NOT NULL, weather VARCHAR NOT NULL, temperature DOUBLE, PRIMARY KEY "
                "((region, state, QUANTUM(time, 15, 'm')), region, state, time DESC))",
                DESCRIBE_HEAD "region|VARCHAR|false|1|1|||ASC\n"
                              "state|VARCHAR|false|2|2|||ASC\n"
                              "time|TIMESTAMP|false|3|3|15|m|DESC\n"
                              "weather|VARCHAR|false|||||\n"
                              "temperature|DOUBLE|true|||||",
                STATUS_HEAD "table||name|public.GeoCheckin\n"
                            "table||status|active\n"
                            "table||id|0\n"
                            "table||version|1\n"
                            "table||key form|local key repeats the partition key\n"
                            "column|1|region|VARCHAR NOT NULL\n"
                            "column|2|state|VARCHAR NOT NULL\n"
                            "column|3|time|TIMESTAMP NOT NULL\n"
                            "column|4|weather|VARCHAR NOT NULL\n"
                            "column|5|temperature|DOUBLE\n"
                            "partition key|1|region|\n"
                            "partition key|2|state|\n"
                            "partition key|3|time|QUANTUM 15 m\n"
                            "local key|1|region|ASC\n"
                            "local key|2|state|ASC\n"
                            "local key|3|time|DESC\n"
                            "storage||time column|time\n"
                            "storage||quantum|15m\n"
                            "storage||slab|1d\n"
                            "storage||upsert|row\n"
                            "storage||spread|1");
    check_table("CREATE TABLE t (a TIMESTAMP(6), b BOOLEAN DEFAULT true, PRIMARY KEY (a, b)) WITH "
                "(quantum = '6h', upsert = 'field')",
                DESCRIBE_HEAD "a|TIMESTAMP(6)|false|1|1|6|h|ASC\n"
                              "b|BOOLEAN|false||2|||ASC",
                STATUS_HEAD "table||name|public.t\n"
                            "table||status|active\n"
                            "table||id|0\n"
                            "table||version|1\n"
                            "table||key form|range partitioned by time\n"
                            "column|1|a|TIMESTAMP(6) NOT NULL\n"
                            "column|2|b|BOOLEAN NOT NULL DEFAULT true\n"
                            "partition key|1|a|QUANTUM 6 h\n"
                            "local key|1|a|ASC\n"
                            "local key|2|b|ASC\n"
                            "storage||time column|a\n"
                            "storage||quantum|6h\n"
                            "storage||slab|1d\n"
                            "storage||upsert|field\n"
                            "storage||spread|1\n"
                            "option||quantum|6h\n"
                            "option||upsert|field");
    check_table("CREATE TABLE \"my t\" (a INT)",
                DESCRIBE_HEAD "a|INTEGER|true|||||",
                STATUS_HEAD "table||name|public.\"my t\"\n"
                            "table||status|active\n"
                            "table||id|0\n"
                            "table||version|1\n"
                            "table||key form|none: rows are kept as they come\n"
                            "column|1|a|INTEGER\n"
                            "storage||slab|one for all rows\n"
                            "storage||upsert|row\n"
                            "storage||spread|1");
}

static void test_show(void **state)
{
    static const struct catalog_path dev = {.schema = "dev"};
    static const struct catalog_path plain = {.schema = "public"};
    static const char doc[] =
        "{\"format\": 1, \"version\": 0, \"table_id_next\": 1, \"schemas\": [{\"name\": "
        "\"dev\", \"replication\": \"{'class': 'X'}\"}, {\"name\": \"public\", \"replication\": "
        "\"\"}], \"tables\": []}";
    struct catalog *c = NULL;
    struct catalog *next = NULL;
    struct table *t = NULL;
    static const struct describe_setting settings[] = {{"strict_keys", "on", "Refuse."},
                                                       {"memtable_size", "64MB", "Size."}};
    struct arena arena;
    struct describe d;

    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(catalog_parse(doc, sizeof doc - 1, &c, NULL), 0);
    assert_int_equal(spec_text_build("CREATE TABLE dev.foo (bar INT PRIMARY KEY)", &t, NULL), 0);
    assert_int_equal(catalog_with_table(c, t, &next, NULL), 0);
    assert_int_equal(describe_schemas(next, &arena, &d, NULL), 0);
    assert_string_equal(page_text(&d), "Schema|Replication\ndev|{'class': 'X'}\npublic|");
    assert_int_equal(describe_tables(next, 0, &dev, &arena, &d, NULL), 0);
    assert_string_equal(page_text(&d), "Table|Status\nfoo|Active");
    assert_int_equal(describe_tables(next, 0, &plain, &arena, &d, NULL), 0);
    assert_string_equal(page_text(&d), "Table|Status");
    assert_int_equal(describe_create(NULL, t, &arena, &d, NULL), 0);
    assert_string_equal(page_text(&d),
                        "SQL\nCREATE TABLE dev.foo (\n    bar INTEGER NOT NULL,\n    PRIMARY KEY "
                        "(bar)\n);");
    assert_int_equal(describe_settings(settings, 2, &arena, &d, NULL), 0);
    assert_string_equal(page_text(&d),
                        "Name|Value|Description\nstrict_keys|on|Refuse.\nmemtable_size|64MB|Size.");
    table_unref(t);
    catalog_unref(next);
    catalog_unref(c);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_show),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
