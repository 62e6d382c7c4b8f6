/* SPDX-License-Identifier: Apache-2.0
 *
 * from_function.c: functions in FROM, alone or side by side. */
#include "plan/from_int.h"

#include "func/rowfunc.h"
#include "system/system.h"

#define FROM_COLUMNS_MAX 4 /* of one function: rowfunc.beside */

enum type_id bind_rowfunc_type(const struct plan_function_call *c)
{
    enum type_id types[FUNC_ARGS_MAX];

    for (uint32_t i = 0; i < c->args_count && i < FUNC_ARGS_MAX; i++)
        types[i] = c->args[i]->type;
    return rowfunc_result(c->fn, types, c->args_count);
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
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = bind_expr(b, e->args[i], &ret->args[i], err);
    if (rc == 0)
        rc = bind_local_literals(b, ret->args, count, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < count; i++)
        types[i] = casts[i] = ret->args[i]->type;
    ret->fn = rowfunc_find(name, types, count, casts, e->pos, err);
    if (!ret->fn)
        return err ? err->code : DN_E_UNDEFINED_FUNCTION;
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = casts[i] == TYPE_NONE
                 ? bind_settle(b, ret->args[i], &ret->args[i], err)
                 : bind_coerce(b, ret->args[i], casts[i], true, &ret->args[i], err);
    return rc;
}

/* ---- in FROM ---- */

/* The columns: one function gives its column the alias, several keep their own names. */
static int from_function_cols(struct from *f,
                              const struct from_item *item,
                              const char *const *names,
                              const struct lnode *n,
                              struct from_part *ret,
                              struct dn_err *err)
{
    uint32_t calls = n->vars_count - item->ordinality;
    const char *alias = item->alias ? item->alias : names[0];
    struct lrel *rel = from_rel(f, alias, n->vars_count, item->pos);
    int rc;

    if (!rel)
        return DN_FAIL_NOMEM(err);
    rel->single = n->vars_count == 1;
    for (uint32_t i = 0; i < n->vars_count; i++) {
        struct lvar *v = &f->q->vars[n->vars[i]];

        v->level = f->level;
        rel->cols[i] = (struct lcol){.name = i == calls   ? "ordinality"
                                             : calls == 1 ? alias
                                                          : names[i],
                                     .type = v->type,
                                     .var = n->vars[i]};
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
    return ret->tree ? from_function_cols(f, item, &name, &shape, ret, err) : DN_FAIL_NOMEM(err);
}

/* The other columns of a function that has several. */
static int from_beside(struct binder *b,
                       const struct expr *call,
                       struct plan_function *func,
                       struct dn_err *err)
{
    const char *next = func->calls[func->calls_count - 1].fn->beside;
    int rc = 0;

    while (rc == 0 && next) {
        rc = bind_rowfunc(b, call, next, &func->calls[func->calls_count++], err);
        next = rc == 0 ? func->calls[func->calls_count - 1].fn->beside : NULL;
    }
    return rc;
}

/* One call of FROM: unnest(a, b) is unnest(a) beside unnest(b); a function of one value is one row.
 */
static int from_call(struct binder *b,
                     const struct expr *call,
                     const char *name,
                     struct plan_function *func,
                     struct dn_err *err)
{
    uint32_t count = strcmp(name, "unnest") == 0 && call->args_count > 1 ? call->args_count : 1;
    int rc = 0;

    if (!rowfunc_name_exists(name)) {
        struct plan_function_call *c = &func->calls[func->calls_count++];

        *c = (struct plan_function_call){.fn = &rowfunc_single, .args_count = 1};
        c->args = arena_alloc_array(b->env->arena, 1, sizeof(*c->args));
        if (!c->args)
            return DN_FAIL_NOMEM(err);
        rc = bind_expr(b, call, &c->args[0], err);
        return rc < 0 ? rc : bind_settle(b, c->args[0], &c->args[0], err);
    }
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        struct expr one = *call;

        if (count > 1) {
            one.args = &call->args[i];
            one.args_count = 1;
        }
        rc = bind_rowfunc(b, &one, name, &func->calls[func->calls_count++], err);
        if (rc == 0 && func->calls[func->calls_count - 1].fn->beside)
            rc = from_beside(b, &one, func, err);
    }
    return rc;
}

/* All calls of an item, and the name of the column of each. */
static int from_calls(struct binder *b,
                      const struct from_item *item,
                      struct plan_function *func,
                      const char ***ret_names,
                      struct dn_err *err)
{
    struct expr *const *calls = item->call ? &item->call : item->calls;
    uint32_t count = item->call ? 1 : item->calls_count;
    uint32_t most = 0;
    const char **names;
    int rc = 0;

    for (uint32_t i = 0; i < count; i++)
        most += calls[i]->args_count + FROM_COLUMNS_MAX;
    func->calls = arena_calloc(b->env->arena, most, sizeof(*func->calls));
    names = arena_calloc(b->env->arena, most, sizeof(*names));
    if (!func->calls || !names)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        uint32_t from = func->calls_count;
        char *name = bind_lower_name(b, calls[i]->name);

        if (!name)
            return DN_FAIL_NOMEM(err);
        rc = from_call(b, calls[i], name, func, err);
        for (; rc == 0 && from < func->calls_count; from++)
            names[from] = func->calls[from].fn->column ? func->calls[from].fn->column : name;
    }
    *ret_names = names;
    return rc;
}

int from_function(struct from *f,
                  const struct from_item *item,
                  const struct scope *left,
                  struct from_part *ret,
                  struct dn_err *err)
{
    struct binder b = *f->b;
    struct lnode *n = logic_node(f->q, L_FUNCTION, NULL);
    const char *name = item->call ? bind_lower_name(f->b, item->call->name) : "";
    const char **names;
    int rc;

    b.scope = left;
    b.clause = "functions in FROM";
    b.aggs_allowed = b.windows_allowed = b.sets_allowed = false;
    b.subs = NULL;
    if (!name || !n)
        return DN_FAIL_NOMEM(err);
    if (item->column_defs) {
        rc = DN_FAIL(err,
                     DN_E_SYNTAX,
                     "a column definition list is only allowed for functions returning \"record\"");
        dn_err_at(err, item->pos);
        return rc;
    }
    if (item->call && item->call->args_count == 0 && sys_find_function(name))
        return from_system(f, item, sys_find_function(name), ret, err);
    if (item->call && !rowfunc_name_exists(name))
        return from_scalar(f, &b, item, name, ret, err);
    n->func = arena_calloc(f->q->env->arena, 1, sizeof(*n->func));
    if (!n->func)
        return DN_FAIL_NOMEM(err);
    rc = from_calls(&b, item, n->func, &names, err);
    if (rc < 0)
        return rc;
    n->func->ordinality = item->ordinality;
    n->vars_count = n->func->calls_count + item->ordinality;
    n->vars = arena_calloc(f->q->env->arena, n->vars_count, sizeof(*n->vars));
    if (!n->vars)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n->vars_count; i++) {
        bool call = i < n->func->calls_count;

        n->vars[i] = logic_var(f->q,
                               call ? names[i] : "ordinality",
                               call ? bind_rowfunc_type(&n->func->calls[i]) : TYPE_BIGINT);
        if (!n->vars[i])
            return DN_FAIL_NOMEM(err);
    }
    ret->tree = n;
    return from_function_cols(f, item, names, n, ret, err);
}
