/* SPDX-License-Identifier: Apache-2.0
 *
 * memread.c: values of a memtable, one by one and gathered into vectors. */
#include "store/memtable_int.h"

#include <string.h>

struct datum memtable_datum(const struct memtable *m, uint32_t row, uint32_t store_col)
{
    const struct table *t = m->table;
    const struct mem_chunk *c = mem_chunk_of(m, row);
    uint32_t at = row - c->first_row;
    struct datum d = {.type = store_col_type(t, store_col)};
    struct vec v;

    if (store_col < t->columns_count) {
        v = (struct vec){
            .type = d.type, .form = VEC_FLAT, .count = c->cap, .data = c->data[store_col]};
        if (c->flags[store_col][at]) {
            d.null = true;
            return d;
        }
        return vec_datum(&v, at);
    }
    switch ((enum hidden_col)(store_col - t->columns_count)) {
    case HIDDEN_SEQ:
        d.v.i64 = (int64_t)c->seq[at];
        break;
    case HIDDEN_OP:
        d.v.i64 = c->op[at];
        break;
    case HIDDEN_EXPIRY:
        d.v.i64 = memtable_expiry(m, row);
        d.null = d.v.i64 == ROW_NEVER;
        break;
    case HIDDEN_ROWID:
        d.v.i64 = c->rowid ? (int64_t)c->rowid[at] : 0;
        break;
    case HIDDEN_MAX:
        break;
    }
    return d;
}

struct datum
memtable_rest(const struct memtable *m, uint32_t row, const struct table *now, uint16_t place)
{
    return place < m->table->rest_count ? memtable_datum(m, row, m->table->rest[place].col)
                                        : now->columns[now->rest[place].col].def;
}

struct datum
memtable_fold_value(const void *source, uint32_t row, uint32_t store_col, bool *ret_absent)
{
    const struct memtable *m = source;
    const struct mem_chunk *c = mem_chunk_of(m, row);

    *ret_absent = store_col < m->table->columns_count &&
                  (c->flags[store_col][row - c->first_row] & MEM_ABSENT);
    return memtable_datum(m, row, store_col);
}

void memtable_span(const struct memtable *m, uint32_t rows, int64_t *min, int64_t *max)
{
    if (m->table->time_col < 0)
        return;
    for (uint32_t row = 0; row < rows; row++) {
        int64_t time = mem_i64(m, row, (uint32_t)m->table->time_col);
        *min = time < *min ? time : *min;
        *max = time > *max ? time : *max;
    }
}

enum row_op memtable_op(const struct memtable *m, uint32_t row)
{
    const struct mem_chunk *c = mem_chunk_of(m, row);

    return (enum row_op)c->op[row - c->first_row];
}

bool memtable_same_key(const struct memtable *m, uint32_t a, uint32_t b)
{
    const struct table *t = m->table;

    if (t->form == KEY_NONE)
        return memtable_datum(m, a, t->columns_count + HIDDEN_ROWID).v.i64 ==
               memtable_datum(m, b, t->columns_count + HIDDEN_ROWID).v.i64;
    for (uint16_t i = 0; i < t->rest_count; i++) {
        struct datum da = memtable_datum(m, a, t->rest[i].col);
        struct datum db = memtable_datum(m, b, t->rest[i].col);
        if (datum_cmp(&da, &db) != 0)
            return false;
    }
    return true;
}

#define MEM_LINE 16u /* rows that are copied at once if they follow each other */

/* Do so many rows follow each other? Of rows that came by series, many do. */
static bool mem_in_line(const uint32_t *rows)
{
    uint32_t off = 0;

    for (uint32_t k = 0; k < MEM_LINE; k++)
        off |= rows[k] ^ (rows[0] + k);
    return off == 0;
}

static void mem_copy(uint8_t *to, const uint8_t *from, uint32_t size)
{
    if (size == 8)
        memcpy(to, from, 8);
    else if (size == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, size);
}

/* The n-byte values of rows that are in one chunk, up to a first that is not, which is returned;
 * *any: all their flags together. */
static uint32_t mem_gather_chunk(const struct mem_chunk *c,
                                 const uint32_t *rows,
                                 uint32_t count,
                                 uint32_t col,
                                 uint32_t size,
                                 uint8_t *to,
                                 uint8_t *any)
{
    const uint8_t *from = c->data[col];
    const uint8_t *flags = c->flags[col];
    uint8_t all = 0;
    uint32_t i = 0;

    while (i < count) {
        uint32_t at = rows[i] - c->first_row; /* of a row before it: beyond all of them */
        uint32_t end = count - i < MEM_LINE ? count : i + MEM_LINE;

        if (end - i == MEM_LINE && at < c->cap && c->cap - at >= MEM_LINE &&
            mem_in_line(rows + i)) {
            memcpy(to + (size_t)i * size, from + (size_t)at * size, (size_t)MEM_LINE * size);
            for (; i < end; i++)
                all |= flags[at++];
            continue;
        }
        for (; i < end; i++) {
            at = rows[i] - c->first_row;
            if (at >= c->cap) {
                *any |= all;
                return i;
            }
            mem_copy(to + (size_t)i * size, from + (size_t)at * size, size);
            all |= flags[at];
        }
    }
    *any |= all;
    return count;
}

/* The n-byte values of chosen rows, chunk by chunk; their flags together. */
static uint8_t mem_gather_fixed(const struct memtable *m,
                                const uint32_t *rows,
                                uint32_t count,
                                uint32_t col,
                                uint32_t size,
                                uint8_t *to)
{
    uint8_t any = 0;

    for (uint32_t i = 0; i < count;)
        i += mem_gather_chunk(
            mem_chunk_of(m, rows[i]), rows + i, count - i, col, size, to + (size_t)i * size, &any);
    return any;
}

/* The NULL and absent bits of rows of which some have one. */
static int mem_gather_flags(const struct memtable *m,
                            const struct mem_want *want,
                            uint32_t col,
                            uint8_t any,
                            struct arena *arena,
                            struct vec *ret,
                            struct dn_err *err)
{
    uint64_t *nulls = NULL;
    uint64_t *absent = NULL;

    if (any & MEM_NULL)
        nulls = arena_calloc(arena, VEC_BITMAP_WORDS(want->count), sizeof *nulls);
    if (any & MEM_ABSENT)
        absent = arena_calloc(arena, VEC_BITMAP_WORDS(want->count), sizeof *absent);
    if (((any & MEM_NULL) && !nulls) || ((any & MEM_ABSENT) && !absent))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; any && i < want->count; i++) {
        const struct mem_chunk *c = mem_chunk_of(m, want->rows[i]);
        uint8_t flag = c->flags[col][want->rows[i] - c->first_row];
        if (flag & MEM_NULL)
            vec_bit_set(nulls, i);
        if (flag & MEM_ABSENT)
            vec_bit_set(absent, i);
    }
    ret->nulls = nulls;
    ret->absent = absent;
    return DN_OK;
}

static int mem_gather_hidden(const struct memtable *m,
                             const uint32_t *rows,
                             uint32_t count,
                             enum hidden_col hidden,
                             struct arena *arena,
                             struct vec *ret,
                             struct dn_err *err)
{
    static const int64_t zero = 0;
    int64_t *wide = NULL;
    int16_t *ops = NULL;

    if (hidden == HIDDEN_EXPIRY)
        return memtable_gather_expiry(m, rows, count, arena, ret, err);
    if (hidden == HIDDEN_ROWID && m->table->form != KEY_NONE) {
        ret->form = VEC_CONST;
        ret->data = &zero;
        return DN_OK;
    }
    if (hidden == HIDDEN_OP)
        ops = arena_alloc_array(arena, count, sizeof *ops);
    else
        wide = arena_alloc_array(arena, count, sizeof *wide);
    if (!ops && !wide)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < count; i++) {
        const struct mem_chunk *c = mem_chunk_of(m, rows[i]);
        uint32_t at = rows[i] - c->first_row;
        if (ops)
            ops[i] = c->op[at];
        else
            wide[i] = (int64_t)(hidden == HIDDEN_SEQ ? c->seq[at] : c->rowid[at]);
    }
    ret->data = ops ? (void *)ops : (void *)wide;
    return DN_OK;
}

int memtable_gather(const struct memtable *m,
                    const struct mem_want *want,
                    struct arena *arena,
                    struct vec *ret,
                    struct dn_err *err)
{
    const struct table *t = m->table;
    const uint32_t *rows = want->rows;
    const uint32_t *cols = want->cols;
    uint32_t count = want->count;

    for (uint32_t k = 0; k < want->cols_count; k++) {
        struct vec *v = &ret[k];
        uint32_t size;
        uint8_t *data;
        uint8_t any;
        int rc;

        memset(v, 0, sizeof *v);
        v->type = store_col_type(t, cols[k]);
        v->form = VEC_FLAT;
        v->count = count;
        if (cols[k] >= t->columns_count) {
            rc = mem_gather_hidden(
                m, rows, count, (enum hidden_col)(cols[k] - t->columns_count), arena, v, err);
            if (rc < 0)
                return rc;
            continue;
        }
        size = phys_size(type_phys(v->type));
        data = arena_alloc_array(arena, count, size);
        if (!data)
            return DN_FAIL_NOMEM(err);
        any = mem_gather_fixed(m, rows, count, cols[k], size, data);
        v->data = data;
        rc = any ? mem_gather_flags(m, want, cols[k], any, arena, v, err) : DN_OK;
        if (rc < 0)
            return rc;
    }
    return DN_OK;
}
