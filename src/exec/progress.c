/* SPDX-License-Identifier: Apache-2.0
 *
 * progress.c: see progress.h. The weights are times of operators beside that of a scan of a few
 * columns, measured with six million rows: they need to be right within a factor of two. */
#include "exec/progress.h"

#include "exec/sort_series.h"

#include <math.h>
#include <string.h>

/* In units of EXEC_WORK / 16. */
#define WORK_PROBE  24u /* a row looked up in a join */
#define WORK_BUILD  16u /* a row kept for look-ups */
#define WORK_GROUP  8u  /* a row added to its group */
#define WORK_ORDER  20u /* a row sorted: all passes over it */
#define WORK_GIVE   16u /* a row given back in order */
#define WORK_WINDOW 24u

#define PROGRESS_FILTER 0.33    /* of the rows that a condition leaves, as the planner has it */
#define PROGRESS_TOP    1000000 /* rows: more are sorted as a whole */
#define PROGRESS_DEEP   64u     /* nodes above each other that are looked at */

struct exec_expect {
    const struct plan_node *node; /* SCAN, SORT */
    double rows;                  /* that are expected and not come yet */
    uint32_t work;                /* of each */
    bool pieces;                  /* a scan that is opened for one series after the other */
    bool known;                   /* it has said how many rows there are */
};

struct expect {
    struct exec_progress *p;
    const struct plan_env *env;
    struct arena *arena;
    uint32_t cap;
};

static void
expect_add(struct expect *x, const struct plan_node *node, double rows, uint32_t work, bool pieces)
{
    struct exec_progress *p = x->p;

    if (p->expects_count == x->cap) {
        uint32_t cap = x->cap ? x->cap * 2 : 8;
        struct exec_expect *more = arena_alloc_array(x->arena, cap, sizeof *more);

        if (!more)
            return;
        if (p->expects_count)
            memcpy(more, p->expects, p->expects_count * sizeof *more);
        p->expects = more;
        x->cap = cap;
    }
    p->expects[p->expects_count++] =
        (struct exec_expect){.node = node, .rows = rows, .work = work, .pieces = pieces};
    p->total += rows * work;
}

static double
expect_node(struct expect *x, const struct plan_node *n, uint32_t work, bool pieces, uint32_t deep);

/* Is it a top-N, which puts few rows in order? */
static bool expect_top(const struct plan_node *n)
{
    const struct bexpr *counts[] = {n->limit, n->offset};
    bool top = n->limit != NULL;

    for (uint32_t i = 0; i < DN_ARRAY_SIZE(counts); i++)
        if (counts[i] && counts[i]->kind == BEXPR_CONST && !counts[i]->value.null)
            top = top && counts[i]->value.v.i64 < PROGRESS_TOP;
    return top;
}

static double expect_sort(struct expect *x, const struct plan_node *n, bool pieces, uint32_t deep)
{
    bool series = exec_series_ordered(n);
    double rows = expect_node(x, n->input, EXEC_WORK, pieces || series, deep + 1);

    if (n->loose || expect_top(n))
        return rows;
    expect_add(x, n, rows, WORK_ORDER + WORK_GIVE, false);
    return rows;
}

/* Adds the work of a node and what is below it. work: what is done with a row on its way up.
 * Returns how many rows it may give. */
static double
expect_node(struct expect *x, const struct plan_node *n, uint32_t work, bool pieces, uint32_t deep)
{
    double rows = 0;
    double right = 0;

    if (!n || deep > PROGRESS_DEEP)
        return 0;
    switch (n->kind) {
    case PLAN_SCAN:
        rows = x->env->rows ? x->env->rows(x->env->rows_arg, n->table) : 0;
        expect_add(x, n, rows, work, pieces);
        return rows;
    case PLAN_FILTER:
        return PROGRESS_FILTER * expect_node(x, n->input, work, pieces, deep + 1);
    case PLAN_SORT:
        return expect_sort(x, n, pieces, deep);
    case PLAN_JOIN:
        right = expect_node(x, n->right, EXEC_WORK + WORK_BUILD, pieces, deep + 1);
        rows = expect_node(x, n->input, work + WORK_PROBE, pieces, deep + 1);
        if (n->join->keys_count > 0)
            break;
        rows = fmax(rows, 1) * fmax(right, 1); /* a nested loop looks at all pairs */
        expect_add(x, n, rows, EXEC_WORK_PAIR, false);
        return n->join->filter ? PROGRESS_FILTER * rows : rows;
    case PLAN_AGGREGATE:
        rows = expect_node(x, n->input, work + (n->exprs_count ? WORK_GROUP : 0), pieces, deep + 1);
        return n->exprs_count ? sqrt(rows) : 1;
    case PLAN_LIMIT:
        rows = expect_node(x, n->input, work, pieces, deep + 1);
        return n->limit && n->limit->kind == BEXPR_CONST && !n->limit->value.null
                   ? fmin(rows, (double)n->limit->value.v.i64)
                   : rows;
    case PLAN_WINDOW:
        return expect_node(x, n->input, work + WORK_WINDOW, pieces, deep + 1);
    case PLAN_SETOP:
        rows = expect_node(x, n->input, work, pieces, deep + 1);
        return rows + expect_node(x, n->right, work, pieces, deep + 1);
    case PLAN_SINGLE:
    case PLAN_PROJECT:
    case PLAN_APPLY:
    case PLAN_VALUES:
    case PLAN_CTE:
    case PLAN_RECURSIVE:
    case PLAN_WORK:
    case PLAN_UNIQUE:
    case PLAN_FUNCTION:
    case PLAN_SYSTEM:
    case PLAN_FILE:
    case PLAN_KIND_MAX:
        rows = expect_node(x, n->input, work, pieces, deep + 1);
        right = expect_node(x, n->right, work, pieces, deep + 1);
        break;
    }
    return fmax(rows, right);
}

void exec_progress_plan(struct exec_progress *p,
                        const struct plan *plan,
                        const struct plan_env *env,
                        struct arena *arena)
{
    struct expect x = {.p = p, .env = env, .arena = arena};

    for (uint32_t i = 0; i < plan->ctes_count; i++)
        (void)expect_node(&x, plan->ctes[i].root, EXEC_WORK, false, 0);
    for (uint32_t i = 0; i < plan->inits_count; i++)
        (void)expect_node(&x, plan->inits[i].root, EXEC_WORK, false, 0);
    (void)expect_node(&x, plan->root, EXEC_WORK, false, 0);
}

static struct exec_expect *progress_of(struct exec_progress *p, const struct plan_node *node)
{
    for (uint32_t i = 0; i < p->expects_count; i++)
        if (p->expects[i].node == node)
            return &p->expects[i];
    return NULL;
}

uint32_t exec_progress_scan(struct exec_progress *p, const struct plan_node *scan, uint64_t rows)
{
    struct exec_expect *e = progress_of(p, scan);
    double more = (double)rows;

    p->rows_expected += rows;
    if (!e) {
        p->total += more * EXEC_WORK;
        return EXEC_WORK;
    }
    if (e->pieces) { /* what is left for other series */
        double left = fmax(0, e->rows - more);

        more -= e->rows - left;
        e->rows = left;
    } else if (!e->known) {
        more -= e->rows;
    }
    e->known = true;
    p->total += more * e->work;
    return e->work;
}

void exec_progress_sort(struct exec_progress *p,
                        const struct plan_node *sort,
                        uint64_t rows,
                        uint64_t kept)
{
    struct exec_expect *e = progress_of(p, sort);

    if (!e || e->known)
        return;
    e->known = true;
    p->total += (double)rows * WORK_ORDER + (double)kept * WORK_GIVE - e->rows * e->work;
}

uint64_t exec_progress_moved(uint64_t rows, uint64_t moved)
{
    double passes = rows > 16 ? log2((double)rows / 16) : 1; /* runs of 16 are merged two and two */

    return (uint64_t)((double)moved * WORK_ORDER / fmax(passes, 1));
}

double exec_progress_share(const struct exec_progress *p)
{
    double done = (double)atomic_load_explicit(&p->work, memory_order_relaxed);

    if (p->total <= 0)
        return -1;
    return done < p->total ? done / p->total : 1;
}

uint64_t exec_progress_given(uint64_t rows, bool sorted)
{
    return rows * (WORK_GIVE + (sorted ? WORK_ORDER : 0));
}
