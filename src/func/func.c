/* SPDX-License-Identifier: Apache-2.0
 *
 * func.c: finding functions. All overloads of a name are weighed: an exact match costs nothing, an
 * untyped argument fits anything but some better than others, every implicit cast has a price
 * (func_cast_cost), and the cheapest row wins, the first of equals. The prices are such that the
 * winner is the one PostgreSQL takes. */
#include "func/func_int.h"

#include "base/bytes.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct func_table *const func_tables[] = {
#define X(name) &func_table_##name,
    FUNC_TABLES(X)
#undef X
};

const struct func *func_at(uint32_t i)
{
    for (size_t t = 0; t < DN_ARRAY_SIZE(func_tables); t++) {
        if (i < func_tables[t]->count)
            return &func_tables[t]->rows[i];
        i -= func_tables[t]->count;
    }
    return NULL;
}

const struct func *func_named(struct func_walk *w, const char *name)
{
    for (; w->table < DN_ARRAY_SIZE(func_tables); w->table++, w->row = 0) {
        const struct func_table *t = func_tables[w->table];

        while (w->row < t->count) {
            const struct func *f = &t->rows[w->row++];

            if (func_name_may(f->name, name) && strcasecmp(f->name, name) == 0)
                return f;
        }
    }
    return NULL;
}

int func_fail_range(enum type_id type, struct dn_err *err)
{
    if (type_is_timestamp(type) || type == TYPE_TIMESTAMP_LOCAL)
        return DN_FAIL(
            err, DN_E_DATETIME_RANGE, "time stamp out of range for type %s", type_word(type));
    return DN_FAIL(err, DN_E_OUT_OF_RANGE, "%s out of range", type_word(type));
}

int func_fail_zero(struct dn_err *err)
{
    return DN_FAIL(err, DN_E_DIVISION_BY_ZERO, "division by zero");
}

void *func_ret_alloc(
    const struct func_ctx *ctx, struct vec *ret, uint32_t count, size_t size, struct dn_err *err)
{
    void *to = arena_alloc_array(ctx->arena, count, size);

    if (!to)
        DN_IGNORE(DN_FAIL_NOMEM(err)); /* the caller returns the code */
    ret->data = to;
    return to;
}

/* Of the types a number may become the one that PostgreSQL prefers, DOUBLE, is the cheapest beyond
 * its own kind. */
uint32_t func_cast_cost(enum type_id from, enum type_id to)
{
    if (from == to)
        return 0;
    if (to == TYPE_NONE)
        return 1;
    if (type_is_array(from) && type_is_array(to))
        return func_cast_cost(type_element(from), type_element(to));
    if (func_cast_level(from, to) != FUNC_CAST_IMPLICIT)
        return UINT32_MAX;
    if (from == TYPE_BPCHAR)
        return 1;
    if (type_is_bits(from))
        return to == TYPE_VARBIT ? 1 : 2;
    if (type_is_system(from))
        return to == TYPE_OID || to == TYPE_VARCHAR ? 1 : 2;
    if (type_is_int(from) && type_is_timestamp(to))
        return 100;
    if (type_is_int(from) && to == TYPE_REAL)
        return 30;
    if (type_is_int(from) && to == TYPE_NUMERIC)
        return 20;
    if (type_is_int(from) && to == TYPE_DOUBLE)
        return 10;
    if (from == TYPE_NUMERIC)
        return to == TYPE_DOUBLE ? 15 : 40;
    if (from == TYPE_REAL || from == TYPE_TIME)
        return to == TYPE_TIMETZ ? 6 : 5;
    if (from == TYPE_TIMESTAMP_LOCAL) /* beside a DATE it stays what it is */
        return to == TYPE_TIMESTAMPTZ ? 9 : 7 + (uint32_t)to - TYPE_TIMESTAMP_US;
    if (to == TYPE_TIMESTAMP_LOCAL)
        return 6;
    if (from == TYPE_DATE || to == TYPE_TIMESTAMPTZ)
        return to == TYPE_TIMESTAMPTZ ? 5 : 2 + (uint32_t)to - TYPE_TIMESTAMP;
    return (uint32_t)to - (uint32_t)from; /* SMALLINT to BIGINT, TIMESTAMP to (9): by steps */
}

/* An untyped literal is of the other operand's type if that can be; else text, else the type that
 * its kind prefers. */
static uint32_t func_untyped_cost(enum type_id to, enum type_id other)
{
    if (to == TYPE_NONE || (other != TYPE_NONE && to == other))
        return 0;
    if (type_is_bits(other))
        return type_is_bits(to) ? 0 : 4;
    if (type_is_array(to) && !(other != TYPE_NONE && type_is_array(other)))
        return 8; /* 'day ' || current_date is text, whatever the other type */
    if (type_is_timestamp(other) && (type_is_int(to) || to == TYPE_TIME))
        return 4; /* beside a time it is a time or an interval rather than a number */
    if (other == TYPE_DATE || other == TYPE_TIMESTAMPTZ || other == TYPE_TIMESTAMP_LOCAL ||
        other == TYPE_TIME || other == TYPE_TIMETZ)
        return to == TYPE_INTERVAL || to == TYPE_VARCHAR ? 1 : 4;
    return to == TYPE_VARCHAR ? 1 : to == TYPE_DOUBLE || !type_is_number(to) ? 2 : 3;
}

static enum type_id func_arg_type(const struct func *f, uint32_t i)
{
    return f->args[i < f->args_count ? i : f->args_count - 1];
}

/* The one of two types that the other becomes by itself; TYPE_NONE: neither. */
static enum type_id func_wider(enum type_id a, enum type_id b)
{
    if (a == TYPE_NONE || a == b)
        return b;
    if (b == TYPE_NONE)
        return a;
    if (func_cast_level(a, b) == FUNC_CAST_IMPLICIT && !(type_is_int(a) && type_is_timestamp(b)))
        return b;
    return func_cast_level(b, a) == FUNC_CAST_IMPLICIT && !(type_is_int(b) && type_is_timestamp(a))
               ? a
               : TYPE_NONE;
}

/* What TYPE_ANY_ELEMENT stands for: the element type of the first array, else the type of the first
 * element; of COMPATIBLE rows the widest, and text if several such arguments are all untyped.
 * TYPE_NONE: nothing says, or the row has no such arguments. */
static enum type_id func_any(const struct func *f, const enum type_id *types, uint32_t count)
{
    enum type_id found = TYPE_NONE;
    enum type_id array = TYPE_NONE;
    uint32_t asks = 0;

    for (uint32_t i = 0; i < count; i++) {
        enum type_id asked = func_arg_type(f, i);
        enum type_id own = asked == TYPE_ANY_ELEMENT ? types[i]
                           : asked == TYPE_ANY_ARRAY && func_vector_array(types[i]) != TYPE_NONE
                               ? type_element(func_vector_array(types[i]))
                           : asked == TYPE_ANY_ARRAY && type_is_array(types[i])
                               ? type_element(types[i])
                               : TYPE_NONE;

        asks += asked == TYPE_ANY_ELEMENT || asked == TYPE_ANY_ARRAY;
        if (asked == TYPE_ANY_ARRAY && array == TYPE_NONE)
            array = own;
        if (f->flags & FUNC_COMPATIBLE) {
            enum type_id both = func_wider(found, own);

            found = both == TYPE_NONE ? found : both;
        } else if (found == TYPE_NONE) {
            found = own;
        }
    }
    if ((f->flags & FUNC_COMPATIBLE) && found == TYPE_NONE && asks > 1)
        return TYPE_VARCHAR; /* array_append('{1}', NULL) */
    return f->flags & FUNC_COMPATIBLE || array == TYPE_NONE ? found : array;
}

/* What TYPE_ENUM stands for in a row: the first user type that is given for one. TYPE_NONE: the row
 * has none; TYPE_ENUM: nothing says. */
static enum type_id func_enum(const struct func *f, const enum type_id *types, uint32_t count)
{
    enum type_id found = TYPE_NONE;

    for (uint32_t i = 0; i < count; i++) {
        if (func_arg_type(f, i) != TYPE_ENUM)
            continue;
        if (type_is_enum(types[i]))
            return types[i];
        found = TYPE_ENUM;
    }
    return found;
}

/* The type an argument is cast to, with `any` in place of TYPE_ANY_ELEMENT, user of TYPE_ENUM. */
static enum type_id
func_arg_is(const struct func *f, uint32_t i, enum type_id any, enum type_id user)
{
    enum type_id t = func_arg_type(f, i);

    if (t == TYPE_ENUM)
        return user;
    return t == TYPE_ANY_ELEMENT ? any : t == TYPE_ANY_ARRAY ? type_array_of(any) : t;
}

enum type_id func_result(const struct func *f, const enum type_id *types, uint32_t count)
{
    if (f->result == TYPE_ENUM)
        return func_enum(f, types, count);
    if (TYPE_BASE(f->result) == (enum type_id)(TYPE_ENUM | TYPE_ARRAY))
        return type_array_of(func_enum(f, types, count));
    if (f->result == TYPE_ANY_ELEMENT)
        return func_any(f, types, count);
    return f->result == TYPE_ANY_ARRAY ? type_array_of(func_any(f, types, count)) : f->result;
}

/* No array for TYPE_ANY_ARRAY, or an array of arrays: the row is not meant. */
static bool func_any_fits(const struct func *f, const enum type_id *types, uint32_t count)
{
    enum type_id any = func_any(f, types, count);
    bool arrays = false; /* one is given */
    bool asks = false;   /* one is asked for */

    for (uint32_t i = 0; i < count; i++) {
        enum type_id t = func_arg_type(f, i);

        if (t == TYPE_ANY_ARRAY && func_vector_array(types[i]) != TYPE_NONE) {
            arrays = true;
            asks = true;
            continue;
        }
        if (t == TYPE_ANY_ARRAY && types[i] != TYPE_NONE && !type_is_array(types[i]))
            return false;
        if (t == TYPE_ANY_ARRAY && type_is_array(types[i]) && type_element(types[i]) != any &&
            !(f->flags & FUNC_COMPATIBLE))
            return false; /* int[] = bigint[] */
        if ((t == TYPE_ANY_ARRAY || t == TYPE_ANY_ELEMENT) && type_is_array(any))
            return false;
        arrays |= t == TYPE_ANY_ARRAY && type_is_array(types[i]);
        asks |= t == TYPE_ANY_ARRAY;
    }
    return arrays || !asks || ((f->flags & FUNC_COMPATIBLE) && any != TYPE_NONE);
}

static bool func_takes_count(const struct func *f, uint32_t count)
{
    return count == f->args_count || ((f->flags & FUNC_VARIADIC) && count > f->args_count);
}

/* Are all arguments untyped that would say what any type is? */
static bool func_asks_any(const struct func *f, const enum type_id *types, uint32_t count)
{
    bool asks = false;

    for (uint32_t i = 0; i < count; i++) {
        enum type_id t = func_arg_type(f, i);

        if (t != TYPE_ANY_ELEMENT && t != TYPE_ANY_ARRAY)
            continue;
        if (types[i] != TYPE_NONE)
            return false;
        asks = true;
    }
    return asks;
}

static bool func_has_time(const enum type_id *types, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (type_is_timestamp(types[i]))
            return true;
    return false;
}

uint32_t func_match_cost(const struct func *f, const enum type_id *types, uint32_t count)
{
    enum type_id any, user;
    uint32_t sum = 0;

    if (!func_takes_count(f, count) || !func_any_fits(f, types, count))
        return UINT32_MAX;
    any = func_any(f, types, count);
    user = func_enum(f, types, count);
    if (user == TYPE_ENUM)
        return UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        enum type_id other = count == 2 ? types[1 - i] : TYPE_NONE;
        enum type_id want = func_arg_is(f, i, any, user);
        uint32_t cost =
            types[i] == TYPE_NONE ? func_untyped_cost(want, other) : func_cast_cost(types[i], want);

        if (cost == UINT32_MAX)
            return UINT32_MAX;
        /* INTERVAL + 5 is no time, but a slip. */
        if ((f->flags & FUNC_OPERATOR) && type_is_int(types[i]) &&
            type_is_timestamp(func_arg_type(f, i)) && !func_has_time(types, count))
            return UINT32_MAX;
        sum += cost;
    }
    return sum;
}

void func_match_casts(const struct func *f,
                      const enum type_id *types,
                      uint32_t count,
                      enum type_id *ret)
{
    enum type_id any = func_any(f, types, count);
    enum type_id user = func_enum(f, types, count);

    for (uint32_t i = 0; i < count; i++) {
        enum type_id want = func_arg_is(f, i, any, user);

        ret[i] = want == TYPE_NONE ? types[i] : want;
    }
}

const char *func_type_name(enum type_id type)
{
    return type == TYPE_ANY_ELEMENT ? "any element"
           : type == TYPE_ANY_ARRAY ? "any array"
                                    : type_name(type);
}

/* No type: any that a function takes, or that of a quoted literal, NULL or a parameter. */
static const char *func_type_word(enum type_id type)
{
    return type == TYPE_ANY_ELEMENT || type == TYPE_ANY_ARRAY ? func_type_name(type)
                                                              : type_word(type);
}

/* What the call looks like: "abs(text)", "text + bigint", "NOT bigint". */
static void func_print_call(
    const char *name, bool is_operator, const enum type_id *types, uint32_t count, struct buf *b)
{
    if (is_operator && count == 2) {
        buf_printf(b, "%s %s %s", func_type_word(types[0]), name, func_type_word(types[1]));
        return;
    }
    if (is_operator && count == 1) {
        buf_printf(b, "%s %s", name, func_type_word(types[0]));
        return;
    }
    buf_printf(b, "%s(", name);
    for (uint32_t i = 0; i < count; i++)
        buf_printf(b, "%s%s", i ? ", " : "", func_type_word(types[i]));
    buf_puts(b, ")");
}

#define FUNC_HINT_MAX 5u /* overloads that are listed */

/* Is there an operator of that name for two values of a type? */
static bool func_takes_two(const char *name, enum type_id type)
{
    struct func_walk walk = {0};
    const struct func *f;

    while ((f = func_named(&walk, name)))
        if (f->args_count == 2 && f->args[0] == type && f->args[1] == type)
            return true;
    return false;
}

/* An operator between two types that do not go together: what to cast. */
static bool func_hint_cast(const char *name, const enum type_id *types, struct dn_err *err)
{
    bool left = func_takes_two(name, types[1]) && func_cast(types[0], types[1], false);
    bool right = func_takes_two(name, types[0]) && func_cast(types[1], types[0], false);

    if (types[0] == types[1] || types[0] == TYPE_NONE || types[1] == TYPE_NONE)
        return false;
    if (!left && !right)
        dn_err_hint(err,
                    "There is no cast between %s and %s either.",
                    type_name(types[0]),
                    type_name(types[1]));
    else if (left && right)
        dn_err_hint(err,
                    "Cast one of the two: the left side with ::%s, or the right side with ::%s.",
                    type_name(types[1]),
                    type_name(types[0]));
    else
        dn_err_hint(err,
                    "Cast the %s side with ::%s.",
                    left ? "left" : "right",
                    type_name(types[left ? 1 : 0]));
    return true;
}

/* Has the overload one of the types where the call has it? */
static bool func_resembles(const struct func *f, const enum type_id *types, uint32_t count)
{
    for (uint32_t i = 0; !(f->flags & FUNC_VARIADIC) && i < count && i < f->args_count; i++)
        if (f->args[i] == types[i])
            return true;
    return false;
}

/* Some overloads of a name; those that resemble the call come first. */
static void
func_hint_overloads(const char *name, const enum type_id *types, uint32_t count, struct dn_err *err)
{
    struct buf b;
    const struct func *f;
    uint32_t listed = 0;

    buf_init(&b, NULL);
    for (int like = 1; like >= 0; like--) {
        struct func_walk walk = {0};

        while ((f = func_named(&walk, name))) {
            if (func_resembles(f, types, count) != (like == 1) || listed++ >= FUNC_HINT_MAX)
                continue;
            buf_puts(&b, b.len ? ", " : "");
            if (f->flags & FUNC_VARIADIC)
                buf_printf(&b, "%s(any, …)", f->name);
            else
                func_print_call(f->name, f->flags & FUNC_OPERATOR, f->args, f->args_count, &b);
        }
    }
    if (listed > FUNC_HINT_MAX)
        buf_puts(&b, ", …");
    if (!b.failed && b.len)
        dn_err_hint(err, "There is %.*s.", (int)b.len, (const char *)b.data);
    buf_done(&b);
}

static void func_hint_name(const char *name, struct dn_err *err)
{
    struct text_near near = text_near_make(name);
    const struct func *f;
    const struct agg *a;

    for (uint32_t i = 0; (f = func_at(i)); i++)
        if (!(f->flags & FUNC_OPERATOR))
            text_near_try(&near, f->name);
    for (uint32_t i = 0; (a = agg_at(i)); i++)
        text_near_try(&near, a->name);
    if (near.best)
        dn_err_hint(err, "Perhaps you meant %s.", near.best);
}

static void func_fail_find(const char *name,
                           const struct func *other,
                           const enum type_id *types,
                           uint32_t count,
                           struct dn_err *err)
{
    bool is_operator =
        other ? (other->flags & FUNC_OPERATOR) != 0 : text_one_of(name[0], "+-*/<>=~!@#%^&|`?");
    struct buf b;

    if (other && func_takes_count(other, count) && func_asks_any(other, types, count)) {
        DN_IGNORE(DN_FAIL(err, /* as below */
                          DN_E_DATATYPE_MISMATCH,
                          "could not determine polymorphic type because input has type unknown"));
        dn_err_hint(err, "Say which type it is: CAST(… AS …).");
        return;
    }

    buf_init(&b, NULL);
    func_print_call(name, is_operator, types, count, &b);
    DN_IGNORE(DN_FAIL(err, /* the result of func_find is NULL: that says it all */
                      DN_E_UNDEFINED_FUNCTION,
                      "%s%.*s%s",
                      is_operator ? "operator does not exist: " : "function ",
                      b.failed ? 0 : (int)b.len,
                      b.failed ? "" : (const char *)b.data,
                      is_operator ? "" : " does not exist"));
    buf_done(&b);
    if (!other && !is_operator)
        func_hint_name(name, err);
    else if (!is_operator || count != 2 || !func_hint_cast(name, types, err))
        func_hint_overloads(name, types, count, err);
}

const struct func *func_find(const char *name,
                             const enum type_id *types,
                             uint32_t count,
                             enum type_id *ret_casts,
                             uint32_t pos,
                             struct dn_err *err)
{
    const struct func *best = NULL;
    const struct func *other = NULL; /* of that name, for other types */
    const struct func *f;
    struct func_walk walk = {0};
    uint32_t best_cost = UINT32_MAX;

    if (strcmp(name, "!=") == 0)
        name = "<>";
    if (strcmp(name, "~") == 0 && count == 1 && types[0] == TYPE_NONE) {
        DN_IGNORE(DN_FAIL(err, DN_E_AMBIGUOUS_FUNCTION, "operator is not unique: ~ unknown"));
        dn_err_hint(err, "Say which type it is: CAST(… AS …).");
        dn_err_at(err, pos);
        return NULL;
    }
    while ((f = func_named(&walk, name))) {
        uint32_t cost;

        if (!other || func_takes_count(f, count))
            other = f;
        cost = func_match_cost(f, types, count);
        if (cost < best_cost) {
            best_cost = cost;
            best = f;
        }
    }
    if (!best) {
        func_fail_find(name, other, types, count, err);
        dn_err_at(err, pos);
        return NULL;
    }
    func_match_casts(best, types, count, ret_casts);
    return best;
}
