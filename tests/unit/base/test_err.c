/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors: raising, hints, positions, prefixes, truncation, and the rules of the list of codes. */
#include "base/err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const int codes[] = {
#define DN_ERR(name, number, sqlstate, meaning) DN_E_##name,
#include "base/err_list.h"
#undef DN_ERR
};

static void raise_fills_everything(void **state)
{
    struct dn_err err;
    int line;
    int rc;

    (void)state;
    memset(&err, 0x5a, sizeof err);
    line = __LINE__ + 1;
    rc = DN_FAIL(&err, DN_E_CORRUPT, "object '%s' at %d", "x", 7);
    assert_int_equal(rc, DN_E_CORRUPT);
    assert_int_equal(err.code, DN_E_CORRUPT);
    assert_string_equal(err.sqlstate, "XX001");
    assert_string_equal(err.text, "object 'x' at 7");
    assert_string_equal(err.hint, "");
    assert_int_equal(err.position, 0);
    assert_non_null(strstr(err.file, "test_err.c"));
    assert_int_equal(err.line, line);
    assert_int_equal(DN_FAIL(NULL, DN_E_IO, "nobody wants %s", "it"), DN_E_IO);
    dn_err_clear(&err);
    assert_int_equal(err.code, 0);
    assert_string_equal(err.text, "");
    dn_err_clear(NULL);
}

static void the_first_hint_and_position_stay(void **state)
{
    struct dn_err err;

    (void)state;
    DN_IGNORE(DN_FAIL(&err, DN_E_SYNTAX, "no")); /* only err matters here */
    dn_err_hint(&err, "try %d", 1);
    dn_err_hint(&err, "try %d", 2);
    assert_string_equal(err.hint, "try 1");
    dn_err_at(&err, 12);
    dn_err_at(&err, 13);
    assert_int_equal(err.position, 12);
    dn_err_hint(NULL, "nobody");
    dn_err_at(NULL, 1);
    /* A new error forgets the old one's hint and position. */
    DN_IGNORE(DN_FAIL(&err, DN_E_IO, "other"));
    assert_string_equal(err.hint, "");
    assert_int_equal(err.position, 0);
}

static void a_prefix_goes_before_and_long_texts_are_cut(void **state)
{
    char big[2 * DN_ERR_TEXT_MAX];
    struct dn_err err;

    (void)state;
    DN_IGNORE(DN_FAIL(&err, DN_E_IO, "disk on fire"));
    dn_err_prefix(&err, "shard %d", 3);
    assert_string_equal(err.text, "shard 3: disk on fire");
    dn_err_prefix(NULL, "nobody");
    memset(big, 'x', sizeof big);
    big[sizeof big - 1] = '\0';
    DN_IGNORE(DN_FAIL(&err, DN_E_IO, "%s", big));
    assert_int_equal(strlen(err.text), DN_ERR_TEXT_MAX - 1);
    dn_err_prefix(&err, "p");
    assert_int_equal(strlen(err.text), DN_ERR_TEXT_MAX - 1);
    assert_memory_equal(err.text, "p: xxx", 6);
    dn_err_prefix(&err, "%s", big);
    assert_int_equal(strlen(err.text), DN_ERR_TEXT_MAX - 1);
    dn_err_hint(&err, "%s", big);
    assert_int_equal(strlen(err.hint), DN_ERR_HINT_MAX - 1);
}

static void every_code_has_its_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(codes); i++) {
        assert_true(codes[i] < 0);
        assert_int_equal(strlen(dn_code_sqlstate(codes[i])), 5);
        assert_true(strlen(dn_code_name(codes[i])) > 0);
        assert_true(strlen(dn_code_meaning(codes[i])) > 0);
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(codes[i], codes[j]);
    }
    assert_string_equal(dn_code_name(DN_E_NOSPC), "NOSPC");
    assert_string_equal(dn_code_sqlstate(0), "00000");
    assert_string_equal(dn_code_name(0), "OK");
    assert_string_equal(dn_code_meaning(0), "No error.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raise_fills_everything),
        cmocka_unit_test(the_first_hint_and_position_stay),
        cmocka_unit_test(a_prefix_goes_before_and_long_texts_are_cut),
        cmocka_unit_test(every_code_has_its_row),
    };

    return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
