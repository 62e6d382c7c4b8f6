/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_named.c: calls whose arguments have names, f(1, b => 2): the arguments are put where their
 * names say, and the call is bound like any other. */
#include "plan/bind_query.h"

#include "base/bytes.h"
#include "func/named.h"

#include <strings.h>

bool bind_has_names(const struct expr *e)
{
    for (uint32_t i = 0; i < e->args_count; i++)
        if (e->args[i]->kind == EXPR_NAMED_ARG)
            return true;
    return false;
}

/* First those without a name, and no name twice. */
static int bind_check_names(const struct expr *e, struct dn_err *err)
{
    bool named = false;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++) {
        const struct expr *arg = e->args[i];

        if (named && arg->kind != EXPR_NAMED_ARG) {
            rc = DN_FAIL(err, DN_E_SYNTAX, "positional argument cannot follow named argument");
            dn_err_at(err, arg->pos);
        }
        named |= arg->kind == EXPR_NAMED_ARG;
        for (uint32_t k = 0; rc == 0 && arg->kind == EXPR_NAMED_ARG && k < i; k++) {
            if (e->args[k]->kind != EXPR_NAMED_ARG || strcasecmp(e->args[k]->name, arg->name) != 0)
                continue;
            rc = DN_FAIL(err, DN_E_SYNTAX, "argument name \"%s\" used more than once", arg->name);
            dn_err_at(err, arg->pos);
        }
    }
    return rc;
}

/* Where argument i goes; count: nowhere. */
static uint32_t bind_place(const struct func_named *f, const struct expr *e, uint32_t i)
{
    if (e->args[i]->kind != EXPR_NAMED_ARG)
        return i;
    for (uint32_t k = 0; k < f->count; k++)
        if (strcasecmp(f->args[k], e->args[i]->name) == 0)
            return k;
    return f->count;
}

/* The arguments in order; false: the names do not fit. */
static bool
bind_in_order(const struct func_named *f, const struct expr *e, struct expr *zero, struct expr **to)
{
    if (e->args_count > f->count)
        return false;
    for (uint32_t k = 0; k < f->count; k++)
        to[k] = NULL;
    for (uint32_t i = 0; i < e->args_count; i++) {
        uint32_t k = bind_place(f, e, i);

        if (k == f->count || to[k])
            return false;
        to[k] = e->args[i]->kind == EXPR_NAMED_ARG ? e->args[i]->a : e->args[i];
    }
    for (uint32_t k = 0; k < f->count; k++) {
        if (!to[k] && !f->zeros)
            return false;
        to[k] = to[k] ? to[k] : zero;
    }
    return true;
}

/* function f(integer, b => text) does not exist */
static int bind_fail_names(struct binder *b, const struct expr *e, struct dn_err *err)
{
    struct buf text;
    const struct func_named *f;
    int rc = 0;

    buf_init(&text, NULL);
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++) {
        const struct expr *arg = e->args[i];
        bool named = arg->kind == EXPR_NAMED_ARG;
        struct bexpr *x = NULL;

        rc = bind_expr(b, named ? arg->a : arg, &x, err);
        buf_puts(&text, i ? ", " : "");
        if (named)
            buf_printf(&text, "%s => ", arg->name);
        buf_puts(&text, rc == 0 ? type_word(x->type) : "");
    }
    if (rc == 0) {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_FUNCTION,
                     "function %s(%.*s) does not exist",
                     e->name,
                     text.failed ? 0 : (int)text.len,
                     text.failed ? "" : (const char *)text.data);
        dn_err_at(err, e->pos);
    }
    text.len = 0;
    for (uint32_t i = 0; (f = func_named_at(i)); i++)
        for (uint32_t k = 0; strcasecmp(f->name, e->name) == 0 && k < f->count; k++)
            buf_printf(&text, "%s%s", k ? ", " : text.len ? "; " : "", f->args[k]);
    if (rc == DN_E_UNDEFINED_FUNCTION && !text.failed && text.len)
        dn_err_hint(err, "Its arguments are %.*s.", (int)text.len, (const char *)text.data);
    else if (rc == DN_E_UNDEFINED_FUNCTION)
        dn_err_hint(err, "Give the arguments of %s in order, without names.", e->name);
    buf_done(&text);
    return rc;
}

int bind_named(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct arena *arena = b->env->arena;
    struct expr *zero = arena_calloc(arena, 1, sizeof(*zero));
    const struct func_named *f;
    struct expr plain = *e;
    int rc = bind_check_names(e, err);

    if (rc < 0)
        return rc;
    plain.args = arena_alloc_array(arena, FUNC_NAMED_MAX, sizeof(plain.args[0]));
    if (!zero || !plain.args)
        return DN_FAIL_NOMEM(err);
    *zero =
        (struct expr){.kind = EXPR_LITERAL, .pos = e->pos, .depth = 1, .value.type = TYPE_INTEGER};
    for (uint32_t i = 0; (f = func_named_at(i)); i++) {
        if (strcasecmp(f->name, e->name) != 0 || !bind_in_order(f, e, zero, plain.args))
            continue;
        plain.args_count = f->count;
        return bind_function(b, &plain, ret, err);
    }
    return bind_fail_names(b, e, err);
}
