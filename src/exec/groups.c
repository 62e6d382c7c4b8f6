/* SPDX-License-Identifier: Apache-2.0
 *
 * groups.c: four ways to the number of a row's tuple, from cheap to general:
 *   all keys CONST         one look-up for the batch
 *   all keys CONST, DICT   codes stand for values (groups_codes.c)
 *   whole numbers          an array by value, if they lie close together (groups_direct.h)
 *   else                   hashes column by column, a guess per row by its hash alone, and the
 *                          guesses checked column by column; only rows whose guess is wrong (new
 *                          tuples, as a rule) are looked up one by one. Where rows of a tuple
 *                          follow each other, only the first of them (groups_heads.h) */
#include "exec/groups.h"

#include "exec/groups_check.h"
#include "exec/groups_heads.h"
#include "exec/groups_int.h"
#include "exec/value.h"

#include <string.h>

int exec_groups_init(struct exec_groups *g,
                     const enum type_id *types,
                     uint32_t keys_count,
                     struct mem_owner *owner,
                     struct dn_err *err)
{
    memset(g, 0, sizeof *g);
    g->owner = owner;
    hidx_init(&g->index, owner);
    arena_init(&g->strings, owner);
    exec_direct_init(&g->direct, types, keys_count);
    g->keys = mem_calloc(owner, keys_count, sizeof *g->keys);
    if (!g->keys)
        return DN_FAIL_NOMEM(err);
    g->keys_count = keys_count;
    for (uint32_t k = 0; k < keys_count; k++)
        colbuf_init(&g->keys[k], types[k], owner, &g->strings);
    return 0;
}

void exec_groups_done(struct exec_groups *g)
{
    for (uint32_t k = 0; k < g->keys_count; k++)
        colbuf_done(&g->keys[k]);
    mem_free(g->keys);
    mem_free(g->hashes);
    mem_free(g->alone);
    mem_free(g->by_code);
    mem_free(g->dict_ids);
    exec_direct_done(&g->direct);
    hidx_done(&g->index);
    arena_done(&g->strings);
    memset(g, 0, sizeof *g);
}

/* ---- looking up ---- */

bool exec_groups_same(const void *ctx, const void *key, uint32_t id)
{
    const struct groups_look *look = ctx;
    uint32_t row = *(const uint32_t *)key;

    for (uint32_t k = 0; k < look->g->keys_count; k++) {
        const struct vec *v = &look->keys[k];
        const struct colbuf *c = &look->g->keys[k];
        bool kept = id < look->g->stored;
        uint32_t other = kept ? id : look->fresh[id - look->g->stored];
        bool null = vec_is_null(v, row);

        if (null != (kept ? vec_bit(c->nulls, id) : vec_is_null(v, other)))
            return false;
        if (!null && !exec_value_same(c->type,
                                      v->data,
                                      vec_at(v, row),
                                      kept ? c->data : v->data,
                                      kept ? id : vec_at(v, other)))
            return false;
    }
    return true;
}

static bool groups_alone_grow(struct exec_groups *g, uint32_t before, uint32_t cap)
{
    uint64_t *alone = mem_realloc(g->owner, g->alone, VEC_BITMAP_WORDS(cap) * sizeof *alone);

    if (!alone)
        return false;
    memset(alone + VEC_BITMAP_WORDS(before),
           0,
           (VEC_BITMAP_WORDS(cap) - VEC_BITMAP_WORDS(before)) * sizeof *alone);
    g->alone = alone;
    return true;
}

/* Room for the hashes of `more` tuples; it is a multiple of 64. */
static bool groups_hashes_grow(struct exec_groups *g, uint32_t more)
{
    uint32_t cap = g->hashes_cap ? g->hashes_cap : 64;
    uint64_t *hashes;

    if (more <= g->hashes_cap - g->count)
        return true;
    while (cap - g->count < more && cap <= UINT32_MAX / 2)
        cap *= 2;
    if (cap - g->count < more)
        return false;
    hashes = mem_realloc(g->owner, g->hashes, cap * sizeof *hashes);
    if (!hashes)
        return false;
    g->hashes = hashes;
    if (g->alone && !groups_alone_grow(g, g->hashes_cap, cap))
        return false;
    g->hashes_cap = cap;
    return true;
}

/* A number for a new tuple, whose values are still to be kept. On failure the run is over, and only
 * done is called. */
static int groups_number(struct exec_groups *g, uint64_t hash, struct dn_err *err)
{
    if (!groups_hashes_grow(g, 1) || !hidx_reserve(&g->index, 1, g->hashes, g->count, g->alone))
        return DN_FAIL_NOMEM(err);
    g->hashes[g->count] = hash;
    hidx_put(&g->index, hash, g->count);
    g->count++;
    return 0;
}

/* Keeps the values of tuples that have a number; `rows` has theirs. */
static int groups_keep(struct exec_groups *g,
                       const struct groups_look *look,
                       const uint16_t *rows,
                       struct dn_err *err)
{
    for (uint32_t k = 0; k < g->keys_count && g->stored < g->count; k++)
        if (!colbuf_append_vec(&g->keys[k], &look->keys[k], rows, g->count - g->stored))
            return DN_FAIL_NOMEM(err);
    g->stored = g->count;
    return 0;
}

int exec_groups_id(struct exec_groups *g,
                   const struct groups_look *look,
                   uint32_t row,
                   uint64_t hash,
                   uint32_t *ret,
                   struct dn_err *err)
{
    const uint16_t rows[1] = {(uint16_t)row};
    int rc;

    *ret = hidx_find(&g->index, hash, exec_groups_same, look, &row);
    if (*ret != EXEC_GROUPS_NO_ID || !look->add)
        return 0;
    *ret = g->count;
    rc = groups_number(g, hash, err);
    return rc < 0 ? rc : groups_keep(g, look, rows, err);
}

/* ---- rows by their hashes ---- */

/* The group that each row has by its hash alone, and whether it is the right one. A row without any
 * gets group 0, which is not. */
static void groups_guess(const struct exec_groups *g,
                         const struct groups_look *look,
                         const struct batch *in,
                         const uint64_t *hashes,
                         uint32_t *ids,
                         uint8_t *right)
{
    uint16_t at[VEC_ROWS_MAX];

    if (g->count >= GROUPS_PREFETCH)
        for (uint32_t i = 0; i < in->sel_count; i++)
            hidx_prefetch(&g->index, hashes[i]);
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t id = hidx_guess(&g->index, hashes[i]);

        right[i] = id != EXEC_GROUPS_NO_ID;
        ids[i] = right[i] ? id : 0;
    }
    for (uint32_t k = 0; k < g->keys_count && g->count >= GROUPS_PREFETCH; k++) {
        const uint8_t *data = g->keys[k].data;
        size_t size = phys_size(type_phys(g->keys[k].type));

        for (uint32_t i = 0; i < in->sel_count; i++)
            __builtin_prefetch(data + ids[i] * size);
        for (uint32_t i = 0; type_is_string(g->keys[k].type) && i < in->sel_count; i++)
            __builtin_prefetch(((const struct vstr *)g->keys[k].data)[ids[i]].ptr);
    }
    for (uint32_t k = 0; k < g->keys_count; k++)
        exec_groups_check(&look->keys[k], &g->keys[k], in, ids, at, right);
}

int exec_groups_rows(struct exec_groups *g,
                     const struct groups_look *by,
                     const struct batch *in,
                     struct arena *scratch,
                     uint32_t *ids,
                     struct dn_err *err)
{
    uint64_t *hashes = arena_alloc_array(scratch, in->sel_count, sizeof *hashes);
    uint16_t fresh[VEC_ROWS_MAX];
    uint8_t right[VEC_ROWS_MAX];
    const struct groups_look look = {.g = g, .keys = by->keys, .add = by->add, .fresh = fresh};
    int rc;

    if (!hashes)
        return DN_FAIL_NOMEM(err);
    rc = exec_rows_hash(look.keys, g->keys_count, in, scratch, hashes, err);
    if (rc < 0)
        return rc;
    if (g->count)
        groups_guess(g, &look, in, hashes, ids, right);
    else
        memset(right, 0, in->sel_count);
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        if (right[i])
            continue;
        ids[i] = hidx_find(&g->index, hashes[i], exec_groups_same, &look, &row);
        if (ids[i] != EXEC_GROUPS_NO_ID || !look.add)
            continue;
        ids[i] = g->count;
        fresh[g->count - g->stored] = (uint16_t)row;
        rc = groups_number(g, hashes[i], err);
        if (rc < 0)
            return rc;
    }
    return groups_keep(g, &look, fresh, err);
}

/* As exec_groups_rows, by the heads of stretches alone where rows of a group follow each other. */
static int groups_find_stretches(struct exec_groups *g,
                                 const struct groups_look *look,
                                 const struct batch *in,
                                 struct arena *scratch,
                                 uint32_t *ids,
                                 struct dn_err *err)
{
    struct groups_heads heads;
    struct batch some = *in;
    int rc;

    if (g->plain || !exec_heads(look->keys, g->keys_count, in, &heads))
        return exec_groups_rows(g, look, in, scratch, ids, err);
    some.sel = heads.rows;
    some.sel_count = heads.count;
    rc = exec_groups_rows(g, look, &some, scratch, ids, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = in->sel_count; i-- > 0;) /* a head is never behind its rows */
        ids[i] = ids[heads.of[i]];
    return 0;
}

/* Whole numbers close together: ids has the cell of each row. */
static int groups_find_cells(struct exec_groups *g,
                             const struct groups_look *look,
                             const struct batch *in,
                             uint32_t *ids,
                             struct dn_err *err)
{
    uint32_t *known = g->direct.ids;

    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t *memo = &known[ids[i]];

        if (*memo == EXEC_GROUPS_NO_ID) {
            uint32_t row = in->sel ? in->sel[i] : i;
            int rc = exec_groups_id(
                g, look, row, exec_row_hash(look->keys, g->keys_count, row), memo, err);

            if (rc < 0)
                return rc;
        }
        ids[i] = *memo;
    }
    return 0;
}

static int groups_find(struct exec_groups *g,
                       const struct groups_look *look,
                       const struct batch *in,
                       struct arena *scratch,
                       uint32_t *ids,
                       bool *ret_one,
                       struct dn_err *err)
{
    const struct vec *keys = look->keys;
    uint32_t flats = 0;
    uint32_t dicts = 0;

    *ret_one = false;
    if (in->sel_count == 0)
        return 0;
    for (uint32_t k = 0; k < g->keys_count; k++) {
        DN_ASSERT(keys[k].type == g->keys[k].type);
        flats += keys[k].form == VEC_FLAT;
        dicts += keys[k].form == VEC_DICT;
    }
    if (dicts == 1 && !flats) {
        bool found;
        int rc = exec_groups_shared(g, look, in, ids, &found, err);

        if (rc < 0 || found)
            return rc;
    }
    if (flats || exec_groups_many_codes(keys, g->keys_count, in)) {
        bool fits;
        int rc = exec_direct_cells(&g->direct, keys, in, g->owner, ids, &fits, err);

        if (rc < 0)
            return rc;
        return fits ? groups_find_cells(g, look, in, ids, err)
                    : groups_find_stretches(g, look, in, scratch, ids, err);
    }
    if (dicts)
        return exec_groups_codes(g, look, in, scratch, ids, err);
    *ret_one = true;
    return exec_groups_id(g,
                          look,
                          in->sel ? in->sel[0] : 0,
                          exec_row_hash(keys, g->keys_count, in->sel ? in->sel[0] : 0),
                          &ids[0],
                          err);
}

int exec_groups_find(struct exec_groups *g,
                     const struct vec *keys,
                     const struct batch *in,
                     struct arena *scratch,
                     uint32_t *ids,
                     bool *ret_one,
                     struct dn_err *err)
{
    const struct groups_look look = {.g = g, .keys = keys, .add = true};

    return groups_find(g, &look, in, scratch, ids, ret_one, err);
}

int exec_groups_look(struct exec_groups *g,
                     const struct vec *keys,
                     const struct batch *in,
                     struct arena *scratch,
                     uint32_t *ids,
                     bool *ret_one,
                     struct dn_err *err)
{
    const struct groups_look look = {.g = g, .keys = keys};

    return groups_find(g, &look, in, scratch, ids, ret_one, err);
}

int exec_groups_append(struct exec_groups *g,
                       const struct vec *keys,
                       const uint16_t *rows,
                       uint32_t count,
                       struct arena *scratch,
                       struct dn_err *err)
{
    const struct groups_look look = {.g = g, .keys = keys};
    const struct batch in = {.count = keys[0].count, .sel = rows, .sel_count = count};
    int rc;

    DN_ASSERT(count <= VEC_ROWS_MAX);
    if (count == 0)
        return 0;
    if (!groups_hashes_grow(g, count) || (!g->alone && !groups_alone_grow(g, 0, g->hashes_cap)))
        return DN_FAIL_NOMEM(err);
    /* Parts of groups that do not fit in memory are made by hash, whether looked for or not. */
    rc = exec_rows_hash(keys, g->keys_count, &in, scratch, g->hashes + g->count, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < count; i++)
        vec_bit_set(g->alone, g->count + i);
    g->count += count;
    return groups_keep(g, &look, rows, err);
}

int exec_groups_match(const struct exec_groups *g,
                      const struct exec_groups *of,
                      uint32_t first,
                      uint32_t count,
                      struct arena *scratch,
                      uint32_t *ids,
                      struct dn_err *err)
{
    struct vec *keys = arena_alloc_array(scratch, g->keys_count, sizeof *keys);
    uint64_t *hashes = arena_alloc_array(scratch, count, sizeof *hashes);
    uint32_t *found = arena_alloc_array(scratch, count, sizeof *found);
    const struct groups_look look = {.g = g, .keys = keys};
    uint16_t rows[VEC_ROWS_MAX];
    uint8_t right[VEC_ROWS_MAX] = {0};
    struct batch in = {.count = count, .sel = rows};

    if (!keys || !hashes || !found)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < g->keys_count; k++)
        keys[k] = colbuf_vec(&of->keys[k], first, count);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = EXEC_GROUPS_NO_ID;
        if (of->alone && vec_bit(of->alone, first + i))
            continue;
        hashes[in.sel_count] = of->hashes[first + i];
        rows[in.sel_count++] = (uint16_t)i;
    }
    if (g->count && in.sel_count)
        groups_guess(g, &look, &in, hashes, found, right);
    for (uint32_t i = 0; i < in.sel_count; i++) {
        uint32_t row = rows[i];

        ids[row] =
            right[i] ? found[i] : hidx_find(&g->index, hashes[i], exec_groups_same, &look, &row);
    }
    return 0;
}

int exec_groups_new(struct exec_groups *g,
                    const struct batch *in,
                    struct arena *scratch,
                    uint32_t *ids,
                    uint16_t *sel,
                    uint32_t *ret_count,
                    struct dn_err *err)
{
    uint32_t next = g->count; /* new ones are numbered as they come */
    uint32_t n = 0;
    bool one;
    int rc = exec_groups_find(g, in->cols, in, scratch, ids, &one, err);

    for (uint32_t i = 0; i < (one ? 1 : in->sel_count) && rc == 0; i++)
        if (ids[i] == next) {
            next++;
            sel[n++] = in->sel ? in->sel[i] : (uint16_t)i;
        }
    *ret_count = n;
    return rc;
}
