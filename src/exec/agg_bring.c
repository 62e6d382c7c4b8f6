/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_bring.c: groups that were put aside are brought together, part by part. See agg_aside.h. */
#include "exec/agg_aside.h"
#include "exec/exec_int.h"

#include <string.h>

#define BRING_ARGS_MAX 2u /* of an aggregate */

/* ---- bringing together: values ---- */

/* GROUP BY keys with the one DISTINCT aggregate, over the columns of a spill of values. */
struct aside_values {
    struct exec_aside_results *r;
    struct exec_aside *into; /* takes the states */
    uint32_t agg;            /* which of the node's */
    struct plan_node node;
    struct plan_agg one;
    struct bexpr *exprs;
    struct bexpr **list;
};

static int aside_values_plan(struct aside_values *w, struct arena *arena, struct dn_err *err)
{
    const struct plan_node *node = w->r->op->node;
    uint32_t keys = node->exprs_count;

    w->one = node->aggs[w->agg];
    w->exprs = arena_calloc(arena, (size_t)keys + BRING_ARGS_MAX, sizeof *w->exprs);
    w->list = arena_calloc(arena, keys, sizeof(struct bexpr *));
    if (!w->exprs || !w->list)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < keys + BRING_ARGS_MAX; k++) {
        struct bexpr *e = &w->exprs[k];

        *e = (struct bexpr){.kind = BEXPR_COLUMN, .col = k};
        if (k < keys) {
            e->type = node->exprs[k]->type;
            w->list[k] = e;
        }
    }
    w->exprs[keys].type = w->one.arg->type;
    w->one.arg = &w->exprs[keys];
    if (w->one.arg2) {
        w->exprs[keys + 1].type = w->one.arg2->type;
        w->one.arg2 = &w->exprs[keys + 1];
    }
    w->node = (struct plan_node){.kind = PLAN_AGGREGATE,
                                 .exprs = w->list,
                                 .exprs_count = keys,
                                 .aggs = &w->one,
                                 .aggs_count = 1,
                                 .cols_count = keys + 1};
    return 0;
}

/* Reads a part of a spill; what does not fit goes to `child`, divided anew. */
static int aside_read_values(struct aside_values *w,
                             const struct exec_spill *from,
                             uint32_t part,
                             uint32_t level,
                             struct exec_agg *agg,
                             struct exec_spill *child,
                             struct dn_err *err)
{
    struct exec_aside_results *r = w->r;
    struct exec_spill_reader reader;
    struct batch in;
    int rc = exec_spill_reader_open(&reader, from, part, &r->op->mem, err);

    while (rc == 0) {
        rc = exec_check_cancel(r->op->ctx, err);
        if (rc == 0)
            rc = exec_spill_reader_next(&reader, &in, err);
        if (rc != 0)
            break;
        arena_reset(&agg->batch);
        rc = exec_agg_batch(agg, &in, err);
        if (rc < 0 || level + 1 == EXEC_ASIDE_LEVELS || !exec_aside_many(agg) ||
            !exec_over(r->op, mem_owner_used(&r->mem), 1))
            continue;
        if (!exec_spill_is_open(child))
            rc = exec_aside_open_values(w->into, child, w->agg, err);
        if (rc == 0)
            rc = exec_aside_put_values(w->into, child, agg, 0, level + 1, err);
        if (rc == 0)
            rc = exec_agg_reset(agg, err);
    }
    exec_spill_reader_close(&reader);
    return rc < 0 ? rc : 0;
}

/* A part of all spills together: what is in several of them counts once. */
static int aside_values_part(struct aside_values *w,
                             struct exec_spill *const *from,
                             uint32_t count,
                             uint32_t part,
                             uint32_t level,
                             struct dn_err *err)
{
    struct exec_aside_results *r = w->r;
    struct exec_spill child = {.file = NULL};
    struct exec_spill *inner = &child;
    struct exec_agg agg;
    uint64_t rows = 0;
    int rc;

    for (uint32_t i = 0; i < count; i++)
        rows += from[i]->parts[part].rows;
    if (rows == 0)
        return 0;
    rc = exec_agg_init(&agg, &w->node, r->op->ctx, &r->mem, err);
    for (uint32_t i = 0; i < count && rc == 0; i++)
        if (from[i]->parts[part].rows > 0)
            rc = aside_read_values(w, from[i], part, level, &agg, &child, err);
    if (rc == 0 && !exec_spill_is_open(&child)) {
        rc = exec_aside_put_states(w->into, &agg, w->agg, err);
    } else if (rc == 0) {
        rc = exec_aside_put_values(w->into, &child, &agg, 0, level + 1, err);
        if (rc == 0)
            rc = exec_spill_seal_all(&child, err);
    }
    exec_agg_done(&agg);
    r->bytes += child.bytes;
    for (uint32_t p = 0; p < child.parts_count && rc == 0; p++)
        rc = aside_values_part(w, &inner, 1, p, level + 1, err);
    exec_spill_close(&child);
    return rc;
}

/* All values of a DISTINCT aggregate, of all threads, become states of the first aside. */
static int aside_bring_values(struct exec_aside_results *r,
                              struct exec_aside *asides,
                              uint32_t count,
                              uint32_t g,
                              struct dn_err *err)
{
    struct aside_values w = {.r = r, .into = &asides[0], .agg = g};
    struct exec_spill **from;
    struct arena arena;
    uint32_t n = 0;
    int rc;

    arena_init(&arena, &r->op->mem);
    from = arena_calloc(&arena, count, sizeof(struct exec_spill *));
    rc = from ? aside_values_plan(&w, &arena, err) : DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count && rc == 0; i++) {
        if (!exec_spill_is_open(&asides[i].values[g]))
            continue;
        from[n++] = &asides[i].values[g];
        rc = exec_spill_seal_all(&asides[i].values[g], err);
    }
    for (uint32_t p = 0; p < EXEC_ASIDE_PARTS && rc == 0 && n > 0; p++)
        rc = aside_values_part(&w, from, n, p, 0, err);
    for (uint32_t i = 0; i < n; i++) {
        r->bytes += from[i]->bytes;
        exec_spill_close(from[i]);
    }
    arena_done(&arena);
    return rc;
}

/* ---- bringing together: groups ---- */

int exec_aside_results_open(struct exec_aside_results *r,
                            struct op *op,
                            struct exec_aside *asides,
                            uint32_t count,
                            struct dn_err *err)
{
    int rc = 0;

    r->op = op;
    mem_owner_init(&r->mem, "groups", &op->mem, 0);
    for (uint32_t g = 0; g < op->node->aggs_count && rc == 0; g++)
        if (op->node->aggs[g].distinct)
            rc = aside_bring_values(r, asides, count, g, err);
    for (uint32_t i = 0; i < count && rc == 0; i++)
        if (exec_aside_any(&asides[i]))
            rc = exec_spill_seal_all(&asides[i].states, err);
    if (rc == 0)
        rc = exec_agg_init(&r->agg, op->node, op->ctx, &r->mem, err);
    if (rc < 0)
        return rc;
    r->levels[0] = (struct exec_aside_level){.asides = asides, .asides_count = count};
    r->levels_count = 1;
    return 0;
}

static void aside_pop(struct exec_aside_results *r)
{
    struct exec_aside_level *l = &r->levels[--r->levels_count];

    r->bytes += exec_aside_bytes(&l->own);
    exec_aside_done(&l->own);
}

void exec_aside_results_close(struct exec_aside_results *r)
{
    while (r->levels_count)
        aside_pop(r);
    exec_agg_done(&r->agg);
}

/* Adds groups that were put aside. */
static int aside_load(struct exec_agg *agg, const struct batch *in, struct dn_err *err)
{
    const struct plan_node *node = agg->node;
    bool one;
    int rc;

    arena_reset(&agg->batch);
    rc = exec_agg_find(agg, in->cols, in, &one, err);
    for (uint32_t g = 0; g < node->aggs_count && rc == 0; g++) {
        const struct plan_agg *pa = &node->aggs[g];
        const struct vec *v = &in->cols[node->exprs_count + g];
        uint32_t size = exec_agg_state_size(pa);
        void *state = arena_alloc(&agg->batch, size);

        if (!state)
            return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; i < in->count && rc == 0; i++) {
            const struct vstr bytes = ((const struct vstr *)v->data)[i];

            if (vec_bit(v->nulls, i))
                continue;
            memset(state, 0, size);
            rc = exec_agg_state_load(
                pa, state, (const uint8_t *)bytes.ptr, bytes.len, &agg->batch, err);
            if (rc == 0)
                rc = exec_agg_state_merge(
                    pa, exec_agg_state(agg, agg->ids[one ? 0 : i], g), state, &agg->strings, err);
        }
        if (rc < 0)
            dn_err_at(err, node->aggs[g].pos);
    }
    return rc;
}

/* The part of one aside into r->agg; what does not fit goes to `child`. */
static int aside_read_part(struct exec_aside_results *r,
                           const struct exec_aside *from,
                           uint32_t part,
                           struct exec_aside *child,
                           struct dn_err *err)
{
    struct exec_spill_reader reader;
    struct batch in;
    int rc;

    if (!exec_aside_any(from) || from->states.parts[part].rows == 0)
        return 0;
    rc = exec_spill_reader_open(&reader, &from->states, part, &r->op->mem, err);
    while (rc == 0) {
        rc = exec_check_cancel(r->op->ctx, err);
        if (rc == 0)
            rc = exec_spill_reader_next(&reader, &in, err);
        if (rc != 0)
            break;
        rc = aside_load(&r->agg, &in, err);
        if (rc == 0 && child && exec_aside_many(&r->agg) &&
            exec_over(r->op, mem_owner_used(&r->mem), 1))
            rc = exec_aside_put(child, &r->agg, err);
    }
    exec_spill_reader_close(&reader);
    return rc < 0 ? rc : 0;
}

/* 1: it was divided, and the parts of it come next. */
static int aside_bring_part(struct exec_aside_results *r,
                            const struct exec_aside_level *l,
                            uint32_t part,
                            struct dn_err *err)
{
    struct exec_aside *child = NULL;
    int rc = exec_agg_reset(&r->agg, err);

    if (rc == 0 && r->levels_count < EXEC_ASIDE_LEVELS) {
        child = &r->levels[r->levels_count].own;
        rc = exec_aside_init(child, r->op, 1, err);
        child->level = r->levels_count;
        child->merged = true;
    }
    for (uint32_t i = 0; i < l->asides_count && rc == 0; i++)
        rc = aside_read_part(r, &l->asides[i], part, child, err);
    if (rc == 0 && child && exec_aside_any(child)) {
        rc = exec_aside_put(child, &r->agg, err);
        if (rc == 0)
            rc = exec_spill_seal_all(&child->states, err);
        if (rc == 0) {
            struct exec_aside_level *next = &r->levels[r->levels_count++];

            next->asides = child;
            next->asides_count = 1;
            next->part = 0;
            return 1;
        }
    }
    if (child)
        exec_aside_done(child);
    return rc;
}

static bool aside_has_rows(const struct exec_aside_level *l, uint32_t part)
{
    for (uint32_t i = 0; i < l->asides_count; i++)
        if (exec_aside_any(&l->asides[i]) && l->asides[i].states.parts[part].rows > 0)
            return true;
    return false;
}

int exec_aside_results_next(struct exec_aside_results *r, struct dn_err *err)
{
    while (r->levels_count) {
        struct exec_aside_level *l = &r->levels[r->levels_count - 1];
        int rc;

        if (l->part == EXEC_ASIDE_PARTS) {
            aside_pop(r);
            continue;
        }
        if (!aside_has_rows(l, l->part++))
            continue;
        rc = aside_bring_part(r, l, l->part - 1, err);
        if (rc <= 0)
            return rc;
    }
    return DN_EOF;
}
