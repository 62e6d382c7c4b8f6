/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json.c: the document as a whole, and the sticky reader both parts share. The document is
 * untrusted: nothing is believed before it is checked, and the finished catalog keeps every
 * invariant of catalog.h and table.h. */
#include "catalog/catalog_json.h"

#include "base/text.h"
#include "catalog/table_int.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_DUMP_FLAGS (JSON_INDENT(1) | JSON_REAL_PRECISION(17))

/* ---- jansson's memory ---- */

static _Thread_local bool json_alloc_failed;

static void *json_mem_alloc(size_t size)
{
    void *p = mem_alloc(NULL, size);

    if (!p)
        json_alloc_failed = true;
    return p;
}

static void json_init_once(void)
{
    json_set_alloc_funcs(json_mem_alloc, mem_free);
    /* A fixed seed: the order of members does not depend on it, and it asks no one for entropy. */
    json_object_seed(1);
}

void catalog_json_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    DN_IGNORE(pthread_once(&once, json_init_once)); /* cannot fail with these arguments */
}

bool catalog_json_nomem(void)
{
    bool failed = json_alloc_failed;

    json_alloc_failed = false;
    return failed;
}

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
                          const json_t *v,
                          const char *const *names,
                          size_t count,
                          const char *optional)
{
    size_t found = 0;

    if (r->rc < 0)
        return;
    if (!json_is_object(v)) {
        catalog_json_fail(r, NULL, "not an object");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (json_object_get(v, names[i]))
            found++;
        else if (!optional || strcmp(optional, names[i]) != 0)
            catalog_json_fail(r, names[i], "missing");
    }
    if (found != json_object_size(v))
        catalog_json_fail(r, NULL, "unknown members");
}

static const json_t *json_member(struct json_reader *r, const json_t *o, const char *name)
{
    const json_t *v = r->rc < 0 ? NULL : json_object_get(o, name);

    if (!v)
        catalog_json_fail(r, name, "missing");
    return v;
}

int64_t
catalog_json_int(struct json_reader *r, const json_t *o, const char *name, int64_t min, int64_t max)
{
    const json_t *v = json_member(r, o, name);
    int64_t n;

    if (!v)
        return 0;
    if (!json_is_integer(v)) {
        catalog_json_fail(r, name, "not an integer");
        return 0;
    }
    n = json_integer_value(v);
    if (n < min || n > max) {
        catalog_json_fail(r, name, "%" PRId64 " is not from %" PRId64 " to %" PRId64, n, min, max);
        return 0;
    }
    return n;
}

bool catalog_json_bool(struct json_reader *r, const json_t *o, const char *name)
{
    const json_t *v = json_member(r, o, name);

    if (v && !json_is_boolean(v))
        catalog_json_fail(r, name, "neither true nor false");
    return v && json_is_true(v);
}

const char *
catalog_json_text(struct json_reader *r, const json_t *o, const char *name, size_t len_max)
{
    const json_t *v = json_member(r, o, name);

    if (!v)
        return "";
    if (!json_is_string(v)) {
        catalog_json_fail(r, name, "not a string");
        return "";
    }
    if (json_string_length(v) > len_max || strlen(json_string_value(v)) != json_string_length(v)) {
        catalog_json_fail(r, name, "more than %zu bytes, or a NUL among them", len_max);
        return "";
    }
    return json_string_value(v);
}

const json_t *
catalog_json_array(struct json_reader *r, const json_t *o, const char *name, size_t count_max)
{
    const json_t *v = json_member(r, o, name);

    if (!v)
        return NULL;
    if (!json_is_array(v)) {
        catalog_json_fail(r, name, "not an array");
        return NULL;
    }
    if (json_array_size(v) > count_max) {
        catalog_json_fail(r, name, "%zu elements, the most is %zu", json_array_size(v), count_max);
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

/* ---- the writer ---- */

void catalog_json_set(json_t *o, const char *name, json_t *value, bool *ok)
{
    if (json_object_set_new(o, name, value) != 0)
        *ok = false;
}

void catalog_json_append(json_t *a, json_t *value, bool *ok)
{
    if (json_array_append_new(a, value) != 0)
        *ok = false;
}

/* ---- the document ---- */

static void json_read_schemas(struct json_reader *r, const json_t *root, struct catalog *c)
{
    static const char *const members[] = {"name", "replication"};
    const json_t *list = catalog_json_array(r, root, "schemas", CATALOG_SCHEMAS_MAX);
    size_t count = json_array_size(list);
    bool found_default = false;

    c->schemas = catalog_json_calloc(r, count, sizeof *c->schemas);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const json_t *v = json_array_get(list, i);
        size_t mark = catalog_json_enter(r, "schemas", i);
        struct schema_def *s = &c->schemas[i];

        c->schemas_count = i + 1;
        catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), NULL);
        s->name = catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
        s->replication =
            catalog_json_strdup(r, catalog_json_text(r, v, "replication", CATALOG_REPLICATION_MAX));
        if (r->rc == 0 && s->name[0] == '\0')
            catalog_json_fail(r, "name", "empty");
        if (r->rc == 0 && i > 0 && strcmp(s[-1].name, s->name) >= 0)
            catalog_json_fail(r, "name", "\"%s\" is out of order", s->name);
        found_default =
            found_default || (r->rc == 0 && strcmp(s->name, CATALOG_SCHEMA_DEFAULT) == 0);
        catalog_json_leave(r, mark);
    }
    if (r->rc == 0 && !found_default)
        catalog_json_fail(r, "schemas", "\"%s\" is missing", CATALOG_SCHEMA_DEFAULT);
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

static int json_cmp_id(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void json_check_ids(struct json_reader *r, const struct catalog *c)
{
    uint64_t *ids = catalog_json_calloc(r, c->tables_count, sizeof *ids);

    if (!ids)
        return;
    for (size_t i = 0; i < c->tables_count; i++)
        ids[i] = c->tables[i]->id;
    qsort(ids, c->tables_count, sizeof *ids, json_cmp_id);
    for (size_t i = 1; i < c->tables_count; i++)
        if (ids[i] == ids[i - 1])
            catalog_json_fail(r, "tables", "two of them have the id %" PRIu64, ids[i]);
    mem_free(ids);
}

static void json_read_tables(struct json_reader *r, const json_t *root, struct catalog *c)
{
    const json_t *list = catalog_json_array(r, root, "tables", CATALOG_TABLES_MAX);
    size_t count = json_array_size(list);

    c->tables = catalog_json_calloc(r, count, sizeof *c->tables);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "tables", i);

        catalog_json_read_table(r, json_array_get(list, i), &c->tables[i]);
        if (r->rc == 0) {
            c->tables_count = i + 1;
            json_check_place(r, c, i);
        }
        catalog_json_leave(r, mark);
    }
    if (r->rc == 0)
        json_check_ids(r, c);
}

/* The format number comes first: a newer document may look different everywhere else. */
static void json_check_format(struct json_reader *r, const json_t *root)
{
    int64_t format;

    if (!json_is_object(root)) {
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

static void json_read_root(struct json_reader *r, const json_t *root, struct catalog *c)
{
    static const char *const members[] = {
        "format", "version", "table_id_next", "schemas", "tables"};

    json_check_format(r, root);
    catalog_json_members(r, root, members, DN_ARRAY_SIZE(members), NULL);
    c->version = (uint64_t)catalog_json_int(r, root, "version", 0, INT64_MAX);
    c->table_id_next = (uint64_t)catalog_json_int(r, root, "table_id_next", 1, INT64_MAX);
    json_read_schemas(r, root, c);
    json_read_tables(r, root, c);
}

static int json_load(const void *p, size_t n, json_t **ret_root, struct dn_err *err)
{
    json_error_t why;
    char *near;

    DN_IGNORE(catalog_json_nomem()); /* forgets an old failure */
    *ret_root = json_loadb(p, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    if (*ret_root)
        return 0;
    if (catalog_json_nomem())
        return DN_FAIL_NOMEM(err);
    near = strstr(why.text, " near "); /* the bytes there may be anything */
    if (near)
        *near = '\0';
    return DN_FAIL(err,
                   DN_E_CORRUPT,
                   "catalog: line %d, column %d: %s",
                   why.line,
                   why.column,
                   why.text[0] ? why.text : "not JSON");
}

int catalog_parse(const void *p, size_t n, struct catalog **ret, struct dn_err *err)
{
    struct json_reader r = {.err = err};
    struct catalog *c;
    json_t *root;
    int rc;

    catalog_json_init();
    rc = json_load(p, n, &root, err);
    if (rc < 0)
        return rc;
    c = catalog_new();
    if (!c) {
        json_decref(root);
        return DN_FAIL_NOMEM(err);
    }
    json_read_root(&r, root, c);
    json_decref(root);
    if (r.rc < 0) {
        catalog_unref(c);
        return r.rc;
    }
    *ret = c;
    return 0;
}

static json_t *json_write_root(const struct catalog *c, bool *ok)
{
    json_t *root = json_object();
    json_t *schemas = json_array();
    json_t *tables = json_array();

    catalog_json_set(root, "format", json_integer(CATALOG_FORMAT), ok);
    catalog_json_set(root, "version", json_integer((json_int_t)c->version), ok);
    catalog_json_set(root, "table_id_next", json_integer((json_int_t)c->table_id_next), ok);
    for (size_t i = 0; *ok && i < c->schemas_count; i++) {
        json_t *s = json_object();

        catalog_json_set(s, "name", json_string(c->schemas[i].name), ok);
        catalog_json_set(s, "replication", json_string(c->schemas[i].replication), ok);
        catalog_json_append(schemas, s, ok);
    }
    for (size_t i = 0; *ok && i < c->tables_count; i++)
        catalog_json_append(tables, catalog_json_write_table(c->tables[i], ok), ok);
    catalog_json_set(root, "schemas", schemas, ok);
    catalog_json_set(root, "tables", tables, ok);
    return root;
}

static int json_dump_to(const char *bytes, size_t n, void *arg)
{
    struct buf *b = arg;

    buf_append(b, bytes, n);
    return b->failed ? -1 : 0;
}

int catalog_print(const struct catalog *c, struct buf *ret, struct dn_err *err)
{
    bool ok = true;
    json_t *root;

    catalog_json_init();
    root = json_write_root(c, &ok);
    if (ok && json_dump_callback(root, json_dump_to, ret, JSON_DUMP_FLAGS) != 0)
        ok = false;
    json_decref(root);
    buf_u8(ret, '\n');
    /* All texts were checked when they came in, so only memory can fail. */
    return ok && !ret->failed ? 0 : DN_FAIL_NOMEM(err);
}
