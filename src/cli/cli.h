/* SPDX-License-Identifier: Apache-2.0
 *
 * cli.h: the `dendro` command. Every sub-command is one row in command_list.h. Uses the database
 * only through include/dendro.h. One thread, except that Ctrl-C asks the running statement to stop.
 */
#pragma once

/* Exit codes, as psql has them. */
enum cli_exit {
    CLI_OK = 0,
    CLI_FATAL = 1,  /* wrong usage, a file that cannot be read, a failed -c */
    CLI_NO_DB = 2,  /* the database cannot be opened */
    CLI_SCRIPT = 3, /* a statement of a script failed and ON_ERROR_STOP is set */
};

int cli_main(int argc, char **argv);

#define DN_COMMAND(name, fn, usage, doc) int fn(int argc, char **argv);
#include "cli/command_list.h"
#undef DN_COMMAND
