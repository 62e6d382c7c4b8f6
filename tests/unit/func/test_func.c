/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of functions: every row is whole and its example gives what it says, in all vector
 * forms; which overload is chosen; the edges of arithmetic and of casts. */
#include "func/expr.h"
#include "func/text.h"
#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct arena arena;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    return 0;
}

/* A call of f on constants. */
static int call(
    const struct func *f, struct datum *args, uint32_t count, struct datum *ret, struct dn_err *err)
{
    struct bexpr nodes[SAMPLE_ARGS_MAX];
    struct bexpr *list[SAMPLE_ARGS_MAX];
    struct bexpr e = {.kind = BEXPR_CALL,
                      .type = f->result,
                      .pos = 7,
                      .func = f,
                      .args = list,
                      .args_count = count};
    struct eval ev = {.arena = &arena};

    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = (struct bexpr){.kind = BEXPR_CONST, .type = args[i].type, .value = args[i]};
        list[i] = &nodes[i];
    }
    dn_err_clear(err);
    return expr_eval_datum(&e, &ev, ret, err);
}

/* The same on columns: the first argument in the given form, the others FLAT, three rows of which
 * the middle counts. */
static struct datum
call_columns(const struct func *f, struct datum *args, uint32_t count, enum vec_form form)
{
    static const uint16_t codes[] = {0, 0, 0};
    static const uint16_t sel[] = {1};
    struct bexpr nodes[SAMPLE_ARGS_MAX];
    struct bexpr *list[SAMPLE_ARGS_MAX];
    struct vec cols[SAMPLE_ARGS_MAX];
    struct bexpr e = {
        .kind = BEXPR_CALL, .type = f->result, .func = f, .args = list, .args_count = count};
    struct batch in = {.count = 3, .cols_count = count, .cols = cols, .sel = sel, .sel_count = 1};
    struct eval ev = {.arena = &arena};
    struct vec ret;
    struct dn_err err;

    for (uint32_t i = 0; i < count; i++) {
        struct vec one;

        nodes[i] = (struct bexpr){.kind = BEXPR_COLUMN, .type = args[i].type, .col = i};
        list[i] = &nodes[i];
        assert_true(vec_make_const(&arena, &args[i], 3, &one));
        assert_true(vec_flatten(&arena, &one, NULL, 3, &cols[i]));
        if (i == 0 && form == VEC_CONST)
            cols[i] = one;
        if (i == 0 && form == VEC_DICT) {
            cols[i].form = VEC_DICT;
            cols[i].codes = codes;
            cols[i].dict_count = 1;
        }
    }
    if (expr_eval(&e, &ev, &in, &ret, &err) < 0)
        fail_msg("%s: %s", f->example, err.text);
    assert_int_equal(ret.count, 3);
    return vec_datum(&ret, 1);
}

/* The same with all arguments DICT, whose first entries no row has. */
static struct datum call_dicts(const struct func *f, struct datum *args, uint32_t count)
{
    static const uint16_t codes[] = {3, 3, 3};
    struct bexpr nodes[SAMPLE_ARGS_MAX];
    struct bexpr *list[SAMPLE_ARGS_MAX];
    struct vec cols[SAMPLE_ARGS_MAX];
    struct bexpr e = {
        .kind = BEXPR_CALL, .type = f->result, .func = f, .args = list, .args_count = count};
    struct batch in = {.count = 3, .cols_count = count, .cols = cols, .sel_count = 3};
    struct eval ev = {.arena = &arena};
    struct vec ret;
    struct dn_err err;

    for (uint32_t i = 0; i < count; i++) {
        size_t size = phys_size(type_phys(args[i].type));
        uint8_t *entries = arena_calloc(&arena, 4, size);
        struct vec one;

        nodes[i] = (struct bexpr){.kind = BEXPR_COLUMN, .type = args[i].type, .col = i};
        list[i] = &nodes[i];
        assert_non_null(entries);
        assert_true(vec_make_const(&arena, &args[i], 3, &one));
        memcpy(entries + 3 * size, one.data, size);
        cols[i] = (struct vec){.type = args[i].type,
                               .form = VEC_DICT,
                               .count = 3,
                               .dict_count = 4,
                               .data = entries,
                               .codes = codes};
        if (args[i].null)
            assert_true(vec_flatten(&arena, &one, NULL, 3, &cols[i]));
    }
    if (expr_eval(&e, &ev, &in, &ret, &err) < 0)
        fail_msg("%s: %s", f->example, err.text);
    assert_int_equal(ret.count, 3);
    return vec_datum(&ret, 1);
}

static void check_text(const struct datum *d, const char *want, const char *what)
{
    struct buf b;

    buf_init(&b, NULL);
    if (d->null)
        buf_puts(&b, "NULL");
    text_print(d, &b);
    buf_u8(&b, 0);
    if (strcmp((const char *)b.data, want) != 0)
        fail_msg("%s gives %s", what, (const char *)b.data);
    buf_done(&b);
}

static bool has_arrays(const struct func *f)
{
    for (uint32_t i = 0; i < f->args_count; i++)
        if ((unsigned)f->args[i] >= TYPE_ANY_ELEMENT || type_is_enum(f->args[i]))
            return true; /* labels have no literals either */
    if (f->result == TYPE_TIMESTAMP_LOCAL && strcmp(f->name, "cast") == 0)
        return true; /* and no SQL names this type */
    return type_is_array(f->result);
}

static void test_examples(void **state)
{
    const struct func *f;
    uint32_t examples = 0;

    (void)state;
    for (uint32_t i = 0; (f = func_at(i)); i++) {
        struct datum args[SAMPLE_ARGS_MAX];
        struct datum d;
        struct sample s;
        struct dn_err err;

        assert_non_null(f->name);
        assert_non_null(f->kernel);
        assert_true(f->doc && f->doc[strlen(f->doc) - 1] == '.');
        if (!f->example) {
            /* Another value each time; arrays have no literals in examples: tests/sql has theirs.
             */
            assert_true((f->flags & (FUNC_STABLE | FUNC_VOLATILE)) || has_arrays(f));
            continue;
        }
        sample_parse(f->example, &s);
        if (f->flags & FUNC_VARIADIC)
            assert_true(s.literals_count >= f->args_count);
        else if (s.literals_count != f->args_count)
            fail_msg("%s: %u literals", f->example, s.literals_count);
        for (uint32_t a = 0; a < s.literals_count; a++)
            args[a] =
                sample_datum(&s, a, f->args[a < f->args_count ? a : f->args_count - 1], &arena);
        if (call(f, args, s.literals_count, &d, &err) < 0)
            fail_msg("%s: %s", f->example, err.text);
        assert_int_equal(d.type, f->result);
        check_text(&d, s.result, f->example);
        for (enum vec_form form = VEC_FLAT; form <= VEC_DICT; form++) {
            d = call_columns(f, args, s.literals_count, form);
            check_text(&d, s.result, f->example);
        }
        d = call_dicts(f, args, s.literals_count);
        check_text(&d, s.result, f->example);
        examples++;
    }
    assert_true(examples > 150);
}

/* A row takes NULL and gives NULL, unless it is not strict. */
static void test_nulls(void **state)
{
    const struct func *f;

    (void)state;
    for (uint32_t i = 0; (f = func_at(i)); i++)
        for (uint32_t a = 0; a < f->args_count && !has_arrays(f); a++) {
            struct datum args[FUNC_ARGS_MAX];
            struct datum d;
            struct dn_err err;

            for (uint32_t k = 0; k < f->args_count; k++)
                args[k] = (struct datum){.type = f->args[k] == TYPE_NONE ? TYPE_BIGINT : f->args[k],
                                         .null = k == a,
                                         .str = {"", 0}};
            if (strcmp(f->name, "set_config") == 0 || strcmp(f->name, "json_build_object") == 0)
                continue; /* wants a session; wants pairs, and no NULL as a key */
            if (call(f, args, f->args_count, &d, &err) != 0)
                fail_msg("%s: %s", f->name, err.text);
            if (strcmp(f->name, "greatest") != 0 && strcmp(f->name, "least") != 0 &&
                strcmp(f->name, "concat_ws") != 0 && strcmp(f->name, "format") != 0 &&
                strcmp(f->name, "overlaps") != 0 && strcmp(f->name, "format_type") != 0)
                assert_int_equal(d.null, (f->flags & FUNC_STRICT) != 0);
        }
}

static const struct func *
find(const char *name, enum type_id a, enum type_id b, enum type_id want_a, enum type_id want_b)
{
    enum type_id types[2] = {a, b};
    enum type_id casts[2] = {TYPE_MAX, TYPE_MAX};
    struct dn_err err;
    const struct func *f = func_find(name, types, 2, casts, 3, &err);

    if (!f)
        fail_msg("%s", err.text);
    assert_int_equal(casts[0], want_a);
    assert_int_equal(casts[1], want_b);
    return f;
}

static void test_overloads(void **state)
{
    enum type_id many[12];
    enum type_id casts[12];
    struct dn_err err;

    (void)state;
    assert_int_equal(find("+", TYPE_SMALLINT, TYPE_SMALLINT, TYPE_SMALLINT, TYPE_SMALLINT)->result,
                     TYPE_SMALLINT);
    find("+", TYPE_SMALLINT, TYPE_INTEGER, TYPE_INTEGER, TYPE_INTEGER);
    find("+", TYPE_INTEGER, TYPE_BIGINT, TYPE_BIGINT, TYPE_BIGINT);
    find("*", TYPE_BIGINT, TYPE_DOUBLE, TYPE_DOUBLE, TYPE_DOUBLE);
    find("*", TYPE_REAL, TYPE_REAL, TYPE_REAL, TYPE_REAL);
    find("*", TYPE_INTEGER, TYPE_REAL, TYPE_DOUBLE, TYPE_DOUBLE);
    find("<", TYPE_TIMESTAMP, TYPE_TIMESTAMP_US, TYPE_TIMESTAMP_US, TYPE_TIMESTAMP_US);
    find("!=", TYPE_TIMESTAMP_NS, TYPE_TIMESTAMP, TYPE_TIMESTAMP_NS, TYPE_TIMESTAMP_NS);
    find(">=", TYPE_TIMESTAMP_US, TYPE_BIGINT, TYPE_TIMESTAMP_US, TYPE_TIMESTAMP_US);
    find(">=", TYPE_SMALLINT, TYPE_TIMESTAMP, TYPE_TIMESTAMP, TYPE_TIMESTAMP);
    find("=", TYPE_TIMESTAMP, TYPE_NONE, TYPE_TIMESTAMP, TYPE_TIMESTAMP);
    find("=", TYPE_NONE, TYPE_NONE, TYPE_VARCHAR, TYPE_VARCHAR);
    find("=", TYPE_NONE, TYPE_SMALLINT, TYPE_SMALLINT, TYPE_SMALLINT);
    find("+", TYPE_NONE, TYPE_BIGINT, TYPE_BIGINT, TYPE_BIGINT);
    assert_int_equal(find("-", TYPE_TIMESTAMP, TYPE_INTEGER, TYPE_TIMESTAMP, TYPE_BIGINT)->result,
                     TYPE_TIMESTAMP);
    for (uint32_t i = 0; i < 12; i++)
        many[i] = i % 2 ? TYPE_VARCHAR : TYPE_INTEGER;
    assert_non_null(func_find("TOKEN", many, 12, casts, 0, &err));
    assert_memory_equal(casts, many, sizeof many);
}

static void check_no_func(
    const char *name, const enum type_id *types, uint32_t count, const char *text, const char *hint)
{
    enum type_id casts[4];
    struct dn_err err;

    dn_err_clear(&err);
    assert_null(func_find(name, types, count, casts, 21, &err));
    assert_int_equal(err.code, DN_E_UNDEFINED_FUNCTION);
    assert_string_equal(err.text, text);
    if (!strstr(err.hint, hint))
        fail_msg("hint: %s", err.hint);
    assert_int_equal(err.position, 21);
}

static void test_no_overload(void **state)
{
    const enum type_id text[2] = {TYPE_VARCHAR, TYPE_BIGINT};
    const enum type_id times[2] = {TYPE_TIMESTAMP, TYPE_TIMESTAMP};
    const enum type_id number[1] = {TYPE_BIGINT};

    (void)state;
    check_no_func("+",
                  text,
                  2,
                  "operator does not exist: text + bigint",
                  "Cast the left side with ::BIGINT.");
    check_no_func(
        "=",
        text,
        2,
        "operator does not exist: text = bigint",
        "Cast one of the two: the left side with ::BIGINT, or the right side with ::VARCHAR.");
    check_no_func(
        "+", times, 2, "operator does not exist: timestamp + timestamp", "timestamp + bigint");
    check_no_func("not", number, 1, "operator does not exist: not bigint", "not boolean");
    check_no_func("abs", text, 1, "function abs(text) does not exist", "abs(bigint)");
    check_no_func("abs", text, 2, "function abs(text, bigint) does not exist", "abs(bigint)");
    check_no_func("abs", text, 0, "function abs() does not exist", "abs(bigint)");
    check_no_func(
        "lenght", text, 1, "function lenght(text) does not exist", "Perhaps you meant length.");
    check_no_func("averge", number, 1, "function averge(bigint) does not exist", "");
    check_no_func("token", text, 0, "function token() does not exist", "token(any, …)");
}

static struct datum integer(enum type_id type, int64_t v)
{
    return (struct datum){.type = type, .v.i64 = v};
}

static struct datum real(enum type_id type, double v)
{
    return (struct datum){.type = type, .v.f64 = v};
}

/* rc, or the value of a op b. */
static int binary(const char *op, struct datum a, struct datum b, struct datum *ret)
{
    struct datum args[2] = {a, b};
    enum type_id types[2] = {a.type, b.type};
    enum type_id casts[2];
    struct dn_err err;
    const struct func *f = func_find(op, types, 2, casts, 0, &err);
    int rc;

    assert_non_null(f);
    assert_memory_equal(types, casts, sizeof types);
    rc = call(f, args, 2, ret, &err);
    if (rc < 0)
        assert_int_equal(err.position, 7);
    return rc;
}

static void check_int(const char *op, enum type_id t, int64_t a, int64_t b, int64_t want)
{
    struct datum d;

    assert_int_equal(binary(op, integer(t, a), integer(t, b), &d), 0);
    assert_int_equal(d.v.i64, want);
}

static void check_int_fails(const char *op, enum type_id t, int64_t a, int64_t b, int code)
{
    struct datum d;

    assert_int_equal(binary(op, integer(t, a), integer(t, b), &d), code);
}

static void test_integer_edges(void **state)
{
    static const struct {
        enum type_id type;
        int64_t min;
        int64_t max;
    } types[] = {
        {TYPE_SMALLINT, INT16_MIN, INT16_MAX},
        {TYPE_INTEGER, INT32_MIN, INT32_MAX},
        {TYPE_BIGINT, INT64_MIN, INT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(types); i++) {
        enum type_id t = types[i].type;
        int64_t min = types[i].min;
        int64_t max = types[i].max;

        check_int("+", t, max, 0, max);
        check_int("+", t, max, min, -1);
        check_int("-", t, min, min, 0);
        check_int("-", t, -1, min, max);
        check_int("*", t, min, 1, min);
        check_int("*", t, max, -1, -max);
        check_int("/", t, -7, 2, -3);
        check_int("/", t, 7, -2, -3);
        check_int("/", t, min, 1, min);
        check_int("%", t, -7, 2, -1);
        check_int("%", t, 7, -2, 1);
        check_int("%", t, min, -1, 0);
        check_int_fails("+", t, max, 1, DN_E_OUT_OF_RANGE);
        check_int_fails("+", t, min, -1, DN_E_OUT_OF_RANGE);
        check_int_fails("-", t, min, 1, DN_E_OUT_OF_RANGE);
        check_int_fails("-", t, 0, min, DN_E_OUT_OF_RANGE);
        check_int_fails("*", t, max, 2, DN_E_OUT_OF_RANGE);
        check_int_fails("*", t, min, -1, DN_E_OUT_OF_RANGE);
        check_int_fails("/", t, min, -1, DN_E_OUT_OF_RANGE);
        check_int_fails("/", t, 1, 0, DN_E_DIVISION_BY_ZERO);
        check_int_fails("/", t, min, 0, DN_E_DIVISION_BY_ZERO);
        check_int_fails("%", t, 1, 0, DN_E_DIVISION_BY_ZERO);
    }
}

static int unary(const char *name, struct datum a, struct datum *ret)
{
    enum type_id type = a.type;
    enum type_id cast;
    struct dn_err err;
    const struct func *f = func_find(name, &type, 1, &cast, 0, &err);

    assert_non_null(f);
    return call(f, &a, 1, ret, &err);
}

static void test_unary_edges(void **state)
{
    struct datum d;

    (void)state;
    assert_int_equal(unary("-", integer(TYPE_BIGINT, INT64_MIN), &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(unary("-", integer(TYPE_INTEGER, INT32_MIN), &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(unary("-", integer(TYPE_SMALLINT, INT16_MIN), &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(unary("abs", integer(TYPE_BIGINT, INT64_MIN), &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(unary("abs", integer(TYPE_INTEGER, INT32_MIN), &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(unary("abs", integer(TYPE_SMALLINT, INT16_MIN), &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(unary("abs", integer(TYPE_BIGINT, -INT64_MAX), &d), 0);
    assert_int_equal(d.v.i64, INT64_MAX);
}

static void test_float_edges(void **state)
{
    const double nan = (double)NAN;
    const double inf = (double)INFINITY;
    struct datum d;

    (void)state;
    for (int i = 0; i < 2; i++) {
        enum type_id t = i ? TYPE_REAL : TYPE_DOUBLE;

        assert_int_equal(binary("/", real(t, 1), real(t, 0), &d), DN_E_DIVISION_BY_ZERO);
        assert_int_equal(binary("/", real(t, 1), real(t, -0.0), &d), DN_E_DIVISION_BY_ZERO);
        assert_int_equal(binary("%", real(t, 1), real(t, 0), &d), DN_E_DIVISION_BY_ZERO);
        assert_int_equal(binary("*", real(t, 1e38), real(t, 1e38), &d), i ? DN_E_OUT_OF_RANGE : 0);
        assert_int_equal(binary("+", real(t, inf), real(t, 1), &d), 0);
        assert_true(isinf(d.v.f64));
        assert_int_equal(binary("=", real(t, nan), real(t, nan), &d), 0);
        assert_int_equal(d.v.i64, 1);
        assert_int_equal(binary(">", real(t, nan), real(t, inf), &d), 0);
        assert_int_equal(d.v.i64, 1);
        assert_int_equal(binary("<", real(t, nan), real(t, nan), &d), 0);
        assert_int_equal(d.v.i64, 0);
        assert_int_equal(binary("<=", real(t, nan), real(t, nan), &d), 0);
        assert_int_equal(d.v.i64, 1);
        assert_int_equal(binary("<", real(t, 1), real(t, nan), &d), 0);
        assert_int_equal(d.v.i64, 1);
        assert_int_equal(binary("<", real(t, nan), real(t, 1), &d), 0);
        assert_int_equal(d.v.i64, 0);
        assert_int_equal(binary("<>", real(t, nan), real(t, 1), &d), 0);
        assert_int_equal(d.v.i64, 1);
        assert_int_equal(binary("=", real(t, 0), real(t, -0.0), &d), 0);
        assert_int_equal(d.v.i64, 1);
    }
}

static int cast(struct datum a, enum type_id to, struct datum *ret)
{
    const struct func *f = func_cast(a.type, to, false);
    struct dn_err err;

    assert_non_null(f);
    assert_int_equal(f->result, to);
    return call(f, &a, 1, ret, &err);
}

static void check_cast(struct datum a, enum type_id to, int64_t want)
{
    struct datum d;

    assert_int_equal(cast(a, to, &d), 0);
    assert_int_equal(d.v.i64, want);
}

static void test_cast_numbers(void **state)
{
    struct datum d;

    (void)state;
    check_cast(real(TYPE_DOUBLE, 0.5), TYPE_BIGINT, 0);
    check_cast(real(TYPE_DOUBLE, 1.5), TYPE_BIGINT, 2);
    check_cast(real(TYPE_DOUBLE, -2.5), TYPE_INTEGER, -2);
    check_cast(real(TYPE_REAL, 3.5), TYPE_SMALLINT, 4);
    check_cast(real(TYPE_DOUBLE, 32767.4), TYPE_SMALLINT, 32767);
    check_cast(real(TYPE_DOUBLE, -0x1p63), TYPE_BIGINT, INT64_MIN);
    check_cast(integer(TYPE_BIGINT, INT32_MIN), TYPE_INTEGER, INT32_MIN);
    check_cast(integer(TYPE_BIGINT, -1), TYPE_BOOLEAN, 1);
    assert_int_equal(cast(real(TYPE_DOUBLE, 32767.5), TYPE_SMALLINT, &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(cast(real(TYPE_DOUBLE, 0x1p63), TYPE_BIGINT, &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(cast(real(TYPE_DOUBLE, (double)NAN), TYPE_BIGINT, &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(cast(real(TYPE_REAL, (double)INFINITY), TYPE_INTEGER, &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(cast(real(TYPE_DOUBLE, 1e39), TYPE_REAL, &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(cast(real(TYPE_DOUBLE, -1e300), TYPE_REAL, &d), DN_E_OUT_OF_RANGE);
    assert_int_equal(cast(real(TYPE_DOUBLE, (double)INFINITY), TYPE_REAL, &d), 0);
    assert_true(isinf(d.v.f64));
    assert_int_equal(cast(integer(TYPE_BIGINT, INT32_MAX + INT64_C(1)), TYPE_INTEGER, &d),
                     DN_E_OUT_OF_RANGE);
    assert_int_equal(cast(integer(TYPE_INTEGER, INT16_MIN - 1), TYPE_SMALLINT, &d),
                     DN_E_OUT_OF_RANGE);
}

static void test_cast_times(void **state)
{
    struct datum d;

    (void)state;
    check_cast(integer(TYPE_TIMESTAMP_US, 1499), TYPE_TIMESTAMP, 1);
    check_cast(integer(TYPE_TIMESTAMP_US, 1500), TYPE_TIMESTAMP, 2);
    check_cast(integer(TYPE_TIMESTAMP_US, -1500), TYPE_TIMESTAMP, -1);
    check_cast(integer(TYPE_TIMESTAMP_US, -1501), TYPE_TIMESTAMP, -2);
    check_cast(integer(TYPE_TIMESTAMP_NS, INT64_MIN + 1), TYPE_TIMESTAMP, -9223372036855);
    check_cast(integer(TYPE_TIMESTAMP_NS, INT64_MIN), TYPE_TIMESTAMP, INT64_MIN); /* infinite */
    check_cast(integer(TYPE_TIMESTAMP, INT64_MAX), TYPE_TIMESTAMP_NS, INT64_MAX);
    check_cast(integer(TYPE_TIMESTAMP, 9223372036854), TYPE_TIMESTAMP_NS, 9223372036854000000);
    assert_int_equal(cast(integer(TYPE_TIMESTAMP, 9223372036855), TYPE_TIMESTAMP_NS, &d),
                     DN_E_DATETIME_RANGE);
    assert_int_equal(cast(integer(TYPE_TIMESTAMP, INT64_MIN + 1), TYPE_TIMESTAMP_US, &d),
                     DN_E_DATETIME_RANGE);
    assert_int_equal(binary("+", integer(TYPE_TIMESTAMP, INT64_MAX), integer(TYPE_BIGINT, 1), &d),
                     DN_E_DATETIME_RANGE);
}

static void test_cast_rules(void **state)
{
    (void)state;
    assert_non_null(func_cast(TYPE_SMALLINT, TYPE_BIGINT, true));
    assert_null(func_cast(TYPE_BIGINT, TYPE_SMALLINT, true));
    assert_non_null(func_cast(TYPE_BIGINT, TYPE_SMALLINT, false));
    assert_null(func_cast(TYPE_DOUBLE, TYPE_REAL, true));
    assert_null(func_cast(TYPE_TIMESTAMP_US, TYPE_TIMESTAMP, true));
    assert_null(func_cast(TYPE_VARCHAR, TYPE_BIGINT, true));
    assert_null(func_cast(TYPE_DOUBLE, TYPE_TIMESTAMP, false));
    assert_null(func_cast(TYPE_BIGINT, TYPE_BIGINT, false));
    assert_null(func_cast(TYPE_BLOB, TYPE_BIGINT, false));
}

/* The tokens of the ring, by column type; more of them are in the tests of keyser. */
static void test_token(void **state)
{
    enum type_id types[2] = {TYPE_INTEGER, TYPE_INTEGER};
    enum type_id casts[2];
    struct datum args[2] = {integer(TYPE_INTEGER, 2), integer(TYPE_INTEGER, 201302)};
    struct datum d;
    struct dn_err err;

    (void)state;
    assert_int_equal(call(func_find("token", types, 2, casts, 0, &err), args, 2, &d, &err), 0);
    assert_int_equal(d.v.i64, -8008302424058807557);
}

static void test_now(void **state)
{
    enum type_id casts[1];
    struct dn_err err;
    struct bexpr e = {.kind = BEXPR_CALL,
                      .type = TYPE_TIMESTAMP_US,
                      .func = func_find("now", NULL, 0, casts, 0, &err)};
    struct eval ev = {.arena = &arena, .now_ns = 1433151000123456789};
    struct datum d;

    (void)state;
    assert_int_equal(expr_eval_datum(&e, &ev, &d, &err), 0);
    assert_int_equal(d.v.i64, 1433151000123456);
    assert_false(expr_is_const(&e, false));
    assert_true(expr_is_const(&e, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_overloads),
        cmocka_unit_test(test_no_overload),
        cmocka_unit_test(test_integer_edges),
        cmocka_unit_test(test_unary_edges),
        cmocka_unit_test(test_float_edges),
        cmocka_unit_test(test_cast_numbers),
        cmocka_unit_test(test_cast_times),
        cmocka_unit_test(test_cast_rules),
        cmocka_unit_test(test_token),
        cmocka_unit_test(test_now),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
