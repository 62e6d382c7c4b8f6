/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_share.c: what several expressions of a PROJECT have in common is computed once, by a
 * PROJECT below it. Only what is computed for every row anyway: a part of a CASE, of COALESCE or of
 * AND and OR that is looked at only if need be must not fail for other rows. */
#include "plan/lower.h"

#define SHARE_MAX 128u /* parts of expressions that are compared */

struct share_part {
    const struct bexpr *e;
    uint32_t count; /* occurrences */
    bool sure;      /* one of them is computed for every row */
    uint32_t col;   /* of the PROJECT below */
};

struct share {
    struct arena *arena;
    struct share_part parts[SHARE_MAX];
    uint32_t count;
};

static struct share_part *share_find(struct share *s, const struct bexpr *e)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (bind_same(s->parts[i].e, e))
            return &s->parts[i];
    }
    return NULL;
}

/* Is argument i looked at only for some rows? */
static bool share_maybe(const struct bexpr *e, uint32_t i)
{
    return i > 0 && (e->kind == BEXPR_AND || e->kind == BEXPR_OR || e->kind == BEXPR_CASE ||
                     e->kind == BEXPR_COALESCE);
}

/* Notes the parts of an expression. Those of a part that was seen before count there. */
static void share_note(struct share *s, const struct bexpr *e, bool sure)
{
    struct share_part *p;

    if (e->kind == BEXPR_CONST || e->kind == BEXPR_COLUMN || e->kind == BEXPR_PARAM)
        return;
    if (bind_has_columns(e) && !logic_volatile(e)) {
        p = share_find(s, e);
        if (p) {
            p->count++;
            p->sure = p->sure || sure;
            return;
        }
        if (s->count < SHARE_MAX)
            s->parts[s->count++] = (struct share_part){.e = e, .count = 1, .sure = sure};
    }
    for (uint32_t i = 0; i < e->args_count; i++)
        share_note(s, e->args[i], sure && !share_maybe(e, i));
}

/* The expression over the columns of the PROJECT below. NULL: out of memory. */
static struct bexpr *share_use(struct share *s, const struct bexpr *e)
{
    struct share_part *p = share_find(s, e);
    struct bexpr *own = arena_dup(s->arena, e, sizeof(*own));

    if (!own)
        return NULL;
    if (p && p->col) {
        *own =
            (struct bexpr){.kind = BEXPR_COLUMN, .type = e->type, .pos = e->pos, .col = p->col - 1};
        return own;
    }
    if (e->args_count == 0)
        return own;
    own->args = arena_alloc_array(s->arena, e->args_count, sizeof(*own->args));
    for (uint32_t i = 0; own->args && i < e->args_count; i++) {
        own->args[i] = share_use(s, e->args[i]);
        if (!own->args[i])
            return NULL;
    }
    return own->args ? own : NULL;
}

/* The PROJECT below: the input's columns, then the parts. */
static int share_below(struct lower *lo,
                       struct share *s,
                       struct plan_node *input,
                       struct plan_node **ret,
                       struct dn_err *err)
{
    struct plan_node *node = lower_node(lo, PLAN_PROJECT, input, err);
    size_t most = (size_t)input->cols_count + s->count;

    if (!node)
        return DN_E_NOMEM;
    node->cols = arena_calloc(s->arena, most, sizeof(*node->cols));
    node->exprs = arena_calloc(s->arena, most, sizeof(*node->exprs));
    if (!node->cols || !node->exprs)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < input->cols_count; i++) {
        struct bexpr e = {.kind = BEXPR_COLUMN, .type = input->cols[i].type, .col = i};

        node->cols[i] = input->cols[i];
        node->exprs[i] = arena_dup(s->arena, &e, sizeof(e));
        if (!node->exprs[i])
            return DN_FAIL_NOMEM(err);
    }
    node->cols_count = input->cols_count;
    for (uint32_t i = 0; i < s->count; i++) {
        struct share_part *p = &s->parts[i];

        if (p->count < 2 || !p->sure)
            continue;
        node->exprs[node->cols_count] = arena_dup(s->arena, p->e, sizeof(*p->e));
        if (!node->exprs[node->cols_count])
            return DN_FAIL_NOMEM(err);
        node->cols[node->cols_count++] = (struct plan_col){.name = "shared", .type = p->e->type};
        p->col = node->cols_count; /* plus one: 0 is none */
    }
    node->exprs_count = node->cols_count;
    *ret = node;
    return 0;
}

int lower_share(struct lower *lo, struct plan_node *node, struct dn_err *err)
{
    struct share *s = arena_calloc(lo->q->env->arena, 1, sizeof(*s));
    struct plan_node *below;
    bool any = false;
    int rc;

    if (!s)
        return DN_FAIL_NOMEM(err);
    s->arena = lo->q->env->arena;
    for (uint32_t i = 0; i < node->exprs_count; i++)
        share_note(s, node->exprs[i], true);
    for (uint32_t i = 0; i < s->count; i++)
        any = any || (s->parts[i].count > 1 && s->parts[i].sure);
    if (!any)
        return 0;
    rc = share_below(lo, s, node->input, &below, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < node->exprs_count; i++) {
        node->exprs[i] = share_use(s, node->exprs[i]);
        if (!node->exprs[i])
            return DN_FAIL_NOMEM(err);
    }
    node->input = below;
    return 0;
}
