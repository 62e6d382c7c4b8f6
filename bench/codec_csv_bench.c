/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_csv_bench.c: bytes per row and speed of the codecs on a file of measurements.
 *
 *     codec_csv_bench FILE.csv DOUBLE|REAL|BIGINT|INTEGER [name of a codec, default: the best]
 *
 * The file has a header line and the columns time, ten texts of which the first names the host, ten
 * numbers. Rows are put in the order (host, time) and the numbers of each host encoded in vectors
 * of up to 1024 rows. One thread, its own time; the best of five rounds
 * counts. */
#include "codec/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TEXTS   10u
#define NUMBERS 10u
#define ROUNDS  5

/* The numbers of a host, column by column. */
struct host {
    char name[32];
    struct colbuf cols[NUMBERS];
};

static struct host *hosts;
static size_t hosts_count;

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
    fprintf(stderr, "codec_csv_bench: %s\n", what);
    exit(1);
}

/* Rows of the same host often come in a fixed order: begin with the one after the last. */
static struct host *host_of(const char *name, size_t len, enum type_id type)
{
    static size_t last;

    for (size_t i = 1; i <= hosts_count; i++) {
        struct host *h = &hosts[(last + i) % hosts_count];
        if (strncmp(h->name, name, len) == 0 && h->name[len] == 0) {
            last = (size_t)(h - hosts);
            return h;
        }
    }
    hosts = mem_realloc(NULL, hosts, (hosts_count + 1) * sizeof *hosts);
    if (!hosts || len >= sizeof hosts->name)
        die("out of memory, or a long name");
    last = hosts_count++;
    memset(&hosts[last], 0, sizeof *hosts);
    memcpy(hosts[last].name, name, len);
    for (uint32_t c = 0; c < NUMBERS; c++)
        colbuf_init(&hosts[last].cols[c], type, NULL, NULL);
    return &hosts[last];
}

static uint64_t read_rows(const char *path, enum type_id type)
{
    FILE *f = fopen(path, "r");
    static char line[2000];
    uint64_t rows = 0;

    if (!f || !fgets(line, sizeof line, f))
        die("cannot read the file");
    for (; fgets(line, sizeof line, f); rows++) {
        const char *p = strchr(line, ',');
        struct host *h;

        if (!p)
            die("a line without columns");
        h = host_of(p + 1, strcspn(p + 1, ","), type);
        for (uint32_t i = 0; i < TEXTS && p; i++)
            p = strchr(p + 1, ',');
        for (uint32_t c = 0; c < NUMBERS && p; c++, p = strchr(p + 1, ',')) {
            struct datum d = {.type = type};

            if (type_is_float(type))
                d.v.f64 = strtod(p + 1, NULL);
            else
                d.v.i64 = strtoll(p + 1, NULL, 10);
            if (type == TYPE_REAL)
                d.v.f64 = (double)(float)d.v.f64;
            if (!colbuf_append(&h->cols[c], &d))
                die("out of memory");
        }
    }
    (void)fclose(f);
    return rows;
}

/* All vectors, encoded one after the other; where each ends. */
struct encoded {
    struct buf bytes;
    struct codec_src *srcs; /* .p is set after the last */
    size_t count;
};

static double encode_all(unsigned codec, struct encoded *ret)
{
    struct dn_err err = {0};
    struct arena arena;
    double start = now();

    arena_init(&arena, NULL);
    buf_reset(&ret->bytes);
    ret->count = 0;
    for (size_t h = 0; h < hosts_count; h++)
        for (uint32_t c = 0; c < NUMBERS; c++)
            for (uint32_t row = 0; row < hosts[h].cols[c].count; row += VEC_ROWS_MAX) {
                uint32_t left = hosts[h].cols[c].count - row;
                struct vec v =
                    colbuf_vec(&hosts[h].cols[c], row, left < VEC_ROWS_MAX ? left : VEC_ROWS_MAX);
                struct codec_src *src = &ret->srcs[ret->count++];
                size_t at = ret->bytes.len;

                arena_reset(&arena);
                *src = (struct codec_src){.codec = codec, .type = v.type, .count = v.count};
                if (codec ? codec_encode_with(codec, &v, &arena, &ret->bytes, &err) != 0
                          : codec_encode(&v, &arena, &ret->bytes, &src->codec, &err) != 0)
                    die("a vector cannot be encoded so");
                src->n = ret->bytes.len - at;
            }
    arena_done(&arena);
    return now() - start;
}

/* Decodes everything, or only sums it up. */
static double read_all(const struct encoded *e, bool sums)
{
    struct dn_err err = {0};
    struct arena arena;
    double start = now();

    arena_init(&arena, NULL);
    for (size_t i = 0; i < e->count; i++) {
        struct codec_range range = {.lo = 0, .hi = e->srcs[i].count};
        struct codec_ask ask = {.ranges = &range, .count = 1, .want = CODEC_SUM};
        struct codec_agg agg;
        struct vec v;

        arena_reset(&arena);
        if (sums ? codec_agg(&e->srcs[i], &ask, &arena, &agg, &err) != 0
                 : codec_decode(&e->srcs[i], &arena, &v, &err) != 0)
            die(err.text);
    }
    arena_done(&arena);
    return now() - start;
}

/* again: room for encoding it once more. */
static void report(const struct encoded *e, struct encoded *again, uint64_t rows, unsigned codec)
{
    size_t vectors[CODEC_ID_MAX] = {0};
    size_t bytes[CODEC_ID_MAX] = {0};
    double best[3] = {1e9, 1e9, 1e9};
    double values = (double)rows * NUMBERS;

    for (int round = 0; round < ROUNDS; round++) {
        double took[3];

        took[0] = encode_all(codec, again);
        took[1] = read_all(e, false);
        took[2] = read_all(e, true);
        for (int i = 0; i < 3; i++)
            best[i] = took[i] < best[i] ? took[i] : best[i];
    }
    for (size_t i = 0; i < e->count; i++) {
        vectors[e->srcs[i].codec]++;
        bytes[e->srcs[i].codec] += e->srcs[i].n;
    }
    (void)printf("%llu rows, %zu vectors: %.2f bytes/row\n",
                 (unsigned long long)rows,
                 e->count,
                 (double)e->bytes.len / (double)rows);
    for (unsigned i = 0; i < CODEC_ID_MAX; i++)
        if (vectors[i])
            (void)printf("  %-10s %6zu vectors, %6.1f bytes each\n",
                         codec_ops_by_id(i)->name,
                         vectors[i],
                         (double)bytes[i] / (double)vectors[i]);
    (void)printf("  encode %6.1f M rows/s (%5.0f M values/s)\n"
                 "  decode %6.1f M rows/s (%5.0f M values/s)\n"
                 "  sum    %6.1f M rows/s (%5.0f M values/s)\n",
                 (double)rows / best[0] / 1e6,
                 values / best[0] / 1e6,
                 (double)rows / best[1] / 1e6,
                 values / best[1] / 1e6,
                 (double)rows / best[2] / 1e6,
                 values / best[2] / 1e6);
}

int main(int argc, char **argv)
{
    struct encoded e = {.count = 0};
    struct encoded again = {.count = 0};
    enum type_id type = argc > 2 ? type_by_name(argv[2], strlen(argv[2])) : TYPE_NONE;
    unsigned codec = 0;
    uint64_t rows;
    size_t at = 0;

    if (argc < 3 || !type_is_number(type)) {
        fprintf(stderr, "usage: codec_csv_bench FILE.csv DOUBLE|REAL|BIGINT|INTEGER [CODEC]\n");
        return 2;
    }
    for (unsigned i = 0; argc > 3 && i < CODEC_ID_MAX; i++)
        if (codec_ops_by_id(i) && strcmp(codec_ops_by_id(i)->name, argv[3]) == 0)
            codec = i;
    if (argc > 3 && !codec)
        die("no such codec");
    rows = read_rows(argv[1], type);
    buf_init(&e.bytes, NULL);
    e.srcs = mem_calloc(NULL, (rows / VEC_ROWS_MAX + hosts_count) * NUMBERS, sizeof *e.srcs);
    again.srcs =
        mem_dup(NULL, e.srcs, (rows / VEC_ROWS_MAX + hosts_count) * NUMBERS * sizeof *e.srcs);
    if (!e.srcs || !again.srcs)
        die("out of memory");
    (void)encode_all(codec, &e);
    for (size_t i = 0; i < e.count; i++) {
        e.srcs[i].p = e.bytes.data + at;
        at += e.srcs[i].n;
    }
    report(&e, &again, rows, codec);
    return 0;
}
