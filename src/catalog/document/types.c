/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c: types in the document: their names, and those that CREATE TYPE made. */
#include "base/number.h"
#include "catalog/document/document.h"

#include "catalog/usertype.h"
#include "vec/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- names ---- */

enum type_id catalog_doc_type(const char *name)
{
    static const char user[] = "ENUM(";
    const char *end;
    uint64_t number;

    if (strncmp(name, user, sizeof user - 1) == 0) {
        end = name + 5 + number_digits(name + 5, strlen(name + 5), &number);
        if (name[5] == '0' || end == name + 5 || number > TYPE_ENUM_MAX ||
            (strcmp(end, ")") != 0 && strcmp(end, ")[]") != 0))
            return TYPE_NONE;
        return end[1] ? type_array_of(type_enum((uint32_t)number)) : type_enum((uint32_t)number);
    }
    for (unsigned id = 1; id < TYPE_MAX; id++)
        if (type_known(id) && (id & ~TYPE_ARRAY) != TYPE_ENUM &&
            strcmp(type_name((enum type_id)id), name) == 0)
            return (enum type_id)id;
    return TYPE_NONE;
}

void catalog_doc_put_type(struct dn_json_writer *w, const char *member, enum type_id type)
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

static const struct doc_field label_rows[] = {
    {"order", DOC_INT_AT(user_label, order, 1, ENUM_ORDER_MAX)},
    {"name", DOC_TEXT_AT(user_label, name, USER_TYPE_LABEL_MAX)},
};

static const struct doc_object label_object = {DOC_ROWS(label_rows)};

static const struct doc_field type_rows[] = {
    {"number", DOC_INT_AT(user_type, number, 1, TYPE_ENUM_MAX)},
    {"schema", DOC_TEXT_AT(user_type, schema, TABLE_NAME_MAX)},
    {"name", DOC_TEXT_AT(user_type, name, TABLE_NAME_MAX)},
    {"labels",
     DOC_LIST_OF(user_type, labels, labels_count, USER_TYPE_LABELS_MAX),
     .object = &label_object},
    {"comment", DOC_TEXT_AT(user_type, comment, TABLE_COMMENT_MAX), .optional = true},
};

static void check_type(struct doc_reader *r, void *base)
{
    struct dn_err why = {0};
    int rc = catalog_type_check(base, &why);

    if (rc < 0)
        catalog_doc_fail_check(r, rc, &why);
}

const struct doc_object catalog_doc_user_type = {DOC_ROWS(type_rows), .check = check_type};

/* ---- what columns use ---- */

static bool has_type(const struct catalog *c, enum type_id type)
{
    return (TYPE_BASE(type) & ~TYPE_ARRAY) != TYPE_ENUM ||
           catalog_type_by_number(c, TYPE_NUMBER(type));
}

static bool has_label(const struct user_type *t, const struct datum *d)
{
    return d->null || (enum_value_number(d->v.i64) == t->number &&
                       catalog_type_label_at(t, enum_value_order(d->v.i64)));
}

/* Are the labels of a DEFAULT those of its type? */
static bool has_default_labels(const struct catalog *c, const struct column *col)
{
    const struct user_type *t = catalog_type_by_number(c, TYPE_NUMBER(col->type));
    struct arena arena;
    struct varray a;
    bool good;

    if (!t || !col->has_default || col->def.null)
        return true;
    if (!type_is_array(col->type))
        return has_label(t, &col->def);
    arena_init(&arena, NULL);
    good = varray_read(col->def.str, type_element(col->type), NULL, &arena, &a) == 0;
    for (uint32_t i = 0; good && i < a.count; i++)
        good = has_label(t, &a.items[i]);
    arena_done(&arena);
    return good;
}

void catalog_doc_check_types(struct doc_reader *r, const struct catalog *c)
{
    for (size_t i = 0; i < c->tables_count; i++)
        for (uint16_t k = 0; k < c->tables[i]->columns_count; k++) {
            const struct column *col = &c->tables[i]->columns[k];

            if (!has_type(c, col->type) || !has_default_labels(c, col))
                catalog_doc_fail(
                    r, "types", "that of \"%s\".\"%s\" is missing", c->tables[i]->name, col->name);
        }
    for (size_t i = 0; i < c->views_count; i++)
        for (uint32_t k = 0; k < c->views[i]->columns_count; k++)
            if (!has_type(c, c->views[i]->columns[k].type))
                catalog_doc_fail(r, "types", "one of view \"%s\" is missing", c->views[i]->name);
}
