/* SPDX-License-Identifier: Apache-2.0
 *
 * Logins of browsers: how long they last, and how many there may be. */
#include "server/http/logins.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECOND UINT64_C(1000000000)

static struct sched *sched;
static struct http_logins *logins;

static int begin(void **state DN_UNUSED)
{
    sched = sched_sim_new(1, NULL);
    logins = http_logins_new(sched, NULL);
    return sched && logins ? 0 : -1;
}

static int end(void **state DN_UNUSED)
{
    http_logins_free(logins);
    sched_free(sched);
    return 0;
}

static bool is_of(const char *token, uint64_t now, const char *role)
{
    char got[TABLE_NAME_MAX + 1];

    return http_logins_role(logins, token, now, got) && strcmp(got, role) == 0;
}

static void tokens(void **state DN_UNUSED)
{
    char a[HTTP_TOKEN_LEN + 1];
    char b[HTTP_TOKEN_LEN + 1];

    assert_true(http_logins_add(logins, "alice", "v1", SECOND, a));
    assert_true(http_logins_add(logins, "bob", "v2", SECOND, b));
    assert_int_equal(strlen(a), HTTP_TOKEN_LEN);
    assert_string_not_equal(a, b);
    assert_true(is_of(a, SECOND, "alice"));
    assert_true(is_of(b, SECOND, "bob"));
    assert_false(is_of("", SECOND, ""));
    a[0] = a[0] == '0' ? '1' : '0';
    assert_false(is_of(a, SECOND, "alice"));
    http_logins_end(logins, b);
    assert_false(is_of(b, SECOND, "bob"));
}

static void another_password_ends_it(void **state DN_UNUSED)
{
    char a[HTTP_TOKEN_LEN + 1];

    assert_true(http_logins_add(logins, "alice", "v1", SECOND, a));
    assert_true(http_logins_fits(logins, a, "v1"));
    assert_false(http_logins_fits(logins, a, "v2"));
    assert_false(http_logins_fits(logins, a, "v1")); /* it is over */
    assert_false(is_of(a, SECOND, "alice"));
}

static void time_ends_it(void **state DN_UNUSED)
{
    char a[HTTP_TOKEN_LEN + 1];
    uint64_t now = SECOND;

    assert_true(http_logins_add(logins, "alice", "v", now, a));
    assert_false(is_of(a, now + HTTP_LOGINS_IDLE_NS, "alice"));
    assert_true(http_logins_add(logins, "alice", "v", now, a));
    while (now + HTTP_LOGINS_IDLE_NS / 2 < SECOND + HTTP_LOGINS_LIFE_NS) { /* used all the time */
        now += HTTP_LOGINS_IDLE_NS / 2;
        assert_true(is_of(a, now, "alice"));
    }
    assert_false(is_of(a, SECOND + HTTP_LOGINS_LIFE_NS, "alice"));
}

static void one_role_does_not_push_out_others(void **state DN_UNUSED)
{
    char first[HTTP_TOKEN_LEN + 1];
    char kept[HTTP_TOKEN_LEN + 1];
    char more[HTTP_TOKEN_LEN + 1];
    char bob[HTTP_TOKEN_LEN + 1];

    assert_true(http_logins_add(logins, "bob", "v", 1, bob));
    assert_true(http_logins_add(logins, "alice", "v", 2, first));
    assert_true(http_logins_add(logins, "alice", "v", 3, kept));
    for (unsigned i = 2; i < HTTP_LOGINS_ROLE; i++)
        assert_true(http_logins_add(logins, "alice", "v", 4, more));
    assert_true(is_of(first, 5, "alice")); /* now "kept" is the one unused for longest */
    assert_true(http_logins_add(logins, "alice", "v", 6, more));
    assert_true(is_of(first, 7, "alice"));
    assert_false(is_of(kept, 7, "alice"));
    assert_true(is_of(bob, 7, "bob"));
}

static void all_places_taken(void **state DN_UNUSED)
{
    char first[HTTP_TOKEN_LEN + 1];
    char more[HTTP_TOKEN_LEN + 1];
    char role[16];

    assert_true(http_logins_add(logins, "first", "v", 1, first));
    for (unsigned i = 1; i < HTTP_LOGINS_MAX; i++) {
        snprintf(role, sizeof role, "r%u", i / 10);
        assert_true(http_logins_add(logins, role, "v", 2, more));
    }
    assert_true(is_of(more, 3, role));
    assert_true(http_logins_add(logins, "last", "v", 4, more));
    assert_true(is_of(more, 5, "last"));
    assert_false(is_of(first, 5, "first"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tokens, begin, end),
        cmocka_unit_test_setup_teardown(another_password_ends_it, begin, end),
        cmocka_unit_test_setup_teardown(time_ends_it, begin, end),
        cmocka_unit_test_setup_teardown(one_role_does_not_push_out_others, begin, end),
        cmocka_unit_test_setup_teardown(all_places_taken, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
