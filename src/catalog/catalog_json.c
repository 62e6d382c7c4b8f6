/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json.c: the document as a whole, and the sticky reader both parts share. The document is
 * untrusted: nothing is believed before it is checked, and the finished catalog keeps every
 * invariant of catalog.h and table.h. */
#include "catalog/catalog_json.h"

#include "base/text.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the reader ---- */

void catalog_json_fail(struct json_reader *r, const char *member, const char *fmt, ...)
{
    char text[DN_ERR_TEXT_MAX / 2];
    va_list args;

    if (r->rc < 0)
        return;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    r->rc = DN_FAIL(r->err,
                    DN_E_CORRUPT,
                    "catalog: %s%s%s: %s",
                    r->path_len ? r->path
                    : member    ? ""
                                : "document",
                    r->path_len && member ? "." : "",
                    member ? member : "",
                    text);
}

size_t catalog_json_enter(struct json_reader *r, const char *member, size_t i)
{
    size_t mark = r->path_len;
    int n;

    if (i == CATALOG_NO_INDEX)
        n = snprintf(r->path + mark, sizeof r->path - mark, "%s%s", mark ? "." : "", member);
    else
        n = snprintf(
            r->path + mark, sizeof r->path - mark, "%s%s[%zu]", mark ? "." : "", member, i);
    if (n > 0)
        r->path_len = mark + (size_t)n < sizeof r->path ? mark + (size_t)n : sizeof r->path - 1;
    return mark;
}

void catalog_json_leave(struct json_reader *r, size_t mark)
{
    r->path[mark] = '\0';
    r->path_len = mark;
}

void catalog_json_members(struct json_reader *r,
                          const struct dn_json *v,
                          const char *const *names,
                          size_t count,
                          size_t optional)
{
    size_t found = 0;

    if (r->rc < 0)
        return;
    if (!dn_json_is(v, DN_JSON_OBJECT)) {
        catalog_json_fail(r, NULL, "not an object");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (dn_json_get(v, names[i]))
            found++;
        else if (i + optional < count)
            catalog_json_fail(r, names[i], "missing");
    }
    if (found != v->count)
        catalog_json_fail(r, NULL, "unknown members");
}

static const struct dn_json *
json_member(struct json_reader *r, const struct dn_json *o, const char *name)
{
    const struct dn_json *v = r->rc < 0 ? NULL : dn_json_get(o, name);

    if (!v)
        catalog_json_fail(r, name, "missing");
    return v;
}

int64_t catalog_json_int(
    struct json_reader *r, const struct dn_json *o, const char *name, int64_t min, int64_t max)
{
    const struct dn_json *v = json_member(r, o, name);
    int64_t n;

    if (!v)
        return 0;
    if (!dn_json_is(v, DN_JSON_INT)) {
        catalog_json_fail(r, name, "not an integer");
        return 0;
    }
    n = v->integer;
    if (n < min || n > max) {
        catalog_json_fail(r, name, "%" PRId64 " is not from %" PRId64 " to %" PRId64, n, min, max);
        return 0;
    }
    return n;
}

bool catalog_json_bool(struct json_reader *r, const struct dn_json *o, const char *name)
{
    const struct dn_json *v = json_member(r, o, name);

    if (v && !dn_json_is(v, DN_JSON_BOOL))
        catalog_json_fail(r, name, "neither true nor false");
    return v && v->integer;
}

const char *
catalog_json_text(struct json_reader *r, const struct dn_json *o, const char *name, size_t len_max)
{
    const struct dn_json *v = json_member(r, o, name);

    if (!v)
        return "";
    if (!dn_json_is(v, DN_JSON_STRING)) {
        catalog_json_fail(r, name, "not a string");
        return "";
    }
    if (v->len > len_max || strlen(v->str) != v->len) {
        catalog_json_fail(r, name, "more than %zu bytes, or a NUL among them", len_max);
        return "";
    }
    return v->str;
}

const struct dn_json *catalog_json_array(struct json_reader *r,
                                         const struct dn_json *o,
                                         const char *name,
                                         size_t count_max)
{
    const struct dn_json *v = json_member(r, o, name);

    if (!v)
        return NULL;
    if (!dn_json_is(v, DN_JSON_ARRAY)) {
        catalog_json_fail(r, name, "not an array");
        return NULL;
    }
    if (v->count > count_max) {
        catalog_json_fail(r, name, "%zu elements, the most is %zu", v->count, count_max);
        return NULL;
    }
    return v;
}

char *catalog_json_strdup(struct json_reader *r, const char *s)
{
    char *copy = r->rc < 0 ? NULL : mem_strdup(NULL, s);

    if (!copy && r->rc == 0)
        r->rc = DN_FAIL_NOMEM(r->err);
    return copy;
}

void *catalog_json_calloc(struct json_reader *r, size_t count, size_t size)
{
    void *p = r->rc < 0 ? NULL : mem_calloc(NULL, count, size);

    if (!p && r->rc == 0)
        r->rc = DN_FAIL_NOMEM(r->err);
    return p;
}

char *catalog_json_comment(struct json_reader *r, const struct dn_json *o)
{
    if (r->rc < 0 || !dn_json_get(o, "comment"))
        return NULL;
    return catalog_json_strdup(r, catalog_json_text(r, o, "comment", TABLE_COMMENT_MAX));
}

/* ---- the document ---- */

static void json_read_schemas(struct json_reader *r, const struct dn_json *root, struct catalog *c)
{
    static const char *const members[] = {"name", "replication", "temp", "comment"};
    const struct dn_json *list = catalog_json_array(r, root, "schemas", CATALOG_SCHEMAS_MAX);
    size_t count = (list ? list->count : 0);
    bool found_default = false;

    c->schemas = catalog_json_calloc(r, count, sizeof *c->schemas);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *v = &list->items[i];
        size_t mark = catalog_json_enter(r, "schemas", i);
        struct schema_def *s = &c->schemas[i];

        c->schemas_count = i + 1;
        catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 2);
        s->name = catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
        s->replication =
            catalog_json_strdup(r, catalog_json_text(r, v, "replication", CATALOG_REPLICATION_MAX));
        if (r->rc == 0 && dn_json_get(v, "temp"))
            s->temp = catalog_json_bool(r, v, "temp");
        s->comment = catalog_json_comment(r, v);
        if (r->rc == 0 && s->name[0] == '\0')
            catalog_json_fail(r, "name", "empty");
        if (r->rc == 0 && i > 0 && strcmp(s[-1].name, s->name) >= 0)
            catalog_json_fail(r, "name", "\"%s\" is out of order", s->name);
        found_default = found_default ||
                        (r->rc == 0 && strcmp(s->name, CATALOG_SCHEMA_DEFAULT) == 0 && !s->temp);
        catalog_json_leave(r, mark);
    }
    if (r->rc == 0 && !found_default)
        catalog_json_fail(r, "schemas", "\"%s\" is missing", CATALOG_SCHEMA_DEFAULT);
}

/* Is something in a temporary schema that is not there? It came from a release that saved one
 * without the other. It gets its schema back, and goes with it at the next open for writing. */
static void json_adopt(struct json_reader *r, struct catalog *c, const char *name)
{
    struct schema_def *grown;
    size_t at = 0;

    while (at < c->schemas_count && strcmp(c->schemas[at].name, name) < 0)
        at++;
    if (at < c->schemas_count && strcmp(c->schemas[at].name, name) == 0)
        return;
    grown = mem_realloc(NULL, c->schemas, (c->schemas_count + 1) * sizeof *grown);
    if (!grown) {
        r->rc = DN_FAIL_NOMEM(r->err);
        return;
    }
    c->schemas = grown;
    memmove(grown + at + 1, grown + at, (c->schemas_count - at) * sizeof *grown);
    c->schemas_count++;
    grown[at] = (struct schema_def){.temp = true};
    grown[at].name = catalog_json_strdup(r, name);
    grown[at].replication = catalog_json_strdup(r, "");
}

static void json_adopt_all(struct json_reader *r, const struct dn_json *root, struct catalog *c)
{
    static const char *const lists[] = {"tables", "views", "sequences", "types"};

    for (size_t k = 0; k < DN_ARRAY_SIZE(lists); k++) {
        const struct dn_json *list = r->rc == 0 ? dn_json_get(root, lists[k]) : NULL;

        for (size_t i = 0; dn_json_is(list, DN_JSON_ARRAY) && r->rc == 0 && i < list->count; i++) {
            const struct dn_json *o = &list->items[i];
            const struct dn_json *in =
                dn_json_is(o, DN_JSON_OBJECT) ? dn_json_get(o, "schema") : NULL;

            if (dn_json_is(in, DN_JSON_STRING) && in->len <= TABLE_NAME_MAX &&
                strncmp(in->str, CATALOG_TEMP "_", strlen(CATALOG_TEMP "_")) == 0)
                json_adopt(r, c, in->str);
        }
    }
}

/* What one table must be among the others: sorted, in a schema that exists, its id its own. */
static void json_check_place(struct json_reader *r, const struct catalog *c, size_t at)
{
    const struct table *t = c->tables[at];
    bool schema_found = false;
    int order;

    for (size_t i = 0; i < c->schemas_count; i++)
        schema_found = schema_found || strcmp(c->schemas[i].name, t->schema) == 0;
    if (!schema_found)
        catalog_json_fail(r, "schema", "there is no schema \"%s\"", t->schema);
    if (t->id >= c->table_id_next)
        catalog_json_fail(r, "id", "%" PRIu64 " is not below table_id_next", t->id);
    if (at == 0)
        return;
    order = strcmp(c->tables[at - 1]->schema, t->schema);
    if (order == 0)
        order = strcmp(c->tables[at - 1]->name, t->name);
    if (order >= 0)
        catalog_json_fail(r, "name", "\"%s\" is out of order", t->name);
}

/* The same for a view; and what it uses is there. */
static void json_check_view_place(struct json_reader *r, const struct catalog *c, size_t at)
{
    const struct view *v = c->views[at];
    bool schema_found = false;
    int order = -1;

    for (size_t i = 0; i < c->schemas_count; i++)
        schema_found = schema_found || strcmp(c->schemas[i].name, v->schema) == 0;
    if (!schema_found)
        catalog_json_fail(r, "schema", "there is no schema \"%s\"", v->schema);
    if (v->id >= c->table_id_next)
        catalog_json_fail(r, "id", "%" PRIu64 " is not below table_id_next", v->id);
    for (size_t i = 0; i < c->tables_count; i++)
        if (strcmp(c->tables[i]->name, v->name) == 0 &&
            strcmp(c->tables[i]->schema, v->schema) == 0)
            catalog_json_fail(r, "name", "\"%s\" is a table, too", v->name);
    if (at > 0) {
        order = strcmp(c->views[at - 1]->schema, v->schema);
        if (order == 0)
            order = strcmp(c->views[at - 1]->name, v->name);
    }
    if (order >= 0)
        catalog_json_fail(r, "name", "\"%s\" is out of order", v->name);
}

static void json_check_uses(struct json_reader *r, const struct catalog *c, const struct view *v)
{
    for (uint32_t i = 0; r->rc == 0 && i < v->uses_count; i++) {
        const struct view_use *u = &v->uses[i];
        const struct table *t = catalog_table_by_id(c, u->id);
        const struct view *other = catalog_view_by_id(c, u->id);

        if (!t && !other)
            catalog_json_fail(r, "uses", "there is nothing with the id %" PRIu64, u->id);
        for (uint32_t k = 0; r->rc == 0 && k < u->columns_count; k++)
            if (t ? table_column_by_id(t, u->columns[k]) < 0 : u->columns[k] > other->columns_count)
                catalog_json_fail(
                    r, "uses", "there is no column with the id %" PRIu32, u->columns[k]);
    }
}

static int json_cmp_id(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void json_check_ids(struct json_reader *r, const struct catalog *c)
{
    size_t count = c->tables_count + c->views_count + c->sequences_count;
    uint64_t *ids = catalog_json_calloc(r, count, sizeof *ids);

    if (!ids)
        return;
    for (size_t i = 0; i < c->tables_count; i++)
        ids[i] = c->tables[i]->id;
    for (size_t i = 0; i < c->views_count; i++)
        ids[c->tables_count + i] = c->views[i]->id;
    for (size_t i = 0; i < c->sequences_count; i++)
        ids[c->tables_count + c->views_count + i] = c->sequences[i]->id;
    qsort(ids, count, sizeof *ids, json_cmp_id);
    for (size_t i = 1; i < count; i++)
        if (ids[i] == ids[i - 1])
            catalog_json_fail(r, "tables", "two of them have the id %" PRIu64, ids[i]);
    mem_free(ids);
}

static void json_read_tables(struct json_reader *r, const struct dn_json *root, struct catalog *c)
{
    const struct dn_json *list = catalog_json_array(r, root, "tables", CATALOG_TABLES_MAX);
    size_t count = (list ? list->count : 0);

    c->tables = catalog_json_calloc(r, count, sizeof *c->tables);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "tables", i);

        catalog_json_read_table(r, &list->items[i], &c->tables[i]);
        if (r->rc == 0) {
            c->tables_count = i + 1;
            json_check_place(r, c, i);
        }
        catalog_json_leave(r, mark);
    }
}

static void json_read_views(struct json_reader *r, const struct dn_json *root, struct catalog *c)
{
    const struct dn_json *list = dn_json_get(root, "views")
                                     ? catalog_json_array(r, root, "views", CATALOG_TABLES_MAX)
                                     : NULL;
    size_t count = (list ? list->count : 0);

    c->views = catalog_json_calloc(r, count, sizeof *c->views);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "views", i);

        catalog_json_read_view(r, &list->items[i], &c->views[i]);
        if (r->rc == 0) {
            c->views_count = i + 1;
            json_check_view_place(r, c, i);
        }
        catalog_json_leave(r, mark);
    }
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "views", i);

        json_check_uses(r, c, c->views[i]);
        catalog_json_leave(r, mark);
    }
}

static const struct {
    const char *name;
    enum catalog_document flag;
} json_documents[] = {{"clocks", CATALOG_HAS_CLOCKS}, {"counters", CATALOG_HAS_COUNTERS}};

static void
json_read_documents(struct json_reader *r, const struct dn_json *root, struct catalog *c)
{
    const struct dn_json *list =
        r->rc == 0 && dn_json_get(root, "documents")
            ? catalog_json_array(r, root, "documents", DN_ARRAY_SIZE(json_documents))
            : NULL;

    for (size_t i = 0; r->rc == 0 && list && i < list->count; i++) {
        const struct dn_json *v = &list->items[i];
        uint32_t flag = 0;

        for (size_t k = 0; k < DN_ARRAY_SIZE(json_documents); k++)
            if (dn_json_is(v, DN_JSON_STRING) && strcmp(v->str, json_documents[k].name) == 0)
                flag = json_documents[k].flag;
        if (!flag || (c->documents & flag))
            catalog_json_fail(r, "documents", "element %zu is no document, or there twice", i);
        c->documents |= flag;
    }
}

static void json_write_documents(const struct catalog *c, struct dn_json_writer *w)
{
    if (!c->documents)
        return;
    dn_json_begin(w, "documents", '[');
    for (size_t k = 0; k < DN_ARRAY_SIZE(json_documents); k++)
        if (c->documents & json_documents[k].flag)
            dn_json_put_text(w, NULL, json_documents[k].name, strlen(json_documents[k].name));
    dn_json_end(w, ']');
}

/* The format number comes first: a newer document may look different everywhere else. */
static void json_check_format(struct json_reader *r, const struct dn_json *root)
{
    int64_t format;

    if (!dn_json_is(root, DN_JSON_OBJECT)) {
        catalog_json_fail(r, NULL, "not an object");
        return;
    }
    format = catalog_json_int(r, root, "format", 1, INT64_MAX);
    if (r->rc == 0 && format > CATALOG_FORMAT)
        r->rc = DN_FAIL(r->err,
                        DN_E_VERSION,
                        "catalog: format %" PRId64 " is of a newer release of Dendro; this one "
                        "reads up to %d",
                        format,
                        CATALOG_FORMAT);
}

static void
json_read_root(struct json_reader *r, const struct dn_json *root, bool strict, struct catalog *c)
{
    static const char *const members[] = {"format",
                                          "version",
                                          "table_id_next",
                                          "schemas",
                                          "tables",
                                          "views",
                                          "sequences",
                                          "access",
                                          "types",
                                          "type_next",
                                          "documents"};

    json_check_format(r, root);
    catalog_json_members(r, root, members, DN_ARRAY_SIZE(members), 6);
    c->version = (uint64_t)catalog_json_int(r, root, "version", 0, INT64_MAX);
    c->table_id_next = (uint64_t)catalog_json_int(r, root, "table_id_next", 1, INT64_MAX);
    json_read_schemas(r, root, c);
    if (!strict)
        json_adopt_all(r, root, c);
    json_read_tables(r, root, c);
    catalog_json_check_timeparts(r, c);
    json_read_views(r, root, c);
    catalog_json_read_sequences(r, root, c);
    catalog_json_read_types(r, root, c);
    if (r->rc == 0)
        catalog_json_check_types(r, c);
    if (r->rc == 0)
        json_check_ids(r, c);
    json_read_documents(r, root, c);
    if (r->rc == 0 && dn_json_get(root, "access"))
        catalog_json_read_access(r, dn_json_get(root, "access"), &c->access);
}

static int
json_parse(const void *p, size_t n, bool strict, struct catalog **ret, struct dn_err *err)
{
    struct json_reader r = {.err = err};
    const struct dn_json *root = NULL;
    struct catalog *c = NULL;
    struct arena arena;

    arena_init(&arena, NULL);
    r.rc = dn_json_parse(&arena, p, n, &root, err);
    if (r.rc == DN_E_CORRUPT)
        dn_err_prefix(err, "catalog");
    if (r.rc == 0) {
        c = catalog_new();
        if (!c)
            r.rc = DN_FAIL_NOMEM(err);
    }
    if (c)
        json_read_root(&r, root, strict, c);
    arena_done(&arena);
    if (r.rc < 0) {
        catalog_unref(c);
        return r.rc;
    }
    *ret = c;
    return 0;
}

int catalog_parse(const void *p, size_t n, struct catalog **ret, struct dn_err *err)
{
    return json_parse(p, n, false, ret, err);
}

int catalog_parse_strict(const void *p, size_t n, struct catalog **ret, struct dn_err *err)
{
    return json_parse(p, n, true, ret, err);
}

/* Has it nothing that format 1 did not know? */
static bool json_plain_table(const struct table *t)
{
    for (size_t i = 0; i < t->columns_count; i++)
        if (t->columns[i].def_sql || t->columns[i].comment)
            return false;
    return t->constraints_count == 0 && t->temp == TABLE_PERMANENT && !t->comment && !t->number;
}

/* What formats up to 7 refuse, or would read wrongly: a key column of type NUMERIC or INTERVAL. */
static bool json_wide_key(const struct table *t)
{
    for (size_t i = 0; i < t->local_count; i++)
        if (type_is_wide(t->columns[t->local[i].col].type))
            return true;
    return false;
}

/* The lowest format that has all there is: a release that knows no more still reads it. */
static int json_format(const struct catalog *c)
{
    for (size_t i = 0; i < c->tables_count; i++)
        if (c->tables[i]->by_value)
            return 9;
    for (size_t i = 0; i < c->tables_count; i++)
        if (json_wide_key(c->tables[i]))
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
        if (!json_plain_table(c->tables[i]))
            return 2;
    for (size_t i = 0; i < c->schemas_count; i++)
        if (c->schemas[i].temp || c->schemas[i].comment)
            return 2;
    return c->views_count > 0 || c->sequences_count > 0 ? 2 : 1;
}

int catalog_print(const struct catalog *c, struct buf *ret, struct dn_err *err)
{
    struct dn_json_writer w = dn_json_writer_make(ret);

    dn_json_begin(&w, NULL, '{');
    dn_json_put_int(&w, "format", json_format(c));
    dn_json_put_int(&w, "version", (int64_t)c->version);
    dn_json_put_int(&w, "table_id_next", (int64_t)c->table_id_next);
    dn_json_begin(&w, "schemas", '[');
    for (size_t i = 0; i < c->schemas_count; i++) {
        const struct schema_def *s = &c->schemas[i];

        dn_json_begin(&w, NULL, '{');
        dn_json_put_text(&w, "name", s->name, strlen(s->name));
        dn_json_put_text(&w, "replication", s->replication, strlen(s->replication));
        if (s->temp)
            dn_json_put_bool(&w, "temp", true);
        if (s->comment)
            dn_json_put_text(&w, "comment", s->comment, strlen(s->comment));
        dn_json_end(&w, '}');
    }
    dn_json_end(&w, ']');
    dn_json_begin(&w, "tables", '[');
    for (size_t i = 0; i < c->tables_count; i++)
        catalog_json_write_table(c->tables[i], &w);
    dn_json_end(&w, ']');
    if (c->views_count > 0) {
        dn_json_begin(&w, "views", '[');
        for (size_t i = 0; i < c->views_count; i++)
            catalog_json_write_view(c->views[i], &w);
        dn_json_end(&w, ']');
    }
    catalog_json_write_sequences(c, &w);
    catalog_json_write_types(c, &w);
    json_write_documents(c, &w);
    if (c->access)
        catalog_json_write_access(c->access, &w);
    dn_json_end(&w, '}');
    buf_u8(ret, '\n');
    return ret->failed ? DN_FAIL_NOMEM(err) : 0;
}
