/* SPDX-License-Identifier: Apache-2.0
 *
 * shell_copy.c: STDIN and STDOUT of COPY in the shell. In a script the lines behind the statement
 * are the data, up to one with nothing but \.; on the command line it is standard input. Binary
 * data go to the end of the input. */
#define _GNU_SOURCE /* getline */
#include "cli/shell.h"

#include <stdlib.h>
#include <string.h>
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

    return fwrite(bytes, 1, len, sh->out.to) != len;
}

bool shell_copy_begin(struct shell *sh, const dendro_stmt *stmt)
{
    struct dendro_copy copy = {
        .read = copy_read, .read_arg = sh, .write = copy_write, .write_arg = sh};
    struct dendro_copy_info info;

    dendro_stmt_copy(stmt, &info);
    sh->copy.binary = info.binary;
    sh->copy.begun = false;
    sh->copy.ended = false;
    sh->copy.len = 0;
    sh->copy.at = 0;
    dendro_set_copy(sh->conn, &copy);
    return info.direction == DENDRO_COPY_OUT;
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
