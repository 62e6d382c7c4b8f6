/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.c: see the header. The slab and the token take 8 bytes each, big-endian with the sign bit
 * flipped; a descending slab has all its bits inverted. */
#include "store/rows.h"

#include "base/arena.h"

#include "vec/normkey.h"

#define ROWS_SIGN64     ((uint64_t)1 << 63)
#define ROWS_SERIES_FEW 16u /* series columns whose values fit the stack */

static const enum type_id rows_hidden_types[HIDDEN_MAX] = {
    [HIDDEN_SEQ] = TYPE_BIGINT,
    [HIDDEN_OP] = TYPE_SMALLINT,
    [HIDDEN_EXPIRY] = TYPE_BIGINT,
    [HIDDEN_ROWID] = TYPE_BIGINT,
};

enum type_id store_col_type(const struct table *t, uint32_t store_col)
{
    DN_ASSERT(store_col < store_cols_count(t));
    if (store_col < t->columns_count)
        return t->columns[store_col].type;
    return rows_hidden_types[store_col - t->columns_count];
}

uint32_t store_col_id(const struct table *t, uint32_t store_col)
{
    DN_ASSERT(store_col < store_cols_count(t));
    if (store_col < t->columns_count)
        return t->columns[store_col].id;
    return HIDDEN_ID_BASE + (store_col - t->columns_count);
}

uint32_t store_col_by_id(const struct table *t, uint32_t id)
{
    int col;

    if (id >= HIDDEN_ID_BASE)
        return id - HIDDEN_ID_BASE < HIDDEN_MAX ? t->columns_count + (id - HIDDEN_ID_BASE)
                                                : UINT32_MAX;
    col = table_column_by_id(t, id);
    return col < 0 ? UINT32_MAX : (uint32_t)col;
}

static void rows_put_i64(struct buf *b, int64_t v, bool desc)
{
    uint64_t bits = (uint64_t)v ^ ROWS_SIGN64;
    uint8_t *p = buf_extend(b, 8);

    if (p)
        be_put64(p, desc ? ~bits : bits);
}

int64_t rows_slab(const struct table *t, const struct vec *cols, uint32_t row)
{
    const struct vec *v;

    if (t->time_col < 0)
        return 0;
    v = &cols[t->time_col];
    return table_slab(t, vec_is_null(v, row) ? 0 : vec_i64(v, row));
}

int64_t rows_key_prefix(
    const struct table *t, const struct vec *cols, uint32_t row, struct buf *scratch, struct buf *b)
{
    struct datum few[ROWS_SERIES_FEW];
    struct datum *series = few;
    int64_t token = 0;

    rows_put_i64(b, rows_slab(t, cols, row), t->time_desc);
    if (t->series_count > ROWS_SERIES_FEW) {
        series = mem_alloc_array(NULL, t->series_count, sizeof *series);
        if (!series) {
            b->failed = true;
            return 0;
        }
    }
    for (uint32_t i = 0; i < t->series_count; i++)
        series[i] = vec_datum(&cols[t->series[i]], row);
    token = table_series_token(t, series, scratch);
    if (scratch->failed)
        b->failed = true;
    rows_put_i64(b, token, false);
    for (uint32_t i = 0; i < t->series_count; i++)
        normkey_append(b, &series[i], false);
    if (series != few)
        mem_free(series);
    return token;
}

void rows_key_rest(const struct table *t, const struct vec *cols, uint32_t row, struct buf *b)
{
    if (t->form == KEY_NONE) {
        rows_put_i64(b, vec_i64(&cols[t->columns_count + HIDDEN_ROWID], row), false);
        return;
    }
    for (uint32_t i = 0; i < t->rest_count; i++)
        normkey_append_vec(b, &cols[t->rest[i].col], row, t->rest[i].desc);
}

void rows_key(const struct table *t, const struct vec *cols, uint32_t row, struct buf *b)
{
    struct buf scratch;

    buf_init(&scratch, b->owner);
    rows_key_prefix(t, cols, row, &scratch, b);
    buf_done(&scratch);
    rows_key_rest(t, cols, row, b);
}

int rows_expiries(const struct vec *v, struct arena *arena, const int64_t **ret, struct dn_err *err)
{
    int64_t *expiries = NULL;

    for (uint32_t i = 0; i < v->count; i++) {
        if (vec_is_null(v, i))
            continue;
        expiries = expiries ? expiries : arena_calloc(arena, v->count, sizeof *expiries);
        if (!expiries)
            return DN_FAIL_NOMEM(err);
        expiries[i] = vec_i64(v, i);
    }
    *ret = expiries;
    return DN_OK;
}
