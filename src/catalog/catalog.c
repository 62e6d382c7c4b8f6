/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog.c: life, storage and look-ups of a catalog snapshot. Edits are in catalog_edit.c, the
 * document in document/. */
#include "catalog/catalog.h"

#include "base/text.h"
#include "catalog/catalog_int.h"
#include "catalog/document/document.h"
#include "volume/document.h"

#include <string.h>

struct catalog *catalog_new(void)
{
    struct catalog *c = mem_calloc(NULL, 1, sizeof *c);

    if (c)
        atomic_init(&c->refs, 1);
    return c;
}

struct catalog *catalog_ref(struct catalog *c)
{
    atomic_fetch_add_explicit(&c->refs, 1, memory_order_relaxed);
    return c;
}

void catalog_unref(struct catalog *c)
{
    if (!c || atomic_fetch_sub_explicit(&c->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < c->schemas_count; i++) {
        mem_free(c->schemas[i].name);
        mem_free(c->schemas[i].replication);
        mem_free(c->schemas[i].comment);
    }
    for (size_t i = 0; i < c->tables_count; i++)
        table_unref(c->tables[i]);
    for (size_t i = 0; i < c->views_count; i++)
        view_unref(c->views[i]);
    for (size_t i = 0; i < c->sequences_count; i++)
        catalog_sequence_unref(c->sequences[i]);
    for (size_t i = 0; i < c->types_count; i++)
        catalog_type_unref(c->types[i]);
    mem_free(c->types);
    mem_free(c->schemas);
    mem_free(c->tables);
    mem_free(c->views);
    access_unref(c->access);
    mem_free(c->sequences);
    mem_free(c);
}

/* ---- storage ---- */

/* The catalog of an empty volume: no tables, the default schema. */
static int catalog_first(struct catalog **ret, struct dn_err *err)
{
    struct catalog *c = catalog_new();

    if (!c)
        return DN_FAIL_NOMEM(err);
    c->table_id_next = 1;
    c->schemas = mem_calloc(NULL, 1, sizeof *c->schemas);
    if (c->schemas) {
        c->schemas_count = 1;
        c->schemas[0].name = mem_strdup(NULL, CATALOG_SCHEMA_DEFAULT);
        c->schemas[0].replication = mem_strdup(NULL, "");
    }
    c->tables = mem_calloc(NULL, 0, sizeof *c->tables);
    c->views = mem_calloc(NULL, 0, sizeof *c->views);
    c->sequences = mem_calloc(NULL, 0, sizeof *c->sequences);
    c->types = mem_calloc(NULL, 0, sizeof *c->types);
    c->type_next = 1;
    if (!c->schemas || !c->tables || !c->views || !c->sequences || !c->types ||
        !c->schemas[0].name || !c->schemas[0].replication) {
        catalog_unref(c);
        return DN_FAIL_NOMEM(err);
    }
    *ret = c;
    return 0;
}

int catalog_load(struct volume *v, struct catalog **ret, struct dn_err *err)
{
    struct catalog *c = NULL;
    struct buf doc;
    uint64_t generation = 0;
    int rc;

    buf_init(&doc, NULL);
    rc = volume_doc_read(v, CATALOG_DOC, &doc, &generation, err);
    if (rc == DN_NOT_FOUND)
        rc = catalog_first(&c, err);
    else if (rc == 0)
        rc = catalog_parse(doc.data, doc.len, &c, err);
    buf_done(&doc);
    if (rc < 0)
        return rc;
    c->generation = generation;
    *ret = c;
    return 0;
}

/* volume_doc_load_fn: what was printed is the same catalog. */
static int catalog_loads(void *arg, const void *p, size_t n, struct dn_err *err)
{
    const struct catalog *c = arg;
    struct catalog *again;
    bool same;
    int rc = catalog_parse_strict(p, n, &again, err);

    if (rc < 0)
        return rc;
    same = again->version == c->version && again->documents == c->documents &&
           again->table_id_next == c->table_id_next && again->schemas_count == c->schemas_count &&
           again->tables_count == c->tables_count && again->views_count == c->views_count &&
           again->sequences_count == c->sequences_count && again->types_count == c->types_count;
    catalog_unref(again);
    return same ? 0 : DN_FAIL(err, DN_E_CORRUPT, "catalog: something is missing in it");
}

int catalog_print_checked(struct volume *v, struct catalog *c, struct buf *ret, struct dn_err *err)
{
    struct volume_doc doc = {.name = CATALOG_DOC, .bytes = ret, .load = catalog_loads, .arg = c};
    int rc = catalog_print(c, ret, err);

    return rc < 0 ? rc : volume_doc_check(v, &doc, err);
}

int catalog_save(struct volume *v, struct catalog *c, struct dn_err *err)
{
    struct volume_doc doc = {.name = CATALOG_DOC, .load = catalog_loads, .arg = c};
    struct buf bytes;
    int rc;

    buf_init(&bytes, NULL);
    doc.bytes = &bytes;
    rc = catalog_print(c, &bytes, err);
    if (rc < 0)
        goto out;
    rc = volume_doc_save(v, &doc, c->generation, &c->generation, err);
out:
    buf_done(&bytes);
    return rc;
}

/* ---- look-ups ---- */

const struct schema_def *
catalog_schema(const struct catalog *c, const char *name, struct dn_err *err)
{
    struct text_near near = text_near_make(name);
    const struct schema_def *found = NULL;
    bool ambiguous = false;

    for (size_t i = 0; i < c->schemas_count; i++) {
        const struct schema_def *s = &c->schemas[i];

        if (strcmp(s->name, name) == 0)
            return s;
        if (text_same_fold(s->name, strlen(s->name), name, strlen(name))) {
            ambiguous = found != NULL;
            found = s;
        }
    }
    if (found && !ambiguous)
        return found;
    if (!err)
        return NULL;
    if (ambiguous) {
        DN_IGNORE(DN_FAIL(/* NULL says it */
                          err,
                          DN_E_AMBIGUOUS,
                          "\"%.255s\" fits more than one schema",
                          name));
        return NULL;
    }
    DN_IGNORE(DN_FAIL(/* NULL says it */
                      err,
                      DN_E_UNDEFINED_SCHEMA,
                      "schema \"%.255s\" does not exist",
                      name));
    for (size_t i = 0; i < c->schemas_count; i++)
        if (!c->schemas[i].temp)
            text_near_try(&near, c->schemas[i].name);
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    return NULL;
}

static size_t catalog_relations_count(const struct catalog *c)
{
    return c->tables_count + c->views_count + c->sequences_count;
}

/* The n-th of all tables, then of all views, then of all sequences. */
static const char *catalog_nth(const struct catalog *c,
                               size_t n,
                               const char **ret_schema,
                               struct catalog_relation *ret)
{
    if (n < c->tables_count) {
        *ret = (struct catalog_relation){.table = c->tables[n]};
        *ret_schema = c->tables[n]->schema;
        return c->tables[n]->name;
    }
    n -= c->tables_count;
    if (n < c->views_count) {
        *ret = (struct catalog_relation){.view = c->views[n]};
        *ret_schema = ret->view->schema;
        return ret->view->name;
    }
    *ret = (struct catalog_relation){.sequence = c->sequences[n - c->views_count]};
    *ret_schema = ret->sequence->schema;
    return ret->sequence->name;
}

/* No such table: perhaps it is spelt otherwise, or lies in another schema. */
static int catalog_no_table(const struct catalog *c,
                            const struct schema_def *s,
                            const char *name,
                            struct dn_err *err)
{
    struct text_near near = text_near_make(name);
    const char *elsewhere = NULL;
    bool plain = strcmp(s->name, CATALOG_SCHEMA_DEFAULT) == 0;

    for (size_t i = 0; i < catalog_relations_count(c); i++) {
        struct catalog_relation r;
        const char *schema;
        const char *other = catalog_nth(c, i, &schema, &r);

        if (strcmp(schema, s->name) == 0)
            text_near_try(&near, other);
        else if (strcmp(other, name) == 0 && !catalog_schema(c, schema, NULL)->temp)
            elsewhere = schema;
    }
    DN_IGNORE(DN_FAIL(err, /* returned below */
                      DN_E_UNDEFINED_TABLE,
                      "relation \"%.200s%s%.255s\" does not exist",
                      plain ? "" : s->name,
                      plain ? "" : ".",
                      name));
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    else if (elsewhere)
        dn_err_hint(err, "schema \"%s\" has one", elsewhere);
    return DN_E_UNDEFINED_TABLE;
}

int catalog_relation(const struct catalog *c,
                     const char *schema,
                     const char *name,
                     struct catalog_relation *ret,
                     struct dn_err *err)
{
    const struct schema_def *s = catalog_schema(c, schema, err);
    struct catalog_relation r;
    struct catalog_relation one = {0};
    size_t found = 0;

    if (!s)
        return err ? err->code : DN_NOT_FOUND;
    for (size_t i = 0; i < catalog_relations_count(c); i++) {
        const char *in;
        const char *own = catalog_nth(c, i, &in, &r);

        if (strcmp(in, s->name) != 0)
            continue;
        if (strcmp(own, name) == 0) {
            *ret = r;
            return 0;
        }
        if (text_same_fold(own, strlen(own), name, strlen(name))) {
            found++;
            one = r;
        }
    }
    if (found == 1) {
        *ret = one;
        return 0;
    }
    if (!err)
        return DN_NOT_FOUND;
    return found > 1 ? DN_FAIL(err, DN_E_AMBIGUOUS, "\"%.255s\" fits more than one table", name)
                     : catalog_no_table(c, s, name, err);
}

static int catalog_no_schema(const char *name, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_UNDEFINED_SCHEMA, "there is no schema \"%.255s\"", name);
}

const struct schema_def *catalog_path_schema(const struct catalog *c,
                                             const struct catalog_path *path,
                                             const char *given,
                                             struct dn_err *err)
{
    const char *temp = path->temp ? path->temp : "";
    bool own = given && text_same_fold(given, strlen(given), CATALOG_TEMP, strlen(CATALOG_TEMP));
    const struct schema_def *s = catalog_schema(c, own ? temp : given ? given : path->schema, NULL);

    if (!given && !*path->schema) {
        DN_IGNORE(DN_FAIL(err, /* NULL says it */
                          DN_E_UNDEFINED_SCHEMA,
                          "no schema has been selected to create in"));
        dn_err_hint(err, "SET search_path TO a schema that exists.");
        return NULL;
    }
    if (s && s->temp && strcmp(s->name, temp) != 0)
        s = NULL;
    if (!s && own)
        DN_IGNORE(catalog_no_schema(given, err)); /* NULL says it */
    else if (!s && catalog_schema(c, given ? given : path->schema, err))
        DN_IGNORE(catalog_no_schema(given, err)); /* another session's */
    return s;
}

/* pg_temp stands in search_path itself: then that is its place, else it comes first. */
static bool catalog_temp_listed(const struct catalog_path *path)
{
    bool listed = path->schema && strcmp(path->schema, path->temp) == 0;

    for (const char *at = path->more; !listed && at && *at; at += strlen(at) + 1)
        listed = strcmp(at, path->temp) == 0;
    return listed;
}

int catalog_resolve(const struct catalog *c,
                    const struct catalog_path *path,
                    const char *given,
                    const char *name,
                    struct catalog_relation *ret,
                    struct dn_err *err)
{
    const struct schema_def *s;

    if (!given && path->temp && !catalog_temp_listed(path) &&
        catalog_relation(c, path->temp, name, ret, NULL) == 0)
        return 0;
    if (!given && path->more && catalog_relation(c, path->schema, name, ret, NULL) == 0)
        return 0;
    for (const char *at = given ? NULL : path->more; at && *at; at += strlen(at) + 1)
        if (catalog_relation(c, at, name, ret, NULL) == 0)
            return 0;
    if (!given && !*path->schema)
        return err ? DN_FAIL(err, DN_E_UNDEFINED_TABLE, "relation \"%.255s\" does not exist", name)
                   : DN_NOT_FOUND;
    s = catalog_path_schema(c, path, given, err);
    if (!s)
        return err ? err->code : DN_NOT_FOUND;
    return catalog_relation(c, s->name, name, ret, err);
}

const struct table *
catalog_table(const struct catalog *c, const char *schema, const char *name, struct dn_err *err)
{
    struct catalog_relation r = {0};

    if (catalog_relation(c, schema, name, &r, err) == 0 && !r.table && err)
        DN_IGNORE(DN_FAIL(/* NULL says it */
                          err,
                          DN_E_WRONG_OBJECT,
                          "\"%s\" is not a table",
                          catalog_relation_name(&r)));
    return r.table;
}

const struct view *
catalog_view(const struct catalog *c, const char *schema, const char *name, struct dn_err *err)
{
    struct catalog_relation r = {0};

    if (catalog_relation(c, schema, name, &r, err) == 0 && !r.view && err)
        DN_IGNORE(DN_FAIL(/* NULL says it */
                          err,
                          DN_E_WRONG_OBJECT,
                          "\"%s\" is not a view",
                          catalog_relation_name(&r)));
    return r.view;
}

const struct table *catalog_table_by_id(const struct catalog *c, uint64_t id)
{
    for (size_t i = 0; i < c->tables_count; i++)
        if (c->tables[i]->id == id)
            return c->tables[i];
    return NULL;
}

const struct view *catalog_view_by_id(const struct catalog *c, uint64_t id)
{
    for (size_t i = 0; i < c->views_count; i++)
        if (c->views[i]->id == id)
            return c->views[i];
    return NULL;
}
