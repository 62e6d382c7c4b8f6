/* SPDX-License-Identifier: Apache-2.0
 *
 * bad_options.h: the part of bad_tables.h about the WITH list. */
#pragma once

#include "bad_tables.h"

/* clang-format off */
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
