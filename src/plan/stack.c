/* SPDX-License-Identifier: Apache-2.0
 *
 * stack.c: the nodes of a SELECT whose parts are bound, one on the other:
 *
 *     FROM [subqueries of WHERE] [FILTER] [AGG] [subqueries] [FILTER having] [WINDOW …] MAP
 *     [AGG distinct | SORT UNIQUE] [SORT] [LIMIT] [MAP of what is volatile]
 *
 * with functions that return rows in between (select_rows.c). */
#include "plan/clone.h"
#include "plan/decimal.h"
#include "plan/query_set.h"
#include "plan/select_rows.h"

#include "base/text.h"

static int sel_filter(struct sel *s, struct bexpr *cond, struct dn_err *err)
{
    struct lexprs conds = {0};

    if (!cond)
        return 0;
    if (!logic_split(s->b.q, cond, &conds))
        return DN_FAIL_NOMEM(err);
    s->tree = logic_filter(s->b.q, s->tree, conds.v, conds.n);
    return s->tree ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- over the aggregation ---- */

static int sel_lift_call(struct sel *s, struct plan_window_call *c, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < c->args_count; i++)
        rc = bind_lift(&s->b, c->args[i], &c->args[i], err);
    if (rc == 0 && c->agg.arg)
        rc = bind_lift(&s->b, c->agg.arg, &c->agg.arg, err);
    if (rc == 0 && c->agg.arg2)
        rc = bind_lift(&s->b, c->agg.arg2, &c->agg.arg2, err);
    if (rc == 0 && c->filter)
        rc = bind_lift(&s->b, c->filter, &c->filter, err);
    return rc;
}

static int sel_lift_window(struct sel *s, struct sel_window *w, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < w->partition_count; i++)
        rc = bind_lift(&s->b, w->partition[i], &w->partition[i], err);
    for (uint32_t i = 0; rc == 0 && i < w->order_count; i++)
        rc = bind_lift(&s->b, w->order[i].e, &w->order[i].e, err);
    for (uint32_t i = 0; rc == 0 && i < w->calls_count; i++)
        rc = sel_lift_call(s, &w->calls[i].call, err);
    return rc;
}

/* A subquery above the aggregation may use group keys that are columns, nothing else of FROM. */
static int sel_lift_sub(struct sel *s, struct bind_sub *sub, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct lvars free = {0};
    struct lmap map = {0};
    int rc = 0;

    if (!sub->tree)
        return 0; /* moved below the aggregation */
    for (uint32_t i = 0; rc == 0 && i < sub->conds_count; i++)
        rc = bind_lift(&s->b, sub->conds[i], &sub->conds[i], err);
    if (rc == 0 && sub->guard)
        rc = bind_lift(&s->b, sub->guard, &sub->guard, err);
    if (rc == 0 && !logic_free(q, sub->tree, &free))
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < free.n; i++) {
        const struct lvar *v = &q->vars[free.v[i]];
        struct bexpr *e = v->level == s ? bind_var(&s->b, free.v[i], 0) : NULL;
        struct bexpr *lifted;

        if (v->level != s)
            continue;
        if (!e)
            return DN_FAIL_NOMEM(err);
        rc = bind_lift(&s->b, e, &lifted, err);
        if (rc == 0 && lifted->col != free.v[i] && /* the column of a grouping set */
            !logic_map_var(q, &map, free.v[i], lifted->col))
            rc = DN_FAIL_NOMEM(err);
        if (rc == DN_E_GROUPING)
            rc = DN_FAIL(err,
                         DN_E_GROUPING,
                         "subquery uses ungrouped column \"%s\" from outer query",
                         v->name);
    }
    if (rc == 0 && map.n > 0) {
        sub->tree = logic_rename(q, sub->tree, &map);
        rc = sub->tree ? 0 : DN_FAIL_NOMEM(err);
    }
    return rc;
}

static int sel_lift_all(struct sel *s, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < s->outs_count; i++) {
        struct sel_out *o = &s->outs[i];

        if (!o->key) {
            rc = bind_lift(&s->b, o->e, &o->e, err);
            continue;
        }
        o->e = bind_var(&s->b, s->keys[o->key - 1].var, o->e->pos);
        if (!o->e)
            return DN_FAIL_NOMEM(err);
    }
    if (rc == 0 && s->having)
        rc = bind_lift(&s->b, s->having, &s->having, err);
    for (uint32_t i = 0; rc == 0 && i < s->windows_count; i++)
        rc = sel_lift_window(s, &s->windows[i], err);
    for (uint32_t i = 0; rc == 0 && i < s->subs_outer.n; i++)
        rc = sel_lift_sub(s, &s->subs_outer.v[i], err);
    return rc < 0 ? rc : select_rows_lift(s, err);
}

/* Lifting may add keys (columns that depend on the keys), so it comes before the node is made. */
static int sel_group(struct sel *s, struct dn_err *err)
{
    int rc = sel_lift_all(s, err);

    return rc < 0 ? rc : select_aggregate(s, err);
}

/* ---- windows ---- */

/* Is it a variable of this query, not of one around it? */
static bool sel_own(struct sel *s, uint32_t var)
{
    if (!s->scope.outer)
        return true;
    if (s->given_of != s->tree) {
        s->given = (struct lvars){0};
        if (!logic_gives(s->b.q, s->tree, &s->given))
            return false; /* then the next allocation fails as well */
        s->given_of = s->tree;
    }
    return lvars_has(&s->given, var);
}

/* An expression as a variable: its own, or one of a MAP to be. */
static int sel_as_var(struct sel *s,
                      struct bexpr *e,
                      const char *name,
                      struct ldef *defs,
                      uint32_t *count,
                      uint32_t *ret,
                      struct dn_err *err)
{
    if (e->kind == BEXPR_COLUMN && sel_own(s, e->col)) {
        *ret = e->col;
        return 0;
    }
    for (uint32_t i = 0; i < *count; i++) {
        if (bind_same(defs[i].e, e) && !logic_volatile(e)) {
            *ret = defs[i].var;
            return 0;
        }
    }
    defs[*count].e = e;
    defs[*count].var = *ret = logic_var(s->b.q, name, e->type);
    logic_set_like(s->b.q, *ret, e);
    ++*count;
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* Those with more keys first: where their keys begin with those of others one sort serves both. */
static void sel_sort_windows(struct sel *s)
{
    for (uint32_t i = 1; i < s->windows_count; i++) {
        struct sel_window w = s->windows[i];
        uint32_t at = i;

        for (; at > 0 && s->windows[at - 1].partition_count + s->windows[at - 1].order_count <
                             w.partition_count + w.order_count;
             at--)
            s->windows[at] = s->windows[at - 1];
        s->windows[at] = w;
    }
}

static int sel_window(struct sel *s, const struct sel_window *w, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct arena *arena = q->env->arena;
    size_t total = (size_t)w->partition_count + w->order_count + 1;
    struct ldef *defs = arena_alloc_array(arena, total, sizeof(*defs));
    struct lnode *n = logic_node(q, L_WINDOW, NULL);
    uint32_t count = 0;
    int rc = 0;

    if (!defs || !n)
        return DN_FAIL_NOMEM(err);
    n->partition = arena_alloc_array(arena, total, sizeof(*n->partition));
    n->keys = arena_calloc(arena, total, sizeof(*n->keys));
    if (!n->partition || !n->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < w->partition_count; i++) {
        rc = sel_as_var(
            s, w->partition[i], "partition", defs, &count, &n->partition[n->partition_count], err);
        n->partition_count++;
    }
    for (uint32_t i = 0; rc == 0 && i < w->order_count; i++) {
        struct lkey *key = &n->keys[n->keys_count++];

        *key = (struct lkey){.desc = w->order[i].desc, .nulls_first = w->order[i].nulls_first};
        rc = sel_as_var(s, w->order[i].e, "order", defs, &count, &key->var, err);
    }
    if (rc < 0)
        return rc;
    n->in = logic_map(q, s->tree, defs, count);
    n->calls = w->calls;
    n->calls_count = w->calls_count;
    s->tree = n;
    return n->in ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- the select list ---- */

/* When an output is computed: with the others, once functions that return rows gave theirs, or for
 * the rows that are left after ORDER BY and LIMIT. */
enum sel_phase { SEL_PLAIN, SEL_SETS, SEL_LATE };

/* nextval() and its like count rows in their order, and only those that are returned. */
static bool sel_late(const struct sel *s, uint32_t out)
{
    if (!logic_volatile(s->outs[out].e) || s->core->distinct || s->rowfuncs_count > 0)
        return false;
    for (uint32_t i = 0; i < s->order_count; i++)
        if (s->order[i] == out)
            return false;
    return true;
}

static enum sel_phase sel_phase_of(const struct sel *s, uint32_t out)
{
    return select_has_sets(s, s->outs[out].e) ? SEL_SETS : sel_late(s, out) ? SEL_LATE : SEL_PLAIN;
}

static int sel_map(struct sel *s, enum sel_phase phase, struct dn_err *err)
{
    struct ldef *defs =
        arena_alloc_array(s->b.env->arena, (size_t)s->outs_count + 1, sizeof(*defs));
    uint32_t count = 0;

    if (!defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < s->outs_count; i++) {
        int rc = 0;

        if (sel_phase_of(s, i) == phase)
            rc = sel_as_var(s, s->outs[i].e, s->outs[i].name, defs, &count, &s->outs[i].var, err);
        if (rc < 0)
            return rc;
    }
    s->tree = logic_map(s->b.q, s->tree, defs, count);
    return s->tree ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- DISTINCT, ORDER BY ---- */

static void sel_order_vars(struct sel *s)
{
    for (uint32_t i = 0; i < s->order_count; i++)
        s->order_keys[i].var = s->outs[s->order[i]].var;
}

static int sel_sort(struct sel *s, const struct lkey *keys, uint32_t count, struct dn_err *err)
{
    struct lnode *n;

    if (count == 0)
        return 0;
    n = logic_node(s->b.q, L_SORT, s->tree);
    if (!n)
        return DN_FAIL_NOMEM(err);
    n->keys = arena_dup(s->b.env->arena, keys, count * sizeof(*keys));
    n->keys_count = count;
    s->tree = n;
    return n->keys ? 0 : DN_FAIL_NOMEM(err);
}

/* The first row, in the order asked for, of those that are equal in ON. */
static int sel_distinct_on(struct sel *s, struct dn_err *err)
{
    struct arena *arena = s->b.env->arena;
    uint32_t total = s->order_count + s->distinct_on_count;
    struct lkey *keys = arena_calloc(arena, (size_t)total + 1, sizeof(*keys));
    struct lnode *n;
    uint32_t count = 0;
    int rc;

    if (!keys)
        return DN_FAIL_NOMEM(err);
    memcpy(keys, s->order_keys, s->order_count * sizeof(*keys));
    count = s->order_count;
    for (uint32_t i = 0; i < s->distinct_on_count; i++) {
        uint32_t var = s->outs[s->distinct_on[i]].var;
        bool known = false;

        for (uint32_t k = 0; k < count && !known; k++)
            known = keys[k].var == var;
        if (!known)
            keys[count++] = (struct lkey){.var = var};
    }
    rc = sel_sort(s, keys, count, err);
    if (rc < 0 || s->distinct_on_count == 0)
        return rc;
    n = logic_node(s->b.q, L_UNIQUE, s->tree);
    if (!n)
        return DN_FAIL_NOMEM(err);
    n->keys = keys;
    n->keys_count = s->distinct_on_count; /* the sort begins with them */
    s->tree = n;
    return 0;
}

/* Does what tells rows apart, or their order, come of functions that return rows? Then these run
 * before; else after the sort, so that their rows keep their order. DISTINCT ON in no order of its
 * own tells all rows apart. */
static bool sel_sets_first(const struct sel *s)
{
    bool first = s->core->distinct && (!s->core->distinct_on || s->order_count == 0);

    for (uint32_t i = 0; i < s->distinct_on_count && !first; i++)
        first = select_has_sets(s, s->outs[s->distinct_on[i]].e);
    for (uint32_t i = 0; i < s->order_count && !first; i++)
        first = select_has_sets(s, s->outs[s->order[i]].e);
    return first;
}

static int sel_order(struct sel *s, struct qout *ret, struct dn_err *err)
{
    int rc;

    sel_order_vars(s);
    if (s->core->distinct_on)
        return sel_distinct_on(s, err);
    if (s->core->distinct && ret->count == 0)
        return DN_FAIL(err, DN_E_SYNTAX, "SELECT DISTINCT must have at least one column");
    if (s->core->distinct) {
        ret->tree = s->tree;
        rc = query_distinct(s->b.q, ret, err);
        if (rc < 0)
            return rc;
        s->tree = ret->tree;
    }
    return sel_sort(s, s->order_keys, s->order_count, err);
}

/* ---- the whole ---- */

/* JSON is text, but clients take it apart by its number: 114. */
static bool sel_is_json(const struct bexpr *e)
{
    return e->kind == BEXPR_CALL && strncmp(e->func->name, "json_build_", 11) == 0;
}

static int sel_result(struct sel *s, struct qout *ret, struct dn_err *err)
{
    struct arena *arena = s->b.env->arena;
    struct plan_origin *origins = arena_calloc(arena, (size_t)s->shown_count + 1, sizeof(*origins));

    *ret = (struct qout){.count = s->shown_count, .origins = origins};
    ret->vars = arena_alloc_array(arena, (size_t)s->shown_count + 1, sizeof(*ret->vars));
    ret->names = arena_alloc_array(arena, (size_t)s->shown_count + 1, sizeof(*ret->names));
    if (!ret->vars || !ret->names || !origins)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < s->shown_count; i++) {
        const struct sel_out *o = &s->outs[i];

        if (o->plain && o->e->kind == BEXPR_COLUMN)
            origins[i] = s->b.q->vars[o->e->col].origin;
        else if (sel_is_json(o->e))
            origins[i].type = 114;
        else if (o->e->kind == BEXPR_COLUMN && !s->b.q->vars[o->e->col].origin.relation)
            origins[i] = s->b.q->vars[o->e->col].origin;
        else if (o->cast)
            origins[i] = (struct plan_origin){.mods = sql_type_mods(o->cast)};
        else if (o->e->chars > 0)
            origins[i] = (struct plan_origin){.mods = {.count = 1, .v = {o->e->chars}}};
        origins[i].declared = origins[i].declared || origins[i].mods.count;
        ret->vars[i] = s->outs[i].var;
        ret->names[i] = s->outs[i].name;
    }
    return 0;
}

/* The select list, DISTINCT and ORDER BY. */
static int sel_list(struct sel *s, struct qout *ret, struct dn_err *err)
{
    bool first = sel_sets_first(s);
    int rc = first ? select_rows(s, SEL_ROWS_FINAL, err) : 0;

    if (rc == 0)
        rc = sel_map(s, SEL_PLAIN, err);
    if (rc == 0 && first)
        rc = sel_map(s, SEL_SETS, err);
    if (rc == 0)
        rc = sel_result(s, ret, err);
    if (rc == 0)
        rc = sel_order(s, ret, err);
    if (rc < 0 || first || s->rowfuncs_count == 0)
        return rc;
    rc = select_rows(s, SEL_ROWS_FINAL, err);
    if (rc == 0)
        rc = sel_map(s, SEL_SETS, err);
    return rc < 0 ? rc : sel_result(s, ret, err);
}

/* Subqueries that are asked for where the result of a window says so: above the windows. */
static int sel_subs_late(struct sel *s, struct bind_subs *late, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct lvars above = {0};

    for (uint32_t i = 0; i < s->windows_count; i++) {
        for (uint32_t k = 0; k < s->windows[i].calls_count; k++) {
            if (!lvars_add(q->env->arena, &above, s->windows[i].calls[k].var))
                return DN_FAIL_NOMEM(err);
        }
    }
    for (uint32_t i = 0; i < s->subs_outer.n && above.n > 0; i++) {
        struct bind_sub *sub = &s->subs_outer.v[i];

        if (!sub->tree || !sub->guard || sub->in_window || !logic_uses_any(sub->guard, &above))
            continue;
        if (!bind_subs_push(q->env->arena, late, sub) ||
            !(sub->mark ? lvars_add(q->env->arena, &above, sub->mark)
                        : logic_gives(q, sub->tree, &above)))
            return DN_FAIL_NOMEM(err);
        sub->tree = NULL;
    }
    return 0;
}

int select_stack(struct sel *s, const struct query *ast, struct qout *ret, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct bind_subs late = {0};
    int rc = select_locks(s, ast, err);

    if (rc < 0)
        return rc;
    s->grouped = s->core->group_by_count > 0 || s->core->having || s->aggs_count > 0 ||
                 s->groupings_count > 0;
    if (!s->tree)
        s->tree = logic_node(q, L_SINGLE, NULL);
    if (!s->tree)
        return DN_FAIL_NOMEM(err);
    select_rows_stages(s);
    rc = bind_attach(&s->b, &s->subs_where, &s->tree, err);
    if (rc == 0)
        rc = sel_filter(s, s->where, err);
    if (rc == 0)
        rc = bind_attach(&s->b, &s->subs_inner, &s->tree, err);
    if (rc == 0)
        rc = select_rows(s, SEL_ROWS_INNER, err);
    if (rc == 0 && s->grouped)
        rc = sel_group(s, err);
    if (rc == 0)
        rc = sel_subs_late(s, &late, err);
    if (rc == 0)
        rc = bind_attach(&s->b, &s->subs_outer, &s->tree, err);
    if (rc == 0)
        rc = sel_filter(s, s->having, err);
    if (rc == 0)
        rc = select_rows(s, SEL_ROWS_WINDOW, err);
    sel_sort_windows(s);
    for (uint32_t i = 0; rc == 0 && i < s->windows_count; i++)
        rc = sel_window(s, &s->windows[i], err);
    if (rc == 0)
        rc = bind_attach(&s->b, &late, &s->tree, err);
    if (rc == 0)
        rc = sel_list(s, ret, err);
    if (rc == 0)
        rc = query_limit(q, ast, s->scope.outer, s->order_keys, s->order_count, &s->tree, err);
    if (rc == 0)
        rc = sel_map(s, SEL_LATE, err);
    if (rc == 0)
        rc = sel_result(s, ret, err);
    ret->tree = s->tree;
    return rc;
}
