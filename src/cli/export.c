/* SPDX-License-Identifier: Apache-2.0
 *
 * export.c: `dendro export`: a table, or what a SELECT gives, to a file or standard output. A file
 * is whole or not there: outfile.h. */
#include "cli/args.h"
#include "cli/cli.h"
#include "cli/out.h"
#include "cli/outfile.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct export_options {
    struct cli_db db;
    char *words[2]; /* [DIR] TABLE or SELECT */
    unsigned words_count;
    const char *output; /* NULL: standard output; "-" too */
    enum out_format format;
    bool format_given;
    bool parquet;
    bool no_header;
    bool quiet;
};

static const struct cli_option export_list[] = {
    {'d',
     "-d",
     "--db",
     "DIR",
     "the database's directory or a server's URL; also as first word, or in DENDRO_DB"},
    {'o',
     "-o",
     "--output",
     "FILE",
     "where to; without it standard output. FILE.gz and FILE.zst are packed"},
    {'F',
     "-F",
     "--format",
     "FORMAT",
     "csv (default), tsv, json, jsonl, parquet, markdown, …; by the file's name"},
    {'H', NULL, "--no-header", NULL, "csv and tsv without the line of names"},
    {'s', "-s", "--set", "NAME=VALUE", "a setting of the database"},
    {'q', "-q", "--quiet", NULL, "no summary"},
    {0, NULL, NULL, NULL, NULL},
};

static void export_usage(FILE *to)
{
    (void)fputs("usage: dendro export [options] [DIR | URL] TABLE\n"
                "       dendro export [options] [DIR | URL] 'SELECT …'\n",
                to);
    cli_options_print(export_list, to);
    (void)fputs("Exit codes: 0 done, 1 wrong usage or an error, 2 no database.\n", to);
}

static int export_take(void *arg, char letter, char *value)
{
    struct export_options *o = arg;

    switch (letter) {
    case 'd':
        o->db.dir = value;
        return CLI_OK;
    case 's':
        return cli_db_setting("export", &o->db, value);
    case 'o':
        o->output = strcmp(value, "-") == 0 ? NULL : value;
        return CLI_OK;
    case 'F':
        o->format_given = true;
        o->parquet = strcasecmp(value, "parquet") == 0;
        if (o->parquet)
            return CLI_OK;
        return out_format_find(value, &o->format)
                   ? CLI_OK
                   : cli_complain("export", "unknown format \"%s\"", value);
    case 'H':
        o->no_header = true;
        return CLI_OK;
    case 'q':
        o->quiet = true;
        return CLI_OK;
    default: /* not an option */
        if (o->words_count == 2)
            return cli_complain("export", "one table or SELECT only; \"%s\" is too much", value);
        o->words[o->words_count++] = value;
        return CLI_OK;
    }
}

/* The format that --format or the file's name asks for, if they agree. */
static int export_format(struct export_options *o)
{
    struct dn_err err;

    const char *point = o->output ? strrchr(o->output, '.') : NULL;
    bool named = point && (strcasecmp(point, ".parquet") == 0 || strcasecmp(point, ".pq") == 0);

    if (named && o->format_given && !o->parquet)
        return cli_complain("export",
                            "%s: the name says parquet, --format says %s",
                            o->output,
                            out_format_name(o->format));
    if (o->parquet && o->no_header)
        return cli_complain("export", "%s", "--no-header is for csv and tsv");
    o->parquet = o->parquet || named;
    if (!o->output || o->parquet)
        return CLI_OK; /* as it was given, or CSV */
    if (outfile_format(o->output, o->format_given ? &o->format : NULL, OUT_CSV, &o->format, &err) <
        0)
        return cli_complain("export", "%s", err.text);
    return CLI_OK;
}

/* ---- Ctrl-C ---- */

static struct backend *volatile export_running; /* for the signal handler */
static volatile sig_atomic_t export_interrupted;

static void export_on_interrupt(int sig)
{
    struct backend *from = export_running;

    (void)sig;
    export_interrupted = 1;
    if (from)
        backend_cancel(from);
}

static void export_catch_interrupt(struct backend *from)
{
    struct sigaction act;

    memset(&act, 0, sizeof act);
    act.sa_handler = export_on_interrupt;
    (void)sigemptyset(&act.sa_mask);
    export_running = from;
    (void)sigaction(SIGINT, &act, NULL);
}

static bool export_is_query(const char *text)
{
    text += strspn(text, " \t\r\n(");
    return strncasecmp(text, "select", 6) == 0 && strcspn(text, " \t\r\n*") == 6;
}

/* A table becomes SELECT * FROM it: the name is written as SQL writes names. */
static void export_sql(const char *word, struct buf *sql)
{
    if (export_is_query(word)) {
        buf_puts(sql, word);
    } else {
        buf_puts(sql, "SELECT * FROM ");
        buf_puts(sql, word);
    }
    buf_u8(sql, 0);
}

static int export_rows(struct backend *from, const char *sql, struct out *out)
{
    struct dendro_error err = {0};
    const char *tail = sql;
    int rc = backend_prepare(from, sql, strlen(sql), &tail, &err);

    if (rc >= 0 && (rc == 0 || backend_columns(from) == 0 || tail[strspn(tail, " \t\r\n;")])) {
        backend_finish(from);
        return cli_complain("export", "one table or one SELECT, not \"%s\"", sql);
    }
    if (rc >= 0)
        rc = backend_step(from, &err);
    if (rc >= 0)
        out_begin(out, from);
    while (!out->failed && rc == DENDRO_ROW && !export_interrupted) {
        out_row(out, from);
        rc = backend_step(from, &err);
    }
    if (rc == DENDRO_DONE)
        out_end(out);
    backend_finish(from);
    if (export_interrupted)
        return cli_complain("export", "%s", "interrupted");
    return rc < 0 ? cli_error("export", &err, CLI_FATAL) : CLI_OK;
}

/* ---- Parquet ---- */

static int export_write(void *arg, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, arg) != len;
}

/* The engine writes it, whether it is here or in a server. */
static int export_parquet(struct backend *from, const char *select, FILE *to, uint64_t *ret_rows)
{
    struct dendro_copy copy = {.write = export_write, .write_arg = to};
    struct dendro_error err = {0};
    const char *tail = NULL;
    struct buf sql;
    int rc;

    buf_init(&sql, NULL);
    buf_printf(&sql, "COPY (%s\n) TO STDOUT WITH (FORMAT parquet)", select);
    backend_set_copy(from, &copy);
    rc = sql.failed ? -1 : backend_prepare(from, (const char *)sql.data, sql.len, &tail, &err);
    if (rc > 0)
        rc = backend_step(from, &err);
    if (rc == DENDRO_DONE && strncmp(backend_tag(from), "COPY ", 5) == 0)
        *ret_rows = strtoull(backend_tag(from) + 5, NULL, 10);
    backend_finish(from);
    buf_done(&sql);
    if (export_interrupted)
        return cli_complain("export", "%s", "interrupted");
    return rc < 0 ? cli_error("export", &err, CLI_FATAL) : CLI_OK;
}

static int export_run(struct export_options *o, struct backend *from)
{
    struct outfile *file = NULL;
    struct dn_err err;
    struct buf sql;
    struct out out;
    int rc;

    if (o->output && outfile_open(o->output, OUTFILE_WHOLE, &file, &err) < 0)
        return cli_complain("export", "%s", err.text);
    buf_init(&sql, NULL);
    export_sql(o->words[o->words_count - 1], &sql);
    out_init(&out, file ? outfile_stream(file) : stdout, o->format);
    out.header = !o->no_header;
    if (sql.failed)
        rc = cli_complain("export", "out of memory%s", "");
    else if (o->parquet)
        rc = export_parquet(from, (const char *)sql.data, out.to, &out.rows);
    else
        rc = export_rows(from, (const char *)sql.data, &out);
    if (outfile_close(file, rc == CLI_OK, &err) < 0 && rc == CLI_OK)
        rc = cli_complain("export", "%s", err.text);
    else if (rc == CLI_OK && out.failed)
        rc = cli_complain("export", "cannot write %s", o->output ? o->output : "the rows");
    if (rc == CLI_OK && o->output && !o->quiet)
        (void)fprintf(stderr, "%" PRIu64 " rows\n", out.rows);
    out_done(&out);
    buf_done(&sql);
    return rc;
}

int cli_export(int argc, char **argv)
{
    struct export_options o = {.format = OUT_CSV};
    struct backend_options options = {.must_exist = true, .ask = true};
    struct backend *from = NULL;
    struct dendro_error err;
    int rc;

    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        export_usage(stdout);
        return CLI_OK;
    }
    rc = cli_options("export", export_list, argc, argv, export_take, &o);
    if (rc == CLI_OK && o.words_count == 0) {
        export_usage(stderr);
        rc = CLI_FATAL;
    }
    if (rc == CLI_OK)
        rc = cli_db_word("export", &o.db, o.words_count == 2 ? o.words[0] : NULL);
    if (rc == CLI_OK)
        rc = export_format(&o);
    if (rc != CLI_OK)
        return rc;
    options.settings = o.db.settings_count ? o.db.settings : NULL;
    if (backend_open(o.db.dir, &options, &from, &err) < 0)
        return cli_error("export", &err, CLI_NO_DB);
    export_catch_interrupt(from);
    rc = export_run(&o, from);
    export_running = NULL;
    backend_close(from);
    return rc;
}
