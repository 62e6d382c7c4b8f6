/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_where.h"

#include <inttypes.h>

static const char *const q_ops[Q_OP_MAX] = {"=", "<>", "<", "<=", ">", ">="};

static void q_leaf_random(const struct sqlm_table *t, struct rng *r, struct q_node *n)
{
    const struct sqlm_col *c;

    n->col = rng_below(r, t->cols_count);
    c = &t->cols[n->col];
    n->op = (enum q_op)rng_below(r, Q_OP_MAX);
    n->negated = rng_one_in(r, 3);
    switch (rng_below(r, 6)) {
    case 0:
        n->kind = Q_BETWEEN;
        n->lits = 2;
        break;
    case 1:
        n->kind = Q_IN;
        n->lits = 1 + rng_below(r, 4);
        break;
    case 2:
        n->kind = Q_NULL;
        break;
    case 3:
        n->kind = Q_CMP;
        n->lits = 1;
        for (uint32_t i = 0; i < t->cols_count; i++) {
            if (i != n->col && t->cols[i].type == c->type) {
                n->kind = Q_CMP_COL;
                n->lits = 0;
                n->col2 = i;
            }
        }
        break;
    case 4:
        n->kind = sql_type_is_int(c->type) && !c->wide ? Q_ARITH : Q_CMP;
        n->add = (int64_t)rng_below(r, 9) - 4;
        n->lits = 1;
        break;
    default:
        n->kind = Q_CMP;
        n->lits = 1;
        break;
    }
    for (uint32_t i = 0; i < n->lits; i++) {
        /* Mostly values that are there. */
        if (t->rows.count && rng_below(r, 3)) {
            uint32_t row = rng_below(r, (uint32_t)t->rows.count);
            n->lit[i] = sql_value_copy(&sql_row(&t->rows, row)[n->col]);
        } else {
            n->lit[i] = sqlm_value_random(r, c, n->kind == Q_IN && rng_one_in(r, 4));
        }
        if (n->lit[i].null && n->kind != Q_IN)
            n->lit[i] = sqlm_value_random(r, c, false);
        n->lit[i].type = c->type;
    }
}

static const struct q_node *q_tree_random(struct q_where *q, struct rng *r, uint32_t depth)
{
    struct q_node *n;
    uint32_t what = rng_below(r, 10);

    DN_ASSERT(q->nodes_count < Q_NODES_MAX);
    n = &q->nodes[q->nodes_count++];
    if (depth == 0 || what < 4) {
        q_leaf_random(q->t, r, n);
    } else if (what < 7) {
        n->kind = Q_AND;
        n->a = q_tree_random(q, r, depth - 1);
        n->b = q_tree_random(q, r, depth - 1);
    } else if (what < 9) {
        n->kind = Q_OR;
        n->a = q_tree_random(q, r, depth - 1);
        n->b = q_tree_random(q, r, depth - 1);
    } else {
        n->kind = Q_NOT;
        n->a = q_tree_random(q, r, depth - 1);
    }
    return n;
}

static void
q_tree_print(const struct sqlm_table *t, const struct q_node *n, struct rng *r, struct buf *b)
{
    const char *col = t->cols[n->col].name;

    switch (n->kind) {
    case Q_TRUE:
        buf_puts(b, "true");
        break;
    case Q_CMP:
        buf_printf(b, "%s %s ", col, q_ops[n->op]);
        sqlm_literal(r, &n->lit[0], b);
        break;
    case Q_CMP_COL:
        buf_printf(b, "%s %s %s", col, q_ops[n->op], t->cols[n->col2].name);
        break;
    case Q_ARITH:
        buf_printf(b, "%s + (%" PRId64 ") %s ", col, n->add, q_ops[n->op]);
        sqlm_literal(r, &n->lit[0], b);
        break;
    case Q_BETWEEN:
        buf_printf(b, "%s %sBETWEEN ", col, n->negated ? "NOT " : "");
        sqlm_literal(r, &n->lit[0], b);
        buf_puts(b, " AND ");
        sqlm_literal(r, &n->lit[1], b);
        break;
    case Q_IN:
        buf_printf(b, "%s %sIN (", col, n->negated ? "NOT " : "");
        for (uint32_t i = 0; i < n->lits; i++) {
            buf_puts(b, i ? ", " : "");
            sqlm_literal(r, &n->lit[i], b);
        }
        buf_puts(b, ")");
        break;
    case Q_NULL:
        buf_printf(b, "%s IS %sNULL", col, n->negated ? "NOT " : "");
        break;
    case Q_AND:
    case Q_OR:
        buf_puts(b, "(");
        q_tree_print(t, n->a, r, b);
        buf_puts(b, n->kind == Q_AND ? ") AND (" : ") OR (");
        q_tree_print(t, n->b, r, b);
        buf_puts(b, ")");
        break;
    case Q_NOT:
        buf_puts(b, "NOT (");
        q_tree_print(t, n->a, r, b);
        buf_puts(b, ")");
        break;
    case Q_KIND_MAX:
        break;
    }
}

/* Truth of three values: 1, 0, and -1 for unknown. */
static int q_compare(const struct sql_value *a, enum q_op op, const struct sql_value *b)
{
    int c;

    if (a->null || b->null)
        return -1;
    c = sql_value_cmp(a, b);
    switch (op) {
    case Q_EQ:
        return c == 0;
    case Q_NE:
        return c != 0;
    case Q_LT:
        return c < 0;
    case Q_LE:
        return c <= 0;
    case Q_GT:
        return c > 0;
    case Q_GE:
        return c >= 0;
    case Q_OP_MAX:
        break;
    }
    return -1;
}

static int q_not(int x)
{
    return x < 0 ? -1 : !x;
}

static int q_and(int x, int y)
{
    return x == 0 || y == 0 ? 0 : x < 0 || y < 0 ? -1 : 1;
}

static int q_or(int x, int y)
{
    return x == 1 || y == 1 ? 1 : x < 0 || y < 0 ? -1 : 0;
}

static int q_true(const struct q_node *n, const struct sql_value *row)
{
    struct sql_value v = row[n->col];
    int x = 0;

    switch (n->kind) {
    case Q_TRUE:
        return 1;
    case Q_CMP:
        return q_compare(&v, n->op, &n->lit[0]);
    case Q_CMP_COL:
        return q_compare(&v, n->op, &row[n->col2]);
    case Q_ARITH:
        v.i64 += v.null ? 0 : n->add;
        return q_compare(&v, n->op, &n->lit[0]);
    case Q_BETWEEN:
        x = q_and(q_compare(&v, Q_GE, &n->lit[0]), q_compare(&v, Q_LE, &n->lit[1]));
        return n->negated ? q_not(x) : x;
    case Q_IN:
        for (uint32_t i = 0; i < n->lits; i++)
            x = q_or(x, q_compare(&v, Q_EQ, &n->lit[i]));
        return n->negated ? q_not(x) : x;
    case Q_NULL:
        return v.null != n->negated;
    case Q_AND:
        return q_and(q_true(n->a, row), q_true(n->b, row));
    case Q_OR:
        return q_or(q_true(n->a, row), q_true(n->b, row));
    case Q_NOT:
        return q_not(q_true(n->a, row));
    case Q_KIND_MAX:
        break;
    }
    return -1;
}

void q_where_random(struct q_where *w, const struct sqlm_table *t, struct rng *r)
{
    w->t = t;
    w->root = q_tree_random(w, r, 3);
}

void q_where_print(const struct q_where *w, struct rng *r, struct buf *b)
{
    q_tree_print(w->t, w->root, r, b);
}

bool q_where_true(const struct q_where *w, const struct sql_value *row)
{
    return !w->root || q_true(w->root, row) == 1;
}

void q_where_done(struct q_where *w)
{
    for (uint32_t i = 0; i < w->nodes_count; i++)
        for (uint32_t k = 0; k < DN_ARRAY_SIZE(w->nodes[i].lit); k++)
            sql_value_done(&w->nodes[i].lit[k]);
}
