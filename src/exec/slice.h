/* SPDX-License-Identifier: Apache-2.0
 *
 * slice.h: batches whose strings are long are handed on some rows at a time, where memory is
 * little: an expression over 1024 rows of a kilobyte makes a megabyte with each step. Only the
 * selection is cut; vectors stay whole, and what is made of rows outside of it is small.
 *
 * Any thread. */
#pragma once

#include "exec/exec.h"

/* A batch that is handed on in slices. */
struct exec_held {
    struct batch batch;
    uint32_t rows; /* at a time */
    uint32_t next; /* the first selected row that is not handed on yet */
    uint16_t all[VEC_ROWS_MAX];
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
