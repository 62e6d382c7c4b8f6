/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_usertype.c: types that CREATE TYPE made: their rows in pg_type and pg_enum, their names and
 * numbers, and what functions ask about their labels. */
#include "func/text_wire.h"
#include "system/objects.h"
#include "system/system_int.h"

#include <string.h>

#define ENUM_LABEL_OID 0x70000000u /* numbers of labels: from here on, in their order */

static uint32_t user_oid(const struct user_type *t, bool array)
{
    return text_wire_oid(array ? type_array_of(type_enum(t->number)) : type_enum(t->number));
}

static const struct user_type *user_find(const struct sys_env *env, int64_t oid, bool *ret_array)
{
    if (oid < TEXT_WIRE_USER)
        return NULL;
    *ret_array = (oid - TEXT_WIRE_USER) % 2 == 1;
    return catalog_type_by_number(env->catalog, (uint32_t)((oid - TEXT_WIRE_USER) / 2));
}

/* ---- rows ---- */

static void user_row(struct sys_rows *w, const struct user_type *t, bool array)
{
    static const uint32_t io[2][4] = {{3506, 3507, 3532, 3533}, {750, 751, 2400, 2401}};
    struct buf name;
    uint32_t schema = sys_schema_oid(t->schema);

    buf_init(&name, w->arena->owner);
    buf_printf(&name, "%s%s", array ? "_" : "", t->name);
    sys_int(w, user_oid(t, array));
    sys_buf(w, &name);
    sys_int(w, schema);
    sys_int(w, SYS_OWNER);
    sys_int(w, array ? -1 : 4);
    sys_int(w, !array);
    sys_text(w, array ? "b" : "e");
    sys_text(w, array ? "A" : "E");
    sys_int(w, 0);
    sys_int(w, 1);
    sys_text(w, ",");
    sys_int(w, 0);
    sys_reg(w, array ? 6179 : 0, array ? "array_subscript_handler" : NULL);
    sys_int(w, array ? user_oid(t, false) : 0);
    sys_int(w, array ? 0 : user_oid(t, true));
    for (int i = 0; i < 4; i++)
        sys_reg(w, io[array][i], sys_io_name(io[array][i]));
    sys_type_tail(w, 'i', array ? 'x' : 'p', 0);
    buf_done(&name);
}

void sys_fill_user_types(struct sys_rows *w)
{
    for (size_t i = 0; w->rc == 0 && i < w->env->catalog->types_count; i++) {
        user_row(w, w->env->catalog->types[i], false);
        user_row(w, w->env->catalog->types[i], true);
    }
}

void sys_fill_enum(struct sys_rows *w)
{
    uint32_t oid = ENUM_LABEL_OID;

    for (size_t i = 0; i < w->env->catalog->types_count; i++) {
        const struct user_type *t = w->env->catalog->types[i];

        for (uint32_t k = 0; w->rc == 0 && k < t->labels_count; k++) {
            sys_int(w, oid++);
            sys_int(w, user_oid(t, false));
            sys_int(w, k + 1);
            sys_text(w, t->labels[k].name);
            sys_end(w);
        }
    }
}

/* ---- names ---- */

static bool user_visible(const struct sys_env *env, const struct user_type *t)
{
    struct catalog_path path = {
        .schema = env->schema ? env->schema : "", .temp = env->temp, .more = env->more};

    return catalog_type_find(env->catalog, &path, NULL, t->name) == t;
}

bool sys_user_type_visible(const struct sys_env *env, int64_t oid, int64_t *ret)
{
    bool array;
    const struct user_type *t = user_find(env, oid, &array);

    *ret = t && user_visible(env, t);
    return t != NULL;
}

bool sys_user_type_print(const struct sys_env *env, int64_t oid, struct buf *b)
{
    bool array = false;
    const struct user_type *t = user_find(env, oid, &array);

    if (!t)
        return false;
    if (!user_visible(env, t)) {
        sys_quote(t->schema, b);
        buf_puts(b, ".");
    }
    sys_quote(t->name, b);
    buf_puts(b, array ? "[]" : "");
    return true;
}

const char *sys_user_type_name(const struct sys_env *env, int64_t oid, bool *ret_array)
{
    const struct user_type *t = user_find(env, oid, ret_array);

    return t ? t->name : NULL;
}

const char *sys_user_type_schema(const struct sys_env *env, int64_t oid)
{
    bool array;
    const struct user_type *t = user_find(env, oid, &array);

    return t ? t->schema : NULL;
}

int64_t sys_user_type_oid(const struct sys_env *env, const char *schema, const char *name)
{
    struct catalog_path path = {
        .schema = env->schema ? env->schema : "", .temp = env->temp, .more = env->more};
    size_t len = strlen(name);
    bool array = len > 2 && strcmp(name + len - 2, "[]") == 0;
    char bare[TABLE_NAME_MAX + 1];
    const struct user_type *t;

    len -= array ? 2 : 0;
    if (len > TABLE_NAME_MAX)
        return 0;
    memcpy(bare, name, len);
    bare[len] = '\0';
    t = catalog_type_find(env->catalog, &path, schema, bare);
    return t ? user_oid(t, array) : 0;
}

/* ---- labels ---- */

static int
user_label(const struct user_type *t, const struct func_ask *ask, int64_t *ret, struct dn_err *err)
{
    const struct user_label *l = catalog_type_label(t, ask->text, ask->text_len);

    if (!l)
        return DN_FAIL(err,
                       DN_E_BAD_TEXT,
                       "invalid input value for enum %s: \"%.*s\"",
                       t->name,
                       (int)(ask->text_len > 200 ? 200 : ask->text_len),
                       ask->text);
    *ret = l->order;
    return 0;
}

int sys_answer_enum(const struct sys_env *env,
                    const struct func_ask *ask,
                    struct func_answer *ret,
                    struct dn_err *err)
{
    const struct user_type *t = catalog_type_by_number(env->catalog, (uint32_t)ask->oid);
    const struct user_label *l;

    if (!t)
        return DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "the type does not exist any more");
    if (ask->kind == FUNC_ASK_ENUM_FIND)
        return user_label(t, ask, &ret->number, err);
    if (ask->kind == FUNC_ASK_ENUM_LABEL) {
        l = catalog_type_label_at(t, ask->sub);
        if (!l)
            return DN_NOT_FOUND;
        buf_puts(ret->text, l->name);
        return 0;
    }
    for (uint32_t i = 0; i < t->labels_count; i++)
        buf_append(ret->text, &t->labels[i].order, sizeof t->labels[i].order);
    return 0;
}
