/* SPDX-License-Identifier: Apache-2.0
 *
 * args.h: options and databases of the commands, the same for all of them. One thread. */
#pragma once

#include "base/attr.h"
#include "dendro.h"

#include <stdio.h>

/* One row of a command's list, which ends with a row of zeros. */
struct cli_option {
    char letter;       /* what the command knows it by */
    const char *brief; /* "-o", NULL = none */
    const char *name;  /* "--output" */
    const char *value; /* what it is called in the help, NULL = the option takes none; "[…" = one
                        * may be given, with = */
    const char *doc;
};

/* letter 0: not an option but an argument. Another result than CLI_OK ends it. */
typedef int (*cli_option_fn)(void *arg, char letter, char *value);

/* Walks the arguments: --name VALUE, --name=VALUE, -o VALUE; -- ends the options. */
int cli_options(const char *command,
                const struct cli_option *list,
                int argc,
                char **argv,
                cli_option_fn take,
                void *arg);
void cli_options_print(const struct cli_option *list, FILE *to);

/* "dendro COMMAND: …" on standard error; CLI_FATAL. */
int cli_complain(const char *command, const char *fmt, ...) DN_PRINTF(2, 3);
/* The same for an error of the database, with its hint; gives `code`. */
int cli_error(const char *command, const struct dendro_error *err, int code);

struct cli_db {
    const char *dir;
    const char *settings[33]; /* name, value, …, NULL */
    unsigned settings_count;
};

/* NAME=VALUE, cut in place. */
int cli_db_setting(const char *command, struct cli_db *db, char *text);
/* The directory: of --db, else the word, else DENDRO_DB. */
int cli_db_word(const char *command, struct cli_db *db, const char *word);
/* must_exist: do not make one. Whatever was opened is the caller's, also after an error. */
int cli_db_open(const char *command,
                const struct cli_db *db,
                bool must_exist,
                dendro_db **ret_db,
                dendro_conn **ret_conn);
