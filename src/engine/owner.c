/* SPDX-License-Identifier: Apache-2.0
 *
 * owner.c: who owns what is new. */
#include "engine/privilege.h"

#include "catalog/access_check.h"
#include "catalog/access_edit.h"
#include "engine/names.h"

static int privilege_own_schemas(const struct catalog *before,
                                 const struct catalog *next,
                                 uint32_t role,
                                 struct access *a,
                                 struct dn_err *err)
{
    struct dn_err ignored;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < next->schemas_count; i++) {
        struct access_object o = {.kind = ACCESS_SCHEMA, .schema = next->schemas[i].name};

        if (!catalog_schema(before, o.schema, &ignored) &&
            access_owned_by(a, &o) == ACCESS_FIRST) /* AUTHORIZATION may have said whose it is */
            rc = access_set_owner(a, &o, role, err);
    }
    return rc;
}

int privilege_own_new(const struct dendro_conn *conn,
                      const struct catalog *before,
                      struct catalog **next,
                      struct dn_err *err)
{
    uint64_t first = before->table_id_next;
    struct catalog *owned = NULL;
    struct access *a = NULL;
    int rc;

    if (conn->role == ACCESS_FIRST ||
        ((*next)->table_id_next == first && (*next)->schemas_count <= before->schemas_count))
        return 0;
    rc = access_copy((*next)->access, &a, err);
    for (uint64_t id = first; rc == 0 && id < (*next)->table_id_next; id++) {
        const struct sequence *s = catalog_sequence_by_id(*next, id);
        struct access_object o = {.kind = s ? ACCESS_SEQUENCE : ACCESS_RELATION, .id = id};

        /* A table that TRUNCATE gave another id has its owner already. */
        if ((catalog_table_by_id(*next, id) || catalog_view_by_id(*next, id) || s) &&
            !access_owns(a, conn->role, &o) && access_owned_by(a, &o) == ACCESS_FIRST)
            rc = access_set_owner(a, &o, conn->role, err);
    }
    if (rc == 0)
        rc = privilege_own_schemas(before, *next, conn->role, a, err);
    if (rc == 0)
        rc = catalog_with_access(*next, a, &owned, err);
    access_unref(a);
    catalog_unref(*next);
    *next = owned;
    return rc;
}
