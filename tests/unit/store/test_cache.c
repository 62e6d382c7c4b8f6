/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache: what goes, what stays, and that threads do not hurt it. */
#include "base/hash.h"
#include "store/cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct cache_key key_of(uint64_t segment, uint32_t group)
{
    return (struct cache_key){.segment = segment, .group = group, .column = 3};
}

static struct cache_entry *put(struct cache *c, uint64_t segment, uint32_t group, size_t n)
{
    struct cache_key key = key_of(segment, group);
    uint8_t *data = cache_alloc(c, n);

    assert_non_null(data);
    memset(data, (int)(segment * 16 + group), n);
    return cache_put(c, &key, data, n);
}

static bool has(struct cache *c, uint64_t segment, uint32_t group)
{
    struct cache_key key = key_of(segment, group);
    struct cache_entry *e = cache_get(c, &key);

    cache_unpin(c, e);
    return e != NULL;
}

static size_t bytes(struct cache *c)
{
    struct cache_stats stats;

    cache_get_stats(c, &stats);
    return stats.bytes;
}

struct fixture {
    struct sched *s;
    struct mem_owner owner;
    struct cache *c;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct dn_err err = {0};

    f->s = sched_threads_new(4, &err);
    mem_owner_init(&f->owner, "cache", NULL, 0);
    f->c = cache_new(f->s, &f->owner, 1000);
    *state = f;
    return f->s && f->c ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    bool clean;

    cache_free(f->c);
    clean = mem_owner_used(&f->owner) == 0;
    sched_free(f->s);
    free(f);
    return clean ? 0 : -1;
}

static void test_get_and_put(void **state)
{
    struct cache *c = ((struct fixture *)*state)->c;
    struct cache_key key = key_of(1, 1);
    struct cache_entry *e = put(c, 1, 1, 100);
    struct cache_entry *same;
    struct cache_stats stats;
    size_t n;

    assert_non_null(e);
    assert_int_equal(cache_data(e, &n)[99], 17);
    assert_int_equal(n, 100);
    same = put(c, 1, 1, 50); /* came in meanwhile: the first stays */
    assert_ptr_equal(same, e);
    cache_unpin(c, same);
    cache_unpin(c, e);
    same = cache_get(c, &key);
    assert_ptr_equal(same, e);
    cache_unpin(c, same);
    cache_unpin(c, NULL);
    assert_false(has(c, 1, 2));
    assert_false(has(c, 2, 1));
    cache_get_stats(c, &stats);
    assert_int_equal(stats.hits, 1);
    assert_int_equal(stats.misses, 2);
    assert_int_equal(stats.bytes, 100);
    assert_int_equal(stats.evicted, 0);
}

static void test_oldest_go_first(void **state)
{
    struct cache *c = ((struct fixture *)*state)->c;

    for (uint32_t i = 0; i < 10; i++)
        cache_unpin(c, put(c, 1, i, 100));
    assert_int_equal(bytes(c), 1000);
    assert_true(has(c, 1, 0)); /* used: now the newest */
    cache_unpin(c, put(c, 1, 10, 150));
    assert_true(bytes(c) <= 1000);
    assert_true(has(c, 1, 0));
    assert_false(has(c, 1, 1));
    assert_false(has(c, 1, 2));
    assert_true(has(c, 1, 3));
    cache_set_budget(c, 100);
    assert_int_equal(bytes(c), 100);
    assert_true(has(c, 1, 3));
    assert_false(has(c, 1, 0));
}

static void test_pins_stay(void **state)
{
    struct fixture *f = *state;
    struct cache *c = f->c;
    struct cache_entry *e[20];

    for (uint32_t i = 0; i < 20; i++)
        e[i] = put(c, 1, i, 100);
    assert_int_equal(bytes(c), 2000); /* all pinned: over the budget */
    for (uint32_t i = 0; i < 20; i++) {
        size_t n;

        assert_int_equal(cache_data(e[i], &n)[0], 16 + i);
        cache_unpin(c, e[i]);
    }
    assert_int_equal(bytes(c), 1000);
    assert_false(has(c, 1, 0));
    assert_true(has(c, 1, 19));
}

static void test_dropped_segments(void **state)
{
    struct cache *c = ((struct fixture *)*state)->c;
    struct cache_entry *e = put(c, 1, 1, 100);
    struct cache_entry *again;
    size_t n;

    cache_unpin(c, put(c, 1, 2, 100));
    cache_unpin(c, put(c, 2, 1, 100));
    cache_drop_segment(c, 1);
    assert_int_equal(bytes(c), 100);
    assert_false(has(c, 1, 1));
    assert_false(has(c, 1, 2));
    assert_true(has(c, 2, 1));
    assert_int_equal(cache_data(e, &n)[0], 17); /* pinned: still readable */
    again = put(c, 1, 1, 60);
    assert_ptr_not_equal(again, e);
    cache_unpin(c, e);
    assert_true(has(c, 1, 1));
    cache_unpin(c, again);
}

static void test_charges(void **state)
{
    struct cache *c = ((struct fixture *)*state)->c;

    for (uint32_t i = 0; i < 10; i++)
        cache_unpin(c, put(c, 1, i, 100));
    cache_charge(c, 500);
    assert_int_equal(bytes(c), 1000);
    assert_false(has(c, 1, 4));
    assert_true(has(c, 1, 5));
    cache_uncharge(c, 500);
    assert_int_equal(bytes(c), 500);
}

/* The owner's own limit is met by giving back what nobody uses. */
static void test_limit_of_owner(void **state)
{
    struct fixture *f = *state;
    uint8_t *data;

    for (uint32_t i = 0; i < 10; i++)
        cache_unpin(f->c, put(f->c, 1, i, 100));
    f->owner.limit = mem_owner_used(&f->owner);
    cache_set_budget(f->c, 5000);
    data = cache_alloc(f->c, 150);
    assert_non_null(data);
    assert_true(bytes(f->c) < 1000);
    mem_free(data);
    assert_null(cache_alloc(f->c, 100000));
    assert_int_equal(bytes(f->c), 0);
}

static void test_no_memory(void **state)
{
    struct cache *c = ((struct fixture *)*state)->c;
    struct cache_key key = key_of(1, 1);
    uint8_t *data = cache_alloc(c, 100);

    mem_fail_nth(1, false);
    assert_null(cache_put(c, &key, data, 100)); /* data is freed: tear_down counts */
    mem_fail_nth(0, false);
    assert_int_equal(bytes(c), 0);
}

struct worker {
    struct fixture *f;
    uint64_t seed;
    unsigned bad;
};

static void work(void *arg)
{
    struct worker *w = arg;
    uint64_t x = w->seed;

    for (int i = 0; i < 3000; i++) {
        struct cache_key key;
        struct cache_entry *e;
        size_t n;

        x = dn_mix64(x + 1);
        key = key_of(1 + x % 3, (uint32_t)(x >> 8) % 12);
        e = cache_get(w->f->c, &key);
        if (!e)
            e = put(w->f->c, key.segment, key.group, 60 + key.group);
        if (cache_data(e, &n)[n - 1] != (uint8_t)(key.segment * 16 + key.group) ||
            n != 60 + key.group)
            w->bad++;
        cache_unpin(w->f->c, e);
        if (x % 97 == 0)
            cache_drop_segment(w->f->c, key.segment);
    }
}

static void test_threads(void **state)
{
    struct fixture *f = *state;
    struct sched_task *tasks[4];
    struct worker workers[4];
    struct dn_err err = {0};

    for (unsigned i = 0; i < 4; i++) {
        workers[i] = (struct worker){.f = f, .seed = i + 1};
        assert_int_equal(sched_spawn(f->s, "worker", work, &workers[i], &tasks[i], &err), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        sched_join(tasks[i]);
        assert_int_equal(workers[i].bad, 0);
    }
    assert_true(bytes(f->c) <= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_get_and_put, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_oldest_go_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_pins_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_dropped_segments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_charges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limit_of_owner, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
