/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite_join.c: joins with the conditions above them. rewrite.c has the whole picture. */
#include "plan/rewrite.h"
#include "plan/safe.h"

/* ---- does a condition drop rows whose right side is all NULL? ---- */

static bool null_for(const struct bexpr *e, const struct lvars *vars)
{
    switch (e->kind) {
    case BEXPR_CONST:
        return e->value.null;
    case BEXPR_COLUMN:
        return lvars_has(vars, e->col);
    case BEXPR_IN:
        return !expr_in_array(e) && null_for(e->args[0], vars);
    case BEXPR_CASE: /* WHEN matched THEN value END */
        return e->args_count == 3 && null_for(e->args[0], vars) && null_for(e->args[2], vars);
    case BEXPR_CALL:
        for (uint32_t i = 0; (e->func->flags & FUNC_STRICT) && i < e->args_count; i++) {
            if (null_for(e->args[i], vars))
                return true;
        }
        return false;
    case BEXPR_PARAM:
    case BEXPR_AND:
    case BEXPR_OR:
    case BEXPR_COALESCE:
    case BEXPR_KIND_MAX:
        break;
    }
    return false;
}

static bool not_true_for(const struct bexpr *e, const struct lvars *vars)
{
    bool all = e->args_count > 0;

    if (null_for(e, vars) || (e->kind == BEXPR_CONST && !e->value.v.i64))
        return true;
    if (expr_in_array(e) && !e->negated && null_for(e->args[0], vars))
        return true;
    if (e->kind == BEXPR_CALL && strcmp(e->func->name, "is not null") == 0)
        return null_for(e->args[0], vars);
    for (uint32_t i = 0; i < e->args_count; i++) {
        bool one = (e->kind == BEXPR_AND || e->kind == BEXPR_OR) && not_true_for(e->args[i], vars);

        if (one && e->kind == BEXPR_AND)
            return true;
        all = all && one;
    }
    return all && e->kind == BEXPR_OR;
}

/* ---- correlated conditions of the right side become conditions of the join ---- */

static int pull_conds(struct planner *q,
                      struct bexpr ***conds,
                      uint32_t *count,
                      const struct lvars *left,
                      struct lexprs *out,
                      struct dn_err *err)
{
    struct lexprs stay = {0};

    for (uint32_t i = 0; i < *count; i++) {
        bool pull = logic_uses_any((*conds)[i], left) && !logic_volatile((*conds)[i]);

        if (!lexprs_add(q->env->arena, pull ? out : &stay, (*conds)[i]))
            return DN_FAIL_NOMEM(err);
    }
    *conds = stay.v;
    *count = stay.n;
    return 0;
}

/* Walks down where a condition may be lifted out unchanged. */
static int pull_from(struct planner *q,
                     struct lnode *n,
                     const struct lvars *left,
                     struct lexprs *out,
                     struct dn_err *err)
{
    int rc = 0;

    if (n->kind == L_FILTER || (n->kind == L_JOIN && n->join == PLAN_JOIN_INNER))
        rc = pull_conds(q, &n->conds, &n->conds_count, left, out, err);
    if (rc < 0)
        return rc;
    if (n->kind == L_FILTER || n->kind == L_MAP || (n->kind == L_JOIN && n->join != PLAN_JOIN_FULL))
        rc = pull_from(q, n->in, left, out, err);
    if (rc == 0 && n->kind == L_JOIN && n->join == PLAN_JOIN_INNER)
        rc = pull_from(q, n->right, left, out, err);
    return rc;
}

/* The join shows nothing of its right side, so what that computes or sorts matters only to the
 * join's conditions. */
static int pull_bare(struct planner *q, struct lnode *join, struct dn_err *err)
{
    for (;;) {
        struct lnode *r = join->right;
        bool whole = r->kind == L_LIMIT && !r->offset && !r->ties && r->limit &&
                     r->limit->kind == BEXPR_CONST && !r->limit->value.null &&
                     r->limit->value.v.i64 > 0 && join->conds_count == 0;

        if (r->kind == L_SORT || whole) {
            join->right = r->in;
            continue;
        }
        if (r->kind != L_MAP)
            return 0;
        for (uint32_t i = 0; i < r->defs_count; i++) {
            if (logic_volatile(r->defs[i].e))
                return 0;
        }
        for (uint32_t i = 0; i < join->conds_count; i++) {
            join->conds[i] = logic_replace(q, join->conds[i], r->defs, r->defs_count);
            if (!join->conds[i])
                return DN_FAIL_NOMEM(err);
        }
        join->right = r->in;
    }
}

static int pull_correlated(struct planner *q, struct lnode *join, struct dn_err *err)
{
    struct lexprs conds = {0};
    struct lvars left = {0};
    int rc = 0;

    if (join->join == PLAN_JOIN_MARK && !join->never_null)
        return 0; /* a WHERE that is NULL drops the row, a comparison that is NULL does not */
    if ((join->guarded || join->join == PLAN_JOIN_SINGLE) && !logic_safe_tree(q, join->right))
        return 0; /* it is run for the rows that ask for it, no others */
    if (join->join == PLAN_JOIN_SEMI || join->join == PLAN_JOIN_ANTI ||
        join->join == PLAN_JOIN_MARK)
        rc = pull_bare(q, join, err);
    if (rc < 0)
        return rc;
    if (!logic_gives(q, join->in, &left))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < join->conds_count; i++) {
        if (!lexprs_add(q->env->arena, &conds, join->conds[i]))
            return DN_FAIL_NOMEM(err);
    }
    rc = pull_from(q, join->right, &left, &conds, err);
    join->conds = conds.v;
    join->conds_count = conds.n;
    return rc;
}

/* ---- inner joins: all of a cluster at once ---- */

struct cluster {
    struct lnode **inputs;
    uint32_t inputs_count;
    uint32_t inputs_cap;
    struct lnode **maps; /* computed columns, to go above the joins: inner ones first */
    uint32_t maps_count;
    uint32_t maps_cap;
    bool fixed; /* maps stay where they are */
    struct lexprs conds;
};

static bool
cluster_add(struct planner *q, struct lnode ***list, uint32_t *n, uint32_t *cap, struct lnode *node)
{
    if (*n == *cap) {
        uint32_t more_cap = 2 * *cap + 8;
        struct lnode **more = arena_alloc_array(q->env->arena, more_cap, sizeof(*more));

        if (!more)
            return false;
        if (*n)
            memcpy(more, *list, *n * sizeof(*more));
        *list = more;
        *cap = more_cap;
    }
    (*list)[(*n)++] = node;
    return true;
}

static bool cluster_conds(struct planner *q, struct cluster *c, const struct lnode *n)
{
    for (uint32_t i = 0; i < n->conds_count; i++) {
        if (!lexprs_add(q->env->arena, &c->conds, n->conds[i]))
            return false;
    }
    return true;
}

static bool cluster_map_moves(const struct lnode *n)
{
    for (uint32_t i = 0; i < n->defs_count; i++) {
        if (logic_volatile(n->defs[i].e))
            return false;
    }
    return true;
}

/* Is there an inner join below filters and maps? Else they stay where they are. */
static bool cluster_has_join(const struct lnode *n)
{
    while (n->kind == L_FILTER || (n->kind == L_MAP && cluster_map_moves(n)))
        n = n->in;
    return n->kind == L_JOIN && n->join == PLAN_JOIN_INNER && !n->fixed;
}

/* What a LATERAL query computes of its rows, and might fail, is computed for those that found a
 * partner. */
static bool cluster_lateral(struct planner *q, const struct lnode *n)
{
    struct lvars free = {0};
    bool safe = true;

    for (; n->kind == L_MAP && cluster_map_moves(n); n = n->in) {
        for (uint32_t i = 0; i < n->defs_count && safe; i++)
            safe = logic_safe_expr(q, n->defs[i].e);
    }
    return !safe && logic_free(q, n, &free) && free.n > 0;
}

static bool cluster_collect(struct planner *q, struct cluster *c, struct lnode *n)
{
    if (n->kind == L_JOIN && n->join == PLAN_JOIN_INNER && !n->fixed)
        return cluster_conds(q, c, n) && cluster_collect(q, c, n->in) &&
               cluster_collect(q, c, n->right);
    if (n->kind == L_FILTER && cluster_has_join(n) && !(c->fixed && n->in->kind == L_MAP))
        return cluster_conds(q, c, n) && cluster_collect(q, c, n->in);
    if (n->kind == L_MAP && !c->fixed && (cluster_has_join(n) || cluster_lateral(q, n)))
        return cluster_collect(q, c, n->in) &&
               cluster_add(q, &c->maps, &c->maps_count, &c->maps_cap, n);
    return cluster_add(q, &c->inputs, &c->inputs_count, &c->inputs_cap, n);
}

/* A computed column that another input uses (LATERAL) must be there before it: no map moves. */
static int cluster_make(struct planner *q, struct cluster *c, struct lnode *n, struct dn_err *err)
{
    uint32_t conds = c->conds.n;

    if (!cluster_collect(q, c, n))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < c->inputs_count && !c->fixed; i++) {
        struct lvars free = {0};

        if (c->maps_count > 0 && !logic_free(q, c->inputs[i], &free))
            return DN_FAIL_NOMEM(err);
        for (uint32_t m = 0; m < c->maps_count; m++) {
            for (uint32_t k = 0; k < c->maps[m]->defs_count; k++)
                c->fixed = c->fixed || lvars_has(&free, c->maps[m]->defs[k].var);
        }
    }
    if (!c->fixed)
        return 0;
    c->conds.n = conds;
    c->inputs_count = c->maps_count = 0;
    return cluster_collect(q, c, n) ? 0 : DN_FAIL_NOMEM(err);
}

/* Which one input does a condition depend on? UINT32_MAX: several, UINT32_MAX - 1: none. */
static uint32_t cluster_owner(const struct bexpr *e, const struct lvars *given, uint32_t count)
{
    uint32_t owner = UINT32_MAX - 1;

    for (uint32_t i = 0; i < count; i++) {
        if (!logic_uses_any(e, &given[i]))
            continue;
        if (owner != UINT32_MAX - 1)
            return UINT32_MAX;
        owner = i;
    }
    return owner;
}

/* x = y and x op constant: so y op constant. */
static int cluster_imply(struct planner *q, struct lexprs *conds, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    uint32_t given = conds->n;

    for (uint32_t i = 0; i < given; i++) {
        const struct bexpr *same = conds->v[i];

        if (bind_op_of(same) != OP_EQ || same->args[0]->kind != BEXPR_COLUMN ||
            same->args[1]->kind != BEXPR_COLUMN || same->args[0]->type != same->args[1]->type)
            continue;
        for (uint32_t k = 0; k < given; k++) {
            struct bexpr *e = conds->v[k];
            uint32_t from = e->args_count ? e->args[0]->col : 0;
            uint32_t to = 0;
            struct ldef def;
            bool fixed = bind_op_of(e) != OP_MAX || e->kind == BEXPR_IN;

            if (!fixed || e->args[0]->kind != BEXPR_COLUMN)
                continue;
            for (uint32_t a = 1; a < e->args_count && fixed; a++)
                fixed = !bind_has_columns(e->args[a]);
            if (from == same->args[0]->col)
                to = same->args[1]->col;
            else if (from == same->args[1]->col)
                to = same->args[0]->col;
            if (!fixed || !to)
                continue;
            def = (struct ldef){.var = from, .e = bind_var(&b, to, e->pos)};
            e = def.e ? logic_replace(q, e, &def, 1) : NULL;
            if (!e || !lexprs_add(q->env->arena, conds, e))
                return DN_FAIL_NOMEM(err);
        }
    }
    return 0;
}

static int cluster_push(struct planner *q,
                        struct cluster *c,
                        rewrite_fn push,
                        struct lexprs *joins,
                        struct lexprs *top,
                        struct dn_err *err)
{
    struct lvars *given = arena_calloc(q->env->arena, c->inputs_count, sizeof(*given));
    struct lexprs *own = arena_calloc(q->env->arena, c->inputs_count, sizeof(*own));
    int rc = 0;

    if (!given || !own)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < c->inputs_count; i++) {
        if (!logic_gives(q, c->inputs[i], &given[i]))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < c->conds.n; i++) {
        struct bexpr *e = c->conds.v[i];
        uint32_t owner = cluster_owner(e, given, c->inputs_count);
        struct lexprs *to = logic_volatile(e) || owner == UINT32_MAX - 1 ? top
                            : owner == UINT32_MAX                        ? joins
                                                                         : &own[owner];

        if (!lexprs_add(q->env->arena, to, e))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; rc == 0 && i < c->inputs_count; i++)
        rc = push(q, c->inputs[i], &own[i], &c->inputs[i], err);
    return rc;
}

/* Filters of an input that use other inputs (LATERAL) join them. */
static int cluster_pull(struct planner *q, struct cluster *c, struct dn_err *err)
{
    for (uint32_t i = 0; i < c->inputs_count; i++) {
        struct lvars others = {0}, free = {0};
        int rc = plan_check_cancel(q->env, err);

        if (rc < 0)
            return rc;
        if (c->fixed && !logic_safe_tree(q, c->inputs[i]))
            continue; /* it is run for the rows that ask for it */
        if (!logic_free(q, c->inputs[i], &free))
            return DN_FAIL_NOMEM(err);
        if (free.n == 0) /* nothing of others: of a thousand inputs each would look at all */
            continue;
        for (uint32_t k = 0; k < c->inputs_count; k++) {
            if (k != i && !logic_gives(q, c->inputs[k], &others))
                return DN_FAIL_NOMEM(err);
        }
        rc = pull_from(q, c->inputs[i], &others, &c->conds, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int rewrite_inner(struct planner *q,
                         struct lnode *n,
                         const struct lexprs *conds,
                         rewrite_fn push,
                         struct lnode **ret,
                         struct dn_err *err)
{
    struct cluster c = {0};
    struct lexprs joins = {0}, top = {0};
    int rc;

    for (uint32_t i = 0; i < conds->n; i++) {
        if (!lexprs_add(q->env->arena, &c.conds, conds->v[i]))
            return DN_FAIL_NOMEM(err);
    }
    rc = cluster_make(q, &c, n, err);
    if (rc == 0)
        rc = cluster_pull(q, &c, err);
    for (uint32_t m = c.maps_count; rc == 0 && m-- > 0;) { /* outer ones first */
        for (uint32_t i = 0; i < c.conds.n; i++) {
            c.conds.v[i] = logic_replace(q, c.conds.v[i], c.maps[m]->defs, c.maps[m]->defs_count);
            if (!c.conds.v[i])
                return DN_FAIL_NOMEM(err);
        }
    }
    if (rc == 0)
        rc = cluster_imply(q, &c.conds, err);
    if (rc == 0)
        rc = cluster_push(q, &c, push, &joins, &top, err);
    if (rc == 0)
        rc = join_order(q, c.inputs, c.inputs_count, &joins, ret, err);
    for (uint32_t m = 0; rc == 0 && m < c.maps_count; m++) {
        c.maps[m]->in = *ret;
        *ret = c.maps[m];
    }
    if (rc < 0)
        return rc;
    *ret = logic_filter(q, *ret, top.v, top.n);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- the others ---- */

/* What the conditions of the join itself say about one side goes to that side where no row is
 * kept for want of a match. */
static int join_own_conds(struct planner *q,
                          struct lnode *n,
                          const struct lvars *left,
                          const struct lvars *right,
                          struct lexprs *to_left,
                          struct lexprs *to_right,
                          struct dn_err *err)
{
    bool right_may = n->join == PLAN_JOIN_LEFT || n->join == PLAN_JOIN_SEMI ||
                     n->join == PLAN_JOIN_ANTI || n->join == PLAN_JOIN_SINGLE ||
                     (n->join == PLAN_JOIN_MARK && n->never_null);
    bool left_may = n->join == PLAN_JOIN_SEMI;
    struct lexprs stay = {0};

    for (uint32_t i = 0; i < n->conds_count; i++) {
        struct bexpr *e = n->conds[i];
        bool l = logic_uses_any(e, left), r = logic_uses_any(e, right);
        struct lexprs *to = &stay;

        if (!logic_volatile(e) && r && !l && right_may)
            to = to_right;
        else if (!logic_volatile(e) && l && !r && left_may)
            to = to_left;
        if (!lexprs_add(q->env->arena, to, e))
            return DN_FAIL_NOMEM(err);
    }
    n->conds = stay.v;
    n->conds_count = stay.n;
    return 0;
}

/* Conditions above the join: on the left side alone they go there (not of a FULL join). */
static int join_above(struct planner *q,
                      const struct lnode *n,
                      const struct lexprs *conds,
                      const struct lvars *right,
                      struct lexprs *to_left,
                      struct lexprs *stay,
                      struct dn_err *err)
{
    for (uint32_t i = 0; i < conds->n; i++) {
        struct bexpr *e = conds->v[i];
        struct lvars mark = {.v = (uint32_t[]){n->mark}, .n = 1};
        bool stays = n->join == PLAN_JOIN_FULL || logic_volatile(e) || logic_uses_any(e, right) ||
                     (n->mark && logic_uses_any(e, &mark)) || !bind_has_columns(e);

        if (!lexprs_add(q->env->arena, stays ? stay : to_left, e))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int rewrite_outer(struct planner *q,
                         struct lnode *n,
                         struct lexprs *conds,
                         rewrite_fn push,
                         struct lnode **ret,
                         struct dn_err *err)
{
    struct lexprs to_left = {0}, to_right = {0}, stay = {0};
    struct lvars left = {0}, right = {0};
    int rc;

    if (n->join != PLAN_JOIN_FULL) {
        rc = pull_correlated(q, n, err);
        if (rc < 0)
            return rc;
    }
    if (!logic_gives(q, n->in, &left) || !logic_gives(q, n->right, &right))
        return DN_FAIL_NOMEM(err);
    rc = join_own_conds(q, n, &left, &right, &to_left, &to_right, err);
    if (rc == 0)
        rc = join_above(q, n, conds, &right, &to_left, &stay, err);
    if (rc == 0)
        rc = push(q, n->in, &to_left, &n->in, err);
    if (rc == 0)
        rc = push(q, n->right, &to_right, &n->right, err);
    if (rc < 0)
        return rc;
    *ret = logic_filter(q, n, stay.v, stay.n);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

int rewrite_join(struct planner *q,
                 struct lnode *n,
                 struct lexprs *conds,
                 rewrite_fn push,
                 struct lnode **ret,
                 struct dn_err *err)
{
    struct lvars right = {0};
    struct ldef mark = {0};
    int rc = 1;

    if (!logic_gives(q, n->right, &right))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; n->join == PLAN_JOIN_LEFT && i < conds->n; i++) {
        if (not_true_for(conds->v[i], &right))
            n->join = PLAN_JOIN_INNER;
    }
    if (n->join == PLAN_JOIN_MARK)
        rc = rewrite_unmark(q, n, conds, &mark, err);
    if (rc < 0)
        return rc;
    rc = 1;
    if (n->join == PLAN_JOIN_SINGLE)
        rc = decorrelate_agg(q, n, ret, err);
    if (rc == 1 && (n->join == PLAN_JOIN_SINGLE || n->join == PLAN_JOIN_LEFT) && !n->guarded)
        rc = decorrelate_maps(q, n, ret, err);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return push(q, *ret, conds, ret, err);
    if (n->join == PLAN_JOIN_INNER && !n->fixed)
        return rewrite_inner(q, n, conds, push, ret, err);
    rc = rewrite_outer(q, n, conds, push, ret, err);
    if (rc < 0 || mark.var == 0)
        return rc;
    *ret = logic_map(q, *ret, &mark, 1);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}
