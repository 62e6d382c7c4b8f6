/* SPDX-License-Identifier: Apache-2.0
 *
 * shell_copy.c: STDIN and STDOUT of COPY in the shell. In a script the lines behind the statement
 * are the data, up to one with nothing but \.; on the command line it is standard input. Binary
 * data go to the end of the input. \copy of a server's table is a COPY of STDIN or STDOUT, with a
 * file of this machine in their place. */
#define _GNU_SOURCE /* getline, strerrordesc_np */
#include "base/text.h"
#include "cli/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *copy_input(const struct shell *sh)
{
    return sh->copy.from ? sh->copy.from : stdin;
}

/* Is it the end mark? */
static bool copy_is_end(const char *line, size_t len)
{
    while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
        len--;
    return len == 2 && memcmp(line, "\\.", 2) == 0;
}

/* The next line; false: the end of the data. */
static bool copy_line(struct shell_copy *c, FILE *from)
{
    ssize_t len = getline(&c->line, &c->cap, from);

    c->at = 0;
    c->len = len > 0 ? (size_t)len : 0;
    c->lines += len > 0;
    if (len <= 0 || copy_is_end(c->line, c->len))
        c->ended = true;
    return !c->ended;
}

static int copy_read(void *arg, void *to, size_t len, size_t *ret_len)
{
    struct shell *sh = arg;
    struct shell_copy *c = &sh->copy;
    FILE *from = copy_input(sh);
    sigjmp_buf back;

    *ret_len = 0;
    if (!c->begun) {
        struct dendro_copy_info info;
        backend_copy_info(sh->backend, &info);
        c->binary = info.binary || c->file;
    }
    if (!c->begun && sh->interactive && !c->from && isatty(STDIN_FILENO))
        (void)puts("Enter the rows, and then \\. on a line of its own.");
    c->begun = true;
    if (sigsetjmp(back, 1) != 0) {
        c->ended = true; /* Ctrl-C */
        return 1;
    }
    shell_at_prompt(&back);
    if (c->binary)
        *ret_len = fread(to, 1, len, from);
    else if (!c->ended && (c->at < c->len || copy_line(c, from)))
        *ret_len = c->len - c->at < len ? c->len - c->at : len;
    shell_at_prompt(NULL);
    if (c->binary)
        return ferror(from) != 0;
    memcpy(to, c->line + c->at, *ret_len);
    c->at += *ret_len;
    return 0;
}

static int copy_write(void *arg, const void *bytes, size_t len)
{
    const struct shell *sh = arg;

    return fwrite(bytes, 1, len, sh->copy.to ? sh->copy.to : sh->out.to) != len;
}

void shell_copy_begin(struct shell *sh)
{
    struct dendro_copy copy = {
        .read = copy_read, .read_arg = sh, .write = copy_write, .write_arg = sh};

    sh->copy.binary = false;
    sh->copy.begun = false;
    sh->copy.ended = false;
    sh->copy.len = 0;
    sh->copy.at = 0;
    backend_set_copy(sh->backend, &copy);
}

void shell_copy_end(struct shell *sh)
{
    struct shell_copy *c = &sh->copy;

    /* A COPY that failed: its data are no statements. */
    while (c->begun && !c->binary && !c->ended)
        (void)copy_line(c, copy_input(sh));
    free(c->line); /* getline's */
    c->line = NULL;
    c->cap = 0;
}

/* ---- \copy ---- */

const char *shell_copy_word(const char *arg)
{
    int depth = 0;

    for (const char *p = arg; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0 && p > arg && (p[-1] == ' ' || p[-1] == ')') &&
            (strncasecmp(p, "from ", 5) == 0 || strncasecmp(p, "to ", 3) == 0))
            return p;
    }
    return NULL;
}

/* TABLE [(…)] FROM FILE [options] in its parts. */
struct copy_parts {
    const char *head; /* up to FROM or TO */
    size_t head_len;
    bool from;
    struct buf file;     /* its name, NUL-terminated */
    const char *options; /* what is left */
};

/* False: there is no file in it. */
static bool copy_split(const char *arg, struct copy_parts *p)
{
    const char *word = shell_copy_word(arg);
    const char *at;
    size_t len;

    if (!word)
        return false;
    p->head = arg;
    p->head_len = (size_t)(word - arg);
    p->from = strncasecmp(word, "from ", 5) == 0;
    at = word + (p->from ? 5 : 3);
    at += strspn(at, " ");
    if (*at == '\'') {
        for (at++; *at && (*at != '\'' || at[1] == '\''); at++) {
            at += *at == '\'';
            buf_u8(&p->file, (uint8_t)*at);
        }
        at += *at == '\'';
    } else {
        len = strcspn(at, " ");
        if ((len == 5 && strncasecmp(at, "stdin", 5) == 0) ||
            (len == 6 && strncasecmp(at, "stdout", 6) == 0))
            return false;
        buf_append(&p->file, at, len);
        at += len;
    }
    buf_u8(&p->file, '\0');
    p->options = at + strspn(at, " ");
    return p->file.len > 1;
}

/* Is one of the words among the options, outside quotes? */
static bool copy_has(const char *options, const char *const *words)
{
    char quote = '\0';

    for (const char *p = options; *p; p++) {
        if (quote) {
            quote = *p == quote ? '\0' : quote;
            continue;
        }
        if (*p == '\'' || *p == '"')
            quote = *p;
        if (p > options && !text_one_of(p[-1], " (,"))
            continue;
        for (size_t i = 0; words[i]; i++) {
            size_t len = strlen(words[i]);
            if (strncasecmp(p, words[i], len) == 0 && (!p[len] || text_one_of(p[len], " (),'")))
                return true;
        }
    }
    return false;
}

/* Does the file begin with the name of a column of the table? */
static bool copy_begins_with_name(struct shell *sh, const struct copy_parts *p, FILE *f)
{
    struct dendro_error err;
    const char *tail = NULL;
    char *line = NULL; /* getline's */
    size_t cap = 0;
    struct buf sql;
    char table[256];
    bool found = false;

    if (fseek(f, 0, SEEK_SET) != 0 || getline(&line, &cap, f) <= 0) {
        free(line);
        return false;
    }
    rewind(f);
    line[strcspn(line, ",\r\n")] = '\0';
    (void)snprintf(table, sizeof table, "%.*s", (int)p->head_len, p->head);
    table[strcspn(table, " (")] = '\0';
    buf_init(&sql, NULL);
    if (backend_ask(sh->backend, BACKEND_COLUMN_NAMES, table, &sql) && !sql.failed &&
        backend_prepare(sh->backend, (const char *)sql.data, sql.len, &tail, &err) > 0) {
        while (backend_step(sh->backend, &err) == DENDRO_ROW) {
            size_t len = 0;
            const char *name = backend_text(sh->backend, 0, &len);
            const char *cell = line + (line[0] == '"');
            found = found || (name && strncasecmp(cell, name, len) == 0 &&
                              strspn(cell + len, "\"") == strlen(cell + len));
        }
        backend_finish(sh->backend);
    }
    buf_done(&sql);
    free(line);
    return found;
}

static bool copy_ends(const struct buf *name, const char *ending)
{
    size_t len = strlen(ending);
    size_t have = name->len && name->data[name->len - 1] == 0 ? name->len - 1 : name->len;

    return have > len && strncasecmp((const char *)name->data + have - len, ending, len) == 0;
}

/* A file is CSV, as everywhere in Dendro, unless a format is named, or by its name Parquet. */
static void copy_options(struct shell *sh, const struct copy_parts *p, FILE *f, struct buf *sql)
{
    static const char *const formats[] = {"format", "csv", "binary", "text", NULL};
    static const char *const headers[] = {"header", NULL};
    const char *o = p->options;
    const char *header = "";

    if (copy_has(o, formats)) {
        buf_puts(sql, o);
        return;
    }
    if (copy_ends(&p->file, ".parquet") || copy_ends(&p->file, ".pq")) {
        if (strncasecmp(o, "with", 4) == 0 && (!o[4] || text_one_of(o[4], " (")))
            o += 4 + strspn(o + 4, " ");
        buf_printf(sql, "WITH (FORMAT parquet%s%s", *o ? ", " : ")", *o ? o + 1 : "");
        return;
    }
    if (!copy_has(o, headers)) {
        if (!p->from)
            header = "HEADER";
        else if (copy_begins_with_name(sh, p, f))
            header = "HEADER MATCH";
    }
    if (strncasecmp(o, "with", 4) == 0 && (!o[4] || text_one_of(o[4], " (")))
        o += 4 + strspn(o + 4, " ");
    if (*o && *o != '(') { /* the old way to write them */
        buf_printf(sql, "CSV %s %s", *header ? "HEADER" : "", o);
        return;
    }
    buf_printf(sql,
               "WITH (FORMAT csv%s%s%s%s",
               *header ? ", " : "",
               header,
               *o ? ", " : ")",
               *o ? o + 1 : "");
}

static void copy_run(struct shell *sh, const struct copy_parts *p, FILE *f)
{
    struct shell_copy outer = sh->copy;
    struct buf sql;

    buf_init(&sql, NULL);
    buf_append(&sql, "COPY ", 5);
    buf_append(&sql, p->head, p->head_len);
    buf_puts(&sql, p->from ? "FROM STDIN " : "TO STDOUT ");
    copy_options(sh, p, f, &sql);
    sh->copy =
        (struct shell_copy){.from = p->from ? f : NULL, .to = p->from ? NULL : f, .file = true};
    if (!sql.failed)
        (void)shell_run(sh, (const char *)sql.data, sql.len, 1);
    sh->copy = outer;
    buf_done(&sql);
}

/* A directory can be opened, but not read. */
static FILE *copy_open(const char *name, bool from)
{
    FILE *f = fopen(name, from ? "rbe" : "wbe");
    struct stat st;

    if (f && fstat(fileno(f), &st) == 0 && S_ISDIR(st.st_mode)) {
        (void)fclose(f);
        errno = EISDIR;
        return NULL;
    }
    return f;
}

void shell_copy_file(struct shell *sh, const char *arg)
{
    struct copy_parts p = {.head = NULL};
    bool keep = sh->keep_last;
    FILE *f = NULL;

    buf_init(&p.file, NULL);
    sh->keep_last = true;
    if (!copy_split(arg, &p)) { /* STDIN, STDOUT, or a mistake that the server explains */
        struct buf sql;
        buf_init(&sql, NULL);
        buf_printf(&sql, "COPY %s", arg);
        if (!sql.failed)
            (void)shell_run(sh, (const char *)sql.data, sql.len, 1);
        buf_done(&sql);
    } else if (!p.file.failed) {
        const char *name = (const char *)p.file.data;
        f = copy_open(name, p.from);
        if (!f)
            shell_complain(sh,
                           "cannot %s file \"%s\": %s",
                           p.from ? "open" : "create",
                           name,
                           strerrordesc_np(errno));
        else
            copy_run(sh, &p, f);
        if (f && fclose(f) != 0 && !p.from)
            shell_complain(sh, "cannot write file \"%s\"", name);
    }
    sh->keep_last = keep;
    buf_done(&p.file);
}
