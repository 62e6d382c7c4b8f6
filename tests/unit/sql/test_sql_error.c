/* SPDX-License-Identifier: Apache-2.0
 *
 * Every error of the lexer, the grammar and the builders: code, position, text, hint. */
#include "sql/sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct error_case {
    const char *text;
    int code;
    uint32_t position;
    const char *message; /* whole */
    const char *hint;    /* whole, "" = none */
};

#define STRING_HINT "a quote inside a string is written twice: 'it''s'"
#define BLOB_HINT   "a blob is 0x or X'…' with two hexadecimal digits for each byte"
#define ODD_HINT    "two digits make a byte: 0x0A, X'0A'"
#define UNIT_HINT                                                                             \
    "a value with a unit is a string ('64MB'), a name that starts with a digit needs double " \
    "quotes"

/* clang-format off */
static const struct error_case cases[] = {
    /* lexer */
    {"select 'abc", DN_E_SYNTAX, 8, "unterminated quoted string", STRING_HINT},
    {"select E'a\\'", DN_E_SYNTAX, 8, "unterminated quoted string", STRING_HINT},
    {"select E'a\\", DN_E_SYNTAX, 8, "unterminated quoted string", STRING_HINT},
    {"select \"abc", DN_E_SYNTAX, 8, "unterminated quoted identifier", ""},
    {"select é, `abc", DN_E_SYNTAX, 11, "unterminated quoted identifier", ""},
    {"select \"\"", DN_E_SYNTAX, 8, "a name in quotes may not be empty", ""},
    {"select 1 /* x", DN_E_SYNTAX, 10, "unterminated /* comment", ""},
    {"/* /* */", DN_E_SYNTAX, 1, "unterminated /* comment", ""},
    {"/* /* /* */ x", DN_E_SYNTAX, 1, "unterminated /* comment", "comments nest: each /* needs its own */"},
    {"select 0xABC", DN_E_SYNTAX, 8, "the blob has an odd number of hexadecimal digits", ODD_HINT},
    {"select X'AG'", DN_E_SYNTAX, 11, "this is not a hexadecimal digit of a blob", BLOB_HINT},
    {"select X'AB", DN_E_SYNTAX, 8, "unterminated hexadecimal string literal", ""},
    {"select 0xAG", DN_E_SYNTAX, 11, "this is not a hexadecimal digit of a blob", BLOB_HINT},
    {"select 0xg", DN_E_SYNTAX, 10, "this is not a hexadecimal digit of a blob", BLOB_HINT},
    {"select 123abc", DN_E_SYNTAX, 8, "the number runs into letters at \"123abc\"", UNIT_HINT},
    {"select 1.5x", DN_E_SYNTAX, 8, "the number runs into letters at \"1.5x\"", UNIT_HINT},
    {"select 1e", DN_E_SYNTAX, 8, "the number runs into letters at \"1e\"", UNIT_HINT},
    {"set memory_limit = 64MB", DN_E_SYNTAX, 20, "the number runs into letters at \"64MB\"", UNIT_HINT},
    {"select é, 'a\xff'", DN_E_BAD_ENCODING, 13, "the text is not valid UTF-8: byte 0xFF at character 13", ""},
    {"select \xc0\x80", DN_E_BAD_ENCODING, 8, "the text is not valid UTF-8: byte 0xC0 at character 8", ""},
    {"select \xed\xa0\x80", DN_E_BAD_ENCODING, 8, "the text is not valid UTF-8: byte 0xED at character 8", ""},
    {"select 1 -- \xf5", DN_E_BAD_ENCODING, 13, "the text is not valid UTF-8: byte 0xF5 at character 13", ""},
    {"select 1 /* \xe2\x82", DN_E_BAD_ENCODING, 13, "the text is not valid UTF-8: byte 0xE2 at character 13", ""},
    {"select \"\x80\"", DN_E_BAD_ENCODING, 9, "the text is not valid UTF-8: byte 0x80 at character 9", ""},
    {"select 1\xff", DN_E_BAD_ENCODING, 9, "the text is not valid UTF-8: byte 0xFF at character 9", ""},
    {"select E'\\xff'", DN_E_BAD_ENCODING, 8, "the escapes of the string make no valid UTF-8", ""},
    {"select E'é\\u12'", DN_E_SYNTAX, 11, "the escape sequence is no character", ""},
    {"select E'\\ud800'", DN_E_SYNTAX, 10, "the escape sequence is no character", ""},
    {"select E'\\U00110000'", DN_E_SYNTAX, 10, "the escape sequence is no character", ""},
    {"select E'\\0'", DN_E_BAD_ENCODING, 8, "the escapes of the string make no valid UTF-8", ""},
    {"select E'a\\x00'", DN_E_BAD_ENCODING, 8, "the escapes of the string make no valid UTF-8", ""},
    {"select E'\\u0000'", DN_E_SYNTAX, 10, "the escape sequence is no character", ""},
    {"select E'\\x'", DN_E_SYNTAX, 10, "the escape sequence is no character", ""},
    {"select E'\\777'", DN_E_SYNTAX, 10, "the escape sequence is no character", ""},

    /* what was expected */
    {"select 1,", DN_E_SYNTAX, 10, "syntax error at end of input; expected an expression or '*'", ""},
    {"select * FORM t", DN_E_SYNTAX, 10, "syntax error at or near \"FORM\"; expected ',', INTO, FROM, WHERE, GROUP BY, ... or end of statement", "Perhaps you meant FROM instead of \"FORM\"."},
    {"select a FORM t", DN_E_SYNTAX, 15, "syntax error at or near \"t\"; expected ',', INTO, FROM, WHERE, GROUP BY, ... or end of statement", "Perhaps you meant FROM instead of \"FORM\"."},
    {"SELCT 1", DN_E_SYNTAX, 1, "syntax error at or near \"SELCT\"; expected SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, ...", "Perhaps you meant SELECT instead of \"SELCT\"."},
    {"elephant", DN_E_SYNTAX, 1, "syntax error at or near \"elephant\"; expected SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, ...", ""},
    {"select * from t where a = 1 ordr by a", DN_E_SYNTAX, 29, "syntax error at or near \"ordr\"; expected GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, ... or end of statement", "Perhaps you meant ORDER instead of \"ordr\"."},
    {"select * from t where", DN_E_SYNTAX, 22, "syntax error at end of input; expected an expression", ""},
    {"select (1 + 2", DN_E_SYNTAX, 14, "syntax error at end of input; expected ')', ',' or an operator", "the '(' at position 8 is not closed"},
    {"select f((a, 1", DN_E_SYNTAX, 15, "syntax error at end of input; expected ')', ',' or an operator", "2 '(' are not closed, the last one at position 10"},
    {"select f((1", DN_E_SYNTAX, 12, "syntax error at end of input; expected ')', ',' or an operator", "2 '(' are not closed, the last one at position 10"},
    {"select 1)", DN_E_SYNTAX, 9, "syntax error at or near \")\"; expected ',', INTO, FROM, WHERE, GROUP BY, ... or end of statement", "there is no '(' that belongs to this ')'"},
    {"select a < b < c", DN_E_SYNTAX, 14, "syntax error at or near \"<\"; expected ',', INTO, FROM, WHERE, GROUP BY, ... or end of statement", ""},
    {"select a from select", DN_E_UNSUPPORTED, 15, "a subquery without parentheses is not supported", "write FROM (SELECT …) AS name"},
    {"select a from group", DN_E_SYNTAX, 15, "syntax error at or near \"group\"; expected a string or a name", "GROUP is a reserved word; as a name it needs double quotes"},
    {"insert into t (a,) values (1)", DN_E_SYNTAX, 18, "syntax error at or near \")\"; expected a name", "remove the comma before ')'"},
    {"insert into t values (1,)", DN_E_SYNTAX, 25, "syntax error at or near \")\"; expected an expression or DEFAULT", "remove the comma before ')'"},
    {"insert into t values (1", DN_E_SYNTAX, 24, "syntax error at end of input; expected ')', ',' or an operator", "the '(' at position 22 is not closed"},
    {"insert into t values (1),", DN_E_SYNTAX, 26, "syntax error at end of input; expected '('", ""},
    {"insert into t values (1) (2)", DN_E_SYNTAX, 26, "syntax error at or near \"(\"; expected ',', ORDER BY, LIMIT, OFFSET, ON, ... or end of statement", ""},
    {"insert into t values ()", DN_E_SYNTAX, 23, "syntax error at or near \")\"; expected an expression or DEFAULT", ""},
    {"insert into t vlaues (1)", DN_E_SYNTAX, 15, "syntax error at or near \"vlaues\"; expected SELECT, VALUES, AS, DEFAULT, '.' or OVERRIDING", "Perhaps you meant VALUES instead of \"vlaues\"."},
    {"insert into t values (1, 2 3)", DN_E_SYNTAX, 28, "syntax error at or near \"3\"; expected ')', ',' or an operator", ""},
    {"insert into values (1)", DN_E_SYNTAX, 21, "syntax error at or near \"1\"; expected SELECT, VALUES or a name", ""},
    {"create table t (a int,)", DN_E_SYNTAX, 23, "syntax error at or near \")\"; expected PRIMARY KEY, PARTITION KEY or a name", "remove the comma before ')'"},
    {"create table t (,)", DN_E_SYNTAX, 17, "syntax error at or near \",\"; expected ')', PRIMARY KEY, PARTITION KEY or a name", ""},
    {"create table t (a)", DN_E_SYNTAX, 19, "syntax error at end of input; expected AS, WITH or ON", ""},
    {"create table t (a int", DN_E_SYNTAX, 22, "syntax error at end of input; expected ')', ',', '(', '[', PRIMARY KEY, NOT, ...", "the '(' at position 16 is not closed"},
    {"create table t (a int not)", DN_E_SYNTAX, 26, "syntax error at or near \")\"; expected NULL or DEFERRABLE", ""},
    {"create table t (a int) with", DN_E_SYNTAX, 28, "syntax error at end of input; expected '(', CLUSTERING or a name", ""},
    {"create table t (a int, primary key (, a))", DN_E_SYNTAX, 37, "syntax error at or near \",\"; expected ')', '(' or a name", ""},
    {"create table t (a int, primary key (a, (b)))", DN_E_SYNTAX, 40, "syntax error at or near \"(\"; expected a name", ""},
    {"create table t (a int, primary key ((a, quantum(b, 1.5, 'm')), a))", DN_E_SYNTAX, 52, "syntax error at or near \"1.5\"; expected a whole number or '-'", ""},
    {"create table t (a int, b timestamp, primary key ((a, b, a, b));", DN_E_SYNTAX, 63, "syntax error at or near \";\"; expected ')' or ','", "the inner parentheses, those of the partition key, are not closed: PRIMARY KEY ((a, b), a, b)"},
    {"CREATE TABLE g ( region VARCHAR NOT NULL, PRIMARY KEY ( (region, state, time, region, state, time ) );", DN_E_SYNTAX, 102, "syntax error at or near \";\"; expected ')' or ','", "the inner parentheses, those of the partition key, are not closed: PRIMARY KEY ((region, state, time), region, state, time)"},
    {"CREATE TABLE g ( region VARCHAR NOT NULL, PRIMARY KEY ( (region, state, time, region, state, time )", DN_E_SYNTAX, 100, "syntax error at end of input; expected ')' or ','", "the inner parentheses, those of the partition key, are not closed: PRIMARY KEY ((region, state, time), region, state, time)"},
    {"create table t (a int, b timestamp, primary key ((a, quantum(b, 15, 'm'), a, b desc))", DN_E_SYNTAX, 86, "syntax error at end of input; expected ')' or ','", "the inner parentheses, those of the partition key, are not closed: PRIMARY KEY ((a, QUANTUM(b, 15, 'm')), a, b DESC)"},
    {"create table t (a int, primary key ((a)", DN_E_SYNTAX, 40, "syntax error at end of input; expected ')' or ','", "2 '(' are not closed, the last one at position 36"},
    {"create table t (a int, -\nb int)", DN_E_SYNTAX, 24, "syntax error at or near \"-\"; expected PRIMARY KEY, PARTITION KEY or a name", ""},
    {"create table t (a int,  |\nb int)", DN_E_SYNTAX, 25, "syntax error at or near \"|\"; expected PRIMARY KEY, PARTITION KEY or a name", ""},
    {"create table t (a int, primary key ((a), <-- Partition Key\na))", DN_E_SYNTAX, 42, "syntax error at or near \"<\"; expected a name", ""},
    {"create table t (a int, primary key ((a), a <-- Local Key\n))", DN_E_SYNTAX, 44, "syntax error at or near \"<\"; expected ')', ',', '(', ASC or DESC", ""},
    {"create tabel t (a int)", DN_E_SYNTAX, 8, "syntax error at or near \"tabel\"; expected TABLE, SCHEMA, KEYSPACE, TIME, OR, UNIQUE, ...", "Perhaps you meant TABLE instead of \"tabel\"."},
    {"drop", DN_E_SYNTAX, 5, "syntax error at end of input; expected TABLE, SCHEMA, KEYSPACE, TIME, VIEW, SEQUENCE, ...", ""},
    {"drop table if t", DN_E_SYNTAX, 15, "syntax error at or near \"t\"; expected EXISTS", ""},
    {"use", DN_E_SYNTAX, 4, "syntax error at end of input; expected a name", ""},
    {"show", DN_E_SYNTAX, 5, "syntax error at end of input; expected CREATE, TABLE, TABLES, SCHEMAS, KEYSPACES, PARTITIONS, ...", ""},
    {"set a", DN_E_SYNTAX, 6, "syntax error at end of input; expected '=', TO or '.'", ""},
    {"set a = ", DN_E_SYNTAX, 9, "syntax error at end of input; expected DEFAULT, ON, TRUE, FALSE, a whole number, a number, ...", ""},
    {"checkpoint now", DN_E_SYNTAX, 12, "syntax error at or near \"now\"; expected end of statement", ""},
    {"create keyspace k with replication = {'a' 1}", DN_E_SYNTAX, 43, "syntax error at or near \"1\"; expected ':'", ""},
    {"select \u201Cabc\u201D from t where \u2018a\u2019 = b c", DN_E_SYNTAX, 35, "syntax error at or near \"c\"; expected GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, ... or end of statement", "the text has typographic quotes (position 27); SQL needs ' and \""},
    {"select a from t where b = \u2018it is\u2019", DN_E_SYNTAX, 31, "syntax error at or near \"is\u2019\"; expected GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET, ... or end of statement", "the text has typographic quotes (position 33); SQL needs ' and \""},
    {"select a\u00A0from t x y", DN_E_SYNTAX, 17, "syntax error at or near \"x\"; expected ',', INTO, FROM, WHERE, GROUP BY, ... or end of statement", "the text has a special blank, such as a no-break space (position 9); type it as a plain one"},
    {"select 1 a, 'a very long string, longer than sixty characters in all, which is cut' 'x", DN_E_SYNTAX, 85, "unterminated quoted string", STRING_HINT},
    {"select a 'ä very long string, lönger than sixty characters in äll, which is cut'", DN_E_SYNTAX, 10, "syntax error at or near \"'ä very long string, lönger than sixty characters in äll,\"; expected ',', INTO, FROM, WHERE, GROUP BY, ... or end of statement", ""},

    /* builders */
    {"select 1e999", DN_E_OUT_OF_RANGE, 8, "the number 1e999 is out of range of DOUBLE", ""},
    {"insert into t values (1, -1e999)", DN_E_OUT_OF_RANGE, 27, "the number 1e999 is out of range of DOUBLE", ""},
    {"select ?, $1", DN_E_SYNTAX, 11, "parameters are either ? or $1, $2, …, not both in one statement", ""},
    {"select $0", DN_E_SYNTAX, 8, "parameters are numbered from 1 to 65535", ""},
    {"select $65536", DN_E_SYNTAX, 8, "parameters are numbered from 1 to 65535", ""},
    {"select $99999999999999999999", DN_E_SYNTAX, 8, "parameters are numbered from 1 to 65535", ""},
    {"create table t (a elephant)", DN_E_UNDEFINED_OBJECT, 19, "type \"elephant\" does not exist", ""},
    {"create table t (a vrachar)", DN_E_UNDEFINED_OBJECT, 19, "type \"vrachar\" does not exist", "Perhaps you meant VARCHAR."},
    {"select cast(a as bigintt)", DN_E_UNDEFINED_OBJECT, 18, "type \"bigintt\" does not exist", "Perhaps you meant BIGINT."},
    {"create table t (a int(4))", DN_E_SYNTAX, 23, "the type int takes no parameters", ""},
    {"create table t (a timestamp(7))", DN_E_INVALID_PARAM, 29, "timestamp(7): the precision is 0 to 6, or 9", "How many digits of a second are kept: 3 are milliseconds, 9 nanoseconds."},
    {"create table t (a timestamp(99999999999999999999))", DN_E_INVALID_PARAM, 29, "timestamp(99999999999999999999): the precision is 0 to 6, or 9", "How many digits of a second are kept: 3 are milliseconds, 9 nanoseconds."},
    {"create table t (a int precision)", DN_E_SYNTAX, 23, "syntax error at or near \"precision\"; expected ')', ',', '(', '[', PRIMARY KEY, NOT, ...", ""},
    {"create table t (a int with time zone)", DN_E_UNDEFINED_OBJECT, 19, "type \"int WITH TIME ZONE\" does not exist", ""},
    {"select timestamp(a) '2020'", DN_E_SYNTAX, 18, "the type timestamp takes no such parameter", ""},
    {"create table t (a int null not null)", DN_E_SYNTAX, 28, "column \"a\" is declared both NULL and NOT NULL", ""},
    {"create table t (a int default 1 default 2)", DN_E_SYNTAX, 33, "column \"a\" has more than one DEFAULT", ""},
    {"create table t (a int, primary key ((bucket(a, 1, 'm')), a))", DN_E_SYNTAX, 38, "a key holds columns and QUANTUM(column, count, unit), not \"bucket\"(…)", ""},
    {"create table t (a int, primary key ((quantum(a, 99999999999999999999, 'm')), a))", DN_E_OUT_OF_RANGE, 49, "the count of the QUANTUM is out of range", ""},
    {"create table t (a int, partition key (a), partition key (a))", DN_E_SYNTAX, 43, "more than one PARTITION KEY", ""},
    {"create table t (a int) with clustering order by (a) and clustering order by (a)", DN_E_SYNTAX, 57, "more than one CLUSTERING ORDER BY", ""},
    {"create schema s with clustering order by (a)", DN_E_SYNTAX, 22, "CLUSTERING ORDER BY belongs to a table", ""},
    {"create schema s with speed = 1", DN_E_UNDEFINED_OBJECT, 22, "a schema has no option \"speed\"", "the options are replication and durable_writes"},
    {"create schema s with replication = 1", DN_E_INVALID_PARAM, 36, "replication is a map", "WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"},
    {"create schema s with replication = {} and replication = {}", DN_E_SYNTAX, 43, "replication is given twice", ""},

    /* not supported, and said so */
    {"delete from t where a = 1 limit 5", DN_E_UNSUPPORTED, 27, "LIMIT of an UPDATE or DELETE is not supported", ""},
    {"update t set", DN_E_SYNTAX, 13, "syntax error at end of input; expected '(' or a name", ""},
    {"update t where a = 1", DN_E_SYNTAX, 10, "syntax error at or near \"where\"; expected SET, AS, a name or '.'", "WHERE is a reserved word; as a name it needs double quotes"},
    {"update t set a + 1", DN_E_SYNTAX, 16, "syntax error at or near \"+\"; expected '=' or '['", ""},
    {"delete t", DN_E_SYNTAX, 8, "syntax error at or near \"t\"; expected FROM", ""},
    {"truncate", DN_E_SYNTAX, 9, "syntax error at end of input; expected TABLE, a name or ONLY", ""},
    {"alter table t", DN_E_SYNTAX, 14, "syntax error at end of input; expected ALTER, DROP, SET, ADD, RENAME, WITH, ...", ""},
    {"alter table t add", DN_E_SYNTAX, 18, "syntax error at end of input; expected COLUMN, PRIMARY KEY, IF or a name", ""},
    {"copy (select 1) from 'x'", DN_E_SYNTAX, 17, "syntax error at or near \"from\"; expected TO", ""},
    {"alter table t add primary key a", DN_E_SYNTAX, 31, "syntax error at or near \"a\"; expected '('", ""},
    {"alter table t rename a", DN_E_SYNTAX, 23, "syntax error at end of input; expected TO", ""},
    {"alter index i", DN_E_SYNTAX, 14, "syntax error at end of input; expected SET, RENAME, AS, '.', NO, START, ...", ""},
    {"alter table t set quantum = 5", DN_E_SYNTAX, 19, "syntax error at or near \"quantum\"; expected '(' or SCHEMA", ""},
    {"create time partition on t as p period 'daily' period 'weekly'", DN_E_SYNTAX, 48, "period is there twice", ""},
    {"create time partition on t as p tide 3", DN_E_SYNTAX, 33, "syntax error at \"tide\"", "A partition has PERIOD 'daily', RETENTION 7 and START '2024-01-01'."},
    {"put time partition p retention 'x'", DN_E_SYNTAX, 22, "retention wants a number", ""},
    {"create table t (a int static)", DN_E_UNSUPPORTED, 23, "a STATIC column is not supported", ""},
    {"select * from a x left join b", DN_E_SYNTAX, 30, "syntax error at end of input; expected '(', AS, ON, a name, '.', '*', ...", ""},
    {"select a from t where a = 1 allow filtering", DN_E_UNSUPPORTED, 29, "ALLOW FILTERING is not supported", "any WHERE is allowed: leave it away"},
    {"select a from t limit 5, 10", DN_E_UNSUPPORTED, 24, "LIMIT offset, count is not supported", "write LIMIT count OFFSET offset"},
    {"select a from t group over timewindow(t, 1)", DN_E_UNSUPPORTED, 23, "GROUP OVER TIMEWINDOW is not supported", ""},
    {"select case a end", DN_E_SYNTAX, 15, "syntax error at or near \"end\"; expected WHEN or an operator", ""},
    {"select case when a then b", DN_E_SYNTAX, 26, "syntax error at end of input; expected ELSE, END, WHEN or an operator", ""},
    {"select a like", DN_E_SYNTAX, 14, "syntax error at end of input; expected an expression", ""},
    {"select a is distinct b", DN_E_SYNTAX, 22, "syntax error at or near \"b\"; expected FROM", ""},
    {"select f(a from b)", DN_E_SYNTAX, 12, "syntax error at or near \"from\"; expected ',' or ')'", "FROM and FOR stand in extract, substring, overlay and trim"},
    {"select f(a in b)", DN_E_SYNTAX, 15, "IN takes a list in parentheses", ""},
    {"select f(leading a from b)", DN_E_SYNTAX, 8, "LEADING, TRAILING and BOTH stand in trim only", ""},
    {"select 15min", DN_E_SYNTAX, 8, "the number runs into letters at \"15min\"", UNIT_HINT},
    {"select a from t where b like 'x' escape", DN_E_SYNTAX, 40, "syntax error at end of input; expected an expression", ""},
};
/* clang-format on */

static void check(const struct error_case *c, size_t len)
{
    struct sql_text t;
    struct arena arena;
    struct dn_err err;
    struct stmt *s;
    int rc;

    arena_init(&arena, NULL);
    dn_err_clear(&err);
    sql_text_init(&t, c->text, len);
    rc = sql_parse(&t, &arena, &s, &err);
    if (rc != c->code || err.position != c->position || strcmp(err.text, c->message) != 0 ||
        strcmp(err.hint, c->hint) != 0) {
        print_error(
            "%s\n  %s %u \"%s\"\n  hint \"%s\"\nbut expected\n  %s %u \"%s\"\n  hint \"%s\"\n",
            c->text,
            rc < 0 ? dn_code_name(rc) : "parsed",
            err.position,
            err.text,
            err.hint,
            dn_code_name(c->code),
            c->position,
            c->message,
            c->hint);
        arena_done(&arena);
        fail();
    }
    assert_int_equal(err.code, rc);
    assert_int_equal(t.next, len); /* each case is one statement, bad to its end */
    arena_done(&arena);
}

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++)
        check(&cases[i], strlen(cases[i].text));
}

static void test_nul(void **state)
{
    static const struct error_case c = {
        "select 1\0;", DN_E_SYNTAX, 9, "syntax error at a NUL byte", ""};
    static const struct error_case in_string = {
        "select 'a\0b'", DN_E_SYNTAX, 10, "syntax error at a NUL byte", ""};

    (void)state;
    check(&c, 10);
    check(&in_string, 12);
}

/* Without a struct dn_err all goes the same way. */
static void test_no_err(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        struct sql_text t;
        struct arena arena;
        struct stmt *s;

        arena_init(&arena, NULL);
        sql_text_init(&t, cases[i].text, strlen(cases[i].text));
        assert_int_equal(sql_parse(&t, &arena, &s, NULL), cases[i].code);
        arena_done(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_no_err),
    };

    return cmocka_run_group_tests_name("sql_error", tests, NULL, NULL);
}
