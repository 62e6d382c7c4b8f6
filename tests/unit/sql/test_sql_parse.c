/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements to trees and back: the table of statements.c, what the trees hold beyond their print,
 * several statements in one text, words as names, chains. */
#include "ast_same.h"

#include "statements.h"
#include "vec/numeric.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
    struct arena arena;
    struct sql_text t;
    struct dn_err err;
    struct stmt *s;
};

static void begin(struct fixture *f, const char *text)
{
    arena_init(&f->arena, NULL);
    sql_text_init(&f->t, text, strlen(text));
    dn_err_clear(&f->err);
    f->s = NULL;
}

static struct stmt *parse(struct fixture *f, const char *text)
{
    begin(f, text);
    if (sql_parse(&f->t, &f->arena, &f->s, &f->err) != 0)
        fail_msg("%s: %s", text, f->err.text);
    return f->s;
}

static void test_print(void **state)
{
    (void)state;
    for (unsigned i = 0; i < statements_count; i++) {
        struct fixture f;
        struct buf b;
        unsigned failed;
        const char *wrong;

        buf_init(&b, NULL);
        sql_print_stmt(parse(&f, statements[i].text), &b);
        buf_u8(&b, 0);
        assert_string_equal((const char *)b.data, statements[i].print);
        buf_done(&b);
        arena_done(&f.arena);
        wrong = ast_round_trip(statements[i].text, strlen(statements[i].text), &failed);
        if (wrong || failed)
            fail_msg("%s: %s", statements[i].text, wrong);
    }
}

static void test_literals(void **state)
{
    struct fixture f;
    struct select_item *items;

    (void)state;
    items = parse(&f,
                  "select 42, -42, 9223372036854775808, -9223372036854775808, 2.50, 'a''b', "
                  "X'0aFF', null, true, -0.0")
                ->query->core->items;
    assert_int_equal(items[0].expr->value.type, TYPE_INTEGER);
    assert_int_equal(items[0].expr->value.v.i64, 42);
    assert_string_equal(items[0].expr->text, "42");
    assert_int_equal(items[1].expr->value.v.i64, -42);
    assert_string_equal(items[1].expr->text, "-42");
    assert_int_equal(items[1].expr->pos, 12);
    assert_true(items[2].expr->big);
    assert_int_equal(items[2].expr->value.type, TYPE_NUMERIC);
    assert_true(vnumeric_coef(items[2].expr->value.num) == (vnumeric_i128)INT64_MAX + 1);
    assert_false(items[3].expr->big);
    assert_int_equal(items[3].expr->value.type, TYPE_BIGINT);
    assert_true(items[3].expr->value.v.i64 == INT64_MIN);
    assert_int_equal(items[4].expr->value.type, TYPE_NUMERIC);
    assert_true(vnumeric_coef(items[4].expr->value.num) == 250);
    assert_int_equal(items[4].expr->value.num.scale, 2);
    assert_string_equal(items[4].expr->text, "2.50");
    assert_int_equal(items[5].expr->value.str.len, 3);
    assert_memory_equal(items[5].expr->value.str.ptr, "a'b", 3);
    assert_int_equal(items[6].expr->value.type, TYPE_BLOB);
    assert_int_equal(items[6].expr->value.str.len, 2);
    assert_memory_equal(items[6].expr->value.str.ptr, "\x0a\xff", 2);
    assert_true(items[7].expr->value.null);
    assert_int_equal(items[7].expr->value.type, TYPE_NONE);
    assert_int_equal(items[8].expr->value.type, TYPE_BOOLEAN);
    assert_int_equal(items[8].expr->value.v.i64, 1);
    assert_true(vnumeric_coef(items[9].expr->value.num) == 0);
    arena_done(&f.arena);
}

/* INTEGER if it fits, else BIGINT, else NUMERIC; what has no room in 38 digits is a DOUBLE. */
static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        enum type_id type;
    } numbers[] = {
        {"2147483647", TYPE_INTEGER},
        {"-2147483648", TYPE_INTEGER},
        {"2147483648", TYPE_BIGINT},
        {"-2147483649", TYPE_BIGINT},
        {"-9223372036854775809", TYPE_NUMERIC},
        {"99999999999999999999999999999999999999", TYPE_NUMERIC},
        {"100000000000000000000000000000000000001", TYPE_DOUBLE},
        {"1e37", TYPE_NUMERIC},
        {"1e38", TYPE_DOUBLE},
        {"1.7976931348623157e308", TYPE_DOUBLE},
        {"4.9e-324", TYPE_NUMERIC},
        {"1e-1001", TYPE_DOUBLE},
        {"0.1", TYPE_NUMERIC},
        {"1.", TYPE_NUMERIC},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(numbers); i++) {
        struct fixture f;
        char text[80];
        const struct expr *e;

        (void)snprintf(text, sizeof text, "select %s", numbers[i].text);
        e = parse(&f, text)->query->core->items[0].expr;
        if (e->value.type != numbers[i].type)
            fail_msg("%s is %s", numbers[i].text, type_name(e->value.type));
        arena_done(&f.arena);
    }
}

static void test_positions(void **state)
{
    static const char text[] =
        "select 'üü' as \"ä\", a.b + 1 , f(x)y from ß.t where é = 1 and z in (2)";
    struct fixture f;
    const struct select_core *s;

    (void)state;
    s = parse(&f, text)->query->core;
    assert_int_equal(f.s->start, 1);
    assert_int_equal(f.s->start_byte, 0);
    assert_int_equal(f.s->end_byte, sizeof text - 1);
    assert_int_equal(s->items[0].pos, 8);
    assert_int_equal(s->items[0].alias_pos, 16);
    assert_int_equal(s->items[1].pos, 21);
    assert_int_equal(s->items[1].end, 28);
    assert_int_equal(s->items[1].expr->pos, 25);
    assert_int_equal(s->items[1].expr->a->pos, 21);
    assert_int_equal(s->items[2].pos, 31);
    assert_int_equal(s->items[2].alias_pos, 35);
    assert_int_equal(s->from[0]->table.pos, 42);
    assert_int_equal(s->from[0]->table.name_pos, 44);
    assert_int_equal(s->where->pos, 58);
    assert_int_equal(s->where->a->pos, 54);
    assert_int_equal(s->where->b->pos, 64);
    arena_done(&f.arena);
}

static void test_create_positions(void **state)
{
    struct fixture f;
    const struct table_spec *spec;

    (void)state;
    spec = parse(&f,
                 "create table s.t (a int primary key, b timestamp, primary key ((a, quantum(b, "
                 "15, 'm')), a desc), partition key (b)) with clustering order by (a) and x = 1")
               ->create;
    assert_int_equal(spec->schema.pos, 14);
    assert_int_equal(spec->name.pos, 16);
    assert_int_equal(spec->columns[0].name.pos, 19);
    assert_int_equal(spec->columns[0].pk_pos, 25);
    assert_int_equal(spec->keys_count, 1);
    assert_int_equal(spec->key_pos, 51);
    assert_int_equal(spec->partition[1].pos, 68);
    assert_int_equal(spec->partition[1].name.pos, 76);
    assert_int_equal(spec->partition[1].count_pos, 79);
    assert_int_equal(spec->partition[1].unit_pos, 83);
    assert_int_equal(spec->partition[1].count, 15);
    assert_string_equal(spec->partition[1].unit, "m");
    assert_int_equal(spec->local[0].order_pos, 92);
    assert_int_equal(spec->partition_key_pos, 99);
    assert_int_equal(spec->clustering_pos, 123);
    assert_int_equal(spec->options[0].name.pos, 151);
    assert_int_equal(spec->options[0].value_pos, 155);
    arena_done(&f.arena);
}

static void test_two_keys(void **state)
{
    struct fixture f;
    const struct table_spec *spec =
        parse(&f, "create table t (a int, primary key (a), primary key ((b), c))")->create;

    (void)state;
    assert_int_equal(spec->keys_count, 2);
    assert_int_equal(spec->key_pos, 41);
    assert_false(spec->has_inner);
    assert_int_equal(spec->local_count, 1);
    arena_done(&f.arena);
}

static void test_many_statements(void **state)
{
    static const char text[] =
        "select 1; ; select é /* ; */ ;select ';' -- ;\n; bad one; select 2\n;  -- end\n";
    struct fixture f;

    (void)state;
    begin(&f, text);
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), 0);
    assert_int_equal(f.s->end_byte, 8);
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), 0);
    assert_int_equal(f.s->kind, STMT_EMPTY);
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), 0);
    assert_int_equal(f.s->start, 13);
    assert_int_equal(f.s->query->core->items[0].end, 21);
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), 0);
    assert_int_equal(f.s->start, 31);
    assert_int_equal(f.s->start_byte, 31);
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), DN_E_SYNTAX);
    assert_int_equal(f.err.position, 49);
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), 0);
    assert_int_equal(f.s->start, 58);
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), DN_EOF);
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), DN_EOF);
    arena_done(&f.arena);
    begin(&f, "");
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), DN_EOF);
    begin(&f, " /* x */ -- y");
    assert_int_equal(sql_parse(&f.t, &f.arena, &f.s, &f.err), DN_EOF);
    arena_done(&f.arena);
}

static void test_params(void **state)
{
    struct fixture f;

    (void)state;
    assert_int_equal(parse(&f, "select ? where a = ?")->params_count, 2);
    arena_done(&f.arena);
    assert_int_equal(parse(&f, "explain select $7")->params_count, 7);
    assert_int_equal(f.s->explained->params_count, 7);
    arena_done(&f.arena);
    assert_int_equal(parse(&f, "insert into t values ($65535)")->params_count, 65535);
    arena_done(&f.arena);
}

/* A row is the same tree whether the automaton read it or the short way. */
static void test_rows_both_ways(void **state)
{
    static const char *const values[] = {"1",
                                         "-1",
                                         "1.5",
                                         "-.5",
                                         "'a''b'",
                                         "E'\\n'",
                                         "0xff",
                                         "X''",
                                         "null",
                                         "TRUE",
                                         "false",
                                         "default",
                                         "-9223372036854775808",
                                         "99999999999999999999"};
    struct fixture f;
    struct buf b;
    const struct values_rows *s;

    (void)state;
    buf_init(&b, NULL);
    buf_puts(&b, "insert into t values (");
    for (size_t i = 0; i < DN_ARRAY_SIZE(values); i++)
        buf_printf(&b, "%s, ", values[i]);
    buf_puts(&b, "1), (");
    for (size_t i = 0; i < DN_ARRAY_SIZE(values); i++)
        buf_printf(&b, "%s, ", values[i]);
    buf_puts(&b, "a)"); /* not a plain value: the automaton reads the whole row */
    buf_u8(&b, 0);
    s = &parse(&f, (const char *)b.data)->insert->query->values;
    assert_int_equal(s->rows_count, 2);
    assert_int_equal(s->rows_pos[0], 22);
    assert_int_equal(s->rows_pos[1], 22 + s->rows[1][0]->pos - s->rows[0][0]->pos);
    for (size_t i = 0; i < DN_ARRAY_SIZE(values); i++) {
        const struct expr *x = s->rows[0][i];
        const struct expr *y = s->rows[1][i];
        assert_true(ast_same_expr(x, y));
        if (x)
            assert_int_equal(y->pos - x->pos, s->rows_pos[1] - s->rows_pos[0]);
    }
    buf_done(&b);
    arena_done(&f.arena);
}

static void test_words_as_names(void **state)
{
    static const char *const forms[] = {
        "create table %s (%s int, primary key ((%s, quantum(%s, 1, 'm')), %s desc))",
        "select %s, %s.%s, %s(1), a as %s from %s.%s as x order by %s",
        "insert into %s (%s) values (%s)",
        "drop table %s",
        "use %s",
        "set %s = %s",
        "show %s",
        "create schema %s",
        "create table t (a int) with (%s = %s)",
    };
    size_t count;
    const struct sql_keyword *words = sql_keywords(&count);

    (void)state;
    assert_true(count > 50);
    for (size_t i = 0; i < count; i++) {
        assert_true(i == 0 || strcmp(words[i - 1].word, words[i].word) < 0);
        for (size_t k = 0; k < DN_ARRAY_SIZE(forms); k++) {
            struct buf b;
            unsigned failed;
            const char *wrong;

            buf_init(&b, NULL);
            for (const char *s = forms[k]; *s; s++) {
                if (s[0] == '%' && s[1] == 's') {
                    buf_printf(&b, "\"%s\"", words[i].word);
                    s++;
                } else {
                    buf_append(&b, s, 1);
                }
            }
            wrong = ast_round_trip((const char *)b.data, b.len, &failed);
            if (wrong || failed)
                fail_msg(
                    "%.*s: %s", (int)b.len, (const char *)b.data, wrong ? wrong : "does not parse");
            buf_done(&b);
        }
    }
}

static uint32_t chain_height(uint32_t operands)
{
    struct buf b;
    struct fixture f;
    uint32_t depth;
    unsigned failed;
    const struct expr *e;

    buf_init(&b, NULL);
    buf_puts(&b, "select 1 where ");
    for (uint32_t i = 0; i < operands; i++)
        buf_printf(&b, "%sa = %u", i ? " or " : "", i);
    buf_u8(&b, 0);
    e = parse(&f, (const char *)b.data)->query->core->where;
    depth = e->depth;
    if (operands > 1)
        assert_int_equal(e->chain, operands);
    /* In order. */
    while (e->op == OP_OR)
        e = e->a;
    assert_int_equal(e->b->value.v.i64, 0);
    assert_null(ast_round_trip((const char *)b.data, b.len - 1, &failed));
    assert_int_equal(failed, 0);
    buf_done(&b);
    arena_done(&f.arena);
    return depth;
}

static void test_chains(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 70; n++)
        assert_true(chain_height(n) <= 2 + 14);
    assert_true(chain_height(100000) <= 2 + 2 * 17);
}

static void test_complete(void **state)
{
    static const struct {
        const char *text;
        bool complete;
    } cases[] = {
        {"", false},
        {"select 1", false},
        {"select 1;", true},
        {"select ';", false},
        {"select ';';", true},
        {"select 1; -- x", true},
        {"select 1; /* x", false},
        {"select 1; /* ; */", true},
        {"select 1; select", false},
        {";", true},
        {"-- ;", false},
        {"-- ;\n;", true},
        {"\"a;b", false},
        {"`;`;", true},
        {"select E'\\';", false},
        {"select E'\\'';", true},
        {"select 'a''';", true},
        {"/* /* */ ;", false},
        {"/* /* */ */ ;", true},
        {"select 1;  \n\t", true},
        {"selecte'\\';", true},
        {"select $$a;", false},
        {"select $$a;$$;", true},
        {"select $x$ $$; $y$; $x$;", true},
        {"select $x$;$$;", false},
        {"select a$$;", true},
        {"select $1;", true},
        {"select $", false},
        {"select $;", true},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(cases); i++) {
        if (sql_complete(cases[i].text, strlen(cases[i].text)) != cases[i].complete)
            fail_msg("%s", cases[i].text);
    }
}

static void test_suggest(void **state)
{
    static const char *const words[] = {"temperature", "time", "region"};

    (void)state;
    assert_string_equal(sql_suggest("temprature", words, 3), "temperature");
    assert_string_equal(sql_suggest("tmie", words, 3), "time");
    assert_null(sql_suggest("elephant", words, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_create_positions),
        cmocka_unit_test(test_two_keys),
        cmocka_unit_test(test_many_statements),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_rows_both_ways),
        cmocka_unit_test(test_words_as_names),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_suggest),
    };

    return cmocka_run_group_tests_name("sql_parse", tests, NULL, NULL);
}
