/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/settings.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void test_defaults(void **state)
{
    struct settings s;

    (void)state;
    memset(&s, 0x55, sizeof s);
    settings_defaults(&s);
    assert_int_equal(s.synchronous_commit, 1);
    assert_int_equal(s.max_subqueries, 0);
    assert_int_equal(s.memtable_size, 64 << 20);
    for (size_t i = 0; i < settings_count(); i++) {
        const struct setting_row *row = settings_row(i);

        if (row->kind != SETTING_TEXT && !row->known)
            assert_int_equal(settings_value(&s, row), row->def);
        if (row->server) { /* the default is a text that can be set, and prints as it is */
            struct buf b;

            buf_init(&b, NULL);
            assert_int_equal(settings_canonical(row, row->def_text, &b, NULL), 0);
            buf_u8(&b, 0);
            assert_string_equal((const char *)b.data, row->def_text);
            buf_done(&b);
        } else {
            assert_true(row->min <= row->def && row->def <= row->max);
        }
        assert_true(strlen(row->doc) > 10);
        assert_ptr_equal(settings_find(row->name, NULL), row);
    }
}

static void test_set(void **state)
{
    static const struct {
        const char *name;
        const char *text;
        int64_t want;
    } good[] = {
        {"synchronous_commit", "off", 0},
        {"SYNCHRONOUS_COMMIT", "On", 1},
        {"strict_keys", "true", 1},
        {"strict_keys", "FALSE", 0},
        {"strict_keys", "yes", 1},
        {"strict_keys", "0", 0},
        {"strict_keys", "1", 1},
        {"strict_keys", NULL, 0},
        {"max_subqueries", "17", 17},
        {"max_subqueries", "1000000000", 1000000000},
        {"memtable_size", "65536", 65536},
        {"memtable_size", "64MB", 64 << 20},
        {"memtable_size", "64 mb", 64 << 20},
        {"memtable_size", "1G", 1 << 30},
        {"memtable_size", "2GiB", (int64_t)2 << 30},
        {"memtable_size", "100k", 102400},
        {"memory_limit", "3TB", (int64_t)3 << 40},
        {"memory_limit", "9223372036854775807", INT64_MAX},
        {"memory_limit", "9000B", 9000},
        {"memtable_size", NULL, 64 << 20},
    };
    struct settings s;
    struct dn_err err = {0};

    (void)state;
    settings_defaults(&s);
    for (size_t i = 0; i < DN_ARRAY_SIZE(good); i++) {
        if (settings_set(&s, good[i].name, good[i].text, SETTING_DATABASE, &err) != 0)
            fail_msg("%s = %s: %s", good[i].name, good[i].text, err.text);
        assert_true(settings_value(&s, settings_find(good[i].name, NULL)) == good[i].want);
    }
}

static const struct {
    const char *name;
    const char *value;
    int code;
    const char *text;
    const char *hint;
} bad[] = {
    {"strict_key",
     "on",
     DN_E_UNDEFINED_OBJECT,
     "unrecognized configuration parameter \"strict_key\"",
     "Perhaps you meant \"strict_keys\"."},
    {"colour",
     "on",
     DN_E_UNDEFINED_OBJECT,
     "unrecognized configuration parameter \"colour\"",
     "SHOW ALL lists them"},
    {"strict_keys",
     "maybe",
     DN_E_INVALID_PARAM,
     "setting strict_keys must be on or off, not 'maybe'",
     ""},
    {"max_subqueries",
     "many",
     DN_E_INVALID_PARAM,
     "setting max_subqueries must be a whole number, not 'many'",
     ""},
    {"max_subqueries",
     "5x",
     DN_E_INVALID_PARAM,
     "setting max_subqueries must be a whole number, not '5x'",
     ""},
    {"max_subqueries",
     "99999999999999999999",
     DN_E_INVALID_PARAM,
     "setting max_subqueries must be a whole number, not '99999999999999999999'",
     ""},
    {"max_subqueries",
     "-1",
     DN_E_INVALID_PARAM,
     "setting max_subqueries must be 0 to 1000000000, not '-1'",
     ""},
    {"max_subqueries",
     "1000000001",
     DN_E_INVALID_PARAM,
     "setting max_subqueries must be 0 to 1000000000, not '1000000001'",
     ""},
    {"memtable_size",
     "1kB",
     DN_E_INVALID_PARAM,
     "setting memtable_size must be 64kB or more, not '1kB'",
     ""},
    {"log_chunk_size",
     "1GB",
     DN_E_INVALID_PARAM,
     "setting log_chunk_size must be 4kB to 64MB, not '1GB'",
     ""},
    {"memtable_size",
     "64XB",
     DN_E_INVALID_PARAM,
     "setting memtable_size must be a number of bytes such as 65536 or '64MB', not '64XB'",
     ""},
    {"memtable_size",
     "9223372036854775807TB",
     DN_E_INVALID_PARAM,
     "setting memtable_size must be a number of bytes such as 65536 or '64MB', not "
     "'9223372036854775807TB'",
     ""},
    {"memtable_size",
     "",
     DN_E_INVALID_PARAM,
     "setting memtable_size must be a number of bytes such as 65536 or '64MB', not ''",
     ""},
};

static void test_refused(void **state)
{
    struct settings s;
    struct settings before;
    struct dn_err err = {0};

    (void)state;
    settings_defaults(&s);
    before = s;
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++) {
        assert_int_equal(settings_set(&s, bad[i].name, bad[i].value, SETTING_DATABASE, &err),
                         bad[i].code);
        assert_string_equal(err.text, bad[i].text);
        assert_string_equal(err.hint, bad[i].hint);
        assert_memory_equal(&s, &before, sizeof s);
    }
    assert_int_equal(settings_set(&s, "memtable_size", "1MB", SETTING_SESSION, &err),
                     DN_E_INVALID_PARAM);
    assert_string_equal(err.text,
                        "setting memtable_size belongs to the database, not to a session");
    assert_memory_equal(&s, &before, sizeof s);
    assert_int_equal(settings_set(&s, "strict_keys", "on", SETTING_SESSION, &err), 0);
}

/* What SHOW prints, SET takes. */
static void test_print(void **state)
{
    static const int64_t values[] = {
        0, 1, 1023, 1024, 65536, 100000, 64 << 20, (int64_t)5 << 40, INT64_MAX};

    (void)state;
    for (size_t i = 0; i < settings_count(); i++) {
        const struct setting_row *row = settings_row(i);

        for (size_t j = 0; j < DN_ARRAY_SIZE(values); j++) {
            struct settings s;
            struct buf b;

            if (values[j] < row->min || values[j] > row->max || row->known ||
                row->kind == SETTING_TEXT || row->kind == SETTING_ENUM ||
                row->kind == SETTING_ENCODING)
                continue;
            settings_defaults(&s);
            buf_init(&b, NULL);
            settings_print(row, values[j], &b);
            buf_u8(&b, 0);
            assert_int_equal(
                settings_set(&s, row->name, (const char *)b.data, SETTING_DATABASE, NULL), 0);
            assert_true(settings_value(&s, row) == values[j]);
            buf_done(&b);
        }
    }
}

static void test_text(void **state)
{
    char longest[SETTING_TEXT_MAX + 2];
    struct dn_err err = {0};
    struct settings s;
    struct buf b;

    (void)state;
    settings_defaults(&s);
    assert_string_equal(s.timezone, "UTC");
    assert_int_equal(settings_set(&s, "timezone", "Europe/Berlin", SETTING_SESSION, &err), 0);
    buf_init(&b, NULL);
    settings_show(&s, settings_find("TIMEZONE", &err), &b);
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, "Europe/Berlin");
    buf_done(&b);
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(settings_set(&s, "timezone", longest, SETTING_SESSION, &err),
                     DN_E_INVALID_PARAM);
    assert_string_equal(s.timezone, "Europe/Berlin");
    longest[SETTING_TEXT_MAX] = 0;
    assert_int_equal(settings_set(&s, "timezone", longest, SETTING_SESSION, &err), 0);
    assert_int_equal(settings_set(&s, "timezone", NULL, SETTING_SESSION, &err), 0);
    assert_string_equal(s.timezone, "UTC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_print),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
