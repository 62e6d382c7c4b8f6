/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_bench.c: how fast vectors are encoded and decoded, per codec, type and shape.
 *
 *     codec_bench [milliseconds per line, default 100]
 *
 * Each line works on full vectors that stay in cache, one thread; the best group of a
 * few rounds counts, so that a busy machine shows little. Million
 * values per second count rows; GB/s count the bytes of the values in memory (a string: 16 bytes
 * and its text). "ns" is the time of one vector of 1024 rows. "best" is codec_encode with its
 * choice; its decode is that of the codec chosen. Shapes are those of tests/unit/codec/shapes.h. */
#include "codec/codec.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_GROUP 16

struct bench_line {
    unsigned codec; /* 0: the best */
    enum type_id type;
    enum shape shape;
    uint32_t count;
};

static uint64_t bench_now_ns(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static size_t bench_bytes(const struct vec *v)
{
    size_t bytes = (size_t)v->count * phys_size(type_phys(v->type));

    if (type_is_string(v->type))
        for (uint32_t i = 0; i < v->count; i++)
            bytes += vec_str(v, i).len;
    return bytes;
}

static int bench_encode(const struct bench_line *line,
                        const struct vec *v,
                        struct arena *arena,
                        struct buf *b,
                        unsigned *codec)
{
    struct dn_err err;

    buf_reset(b);
    *codec = line->codec;
    if (line->codec)
        return codec_encode_with(line->codec, v, arena, b, &err);
    return codec_encode(v, arena, b, codec, &err);
}

/* Nanoseconds of one encoding or decoding. */
static double bench_time(const struct bench_line *line,
                         const struct vec *v,
                         struct buf *b,
                         bool decode,
                         uint64_t window_ns)
{
    double best = 1e18;
    struct arena arena;
    unsigned codec = 0;
    uint64_t end;

    arena_init(&arena, NULL);
    if (bench_encode(line, v, &arena, b, &codec) != 0)
        abort();
    end = bench_now_ns();
    for (uint64_t stop = end + window_ns; end < stop;) {
        uint64_t start = bench_now_ns();

        for (int i = 0; i < BENCH_GROUP; i++) {
            struct codec_src src = {
                .codec = codec, .type = v->type, .count = v->count, .p = b->data, .n = b->len};
            struct dn_err err;
            struct vec back;
            int rc;

            arena_reset(&arena);
            rc = decode ? codec_decode(&src, &arena, &back, &err)
                        : bench_encode(line, v, &arena, b, &codec);
            if (rc != 0)
                abort();
        }
        end = bench_now_ns();
        if ((double)(end - start) / BENCH_GROUP < best)
            best = (double)(end - start) / BENCH_GROUP;
    }
    arena_done(&arena);
    return best;
}

static void bench_print(const struct bench_line *line, uint64_t window_ns)
{
    struct arena arena;
    struct buf b;
    struct vec v;
    unsigned codec = 0;
    char name[40];
    double bytes;
    double enc;
    double dec;

    arena_init(&arena, NULL);
    buf_init(&b, NULL);
    v = shape_make(&arena, line->type, line->shape, GAPS_NONE, line->count);
    if (bench_encode(line, &v, &arena, &b, &codec) == 0) {
        bytes = (double)bench_bytes(&v);
        enc = bench_time(line, &v, &b, false, window_ns);
        dec = bench_time(line, &v, &b, true, window_ns);
        (void)snprintf(
            name, sizeof name, line->codec ? "%s" : "best=%s", codec_ops_by_id(codec)->name);
        (void)printf("%-14s %-9s %-8s %5u %7zu %8.0f %8.0f %7.2f %8.0f %8.0f %7.2f\n",
                     name,
                     type_name(line->type),
                     shape_names[line->shape],
                     line->count,
                     b.len,
                     enc,
                     v.count / enc * 1e3,
                     bytes / enc,
                     dec,
                     v.count / dec * 1e3,
                     bytes / dec);
    }
    buf_done(&b);
    arena_done(&arena);
}

int main(int argc, char **argv)
{
    static const unsigned codecs[] = {
#define DN_CODEC(id, NAME, ops) id,
#include "codec/codec_list.h"
#undef DN_CODEC
        0,
    };
    static const enum type_id types[] = {
        TYPE_BIGINT, TYPE_INTEGER, TYPE_DOUBLE, TYPE_REAL, TYPE_VARCHAR, TYPE_NUMERIC};
    static const enum shape shapes[] = {SHAPE_CONSTANT,
                                        SHAPE_RUNS,
                                        SHAPE_FEW,
                                        SHAPE_STEP,
                                        SHAPE_JITTER,
                                        SHAPE_RANDOM,
                                        SHAPE_LEVEL,
                                        SHAPE_WALK,
                                        SHAPE_DRIFT,
                                        SHAPE_NOISE};
    uint64_t window_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000u;

    (void)printf("%-14s %-9s %-8s %5s %7s | %24s | %24s\n",
                 "codec",
                 "type",
                 "shape",
                 "rows",
                 "bytes",
                 "encode: ns, Mval/s, GB/s",
                 "decode: ns, Mval/s, GB/s");
    for (size_t c = 0; c < DN_ARRAY_SIZE(codecs); c++)
        for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++)
            for (size_t s = 0; s < DN_ARRAY_SIZE(shapes); s++) {
                struct bench_line line = {codecs[c], types[t], shapes[s], VEC_ROWS_MAX};

                bench_print(&line, window_ns);
                if (codecs[c] == CODEC_DELTA && shapes[s] == SHAPE_JITTER) { /* plain packing */
                    line.count = VEC_ROWS_MAX - 1;
                    bench_print(&line, window_ns);
                }
            }
    return 0;
}
