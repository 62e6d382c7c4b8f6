/* SPDX-License-Identifier: Apache-2.0
 *
 * fields.h: inside src/catalog only. One description of each object of the catalog document, which
 * is read both ways: catalog_doc_write() prints a struct by it, catalog_doc_read() fills one.
 *
 * A struct doc_object is a table of rows. A row names a member, the field of the C struct that
 * holds it, its kind and its limits; members are written in the order of the rows, and read in that
 * order wherever they stand in the document. What no kind covers has functions in its row. A new
 * member is a new row (and its line in docs/format/catalog.md).
 *
 * Reading trusts nothing: a member that is missing, unknown, of another kind or out of its limits
 * is DN_E_CORRUPT with the path of the member. The first error is kept in reader.rc and ends the
 * reading; the half-filled struct is whole enough for its destructor. One thread at a time. */
#pragma once

#include "base/json.h"
#include "catalog/table.h"

#define CATALOG_PATH_MAX 160

struct doc_reader {
    struct dn_err *err;          /* borrowed, may be NULL */
    int rc;                      /* 0, or the first error */
    char path[CATALOG_PATH_MAX]; /* where the reader is: "tables[3].columns[1]" */
    size_t path_len;             /* bytes */
    bool strict;                 /* an object whose temporary schema is missing is an error */
    const struct table *table;   /* borrowed: the table that DOC_COLUMN means; NULL = in none */
};

struct doc_writer {
    struct dn_json_writer json;
    const struct table *table; /* as above */
};

enum doc_kind {
    DOC_INT,    /* an integer from min to max */
    DOC_BOOL,   /* true or false */
    DOC_NOT,    /* likewise; the field holds the opposite */
    DOC_TEXT,   /* a string of at most max bytes; the field is a char * that owns a copy */
    DOC_NAME,   /* an enum or a bool as one of names[] */
    DOC_TYPE,   /* an enum type_id by its name in the document */
    DOC_COLUMN, /* the id of a column of the table; the field holds the index of the column */
    DOC_LIST,   /* an array of at most max elements */
    DOC_OBJECT, /* an object whose members are fields of the same struct */
    DOC_HEAP,   /* an object; the field is a pointer that owns it */
    DOC_OWN,    /* read and write of the row */
};

struct doc_object;

struct doc_field {
    const char *name; /* of the member; NULL in a description of the elements of a list */
    enum doc_kind kind;
    size_t offset; /* of the field in the struct */
    size_t size;   /* of the field, in bytes: 1, 2, 4 or 8 */

    /* When is the member there? Always, unless one of these is set. A missing member leaves
     * `absent` in the field (0 if nothing else is given), and a field with that value is not
     * written; a text and a list of length 0 are not written either. */
    bool optional;
    bool with_last; /* there just when the member of the row before is */
    int64_t absent;
    /* Instead of `absent`: is an optional member, or an object that may be null, written? */
    bool (*there)(const struct doc_writer *w, const void *base);
    bool nullable; /* null stands for the value `null` */
    int64_t null;

    int64_t min, max;
    const char *const *names; /* NAME: by value; NULL = that value has no name */
    size_t names_count;

    const struct doc_object *object; /* LIST of objects, OBJECT, HEAP */
    const struct doc_field *each;    /* LIST of anything else: an element, at offset 0 */
    size_t element;                  /* LIST, HEAP: bytes of an element */
    size_t count_offset;             /* LIST: of the field with the number of elements */
    size_t count_size;
    bool inplace;        /* LIST: the field is an array, not a pointer to one */
    size_t spare;        /* LIST: zeroed elements behind the last one, for later edits */
    void *(*make)(void); /* LIST of pointers: a new zeroed object; NULL: out of memory */
    /* LIST: the element i was read: does it fit its owner and the elements before it? */
    void (*place)(struct doc_reader *r, void *base, size_t i);

    void (*read)(struct doc_reader *r, const struct dn_json *v, void *base); /* OWN; NULL = skip */
    void (*write)(struct doc_writer *w, const char *name, const void *base); /* OWN */
    /* The member was read, or is missing: does it fit those of the rows before? May be NULL. */
    void (*check)(struct doc_reader *r, void *base);
};

struct doc_object {
    const struct doc_field *fields;
    size_t count;
    bool is_table; /* the struct is a struct table: DOC_COLUMN below means its columns */
    void (*check)(struct doc_reader *r, void *base); /* all members were read; may be NULL */
};

/* The columns of a row from its kind on; `type` is the tag of the struct. */
#define DOC_AT(type, field) \
    .offset = offsetof(struct type, field), .size = sizeof((struct type *)0)->field
#define DOC_INT_AT(type, field, low, high) DOC_INT, DOC_AT(type, field), .min = (low), .max = (high)
#define DOC_BOOL_AT(type, field)           DOC_BOOL, DOC_AT(type, field)
#define DOC_NOT_AT(type, field)            DOC_NOT, DOC_AT(type, field)
#define DOC_TYPE_AT(type, field)           DOC_TYPE, DOC_AT(type, field)
#define DOC_COLUMN_AT(type, field)         DOC_COLUMN, DOC_AT(type, field)
#define DOC_TEXT_AT(type, field, bytes)    DOC_TEXT, DOC_AT(type, field), .max = (bytes)
#define DOC_NAME_AT(type, field, list) \
    DOC_NAME, DOC_AT(type, field), .names = (list), .names_count = DN_ARRAY_SIZE(list)
/* number: the field with the number of elements. */
#define DOC_LIST_OF(type, field, number, most)               \
    DOC_LIST, .offset = offsetof(struct type, field),        \
              .element = sizeof *((struct type *)0)->field,  \
              .count_offset = offsetof(struct type, number), \
              .count_size = sizeof((struct type *)0)->number, .max = (most)
#define DOC_ROWS(rows) .fields = (rows), .count = DN_ARRAY_SIZE(rows)

/* base: the zeroed struct. The reader stands at the object. */
void catalog_doc_read(struct doc_reader *r,
                      const struct doc_object *o,
                      const struct dn_json *v,
                      void *base);
/* name: of the member that it is; NULL in arrays and at the top. */
void catalog_doc_write(struct doc_writer *w,
                       const struct doc_object *o,
                       const char *name,
                       const void *base);

/* ---- for read, place and check of a row ---- */

/* Sets the first error: "catalog: <path>.<member>: <text>"; member may be NULL. */
void catalog_doc_fail(struct doc_reader *r, const char *member, const char *fmt, ...)
    DN_PRINTF(3, 4);
/* What a check of a finished object says (its text is a path and a reason): rc is kept. */
void catalog_doc_fail_check(struct doc_reader *r, int rc, const struct dn_err *why);
/* Goes down to a member, or to its element i unless that is DOC_NO_INDEX; the result goes back up.
 */
#define DOC_NO_INDEX SIZE_MAX
size_t catalog_doc_enter(struct doc_reader *r, const char *member, size_t i);
void catalog_doc_leave(struct doc_reader *r, size_t mark);
/* A value that must be of that kind; 0 and "" after an error. The text never holds a NUL. */
int64_t catalog_doc_int(
    struct doc_reader *r, const char *member, const struct dn_json *v, int64_t min, int64_t max);
const char *
catalog_doc_text(struct doc_reader *r, const char *member, const struct dn_json *v, size_t len_max);
/* Zeroed; NULL after an error, which may be this one. */
void *catalog_doc_calloc(struct doc_reader *r, size_t count, size_t size);
