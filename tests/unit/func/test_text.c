/* SPDX-License-Identifier: Apache-2.0
 *
 * Values to text and back: known values of every type, frozen tables of floats and instants, every
 * refusal with its code, and round trips of random values. */
#include "func/text.h"

#include "func/text_int.h"
#include "func/text_wire.h"
#include "func/type_ops.h"
#include "text_tables.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct vstr str(const char *s)
{
    return (struct vstr){s, (uint32_t)strlen(s)};
}

static void check_print(const struct datum *d, const char *want)
{
    struct buf b;

    buf_init(&b, NULL);
    text_print(d, &b);
    buf_u8(&b, 0);
    assert_false(b.failed);
    assert_string_equal((const char *)b.data, want);
    buf_done(&b);
}

static int parse(enum type_id type, const char *s, struct datum *ret, struct dn_err *err)
{
    struct arena arena;
    int rc;

    arena_init(&arena, NULL);
    dn_err_clear(err);
    rc = text_parse(type, str(s), &arena, ret, err);
    arena_done(&arena);
    return rc;
}

static int64_t parse_i64(enum type_id type, const char *s)
{
    struct dn_err err;
    struct datum d;

    if (parse(type, s, &d, &err) < 0)
        fail_msg("%s: %s", s, err.text);
    return d.v.i64;
}

static void check_refused(enum type_id type, const char *s, int code)
{
    struct dn_err err;
    struct datum d = {.type = TYPE_NONE};
    int rc = parse(type, s, &d, &err);

    if (rc != code)
        fail_msg("'%s' as %s: %d (%s), expected %d", s, type_name(type), rc, err.text, code);
    assert_int_equal(err.code, code);
    assert_true(err.text[0] != 0);
    assert_int_equal(d.type, TYPE_NONE);
}

static void test_print(void **state)
{
    struct datum d = {.type = TYPE_BIGINT, .v.i64 = INT64_MIN};

    (void)state;
    check_print(&d, "-9223372036854775808");
    d = (struct datum){.type = TYPE_SMALLINT, .v.i64 = 0};
    check_print(&d, "0");
    d = (struct datum){.type = TYPE_BOOLEAN, .v.i64 = 1};
    check_print(&d, "true");
    d.v.i64 = 0;
    check_print(&d, "false");
    d.null = true;
    check_print(&d, "");
    d = (struct datum){.type = TYPE_BLOB, .str = {"\x00\xff\x1a", 3}};
    check_print(&d, "0x00ff1a");
    d.str.len = 0;
    check_print(&d, "0x");
    d = (struct datum){.type = TYPE_VARCHAR, .str = {"it's", 4}};
    check_print(&d, "it's");
    d = (struct datum){.type = TYPE_TIMESTAMP, .v.i64 = 1};
    check_print(&d, "1970-01-01T00:00:00.001Z");
    d.type = TYPE_TIMESTAMP_US;
    check_print(&d, "1970-01-01T00:00:00.000001Z");
    d.type = TYPE_TIMESTAMP_NS;
    check_print(&d, "1970-01-01T00:00:00.000000001Z");
    d.v.i64 = INT64_MIN + 1;
    check_print(&d, "1677-09-21T00:12:43.145224193Z");
    d.type = TYPE_TIMESTAMP;
    check_print(&d, "-292275055-05-16T16:47:04.193Z");
    d.v.i64 = INT64_MAX - 1;
    check_print(&d, "+292278994-08-17T07:12:55.806Z");
    d.v.i64 = INT64_MAX;
    check_print(&d, "infinity");
    d.v.i64 = INT64_MIN;
    check_print(&d, "-infinity");
    d.v.i64 = -62167219200000;
    check_print(&d, "0000-01-01T00:00:00.000Z");
    d.v.i64--;
    check_print(&d, "-0001-12-31T23:59:59.999Z");
}

static void test_print_special(void **state)
{
    struct datum d = {.type = TYPE_DOUBLE, .v.f64 = (double)NAN};

    (void)state;
    check_print(&d, "NaN");
    d.v.f64 = (double)INFINITY;
    check_print(&d, "Infinity");
    d.v.f64 = -(double)INFINITY;
    check_print(&d, "-Infinity");
    d.type = TYPE_REAL;
    check_print(&d, "-Infinity");
}

static void test_table_f64(void **state)
{
    (void)state;
    for (size_t i = 0; i < text_table_f64_count; i++) {
        struct datum d = {.type = TYPE_DOUBLE};
        struct datum back;
        struct dn_err err;

        memcpy(&d.v.f64, &text_table_f64[i].bits, 8);
        check_print(&d, text_table_f64[i].text);
        assert_int_equal(parse(TYPE_DOUBLE, text_table_f64[i].text, &back, &err), 0);
        assert_memory_equal(&back.v.f64, &text_table_f64[i].bits, 8);
    }
}

static void test_table_f32(void **state)
{
    (void)state;
    for (size_t i = 0; i < text_table_f32_count; i++) {
        struct datum d = {.type = TYPE_REAL};
        struct datum back;
        struct dn_err err;
        float f;

        memcpy(&f, &text_table_f32[i].bits, 4);
        d.v.f64 = (double)f;
        check_print(&d, text_table_f32[i].text);
        assert_int_equal(parse(TYPE_REAL, text_table_f32[i].text, &back, &err), 0);
        f = (float)back.v.f64;
        assert_memory_equal(&f, &text_table_f32[i].bits, 4);
    }
}

static void test_table_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < text_table_time_count; i++) {
        struct datum d = {.type = TYPE_TIMESTAMP_US, .v.i64 = text_table_time[i].us};

        check_print(&d, text_table_time[i].text);
        assert_int_equal(parse_i64(TYPE_TIMESTAMP_US, text_table_time[i].text),
                         text_table_time[i].us);
    }
}

/* The same text whatever the host program's locale: run under one with a decimal comma if there is
 * one, and in any case with the numbers that need the C library. */
static void test_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8"};
    struct datum d = {.type = TYPE_DOUBLE, .v.f64 = 0.30000000000000004};
    struct dn_err err;
    struct datum back;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    check_print(&d, "0.30000000000000004");
    assert_int_equal(parse(TYPE_DOUBLE, "0.30000000000000004", &back, &err), 0);
    assert_true(back.v.f64 == d.v.f64);
    setlocale(LC_ALL, "C");
}

static void test_parse_int(void **state)
{
    (void)state;
    assert_int_equal(parse_i64(TYPE_BIGINT, "-9223372036854775808"), INT64_MIN);
    assert_int_equal(parse_i64(TYPE_BIGINT, " +9223372036854775807\n"), INT64_MAX);
    assert_int_equal(parse_i64(TYPE_INTEGER, "-2147483648"), INT32_MIN);
    assert_int_equal(parse_i64(TYPE_SMALLINT, "0032767"), INT16_MAX);
    check_refused(TYPE_BIGINT, "9223372036854775808", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_BIGINT, "-9223372036854775809", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_BIGINT, "99999999999999999999999", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_INTEGER, "2147483648", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_SMALLINT, "-32769", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_BIGINT, "", DN_E_BAD_TEXT);
    check_refused(TYPE_BIGINT, "-", DN_E_BAD_TEXT);
    check_refused(TYPE_BIGINT, "1 2", DN_E_BAD_TEXT);
    check_refused(TYPE_BIGINT, "1.0", DN_E_BAD_TEXT);
    check_refused(TYPE_BIGINT, "0x10", DN_E_BAD_TEXT);
}

static void test_parse_error_text(void **state)
{
    struct dn_err err;
    struct datum d;
    char longer[200];

    (void)state;
    assert_int_equal(parse(TYPE_BIGINT, "x", &d, &err), DN_E_BAD_TEXT);
    assert_string_equal(err.text, "invalid input syntax for type bigint: \"x\"");
    memset(longer, 'y', sizeof longer);
    longer[59] = (char)0xc3; /* a character of two bytes across the cut */
    longer[60] = (char)0xa4;
    longer[sizeof longer - 1] = 0;
    assert_int_equal(parse(TYPE_BIGINT, longer, &d, &err), DN_E_BAD_TEXT);
    assert_null(strchr(err.text, 0xc3));
    assert_non_null(strstr(err.text, "y…\""));
}

static void test_parse_float(void **state)
{
    struct dn_err err;
    struct datum d;

    (void)state;
    assert_int_equal(parse(TYPE_DOUBLE, " -1.5e3 ", &d, &err), 0);
    assert_true(d.v.f64 == -1500);
    assert_int_equal(parse(TYPE_DOUBLE, ".5", &d, &err), 0);
    assert_true(d.v.f64 == 0.5);
    assert_int_equal(parse(TYPE_DOUBLE, "5.", &d, &err), 0);
    assert_true(d.v.f64 == 5);
    assert_int_equal(parse(TYPE_DOUBLE, "-inf", &d, &err), 0);
    assert_true(isinf(d.v.f64) && d.v.f64 < 0);
    assert_int_equal(parse(TYPE_DOUBLE, "NaN", &d, &err), 0);
    assert_true(d.v.f64 != d.v.f64);
    assert_int_equal(parse(TYPE_DOUBLE, "-0", &d, &err), 0);
    assert_true(d.v.f64 == 0 && signbit(d.v.f64));
    assert_int_equal(parse(TYPE_DOUBLE, "0e999999", &d, &err), 0);
    assert_true(d.v.f64 == 0);
    assert_int_equal(
        parse(TYPE_DOUBLE, "179769313486231570000000000000000000000000000000e261", &d, &err), 0);
    assert_true(d.v.f64 == 1.7976931348623157e308);
    assert_int_equal(parse(TYPE_DOUBLE, "1.00000000000000011102230246251565405", &d, &err), 0);
    assert_true(d.v.f64 == 1.0000000000000002); /* just over the middle */
    check_refused(TYPE_DOUBLE, "1e309", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_DOUBLE, "1e-400", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_DOUBLE, "1e99999999999", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_REAL, "1e39", DN_E_OUT_OF_RANGE);
    check_refused(TYPE_DOUBLE, "", DN_E_BAD_TEXT);
    check_refused(TYPE_DOUBLE, ".", DN_E_BAD_TEXT);
    check_refused(TYPE_DOUBLE, "1e", DN_E_BAD_TEXT);
    check_refused(TYPE_DOUBLE, "1,5", DN_E_BAD_TEXT);
    check_refused(TYPE_DOUBLE, "0x1p3", DN_E_BAD_TEXT);
    check_refused(TYPE_DOUBLE, "nano", DN_E_BAD_TEXT);
}

static void test_parse_others(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } blobs[] = {{"00ff", "0x30306666"},
                 {"", "0x"},
                 {"\\xAB cd\n", "0xabcd"},
                 {"a\\\\b\\000\\377", "0x615c6200ff"}};
    struct dn_err err;
    struct datum d;
    struct arena arena;

    (void)state;
    assert_int_equal(parse_i64(TYPE_BOOLEAN, " TRUE "), 1);
    assert_int_equal(parse_i64(TYPE_BOOLEAN, "off"), 0);
    check_refused(TYPE_BOOLEAN, "maybe", DN_E_BAD_TEXT);
    check_refused(TYPE_BOOLEAN, "", DN_E_BAD_TEXT);
    check_refused(TYPE_BLOB, "0x0", DN_E_INVALID_PARAM);
    check_refused(TYPE_BLOB, "0x0g", DN_E_INVALID_PARAM);
    check_refused(TYPE_BLOB, "\\x0 0", DN_E_INVALID_PARAM);
    check_refused(TYPE_BLOB, "a\\b", DN_E_BAD_TEXT);
    check_refused(TYPE_BLOB, "\\400", DN_E_BAD_TEXT);
    check_refused(TYPE_BLOB, "\\", DN_E_BAD_TEXT);
    check_refused(TYPE_VARCHAR, "\xff", DN_E_BAD_ENCODING);
    arena_init(&arena, NULL);
    for (size_t i = 0; i < DN_ARRAY_SIZE(blobs); i++) {
        assert_int_equal(text_parse(TYPE_BLOB, str(blobs[i].text), &arena, &d, &err), 0);
        check_print(&d, blobs[i].want);
    }
    assert_int_equal(text_parse(TYPE_BLOB, str("\\x00Ff"), &arena, &d, &err), 0);
    assert_int_equal(d.str.len, 2);
    assert_memory_equal(d.str.ptr, "\x00\xff", 2);
    assert_int_equal(text_parse(TYPE_BLOB, str("0x"), &arena, &d, &err), 0);
    assert_int_equal(d.str.len, 0);
    assert_int_equal(text_parse(TYPE_VARCHAR, str(" ä "), &arena, &d, &err), 0);
    assert_int_equal(d.str.len, 4); /* spaces of a text are its own */
    arena_done(&arena);
}

static const struct {
    const char *text;
    int64_t seconds;
    int32_t ns;
} time_good[] = {
    {"2013-01-01T09:00+1300", 1356984000, 0},
    {"2013-01-20T10:58:35+1300", 1358632715, 0},
    {"2013-01-20 10:58:35+13", 1358632715, 0},
    {"2013-01-20t10:58:35+13:00", 1358632715, 0},
    {"20130119T215835Z", 1358632715, 0},
    {"20130119T21:58:35z", 1358632715, 0},
    {"20130119T215835", 1358632715, 0},
    {"2013-01-19T16:28:35-0530", 1358632715, 0},
    {"2015", 1420070400, 0},
    {"2015-06", 1433116800, 0},
    {"2015-06-01", 1433116800, 0},
    {"20150601", 1433116800, 0},
    {" 2015-06-01T09 ", 1433149200, 0},
    {"2015-06-01T09Z", 1433149200, 0},
    {"2015-06-01T09:30", 1433151000, 0},
    {"2015-06-01T09.5", 1433151000, 0},
    {"2015-06-01T09,5Z", 1433151000, 0},
    {"2015-06-01T09:30.25", 1433151015, 0},
    {"2015-06-01T0930.000000001", 1433151000, 60},
    {"2015-06-01T09:30:00.5", 1433151000, 500000000},
    {"2015-06-01T09:30:00,123456789Z", 1433151000, 123456789},
    {"2015-06-01T09:30:00.1234567890000", 1433151000, 123456789},
    {"2015-06-01T24:00:00", 1433203200, 0},
    {"2015-06-01T24", 1433203200, 0},
    {"2016-12-31T23:59:60Z", 1483228800, 0},
    {"2016-12-31T23:59:60.5Z", 1483228800, 500000000},
    {"1969-12-31T23:59:59.999", -1, 999000000},
    {"0000-01-01", -62167219200, 0},
    {"9999-12-31T23:59:59", 253402300799, 0},
    {"2000-02-29", 951782400, 0},
};
static const char *const time_bad[] = {
    "",
    "15",
    "201",
    "2015-06-01T",
    "2015-06-01T09:30:00Q",
    "2015-06-01T09:30:00+",
    "2015-06-01T09:30:00ZZ",
    "2015-W23",
    "2015-06-01/2015-06-02",
    "+2015-06-01",
};
/* Of the right form, but there is no such time. */
static const char *const time_none[] = {
    "2015-13",
    "2015-00",
    "2015-02-29",
    "1900-02-29",
    "2015-06-31",
    "2015-06-00",
    "2015-06-01T25",
    "2015-06-01T24:01",
    "2015-06-01T24:00:00.1",
    "2015-06-01T09:60",
    "2015-06-01T09:30:61",
};

static const char *const time_far[] = {
    "2015-06-01T09:30:00+16",
    "2015-06-01T09:30:00-16:00",
    "2015-06-01T09:30:00+24",
    "2015-06-01T09:30:00+13:60",
    "1 June 2015 09:30 +16",
};

static void test_parse_time(void **state)
{
    struct dn_err err;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(time_good); i++) {
        int64_t seconds;
        int32_t ns;

        if (text_parse_time(str(time_good[i].text), &seconds, &ns, &err) < 0)
            fail_msg("%s: %s", time_good[i].text, err.text);
        if (seconds != time_good[i].seconds || ns != time_good[i].ns)
            fail_msg("%s: %lld %d", time_good[i].text, (long long)seconds, ns);
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(time_bad); i++)
        check_refused(TYPE_TIMESTAMP, time_bad[i], DN_E_BAD_DATETIME);
    for (size_t i = 0; i < DN_ARRAY_SIZE(time_none); i++)
        check_refused(TYPE_TIMESTAMP, time_none[i], DN_E_DATETIME_RANGE);
    for (size_t i = 0; i < DN_ARRAY_SIZE(time_far); i++)
        check_refused(TYPE_TIMESTAMP, time_far[i], DN_E_ZONE_RANGE);
    check_refused(TYPE_TIMESTAMP, "2015-06-01T09:30:00.1234567891", DN_E_DATETIME_RANGE);
}

/* Not ISO 8601, but written so. */
static const struct {
    enum type_id type;
    const char *text;
    const char *want;
} time_loose[] = {
    {TYPE_DATE, "January 8, 1999", "1999-01-08"},
    {TYPE_DATE, "8-Jan-1999", "1999-01-08"},
    {TYPE_DATE, "1999 Jan 8", "1999-01-08"},
    {TYPE_DATE, "Friday, 8 January 1999", "1999-01-08"},
    {TYPE_DATE, "1/8/1999", "1999-01-08"},
    {TYPE_DATE, "1/2/03", "2003-01-02"},
    {TYPE_DATE, "1/2/69", "2069-01-02"},
    {TYPE_DATE, "1/2/70", "1970-01-02"},
    {TYPE_DATE, "990108", "1999-01-08"},
    {TYPE_DATE, "99008", ""},
    {TYPE_DATE, "1999.008", "1999-01-08"},
    {TYPE_DATE, "1999-8-1", "1999-08-01"},
    {TYPE_DATE, "J2451187", "1999-01-08"},
    {TYPE_DATE, "12345-06-07", "12345-06-07"},
    {TYPE_DATE, "15 March 44 BC", "0044-03-15 BC"},
    {TYPE_DATE, "4714-11-24 BC", "4714-11-24 BC"},
    {TYPE_DATE, "5874897-12-31", "5874897-12-31"},
    {TYPE_DATE, "epoch", "1970-01-01"},
    {TYPE_DATE, "-infinity", "-infinity"},
    {TYPE_TIME, "040506.5", "04:05:06.5"},
    {TYPE_TIME, "0405", "04:05:00"},
    {TYPE_TIME, "4:05 PM", "16:05:00"},
    {TYPE_TIME, "12:05am", "00:05:00"},
    {TYPE_TIME, "allballs", "00:00:00"},
    {TYPE_TIME, "1999-01-08 04:05:06.789", "04:05:06.789"},
    {TYPE_TIME, "04:05:06.7891234567", "04:05:06.789123"},
    {TYPE_TIMESTAMPTZ, "Jan 8 04:05:06 1999 PST", "1999-01-08 12:05:06+00"},
    {TYPE_TIMESTAMPTZ, "19990108 040506 -8", "1999-01-08 12:05:06+00"},
    {TYPE_TIMESTAMPTZ, "1999-01-08+0530", "1999-01-07 18:30:00+00"},
    {TYPE_TIMESTAMPTZ, "1999-01-08 4:05:06 PM", "1999-01-08 16:05:06+00"},
    {TYPE_TIMESTAMPTZ, "1999-01-08, 04:05-08:00:30", "1999-01-08 12:05:30+00"},
    {TYPE_TIMESTAMP, "infinity", "infinity"},
    {TYPE_TIMESTAMP_US, "-infinity", "-infinity"},
    {TYPE_TIMESTAMP_NS, "Infinity", "infinity"},
    {TYPE_TIMESTAMP, "epoch", "1970-01-01T00:00:00.000Z"},
    {TYPE_TIMESTAMP, "Jan 8, 1999 4pm", ""},
    {TYPE_DATE, "Feb 29, 1999", "!"},
    {TYPE_DATE, "13/13/1999", "!"},
    {TYPE_DATE, "4714-11-23 BC", "!"},
    {TYPE_DATE, "5874898-01-01", "!"},
    {TYPE_DATE, "J", ""},
    {TYPE_DATE, "Jan 8", ""},
    {TYPE_DATE, "8", ""},
    {TYPE_DATE, "1999-01-08 05:00 05:00", ""},
    {TYPE_DATE, "Jan Feb 1999", ""},
    {TYPE_DATE, "1999--01-08", ""},
    {TYPE_TIME, "infinity", ""},
    {TYPE_TIME, "1999-01-08", ""},
    {TYPE_TIME, "13:00 PM", "!"},
    {TYPE_TIME, "24:00:01", "!"},
};

static void test_time_loose(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(time_loose); i++) {
        const char *text = time_loose[i].text;
        const char *want = time_loose[i].want;
        struct datum d;
        struct dn_err err;

        if (!*want || *want == '!')
            check_refused(
                time_loose[i].type, text, *want ? DN_E_DATETIME_RANGE : DN_E_BAD_DATETIME);
        else if (parse(time_loose[i].type, text, &d, &err) < 0)
            fail_msg("%s: %s", text, err.text);
        else
            check_print(&d, want);
    }
}

static void check_to_type(
    int64_t seconds, int32_t ns, enum type_id type, bool round, int64_t want, bool want_exact)
{
    struct dn_err err;
    int64_t v;
    bool exact;

    assert_int_equal(text_time_to_type(seconds, ns, type, round, &v, &exact, &err), 0);
    assert_int_equal(v, want);
    assert_int_equal(exact, want_exact);
}

static void test_time_to_type(void **state)
{
    struct dn_err err;
    int64_t v;
    bool exact;

    (void)state;
    check_to_type(1, 500000, TYPE_TIMESTAMP, true, 1001, false);
    check_to_type(1, 500000, TYPE_TIMESTAMP, false, 1000, false);
    check_to_type(1, 499999, TYPE_TIMESTAMP, true, 1000, false);
    check_to_type(0, 999999999, TYPE_TIMESTAMP, true, 1000, false);
    check_to_type(-1, 999999999, TYPE_TIMESTAMP, true, 0, false);
    check_to_type(-1, 999000000, TYPE_TIMESTAMP, true, -1, true);
    check_to_type(-1, 999999999, TYPE_TIMESTAMP_NS, true, -1, true);
    check_to_type(9223372036, 854775806, TYPE_TIMESTAMP_NS, true, INT64_MAX - 1, true);
    check_to_type(-9223372037, 145224193, TYPE_TIMESTAMP_NS, true, INT64_MIN + 1, true);
    assert_int_equal(/* infinity */
                     text_time_to_type(
                         9223372036, 854775807, TYPE_TIMESTAMP_NS, true, &v, &exact, &err),
                     DN_E_DATETIME_RANGE);
    assert_non_null(strstr(err.hint, "2262"));
    assert_int_equal(
        text_time_to_type(-9223372037, 145224192, TYPE_TIMESTAMP_NS, true, &v, &exact, &err),
        DN_E_DATETIME_RANGE);
    check_refused(TYPE_TIMESTAMP_NS, "2263-01-01", DN_E_DATETIME_RANGE);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state ^ *state >> 29;
}

/* Printed values read back as the same value. */
static void test_round_trips(void **state)
{
    uint64_t seed = 42;
    struct buf b;

    (void)state;
    buf_init(&b, NULL);
    for (int i = 0; i < 20000; i++) {
        static const enum type_id types[] = {
            TYPE_DOUBLE, TYPE_REAL, TYPE_BIGINT, TYPE_TIMESTAMP_US, TYPE_TIMESTAMP_NS};
        enum type_id type = types[i % 5];
        uint64_t bits = next_random(&seed);
        struct datum d = {.type = type, .v.i64 = (int64_t)bits};
        struct datum back;
        struct dn_err err;
        float f;

        if (type == TYPE_TIMESTAMP_US)
            d.v.i64 %= 62000000000000000; /* within the years that can be read */
        if (type == TYPE_REAL) {
            uint32_t low = (uint32_t)bits;

            memcpy(&f, &low, 4);
            d.v.f64 = (double)f;
        }
        if (type == TYPE_DOUBLE)
            memcpy(&d.v.f64, &bits, 8);
        if (type_is_float(type) && d.v.f64 != d.v.f64)
            continue;
        buf_reset(&b);
        text_print(&d, &b);
        buf_u8(&b, 0);
        if (parse(type, (const char *)b.data, &back, &err) < 0 || back.v.i64 != d.v.i64)
            fail_msg("%s: %s", (const char *)b.data, err.text);
    }
    buf_done(&b);
}

/* Every type of the list has a whole row, and its numbers lead back to it. */
static void test_type_rows(void **state)
{
    static const enum type_id types[] = {
#define DN_TYPE(id, name, sql, phys) TYPE_##name,
#include "vec/type_list.h"
#undef DN_TYPE
    };

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        const struct type_ops *ops = type_ops_of(types[i]);
        bool instant = type_is_timestamp(types[i]);

        assert_non_null(ops->print);
        assert_non_null(ops->parse);
        assert_non_null(ops->put);
        assert_non_null(ops->get);
        if (types[i] == TYPE_NONE || types[i] == TYPE_ENUM)
            continue;
        assert_true(ops->oid > 0 && ops->array_oid > 0);
        assert_int_equal(text_wire_type(ops->oid), instant ? TYPE_TIMESTAMPTZ : types[i]);
        assert_int_equal(text_wire_type(ops->array_oid),
                         type_array_of(instant ? TYPE_TIMESTAMPTZ : types[i]));
        assert_int_equal(text_wire_oid(type_array_of(types[i])), ops->array_oid);
    }
    assert_int_equal(text_wire_type(0), TYPE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_type_rows),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_special),
        cmocka_unit_test(test_table_f64),
        cmocka_unit_test(test_table_f32),
        cmocka_unit_test(test_table_time),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_parse_int),
        cmocka_unit_test(test_parse_error_text),
        cmocka_unit_test(test_parse_float),
        cmocka_unit_test(test_parse_others),
        cmocka_unit_test(test_parse_time),
        cmocka_unit_test(test_time_loose),
        cmocka_unit_test(test_time_to_type),
        cmocka_unit_test(test_round_trips),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
