/* SPDX-License-Identifier: Apache-2.0
 *
 * slt_run.h: runs the records of one file in one mode, in a database of its own.
 * One thread at a time. */
#pragma once

#include "slt_file.h"

struct slt_options {
    enum slt_mode mode;
    const char *dendro;  /* path of the program for cli records, NULL = none */
    const char *scratch; /* directory for the databases */
    bool rewrite;        /* write today's results into the files */
};

/* Returns the number of failed records; prints each failure with path:line. */
int slt_run(struct slt_file *file, const struct slt_options *options);
