/* SPDX-License-Identifier: Apache-2.0
 *
 * view.h: a view: a query under a name. The query is kept as text in which every table has its
 * schema, every * is written out and every column says of which table it is, so that it means the
 * same in whatever schema it is read. Beside it stands what it uses: dropping any of that is
 * refused, or drops the view too. A struct view is immutable once others can see it and shared by
 * reference count; views and tables share one name space and one sequence of ids.
 *
 * Any thread may read; ref and unref are atomic. */
#pragma once

#include "catalog/table.h"

#define VIEW_COLUMNS_MAX 1600u          /* of the result */
#define VIEW_QUERY_MAX   (1024u * 1024) /* bytes of the text */
#define VIEW_USES_MAX    4096u          /* tables and views it reads */

/* WITH CHECK OPTION: rows that are written through it must be rows of it. */
enum view_check {
    VIEW_CHECK_NONE,
    VIEW_CHECK_LOCAL,    /* its own condition */
    VIEW_CHECK_CASCADED, /* and those of the views it reads */
    VIEW_CHECK_MAX
};

struct view_column {
    char *name; /* owned */
    enum type_id type;
};

/* A table or view that the query reads. */
struct view_use {
    uint64_t id;       /* of the table or view */
    uint32_t *columns; /* owned: ids of the table's columns, ascending; a view's: from 1 */
    uint32_t columns_count;
};

struct view {
    atomic_uint refs;
    uint64_t id; /* unique in the catalog for ever, among tables too */
    char *schema;
    char *name;
    char *query;                 /* owned: SELECT …, without semicolon */
    struct view_column *columns; /* owned */
    uint32_t columns_count;
    struct view_use *uses; /* owned, ascending by id */
    uint32_t uses_count;
    bool temp;     /* of a session, in its schema */
    bool writable; /* rows can be written through it (plan/writable.h) */
    enum view_check check;
    char *comment; /* owned; NULL = none */
};

/* An empty one with one reference; NULL: out of memory. */
struct view *view_new(void);
struct view *view_ref(const struct view *v); /* returns v without const: owners share it */
void view_unref(struct view *v);             /* NULL is fine */
/* A view of its own that says the same. */
int view_copy(const struct view *v, struct view **ret, struct dn_err *err) DN_MUST_CHECK;

/* What a view is made of; all of it is copied. */
struct view_spec {
    const char *schema;
    const char *name;
    const char *query;
    size_t query_len;
    const char *const *names; /* of its columns */
    const enum type_id *types;
    uint32_t columns_count;
    const struct view_use *uses;
    uint32_t uses_count;
    bool temp;
    bool writable;
    enum view_check check;
};
/* Checks names and limits; id 0, one reference. */
int view_build(const struct view_spec *spec, struct view **ret, struct dn_err *err) DN_MUST_CHECK;
/* A view that is built from the document keeps what view_build promises: DN_E_CORRUPT. */
int view_check(const struct view *v, struct dn_err *err) DN_MUST_CHECK;

/* Does it use the object, or (column != 0) that column of it? */
bool view_reads(const struct view *v, uint64_t id, uint32_t column);
/* CREATE VIEW and its comment, runnable. */
void view_print_create(const struct view *v, struct buf *b);
