/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_choice.c: expressions that choose among others (CASE, COALESCE, NULLIF, GREATEST, LEAST),
 * whose operands are brought to one type first; LIKE, IS TRUE and IS DISTINCT FROM.
 *
 * The common type is PostgreSQL's: untyped operands take the others'; numbers stay numbers and
 * times times, of the type that the others become by themselves; if all are untyped it is text. */
#include "plan/bind_query.h"
#include "plan/decimal.h"

/* Kinds of types among which a common one is looked for. */
static int bind_kind(enum type_id t)
{
    if (type_is_number(t))
        return 1;
    if (type_is_timestamp(t) || t == TYPE_TIMESTAMPTZ || t == TYPE_TIMESTAMP_LOCAL ||
        t == TYPE_DATE)
        return 2;
    if (t == TYPE_TIME || t == TYPE_TIMETZ)
        return 3;
    if (type_is_bits(t))
        return 4;
    if (t == TYPE_OID || type_is_reg(t))
        return 1;
    if (t == TYPE_NAME || t == TYPE_CHAR1 || t == TYPE_NODE_TREE || t == TYPE_BPCHAR)
        t = TYPE_VARCHAR;
    return 100 + (int)t;
}

enum type_id bind_common_type(enum type_id a, enum type_id b)
{
    if (a == TYPE_NONE || a == b)
        return b;
    if (b == TYPE_NONE)
        return a;
    if (type_is_array(a) && type_is_array(b)) {
        enum type_id element = bind_common_type(type_element(a), type_element(b));

        return element == TYPE_NONE ? TYPE_NONE : type_array_of(element);
    }
    if (bind_kind(a) != bind_kind(b))
        return TYPE_NONE;
    if ((a == TYPE_TIMESTAMP_LOCAL && b == TYPE_TIMESTAMP) ||
        (b == TYPE_TIMESTAMP_LOCAL && a == TYPE_TIMESTAMP))
        return TYPE_TIMESTAMP_US; /* neither becomes the other without losing digits */
    if (type_is_bits(a))          /* each becomes the other: the first decides */
        return a;
    if (func_cast_level(a, b) == FUNC_CAST_IMPLICIT)
        return b;
    return func_cast_level(b, a) == FUNC_CAST_IMPLICIT ? a : TYPE_NONE;
}

int bind_unify(
    struct binder *b, const char *what, struct bexpr **args, uint32_t count, struct dn_err *err)
{
    enum type_id type = TYPE_NONE;
    int rc = bind_local_literals(b, args, count, err);

    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < count; i++) {
        enum type_id both = bind_common_type(type, args[i]->type);

        if (both == TYPE_NONE && type != TYPE_NONE && args[i]->type != TYPE_NONE) {
            rc = DN_FAIL(err,
                         DN_E_DATATYPE_MISMATCH,
                         "%s types %s and %s cannot be matched",
                         what,
                         type_word(type),
                         type_word(args[i]->type));
            dn_err_at(err, args[i]->pos);
            return rc;
        }
        type = both;
    }
    if (type == TYPE_NONE)
        type = TYPE_VARCHAR;
    for (uint32_t i = 0; i < count && rc == 0; i++)
        rc = bind_coerce(b, args[i], type, false, &args[i], err);
    return rc;
}

/* Of the type of the last operand. */
static int bind_choice(struct binder *b,
                       enum bexpr_kind kind,
                       uint32_t pos,
                       struct bexpr **args,
                       uint32_t count,
                       struct bexpr **ret,
                       struct dn_err *err)
{
    struct bexpr *out = bind_new(b, kind, args[count - 1]->type, pos);

    if (!out)
        return DN_FAIL_NOMEM(err);
    out->args = args;
    out->args_count = count;
    out->chars = bind_chars(args, count);
    if (out->type == TYPE_DOUBLE && bind_decimal_choice(args, count))
        out->decimal = DECIMAL_YES;
    *ret = out;
    return bind_fold(b, ret, err);
}

int bind_coalesce(struct binder *b,
                  uint32_t pos,
                  struct bexpr *const *args,
                  uint32_t count,
                  struct bexpr **ret,
                  struct dn_err *err)
{
    struct bexpr **own = arena_dup(b->env->arena, args, count * sizeof(*own));

    return own ? bind_choice(b, BEXPR_COALESCE, pos, own, count, ret, err) : DN_FAIL_NOMEM(err);
}

static int bind_null(struct binder *b, uint32_t pos, struct bexpr **ret, struct dn_err *err)
{
    struct datum d = {.type = TYPE_NONE, .null = true};

    return bind_const(b, &d, pos, ret, err);
}

/* args: condition, value, …, value otherwise; the values get one type here. */
static int bind_case_done(struct binder *b,
                          uint32_t pos,
                          struct bexpr **args,
                          uint32_t count,
                          struct bexpr **ret,
                          struct dn_err *err)
{
    struct bexpr **values = arena_alloc_array(b->env->arena, count, sizeof(*values));
    uint32_t n = 0;
    int rc;

    if (!values)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 1; i < count; i += 2)
        values[n++] = args[i];
    values[n++] = args[count - 1];
    rc = bind_unify(b, "CASE", values, n, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i + 1 < n; i++)
        args[2 * i + 1] = values[i];
    args[count - 1] = values[n - 1];
    return bind_choice(b, BEXPR_CASE, pos, args, count, ret, err);
}

static int
bind_else(struct binder *b, const struct expr *e, struct bexpr **args, struct dn_err *err)
{
    struct bind_reach reach = {.from = bind_guard_from(b),
                               .test = "is not true",
                               .before = args,
                               .count = e->args_count,
                               .step = 2};
    int rc;

    if (!e->b)
        return bind_null(b, e->pos, &args[e->args_count], err);
    rc = bind_expr(b, e->b, &args[e->args_count], err);
    return rc < 0 ? rc : bind_guard(b, &reach, err);
}

int bind_case(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    uint32_t count = e->args_count + 1;
    struct bexpr **args = arena_alloc_array(b->env->arena, count, sizeof(*args));
    struct bexpr *operand = NULL;
    uint32_t sets = bind_sets_seen(b);
    int rc = 0;

    if (!args)
        return DN_FAIL_NOMEM(err);
    if (e->a)
        rc = bind_expr(b, e->a, &operand, err);
    for (uint32_t i = 0; i < e->args_count && rc == 0; i += 2) {
        struct bind_reach reach = {.from = bind_guard_from(b),
                                   .test = "is not true",
                                   .before = args,
                                   .count = i,
                                   .step = 2};

        if (operand) {
            rc = bind_expr(b, e->args[i], &args[i], err);
            if (rc == 0)
                rc = bind_compare(b, OP_EQ, e->args[i]->pos, operand, args[i], &args[i], err);
        } else {
            rc = bind_bool(b, e->args[i], "CASE/WHEN", &args[i], err);
            if (rc == 0)
                rc = bind_not_set(b, args[i], "CASE/WHEN", e->args[i]->pos, err);
        }
        if (rc == 0)
            rc = bind_guard(b, &reach, err);
        reach.from = bind_guard_from(b);
        if (rc == 0)
            rc = bind_expr(b, e->args[i + 1], &args[i + 1], err);
        reach.cond = rc == 0 ? args[i] : NULL;
        if (rc == 0)
            rc = bind_guard(b, &reach, err);
    }
    if (rc == 0)
        rc = bind_else(b, e, args, err);
    if (rc == 0)
        rc = bind_sets_none(b, sets, "CASE", err);
    return rc < 0 ? rc : bind_case_done(b, e->pos, args, count, ret, err);
}

int bind_when(struct binder *b,
              struct bexpr *cond,
              struct bexpr *value,
              struct bexpr **ret,
              struct dn_err *err)
{
    struct bexpr **args = arena_alloc_array(b->env->arena, 3, sizeof(*args));
    int rc;

    if (!args)
        return DN_FAIL_NOMEM(err);
    args[0] = cond;
    args[1] = value;
    rc = bind_null(b, cond->pos, &args[2], err);
    return rc < 0 ? rc : bind_case_done(b, cond->pos, args, 3, ret, err);
}

/* first: the first that is not NULL is asked for, those after it are not looked at. */
static int bind_args(
    struct binder *b, const struct expr *e, bool first, struct bexpr ***ret, struct dn_err *err)
{
    struct bexpr **args = arena_alloc_array(b->env->arena, e->args_count + 1, sizeof(*args));
    int rc = 0;

    if (!args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < e->args_count && rc == 0; i++) {
        struct bind_reach reach = {
            .from = bind_guard_from(b), .test = "is null", .before = args, .count = i, .step = 1};

        rc = bind_expr(b, e->args[i], &args[i], err);
        if (rc == 0 && first)
            rc = bind_guard(b, &reach, err);
    }
    *ret = args;
    return rc;
}

static int
bind_nullif(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr **args;
    struct bexpr **out = arena_alloc_array(b->env->arena, 3, sizeof(*out));
    int rc;

    if (!out)
        return DN_FAIL_NOMEM(err);
    if (e->args_count != 2) {
        rc = DN_FAIL(err, DN_E_UNDEFINED_FUNCTION, "nullif takes two arguments");
        dn_err_at(err, e->pos);
        return rc;
    }
    rc = bind_args(b, e, false, &args, err);
    if (rc == 0 && args[0]->type == TYPE_NONE && args[1]->type != TYPE_NONE)
        rc = bind_coerce(b, args[0], args[1]->type, false, &args[0], err);
    if (rc == 0)
        rc = bind_compare(b, OP_EQ, e->pos, args[0], args[1], &out[0], err);
    /* The value is as "=" takes it: of 1 and 2.5 a NUMERIC.
     * Integers of all sizes are compared as they are. */
    if (rc == 0 && type_is_number(args[0]->type) && type_is_number(args[1]->type) &&
        type_is_int(args[0]->type) != type_is_int(args[1]->type)) {
        enum type_id types[2] = {args[0]->type, args[1]->type};
        enum type_id casts[2] = {args[0]->type, args[1]->type};

        if (func_find("=", types, 2, casts, e->pos, NULL))
            rc = bind_coerce(b, args[0], casts[0], false, &args[0], err);
    }
    if (rc == 0)
        rc = bind_null(b, e->pos, &out[1], err);
    if (rc < 0)
        return rc;
    out[2] = args[0];
    return bind_case_done(b, e->pos, out, 3, ret, err);
}

/* 1: no name of this file. */
int bind_choice_call(struct binder *b,
                     const struct expr *e,
                     const char *name,
                     struct bexpr **ret,
                     struct dn_err *err)
{
    bool coalesce = strcmp(name, "coalesce") == 0;
    uint32_t sets = bind_sets_seen(b);
    struct bexpr **args;
    int rc;

    if (strcmp(name, "nullif") == 0)
        return bind_nullif(b, e, ret, err);
    if (!coalesce && strcmp(name, "greatest") != 0 && strcmp(name, "least") != 0)
        return 1;
    if (e->args_count == 0) {
        rc = DN_FAIL(err, DN_E_UNDEFINED_FUNCTION, "%s needs an argument", name);
        dn_err_at(err, e->pos);
        return rc;
    }
    rc = bind_args(b, e, coalesce, &args, err);
    if (rc == 0 && coalesce)
        rc = bind_sets_none(b, sets, "COALESCE", err);
    if (rc == 0)
        rc = bind_unify(b,
                        coalesce         ? "COALESCE"
                        : name[0] == 'g' ? "GREATEST"
                                         : "LEAST",
                        args,
                        e->args_count,
                        err);
    for (uint32_t i = 0; rc == 0 && !coalesce && i < e->args_count; i++)
        rc = bind_row_no_order(args[i], e->pos, err);
    if (rc < 0)
        return rc;
    if (!coalesce)
        return bind_call(b, name, e->pos, args, e->args_count, ret, err);
    return bind_choice(b, BEXPR_COALESCE, e->pos, args, e->args_count, ret, err);
}

/* ---- LIKE, IS ---- */

int bind_like(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const char *name = e->op == OP_SIMILAR ? "similar to" : e->op == OP_ILIKE ? "ilike" : "like";
    struct bexpr *args[3];
    uint32_t count = e->c ? 3 : 2;
    int rc = bind_expr(b, e->a, &args[0], err);

    if (rc == 0)
        rc = bind_expr(b, e->b, &args[1], err);
    if (rc == 0 && e->c)
        rc = bind_expr(b, e->c, &args[2], err);
    if (rc == 0)
        rc = bind_call(b, name, e->pos, args, count, ret, err);
    if (rc == 0 && e->negated)
        rc = bind_call(b, "not", e->pos, ret, 1, ret, err);
    return rc;
}

int bind_is(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const char *name = e->op == OP_IS_TRUE    ? (e->negated ? "is not true" : "is true")
                       : e->op == OP_IS_FALSE ? (e->negated ? "is not false" : "is false")
                                              : (e->negated ? "is not null" : "is null");
    struct bexpr *x;
    int rc = bind_bool(b,
                       e->a,
                       e->op == OP_IS_TRUE    ? "IS TRUE"
                       : e->op == OP_IS_FALSE ? "IS FALSE"
                                              : "IS UNKNOWN",
                       &x,
                       err);

    return rc < 0 ? rc : bind_call(b, name, e->pos, &x, 1, ret, err);
}

/* a <> b where both are values; else whether only one is NULL: coalesce(a <> b, a IS NULL <> b IS
 * NULL). */
int bind_distinct(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    enum expr_op op = e->negated ? OP_EQ : OP_NE;
    struct bexpr **args = arena_alloc_array(b->env->arena, 2, sizeof(*args));
    const struct scope *found = NULL;
    struct bexpr *sides[2];
    int rc = 0;

    if (!args)
        return DN_FAIL_NOMEM(err);
    if (e->a->kind == EXPR_ROW || e->b->kind == EXPR_ROW || bind_whole(b, e->a, &found) ||
        bind_whole(b, e->b, &found))
        return bind_row_distinct(b, e, ret, err);
    rc = bind_expr(b, e->a, &sides[0], err);
    if (rc == 0)
        rc = bind_expr(b, e->b, &sides[1], err);
    if (rc == 0)
        rc = bind_compare(b, op, e->pos, sides[0], sides[1], &args[0], err);
    for (int i = 0; i < 2 && rc == 0; i++) {
        rc = bind_settle(b, sides[i], &sides[i], err);
        if (rc == 0)
            rc = bind_call(b, "is null", e->pos, &sides[i], 1, &sides[i], err);
    }
    if (rc == 0)
        rc = bind_call(b, bind_op_name(op), e->pos, sides, 2, &args[1], err);
    return rc < 0 ? rc : bind_choice(b, BEXPR_COALESCE, e->pos, args, 2, ret, err);
}

int bind_merge(struct binder *b,
               struct bexpr **pair,
               bool full,
               bool second,
               struct bexpr **ret,
               struct dn_err *err)
{
    struct bexpr **own = arena_dup(b->env->arena, pair, 2 * sizeof(*own));
    int rc;

    if (!own)
        return DN_FAIL_NOMEM(err);
    rc = bind_unify(b, "JOIN/USING", own, 2, err);
    if (rc < 0)
        return rc;
    if (full)
        return bind_choice(b, BEXPR_COALESCE, own[0]->pos, own, 2, ret, err);
    *ret = own[second];
    return 0;
}
