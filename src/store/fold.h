/* SPDX-License-Identifier: Apache-2.0
 *
 * fold.h: several versions of one row become one. Versions are given from newest to oldest.
 *
 *     PUT     ends the row: columns not yet set come from it
 *     PATCH   sets the columns it has that are not yet set, and goes on to older versions
 *     DELETE  ends the row: as newest it is the result, after a PATCH the rest stays absent
 *
 * The result is PUT when it ended in PUT, or in DELETE after a PATCH; DELETE; or PATCH when nothing
 * ended it. One thread at a time. */
#pragma once

#include "store/rows.h"

struct fold {
    const struct table *t;
    struct colbuf *cols; /* owned: store_cols_count of them; those that are not wanted stay empty */
    uint32_t cols_count;
    uint32_t *want; /* owned: store columns whose values are asked for; the operation is one */
    uint32_t want_count;
    uint32_t rows;        /* collected */
    bool *set;            /* owned: columns decided for the current row */
    struct arena strings; /* bytes of the strings */
    struct mem_owner *owner;
    struct datum *row; /* owned: values of the current row */
    bool *absent;      /* owned */
    enum row_op op;    /* of the current row */
    bool ended;
    bool open;
};

/* want: the store columns that matter, each once or more; NULL: all. */
bool fold_init(struct fold *f,
               const struct table *t,
               const uint32_t *want,
               uint32_t want_count,
               struct mem_owner *owner) DN_MUST_CHECK;
void fold_done(struct fold *f);
/* Empties the rows collected so far. */
void fold_reset(struct fold *f);
static inline uint32_t fold_rows(const struct fold *f)
{
    return f->rows;
}

/* For each row: begin, version … (newest first; returns false once older ones do not matter), end.
 */
void fold_begin(struct fold *f);
typedef struct datum (*fold_value_fn)(const void *source,
                                      uint32_t row,
                                      uint32_t store_col,
                                      bool *ret_absent);
bool fold_version(
    struct fold *f, enum row_op op, fold_value_fn value, const void *source, uint32_t row);
/* Adds the row. False: out of memory. When final a DELETE adds nothing. Columns
 * still absent take their default, except in a PATCH that is not final. */
bool fold_end(struct fold *f, bool final) DN_MUST_CHECK;
