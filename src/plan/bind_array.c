/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_array.c: ARRAY[…], a[i], a[i:j], x op ANY (array): calls of functions that SQL has other
 * words for. */
#include "plan/bind_query.h"

#include <stdio.h>

#define ARRAY_SUBSCRIPTS_MAX 6u /* as many dimensions as PostgreSQL has */

static int array_fail(enum dn_code code, const char *what, uint32_t pos, struct dn_err *err)
{
    int rc = DN_FAIL(err, code, "%s", what);

    dn_err_at(err, pos);
    return rc;
}

/* ---- ARRAY[…] ---- */

static int array_empty(
    struct binder *b, enum type_id type, uint32_t pos, struct bexpr **ret, struct dn_err *err)
{
    struct datum text = {.type = TYPE_VARCHAR, .str = {.ptr = "{}", .len = 2}};
    struct bexpr *x;
    int rc = bind_const(b, &text, pos, &x, err);

    if (rc < 0)
        return rc;
    x->type = TYPE_NONE;
    return bind_coerce(b, x, type, true, ret, err);
}

static int array_make(struct binder *b,
                      const struct expr *e,
                      enum type_id type,
                      struct bexpr **ret,
                      struct dn_err *err);

/* An element: an inner [ ] is an array whatever it holds. */
static int array_element(struct binder *b,
                         const struct expr *e,
                         enum type_id type,
                         struct bexpr **ret,
                         struct dn_err *err)
{
    if (e && e->kind == EXPR_ARRAY)
        return array_make(b, e, type, ret, err);
    return bind_expr(b, e, ret, err);
}

/* The elements cast to what the whole is cast to: each by itself, as if it stood there alone. */
static int array_cast_elements(
    struct binder *b, enum type_id type, struct bexpr **args, uint32_t count, struct dn_err *err)
{
    bool nested = false;
    int rc = 0;

    for (uint32_t i = 0; i < count; i++)
        nested = nested || type_is_array(args[i]->type);
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = bind_coerce(b, args[i], nested ? type : type_element(type), true, &args[i], err);
    return rc;
}

/* type: of the array; TYPE_NONE: the elements say. */
static int array_make(struct binder *b,
                      const struct expr *e,
                      enum type_id type,
                      struct bexpr **ret,
                      struct dn_err *err)
{
    struct bexpr **args =
        arena_alloc_array(b->env->arena, (size_t)e->args_count + 1, sizeof(*args));
    int rc = 0;

    if (!args)
        return DN_FAIL_NOMEM(err);
    if (e->args_count == 0 && type != TYPE_NONE)
        return array_empty(b, type, e->pos, ret, err);
    if (e->args_count == 0) {
        rc = DN_FAIL(err, DN_E_INDETERMINATE, "cannot determine type of empty array");
        dn_err_hint(err, "Explicitly cast to the desired type, for example ARRAY[]::integer[].");
        dn_err_at(err, e->pos);
        return rc;
    }
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++)
        rc = array_element(b, e->args[i], type, &args[i], err);
    if (rc == 0)
        rc = type == TYPE_NONE ? bind_unify(b, "ARRAY", args, e->args_count, err)
                               : array_cast_elements(b, type, args, e->args_count, err);
    if (rc == 0 && type_array_of(args[0]->type) == TYPE_NONE && !type_is_array(args[0]->type))
        return array_fail(
            DN_E_UNDEFINED_OBJECT, "could not find array type for the elements", e->pos, err);
    return rc < 0 ? rc : bind_call(b, "array", e->pos, args, e->args_count, ret, err);
}

/* What is an array by another name as the array that it is. */
static int array_plain(struct binder *b, struct bexpr **e, struct dn_err *err)
{
    enum type_id type = (*e)->type == TYPE_INT2VECTOR  ? type_array_of(TYPE_SMALLINT)
                        : (*e)->type == TYPE_OIDVECTOR ? type_array_of(TYPE_OID)
                                                       : (*e)->type;

    return bind_coerce(b, *e, type, false, e, err);
}

/* ---- subscripts ---- */

/* A subscript as a whole number; end: -1 or 1 where one that is left away stands for that end. */
static int
array_bound(struct binder *b, const struct expr *e, int end, struct bexpr **ret, struct dn_err *err)
{
    struct datum open = {.type = TYPE_BIGINT, .v = {.i64 = end < 0 ? INT64_MIN : INT64_MAX}};
    int rc;

    if (!e)
        return bind_const(b, &open, 0, ret, err);
    rc = bind_expr(b, e, ret, err);
    if (rc < 0)
        return rc;
    if ((*ret)->type != TYPE_NONE && (*ret)->type != TYPE_INTEGER &&
        func_cast_level((*ret)->type, TYPE_INTEGER) > FUNC_CAST_ASSIGN)
        return array_fail(
            DN_E_DATATYPE_MISMATCH, "array subscript must have type integer", e->pos, err);
    rc = bind_coerce(b, *ret, TYPE_INTEGER, true, ret, err);
    return rc < 0 || end == 0 ? rc : bind_coerce(b, *ret, TYPE_BIGINT, true, ret, err);
}

/* (a[1:2])[1] is an element of a slice: parentheses end the chain. */
static bool array_goes_on(const struct expr *e, const struct expr *first)
{
    return e->kind == EXPR_SUBSCRIPT && (e == first || !e->paren);
}

/* The subscripts of a[1][2:3], outermost first, and what they are of. */
static int array_chain(const struct expr **e,
                       const struct expr **chain,
                       uint32_t *ret_count,
                       bool *ret_slice,
                       struct dn_err *err)
{
    const struct expr *first = *e;
    uint32_t n = 0;

    *ret_slice = false;
    for (const struct expr *x = first; array_goes_on(x, first); x = x->a)
        n++;
    if (n > ARRAY_SUBSCRIPTS_MAX) {
        int rc = DN_FAIL(err,
                         DN_E_ARRAY_LIMIT,
                         "number of array dimensions (%u) exceeds the maximum allowed (%u)",
                         n,
                         ARRAY_SUBSCRIPTS_MAX);

        dn_err_at(err, (*e)->pos);
        return rc;
    }
    *ret_count = n;
    for (; array_goes_on(*e, first); *e = (*e)->a) {
        chain[--n] = *e;
        *ret_slice = *ret_slice || (*e)->slice;
    }
    return 0;
}

/* Among slices, a[n] is a[1:n]. */
static int array_subscripts(struct binder *b,
                            const struct expr *const *chain,
                            uint32_t n,
                            bool slice,
                            struct bexpr **args,
                            struct dn_err *err)
{
    struct datum one = {.type = TYPE_BIGINT, .v = {.i64 = 1}};
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        if (!slice) {
            rc = array_bound(b, chain[i]->b, 0, &args[i], err);
            continue;
        }
        rc = chain[i]->slice ? array_bound(b, chain[i]->b, -1, &args[2 * i], err)
                             : bind_const(b, &one, chain[i]->pos, &args[2 * i], err);
        if (rc == 0)
            rc = array_bound(
                b, chain[i]->slice ? chain[i]->c : chain[i]->b, 1, &args[2 * i + 1], err);
    }
    return rc;
}

static int
array_subscript(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *args[2 * ARRAY_SUBSCRIPTS_MAX + 1];
    const struct expr *chain[ARRAY_SUBSCRIPTS_MAX];
    uint32_t pos = e->pos;
    bool slice;
    uint32_t n;
    int rc = array_chain(&e, chain, &n, &slice, err);

    if (rc == 0)
        rc = bind_expr(b, e, &args[0], err);
    if (rc == 0)
        rc = bind_settle(b, args[0], &args[0], err);
    if (rc == 0)
        rc = array_plain(b, &args[0], err);
    if (rc < 0)
        return rc;
    if (args[0]->type == TYPE_NAME && n == 1 && !slice) { /* bytes, from 0 on */
        rc = array_subscripts(b, chain, n, slice, args + 1, err);
        return rc < 0 ? rc : bind_call(b, "_name_byte", pos, args, 2, ret, err);
    }
    if (!type_is_array(args[0]->type)) {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "cannot subscript type %s because it does not support subscripting",
                     type_word(args[0]->type));
        dn_err_at(err, e->pos);
        return rc;
    }
    rc = array_subscripts(b, chain, n, slice, args + 1, err);
    if (rc < 0)
        return rc;
    return slice ? bind_call(b, "array_slice", pos, args, 2 * n + 1, ret, err)
                 : bind_call(b, "array_subscript", pos, args, n + 1, ret, err);
}

/* A value on its way into an array, as into a column. */
static int array_value(
    struct binder *b, struct bexpr *x, enum type_id to, struct bexpr **ret, struct dn_err *err)
{
    if (x->type != TYPE_NONE && x->type != to && func_cast_level(x->type, to) > FUNC_CAST_ASSIGN) {
        int rc = DN_FAIL(err,
                         DN_E_DATATYPE_MISMATCH,
                         "subscripted assignment requires type %s but expression is of type %s",
                         type_word(to),
                         type_word(x->type));

        dn_err_hint(err, "You will need to rewrite or cast the expression.");
        dn_err_at(err, x->pos);
        return rc;
    }
    return bind_coerce(b, x, to, true, ret, err);
}

int bind_array_assign(struct binder *b,
                      struct bexpr *array,
                      const struct expr *place,
                      const struct expr *value,
                      struct bexpr **ret,
                      struct dn_err *err)
{
    struct bexpr *args[2 * ARRAY_SUBSCRIPTS_MAX + 2] = {array};
    const struct expr *chain[ARRAY_SUBSCRIPTS_MAX];
    const struct expr *e = place;
    bool slice;
    uint32_t n;
    int rc = array_chain(&e, chain, &n, &slice, err);

    if (rc < 0)
        return rc;
    if (!type_is_array(array->type)) {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "cannot subscript type %s because it does not support subscripting",
                     type_word(array->type));
        dn_err_at(err, place->pos);
        return rc;
    }
    if (slice && n > 1)
        return array_fail(DN_E_UNSUPPORTED,
                          "a slice of an array of several dimensions cannot be set",
                          place->pos,
                          err);
    rc = bind_expr(b, value, &args[1], err);
    if (rc == 0)
        rc =
            array_value(b, args[1], slice ? array->type : type_element(array->type), &args[1], err);
    if (rc == 0)
        rc = array_subscripts(b, chain, n, slice, args + 2, err);
    if (rc < 0)
        return rc;
    return slice ? bind_call(b, "array_set_slice", place->pos, args, 4, ret, err)
                 : bind_call(b, "array_set", place->pos, args, n + 2, ret, err);
}

/* ---- ANY, ALL ---- */

static const char *array_op(const struct expr *e)
{
    switch ((int)e->op) {
    case OP_LIKE:
        return e->negated ? "not like" : "like";
    case OP_ILIKE:
        return e->negated ? "not ilike" : "ilike";
    case OP_EQ:
    case OP_NE:
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_REGEX:
    case OP_REGEX_I:
    case OP_NOT_REGEX:
    case OP_NOT_REGEX_I:
        return bind_op_name(e->op);
    default:
        return NULL;
    }
}

/* Both sides in types that compare: untyped ones as the other, else the wider of the two. */
static int array_sides(struct binder *b, struct bexpr **args, uint32_t pos, struct dn_err *err)
{
    enum type_id left = args[0]->type;
    enum type_id right = args[1]->type;
    enum type_id both;
    int rc;

    if (right != TYPE_NONE && !type_is_array(right))
        return array_fail(
            DN_E_WRONG_OBJECT, "op ANY/ALL (array) requires array on right side", pos, err);
    if (right == TYPE_NONE && left != TYPE_NONE && type_array_of(left) == TYPE_NONE)
        return array_fail(
            DN_E_UNDEFINED_OBJECT, "there are no arrays of arrays to compare with", pos, err);
    if (right == TYPE_NONE)
        return bind_coerce(b,
                           args[1],
                           type_array_of(left == TYPE_NONE ? TYPE_VARCHAR : left),
                           true,
                           &args[1],
                           err);
    if (left == TYPE_NONE)
        return bind_coerce(b, args[0], type_element(right), false, &args[0], err);
    both = bind_common_type(left, type_element(right));
    if (both == TYPE_NONE || type_is_array(both))
        return 0; /* no operator: the look-up says so */
    rc = bind_coerce(b, args[0], both, false, &args[0], err);
    return rc < 0 ? rc : bind_coerce(b, args[1], type_array_of(both), false, &args[1], err);
}

/* x = ANY (array), x <> ALL (array) with an array that is the same for all rows: a set is looked
 * into. */
static int array_in(struct binder *b,
                    const struct expr *e,
                    struct bexpr **args,
                    struct bexpr **ret,
                    struct dn_err *err)
{
    struct bexpr *in = bind_new(b, BEXPR_IN, TYPE_BOOLEAN, e->pos);

    if (in)
        in->args = arena_alloc_array(b->env->arena, 2, sizeof(struct bexpr *));
    if (!in || !in->args)
        return DN_FAIL_NOMEM(err);
    in->args[0] = args[0];
    in->args[1] = args[1];
    in->args_count = 2;
    in->negated = e->all;
    *ret = in;
    return 0;
}

static bool array_is_in(const struct expr *e, struct bexpr *const *args)
{
    enum type_id type = args[0]->type;

    return (int)e->op == (e->all ? OP_NE : OP_EQ) && type != TYPE_NONE && !type_is_wide(type) &&
           !type_is_array(type) && args[1]->type == type_array_of(type) &&
           bind_has_columns(args[0]) && expr_is_const(args[1], true);
}

static int array_any(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const char *op = array_op(e);
    struct bexpr *args[2];
    char name[16];
    int rc;

    rc = bind_expr(b, e->a, &args[0], err);
    if (rc == 0)
        rc = bind_expr(b, e->b, &args[1], err);
    if (rc == 0)
        rc = array_plain(b, &args[1], err);
    if (rc == 0)
        rc = array_sides(b, args, e->pos, err);
    if (rc < 0)
        return rc;
    if (!op)
        return array_fail(DN_E_WRONG_OBJECT,
                          "op ANY/ALL (array) requires operator to yield boolean",
                          e->pos,
                          err);
    if (array_is_in(e, args))
        return array_in(b, e, args, ret, err);
    snprintf(name, sizeof(name), "%s %s", op, e->all ? "all" : "any");
    return bind_call(b, name, e->pos, args, 2, ret, err);
}

int bind_array(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    switch ((int)e->kind) {
    case EXPR_ARRAY:
        return array_make(b, e, TYPE_NONE, ret, err);
    case EXPR_SUBSCRIPT:
        return array_subscript(b, e, ret, err);
    default:
        return array_any(b, e, ret, err);
    }
}

int bind_array_cast(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    enum type_id to = type_array_of(e->type);
    struct bexpr *x;
    int rc;

    if (to == TYPE_NONE) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "there are no arrays of %s", type_word(e->type));
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->a->kind == EXPR_ARRAY) {
        rc = array_make(b, e->a, to, ret, err);
    } else {
        rc = bind_expr(b, e->a, &x, err);
        if (rc == 0)
            rc = bind_coerce(b, x, to, true, ret, err);
    }
    return rc < 0 ? rc : bind_fit(b, e->type_name, ret, err);
}

/* ---- (a).name ---- */

int bind_field(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *row;
    int rc = bind_whole_field(b, e, ret, err);

    if (rc != 1)
        return rc;
    if (e->a->kind == EXPR_ROW)
        return bind_row_field(b, e, ret, err);
    rc = bind_expr(b, e->a, &row, err);
    if (rc == 0)
        rc = bind_settle(b, row, &row, err);
    if (rc < 0)
        return rc;
    if (row->type != TYPE_EXPANDED)
        rc = DN_FAIL(err,
                     DN_E_WRONG_OBJECT,
                     "column notation .%s applied to type %s, which is not a composite type",
                     e->name,
                     type_word(row->type));
    else if (strcmp(e->name, "x") == 0 || strcmp(e->name, "n") == 0)
        return bind_call(b, e->name[0] == 'x' ? "_pg_x" : "_pg_n", e->pos, &row, 1, ret, err);
    else
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_COLUMN,
                     "could not identify column \"%s\" in record data type",
                     e->name);
    dn_err_at(err, e->pos);
    return rc;
}
