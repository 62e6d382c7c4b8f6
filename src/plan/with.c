/* SPDX-License-Identifier: Apache-2.0
 *
 * with.c: WITH. A query of it is bound when it is first mentioned. If it uses nothing of the
 * queries around it, all mentions share one binding, and rewrite.c puts it in place when there is
 * only one mention; else each mention binds it anew.
 *
 * WITH RECURSIVE: base UNION [ALL] term, where the term mentions the query itself once: rows of the
 * base go to a working table, the term runs over that table again and again, its rows being the
 * next working table, until there are none. */
#include "plan/clone.h"
#include "plan/query_set.h"
#include "plan/select_int.h"

#include "base/text.h"

static int with_bind(struct planner *q, struct lwith *w, struct qout *ret, struct dn_err *err);

/* One that changes rows: its part of the statement has run before. */
static int with_part(struct planner *q, struct lwith *w, struct dn_err *err)
{
    const struct plan_later *later = q->env->later;
    int rc;

    for (uint32_t i = 0; i < q->env->parts_count; i++)
        if (q->env->parts[i].change == w->ast->change) {
            w->part = i + 1;
            return 0;
        }
    for (uint32_t i = 0; later && i < later->with->ctes_count; i++)
        if (later->with->ctes[i].change == w->ast->change) {
            w->part = UINT32_MAX;
            return 0;
        }
    rc = DN_FAIL(err,
                 DN_E_UNSUPPORTED,
                 "WITH clause containing a data-modifying statement must be at the top level");
    dn_err_at(err, w->ast->name.pos);
    return rc;
}

int query_with(struct planner *q,
               const struct with_clause *with,
               struct scope *scope,
               struct dn_err *err)
{
    struct lwith *outer = scope->withs;
    struct lwith *list = outer;
    struct scope *seen = arena_dup(q->env->arena, scope, sizeof(*seen));

    if (!seen)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < with->ctes_count; i++) {
        const struct cte *c = &with->ctes[i];
        struct lwith *w = arena_calloc(q->env->arena, 1, sizeof(*w));
        int rc;

        if (!w)
            return DN_FAIL_NOMEM(err);
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(with->ctes[k].name.s, c->name.s) != 0)
                continue;
            rc = DN_FAIL(err,
                         DN_E_DUPLICATE_ALIAS,
                         "WITH query name \"%s\" specified more than once",
                         c->name.s);
            dn_err_at(err, c->name.pos);
            return rc;
        }
        *w = (struct lwith){.next = list, .ast = c, .scope = seen, .visible = list};
        rc = c->change ? with_part(q, w, err) : 0;
        if (rc < 0)
            return rc;
        w->recursive = with->recursive;
        list = w;
    }
    for (struct lwith *w = list; w != outer; w = w->next) {
        w->last = list;
        if (with->recursive)
            w->visible = list; /* also those named after it */
    }
    scope->withs = list;
    return 0;
}

int query_with_rest(struct planner *q,
                    const struct with_clause *with,
                    const struct scope *scope,
                    struct dn_err *err)
{
    const struct table *table = q->plan->table;
    uint32_t inits = q->inits_count;
    struct lwith *w = scope->withs;
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < with->ctes_count; i++, w = w->next) {
        struct qout unused;

        if (!w->used && !w->part)
            rc = with_bind(q, w, &unused, err);
    }
    q->plan->table = table;
    q->inits_count = inits; /* nor do its subqueries run */
    return rc;
}

/* ---- names of columns ---- */

static int with_names(struct planner *q, const struct cte *c, struct qout *out, struct dn_err *err)
{
    const char **names;

    if (c->columns_count > out->count) {
        int rc = DN_FAIL(err,
                         DN_E_UNCOVERED_KEY,
                         "WITH query \"%s\" has %u columns available but %u columns specified",
                         c->name.s,
                         out->count,
                         c->columns_count);

        dn_err_at(err, c->name.pos);
        return rc;
    }
    names = arena_dup(q->env->arena, out->names, ((size_t)out->count + 1) * sizeof(*names));
    if (!names)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < c->columns_count; i++)
        names[i] = c->columns[i].s;
    out->names = names;
    return 0;
}

/* ---- recursion ---- */

static int with_fresh(struct planner *q, const struct qout *out, uint32_t **ret, struct dn_err *err)
{
    *ret = arena_alloc_array(q->env->arena, (size_t)out->count + 1, sizeof(**ret));
    if (!*ret)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < out->count; i++) {
        (*ret)[i] = logic_var(q, out->names[i], q->vars[out->vars[i]].type);
        if (!(*ret)[i])
            return DN_FAIL_NOMEM(err);
        logic_set_chars(q, (*ret)[i], logic_chars(q, out->vars[i]));
        q->vars[(*ret)[i]].decimal = q->vars[out->vars[i]].decimal;
    }
    return 0;
}

static int with_bad_recursion(const struct cte *c, const char *what, struct dn_err *err)
{
    int rc = DN_FAIL(err, DN_E_BAD_RECURSION, "recursive query \"%s\" %s", c->name.s, what);

    dn_err_at(err, c->name.pos);
    return rc;
}

/* The term gives what the base gives; PostgreSQL's rule, so that the types do not grow. */
static int with_term_types(struct planner *q,
                           const struct cte *c,
                           const struct qout *base,
                           struct qout *term,
                           struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct ldef *defs = arena_alloc_array(q->env->arena, (size_t)term->count + 1, sizeof(*defs));
    uint32_t n = 0;

    if (!defs)
        return DN_FAIL_NOMEM(err);
    if (base->count != term->count) {
        int rc = DN_FAIL(err, DN_E_SYNTAX, "each UNION query must have the same number of columns");

        dn_err_at(err, c->query->right->pos);
        return rc;
    }
    for (uint32_t i = 0; i < base->count; i++) {
        enum type_id want = q->vars[base->vars[i]].type;
        struct bexpr *e = bind_var(&b, term->vars[i], c->query->right->pos);
        int rc;

        if (!e)
            return DN_FAIL_NOMEM(err);
        if (e->type == want)
            continue;
        if (!func_cast(e->type, want, true)) {
            rc = DN_FAIL(err,
                         DN_E_DATATYPE_MISMATCH,
                         "recursive query \"%s\" column %u has type %s in non-recursive term but "
                         "type %s overall",
                         c->name.s,
                         i + 1,
                         type_word(want),
                         type_word(e->type));
            dn_err_hint(err, "Cast the output of the non-recursive term to the correct type.");
            dn_err_at(err, c->query->left->pos);
            return rc;
        }
        rc = bind_coerce(&b, e, want, false, &e, err);
        if (rc < 0)
            return rc;
        defs[n] = (struct ldef){.var = logic_var(q, term->names[i], want), .e = e};
        if (!defs[n].var)
            return DN_FAIL_NOMEM(err);
        term->vars[i] = defs[n++].var;
    }
    term->tree = logic_map(q, term->tree, defs, n);
    return term->tree ? 0 : DN_FAIL_NOMEM(err);
}

/* Does the tree read the working table, through queries of its own WITH clauses or not? */
static bool with_reads(const struct lnode *n, uint32_t work)
{
    return (n->kind == L_WORK && n->work == work) || (n->in && with_reads(n->in, work)) ||
           (n->right && with_reads(n->right, work));
}

/* Is the working table itself in this tree? *bad: why it may not be where it is, NULL = it may.
 * What becomes of a WITH query inside of the term that reads it is free. */
static bool with_finds(const struct lnode *n, uint32_t work, const char **bad)
{
    bool right;

    if (n->kind == L_WORK && n->work == work)
        return !n->nested;
    if (n->in && with_finds(n->in, work, bad)) {
        if (n->kind == L_JOIN && n->join == PLAN_JOIN_FULL)
            *bad = "may not be mentioned within an outer join";
        else if (n->kind == L_AGG && n->aggs_count > 0)
            *bad = "may not be aggregated in its recursive term";
        else if (n->kind == L_SORT || n->kind == L_LIMIT)
            *bad = "may not be mentioned under ORDER BY, LIMIT or OFFSET";
        else if (n->kind == L_SETOP && n->setop == PLAN_SETOP_EXCEPT && n->all)
            *bad = "may not be mentioned within EXCEPT ALL";
        return true;
    }
    right = n->right && with_finds(n->right, work, bad);
    if (right && n->kind == L_JOIN && n->join != PLAN_JOIN_INNER)
        *bad = n->join == PLAN_JOIN_LEFT || n->join == PLAN_JOIN_FULL
                   ? "may not be mentioned within an outer join"
                   : "may not be mentioned within a subquery";
    else if (right && n->kind == L_SETOP && n->setop != PLAN_SETOP_UNION_ALL)
        *bad = "may not be mentioned within INTERSECT or EXCEPT";
    return right;
}

/* The steps of a recursion add up only if each row of the term comes of rows of the step before;
 * what looks at all of them at once would give other rows each time. */
static int
with_check(const struct cte *c, const struct lnode *term, uint32_t work, struct dn_err *err)
{
    const char *bad = NULL;

    if (!with_finds(term, work, &bad) && !with_reads(term, work))
        bad = "may not be mentioned within a subquery";
    return bad ? with_bad_recursion(c, bad, err) : 0;
}

/* The recursive term over a working table like the base. */
static int with_term(struct planner *q,
                     struct lwith *w,
                     const struct scope *seen,
                     const struct qout *base,
                     struct lnode *n,
                     struct qout *ret,
                     struct dn_err *err)
{
    struct lnode *work = logic_node(q, L_WORK, NULL);
    int rc;

    if (!work)
        return DN_FAIL_NOMEM(err);
    n->work = work->work = q->plan->works_count++;
    work->vars_count = base->count;
    rc = with_fresh(q, base, &work->vars, err);
    if (rc < 0)
        return rc;
    w->work_of = work;
    w->names = base->names;
    w->names_count = base->count;
    rc = query_bind(q, w->ast->query->right, seen, ret, err);
    w->work_of = NULL;
    if (rc == 0 && w->mentioned)
        rc = with_check(w->ast, ret->tree, n->work, err);
    return rc;
}

/* A time plus an interval is finer than the time: then so is the base. 1: some column was. */
static int
with_widen(struct planner *q, struct qout *base, const struct qout *term, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct ldef *defs = arena_alloc_array(q->env->arena, (size_t)base->count + 1, sizeof(*defs));
    uint32_t n = 0;

    if (!defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < base->count && i < term->count; i++) {
        enum type_id want = q->vars[term->vars[i]].type;
        struct bexpr *e = bind_var(&b, base->vars[i], 0);
        int rc;

        if (!e)
            return DN_FAIL_NOMEM(err);
        if (want != TYPE_TIMESTAMP_US || e->type == want || !type_is_timestamp(e->type))
            continue;
        rc = bind_coerce(&b, e, want, true, &e, err);
        if (rc < 0)
            return rc;
        defs[n] = (struct ldef){.var = logic_var(q, base->names[i], want), .e = e};
        if (!defs[n].var)
            return DN_FAIL_NOMEM(err);
        base->vars[i] = defs[n++].var;
    }
    base->tree = logic_map(q, base->tree, defs, n);
    return !base->tree ? DN_FAIL_NOMEM(err) : n > 0;
}

/* A bare NULL is a text: the steps read it before any of them could say what else it is. */
static int with_settle(struct planner *q, struct qout *base, struct dn_err *err)
{
    struct binder b = query_binder(q, NULL, NULL);
    struct ldef *defs = arena_alloc_array(q->env->arena, (size_t)base->count + 1, sizeof(*defs));
    uint32_t n = 0;

    if (!defs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < base->count; i++) {
        struct bexpr *e;
        int rc;

        if (q->vars[base->vars[i]].type != TYPE_NONE)
            continue;
        e = bind_var(&b, base->vars[i], 0);
        if (!e)
            return DN_FAIL_NOMEM(err);
        rc = bind_coerce(&b, e, TYPE_VARCHAR, true, &e, err);
        if (rc < 0)
            return rc;
        defs[n] = (struct ldef){.var = logic_var(q, base->names[i], TYPE_VARCHAR), .e = e};
        if (!defs[n].var)
            return DN_FAIL_NOMEM(err);
        base->vars[i] = defs[n++].var;
    }
    if (n > 0)
        base->tree = logic_map(q, base->tree, defs, n);
    return base->tree ? 0 : DN_FAIL_NOMEM(err);
}

static int with_recursive(struct planner *q, struct lwith *w, struct qout *ret, struct dn_err *err)
{
    const struct query *ast = w->ast->query;
    struct lnode *n = logic_node(q, L_RECURSIVE, NULL);
    struct scope seen = *w->scope;
    struct qout base, term;
    int rc;

    if (!n)
        return DN_FAIL_NOMEM(err);
    if (ast->kind != QUERY_SET || ast->set != SET_UNION)
        return with_bad_recursion(
            w->ast, "does not have the form non-recursive-term UNION [ALL] recursive-term", err);
    if (ast->order_by_count || ast->limit || ast->offset || ast->locks_count)
        return DN_FAIL(err,
                       DN_E_UNSUPPORTED,
                       "%s in a recursive query is not implemented",
                       ast->order_by_count ? "ORDER BY"
                       : ast->limit        ? "LIMIT"
                       : ast->offset       ? "OFFSET"
                                           : "FOR UPDATE/SHARE");
    if (ast->with && query_with_says(ast->with, w->ast->name.s))
        return with_bad_recursion(w->ast, "may not be mentioned within a subquery", err);
    seen.withs = w->visible;
    w->mentioned = false;
    rc = ast->with ? query_with(q, ast->with, &seen, err) : 0;
    if (rc == 0)
        rc = query_bind(q, ast->left, &seen, &base, err);
    if (rc == 0 && w->mentioned)
        rc = with_bad_recursion(w->ast, "may not be mentioned in its non-recursive term", err);
    if (rc == 0)
        rc = with_names(q, w->ast, &base, err);
    if (rc == 0)
        rc = with_settle(q, &base, err);
    if (rc < 0)
        return rc;
    rc = with_term(q, w, &seen, &base, n, &term, err);
    if (rc == 0)
        rc = with_widen(q, &base, &term, err);
    if (rc == 1)
        rc = with_term(q, w, &seen, &base, n, &term, err);
    if (rc == 0)
        rc = with_fresh(q, &base, &n->vars, err);
    if (rc == 0)
        rc = with_term_types(q, w->ast, &base, &term, err);
    if (rc == 0 && ast->with)
        rc = query_with_rest(q, ast->with, &seen, err);
    if (rc < 0)
        return rc;
    n->vars_count = base.count;
    n->in = base.tree;
    n->right = term.tree;
    n->all = ast->all;
    n->left_vars = base.vars;
    n->right_vars = term.vars;
    *ret = (struct qout){.tree = n, .vars = n->vars, .names = base.names, .count = base.count};
    return 0;
}

static int with_bind(struct planner *q, struct lwith *w, struct qout *ret, struct dn_err *err)
{
    struct scope seen = *w->scope;
    bool recursive = w->recursive && query_says(w->ast->query, w->ast->name.s);
    int rc;

    w->open = ++q->withs_open;
    seen.withs = w->visible; /* a mention in a subquery is recursion too, and refused */
    rc = recursive ? with_recursive(q, w, ret, err) : query_bind(q, w->ast->query, &seen, ret, err);
    w->open = 0;
    q->withs_open--;
    return rc < 0 ? rc : with_names(q, w->ast, ret, err);
}

/* ---- a mention ---- */

/* Another query of the same WITH that was begun for this one, and now mentions it? */
static bool with_mutual(const struct lwith *w)
{
    const struct lwith *s = w->last;

    for (; s && s->last == w->last; s = s->next)
        if (s->open > w->open)
            return true;
    return false;
}

static int with_work(struct planner *q, struct lwith *w, struct qout *ret, struct dn_err *err)
{
    w->mentioned = true;
    if (with_mutual(w)) {
        int rc = DN_FAIL(
            err, DN_E_UNSUPPORTED, "mutual recursion between WITH items is not implemented");

        dn_err_at(err, w->ast->name.pos);
        return rc;
    }
    if (!w->work_of) {
        int rc =
            DN_FAIL(err,
                    DN_E_BAD_RECURSION,
                    "recursive reference to query \"%s\" must not appear within a subquery, or "
                    "more than once",
                    w->ast->name.s);

        dn_err_at(err, w->ast->name.pos);
        return rc;
    }
    *ret = (struct qout){
        .tree = w->work_of, .vars = w->work_of->vars, .names = w->names, .count = w->names_count};
    w->work_of = NULL; /* once */
    (void)q;
    return 0;
}

static int with_shared(struct planner *q, struct lwith *w, struct qout *ret, struct dn_err *err)
{
    struct lnode *n = logic_node(q, L_CTE, NULL);
    struct lcte *c = w->bound;
    int rc;

    if (!n)
        return DN_FAIL_NOMEM(err);
    *ret = (struct qout){.tree = n,
                         .vars = c->vars,
                         .names = w->names,
                         .origins = w->origins,
                         .count = c->vars_count};
    rc = with_fresh(q, ret, &n->vars, err);
    if (rc < 0)
        return rc;
    n->vars_count = c->vars_count;
    n->cte = c;
    ret->vars = n->vars;
    c->refs++;
    return 0;
}

/* A part that is not planned yet, or this one itself. */
static int with_later(struct planner *q, const struct lwith *w, struct dn_err *err)
{
    const struct plan_later *later = q->env->later;
    int rc;

    if (w->ast->change == later->self && q->withs_open == 0)
        rc = DN_FAIL(err,
                     DN_E_BAD_RECURSION,
                     "recursive query \"%s\" must not contain data-modifying statements",
                     w->ast->name.s);
    else
        rc = DN_FAIL(
            err, DN_E_UNSUPPORTED, "mutual recursion between WITH items is not implemented");
    *later->waits = w->ast->change != later->self;
    dn_err_at(err, w->ast->name.pos);
    return rc;
}

/* Rows that were returned. */
static int with_part_rows(struct planner *q, struct lwith *w, struct qout *ret, struct dn_err *err)
{
    const struct plan_part *part = &q->env->parts[w->part - 1];
    struct lnode *n = logic_node(q, L_WORK, NULL);
    const char **names = arena_alloc_array(q->env->arena, part->cols_count + 1, sizeof(*names));
    uint32_t *vars = arena_alloc_array(q->env->arena, part->cols_count + 1, sizeof(*vars));
    int rc;

    if (part->cols_count == 0) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "WITH query \"%s\" does not have a RETURNING clause",
                     w->ast->name.s);

        dn_err_at(err, w->ast->name.pos);
        return rc;
    }
    if (!n || !names || !vars)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < part->cols_count; i++) {
        enum type_id type = part->cols[i].type;

        names[i] = part->cols[i].name;
        vars[i] = logic_var(q, names[i], type == TYPE_NONE ? TYPE_VARCHAR : type);
        if (!vars[i])
            return DN_FAIL_NOMEM(err);
        q->vars[vars[i]].decimal = part->cols[i].digits.decimal;
    }
    n->work = w->part;
    n->vars = vars;
    n->vars_count = part->cols_count;
    *ret = (struct qout){.tree = n, .vars = vars, .names = names, .count = part->cols_count};
    rc = query_unshown(q, part->cols, ret, err);
    return rc < 0 ? rc : with_names(q, w->ast, ret, err);
}

/* Working tables whose recursion is around a tree. */
struct with_round {
    const struct with_round *outer;
    uint32_t work;
};

/* Does the tree read a working table of a recursion that it is in itself? Its rows are others each
 * time then. */
static bool
with_steps(const struct planner *q, const struct lnode *n, const struct with_round *rounds)
{
    const struct with_round in = {.outer = rounds, .work = n->work};

    if (n->kind == L_WORK && (n->work > q->env->parts_count || q->env->parts_count == 0) &&
        !q->given) {
        while (rounds && rounds->work != n->work)
            rounds = rounds->outer;
        return !rounds;
    }
    if (n->kind == L_RECURSIVE)
        rounds = &in;
    return (n->in && with_steps(q, n->in, rounds)) || (n->right && with_steps(q, n->right, rounds));
}

bool query_steps(const struct planner *q, const struct lnode *n)
{
    return with_steps(q, n, NULL);
}

static void with_nested(struct lnode *n)
{
    n->nested |= n->kind == L_WORK;
    if (n->in)
        with_nested(n->in);
    if (n->right)
        with_nested(n->right);
}

/* One more copy of a query that is another one in each step of a recursion. */
static int with_again(struct planner *q, struct lwith *w, struct qout *ret, struct dn_err *err)
{
    const struct lcte *c = w->bound;
    struct lmap map = {.n = 0};

    *ret = (struct qout){.names = w->names, .origins = w->origins, .count = c->vars_count};
    ret->tree = logic_clone(q, c->tree, &map);
    ret->vars = arena_alloc_array(q->env->arena, (size_t)c->vars_count + 1, sizeof(*ret->vars));
    if (!ret->tree || !ret->vars)
        return DN_FAIL_NOMEM(err);
    with_nested(ret->tree);
    for (uint32_t i = 0; i < c->vars_count; i++)
        ret->vars[i] = logic_mapped(&map, c->vars[i]);
    return 0;
}

static int with_mention(struct planner *q, struct lwith *w, struct qout *ret, struct dn_err *err)
{
    struct lvars free = {0};
    int rc;

    if (w->part == UINT32_MAX)
        return with_later(q, w, err);
    if (w->part)
        return with_part_rows(q, w, ret, err);
    if (w->open)
        return with_work(q, w, ret, err);
    if (w->bound)
        return w->bound->bound ? with_again(q, w, ret, err) : with_shared(q, w, ret, err);
    rc = with_bind(q, w, ret, err);
    if (rc < 0)
        return rc;
    if (!logic_free(q, ret->tree, &free))
        return DN_FAIL_NOMEM(err);
    if (free.n > 0)
        return 0; /* depends on rows around it */
    w->bound = arena_calloc(q->env->arena, 1, sizeof(*w->bound));
    if (!w->bound)
        return DN_FAIL_NOMEM(err);
    *w->bound = (struct lcte){.name = w->ast->name.s,
                              .tree = ret->tree,
                              .vars = ret->vars,
                              .vars_count = ret->count,
                              .keep = w->ast->material == CTE_MATERIALIZED,
                              .number = UINT32_MAX,
                              .bound = query_steps(q, ret->tree)};
    w->names = ret->names;
    w->names_count = ret->count;
    w->origins = ret->origins;
    return w->bound->bound ? with_again(q, w, ret, err) : with_shared(q, w, ret, err);
}

int from_with(struct planner *q,
              const struct from_item *f,
              const struct scope *outer,
              struct qout *ret,
              struct dn_err *err)
{
    const char *name = f->table.name;

    for (const struct scope *s = outer; s; s = s->outer) {
        for (struct lwith *w = s->withs; w; w = w->next) {
            if (!text_same_fold(w->ast->name.s, strlen(w->ast->name.s), name, strlen(name)))
                continue;
            w->used = true;
            return with_mention(q, w, ret, err);
        }
    }
    return 1;
}
