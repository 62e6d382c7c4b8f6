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
        {"a,,c\n", DENDRO_HEADER_AUTO, "column 2 of the file has no name in its header"},
        {"1,2\n", DENDRO_HEADER_NO, "without a header the columns need names: give them"},
        {"a,\"b\n", DENDRO_HEADER_AUTO, "a quote is not closed"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suggest),
        cmocka_unit_test(test_suggest_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
