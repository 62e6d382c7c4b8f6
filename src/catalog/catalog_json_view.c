/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json_view.c: one view to JSON and back. */
#include "catalog/catalog_json.h"

#include <string.h>

static void json_read_view_columns(struct json_reader *r, const struct dn_json *o, struct view *v)
{
    static const char *const members[] = {"name", "type"};
    const struct dn_json *list = catalog_json_array(r, o, "columns", VIEW_COLUMNS_MAX);
    size_t count = list ? list->count : 0;

    v->columns = catalog_json_calloc(r, count, sizeof *v->columns);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *from = &list->items[i];
        size_t mark = catalog_json_enter(r, "columns", i);
        const char *type;

        v->columns_count = (uint32_t)i + 1;
        catalog_json_members(r, from, members, DN_ARRAY_SIZE(members), 0);
        v->columns[i].name =
            catalog_json_strdup(r, catalog_json_text(r, from, "name", TABLE_NAME_MAX));
        type = catalog_json_text(r, from, "type", TABLE_NAME_MAX);
        v->columns[i].type = catalog_json_type(type);
        if (v->columns[i].type == TYPE_NONE)
            catalog_json_fail(r, "type", "there is no type \"%s\"", type);
        catalog_json_leave(r, mark);
    }
}

static void json_read_use(struct json_reader *r, const struct dn_json *from, struct view_use *u)
{
    static const char *const members[] = {"id", "columns"};
    const struct dn_json *list;
    size_t count;

    catalog_json_members(r, from, members, DN_ARRAY_SIZE(members), 0);
    u->id = (uint64_t)catalog_json_int(r, from, "id", 1, INT64_MAX);
    list = catalog_json_array(r, from, "columns", VIEW_COLUMNS_MAX);
    count = list ? list->count : 0;
    u->columns = catalog_json_calloc(r, count, sizeof *u->columns);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *id = &list->items[i];

        if (!dn_json_is(id, DN_JSON_INT) || id->integer < 1 || id->integer > TABLE_COLUMN_ID_MAX) {
            catalog_json_fail(r, "columns", "not ids of columns");
            return;
        }
        u->columns[i] = (uint32_t)id->integer;
        u->columns_count = (uint32_t)i + 1;
    }
}

static void json_read_uses(struct json_reader *r, const struct dn_json *o, struct view *v)
{
    const struct dn_json *list = catalog_json_array(r, o, "uses", VIEW_USES_MAX);
    size_t count = list ? list->count : 0;

    v->uses = catalog_json_calloc(r, count, sizeof *v->uses);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "uses", i);

        v->uses_count = (uint32_t)i + 1;
        json_read_use(r, &list->items[i], &v->uses[i]);
        catalog_json_leave(r, mark);
    }
}

static const char *const json_checks[VIEW_CHECK_MAX] = {
    [VIEW_CHECK_LOCAL] = "local", [VIEW_CHECK_CASCADED] = "cascaded"};

static void json_read_check(struct json_reader *r, const struct dn_json *o, struct view *v)
{
    const char *text = catalog_json_text(r, o, "check", TABLE_NAME_MAX);

    for (int i = VIEW_CHECK_LOCAL; r->rc == 0 && i < VIEW_CHECK_MAX; i++)
        if (strcmp(json_checks[i], text) == 0)
            v->check = (enum view_check)i;
    if (r->rc == 0 && v->check == VIEW_CHECK_NONE)
        catalog_json_fail(r, "check", "\"%s\" is neither local nor cascaded", text);
}

void catalog_json_read_view(struct json_reader *r, const struct dn_json *o, struct view **ret)
{
    static const char *const members[] = {
        "id", "schema", "name", "query", "columns", "uses", "temp", "comment", "writable", "check"};
    struct view *v = view_new();
    struct dn_err why = {0};

    if (!v) {
        r->rc = DN_FAIL_NOMEM(r->err);
        return;
    }
    catalog_json_members(r, o, members, DN_ARRAY_SIZE(members), 4);
    v->id = (uint64_t)catalog_json_int(r, o, "id", 1, INT64_MAX);
    v->schema = catalog_json_strdup(r, catalog_json_text(r, o, "schema", TABLE_NAME_MAX));
    v->name = catalog_json_strdup(r, catalog_json_text(r, o, "name", TABLE_NAME_MAX));
    v->query = catalog_json_strdup(r, catalog_json_text(r, o, "query", VIEW_QUERY_MAX));
    json_read_view_columns(r, o, v);
    json_read_uses(r, o, v);
    if (r->rc == 0 && dn_json_get(o, "temp"))
        v->temp = catalog_json_bool(r, o, "temp");
    v->comment = catalog_json_comment(r, o);
    if (r->rc == 0 && dn_json_get(o, "writable"))
        v->writable = catalog_json_bool(r, o, "writable");
    if (r->rc == 0 && dn_json_get(o, "check"))
        json_read_check(r, o, v);
    if (r->rc == 0 && view_check(v, &why) < 0)
        r->rc = DN_FAIL(r->err, DN_E_CORRUPT, "catalog: %s.%.400s", r->path, why.text);
    if (r->rc < 0) {
        view_unref(v);
        return;
    }
    *ret = v;
}

void catalog_json_write_view(const struct view *v, struct dn_json_writer *w)
{
    dn_json_begin(w, NULL, '{');
    dn_json_put_int(w, "id", (int64_t)v->id);
    dn_json_put_text(w, "schema", v->schema, strlen(v->schema));
    dn_json_put_text(w, "name", v->name, strlen(v->name));
    dn_json_put_text(w, "query", v->query, strlen(v->query));
    dn_json_begin(w, "columns", '[');
    for (uint32_t i = 0; i < v->columns_count; i++) {
        dn_json_begin(w, NULL, '{');
        dn_json_put_text(w, "name", v->columns[i].name, strlen(v->columns[i].name));
        catalog_json_put_type(w, "type", v->columns[i].type);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    dn_json_begin(w, "uses", '[');
    for (uint32_t i = 0; i < v->uses_count; i++) {
        dn_json_begin(w, NULL, '{');
        dn_json_put_int(w, "id", (int64_t)v->uses[i].id);
        dn_json_begin(w, "columns", '[');
        for (uint32_t k = 0; k < v->uses[i].columns_count; k++)
            dn_json_put_int(w, NULL, v->uses[i].columns[k]);
        dn_json_end(w, ']');
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    if (v->temp)
        dn_json_put_bool(w, "temp", true);
    if (v->writable)
        dn_json_put_bool(w, "writable", true);
    if (v->check != VIEW_CHECK_NONE)
        dn_json_put_text(w, "check", json_checks[v->check], strlen(json_checks[v->check]));
    if (v->comment)
        dn_json_put_text(w, "comment", v->comment, strlen(v->comment));
    dn_json_end(w, '}');
}
