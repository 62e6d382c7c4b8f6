/* SPDX-License-Identifier: Apache-2.0
 *
 * table.c: a table in the document: columns, key, slabs, options, constraints. Columns are named by
 * their permanent ids. Derived fields (rest, key_pos, time_desc) are not stored: table_derive()
 * makes them once all members were read and table_check() accepted them. */
#include "base/number.h"
#include "base/text.h"
#include "catalog/document/document.h"
#include "catalog/table_int.h"
#include "catalog/timepart.h"
#include "vec/wide.h"

#include <string.h>

/* ---- defaults of columns ---- */

/* A string default: text as it is, all else in lower case hex. */
static void read_string(struct doc_reader *r, const struct dn_json *v, struct column *c)
{
    const char *s = dn_json_is(v, DN_JSON_STRING) ? v->str : NULL;
    size_t len = s ? v->len : 0;
    bool hex = !type_is_utf8(c->type);
    char *bytes;

    if (!s || len > UINT32_MAX || (hex && len % 2 != 0)) {
        catalog_doc_fail(r, "default", "not a value of %s", type_name(c->type));
        return;
    }
    bytes = catalog_doc_calloc(r, len + 1, 1);
    if (!bytes)
        return;
    c->def.str.ptr = bytes;
    c->def.str.len = (uint32_t)(hex ? len / 2 : len);
    if (!hex) {
        memcpy(bytes, s, len);
        return;
    }
    if (!number_hex_bytes(s, len, bytes))
        catalog_doc_fail(r, "default", "not hex");
}

/* The bytes of wide.h in hex. */
static void read_wide(struct doc_reader *r, const struct dn_json *v, struct column *c)
{
    const char *s = dn_json_is(v, DN_JSON_STRING) ? v->str : "";
    size_t len = dn_json_is(v, DN_JSON_STRING) ? v->len : 0;
    uint8_t bytes[VEC_WIDE_BYTES_MAX];

    if (len / 2 > sizeof bytes || !number_hex_bytes(s, len, bytes) ||
        !vec_wide_get(c->type, bytes, (uint32_t)(len / 2), &c->def.iv))
        catalog_doc_fail(r, "default", "not a value of %s", type_name(c->type));
}

/* Ranges, UTF-8 and NULLs are table_check's. */
static void read_default(struct doc_reader *r, const struct dn_json *v, void *base)
{
    struct column *c = base;

    c->has_default = true;
    c->def.type = c->type;
    c->def.null = dn_json_is(v, DN_JSON_NULL);
    if (c->def.null)
        return;
    if (type_is_string(c->type)) {
        read_string(r, v, c);
    } else if (type_is_wide(c->type)) {
        read_wide(r, v, c);
    } else if (type_is_float(c->type)) {
        c->def.v.f64 = v->real;
        if (!dn_json_is(v, DN_JSON_REAL))
            catalog_doc_fail(r, "default", "not a number with a point");
    } else if (c->type == TYPE_BOOLEAN) {
        c->def.v.i64 = v->integer;
        if (!dn_json_is(v, DN_JSON_BOOL))
            catalog_doc_fail(r, "default", "neither true nor false");
    } else {
        c->def.v.i64 = v->integer;
        if (!dn_json_is(v, DN_JSON_INT))
            catalog_doc_fail(r, "default", "not an integer");
    }
}

/* Lower case hex, straight into the document. */
static void write_hex(struct dn_json_writer *w, const char *name, struct vstr bytes)
{
    struct buf hex;

    buf_init(&hex, NULL);
    buf_hex(&hex, bytes.ptr, bytes.len);
    dn_json_put_text(w, name, hex.len ? (const char *)hex.data : "", hex.len);
    w->b->failed = w->b->failed || hex.failed;
    buf_done(&hex);
}

static void write_default(struct doc_writer *doc, const char *name, const void *base)
{
    const struct column *c = base;
    const struct datum *d = &c->def;
    struct dn_json_writer *w = &doc->json;
    uint8_t bytes[VEC_WIDE_BYTES_MAX];
    struct vstr wide = {.ptr = (const char *)bytes, .len = 0};

    if (d->null)
        dn_json_put_null(w, name);
    else if (type_is_utf8(d->type))
        dn_json_put_text(w, name, d->str.ptr, d->str.len);
    else if (type_is_string(d->type))
        write_hex(w, name, d->str);
    else if (type_is_wide(d->type)) {
        wide.len = vec_wide_put(d->type, &d->iv, bytes);
        write_hex(w, name, wide);
    } else if (type_is_float(d->type))
        dn_json_put_real(w, name, d->v.f64);
    else if (d->type == TYPE_BOOLEAN)
        dn_json_put_bool(w, name, d->v.i64 != 0);
    else
        dn_json_put_int(w, name, d->v.i64);
}

static bool has_default(const struct doc_writer *w, const void *base)
{
    const struct column *c = base;

    (void)w;
    return c->has_default;
}

/* ---- columns ---- */

static const char *const source_names[COLUMN_SOURCE_MAX] = {
    [COLUMN_SERIAL] = "serial",
    [COLUMN_BY_DEFAULT] = "by default",
    [COLUMN_ALWAYS] = "always",
    [COLUMN_STORED] = "stored",
};

static void check_source(struct doc_reader *r, void *base)
{
    const struct column *c = base;

    if (c->source != COLUMN_DEFAULT &&
        (!c->def_sql || (!type_is_int(c->type) && c->source != COLUMN_STORED)))
        catalog_doc_fail(r, "source", "not an integer column with a default_sql");
}

static const struct doc_field mod = {
    NULL, DOC_INT, .size = sizeof(int32_t), .min = INT32_MIN, .max = INT32_MAX};

/* Which modifiers and which default a type may have is up to table_check(). */
static const struct doc_field column_rows[] = {
    {"id", DOC_INT_AT(column, id, 1, TABLE_COLUMN_ID_MAX)},
    {"name", DOC_TEXT_AT(column, name, TABLE_NAME_MAX)},
    {"type", DOC_TYPE_AT(column, type)},
    {"not_null", DOC_BOOL_AT(column, not_null)},
    {"mods",
     DOC_LIST_OF(column, mods.v, mods.count, TYPE_MODS_MAX),
     .each = &mod,
     .inplace = true,
     .optional = true},
    {"default",
     DOC_OWN,
     .optional = true,
     .there = has_default,
     .read = read_default,
     .write = write_default},
    {"default_sql", DOC_TEXT_AT(column, def_sql, TABLE_SQL_MAX), .optional = true},
    {"source", DOC_NAME_AT(column, source, source_names), .optional = true, .check = check_source},
    {"comment", DOC_TEXT_AT(column, comment, TABLE_COMMENT_MAX), .optional = true},
};

static const struct doc_object column_object = {DOC_ROWS(column_rows)};

static const struct doc_field column_index = {NULL, DOC_COLUMN, .size = sizeof(uint16_t)};

/* ---- the key ---- */

static const char *const form_names[KEY_FORM_MAX] = {
    [KEY_RIAK] = "riak",
    [KEY_CQL] = "cql",
    [KEY_RANGE] = "range",
};

static const char *const layout_names[] = {[true] = "value"}; /* of by_value */

static const struct doc_field local_rows[] = {
    {"column", DOC_COLUMN_AT(key_part, col)},
    {"desc", DOC_BOOL_AT(key_part, desc)},
};

static const struct doc_object local_object = {DOC_ROWS(local_rows)};

/* A quantum stands behind the columns of the partition key, which check_key() has. */
static void read_key_quantum(struct doc_reader *r, const struct dn_json *v, void *base)
{
    struct table *t = base;

    if (!dn_json_is(v, DN_JSON_BOOL))
        catalog_doc_fail(r, "quantum", "neither true nor false");
    t->quantum_pos = v->integer ? 0 : -1;
}

static void write_key_quantum(struct doc_writer *w, const char *name, const void *base)
{
    const struct table *t = base;

    dn_json_put_bool(&w->json, name, t->quantum_pos >= 0);
}

static const struct doc_field key_rows[] = {
    {"form", DOC_NAME_AT(table, form, form_names)},
    {"quantum", DOC_OWN, .read = read_key_quantum, .write = write_key_quantum},
    {"clustering_clause", DOC_BOOL_AT(table, clustering_clause)},
    {"series",
     DOC_LIST_OF(table, partition, partition_count, TABLE_COLUMNS_MAX),
     .each = &column_index},
    {"local", DOC_LIST_OF(table, local, local_count, TABLE_COLUMNS_MAX), .object = &local_object},
    {"layout", DOC_NAME_AT(table, by_value, layout_names), .optional = true},
};

static void check_key(struct doc_reader *r, void *base)
{
    struct table *t = base;

    (void)r;
    if (t->quantum_pos >= 0)
        t->quantum_pos = t->partition_count;
}

static const struct doc_object key_object = {DOC_ROWS(key_rows), .check = check_key};

static bool has_key(const struct doc_writer *w, const void *base)
{
    const struct table *t = base;

    (void)w;
    return t->form != KEY_NONE;
}

/* ---- quantum and slabs ---- */

static void read_unit(struct doc_reader *r, const struct dn_json *v, void *base)
{
    struct table *t = base;
    const char *unit = catalog_doc_text(r, "unit", v, 1);

    if (!text_one_of(unit[0], "dhms"))
        catalog_doc_fail(r, "unit", "not d, h, m or s");
    t->quantum_unit = unit[0];
}

static void write_unit(struct doc_writer *w, const char *name, const void *base)
{
    const struct table *t = base;

    dn_json_put_text(&w->json, name, &t->quantum_unit, 1);
}

static const struct doc_field quantum_rows[] = {
    {"count", DOC_INT_AT(table, quantum_count, 1, INT64_MAX)},
    {"unit", DOC_OWN, .read = read_unit, .write = write_unit},
};

static const struct doc_object quantum_object = {DOC_ROWS(quantum_rows)};

static bool has_quantum(const struct doc_writer *w, const void *base)
{
    const struct table *t = base;

    (void)w;
    return t->quantum_count != 0;
}

static const struct doc_field slab_rows[] = {
    {"from",
     DOC_INT_AT(slab_rule, from, INT64_MIN + 1, INT64_MAX),
     .nullable = true,
     .null = INT64_MIN},
    {"quantum", DOC_INT_AT(slab_rule, quantum_width, 0, INT64_MAX)},
    {"slab", DOC_INT_AT(slab_rule, slab_width, 1, INT64_MAX)},
};

static const struct doc_object slab_object = {DOC_ROWS(slab_rows)};

/* ---- options and constraints ---- */

static const struct doc_field option_rows[] = {
    {"name", DOC_TEXT_AT(table_option, name, TABLE_NAME_MAX)},
    {"value", DOC_TEXT_AT(table_option, value, TABLE_OPTION_MAX)},
    {"quoted", DOC_BOOL_AT(table_option, quoted)},
};

static const struct doc_object option_object = {DOC_ROWS(option_rows)};

static const char *const constraint_kinds[TABLE_CONSTRAINT_MAX] = {
    [TABLE_CHECK] = "check",
    [TABLE_UNIQUE] = "unique",
    [TABLE_FOREIGN] = "foreign",
    [TABLE_INDEX] = "index",
    [TABLE_UNIQUE_INDEX] = "unique_index",
};

/* The id of a constraint is left out when it is its place, from 1 on. */
static bool has_constraint_id(const struct doc_writer *w, const void *base)
{
    const struct table_constraint *c = base;

    return c->id != c - w->table->constraints + 1;
}

static const struct doc_field constraint_rows[] = {
    {"kind", DOC_NAME_AT(table_constraint, kind, constraint_kinds)},
    {"name", DOC_TEXT_AT(table_constraint, name, TABLE_NAME_MAX)},
    {"columns",
     DOC_LIST_OF(table_constraint, cols, cols_count, TABLE_COLUMNS_MAX),
     .each = &column_index},
    {"text", DOC_TEXT_AT(table_constraint, text, TABLE_SQL_MAX)},
    {"valid", DOC_NOT_AT(table_constraint, not_valid)},
    {"id",
     DOC_INT_AT(table_constraint, id, 1, TABLE_CONSTRAINTS_MAX),
     .optional = true,
     .there = has_constraint_id},
    {"comment", DOC_TEXT_AT(table_constraint, comment, TABLE_COMMENT_MAX), .optional = true},
};

static const struct doc_object constraint_object = {DOC_ROWS(constraint_rows)};

static void place_constraint(struct doc_reader *r, void *base, size_t i)
{
    struct table *t = base;

    (void)r;
    if (t->constraints[i].id == 0)
        t->constraints[i].id = (uint16_t)(i + 1);
}

static void check_constraints(struct doc_reader *r, void *base)
{
    const struct table *t = base;
    bool used[TABLE_CONSTRAINTS_MAX + 1] = {false};

    for (size_t i = 0; i < t->constraints_count; i++) {
        if (used[t->constraints[i].id])
            catalog_doc_fail(r, "constraints", "two have the id %u", t->constraints[i].id);
        used[t->constraints[i].id] = true;
    }
}

/* ---- the table ---- */

static const char *const temp_names[TABLE_TEMP_MAX] = {
    [TABLE_TEMP] = "preserve",
    [TABLE_TEMP_DELETE] = "delete",
    [TABLE_TEMP_DROP] = "drop",
};

static const char *const upsert_names[] = {[UPSERT_ROW] = "row", [UPSERT_FIELD] = "field"};

static const struct doc_field table_rows[] = {
    {"id", DOC_INT_AT(table, id, 1, INT64_MAX)},
    {"version", DOC_INT_AT(table, version, 1, UINT32_MAX)},
    {"schema", DOC_TEXT_AT(table, schema, TABLE_NAME_MAX)},
    {"name", DOC_TEXT_AT(table, name, TABLE_NAME_MAX)},
    {"columns",
     DOC_LIST_OF(table, columns, columns_count, TABLE_COLUMNS_MAX),
     .object = &column_object},
    {"column_id_next", DOC_INT_AT(table, column_id_next, 1, (int64_t)TABLE_COLUMN_ID_MAX + 1)},
    {"key", DOC_OBJECT, .object = &key_object, .nullable = true, .there = has_key},
    {"time", DOC_COLUMN_AT(table, time_col), .nullable = true, .null = -1},
    {"quantum", DOC_OBJECT, .object = &quantum_object, .nullable = true, .there = has_quantum},
    {"slabs", DOC_LIST_OF(table, slabs, slabs_count, TABLE_SLAB_RULES_MAX), .object = &slab_object},
    {"upsert", DOC_NAME_AT(table, upsert, upsert_names)},
    {"spread", DOC_INT_AT(table, spread, 1, TABLE_SPREAD_MAX)},
    {"options",
     DOC_LIST_OF(table, options, options_count, TABLE_COLUMNS_MAX),
     .object = &option_object},
    {"constraints",
     DOC_LIST_OF(table, constraints, constraints_count, TABLE_CONSTRAINTS_MAX),
     .object = &constraint_object,
     .optional = true,
     .place = place_constraint,
     .check = check_constraints},
    {"temp", DOC_NAME_AT(table, temp, temp_names), .optional = true},
    {"comment", DOC_TEXT_AT(table, comment, TABLE_COMMENT_MAX), .optional = true},
    {"number", DOC_INT_AT(table, number, 1, INT64_MAX), .optional = true},
    {"horizon",
     DOC_INT_AT(table, horizon, INT64_MIN + 1, INT64_MAX),
     .optional = true,
     .absent = RETENTION_NO_HORIZON},
    {"timepart",
     DOC_HEAP,
     DOC_AT(table, timepart),
     .element = sizeof(struct timepart),
     .object = &catalog_doc_timepart,
     .optional = true},
    {"parent", DOC_INT_AT(table, parent, 1, INT64_MAX), .optional = true},
    {"ttl", DOC_INT_AT(table, ttl_seconds, 1, TABLE_TTL_MAX), .optional = true},
};

/* The options that act are kept as their text alone. */
static void read_retention(struct doc_reader *r, struct table *t)
{
    const char *keep = retention_option(t, "retention");
    const char *late = retention_option(t, "late_rows");
    const char *future = retention_option(t, "future_limit");

    if (keep && !retention_parse(keep, &t->retention))
        catalog_doc_fail(r, "options", "retention is neither an age nor a size nor a number");
    if (late && !retention_late(late, &t->late))
        catalog_doc_fail(r, "options", "late_rows is neither reject nor drop");
    t->future_seconds = retention_future_default(t);
    if (future && !retention_future(future, &t->future_seconds))
        catalog_doc_fail(r, "options", "future_limit is no length of time");
}

static void check_table(struct doc_reader *r, void *base)
{
    struct table *t = base;
    struct dn_err why = {0};
    int rc;

    read_retention(r, t);
    if (r->rc < 0)
        return;
    rc = table_check(t, &why);
    if (rc < 0)
        catalog_doc_fail_check(r, rc, &why);
    else
        r->rc = table_derive(t, r->err);
}

const struct doc_object catalog_doc_table = {
    DOC_ROWS(table_rows), .is_table = true, .check = check_table};
