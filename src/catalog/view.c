/* SPDX-License-Identifier: Apache-2.0
 *
 * view.c: life of a view, and its text. */
#include "catalog/view.h"

#include "catalog/catalog.h"
#include "catalog/table_int.h"

#include <string.h>

struct view *view_new(void)
{
    struct view *v = mem_calloc(NULL, 1, sizeof *v);

    if (v)
        atomic_init(&v->refs, 1);
    return v;
}

struct view *view_ref(const struct view *v)
{
    struct view *owned;

    /* References are shared by readers that hold a const view; only the counter changes. */
    memcpy(&owned, &v, sizeof owned);
    atomic_fetch_add_explicit(&owned->refs, 1, memory_order_relaxed);
    return owned;
}

void view_unref(struct view *v)
{
    if (!v || atomic_fetch_sub_explicit(&v->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; v->columns && i < v->columns_count; i++)
        mem_free(v->columns[i].name);
    for (uint32_t i = 0; v->uses && i < v->uses_count; i++)
        mem_free(v->uses[i].columns);
    mem_free(v->columns);
    mem_free(v->uses);
    mem_free(v->schema);
    mem_free(v->name);
    mem_free(v->query);
    mem_free(v->comment);
    mem_free(v);
}

/* ---- building ---- */

static int view_check_columns(const struct view_spec *s, struct dn_err *err)
{
    for (uint32_t i = 0; i < s->columns_count; i++) {
        struct spec_name name = {.s = s->names[i]};
        int rc = table_check_name("column", &name, err);

        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(s->names[k], s->names[i]) == 0)
                return DN_FAIL(err,
                               DN_E_DUPLICATE_COLUMN,
                               "column \"%s\" specified more than once",
                               s->names[i]);
    }
    return 0;
}

static int view_check_spec(const struct view_spec *s, struct dn_err *err)
{
    struct spec_name name = {.s = s->name};
    int rc = table_check_name("view", &name, err);

    if (rc < 0)
        return rc;
    if (s->columns_count > VIEW_COLUMNS_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_MANY_COLUMNS,
                       "a view may have %u columns at most, this one has %u",
                       VIEW_COLUMNS_MAX,
                       s->columns_count);
    if (s->query_len == 0 || s->query_len > VIEW_QUERY_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "the query of a view may have %u bytes, this one has %zu",
                       VIEW_QUERY_MAX,
                       s->query_len);
    if (s->uses_count > VIEW_USES_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_COMPLEX,
                       "a view may read %u tables at most, this one reads %u",
                       VIEW_USES_MAX,
                       s->uses_count);
    return view_check_columns(s, err);
}

static bool view_copy_uses(struct view *v, const struct view_use *uses, uint32_t count)
{
    v->uses = mem_calloc(NULL, count, sizeof *v->uses);
    if (!v->uses)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct view_use *from = &uses[i];

        v->uses[i].id = from->id;
        v->uses_count = i + 1;
        v->uses[i].columns = mem_calloc(NULL, from->columns_count, sizeof *from->columns);
        if (!v->uses[i].columns)
            return false;
        if (from->columns_count)
            memcpy(v->uses[i].columns, from->columns, from->columns_count * sizeof *from->columns);
        v->uses[i].columns_count = from->columns_count;
    }
    return true;
}

int view_build(const struct view_spec *s, struct view **ret, struct dn_err *err)
{
    struct view *v;
    int rc = view_check_spec(s, err);

    if (rc < 0)
        return rc;
    v = view_new();
    if (!v)
        return DN_FAIL_NOMEM(err);
    v->temp = s->temp;
    v->writable = s->writable;
    v->check = s->check;
    v->schema = mem_strdup(NULL, s->schema);
    v->name = mem_strdup(NULL, s->name);
    v->query = mem_calloc(NULL, s->query_len + 1, 1);
    v->columns = mem_calloc(NULL, s->columns_count, sizeof *v->columns);
    if (!v->schema || !v->name || !v->query || !v->columns)
        goto nomem;
    memcpy(v->query, s->query, s->query_len);
    for (uint32_t i = 0; i < s->columns_count; i++) {
        v->columns[i].name = mem_strdup(NULL, s->names[i]);
        v->columns[i].type = s->types[i];
        v->columns_count = i + 1;
        if (!v->columns[i].name)
            goto nomem;
    }
    if (!view_copy_uses(v, s->uses, s->uses_count))
        goto nomem;
    *ret = v;
    return 0;
nomem:
    view_unref(v);
    return DN_FAIL_NOMEM(err);
}

int view_copy(const struct view *v, struct view **ret, struct dn_err *err)
{
    struct view *n = view_new();

    if (!n)
        return DN_FAIL_NOMEM(err);
    n->id = v->id;
    n->temp = v->temp;
    n->writable = v->writable;
    n->check = v->check;
    n->comment = v->comment ? mem_strdup(NULL, v->comment) : NULL;
    n->schema = mem_strdup(NULL, v->schema);
    n->name = mem_strdup(NULL, v->name);
    n->query = mem_strdup(NULL, v->query);
    n->columns = mem_calloc(NULL, v->columns_count, sizeof *n->columns);
    if (!n->schema || !n->name || !n->query || !n->columns || (v->comment && !n->comment))
        goto nomem;
    for (uint32_t i = 0; i < v->columns_count; i++) {
        n->columns[i].name = mem_strdup(NULL, v->columns[i].name);
        n->columns[i].type = v->columns[i].type;
        n->columns_count = i + 1;
        if (!n->columns[i].name)
            goto nomem;
    }
    if (!view_copy_uses(n, v->uses, v->uses_count))
        goto nomem;
    *ret = n;
    return 0;
nomem:
    view_unref(n);
    return DN_FAIL_NOMEM(err);
}

/* ---- questions ---- */

int view_check(const struct view *v, struct dn_err *err)
{
    if (v->name[0] == '\0')
        return DN_FAIL(err, DN_E_CORRUPT, "name: empty");
    if (v->query[0] == '\0')
        return DN_FAIL(err, DN_E_CORRUPT, "query: empty");
    for (uint32_t i = 0; i < v->columns_count; i++) {
        if (v->columns[i].name[0] == '\0')
            return DN_FAIL(err, DN_E_CORRUPT, "columns[%u].name: empty", i);
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(v->columns[k].name, v->columns[i].name) == 0)
                return DN_FAIL(
                    err, DN_E_CORRUPT, "columns[%u].name: \"%s\" twice", i, v->columns[i].name);
    }
    for (uint32_t i = 0; i < v->uses_count; i++) {
        const struct view_use *u = &v->uses[i];

        if (i > 0 && u[-1].id >= u->id)
            return DN_FAIL(err, DN_E_CORRUPT, "uses[%u].id: out of order", i);
        for (uint32_t k = 1; k < u->columns_count; k++)
            if (u->columns[k - 1] >= u->columns[k])
                return DN_FAIL(err, DN_E_CORRUPT, "uses[%u].columns: out of order", i);
    }
    return 0;
}

bool view_reads(const struct view *v, uint64_t id, uint32_t column)
{
    for (uint32_t i = 0; i < v->uses_count; i++) {
        if (v->uses[i].id != id)
            continue;
        for (uint32_t k = 0; column != 0 && k < v->uses[i].columns_count; k++)
            if (v->uses[i].columns[k] == column)
                return true;
        return column == 0;
    }
    return false;
}

static void view_print_name(const struct view *v, struct buf *b)
{
    if (!v->temp && strcmp(v->schema, CATALOG_SCHEMA_DEFAULT) != 0) {
        table_print_ident(v->schema, b);
        buf_u8(b, '.');
    }
    table_print_ident(v->name, b);
}

void view_print_create(const struct view *v, struct buf *b)
{
    buf_puts(b, v->temp ? "CREATE TEMP VIEW " : "CREATE VIEW ");
    view_print_name(v, b);
    for (uint32_t i = 0; i < v->columns_count; i++) {
        buf_puts(b, i ? ", " : " (");
        table_print_ident(v->columns[i].name, b);
    }
    buf_puts(b, v->columns_count ? ") AS " : " AS ");
    buf_puts(b, v->query);
    buf_puts(b,
             v->check == VIEW_CHECK_LOCAL      ? " WITH LOCAL CHECK OPTION"
             : v->check == VIEW_CHECK_CASCADED ? " WITH CASCADED CHECK OPTION"
                                               : "");
    buf_puts(b, ";");
    if (!v->comment)
        return;
    buf_puts(b, "\nCOMMENT ON VIEW ");
    view_print_name(v, b);
    buf_puts(b, " IS ");
    table_print_text(v->comment, b);
    buf_puts(b, ";");
}
