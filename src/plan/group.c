/* SPDX-License-Identifier: Apache-2.0
 *
 * group.c: GROUP BY: keys, and the sets that GROUPING SETS, ROLLUP and CUBE make of them.
 *
 * Each item of the clause stands for a list of sets of keys; several items multiply. The input is
 * kept as a CTE, each set aggregates it by its own keys, and the results follow on each other with
 * NULL for the keys that a set leaves out. */
#include "plan/clone.h"
#include "plan/select_int.h"

#define GROUP_SETS_MAX 4096u

static int group_keys(struct sel *s, const struct expr *e, struct sel_set *set, struct dn_err *err)
{
    uint32_t k;
    int rc;

    if (e->kind == EXPR_ROW && !e->row_word) {
        for (uint32_t i = 0; i < e->args_count; i++) {
            rc = group_keys(s, e->args[i], set, err);
            if (rc < 0)
                return rc;
        }
        return 0;
    }
    rc = select_group_expr(s, e, &k, err);
    if (rc < 0)
        return rc;
    return lvars_add_new(s->b.env->arena, &set->keys, k) ? 0 : DN_FAIL_NOMEM(err);
}

static int group_add(
    struct sel *s, struct sel_sets *to, const struct sel_set *set, uint32_t pos, struct dn_err *err)
{
    if (to->n == GROUP_SETS_MAX) {
        int rc = DN_FAIL(
            err, DN_E_TOO_COMPLEX, "too many grouping sets present (maximum %u)", GROUP_SETS_MAX);

        dn_err_at(err, pos);
        return rc;
    }
    if (to->n == to->cap) {
        uint32_t cap = to->cap ? 2 * to->cap : 8;
        struct sel_set *more = arena_alloc_array(s->b.env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (to->n)
            memcpy(more, to->v, to->n * sizeof(*more));
        to->v = more;
        to->cap = cap;
    }
    to->v[to->n++] = *set;
    return 0;
}

/* The union of some steps of a ROLLUP or CUBE. */
static int group_steps(struct sel *s,
                       const struct sel_set *steps,
                       uint32_t count,
                       uint64_t which,
                       struct sel_set *ret,
                       struct dn_err *err)
{
    *ret = (struct sel_set){.keys = {0}};
    for (uint32_t i = 0; i < count; i++) {
        if (!(which >> i & 1))
            continue;
        for (uint32_t k = 0; k < steps[i].keys.n; k++) {
            if (!lvars_add_new(s->b.env->arena, &ret->keys, steps[i].keys.v[k]))
                return DN_FAIL_NOMEM(err);
        }
    }
    return 0;
}

static int
group_rollup(struct sel *s, const struct group_item *g, struct sel_sets *to, struct dn_err *err)
{
    bool cube = g->kind == GROUP_CUBE;
    struct sel_set *steps =
        arena_calloc(s->b.env->arena, (size_t)g->items_count + 1, sizeof(*steps));
    struct sel_set set;
    int rc;

    if (!steps)
        return DN_FAIL_NOMEM(err);
    if (g->items_count > (cube ? 12u : 63u)) {
        rc = DN_FAIL(err,
                     DN_E_TOO_COMPLEX,
                     "%s is limited to %u elements",
                     cube ? "CUBE" : "ROLLUP",
                     cube ? 12u : 63u);
        dn_err_at(err, g->pos);
        return rc;
    }
    for (uint32_t i = 0; i < g->items_count; i++) {
        rc = group_keys(s, g->items[i].expr, &steps[i], err);
        if (rc < 0)
            return rc;
    }
    for (uint64_t n = (uint64_t)1 << g->items_count; cube && n-- > 0;) {
        rc = group_steps(s, steps, g->items_count, n, &set, err);
        if (rc == 0)
            rc = group_add(s, to, &set, g->pos, err);
        if (rc < 0)
            return rc;
    }
    for (uint32_t n = g->items_count + 1; !cube && n-- > 0;) {
        rc = group_steps(s, steps, g->items_count, ((uint64_t)1 << n) - 1, &set, err);
        if (rc == 0)
            rc = group_add(s, to, &set, g->pos, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int
group_item_sets(struct sel *s, const struct group_item *g, struct sel_sets *to, struct dn_err *err)
{
    struct sel_set set = {.keys = {0}};
    int rc = 0;

    switch (g->kind) {
    case GROUP_EXPR:
        rc = group_keys(s, g->expr, &set, err);
        return rc < 0 ? rc : group_add(s, to, &set, g->pos, err);
    case GROUP_EMPTY:
        return group_add(s, to, &set, g->pos, err);
    case GROUP_ROLLUP:
    case GROUP_CUBE:
        return group_rollup(s, g, to, err);
    case GROUP_SETS:
        for (uint32_t i = 0; rc == 0 && i < g->items_count; i++)
            rc = group_item_sets(s, &g->items[i], to, err);
        return rc;
    case GROUP_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown kind of GROUP BY item: %d", (int)g->kind);
}

static bool group_same(const struct sel_set *a, const struct sel_set *b)
{
    if (a->keys.n != b->keys.n)
        return false;
    for (uint32_t i = 0; i < a->keys.n; i++) {
        if (!lvars_has(&b->keys, a->keys.v[i]))
            return false;
    }
    return true;
}

static int group_multiply(struct sel *s,
                          const struct sel_sets *a,
                          const struct sel_sets *b,
                          uint32_t pos,
                          struct sel_sets *ret,
                          struct dn_err *err)
{
    *ret = (struct sel_sets){.n = 0};
    for (uint32_t i = 0; i < a->n; i++) {
        for (uint32_t k = 0; k < b->n; k++) {
            struct sel_set pair[2] = {a->v[i], b->v[k]};
            struct sel_set set;
            int rc = group_steps(s, pair, 2, 3, &set, err);

            if (rc == 0)
                rc = group_add(s, ret, &set, pos, err);
            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int group_sets(struct sel *s, struct dn_err *err)
{
    const struct select_core *core = s->core;
    struct sel_sets all = {0}, kept = {0};
    struct sel_set none = {.keys = {0}};
    int rc = group_add(s, &all, &none, 0, err);

    for (uint32_t i = 0; rc == 0 && i < core->group_by_count; i++) {
        struct sel_sets one = {0}, both;

        rc = group_item_sets(s, &core->group_by[i], &one, err);
        if (rc == 0)
            rc = group_multiply(s, &all, &one, core->group_by[i].pos, &both, err);
        if (rc == 0)
            all = both;
    }
    for (uint32_t i = 0; rc == 0 && i < all.n; i++) {
        bool known = false;

        for (uint32_t k = 0; core->group_distinct && k < kept.n && !known; k++)
            known = group_same(&all.v[i], &kept.v[k]);
        if (!known)
            rc = group_add(s, &kept, &all.v[i], 0, err);
    }
    s->sets = kept;
    return rc;
}

int select_group_by(struct sel *s, struct dn_err *err)
{
    const struct select_core *core = s->core;
    struct sel_set all = {.keys = {0}};
    int rc = 0;

    for (uint32_t i = 0; i < core->group_by_count; i++)
        s->has_sets = s->has_sets || core->group_by[i].kind != GROUP_EXPR;
    if (s->has_sets)
        return group_sets(s, err);
    for (uint32_t i = 0; rc == 0 && i < core->group_by_count; i++)
        rc = group_keys(s, core->group_by[i].expr, &all, err);
    return rc;
}

/* ---- GROUPING() ---- */

int select_grouping(struct sel *s,
                    struct bexpr *const *args,
                    uint32_t count,
                    uint32_t pos,
                    struct bexpr **ret,
                    struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct sel_grouping *g;

    if (s->groupings_count == SEL_GROUPINGS_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u calls of GROUPING", SEL_GROUPINGS_MAX);
    g = &s->groupings[s->groupings_count++];
    *g = (struct sel_grouping){.args = args, .count = count, .pos = pos};
    g->var = logic_var(q, "grouping", TYPE_INTEGER);
    *ret = g->var ? bind_var(&s->b, g->var, pos) : NULL;
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* What GROUPING(…) is in a set: a bit for each argument, 1 = not among its keys. */
static int group_grouping_value(struct sel *s,
                                const struct sel_grouping *g,
                                const struct sel_set *set,
                                int64_t *ret,
                                struct dn_err *err)
{
    *ret = 0;
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t k = 0;

        while (k < s->keys_count && !bind_same(s->keys[k].e, g->args[i]))
            k++;
        if (k == s->keys_count) {
            int rc = DN_FAIL(
                err,
                DN_E_GROUPING,
                "arguments to GROUPING must be grouping expressions of the associated query "
                "level");

            dn_err_at(err, g->pos);
            return rc;
        }
        *ret = *ret << 1 | (set && !lvars_has(&set->keys, k));
    }
    return 0;
}

static int group_groupings(struct sel *s,
                           const struct sel_set *set,
                           struct ldef *defs,
                           uint32_t *count,
                           struct dn_err *err)
{
    for (uint32_t i = 0; i < s->groupings_count; i++) {
        struct datum d = {.type = TYPE_INTEGER};
        int rc = group_grouping_value(s, &s->groupings[i], set, &d.v.i64, err);

        if (rc == 0)
            rc = bind_const(&s->b, &d, 0, &defs[*count].e, err);
        if (rc < 0)
            return rc;
        defs[(*count)++].var = s->groupings[i].var;
    }
    return 0;
}

/* ---- the nodes ---- */

static int group_agg(struct sel *s,
                     const struct sel_set *set,
                     struct lnode *in,
                     struct lnode **ret,
                     struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct lnode *n = logic_node(q, L_AGG, in);

    if (!n)
        return DN_FAIL_NOMEM(err);
    n->aggs = arena_alloc_array(q->env->arena, (size_t)s->aggs_count + 1, sizeof(*n->aggs));
    n->aggs_count = s->aggs_count;
    n->defs = arena_alloc_array(q->env->arena, (size_t)s->keys_count + 1, sizeof(*n->defs));
    if (!n->aggs || !n->defs)
        return DN_FAIL_NOMEM(err);
    if (s->aggs_count)
        memcpy(n->aggs, s->aggs, s->aggs_count * sizeof(*n->aggs));
    for (uint32_t k = 0; k < s->keys_count; k++) {
        if (!set || lvars_has(&set->keys, k))
            n->defs[n->defs_count++] = s->keys[k];
    }
    *ret = n;
    return 0;
}

static bool
group_replace_agg(struct planner *q, struct plan_agg *a, const struct ldef *defs, uint32_t n)
{
    struct plan_agg_order *order = NULL;

    if (a->arg)
        a->arg = logic_replace(q, a->arg, defs, n);
    if (a->arg2)
        a->arg2 = logic_replace(q, a->arg2, defs, n);
    if (a->order_count) {
        order = arena_dup(q->env->arena, a->order, a->order_count * sizeof(*order));
        if (!order)
            return false;
        for (uint32_t i = 0; i < a->order_count; i++) {
            order[i].e = logic_replace(q, order[i].e, defs, n);
            if (!order[i].e)
                return false;
        }
        a->order = order;
    }
    return true;
}

/* The same where the input depends on rows of the queries around, so that it cannot be shared. */
static int group_copy(struct sel *s,
                      const struct lcte *input,
                      struct ldef *fresh,
                      struct lnode **ret,
                      struct dn_err *err)
{
    struct lmap map = {0};

    *ret = logic_clone(s->b.q, input->tree, &map);
    if (!*ret)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < input->vars_count; i++) {
        fresh[i].var = input->vars[i];
        fresh[i].e = bind_var(&s->b, logic_mapped(&map, input->vars[i]), 0);
        if (!fresh[i].e)
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* A node that reads the shared input; fresh gets its variables for those of the input. */
static int group_read(
    struct sel *s, struct lcte *input, struct ldef *fresh, struct lnode **ret, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct arena *arena = q->env->arena;
    struct lnode *read;

    if (input->bound)
        return group_copy(s, input, fresh, ret, err);
    read = logic_node(q, L_CTE, NULL);
    if (!read)
        return DN_FAIL_NOMEM(err);
    read->cte = input;
    read->vars_count = input->vars_count;
    read->vars = arena_alloc_array(arena, (size_t)input->vars_count + 1, sizeof(*read->vars));
    if (!read->vars)
        return DN_FAIL_NOMEM(err);
    input->refs++;
    for (uint32_t i = 0; i < input->vars_count; i++) {
        const struct lvar *v = &q->vars[input->vars[i]];

        read->vars[i] = logic_var(q, v->name, v->type);
        fresh[i].var = input->vars[i];
        fresh[i].e = read->vars[i] ? bind_var(&s->b, read->vars[i], 0) : NULL;
        if (!fresh[i].e)
            return DN_FAIL_NOMEM(err);
    }
    *ret = read;
    return 0;
}

/* One set: the shared input read anew, aggregated, and brought to the form of all sets. */
static int group_one_set(struct sel *s,
                         const struct sel_set *set,
                         struct lcte *input,
                         struct qout *ret,
                         struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct arena *arena = q->env->arena;
    uint32_t total = s->keys_count + s->aggs_count + s->groupings_count;
    struct ldef *fresh = arena_alloc_array(arena, (size_t)input->vars_count + 1, sizeof(*fresh));
    struct ldef *defs = arena_alloc_array(arena, (size_t)total + 1, sizeof(*defs));
    struct lnode *agg, *read;
    uint32_t n = 0;
    int rc;

    *ret = (struct qout){.count = total};
    ret->vars = arena_alloc_array(arena, (size_t)total + 1, sizeof(*ret->vars));
    if (!fresh || !defs || !ret->vars)
        return DN_FAIL_NOMEM(err);
    rc = group_read(s, input, fresh, &read, err);
    if (rc == 0)
        rc = group_agg(s, set, read, &agg, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < agg->defs_count; i++) {
        agg->defs[i].e = logic_replace(q, agg->defs[i].e, fresh, input->vars_count);
        agg->defs[i].var = logic_var(q, "key", agg->defs[i].e ? agg->defs[i].e->type : TYPE_NONE);
        if (!agg->defs[i].e || !agg->defs[i].var)
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < agg->aggs_count; i++) {
        agg->aggs[i].var = logic_var(q, agg->aggs[i].agg.agg->name, q->vars[agg->aggs[i].var].type);
        if (!agg->aggs[i].var || !group_replace_agg(q, &agg->aggs[i].agg, fresh, input->vars_count))
            return DN_FAIL_NOMEM(err);
        ret->vars[s->keys_count + i] = agg->aggs[i].var;
    }
    for (uint32_t k = 0, at = 0; k < s->keys_count; k++) {
        struct datum null = {.type = s->keys[k].e->type, .null = true};

        if (lvars_has(&set->keys, k)) {
            ret->vars[k] = agg->defs[at++].var;
            continue;
        }
        rc = bind_const(&s->b, &null, 0, &defs[n].e, err);
        if (rc < 0)
            return rc;
        defs[n].var = ret->vars[k] = logic_var(q, "key", null.type);
        if (!defs[n++].var)
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < s->groupings_count; i++) {
        struct datum d = {.type = TYPE_INTEGER};

        rc = group_grouping_value(s, &s->groupings[i], set, &d.v.i64, err);
        if (rc == 0)
            rc = bind_const(&s->b, &d, 0, &defs[n].e, err);
        if (rc < 0)
            return rc;
        defs[n].var = ret->vars[s->keys_count + s->aggs_count + i] =
            logic_var(q, "grouping", TYPE_INTEGER);
        if (!defs[n++].var)
            return DN_FAIL_NOMEM(err);
    }
    ret->tree = logic_map(q, agg, defs, n);
    return ret->tree ? 0 : DN_FAIL_NOMEM(err);
}

/* The input of all sets: what keys and aggregates use of it. */
static int group_input(struct sel *s, struct lcte **ret, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct lcte *c = arena_calloc(q->env->arena, 1, sizeof(*c));
    struct lnode probe = {.kind = L_AGG,
                          .in = s->tree,
                          .defs = s->keys,
                          .defs_count = s->keys_count,
                          .aggs = s->aggs,
                          .aggs_count = s->aggs_count};
    struct lvars used = {0}, given = {0};
    struct lvars keep = {0}, free = {0};

    if (!c || !logic_uses_here(q, &probe, &used) || !logic_gives(q, s->tree, &given) ||
        !logic_free(q, s->tree, &free))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < used.n; i++) {
        if (lvars_has(&given, used.v[i]) && !lvars_add(q->env->arena, &keep, used.v[i]))
            return DN_FAIL_NOMEM(err);
    }
    *c = (struct lcte){.name = "grouping sets",
                       .tree = s->tree,
                       .vars = keep.v,
                       .vars_count = keep.n,
                       .keep = true,
                       .bound = free.n > 0 || query_steps(q, s->tree),
                       .number = UINT32_MAX};
    *ret = c;
    return 0;
}

/* A union of one: its variables under the names of all. */
static int group_rename(struct sel *s, struct lnode *n, struct dn_err *err)
{
    struct planner *q = s->b.q;

    n->kind = L_MAP;
    n->right = NULL;
    n->defs = arena_alloc_array(q->env->arena, (size_t)n->vars_count + 1, sizeof(*n->defs));
    if (!n->defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        n->defs[i].var = n->vars[i];
        n->defs[i].e = bind_var(&s->b, n->left_vars[i], 0);
        if (!n->defs[i].e)
            return DN_FAIL_NOMEM(err);
    }
    n->defs_count = n->vars_count;
    n->vars_count = 0;
    n->vars = n->left_vars = n->right_vars = NULL;
    return 0;
}

static int group_all_sets(struct sel *s, struct dn_err *err)
{
    struct planner *q = s->b.q;
    uint32_t total = s->keys_count + s->aggs_count + s->groupings_count;
    struct lcte *input;
    struct qout all = {.count = 0};
    int rc = group_input(s, &input, err);

    for (uint32_t i = 0; rc == 0 && i < s->sets.n; i++) {
        struct lnode *n;
        struct qout one;

        rc = group_one_set(s, &s->sets.v[i], input, &one, err);
        if (rc < 0)
            return rc;
        if (i == 0 && s->sets.n > 1) {
            all = one;
            continue;
        }
        n = logic_node(q, L_SETOP, i == 0 ? one.tree : all.tree);
        if (!n)
            return DN_FAIL_NOMEM(err);
        n->setop = PLAN_SETOP_UNION_ALL;
        n->all = true;
        n->vars_count = total;
        n->left_vars = i == 0 ? one.vars : all.vars;
        n->right_vars = one.vars;
        n->right = one.tree;
        n->vars = arena_alloc_array(q->env->arena, (size_t)total + 1, sizeof(*n->vars));
        if (!n->vars)
            return DN_FAIL_NOMEM(err);
        for (uint32_t k = 0; k < total; k++) {
            if (i + 1 < s->sets.n)
                n->vars[k] = logic_var(q, "set", q->vars[one.vars[k]].type);
            else
                n->vars[k] = k < s->keys_count ? s->keys[k].var
                             : k < s->keys_count + s->aggs_count
                                 ? s->aggs[k - s->keys_count].var
                                 : s->groupings[k - s->keys_count - s->aggs_count].var;
            if (!n->vars[k])
                return DN_FAIL_NOMEM(err);
        }
        if (i == 0) { /* the only set: nothing to unite it with */
            rc = group_rename(s, n, err);
            if (rc < 0)
                return rc;
        }
        all = (struct qout){.tree = n, .vars = n->vars, .count = total};
    }
    s->tree = all.tree;
    return rc;
}

int select_aggregate(struct sel *s, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct ldef defs[SEL_GROUPINGS_MAX];
    uint32_t n = 0;
    int rc;

    if (s->has_sets)
        return group_all_sets(s, err);
    rc = group_agg(s, NULL, s->tree, &s->tree, err);
    if (rc == 0)
        rc = group_groupings(s, NULL, defs, &n, err);
    if (rc < 0)
        return rc;
    s->tree = logic_map(q, s->tree, defs, n);
    return s->tree ? 0 : DN_FAIL_NOMEM(err);
}
