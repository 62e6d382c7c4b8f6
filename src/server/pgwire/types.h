/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h: values on the wire: object ids of types, text and binary forms out and in. Any thread;
 * a statement belongs to one. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "dendro.h"

enum pgw_format {
    PGW_FORMAT_TEXT = 0,
    PGW_FORMAT_BINARY = 1,
};

uint32_t pgw_type_oid(enum dendro_type type);
int16_t pgw_type_len(enum dendro_type type);

/* The value in a row of a column: its length and bytes, or -1 for NULL. scratch: for what must be
 * taken apart; the caller resets it. */
void pgw_put_value(struct buf *b,
                   const struct dendro_column *col,
                   size_t row,
                   enum pgw_format format,
                   struct arena *scratch);

/* Binds a parameter of type oid (0: what the statement wants, `wanted`) from its bytes. */
struct pgw_given {
    uint32_t oid;
    enum dendro_type wanted;
    enum pgw_format format;
    const uint8_t *bytes; /* NULL: a NULL */
    size_t len;
};
int pgw_bind(dendro_stmt *stmt, int param, const struct pgw_given *given, struct dendro_error *err);
