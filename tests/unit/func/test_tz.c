/* SPDX-License-Identifier: Apache-2.0
 *
 * Time zones: files of all versions against golden offsets (zones/golden.txt, `--write` makes it
 * anew), POSIX strings, broken files, names. */
#include "func/tz.h"

#include "base/bytes.h"
#include "base/civil.h"
#include "base/mem.h"
#include "volume/hostfile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const char *zones_dir;
static struct arena arena;

static const char *const zone_files[] = {
    "berlin_v1", "berlin_v2", "dublin_slim", "london_v4", "lord_howe", "apia", "nuuk"};

static void slurp(const char *name, struct buf *b)
{
    char path[512];
    struct hostfile *f;
    struct dn_err err;
    size_t n = 1;

    snprintf(path, sizeof path, "%s/%s", zones_dir, name);
    if (hostfile_open(path, NULL, &f, &err) < 0)
        fail_msg("%s", err.text);
    while (n > 0) {
        uint8_t *to = buf_extend(b, 65536);

        assert_non_null(to);
        assert_int_equal(hostfile_read(f, to, 65536, &n, &err), 0);
        b->len -= 65536 - n;
    }
    assert_int_equal(hostfile_close(f, &err), 0);
}

static void read_zone(const char *name, struct tz_zone *ret)
{
    char file[64];
    struct dn_err err;
    struct buf b;

    buf_init(&b, NULL);
    snprintf(file, sizeof file, "%s.tzif", name);
    slurp(file, &b);
    if (tz_read(name, b.data, b.len, &arena, ret, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    buf_done(&b);
}

static void print_time(int64_t t, struct buf *b)
{
    struct civil c = civil_from_days(civil_floor(t, CIVIL_DAY_SECONDS));
    int64_t s = civil_mod(t, CIVIL_DAY_SECONDS);

    buf_printf(b,
               "%04d-%02d-%02d %02d:%02d:%02d",
               (int)c.year,
               c.month,
               c.day,
               (int)(s / 3600),
               (int)(s / 60 % 60),
               (int)(s % 60));
}

/* Every change from 1800 to 2060, and what local times around it mean. */
static void print_zone(const char *name, struct buf *b)
{
    int64_t end = civil_to_days(2060, 1, 1) * CIVIL_DAY_SECONDS;
    int64_t t = civil_to_days(1800, 1, 1) * CIVIL_DAY_SECONDS;
    struct tz_zone z;
    struct tz_span s;

    read_zone(name, &z);
    s = tz_span_at(&z, t);
    buf_printf(b, "%s: %d %s\n", name, s.offset, s.abbrev);
    for (; s.end < end; s = tz_span_at(&z, s.end)) {
        struct tz_span after = tz_span_at(&z, s.end);
        int32_t low = s.offset < after.offset ? s.offset : after.offset;
        int32_t high = s.offset < after.offset ? after.offset : s.offset;

        assert_int_equal(after.from, s.end);
        print_time(s.end, b);
        buf_printf(b,
                   " %d %s%s; local %d %d %d\n",
                   after.offset,
                   after.abbrev,
                   after.dst ? " summer" : "",
                   tz_local_offset(&z, s.end + low - 1),
                   tz_local_offset(&z, s.end + (low + high) / 2),
                   tz_local_offset(&z, s.end + high));
    }
}

static void print_zones(struct buf *b)
{
    buf_init(b, NULL);
    for (size_t i = 0; i < DN_ARRAY_SIZE(zone_files); i++)
        print_zone(zone_files[i], b);
    buf_u8(b, 0);
    assert_false(b->failed);
}

static void test_golden(void **state)
{
    struct buf want;
    struct buf got;

    (void)state;
    buf_init(&want, NULL);
    slurp("golden.txt", &want);
    buf_u8(&want, 0);
    print_zones(&got);
    assert_string_equal((const char *)got.data, (const char *)want.data);
    buf_done(&want);
    buf_done(&got);
}

/* Cut anywhere and with any byte changed it is refused or read, nothing else. */
static void test_broken(void **state)
{
    struct dn_err err;
    struct tz_zone z;
    uint32_t refused = 0;
    struct buf b;

    (void)state;
    buf_init(&b, NULL);
    slurp("dublin_slim.tzif", &b);
    for (size_t n = 0; n < b.len; n++) {
        assert_int_equal(tz_read("cut", b.data, n, &arena, &z, &err), DN_E_CORRUPT);
        assert_non_null(strstr(err.text, "\"cut\" is broken"));
    }
    for (size_t i = 0; i < b.len; i++) {
        uint8_t old = b.data[i];

        b.data[i] = (uint8_t)(old ^ 0x81);
        if (tz_read("bad", b.data, b.len, &arena, &z, &err) < 0)
            refused++;
        else
            tz_local_offset(&z, tz_span_at(&z, 1433116800).offset);
        b.data[i] = old;
    }
    assert_true(refused > 100);
    buf_done(&b);
}

static int offset_at(const char *posix, int64_t year, int month, int day, int hour)
{
    struct tz_zone z;

    if (!tz_posix((struct vstr){posix, (uint32_t)strlen(posix)}, &z))
        fail_msg("%s is refused", posix);
    assert_string_equal(z.name, posix);
    return tz_span_at(&z, civil_to_days(year, month, day) * CIVIL_DAY_SECONDS + hour * 3600).offset;
}

static void test_posix(void **state)
{
    static const char *const bad[] = {"",
                                      "CET",
                                      "CE1",
                                      "1CET",
                                      "<+03>",
                                      "<+03-03",
                                      "CET-25",
                                      "CET-1CEST,",
                                      "CET-1CEST,M3.5.0",
                                      "CET-1CEST,M13.5.0,M10.5.0",
                                      "CET-1CEST,M3.6.0,M10.5.0",
                                      "CET-1CEST,M3.5.7,M10.5.0",
                                      "CET-1CEST,M3.5.0,M10.5.0/168",
                                      "CET-1CEST,J0,J365",
                                      "CET-1CEST,0,366",
                                      "CET-1CEST,M3.5.0,M10.5.0 ",
                                      "CET-1:60",
                                      "CET-1:00:"};
    static const char beyond[] = "AAA0BBB,0/-48,0/-23";
    struct tz_zone z;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++)
        if (tz_posix((struct vstr){bad[i], (uint32_t)strlen(bad[i])}, &z))
            fail_msg("%s is taken", bad[i]);
    assert_int_equal(offset_at("UTC0", 2020, 1, 1, 0), 0);
    assert_int_equal(offset_at("+05:30", 2020, 1, 1, 0), -19800);
    assert_int_equal(offset_at("<+0530>-5:30", 2020, 1, 1, 0), 19800);
    assert_int_equal(offset_at("LMT-0:53:28", 1890, 1, 1, 0), 3208);
    assert_int_equal(offset_at("CET-1CEST,M3.5.0,M10.5.0/3", 2024, 3, 31, 0), 3600);
    assert_int_equal(offset_at("CET-1CEST,M3.5.0,M10.5.0/3", 2024, 3, 31, 1), 7200);
    assert_int_equal(offset_at("CET-1CEST,M3.5.0,M10.5.0/3", 2024, 10, 27, 0), 7200);
    assert_int_equal(offset_at("CET-1CEST,M3.5.0,M10.5.0/3", 2024, 10, 27, 1), 3600);
    /* In the south summer is at both ends of the year. */
    assert_int_equal(offset_at("AEST-10AEDT,M10.1.0,M4.1.0/3", 2024, 1, 1, 0), 39600);
    assert_int_equal(offset_at("AEST-10AEDT,M10.1.0,M4.1.0/3", 2024, 7, 1, 0), 36000);
    /* Standard time that is ahead, as in Ireland; changes before midnight; summer all the year. */
    assert_int_equal(offset_at("IST-1GMT0,M10.5.0,M3.5.0/1", 2024, 1, 1, 0), 0);
    assert_int_equal(offset_at("IST-1GMT0,M10.5.0,M3.5.0/1", 2024, 7, 1, 0), 3600);
    assert_int_equal(offset_at("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2024, 3, 31, 0), -7200);
    assert_int_equal(offset_at("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2024, 3, 31, 1), -3600);
    assert_int_equal(offset_at("XXX3EDT4,0/0,J365/23", 2024, 1, 1, 12), -14400);
    assert_int_equal(offset_at("XXX3EDT4,0/0,J365/23", 2024, 12, 31, 23), -14400);
    /* The days of J count without February 29. */
    assert_int_equal(offset_at("AAA0BBB,J60/0,J100/0", 2024, 2, 29, 12), 0);
    assert_int_equal(offset_at("AAA0BBB,J60/0,J100/0", 2024, 3, 1, 12), 3600);
    assert_int_equal(offset_at("AAA0BBB,59/0,100/0", 2024, 2, 29, 12), 3600);
    /* Changes outside of their year: summer of 2021 begins in January 2022, and that of 2022 ends
     * before it begins. */
    assert_int_equal(offset_at("XXX1EDT,0365/99,3", 2023, 1, 2, 0), 0);
    assert_int_equal(offset_at("XXX1EDT,0365/99,3", 2023, 1, 4, 12), -3600);
    assert_int_equal(offset_at("XXX1EDT,0365/99,3", 2023, 1, 6, 0), 0);
    /* Summer is December 30, of the year before: on the 31st the next change is that of the year
     * after next. */
    assert_int_equal(offset_at("AAA0BBB,0/-48,0/-23", 2024, 12, 30, 12), 3600);
    assert_true(tz_posix((struct vstr){beyond, sizeof beyond - 1}, &z));
    assert_true(tz_span_at(&z, civil_to_days(2024, 12, 31) * CIVIL_DAY_SECONDS + 43200).end ==
                civil_to_days(2025, 12, 30) * CIVIL_DAY_SECONDS);
    /* Without days as in the United States. */
    assert_int_equal(offset_at("EST5EDT", 2024, 3, 10, 6), -18000);
    assert_int_equal(offset_at("EST5EDT", 2024, 3, 10, 7), -14400);
}

static void test_fixed(void **state)
{
    static const struct {
        int32_t offset;
        const char *name;
        const char *abbrev;
    } rows[] = {{10800, "<+03>-03", "+03"},
                {-12600, "<-03:30>+03:30", "-03:30"},
                {3208, "<+00:53:28>-00:53:28", "+00:53:28"},
                {0, "<+00>-00", "+00"}};

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        struct tz_zone z;

        tz_fixed(rows[i].offset, &z);
        assert_string_equal(z.name, rows[i].name);
        assert_string_equal(tz_span_at(&z, 0).abbrev, rows[i].abbrev);
        assert_int_equal(tz_span_at(&z, 0).offset, rows[i].offset);
        assert_int_equal(tz_local_offset(&z, 0), rows[i].offset);
    }
}

static int find(struct tz_cache *c, const char *name, const struct tz_zone **ret)
{
    static struct tz_zone room;
    struct dn_err err;
    int rc;

    dn_err_clear(&err);
    rc = tz_find(c, (struct vstr){name, (uint32_t)strlen(name)}, &room, ret, &err);
    if (rc < 0)
        assert_non_null(strstr(err.text, "not recognized"));
    return rc;
}

static void test_names(void **state)
{
    static const char *const bad[] = {
        "",
        "Nowhere/City",
        "../zoneinfo/Europe/Berlin",
        "/usr/share/zoneinfo/UTC",
        "Europe//Berlin",
        "Europe/",
        "Europe",
        "tzdata.zi",
        "Europe/Berlin; x",
        "a-name-that-is-far-too-long-for-any-zone-there-was-is-or-will-be"};
    const struct tz_zone *z;
    const struct tz_zone *again;
    struct tz_cache *c;
    struct sched *sched;
    struct dn_err err;

    (void)state;
    sched = sched_threads_new(1, &err);
    assert_non_null(sched);
    assert_int_equal(tz_cache_new(NULL, sched, &c, &err), 0);
    assert_int_equal(find(c, "Europe/Berlin", &z), 0);
    assert_string_equal(z->name, "Europe/Berlin");
    assert_int_equal(tz_span_at(z, 1433116800).offset, 7200);
    assert_int_equal(find(c, "europe/BERLIN", &again), 0);
    assert_ptr_equal(z, again);
    assert_int_equal(find(c, "america/new_york", &z), 0);
    assert_string_equal(z->name, "America/New_York");
    assert_int_equal(find(c, "us/pacific", &z), 0);
    assert_string_equal(z->name, "US/Pacific");
    assert_int_equal(find(c, "FOO-3BAR", &z), 0);
    assert_string_equal(z->name, "FOO-3BAR");
    assert_int_equal(find(NULL, "utc", &z), 0);
    assert_int_equal(find(NULL, "Europe/Berlin", &z), DN_E_INVALID_PARAM);
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++)
        assert_int_equal(find(c, bad[i], &z), DN_E_INVALID_PARAM);
    tz_cache_free(c);
    tz_cache_free(NULL);
    sched_free(sched);
}

static void test_abbrevs(void **state)
{
    int32_t offset;

    (void)state;
    assert_true(tz_abbrev((struct vstr){"CEST", 4}, &offset));
    assert_int_equal(offset, 7200);
    assert_true(tz_abbrev((struct vstr){"est", 3}, &offset));
    assert_int_equal(offset, -18000);
    assert_true(tz_abbrev((struct vstr){"z", 1}, &offset));
    assert_int_equal(offset, 0);
    assert_false(tz_abbrev((struct vstr){"XYZ", 3}, &offset));
    assert_false(tz_abbrev((struct vstr){"", 0}, &offset));
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_posix),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_abbrevs),
    };

    zones_dir = argv[argc - 1];
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        struct buf b;

        arena_init(&arena, NULL);
        print_zones(&b);
        fputs((const char *)b.data, stdout);
        buf_done(&b);
        arena_done(&arena);
        return 0;
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
