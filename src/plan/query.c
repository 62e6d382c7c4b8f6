/* SPDX-License-Identifier: Apache-2.0
 *
 * query.c: queries around SELECT: set operations, ORDER BY and LIMIT of a whole query, and
 * the start and end of planning a statement. WITH is in with.c, VALUES in
 * values.c. */
#include "plan/lower.h"
#include "plan/query_set.h"
#include "plan/rewrite.h"
#include "plan/values.h"

#include "base/text.h"

/* ---- the statement ---- */

int query_start(struct planner *q,
                const struct plan_env *env,
                const struct stmt *stmt,
                struct dn_err *err)
{
    struct plan *p = arena_calloc(env->arena, 1, sizeof(*p));

    *q = (struct planner){.env = env, .stmt = stmt, .plan = p};
    if (!p)
        return DN_FAIL_NOMEM(err);
    p->works_count = env->parts_count ? env->parts_count + 1 : 0;
    p->params_count = p->slots_count = stmt->params_count;
    p->param_types = arena_calloc(env->arena, stmt->params_count + 1, sizeof(*p->param_types));
    q->param_uses = arena_calloc(env->arena, stmt->params_count + 1, sizeof(*q->param_uses));
    return p->param_types && q->param_uses ? 0 : DN_FAIL_NOMEM(err);
}

struct binder query_binder(struct planner *q, const struct scope *scope, struct sel *level)
{
    return (struct binder){.env = q->env,
                           .stmt = q->stmt,
                           .q = q,
                           .scope = scope,
                           .level = level,
                           .param_types = q->plan->param_types,
                           .param_uses = q->param_uses,
                           .params_count = q->plan->params_count};
}

int query_table(struct planner *q, const struct table *t, struct dn_err *err)
{
    struct plan *p = q->plan;

    for (uint32_t i = 0; i < p->tables_count; i++) {
        if (p->tables[i] == t)
            return 0;
    }
    if (p->tables_count == q->tables_cap) {
        uint32_t cap = q->tables_cap ? 2 * q->tables_cap : 4;
        const struct table **more = arena_alloc_array(q->env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (p->tables_count)
            memcpy(more, p->tables, p->tables_count * sizeof(*more));
        p->tables = more;
        q->tables_cap = cap;
    }
    p->tables[p->tables_count++] = table_ref(t);
    if (!p->table)
        p->table = t;
    return 0;
}

void plan_done(struct plan *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->tables_count; i++) {
        union {
            const struct table *in;
            struct table *out;
        } shared = {.in = p->tables[i]}; /* references are counted inside */

        table_unref(shared.out);
    }
    p->tables_count = 0;
    p->table = NULL;
}

int plan_query(const struct plan_env *env,
               const struct stmt *stmt,
               const struct with_clause *with,
               const struct query *query,
               struct plan **ret,
               struct dn_err *err)
{
    struct scope outer = {.level = NULL};
    struct planner q;
    struct qout out;
    int rc = query_start(&q, env, stmt, err);

    q.shows = stmt->kind == STMT_SELECT;
    if (rc == 0 && with)
        rc = query_with(&q, with, &outer, err);
    if (rc == 0)
        rc = query_bind(&q, query, with ? &outer : NULL, &out, err);
    if (rc == 0)
        rc = query_shown(&q, &out, err);
    if (rc == 0)
        rc = query_finish(&q, &out, err);
    if (rc < 0) {
        plan_done(q.plan);
        return rc;
    }
    *ret = q.plan;
    return 0;
}

int plan_select(const struct plan_env *env,
                const struct stmt *stmt,
                struct plan **ret,
                struct dn_err *err)
{
    return plan_query(env, stmt, NULL, stmt->query, ret, err);
}

int query_shown(struct planner *q, struct qout *out, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct ldef *defs = arena_alloc_array(q->env->arena, (size_t)out->count + 1, sizeof(*defs));
    uint32_t n = 0;
    int rc = 0;

    if (!defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < out->count; i++) {
        enum type_id type = q->vars[out->vars[i]].type;
        bool said = out->origins && out->origins[i].mods.count > 0;
        struct bexpr *e = bind_var(&b, out->vars[i], 0);

        if (!e)
            return DN_FAIL_NOMEM(err);
        if (said && (type == TYPE_BPCHAR || type == type_array_of(TYPE_BPCHAR)))
            e->chars = out->origins[i].mods.v[0];
        if (e->chars <= 0)
            continue;
        out->vars[i] = logic_var(q, q->vars[out->vars[i]].name, type);
        if (!out->vars[i])
            return DN_FAIL_NOMEM(err);
        rc = bind_pad(&b, type, &e, err);
        if (rc < 0)
            return rc;
        defs[n++] = (struct ldef){.var = out->vars[i], .e = e};
    }
    if (n > 0)
        out->tree = logic_map(q, out->tree, defs, n);
    return out->tree ? 0 : DN_FAIL_NOMEM(err);
}

int query_unshown(struct planner *q,
                  const struct plan_col *cols,
                  struct qout *out,
                  struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct ldef *defs = arena_alloc_array(q->env->arena, (size_t)out->count + 1, sizeof(*defs));
    uint32_t n = 0;
    int rc = 0;

    out->vars = arena_dup(q->env->arena, out->vars, ((size_t)out->count + 1) * sizeof(*out->vars));
    if (!defs || !out->vars)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < out->count; i++) {
        struct bexpr *e = cols[i].type == TYPE_BPCHAR ? bind_var(&b, out->vars[i], 0) : NULL;

        if (cols[i].type != TYPE_BPCHAR)
            continue;
        if (!e)
            return DN_FAIL_NOMEM(err);
        e->type = TYPE_VARCHAR; /* so that there is a cast */
        rc = bind_coerce(&b, e, TYPE_BPCHAR, true, &e, err);
        out->vars[i] = logic_var(q, out->names[i], TYPE_BPCHAR);
        if (rc == 0 && !out->vars[i])
            return DN_FAIL_NOMEM(err);
        logic_set_chars(q, out->vars[i], cols[i].origin.mods.v[0]);
        defs[n++] = (struct ldef){.var = out->vars[i], .e = e};
    }
    if (rc == 0 && n > 0)
        out->tree = logic_map(q, out->tree, defs, n);
    return rc < 0 ? rc : out->tree ? 0 : DN_FAIL_NOMEM(err);
}

/* The result's columns by name, and the plan. */
int query_finish(struct planner *q, const struct qout *out, struct dn_err *err)
{
    struct lnode *tree = out->tree;
    struct plan *p = q->plan;
    uint32_t all = out->count + q->lock_vars.n;
    uint32_t *vars = arena_alloc_array(q->env->arena, (size_t)all + 1, sizeof(*vars));
    int rc;

    if (!vars)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < all; i++)
        vars[i] = i < out->count ? out->vars[i] : q->lock_vars.v[i - out->count];
    logic_digits(q, tree, out->vars, out->count);
    rc = rewrite_tree(q, &tree, err);
    if (rc == 0 && q->shows)
        rc = query_token_order(q, &tree, err);
    if (rc == 0)
        rc = lower_root(q, tree, vars, all, err);
    if (rc < 0)
        return rc;
    p->hidden_cols += q->lock_vars.n;
    p->cols = arena_alloc_array(q->env->arena, (size_t)out->count + 1, sizeof(*p->cols));
    if (!p->cols)
        return DN_FAIL_NOMEM(err);
    p->cols_count = out->count;
    for (uint32_t i = 0; i < out->count; i++) {
        p->cols[i] = (struct plan_col){.name = out->names[i],
                                       .type = q->vars[out->vars[i]].type,
                                       .digits = q->vars[out->vars[i]].digits};
        p->cols[i].digits.decimal = q->vars[out->vars[i]].decimal;
        if (out->origins)
            p->cols[i].origin = out->origins[i];
    }
    return 0;
}

/* ---- ORDER BY, LIMIT of set operations and VALUES ---- */

static int query_order_name(const struct qout *out, const struct expr *e, uint32_t *ret)
{
    for (int fold = 0; fold <= 1; fold++) {
        for (uint32_t i = 0; i < out->count; i++) {
            if (e->kind == EXPR_COLUMN && !e->table &&
                (fold ? text_same_fold(
                            out->names[i], strlen(out->names[i]), e->name, strlen(e->name))
                      : strcmp(out->names[i], e->name) == 0)) {
                *ret = i;
                return 0;
            }
        }
    }
    return 1;
}

/* Only columns of the result: by name or number. */
static int
query_order(struct planner *q, const struct query *ast, struct qout *out, struct dn_err *err)
{
    struct lnode *sort;

    if (ast->order_by_count == 0)
        return 0;
    sort = logic_node(q, L_SORT, out->tree);
    if (!sort)
        return DN_FAIL_NOMEM(err);
    sort->keys = arena_calloc(q->env->arena, ast->order_by_count, sizeof(*sort->keys));
    if (!sort->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < ast->order_by_count; i++) {
        const struct order_item *item = &ast->order_by[i];
        struct lkey key;
        uint32_t n;
        int rc = select_ordinal(item->expr, "ORDER BY", out->count, &n, err);

        if (rc == 1)
            rc = query_order_name(out, item->expr, &n);
        if (rc == 1 && item->expr->kind == EXPR_COLUMN && !item->expr->table) {
            rc = DN_FAIL(
                err, DN_E_UNDEFINED_COLUMN, "column \"%s\" is not in the result", item->expr->name);
            dn_err_hint(err, "The first query names the columns of all.");
            dn_err_at(err, item->expr->pos);
        }
        if (rc == 1) {
            rc = DN_FAIL(err,
                         DN_E_UNSUPPORTED,
                         "ORDER BY of a set operation or VALUES takes names and numbers of result "
                         "columns only");
            dn_err_hint(err, "Put the query into FROM and sort what is around it.");
            dn_err_at(err, item->expr->pos);
        }
        if (rc == 0) /* of rows there are only texts here */
            rc = bind_row_no_order(
                &(struct bexpr){.chars = logic_chars(q, out->vars[n])}, item->expr->pos, err);
        if (rc == 0)
            rc = select_direction(item, &key, err);
        if (rc < 0)
            return rc;
        key.var = out->vars[n];
        sort->keys[sort->keys_count++] = key;
    }
    out->tree = sort;
    return 0;
}

static int query_count(struct planner *q,
                       const struct expr *e,
                       const char *clause,
                       const struct scope *outer,
                       struct bexpr **ret,
                       struct dn_err *err)
{
    struct binder b;
    struct bexpr *x;
    int rc;

    *ret = NULL;
    if (!e)
        return 0;
    while (outer && outer->rels_count == 0 && !outer->withs)
        outer = outer->outer;
    b = query_binder(q, outer, NULL); /* not the query's own scope: the same for all its rows */
    b.clause = clause;
    rc = bind_expr(&b, e, &x, err);
    if (rc < 0)
        return rc;
    if (x->type != TYPE_NONE && !type_is_number(x->type)) {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "%s must be a whole number, but this is %s",
                     clause,
                     type_word(x->type));
        dn_err_at(err, e->pos);
        return rc;
    }
    rc = bind_coerce(&b, x, TYPE_BIGINT, x->type != TYPE_NONE, ret, err);
    if (rc < 0)
        return rc;
    if ((*ret)->kind == BEXPR_CONST && !(*ret)->value.null && (*ret)->value.v.i64 < 0) {
        rc = DN_FAIL(err,
                     strcmp(clause, "OFFSET") == 0 ? DN_E_BAD_OFFSET : DN_E_BAD_LIMIT,
                     "%s must not be negative",
                     clause);
        dn_err_at(err, e->pos);
        return rc;
    }
    return 0;
}

int query_limit(struct planner *q,
                const struct query *ast,
                const struct scope *outer,
                const struct lkey *keys,
                uint32_t keys_count,
                struct lnode **tree,
                struct dn_err *err)
{
    struct lnode *n;
    int rc;

    if (!ast->limit && !ast->offset)
        return 0;
    n = logic_node(q, L_LIMIT, *tree);
    if (!n)
        return DN_FAIL_NOMEM(err);
    rc = query_count(q, ast->limit, "LIMIT", outer, &n->limit, err);
    if (rc == 0)
        rc = query_count(q, ast->offset, "OFFSET", outer, &n->offset, err);
    if (rc < 0)
        return rc;
    if (ast->with_ties) {
        n->ties = true;
        n->keys = arena_dup(q->env->arena, keys, keys_count * sizeof(*keys));
        n->keys_count = keys_count;
        if (!n->keys)
            return DN_FAIL_NOMEM(err);
    }
    *tree = n;
    return 0;
}

/* ---- set operations ---- */

int query_distinct(struct planner *q, struct qout *out, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct datum one = {.type = TYPE_BIGINT, .v = {.i64 = 1}};
    struct lnode *n = logic_node(q, out->count > 0 ? L_AGG : L_LIMIT, out->tree);

    if (!n)
        return DN_FAIL_NOMEM(err);
    if (out->count == 0) { /* without columns all rows are equal */
        out->tree = n;
        return bind_const(&b, &one, 0, &n->limit, err);
    }
    n->defs = arena_alloc_array(q->env->arena, (size_t)out->count + 1, sizeof(*n->defs));
    if (!n->defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < out->count; i++) {
        bool known = false;

        for (uint32_t k = 0; k < n->defs_count && !known; k++)
            known = n->defs[k].var == out->vars[i];
        if (known)
            continue;
        n->defs[n->defs_count].var = out->vars[i];
        n->defs[n->defs_count].e = bind_var(&b, out->vars[i], 0);
        if (!n->defs[n->defs_count++].e)
            return DN_FAIL_NOMEM(err);
    }
    out->tree = n;
    return 0;
}

/* What both sides declare alike holds for the whole; the columns are nobody's. NULL: out of memory.
 */
static const struct plan_origin *
set_origins(struct planner *q, enum set_op op, const struct qout *l, const struct qout *r)
{
    struct plan_origin *all = arena_calloc(q->env->arena, (size_t)l->count + 1, sizeof(*all));

    for (uint32_t i = 0; all && l->origins && r->origins && i < l->count; i++) {
        const struct plan_origin *a = &l->origins[i], *b = &r->origins[i];

        if (q->vars[l->vars[i]].type == q->vars[r->vars[i]].type && a->declared && b->declared &&
            a->mods.count == b->mods.count &&
            memcmp(a->mods.v, b->mods.v, a->mods.count * sizeof(a->mods.v[0])) == 0)
            all[i] = (struct plan_origin){.declared = true, .mods = a->mods};
        else if (op != SET_UNION && q->vars[l->vars[i]].type == TYPE_BPCHAR)
            all[i] = (struct plan_origin){.mods = a->mods}; /* the values are those of the left */
    }
    return all;
}

static int set_bind(struct planner *q,
                    const struct query *ast,
                    const struct scope *outer,
                    struct qout *ret,
                    struct dn_err *err)
{
    struct lnode *n = logic_node(q, L_SETOP, NULL);
    struct qout l, r;
    int rc;

    ast = query_set_balance(q, ast);
    if (!ast)
        return DN_FAIL_NOMEM(err);
    rc = query_bind(q, ast->left, outer, &l, err);
    if (rc == 0)
        rc = query_bind(q, ast->right, outer, &r, err);
    if (rc == 0)
        rc = query_set_unify(q, ast, &l, &r, err);
    if (rc < 0)
        return rc;
    if (!n)
        return DN_FAIL_NOMEM(err);
    n->in = l.tree;
    n->right = r.tree;
    n->setop = ast->set == SET_UNION       ? PLAN_SETOP_UNION_ALL
               : ast->set == SET_INTERSECT ? PLAN_SETOP_INTERSECT
                                           : PLAN_SETOP_EXCEPT;
    n->all = ast->all || ast->set == SET_UNION;
    n->left_vars = l.vars;
    n->right_vars = r.vars;
    n->vars_count = l.count;
    n->vars = arena_alloc_array(q->env->arena, (size_t)l.count + 1, sizeof(*n->vars));
    if (!n->vars)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < l.count; i++) {
        n->vars[i] = logic_var(q, l.names[i], q->vars[l.vars[i]].type);
        if (!n->vars[i])
            return DN_FAIL_NOMEM(err);
        q->vars[n->vars[i]].decimal = q->vars[l.vars[i]].decimal && q->vars[r.vars[i]].decimal;
        q->vars[n->vars[i]].row = q->vars[l.vars[i]].row > q->vars[r.vars[i]].row
                                      ? q->vars[l.vars[i]].row
                                      : q->vars[r.vars[i]].row;
    }
    *ret = (struct qout){.tree = n, .names = l.names, .count = l.count};
    ret->origins = set_origins(q, ast->set, &l, &r);
    if (!ret->origins)
        return DN_FAIL_NOMEM(err);
    ret->vars = arena_dup(q->env->arena, n->vars, ((size_t)l.count + 1) * sizeof(*n->vars));
    if (!ret->vars)
        return DN_FAIL_NOMEM(err);
    return ast->set == SET_UNION && !ast->all ? query_distinct(q, ret, err) : 0;
}

/* ---- any query ---- */

static int query_body(struct planner *q,
                      const struct query *ast,
                      const struct scope *outer,
                      struct qout *ret,
                      struct dn_err *err)
{
    int rc;

    if (ast->kind == QUERY_SELECT)
        return select_bind(q, ast, outer, ret, err);
    rc = query_lock_refuse(ast, err);
    if (rc < 0)
        return rc;
    rc = ast->kind == QUERY_VALUES ? query_values(q, ast, outer, ret, err)
                                   : set_bind(q, ast, outer, ret, err);
    if (rc == 0)
        rc = query_order(q, ast, ret, err);
    if (rc == 0)
        rc = query_limit(q,
                         ast,
                         outer,
                         ret->tree->kind == L_SORT ? ret->tree->keys : NULL,
                         ret->tree->kind == L_SORT ? ret->tree->keys_count : 0,
                         &ret->tree,
                         err);
    return rc;
}

int query_bind(struct planner *q,
               const struct query *ast,
               const struct scope *outer,
               struct qout *ret,
               struct dn_err *err)
{
    struct scope *with;
    uint32_t *own;
    int rc = plan_check_cancel(q->env, err);

    if (rc < 0)
        return rc;
    if (q->depth == PLAN_DEPTH_MAX) {
        rc =
            DN_FAIL(err, DN_E_TOO_COMPLEX, "queries may be nested %u deep at most", PLAN_DEPTH_MAX);
        dn_err_at(err, ast->pos);
        return rc;
    }
    q->depth++;
    if (ast->with) {
        with = arena_calloc(q->env->arena, 1, sizeof(*with));
        if (!with)
            return DN_FAIL_NOMEM(err);
        with->outer = outer ? outer->outer : NULL;
        if (outer)
            *with = *outer; /* sees what is around, and the queries of WITH */
        rc = query_with(q, ast->with, with, err);
        outer = with;
        if (rc < 0)
            return rc;
    }
    rc = query_body(q, ast, outer, ret, err);
    if (rc == 0 && ast->with)
        rc = query_with_rest(q, ast->with, outer, err);
    q->depth--;
    if (rc < 0)
        return rc;
    /* its own list: who asked may put other variables there */
    own = arena_alloc_array(q->env->arena, (size_t)ret->count + 1, sizeof(*own));
    if (!own)
        return DN_FAIL_NOMEM(err);
    if (ret->count)
        memcpy(own, ret->vars, ret->count * sizeof(*own));
    ret->vars = own;
    return 0;
}
