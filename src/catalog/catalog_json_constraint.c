/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json_constraint.c: the constraints of a table to JSON and back. */
#include "catalog/catalog_json.h"

#include <string.h>

static const char *const json_constraint_names[TABLE_CONSTRAINT_MAX] = {
    [TABLE_CHECK] = "check",
    [TABLE_UNIQUE] = "unique",
    [TABLE_FOREIGN] = "foreign",
    [TABLE_INDEX] = "index",
    [TABLE_UNIQUE_INDEX] = "unique_index",
};

static void json_read_constraint(struct json_reader *r,
                                 const struct dn_json *v,
                                 const struct table *t,
                                 struct table_constraint *c)
{
    static const char *const members[] = {
        "kind", "name", "columns", "text", "valid", "id", "comment"};
    const struct dn_json *list;
    const char *kind;

    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 2);
    if (r->rc == 0 && dn_json_get(v, "id"))
        c->id = (uint16_t)catalog_json_int(r, v, "id", 1, TABLE_CONSTRAINTS_MAX);
    kind = catalog_json_text(r, v, "kind", TABLE_NAME_MAX);
    c->kind = TABLE_CONSTRAINT_MAX;
    for (int i = 0; i < TABLE_CONSTRAINT_MAX; i++)
        if (strcmp(json_constraint_names[i], kind) == 0)
            c->kind = (enum table_constraint_kind)i;
    if (c->kind == TABLE_CONSTRAINT_MAX)
        catalog_json_fail(r, "kind", "there is no kind \"%s\"", kind);
    c->name = catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
    c->text = catalog_json_strdup(r, catalog_json_text(r, v, "text", TABLE_SQL_MAX));
    c->not_valid = !catalog_json_bool(r, v, "valid");
    if (r->rc == 0 && dn_json_get(v, "comment"))
        c->comment = catalog_json_strdup(r, catalog_json_text(r, v, "comment", TABLE_COMMENT_MAX));
    list = catalog_json_array(r, v, "columns", TABLE_COLUMNS_MAX);
    c->cols = catalog_json_calloc(r, (list ? list->count : 0), sizeof *c->cols);
    for (size_t i = 0; r->rc == 0 && i < (list ? list->count : 0); i++) {
        size_t mark = catalog_json_enter(r, "columns", i);

        c->cols[i] = catalog_json_column_id(r, &list->items[i], t);
        c->cols_count = (uint16_t)(i + 1);
        catalog_json_leave(r, mark);
    }
}

/* Without a number it is the place; two must not have the same. */
static void json_check_ids(struct json_reader *r, const struct table *t)
{
    bool used[TABLE_CONSTRAINTS_MAX + 1] = {false};

    for (size_t i = 0; r->rc == 0 && i < t->constraints_count; i++) {
        if (used[t->constraints[i].id])
            catalog_json_fail(r, "constraints", "two have the id %u", t->constraints[i].id);
        used[t->constraints[i].id] = true;
    }
}

void catalog_json_read_constraints(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    const struct dn_json *list = catalog_json_array(r, v, "constraints", TABLE_CONSTRAINTS_MAX);
    size_t count = (list ? list->count : 0);

    t->constraints = catalog_json_calloc(r, count, sizeof *t->constraints);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "constraints", i);

        t->constraints_count = (uint16_t)(i + 1);
        t->constraints[i].id = (uint16_t)(i + 1);
        json_read_constraint(r, &list->items[i], t, &t->constraints[i]);
        catalog_json_leave(r, mark);
    }
    json_check_ids(r, t);
}

static void constraint_put(struct dn_json_writer *w, const char *name, const char *s)
{
    dn_json_put_text(w, name, s, strlen(s));
}

void catalog_json_write_constraints(struct dn_json_writer *w, const struct table *t)
{
    dn_json_begin(w, "constraints", '[');
    for (size_t i = 0; i < t->constraints_count; i++) {
        const struct table_constraint *c = &t->constraints[i];

        dn_json_begin(w, NULL, '{');
        constraint_put(w, "kind", json_constraint_names[c->kind]);
        constraint_put(w, "name", c->name);
        dn_json_begin(w, "columns", '[');
        for (size_t k = 0; k < c->cols_count; k++)
            dn_json_put_int(w, NULL, t->columns[c->cols[k]].id);
        dn_json_end(w, ']');
        constraint_put(w, "text", c->text);
        dn_json_put_bool(w, "valid", !c->not_valid);
        if (c->id != i + 1)
            dn_json_put_int(w, "id", c->id);
        if (c->comment)
            constraint_put(w, "comment", c->comment);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
}
