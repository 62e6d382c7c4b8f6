/* SPDX-License-Identifier: Apache-2.0
 *
 * sequence.h: a sequence, as it is defined. How far it has come is not part of the catalog: that
 * stands under its counter's number in a document of its own (engine/sequence.h). RESTART gives it
 * another counter, so that a definition and where it starts change together, in a transaction too.
 * A struct sequence is immutable once others can see it and shared by reference count; it shares
 * name space and ids with tables and views.
 *
 * Any thread may read; ref and unref are atomic. */
#pragma once

#include "base/err.h"
#include "catalog/table.h"
#include "vec/vec.h"

#include <stdatomic.h>

struct buf;
struct catalog;
struct catalog_path;

static inline bool column_is_identity(const struct column *c)
{
    return c->source == COLUMN_ALWAYS || c->source == COLUMN_BY_DEFAULT;
}

struct sequence {
    atomic_uint refs;
    uint64_t id;       /* unique in the catalog for ever, among tables and views too */
    char *schema;      /* owned */
    char *name;        /* owned */
    enum type_id type; /* SMALLINT, INTEGER or BIGINT */
    int64_t start;
    int64_t increment; /* not 0 */
    int64_t min;
    int64_t max;
    int64_t cache; /* as declared */
    bool cycle;
    uint64_t counter;      /* names what was given out; below 2^63 */
    int64_t first;         /* the first value of a counter that was not used yet */
    uint64_t owner_table;  /* it goes with this table, 0 = none */
    uint32_t owner_column; /* … and this column of it, by its id */
    bool identity;         /* it is that of the column's GENERATED … AS IDENTITY */
    bool temp;             /* of a session, in its schema */
    char *comment;         /* owned; NULL = none */
};

/* A zeroed sequence with one reference and copies of the names, each of which may be NULL. NULL:
 * out of memory. */
struct sequence *catalog_sequence_new(const char *schema, const char *name);
struct sequence *catalog_sequence_ref(const struct sequence *s); /* owners share it */
void catalog_sequence_unref(struct sequence *s);                 /* NULL is fine */
/* A copy, with another schema or name unless they are NULL. */
int catalog_sequence_copy(const struct sequence *s,
                          const char *schema,
                          const char *name,
                          struct sequence **ret,
                          struct dn_err *err) DN_MUST_CHECK;
/* DN_E_CORRUPT: the members do not fit together. */
int catalog_sequence_check(const struct sequence *s, struct dn_err *err) DN_MUST_CHECK;

const struct sequence *catalog_sequence_by_id(const struct catalog *c, uint64_t id);
/* The sequence of an identity column, or (identity false) the first sequence owned by the column.
 */
const struct sequence *
catalog_sequence_of(const struct catalog *c, uint64_t table, uint32_t column, bool identity);

/* Adds a sequence (id 0), or replaces the one with its id. */
int catalog_with_sequence(const struct catalog *c,
                          struct sequence *s,
                          struct catalog **ret,
                          struct dn_err *err) DN_MUST_CHECK;

/* The options as CREATE SEQUENCE takes them, each behind a blank; options at their default are left
 * out. type: the default of AS. */
void catalog_sequence_print_options(const struct sequence *s, enum type_id type, struct buf *b);
/* CREATE SEQUENCE, runnable. c: for OWNED BY. */
void catalog_sequence_print_create(const struct catalog *c,
                                   const struct sequence *s,
                                   struct buf *b);
/* Bounds of a type, and those of a sequence that does not say any. */
int64_t catalog_sequence_type_min(enum type_id type);
int64_t catalog_sequence_type_max(enum type_id type);
