/* SPDX-License-Identifier: Apache-2.0
 *
 * groups_codes.c: the numbers of rows whose keys are DICT and CONST. Rows with the same codes have
 * the same values, so codes are looked up instead of rows:
 *   a dictionary that vectors share   once per code, for all vectors that have it: what its codes
 *                                     mean is kept with the groups
 *   one DICT                          once per code of the batch; what the code meant in the vector
 *                                     before is tried first. Where that proves wrong and there are
 *                                     many tuples, all codes of the batch together, by their hashes
 *   several DICTs                     once per codes, if those of all together are few
 *   else                              where codes change from row to row
 * What a code is taken to mean is compared with its value, unless the dictionary's number says that
 * nothing else can be meant: a guess costs time, never a wrong group. */
#include "exec/groups_int.h"
#include "exec/value.h"

#include <string.h>

#define GROUPS_CODES_MAX 1024u /* of several DICTs together */
#define GROUPS_DOUBT     256u  /* wrong guesses after which dictionaries are taken to differ */

bool exec_groups_many_codes(const struct vec *keys, uint32_t keys_count, const struct batch *in)
{
    for (uint32_t k = 0; k < keys_count; k++)
        if (keys[k].form == VEC_DICT && keys[k].dict_count > in->sel_count / 2)
            return true;
    return false;
}

/* ---- one dictionary ---- */

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
    DN_DCHECK(found);
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
        if (exec_groups_same(look, &row, *guess)) {
            g->guesses_wrong -= g->guesses_wrong > 0;
            *ret = *guess;
            return 0;
        }
        g->guesses_wrong++;
    }
    rc = exec_groups_id(g, look, row, exec_row_hash(look->keys, g->keys_count, row), ret, err);
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
    rc = exec_groups_rows(g, look, &some, scratch, ids, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < some.sel_count; i++)
        known[codes[rows[i]]] = ids[i];
    for (uint32_t i = 0; i < in->sel_count; i++)
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
        return exec_groups_id(
            g, look, row, exec_row_hash(look->keys, g->keys_count, row), ret, err);
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
            DN_DCHECK(exec_groups_same(look, &i, ids[i]));
        return rc;
    }
    for (uint32_t i = 0; i < in->sel_count && rc == 0; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        ids[i] = known[codes[row]];
        if (ids[i] == EXEC_GROUPS_NO_ID || (v->nulls && vec_bit(v->nulls, row)))
            rc = groups_dict_row(g, look, v, row, &ids[i], err);
        DN_DCHECK(rc < 0 || ids[i] == EXEC_GROUPS_NO_ID || exec_groups_same(look, &row, ids[i]));
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

/* The way by a dictionary that vectors share is taken if what its codes mean is known, or may be
 * known before long. */
int exec_groups_shared(struct exec_groups *g,
                       const struct groups_look *look,
                       const struct batch *in,
                       uint32_t *ids,
                       bool *ret_found,
                       struct dn_err *err)
{
    const struct vec *keys = look->keys;
    const struct vec *shared = groups_shared_dict(g, keys);
    bool known;
    int rc;

    *ret_found = false;
    if (!shared)
        return 0;
    known = groups_dict_is(g, keys, shared);
    rc = known ? 0 : groups_dict_begin(g, shared, err);
    if (rc < 0)
        return rc;
    if (!known && (exec_groups_many_codes(keys, g->keys_count, in) ||
                   (g->count >= GROUPS_PREFETCH && g->guesses_wrong >= GROUPS_DOUBT)))
        return 0;
    *ret_found = true;
    return groups_find_known(g, look, shared, in, ids, err);
}

/* ---- codes of several dictionaries ---- */

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
            int rc = exec_groups_id(
                g, look, row, exec_row_hash(look->keys, g->keys_count, row), memo, err);

            if (rc < 0)
                return rc;
        }
        ids[i] = *memo;
    }
    return 0;
}

/* ---- the codes of a batch ---- */

/* Do both rows have the same codes? Then they have the same values. */
static bool groups_codes_same(const struct vec *keys, uint32_t keys_count, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < keys_count; k++)
        if (keys[k].form == VEC_DICT && (keys[k].codes[a] != keys[k].codes[b] ||
                                         vec_bit(keys[k].nulls, a) != vec_bit(keys[k].nulls, b)))
            return false;
    return true;
}

int exec_groups_codes(struct exec_groups *g,
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
            rc = exec_groups_id(
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
