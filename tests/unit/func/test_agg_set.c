/* SPDX-License-Identifier: Apache-2.0
 *
 * Multisets of keys: ranks and mode against a sorted array, for few and many different keys, in
 * ranges small and wide, cut into parts that are merged, and put aside and back. */
#include "func/agg_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define KEYS_MAX 40000u

static uint64_t seed = 20160229;

static uint64_t next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 16;
}

/* Kinds of data that differ in how many keys are different and how wide they spread. */
enum kind { FEW, SOME, ALL, NARROW, ENDS, SKEWED, FIRST_FEW, KINDS };

static int64_t random_key(enum kind kind, uint32_t i)
{
    int64_t r = (int64_t)(next_random() << 16 ^ next_random());

    switch (kind) {
    case FEW:
        return r % 100;
    case SOME:
        return r % 3000;
    case ALL:
        return r;
    case NARROW:
        return INT64_MAX - (r & 0xfff);
    case ENDS:
        return r & 1 ? INT64_MIN + (r >> 1 & 1) : INT64_MAX;
    case SKEWED: /* most of them close to each other, some far away */
        return r % 50 ? r % 700 : r;
    case FIRST_FEW: /* what was seen first says little of the rest */
        return i < 3000 ? r % 10 : r;
    case KINDS:
        break;
    }
    return 0;
}

static int cmp(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

static int64_t naive_mode(const int64_t *sorted, uint32_t n, bool desc)
{
    uint32_t best = 0;
    int64_t ret = 0;

    for (uint32_t i = 0; i < n;) {
        uint32_t first = i;

        while (i < n && sorted[i] == sorted[first])
            i++;
        if (desc ? i - first >= best : i - first > best) {
            best = i - first;
            ret = sorted[first];
        }
    }
    return ret;
}

static void check(const struct agg_set *s, const int64_t *sorted, uint32_t n)
{
    struct dn_err err;

    assert_int_equal(s->total, n);
    for (uint32_t i = 0; i < 20; i++) {
        uint32_t rank = i == 0 ? 0 : i == 1 ? n - 1 : (uint32_t)(next_random() % n);
        int64_t got[2];

        agg_set_rank(s, rank, got);
        assert_int_equal(got[0], sorted[rank]);
        assert_int_equal(got[1], sorted[rank + 1 < n ? rank + 1 : rank]);
    }
    for (int desc = 0; desc < 2; desc++) {
        int64_t got;

        assert_int_equal(agg_set_mode(s, desc, NULL, &got, &err), 0);
        assert_int_equal(got, naive_mode(sorted, n, desc));
    }
}

static void add(struct agg_set *s, const int64_t *keys, uint32_t n, struct arena *arena)
{
    struct dn_err err;

    for (uint32_t at = 0; at < n;) {
        uint32_t count = 1 + (uint32_t)(next_random() % 1024);

        count = count < n - at ? count : n - at;
        assert_int_equal(agg_set_add(s, keys + at, count, arena, &err), 0);
        at += count;
    }
}

static void one_round(enum kind kind, uint32_t n)
{
    static int64_t keys[KEYS_MAX];
    uint32_t cut = (uint32_t)(next_random() % (n + 1));
    struct agg_set whole = {0}, a = {0}, b = {0}, back = {0};
    struct arena arena;
    struct dn_err err;
    struct buf bytes;
    struct rd r;
    bool nomem;

    arena_init(&arena, NULL);
    for (uint32_t i = 0; i < n; i++)
        keys[i] = random_key(kind, i);
    add(&whole, keys, n, &arena);
    add(&a, keys, cut, &arena);
    add(&b, keys + cut, n - cut, &arena);
    assert_int_equal(agg_set_merge(&a, &b, &arena, &err), 0);
    buf_init(&bytes, NULL);
    agg_set_save(&a, &bytes);
    r = rd_make(bytes.data, bytes.len);
    assert_true(agg_set_load(&back, &r, &arena, &nomem));
    assert_int_equal(rd_left(&r), 0);
    qsort(keys, n, sizeof *keys, cmp);
    check(&whole, keys, n);
    check(&a, keys, n);
    check(&back, keys, n);
    if (kind == FEW && n > 2 * AGG_SET_TRY + 1024)
        assert_non_null(whole.slots);
    if (kind == ALL)
        assert_null(whole.slots);
    back = (struct agg_set){0};
    r = rd_make(bytes.data, bytes.len - 1);
    assert_false(agg_set_load(&back, &r, &arena, &nomem) && rd_left(&r) == 0);
    buf_done(&bytes);
    arena_done(&arena);
}

static void test_random(void **state)
{
    static const uint32_t sizes[] = {1, 2, 100, 129, 1023, 1024, 1025, 5000, KEYS_MAX};

    (void)state;
    for (enum kind kind = FEW; kind < KINDS; kind++)
        for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            one_round(kind, sizes[i]);
}

/* Every allocation fails once; what is there stays readable. */
static void test_nomem(void **state)
{
    static int64_t keys[5000];
    bool done = false;

    (void)state;
    for (uint64_t nth = 1; !done; nth++) {
        struct agg_set s = {0};
        struct arena arena;
        struct dn_err err;
        int rc = 0;

        arena_init(&arena, NULL);
        for (uint32_t i = 0; i < 5000; i++)
            keys[i] = i < 2048 ? i % 200 : i;
        mem_fail_nth(nth, false);
        for (uint32_t i = 0; i < 5000 && rc == 0; i += 500)
            rc = agg_set_add(&s, keys + i, 500, &arena, &err);
        done = !mem_fail_hit();
        mem_fail_nth(0, false);
        assert_int_equal(rc, done ? 0 : DN_E_NOMEM);
        if (s.total) {
            int64_t got[2];

            agg_set_rank(&s, s.total - 1, got);
        }
        arena_done(&arena);
    }
}

/* Keys of their own are sorted for the mode: that looks at the flag. */
static void test_cancel(void **state)
{
    static int64_t keys[5000];
    struct agg_set s = {0};
    atomic_bool cancel;
    struct arena arena;
    struct dn_err err;
    int64_t got;

    (void)state;
    arena_init(&arena, NULL);
    atomic_init(&cancel, true);
    for (uint32_t i = 0; i < 5000; i++)
        keys[i] = random_key(ALL, i);
    add(&s, keys, 5000, &arena);
    assert_int_equal(agg_set_mode(&s, false, &cancel, &got, &err), DN_E_CANCELED);
    atomic_store(&cancel, false);
    assert_int_equal(agg_set_mode(&s, false, &cancel, &got, &err), 0);
    qsort(keys, 5000, sizeof *keys, cmp);
    assert_int_equal(got, keys[0]);
    check(&s, keys, 5000);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_nomem),
        cmocka_unit_test(test_cancel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
