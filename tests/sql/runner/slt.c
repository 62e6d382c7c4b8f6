/* SPDX-License-Identifier: Apache-2.0
 *
 * slt.c: the SQL script runner.
 *
 *     slt [--mode fresh|flush|reopen] [--dendro PROGRAM] [--scratch DIR] [--rewrite] FILE...
 *
 * Without --mode each file runs in all three. Exit code: 0 all passed, 1 something failed, 2 the
 * arguments or a file cannot be read. tests/sql/README.md explains the files. */
#include "slt_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int slt_usage(const char *what)
{
    fprintf(stderr,
            "slt: %s\nusage: slt [--mode fresh|flush|reopen] [--dendro PROGRAM] [--scratch DIR] "
            "[--rewrite] FILE...\n",
            what);
    return 2;
}

/* -1: no such mode. */
static int slt_mode_parse(const char *name)
{
    for (int mode = 0; mode < SLT_MODE_MAX; mode++) {
        if (strcmp(name, slt_mode_name((enum slt_mode)mode)) == 0)
            return mode;
    }
    return -1;
}

/* Runs one file in the modes from first to last; adds up passes and failures. */
static int slt_one(
    const char *path, struct slt_options *options, int first, int last, int *passed, int *failed)
{
    struct slt_file file;
    int rc = slt_file_read(&file, path);

    for (int mode = first; rc == 0 && mode <= last; mode++) {
        int bad;

        options->mode = (enum slt_mode)mode;
        bad = slt_run(&file, options);
        printf("%s %s (%s)\n", bad ? "FAIL" : "ok  ", path, slt_mode_name(options->mode));
        *passed += bad == 0;
        *failed += bad != 0;
    }
    slt_file_done(&file);
    return rc;
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    struct slt_options options = {.scratch = tmp && *tmp ? tmp : "/tmp"};
    int first = 0;
    int last = SLT_MODE_MAX - 1;
    int passed = 0;
    int failed = 0;
    int i;

    for (i = 1; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--rewrite") == 0) {
            options.rewrite = true;
            first = last = SLT_FRESH;
            continue;
        }
        if (i + 1 == argc)
            return slt_usage("the last option needs a value");
        if (strcmp(argv[i], "--mode") == 0) {
            first = last = slt_mode_parse(argv[++i]);
            if (first < 0)
                return slt_usage("the modes are fresh, flush and reopen");
        } else if (strcmp(argv[i], "--dendro") == 0) {
            options.dendro = argv[++i];
        } else if (strcmp(argv[i], "--scratch") == 0) {
            options.scratch = argv[++i];
        } else {
            return slt_usage("unknown option");
        }
    }
    if (i == argc)
        return slt_usage("no file");
    if (!freopen("/dev/null", "r", stdin))
        return slt_usage("cannot read /dev/null");
    for (; i < argc; i++) {
        if (slt_one(argv[i], &options, first, last, &passed, &failed) < 0)
            return 2;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
