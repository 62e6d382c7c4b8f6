/* SPDX-License-Identifier: Apache-2.0
 *
 * unsupported_list.h: DN_UNSUPPORTED(PLACE, "word", "what", "hint" or NULL). SQL that others know
 * and Dendro does not do: the word, standing where the grammar has the token X_PLACE, is answered
 * with "what is not supported" instead of a syntax error. */

/* clang-format off */
DN_UNSUPPORTED(STMT, "REPLACE",   "REPLACE", "an INSERT with the same key replaces the row")
DN_UNSUPPORTED(STMT, "CALL",      "CALL", NULL)
DN_UNSUPPORTED(STMT, "DO",        "DO", NULL)
DN_UNSUPPORTED(STMT, "PUT",       "PUT", NULL)
DN_UNSUPPORTED(STMT, "BATCH",     "BATCH", NULL)
DN_UNSUPPORTED(COPY_FILE, "PROGRAM", "COPY with a PROGRAM", NULL)

DN_UNSUPPORTED(CREATE, "MATERIALIZED", "CREATE MATERIALIZED VIEW", NULL)
DN_UNSUPPORTED(CREATE, "TIME",         "CREATE TIME PARTITION", NULL)
DN_UNSUPPORTED(CREATE, "DATABASE",     "CREATE DATABASE", "CREATE SCHEMA makes a name space")
DN_UNSUPPORTED(CREATE, "TYPE",         "CREATE TYPE", NULL)
DN_UNSUPPORTED(CREATE, "FUNCTION",     "CREATE FUNCTION", NULL)
DN_UNSUPPORTED(CREATE, "TRIGGER",      "CREATE TRIGGER", NULL)
DN_UNSUPPORTED(DROP, "MATERIALIZED",   "DROP MATERIALIZED VIEW", NULL)
DN_UNSUPPORTED(DROP, "TIME",           "DROP TIME PARTITION", NULL)
DN_UNSUPPORTED(DROP, "DATABASE",       "DROP DATABASE", NULL)
DN_UNSUPPORTED(TABLE_TAIL, "PARTITIONED", "PARTITIONED BY", NULL)
DN_UNSUPPORTED(TABLE_TAIL, "PARTITION",   "PARTITION BY", "QUANTUM in the PRIMARY KEY partitions by time")
DN_UNSUPPORTED(CONSTRAINT, "STATIC",     "a STATIC column", NULL)
DN_UNSUPPORTED(CONSTRAINT, "REPEATED",   "a REPEATED column", NULL)
DN_UNSUPPORTED(TYPE, "<",                "a collection type", NULL)

DN_UNSUPPORTED(INSERT, "FROM",           "INSERT FROM", NULL)
DN_UNSUPPORTED(INSERT_TAIL, "USING",     "USING TIMESTAMP or TTL", NULL)
DN_UNSUPPORTED(INSERT_TAIL, "IF",        "IF NOT EXISTS of an INSERT", NULL)

DN_UNSUPPORTED(ALTER, "KEYSPACE",        "ALTER KEYSPACE", NULL)
DN_UNSUPPORTED(CHANGE_TAIL, "ORDER",     "ORDER BY of an UPDATE or DELETE", NULL)
DN_UNSUPPORTED(CHANGE_TAIL, "LIMIT",     "LIMIT of an UPDATE or DELETE", NULL)
DN_UNSUPPORTED(CHANGE_TAIL, "IF",        "IF of an UPDATE or DELETE", NULL)

DN_UNSUPPORTED(CHANGE_TAIL, "OF",        "WHERE CURRENT OF", "name the row by its key")
DN_UNSUPPORTED(CTE, "SEARCH",            "SEARCH in WITH RECURSIVE", "carry an array of the values along and order by it")
DN_UNSUPPORTED(CTE, "CYCLE",             "CYCLE in WITH RECURSIVE", "carry an array of the values along and stop where value = ANY (array)")

DN_UNSUPPORTED(FROM, "SELECT",           "a subquery without parentheses", "write FROM (SELECT …) AS name")
DN_UNSUPPORTED(SELECT_TAIL, "ALLOW",     "ALLOW FILTERING", "any WHERE is allowed: leave it away")
DN_UNSUPPORTED(GROUP, "OVER",            "GROUP OVER TIMEWINDOW", NULL)
DN_UNSUPPORTED(LIMIT, ",",               "LIMIT offset, count", "write LIMIT count OFFSET offset")
/* clang-format on */
