/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_group.c: aggregate calls. */
#include "plan/decimal.h"
#include "plan/select_rows.h"

#include "base/text.h"
#include "func/agg_within.h"

static bool bind_same_value(const struct datum *a, const struct datum *b)
{
    if (a->type != b->type || a->null != b->null)
        return false;
    if (a->null)
        return true;
    switch (type_phys(a->type)) {
    case PHYS_STR:
        return vstr_cmp(a->str, b->str) == 0;
    case PHYS_INTERVAL: /* 30 days equal a month, but are not the same */
        return a->iv.us == b->iv.us && a->iv.days == b->iv.days && a->iv.months == b->iv.months;
    case PHYS_NUMERIC: /* nor are 1.0 and 1.00 */
        return memcmp(&a->num, &b->num, sizeof(a->num)) == 0;
    case PHYS_I8:
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_MAX:
        break;
    }
    return memcmp(&a->v, &b->v, sizeof(a->v)) == 0; /* bits: nor are 0.0 and -0.0 */
}

bool bind_same(const struct bexpr *a, const struct bexpr *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->type != b->type || a->args_count != b->args_count ||
        a->func != b->func || a->col != b->col || a->param != b->param ||
        a->negated != b->negated || (a->chars < 0) != (b->chars < 0))
        return false;
    if (a->kind == BEXPR_CONST && (a->chars != b->chars || !bind_same_value(&a->value, &b->value)))
        return false;
    for (uint32_t i = 0; i < a->args_count; i++) {
        if (!bind_same(a->args[i], b->args[i]))
            return false;
    }
    return true;
}

bool bind_same_arg(const struct bexpr *a, const struct bexpr *b)
{
    return a == b || (a && b && bind_same(a, b));
}

bool bind_same_agg(const struct plan_agg *a, const struct plan_agg *b)
{
    if (a->agg != b->agg || a->distinct != b->distinct || a->order_count != b->order_count ||
        !bind_same_arg(a->arg, b->arg) || !bind_same_arg(a->arg2, b->arg2))
        return false;
    for (uint32_t i = 0; i < a->order_count; i++) {
        if (!bind_same(a->order[i].e, b->order[i].e) || a->order[i].desc != b->order[i].desc ||
            a->order[i].nulls_first != b->order[i].nulls_first)
            return false;
    }
    return true;
}

static int bind_agg_add(
    struct binder *b, struct sel *s, const struct plan_agg *agg, uint32_t *ret, struct dn_err *err)
{
    struct lagg *a;

    for (uint32_t i = 0; i < s->aggs_count; i++) {
        if (bind_same_agg(&s->aggs[i].agg, agg)) {
            *ret = s->aggs[i].var;
            return 0;
        }
    }
    if (s->aggs_count == s->aggs_cap) {
        uint32_t cap = s->aggs_cap ? 2 * s->aggs_cap : 8;
        struct lagg *more = arena_alloc_array(b->env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (s->aggs_count)
            memcpy(more, s->aggs, s->aggs_count * sizeof(*more));
        s->aggs = more;
        s->aggs_cap = cap;
    }
    a = &s->aggs[s->aggs_count++];
    a->agg = *agg;
    a->var = logic_var(b->q,
                       agg->agg->star ? "count(*)" : agg->agg->name,
                       agg_result(agg->agg, agg->arg ? agg->arg->type : TYPE_NONE));
    if (agg->arg && a->var)
        logic_set_agg(b->q, a->var, agg);
    *ret = a->var;
    return a->var ? 0 : DN_FAIL_NOMEM(err);
}

/* What the arguments of an aggregate use: variables, and what subqueries in them (subs_inner of
 * the query from `subs` on) take from outside instead of what they give. */
static bool
bind_agg_uses(struct binder *b, const struct plan_agg *agg, uint32_t subs, struct lvars *ret)
{
    const struct bind_subs *inner = &b->level->subs_inner;
    struct lvars used = {0}, given = {0};
    bool ok = logic_uses(b->q, agg->arg, &used) && logic_uses(b->q, agg->arg2, &used);

    for (uint32_t i = 0; ok && i < agg->order_count; i++)
        ok = logic_uses(b->q, agg->order[i].e, &used);
    for (uint32_t i = subs; ok && i < inner->n; i++) {
        const struct bind_sub *sub = &inner->v[i];

        ok = logic_gives(b->q, sub->tree, &given) && logic_free(b->q, sub->tree, &used) &&
             (!sub->mark || lvars_add_new(b->env->arena, &given, sub->mark));
        for (uint32_t k = 0; ok && k < sub->conds_count; k++)
            ok = logic_uses(b->q, sub->conds[k], &used);
    }
    for (uint32_t i = 0; ok && i < used.n; i++) {
        if (!lvars_has(&given, used.v[i]))
            ok = lvars_add_new(b->env->arena, ret, used.v[i]);
    }
    return ok;
}

/* The query an aggregate belongs to: the nearest one whose columns its arguments use. */
static int bind_agg_level(struct binder *b,
                          const struct plan_agg *agg,
                          uint32_t subs,
                          struct sel **ret,
                          struct dn_err *err)
{
    struct lvars used = {0};

    *ret = b->level;
    if (!bind_agg_uses(b, agg, subs, &used))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < used.n; i++) {
        if (b->q->vars[used.v[i]].level == b->level || !b->q->vars[used.v[i]].level)
            return 0;
    }
    for (const struct scope *x = b->scope; used.n && x; x = x->outer) {
        for (uint32_t i = 0; x->level && i < used.n; i++) {
            if (b->q->vars[used.v[i]].level == x->level) {
                *ret = x->level;
                return 0;
            }
        }
    }
    return 0;
}

/* b: of the clause that the aggregate belongs to. */
static int bind_agg_refuse(const struct binder *b, const struct expr *e, struct dn_err *err)
{
    int rc = DN_FAIL(err,
                     DN_E_GROUPING,
                     "aggregate functions are not allowed in %s",
                     b->clause ? b->clause : "this place");

    if (b->clause && strcmp(b->clause, "WHERE") == 0)
        dn_err_hint(err, "Conditions on aggregates go into HAVING.");
    dn_err_at(err, e->pos);
    return rc;
}

/* How many arguments, DISTINCT, WITHIN GROUP: does the call look like one of that aggregate? */
static int bind_agg_form(const struct expr *e, const char *name, struct dn_err *err)
{
    static const char *const counts[] = {"no argument", "one argument", "two arguments"};
    const struct call_ext *x = e->ext;
    bool within = agg_name_within(name);
    uint32_t least, most;

    agg_name_args(name, &least, &most);
    if (within && !(x && x->within_group)) {
        int rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "%s needs WITHIN GROUP (ORDER BY …)", e->name);

        dn_err_hint(err, "Write %s(%s) WITHIN GROUP (ORDER BY x).", name, most ? "fraction" : "");
        return rc;
    }
    if (!within && x && x->within_group)
        return DN_FAIL(err,
                       DN_E_WRONG_OBJECT,
                       "%s is not an ordered-set aggregate: it cannot have WITHIN GROUP",
                       e->name);
    if (within && (e->distinct || e->star))
        return DN_FAIL(err,
                       DN_E_SYNTAX,
                       "%s: %s does not go with WITHIN GROUP",
                       e->name,
                       e->star ? "*" : "DISTINCT");
    if (within && x->order_by_count != 1)
        return DN_FAIL(err,
                       DN_E_UNDEFINED_FUNCTION,
                       "%s is WITHIN GROUP (ORDER BY one expression), not %u",
                       e->name,
                       x->order_by_count);
    if (!e->star && e->args_count == 0 && text_same_fold(name, strlen(name), "count", 5))
        return DN_FAIL(err,
                       DN_E_WRONG_OBJECT,
                       "count(*) must be used to call a parameterless aggregate function");
    if (!e->star && (e->args_count < least || e->args_count > most))
        return DN_FAIL(err,
                       DN_E_UNDEFINED_FUNCTION,
                       "aggregate function %s takes %s%s, not %u",
                       e->name,
                       counts[least],
                       least < most ? " or two" : "",
                       e->args_count);
    if (e->star && e->distinct)
        return DN_FAIL(err, DN_E_SYNTAX, "DISTINCT needs an expression to look at, not *");
    return 0;
}

static int
bind_agg_check(const struct binder *b, const struct expr *e, const char *name, struct dn_err *err)
{
    int rc = 0;

    if (b->in_agg)
        rc = DN_FAIL(err, DN_E_GROUPING, "aggregate function calls cannot be nested");
    else if (!b->level || (e->star && !b->aggs_allowed))
        return bind_agg_refuse(b, e, err);
    else
        rc = bind_agg_form(e, name, err);
    if (rc < 0)
        dn_err_at(err, e->pos);
    return rc;
}

/* The table that first(x) takes its time from: that of a column in x, else the only one. */
static struct lrel *bind_agg_rel(struct binder *b, const struct bexpr *e)
{
    if (e->kind == BEXPR_COLUMN) {
        for (uint32_t i = 0; i < b->scope->rels_count; i++) {
            if (b->scope->rels[i] == b->q->vars[e->col].rel)
                return b->scope->rels[i];
        }
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        struct lrel *rel = bind_agg_rel(b, e->args[i]);

        if (rel)
            return rel;
    }
    return NULL;
}

/* The time that goes with the value: the second argument, or the table's time column. */
static int
bind_agg_time(struct binder *b, const struct expr *e, struct plan_agg *agg, struct dn_err *err)
{
    struct lrel *rel;
    uint32_t var;
    int rc;

    if (e->args_count == 2) {
        rc = bind_expr(b, e->args[1], &agg->arg2, err);
        if (rc == 0 && agg->arg2->type == TYPE_NONE)
            rc = bind_coerce(b, agg->arg2, TYPE_TIMESTAMP_US, false, &agg->arg2, err);
        return rc;
    }
    rel = bind_agg_rel(b, agg->arg);
    if (!rel && b->scope->rels_count == 1)
        rel = b->scope->rels[0];
    if (!rel || !rel->table || rel->table->time_col < 0) {
        DN_IGNORE(DN_FAIL(err,
                          DN_E_UNDEFINED_FUNCTION,
                          "%s(x) goes by the time column of the table, and there is none",
                          e->name)); /* returned below */
        dn_err_hint(err, "Say by which time: %s(x, t).", e->name);
        dn_err_at(err, e->pos);
        return DN_E_UNDEFINED_FUNCTION;
    }
    var = scope_var(b->q, b->scope, rel, (uint32_t)rel->table->time_col);
    agg->arg2 = var ? bind_var(b, var, e->pos) : NULL;
    return agg->arg2 ? 0 : DN_FAIL_NOMEM(err);
}

/* f(x) FILTER (WHERE c) is f(CASE WHEN c THEN x END), as no aggregate counts NULLs; count(*) counts
 * something that is not NULL. */
static int bind_agg_filter(
    struct binder *b, const struct expr *e, uint32_t subs, struct plan_agg *agg, struct dn_err *err)
{
    struct datum yes = {.type = TYPE_BOOLEAN, .v = {.i64 = 1}};
    uint32_t own = bind_guard_from(b);
    struct bexpr *cond;
    int rc = bind_bool(b, e->a, "FILTER", &cond, err);

    if (rc == 0 && own == bind_guard_from(b)) /* its own come after those of the arguments */
        rc = bind_guard(b, &(struct bind_reach){.from = subs, .cond = cond}, err);

    if (rc == 0 && agg->agg->nulls_count) { /* but this one does */
        agg->arg2 = cond;
        agg->agg = agg_find_pair(agg->agg->name, agg->arg->type, TYPE_BOOLEAN, e->pos, err);
        return agg->agg ? 0 : DN_E_INTERNAL;
    }
    if (rc == 0 && e->star) {
        rc = bind_const(b, &yes, e->pos, &agg->arg, err);
        agg->agg = agg_find("count", false, TYPE_BOOLEAN, e->pos, err);
    }
    return rc < 0 ? rc : bind_when(b, cond, agg->arg, &agg->arg, err);
}

/* f(fraction) WITHIN GROUP (ORDER BY x): x is the argument. The fraction is one for all rows of a
 * group: it has no columns, or bind_hypothetical.c has seen that they are those of GROUP BY. */
static int
bind_agg_within(struct binder *b, const struct expr *e, struct plan_agg *agg, struct dn_err *err)
{
    struct lvars used = {0};
    int rc = bind_expr(b, e->ext->order_by[0].expr, &agg->arg, err);

    if (rc == 0)
        rc = bind_settle(b, agg->arg, &agg->arg, err);
    if (rc < 0 || e->args_count == 0)
        return rc;
    rc = bind_expr(b, e->args[0], &agg->arg2, err);
    if (rc == 0)
        rc = bind_coerce(b, agg->arg2, TYPE_DOUBLE, true, &agg->arg2, err);
    if (rc < 0)
        return rc;
    if (agg->arg2->kind == BEXPR_CONST && !agg->arg2->value.null)
        rc = agg_fraction_check(agg->arg2->value.v.f64, err);
    if (rc == 0 && !logic_uses(b->q, agg->arg2, &used))
        return DN_FAIL_NOMEM(err);
    if (rc == 0 && used.n > 0 && !e->ext->direct_grouped)
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "the fraction of %s may not use columns", e->name);
    if (rc < 0)
        dn_err_at(err, e->args[0]->pos);
    return rc;
}

/* What is in the parentheses, ORDER BY and FILTER aside. */
/* A literal without type is a text, but a number for corr() and its like. */
static int bind_agg_settle(struct binder *b,
                           const struct expr *e,
                           const char *name,
                           struct bexpr **arg,
                           struct dn_err *err)
{
    struct dn_err ignored;
    bool pair = e->args_count == 2 && bind_untyped_text(*arg) &&
                agg_find_pair(name, TYPE_DOUBLE, TYPE_DOUBLE, e->pos, &ignored);

    return pair ? bind_coerce(b, *arg, TYPE_DOUBLE, false, arg, err)
                : bind_settle(b, *arg, arg, err);
}

static int bind_agg_values(struct binder *b,
                           const struct expr *e,
                           const char *name,
                           struct plan_agg *agg,
                           struct dn_err *err)
{
    int rc;

    if (e->star)
        return 0;
    if (agg_name_within(name))
        return bind_agg_within(b, e, agg, err);
    rc = bind_expr(b, e->args[0], &agg->arg, err);
    if (rc == 0)
        rc = bind_agg_settle(b, e, name, &agg->arg, err);
    if (rc == 0 && agg->arg->type == TYPE_NONE &&
        (strcmp(name, "min") == 0 || strcmp(name, "max") == 0))
        rc = bind_coerce(b, agg->arg, TYPE_VARCHAR, false, &agg->arg, err);
    if (rc == 0 && agg_name_timed(name))
        return bind_agg_time(b, e, agg, err);
    if (rc < 0 || e->args_count < 2)
        return rc;
    rc = bind_expr(b, e->args[1], &agg->arg2, err);
    if (rc == 0 && agg->arg->type == TYPE_BLOB && agg->arg2->type == TYPE_NONE)
        return bind_coerce(b, agg->arg2, TYPE_BLOB, false, &agg->arg2, err);
    return rc < 0 ? rc : bind_agg_settle(b, e, name, &agg->arg2, err);
}

/* ORDER BY in the parentheses; with DISTINCT only by what is told apart. */
static int
bind_agg_order(struct binder *b, const struct expr *e, struct plan_agg *agg, struct dn_err *err)
{
    const struct call_ext *x = e->ext;
    int rc = 0;

    if (!x || x->order_by_count == 0)
        return 0;
    agg->order = arena_calloc(b->env->arena, x->order_by_count, sizeof(*agg->order));
    if (!agg->order)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < x->order_by_count; i++) {
        struct plan_agg_order *o = &agg->order[i];
        struct lkey key;

        rc = bind_expr(b, x->order_by[i].expr, &o->e, err);
        if (rc == 0)
            rc = bind_settle(b, o->e, &o->e, err);
        if (rc == 0)
            rc = select_direction(&x->order_by[i], &key, err);
        if (rc < 0)
            return rc;
        o->desc = key.desc;
        o->nulls_first = key.nulls_first;
        if (!agg->distinct || bind_same(o->e, agg->arg) || bind_same_arg(o->e, agg->arg2))
            continue;
        rc = DN_FAIL(err,
                     DN_E_INVALID_COLUMN,
                     "in an aggregate with DISTINCT, ORDER BY may use only its arguments");
        dn_err_at(err, x->order_by[i].expr->pos);
    }
    agg->order_count = x->order_by_count;
    return rc < 0 ? rc : bind_order_rows(b, &agg->order, &agg->order_count, err);
}

/* Names are texts and numbers of objects numbers, to aggregates but those that keep them. */
static int
bind_agg_plain(struct binder *b, const char *name, struct plan_agg *agg, struct dn_err *err)
{
    enum type_id type = agg->arg ? agg->arg->type : TYPE_NONE;

    if (!type_is_system(type) || type_is_array(type) || strcmp(name, "count") == 0)
        return 0;
    if (strcmp(name, "array_agg") == 0 && (type == TYPE_NAME || type == TYPE_OID))
        return 0;
    type = type == TYPE_OID || (type_is_reg(type) && strcmp(name, "array_agg") != 0) ? TYPE_BIGINT
                                                                                     : TYPE_VARCHAR;
    return bind_coerce(b, agg->arg, type, true, &agg->arg, err);
}

/* The arguments, over the scan. */
static int bind_agg_args(struct binder *b,
                         const struct expr *e,
                         const char *name,
                         struct plan_agg *agg,
                         struct dn_err *err)
{
    bool over = e->ext && e->ext->over; /* then the arguments may hold aggregates */
    int rc;

    b->in_agg = !over;
    rc = bind_agg_values(b, e, name, agg, err);
    if (rc == 0)
        rc = bind_agg_plain(b, name, agg, err);
    if (rc == 0 && !agg_name_within(name))
        rc = bind_agg_order(b, e, agg, err);
    b->in_agg = false;
    return rc;
}

static const struct agg *bind_agg_find(const struct expr *e,
                                       const char *name,
                                       const struct plan_agg *agg,
                                       struct dn_err *err)
{
    if (e->star)
        return agg_find(name, true, TYPE_NONE, e->pos, err);
    if (agg_name_within(name))
        return agg_find_within(name, agg->arg->type, e->ext->order_by[0].desc, e->pos, err);
    if (agg->arg2)
        return agg_find_pair(name, agg->arg->type, agg->arg2->type, e->pos, err);
    return agg_find(name, false, agg->arg->type, e->pos, err);
}

/* A DISTINCT aggregate is ordered by its arguments themselves, casts and FILTER included; one that
 * depends on the order is ordered by them in any case. */
static int bind_agg_distinct(struct binder *b,
                             const struct plan_agg *plain,
                             struct plan_agg *agg,
                             struct dn_err *err)
{
    if (!agg->distinct)
        return 0;
    for (uint32_t i = 0; i < agg->order_count; i++) {
        agg->order[i].arg = bind_same(agg->order[i].e, plain->arg) ? 1 : 2;
        agg->order[i].e = agg->order[i].arg == 1 ? agg->arg : agg->arg2;
    }
    if (agg->order_count || !agg->agg->in_order)
        return 0;
    agg->order = arena_calloc(b->env->arena, 2, sizeof(*agg->order));
    if (!agg->order)
        return DN_FAIL_NOMEM(err);
    agg->order[agg->order_count++] = (struct plan_agg_order){.e = agg->arg, .arg = 1};
    if (agg->arg2)
        agg->order[agg->order_count++] = (struct plan_agg_order){.e = agg->arg2, .arg = 2};
    return 0;
}

int bind_aggregate_args(struct binder *b,
                        const struct expr *e,
                        const char *name,
                        struct plan_agg *ret,
                        struct dn_err *err)
{
    bool inner = !(e->ext && e->ext->over), was = b->in_agg;
    struct plan_agg plain;
    uint32_t subs;
    int rc = bind_agg_check(b, e, name, err);

    b->in_agg = inner;
    subs = bind_guard_from(b);
    b->in_agg = was;
    *ret = (struct plan_agg){.distinct = e->distinct, .pos = e->pos};
    if (rc == 0)
        rc = bind_agg_args(b, e, name, ret, err);
    if (rc == 0 && ret->arg && (strcmp(name, "max") == 0 || strcmp(name, "min") == 0))
        rc = bind_row_no_order(ret->arg, e->pos, err);
    if (rc == 0 && ret->arg && ret->distinct && strcmp(name, "count") == 0)
        rc = bind_row_alike(b, &ret->arg, err);
    if (rc < 0)
        return rc;
    plain = *ret;
    ret->agg = bind_agg_find(e, name, ret, err);
    if (!ret->agg)
        return err ? err->code : DN_E_UNDEFINED_FUNCTION;
    if (ret->arg && ret->agg->arg != TYPE_NONE && ret->agg->arg != TYPE_ENUM)
        rc = bind_coerce(b, ret->arg, ret->agg->arg, true, &ret->arg, err);
    if (rc == 0 && ret->arg2 && ret->agg->arg2 != TYPE_TIMESTAMP)
        rc = bind_coerce(b, ret->arg2, ret->agg->arg2, true, &ret->arg2, err);
    if (rc == 0 && e->a) {
        const char *clause = b->clause;
        bool allowed = b->aggs_allowed;

        b->in_agg = inner;
        b->aggs_allowed = allowed && inner; /* of a window: the rows are groups already */
        b->clause = inner ? clause : "FILTER";
        rc = bind_agg_filter(b, e, subs, ret, err);
        b->in_agg = false;
        b->aggs_allowed = allowed;
        b->clause = clause;
    }
    return rc < 0 ? rc : bind_agg_distinct(b, &plain, ret, err);
}

/* An aggregate of a query around this one, whose arguments hold subqueries: those run beside the
 * rows of that query, so all of it is bound there. */
static int bind_agg_outside(struct binder *b,
                            const struct expr *e,
                            const char *name,
                            struct sel *level,
                            uint32_t subs,
                            struct bexpr **ret,
                            struct dn_err *err)
{
    b->level->subs_inner.n = subs;
    return bind_aggregate(&level->b, e, name, ret, err);
}

int bind_aggregate(struct binder *b,
                   const struct expr *e,
                   const char *name,
                   struct bexpr **ret,
                   struct dn_err *err)
{
    uint32_t subs = b->level ? b->level->subs_inner.n : 0;
    struct plan_agg agg;
    struct sel *level = NULL;
    uint32_t var = 0;
    int rc = bind_aggregate_args(b, e, name, &agg, err);

    if (rc == 0)
        rc = bind_agg_level(b, &agg, subs, &level, err);
    if (rc == 0 && level != b->level && b->level->subs_inner.n > subs)
        return bind_agg_outside(b, e, name, level, subs, ret, err);
    if (rc == 0 && level != b->level && level->b.in_agg) {
        rc = DN_FAIL(err, DN_E_GROUPING, "%s: aggregate functions cannot be nested", e->name);
        dn_err_at(err, e->pos);
    }
    if (rc == 0 && !(level == b->level ? b : &level->b)->aggs_allowed)
        rc = bind_agg_refuse(level == b->level ? b : &level->b, e, err);
    if (rc == 0 && level == b->level) {
        rc = bind_sum_shifted(b, e, &agg, ret, err);
        if (rc != DN_NOT_FOUND)
            return rc;
        rc = 0;
    }
    if (rc == 0)
        rc = bind_agg_add(b, level, &agg, &var, err);
    if (rc < 0)
        return rc;
    *ret = bind_var(b, var, e->pos);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* GROUPING belongs to the query whose columns its arguments use, as an aggregate does. */
int bind_grouping(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr **args =
        arena_alloc_array(b->env->arena, (size_t)e->args_count + 1, sizeof(*args));
    struct sel *level = b->level;
    uint32_t subs = b->level->subs_inner.n;
    int rc = 0;

    if (!args)
        return DN_FAIL_NOMEM(err);
    if (e->args_count == 0 || e->args_count > 31 || !b->aggs_allowed || b->in_agg) {
        rc = DN_FAIL(err,
                     DN_E_GROUPING,
                     e->args_count == 0 || e->args_count > 31
                         ? "GROUPING must have between 1 and 31 arguments"
                         : "grouping operations are not allowed in %s",
                     b->clause ? b->clause : "this place");
        dn_err_at(err, e->pos);
        return rc;
    }
    b->in_agg = true;
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++) {
        rc = bind_expr(b, e->args[i], &args[i], err);
        if (rc == 0 && level == b->level)
            rc = bind_agg_level(b, &(struct plan_agg){.arg = args[i]}, subs, &level, err);
    }
    b->in_agg = false;
    return rc < 0 ? rc : select_grouping(level, args, e->args_count, e->pos, ret, err);
}
