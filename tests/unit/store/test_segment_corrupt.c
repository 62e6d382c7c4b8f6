/* SPDX-License-Identifier: Apache-2.0
 *
 * Segments whose bytes are damaged, cut short, from the future, or made by somebody hostile. */
#include "base/hash.h"
#include "model.h"
#include "place.h"
#include "store/seg_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define HOSTILE_SECONDS 3

struct victim {
    struct model m;
    struct place p;
    struct buf good;
    char name[VOLUME_NAME_MAX + 1];
};

static const struct table_shape victim_shape = {
    .cols = 5,
    .types = {TYPE_VARCHAR, TYPE_TIMESTAMP, TYPE_DOUBLE, TYPE_SMALLINT, TYPE_VARCHAR},
    .form = KEY_RIAK,
    .series_count = 1,
    .series = {0},
    .rest_count = 1,
    .rest = {{.col = 1, .desc = true}},
    .time_col = 1,
    .slab_width = 1000};

static void victim_init(struct victim *x, uint32_t rows)
{
    struct model_style style = {
        .rows = rows, .series = 3, .domain = 20 * rows, .null_pct = 10, .writes = true};
    struct rng r = {.x = 21};
    struct dn_err err = {0};
    struct seg_meta meta;

    model_init(&x->m, model_table(&victim_shape), &style, &r);
    place_init(&x->p);
    buf_init(&x->good, NULL);
    if (model_write(&x->m, 1, 500, &r, &x->good, &meta, &err) < 0)
        fail_msg("%s", err.text);
    seg_name(x->m.t->id, 1, x->name);
}

static void victim_done(struct victim *x)
{
    buf_done(&x->good);
    place_done(&x->p);
    model_done(&x->m);
}

/* Reads every vector; the first error, or 0. */
static int fetch_all(struct seg *s, struct cache *cache, struct dn_err *err)
{
    uint32_t cols[MODEL_COLS_MAX + HIDDEN_MAX];
    struct vec vecs[MODEL_COLS_MAX + HIDDEN_MAX];
    uint32_t n = store_cols_count(s->table);
    struct seg_pins pins;
    struct arena a;
    uint32_t count;
    const struct seg_block *blocks = seg_get_blocks(s, &count);
    int rc = 0;

    arena_init(&a, NULL);
    seg_pins_init(&pins);
    for (uint32_t c = 0; c < n; c++)
        cols[c] = c;
    for (uint32_t b = 0; b < count && rc == 0; b++)
        for (uint32_t v = 0; v < blocks[b].vectors && rc == 0; v++) {
            rc = seg_fetch(
                s,
                &(struct seg_select){.block = b, .vector = v, .cols = cols, .cols_count = n},
                &a,
                cache ? &pins : NULL,
                vecs,
                err);
            for (uint32_t c = 0; c < n && rc == 0; c++) {
                struct zone z;

                (void)vec_datum(&vecs[c], vecs[c].count - 1);
                (void)seg_block_zone(s, b, c, &z);
                (void)seg_vector_zone(s, b, v, c, &z);
            }
            seg_pins_release(&pins);
            arena_reset(&a);
        }
    seg_pins_done(&pins);
    arena_done(&a);
    return rc;
}

static void expect_bad(const struct victim *x, int rc, const struct dn_err *err)
{
    if (rc != DN_E_CORRUPT && rc != DN_E_VERSION)
        fail_msg("got %d: %s", rc, err->text);
    assert_non_null(strstr(err->text, x->name));
}

/* The object's bytes are damaged somehow: no way of reading may pass over it. */
static void expect_caught(struct victim *x)
{
    struct cache *cache = cache_new(x->p.v->sched, NULL, 1 << 20);
    struct dn_err err = {0};
    struct seg *s = NULL;
    int rc = seg_open(x->p.v, NULL, x->m.t, x->m.t->id, 1, &s, &err);

    if (rc < 0) {
        expect_bad(x, rc, &err);
        cache_free(cache);
        return;
    }
    rc = fetch_all(s, NULL, &err);
    expect_bad(x, rc, &err);
    assert_non_null(strstr(err.text, "offset"));
    rc = seg_verify(s, &err);
    expect_bad(x, rc, &err);
    seg_unref(s);
    assert_int_equal(seg_open(x->p.v, cache, x->m.t, x->m.t->id, 1, &s, &err), 0);
    rc = fetch_all(s, cache, &err);
    expect_bad(x, rc, &err);
    seg_unref(s);
    cache_free(cache);
}

static void test_every_bit(void **state)
{
    struct victim x;

    (void)state;
    victim_init(&x, 30);
    assert_true(sim_disk_set(x.p.disk, 'o', x.name, x.good.data, x.good.len));
    print_message("%zu bytes\n", x.good.len);
    for (uint64_t bit = 0; bit < x.good.len * 8; bit++) {
        assert_true(sim_disk_flip(x.p.disk, 'o', x.name, bit));
        expect_caught(&x);
        assert_true(sim_disk_flip(x.p.disk, 'o', x.name, bit));
    }
    victim_done(&x);
}

static void test_some_bits_of_more(void **state)
{
    struct rng r = {.x = 99};
    struct victim x;

    (void)state;
    victim_init(&x, 20000);
    assert_true(sim_disk_set(x.p.disk, 'o', x.name, x.good.data, x.good.len));
    for (int i = 0; i < 60; i++) {
        uint64_t bit = rng_next(&r) % (x.good.len * 8);

        assert_true(sim_disk_flip(x.p.disk, 'o', x.name, bit));
        expect_caught(&x);
        assert_true(sim_disk_flip(x.p.disk, 'o', x.name, bit));
    }
    victim_done(&x);
}

static void test_lengths(void **state)
{
    static const uint8_t more[100];
    struct victim x;

    (void)state;
    victim_init(&x, 30);
    for (size_t n = 0; n < x.good.len; n++) {
        struct dn_err err = {0};
        struct seg *s = NULL;

        assert_true(sim_disk_set(x.p.disk, 'o', x.name, x.good.data, n));
        expect_bad(&x, seg_open(x.p.v, NULL, x.m.t, x.m.t->id, 1, &s, &err), &err);
        assert_true(sim_disk_set(x.p.disk, 'o', x.name, x.good.data + (x.good.len - n), n));
        expect_bad(&x, seg_open(x.p.v, NULL, x.m.t, x.m.t->id, 1, &s, &err), &err);
    }
    buf_append(&x.good, more, sizeof more);
    assert_true(sim_disk_set(x.p.disk, 'o', x.name, x.good.data, x.good.len));
    expect_caught(&x);
    victim_done(&x);
}

/* Damage after opening: verification reads everything again. */
static void test_rot_while_open(void **state)
{
    struct dn_err err = {0};
    struct victim x;
    struct seg *s;

    (void)state;
    victim_init(&x, 50);
    assert_true(sim_disk_set(x.p.disk, 'o', x.name, x.good.data, x.good.len));
    s = place_open(&x.p, NULL, x.m.t, 1);
    assert_int_equal(seg_verify(s, &err), 0);
    for (uint64_t byte = 0; byte < x.good.len; byte++) {
        assert_true(sim_disk_flip(x.p.disk, 'o', x.name, byte * 8 + byte % 8));
        expect_bad(&x, seg_verify(s, &err), &err);
        assert_true(sim_disk_flip(x.p.disk, 'o', x.name, byte * 8 + byte % 8));
    }
    assert_int_equal(seg_verify(s, &err), 0);
    seg_unref(s);
    victim_done(&x);
}

/* Checksums that fit again, so that what stands under them is looked at. */
static void reseal(uint8_t *p, size_t n)
{
    uint8_t *trailer = p + n - SEG_TRAILER_SIZE;
    uint64_t at = le_get64(trailer);
    uint64_t len = le_get64(trailer + 8);

    le_put64(p + 32, dn_checksum64(p, 32));
    if (at <= n && len <= n - at)
        le_put64(trailer + 24, dn_checksum64(p + at, (size_t)len));
    le_put32(trailer + 32, dn_checksum32(trailer, 32));
}

static int open_changed(struct victim *x, size_t at, uint8_t byte, struct dn_err *err)
{
    struct seg *s = NULL;
    uint8_t old = x->good.data[at];
    int rc;

    x->good.data[at] = byte;
    reseal(x->good.data, x->good.len);
    assert_true(sim_disk_set(x->p.disk, 'o', x->name, x->good.data, x->good.len));
    rc = seg_open(x->p.v, NULL, x->m.t, x->m.t->id, 1, &s, err);
    if (rc == 0)
        seg_unref(s);
    x->good.data[at] = old;
    reseal(x->good.data, x->good.len);
    return rc;
}

static void test_refusals_by_name(void **state)
{
    struct dn_err err = {0};
    struct victim x;
    size_t footer;
    size_t end;

    (void)state;
    victim_init(&x, 300);
    end = x.good.len - SEG_TRAILER_SIZE;
    footer = (size_t)le_get64(x.good.data + end);
    assert_int_equal(open_changed(&x, 8, 2, &err), DN_E_VERSION);
    assert_non_null(strstr(err.text, "segment format 2 in its header"));
    assert_int_equal(open_changed(&x, end + 36, 7, &err), DN_E_VERSION);
    assert_non_null(strstr(err.text, "segment format 7 in its trailer"));
    assert_int_equal(open_changed(&x, end + 36, 0, &err), DN_E_CORRUPT);
    assert_int_equal(open_changed(&x, 16, 99, &err), DN_E_CORRUPT); /* table id */
    assert_non_null(strstr(err.text, "of table"));
    assert_int_equal(open_changed(&x, footer + 24, 0x80, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "unknown flags"));
    assert_int_equal(open_changed(&x, footer + SEG_META_SIZE + 4, 31, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "unknown type 31"));
    /* The first array after the column directory has its codec id in its first byte. */
    assert_int_equal(open_changed(&x, footer + SEG_META_SIZE + 9 * SEG_DIR_SIZE, 63, &err),
                     DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "unknown codec 63"));
    assert_int_equal(open_changed(&x, footer, (uint8_t)(x.good.data[footer] + 1), &err),
                     DN_E_CORRUPT); /* rows */
    victim_done(&x);
}

/* Any byte of the footer changed in any way, checksums made to fit: an error or data, never a
 * crash, never memory without bounds (the sanitizers and the owner's limit say so). */
static void test_hostile_footer(void **state)
{
    time_t end = time(NULL) + HOSTILE_SECONDS;
    size_t before = mem_process_used();
    struct rng r = {.x = 12};
    unsigned opened = 0;
    unsigned tried = 0;
    struct victim x;
    uint8_t *copy;

    (void)state;
    victim_init(&x, 3000);
    copy = mem_alloc(NULL, x.good.len);
    while (time(NULL) < end) {
        size_t footer = (size_t)le_get64(x.good.data + x.good.len - SEG_TRAILER_SIZE);
        size_t span = x.good.len - footer;
        struct dn_err err = {0};
        struct seg *s = NULL;

        memcpy(copy, x.good.data, x.good.len);
        for (uint32_t i = 0, n = 1 + rng_below(&r, 4); i < n; i++) {
            size_t at = footer + rng_below(&r, rng_chance(&r, 40) ? 180 : (uint32_t)span);

            copy[at] = rng_chance(&r, 30) ? (uint8_t)(copy[at] + 1) : (uint8_t)rng_next(&r);
        }
        reseal(copy, x.good.len);
        assert_true(sim_disk_set(x.p.disk, 'o', x.name, copy, x.good.len));
        tried++;
        if (seg_open(x.p.v, NULL, x.m.t, x.m.t->id, 1, &s, &err) < 0) {
            assert_true(err.code == DN_E_CORRUPT || err.code == DN_E_VERSION);
            continue;
        }
        opened++;
        (void)fetch_all(s, NULL, &err);
        DN_IGNORE(seg_verify(s, &err)); /* either way is fine, see above */
        seg_unref(s);
    }
    print_message("%u of %u opened\n", opened, tried);
    mem_free(copy);
    victim_done(&x);
    assert_int_equal(mem_process_used(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit),
        cmocka_unit_test(test_some_bits_of_more),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_rot_while_open),
        cmocka_unit_test(test_refusals_by_name),
        cmocka_unit_test(test_hostile_footer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
