/* SPDX-License-Identifier: Apache-2.0
 *
 * from_full.c: a FULL join whose ON has subqueries that depend on both sides. Such a subquery is
 * computed for each pair of rows, which a join can do for one of its sides only. So
 *
 *     l FULL JOIN r ON c
 *  =  l LEFT JOIN r ON c
 *     UNION ALL
 *     SELECT NULL, …, r.* FROM r LEFT JOIN (l, true AS mark) ON c WHERE mark IS NULL
 *
 * where the second half is a copy with variables of its own. Whoever names columns of the two
 * tables from here on means those of the union. */
#include "plan/bind_rows.h"
#include "plan/clone.h"
#include "plan/from_int.h"

struct full {
    struct from *f;
    const struct from_full *of;
    struct lvars vars[2]; /* of the sides: all there are */
    struct lvars fresh;   /* of the union, first those of the left */
    struct lmap to_union;
    struct lmap to_copy;
};

/* All columns of the side get their variables now: behind the union nobody can ask for more. */
static int full_vars(struct full *u, uint32_t side, struct dn_err *err)
{
    struct planner *q = u->f->q;
    struct scope *s = u->of->sides[side];

    for (uint32_t i = 0; i < s->rels_count; i++) {
        struct lrel *rel = s->rels[i];
        int rc = rel->tree && !rel->mark ? bind_whole_mark(u->f->b, s, rel, err) : 0;

        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < rel->cols_count; k++) {
            uint32_t var = scope_var(q, s, rel, k);

            if (!var || !lvars_add_new(q->env->arena, &u->vars[side], var))
                return DN_FAIL_NOMEM(err);
        }
        if (rel->mark && !lvars_add_new(q->env->arena, &u->vars[side], rel->mark))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < s->names_count; i++) {
        if (!s->names[i].rel && !lvars_add_new(q->env->arena, &u->vars[side], s->names[i].var))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* The other half: rows of the right side without a partner, as a copy. */
static int full_rest(struct full *u, struct lnode **ret, struct dn_err *err)
{
    struct planner *q = u->f->q;
    struct binder *b = u->f->b;
    const struct lnode *join = u->of->join;
    struct lnode *rest = logic_node(q, L_JOIN, join->right);
    struct bind_subs subs = {.n = u->of->subs->n};
    struct datum yes = {.type = TYPE_BOOLEAN, .v = {.i64 = 1}};
    struct ldef mark = {.var = logic_var(q, "mark", TYPE_BOOLEAN)};
    struct bexpr *marked, *none;
    int rc;

    subs.v = arena_dup(q->env->arena, u->of->subs->v, subs.n * sizeof(*subs.v));
    if (!rest || !mark.var || !subs.v)
        return DN_FAIL_NOMEM(err);
    rc = bind_const(b, &yes, join->pos, &mark.e, err);
    if (rc < 0)
        return rc;
    rest->right = logic_map(q, join->in, &mark, 1);
    rest->join = PLAN_JOIN_LEFT;
    rest->pos = join->pos;
    rest->conds = join->conds;
    rest->conds_count = join->conds_count;
    if (!rest->right)
        return DN_FAIL_NOMEM(err);
    rc = from_on_subs(u->f, &subs, rest, err);
    if (rc < 0)
        return rc;
    rest = logic_clone(q, rest, &u->to_copy);
    marked = rest ? bind_var(b, logic_mapped(&u->to_copy, mark.var), join->pos) : NULL;
    if (!marked)
        return DN_FAIL_NOMEM(err);
    rc = bind_call(b, "is null", join->pos, &marked, 1, &none, err);
    if (rc < 0)
        return rc;
    *ret = logic_filter(q, rest, &none, 1);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* Variables of the union, and what both halves have for them. */
static int full_union(struct full *u, struct lnode *n, struct dn_err *err)
{
    struct planner *q = u->f->q;
    struct arena *arena = q->env->arena;
    uint32_t lefts = u->vars[0].n, count = lefts + u->vars[1].n;
    struct ldef *nulls = arena_calloc(arena, (size_t)lefts + 1, sizeof(*nulls));

    n->vars = arena_alloc_array(arena, (size_t)count + 1, sizeof(*n->vars));
    n->left_vars = arena_alloc_array(arena, (size_t)count + 1, sizeof(*n->left_vars));
    n->right_vars = arena_alloc_array(arena, (size_t)count + 1, sizeof(*n->right_vars));
    if (!nulls || !n->vars || !n->left_vars || !n->right_vars)
        return DN_FAIL_NOMEM(err);
    n->vars_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t var = i < lefts ? u->vars[0].v[i] : u->vars[1].v[i - lefts];
        struct lvar like = q->vars[var];
        uint32_t fresh = logic_var(q, like.name, like.type);

        if (!fresh || !logic_map_var(q, &u->to_union, var, fresh))
            return DN_FAIL_NOMEM(err);
        q->vars[fresh] = like;
        n->vars[i] = fresh;
        n->left_vars[i] = var;
        n->right_vars[i] = logic_mapped(&u->to_copy, var);
        if (i < lefts) {
            struct datum null = {.type = like.type, .null = true};
            int rc = bind_const(u->f->b, &null, n->pos, &nulls[i].e, err);

            nulls[i].var = logic_var(q, like.name, like.type);
            if (rc < 0 || !nulls[i].var)
                return rc < 0 ? rc : DN_FAIL_NOMEM(err);
            n->right_vars[i] = nulls[i].var;
        }
    }
    n->right = logic_map(q, n->right, nulls, lefts);
    return n->right ? 0 : DN_FAIL_NOMEM(err);
}

/* From here on the names mean columns of the union. */
static int full_rename(struct full *u, struct dn_err *err)
{
    for (uint32_t side = 0; side < 2; side++) {
        struct scope *s = u->of->sides[side];

        for (uint32_t i = 0; i < s->rels_count; i++) {
            struct lrel *rel = s->rels[i];

            for (uint32_t k = 0; k < rel->cols_count; k++)
                rel->cols[k].var = logic_mapped(&u->to_union, rel->cols[k].var);
            rel->mark = logic_mapped(&u->to_union, rel->mark);
        }
    }
    for (uint32_t i = 0; i < u->of->scope->names_count; i++) {
        struct lname *name = &u->of->scope->names[i];

        if (!name->rel)
            name->var = logic_mapped(&u->to_union, name->var);
    }
    for (uint32_t i = 0; i < u->of->defs_count; i++) {
        struct ldef *d = &u->of->defs[i];

        d->e = logic_replace(u->f->q, d->e, u->to_union.v, u->to_union.n);
        if (!d->e)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

int from_full(struct from *f, const struct from_full *full, struct lnode **ret, struct dn_err *err)
{
    struct full u = {.f = f, .of = full};
    struct lnode *n = logic_node(f->q, L_SETOP, full->join);
    int rc = n ? 0 : DN_FAIL_NOMEM(err);

    for (uint32_t side = 0; rc == 0 && side < 2; side++)
        rc = full_vars(&u, side, err);
    if (rc == 0)
        rc = full_rest(&u, &n->right, err);
    if (rc == 0) {
        full->join->join = PLAN_JOIN_LEFT;
        rc = from_on_subs(f, full->subs, full->join, err);
    }
    if (rc < 0)
        return rc;
    n->setop = PLAN_SETOP_UNION_ALL;
    n->all = true;
    n->pos = full->join->pos;
    rc = full_union(&u, n, err);
    if (rc == 0)
        rc = full_rename(&u, err);
    *ret = n;
    return rc;
}
