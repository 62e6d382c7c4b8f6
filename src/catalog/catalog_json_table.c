/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json_table.c: one table to JSON and back. Columns are named by their permanent ids.
 * Derived fields (rest, key_pos, time_desc) are not stored. */
#include "base/text.h"
#include "catalog/catalog_json.h"
#include "catalog/table_int.h"
#include "vec/wide.h"

#include <stdio.h>
#include <string.h>

static const char *const json_form_names[KEY_FORM_MAX] = {
    [KEY_NONE] = NULL, /* "key": null */
    [KEY_RIAK] = "riak",
    [KEY_CQL] = "cql",
    [KEY_RANGE] = "range",
};

/* ---- reading ---- */

static int json_hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A string default: text as it is, all else in lower case hex. */
static void json_read_string(struct json_reader *r, const struct dn_json *v, struct column *c)
{
    const char *s = dn_json_is(v, DN_JSON_STRING) ? v->str : NULL;
    size_t len = s ? v->len : 0;
    bool hex = !type_is_utf8(c->type);
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

/* The bytes of wide.h in hex. */
static void json_read_wide(struct json_reader *r, const struct dn_json *v, struct column *c)
{
    const char *s = dn_json_is(v, DN_JSON_STRING) ? v->str : "";
    size_t len = dn_json_is(v, DN_JSON_STRING) ? v->len : 0;
    uint8_t bytes[VEC_WIDE_BYTES_MAX];
    bool good = len % 2 == 0 && len / 2 <= sizeof bytes;

    for (size_t i = 0; good && i < len; i += 2) {
        int high = json_hex_digit(s[i]);
        int low = json_hex_digit(s[i + 1]);

        good = high >= 0 && low >= 0;
        bytes[i / 2] = (uint8_t)(high << 4 | low);
    }
    if (!good || !vec_wide_get(c->type, bytes, (uint32_t)(len / 2), &c->def.iv))
        catalog_json_fail(r, "default", "not a value of %s", type_name(c->type));
}

/* Ranges, UTF-8 and NULLs are table_check's. */
static void json_read_default(struct json_reader *r, const struct dn_json *v, struct column *c)
{
    c->has_default = true;
    c->def.type = c->type;
    c->def.null = dn_json_is(v, DN_JSON_NULL);
    if (c->def.null)
        return;
    if (type_is_string(c->type)) {
        json_read_string(r, v, c);
    } else if (type_is_wide(c->type)) {
        json_read_wide(r, v, c);
    } else if (type_is_float(c->type)) {
        c->def.v.f64 = v->real;
        if (!dn_json_is(v, DN_JSON_REAL))
            catalog_json_fail(r, "default", "not a number with a point");
    } else if (c->type == TYPE_BOOLEAN) {
        c->def.v.i64 = v->integer;
        if (!dn_json_is(v, DN_JSON_BOOL))
            catalog_json_fail(r, "default", "neither true nor false");
    } else {
        c->def.v.i64 = v->integer;
        if (!dn_json_is(v, DN_JSON_INT))
            catalog_json_fail(r, "default", "not an integer");
    }
}

/* Which ones a type may have is table_check's. */
static void
json_read_mods(struct json_reader *r, const struct dn_json *column, struct type_mods *ret)
{
    const struct dn_json *list = catalog_json_array(r, column, "mods", TYPE_MODS_MAX);

    if (list && list->count == 0)
        catalog_json_fail(r, "mods", "empty");
    for (size_t i = 0; r->rc == 0 && i < list->count; i++) {
        const struct dn_json *v = &list->items[i];

        if (!dn_json_is(v, DN_JSON_INT) || v->integer < INT32_MIN || v->integer > INT32_MAX) {
            catalog_json_fail(r, "mods", "not integers");
            return;
        }
        ret->v[i] = (int32_t)v->integer;
        ret->count = (uint8_t)(i + 1);
    }
}

static const char *const json_sources[COLUMN_SOURCE_MAX] = {
    [COLUMN_DEFAULT] = "default",
    [COLUMN_SERIAL] = "serial",
    [COLUMN_BY_DEFAULT] = "by default",
    [COLUMN_ALWAYS] = "always",
    [COLUMN_STORED] = "stored",
};

static void json_read_source(struct json_reader *r, const struct dn_json *v, struct column *c)
{
    const char *name = catalog_json_text(r, v, "source", TABLE_NAME_MAX);

    for (int i = COLUMN_DEFAULT + 1; i < COLUMN_SOURCE_MAX; i++)
        if (strcmp(json_sources[i], name) == 0)
            c->source = (enum column_source)i;
    if (c->source == COLUMN_DEFAULT)
        catalog_json_fail(r, "source", "there is no \"%s\"", name);
    else if (!c->def_sql || (!type_is_int(c->type) && c->source != COLUMN_STORED))
        catalog_json_fail(r, "source", "not an integer column with a default_sql");
}

static void json_read_column(struct json_reader *r, const struct dn_json *v, struct column *c)
{
    static const char *const members[] = {
        "id", "name", "type", "not_null", "mods", "default", "default_sql", "source", "comment"};
    const char *type;

    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 5);
    c->id = (uint32_t)catalog_json_int(r, v, "id", 1, TABLE_COLUMN_ID_MAX);
    c->name = catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
    c->not_null = catalog_json_bool(r, v, "not_null");
    type = catalog_json_text(r, v, "type", TABLE_NAME_MAX);
    c->type = catalog_json_type(type);
    if (c->type == TYPE_NONE)
        catalog_json_fail(r, "type", "there is no type \"%s\"", type);
    if (r->rc == 0 && dn_json_get(v, "mods"))
        json_read_mods(r, v, &c->mods);
    if (r->rc == 0 && dn_json_get(v, "default"))
        json_read_default(r, dn_json_get(v, "default"), c);
    if (r->rc == 0 && dn_json_get(v, "default_sql"))
        c->def_sql = catalog_json_strdup(r, catalog_json_text(r, v, "default_sql", TABLE_SQL_MAX));
    if (r->rc == 0 && dn_json_get(v, "source"))
        json_read_source(r, v, c);
    c->comment = catalog_json_comment(r, v);
}

static void json_read_columns(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    const struct dn_json *list = catalog_json_array(r, v, "columns", TABLE_COLUMNS_MAX);
    size_t count = (list ? list->count : 0);

    t->columns = catalog_json_calloc(r, count, sizeof *t->columns);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "columns", i);

        t->columns_count = (uint16_t)(i + 1);
        json_read_column(r, &list->items[i], &t->columns[i]);
        catalog_json_leave(r, mark);
    }
}

/* The index of the column with this id. */
uint16_t
catalog_json_column_id(struct json_reader *r, const struct dn_json *v, const struct table *t)
{
    int col = -1;

    if (r->rc == 0 && dn_json_is(v, DN_JSON_INT) && v->integer >= 1 &&
        v->integer <= TABLE_COLUMN_ID_MAX)
        col = table_column_by_id(t, (uint32_t)v->integer);
    if (col < 0)
        catalog_json_fail(r, NULL, "not the id of a column");
    return (uint16_t)(col < 0 ? 0 : col);
}

static void json_read_local(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    static const char *const members[] = {"column", "desc"};
    const struct dn_json *list = catalog_json_array(r, v, "local", TABLE_COLUMNS_MAX);
    size_t count = (list ? list->count : 0);

    t->local = catalog_json_calloc(r, count, sizeof *t->local);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *part = &list->items[i];
        size_t mark = catalog_json_enter(r, "local", i);

        catalog_json_members(r, part, members, DN_ARRAY_SIZE(members), 0);
        t->local[i].col = catalog_json_column_id(r, dn_json_get(part, "column"), t);
        t->local[i].desc = catalog_json_bool(r, part, "desc");
        t->local_count = (uint16_t)(i + 1);
        catalog_json_leave(r, mark);
    }
}

static void json_read_key(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    static const char *const members[] = {
        "form", "quantum", "clustering_clause", "series", "local", "layout"};
    size_t key_mark = catalog_json_enter(r, "key", CATALOG_NO_INDEX);
    const struct dn_json *list;
    const char *form;

    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 1);
    form = catalog_json_text(r, v, "form", TABLE_NAME_MAX);
    for (int i = 0; i < KEY_FORM_MAX; i++)
        if (json_form_names[i] && strcmp(json_form_names[i], form) == 0)
            t->form = (enum key_form)i;
    if (t->form == KEY_NONE)
        catalog_json_fail(r, "form", "there is no form \"%s\"", form);
    t->clustering_clause = catalog_json_bool(r, v, "clustering_clause");
    list = catalog_json_array(r, v, "series", TABLE_COLUMNS_MAX);
    t->partition = catalog_json_calloc(r, (list ? list->count : 0), sizeof *t->partition);
    for (size_t i = 0; r->rc == 0 && i < (list ? list->count : 0); i++) {
        size_t mark = catalog_json_enter(r, "series", i);

        t->partition[i] = catalog_json_column_id(r, &list->items[i], t);
        t->partition_count = (uint16_t)(i + 1);
        catalog_json_leave(r, mark);
    }
    json_read_local(r, v, t);
    t->quantum_pos = catalog_json_bool(r, v, "quantum") ? t->partition_count : -1;
    if (r->rc == 0 && dn_json_get(v, "layout")) {
        if (strcmp(catalog_json_text(r, v, "layout", TABLE_NAME_MAX), "value") != 0)
            catalog_json_fail(r, "layout", "not a layout");
        t->by_value = true;
    }
    catalog_json_leave(r, key_mark);
}

static void json_read_quantum(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    static const char *const members[] = {"count", "unit"};
    const char *unit;
    size_t mark;

    if (r->rc < 0 || dn_json_is(v, DN_JSON_NULL))
        return;
    mark = catalog_json_enter(r, "quantum", CATALOG_NO_INDEX);
    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 0);
    t->quantum_count = catalog_json_int(r, v, "count", 1, INT64_MAX);
    unit = catalog_json_text(r, v, "unit", 1);
    if (!text_one_of(unit[0], "dhms"))
        catalog_json_fail(r, "unit", "not d, h, m or s");
    t->quantum_unit = unit[0];
    catalog_json_leave(r, mark);
}

static void json_read_slabs(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    static const char *const members[] = {"from", "quantum", "slab"};
    const struct dn_json *list = catalog_json_array(r, v, "slabs", TABLE_SLAB_RULES_MAX);
    size_t count = (list ? list->count : 0);

    t->slabs = catalog_json_calloc(r, count, sizeof *t->slabs);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *rule = &list->items[i];
        size_t mark = catalog_json_enter(r, "slabs", i);

        catalog_json_members(r, rule, members, DN_ARRAY_SIZE(members), 0);
        t->slabs[i].from = INT64_MIN;
        if (!dn_json_is(dn_json_get(rule, "from"), DN_JSON_NULL))
            t->slabs[i].from = catalog_json_int(r, rule, "from", INT64_MIN + 1, INT64_MAX);
        t->slabs[i].quantum_width = catalog_json_int(r, rule, "quantum", 0, INT64_MAX);
        t->slabs[i].slab_width = catalog_json_int(r, rule, "slab", 1, INT64_MAX);
        t->slabs_count = (uint16_t)(i + 1);
        catalog_json_leave(r, mark);
    }
}

static void json_read_options(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    static const char *const members[] = {"name", "value", "quoted"};
    const struct dn_json *list = catalog_json_array(r, v, "options", TABLE_COLUMNS_MAX);
    size_t count = (list ? list->count : 0);

    t->options = catalog_json_calloc(r, count, sizeof *t->options);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *from = &list->items[i];
        struct table_option *o = &t->options[i];
        size_t mark = catalog_json_enter(r, "options", i);

        t->options_count = (uint16_t)(i + 1);
        catalog_json_members(r, from, members, DN_ARRAY_SIZE(members), 0);
        o->name = catalog_json_strdup(r, catalog_json_text(r, from, "name", TABLE_NAME_MAX));
        o->value = catalog_json_strdup(r, catalog_json_text(r, from, "value", TABLE_OPTION_MAX));
        o->quoted = catalog_json_bool(r, from, "quoted");
        catalog_json_leave(r, mark);
    }
}

/* What acts of the options is in them alone. */
static void json_read_retention(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    const char *keep = r->rc == 0 ? retention_option(t, "retention") : NULL;
    const char *late = r->rc == 0 ? retention_option(t, "late_rows") : NULL;
    const char *future = r->rc == 0 ? retention_option(t, "future_limit") : NULL;

    if (keep && !retention_parse(keep, &t->retention))
        catalog_json_fail(r, "options", "retention is neither an age nor a size nor a number");
    if (late && !retention_late(late, &t->late))
        catalog_json_fail(r, "options", "late_rows is neither reject nor drop");
    t->future_seconds = retention_future_default(t);
    if (future && !retention_future(future, &t->future_seconds))
        catalog_json_fail(r, "options", "future_limit is no length of time");
    if (r->rc == 0 && dn_json_get(v, "horizon"))
        t->horizon = catalog_json_int(r, v, "horizon", INT64_MIN + 1, INT64_MAX);
}

static void json_read_policies(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    const char *upsert = catalog_json_text(r, v, "upsert", TABLE_NAME_MAX);
    const struct dn_json *time = dn_json_get(v, "time");

    if (strcmp(upsert, "field") == 0)
        t->upsert = UPSERT_FIELD;
    else if (strcmp(upsert, "row") != 0)
        catalog_json_fail(r, "upsert", "neither row nor field");
    if (r->rc == 0 && dn_json_get(v, "ttl"))
        t->ttl_seconds = catalog_json_int(r, v, "ttl", 1, TABLE_TTL_MAX);
    t->spread = (uint32_t)catalog_json_int(r, v, "spread", 1, TABLE_SPREAD_MAX);
    if (r->rc == 0 && !dn_json_is(time, DN_JSON_NULL)) {
        t->time_col = dn_json_is(time, DN_JSON_INT) && time->integer >= 1 &&
                              time->integer <= TABLE_COLUMN_ID_MAX
                          ? table_column_by_id(t, (uint32_t)time->integer)
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

static const char *const json_temp_names[TABLE_TEMP_MAX] = {
    [TABLE_PERMANENT] = NULL, /* no member */
    [TABLE_TEMP] = "preserve",
    [TABLE_TEMP_DELETE] = "delete",
    [TABLE_TEMP_DROP] = "drop",
};

static void json_read_temp(struct json_reader *r, const struct dn_json *v, struct table *t)
{
    const char *name = catalog_json_text(r, v, "temp", TABLE_NAME_MAX);

    for (int i = 0; i < TABLE_TEMP_MAX; i++)
        if (json_temp_names[i] && strcmp(json_temp_names[i], name) == 0)
            t->temp = (enum table_temp)i;
    if (t->temp == TABLE_PERMANENT)
        catalog_json_fail(r, "temp", "not preserve, delete or drop");
}

void catalog_json_read_table(struct json_reader *r, const struct dn_json *v, struct table **ret)
{
    static const char *const members[] = {
        "id",   "version", "schema", "name",    "columns",  "column_id_next", "key",
        "time", "quantum", "slabs",  "upsert",  "spread",   "options",        "constraints",
        "temp", "comment", "number", "horizon", "timepart", "parent",         "ttl"};
    struct table *t = table_new();

    if (!t) {
        r->rc = DN_FAIL_NOMEM(r->err);
        return;
    }
    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 8);
    t->id = (uint64_t)catalog_json_int(r, v, "id", 1, INT64_MAX);
    if (r->rc == 0 && dn_json_get(v, "number"))
        t->number = (uint64_t)catalog_json_int(r, v, "number", 1, INT64_MAX);
    t->version = (uint32_t)catalog_json_int(r, v, "version", 1, UINT32_MAX);
    t->schema = catalog_json_strdup(r, catalog_json_text(r, v, "schema", TABLE_NAME_MAX));
    t->name = catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
    t->column_id_next =
        (uint32_t)catalog_json_int(r, v, "column_id_next", 1, (int64_t)TABLE_COLUMN_ID_MAX + 1);
    json_read_columns(r, v, t);
    if (r->rc == 0 && !dn_json_is(dn_json_get(v, "key"), DN_JSON_NULL))
        json_read_key(r, dn_json_get(v, "key"), t);
    json_read_quantum(r, dn_json_get(v, "quantum"), t);
    json_read_slabs(r, v, t);
    json_read_options(r, v, t);
    if (r->rc == 0 && dn_json_get(v, "constraints"))
        catalog_json_read_constraints(r, v, t);
    if (r->rc == 0 && dn_json_get(v, "temp"))
        json_read_temp(r, v, t);
    t->comment = catalog_json_comment(r, v);
    catalog_json_read_timepart(r, v, t);
    json_read_policies(r, v, t);
    json_read_retention(r, v, t);
    json_check_table(r, t);
    if (r->rc < 0) {
        table_unref(t);
        return;
    }
    *ret = t;
}

/* ---- writing ---- */

static void json_write_text(struct dn_json_writer *w, const char *name, const char *s)
{
    dn_json_put_text(w, name, s, strlen(s));
}

/* Lower case hex, straight into the document. */
static void json_write_blob(struct dn_json_writer *w, const char *name, struct vstr bytes)
{
    struct buf hex;

    buf_init(&hex, NULL);
    for (uint32_t i = 0; i < bytes.len; i++)
        buf_printf(&hex, "%02x", (unsigned)(unsigned char)bytes.ptr[i]);
    dn_json_put_text(w, name, hex.len ? (const char *)hex.data : "", hex.len);
    w->b->failed = w->b->failed || hex.failed;
    buf_done(&hex);
}

static void json_write_default(struct dn_json_writer *w, const struct datum *d)
{
    uint8_t bytes[VEC_WIDE_BYTES_MAX];
    struct vstr wide = {.ptr = (const char *)bytes, .len = 0};

    if (d->null)
        dn_json_put_null(w, "default");
    else if (type_is_utf8(d->type))
        dn_json_put_text(w, "default", d->str.ptr, d->str.len);
    else if (type_is_string(d->type))
        json_write_blob(w, "default", d->str);
    else if (type_is_wide(d->type)) {
        wide.len = vec_wide_put(d->type, &d->iv, bytes);
        json_write_blob(w, "default", wide);
    } else if (type_is_float(d->type))
        dn_json_put_real(w, "default", d->v.f64);
    else if (d->type == TYPE_BOOLEAN)
        dn_json_put_bool(w, "default", d->v.i64 != 0);
    else
        dn_json_put_int(w, "default", d->v.i64);
}

static void json_write_columns(struct dn_json_writer *w, const struct table *t)
{
    dn_json_begin(w, "columns", '[');
    for (size_t i = 0; i < t->columns_count; i++) {
        const struct column *c = &t->columns[i];

        dn_json_begin(w, NULL, '{');
        dn_json_put_int(w, "id", c->id);
        json_write_text(w, "name", c->name);
        catalog_json_put_type(w, "type", c->type);
        dn_json_put_bool(w, "not_null", c->not_null);
        if (c->mods.count > 0) {
            dn_json_begin(w, "mods", '[');
            for (uint32_t k = 0; k < c->mods.count; k++)
                dn_json_put_int(w, NULL, c->mods.v[k]);
            dn_json_end(w, ']');
        }
        if (c->has_default)
            json_write_default(w, &c->def);
        if (c->def_sql)
            json_write_text(w, "default_sql", c->def_sql);
        if (c->source != COLUMN_DEFAULT)
            json_write_text(w, "source", json_sources[c->source]);
        if (c->comment)
            json_write_text(w, "comment", c->comment);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
}

static void json_write_key(struct dn_json_writer *w, const struct table *t)
{
    if (t->form == KEY_NONE) {
        dn_json_put_null(w, "key");
        return;
    }
    dn_json_begin(w, "key", '{');
    json_write_text(w, "form", json_form_names[t->form]);
    dn_json_put_bool(w, "quantum", t->quantum_pos >= 0);
    dn_json_put_bool(w, "clustering_clause", t->clustering_clause);
    dn_json_begin(w, "series", '[');
    for (size_t i = 0; i < t->partition_count; i++)
        dn_json_put_int(w, NULL, t->columns[t->partition[i]].id);
    dn_json_end(w, ']');
    dn_json_begin(w, "local", '[');
    for (size_t i = 0; i < t->local_count; i++) {
        dn_json_begin(w, NULL, '{');
        dn_json_put_int(w, "column", t->columns[t->local[i].col].id);
        dn_json_put_bool(w, "desc", t->local[i].desc);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    if (t->by_value)
        json_write_text(w, "layout", "value");
    dn_json_end(w, '}');
}

static void json_write_time(struct dn_json_writer *w, const struct table *t)
{
    if (t->time_col < 0)
        dn_json_put_null(w, "time");
    else
        dn_json_put_int(w, "time", t->columns[t->time_col].id);
    if (t->quantum_count == 0) {
        dn_json_put_null(w, "quantum");
    } else {
        dn_json_begin(w, "quantum", '{');
        dn_json_put_int(w, "count", t->quantum_count);
        dn_json_put_text(w, "unit", &t->quantum_unit, 1);
        dn_json_end(w, '}');
    }
    dn_json_begin(w, "slabs", '[');
    for (size_t i = 0; i < t->slabs_count; i++) {
        const struct slab_rule *rule = &t->slabs[i];

        dn_json_begin(w, NULL, '{');
        if (rule->from == INT64_MIN)
            dn_json_put_null(w, "from");
        else
            dn_json_put_int(w, "from", rule->from);
        dn_json_put_int(w, "quantum", rule->quantum_width);
        dn_json_put_int(w, "slab", rule->slab_width);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
}

void catalog_json_write_table(const struct table *t, struct dn_json_writer *w)
{
    dn_json_begin(w, NULL, '{');
    dn_json_put_int(w, "id", (int64_t)t->id);
    dn_json_put_int(w, "version", t->version);
    json_write_text(w, "schema", t->schema);
    json_write_text(w, "name", t->name);
    json_write_columns(w, t);
    dn_json_put_int(w, "column_id_next", t->column_id_next);
    json_write_key(w, t);
    json_write_time(w, t);
    json_write_text(w, "upsert", t->upsert == UPSERT_FIELD ? "field" : "row");
    dn_json_put_int(w, "spread", t->spread);
    dn_json_begin(w, "options", '[');
    for (size_t i = 0; i < t->options_count; i++) {
        dn_json_begin(w, NULL, '{');
        json_write_text(w, "name", t->options[i].name);
        json_write_text(w, "value", t->options[i].value);
        dn_json_put_bool(w, "quoted", t->options[i].quoted);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    if (t->constraints_count > 0)
        catalog_json_write_constraints(w, t);
    if (t->temp != TABLE_PERMANENT)
        json_write_text(w, "temp", json_temp_names[t->temp]);
    if (t->comment)
        json_write_text(w, "comment", t->comment);
    if (t->number)
        dn_json_put_int(w, "number", (int64_t)t->number);
    if (t->horizon != RETENTION_NO_HORIZON)
        dn_json_put_int(w, "horizon", t->horizon);
    catalog_json_write_timepart(t, w);
    if (t->ttl_seconds)
        dn_json_put_int(w, "ttl", t->ttl_seconds);
    dn_json_end(w, '}');
}
