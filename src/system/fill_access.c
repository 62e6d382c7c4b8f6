/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_access.c: rows about roles and what they may do: lists of privileges (aclitem[]), members
 * and settings of roles, and the views of information_schema over them. Values come in the order of
 * the columns in relations_*.c. */
#include "system/system_int.h"

#include "base/text.h"
#include "vec/array.h"

/* ---- lists of privileges ---- */

static bool acl_touched(const struct access *a, const struct access_object *o)
{
    for (size_t i = 0; a && i < a->grants_count; i++)
        if (access_grant_is(o, &a->grants[i]))
            return true;
    return false;
}

/* The default privileges of PUBLIC that were not revoked. */
static uint32_t acl_world(const struct access *a, const struct access_object *o)
{
    uint32_t all = access_default(o);

    for (size_t i = 0; a && i < a->grants_count; i++)
        if (a->grants[i].revoked && access_grant_is(o, &a->grants[i]))
            all &= ~a->grants[i].privileges;
    return all;
}

bool sys_acl_next(const struct sys_env *env,
                  const struct access_object *o,
                  size_t *at,
                  struct sys_acl_entry *ret)
{
    const struct access *a = env->catalog->access;

    for (;; ++*at) {
        *ret = (struct sys_acl_entry){.grantor = access_owned_by(a, o)};
        if (*at < 2 && o->column) { /* of a column only what was granted */
            continue;
        } else if (*at == 0) {
            ret->privileges = acl_world(a, o);
        } else if (*at == 1) {
            ret->grantee = ret->grantor;
            ret->privileges = access_all(o->kind);
        } else if (!a || *at - 2 >= a->grants_count) {
            return false;
        } else {
            const struct access_grant *g = &a->grants[*at - 2];

            if (g->revoked || !access_grant_is(o, g))
                continue;
            *ret = (struct sys_acl_entry){g->grantee, g->grantor, g->privileges, g->options};
        }
        if (!ret->privileges)
            continue;
        ++*at;
        return true;
    }
}

/* bob=ar*w/alice */
static void acl_print(const struct access *a, const struct sys_acl_entry *e, struct buf *b)
{
    static const char order[] = "arwdDxtXUCTc";
    static const char letters[] = {
#define DN_PRIVILEGE(name, sql, letter, kinds) [PRIVILEGE_##name] = (letter),
#include "catalog/privilege_list.h"
#undef DN_PRIVILEGE
    };

    if (e->grantee != ACCESS_PUBLIC)
        sys_quote(access_role_name(a, e->grantee), b);
    buf_u8(b, '=');
    for (const char *p = order; *p; p++) {
        for (uint32_t i = 0; i < PRIVILEGE_MAX; i++) {
            if (letters[i] != *p || !(e->privileges & PRIVILEGE_BIT(i)))
                continue;
            buf_u8(b, (uint8_t)*p);
            if (e->options & PRIVILEGE_BIT(i))
                buf_u8(b, '*');
        }
    }
    buf_u8(b, '/');
    sys_quote(access_role_name(a, e->grantor), b);
}

void sys_texts(struct sys_rows *w, const char *const *v, uint32_t count)
{
    enum type_id elem = sys_wanted(w) ? type_element(w->cols[w->at].type) : TYPE_NONE;
    struct datum *items;
    struct varray a;
    struct buf b;

    items = sys_wanted(w) ? arena_calloc(w->arena, (size_t)count + 1, sizeof(*items)) : NULL;
    if (!items) {
        if (sys_wanted(w))
            w->rc = DN_FAIL_NOMEM(w->err);
        sys_null(w, 1);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        items[i] = (struct datum){
            .type = elem,
            .str = {.ptr = v[i] ? v[i] : "", .len = v[i] ? (uint32_t)strlen(v[i]) : 0}};
    a = varray_flat(elem, items, count);
    buf_init(&b, w->arena->owner);
    varray_write(&a, NULL, &b);
    sys_buf(w, &b);
    buf_done(&b);
}

void sys_acl(struct sys_rows *w, const struct access_object *o)
{
    const struct access *a = w->env->catalog->access;
    struct sys_acl_entry e;
    const char **items;
    uint32_t count = 0;
    size_t at = 0;
    struct buf b;
    bool public = o->kind == ACCESS_SCHEMA && strcmp(o->schema, "public") == 0;

    /* PostgreSQL has a list for it from the first day, and dumps that of others as changes to it.
     */
    if (!sys_wanted(w) || (!public && !acl_touched(a, o))) {
        sys_null(w, 1);
        return;
    }
    items = arena_calloc(w->arena, (a ? a->grants_count : 0) + 2, sizeof(*items));
    buf_init(&b, w->arena->owner);
    while (items && sys_acl_next(w->env, o, &at, &e)) {
        buf_reset(&b);
        acl_print(a, &e, &b);
        items[count] = b.failed ? NULL : arena_strndup(w->arena, (const char *)b.data, b.len);
        if (!items[count++])
            items = NULL;
    }
    buf_done(&b);
    if (!items)
        w->rc = DN_FAIL_NOMEM(w->err);
    sys_texts(w, items, items ? count : 0);
}

void sys_item_acl(struct sys_rows *w, const struct sys_item *it)
{
    struct access_object o = sys_item_object(it);

    sys_acl(w, &o);
}

/* ---- roles ---- */

void sys_fill_auth_members(struct sys_rows *w)
{
    const struct access *a = w->env->catalog->access;
    const struct role_member *m;

    for (size_t i = 0; w->rc == 0 && (m = access_member_at(a, i)) != NULL; i++) {
        sys_int(w, m->role);
        sys_int(w, m->member);
        sys_int(w, SYS_OWNER);
        sys_int(w, m->admin);
        sys_end(w);
    }
}

void sys_role_settings(struct sys_rows *w, const struct role *r)
{
    const char **items;

    if (!sys_wanted(w) || r->settings_count == 0) {
        sys_null(w, 1);
        return;
    }
    items = arena_calloc(w->arena, r->settings_count, sizeof(*items));
    for (uint32_t i = 0; items && i < r->settings_count; i++)
        items[i] = arena_printf(w->arena, "%s=%s", r->settings[i].name, r->settings[i].value);
    if (!items)
        w->rc = DN_FAIL_NOMEM(w->err);
    sys_texts(w, items, items ? r->settings_count : 0);
}

void sys_fill_db_role_setting(struct sys_rows *w)
{
    const struct role *r;

    for (size_t i = 0; w->rc == 0 && (r = access_role_at(w->env->catalog->access, i)); i++) {
        if (r->settings_count == 0)
            continue;
        sys_int(w, 0);
        sys_int(w, r->id);
        sys_role_settings(w, r);
        sys_end(w);
    }
}

/* ---- information_schema ---- */

static void access_names(struct sys_rows *w, const struct sys_item *it)
{
    sys_text(w, w->env->session ? w->env->session->database : "dendro");
    sys_text(w, it->schema);
    sys_text(w, it->name);
}

static const char *access_grantee(const struct access *a, uint32_t role)
{
    return role == ACCESS_PUBLIC ? "PUBLIC" : access_role_name(a, role);
}

/* May the role of the session see the entry? */
static bool access_shown(const struct sys_rows *w, const struct sys_acl_entry *e)
{
    const struct access *a = w->env->catalog->access;
    uint32_t role = sys_role(w->env);

    return e->grantee == ACCESS_PUBLIC || access_inherits(a, role, e->grantee) ||
           access_inherits(a, role, e->grantor);
}

typedef void (*access_fn)(struct sys_rows *w,
                          const struct sys_item *it,
                          const struct sys_acl_entry *e);

/* Calls fn for each privilege (one bit of e) of each relation; kinds: letters of pg_class. */
static void access_each(struct sys_rows *w, const char *kinds, uint32_t only, access_fn fn)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        struct sys_acl_entry e = {.grantor = SYS_OWNER,
                                  .privileges = PRIVILEGE_BIT(PRIVILEGE_SELECT)};
        struct access_object o = {.kind = ACCESS_RELATION};
        size_t at = 0;

        if (!strchr(kinds, sys_item_kind(&it)))
            continue;
        if (!it.rel)
            o = sys_item_object(&it);
        if (it.sequence && !acl_touched(w->env->catalog->access, &o))
            continue; /* as PostgreSQL has it: what an owner has by itself is not shown */
        while (w->rc == 0 && (it.rel ? at++ == 0 : sys_acl_next(w->env, &o, &at, &e))) {
            struct sys_acl_entry one = e;

            for (uint32_t i = 0; access_shown(w, &e) && i < PRIVILEGE_MAX; i++) {
                one.privileges = e.privileges & only & PRIVILEGE_BIT(i);
                if (one.privileges)
                    fn(w, &it, &one);
            }
        }
    }
}

static const char *access_word(uint32_t bit)
{
    static const char *const words[] = {
#define DN_PRIVILEGE(name, sql, letter, kinds) [PRIVILEGE_##name] = (sql),
#include "catalog/privilege_list.h"
#undef DN_PRIVILEGE
    };

    return words[__builtin_ctz(bit)];
}

static const char *access_grantable(const struct sys_item *it, const struct sys_acl_entry *e)
{
    return (e->options & e->privileges) || e->grantee == it->owner ? "YES" : "NO";
}

static void
access_table_row(struct sys_rows *w, const struct sys_item *it, const struct sys_acl_entry *e)
{
    const struct access *a = w->env->catalog->access;

    sys_text(w, access_role_name(a, e->grantor));
    sys_text(w, access_grantee(a, e->grantee));
    access_names(w, it);
    sys_text(w, access_word(e->privileges));
    sys_text(w, access_grantable(it, e));
    sys_text(w, e->privileges == PRIVILEGE_BIT(PRIVILEGE_SELECT) ? "YES" : "NO");
    sys_end(w);
}

void sys_fill_i_table_privileges(struct sys_rows *w)
{
    access_each(w, "rv", UINT32_MAX, access_table_row);
}

static void access_column_row(struct sys_rows *w,
                              const struct sys_item *it,
                              const struct sys_attr *attr,
                              const struct sys_acl_entry *e)
{
    const struct access *a = w->env->catalog->access;

    sys_text(w, access_role_name(a, e->grantor));
    sys_text(w, access_grantee(a, e->grantee));
    access_names(w, it);
    sys_text(w, attr->name);
    sys_text(w, access_word(e->privileges));
    sys_text(w, access_grantable(it, e));
    sys_end(w);
}

static void
access_column_rows(struct sys_rows *w, const struct sys_item *it, const struct sys_acl_entry *e)
{
    uint32_t count = 0;
    const struct sys_attr *attrs = sys_attrs(w, it, &count);

    for (uint32_t i = 0; attrs && w->rc == 0 && i < count; i++)
        access_column_row(w, it, &attrs[i], e);
}

/* What was granted on columns. */
static void access_each_column(struct sys_rows *w)
{
    struct sys_item it = {.at = 0};

    while (w->rc == 0 && sys_next(w->env, &it)) {
        uint32_t count = 0;
        const struct sys_attr *attrs = NULL;
        struct access_object o;

        if (it.rel || !text_one_of(sys_item_kind(&it), "rv"))
            continue;
        o = sys_item_object(&it);
        attrs = sys_attrs(w, &it, &count);
        for (uint32_t k = 0; attrs && w->rc == 0 && k < count; k++) {
            struct sys_acl_entry e;
            size_t at = 0;

            o.column = (uint32_t)attrs[k].num;
            while (w->rc == 0 && sys_acl_next(w->env, &o, &at, &e)) {
                struct sys_acl_entry one = e;

                for (uint32_t i = 0; access_shown(w, &e) && i < PRIVILEGE_MAX; i++) {
                    one.privileges = e.privileges & PRIVILEGE_BIT(i);
                    if (one.privileges)
                        access_column_row(w, &it, &attrs[k], &one);
                }
            }
        }
    }
}

void sys_fill_i_column_privileges(struct sys_rows *w)
{
    access_each(w, "rv", ACCESS_COLUMN_ALL, access_column_rows);
    access_each_column(w);
}

static void
access_usage_row(struct sys_rows *w, const struct sys_item *it, const struct sys_acl_entry *e)
{
    const struct access *a = w->env->catalog->access;

    sys_text(w, access_role_name(a, e->grantor));
    sys_text(w, access_grantee(a, e->grantee));
    access_names(w, it);
    sys_text(w, "SEQUENCE");
    sys_text(w, access_word(e->privileges));
    sys_text(w, access_grantable(it, e));
    sys_end(w);
}

void sys_fill_i_usage_privileges(struct sys_rows *w)
{
    access_each(w, "S", PRIVILEGE_BIT(PRIVILEGE_USAGE), access_usage_row);
}

void sys_fill_i_enabled_roles(struct sys_rows *w)
{
    const struct access *a = w->env->catalog->access;
    const struct role *r;

    for (size_t i = 0; w->rc == 0 && (r = access_role_at(a, i)); i++) {
        if (!access_inherits(a, sys_role(w->env), r->id))
            continue;
        sys_text(w, r->name);
        sys_end(w);
    }
}

static void access_memberships(struct sys_rows *w, bool admin)
{
    const struct access *a = w->env->catalog->access;
    const struct role_member *m;

    for (size_t i = 0; w->rc == 0 && (m = access_member_at(a, i)) != NULL; i++) {
        if (!access_inherits(a, sys_role(w->env), m->member) || (admin && !m->admin))
            continue;
        sys_text(w, access_role_name(a, m->member));
        sys_text(w, access_role_name(a, m->role));
        sys_text(w, m->admin ? "YES" : "NO");
        sys_end(w);
    }
}

void sys_fill_i_applicable_roles(struct sys_rows *w)
{
    access_memberships(w, false);
}

void sys_fill_i_administrable_roles(struct sys_rows *w)
{
    access_memberships(w, true);
}
