/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_row.c: rows of values elsewhere than in comparisons. There are no values of row types: a row
 * that is shown is text, as PostgreSQL writes it. */
#include "plan/bind_query.h"

#include <stdio.h>

int bind_row_text(struct binder *b, const struct expr *row, struct bexpr **ret, struct dn_err *err)
{
    struct expr *e;
    struct bexpr **args;
    int rc = bind_as_row(b, arena_dup(b->env->arena, row, sizeof(*row)), &e, err);

    if (rc != 0)
        return rc < 0 ? rc : DN_FAIL_NOMEM(err); /* it is a row */
    args = arena_alloc_array(b->env->arena, (size_t)e->args_count + 1, sizeof(*args));
    if (!args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++) {
        rc = bind_expr(b, e->args[i], &args[i], err);
        if (rc == 0)
            rc = bind_settle(b, args[i], &args[i], err);
    }
    return rc < 0 ? rc : bind_row_call(b, e->pos, args, e->args_count, ret, err);
}

int bind_row_call(struct binder *b,
                  uint32_t pos,
                  struct bexpr **args,
                  uint32_t count,
                  struct bexpr **ret,
                  struct dn_err *err)
{
    struct datum none = {.type = TYPE_VARCHAR, .str = {.ptr = "()", .len = 2}};
    int32_t chars = BIND_ROW;
    int rc;

    for (uint32_t i = 0; i < count; i++) {
        enum type_id type = args[i]->type;

        if (type_is_wide(type_is_array(type) ? type_element(type) : type) ||
            args[i]->chars == BIND_ROW_LOOSE)
            chars = BIND_ROW_LOOSE;
    }
    rc = count > 0 ? bind_call(b, "row", pos, args, count, ret, err)
                   : bind_const(b, &none, pos, ret, err);
    if (rc == 0)
        (*ret)->chars = chars;
    return rc;
}

int bind_row_only_same(
    enum expr_op op, uint32_t pos, const struct bexpr *l, const struct bexpr *r, struct dn_err *err)
{
    bool same = op == OP_EQ || op == OP_NE;
    int rc;

    if (l->chars >= 0 || r->chars >= 0 ||
        (same && l->chars != BIND_ROW_LOOSE && r->chars != BIND_ROW_LOOSE))
        return 0;
    rc = DN_FAIL(err,
                 DN_E_UNSUPPORTED,
                 "rows that come from elsewhere compared with %s are not supported yet",
                 bind_op_name(op));
    dn_err_hint(err, "Compare the values in them: (a, b) %s (c, d).", bind_op_name(op));
    dn_err_at(err, pos);
    return rc;
}

int bind_row_alike(struct binder *b, struct bexpr **e, struct dn_err *err)
{
    struct bexpr *row = *e;
    struct bexpr **args;
    int rc = 0;

    if (row->chars != BIND_ROW_LOOSE)
        return 0;
    if (row->kind != BEXPR_CALL || strcmp(row->func->name, "row") != 0)
        return bind_row_only_same(OP_EQ, row->pos, row, row, err);
    args = arena_dup(b->env->arena, row->args, ((size_t)row->args_count + 1) * sizeof(*args));
    if (!args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < row->args_count; i++) {
        if (args[i]->type == TYPE_NUMERIC)
            rc = bind_call(b, "trim_scale", row->pos, &args[i], 1, &args[i], err);
    }
    return rc < 0 ? rc : bind_row_call(b, row->pos, args, row->args_count, e, err);
}

int bind_row_no_order(const struct bexpr *e, uint32_t pos, struct dn_err *err)
{
    int rc;

    if (e->chars >= 0)
        return 0;
    rc = DN_FAIL(
        err, DN_E_UNSUPPORTED, "the order of rows that come from elsewhere is not supported yet");
    dn_err_hint(err, "Name the values in them: ORDER BY a, b.");
    dn_err_at(err, pos);
    return rc;
}

int bind_row_field(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct expr *row;
    char name[16];
    int rc = bind_as_row(b, e->a, &row, err);

    for (uint32_t i = 0; rc == 0 && i < row->args_count; i++) {
        snprintf(name, sizeof name, "f%u", i + 1);
        if (strcmp(name, e->name) == 0)
            return bind_expr(b, row->args[i], ret, err);
    }
    if (rc < 0)
        return rc;
    rc = DN_FAIL(err,
                 DN_E_UNDEFINED_COLUMN,
                 "could not identify column \"%s\" in record data type",
                 e->name);
    dn_err_at(err, e->pos);
    return rc;
}

/* A row is NULL if all its values are, and not NULL if none is. */
int bind_row_null(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const struct expr *row = e->a;
    struct bexpr **parts =
        arena_alloc_array(b->env->arena, (size_t)row->args_count + 1, sizeof(*parts));
    int rc = 0;

    if (!parts)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < row->args_count; i++) {
        struct expr one = *e;

        one.a = row->args[i];
        rc = bind_expr(b, &one, &parts[i], err);
    }
    return rc < 0 ? rc : bind_chain(b, BEXPR_AND, e->pos, parts, row->args_count, ret, err);
}

/* Rows inside of rows are compared like values of a column: NULL equals NULL there. */
int bind_row_nested(
    struct binder *b, const struct expr *e, enum expr_op op, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr **parts;
    bool nested = false;
    int rc = 0;

    if (e->a->kind != EXPR_ROW || e->b->kind != EXPR_ROW || e->a->args_count != e->b->args_count)
        return 1;
    for (uint32_t i = 0; i < e->a->args_count; i++)
        nested = nested || (e->a->args[i]->kind == EXPR_ROW && e->b->args[i]->kind == EXPR_ROW);
    if (!nested)
        return 1;
    if (op != OP_EQ && op != OP_NE) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "rows with rows in them compared with %s are not supported yet",
                     bind_op_name(op));
        dn_err_hint(err, "Write the values of all of them into one row.");
        dn_err_at(err, e->pos);
        return rc;
    }
    parts = arena_alloc_array(b->env->arena, (size_t)e->a->args_count + 1, sizeof(*parts));
    if (!parts)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < e->a->args_count; i++) {
        struct expr one = {.kind = EXPR_BINARY, .op = op, .pos = e->pos};

        one.a = e->a->args[i];
        one.b = e->b->args[i];
        if (one.a->kind == EXPR_ROW && one.b->kind == EXPR_ROW) {
            one.kind = EXPR_DISTINCT;
            one.negated = op == OP_EQ;
        }
        rc = bind_expr(b, &one, &parts[i], err);
    }
    if (rc < 0)
        return rc;
    return bind_chain(
        b, op == OP_EQ ? BEXPR_AND : BEXPR_OR, e->pos, parts, e->a->args_count, ret, err);
}

int bind_row_between(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct expr low = *e;
    struct expr high = *e;
    struct bexpr *sides[2];
    int rc;

    high.b = e->c;
    rc = bind_rows(b, &low, e->negated ? OP_LT : OP_GE, &sides[0], err);
    if (rc == 0)
        rc = bind_rows(b, &high, e->negated ? OP_GT : OP_LE, &sides[1], err);
    if (rc < 0)
        return rc;
    return bind_chain(b, e->negated ? BEXPR_OR : BEXPR_AND, e->pos, sides, 2, ret, err);
}

int bind_row_distinct(struct binder *b,
                      const struct expr *e,
                      struct bexpr **ret,
                      struct dn_err *err)
{
    struct expr *l, *r;
    struct bexpr **parts;
    int rc = bind_as_row(b, e->a, &l, err);
    int other = rc < 0 ? rc : bind_as_row(b, e->b, &r, err);

    if (other < 0)
        return other;
    if (rc != 0 || other != 0 || l->args_count != r->args_count) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "unequal number of entries in row expressions");
        dn_err_at(err, e->pos);
        return rc;
    }
    parts = arena_alloc_array(b->env->arena, (size_t)l->args_count + 1, sizeof(*parts));
    if (!parts)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < l->args_count; i++) {
        struct expr one = *e;

        one.a = l->args[i];
        one.b = r->args[i];
        rc = bind_expr(b, &one, &parts[i], err);
    }
    if (rc < 0)
        return rc;
    return bind_chain(b, e->negated ? BEXPR_AND : BEXPR_OR, e->pos, parts, l->args_count, ret, err);
}
