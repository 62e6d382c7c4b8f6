/* SPDX-License-Identifier: Apache-2.0
 *
 * Time partitions in the catalog: names of shards, when rollouts are, that all at once gives what
 * one after the other gives, the document and damage to it. */
#include "spec_text.h"

#include "catalog/rollout.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define GOLDEN   DN_GOLDEN_DIR "/catalog-4.json"
#define NEW_YEAR 1704067200 /* 2024-01-01 */
#define DAY      86400

/* ---- names ---- */

static void test_names(void **state)
{
    static const char *const chain[] = {"$0_F64CD191",
                                        "$1_A2620AE4",
                                        "$2_C429139B",
                                        "$3_8A26EC5C",
                                        "$4_3FDAE1EA",
                                        "$5_9FEC23C1",
                                        "$6_93A67B48"};
    char name[TIMEPART_NAME_MAX], before[TIMEPART_NAME_MAX] = "t";

    (void)state;
    for (uint32_t i = 0; i < DN_ARRAY_SIZE(chain); i++) {
        timepart_shard_name(i, before, name);
        assert_string_equal(name, chain[i]);
        memcpy(before, name, sizeof(name));
    }
    timepart_shard_name(1, "t1", name);
    assert_string_equal(name, "$1_7FC6B09");
    timepart_shard_name(1, "time_part_t", name);
    assert_string_equal(name, "$1_383D642F");
}

/* ---- when ---- */

static void test_points(void **state)
{
    static const struct {
        int64_t months, seconds, start;
        uint64_t n;
        int64_t want;
    } rows[] = {
        {0, DAY, NEW_YEAR, 0, NEW_YEAR},
        {0, DAY, NEW_YEAR, 31, NEW_YEAR + 31 * DAY},
        {1, 0, NEW_YEAR + 30 * DAY, 1, 1709164800},  /* January 31 to February 29 */
        {1, 0, NEW_YEAR + 30 * DAY, 2, 1711843200},  /* … to March 31 */
        {1, 0, NEW_YEAR + 30 * DAY, 13, 1740700800}, /* … to February 28, 2025 */
        {12, 0, 1709164800, 1, 1740700800},          /* February 29 to the 28th */
        {12, 0, 1709164800, 4, 1835395200},          /* … to the 29th, 2028 */
        {1, 0, -1, 1, 2678399},                      /* 1969-12-31 23:59:59 */
    };
    struct timepart p = {.months = 0};
    int64_t got;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        p.months = rows[i].months;
        p.seconds = rows[i].seconds;
        p.start = rows[i].start;
        assert_true(rollout_point(&p, rows[i].n, &got));
        if (got != rows[i].want)
            fail_msg("row %zu: %" PRId64 ", not %" PRId64, i, got, rows[i].want);
    }
    p = (struct timepart){.seconds = INT64_MAX / 2, .start = NEW_YEAR};
    assert_false(rollout_point(&p, 3, &got));
    p = (struct timepart){.seconds = 1, .start = 0};
    assert_int_equal(rollout_passed(&p, 0, NEW_YEAR), NEW_YEAR + 1);
    assert_int_equal(rollout_passed(&p, 10, 9), 0);
}

/* ---- one after the other, and all at once ---- */

static struct catalog *sample(enum timepart_style style, uint32_t retention, int64_t seconds)
{
    static const char doc[] =
        "{\"format\": 1, \"version\": 0, \"table_id_next\": 1, \"schemas\": [{\"name\": "
        "\"public\", \"replication\": \"\"}], \"tables\": []}";
    struct catalog *c = NULL, *next = NULL;
    struct table *t = NULL, *parent = NULL;
    struct timepart *p = mem_calloc(NULL, 1, sizeof(*p));

    assert_non_null(p);
    assert_int_equal(catalog_parse(doc, sizeof doc - 1, &c, NULL), 0);
    assert_int_equal(spec_text_build_old("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR)", &t, NULL),
                     0);
    assert_int_equal(catalog_with_table(c, t, &next, NULL), 0);
    catalog_unref(c);
    p->style = style;
    p->seconds = seconds;
    p->months = seconds ? 0 : 1;
    p->period = mem_strdup(NULL, "period");
    p->seed = mem_strdup(NULL, "t");
    p->retention = retention;
    p->start = NEW_YEAR;
    p->source[3] = 0xab;
    p->shards = mem_calloc(NULL, 1, sizeof(*p->shards));
    p->gone = mem_calloc(NULL, 1, sizeof(*p->gone));
    p->shards[0] = (struct timepart_shard){.id = t->id, .low = TIMEPART_LOW, .high = TIMEPART_HIGH};
    p->shards_count = 1;
    assert_int_equal(table_copy(t, &parent, NULL), 0);
    parent->timepart = p;
    assert_int_equal(table_move(parent, "public", "p", NULL), 0);
    parent->id = 0;
    assert_int_equal(catalog_with_timepart(next, parent, t->id, &c, NULL), 0);
    catalog_unref(next);
    table_unref(t);
    table_unref(parent);
    return c;
}

static const struct table *partition(const struct catalog *c)
{
    const struct table *t = catalog_table(c, "public", "p", NULL);

    assert_non_null(t);
    return t;
}

/* All that is due at this moment, step by step. */
static struct catalog *run_at(struct catalog *c, int64_t seconds)
{
    struct rollout_now now = {.seconds = seconds};
    enum rollout_act act;

    while ((act = rollout_due(partition(c)->timepart, &now)) != ROLLOUT_NOTHING) {
        struct catalog *next = NULL;

        assert_int_equal(rollout_edit(c, partition(c)->id, act, &now, &next, NULL), 0);
        catalog_unref(c);
        c = next;
    }
    return c;
}

/* … at every moment at which something is, until then. */
static struct catalog *run_until(struct catalog *c, int64_t seconds)
{
    for (;;) {
        struct rollout_now now = {.seconds = INT64_MIN};
        int64_t when;

        if (rollout_next(partition(c)->timepart, &now, &when) == ROLLOUT_NOTHING || when > seconds)
            return c;
        c = run_at(c, when);
    }
}

static void shards_text(const struct catalog *c, struct buf *b)
{
    const struct timepart *p = partition(c)->timepart;

    for (uint32_t i = 0; i < p->shards_count; i++)
        buf_printf(b,
                   "%s %" PRIu32 " %" PRId64 " %" PRId64 "\n",
                   catalog_table_by_id(c, p->shards[i].id)->name,
                   p->shards[i].number,
                   p->shards[i].low,
                   p->shards[i].high);
    buf_printf(b, "%" PRIu64 " rolls, %zu tables\n", p->rolls, c->tables_count);
    buf_u8(b, 0);
}

static void test_all_at_once(void **state)
{
    static const int64_t periods[] = {0, 60, 3600, DAY, 7 * DAY};

    (void)state;
    for (int style = 0; style < TIMEPART_STYLE_MAX; style++)
        for (size_t period = 0; period < DN_ARRAY_SIZE(periods); period++)
            for (uint32_t retention = 1; retention <= 5; retention++)
                for (int rolls = 0; rolls < 23; rolls++) {
                    struct catalog *one =
                        sample((enum timepart_style)style, retention, periods[period]);
                    struct catalog *all = catalog_ref(one);
                    int64_t until = 0;
                    struct buf a, b;

                    if (rolls > 0)
                        assert_true(
                            rollout_point(partition(one)->timepart, (uint64_t)rolls - 1, &until));
                    until += 10; /* what was evicted is dropped */
                    one = run_until(one, until);
                    all = run_at(all, until);
                    buf_init(&a, NULL);
                    buf_init(&b, NULL);
                    shards_text(one, &a);
                    shards_text(all, &b);
                    if (strcmp((const char *)a.data, (const char *)b.data) != 0)
                        fail_msg("style %d, period %" PRId64 ", retention %" PRIu32
                                 ", %d rolls:\n%s, not\n%s",
                                 style,
                                 periods[period],
                                 retention,
                                 rolls,
                                 (const char *)b.data,
                                 (const char *)a.data);
                    buf_done(&a);
                    buf_done(&b);
                    catalog_unref(one);
                    catalog_unref(all);
                }
}

/* ---- the document ---- */

static char *print(const struct catalog *c)
{
    struct buf b;
    size_t n;

    buf_init(&b, NULL);
    assert_int_equal(catalog_print(c, &b, NULL), 0);
    buf_u8(&b, 0);
    return (char *)buf_take(&b, &n);
}

/* With an evicted shard, and a table for the next rollout. */
static struct catalog *rolled(void)
{
    struct catalog *c = sample(TIMEPART_VIEW, 2, 20);

    c = run_at(c, NEW_YEAR);
    c = run_at(c, NEW_YEAR + 20);
    return run_at(c, NEW_YEAR + 20 + 15);
}

static char *read_golden(void)
{
    char *text = malloc(1 << 16);
    FILE *f = fopen(GOLDEN, "rb");

    assert_non_null(text);
    assert_non_null(f);
    text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
    (void)fclose(f);
    return text;
}

static void test_golden(void **state)
{
    char *golden = read_golden();
    struct catalog *c = rolled();
    struct catalog *back = NULL;
    char *doc = print(c);
    char *again;

    (void)state;
    assert_string_equal(doc, golden);
    assert_int_equal(catalog_parse(golden, strlen(golden), &back, NULL), 0);
    again = print(back);
    assert_string_equal(again, golden);
    mem_free(doc);
    mem_free(again);
    catalog_unref(c);
    catalog_unref(back);
    free(golden);
}

/* The golden document with one text in the place of another. */
static void damage(const char *what, const char *with, const char *why)
{
    char *golden = read_golden();

    spec_refused(golden, what, with, why);
    free(golden);
}

static void test_damage(void **state)
{
    (void)state;
    damage("\"style\": \"view\"", "\"style\": \"circle\"", "there is no style \"circle\"");
    damage("\"retention\": 2", "\"retention\": 0", "retention");
    damage("\"retention\": 2", "\"retention\": 1001", "retention");
    damage("\"seconds\": 20", "\"seconds\": 0", "period: not one");
    damage("\"manual\": false", "\"manual\": true", "period: not one");
    damage("\"source\": \"000000ab", "\"source\": \"000000aX", "not 32 hexadecimal digits");
    damage("\"rolls\": 2", "\"rolls\": -1", "rolls");
    damage("\"parent\": 2", "\"parent\": 1", "parent");
    damage("\"parent\": 2", "\"parent\": 77", "parent: 77 is no time partition");
    damage("\"high\": 1704067220", "\"high\": 1", "shards[1]: ends");
}

/* Every allocation fails once; nothing leaks. */
static void test_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        struct catalog *c = sample(TIMEPART_VIEW, 2, 20);
        struct rollout_now now = {.seconds = NEW_YEAR + 1000};
        size_t before = mem_process_used();
        struct catalog *next = NULL;
        bool hit;
        int rc;

        mem_fail_nth(n, false);
        rc = rollout_edit(c, partition(c)->id, ROLLOUT_ROLL, &now, &next, NULL);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        assert_int_equal(rc, hit ? DN_E_NOMEM : 0);
        if (rc == 0)
            catalog_unref(next);
        assert_int_equal(mem_process_used(), before);
        catalog_unref(c);
        if (!hit)
            break;
    }
}

/* --write: the golden file anew. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_memory),
    };

    if (argc == 2 && strcmp(argv[1], "--write") == 0) {
        struct catalog *c = rolled();
        char *doc = print(c);
        FILE *f = fopen(GOLDEN, "wb");

        assert_non_null(f);
        assert_int_equal(fputs(doc, f) >= 0, 1);
        (void)fclose(f);
        mem_free(doc);
        catalog_unref(c);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
