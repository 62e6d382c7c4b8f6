/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_call.c: calls by name: scalar functions here, aggregates, windows and functions that return
 * rows elsewhere. */
#include "plan/bind_query.h"
#include "plan/decimal.h"

#include "func/rowfunc.h"
#include "func/variadic.h"
#include "func/winfunc.h"

#include <stdio.h>

/* To most functions CHAR(n) is a text without the blanks at its end; these see it as it is shown.
 */
static int bind_pad_args(
    struct binder *b, const char *name, struct bexpr **args, uint32_t count, struct dn_err *err)
{
    static const struct {
        const char *name;
        bool all; /* else the first argument alone */
    } shown[] = {
        {"octet_length", false},
        {"like", false},
        {"ilike", false},
        {"similar to", false},
        {"~", false},
        {"~*", false},
        {"!~", false},
        {"!~*", false},
        {"concat", true},
        {"concat_ws", true},
        {"format", true},
        {"row", true},
        {"array_to_string", false},
        {"json_build_array", true},
        {"json_build_object", true},
    };
    int rc = 0;

    if (bind_chars(args, count) <= 0 && count < 2)
        return 0;
    for (size_t k = 0; k < DN_ARRAY_SIZE(shown); k++) {
        if (strcmp(shown[k].name, name) != 0)
            continue;
        for (uint32_t i = 0; rc == 0 && i < (shown[k].all ? count : count > 0); i++)
            rc = bind_pad(
                b, args[i]->type == TYPE_BPCHAR ? TYPE_VARCHAR : args[i]->type, &args[i], err);
    }
    return rc;
}

/* Does a time come out of a column or a clock? */
static bool bind_is_measured(const struct bexpr *e)
{
    if (!type_is_timestamp(e->type) && e->type != TYPE_TIMESTAMPTZ)
        return false;
    if (e->kind == BEXPR_COLUMN ||
        (e->kind == BEXPR_CALL && (e->func->flags & (FUNC_STABLE | FUNC_VOLATILE))))
        return true;
    for (uint32_t i = 0; i < e->args_count; i++)
        if (bind_is_measured(e->args[i]))
            return true;
    return false;
}

/* x AT TIME ZONE z of a TIMESTAMP: what comes out of a column or a clock is an instant, so that the
 * result is what clocks of the zone show then; what is written in the statement or made of a DATE
 * says what they show, so that the result is an instant. */
static int bind_zone_arg(struct binder *b, struct bexpr **args, uint32_t count, struct dn_err *err)
{
    return count == 2 && type_is_timestamp(args[1]->type) && bind_is_measured(args[1])
               ? bind_coerce(b, args[1], TYPE_TIMESTAMPTZ, false, &args[1], err)
               : 0;
}

/* Inside, a row is a text; but a function that asks for a text does not take a row. */
static int bind_no_rows(const struct func *f,
                        struct bexpr *const *args,
                        uint32_t count,
                        uint32_t pos,
                        struct dn_err *err)
{
    bool any = false;
    char types[256] = "";
    size_t len = 0;
    int rc;

    for (uint32_t i = 0; i < count; i++)
        any = any || (args[i]->chars < 0 &&
                      f->args[i < f->args_count ? i : f->args_count - 1] == TYPE_VARCHAR);
    if (!any || (f->flags & FUNC_OPERATOR))
        return 0;
    for (uint32_t i = 0; i < count && len < sizeof types; i++) {
        const char *type = args[i]->chars < 0           ? "record"
                           : args[i]->type == TYPE_NONE ? "unknown"
                                                        : type_word(args[i]->type);

        len += (size_t)snprintf(types + len, sizeof types - len, "%s%s", i ? ", " : "", type);
    }
    rc = DN_FAIL(err, DN_E_UNDEFINED_FUNCTION, "function %s(%s) does not exist", f->name, types);
    dn_err_hint(err, "A row is not a text: CAST(… AS TEXT) makes one of it.");
    dn_err_at(err, pos);
    return rc;
}

int bind_call(struct binder *b,
              const char *name,
              uint32_t pos,
              struct bexpr **args,
              uint32_t count,
              struct bexpr **ret,
              struct dn_err *err)
{
    struct arena *arena = b->env->arena;
    enum type_id *types = arena_alloc_array(arena, count + 1, sizeof(*types));
    enum type_id *casts = arena_alloc_array(arena, count + 1, sizeof(*casts));
    struct bexpr *out = bind_new(b, BEXPR_CALL, TYPE_NONE, pos);
    int rc;

    if (!types || !casts || !out)
        return DN_FAIL_NOMEM(err);
    rc = bind_pad_args(b, name, args, count, err);
    if (rc < 0)
        return rc;
    rc = strcmp(name, "timezone") == 0 ? bind_zone_arg(b, args, count, err)
                                       : bind_local_literals(b, args, count, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < count; i++)
        types[i] = casts[i] = args[i]->type;
    out->func = func_find(name, types, count, casts, pos, err);
    if (!out->func)
        return err ? err->code : DN_E_UNDEFINED_FUNCTION;
    rc = bind_decimal_call(b, &out->func, args, count, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; rc == 1 && i < count; i++)
        types[i] = casts[i] = args[i]->type;
    if (rc == 1)
        out->func = func_find(name, types, count, casts, pos, err);
    if (!out->func)
        return err ? err->code : DN_E_UNDEFINED_FUNCTION;
    out->decimal = bind_decimal_result(out->func, args, count) ? DECIMAL_YES : 0;
    rc = bind_no_rows(out->func, args, count, pos, err);
    if (rc < 0)
        return rc;
    out->args = arena_alloc_array(arena, count + 1, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    out->args_count = count;
    for (uint32_t i = 0; i < count; i++) {
        rc = casts[i] == TYPE_NONE ? bind_settle(b, args[i], &out->args[i], err)
                                   : bind_coerce(b, args[i], casts[i], true, &out->args[i], err);
        if (rc < 0)
            return rc;
    }
    out->type = func_result(out->func, casts, count);
    if (out->type == TYPE_NONE && count > 0)
        out->type = out->args[0]->type;
    if (out->type == TYPE_BPCHAR || out->type == type_array_of(TYPE_BPCHAR))
        out->chars = bind_chars(out->args, count);
    *ret = out;
    return bind_fold(b, ret, err);
}

/* Operators have rows of their own among the functions; "not"(x) is no call. */
static bool bind_is_operator(const char *name)
{
    struct func_walk walk = {0};
    const struct func *f;

    while ((f = func_named(&walk, name))) {
        if ((f->flags & FUNC_OPERATOR) && strcmp(f->name, name) == 0)
            return true;
    }
    return false;
}

char *bind_lower_name(struct binder *b, const char *name)
{
    char *copy = arena_strdup(b->env->arena, name);

    for (char *c = copy; c && *c; c++) {
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
    }
    return copy;
}

/* f(a, VARIADIC array), the elements of which are the other arguments. */
static int bind_variadic(struct binder *b,
                         const struct expr *e,
                         const struct func *f,
                         struct bexpr **ret,
                         struct dn_err *err)
{
    uint32_t count = e->args_count;
    struct bexpr *out = bind_new(b, BEXPR_CALL, f->result, e->pos);
    int rc;

    if (!out)
        return DN_FAIL_NOMEM(err);
    if (count != f->args_count) {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_FUNCTION,
                     "function %s takes %u arguments before VARIADIC",
                     e->name,
                     f->args_count - 1);
        dn_err_at(err, e->pos);
        return rc;
    }
    out->args = arena_alloc_array(b->env->arena, count, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    out->func = f;
    out->args_count = count;
    for (uint32_t i = 0; i < count; i++) {
        rc = bind_expr(b, e->args[i], &out->args[i], err);
        if (rc == 0 && i + 1 < count)
            rc = bind_coerce(b, out->args[i], f->args[i], false, &out->args[i], err);
        if (rc < 0)
            return rc;
    }
    if (!type_is_array(out->args[count - 1]->type)) {
        rc = DN_FAIL(err, DN_E_DATATYPE_MISMATCH, "VARIADIC argument must be an array");
        dn_err_at(err, e->args[count - 1]->pos);
        return rc;
    }
    *ret = out;
    return bind_fold(b, ret, err);
}

/* f(a, VARIADIC ARRAY[b, c]) is f(a, b, c). */
static int
bind_spread(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    const struct expr *last = e->args[e->args_count - 1];
    uint32_t first = e->args_count - 1;
    struct expr plain = *e;
    int rc;

    if (last->kind != EXPR_ARRAY) {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_FUNCTION,
                     "function %s takes VARIADIC before ARRAY[…] alone",
                     e->name);
        dn_err_at(err, e->pos);
        return rc;
    }
    plain.ext = NULL;
    plain.args_count = first + last->args_count;
    plain.args =
        arena_alloc_array(b->env->arena, (size_t)plain.args_count + 1, sizeof(plain.args[0]));
    if (!plain.args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < plain.args_count; i++)
        plain.args[i] = i < first ? e->args[i] : last->args[i - first];
    return bind_function(b, &plain, ret, err);
}

/* nextval('s'::regclass): functions of sequences take the text. */
static const struct expr *bind_regclass(const char *name, const struct expr *e)
{
    bool of_sequence =
        strcmp(name, "nextval") == 0 || strcmp(name, "currval") == 0 || strcmp(name, "setval") == 0;

    return of_sequence && e->kind == EXPR_CAST && e->a->kind == EXPR_LITERAL && e->type_name &&
                   strcmp(e->type_name->name, "regclass") == 0
               ? e->a
               : e;
}

int bind_function(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr **args = arena_alloc_array(b->env->arena, e->args_count + 1, sizeof(*args));
    char *name = bind_lower_name(b, e->name);
    int rc;

    if (!args || !name)
        return DN_FAIL_NOMEM(err);
    if (bind_has_names(e))
        return bind_named(b, e, ret, err);
    if (strcmp(name, "grouping") == 0 && b->level)
        return bind_grouping(b, e, ret, err);
    rc = bind_hypothetical(b, e, name, ret, err);
    if (rc != 1)
        return rc;
    if (e->ext && e->ext->order_by_count > 0 && !agg_name_exists(name)) {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_FUNCTION,
                     "%s is no aggregate function: it takes no %s",
                     e->name,
                     e->ext->within_group ? "WITHIN GROUP" : "ORDER BY");
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->ext && e->ext->over)
        return bind_window_call(b, e, name, ret, err);
    if (agg_name_exists(name))
        return bind_aggregate(b, e, name, ret, err);
    if (winfunc_name_exists(name)) {
        rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "window function %s requires an OVER clause", e->name);
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->ext && e->ext->variadic)
        return func_variadic(name) ? bind_variadic(b, e, func_variadic(name), ret, err)
                                   : bind_spread(b, e, ret, err);
    if (rowfunc_name_exists(name))
        return select_rowfunc(b, e, name, ret, err);
    if (bind_is_operator(name)) {
        rc = DN_FAIL(err, DN_E_UNDEFINED_FUNCTION, "function %s does not exist", e->name);
        dn_err_at(err, e->pos);
        return rc;
    }
    if (e->star || e->distinct || e->a) {
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_FUNCTION,
                     "%s is no aggregate function: it takes no %s",
                     e->name,
                     e->star       ? "*"
                     : e->distinct ? "DISTINCT"
                                   : "FILTER");
        dn_err_at(err, e->pos);
        return rc;
    }
    rc = bind_choice_call(b, e, name, ret, err);
    if (rc != 1)
        return rc;
    if (bind_is_ttl(name))
        return bind_ttl(b, e, name, ret, err);
    for (uint32_t i = 0; i < e->args_count; i++) {
        rc = bind_expr(b, bind_regclass(name, e->args[i]), &args[i], err);
        if (rc < 0)
            return rc;
    }
    rc = e->args_count == 1 ? bind_type_call(b, name, args[0], ret, err) : 1;
    return rc != 1 ? rc : bind_call(b, name, e->pos, args, e->args_count, ret, err);
}
