/* SPDX-License-Identifier: Apache-2.0
 *
 * assign.c: values on their way into a column: by the casts that an assignment may make unasked. */
#include "plan/bind.h"

#include "base/text.h"
#include "func/num.h"
#include "func/text.h"
#include "vec/wide.h"

#include <inttypes.h>
#include <math.h>

struct eval plan_eval(const struct plan_env *env,
                      struct arena *arena,
                      const struct datum *params,
                      uint32_t params_count)
{
    return (struct eval){.arena = arena,
                         .params = params,
                         .params_count = params_count,
                         .now_ns = env->now_ns,
                         .session = env->session,
                         .lazy = env->lazy};
}

int plan_value_expr(const struct plan_env *env,
                    const struct expr *e,
                    const char *what,
                    struct bexpr **ret,
                    struct dn_err *err)
{
    struct binder b = {.env = env, .clause = what};

    return bind_expr(&b, e, ret, err);
}

static int assign_mismatch(const struct plan_target *to, const struct datum *in, struct dn_err *err)
{
    DN_IGNORE(DN_FAIL(err,
                      DN_E_DATATYPE_MISMATCH,
                      "a %s cannot be stored as %s",
                      type_word(in->type),
                      type_word(to->type))); /* returned below */
    if (to->type == TYPE_BLOB)
        dn_err_hint(err, "Write bytes as 0x… .");
    else if (to->type == TYPE_BOOLEAN)
        dn_err_hint(err, "Write true or false.");
    return DN_E_DATATYPE_MISMATCH;
}

static int
assign_int(const struct plan_target *to, int64_t value, struct datum *ret, struct dn_err *err)
{
    if (value < bind_int_min(to->type) || value > bind_int_max(to->type))
        return DN_FAIL(err,
                       DN_E_OUT_OF_RANGE,
                       "%" PRId64 " is out of range for %s",
                       value,
                       type_word(to->type));
    ret->v.i64 = value;
    return 0;
}

static int assign_numeric(const struct datum *in, struct datum *ret, struct dn_err *err)
{
    if (type_is_int(in->type))
        ret->num = num_from_i64(in->v.i64);
    else if (in->type == TYPE_NUMERIC)
        ret->num = in->num;
    else
        return num_from_f64(in->v.f64, in->type == TYPE_REAL ? 6 : 15, &ret->num, err);
    return 0;
}

static int
assign_float(const struct plan_target *to, double value, struct datum *ret, struct dn_err *err)
{
    if (isnan(value) || isinf(value))
        return DN_FAIL(
            err, DN_E_NOT_A_NUMBER, "%s cannot be stored", isnan(value) ? "NaN" : "infinity");
    if (to->type == TYPE_REAL) {
        if (fabs(value) > 0x1.fffffefffffffp127) /* rounds to infinity */
            return DN_FAIL(err, DN_E_OUT_OF_RANGE, "%.17g is out of range for real", value);
        value = (double)(float)value;
    }
    ret->v.f64 = value;
    return 0;
}

static int assign_too_fine(const struct plan_target *to, struct dn_err *err)
{
    int digits = to->mods.count ? to->mods.v[0] : to->type == TYPE_TIMESTAMP ? 3 : 6;

    DN_IGNORE(DN_FAIL(err,
                      DN_E_DATETIME_RANGE,
                      "the time is finer than a key column of type %s keeps",
                      to->mods.count ? "timestamp" : type_word(to->type))); /* returned below */
    dn_err_hint(err, "Rounding would merge rows; give %d digits of a second at most.", digits);
    return DN_E_DATETIME_RANGE;
}

static int assign_time(const struct plan_target *to,
                       int64_t seconds,
                       int32_t ns,
                       struct datum *ret,
                       struct dn_err *err)
{
    bool exact;
    int rc = text_time_to_type(seconds, ns, to->type, true, &ret->v.i64, &exact, err);

    if (rc < 0)
        return rc;
    return to->exact && !exact ? assign_too_fine(to, err) : 0;
}

static int assign_time_from(const struct plan_target *to,
                            const struct datum *in,
                            struct datum *ret,
                            struct dn_err *err)
{
    int64_t per = type_ts_per_second(in->type);
    int64_t seconds = in->v.i64 / per - (in->v.i64 % per < 0);
    int64_t rest = in->v.i64 % per;

    if (in->v.i64 == INT64_MAX || in->v.i64 == INT64_MIN) { /* infinite */
        ret->v.i64 = in->v.i64;
        return 0;
    }
    if (rest < 0)
        rest += per;
    return assign_time(to, seconds, (int32_t)(rest * (1000000000 / per)), ret, err);
}

/* By the cast there is. */
static int assign_cast(const struct plan_target *to,
                       const struct datum *in,
                       struct arena *arena,
                       struct datum *ret,
                       struct dn_err *err)
{
    struct bexpr value = {.kind = BEXPR_CONST, .type = in->type, .value = *in};
    struct bexpr *args[1] = {&value};
    struct bexpr call = {.kind = BEXPR_CALL,
                         .type = to->type,
                         .func = func_cast(in->type, to->type, false),
                         .args = args,
                         .args_count = 1};
    struct eval ev = {.arena = arena, .session = to->session};

    return expr_eval_datum(&call, &ev, ret, err);
}

/* A time without a zone: the instant at which clocks of the session show it. */
static int assign_local(const struct plan_target *to,
                        const struct datum *in,
                        struct arena *arena,
                        struct datum *ret,
                        struct dn_err *err)
{
    struct plan_target us = {.type = TYPE_TIMESTAMP_US, .session = to->session};
    struct datum instant;
    int rc = assign_cast(&us, in, arena, &instant, err);

    return rc < 0 ? rc : assign_time_from(to, &instant, ret, err);
}

static int assign_text(const struct plan_target *to,
                       const struct datum *in,
                       struct arena *arena,
                       struct datum *ret,
                       struct dn_err *err)
{
    int64_t seconds;
    int32_t ns;
    int rc;

    if (type_is_timestamp(to->type)) {
        rc = text_parse_time_in(to->session, false, in->str, &seconds, &ns, err);
        return rc < 0 ? rc : assign_time(to, seconds, ns, ret, err);
    }
    if (to->type == TYPE_VARCHAR) { /* no copy: the buffer it goes to makes one */
        if (!text_value_valid(in->str.ptr, in->str.len))
            return DN_FAIL(err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
        ret->str = in->str;
        return 0;
    }
    if (to->type == TYPE_INTERVAL && to->mods.count > 1)
        return text_parse_interval_fields(in->str, to->mods.v[1], &ret->iv, err);
    rc = text_parse_in(to->session, to->type, in->str, arena, ret, err);
    if (rc < 0)
        return rc;
    if (type_is_float(to->type))
        return assign_float(to, ret->v.f64, ret, err);
    return 0;
}

bool plan_assignable(enum type_id to, enum type_id from)
{
    if (to == from)
        return true;
    if (type_is_number(to))
        return type_is_number(from);
    return func_cast_level(from, to) <= FUNC_CAST_ASSIGN;
}

/* A number with a fraction, or a larger one, to an integer: rounded as a cast does. */
static int assign_round(const struct plan_target *to,
                        const struct datum *in,
                        struct arena *arena,
                        struct datum *ret,
                        struct dn_err *err)
{
    struct buf b;
    int rc = assign_cast(to, in, arena, ret, err);

    if (rc != DN_E_OUT_OF_RANGE)
        return rc;
    buf_init(&b, NULL);
    text_print(in, &b);
    buf_u8(&b, 0);
    rc = DN_FAIL(err,
                 DN_E_OUT_OF_RANGE,
                 "%.60s is out of range for %s",
                 b.failed ? "the number" : (const char *)b.data,
                 type_word(to->type));
    buf_done(&b);
    return rc;
}

/* CHAR, whose blanks are not kept. */
static bool assign_is_padded(enum type_id type)
{
    return type == TYPE_BPCHAR || type == type_array_of(TYPE_BPCHAR);
}

int plan_assign(const struct plan_target *to,
                const struct datum *in,
                bool untyped,
                struct arena *arena,
                struct datum *ret,
                struct dn_err *err)
{
    static const struct type_mods any = {.count = 1, .v = {TYPE_CHARS_MAX}};
    struct datum out = {.type = to->type, .null = in->null};
    struct plan_target loose;
    int64_t time;
    int rc = 0;

    if (in->null) {
        *ret = out;
        return 0;
    }
    if (to->exact && untyped && plan_text_is_clock(in)) {
        loose = *to;
        loose.exact = false;
        to = &loose;
    }
    if (untyped || (in->type == TYPE_VARCHAR && to->type == TYPE_VARCHAR))
        rc = assign_text(to, in, arena, &out, err);
    else if (type_is_int(to->type) && type_is_int(in->type))
        rc = assign_int(to, in->v.i64, &out, err);
    else if (type_is_int(to->type) && type_is_number(in->type))
        rc = assign_round(to, in, arena, &out, err);
    else if (type_is_float(to->type) && in->type == TYPE_NUMERIC)
        rc = assign_float(to, num_to_f64(in->num), &out, err);
    else if (type_is_float(to->type) && type_is_number(in->type))
        rc = assign_float(to, type_is_int(in->type) ? (double)in->v.i64 : in->v.f64, &out, err);
    else if (to->type == TYPE_NUMERIC && type_is_number(in->type))
        rc = assign_numeric(in, &out, err);
    else if (type_is_timestamp(to->type) && type_is_int(in->type))
        out.v.i64 = in->v.i64;
    else if (type_is_timestamp(to->type) && type_is_timestamp(in->type))
        rc = assign_time_from(to, in, &out, err);
    else if (type_is_timestamp(to->type) && in->type == TYPE_TIMESTAMP_LOCAL)
        rc = assign_local(to, in, arena, &out, err);
    else if (to->type == in->type)
        out = *in;
    else if (plan_assignable(to->type, in->type))
        rc = assign_cast(to, in, arena, &out, err);
    else
        rc = assign_mismatch(to, in, err);
    time = out.v.i64;
    if (rc == 0 && (to->mods.count > 0 || assign_is_padded(to->type)))
        rc = func_fit(to->mods.count > 0 ? &to->mods : &any, false, arena, &out, err);
    if (rc == 0 && to->exact && type_is_timestamp(to->type) && time != out.v.i64)
        rc = assign_too_fine(to, err);
    if (rc == 0 && to->key && !datum_key_form(&to->mods, &out))
        rc = DN_FAIL(err, DN_E_DATETIME_RANGE, "interval out of range");
    if (rc < 0)
        return rc;
    *ret = out;
    return 0;
}
