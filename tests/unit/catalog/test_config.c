/* SPDX-License-Identifier: Apache-2.0
 *
 * Configuration: texts, what wins, what is refused and where. */
#include "catalog/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char told[4096]; /* errors, one per line */

static void tell(void *arg, const char *text)
{
    size_t len = strlen(told);

    (void)arg;
    snprintf(told + len, sizeof told - len, "%s\n", text);
}

static int parse(struct config *c, const char *text, size_t len)
{
    struct config_from from = {.source = CONFIG_FILE, .where = "f"};
    struct dn_err err;

    told[0] = '\0';
    return config_parse(c, text, len, &from, tell, NULL, &err);
}

static const char *value_of(const struct config *c, const char *name)
{
    const struct config_entry *e = config_get(c, settings_find(name, NULL));

    return e ? e->value : NULL;
}

static void test_text(void **state)
{
    static const char text[] = "\xEF\xBB\xBF# a comment\n"
                               "  listen = 'a#b '' c' # behind\r\n"
                               "\n"
                               "[pg]\n"
                               "port = any\n"
                               "[ log ]\n"
                               "[log]\n"
                               "min-duration-statement=250\n"
                               "; another\n"
                               "[database]\n"
                               "memory_limit = 64MB ; here\n"
                               "work_mem = 1MB\n"
                               "work_mem = 2MB";
    struct config *c = NULL;
    struct dn_err err;

    (void)state;
    assert_int_equal(config_new(&c, &err), 0);
    assert_int_equal(parse(c, text, sizeof text - 1), 1);
    assert_string_equal(told, "f:6: a section is [name]\n");
    assert_string_equal(value_of(c, "listen"), "a#b ' c");
    assert_string_equal(value_of(c, "pg_port"), "any");
    assert_string_equal(value_of(c, "log_min_duration_statement"), "250ms");
    assert_string_equal(value_of(c, "memory_limit"), "64MB");
    assert_string_equal(value_of(c, "work_mem"), "2MB");
    assert_int_equal(config_get(c, settings_find("work_mem", NULL))->line, 13);
    assert_null(value_of(c, "http_port"));
    config_unref(c);
}

static void test_errors(void **state)
{
    static const struct {
        const char *text;
        const char *error;
    } bad[] = {
        {"pg_prt = 1",
         "f:1: unrecognized configuration parameter \"pg_prt\"; Perhaps you meant \"pg_port\".\n"},
        {"\n[http]\nprot = 1",
         "f:3: unrecognized configuration parameter \"http_prot\"; Perhaps you meant "
         "\"http_port\".\n"},
        {"[htp]", "f:1: there is no section [htp]; perhaps you meant [http]\n"},
        {"[zzzzz]",
         "f:1: there is no section [zzzzz]; sections are server, database, pg, http, ilp, tls, "
         "log\n"},
        {"[pg", "f:1: a section is [name]\n"},
        {"listen", "f:1: a line is NAME = VALUE, [section] or # comment\n"},
        {"= 3", "f:1: a line is NAME = VALUE, [section] or # comment\n"},
        {"listen = 'x", "f:1: the value's quotes do not end, or something stands behind them\n"},
        {"listen = 'x' y", "f:1: the value's quotes do not end, or something stands behind them\n"},
        {"max_connections = 0", "f:1: setting max_connections must be 1 to 100000, not '0'\n"},
        {"max_message = 1GB\nmax_message = 2GB\n",
         "f:2: setting max_message must be 1MB to 2047MB, not '2GB'\n"},
        {"log_format = xml",
         "f:1: invalid value for parameter \"log_format\": \"xml\"; Available values: "
         "text,json.\n"},
        {"role = bob", "f:1: parameter \"role\" cannot be changed\n"},
        {"block_size = 1", "f:1: parameter \"block_size\" cannot be changed\n"},
        {"ilp_port = 65536",
         "f:1: setting ilp_port must be a port from 1 to 65535, any = one that is free, or 0 = "
         "none, not '65536'\n"},
    };
    struct dn_err err;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++) {
        struct config *c = NULL;

        assert_int_equal(config_new(&c, &err), 0);
        assert_int_equal(parse(c, bad[i].text, strlen(bad[i].text)), 1);
        assert_string_equal(told, bad[i].error);
        config_unref(c);
    }
}

/* A later source wins over an earlier one, whoever came first. */
static void test_sources(void **state)
{
    static const enum config_source order[] = {
        CONFIG_ENVIRONMENT, CONFIG_FLAG, CONFIG_FILE, CONFIG_SYSTEM};
    const struct setting_row *row = settings_find("pg_port", NULL);
    struct config *c = NULL, *copy = NULL;
    struct dn_err err;
    struct buf b;

    (void)state;
    assert_int_equal(config_new(&c, &err), 0);
    assert_int_equal(config_new(&copy, &err), 0);
    assert_true(config_same(c, NULL, row));
    for (size_t i = 0; i < DN_ARRAY_SIZE(order); i++) {
        struct config_from from = {.source = order[i], .where = "w", .line = 7};
        char text[8];

        snprintf(text, sizeof text, "%d", 100 + (int)order[i]);
        assert_int_equal(config_put(c, "pg_port", text, &from, &err), 0);
    }
    assert_int_equal(config_add(copy, c, &err), 0);
    for (int s = CONFIG_FLAG; s > CONFIG_DEFAULT; s--) {
        const struct config_entry *e = config_get(copy, row);

        assert_int_equal(e->source, s);
        assert_int_equal(e->value[2], '0' + s);
        config_drop(copy, row, (enum config_source)s);
    }
    assert_null(config_get(copy, row));
    assert_false(config_same(c, copy, row));
    buf_init(&b, NULL);
    assert_int_equal(config_value(copy, row, &b, &err), 0);
    assert_string_equal((const char *)b.data, "5460");
    buf_done(&b);
    config_unref(c);
    config_unref(copy);
}

/* What is printed can be read, whatever is in it. */
static void test_print(void **state)
{
    struct config_from from = {.source = CONFIG_FILE, .where = "f"};
    struct config *c = NULL, *again = NULL;
    struct dn_err err;
    struct buf b;

    (void)state;
    assert_int_equal(config_new(&c, &err), 0);
    assert_int_equal(config_new(&again, &err), 0);
    assert_int_equal(config_put(c, "listen", " it's # [x] ; = ", &from, &err), 0);
    assert_int_equal(config_put(c, "application_name", "", &from, &err), 0);
    buf_init(&b, NULL);
    assert_int_equal(config_print(c, CONFIG_FILE, &b, &err), 0);
    assert_int_equal(parse(again, (const char *)b.data, b.len), 0);
    assert_string_equal(value_of(again, "listen"), " it's # [x] ; = ");
    assert_string_equal(value_of(again, "application_name"), "");
    buf_done(&b);
    config_unref(c);
    config_unref(again);
}

/* A value that could not be written as a line is refused, whichever way it comes. */
static void test_one_line(void **state)
{
    static const char *const bad[] = {"a\nb", "a\rb", "\r", "a\x01", "\x1b[2J", "\x7f"};
    static const char within[] = "application_name = 'x\ry'\n";
    static const char at_end[] = "application_name = 'z'\r\n";
    struct config_from from = {.source = CONFIG_FILE, .where = "f"};
    struct config *c = NULL;
    struct dn_err err;

    (void)state;
    assert_int_equal(config_new(&c, &err), 0);
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++) {
        dn_err_clear(&err);
        assert_int_equal(config_put(c, "application_name", bad[i], &from, &err),
                         DN_E_INVALID_PARAM);
        assert_non_null(strstr(err.text, "application_name"));
    }
    assert_null(config_get(c, settings_find("application_name", NULL)));
    assert_int_equal(config_put(c, "application_name", "a\tb", &from, &err), 0);
    assert_int_equal(parse(c, within, strlen(within)), 1);
    assert_int_equal(parse(c, at_end, strlen(at_end)), 0);
    assert_string_equal(value_of(c, "application_name"), "z");
    config_unref(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
