/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_array.c: ARRAY[…], a[i], a[i:j], x op ANY (array): calls of functions that SQL has other
 * words for. */
#include "plan/bind_query.h"

#include <stdio.h>

#define ARRAY_SUBSCRIPTS_MAX 6u /* as many dimensions as PostgreSQL has */

static int array_unsupported(const char *what, uint32_t pos, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_UNSUPPORTED, "%s", what);

    dn_err_at(err, pos);
    return rc;
}

static int
array_make(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr **args =
        arena_alloc_array(b->env->arena, (size_t)e->args_count + 1, sizeof(*args));
    int rc = 0;

    if (!args)
        return DN_FAIL_NOMEM(err);
    if (e->args_count == 0) {
        rc = DN_FAIL(err, DN_E_DATATYPE_MISMATCH, "cannot determine type of empty array");
        dn_err_hint(err, "Say which type it is: ARRAY[]::INTEGER[].");
        dn_err_at(err, e->pos);
        return rc;
    }
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++) {
        rc = bind_expr(b, e->args[i], &args[i], err);
        if (rc == 0 && args[i]->type != TYPE_NONE && type_is_array(args[i]->type))
            rc = array_unsupported("ARRAY[…] of arrays is not supported yet", e->args[i]->pos, err);
    }
    if (rc == 0)
        rc = bind_unify(b, "ARRAY", args, e->args_count, err);
    return rc < 0 ? rc : bind_call(b, "array", e->pos, args, e->args_count, ret, err);
}

static int
array_bound(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct datum open = {.type = TYPE_INTEGER, .null = true};
    int rc;

    if (!e)
        return bind_const(b, &open, 0, ret, err);
    rc = bind_expr(b, e, ret, err);
    return rc < 0 ? rc : bind_coerce(b, *ret, TYPE_INTEGER, false, ret, err);
}

static int
array_subscript(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *args[ARRAY_SUBSCRIPTS_MAX + 1];
    const struct expr *chain[ARRAY_SUBSCRIPTS_MAX];
    uint32_t n = 0;
    int rc;

    for (; e->kind == EXPR_SUBSCRIPT && !e->slice; e = e->a) {
        if (n == ARRAY_SUBSCRIPTS_MAX)
            return array_unsupported("an array has at most 6 dimensions", e->pos, err);
        chain[n++] = e->b;
    }
    if (n == 0) { /* a slice */
        rc = bind_expr(b, e->a, &args[0], err);
        if (rc == 0)
            rc = array_bound(b, e->b, &args[1], err);
        if (rc == 0)
            rc = array_bound(b, e->c, &args[2], err);
        return rc < 0 ? rc : bind_call(b, "array_slice", e->pos, args, 3, ret, err);
    }
    rc = bind_expr(b, e, &args[0], err);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        rc = array_bound(b, chain[n - 1 - i], &args[1 + i], err);
    return rc < 0 ? rc : bind_call(b, "array_subscript", e->pos, args, n + 1, ret, err);
}

static int array_any(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const char *op = e->op >= OP_EQ && e->op <= OP_GE ? bind_op_name(e->op) : NULL;
    struct bexpr *args[2];
    char name[16];
    int rc;

    if (!op)
        return array_unsupported(
            "this operator with ANY or ALL of an array is not supported yet", e->pos, err);
    rc = bind_expr(b, e->a, &args[0], err);
    if (rc == 0)
        rc = bind_expr(b, e->b, &args[1], err);
    if (rc < 0)
        return rc;
    if (args[1]->type == TYPE_NONE && args[0]->type != TYPE_NONE)
        rc = bind_coerce(b, args[1], type_array_of(args[0]->type), true, &args[1], err);
    else if (args[1]->type != TYPE_NONE && !type_is_array(args[1]->type)) {
        rc =
            DN_FAIL(err, DN_E_DATATYPE_MISMATCH, "op ANY/ALL (array) requires array on right side");
        dn_err_at(err, e->pos);
    } else if (args[1]->type != TYPE_NONE && args[0]->type == TYPE_NONE) {
        rc = bind_coerce(b, args[0], type_element(args[1]->type), false, &args[0], err);
    }
    if (rc < 0)
        return rc;
    snprintf(name, sizeof(name), "%s %s", op, e->all ? "all" : "any");
    return bind_call(b, name, e->pos, args, 2, ret, err);
}

int bind_array(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    switch ((int)e->kind) {
    case EXPR_ARRAY:
        return array_make(b, e, ret, err);
    case EXPR_SUBSCRIPT:
        return array_subscript(b, e, ret, err);
    default:
        return array_any(b, e, ret, err);
    }
}

int bind_array_cast(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct datum empty = {.type = TYPE_VARCHAR, .str = {.ptr = "{}", .len = 2}};
    enum type_id to = type_array_of(e->type);
    struct bexpr *x;
    int rc;

    if (to == TYPE_NONE) {
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "there are no arrays of %s", type_name(e->type));
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->a->kind == EXPR_ARRAY && e->a->args_count == 0) {
        rc = bind_const(b, &empty, e->pos, &x, err);
        if (rc == 0)
            x->type = TYPE_NONE;
    } else {
        rc = bind_expr(b, e->a, &x, err);
    }
    return rc < 0 ? rc : bind_coerce(b, x, to, true, ret, err);
}
