/* SPDX-License-Identifier: Apache-2.0
 *
 * table_build.c: from what the parser saw to a definition: names and columns here, the key in
 * table_key.c, the WITH list in table_options.c. The first broken rule ends it; nothing half-made
 * is left. */
#include "base/text.h"
#include "catalog/table_constraint.h"
#include "catalog/table_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void table_names_add(struct table_names *n, const char *name)
{
    const char *quote = n->bare ? "" : "\"";
    char one[TABLE_NAME_MAX + 8];
    int len;

    len = snprintf(one, sizeof one, "%s%s%s%s", n->count ? ", " : "", quote, name, quote);
    n->count++;
    if (n->full)
        return;
    /* Room is kept for the ellipsis. */
    if (len < 0 || (size_t)len >= sizeof one || n->len + (size_t)len + 8 > sizeof n->text) {
        n->full = true;
        len = snprintf(one, sizeof one, "%s…", n->len ? ", " : "");
    }
    memcpy(n->text + n->len, one, (size_t)len + 1);
    n->len += (size_t)len;
}

int table_check_name(const char *what, const struct spec_name *name, struct dn_err *err)
{
    size_t len = strlen(name->s);
    int rc = 0;

    if (len == 0)
        rc = DN_FAIL(err, DN_E_BAD_NAME, "the %s name is empty", what);
    else if (len > TABLE_NAME_MAX)
        rc = DN_FAIL(err,
                     DN_E_BAD_NAME,
                     "the %s name \"%.40s…\" has %zu bytes, the most is %u",
                     what,
                     name->s,
                     len,
                     TABLE_NAME_MAX);
    else if (!text_value_valid(name->s, len))
        rc = DN_FAIL(err, DN_E_BAD_ENCODING, "the %s name is not valid UTF-8", what);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

/* A default must be a value the column could hold. */
static int build_check_default(const struct column_spec *from, struct dn_err *err)
{
    const struct datum *def = &from->def;
    const char *name = from->name.s;

    if (def->null)
        return !from->not_null ? 0
                               : DN_FAIL(err,
                                         DN_E_NOT_NULL,
                                         "column \"%s\" is NOT NULL, but its DEFAULT is NULL",
                                         name);
    if (def->type != from->type)
        return DN_FAIL(err,
                       DN_E_DATATYPE_MISMATCH,
                       "the DEFAULT of column \"%s\" is %s, the column is %s",
                       name,
                       type_name(def->type),
                       type_name(from->type));
    if (type_is_float(from->type) && !isfinite(def->v.f64))
        return DN_FAIL(
            err, DN_E_NOT_A_NUMBER, "the DEFAULT of column \"%s\" is no finite number", name);
    if (type_is_utf8(from->type) && !text_value_valid(def->str.ptr, def->str.len))
        return DN_FAIL(
            err, DN_E_BAD_ENCODING, "the DEFAULT of column \"%s\" is not valid UTF-8", name);
    return 0;
}

int table_copy_default(const struct column_spec *from, struct column *to, struct dn_err *err)
{
    to->has_default = from->has_default;
    if (!from->has_default)
        return 0;
    to->def = from->def;
    to->def.type = from->type;
    if (!type_is_string(from->type) || from->def.null)
        return 0;
    to->def.str = (struct vstr){0};
    to->def.str.ptr = mem_dup(NULL, from->def.str.ptr, from->def.str.len);
    if (!to->def.str.ptr)
        return DN_FAIL_NOMEM(err);
    to->def.str.len = from->def.str.len;
    return 0;
}

static int build_check_parts(const struct column_spec *from, struct dn_err *err)
{
    if (from->type == TYPE_NONE || !type_known(from->type))
        return DN_FAIL(err, DN_E_DATATYPE_MISMATCH, "column \"%s\" has no type", from->name.s);
    if (!type_storable(from->type))
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "column \"%s\": no column can be of type %s",
                       from->name.s,
                       type_name(from->type));
    if (!type_mods_good(from->type, &from->mods))
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "column \"%s\": %s has no such length or precision",
                       from->name.s,
                       type_name(from->type));
    if (from->not_null && from->null_given)
        return DN_FAIL(
            err, DN_E_SYNTAX, "column \"%s\" is declared both NULL and NOT NULL", from->name.s);
    if (from->def_sql && strlen(from->def_sql) > TABLE_SQL_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_LONG,
                       "the DEFAULT of column \"%s\" is longer than %u bytes",
                       from->name.s,
                       TABLE_SQL_MAX);
    return from->has_default ? build_check_default(from, err) : 0;
}

int table_check_column(const struct column_spec *from, struct dn_err *err)
{
    int rc = table_check_name("column", &from->name, err);

    if (rc < 0)
        return rc;
    rc = build_check_parts(from, err);
    return rc < 0 ? table_at(rc, err, from->name.pos) : 0;
}

int table_put_column(struct table *t, const struct column_spec *from, struct dn_err *err)
{
    struct column *to = &t->columns[t->columns_count++];

    to->id = t->column_id_next++;
    to->type = from->type;
    to->mods = from->mods;
    to->not_null = from->not_null;
    to->source = from->source;
    to->name = mem_strdup(NULL, from->name.s);
    if (!to->name)
        return DN_FAIL_NOMEM(err);
    if (from->def_sql) {
        to->def_sql = mem_strdup(NULL, from->def_sql);
        if (!to->def_sql)
            return DN_FAIL_NOMEM(err);
    }
    return table_copy_default(from, to, err);
}

static int build_check_twice(const struct table_builder *b, size_t at)
{
    const struct spec_name *name = &b->spec->columns[at].name;

    for (size_t i = 0; i < at; i++)
        if (strcmp(b->spec->columns[i].name.s, name->s) == 0)
            return table_at(DN_FAIL(b->err,
                                    DN_E_DUPLICATE_COLUMN,
                                    "column \"%s\" specified more than once",
                                    name->s),
                            b->err,
                            name->pos);
    return 0;
}

static int build_columns(const struct table_builder *b)
{
    const struct table_spec *spec = b->spec;
    struct table *t = b->t;
    int rc;

    if (spec->columns_count > TABLE_COLUMNS_MAX)
        return table_at(DN_FAIL(b->err,
                                DN_E_TOO_MANY_COLUMNS,
                                "table \"%s\" has %zu columns, the most is %u",
                                spec->name.s,
                                spec->columns_count,
                                TABLE_COLUMNS_MAX),
                        b->err,
                        spec->columns[TABLE_COLUMNS_MAX].name.pos);
    t->columns = mem_calloc(NULL, spec->columns_count, sizeof *t->columns);
    if (!t->columns)
        return DN_FAIL_NOMEM(b->err);
    for (size_t i = 0; i < spec->columns_count; i++) {
        rc = build_check_twice(b, i);
        if (rc < 0)
            return rc;
        rc = table_check_column(&spec->columns[i], b->err);
        if (rc < 0)
            return rc;
        rc = table_put_column(t, &spec->columns[i], b->err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The key and the time column make columns NOT NULL; a NULL default does not go with that. */
static int build_check_implied(const struct table_builder *b)
{
    for (size_t i = 0; i < b->t->columns_count; i++) {
        const struct column *c = &b->t->columns[i];

        if (c->not_null && c->has_default && c->def.null)
            return table_at(DN_FAIL(b->err,
                                    DN_E_NOT_NULL,
                                    "column \"%s\" is NOT NULL as a key or time column, but its "
                                    "DEFAULT is NULL",
                                    c->name),
                            b->err,
                            b->spec->columns[i].name.pos);
    }
    return 0;
}

static int build_steps(struct table_builder *b)
{
    int rc;

    rc = table_check_name("schema", &b->spec->schema, b->err);
    if (rc < 0)
        return rc;
    rc = table_check_name("table", &b->spec->name, b->err);
    if (rc < 0)
        return rc;
    b->t->temp = b->spec->temp;
    b->t->schema = mem_strdup(NULL, b->spec->schema.s);
    b->t->name = mem_strdup(NULL, b->spec->name.s);
    if (!b->t->schema || !b->t->name)
        return DN_FAIL_NOMEM(b->err);
    rc = build_columns(b);
    if (rc < 0)
        return rc;
    rc = table_build_key(b);
    if (rc < 0)
        return rc;
    rc = table_build_options(b);
    if (rc < 0)
        return rc;
    rc = build_check_implied(b);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < b->spec->constraints_count; i++) {
        rc = table_add_constraint(b->t, &b->spec->constraints[i], b->err);
        if (rc < 0)
            return rc;
    }
    return table_lay_out(b->t, b->err);
}

int table_build(const struct table_spec *spec, struct table **ret_table, struct dn_err *err)
{
    struct table_builder b = {.spec = spec, .err = err};
    int rc;

    b.t = table_new();
    if (!b.t)
        return DN_FAIL_NOMEM(err);
    rc = build_steps(&b);
    if (rc < 0) {
        table_unref(b.t);
        return rc;
    }
    DN_DCHECK(table_check(b.t, NULL) == 0);
    *ret_table = b.t;
    return 0;
}
