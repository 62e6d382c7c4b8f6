/* SPDX-License-Identifier: Apache-2.0
 *
 * import_options.c: what `dendro import` is told on the command line: see import.h. */
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/import.h"

#include <string.h>
#include <strings.h>

static const struct cli_option import_list[] = {
    {'d',
     "-d",
     "--db",
     "DIR",
     "the database's directory or a server's URL; also as first word, or in DENDRO_DB"},
    {'c', NULL, "--columns", "A,B,-", "names of the file's columns in order; - passes one over"},
    {'D', NULL, "--delimiter", "C", "what separates cells; \\t or tab for a tab"},
    {'Q', NULL, "--quote", "C", "what cells are quoted with"},
    {'E',
     NULL,
     "--encoding",
     "NAME",
     "what the text is written in: utf8, latin1, win1252, utf16le, utf16be, ndjson"},
    {'m', NULL, "--decimal", "C", "a comma where 1.234,5 is a number, a point where 1234.5 is"},
    {'o', NULL, "--dates", "ORDER", "mdy, dmy or ymd: what comes first in 1/2/2024"},
    {'n', NULL, "--null", "TEXT", "a cell without quotes that means NULL (the empty one)"},
    {'e',
     NULL,
     "--epoch",
     "UNIT",
     "whole numbers in time columns count s, ms, us or ns since 1970"},
    {'h',
     NULL,
     "--header",
     NULL,
     "the first line has names (found out by itself if it is not said)"},
    {'H', NULL, "--no-header", NULL, "the first line is a row"},
    {'C', NULL, "--create", NULL, "make the table: types and key are guessed, and printed"},
    {'r',
     NULL,
     "--rejects",
     "FILE",
     "bad rows go there, with line and reason, instead of ending it"},
    {'a', NULL, "--atomic", NULL, "all rows or none"},
    {'s', "-s", "--set", "NAME=VALUE", "a setting of the database"},
    {'q', "-q", "--quiet", NULL, "no progress, no summary"},
    {0, NULL, NULL, NULL, NULL},
};

static void import_usage(FILE *to)
{
    (void)fputs(
        "usage: dendro import [options] [DIR | URL] TABLE FILE\n"
        "Reads CSV, NDJSON (both also packed as .gz or .zst) and Parquet, or - (standard input) "
        "into TABLE.\n"
        "How the text is written is found out where no option says it, and told.\n",
        to);
    cli_options_print(import_list, to);
    (void)fputs("Exit codes: 0 done, 1 wrong usage or a bad row, 2 no database, 3 done, but rows "
                "were rejected.\n",
                to);
}

/* ---- options ---- */

static int import_one_char(const char *what, const char *value, char *ret)
{
    if (strcmp(value, "\\t") == 0 || strcmp(value, "tab") == 0)
        value = "\t";
    if (strlen(value) != 1)
        return cli_complain("import", "%s wants one character, not \"%s\"", what, value);
    *ret = value[0];
    return CLI_OK;
}

static int import_encoding(struct import_options *o, const char *value)
{
    static const struct {
        const char *name;
        enum dendro_encoding encoding;
    } names[] = {{"utf8", DENDRO_ENCODING_UTF8},
                 {"utf-8", DENDRO_ENCODING_UTF8},
                 {"latin1", DENDRO_ENCODING_LATIN1},
                 {"win1252", DENDRO_ENCODING_WIN1252},
                 {"windows-1252", DENDRO_ENCODING_WIN1252},
                 {"utf16le", DENDRO_ENCODING_UTF16LE},
                 {"utf16be", DENDRO_ENCODING_UTF16BE},
                 {"ndjson", DENDRO_ENCODING_NDJSON}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcasecmp(names[i].name, value) == 0) {
            o->csv.encoding = names[i].encoding;
            return CLI_OK;
        }
    }
    return cli_complain(
        "import",
        "--encoding wants utf8, latin1, win1252, utf16le, utf16be or ndjson, not \"%s\"",
        value);
}

static int import_dates(struct import_options *o, const char *value)
{
    static const char *const orders[] = {"mdy", "dmy", "ymd"};

    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        if (strcasecmp(orders[i], value) == 0) {
            o->csv.dates = (enum dendro_dates)(i + 1);
            return CLI_OK;
        }
    }
    return cli_complain("import", "--dates wants mdy, dmy or ymd, not \"%s\"", value);
}

static int import_epoch(struct import_options *o, const char *value)
{
    static const struct {
        const char *name;
        enum dendro_unit unit;
    } units[] = {{"s", DENDRO_UNIT_S},
                 {"ms", DENDRO_UNIT_MS},
                 {"us", DENDRO_UNIT_US},
                 {"ns", DENDRO_UNIT_NS}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, value) == 0) {
            o->csv.epoch = true;
            o->csv.epoch_unit = units[i].unit;
            return CLI_OK;
        }
    }
    return cli_complain("import", "--epoch wants s, ms, us or ns, not \"%s\"", value);
}

/* Cuts the list at its commas, in place. */
static int import_columns(struct import_options *o, char *list)
{
    uint32_t count = 0;

    for (char *name = list; name; count++) {
        char *comma = strchr(name, ',');

        if (count == IMPORT_COLUMNS_MAX)
            return cli_complain("import", "--columns has more than %u names", IMPORT_COLUMNS_MAX);
        if (comma)
            *comma = '\0';
        o->columns[count] = strcmp(name, "-") == 0 ? "" : name;
        name = comma ? comma + 1 : NULL;
    }
    o->columns[count] = NULL;
    o->csv.columns = o->columns;
    return CLI_OK;
}

static int import_take(void *arg, char letter, char *value)
{
    struct import_options *o = arg;

    switch (letter) {
    case 'd':
        o->db.dir = value;
        return CLI_OK;
    case 's':
        return cli_db_setting("import", &o->db, value);
    case 'c':
        return import_columns(o, value);
    case 'D':
        return import_one_char("--delimiter", value, &o->csv.delimiter);
    case 'Q':
        return import_one_char("--quote", value, &o->csv.quote);
    case 'E':
        return import_encoding(o, value);
    case 'm':
        return import_one_char("--decimal", value, &o->csv.decimal);
    case 'o':
        return import_dates(o, value);
    case 'n':
        o->csv.null_text = value;
        return CLI_OK;
    case 'e':
        return import_epoch(o, value);
    case 'h':
        o->csv.header = DENDRO_HEADER_YES;
        return CLI_OK;
    case 'H':
        o->csv.header = DENDRO_HEADER_NO;
        return CLI_OK;
    case 'C':
        o->create = true;
        return CLI_OK;
    case 'r':
        o->rejects = value;
        return CLI_OK;
    case 'a':
        o->atomic = true;
        return CLI_OK;
    case 'q':
        o->quiet = true;
        return CLI_OK;
    default: /* not an option */
        if (o->words_count == 3)
            return cli_complain("import", "one table and one file only; \"%s\" is too much", value);
        o->words[o->words_count++] = value;
        return CLI_OK;
    }
}

int cli_import_options(int argc, char **argv, struct import_options *o)
{
    int rc;

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        import_usage(stdout);
        o->help = true;
        return CLI_OK;
    }
    rc = cli_options("import", import_list, argc, argv, import_take, o);
    if (rc == CLI_OK && o->words_count < 2) {
        import_usage(stderr);
        rc = CLI_FATAL;
    }
    if (rc == CLI_OK)
        rc = cli_db_word("import", &o->db, o->words_count == 3 ? o->words[0] : NULL);
    if (rc != CLI_OK)
        return rc;
    o->table = o->words[o->words_count - 2];
    o->file = o->words[o->words_count - 1];
    return CLI_OK;
}
