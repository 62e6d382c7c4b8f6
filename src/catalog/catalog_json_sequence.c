/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json_sequence.c: sequences to JSON and back. */
#include "catalog/catalog_json.h"

#include <inttypes.h>
#include <string.h>

/* A number that means "none" when it is not there. */
static int64_t json_optional(struct json_reader *r, const struct dn_json *o, const char *name)
{
    return r->rc == 0 && dn_json_get(o, name) ? catalog_json_int(r, o, name, 1, INT64_MAX) : 0;
}

static void json_read_sequence(struct json_reader *r, const struct dn_json *o, struct sequence **to)
{
    static const char *const members[] = {"id",
                                          "schema",
                                          "name",
                                          "type",
                                          "start",
                                          "increment",
                                          "min",
                                          "max",
                                          "cache",
                                          "cycle",
                                          "counter",
                                          "first",
                                          "table",
                                          "column",
                                          "identity",
                                          "temp",
                                          "comment"};
    struct dn_err why = {0};
    struct sequence *s;

    catalog_json_members(r, o, members, DN_ARRAY_SIZE(members), 5);
    s = catalog_sequence_new(catalog_json_text(r, o, "schema", TABLE_NAME_MAX),
                             catalog_json_text(r, o, "name", TABLE_NAME_MAX));
    if (!s) {
        r->rc = r->rc < 0 ? r->rc : DN_FAIL_NOMEM(r->err);
        return;
    }
    *to = s;
    s->id = (uint64_t)catalog_json_int(r, o, "id", 1, INT64_MAX);
    s->type = catalog_json_type(catalog_json_text(r, o, "type", TABLE_NAME_MAX));
    s->start = catalog_json_int(r, o, "start", INT64_MIN, INT64_MAX);
    s->increment = catalog_json_int(r, o, "increment", INT64_MIN, INT64_MAX);
    s->min = catalog_json_int(r, o, "min", INT64_MIN, INT64_MAX);
    s->max = catalog_json_int(r, o, "max", INT64_MIN, INT64_MAX);
    s->cache = catalog_json_int(r, o, "cache", 1, INT64_MAX);
    s->cycle = catalog_json_bool(r, o, "cycle");
    s->counter = (uint64_t)catalog_json_int(r, o, "counter", 1, INT64_MAX);
    s->first = catalog_json_int(r, o, "first", INT64_MIN, INT64_MAX);
    s->owner_table = (uint64_t)json_optional(r, o, "table");
    s->owner_column = (uint32_t)json_optional(r, o, "column");
    if (r->rc == 0 && dn_json_get(o, "identity"))
        s->identity = catalog_json_bool(r, o, "identity");
    if (r->rc == 0 && dn_json_get(o, "temp"))
        s->temp = catalog_json_bool(r, o, "temp");
    s->comment = catalog_json_comment(r, o);
    if (r->rc == 0 && catalog_sequence_check(s, &why) < 0)
        r->rc = DN_FAIL(r->err, DN_E_CORRUPT, "catalog: %s.%.400s", r->path, why.text);
}

/* What one must be among the others. */
static void json_check_sequence_place(struct json_reader *r, const struct catalog *c, size_t at)
{
    const struct sequence *s = c->sequences[at];
    const struct table *t = s->owner_table ? catalog_table_by_id(c, s->owner_table) : NULL;
    bool schema_found = false;
    int order = -1;

    for (size_t i = 0; i < c->schemas_count; i++)
        schema_found = schema_found || strcmp(c->schemas[i].name, s->schema) == 0;
    if (!schema_found)
        catalog_json_fail(r, "schema", "there is no schema \"%s\"", s->schema);
    if (s->id >= c->table_id_next)
        catalog_json_fail(r, "id", "%" PRIu64 " is not below table_id_next", s->id);
    if (s->owner_table && (!t || table_column_by_id(t, s->owner_column) < 0))
        catalog_json_fail(r, "table", "there is no such column");
    for (size_t i = 0; i < c->tables_count; i++)
        if (strcmp(c->tables[i]->name, s->name) == 0 &&
            strcmp(c->tables[i]->schema, s->schema) == 0)
            catalog_json_fail(r, "name", "\"%s\" is a table, too", s->name);
    for (size_t i = 0; i < c->views_count; i++)
        if (strcmp(c->views[i]->name, s->name) == 0 && strcmp(c->views[i]->schema, s->schema) == 0)
            catalog_json_fail(r, "name", "\"%s\" is a view, too", s->name);
    if (at > 0) {
        order = strcmp(c->sequences[at - 1]->schema, s->schema);
        if (order == 0)
            order = strcmp(c->sequences[at - 1]->name, s->name);
    }
    if (order >= 0)
        catalog_json_fail(r, "name", "\"%s\" is out of order", s->name);
}

void catalog_json_read_sequences(struct json_reader *r,
                                 const struct dn_json *root,
                                 struct catalog *c)
{
    const struct dn_json *list = r->rc == 0 && dn_json_get(root, "sequences")
                                     ? catalog_json_array(r, root, "sequences", CATALOG_TABLES_MAX)
                                     : NULL;
    size_t count = list ? list->count : 0;

    c->sequences = catalog_json_calloc(r, count, sizeof *c->sequences);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "sequences", i);

        json_read_sequence(r, &list->items[i], &c->sequences[i]);
        c->sequences_count = c->sequences[i] ? i + 1 : i;
        if (r->rc == 0)
            json_check_sequence_place(r, c, i);
        catalog_json_leave(r, mark);
    }
}

void catalog_json_write_sequences(const struct catalog *c, struct dn_json_writer *w)
{
    if (c->sequences_count == 0)
        return;
    dn_json_begin(w, "sequences", '[');
    for (size_t i = 0; i < c->sequences_count; i++) {
        const struct sequence *s = c->sequences[i];
        const char *type = type_name(s->type);

        dn_json_begin(w, NULL, '{');
        dn_json_put_int(w, "id", (int64_t)s->id);
        dn_json_put_text(w, "schema", s->schema, strlen(s->schema));
        dn_json_put_text(w, "name", s->name, strlen(s->name));
        dn_json_put_text(w, "type", type, strlen(type));
        dn_json_put_int(w, "start", s->start);
        dn_json_put_int(w, "increment", s->increment);
        dn_json_put_int(w, "min", s->min);
        dn_json_put_int(w, "max", s->max);
        dn_json_put_int(w, "cache", s->cache);
        dn_json_put_bool(w, "cycle", s->cycle);
        dn_json_put_int(w, "counter", (int64_t)s->counter);
        dn_json_put_int(w, "first", s->first);
        if (s->owner_table) {
            dn_json_put_int(w, "table", (int64_t)s->owner_table);
            dn_json_put_int(w, "column", s->owner_column);
        }
        if (s->identity)
            dn_json_put_bool(w, "identity", true);
        if (s->temp)
            dn_json_put_bool(w, "temp", true);
        if (s->comment)
            dn_json_put_text(w, "comment", s->comment, strlen(s->comment));
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
}
