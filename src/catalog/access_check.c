/* SPDX-License-Identifier: Apache-2.0
 *
 * access_check.c: may a role do that with an object of the catalog? */
#include "catalog/catalog.h"

#include <string.h>

/* Relations of the system: everybody reads them, nobody writes. */
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
    const char *schema = r->view       ? r->view->schema
                         : r->sequence ? r->sequence->schema
                                       : r->table->schema;
    int rc;

    if (role == 0 || access_superuser(c->access, role) || access_of_system(schema))
        return 0;
    rc = catalog_may_schema(c, role, schema, PRIVILEGE_BIT(PRIVILEGE_USAGE), err);
    if (rc < 0 || !(need & ~access_privileges(c->access, role, &o)))
        return rc;
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
