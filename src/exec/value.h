/* SPDX-License-Identifier: Apache-2.0
 *
 * value.h: hashes and equality of values and tuples, for whoever looks rows up: groups, joins, set
 * operations. NaN equals NaN, -0 equals 0; equal values have equal hashes.
 *
 * Any thread. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "vec/vec.h"

/* Of the value at a position of data, whatever the form of the vector. */
uint64_t exec_value_hash(const struct vec *v, uint32_t at);
/* Values at positions of two arrays of one type. */
bool exec_value_same(enum type_id type, const void *a, uint32_t at_a, const void *b, uint32_t at_b);

/* Of the tuple of one row; a NULL hashes like a value of its own. */
uint64_t exec_row_hash(const struct vec *keys, uint32_t keys_count, uint32_t row);
/* The same for all selected rows: hashes[i] is of the i-th. With one key of an integer or time type
 * different values have different hashes (NULL aside). */
int exec_rows_hash(const struct vec *keys,
                   uint32_t keys_count,
                   const struct batch *in,
                   struct arena *scratch,
                   uint64_t *hashes,
                   struct dn_err *err) DN_MUST_CHECK;
