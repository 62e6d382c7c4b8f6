/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments: what goes in comes out, for tables and rows of all kinds. */
#include "model.h"
#include "place.h"
#include "store/seg_reader.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define RANDOM_SECONDS 4

static uint64_t random_seed; /* the last one, printed if something failed */

static void verify(struct seg *s)
{
    struct dn_err err = {0};

    if (seg_verify(s, &err) < 0)
        fail_msg("%s", err.text);
}

/* Writes the model, reads it without and with a cache (a small and a large one), verifies. */
static void round_trip(const struct model *m, uint32_t batch_max, struct rng *r)
{
    struct mem_owner owner;
    struct dn_err err = {0};
    struct seg_meta meta;
    struct cache *cache;
    struct place p;
    struct buf b;
    struct seg *s;

    place_init(&p);
    buf_init(&b, NULL);
    if (model_write(m, 9, batch_max, r, &b, &meta, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(meta.bytes, b.len);
    place_put(&p, m->t->id, 9, &b);
    s = place_open(&p, NULL, m->t, 9);
    assert_memory_equal(seg_get_meta(s), &meta, sizeof meta);
    model_check(m, s, false);
    verify(s);
    seg_unref(s);
    mem_owner_init(&owner, "cache", NULL, 0);
    cache = cache_new(p.v->sched, &owner, rng_chance(r, 50) ? 4096 : 64 << 20);
    s = place_open(&p, cache, m->t, 9);
    model_check(m, s, true);
    seg_unref(s);
    cache_free(cache);
    assert_int_equal(mem_owner_used(&owner), 0);
    buf_done(&b);
    place_done(&p);
}

static void test_random_tables(void **state)
{
    time_t end = time(NULL) + RANDOM_SECONDS;
    uint64_t seed = 1;

    (void)state;
    while (time(NULL) < end) {
        struct rng r = {.x = seed};
        struct table_shape shape;
        struct model_style style;
        struct model m;

        model_random_shape(&r, &shape);
        style = (struct model_style){.rows = 1 + rng_below(&r, rng_chance(&r, 20) ? 6000 : 300),
                                     .series = 1 + rng_below(&r, rng_chance(&r, 50) ? 4 : 400),
                                     .domain = 1 + rng_below(&r, rng_chance(&r, 30) ? 3 : 5000),
                                     .null_pct = rng_chance(&r, 40) ? rng_below(&r, 100) : 0,
                                     .writes = rng_chance(&r, 40),
                                     .plain = rng_chance(&r, 40)};
        if (rng_chance(&r, 25))
            style.turns = 1 + rng_below(&r, 200);
        random_seed = seed;
        model_init(&m, model_table(&shape), &style, &r);
        round_trip(&m, 1 + rng_below(&r, 2000), &r);
        model_done(&m);
        seed++;
    }
}

static const struct table_shape metrics = {
    .cols = 5,
    .types = {TYPE_VARCHAR, TYPE_TIMESTAMP, TYPE_DOUBLE, TYPE_INTEGER, TYPE_VARCHAR},
    .form = KEY_RIAK,
    .series_count = 1,
    .series = {0},
    .rest_count = 1,
    .rest = {{.col = 1, .desc = false}},
    .time_col = 1,
    .slab_width = 1 << 30};

/* Many rows of few series: long runs over several blocks and groups; batches larger than a vector.
 */
static void test_long_runs(void **state)
{
    struct table_shape shape = metrics;
    struct model_style style = {
        .rows = 200000, .series = 4, .domain = 10000000, .null_pct = 3, .plain = true};
    struct rng r = {.x = 77};
    struct model m;

    (void)state;
    shape.types[4] = TYPE_BOOLEAN;
    model_init(&m, model_table(&shape), &style, &r);
    assert_true(m.rows > 190000);
    round_trip(&m, 30000, &r);
    model_done(&m);
}

/* The vectors of a segment that cannot be read without those of a guide. */
static uint32_t guided_vectors(const struct seg *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->cols_count; i++)
        for (uint32_t k = 0; k < s->cols[i].vecs_count; k++)
            n += codec_ops_by_id(s->cols[i].codec[k])->guided;
    return n;
}

/* One column alone, the guide not among those asked for; and once more, now that it is known. */
static void check_alone(const struct model *m, struct seg *s, uint32_t col, struct seg_pins *pins)
{
    struct arena a;

    arena_init(&a, NULL);
    for (uint32_t b = 0; b < s->blocks_count; b++)
        for (uint32_t v = 0; v < s->blocks[b].vectors; v++)
            for (int again = 0; again < 2; again++) {
                struct seg_select select = {.block = b, .vector = v, .cols = &col};
                uint32_t first = s->blocks[b].first_row + v * 1024;
                struct dn_err err = {0};
                struct vec vec;

                select.cols_count = 1;
                if (seg_fetch(s, &select, &a, pins, &vec, &err) < 0)
                    fail_msg("%s", err.text);
                for (uint32_t i = 0; i < vec.count; i++) {
                    struct datum want = colbuf_datum(&m->cols[col], first + i);
                    struct datum have = vec_datum(&vec, i);

                    assert_true(model_same(&want, &have));
                }
            }
    arena_done(&a);
}

/* Rows of 60 series in turn: all columns but the guide are read by its word, also where it is not
 * asked for. */
static void test_turns(void **state)
{
    struct table_shape shape = {
        .cols = 5,
        .types = {TYPE_TIMESTAMP, TYPE_VARCHAR, TYPE_DOUBLE, TYPE_SMALLINT, TYPE_VARCHAR},
        .form = KEY_NONE,
        .time_col = -1};
    struct model_style style = {.rows = 40000, .domain = 1000, .turns = 60, .null_pct = 2};
    struct rng r = {.x = 12};
    struct dn_err err = {0};
    struct cache *cache;
    struct seg_meta meta;
    struct seg_pins pins;
    struct model m;
    struct place p;
    struct seg *s;
    struct buf b;

    (void)state;
    style.plain = true;
    model_init(&m, model_table(&shape), &style, &r);
    round_trip(&m, 3000, &r);
    place_init(&p);
    buf_init(&b, NULL);
    assert_int_equal(model_write(&m, 1, 1024, &r, &b, &meta, &err), 0);
    place_put(&p, m.t->id, 1, &b);
    s = place_open(&p, NULL, m.t, 1);
    assert_true(guided_vectors(s) >= 3 * 40000 / 1024);
    for (uint32_t c = 0; c < shape.cols; c++)
        check_alone(&m, s, c, NULL);
    seg_unref(s);
    cache = cache_new(p.v->sched, NULL, 64 << 20);
    s = place_open(&p, cache, m.t, 1);
    for (uint32_t c = 0; c < shape.cols; c++) {
        seg_pins_init(&pins);
        check_alone(&m, s, c, &pins);
        seg_pins_done(&pins);
    }
    seg_unref(s);
    cache_free(cache);
    buf_done(&b);
    place_done(&p);
    model_done(&m);
}

/* A series per few rows, slabs too: many short runs, and backwards. */
static void test_short_runs(void **state)
{
    struct table_shape shape = metrics;
    struct model_style style = {
        .rows = 40000, .series = 9000, .domain = 100000, .null_pct = 10, .writes = true};
    struct rng r = {.x = 78};
    struct model m;

    (void)state;
    shape.slab_width = 10000;
    shape.rest[0].desc = true;
    model_init(&m, model_table(&shape), &style, &r);
    round_trip(&m, 1024, &r);
    model_done(&m);
}

/* Short runs of up to `most` rows: a clock, a value that walks, a number, a text of the series. */
static void runs_model(struct model *m, uint32_t most, struct rng *r)
{
    static const char *const sites[] = {"north", "south", "a place that is far away", ""};
    struct colbuf *raw;

    model_begin(m, model_table(&metrics), &raw);
    for (uint32_t k = 0; k * most < 60000; k++) {
        uint32_t rows = 1 + rng_below(r, most);
        double v = rng_below(r, 1000);
        char host[16];

        (void)snprintf(host, sizeof host, "h%u", k);
        for (uint32_t i = 0; i < rows; i++) {
            const char *site = sites[k % 4];
            struct datum d[] = {
                {.type = TYPE_VARCHAR, .str = {host, (uint32_t)strlen(host)}},
                {.type = TYPE_TIMESTAMP, .v.i64 = 1000 + (int64_t)i * 10 + rng_below(r, 9)},
                {.type = TYPE_DOUBLE, .null = rng_chance(r, 2), .v.f64 = v},
                {.type = TYPE_INTEGER, .null = rng_chance(r, 2), .v.i64 = k % 900},
                {.type = TYPE_VARCHAR, .str = {site, (uint32_t)strlen(site)}},
                {.type = TYPE_BIGINT, .v.i64 = 1},
                {.type = TYPE_SMALLINT},
                {.type = TYPE_BIGINT, .null = true},
                {.type = TYPE_BIGINT}};

            v += rng_below(r, 5);
            for (uint32_t c = 0; c < DN_ARRAY_SIZE(d); c++)
                assert_true(colbuf_append(&raw[c], &d[c]));
        }
    }
    model_end(m, raw);
}

/* Runs of any length, down to one row each: values are differences to the row before of the run,
 * and are read with the run table. */
static void test_runs_guide(void **state)
{
    static const uint32_t most[] = {1, 2, 5, 9, 60, 700};

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(most); i++) {
        struct rng r = {.x = 79 + most[i]};
        struct dn_err err = {0};
        struct seg_meta meta;
        struct model m;
        struct place p;
        struct seg *s;
        struct buf b;

        runs_model(&m, most[i], &r);
        round_trip(&m, 1024, &r);
        place_init(&p);
        buf_init(&b, NULL);
        assert_int_equal(model_write(&m, 1, 1024, &r, &b, &meta, &err), 0);
        place_put(&p, m.t->id, 1, &b);
        s = place_open(&p, NULL, m.t, 1);
        assert_int_equal(guided_vectors(s) > 0, (s->flags & SEG_FLAG_RUN_GUIDE) != 0);
        if (most[i] == 5 || most[i] == 60)
            assert_true(guided_vectors(s) >= 2 * m.rows / 1024);
        for (uint32_t c = 1; c < metrics.cols; c++)
            check_alone(&m, s, c, NULL);
        seg_unref(s);
        buf_done(&b);
        place_done(&p);
        model_done(&m);
    }
}

/* Runs around the limits: 1023, 1024, 1025 rows, 16384 and one more, in turn with single rows. */
static void test_run_limits(void **state)
{
    static const uint32_t lens[] = {1,
                                    1023,
                                    1,
                                    1024,
                                    1,
                                    1025,
                                    16383,
                                    16384,
                                    16385,
                                    1,
                                    1,
                                    40000,
                                    500,
                                    600,
                                    700,
                                    1022,
                                    1022,
                                    16384,
                                    1};
    struct table_shape shape = {.cols = 2,
                                .types = {TYPE_BIGINT, TYPE_TIMESTAMP},
                                .form = KEY_RANGE,
                                .rest_count = 1,
                                .rest = {{.col = 1}},
                                .time_col = 1,
                                .slab_width = 100000};
    struct table *t = model_table(&shape);
    struct rng r = {.x = 5};
    struct model m = {.t = t};

    (void)state;
    arena_init(&m.arena, NULL);
    m.cols = mem_calloc(NULL, store_cols_count(t), sizeof *m.cols);
    for (uint32_t c = 0; c < store_cols_count(t); c++)
        colbuf_init(&m.cols[c], store_col_type(t, c), NULL, &m.arena);
    for (uint32_t i = 0; i < DN_ARRAY_SIZE(lens); i++)
        for (uint32_t k = 0; k < lens[i]; k++) {
            for (uint32_t c = 0; c < store_cols_count(t); c++) {
                struct datum d = {.type = m.cols[c].type};

                if (c == 0)
                    d.v.i64 = m.rows / 3;
                else if (c == 1)
                    d.v.i64 = (int64_t)i * 100000 + k;
                else
                    d.null = c == 2 + HIDDEN_EXPIRY;
                assert_true(colbuf_append(&m.cols[c], &d));
            }
            m.rows++;
        }
    round_trip(&m, 1024, &r);
    round_trip(&m, 1, &r);
    round_trip(&m, 100000, &r);
    model_done(&m);
}

static void test_one_row(void **state)
{
    struct model_style style = {.rows = 1, .series = 1, .domain = 8, .plain = true};
    struct rng r = {.x = 3};
    struct model m;

    (void)state;
    for (int i = 0; i < 50; i++) {
        struct table_shape shape;

        model_random_shape(&r, &shape);
        model_init(&m, model_table(&shape), &style, &r);
        round_trip(&m, 1, &r);
        model_done(&m);
    }
}

/* Constant columns leave no vectors, and the segment stays small. */
static void test_constants_are_free(void **state)
{
    struct table_shape shape = metrics;
    struct model_style style = {.rows = 30000, .series = 1, .domain = 100000000, .plain = true};
    struct rng r = {.x = 4};
    struct dn_err err = {0};
    struct seg_meta meta;
    struct model m;
    struct place p;
    struct buf b;
    struct seg *s;

    (void)state;
    shape.cols = 2;
    model_init(&m, model_table(&shape), &style, &r);
    place_init(&p);
    buf_init(&b, NULL);
    assert_int_equal(model_write(&m, 1, 1024, &r, &b, &meta, &err), 0);
    place_put(&p, m.t->id, 1, &b);
    s = place_open(&p, NULL, m.t, 1);
    for (uint32_t i = 0; i < s->cols_count; i++)
        assert_int_equal(s->cols[i].vecs_count, s->cols[i].id >= HIDDEN_ID_BASE ? 0 : 30);
    assert_true(b.len < 30000 * 3); /* the times, and hardly more */
    seg_unref(s);
    buf_done(&b);
    place_done(&p);
    model_done(&m);
}

/* Columns added later read as their default or NULL; columns dropped are passed over. */
static void test_other_versions(void **state)
{
    struct table_shape shape = metrics;
    struct model_style style = {.rows = 3000, .series = 5, .domain = 100000, .null_pct = 20};
    struct rng r = {.x = 6};
    struct dn_err err = {0};
    struct seg_meta meta;
    uint32_t cols[3] = {2, 3, 4};
    struct vec vecs[3];
    struct arena a;
    struct table *t;
    struct model m;
    struct place p;
    struct zone z;
    struct buf b;
    struct seg *s;

    (void)state;
    model_init(&m, model_table(&shape), &style, &r);
    place_init(&p);
    arena_init(&a, NULL);
    buf_init(&b, NULL);
    assert_int_equal(model_write(&m, 1, 1024, &r, &b, &meta, &err), 0);
    place_put(&p, m.t->id, 1, &b);
    shape.types[3] = TYPE_BIGINT; /* column 4 is dropped; a new one of id 20 stands in its place */
    t = model_table(&shape);
    t->version = 4;
    t->columns[3].id = 20;
    t->columns[3].has_default = true;
    t->columns[3].def = (struct datum){.type = TYPE_BIGINT, .v.i64 = -5};
    t->columns[4].id = 21; /* and another, without a default */
    s = place_open(&p, NULL, t, 1);
    assert_int_equal(seg_get_meta(s)->table_version, 3);
    assert_int_equal(
        seg_fetch(s,
                  &(struct seg_select){.block = 0, .vector = 1, .cols = cols, .cols_count = 3},
                  &a,
                  NULL,
                  vecs,
                  &err),
        0);
    for (uint32_t i = 0; i < vecs[0].count; i++) {
        struct datum want = colbuf_datum(&m.cols[2], 1024 + i);
        struct datum have = vec_datum(&vecs[0], i);

        assert_true(model_same(&want, &have));
        assert_true(vec_i64(&vecs[1], i) == -5 && !vec_is_null(&vecs[1], i));
        assert_true(vec_is_null(&vecs[2], i));
    }
    assert_false(seg_block_zone(s, 0, 3, &z));
    assert_false(seg_vector_zone(s, 0, 0, 4, &z));
    assert_true(seg_block_zone(s, 0, 2, &z));
    verify(s);
    seg_unref(s);
    /* Another type under the same id, and another key, are refused. */
    t->columns[2].type = TYPE_REAL;
    assert_int_equal(seg_open(p.v, NULL, t, t->id, 1, &s, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "another type"));
    t->columns[2].type = TYPE_DOUBLE;
    t->rest[0].desc = true;
    assert_int_equal(seg_open(p.v, NULL, t, t->id, 1, &s, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "key"));
    t->rest[0].desc = false;
    t->partition_count = t->series_count = 0;
    assert_int_equal(seg_open(p.v, NULL, t, t->id, 1, &s, &err), DN_E_CORRUPT);
    table_unref(t);
    arena_done(&a);
    buf_done(&b);
    place_done(&p);
    model_done(&m);
}

/* Rows that do not ascend are refused, not written. */
static void test_order_is_checked(void **state)
{
    struct model_style style = {.rows = 100, .series = 3, .domain = 100000};
    struct table_shape shape = metrics;
    struct rng r = {.x = 8};
    struct dn_err err = {0};
    struct seg_writer *w;
    struct seg_meta meta;
    struct vec vecs[16];
    struct arena a;
    struct model m;
    struct buf b;

    (void)state;
    model_init(&m, model_table(&shape), &style, &r);
    arena_init(&a, NULL);
    buf_init(&b, NULL);
    w = seg_writer_new(NULL, m.t, 1);
    assert_int_equal(seg_writer_finish(w, &b, &meta, &err), DN_E_INTERNAL); /* no rows */
    seg_writer_free(w);
    w = seg_writer_new(NULL, m.t, 1);
    for (uint32_t c = 0; c < store_cols_count(m.t); c++)
        vecs[c] = model_vec(&m, c, 0, m.rows, &a, &r);
    assert_int_equal(seg_writer_add(w, vecs, m.rows, &err), 0);
    assert_int_equal(seg_writer_rows(w), m.rows);
    assert_int_equal(seg_writer_add(w, vecs, m.rows, &err), DN_E_INTERNAL);
    assert_non_null(strstr(err.text, "out of order"));
    assert_int_equal(seg_writer_finish(w, &b, &meta, &err), DN_E_INTERNAL);
    seg_writer_free(w);
    arena_done(&a);
    buf_done(&b);
    model_done(&m);
}

/* Double values beyond the usual, straight through the writer: zeros of both signs, the greatest.
 */
static void test_odd_doubles(void **state)
{
    static const double odd[] = {
        0.0, -0.0, 1.7976931348623157e308, 1.7976931348623157e308, -4.9e-324, 3.5};
    struct table_shape shape = {
        .cols = 1, .types = {TYPE_DOUBLE}, .form = KEY_NONE, .time_col = -1};
    struct table *t = model_table(&shape);
    struct rng r = {.x = 5};
    struct model m = {.t = t};

    (void)state;
    arena_init(&m.arena, NULL);
    m.cols = mem_calloc(NULL, store_cols_count(t), sizeof *m.cols);
    for (uint32_t c = 0; c < store_cols_count(t); c++)
        colbuf_init(&m.cols[c], store_col_type(t, c), NULL, &m.arena);
    for (; m.rows < 6; m.rows++)
        for (uint32_t c = 0; c < store_cols_count(t); c++) {
            struct datum d = {.type = m.cols[c].type};

            if (c == 0)
                d.v.f64 = odd[m.rows];
            else
                d.v.i64 = c == 1 + HIDDEN_ROWID ? m.rows : 0;
            assert_true(colbuf_append(&m.cols[c], &d));
        }
    {
        struct dn_err err = {0};
        struct seg_meta meta;
        struct place p;
        struct zone z;
        struct buf b;
        struct seg *s;

        place_init(&p);
        buf_init(&b, NULL);
        assert_int_equal(model_write(&m, 1, 10, &r, &b, &meta, &err), 0);
        place_put(&p, t->id, 1, &b);
        s = place_open(&p, NULL, t, 1);
        assert_true(seg_block_zone(s, 0, 0, &z));
        assert_false(z.has_sum); /* the sum is infinite */
        assert_true(z.max.v.f64 == odd[2] && z.min.v.f64 == odd[4]);
        verify(s);
        seg_unref(s);
        buf_done(&b);
        place_done(&p);
    }
    model_done(&m);
}

int main(void)
{
    int failed;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_run_limits),
        cmocka_unit_test(test_random_tables),
        cmocka_unit_test(test_long_runs),
        cmocka_unit_test(test_short_runs),
        cmocka_unit_test(test_runs_guide),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_constants_are_free),
        cmocka_unit_test(test_other_versions),
        cmocka_unit_test(test_order_is_checked),
        cmocka_unit_test(test_odd_doubles),
    };

    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        print_message("last random seed: %" PRIu64 "\n", random_seed);
    return failed;
}
