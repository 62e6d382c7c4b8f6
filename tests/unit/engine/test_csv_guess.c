/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables suggested for files: types, keys, and that the file then goes in. */
#include "load_fix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_suggest(void **state)
{
    static const struct {
        const char *text;
        const char *sql;
    } cases[] = {
        {"time,host,ok,n,x,note\n2020-01-01 00:00:00,a,true,1,1.5,\n2020-01-01 "
         "00:00:00,b,false,2,2,hm\n",
         "CREATE TABLE t (\n  time TIMESTAMP NOT NULL,\n  host VARCHAR NOT NULL,\n  ok BOOLEAN,\n  "
         "n "
         "BIGINT,\n  x DOUBLE,\n  note VARCHAR,\n  PRIMARY KEY ((host, QUANTUM(time, 1, 'd')), "
         "host, "
         "time)\n)"},
        {"ts,v\n1577934245123456,1\n1577934245123457,2\n",
         "CREATE TABLE t (\n  ts TIMESTAMP(6) NOT NULL,\n  v BIGINT,\n  PRIMARY KEY (ts)\n)"},
        {"ts,v\n2020-01-01T00:00:00.000000001Z,1\n",
         "CREATE TABLE t (\n  ts TIMESTAMP(9) NOT NULL,\n  v BIGINT,\n  PRIMARY KEY (ts)\n)"},
        {"time,v\n2020-01-01,1\n2020-01-01,2\n",
         "CREATE TABLE t (\n  time TIMESTAMP,\n  v BIGINT\n)"},
        {"name,group\nx,1\ny,2\n", "CREATE TABLE t (\n  name VARCHAR,\n  \"group\" BIGINT\n)"},
        {"year,count\n2019,1\n2020,2\n", "CREATE TABLE t (\n  year BIGINT,\n  count BIGINT\n)"},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct load_text t = {.text = cases[i].text, .len = strlen(cases[i].text)};
        struct dendro_import spec = {.table = "t", .read = load_text_read, .read_arg = &t};
        struct dendro_error err;
        char *sql = NULL;
        char *why = NULL;
        struct db_fix f;

        if (dendro_import_suggest(&spec, &sql, &why, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.message);
        assert_string_equal(sql, cases[i].sql);
        assert_non_null(strstr(why, "key: "));
        assert_int_equal(spec.csv.epoch, i == 1);
        db_open(&f);
        db_ok(&f, sql);
        t.at = 0;
        if (dendro_import_csv(f.conn, &spec, NULL, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.message);
        db_close(&f);
        dendro_free(sql);
        dendro_free(why);
    }
}

static void test_suggest_refused(void **state)
{
    static const struct {
        const char *text;
        enum dendro_csv_header header;
        const char *want;
    } cases[] = {
        {"", DENDRO_HEADER_AUTO, "the file is empty"},
        {"1,2\n", DENDRO_HEADER_NO, "without a header the columns need names: give them"},
        {"a,\"b\n", DENDRO_HEADER_AUTO, "line 1: a quote is not closed"},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct load_text t = {.text = cases[i].text, .len = strlen(cases[i].text)};
        struct dendro_import spec = {.table = "t",
                                     .read = load_text_read,
                                     .read_arg = &t,
                                     .csv = {.header = cases[i].header}};
        struct dendro_error err;
        char *sql = NULL;
        char *why = NULL;

        assert_true(dendro_import_suggest(&spec, &sql, &why, &err) < 0);
        assert_string_equal(err.message, cases[i].want);
        assert_null(sql);
    }
}

/* ---- how the text is written ---- */

/* The text, and what is to become of it. */
struct written {
    const char *text;
    size_t len; /* 0 = it ends with a zero */
    const char *sql;
    const char *why;  /* is part of what the guess says; NULL = nothing is said about the text */
    const char *rows; /* SELECT * FROM t ORDER BY 1, 2 */
};

#define WRITTEN(text) (text), sizeof(text) - 1

static const struct written written[] = {
    {WRITTEN("Zeit;Ort;Grad\n31.12.2024 14:00;K\xf6ln;12,5\n31.12.2024 15:00;\x80;-1.234,5\n"),
     "CREATE TABLE t (\n  Zeit TIMESTAMP NOT NULL,\n  Ort VARCHAR,\n  Grad DOUBLE,\n  PRIMARY KEY "
     "(Zeit)\n)",
     "text: cells end with semicolons\ntext: it is WIN1252\n"
     "numbers: they have a decimal comma; 1.234,5 is 1234.5\ntimes: the day comes first\n",
     "2024-12-31T14:00:00.000Z|K\xc3\xb6ln|12.5\n2024-12-31T15:00:00.000Z|\xe2\x82\xac|-1234.5\n"},
    {WRITTEN("time\tv\n2024-01-01\t1,2\n2024-01-02\tx\n"),
     "CREATE TABLE t (\n  time TIMESTAMP NOT NULL,\n  v VARCHAR,\n  PRIMARY KEY (time)\n)",
     "text: cells end with tabs\n",
     "2024-01-01T00:00:00.000Z|1,2\n2024-01-02T00:00:00.000Z|x\n"},
    {WRITTEN("\xff\xfe"
             "a\0,\0b\0\n\0"
             "1\0,\0\xe9\0\n\0"
             "2\0,\0\x3d\xd8\x00\xde\n\0"),
     "CREATE TABLE t (\n  a BIGINT,\n  b VARCHAR\n)",
     "text: it is UTF16LE\n",
     "1|\xc3\xa9\n2|\xf0\x9f\x98\x80\n"},
    {WRITTEN("\0a\0,\0b\0\n\0"
             "1\0,\0x\0\n"),
     "CREATE TABLE t (\n  a BIGINT,\n  b VARCHAR\n)",
     "text: it is UTF16BE\n",
     "1|x\n"},
    {WRITTEN("v,v,,V\n1,2,3,4\n"),
     "CREATE TABLE t (\n  v BIGINT,\n  v_2 BIGINT,\n  column3 BIGINT,\n  V_3 BIGINT\n)",
     NULL,
     "1|2|3|4\n"},
    {WRITTEN("1.5,a\n2.5,b\n"),
     "CREATE TABLE t (\n  column1 DOUBLE,\n  column2 VARCHAR\n)",
     "text: the first line is a row, not a header\n",
     "1.5|a\n2.5|b\n"},
    {WRITTEN("id,2019,2020\n1,5,6\n"),
     "CREATE TABLE t (\n  id BIGINT,\n  \"2019\" BIGINT,\n  \"2020\" BIGINT\n)",
     NULL,
     "1|5|6\n"},
    {WRITTEN("'a;b';c\n'x;y';1\n'z';2\n"),
     "CREATE TABLE t (\n  \"a;b\" VARCHAR,\n  c BIGINT\n)",
     "text: cells end with semicolons\ntext: cells are quoted with '\n",
     "x;y|1\nz|2\n"},
    {WRITTEN("it's,v\ndon't,1\n"),
     "CREATE TABLE t (\n  \"it's\" VARCHAR,\n  v BIGINT\n)",
     NULL,
     "don't|1\n"},
    {WRITTEN("d,v\n1/13/2024,1\n2/1/2024,2\n"),
     "CREATE TABLE t (\n  d TIMESTAMP NOT NULL,\n  v BIGINT,\n  PRIMARY KEY (d)\n)",
     "times: the month comes first\n",
     "2024-01-13T00:00:00.000Z|1\n2024-02-01T00:00:00.000Z|2\n"},
    {WRITTEN("d,v\n13/1/2024,1\n2/1/2024,2\n"),
     "CREATE TABLE t (\n  d TIMESTAMP NOT NULL,\n  v BIGINT,\n  PRIMARY KEY (d)\n)",
     "times: the day comes first\n",
     "2024-01-02T00:00:00.000Z|2\n2024-01-13T00:00:00.000Z|1\n"},
    {WRITTEN("d,v\n1/2/2024,1\n3/4/2024,2\n"),
     "CREATE TABLE t (\n  d TIMESTAMP NOT NULL,\n  v BIGINT,\n  PRIMARY KEY (d)\n)",
     "times: the month comes first; by the values it could be the day or the month (--dates)\n",
     "2024-01-02T00:00:00.000Z|1\n2024-03-04T00:00:00.000Z|2\n"},
    {WRITTEN("a,b\n1.2.3,1\n1.0.0,2\n"),
     "CREATE TABLE t (\n  a VARCHAR,\n  b BIGINT\n)",
     NULL,
     "1.0.0|2\n1.2.3|1\n"},
    {WRITTEN("{\"time\":\"2024-01-01\",\"a\":1.5,\"b\":\"x\\\"\\u00e9\\ud83d\\ude00\\n,\"}\r\n"
             " { \"a\" : null , \"time\" : \"2024-01-02\", \"c\":{\"d\":[1,\"}\"]}, \"\\u0065\": "
             "true }\n"),
     "CREATE TABLE t (\n  time TIMESTAMP NOT NULL,\n  a DOUBLE,\n  b VARCHAR,\n  c VARCHAR,\n  e "
     "BOOLEAN,\n  PRIMARY KEY (time)\n)",
     "text: its lines are JSON objects\n",
     "2024-01-01T00:00:00.000Z|1.5|x\"\xc3\xa9\xf0\x9f\x98\x80\n,|~|~\n"
     "2024-01-02T00:00:00.000Z|~|~|{\"d\":[1,\"}\"]}|true\n"},
    {WRITTEN("{\"a\":1}\n\n{\"a\":2}"),
     "CREATE TABLE t (\n  a BIGINT\n)",
     "its lines are JSON",
     "1\n2\n"},
    {WRITTEN("{a},b\n{1},2\n"),
     "CREATE TABLE t (\n  \"{a}\" VARCHAR,\n  b BIGINT\n)",
     NULL,
     "{1}|2\n"},
    {WRITTEN("a;b\n1,5;52.52\n2,5;13.4\n"),
     "CREATE TABLE t (\n  a DOUBLE,\n  b VARCHAR\n)",
     "numbers: they have a decimal comma",
     "1.5|52.52\n2.5|13.4\n"},
};

/* Suggested, imported, read; and once more, into the table that is there. */
static void written_check(const struct written *w)
{
    struct load_text t = {.text = w->text, .len = w->len, .step = 7};
    struct dendro_import spec = {.table = "t", .read = load_text_read, .read_arg = &t};
    struct dendro_error err;
    char *sql = NULL;
    char *why = NULL;
    struct db_fix f;
    struct buf want;

    if (dendro_import_suggest(&spec, &sql, &why, &err) < 0)
        fail_msg("%s: %s", w->text, err.message);
    assert_string_equal(sql, w->sql);
    if (w->why && !strstr(why, w->why))
        fail_msg("%s: not said: %s: %s", w->text, w->why, why);
    if (!w->why && strncmp(why, "types:", 6) != 0)
        fail_msg("%s: %s", w->text, why);
    db_open(&f);
    buf_init(&want, NULL);
    for (int i = 1; i <= 2; i++) {
        uint32_t lines = 0;

        db_ok(&f, "DROP TABLE IF EXISTS t");
        db_ok(&f, sql);
        if (i == 2) {
            dendro_free(why);
            spec = (struct dendro_import){.table = "t", .read = load_text_read, .read_arg = &t};
            t.at = 0;
            if (dendro_import_sniff(&spec, &why, &err) < 0)
                fail_msg("%s: %s", w->text, err.message);
            if (strchr(w->sql, '1')) /* column1: the table does not say that there is no header */
                spec.csv.header = DENDRO_HEADER_AUTO;
        }
        t.at = 0;
        if (dendro_import_csv(f.conn, &spec, NULL, &err) < 0)
            fail_msg("%s: %s", w->text, err.message);
        for (const char *p = w->rows; *p; p++)
            lines += *p == '\n' && p[1] != ','; /* or it is within a value */
        buf_reset(&want);
        buf_printf(&want, "%s(SELECT %u)\n", w->rows, lines);
        buf_u8(&want, 0);
        assert_string_equal(db_ok(&f, "SELECT * FROM t ORDER BY 1"), (char *)want.data);
    }
    buf_done(&want);
    db_close(&f);
    dendro_free(sql);
    dendro_free(why);
}

static void test_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(written); i++)
        written_check(&written[i]);
}

/* A file, as read_at reads it. */
static int file_read_at(void *arg, uint64_t at, void *to, size_t len)
{
    const struct load_text *t = arg;

    memcpy(to, t->text + at, len);
    return 0;
}

/* One odd value after two megabytes: a file is read on, a stream is not. */
static void test_late(void **state)
{
    static const struct {
        const char *odd;
        const char *type;
        const char *why;
    } cases[] = {
        {"n/a",
         "n VARCHAR",
         "\"n\" would be BIGINT but for 1 of 100001 values; the first is in line "
         "100002, \"n/a\"\ntypes: if \"n/a\" means NULL, say so"},
        {"0.5", "n DOUBLE", "\"n\" is DOUBLE since line 100002, \"0.5\"; it was BIGINT before"},
        {"1\xe4", "n VARCHAR", "text: it is WIN1252\n"},
        {"7", "n BIGINT", "types: by all 100001 rows\n"},
    };
    struct buf text;

    (void)state;
    buf_init(&text, NULL);
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct load_text t = {.at = 0};
        struct dendro_import spec = {
            .table = "t", .read = load_text_read, .read_arg = &t, .read_at = file_read_at};
        struct dendro_error err;
        char *sql = NULL;
        char *why = NULL;

        buf_reset(&text);
        buf_puts(&text, "s,n\n");
        for (int row = 0; row < 100000; row++)
            buf_puts(&text, "a text of some length,1\n");
        buf_printf(&text, "b,%s\n", cases[i].odd);
        t.text = (const char *)text.data;
        t.len = spec.size = text.len;
        if (dendro_import_suggest(&spec, &sql, &why, &err) < 0)
            fail_msg("%s: %s", cases[i].odd, err.message);
        assert_non_null(strstr(sql, cases[i].type));
        if (!strstr(why, cases[i].why))
            fail_msg("%s: %s", cases[i].odd, why);
        assert_int_equal(t.at, 0); /* the reader has everything to give still */
        dendro_free(sql);
        dendro_free(why);

        spec = (struct dendro_import){.table = "t", .read = load_text_read, .read_arg = &t};
        assert_int_equal(dendro_import_suggest(&spec, &sql, &why, &err), DENDRO_OK);
        assert_non_null(strstr(sql, "n BIGINT"));
        assert_non_null(strstr(why, "types: by the first "));
        dendro_free(sql);
        dendro_free(why);
    }
    buf_done(&text);
}

/* What was said is not found out. */
static void test_given(void **state)
{
    struct load_text t = {.text = "a;b\n1,5;01/02/2024\n", .len = 19};
    struct dendro_import spec = {
        .table = "t",
        .read = load_text_read,
        .read_arg = &t,
        .csv = {.delimiter = ',', .decimal = '.', .header = DENDRO_HEADER_YES}};
    struct dendro_error err;
    char *sql = NULL;
    char *why = NULL;

    (void)state;
    assert_int_equal(dendro_import_suggest(&spec, &sql, &why, &err), DENDRO_OK);
    assert_string_equal(sql, "CREATE TABLE t (\n  \"a;b\" VARCHAR\n)");
    dendro_free(sql);
    dendro_free(why);
    spec.csv = (struct dendro_csv){.dates = DENDRO_DATES_DMY};
    t.at = 0;
    assert_int_equal(dendro_import_suggest(&spec, &sql, &why, &err), DENDRO_OK);
    assert_int_equal(spec.csv.dates, DENDRO_DATES_DMY);
    assert_int_equal(spec.csv.decimal, ',');
    assert_int_equal(spec.csv.delimiter, ';');
    assert_null(strstr(why, "comes first"));
    dendro_free(sql);
    dendro_free(why);
}

/* Lines that are no objects are named. */
static void test_json_lines(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        {"{\"a\":1}\n{\"a\":2\n", "line 2: the line is no JSON object"},
        {"{\"a\":1}\n\n[1]\n", "line 3: the line is no JSON object"},
        {"{\"a\":1}\n{\"a\":2}x\n", "line 2: the line is no JSON object"},
        {"{\"a\":1}\n{\"a\" 2}\n", "line 2: the line is no JSON object"},
        {"{\"a\":1}\n{\"a\":2,}\n", "line 2: the line is no JSON object"},
        {"{\"a\":\"\"}\n{\"a\":\"\\x\"}\n", "line 2: a string has a bad escape"},
        {"{\"a\":\"\"}\n{\"a\":\"\\ud800\"}\n", "line 2: a string has a bad escape"},
        {"{\"a\":\"\"}\n{\"a\":\"\\u0000\"}\n", "line 2: a string has a bad escape"},
        {"{\"a\":1}\n{\"a\":oops}\n", "line 2, column \"a\""},
    };
    struct db_fix f;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct load_text t = {.text = cases[i].text, .len = strlen(cases[i].text)};
        struct dendro_import spec = {.table = "t",
                                     .read = load_text_read,
                                     .read_arg = &t,
                                     .csv = {.encoding = DENDRO_ENCODING_NDJSON}};
        struct dendro_error err;

        db_open(&f);
        db_ok(&f,
              strstr(cases[i].text, "\"\"") ? "CREATE TABLE t (a VARCHAR)"
                                            : "CREATE TABLE t (a INT)");
        assert_true(dendro_import_csv(f.conn, &spec, NULL, &err) < 0);
        if (strncmp(err.message, cases[i].want, strlen(cases[i].want)) != 0)
            fail_msg("%s: %s", cases[i].text, err.message);
        db_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suggest),
        cmocka_unit_test(test_suggest_refused),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_given),
        cmocka_unit_test(test_json_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
