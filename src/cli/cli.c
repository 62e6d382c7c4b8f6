/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include "base/text.h"
#include "dendro.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage;
    const char *doc;
};

static const struct cli_command cli_commands[] = {
#define DN_COMMAND(name, fn, usage, doc) {name, fn, usage, doc},
#include "cli/command_list.h"
#undef DN_COMMAND
};

#define CLI_COMMANDS (sizeof cli_commands / sizeof cli_commands[0])

static void cli_help(FILE *to)
{
    (void)fprintf(to, "Dendro %s: a time-series SQL database\n\n", dendro_version());
    for (size_t i = 0; i < CLI_COMMANDS; i++)
        (void)fprintf(to,
                      "  dendro %s %s\n      %s\n",
                      cli_commands[i].name,
                      cli_commands[i].usage,
                      cli_commands[i].doc);
    (void)fputs("  dendro\n      on a terminal: the shell with a database that is gone at the end\n"
                "  dendro --version\n      version, commit and format versions\n"
                "\n`dendro COMMAND --help` tells more.\n",
                to);
}

/* A stream that is closed stays one that cannot be read or written. Otherwise a file of the
 * database could get its number, and messages would be written into it. */
static void cli_hold_streams(void)
{
    static const int ways[] = {O_WRONLY, O_RDONLY, O_RDONLY};

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", ways[fd]); /* gets the lowest number that is free: this one */
}

static int cli_run(int argc, char **argv)
{
    const char *names[CLI_COMMANDS];
    const char *near;

    if (argc < 2 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
        char word[] = "sql";
        char *alone[] = {word, NULL};
        return cli_sql(1, alone);
    }
    if (argc < 2 || strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0) {
        cli_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? CLI_FATAL : CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
        (void)puts(dendro_version_full());
        return CLI_OK;
    }
    for (size_t i = 0; i < CLI_COMMANDS; i++) {
        names[i] = cli_commands[i].name;
        if (strcmp(argv[1], names[i]) == 0)
            return cli_commands[i].run(argc - 1, argv + 1);
    }
    (void)fprintf(stderr, "dendro: unknown command \"%s\"\n", argv[1]);
    near = text_suggest(argv[1], names, CLI_COMMANDS);
    if (near)
        (void)fprintf(stderr, "HINT:  Perhaps you meant \"dendro %s\".\n", near);
    else
        (void)fputs("HINT:  `dendro help` lists the commands.\n", stderr);
    return CLI_FATAL;
}

int cli_main(int argc, char **argv)
{
    int rc;

    cli_hold_streams();
    rc = cli_run(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && rc == CLI_OK) {
        (void)fputs("dendro: cannot write to standard output\n", stderr);
        rc = CLI_FATAL;
    }
    return rc;
}

struct check_report {
    uint64_t faults;
};

static void check_print(void *arg, bool fault, const char *text)
{
    struct check_report *r = arg;

    r->faults += fault;
    (void)printf("%s %s\n", fault ? "FAULT" : "note ", text);
}

int cli_check(int argc, char **argv)
{
    struct check_report r = {0};
    struct dendro_error err;
    uint64_t faults = 0;

    if (argc != 2 || strcmp(argv[1], "--help") == 0) {
        (void)fputs(
            "usage: dendro check DIR\n"
            "Verifies every checksum and invariant of a database that nobody has open.\n"
            "Exit code 0: sound; 1: faults were found; 2: the database cannot be read at all.\n",
            argc == 2 ? stdout : stderr);
        return argc == 2 ? CLI_OK : CLI_FATAL;
    }
    if (dendro_check(argv[1], check_print, &r, &faults, &err) < 0) {
        (void)fprintf(stderr, "dendro: %s\n", err.message);
        if (err.hint[0])
            (void)fprintf(stderr, "HINT:  %s\n", err.hint);
        return CLI_NO_DB;
    }
    if (faults)
        (void)printf(
            "%" PRIu64 " %s found in %s\n", faults, faults == 1 ? "fault" : "faults", argv[1]);
    else
        (void)printf("%s is sound\n", argv[1]);
    return faults ? CLI_FATAL : CLI_OK;
}
