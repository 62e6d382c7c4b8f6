/* SPDX-License-Identifier: Apache-2.0
 *
 * groups_direct.h: tuples of whole numbers that lie close together (metrics from 0 to 100, codes,
 * flags, days), found by position instead of by hash: every key is an axis of an array, and the
 * cell of a tuple holds its number in groups.h, once that is known. Floats take part while they
 * are whole, NULL has a place of its own on each axis.
 *
 * The array is only a shortcut: what it does not know is looked up in the groups, and a batch with
 * a value that is far away or not whole goes there as a whole. It grows with the values and the
 * rows that were seen, up to EXEC_DIRECT_CELLS, and is given up where too few batches fit.
 *
 * One thread at a time. */
#pragma once

#include "base/err.h"
#include "base/mem.h"
#include "vec/vec.h"

#define EXEC_DIRECT_CELLS 65536u

struct exec_axis {
    uint64_t base;   /* the value at place 0; an int64_t, counted without overflow */
    uint32_t span;   /* values, a power of 2; NULL is at place `span` */
    uint32_t stride; /* cells from one place to the next */
};

struct exec_direct {
    struct exec_axis *axes; /* owned, one per key */
    uint32_t *ids; /* owned, by cell; UINT32_MAX: not known. NULL: no batch has fitted yet */
    uint32_t cells_count;
    uint32_t keys_count;
    uint64_t rows;    /* seen */
    uint32_t fits;    /* batches whose cells were found */
    uint32_t misfits; /* batches that had values elsewhere */
    bool off;         /* not for these keys */
};

/* Zeroed memory is right for done. Keys of other types than numbers, dates and times turn it off.
 */
void exec_direct_init(struct exec_direct *d, const enum type_id *types, uint32_t keys_count);
void exec_direct_done(struct exec_direct *d);
/* The cell of each selected row in cells; or ret_fits is false: not for this batch, and cells is
 * undefined. Memory is owner's. */
int exec_direct_cells(struct exec_direct *d,
                      const struct vec *keys,
                      const struct batch *in,
                      struct mem_owner *owner,
                      uint32_t *cells,
                      bool *ret_fits,
                      struct dn_err *err) DN_MUST_CHECK;
