/* SPDX-License-Identifier: Apache-2.0
 *
 * usertype.c: life of a user type, its labels, its place in a catalog, and its text. */
#include "catalog/usertype.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/catalog_int.h"
#include "catalog/table_int.h"
#include "vec/array.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

struct user_type *catalog_type_new(const char *schema, const char *name)
{
    struct user_type *t = mem_calloc(NULL, 1, sizeof *t);

    if (!t)
        return NULL;
    atomic_init(&t->refs, 1);
    if (schema)
        t->schema = mem_strdup(NULL, schema);
    if (name)
        t->name = mem_strdup(NULL, name);
    if ((!schema || t->schema) && (!name || t->name))
        return t;
    catalog_type_unref(t);
    return NULL;
}

struct user_type *catalog_type_ref(const struct user_type *t)
{
    struct user_type *owned;

    /* References are shared by readers that hold a const one; only the counter changes. */
    memcpy(&owned, &t, sizeof owned);
    atomic_fetch_add_explicit(&owned->refs, 1, memory_order_relaxed);
    return owned;
}

void catalog_type_unref(struct user_type *t)
{
    if (!t || atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < t->labels_count; i++)
        mem_free(t->labels[i].name);
    mem_free(t->labels);
    mem_free(t->schema);
    mem_free(t->name);
    mem_free(t->comment);
    mem_free(t);
}

int catalog_type_copy(const struct user_type *t,
                      const char *schema,
                      const char *name,
                      struct user_type **ret,
                      struct dn_err *err)
{
    struct user_type *n = catalog_type_new(schema ? schema : t->schema, name ? name : t->name);

    if (!n)
        return DN_FAIL_NOMEM(err);
    n->number = t->number;
    n->labels = mem_calloc(NULL, t->labels_count, sizeof *n->labels);
    if (t->comment)
        n->comment = mem_strdup(NULL, t->comment);
    if (!n->labels || (t->comment && !n->comment))
        goto nomem;
    for (uint32_t i = 0; i < t->labels_count; i++) {
        n->labels[i].order = t->labels[i].order;
        n->labels[i].name = mem_strdup(NULL, t->labels[i].name);
        if (!n->labels[i].name)
            goto nomem;
        n->labels_count = i + 1;
    }
    *ret = n;
    return 0;
nomem:
    catalog_type_unref(n);
    return DN_FAIL_NOMEM(err);
}

int catalog_type_check(const struct user_type *t, struct dn_err *err)
{
    DN_CHECK_DISK(t->name[0] != '\0', err, "name: empty");
    DN_CHECK_DISK(t->number >= 1 && t->number <= TYPE_ENUM_MAX, err, "number: out of range");
    for (uint32_t i = 0; i < t->labels_count; i++) {
        const struct user_label *l = &t->labels[i];

        DN_CHECK_DISK(l->order >= 1 && l->order <= ENUM_ORDER_MAX &&
                          (i == 0 || l->order > l[-1].order),
                      err,
                      "labels: out of order");
        DN_CHECK_DISK(strlen(l->name) <= USER_TYPE_LABEL_MAX &&
                          text_utf8_valid(l->name, strlen(l->name)) &&
                          catalog_type_label(t, l->name, strlen(l->name)) == l,
                      err,
                      "labels: not a label, or there twice");
    }
    return 0;
}

/* ---- labels ---- */

const struct user_label *catalog_type_label(const struct user_type *t, const char *s, size_t len)
{
    for (uint32_t i = 0; i < t->labels_count; i++)
        if (strlen(t->labels[i].name) == len && memcmp(t->labels[i].name, s, len) == 0)
            return &t->labels[i];
    return NULL;
}

const struct user_label *catalog_type_label_at(const struct user_type *t, int64_t order)
{
    uint32_t low = 0;
    uint32_t high = t->labels_count;

    while (low < high) {
        uint32_t mid = low + (high - low) / 2;

        if (t->labels[mid].order < order)
            low = mid + 1;
        else
            high = mid;
    }
    return low < t->labels_count && t->labels[low].order == order ? &t->labels[low] : NULL;
}

static int type_check_label(const char *name, struct dn_err *err)
{
    if (strlen(name) > USER_TYPE_LABEL_MAX) {
        DN_IGNORE(DN_FAIL(err, DN_E_BAD_NAME, "invalid enum label \"%.200s\"", name)); /* below */
        dn_err_hint(err, "Labels have up to %u bytes.", USER_TYPE_LABEL_MAX);
        return DN_E_BAD_NAME;
    }
    return 0;
}

static int type_no_label(const char *name, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_INVALID_PARAM, "\"%s\" is not an existing enum label", name);
}

/* A number between those of the labels beside place `at`. 0: there is none. */
static int64_t type_order_at(const struct user_type *t, uint32_t at, uint32_t of)
{
    int64_t before = at > 0 ? t->labels[at - 1].order : 0;
    int64_t after = at < t->labels_count ? t->labels[at].order : ENUM_ORDER_MAX + 1;
    int64_t step = ENUM_ORDER_MAX / 2 / ((int64_t)of + 1);

    step = step < USER_TYPE_STEP ? step : USER_TYPE_STEP;
    if (at == t->labels_count && before + step < after)
        return before + step;
    return after - before > 1 ? before + (after - before) / 2 : 0;
}

int catalog_type_add(struct user_type *t, const struct user_label_spec *spec, struct dn_err *err)
{
    const struct user_label *beside = NULL;
    struct user_label *more;
    struct user_label l;
    uint32_t at = t->labels_count;
    int rc = type_check_label(spec->name, err);

    if (rc < 0)
        return rc;
    if (catalog_type_label(t, spec->name, strlen(spec->name)))
        return spec->if_missing ? DN_NOT_FOUND
                                : DN_FAIL(err,
                                          DN_E_DUPLICATE_OBJECT,
                                          "enum label \"%s\" already exists",
                                          spec->name);
    if (spec->neighbor) {
        beside = catalog_type_label(t, spec->neighbor, strlen(spec->neighbor));
        if (!beside)
            return type_no_label(spec->neighbor, err);
        at = (uint32_t)(beside - t->labels) + (spec->after ? 1 : 0);
    }
    l.order = type_order_at(t, at, spec->of);
    if (t->labels_count >= USER_TYPE_LABELS_MAX || l.order == 0) {
        DN_IGNORE(DN_FAIL(err, /* returned below */
                          DN_E_TOO_COMPLEX,
                          "type \"%s\" has no room for another label there",
                          t->name));
        dn_err_hint(err, "Make a new type, and ALTER COLUMN … TYPE … USING.");
        return DN_E_TOO_COMPLEX;
    }
    more = mem_calloc(NULL, (size_t)t->labels_count + 1, sizeof *more);
    l.name = mem_strdup(NULL, spec->name);
    if (!more || !l.name) {
        mem_free(more);
        mem_free(l.name);
        return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < t->labels_count; i++)
        more[i + (i >= at)] = t->labels[i];
    more[at] = l;
    mem_free(t->labels);
    t->labels = more;
    t->labels_count++;
    return 0;
}

int catalog_type_rename_label(struct user_type *t,
                              const char *was,
                              const char *now,
                              struct dn_err *err)
{
    const struct user_label *l = catalog_type_label(t, was, strlen(was));
    char *name;
    int rc = type_check_label(now, err);

    if (rc < 0)
        return rc;
    if (!l)
        return type_no_label(was, err);
    if (catalog_type_label(t, now, strlen(now)))
        return DN_FAIL(err, DN_E_DUPLICATE_OBJECT, "enum label \"%s\" already exists", now);
    name = mem_strdup(NULL, now);
    if (!name)
        return DN_FAIL_NOMEM(err);
    mem_free(t->labels[l - t->labels].name);
    t->labels[l - t->labels].name = name;
    return 0;
}

/* ---- look-ups ---- */

const struct user_type *catalog_type_by_number(const struct catalog *c, uint32_t number)
{
    for (size_t i = 0; i < c->types_count; i++)
        if (c->types[i]->number == number)
            return c->types[i];
    return NULL;
}

const struct user_type *
catalog_type_in(const struct catalog *c, const char *schema, const char *name)
{
    const struct user_type *found = NULL;
    uint32_t alike = 0;

    for (size_t i = 0; i < c->types_count; i++) {
        const struct user_type *t = c->types[i];

        if (strcmp(t->schema, schema) != 0 || strcasecmp(t->name, name) != 0)
            continue;
        if (strcmp(t->name, name) == 0)
            return t;
        found = t;
        alike++;
    }
    return alike == 1 ? found : NULL;
}

const struct user_type *catalog_type_find(const struct catalog *c,
                                          const struct catalog_path *path,
                                          const char *given,
                                          const char *name)
{
    const struct user_type *t = NULL;
    const struct schema_def *s;

    if (given) {
        s = catalog_path_schema(c, path, given, NULL);
        return s ? catalog_type_in(c, s->name, name) : NULL;
    }
    if (path->temp)
        t = catalog_type_in(c, path->temp, name);
    if (!t && *path->schema) {
        s = catalog_path_schema(c, path, NULL, NULL);
        t = s ? catalog_type_in(c, s->name, name) : NULL;
    }
    for (const char *at = path->more; !t && at && *at; at += strlen(at) + 1)
        t = catalog_type_in(c, at, name);
    return t;
}

/* ---- edits ---- */

static int type_cmp(const struct user_type *a, const struct user_type *b)
{
    int order = strcmp(a->schema, b->schema);

    return order ? order : strcmp(a->name, b->name);
}

static void type_remove(struct catalog *n, size_t at)
{
    catalog_type_unref(n->types[at]);
    n->types_count--;
    memmove(n->types + at, n->types + at + 1, (n->types_count - at) * sizeof *n->types);
}

static int type_check_free(const struct catalog *c, const struct user_type *t, struct dn_err *err)
{
    struct spec_name name = {.s = t->name};
    struct dn_err taken;
    int rc = table_check_name("type", &name, err);

    if (rc < 0)
        return rc;
    if (!catalog_schema(c, t->schema, NULL))
        return DN_FAIL(err, DN_E_UNDEFINED_SCHEMA, "schema \"%s\" does not exist", t->schema);
    for (size_t i = 0; i < c->types_count; i++)
        if (c->types[i]->number != t->number && type_cmp(c->types[i], t) == 0)
            return DN_FAIL(err, DN_E_DUPLICATE_OBJECT, "type \"%s\" already exists", t->name);
    if (catalog_free_but(c, t->schema, t->name, 0, &taken) == DN_E_DUPLICATE_TABLE)
        return DN_FAIL(err, DN_E_DUPLICATE_OBJECT, "type \"%s\" already exists", t->name);
    return 0;
}

int catalog_with_type(const struct catalog *c,
                      struct user_type *t,
                      struct catalog **ret,
                      struct dn_err *err)
{
    struct catalog *n;
    size_t was = 0;
    size_t at = 0;
    int rc = type_check_free(c, t, err);

    if (rc < 0)
        return rc;
    if (t->number == 0 && c->type_next > TYPE_ENUM_MAX)
        return DN_FAIL(
            err, DN_E_TOO_COMPLEX, "%u types were made, there are no more", TYPE_ENUM_MAX);
    rc = catalog_copy(c, &n, err);
    if (rc < 0)
        return rc;
    while (was < n->types_count && n->types[was]->number != t->number)
        was++;
    if (was < n->types_count)
        type_remove(n, was);
    else
        t->number = n->type_next++;
    while (at < n->types_count && type_cmp(n->types[at], t) < 0)
        at++;
    memmove(n->types + at + 1, n->types + at, (n->types_count - at) * sizeof *n->types);
    n->types[at] = catalog_type_ref(t);
    n->types_count++;
    *ret = n;
    return 0;
}

int catalog_without_types(const struct catalog *c,
                          const uint32_t *numbers,
                          size_t count,
                          struct catalog **ret,
                          struct dn_err *err)
{
    struct catalog *n;
    int rc = catalog_copy(c, &n, err);

    if (rc < 0)
        return rc;
    for (size_t i = n->types_count; i > 0; i--)
        for (size_t k = 0; k < count; k++)
            if (n->types[i - 1]->number == numbers[k]) {
                type_remove(n, i - 1);
                break;
            }
    *ret = n;
    return 0;
}

/* ---- text ---- */

static void type_print_name(const struct user_type *t, struct buf *b)
{
    if (strcmp(t->schema, CATALOG_SCHEMA_DEFAULT) != 0) {
        table_print_ident(t->schema, b);
        buf_u8(b, '.');
    }
    table_print_ident(t->name, b);
}

void catalog_print_type(const struct catalog *c,
                        enum type_id type,
                        const struct type_mods *mods,
                        struct buf *b)
{
    const struct user_type *t =
        c && TYPE_NUMBER(type) ? catalog_type_by_number(c, TYPE_NUMBER(type)) : NULL;

    if (!t) {
        type_print(type, mods, b);
        return;
    }
    type_print_name(t, b);
    buf_puts(b, type_is_array(type) ? "[]" : "");
}

static bool type_print_label(const struct user_type *t, const struct datum *d, struct buf *b)
{
    const struct user_label *l = catalog_type_label_at(t, enum_value_order(d->v.i64));

    if (d->null)
        buf_puts(b, "NULL");
    else if (l)
        table_print_text(l->name, b);
    return d->null || l;
}

static bool type_print_dim(
    const struct user_type *t, const struct varray *a, uint32_t dim, uint32_t *at, struct buf *b)
{
    bool good = true;

    buf_puts(b, dim ? "[" : "ARRAY[");
    for (int32_t i = 0; good && i < a->len[dim]; i++) {
        buf_puts(b, i ? ", " : "");
        good = dim + 1 < a->dims ? type_print_dim(t, a, dim + 1, at, b)
                                 : type_print_label(t, &a->items[(*at)++], b);
    }
    buf_puts(b, "]");
    return good;
}

static bool type_print_labels(const struct user_type *t, const struct datum *d, struct buf *b)
{
    struct arena arena;
    struct varray a;
    uint32_t at = 0;
    bool good;

    arena_init(&arena, NULL);
    good = varray_read(d->str, type_element(d->type), NULL, &arena, &a) == 0;
    buf_puts(b, "CAST(");
    if (good && a.dims > 0)
        good = type_print_dim(t, &a, 0, &at, b);
    else
        buf_puts(b, "'{}'");
    buf_puts(b, " AS ");
    type_print_name(t, b);
    buf_puts(b, "[])");
    arena_done(&arena);
    return good;
}

void catalog_print_literal(const struct catalog *c, const struct datum *d, struct buf *b)
{
    const struct user_type *t =
        c && TYPE_NUMBER(d->type) ? catalog_type_by_number(c, TYPE_NUMBER(d->type)) : NULL;

    if (!t || d->null)
        table_print_literal(d, b);
    else if (!(type_is_array(d->type) ? type_print_labels(t, d, b) : type_print_label(t, d, b)))
        b->failed = true;
}

void catalog_type_print_create(const struct user_type *t, struct buf *b)
{
    buf_puts(b, "CREATE TYPE ");
    type_print_name(t, b);
    buf_puts(b, " AS ENUM (");
    for (uint32_t i = 0; i < t->labels_count; i++) {
        buf_puts(b, i ? ", " : "");
        table_print_text(t->labels[i].name, b);
    }
    buf_puts(b, ");");
    if (!t->comment)
        return;
    buf_puts(b, "\nCOMMENT ON TYPE ");
    type_print_name(t, b);
    buf_puts(b, " IS ");
    table_print_text(t->comment, b);
    buf_puts(b, ";");
}
