/* SPDX-License-Identifier: Apache-2.0
 *
 * join_maybe.c: marks that are NULL. See join_maybe.h. */
#include "exec/join_maybe.h"

#include "exec/value.h"

#include <string.h>

#define MAYBE_ROW_BYTES 32u /* of an index, while it grows */
#define MAYBE_SMALL     8u  /* an index that takes less than this part of the share is made */

/* What a look-up compares: the keys that count, of a left row or (keys is NULL) of a right one. */
struct maybe_key {
    uint64_t counts;
    const struct vec *keys;
    uint32_t row;
};

/* What the callbacks of an index see. */
struct maybe_ctx {
    const struct exec_join_table *table;
    uint64_t left;
};

void exec_join_maybe_init(struct exec_join_maybe *m,
                          const struct exec_join_table *table,
                          const struct op *op)
{
    m->table = table;
    m->op = op;
}

void exec_join_maybe_reset(struct exec_join_maybe *m)
{
    for (uint32_t i = 0; i < m->indexes_count; i++)
        hidx_done(&m->indexes[i].rows);
    m->indexes_count = 0;
    m->shapes_count = 0;
    m->loose = 0;
    m->looked = false;
}

void exec_join_maybe_done(struct exec_join_maybe *m)
{
    exec_join_maybe_reset(m);
    mem_free(m->indexes);
    m->indexes = NULL;
}

/* ---- shapes ---- */

static uint64_t maybe_left_shape(const struct vec *keys, uint32_t count, uint32_t row)
{
    uint64_t shape = 0;

    for (uint32_t k = 0; k < count; k++)
        shape |= (uint64_t)vec_is_null(&keys[k], row) << k;
    return shape;
}

static uint64_t maybe_right_shape(const struct exec_join_table *t, uint32_t id)
{
    uint64_t shape = 0;

    for (uint32_t k = 0; k < t->node->join->keys_count; k++)
        if (t->rows.nulls[t->key_cols[k]])
            shape |= (uint64_t)exec_rows_is_null(&t->rows, t->key_cols[k], id) << k;
    return shape;
}

static void maybe_look(struct exec_join_maybe *m)
{
    for (uint32_t id = 0; id < m->table->rows.count; id++) {
        uint64_t shape = maybe_right_shape(m->table, id);
        uint32_t i = 0;

        m->loose += shape != 0;
        if (m->shapes_count > EXEC_MAYBE_SHAPES)
            continue;
        while (i < m->shapes_count && m->shapes[i] != shape)
            i++;
        if (i < m->shapes_count)
            continue;
        if (m->shapes_count < EXEC_MAYBE_SHAPES)
            m->shapes[m->shapes_count] = shape;
        m->shapes_count++;
    }
    m->looked = true;
}

/* ---- comparing ---- */

static struct vec maybe_value(const struct exec_join_table *t,
                              const struct maybe_key *key,
                              uint32_t k,
                              uint32_t *ret_at)
{
    const struct colbuf *c;

    if (key->keys) {
        *ret_at = vec_at(&key->keys[k], key->row);
        return key->keys[k];
    }
    c = exec_rows_col(&t->rows, t->key_cols[k], key->row);
    *ret_at = key->row % VEC_ROWS_MAX;
    return (struct vec){.type = c->type, .form = VEC_FLAT, .count = c->count, .data = c->data};
}

static bool maybe_equal(const struct exec_join_table *t, const struct maybe_key *key, uint32_t id)
{
    for (uint32_t k = 0; k < t->node->join->keys_count; k++) {
        uint32_t at;
        struct vec v;

        if (!(key->counts >> k & 1))
            continue;
        v = maybe_value(t, key, k, &at);
        if (!exec_value_same(v.type,
                             v.data,
                             at,
                             exec_rows_col(&t->rows, t->key_cols[k], id)->data,
                             id % VEC_ROWS_MAX))
            return false;
    }
    return true;
}

static uint64_t maybe_hash(const struct exec_join_table *t, const struct maybe_key *key)
{
    uint64_t h = key->counts;

    for (uint32_t k = 0; k < t->node->join->keys_count; k++) {
        uint32_t at;
        struct vec v;

        if (!(key->counts >> k & 1))
            continue;
        v = maybe_value(t, key, k, &at);
        h = dn_mix64(h ^ exec_value_hash(&v, at)) + k;
    }
    return h;
}

/* The keys of a right row that count beside left rows of a shape. */
static struct maybe_key maybe_right_key(const struct exec_join_table *t, uint64_t left, uint32_t id)
{
    return (struct maybe_key){.counts = ~(left | maybe_right_shape(t, id)), .row = id};
}

static bool maybe_same(const void *arg, const void *key_arg, uint32_t id)
{
    const struct maybe_ctx *ctx = arg;
    const struct maybe_key *key = key_arg;
    uint64_t counts = ~(ctx->left | maybe_right_shape(ctx->table, id));

    return counts == key->counts && maybe_equal(ctx->table, key, id);
}

static uint64_t maybe_rehash(const void *arg, uint32_t id)
{
    const struct maybe_ctx *ctx = arg;
    const struct maybe_key key = maybe_right_key(ctx->table, ctx->left, id);

    return maybe_hash(ctx->table, &key);
}

/* ---- indexes ---- */

static int maybe_fill(struct exec_join_maybe *m, struct exec_maybe_index *x, struct dn_err *err)
{
    const struct maybe_ctx ctx = {.table = m->table, .left = x->left};

    for (uint32_t id = 0; id < m->table->rows.count; id++) {
        const struct maybe_key key = maybe_right_key(m->table, x->left, id);
        uint64_t hash;

        if (id % VEC_ROWS_MAX == 0) {
            int rc = exec_check_cancel(m->op->ctx, err);

            if (rc < 0)
                return rc;
        }
        if (x->left == 0 && maybe_right_shape(m->table, id) == 0)
            continue; /* it would be a match */
        hash = maybe_hash(m->table, &key);
        if (hidx_find(&x->rows, hash, maybe_same, &ctx, &key) == UINT32_MAX &&
            !hidx_add(&x->rows, hash, id, maybe_rehash, &ctx))
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

/* NULL: there is none, and no room for it. */
static int maybe_index(struct exec_join_maybe *m,
                       uint64_t left,
                       struct exec_maybe_index **ret,
                       struct dn_err *err)
{
    size_t bytes = (size_t)(left ? m->table->rows.count : m->loose) * MAYBE_ROW_BYTES;

    *ret = NULL;
    for (uint32_t i = 0; i < m->indexes_count; i++) {
        if (m->indexes[i].left == left) {
            *ret = &m->indexes[i];
            return 0;
        }
    }
    if (m->indexes_count == EXEC_MAYBE_SHAPES ||
        (bytes > m->op->share / MAYBE_SMALL &&
         exec_over(m->op, mem_owner_used(&m->op->mem) / 2 + bytes / 2, 1)))
        return 0;
    if (!m->indexes)
        m->indexes = mem_calloc(m->table->rows.owner, EXEC_MAYBE_SHAPES, sizeof *m->indexes);
    if (!m->indexes)
        return DN_FAIL_NOMEM(err);
    *ret = &m->indexes[m->indexes_count++];
    (*ret)->left = left;
    hidx_init(&(*ret)->rows, m->table->rows.owner);
    return maybe_fill(m, *ret, err);
}

/* Without an index. */
static int maybe_search(const struct exec_join_maybe *m,
                        const struct vec *keys,
                        uint32_t row,
                        uint64_t left,
                        bool *ret,
                        struct dn_err *err)
{
    struct maybe_key key = {.keys = keys, .row = row};

    for (uint32_t id = 0; id < m->table->rows.count && !*ret; id++) {
        uint64_t right = maybe_right_shape(m->table, id);

        if (left == 0 && right == 0)
            continue;
        key.counts = ~(left | right);
        *ret = maybe_equal(m->table, &key, id);
    }
    return *ret ? 0 : exec_check_cancel(m->op->ctx, err);
}

/* Is there a right row that differs from the left one in no key? */
static int maybe_row(
    struct exec_join_maybe *m, const struct vec *keys, uint32_t row, bool *ret, struct dn_err *err)
{
    uint64_t left = maybe_left_shape(keys, m->table->node->join->keys_count, row);
    const struct maybe_ctx ctx = {.table = m->table, .left = left};
    struct exec_maybe_index *x;
    int rc;

    *ret = false;
    if ((left == 0 && !m->table->null_seen) || m->table->rows.count == 0)
        return 0;
    if (!m->looked)
        maybe_look(m);
    if (left == 0 && m->loose == 0)
        return 0;
    if (m->shapes_count > EXEC_MAYBE_SHAPES)
        return maybe_search(m, keys, row, left, ret, err);
    rc = maybe_index(m, left, &x, err);
    if (rc < 0)
        return rc;
    if (!x)
        return maybe_search(m, keys, row, left, ret, err);
    for (uint32_t i = 0; i < m->shapes_count && !*ret; i++) {
        struct maybe_key key = {.counts = ~(left | m->shapes[i]), .keys = keys, .row = row};

        *ret =
            hidx_find(&x->rows, maybe_hash(m->table, &key), maybe_same, &ctx, &key) != UINT32_MAX;
    }
    return 0;
}

/* ---- asking ---- */

int exec_join_ask(struct exec_join_maybe *m,
                  struct exec_joiner *j,
                  const struct exec_join_found *found,
                  struct dn_err *err)
{
    const struct exec_join_table *t = m->table;
    const struct plan_join *join = t->node->join;
    bool nulls = join->kind == PLAN_JOIN_MARK && join->keys_count && !join->never_null &&
                 !join->keys[0].nulls_equal;

    for (uint32_t i = 0; i < j->left.sel_count; i++) {
        uint32_t row = j->left.sel ? j->left.sel[i] : i;
        bool hit =
            join->keys_count ? found->ids[found->one ? 0 : i] != EXEC_NO_ROW : t->rows_seen > 0;
        bool maybe = false;
        int rc = 0;

        if (!hit && nulls && exec_join_maybes(join))
            rc = maybe_row(m, found->keys, row, &maybe, err);
        else if (!hit && nulls)
            maybe = t->null_seen || (t->rows_seen && exec_join_null(join, found->keys, row));
        if (rc < 0)
            return rc;
        j->hits[row] |= hit ? JOIN_HIT : maybe ? JOIN_UNKNOWN : 0;
    }
    return 0;
}
