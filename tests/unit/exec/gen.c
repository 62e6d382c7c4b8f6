/* SPDX-License-Identifier: Apache-2.0 */
#include "gen.h"

#include "../func/build.h"
#include "func/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct arena *gen_arena;
static uint64_t gen_state;
static uint64_t gen_seed;
static uint64_t gen_ints; /* different integers; 0: few */

void gen_init(struct arena *arena, uint64_t seed)
{
    gen_arena = arena;
    gen_state = seed;
    gen_seed = seed;
    gen_ints = 0;
}

void gen_many(uint64_t ints)
{
    gen_ints = ints;
}

static void *gen_alloc(size_t size)
{
    void *p = arena_calloc(gen_arena, 1, size ? size : 1);

    assert_non_null(p);
    return p;
}

uint64_t gen_random(uint64_t below)
{
    uint64_t z = gen_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static struct datum gen_value(enum type_id type, bool nulls)
{
    static const char *const words[] = {"", "a", "b", "ab", "a longer word than the others", "é"};
    uint64_t r = gen_random(9);

    if (nulls && gen_random(8) == 0)
        return build_null(type);
    if (type == TYPE_VARCHAR || type == TYPE_BLOB) {
        struct datum d = build_str(words[r % 6]);

        d.type = type;
        return d;
    }
    if (type_is_float(type)) {
        static const double some[] = {0.0, -0.0, 1.5, -2, 1e300, 3};
        struct datum d = build_f64(r < 6 ? some[r] : (double)r);

        if (type == TYPE_REAL && d.v.f64 > 1e30)
            d.v.f64 = 4;
        d.type = type;
        return d;
    }
    if (type == TYPE_INTERVAL) /* two looks of one length among them */
        return (struct datum){.type = type,
                              .iv = {.us = r % 2 ? INT64_C(86400000000) : 0,
                                     .days = (int32_t)(r % 3),
                                     .months = (int32_t)(r % 2)}};
    if (type == TYPE_BOOLEAN)
        return build_int(type, (int64_t)(r % 2));
    return build_int(type, (int64_t)(gen_ints ? gen_random(gen_ints) : r) - 3);
}

/* Rows [first, first + count) as a batch; some more rows that are not selected lie between. */
static struct batch gen_batch(const struct gen_table *t, uint32_t first, uint32_t count)
{
    uint16_t *sel = gen_alloc(VEC_ROWS_MAX * sizeof *sel);
    uint32_t *from = gen_alloc(VEC_ROWS_MAX * sizeof *from);
    struct vec *cols = gen_alloc(t->cols_count * sizeof *cols);
    bool holes = gen_random(3) == 0;
    uint32_t rows = 0;
    uint32_t n = 0;

    while (n < count) {
        from[rows] = first + n;
        if (holes && rows + (count - n) < VEC_ROWS_MAX && gen_random(3) == 0)
            from[rows] = (uint32_t)gen_random(t->rows_count); /* not selected */
        else
            sel[n++] = (uint16_t)rows;
        rows++;
    }
    for (uint32_t c = 0; c < t->cols_count; c++) {
        struct datum *d = gen_alloc(rows * sizeof *d);
        bool same = true;

        for (uint32_t i = 0; i < rows; i++) {
            d[i] = t->data[(size_t)from[i] * t->cols_count + c];
            same = same && d[i].null == d[0].null && datum_cmp(&d[i], &d[0]) == 0 &&
                   (d[i].type != TYPE_INTERVAL || memcmp(&d[i].iv, &d[0].iv, sizeof d[i].iv) == 0);
        }
        if (same && !type_is_float(t->types[c]))
            assert_true(vec_make_const(gen_arena, &d[0], rows, &cols[c]));
        else
            cols[c] = t->types[c] != TYPE_INTERVAL && !type_is_float(t->types[c]) && gen_random(2)
                          ? build_dict(t->types[c], d, rows)
                          : build_vec(t->types[c], d, rows);
    }
    return (struct batch){.count = rows,
                          .cols_count = t->cols_count,
                          .cols = cols,
                          .sel = rows > count ? sel : NULL,
                          .sel_count = count};
}

struct gen_table *
gen_table(const enum type_id *types, uint32_t cols_count, uint32_t rows_count, bool nulls)
{
    struct gen_table *t = gen_alloc(sizeof *t);
    struct batch *batches = gen_alloc((rows_count + 1) * sizeof *batches);
    uint32_t n = 0;

    t->types = arena_dup(gen_arena, types, cols_count * sizeof *types);
    t->cols_count = cols_count;
    t->rows_count = rows_count;
    t->data = gen_alloc((size_t)rows_count * cols_count * sizeof *t->data);
    for (uint32_t first = 0; first < rows_count;) {
        uint32_t count = 1 + (uint32_t)gen_random(gen_random(4) ? 20 : VEC_ROWS_MAX);

        if (count > rows_count - first)
            count = rows_count - first;
        for (uint32_t c = 0; c < cols_count; c++) {
            bool run = gen_random(3) == 0; /* one value all through */
            struct datum d = gen_value(types[c], nulls);

            for (uint32_t i = 0; i < count; i++)
                t->data[(size_t)(first + i) * cols_count + c] =
                    run ? d : gen_value(types[c], nulls);
        }
        first += count;
        batches[n++].count = count;
    }
    for (uint32_t i = 0, first = 0; i < n; i++) {
        uint32_t count = batches[i].count;

        batches[i] = gen_batch(t, first, count);
        first += count;
    }
    t->scan = fake_scan_of(t->types, cols_count, batches, n);
    return t;
}

/* ---- lines ---- */

static void gen_add(struct gen_lines *l, const char *s, size_t len)
{
    if (l->count == l->cap) {
        uint32_t cap = l->cap ? l->cap * 2 : 256;
        char **lines = gen_alloc(cap * sizeof *lines);

        if (l->count)
            memcpy(lines, l->lines, l->count * sizeof *lines);
        l->lines = lines;
        l->cap = cap;
    }
    l->lines[l->count] = arena_strndup(gen_arena, s, len);
    assert_non_null(l->lines[l->count++]);
}

static void gen_print(const struct datum *d, uint32_t count, struct buf *b)
{
    for (uint32_t i = 0; i < count; i++) {
        buf_puts(b, b->len ? "," : "");
        if (d[i].null)
            buf_puts(b, "NULL");
        text_print(&d[i], b);
    }
}

void gen_line(struct gen_lines *l,
              const struct datum *a,
              uint32_t a_count,
              const struct datum *b,
              uint32_t b_count)
{
    struct buf line;

    buf_init(&line, NULL);
    gen_print(a, a_count, &line);
    gen_print(b, b_count, &line);
    assert_false(line.failed);
    gen_add(l, line.data ? (const char *)line.data : "", line.len);
    buf_done(&line);
}

int gen_run(const struct plan *plan,
            struct exec_ctx *ctx,
            struct gen_lines *ret,
            struct dn_err *err)
{
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    rc = fake_run_plan(plan, ctx, &b, err);
    for (size_t i = 0, start = 0; i < b.len; i++)
        if (b.data[i] == ';') {
            gen_add(ret, (const char *)b.data + start, i - start);
            start = i + 1;
        }
    buf_done(&b);
    return rc;
}

static int gen_cmp(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void gen_check(struct gen_lines *have, struct gen_lines *want, const char *what)
{
    if (have->count)
        qsort(have->lines, have->count, sizeof *have->lines, gen_cmp);
    if (want->count)
        qsort(want->lines, want->count, sizeof *want->lines, gen_cmp);
    for (uint32_t i = 0; i < have->count || i < want->count; i++) {
        const char *h = i < have->count ? have->lines[i] : "(none)";
        const char *w = i < want->count ? want->lines[i] : "(none)";

        if (strcmp(h, w) != 0)
            fail_msg("seed %llu, %s: row %u of %u (%u wanted): %s instead of %s",
                     (unsigned long long)gen_seed,
                     what,
                     i,
                     have->count,
                     want->count,
                     h,
                     w);
    }
}
