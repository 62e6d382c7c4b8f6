/* SPDX-License-Identifier: Apache-2.0
 *
 * Aggregates: every row's example; the two updates and merge agree with each other and with a plain
 * loop, over all vector forms, NULLs and selections; the edges of sum; strings that win. */
#include "func/func.h"
#include "func/num.h"
#include "func/text.h"

#include "agg_naive.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define STATE_MAX 128u

static struct arena arena;
static struct arena strings;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    arena_init(&strings, NULL);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_done(&arena);
    arena_done(&strings);
    return 0;
}

/* A state as the contract wants it: zeroed and 16-byte aligned. */
struct agg_state {
    _Alignas(16) uint8_t bytes[STATE_MAX];
};

static void init(const struct agg *a, struct agg_state *s)
{
    assert_true(a->state_size <= STATE_MAX);
    memset(s, 0, sizeof *s);
}

static const struct agg *find(const char *name, enum type_id type)
{
    struct dn_err err;
    const struct agg *a = agg_find(name, false, type, 0, &err);

    assert_non_null(a);
    return a;
}

static void emit(const struct agg *a, const struct agg_state *s, struct datum *ret)
{
    struct dn_err err;

    if (a->emit(s, ret, &err) < 0)
        fail_msg("%s: %s", a->name, err.text);
    assert_int_equal(ret->type, a->result);
}

static void check_text(const struct datum *d, const char *want, const char *what)
{
    struct buf b;

    buf_init(&b, NULL);
    text_print(d, &b);
    buf_u8(&b, 0);
    if (strcmp((const char *)b.data, want) != 0)
        fail_msg("%s gives %s", what, (const char *)b.data);
    buf_done(&b);
}

/* The list behind " of (" in "sum of (1, NULL, 3) = 4", cut at commas: time stamps and words stand
 * there bare. 0: there is no such list. */
static uint32_t
example_values(const char *text, const char *word, enum type_id type, struct datum *ret)
{
    const char *p = strstr(text, word);
    uint32_t n = 0;

    if (!p)
        return 0;
    for (p += strlen(word); *p != ')'; n++) {
        size_t len = strcspn(p, ",)");
        struct dn_err err;

        ret[n] = (struct datum){.type = type, .null = true};
        if (len != 4 || strncmp(p, "NULL", 4) != 0)
            assert_int_equal(
                text_parse(type, (struct vstr){p, (uint32_t)len}, &arena, &ret[n], &err), 0);
        p += len + (p[len] == ',' ? 2 : 0);
    }
    return n;
}

static void column(const struct datum *values, uint32_t count, enum type_id type, struct colbuf *c)
{
    colbuf_init(c, type, NULL, &arena);
    for (uint32_t i = 0; i < count; i++)
        assert_true(colbuf_append(c, &values[i]));
}

/* "… with (…)": second arguments, the last one for all that follow; without it, times in order. */
static void example_second(const struct agg *a, uint32_t n, struct colbuf *c, struct vec *ret)
{
    static const int64_t times[] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct datum values[8];
    uint32_t given = example_values(a->example, " with (", a->arg2, values);

    colbuf_init(c, a->arg2, NULL, &arena);
    if (given == 0) {
        assert_true(a->arg2 == TYPE_NONE || a->arg2 == TYPE_TIMESTAMP);
        *ret = (struct vec){
            .type = TYPE_TIMESTAMP, .form = VEC_FLAT, .count = n, .data = times}; /* in order */
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        assert_true(colbuf_append(c, &values[i < given ? i : given - 1]));
    *ret = colbuf_vec(c, 0, n);
}

static void test_examples(void **state)
{
    const struct agg *a;
    uint32_t examples = 0;

    (void)state;
    for (uint32_t i = 0; (a = agg_at(i)); i++) {
        enum type_id type = a->arg == TYPE_NONE ? TYPE_BIGINT : a->arg;
        struct datum values[8];
        struct datum d;
        struct agg_state all;
        struct agg_state grouped;
        void *states[8];
        struct colbuf c;
        struct colbuf second;
        struct vec v[2];
        struct dn_err err;
        uint32_t n = example_values(a->example, " of (", type, values);

        assert_true(n > 0);
        assert_true(a->doc && a->doc[strlen(a->doc) - 1] == '.');
        column(values, n, type, &c);
        v[0] = colbuf_vec(&c, 0, n);
        example_second(a, n, &second, &v[1]);
        init(a, &all);
        init(a, &grouped);
        for (uint32_t k = 0; k < n; k++)
            states[k] = &grouped;
        assert_int_equal(a->update_all(&all, a->star ? NULL : v, NULL, n, &strings, &err), 0);
        assert_int_equal(a->update_grouped(states, a->star ? NULL : v, NULL, n, &strings, &err), 0);
        emit(a, &all, &d);
        check_text(&d, strstr(a->example, ") = ") + 4, a->example);
        emit(a, &grouped, &d);
        check_text(&d, strstr(a->example, ") = ") + 4, a->example);
        /* Nothing: 0 for count, NULL for the others. */
        init(a, &all);
        emit(a, &all, &d);
        assert_int_equal(d.null,
                         strcmp(a->name, "count") != 0 && strcmp(a->name, "regr_count") != 0);
        if (!d.null)
            assert_int_equal(d.v.i64, 0);
        colbuf_done(&c);
        colbuf_done(&second);
        examples++;
    }
    assert_true(examples >= 190);
}

static void test_find(void **state)
{
    struct dn_err err;

    (void)state;
    assert_string_equal(agg_find("SUM", false, TYPE_REAL, 0, &err)->name, "sum");
    assert_true(agg_find("count", true, TYPE_NONE, 0, &err)->star);
    assert_false(agg_find("Count", false, TYPE_BLOB, 0, &err)->star);
    assert_non_null(agg_find("max", false, TYPE_NONE, 0, &err));
    assert_true(agg_name_exists("Mean"));
    assert_false(agg_name_exists("median"));
    dn_err_clear(&err);
    assert_null(agg_find("avg", false, TYPE_VARCHAR, 5, &err));
    assert_int_equal(err.code, DN_E_UNDEFINED_FUNCTION);
    assert_int_equal(err.position, 5);
    assert_string_equal(err.text, "function avg(text) does not exist");
    assert_non_null(strstr(err.hint, "DOUBLE"));
    dn_err_clear(&err);
    assert_null(agg_find("sum", true, TYPE_NONE, 5, &err));
    assert_non_null(strstr(err.text, "sum(*)"));
}

/* ---- random: updates against a plain loop ---- */

static uint64_t seed = 20150601;
static bool whole; /* random floats are whole numbers: their sums are exact */

static uint64_t next_random(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

static struct datum random_datum(enum type_id type)
{
    static const char *const words[] = {
        "", "a", "ab", "b", "zebra", "\xc3\xa4", "abcdefghijklmnopqrstuvwxyz"};
    struct datum d = {.type = type, .null = next_random(5) == 0, .str = {"", 0}};

    if (type_is_bits(type)) {
        static const char *const bits[] = {"0110", "1101", "1111", "0011"};

        d.str = (struct vstr){bits[next_random(DN_ARRAY_SIZE(bits))], 4};
    } else if (type_is_string(type)) {
        d.str.ptr = words[next_random(DN_ARRAY_SIZE(words))];
        d.str.len = (uint32_t)strlen(d.str.ptr);
    } else if (type_is_float(type)) {
        d.v.f64 = next_random(50) == 0 ? (double)NAN
                                       : (double)(float)((double)next_random(2000) / 7 - 100);
        d.v.f64 = whole ? rint(d.v.f64) : d.v.f64;
    } else if (type == TYPE_INTERVAL) {
        d.iv = (struct vinterval){.us = (int64_t)next_random(2000) * 60000000,
                                  .days = (int32_t)next_random(40),
                                  .months = (int32_t)next_random(3)};
    } else if (type == TYPE_NUMERIC) {
        d.num = vnumeric_make((int64_t)next_random(2000) - 1000, (int)next_random(4));
    } else if (type == TYPE_BOOLEAN) {
        d.v.i64 = (int64_t)next_random(2);
    } else {
        d.v.i64 = (int64_t)next_random(2000) - 1000;
    }
    return d;
}

/* A vector in the given form with the values written out to `values`. */
static void random_vec(
    enum type_id type, enum vec_form form, uint32_t count, struct datum *values, struct vec *ret)
{
    uint32_t entries = form == VEC_FLAT ? count : form == VEC_CONST ? 1 : 7;
    uint16_t *codes = arena_calloc(&arena, count, sizeof *codes);
    uint64_t *nulls = arena_calloc(&arena, VEC_BITMAP_WORDS(count), sizeof *nulls);
    void *data = arena_calloc(&arena, entries, phys_size(type_phys(type)));
    struct datum dict[VEC_ROWS_MAX];
    bool with_nulls = next_random(2);

    for (uint32_t i = 0; i < entries; i++) {
        dict[i] = random_datum(type);
        if (form != VEC_FLAT || !with_nulls)
            dict[i].null = false;
        datum_store(&dict[i], data, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        codes[i] = (uint16_t)next_random(entries);
        values[i] = dict[form == VEC_FLAT ? i : form == VEC_CONST ? 0 : codes[i]];
        if (form == VEC_DICT && with_nulls)
            values[i].null = next_random(4) == 0;
        if (values[i].null)
            vec_bit_set(nulls, i);
    }
    *ret = (struct vec){.type = type,
                        .form = form,
                        .count = count,
                        .dict_count = entries,
                        .data = data,
                        .codes = codes,
                        .nulls = with_nulls && form != VEC_CONST ? nulls : NULL};
}

static bool same(const struct datum *a, const struct datum *b)
{
    if (a->null || b->null)
        return a->null == b->null;
    if (type_is_float(a->type)) /* bit by bit: the order of adding is promised */
        return memcmp(&a->v.f64, &b->v.f64, 8) == 0 ||
               (a->v.f64 != a->v.f64 && b->v.f64 != b->v.f64);
    return datum_cmp(a, b) == 0;
}

static void check_naive(const struct agg *a, const struct datum *got, const struct datum *want)
{
    if (got->null != want->null)
        fail_msg("%s(%s): NULL", a->name, type_name(a->arg));
    if (got->null)
        return;
    if (a->result == TYPE_NUMERIC && want->type == TYPE_DOUBLE)
        assert_true(fabs(num_to_f64(got->num) - want->v.f64) <= 1e-9 * (1 + fabs(want->v.f64)));
    else if (a->result == TYPE_REAL && strcmp(a->name, "sum") == 0)
        assert_true((float)got->v.f64 == (float)want->v.f64 ||
                    fabs(got->v.f64 - want->v.f64) <= 1e-6 * (1 + fabs(want->v.f64)) ||
                    (got->v.f64 != got->v.f64 && want->v.f64 != want->v.f64));
    else if (a->result == TYPE_DOUBLE &&
             !(got->v.f64 != got->v.f64 && want->v.f64 != want->v.f64)) {
        if (fabs(got->v.f64 - want->v.f64) > 1e-9 * (1 + fabs(want->v.f64)))
            fail_msg(
                "%s(%s): %g, expected %g", a->name, type_name(a->arg), got->v.f64, want->v.f64);
    } else if (!same(got, want)) {
        fail_msg("%s(%s)", a->name, type_name(a->arg));
    }
}

/* Times that rise (or fall), some of them equal, none NULL. */
static void sort_times(struct datum *times, struct vec *v)
{
    int64_t *to = arena_calloc(&arena, v->count, sizeof *to);
    int64_t step = next_random(2) ? 1 : -1;
    int64_t t = 0;

    for (uint32_t i = 0; i < v->count; i++) {
        t += next_random(3) ? step : 0;
        to[i] = t;
        times[i] = (struct datum){.type = TYPE_TIMESTAMP, .v = {.i64 = t}};
    }
    v->data = to;
    v->nulls = NULL;
}

/* Second arguments as the aggregate wants them. */
static void random_second(
    const struct agg *a, enum vec_form form, uint32_t count, struct datum *values, struct vec *ret)
{
    double *fraction = arena_calloc(&arena, 1, sizeof *fraction);

    if (a->within == AGG_WITHIN_NONE) {
        random_vec(a->arg2 == TYPE_NONE ? TYPE_TIMESTAMP : a->arg2,
                   next_random(2) ? form : VEC_FLAT,
                   count,
                   values,
                   ret);
        if (next_random(2) && ret->form == VEC_FLAT && ret->type == TYPE_TIMESTAMP)
            sort_times(values, ret);
        return;
    }
    /* Between two intervals lies what examples show. */
    *fraction = a->arg == TYPE_INTERVAL ? (double)next_random(2) : (double)next_random(101) / 100;
    *ret = (struct vec){.type = TYPE_DOUBLE, .form = VEC_CONST, .count = count, .data = fraction};
    for (uint32_t i = 0; i < count; i++)
        values[i] = (struct datum){.type = TYPE_DOUBLE, .v = {.f64 = *fraction}};
}

/* One vector in two batches: all, grouped into one, and two parts merged. */
/* A state put aside and back, what it pointed at gone, is as good as it was. */
static void check_saved(const struct agg *a, struct agg_state *s, const struct datum *want)
{
    struct arena old;
    struct agg_state copy;
    struct agg_state back;
    struct datum got;
    struct dn_err err;
    struct buf b;

    arena_init(&old, NULL);
    init(a, &copy);
    assert_int_equal(a->merge(&copy, s, &old, &err), 0);
    buf_init(&b, NULL);
    agg_save(a, &copy, &b);
    assert_false(b.failed);
    arena_done(&old);
    init(a, &back);
    assert_int_equal(agg_load(a, &back, b.data, b.len, &strings, &err), 0);
    emit(a, &back, &got);
    check_naive(a, &got, want);
    init(a, &copy); /* nothing, merged into it and from it */
    assert_int_equal(a->merge(&back, &copy, &strings, &err), 0);
    assert_int_equal(a->merge(&copy, &back, &strings, &err), 0);
    emit(a, &copy, &got);
    check_naive(a, &got, want);
    init(a, &copy); /* cut short */
    dn_err_clear(&err);
    assert_int_equal(agg_load(a, &copy, b.data, b.len / 2, &strings, &err), DN_E_CORRUPT);
    buf_done(&b);
}

static void check_agg(const struct agg *a, enum vec_form form)
{
    enum type_id type = a->arg == TYPE_NONE ? TYPE_VARCHAR : a->arg;
    uint32_t count = 1 + (uint32_t)next_random(200);
    struct datum values[200];
    uint16_t sel[200];
    uint32_t rows = 0;
    bool with_sel = next_random(2);
    struct agg_state st[4];
    void *states[200];
    struct datum got[4];
    struct datum want;
    struct datum times[200];
    struct vec v[2];
    struct dn_err err;
    uint32_t half;

    whole = a->arg2 == TYPE_DOUBLE && a->within == AGG_WITHIN_NONE;
    random_vec(type, form, count, values, &v[0]);
    random_second(a, form, count, times, &v[1]);
    whole = false;
    for (uint32_t i = 0; i < count; i++)
        if (!with_sel || next_random(3))
            sel[rows++] = (uint16_t)i;
    half = rows / 2;
    for (uint32_t i = 0; i < 4; i++)
        init(a, &st[i]);
    for (uint32_t i = 0; i < rows; i++)
        states[i] = &st[1];
    assert_int_equal(
        a->update_all(&st[0], a->star ? NULL : v, with_sel ? sel : NULL, rows, &strings, &err), 0);
    assert_int_equal(a->update_grouped(states, a->star ? NULL : v, sel, rows, &strings, &err), 0);
    /* The same rows through both kinds of update in turn. */
    assert_int_equal(a->update_all(&st[2], a->star ? NULL : v, sel, half, &strings, &err), 0);
    for (uint32_t i = 0; i < rows; i++)
        states[i] = &st[2];
    assert_int_equal(
        a->update_grouped(states, a->star ? NULL : v, sel + half, rows - half, &strings, &err), 0);
    for (uint32_t i = 0; i < 3; i++)
        emit(a, &st[i], &got[i]);
    assert_true(same(&got[0], &got[1]));
    assert_true(same(&got[0], &got[2]));
    agg_naive(a, values, times, sel, rows, &want);
    check_naive(a, &got[0], &want);
    /* Two parts merged. */
    init(a, &st[2]);
    assert_int_equal(a->update_all(&st[2], a->star ? NULL : v, sel, half, &strings, &err), 0);
    assert_int_equal(
        a->update_all(&st[3], a->star ? NULL : v, sel + half, rows - half, &strings, &err), 0);
    assert_int_equal(a->merge(&st[2], &st[3], &strings, &err), 0);
    emit(a, &st[2], &got[3]);
    check_naive(a, &got[3], &want);
    check_saved(a, &st[2], &want);
}

/* States that take turns, against the same rows with a state each. */
static void check_turns(const struct agg *a)
{
    enum type_id type = a->arg == TYPE_NONE ? TYPE_VARCHAR : a->arg;
    uint32_t count = 1 + (uint32_t)next_random(200);
    uint32_t turn = 1 + (uint32_t)next_random(next_random(3) ? (count + 3) / 4 : count);
    struct datum values[200];
    struct agg_state st[2][200];
    void *states[200];
    struct datum got[2];
    struct vec v;
    struct dn_err err;

    for (uint32_t i = 0; i < turn; i++) {
        init(a, &st[0][i]);
        init(a, &st[1][i]);
    }
    for (uint32_t round = 0; round < 3; round++) { /* states that have something, too */
        random_vec(type, VEC_FLAT, count, values, &v);
        v.nulls = NULL;
        for (uint32_t i = 0; i < count; i++)
            states[i] = &st[0][i % turn];
        assert_int_equal(
            a->update_grouped(states, a->star ? NULL : &v, NULL, count, &strings, &err), 0);
        for (uint32_t i = 0; i < turn; i++)
            states[i] = &st[1][i];
        a->update_turns(states, a->star ? NULL : &v, turn, count);
        assert_memory_equal(st[0], st[1], turn * sizeof st[0][0]);
    }
    for (uint32_t i = 0; i < turn; i++) {
        emit(a, &st[0][i], &got[0]);
        emit(a, &st[1][i], &got[1]);
        assert_true(same(&got[0], &got[1]));
    }
}

static void test_turns(void **state)
{
    const struct agg *a;
    uint32_t some = 0;

    (void)state;
    for (int round = 0; round < 50; round++) {
        for (uint32_t i = 0; (a = agg_at(i)); i++)
            if (a->update_turns) {
                check_turns(a);
                some++;
            }
        arena_reset(&arena);
        arena_reset(&strings);
    }
    assert_true(some > 500);
}

static void test_random(void **state)
{
    const struct agg *a;

    (void)state;
    for (int round = 0; round < 20; round++) {
        for (uint32_t i = 0; (a = agg_at(i)); i++)
            for (enum vec_form form = VEC_FLAT; form <= VEC_DICT; form++)
                if (!type_is_array(a->arg)) /* of one shape, none NULL: tests/sql has these */
                    check_agg(a, form);
        arena_reset(&arena);
        arena_reset(&strings);
    }
}

/* ---- edges ---- */

static void test_sum_edges(void **state)
{
    const struct agg *a = find("sum", TYPE_BIGINT);
    const int64_t high[] = {INT64_MAX, INT64_MAX, INT64_MIN};
    const int64_t low[] = {INT64_MIN, -1};
    struct vec v = {.type = TYPE_BIGINT, .form = VEC_FLAT, .count = 3, .data = high};
    struct agg_state st;
    struct datum d;
    struct dn_err err;

    (void)state;
    init(a, &st);
    assert_int_equal(a->update_all(&st, &v, NULL, 3, &strings, &err), 0);
    emit(a, &st, &d); /* over the type in between, within it at the end */
    assert_int_equal(d.v.i64, INT64_MAX - 1);
    init(a, &st);
    assert_int_equal(a->update_all(&st, &v, NULL, 2, &strings, &err), 0);
    dn_err_clear(&err);
    assert_int_equal(a->emit(&st, &d, &err), DN_E_OUT_OF_RANGE);
    assert_true(err.hint[0] != 0);
    v.data = low;
    init(a, &st);
    assert_int_equal(a->update_all(&st, &v, NULL, 2, &strings, &err), 0);
    assert_int_equal(a->emit(&st, &d, &err), DN_E_OUT_OF_RANGE);
    a = find("avg", TYPE_BIGINT);
    init(a, &st);
    assert_int_equal(a->update_all(&st, &v, NULL, 2, &strings, &err), 0);
    emit(a, &st, &d);
    assert_true(d.v.f64 == -0x1p62);
}

/* A column that only rises costs no new memory for each winner. */
static void test_max_reuses_memory(void **state)
{
    const struct agg *a = find("max", TYPE_VARCHAR);
    struct mem_owner owner;
    struct arena own;
    struct agg_state st;
    struct dn_err err;
    struct datum d;
    char word[12];
    struct vstr s = {word, 11};
    struct vec v = {.type = TYPE_VARCHAR, .form = VEC_FLAT, .count = 1, .data = &s};
    size_t used = 0;

    (void)state;
    mem_owner_init(&owner, "test", NULL, 0);
    arena_init(&own, &owner);
    init(a, &st);
    for (int i = 0; i < 1000; i++) {
        snprintf(word, sizeof word, "word %06d", i);
        assert_int_equal(a->update_all(&st, &v, NULL, 1, &own, &err), 0);
        if (i == 0)
            used = mem_owner_used(&owner);
    }
    assert_int_equal(mem_owner_used(&owner), used);
    memset(word, 0, sizeof word); /* the state has its own copy */
    emit(a, &st, &d);
    check_text(&d, "word 000999", "max");
    arena_done(&own);
}

static void test_nomem(void **state)
{
    const struct agg *a = find("min", TYPE_VARCHAR);
    struct vstr s = {"word", 4};
    struct vec v = {.type = TYPE_VARCHAR, .form = VEC_FLAT, .count = 1, .data = &s};
    struct agg_state st;
    struct arena own;
    struct dn_err err;
    void *states[1] = {&st};

    (void)state;
    arena_init(&own, NULL);
    init(a, &st);
    mem_fail_nth(1, false);
    assert_int_equal(a->update_all(&st, &v, NULL, 1, &own, &err), DN_E_NOMEM);
    mem_fail_nth(1, false);
    assert_int_equal(a->update_grouped(states, &v, NULL, 1, &own, &err), DN_E_NOMEM);
    mem_fail_nth(0, false);
    assert_int_equal(a->update_all(&st, &v, NULL, 1, &own, &err), 0);
    arena_done(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_sum_edges),
        cmocka_unit_test(test_max_reuses_memory),
        cmocka_unit_test(test_nomem),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
