/* SPDX-License-Identifier: Apache-2.0
 *
 * types.h: values on the wire: object ids of types, text and binary forms out and in. Binary forms
 * are those of COPY (func/text_wire.h). Any thread; a statement belongs to one. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "dendro.h"
#include "vec/vec.h"

struct func_session;

enum pgw_format {
    PGW_FORMAT_TEXT = 0,
    PGW_FORMAT_BINARY = 1,
};

uint32_t pgw_type_oid(enum type_id type);
int16_t pgw_type_len(enum type_id type); /* bytes of a value, -1: they differ */
/* The type that a client means; TYPE_NONE: none of ours, or one that says nothing: a text may be
 * anything that is quoted in SQL. */
enum type_id pgw_type_hint(uint32_t oid);

/* A value: its length and bytes, or -1 for NULL. scratch: for what must be taken apart; the caller
 * resets it. */
void pgw_put_value(struct buf *b,
                   const struct datum *d,
                   enum pgw_format format,
                   const struct func_session *session,
                   struct arena *scratch);

/* Binds a parameter of type oid (0: what the statement wants, `wanted`) from its bytes. */
struct pgw_given {
    uint32_t oid;
    enum type_id wanted;
    enum pgw_format format;
    const uint8_t *bytes; /* NULL: a NULL */
    uint32_t len;
};
int pgw_bind(dendro_stmt *stmt,
             int param,
             const struct pgw_given *given,
             struct arena *scratch,
             struct dendro_error *err);
