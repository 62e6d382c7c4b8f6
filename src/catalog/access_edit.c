/* SPDX-License-Identifier: Apache-2.0
 *
 * access_edit.c: changes to a copy that no other thread knows yet. */
#include "catalog/access_edit.h"
#include "base/mem.h"
#include "catalog/access.h"

#include <string.h>

/* Room for one more in a list of *count; NULL: out of memory, and nothing has changed. */
static void *access_grow(void *list, size_t count, size_t size)
{
    return mem_realloc(NULL, list, (count + 1) * size);
}

static int role_copy(const struct role *r, struct role *ret)
{
    *ret = (struct role){.id = r->id,
                         .attrs = r->attrs,
                         .connections = r->connections,
                         .valid_until = r->valid_until};
    ret->name = mem_strdup(NULL, r->name);
    ret->verifier = r->verifier ? mem_strdup(NULL, r->verifier) : NULL;
    ret->settings = mem_calloc(NULL, r->settings_count, sizeof *ret->settings);
    if (!ret->name || (r->verifier && !ret->verifier) || !ret->settings)
        goto nomem;
    for (uint32_t i = 0; i < r->settings_count; i++) {
        ret->settings_count = i + 1;
        ret->settings[i].name = mem_strdup(NULL, r->settings[i].name);
        ret->settings[i].value = mem_strdup(NULL, r->settings[i].value);
        if (!ret->settings[i].name || !ret->settings[i].value)
            goto nomem;
    }
    return 0;
nomem:
    role_done(ret);
    return DN_E_NOMEM;
}

static char *access_schema_dup(const char *schema, bool *ok)
{
    char *copy = schema ? mem_strdup(NULL, schema) : NULL;

    *ok = *ok && (copy || !schema);
    return copy;
}

int access_copy(const struct access *a, struct access **ret, struct dn_err *err)
{
    struct access *n = mem_calloc(NULL, 1, sizeof *n);
    bool ok;

    if (!n)
        return DN_FAIL_NOMEM(err);
    atomic_init(&n->refs, 1);
    n->role_id_next = a ? a->role_id_next : ACCESS_ROLE_ID_MIN;
    n->roles = mem_calloc(NULL, a ? a->roles_count : 0, sizeof *n->roles);
    n->members = mem_calloc(NULL, a ? a->members_count : 0, sizeof *n->members);
    n->owners = mem_calloc(NULL, a ? a->owners_count : 0, sizeof *n->owners);
    n->grants = mem_calloc(NULL, a ? a->grants_count : 0, sizeof *n->grants);
    ok = n->roles && n->members && n->owners && n->grants;
    for (size_t i = 0; ok && a && i < a->roles_count; i++) {
        ok = role_copy(&a->roles[i], &n->roles[i]) == 0;
        n->roles_count += ok;
    }
    for (size_t i = 0; ok && a && i < a->members_count; i++)
        n->members[n->members_count++] = a->members[i];
    for (size_t i = 0; ok && a && i < a->owners_count; i++) {
        n->owners[i] = a->owners[i];
        n->owners[i].schema = access_schema_dup(a->owners[i].schema, &ok);
        n->owners_count = i + 1;
    }
    for (size_t i = 0; ok && a && i < a->grants_count; i++) {
        n->grants[i] = a->grants[i];
        n->grants[i].schema = access_schema_dup(a->grants[i].schema, &ok);
        n->grants_count = i + 1;
    }
    if (!ok) {
        access_unref(n);
        return DN_FAIL_NOMEM(err);
    }
    *ret = n;
    return 0;
}

/* ---- roles ---- */

int access_put_role(struct access *a, const struct role *role, uint32_t *ret_id, struct dn_err *err)
{
    struct role copy;
    struct role *list;
    size_t at = 0;

    if (a->roles_count >= ACCESS_ROLES_MAX || a->role_id_next == UINT32_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "there are %zu roles already", a->roles_count);
    if (role_copy(role, &copy) < 0)
        return DN_FAIL_NOMEM(err);
    if (copy.id == 0)
        copy.id = a->role_id_next;
    while (at < a->roles_count && a->roles[at].id < copy.id)
        at++;
    if (at < a->roles_count && a->roles[at].id == copy.id) {
        role_done(&a->roles[at]);
    } else {
        list = access_grow(a->roles, a->roles_count, sizeof *list);
        if (!list) {
            role_done(&copy);
            return DN_FAIL_NOMEM(err);
        }
        memmove(list + at + 1, list + at, (a->roles_count - at) * sizeof *list);
        a->roles = list;
        a->roles_count++;
    }
    a->roles[at] = copy;
    if (copy.id >= a->role_id_next)
        a->role_id_next = copy.id + 1;
    *ret_id = copy.id;
    return 0;
}

static void access_remove_grant(struct access *a, size_t i)
{
    mem_free(a->grants[i].schema);
    a->grants_count--;
    memmove(a->grants + i, a->grants + i + 1, (a->grants_count - i) * sizeof *a->grants);
}

void access_drop_role(struct access *a, uint32_t id)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->roles_count; i++) {
        if (a->roles[i].id == id)
            role_done(&a->roles[i]);
        else
            a->roles[kept++] = a->roles[i];
    }
    a->roles_count = kept;
    kept = 0;
    for (size_t i = 0; i < a->members_count; i++)
        if (a->members[i].role != id && a->members[i].member != id)
            a->members[kept++] = a->members[i];
    a->members_count = kept;
}

void access_drop_grants(struct access *a, uint32_t role)
{
    for (size_t i = a->grants_count; i-- > 0;)
        if (a->grants[i].grantee == role || a->grants[i].grantor == role)
            access_remove_grant(a, i);
}

int access_put_member(struct access *a, struct role_member m, struct dn_err *err)
{
    struct role_member *list;
    size_t at = 0;

    for (size_t i = 0; i < a->members_count; i++) {
        struct role_member *was = &a->members[i];

        if (was->role == m.role && was->member == m.member) {
            was->admin = was->admin || m.admin;
            return 0;
        }
        at += was->role < m.role || (was->role == m.role && was->member < m.member);
    }
    if (a->members_count >= ACCESS_GRANTS_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "roles have %zu members already", a->members_count);
    list = access_grow(a->members, a->members_count, sizeof *list);
    if (!list)
        return DN_FAIL_NOMEM(err);
    memmove(list + at + 1, list + at, (a->members_count - at) * sizeof *list);
    list[at] = m;
    a->members = list;
    a->members_count++;
    return 0;
}

void access_drop_member(struct access *a, uint32_t role, uint32_t member, bool admin_only)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->members_count; i++) {
        struct role_member m = a->members[i];
        bool hit = m.role == role && m.member == member;

        if (hit && !admin_only)
            continue;
        m.admin = m.admin && !hit;
        a->members[kept++] = m;
    }
    a->members_count = kept;
}

/* ---- objects ---- */

static bool access_same_schema(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Are both grants by one role to another on the same object? */
static bool access_grants_twins(const struct access_grant *a, const struct access_grant *b)
{
    return a->kind == b->kind && a->id == b->id && a->column == b->column &&
           a->grantee == b->grantee && a->grantor == b->grantor && a->revoked == b->revoked &&
           access_same_schema(a->schema, b->schema);
}

/* What the old owner of an object granted on it is the new owner's grant from now on, as if the new
 * owner had given it: otherwise the old owner could not be dropped, or the grants would be by a
 * role that is not there. */
static void access_regrant(struct access *a, const struct access_owner *o, uint32_t to)
{
    for (size_t i = 0; i < a->grants_count; i++) {
        struct access_grant *g = &a->grants[i];

        if (g->revoked || g->grantor != o->role || g->kind != o->kind || g->id != o->id ||
            !access_same_schema(g->schema, o->schema))
            continue;
        g->grantor = to;
        for (size_t k = 0; k < a->grants_count; k++)
            if (k != i && access_grants_twins(&a->grants[k], g)) {
                a->grants[k].privileges |= g->privileges;
                a->grants[k].options |= g->options;
                access_remove_grant(a, i--);
                break;
            }
    }
}

void access_reassign(struct access *a, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < a->owners_count; i++)
        if (a->owners[i].role == from) {
            access_regrant(a, &a->owners[i], to);
            a->owners[i].role = to;
        }
}

int access_set_owner(struct access *a,
                     const struct access_object *o,
                     uint32_t role,
                     struct dn_err *err)
{
    struct access_owner *list;
    bool ok = true;

    for (size_t i = 0; i < a->owners_count; i++)
        if (access_is(o, a->owners[i].kind, a->owners[i].id, a->owners[i].schema)) {
            access_regrant(a, &a->owners[i], role);
            a->owners[i].role = role;
            return 0;
        }
    if (role == ACCESS_FIRST)
        return 0;
    list = access_grow(a->owners, a->owners_count, sizeof *list);
    if (!list)
        return DN_FAIL_NOMEM(err);
    a->owners = list;
    list[a->owners_count] = (struct access_owner){
        .kind = o->kind, .id = o->id, .schema = access_schema_dup(o->schema, &ok), .role = role};
    a->owners_count += ok;
    return ok ? 0 : DN_FAIL_NOMEM(err);
}

/* The entry of this kind for the pair of grantee and grantor; a new one without privileges if there
 * is none. */
static struct access_grant *access_find_grant(struct access *a,
                                              const struct access_object *o,
                                              uint32_t grantee,
                                              uint32_t grantor,
                                              bool revoked)
{
    struct access_grant *list;
    bool ok = true;

    for (size_t i = 0; i < a->grants_count; i++) {
        struct access_grant *g = &a->grants[i];

        if (access_grant_is(o, g) && g->grantee == grantee && g->grantor == grantor &&
            g->revoked == revoked)
            return g;
    }
    list = a->grants_count < ACCESS_GRANTS_MAX
               ? access_grow(a->grants, a->grants_count, sizeof *list)
               : NULL;
    if (!list)
        return NULL;
    a->grants = list;
    list[a->grants_count] = (struct access_grant){.kind = o->kind,
                                                  .id = o->id,
                                                  .schema = access_schema_dup(o->schema, &ok),
                                                  .column = o->column,
                                                  .grantee = grantee,
                                                  .grantor = grantor,
                                                  .revoked = revoked};
    return ok ? &list[a->grants_count++] : NULL;
}

static void access_drop_empty(struct access *a)
{
    for (size_t i = a->grants_count; i-- > 0;)
        if (a->grants[i].privileges == 0)
            access_remove_grant(a, i);
}

int access_give(struct access *a,
                const struct access_object *o,
                uint32_t grantee,
                uint32_t grantor,
                uint32_t privileges,
                uint32_t options,
                struct dn_err *err)
{
    uint32_t by_itself = grantee == ACCESS_PUBLIC ? access_default(o) & privileges : 0;
    struct access_grant *g;

    if (by_itself) {
        g = access_find_grant(a, o, ACCESS_PUBLIC, ACCESS_PUBLIC, true);
        if (!g)
            return DN_FAIL_NOMEM(err);
        g->privileges &= ~by_itself;
    }
    g = access_find_grant(a, o, grantee, grantor, false);
    if (!g)
        return DN_FAIL_NOMEM(err);
    g->privileges |= privileges & ~by_itself;
    g->options |= options;
    access_drop_empty(a);
    return 0;
}

int access_take(struct access *a,
                const struct access_object *o,
                uint32_t grantee,
                uint32_t privileges,
                bool options_only,
                struct dn_err *err)
{
    uint32_t by_itself = grantee == ACCESS_PUBLIC ? access_default(o) & privileges : 0;

    for (size_t i = 0; i < a->grants_count; i++) {
        struct access_grant *g = &a->grants[i];

        if (g->revoked || g->grantee != grantee || !access_is(o, g->kind, g->id, g->schema) ||
            (o->column && o->column != g->column))
            continue;
        g->options &= ~privileges;
        if (!options_only)
            g->privileges &= ~privileges;
    }
    if (by_itself && !options_only) {
        struct access_grant *g = access_find_grant(a, o, ACCESS_PUBLIC, ACCESS_PUBLIC, true);

        if (!g)
            return DN_FAIL_NOMEM(err);
        g->privileges |= by_itself;
    }
    access_drop_empty(a);
    return 0;
}

void access_prune(struct access *a,
                  bool (*keep)(const void *arg, const struct access_object *o),
                  const void *arg)
{
    size_t kept = 0;

    for (size_t i = 0; i < a->owners_count; i++) {
        struct access_object o = {
            .kind = a->owners[i].kind, .id = a->owners[i].id, .schema = a->owners[i].schema};

        if (keep(arg, &o))
            a->owners[kept++] = a->owners[i];
        else
            mem_free(a->owners[i].schema);
    }
    a->owners_count = kept;
    for (size_t i = a->grants_count; i-- > 0;) {
        struct access_object o = {.kind = a->grants[i].kind,
                                  .id = a->grants[i].id,
                                  .schema = a->grants[i].schema,
                                  .column = a->grants[i].column};

        if (!keep(arg, &o))
            access_remove_grant(a, i);
    }
}

static int access_rename_one(char **schema, const char *from, const char *to, struct dn_err *err)
{
    char *fresh;

    if (!*schema || strcmp(*schema, from) != 0)
        return 0;
    fresh = mem_strdup(NULL, to);
    if (!fresh)
        return DN_FAIL_NOMEM(err);
    mem_free(*schema);
    *schema = fresh;
    return 0;
}

int access_rename_schema(struct access *a, const char *from, const char *to, struct dn_err *err)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < a->owners_count; i++)
        rc = access_rename_one(&a->owners[i].schema, from, to, err);
    for (size_t i = 0; rc == 0 && i < a->grants_count; i++)
        rc = access_rename_one(&a->grants[i].schema, from, to, err);
    return rc;
}

void access_move(struct access *a, uint64_t was, uint64_t id)
{
    for (size_t i = 0; i < a->owners_count; i++)
        if (a->owners[i].id == was && a->owners[i].kind != ACCESS_SCHEMA)
            a->owners[i].id = id;
    for (size_t i = 0; i < a->grants_count; i++)
        if (a->grants[i].id == was && a->grants[i].kind != ACCESS_SCHEMA)
            a->grants[i].id = id;
}
