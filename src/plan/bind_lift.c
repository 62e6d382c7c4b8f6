/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_lift.c: expressions over the result of an aggregation: keys and aggregates in the place of
 * the columns they come from. */
#include "plan/select_rows.h"

/* Are all columns of the table's key group keys? Then its other columns depend on them. */
static bool bind_key_grouped(const struct sel *s, const struct lrel *rel)
{
    const struct table *t = rel->table;
    bool any = false;

    for (uint16_t i = 0; t && i < t->columns_count; i++) {
        bool found = false;

        if (t->columns[i].key_pos == 0)
            continue;
        any = true;
        for (uint32_t k = 0; k < s->keys_count && !found; k++)
            found = s->keys[k].e->kind == BEXPR_COLUMN && rel->cols[i].var != 0 &&
                    s->keys[k].e->col == rel->cols[i].var;
        if (!found)
            return false;
    }
    return any;
}

static int
bind_lift_column(struct binder *b, struct bexpr *e, struct bexpr **ret, struct dn_err *err)
{
    const struct lvar *v = &b->q->vars[e->col];
    struct sel *s = b->level;
    uint32_t k;
    int rc;

    if (v->level != s) { /* an aggregate, a subquery, or of a query around this one */
        *ret = e;
        rc = select_rows_lift_var(s, e, ret, err);
        return rc < 0 ? rc : 0;
    }
    if (v->rel && !s->has_sets && bind_key_grouped(s, v->rel)) {
        *ret = e;
        return select_key_add(s, e, &k, err);
    }
    rc = DN_FAIL(err,
                 DN_E_GROUPING,
                 "column \"%s%s%s\" must appear in the GROUP BY clause or be used in an aggregate "
                 "function",
                 v->rel && v->rel->alias ? v->rel->alias : "",
                 v->rel && v->rel->alias ? "." : "",
                 v->name);
    dn_err_at(err, e->pos);
    return rc;
}

int bind_lift(struct binder *b, struct bexpr *e, struct bexpr **ret, struct dn_err *err)
{
    struct sel *s = b->level;
    struct bexpr *out;
    int rc;

    if (e->kind == BEXPR_CONST || e->kind == BEXPR_PARAM) {
        *ret = e;
        return 0;
    }
    for (uint32_t i = 0; i < s->keys_count; i++) {
        if (!bind_same(e, s->keys[i].e))
            continue;
        *ret = bind_var(b, s->keys[i].var, e->pos);
        return *ret ? 0 : DN_FAIL_NOMEM(err);
    }
    if (e->kind == BEXPR_COLUMN)
        return bind_lift_column(b, e, ret, err);
    out = arena_dup(b->env->arena, e, sizeof(*e));
    if (!out)
        return DN_FAIL_NOMEM(err);
    out->args = arena_alloc_array(b->env->arena, e->args_count + 1, sizeof(struct bexpr *));
    if (!out->args)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < e->args_count; i++) {
        rc = bind_lift(b, e->args[i], &out->args[i], err);
        if (rc < 0)
            return rc;
    }
    *ret = out;
    return 0;
}
