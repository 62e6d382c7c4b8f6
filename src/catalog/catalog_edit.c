/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_edit.c: a new snapshot out of an old one. Checks come first, then a copy with room for
 * one more, then the change, which cannot fail. Schemas are copied, all else is shared. */
#include "base/text.h"
#include "catalog/access_check.h"
#include "catalog/access_edit.h"
#include "catalog/catalog.h"
#include "catalog/catalog_int.h"
#include "catalog/table_int.h"

#include <string.h>

int catalog_copy(const struct catalog *c, struct catalog **ret, struct dn_err *err)
{
    struct catalog *n = catalog_new();

    if (!n)
        return DN_FAIL_NOMEM(err);
    n->generation = c->generation;
    n->version = c->version + 1;
    n->table_id_next = c->table_id_next;
    n->access = access_ref(c->access);
    n->schemas = mem_calloc(NULL, c->schemas_count + 1, sizeof *n->schemas);
    n->tables = mem_calloc(NULL, c->tables_count + 1, sizeof *n->tables);
    n->views = mem_calloc(NULL, c->views_count + 1, sizeof *n->views);
    n->sequences = mem_calloc(NULL, c->sequences_count + 1, sizeof *n->sequences);
    n->types = mem_calloc(NULL, c->types_count + 1, sizeof *n->types);
    n->type_next = c->type_next;
    n->documents = c->documents;
    if (!n->schemas || !n->tables || !n->views || !n->sequences || !n->types)
        goto nomem;
    for (size_t i = 0; i < c->schemas_count; i++) {
        n->schemas_count = i + 1;
        n->schemas[i].name = mem_strdup(NULL, c->schemas[i].name);
        n->schemas[i].replication = mem_strdup(NULL, c->schemas[i].replication);
        n->schemas[i].temp = c->schemas[i].temp;
        n->schemas[i].comment =
            c->schemas[i].comment ? mem_strdup(NULL, c->schemas[i].comment) : NULL;
        if (!n->schemas[i].name || !n->schemas[i].replication ||
            (c->schemas[i].comment && !n->schemas[i].comment))
            goto nomem;
    }
    for (size_t i = 0; i < c->tables_count; i++)
        n->tables[n->tables_count++] = table_ref(c->tables[i]);
    for (size_t i = 0; i < c->views_count; i++)
        n->views[n->views_count++] = view_ref(c->views[i]);
    for (size_t i = 0; i < c->sequences_count; i++)
        n->sequences[n->sequences_count++] = catalog_sequence_ref(c->sequences[i]);
    for (size_t i = 0; i < c->types_count; i++)
        n->types[n->types_count++] = catalog_type_ref(c->types[i]);
    *ret = n;
    return 0;
nomem:
    catalog_unref(n);
    return DN_FAIL_NOMEM(err);
}

static int catalog_cmp_tables(const struct table *a, const struct table *b)
{
    int order = strcmp(a->schema, b->schema);

    return order ? order : strcmp(a->name, b->name);
}

/* C1: the new element stands between its neighbours. */
static void catalog_assert_table(const struct catalog *n, size_t at)
{
    DN_ASSERT(at < n->tables_count);
    DN_ASSERT(n->tables[at]->id < n->table_id_next); /* C2 */
    DN_ASSERT(at == 0 || catalog_cmp_tables(n->tables[at - 1], n->tables[at]) < 0);
    DN_ASSERT(at + 1 == n->tables_count ||
              catalog_cmp_tables(n->tables[at], n->tables[at + 1]) < 0);
}

int catalog_free_but(
    const struct catalog *c, const char *schema, const char *name, uint64_t id, struct dn_err *err)
{
    for (size_t i = 0; i < c->tables_count; i++)
        if (c->tables[i]->id != id && strcmp(c->tables[i]->name, name) == 0 &&
            strcmp(c->tables[i]->schema, schema) == 0)
            return DN_FAIL(err, DN_E_DUPLICATE_TABLE, "relation \"%s\" already exists", name);
    for (size_t i = 0; i < c->views_count; i++)
        if (c->views[i]->id != id && strcmp(c->views[i]->name, name) == 0 &&
            strcmp(c->views[i]->schema, schema) == 0)
            return DN_FAIL(err, DN_E_DUPLICATE_TABLE, "relation \"%s\" already exists", name);
    for (size_t i = 0; i < c->sequences_count; i++)
        if (c->sequences[i]->id != id && strcmp(c->sequences[i]->name, name) == 0 &&
            strcmp(c->sequences[i]->schema, schema) == 0)
            return DN_FAIL(err, DN_E_DUPLICATE_TABLE, "relation \"%s\" already exists", name);
    for (size_t i = 0; i < c->types_count; i++)
        if (strcmp(c->types[i]->name, name) == 0 && strcmp(c->types[i]->schema, schema) == 0)
            return DN_FAIL(err, DN_E_DUPLICATE_OBJECT, "type \"%s\" already exists", name);
    return 0;
}

int catalog_free(const struct catalog *c, const char *schema, const char *name, struct dn_err *err)
{
    return catalog_free_but(c, schema, name, 0, err);
}

bool catalog_has_schema(const struct catalog *c, const char *name)
{
    for (size_t i = 0; i < c->schemas_count; i++)
        if (strcmp(c->schemas[i].name, name) == 0)
            return true;
    return false;
}

int catalog_with_table(const struct catalog *c,
                       struct table *t,
                       struct catalog **ret,
                       struct dn_err *err)
{
    struct catalog *n;
    size_t at = 0;
    int rc;

    if (!catalog_has_schema(c, t->schema))
        return DN_FAIL(err, DN_E_UNDEFINED_SCHEMA, "schema \"%s\" does not exist", t->schema);
    rc = catalog_free_but(c, t->schema, t->name, 0, err);
    if (rc < 0)
        return rc;
    while (at < c->tables_count && catalog_cmp_tables(c->tables[at], t) < 0)
        at++;
    if (c->tables_count >= CATALOG_TABLES_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "the database has %zu tables, the most is %u",
                       c->tables_count,
                       CATALOG_TABLES_MAX);
    rc = catalog_copy(c, &n, err);
    if (rc < 0)
        return rc;
    memmove(n->tables + at + 1, n->tables + at, (n->tables_count - at) * sizeof *n->tables);
    t->id = n->table_id_next++;
    n->tables[at] = table_ref(t);
    n->tables_count++;
    catalog_assert_table(n, at);
    *ret = n;
    return 0;
}

/* Objects of n are gone, or (id != 0) one has this id instead of another: its owner and its grants
 * follow. */
static int catalog_move_access(struct catalog *n, uint64_t was, uint64_t id, struct dn_err *err)
{
    struct access *a;
    int rc;

    if (!n->access || (n->access->owners_count == 0 && n->access->grants_count == 0))
        return 0;
    rc = access_copy(n->access, &a, err);
    if (rc < 0)
        return rc;
    if (id)
        access_move(a, was, id);
    else
        access_prune(a, catalog_keeps, n);
    access_unref(n->access);
    n->access = a;
    return 0;
}

/* Views of n that read the table are to say so with its new id; ids ascend. */
static int catalog_move_uses(struct catalog *n, uint64_t was, uint64_t id, struct dn_err *err)
{
    for (size_t i = 0; i < n->views_count; i++) {
        struct view_use moved;
        struct view *v;
        uint32_t at = 0;
        int rc;

        if (!view_reads(n->views[i], was, 0))
            continue;
        rc = view_copy(n->views[i], &v, err);
        if (rc < 0)
            return rc;
        while (v->uses[at].id != was)
            at++;
        moved = v->uses[at];
        moved.id = id;
        for (; at + 1 < v->uses_count && v->uses[at + 1].id < id; at++)
            v->uses[at] = v->uses[at + 1];
        for (; at > 0 && v->uses[at - 1].id > id; at--)
            v->uses[at] = v->uses[at - 1];
        v->uses[at] = moved;
        view_unref(n->views[i]);
        n->views[i] = v;
    }
    return 0;
}

/* The table gets this id: all that names it does so by the new one. */
static int
catalog_follow_id(struct catalog *n, const struct table *t, uint64_t id, struct dn_err *err)
{
    int rc;

    if (t->parent) {
        rc = catalog_timepart_moved(n, t->parent, t->id, id, err);
        if (rc < 0)
            return rc;
    }
    rc = catalog_move_uses(n, t->id, id, err);
    if (rc < 0)
        return rc;
    rc = catalog_sequences_move(n, t->id, id, err);
    if (rc < 0)
        return rc;
    return catalog_move_access(n, t->id, id, err);
}

int catalog_with_changed_table(const struct catalog *c,
                               struct table *t,
                               bool fresh_id,
                               struct catalog **ret,
                               struct dn_err *err)
{
    struct catalog *n;
    size_t was = 0;
    size_t at = 0;
    int rc;

    while (was < c->tables_count && c->tables[was]->id != t->id)
        was++;
    if (was == c->tables_count)
        return DN_FAIL(err, DN_E_UNDEFINED_TABLE, "the table does not exist any more");
    if (!catalog_has_schema(c, t->schema))
        return DN_FAIL(err, DN_E_UNDEFINED_SCHEMA, "schema \"%s\" does not exist", t->schema);
    rc = catalog_free_but(c, t->schema, t->name, t->id, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < c->tables_count; i++)
        at += i != was && catalog_cmp_tables(c->tables[i], t) < 0;
    rc = catalog_copy(c, &n, err);
    if (rc < 0)
        return rc;
    catalog_sequences_drop(n, t->id, t);
    if (fresh_id) {
        rc = catalog_follow_id(n, t, n->table_id_next, err);
        if (rc < 0)
            goto out;
    }
    table_unref(n->tables[was]);
    n->tables_count--;
    memmove(n->tables + was, n->tables + was + 1, (n->tables_count - was) * sizeof *n->tables);
    memmove(n->tables + at + 1, n->tables + at, (n->tables_count - at) * sizeof *n->tables);
    if (fresh_id) {
        t->number = t->number ? t->number : t->id;
        t->id = n->table_id_next++;
    }
    n->tables[at] = table_ref(t);
    n->tables_count++;
    catalog_assert_table(n, at);
    if (n->access && n->access->grants_count) { /* those on columns that are gone */
        rc = catalog_move_access(n, 0, 0, err);
        if (rc < 0)
            goto out;
    }
    *ret = n;
    n = NULL;
out:
    catalog_unref(n);
    return rc;
}

static bool catalog_not_relation(const void *arg, const struct access_object *o)
{
    const uint64_t *id = arg;

    return o->kind != ACCESS_RELATION || o->id != *id;
}

/* The table of n with the id `was` gets the id of a table that is not there any more. */
static int catalog_give_id(struct catalog *n, uint64_t was, uint64_t id, struct dn_err *err)
{
    struct table *t = NULL;
    struct access *a;
    int rc;

    for (size_t i = 0; !t && i < n->tables_count; i++) {
        if (n->tables[i]->id != was)
            continue;
        rc = table_copy(n->tables[i], &t, err);
        if (rc < 0)
            return rc;
        t->id = id;
        table_unref(n->tables[i]);
        n->tables[i] = t;
    }
    rc = catalog_move_uses(n, was, id, err);
    if (rc < 0)
        return rc;
    rc = catalog_sequences_move(n, was, id, err);
    if (rc < 0)
        return rc;
    if (n->access) {
        rc = access_copy(n->access, &a, err);
        if (rc < 0)
            return rc;
        access_prune(a, catalog_not_relation, &id);
        access_unref(n->access);
        n->access = a;
    }
    return catalog_move_access(n, was, id, err);
}

int catalog_with_rows_of(const struct catalog *c,
                         uint64_t table,
                         uint64_t rows,
                         struct catalog **ret,
                         struct dn_err *err)
{
    struct catalog *n;
    int rc = catalog_copy(c, &n, err);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < n->tables_count; i++) {
        if (n->tables[i]->id != rows)
            continue;
        table_unref(n->tables[i]);
        n->tables_count--;
        memmove(n->tables + i, n->tables + i + 1, (n->tables_count - i) * sizeof *n->tables);
        break;
    }
    rc = catalog_give_id(n, table, rows, err);
    if (rc < 0) {
        catalog_unref(n);
        return rc;
    }
    *ret = n;
    return 0;
}

static bool catalog_among(const uint64_t *ids, size_t count, uint64_t id)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id)
            return true;
    return false;
}

int catalog_with_access(const struct catalog *c,
                        struct access *a,
                        struct catalog **ret,
                        struct dn_err *err)
{
    struct catalog *n;
    int rc = catalog_copy(c, &n, err);

    if (rc < 0)
        return rc;
    access_unref(n->access);
    n->access = access_ref(a);
    *ret = n;
    return 0;
}

int catalog_without_table(const struct catalog *c,
                          uint64_t id,
                          struct catalog **ret,
                          struct dn_err *err)
{
    if (!catalog_table_by_id(c, id))
        return DN_FAIL(err, DN_E_UNDEFINED_TABLE, "the table does not exist any more");
    return catalog_without(c, &id, 1, ret, err);
}

int catalog_without(const struct catalog *c,
                    const uint64_t *ids,
                    size_t count,
                    struct catalog **ret,
                    struct dn_err *err)
{
    struct catalog *n;
    size_t kept = 0;
    int rc = catalog_copy(c, &n, err);

    if (rc < 0)
        return rc;
    for (size_t i = 0; i < n->tables_count; i++) {
        const struct table *t = n->tables[i];

        if (catalog_among(ids, count, t->id) ||
            (t->parent && catalog_among(ids, count, t->parent))) {
            catalog_sequences_drop(n, n->tables[i]->id, NULL);
            table_unref(n->tables[i]);
        } else {
            n->tables[kept++] = n->tables[i];
        }
    }
    n->tables_count = kept;
    kept = 0;
    for (size_t i = 0; i < n->views_count; i++) {
        if (catalog_among(ids, count, n->views[i]->id))
            view_unref(n->views[i]);
        else
            n->views[kept++] = n->views[i];
    }
    n->views_count = kept;
    catalog_sequences_without(n, ids, count);
    rc = catalog_move_access(n, 0, 0, err);
    if (rc < 0) {
        catalog_unref(n);
        return rc;
    }
    *ret = n;
    return 0;
}

static int catalog_cmp_views(const struct view *a, const struct view *b)
{
    int order = strcmp(a->schema, b->schema);

    return order ? order : strcmp(a->name, b->name);
}

int catalog_with_view(const struct catalog *c,
                      struct view *v,
                      struct catalog **ret,
                      struct dn_err *err)
{
    struct catalog *n;
    size_t was = 0;
    size_t at = 0;
    int rc;

    if (!catalog_has_schema(c, v->schema))
        return DN_FAIL(err, DN_E_UNDEFINED_SCHEMA, "schema \"%s\" does not exist", v->schema);
    rc = catalog_free_but(c, v->schema, v->name, v->id, err);
    if (rc < 0)
        return rc;
    if (v->id == 0 && c->views_count >= CATALOG_TABLES_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "the database has %zu views, the most is %u",
                       c->views_count,
                       CATALOG_TABLES_MAX);
    rc = catalog_copy(c, &n, err);
    if (rc < 0)
        return rc;
    while (was < n->views_count && n->views[was]->id != v->id)
        was++;
    if (was < n->views_count) {
        view_unref(n->views[was]);
        n->views_count--;
        memmove(n->views + was, n->views + was + 1, (n->views_count - was) * sizeof *n->views);
    } else {
        v->id = n->table_id_next++;
    }
    while (at < n->views_count && catalog_cmp_views(n->views[at], v) < 0)
        at++;
    memmove(n->views + at + 1, n->views + at, (n->views_count - at) * sizeof *n->views);
    n->views[at] = view_ref(v);
    n->views_count++;
    DN_ASSERT(v->id < n->table_id_next);                                               /* C2 */
    DN_ASSERT(at + 1 == n->views_count || catalog_cmp_views(v, n->views[at + 1]) < 0); /* C1 */
    *ret = n;
    return 0;
}

static int catalog_check_schema(const struct catalog *c,
                                const char *name,
                                const char *replication,
                                struct dn_err *err)
{
    struct spec_name checked = {.s = name};
    int rc;

    rc = table_check_name("schema", &checked, err);
    if (rc < 0)
        return rc;
    if (catalog_has_schema(c, name))
        return DN_FAIL(err, DN_E_DUPLICATE_SCHEMA, "schema \"%s\" already exists", name);
    if (c->schemas_count >= CATALOG_SCHEMAS_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "the database has %zu schemas, the most is %u",
                       c->schemas_count,
                       CATALOG_SCHEMAS_MAX);
    if (strlen(replication) > CATALOG_REPLICATION_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_LONG,
                       "the replication map has %zu bytes, the most is %u",
                       strlen(replication),
                       CATALOG_REPLICATION_MAX);
    return text_utf8_valid(replication, strlen(replication))
               ? 0
               : DN_FAIL(err, DN_E_BAD_ENCODING, "the replication map is not valid UTF-8");
}

static int catalog_add_schema(const struct catalog *c,
                              const char *name,
                              const char *replication,
                              bool temp,
                              struct catalog **ret,
                              struct dn_err *err)
{
    struct schema_def s = {.temp = temp};
    struct catalog *n = NULL;
    size_t at = 0;
    int rc;

    replication = replication ? replication : "";
    rc = catalog_check_schema(c, name, replication, err);
    if (rc < 0)
        return rc;
    s.name = mem_strdup(NULL, name);
    s.replication = mem_strdup(NULL, replication);
    rc = s.name && s.replication ? catalog_copy(c, &n, err) : DN_FAIL_NOMEM(err);
    if (rc < 0) {
        mem_free(s.name);
        mem_free(s.replication);
        return rc;
    }
    while (at < n->schemas_count && strcmp(n->schemas[at].name, name) < 0)
        at++;
    memmove(n->schemas + at + 1, n->schemas + at, (n->schemas_count - at) * sizeof *n->schemas);
    n->schemas[at] = s;
    n->schemas_count++;
    *ret = n;
    return 0;
}

int catalog_with_schema(const struct catalog *c,
                        const char *name,
                        const char *replication,
                        struct catalog **ret,
                        struct dn_err *err)
{
    return catalog_add_schema(c, name, replication, false, ret, err);
}

int catalog_with_temp_schema(const struct catalog *c,
                             const char *name,
                             struct catalog **ret,
                             struct dn_err *err)
{
    return catalog_add_schema(c, name, "", true, ret, err);
}

int catalog_with_comment(const struct catalog *c,
                         const char *schema,
                         const char *text,
                         struct catalog **ret,
                         struct dn_err *err)
{
    char *copy = text ? mem_strdup(NULL, text) : NULL;
    struct catalog *n = NULL;
    int rc = text && !copy ? DN_FAIL_NOMEM(err) : catalog_copy(c, &n, err);

    if (rc < 0) {
        mem_free(copy);
        return rc;
    }
    for (size_t i = 0; i < n->schemas_count; i++) {
        if (strcmp(n->schemas[i].name, schema) != 0)
            continue;
        mem_free(n->schemas[i].comment);
        n->schemas[i].comment = copy;
        copy = NULL;
    }
    mem_free(copy);
    *ret = n;
    return 0;
}

int catalog_without_schema(const struct catalog *c,
                           const char *name,
                           struct catalog **ret,
                           struct dn_err *err)
{
    const struct schema_def *found = catalog_schema(c, name, err);
    struct table_names names = {0};
    struct catalog *n;
    size_t at;
    int rc;

    if (!found)
        return err ? err->code : DN_E_UNDEFINED_SCHEMA;
    at = (size_t)(found - c->schemas);
    if (strcmp(found->name, CATALOG_SCHEMA_DEFAULT) == 0)
        return DN_FAIL(err, DN_E_DEPENDENT, "schema \"%s\" is always there", found->name);
    for (size_t i = 0; i < c->tables_count; i++)
        if (strcmp(c->tables[i]->schema, found->name) == 0)
            table_names_add(&names, c->tables[i]->name);
    for (size_t i = 0; i < c->views_count; i++)
        if (strcmp(c->views[i]->schema, found->name) == 0)
            table_names_add(&names, c->views[i]->name);
    for (size_t i = 0; i < c->sequences_count; i++)
        if (strcmp(c->sequences[i]->schema, found->name) == 0)
            table_names_add(&names, c->sequences[i]->name);
    for (size_t i = 0; i < c->types_count; i++)
        if (strcmp(c->types[i]->schema, found->name) == 0)
            table_names_add(&names, c->types[i]->name);
    if (names.count) {
        rc = DN_FAIL(
            err, DN_E_DEPENDENT, "schema \"%s\" still has tables: %.300s", found->name, names.text);
        dn_err_hint(err, "drop them first, or use DROP SCHEMA … CASCADE");
        return rc;
    }
    rc = catalog_copy(c, &n, err);
    if (rc < 0)
        return rc;
    mem_free(n->schemas[at].name);
    mem_free(n->schemas[at].replication);
    mem_free(n->schemas[at].comment);
    n->schemas_count--;
    memmove(n->schemas + at, n->schemas + at + 1, (n->schemas_count - at) * sizeof *n->schemas);
    rc = catalog_move_access(n, 0, 0, err);
    if (rc < 0) {
        catalog_unref(n);
        return rc;
    }
    *ret = n;
    return 0;
}
