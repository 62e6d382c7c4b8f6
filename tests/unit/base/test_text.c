/* SPDX-License-Identifier: Apache-2.0
 *
 * Words: what is UTF-8, which names are the same but for case, which word was meant. */
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void utf8_is_checked(void **state)
{
    static const char *const good[] = {
        "", "plain", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8c\xb3", "\xf4\x8f\xbf\xbf", "\x7f"};
    static const char *const bad[] = {
        "\x80",             /* a continuation alone */
        "a\xc3",            /* cut off */
        "\xe2\x82",         /* cut off */
        "\xf0\x9f\x8c",     /* cut off */
        "\xc3(",            /* no continuation */
        "\xc0\xaf",         /* overlong */
        "\xe0\x80\xaf",     /* overlong */
        "\xf0\x80\x80\xaf", /* overlong */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf4\x90\x80\x80", /* above U+10FFFF */
        "\xff",
        "ok then \xfe",
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(good); i++)
        assert_true(text_utf8_valid(good[i], strlen(good[i])));
    for (size_t i = 0; i < DN_ARRAY_SIZE(bad); i++)
        assert_false(text_utf8_valid(bad[i], strlen(bad[i])));
    assert_true(text_utf8_valid("a\0b", 3));   /* NUL is a character … */
    assert_false(text_value_valid("a\0b", 3)); /* … that no value has */
    assert_false(text_value_valid("\xff", 1));
    assert_true(text_value_valid("\xc3\xa4", 2));
    assert_true(text_value_valid("\0", 0));
    assert_true(text_utf8_valid("\xc3\xa4", 0));
}

static bool same(const char *a, const char *b)
{
    bool forth = text_same_fold(a, strlen(a), b, strlen(b));

    assert_int_equal(forth, text_same_fold(b, strlen(b), a, strlen(a)));
    return forth;
}

static void names_fold(void **state)
{
    (void)state;
    assert_true(same("", ""));
    assert_true(same("GeoCheckin", "geocheckin"));
    assert_true(same("\xc3\x84rger", "\xc3\xa4RGER"));
    assert_true(same("\xce\xa9", "\xcf\x89")); /* omega */
    assert_false(same("geo", "geos"));
    assert_false(same("", "x"));
    assert_false(same("stra\xc3\x9f"
                      "e",
                      "strasse")); /* one character each */
    assert_false(same("\xc3\x84", "A"));
    assert_true(same("\xff\xfe", "\xff\xfe")); /* no UTF-8: by bytes */
    assert_false(same("\xff"
                      "a",
                      "\xff"
                      "A"));
    assert_false(same("\xff", "\xff\xff"));
}

static void the_word_that_was_meant(void **state)
{
    static const char *const words[] = {"temperature", "region", "state", "time", "weather"};
    static const struct {
        const char *word;
        const char *meant; /* NULL = none */
    } rows[] = {
        {"region", "region"},
        {"REGION", "region"},
        {"regoin", "region"}, /* neighbours swapped */
        {"stat", "state"},    /* one missing */
        {"sttate", "state"},  /* one too many */
        {"tine", "time"},     /* one wrong */
        {"tin", NULL},        /* two edits are too many for a short word */
        {"temprtur", NULL},   /* three edits, two allowed */
        {"temprature", "temperature"},
        {"temparatures", "temperature"},
        {"x", NULL},
        {"", NULL},
        {"completely different", NULL},
        {"\xff\xfe", NULL},
    };
    char long_word[200];

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++) {
        const char *got = text_suggest(rows[i].word, words, DN_ARRAY_SIZE(words));
        if (rows[i].meant)
            assert_string_equal(got, rows[i].meant);
        else
            assert_null(got);
    }
    memset(long_word, 'a', sizeof long_word);
    long_word[TEXT_NEAR_MAX + 1] = '\0';
    assert_null(text_suggest(long_word, (const char *[]){long_word}, 1));
    long_word[TEXT_NEAR_MAX] = '\0';
    assert_non_null(text_suggest(long_word, (const char *[]){long_word}, 1));
    /* The first of equals. */
    assert_string_equal(text_suggest("cat", (const char *[]){"car", "can"}, 2), "car");
    assert_null(text_suggest("cat", NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_checked),
        cmocka_unit_test(names_fold),
        cmocka_unit_test(the_word_that_was_meant),
    };

    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
