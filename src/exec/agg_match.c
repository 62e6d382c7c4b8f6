/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_match.c: bringing the groups of two threads together without adding groups to either. With
 * many groups nearly all of the time of a merge went into adding: growing tables, copying keys,
 * missing the cache. Here each group of one side is only looked for in the other. */
#include "exec/agg.h"

#define MATCH_AHEAD 8u /* groups whose states are asked for ahead */

/* ids: the groups of `into` that groups [first, first + count) of `from` are, EXEC_GROUPS_NO_ID for
 * those that are not there. Those that are gone already are left alone, too. */
static int match_find(struct exec_agg *into,
                      const struct exec_agg *from,
                      uint32_t first,
                      uint32_t count,
                      uint32_t *ids,
                      struct dn_err *err)
{
    int rc;

    ids[0] = 0;
    if (into->node->exprs_count == 0)
        return 0;
    rc = exec_groups_match(&into->groups, &from->groups, first, count, &into->batch, ids, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < count; i++)
        if (vec_bit(from->gone, first + i))
            ids[i] = EXEC_GROUPS_NO_ID;
    return 0;
}

static int match_states(struct exec_agg *into,
                        const struct exec_agg *from,
                        uint32_t first,
                        uint32_t count,
                        const uint32_t *ids,
                        struct dn_err *err)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t ahead = i + MATCH_AHEAD < count ? ids[i + MATCH_AHEAD] : EXEC_GROUPS_NO_ID;

        if (ahead != EXEC_GROUPS_NO_ID && into->stride)
            __builtin_prefetch(exec_agg_base(into, ahead), 1);
        if (ids[i] == EXEC_GROUPS_NO_ID)
            continue;
        for (uint32_t g = 0; g < into->node->aggs_count; g++) {
            int rc;

            if (into->node->aggs[g].distinct || into->twins[g] != g)
                continue;
            rc = exec_agg_state_merge(&into->node->aggs[g],
                                      exec_agg_state(into, ids[i], g),
                                      exec_agg_state(from, first + i, g),
                                      &into->strings,
                                      err);
            if (rc < 0)
                return rc;
        }
        vec_bit_set(from->gone, first + i);
    }
    return 0;
}

/* Values [at, at + count) that a DISTINCT aggregate of `from` has seen; ids: the groups of `into`
 * that those of `from` are. Values of groups that stay are in their states already. */
static int match_values(struct exec_agg *into,
                        const struct exec_agg *from,
                        uint32_t agg,
                        uint32_t at,
                        uint32_t count,
                        const uint32_t *ids,
                        struct dn_err *err)
{
    const struct exec_groups *seen = &from->seen[agg];
    bool grouped = into->node->exprs_count > 0;
    const int64_t *group = grouped ? (const int64_t *)seen->keys[0].data + at : NULL;
    struct batch in = {.count = count};
    uint16_t sel[VEC_ROWS_MAX];
    uint32_t found[VEC_ROWS_MAX];
    int64_t theirs[VEC_ROWS_MAX];
    struct vec keys[3];
    uint32_t n = 0;
    bool one;
    int rc;

    for (uint32_t k = 0; k < seen->keys_count; k++)
        keys[k] = colbuf_vec(&seen->keys[k], at, count);
    for (uint32_t i = 0; i < count; i++) {
        theirs[i] = group ? ids[group[i]] : 0;
        if (theirs[i] == EXEC_GROUPS_NO_ID)
            continue;
        if (!seen->alone || !vec_bit(seen->alone, at + i)) {
            sel[in.sel_count++] = (uint16_t)i;
            continue;
        }
        into->fresh[n] = (uint16_t)i;
        into->states[n++] = exec_agg_state(into, (uint32_t)theirs[i], agg);
    }
    in.sel = sel;
    if (grouped)
        keys[0].data = theirs;
    rc = in.sel_count == 0
             ? 0
             : exec_groups_look(&into->seen[agg], keys, &in, &into->batch, found, &one, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < in.sel_count; i++)
        if (found[one ? 0 : i] == EXEC_GROUPS_NO_ID) {
            into->fresh[n] = sel[i];
            into->states[n++] = exec_agg_state(into, (uint32_t)theirs[sel[i]], agg);
        }
    return exec_agg_add_fresh(into, agg, keys + grouped, &in, n, err);
}

int exec_agg_match(struct exec_agg *into, struct exec_agg *from, struct dn_err *err)
{
    uint32_t groups = from->groups_count;
    uint32_t *ids = mem_alloc_array(into->owner, (size_t)groups + 1, sizeof *ids);
    int rc = 0;

    if (!from->gone)
        from->gone = mem_calloc(from->owner, VEC_BITMAP_WORDS(groups) + 1, sizeof *from->gone);
    if (!ids || !from->gone)
        rc = DN_FAIL_NOMEM(err);
    for (uint32_t at = 0, count; at < groups && rc == 0; at += count) {
        count = groups - at < VEC_ROWS_MAX ? groups - at : VEC_ROWS_MAX;
        arena_reset(&into->batch);
        rc = match_find(into, from, at, count, ids + at, err);
        if (rc == 0)
            rc = match_states(into, from, at, count, ids + at, err);
    }
    for (uint32_t g = 0; g < into->node->aggs_count && rc == 0; g++) {
        uint32_t values = into->node->aggs[g].distinct ? from->seen[g].count : 0;

        for (uint32_t at = 0, count; at < values && rc == 0; at += count) {
            count = values - at < VEC_ROWS_MAX ? values - at : VEC_ROWS_MAX;
            arena_reset(&into->batch);
            rc = match_values(into, from, g, at, count, ids, err);
        }
    }
    mem_free(ids);
    return rc;
}

uint32_t exec_agg_left(const struct exec_agg *a, uint32_t first, uint32_t count, uint16_t *sel)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!vec_bit(a->gone, first + i))
            sel[n++] = (uint16_t)i;
    return n;
}
