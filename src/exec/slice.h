/* SPDX-License-Identifier: Apache-2.0
 *
 * slice.h: batches whose strings are long are handed on some rows at a time, where memory is
 * little: an expression over 1024 rows of a kilobyte makes a megabyte with each step. Only the
 * selection is cut; vectors stay whole, and what is made of rows outside of it is small.
 *
 * Any thread; a pace: one at a time. */
#pragma once

#include "exec/exec.h"

/* A batch that is handed on in slices. */
struct exec_held {
    struct batch batch;
    uint32_t rows; /* at a time */
    uint32_t next; /* the first selected row that is not handed on yet */
    uint16_t all[VEC_ROWS_MAX];
};

/* Expressions that make long strings of short ones: nobody knows how long before they are made. So
 * one row is tried, then some, and then as many at a time as fit. */
struct exec_pace {
    struct mem_owner mem; /* of the arena that the strings are made in */
    size_t bytes;         /* that a step may make; 0: none is made, all rows go at once */
    size_t one;           /* bytes made of one row; 0: none was tried yet */
    uint32_t rows;        /* of the next step at most */
};

/* Bytes of strings that a batch may carry: a small part of the tightest limit; 0: no limit. */
size_t exec_slice_bytes(const struct mem_owner *owner);
/* Rows at a time of the selected ones, at least 1: all of them (sel_count) if their strings in
 * these columns (NULL: in the first cols_count) are not longer than that together. */
uint32_t
exec_slice_rows(const struct batch *in, const uint32_t *cols, uint32_t cols_count, size_t bytes);
/* Selected rows [first, first + count) of the batch. `all` is room for VEC_ROWS_MAX numbers that
 * must live as long as the result. */
struct batch exec_slice(const struct batch *in, uint32_t first, uint32_t count, uint16_t *all);

/* For expressions evaluated in an arena of its own: begins with all rows at once. */
void exec_pace_init(struct exec_pace *p, struct arena *arena, struct mem_owner *owner);
/* e is one of them (NULL is fine); slice_bytes as above. */
void exec_pace_add(struct exec_pace *p, const struct bexpr *e, size_t slice_bytes);
/* Before a step: the arena is empty after it. */
void exec_pace_begin(struct exec_pace *p, struct arena *arena);
/* After a step of so many rows. */
void exec_pace_end(struct exec_pace *p, uint32_t rows);
static inline uint32_t exec_pace_rows(const struct exec_pace *p, uint32_t rows)
{
    return p->bytes && p->rows < rows ? p->rows : rows;
}
/* exec_pull, some rows at a time; `held` begins zeroed. */
int exec_pull_paced(struct op *input,
                    const struct exec_pace *p,
                    struct exec_held *held,
                    struct batch *ret,
                    struct dn_err *err) DN_MUST_CHECK;
