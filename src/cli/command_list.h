/* SPDX-License-Identifier: Apache-2.0
 *
 * command_list.h: DN_COMMAND(name, function, usage, what it does). */

/* clang-format off */
DN_COMMAND("sql",   cli_sql,   "[DIR|URL] [-c SQL]... [-f FILE]... [--format F]", "run SQL on a database, or open the shell")
DN_COMMAND("serve", cli_serve, "[--data DIR] [--pg-port N] [--listen ADDR]",    "serve a database to psql, drivers and tools")
DN_COMMAND("import", cli_import, "[DIR|URL] TABLE FILE.csv[.gz|.zst]|- [options]",  "read a CSV file into a table")
DN_COMMAND("export", cli_export, "[DIR|URL] TABLE|SELECT [-o FILE] [--format F]",   "write a table or a result to a file")
DN_COMMAND("check", cli_check, "DIR",                                          "verify every checksum and invariant of a database")
DN_COMMAND("ring",  cli_ring,  "DIR",                                          "the slices of the ring, who owns them and what lies in them")
DN_COMMAND("endpoints", cli_endpoints, "DIR TABLE KEY[:KEY…] [--tokens T1,T2,…]",    "where the partition of a key lives")
/* clang-format on */
