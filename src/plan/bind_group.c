/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_group.c: aggregate calls, and expressions over the result of an aggregation. */
#include "plan/bind.h"

static bool bind_same_value(const struct datum *a, const struct datum *b)
{
    if (a->type != b->type || a->null != b->null)
        return false;
    if (a->null)
        return true;
    if (type_is_string(a->type))
        return vstr_cmp(a->str, b->str) == 0;
    if (a->type == TYPE_INTERVAL) /* 30 days equal a month, but are not the same */
        return a->iv.us == b->iv.us && a->iv.days == b->iv.days && a->iv.months == b->iv.months;
    return memcmp(&a->v, &b->v, sizeof(a->v)) ==
           0; /* bits: 0.0 and -0.0 are not the same constant */
}

bool bind_same(const struct bexpr *a, const struct bexpr *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->type != b->type || a->args_count != b->args_count ||
        a->func != b->func || a->col != b->col || a->param != b->param || a->negated != b->negated)
        return false;
    if (a->kind == BEXPR_CONST && !bind_same_value(&a->value, &b->value))
        return false;
    for (uint32_t i = 0; i < a->args_count; i++) {
        if (!bind_same(a->args[i], b->args[i]))
            return false;
    }
    return true;
}

static bool bind_same_arg(const struct bexpr *a, const struct bexpr *b)
{
    return a == b || (a && b && bind_same(a, b));
}

static int
bind_agg_add(struct binder *b, const struct plan_agg *agg, uint32_t *ret, struct dn_err *err)
{
    for (uint32_t i = 0; i < b->aggs_count; i++) {
        const struct plan_agg *a = &b->aggs[i];

        if (a->agg == agg->agg && a->distinct == agg->distinct && bind_same_arg(a->arg, agg->arg) &&
            bind_same_arg(a->arg2, agg->arg2)) {
            *ret = i;
            return 0;
        }
    }
    if (b->aggs_count == b->aggs_cap) {
        uint32_t cap = b->aggs_cap ? 2 * b->aggs_cap : 8;
        struct plan_agg *more = arena_alloc_array(b->env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (b->aggs_count)
            memcpy(more, b->aggs, b->aggs_count * sizeof(*more));
        b->aggs = more;
        b->aggs_cap = cap;
    }
    b->aggs[b->aggs_count] = *agg;
    *ret = b->aggs_count++;
    return 0;
}

static int
bind_agg_check(const struct binder *b, const struct expr *e, bool timed, struct dn_err *err)
{
    int rc = 0;

    if (b->in_agg)
        rc = DN_FAIL(err, DN_E_GROUPING, "%s: aggregate functions cannot be nested", e->name);
    else if (!b->aggs_allowed)
        rc = DN_FAIL(err,
                     DN_E_GROUPING,
                     "aggregate function %s is not allowed in %s",
                     e->name,
                     b->clause ? b->clause : "this place");
    else if (!e->star && e->args_count != 1 && !(timed && e->args_count == 2))
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_FUNCTION,
                     "aggregate function %s takes one argument%s, not %u",
                     e->name,
                     timed ? " or two" : "",
                     e->args_count);
    else if (e->star && e->distinct)
        rc = DN_FAIL(err, DN_E_SYNTAX, "DISTINCT needs an expression to look at, not *");
    if (rc < 0) {
        if (rc == DN_E_GROUPING && b->clause && strcmp(b->clause, "WHERE") == 0)
            dn_err_hint(err, "Conditions on aggregates go into HAVING.");
        dn_err_at(err, e->pos);
    }
    return rc;
}

/* first and last, which go by a time. */
static bool bind_agg_timed(const char *name)
{
    const struct agg *a;

    for (uint32_t i = 0; (a = agg_at(i)); i++) {
        if (a->arg2 != TYPE_NONE && strcmp(a->name, name) == 0)
            return true;
    }
    return false;
}

/* The time that goes with the value: the second argument, or the table's time column. */
static int
bind_agg_time(struct binder *b, const struct expr *e, struct plan_agg *agg, struct dn_err *err)
{
    const struct table *t = b->table;
    int rc;

    if (e->args_count == 2) {
        rc = bind_expr(b, e->args[1], &agg->arg2, err);
        if (rc == 0 && agg->arg2->type == TYPE_NONE)
            rc = bind_coerce(b, agg->arg2, TYPE_TIMESTAMP_US, false, &agg->arg2, err);
        return rc;
    }
    if (!t || t->time_col < 0) {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_UNDEFINED_FUNCTION,
                          "%s(x) goes by the time column of the table, and there is none",
                          e->name)); /* returned below */
        dn_err_hint(err, "Say by which time: %s(x, t).", e->name);
        dn_err_at(err, e->pos);
        return DN_E_UNDEFINED_FUNCTION;
    }
    agg->arg2 = bind_new(b, BEXPR_COLUMN, t->columns[t->time_col].type, e->pos);
    if (!agg->arg2)
        return DN_FAIL_NOMEM(err);
    agg->arg2->col = bind_scan_col(b, (uint16_t)t->time_col);
    return 0;
}

/* f(x) FILTER (WHERE c) is f(CASE WHEN c THEN x END), as no aggregate counts NULLs; count(*) counts
 * something that is not NULL. */
static int
bind_agg_filter(struct binder *b, const struct expr *e, struct plan_agg *agg, struct dn_err *err)
{
    struct datum yes = {.type = TYPE_BOOLEAN, .v = {.i64 = 1}};
    struct bexpr *cond;
    int rc = bind_bool(b, e->a, &cond, err);

    if (rc == 0 && e->star)
        rc = bind_const(b, &yes, e->pos, &agg->arg, err);
    return rc < 0 ? rc : bind_when(b, cond, agg->arg, &agg->arg, err);
}

/* The arguments, over the scan. */
static int bind_agg_args(
    struct binder *b, const struct expr *e, bool timed, struct plan_agg *agg, struct dn_err *err)
{
    int rc = 0;

    b->in_agg = true;
    if (!e->star)
        rc = bind_expr(b, e->args[0], &agg->arg, err);
    if (rc == 0 && !e->star)
        rc = bind_settle(b, agg->arg, &agg->arg, err);
    if (rc == 0 && timed)
        rc = bind_agg_time(b, e, agg, err);
    if (rc == 0 && e->a)
        rc = bind_agg_filter(b, e, agg, err);
    b->in_agg = false;
    return rc;
}

int bind_aggregate(struct binder *b,
                   const struct expr *e,
                   const char *name,
                   struct bexpr **ret,
                   struct dn_err *err)
{
    struct plan_agg agg = {.distinct = e->distinct, .pos = e->pos};
    bool timed = bind_agg_timed(name);
    struct bexpr *out;
    uint32_t n;
    int rc = bind_agg_check(b, e, timed, err);

    if (rc == 0)
        rc = bind_agg_args(b, e, timed, &agg, err);
    if (rc < 0)
        return rc;
    if (agg.arg2)
        agg.agg = agg_find_pair(name, agg.arg->type, agg.arg2->type, e->pos, err);
    else
        agg.agg = agg_find(name, !agg.arg, agg.arg ? agg.arg->type : TYPE_NONE, e->pos, err);
    if (!agg.agg)
        return err ? err->code : DN_E_UNDEFINED_FUNCTION;
    if (agg.arg && agg.agg->arg != TYPE_NONE) {
        rc = bind_coerce(b, agg.arg, agg.agg->arg, true, &agg.arg, err);
        if (rc < 0)
            return rc;
    }
    rc = bind_agg_add(b, &agg, &n, err);
    if (rc < 0)
        return rc;
    out = bind_new(b, BEXPR_COLUMN, agg.agg->result, e->pos);
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->col = BIND_AGG_BASE + n;
    *ret = out;
    return 0;
}

/* ---- over the aggregate's output ---- */

static int bind_lift_column(struct binder *b,
                            uint32_t col,
                            enum type_id type,
                            uint32_t pos,
                            struct bexpr **ret,
                            struct dn_err *err)
{
    struct bexpr *out = bind_new(b, BEXPR_COLUMN, type, pos);

    if (!out)
        return DN_FAIL_NOMEM(err);
    out->col = col;
    *ret = out;
    return 0;
}

int bind_lift(struct binder *b,
              struct bexpr *e,
              struct bexpr *const *keys,
              uint32_t keys_count,
              struct bexpr **ret,
              struct dn_err *err)
{
    struct bexpr *out;
    int rc;

    if (e->kind == BEXPR_CONST || e->kind == BEXPR_PARAM) {
        *ret = e;
        return 0;
    }
    for (uint32_t i = 0; i < keys_count; i++) {
        if (bind_same(e, keys[i]))
            return bind_lift_column(b, i, e->type, e->pos, ret, err);
    }
    if (e->kind == BEXPR_COLUMN && e->col >= BIND_AGG_BASE)
        return bind_lift_column(
            b, keys_count + (e->col - BIND_AGG_BASE), e->type, e->pos, ret, err);
    if (e->kind == BEXPR_COLUMN) {
        rc = DN_FAIL(err,
                     DN_E_GROUPING,
                     "column \"%s\" must be in GROUP BY or inside an aggregate function",
                     b->table->columns[b->scan_cols[e->col]].name);
        dn_err_at(err, e->pos);
        return rc;
    }
    out = arena_dup(b->env->arena, e, sizeof(*e));
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->args = arena_alloc_array(b->env->arena, e->args_count + 1, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < e->args_count; i++) {
        rc = bind_lift(b, e->args[i], keys, keys_count, &out->args[i], err);
        if (rc < 0)
            return rc;
    }
    *ret = out;
    return 0;
}
