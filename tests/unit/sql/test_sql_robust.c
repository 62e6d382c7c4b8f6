/* SPDX-License-Identifier: Apache-2.0
 *
 * What must never happen, whatever the text: a crash, a leak, a tree that does not print and parse
 * back, an error without a place. Caps, a sweep of failing allocations, random token soup and
 * random damage within a time budget, the fuzz corpus. The first argument is the corpus directory.
 */
#include "ast_same.h"
#include "statements.h"

#include <dirent.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static const char *corpus_dir;

static int parse_code(const struct buf *b, struct dn_err *err)
{
    struct sql_text t;
    struct arena arena;
    struct stmt *s;
    int rc;

    arena_init(&arena, NULL);
    dn_err_clear(err);
    sql_text_init(&t, (const char *)b->data, b->len);
    rc = sql_parse(&t, &arena, &s, err);
    arena_done(&arena);
    return rc;
}

static void repeat(struct buf *b, const char *s, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        buf_puts(b, s);
}

/* ---- caps ---- */

struct nest {
    const char *head;
    const char *open;
    const char *middle;
    const char *close;
    const char *tail;
    unsigned fine; /* this many are parsed */
};

static const struct nest nests[] = {
    {"select ", "(", "1", ")", "", 500},
    {"select ", "f(", "1", ")", "", 499},
    {"select ", "not ", "a", "", "", 499},
    {"select ", "- ", "a", "", "", 499},
    {"select ", "+", "a", "", "", 499},
    {"select ", "a + (", "1", ")", "", 499},
    {"select ", "a in (", "1", ")", "", 499},
    {"select ", "cast(", "1", " as int)", "", 499},
    {"select ", "a and (b or ", "c", ")", "", 240},
    {"select 1", " + 1", "", "", "", 499},
    {"select a", "::int", "", "", "", 499},
    {"insert into t values (", "(", "1", ")", ")", 500},
    {"", "select (", "select 1", ")", "", 200},
    {"select ", "exists (select ", "1", ")", "", 200},
    {"select * from ", "(select * from ", "t", ")", "", 200},
    {"select * from t", " join t on true", "", "", "", 490},
    {"select 1", " union select 1", "", "", "", 490},
    {"select ", "array[", "1", "]", "", 490},
    {"select a", "[1]", "", "", "", 490},
    {"", "with x as (", "select 1", ") select 1", "", 120},
    {"select 1 group by ", "grouping sets (", "a", ")", "", 400},
};

static int nest_code(const struct nest *n, unsigned count)
{
    struct buf b;
    struct dn_err err;
    const char *wrong;
    unsigned failed;
    int rc;

    buf_init(&b, NULL);
    buf_puts(&b, n->head);
    repeat(&b, n->open, count);
    buf_puts(&b, n->middle);
    repeat(&b, n->close, count);
    buf_puts(&b, n->tail);
    rc = parse_code(&b, &err);
    if (rc < 0 && (err.position == 0 || !err.hint[0]))
        fail_msg("no position or hint: %s", err.text);
    wrong = ast_round_trip((const char *)b.data, b.len, &failed);
    if (wrong)
        fail_msg("%s%s x %u: %s", n->head, n->open, count, wrong);
    buf_done(&b);
    return rc;
}

static void test_depth(void **state)
{
    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(nests); i++) {
        int rc = nest_code(&nests[i], nests[i].fine);
        if (rc != 0)
            fail_msg("%s%s x %u: %d", nests[i].head, nests[i].open, nests[i].fine, rc);
        rc = nest_code(&nests[i], 100000);
        if (rc != DN_E_TOO_COMPLEX)
            fail_msg("%s%s x 100000: %d", nests[i].head, nests[i].open, rc);
    }
}

/* Things that are long but not deep, or nest outside the tree. */
static void test_long(void **state)
{
    struct buf b;
    struct dn_err err;

    (void)state;
    buf_init(&b, NULL);
    repeat(&b, "/*", 200000);
    repeat(&b, "*/", 200000);
    buf_puts(&b, "select 1");
    assert_int_equal(parse_code(&b, &err), 0);
    buf_reset(&b);
    buf_puts(&b, "select '");
    repeat(&b, "''", 1000000);
    buf_puts(&b, "'");
    assert_int_equal(parse_code(&b, &err), 0);
    buf_reset(&b);
    buf_puts(&b, "select ");
    repeat(&b, "1", 1000000);
    assert_int_equal(parse_code(&b, &err), DN_E_OUT_OF_RANGE);
    buf_reset(&b);
    repeat(&b, "a", 1000000);
    assert_int_equal(parse_code(&b, &err), DN_E_SYNTAX);
    buf_done(&b);
}

static void test_list_cap(void **state)
{
    struct buf b;
    struct dn_err err;

    (void)state;
    buf_init(&b, NULL);
    buf_puts(&b, "select a in (1");
    repeat(&b, ",1", SQL_LIST_MAX);
    buf_puts(&b, ")");
    assert_int_equal(parse_code(&b, &err), DN_E_TOO_COMPLEX);
    assert_string_equal(err.text, "a list has more than 1000000 elements");
    assert_int_not_equal(err.position, 0);
    buf_done(&b);
}

static void test_text_cap(void **state)
{
    struct sql_text t;
    struct arena arena;
    struct stmt *s;
    struct dn_err err;

    (void)state;
    arena_init(&arena, NULL);
    sql_text_init(&t, "select 1", (size_t)SQL_TEXT_MAX + 1); /* refused before it is read */
    assert_int_equal(sql_parse(&t, &arena, &s, &err), DN_E_TOO_COMPLEX);
    arena_done(&arena);
}

/* A text of exactly so many bytes, with nothing behind it: the sanitizer watches the end. */
static void test_ends(void **state)
{
    (void)state;
    for (unsigned i = 0; i < statements_count; i++) {
        size_t len = strlen(statements[i].text);

        for (size_t n = 0; n <= len; n++) {
            char *exact = mem_dup(NULL, statements[i].text, n);
            unsigned failed;
            const char *wrong = ast_round_trip(exact, n, &failed);

            if (wrong)
                fail_msg("%.*s: %s", (int)n, statements[i].text, wrong);
            (void)sql_complete(exact, n);
            mem_free(exact);
        }
    }
}

/* ---- failing allocations ---- */

static int sweep_once(const char *text, uint64_t n)
{
    struct sql_text t;
    struct arena arena;
    struct stmt *s;
    struct dn_err err;
    struct buf b;
    int rc;

    dn_err_clear(&err);
    arena_init(&arena, NULL);
    buf_init(&b, NULL);
    sql_text_init(&t, text, strlen(text));
    mem_fail_nth(n, false);
    rc = sql_parse(&t, &arena, &s, &err);
    if (rc == 0) {
        sql_print_stmt(s, &b);
        if (b.failed)
            rc = DN_E_NOMEM;
    }
    buf_done(&b);
    arena_done(&arena);
    return rc;
}

static void sweep(const char *text, int clean)
{
    size_t used = mem_process_used();
    uint64_t n = 1;

    for (;; n++) {
        int rc = sweep_once(text, n);
        bool hit = mem_fail_hit();

        mem_fail_nth(0, false);
        assert_int_equal(mem_process_used(), used);
        if (rc != clean && rc != DN_E_NOMEM)
            fail_msg("%s: allocation %u fails: %d", text, (unsigned)n, rc);
        if (!hit) {
            assert_int_equal(rc, clean);
            break;
        }
        if (clean == 0 && rc != DN_E_NOMEM)
            fail_msg("%s: allocation %u fails and nobody says so", text, (unsigned)n);
    }
}

static void test_fault_sweep(void **state)
{
    (void)state;
    for (unsigned i = 0; i < statements_count; i++)
        sweep(statements[i].text, 0);
    sweep("create table t (a int, primary key ((a, b, a, b));", DN_E_SYNTAX);
    sweep("select a, (b + 'x') FORM t", DN_E_SYNTAX);
    sweep("create table t (a int, b vrachar)", DN_E_UNDEFINED_OBJECT);
    sweep("insert into t values (1, 'a'), (2, 0x1)", DN_E_SYNTAX);
}

/* ---- random text ---- */

static uint64_t seed;

static uint64_t rnd(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % below;
}

static double now(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static const char *const soup_words[] = {
    "(",
    ")",
    ",",
    ".",
    ";",
    "=",
    "<",
    "<=",
    "<>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "::",
    ":",
    "{",
    "}",
    "?",
    "$1",
    "$2",
    "1",
    "2.5",
    "'s'",
    "E'\\n'",
    "0xab",
    "X''",
    "a",
    "b",
    "t",
    "\"q q\"",
    "`b`",
    "int",
    "varchar",
    "timestamp",
    "double",
    "quantum",
    "'m'",
    "--c\n",
    "/*c*/",
    "é",
    "|",
    "@",
    "0x1",
    "'",
    "\xff",
    "9223372036854775808",
    "count",
    "\n",
    "default",
};

static void soup_make(struct buf *b)
{
    static const char *const starts[] = {"select ",
                                         "insert into t values (",
                                         "create table t (",
                                         "select a from t where ",
                                         "create table t (a int, primary key (",
                                         "explain select ",
                                         ""};
    size_t words;
    const struct sql_keyword *keywords = sql_keywords(&words);
    unsigned n = 1 + (unsigned)rnd(30);

    buf_reset(b);
    buf_puts(b, starts[rnd(DN_ARRAY_SIZE(starts))]);
    for (unsigned i = 0; i < n; i++) {
        if (rnd(3) == 0)
            buf_puts(b, keywords[rnd(words)].word);
        else
            buf_puts(b, soup_words[rnd(DN_ARRAY_SIZE(soup_words))]);
        if (rnd(8))
            buf_puts(b, " ");
    }
}

/* A good statement with some bytes changed, dropped, doubled, or a piece of another one inside. */
static void soup_damage(struct buf *b)
{
    const char *text = statements[rnd(statements_count)].text;
    const char *other = statements[rnd(statements_count)].text;
    unsigned n = 1 + (unsigned)rnd(3);

    buf_reset(b);
    buf_puts(b, text);
    for (unsigned i = 0; i < n && b->len > 0; i++) {
        size_t at = (size_t)rnd(b->len);
        switch (rnd(4)) {
        case 0:
            b->data[at] = (uint8_t)rnd(256);
            break;
        case 1:
            memmove(b->data + at, b->data + at + 1, b->len - at - 1);
            b->len--;
            break;
        case 2:
            buf_puts(b, other + rnd(strlen(other)));
            break;
        default:
            b->len = at;
            buf_puts(b, other + rnd(strlen(other)));
            break;
        }
    }
}

static void test_soup(void **state)
{
    double until = now() + 2.0;
    unsigned long texts = 0;
    unsigned long good = 0;
    struct buf b;

    (void)state;
    seed = 88172645463325252u;
    buf_init(&b, NULL);
    while (now() < until) {
        uint64_t at = seed;
        unsigned failed;
        const char *wrong;

        if (texts++ % 2)
            soup_make(&b);
        else
            soup_damage(&b);
        wrong = ast_round_trip((const char *)b.data, b.len, &failed);
        if (wrong)
            fail_msg("seed %llu: %s: %.*s",
                     (unsigned long long)at,
                     wrong,
                     (int)b.len,
                     (const char *)b.data);
        good += failed == 0;
    }
    print_message("%lu texts, %lu without an error\n", texts, good);
    assert_true(good > texts / 100 && good < texts - texts / 100); /* it reaches both sides */
    buf_done(&b);
}

/* ---- the corpus ---- */

static void corpus_file(const char *name)
{
    char path[4096];
    static char text[1 << 16];
    unsigned failed;
    size_t len;
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", corpus_dir, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    len = fread(text, 1, sizeof text, f);
    (void)fclose(f);
    const char *wrong = ast_round_trip(text, len, &failed);
    if (wrong)
        fail_msg("%s: %s", name, wrong);
    if (strncmp(name, "ok_", 3) == 0 && failed > 0)
        fail_msg("%s has an error", name);
    if (strncmp(name, "bad_", 4) == 0 && failed == 0)
        fail_msg("%s has no error", name);
}

static void test_corpus(void **state)
{
    DIR *dir = opendir(corpus_dir);
    struct dirent *e;
    unsigned files = 0;

    (void)state;
    assert_non_null(dir);
    while ((e = readdir(dir)) != NULL) {
        if (e->d_name[0] == '.')
            continue;
        corpus_file(e->d_name);
        files++;
    }
    (void)closedir(dir);
    assert_true(files >= 50);
}

/* The decimal point of SQL is a point, whatever the program's locale says. */
static void test_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
    struct sql_text t;
    struct arena arena;
    struct stmt *s;
    const char *set = NULL;

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(names) && !set; i++)
        set = setlocale(LC_ALL, names[i]);
    if (!set)
        skip();
    arena_init(&arena, NULL);
    sql_text_init(&t, "select 1.2345678901234567890123", 31);
    assert_int_equal(sql_parse(&t, &arena, &s, NULL), 0);
    assert_true(s->query->core->items[0].expr->value.v.f64 == 1.2345678901234567890123);
    arena_done(&arena);
    (void)setlocale(LC_ALL, "C");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_list_cap),
        cmocka_unit_test(test_text_cap),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_fault_sweep),
        cmocka_unit_test(test_soup),
        cmocka_unit_test(test_corpus),
        cmocka_unit_test(test_locale),
    };

    corpus_dir = argc > 1 ? argv[1] : "tests/fuzz/corpus/sql";
    return cmocka_run_group_tests_name("sql_robust", tests, NULL, NULL);
}
