/* SPDX-License-Identifier: Apache-2.0
 *
 * from_join.c: JOIN in FROM: conditions, columns in common, names. */
#include "plan/decimal.h"
#include "plan/from_int.h"

#include "base/text.h"

/* A join while it is bound. */
struct from_pair {
    const struct from_item *item;
    struct from_part sides[2];
    struct lnode *join;
    const struct spec_name *using; /* also of NATURAL */
    uint32_t using_count;
    struct lexprs conds;
    struct scope merged;   /* names of columns in common */
    struct bind_subs subs; /* of ON */
};

static const struct lname *
from_name_in(const struct scope *s, const char *name, uint32_t *ret_count)
{
    const struct lname *found = NULL;

    for (int fold = 0; fold <= 1 && !found; fold++) {
        *ret_count = 0;
        for (uint32_t i = 0; i < s->names_count; i++) {
            const char *own = s->names[i].name;

            if (!(fold ? text_same_fold(own, strlen(own), name, strlen(name))
                       : strcmp(own, name) == 0))
                continue;
            found = &s->names[i];
            ++*ret_count;
        }
    }
    return found;
}

static int from_using_side(const struct scope *s,
                           const struct spec_name *name,
                           const char *side,
                           const struct lname **ret,
                           struct dn_err *err)
{
    uint32_t count = 0;
    const struct lname *found = from_name_in(s, name->s, &count);
    int rc = 0;

    if (!found)
        rc = DN_FAIL(err,
                     DN_E_UNDEFINED_COLUMN,
                     "column \"%s\" specified in USING clause does not exist in %s table",
                     name->s,
                     side);
    else if (count > 1)
        rc = DN_FAIL(err,
                     DN_E_AMBIGUOUS,
                     "common column name \"%s\" appears more than once in %s table",
                     name->s,
                     side);
    dn_err_at(err, rc < 0 ? name->pos : 0);
    *ret = found;
    return rc;
}

/* The value of a column that two sides have in common. */
static int from_merged(struct from *f,
                       struct from_pair *p,
                       struct bexpr *l,
                       struct bexpr *r,
                       struct lname *ret,
                       struct dn_err *err)
{
    const struct from_item *item = p->item;
    struct lnode *join = p->join;
    struct bexpr *args[2] = {l, r};
    struct ldef *more;
    struct bexpr *both;
    int rc;

    ret->rel = NULL;
    ret->type = l->type;
    if (item->join != JOIN_FULL && l->type == r->type) {
        ret->var = item->join == JOIN_RIGHT ? r->col : l->col;
        return 0;
    }
    rc = bind_merge(f->b, args, item->join == JOIN_FULL, item->join == JOIN_RIGHT, &both, err);
    if (rc < 0)
        return rc;
    ret->type = both->type;
    ret->var = logic_var(f->q, ret->name, both->type);
    more = arena_alloc_array(f->q->env->arena, (size_t)join->defs_count + 1, sizeof(*more));
    if (!ret->var || !more)
        return DN_FAIL_NOMEM(err);
    f->q->vars[ret->var].level = f->level;
    logic_set_like(f->q, ret->var, both);
    if (join->defs_count)
        memcpy(more, join->defs, join->defs_count * sizeof(*more));
    more[join->defs_count++] = (struct ldef){.var = ret->var, .e = both};
    join->defs = more; /* a MAP above the join is made of them */
    return 0;
}

static int from_using_once(const struct spec_name *names, uint32_t at, struct dn_err *err)
{
    int rc;

    for (uint32_t i = 0; i < at; i++) {
        if (strcmp(names[i].s, names[at].s) != 0)
            continue;
        rc = DN_FAIL(err,
                     DN_E_DUPLICATE_COLUMN,
                     "column name \"%s\" appears more than once in USING clause",
                     names[at].s);
        dn_err_at(err, names[at].pos);
        return rc;
    }
    return 0;
}

/* USING (a, b): l.a = r.a AND …, and one column for both in front of the others. */
static int from_using(struct from *f, struct from_pair *p, struct dn_err *err)
{
    const struct spec_name *names = p->using;
    struct from_part *sides = p->sides;

    for (uint32_t i = 0; i < p->using_count; i++) {
        const struct lname *ln, *rn;
        struct lname name = {0};
        struct bexpr *l, *r, *cond;
        uint32_t lv, rv;
        int rc = from_using_once(names, i, err);

        if (rc == 0)
            rc = from_using_side(&sides[0].scope, &names[i], "left", &ln, err);
        if (rc == 0)
            rc = from_using_side(&sides[1].scope, &names[i], "right", &rn, err);
        if (rc == 0)
            rc = scope_may(ln->rel, ln->col, SCOPE_NO_SELECT, names[i].pos, err);
        if (rc == 0)
            rc = scope_may(rn->rel, rn->col, SCOPE_NO_SELECT, names[i].pos, err);
        if (rc < 0)
            return rc;
        lv = scope_name_var(f->q, &sides[0].scope, ln);
        rv = scope_name_var(f->q, &sides[1].scope, rn);
        l = lv ? bind_var(f->b, lv, names[i].pos) : NULL;
        r = rv ? bind_var(f->b, rv, names[i].pos) : NULL;
        if (!l || !r)
            return DN_FAIL_NOMEM(err);
        rc = bind_compare(f->b, OP_EQ, names[i].pos, l, r, &cond, err);
        if (rc < 0)
            return rc;
        name.name = ln->name;
        rc = from_merged(f, p, l, r, &name, err);
        if (rc < 0)
            return rc;
        if (!lexprs_add(f->q->env->arena, &p->conds, cond) ||
            !scope_add_name(f->q, &p->merged, &name))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static bool from_is_merged(const struct scope *merged, const char *name)
{
    for (uint32_t i = 0; i < merged->names_count; i++) {
        const char *own = merged->names[i].name;

        if (text_same_fold(own, strlen(own), name, strlen(name)))
            return true;
    }
    return false;
}

/* NATURAL: the names that both sides have. */
static int from_natural(struct from *f,
                        const struct from_item *item,
                        const struct from_part *sides,
                        struct spec_name **ret,
                        uint32_t *ret_count,
                        struct dn_err *err)
{
    const struct scope *l = &sides[0].scope;
    uint32_t n = 0;

    *ret = arena_calloc(f->q->env->arena, (size_t)l->names_count + 1, sizeof(**ret));
    if (!*ret)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < l->names_count; i++) {
        uint32_t count;

        if (from_name_in(&sides[1].scope, l->names[i].name, &count))
            (*ret)[n++] = (struct spec_name){.s = l->names[i].name, .pos = item->pos};
    }
    *ret_count = n;
    return 0;
}

static int from_fail_twice(const struct lrel *rel, struct dn_err *err)
{
    int rc = DN_FAIL(
        err, DN_E_DUPLICATE_ALIAS, "table name \"%s\" specified more than once", rel->alias);

    dn_err_hint(err, "Give one of them another name: %s AS …", rel->alias);
    dn_err_at(err, rel->pos);
    return rc;
}

int from_join_names(struct from *f,
                    const struct from_part *sides,
                    const struct scope *merged,
                    struct scope *to,
                    struct dn_err *err)
{
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < sides[k].scope.rels_count; i++) {
            struct lrel *rel = sides[k].scope.rels[i];

            if (rel->alias && k == 1 && scope_rel(&sides[0].scope, rel->schema, rel->alias) &&
                strcmp(scope_rel(&sides[0].scope, rel->schema, rel->alias)->alias, rel->alias) ==
                    0) {
                return from_fail_twice(rel, err);
            }
            if (!scope_add_rel(f->q, to, rel))
                return DN_FAIL_NOMEM(err);
        }
    }
    for (uint32_t i = 0; i < merged->names_count; i++) {
        if (!scope_add_name(f->q, to, &merged->names[i]))
            return DN_FAIL_NOMEM(err);
    }
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < sides[k].scope.names_count; i++) {
            const struct lname *name = &sides[k].scope.names[i];

            if (!from_is_merged(merged, name->name) && !scope_add_name(f->q, to, name))
                return DN_FAIL_NOMEM(err);
        }
    }
    return 0;
}

static int from_on(struct from *f,
                   const struct from_item *item,
                   const struct scope *seen,
                   struct bind_subs *subs,
                   struct lexprs *conds,
                   struct dn_err *err)
{
    struct binder b = *f->b;
    struct bexpr *cond;
    int rc;

    if (!item->on)
        return 0;
    b.scope = seen;
    b.clause = "JOIN conditions";
    b.aggs_allowed = false;
    b.windows_allowed = false;
    b.subs = subs;
    rc = bind_where(&b, item->on, "JOIN/ON", &cond, err);
    if (rc < 0)
        return rc;
    return logic_split(f->q, cond, conds) ? 0 : DN_FAIL_NOMEM(err);
}

/* Which sides of a join a subquery of its ON depends on. */
static int from_sub_sides(struct from *f,
                          const struct bind_sub *sub,
                          const struct lnode *join,
                          bool *ret_left,
                          bool *ret_right,
                          struct dn_err *err)
{
    struct lvars uses = {0}, left = {0}, right = {0};

    *ret_left = *ret_right = false;
    if (!logic_free(f->q, sub->tree, &uses) || !logic_gives(f->q, join->in, &left) ||
        !logic_gives(f->q, join->right, &right))
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < sub->conds_count; k++) {
        if (!logic_uses(f->q, sub->conds[k], &uses))
            return DN_FAIL_NOMEM(err);
    }
    if (sub->guard && !logic_uses(f->q, sub->guard, &uses))
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < uses.n; k++) {
        *ret_left = *ret_left || lvars_has(&left, uses.v[k]);
        *ret_right = *ret_right || lvars_has(&right, uses.v[k]);
    }
    return 0;
}

int from_on_subs(struct from *f,
                 const struct bind_subs *subs,
                 struct lnode *join,
                 struct dn_err *err)
{
    for (uint32_t i = 0; i < subs->n; i++) {
        struct bind_subs one = {.v = &subs->v[i], .n = 1};
        bool left, right;
        int rc = from_sub_sides(f, &subs->v[i], join, &left, &right, err);

        if (rc == 0)
            rc = bind_attach(f->b, &one, right ? &join->right : &join->in, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Has a FULL join subqueries that depend on both sides? Their guards may be of the other side. */
static int from_is_split(struct from *f,
                         const struct bind_subs *subs,
                         const struct lnode *join,
                         bool *ret,
                         struct dn_err *err)
{
    int rc = 0;

    *ret = false;
    for (uint32_t i = 0; rc == 0 && i < subs->n && join->join == PLAN_JOIN_FULL; i++) {
        bool left, right;

        subs->v[i].guard = NULL;
        rc = from_sub_sides(f, &subs->v[i], join, &left, &right, err);
        *ret = *ret || (left && right);
    }
    return rc;
}

static int from_join_node(struct from *f,
                          struct from_pair *p,
                          struct scope *scope,
                          struct lnode **ret,
                          struct dn_err *err)
{
    const struct from_item *item = p->item;
    struct lnode *join = p->join;
    struct ldef *defs = join->defs; /* of merged columns: above the join */
    uint32_t defs_count = join->defs_count;
    struct lnode *tree = join;
    bool split = false;
    int rc = 0;

    join->defs = NULL;
    join->defs_count = 0;
    for (int k = 0; k < 2; k++) {
        const struct scope *side = &p->sides[k].scope;
        bool nullable = item->join == JOIN_FULL || item->join == (k ? JOIN_LEFT : JOIN_RIGHT);

        for (uint32_t i = 0; nullable && i < side->rels_count; i++)
            side->rels[i]->nullable = true;
    }
    if (item->join == JOIN_RIGHT) {
        struct lnode *swap = join->in;

        join->in = join->right;
        join->right = swap;
    }
    join->join = item->join == JOIN_LEFT || item->join == JOIN_RIGHT ? PLAN_JOIN_LEFT
                 : item->join == JOIN_FULL                           ? PLAN_JOIN_FULL
                                                                     : PLAN_JOIN_INNER;
    rc = from_is_split(f, &p->subs, join, &split, err);
    if (rc == 0 && p->subs.n && join->join != PLAN_JOIN_INNER && !split)
        rc = from_on_subs(f, &p->subs, join, err);
    if (rc < 0)
        return rc;
    if (p->subs.n && join->join == PLAN_JOIN_INNER) {
        rc = bind_attach(f->b, &p->subs, &tree, err);
        if (rc < 0)
            return rc;
        tree = logic_filter(f->q, tree, p->conds.v, p->conds.n);
    } else {
        join->conds = p->conds.v;
        join->conds_count = p->conds.n;
    }
    if (split)
        rc = from_full(f,
                       &(struct from_full){.join = join,
                                           .subs = &p->subs,
                                           .sides = {&p->sides[0].scope, &p->sides[1].scope},
                                           .scope = scope,
                                           .defs = defs,
                                           .defs_count = defs_count},
                       &tree,
                       err);
    if (rc < 0)
        return rc;
    if (tree)
        tree = logic_map(f->q, tree, defs, defs_count);
    *ret = tree;
    return tree ? 0 : DN_FAIL_NOMEM(err);
}

/* (a JOIN b) AS j (x, y): one table. */
static int from_join_alias(struct from *f,
                           const struct from_item *item,
                           struct from_part *part,
                           struct dn_err *err)
{
    struct lrel *rel = from_rel(f, item->alias, part->scope.names_count, item->pos);
    struct scope whole = part->scope;
    uint8_t *closed =
        arena_calloc(f->q->env->arena, (size_t)whole.names_count + 1, sizeof(*closed));
    int rc;

    if (!rel || !closed)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < whole.names_count; i++) {
        uint32_t var = scope_name_var(f->q, &whole, &whole.names[i]);
        const struct lrel *of = whole.names[i].rel;

        if (!var)
            return DN_FAIL_NOMEM(err);
        if (of && of->closed) {
            closed[i] = of->closed[whole.names[i].col];
            rel->closed = closed;
            rel->closed_for = of->closed_for;
        }
        rel->cols[i] =
            (struct lcol){.name = whole.names[i].name, .type = f->q->vars[var].type, .var = var};
    }
    rc = from_rename(rel, item->columns, item->columns_count, err);
    if (rc < 0)
        return rc;
    part->scope = (struct scope){.outer = whole.outer, .level = whole.level, .withs = whole.withs};
    return from_add(f, rel, part, err);
}

/* USING (a, b) AS u: the columns in common under a name of their own. */
static int from_using_alias(struct from *f,
                            const struct from_item *item,
                            const struct scope *merged,
                            struct scope *to,
                            struct dn_err *err)
{
    struct lrel *rel = from_rel(f, item->using_alias, merged->names_count, item->pos);
    const struct lrel *same = scope_rel(to, NULL, item->using_alias);

    if (!rel)
        return DN_FAIL_NOMEM(err);
    if (same && strcmp(same->alias, rel->alias) == 0)
        return from_fail_twice(rel, err);
    for (uint32_t i = 0; i < merged->names_count; i++)
        rel->cols[i] = (struct lcol){.name = merged->names[i].name,
                                     .type = merged->names[i].type,
                                     .var = merged->names[i].var};
    return scope_add_rel(f->q, to, rel) ? 0 : DN_FAIL_NOMEM(err);
}

/* Rows of the right side are kept without a partner: they cannot depend on one. */
static int from_no_lateral(struct from *f, const struct from_pair *p, struct dn_err *err)
{
    struct lvars given = {0}, free = {0};

    if (!logic_gives(f->q, p->sides[0].tree, &given) || !logic_free(f->q, p->sides[1].tree, &free))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < free.n; i++) {
        int rc;

        if (!lvars_has(&given, free.v[i]))
            continue;
        rc = DN_FAIL(err,
                     DN_E_UNCOVERED_KEY,
                     "the combining JOIN type must be INNER or LEFT for a LATERAL reference");
        dn_err_at(err, p->item->right->pos);
        return rc;
    }
    return 0;
}

int from_join(struct from *f,
              const struct from_item *item,
              const struct scope *left,
              struct from_part *ret,
              struct dn_err *err)
{
    struct from_pair *p = arena_calloc(f->q->env->arena, 1, sizeof(*p));
    struct scope *seen = arena_dup(f->q->env->arena, left, sizeof(*seen));
    struct spec_name *natural;
    int rc;

    if (!p || !seen)
        return DN_FAIL_NOMEM(err);
    p->item = item;
    p->using = item->using;
    p->using_count = item->using_count;
    seen->rels_cap = seen->names_cap = 0; /* a copy that grows apart */
    rc = from_item(f, item->left, left, &p->sides[0], err);
    if (rc == 0 && !scope_append(f->q, seen, &p->sides[0].scope))
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0)
        rc = from_item(f, item->right, seen, &p->sides[1], err);
    if (rc < 0)
        return rc;
    if (item->join == JOIN_RIGHT || item->join == JOIN_FULL)
        rc = from_no_lateral(f, p, err);
    if (rc < 0)
        return rc;
    p->join = logic_node(f->q, L_JOIN, p->sides[0].tree);
    if (!p->join)
        return DN_FAIL_NOMEM(err);
    p->join->right = p->sides[1].tree;
    p->join->pos = item->pos;
    if (item->natural) {
        rc = from_natural(f, item, p->sides, &natural, &p->using_count, err);
        p->using = natural;
        plan_note_natural(f->q, item, natural, p->using_count);
    }
    if (rc == 0)
        rc = from_using(f, p, err);
    if (rc == 0)
        rc = from_join_names(f, p->sides, &p->merged, &ret->scope, err);
    if (rc == 0 && item->using_alias)
        rc = from_using_alias(f, item, &p->merged, &ret->scope, err);
    if (rc == 0)
        rc = from_on(f, item, &ret->scope, &p->subs, &p->conds, err);
    if (rc == 0)
        rc = from_join_node(f, p, &ret->scope, &ret->tree, err);
    if (rc == 0 && item->alias)
        rc = from_join_alias(f, item, ret, err);
    return rc;
}
