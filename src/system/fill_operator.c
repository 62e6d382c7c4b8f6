/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_operator.c: operators and casts, out of the tables of functions. Comparisons are no
 * functions here: each type that can be compared has the six of them. Several types of ours are one
 * of PostgreSQL (TIMESTAMP(3), (6) and (9)): the first of them counts. Nothing of this has a
 * function that could be called by its name. Values come in the order of the columns in
 * pg_catalog_list.h. */
#include "system/system_int.h"

#include "base/text.h"
#include "func/func.h"

#define OPERATOR_FUNC    0x80000000u /* numbers: 4 apart, as those of functions */
#define OPERATOR_COMPARE 0xa0000000u /* 8 for each type */
#define OPERATOR_CAST    10000u /* from here; below SYS_OIDS, or pg_dump takes it for a user's */
#define OPERATOR_TYPES   64u    /* ids of types are below */

_Static_assert(OPERATOR_CAST + OPERATOR_TYPES * OPERATOR_TYPES < SYS_OIDS, "numbers of casts");

/* The next type with a number of its own, after id; TYPE_NONE: no more. */
static enum type_id operator_type(enum type_id id)
{
    static const enum type_id types[] = {
#define DN_TYPE(disk, name, sql, phys) TYPE_##name,
#include "vec/type_list.h"
#undef DN_TYPE
    };

    for (size_t i = 0; i < DN_ARRAY_SIZE(types); i++) {
        uint32_t oid = sys_type_oid(types[i], NULL);
        bool first = types[i] > id && types[i] != TYPE_ENUM && sys_type_find(oid) && oid != 2276;

        for (size_t k = 0; first && k < i; k++)
            first = sys_type_oid(types[k], NULL) != oid;
        if (first)
            return types[i];
    }
    return TYPE_NONE;
}

struct operator_row {
    uint32_t oid;
    const char *name;
    uint32_t left, right, result;
    uint32_t commutator, negator;
    bool merges, hashes;
};

static void operator_put(struct sys_rows *w, const struct operator_row *o)
{
    sys_int(w, o->oid);
    sys_text(w, o->name);
    sys_int(w, SYS_CATALOG);
    sys_int(w, SYS_OWNER);
    sys_text(w, o->left ? "b" : "l");
    sys_int(w, o->merges);
    sys_int(w, o->hashes);
    sys_int(w, o->left);
    sys_int(w, o->right);
    sys_int(w, o->result);
    sys_int(w, o->commutator);
    sys_int(w, o->negator);
    for (int i = 0; i < 3; i++)
        sys_reg(w, 0, NULL);
    sys_end(w);
}

/* Number k of the functions as an operator; false: it is none. */
static bool operator_func(uint32_t k, struct operator_row *ret)
{
    const struct func *f = func_at(k);

    if (!f || !(f->flags & FUNC_OPERATOR) || !text_one_of(f->name[0], "+-*/<>=~!@#%^&|`?") ||
        f->args_count < 1 || f->args_count > 2 || (f->flags & FUNC_VARIADIC))
        return false;
    *ret = (struct operator_row){.oid = OPERATOR_FUNC + 4 * k,
                                 .name = f->name,
                                 .right = sys_type_oid(f->args[f->args_count - 1], NULL),
                                 .result =
                                     f->result == TYPE_NONE ? 2283 : sys_type_oid(f->result, NULL)};
    if (f->args_count == 2)
        ret->left = sys_type_oid(f->args[0], NULL);
    return true;
}

/* Is there one like it among the first k functions? */
static bool operator_seen(uint32_t k, const struct operator_row *o)
{
    struct operator_row other;

    for (uint32_t i = 0; i < k; i++)
        if (operator_func(i, &other) && other.left == o->left && other.right == o->right &&
            strcmp(other.name, o->name) == 0)
            return true;
    return false;
}

static void operator_compares(struct sys_rows *w, enum type_id type, uint32_t functions)
{
    static const struct {
        const char *name;
        unsigned commutator, negator;
    } ops[] = {{"=", 0, 1}, {"<>", 1, 0}, {"<", 4, 5}, {"<=", 5, 4}, {">", 2, 3}, {">=", 3, 2}};
    uint32_t first = OPERATOR_COMPARE + 8 * (uint32_t)type;
    uint32_t oid = sys_type_oid(type, NULL);

    for (unsigned i = 0; i < DN_ARRAY_SIZE(ops); i++) {
        struct operator_row o = {.oid = first + i,
                                 .name = ops[i].name,
                                 .left = oid,
                                 .right = oid,
                                 .result = 16,
                                 .commutator = first + ops[i].commutator,
                                 .negator = first + ops[i].negator,
                                 .merges = i == 0,
                                 .hashes = i == 0};

        if (!operator_seen(functions, &o))
            operator_put(w, &o);
    }
}

void sys_fill_operator(struct sys_rows *w)
{
    struct operator_row o;
    uint32_t k = 0;

    for (; w->rc == 0 && func_at(k); k++)
        if (operator_func(k, &o) && !operator_seen(k, &o))
            operator_put(w, &o);
    for (enum type_id t = operator_type(TYPE_NONE); w->rc == 0 && t != TYPE_NONE;
         t = operator_type(t))
        operator_compares(w, t, k);
}

void sys_fill_cast(struct sys_rows *w)
{
    static const char *const contexts[] = {
        [FUNC_CAST_IMPLICIT] = "i", [FUNC_CAST_ASSIGN] = "a", [FUNC_CAST_EXPLICIT] = "e"};

    for (enum type_id from = operator_type(TYPE_NONE); w->rc == 0 && from != TYPE_NONE;
         from = operator_type(from))
        for (enum type_id to = operator_type(TYPE_NONE); w->rc == 0 && to != TYPE_NONE;
             to = operator_type(to)) {
            enum func_cast_level level = func_cast_level(from, to);

            if (from == to || level == FUNC_CAST_NONE)
                continue;
            sys_int(w, OPERATOR_CAST + OPERATOR_TYPES * (uint32_t)from + (uint32_t)to);
            sys_int(w, sys_type_oid(from, NULL));
            sys_int(w, sys_type_oid(to, NULL));
            sys_int(w, 0);
            sys_text(w, contexts[level]);
            sys_text(w, "i");
            sys_end(w);
        }
}
