/* SPDX-License-Identifier: Apache-2.0
 *
 * normkey.h: key values as bytes whose memcmp order is the SQL order, column after column.
 *
 *   BOOLEAN                 1 byte, 0 or 1
 *   integers, dates, times  8 bytes big-endian, sign bit flipped (all widths alike)
 *   REAL, DOUBLE            4 or 8 bytes big-endian: sign bit flipped if positive, else all bits;
 *                           -0.0 is stored as 0.0 and every NaN as one NaN, which sorts last
 *   VARCHAR, BLOB, UUID     the bytes, 0x00 as 0x00 0xFF, then 0x00 0x00: no key is a prefix of
 *                           another, so a longer tuple compares by its first differing column
 *   INTERVAL                its length, 16 bytes; not read back
 *   NUMERIC                 1 byte: 0 negative, 1 zero, 2 positive, 3 NaN; for the first and third
 *                           2 bytes exponent and 16 bytes of 38 digits, inverted if negative;
 *                           infinities have the exponents beyond all others; not read back: the
 *                           scale is not in it
 *   descending              the same bytes, each inverted
 *
 * NULL has no form: key columns are NOT NULL. Any thread. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

/* Running out of memory shows in b->failed. The value must not be NULL. */
void normkey_append(struct buf *b, const struct datum *d, bool desc);
/* Row `row` of a vector of any form. */
void normkey_append_vec(struct buf *b, const struct vec *v, uint32_t row, bool desc);
/* Reads one value back; bytes are untrusted (DN_E_CORRUPT). String bytes are copied to the arena.
 */
int normkey_read(struct rd *r,
                 enum type_id type,
                 bool desc,
                 struct arena *arena,
                 struct datum *ret,
                 struct dn_err *err) DN_MUST_CHECK;
