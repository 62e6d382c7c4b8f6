/* SPDX-License-Identifier: Apache-2.0
 *
 * text_wire.h: values in PostgreSQL's binary form, as its send and receive functions have it: what
 * COPY … (FORMAT binary) writes and reads. All numbers are big-endian, times count microseconds or
 * days from 2000-01-01. TIMESTAMP of any precision goes as timestamptz does, TIMESTAMP_LOCAL as
 * timestamp (docs/adr/0017); of nanoseconds whole
 * microseconds are left, so that none comes out later than it was. Any thread. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

/* The number PostgreSQL has for the type; 0: none. */
#define TEXT_WIRE_USER 0x60000000u /* of user types: from here on, two each, the array's second */
uint32_t text_wire_oid(enum type_id type);
/* The other way; TYPE_NONE: it is none of ours. */
enum type_id text_wire_type(uint32_t oid);
/* Of a time stamp: microseconds since 1970; infinite if 64 bits do not hold them. */
int64_t text_wire_us(const struct datum *d);
/* Appends the bytes of a value that is not NULL, without a length. Arrays: DN_E_NOMEM is told by
 * b->failed as for all. */
void text_wire_put(const struct datum *d, struct arena *scratch, struct buf *b);
/* The other way; untrusted bytes. DN_E_BAD_BINARY: they are no such value; DN_E_OUT_OF_RANGE,
 * DN_E_DATETIME_RANGE: one that Dendro cannot hold; DN_E_UNSUPPORTED: labels of user types, which
 * callers read as texts, and types that are the system's own. Strings are borrowed from the bytes
 * or the arena. */
int text_wire_get(enum type_id type,
                  const uint8_t *bytes,
                  uint32_t len,
                  struct arena *arena,
                  struct datum *ret,
                  struct dn_err *err) DN_MUST_CHECK;
