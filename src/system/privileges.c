/* SPDX-License-Identifier: Apache-2.0
 *
 * privileges.c: answers of has_table_privilege() and the other privilege functions. Words, errors
 * and what is NULL are PostgreSQL's: an object that is named must be there, a number may be
 * anything.
 */
#include "system/system_int.h"

#include "catalog/access_check.h"

#include <strings.h>

/* A word of a list such as "SELECT, INSERT WITH GRANT OPTION". */
struct right_word {
    uint32_t bit;
    bool option; /* may it be given to others? */
};

static const char *right_trim(const char *p, size_t *len)
{
    while (*len && (*p == ' ' || *p == '\t' || *p == '\n')) {
        p++;
        --*len;
    }
    while (*len && (p[*len - 1] == ' ' || p[*len - 1] == '\t' || p[*len - 1] == '\n'))
        --*len;
    return p;
}

static bool right_is(const char *p, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(p, word, len) == 0;
}

/* What can be asked of each: bits of privileges; MEMBER, EXECUTE and so on have bits of their own.
 */
#define RIGHT_MEMBER  (1u << 30)
#define RIGHT_EXECUTE (1u << 29)

static uint32_t right_allowed(enum func_right_of of)
{
    switch (of) {
    case FUNC_RIGHT_TABLE:
        return access_all(ACCESS_RELATION);
    case FUNC_RIGHT_SEQUENCE:
        return access_all(ACCESS_SEQUENCE);
    case FUNC_RIGHT_COLUMN:
    case FUNC_RIGHT_ANY_COLUMN:
        return ACCESS_COLUMN_ALL;
    case FUNC_RIGHT_SCHEMA:
        return access_all(ACCESS_SCHEMA);
    case FUNC_RIGHT_DATABASE:
        return access_all(ACCESS_DATABASE);
    case FUNC_RIGHT_FUNCTION:
        return RIGHT_EXECUTE;
    case FUNC_RIGHT_TYPE:
    case FUNC_RIGHT_LANGUAGE:
    case FUNC_RIGHT_SERVER:
        return PRIVILEGE_BIT(PRIVILEGE_USAGE);
    case FUNC_RIGHT_TABLESPACE:
        return PRIVILEGE_BIT(PRIVILEGE_CREATE);
    case FUNC_RIGHT_ROLE:
        return RIGHT_MEMBER | PRIVILEGE_BIT(PRIVILEGE_USAGE);
    }
    return 0;
}

static uint32_t right_bit(const char *p, size_t len)
{
    static const char *const words[] = {
#define DN_PRIVILEGE(name, sql, letter, kinds) [PRIVILEGE_##name] = (sql),
#include "catalog/privilege_list.h"
#undef DN_PRIVILEGE
    };

    if (right_is(p, len, "MEMBER"))
        return RIGHT_MEMBER;
    if (right_is(p, len, "EXECUTE"))
        return RIGHT_EXECUTE;
    if (right_is(p, len, "TEMP"))
        return PRIVILEGE_BIT(PRIVILEGE_TEMPORARY);
    for (uint32_t i = 0; i < PRIVILEGE_MAX; i++)
        if (right_is(p, len, words[i]))
            return PRIVILEGE_BIT(i);
    return 0;
}

/* The next word of the list at *p; 1: there is none. */
static int
right_next(const struct func_right *r, const char **p, struct right_word *ret, struct dn_err *err)
{
    static const char *const tails[] = {" WITH GRANT OPTION", " WITH ADMIN OPTION"};
    const char *all = r->what.text + r->what.len;
    const char *end = *p;
    const char *word;
    size_t len;
    size_t whole;

    if (*p > all)
        return 1;
    while (end < all && *end != ',')
        end++;
    len = (size_t)(end - *p);
    word = right_trim(*p, &len);
    whole = len;
    ret->option = false;
    for (size_t i = 0; i < (r->of == FUNC_RIGHT_ROLE ? 2 : 1); i++) {
        size_t tail = strlen(tails[i]);

        if (len > tail && strncasecmp(word + len - tail, tails[i], tail) == 0) {
            ret->option = true;
            len -= tail;
        }
    }
    word = right_trim(word, &len);
    ret->bit = right_bit(word, len);
    if (!(ret->bit & right_allowed(r->of)))
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "unrecognized privilege type: \"%.*s\"",
                       whole > 100 ? 100 : (int)whole,
                       word);
    *p = end + 1;
    return 0;
}

/* ---- who, and with what ---- */

static int right_role_named(const struct sys_env *env,
                            const struct func_name *name,
                            uint32_t *ret,
                            struct dn_err *err)
{
    struct arena arena;
    const struct role *role;
    const char *text;

    if (!name->text) {
        *ret = (uint32_t)name->number;
        return 0;
    }
    arena_init(&arena, NULL);
    text = arena_strndup(&arena, name->text, name->len);
    role = text ? access_role(env->catalog->access, text) : NULL;
    *ret = role ? role->id : ACCESS_PUBLIC;
    arena_done(&arena);
    if (!text)
        return DN_FAIL_NOMEM(err);
    return role ? 0
                : DN_FAIL(err,
                          DN_E_UNDEFINED_OBJECT,
                          "role \"%.*s\" does not exist",
                          name->len > 200 ? 200 : (int)name->len,
                          name->text);
}

uint32_t sys_role(const struct sys_env *env)
{
    const struct role *role =
        env->session ? access_role(env->catalog->access, env->session->user) : NULL;

    return role ? role->id : ACCESS_FIRST;
}

static int right_role(const struct sys_env *env,
                      const struct func_name *name,
                      uint32_t *ret,
                      struct dn_err *err)
{
    *ret = sys_role(env);
    if (!name->given)
        return 0;
    if (name->text && right_is(name->text, name->len, "public")) {
        *ret = ACCESS_PUBLIC;
        return 0;
    }
    return right_role_named(env, name, ret, err);
}

/* By name or number; DN_NOT_FOUND: there is no such number. */
static int right_relation(const struct sys_env *env,
                          const struct func_name *name,
                          struct sys_item *ret,
                          struct dn_err *err)
{
    struct func_ask ask = {.kind = FUNC_ASK_REG_FIND,
                           .type = TYPE_REGCLASS,
                           .text = name->text,
                           .text_len = name->len};
    struct func_answer found = {.number = name->number};
    struct sys_index index;
    int rc = name->text ? sys_answer(env, &ask, &found, err) : 0;

    if (rc != 0)
        return rc;
    return sys_item_find(env, found.number, ret, &index) ? 0 : DN_NOT_FOUND;
}

static int right_column(const struct sys_env *env,
                        const struct func_name *name,
                        const struct sys_item *it,
                        uint32_t *ret,
                        struct dn_err *err)
{
    struct sys_rows w = {.env = env, .err = err};
    const struct sys_attr *a;
    struct arena arena;
    uint32_t count = 0;
    bool found = false;

    arena_init(&arena, NULL);
    w.arena = &arena;
    a = sys_attrs(&w, it, &count);
    for (uint32_t i = 0; a && !found && i < count; i++) {
        found = name->text ? strlen(a[i].name) == name->len &&
                                 memcmp(a[i].name, name->text, name->len) == 0
                           : a[i].num == name->number;
        *ret = (uint32_t)a[i].num;
    }
    arena_done(&arena);
    if (w.rc < 0)
        return w.rc;
    if (found)
        return 0;
    return name->text ? DN_FAIL(err,
                                DN_E_UNDEFINED_COLUMN,
                                "column \"%.*s\" of relation \"%s\" does not exist",
                                name->len > 200 ? 200 : (int)name->len,
                                name->text,
                                it->name)
                      : DN_NOT_FOUND;
}

static int right_schema(const struct sys_env *env,
                        const struct func_name *name,
                        const char **ret,
                        struct dn_err *err)
{
    const char *s;

    for (size_t i = 0; (s = sys_schema_at(env, i)); i++) {
        if (name->text ? strlen(s) == name->len && memcmp(s, name->text, name->len) == 0
                       : sys_schema_oid(s) == name->number) {
            *ret = s;
            return 0;
        }
    }
    return name->text ? DN_FAIL(err,
                                DN_E_UNDEFINED_SCHEMA,
                                "schema \"%.*s\" does not exist",
                                name->len > 200 ? 200 : (int)name->len,
                                name->text)
                      : DN_NOT_FOUND;
}

/* ---- the answers ---- */

/* What the role has, and may give away, of the object. */
struct right_has {
    uint32_t privileges;
    uint32_t options;
};

static struct right_has
right_of_object(const struct sys_env *env, uint32_t role, const struct access_object *o)
{
    const struct access *a = env->catalog->access;

    if (role != ACCESS_PUBLIC && access_superuser(a, role))
        return (struct right_has){access_all(o->kind), access_all(o->kind)};
    return (struct right_has){access_privileges(a, role, o), access_options(a, role, o)};
}

/* column 0: on the whole. */
static struct right_has right_of_relation(const struct sys_env *env,
                                          uint32_t role,
                                          const struct sys_item *it,
                                          uint32_t column)
{
    struct access_object o;

    if (it->rel && role != ACCESS_PUBLIC && access_superuser(env->catalog->access, role))
        return (struct right_has){UINT32_MAX, UINT32_MAX};
    if (it->rel && sys_relation_secret(it->rel))
        return (struct right_has){.privileges = 0};
    if (it->rel)
        return (struct right_has){.privileges = PRIVILEGE_BIT(PRIVILEGE_SELECT)};
    o = sys_item_object(it);
    o.column = column;
    return right_of_object(env, role, &o);
}

/* On any column, too. */
static struct right_has
right_somewhere(const struct sys_env *env, uint32_t role, const struct sys_item *it)
{
    struct right_has has = right_of_relation(env, role, it, 0);
    struct access_object o;

    if (!it->rel) {
        o = sys_item_object(it);
        has.privileges |= access_somewhere(env->catalog->access, role, &o);
    }
    return has;
}

bool sys_item_may(const struct sys_env *env, const struct sys_item *it)
{
    return right_somewhere(env, sys_role(env), it).privileges != 0;
}

bool sys_table_may(const struct sys_env *env, const struct table *t)
{
    const struct catalog_relation r = {.table = t};
    struct dn_err ignored;

    return catalog_may_any(env->catalog, sys_role(env), &r, ~0u, true, &ignored) == 0;
}

bool sys_table_reads(const struct sys_env *env, const struct table *t)
{
    const struct catalog_relation r = {.table = t};
    struct dn_err ignored;

    return catalog_may(
               env->catalog, sys_role(env), &r, PRIVILEGE_BIT(PRIVILEGE_SELECT), &ignored) == 0;
}

static struct right_has
right_of_schema(const struct sys_env *env, uint32_t role, const char *schema)
{
    struct access_object o = {.kind = ACCESS_SCHEMA, .schema = schema};
    struct right_has has = right_of_object(env, role, &o);

    if (sys_is_schema(schema) || (env->temp && strcmp(schema, env->temp) == 0))
        has.privileges |= PRIVILEGE_BIT(PRIVILEGE_USAGE);
    return has;
}

static int
right_database(const struct sys_env *env, const struct func_name *name, struct dn_err *err)
{
    const char *own = env->session ? env->session->database : "dendro";

    if (name->text)
        return strlen(own) == name->len && memcmp(own, name->text, name->len) == 0
                   ? 0
                   : DN_FAIL(err,
                             DN_E_UNDEFINED_SCHEMA,
                             "database \"%.*s\" does not exist",
                             name->len > 200 ? 200 : (int)name->len,
                             name->text);
    return name->number == SYS_DATABASE ? 0 : DN_NOT_FOUND;
}

/* A type by its name or number; DN_NOT_FOUND: there is no such number. */
static int right_type(const struct sys_env *env, const struct func_name *name, struct dn_err *err)
{
    struct func_ask ask = {
        .kind = FUNC_ASK_REG_FIND, .type = TYPE_REGTYPE, .text = name->text, .text_len = name->len};
    struct func_answer found = {.number = 0};

    if (name->text)
        return sys_answer(env, &ask, &found, err);
    return sys_type_find((uint32_t)name->number) ||
                   sys_user_type_visible(env, name->number, &found.number)
               ? 0
               : DN_NOT_FOUND;
}

/* An object of a kind of which there are but a few, all of them built in. */
struct right_fixed {
    const char *name;
    int64_t oid;
};

static int right_among(const struct right_fixed *all,
                       size_t count,
                       const char *what,
                       const struct func_name *name,
                       struct dn_err *err)
{
    for (size_t i = 0; i < count; i++)
        if (name->text ? strlen(all[i].name) == name->len &&
                             memcmp(all[i].name, name->text, name->len) == 0
                       : all[i].oid == name->number)
            return 0;
    return name->text ? DN_FAIL(err,
                                DN_E_UNDEFINED_OBJECT,
                                "%s \"%.*s\" does not exist",
                                what,
                                name->len > 200 ? 200 : (int)name->len,
                                name->text)
                      : DN_NOT_FOUND;
}

static int right_built_in(const struct func_right *r, struct dn_err *err)
{
    static const struct right_fixed languages[] = {{"internal", 12}, {"c", 13}, {"sql", 14}};
    static const struct right_fixed tablespaces[] = {{"pg_default", 1663}, {"pg_global", 1664}};

    if (r->of == FUNC_RIGHT_LANGUAGE)
        return right_among(languages, DN_ARRAY_SIZE(languages), "language", &r->object, err);
    if (r->of == FUNC_RIGHT_TABLESPACE)
        return right_among(tablespaces, DN_ARRAY_SIZE(tablespaces), "tablespace", &r->object, err);
    return right_among(NULL, 0, "foreign server or wrapper", &r->object, err);
}

/* What the role has of the object that is asked about. */
static int right_find(const struct sys_env *env,
                      const struct func_right *r,
                      uint32_t role,
                      struct right_has *ret,
                      struct dn_err *err)
{
    const struct access *a = env->catalog->access;
    struct access_object database = {.kind = ACCESS_DATABASE};
    bool super = role != ACCESS_PUBLIC && access_superuser(a, role);
    const char *schema = NULL;
    struct sys_item it;
    uint32_t of = 0;
    int rc = 0;

    *ret = (struct right_has){0, 0};
    switch (r->of) {
    case FUNC_RIGHT_TABLE:
    case FUNC_RIGHT_SEQUENCE:
    case FUNC_RIGHT_COLUMN:
    case FUNC_RIGHT_ANY_COLUMN:
        rc = right_relation(env, &r->object, &it, err);
        if (rc != 0)
            return rc;
        if (r->of == FUNC_RIGHT_SEQUENCE && !it.sequence)
            return DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a sequence", it.name);
        if (r->of == FUNC_RIGHT_COLUMN) {
            rc = right_column(env, &r->column, &it, &of, err);
            if (rc != 0)
                return rc;
        }
        *ret = r->of == FUNC_RIGHT_ANY_COLUMN ? right_somewhere(env, role, &it)
                                              : right_of_relation(env, role, &it, of);
        return 0;
    case FUNC_RIGHT_SCHEMA:
        rc = right_schema(env, &r->object, &schema, err);
        if (rc != 0)
            return rc;
        *ret = right_of_schema(env, role, schema);
        return 0;
    case FUNC_RIGHT_DATABASE:
        rc = right_database(env, &r->object, err);
        if (rc != 0)
            return rc;
        *ret = right_of_object(env, role, &database);
        return 0;
    case FUNC_RIGHT_ROLE:
        rc = right_role_named(env, &r->object, &of, err);
        if (rc != 0)
            return rc;
        if (access_member(a, role, of))
            ret->privileges |= RIGHT_MEMBER;
        if (access_inherits(a, role, of))
            ret->privileges |= PRIVILEGE_BIT(PRIVILEGE_USAGE);
        if (access_admin(a, role, of))
            ret->options = UINT32_MAX;
        return 0;
    case FUNC_RIGHT_FUNCTION:
        *ret = (struct right_has){UINT32_MAX, super ? UINT32_MAX : 0};
        return 0;
    case FUNC_RIGHT_TYPE:
        *ret = (struct right_has){UINT32_MAX, super ? UINT32_MAX : 0};
        return right_type(env, &r->object, err);
    case FUNC_RIGHT_LANGUAGE:
        *ret = (struct right_has){UINT32_MAX, super ? UINT32_MAX : 0};
        return right_built_in(r, err);
    case FUNC_RIGHT_TABLESPACE:
    case FUNC_RIGHT_SERVER:
        rc = right_built_in(r, err);
        if (rc != 0)
            return rc;
        break;
    }
    *ret = (struct right_has){super ? UINT32_MAX : 0, super ? UINT32_MAX : 0};
    return 0;
}

int sys_answer_privilege(const struct sys_env *env,
                         const struct func_right *r,
                         int64_t *ret,
                         struct dn_err *err)
{
    const char *p = r->what.text ? r->what.text : "";
    struct right_has has;
    struct right_word word;
    uint32_t role;
    int rc = right_role(env, &r->role, &role, err);

    *ret = 0;
    if (rc != 0)
        return rc;
    rc = right_find(env, r, role, &has, err);
    if (rc != 0)
        return rc;
    while (r->what.text) {
        rc = right_next(r, &p, &word, err);
        if (rc != 0)
            return rc == 1 ? 0 : rc;
        if ((word.option ? has.options : has.privileges) & word.bit)
            *ret = 1;
    }
    return 0;
}
