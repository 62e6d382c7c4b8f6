/* SPDX-License-Identifier: Apache-2.0
 *
 * script.c: scripts, statement by statement: each runs as soon as its last line was read, so that a
 * pipe may go on for ever and a script be longer than memory.
 *
 * Lines gather until they end with a statement's semicolon. A line that begins with a backslash is
 * a command to the shell, unless it stands inside a quoted text or a comment. */
#define _GNU_SOURCE /* getline, strerrordesc_np */
#include "cli/shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_LOOKS_FREE 64u /* semicolons within a statement before we look less often */

struct script {
    struct shell *sh;
    FILE *from;
    struct buf text;  /* lines of the statement that has begun */
    uint32_t line;    /* number of the line at hand, from 1 */
    uint32_t first;   /* of the first line in text */
    uint32_t looks;   /* times that text with a semicolon did not end a statement */
    size_t looked_at; /* bytes of text at the last look */
};

/* Runs what was gathered. False: an error stopped the script. */
static bool script_run(struct script *s)
{
    bool ok = true;

    if (s->text.len > 0)
        ok = shell_run(s->sh, (const char *)s->text.data, s->text.len, s->first);
    s->line += s->sh->copy.lines; /* data of a COPY */
    s->sh->copy.lines = 0;
    buf_reset(&s->text);
    s->looks = 0;
    s->looked_at = 0;
    return ok;
}

/* Is the place behind the text within a quoted text or a comment? Then a semicolon ends nothing. */
static bool script_quoted(struct script *s)
{
    bool complete;

    if (s->text.len == 0)
        return false;
    buf_u8(&s->text, ';');
    complete =
        s->text.failed || dendro_complete((const char *)s->text.data, (ptrdiff_t)s->text.len);
    s->text.len--;
    return !complete;
}

/* Does the text end with a statement? Looking costs its length: a statement with many semicolons in
 * its texts is looked at again only when it has grown by a part. */
static bool script_ends(struct script *s, const char *line, size_t len)
{
    if (!memchr(line, ';', len))
        return false;
    if (s->looks > SCRIPT_LOOKS_FREE && s->text.len - s->looked_at < s->text.len / 8)
        return false;
    if (dendro_complete((const char *)s->text.data, (ptrdiff_t)s->text.len))
        return true;
    s->looks++;
    s->looked_at = s->text.len;
    return false;
}

static bool script_meta(struct script *s, char *line, size_t len)
{
    uint64_t before = s->sh->errors;

    if (!script_run(s))
        return false;
    while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
        line[--len] = '\0';
    shell_meta(s->sh, line);
    return !s->sh->stop || s->sh->errors == before;
}

static bool script_line(struct script *s, char *line, size_t len)
{
    if (line[0] == '\\' && !script_quoted(s))
        return script_meta(s, line, len);
    if (s->text.len == 0)
        s->first = s->line;
    buf_append(&s->text, line, len);
    if (s->text.failed) {
        s->sh->errors++;
        (void)fprintf(stderr, "dendro: out of memory for the statement at line %u\n", s->first);
        return false;
    }
    return script_ends(s, line, len) ? script_run(s) : true;
}

/* The next line; -1: the end, or Ctrl-C while we waited for it. */
static ssize_t script_read(struct script *s, char **line, size_t *cap)
{
    sigjmp_buf back;
    ssize_t len;

    if (sigsetjmp(back, 1) != 0)
        return -1;
    shell_at_prompt(&back);
    len = getline(line, cap, s->from);
    shell_at_prompt(NULL);
    return len;
}

/* Ctrl-C ends the statement and the scripts around it. */
static bool script_all(struct script *s)
{
    char *line = NULL; /* getline's */
    size_t cap = 0;
    ssize_t len;
    FILE *outer = s->sh->copy.from;
    bool ok = true;

    s->sh->copy.from = s->from;
    while (ok && !s->sh->quit && !s->sh->lost && !s->sh->out.failed &&
           (len = script_read(s, &line, &cap)) > 0) {
        s->line++;
        ok = script_line(s, line, (size_t)len) && !shell_interrupted(false);
    }
    free(line);
    if (shell_interrupted(false)) {
        shell_complain(s->sh, "%s", "interrupted");
        s->sh->copy.from = outer;
        return false;
    }
    if (ok && !s->sh->quit && !s->sh->lost && !ferror(s->from))
        ok = script_run(s);
    s->sh->copy.from = outer;
    return ok;
}

bool shell_run_file(struct shell *sh, const char *name)
{
    struct script s = {.sh = sh};
    const char *outer = sh->source;
    bool ok;

    s.from = strcmp(name, "-") == 0 ? stdin : fopen(name, "rbe");
    if (!s.from) {
        sh->unreadable = true;
        sh->errors++;
        (void)fprintf(stderr, "dendro: cannot open %s: %s\n", name, strerrordesc_np(errno));
        return false;
    }
    if (++sh->depth > SHELL_DEPTH_MAX) {
        sh->errors++;
        (void)fprintf(stderr, "dendro: %s: scripts are nested too deep\n", name);
        ok = false;
    } else {
        buf_init(&s.text, NULL);
        sh->source = s.from == stdin ? NULL : name;
        ok = script_all(&s);
        sh->source = outer;
        buf_done(&s.text);
        if (ferror(s.from)) {
            sh->unreadable = true;
            sh->errors++;
            (void)fprintf(stderr, "dendro: cannot read %s: %s\n", name, strerrordesc_np(errno));
            ok = false;
        }
    }
    sh->depth--;
    if (s.from != stdin)
        (void)fclose(s.from);
    return ok;
}
