/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json_table.c: one table to JSON and back. Columns are named by their permanent ids.
 * Derived fields (rest, key_pos, time_desc) are not stored. */
#include "catalog/catalog_json.h"
#include "catalog/table_int.h"

#include <stdio.h>
#include <string.h>

static const char *const json_form_names[KEY_FORM_MAX] = {
    [KEY_NONE] = NULL, /* "key": null */
    [KEY_RIAK] = "riak",
    [KEY_CQL] = "cql",
    [KEY_RANGE] = "range",
};

/* ---- reading ---- */

static enum type_id json_type_named(const char *name)
{
    for (unsigned id = 1; id < TYPE_MAX; id++)
        if (type_known(id) && strcmp(type_name((enum type_id)id), name) == 0)
            return (enum type_id)id;
    return TYPE_NONE;
}

static int json_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A string default: text as it is, a blob in lower case hex. */
static void json_read_string(struct json_reader *r, const json_t *v, struct column *c)
{
    const char *s = json_string_value(v);
    size_t len = s ? json_string_length(v) : 0;
    bool hex = c->type == TYPE_BLOB;
    char *bytes;

    if (!s || len > UINT32_MAX || (hex && len % 2 != 0)) {
        catalog_json_fail(r, "default", "not a value of %s", type_name(c->type));
        return;
    }
    bytes = catalog_json_calloc(r, len + 1, 1);
    if (!bytes)
        return;
    c->def.str.ptr = bytes;
    c->def.str.len = (uint32_t)(hex ? len / 2 : len);
    if (!hex) {
        memcpy(bytes, s, len);
        return;
    }
    for (size_t i = 0; i < len; i += 2) {
        int high = json_hex_digit(s[i]);
        int low = json_hex_digit(s[i + 1]);

        if (high < 0 || low < 0) {
            catalog_json_fail(r, "default", "not hex");
            return;
        }
        bytes[i / 2] = (char)(high << 4 | low);
    }
}

/* Ranges, UTF-8 and NULLs are table_check's. */
static void json_read_default(struct json_reader *r, const json_t *v, struct column *c)
{
    c->has_default = true;
    c->def.type = c->type;
    c->def.null = json_is_null(v);
    if (c->def.null)
        return;
    if (type_is_string(c->type)) {
        json_read_string(r, v, c);
    } else if (type_is_float(c->type)) {
        c->def.v.f64 = json_real_value(v);
        if (!json_is_real(v))
            catalog_json_fail(r, "default", "not a number with a point");
    } else if (c->type == TYPE_BOOLEAN) {
        c->def.v.i64 = json_is_true(v);
        if (!json_is_boolean(v))
            catalog_json_fail(r, "default", "neither true nor false");
    } else {
        c->def.v.i64 = json_integer_value(v);
        if (!json_is_integer(v))
            catalog_json_fail(r, "default", "not an integer");
    }
}

static void json_read_column(struct json_reader *r, const json_t *v, struct column *c)
{
    static const char *const members[] = {"id", "name", "type", "not_null", "default"};
    const char *type;

    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), "default");
    c->id = (uint32_t)catalog_json_int(r, v, "id", 1, TABLE_COLUMN_ID_MAX);
    c->name = catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
    c->not_null = catalog_json_bool(r, v, "not_null");
    type = catalog_json_text(r, v, "type", TABLE_NAME_MAX);
    c->type = json_type_named(type);
    if (c->type == TYPE_NONE)
        catalog_json_fail(r, "type", "there is no type \"%s\"", type);
    if (r->rc == 0 && json_object_get(v, "default"))
        json_read_default(r, json_object_get(v, "default"), c);
}

static void json_read_columns(struct json_reader *r, const json_t *v, struct table *t)
{
    const json_t *list = catalog_json_array(r, v, "columns", TABLE_COLUMNS_MAX);
    size_t count = json_array_size(list);

    t->columns = catalog_json_calloc(r, count, sizeof *t->columns);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "columns", i);

        t->columns_count = (uint16_t)(i + 1);
        json_read_column(r, json_array_get(list, i), &t->columns[i]);
        catalog_json_leave(r, mark);
    }
}

/* The index of the column with this id. */
static uint16_t json_read_column_id(struct json_reader *r, const json_t *v, const struct table *t)
{
    int col = -1;

    if (r->rc == 0 && json_is_integer(v) && json_integer_value(v) >= 1 &&
        json_integer_value(v) <= TABLE_COLUMN_ID_MAX)
        col = table_column_by_id(t, (uint32_t)json_integer_value(v));
    if (col < 0)
        catalog_json_fail(r, NULL, "not the id of a column");
    return (uint16_t)(col < 0 ? 0 : col);
}

static void json_read_local(struct json_reader *r, const json_t *v, struct table *t)
{
    static const char *const members[] = {"column", "desc"};
    const json_t *list = catalog_json_array(r, v, "local", TABLE_COLUMNS_MAX);
    size_t count = json_array_size(list);

    t->local = catalog_json_calloc(r, count, sizeof *t->local);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const json_t *part = json_array_get(list, i);
        size_t mark = catalog_json_enter(r, "local", i);

        catalog_json_members(r, part, members, DN_ARRAY_SIZE(members), NULL);
        t->local[i].col = json_read_column_id(r, json_object_get(part, "column"), t);
        t->local[i].desc = catalog_json_bool(r, part, "desc");
        t->local_count = (uint16_t)(i + 1);
        catalog_json_leave(r, mark);
    }
}

static void json_read_key(struct json_reader *r, const json_t *v, struct table *t)
{
    static const char *const members[] = {
        "form", "quantum", "clustering_clause", "series", "local"};
    size_t key_mark = catalog_json_enter(r, "key", CATALOG_NO_INDEX);
    const json_t *list;
    const char *form;

    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), NULL);
    form = catalog_json_text(r, v, "form", TABLE_NAME_MAX);
    for (int i = 0; i < KEY_FORM_MAX; i++)
        if (json_form_names[i] && strcmp(json_form_names[i], form) == 0)
            t->form = (enum key_form)i;
    if (t->form == KEY_NONE)
        catalog_json_fail(r, "form", "there is no form \"%s\"", form);
    t->clustering_clause = catalog_json_bool(r, v, "clustering_clause");
    list = catalog_json_array(r, v, "series", TABLE_COLUMNS_MAX);
    t->series = catalog_json_calloc(r, json_array_size(list), sizeof *t->series);
    for (size_t i = 0; r->rc == 0 && i < json_array_size(list); i++) {
        size_t mark = catalog_json_enter(r, "series", i);

        t->series[i] = json_read_column_id(r, json_array_get(list, i), t);
        t->series_count = (uint16_t)(i + 1);
        catalog_json_leave(r, mark);
    }
    json_read_local(r, v, t);
    t->quantum_pos = catalog_json_bool(r, v, "quantum") ? t->series_count : -1;
    catalog_json_leave(r, key_mark);
}

static void json_read_quantum(struct json_reader *r, const json_t *v, struct table *t)
{
    static const char *const members[] = {"count", "unit"};
    const char *unit;
    size_t mark;

    if (r->rc < 0 || json_is_null(v))
        return;
    mark = catalog_json_enter(r, "quantum", CATALOG_NO_INDEX);
    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), NULL);
    t->quantum_count = catalog_json_int(r, v, "count", 1, INT64_MAX);
    unit = catalog_json_text(r, v, "unit", 1);
    if (unit[0] == '\0' || !strchr("dhms", unit[0]))
        catalog_json_fail(r, "unit", "not d, h, m or s");
    t->quantum_unit = unit[0];
    catalog_json_leave(r, mark);
}

static void json_read_slabs(struct json_reader *r, const json_t *v, struct table *t)
{
    static const char *const members[] = {"from", "quantum", "slab"};
    const json_t *list = catalog_json_array(r, v, "slabs", TABLE_SLAB_RULES_MAX);
    size_t count = json_array_size(list);

    t->slabs = catalog_json_calloc(r, count, sizeof *t->slabs);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const json_t *rule = json_array_get(list, i);
        size_t mark = catalog_json_enter(r, "slabs", i);

        catalog_json_members(r, rule, members, DN_ARRAY_SIZE(members), NULL);
        t->slabs[i].from = INT64_MIN;
        if (!json_is_null(json_object_get(rule, "from")))
            t->slabs[i].from = catalog_json_int(r, rule, "from", INT64_MIN + 1, INT64_MAX);
        t->slabs[i].quantum_width = catalog_json_int(r, rule, "quantum", 0, INT64_MAX);
        t->slabs[i].slab_width = catalog_json_int(r, rule, "slab", 1, INT64_MAX);
        t->slabs_count = (uint16_t)(i + 1);
        catalog_json_leave(r, mark);
    }
}

static void json_read_options(struct json_reader *r, const json_t *v, struct table *t)
{
    static const char *const members[] = {"name", "value", "quoted"};
    const json_t *list = catalog_json_array(r, v, "options", TABLE_COLUMNS_MAX);
    size_t count = json_array_size(list);

    t->options = catalog_json_calloc(r, count, sizeof *t->options);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const json_t *from = json_array_get(list, i);
        struct table_option *o = &t->options[i];
        size_t mark = catalog_json_enter(r, "options", i);

        t->options_count = (uint16_t)(i + 1);
        catalog_json_members(r, from, members, DN_ARRAY_SIZE(members), NULL);
        o->name = catalog_json_strdup(r, catalog_json_text(r, from, "name", TABLE_NAME_MAX));
        o->value = catalog_json_strdup(r, catalog_json_text(r, from, "value", TABLE_OPTION_MAX));
        o->quoted = catalog_json_bool(r, from, "quoted");
        catalog_json_leave(r, mark);
    }
}

static void json_read_policies(struct json_reader *r, const json_t *v, struct table *t)
{
    const char *upsert = catalog_json_text(r, v, "upsert", TABLE_NAME_MAX);
    const json_t *time = json_object_get(v, "time");

    if (strcmp(upsert, "field") == 0)
        t->upsert = UPSERT_FIELD;
    else if (strcmp(upsert, "row") != 0)
        catalog_json_fail(r, "upsert", "neither row nor field");
    t->spread = (uint32_t)catalog_json_int(r, v, "spread", 1, TABLE_SPREAD_MAX);
    if (r->rc == 0 && !json_is_null(time)) {
        t->time_col = json_is_integer(time) && json_integer_value(time) >= 1 &&
                              json_integer_value(time) <= TABLE_COLUMN_ID_MAX
                          ? table_column_by_id(t, (uint32_t)json_integer_value(time))
                          : -1;
        if (t->time_col < 0)
            catalog_json_fail(r, "time", "not the id of a column");
    }
}

/* The parts fit together. The texts of table_check are paths; ours goes before them. */
static void json_check_table(struct json_reader *r, struct table *t)
{
    struct dn_err why = {0};
    int rc;

    if (r->rc < 0)
        return;
    rc = table_check(t, &why);
    if (rc < 0) {
        r->rc = DN_FAIL(r->err, rc, "catalog: %s.%.400s", r->path, why.text);
        return;
    }
    r->rc = table_derive(t, r->err);
}

void catalog_json_read_table(struct json_reader *r, const json_t *v, struct table **ret)
{
    static const char *const members[] = {"id",
                                          "version",
                                          "schema",
                                          "name",
                                          "columns",
                                          "column_id_next",
                                          "key",
                                          "time",
                                          "quantum",
                                          "slabs",
                                          "upsert",
                                          "spread",
                                          "options"};
    struct table *t = table_new();

    if (!t) {
        r->rc = DN_FAIL_NOMEM(r->err);
        return;
    }
    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), NULL);
    t->id = (uint64_t)catalog_json_int(r, v, "id", 1, INT64_MAX);
    t->version = (uint32_t)catalog_json_int(r, v, "version", 1, UINT32_MAX);
    t->schema = catalog_json_strdup(r, catalog_json_text(r, v, "schema", TABLE_NAME_MAX));
    t->name = catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
    t->column_id_next =
        (uint32_t)catalog_json_int(r, v, "column_id_next", 2, (int64_t)TABLE_COLUMN_ID_MAX + 1);
    json_read_columns(r, v, t);
    if (r->rc == 0 && !json_is_null(json_object_get(v, "key")))
        json_read_key(r, json_object_get(v, "key"), t);
    json_read_quantum(r, json_object_get(v, "quantum"), t);
    json_read_slabs(r, v, t);
    json_read_options(r, v, t);
    json_read_policies(r, v, t);
    json_check_table(r, t);
    if (r->rc < 0) {
        table_unref(t);
        return;
    }
    *ret = t;
}

/* ---- writing ---- */

static json_t *json_write_blob(struct vstr bytes)
{
    struct buf hex;
    json_t *v = NULL;

    buf_init(&hex, NULL);
    for (uint32_t i = 0; i < bytes.len; i++)
        buf_printf(&hex, "%02x", (unsigned)(unsigned char)bytes.ptr[i]);
    if (!hex.failed)
        v = json_stringn_nocheck(hex.len ? (const char *)hex.data : "", hex.len);
    buf_done(&hex);
    return v;
}

static json_t *json_write_default(const struct datum *d)
{
    if (d->null)
        return json_null();
    if (d->type == TYPE_BLOB)
        return json_write_blob(d->str);
    if (d->type == TYPE_VARCHAR)
        return json_stringn(d->str.ptr, d->str.len);
    if (type_is_float(d->type))
        return json_real(d->v.f64);
    if (d->type == TYPE_BOOLEAN)
        return json_boolean(d->v.i64);
    return json_integer(d->v.i64);
}

static json_t *json_write_columns(const struct table *t, bool *ok)
{
    json_t *list = json_array();

    for (size_t i = 0; *ok && i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];
        json_t *o = json_object();

        catalog_json_set(o, "id", json_integer(c->id), ok);
        catalog_json_set(o, "name", json_string(c->name), ok);
        catalog_json_set(o, "type", json_string(type_name(c->type)), ok);
        catalog_json_set(o, "not_null", json_boolean(c->not_null), ok);
        if (c->has_default)
            catalog_json_set(o, "default", json_write_default(&c->def), ok);
        catalog_json_append(list, o, ok);
    }
    return list;
}

static json_t *json_write_id(const struct table *t, int col)
{
    return col < 0 ? json_null() : json_integer(t->columns[col].id);
}

static json_t *json_write_key(const struct table *t, bool *ok)
{
    json_t *key;
    json_t *series;
    json_t *local;

    if (t->form == KEY_NONE)
        return json_null();
    key = json_object();
    series = json_array();
    local = json_array();
    catalog_json_set(key, "form", json_string(json_form_names[t->form]), ok);
    catalog_json_set(key, "quantum", json_boolean(t->quantum_pos >= 0), ok);
    catalog_json_set(key, "clustering_clause", json_boolean(t->clustering_clause), ok);
    for (size_t i = 0; i < t->series_count; i++)
        catalog_json_append(series, json_write_id(t, t->series[i]), ok);
    for (size_t i = 0; i < t->local_count; i++) {
        json_t *part = json_object();

        catalog_json_set(part, "column", json_write_id(t, t->local[i].col), ok);
        catalog_json_set(part, "desc", json_boolean(t->local[i].desc), ok);
        catalog_json_append(local, part, ok);
    }
    catalog_json_set(key, "series", series, ok);
    catalog_json_set(key, "local", local, ok);
    return key;
}

static json_t *json_write_quantum(const struct table *t, bool *ok)
{
    json_t *o;

    if (t->quantum_count == 0)
        return json_null();
    o = json_object();
    catalog_json_set(o, "count", json_integer(t->quantum_count), ok);
    catalog_json_set(o, "unit", json_stringn(&t->quantum_unit, 1), ok);
    return o;
}

static json_t *json_write_slabs(const struct table *t, bool *ok)
{
    json_t *list = json_array();

    for (size_t i = 0; i < t->slabs_count; i++) {
        const struct slab_rule *rule = &t->slabs[i];
        json_t *o = json_object();

        catalog_json_set(
            o, "from", rule->from == INT64_MIN ? json_null() : json_integer(rule->from), ok);
        catalog_json_set(o, "quantum", json_integer(rule->quantum_width), ok);
        catalog_json_set(o, "slab", json_integer(rule->slab_width), ok);
        catalog_json_append(list, o, ok);
    }
    return list;
}

static json_t *json_write_options(const struct table *t, bool *ok)
{
    json_t *list = json_array();

    for (size_t i = 0; i < t->options_count; i++) {
        json_t *o = json_object();

        catalog_json_set(o, "name", json_string(t->options[i].name), ok);
        catalog_json_set(o, "value", json_string(t->options[i].value), ok);
        catalog_json_set(o, "quoted", json_boolean(t->options[i].quoted), ok);
        catalog_json_append(list, o, ok);
    }
    return list;
}

json_t *catalog_json_write_table(const struct table *t, bool *ok)
{
    json_t *o = json_object();

    catalog_json_set(o, "id", json_integer((json_int_t)t->id), ok);
    catalog_json_set(o, "version", json_integer(t->version), ok);
    catalog_json_set(o, "schema", json_string(t->schema), ok);
    catalog_json_set(o, "name", json_string(t->name), ok);
    catalog_json_set(o, "columns", json_write_columns(t, ok), ok);
    catalog_json_set(o, "column_id_next", json_integer(t->column_id_next), ok);
    catalog_json_set(o, "key", json_write_key(t, ok), ok);
    catalog_json_set(o, "time", json_write_id(t, t->time_col), ok);
    catalog_json_set(o, "quantum", json_write_quantum(t, ok), ok);
    catalog_json_set(o, "slabs", json_write_slabs(t, ok), ok);
    catalog_json_set(o, "upsert", json_string(t->upsert == UPSERT_FIELD ? "field" : "row"), ok);
    catalog_json_set(o, "spread", json_integer(t->spread), ok);
    catalog_json_set(o, "options", json_write_options(t, ok), ok);
    return o;
}
