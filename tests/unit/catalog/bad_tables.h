/* SPDX-License-Identifier: Apache-2.0
 *
 * bad_tables.h: CREATE TABLE statements that break one rule each, and what must be said about it.
 * test_table_errors.c feeds them to table_build, test_table_sql.c through the real parser. */
#pragma once

#include "base/err.h"

struct bad {
    const char *sql; /* ^ before the token the error points at */
    int code;
    const char *text;
    const char *hint; /* "" = none */
};

/* clang-format off */
static const struct bad bad_columns[] = {
    {"CREATE TABLE t (a INT, b INT, ^a VARCHAR)", DN_E_DUPLICATE_COLUMN,
     "column \"a\" specified more than once", ""},
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
     "multiple primary keys for table \"t\" are not allowed",
     "one PRIMARY KEY may name several columns: PRIMARY KEY (a, b)"},
    {"CREATE TABLE t (a INT PRIMARY KEY, b INT ^PRIMARY KEY)", DN_E_KEY_RULE,
     "multiple primary keys for table \"t\" are not allowed",
     "one PRIMARY KEY may name several columns: PRIMARY KEY (a, b)"},
    {"CREATE TABLE t (a INT PRIMARY KEY, b INT, ^PRIMARY KEY (a, b))", DN_E_KEY_RULE,
     "multiple primary keys for table \"t\" are not allowed",
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
     "Perhaps you meant \"collected_at\". It is the only time stamp of the table."},
    {"CREATE TABLE t (region INT, state INT, PRIMARY KEY (region, ^sttae))", DN_E_UNDEFINED_COLUMN,
     "column \"sttae\" in PRIMARY KEY is not declared", "Perhaps you meant \"state\"."},
    {"CREATE TABLE t (region INT, state INT, PRIMARY KEY ((^colour), state))", DN_E_UNDEFINED_COLUMN,
     "column \"colour\" in PRIMARY KEY is not declared", "the columns are \"region\", \"state\""},
    {"CREATE TABLE t (a INT, t TIMESTAMP, PRIMARY KEY ((a, QUANTUM(^moment, 1, 'd'))))",
     DN_E_UNDEFINED_COLUMN, "column \"moment\" in QUANTUM is not declared",
     "Perhaps you meant \"t\". It is the only time stamp of the table."},
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
/* clang-format on */

#include "bad_options.h"
