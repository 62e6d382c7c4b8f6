/* SPDX-License-Identifier: Apache-2.0
 *
 * test_scan_units.c: reading a scan unit by unit against reading it as batches: random tables, keys
 * ascending and descending, long and short runs, overwritten, patched and deleted rows, flushes at
 * random, random constraints of one or more intervals. Whatever a unit claims (constraints that
 * hold, zones, constants, times) is checked against its decoded rows; the rows of all readers
 * together must be those of scan_next, in whatever order. A failure prints the seed;
 * DENDRO_TEST_SEED reproduces it.
 */
#include "catalog/catalog.h"
#include "store/scan.h"
#include "store/shard.h"
#include "volume/sim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define COLS      5u
#define BATCH_MAX 1800u
#define SETS_MAX  3u
#define READERS   3u

static uint64_t seed_now;
static uint64_t picks; /* units of which rows were picked */
static uint64_t rng_state;

static uint64_t rnd(void)
{
    rng_state += 0x9e3779b97f4a7c15u;
    uint64_t x = rng_state;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static uint32_t below(uint32_t n)
{
    return (uint32_t)(rnd() % n);
}

#define CHECK(cond)                                                                            \
    do {                                                                                       \
        if (!(cond))                                                                           \
            fail_msg("seed %llu: line %d: %s", (unsigned long long)seed_now, __LINE__, #cond); \
    } while (0)

/* series, time, value, number, tag; PRIMARY KEY ((series[, QUANTUM(time, 1, 'd')]), series, time)
 */
static struct table *make_table(bool quantum, bool desc)
{
    struct column_spec cols[COLS] = {{.name.s = "series", .type = TYPE_BIGINT, .not_null = true},
                                     {.name.s = "time", .type = TYPE_TIMESTAMP, .not_null = true},
                                     {.name.s = "value", .type = TYPE_DOUBLE},
                                     {.name.s = "number", .type = TYPE_BIGINT},
                                     {.name.s = "tag", .type = TYPE_VARCHAR}};
    struct key_elem_spec part[2] = {
        {.name.s = "series"}, {.name.s = "time", .is_quantum = true, .count = 1, .unit = "d"}};
    struct key_elem_spec local[2] = {{.name.s = "series"},
                                     {.name.s = "time", .desc = desc, .order_given = desc}};
    struct table_spec spec = {.schema.s = "public",
                              .name.s = "t",
                              .columns = cols,
                              .columns_count = COLS,
                              .has_key = true,
                              .keys_count = 1,
                              .has_inner = true,
                              .partition = part,
                              .partition_count = quantum ? 2 : 1,
                              .local = local,
                              .local_count = 2};
    struct table *t;
    struct dn_err err;

    if (table_build(&spec, &t, &err) < 0)
        fail_msg("%s", err.text);
    return t;
}

/* How batches lie to each other. */
enum lie {
    LIE_ANYHOW,
    LIE_TIMES,  /* mostly behind each other in time */
    LIE_SERIES, /* mostly each with series of its own */
    LIE_WOVEN,  /* the same, with those of others between them */
    LIE_MAX
};

struct shape {
    uint32_t series_max;
    uint32_t span; /* of the times of a batch */
    enum lie lie;
    uint32_t batches; /* so far */
};

/* Some rows: mostly one after the other in time, per series. */
static void write_some(struct shard *s, const struct table *t, struct shape *shape)
{
    uint32_t series_max = shape->series_max;
    uint32_t span = shape->span;
    int64_t far = shape->lie == LIE_TIMES ? (int64_t)shape->batches * (span + BATCH_MAX * 40) : 0;
    int64_t others = shape->lie == LIE_SERIES ? (int64_t)shape->batches * series_max : 0;
    static const char *const tags[4] = {"a", "b", "a tag of more than sixteen bytes", ""};
    uint32_t n = 1 + below(BATCH_MAX);
    int64_t *series = mem_calloc(NULL, n, sizeof *series);
    int64_t *times = mem_calloc(NULL, n, sizeof *times);
    double *values = mem_calloc(NULL, n, sizeof *values);
    int64_t *numbers = mem_calloc(NULL, n, sizeof *numbers);
    struct vstr *strings = mem_calloc(NULL, n, sizeof *strings);
    uint64_t *nulls = mem_calloc(NULL, VEC_BITMAP_WORDS(n), sizeof *nulls);
    uint64_t *absent = mem_calloc(NULL, VEC_BITMAP_WORDS(n), sizeof *absent);
    uint32_t kind = below(10);
    bool same = below(3) == 0; /* one value: constraints leave out all rows or none */
    struct vec cols[COLS] = {
        {.type = TYPE_BIGINT, .count = n, .data = series},
        {.type = TYPE_TIMESTAMP, .count = n, .data = times},
        {.type = TYPE_DOUBLE, .count = n, .data = values, .nulls = below(2) ? NULL : nulls},
        {.type = TYPE_BIGINT, .count = n, .data = numbers},
        {.type = TYPE_VARCHAR, .count = n, .data = strings}};
    struct shard_batch b = {.table = t, .cols = cols, .rows = n, .op = ROW_PUT};
    int64_t at = 1 + (int64_t)below(span);
    uint32_t tag = below(4);
    struct dn_err err;

    CHECK(series && times && values && numbers && strings && nulls && absent);
    if (kind == 0)
        b.op = ROW_DELETE;
    if (kind == 1)
        b.op = ROW_PATCH;
    for (uint32_t i = 0; i < n; i++) {
        bool stray = b.op != ROW_PUT || below(50) == 0;
        series[i] = below(series_max) + (stray && below(2) ? 0 : others);
        if (shape->lie == LIE_WOVEN && !stray)
            series[i] = 100 + series[i] * 32 + shape->batches;
        at += below(40);
        times[i] = stray && shape->lie != LIE_SERIES ? 1 + (int64_t)below(span) : at + far;
        values[i] = (double)below(1000) / 4;
        numbers[i] = same || below(8) ? 7 : below(1000);
        strings[i] = (struct vstr){tags[tag], (uint32_t)strlen(tags[tag])};
        if (below(200) == 0)
            tag = below(4);
        if (below(4) == 0)
            vec_bit_set(nulls, i);
        if (b.op == ROW_PATCH && below(2))
            vec_bit_set(absent, i);
    }
    shape->batches++;
    if (b.op == ROW_PATCH)
        cols[3].absent = cols[3].nulls = absent;
    if (shard_write(s, &b, 1, false, NULL, &err) < 0)
        fail_msg("%s", err.text);
    mem_free(series);
    mem_free(times);
    mem_free(values);
    mem_free(numbers);
    mem_free(strings);
    mem_free(nulls);
    mem_free(absent);
}

/* ---- constraints ---- */

struct preds {
    struct scan_pred list[COLS];
    struct interval sets[COLS][SETS_MAX];
    uint32_t count;
};

static struct datum pred_datum(uint32_t col, int64_t x)
{
    static const enum type_id types[COLS] = {
        TYPE_BIGINT, TYPE_TIMESTAMP, TYPE_DOUBLE, TYPE_BIGINT, TYPE_VARCHAR};
    struct datum d = {.type = types[col]};

    if (col == 2)
        d.v.f64 = (double)x / 4;
    else if (col == 4)
        d.str = x % 2 ? (struct vstr){"a", 1} : (struct vstr){"b", 1};
    else
        d.v.i64 = x;
    return d;
}

static void pred_random(struct preds *p, uint32_t col, uint32_t span)
{
    uint32_t scale = col == 0 ? 6 : col == 1 ? span : col == 4 ? 2 : 1000;
    bool all = below(4) == 0; /* only NULL is outside */
    uint32_t n = all || col == 4 ? 1 : 1 + below(SETS_MAX);
    int64_t at = below(scale);
    struct interval *set = p->sets[p->count];

    for (uint32_t i = 0; i < n; i++) {
        int64_t end = at + (int64_t)(col == 4 ? 0 : below(scale / n + 1));
        set[i] = (struct interval){.has_lo = !all && (i > 0 || below(3)),
                                   .lo_incl = end == at || below(2),
                                   .has_hi = !all && (i + 1 < n || below(3)),
                                   .hi_incl = end == at || below(2),
                                   .lo = pred_datum(col, at),
                                   .hi = pred_datum(col, end)};
        at = end + 1 + below(5);
    }
    p->list[p->count] = (struct scan_pred){.col = (uint16_t)col, .set = set, .set_count = n};
    p->count++;
}

static bool pred_match(const struct scan_pred *p, const struct datum *d)
{
    for (uint32_t i = 0; i < p->set_count && !d->null; i++) {
        const struct interval *iv = &p->set[i];
        int lo = iv->has_lo ? datum_cmp(d, &iv->lo) : 1;
        int hi = iv->has_hi ? datum_cmp(d, &iv->hi) : -1;
        if ((lo > 0 || (lo == 0 && iv->lo_incl)) && (hi < 0 || (hi == 0 && iv->hi_incl)))
            return true;
    }
    return false;
}

/* ---- what was read ---- */

struct digest {
    uint64_t rows;
    uint64_t sum;   /* of hashes of rows */
    uint64_t order; /* polynomial of the hashes: the same forward and, with `falling`, backward */
    uint64_t power;
};
#define ORDER_BASE 0x9e3779b97f4a7c15u

static uint64_t row_hash(const struct batch *b, uint32_t row)
{
    uint64_t h = 0;

    for (uint32_t c = 0; c < b->cols_count; c++) {
        struct datum d = vec_datum(&b->cols[c], row);
        uint64_t x = d.null ? 77 : (uint64_t)d.v.i64;
        if (!d.null && d.type == TYPE_VARCHAR)
            for (uint32_t i = 0; i < d.str.len; i++)
                x = x * 31 + (uint8_t)d.str.ptr[i];
        h = (h ^ x) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

/* falling: from the last row of the table to the first; flip: this batch is the other way round. */
static void
digest_add(struct digest *g, const struct batch *b, const struct preds *p, bool falling, bool flip)
{
    for (uint32_t n = 0; n < b->sel_count; n++) {
        uint32_t i = flip ? b->sel_count - 1 - n : n;
        uint32_t row = b->sel ? b->sel[i] : i;
        bool in = true;
        for (uint32_t k = 0; k < p->count; k++) {
            struct datum d = vec_datum(&b->cols[p->list[k].col], row);
            in = in && pred_match(&p->list[k], &d);
        }
        if (in) {
            uint64_t h = row_hash(b, row);
            g->rows++;
            g->sum += h;
            g->power = g->power ? g->power * ORDER_BASE : 1;
            g->order = falling ? g->order + h * g->power : g->order * ORDER_BASE + h;
        }
    }
}

/* ---- claims of a unit ---- */

/* What zones say of one column, gathered again from decoded rows. */
struct seen {
    uint64_t rows;
    uint64_t nulls;
    bool any;
    struct datum min; /* strings stay readable: they are in the segment or static */
    struct datum max;
    double sum;
};

static void seen_add(struct seen *s, const struct vec *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        struct datum d = vec_datum(v, i);
        s->rows++;
        s->nulls += d.null;
        if (d.null)
            continue;
        if (type_is_string(d.type))
            continue;
        if (!s->any || datum_cmp(&d, &s->min) < 0)
            s->min = d;
        if (!s->any || datum_cmp(&d, &s->max) > 0)
            s->max = d;
        s->any = true;
        s->sum += type_is_float(d.type) ? d.v.f64 : (double)d.v.i64;
    }
}

static void check_zone(const struct zone *z, const struct seen *s)
{
    CHECK(z->rows == s->rows && z->nulls == s->nulls);
    if (!s->any)
        return;
    CHECK(z->has_range && z->min_exact && z->max_exact);
    CHECK(datum_cmp(&z->min, &s->min) == 0 && datum_cmp(&z->max, &s->max) == 0);
    if (z->has_sum)
        CHECK(fabs((type_is_float(z->min.type) ? z->sum.f64 : (double)z->sum.i64) - s->sum) <=
              1e-9 * (1 + fabs(s->sum)));
}

/* The claims that need no whole unit, against its rows. */
static void check_rows(struct scan_reader *r,
                       const struct scan_unit *u,
                       const struct batch *b,
                       const struct preds *p)
{
    bool proven = true;
    int64_t min;
    int64_t max;

    CHECK(u->rows == b->count && b->sel == NULL && u->rows <= VEC_ROWS_MAX);
    for (uint32_t k = 0; k < p->count; k++) {
        proven = proven && u->holds[k];
        for (uint32_t i = 0; i < b->count && u->holds[k]; i++) {
            struct datum d = vec_datum(&b->cols[p->list[k].col], i);
            CHECK(pred_match(&p->list[k], &d));
        }
    }
    CHECK(proven == u->proven);
    for (uint32_t c = 0; c < COLS; c++) {
        struct datum one;
        bool same = scan_unit_const(r, c, &one);
        CHECK(b->cols[c].count == b->count);
        for (uint32_t i = 0; i < b->count && same; i++) {
            struct datum d = vec_datum(&b->cols[c], i);
            CHECK(d.null == one.null && (d.null || datum_cmp(&d, &one) == 0));
        }
        CHECK(c != 0 || same == u->one_run || same);
    }
    if (scan_unit_time(r, &min, &max))
        for (uint32_t i = 0; i < b->count; i++)
            CHECK(vec_i64(&b->cols[1], i) >= min && vec_i64(&b->cols[1], i) <= max);
}

struct reading {
    struct scan_reader *r;
    bool reverse;
    bool done;
    uint64_t morsel;
    /* a block that was split: its zones, and what its vectors showed so far */
    uint32_t block_left; /* rows */
    bool zone_known[COLS];
    struct zone zones[COLS];
    struct seen seen[COLS];
};

static void read_block(struct reading *g, const struct scan_unit *u, uint32_t preds_count)
{
    CHECK(g->block_left == 0 && u->whole);
    memset(g->seen, 0, sizeof g->seen);
    for (uint32_t c = 0; c < COLS; c++)
        g->zone_known[c] = scan_unit_zone(g->r, c, &g->zones[c]);
    /* With constraints some of its vectors may be left out, or cut. */
    g->block_left = preds_count && !u->proven ? 0 : u->rows;
    scan_unit_split(g->r);
}

static void read_rows(struct reading *g, const struct scan_unit *u, const struct batch *b)
{
    for (uint32_t c = 0; c < COLS; c++) {
        struct zone z;
        struct seen s = {0};
        if (scan_unit_zone(g->r, c, &z)) {
            seen_add(&s, &b->cols[c]);
            if (!type_is_string(b->cols[c].type))
                check_zone(&z, &s);
        }
        if (g->block_left)
            seen_add(&g->seen[c], &b->cols[c]);
    }
    if (!g->block_left)
        return;
    CHECK(u->rows <= g->block_left);
    g->block_left -= u->rows;
    for (uint32_t c = 0; c < COLS && g->block_left == 0; c++)
        if (g->zone_known[c] && !type_is_string(b->cols[c].type))
            check_zone(&g->zones[c], &g->seen[c]);
}

static void read_unit(struct reading *g, const struct preds *p, struct digest *sum)
{
    static const uint32_t cols[COLS] = {4, 2, 0, 3, 1};
    uint32_t part = below(COLS);
    struct scan_unit u;
    struct batch b;
    struct dn_err err;
    int rc = scan_unit_next(g->r, &u, &err);

    if (rc < 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed_now, err.text);
    g->done = rc == DN_EOF;
    if (g->done)
        return;
    CHECK(u.morsel >= g->morsel);
    g->morsel = u.morsel;
    if (u.kind == SCAN_BLOCK) {
        read_block(g, &u, p->count);
        return;
    }
    rc = scan_unit_fetch(g->r, cols, part, &b, &err); /* in two steps */
    if (rc == 0)
        rc = scan_unit_fetch(g->r, cols, COLS, &b, &err);
    if (rc < 0)
        fail_msg("seed %llu: %s", (unsigned long long)seed_now, err.text);
    check_rows(g->r, &u, &b, p);
    read_rows(g, &u, &b);
    CHECK(g->reverse || !u.backward);
    digest_add(sum, &b, p, g->reverse, g->reverse && !u.backward);
}

static void compare_once(struct shard *s, const struct table *t, uint32_t span)
{
    static const uint16_t cols[COLS] = {0, 1, 2, 3, 4};
    struct preds p = {.count = 0};
    struct scan_spec spec = {.table = t, .cols = cols, .cols_count = COLS, .preds = p.list};
    struct scan_reader_options options = {.blocks = below(3),
                                          .morsel_rows = below(2) ? 1 + below(5000) : 0};
    struct snapshot *snap = shard_snapshot(s);
    struct reading readings[READERS] = {0};
    uint32_t readers = 1 + below(READERS);
    struct digest want = {0};
    struct digest got = {0};
    struct scan *scan = NULL;
    bool reverse = below(2);
    bool any_order = below(2);
    struct batch b;
    struct dn_err err;
    int rc;

    for (uint32_t c = 0; c < COLS; c++)
        if (below(3) == 0)
            pred_random(&p, c, span);
    spec.preds_count = p.count;
    spec.plain = true;
    CHECK(snap);
    rc = scan_open(snap, &spec, &scan, &err);
    while (rc == 0 && (rc = scan_next(scan, &b, &err)) == 0)
        digest_add(&want, &b, &p, false, false);
    CHECK(rc == DN_EOF);
    scan_close(scan);
    spec.plain = below(8) == 0;
    CHECK(scan_open(snap, &spec, &scan, &err) == 0 && scan_share(scan, &err) == 0);
    if (reverse)
        scan_reverse(scan);
    if (any_order)
        CHECK(scan_any_order(scan, &err) == 0);
    for (uint32_t i = 0; i < readers; i++) {
        readings[i].reverse = reverse;
        CHECK(scan_reader_new(scan, &options, &readings[i].r, &err) == 0);
    }
    for (uint32_t left = readers; left > 0;) {
        struct reading *g = &readings[below(readers)];
        if (g->done)
            continue;
        read_unit(g, &p, &got);
        left -= g->done;
    }
    CHECK(got.rows == want.rows && got.sum == want.sum);
    CHECK(readers > 1 || any_order || got.order == want.order);
    for (uint32_t i = 0; i < readers; i++)
        scan_reader_free(readings[i].r);
    scan_close(scan);
    snapshot_free(snap);
}

/* Some rows of a unit, ascending; how many. */
static uint32_t random_rows(const struct scan_unit *u, uint16_t rows[SCAN_FEW_ROWS])
{
    uint32_t count = 1 + below(SCAN_FEW_ROWS);
    uint32_t n = 0;

    for (uint32_t i = 0, from = 0; i < count && from < u->rows; i++) {
        uint32_t row = below(3) ? from + below(u->rows - from) : below(2) ? from : u->rows - 1;

        rows[n++] = (uint16_t)row;
        from = row + 1;
    }
    return n;
}

/* A unit of two readers alike: one decodes all of it, the other picks a few rows. */
static bool compare_pick(struct scan_reader *all, struct scan_reader *few)
{
    static const uint32_t cols[COLS] = {3, 0, 4, 2, 1};
    uint32_t before = below(3) ? 0 : below(COLS);
    uint32_t part = below(COLS);
    uint16_t rows[SCAN_FEW_ROWS];
    struct scan_unit u;
    struct scan_unit v;
    struct batch a;
    struct batch b;
    struct dn_err err;
    uint32_t count;
    bool picked;
    int rc = scan_unit_next(all, &u, &err);

    CHECK(scan_unit_next(few, &v, &err) == rc && rc >= 0);
    if (rc == DN_EOF)
        return false;
    CHECK(u.rows == v.rows && u.kind == v.kind);
    count = random_rows(&u, rows);
    CHECK(scan_unit_fetch(all, cols, COLS, &a, &err) == 0);
    CHECK(scan_unit_fetch(few, cols, before, &b, &err) == 0);
    rc = scan_unit_pick(few, rows, count, &b, &err);
    CHECK(rc == 0 || rc == DN_NOT_FOUND);
    picked = rc == 0;
    picks += picked;
    CHECK(scan_unit_fetch(few, cols, part, &b, &err) == 0);
    CHECK(scan_unit_fetch(few, cols, COLS, &b, &err) == 0);
    CHECK(b.sel_count == (picked ? count : u.rows) && !b.sel);
    for (uint32_t i = 0; i < count; i++)
        CHECK(row_hash(&a, rows[i]) == row_hash(&b, picked ? i : rows[i]));
    return true;
}

static void compare_picks(struct shard *s, const struct table *t, uint32_t span)
{
    static const uint16_t cols[COLS] = {0, 1, 2, 3, 4};
    struct preds p = {.count = 0};
    struct scan_spec spec = {.table = t, .cols = cols, .cols_count = COLS, .preds = p.list};
    const struct scan_reader_options options = {.morsel_rows = 0};
    struct snapshot *snap = shard_snapshot(s);
    struct scan *scans[2] = {NULL, NULL};
    struct scan_reader *readers[2] = {NULL, NULL};
    bool reverse = below(2);
    struct dn_err err;

    for (uint32_t c = 0; c < COLS; c++)
        if (below(4) == 0)
            pred_random(&p, c, span);
    spec.preds_count = p.count;
    CHECK(snap);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(scan_open(snap, &spec, &scans[i], &err) == 0);
        if (reverse)
            scan_reverse(scans[i]);
        CHECK(scan_reader_new(scans[i], &options, &readers[i], &err) == 0);
    }
    while (compare_pick(readers[0], readers[1]))
        ;
    for (uint32_t i = 0; i < 2; i++) {
        scan_reader_free(readers[i]);
        scan_close(scans[i]);
    }
    snapshot_free(snap);
}

static void run_seed(uint64_t seed)
{
    bool quantum;
    struct sim_disk *disk = sim_disk_new(seed);
    struct shard_options o = {
        .memtable_bytes = 16u << 20, .log_chunk_bytes = 1u << 22, .cache_bytes = 1u << 20};
    struct shape shape = {.batches = 0};
    struct catalog *cat = NULL;
    struct catalog *next = NULL;
    const struct table *t;
    struct table *made;
    struct volume *v = NULL;
    struct shard *s = NULL;
    struct dn_err err;

    seed_now = rng_state = seed;
    quantum = below(2);
    shape.span = 1u << (12 + below(6));
    shape.series_max = below(2) ? 2 : 1 + below(100);
    shape.lie = (enum lie)below(LIE_MAX);
    made = make_table(quantum, below(2));
    if (sim_volume_open(disk, seed, &v, &err) < 0 || catalog_load(v, &cat, &err) < 0 ||
        catalog_with_table(cat, made, &next, &err) < 0)
        fail_msg("%s", err.text);
    table_unref(made);
    catalog_unref(cat);
    t = catalog_table(next, "public", "t", NULL);
    if (shard_open(v, next, &o, &s, &err) < 0)
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < 8; i++) {
        write_some(s, t, &shape);
        if (below(3) == 0)
            CHECK(shard_flush(s, &err) == 0);
        if (below(6) == 0)
            CHECK(shard_merge(s, &err) == 0);
        for (uint32_t k = 0; k < 3; k++)
            compare_once(s, t, shape.span);
        compare_picks(s, t, shape.span);
    }
    CHECK(shard_flush(s, &err) == 0 && shard_merge(s, &err) == 0);
    for (uint32_t i = 0; i < 8; i++)
        compare_once(s, t, shape.span);
    for (uint32_t i = 0; i < 4; i++)
        compare_picks(s, t, shape.span);
    shard_close(s);
    volume_close(v);
    catalog_unref(next);
    sim_disk_free(disk);
}

/* A segment of rows of one series from a time on, all with one number. */
static void write_plain(struct shard *s, const struct table *t, int64_t from, int64_t number)
{
    static int64_t times[BATCH_MAX];
    static const int64_t series = 5;
    static const uint64_t null = 1;
    static const struct vstr tag = {"a", 1};
    static const double value = 0;
    struct vec cols[COLS] = {
        {.type = TYPE_BIGINT, .form = VEC_CONST, .count = BATCH_MAX, .data = &series},
        {.type = TYPE_TIMESTAMP, .count = BATCH_MAX, .data = times},
        {.type = TYPE_DOUBLE,
         .form = VEC_CONST,
         .count = BATCH_MAX,
         .data = &value,
         .nulls = &null},
        {.type = TYPE_BIGINT, .form = VEC_CONST, .count = BATCH_MAX, .data = &number},
        {.type = TYPE_VARCHAR, .form = VEC_CONST, .count = BATCH_MAX, .data = &tag}};
    struct shard_batch b = {.table = t, .cols = cols, .rows = BATCH_MAX, .op = ROW_PUT};
    struct dn_err err;

    for (uint32_t i = 0; i < BATCH_MAX; i++)
        times[i] = from + i;
    if (shard_write(s, &b, 1, false, NULL, &err) < 0 || shard_flush(s, &err) < 0)
        fail_msg("%s", err.text);
}

/* Rows with this number, and how many segments were read for them. */
static uint64_t
count_number(struct shard *s, const struct table *t, int64_t number, uint64_t *ret_segments)
{
    static const uint16_t cols[COLS] = {0, 1, 2, 3, 4};
    const struct interval iv = {.has_lo = true,
                                .lo_incl = true,
                                .has_hi = true,
                                .hi_incl = true,
                                .lo = pred_datum(3, number),
                                .hi = pred_datum(3, number)};
    struct preds p = {.list = {{.col = 3, .set = &iv, .set_count = 1}}, .count = 1};
    const struct scan_spec spec = {
        .table = t, .cols = cols, .cols_count = COLS, .preds = p.list, .preds_count = 1};
    struct snapshot *snap = shard_snapshot(s);
    struct scan_stats stats;
    struct digest got = {0};
    struct scan *scan = NULL;
    struct batch b;
    struct dn_err err;
    int rc = scan_open(snap, &spec, &scan, &err);

    while (rc == 0 && (rc = scan_next(scan, &b, &err)) == 0)
        digest_add(&got, &b, &p, false, false);
    CHECK(rc == DN_EOF);
    scan_get_stats(scan, &stats);
    *ret_segments = stats.segments_read;
    scan_close(scan);
    snapshot_free(snap);
    return got.rows;
}

/* A segment is left out for what its columns have only if no other has its keys: rows that do not
 * satisfy a constraint may stand over some that do. */
static void test_left_out(void **state)
{
    struct sim_disk *disk = sim_disk_new(1);
    struct shard_options o = {
        .memtable_bytes = 16u << 20, .log_chunk_bytes = 1u << 22, .cache_bytes = 1u << 20};
    struct table *made = make_table(false, false);
    struct catalog *cat = NULL;
    struct catalog *next = NULL;
    struct volume *v = NULL;
    struct shard *s = NULL;
    const struct table *t;
    struct dn_err err;
    uint64_t segments;

    (void)state;
    if (sim_volume_open(disk, 1, &v, &err) < 0 || catalog_load(v, &cat, &err) < 0 ||
        catalog_with_table(cat, made, &next, &err) < 0)
        fail_msg("%s", err.text);
    table_unref(made);
    catalog_unref(cat);
    t = catalog_table(next, "public", "t", NULL);
    if (shard_open(v, next, &o, &s, &err) < 0)
        fail_msg("%s", err.text);
    write_plain(s, t, 1, 7);
    write_plain(s, t, 10 * BATCH_MAX, 7);
    assert_int_equal(count_number(s, t, 7, &segments), 2 * BATCH_MAX);
    assert_int_equal(count_number(s, t, 9, &segments), 0);
    assert_int_equal(segments, 0);
    write_plain(s, t, 1, 9);
    assert_int_equal(count_number(s, t, 7, &segments), BATCH_MAX);
    assert_int_equal(segments, 3);
    assert_int_equal(count_number(s, t, 9, &segments), BATCH_MAX);
    assert_int_equal(segments, 2);
    shard_close(s);
    volume_close(v);
    catalog_unref(next);
    sim_disk_free(disk);
}

static void test_random(void **state)
{
    const char *text = getenv("DENDRO_TEST_SEED");
    const char *seconds = getenv("DENDRO_TEST_SECONDS");
    uint64_t seed = text ? strtoull(text, NULL, 10) : 0;
    time_t end = time(NULL) + (seconds ? strtol(seconds, NULL, 10) : 4);

    (void)state;
    for (uint64_t n = seed ? seed : 1; n == (seed ? seed : 1) || (!seed && time(NULL) < end); n++) {
        size_t before = mem_process_used();
        run_seed(n);
        assert_int_equal(mem_process_used(), before);
    }
    assert_true(seed || picks > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_random)};

    return cmocka_run_group_tests_name("scan_units", tests, NULL, NULL);
}
