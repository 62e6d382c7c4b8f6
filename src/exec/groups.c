/* SPDX-License-Identifier: Apache-2.0
 *
 * groups.c: four ways to the number of a row's tuple, from cheap to general:
 *   all keys CONST         one look-up for the batch
 *   all keys CONST, DICT   codes stand for values: a look-up only once per code, for all vectors of
 *                          one DICT that share a dictionary, or per codes if those of all DICTs
 *                          together are few, else where they change from row to row
 *   whole numbers          an array by value, if they lie close together (groups_direct.h)
 *   else                   hashes column by column, a guess per row by its hash alone, and the
 *                          guesses checked column by column; only rows whose guess is wrong (new
 *                          tuples, as a rule) are looked up one by one. Where rows of a tuple
 *                          follow each other, only the first of them (groups_heads.h) */
#include "exec/groups.h"

#include "exec/groups_check.h"
#include "exec/groups_heads.h"
#include "exec/value.h"

#include <string.h>

#define GROUPS_CODES_MAX 1024u /* of several DICTs together */
#define GROUPS_PREFETCH  4096u /* groups from which memory is asked for ahead */
#define GROUPS_DOUBT     256u  /* wrong guesses after which dictionaries are taken to differ */

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

struct groups_look {
    const struct exec_groups *g;
    const struct vec *keys;
    bool add;              /* tuples that are not there */
    const uint16_t *fresh; /* rows of tuples from g->stored on, whose values are not kept yet */
};

static bool groups_same(const void *ctx, const void *key, uint32_t id)
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

static int groups_id(struct exec_groups *g,
                     const struct groups_look *look,
                     uint32_t row,
                     uint64_t hash,
                     uint32_t *ret,
                     struct dn_err *err)
{
    const uint16_t rows[1] = {(uint16_t)row};
    int rc;

    *ret = hidx_find(&g->index, hash, groups_same, look, &row);
    if (*ret != EXEC_GROUPS_NO_ID || !look->add)
        return 0;
    *ret = g->count;
    rc = groups_number(g, hash, err);
    return rc < 0 ? rc : groups_keep(g, look, rows, err);
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

/* The number of a row whose code has not been met in this batch. The dictionaries of neighbouring
 * vectors are alike as a rule, so what the code meant last is tried before the tuple is hashed. */
static int groups_code_id(struct exec_groups *g,
                          const struct groups_look *look,
                          uint32_t row,
                          uint32_t code,
                          uint32_t *ret,
                          struct dn_err *err)
{
    uint32_t *guess = g->guesses_wrong < GROUPS_DOUBT ? &g->by_code[code] : NULL;
    int rc;

    if (guess && *guess < g->stored) {
        if (groups_same(look, &row, *guess)) {
            g->guesses_wrong -= g->guesses_wrong > 0;
            *ret = *guess;
            return 0;
        }
        g->guesses_wrong++;
    }
    rc = groups_id(g, look, row, exec_row_hash(look->keys, g->keys_count, row), ret, err);
    if (rc == 0 && guess)
        *guess = *ret;
    return rc;
}

static int groups_room_by_code(struct exec_groups *g, uint32_t **codes, struct dn_err *err)
{
    if (*codes)
        return 0;
    *codes = mem_alloc_array(g->owner, VEC_ROWS_MAX, sizeof **codes);
    if (!*codes)
        return DN_FAIL_NOMEM(err);
    memset(*codes, 0xff, VEC_ROWS_MAX * sizeof **codes);
    return 0;
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
    uint32_t left = dict->dict_count; /* codes that have not been met, or are of no group */
    int rc = groups_room_by_code(g, &g->by_code, err);
    uint32_t i = 0;

    if (rc < 0)
        return rc;
    for (; i < in->sel_count && left > 0; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;
        uint32_t id = known[codes[row]];

        if (id == EXEC_GROUPS_NO_ID) {
            rc = groups_code_id(g, look, row, codes[row], &id, err);
            if (rc < 0)
                return rc;
            known[codes[row]] = id;
            left -= id != EXEC_GROUPS_NO_ID;
        }
        ids[i] = id;
    }
    for (; i < in->sel_count; i++) /* all codes are known */
        ids[i] = known[codes[in->sel ? in->sel[i] : i]];
    return 0;
}

/* ---- a dictionary of many vectors ---- */

/* Are the CONST keys those of the tuples that the codes mean? */
static bool groups_dict_consts(const struct exec_groups *g, const struct vec *keys)
{
    uint32_t id = g->dict_tuple;

    for (uint32_t k = 0; k < g->keys_count; k++) {
        const struct colbuf *c = &g->keys[k];
        bool null = vec_bit(keys[k].nulls, 0);

        if (keys[k].form != VEC_CONST)
            continue;
        if (id == EXEC_GROUPS_NO_ID || null != vec_bit(c->nulls, id) ||
            (!null && !exec_value_same(c->type, keys[k].data, 0, c->data, id)))
            return false;
    }
    return true;
}

static bool groups_dict_is(const struct exec_groups *g, const struct vec *keys, const struct vec *v)
{
    return g->dict_id == v->dict_id && g->dict_count == v->dict_count &&
           groups_dict_consts(g, keys);
}

/* From now on the codes of another dictionary, of which nothing is known. */
static int groups_dict_begin(struct exec_groups *g, const struct vec *v, struct dn_err *err)
{
    int rc = groups_room_by_code(g, &g->dict_ids, err);

    if (rc < 0)
        return rc;
    g->dict_id = v->dict_id;
    g->dict_count = g->dict_left = v->dict_count;
    g->dict_tuple = EXEC_GROUPS_NO_ID;
    memset(g->dict_ids, 0xff, v->dict_count * sizeof *g->dict_ids);
    return 0;
}

/* A row whose code has not been met, or that is NULL. */
static int groups_dict_row(struct exec_groups *g,
                           const struct groups_look *look,
                           const struct vec *v,
                           uint32_t row,
                           uint32_t *ret,
                           struct dn_err *err)
{
    uint32_t code = v->codes[row];
    int rc;

    if (vec_bit(v->nulls, row))
        return groups_id(g, look, row, exec_row_hash(look->keys, g->keys_count, row), ret, err);
    rc = groups_code_id(g, look, row, code, ret, err);
    if (rc < 0 || *ret == EXEC_GROUPS_NO_ID)
        return rc;
    g->dict_left -= g->dict_ids[code] == EXEC_GROUPS_NO_ID;
    g->dict_ids[code] = g->dict_tuple = *ret;
    return 0;
}

/* One DICT, which is that of dict_ids: most rows cost a look at their code alone. */
static int groups_find_known(struct exec_groups *g,
                             const struct groups_look *look,
                             const struct vec *v,
                             const struct batch *in,
                             uint32_t *ids,
                             struct dn_err *err)
{
    const uint16_t *codes = v->codes;
    const uint32_t *known = g->dict_ids;
    int rc = groups_room_by_code(g, &g->by_code, err);

    if (g->dict_left == 0 && !v->nulls && !in->sel) {
        for (uint32_t i = 0; i < in->sel_count; i++)
            ids[i] = known[codes[i]];
        for (uint32_t i = 0; i < in->sel_count; i++)
            DN_DCHECK(groups_same(look, &i, ids[i]));
        return rc;
    }
    for (uint32_t i = 0; i < in->sel_count && rc == 0; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        ids[i] = known[codes[row]];
        if (ids[i] == EXEC_GROUPS_NO_ID || (v->nulls && vec_bit(v->nulls, row)))
            rc = groups_dict_row(g, look, v, row, &ids[i], err);
        DN_DCHECK(rc < 0 || ids[i] == EXEC_GROUPS_NO_ID || groups_same(look, &row, ids[i]));
    }
    return rc;
}

/* The only DICT, if its dictionary is one that vectors share and what its codes mean may be kept;
 * else NULL. The other keys are CONST. */
static const struct vec *groups_shared_dict(const struct exec_groups *g, const struct vec *keys)
{
    const struct vec *v = g->plain ? NULL : groups_single_dict(keys, g->keys_count);

    return v && v->dict_id ? v : NULL;
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

static int groups_find_rows(struct exec_groups *g,
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
        ids[i] = hidx_find(&g->index, hashes[i], groups_same, &look, &row);
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

/* The same where a code means another tuple in each batch and there are many tuples: one row of
 * each code is looked up with all others of its kind, so that memory is asked for ahead. */
static int groups_find_dict_rows(struct exec_groups *g,
                                 const struct groups_look *look,
                                 const struct batch *in,
                                 struct arena *scratch,
                                 uint32_t *known,
                                 uint32_t *ids,
                                 struct dn_err *err)
{
    const uint16_t *codes = groups_single_dict(look->keys, g->keys_count)->codes;
    uint16_t rows[VEC_ROWS_MAX]; /* the first of each code */
    struct batch some = *in;
    int rc;

    some.sel = rows;
    some.sel_count = 0;
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;
        uint32_t *at = &known[codes[row]];

        if (*at == EXEC_GROUPS_NO_ID) {
            *at = some.sel_count;
            rows[some.sel_count++] = row;
        }
    }
    rc = groups_find_rows(g, look, &some, scratch, ids, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < some.sel_count; i++)
        known[codes[rows[i]]] = ids[i];
    for (uint32_t i = 0; i < in->sel_count; i++)
        ids[i] = known[codes[in->sel ? in->sel[i] : i]];
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
        if (!dict->nulls && g->count >= GROUPS_PREFETCH && g->guesses_wrong >= GROUPS_DOUBT)
            return groups_find_dict_rows(g, look, in, scratch, known, ids, err);
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

/* As groups_find_rows, by the heads of stretches alone where rows of a group follow each other. */
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
        return groups_find_rows(g, look, in, scratch, ids, err);
    some.sel = heads.rows;
    some.sel_count = heads.count;
    rc = groups_find_rows(g, look, &some, scratch, ids, err);
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
            int rc =
                groups_id(g, look, row, exec_row_hash(look->keys, g->keys_count, row), memo, err);

            if (rc < 0)
                return rc;
        }
        ids[i] = *memo;
    }
    return 0;
}

/* Has a DICT nearly as many entries as there are rows? Then it is no use to go by its codes. */
static bool groups_many_codes(const struct vec *keys, uint32_t keys_count, const struct batch *in)
{
    for (uint32_t k = 0; k < keys_count; k++)
        if (keys[k].form == VEC_DICT && keys[k].dict_count > in->sel_count / 2)
            return true;
    return false;
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
    const struct vec *shared;
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
    shared = dicts == 1 && !flats ? groups_shared_dict(g, keys) : NULL;
    if (shared) {
        bool known = groups_dict_is(g, keys, shared);
        int rc = known ? 0 : groups_dict_begin(g, shared, err);

        if (rc < 0)
            return rc;
        if (known || (!groups_many_codes(keys, g->keys_count, in) &&
                      (g->count < GROUPS_PREFETCH || g->guesses_wrong < GROUPS_DOUBT)))
            return groups_find_known(g, look, shared, in, ids, err);
    }
    if (flats || groups_many_codes(keys, g->keys_count, in)) {
        bool fits;
        int rc = exec_direct_cells(&g->direct, keys, in, g->owner, ids, &fits, err);

        if (rc < 0)
            return rc;
        return fits ? groups_find_cells(g, look, in, ids, err)
                    : groups_find_stretches(g, look, in, scratch, ids, err);
    }
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

        ids[row] = right[i] ? found[i] : hidx_find(&g->index, hashes[i], groups_same, &look, &row);
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
