/* SPDX-License-Identifier: Apache-2.0
 *
 * identity.c: ALTER COLUMN ADD GENERATED, SET GENERATED, RESTART and DROP IDENTITY. What the column
 * says is changed first; its sequence, which names the table, in the same edit behind it. */
#include "engine/sequence_ddl.h"

#include <stdio.h>

static int identity_fail(const struct table *t,
                         const struct column *c,
                         const char *what,
                         uint32_t pos,
                         struct dn_err *err)
{
    int rc =
        DN_FAIL(err, DN_E_NOT_READY, "column \"%s\" of relation \"%s\" %s", c->name, t->name, what);

    dn_err_at(err, pos);
    return rc;
}

static int identity_add(struct ddl_serials *serials,
                        struct table *t,
                        struct column *c,
                        const struct alter_action *a,
                        struct dn_err *err)
{
    struct column_spec spec = {.name = {.s = c->name, .pos = a->name.pos}, .type = c->type};
    int rc;

    if (!c->not_null)
        return identity_fail(
            t, c, "must be declared NOT NULL before identity can be added", a->name.pos, err);
    if (column_is_identity(c))
        return identity_fail(t, c, "is already an identity column", a->name.pos, err);
    if (c->def_sql || c->has_default)
        return identity_fail(t, c, "already has a default value", a->name.pos, err);
    rc = ddl_serial_add(serials, &spec, &a->def, err);
    if (rc == 0)
        rc = table_set_default(t, &spec.name, spec.def_sql, err);
    if (rc == 0)
        c->source = spec.source;
    return rc;
}

int ddl_identity_alter(struct ddl_serials *serials,
                       struct table *t,
                       const struct alter_action *a,
                       struct dn_err *err)
{
    struct column *c;
    uint16_t col;
    int rc = table_find_column(t, &a->name, &col, err);

    if (rc < 0)
        return rc;
    c = &t->columns[col];
    if (a->kind == ALTER_ADD_IDENTITY)
        return identity_add(serials, t, c, a, err);
    if (!column_is_identity(c))
        return a->if_exists ? 1
                            : identity_fail(t, c, "is not an identity column", a->name.pos, err);
    if (a->kind == ALTER_DROP_IDENTITY)
        return table_set_default(t, &a->name, NULL, err);
    if (a->def.identity != IDENTITY_NONE)
        c->source = a->def.identity == IDENTITY_ALWAYS ? COLUMN_ALWAYS : COLUMN_BY_DEFAULT;
    return 0;
}

int ddl_identity_follow(struct dendro_stmt *stmt,
                        const struct table *was,
                        const struct alter_action *a,
                        struct catalog **cat,
                        struct dn_err *err)
{
    const struct sequence *s;
    struct catalog *next;
    uint16_t col;
    int rc;

    if (a->kind == ALTER_SET_IDENTITY && !a->def.sequence)
        return 0;
    rc = table_find_column(was, &a->name, &col, err);
    if (rc < 0)
        return rc;
    s = catalog_sequence_of(*cat, was->id, was->columns[col].id, true);
    if (!s) /* IF EXISTS, or an action before this one made it */
        return a->kind == ALTER_DROP_IDENTITY
                   ? 0
                   : identity_fail(
                         was, &was->columns[col], "is not an identity column", a->name.pos, err);
    if (a->kind == ALTER_SET_IDENTITY)
        return ddl_sequence_change(stmt, s, a->def.sequence, cat, err);
    rc = catalog_without(*cat, &s->id, 1, &next, err);
    if (rc < 0)
        return rc;
    catalog_unref(*cat);
    *cat = next;
    return 0;
}
