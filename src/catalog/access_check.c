/* SPDX-License-Identifier: Apache-2.0
 *
 * access_check.c: may a role do that with an object of the catalog? */
#include "catalog/access_check.h"
#include "catalog/catalog.h"

#include <string.h>
#include <strings.h>

/* Relations of the system: every role reads them, none writes them. */
static bool access_of_system(const char *schema)
{
    return strcmp(schema, "pg_catalog") == 0 || strcmp(schema, "information_schema") == 0;
}

static const char *access_word(const struct catalog_relation *r)
{
    return r->view ? "view" : r->sequence ? "sequence" : "table";
}

struct access_object catalog_object(const struct catalog_relation *r)
{
    return (struct access_object){.kind = r->sequence ? ACCESS_SEQUENCE : ACCESS_RELATION,
                                  .id = r->view            ? r->view->id
                                        : r->sequence      ? r->sequence->id
                                        : r->table->parent ? r->table->parent
                                                           : r->table->id};
}

uint32_t catalog_relation_column(const struct catalog_relation *r, const char *name)
{
    int at;

    if (r->table) {
        at = table_column_find(r->table, name, strlen(name));
        return at < 0 ? 0 : r->table->columns[at].id;
    }
    for (uint32_t i = 0; r->view && i < r->view->columns_count; i++)
        if (strcasecmp(r->view->columns[i].name, name) == 0)
            return i + 1;
    return 0;
}

int catalog_may_schema(
    const struct catalog *c, uint32_t role, const char *schema, uint32_t need, struct dn_err *err)
{
    struct access_object o = {.kind = ACCESS_SCHEMA, .schema = schema};

    if (role == 0 || access_superuser(c->access, role) || access_of_system(schema) ||
        strncmp(schema, CATALOG_TEMP, strlen(CATALOG_TEMP)) == 0 ||
        !(need & ~access_privileges(c->access, role, &o)))
        return 0;
    return DN_FAIL(err, DN_E_DENIED, "permission denied for schema %s", schema);
}

int catalog_may(const struct catalog *c,
                uint32_t role,
                const struct catalog_relation *r,
                uint32_t need,
                struct dn_err *err)
{
    struct access_object o = catalog_object(r);
    const char *schema = catalog_relation_schema(r);
    int rc;

    if (role == 0 || access_superuser(c->access, role) || access_of_system(schema))
        return 0;
    rc = catalog_may_schema(c, role, schema, PRIVILEGE_BIT(PRIVILEGE_USAGE), err);
    if (rc < 0 || !(need & ~access_privileges(c->access, role, &o)))
        return rc;
    return DN_FAIL(
        err, DN_E_DENIED, "permission denied for %s %s", access_word(r), catalog_relation_name(r));
}

int catalog_may_columns(const struct catalog *c,
                        uint32_t role,
                        const struct catalog_relation *r,
                        uint32_t need,
                        uint32_t *ret_left,
                        struct dn_err *err)
{
    struct access_object o = catalog_object(r);
    uint32_t has = access_privileges(c->access, role, &o);
    uint32_t some = access_somewhere(c->access, role, &o) & ACCESS_COLUMN_ALL;
    int rc = catalog_may(c, role, r, need & ~some, err);

    *ret_left = rc == 0 && role ? need & some & ~has : 0;
    return rc;
}

int catalog_may_any(const struct catalog *c,
                    uint32_t role,
                    const struct catalog_relation *r,
                    uint32_t rights,
                    bool columns,
                    struct dn_err *err)
{
    struct access_object o = catalog_object(r);
    int rc = catalog_may(c, role, r, 0, err);

    if (rc < 0 || role == 0 || access_superuser(c->access, role) ||
        (access_privileges(c->access, role, &o) & rights) ||
        (columns && (access_somewhere(c->access, role, &o) & rights)))
        return rc;
    return DN_FAIL(
        err, DN_E_DENIED, "permission denied for %s %s", access_word(r), catalog_relation_name(r));
}

int catalog_may_column(const struct catalog *c,
                       uint32_t role,
                       const struct catalog_relation *r,
                       uint32_t column,
                       uint32_t need,
                       struct dn_err *err)
{
    struct access_object o = catalog_object(r);

    o.column = column;
    if (!(need & ~access_privileges(c->access, role, &o)))
        return 0;
    return DN_FAIL(
        err, DN_E_DENIED, "permission denied for %s %s", access_word(r), catalog_relation_name(r));
}

int catalog_must_own(const struct catalog *c,
                     uint32_t role,
                     const struct catalog_relation *r,
                     struct dn_err *err)
{
    struct access_object o = catalog_object(r);

    if (role == 0 || access_owns(c->access, role, &o))
        return 0;
    return DN_FAIL(
        err, DN_E_DENIED, "must be owner of %s %s", access_word(r), catalog_relation_name(r));
}

static bool catalog_keeps_column(const struct catalog *c, const struct access_object *o)
{
    const struct table *t = catalog_table_by_id(c, o->id);
    bool there = t && o->column == 0;

    for (uint16_t i = 0; t && !there && i < t->columns_count; i++)
        there = t->columns[i].id == o->column;
    return there;
}

bool catalog_keeps(const void *arg, const struct access_object *o)
{
    const struct catalog *c = arg;

    switch (o->kind) {
    case ACCESS_SEQUENCE:
        return catalog_sequence_by_id(c, o->id) != NULL;
    case ACCESS_RELATION:
        return catalog_view_by_id(c, o->id) || catalog_keeps_column(c, o);
    case ACCESS_SCHEMA:
        return catalog_has_schema(c, o->schema);
    case ACCESS_DATABASE:
    case ACCESS_KIND_MAX:
        break;
    }
    return true;
}
