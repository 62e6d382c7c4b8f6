/* SPDX-License-Identifier: Apache-2.0
 *
 * document.c: the catalog document as a whole. Beside the members of its objects it checks how they
 * fit together: names are sorted and unique, ids are unique, what is named is there. */
#include "catalog/document/document.h"

#include "catalog/catalog_int.h"
#include "catalog/sequence.h"
#include "catalog/table_int.h"
#include "catalog/usertype.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- schemas ---- */

static const struct doc_field schema_rows[] = {
    {"name", DOC_TEXT_AT(schema_def, name, TABLE_NAME_MAX)},
    {"replication", DOC_TEXT_AT(schema_def, replication, CATALOG_REPLICATION_MAX)},
    {"temp", DOC_BOOL_AT(schema_def, temp), .optional = true},
    {"comment", DOC_TEXT_AT(schema_def, comment, TABLE_COMMENT_MAX), .optional = true},
};

static const struct doc_object schema_object = {DOC_ROWS(schema_rows)};

static void place_schema(struct doc_reader *r, void *base, size_t i)
{
    const struct catalog *c = base;
    const struct schema_def *s = &c->schemas[i];

    if (s->name[0] == '\0')
        catalog_doc_fail(r, "name", "empty");
    if (i > 0 && strcmp(s[-1].name, s->name) >= 0)
        catalog_doc_fail(r, "name", "\"%s\" is out of order", s->name);
}

/* The place of the schema, or where it would be. */
static size_t find_schema(const struct catalog *c, const char *name, bool *ret_found)
{
    size_t at = 0;

    while (at < c->schemas_count && strcmp(c->schemas[at].name, name) < 0)
        at++;
    *ret_found = at < c->schemas_count && strcmp(c->schemas[at].name, name) == 0;
    return at;
}

static void check_schemas(struct doc_reader *r, void *base)
{
    const struct catalog *c = base;
    bool found;
    size_t at = find_schema(c, CATALOG_SCHEMA_DEFAULT, &found);

    if (!found || c->schemas[at].temp)
        catalog_doc_fail(r, "schemas", "\"%s\" is missing", CATALOG_SCHEMA_DEFAULT);
}

/* Earlier releases could save an object of a temporary schema without the schema. The schema comes
 * back, and goes with all that is in it at the next open for writing. */
static void adopt_schema(struct doc_reader *r, struct catalog *c, size_t at, const char *name)
{
    struct schema_def *grown =
        mem_realloc(NULL, c->schemas, (c->schemas_count + 1) * sizeof *grown);

    if (!grown) {
        r->rc = DN_FAIL_NOMEM(r->err);
        return;
    }
    c->schemas = grown;
    memmove(grown + at + 1, grown + at, (c->schemas_count - at) * sizeof *grown);
    c->schemas_count++;
    grown[at] = (struct schema_def){.temp = true};
    grown[at].name = mem_strdup(NULL, name);
    grown[at].replication = mem_strdup(NULL, "");
    if (!grown[at].name || !grown[at].replication)
        r->rc = DN_FAIL_NOMEM(r->err);
}

/* ---- what has a schema and a name ---- */

struct place {
    const char *schema;
    const char *name;
};

static bool same_place(const struct place *a, const char *schema, const char *name)
{
    return strcmp(a->name, name) == 0 && strcmp(a->schema, schema) == 0;
}

/* Is it in a schema that exists, and behind the one before it? before NULL: it is the first. */
static void check_place(struct doc_reader *r,
                        struct catalog *c,
                        const struct place *before,
                        const struct place *here)
{
    bool found;
    size_t at = find_schema(c, here->schema, &found);
    int order = -1;

    if (!found && !r->strict && strlen(here->schema) <= TABLE_NAME_MAX &&
        strncmp(here->schema, CATALOG_TEMP "_", strlen(CATALOG_TEMP "_")) == 0)
        adopt_schema(r, c, at, here->schema);
    else if (!found)
        catalog_doc_fail(r, "schema", "there is no schema \"%s\"", here->schema);
    if (before)
        order = strcmp(before->schema, here->schema);
    if (order == 0)
        order = strcmp(before->name, here->name);
    if (order >= 0)
        catalog_doc_fail(r, "name", "\"%s\" is out of order", here->name);
}

static void check_id(struct doc_reader *r, const struct catalog *c, uint64_t id)
{
    if (id >= c->table_id_next)
        catalog_doc_fail(r, "id", "%" PRIu64 " is not below table_id_next", id);
}

static struct place table_place(const struct table *t)
{
    return (struct place){t->schema, t->name};
}

static struct place view_place(const struct view *v)
{
    return (struct place){v->schema, v->name};
}

static struct place sequence_place(const struct sequence *s)
{
    return (struct place){s->schema, s->name};
}

static struct place type_place(const struct user_type *t)
{
    return (struct place){t->schema, t->name};
}

static void place_table(struct doc_reader *r, void *base, size_t i)
{
    struct catalog *c = base;
    struct place here = table_place(c->tables[i]);
    struct place before = i ? table_place(c->tables[i - 1]) : here;

    check_place(r, c, i ? &before : NULL, &here);
    check_id(r, c, c->tables[i]->id);
}

static void check_not_table(struct doc_reader *r, const struct catalog *c, const struct place *here)
{
    for (size_t i = 0; i < c->tables_count; i++)
        if (same_place(here, c->tables[i]->schema, c->tables[i]->name))
            catalog_doc_fail(r, "name", "\"%s\" is a table, too", here->name);
}

static void place_view(struct doc_reader *r, void *base, size_t i)
{
    struct catalog *c = base;
    struct place here = view_place(c->views[i]);
    struct place before = i ? view_place(c->views[i - 1]) : here;

    check_not_table(r, c, &here);
    check_place(r, c, i ? &before : NULL, &here);
    check_id(r, c, c->views[i]->id);
}

static void place_sequence(struct doc_reader *r, void *base, size_t i)
{
    struct catalog *c = base;
    const struct sequence *s = c->sequences[i];
    struct place here = sequence_place(s);
    struct place before = i ? sequence_place(c->sequences[i - 1]) : here;
    const struct table *t = s->owner_table ? catalog_table_by_id(c, s->owner_table) : NULL;

    if (s->owner_table && (!t || table_column_by_id(t, s->owner_column) < 0))
        catalog_doc_fail(r, "table", "there is no such column");
    check_not_table(r, c, &here);
    for (size_t k = 0; k < c->views_count; k++)
        if (same_place(&here, c->views[k]->schema, c->views[k]->name))
            catalog_doc_fail(r, "name", "\"%s\" is a view, too", s->name);
    check_place(r, c, i ? &before : NULL, &here);
    check_id(r, c, s->id);
}

static void place_type(struct doc_reader *r, void *base, size_t i)
{
    struct catalog *c = base;
    uint32_t number = c->types[i]->number;
    struct place here = type_place(c->types[i]);
    struct place before = i ? type_place(c->types[i - 1]) : here;

    check_place(r, c, i ? &before : NULL, &here);
    if (number >= c->type_next)
        catalog_doc_fail(r, "number", "%" PRIu32 " is not below type_next", number);
    for (size_t k = 0; k < i; k++)
        if (c->types[k]->number == number)
            catalog_doc_fail(r, "number", "%" PRIu32 " is there twice", number);
}

/* ---- what refers to others ---- */

static void check_uses(struct doc_reader *r, const struct catalog *c, const struct view *v)
{
    for (uint32_t i = 0; r->rc == 0 && i < v->uses_count; i++) {
        const struct view_use *u = &v->uses[i];
        const struct table *t = catalog_table_by_id(c, u->id);
        const struct view *other = catalog_view_by_id(c, u->id);

        if (!t && !other)
            catalog_doc_fail(r, "uses", "there is nothing with the id %" PRIu64, u->id);
        for (uint32_t k = 0; r->rc == 0 && k < u->columns_count; k++)
            if (t ? table_column_by_id(t, u->columns[k]) < 0 : u->columns[k] > other->columns_count)
                catalog_doc_fail(
                    r, "uses", "there is no column with the id %" PRIu32, u->columns[k]);
    }
}

/* A view may read views behind it: all of them must be there first. */
static void check_views(struct doc_reader *r, void *base)
{
    const struct catalog *c = base;

    for (size_t i = 0; i < c->views_count; i++) {
        size_t mark = catalog_doc_enter(r, "views", i);

        check_uses(r, c, c->views[i]);
        catalog_doc_leave(r, mark);
    }
}

static void check_tables(struct doc_reader *r, void *base)
{
    catalog_doc_check_timeparts(r, base);
}

static int cmp_id(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void check_ids(struct doc_reader *r, const struct catalog *c)
{
    size_t count = c->tables_count + c->views_count + c->sequences_count;
    uint64_t *ids = catalog_doc_calloc(r, count, sizeof *ids);

    if (!ids)
        return;
    for (size_t i = 0; i < c->tables_count; i++)
        ids[i] = c->tables[i]->id;
    for (size_t i = 0; i < c->views_count; i++)
        ids[c->tables_count + i] = c->views[i]->id;
    for (size_t i = 0; i < c->sequences_count; i++)
        ids[c->tables_count + c->views_count + i] = c->sequences[i]->id;
    qsort(ids, count, sizeof *ids, cmp_id);
    for (size_t i = 1; i < count; i++)
        if (ids[i] == ids[i - 1])
            catalog_doc_fail(r, "tables", "two of them have the id %" PRIu64, ids[i]);
    mem_free(ids);
}

static void check_types(struct doc_reader *r, void *base)
{
    catalog_doc_check_types(r, base);
    if (r->rc == 0)
        check_ids(r, base);
}

/* ---- members of the document itself ---- */

static const struct {
    const char *name;
    enum catalog_document flag;
} documents[] = {{"clocks", CATALOG_HAS_CLOCKS}, {"counters", CATALOG_HAS_COUNTERS}};

static void read_documents(struct doc_reader *r, const struct dn_json *v, void *base)
{
    struct catalog *c = base;

    if (!dn_json_is(v, DN_JSON_ARRAY))
        catalog_doc_fail(r, "documents", "not an array");
    for (size_t i = 0; r->rc == 0 && i < v->count; i++) {
        uint32_t flag = 0;

        for (size_t k = 0; k < DN_ARRAY_SIZE(documents); k++)
            if (dn_json_is(&v->items[i], DN_JSON_STRING) &&
                strcmp(v->items[i].str, documents[k].name) == 0)
                flag = documents[k].flag;
        if (!flag || (c->documents & flag))
            catalog_doc_fail(r, "documents", "element %zu is no document, or there twice", i);
        c->documents |= flag;
    }
}

static bool has_documents(const struct doc_writer *w, const void *base)
{
    const struct catalog *c = base;

    (void)w;
    return c->documents != 0;
}

static void write_documents(struct doc_writer *w, const char *name, const void *base)
{
    const struct catalog *c = base;

    dn_json_begin(&w->json, name, '[');
    for (size_t k = 0; k < DN_ARRAY_SIZE(documents); k++)
        if (c->documents & documents[k].flag)
            dn_json_put_text(&w->json, NULL, documents[k].name, strlen(documents[k].name));
    dn_json_end(&w->json, ']');
}

/* struct access is counted by references, so that it needs more than zeroes to be freed. */
static void read_access(struct doc_reader *r, const struct dn_json *v, void *base)
{
    struct catalog *c = base;
    size_t mark = catalog_doc_enter(r, "access", DOC_NO_INDEX);

    c->access = catalog_doc_calloc(r, 1, sizeof *c->access);
    if (c->access) {
        atomic_init(&c->access->refs, 1);
        catalog_doc_read(r, &catalog_doc_access, v, c->access);
    }
    catalog_doc_leave(r, mark);
}

static bool has_access(const struct doc_writer *w, const void *base)
{
    const struct catalog *c = base;

    (void)w;
    return c->access != NULL;
}

static void write_access(struct doc_writer *w, const char *name, const void *base)
{
    const struct catalog *c = base;

    catalog_doc_write(w, &catalog_doc_access, name, c->access);
}

static void *make_table(void)
{
    return table_new();
}

static void *make_view(void)
{
    return view_new();
}

static void *make_sequence(void)
{
    return catalog_sequence_new(NULL, NULL);
}

static void *make_type(void)
{
    return catalog_type_new(NULL, NULL);
}

/* ---- formats ---- */

/* Has it nothing that format 1 did not know? */
static bool is_plain_table(const struct table *t)
{
    for (size_t i = 0; i < t->columns_count; i++)
        if (t->columns[i].def_sql || t->columns[i].comment)
            return false;
    return t->constraints_count == 0 && t->temp == TABLE_PERMANENT && !t->comment && !t->number;
}

/* What formats up to 7 refuse, or would read wrongly: a key column of type NUMERIC or INTERVAL. */
static bool has_wide_key(const struct table *t)
{
    for (size_t i = 0; i < t->local_count; i++)
        if (type_is_wide(t->columns[t->local[i].col].type))
            return true;
    return false;
}

/* The lowest format that has all there is: a release that knows no more still reads it. */
static int lowest_format(const struct catalog *c)
{
    for (size_t i = 0; i < c->tables_count; i++)
        if (c->tables[i]->by_value)
            return 9;
    for (size_t i = 0; i < c->tables_count; i++)
        if (has_wide_key(c->tables[i]))
            return 8;
    if (c->documents)
        return 7;
    if (c->type_next > 1)
        return 6;
    for (size_t i = 0; i < c->tables_count; i++)
        for (size_t k = 0; k < c->tables[i]->constraints_count; k++)
            if (c->tables[i]->constraints[k].comment)
                return 5;
    for (size_t i = 0; i < c->tables_count; i++)
        if (c->tables[i]->ttl_seconds || retention_option(c->tables[i], "retention") ||
            retention_option(c->tables[i], "late_rows"))
            return 5;
    for (size_t i = 0; i < c->views_count; i++)
        if (c->views[i]->writable || c->views[i]->check != VIEW_CHECK_NONE)
            return 5;
    for (size_t i = 0; c->access && i < c->access->grants_count; i++)
        if (c->access->grants[i].column)
            return 5;
    for (size_t i = 0; i < c->tables_count; i++)
        if (c->tables[i]->timepart)
            return 4;
    if (c->access)
        return 3;
    for (size_t i = 0; i < c->tables_count; i++)
        if (!is_plain_table(c->tables[i]))
            return 2;
    for (size_t i = 0; i < c->schemas_count; i++)
        if (c->schemas[i].temp || c->schemas[i].comment)
            return 2;
    return c->views_count > 0 || c->sequences_count > 0 ? 2 : 1;
}

static void write_format(struct doc_writer *w, const char *name, const void *base)
{
    dn_json_put_int(&w->json, name, lowest_format(base));
}

/* The format number comes first: a newer document may look different everywhere else. */
static void check_format(struct doc_reader *r, const struct dn_json *root)
{
    const struct dn_json *v = dn_json_get(root, "format");
    int64_t format;

    if (!dn_json_is(root, DN_JSON_OBJECT)) {
        catalog_doc_fail(r, NULL, "not an object");
        return;
    }
    if (!v) {
        catalog_doc_fail(r, "format", "missing");
        return;
    }
    format = catalog_doc_int(r, "format", v, 1, INT64_MAX);
    if (r->rc == 0 && format > CATALOG_FORMAT)
        r->rc = DN_FAIL(r->err,
                        DN_E_VERSION,
                        "catalog: format %" PRId64 " is of a newer release of Dendro; this one "
                        "reads up to %d",
                        format,
                        CATALOG_FORMAT);
}

/* ---- the document ---- */

static const struct doc_field catalog_rows[] = {
    {"format", DOC_OWN, .write = write_format},
    {"version", DOC_INT_AT(catalog, version, 0, INT64_MAX)},
    {"table_id_next", DOC_INT_AT(catalog, table_id_next, 1, INT64_MAX)},
    {"schemas",
     DOC_LIST_OF(catalog, schemas, schemas_count, CATALOG_SCHEMAS_MAX),
     .object = &schema_object,
     .place = place_schema,
     .check = check_schemas},
    {"tables",
     DOC_LIST_OF(catalog, tables, tables_count, CATALOG_TABLES_MAX),
     .object = &catalog_doc_table,
     .make = make_table,
     .place = place_table,
     .check = check_tables},
    {"views",
     DOC_LIST_OF(catalog, views, views_count, CATALOG_TABLES_MAX),
     .object = &catalog_doc_view,
     .make = make_view,
     .optional = true,
     .place = place_view,
     .check = check_views},
    {"sequences",
     DOC_LIST_OF(catalog, sequences, sequences_count, CATALOG_TABLES_MAX),
     .object = &catalog_doc_sequence,
     .make = make_sequence,
     .optional = true,
     .place = place_sequence},
    {"type_next",
     DOC_INT_AT(catalog, type_next, 1, TYPE_ENUM_MAX + 1),
     .optional = true,
     .absent = 1},
    {"types",
     DOC_LIST_OF(catalog, types, types_count, CATALOG_TABLES_MAX),
     .object = &catalog_doc_user_type,
     .make = make_type,
     .with_last = true,
     .place = place_type,
     .check = check_types},
    {"documents",
     DOC_OWN,
     .optional = true,
     .there = has_documents,
     .read = read_documents,
     .write = write_documents},
    {"access",
     DOC_OWN,
     .optional = true,
     .there = has_access,
     .read = read_access,
     .write = write_access},
};

static const struct doc_object catalog_object = {DOC_ROWS(catalog_rows)};

static int
parse_document(const void *p, size_t n, bool strict, struct catalog **ret, struct dn_err *err)
{
    struct doc_reader r = {.err = err, .strict = strict};
    const struct dn_json *root = NULL;
    struct catalog *c = NULL;
    struct arena arena;

    arena_init(&arena, NULL);
    r.rc = dn_json_parse(&arena, p, n, &root, err);
    if (r.rc < 0) {
        if (r.rc == DN_E_CORRUPT)
            dn_err_prefix(err, "catalog");
        goto out;
    }
    check_format(&r, root);
    if (r.rc < 0)
        goto out;
    c = catalog_new();
    if (!c) {
        r.rc = DN_FAIL_NOMEM(err);
        goto out;
    }
    catalog_doc_read(&r, &catalog_object, root, c);
    if (r.rc < 0)
        goto out;
    *ret = c;
    c = NULL;
out:
    catalog_unref(c);
    arena_done(&arena);
    return r.rc;
}

int catalog_parse(const void *p, size_t n, struct catalog **ret, struct dn_err *err)
{
    return parse_document(p, n, false, ret, err);
}

int catalog_parse_strict(const void *p, size_t n, struct catalog **ret, struct dn_err *err)
{
    return parse_document(p, n, true, ret, err);
}

int catalog_print(const struct catalog *c, struct buf *ret, struct dn_err *err)
{
    struct doc_writer w = {.json = dn_json_writer_make(ret)};

    catalog_doc_write(&w, &catalog_object, NULL, c);
    buf_u8(ret, '\n');
    return ret->failed ? DN_FAIL_NOMEM(err) : 0;
}
