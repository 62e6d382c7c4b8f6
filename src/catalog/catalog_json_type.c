/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json_type.c: types to JSON and back: names of types, and those that CREATE TYPE made. */
#include "catalog/catalog_json.h"

#include "vec/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

enum type_id catalog_json_type(const char *name)
{
    static const char user[] = "ENUM(";
    char *end;
    unsigned long number;

    if (strncmp(name, user, sizeof user - 1) == 0 && name[5] >= '1' && name[5] <= '9') {
        number = strtoul(name + 5, &end, 10);
        if (number > TYPE_ENUM_MAX || (strcmp(end, ")") != 0 && strcmp(end, ")[]") != 0))
            return TYPE_NONE;
        return end[1] ? type_array_of(type_enum((uint32_t)number)) : type_enum((uint32_t)number);
    }
    for (unsigned id = 1; id < TYPE_MAX; id++)
        if (type_known(id) && (id & ~TYPE_ARRAY) != TYPE_ENUM &&
            strcmp(type_name((enum type_id)id), name) == 0)
            return (enum type_id)id;
    return TYPE_NONE;
}

void catalog_json_put_type(struct dn_json_writer *w, const char *member, enum type_id type)
{
    char text[64];

    if (TYPE_NUMBER(type))
        snprintf(text,
                 sizeof text,
                 "ENUM(%" PRIu32 ")%s",
                 TYPE_NUMBER(type),
                 type_is_array(type) ? "[]" : "");
    else
        snprintf(text, sizeof text, "%s", type_name(type));
    dn_json_put_text(w, member, text, strlen(text));
}

/* ---- user types ---- */

static void json_read_labels(struct json_reader *r, const struct dn_json *o, struct user_type *t)
{
    static const char *const members[] = {"order", "name"};
    const struct dn_json *list = catalog_json_array(r, o, "labels", USER_TYPE_LABELS_MAX);
    size_t count = list ? list->count : 0;

    t->labels = catalog_json_calloc(r, count, sizeof *t->labels);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *v = &list->items[i];
        size_t mark = catalog_json_enter(r, "labels", i);

        catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 0);
        t->labels[i].order = catalog_json_int(r, v, "order", 1, ENUM_ORDER_MAX);
        t->labels[i].name =
            catalog_json_strdup(r, catalog_json_text(r, v, "name", USER_TYPE_LABEL_MAX));
        t->labels_count = (uint32_t)(i + (t->labels[i].name != NULL));
        catalog_json_leave(r, mark);
    }
}

static void
json_read_user_type(struct json_reader *r, const struct dn_json *o, struct user_type **to)
{
    static const char *const members[] = {"number", "schema", "name", "labels", "comment"};
    struct dn_err why = {0};
    struct user_type *t;

    catalog_json_members(r, o, members, DN_ARRAY_SIZE(members), 1);
    t = catalog_type_new(catalog_json_text(r, o, "schema", TABLE_NAME_MAX),
                         catalog_json_text(r, o, "name", TABLE_NAME_MAX));
    if (!t) {
        r->rc = r->rc < 0 ? r->rc : DN_FAIL_NOMEM(r->err);
        return;
    }
    *to = t;
    t->number = (uint32_t)catalog_json_int(r, o, "number", 1, TYPE_ENUM_MAX);
    json_read_labels(r, o, t);
    t->comment = catalog_json_comment(r, o);
    if (r->rc == 0 && catalog_type_check(t, &why) < 0)
        r->rc = DN_FAIL(r->err, DN_E_CORRUPT, "catalog: %s.%.400s", r->path, why.text);
}

/* What one must be among the others. */
static void json_check_type_place(struct json_reader *r, const struct catalog *c, size_t at)
{
    const struct user_type *t = c->types[at];
    bool schema_found = false;
    int order = -1;

    for (size_t i = 0; i < c->schemas_count; i++)
        schema_found = schema_found || strcmp(c->schemas[i].name, t->schema) == 0;
    if (!schema_found)
        catalog_json_fail(r, "schema", "there is no schema \"%s\"", t->schema);
    if (t->number >= c->type_next)
        catalog_json_fail(r, "number", "%" PRIu32 " is not below type_next", t->number);
    for (size_t i = 0; i < at; i++)
        if (c->types[i]->number == t->number)
            catalog_json_fail(r, "number", "%" PRIu32 " is there twice", t->number);
    if (at > 0) {
        order = strcmp(c->types[at - 1]->schema, t->schema);
        if (order == 0)
            order = strcmp(c->types[at - 1]->name, t->name);
    }
    if (order >= 0)
        catalog_json_fail(r, "name", "\"%s\" is out of order", t->name);
}

void catalog_json_read_types(struct json_reader *r, const struct dn_json *root, struct catalog *c)
{
    const struct dn_json *list = r->rc == 0 && dn_json_get(root, "types")
                                     ? catalog_json_array(r, root, "types", CATALOG_TABLES_MAX)
                                     : NULL;
    size_t count = list ? list->count : 0;

    c->type_next = 1;
    if (r->rc == 0 && dn_json_get(root, "type_next"))
        c->type_next = (uint32_t)catalog_json_int(r, root, "type_next", 1, TYPE_ENUM_MAX + 1);
    c->types = catalog_json_calloc(r, count, sizeof *c->types);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "types", i);

        json_read_user_type(r, &list->items[i], &c->types[i]);
        c->types_count = c->types[i] ? i + 1 : i;
        if (r->rc == 0)
            json_check_type_place(r, c, i);
        catalog_json_leave(r, mark);
    }
}

static bool json_type_there(const struct catalog *c, enum type_id type)
{
    return (TYPE_BASE(type) & ~TYPE_ARRAY) != TYPE_ENUM ||
           catalog_type_by_number(c, TYPE_NUMBER(type));
}

static bool json_label_there(const struct user_type *t, const struct datum *d)
{
    return d->null || (enum_value_number(d->v.i64) == t->number &&
                       catalog_type_label_at(t, enum_value_order(d->v.i64)));
}

/* Are the labels of a DEFAULT those of its type? */
static bool json_default_there(const struct catalog *c, const struct column *col)
{
    const struct user_type *t = catalog_type_by_number(c, TYPE_NUMBER(col->type));
    struct arena arena;
    struct varray a;
    bool good;

    if (!t || !col->has_default || col->def.null)
        return true;
    if (!type_is_array(col->type))
        return json_label_there(t, &col->def);
    arena_init(&arena, NULL);
    good = varray_read(col->def.str, type_element(col->type), NULL, &arena, &a) == 0;
    for (uint32_t i = 0; good && i < a.count; i++)
        good = json_label_there(t, &a.items[i]);
    arena_done(&arena);
    return good;
}

void catalog_json_check_types(struct json_reader *r, const struct catalog *c)
{
    for (size_t i = 0; i < c->tables_count; i++)
        for (uint16_t k = 0; k < c->tables[i]->columns_count; k++) {
            const struct column *col = &c->tables[i]->columns[k];

            if (!json_type_there(c, col->type) || !json_default_there(c, col))
                catalog_json_fail(
                    r, "types", "that of \"%s\".\"%s\" is missing", c->tables[i]->name, col->name);
        }
    for (size_t i = 0; i < c->views_count; i++)
        for (uint32_t k = 0; k < c->views[i]->columns_count; k++)
            if (!json_type_there(c, c->views[i]->columns[k].type))
                catalog_json_fail(r, "types", "one of view \"%s\" is missing", c->views[i]->name);
}

void catalog_json_write_types(const struct catalog *c, struct dn_json_writer *w)
{
    if (c->type_next <= 1)
        return;
    dn_json_put_int(w, "type_next", c->type_next);
    dn_json_begin(w, "types", '[');
    for (size_t i = 0; i < c->types_count; i++) {
        const struct user_type *t = c->types[i];

        dn_json_begin(w, NULL, '{');
        dn_json_put_int(w, "number", t->number);
        dn_json_put_text(w, "schema", t->schema, strlen(t->schema));
        dn_json_put_text(w, "name", t->name, strlen(t->name));
        dn_json_begin(w, "labels", '[');
        for (uint32_t k = 0; k < t->labels_count; k++) {
            dn_json_begin(w, NULL, '{');
            dn_json_put_int(w, "order", t->labels[k].order);
            dn_json_put_text(w, "name", t->labels[k].name, strlen(t->labels[k].name));
            dn_json_end(w, '}');
        }
        dn_json_end(w, ']');
        if (t->comment)
            dn_json_put_text(w, "comment", t->comment, strlen(t->comment));
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
}
