/* SPDX-License-Identifier: Apache-2.0
 *
 * fields.c: a description of objects, read both ways. */
#include "catalog/document/fields.h"

#include "catalog/document/document.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- errors and their path ---- */

void catalog_doc_fail(struct doc_reader *r, const char *member, const char *fmt, ...)
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

void catalog_doc_fail_check(struct doc_reader *r, int rc, const struct dn_err *why)
{
    if (r->rc == 0)
        r->rc = DN_FAIL(r->err, rc, "catalog: %s.%.400s", r->path, why->text);
}

size_t catalog_doc_enter(struct doc_reader *r, const char *member, size_t i)
{
    size_t mark = r->path_len;
    const char *dot = mark ? "." : "";
    int n;

    if (i == DOC_NO_INDEX)
        n = snprintf(r->path + mark, sizeof r->path - mark, "%s%s", dot, member);
    else
        n = snprintf(r->path + mark, sizeof r->path - mark, "%s%s[%zu]", dot, member, i);
    if (n > 0)
        r->path_len = mark + (size_t)n < sizeof r->path ? mark + (size_t)n : sizeof r->path - 1;
    return mark;
}

void catalog_doc_leave(struct doc_reader *r, size_t mark)
{
    DN_ASSERT(mark <= r->path_len);
    r->path[mark] = '\0';
    r->path_len = mark;
}

/* ---- the fields of a struct ---- */

static void *field_at(const struct doc_field *f, void *base)
{
    return (char *)base + f->offset;
}

static const void *field_of(const struct doc_field *f, const void *base)
{
    return (const char *)base + f->offset;
}

static void put_number(void *to, size_t size, int64_t v)
{
    uint8_t u8 = (uint8_t)v;
    uint16_t u16 = (uint16_t)v;
    uint32_t u32 = (uint32_t)v;

    DN_ASSERT(size == 1 || size == 2 || size == 4 || size == 8);
    memcpy(to,
           size == 1   ? (const void *)&u8
           : size == 2 ? (const void *)&u16
           : size == 4 ? (const void *)&u32
                       : (const void *)&v,
           size);
}

static int64_t get_number(const void *from, size_t size, bool negative)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    int64_t v;

    switch (size) {
    case 1:
        memcpy(&u8, from, size);
        return negative ? (int8_t)u8 : u8;
    case 2:
        memcpy(&u16, from, size);
        return negative ? (int16_t)u16 : u16;
    case 4:
        memcpy(&u32, from, size);
        return negative ? (int32_t)u32 : (int64_t)u32;
    default:
        DN_ASSERT(size == sizeof v);
        memcpy(&v, from, size);
        return v;
    }
}

static int64_t field_number(const struct doc_field *f, const void *base)
{
    return get_number(field_of(f, base), f->size, f->min < 0 || f->null < 0);
}

/* Pointers to objects have one representation: the field may be of any of their types. */
static void *field_pointer(const struct doc_field *f, const void *base)
{
    void *p;

    memcpy(&p, field_of(f, base), sizeof p);
    return p;
}

static void field_set_pointer(const struct doc_field *f, void *base, void *p)
{
    memcpy(field_at(f, base), &p, sizeof p);
}

static size_t list_count(const struct doc_field *f, const void *base)
{
    return (size_t)get_number((const char *)base + f->count_offset, f->count_size, false);
}

/* ---- reading ---- */

int64_t catalog_doc_int(
    struct doc_reader *r, const char *member, const struct dn_json *v, int64_t min, int64_t max)
{
    int64_t n;

    if (!dn_json_is(v, DN_JSON_INT)) {
        catalog_doc_fail(r, member, "not an integer");
        return 0;
    }
    n = v->integer;
    if (n >= min && n <= max)
        return n;
    catalog_doc_fail(r, member, "%" PRId64 " is not from %" PRId64 " to %" PRId64, n, min, max);
    return 0;
}

const char *
catalog_doc_text(struct doc_reader *r, const char *member, const struct dn_json *v, size_t len_max)
{
    if (!dn_json_is(v, DN_JSON_STRING))
        catalog_doc_fail(r, member, "not a string");
    else if (v->len > len_max || strlen(v->str) != v->len)
        catalog_doc_fail(r, member, "more than %zu bytes, or a NUL among them", len_max);
    else
        return v->str;
    return "";
}

void *catalog_doc_calloc(struct doc_reader *r, size_t count, size_t size)
{
    void *p = r->rc < 0 ? NULL : mem_calloc(NULL, count, size);

    if (!p && r->rc == 0)
        r->rc = DN_FAIL_NOMEM(r->err);
    return p;
}

static bool read_bool(struct doc_reader *r, const char *member, const struct dn_json *v)
{
    if (!dn_json_is(v, DN_JSON_BOOL))
        catalog_doc_fail(r, member, "neither true nor false");
    return v->integer != 0;
}

static int64_t read_name(struct doc_reader *r, const struct doc_field *f, const struct dn_json *v)
{
    const char *text = catalog_doc_text(r, f->name, v, TABLE_NAME_MAX);

    for (size_t i = 0; i < f->names_count; i++)
        if (f->names[i] && strcmp(f->names[i], text) == 0)
            return (int64_t)i;
    catalog_doc_fail(r, f->name, "there is no %s \"%s\"", f->name, text);
    return 0;
}

static int64_t read_type(struct doc_reader *r, const struct doc_field *f, const struct dn_json *v)
{
    const char *text = catalog_doc_text(r, f->name, v, TABLE_NAME_MAX);
    enum type_id type = catalog_doc_type(text);

    if (type == TYPE_NONE)
        catalog_doc_fail(r, f->name, "there is no type \"%s\"", text);
    return type;
}

static int64_t read_column(struct doc_reader *r, const struct doc_field *f, const struct dn_json *v)
{
    int col = -1;

    DN_ASSERT(r->table);
    if (dn_json_is(v, DN_JSON_INT) && v->integer >= 1 && v->integer <= TABLE_COLUMN_ID_MAX)
        col = table_column_by_id(r->table, (uint32_t)v->integer);
    if (col < 0)
        catalog_doc_fail(r, f->name, "not the id of a column");
    return col < 0 ? 0 : col;
}

static void
read_text(struct doc_reader *r, const struct doc_field *f, const struct dn_json *v, void *base)
{
    const char *text = catalog_doc_text(r, f->name, v, (size_t)f->max);
    char *copy = r->rc < 0 ? NULL : mem_strdup(NULL, text);

    if (!copy && r->rc == 0)
        r->rc = DN_FAIL_NOMEM(r->err);
    field_set_pointer(f, base, copy);
}

static void
read_value(struct doc_reader *r, const struct doc_field *f, const struct dn_json *v, void *base);

/* The element is counted before it is read: the destructor of the owner frees it after an error. */
static void read_element(
    struct doc_reader *r, const struct doc_field *f, const struct dn_json *v, void *base, size_t i)
{
    char *items = f->inplace ? field_at(f, base) : field_pointer(f, base);
    void *element = items + i * f->element;
    void *made;

    if (f->make) {
        made = f->make();
        if (!made) {
            r->rc = DN_FAIL_NOMEM(r->err);
            return;
        }
        memcpy(element, &made, sizeof made);
        element = made;
    }
    put_number((char *)base + f->count_offset, f->count_size, (int64_t)i + 1);
    if (f->object)
        catalog_doc_read(r, f->object, v, element);
    else
        read_value(r, f->each, v, element);
    if (r->rc == 0 && f->place)
        f->place(r, base, i);
}

/* v NULL: an optional list that is missing is an empty one. */
static void
read_list(struct doc_reader *r, const struct doc_field *f, const struct dn_json *v, void *base)
{
    size_t count = v ? v->count : 0;

    if (v && !dn_json_is(v, DN_JSON_ARRAY))
        catalog_doc_fail(r, f->name, "not an array");
    if (count > (size_t)f->max)
        catalog_doc_fail(r, f->name, "%zu elements, the most is %zu", count, (size_t)f->max);
    if (!f->inplace)
        field_set_pointer(f, base, catalog_doc_calloc(r, count + f->spare, f->element));
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_doc_enter(r, f->name, i);

        read_element(r, f, &v->items[i], base, i);
        catalog_doc_leave(r, mark);
    }
}

static void
read_inner(struct doc_reader *r, const struct doc_field *f, const struct dn_json *v, void *base)
{
    size_t mark = catalog_doc_enter(r, f->name, DOC_NO_INDEX);
    void *inner = base;

    if (f->kind == DOC_HEAP) {
        inner = catalog_doc_calloc(r, 1, f->element);
        field_set_pointer(f, base, inner);
    }
    if (inner)
        catalog_doc_read(r, f->object, v, inner);
    catalog_doc_leave(r, mark);
}

static void
read_value(struct doc_reader *r, const struct doc_field *f, const struct dn_json *v, void *base)
{
    int64_t n = 0;

    if (f->nullable && dn_json_is(v, DN_JSON_NULL)) {
        if (f->kind != DOC_OBJECT)
            put_number(field_at(f, base), f->size, f->null);
        return;
    }
    switch (f->kind) {
    case DOC_INT:
        n = catalog_doc_int(r, f->name, v, f->min, f->max);
        break;
    case DOC_BOOL:
        n = read_bool(r, f->name, v);
        break;
    case DOC_NOT:
        n = !read_bool(r, f->name, v);
        break;
    case DOC_NAME:
        n = read_name(r, f, v);
        break;
    case DOC_TYPE:
        n = read_type(r, f, v);
        break;
    case DOC_COLUMN:
        n = read_column(r, f, v);
        break;
    case DOC_TEXT:
        read_text(r, f, v, base);
        return;
    case DOC_LIST:
        read_list(r, f, v, base);
        return;
    case DOC_OBJECT:
    case DOC_HEAP:
        read_inner(r, f, v, base);
        return;
    case DOC_OWN:
        if (f->read)
            f->read(r, v, base);
        return;
    }
    put_number(field_at(f, base), f->size, n);
}

static void read_missing(struct doc_reader *r, const struct doc_field *f, void *base)
{
    switch (f->kind) {
    case DOC_INT:
    case DOC_BOOL:
    case DOC_NOT:
    case DOC_NAME:
    case DOC_TYPE:
    case DOC_COLUMN:
        put_number(field_at(f, base), f->size, f->absent);
        break;
    case DOC_LIST:
        read_list(r, f, NULL, base);
        break;
    case DOC_TEXT:
    case DOC_OBJECT:
    case DOC_HEAP:
    case DOC_OWN:
        break; /* the struct was zeroed */
    }
}

/* Does the object have the members that it must have, and no others? */
static void check_members(struct doc_reader *r, const struct doc_object *o, const struct dn_json *v)
{
    size_t found = 0;
    bool last = false;

    if (!dn_json_is(v, DN_JSON_OBJECT)) {
        catalog_doc_fail(r, NULL, "not an object");
        return;
    }
    for (size_t i = 0; i < o->count; i++) {
        const struct doc_field *f = &o->fields[i];
        bool may = !f->with_last || last;

        last = may && dn_json_get(v, f->name);
        found += last;
        if (!last && may && !f->optional)
            catalog_doc_fail(r, f->name, "missing");
    }
    if (found != v->count)
        catalog_doc_fail(r, NULL, "unknown members");
}

void catalog_doc_read(struct doc_reader *r,
                      const struct doc_object *o,
                      const struct dn_json *v,
                      void *base)
{
    const struct table *outer = r->table;

    if (o->is_table)
        r->table = base;
    check_members(r, o, v);
    for (size_t i = 0; r->rc == 0 && i < o->count; i++) {
        const struct doc_field *f = &o->fields[i];
        const struct dn_json *member = dn_json_get(v, f->name);

        if (member)
            read_value(r, f, member, base);
        else
            read_missing(r, f, base);
        if (r->rc == 0 && f->check)
            f->check(r, base);
    }
    if (r->rc == 0 && o->check)
        o->check(r, base);
    r->table = outer;
}

/* ---- writing ---- */

static void write_text(struct doc_writer *w, const char *name, const char *s)
{
    dn_json_put_text(&w->json, name, s, strlen(s));
}

static bool
is_written(const struct doc_writer *w, const struct doc_field *f, const void *base, bool last)
{
    if (f->with_last)
        return last;
    if (!f->optional)
        return true;
    if (f->there)
        return f->there(w, base);
    if (f->kind == DOC_LIST)
        return list_count(f, base) > 0;
    if (f->kind == DOC_TEXT || f->kind == DOC_HEAP)
        return field_pointer(f, base) != NULL;
    return field_number(f, base) != f->absent;
}

static bool is_null(const struct doc_writer *w, const struct doc_field *f, const void *base)
{
    if (!f->nullable)
        return false;
    return f->kind == DOC_OBJECT ? !f->there(w, base) : field_number(f, base) == f->null;
}

static void
write_value(struct doc_writer *w, const struct doc_field *f, const char *name, const void *base);

static void write_list(struct doc_writer *w, const struct doc_field *f, const void *base)
{
    const char *items = f->inplace ? field_of(f, base) : field_pointer(f, base);
    size_t count = list_count(f, base);

    dn_json_begin(&w->json, f->name, '[');
    for (size_t i = 0; i < count; i++) {
        const void *element = items + i * f->element;

        if (f->make)
            memcpy(&element, items + i * f->element, sizeof element);
        if (f->object)
            catalog_doc_write(w, f->object, NULL, element);
        else
            write_value(w, f->each, NULL, element);
    }
    dn_json_end(&w->json, ']');
}

static void
write_value(struct doc_writer *w, const struct doc_field *f, const char *name, const void *base)
{
    struct dn_json_writer *json = &w->json;
    int64_t n;

    if (is_null(w, f, base)) {
        dn_json_put_null(json, name);
        return;
    }
    switch (f->kind) {
    case DOC_INT:
        dn_json_put_int(json, name, field_number(f, base));
        break;
    case DOC_BOOL:
    case DOC_NOT:
        dn_json_put_bool(json, name, (field_number(f, base) != 0) == (f->kind == DOC_BOOL));
        break;
    case DOC_NAME:
        n = field_number(f, base);
        DN_ASSERT((size_t)n < f->names_count && f->names[n]);
        write_text(w, name, f->names[n]);
        break;
    case DOC_TYPE:
        catalog_doc_put_type(json, name, (enum type_id)field_number(f, base));
        break;
    case DOC_COLUMN:
        n = field_number(f, base);
        DN_ASSERT(w->table && n < w->table->columns_count);
        dn_json_put_int(json, name, w->table->columns[n].id);
        break;
    case DOC_TEXT:
        write_text(w, name, field_pointer(f, base));
        break;
    case DOC_LIST:
        write_list(w, f, base);
        break;
    case DOC_OBJECT:
        catalog_doc_write(w, f->object, name, base);
        break;
    case DOC_HEAP:
        catalog_doc_write(w, f->object, name, field_pointer(f, base));
        break;
    case DOC_OWN:
        f->write(w, name, base);
        break;
    }
}

void catalog_doc_write(struct doc_writer *w,
                       const struct doc_object *o,
                       const char *name,
                       const void *base)
{
    const struct table *outer = w->table;
    bool last = false;

    if (o->is_table)
        w->table = base;
    dn_json_begin(&w->json, name, '{');
    for (size_t i = 0; i < o->count; i++) {
        last = is_written(w, &o->fields[i], base, last);
        if (last)
            write_value(w, &o->fields[i], o->fields[i].name, base);
    }
    dn_json_end(&w->json, '}');
    w->table = outer;
}
