/* SPDX-License-Identifier: Apache-2.0
 *
 * keyser.h: partition key values in Cassandra's serialization, and their token.
 *
 *   SMALLINT 2, INTEGER 4, BIGINT and time stamps 8 bytes big-endian (a time stamp of any
 *   precision is hashed as its stored integer), BOOLEAN 1, REAL 4 and DOUBLE 8 bytes IEEE
 *   big-endian, VARCHAR and BLOB their bytes. One column: just that. Several: per column a 2-byte
 *   big-endian length, the bytes, a zero byte. No column (a table with an empty series): no bytes.
 *
 *   INTERVAL: its length, 16 bytes as in normkey.h. NUMERIC: Cassandra's decimal,
 *   4 bytes scale and the coefficient, without zeros at the end of the fraction.
 *
 * Departures: -0.0 is hashed as 0.0, 1.50 as 1.5, 30 days as a month, because they are one key
 * here. Any thread. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

/* Appends the serialization. DN_E_NOT_NULL for a NULL, DN_E_TOO_LONG for a string of more than
 * 65535 bytes in a key of several columns. */
int keyser_append(struct buf *b, const struct datum *cols, size_t n, struct dn_err *err)
    DN_MUST_CHECK;
/* The token of the values. `scratch` is reset first; reuse it from row to row. */
int keyser_token(struct buf *scratch,
                 const struct datum *cols,
                 size_t n,
                 int64_t *ret_token,
                 struct dn_err *err) DN_MUST_CHECK;
