/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct item {
    uint32_t key;
    uint32_t place;
};

static atomic_bool *stop;       /* set by the comparison … */
static uint64_t compares;       /* … when this comes to 0 */
static uint64_t compares_after; /* it was set */

static int by_key(const void *a, const void *b)
{
    const struct item *x = a;
    const struct item *y = b;

    if (stop && atomic_load(stop))
        compares_after++;
    else if (stop && --compares == 0)
        atomic_store(stop, true);
    return (x->key > y->key) - (x->key < y->key);
}

static struct item *make(size_t n, uint32_t keys)
{
    struct item *items = mem_alloc_array(NULL, 2 * n + 1, sizeof *items);
    uint64_t seed = n + keys;

    assert_non_null(items);
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        items[i] = (struct item){(uint32_t)(seed >> 33) % keys, (uint32_t)i};
    }
    return items;
}

static void test_orders(void **state)
{
    static const size_t counts[] = {0, 1, 2, 1000, 16384, 16385, 32768, 49153, 200001};
    static const uint32_t keys[] = {1, 7, 1u << 31};

    (void)state;
    stop = NULL;
    for (size_t c = 0; c < DN_ARRAY_SIZE(counts); c++)
        for (size_t k = 0; k < DN_ARRAY_SIZE(keys); k++) {
            size_t n = counts[c];
            struct item *items = make(n, keys[k]);

            assert_int_equal(dn_sort(items, items + n, n, sizeof *items, by_key, NULL, NULL), 0);
            for (size_t i = 1; i < n; i++) {
                assert_true(items[i - 1].key <= items[i].key);
                if (items[i - 1].key == items[i].key) /* stable */
                    assert_true(items[i - 1].place < items[i].place);
            }
            mem_free(items);
        }
}

/* Set at any time it ends soon, and no element is lost. */
static void test_cancel(void **state)
{
    const size_t n = 200000;
    atomic_bool cancel;

    (void)state;
    for (uint64_t at = 1; at < 4000000; at = at * 5 / 2 + 1) {
        struct item *items = make(n, 1u << 31);
        uint64_t sum = 0;
        struct dn_err err;
        int rc;

        atomic_init(&cancel, false);
        stop = &cancel;
        compares = at;
        compares_after = 0;
        rc = dn_sort(items, items + n, n, sizeof *items, by_key, &cancel, &err);
        assert_int_equal(rc, atomic_load(&cancel) ? DN_E_CANCELED : 0);
        assert_true(compares_after < 16384 * 15); /* those of one piece */
        for (size_t i = 0; i < n; i++)
            sum += items[i].place;
        assert_true(sum == (uint64_t)n * (n - 1) / 2);
        mem_free(items);
    }
    stop = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders),
                                       cmocka_unit_test(test_cancel)};

    return cmocka_run_group_tests_name("sort", tests, NULL, NULL);
}
