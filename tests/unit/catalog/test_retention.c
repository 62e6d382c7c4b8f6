/* SPDX-License-Identifier: Apache-2.0
 *
 * Retention: texts of the option, the horizon that follows, and what the catalog keeps of both. */
#include "spec_text.h"

#include "catalog/catalog.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN     DN_GOLDEN_DIR "/catalog-5-retention.json"
#define DAY_MS     INT64_C(86400000)
#define HOUR_MS    INT64_C(3600000)
#define S_NS       INT64_C(1000000000)
#define NEW_YEAR_S INT64_C(1704067200) /* 2024-01-01 */

static struct table *make(const char *with)
{
    struct table *t = NULL;
    struct dn_err err = {0};
    char sql[512];

    (void)snprintf(sql,
                   sizeof sql,
                   "CREATE TABLE t (time TIMESTAMP, v BIGINT, PRIMARY KEY (time)) WITH (%s)",
                   with);
    if (spec_text_build(sql, &t, &err) < 0)
        fail_msg("%s: %s", with, err.text);
    return t;
}

static void test_parse(void **state)
{
    static const struct {
        const char *text;
        struct retention r; /* kind NONE: it is none */
    } rows[] = {
        {"30 days", {.kind = RETENTION_AGE, .seconds = 30 * 86400}},
        {" 12 h ", {.kind = RETENTION_AGE, .seconds = 12 * 3600}},
        {"1h30m", {.kind = RETENTION_AGE, .seconds = 5400}},
        {"3 months", {.kind = RETENTION_AGE, .months = 3}},
        {"1 year 2 mons 3D", {.kind = RETENTION_AGE, .months = 14, .seconds = 3 * 86400}},
        {"500 GB", {.kind = RETENTION_BYTES, .count = UINT64_C(500) << 30}},
        {"2 MiB", {.kind = RETENTION_BYTES, .count = 2 << 20}},
        {"64kb", {.kind = RETENTION_BYTES, .count = 64 << 10}},
        {"100B", {.kind = RETENTION_BYTES, .count = 100}},
        {"5m", {.kind = RETENTION_AGE, .seconds = 300}},
        {"5M", {.kind = RETENTION_AGE, .seconds = 300}},
        {"30 partitions", {.kind = RETENTION_SLABS, .count = 30}},
        {"1 Slab", {.kind = RETENTION_SLABS, .count = 1}},
        {"", {.kind = RETENTION_NONE}},
        {"30", {.kind = RETENTION_NONE}},
        {"days", {.kind = RETENTION_NONE}},
        {"-1 days", {.kind = RETENTION_NONE}},
        {"0 days", {.kind = RETENTION_NONE}},
        {"0 GB", {.kind = RETENTION_NONE}},
        {"0 partitions", {.kind = RETENTION_NONE}},
        {"2 GB 1 day", {.kind = RETENTION_NONE}},
        {"1 day 2 GB", {.kind = RETENTION_NONE}},
        {"3 partitions 1 day", {.kind = RETENTION_NONE}},
        {"1 day and", {.kind = RETENTION_NONE}},
        {"1 fortnight", {.kind = RETENTION_NONE}},
        {"9223372036854775807 weeks", {.kind = RETENTION_NONE}},
        {"99999999999999999999 s", {.kind = RETENTION_NONE}},
        {"9223372036854775807 TB", {.kind = RETENTION_NONE}},
        {"200000 years", {.kind = RETENTION_NONE}},
        {"1 aaaaaaaaaaaaaaaaaaaaaaaaaaaa", {.kind = RETENTION_NONE}},
    };
    enum late_rows late;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        struct retention r = {.kind = RETENTION_NONE};
        bool good = retention_parse(rows[i].text, &r);

        if (good != (rows[i].r.kind != RETENTION_NONE))
            fail_msg("'%s' is %s", rows[i].text, good ? "taken" : "refused");
        if (good && (r.kind != rows[i].r.kind || r.months != rows[i].r.months ||
                     r.seconds != rows[i].r.seconds || r.count != rows[i].r.count))
            fail_msg("'%s': %d %" PRId64 " %" PRId64 " %" PRIu64,
                     rows[i].text,
                     (int)r.kind,
                     r.months,
                     r.seconds,
                     r.count);
    }
    assert_true(retention_late("drop", &late));
    assert_int_equal(late, LATE_DROP);
    assert_true(retention_late("Reject", &late));
    assert_int_equal(late, LATE_REJECT);
    assert_false(retention_late("keep", &late));
}

static void test_age(void **state)
{
    static const struct {
        const char *with;
        int64_t now_s; /* from NEW_YEAR_S */
        int64_t days;  /* the horizon, likewise */
    } rows[] = {
        /* The slab that has the time stays. */
        {"retention = '1 day'", 0, -1},
        {"retention = '1 day'", 1, -1},
        {"retention = '1 day'", 86399, -1},
        {"retention = '1 day'", 86400, 0},
        {"retention = '12 h'", 0, -1},
        {"retention = '12 h'", 43200, 0},
        {"retention = '1 month'", 30 * 86400 + 5, -31 + 30}, /* of the 31st: 2023-12-31 */
        {"retention = '1 month'", 59 * 86400, 28},           /* 29 February: 29 January */
        {"retention = '2 months'", 59 * 86400 + 86400, 0},   /* 1 March */
        {"retention = '1 year'", 59 * 86400, -365 + 58},     /* 28 February 2023 */
        {"retention = '1 month 1 d'", 31 * 86400, -1},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        struct table *t = make(rows[i].with);
        int64_t got = retention_horizon(t, (NEW_YEAR_S + rows[i].now_s) * S_NS + 7, NULL, 0);
        int64_t want = NEW_YEAR_S * 1000 + rows[i].days * DAY_MS;

        if (got != want)
            fail_msg("%zu: %" PRId64 " days off", i, (got - want) / DAY_MS);
        table_unref(t);
    }
}

static void test_edges(void **state)
{
    struct table *t = make("retention = '300000 days'");
    struct table *n = make("retention = '1 day'");
    int64_t now = NEW_YEAR_S * S_NS;
    int64_t next;

    (void)state;
    /* Before 1970, and before all times there are. */
    assert_int_equal(retention_horizon(t, now, NULL, 0),
                     NEW_YEAR_S * 1000 - INT64_C(300000) * DAY_MS);
    t->retention.seconds = INT64_MAX;
    assert_int_equal(retention_horizon(t, now, NULL, 0), RETENTION_NO_HORIZON);
    t->retention.seconds = INT64_MAX / 100;
    assert_int_equal(retention_horizon(t, now, NULL, 0), RETENTION_NO_HORIZON);
    assert_int_equal(retention_horizon(n, INT64_MIN, NULL, 0),
                     table_slab(n, INT64_MIN / 1000000 - DAY_MS));
    /* It does not move back. */
    n->horizon = (NEW_YEAR_S + 86400) * 1000;
    assert_int_equal(retention_horizon(n, now, NULL, 0), n->horizon);
    /* When it moves next: then, and not before. */
    n->horizon = RETENTION_NO_HORIZON;
    next = retention_next(n, now + 5 * S_NS);
    assert_int_equal(next, NEW_YEAR_S + 86400);
    assert_true(retention_horizon(n, next * S_NS, NULL, 0) >
                retention_horizon(n, next * S_NS - 1, NULL, 0));
    t->retention.seconds = INT64_MAX;
    DN_IGNORE(retention_next(t, now));
    t->retention.kind = RETENTION_NONE;
    assert_int_equal(retention_horizon(t, now, NULL, 0), RETENTION_NO_HORIZON);
    assert_int_equal(retention_next(t, now), INT64_MAX);
    table_unref(n);
    table_unref(t);
}

/* When a slab goes: then its end is at the horizon, and a second before it is not. */
static void test_gone(void **state)
{
    static const char *const withs[] = {"retention = '1 day'",
                                        "retention = '36 h'",
                                        "retention = '1 month'",
                                        "retention = '13 months'",
                                        "retention = '1 month 3 d 5 h'"};
    struct table *t;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(withs); i++) {
        t = make(withs[i]);
        for (int64_t day = -400; day < 800; day++) {
            int64_t end = NEW_YEAR_S * 1000 + day * DAY_MS;
            int64_t gone = retention_gone(t, end);

            if (retention_horizon(t, gone * S_NS, NULL, 0) < end ||
                retention_horizon(t, (gone - 1) * S_NS, NULL, 0) >= end)
                fail_msg("%s: day %d", withs[i], (int)day);
        }
        assert_int_equal(retention_gone(t, INT64_MAX), INT64_MAX);
        table_unref(t);
    }
    t = make("retention = '3 partitions'");
    assert_int_equal(retention_gone(t, 0), INT64_MAX);
    table_unref(t);
}

static void test_counts(void **state)
{
    static const struct retention_slab slabs[] = {
        {.start = 10 * DAY_MS, .rows = 5, .bytes = 100},
        {.start = 11 * DAY_MS, .rows = 0, .bytes = 0},
        {.start = 14 * DAY_MS, .rows = 1, .bytes = 300},
        {.start = 15 * DAY_MS, .rows = 9, .bytes = 200},
        {.start = 17 * DAY_MS, .rows = 0, .bytes = 0},
        {.start = 19 * DAY_MS, .rows = 7, .bytes = 900}, /* the future does not count */
    };
    const int64_t now = 18 * DAY_MS * 1000000;
    static const struct {
        const char *with;
        int64_t day; /* 0 = none */
    } rows[] = {
        {"retention = '1 partitions'", 15},
        {"retention = '2 partitions'", 14},
        {"retention = '3 partitions'", 10},
        {"retention = '4 partitions'", 0},
        {"retention = '600 B'", 0},
        {"retention = '599 B'", 14},
        {"retention = '500 B'", 14},
        {"retention = '499 B'", 15},
        {"retention = '1 B'", 15}, /* the newest stays, whatever its size */
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        struct table *t = make(rows[i].with);
        int64_t got = retention_horizon(t, now, slabs, DN_ARRAY_SIZE(slabs));

        if (got != (rows[i].day ? rows[i].day * DAY_MS : RETENTION_NO_HORIZON))
            fail_msg("%s: %" PRId64, rows[i].with, got / DAY_MS);
        assert_int_equal(retention_horizon(t, now, NULL, 0), RETENTION_NO_HORIZON);
        t->horizon = 20 * DAY_MS;
        assert_int_equal(retention_horizon(t, now, slabs, DN_ARRAY_SIZE(slabs)), 20 * DAY_MS);
        table_unref(t);
    }
}

/* The definition, and what ALTER makes of it. */
static void test_options(void **state)
{
    static const struct option_spec longer[] = {
        {.name = {.s = "retention"}, .value = "60 days", .quoted = true}};
    static const struct option_spec slab[] = {{.name = {.s = "slab"}, .value = "7 days"}};
    static const struct option_spec reset[] = {{.name = {.s = "Retention"}}};
    static const struct option_spec bad[] = {{.name = {.s = "retension"}}};
    static const struct option_spec time[] = {{.name = {.s = "time"}}};
    const struct table_rows_span none = {.any = false};
    struct table *t = make("retention = '30 days', late_rows = 'drop'");
    struct dn_err err = {0};
    struct buf b;

    (void)state;
    assert_int_equal(t->late, LATE_DROP);
    t->horizon = 20 * DAY_MS;
    assert_int_equal(table_set_options(t, longer, 1, &none, NULL), 0);
    assert_int_equal(t->retention.seconds, 60 * 86400);
    assert_int_equal(t->late, LATE_DROP);
    assert_int_equal(t->horizon, 20 * DAY_MS);
    buf_init(&b, NULL);
    table_print_create(t, &b);
    buf_u8(&b, '\0');
    assert_non_null(strstr((char *)b.data, "late_rows = 'drop'"));
    assert_non_null(strstr((char *)b.data, "retention = '60 days'"));
    buf_done(&b);
    /* No row lies there: other slabs, and the horizon is the start of one. */
    assert_int_equal(table_set_options(t, slab, 1, &none, NULL), 0);
    assert_int_equal(t->horizon, 14 * DAY_MS);
    assert_int_equal(table_check(t, NULL), 0);
    assert_int_equal(table_set_options(t, reset, 1, &none, NULL), 0);
    assert_int_equal(t->retention.kind, RETENTION_NONE);
    assert_int_equal(t->horizon, RETENTION_NO_HORIZON);
    assert_int_equal(t->late, LATE_DROP);
    table_unref(t);

    t = make("retention = '1 day'");
    assert_int_equal(table_set_options(t, bad, 1, &none, &err), DN_E_UNDEFINED_OBJECT);
    table_unref(t);
    t = make("retention = '1 day'");
    assert_int_equal(table_set_options(t, time, 1, &none, &err), DN_E_KEY_RULE);
    table_unref(t);
}

/* ---- the catalog ---- */

static struct catalog *sample(void)
{
    static const char doc[] = "{\"format\": 1, \"version\": 1, \"table_id_next\": 1, \"schemas\": "
                              "[{\"name\": \"public\", \"replication\": \"\"}], \"tables\": []}";
    struct table *t = make("retention = '30 days', late_rows = 'drop'");
    struct catalog *none = NULL, *c = NULL, *next = NULL;
    struct catalog_horizon up;

    assert_int_equal(catalog_parse(doc, sizeof doc - 1, &none, NULL), 0);
    assert_int_equal(catalog_with_table(none, t, &c, NULL), 0);
    up = (struct catalog_horizon){.table = t->id, .version = t->version, .horizon = 20 * DAY_MS};
    assert_int_equal(catalog_with_horizons(c, &up, 1, &next, NULL), 0);
    table_unref(t);
    catalog_unref(none);
    catalog_unref(c);
    return next;
}

static void test_edit(void **state)
{
    struct catalog *c = sample();
    struct catalog *next = NULL;
    struct catalog_horizon ups[] = {
        {.table = 99, .version = 1, .horizon = 30 * DAY_MS},
        {.table = c->tables[0]->id, .version = 2, .horizon = 30 * DAY_MS},
        {.table = c->tables[0]->id, .version = 1, .horizon = 10 * DAY_MS},
    };

    (void)state;
    assert_int_equal(c->tables[0]->version, 1);
    assert_int_equal(c->tables[0]->horizon, 20 * DAY_MS);
    assert_int_equal(catalog_with_horizons(c, ups, 3, &next, NULL), 0);
    assert_int_equal(next->tables[0]->horizon, 20 * DAY_MS); /* gone, altered, not later */
    assert_ptr_equal(next->tables[0], c->tables[0]);
    catalog_unref(next);
    catalog_unref(c);
}

static char *print(struct catalog *c)
{
    struct buf b;

    buf_init(&b, NULL);
    assert_int_equal(catalog_print(c, &b, NULL), 0);
    buf_u8(&b, '\0');
    return (char *)b.data;
}

static char *read_golden(void)
{
    FILE *f = fopen(GOLDEN, "rb");
    char *text = calloc(1, 65536);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, f) > 0);
    fclose(f);
    return text;
}

static void test_golden(void **state)
{
    struct catalog *c = sample();
    struct catalog *back = NULL;
    char *golden = read_golden();
    char *doc = print(c);

    (void)state;
    assert_string_equal(doc, golden);
    assert_int_equal(catalog_parse(golden, strlen(golden), &back, NULL), 0);
    assert_int_equal(back->tables[0]->horizon, 20 * DAY_MS);
    assert_int_equal(back->tables[0]->retention.seconds, 30 * 86400);
    assert_int_equal(back->tables[0]->late, LATE_DROP);
    mem_free(doc);
    free(golden);
    catalog_unref(back);
    catalog_unref(c);
}

/* Bytes of a document that cannot be. */
static void test_damage(void **state)
{
    static const char *const rows[][2] = {
        {"\"horizon\": 1728000000", "\"horizon\": 1728000001"},
        {"\"horizon\": 1728000000", "\"horizon\": \"x\""},
        {"\"value\": \"30 days\"", "\"value\": \"x\""},
        {"\"value\": \"drop\"", "\"value\": \"x\""},
        {"\"name\": \"retention\"", "\"name\": \"comment\""},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        char *golden = read_golden();
        char *at = strstr(golden, rows[i][0]);
        char *doc = malloc(strlen(golden) + 100);
        struct catalog *c = NULL;
        struct dn_err err = {0};

        if (!at)
            fail_msg("no %s in the document", rows[i][0]);
        assert_non_null(doc);
        sprintf(doc, "%.*s%s%s", (int)(at - golden), golden, rows[i][1], at + strlen(rows[i][0]));
        if (catalog_parse(doc, strlen(doc), &c, &err) != DN_E_CORRUPT)
            fail_msg("%s is read", rows[i][1]);
        free(doc);
        free(golden);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_age),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_edit),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_damage),
    };

    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        struct catalog *c = sample();
        char *doc = print(c);
        FILE *f = fopen(GOLDEN, "wb");

        if (f) {
            (void)fputs(doc, f);
            (void)fclose(f);
        }
        mem_free(doc);
        catalog_unref(c);
        return f ? 0 : 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
