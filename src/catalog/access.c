/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c: life of the list of roles and grants, and what can be asked of it. */
#include "catalog/access.h"

#include "base/mem.h"
#include "catalog/access_edit.h"
#include "catalog/catalog.h"

#include <string.h>

#define ACCESS_DEPTH_MAX 64 /* roles between a member and a role: deeper ones do not count */

/* struct role owns its strings; those of the built-in roles are constants that are never written.
 */
static char access_first_name[] = ACCESS_FIRST_NAME;
static char access_read_name[] = "pg_read_all_data";
static char access_write_name[] = "pg_write_all_data";
static char access_stats_name[] = "pg_read_all_stats";
static char access_settings_name[] = "pg_read_all_settings";
static char access_monitor_name[] = "pg_monitor";
static char access_signal_name[] = "pg_signal_backend";
static char access_checkpoint_name[] = "pg_checkpoint";
static char access_read_files_name[] = "pg_read_server_files";
static char access_write_files_name[] = "pg_write_server_files";

#define ACCESS_GROUP(number, text)                                                \
    {                                                                             \
        .id = (number), .name = (text), .attrs = ROLE_INHERIT, .connections = -1, \
        .valid_until = ACCESS_FOREVER                                             \
    }

static const struct role access_always[] = {
    {.id = ACCESS_FIRST,
     .name = access_first_name,
     .attrs = ROLE_ATTRS_ALL,
     .connections = -1,
     .valid_until = ACCESS_FOREVER},
    ACCESS_GROUP(ACCESS_READ_ALL, access_read_name),
    ACCESS_GROUP(ACCESS_WRITE_ALL, access_write_name),
    ACCESS_GROUP(ACCESS_READ_STATS, access_stats_name),
    ACCESS_GROUP(ACCESS_READ_SETTING, access_settings_name),
    ACCESS_GROUP(ACCESS_MONITOR, access_monitor_name),
    ACCESS_GROUP(ACCESS_SIGNAL, access_signal_name),
    ACCESS_GROUP(ACCESS_CHECKPOINT, access_checkpoint_name),
    ACCESS_GROUP(ACCESS_READ_FILES, access_read_files_name),
    ACCESS_GROUP(ACCESS_WRITE_FILES, access_write_files_name),
};
static const struct role_member access_always_members[] = {
    {.role = ACCESS_READ_SETTING, .member = ACCESS_MONITOR},
    {.role = ACCESS_READ_STATS, .member = ACCESS_MONITOR},
};

/* ---- life ---- */

struct access *access_ref(const struct access *a)
{
    struct access *same = (struct access *)(uintptr_t)a; /* the count is all that changes */

    if (same)
        atomic_fetch_add_explicit(&same->refs, 1, memory_order_relaxed);
    return same;
}

void access_unref(struct access *a)
{
    if (!a || atomic_fetch_sub_explicit(&a->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < a->roles_count; i++)
        role_done(&a->roles[i]);
    for (size_t i = 0; i < a->owners_count; i++)
        mem_free(a->owners[i].schema);
    for (size_t i = 0; i < a->grants_count; i++)
        mem_free(a->grants[i].schema);
    mem_free(a->roles);
    mem_free(a->members);
    mem_free(a->owners);
    mem_free(a->grants);
    mem_free(a);
}

void role_done(struct role *r)
{
    for (uint32_t i = 0; i < r->settings_count; i++) {
        mem_free(r->settings[i].name);
        mem_free(r->settings[i].value);
    }
    mem_free(r->settings);
    mem_free(r->name);
    mem_free(r->verifier);
    *r = (struct role){0};
}

/* ---- roles ---- */

const struct role *access_role_at(const struct access *a, size_t i)
{
    size_t made = a ? a->roles_count : 0;

    if (i < made)
        return &a->roles[i];
    for (size_t k = 0, at = made; k < DN_ARRAY_SIZE(access_always); k++) {
        bool changed = false;

        for (size_t n = 0; n < made; n++)
            changed = changed || a->roles[n].id == access_always[k].id;
        if (!changed && at++ == i)
            return &access_always[k];
    }
    return NULL;
}

const struct role *access_role(const struct access *a, const char *name)
{
    const struct role *r;

    for (size_t i = 0; (r = access_role_at(a, i)) != NULL; i++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

const struct role *access_role_by_id(const struct access *a, uint32_t id)
{
    const struct role *r;

    for (size_t i = 0; (r = access_role_at(a, i)) != NULL; i++)
        if (r->id == id)
            return r;
    return NULL;
}

const char *access_role_name(const struct access *a, uint32_t id)
{
    const struct role *r = id == ACCESS_PUBLIC ? NULL : access_role_by_id(a, id);

    if (id == ACCESS_PUBLIC)
        return "public";
    return r ? r->name : "";
}

bool access_superuser(const struct access *a, uint32_t role)
{
    const struct role *r = access_role_by_id(a, role);

    return r && (r->attrs & ROLE_SUPERUSER);
}

bool access_has_password(const struct access *a)
{
    for (size_t i = 0; a && i < a->roles_count; i++)
        if (a->roles[i].verifier && (a->roles[i].attrs & ROLE_LOGIN))
            return true;
    return false;
}

const struct role_member *access_member_at(const struct access *a, size_t i)
{
    if (i < DN_ARRAY_SIZE(access_always_members))
        return &access_always_members[i];
    i -= DN_ARRAY_SIZE(access_always_members);
    return a && i < a->members_count ? &a->members[i] : NULL;
}

/* Way from a role to one it belongs to; inherit: only by roles that inherit. */
static bool
access_way(const struct access *a, uint32_t role, uint32_t to, bool inherit, uint32_t depth)
{
    const struct role_member *m;
    const struct role *r;

    if (role == to)
        return true;
    if (depth > ACCESS_DEPTH_MAX)
        return false;
    r = access_role_by_id(a, role);
    if (!r || (inherit && !(r->attrs & ROLE_INHERIT)))
        return false;
    for (size_t i = 0; (m = access_member_at(a, i)) != NULL; i++)
        if (m->member == role && access_way(a, m->role, to, inherit, depth + 1))
            return true;
    return false;
}

bool access_member(const struct access *a, uint32_t role, uint32_t of)
{
    return access_superuser(a, role) || access_way(a, role, of, false, 0);
}

bool access_inherits(const struct access *a, uint32_t role, uint32_t of)
{
    return access_superuser(a, role) || access_way(a, role, of, true, 0);
}

bool access_admin(const struct access *a, uint32_t role, uint32_t of)
{
    if (access_superuser(a, role))
        return true;
    for (size_t i = 0; a && i < a->members_count; i++)
        if (a->members[i].role == of && a->members[i].admin &&
            access_way(a, role, a->members[i].member, true, 0))
            return true;
    return false;
}

/* ---- objects ---- */

bool access_is(const struct access_object *o,
               enum access_kind kind,
               uint64_t id,
               const char *schema)
{
    return o->kind == kind && o->id == id && (!schema || strcmp(o->schema, schema) == 0);
}

bool access_grant_is(const struct access_object *o, const struct access_grant *g)
{
    return access_is(o, g->kind, g->id, g->schema) && o->column == g->column;
}

/* It, or the whole that it is a column of. */
static bool access_grant_covers(const struct access_object *o, const struct access_grant *g)
{
    return access_is(o, g->kind, g->id, g->schema) && (!g->column || o->column == g->column);
}

uint32_t access_owned_by(const struct access *a, const struct access_object *o)
{
    for (size_t i = 0; a && i < a->owners_count; i++) {
        const struct access_owner *w = &a->owners[i];

        if (access_is(o, w->kind, w->id, w->schema))
            return w->role;
    }
    return ACCESS_FIRST;
}

bool access_owns(const struct access *a, uint32_t role, const struct access_object *o)
{
    return access_inherits(a, role, access_owned_by(a, o));
}

uint32_t access_all(enum access_kind kind)
{
    static const uint32_t kinds[] = {
#define DN_PRIVILEGE(name, sql, letter, on) [PRIVILEGE_##name] = (on),
#include "catalog/privilege_list.h"
#undef DN_PRIVILEGE
    };
    uint32_t all = 0;

    for (uint32_t p = 0; p < PRIVILEGE_MAX; p++)
        if (kinds[p] & 1u << kind)
            all |= PRIVILEGE_BIT(p);
    return all;
}

uint32_t access_default(const struct access_object *o)
{
    if (o->kind == ACCESS_SCHEMA && strcmp(o->schema, CATALOG_SCHEMA_DEFAULT) == 0)
        return PRIVILEGE_BIT(PRIVILEGE_USAGE);
    if (o->kind == ACCESS_DATABASE)
        return PRIVILEGE_BIT(PRIVILEGE_CONNECT) | PRIVILEGE_BIT(PRIVILEGE_TEMPORARY);
    return 0;
}

/* What members of the two roles may do with everything. */
static uint32_t access_of_data(const struct access *a, uint32_t role, const struct access_object *o)
{
    uint32_t all = 0;

    if (access_inherits(a, role, ACCESS_READ_ALL))
        all |= PRIVILEGE_BIT(PRIVILEGE_SELECT) | PRIVILEGE_BIT(PRIVILEGE_USAGE);
    if (access_inherits(a, role, ACCESS_WRITE_ALL))
        all |= PRIVILEGE_BIT(PRIVILEGE_INSERT) | PRIVILEGE_BIT(PRIVILEGE_UPDATE) |
               PRIVILEGE_BIT(PRIVILEGE_DELETE) | PRIVILEGE_BIT(PRIVILEGE_USAGE);
    return all & access_all(o->kind);
}

uint32_t access_privileges(const struct access *a, uint32_t role, const struct access_object *o)
{
    uint32_t all = access_default(o);

    if (access_owns(a, role, o))
        return access_all(o->kind);
    for (size_t i = 0; a && i < a->grants_count; i++)
        if (a->grants[i].revoked && access_grant_is(o, &a->grants[i]))
            all &= ~a->grants[i].privileges;
    for (size_t i = 0; a && i < a->grants_count; i++) {
        const struct access_grant *g = &a->grants[i];

        if (!g->revoked && access_grant_covers(o, g) &&
            (g->grantee == ACCESS_PUBLIC || access_inherits(a, role, g->grantee)))
            all |= g->privileges;
    }
    return all | access_of_data(a, role, o);
}

uint32_t access_options(const struct access *a, uint32_t role, const struct access_object *o)
{
    uint32_t all = 0;

    if (access_owns(a, role, o))
        return access_all(o->kind);
    for (size_t i = 0; a && i < a->grants_count; i++) {
        const struct access_grant *g = &a->grants[i];

        if (!g->revoked && access_grant_covers(o, g) && access_inherits(a, role, g->grantee))
            all |= g->options;
    }
    return all;
}

uint32_t access_somewhere(const struct access *a, uint32_t role, const struct access_object *o)
{
    uint32_t all = access_privileges(a, role, o);

    for (size_t i = 0; a && i < a->grants_count; i++) {
        const struct access_grant *g = &a->grants[i];

        if (!g->revoked && access_is(o, g->kind, g->id, g->schema) &&
            (g->grantee == ACCESS_PUBLIC || access_inherits(a, role, g->grantee)))
            all |= g->privileges;
    }
    return all;
}

size_t access_owned_count(const struct access *a, uint32_t role)
{
    size_t count = 0;

    for (size_t i = 0; a && i < a->owners_count; i++)
        count += a->owners[i].role == role;
    return count;
}

size_t access_granted_count(const struct access *a, uint32_t role)
{
    size_t count = 0;

    for (size_t i = 0; a && i < a->grants_count; i++)
        count +=
            !a->grants[i].revoked && (a->grants[i].grantee == role || a->grants[i].grantor == role);
    return count;
}
