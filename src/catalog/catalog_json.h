/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json.h: inside src/catalog only. Reading a JSON document that may be damaged: a struct
 * json_reader remembers the path and the first error, and every getter after an error gives zero,
 * so a function reads all its members and tests reader.rc once. docs/format/catalog.md describes
 * the members. One thread at a time. */
#pragma once

#include "base/json.h"
#include "catalog/catalog.h"

#define CATALOG_PATH_MAX 160

struct json_reader {
    struct dn_err *err;          /* borrowed, may be NULL */
    int rc;                      /* 0, or the first error */
    char path[CATALOG_PATH_MAX]; /* where we are: "tables[3].columns[1]" */
    size_t path_len;             /* bytes */
};

/* catalog_parse without indulgence, for what this release is about to save. */
int catalog_parse_strict(const void *p, size_t n, struct catalog **ret, struct dn_err *err)
    DN_MUST_CHECK;

/* Sets the first error: "catalog: <path>.<member>: <text>"; member may be NULL. */
void catalog_json_fail(struct json_reader *r, const char *member, const char *fmt, ...)
    DN_PRINTF(3, 4);
/* Goes down to a member, or to its element i unless that is CATALOG_NO_INDEX; the result goes back
 * up. */
#define CATALOG_NO_INDEX SIZE_MAX
size_t catalog_json_enter(struct json_reader *r, const char *member, size_t i);
void catalog_json_leave(struct json_reader *r, size_t mark);

/* Is v an object with exactly these members? The last `optional` ones may be missing. */
void catalog_json_members(struct json_reader *r,
                          const struct dn_json *v,
                          const char *const *names,
                          size_t count,
                          size_t optional);
int64_t catalog_json_int(
    struct json_reader *r, const struct dn_json *o, const char *name, int64_t min, int64_t max);
bool catalog_json_bool(struct json_reader *r, const struct dn_json *o, const char *name);
/* Borrowed from the document; "" after an error. Never holds a NUL. */
const char *
catalog_json_text(struct json_reader *r, const struct dn_json *o, const char *name, size_t len_max);
/* NULL after an error; else an array of at most count_max elements. */
const struct dn_json *catalog_json_array(struct json_reader *r,
                                         const struct dn_json *o,
                                         const char *name,
                                         size_t count_max);
/* A copy on the heap; NULL after an error, which may be this copy's. */
char *catalog_json_strdup(struct json_reader *r, const char *s);
void *catalog_json_calloc(struct json_reader *r, size_t count, size_t size);

/* One table; *ret has one reference. The reader stands at the table. */
void catalog_json_read_table(struct json_reader *r, const struct dn_json *v, struct table **ret);
void catalog_json_write_table(const struct table *t, struct dn_json_writer *w);
/* The index of the column with this id. */
uint16_t
catalog_json_column_id(struct json_reader *r, const struct dn_json *v, const struct table *t);
/* Of a table whose columns are there. */
void catalog_json_read_constraints(struct json_reader *r, const struct dn_json *v, struct table *t);
void catalog_json_write_constraints(struct dn_json_writer *w, const struct table *t);

/* The optional member "comment", on the heap; NULL: none, or an error. */
char *catalog_json_comment(struct json_reader *r, const struct dn_json *o);
/* One view, likewise. */
void catalog_json_read_view(struct json_reader *r, const struct dn_json *v, struct view **ret);
void catalog_json_write_view(const struct view *v, struct dn_json_writer *w);
/* The member "access" (access.h). */
void catalog_json_read_access(struct json_reader *r, const struct dn_json *v, struct access **ret);
void catalog_json_write_access(const struct access *a, struct dn_json_writer *w);
/* The members "timepart" and "parent" of a table (timepart.h), if they are there. */
void catalog_json_read_timepart(struct json_reader *r, const struct dn_json *v, struct table *t);
void catalog_json_write_timepart(const struct table *t, struct dn_json_writer *w);
/* Do time partitions and their tables fit together? */
void catalog_json_check_timeparts(struct json_reader *r, const struct catalog *c);
/* The type that SQL calls so. TYPE_NONE: none. */
enum type_id catalog_json_type(const char *name);
void catalog_json_put_type(struct dn_json_writer *w, const char *member, enum type_id type);
/* The members "types" and "type_next" (usertype.h), if they are there. */
void catalog_json_read_types(struct json_reader *r, const struct dn_json *root, struct catalog *c);
void catalog_json_write_types(const struct catalog *c, struct dn_json_writer *w);
/* Are those there that columns are of? */
void catalog_json_check_types(struct json_reader *r, const struct catalog *c);

void catalog_json_read_sequences(struct json_reader *r,
                                 const struct dn_json *root,
                                 struct catalog *c);
void catalog_json_write_sequences(const struct catalog *c, struct dn_json_writer *w);

/* ---- catalog_edit.c ---- */
/* A copy with room for one more of each kind. */
int catalog_copy(const struct catalog *c, struct catalog **ret, struct dn_err *err) DN_MUST_CHECK;
/* Is the name another one's than that with the id? */
int catalog_free_but(const struct catalog *c,
                     const char *schema,
                     const char *name,
                     uint64_t id,
                     struct dn_err *err) DN_MUST_CHECK;

/* ---- sequence.c: in a catalog that nobody else holds yet ---- */
/* Those go that go with columns of the table which now does not have; NULL: it is dropped. */
void catalog_sequences_drop(struct catalog *n, uint64_t table, const struct table *now);
/* The table has another id. */
int catalog_sequences_move(struct catalog *n, uint64_t was, uint64_t id, struct dn_err *err)
    DN_MUST_CHECK;
void catalog_sequences_without(struct catalog *n, const uint64_t *ids, size_t count);

/* ---- timepart_edit.c: likewise. A table of the partition has another id ---- */
int catalog_timepart_moved(struct catalog *n,
                           uint64_t parent,
                           uint64_t was,
                           uint64_t id,
                           struct dn_err *err) DN_MUST_CHECK;

/* A zeroed catalog with one reference, NULL when out of memory. */
struct catalog *catalog_new(void);
