/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_merge.c: what is done with groups whose rows are added: states are merged, made into bytes
 * and read back, whether they are the aggregate's own or keep rows for ORDER BY (agg_order.h);
 * groups of another are added to these; and the columns of the result are made.
 *
 * Groups of another are found by their keys as those of rows are, and their states are merged. Not
 * so where an aggregate is DISTINCT, since both may have seen the same values: what the other has
 * seen is added as if it were rows, so that only what is new counts.
 *
 * Nothing is added to the states of twins (exec_agg.twins): what is returned for them comes from
 * that of their first. */
#include "exec/agg.h"

#include "exec/agg_order.h"

/* ---- states ---- */

uint32_t exec_agg_state_size(const struct plan_agg *pa)
{
    return pa->order_count ? (uint32_t)sizeof(struct exec_order_state) : pa->agg->state_size;
}

int exec_agg_state_merge(const struct plan_agg *pa,
                         void *into,
                         const void *from,
                         struct arena *strings,
                         struct dn_err *err)
{
    return pa->order_count ? exec_order_merge(into, from, strings, err)
                           : pa->agg->merge(into, from, strings, err);
}

void exec_agg_state_save(const struct plan_agg *pa, const void *state, struct buf *b)
{
    if (pa->order_count)
        exec_order_save(state, b);
    else
        agg_save(pa->agg, state, b);
}

int exec_agg_state_load(const struct plan_agg *pa,
                        void *state,
                        const uint8_t *p,
                        size_t n,
                        struct arena *strings,
                        struct dn_err *err)
{
    return pa->order_count ? exec_order_load(state, p, n, strings, err)
                           : agg_load(pa->agg, state, p, n, strings, err);
}

/* ---- bringing together ---- */

/* ids gets the groups of `into` that those of `from` are. */
static int agg_merge_part(struct exec_agg *into,
                          const struct exec_agg *from,
                          uint32_t first,
                          uint32_t count,
                          uint32_t *ids,
                          struct dn_err *err)
{
    const struct batch rows = {.count = count, .sel_count = count};
    bool one = true;
    int rc = 0;

    for (uint32_t k = 0; k < into->node->exprs_count; k++)
        into->keys[k] = colbuf_vec(&from->groups.keys[k], first, count);
    rc = exec_agg_find(into, into->keys, &rows, &one, err);
    for (uint32_t i = 0; i < count && rc == 0; i++)
        ids[first + i] = into->ids[one ? 0 : i];
    for (uint32_t g = 0; g < into->node->aggs_count; g++)
        for (uint32_t i = 0; i < count && rc == 0 && !into->node->aggs[g].distinct; i++)
            rc = exec_agg_state_merge(&into->node->aggs[g],
                                      exec_agg_state(into, ids[first + i], g),
                                      exec_agg_state(from, first + i, g),
                                      &into->strings,
                                      err);
    return rc;
}

/* What a DISTINCT aggregate has seen is added as if it were rows. */
static int agg_merge_seen(struct exec_agg *into,
                          const struct exec_agg *from,
                          uint32_t agg,
                          const uint32_t *ids,
                          struct dn_err *err)
{
    const struct exec_groups *seen = &from->seen[agg];
    bool grouped = into->node->exprs_count > 0;
    int rc = 0;

    for (uint32_t at = 0, count; at < seen->count && rc == 0; at += count) {
        const int64_t *group = grouped ? seen->keys[0].data : NULL;
        struct batch rows = {.count = 0};
        struct vec args[2];

        count = seen->count - at < VEC_ROWS_MAX ? seen->count - at : VEC_ROWS_MAX;
        rows.count = rows.sel_count = count;
        arena_reset(&into->batch);
        for (uint32_t k = grouped; k < seen->keys_count; k++)
            args[k - grouped] = colbuf_vec(&seen->keys[k], at, count);
        for (uint32_t i = 0; i < count; i++)
            into->stretches[i] = (struct exec_stretch){
                .first = i, .count = 1, .group = group ? ids[group[at + i]] : 0};
        rc = exec_agg_add_distinct(into, agg, args, &rows, into->stretches, count, err);
    }
    return rc;
}

int exec_agg_merge(struct exec_agg *into, const struct exec_agg *from, struct dn_err *err)
{
    uint32_t *ids = mem_alloc_array(into->owner, (size_t)from->groups_count + 1, sizeof *ids);
    int rc = ids ? 0 : DN_FAIL_NOMEM(err);

    for (uint32_t at = 0; at < from->groups_count && rc == 0; at += VEC_ROWS_MAX) {
        uint32_t count = from->groups_count - at;

        arena_reset(&into->batch);
        rc = agg_merge_part(into, from, at, count < VEC_ROWS_MAX ? count : VEC_ROWS_MAX, ids, err);
    }
    for (uint32_t g = 0; g < into->node->aggs_count && rc == 0; g++)
        if (into->node->aggs[g].distinct)
            rc = agg_merge_seen(into, from, g, ids, err);
    mem_free(ids);
    return rc;
}

/* ---- returning ---- */

static int agg_emit_one(struct exec_agg *a,
                        uint32_t agg,
                        uint32_t first,
                        uint32_t count,
                        struct vec *ret,
                        struct dn_err *err)
{
    const struct plan_agg *pa = &a->node->aggs[agg];
    enum type_id type = agg_result(pa->agg, pa->arg ? pa->arg->type : TYPE_NONE);
    void *data = arena_alloc_array(&a->batch, count, phys_size(type_phys(type)));
    uint64_t *nulls = arena_calloc(&a->batch, VEC_BITMAP_WORDS(count), sizeof *nulls);
    bool any_null = false;

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        struct datum d;
        const void *state = exec_agg_state(a, first + i, a->twins[agg]);
        int rc = pa->order_count ? exec_order_emit(a, agg, state, &d, err)
                                 : pa->agg->emit(state, &d, err);

        if (rc < 0) {
            dn_err_at(err, pa->pos);
            return rc;
        }
        datum_store(&d, data, i);
        if (d.null)
            vec_bit_set(nulls, i);
        any_null |= d.null;
    }
    *ret = (struct vec){.type = type,
                        .form = VEC_FLAT,
                        .count = count,
                        .data = data,
                        .nulls = any_null ? nulls : NULL};
    return 0;
}

int exec_agg_emit(
    struct exec_agg *a, uint32_t first, uint32_t count, struct vec *ret, struct dn_err *err)
{
    int rc = 0;

    arena_reset(&a->batch);
    for (uint32_t k = 0; k < a->node->exprs_count; k++)
        ret[k] = colbuf_vec(&a->groups.keys[k], first, count);
    for (uint32_t g = 0; g < a->node->aggs_count && rc == 0; g++)
        rc = agg_emit_one(a, g, first, count, &ret[a->node->exprs_count + g], err);
    return rc;
}
