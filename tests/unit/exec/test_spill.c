/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows put aside and read back: all types, forms and parts, blocks that are damaged, disks that
 * fail or are full, memory that runs out. Then Sort and Aggregate with little memory against the
 * same with much. */
#include "exec/exec.h"
#include "exec/sort_runs.h"
#include "exec/spill.h"
#include "exec/spool.h"
#include "volume/sim.h"

#include "../func/build.h"
#include "fake_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BUDGET 1u /* bytes: operators take the least share there is */

static struct arena arena;
static struct sim_disk *disk;
static struct volume *volume;
static uint64_t rng;

static uint32_t below(uint32_t n)
{
    rng = rng * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(rng >> 33) % n;
}

static int setup(void **state)
{
    struct dn_err err;

    (void)state;
    rng = 7;
    arena_init(&arena, NULL);
    build_init(&arena);
    fake_init(&arena);
    disk = sim_disk_new(1);
    assert_int_equal(sim_volume_open(disk, 1, &volume, &err), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_int_equal(sim_disk_used(disk), 0); /* nothing is left in scratch */
    volume_close(volume);
    sim_disk_free(disk);
    arena_done(&arena);
    return 0;
}

/* ---- rows of all types ---- */

static enum type_id all_types[TYPE_MAX];
static uint32_t all_count;

static struct datum any_value(enum type_id type)
{
    static const char *const words[] = {
        "", "a", "some word", "a rather long word, longer than most"};
    struct datum d = {.type = type};

    if (below(5) == 0)
        return build_null(type);
    switch (type_phys(type)) {
    case PHYS_STR:
        d = build_str(words[below(4)]);
        d.type = type;
        return d;
    case PHYS_F32:
    case PHYS_F64:
        d.v.f64 = (double)below(1000) / 8;
        return d;
    case PHYS_INTERVAL:
        d.iv = (struct vinterval){.us = below(1000), .days = 3, .months = -(int32_t)below(9)};
        return d;
    case PHYS_I8:
        d.v.i64 = below(2);
        return d;
    case PHYS_I16:
    case PHYS_I32:
    case PHYS_I64:
    default: /* forms to come hold integers, or have a case of their own here */
        d.v.i64 = (int64_t)below(60000) - 30000;
        return d;
    }
}

static void find_types(void)
{
    all_count = 0;
    for (unsigned t = 0; t < TYPE_MAX; t++)
        if (type_known(t))
            all_types[all_count++] = (enum type_id)t;
    assert_true(all_count > 12);
}

/* A batch of random values, a column per type, in all forms. */
static struct batch any_batch(uint32_t rows)
{
    struct batch b = {.count = rows, .sel_count = rows, .cols_count = all_count};
    struct datum *d = arena_calloc(&arena, rows, sizeof *d);

    b.cols = arena_calloc(&arena, all_count, sizeof *b.cols);
    for (uint32_t c = 0; c < all_count; c++) {
        for (uint32_t i = 0; i < rows; i++)
            d[i] = any_value(all_types[c]);
        if (below(6) == 0)
            assert_true(vec_make_const(&arena, d, rows, &b.cols[c]));
        else
            b.cols[c] =
                below(2) ? build_dict(all_types[c], d, rows) : build_vec(all_types[c], d, rows);
    }
    return b;
}

static void same_row(const struct batch *a, uint32_t row_a, const struct batch *b, uint32_t row_b)
{
    for (uint32_t c = 0; c < a->cols_count; c++) {
        struct datum x = vec_datum(&a->cols[c], row_a);
        struct datum y = vec_datum(&b->cols[c], row_b);

        assert_int_equal(x.type, y.type);
        assert_int_equal(x.null, y.null);
        assert_true(x.null || datum_cmp(&x, &y) == 0);
    }
}

static struct exec_spill_options options_of(uint32_t parts, uint32_t block, uint32_t rows)
{
    return (struct exec_spill_options){.volume = volume,
                                       .types = all_types,
                                       .cols_count = all_count,
                                       .parts_count = parts,
                                       .block_bytes = block,
                                       .batch_rows = rows};
}

#define BATCHES 20u

/* Every part comes back as it went in, whatever the sizes of blocks and batches. */
static void check_round(uint32_t parts, uint32_t block, uint32_t batch_rows)
{
    const struct exec_spill_options options = options_of(parts, block, batch_rows);
    struct batch in[BATCHES];
    uint8_t part_of[BATCHES][VEC_ROWS_MAX];
    struct exec_spill s;
    struct dn_err err;
    uint64_t rows = 0;

    assert_int_equal(exec_spill_open(&s, &options, &err), 0);
    for (uint32_t k = 0; k < BATCHES; k++) {
        in[k] = any_batch(1 + below(VEC_ROWS_MAX));
        for (uint32_t i = 0; i < in[k].count; i++)
            part_of[k][i] = (uint8_t)below(parts);
        assert_int_equal(exec_spill_scatter(&s, &in[k], part_of[k], &err), 0);
        rows += in[k].count;
    }
    assert_int_equal(exec_spill_seal_all(&s, &err), 0);
    assert_int_equal(s.rows, rows);
    assert_true(s.bytes > 0 && sim_disk_used(disk) >= s.bytes);
    for (uint32_t p = 0; p < parts; p++) {
        struct exec_spill_reader r;
        struct batch got = {.count = 0};
        uint32_t at = 0;

        assert_int_equal(exec_spill_reader_open(&r, &s, p, NULL, &err), 0);
        for (uint32_t k = 0; k < BATCHES; k++)
            for (uint32_t i = 0; i < in[k].count; i++) {
                if (part_of[k][i] != p)
                    continue;
                if (at == got.count) {
                    assert_int_equal(exec_spill_reader_next(&r, &got, &err), 0);
                    assert_true(got.count > 0 && got.count <= batch_rows);
                    at = 0;
                }
                same_row(&in[k], i, &got, at++);
            }
        assert_int_equal(at, got.count);
        assert_int_equal(exec_spill_reader_next(&r, &got, &err), DN_EOF);
        assert_int_equal(exec_spill_reader_next(&r, &got, &err), DN_EOF);
        exec_spill_reader_close(&r);
    }
    exec_spill_close(&s);
}

static void test_round(void **state)
{
    (void)state;
    find_types();
    check_round(1, 4096, VEC_ROWS_MAX);
    check_round(16, 8192, VEC_ROWS_MAX);
    check_round(EXEC_SPILL_PARTS_MAX, 4096, 256);
    check_round(3, 1 << 20, 7);
}

/* Selections, many parts one after the other, and a row that is larger than a block. */
static void test_parts(void **state)
{
    static const enum type_id types[] = {TYPE_BIGINT, TYPE_VARCHAR};
    const struct exec_spill_options options = {
        .volume = volume, .types = types, .cols_count = 2, .block_bytes = 4096, .batch_rows = 100};
    size_t big = 100000;
    char *text = arena_calloc(&arena, 1, big + 1);
    struct datum values[4] = {build_int(TYPE_BIGINT, 1), build_int(TYPE_BIGINT, 2)};
    struct datum strings[2] = {build_str("x"), build_str("")};
    struct vec cols[2];
    const uint16_t second[] = {1};
    struct exec_spill_reader r[3];
    struct exec_spill s;
    struct batch got;
    struct dn_err err;

    (void)state;
    memset(text, 'z', big);
    strings[1] = build_str(text);
    cols[0] = build_vec(TYPE_BIGINT, values, 2);
    cols[1] = build_vec(TYPE_VARCHAR, strings, 2);
    assert_int_equal(exec_spill_open(&s, &options, &err), 0);
    for (uint32_t p = 0; p < 3; p++) {
        uint32_t part;

        assert_int_equal(exec_spill_add(&s, &part, &err), 0);
        assert_int_equal(part, p);
        if (p < 2)
            assert_int_equal(exec_spill_write(&s, p, cols, p ? second : NULL, p ? 1 : 2, &err), 0);
        assert_int_equal(exec_spill_seal(&s, p, &err), 0);
    }
    for (uint32_t p = 0; p < 3; p++)
        assert_int_equal(exec_spill_reader_open(&r[p], &s, p, NULL, &err), 0);
    assert_int_equal(exec_spill_reader_next(&r[1], &got, &err), 0);
    assert_int_equal(got.count, 1);
    assert_int_equal(vec_str(&got.cols[1], 0).len, big);
    assert_int_equal(exec_spill_reader_next(&r[0], &got, &err), 0);
    assert_int_equal(vec_i64(&got.cols[0], 0), 1);
    assert_int_equal(exec_spill_reader_next(&r[2], &got, &err), DN_EOF);
    for (uint32_t p = 0; p < 3; p++)
        exec_spill_reader_close(&r[p]);
    exec_spill_close(&s);
    exec_spill_close(&s);
}

/* What is put aside at once may be gigabytes: each page looks whether the statement is to end. */
static void test_cancel(void **state)
{
    atomic_bool cancel = false;
    struct mem_owner spool_owner;
    struct exec_spill_options options = options_of(1, 4096, 256);
    struct exec_spool_options kept = {
        .types = all_types, .owner = &spool_owner, .volume = volume, .share = 1, .cancel = &cancel};
    struct exec_spool spool;
    struct exec_spill s;
    struct batch in;
    struct dn_err err;

    (void)state;
    find_types();
    mem_owner_init(&spool_owner, "spool", NULL, 0);
    options.cancel = &cancel;
    kept.cols_count = all_count;
    in = any_batch(VEC_ROWS_MAX);
    assert_int_equal(exec_spill_open(&s, &options, &err), 0);
    assert_int_equal(exec_spill_write(&s, 0, in.cols, NULL, in.count, &err), 0);
    assert_int_equal(exec_spool_init(&spool, &kept, &err), 0);
    cancel = true;
    assert_int_equal(exec_spill_write(&s, 0, in.cols, NULL, in.count, &err), DN_E_CANCELED);
    assert_int_equal(exec_spool_add(&spool, in.cols, NULL, in.count, &err), DN_E_CANCELED);
    exec_spool_done(&spool);
    exec_spill_close(&s);
}

/* A byte that changed on the way is found; so is a block of another part. */
static void test_damage(void **state)
{
    const struct exec_spill_options options = options_of(2, 4096, VEC_ROWS_MAX);
    struct exec_spill_reader r;
    struct exec_spill s;
    struct batch in;
    struct batch got;
    struct dn_err err;
    uint8_t *bytes;
    uint64_t offset;

    (void)state;
    find_types();
    in = any_batch(50);
    assert_int_equal(exec_spill_open(&s, &options, &err), 0);
    assert_int_equal(exec_spill_write(&s, 0, in.cols, NULL, 50, &err), 0);
    assert_int_equal(exec_spill_seal_all(&s, &err), 0);
    bytes = arena_calloc(&arena, 1, s.parts[0].blocks[0].len);
    for (uint32_t at = 0; at < s.parts[0].blocks[0].len; at += 1 + below(40)) {
        struct exec_spill_block block = s.parts[0].blocks[0];

        assert_int_equal(volume_scratch_read(s.file, block.offset, bytes, block.len, &err), 0);
        bytes[at] ^= 0x10;
        assert_int_equal(volume_scratch_append(s.file, bytes, block.len, &offset, &err), 0);
        s.parts[0].blocks[0].offset = offset;
        assert_int_equal(exec_spill_reader_open(&r, &s, 0, NULL, &err), 0);
        dn_err_clear(&err);
        assert_int_equal(exec_spill_reader_next(&r, &got, &err), DN_E_CORRUPT);
        assert_non_null(strstr(err.text, "offset"));
        exec_spill_reader_close(&r);
        s.parts[0].blocks[0] = block;
    }
    s.parts[1].blocks = mem_dup(NULL, s.parts[0].blocks, sizeof *s.parts[0].blocks);
    s.parts[1].blocks_count = 1;
    assert_int_equal(exec_spill_reader_open(&r, &s, 1, NULL, &err), 0);
    assert_int_equal(exec_spill_reader_next(&r, &got, &err), DN_E_CORRUPT);
    exec_spill_reader_close(&r);
    exec_spill_close(&s);
}

/* ---- operators ---- */

#define ROWS         1000u
#define BATCHES_MOST 40u

static const enum type_id table_types[] = {TYPE_VARCHAR, TYPE_BIGINT, TYPE_DOUBLE};

/* Words and numbers of which many are the same and many are not. */
static struct plan_node *table(uint32_t batches, uint32_t variety)
{
    struct batch *b = arena_calloc(&arena, batches, sizeof *b);
    struct datum *d[3];

    for (uint32_t c = 0; c < 3; c++)
        d[c] = arena_calloc(&arena, ROWS, sizeof *d[c]);
    for (uint32_t k = 0; k < batches; k++) {
        struct vec *cols = arena_calloc(&arena, 3, sizeof *cols);

        for (uint32_t i = 0; i < ROWS; i++) {
            d[0][i] = below(20) ? build_str(arena_printf(&arena, "word %u", below(variety)))
                                : build_null(TYPE_VARCHAR);
            d[1][i] = below(30) ? build_int(TYPE_BIGINT, below(variety)) : build_null(TYPE_BIGINT);
            d[2][i] = build_f64((double)below(4096) / 16); /* sums are exact in any order */
        }
        for (uint32_t c = 0; c < 3; c++)
            cols[c] = build_vec(table_types[c], d[c], ROWS);
        b[k] = (struct batch){.count = ROWS, .cols_count = 3, .cols = cols, .sel_count = ROWS};
    }
    fake_table.batches = b;
    fake_table.batches_count = batches;
    return fake_scan(table_types, 3);
}

static struct plan_agg agg(const char *name, struct bexpr *arg, bool distinct)
{
    struct dn_err err;

    return (struct plan_agg){.agg = agg_find(name, !arg, arg ? arg->type : TYPE_NONE, 0, &err),
                             .arg = arg,
                             .distinct = distinct};
}

static struct plan_node *sort(struct plan_node *input, bool all_cols, int64_t limit)
{
    struct plan_node *n = fake_node(PLAN_SORT, input);

    n->keys = arena_calloc(&arena, input->cols_count, sizeof *n->keys);
    n->keys_count = all_cols ? input->cols_count : 1;
    for (uint32_t k = 0; k < n->keys_count; k++)
        n->keys[k] = (struct plan_sort_key){.col = k, .desc = k == 1, .nulls_first = k == 1};
    if (limit)
        n->limit = build_const(build_int(TYPE_BIGINT, limit));
    return n;
}

static struct plan_node *aggregate(struct plan_node *input, uint32_t keys, bool distinct)
{
    struct plan_node *n = fake_node(PLAN_AGGREGATE, input);
    struct bexpr *word = build_col(TYPE_VARCHAR, 0);
    struct bexpr *number = build_col(TYPE_BIGINT, 1);
    struct bexpr *real = build_col(TYPE_DOUBLE, 2);
    struct plan_agg aggs[] = {agg("count", NULL, false),
                              agg("max", word, false),
                              agg("sum", real, false),
                              agg("sum", number, distinct),
                              agg("min", real, false),
                              agg("count", word, distinct)};
    enum type_id out[8];
    uint32_t c = 0;

    n->exprs = fake_list(word, number, NULL);
    n->exprs_count = keys;
    for (uint32_t k = 0; k < keys; k++)
        out[c++] = table_types[k];
    for (uint32_t g = 0; g < DN_ARRAY_SIZE(aggs); g++)
        out[c++] = aggs[g].agg->result;
    fake_cols(n, out, c);
    n->aggs = arena_dup(&arena, aggs, sizeof aggs);
    n->aggs_count = DN_ARRAY_SIZE(aggs);
    return n;
}

static int
run(struct plan_node *root, bool spill, struct mem_owner *owner, struct buf *b, struct dn_err *err)
{
    struct exec_ctx ctx = {.owner = owner};

    if (spill) {
        ctx.volume = volume;
        ctx.budget = BUDGET;
    }
    buf_reset(b);
    return fake_run(root, &ctx, b, err);
}

/* The same with little memory as with much; rows must come sorted in full. ret_peak: of memory. */
static void check_same(struct plan_node *root, size_t most)
{
    struct mem_owner much;
    struct mem_owner little;
    struct dn_err err;
    struct buf want;
    struct buf got;
    uint64_t calls;

    mem_owner_init(&much, "statement", NULL, 0);
    mem_owner_init(&little, "statement", NULL, 0);
    buf_init(&want, NULL);
    buf_init(&got, NULL);
    if (run(root, false, &much, &want, &err) < 0)
        fail_msg("%s", err.text);
    calls = sim_disk_calls(disk);
    if (run(root, true, &little, &got, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(sim_disk_calls(disk) > calls); /* it did spill */
    assert_int_equal(want.len, got.len);
    assert_memory_equal(want.data, got.data, want.len);
    assert_int_equal(sim_disk_used(disk), 0);
    assert_int_equal(mem_owner_used(&little), 0);
    assert_true(little.peak < much.peak / 2);
    assert_true(little.peak < most);
    buf_done(&want);
    buf_done(&got);
}

#define KIB 1024u

static void test_sort(void **state)
{
    (void)state;
    check_same(sort(table(BATCHES_MOST, 100000), true, 0), 1024 * KIB);
    check_same(sort(table(BATCHES_MOST, 40), false, 0), 1024 * KIB); /* equal keys stay in order */
    check_same(sort(table(BATCHES_MOST, 1000), true, 20000), 1024 * KIB);
}

static void test_aggregate(void **state)
{
    (void)state;
    check_same(sort(aggregate(table(BATCHES_MOST, 100000), 2, false), true, 0), 1536 * KIB);
    check_same(sort(aggregate(table(BATCHES_MOST, 5000), 1, false), true, 0), 1536 * KIB);
    check_same(sort(aggregate(table(BATCHES_MOST, 300), 2, true), true, 0), 1536 * KIB);
    check_same(sort(aggregate(table(BATCHES_MOST, 5000), 1, true), true, 0), 1536 * KIB);
    check_same(aggregate(table(BATCHES_MOST, 100000), 0, true), 1536 * KIB);
}

/* ---- faults ---- */

/* Rows are counted only, so that all memory is the operators'. */
static int run_quietly(struct plan_node *root, struct mem_owner *owner, struct dn_err *err)
{
    struct exec_ctx ctx = {.owner = owner, .volume = volume, .budget = BUDGET};
    struct plan plan = {.root = root};
    struct op *op = NULL;
    struct batch in;
    int rc = exec_open(&plan, &ctx, &op, err);

    while (rc == 0)
        rc = exec_next(op, &in, err);
    exec_close(op);
    return rc == DN_EOF ? 0 : rc;
}

/* Calls to the disk or allocations fail, one after the other: the error comes out, nothing stays.
 */
static void sweep(struct plan_node *root, int what)
{
    size_t before = mem_process_used();

    for (uint64_t n = 1;; n += 1 + n / 5) {
        struct mem_owner owner;
        struct dn_err err;
        bool hit;
        int rc;

        mem_owner_init(&owner, "statement", NULL, 0);
        dn_err_clear(&err);
        if (what == 0)
            mem_fail_nth(n, false);
        else
            sim_disk_fail_nth(disk, n, what == 1 ? SIM_FAULT_IO : SIM_FAULT_NOSPC, false);
        rc = run_quietly(root, &owner, &err);
        hit = what == 0 ? mem_fail_hit() : sim_disk_fail_hit(disk);
        mem_fail_nth(0, false);
        sim_disk_fail_nth(disk, 0, SIM_FAULT_NONE, false);
        assert_int_equal(mem_owner_used(&owner), 0);
        assert_int_equal(sim_disk_used(disk), 0);
        assert_int_equal(mem_process_used(), before);
        if (!hit) {
            assert_int_equal(rc, 0);
            break;
        }
        if (what == 0)
            assert_true(rc == DN_E_NOMEM);
        else if (what == 1)
            assert_int_equal(rc, DN_E_IO);
        else
            assert_true(rc == DN_E_NOSPC || rc == 0); /* reads succeed on a full disk */
        if (rc == DN_E_NOSPC)
            assert_non_null(strstr(err.text, "scratch"));
    }
}

static void test_faults(void **state)
{
    (void)state;
    for (int what = 0; what < 3; what++) {
        sweep(sort(table(9, 100000), true, 0), what);
        sweep(aggregate(table(9, 100000), 2, false), what);
        sweep(aggregate(table(8, 600), 1, true), what);
    }
}

static void test_full_disk(void **state)
{
    struct mem_owner owner;
    struct dn_err err;
    struct buf b;

    (void)state;
    mem_owner_init(&owner, "statement", NULL, 0);
    buf_init(&b, NULL);
    sim_disk_set_capacity(disk, 200000);
    dn_err_clear(&err);
    assert_int_equal(run(sort(table(30, 100000), true, 0), true, &owner, &b, &err), DN_E_NOSPC);
    assert_non_null(strstr(err.text, "scratch"));
    assert_non_null(strstr(err.hint, "memory_limit"));
    assert_int_equal(sim_disk_used(disk), 0);
    sim_disk_set_capacity(disk, 0);
    assert_int_equal(run(sort(table(30, 100000), true, 0), true, &owner, &b, &err), 0);
    buf_done(&b);
}

/* Many runs, so that they are merged in several passes, and all keys are equal in some. */
static void test_passes(void **state)
{
    static const enum type_id types[] = {TYPE_BIGINT};
    const struct exec_sort_runs_options options = {
        .volume = volume, .types = types, .cols_count = 1, .memory = 1};
    uint32_t runs = 37;
    struct exec_sort_runs r;
    struct dn_err err;
    int64_t next = 0;
    uint64_t total = 0;
    int rc;

    (void)state;
    assert_int_equal(exec_sort_runs_init(&r, &options, &err), 0);
    for (uint32_t k = 0; k < runs; k++) {
        struct exec_sort_rows rows;

        assert_int_equal(exec_sort_init(&rows, types, 1, NULL, &err), 0);
        for (uint32_t i = 0; i < 50; i++) {
            struct datum d = build_int(TYPE_BIGINT, i * runs + k);
            struct vec v = build_vec(TYPE_BIGINT, &d, 1);
            struct batch one = {.count = 1, .sel_count = 1, .cols_count = 1, .cols = &v};
            uint8_t key[8];
            const size_t at[] = {0, 8};

            be_put64(key, i * runs + k);
            assert_int_equal(exec_sort_add(&rows, &one, key, at, &err), 0);
        }
        assert_int_equal(exec_sort_order(&rows, NULL, NULL, &err), 0);
        assert_int_equal(exec_sort_runs_add(&r, &rows, rows.count, &err), 0);
        exec_sort_done(&rows);
    }
    assert_int_equal(exec_sort_runs_start(&r, &err), 0);
    assert_true(r.spill.parts_count == 2); /* two at a time: 37, 19, 10, 5, 3, 2 */
    for (;;) {
        struct batch b;

        rc = exec_sort_runs_next(&r, &b, &err);
        if (rc != 0)
            break;
        for (uint32_t i = 0; i < b.count; i++)
            assert_int_equal(vec_i64(&b.cols[0], i), next++);
        total += b.count;
    }
    assert_int_equal(rc, DN_EOF);
    assert_int_equal(total, 50 * runs);
    exec_sort_runs_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round, setup, teardown),
        cmocka_unit_test_setup_teardown(test_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
        cmocka_unit_test_setup_teardown(test_passes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sort, setup, teardown),
        cmocka_unit_test_setup_teardown(test_aggregate, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
