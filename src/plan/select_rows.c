/* SPDX-License-Identifier: Apache-2.0
 *
 * select_rows.c: functions that return rows in a SELECT outside of FROM. Each call becomes a
 * variable; calls of one nesting level stand side by side in one node, joined with the rows there
 * are, and those that end early give NULL. When they run depends on who uses them:
 *
 *     INNER    keys of GROUP BY: before the aggregation
 *     WINDOW   PARTITION BY and ORDER BY of windows: before these
 *     FINAL    all others: last, after the sort if that does not use them
 *
 * The same call twice is one call. */
#include "plan/select_rows.h"

#include "func/rowfunc.h"

#define ROWFUNCS_MAX 64u /* different calls of a SELECT */

bool select_has_sets(const struct sel *s, const struct bexpr *e)
{
    if (e->kind == BEXPR_COLUMN) {
        for (uint32_t i = 0; i < s->rowfuncs_count; i++) {
            if (s->rowfuncs[i].var == e->col)
                return true;
        }
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        if (select_has_sets(s, e->args[i]))
            return true;
    }
    return false;
}

/* ---- where they may stand ---- */

static int rows_refuse(const struct expr *e, const char *what, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_UNSUPPORTED, "%s", what);

    dn_err_hint(err,
                "You might be able to move the set-returning function into a LATERAL FROM item.");
    dn_err_at(err, e->pos);
    return rc;
}

static int rows_check(const struct binder *b, const struct expr *e, struct dn_err *err)
{
    int rc;

    if (b->in_agg)
        return rows_refuse(
            e, "aggregate function calls cannot contain set-returning function calls", err);
    if (b->in_window && !b->in_lists)
        return rows_refuse(
            e, "window function calls cannot contain set-returning function calls", err);
    if (b->level && b->sets_allowed)
        return 0;
    if (b->clause && strcmp(b->clause, "functions in FROM") == 0) {
        rc = DN_FAIL(
            err, DN_E_UNSUPPORTED, "set-returning functions must appear at top level of FROM");
        dn_err_at(err, e->pos);
        return rc;
    }
    rc = DN_FAIL(err,
                 DN_E_UNSUPPORTED,
                 "set-returning functions are not allowed in %s",
                 b->clause ? b->clause : "this place");
    dn_err_at(err, e->pos);
    return rc;
}

uint32_t bind_sets_seen(const struct binder *b)
{
    return b->level ? b->level->rowfuncs_seen : 0;
}

int bind_sets_none(const struct binder *b, uint32_t seen, const char *where, struct dn_err *err)
{
    int rc;

    if (bind_sets_seen(b) == seen)
        return 0;
    rc = DN_FAIL(err, DN_E_UNSUPPORTED, "set-returning functions are not allowed in %s", where);
    dn_err_hint(err,
                "You might be able to move the set-returning function into a LATERAL FROM item.");
    dn_err_at(err, b->level->rowfuncs_pos);
    return rc;
}

int bind_not_set(const struct binder *b,
                 const struct bexpr *x,
                 const char *where,
                 uint32_t pos,
                 struct dn_err *err)
{
    int rc;

    if (!b->level || b->level->rowfuncs_count == 0 || !select_has_sets(b->level, x))
        return 0;
    rc = DN_FAIL(err, DN_E_DATATYPE_MISMATCH, "argument of %s must not return a set", where);
    dn_err_at(err, pos);
    return rc;
}

/* ---- calls ---- */

static bool rows_same(const struct plan_function_call *a, const struct plan_function_call *b)
{
    if (a->fn != b->fn || a->args_count != b->args_count)
        return false;
    for (uint32_t i = 0; i < a->args_count; i++) {
        if (!bind_same(a->args[i], b->args[i]) || logic_volatile(a->args[i]))
            return false;
    }
    return true;
}

static int rows_add(struct sel *s,
                    const struct plan_function_call *call,
                    enum type_id type,
                    uint32_t *ret,
                    struct dn_err *err)
{
    struct sel_rowfunc *r;

    if (!s->rowfuncs)
        s->rowfuncs = arena_calloc(s->b.env->arena, ROWFUNCS_MAX, sizeof(*s->rowfuncs));
    if (!s->rowfuncs)
        return DN_FAIL_NOMEM(err);
    if (s->rowfuncs_count == ROWFUNCS_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u set-returning functions", ROWFUNCS_MAX);
    r = &s->rowfuncs[s->rowfuncs_count];
    *r = (struct sel_rowfunc){.call = *call, .stage = SEL_ROWS_FINAL};
    r->var = logic_var(s->b.q, call->fn->name, type);
    if (call->args_count > 0)
        logic_set_chars(s->b.q, r->var, call->args[0]->chars);
    *ret = s->rowfuncs_count++;
    return r->var ? 0 : DN_FAIL_NOMEM(err);
}

int select_rowfunc(struct binder *b,
                   const struct expr *e,
                   const char *name,
                   struct bexpr **ret,
                   struct dn_err *err)
{
    struct sel *s = b->level;
    struct plan_function_call call;
    uint32_t at;
    int rc = rows_check(b, e, err);

    if (rc == 0)
        rc = bind_rowfunc(b, e, name, &call, err);
    if (rc < 0)
        return rc;
    for (at = 0; at < s->rowfuncs_count && !rows_same(&s->rowfuncs[at].call, &call);)
        at++;
    if (at == s->rowfuncs_count)
        rc = rows_add(s, &call, bind_rowfunc_type(&call), &at, err);
    if (rc < 0)
        return rc;
    s->rowfuncs_seen++;
    s->rowfuncs_pos = e->pos;
    *ret = bind_var(b, s->rowfuncs[at].var, e->pos);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- when they run ---- */

static void rows_mark(struct sel *s, const struct bexpr *e, enum sel_stage stage)
{
    for (uint32_t i = 0; e->kind == BEXPR_COLUMN && i < s->rowfuncs_count; i++) {
        if (s->rowfuncs[i].var == e->col && stage < s->rowfuncs[i].stage)
            s->rowfuncs[i].stage = stage;
    }
    for (uint32_t i = 0; i < e->args_count; i++)
        rows_mark(s, e->args[i], stage);
}

void select_rows_stages(struct sel *s)
{
    for (uint32_t i = 0; i < s->keys_count; i++)
        rows_mark(s, s->keys[i].e, SEL_ROWS_INNER);
    for (uint32_t i = 0; i < s->windows_count; i++) {
        const struct sel_window *w = &s->windows[i];

        for (uint32_t k = 0; k < w->partition_count; k++)
            rows_mark(s, w->partition[k], SEL_ROWS_WINDOW);
        for (uint32_t k = 0; k < w->order_count; k++)
            rows_mark(s, w->order[k].e, SEL_ROWS_WINDOW);
    }
    for (uint32_t i = s->rowfuncs_count; i-- > 0;) { /* arguments were bound before their call */
        const struct sel_rowfunc *r = &s->rowfuncs[i];

        for (uint32_t a = 0; a < r->call.args_count; a++)
            rows_mark(s, r->call.args[a], r->stage);
    }
}

int select_rows_lift_var(struct sel *s, struct bexpr *e, struct bexpr **ret, struct dn_err *err)
{
    uint32_t at = 0;
    uint32_t again;
    int rc = 0;

    while (at < s->rowfuncs_count && s->rowfuncs[at].var != e->col)
        at++;
    if (at == s->rowfuncs_count || s->rowfuncs[at].stage != SEL_ROWS_INNER)
        return 1;
    if (!s->rowfuncs[at].again) {
        rc = rows_add(s, &s->rowfuncs[at].call, e->type, &again, err);
        if (rc < 0)
            return rc;
        s->rowfuncs[at].again = s->rowfuncs[again].var;
    }
    *ret = bind_var(&s->b, s->rowfuncs[at].again, e->pos);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

int select_rows_lift(struct sel *s, struct dn_err *err)
{
    for (uint32_t i = 0; i < s->rowfuncs_count; i++) { /* which may grow */
        struct plan_function_call *c = &s->rowfuncs[i].call;
        struct bexpr **args;

        if (s->rowfuncs[i].stage == SEL_ROWS_INNER)
            continue;
        args = arena_alloc_array(s->b.env->arena, (size_t)c->args_count + 1, sizeof(*args));
        if (!args)
            return DN_FAIL_NOMEM(err);
        for (uint32_t a = 0; a < c->args_count; a++) {
            int rc = bind_lift(&s->b, c->args[a], &args[a], err);

            if (rc < 0)
                return rc;
        }
        s->rowfuncs[i].call.args = args;
    }
    return 0;
}

/* ---- the nodes ---- */

/* How many calls of the stage lie one in the other below a call. */
static uint32_t rows_level(const struct sel *s, const struct bexpr *e, enum sel_stage stage)
{
    uint32_t level = 0;

    for (uint32_t i = 0; e->kind == BEXPR_COLUMN && i < s->rowfuncs_count; i++) {
        if (s->rowfuncs[i].var == e->col && s->rowfuncs[i].stage == stage)
            return s->rowfuncs[i].level + 1;
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        uint32_t own = rows_level(s, e->args[i], stage);

        level = own > level ? own : level;
    }
    return level;
}

static int rows_node(struct sel *s, enum sel_stage stage, uint32_t level, struct dn_err *err)
{
    struct planner *q = s->b.q;
    struct lnode *n = logic_node(q, L_FUNCTION, NULL);
    struct lnode *join;

    if (!n)
        return DN_FAIL_NOMEM(err);
    n->func = arena_calloc(q->env->arena, 1, sizeof(*n->func));
    n->vars = arena_calloc(q->env->arena, s->rowfuncs_count, sizeof(*n->vars));
    if (!n->func || !n->vars)
        return DN_FAIL_NOMEM(err);
    n->func->calls = arena_calloc(q->env->arena, s->rowfuncs_count, sizeof(*n->func->calls));
    if (!n->func->calls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < s->rowfuncs_count; i++) {
        if (s->rowfuncs[i].stage != stage || s->rowfuncs[i].level != level)
            continue;
        n->vars[n->vars_count++] = s->rowfuncs[i].var;
        n->func->calls[n->func->calls_count++] = s->rowfuncs[i].call;
    }
    if (s->tree->kind == L_SINGLE) { /* they are all the rows there are */
        s->tree = n;
        return 0;
    }
    join = logic_node(q, L_JOIN, s->tree);
    if (!join)
        return DN_FAIL_NOMEM(err);
    join->right = n;
    join->join = PLAN_JOIN_INNER;
    join->fixed = true;
    s->tree = join;
    return 0;
}

int select_rows(struct sel *s, enum sel_stage stage, struct dn_err *err)
{
    uint32_t levels = 0;
    int rc = 0;

    for (bool changed = true; changed;) { /* a call that was made again may stand behind its user */
        changed = false;
        for (uint32_t i = 0; i < s->rowfuncs_count; i++) {
            struct sel_rowfunc *r = &s->rowfuncs[i];
            uint32_t level = 0;

            for (uint32_t a = 0; r->stage == stage && a < r->call.args_count; a++) {
                uint32_t own = rows_level(s, r->call.args[a], stage);

                level = own > level ? own : level;
            }
            changed = changed || level != r->level;
            r->level = level;
            if (r->stage == stage && level + 1 > levels)
                levels = level + 1;
        }
    }
    for (uint32_t level = 0; rc == 0 && level < levels; level++)
        rc = rows_node(s, stage, level, err);
    return rc;
}
