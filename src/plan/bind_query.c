/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_query.c: subqueries in expressions, and rows of values.
 *
 * A subquery that uses nothing of the rows around it is run once, before the statement: its value
 * is a parameter (struct plan_init), so it can prune scans. Any other becomes a join that its
 * clause attaches to its input: (query) a SINGLE join, EXISTS, IN, ANY and ALL a MARK join whose
 * condition is the comparison. x op ALL (q) is NOT (x negated-op ANY (q)), which is true of
 * three-valued logic too. */
#include "plan/decimal.h"
#include "plan/select_rows.h"

int bind_attach(struct binder *b,
                const struct bind_subs *subs,
                struct lnode **tree,
                struct dn_err *err)
{
    for (uint32_t i = 0; i < subs->n; i++) {
        const struct bind_sub *sub = &subs->v[i];
        struct lnode *n;
        int rc;

        if (!sub->tree)
            continue; /* moved to another clause */
        n = logic_node(b->q, L_JOIN, *tree);
        if (!n)
            return DN_FAIL_NOMEM(err);
        n->right = sub->tree;
        n->join = sub->join;
        n->conds = sub->conds;
        n->conds_count = sub->conds_count;
        n->mark = sub->mark;
        n->never_null = sub->never_null;
        rc = bind_guard_attach(b, sub, n, err);
        if (rc < 0)
            return rc;
        *tree = n;
    }
    return 0;
}

static int
bind_sub_add(struct binder *b, const struct bind_sub *sub, uint32_t pos, struct dn_err *err)
{
    struct bind_subs *list = b->in_agg && b->level ? &b->level->subs_inner : b->subs;
    struct bind_sub own = *sub;

    if (!list) {
        int rc = DN_FAIL(err,
                         DN_E_UNSUPPORTED,
                         "a subquery that depends on the row cannot be used in %s",
                         b->clause ? b->clause : "this place");

        dn_err_at(err, pos);
        return rc;
    }
    own.in_window = b->in_window || b->in_lists;
    return bind_subs_push(b->env->arena, list, &own) ? 0 : DN_FAIL_NOMEM(err);
}

/* *ret_once: it needs no row of the queries around it. */
static int bind_sub_query(struct binder *b,
                          const struct query *ast,
                          uint32_t pos,
                          struct qout *ret,
                          bool *ret_once,
                          struct dn_err *err)
{
    struct lvars free = {0};
    int rc;

    if (!b->q) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "a subquery cannot be used in %s",
                     b->clause ? b->clause : "this place");
        dn_err_at(err, pos);
        return rc;
    }
    rc = query_bind(b->q, ast, b->scope, ret, err);
    if (rc < 0)
        return rc;
    if (!logic_free(b->q, ret->tree, &free))
        return DN_FAIL_NOMEM(err);
    *ret_once = free.n == 0 && !query_steps(b->q, ret->tree);
    return 0;
}

/* ---- values ---- */

static int bind_init(struct binder *b,
                     struct lnode *tree,
                     uint32_t var,
                     uint32_t pos,
                     struct bexpr **ret,
                     struct dn_err *err)
{
    struct planner *q = b->q;
    struct bexpr *out = bind_new(b, BEXPR_PARAM, q->vars[var].type, pos);

    if (q->inits_count == q->inits_cap) {
        uint32_t cap = q->inits_cap ? 2 * q->inits_cap : 4;
        struct linit *more = arena_alloc_array(q->env->arena, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (q->inits_count)
            memcpy(more, q->inits, q->inits_count * sizeof(*more));
        q->inits = more;
        q->inits_cap = cap;
    }
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->chars = logic_chars(q, var);
    out->decimal = q->vars[var].decimal;
    out->param = ++q->plan->slots_count;
    q->inits[q->inits_count++] =
        (struct linit){.tree = tree, .var = var, .param = out->param, .pos = pos};
    *ret = out;
    return 0;
}

/* A variable of its own for a column of a subquery, which may be one of the outer query's. */
static int bind_own(struct binder *b, struct qout *out, uint32_t i, struct dn_err *err)
{
    struct ldef def = {.e = bind_var(b, out->vars[i], 0)};

    def.var = def.e ? logic_var(b->q, out->names[i], def.e->type) : 0;
    if (!def.var)
        return DN_FAIL_NOMEM(err);
    out->vars[i] = def.var;
    logic_set_like(b->q, def.var, def.e);
    out->tree = logic_map(b->q, out->tree, &def, 1);
    return out->tree ? 0 : DN_FAIL_NOMEM(err);
}

static int bind_one_column(const struct expr *e, const struct qout *out, struct dn_err *err)
{
    int rc;

    if (out->count == 1)
        return 0;
    rc = DN_FAIL(err, DN_E_SYNTAX, "subquery must return only one column");
    dn_err_at(err, e->pos);
    return rc;
}

/* Each column of a subquery of one row as a value. */
static int bind_row_query(struct binder *b,
                          const struct expr *e,
                          struct qout *out,
                          struct bexpr **ret,
                          struct dn_err *err)
{
    bool once;
    struct bind_sub sub = {.join = PLAN_JOIN_SINGLE};
    struct plan_origin *own;
    int rc = bind_sub_query(b, e->query, e->pos, out, &once, err);

    if (rc < 0)
        return rc;
    if (out->count > PLAN_COLS_ROW_MAX) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "subquery has too many columns");
        dn_err_at(err, e->pos);
        return rc;
    }
    if (once && out->count == 1)
        return bind_init(b, out->tree, out->vars[0], e->pos, &ret[0], err);
    for (uint32_t i = 0; i < out->count; i++) {
        rc = bind_own(b, out, i, err);
        if (rc < 0)
            return rc;
        own = &b->q->vars[out->vars[i]].origin;
        if (out->origins && own->relation == 0) {
            *own = out->origins[i]; /* its type; but it is no column of a table any more */
            own->relation = 0;
            own->column = 0;
        }
        ret[i] = bind_var(b, out->vars[i], e->pos);
        if (!ret[i])
            return DN_FAIL_NOMEM(err);
    }
    sub.tree = out->tree;
    return bind_sub_add(b, &sub, e->pos, err);
}

static int
bind_scalar(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *cols[PLAN_COLS_ROW_MAX];
    struct qout out;
    int rc;

    if (e->query->kind == QUERY_SELECT && e->query->core->items_count > PLAN_COLS_ROW_MAX)
        return DN_FAIL(err, DN_E_SYNTAX, "subquery must return only one column");
    rc = bind_row_query(b, e, &out, cols, err);
    if (rc == 0)
        rc = bind_one_column(e, &out, err);
    if (rc == 0)
        *ret = cols[0];
    return rc;
}

/* ---- ARRAY(query) ---- */

/* coalesce(array_agg(column), '{}') of the query. */
static int bind_array_tree(
    struct binder *b, struct qout *out, uint32_t pos, uint32_t *ret_var, struct dn_err *err)
{
    struct planner *q = b->q;
    struct lnode *agg = logic_node(q, L_AGG, out->tree);
    struct datum none = {.type = TYPE_VARCHAR, .str = {.ptr = "{}", .len = 2}};
    struct lagg all = {.agg = {.pos = pos}};
    struct bexpr *args[2];
    enum type_id type;
    struct ldef def;
    int rc = 0;

    all.agg.arg = bind_var(b, out->vars[0], pos);
    if (!agg || !all.agg.arg)
        return DN_FAIL_NOMEM(err);
    all.agg.agg = agg_find("array_agg", false, all.agg.arg->type, pos, err);
    if (!all.agg.agg)
        return err ? err->code : DN_E_UNDEFINED_FUNCTION;
    if (!type_is_enum(all.agg.arg->type))
        rc = bind_coerce(b, all.agg.arg, all.agg.agg->arg, true, &all.agg.arg, err);
    type = agg_result(all.agg.agg, all.agg.arg->type);
    all.var = logic_var(q, "array_agg", type);
    agg->aggs = arena_dup(q->env->arena, &all, sizeof(all));
    agg->aggs_count = 1;
    args[0] = all.var ? bind_var(b, all.var, pos) : NULL;
    if (rc < 0 || !agg->aggs || !args[0])
        return rc < 0 ? rc : DN_FAIL_NOMEM(err);
    rc = bind_const(b, &none, pos, &args[1], err);
    if (rc == 0) {
        args[1]->type = TYPE_NONE;
        rc = bind_coerce(b, args[1], type, true, &args[1], err);
    }
    if (rc == 0)
        rc = bind_coalesce(b, pos, args, 2, &def.e, err);
    if (rc < 0)
        return rc;
    def.var = *ret_var = logic_var(q, "array", type);
    logic_set_chars(q, def.var, all.agg.arg->chars);
    out->tree = def.var ? logic_map(q, agg, &def, 1) : NULL;
    return out->tree ? 0 : DN_FAIL_NOMEM(err);
}

static int
bind_array_query(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    bool once;
    struct bind_sub sub = {.join = PLAN_JOIN_SINGLE};
    struct qout out;
    uint32_t var = 0;
    int rc = bind_sub_query(b, e->query, e->pos, &out, &once, err);

    if (rc == 0)
        rc = bind_one_column(e, &out, err);
    if (rc == 0)
        rc = bind_array_tree(b, &out, e->pos, &var, err);
    if (rc < 0)
        return rc;
    if (once)
        return bind_init(b, out.tree, var, e->pos, ret, err);
    sub.tree = out.tree;
    *ret = bind_var(b, var, e->pos);
    return *ret ? bind_sub_add(b, &sub, e->pos, err) : DN_FAIL_NOMEM(err);
}

/* ---- EXISTS ---- */

/* SELECT count(*) > 0 FROM (query LIMIT 1) */
static int bind_exists_once(
    struct binder *b, struct lnode *tree, uint32_t pos, struct bexpr **ret, struct dn_err *err)
{
    struct planner *q = b->q;
    struct lnode *limit = logic_node(q, L_LIMIT, tree);
    struct lnode *agg = logic_node(q, L_AGG, limit);
    struct datum one = {.type = TYPE_BIGINT, .v = {.i64 = 1}};
    struct datum zero = {.type = TYPE_BIGINT};
    struct lagg count = {.agg = {.pos = pos}};
    struct bexpr *c, *z, *more;
    struct ldef def;
    int rc;

    count.agg.agg = agg_find("count", true, TYPE_NONE, pos, err);
    if (!count.agg.agg)
        return DN_E_INTERNAL;
    count.var = logic_var(q, "count(*)", TYPE_BIGINT);
    if (!limit || !agg || !count.var)
        return DN_FAIL_NOMEM(err);
    agg->aggs = arena_dup(q->env->arena, &count, sizeof(count));
    agg->aggs_count = 1;
    c = bind_var(b, count.var, pos);
    if (!agg->aggs || !c)
        return DN_FAIL_NOMEM(err);
    rc = bind_const(b, &one, pos, &limit->limit, err);
    if (rc == 0)
        rc = bind_const(b, &zero, pos, &z, err);
    if (rc == 0)
        rc = bind_compare(b, OP_GT, pos, c, z, &more, err);
    if (rc < 0)
        return rc;
    def = (struct ldef){.var = logic_var(q, "exists", TYPE_BOOLEAN), .e = more};
    tree = def.var ? logic_map(q, agg, &def, 1) : NULL;
    return tree ? bind_init(b, tree, def.var, pos, ret, err) : DN_FAIL_NOMEM(err);
}

static int bind_mark(struct binder *b,
                     struct lnode *tree,
                     struct bexpr *cond,
                     uint32_t pos,
                     struct bexpr **ret,
                     struct dn_err *err)
{
    struct bind_sub sub = {.join = PLAN_JOIN_MARK, .tree = tree, .never_null = !cond};
    struct lexprs conds = {0};
    int rc;

    sub.mark = logic_var(b->q, cond ? "any" : "exists", TYPE_BOOLEAN);
    if (!sub.mark || (cond && !lexprs_add(b->env->arena, &conds, cond)))
        return DN_FAIL_NOMEM(err);
    sub.conds = conds.v;
    sub.conds_count = conds.n;
    rc = bind_sub_add(b, &sub, pos, err);
    if (rc < 0)
        return rc;
    *ret = bind_var(b, sub.mark, pos);
    return *ret ? 0 : DN_FAIL_NOMEM(err);
}

static int
bind_exists(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    bool once;
    struct qout out;
    int rc = bind_sub_query(b, e->query, e->pos, &out, &once, err);

    if (rc < 0)
        return rc;
    while (out.tree->kind == L_MAP) /* whatever is selected: nobody looks, and it must not run */
        out.tree = out.tree->in;
    return once ? bind_exists_once(b, out.tree, e->pos, ret, err)
                : bind_mark(b, out.tree, NULL, e->pos, ret, err);
}

/* ---- IN, ANY, ALL ---- */

/* The values of the left side: (a, b), ROW(a, b) or one. */
static int bind_left(struct binder *b,
                     const struct expr *e,
                     struct bexpr **ret,
                     uint32_t *ret_count,
                     struct dn_err *err)
{
    struct expr *const *args = NULL;
    uint32_t count = 1;
    int rc = 0;

    if (e->kind == EXPR_ROW) {
        struct expr *row;

        rc = bind_as_row(b, arena_dup(b->env->arena, e, sizeof(*e)), &row, err);
        if (rc != 0)
            return rc < 0 ? rc : DN_FAIL_NOMEM(err); /* it is a row */
        args = row->args;
        count = row->args_count;
    }
    if (count > PLAN_COLS_ROW_MAX) {
        rc = DN_FAIL(err, DN_E_TOO_COMPLEX, "a row may have %u values at most", PLAN_COLS_ROW_MAX);
        dn_err_at(err, e->pos);
        return rc;
    }
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = bind_expr(b, args ? args[i] : e, &ret[i], err);
    *ret_count = count;
    return rc;
}

/* The condition of x op ANY (query): a comparison of rows, or a pattern of one column. */
static int bind_any_cond(struct binder *b,
                         const struct expr *e,
                         enum expr_op op,
                         const struct bind_pairs *pairs,
                         struct bexpr **ret,
                         struct dn_err *err)
{
    const char *name = op == OP_LIKE ? "like" : op == OP_ILIKE ? "ilike" : bind_op_name(op);
    struct bexpr *args[2] = {pairs->l[0], pairs->r[0]};
    int rc;

    if (op >= OP_EQ && op <= OP_GE)
        return bind_row_compare(b, op, e->pos, pairs, ret, err);
    rc = bind_call(b, name, e->pos, args, 2, ret, err);
    if (rc == 0 && (pairs->count != 1 || (*ret)->type != TYPE_BOOLEAN)) {
        rc = DN_FAIL(err, DN_E_DATATYPE_MISMATCH, "operator %s must return type boolean", name);
        dn_err_at(err, e->pos);
    }
    if (rc == 0 && e->kind == EXPR_ANY && e->negated)
        rc = bind_call(b, "not", e->pos, ret, 1, ret, err);
    return rc;
}

static int bind_any_query(struct binder *b,
                          const struct expr *e,
                          enum expr_op op,
                          bool all,
                          struct bexpr **ret,
                          struct dn_err *err)
{
    struct bexpr *l[PLAN_COLS_ROW_MAX], *r[PLAN_COLS_ROW_MAX], *cond;
    bool once;
    struct qout out;
    uint32_t count;
    int rc = bind_left(b, e->a, l, &count, err);

    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        if (!b->level || !select_has_sets(b->level, l[i]))
            continue;
        rc = DN_FAIL(err, DN_E_DATATYPE_MISMATCH, "row comparison operator must not return a set");
        dn_err_at(err, e->pos);
    }
    if (rc == 0)
        rc = bind_sub_query(b, e->query, e->pos, &out, &once, err);
    if (rc < 0)
        return rc;
    if (out.count != count) {
        rc = DN_FAIL(
            err, DN_E_SYNTAX, "subquery has too %s columns", out.count > count ? "many" : "few");
        dn_err_at(err, e->pos);
        return rc;
    }
    for (uint32_t i = 0; rc == 0 && i < count; i++) {
        rc = bind_own(b, &out, i, err);
        r[i] = rc == 0 ? bind_var(b, out.vars[i], e->pos) : NULL;
        if (rc == 0 && !r[i])
            rc = DN_FAIL_NOMEM(err);
    }
    if (rc == 0)
        rc = bind_any_cond(
            b, e, op, &(struct bind_pairs){.l = l, .r = r, .count = count}, &cond, err);
    if (rc == 0 && all)
        rc = bind_call(b, "not", e->pos, &cond, 1, &cond, err);
    if (rc == 0)
        rc = bind_mark(b, out.tree, cond, e->pos, ret, err);
    if (rc == 0 && all)
        rc = bind_call(b, "not", e->pos, ret, 1, ret, err);
    return rc;
}

/* ---- rows ---- */

/* a < c OR (a = c AND (b < d OR …)) */
static int bind_row_less(struct binder *b,
                         enum expr_op op,
                         uint32_t pos,
                         const struct bind_pairs *pairs,
                         struct bexpr **ret,
                         struct dn_err *err)
{
    enum expr_op strict = op == OP_LE ? OP_LT : op == OP_GE ? OP_GT : op;
    struct bexpr **l = pairs->l, **r = pairs->r;
    uint32_t count = pairs->count;
    struct bexpr *out;
    int rc = bind_compare(b, op, pos, l[count - 1], r[count - 1], &out, err);

    for (uint32_t i = count - 1; rc == 0 && i-- > 0;) {
        struct bexpr *less = NULL, *same = NULL, *pair[2];

        rc = bind_compare(b, strict, pos, l[i], r[i], &less, err);
        if (rc == 0)
            rc = bind_compare(b, OP_EQ, pos, l[i], r[i], &same, err);
        pair[0] = same;
        pair[1] = out;
        if (rc == 0)
            rc = bind_chain(b, BEXPR_AND, pos, pair, 2, &out, err);
        pair[0] = less;
        pair[1] = out;
        if (rc == 0)
            rc = bind_chain(b, BEXPR_OR, pos, pair, 2, &out, err);
    }
    if (rc == 0)
        *ret = out;
    return rc;
}

int bind_row_compare(struct binder *b,
                     enum expr_op op,
                     uint32_t pos,
                     const struct bind_pairs *pairs,
                     struct bexpr **ret,
                     struct dn_err *err)
{
    struct bexpr *parts[PLAN_COLS_ROW_MAX];
    struct bexpr **l = pairs->l, **r = pairs->r;
    uint32_t count = pairs->count;
    int rc = 0;

    if (count == 1)
        return bind_compare(b, op, pos, l[0], r[0], ret, err);
    if (op != OP_EQ && op != OP_NE)
        return bind_row_less(b, op, pos, pairs, ret, err);
    for (uint32_t i = 0; rc == 0 && i < count; i++)
        rc = bind_compare(b, op, pos, l[i], r[i], &parts[i], err);
    if (rc < 0)
        return rc;
    return bind_chain(b, op == OP_EQ ? BEXPR_AND : BEXPR_OR, pos, parts, count, ret, err);
}

int bind_row_values(struct binder *b,
                    const struct expr *e,
                    struct bexpr **ret,
                    uint32_t *ret_count,
                    struct dn_err *err)
{
    struct qout out;
    int rc;

    if (e->kind != EXPR_QUERY)
        return bind_left(b, e, ret, ret_count, err);
    rc = bind_row_query(b, e, &out, ret, err);
    *ret_count = rc == 0 ? out.count : 0;
    return rc;
}

int bind_rows(
    struct binder *b, const struct expr *e, enum expr_op op, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr *l[PLAN_COLS_ROW_MAX], *r[PLAN_COLS_ROW_MAX];
    uint32_t nl, nr;
    int rc = bind_row_nested(b, e, op, ret, err);

    if (rc <= 0)
        return rc;
    rc = bind_row_values(b, e->a, l, &nl, err);
    if (rc == 0)
        rc = bind_row_values(b, e->b, r, &nr, err);
    if (rc < 0)
        return rc;
    if (nl != nr) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "unequal number of entries in row expressions");
        dn_err_at(err, e->pos);
        return rc;
    }
    return bind_row_compare(
        b, op, e->pos, &(struct bind_pairs){.l = l, .r = r, .count = nl}, ret, err);
}

/* (a, b) IN ((1, 2), (3, 4)) */
static int
bind_row_in(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    struct bexpr **parts =
        arena_alloc_array(b->env->arena, (size_t)e->args_count + 1, sizeof(*parts));
    int rc = 0;

    if (!parts)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < e->args_count; i++) {
        struct expr pair = {.kind = EXPR_BINARY, .pos = e->pos, .a = e->a, .b = e->args[i]};

        if (e->args[i]->kind == EXPR_LITERAL && e->args[i]->value.null)
            rc = bind_bool(b, e->args[i], "IN", &parts[i], err); /* NULL, as of any comparison */
        else
            rc = bind_rows(b, &pair, OP_EQ, &parts[i], err);
    }
    if (rc == 0)
        rc = bind_chain(b, BEXPR_OR, e->pos, parts, e->args_count, ret, err);
    if (rc == 0 && e->negated)
        rc = bind_call(b, "not", e->pos, ret, 1, ret, err);
    return rc;
}

int bind_query_expr(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
{
    int rc;

    switch ((int)e->kind) {
    case EXPR_QUERY:
        return bind_scalar(b, e, ret, err);
    case EXPR_EXISTS:
        return bind_exists(b, e, ret, err);
    case EXPR_ARRAY_QUERY:
        return bind_array_query(b, e, ret, err);
    case EXPR_IN:
        if (!e->query)
            return bind_row_in(b, e, ret, err);
        rc = bind_any_query(b, e, OP_EQ, false, ret, err);
        if (rc == 0 && e->negated)
            rc = bind_call(b, "not", e->pos, ret, 1, ret, err);
        return rc;
    case EXPR_ANY:
        return bind_any_query(b, e, e->op, e->all, ret, err);
    default:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "no query in an expression of kind %d", (int)e->kind);
}
