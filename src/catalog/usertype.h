/* SPDX-License-Identifier: Apache-2.0
 *
 * usertype.h: types that CREATE TYPE … AS ENUM made. A label has a number that never changes and
 * that no other label of the type ever gets: values are stored as these numbers, and their order is
 * that of the labels (docs/adr/0011). So ADD VALUE BEFORE takes a number between two others, and
 * RENAME VALUE touches no row. A struct user_type is immutable once others can see it and shared by
 * reference count.
 *
 * Any thread may read; ref and unref are atomic. */
#pragma once

#include "base/err.h"
#include "vec/vec.h"

#include <stdatomic.h>

#define USER_TYPE_LABEL_MAX  63u                /* bytes of a label, as in PostgreSQL */
#define USER_TYPE_LABELS_MAX 8192u              /* of a type */
#define USER_TYPE_STEP       (INT64_C(1) << 30) /* between the numbers of labels made in a row */

struct buf;
struct catalog;
struct catalog_path;

struct user_label {
    int64_t order; /* 1 to ENUM_ORDER_MAX */
    char *name;    /* owned */
};

struct user_type {
    atomic_uint refs;
    uint32_t number;           /* unique in the catalog for ever, from 1; in values and type ids */
    char *schema;              /* owned */
    char *name;                /* owned */
    char *comment;             /* owned; NULL = none */
    struct user_label *labels; /* owned, ascending by order; names are unique */
    uint32_t labels_count;
};

/* A type without labels, with one reference and copies of the names, each of which may be NULL.
 * NULL: out of memory. */
struct user_type *catalog_type_new(const char *schema, const char *name);
struct user_type *catalog_type_ref(const struct user_type *t); /* owners share it */
void catalog_type_unref(struct user_type *t);                  /* NULL is fine */
/* A copy, with another schema or name unless they are NULL. */
int catalog_type_copy(const struct user_type *t,
                      const char *schema,
                      const char *name,
                      struct user_type **ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* DN_E_CORRUPT: the members do not fit together. */
int catalog_type_check(const struct user_type *t, struct dn_err *err) DN_MUST_CHECK;

/* Adds a label to a type that no other thread knows yet: at the end, or next to an existing label.
 */
struct user_label_spec {
    const char *name;
    const char *neighbor; /* NULL: at the end */
    bool after;           /* the neighbor; else before it */
    bool if_missing;      /* an existing label is DN_NOT_FOUND, not an error */
    uint32_t of; /* how many labels are added in a row: the numbers leave room for all of them */
};
int catalog_type_add(struct user_type *t,
                     const struct user_label_spec *spec,
                     struct dn_err *err) DN_MUST_CHECK;
int catalog_type_rename_label(struct user_type *t,
                              const char *was,
                              const char *now,
                              struct dn_err *err) DN_MUST_CHECK;

/* Look-ups. */
const struct user_label *catalog_type_label(const struct user_type *t, const char *s, size_t len);
const struct user_label *catalog_type_label_at(const struct user_type *t, int64_t order);
const struct user_type *catalog_type_by_number(const struct catalog *c, uint32_t number);
/* In that schema: an exact match first, else a unique match that ignores case. NULL: none. */
const struct user_type *
catalog_type_in(const struct catalog *c, const char *schema, const char *name);
/* By the name that a statement gives; given: its schema, NULL = none. NULL: none. */
const struct user_type *catalog_type_find(const struct catalog *c,
                                          const struct catalog_path *path,
                                          const char *given,
                                          const char *name);

/* Adds a type (number 0), or replaces the one with its number. */
int catalog_with_type(const struct catalog *c,
                      struct user_type *t,
                      struct catalog **ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* Drops the types with these numbers; the caller has checked that nothing uses them. */
int catalog_without_types(const struct catalog *c,
                          const uint32_t *numbers,
                          size_t count,
                          struct catalog **ret,
                          struct dn_err *err) DN_MUST_CHECK;

/* Like type_print(), and knows the names of user types. */
void catalog_print_type(const struct catalog *c,
                        enum type_id type,
                        const struct type_mods *mods,
                        struct buf *b);
/* Like table_print_literal(); a value of a user type is printed as its label. */
void catalog_print_literal(const struct catalog *c, const struct datum *d, struct buf *b);
/* CREATE TYPE and its comment, runnable. */
void catalog_type_print_create(const struct user_type *t, struct buf *b);
