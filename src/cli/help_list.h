/* SPDX-License-Identifier: Apache-2.0
 *
 * help_list.h: DN_HELP(statement, how it is written). */

/* clang-format off */
DN_HELP("ALTER TABLE",
        "ALTER TABLE name ADD [COLUMN] [IF NOT EXISTS] column type [DEFAULT value]\n"
        "ALTER TABLE name DROP [COLUMN] [IF EXISTS] column\n"
        "ALTER TABLE name RENAME [COLUMN] column TO new\n"
        "ALTER TABLE name RENAME TO new\n"
        "ALTER TABLE name SET (option = value, …)\n")
DN_HELP("CHECKPOINT", "CHECKPOINT\n  Writes what is in memory to segments.\n")
DN_HELP("COPY",
        "COPY table [(column, …)] FROM 'file' [WITH (option value, …)]\n"
        "COPY table [(column, …)] TO 'file' [WITH (option value, …)]\n"
        "COPY (SELECT …) TO 'file' [WITH (option value, …)]\n"
        "  options: format csv, header true|false|auto, delimiter ',', quote '\"', null '', epoch s|ms|us|ns\n")
DN_HELP("CREATE SCHEMA", "CREATE SCHEMA [IF NOT EXISTS] name\n")
DN_HELP("CREATE TABLE",
        "CREATE TABLE [IF NOT EXISTS] name (\n"
        "    column type [NOT NULL] [DEFAULT value] [PRIMARY KEY], …,\n"
        "    PRIMARY KEY ((series columns, QUANTUM(time, 1, 'd')), series columns, time [DESC])\n"
        ") [WITH (option = value, …)]\n"
        "  also PRIMARY KEY ((a, b), c) as in CQL, and PRIMARY KEY (time, a) partitioned by time\n")
DN_HELP("DELETE", "DELETE FROM table [WHERE condition]\n")
DN_HELP("DESCRIBE", "DESCRIBE table\n")
DN_HELP("DROP SCHEMA", "DROP SCHEMA [IF EXISTS] name\n")
DN_HELP("DROP TABLE", "DROP TABLE [IF EXISTS] name\n")
DN_HELP("EXPLAIN", "EXPLAIN statement\n  What would be read, pruned and computed.\n")
DN_HELP("INSERT",
        "INSERT INTO table [(column, …)] VALUES (value, …), …\n"
        "  A row with the key of another one takes its place.\n")
DN_HELP("SELECT",
        "SELECT [DISTINCT] expression [AS name], … [FROM table]\n"
        "    [WHERE condition] [GROUP BY expression, …] [HAVING condition]\n"
        "    [ORDER BY expression [ASC|DESC] [NULLS FIRST|LAST], …] [LIMIT n] [OFFSET n]\n")
DN_HELP("SET", "SET name = value\nSET name TO DEFAULT\n  SHOW ALL lists the settings.\n")
DN_HELP("SHOW",
        "SHOW TABLES | SHOW SCHEMAS | SHOW CREATE TABLE table | SHOW PARTITIONS table\n"
        "SHOW setting | SHOW ALL | SHOW STATUS\n")
DN_HELP("TRUNCATE", "TRUNCATE [TABLE] table\n")
DN_HELP("UPDATE", "UPDATE table SET column = expression, … [WHERE condition]\n")
DN_HELP("USE", "USE schema\n")
/* clang-format on */
