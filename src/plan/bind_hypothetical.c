/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_hypothetical.c: rank(v) WITHIN GROUP (ORDER BY x): which place a row with v would have among
 * those of the group. They are counts of rows that sort before it:
 *
 *     rank          1 + count(*) FILTER (WHERE x before v)
 *     dense_rank    1 + the different x among them, NULL being one
 *     percent_rank  (rank - 1) / count(*), 0 of no rows
 *     cume_dist     (1 + count(*) FILTER (WHERE not v before x)) / (1 + count(*))
 *
 * so each call is written as an expression over plain aggregates, and bound as that. The same is
 * done with percentiles of an array of fractions. */
#include "plan/select_int.h"

#define HYPO_COLS_MAX 32u

struct hypo {
    struct binder *b;
    const struct expr *e;
    bool failed; /* out of memory */
};

static struct expr *hypo_expr(struct hypo *h, enum expr_kind kind)
{
    struct expr *e = arena_calloc(h->b->env->arena, 1, sizeof(*e));

    h->failed = h->failed || !e;
    if (e) {
        e->kind = kind;
        e->pos = h->e->pos;
    }
    return e;
}

static struct expr *hypo_binary(struct hypo *h, enum expr_op op, struct expr *a, struct expr *b)
{
    struct expr *e = hypo_expr(h, EXPR_BINARY);

    if (e) {
        e->op = op;
        e->a = a;
        e->b = b;
    }
    return e;
}

static struct expr *hypo_is_null(struct hypo *h, struct expr *a, bool negated)
{
    struct expr *e = hypo_expr(h, EXPR_IS_NULL);

    if (e) {
        e->a = a;
        e->negated = negated;
    }
    return e;
}

static struct expr *hypo_int(struct hypo *h, int64_t v)
{
    struct expr *e = hypo_expr(h, EXPR_LITERAL);

    if (e)
        e->value = (struct datum){.type = TYPE_BIGINT, .v = {.i64 = v}};
    return e;
}

/* a sorts before b in the order of that item: NULL has its place. */
static struct expr *
hypo_before(struct hypo *h, const struct order_item *o, struct expr *a, struct expr *b)
{
    bool nulls_first = o->nulls == NULLS_DEFAULT ? o->desc : o->nulls == NULLS_FIRST;
    struct expr *null = nulls_first ? a : b;
    struct expr *other = nulls_first ? b : a;

    return hypo_binary(
        h,
        OP_OR,
        hypo_binary(h,
                    OP_AND,
                    hypo_binary(h, OP_AND, hypo_is_null(h, a, true), hypo_is_null(h, b, true)),
                    hypo_binary(h, o->desc ? OP_GT : OP_LT, a, b)),
        hypo_binary(h, OP_AND, hypo_is_null(h, null, false), hypo_is_null(h, other, true)));
}

static struct expr *hypo_same(struct hypo *h, struct expr *a, struct expr *b)
{
    struct expr *e = hypo_expr(h, EXPR_DISTINCT);

    if (e) {
        e->a = a;
        e->b = b;
        e->negated = true;
    }
    return e;
}

/* Rows before the one asked for; turned: those behind it. By the last column first. */
static struct expr *hypo_order(struct hypo *h, bool turned)
{
    const struct call_ext *x = h->e->ext;
    struct expr *all = NULL;

    for (uint32_t i = x->order_by_count; i-- > 0;) {
        struct expr *a = turned ? h->e->args[i] : x->order_by[i].expr;
        struct expr *b = turned ? x->order_by[i].expr : h->e->args[i];
        struct expr *before = hypo_before(h, &x->order_by[i], a, b);

        all = all ? hypo_binary(h, OP_OR, before, hypo_binary(h, OP_AND, hypo_same(h, a, b), all))
                  : before;
    }
    return all;
}

/* count(*), count(DISTINCT x), with a filter. */
static struct expr *hypo_count(struct hypo *h, struct expr *distinct, struct expr *filter)
{
    struct expr *e = hypo_expr(h, EXPR_CALL);

    if (!e)
        return NULL;
    e->name = "count";
    e->star = !distinct;
    e->distinct = distinct != NULL;
    e->a = filter;
    if (distinct) {
        e->args = arena_alloc_array(h->b->env->arena, 1, sizeof(struct expr *));
        h->failed = h->failed || !e->args;
        if (e->args)
            e->args[e->args_count++] = distinct;
    }
    return e;
}

static struct expr *hypo_double(struct hypo *h, struct expr *a)
{
    struct expr *e = hypo_expr(h, EXPR_CAST);

    if (e) {
        e->a = a;
        e->type = TYPE_DOUBLE;
    }
    return e;
}

/* 1 if there is a row that the filter leaves, else 0: least(1, count(*)). */
static struct expr *hypo_any(struct hypo *h, struct expr *filter)
{
    struct expr *e = hypo_expr(h, EXPR_CALL);

    if (!e)
        return NULL;
    e->name = "least";
    e->args = arena_alloc_array(h->b->env->arena, 2, sizeof(struct expr *));
    h->failed = h->failed || !e->args;
    if (e->args) {
        e->args[e->args_count++] = hypo_int(h, 1);
        e->args[e->args_count++] = hypo_count(h, NULL, filter);
    }
    return e;
}

static struct expr *hypo_greatest(struct hypo *h, struct expr *count)
{
    struct expr *e = hypo_expr(h, EXPR_CALL);

    if (!e)
        return NULL;
    e->name = "greatest";
    e->args = arena_alloc_array(h->b->env->arena, 2, sizeof(struct expr *));
    h->failed = h->failed || !e->args;
    if (e->args) {
        e->args[e->args_count++] = hypo_int(h, 1);
        e->args[e->args_count++] = count;
    }
    return e;
}

static struct expr *hypo_make(struct hypo *h, const char *name)
{
    struct expr *one = hypo_int(h, 1);
    struct expr *x = h->e->ext->order_by[0].expr;
    struct expr *unary;

    if (strcmp(name, "rank") == 0)
        return hypo_binary(h, OP_ADD, one, hypo_count(h, NULL, hypo_order(h, false)));
    if (strcmp(name, "dense_rank") == 0)
        return hypo_binary(
            h,
            OP_ADD,
            hypo_binary(h, OP_ADD, one, hypo_count(h, x, hypo_order(h, false))),
            hypo_any(h, hypo_binary(h, OP_AND, hypo_order(h, false), hypo_is_null(h, x, false))));
    if (strcmp(name, "percent_rank") == 0)
        return hypo_binary(h,
                           OP_DIV,
                           hypo_double(h, hypo_count(h, NULL, hypo_order(h, false))),
                           hypo_double(h, hypo_greatest(h, hypo_count(h, NULL, NULL))));
    unary = hypo_expr(h, EXPR_UNARY);
    if (!unary)
        return NULL;
    unary->op = OP_NOT;
    unary->a = hypo_order(h, true);
    return hypo_binary(h,
                       OP_DIV,
                       hypo_double(h, hypo_binary(h, OP_ADD, one, hypo_count(h, NULL, unary))),
                       hypo_double(h, hypo_binary(h, OP_ADD, one, hypo_count(h, NULL, NULL))));
}

/* ---- percentiles of several fractions ---- */

/* The array with the percentile of each fraction in its place. */
static struct expr *hypo_percentiles(struct hypo *h, const struct expr *fractions)
{
    struct expr *all = hypo_expr(h, EXPR_ARRAY);

    if (!all)
        return NULL;
    all->args = arena_alloc_array(
        h->b->env->arena, (size_t)fractions->args_count + 1, sizeof(all->args[0]));
    h->failed = h->failed || !all->args;
    for (uint32_t i = 0; !h->failed && i < fractions->args_count; i++) {
        struct expr *one;

        if (fractions->args[i]->kind == EXPR_ARRAY) {
            one = hypo_percentiles(h, fractions->args[i]);
        } else {
            one = hypo_expr(h, EXPR_CALL);
            if (!one)
                return NULL;
            *one = *h->e;
            one->args = &fractions->args[i];
        }
        all->args[all->args_count++] = one;
    }
    return all;
}

/* The filters above see the rows of FROM; but grouping sets make columns NULL that they leave out,
 * and the row asked for has these. */
static int hypo_sets(struct binder *b, const struct expr *e, struct dn_err *err)
{
    const struct select_core *core = b->level ? b->level->core : NULL;
    bool sets = false;
    int rc = 0;

    for (uint32_t i = 0; core && i < core->group_by_count; i++)
        sets = sets || core->group_by[i].kind != GROUP_EXPR;
    for (uint32_t i = 0; sets && rc == 0 && i < e->args_count; i++) {
        struct bexpr *x;

        rc = bind_expr(b, e->args[i], &x, err);
        if (rc == 0 && bind_has_columns(x))
            rc = DN_FAIL(err,
                         DN_E_UNSUPPORTED,
                         "columns as direct arguments of %s are not supported with GROUPING SETS, "
                         "ROLLUP or CUBE",
                         e->name);
        dn_err_at(err, rc < 0 ? e->args[i]->pos : 0);
    }
    return rc;
}

/* A direct argument is the same for all rows of a group: it stands outside of the aggregates as
 * well, CASE WHEN (v IS NULL) IS NOT NULL THEN … END, where columns must be those of GROUP BY. */
static struct expr *hypo_grouped(struct hypo *h, struct expr *made)
{
    for (uint32_t i = 0; made && i < h->e->args_count; i++) {
        struct expr *v = h->e->args[i];
        struct expr *choice = v->kind == EXPR_LITERAL ? NULL : hypo_expr(h, EXPR_CASE);

        if (!choice)
            continue;
        choice->args = arena_alloc_array(h->b->env->arena, 2, sizeof(choice->args[0]));
        h->failed = h->failed || !choice->args;
        if (h->failed)
            return NULL;
        choice->args[0] = hypo_is_null(h, hypo_is_null(h, v, false), true);
        choice->args[1] = made;
        choice->args_count = 2;
        made = choice;
    }
    return made;
}

/* percentile_cont(g), g a column of GROUP BY: the aggregate takes the fraction of a group from its
 * first row; that all rows of the group have the same one is seen where g stands outside. 1: the
 * fraction has no columns, or was looked at. */
static int bind_percentile_grouped(struct binder *b,
                                   const struct expr *e,
                                   struct bexpr **ret,
                                   struct dn_err *err)
{
    struct hypo h = {.b = b, .e = e};
    const struct expr *v = e->args[0];
    struct call_ext *ext;
    struct bexpr *x;
    struct expr *made;
    int rc;

    if (e->ext->direct_grouped || v->kind == EXPR_LITERAL || v->kind == EXPR_PARAM)
        return 1;
    rc = bind_expr(b, v, &x, err);
    if (rc < 0)
        return rc;
    if (!bind_has_columns(x))
        return 1;
    rc = hypo_sets(b, e, err);
    if (rc < 0)
        return rc;
    made = hypo_expr(&h, EXPR_CALL);
    ext = arena_dup(b->env->arena, e->ext, sizeof(*ext));
    if (!made || !ext)
        return DN_FAIL_NOMEM(err);
    *made = *e;
    made->ext = ext;
    ext->direct_grouped = true;
    made = hypo_grouped(&h, made);
    if (h.failed || !made)
        return DN_FAIL_NOMEM(err);
    return bind_expr(b, made, ret, err);
}

/* percentile_cont(ARRAY[…]): CASE WHEN count(x) > 0 THEN ARRAY[percentile_cont(…), …] END. */
static int bind_percentiles(struct binder *b,
                            const struct expr *e,
                            const char *name,
                            struct bexpr **ret,
                            struct dn_err *err)
{
    struct hypo h = {.b = b, .e = e};
    struct expr *count, *choice;

    if ((strcmp(name, "percentile_cont") != 0 && strcmp(name, "percentile_disc") != 0) || !e->ext ||
        !e->ext->within_group || e->ext->order_by_count != 1 || e->args_count != 1)
        return 1;
    if (e->args[0]->kind != EXPR_ARRAY)
        return bind_percentile_grouped(b, e, ret, err);
    if (e->args[0]->args_count == 0)
        return 1;
    count = hypo_count(&h, e->ext->order_by[0].expr, e->a);
    choice = hypo_expr(&h, EXPR_CASE);
    if (h.failed)
        return DN_FAIL_NOMEM(err);
    count->distinct = false;
    choice->args = arena_alloc_array(b->env->arena, 2, sizeof(choice->args[0]));
    if (!choice->args)
        return DN_FAIL_NOMEM(err);
    choice->args[0] = hypo_binary(&h, OP_GT, count, hypo_int(&h, 0));
    choice->args[1] = hypo_percentiles(&h, e->args[0]);
    choice->args_count = 2;
    if (h.failed || !choice->args[1])
        return DN_FAIL_NOMEM(err);
    return bind_expr(b, choice, ret, err);
}

int bind_hypothetical(struct binder *b,
                      const struct expr *e,
                      const char *name,
                      struct bexpr **ret,
                      struct dn_err *err)
{
    static const char *const names[] = {"rank", "dense_rank", "percent_rank", "cume_dist"};
    struct hypo h = {.b = b, .e = e};
    struct expr *made;
    bool known = false;
    int rc = 0;

    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++)
        known = known || strcmp(names[i], name) == 0;
    if (!known || !e->ext || !e->ext->within_group)
        return bind_percentiles(b, e, name, ret, err);
    if (e->args_count != e->ext->order_by_count)
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_FUNCTION,
                     "the number of hypothetical direct arguments of %s (here %u) must match the "
                     "number of ordering columns (here %u)",
                     name,
                     e->args_count,
                     e->ext->order_by_count);
    else if (e->distinct || e->star || e->a || e->ext->over)
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "DISTINCT, *, FILTER and OVER are not supported for %s WITHIN GROUP",
                     name);
    else if (e->args_count > HYPO_COLS_MAX ||
             (e->args_count > 1 && strcmp(name, "dense_rank") == 0))
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "%s WITHIN GROUP with so many ordering columns is not supported yet",
                     name);
    if (rc < 0) {
        dn_err_at(err, e->pos);
        return rc;
    }
    rc = hypo_sets(b, e, err);
    if (rc < 0)
        return rc;
    made = hypo_grouped(&h, hypo_make(&h, name));
    if (h.failed || !made)
        return DN_FAIL_NOMEM(err);
    return bind_expr(b, made, ret, err);
}
