/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_compare.c: comparisons that stay exact.
 *
 * A column (or any expression) of an integer or time stamp type T is compared with a constant that
 * may be finer than T (a time with more digits, 1.5) or beyond its range. Casting the column up
 * would be inexact for big values, might overflow, and hides the column from pruning; so the
 * constant is brought down to T instead, with the comparison changed to mean the same. With f the
 * greatest value of T that is <= c, and c itself not in T:
 *
 *     x <  c, x <= c   is   x <= f          x = c    is   x < min(T)    (never, but NULL for NULL)
 *     x >  c, x >= c   is   x >  f          x <> c   is   x >= min(T)   (always, but NULL for NULL)
 *
 * A constant below min(T) has no f: x <= f is never true and x > f always. A DATE is the midnight
 * of UTC that it begins with, so a time stamp is brought down to the day that it is in. A column
 * that was cast to a wider type of its kind (an integer to BIGINT, a DATE to TIMESTAMP) is compared
 * as it is. */
#include "plan/bind_rows.h"

#include "func/num.h"
#include "func/text.h"

#include <math.h>

/* A constant brought down to an integer or time stamp type. */
struct bind_floor {
    int64_t value; /* f */
    bool exact;    /* the constant is f itself */
    bool below;    /* less than every value of the type; value is not set */
};

enum expr_op bind_op_flip(enum expr_op op)
{
    return op == OP_LT   ? OP_GT
           : op == OP_LE ? OP_GE
           : op == OP_GT ? OP_LT
           : op == OP_GE ? OP_LE
                         : op;
}

enum expr_op bind_op_negate(enum expr_op op)
{
    switch ((int)op) {
    case OP_EQ:
        return OP_NE;
    case OP_NE:
        return OP_EQ;
    case OP_LT:
        return OP_GE;
    case OP_LE:
        return OP_GT;
    case OP_GT:
        return OP_LE;
    default:
        return OP_LT;
    }
}

enum expr_op bind_op_of(const struct bexpr *e)
{
    if (e->kind != BEXPR_CALL || !(e->func->flags & FUNC_OPERATOR) || e->args_count != 2)
        return OP_MAX;
    for (enum expr_op op = OP_EQ; op <= OP_GE; op++) {
        if (strcmp(e->func->name, bind_op_name(op)) == 0)
            return op;
    }
    return OP_MAX;
}

int64_t bind_int_min(enum type_id type)
{
    return type == TYPE_SMALLINT                       ? INT16_MIN
           : type == TYPE_INTEGER || type == TYPE_DATE ? INT32_MIN
                                                       : INT64_MIN;
}

int64_t bind_int_max(enum type_id type)
{
    return type == TYPE_SMALLINT                       ? INT16_MAX
           : type == TYPE_INTEGER || type == TYPE_DATE ? INT32_MAX
                                                       : INT64_MAX;
}

static struct bind_floor bind_floor_int(enum type_id type, int64_t c)
{
    struct bind_floor f = {.value = c, .exact = true};

    if (c < bind_int_min(type)) {
        f.below = true;
        f.exact = false;
    } else if (c > bind_int_max(type)) {
        f.value = bind_int_max(type);
        f.exact = false;
    }
    return f;
}

/* c is finite. */
static struct bind_floor bind_floor_numeric(enum type_id type, struct vnumeric c)
{
    struct bind_floor f = {.below = false};
    struct dn_err ignored;
    struct vnumeric down;
    vnumeric_i128 v;

    if (num_round(c, 0, NUM_DOWN, &down, &ignored) < 0) { /* 38 nines and a fraction */
        f.below = num_sign(c) < 0;
        f.value = bind_int_max(type);
        return f;
    }
    v = vnumeric_coef(down);
    if (v < INT64_MIN || v > INT64_MAX) {
        f.below = v < 0;
        f.value = bind_int_max(type);
        return f;
    }
    f = bind_floor_int(type, (int64_t)v);
    if (vnumeric_cmp(down, c) < 0)
        f.exact = false;
    return f;
}

/* c is not NaN. */
static struct bind_floor bind_floor_double(enum type_id type, double c)
{
    struct bind_floor f = {.below = false};
    double down = floor(c);

    if (down < -9223372036854775808.0) {
        f.below = true;
        return f;
    }
    if (down >= 9223372036854775808.0) {
        f.value = bind_int_max(type);
        return f;
    }
    f = bind_floor_int(type, (int64_t)down);
    if (down < c)
        f.exact = false;
    return f;
}

static int bind_floor_time(
    enum type_id type, int64_t seconds, int32_t ns, struct bind_floor *ret, struct dn_err *err)
{
    struct bind_floor f = {.below = false};
    struct dn_err local;
    int rc = text_time_to_type(seconds, ns, type, false, &f.value, &f.exact, &local);

    if (rc == DN_E_DATETIME_RANGE) {
        /* Between the infinite times and those the column can hold. */
        f.exact = false;
        f.value = seconds < 0 ? INT64_MIN : INT64_MAX - 1;
    } else if (rc < 0) {
        if (err)
            *err = local;
        return rc;
    }
    *ret = f;
    return 0;
}

static bool bind_is_instant(enum type_id type)
{
    return type_is_timestamp(type) || type == TYPE_TIMESTAMPTZ;
}

/* The day of an instant, of UTC as the cast of a DATE to a time stamp has it. */
static struct bind_floor bind_floor_date(enum type_id type, int64_t c)
{
    struct bind_floor f = {.exact = true};
    int64_t day = type_ts_per_second(type) * 86400;
    int64_t days = c / day - (c % day < 0);

    if (c == INT64_MAX || c == INT64_MIN) { /* infinite, as the least and the greatest DATE */
        f.value = c == INT64_MAX ? INT32_MAX : INT32_MIN;
        return f;
    }
    f.exact = c % day == 0;
    f.value = days;
    if (days >= INT32_MAX || days <= INT32_MIN) { /* between the infinite days and the others */
        f.exact = false;
        f.value = days < 0 ? INT32_MIN : INT32_MAX - 1;
    }
    return f;
}

/* 1: c cannot be brought down to the type. */
static int bind_floor_const(const struct func_session *session,
                            enum type_id type,
                            const struct bexpr *c,
                            struct bind_floor *ret,
                            struct dn_err *err)
{
    const struct datum *d = &c->value;
    int64_t seconds, per;
    int32_t ns;
    int rc;

    if (!d->null && type == TYPE_DATE && type_is_timestamp(c->type)) {
        *ret = bind_floor_date(c->type, d->v.i64);
        return 0;
    }
    if (d->null || (!type_is_int(type) && !bind_is_instant(type)))
        return 1;
    if (type == TYPE_TIMESTAMPTZ && !bind_is_instant(c->type))
        return 1;
    if (type_is_int(c->type)) { /* against a time: in its unit */
        *ret = bind_floor_int(type, d->v.i64);
        return 0;
    }
    if (type_is_float(c->type) && !isnan(d->v.f64)) {
        *ret = bind_floor_double(type, d->v.f64);
        return 0;
    }
    if (c->type == TYPE_NUMERIC && !d->num.special) {
        *ret = bind_floor_numeric(type, d->num);
        return 0;
    }
    if (!bind_is_instant(type))
        return 1;
    if (c->type == TYPE_DATE && d->v.i64 != INT32_MAX && d->v.i64 != INT32_MIN)
        return bind_floor_time(type, d->v.i64 * 86400, 0, ret, err);
    if (bind_untyped_text(c)) {
        rc = text_parse_time_in(session, false, d->str, &seconds, &ns, err);
        if (rc < 0) {
            dn_err_at(err, c->pos);
            return rc;
        }
        return bind_floor_time(type, seconds, ns, ret, err);
    }
    if (!bind_is_instant(c->type))
        return 1;
    if (d->v.i64 == INT64_MAX || d->v.i64 == INT64_MIN) { /* infinite in every unit */
        *ret = (struct bind_floor){.value = d->v.i64, .exact = true};
        return 0;
    }
    per = type_ts_per_second(c->type);
    seconds = d->v.i64 / per;
    if (d->v.i64 % per < 0)
        seconds--;
    ns = (int32_t)((d->v.i64 - seconds * per) * (1000000000 / per));
    return bind_floor_time(type, seconds, ns, ret, err);
}

/* What x op c means in terms of f. */
static enum expr_op
bind_floor_op(enum expr_op op, struct bind_floor f, enum type_id type, int64_t *ret_value)
{
    *ret_value = f.value;
    if (f.exact)
        return op;
    if (op == OP_EQ || (f.below && (op == OP_LT || op == OP_LE))) {
        *ret_value = bind_int_min(type);
        return OP_LT;
    }
    if (op == OP_NE || f.below) {
        *ret_value = bind_int_min(type);
        return OP_GE;
    }
    return op == OP_LT || op == OP_LE ? OP_LE : OP_GT;
}

bool bind_bring_down(enum type_id type, struct datum *d, enum expr_op *op)
{
    const struct bexpr c = {.kind = BEXPR_CONST, .type = d->type, .value = *d};
    struct bind_floor f;

    if (bind_floor_const(NULL, type, &c, &f, NULL) != 0)
        return false;
    *op = bind_floor_op(*op, f, type, &d->v.i64);
    d->type = type;
    return true;
}

static int bind_compare_call(struct binder *b,
                             enum expr_op op,
                             uint32_t pos,
                             struct bexpr *l,
                             struct bexpr *r,
                             struct bexpr **ret,
                             struct dn_err *err)
{
    struct bexpr *args[2] = {l, r};

    return bind_call(b, bind_op_name(op), pos, args, 2, ret, err);
}

/* A number that a REAL holds exactly needs no cast of the column. */
static bool bind_fits_real(const struct bexpr *c, double *ret)
{
    if (c->kind != BEXPR_CONST || c->value.null || !type_is_number(c->type))
        return false;
    *ret = type_is_int(c->type)      ? (double)c->value.v.i64
           : c->type == TYPE_NUMERIC ? num_to_f64(c->value.num)
                                     : c->value.v.f64;
    if (type_is_int(c->type) && (c->value.v.i64 > 1 << 24 || c->value.v.i64 < -(1 << 24)))
        return false;
    return !isnan(*ret) && fabs(*ret) <= 3.4028234663852886e38 && (double)(float)*ret == *ret;
}

/* What was cast to a wider type of its kind, in which each value is itself: that which was cast. */
static struct bexpr *bind_uncast(struct bexpr *x)
{
    struct bexpr *in;

    if (x->kind != BEXPR_CALL || strcmp(x->func->name, "cast") != 0 || x->args_count != 1)
        return x;
    in = x->args[0];
    if ((type_is_int(in->type) && type_is_int(x->type) &&
         bind_int_max(in->type) <= bind_int_max(x->type)) ||
        (in->type == TYPE_DATE && type_is_timestamp(x->type)))
        return bind_uncast(in);
    return x;
}

/* x op c, where x is no constant. 1: no special form. */
static int bind_compare_const(struct binder *b,
                              enum expr_op op,
                              uint32_t pos,
                              struct bexpr *x,
                              struct bexpr *c,
                              struct bexpr **ret,
                              struct dn_err *err)
{
    struct datum d = {.type = x->type};
    struct bind_floor f;
    struct bexpr *low;
    int rc;

    if (x->type == TYPE_REAL && bind_fits_real(c, &d.v.f64)) {
        rc = bind_const(b, &d, c->pos, &low, err);
    } else {
        rc = bind_floor_const(b->env->session, x->type, c, &f, err);
        if (rc != 0)
            return rc;
        op = bind_floor_op(op, f, x->type, &d.v.i64);
        rc = bind_const(b, &d, c->pos, &low, err);
    }
    return rc < 0 ? rc : bind_compare_call(b, op, pos, x, low, ret, err);
}

/* Types of both sides settled: untyped ones take the other's type; integers beside times are times.
 */
static int
bind_compare_types(struct binder *b, struct bexpr **l, struct bexpr **r, struct dn_err *err)
{
    struct bexpr **none = (*l)->type == TYPE_NONE ? l : r;
    struct bexpr **other = none == l ? r : l;
    int rc;

    if ((*none)->type == TYPE_NONE) {
        if ((*other)->type == TYPE_NONE) {
            rc = bind_coerce(b, *other, TYPE_VARCHAR, false, other, err);
            if (rc < 0)
                return rc;
        }
        return bind_coerce(b, *none, (*other)->type, false, none, err);
    }
    if (type_is_timestamp((*l)->type) && type_is_int((*r)->type))
        return bind_coerce(b, *r, (*l)->type, true, r, err);
    if (type_is_timestamp((*r)->type) && type_is_int((*l)->type))
        return bind_coerce(b, *l, (*r)->type, true, l, err);
    return 0;
}

/* A parameter of a given type beside a column of nearly that type is made one of the column's, as
 * if nobody had given it one: a column that is cast could not be searched. What does not fit is
 * found when its value is there (engine/select.c). Only where it is met for the first time. */
static void bind_settle_param(struct binder *b, struct bexpr *p, const struct bexpr *x)
{
    bool near = (type_is_int(p->type) && type_is_int(x->type)) ||
                (bind_is_instant(p->type) && bind_is_instant(x->type));

    /* Values of subqueries are parameters too, behind those of the statement. */
    if (p->kind != BEXPR_PARAM || p->param > b->params_count || x->kind != BEXPR_COLUMN || !near ||
        b->param_uses[p->param - 1] != 1 || b->param_types[p->param - 1] != p->type)
        return;
    p->type = x->type;
    b->param_types[p->param - 1] = x->type;
}

/* A time without a zone beside an instant is one, by the clocks of the session: brought to one
 * here, it does not hide a column from pruning. A literal beside it is without a zone, too. */
static int
bind_compare_local(struct binder *b, struct bexpr **l, struct bexpr **r, struct dn_err *err)
{
    struct bexpr *both[2] = {*l, *r};
    int rc = bind_local_literals(b, both, 2, err);

    for (int i = 0; i < 2 && rc == 0; i++)
        if (both[i]->type == TYPE_TIMESTAMP_LOCAL && bind_is_instant(both[1 - i]->type))
            rc = bind_coerce(b,
                             both[i],
                             both[1 - i]->type == TYPE_TIMESTAMPTZ ? TYPE_TIMESTAMPTZ
                                                                   : TYPE_TIMESTAMP_US,
                             false,
                             &both[i],
                             err);
    *l = both[0];
    *r = both[1];
    return rc;
}

int bind_compare(struct binder *b,
                 enum expr_op op,
                 uint32_t pos,
                 struct bexpr *l,
                 struct bexpr *r,
                 struct bexpr **ret,
                 struct dn_err *err)
{
    int rc = bind_row_only_same(op, pos, l, r, err);

    if (rc < 0)
        return rc;
    rc = bind_compare_local(b, &l, &r, err);
    if (rc < 0)
        return rc;
    if (l->kind == BEXPR_CONST && r->kind != BEXPR_CONST) {
        struct bexpr *x = l;

        l = r;
        r = x;
        op = bind_op_flip(op);
    }
    if (l->kind != BEXPR_CONST && r->kind == BEXPR_CONST) {
        struct bexpr *in = bind_uncast(l);

        rc = bind_compare_const(b, op, pos, in, r, ret, err);
        if (rc == 1 && in != l)
            rc = bind_compare_const(b, op, pos, l, r, ret, err);
        if (rc != 1)
            return rc;
    }
    bind_settle_param(b, l, r);
    bind_settle_param(b, r, l);
    rc = bind_compare_types(b, &l, &r, err);
    return rc < 0 ? rc : bind_compare_call(b, op, pos, l, r, ret, err);
}

/* ---- IN ---- */

/* An element of the list as a constant or parameter of x's type. 1: not possible. 2: it can never
 * be equal. */
static int bind_in_element(
    struct binder *b, struct bexpr *x, struct bexpr *e, struct bexpr **ret, struct dn_err *err)
{
    struct datum d = {.type = x->type};
    struct bind_floor f;
    int rc;

    if (e->kind != BEXPR_CONST && e->kind != BEXPR_PARAM)
        return 1;
    if (e->kind == BEXPR_CONST && x->type == TYPE_REAL && bind_fits_real(e, &d.v.f64))
        return bind_const(b, &d, e->pos, ret, err);
    if (e->kind == BEXPR_CONST) {
        rc = bind_floor_const(b->env->session, x->type, e, &f, err);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            if (!f.exact)
                return 2;
            d.v.i64 = f.value;
            return bind_const(b, &d, e->pos, ret, err);
        }
    }
    if (e->type == TYPE_NONE || e->type == x->type)
        return bind_coerce(b, e, x->type, false, ret, err);
    if (e->kind == BEXPR_CONST && x->type == TYPE_DOUBLE && type_is_number(e->type))
        return bind_coerce(b, e, x->type, false, ret, err);
    return 1;
}

/* x = a OR x = b …, for lists that are not all constants of one type. */
static int bind_in_chain(struct binder *b,
                         const struct expr *e,
                         struct bexpr *x,
                         struct bexpr **items,
                         struct bexpr **ret,
                         struct dn_err *err)
{
    int rc;

    for (uint32_t i = 0; i < e->args_count; i++) {
        rc = bind_compare(b, e->negated ? OP_NE : OP_EQ, e->pos, x, items[i], &items[i], err);
        if (rc < 0)
            return rc;
    }
    return bind_chain(b, e->negated ? BEXPR_AND : BEXPR_OR, e->pos, items, e->args_count, ret, err);
}

int bind_in(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr **items = arena_alloc_array(b->env->arena, e->args_count + 1, sizeof(*items));
    struct bexpr *out = bind_new(b, BEXPR_IN, TYPE_BOOLEAN, e->pos);
    struct bexpr *x;
    uint32_t n = 1;
    int rc;

    if (!items || !out)
        return DN_FAIL_NOMEM(err);
    rc = bind_expr(b, e->a, &x, err);
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++)
        rc = bind_expr(b, e->args[i], &items[i], err);
    if (rc < 0)
        return rc;
    if (x->type == TYPE_NONE || type_is_wide(x->type) || type_is_array(x->type) ||
        !bind_has_columns(x))
        return bind_in_chain(b, e, x, items, ret, err);
    out->args = arena_alloc_array(b->env->arena, e->args_count + 1, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    out->args[0] = x;
    out->negated = e->negated;
    for (uint32_t i = 0; i < e->args_count; i++) {
        rc = bind_in_element(b, x, items[i], &out->args[n], err);
        if (rc < 0)
            return rc;
        if (rc == 1)
            return bind_in_chain(b, e, x, items, ret, err);
        if (rc == 0)
            n++;
    }
    if (n == 1) /* all of them impossible: a comparison that says so, and NULL for NULL */
        return bind_in_chain(b, e, x, items, ret, err);
    out->args_count = n;
    *ret = out;
    return 0;
}
