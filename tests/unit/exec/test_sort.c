/* SPDX-License-Identifier: Apache-2.0
 *
 * Sort: directions, NULLs, strings, stability, many rows, top-N; random rows against the C
 * library's sort with the row number as last key: test_sort SEED runs one round alone. */
#include "exec/exec.h"

#include "../func/build.h"
#include "exec/sort_rows.h"
#include "fake_scan.h"
#include "func/text.h"
#include "rounds.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    build_init(&arena);
    fake_init(&arena);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    rounds_tell();
    arena_done(&arena);
    return 0;
}

static struct plan_node *
sort(struct plan_node *input, const struct plan_sort_key *keys, uint32_t count)
{
    struct plan_node *n = fake_node(PLAN_SORT, input);

    n->keys = arena_dup(&arena, keys, count * sizeof *keys);
    n->keys_count = count;
    return n;
}

static const enum type_id two_types[] = {TYPE_VARCHAR, TYPE_BIGINT};

/* (b,1) (a,2) (NULL,3) (ab,NULL) (a,5) (,6) */
static struct plan_node *six_rows(void)
{
    struct datum words[6] = {build_str("b"),
                             build_str("a"),
                             build_null(TYPE_VARCHAR),
                             build_str("ab"),
                             build_str("a"),
                             build_str("")};
    struct datum ints[6];
    struct vec *cols = arena_calloc(&arena, 2, sizeof *cols);
    struct batch *b = arena_calloc(&arena, 1, sizeof *b);

    for (uint32_t i = 0; i < 6; i++)
        ints[i] = i == 3 ? build_null(TYPE_BIGINT) : build_int(TYPE_BIGINT, i + 1);
    cols[0] = build_dict(TYPE_VARCHAR, words, 6);
    cols[1] = build_vec(TYPE_BIGINT, ints, 6);
    *b = (struct batch){.count = 6, .cols_count = 2, .cols = cols, .sel_count = 6};
    fake_table.batches = b;
    fake_table.batches_count = 1;
    return fake_scan(two_types, 2);
}

static void test_orders(void **state)
{
    struct plan_node *scan = six_rows();
    struct plan_sort_key word = {.col = 0};
    struct plan_sort_key number = {.col = 1, .desc = true, .nulls_first = true};
    struct plan_sort_key both[2] = {{.col = 0, .desc = true, .nulls_first = true},
                                    {.col = 1, .desc = true}};

    (void)state;
    fake_check(sort(scan, &word, 1), ",6;a,2;a,5;ab,NULL;b,1;NULL,3;");
    word.nulls_first = true;
    fake_check(sort(scan, &word, 1), "NULL,3;,6;a,2;a,5;ab,NULL;b,1;");
    fake_check(sort(scan, &number, 1), "ab,NULL;,6;a,5;NULL,3;a,2;b,1;");
    number.nulls_first = false;
    fake_check(sort(scan, &number, 1), ",6;a,5;NULL,3;a,2;b,1;ab,NULL;");
    fake_check(sort(scan, both, 2), "NULL,3;b,1;ab,NULL;a,5;a,2;,6;");
    fake_check(sort(scan, NULL, 0), "b,1;a,2;NULL,3;ab,NULL;a,5;,6;");
    fake_table.batches_count = 0;
    fake_check(sort(scan, both, 2), "");
}

static void set_limit(struct plan_node *n, int64_t limit, int64_t offset)
{
    n->limit = build_const(build_int(TYPE_BIGINT, limit));
    n->offset = build_const(build_int(TYPE_BIGINT, offset));
}

static void test_top(void **state)
{
    struct plan_sort_key word = {.col = 0};
    struct plan_node *n = sort(six_rows(), &word, 1);
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    (void)state;
    set_limit(n, 2, 1);
    fake_check(n, ",6;a,2;a,5;"); /* the Limit above skips the first */
    set_limit(n, 100, 0);
    fake_check(n, ",6;a,2;a,5;ab,NULL;b,1;NULL,3;");
    set_limit(n, INT64_MAX, INT64_MAX);
    fake_check(n, ",6;a,2;a,5;ab,NULL;b,1;NULL,3;");
    fake_table.asked = 0;
    set_limit(n, 0, 0);
    fake_check(n, "");
    assert_int_equal(fake_table.asked, 0);
    set_limit(n, -1, 0);
    buf_init(&b, NULL);
    assert_int_equal(fake_run(n, &ctx, &b, &err), DN_E_INVALID_PARAM);
    buf_done(&b);
}

static void test_memory_limit(void **state)
{
    struct plan_sort_key word = {.col = 0};
    struct plan_node *n = sort(six_rows(), &word, 1);
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner};
    struct dn_err err;
    struct buf b;

    (void)state;
    mem_owner_init(&owner, "statement", NULL, 18000);
    buf_init(&b, NULL);
    dn_err_clear(&err);
    assert_int_equal(fake_run(n, &ctx, &b, &err), DN_E_NOMEM);
    assert_string_equal(err.text, "Sort: out of memory at the limit of 18000 bytes");
    assert_int_equal(mem_owner_used(&owner), 0);
    buf_done(&b);
}

static void test_explain(void **state)
{
    struct plan_sort_key keys[3] = {
        {.col = 0}, {.col = 1, .desc = true, .nulls_first = true}, {.col = 1, .desc = true}};
    struct plan plan = {.root = sort(six_rows(), keys, 3)};
    struct exec_ctx ctx = {.owner = NULL};
    struct dn_err err;
    struct buf b;

    (void)state;
    buf_init(&b, NULL);
    assert_int_equal(exec_explain(&plan, NULL, &ctx, &b, &err), 0);
    assert_int_equal(memcmp(b.data, "Sort by c0, c1 DESC, c1 DESC NULLS LAST\n", 40), 0);
    set_limit(plan.root, 3, 0);
    buf_reset(&b);
    assert_int_equal(exec_explain(&plan, NULL, &ctx, &b, &err), 0);
    assert_int_equal(memcmp(b.data, "Sort, first rows only, by c0,", 29), 0);
    buf_done(&b);
}

static int always_canceled(const void *arg, struct dn_err *err)
{
    (void)arg;
    return DN_FAIL(err, DN_E_CANCELED, "canceled");
}

/* A long sort asks now and then whether it should go on. */
static void test_cancel_inside(void **state)
{
    enum { ROWS = 1024, BATCHES = 300 };
    struct exec_sort_rows rows;
    struct vec col = {.type = TYPE_SMALLINT, .form = VEC_CONST, .count = ROWS, .data = "\0\0"};
    struct batch in = {.count = ROWS, .cols_count = 1, .cols = &col, .sel_count = ROWS};
    size_t *key_at = arena_calloc(&arena, ROWS + 1, sizeof *key_at);
    uint8_t *keys = arena_calloc(&arena, ROWS, 2);
    enum type_id type = TYPE_SMALLINT;
    struct dn_err err;

    (void)state;
    for (size_t i = 0; i <= ROWS; i++)
        key_at[i] = i * 2;
    for (size_t i = 0; i < ROWS; i++)
        keys[i * 2] = (uint8_t)(i * 7);
    assert_int_equal(exec_sort_init(&rows, &type, 1, NULL, &err), 0);
    for (int i = 0; i < BATCHES; i++)
        assert_int_equal(exec_sort_add(&rows, &in, keys, key_at, &err), 0);
    assert_int_equal(exec_sort_order(&rows, always_canceled, NULL, &err), DN_E_CANCELED);
    assert_int_equal(exec_sort_order(&rows, NULL, NULL, &err), 0);
    for (uint32_t i = 1; i < rows.count; i++) {
        assert_true(rows.items[i - 1].prefix <= rows.items[i].prefix);
        if (rows.items[i - 1].prefix == rows.items[i].prefix)
            assert_true(rows.items[i - 1].row < rows.items[i].row);
    }
    exec_sort_done(&rows);
}

/* ---- random ---- */

static uint64_t seed;

static uint64_t next_random(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed * 0x2545f4914f6cdd1du >> 20) % below;
}

#define COLS 7u

static const enum type_id random_types[COLS] = {
    TYPE_VARCHAR, TYPE_SMALLINT, TYPE_DOUBLE, TYPE_BOOLEAN, TYPE_BIGINT, TYPE_INTEGER, TYPE_REAL};

static struct datum random_datum(enum type_id type)
{
    static const char *const words[] = {
        "", "a", "b", "ab", "a long text, a little different", "a long text, a little more"};
    struct datum d = {.type = type, .null = next_random(9) == 0, .str = {"", 0}};

    if (d.null)
        return d;
    if (type == TYPE_VARCHAR)
        d = build_str(words[next_random(6)]);
    else if (type == TYPE_DOUBLE || type == TYPE_REAL)
        d.v.f64 = next_random(10) == 0 ? (double)NAN : 0.5 * (double)next_random(5) - 1;
    else if (type == TYPE_BOOLEAN)
        d.v.i64 = (int64_t)next_random(2);
    else
        d.v.i64 = (int64_t)next_random(50) - 25;
    return d;
}

struct naive_row {
    struct datum cols[COLS];
    uint32_t at; /* where it came */
};

static const struct plan_node *naive_node;

static int naive_cmp(const void *va, const void *vb)
{
    const struct naive_row *a = va;
    const struct naive_row *b = vb;

    for (uint32_t k = 0; k < naive_node->keys_count; k++) {
        const struct plan_sort_key *key = &naive_node->keys[k];
        const struct datum *x = &a->cols[key->col];
        const struct datum *y = &b->cols[key->col];
        int c;

        if (x->null || y->null) {
            if (x->null != y->null)
                return x->null == key->nulls_first ? -1 : 1;
            continue;
        }
        c = datum_cmp(x, y);
        if (c)
            return (c < 0) != key->desc ? -1 : 1;
    }
    return a->at < b->at ? -1 : 1;
}

static void naive_print(const struct naive_row *row, struct buf *b)
{
    for (uint32_t c = 0; c < COLS; c++) {
        buf_puts(b, c ? "," : "");
        if (row->cols[c].null)
            buf_puts(b, "NULL");
        text_print(&row->cols[c], b);
    }
    buf_puts(b, ";");
}

/* Runs the sort with shortcuts, above something that cannot be told a bound. */
static void check_fast(struct plan_node *n, const char *want)
{
    struct settings settings = {.fast_paths = true};
    struct mem_owner owner;
    struct exec_ctx ctx = {.owner = &owner, .env.settings = &settings};
    struct buf have;
    struct dn_err err;

    mem_owner_init(&owner, "test", NULL, 0);
    buf_init(&have, NULL);
    n->input = fake_node(PLAN_LIMIT, n->input);
    n->input->cols = n->input->input->cols;
    n->input->cols_count = n->input->input->cols_count;
    assert_int_equal(fake_run(n, &ctx, &have, &err), 0);
    buf_u8(&have, 0);
    assert_string_equal((const char *)have.data, want);
    buf_done(&have);
}

static void random_round(void)
{
    uint32_t batches = 1 + (uint32_t)next_random(next_random(4) ? 3 : 12);
    struct batch *b = arena_calloc(&arena, batches, sizeof *b);
    struct naive_row *rows = arena_calloc(&arena, (size_t)batches * VEC_ROWS_MAX, sizeof *rows);
    struct plan_sort_key keys[3];
    uint32_t keys_count = 1 + (uint32_t)next_random(3);
    struct plan_node *n;
    uint32_t total = 0;
    struct buf want;

    for (uint32_t k = 0; k < keys_count; k++)
        keys[k] = (struct plan_sort_key){.col = (uint32_t)next_random(COLS),
                                         .desc = next_random(2),
                                         .nulls_first = next_random(2)};
    for (uint32_t k = 0; k < batches; k++) {
        uint32_t count = 1 + (uint32_t)next_random(next_random(3) ? 40 : VEC_ROWS_MAX);
        struct vec *cols = arena_calloc(&arena, COLS, sizeof *cols);
        uint16_t *sel = arena_calloc(&arena, count, sizeof *sel);
        uint32_t picked = 0;
        struct datum values[VEC_ROWS_MAX];

        for (uint32_t c = 0; c < COLS; c++) {
            for (uint32_t i = 0; i < count; i++)
                values[i] = random_datum(random_types[c]);
            cols[c] = next_random(2) ? build_vec(random_types[c], values, count)
                                     : build_dict(random_types[c], values, count);
        }
        for (uint16_t i = 0; i < count; i++)
            if (next_random(4))
                sel[picked++] = i;
        b[k] = (struct batch){.count = count, .cols_count = COLS, .cols = cols, .sel_count = count};
        if (picked && next_random(2)) {
            b[k].sel = sel;
            b[k].sel_count = picked;
        }
        for (uint32_t i = 0; i < b[k].sel_count; i++, total++) {
            rows[total].at = total;
            for (uint32_t c = 0; c < COLS; c++)
                rows[total].cols[c] = vec_datum(&cols[c], b[k].sel ? sel[i] : i);
        }
    }
    fake_table.batches = b;
    fake_table.batches_count = batches;
    n = sort(fake_scan(random_types, COLS), keys, keys_count);
    if (next_random(2))
        set_limit(n, (int64_t)next_random(next_random(2) ? 10 : 3000), (int64_t)next_random(5));
    naive_node = n;
    qsort(rows, total, sizeof *rows, naive_cmp);
    if (n->limit && (uint64_t)n->limit->value.v.i64 + (uint64_t)n->offset->value.v.i64 < total)
        total = (uint32_t)(n->limit->value.v.i64 + n->offset->value.v.i64);
    buf_init(&want, NULL);
    for (uint32_t i = 0; i < total; i++)
        naive_print(&rows[i], &want);
    buf_u8(&want, 0);
    fake_check(n, (const char *)want.data);
    check_fast(n, (const char *)want.data);
    buf_done(&want);
}

static void test_random(void **state)
{
    (void)state;
    while (rounds_next(&seed)) {
        random_round();
        arena_reset(&arena);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_orders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_top, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_explain, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_random, setup, teardown),
    };

    rounds_arg(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
