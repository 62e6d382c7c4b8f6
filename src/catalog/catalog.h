/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog.h: schemas, tables, views and sequences. A struct catalog is an immutable snapshot,
 * shared by reference count; an edit makes a new one out of an old one, sharing the tables. It is
 * saved as one JSON document ("catalog") replaced by compare-and-swap, so an edit is whole or not
 * there at all:
 *
 *     catalog_load(v, &cat, err)                 at open; an empty volume gives the first catalog
 *     catalog_with_table(cat, table, &next, err) checks names, assigns the table id
 *     catalog_save(v, next, err)                 durable; DN_E_CONFLICT if another process saved
 * first … publish next, unref cat
 *
 * What holds in every catalog (asserts cite the numbers; document/document.c refuses a document in
 * which they do not hold):
 *     C1  tables, views, sequences and types are each sorted by (schema, name), without duplicates
 *     C2  ids of tables, views and sequences are unique together, and below table_id_next
 *     C3  each of them lies in a schema that exists; "public" always does
 *
 * Any thread for reading. */
#pragma once

#include "catalog/access.h"
#include "catalog/sequence.h"
#include "catalog/table.h"
#include "catalog/usertype.h"
#include "catalog/view.h"
#include "volume/volume.h"

#define CATALOG_DOC             "catalog"
#define CATALOG_FORMAT          9
#define CATALOG_SCHEMA_DEFAULT  "public"
#define CATALOG_SCHEMAS_MAX     4096u
#define CATALOG_TABLES_MAX      65536u
#define CATALOG_REPLICATION_MAX 65536u    /* bytes of a replication map */
#define CATALOG_TEMP            "pg_temp" /* what a session calls its own temporary schema */

struct schema_def {
    char *name;        /* owned */
    char *replication; /* owned: the map as written, "" = none; kept for SHOW and the cluster */
    bool temp;         /* of one session: others do not see it, and the next open drops it */
    char *comment;     /* owned; NULL = none */
};

struct catalog {
    atomic_uint refs;
    uint64_t generation;        /* of the document, 0 = not saved yet */
    uint64_t version;           /* counts edits */
    uint64_t table_id_next;     /* ids are never used again */
    struct schema_def *schemas; /* owned, sorted by name; "public" always there */
    size_t schemas_count;
    struct table **tables; /* owned references, sorted by (schema, name) */
    size_t tables_count;
    struct view **views; /* likewise; no table has the name of one */
    size_t views_count;
    struct access *access;       /* reference: roles and grants; NULL = nothing was changed yet */
    struct sequence **sequences; /* likewise */
    size_t sequences_count;
    struct user_type **types; /* likewise: what CREATE TYPE made; no relation has the name of one */
    size_t types_count;
    uint32_t type_next; /* numbers of types are never used again; from 1 */
    uint32_t documents; /* enum catalog_document: those that must be there beside it */
};

/* Documents that hold a part of what the catalog describes. One that is missing although the
 * catalog names it is lost, not new. The names are those of the volume. */
enum catalog_document {
    CATALOG_HAS_COUNTERS = 1, /* "counters": how far sequences have come */
    CATALOG_HAS_CLOCKS = 2    /* "clocks": counters of time partitions */
};

/* What shares one name space, and can stand in FROM: one of them is set. */
struct catalog_relation {
    const struct table *table;
    const struct view *view;
    const struct sequence *sequence;
};

static inline const char *catalog_relation_name(const struct catalog_relation *r)
{
    return r->table ? r->table->name : r->view ? r->view->name : r->sequence->name;
}

static inline const char *catalog_relation_schema(const struct catalog_relation *r)
{
    return r->view ? r->view->schema : r->sequence ? r->sequence->schema : r->table->schema;
}

int catalog_load(struct volume *v, struct catalog **ret, struct dn_err *err) DN_MUST_CHECK;
int catalog_save(struct volume *v,
                 struct catalog *c,
                 struct dn_err *err) DN_MUST_CHECK; /* sets generation */
struct catalog *catalog_ref(struct catalog *c);
void catalog_unref(struct catalog *c);

/* The JSON document and back. Untrusted input: every error is DN_E_CORRUPT or DN_E_VERSION. What is
 * in a temporary schema that is missing gets one: the next open for writing drops both. */
int catalog_parse(const void *p, size_t n, struct catalog **ret, struct dn_err *err) DN_MUST_CHECK;
int catalog_print(const struct catalog *c, struct buf *ret, struct dn_err *err) DN_MUST_CHECK;
/* Prints it and has it loaded again (volume/document.h): DN_E_INTERNAL if that fails. */
int catalog_print_checked(struct volume *v, struct catalog *c, struct buf *ret, struct dn_err *err)
    DN_MUST_CHECK;

/* Look-ups: exact name first, else a unique case-insensitive match. NULL: none (the error, if err
 * is not NULL, says so with a "perhaps you meant" hint, or DN_E_AMBIGUOUS). Borrowed from c. */
const struct schema_def *
catalog_schema(const struct catalog *c, const char *name, struct dn_err *err);
const struct table *
catalog_table(const struct catalog *c, const char *schema, const char *name, struct dn_err *err);
const struct table *catalog_table_by_id(const struct catalog *c, uint64_t id);
/* Like catalog_table(), for views. The name of the other kind is DN_E_WRONG_OBJECT in both. */
const struct view *
catalog_view(const struct catalog *c, const char *schema, const char *name, struct dn_err *err);
const struct view *catalog_view_by_id(const struct catalog *c, uint64_t id);
/* Any of them; 0 or the error (with err NULL: DN_NOT_FOUND). */
int catalog_relation(const struct catalog *c,
                     const char *schema,
                     const char *name,
                     struct catalog_relation *ret,
                     struct dn_err *err) DN_MUST_CHECK;

/* Whose names are looked for where. */
struct catalog_path {
    const char *temp; /* the session's schema of temporary objects, looked at first; NULL = none */
    const char *schema; /* then this one; "" = none is there */
    const char *more;   /* and then these, each ended by a zero, an empty one ends all; NULL = none.
                           Those that do not exist are passed over */
};
/* A table, view or sequence by the name that a statement gives; given: its schema, NULL = none. */
int catalog_resolve(const struct catalog *c,
                    const struct catalog_path *path,
                    const char *given,
                    const char *name,
                    struct catalog_relation *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* A schema by the name that a statement gives: not that of another session, and pg_temp. */
const struct schema_def *catalog_path_schema(const struct catalog *c,
                                             const struct catalog_path *path,
                                             const char *given,
                                             struct dn_err *err);

/* Is the name free for a table, view or sequence? */
int catalog_free(const struct catalog *c, const char *schema, const char *name, struct dn_err *err)
    DN_MUST_CHECK;

/* Edits: *ret is a new catalog with one reference; c stays as it is. with_table takes a reference
 * of its own and writes the id into t, which no other thread may know yet (after a failed save the
 * same t may be used again). */
int catalog_with_table(const struct catalog *c,
                       struct table *t,
                       struct catalog **ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* t (a table_copy, changed) in the place of the table with its id. With fresh_id it gets an id that
 * no row has: the table is empty. */
int catalog_with_changed_table(const struct catalog *c,
                               struct table *t,
                               bool fresh_id,
                               struct catalog **ret,
                               struct dn_err *err) DN_MUST_CHECK;
/* The table takes over the id, and so the rows, of the table `rows`, which disappears. */
int catalog_with_rows_of(const struct catalog *c,
                         uint64_t table,
                         uint64_t rows,
                         struct catalog **ret,
                         struct dn_err *err) DN_MUST_CHECK;
/* A new view (id 0), or another one in the place of that with its id. */
int catalog_with_view(const struct catalog *c,
                      struct view *v,
                      struct catalog **ret,
                      struct dn_err *err) DN_MUST_CHECK;
int catalog_without_table(const struct catalog *c,
                          uint64_t id,
                          struct catalog **ret,
                          struct dn_err *err) DN_MUST_CHECK;
/* Without all tables, views and sequences of these ids, the shards of time partitions among them,
 * and the sequences that go with those tables; what else depends on them is the caller's concern.
 */
int catalog_without(const struct catalog *c,
                    const uint64_t *ids,
                    size_t count,
                    struct catalog **ret,
                    struct dn_err *err) DN_MUST_CHECK;
int catalog_with_schema(const struct catalog *c,
                        const char *name,
                        const char *replication,
                        struct catalog **ret,
                        struct dn_err *err) DN_MUST_CHECK;
/* The comment of a schema, by its exact name; text NULL: none any more. */
int catalog_with_comment(const struct catalog *c,
                         const char *schema,
                         const char *text,
                         struct catalog **ret,
                         struct dn_err *err) DN_MUST_CHECK;
/* Other roles and rights (access_check.h asks them); takes a reference of its own. */
int catalog_with_access(const struct catalog *c,
                        struct access *a,
                        struct catalog **ret,
                        struct dn_err *err) DN_MUST_CHECK;
/* A schema for the temporary objects of a session. */
int catalog_with_temp_schema(const struct catalog *c,
                             const char *name,
                             struct catalog **ret,
                             struct dn_err *err) DN_MUST_CHECK;
/* DN_E_DEPENDENT while it holds anything. */
int catalog_without_schema(const struct catalog *c,
                           const char *name,
                           struct catalog **ret,
                           struct dn_err *err) DN_MUST_CHECK;
