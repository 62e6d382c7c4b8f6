/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap and arenas: accounting over the tree of owners, limits, the fault switch, overflow. */
#include "base/arena.h"
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void charges_go_up_to_the_root(void **state)
{
    struct mem_owner db;
    struct mem_owner stmt;
    size_t process = mem_process_used();
    char *a;
    char *b;

    (void)state;
    mem_owner_init(&db, "database", NULL, 0);
    mem_owner_init(&stmt, "statement", &db, 0);
    a = mem_alloc(&stmt, 100);
    b = mem_alloc(&db, 50);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal((uintptr_t)a % 16, 0);
    assert_int_equal(mem_owner_used(&stmt), 100);
    assert_int_equal(mem_owner_used(&db), 150);
    assert_int_equal(mem_process_used(), process + 150);
    a = mem_realloc(NULL, a, 300);
    assert_non_null(a);
    assert_int_equal(mem_owner_used(&stmt), 300);
    a = mem_realloc(NULL, a, 10);
    assert_non_null(a);
    assert_int_equal(mem_owner_used(&stmt), 10);
    assert_int_equal(mem_owner_used(&db), 60);
    assert_int_equal(atomic_load(&stmt.peak), 300);
    mem_free(a);
    mem_free(b);
    mem_free(NULL);
    assert_int_equal(mem_owner_used(&db), 0);
    assert_int_equal(mem_process_used(), process);
}

static void limits_refuse_and_leave_no_trace(void **state)
{
    struct mem_owner db;
    struct mem_owner stmt;
    size_t process = mem_process_used();
    char *a;

    (void)state;
    mem_owner_init(&db, "database", NULL, 1000);
    mem_owner_init(&stmt, "statement", &db, 400);
    assert_null(mem_alloc(&stmt, 401));
    assert_int_equal(mem_owner_used(&stmt), 0);
    a = mem_alloc(&stmt, 400);
    assert_non_null(a);
    memset(a, 7, 400);
    assert_null(mem_alloc(&stmt, 1));
    assert_null(mem_realloc(&stmt, a, 401));
    assert_int_equal(a[399], 7); /* a failed realloc leaves the old one */
    assert_false(mem_charge(&db, 601));
    assert_int_equal(mem_owner_used(&db), 400);
    assert_true(mem_charge(&db, 600));
    mem_free(a);
    /* The statement has room now, but the database above it has not. */
    assert_null(mem_alloc(&stmt, 401));
    assert_true(mem_charge(&db, 400));
    assert_null(mem_alloc(&stmt, 1));
    assert_int_equal(mem_owner_used(&stmt), 0);
    mem_uncharge(&db, 1000);
    assert_int_equal(mem_process_used(), process);
}

static void sizes_do_not_overflow(void **state)
{
    char *p;

    (void)state;
    assert_null(mem_alloc_array(NULL, SIZE_MAX / 2, 3));
    assert_null(mem_calloc(NULL, SIZE_MAX, SIZE_MAX));
    assert_null(mem_alloc(NULL, SIZE_MAX));
    p = mem_alloc(NULL, 0);
    assert_non_null(p);
    mem_free(p);
    p = mem_calloc(NULL, 3, 5);
    assert_non_null(p);
    for (int i = 0; i < 15; i++)
        assert_int_equal(p[i], 0);
    mem_free(p);
    p = mem_strdup(NULL, "ring");
    assert_non_null(p);
    assert_string_equal(p, "ring");
    mem_free(p);
}

static void the_nth_allocation_fails(void **state)
{
    void *p[4];

    (void)state;
    mem_fail_nth(3, false);
    for (int i = 0; i < 4; i++)
        p[i] = mem_alloc(NULL, 1);
    assert_true(mem_fail_hit());
    assert_non_null(p[0]);
    assert_non_null(p[1]);
    assert_null(p[2]);
    assert_non_null(p[3]);
    for (int i = 0; i < 4; i++)
        mem_free(p[i]);
    mem_fail_nth(2, true);
    p[0] = mem_alloc(NULL, 1);
    p[1] = mem_realloc(NULL, p[0], 2);
    p[2] = mem_alloc(NULL, 1);
    assert_non_null(p[0]);
    assert_null(p[1]);
    assert_null(p[2]);
    mem_fail_nth(0, false);
    assert_false(mem_fail_hit());
    p[3] = mem_alloc(NULL, 1);
    assert_non_null(p[3]);
    mem_free(p[0]);
    mem_free(p[3]);
}

static void arenas_give_and_take_all(void **state)
{
    struct mem_owner owner;
    struct arena arena;
    char *words[1000];

    (void)state;
    mem_owner_init(&owner, "test", NULL, 0);
    arena_init(&arena, &owner);
    assert_non_null(arena_alloc(&arena, 0)); /* nothing is no failure, in an empty arena too */
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++) {
            words[i] = arena_printf(&arena, "word %d of round %d", i, round);
            assert_non_null(words[i]);
            assert_int_equal((uintptr_t)words[i] % 16, 0);
        }
        for (int i = 0; i < 1000; i++) {
            char want[40];
            (void)snprintf(want, sizeof want, "word %d of round %d", i, round);
            assert_string_equal(words[i], want);
        }
        arena_reset(&arena);
    }
    assert_string_equal(arena_strndup(&arena, "quantum", 4), "quan");
    assert_string_equal(arena_strdup(&arena, ""), "");
    assert_memory_equal(arena_dup(&arena, "a\0b", 3), "a\0b", 3);
    assert_non_null(arena_alloc(&arena, 0));
    assert_non_null(arena_alloc(&arena, 1024 * 1024)); /* larger than any chunk */
    assert_null(arena_alloc_array(&arena, SIZE_MAX / 2, 4));
    assert_null(arena_calloc(&arena, SIZE_MAX / 4, 3));
    assert_true(mem_owner_used(&owner) >= 1024 * 1024);
    arena_done(&arena);
    assert_int_equal(mem_owner_used(&owner), 0);
    arena_done(&arena); /* twice is fine */
}

static void arenas_survive_no_memory(void **state)
{
    struct mem_owner owner;
    struct arena arena;
    char *kept;

    (void)state;
    mem_owner_init(&owner, "test", NULL, 10000);
    arena_init(&arena, &owner);
    kept = arena_strdup(&arena, "kept");
    assert_non_null(kept);
    assert_null(arena_alloc(&arena, 20000));
    assert_string_equal(kept, "kept");
    assert_non_null(arena_alloc(&arena, 10));
    arena_done(&arena);
    assert_int_equal(mem_owner_used(&owner), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_go_up_to_the_root),
        cmocka_unit_test(limits_refuse_and_leave_no_trace),
        cmocka_unit_test(sizes_do_not_overflow),
        cmocka_unit_test(the_nth_allocation_fails),
        cmocka_unit_test(arenas_give_and_take_all),
        cmocka_unit_test(arenas_survive_no_memory),
    };

    return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
