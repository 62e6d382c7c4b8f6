/* SPDX-License-Identifier: Apache-2.0
 *
 * test_shard_load_model.c: loads of random rows against the naive model: tables of every key form,
 * keys that go up and down; rows in the order of the key, backwards or in none, the same key
 * several times, patches, rows that expire; parts and batches of any size, several tasks, one
 * commit or many; writes before and behind. A fault at any point leaves what was committed. A
 * failure prints the seed; DENDRO_TEST_SEED reproduces it, DENDRO_TEST_SECONDS sets the time
 * budget. */
#include "series_table.h"
#include "shard_model.h"
#include "store/shard_load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define PARTS_MAX 5u
#define BLOBS     3u
#define BLOB_LEN  16u

/* Their Murmur3 token is 42. */
static const char blobs[BLOBS][BLOB_LEN + 1] = {
    "\x22\xd7\x46\xab\xd1\x82\xee\xfc\xc1\xe8\x67\x5e\x9b\xaa\x05\xc5",
    "\x7d\xd4\x28\x07\x17\x2e\x86\xb3\x1d\xb1\xcc\x5f\xc4\xb3\x35\x89",
    "\x40\xeb\x8e\x78\x5d\xea\x63\xbc\x86\xe7\x72\xbf\x9c\xc1\xdf\x3b"};

struct world {
    struct rng rng;
    uint64_t seed;
    struct sim_disk *disk;
    struct volume *v;
    struct catalog *cat;
    struct shard *s;
    struct model m;
    bool collide; /* series are blobs[] */
    bool failed;
};

/* Rows of a load, and the memory that a part of it borrows. */
struct part {
    struct model_batch rows;
    struct arena arena;
    struct colbuf bufs[MODEL_COLS_MAX];
    struct vec vecs[MODEL_COLS_MAX];
    int64_t *expiries; /* owned */
    uint16_t codes[1000];
    uint32_t columns;
    uint32_t released;
};

static void world_die(struct world *w, const char *what, const char *why)
{
    struct buf b;

    buf_init(&b, NULL);
    table_print_create(w->m.t, &b);
    (void)fprintf(stderr,
                  "seed %llu: %s: %s\n%.*s\n",
                  (unsigned long long)w->seed,
                  what,
                  why,
                  (int)b.len,
                  (const char *)b.data);
    buf_done(&b);
    w->failed = true;
}

static void world_open(struct world *w)
{
    struct shard_options o = {
        .memtable_bytes = 1u << 20, .log_chunk_bytes = 1u << 18, .cache_bytes = 1u << 20};
    struct dn_err err;

    if (sim_volume_open(w->disk, rng_next(&w->rng), &w->v, &err) < 0 ||
        shard_open(w->v, w->cat, &o, &w->s, &err) < 0)
        fail_msg("seed %llu: cannot open: %s", (unsigned long long)w->seed, err.text);
}

static void world_close(struct world *w)
{
    shard_close(w->s);
    volume_close(w->v);
    w->s = NULL;
    w->v = NULL;
}

/* t: given up to it; NULL: any. */
static void world_init(struct world *w, uint64_t seed, struct table *t)
{
    struct catalog *empty = NULL;
    struct dn_err err;

    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->rng.state = seed;
    w->disk = sim_disk_new(seed);
    sim_disk_set_clock(w->disk, MODEL_CLOCK_NS);
    t = t ? t : model_random_table(&w->rng, "m");
    if (sim_volume_open(w->disk, seed, &w->v, &err) < 0 || catalog_load(w->v, &empty, &err) < 0 ||
        catalog_with_table(empty, t, &w->cat, &err) < 0)
        fail_msg("%s", err.text);
    volume_close(w->v);
    catalog_unref(empty);
    table_unref(t);
    model_init(&w->m, catalog_table(w->cat, "public", "m", NULL));
    world_open(w);
}

static void world_done(struct world *w)
{
    world_close(w);
    model_done(&w->m);
    catalog_unref(w->cat);
    sim_disk_free(w->disk);
}

static void report(void *arg, bool fault, const char *text)
{
    (void)arg;
    if (fault)
        (void)fprintf(stderr, "check: %s\n", text);
}

static void world_reopen(struct world *w)
{
    uint64_t faults = 0;
    struct dn_err err;

    sim_disk_crash(w->disk);
    world_close(w);
    world_open(w);
    if (shard_check(w->v, w->cat, report, NULL, &faults, &err) < 0 || faults)
        world_die(w, "check", faults ? "faults found" : err.text);
}

static void world_verify(struct world *w, const char *when)
{
    const char *bad = w->failed ? NULL : model_compare(&w->m, w->s, &w->rng);

    if (bad)
        world_die(w, when, bad);
}

/* ---- parts ---- */

static const struct table *sorting; /* whose key part_cmp goes by */

static int part_cmp(const void *a, const void *b)
{
    const struct model_row *x = a;
    const struct model_row *y = b;

    for (uint32_t k = 0; k < sorting->local_count; k++) {
        const struct key_part *p = &sorting->local[k];
        int c = datum_cmp(&x->v[p->col], &y->v[p->col]);

        if (c != 0)
            return p->desc ? -c : c;
    }
    return 0;
}

static int part_cmp_back(const void *a, const void *b)
{
    return -part_cmp(a, b);
}

/* Puts or patches; how: 0 as they are, 1 sorted, 2 sorted without a key twice, 3 backwards. */
static void part_init(struct part *p, struct world *w, uint32_t how)
{
    struct rng *r = &w->rng;
    const struct table *t = w->m.t;
    uint32_t rows_max = rng_below(r, 4) ? 60 : 1000;

    memset(p, 0, sizeof *p);
    do {
        model_batch_done(&p->rows);
        p->rows = model_random_batch(r, t, rows_max);
    } while (p->rows.op == ROW_RANGE || p->rows.op == ROW_DELETE);
    for (uint32_t i = 0; w->collide && i < p->rows.count; i++) {
        struct datum d = {.type = TYPE_BLOB,
                          .str = {.ptr = blobs[rng_below(r, BLOBS)], .len = BLOB_LEN}};

        model_datum_free(&p->rows.rows[i].v[0]);
        p->rows.rows[i].v[0] = model_datum_copy(&d);
    }
    sorting = t;
    if (how > 0 && p->rows.op == ROW_PUT)
        qsort(
            p->rows.rows, p->rows.count, sizeof *p->rows.rows, how == 3 ? part_cmp_back : part_cmp);
    for (uint32_t i = 1; how == 2 && p->rows.op == ROW_PUT && i < p->rows.count;) {
        struct model_row *row = &p->rows.rows[i];

        if (part_cmp(row - 1, row) != 0) {
            i++;
            continue;
        }
        for (uint32_t c = 0; c < MODEL_COLS_MAX; c++)
            model_datum_free(&row->v[c]);
        p->rows.count--;
        memmove(row, row + 1, (p->rows.count - i) * sizeof *row);
    }
    arena_init(&p->arena, NULL);
    p->columns = t->columns_count;
    for (uint32_t c = 0; c < t->columns_count; c++)
        colbuf_init(&p->bufs[c], t->columns[c].type, NULL, &p->arena);
    for (uint32_t i = 0; i < p->rows.count; i++)
        for (uint32_t c = 0; c < t->columns_count; c++)
            assert_true(p->rows.absent[i][c] ? colbuf_append_absent(&p->bufs[c])
                                             : colbuf_append(&p->bufs[c], &p->rows.rows[i].v[c]));
    for (uint32_t c = 0; c < t->columns_count; c++)
        p->vecs[c] = colbuf_vec(&p->bufs[c], 0, p->rows.count);
}

/* A column whose first value stands for all of them, as that of a default. */
static void part_constant(struct part *p, struct rng *r, const struct table *t)
{
    uint32_t c = rng_below(r, t->columns_count);

    if (p->rows.op != ROW_PUT)
        return;
    for (uint32_t i = 1; i < p->rows.count; i++) {
        model_datum_free(&p->rows.rows[i].v[c]);
        p->rows.rows[i].v[c] = model_datum_copy(&p->rows.rows[0].v[c]);
    }
    p->vecs[c].form = VEC_CONST;
}

/* Columns of strings as DICT, with entries in another order; some of them are the same. */
static void part_dicts(struct part *p, const struct table *t)
{
    uint32_t rows = p->rows.count;

    for (uint32_t i = 0; i < rows; i++)
        p->codes[i] = (uint16_t)(rows - 1 - i);
    for (uint32_t c = 0; c < t->columns_count; c++) {
        struct vec *v = &p->vecs[c];
        struct vstr *entries;

        if (!type_is_string(v->type) || v->absent || v->form != VEC_FLAT)
            continue;
        entries = arena_alloc_array(&p->arena, rows, sizeof *entries);
        assert_non_null(entries);
        for (uint32_t i = 0; i < rows; i++)
            entries[rows - 1 - i] = vec_is_null(v, i) ? (struct vstr){.ptr = ""} : vec_str(v, i);
        v->form = VEC_DICT;
        v->data = entries;
        v->codes = p->codes;
        v->dict_count = rows;
    }
}

static void part_release(void *arg)
{
    struct part *p = arg;

    p->released++;
}

static struct shard_load_part part_rows(struct part *p)
{
    struct shard_load_part rows = {.cols = p->vecs,
                                   .rows = p->rows.count,
                                   .op = p->rows.op,
                                   .expiry_ns = p->rows.rows[0].expiry_ns,
                                   .bytes = 100 * p->rows.count,
                                   .release = part_release,
                                   .arg = p};
    bool same = true;

    p->expiries = mem_alloc_array(NULL, p->rows.count, sizeof *p->expiries);
    assert_non_null(p->expiries);
    for (uint32_t i = 0; i < p->rows.count; i++) {
        p->expiries[i] = p->rows.rows[i].expiry_ns;
        same = same && p->expiries[i] == p->expiries[0];
    }
    rows.expiries = same ? NULL : p->expiries;
    return rows;
}

static void part_done(struct part *p)
{
    assert_int_equal(p->released, 1);
    for (uint32_t c = 0; c < p->columns; c++)
        colbuf_done(&p->bufs[c]);
    arena_done(&p->arena);
    mem_free(p->expiries);
    model_batch_done(&p->rows);
}

/* ---- loads ---- */

static int load(struct world *w,
                const struct shard_load_part *parts,
                uint32_t count,
                const struct shard_load_options *o,
                struct dn_err *err)
{
    struct shard_load *l = NULL;
    uint64_t rows = 0;
    uint32_t i = 0;
    int rc = shard_load_begin(w->s, w->m.t, o, &l, err);

    for (; rc == 0 && i < count; i++) {
        rc = shard_load_add(l, &parts[i], err);
        rows += parts[i].rows;
    }
    if (rc == 0)
        rc = shard_load_end(l, err);
    if (rc == 0)
        assert_int_equal(shard_load_committed(l), rows);
    shard_load_free(l);
    for (; i < count; i++)
        parts[i].release(parts[i].arg); /* they were never the load's */
    return rc;
}

/* After a fault: all rows, none or (not whole) those of the first parts. */
static void world_adopt(struct world *w, struct part *parts, uint32_t count, bool whole)
{
    struct model with;

    if (!model_compare(&w->m, w->s, NULL))
        return;
    model_copy(&w->m, &with);
    for (uint32_t i = 0; i < count; i++) {
        model_apply(&with, &parts[i].rows);
        if ((whole && i + 1 < count) || model_compare(&with, w->s, NULL))
            continue;
        model_done(&w->m);
        w->m = with;
        return;
    }
    model_done(&with);
    world_die(w, "after a fault", "rows of a load are neither there nor gone");
}

static void world_load(struct world *w)
{
    struct rng *r = &w->rng;
    struct part parts[PARTS_MAX];
    struct shard_load_part rows[PARTS_MAX];
    uint32_t count = 1 + rng_below(r, PARTS_MAX);
    uint32_t how = rng_below(r, 4);
    uint32_t how_dict = rng_below(r, 3);
    static const uint32_t task_rows[] = {1, 16, 200, 0};
    struct shard_load_options o = {.batch_bytes = rng_below(r, 2) ? 1u << 20 : 20000,
                                   .whole = rng_below(r, 2),
                                   .task_rows = task_rows[rng_below(r, 4)]};
    uint32_t fault = rng_below(r, 6);
    struct dn_err err;
    int rc;

    for (uint32_t i = 0; i < count; i++) {
        part_init(&parts[i], w, rng_below(r, 8) ? how : rng_below(r, 4));
        if (rng_below(r, 4) == 0)
            part_constant(&parts[i], r, w->m.t);
        if (how_dict == 1 || (how_dict == 2 && rng_below(r, 2)))
            part_dicts(&parts[i], w->m.t);
        rows[i] = part_rows(&parts[i]);
    }
    if (fault == 0)
        sim_disk_fail_nth(w->disk,
                          1 + rng_below(r, 8),
                          (enum sim_fault)(SIM_FAULT_IO + rng_below(r, 3)),
                          rng_below(r, 2));
    else if (fault == 1)
        mem_fail_nth(1 + rng_below(r, 400), false);
    rc = load(w, rows, count, &o, &err);
    mem_fail_nth(0, false);
    sim_disk_fail_nth(w->disk, 0, SIM_FAULT_NONE, false);
    if (rc < 0 && fault > 1)
        world_die(w, "load", err.text);
    if (rc < 0 || fault == 0) {
        world_reopen(w);
        if (!w->failed && rc < 0)
            world_adopt(w, parts, count, o.whole);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (rc == 0)
            model_apply(&w->m, &parts[i].rows);
        part_done(&parts[i]);
    }
    world_verify(w, "after a load");
}

static void world_step(struct world *w)
{
    uint32_t what = rng_below(&w->rng, 8);
    struct dn_err err;
    int rc = 0;

    if (what < 4) {
        world_load(w);
    } else if (what < 6) {
        struct model_batch b = model_random_batch(&w->rng, w->m.t, 40);

        rc = model_write(w->s, w->m.t, &b, true, &err);
        model_apply(&w->m, &b);
        model_batch_done(&b);
    } else if (what < 7) {
        rc = rng_below(&w->rng, 2) ? shard_flush(w->s, &err) : shard_merge(w->s, &err);
    } else {
        world_reopen(w);
    }
    if (rc < 0)
        world_die(w, "step", err.text);
    world_verify(w, "after a step");
}

static uint64_t now_ms(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_random(void **state)
{
    uint64_t seed = env_number("DENDRO_TEST_SEED", 0);
    uint64_t end = now_ms() + env_number("DENDRO_TEST_SECONDS", 8) * 1000;
    uint64_t first = seed ? seed : 1;

    (void)state;
    for (uint64_t n = first; n == first || (!seed && now_ms() < end); n++) {
        size_t before = mem_process_used();
        struct world w;

        world_init(&w, n, NULL);
        for (int i = 0; i < 12 && !w.failed; i++)
            world_step(&w);
        world_done(&w);
        assert_false(w.failed);
        assert_int_equal(mem_process_used(), before);
    }
}

/* Different series with one token: their values decide. */
static void test_same_token(void **state)
{
    const struct column_spec cols[3] = {{.name.s = "c0", .type = TYPE_BLOB, .not_null = true},
                                        {.name.s = "c1", .type = TYPE_TIMESTAMP, .not_null = true},
                                        {.name.s = "c2", .type = TYPE_BIGINT}};

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct world w;

        world_init(&w, seed, series_table("m", cols));
        w.collide = true;
        for (int i = 0; i < 4 && !w.failed; i++)
            world_load(&w);
        world_done(&w);
        assert_false(w.failed);
    }
}

/* Parts that are cut into several runs: without a key, and with the time that goes down. */
static void test_long_parts(void **state)
{
    enum { ROWS = 50000, TASK_ROWS = 20000 };
    static int64_t times[ROWS];
    const struct column_spec col = {.name.s = "t", .type = TYPE_TIMESTAMP, .not_null = true};
    struct key_elem_spec key = {.name = col.name, .desc = true, .order_given = true};

    (void)state;
    for (uint32_t i = 0; i < ROWS; i++)
        times[i] = (ROWS - i) * INT64_C(1000); /* of one day */
    for (int keyed = 0; keyed < 2; keyed++) {
        struct column_spec c = col;
        struct table_spec spec = {.schema.s = "public",
                                  .name.s = "m",
                                  .columns = &c,
                                  .columns_count = 1,
                                  .has_key = keyed,
                                  .keys_count = (uint32_t)keyed,
                                  .local = &key,
                                  .local_count = (uint32_t)keyed};
        struct vec v = {.type = TYPE_TIMESTAMP, .count = ROWS, .data = times};
        struct shard_load_part part = {.cols = &v, .rows = ROWS, .op = ROW_PUT};
        struct shard_load_options o = {
            .batch_bytes = 1u << 20, .whole = true, .task_rows = TASK_ROWS};
        struct shard_load *l = NULL;
        struct world w;
        struct dn_err err;
        struct table *t;

        if (table_build(&spec, &t, &err) < 0)
            fail_msg("%s", err.text);
        world_init(&w, 1, t);
        if (shard_load_begin(w.s, w.m.t, &o, &l, &err) < 0 || shard_load_add(l, &part, &err) < 0 ||
            shard_load_end(l, &err) < 0)
            fail_msg("%s", err.text);
        shard_load_free(l);
        for (uint32_t i = 0; i < ROWS; i++) { /* physical order: as they came */
            struct model_row row = {.v[0] = {.type = TYPE_TIMESTAMP, .v.i64 = times[i]},
                                    .rowid = i + 1};

            model_put(&w.m, &row);
        }
        world_reopen(&w);
        world_verify(&w, "after a load of one part");
        world_done(&w);
        assert_false(w.failed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_same_token),
        cmocka_unit_test(test_long_parts),
    };

    return cmocka_run_group_tests_name("shard load model", tests, NULL, NULL);
}
