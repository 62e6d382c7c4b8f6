/* SPDX-License-Identifier: Apache-2.0
 *
 * type_ops.h: what values of each type look like outside: as text, and as bytes of PostgreSQL's
 * protocol. One row for each type of vec/type_list.h, in type_ops.c; text.c, text_wire.c and the
 * relations of the system read it. A type without a row does not pass tests/unit/func.
 *
 * A row is asked for values of its own type that are not NULL; text.h and text_wire.h say what is
 * printed and read. Any thread. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"
#include "func/session.h"
#include "func/text.h"
#include "vec/vec.h"

/* Where a value goes. Running out of memory shows in b->failed. */
struct type_to {
    const struct func_session *session; /* of texts; NULL: none */
    enum text_style style;              /* of texts */
    struct arena *scratch;              /* of binary forms */
    struct buf *b;
};

/* What a value is read from. */
struct type_from {
    const struct func_session *session; /* of texts; NULL: none */
    enum type_id type;                  /* it is to have */
    struct vstr s;                      /* the text with the spaces around it; or untrusted bytes */
    struct arena *arena;                /* strings are borrowed from it, or from s */
};

struct type_ops {
    uint32_t oid, array_oid; /* PostgreSQL's numbers; 0: it has none */
    uint32_t wire_bytes;     /* of the binary form; 0: they differ from value to value */
    void (*print)(const struct datum *d, const struct type_to *to);
    int (*parse)(const struct type_from *from, struct datum *ret, struct dn_err *err);
    /* The binary form, without a length. */
    void (*put)(const struct datum *d, const struct type_to *to);
    /* from->s has wire_bytes bytes, if that is not 0. */
    int (*get)(const struct type_from *from, struct datum *ret, struct dn_err *err);
};

/* The row of a type; arrays share one, and so do the types that CREATE TYPE made. */
const struct type_ops *type_ops_of(enum type_id type);
