/* SPDX-License-Identifier: Apache-2.0
 *
 * shell.h: statements from scripts, the command line or a terminal, one after another. One thread.
 */
#pragma once

#include "cli/out.h"
#include "dendro.h"

struct shell {
    dendro_db *db;     /* owned by cli_sql */
    dendro_conn *conn; /* owned by cli_sql */
    struct out out;
    const char *source; /* file name for messages, NULL on the command line */
    bool quiet;         /* no command tags */
    bool stop;          /* ON_ERROR_STOP */
    bool timing;
    bool interactive;
    bool color;    /* of messages: a terminal, and NO_COLOR is not set */
    bool expanded; /* \x: vertical */
    enum out_format format;
    uint64_t errors;
    bool unreadable; /* a script could not be read */
    FILE *given;     /* owned: \o file, NULL = standard output */
    struct buf last; /* text of the last query, for \watch */
    bool quit;
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
/* Prompt, edit, run, until the end. */
void shell_interact(struct shell *sh);
/* Was there a Ctrl-C since the last reset? */
bool shell_interrupted(bool reset);
/* Ctrl-C cancels the statement that runs. */
void shell_catch_interrupt(struct shell *sh);
