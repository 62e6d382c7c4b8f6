/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals to text and back: whatever is printed is read as the same interval, part by part, also
 * in other spellings; what is read is never more than the parts can hold. */
#include "func/text.h"
#include "func/text_int.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 0x243f6a8885a308d3u;

static uint64_t next(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

/* Small, near an end, or anything. */
static int64_t part(int64_t min, int64_t max)
{
    switch (next() % 5) {
    case 0:
        return 0;
    case 1:
        return (int64_t)(next() % 200) - 100;
    case 2:
        return max - (int64_t)(next() % 3);
    case 3:
        return min + (int64_t)(next() % 3);
    default:
        return (int64_t)((uint64_t)min + next() % ((uint64_t)max - (uint64_t)min));
    }
}

static bool same(struct vinterval a, struct vinterval b)
{
    return a.us == b.us && a.days == b.days && a.months == b.months;
}

static void check(struct vinterval v, const char *text, size_t len)
{
    struct vinterval back = {.us = 0};
    struct dn_err err = {.code = 0};

    if (text_parse_interval((struct vstr){text, (uint32_t)len}, &back, &err) < 0)
        fail_msg("%" PRId32 " months %" PRId32 " days %" PRId64 " us is '%.*s': %s",
                 v.months,
                 v.days,
                 v.us,
                 (int)len,
                 text,
                 err.text);
    if (!same(v, back))
        fail_msg("'%.*s' is read as %" PRId32 " months %" PRId32 " days %" PRId64
                 " us instead of %" PRId32 " months %" PRId32 " days %" PRId64 " us",
                 (int)len,
                 text,
                 back.months,
                 back.days,
                 back.us,
                 v.months,
                 v.days,
                 v.us);
}

static struct vinterval random_interval(void)
{
    return (struct vinterval){.us = part(INT64_MIN, INT64_MAX),
                              .days = (int32_t)part(INT32_MIN, INT32_MAX),
                              .months = (int32_t)part(INT32_MIN, INT32_MAX)};
}

static void test_printed(void **state)
{
    (void)state;
    for (int i = 0; i < 50000; i++) {
        struct vinterval v = random_interval();
        struct buf b;

        buf_init(&b, NULL);
        text_print_interval(v, &b);
        assert_false(b.failed);
        check(v, (const char *)b.data, b.len);
        buf_done(&b);
    }
}

/* Other ways to write the same. */
static void test_spelled(void **state)
{
    (void)state;
    for (int i = 0; i < 20000; i++) {
        struct vinterval v = random_interval();
        char text[160];

        v.us += v.us == INT64_MIN; /* no number that has a sign before it */

        (void)snprintf(text,
                       sizeof text,
                       "%" PRId32 " months %" PRId32 " days %" PRId64 " microseconds",
                       v.months,
                       v.days,
                       v.us);
        check(v, text, strlen(text));
        v.us -= v.us % 1000000;
        (void)snprintf(text,
                       sizeof text,
                       "P%" PRId32 "M%" PRId32 "DT%" PRId64 "S",
                       v.months,
                       v.days,
                       v.us / 1000000);
        check(v, text, strlen(text));
    }
}

/* Any soup of words and numbers is read or refused with one of two codes; what is read is printed
 * and read again as the same. */
static void test_soup(void **state)
{
    static const char *const words[] = {"1",
                                        "-",
                                        "+",
                                        " ",
                                        ".",
                                        "5",
                                        "day",
                                        "mons",
                                        "hours",
                                        ":",
                                        "04:05:06",
                                        "ago",
                                        "@",
                                        "P",
                                        "T",
                                        "Y",
                                        "M",
                                        "weeks",
                                        "1-2",
                                        "1e5",
                                        "us",
                                        "years",
                                        "99999999999999999999",
                                        "0.5",
                                        "d",
                                        "h",
                                        "second",
                                        ",",
                                        "\xc3\xa4",
                                        ""};
    unsigned good = 0;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[256] = "";
        struct vinterval v;
        struct dn_err err = {.code = 0};
        struct buf b;
        int rc;

        for (uint64_t n = 1 + next() % 6; n > 0; n--) {
            const char *w = words[next() % DN_ARRAY_SIZE(words)];
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s", w);
        }
        rc = text_parse_interval((struct vstr){text, (uint32_t)strlen(text)}, &v, &err);
        if (rc < 0) {
            if (rc != DN_E_BAD_DATETIME && rc != DN_E_INTERVAL_RANGE)
                fail_msg("'%s': %d %s", text, rc, err.text);
            continue;
        }
        good++;
        buf_init(&b, NULL);
        text_print_interval(v, &b);
        assert_false(b.failed);
        check(v, (const char *)b.data, b.len);
        buf_done(&b);
    }
    assert_true(good > 5000); /* else the soup proves nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printed),
        cmocka_unit_test(test_spelled),
        cmocka_unit_test(test_soup),
    };

    return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
