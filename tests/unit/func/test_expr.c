/* SPDX-License-Identifier: Apache-2.0
 *
 * Evaluation of expressions: three-valued logic, selections that shield from errors, vector forms,
 * IN lists of every kind, parameters, printing, and a sweep of failing allocations. */
#include "build.h"

#include "base/bytes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct arena built; /* expressions and columns */
static struct arena arena; /* of evaluation */

static int setup(void **state)
{
    (void)state;
    arena_init(&built, NULL);
    arena_init(&arena, NULL);
    build_init(&built);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&built);
    arena_done(&arena);
    return 0;
}

/* Evaluates over all rows (sel NULL) and compares: 't', 'f', 'n' per row, '.' = do not care. */
static void check_truth(const struct bexpr *e, const struct batch *in, const char *want)
{
    struct eval ev = {.arena = &arena};
    uint16_t sel[VEC_ROWS_MAX];
    uint32_t count;
    uint32_t k = 0;
    struct vec v;
    struct dn_err err;

    if (expr_eval(e, &ev, in, &v, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(v.type, TYPE_BOOLEAN);
    assert_int_equal(v.count, in->count);
    for (uint32_t i = 0; i < in->count; i++) {
        struct datum d = vec_datum(&v, i);
        char got = d.null ? 'n' : d.v.i64 ? 't' : 'f';

        if (want[i] != '.' && got != want[i])
            fail_msg("row %u: %c, expected %s", i, got, want);
    }
    /* Selection gives the true rows, in order. */
    assert_int_equal(expr_select(e, &ev, in, sel, &count, &err), 0);
    for (uint32_t i = 0; i < in->count; i++)
        if (want[i] == 't') {
            assert_true(k < count);
            assert_int_equal(sel[k++], i);
        }
    assert_int_equal(k, count);
}

static struct datum truth(char c)
{
    return c == 'n' ? build_null(TYPE_BOOLEAN) : build_int(TYPE_BOOLEAN, c == 't');
}

static struct batch batch_of(struct vec *cols, uint32_t cols_count, uint32_t count)
{
    return (struct batch){
        .count = count, .cols_count = cols_count, .cols = cols, .sel_count = count};
}

static void test_logic(void **state)
{
    static const char left[] = "tttfffnnn";
    static const char right[] = "tfntfntfn";
    struct datum a[9];
    struct datum b[9];
    struct vec cols[2];
    struct batch in = batch_of(cols, 2, 9);
    struct bexpr *x = build_col(TYPE_BOOLEAN, 0);
    struct bexpr *y = build_col(TYPE_BOOLEAN, 1);

    (void)state;
    for (uint32_t i = 0; i < 9; i++) {
        a[i] = truth(left[i]);
        b[i] = truth(right[i]);
    }
    cols[0] = build_vec(TYPE_BOOLEAN, a, 9);
    cols[1] = build_vec(TYPE_BOOLEAN, b, 9);
    check_truth(build_chain(BEXPR_AND, x, y), &in, "tfnfffnfn");
    check_truth(build_chain(BEXPR_OR, x, y), &in, "ttttfntnn");
    check_truth(build_call("not", x, NULL), &in, "ffftttnnn");
    check_truth(build_call("is null", x, NULL), &in, "ffffffttt");
    check_truth(build_call("is not null", build_chain(BEXPR_AND, x, y), NULL), &in, "ttftttftf");
    cols[0] = build_dict(TYPE_BOOLEAN, a, 9);
    cols[1] = build_dict(TYPE_BOOLEAN, b, 9);
    check_truth(build_chain(BEXPR_AND, x, y), &in, "tfnfffnfn");
    check_truth(build_chain(BEXPR_OR, x, y), &in, "ttttfntnn");
    check_truth(build_call("not", x, NULL), &in, "ffftttnnn");
    check_truth(build_chain(BEXPR_AND, x, build_const(truth('t'))), &in, "tttfffnnn");
    check_truth(build_chain(BEXPR_AND, x, build_const(truth('n'))), &in, "nnnfffnnn");
    check_truth(build_chain(BEXPR_OR, build_const(truth('f')), x), &in, "tttfffnnn");
    check_truth(build_const(truth('n')), &in, "nnnnnnnnn");
    check_truth(build_const(truth('t')), &in, "ttttttttt");
}

static void expect_error(const struct bexpr *e, const struct batch *in, int code)
{
    struct eval ev = {.arena = &arena};
    struct vec v;
    struct dn_err err;

    dn_err_clear(&err);
    assert_int_equal(expr_eval(e, &ev, in, &v, &err), code);
    assert_int_equal(err.code, code);
}

/* 10 / x = 5 must not be computed where x is 0, NULL, unselected, or already decided. */
static void test_no_error_where_nobody_looks(void **state)
{
    const int64_t values[] = {2, 0, 5, 0};
    static const uint16_t sel[] = {0, 2};
    struct datum x[4];
    struct vec cols[1];
    struct batch in = batch_of(cols, 1, 4);
    struct bexpr *col = build_col(TYPE_BIGINT, 0);
    struct bexpr *zero = build_const(build_int(TYPE_BIGINT, 0));
    struct bexpr *div = build_call("=",
                                   build_call("/", build_const(build_int(TYPE_BIGINT, 10)), col),
                                   build_const(build_int(TYPE_BIGINT, 5)));

    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        x[i] = build_int(TYPE_BIGINT, values[i]);
    for (int form = 0; form < 2; form++) {
        cols[0] = form ? build_dict(TYPE_BIGINT, x, 4) : build_vec(TYPE_BIGINT, x, 4);
        in.sel = NULL;
        in.sel_count = 4;
        expect_error(div, &in, DN_E_DIVISION_BY_ZERO);
        check_truth(build_chain(BEXPR_AND, build_call("<>", col, zero), div), &in, "tfff");
        check_truth(build_chain(BEXPR_OR, build_call("=", col, zero), div), &in, "ttft");
        in.sel = sel;
        in.sel_count = 2;
        check_truth(div, &in, "t.f.");
        in.sel_count = 0;
        check_truth(div, &in, "....");
        check_truth(build_call("=", build_call("/", zero, zero), zero), &in, "....");
    }
    x[1].null = true;
    x[3].null = true;
    cols[0] = build_vec(TYPE_BIGINT, x, 4);
    in.sel = NULL;
    in.sel_count = 4;
    check_truth(div, &in, "tnfn");
}

static void test_error_position(void **state)
{
    struct datum x[2] = {build_int(TYPE_BIGINT, INT64_MAX), build_int(TYPE_BIGINT, 1)};
    struct vec cols[1] = {build_vec(TYPE_BIGINT, x, 2)};
    struct batch in = batch_of(cols, 1, 2);
    struct bexpr *col = build_col(TYPE_BIGINT, 0);
    struct eval ev = {.arena = &arena};
    struct dn_err err;
    struct vec v;

    (void)state;
    dn_err_clear(&err);
    assert_int_equal(expr_eval(build_call("+", col, col), &ev, &in, &v, &err), DN_E_OUT_OF_RANGE);
    assert_int_equal(err.position, 11);
    assert_string_equal(err.text, "bigint out of range");
}

/* A DICT stays one: the kernel sees entries, and only those that selected rows use. */
static void test_dict_stays(void **state)
{
    struct datum x[100];
    struct vec cols[1];
    struct batch in = batch_of(cols, 1, 100);
    uint16_t sel[100];
    struct eval ev = {.arena = &arena};
    struct bexpr *e;
    struct dn_err err;
    struct vec v;

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        x[i] = i % 10 == 0   ? build_str("12x")
               : i % 10 == 1 ? build_null(TYPE_VARCHAR)
                             : build_str("12");
    cols[0] = build_dict(TYPE_VARCHAR, x, 100);
    e = build_cast(build_col(TYPE_VARCHAR, 0), TYPE_BIGINT);
    expect_error(e, &in, DN_E_BAD_TEXT);
    in.sel = sel;
    in.sel_count = 0;
    for (uint16_t i = 0; i < 100; i++)
        if (i % 10 != 0)
            sel[in.sel_count++] = i;
    assert_int_equal(expr_eval(e, &ev, &in, &v, &err), 0);
    assert_int_equal(v.form, VEC_DICT);
    assert_int_equal(v.dict_count, cols[0].dict_count);
    assert_true(v.codes == cols[0].codes);
    for (uint32_t i = 0; i < in.sel_count; i++) {
        struct datum d = vec_datum(&v, sel[i]);

        assert_int_equal(d.null, sel[i] % 10 == 1);
        if (!d.null)
            assert_int_equal(d.v.i64, 12);
    }
    /* Two DICTs cannot stay. */
    in.sel = NULL;
    in.sel_count = 100;
    e = build_call("=", build_col(TYPE_VARCHAR, 0), build_col(TYPE_VARCHAR, 0));
    assert_int_equal(expr_eval(e, &ev, &in, &v, &err), 0);
    assert_int_equal(v.form, VEC_FLAT);
    assert_int_equal(vec_datum(&v, 0).v.i64, 1);
    assert_true(vec_is_null(&v, 1));
}

static void check_in(struct datum *values,
                     uint32_t count,
                     const struct datum *list,
                     uint32_t list_count,
                     bool negated,
                     const char *want)
{
    enum type_id type = list[0].type;
    struct vec cols[1];
    struct batch in = batch_of(cols, 1, count);
    struct bexpr *e = build_in(build_col(type, 0), list, list_count, negated);

    cols[0] = build_vec(type, values, count);
    check_truth(e, &in, want);
    cols[0] = build_dict(type, values, count);
    check_truth(e, &in, want);
}

static void test_in(void **state)
{
    struct datum ints[4] = {build_int(TYPE_INTEGER, 1),
                            build_int(TYPE_INTEGER, 2),
                            build_null(TYPE_INTEGER),
                            build_int(TYPE_INTEGER, -3)};
    struct datum words[4] = {
        build_str("a"), build_str(""), build_null(TYPE_VARCHAR), build_str("b\xc3\xa4")};
    struct datum floats[4] = {
        build_f64(-0.0), build_f64((double)NAN), build_null(TYPE_DOUBLE), build_f64(0.5)};
    struct datum list[100];
    char longer[103];

    (void)state;
    memset(longer, 'a', 102);
    longer[102] = 0;
    list[0] = build_int(TYPE_INTEGER, 2);
    list[1] = build_int(TYPE_INTEGER, -3);
    check_in(ints, 4, list, 2, false, "ftnt");
    check_in(ints, 4, list, 2, true, "tfnf");
    list[2] = build_null(TYPE_INTEGER);
    check_in(ints, 4, list, 3, false, "ntnt");
    check_in(ints, 4, list, 3, true, "nfnf");
    for (uint32_t i = 3; i < 100; i++)
        list[i] = build_int(TYPE_INTEGER, (int64_t)i * 1000);
    check_in(ints, 4, list, 100, false, "ntnt");
    list[2] = list[3];
    check_in(ints, 4, list, 100, false, "ftnt");
    check_in(ints, 4, list, 100, true, "tfnf");
    list[0] = build_str("");
    list[1] = build_str("b\xc3\xa4");
    check_in(words, 4, list, 2, false, "ftnt");
    for (uint32_t i = 2; i < 100; i++)
        list[i] = build_str(&longer[i]);
    check_in(words, 4, list, 100, false, "ftnt");
    list[0] = build_f64(0);
    list[1] = build_f64((double)NAN);
    check_in(floats, 4, list, 2, false, "ttnf");
    for (uint32_t i = 2; i < 20; i++)
        list[i] = build_f64(i);
    check_in(floats, 4, list, 20, true, "ffnt");
}

/* The list is prepared once per run, and remembered by expression. */
static void test_in_prepared_once(void **state)
{
    struct datum list[20];
    struct datum x[1] = {build_int(TYPE_BIGINT, 7)};
    struct vec cols[1] = {build_vec(TYPE_BIGINT, x, 1)};
    struct batch in = batch_of(cols, 1, 1);
    struct bexpr *e;
    struct bexpr *f;
    struct arena run;
    struct eval ev = {.arena = &arena, .run = &run};
    struct eval_set *first;
    struct vec v;
    struct dn_err err;

    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        list[i] = build_int(TYPE_BIGINT, i);
    e = build_in(build_col(TYPE_BIGINT, 0), list, 20, false);
    f = build_in(build_col(TYPE_BIGINT, 0), list, 5, false);
    arena_init(&run, NULL);
    assert_int_equal(expr_eval(e, &ev, &in, &v, &err), 0);
    first = ev.sets;
    assert_non_null(first);
    arena_reset(&arena);
    assert_int_equal(expr_eval(e, &ev, &in, &v, &err), 0);
    assert_ptr_equal(ev.sets, first);
    assert_int_equal(vec_datum(&v, 0).v.i64, 1);
    assert_int_equal(expr_eval(f, &ev, &in, &v, &err), 0);
    assert_ptr_not_equal(ev.sets, first);
    assert_int_equal(vec_datum(&v, 0).v.i64, 0);
    arena_done(&run);
}

static void test_params(void **state)
{
    struct datum params[2] = {build_int(TYPE_BIGINT, 40), build_null(TYPE_NONE)};
    struct eval ev = {.arena = &arena, .params = params, .params_count = 2};
    struct bexpr *sum =
        build_call("+", build_param(TYPE_BIGINT, 1), build_const(build_int(TYPE_BIGINT, 2)));
    struct bexpr *in = build_in(build_const(build_int(TYPE_BIGINT, 40)), NULL, 0, false);
    struct bexpr *list[2] = {in->args[0], build_param(TYPE_BIGINT, 1)};
    struct datum d;
    struct dn_err err;

    (void)state;
    assert_int_equal(expr_eval_datum(sum, &ev, &d, &err), 0);
    assert_int_equal(d.v.i64, 42);
    in->args = list;
    in->args_count = 2;
    assert_int_equal(expr_eval_datum(in, &ev, &d, &err), 0);
    assert_int_equal(d.v.i64, 1);
    assert_int_equal(expr_eval_datum(build_param(TYPE_VARCHAR, 2), &ev, &d, &err), 0);
    assert_true(d.null);
    assert_int_equal(d.type, TYPE_VARCHAR);
    dn_err_clear(&err);
    assert_int_equal(expr_eval_datum(build_param(TYPE_BIGINT, 3), &ev, &d, &err), DN_E_UNBOUND);
    assert_int_equal(expr_eval_datum(build_param(TYPE_DOUBLE, 1), &ev, &d, &err),
                     DN_E_DATATYPE_MISMATCH);
    assert_false(expr_is_const(sum, false));
    assert_true(expr_is_const(sum, true));
    assert_false(expr_is_const(
        build_chain(BEXPR_AND, build_col(TYPE_BOOLEAN, 0), build_const(truth('t'))), true));
    assert_true(expr_is_const(build_const(truth('t')), false));
}

static void check_print(const struct bexpr *e, const char *want)
{
    static const char *const names[] = {"a", "b"};
    struct buf b;

    buf_init(&b, NULL);
    expr_print(e, names, &b);
    buf_u8(&b, 0);
    assert_string_equal((const char *)b.data, want);
    buf_done(&b);
}

static void test_print(void **state)
{
    struct bexpr *a = build_col(TYPE_BIGINT, 0);
    struct bexpr *b = build_col(TYPE_VARCHAR, 1);
    struct bexpr *less = build_call("<",
                                    build_call("+", a, build_const(build_int(TYPE_BIGINT, 1))),
                                    build_param(TYPE_BIGINT, 2));
    struct datum list[10];

    (void)state;
    for (uint32_t i = 0; i < 10; i++)
        list[i] = build_int(TYPE_BIGINT, i);
    check_print(less, "((a + 1) < $2)");
    check_print(
        build_chain(BEXPR_AND, less, build_call("not", build_call("is null", b, NULL), NULL)),
        "(((a + 1) < $2) AND (NOT (b IS NULL)))");
    check_print(build_call("=", b, build_const(build_str("it's"))), "(b = 'it''s')");
    check_print(build_in(a, list, 2, true), "(a NOT IN (0, 1))");
    check_print(build_in(a, list, 10, false), "(a IN (0, 1, 2, 3, 4, 5, 6, 7, … 2 more))");
    check_print(build_call("-", a, NULL), "(-a)");
    check_print(build_cast(a, TYPE_VARCHAR), "CAST(a AS VARCHAR)");
    check_print(build_call("lower", b, NULL), "lower(b)");
    check_print(build_const(build_int(TYPE_TIMESTAMP, 0)), "'1970-01-01T00:00:00.000Z'");
    check_print(build_const(build_null(TYPE_BIGINT)), "NULL");
}

/* Every allocation fails once: an error each time, no leak, and in the end a clean pass. */
static void test_fault_sweep(void **state)
{
    struct datum x[50];
    struct datum y[50];
    struct datum list[20];
    struct vec cols[2];
    struct batch in = batch_of(cols, 2, 50);
    struct bexpr *a = build_col(TYPE_BIGINT, 0);
    struct bexpr *b = build_col(TYPE_VARCHAR, 1);
    struct bexpr *e;
    size_t before;
    uint64_t n;

    (void)state;
    for (uint32_t i = 0; i < 50; i++) {
        x[i] = i % 7 ? build_int(TYPE_BIGINT, i) : build_null(TYPE_BIGINT);
        y[i] = i % 5 ? build_str(i % 2 ? "17" : "Abc") : build_null(TYPE_VARCHAR);
        if (i < 20)
            list[i] = build_str(i % 2 ? "abc" : "x");
    }
    cols[0] = build_vec(TYPE_BIGINT, x, 50);
    cols[1] = build_dict(TYPE_VARCHAR, y, 50);
    e = build_chain(
        BEXPR_OR,
        build_chain(
            BEXPR_AND,
            build_call(">",
                       build_call("*", a, build_cast(build_call("length", b, NULL), TYPE_BIGINT)),
                       build_const(build_int(TYPE_BIGINT, 100))),
            build_in(build_call("lower", b, NULL), list, 20, false)),
        build_call("=", build_cast(a, TYPE_VARCHAR), b));
    e = build_chain(
        BEXPR_AND,
        e,
        build_call(">", build_call("token", a, b), build_const(build_int(TYPE_BIGINT, INT64_MIN))));
    before = mem_process_used();
    for (n = 1;; n++) {
        struct arena batch;
        struct arena run;
        struct eval ev = {.arena = &batch, .run = &run};
        uint16_t sel[50];
        uint32_t count;
        struct vec v;
        struct dn_err err;
        int rc;
        bool hit;

        arena_init(&batch, NULL);
        arena_init(&run, NULL);
        mem_fail_nth(n, false);
        rc = expr_eval(e, &ev, &in, &v, &err);
        if (rc == 0)
            rc = expr_select(e, &ev, &in, sel, &count, &err);
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        arena_done(&batch);
        arena_done(&run);
        assert_int_equal(mem_process_used(), before);
        if (!hit) {
            assert_int_equal(rc, 0);
            break;
        }
        assert_int_equal(rc, DN_E_NOMEM);
        assert_int_equal(err.code, DN_E_NOMEM);
    }
    assert_true(n > 2); /* an arena of a release build allocates in chunks */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_logic),
        cmocka_unit_test(test_no_error_where_nobody_looks),
        cmocka_unit_test(test_error_position),
        cmocka_unit_test(test_dict_stays),
        cmocka_unit_test(test_in),
        cmocka_unit_test(test_in_prepared_once),
        cmocka_unit_test(test_params),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_fault_sweep),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
