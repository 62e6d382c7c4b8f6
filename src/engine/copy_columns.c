/* SPDX-License-Identifier: Apache-2.0
 *
 * copy_columns.c: the columns that FORCE_QUOTE, FORCE_NOT_NULL and FORCE_NULL of COPY name. They
 * are found before the client is asked for rows. */
#include "engine/engine_int.h"
#include "engine/names.h"

#include <string.h>
#include <strings.h>

/* ---- reading ---- */

static int copy_fail_value(const struct option_spec *o, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_INVALID_PARAM,
                     "option %s wants columns in parentheses, not \"%s\"",
                     o->name.s,
                     o->value ? o->value : "");

    dn_err_at(err, o->value_pos);
    return rc;
}

/* One name of the list as the parser printed it: plain, or in double quotes. */
static const char *copy_name(const char **at, struct arena *arena)
{
    const char *p = *at;
    size_t n = 0;
    char *to;

    if (*p != '"') {
        n = strcspn(p, ",)");
        *at = p + n;
        return arena_strndup(arena, p, n);
    }
    to = arena_strndup(arena, p, strlen(p));
    for (p++; to && *p; p++) {
        if (p[0] == '"' && p[1] != '"')
            break;
        p += p[0] == '"';
        to[n++] = *p;
    }
    if (to)
        to[n] = '\0';
    *at = *p ? p + 1 : p;
    return to;
}

int copy_take_columns(struct arena *arena,
                      const struct option_spec *o,
                      struct copy_columns *ret,
                      struct dn_err *err)
{
    const char *p = o->value;
    struct spec_name *list;
    uint32_t cap = 1;

    *ret = (struct copy_columns){.given = true, .all = p && strcmp(p, "*") == 0};
    if (ret->all)
        return 0;
    if (!p || p[0] != '(')
        return copy_fail_value(o, err);
    for (const char *c = p; *c; c++)
        cap += *c == ',';
    list = arena_calloc(arena, cap, sizeof(*list));
    if (!list)
        return DN_FAIL_NOMEM(err);
    p++;
    while (*p && *p != ')' && ret->count < cap) {
        list[ret->count] = (struct spec_name){.s = copy_name(&p, arena), .pos = o->value_pos};
        if (!list[ret->count].s)
            return DN_FAIL_NOMEM(err);
        ret->count++;
        p += strspn(p, ", ");
    }
    ret->list = list;
    return 0;
}

/* ---- finding ---- */

/* The fields of a COPY, in their order, and the table they are of, if they are of one. */
struct copy_fields {
    const char **names;
    uint32_t count;
    const struct table *table;
};

static int copy_fields_make(struct dendro_stmt *stmt, struct copy_fields *ret, struct dn_err *err)
{
    const struct copy_stmt *ast = stmt->ast->copy;
    const struct intake_target *to = &stmt->insert;
    struct catalog_relation r = {.table = NULL};
    struct dn_err ignored;

    ret->count = ast->from ? to->cols_count : stmt->plan ? stmt->plan->cols_count : 0;
    ret->names = arena_calloc(&stmt->compiled, (size_t)ret->count + 1, sizeof(*ret->names));
    ret->table = ast->from ? to->table : NULL;
    if (!ret->names)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < ret->count; i++)
        ret->names[i] = ast->from ? to->table->columns[to->cols[i]].name : stmt->plan->cols[i].name;
    if (!ast->from && ast->columns &&
        session_relation(stmt->conn, stmt->catalog, &ast->table, &r, &ignored) == 0)
        ret->table = r.table;
    return 0;
}

/* The field of that name, else the only one of that name in any case; -1: there is none, -2: there
 * are several. */
static int64_t copy_field_find(const struct copy_fields *f, const char *name)
{
    int64_t found = -1;

    for (uint32_t i = 0; i < f->count; i++) {
        if (strcmp(f->names[i], name) == 0)
            return i;
        if (strcasecmp(f->names[i], name) == 0)
            found = found == -1 ? (int64_t)i : -2;
    }
    return found;
}

static int copy_fail_name(const struct copy_fields *f,
                          const char *option,
                          const struct spec_name *name,
                          bool ambiguous,
                          struct dn_err *err)
{
    int rc;

    if (ambiguous)
        rc = DN_FAIL(err, DN_E_AMBIGUOUS, "column reference \"%s\" is ambiguous", name->s);
    else if (f->table && table_column_find(f->table, name->s, strlen(name->s)) >= 0)
        rc = DN_FAIL(
            err, DN_E_INVALID_COLUMN, "%s column \"%s\" not referenced by COPY", option, name->s);
    else
        rc = DN_FAIL(err, DN_E_UNDEFINED_COLUMN, "column \"%s\" does not exist", name->s);
    dn_err_at(err, name->pos);
    return rc;
}

static int copy_find_option(struct dendro_stmt *stmt,
                            const struct copy_fields *f,
                            const char *option,
                            struct copy_columns *cols,
                            struct dn_err *err)
{
    bool *fields;

    if (!cols->given)
        return 0;
    fields = arena_calloc(&stmt->compiled, (size_t)f->count + 1, sizeof(*fields));
    if (!fields)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < f->count; i++)
        fields[i] = cols->all;
    for (uint32_t i = 0; i < cols->count; i++) {
        int64_t at = copy_field_find(f, cols->list[i].s);

        if (at < 0)
            return copy_fail_name(f, option, &cols->list[i], at == -2, err);
        if (fields[at]) {
            int rc = DN_FAIL(err,
                             DN_E_DUPLICATE_COLUMN,
                             "column \"%s\" specified more than once",
                             cols->list[i].s);

            dn_err_at(err, cols->list[i].pos);
            return rc;
        }
        fields[at] = true;
    }
    cols->fields = fields;
    return 0;
}

int copy_find_columns(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct copy_fields f;
    int rc = copy_fields_make(stmt, &f, err);

    if (rc < 0)
        return rc;
    rc = copy_find_option(stmt, &f, "FORCE_QUOTE", &stmt->copy.quote, err);
    if (rc < 0)
        return rc;
    rc = copy_find_option(stmt, &f, "FORCE_NOT_NULL", &stmt->copy.not_null, err);
    if (rc < 0)
        return rc;
    return copy_find_option(stmt, &f, "FORCE_NULL", &stmt->copy.null, err);
}
