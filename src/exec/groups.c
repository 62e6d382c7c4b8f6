/* SPDX-License-Identifier: Apache-2.0
 *
 * groups.c: three ways to the number of a row's tuple, from cheap to general:
 *   all keys CONST         one look-up for the batch
 *   all keys CONST, DICT   codes stand for values: a look-up only once per code, or per codes if
 *                          those of all DICTs together are few, else where they change from row to
 *                          row
 *   else                   hashes column by column, a look-up per row */
#include "exec/groups.h"

#include "exec/value.h"

#include <string.h>

#define GROUPS_CODES_MAX 1024u /* of several DICTs together */

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
    hidx_done(&g->index);
    arena_done(&g->strings);
    memset(g, 0, sizeof *g);
}

/* ---- looking up ---- */

struct groups_look {
    const struct exec_groups *g;
    const struct vec *keys;
    bool add; /* tuples that are not there */
};

static bool groups_same(const void *ctx, const void *key, uint32_t id)
{
    const struct groups_look *look = ctx;
    uint32_t row = *(const uint32_t *)key;

    for (uint32_t k = 0; k < look->g->keys_count; k++) {
        const struct vec *v = &look->keys[k];
        const struct colbuf *c = &look->g->keys[k];
        bool null = vec_is_null(v, row);

        if (null != vec_bit(c->nulls, id))
            return false;
        if (!null && !exec_value_same(c->type, v->data, vec_at(v, row), c->data, id))
            return false;
    }
    return true;
}

static uint64_t groups_rehash(const void *ctx, uint32_t id)
{
    return ((const struct groups_look *)ctx)->g->hashes[id];
}

static bool groups_hashes_grow(struct exec_groups *g)
{
    uint32_t cap = g->hashes_cap ? g->hashes_cap * 2 : 64;
    uint64_t *hashes;

    if (g->count < g->hashes_cap)
        return true;
    if (cap <= g->hashes_cap)
        return false;
    hashes = mem_realloc(g->owner, g->hashes, cap * sizeof *hashes);
    if (!hashes)
        return false;
    g->hashes = hashes;
    g->hashes_cap = cap;
    return true;
}

/* On failure columns may differ in length: the run is over then, and only done is called. */
static int groups_add(struct exec_groups *g,
                      const struct groups_look *look,
                      uint32_t row,
                      uint64_t hash,
                      struct dn_err *err)
{
    if (!groups_hashes_grow(g))
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < g->keys_count; k++) {
        struct datum d = vec_datum(&look->keys[k], row);

        if (!colbuf_append(&g->keys[k], &d))
            return DN_FAIL_NOMEM(err);
    }
    g->hashes[g->count] = hash;
    if (!hidx_add(&g->index, hash, g->count, groups_rehash, look))
        return DN_FAIL_NOMEM(err);
    g->count++;
    return 0;
}

static int groups_id(struct exec_groups *g,
                     const struct groups_look *look,
                     uint32_t row,
                     uint64_t hash,
                     uint32_t *ret,
                     struct dn_err *err)
{
    uint32_t id = hidx_find(&g->index, hash, groups_same, look, &row);

    if (id == EXEC_GROUPS_NO_ID && look->add) {
        int rc;

        id = g->count;
        rc = groups_add(g, look, row, hash, err);
        if (rc < 0)
            return rc;
    }
    *ret = id;
    return 0;
}

/* ---- a batch ---- */

/* Do both rows have the same codes? Then they have the same values. */
static bool groups_codes_same(const struct vec *keys, uint32_t keys_count, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < keys_count; k++)
        if (keys[k].form == VEC_DICT && (keys[k].codes[a] != keys[k].codes[b] ||
                                         vec_bit(keys[k].nulls, a) != vec_bit(keys[k].nulls, b)))
            return false;
    return true;
}

/* The single DICT among CONSTs, NULL if there are more or it is too big to remember its codes. */
static const struct vec *groups_single_dict(const struct vec *keys, uint32_t keys_count)
{
    const struct vec *found = NULL;

    for (uint32_t k = 0; k < keys_count; k++)
        if (keys[k].form == VEC_DICT) {
            if (found)
                return NULL;
            found = &keys[k];
        }
    return found->dict_count <= VEC_ROWS_MAX ? found : NULL;
}

/* One DICT without NULLs, known[] by code: most rows cost a look at their code alone. */
static int groups_find_dict(struct exec_groups *g,
                            const struct groups_look *look,
                            const struct vec *dict,
                            const struct batch *in,
                            uint32_t *known,
                            uint32_t *ids,
                            struct dn_err *err)
{
    const uint16_t *codes = dict->codes;

    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;
        uint32_t id = known[codes[row]];
        int rc;

        if (id == EXEC_GROUPS_NO_ID) {
            rc = groups_id(g, look, row, exec_row_hash(look->keys, g->keys_count, row), &id, err);
            if (rc < 0)
                return rc;
            known[codes[row]] = id;
        }
        ids[i] = id;
    }
    return 0;
}

/* One number for the codes of all DICTs, those of NULLs included; how many there are. 0: too many
 * to remember. */
static uint32_t groups_codes_product(const struct vec *keys, uint32_t keys_count)
{
    uint32_t all = 1;

    for (uint32_t k = 0; k < keys_count; k++) {
        if (keys[k].form != VEC_DICT)
            continue;
        if (keys[k].dict_count >= GROUPS_CODES_MAX)
            return 0;
        all *= keys[k].dict_count + 1;
        if (all > GROUPS_CODES_MAX)
            return 0;
    }
    return all;
}

/* Several small DICTs: the codes of a row together say its group. */
static int groups_find_dicts(struct exec_groups *g,
                             const struct groups_look *look,
                             const struct batch *in,
                             uint32_t codes_count,
                             uint32_t *ids,
                             struct dn_err *err)
{
    uint32_t known[GROUPS_CODES_MAX];

    memset(known, 0xff, codes_count * sizeof *known);
    memset(ids, 0, in->sel_count * sizeof *ids);
    for (uint32_t k = 0; k < g->keys_count; k++) {
        const struct vec *v = &look->keys[k];

        if (v->form != VEC_DICT)
            continue;
        for (uint32_t i = 0; i < in->sel_count; i++) {
            uint32_t row = in->sel ? in->sel[i] : i;
            uint32_t code = v->nulls && vec_bit(v->nulls, row) ? v->dict_count : v->codes[row];

            ids[i] = ids[i] * (v->dict_count + 1) + code;
        }
    }
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t *memo = &known[ids[i]];
        uint32_t row = in->sel ? in->sel[i] : i;

        if (*memo == EXEC_GROUPS_NO_ID) {
            int rc =
                groups_id(g, look, row, exec_row_hash(look->keys, g->keys_count, row), memo, err);

            if (rc < 0)
                return rc;
        }
        ids[i] = *memo;
    }
    return 0;
}

static int groups_find_codes(struct exec_groups *g,
                             const struct groups_look *look,
                             const struct batch *in,
                             struct arena *scratch,
                             uint32_t *ids,
                             struct dn_err *err)
{
    const struct vec *dict = groups_single_dict(look->keys, g->keys_count);
    uint32_t *known = NULL; /* id by code */
    uint32_t codes_count = dict ? 0 : groups_codes_product(look->keys, g->keys_count);
    uint32_t last = 0;

    if (codes_count && codes_count / 16 <= in->sel_count)
        return groups_find_dicts(g, look, in, codes_count, ids, err);
    if (dict) {
        known = arena_alloc_array(scratch, dict->dict_count, sizeof *known);
        if (!known)
            return DN_FAIL_NOMEM(err);
        memset(known, 0xff, dict->dict_count * sizeof *known);
        if (!dict->nulls)
            return groups_find_dict(g, look, dict, in, known, ids, err);
    }
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;
        uint32_t *memo = known && !vec_bit(dict->nulls, row) ? &known[dict->codes[row]] : NULL;
        int rc;

        if (i > 0 && groups_codes_same(look->keys, g->keys_count, last, row)) {
            ids[i] = ids[i - 1];
        } else if (memo && *memo != EXEC_GROUPS_NO_ID) {
            ids[i] = *memo;
        } else {
            rc = groups_id(
                g, look, row, exec_row_hash(look->keys, g->keys_count, row), &ids[i], err);
            if (rc < 0)
                return rc;
            if (memo)
                *memo = ids[i];
        }
        last = row;
    }
    return 0;
}

static int groups_find_rows(struct exec_groups *g,
                            const struct groups_look *look,
                            const struct batch *in,
                            struct arena *scratch,
                            uint32_t *ids,
                            struct dn_err *err)
{
    uint64_t *hashes = arena_alloc_array(scratch, in->sel_count, sizeof *hashes);
    int rc;

    if (!hashes)
        return DN_FAIL_NOMEM(err);
    rc = exec_rows_hash(look->keys, g->keys_count, in, scratch, hashes, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        /* Neighbours are often of one group. */
        if (i > 0 && hashes[i] == hashes[i - 1] && ids[i - 1] != EXEC_GROUPS_NO_ID &&
            groups_same(look, &row, ids[i - 1])) {
            ids[i] = ids[i - 1];
            continue;
        }
        rc = groups_id(g, look, row, hashes[i], &ids[i], err);
        if (rc < 0)
            return rc;
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
    if (flats)
        return groups_find_rows(g, look, in, scratch, ids, err);
    if (dicts)
        return groups_find_codes(g, look, in, scratch, ids, err);
    *ret_one = true;
    return groups_id(g,
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
