/* SPDX-License-Identifier: Apache-2.0
 *
 * Stored rows: ids of columns, and keys whose bytes sort as the rows do. */
#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct table_shape shape = {
    .cols = 4,
    .types = {TYPE_VARCHAR, TYPE_TIMESTAMP, TYPE_DOUBLE, TYPE_INTEGER},
    .form = KEY_CQL,
    .series_count = 1,
    .series = {0},
    .rest_count = 2,
    .rest = {{.col = 3}, {.col = 1, .desc = true}},
    .time_col = 1,
    .slab_width = 100};

static void test_store_columns(void **state)
{
    struct table *t = model_table(&shape);

    (void)state;
    t->columns[2].id = 17;
    assert_int_equal(store_cols_count(t), 8);
    assert_int_equal(store_col_type(t, 2), TYPE_DOUBLE);
    assert_int_equal(store_col_type(t, 4 + HIDDEN_SEQ), TYPE_BIGINT);
    assert_int_equal(store_col_type(t, 4 + HIDDEN_OP), TYPE_SMALLINT);
    assert_int_equal(store_col_type(t, 4 + HIDDEN_EXPIRY), TYPE_BIGINT);
    assert_int_equal(store_col_type(t, 4 + HIDDEN_ROWID), TYPE_BIGINT);
    assert_int_equal(store_col_id(t, 2), 17);
    assert_int_equal(store_col_id(t, 4 + HIDDEN_ROWID), 0x80000003u);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(store_col_by_id(t, store_col_id(t, i)), i);
    assert_int_equal(store_col_by_id(t, 3), UINT32_MAX);
    assert_int_equal(store_col_by_id(t, 0), UINT32_MAX);
    assert_int_equal(store_col_by_id(t, HIDDEN_ID_BASE + HIDDEN_MAX), UINT32_MAX);
    table_unref(t);
}

/* One row by hand: slab 200 backwards, token of 'ab' (known from Cassandra), the text, the rest. */
static void test_bytes_of_a_key(void **state)
{
    static const uint8_t slab[8] = {
        0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x37}; /* ~(200 with its sign flipped) */
    struct table *t = model_table(&shape);
    struct vstr text = {"ab", 2};
    int64_t time = 250;
    int32_t number = -1;
    double d = 0;
    struct vec cols[8] = {{.type = TYPE_VARCHAR, .count = 1, .data = &text},
                          {.type = TYPE_TIMESTAMP, .count = 1, .data = &time},
                          {.type = TYPE_DOUBLE, .count = 1, .data = &d},
                          {.type = TYPE_INTEGER, .count = 1, .data = &number}};
    struct datum series = {.type = TYPE_VARCHAR, .str = text};
    struct buf scratch;
    struct buf prefix;
    struct buf key;
    int64_t token;

    (void)state;
    buf_init(&scratch, NULL);
    buf_init(&prefix, NULL);
    buf_init(&key, NULL);
    rows_key(t, cols, 0, &key);
    assert_int_equal(key.len, 8 + 8 + 4 + 8 + 8);
    assert_memory_equal(key.data, slab, 8);
    token = table_series_token(t, &series, &scratch);
    assert_true((int64_t)(be_get64(key.data + 8) ^ (uint64_t)1 << 63) == token);
    assert_memory_equal(key.data + 16, "ab\0\0", 4);
    assert_true(be_get64(key.data + 20) == (((uint64_t)-1) ^ (uint64_t)1 << 63));
    assert_true(be_get64(key.data + 28) == ~(250 ^ (uint64_t)1 << 63));
    assert_true(rows_key_prefix(t, cols, 0, &scratch, &prefix) == token);
    assert_int_equal(prefix.len, 20);
    rows_key_rest(t, cols, 0, &prefix);
    assert_int_equal(prefix.len, key.len);
    assert_memory_equal(prefix.data, key.data, key.len);
    assert_true(rows_slab(t, cols, 0) == 200);
    time = -1;
    assert_true(rows_slab(t, cols, 0) == -100);
    buf_done(&scratch);
    buf_done(&prefix);
    buf_done(&key);
    table_unref(t);
}

static int cmp_part(const struct colbuf *c, uint32_t a, uint32_t b, bool desc)
{
    struct datum x = colbuf_datum(c, a);
    struct datum y = colbuf_datum(c, b);
    int order = datum_cmp(&x, &y);

    return desc ? -order : order;
}

/* (slab, token, series, rest), column by column. */
static int cmp_rows(const struct model *m, uint32_t a, uint32_t b)
{
    const struct table *t = m->t;
    int64_t slab[2];
    int64_t token[2];
    struct datum series[MODEL_COLS_MAX];
    struct buf scratch;
    int order = 0;

    buf_init(&scratch, NULL);
    for (int k = 0; k < 2; k++) {
        uint32_t row = k ? b : a;
        struct datum time = {.null = true};

        if (t->time_col >= 0)
            time = colbuf_datum(&m->cols[t->time_col], row);
        slab[k] = t->time_col < 0 ? 0 : table_slab(t, time.null ? 0 : time.v.i64);
        for (uint32_t i = 0; i < t->series_count; i++)
            series[i] = colbuf_datum(&m->cols[t->series[i]], row);
        token[k] = table_series_token(t, series, &scratch);
    }
    buf_done(&scratch);
    if (slab[0] != slab[1])
        return (slab[0] < slab[1]) != t->time_desc ? -1 : 1;
    if (token[0] != token[1])
        return token[0] < token[1] ? -1 : 1;
    for (uint32_t i = 0; i < t->series_count && order == 0; i++)
        order = cmp_part(&m->cols[t->series[i]], a, b, false);
    for (uint32_t i = 0; i < t->rest_count && order == 0; i++)
        order = cmp_part(&m->cols[t->rest[i].col], a, b, t->rest[i].desc);
    if (t->form == KEY_NONE && order == 0)
        order = cmp_part(&m->cols[t->columns_count + HIDDEN_ROWID], a, b, false);
    return order;
}

/* Rows sorted by the bytes of their keys are sorted, and differ. */
static void test_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 150; seed++) {
        struct model_style style = {
            .rows = 200, .series = 5, .domain = 1 + (uint32_t)(seed * 7 % 3000), .null_pct = 20};
        struct rng r = {.x = seed * 1000};
        struct table_shape random;
        struct model m;

        model_random_shape(&r, &random);
        model_init(&m, model_table(&random), &style, &r);
        for (uint32_t i = 1; i < m.rows; i++)
            assert_true(cmp_rows(&m, i - 1, i) < 0);
        model_done(&m);
    }
}

static void test_no_memory(void **state)
{
    struct model_style style = {.rows = 2, .series = 2, .domain = 100};
    struct rng r = {.x = 9};
    struct vec cols[8];
    struct arena a;
    struct model m;

    (void)state;
    model_init(&m, model_table(&shape), &style, &r);
    arena_init(&a, NULL);
    for (uint32_t c = 0; c < 8; c++)
        cols[c] = model_vec(&m, c, 0, m.rows, &a, &r);
    for (uint64_t n = 1;; n++) {
        struct buf b;
        bool hit;

        buf_init(&b, NULL);
        mem_fail_nth(n, false);
        rows_key(m.t, cols, 0, &b);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        assert_int_equal(b.failed, hit);
        buf_done(&b);
        if (!hit)
            break;
    }
    arena_done(&a);
    model_done(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_store_columns),
        cmocka_unit_test(test_bytes_of_a_key),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
