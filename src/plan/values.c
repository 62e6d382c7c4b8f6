/* SPDX-License-Identifier: Apache-2.0
 *
 * values.c: VALUES as a query: rows of expressions, a type for each column. */
#include "plan/values.h"

#include "plan/decimal.h"

static int values_lengths(const struct values_rows *v, struct dn_err *err)
{
    for (uint32_t i = 1; i < v->rows_count; i++) {
        int rc;

        if (v->rows_len[i] == v->rows_len[0])
            continue;
        rc = DN_FAIL(err, DN_E_SYNTAX, "VALUES lists must all be the same length");
        dn_err_at(err, v->rows_pos[i]);
        return rc;
    }
    return 0;
}

static int values_column(struct binder *b,
                         const struct values_rows *v,
                         uint32_t col,
                         struct bexpr **column,
                         struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < v->rows_count; i++) {
        if (!v->rows[i][col]) {
            rc = DN_FAIL(err, DN_E_SYNTAX, "DEFAULT is not allowed in this context");
            dn_err_at(err, v->rows_pos[i]);
            return rc;
        }
        rc = bind_expr(b, v->rows[i][col], &column[i], err);
    }
    return rc < 0 ? rc : bind_unify(b, "VALUES", column, v->rows_count, err);
}

/* Subqueries of the rows: computed once for all of them, in the row that the rows stand beside. */
static int
values_beside(struct binder *b, const struct bind_subs *subs, struct qout *ret, struct dn_err *err)
{
    struct lnode *tree = logic_node(b->q, L_SINGLE, NULL);
    struct lnode *join;
    int rc = tree ? bind_attach(b, subs, &tree, err) : DN_FAIL_NOMEM(err);

    if (rc < 0)
        return rc;
    join = logic_node(b->q, L_JOIN, tree);
    if (!join)
        return DN_FAIL_NOMEM(err);
    join->right = ret->tree;
    join->join = PLAN_JOIN_INNER;
    join->fixed = true;
    ret->tree = join;
    return 0;
}

int query_values(struct planner *q,
                 const struct query *ast,
                 const struct scope *outer,
                 struct qout *ret,
                 struct dn_err *err)
{
    const struct values_rows *v = &ast->values;
    struct arena *arena = q->env->arena;
    struct scope around = {.outer = outer ? outer->outer : NULL,
                           .withs = outer ? outer->withs : NULL};
    struct binder b = query_binder(q, outer ? outer : &around, NULL);
    struct lnode *n = logic_node(q, L_VALUES, NULL);
    struct bind_subs subs = {0};
    struct bexpr **column;
    uint32_t cols = v->rows_len[0];
    int rc = values_lengths(v, err);

    if (rc < 0)
        return rc;
    column = arena_alloc_array(arena, v->rows_count, sizeof(*column));
    *ret = (struct qout){.tree = n, .count = cols};
    ret->vars = arena_alloc_array(arena, (size_t)cols + 1, sizeof(*ret->vars));
    ret->names = arena_alloc_array(arena, (size_t)cols + 1, sizeof(*ret->names));
    if (!n || !column || !ret->vars || !ret->names)
        return DN_FAIL_NOMEM(err);
    n->rows_count = v->rows_count;
    n->vars = ret->vars;
    n->vars_count = cols;
    n->values = arena_alloc_array(arena, (size_t)cols * v->rows_count + 1, sizeof(*n->values));
    if (!n->values)
        return DN_FAIL_NOMEM(err);
    b.clause = "VALUES";
    b.subs = &subs;
    for (uint32_t c = 0; c < cols; c++) {
        rc = values_column(&b, v, c, column, err);
        if (rc < 0)
            return rc;
        for (uint32_t i = 0; i < v->rows_count; i++)
            n->values[(size_t)i * cols + c] = column[i];
        ret->names[c] = arena_printf(arena, "column%u", c + 1);
        ret->vars[c] = ret->names[c] ? logic_var(q, ret->names[c], column[0]->type) : 0;
        if (!ret->vars[c])
            return DN_FAIL_NOMEM(err);
        logic_set_chars(q, ret->vars[c], bind_chars(column, v->rows_count));
        q->vars[ret->vars[c]].decimal = bind_decimal_choice(column, v->rows_count);
    }
    return subs.n > 0 ? values_beside(&b, &subs, ret, err) : 0;
}
