/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c: types and functions by the numbers that PostgreSQL gives them, or such as follow from
 * what they are called. */
#include "system/system_int.h"
#include "vec/fields.h"

#include "base/number.h"
#include "func/func.h"
#include "func/rowfunc.h"
#include "func/text_wire.h"
#include "func/winfunc.h"

#include <inttypes.h>
#include <strings.h>

#define SYS_TYPE_NAME_MAX 100u

static const struct sys_type types[] = {
#define SYS_TYPE(o, n, l, v, k, c, p, e, a, i1, i2, i3, i4, al, st, co) \
    {o, n, l, v, k, c, p, e, a, {i1, i2, i3, i4}, al, st, co},
#include "system/pg_type_list.h"
#undef SYS_TYPE
};

static const struct {
    uint32_t oid;
    const char *name;
    uint32_t result;
    const char *args;
} procs[] = {
#define SYS_PROC(o, n, r, a) {o, n, r, a},
#include "system/pg_proc_list.h"
#undef SYS_PROC
};

uint32_t sys_type_oid(enum type_id type, const struct type_mods *mods)
{
    uint32_t oid;

    if (type == TYPE_VARCHAR)
        return mods && mods->count ? 1043 : 25;
    if (type == type_array_of(TYPE_VARCHAR))
        return mods && mods->count ? 1015 : 1009;
    if (type == TYPE_ANY_ELEMENT)
        return 2283;
    if (type == TYPE_ANY_ARRAY)
        return 2277;
    if (type == TYPE_ENUM) /* of no type that was made: any */
        return 3500;
    if (type == type_array_of(TYPE_ENUM))
        return 2277;
    oid = text_wire_oid(type);
    return oid ? oid : 2276;
}

int32_t sys_type_mod(enum type_id type, const struct type_mods *mods)
{
    if (type_is_array(type))
        type = type_element(type);
    if (type == TYPE_TIMESTAMP)
        return 3;
    if (type == TYPE_TIMESTAMP_NS)
        return 9;
    if (mods->count == 0)
        return -1;
    if (type == TYPE_NUMERIC)
        return (int32_t)(((uint32_t)mods->v[0] << 16 | ((uint32_t)mods->v[1] & 0x7ff)) + 4);
    if (type == TYPE_TIME || type == TYPE_TIMETZ || type == TYPE_TIMESTAMPTZ ||
        type == TYPE_TIMESTAMP_US || type_is_bits(type))
        return mods->v[0];
    if (type == TYPE_INTERVAL)
        return (mods->count > 1 ? mods->v[1] : 0x7fff) << 16 |
               (mods->v[0] < TYPE_FRACTION_MAX ? mods->v[0] : 0xffff);
    return mods->v[0] + 4; /* a length */
}

const struct sys_type *sys_type_at(size_t i)
{
    return i < DN_ARRAY_SIZE(types) ? &types[i] : NULL;
}

const struct sys_type *sys_type_find(uint32_t oid)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(types); i++)
        if (types[i].oid == oid)
            return &types[i];
    return NULL;
}

/* What SQL calls them, where that is another word. */
static const struct {
    uint32_t oid;
    const char *name;
} sql_names[] = {
    {16, "boolean"},
    {18, "\"char\""},
    {20, "bigint"},
    {21, "smallint"},
    {23, "integer"},
    {700, "real"},
    {701, "double precision"},
    {1042, "character"},
    {1043, "character varying"},
    {1083, "time without time zone"},
    {1114, "timestamp without time zone"},
    {1184, "timestamp with time zone"},
    {1266, "time with time zone"},
    {1562, "bit varying"},
    {2276, "\"any\""},
};

static const char *sys_sql_name(uint32_t oid)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(sql_names); i++)
        if (sql_names[i].oid == oid)
            return sql_names[i].name;
    return NULL;
}

/* The name in one blank's distance between words and without parameters, "character(3)" and
 * "interval day to second"; what is too long for a type's name is left as it is. */
static struct vstr sys_type_bare(struct vstr name, char to[SYS_TYPE_NAME_MAX])
{
    static const char interval[] = "interval ";
    uint32_t n = 0;
    bool inside = false;

    if (name.len > SYS_TYPE_NAME_MAX)
        return name;
    for (uint32_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        inside = inside || c == '(';
        if (!inside && !(c == ' ' && (n == 0 || to[n - 1] == ' ')))
            to[n++] = c;
        inside = inside && c != ')';
    }
    while (n > 0 && to[n - 1] == ' ')
        n--;
    if (n > sizeof interval && strncasecmp(to, interval, sizeof interval - 1) == 0 &&
        to[n - 1] != ']')
        n = sizeof interval - 2;
    return inside ? name : (struct vstr){to, n};
}

uint32_t sys_type_by_name(struct vstr name)
{
    char bare[SYS_TYPE_NAME_MAX];
    bool array;
    enum type_id own;

    name = sys_type_bare(name, bare);
    array = name.len > 2 && name.ptr[name.len - 1] == ']';
    if (name.len > 11 && strncasecmp(name.ptr, "pg_catalog.", 11) == 0) {
        name.ptr += 11;
        name.len -= 11;
    }
    if (array)
        name.len -= 2;
    for (size_t i = 0; i < DN_ARRAY_SIZE(types); i++) {
        const char *sql = sys_sql_name(types[i].oid);

        if ((strlen(types[i].name) == name.len &&
             strncasecmp(types[i].name, name.ptr, name.len) == 0 &&
             !(types[i].oid == 18 && !array)) ||
            (sql && strlen(sql) == name.len && strncasecmp(sql, name.ptr, name.len) == 0))
            return array ? types[i].array : types[i].oid;
    }
    own = type_by_name(name.ptr, name.len); /* words of our own, such as STRING */
    return own == TYPE_NONE ? 0 : sys_type_oid(array ? type_array_of(own) : own, NULL);
}

static void sys_print_interval(int64_t mod, struct buf *b)
{
    const char *fields = type_fields_name((int32_t)(mod >> 16 & 0x7fff));

    buf_puts(b, fields ? " " : "");
    for (; fields && *fields; fields++)
        buf_u8(b, (uint8_t)(*fields >= 'A' && *fields <= 'Z' ? *fields + 32 : *fields));
    if ((mod & 0xffff) <= TYPE_FRACTION_MAX)
        buf_printf(b, "(%" PRId64 ")", mod & 0xffff);
}

/* The parameters behind the first word: character varying(10), timestamp(3) with time zone. */
static void sys_print_mods(const struct sys_type *t, const char *name, int64_t mod, struct buf *b)
{
    const char *rest = strchr(name, ' ');
    bool time = t->oid == 1083 || t->oid == 1114 || t->oid == 1184 || t->oid == 1266;

    if (!time) {
        buf_puts(b, name);
        if (t->oid == 1700)
            buf_printf(b,
                       "(%" PRId64 ",%d)",
                       (mod - 4) >> 16 & 0xffff,
                       (int)((((mod - 4) & 0x7ff) ^ 1024) - 1024));
        else if (t->oid == 1186)
            sys_print_interval(mod, b);
        else if (t->oid == 1042 || t->oid == 1043)
            buf_printf(b, "(%" PRId64 ")", mod - 4);
        else if (t->oid == 1560 || t->oid == 1562)
            buf_printf(b, "(%" PRId64 ")", mod);
        return;
    }
    buf_append(b, name, (size_t)(rest - name));
    buf_printf(b, "(%" PRId64 ")%s", mod, rest);
}

static bool sys_print_row_type(const struct sys_env *env, int64_t oid, struct buf *b)
{
    struct sys_item it = {.at = 0};
    bool array = false;

    do {
        if (!sys_next(env, &it) || it.rel)
            return false;
        array = it.oid + 1 == oid;
    } while (it.sequence || !(it.oid == oid || array));
    if (!sys_item_visible(env, &it)) {
        sys_quote(it.schema, b);
        buf_puts(b, ".");
    }
    sys_quote(it.name, b);
    buf_puts(b, array ? "[]" : "");
    return true;
}

bool sys_type_print(const struct sys_env *env, int64_t oid, int64_t mod, struct buf *b)
{
    const struct sys_type *t = sys_type_find((uint32_t)oid);
    const struct sys_type *elem = t;
    const char *name;

    if (oid == 0) {
        buf_puts(b, "-");
        return true;
    }
    if (!t)
        return sys_user_type_print(env, oid, b) || sys_print_row_type(env, oid, b);
    if (t->elem && t->category == 'A')
        elem = sys_type_find(t->elem);
    name = elem ? sys_sql_name(elem->oid) : NULL;
    if (!name)
        name = elem ? elem->name : t->name;
    if (mod >= 0 && elem)
        sys_print_mods(elem, name, mod, b);
    else
        buf_puts(b, name);
    buf_puts(b, elem != t ? "[]" : "");
    return true;
}

/* ---- functions ---- */

const char *sys_io_name(uint32_t oid)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(procs); i++)
        if (procs[i].oid == oid)
            return procs[i].name;
    return NULL;
}

static uint32_t sys_arg_oid(enum type_id t)
{
    return t == TYPE_NONE ? 2276 : sys_type_oid(t, NULL);
}

static void sys_proc_make(struct sys_proc *p,
                          const enum type_id *args,
                          uint32_t args_count,
                          enum type_id result,
                          uint32_t flags)
{
    p->args_count = args_count < 8 ? args_count : 8;
    for (uint32_t i = 0; i < p->args_count; i++)
        p->args[i] = sys_arg_oid(args[i]);
    p->result = result == TYPE_NONE ? 2283 : sys_type_oid(result, NULL);
    p->strict = flags & FUNC_STRICT;
    p->variadic = flags & FUNC_VARIADIC;
    p->volatility = flags & FUNC_VOLATILE ? 'v' : flags & FUNC_STABLE ? 's' : 'i';
}

static bool sys_proc_io(size_t i, struct sys_proc *ret)
{
    const char *p;

    if (i >= DN_ARRAY_SIZE(procs))
        return false;
    p = procs[i].args;
    *ret = (struct sys_proc){.oid = procs[i].oid,
                             .name = procs[i].name,
                             .kind = 'f',
                             .result = procs[i].result,
                             .strict = true,
                             .volatility = 'i'};
    while (*p && ret->args_count < 8) {
        uint64_t v;

        p += number_digits(p, strlen(p), &v);
        ret->args[ret->args_count++] = (uint32_t)v;
        p += *p == ' ';
    }
    return true;
}

/* Number k of a table of functions; 1: there is one, but SQL cannot call it. -1: no more. Their
 * numbers are their places. */
static int sys_proc_own(unsigned kind, uint32_t k, struct sys_proc *ret)
{
    const struct func *f = kind == 0 ? func_at(k) : NULL;
    const struct rowfunc *r = kind == 1 ? rowfunc_at(k) : NULL;
    const struct agg *a = kind == 2 ? agg_at(k) : NULL;
    const struct winfunc *v = kind == 3 ? winfunc_at(k) : NULL;

    if (!f && !r && !a && !v)
        return -1;
    *ret = (struct sys_proc){.kind = "ffaw"[kind], .set = kind == 1, .volatility = 'i'};
    ret->oid = 0x80000000u + 4 * k + kind;
    if (f) {
        ret->name = f->name;
        ret->doc = f->doc;
        sys_proc_make(ret, f->args, f->args_count, f->result, f->flags);
        return (f->flags & FUNC_OPERATOR) != 0; /* operators have no names to call them by */
    }
    if (r) {
        ret->name = r->name;
        ret->doc = r->doc;
        sys_proc_make(ret, r->args, r->args_count, r->result, r->flags);
    } else if (a) {
        enum type_id args[2] = {a->arg, a->arg2};

        ret->name = a->name;
        ret->doc = a->doc;
        sys_proc_make(ret, args, a->star ? 0 : a->arg2 == TYPE_NONE ? 1 : 2, a->result, 0);
    } else {
        ret->name = v->name;
        ret->doc = v->doc;
        sys_proc_make(ret, v->args, v->args_count, v->result, 0);
    }
    return 0;
}

bool sys_proc_next(struct sys_procs *it, struct sys_proc *ret)
{
    if (it->kind == 0 && sys_proc_io(it->at, ret)) {
        it->at++;
        return true;
    }
    if (it->kind == 0) {
        it->kind = 1;
        it->at = 0;
    }
    for (; it->kind <= 4; it->kind++, it->at = 0) {
        int rc;

        do {
            rc = sys_proc_own(it->kind - 1, it->at++, ret);
            if (rc == 0)
                return true;
        } while (rc > 0);
    }
    return false;
}

bool sys_proc_find(int64_t oid, struct sys_proc *ret)
{
    if (oid >= 0x80000000)
        return sys_proc_own((unsigned)oid & 3, (uint32_t)(oid - 0x80000000) / 4, ret) == 0;
    for (size_t i = 0; i < DN_ARRAY_SIZE(procs); i++)
        if (procs[i].oid == oid)
            return sys_proc_io(i, ret);
    return false;
}
