/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_guess.h: a table for a CSV text, by its first rows.
 *
 * Types: the narrowest of BOOLEAN, BIGINT, DOUBLE, TIMESTAMP(3, 6, 9), VARCHAR that reads every
 * cell; whole numbers in a column whose name says time, and of the size of our times, are
 * TIMESTAMP too. Key: the time column, and as few text columns as tell the rows of one instant
 * apart. If they do not, there is no key: a key would merge rows. One thread at a time. */
#pragma once

#include "engine/csv.h"

struct pq_reader;

struct csv_guess_spec {
    const char *schema; /* NULL = none is written */
    const char *table;
    struct csv_format format;
    bool header;                     /* the first record has names */
    const struct spec_name *columns; /* names instead; NULL = those of the header */
    uint32_t columns_count;
    const char *sample; /* may end in the middle of a record */
    size_t len;
    /* The rows of a Parquet file instead, with its names and types; NULL = of the sample. */
    struct pq_reader *parquet;
};

struct csv_guess {
    struct arena arena;
    struct buf sql; /* CREATE TABLE …, NUL-terminated */
    struct buf why; /* lines, NUL-terminated */
    int epoch; /* unit of times that are numbers, as in struct csv_format; -1 = there are none */
};

void csv_guess_init(struct csv_guess *g);
void csv_guess_done(struct csv_guess *g);
int csv_guess(const struct csv_guess_spec *spec,
              struct csv_guess *ret,
              struct dn_err *err) DN_MUST_CHECK;
