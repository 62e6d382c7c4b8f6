/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_order.c: see agg_order.h. */
#include "exec/agg_order.h"

#include "base/sort.h"

#include "vec/normkey.h"

#include <stdlib.h>
#include <string.h>

#define ORDER_ARGS_MAX 2u /* of an aggregate */

struct exec_order_row {
    struct exec_order_row *next;
    uint32_t key_len;
    uint32_t len; /* of all bytes */
    uint64_t number;
    uint8_t bytes[]; /* the key, then the arguments */
};

static int order_append(struct exec_order_state *s,
                        const uint8_t *bytes,
                        size_t len,
                        uint32_t key_len,
                        struct arena *arena,
                        struct dn_err *err)
{
    struct exec_order_row *row;

    if (len > UINT32_MAX)
        return DN_FAIL(err, DN_E_TOO_LONG, "a row of an aggregate with ORDER BY is too long");
    row = arena_alloc(arena, sizeof *row + len);
    if (!row)
        return DN_FAIL_NOMEM(err);
    *row = (struct exec_order_row){.key_len = key_len, .len = (uint32_t)len, .number = s->count++};
    memcpy(row->bytes, bytes, len);
    if (s->last)
        s->last->next = row;
    else
        s->first = row;
    s->last = row;
    return 0;
}

/* ---- adding rows ---- */

static void
order_put_key(struct buf *b, const struct plan_agg_order *o, const struct vec *v, uint32_t row)
{
    bool null = vec_is_null(v, row);

    buf_u8(b, !null ? 1 : o->nulls_first ? 0 : 2);
    if (!null)
        normkey_append_vec(b, v, row, o->desc);
}

static void order_put_value(struct buf *b, const struct vec *v, uint32_t row)
{
    struct datum d;

    buf_u8(b, vec_is_null(v, row));
    if (vec_is_null(v, row))
        return;
    d = vec_datum(v, row);
    if (type_phys(d.type) == PHYS_STR)
        buf_bytes(b, d.str.ptr, d.str.len);
    else if (d.type == TYPE_INTERVAL)
        buf_append(b, &d.iv, sizeof d.iv);
    else if (d.type == TYPE_NUMERIC)
        buf_append(b, &d.num, sizeof d.num);
    else
        buf_append(b, &d.v, sizeof d.v);
}

/* What rows sort by, as vectors in the batch arena. */
static int order_keys(struct exec_agg *a,
                      const struct plan_agg *pa,
                      const struct vec *v,
                      const struct batch *in,
                      struct vec **ret,
                      struct dn_err *err)
{
    struct vec *keys = arena_calloc(&a->batch, pa->order_count, sizeof *keys);
    int rc = 0;

    if (!keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t k = 0; k < pa->order_count && rc == 0; k++) {
        if (pa->order[k].arg)
            keys[k] = v[pa->order[k].arg - 1];
        else
            rc = expr_eval(pa->order[k].e, &a->ev, in, &keys[k], err);
    }
    *ret = keys;
    return rc;
}

int exec_order_add(struct exec_agg *a,
                   uint32_t agg,
                   const struct vec *v,
                   const struct batch *in,
                   const uint16_t *sel,
                   uint32_t rows,
                   struct dn_err *err)
{
    const struct plan_agg *pa = &a->node->aggs[agg];
    uint32_t args = !pa->arg ? 0 : pa->arg2 ? 2 : 1;
    struct vec *keys;
    struct buf b;
    int rc = order_keys(a, pa, v, in, &keys, err);

    buf_init(&b, a->owner);
    for (uint32_t i = 0; i < rows && rc == 0; i++) {
        uint32_t row = sel ? sel[i] : i;
        size_t key_len;

        buf_reset(&b);
        for (uint32_t k = 0; k < pa->order_count; k++)
            order_put_key(&b, &pa->order[k], &keys[k], row);
        key_len = b.len;
        for (uint32_t k = 0; k < args; k++)
            order_put_value(&b, &v[k], row);
        rc = b.failed
                 ? DN_FAIL_NOMEM(err)
                 : order_append(a->states[i], b.data, b.len, (uint32_t)key_len, &a->strings, err);
    }
    buf_done(&b);
    return rc;
}

int exec_order_merge(struct exec_order_state *into,
                     const struct exec_order_state *from,
                     struct arena *arena,
                     struct dn_err *err)
{
    int rc = 0;

    for (const struct exec_order_row *r = from->first; r && rc == 0; r = r->next)
        rc = order_append(into, r->bytes, r->len, r->key_len, arena, err);
    return rc;
}

/* ---- as bytes ---- */

void exec_order_save(const struct exec_order_state *s, struct buf *b)
{
    buf_varint(b, s->count);
    for (const struct exec_order_row *r = s->first; r; r = r->next) {
        buf_varint(b, r->key_len);
        buf_bytes(b, r->bytes, r->len);
    }
}

int exec_order_load(
    struct exec_order_state *s, const uint8_t *p, size_t n, struct arena *arena, struct dn_err *err)
{
    struct rd r = rd_make(p, n);
    uint64_t count = rd_varint(&r);
    int rc = 0;

    for (uint64_t i = 0; i < count && rc == 0; i++) {
        uint64_t key_len = rd_varint(&r);
        size_t len;
        const uint8_t *bytes = rd_blob(&r, &len);

        if (r.bad || key_len > len)
            break;
        rc = order_append(s, bytes, len, (uint32_t)key_len, arena, err);
    }
    if (rc == 0 && (r.bad || rd_left(&r) || s->count != count))
        rc = DN_FAIL(err, DN_E_CORRUPT, "%zu bytes are no rows of an aggregate with ORDER BY", n);
    return rc;
}

/* ---- the result ---- */

static int order_cmp(const void *a, const void *b)
{
    const struct exec_order_row *x = *(const struct exec_order_row *const *)a;
    const struct exec_order_row *y = *(const struct exec_order_row *const *)b;
    uint32_t len = x->key_len < y->key_len ? x->key_len : y->key_len;
    int c = memcmp(x->bytes, y->bytes, len);

    if (c == 0 && x->key_len != y->key_len)
        c = x->key_len < y->key_len ? -1 : 1;
    return c ? c : (x->number > y->number) - (x->number < y->number);
}

/* Strings stay in the row. */
static void order_get_value(struct rd *r, enum type_id type, struct datum *ret)
{
    const uint8_t *p;
    size_t len;

    *ret = (struct datum){.type = type, .null = rd_u8(r) != 0, .str = {.ptr = "", .len = 0}};
    if (ret->null)
        return;
    if (type_phys(type) == PHYS_STR) {
        p = rd_blob(r, &len);
        if (!r->bad)
            ret->str = (struct vstr){.ptr = (const char *)p, .len = (uint32_t)len};
    } else if (type == TYPE_INTERVAL) {
        p = rd_bytes(r, sizeof ret->iv);
        if (p)
            memcpy(&ret->iv, p, sizeof ret->iv);
    } else if (type == TYPE_NUMERIC) {
        p = rd_bytes(r, sizeof ret->num);
        if (p)
            memcpy(&ret->num, p, sizeof ret->num);
    } else {
        p = rd_bytes(r, sizeof ret->v);
        if (p)
            memcpy(&ret->v, p, sizeof ret->v);
    }
}

/* Columns of rows that are fed to the aggregate. */
struct order_feed {
    enum type_id types[ORDER_ARGS_MAX];
    void *data[ORDER_ARGS_MAX];
    uint64_t *nulls[ORDER_ARGS_MAX];
    uint32_t args;
};

static int order_feed_init(struct order_feed *f,
                           const struct plan_agg *pa,
                           struct arena *arena,
                           struct dn_err *err)
{
    *f = (struct order_feed){.args = !pa->arg ? 0 : pa->arg2 ? 2 : 1};
    for (uint32_t k = 0; k < f->args; k++) {
        f->types[k] = k ? pa->arg2->type : pa->arg->type;
        f->data[k] = arena_calloc(arena, VEC_ROWS_MAX, phys_size(type_phys(f->types[k])));
        f->nulls[k] = arena_alloc_array(arena, VEC_BITMAP_WORDS(VEC_ROWS_MAX), sizeof(uint64_t));
        if (!f->data[k] || !f->nulls[k])
            return DN_FAIL_NOMEM(err);
    }
    return 0;
}

static int order_feed_rows(struct order_feed *f,
                           const struct agg *agg,
                           void *state,
                           struct exec_order_row *const *rows,
                           uint32_t count,
                           struct arena *strings,
                           struct dn_err *err)
{
    struct vec v[ORDER_ARGS_MAX];

    for (uint32_t k = 0; k < f->args; k++) {
        memset(f->nulls[k], 0, VEC_BITMAP_WORDS(VEC_ROWS_MAX) * sizeof(uint64_t));
        v[k] = (struct vec){.type = f->types[k],
                            .form = VEC_FLAT,
                            .count = count,
                            .data = f->data[k],
                            .nulls = f->nulls[k]};
    }
    for (uint32_t i = 0; i < count; i++) {
        struct rd r = rd_make(rows[i]->bytes + rows[i]->key_len, rows[i]->len - rows[i]->key_len);

        for (uint32_t k = 0; k < f->args; k++) {
            struct datum d;

            order_get_value(&r, f->types[k], &d);
            datum_store(&d, f->data[k], i);
            if (d.null)
                vec_bit_set(f->nulls[k], i);
        }
        if (r.bad || rd_left(&r))
            return DN_FAIL(err, DN_E_CORRUPT, "a row of an aggregate with ORDER BY is damaged");
    }
    return agg->update_all(state, f->args ? v : NULL, NULL, count, strings, err);
}

int exec_order_emit(struct exec_agg *a,
                    uint32_t agg,
                    const struct exec_order_state *s,
                    struct datum *ret,
                    struct dn_err *err)
{
    const struct plan_agg *pa = &a->node->aggs[agg];
    struct exec_order_row **rows = arena_alloc_array(&a->batch, s->count, sizeof(void *));
    void *scratch = arena_alloc_array(&a->batch, s->count, sizeof(void *));
    void *state = arena_calloc(&a->batch, 1, pa->agg->state_size);
    struct order_feed f;
    uint64_t n = 0;
    int rc;

    if (!rows || !scratch || !state)
        return DN_FAIL_NOMEM(err);
    rc = order_feed_init(&f, pa, &a->batch, err);
    for (struct exec_order_row *r = s->first; r; r = r->next)
        rows[n++] = r;
    if (rc == 0)
        rc = dn_sort(rows, scratch, n, sizeof(void *), order_cmp, a->strings.cancel, err);
    for (uint64_t at = 0; at < n && rc == 0; at += VEC_ROWS_MAX) {
        uint32_t count = n - at < VEC_ROWS_MAX ? (uint32_t)(n - at) : VEC_ROWS_MAX;

        rc = dn_cancel_check(a->strings.cancel, err);
        if (rc == 0)
            rc = order_feed_rows(&f, pa->agg, state, rows + at, count, &a->strings, err);
    }
    return rc < 0 ? rc : pa->agg->emit(state, ret, err);
}
