/* SPDX-License-Identifier: Apache-2.0
 *
 * agg.c: groups, their states, and adding rows to them. What becomes of states then is in
 * agg_merge.c. */
#include "exec/agg.h"

#include "exec/agg_order.h"
#include "exec/exec_int.h"

#include <string.h>

#define AGG_STATE_ALIGN 16u
#define AGG_TURN_GROUPS 16384u /* groups up to which is looked whether they take turns */
#define AGG_TURNS_MIN   4u     /* turns in a batch from which that pays */
#define AGG_RUN_MIN     16u    /* rows per stretch, or group of a batch, from which slices pay */
#define AGG_LIST_GROUPS (VEC_ROWS_MAX / AGG_RUN_MIN)
#define AGG_LIST_STEP   8u /* rows that are listed at once */
#define AGG_LIST_ROOM   (VEC_ROWS_MAX + AGG_LIST_GROUPS * AGG_LIST_STEP)

/* States for groups up to count, zeroed. */
static int agg_grow(struct exec_agg *a, uint32_t count, struct dn_err *err)
{
    a->groups_count = count;
    if (a->stride == 0)
        return 0;
    while ((uint64_t)a->chunks_count * EXEC_AGG_CHUNK < count) {
        if (a->chunks_count == a->chunks_cap) {
            uint32_t cap = a->chunks_cap ? a->chunks_cap * 2 : 8;
            uint8_t **chunks = mem_realloc(a->owner, a->chunks, cap * sizeof *chunks);

            if (!chunks)
                return DN_FAIL_NOMEM(err);
            a->chunks = chunks;
            a->chunks_cap = cap;
        }
        a->chunks[a->chunks_count] = mem_calloc(a->owner, EXEC_AGG_CHUNK, a->stride);
        if (!a->chunks[a->chunks_count])
            return DN_FAIL_NOMEM(err);
        a->chunks_count++;
    }
    return 0;
}

/* The set of a DISTINCT aggregate: (group, arguments), or (arguments) when there is only one group.
 */
static int agg_init_seen(struct exec_agg *a, uint32_t agg, struct dn_err *err)
{
    const struct plan_agg *pa = &a->node->aggs[agg];
    enum type_id types[3];
    uint32_t n = 0;

    if (a->node->exprs_count > 0)
        types[n++] = TYPE_BIGINT;
    types[n++] = pa->arg->type;
    if (pa->arg2)
        types[n++] = pa->arg2->type;
    return exec_groups_init(&a->seen[agg], types, n, a->owner, err);
}

static int agg_init_keys(struct exec_agg *a, struct dn_err *err)
{
    uint32_t count = a->node->exprs_count;

    if (count == 0)
        return agg_grow(a, 1, err);
    if (!a->key_types) {
        a->key_types = arena_alloc_array(&a->run, count, sizeof *a->key_types);
        if (!a->key_types)
            return DN_FAIL_NOMEM(err);
        for (uint32_t k = 0; k < count; k++)
            a->key_types[k] = a->node->exprs[k]->type;
    }
    return exec_groups_init(&a->groups, a->key_types, count, a->owner, err);
}

static int agg_init_groups(struct exec_agg *a, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t g = 0; g < a->node->aggs_count && rc == 0; g++)
        if (a->node->aggs[g].distinct)
            rc = agg_init_seen(a, g, err);
    if (rc == 0)
        rc = agg_init_keys(a, err);
    for (uint32_t g = 0; g < a->node->aggs_count && rc == 0 && a->ev.every_row; g++)
        exec_groups_plain(&a->seen[g]);
    if (a->ev.every_row)
        exec_groups_plain(&a->groups);
    return rc;
}

static void agg_init_pace(struct exec_agg *a, size_t bytes)
{
    for (uint32_t k = 0; k < a->node->exprs_count; k++)
        exec_pace_add(&a->pace, a->node->exprs[k], bytes);
    for (uint32_t g = 0; g < a->node->aggs_count; g++) {
        const struct plan_agg *pa = &a->node->aggs[g];

        exec_pace_add(&a->pace, pa->arg, bytes);
        exec_pace_add(&a->pace, pa->arg2, bytes);
        for (uint32_t k = 0; k < pa->order_count; k++)
            exec_pace_add(&a->pace, pa->order[k].e, bytes);
    }
}

/* sum(x) and avg(x) of NUMERIC have the same state: it is kept once. Whoever else adds rows to
 * states (zones) does so for numbers of 64 bits at most. */
static uint32_t agg_twin(const struct plan_node *node, uint32_t agg)
{
    const struct plan_agg *a = &node->aggs[agg];

    if (!a->arg || a->arg->type != TYPE_NUMERIC || a->arg->kind != BEXPR_COLUMN || a->arg2 ||
        a->distinct || a->order_count)
        return agg;
    for (uint32_t g = 0; g < agg; g++) {
        const struct plan_agg *b = &node->aggs[g];

        if (b->arg && b->arg->kind == BEXPR_COLUMN && b->arg->col == a->arg->col && !b->arg2 &&
            !b->distinct && !b->order_count && b->agg->arg == a->agg->arg &&
            b->agg->update_grouped == a->agg->update_grouped)
            return g;
    }
    return agg;
}

int exec_agg_init(struct exec_agg *a,
                  const struct plan_node *node,
                  const struct exec_ctx *ctx,
                  struct mem_owner *owner,
                  struct dn_err *err)
{
    memset(a, 0, sizeof *a);
    a->node = node;
    a->owner = owner;
    exec_pace_init(&a->pace, &a->batch, owner);
    agg_init_pace(a, ctx->slice_bytes);
    arena_init(&a->run, owner);
    arena_init(&a->strings, owner);
    a->strings.cancel = ctx->cancel;
    a->ev = (struct eval){.arena = &a->batch,
                          .params = ctx->params,
                          .params_count = ctx->params_count,
                          .now_ns = ctx->env.now_ns,
                          .session = ctx->env.session,
                          .lazy = ctx->env.lazy,
                          .run = &a->run,
                          .every_row = !exec_fast(ctx)};
    DN_ASSERT(node->exprs_count + node->aggs_count == node->cols_count);
    a->offsets = arena_calloc(&a->run, node->aggs_count, sizeof *a->offsets);
    a->keys = arena_calloc(&a->run, node->exprs_count, sizeof *a->keys);
    a->seen = arena_calloc(&a->run, node->aggs_count, sizeof *a->seen);
    a->ids = arena_alloc_array(&a->run, VEC_ROWS_MAX, sizeof *a->ids);
    a->stretches = arena_alloc_array(&a->run, VEC_ROWS_MAX, sizeof *a->stretches);
    a->states = arena_alloc_array(&a->run, VEC_ROWS_MAX, sizeof *a->states);
    a->bases = arena_alloc_array(&a->run, VEC_ROWS_MAX, sizeof *a->bases);
    a->fresh = arena_alloc_array(&a->run, VEC_ROWS_MAX, sizeof *a->fresh);
    a->twins = arena_alloc_array(&a->run, node->aggs_count + 1, sizeof *a->twins);
    a->list = arena_alloc_array(&a->run, AGG_LIST_ROOM, sizeof *a->list);
    if (!a->list || !a->bases || !a->twins || !a->offsets || !a->keys || !a->seen || !a->ids ||
        !a->stretches || !a->states || !a->fresh)
        return DN_FAIL_NOMEM(err);
    for (uint32_t g = 0; g < node->aggs_count; g++) {
        a->twins[g] = agg_twin(node, g);
        a->offsets[g] = (uint32_t)a->stride;
        a->stride +=
            (exec_agg_state_size(&node->aggs[g]) + AGG_STATE_ALIGN - 1) & ~(AGG_STATE_ALIGN - 1);
    }
    return agg_init_groups(a, err);
}

static void agg_drop_groups(struct exec_agg *a)
{
    for (uint32_t g = 0; a->seen && g < a->node->aggs_count; g++)
        exec_groups_done(&a->seen[g]);
    exec_groups_done(&a->groups);
    for (uint32_t i = 0; i < a->chunks_count; i++)
        mem_free(a->chunks[i]);
    mem_free(a->chunks);
    mem_free(a->gone);
    a->chunks = NULL;
    a->gone = NULL;
    a->chunks_count = a->chunks_cap = a->groups_count = 0;
    arena_done(&a->batch);
    arena_done(&a->strings);
}

void exec_agg_done(struct exec_agg *a)
{
    agg_drop_groups(a);
    arena_done(&a->run);
    memset(a, 0, sizeof *a);
}

int exec_agg_reset(struct exec_agg *a, struct dn_err *err)
{
    const atomic_bool *cancel = a->strings.cancel;

    agg_drop_groups(a);
    arena_init(&a->batch, &a->pace.mem);
    arena_init(&a->strings, a->owner);
    a->strings.cancel = cancel;
    return agg_init_groups(a, err);
}

/* ---- adding rows ---- */

/* Rows of a stretch, mostly of plain values. False: out of memory. */
static bool
agg_slice(struct exec_agg *a, const struct vec *v, const struct exec_stretch *s, struct vec *ret)
{
    if (v->form != VEC_FLAT || v->nulls || v->absent)
        return vec_slice(&a->batch, v, s->first, s->count, ret);
    *ret = *v;
    ret->data = (const char *)v->data + (size_t)s->first * phys_size(type_phys(v->type));
    ret->count = s->count;
    return true;
}

/* v is NULL for count(*), or points at one or two vectors. */
static int agg_update_stretch(struct exec_agg *a,
                              uint32_t agg,
                              const struct vec *v,
                              const struct batch *in,
                              const struct exec_stretch *s,
                              struct dn_err *err)
{
    const struct agg *ops = a->node->aggs[agg].agg;
    void *state = exec_agg_state(a, s->group, agg);
    struct vec part[2];

    if (!v)
        return ops->update_all(state, NULL, NULL, s->count, &a->strings, err);
    if (in->sel)
        return ops->update_all(state, v, in->sel + s->first, s->count, &a->strings, err);
    if (s->count == in->count)
        return ops->update_all(state, v, NULL, s->count, &a->strings, err);
    if (!agg_slice(a, v, s, &part[0]) ||
        (ops->arg2 != TYPE_NONE && !agg_slice(a, v + 1, s, &part[1])))
        return DN_FAIL_NOMEM(err);
    return ops->update_all(state, part, NULL, s->count, &a->strings, err);
}

/* Where the states of each row's group begin: the same for all aggregates. Without stretches ids
 * has the groups of the `count` rows. */
static void agg_find_bases(struct exec_agg *a, const struct exec_stretch *stretches, uint32_t count)
{
    const uint32_t *ids = a->ids;
    uint8_t *const *chunks = a->chunks;
    uint8_t **bases = a->bases;
    uint8_t *first = a->chunks ? a->chunks[0] : NULL;
    size_t stride = a->stride;

    for (uint32_t i = 0; !stretches && a->chunks_count == 1 && i < count; i++)
        bases[i] = first + ids[i] * stride;
    for (uint32_t i = 0; !stretches && a->chunks_count != 1 && i < count; i++)
        bases[i] = chunks[ids[i] / EXEC_AGG_CHUNK] + (ids[i] % EXEC_AGG_CHUNK) * stride;
    for (uint32_t i = 0; stretches && i < count; i++) {
        uint8_t *base = exec_agg_base(a, stretches[i].group);

        for (uint32_t k = 0; k < stretches[i].count; k++)
            a->bases[stretches[i].first + k] = base;
    }
    a->bases_count = stretches ? VEC_ROWS_MAX : count;
}

static int agg_update_mixed(struct exec_agg *a,
                            uint32_t agg,
                            const struct vec *v,
                            const struct batch *in,
                            const struct exec_stretch *stretches,
                            uint32_t count,
                            struct dn_err *err)
{
    uint32_t offset = a->offsets[agg];
    const struct agg *ops = a->node->aggs[agg].agg;
    uint32_t rows = in->sel_count;
    uint8_t *const *bases = a->bases;
    void **states = a->states;
    bool turns = a->turn && ops->update_turns && !a->node->aggs[agg].order_count &&
                 (!v || (v->form == VEC_FLAT && !v->nulls));

    if (a->bases_count < (turns ? a->turn : rows))
        agg_find_bases(a, stretches, turns ? a->turn : count);
    if (turns) {
        for (uint32_t i = 0; i < a->turn; i++)
            states[i] = bases[i] + offset;
        ops->update_turns(states, v, a->turn, rows);
        return 0;
    }
    for (uint32_t i = 0; i < rows; i++)
        states[i] = bases[i] + offset;
    if (a->node->aggs[agg].order_count)
        return exec_order_add(a, agg, v, in, in->sel, in->sel_count, err);
    return a->node->aggs[agg].agg->update_grouped(
        a->states, v, in->sel, in->sel_count, &a->strings, err);
}

/* The group of each selected row, by row. */
static void agg_groups_of_rows(const struct exec_agg *a,
                               const struct batch *in,
                               const struct exec_stretch *stretches,
                               uint32_t count,
                               int64_t *ret)
{
    for (uint32_t i = 0; !stretches && i < count; i++)
        ret[in->sel ? in->sel[i] : i] = a->ids[i];
    for (uint32_t i = 0; stretches && i < count; i++)
        for (uint32_t k = stretches[i].first; k < stretches[i].first + stretches[i].count; k++)
            ret[in->sel ? in->sel[k] : k] = stretches[i].group;
}

int exec_agg_add_fresh(struct exec_agg *a,
                       uint32_t agg,
                       const struct vec *v,
                       const struct batch *in,
                       uint32_t count,
                       struct dn_err *err)
{
    if (a->node->aggs[agg].order_count)
        return exec_order_add(a, agg, v, in, a->fresh, count, err);
    return a->node->aggs[agg].agg->update_grouped(a->states, v, a->fresh, count, &a->strings, err);
}

/* exec_groups_find for a batch whose runs are known, the tuples being series: only runs that are
 * not alone are looked for. Numbers are given in the order of rows, as there. */
static int agg_find_series(struct exec_agg *a,
                           struct exec_groups *g,
                           const struct vec *keys,
                           const struct batch *in,
                           uint32_t *ids,
                           struct dn_err *err)
{
    const struct scan_series *series = a->series;
    uint16_t fresh[VEC_ROWS_MAX]; /* the first row of each run that is alone, not added yet */
    uint32_t fresh_count = 0;
    struct batch one = *in;
    uint32_t run = 0;
    uint32_t at = 0;
    bool same;
    int rc;

    while (at < in->sel_count) {
        uint16_t row = in->sel ? in->sel[at] : (uint16_t)at;
        uint32_t id;

        while (row >= series->ends[run])
            run++;
        if (series->alone[run]) {
            id = g->count + fresh_count;
            fresh[fresh_count++] = row;
        } else {
            rc = exec_groups_append(g, keys, fresh, fresh_count, &a->batch, err);
            if (rc < 0)
                return rc;
            fresh_count = 0;
            one.sel = &row;
            one.sel_count = 1;
            rc = exec_groups_find(g, keys, &one, &a->batch, &id, &same, err);
            if (rc < 0)
                return rc;
        }
        do
            ids[at++] = id;
        while (at < in->sel_count && (in->sel ? in->sel[at] : at) < series->ends[run]);
    }
    return exec_groups_append(g, keys, fresh, fresh_count, &a->batch, err);
}

/* Are the values of a DISTINCT aggregate the series of the batch at hand? */
static bool agg_series_seen(const struct exec_agg *a, uint32_t agg)
{
    const struct plan_agg *pa = &a->node->aggs[agg];

    return a->series && a->series_col != PLAN_NO_COL && !pa->arg2 &&
           pa->arg->kind == BEXPR_COLUMN && pa->arg->col == a->series_col;
}

int exec_agg_add_distinct(struct exec_agg *a,
                          uint32_t agg,
                          const struct vec *v,
                          const struct batch *in,
                          const struct exec_stretch *stretches,
                          uint32_t count,
                          struct dn_err *err)
{
    struct exec_groups *seen = &a->seen[agg];
    bool grouped = a->node->exprs_count > 0;
    uint32_t *found = arena_alloc_array(&a->batch, in->sel_count, sizeof *found);
    int64_t *group = arena_alloc_array(&a->batch, grouped ? in->count : 1, sizeof *group);
    struct vec keys[3] = {
        {.type = TYPE_BIGINT, .form = VEC_FLAT, .count = in->count, .data = group}, *v};
    uint32_t before = seen->count;
    uint32_t n = 0;
    bool one;
    int rc;

    if (!found || !group)
        return DN_FAIL_NOMEM(err);
    if (grouped)
        agg_groups_of_rows(a, in, stretches, count, group);
    if (a->node->aggs[agg].arg2)
        keys[2] = v[1];
    if (agg_series_seen(a, agg)) {
        one = false;
        rc = agg_find_series(a, seen, keys + 1, in, found, err);
    } else {
        rc = exec_groups_find(seen, grouped ? keys : keys + 1, in, &a->batch, found, &one, err);
    }
    if (rc < 0)
        return rc;
    /* Numbers are given in row order: a row is the first of its tuple when its number is the next.
     */
    for (uint32_t i = 0; i < in->sel_count && (!one || i == 0); i++)
        if (found[i] == before) {
            uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;

            a->fresh[n] = row;
            a->states[n++] = exec_agg_state(a, grouped ? (uint32_t)group[row] : 0, agg);
            before++;
        }
    return exec_agg_add_fresh(a, agg, v, in, n, err);
}

/* All groups' rows, those of a group one after the other: stretches of a->list. False: there are
 * too many groups for the rows. */
static bool agg_list_groups(struct exec_agg *a, const struct batch *in)
{
    uint16_t starts[VEC_ROWS_MAX + 1]; /* of equal ids that follow each other */
    uint32_t groups = a->groups_count;
    uint32_t starts_count = 0;
    uint32_t first = 0;

    if (a->ev.every_row || groups > AGG_LIST_GROUPS || groups * AGG_RUN_MIN > in->sel_count)
        return false;
    for (uint32_t g = 0; g < groups; g++)
        a->stretches[g] = (struct exec_stretch){.group = g};
    for (uint32_t i = 0; i < in->sel_count; i++) {
        starts[starts_count] = (uint16_t)i;
        starts_count += i == 0 || a->ids[i] != a->ids[i - 1];
    }
    starts[starts_count] = (uint16_t)in->sel_count;
    for (uint32_t k = 0; k < starts_count; k++)
        a->stretches[a->ids[starts[k]]].count += starts[k + 1] - starts[k];
    for (uint32_t g = 0; g < groups; g++) {
        a->stretches[g].first = first;
        first += a->stretches[g].count + AGG_LIST_STEP;
        a->stretches[g].count = 0;
    }
    for (uint32_t k = 0; k < starts_count; k++) {
        struct exec_stretch *s = &a->stretches[a->ids[starts[k]]];
        uint16_t *to = a->list + s->first + s->count;
        uint32_t rows = starts[k + 1] - starts[k];

        if (in->sel)
            memcpy(to, in->sel + starts[k], rows * sizeof *to);
        for (uint32_t i = 0; !in->sel && i < rows; i += AGG_LIST_STEP)
            for (uint32_t j = 0; j < AGG_LIST_STEP; j++) /* what is too much is written over */
                to[i + j] = (uint16_t)(starts[k] + i + j);
        s->count += rows;
    }
    return true;
}

/* Do groups change so often that rows are better added one by one? */
static bool agg_varied(uint32_t stretches, uint32_t rows)
{
    return (uint64_t)stretches * AGG_RUN_MIN > rows && stretches > 1;
}

/* Without stretches ids has the group of each selected row, and count is how many these are. */
static int agg_update(struct exec_agg *a,
                      uint32_t agg,
                      const struct batch *in,
                      const struct exec_stretch *stretches,
                      uint32_t count,
                      struct dn_err *err)
{
    const struct plan_agg *pa = &a->node->aggs[agg];
    struct vec arg[2];
    const struct vec *v = pa->arg ? arg : NULL;
    int rc = 0;

    if (pa->arg)
        rc = expr_eval(pa->arg, &a->ev, in, &arg[0], err);
    if (rc == 0 && pa->arg2)
        rc = expr_eval(pa->arg2, &a->ev, in, &arg[1], err);
    if (rc < 0)
        return rc;
    if (pa->distinct)
        return exec_agg_add_distinct(a, agg, v, in, stretches, count, err);
    if (a->listed && !pa->order_count) {
        for (uint32_t g = 0; g < a->groups_count && rc == 0; g++) {
            const struct exec_stretch *s = &a->stretches[g];

            if (s->count)
                rc = pa->agg->update_all(
                    exec_agg_state(a, g, agg), v, a->list + s->first, s->count, &a->strings, err);
        }
        return rc;
    }
    if (!stretches || agg_varied(count, in->sel_count) || pa->order_count)
        return agg_update_mixed(a, agg, v, in, stretches, count, err);
    for (uint32_t i = 0; i < count && rc == 0; i++)
        rc = agg_update_stretch(a, agg, v, in, &stretches[i], err);
    return rc;
}

int exec_agg_stretches(struct exec_agg *a,
                       const struct batch *in,
                       const struct exec_stretch *stretches,
                       uint32_t count,
                       const bool *only,
                       struct dn_err *err)
{
    a->bases_count = 0;
    for (uint32_t g = 0; g < a->node->aggs_count; g++) {
        int rc;

        if ((only && !only[g]) || a->twins[g] != g)
            continue;
        rc = agg_update(a, g, in, stretches, count, err);
        if (rc < 0) {
            dn_err_at(err, a->node->aggs[g].pos);
            return rc;
        }
    }
    return 0;
}

int exec_agg_group(struct exec_agg *a, const struct vec *keys, uint32_t *ret, struct dn_err *err)
{
    const struct batch row = {.count = 1, .sel_count = 1};
    bool one;
    int rc;

    *ret = 0;
    if (a->node->exprs_count == 0)
        return 0;
    rc = exec_groups_find(&a->groups, keys, &row, &a->batch, ret, &one, err);
    return rc < 0 ? rc : agg_grow(a, a->groups.count, err);
}

int exec_agg_zone(
    struct exec_agg *a, uint32_t group, uint32_t agg, const struct agg_zone *z, struct dn_err *err)
{
    int rc =
        a->node->aggs[agg].agg->update_zone(exec_agg_state(a, group, agg), z, &a->strings, err);

    if (rc < 0)
        dn_err_at(err, a->node->aggs[agg].pos);
    return rc;
}

/* How many stretches of equal ids there are. */
static uint32_t agg_count_stretches(const uint32_t *ids, uint32_t rows)
{
    uint32_t changes = 0;

    for (uint32_t i = 1; i < rows; i++)
        changes += ids[i] != ids[i - 1];
    return changes + 1;
}

/* Stretches of equal ids. */
static uint32_t agg_cut_stretches(struct exec_agg *a, uint32_t rows)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < rows;) {
        uint32_t first = i;
        uint32_t group = a->ids[i];

        while (i < rows && a->ids[i] == group)
            i++;
        a->stretches[n++] =
            (struct exec_stretch){.first = first, .count = i - first, .group = group};
    }
    return n;
}

int exec_agg_find(struct exec_agg *a,
                  const struct vec *keys,
                  const struct batch *in,
                  bool *ret_one,
                  struct dn_err *err)
{
    int rc;

    *ret_one = true;
    a->ids[0] = 0;
    if (a->node->exprs_count == 0)
        return 0;
    rc = exec_groups_find(&a->groups, keys, in, &a->batch, a->ids, ret_one, err);
    return rc < 0 ? rc : agg_grow(a, a->groups.count, err);
}

int exec_agg_ids(struct exec_agg *a, const struct batch *in, bool *ret_one, struct dn_err *err)
{
    for (uint32_t k = 0; k < a->node->exprs_count; k++) {
        int rc = expr_eval(a->node->exprs[k], &a->ev, in, &a->keys[k], err);

        if (rc < 0)
            return rc;
    }
    if (a->series && a->by_series) {
        int rc = agg_find_series(a, &a->groups, a->keys, in, a->ids, err);

        *ret_one = false;
        return rc < 0 ? rc : agg_grow(a, a->groups.count, err);
    }
    return exec_agg_find(a, a->keys, in, ret_one, err);
}

int exec_agg_batch(struct exec_agg *a, const struct batch *in, struct dn_err *err)
{
    bool one;
    int rc = exec_agg_ids(a, in, &one, err);

    return rc < 0 ? rc : exec_agg_by_ids(a, in, one, err);
}

/* The groups of a turn, if rows of all of them follow each other again and again in the same order,
 * as do those of hosts that report in turn; the last turn may be cut short. Else 0. */
static uint32_t agg_find_turn(const struct exec_agg *a, uint32_t rows)
{
    uint64_t seen[VEC_BITMAP_WORDS(AGG_TURN_GROUPS)];
    const uint32_t *ids = a->ids;
    uint32_t turn = 1;

    if (a->groups_count > AGG_TURN_GROUPS)
        return 0;
    while (turn < rows / AGG_TURNS_MIN && ids[turn] != ids[0])
        turn++;
    if (turn >= rows / AGG_TURNS_MIN || memcmp(ids, ids + turn, (rows - turn) * sizeof *ids) != 0)
        return 0;
    memset(seen, 0, VEC_BITMAP_WORDS(a->groups_count) * sizeof *seen);
    for (uint32_t i = 0; i < turn; i++) {
        if (vec_bit(seen, ids[i]))
            return 0;
        vec_bit_set(seen, ids[i]);
    }
    return turn;
}

int exec_agg_by_ids(struct exec_agg *a, const struct batch *in, bool one, struct dn_err *err)
{
    uint32_t count = 1;
    int rc;

    if (a->node->aggs_count == 0)
        return 0;
    if (!one && agg_varied(agg_count_stretches(a->ids, in->sel_count), in->sel_count)) {
        a->turn = in->sel || a->ev.every_row ? 0 : agg_find_turn(a, in->sel_count);
        a->listed = !a->turn && agg_list_groups(a, in);
        rc = exec_agg_stretches(a, in, NULL, in->sel_count, NULL, err);
        a->listed = false;
        a->turn = 0;
        return rc;
    }
    if (one)
        a->stretches[0] = (struct exec_stretch){.count = in->sel_count, .group = a->ids[0]};
    else
        count = agg_cut_stretches(a, in->sel_count);
    return exec_agg_stretches(a, in, a->stretches, count, NULL, err);
}
