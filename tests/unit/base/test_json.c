/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The tree back to text, in one canonical form. */
static void print(struct dn_json_writer *w, const struct dn_json *v)
{
    switch (v->kind) {
    case DN_JSON_NULL:
        dn_json_put_null(w, v->name);
        return;
    case DN_JSON_BOOL:
        dn_json_put_bool(w, v->name, v->integer != 0);
        return;
    case DN_JSON_INT:
        dn_json_put_int(w, v->name, v->integer);
        return;
    case DN_JSON_REAL:
        dn_json_put_real(w, v->name, v->real);
        return;
    case DN_JSON_STRING:
        dn_json_put_text(w, v->name, v->str, v->len);
        return;
    case DN_JSON_ARRAY:
    case DN_JSON_OBJECT:
        dn_json_begin(w, v->name, v->kind == DN_JSON_OBJECT ? '{' : '[');
        for (size_t i = 0; i < v->count; i++)
            print(w, &v->items[i]);
        dn_json_end(w, v->kind == DN_JSON_OBJECT ? '}' : ']');
        return;
    }
}

/* From a heap block of just that size, so that the sanitizer sees a read over its end. */
static int parse(
    struct arena *arena, const char *text, size_t n, const struct dn_json **ret, struct dn_err *err)
{
    char *exact = malloc(n ? n : 1);
    int rc;

    assert_non_null(exact);
    memcpy(exact, text, n);
    rc = dn_json_parse(arena, exact, n, ret, err);
    free(exact);
    return rc;
}

static void test_good(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        {"null", "null"},
        {" [ ] ", "[]"},
        {"{}", "{}"},
        {"[true,false,null]", "[\n true,\n false,\n null\n]"},
        {"{\"a\":[1,{\"b\":\"c\"}],\"d\":{}}",
         "{\n \"a\": [\n  1,\n  {\n   \"b\": \"c\"\n  }\n ],\n \"d\": {}\n}"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"-0", "0"},
        {"0.1", "0.10000000000000001"},
        {"-2.50", "-2.5"},
        {"1e3", "1000.0"},
        {"1E-3", "0.001"},
        {"1e+300", "1.0000000000000001e+300"},
        {"-0.0", "-0.0"},
        {"\"\"", "\"\""},
        {"\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\"", "\"a\\\"\\\\/\\b\\f\\n\\r\\tz\""},
        {"\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\\u0000\\u001f\"", "\"Aé€😀\\u0000\\u001F\""},
        {"\"grün\"", "\"grün\""},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        const struct dn_json *v = NULL;
        struct dn_json_writer w;
        struct arena arena;
        struct buf b;

        arena_init(&arena, NULL);
        buf_init(&b, NULL);
        assert_int_equal(parse(&arena, cases[i].text, strlen(cases[i].text), &v, NULL), 0);
        w = dn_json_writer_make(&b);
        print(&w, v);
        buf_u8(&b, 0);
        assert_string_equal((const char *)b.data, cases[i].want);
        buf_done(&b);
        arena_done(&arena);
    }
}

static void test_bad(void **state)
{
    static const struct {
        const char *text;
        const char *want;
    } cases[] = {
        {"", "line 1, column 1: not a value"},
        {"nul", "line 1, column 1: not a value"},
        {"[1,\n 2,\n x]", "line 3, column 2: not a value"},
        {"[1 2]", "line 1, column 4: expected , or ]"},
        {"[1,]", "line 1, column 4: not a value"},
        {"[1", "line 1, column 3: expected , or ]"},
        {"{\"a\":1", "line 1, column 7: expected , or }"},
        {"{\"a\" 1}", "line 1, column 6: expected a colon"},
        {"{a:1}", "line 1, column 2: expected a name"},
        {"{\"a\":1,}", "line 1, column 8: expected a name"},
        {"{\"a\":1,\"a\":2}", "line 1, column 11: a name given twice"},
        {"{\"a\\u0000\":1}", "line 1, column 11: a NUL in a name"},
        {"1 1", "line 1, column 3: something after the end"},
        {"01", "line 1, column 3: not a value"},
        {"-", "line 1, column 2: not a value"},
        {"+1", "line 1, column 1: not a value"},
        {"1.", "line 1, column 3: no digit after the point"},
        {".5", "line 1, column 1: not a value"},
        {"1e", "line 1, column 3: no digit in the exponent"},
        {"1e+", "line 1, column 4: no digit in the exponent"},
        {"1e999", "line 1, column 6: a number out of range"},
        {"9223372036854775808", "line 1, column 20: an integer of more than 64 bits"},
        {"-9223372036854775809", "line 1, column 21: an integer of more than 64 bits"},
        {"\"abc", "line 1, column 2: a string without end"},
        {"\"abc\\", "line 1, column 2: a string without end"},
        {"\"abc\\\"", "line 1, column 2: a string without end"},
        {"\"a\nb\"", "line 1, column 3: a control character in a string"},
        {"\"\\x\"", "line 1, column 3: not an escape"},
        {"\"\\u12g4\"", "line 1, column 4: not an escape"},
        {"\"\\u12\"", "line 1, column 4: not an escape"},
        {"\"\\ud800\"", "line 1, column 8: half a surrogate pair"},
        {"\"\\ud800\\u0041\"", "line 1, column 14: half a surrogate pair"},
        {"\"\\udc00\"", "line 1, column 8: not an escape"},
        {"\"\xff\"", "line 1, column 3: not UTF-8"},
        {"\"\xc0\x80\"", "line 1, column 4: not UTF-8"},
        {"\xef\xbb\xbf{}", "line 1, column 1: not a value"},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        const struct dn_json *v = NULL;
        struct dn_err err = {0};
        struct arena arena;

        arena_init(&arena, NULL);
        if (parse(&arena, cases[i].text, strlen(cases[i].text), &v, &err) != DN_E_CORRUPT ||
            strcmp(err.text, cases[i].want) != 0)
            fail_msg("%s\n got: %s\nwant: %s", cases[i].text, err.text, cases[i].want);
        assert_null(v);
        arena_done(&arena);
    }
}

static void test_caps(void **state)
{
    char text[2048] = "";
    const struct dn_json *v = NULL;
    struct dn_err err = {0};
    struct arena arena;
    size_t n = 0;

    (void)state;
    arena_init(&arena, NULL);
    memset(text, '[', 40);
    assert_int_equal(parse(&arena, text, 40, &v, &err), DN_E_CORRUPT);
    assert_string_equal(err.text, "line 1, column 34: nested too deeply");
    memset(text + 32, ']', 32);
    assert_int_equal(parse(&arena, text, 64, &v, &err), 0);
    n = (size_t)snprintf(text, sizeof text, "{");
    for (int i = 0; i < 65; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s\"n%d\":0", i ? "," : "", i);
    n += (size_t)snprintf(text + n, sizeof text - n, "}");
    assert_int_equal(parse(&arena, text, n, &v, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "too many members"));
    memset(text, '1', 500);
    text[1] = '.';
    assert_int_equal(parse(&arena, text, 500, &v, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "too many digits"));
    arena_done(&arena);
}

static void test_get(void **state)
{
    const struct dn_json *v = NULL;
    struct arena arena;

    (void)state;
    arena_init(&arena, NULL);
    assert_int_equal(parse(&arena, "{\"a\":1,\"b\":[2]}", 15, &v, NULL), 0);
    assert_int_equal(dn_json_get(v, "a")->integer, 1);
    assert_true(dn_json_is(dn_json_get(v, "b"), DN_JSON_ARRAY));
    assert_null(dn_json_get(v, "c"));
    assert_null(dn_json_get(dn_json_get(v, "b"), "a"));
    assert_null(dn_json_get(NULL, "a"));
    arena_done(&arena);
}

static void test_faults(void **state)
{
    static const char text[] = "{\"a\":[1,2,3,4,5,6,\"text\"],\"b\":{\"c\":\"d\"}}";
    size_t used = mem_process_used();

    (void)state;
    for (uint64_t n = 1;; n++) {
        const struct dn_json *v = NULL;
        struct dn_err err = {0};
        struct arena arena;
        bool hit;
        int rc;

        assert_true(n < 1000);
        arena_init(&arena, NULL);
        mem_fail_nth(n, true);
        rc = dn_json_parse(&arena, text, sizeof text - 1, &v, &err);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        arena_done(&arena);
        assert_int_equal(mem_process_used(), used);
        if (!hit) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, DN_E_NOMEM);
        assert_int_equal(err.code, DN_E_NOMEM);
    }
}

/* A program around us may have another decimal point. */
static void test_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const struct dn_json *v = NULL;
    struct dn_json_writer w;
    struct arena arena;
    struct buf b;
    const char *set = NULL;

    (void)state;
    for (size_t i = 0; !set && i < DN_ARRAY_SIZE(names); i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (!set)
        skip(); /* no such locale on this machine */
    arena_init(&arena, NULL);
    buf_init(&b, NULL);
    assert_int_equal(parse(&arena, "2.5e-3", 6, &v, NULL), 0);
    w = dn_json_writer_make(&b);
    dn_json_put_real(&w, NULL, v->real);
    (void)setlocale(LC_NUMERIC, "C");
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, "0.0025000000000000001");
    buf_done(&b);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_locale),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
