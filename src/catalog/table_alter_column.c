/* SPDX-License-Identifier: Apache-2.0
 *
 * table_alter_column.c: what ALTER COLUMN changes of a column that keeps its id, so that stored
 * values stay what they are. */
#include "catalog/table_alter.h"
#include "catalog/table_int.h"
#include "vec/widen.h"

#include <string.h>

int table_set_not_null(struct table *t,
                       const struct spec_name *name,
                       bool not_null,
                       struct dn_err *err)
{
    uint16_t col;
    int rc = table_find_column(t, name, &col, err);

    if (rc < 0)
        return rc;
    if (!not_null && t->columns[col].key_pos > 0)
        return table_at(
            DN_FAIL(err, DN_E_BAD_TABLE, "column \"%s\" is in a primary key", t->columns[col].name),
            err,
            name->pos);
    if (!not_null && col == t->time_col)
        return table_at(DN_FAIL(err,
                                DN_E_BAD_TABLE,
                                "column \"%s\" decides in which slab a row is: it stays NOT NULL",
                                t->columns[col].name),
                        err,
                        name->pos);
    t->columns[col].not_null = not_null;
    return 0;
}

/* Do values with these lengths or digits fit those? Only then nothing stored changes; whether each
 * value fits shorter ones is the caller's concern. */
static bool
alter_mods_same_values(enum type_id type, const struct type_mods *from, const struct type_mods *to)
{
    if (from->count == to->count && memcmp(from->v, to->v, from->count * sizeof *from->v) == 0)
        return true;
    if (type_is_text(type))
        return true;
    if (type != TYPE_NUMERIC)
        return false;
    if (to->count == 0)
        return true;
    /* as many digits behind the point, and not fewer before it */
    return from->count == 2 && to->count == 2 && from->v[1] == to->v[1] && from->v[0] <= to->v[0];
}

bool table_same_values(const struct column *c, enum type_id type, const struct type_mods *mods)
{
    return c->type == type && alter_mods_same_values(type, &c->mods, mods);
}

void table_set_mods(struct table *t, uint16_t col, const struct type_mods *mods)
{
    t->columns[col].mods = *mods;
}

bool table_widens(const struct table *t, uint16_t col, enum type_id type)
{
    const struct column *c = &t->columns[col];

    if (!type_widens(c->type, type) || c->key_pos > 0 || t->time_col == (int)col ||
        c->source != COLUMN_DEFAULT)
        return false;
    for (uint16_t i = 0; i < t->constraints_count; i++) {
        const struct table_constraint *k = &t->constraints[i];

        for (uint16_t j = 0; k->kind == TABLE_CHECK && j < k->cols_count; j++)
            if (k->cols[j] == col)
                return false;
    }
    return true;
}

void table_widen(struct table *t, uint16_t col, enum type_id type)
{
    struct column *c = &t->columns[col];

    if (c->has_default)
        c->def = datum_widen(&c->def, type);
    c->type = type;
    c->mods = (struct type_mods){.count = 0};
}

int table_change_type(struct table *t,
                      uint16_t col,
                      const struct column_spec *spec,
                      struct dn_err *err)
{
    struct column fresh = {.type = spec->type};
    struct column *c = &t->columns[col];
    int rc = table_copy_default(spec, &fresh, err);

    if (rc < 0)
        return rc;
    table_free_default(c);
    c->type = spec->type;
    c->mods = spec->mods;
    c->has_default = fresh.has_default;
    c->def = fresh.def;
    if (c->def_sql && strcmp(c->def_sql, "NULL") == 0) { /* DROP DEFAULT: there is none to hide */
        mem_free(c->def_sql);
        c->def_sql = NULL;
    }
    return 0;
}

/* ---- the key ---- */

/* A column that joins the key: all existing rows have the same value of it, so their identity and
 * their order do not change. */
int table_check_join_key(const struct table *t, const struct column_spec *spec, struct dn_err *err)
{
    bool fine = type_is_int(spec->type) || type_is_timestamp(spec->type) ||
                type_is_string(spec->type) || type_is_wide(spec->type) ||
                spec->type == TYPE_BOOLEAN;
    int rc = 0;

    if (t->form == KEY_NONE)
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "table \"%s\" has no primary key that column \"%s\" could join",
                     t->name,
                     spec->name.s);
    else if (!spec->has_default || spec->def_sql || spec->def.null)
        rc = DN_FAIL(err,
                     DN_E_KEY_RULE,
                     "key column \"%s\" has no constant DEFAULT for the rows there are",
                     spec->name.s);
    else if (spec->null_given)
        rc =
            DN_FAIL(err, DN_E_KEY_RULE, "key column \"%s\" may not be declared NULL", spec->name.s);
    else if (!fine)
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "a column of type %s cannot join the primary key",
                     type_name(spec->type));
    return rc < 0 ? table_at(rc, err, spec->pk_pos) : 0;
}

/* The last column becomes the last of the key. */
int table_join_key(struct table *t, struct dn_err *err)
{
    uint16_t col = (uint16_t)(t->columns_count - 1);
    struct key_part *grown =
        mem_realloc(NULL, t->local, (size_t)(t->local_count + 1) * sizeof *grown);

    if (!grown)
        return DN_FAIL_NOMEM(err);
    t->local = grown;
    t->local[t->local_count++] = (struct key_part){.col = col};
    t->columns[col].not_null = true;
    mem_free(t->rest);
    t->rest = NULL;
    return table_derive(t, err);
}
