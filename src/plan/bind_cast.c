/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_cast.c: types of expressions: untyped things settled, casts inserted, constants folded. */
#include "plan/bind.h"
#include "plan/bind_query.h"
#include "plan/decimal.h"

#include "func/text.h"

/* Evaluates a call over constants. One that fails stays a call: its error belongs to the execution.
 */
/* A strict function of NULL: nobody needs its other arguments, nor their errors, but of those that
 * are constant: PostgreSQL computes them first. */
static bool bind_is_null_call(const struct bexpr *e)
{
    bool null = false;

    if (e->kind != BEXPR_CALL || !(e->func->flags & FUNC_STRICT))
        return false;
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (e->args[i]->kind != BEXPR_CONST && expr_is_const(e->args[i], false))
            return false;
        null = null || (e->args[i]->kind == BEXPR_CONST && e->args[i]->value.null);
    }
    return null;
}

static int bind_fold_value(struct binder *b, struct bexpr **e, struct dn_err *err)
{
    struct eval ev = {.arena = b->env->arena, .now_ns = b->env->now_ns, .session = b->env->session};
    struct dn_err ignored;
    struct datum d;
    uint32_t pos = (*e)->pos;
    enum type_id type = (*e)->type;
    int rc;

    if (bind_is_null_call(*e)) {
        d = (struct datum){.type = type, .null = true};
        return bind_const(b, &d, pos, e, err);
    }
    if (!expr_is_const(*e, false))
        return 0;
    rc = expr_eval_datum(*e, &ev, &d, &ignored);
    if (rc == DN_E_NOMEM)
        return DN_FAIL_NOMEM(err);
    if (rc == DN_E_CANCELED)
        return plan_check_cancel(b->env, err);
    if (rc < 0)
        return 0;
    if (!datum_copy(b->env->arena, &d, &d))
        return DN_FAIL_NOMEM(err);
    d.type = type;
    return bind_const(b, &d, pos, e, err);
}

int bind_fold(struct binder *b, struct bexpr **e, struct dn_err *err)
{
    const struct bexpr *from = *e;
    int rc = bind_fold_value(b, e, err);

    if (rc < 0)
        return rc;
    (*e)->chars = from->chars;
    if (*e != from)
        (*e)->clock = plan_expr_digits(from).clock;
    return 0;
}

int32_t bind_chars(struct bexpr *const *args, uint32_t count)
{
    int32_t chars = -1;
    int32_t row = 0;

    for (uint32_t i = 0; i < count; i++) {
        enum type_id type = args[i]->type;

        if (type == TYPE_VARCHAR && args[i]->chars < row)
            row = args[i]->chars;

        if ((type != TYPE_BPCHAR && type != type_array_of(TYPE_BPCHAR)) ||
            (args[i]->kind == BEXPR_CONST && (args[i]->value.null || args[i]->chars == 0)))
            continue; /* a bare literal is shown like what it stands beside */
        if (chars >= 0 && chars != args[i]->chars)
            return 0;
        chars = args[i]->chars;
    }
    return row < 0 ? row : chars < 0 ? 0 : chars;
}

int bind_pad(struct binder *b, enum type_id type, struct bexpr **e, struct dn_err *err)
{
    struct datum n = {.type = TYPE_BIGINT, .v = {.i64 = (*e)->chars}};
    struct bexpr *out;
    int rc;

    if ((*e)->chars <= 0)
        return 0;
    out = bind_new(b, BEXPR_CALL, type, (*e)->pos);
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->func = func_pad();
    out->args_count = 2;
    out->args = arena_alloc_array(b->env->arena, 2, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    out->args[0] = *e;
    rc = bind_const(b, &n, (*e)->pos, &out->args[1], err);
    if (rc < 0)
        return rc;
    *e = out;
    return bind_fold(b, e, err);
}

static int bind_cast(struct binder *b,
                     const struct func *f,
                     struct bexpr *e,
                     enum type_id type,
                     struct bexpr **ret,
                     struct dn_err *err)
{
    struct bexpr *out = bind_new(b, BEXPR_CALL, type, e->pos);

    if (!out)
        return DN_FAIL_NOMEM(err);
    out->func = f;
    out->args = arena_alloc_array(b->env->arena, 1, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    out->args[0] = e;
    out->args_count = 1;
    *ret = out;
    return bind_fold(b, ret, err);
}

static int bind_coerce_untyped(
    struct binder *b, struct bexpr *e, enum type_id type, struct bexpr **ret, struct dn_err *err)
{
    struct datum d;
    int rc;

    if (e->kind == BEXPR_PARAM) { /* the first use decides */
        e->type = type;
        if (b->param_types[e->param - 1] == TYPE_NONE)
            b->param_types[e->param - 1] = type;
        *ret = e;
        return 0;
    }
    DN_ASSERT(e->kind == BEXPR_CONST);
    d = e->value;
    if (d.null) {
        d.type = type;
    } else {
        rc = text_parse_in(b->env->session, type, e->value.str, b->env->arena, &d, err);
        if (rc < 0) {
            dn_err_at(err, e->pos);
            return rc;
        }
    }
    rc = bind_const(b, &d, e->pos, ret, err);
    if (rc == 0)
        (*ret)->clock = plan_text_is_clock(&e->value);
    return rc;
}

int bind_coerce(struct binder *b,
                struct bexpr *e,
                enum type_id type,
                bool explicitly,
                struct bexpr **ret,
                struct dn_err *err)
{
    const struct func *f;
    struct datum d;

    if (e->type == type || type == TYPE_NONE) {
        *ret = e;
        return 0;
    }
    if (e->type == TYPE_NONE && (e->kind == BEXPR_CONST || e->kind == BEXPR_PARAM))
        return bind_coerce_untyped(b, e, type, ret, err);
    if (e->type == TYPE_NONE ||
        (e->kind == BEXPR_CONST && e->value.null && func_cast(e->type, type, !explicitly))) {
        d = (struct datum){.null = true}; /* what has no type is NULL in every row */
        d.type = type;
        return bind_const(b, &d, e->pos, ret, err);
    }
    if (type_is_int(type)) {
        int rc = bind_decimal_to_int(b, &e, err);

        if (rc < 0)
            return rc;
    }
    f = func_cast(e->type, type, !explicitly);
    if (!f) {
        DN_IGNORE(DN_FAIL(err,
                          explicitly ? DN_E_CANNOT_CAST : DN_E_DATATYPE_MISMATCH,
                          "cannot %s type %s to %s",
                          explicitly ? "cast" : "convert",
                          type_word(e->type),
                          type_word(type))); /* returned below */
        if (!explicitly && func_cast(e->type, type, false))
            dn_err_hint(err, "Say so: CAST(… AS %s).", type_name(type));
        dn_err_at(err, e->pos);
        return explicitly ? DN_E_CANNOT_CAST : DN_E_DATATYPE_MISMATCH;
    }
    return bind_cast(b, f, e, type, ret, err);
}

int bind_local_literals(struct binder *b, struct bexpr **args, uint32_t count, struct dn_err *err)
{
    bool local = false;
    int rc = 0;

    for (uint32_t i = 0; i < count; i++)
        local = local || args[i]->type == TYPE_TIMESTAMP_LOCAL;
    for (uint32_t i = 0; local && rc == 0 && i < count; i++) {
        struct datum d = args[i]->value;
        bool exact;

        if (args[i]->kind != BEXPR_CONST || !type_is_timestamp(args[i]->type))
            continue;
        if (!d.null && d.v.i64 != INT64_MAX && d.v.i64 != INT64_MIN) {
            int64_t per = type_ts_per_second(d.type);
            int64_t seconds = d.v.i64 / per - (d.v.i64 % per < 0);
            int32_t ns = (int32_t)((d.v.i64 - seconds * per) * (1000000000 / per));

            rc = text_time_to_type(seconds, ns, TYPE_TIMESTAMP_LOCAL, true, &d.v.i64, &exact, err);
        }
        d.type = TYPE_TIMESTAMP_LOCAL;
        if (rc == 0)
            rc = bind_const(b, &d, args[i]->pos, &args[i], err);
    }
    return rc;
}

int bind_fit(struct binder *b, const struct type_name *type, struct bexpr **e, struct dn_err *err)
{
    struct type_mods mods = {0};
    struct bexpr *out;
    int rc;

    if (type)
        mods = sql_type_mods(type);
    if (mods.count == 0)
        return 0;
    out = bind_new(b, BEXPR_CALL, (*e)->type, (*e)->pos);
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->func = func_fit_cast(out->type);
    out->args = arena_alloc_array(b->env->arena, 1 + TYPE_MODS_MAX, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    out->args[0] = *e;
    out->args_count = 1 + mods.count;
    for (uint32_t i = 0; i < mods.count; i++) {
        struct datum d = {.type = TYPE_BIGINT, .v = {.i64 = mods.v[i]}};

        rc = bind_const(b, &d, (*e)->pos, &out->args[1 + i], err);
        if (rc < 0)
            return rc;
    }
    if (type->type == TYPE_BPCHAR)
        out->chars = mods.v[0];
    *e = out;
    return bind_fold(b, e, err);
}

int bind_bits(struct binder *b,
              struct bexpr *x,
              struct type_mods mods,
              struct bexpr **ret,
              struct dn_err *err)
{
    struct datum n = {.type = TYPE_BIGINT, .v = {.i64 = mods.v[0]}};
    struct bexpr *out;
    int rc;

    if (mods.count == 0)
        return bind_coerce(b, x, TYPE_BIT, true, ret, err);
    out = bind_new(b, BEXPR_CALL, TYPE_BIT, x->pos);
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->func = func_bits_cast();
    out->args_count = 2;
    out->args = arena_alloc_array(b->env->arena, 2, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    rc = bind_coerce(b, x, TYPE_BIGINT, true, &out->args[0], err);
    if (rc == 0)
        rc = bind_const(b, &n, x->pos, &out->args[1], err);
    *ret = out;
    return rc < 0 ? rc : bind_fold(b, ret, err);
}

int bind_settle(struct binder *b, struct bexpr *e, struct bexpr **ret, struct dn_err *err)
{
    if (e->type != TYPE_NONE || (e->kind == BEXPR_CONST && e->value.null) ||
        (e->kind != BEXPR_CONST && e->kind != BEXPR_PARAM)) {
        *ret = e;
        return 0;
    }
    if (e->kind == BEXPR_PARAM) { /* param_types stays open: anything will do */
        e->type = TYPE_VARCHAR;
        *ret = e;
        return 0;
    }
    return bind_coerce_untyped(b, e, TYPE_VARCHAR, ret, err);
}

int bind_type_call(
    struct binder *b, const char *name, struct bexpr *arg, struct bexpr **ret, struct dn_err *err)
{
    static const struct {
        const char *name;
        enum type_id type;
    } types[] = {
        {"bool", TYPE_BOOLEAN},
        {"int2", TYPE_SMALLINT},
        {"int4", TYPE_INTEGER},
        {"int8", TYPE_BIGINT},
        {"float4", TYPE_REAL},
        {"float8", TYPE_DOUBLE},
        {"numeric", TYPE_NUMERIC},
        {"text", TYPE_VARCHAR},
        {"varchar", TYPE_VARCHAR},
        {"bpchar", TYPE_BPCHAR},
        {"bytea", TYPE_BLOB},
        {"date", TYPE_DATE},
        {"time", TYPE_TIME},
        {"timetz", TYPE_TIMETZ},
        {"varbit", TYPE_VARBIT},
        {"timestamp", TYPE_TIMESTAMP_US},
        {"timestamptz", TYPE_TIMESTAMPTZ},
        {"interval", TYPE_INTERVAL},
        {"uuid", TYPE_UUID},
    };
    enum type_id cast = arg->type;

    for (size_t i = 0; i < DN_ARRAY_SIZE(types); i++) {
        if (strcmp(types[i].name, name) != 0)
            continue;
        if (func_find(name, &arg->type, 1, &cast, arg->pos, NULL))
            return 1; /* there is such a function, and it comes first */
        return bind_coerce(b, arg, types[i].type, true, ret, err);
    }
    return 1;
}
