/* SPDX-License-Identifier: Apache-2.0
 *
 * meta.c: the shell's own commands: one row in the table each. */
#define _GNU_SOURCE /* strerrordesc_np */
#include "base/text.h"
#include "cli/help.h"
#include "cli/outfile.h"
#include "cli/plot.h"
#include "cli/shell.h"
#include "func/func.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

struct meta {
    const char *name;
    const char *alias; /* the dot form, NULL = none */
    const char *usage;
    const char *doc;
    void (*run)(struct shell *sh, const char *arg);
};

static void meta_query(struct shell *sh, const char *head, const char *arg)
{
    struct buf b;

    buf_init(&b, NULL);
    buf_printf(&b, "%s%s;", head, arg);
    sh->keep_last = true;
    if (!b.failed)
        (void)shell_run(sh, (const char *)b.data, b.len, 1);
    sh->keep_last = false;
    buf_done(&b);
}

/* on, off (or auto), or the other way round than it is. False: another word, which is an error. */
static bool meta_switch(struct shell *sh, const char *what, const char *arg, bool *value)
{
    if (!*arg)
        *value = !*value;
    else if (strcmp(arg, "on") == 0 || strcmp(arg, "off") == 0)
        *value = strcmp(arg, "on") == 0;
    else
        shell_complain(sh, "%s wants on or off, not \"%s\"", what, arg);
    return !*arg || strcmp(arg, "on") == 0 || strcmp(arg, "off") == 0;
}

/* Remarks to a person; scripts and formats for programs get none. */
static void meta_say(struct shell *sh, const char *what, const char *value)
{
    if (!sh->quiet && !out_format_plain(sh->format))
        (void)printf("%s is %s.\n", what, value);
}

/* False: the catalog has no statement for it. */
static bool meta_ask(struct shell *sh, enum backend_question q, const char *arg)
{
    struct buf b;
    bool ok;

    buf_init(&b, NULL);
    ok = backend_ask(sh->backend, q, arg, &b);
    buf_u8(&b, '\0');
    if (ok && !b.failed)
        meta_query(sh, (const char *)b.data, "");
    buf_done(&b);
    return ok;
}

static void meta_tables(struct shell *sh, const char *arg)
{
    (void)meta_ask(sh, BACKEND_TABLES, arg);
}

static void meta_schemas(struct shell *sh, const char *arg)
{
    (void)meta_ask(sh, BACKEND_SCHEMAS, arg);
}

static void meta_databases(struct shell *sh, const char *arg)
{
    (void)meta_ask(sh, BACKEND_DATABASES, arg);
}

static void meta_roles(struct shell *sh, const char *arg)
{
    (void)meta_ask(sh, BACKEND_ROLES, arg);
}

static void meta_views(struct shell *sh, const char *arg)
{
    (void)meta_ask(sh, BACKEND_VIEWS, arg);
}

static void meta_indexes(struct shell *sh, const char *arg)
{
    (void)meta_ask(sh, BACKEND_INDEXES, arg);
}

/* Where the database is; who one is there is in the answer of the catalog. */
static void meta_connection(struct shell *sh, const char *arg)
{
    const struct backend *b = sh->backend;

    if (!out_format_plain(sh->format))
        (void)fprintf(sh->out.to,
                      "%s %s\n",
                      b->remote ? "Connected to" : "In this process: the directory",
                      b->where);
    (void)meta_ask(sh, BACKEND_CONNECTION, arg);
}

static void meta_describe(struct shell *sh, const char *arg)
{
    if (*arg)
        (void)meta_ask(sh, BACKEND_TABLE, arg);
    else
        meta_tables(sh, arg);
}

static void meta_schema(struct shell *sh, const char *arg)
{
    if (!*arg)
        shell_complain(sh, "which table? \\sf TABLE");
    else if (!meta_ask(sh, BACKEND_CREATE, arg))
        shell_complain(sh, "PostgreSQL does not keep CREATE TABLE statements; \\d %s", arg);
}

/* name(TYPE, TYPE) → TYPE */
static void meta_signature(struct shell *sh,
                           const char *name,
                           const enum type_id *args,
                           uint32_t count,
                           bool variadic,
                           enum type_id result)
{
    (void)fprintf(sh->out.to, "    %s(", name);
    for (uint32_t i = 0; i < count; i++)
        (void)fprintf(sh->out.to,
                      "%s%s",
                      i ? ", " : "",
                      args[i] == TYPE_NONE ? "any" : func_type_name(args[i]));
    (void)fprintf(sh->out.to,
                  "%s) → %s\n",
                  variadic ? ", …" : "",
                  result == TYPE_NONE ? "that of the argument" : func_type_name(result));
}

/* The functions of one name and one doc: the doc once, then each with its types. */
static void meta_function(struct shell *sh, uint32_t first)
{
    const struct func *same = func_at(first);

    for (uint32_t i = 0; i < first; i++)
        if (strcmp(func_at(i)->name, same->name) == 0 && strcmp(func_at(i)->doc, same->doc) == 0)
            return;
    (void)fprintf(sh->out.to, "%s: %s\n", same->name, same->doc);
    for (uint32_t i = first; func_at(i); i++) {
        const struct func *f = func_at(i);
        bool variadic = (f->flags & FUNC_VARIADIC) != 0;
        if (strcmp(f->name, same->name) == 0 && strcmp(f->doc, same->doc) == 0)
            meta_signature(sh, f->name, f->args, f->args_count, variadic, f->result);
    }
}

static void meta_aggregate(struct shell *sh, uint32_t i)
{
    const struct agg *a = agg_at(i);
    const struct agg *before = i > 0 ? agg_at(i - 1) : NULL;
    const enum type_id args[] = {a->arg, a->arg2};
    uint32_t count = a->star ? 0 : a->arg2 == TYPE_NONE ? 1 : 2;

    if (!before || strcmp(before->name, a->name) != 0 || strcmp(before->doc, a->doc) != 0)
        (void)fprintf(sh->out.to, "%s: %s (aggregate)\n", a->name, a->doc);
    meta_signature(sh, a->name, args, count, false, a->result);
}

static void meta_functions(struct shell *sh, const char *arg)
{
    if (meta_ask(sh, BACKEND_FUNCTIONS, arg))
        return;
    for (uint32_t i = 0; func_at(i); i++)
        if (!(func_at(i)->flags & FUNC_OPERATOR) && isalpha((unsigned char)func_at(i)->name[0]) &&
            strstr(func_at(i)->name, arg))
            meta_function(sh, i);
    for (uint32_t i = 0; agg_at(i); i++)
        if (strstr(agg_at(i)->name, arg))
            meta_aggregate(sh, i);
}

static void meta_timing(struct shell *sh, const char *arg)
{
    if (meta_switch(sh, "\\timing", arg, &sh->timing))
        meta_say(sh, "Timing", sh->timing ? "on" : "off");
}

static void meta_expanded(struct shell *sh, const char *arg)
{
    bool on = sh->expanded == SHELL_ON;

    if (strcmp(arg, "auto") == 0)
        sh->expanded = SHELL_AUTO;
    else if (meta_switch(sh, "\\x", arg, &on))
        sh->expanded = on ? SHELL_ON : SHELL_OFF;
    else
        return;
    meta_say(sh,
             "Expanded display",
             sh->expanded == SHELL_AUTO ? "used where a table is too wide"
             : on                       ? "on"
                                        : "off");
}

static void meta_format(struct shell *sh, const char *arg)
{
    if (out_format_find(arg, &sh->format))
        return;
    shell_complain(sh, "\"%s\" is no format; there are:", arg);
    for (int i = 0; i < OUT_FORMAT_MAX; i++)
        (void)fprintf(stderr,
                      "  %-9s %s\n",
                      out_format_name((enum out_format)i),
                      out_format_doc((enum out_format)i));
}

/* Rows of a result that are shown on the screen. */
static void meta_rows(struct shell *sh, const char *arg)
{
    char *end = NULL;
    unsigned long long n = strtoull(arg, &end, 10);
    char text[32];

    if (strcmp(arg, "all") == 0)
        n = 0;
    else if (!isdigit((unsigned char)*arg) || *end || n == 0) {
        shell_complain(sh, "\\pset rows wants a number from 1 on, or all, not \"%s\"", arg);
        return;
    }
    sh->rows_max = n;
    (void)snprintf(text, sizeof text, "%llu", n);
    meta_say(sh, "The number of rows shown", n ? text : "not limited");
}

/* psql's name for several of the others. */
static void meta_pset(struct shell *sh, const char *arg)
{
    size_t len = strcspn(arg, " \t");
    const char *value = arg + len + strspn(arg + len, " \t");

    if (len == 6 && strncmp(arg, "format", 6) == 0)
        meta_format(sh, strcmp(value, "aligned") == 0 ? "table" : value);
    else if (len == 8 && strncmp(arg, "expanded", 8) == 0)
        meta_expanded(sh, value);
    else if (len == 5 && strncmp(arg, "pager", 5) == 0) {
        bool on = !sh->no_pager;
        if (meta_switch(sh, "\\pset pager", value, &on)) {
            sh->no_pager = !on;
            meta_say(sh, "The pager", on ? "on" : "off");
        }
    } else if (len == 3 && strncmp(arg, "fit", 3) == 0) {
        if (meta_switch(sh, "\\pset fit", value, &sh->fit))
            meta_say(sh, "Fitting tables to the window", sh->fit ? "on" : "off");
    } else if (len == 4 && strncmp(arg, "rows", 4) == 0) {
        meta_rows(sh, value);
    } else {
        shell_complain(
            sh, "\\pset knows format, expanded, fit, pager and rows, not \"%.*s\"", (int)len, arg);
    }
}

static void meta_include(struct shell *sh, const char *arg)
{
    bool unreadable = sh->unreadable;

    if (!*arg) {
        shell_complain(sh, "which file? \\i FILE");
        return;
    }
    (void)shell_run_file(sh, arg);
    sh->unreadable = unreadable; /* of the script itself; this one was an error like any other */
}

/* False: it cannot be written, and nothing changed. */
static bool meta_redirect(struct shell *sh, const char *name)
{
    struct outfile *to = NULL;
    enum out_format format;
    struct dn_err err;

    if (*name && (outfile_format(name, NULL, sh->format, &format, &err) < 0 ||
                  outfile_open(name, OUTFILE_DIRECT, &to, &err) < 0)) {
        shell_complain(sh, "%s", err.text);
        return false;
    }
    if (outfile_close(sh->given, true, &err) < 0)
        shell_complain(sh, "%s", err.text);
    sh->given = to;
    sh->out.to = to ? outfile_stream(to) : stdout;
    return true;
}

static void meta_output(struct shell *sh, const char *arg)
{
    (void)meta_redirect(sh, arg);
}

/* The last statement again. */
static void meta_again(struct shell *sh)
{
    struct buf text;

    if (sh->last.len == 0) {
        shell_complain(sh, "no statement to run again yet");
        return;
    }
    buf_init(&text, NULL);
    buf_append(&text, sh->last.data, sh->last.len);
    if (!text.failed)
        (void)shell_run(sh, (const char *)text.data, text.len, 1);
    buf_done(&text);
}

static void meta_go(struct shell *sh, const char *arg)
{
    struct outfile *outer = sh->given;
    FILE *before = sh->out.to; /* \o, -o or standard output */

    if (!*arg) {
        meta_again(sh);
        return;
    }
    sh->given = NULL; /* stays open */
    if (meta_redirect(sh, arg)) {
        meta_again(sh);
        (void)meta_redirect(sh, "");
    }
    sh->given = outer;
    sh->out.to = before;
}

static void meta_go_expanded(struct shell *sh, const char *arg)
{
    enum shell_choice before = sh->expanded;

    sh->expanded = SHELL_ON;
    meta_go(sh, arg);
    sh->expanded = before;
}

/* The last statement in an editor; what is saved runs. */
static void meta_edit(struct shell *sh, const char *arg)
{
    const char *editor = getenv("VISUAL") ? getenv("VISUAL") : getenv("EDITOR");
    const char *tmp = getenv("TMPDIR");
    struct buf command;
    char name[4096];
    FILE *f;
    int fd;

    (void)arg;
    (void)snprintf(name, sizeof name, "%s/dendro-XXXXXX.sql", tmp ? tmp : "/tmp");
    fd = mkstemps(name, 4);
    f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f) {
        shell_complain(sh, "cannot write %s: %s", name, strerrordesc_np(errno));
        return;
    }
    (void)fwrite(sh->last.data ? (const char *)sh->last.data : "", 1, sh->last.len, f);
    (void)fclose(f);
    buf_init(&command, NULL);
    buf_printf(&command, "%s '%s'", editor ? editor : "vi", name);
    buf_u8(&command, '\0');
    if (command.failed || system((const char *)command.data) != 0)
        shell_complain(sh, "the editor failed: %s", editor ? editor : "vi");
    else
        (void)shell_run_file(sh, name);
    buf_done(&command);
    (void)unlink(name);
}

static void meta_set(struct shell *sh, const char *arg)
{
    size_t len = strcspn(arg, " \t");
    const char *value = arg + len + strspn(arg + len, " \t");
    char name[64];

    if (!*arg) {
        vars_print(&sh->vars, sh->out.to);
        return;
    }
    if (!vars_name_ok(arg, len) || len >= sizeof name) {
        shell_complain(sh, "\"%.*s\" is no name of a variable", (int)len, arg);
        return;
    }
    memcpy(name, arg, len);
    name[len] = '\0';
    len = strlen(value);
    if (len > 1 && value[0] == '\'' && value[len - 1] == '\'') { /* as psql: quotes hold blanks */
        struct buf clean;
        buf_init(&clean, NULL);
        buf_append(&clean, value + 1, len - 2);
        buf_u8(&clean, '\0');
        if (clean.failed || !shell_set_var(sh, name, (const char *)clean.data))
            shell_complain(sh, "out of memory");
        buf_done(&clean);
    } else if (!shell_set_var(sh, name, value)) {
        shell_complain(sh, "out of memory");
    }
}

static void meta_unset(struct shell *sh, const char *arg)
{
    if (strcmp(arg, "ON_ERROR_STOP") == 0)
        sh->stop = false;
    if (!vars_unset(&sh->vars, arg))
        shell_complain(sh, "there is no variable \"%s\"", arg);
}

static void meta_echo(struct shell *sh, const char *arg)
{
    struct buf text;

    buf_init(&text, NULL);
    vars_expand(&sh->vars, arg, strlen(arg), &text);
    buf_u8(&text, '\n');
    if (!text.failed)
        (void)fwrite(text.data, 1, text.len, sh->out.to);
    buf_done(&text);
}

static bool meta_is_function(const char *name)
{
    for (uint32_t i = 0; func_at(i); i++)
        if (!(func_at(i)->flags & FUNC_OPERATOR) && strcasecmp(func_at(i)->name, name) == 0)
            return true;
    for (uint32_t i = 0; agg_at(i); i++)
        if (strcasecmp(agg_at(i)->name, name) == 0)
            return true;
    return false;
}

static void meta_syntax(struct shell *sh, const char *arg)
{
    if (help_print(arg, sh->out.to))
        return;
    if (meta_is_function(arg))
        meta_functions(sh, arg);
    else
        shell_complain(sh, "no help for \"%s\"; \\h alone lists what there is", arg);
}

/* psql lets file names go without quotes. */
static void meta_copy_quote(const char *arg, struct buf *ret)
{
    const char *file = shell_copy_word(arg);
    size_t len;

    if (file) {
        file += strcspn(file, " ");
        file += strspn(file, " ");
    }
    if (!file || *file == '\'' || !*file || strncasecmp(file, "stdin", 5) == 0 ||
        strncasecmp(file, "stdout", 6) == 0) {
        buf_puts(ret, arg);
        return;
    }
    len = strcspn(file, " ");
    buf_append(ret, arg, (size_t)(file - arg));
    buf_printf(ret, "'%.*s'%s", (int)len, file, file + len);
}

static void meta_copy(struct shell *sh, const char *arg)
{
    struct buf text;

    if (!*arg) {
        shell_complain(sh, "copy what? \\copy TABLE FROM FILE, \\copy TABLE TO FILE");
        return;
    }
    if (sh->backend->remote) {
        shell_copy_file(sh, arg);
        return;
    }
    buf_init(&text, NULL);
    meta_copy_quote(arg, &text);
    buf_u8(&text, '\0');
    if (!text.failed)
        meta_query(sh, "COPY ", (const char *)text.data);
    buf_done(&text);
}

/* Runs the last query again and again until Ctrl-C or an error. */
static void meta_watch(struct shell *sh, const char *arg)
{
    double seconds = *arg ? strtod(arg, NULL) : 2;
    struct timespec pause;

    if (sh->last.len == 0 || !(seconds >= 0.01 && seconds <= 86400)) {
        shell_complain(sh,
                       "%s",
                       sh->last.len ? "\\watch wants seconds, 0.01 to 86400"
                                    : "no query to watch yet");
        return;
    }
    pause.tv_sec = (time_t)seconds;
    pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
    shell_interrupted(true);
    while (!shell_interrupted(false)) {
        uint64_t before = sh->errors;
        meta_again(sh);
        if (sh->errors > before || nanosleep(&pause, NULL) != 0)
            break;
    }
}

static void meta_plot(struct shell *sh, const char *arg)
{
    struct dendro_error err = {0};
    uint32_t columns = shell_columns();
    uint32_t width = columns > 20 ? columns - 14u : 72;
    bool color = sh->out.to == stdout && isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    const char *tail = NULL;
    int rc;

    rc = backend_prepare(sh->backend, arg, strlen(arg), &tail, &err);
    if (rc == 0)
        shell_complain(sh, "plot what? \\plot SELECT time, value FROM …");
    else if (rc > 0)
        rc = plot_run(sh->backend, width, color, sh->out.to, &err);
    backend_finish(sh->backend);
    if (rc < 0)
        shell_show_alone(sh, &err);
}

static void meta_quit(struct shell *sh, const char *arg)
{
    (void)arg;
    sh->quit = true;
}

static void meta_help(struct shell *sh, const char *arg);

static const struct meta metas[] = {
#define DN_META(name, alias, usage, doc, run) {name, alias, usage, doc, run},
#include "cli/meta_list.h"
#undef DN_META
};

#define METAS (sizeof metas / sizeof metas[0])

static void meta_help(struct shell *sh, const char *arg)
{
    (void)arg;
    for (size_t i = 0; i < METAS; i++)
        (void)fprintf(sh->out.to,
                      "  %-8s %-8s %-16s %s\n",
                      metas[i].name,
                      metas[i].alias ? metas[i].alias : "",
                      metas[i].usage,
                      metas[i].doc);
    (void)fputs("Statements end with a semicolon and may span lines.\n", sh->out.to);
}

void shell_meta_names(void (*offer)(const char *word, const char *typed, size_t len),
                      const char *typed,
                      size_t len)
{
    for (size_t i = 0; i < METAS; i++) {
        offer(metas[i].name, typed, len);
        if (metas[i].alias)
            offer(metas[i].alias, typed, len);
    }
}

void shell_meta(struct shell *sh, const char *text)
{
    size_t len = strcspn(text, " \t;\n");
    const char *arg = text + len + strspn(text + len, " \t");
    size_t n = strlen(arg);
    struct buf clean;

    while (n > 0 && text_one_of(arg[n - 1], " \t;\r\n"))
        n--;
    buf_init(&clean, NULL);
    buf_append(&clean, arg, n);
    buf_u8(&clean, '\0');
    for (size_t i = 0; i < METAS && !clean.failed; i++) {
        bool hit = strlen(metas[i].name) == len && strncmp(metas[i].name, text, len) == 0;
        hit = hit || (metas[i].alias && strlen(metas[i].alias) == len &&
                      strncmp(metas[i].alias, text, len) == 0);
        if (hit) {
            metas[i].run(sh, (const char *)clean.data);
            (void)fflush(sh->out.to);
            buf_done(&clean);
            return;
        }
    }
    buf_done(&clean);
    shell_complain(sh, "unknown command \"%.*s\"; \\? lists them", (int)len, text);
}
