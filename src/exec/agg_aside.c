/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_aside.c: putting groups aside. See agg_aside.h; bringing them together: agg_bring.c. */
#include "exec/agg_aside.h"

#include "exec/exec_int.h"
#include "exec/value.h"

#include <string.h>

#define ASIDE_BLOCKS    64u /* blocks that fit into a share */
#define ASIDE_BLOCK_MIN (4u * 1024)
#define ASIDE_BLOCK_MAX (256u * 1024)
#define ASIDE_ARGS_MAX  2u /* of an aggregate */
#define ASIDE_HASH_BITS 64u

static uint8_t aside_part(uint64_t hash, uint32_t level)
{
    return hash >> (ASIDE_HASH_BITS - EXEC_ASIDE_BITS * (level + 1)) & (EXEC_ASIDE_PARTS - 1);
}

/* ---- life ---- */

int exec_aside_init(struct exec_aside *a, struct op *op, uint32_t threads, struct dn_err *err)
{
    const struct plan_node *node = op->node;
    size_t spills = 1;
    size_t block;

    for (uint32_t g = 0; g < node->aggs_count; g++)
        spills += node->aggs[g].distinct;
    block = op->share / ASIDE_BLOCKS / spills / threads;
    *a = (struct exec_aside){.op = op, .owner = &op->mem};
    a->block_bytes = block < ASIDE_BLOCK_MIN   ? ASIDE_BLOCK_MIN
                     : block > ASIDE_BLOCK_MAX ? ASIDE_BLOCK_MAX
                                               : (uint32_t)block;
    a->values = mem_calloc(a->owner, node->aggs_count, sizeof *a->values);
    return a->values ? 0 : DN_FAIL_NOMEM(err);
}

void exec_aside_done(struct exec_aside *a)
{
    for (uint32_t g = 0; a->values && g < a->op->node->aggs_count; g++)
        exec_spill_close(&a->values[g]);
    mem_free(a->values);
    exec_spill_close(&a->states);
    *a = (struct exec_aside){.op = NULL};
}

uint64_t exec_aside_bytes(const struct exec_aside *a)
{
    uint64_t bytes = a->states.bytes;

    for (uint32_t g = 0; a->values && g < a->op->node->aggs_count; g++)
        bytes += a->values[g].bytes;
    return bytes;
}

/* Columns: the keys, then `count` more. */
static int aside_open(struct exec_aside *a,
                      struct exec_spill *s,
                      const enum type_id *types,
                      uint32_t count,
                      struct dn_err *err)
{
    const struct plan_node *node = a->op->node;
    uint32_t keys = node->exprs_count;
    enum type_id *all = mem_alloc_array(a->owner, (size_t)keys + count, sizeof *all);
    const struct exec_spill_options options = {.volume = a->op->ctx->volume,
                                               .cancel = a->op->ctx->cancel,
                                               .owner = a->owner,
                                               .types = all,
                                               .cols_count = keys + count,
                                               .parts_count = EXEC_ASIDE_PARTS,
                                               .block_bytes = a->block_bytes,
                                               .batch_rows = VEC_ROWS_MAX};
    int rc;

    if (!all)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < keys; k++)
        all[k] = node->exprs[k]->type;
    for (uint32_t i = 0; i < count; i++)
        all[keys + i] = types ? types[i] : TYPE_BLOB;
    rc = exec_spill_open(s, &options, err);
    mem_free(all);
    return rc;
}

int exec_aside_open_values(struct exec_aside *a,
                           struct exec_spill *s,
                           uint32_t g,
                           struct dn_err *err)
{
    const struct plan_agg *pa = &a->op->node->aggs[g];
    enum type_id types[ASIDE_ARGS_MAX] = {pa->arg->type, pa->arg2 ? pa->arg2->type : TYPE_NONE};

    return aside_open(a, s, types, pa->arg2 ? 2 : 1, err);
}

/* ---- putting aside: states ---- */

/* States of an aggregate in groups [first, first + count) as bytes. */
static int aside_state_col(struct exec_agg *agg,
                           uint32_t from,
                           uint32_t first,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err)
{
    struct vstr *strings = arena_alloc_array(&agg->batch, count, sizeof *strings);
    char *copy;
    size_t at = 0;
    struct buf b;

    if (!strings)
        return DN_FAIL_NOMEM(err);
    buf_init(&b, agg->owner);
    for (uint32_t i = 0; i < count; i++) {
        size_t before = b.len;

        exec_agg_state_save(&agg->node->aggs[from], exec_agg_state(agg, first + i, from), &b);
        strings[i].len = (uint32_t)(b.len - before);
    }
    copy = b.failed ? NULL : arena_dup(&agg->batch, b.data, b.len);
    buf_done(&b);
    if (!copy)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        strings[i].ptr = copy + at;
        at += strings[i].len;
    }
    *ret = (struct vec){.type = TYPE_BLOB, .form = VEC_FLAT, .count = count, .data = strings};
    return 0;
}

/* Groups [first, first + count); column `only` of the states comes from the one aggregate that agg
 * has; EXEC_ASIDE_ALL: all, DISTINCT ones only if their values are in. */
static int aside_put_some(struct exec_aside *a,
                          struct exec_agg *agg,
                          uint32_t only,
                          uint32_t first,
                          uint32_t count,
                          struct dn_err *err)
{
    const struct plan_node *node = a->op->node;
    const struct datum nothing = {.type = TYPE_BLOB, .null = true, .str = {.ptr = ""}};
    struct batch rows = {.count = count, .sel_count = count};
    uint8_t part_of[VEC_ROWS_MAX];
    int rc = exec_check_cancel(a->op->ctx, err);

    if (rc < 0)
        return rc;
    arena_reset(&agg->batch);
    rows.cols_count = node->exprs_count + node->aggs_count;
    rows.cols = arena_calloc(&agg->batch, rows.cols_count, sizeof *rows.cols);
    if (!rows.cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < node->exprs_count; k++)
        rows.cols[k] = colbuf_vec(&agg->groups.keys[k], first, count);
    for (uint32_t g = 0; g < node->aggs_count && rc == 0; g++) {
        struct vec *v = &rows.cols[node->exprs_count + g];

        if (only == EXEC_ASIDE_ALL ? a->merged || !node->aggs[g].distinct : g == only)
            rc = aside_state_col(agg, only == EXEC_ASIDE_ALL ? g : 0, first, count, v, err);
        else if (!vec_make_const(&agg->batch, &nothing, count, v))
            rc = DN_FAIL_NOMEM(err);
    }
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < count; i++)
        part_of[i] = node->exprs_count ? aside_part(agg->groups.hashes[first + i], a->level) : 0;
    return exec_spill_scatter(&a->states, &rows, part_of, err);
}

int exec_aside_put_states(struct exec_aside *a,
                          struct exec_agg *agg,
                          uint32_t only,
                          struct dn_err *err)
{
    int rc = 0;

    if (!exec_spill_is_open(&a->states))
        rc = aside_open(a, &a->states, NULL, a->op->node->aggs_count, err);
    for (uint32_t at = 0; at < agg->groups_count && rc == 0; at += VEC_ROWS_MAX) {
        uint32_t count = agg->groups_count - at;

        rc = aside_put_some(a, agg, only, at, count < VEC_ROWS_MAX ? count : VEC_ROWS_MAX, err);
    }
    return rc;
}

/* ---- putting aside: values of DISTINCT aggregates ---- */

/* Keys of the groups that `group` lists. */
static int aside_gather_key(struct exec_agg *agg,
                            uint32_t k,
                            const int64_t *group,
                            uint32_t count,
                            struct vec *ret,
                            struct dn_err *err)
{
    const struct colbuf *from = &agg->groups.keys[k];
    size_t size = phys_size(type_phys(from->type));
    char *data = arena_alloc_array(&agg->batch, count, size);
    uint64_t *nulls = arena_calloc(&agg->batch, VEC_BITMAP_WORDS(count), sizeof *nulls);

    if (!data || !nulls)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(data + i * size, (const char *)from->data + (size_t)group[i] * size, size);
        if (vec_bit(from->nulls, (uint32_t)group[i]))
            vec_bit_set(nulls, i);
    }
    *ret = (struct vec){.type = from->type,
                        .form = VEC_FLAT,
                        .count = count,
                        .data = data,
                        .nulls = from->nulls ? nulls : NULL};
    return 0;
}

/* Tuples [first, first + count) that the aggregate has seen. */
static int aside_put_seen(struct exec_spill *to,
                          struct exec_agg *agg,
                          uint32_t g,
                          uint32_t level,
                          uint32_t first,
                          uint32_t count,
                          struct dn_err *err)
{
    const struct exec_groups *seen = &agg->seen[g];
    uint32_t keys = agg->node->exprs_count;
    uint32_t skip = keys > 0; /* the group's number */
    struct batch rows = {.count = count, .sel_count = count, .cols_count = to->cols_count};
    const int64_t *group = skip ? (const int64_t *)seen->keys[0].data + first : NULL;
    uint8_t part_of[VEC_ROWS_MAX];
    int rc = 0;

    arena_reset(&agg->batch);
    rows.cols = arena_calloc(&agg->batch, rows.cols_count, sizeof *rows.cols);
    if (!rows.cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < keys && rc == 0; k++)
        rc = aside_gather_key(agg, k, group, count, &rows.cols[k], err);
    if (rc < 0)
        return rc;
    for (uint32_t i = keys; i < rows.cols_count; i++)
        rows.cols[i] = colbuf_vec(&seen->keys[skip + i - keys], first, count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t h = group ? agg->groups.hashes[group[i]] : 0;

        h += exec_row_hash(&rows.cols[keys], rows.cols_count - keys, i);
        part_of[i] = aside_part(dn_mix64(h), level);
    }
    return exec_spill_scatter(to, &rows, part_of, err);
}

int exec_aside_put_values(struct exec_aside *a,
                          struct exec_spill *to,
                          struct exec_agg *agg,
                          uint32_t g,
                          uint32_t level,
                          struct dn_err *err)
{
    uint32_t tuples = agg->seen[g].count;
    int rc = 0;

    for (uint32_t at = 0; at < tuples && rc == 0; at += VEC_ROWS_MAX) {
        uint32_t count = tuples - at < VEC_ROWS_MAX ? tuples - at : VEC_ROWS_MAX;

        rc = exec_check_cancel(a->op->ctx, err);
        if (rc == 0)
            rc = aside_put_seen(to, agg, g, level, at, count, err);
    }
    return rc;
}

int exec_aside_put(struct exec_aside *a, struct exec_agg *agg, struct dn_err *err)
{
    int rc = exec_aside_put_states(a, agg, EXEC_ASIDE_ALL, err);

    for (uint32_t g = 0; g < agg->node->aggs_count && rc == 0; g++) {
        if (!agg->node->aggs[g].distinct || a->merged)
            continue;
        if (!exec_spill_is_open(&a->values[g]))
            rc = exec_aside_open_values(a, &a->values[g], g, err);
        if (rc == 0)
            rc = exec_aside_put_values(a, &a->values[g], agg, g, a->level, err);
    }
    return rc < 0 ? rc : exec_agg_reset(agg, err);
}

/* More than one thing that could be divided? */
bool exec_aside_many(const struct exec_agg *agg)
{
    if (agg->groups_count > 1)
        return true;
    for (uint32_t g = 0; g < agg->node->aggs_count; g++)
        if (agg->seen[g].count > 1)
            return true;
    return false;
}
