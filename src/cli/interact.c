/* SPDX-License-Identifier: Apache-2.0
 *
 * interact.c: the shell on a terminal: line editing and history by libedit, statements over
 * several lines, and the commands that start with a backslash. */
#include "cli/shell.h"

#include <editline/readline.h>
#include <stdlib.h>
#include <string.h>
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
        (void)fputs("which table? .schema TABLE\n", stderr);
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
    {"\\sf", ".schema", "TABLE", "the CREATE TABLE statement", meta_schema},
    {"\\timing", ".timer", "[on|off]", "show how long statements take", meta_timing},
    {"\\x", NULL, "[on|off]", "one column a line", meta_expanded},
    {"\\format", ".mode", "FORMAT", "how results are shown", meta_format},
    {"\\q", ".quit", "", "leave (also Ctrl-D)", meta_quit},
};

static void meta_help(struct shell *sh, const char *arg)
{
    (void)sh;
    (void)arg;
    for (size_t i = 0; i < sizeof metas / sizeof metas[0]; i++)
        (void)printf("  %-8s %-8s %-9s %s\n",
                     metas[i].name,
                     metas[i].alias ? metas[i].alias : "",
                     metas[i].usage,
                     metas[i].doc);
    (void)puts("Statements end with a semicolon and may span lines.");
}

void shell_meta(struct shell *sh, const char *text)
{
    size_t len = strcspn(text, " \t;");
    const char *arg = text + len + strspn(text + len, " \t;");
    char clean[256];
    size_t n = strlen(arg);

    while (n > 0 && strchr(" \t;\n", arg[n - 1]))
        n--;
    (void)snprintf(clean, sizeof clean, "%.*s", (int)n, arg);
    for (size_t i = 0; i < sizeof metas / sizeof metas[0]; i++) {
        bool hit = strlen(metas[i].name) == len && strncmp(metas[i].name, text, len) == 0;
        hit = hit || (metas[i].alias && strlen(metas[i].alias) == len &&
                      strncmp(metas[i].alias, text, len) == 0);
        if (hit) {
            metas[i].run(sh, clean);
            return;
        }
    }
    (void)fprintf(stderr, "unknown command \"%.*s\"; \\? lists them\n", (int)len, text);
}

static bool interact_is_quit(const char *line)
{
    static const char *const words[] = {"exit", "quit", "exit;", "quit;"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(line, words[i]) == 0)
            return true;
    return false;
}

static void interact_history_name(char *ret, size_t size)
{
    const char *home = getenv("HOME");

    (void)snprintf(ret, size, "%s/.dendro_history", home ? home : ".");
}

void shell_interact(struct shell *sh)
{
    char file[4096];
    struct buf text;

    interact_history_name(file, sizeof file);
    using_history();
    (void)read_history(file);
    buf_init(&text, NULL);
    while (!sh->quit) {
        char *line = readline(text.len ? "dendro-> " : "dendro=> ");
        if (!line)
            break;
        if (text.len == 0 && (line[0] == '\\' || line[0] == '.')) {
            (void)add_history(line);
            shell_meta(sh, line);
        } else if (text.len == 0 && interact_is_quit(line)) {
            sh->quit = true;
        } else if (text.len || line[strspn(line, " \t")]) {
            buf_puts(&text, line);
            buf_u8(&text, '\n');
            if (!text.failed && dendro_complete((const char *)text.data, (ptrdiff_t)text.len)) {
                buf_u8(&text, '\0');
                text.data[text.len - 2] = '\0';
                (void)add_history((const char *)text.data);
                (void)shell_run(sh, (const char *)text.data, text.len - 2, 1);
                buf_reset(&text);
            }
        }
        free(line); /* libedit allocated it */
    }
    (void)puts("");
    buf_done(&text);
    (void)write_history(file);
}
