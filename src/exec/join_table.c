/* SPDX-License-Identifier: Apache-2.0
 *
 * join_table.c: building and asking the hash table of a join. Hashes are made column by column for
 * a whole batch. Keys that are CONST are looked up once for a batch, and a single DICT once for
 * each entry in use: the partition key of a run costs nothing per row. */
#include "exec/join_table.h"

#include "exec/value.h"

#include <string.h>

#define TABLE_AHEAD     16u   /* rows whose slots are asked for ahead while the table is made */
#define TABLE_LARGE     4096u /* rows from which look-ups ask for memory ahead */
#define TABLE_LOOSE     6u    /* values between the least and the greatest, per row, of an array */
#define TABLE_SCATTERED 1024u /* the same of bits, … */
#define TABLE_BITS_MAX  (1u << 23) /* … of which there are this many at most */

/* Are columns of the right side looked at, by the filter or by who reads the result? */
static bool table_needs_cols(const struct plan_join *join)
{
    return join->filter || join->kind == PLAN_JOIN_INNER || join->kind == PLAN_JOIN_LEFT ||
           join->kind == PLAN_JOIN_FULL || join->kind == PLAN_JOIN_SINGLE;
}

/* A key that is a column which is kept anyway is not kept twice. */
static uint32_t table_place_keys(struct exec_join_table *t, enum type_id *types)
{
    const struct plan_join *join = t->node->join;
    uint32_t n = t->cols_count;

    for (uint32_t k = 0; k < join->keys_count; k++) {
        const struct bexpr *e = join->keys[k].right;

        if (e->kind == BEXPR_COLUMN && t->cols_count) {
            t->key_cols[k] = e->col;
            continue;
        }
        t->key_cols[k] = n;
        types[n++] = e->type;
    }
    return n;
}

void exec_join_pace(struct exec_pace *p, const struct plan_join *join, bool left, size_t bytes)
{
    for (uint32_t k = 0; k < join->keys_count; k++)
        exec_pace_add(p, left ? join->keys[k].left : join->keys[k].right, bytes);
}

int exec_join_table_init(struct exec_join_table *t,
                         const struct plan_node *node,
                         struct op *op,
                         struct dn_err *err)
{
    const struct plan_join *join = node->join;
    const struct plan_node *right = node->right;
    enum type_id *types;
    enum phys phys;
    size_t max = (size_t)right->cols_count + join->keys_count;

    t->node = node;
    t->fast = exec_fast(op->ctx);
    exec_pace_init(&t->pace, &t->batch, &op->mem);
    exec_join_pace(&t->pace, node->join, false, op->ctx->slice_bytes);
    arena_init(&t->run, &op->mem);
    t->ev = exec_eval(op, &t->batch, &t->run);
    t->key_cols = arena_alloc_array(&t->run, join->keys_count, sizeof *t->key_cols);
    t->build = arena_calloc(&t->run, max, sizeof *t->build);
    types = arena_alloc_array(&t->run, max, sizeof *types);
    if (!t->key_cols || !t->build || !types)
        return DN_FAIL_NOMEM(err);
    t->cols_count = table_needs_cols(join) ? right->cols_count : 0;
    for (uint32_t c = 0; c < t->cols_count; c++)
        types[c] = right->cols[c].type;
    if (join->keys_count == 1 && !join->keys[0].nulls_equal) {
        phys = type_phys(join->keys[0].right->type);
        t->by_hash = phys == PHYS_I8 || phys == PHYS_I16 || phys == PHYS_I32 || phys == PHYS_I64;
    }
    return exec_rows_init(&t->rows, types, table_place_keys(t, types), false, &op->mem, err);
}

void exec_join_table_done(struct exec_join_table *t)
{
    exec_rows_done(&t->rows);
    arena_done(&t->batch);
    arena_done(&t->run);
    mem_free(t->hashes);
    mem_free(t->slots);
    mem_free(t->direct);
    mem_free(t->bits);
    mem_free(t->same);
    memset(t, 0, sizeof *t);
}

bool exec_join_null(const struct plan_join *join, const struct vec *keys, uint32_t row)
{
    for (uint32_t k = 0; k < join->keys_count; k++)
        if (!join->keys[k].nulls_equal && vec_is_null(&keys[k], row))
            return true;
    return false;
}

/* ---- adding ---- */

static int table_hashes_grow(struct exec_join_table *t, uint32_t more, struct dn_err *err)
{
    size_t need = (size_t)t->rows.count + more;
    size_t cap = t->hashes_cap ? t->hashes_cap : 1024;
    uint64_t *hashes;

    if (need <= t->hashes_cap)
        return 0;
    while (cap < need)
        cap *= 2;
    if (cap > UINT32_MAX)
        return DN_FAIL_NOMEM(err);
    hashes = mem_realloc(t->rows.owner, t->hashes, cap * sizeof *hashes);
    if (!hashes)
        return DN_FAIL_NOMEM(err);
    t->hashes = hashes;
    t->hashes_cap = (uint32_t)cap;
    return 0;
}

/* The rows that are kept, as a narrower selection. */
static int table_narrow(struct exec_join_table *t,
                        const struct vec *keys,
                        struct batch *in,
                        struct dn_err *err)
{
    const struct plan_join *join = t->node->join;
    uint16_t *sel = arena_alloc_array(&t->batch, in->sel_count, sizeof *sel);
    uint32_t n = 0;

    if (!sel)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        if (exec_join_null(join, keys, row))
            t->null_seen = true;
        else
            sel[n++] = (uint16_t)row;
    }
    if (join->kind == PLAN_JOIN_FULL || exec_join_maybes(join))
        return 0;
    in->sel = sel;
    in->sel_count = n;
    return 0;
}

int exec_join_table_take(struct exec_join_table *t,
                         const struct batch *in,
                         struct batch *ret,
                         uint64_t **ret_hashes,
                         struct dn_err *err)
{
    const struct plan_join *join = t->node->join;
    struct vec *keys;
    int rc = 0;

    exec_pace_begin(&t->pace, &t->batch);
    t->rows_seen += in->sel_count;
    keys = arena_calloc(&t->batch, join->keys_count, sizeof *keys);
    *ret_hashes = arena_alloc_array(&t->batch, in->sel_count, sizeof **ret_hashes);
    if (!keys || !*ret_hashes)
        return DN_FAIL_NOMEM(err);
    *ret = *in;
    for (uint32_t k = 0; k < join->keys_count && rc == 0; k++) {
        rc = expr_eval(join->keys[k].right, &t->ev, in, &keys[k], err);
        t->build[t->key_cols[k]] = keys[k];
    }
    if (rc == 0 && join->keys_count)
        rc = table_narrow(t, keys, ret, err);
    if (rc == 0 && join->keys_count && ret->sel_count)
        rc = exec_rows_hash(keys, join->keys_count, ret, &t->batch, *ret_hashes, err);
    exec_pace_end(&t->pace, in->sel_count);
    for (uint32_t c = 0; c < t->cols_count; c++)
        t->build[c] = in->cols[c];
    ret->cols = t->build;
    ret->cols_count = t->rows.cols_count;
    return rc;
}

/* Rows as they were taken. */
static int table_put(struct exec_join_table *t,
                     const struct batch *in,
                     const uint64_t *hashes,
                     struct dn_err *err)
{
    int rc = table_hashes_grow(t, in->sel_count, err);

    if (rc < 0)
        return rc;
    memcpy(t->hashes + t->rows.count, hashes, in->sel_count * sizeof *hashes);
    return exec_rows_add(&t->rows, in->cols, in->sel, in->sel_count, err);
}

int exec_join_table_add(struct exec_join_table *t, const struct batch *in, struct dn_err *err)
{
    struct batch kept;
    uint64_t *hashes;
    int rc = exec_join_table_take(t, in, &kept, &hashes, err);

    return rc < 0 || kept.sel_count == 0 ? rc : table_put(t, &kept, hashes, err);
}

int exec_join_table_restore(struct exec_join_table *t, const struct batch *in, struct dn_err *err)
{
    uint32_t keys_count = t->node->join->keys_count;
    struct vec *keys;
    uint64_t *hashes;
    int rc = 0;

    arena_reset(&t->batch);
    keys = arena_calloc(&t->batch, keys_count, sizeof *keys);
    hashes = arena_calloc(&t->batch, in->sel_count, sizeof *hashes);
    if (!keys || !hashes)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < keys_count; k++)
        keys[k] = in->cols[t->key_cols[k]];
    if (keys_count)
        rc = exec_rows_hash(keys, keys_count, in, &t->batch, hashes, err);
    return rc < 0 ? rc : table_put(t, in, hashes, err);
}

void exec_join_table_clear(struct exec_join_table *t)
{
    exec_rows_reset(&t->rows);
    arena_reset(&t->batch);
    mem_free(t->hashes);
    mem_free(t->slots);
    mem_free(t->direct);
    mem_free(t->bits);
    mem_free(t->same);
    t->bits = NULL;
    t->hashes = NULL;
    t->slots = NULL;
    t->direct = NULL;
    t->same = NULL;
    t->hashes_cap = 0;
}

/* ---- finishing ---- */

static bool table_rows_same(const struct exec_join_table *t, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < t->node->join->keys_count && !t->by_hash; k++) {
        uint32_t c = t->key_cols[k];
        bool null = exec_rows_is_null(&t->rows, c, a);

        if (null != exec_rows_is_null(&t->rows, c, b))
            return false;
        if (!null && !exec_value_same(t->rows.types[c],
                                      exec_rows_col(&t->rows, c, a)->data,
                                      a % VEC_ROWS_MAX,
                                      exec_rows_col(&t->rows, c, b)->data,
                                      b % VEC_ROWS_MAX))
            return false;
    }
    return true;
}

/* Some joins keep rows that nothing matches. */
static bool table_row_null(const struct exec_join_table *t, uint32_t row)
{
    const struct plan_join *join = t->node->join;

    for (uint32_t k = 0; k < join->keys_count; k++)
        if (!join->keys[k].nulls_equal && t->rows.nulls[t->key_cols[k]] &&
            exec_rows_is_null(&t->rows, t->key_cols[k], row))
            return true;
    return false;
}

static uint64_t table_slot(uint64_t hash, uint32_t row)
{
    return (hash >> 32) << 32 | ((uint64_t)row + 1);
}

/* Rows come from the last to the first: one that finds its key takes the place of who has it. */
static void table_link(struct exec_join_table *t, uint32_t row)
{
    uint64_t hash = t->hashes[row];
    uint32_t i = (uint32_t)hash & t->mask;

    for (; t->slots[i]; i = (i + 1) & t->mask) {
        uint32_t other = (uint32_t)t->slots[i] - 1;

        if (t->slots[i] >> 32 == hash >> 32 && t->hashes[other] == hash &&
            table_rows_same(t, other, row)) {
            t->same[row] = other;
            t->unique = false;
            t->slots[i] = table_slot(hash, row);
            return;
        }
    }
    t->same[row] = EXEC_NO_ROW;
    t->slots[i] = table_slot(hash, row);
}

/* An integer of a column, widened. */
static inline int64_t table_int(enum phys phys, const void *data, uint32_t at)
{
    switch (phys) {
    case PHYS_I8:
        return ((const int8_t *)data)[at];
    case PHYS_I16:
        return ((const int16_t *)data)[at];
    case PHYS_I32:
        return ((const int32_t *)data)[at];
    case PHYS_I64:
        return ((const int64_t *)data)[at];
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    DN_ASSERT(false); /* by_hash says that it is an integer */
    return 0;
}

/* Least and greatest value of the key, if there is a row with one. */
static bool table_range(struct exec_join_table *t, enum phys phys)
{
    int64_t lo = INT64_MAX;
    int64_t hi = INT64_MIN;

    for (uint32_t i = 0; i < t->rows.chunks_count; i++) {
        const struct colbuf *c = &t->rows.chunks[i][t->key_cols[0]];

        for (uint32_t row = 0; row < c->count; row++) {
            int64_t x = table_int(phys, c->data, row);

            if (vec_bit(c->nulls, row))
                continue;
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
    }
    t->direct_lo = lo;
    t->direct_max = (uint64_t)hi - (uint64_t)lo;
    return lo <= hi;
}

/* A bit for each value. */
static int table_make_bits(struct exec_join_table *t, enum phys phys, struct dn_err *err)
{
    t->bits = mem_calloc(t->rows.owner, VEC_BITMAP_WORDS(t->direct_max + 1), sizeof *t->bits);
    if (!t->bits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < t->rows.chunks_count; i++) {
        const struct colbuf *c = &t->rows.chunks[i][t->key_cols[0]];

        for (uint32_t row = 0; row < c->count; row++)
            if (!vec_bit(c->nulls, row))
                vec_bit_set(
                    t->bits,
                    (uint32_t)((uint64_t)table_int(phys, c->data, row) - (uint64_t)t->direct_lo));
    }
    return 0;
}

/* An array by value, if the values lie close enough together; bits, if they are scattered; none of
 * them, if they are too much so. */
static int table_make_direct(struct exec_join_table *t, struct dn_err *err)
{
    enum phys phys = type_phys(t->rows.types[t->key_cols[0]]);

    if (!t->fast || !t->by_hash || !table_range(t, phys))
        return 0;
    if (t->direct_max / TABLE_LOOSE >= t->rows.count)
        return t->direct_max < TABLE_BITS_MAX && t->direct_max / TABLE_SCATTERED < t->rows.count
                   ? table_make_bits(t, phys, err)
                   : 0;
    t->direct = mem_alloc_array(t->rows.owner, t->direct_max + 1, sizeof *t->direct);
    if (!t->direct)
        return DN_FAIL_NOMEM(err);
    memset(t->direct, 0xff, (t->direct_max + 1) * sizeof *t->direct);
    for (uint32_t row = t->rows.count; row-- > 0;) {
        const struct colbuf *c = exec_rows_col(&t->rows, t->key_cols[0], row);
        uint32_t *first;

        if (vec_bit(c->nulls, row % VEC_ROWS_MAX))
            continue;
        first = &t->direct[(uint64_t)table_int(phys, c->data, row % VEC_ROWS_MAX) -
                           (uint64_t)t->direct_lo];
        t->same[row] = *first;
        t->unique = t->unique && *first == EXEC_NO_ROW;
        *first = row;
    }
    return 0;
}

int exec_join_table_finish(struct exec_join_table *t, struct dn_err *err)
{
    uint32_t count = t->rows.count;
    uint32_t slots = 16;
    int rc;

    t->unique = true;
    t->serial = vec_dict_ids(1);
    exec_rows_complete(&t->rows);
    if (t->node->join->keys_count == 0)
        return 0;
    t->same = mem_alloc_array(t->rows.owner, count, sizeof *t->same);
    if (!t->same)
        return DN_FAIL_NOMEM(err);
    rc = table_make_direct(t, err);
    if (rc < 0 || t->direct)
        return rc;
    while (slots < count + count / 2 && slots < UINT32_C(1) << 31)
        slots *= 2;
    if (count >= slots) /* one slot stays empty */
        return DN_FAIL_NOMEM(err);
    t->slots = mem_calloc(t->rows.owner, slots, sizeof *t->slots);
    if (!t->slots)
        return DN_FAIL_NOMEM(err);
    t->mask = slots - 1;
    for (uint32_t row = count; row-- > 0;) {
        if (row >= TABLE_AHEAD)
            __builtin_prefetch(&t->slots[(uint32_t)t->hashes[row - TABLE_AHEAD] & t->mask], 1);
        if (!t->null_seen || !table_row_null(t, row))
            table_link(t, row);
    }
    return 0;
}

/* ---- asking ---- */

static bool
table_same(const struct exec_join_table *t, const struct vec *keys, uint32_t row, uint32_t id)
{
    for (uint32_t k = 0; k < t->node->join->keys_count; k++) {
        const struct colbuf *c = exec_rows_col(&t->rows, t->key_cols[k], id);
        bool null = vec_is_null(&keys[k], row);

        if (null != vec_bit(c->nulls, id % VEC_ROWS_MAX))
            return false;
        if (!null && !exec_value_same(
                         c->type, keys[k].data, vec_at(&keys[k], row), c->data, id % VEC_ROWS_MAX))
            return false;
    }
    return true;
}

static inline uint32_t
table_find(const struct exec_join_table *t, const struct vec *keys, uint32_t row, uint64_t hash)
{
    for (uint32_t i = (uint32_t)hash & t->mask; t->slots[i]; i = (i + 1) & t->mask) {
        uint32_t id = (uint32_t)t->slots[i] - 1;

        if (t->slots[i] >> 32 == hash >> 32 && t->hashes[id] == hash &&
            (t->by_hash || table_same(t, keys, row, id)))
            return id;
    }
    return EXEC_NO_ROW;
}

/* Asks for the memory that the look-ups of a batch will need: slots, then the hashes of the rows
 * that these name. */
static void table_prefetch(const struct exec_join_table *t, const uint64_t *hashes, uint32_t count)
{
    if (t->rows.count < TABLE_LARGE)
        return;
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(&t->slots[(uint32_t)hashes[i] & t->mask]);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t slot = t->slots[(uint32_t)hashes[i] & t->mask];

        if (slot >> 32 == hashes[i] >> 32 && slot)
            __builtin_prefetch(&t->hashes[(uint32_t)slot - 1]);
    }
}

/* The row of an array for a value. */
static inline uint32_t table_at(const struct exec_join_table *t, int64_t value)
{
    uint64_t at = (uint64_t)value - (uint64_t)t->direct_lo;

    return at <= t->direct_max ? t->direct[at] : EXEC_NO_ROW;
}

#define TABLE_LOOP(T)                                             \
    do {                                                          \
        const T *data = key->data;                                \
        for (uint32_t i = 0; i < in->sel_count; i++)              \
            ids[i] = table_at(t, data[in->sel ? in->sel[i] : i]); \
    } while (0)

/* A FLAT key in an array. */
static void table_find_direct(const struct exec_join_table *t,
                              const struct vec *key,
                              const struct batch *in,
                              uint32_t *ids)
{
    switch (type_phys(key->type)) {
    case PHYS_I8:
        TABLE_LOOP(int8_t);
        break;
    case PHYS_I16:
        TABLE_LOOP(int16_t);
        break;
    case PHYS_I32:
        TABLE_LOOP(int32_t);
        break;
    case PHYS_I64:
        TABLE_LOOP(int64_t);
        break;
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        DN_ASSERT(false); /* by_hash says that it is an integer */
    }
    for (uint32_t i = 0; key->nulls && i < in->sel_count; i++)
        if (vec_bit(key->nulls, in->sel ? in->sel[i] : i))
            ids[i] = EXEC_NO_ROW;
}

/* May the value be there, as the bits tell? */
static inline bool table_has(const struct exec_join_table *t, int64_t value)
{
    uint64_t at = (uint64_t)value - (uint64_t)t->direct_lo;

    return at <= t->direct_max && vec_bit(t->bits, (uint32_t)at);
}

#define TABLE_SIFT(T)                                                  \
    do {                                                               \
        const T *data = key->data;                                     \
        for (uint32_t i = 0; i < in->sel_count; i++) {                 \
            uint16_t row = in->sel ? in->sel[i] : (uint16_t)i;         \
            sel[n] = row;                                              \
            places[n] = (uint16_t)i;                                   \
            n += table_has(t, data[row]) && !vec_bit(key->nulls, row); \
        }                                                              \
    } while (0)

/* Selected rows whose FLAT key is there: sel gets them, places their numbers among the selected. */
static uint32_t table_sift(const struct exec_join_table *t,
                           const struct vec *key,
                           const struct batch *in,
                           uint16_t *sel,
                           uint16_t *places)
{
    uint32_t n = 0;

    switch (type_phys(key->type)) {
    case PHYS_I8:
        TABLE_SIFT(int8_t);
        break;
    case PHYS_I16:
        TABLE_SIFT(int16_t);
        break;
    case PHYS_I32:
        TABLE_SIFT(int32_t);
        break;
    case PHYS_I64:
        TABLE_SIFT(int64_t);
        break;
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        DN_ASSERT(false); /* by_hash says that it is an integer */
    }
    return n;
}

/* A FLAT key beside bits: only rows whose key is there are hashed. */
static int table_find_sifted(const struct exec_join_table *t,
                             const struct vec *key,
                             const struct batch *in,
                             struct arena *scratch,
                             uint32_t *ids,
                             struct dn_err *err)
{
    uint16_t sel[VEC_ROWS_MAX];
    uint16_t places[VEC_ROWS_MAX];
    struct batch some = {.count = in->count, .sel = sel};
    uint64_t *hashes;
    int rc;

    some.sel_count = table_sift(t, key, in, sel, places);
    memset(ids, 0xff, in->sel_count * sizeof *ids);
    hashes = arena_alloc_array(scratch, (size_t)some.sel_count + 1, sizeof *hashes);
    if (!hashes)
        return DN_FAIL_NOMEM(err);
    rc = exec_rows_hash(key, 1, &some, scratch, hashes, err);
    if (rc < 0)
        return rc;
    table_prefetch(t, hashes, some.sel_count);
    for (uint32_t i = 0; i < some.sel_count; i++)
        ids[places[i]] = table_find(t, key, sel[i], hashes[i]);
    return 0;
}

static uint32_t
table_find_row(const struct exec_join_table *t, const struct vec *keys, uint32_t row)
{
    if (exec_join_null(t->node->join, keys, row))
        return EXEC_NO_ROW;
    if (t->direct || t->bits) {
        int64_t value = table_int(type_phys(keys[0].type), keys[0].data, vec_at(&keys[0], row));

        if (t->direct)
            return table_at(t, value);
        if (!table_has(t, value))
            return EXEC_NO_ROW;
    }
    return table_find(t, keys, row, exec_row_hash(keys, t->node->join->keys_count, row));
}

#define TABLE_UNKNOWN (EXEC_NO_ROW - 1) /* of a code: it was not looked up yet */

/* What the codes of the key's dictionary mean, as far as it is known. */
static uint32_t *
table_known(const struct exec_join_table *t, const struct vec *key, struct exec_join_look *look)
{
    bool keeps = look->known && key->dict_id && key->dict_count <= VEC_ROWS_MAX;
    uint32_t *known = look->known;

    if (keeps && look->table == t->serial && look->dict_id == key->dict_id &&
        look->dict_count == key->dict_count)
        return known;
    if (!keeps)
        known = arena_alloc_array(look->scratch, key->dict_count, sizeof *known);
    if (!known)
        return NULL;
    for (uint32_t i = 0; i < key->dict_count; i++)
        known[i] = TABLE_UNKNOWN;
    if (keeps) {
        look->table = t->serial;
        look->dict_id = key->dict_id;
        look->dict_count = key->dict_count;
    }
    return known;
}

/* One DICT: entries that rows use are looked up, not rows. */
static int table_find_codes(const struct exec_join_table *t,
                            const struct vec *key,
                            const struct batch *in,
                            struct exec_join_look *look,
                            uint32_t *ids,
                            struct dn_err *err)
{
    uint32_t *known = table_known(t, key, look);
    const uint16_t *codes = key->codes;
    const uint16_t *sel = in->sel;
    uint32_t rows = in->sel_count;
    bool all = !key->nulls;

    DN_ASSERT(t->rows.count < TABLE_UNKNOWN);
    if (!known)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < rows; i++) { /* as a rule that is all */
        ids[i] = known[codes[sel ? sel[i] : i]];
        all &= ids[i] != TABLE_UNKNOWN;
    }
    for (uint32_t i = 0; i < rows && !all; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (vec_bit(key->nulls, row)) {
            ids[i] = table_find_row(t, key, row);
            continue;
        }
        if (known[codes[row]] == TABLE_UNKNOWN)
            known[codes[row]] = table_find_row(t, key, row);
        ids[i] = known[codes[row]];
    }
    for (uint32_t i = 0; i < rows; i++)
        DN_DCHECK(ids[i] == table_find_row(t, key, sel ? sel[i] : i));
    return 0;
}

int exec_join_find(const struct exec_join_table *t,
                   const struct vec *keys,
                   const struct batch *in,
                   struct exec_join_look *look,
                   uint32_t *ids,
                   bool *ret_one,
                   struct dn_err *err)
{
    uint32_t keys_count = t->node->join->keys_count;
    uint64_t *hashes;
    uint32_t consts = 0;
    bool nulls = false;
    int rc;

    for (uint32_t k = 0; k < keys_count; k++) {
        consts += keys[k].form == VEC_CONST;
        nulls |= keys[k].nulls && !t->node->join->keys[k].nulls_equal;
    }
    *ret_one = consts == keys_count;
    if (*ret_one) {
        ids[0] = table_find_row(t, keys, in->sel ? in->sel[0] : 0);
        return 0;
    }
    if (keys_count == 1 && keys[0].form == VEC_DICT &&
        (keys[0].dict_count <= in->sel_count || look->dict_id == keys[0].dict_id))
        return table_find_codes(t, &keys[0], in, look, ids, err);
    if (t->direct) {
        if (keys[0].form == VEC_FLAT)
            table_find_direct(t, &keys[0], in, ids);
        for (uint32_t i = 0; keys[0].form != VEC_FLAT && i < in->sel_count; i++)
            ids[i] = table_find_row(t, keys, in->sel ? in->sel[i] : i);
        return 0;
    }
    if (t->bits && keys[0].form == VEC_FLAT)
        return table_find_sifted(t, &keys[0], in, look->scratch, ids, err);
    hashes = arena_alloc_array(look->scratch, in->sel_count, sizeof *hashes);
    if (!hashes)
        return DN_FAIL_NOMEM(err);
    rc = exec_rows_hash(keys, keys_count, in, look->scratch, hashes, err);
    if (rc == 0)
        table_prefetch(t, hashes, in->sel_count);
    for (uint32_t i = 0; i < in->sel_count && rc == 0; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        ids[i] = nulls && exec_join_null(t->node->join, keys, row)
                     ? EXEC_NO_ROW
                     : table_find(t, keys, row, hashes[i]);
    }
    return rc;
}
