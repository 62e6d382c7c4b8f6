/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_guess.h: how a CSV text is written, and a table for it.
 *
 * The text: delimiter, quote, encoding, whether its first record is a header, decimal commas, and
 * which of day and month comes first, as far as the caller has not said it.
 *
 * Types: the narrowest of BOOLEAN, BIGINT, DOUBLE, TIMESTAMP(3, 6, 9), VARCHAR that reads every
 * cell; whole numbers in a column whose name says time, and of the size of our times, are
 * TIMESTAMP too. Where a few values made it another type than it seemed to be, the guess says which
 * and where. Key: the time column, and as few text columns as tell the rows of one instant apart.
 * If they do not, there is no key: a key would merge rows. One thread at a time. */
#pragma once

#include "engine/csv.h"
#include "engine/csv_source.h"

struct pq_reader;

enum csv_guess_header { CSV_GUESS_HEADER, CSV_GUESS_NO_HEADER, CSV_GUESS_HEADER_AUTO };

struct csv_guess_spec {
    const char *schema;              /* NULL = none is written */
    const char *table;               /* NULL = only the text is looked at */
    struct csv_format format;        /* delimiter, quote 0: to be found out */
    bool comma_given;                /* format.comma is what the caller says */
    bool dates_given;                /* format.dates is */
    enum csv_guess_header header;    /* has the first record names? */
    const struct spec_name *columns; /* names instead; NULL = those of the header */
    uint32_t columns_count;
    struct csv_source *source;
    uint64_t bytes_max; /* of the text that are looked at; it may end in the middle of a record */
    /* The rows of a Parquet file instead, with its names and types; NULL = of the source. */
    struct pq_reader *parquet;
};

struct csv_guess {
    struct arena arena;
    struct buf sql; /* CREATE TABLE …, NUL-terminated */
    struct buf why; /* lines, NUL-terminated */
    /* What was given or found; epoch: the unit of times that are numbers, -1 = there are none. */
    struct csv_format format;
    bool header;
    bool late; /* DN_E_BAD_ENCODING: rows before were UTF-8 */
};

void csv_guess_init(struct csv_guess *g);
void csv_guess_done(struct csv_guess *g);
/* DN_E_BAD_ENCODING: the text is not UTF-8, which it seemed to be at its beginning. */
int csv_guess(const struct csv_guess_spec *spec,
              struct csv_guess *ret,
              struct dn_err *err) DN_MUST_CHECK;
