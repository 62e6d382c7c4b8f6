/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_guess_int.h: a guess while it is made. One thread at a time. */
#pragma once

#include "engine/csv_guess.h"
#include "engine/csv_kind.h"

#define GUESS_ROWS_MAX 4096u /* by which the key is chosen */

struct guess_col {
    const char *name; /* arena */
    uint64_t *hashes; /* arena: of the cells */
    struct csv_kinds kinds;
    uint64_t bytes;
    uint32_t distinct;
    enum type_id type;
    int epoch; /* TIMESTAMP by number: its unit; -1 = not */
    bool key;  /* in the series */
    struct type_mods mods;
};

struct guess {
    const struct csv_guess_spec *spec;
    struct csv_guess *ret;
    struct guess_col *cols;
    uint32_t cols_count;
    uint64_t rows;          /* all that were looked at */
    uint32_t sampled;       /* those with hashes */
    uint64_t line;          /* that the next record begins at */
    bool whole;             /* the text was read to its end */
    bool day_or_month;      /* either could come first */
    struct csv_cells first; /* the record that may be a header; its text in the arena */
    uint64_t *scratch;      /* GUESS_ROWS_MAX hashes */
    int time;               /* column, -1 = none */
};

/* ---- csv_guess_key.c ---- */

/* Is it what people call a column of times? */
bool csv_guess_time_name(const char *name);
/* Different values among the rows' hashes in scratch, which it sorts. */
uint32_t csv_guess_count(struct guess *g);
/* The column of the time. */
void csv_guess_time_col(struct guess *g);
/* Marks the columns of the series; *ret_found: they and the time tell the rows apart. */
int csv_guess_series(struct guess *g, bool *ret_found, struct dn_err *err) DN_MUST_CHECK;
