/* SPDX-License-Identifier: Apache-2.0
 *
 * catalog_json_access.c: roles, members, owners and grants in the document. */
#include "catalog/catalog_json.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static const char *const access_kinds[] = {
    [ACCESS_RELATION] = "relation",
    [ACCESS_SEQUENCE] = "sequence",
    [ACCESS_SCHEMA] = "schema",
    [ACCESS_DATABASE] = "database",
};

/* ---- reading ---- */

static void json_read_role_settings(struct json_reader *r, const struct dn_json *o, struct role *to)
{
    static const char *const members[] = {"name", "value"};
    const struct dn_json *list = catalog_json_array(r, o, "settings", 1024);
    size_t count = list ? list->count : 0;

    to->settings = catalog_json_calloc(r, count, sizeof *to->settings);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *v = &list->items[i];
        size_t mark = catalog_json_enter(r, "settings", i);

        to->settings_count = (uint32_t)i + 1;
        catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 0);
        to->settings[i].name =
            catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
        to->settings[i].value =
            catalog_json_strdup(r, catalog_json_text(r, v, "value", ACCESS_VALUE_MAX));
        catalog_json_leave(r, mark);
    }
}

static void json_read_role(struct json_reader *r, const struct dn_json *v, struct role *to)
{
    static const char *const members[] = {
        "id", "name", "attributes", "connections", "settings", "password", "valid_until"};

    catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 2);
    to->id = (uint32_t)catalog_json_int(r, v, "id", 1, UINT32_MAX - 1);
    to->name = catalog_json_strdup(r, catalog_json_text(r, v, "name", TABLE_NAME_MAX));
    to->attrs = (uint32_t)catalog_json_int(r, v, "attributes", 0, ROLE_ATTRS_ALL);
    to->connections = (int32_t)catalog_json_int(r, v, "connections", -1, INT32_MAX);
    json_read_role_settings(r, v, to);
    if (r->rc == 0 && dn_json_get(v, "password"))
        to->verifier =
            catalog_json_strdup(r, catalog_json_text(r, v, "password", ACCESS_VERIFIER_MAX));
    to->valid_until = ACCESS_FOREVER;
    if (r->rc == 0 && dn_json_get(v, "valid_until"))
        to->valid_until = catalog_json_int(r, v, "valid_until", INT64_MIN, INT64_MAX);
    if (r->rc == 0 && to->name[0] == '\0')
        catalog_json_fail(r, "name", "empty");
}

static void json_read_roles(struct json_reader *r, const struct dn_json *o, struct access *a)
{
    const struct dn_json *list = catalog_json_array(r, o, "roles", ACCESS_ROLES_MAX);
    size_t count = list ? list->count : 0;

    a->roles = catalog_json_calloc(r, count, sizeof *a->roles);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        size_t mark = catalog_json_enter(r, "roles", i);

        a->roles_count = i + 1;
        json_read_role(r, &list->items[i], &a->roles[i]);
        if (r->rc == 0 && i > 0 && a->roles[i - 1].id >= a->roles[i].id)
            catalog_json_fail(r, "id", "%" PRIu32 " is out of order", a->roles[i].id);
        if (r->rc == 0 && a->roles[i].id >= a->role_id_next)
            catalog_json_fail(r, "id", "%" PRIu32 " is not below role_id_next", a->roles[i].id);
        for (size_t k = 0; r->rc == 0 && k < i; k++)
            if (strcmp(a->roles[k].name, a->roles[i].name) == 0)
                catalog_json_fail(r, "name", "\"%s\" is there twice", a->roles[i].name);
        catalog_json_leave(r, mark);
    }
}

/* The id of a role that is there. */
static uint32_t json_read_role_id(struct json_reader *r,
                                  const struct dn_json *v,
                                  const char *member,
                                  const struct access *a,
                                  bool or_public)
{
    uint32_t id = (uint32_t)catalog_json_int(r, v, member, 0, UINT32_MAX - 1);

    if (r->rc == 0 && !(or_public && id == ACCESS_PUBLIC) && !access_role_by_id(a, id))
        catalog_json_fail(r, member, "there is no role with the id %" PRIu32, id);
    return id;
}

static void json_read_members(struct json_reader *r, const struct dn_json *o, struct access *a)
{
    static const char *const members[] = {"role", "member", "admin"};
    const struct dn_json *list = catalog_json_array(r, o, "members", ACCESS_GRANTS_MAX);
    size_t count = list ? list->count : 0;

    a->members = catalog_json_calloc(r, count, sizeof *a->members);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        const struct dn_json *v = &list->items[i];
        size_t mark = catalog_json_enter(r, "members", i);

        catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 0);
        a->members[i].role = json_read_role_id(r, v, "role", a, false);
        a->members[i].member = json_read_role_id(r, v, "member", a, false);
        a->members[i].admin = catalog_json_bool(r, v, "admin");
        a->members_count = i + 1;
        catalog_json_leave(r, mark);
    }
}

/* Kind, id and schema of what is owned or granted. */
static void json_read_object(struct json_reader *r,
                             const struct dn_json *v,
                             enum access_kind *ret_kind,
                             uint64_t *ret_id,
                             char **ret_schema)
{
    const char *kind = catalog_json_text(r, v, "kind", TABLE_NAME_MAX);
    bool found = false;

    for (uint32_t k = 0; k < ACCESS_KIND_MAX; k++) {
        if (strcmp(kind, access_kinds[k]) != 0)
            continue;
        *ret_kind = (enum access_kind)k;
        found = true;
    }
    if (r->rc == 0 && !found)
        catalog_json_fail(r, "kind", "\"%.64s\" is no kind of object", kind);
    if (r->rc < 0)
        return;
    if (*ret_kind == ACCESS_SCHEMA)
        *ret_schema = catalog_json_strdup(r, catalog_json_text(r, v, "schema", TABLE_NAME_MAX));
    else if (*ret_kind != ACCESS_DATABASE)
        *ret_id = (uint64_t)catalog_json_int(r, v, "id", 1, INT64_MAX);
}

static void json_read_owners(struct json_reader *r, const struct dn_json *o, struct access *a)
{
    static const char *const members[] = {"kind", "role", "id", "schema"};
    const struct dn_json *list = catalog_json_array(r, o, "owners", ACCESS_GRANTS_MAX);
    size_t count = list ? list->count : 0;

    a->owners = catalog_json_calloc(r, count, sizeof *a->owners);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        struct access_owner *w = &a->owners[i];
        const struct dn_json *v = &list->items[i];
        size_t mark = catalog_json_enter(r, "owners", i);

        a->owners_count = i + 1;
        catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 2);
        json_read_object(r, v, &w->kind, &w->id, &w->schema);
        w->role = json_read_role_id(r, v, "role", a, false);
        catalog_json_leave(r, mark);
    }
}

static void json_read_grants(struct json_reader *r, const struct dn_json *o, struct access *a)
{
    static const char *const members[] = {
        "kind", "to", "by", "privileges", "options", "revoked", "id", "schema", "column"};
    const struct dn_json *list = catalog_json_array(r, o, "grants", ACCESS_GRANTS_MAX);
    size_t count = list ? list->count : 0;

    a->grants = catalog_json_calloc(r, count, sizeof *a->grants);
    for (size_t i = 0; r->rc == 0 && i < count; i++) {
        struct access_grant *g = &a->grants[i];
        const struct dn_json *v = &list->items[i];
        size_t mark = catalog_json_enter(r, "grants", i);

        a->grants_count = i + 1;
        catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 3);
        json_read_object(r, v, &g->kind, &g->id, &g->schema);
        if (r->rc == 0 && dn_json_get(v, "column"))
            g->column = (uint32_t)catalog_json_int(r, v, "column", 1, UINT32_MAX);
        g->grantee = json_read_role_id(r, v, "to", a, true);
        g->grantor = json_read_role_id(r, v, "by", a, true);
        g->privileges = (uint32_t)catalog_json_int(r, v, "privileges", 1, (1 << PRIVILEGE_MAX) - 1);
        g->options = (uint32_t)catalog_json_int(r, v, "options", 0, (1 << PRIVILEGE_MAX) - 1);
        g->revoked = catalog_json_bool(r, v, "revoked");
        if (r->rc == 0 && (g->privileges & ~access_all(g->kind)))
            catalog_json_fail(r, "privileges", "not those of such an object");
        if (r->rc == 0 && g->column &&
            (g->kind != ACCESS_RELATION || (g->privileges & ~ACCESS_COLUMN_ALL)))
            catalog_json_fail(r, "privileges", "not those of a column");
        catalog_json_leave(r, mark);
    }
}

void catalog_json_read_access(struct json_reader *r, const struct dn_json *v, struct access **ret)
{
    static const char *const members[] = {"role_id_next", "roles", "members", "owners", "grants"};
    size_t mark = catalog_json_enter(r, "access", CATALOG_NO_INDEX);
    struct access *a = catalog_json_calloc(r, 1, sizeof *a);

    if (a) {
        atomic_init(&a->refs, 1);
        catalog_json_members(r, v, members, DN_ARRAY_SIZE(members), 0);
        a->role_id_next =
            (uint32_t)catalog_json_int(r, v, "role_id_next", ACCESS_ROLE_ID_MIN, UINT32_MAX);
        json_read_roles(r, v, a);
        json_read_members(r, v, a);
        json_read_owners(r, v, a);
        json_read_grants(r, v, a);
    }
    catalog_json_leave(r, mark);
    if (r->rc < 0)
        access_unref(a);
    else
        *ret = a;
}

/* ---- writing ---- */

static void json_write_role(const struct role *role, struct dn_json_writer *w)
{
    dn_json_begin(w, NULL, '{');
    dn_json_put_int(w, "id", role->id);
    dn_json_put_text(w, "name", role->name, strlen(role->name));
    dn_json_put_int(w, "attributes", role->attrs);
    dn_json_put_int(w, "connections", role->connections);
    dn_json_begin(w, "settings", '[');
    for (uint32_t i = 0; i < role->settings_count; i++) {
        const struct role_setting *s = &role->settings[i];

        dn_json_begin(w, NULL, '{');
        dn_json_put_text(w, "name", s->name, strlen(s->name));
        dn_json_put_text(w, "value", s->value, strlen(s->value));
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    if (role->verifier)
        dn_json_put_text(w, "password", role->verifier, strlen(role->verifier));
    if (role->valid_until != ACCESS_FOREVER)
        dn_json_put_int(w, "valid_until", role->valid_until);
    dn_json_end(w, '}');
}

static void
json_write_object(struct dn_json_writer *w, enum access_kind kind, uint64_t id, const char *schema)
{
    dn_json_put_text(w, "kind", access_kinds[kind], strlen(access_kinds[kind]));
    if (schema)
        dn_json_put_text(w, "schema", schema, strlen(schema));
    else if (kind != ACCESS_DATABASE)
        dn_json_put_int(w, "id", (int64_t)id);
}

void catalog_json_write_access(const struct access *a, struct dn_json_writer *w)
{
    dn_json_begin(w, "access", '{');
    dn_json_put_int(w, "role_id_next", a->role_id_next);
    dn_json_begin(w, "roles", '[');
    for (size_t i = 0; i < a->roles_count; i++)
        json_write_role(&a->roles[i], w);
    dn_json_end(w, ']');
    dn_json_begin(w, "members", '[');
    for (size_t i = 0; i < a->members_count; i++) {
        dn_json_begin(w, NULL, '{');
        dn_json_put_int(w, "role", a->members[i].role);
        dn_json_put_int(w, "member", a->members[i].member);
        dn_json_put_bool(w, "admin", a->members[i].admin);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    dn_json_begin(w, "owners", '[');
    for (size_t i = 0; i < a->owners_count; i++) {
        dn_json_begin(w, NULL, '{');
        json_write_object(w, a->owners[i].kind, a->owners[i].id, a->owners[i].schema);
        dn_json_put_int(w, "role", a->owners[i].role);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    dn_json_begin(w, "grants", '[');
    for (size_t i = 0; i < a->grants_count; i++) {
        const struct access_grant *g = &a->grants[i];

        dn_json_begin(w, NULL, '{');
        json_write_object(w, g->kind, g->id, g->schema);
        if (g->column)
            dn_json_put_int(w, "column", g->column);
        dn_json_put_int(w, "to", g->grantee);
        dn_json_put_int(w, "by", g->grantor);
        dn_json_put_int(w, "privileges", g->privileges);
        dn_json_put_int(w, "options", g->options);
        dn_json_put_bool(w, "revoked", g->revoked);
        dn_json_end(w, '}');
    }
    dn_json_end(w, ']');
    dn_json_end(w, '}');
}
