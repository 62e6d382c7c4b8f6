/* SPDX-License-Identifier: Apache-2.0
 *
 * import.h: the parts of `dendro import`: its command line, and a CSV text into a table of a
 * server, by COPY. One thread. */
#pragma once

#include "cli/args.h"
#include "cli/backend.h"

#define IMPORT_COLUMNS_MAX 512u

struct import_options {
    struct cli_db db;
    char *words[3]; /* [DIR] TABLE FILE */
    unsigned words_count;
    const char *table; /* schema.table is taken apart */
    const char *file;
    struct dendro_csv csv;
    const char *columns[IMPORT_COLUMNS_MAX + 1];
    bool create;
    bool atomic;
    bool quiet;
    const char *rejects;
    bool help; /* it was asked for and given: nothing else is to be done */
};

/* Reads the command line; o was zero. CLI_OK, or CLI_FATAL after a complaint. */
int cli_import_options(int argc, char **argv, struct import_options *o);

struct import_remote {
    struct backend *to;
    const char *table; /* as SQL writes it */
    const struct dendro_csv *csv;
    bool parquet;
    const char *head; /* the first bytes of the text, with its first line; they are read again */
    size_t head_len;
    dendro_read_fn read;
    void *read_arg;
};

/* What COPY cannot do is said before anything happens: CLI_OK, or CLI_FATAL after a complaint.
 * head: the first bytes. */
int cli_import_fits(const struct dendro_csv *csv,
                    const struct buf *head,
                    const char *file,
                    const char *rejects);
/* All rows or none. ret_rows: how many. */
int cli_import_remote(const struct import_remote *im, uint64_t *ret_rows, struct dendro_error *err);
