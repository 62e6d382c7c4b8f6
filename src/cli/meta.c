/* SPDX-License-Identifier: Apache-2.0
 *
 * meta.c: the shell's own commands: one row in the table each. */
#define _GNU_SOURCE /* strerrordesc_np */
#include "cli/plot.h"
#include "cli/shell.h"
#include "func/func.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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
    if (!b.failed)
        (void)shell_run(sh, (const char *)b.data, b.len, 1);
    buf_done(&b);
}

static void meta_tables(struct shell *sh, const char *arg)
{
    (void)arg;
    meta_query(sh, "SHOW TABLES", "");
}

static void meta_schemas(struct shell *sh, const char *arg)
{
    (void)arg;
    meta_query(sh, "SHOW SCHEMAS", "");
}

static void meta_describe(struct shell *sh, const char *arg)
{
    if (*arg)
        meta_query(sh, "DESCRIBE ", arg);
    else
        meta_tables(sh, arg);
}

static void meta_schema(struct shell *sh, const char *arg)
{
    if (*arg)
        meta_query(sh, "SHOW CREATE TABLE ", arg);
    else
        (void)fputs("which table? \\sf TABLE\n", stderr);
}

static void meta_functions(struct shell *sh, const char *arg)
{
    const char *last = "";

    for (uint32_t i = 0; func_at(i); i++) {
        const struct func *f = func_at(i);
        if ((f->flags & FUNC_OPERATOR) || !isalpha((unsigned char)f->name[0]) ||
            strcmp(last, f->name) == 0 || !strstr(f->name, arg))
            continue;
        last = f->name;
        (void)fprintf(sh->out.to, "  %-18s %s\n", f->name, f->doc);
    }
    last = "";
    for (uint32_t i = 0; agg_at(i); i++) {
        const struct agg *a = agg_at(i);
        if (strcmp(last, a->name) == 0 || !strstr(a->name, arg))
            continue;
        last = a->name;
        (void)fprintf(sh->out.to, "  %-18s %s (aggregate)\n", a->name, a->doc);
    }
}

static void meta_timing(struct shell *sh, const char *arg)
{
    sh->timing = *arg ? strcmp(arg, "on") == 0 : !sh->timing;
    (void)printf("Timing is %s.\n", sh->timing ? "on" : "off");
}

static void meta_expanded(struct shell *sh, const char *arg)
{
    sh->expanded = *arg ? strcmp(arg, "on") == 0 : !sh->expanded;
    (void)printf("Expanded display is %s.\n", sh->expanded ? "on" : "off");
}

static void meta_format(struct shell *sh, const char *arg)
{
    if (out_format_find(arg, &sh->format))
        return;
    (void)fprintf(stderr, "\"%s\" is no format; there are:\n", arg);
    for (int i = 0; i < OUT_FORMAT_MAX; i++)
        (void)fprintf(stderr,
                      "  %-9s %s\n",
                      out_format_name((enum out_format)i),
                      out_format_doc((enum out_format)i));
}

static void meta_include(struct shell *sh, const char *arg)
{
    if (*arg)
        (void)shell_run_file(sh, arg);
    else
        (void)fputs("which file? \\i FILE\n", stderr);
}

static void meta_output(struct shell *sh, const char *arg)
{
    FILE *to = NULL;

    if (*arg) {
        to = fopen(arg, "wbe");
        if (!to) {
            (void)fprintf(stderr, "cannot write %s: %s\n", arg, strerrordesc_np(errno));
            return;
        }
    }
    if (sh->given && fclose(sh->given) != 0)
        (void)fputs("the last output file could not be written\n", stderr);
    sh->given = to;
    sh->out.to = to ? to : stdout;
    if (to)
        sh->out.page_lines = 0;
}

static void meta_copy(struct shell *sh, const char *arg)
{
    meta_query(sh, "COPY ", arg);
}

/* Runs the last query again and again until Ctrl-C or an error. */
static void meta_watch(struct shell *sh, const char *arg)
{
    double seconds = *arg ? strtod(arg, NULL) : 2;
    struct timespec pause;

    if (sh->last.len == 0 || !(seconds >= 0.01 && seconds <= 86400)) {
        (void)fputs(sh->last.len ? "\\watch wants seconds, 0.01 to 86400\n"
                                 : "no query to watch yet\n",
                    stderr);
        return;
    }
    pause.tv_sec = (time_t)seconds;
    pause.tv_nsec = (long)((seconds - (double)pause.tv_sec) * 1e9);
    shell_interrupted(true);
    while (!shell_interrupted(false)) {
        uint64_t before = sh->errors;
        (void)shell_run(sh, (const char *)sh->last.data, sh->last.len, 1);
        if (sh->errors > before || nanosleep(&pause, NULL) != 0)
            break;
    }
}

static void meta_plot(struct shell *sh, const char *arg)
{
    struct dendro_error err = {0};
    struct winsize size = {0};
    dendro_stmt *stmt = NULL;
    uint32_t width = 72;
    int rc;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20)
        width = size.ws_col - 14u;
    rc = dendro_prepare(sh->conn, arg, -1, &stmt, NULL, &err);
    if (rc >= 0 && !stmt)
        (void)fputs("plot what? \\plot SELECT time, value FROM …\n", stderr);
    else if (rc >= 0)
        rc = plot_run(stmt, width, sh->out.to, &err);
    dendro_finalize(stmt);
    if (rc < 0) {
        sh->errors++;
        (void)fprintf(stderr, "ERROR:  %s: %s\n", err.sqlstate, err.message);
        if (err.hint[0])
            (void)fprintf(stderr, "HINT:  %s\n", err.hint);
    }
}

static void meta_quit(struct shell *sh, const char *arg)
{
    (void)arg;
    sh->quit = true;
}

static void meta_help(struct shell *sh, const char *arg);

static const struct meta metas[] = {
    {"\\?", ".help", "", "this list", meta_help},
    {"\\d", NULL, "[TABLE]", "columns and keys of a table, or all tables", meta_describe},
    {"\\dt", ".tables", "", "all tables", meta_tables},
    {"\\dn", NULL, "", "all schemas", meta_schemas},
    {"\\df", NULL, "[TEXT]", "functions whose name holds the text", meta_functions},
    {"\\sf", ".schema", "TABLE", "the CREATE TABLE statement", meta_schema},
    {"\\timing", ".timer", "[on|off]", "show how long statements take", meta_timing},
    {"\\x", NULL, "[on|off]", "one column a line", meta_expanded},
    {"\\format", ".mode", "FORMAT", "how results are shown", meta_format},
    {"\\i", ".read", "FILE", "run a script", meta_include},
    {"\\o", ".output", "[FILE]", "results go to a file, or back to the screen", meta_output},
    {"\\copy", NULL, "...", "COPY, as the statement", meta_copy},
    {"\\watch",
     NULL,
     "[SECONDS]",
     "run the last query again and again, Ctrl-C ends it",
     meta_watch},
    {"\\plot", NULL, "SELECT ...", "draw the second column over the first", meta_plot},
    {"\\q", ".quit", "", "leave (also Ctrl-D)", meta_quit},
};

#define METAS (sizeof metas / sizeof metas[0])

static void meta_help(struct shell *sh, const char *arg)
{
    (void)arg;
    for (size_t i = 0; i < METAS; i++)
        (void)fprintf(sh->out.to,
                      "  %-8s %-8s %-10s %s\n",
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

    while (n > 0 && strchr(" \t;\r\n", arg[n - 1]))
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
            buf_done(&clean);
            return;
        }
    }
    buf_done(&clean);
    sh->errors++;
    (void)fprintf(stderr, "unknown command \"%.*s\"; \\? lists them\n", (int)len, text);
}
