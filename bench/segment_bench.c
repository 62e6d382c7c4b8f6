/* SPDX-License-Identifier: Apache-2.0
 *
 * segment_bench: rows per second into and out of segments, one thread, volume in memory. Ten number
 * columns of a hundred hosts, ten seconds apart; walks of whole numbers, or of two decimals. */
#include "store/segment.h"
#include "volume/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define HOSTS   100u
#define METRICS 10u
#define COLS    (2 + METRICS + HIDDEN_MAX)

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const struct dn_err *err)
{
    fprintf(stderr, "segment_bench: %s\n", err->text);
    exit(1);
}

static struct table *make_table(enum type_id metric)
{
    struct table *t = mem_calloc(NULL, 1, sizeof *t);
    static uint16_t series[1] = {0};
    static struct key_part rest[1] = {{.col = 1}};
    static struct slab_rule rule = {.from = INT64_MIN, .slab_width = INT64_MAX};
    static char name[] = "cpu";

    atomic_init(&t->refs, 1000); /* never freed */
    t->id = 1;
    t->version = 1;
    t->schema = name;
    t->name = name;
    t->columns_count = 2 + METRICS;
    t->columns = mem_calloc(NULL, t->columns_count, sizeof *t->columns);
    for (uint32_t i = 0; i < t->columns_count; i++) {
        t->columns[i].id = i + 1;
        t->columns[i].name = name;
        t->columns[i].type = i == 0 ? TYPE_VARCHAR : i == 1 ? TYPE_TIMESTAMP : metric;
    }
    t->form = KEY_RIAK;
    t->series = series;
    t->series_count = 1;
    t->rest = rest;
    t->rest_count = 1;
    t->time_col = 1;
    t->slabs = &rule;
    t->slabs_count = 1;
    t->spread = 1;
    return t;
}

/* All rows, host by host, column by column. */
struct rows {
    uint32_t count;    /* of a host */
    char (*hosts)[16]; /* in token order */
    int64_t *times;
    void *metrics[METRICS]; /* HOSTS * count values of 8 bytes */
};

static struct table *sort_table; /* for the comparison */

static int cmp_hosts(const void *a, const void *b)
{
    struct buf scratch;
    int64_t token[2];

    for (int i = 0; i < 2; i++) {
        const char *host = i ? b : a;
        struct datum d = {.type = TYPE_VARCHAR, .str = {host, (uint32_t)strlen(host)}};

        buf_init(&scratch, NULL);
        token[i] = table_token(sort_table, &d, &scratch);
        buf_done(&scratch);
    }
    return (token[0] > token[1]) - (token[0] < token[1]);
}

static void make_rows(struct table *t, uint32_t count, bool decimals, struct rows *ret)
{
    uint64_t x = 1;

    ret->count = count;
    ret->hosts = mem_calloc(NULL, HOSTS, sizeof *ret->hosts);
    ret->times = mem_alloc_array(NULL, count, sizeof *ret->times);
    for (uint32_t i = 0; i < HOSTS; i++)
        (void)snprintf(ret->hosts[i], sizeof ret->hosts[i], "host_%u", i);
    sort_table = t;
    qsort(ret->hosts, HOSTS, sizeof *ret->hosts, cmp_hosts);
    for (uint32_t i = 0; i < count; i++)
        ret->times[i] = 1700000000000 + (int64_t)i * 10000;
    for (uint32_t m = 0; m < METRICS; m++) {
        int64_t *ints = mem_alloc_array(NULL, (size_t)HOSTS * count, sizeof *ints);
        double *doubles = (double *)(void *)ints;
        int64_t walk = 5000;

        for (size_t i = 0; i < (size_t)HOSTS * count; i++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            walk += decimals ? (int64_t)(x >> 56) - 128 : ((int64_t)(x >> 62) - 1) * 100;
            walk = walk < 0 ? 0 : walk > 10000 ? 10000 : walk;
            if (decimals)
                doubles[i] = (double)walk / 100;
            else
                ints[i] = walk / 100;
        }
        ret->metrics[m] = ints;
    }
}

static void fill_batch(const struct table *t,
                       const struct rows *rows,
                       uint32_t host,
                       uint32_t from,
                       uint32_t n,
                       struct vec *cols)
{
    static const int64_t seq = 12345;
    static const int64_t zero;
    static const uint64_t null = 1;
    static struct vstr name;

    name = (struct vstr){rows->hosts[host], (uint32_t)strlen(rows->hosts[host])};
    for (uint32_t c = 0; c < COLS; c++)
        cols[c] = (struct vec){
            .type = store_col_type(t, c), .form = VEC_CONST, .count = n, .data = &zero};
    cols[0].data = &name;
    cols[1].form = VEC_FLAT;
    cols[1].data = rows->times + from;
    for (uint32_t m = 0; m < METRICS; m++) {
        cols[2 + m].form = VEC_FLAT;
        cols[2 + m].data = (const int64_t *)rows->metrics[m] + (size_t)host * rows->count + from;
    }
    cols[2 + METRICS + HIDDEN_SEQ].data = &seq;
    cols[2 + METRICS + HIDDEN_EXPIRY].nulls = &null;
}

static void
bench_write(const struct table *t, const struct rows *rows, struct volume *v, uint64_t *ret_segs)
{
    struct seg_writer *w = NULL;
    struct dn_err err = {0};
    struct seg_meta meta;
    uint64_t bytes = 0;
    uint64_t total = (uint64_t)rows->count * HOSTS;
    double start = now();
    double took = 0;

    *ret_segs = 0;
    for (uint32_t h = 0; h < HOSTS; h++)
        for (uint32_t from = 0; from < rows->count; from += 1024) {
            struct vec cols[COLS];
            uint32_t n = rows->count - from < 1024 ? rows->count - from : 1024;

            if (!w)
                w = seg_writer_new(NULL, t, *ret_segs);
            fill_batch(t, rows, h, from, n, cols);
            if (seg_writer_add(w, cols, n, &err) < 0)
                die(&err);
            if (seg_writer_full(w) || (h + 1 == HOSTS && from + n == rows->count)) {
                char name[VOLUME_NAME_MAX + 1];
                struct buf b;

                buf_init(&b, NULL);
                if (seg_writer_finish(w, &b, &meta, &err) < 0)
                    die(&err);
                took += now() - start;
                seg_name(t->id, (*ret_segs)++, name);
                if (volume_put(v, name, b.data, b.len, &err) < 0)
                    die(&err);
                bytes += b.len;
                buf_done(&b);
                seg_writer_free(w);
                w = NULL;
                start = now();
            }
        }
    printf("  write      %6.2f M rows/s  %6.1f M values/s  %.2f bytes/row in %llu segments\n",
           (double)total / took / 1e6,
           (double)total * (METRICS + 1) / took / 1e6,
           (double)bytes / (double)total,
           (unsigned long long)*ret_segs);
}

static void bench_scan(const struct table *t,
                       struct volume *v,
                       struct cache *cache,
                       uint64_t segs,
                       uint64_t total,
                       const char *what)
{
    uint32_t cols[2 + METRICS];
    struct dn_err err = {0};
    struct seg_pins pins;
    struct arena arena;
    uint64_t rows = 0;
    double opening = 0;
    double took = now();

    arena_init(&arena, NULL);
    seg_pins_init(&pins);
    for (uint32_t c = 0; c < 2 + METRICS; c++)
        cols[c] = c;
    for (uint64_t i = 0; i < segs; i++) {
        double start = now();
        const struct seg_block *blocks;
        struct seg *s = NULL;
        uint32_t count;

        if (seg_open(v, cache, t, t->id, i, &s, &err) < 0)
            die(&err);
        opening += now() - start;
        blocks = seg_get_blocks(s, &count);
        for (uint32_t b = 0; b < count; b++)
            for (uint32_t k = 0; k < blocks[b].vectors; k++) {
                struct vec vecs[2 + METRICS];

                if (seg_fetch(s,
                              &(struct seg_select){
                                  .block = b, .vector = k, .cols = cols, .cols_count = 2 + METRICS},
                              &arena,
                              &pins,
                              vecs,
                              &err) < 0)
                    die(&err);
                rows += vecs[0].count;
                seg_pins_release(&pins);
                arena_reset(&arena);
            }
        seg_unref(s);
    }
    took = now() - took;
    if (rows != total)
        printf("  %llu rows read, %llu written\n",
               (unsigned long long)rows,
               (unsigned long long)total);
    printf("  %-10s %6.2f M rows/s  %6.1f M values/s  (opening %.2f ms a segment)\n",
           what,
           (double)rows / took / 1e6,
           (double)rows * (METRICS + 1) / took / 1e6,
           opening * 1e3 / (double)segs);
    seg_pins_done(&pins);
    arena_done(&arena);
}

static void bench(const char *title, enum type_id metric, bool decimals, uint32_t count)
{
    struct table *t = make_table(metric);
    struct sim_disk *disk = sim_disk_new(1);
    struct dn_err err = {0};
    struct volume *v;
    struct cache *cache;
    struct rows rows;
    uint64_t segs;
    uint64_t total = (uint64_t)HOSTS * count;

    if (sim_volume_open(disk, 1, &v, &err) < 0)
        die(&err);
    printf("%s, %llu rows, runs of %u\n", title, (unsigned long long)total, count);
    make_rows(t, count, decimals, &rows);
    bench_write(t, &rows, v, &segs);
    cache = cache_new(v->sched, NULL, (size_t)1 << 30);
    bench_scan(t, v, NULL, segs, total, "no cache");
    bench_scan(t, v, cache, segs, total, "cold");
    bench_scan(t, v, cache, segs, total, "warm");
    cache_free(cache);
    volume_close(v);
    sim_disk_free(disk);
    for (uint32_t m = 0; m < METRICS; m++)
        mem_free(rows.metrics[m]);
    mem_free(rows.times);
    mem_free(rows.hosts);
}

int main(void)
{
    bench("whole numbers", TYPE_BIGINT, false, 20000);
    bench("two decimals", TYPE_DOUBLE, true, 20000);
    bench("whole numbers, short runs", TYPE_BIGINT, false, 60);
    return 0;
}
