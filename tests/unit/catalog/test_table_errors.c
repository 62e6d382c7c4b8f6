/* SPDX-License-Identifier: Apache-2.0
 *
 * Every rule of CREATE TABLE broken once: exact text, hint, code with its SQLSTATE, and the
 * position, which the statement marks with ^. docs/keys.md must have each text. */
#include "spec_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bad {
    const char *sql; /* ^ before the token the error points at */
    int code;
    const char *text;
    const char *hint; /* "" = none */
};

/* clang-format off */
static const struct bad bad_columns[] = {
    {"CREATE TABLE ^t ()", DN_E_SYNTAX, "table \"t\" has no columns", ""},
    {"CREATE TABLE t (a INT, b INT, ^a VARCHAR)", DN_E_DUPLICATE_COLUMN,
     "column \"a\" is declared twice", ""},
    {"CREATE TABLE t (^a INT NULL NOT NULL)", DN_E_SYNTAX,
     "column \"a\" is declared both NULL and NOT NULL", ""},
    {"CREATE TABLE t (^a INT NOT NULL DEFAULT NULL)", DN_E_NOT_NULL,
     "column \"a\" is NOT NULL, but its DEFAULT is NULL", ""},
    {"CREATE TABLE t (^a INT DEFAULT NULL, PRIMARY KEY (a))", DN_E_NOT_NULL,
     "column \"a\" is NOT NULL as a key or time column, but its DEFAULT is NULL", ""},
    {"CREATE TABLE ^\"\" (a INT)", DN_E_BAD_NAME, "the table name is empty", ""},
    {"CREATE TABLE ^\"\".t (a INT)", DN_E_BAD_NAME, "the schema name is empty", ""},
    {"CREATE TABLE t (a INT, ^\"\" INT)", DN_E_BAD_NAME, "the column name is empty", ""},
    {"CREATE TABLE t (^\"a\xff\" INT)", DN_E_BAD_ENCODING, "the column name is not valid UTF-8", ""},
    {"CREATE TABLE t (^a VARCHAR DEFAULT '\xc3')", DN_E_BAD_ENCODING,
     "the DEFAULT of column \"a\" is not valid UTF-8", ""},
    {"CREATE TABLE t (^a DOUBLE DEFAULT nan)", DN_E_NOT_A_NUMBER,
     "the DEFAULT of column \"a\" is no finite number", ""},
    {"CREATE TABLE t (a INT) WITH (comment = ^'\xff')", DN_E_BAD_ENCODING,
     "table option comment is not valid UTF-8", ""},
};

static const struct bad bad_keys[] = {
    /* rule 1 and its relatives: one key */
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a), ^PRIMARY KEY (b))", DN_E_KEY_RULE,
     "the table has 2 PRIMARY KEYs",
     "one PRIMARY KEY may name several columns: PRIMARY KEY (a, b)"},
    {"CREATE TABLE t (a INT PRIMARY KEY, b INT ^PRIMARY KEY)", DN_E_KEY_RULE,
     "the table has 2 PRIMARY KEYs",
     "one PRIMARY KEY may name several columns: PRIMARY KEY (a, b)"},
    {"CREATE TABLE t (a INT PRIMARY KEY, b INT, ^PRIMARY KEY (a, b))", DN_E_KEY_RULE,
     "the table has 2 PRIMARY KEYs",
     "one PRIMARY KEY may name several columns: PRIMARY KEY (a, b)"},
    /* rule 3: no column twice */
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b, ^b))", DN_E_DUPLICATE_COLUMN,
     "column \"b\" stands twice in the primary key", ""},
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b, ^A, b))", DN_E_DUPLICATE_COLUMN,
     "columns \"a\", \"b\" stand twice in the primary key", ""},
    {"CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY ((a), b, c, ^b))", DN_E_DUPLICATE_COLUMN,
     "column \"b\" stands twice in the local key", ""},
    {"CREATE TABLE t (a INT NOT NULL, t TIMESTAMP NOT NULL, PRIMARY KEY ((a, t, ^QUANTUM(t, 15, 'm')), a, t))",
     DN_E_DUPLICATE_COLUMN, "column \"t\" stands twice in the partition key", ""},
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY ((a, b, ^a, b)))", DN_E_DUPLICATE_COLUMN,
     "columns \"a\", \"b\" stand twice in the partition key",
     "close the inner parenthesis after the partition key: PRIMARY KEY ((a, b), a, b)"},
    /* rule 4: at least one column */
    {"CREATE TABLE t (a INT, ^PRIMARY KEY ())", DN_E_KEY_RULE, "the primary key names no column", ""},
    {"CREATE TABLE t (a INT, ^PRIMARY KEY ((), a))", DN_E_KEY_RULE,
     "the partition key names no column", ""},
    /* rule 5: the local key begins with the partition key */
    {"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, t TIMESTAMP NOT NULL, "
     "PRIMARY KEY ((a, b, QUANTUM(t, 15, 'm')), a, ^t))", DN_E_KEY_RULE,
     "the local key must begin with the partition key columns \"a\", \"b\", \"t\" in this order, "
     "but it is \"a\", \"t\"",
     "write PRIMARY KEY ((…), a, b, t), or repeat none of the partition columns"},
    {"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY ((a, b), ^b, a))", DN_E_KEY_RULE,
     "the local key must begin with the partition key columns \"a\", \"b\" in this order, but it is "
     "\"b\", \"a\"",
     "write PRIMARY KEY ((…), a, b), or repeat none of the partition columns"},
    {"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, c INT NOT NULL, PRIMARY KEY ((a, b), ^c, a))",
     DN_E_KEY_RULE,
     "the local key must begin with the partition key columns \"a\", \"b\" in this order, but it is "
     "\"c\", \"a\"",
     "write PRIMARY KEY ((…), a, b, c), or repeat none of the partition columns"},
    {"CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY ((a, b), ^a))", DN_E_KEY_RULE,
     "the local key must begin with the partition key columns \"a\", \"b\" in this order, but it is "
     "\"a\"",
     "write PRIMARY KEY ((…), a, b), or repeat none of the partition columns"},
    /* rule 6: key columns exist */
    {"CREATE TABLE ev.temperature_measurements (collected_at DATETIME, sensor_id STRING, "
     "temperature DOUBLE, PRIMARY KEY(^time, sensor_id))", DN_E_UNDEFINED_COLUMN,
     "column \"time\" in PRIMARY KEY is not declared",
     "did you mean \"collected_at\"? It is the only time stamp of the table"},
    {"CREATE TABLE t (region INT, state INT, PRIMARY KEY (region, ^sttae))", DN_E_UNDEFINED_COLUMN,
     "column \"sttae\" in PRIMARY KEY is not declared", "did you mean \"state\"?"},
    {"CREATE TABLE t (region INT, state INT, PRIMARY KEY ((^colour), state))", DN_E_UNDEFINED_COLUMN,
     "column \"colour\" in PRIMARY KEY is not declared", "the columns are \"region\", \"state\""},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(^moment, 1, 'd'))))",
     DN_E_UNDEFINED_COLUMN, "column \"moment\" in QUANTUM is not declared",
     "did you mean \"t\"? It is the only time stamp of the table"},
    {"CREATE TABLE t (abc INT, Abc INT, PRIMARY KEY (^ABC))", DN_E_AMBIGUOUS,
     "\"ABC\" in PRIMARY KEY fits more than one column", ""},
    /* rule 7: declared NOT NULL in the Riak form */
    {"CREATE TABLE t (a INT NOT NULL, ^t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 15, 'm')), a, t))",
     DN_E_KEY_RULE, "key column \"t\" must be declared NOT NULL",
     "a local key that repeats the partition key asks for it"},
    {"CREATE TABLE t (^a INT, t TIMESTAMP NOT NULL, w VARCHAR, "
     "PRIMARY KEY ((a, QUANTUM(t, 15, 'm')), a, t, w))", DN_E_KEY_RULE,
     "key columns \"a\", \"w\" must be declared NOT NULL",
     "a local key that repeats the partition key asks for it"},
    {"CREATE TABLE t (^a INT NULL, b INT, PRIMARY KEY (a, b))", DN_E_KEY_RULE,
     "key column \"a\" may not be declared NULL", ""},
    /* rule 8: no order in the partition key */
    {"CREATE TABLE t (a INT NOT NULL, t TIMESTAMP NOT NULL, "
     "PRIMARY KEY ((a ^DESC, QUANTUM(t, 15, 'm')), a, t))", DN_E_KEY_RULE,
     "DESC may not stand in the partition key (column \"a\")",
     "put the order after the inner parentheses, in the local key"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 15, 'm') ^ASC), t))",
     DN_E_KEY_RULE, "ASC may not stand in the partition key (column \"t\")",
     "put the order after the inner parentheses, in the local key"},
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a ^DESC, b))", DN_E_KEY_RULE,
     "DESC may not stand in the partition key (column \"a\")",
     "the first column of the key is hashed; only those after it have an order"},
};

static const struct bad bad_quantum[] = {
    /* rule 9: at most one */
    {"CREATE TABLE t (a TIMESTAMP NOT NULL, b TIMESTAMP NOT NULL, "
     "PRIMARY KEY ((QUANTUM(a, 1, 'd'), ^QUANTUM(b, 1, 'd')), a, b))", DN_E_KEY_RULE,
     "the partition key has 2 QUANTUMs (on \"a\", \"b\"), the most is one", ""},
    /* rule 10: time stamp, count, unit */
    {"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY ((a, QUANTUM(^b, 15, 'm')), a, b))",
     DN_E_DATATYPE_MISMATCH, "QUANTUM needs a TIMESTAMP column, but \"b\" is INTEGER", ""},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, ^0, 'm')), t))", DN_E_KEY_RULE,
     "the count of QUANTUM must be 1 or more, not 0", ""},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, ^-3, 'm')), t))", DN_E_KEY_RULE,
     "the count of QUANTUM must be 1 or more, not -3", ""},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 15, ^'w')), t))", DN_E_KEY_RULE,
     "QUANTUM does not know the unit 'w'", "the units are 'd', 'h', 'm' and 's'"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 15, ^'min')), t))",
     DN_E_KEY_RULE, "QUANTUM does not know the unit 'min'", "the units are 'd', 'h', 'm' and 's'"},
    {"CREATE TABLE t (a INT, t TIMESTAMP(9), PRIMARY KEY ((a, QUANTUM(t, ^106752, 'd')), t))",
     DN_E_KEY_RULE, "a QUANTUM of 106752d is wider than a TIMESTAMP(9) can count",
     "the widest here is 106751d"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, ^9223372036854775807, 's')), t))",
     DN_E_KEY_RULE, "a QUANTUM of 9223372036854775807s is wider than a TIMESTAMP can count",
     "the widest here is 9223372036854775s"},
    /* rule 11: last */
    {"CREATE TABLE t (a INT NOT NULL, t TIMESTAMP NOT NULL, "
     "PRIMARY KEY ((^QUANTUM(t, 15, 'm'), a), t, a))", DN_E_KEY_RULE,
     "QUANTUM must be the last element of the partition key, but \"a\" follows it", ""},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY (a, ^QUANTUM(t, 15, 'm')))", DN_E_KEY_RULE,
     "QUANTUM on \"t\" stands outside the partition key",
     "put the partition key into inner parentheses, the QUANTUM last: "
     "PRIMARY KEY ((…, QUANTUM(t, …)), …)"},
    /* rule 12: types that take DESC */
    {"CREATE TABLE t (a INT NOT NULL, b DOUBLE NOT NULL, PRIMARY KEY ((a), a, b ^DESC))",
     DN_E_KEY_RULE, "DESC does not go with key column \"b\" of type DOUBLE",
     "DESC goes with integers, TIMESTAMP, VARCHAR and BLOB"},
    {"CREATE TABLE t (a INT NOT NULL, b BOOLEAN NOT NULL, PRIMARY KEY ((a), a, b ^DESC))",
     DN_E_KEY_RULE, "DESC does not go with key column \"b\" of type BOOLEAN",
     "DESC goes with integers, TIMESTAMP, VARCHAR and BLOB"},
};

static const struct bad bad_clauses[] = {
    {"CREATE TABLE t (a INT, ^PARTITION KEY (a))", DN_E_KEY_RULE,
     "PARTITION KEY without a PRIMARY KEY", ""},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY (t, a), ^PARTITION KEY (t, a))", DN_E_KEY_RULE,
     "PARTITION KEY must name exactly one column, not 2", ""},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY (t, a), PARTITION KEY (^a))", DN_E_KEY_RULE,
     "PARTITION KEY names \"a\", but the primary key begins with \"t\"", ""},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY (t, a), PARTITION KEY (^x))",
     DN_E_UNDEFINED_COLUMN, "column \"x\" in PARTITION KEY is not declared",
     "the columns are \"t\", \"a\""},
    {"CREATE TABLE t (a VARCHAR, b INT, PRIMARY KEY (a, b), PARTITION KEY (^a))",
     DN_E_DATATYPE_MISMATCH, "PARTITION KEY needs a TIMESTAMP column, but \"a\" is VARCHAR",
     "without PARTITION KEY the first column of the primary key is hashed"},
    {"CREATE TABLE t (t TIMESTAMP, a INT, PRIMARY KEY ((t), a), ^PARTITION KEY (t))", DN_E_KEY_RULE,
     "PARTITION KEY does not go with inner parentheses in the PRIMARY KEY, which are the partition "
     "key already", ""},
    {"CREATE TABLE t (a INT) WITH ^CLUSTERING ORDER BY (a DESC)", DN_E_KEY_RULE,
     "CLUSTERING ORDER BY without a PRIMARY KEY", ""},
    {"CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b)) WITH CLUSTERING ORDER BY (^c DESC)",
     DN_E_KEY_RULE, "CLUSTERING ORDER BY names \"c\", which is no clustering column",
     "the clustering columns are \"b\""},
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b)) WITH CLUSTERING ORDER BY (^a DESC)",
     DN_E_KEY_RULE, "CLUSTERING ORDER BY names \"a\", which is no clustering column",
     "the clustering columns are \"b\""},
    {"CREATE TABLE t (a INT PRIMARY KEY, b INT) WITH CLUSTERING ORDER BY (^b DESC)", DN_E_KEY_RULE,
     "CLUSTERING ORDER BY names \"b\", which is no clustering column",
     "the key has no clustering columns"},
    {"CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b, c)) WITH CLUSTERING ORDER BY (^c DESC)",
     DN_E_KEY_RULE, "CLUSTERING ORDER BY must follow the key: \"c\" stands where \"b\" belongs",
     "the clustering columns are \"b\", \"c\", in this order"},
    {"CREATE TABLE t (a INT, b INT, c INT, PRIMARY KEY (a, b, c)) "
     "WITH CLUSTERING ORDER BY (b DESC, ^b ASC)", DN_E_DUPLICATE_COLUMN,
     "CLUSTERING ORDER BY names \"b\" twice", ""},
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b)) WITH CLUSTERING ORDER BY (b DESC, ^b ASC)",
     DN_E_DUPLICATE_COLUMN, "CLUSTERING ORDER BY names \"b\" twice", ""},
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b)) WITH CLUSTERING ORDER BY (^z DESC)",
     DN_E_UNDEFINED_COLUMN, "column \"z\" in CLUSTERING ORDER BY is not declared",
     "the columns are \"a\", \"b\""},
    {"CREATE TABLE t (a INT, b INT, PRIMARY KEY (a, b DESC)) WITH ^CLUSTERING ORDER BY (b DESC)",
     DN_E_KEY_RULE, "the order is given twice: by DESC after \"b\" in the primary key, and by "
     "CLUSTERING ORDER BY", ""},
    {"CREATE TABLE t (a INT NOT NULL, b INT NOT NULL, PRIMARY KEY ((a), a, b)) "
     "WITH ^CLUSTERING ORDER BY (b DESC)", DN_E_KEY_RULE,
     "CLUSTERING ORDER BY does not go with a local key that repeats the partition key",
     "write ASC or DESC after the columns of the local key"},
};

#define RANGE_TABLE "CREATE TABLE t (t TIMESTAMP, a INT, b INT NOT NULL, PRIMARY KEY (t, a)) WITH "
#define PLAIN_TABLE "CREATE TABLE t (a INT PRIMARY KEY, t TIMESTAMP, n TIMESTAMP NULL, w INT) WITH "

static const struct bad bad_options[] = {
    {PLAIN_TABLE "(^upser = 'row')", DN_E_UNDEFINED_OBJECT, "there is no table option \"upser\"",
     "did you mean \"upsert\"?"},
    {PLAIN_TABLE "(^colour = 'red')", DN_E_UNDEFINED_OBJECT, "there is no table option \"colour\"",
     "the options are upsert, quantum, slab, time, spread and comment"},
    {PLAIN_TABLE "(comment = 'a', ^COMMENT = 'b')", DN_E_INVALID_PARAM,
     "table option comment is given twice", ""},
    {PLAIN_TABLE "(default_time_to_live = ^86400)", DN_E_UNSUPPORTED,
     "table option default_time_to_live = 86400 is not supported",
     "leave it out or set it to 0 or false"},
    {PLAIN_TABLE "(upsert = ^'cell')", DN_E_INVALID_PARAM,
     "table option upsert must be 'row' or 'field', not 'cell'", ""},
    {RANGE_TABLE "(upsert = ^'field')", DN_E_KEY_RULE,
     "table option upsert = 'field' does not go with column \"b\", which is NOT NULL without a DEFAULT",
     "a write may leave them out: give them a DEFAULT, allow NULL, or use upsert = 'row'"},
    {"CREATE TABLE t (k INT PRIMARY KEY, a INT NOT NULL, b INT NOT NULL) WITH (upsert = ^'field')",
     DN_E_KEY_RULE,
     "table option upsert = 'field' does not go with columns \"a\", \"b\", which are NOT NULL without "
     "a DEFAULT",
     "a write may leave them out: give them a DEFAULT, allow NULL, or use upsert = 'row'"},
    {"CREATE TABLE t (a INT) WITH (upsert = ^'field')", DN_E_KEY_RULE,
     "table option upsert = 'field' needs a primary key", ""},
    {RANGE_TABLE "(quantum = ^'soon')", DN_E_INVALID_PARAM,
     "table option quantum must be a length of time such as '15m', '6h' or '1 day', not 'soon'", ""},
    {RANGE_TABLE "(quantum = ^'0h')", DN_E_INVALID_PARAM,
     "table option quantum must be a length of time such as '15m', '6h' or '1 day', not '0h'", ""},
    {RANGE_TABLE "(slab = ^'9999999999999d')", DN_E_INVALID_PARAM,
     "table option slab: '9999999999999d' is wider than a TIMESTAMP can count", ""},
    {RANGE_TABLE "(quantum = '6h', slab = ^'20h')", DN_E_INVALID_PARAM,
     "table option slab: '20h' is not a whole multiple of the quantum 6h",
     "the nearest are '18h' and '1d'"},
    {RANGE_TABLE "(slab = ^'6h')", DN_E_INVALID_PARAM,
     "table option slab: '6h' is not a whole multiple of the quantum 1d", "the smallest is '1d'"},
    {PLAIN_TABLE "(^quantum = '6h')", DN_E_KEY_RULE,
     "table option quantum needs a time column, and the table has none",
     "name it with time = 'column', or put a QUANTUM into the key"},
    {PLAIN_TABLE "(^slab = '6h')", DN_E_KEY_RULE,
     "table option slab needs a time column, and the table has none",
     "name it with time = 'column', or put a QUANTUM into the key"},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(t, 1, 'h')), t)) WITH (^quantum = '6h')",
     DN_E_KEY_RULE, "table option quantum does not go with a QUANTUM in the key", ""},
    {PLAIN_TABLE "(time = ^'tt')", DN_E_UNDEFINED_COLUMN,
     "column \"tt\" in table option time is not declared", "did you mean \"t\"?"},
    {PLAIN_TABLE "(time = ^'w')", DN_E_DATATYPE_MISMATCH,
     "table option time needs a TIMESTAMP column, but \"w\" is INTEGER", ""},
    {PLAIN_TABLE "(time = ^'t')", DN_E_KEY_RULE,
     "table option time names \"t\", which is not in the primary key",
     "rows of one key would lie in several slabs; add \"t\" to the key"},
    {"CREATE TABLE t (a INT, t TIMESTAMP NULL) WITH (time = ^'t')", DN_E_KEY_RULE,
     "time column \"t\" may not be declared NULL", ""},
    {"CREATE TABLE t (T TIMESTAMP, t TIMESTAMP, xt TIMESTAMP, xT TIMESTAMP) WITH (time = ^'XT')",
     DN_E_AMBIGUOUS, "\"XT\" in table option time fits more than one column", ""},
    {"CREATE TABLE t (t TIMESTAMP, u TIMESTAMP, PRIMARY KEY (t, u)) WITH (time = ^'u')",
     DN_E_KEY_RULE, "table option time names \"u\", but the key has the time column \"t\" already", ""},
    {RANGE_TABLE "(spread = ^0)", DN_E_INVALID_PARAM,
     "table option spread must be a number from 1 to 1024, not '0'", ""},
    {RANGE_TABLE "(spread = ^'many')", DN_E_INVALID_PARAM,
     "table option spread must be a number from 1 to 1024, not 'many'", ""},
    {RANGE_TABLE "(spread = ^99999999999999999999)", DN_E_INVALID_PARAM,
     "table option spread must be a number from 1 to 1024, not '99999999999999999999'", ""},
    {PLAIN_TABLE "(^spread = 4)", DN_E_KEY_RULE,
     "table option spread does not go with partition columns, by which the rows are spread already", ""},
};
/* clang-format on */

static char *read_page(const char *name)
{
    char path[512];
    FILE *f;
    char *text;
    size_t n;

    (void)snprintf(path, sizeof path, "%s/%s", DN_DOCS_DIR, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    text = malloc(1 << 20);
    assert_non_null(text);
    n = fread(text, 1, (1 << 20) - 1, f);
    text[n] = '\0';
    (void)fclose(f);
    return text;
}

static void check_one(const struct bad *bad, const char *page)
{
    const char *mark = strchr(bad->sql, '^');
    char sql[2048];
    struct table *t = NULL;
    struct dn_err err = {0};
    size_t used = mem_process_used();
    int rc;

    assert_non_null(mark);
    (void)snprintf(sql, sizeof sql, "%.*s%s", (int)(mark - bad->sql), bad->sql, mark + 1);
    rc = spec_text_build(sql, &t, &err);
    if (rc != bad->code || strcmp(err.text, bad->text) != 0 || strcmp(err.hint, bad->hint) != 0 ||
        err.position != (uint32_t)(mark - bad->sql) + 1 || t)
        fail_msg("%s\n got: %s %s\nwant: %s %s\nhint: %s\nwant: %s\nposition %u, want %d",
                 sql,
                 dn_code_name(rc),
                 err.text,
                 dn_code_name(bad->code),
                 bad->text,
                 err.hint,
                 bad->hint,
                 err.position,
                 (int)(mark - bad->sql) + 1);
    assert_int_equal(err.code, bad->code);
    assert_string_equal(err.sqlstate, dn_code_sqlstate(bad->code));
    assert_int_equal(mem_process_used(), used);
    /* The same without a place for the detail. */
    assert_int_equal(spec_text_build(sql, &t, NULL), bad->code);
    if (page && !strstr(page, bad->text))
        fail_msg("docs/keys.md does not show: %s", bad->text);
}

static void check_all(const struct bad *bad, size_t count, bool in_page)
{
    char *page = in_page ? read_page("keys.md") : NULL;

    for (size_t i = 0; i < count; i++)
        check_one(&bad[i], page);
    free(page);
}

static void test_columns(void **state)
{
    (void)state;
    check_all(bad_columns, DN_ARRAY_SIZE(bad_columns), false);
}

static void test_keys(void **state)
{
    (void)state;
    check_all(bad_keys, DN_ARRAY_SIZE(bad_keys), true);
}

static void test_quantum(void **state)
{
    (void)state;
    check_all(bad_quantum, DN_ARRAY_SIZE(bad_quantum), true);
}

static void test_clauses(void **state)
{
    (void)state;
    check_all(bad_clauses, DN_ARRAY_SIZE(bad_clauses), true);
}

static void test_options(void **state)
{
    (void)state;
    check_all(bad_options, DN_ARRAY_SIZE(bad_options), true);
}

/* n columns c0, c1, …; the key on the first if key. */
static char *make_wide(unsigned n, const char *end)
{
    size_t cap = (size_t)n * 16 + 100;
    char *sql = malloc(cap);
    size_t len;

    assert_non_null(sql);
    len = (size_t)snprintf(sql, cap, "CREATE TABLE wide (");
    for (unsigned i = 0; i < n; i++)
        len += (size_t)snprintf(sql + len, cap - len, "%sc%u INT", i ? ", " : "", i);
    (void)snprintf(sql + len, cap - len, "%s)", end);
    return sql;
}

static void test_width(void **state)
{
    struct table *t = NULL;
    struct dn_err err = {0};
    char *sql = make_wide(511, ", PRIMARY KEY (c510)");

    (void)state;
    assert_int_equal(spec_text_build(sql, &t, &err), 0);
    assert_int_equal(t->columns_count, 511);
    table_unref(t);
    free(sql);

    sql = make_wide(512, ", PRIMARY KEY (c510)");
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_TOO_MANY_COLUMNS);
    assert_string_equal(err.text, "table \"wide\" has 512 columns, the most is 511");
    assert_string_equal(err.sqlstate, "54011");
    assert_int_equal(err.position, strstr(sql, "c511") - sql + 1);
    free(sql);
}

/* A key of more elements than a table has columns. */
static void test_long_key(void **state)
{
    char sql[8192];
    size_t len = (size_t)snprintf(sql, sizeof sql, "CREATE TABLE t (a INT, PRIMARY KEY (a");
    struct table *t = NULL;
    struct dn_err err = {0};

    (void)state;
    for (int i = 1; i < 512; i++)
        len += (size_t)snprintf(sql + len, sizeof sql - len, ", a");
    (void)snprintf(sql + len, sizeof sql - len, "))");
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_TOO_MANY_COLUMNS);
    assert_string_equal(err.text, "the primary key lists 512 columns, a table has at most 511");
}

static void test_long_names(void **state)
{
    char sql[4096];
    char name[300];
    struct table *t = NULL;
    struct dn_err err = {0};

    (void)state;
    memset(name, 'n', sizeof name);
    name[255] = '\0';
    (void)snprintf(
        sql, sizeof sql, "CREATE TABLE t (%s INT, PRIMARY KEY (%s, %s))", name, name, name);
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_DUPLICATE_COLUMN);
    name[255] = 'n';
    name[256] = '\0';
    (void)snprintf(sql, sizeof sql, "CREATE TABLE t (a INT, %s INT)", name);
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_BAD_NAME);
    assert_string_equal(
        err.text,
        "the column name \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…\" has 256 bytes, "
        "the most is 255");
    assert_int_equal(err.position, 24);
    (void)snprintf(sql, sizeof sql, "CREATE TABLE t (a INT, PRIMARY KEY (%s%s))", name, name);
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_UNDEFINED_COLUMN);
    assert_non_null(strstr(err.text, "is not declared"));
}

/* A list of names that does not fit the message ends in an ellipsis. */
static void test_many_names(void **state)
{
    char sql[8192] = "CREATE TABLE t (";
    char key[4096] = "";
    size_t len = strlen(sql);
    size_t key_len = 0;
    struct table *t = NULL;
    struct dn_err err = {0};

    (void)state;
    for (int i = 0; i < 60; i++) {
        len += (size_t)snprintf(sql + len, sizeof sql - len, "a_long_column_name_%d INT, ", i);
        key_len +=
            (size_t)snprintf(key + key_len, sizeof key - key_len, ", a_long_column_name_%d", i);
    }
    (void)snprintf(sql + len, sizeof sql - len, "PRIMARY KEY ((a_long_column_name_0)%s))", key);
    assert_int_equal(spec_text_build(sql, &t, &err), DN_E_KEY_RULE);
    assert_non_null(strstr(err.text, "\"a_long_column_name_13\", … must be declared NOT NULL"));
}

/* The engine gives defaults of the column's type; if not, it is an error and no crash. */
static void test_default_type(void **state)
{
    struct column_spec c = {.name = {"a", 3}, .type = TYPE_INTEGER, .has_default = true};
    struct table_spec spec = {
        .schema = {"public", 0}, .name = {"t", 1}, .columns = &c, .columns_count = 1};
    struct table *t = NULL;
    struct dn_err err = {0};

    (void)state;
    c.def.type = TYPE_VARCHAR;
    assert_int_equal(table_build(&spec, &t, &err), DN_E_DATATYPE_MISMATCH);
    assert_string_equal(err.text, "the DEFAULT of column \"a\" is VARCHAR, the column is INTEGER");
    c.type = TYPE_NONE;
    c.has_default = false;
    assert_int_equal(table_build(&spec, &t, &err), DN_E_DATATYPE_MISMATCH);
    assert_string_equal(err.text, "column \"a\" has no type");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_quantum),
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_long_key),
        cmocka_unit_test(test_long_names),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_default_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
