/* SPDX-License-Identifier: Apache-2.0
 *
 * bind.c: expressions: names to columns, literals to constants, operators to functions.
 * The rules for comparisons are in bind_compare.c, aggregates in bind_group.c. */
#include "plan/bind_gather.h"
#include "plan/bind_query.h"
#include "plan/bind_size.h"
#include "plan/decimal.h"

#include "func/text.h"

#include "base/text.h"

#include <strings.h>

struct bexpr *bind_new(struct binder *b, enum bexpr_kind kind, enum type_id type, uint32_t pos)
{
    struct bexpr *e = arena_calloc(b->env->arena, 1, sizeof(*e));

    if (!e)
        return NULL;
    e->kind = kind;
    e->type = type;
    e->pos = pos;
    return e;
}

int bind_const(
    struct binder *b, const struct datum *d, uint32_t pos, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *e = bind_new(b, BEXPR_CONST, d->type, pos);

    if (!e)
        return DN_FAIL_NOMEM(err);
    e->value = *d;
    *ret = e;
    return 0;
}

bool bind_untyped_text(const struct bexpr *e)
{
    return e->kind == BEXPR_CONST && e->type == TYPE_NONE && !e->value.null;
}

bool bind_has_columns(const struct bexpr *e)
{
    if (e->kind == BEXPR_COLUMN)
        return true;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (bind_has_columns(e->args[i]))
            return true;
    }
    return false;
}

/* ---- names ---- */

int bind_table_column(const struct table *t, const char *name, uint32_t pos, struct dn_err *err)
{
    int col = table_column_find(t, name, strlen(name));
    struct text_near near;

    if (col >= 0)
        return col;
    if (col == -2) {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_AMBIGUOUS,
                          "column name \"%s\" is ambiguous: several columns of \"%s\" differ from "
                          "it only in case",
                          name,
                          t->name)); /* the caller returns the code */
        dn_err_hint(err, "Write the name exactly as it was declared, in double quotes.");
        dn_err_at(err, pos);
        return -1;
    }
    DN_IGNORE(DN_FAIL(err,
                      DN_E_UNDEFINED_COLUMN,
                      "column \"%s\" of relation \"%s\" does not exist",
                      name,
                      t->name)); /* the caller returns the code */
    near = text_near_make(name);
    for (uint16_t i = 0; i < t->columns_count; i++)
        text_near_try(&near, t->columns[i].name);
    if (near.best)
        dn_err_hint(err, "Perhaps you meant \"%s\".", near.best);
    dn_err_at(err, pos);
    return -1;
}

struct bexpr *bind_var(struct binder *b, uint32_t var, uint32_t pos)
{
    struct bexpr *out = bind_new(b, BEXPR_COLUMN, b->q->vars[var].type, pos);

    if (out) {
        out->col = var;
        out->chars = logic_chars(b->q, var);
        out->decimal = b->q->vars[var].decimal;
    }
    return out;
}

static int
bind_column(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const struct scope *s = NULL;
    struct lrel *rel = bind_whole(b, e, &s);
    uint32_t var;
    int rc;

    if (rel)
        return bind_whole_text(b, s, rel, e->pos, ret, err);
    var = bind_whole_single(b, e);
    if (var) {
        *ret = bind_var(b, var, e->pos);
        return *ret ? 0 : DN_FAIL_NOMEM(err);
    }
    rc = scope_find(b->q, b->scope, e, b->clause, &var, err);
    if ((rc == DN_E_UNDEFINED_COLUMN || rc == DN_E_UNSUPPORTED) && !e->table &&
        strcasecmp(e->name, "user") == 0) {
        struct expr call = {.kind = EXPR_CALL, .name = "current_user", .pos = e->pos, .depth = 1};

        dn_err_clear(err);
        return bind_function(b, &call, ret, err); /* a value of SQL, where no column has its name */
    }
    if (rc == DN_E_UNDEFINED_COLUMN && bind_is_tableoid(b, e)) {
        dn_err_clear(err);
        return bind_tableoid(b, e, ret, err);
    }
    if (rc < 0)
        return rc;
    *ret = bind_var(b, var, e->pos);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- literals and parameters ---- */

static int
bind_literal(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *out;
    int rc = bind_const(b, &e->value, e->pos, &out, err);

    if (rc < 0)
        return rc;
    if (e->value.type == TYPE_VARCHAR)
        out->type = TYPE_NONE; /* until something says what it is */
    *ret = out;
    return 0;
}

static int
bind_param(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const struct plan_env *env = b->env;
    struct bexpr *out;
    int rc;

    DN_ASSERT(e->param >= 1);
    if (env->literals && e->param <= env->literals_count) {
        rc = bind_const(b, &env->literals[e->param - 1], e->pos, &out, err);
        if (rc < 0)
            return rc;
        if (env->literals_untyped[e->param - 1])
            out->type = TYPE_NONE;
        *ret = out;
        return 0;
    }
    if (e->param > b->params_count) {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_UNSUPPORTED,
                          "parameters cannot be used %s%s",
                          b->clause ? "in " : "here",
                          b->clause ? b->clause : "")); /* returned below */
        dn_err_at(err, e->pos);
        return DN_E_UNSUPPORTED;
    }
    if (b->param_uses[e->param - 1]++ == 0 && e->param <= env->hints.count)
        b->param_types[e->param - 1] = env->hints.types[e->param - 1];
    out = bind_new(b, BEXPR_PARAM, b->param_types[e->param - 1], e->pos);
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->param = e->param;
    *ret = out;
    return 0;
}

/* ---- conditions ---- */

static bool bind_is_bool(const struct bexpr *e, bool value)
{
    return e->kind == BEXPR_CONST && e->type == TYPE_BOOLEAN && !e->value.null &&
           (e->value.v.i64 != 0) == value;
}

int bind_chain(struct binder *b,
               enum bexpr_kind kind,
               uint32_t pos,
               struct bexpr **args,
               uint32_t count,
               struct bexpr **ret,
               struct dn_err *err)
{
    bool neutral = kind == BEXPR_AND; /* true AND x = x; false OR x = x */
    struct bexpr *out = bind_new(b, kind, TYPE_BOOLEAN, pos);
    uint32_t total = 0;
    uint32_t n = 0;

    if (!out)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++)
        total += args[i]->kind == kind ? args[i]->args_count : 1;
    out->args = arena_alloc_array(b->env->arena, total + 1, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        if (args[i]->kind == kind) {
            memcpy(out->args + n, args[i]->args, args[i]->args_count * sizeof(struct bexpr *));
            n += args[i]->args_count;
        } else if (!bind_is_bool(args[i], neutral)) {
            out->args[n++] = args[i];
        }
    }
    if (!bind_in_gather(b, kind, out->args, &n))
        return DN_FAIL_NOMEM(err);
    if (n > 0 &&
        bind_is_bool(out->args[0], !neutral)) /* decided before anything else is looked at */
        n = 1;
    if (n == 0) {
        struct datum d = {.type = TYPE_BOOLEAN, .v = {.i64 = neutral}};
        return bind_const(b, &d, pos, ret, err);
    }
    out->args_count = n;
    *ret = n == 1 ? out->args[0] : out;
    return 0;
}

/* The operands of a chain of ANDs or ORs from left to right. */
static uint32_t bind_chain_collect(const struct expr *e, enum expr_op op, const struct expr **out)
{
    uint32_t n = 0;

    if (e->kind != EXPR_BINARY || e->op != op) {
        if (out)
            out[0] = e;
        return 1;
    }
    n = bind_chain_collect(e->a, op, out);
    return n + bind_chain_collect(e->b, op, out ? out + n : NULL);
}

/* in_order: an operand is looked at if those before it leave the result open. */
static int bind_logic(
    struct binder *b, const struct expr *e, bool in_order, struct bexpr **ret, struct dn_err *err)
{
    uint32_t count = bind_chain_collect(e, e->op, NULL);
    const struct expr **in = arena_alloc_array(b->env->arena, count, sizeof(*in));
    struct bexpr **args = arena_alloc_array(b->env->arena, count, sizeof(*args));
    int rc;

    if (!in || !args)
        return DN_FAIL_NOMEM(err);
    DN_IGNORE(bind_chain_collect(e, e->op, in)); /* counted above */
    for (uint32_t i = 0; i < count; i++) {
        struct bind_reach reach = {.from = bind_guard_from(b),
                                   .test = e->op == OP_AND ? "is not false" : "is not true",
                                   .before = args,
                                   .count = i,
                                   .step = 1};

        rc = bind_bool(b, in[i], e->op == OP_AND ? "AND" : "OR", &args[i], err);
        if (rc == 0 && in_order)
            rc = bind_guard(b, &reach, err);
        if (rc == 0)
            rc = bind_not_set(b, args[i], e->op == OP_AND ? "AND" : "OR", in[i]->pos, err);
        if (rc < 0)
            return rc;
    }
    return bind_chain(b, e->op == OP_AND ? BEXPR_AND : BEXPR_OR, e->pos, args, count, ret, err);
}

int bind_where(
    struct binder *b, const struct expr *e, const char *of, struct bexpr **ret, struct dn_err *err)
{
    return e->kind == EXPR_BINARY && e->op == OP_AND ? bind_logic(b, e, false, ret, err)
                                                     : bind_bool(b, e, of, ret, err);
}

int bind_bool(
    struct binder *b, const struct expr *e, const char *of, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *x;
    int rc = bind_expr(b, e, &x, err);

    if (rc < 0)
        return rc;
    if (x->type != TYPE_NONE && x->type != TYPE_BOOLEAN) {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "argument of %s must be type boolean, not type %s",
                     of,
                     type_word(x->type));
        dn_err_at(err, e->pos);
        return rc;
    }
    return bind_coerce(b, x, TYPE_BOOLEAN, false, ret, err);
}

static int
bind_not(struct binder *b, struct bexpr *x, uint32_t pos, struct bexpr **ret, struct dn_err *err)
{
    return bind_call(b, "not", pos, &x, 1, ret, err);
}

static int
bind_between(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *x, *lo, *hi;
    struct bexpr *sides[2];
    struct expr turned = *e;
    int rc;

    if (e->symmetric) { /* whichever end is the greater one */
        turned.symmetric = false;
        rc = bind_between(b, &turned, &sides[0], err);
        turned.b = e->c;
        turned.c = e->b;
        if (rc == 0)
            rc = bind_between(b, &turned, &sides[1], err);
        if (rc < 0)
            return rc;
        return bind_chain(b, e->negated ? BEXPR_AND : BEXPR_OR, e->pos, sides, 2, ret, err);
    }

    if (e->a->kind == EXPR_ROW)
        return bind_row_between(b, e, ret, err);
    rc = bind_expr(b, e->a, &x, err);
    if (rc == 0)
        rc = bind_expr(b, e->b, &lo, err);
    if (rc == 0)
        rc = bind_expr(b, e->c, &hi, err);
    if (rc == 0)
        rc = bind_compare(b, e->negated ? OP_LT : OP_GE, e->pos, x, lo, &sides[0], err);
    if (rc == 0)
        rc = bind_compare(b, e->negated ? OP_GT : OP_LE, e->pos, x, hi, &sides[1], err);
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = bind_not_set(b, sides[i], e->negated ? "OR" : "AND", e->a->pos, err);
    if (rc < 0)
        return rc;
    return bind_chain(b, e->negated ? BEXPR_OR : BEXPR_AND, e->pos, sides, 2, ret, err);
}

static int
bind_is_null(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct expr of = *e;
    struct bexpr *x;
    int rc = bind_as_row(b, e->a, &of.a, err);

    if (rc != 1)
        return rc < 0 ? rc : bind_row_null(b, &of, ret, err);
    rc = bind_expr(b, e->a, &x, err);
    if (rc == 0)
        rc = bind_settle(b, x, &x, err);
    if (rc < 0)
        return rc;
    return bind_call(b, e->negated ? "is not null" : "is null", e->pos, &x, 1, ret, err);
}

/* ---- operators ---- */

const char *bind_op_name(enum expr_op op)
{
    static const char *const names[OP_MAX] = {
        [OP_ADD] = "+",       [OP_SUB] = "-",        [OP_MUL] = "*",      [OP_DIV] = "/",
        [OP_MOD] = "%",       [OP_EQ] = "=",         [OP_NE] = "<>",      [OP_LT] = "<",
        [OP_LE] = "<=",       [OP_GT] = ">",         [OP_GE] = ">=",      [OP_AND] = "and",
        [OP_OR] = "or",       [OP_NOT] = "not",      [OP_NEG] = "-",      [OP_POS] = "+",
        [OP_CONCAT] = "||",   [OP_BIT_AND] = "&",    [OP_BIT_OR] = "|",   [OP_BIT_XOR] = "#",
        [OP_BIT_LEFT] = "<<", [OP_BIT_RIGHT] = ">>", [OP_BIT_NOT] = "~",  [OP_POWER] = "^",
        [OP_CONTAINS] = "@>", [OP_CONTAINED] = "<@", [OP_OVERLAP] = "&&", [OP_REGEX] = "~",
        [OP_REGEX_I] = "~*",  [OP_NOT_REGEX] = "!~", [OP_ABS] = "abs",    [OP_SQRT] = "sqrt",
        [OP_CBRT] = "cbrt",
    };

    if (op == OP_STARTS)
        return "starts_with";
    if (op == OP_NOT_REGEX_I)
        return "!~*";
    return names[op];
}

/* An operator of several number types between values of none. */
static int bind_not_unique(const struct expr *e, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_AMBIGUOUS_FUNCTION,
                     "operator is not unique: %s%s unknown",
                     e->kind == EXPR_BINARY ? "unknown " : "",
                     bind_op_name(e->op));

    dn_err_hint(err,
                "Could not choose a best candidate operator. You might need to add explicit type "
                "casts.");
    dn_err_at(err, e->pos);
    return rc;
}

static bool bind_wants_type(enum expr_op op)
{
    return (op >= OP_ADD && op <= OP_MOD) || op == OP_BIT_AND || op == OP_BIT_OR ||
           op == OP_BIT_XOR || op == OP_BIT_LEFT || op == OP_BIT_RIGHT;
}

static int
bind_unary(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *x;
    int rc;

    if (e->op == OP_NOT) {
        rc = bind_bool(b, e->a, "NOT", &x, err);
        if (rc == 0)
            rc = bind_not_set(b, x, "NOT", e->a->pos, err);
        return rc < 0 ? rc : bind_not(b, x, e->pos, ret, err);
    }
    rc = bind_expr(b, e->a, &x, err);
    if (rc < 0)
        return rc;
    if (e->op == OP_OTHER)
        return bind_call(b, e->name, e->pos, &x, 1, ret, err);
    if (e->op == OP_POS && x->type == TYPE_NONE)
        return bind_coerce(b, x, TYPE_DOUBLE, false, ret, err);
    if (e->op == OP_POS) {
        if (type_is_number(x->type) || x->type == TYPE_INTERVAL) {
            *ret = x;
            return 0;
        }
        rc = DN_FAIL(
            err, DN_E_UNDEFINED_FUNCTION, "operator does not exist: + %s", type_word(x->type));
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->op == OP_SQRT || e->op == OP_CBRT) { /* of NUMERIC too, as in PostgreSQL */
        rc = bind_coerce(b, x, TYPE_DOUBLE, false, &x, err);
        if (rc < 0)
            return rc;
    }
    if (e->op == OP_BIT_NOT || e->op == OP_SQRT || e->op == OP_CBRT || e->op == OP_ABS)
        return bind_call(b, bind_op_name(e->op), e->pos, &x, 1, ret, err);
    if (x->type == TYPE_NONE)
        return bind_not_unique(e, err);
    return bind_call(b, "-", e->pos, &x, 1, ret, err);
}

static int
bind_binary(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *args[2];
    int rc;

    if (e->op == OP_AND || e->op == OP_OR)
        return bind_logic(b, e, true, ret, err);
    if (e->op >= OP_EQ && e->op <= OP_GE) {
        rc = bind_whole_compare(b, e, ret, err);
        if (rc != 1)
            return rc;
        if (e->a->kind == EXPR_ROW || e->b->kind == EXPR_ROW)
            return bind_rows(b, e, e->op, ret, err);
    }
    rc = bind_expr(b, e->a, &args[0], err);
    if (rc == 0)
        rc = bind_expr(b, e->b, &args[1], err);
    if (rc < 0)
        return rc;
    if (e->op >= OP_EQ && e->op <= OP_GE)
        return bind_compare(b, e->op, e->pos, args[0], args[1], ret, err);
    if (bind_wants_type(e->op) && args[0]->type == TYPE_NONE && args[1]->type == TYPE_NONE)
        return bind_not_unique(e, err);
    return bind_call(
        b, e->op == OP_OTHER ? e->name : bind_op_name(e->op), e->pos, args, 2, ret, err);
}

/* Texts are compared by bytes: COLLATE "C" and its other names say nothing new. */
static int
bind_collate(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    static const char *const same[] = {"C", "POSIX", "default", "ucs_basic", "C.UTF-8", "C.utf8"};
    int rc;

    for (size_t i = 0; i < DN_ARRAY_SIZE(same); i++) {
        if (strcmp(e->name, same[i]) == 0)
            return bind_expr(b, e->a, ret, err);
    }
    rc = DN_FAIL(err, DN_E_UNDEFINED_OBJECT, "collation \"%s\" does not exist", e->name);
    dn_err_hint(err, "Texts are ordered by their bytes: COLLATE \"C\".");
    dn_err_at(err, e->pos);
    return rc;
}

/* '1' as INTERVAL YEAR: the fields say what the text means. */
static int bind_fields(struct binder *b,
                       const struct type_name *type,
                       const struct bexpr *text,
                       struct bexpr **ret,
                       struct dn_err *err)
{
    struct datum d = {.type = TYPE_INTERVAL};
    int rc = text_parse_interval_fields(text->value.str, sql_type_mods(type).v[1], &d.iv, err);

    if (rc < 0) {
        dn_err_at(err, text->pos);
        return rc;
    }
    return bind_const(b, &d, text->pos, ret, err);
}

static int
bind_cast_expr(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *x;
    int rc;

    if (e->type_name && e->type_name->dims > 0)
        return bind_array_cast(b, e, ret, err);
    rc = bind_expr(b, e->a, &x, err);
    if (rc == 0 && x->chars < 0)
        x->chars = 0;                    /* the text of a row is no row */
    if (rc == 0 && e->type == TYPE_NONE) /* REGCLASS: its text */
        return bind_coerce(b, x, TYPE_VARCHAR, true, ret, err);
    if (rc == 0 && e->type == TYPE_BLOB && x->type == TYPE_BPCHAR)
        rc = bind_pad(b, TYPE_VARCHAR, &x, err);
    if (rc == 0 && e->type_name && e->type_name->field_from && bind_untyped_text(x))
        rc = bind_fields(b, e->type_name, x, ret, err);
    else if (rc == 0 && e->type == TYPE_BIT && e->type_name &&
             (x->type == TYPE_INTEGER || x->type == TYPE_BIGINT))
        return bind_bits(b, x, sql_type_mods(e->type_name), ret, err);
    else if (rc == 0)
        rc = bind_coerce(b, x, e->type, true, ret, err);
    if (rc == 0 && e->type == TYPE_DOUBLE) {
        *ret = arena_dup(b->env->arena, *ret, sizeof(**ret));
        if (!*ret)
            return DN_FAIL_NOMEM(err);
        (*ret)->decimal = DECIMAL_NO;
    }
    return rc < 0 ? rc : bind_fit(b, e->type_name, ret, err);
}

int bind_expr_kind(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    int rc;

    switch (e->kind) {
    case EXPR_LITERAL:
        return bind_literal(b, e, ret, err);
    case EXPR_COLUMN:
        return bind_column(b, e, ret, err);
    case EXPR_PARAM:
        return bind_param(b, e, ret, err);
    case EXPR_UNARY:
        return bind_unary(b, e, ret, err);
    case EXPR_BINARY:
        return bind_binary(b, e, ret, err);
    case EXPR_BETWEEN:
        return bind_between(b, e, ret, err);
    case EXPR_IN:
        return e->query || e->a->kind == EXPR_ROW ? bind_query_expr(b, e, ret, err)
                                                  : bind_in(b, e, ret, err);
    case EXPR_QUERY:
    case EXPR_EXISTS:
    case EXPR_ARRAY_QUERY:
        return bind_query_expr(b, e, ret, err);
    case EXPR_ANY:
        return e->query ? bind_query_expr(b, e, ret, err) : bind_array(b, e, ret, err);
    case EXPR_ARRAY:
    case EXPR_SUBSCRIPT:
        return bind_array(b, e, ret, err);
    case EXPR_IS_NULL:
        return bind_is_null(b, e, ret, err);
    case EXPR_CALL:
        return bind_function(b, e, ret, err);
    case EXPR_CAST:
        return bind_cast_expr(b, e, ret, err);
    case EXPR_CASE:
        return bind_case(b, e, ret, err);
    case EXPR_LIKE:
        return bind_like(b, e, ret, err);
    case EXPR_IS:
        return bind_is(b, e, ret, err);
    case EXPR_DISTINCT:
        return bind_distinct(b, e, ret, err);
    case EXPR_STAR:
        return bind_whole_star(b, e, ret, err);
    case EXPR_COLLATE:
        return bind_collate(b, e, ret, err);
    case EXPR_ROW:
        return bind_row_text(b, e, ret, err);
    case EXPR_FIELD:
        return bind_field(b, e, ret, err);
    case EXPR_NAMED_ARG: /* bind_named takes them apart; in an array it is a slip */
        rc = DN_FAIL(err, DN_E_SYNTAX, "only arguments of functions have names");
        dn_err_at(err, e->pos);
        return rc;
    case EXPR_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown kind of expression: %d", (int)e->kind);
}
