/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c: roles, members, owners and grants in the document. */
#include "catalog/document/document.h"

#include <inttypes.h>
#include <string.h>

/* ---- roles ---- */

static const struct doc_field setting_rows[] = {
    {"name", DOC_TEXT_AT(role_setting, name, TABLE_NAME_MAX)},
    {"value", DOC_TEXT_AT(role_setting, value, ACCESS_VALUE_MAX)},
};

static const struct doc_object setting_object = {DOC_ROWS(setting_rows)};

static const struct doc_field role_rows[] = {
    {"id", DOC_INT_AT(role, id, 1, UINT32_MAX - 1)},
    {"name", DOC_TEXT_AT(role, name, TABLE_NAME_MAX)},
    {"attributes", DOC_INT_AT(role, attrs, 0, ROLE_ATTRS_ALL)},
    {"connections", DOC_INT_AT(role, connections, -1, INT32_MAX)},
    {"settings", DOC_LIST_OF(role, settings, settings_count, 1024), .object = &setting_object},
    {"password", DOC_TEXT_AT(role, verifier, ACCESS_VERIFIER_MAX), .optional = true},
    {"valid_until",
     DOC_INT_AT(role, valid_until, INT64_MIN, INT64_MAX),
     .optional = true,
     .absent = ACCESS_FOREVER},
};

static const struct doc_object role_object = {DOC_ROWS(role_rows)};

static void place_role(struct doc_reader *r, void *base, size_t i)
{
    const struct access *a = base;
    const struct role *role = &a->roles[i];

    if (role->name[0] == '\0')
        catalog_doc_fail(r, "name", "empty");
    if (i > 0 && a->roles[i - 1].id >= role->id)
        catalog_doc_fail(r, "id", "%" PRIu32 " is out of order", role->id);
    if (role->id >= a->role_id_next)
        catalog_doc_fail(r, "id", "%" PRIu32 " is not below role_id_next", role->id);
    for (size_t k = 0; r->rc == 0 && k < i; k++)
        if (strcmp(a->roles[k].name, role->name) == 0)
            catalog_doc_fail(r, "name", "\"%s\" is there twice", role->name);
}

static void
check_role_id(struct doc_reader *r, const char *member, const struct access *a, uint32_t id)
{
    if (!access_role_by_id(a, id))
        catalog_doc_fail(r, member, "there is no role with the id %" PRIu32, id);
}

/* ---- members ---- */

static const struct doc_field member_rows[] = {
    {"role", DOC_INT_AT(role_member, role, 0, UINT32_MAX - 1)},
    {"member", DOC_INT_AT(role_member, member, 0, UINT32_MAX - 1)},
    {"admin", DOC_BOOL_AT(role_member, admin)},
};

static const struct doc_object member_object = {DOC_ROWS(member_rows)};

static void place_member(struct doc_reader *r, void *base, size_t i)
{
    const struct access *a = base;

    check_role_id(r, "role", a, a->members[i].role);
    check_role_id(r, "member", a, a->members[i].member);
}

/* ---- owners and grants ---- */

static const char *const kind_names[ACCESS_KIND_MAX] = {
    [ACCESS_RELATION] = "relation",
    [ACCESS_SEQUENCE] = "sequence",
    [ACCESS_SCHEMA] = "schema",
    [ACCESS_DATABASE] = "database",
};

/* A schema is known by its name, the database by nothing, all else by its id. */
static void
check_object(struct doc_reader *r, enum access_kind kind, uint64_t id, const char *schema)
{
    bool has_id = kind == ACCESS_RELATION || kind == ACCESS_SEQUENCE;

    if (has_id != (id != 0))
        catalog_doc_fail(r, "id", "%s", has_id ? "missing" : "not of such an object");
    if ((kind == ACCESS_SCHEMA) != (schema != NULL))
        catalog_doc_fail(r, "schema", "%s", schema ? "not of such an object" : "missing");
}

static const struct doc_field owner_rows[] = {
    {"kind", DOC_NAME_AT(access_owner, kind, kind_names)},
    {"schema", DOC_TEXT_AT(access_owner, schema, TABLE_NAME_MAX), .optional = true},
    {"id", DOC_INT_AT(access_owner, id, 1, INT64_MAX), .optional = true},
    {"role", DOC_INT_AT(access_owner, role, 0, UINT32_MAX - 1)},
};

static const struct doc_object owner_object = {DOC_ROWS(owner_rows)};

static void place_owner(struct doc_reader *r, void *base, size_t i)
{
    const struct access *a = base;
    const struct access_owner *o = &a->owners[i];

    check_object(r, o->kind, o->id, o->schema);
    check_role_id(r, "role", a, o->role);
}

#define PRIVILEGES_ALL ((1 << PRIVILEGE_MAX) - 1)

static const struct doc_field grant_rows[] = {
    {"kind", DOC_NAME_AT(access_grant, kind, kind_names)},
    {"schema", DOC_TEXT_AT(access_grant, schema, TABLE_NAME_MAX), .optional = true},
    {"id", DOC_INT_AT(access_grant, id, 1, INT64_MAX), .optional = true},
    {"column", DOC_INT_AT(access_grant, column, 1, UINT32_MAX), .optional = true},
    {"to", DOC_INT_AT(access_grant, grantee, 0, UINT32_MAX - 1)},
    {"by", DOC_INT_AT(access_grant, grantor, 0, UINT32_MAX - 1)},
    {"privileges", DOC_INT_AT(access_grant, privileges, 1, PRIVILEGES_ALL)},
    {"options", DOC_INT_AT(access_grant, options, 0, PRIVILEGES_ALL)},
    {"revoked", DOC_BOOL_AT(access_grant, revoked)},
};

static const struct doc_object grant_object = {DOC_ROWS(grant_rows)};

static void place_grant(struct doc_reader *r, void *base, size_t i)
{
    const struct access *a = base;
    const struct access_grant *g = &a->grants[i];

    check_object(r, g->kind, g->id, g->schema);
    if (g->grantee != ACCESS_PUBLIC)
        check_role_id(r, "to", a, g->grantee);
    if (g->grantor != ACCESS_PUBLIC)
        check_role_id(r, "by", a, g->grantor);
    if (g->privileges & ~access_all(g->kind))
        catalog_doc_fail(r, "privileges", "not those of such an object");
    if (g->column && (g->kind != ACCESS_RELATION || (g->privileges & ~ACCESS_COLUMN_ALL)))
        catalog_doc_fail(r, "privileges", "not those of a column");
}

/* ---- all of it ---- */

static const struct doc_field access_rows[] = {
    {"role_id_next", DOC_INT_AT(access, role_id_next, ACCESS_ROLE_ID_MIN, UINT32_MAX)},
    {"roles",
     DOC_LIST_OF(access, roles, roles_count, ACCESS_ROLES_MAX),
     .object = &role_object,
     .place = place_role},
    {"members",
     DOC_LIST_OF(access, members, members_count, ACCESS_GRANTS_MAX),
     .object = &member_object,
     .place = place_member},
    {"owners",
     DOC_LIST_OF(access, owners, owners_count, ACCESS_GRANTS_MAX),
     .object = &owner_object,
     .place = place_owner},
    {"grants",
     DOC_LIST_OF(access, grants, grants_count, ACCESS_GRANTS_MAX),
     .object = &grant_object,
     .place = place_grant},
};

const struct doc_object catalog_doc_access = {DOC_ROWS(access_rows)};
