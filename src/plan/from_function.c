/* SPDX-License-Identifier: Apache-2.0
 *
 * from_function.c: functions in FROM, and functions that return rows in a select list. */
#include "plan/from_int.h"

#include "func/rowfunc.h"

#define ROWFUNCS_MAX 64u /* calls side by side */

static enum type_id rowfunc_type(const struct plan_function_call *c)
{
    return c->fn->result;
}

int bind_rowfunc(struct binder *b,
                 const struct expr *e,
                 const char *name,
                 struct plan_function_call *ret,
                 struct dn_err *err)
{
    struct arena *arena = b->env->arena;
    uint32_t count = e->args_count;
    enum type_id *types = arena_alloc_array(arena, (size_t)count + 1, sizeof(*types));
    enum type_id *casts = arena_alloc_array(arena, (size_t)count + 1, sizeof(*casts));
    int rc = 0;

    *ret = (struct plan_function_call){.args_count = count};
    ret->args = arena_alloc_array(arena, (size_t)count + 1, sizeof(*ret->args));
    if (!types || !casts || !ret->args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        rc = bind_expr(b, e->args[i], &ret->args[i], err);
        types[i] = casts[i] = rc == 0 ? ret->args[i]->type : TYPE_NONE;
    }
    if (rc < 0)
        return rc;
    ret->fn = rowfunc_find(name, types, count, casts, e->pos, err);
    if (!ret->fn)
        return err ? err->code : DN_E_UNDEFINED_FUNCTION;
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = casts[i] == TYPE_NONE
                 ? bind_settle(b, ret->args[i], &ret->args[i], err)
                 : bind_coerce(b, ret->args[i], casts[i], true, &ret->args[i], err);
    return rc;
}

/* ---- in a select list: side by side with the rows there are ---- */

int select_rowfunc(struct binder *b,
                   const struct expr *e,
                   const char *name,
                   struct bexpr **ret,
                   struct dn_err *err)
{
    struct sel *s = b->level;
    int rc;

    if (!s || !b->windows_allowed || b->in_agg || b->in_window) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "set-returning functions are not allowed in %s",
                     b->in_agg   ? "aggregate functions"
                     : b->clause ? b->clause
                                 : "this place");
        dn_err_hint(err, "Put %s into FROM.", e->name);
        dn_err_at(err, e->pos);
        return rc;
    }
    if (!s->rowfuncs) {
        s->rowfuncs = arena_calloc(b->env->arena, ROWFUNCS_MAX, sizeof(*s->rowfuncs));
        s->rowfunc_vars = arena_calloc(b->env->arena, ROWFUNCS_MAX, sizeof(*s->rowfunc_vars));
        if (!s->rowfuncs || !s->rowfunc_vars)
            return DN_FAIL_NOMEM(err);
    }
    if (s->rowfuncs_count == ROWFUNCS_MAX)
        return DN_FAIL(err, DN_E_TOO_COMPLEX, "more than %u set-returning functions", ROWFUNCS_MAX);
    rc = bind_rowfunc(b, e, name, &s->rowfuncs[s->rowfuncs_count], err);
    if (rc < 0)
        return rc;
    s->rowfunc_vars[s->rowfuncs_count] =
        logic_var(b->q, name, rowfunc_type(&s->rowfuncs[s->rowfuncs_count]));
    *ret = s->rowfunc_vars[s->rowfuncs_count]
               ? bind_var(b, s->rowfunc_vars[s->rowfuncs_count], e->pos)
               : NULL;
    s->rowfuncs_count++;
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

/* ---- in FROM ---- */

static int from_function_cols(struct from *f,
                              const struct from_item *item,
                              const char *name,
                              const struct lnode *n,
                              struct from_part *ret,
                              struct dn_err *err)
{
    const char *alias = item->alias ? item->alias : name;
    struct lrel *rel = from_rel(f, alias, n->vars_count, item->pos);
    int rc;

    if (!rel)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        struct lvar *v = &f->q->vars[n->vars[i]];
        bool count = item->ordinality && i + 1 == n->vars_count;

        v->level = f->level;
        rel->cols[i] =
            (struct lcol){.name = count ? "ordinality" : alias, .type = v->type, .var = n->vars[i]};
        v->name = rel->cols[i].name;
    }
    rc = from_rename(rel, item->columns, item->columns_count, err);
    return rc < 0 ? rc : from_add(f, rel, ret, err);
}

/* A function of one value: one row. */
static int from_scalar(struct from *f,
                       struct binder *b,
                       const struct from_item *item,
                       const char *name,
                       struct from_part *ret,
                       struct dn_err *err)
{
    struct lnode shape = {.kind = L_MAP};
    struct bexpr *e;
    uint32_t vars[2];
    struct ldef defs[2];
    struct datum one = {.type = TYPE_BIGINT, .v = {.i64 = 1}};
    struct lnode *single = logic_node(f->q, L_SINGLE, NULL);
    int rc = bind_expr(b, item->call, &e, err);

    if (rc == 0)
        rc = bind_settle(b, e, &e, err);
    if (rc < 0)
        return rc;
    defs[0] = (struct ldef){.var = logic_var(f->q, name, e->type), .e = e};
    shape.vars_count = 1;
    if (item->ordinality) {
        rc = bind_const(b, &one, item->pos, &defs[1].e, err);
        if (rc < 0)
            return rc;
        defs[1].var = logic_var(f->q, "ordinality", TYPE_BIGINT);
        shape.vars_count = 2;
    }
    if (!single || !defs[0].var || (item->ordinality && !defs[1].var))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < shape.vars_count; i++)
        vars[i] = defs[i].var;
    shape.vars = vars;
    ret->tree = logic_map(f->q, single, defs, shape.vars_count);
    return ret->tree ? from_function_cols(f, item, name, &shape, ret, err) : DN_FAIL_NOMEM(err);
}

/* unnest(a, b) is unnest(a) beside unnest(b). */
static int from_calls(struct binder *b,
                      const struct from_item *item,
                      const char *name,
                      struct plan_function *func,
                      struct dn_err *err)
{
    const struct expr *call = item->call;
    uint32_t count = strcmp(name, "unnest") == 0 && call->args_count > 1 ? call->args_count : 1;
    int rc = 0;

    func->calls = arena_calloc(b->env->arena, count, sizeof(*func->calls));
    if (!func->calls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct expr one = *call;

        if (count > 1) {
            one.args = &call->args[i];
            one.args_count = 1;
        }
        rc = bind_rowfunc(b, &one, name, &func->calls[func->calls_count++], err);
    }
    return rc;
}

int from_function(struct from *f,
                  const struct from_item *item,
                  const struct scope *left,
                  struct from_part *ret,
                  struct dn_err *err)
{
    struct binder b = *f->b;
    char *name = bind_lower_name(f->b, item->call->name);
    struct lnode *n = logic_node(f->q, L_FUNCTION, NULL);
    int rc;

    b.scope = left;
    b.clause = "functions in FROM";
    b.aggs_allowed = b.windows_allowed = false;
    b.subs = NULL;
    if (!name || !n)
        return DN_FAIL_NOMEM(err);
    if (item->column_defs) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "a column definition list is only allowed for functions returning \"record\"");
        dn_err_at(err, item->pos);
        return rc;
    }
    if (!rowfunc_name_exists(name))
        return from_scalar(f, &b, item, name, ret, err);
    n->func = arena_calloc(f->q->env->arena, 1, sizeof(*n->func));
    if (!n->func)
        return DN_FAIL_NOMEM(err);
    rc = from_calls(&b, item, name, n->func, err);
    if (rc < 0)
        return rc;
    n->func->ordinality = item->ordinality;
    n->vars_count = n->func->calls_count + item->ordinality;
    n->vars = arena_calloc(f->q->env->arena, n->vars_count, sizeof(*n->vars));
    if (!n->vars)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        n->vars[i] = logic_var(
            f->q, name, i < n->func->calls_count ? rowfunc_type(&n->func->calls[i]) : TYPE_BIGINT);
        if (!n->vars[i])
            return DN_FAIL_NOMEM(err);
    }
    ret->tree = n;
    return from_function_cols(f, item, name, n, ret, err);
}
