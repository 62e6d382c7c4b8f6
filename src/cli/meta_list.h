/* SPDX-License-Identifier: Apache-2.0
 *
 * meta_list.h: DN_META(name, dot form or NULL, arguments, what it does, function), in the order of
 * the help. */

/* clang-format off */
DN_META("\\?",      ".help",   "",                "this list", meta_help)
DN_META("\\h",      NULL,      "[STATEMENT]",     "how a statement is written", meta_syntax)
DN_META("\\d",      NULL,      "[TABLE]",         "columns and keys of a table, or all tables", meta_describe)
DN_META("\\dt",     ".tables", "",                "all tables", meta_tables)
DN_META("\\dv",     NULL,      "",                "all views", meta_views)
DN_META("\\di",     NULL,      "",                "all indexes", meta_indexes)
DN_META("\\dn",     NULL,      "",                "all schemas", meta_schemas)
DN_META("\\du",     NULL,      "",                "all roles", meta_roles)
DN_META("\\l",      ".databases", "",             "all schemas, too; of a PostgreSQL: databases", meta_databases)
DN_META("\\df",     NULL,      "[TEXT]",          "functions whose name holds the text", meta_functions)
DN_META("\\sf",     ".schema", "TABLE",           "the CREATE TABLE statement", meta_schema)
DN_META("\\conninfo", NULL,    "",                "which database this is, and as which role", meta_connection)
DN_META("\\timing", ".timer",  "[on|off]",        "show how long statements take", meta_timing)
DN_META("\\x",      NULL,      "[on|off|auto]",   "one column a line; auto: where a table is too wide", meta_expanded)
DN_META("\\format", ".mode",   "FORMAT",          "how results are shown", meta_format)
DN_META("\\pset",   NULL,      "NAME VALUE",      "format, expanded, fit, pager or rows", meta_pset)
DN_META("\\g",      NULL,      "[FILE]",          "run the last statement again, results to a file", meta_go)
DN_META("\\gx",     NULL,      "[FILE]",          "the same, one column a line", meta_go_expanded)
DN_META("\\e",      ".edit",   "",                "edit the last statement ($EDITOR), then run it", meta_edit)
DN_META("\\i",      ".read",   "FILE",            "run a script", meta_include)
DN_META("\\o",      ".output", "[FILE]",          "results go to a file, or back to the screen", meta_output)
DN_META("\\copy",   NULL,      "TABLE FROM|TO FILE", "COPY; the file's name needs no quotes", meta_copy)
DN_META("\\watch",  NULL,      "[SECONDS]",       "run the last query again and again, Ctrl-C ends it", meta_watch)
DN_META("\\plot",   NULL,      "SELECT ...",      "draw values over time: time, value, … or time, name, value", meta_plot)
DN_META("\\set",    NULL,      "[NAME VALUE]",    "set a variable: :NAME, :'NAME' and :\"NAME\" in statements", meta_set)
DN_META("\\unset",  NULL,      "NAME",            "forget a variable", meta_unset)
DN_META("\\echo",   ".print",  "TEXT",            "print a text", meta_echo)
DN_META("\\q",      ".quit",   "",                "leave (also .exit, Ctrl-D)", meta_quit)
/* clang-format on */
