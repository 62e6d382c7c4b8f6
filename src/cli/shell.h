/* SPDX-License-Identifier: Apache-2.0
 *
 * shell.h: statements from scripts, the command line or a terminal, one after another. One thread.
 */
#pragma once

#include "cli/backend.h"
#include "cli/out.h"
#include "cli/vars.h"
#include "dendro.h"

#include <setjmp.h>

#define SHELL_DEPTH_MAX  32u   /* scripts that call scripts */
#define SHELL_ROWS_SHOWN 1000u /* of a result on a terminal, unless \pset rows says otherwise */

struct outfile;

enum shell_choice { SHELL_OFF, SHELL_ON, SHELL_AUTO };

/* Data of a COPY … FROM STDIN that runs (shell_copy.c). */
struct shell_copy {
    FILE *from;     /* the script, or the file of a \copy; borrowed; NULL: standard input */
    FILE *to;       /* the file of a \copy; borrowed; NULL: where results go */
    uint32_t lines; /* read from it: the script counts on */
    bool file;      /* a \copy: no end mark, nothing to pass over */
    bool binary;    /* up to the end of the input, as it is */
    bool begun;
    bool ended;
    char *line; /* getline's; [at, len) was not taken yet */
    size_t cap;
    size_t len;
    size_t at;
};

struct shell {
    struct backend *backend; /* owned by cli_sql */
    struct out out;
    const char *source; /* file name for messages, NULL on the command line */
    bool quiet;         /* no command tags */
    bool stop;          /* ON_ERROR_STOP */
    bool timing;
    bool interactive;
    bool color;                 /* of messages: a terminal, and NO_COLOR is not set */
    bool progress;              /* a line that says how far the statement is stands on the screen */
    enum shell_choice expanded; /* \x: vertical; auto: where the table is too wide */
    bool fit;                   /* \pset fit: tables on the screen are made to fit the window */
    uint64_t rows_max;          /* \pset rows: of a result on the screen; 0 = all */
    enum out_format format;
    uint64_t errors;
    bool unreadable;       /* a script could not be read */
    struct outfile *given; /* owned: \o file, NULL = there is none */
    struct buf last;       /* text of the last statement, for \watch, \g, \gx and \e */
    struct vars vars;
    bool no_pager;
    bool keep_last; /* a command's own statement is none of them */
    uint32_t depth; /* of scripts */
    bool quit;
    bool lost; /* the server went away during a script: nothing more can run */
    struct shell_copy copy;
};

/* Runs every statement of a text. line: number of its first line in the source. False: stopped by
 * an error. */
bool shell_run(struct shell *sh, const char *text, size_t len, uint32_t line);
/* A line that starts with a backslash or a dot: a command to the shell itself. */
void shell_meta(struct shell *sh, const char *text);
/* Runs a script file, "-" is standard input: statements, and lines that begin with a backslash.
 * False: it cannot be read or was stopped by an error. */
bool shell_run_file(struct shell *sh, const char *name);
/* Calls offer for every command of the shell. */
void shell_meta_names(void (*offer)(const char *word, const char *typed, size_t len),
                      const char *typed,
                      size_t len);
/* Around the steps of a statement: STDIN and STDOUT of COPY. */
void shell_copy_begin(struct shell *sh);
void shell_copy_end(struct shell *sh);
/* \copy of a file on this side, for a server: arg is what follows the word. */
void shell_copy_file(struct shell *sh, const char *arg);
/* The place of FROM or TO in what follows \copy; NULL: there is none. */
const char *shell_copy_word(const char *arg);
/* Prompt, edit, run, until the end. */
void shell_interact(struct shell *sh);
/* Ctrl-C goes there (sigsetjmp) instead, once; NULL: no more. */
void shell_at_prompt(sigjmp_buf *back);
/* Of the terminal, 80 if there is none. */
uint32_t shell_columns(void);
/* "…: TEXT" on standard error, and an error more. */
void shell_complain(struct shell *sh, const char *fmt, ...) DN_PRINTF(2, 3);
/* Variables that the shell itself obeys. False: the value is none of theirs. */
bool shell_set_var(struct shell *sh, const char *name, const char *value);
/* Shows an error of a statement that is not part of a script. */
void shell_show_alone(struct shell *sh, const struct dendro_error *err);
/* Was there a Ctrl-C since the last reset? */
bool shell_interrupted(bool reset);
/* Ctrl-C cancels the statement that runs. */
void shell_catch_interrupt(struct shell *sh);
void shell_forget_interrupt(void); /* before the backend is closed */
