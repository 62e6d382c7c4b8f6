/* SPDX-License-Identifier: Apache-2.0
 *
 * sql.c: `dendro sql`. Without -c and -f it reads standard input: a terminal gets the shell, a pipe
 * is a script. Without DIR the database is a temporary directory that goes when we go. */
#define _GNU_SOURCE /* mkdtemp, nftw, strerrordesc_np */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/outfile.h"
#include "cli/shell.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SQL_TASKS_MAX 64u
#define SQL_VARS_MAX  64u

struct sql_task {
    bool file; /* text is a file's name, "-" is standard input */
    const char *text;
};

struct sql_options {
    const char *dir;
    struct sql_task tasks[SQL_TASKS_MAX];
    uint32_t tasks_count;
    enum out_format format;
    bool format_given;
    const char *output; /* NULL: standard output; "-" too */
    bool no_header;
    bool quiet;
    bool no_rc;
    struct {
        const char *name;
        const char *value;
    } vars[SQL_VARS_MAX];
    uint32_t vars_count;
    bool timing;
    bool read_only;
    const char *settings[33]; /* name, value, …, NULL */
    uint32_t settings_count;
};

static void sql_usage(FILE *to)
{
    (void)fputs(
        "usage: dendro sql [DIR | URL] [options]\n"
        "  DIR                    the database's directory, made if it is not there;\n"
        "                         without it a temporary database that is gone at the end\n"
        "  URL                    a server: postgres://USER:PASSWORD@HOST:PORT/DATABASE, or\n"
        "                         'host=… port=… user=… dbname=…'; what is missing comes\n"
        "                         from PGHOST, PGPORT, PGUSER, PGPASSWORD and ~/.pgpass\n"
        "  -c, --command SQL      run SQL (may be repeated, mixes with -f), then exit\n"
        "  -f, --file FILE        run a script; - is standard input\n"
        "  -F, --format FORMAT    how results are shown:\n",
        to);
    for (int i = 0; i < OUT_FORMAT_MAX; i++)
        (void)fprintf(to,
                      "                           %-9s %s\n",
                      out_format_name((enum out_format)i),
                      out_format_doc((enum out_format)i));
    (void)fputs(
        "  -o, --output FILE      results go to a file; .csv, .json, … choose the format, .gz and\n"
        "                         .zst pack it\n"
        "  -q, --quiet            no command tags\n"
        "      --no-header        csv and tsv without the line of names\n"
        "      --timing           show how long each statement takes\n"
        "      --read-only        write nothing; also while a server has the directory\n"
        "  -s, --set NAME=VALUE   a setting of the database or the session\n"
        "  -v, --variable NAME=VALUE  a variable: :NAME in statements\n"
        "  -v ON_ERROR_STOP=1     end a script at its first error, with exit code 3\n"
        "  -X, --no-rc            do not read ~/.dendrorc, as the shell on a terminal does\n"
        "Exit codes: 0 done, 1 wrong usage or a failed -c, 2 no database, 3 a script "
        "stopped by an error.\n"
        "Without ON_ERROR_STOP all of -c and -f run; one -c that failed makes the exit code 1.\n",
        to);
}

static int sql_complain(const char *fmt, ...) DN_PRINTF(1, 2);

static int sql_complain(const char *fmt, ...)
{
    va_list args;

    (void)fputs("dendro sql: ", stderr);
    va_start(args, fmt);
    (void)vfprintf(stderr, fmt, args);
    va_end(args);
    (void)fputs("\n", stderr);
    return CLI_FATAL;
}

static int sql_add_setting(struct sql_options *o, char *text)
{
    char *eq = strchr(text, '=');

    if (!eq || eq == text)
        return sql_complain("--set wants NAME=VALUE, not \"%s\"", text);
    if (o->settings_count + 3 > sizeof o->settings / sizeof o->settings[0])
        return sql_complain("too many settings at \"%s\"", text);
    *eq = '\0';
    o->settings[o->settings_count++] = text;
    o->settings[o->settings_count++] = eq + 1;
    return CLI_OK;
}

/* NAME=VALUE, or NAME alone; ON_ERROR_STOP is one that the shell itself obeys. */
static int sql_add_variable(struct sql_options *o, char *text)
{
    char *eq = strchr(text, '=');
    size_t len = eq ? (size_t)(eq - text) : strlen(text);

    if (!vars_name_ok(text, len))
        return sql_complain("-v wants NAME=VALUE, not \"%s\"", text);
    if (o->vars_count == SQL_VARS_MAX)
        return sql_complain("too many variables at \"%s\"", text);
    if (eq)
        *eq = '\0';
    o->vars[o->vars_count].name = text;
    o->vars[o->vars_count++].value = eq ? eq + 1 : "";
    return CLI_OK;
}

static int sql_add_task(struct sql_options *o, bool file, const char *text)
{
    if (o->tasks_count == SQL_TASKS_MAX)
        return sql_complain("too many -c and -f at \"%s\"", text);
    o->tasks[o->tasks_count++] = (struct sql_task){.file = file, .text = text};
    return CLI_OK;
}

/* Options that take a value: 0 = not one of them, else the short name. */
static char sql_value_option(const char *arg)
{
    static const struct {
        const char *full;
        char letter;
    } names[] = {{"--command", 'c'},
                 {"--file", 'f'},
                 {"--format", 'F'},
                 {"--output", 'o'},
                 {"--set", 's'},
                 {"--variable", 'v'}};

    if (arg[0] == '-' && arg[1] && !arg[2] && text_one_of(arg[1], "cfFosv"))
        return arg[1];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(arg, names[i].full) == 0)
            return names[i].letter;
    return '\0';
}

static int sql_take_value(struct sql_options *o, char letter, char *value)
{
    switch (letter) {
    case 'c':
        return sql_add_task(o, false, value);
    case 'f':
        return sql_add_task(o, true, value);
    case 'F':
        o->format_given = true;
        return out_format_find(value, &o->format)
                   ? CLI_OK
                   : sql_complain("unknown format \"%s\"; --help lists them", value);
    case 'o':
        o->output = strcmp(value, "-") == 0 ? NULL : value;
        return CLI_OK;
    case 's':
        return sql_add_setting(o, value);
    default:
        return sql_add_variable(o, value);
    }
}

/* --csv, --json and --markdown are short for --format. */
static bool sql_format_flag(struct sql_options *o, const char *name)
{
    enum out_format f;

    if (!out_format_find(name, &f) || (f != OUT_CSV && f != OUT_JSON && f != OUT_MARKDOWN))
        return false;
    o->format = f;
    return true;
}

static int sql_take_flag(struct sql_options *o, const char *arg)
{
    if (strcmp(arg, "-q") == 0 || strcmp(arg, "--quiet") == 0)
        o->quiet = true;
    else if (strcmp(arg, "--no-header") == 0)
        o->no_header = true;
    else if (strcmp(arg, "--timing") == 0)
        o->timing = true;
    else if (strcmp(arg, "-X") == 0 || strcmp(arg, "--no-rc") == 0)
        o->no_rc = true;
    else if (strcmp(arg, "--read-only") == 0)
        o->read_only = true;
    else if (strncmp(arg, "--", 2) == 0 && sql_format_flag(o, arg + 2))
        o->format_given = true;
    else
        return sql_complain("unknown option \"%s\"; --help lists them", arg);
    return CLI_OK;
}

static int sql_parse_args(int argc, char **argv, struct sql_options *o)
{
    for (int i = 1; i < argc; i++) {
        char *arg = argv[i];
        char *eq = strncmp(arg, "--", 2) == 0 ? strchr(arg, '=') : NULL;
        char letter;
        int rc;
        if (eq) {
            *eq = '\0';
            letter = sql_value_option(arg);
            rc = letter ? sql_take_value(o, letter, eq + 1)
                        : sql_complain("option \"%s\" takes no value", arg);
        } else if ((letter = sql_value_option(arg)) != '\0') {
            rc = i + 1 < argc ? sql_take_value(o, letter, argv[i + 1])
                              : sql_complain("option \"%s\" wants a value", arg);
            i++;
        } else if (arg[0] == '-' && arg[1]) {
            rc = sql_take_flag(o, arg);
        } else if (!o->dir) {
            o->dir = arg;
            rc = CLI_OK;
        } else {
            rc = sql_complain("one directory only; \"%s\" is too much", arg);
        }
        if (rc != CLI_OK)
            return rc;
    }
    return CLI_OK;
}

static int sql_run_file(struct shell *sh, const char *name)
{
    bool ok = shell_run_file(sh, name);

    return sh->unreadable ? CLI_FATAL : ok ? CLI_OK : CLI_SCRIPT;
}

/* The text of one -c: a command to the shell, or statements, none of which runs after the first
 * that fails. */
static int sql_run_command(struct shell *sh, const char *text)
{
    uint64_t errors = sh->errors;
    bool stop = sh->stop;

    text += strspn(text, " \t\r\n");
    if (*text == '\\') {
        shell_meta(sh, text);
        return sh->errors == errors ? CLI_OK : CLI_FATAL;
    }
    sh->stop = true;
    (void)shell_run(sh, text, strlen(text), 1);
    sh->stop = stop;
    return sh->errors == errors ? CLI_OK : CLI_FATAL;
}

/* Without ON_ERROR_STOP every -c runs; one that failed is the exit code's in any case. */
static int sql_run_tasks(struct shell *sh, const struct sql_options *o)
{
    int worst = CLI_OK;

    for (uint32_t i = 0; i < o->tasks_count && !sh->lost && !sh->quit; i++) {
        const struct sql_task *t = &o->tasks[i];
        int rc = t->file ? sql_run_file(sh, t->text) : sql_run_command(sh, t->text);

        if (rc != CLI_OK && (t->file || sh->stop))
            return rc;
        worst = rc != CLI_OK ? rc : worst;
    }
    return worst;
}

static int sql_remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int sql_open(struct sql_options *o, struct shell *sh, char *temporary)
{
    struct backend_options options = {
        .read_only = o->read_only, .ask = true, .settings = o->settings_count ? o->settings : NULL};
    struct dendro_error err;

    if (!o->dir) {
        const char *tmp = getenv("TMPDIR");
        (void)snprintf(temporary, 4096, "%s/dendro-XXXXXX", tmp ? tmp : "/tmp");
        if (!mkdtemp(temporary)) {
            *temporary = '\0';
            return sql_complain("cannot make a temporary directory: %s", strerrordesc_np(errno));
        }
        o->dir = temporary;
    }
    if (backend_open(o->dir, &options, &sh->backend, &err) < 0) {
        (void)fprintf(stderr, "dendro: %s\n", err.message);
        if (err.hint[0])
            (void)fprintf(stderr, "HINT:  %s\n", err.hint);
        return CLI_NO_DB;
    }
    return CLI_OK;
}

/* What only a person at a terminal wants: types in the header, results that fit the window, and not
 * more rows than one can look at. */
static void sql_fit_screen(struct shell *sh)
{
    sh->out.types = isatty(STDOUT_FILENO);
    sh->fit = sh->out.types;
    sh->rows_max = sh->out.types ? SHELL_ROWS_SHOWN : 0;
}

/* Commands and statements that a person wants at every start. Its errors are shown and end nothing.
 */
static void sql_run_rc(struct shell *sh)
{
    const char *home = getenv("HOME");
    bool quiet = sh->quiet;
    char name[4096];

    (void)snprintf(name, sizeof name, "%s/.dendrorc", home ? home : ".");
    if (access(name, F_OK) != 0)
        return;
    sh->quiet = true;
    (void)shell_run_file(sh, name);
    sh->quiet = quiet;
    sh->unreadable = false;
}

static int sql_run(struct sql_options *o, struct shell *sh)
{
    int rc;

    if (o->tasks_count || !isatty(STDIN_FILENO)) {
        rc = o->tasks_count ? sql_run_tasks(sh, o) : sql_run_file(sh, "-");
        return sh->lost ? CLI_NO_DB : rc;
    }
    sh->interactive = true;
    sql_fit_screen(sh);
    if (!o->no_rc)
        sql_run_rc(sh);
    (void)printf("Dendro %s, database %s. \\? for help, \\q to leave.\n",
                 dendro_version(),
                 sh->backend->remote ? sh->backend->where
                 : *o->dir           ? o->dir
                                     : "(temporary)");
    shell_interact(sh);
    return CLI_OK;
}

int cli_sql(int argc, char **argv)
{
    struct sql_options o = {.format = OUT_TABLE};
    struct shell sh = {0};
    char temporary[4096] = "";
    struct outfile *file = NULL;
    struct dn_err why;
    bool unwritten = false;
    int rc;

    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        sql_usage(stdout);
        return CLI_OK;
    }
    rc = sql_parse_args(argc, argv, &o);
    if (rc == CLI_OK && o.output &&
        outfile_format(o.output, o.format_given ? &o.format : NULL, OUT_TABLE, &o.format, &why) < 0)
        rc = sql_complain("%s", why.text);
    if (rc != CLI_OK)
        return rc;
    rc = sql_open(&o, &sh, temporary);
    if (rc == CLI_OK && o.output && outfile_open(o.output, OUTFILE_DIRECT, &file, &why) < 0)
        rc = sql_complain("%s", why.text);
    if (rc == CLI_OK) {
        out_init(&sh.out, file ? outfile_stream(file) : stdout, o.format);
        sh.out.header = !o.no_header;
        sh.format = o.format;
        sh.quiet = o.quiet;
        sh.timing = o.timing;
        for (uint32_t i = 0; i < o.vars_count; i++)
            if (!shell_set_var(&sh, o.vars[i].name, o.vars[i].value))
                sh.out.failed = true;
        sh.color = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
        buf_init(&sh.last, NULL);
        shell_catch_interrupt(&sh);
        rc = sql_run(&o, &sh);
        unwritten = sh.out.failed;
        if (unwritten && sh.out.to == stdout)
            (void)sql_complain("cannot write the results");
        out_done(&sh.out);
        buf_done(&sh.last);
        vars_done(&sh.vars);
        if (outfile_close(sh.given, true, &why) < 0) {
            (void)sql_complain("%s", why.text);
            unwritten = true;
        }
    }
    shell_forget_interrupt();
    backend_close(sh.backend);
    if (outfile_close(file, true, &why) < 0) {
        (void)sql_complain("%s", why.text);
        unwritten = true;
    }
    if (*temporary)
        (void)nftw(temporary, sql_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return unwritten ? CLI_FATAL : rc;
}
