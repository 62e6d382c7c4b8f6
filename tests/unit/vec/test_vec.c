/* SPDX-License-Identifier: Apache-2.0
 *
 * test_vec.c: types, vectors of all forms, datums, column buffers. */
#include "vec/timetz.h"
#include "vec/vec.h"
#include "vec/widen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants these above */
#include <cmocka.h>

static const enum type_id types[] = {
#define DN_TYPE(id, NAME, sql, phys) TYPE_##NAME,
#include "vec/type_list.h"
#undef DN_TYPE
};

static struct datum num(enum type_id type, int64_t v)
{
    struct datum d = {.type = type, .str = {"", 0}};

    if (type_is_float(type))
        d.v.f64 = (double)v / 2;
    else
        d.v.i64 = type == TYPE_BOOLEAN ? v & 1 : v;
    return d;
}

static struct datum dbl(double f)
{
    return (struct datum){.type = TYPE_DOUBLE, .v.f64 = f};
}

static struct datum text(const char *s, uint32_t len)
{
    return (struct datum){.type = TYPE_VARCHAR, .str = {s, len}};
}

/* The i-th of some values of a type. */
static struct datum some(enum type_id type, uint32_t i)
{
    static const char *const words[] = {"oak", "", "elm", "a\0b"};
    struct datum d = num(type, (int64_t)(i * 7 % 100) - 50);

    if (type_is_string(type))
        d.str = (struct vstr){words[i % 4], i % 4 == 3 ? 3 : (uint32_t)strlen(words[i % 4])};
    return d;
}

static void assert_same(struct datum a, struct datum b)
{
    assert_int_equal(a.null, b.null);
    assert_int_equal(datum_cmp(&a, &b), 0);
}

/* A time of day with a zone comes back, and numbers are in the order of the times at UTC. */
static void test_timetz(void **state)
{
    static const struct {
        int64_t us;
        int32_t west;
    } in_order[] = {{0, -TIMETZ_WEST_MAX},
                    {3600000000, -7200},
                    {0, -3600},
                    {1, -3600},
                    {0, 0},
                    {7200000000, -7200 + 3600},
                    {3600000000, 0},
                    {0, 3600},
                    {TIMETZ_DAY_US, TIMETZ_WEST_MAX}};

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(in_order); i++) {
        int64_t v = timetz_make(in_order[i].us, in_order[i].west);

        assert_true(timetz_good(in_order[i].us, in_order[i].west));
        assert_int_equal(timetz_clock_us(v), in_order[i].us);
        assert_int_equal(timetz_west(v), in_order[i].west);
        if (i > 0)
            assert_true(v > timetz_make(in_order[i - 1].us, in_order[i - 1].west));
    }
    assert_false(timetz_good(TIMETZ_DAY_US + 1, 0));
    assert_false(timetz_good(0, TIMETZ_WEST_MAX + 1));
    /* Frozen: it is stored so. */
    assert_int_equal(timetz_make(14706789000, 28800), 5702521847902336);
}

static void test_types(void **state)
{
    (void)state;
    assert_string_equal(type_name(TYPE_TIMESTAMP_US), "TIMESTAMP(6)");
    assert_int_equal(type_by_name("sint64", 6), TYPE_BIGINT);
    assert_int_equal(type_by_name("Varchar", 7), TYPE_VARCHAR);
    assert_int_equal(type_by_name("text", 4), TYPE_VARCHAR);
    assert_int_equal(type_by_name("float", 5), TYPE_DOUBLE);
    assert_int_equal(type_by_name("DATETIME", 8), TYPE_TIMESTAMP_US);
    assert_int_equal(type_by_name("timestamp", 9), TYPE_TIMESTAMP);
    assert_int_equal(type_by_name("integers", 7), TYPE_INTEGER); /* the length counts */
    assert_int_equal(type_by_name("NULL", 4), TYPE_NONE);
    assert_int_equal(type_by_name("timestamp(6)", 12), TYPE_NONE);
    assert_int_equal(type_by_name("", 0), TYPE_NONE);
    assert_int_equal(type_by_name("varcha", 6), TYPE_NONE);
    assert_int_equal(type_ts_per_second(TYPE_TIMESTAMP), 1000);
    assert_int_equal(type_ts_per_second(TYPE_TIMESTAMP_NS), 1000000000);
    assert_true(type_known(TYPE_BLOB));
    assert_true(type_known(TYPE_INTERVAL));
    assert_true(type_storable(TYPE_INTERVAL));
    assert_false(type_storable(TYPE_NONE));
    assert_false(type_known(39));
    assert_false(type_known(4000000000u));
    for (size_t i = 1; i < DN_ARRAY_SIZE(types); i++) {
        assert_int_equal(phys_size(type_phys(types[i])) > 0, 1);
        if (!strchr(type_name(types[i]), '(') && types[i] != TYPE_ENUM) /* which one? */
            assert_int_equal(type_by_name(type_name(types[i]), strlen(type_name(types[i]))),
                             types[i]);
    }
}

static void test_datum_order(void **state)
{
    /* Ascending; neighbours differ. */
    const struct datum order[] = {
        dbl(-(double)INFINITY),
        num(TYPE_BIGINT, INT64_MIN),
        dbl(-1e18),
        num(TYPE_SMALLINT, -1),
        dbl(-0.5),
        num(TYPE_INTEGER, 0),
        dbl(5e-324),
        num(TYPE_BIGINT, 1),
        dbl(1.5),
        num(TYPE_BIGINT, (1LL << 53)),
        num(TYPE_BIGINT, (1LL << 53) + 1),
        num(TYPE_BIGINT, INT64_MAX),
        dbl(0x1p63),
        dbl((double)INFINITY),
        dbl((double)NAN),
    };
    struct datum null = {.type = TYPE_DOUBLE, .null = true};
    struct datum zero = dbl(0.0);
    struct datum minus = dbl(-0.0);
    struct datum a = text("a", 1);
    struct datum ab = text("a\0", 2);
    struct datum high = text("\xff", 1);

    (void)state;
    for (size_t i = 0; i < DN_ARRAY_SIZE(order); i++) {
        for (size_t k = 0; k < DN_ARRAY_SIZE(order); k++) {
            int c = datum_cmp(&order[i], &order[k]);
            assert_int_equal((c > 0) - (c < 0), (i > k) - (i < k));
        }
        assert_true(datum_cmp(&order[i], &null) < 0);
        assert_true(datum_cmp(&null, &order[i]) > 0);
    }
    assert_int_equal(datum_cmp(&null, &null), 0);
    assert_int_equal(datum_cmp(&zero, &minus), 0);
    assert_true(datum_cmp(&a, &ab) < 0);
    assert_true(datum_cmp(&ab, &high) < 0); /* bytes are unsigned */
}

static void test_const_and_copy(void **state)
{
    struct arena arena;

    (void)state;
    arena_init(&arena, NULL);
    for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++) {
        struct datum d = some(types[t], 3);
        struct datum copy;
        struct vec v;
        struct vec flat;

        assert_true(datum_copy(&arena, &d, &copy));
        assert_same(d, copy);
        if (type_is_string(types[t]))
            assert_ptr_not_equal(copy.str.ptr, d.str.ptr);
        assert_true(vec_make_const(&arena, &d, 500, &v));
        assert_same(vec_datum(&v, 499), d);
        assert_true(vec_flatten(&arena, &v, NULL, 500, &flat));
        assert_int_equal(flat.form, VEC_FLAT);
        assert_null(flat.nulls);
        assert_same(vec_datum(&flat, 499), d);
        d.null = true;
        assert_true(vec_make_const(&arena, &d, 70, &v));
        assert_true(vec_datum(&v, 69).null);
        assert_true(vec_flatten(&arena, &v, NULL, 70, &flat));
        assert_true(vec_datum(&flat, 69).null);
    }
    arena_done(&arena);
}

/* A DICT vector, flattened by a selection, and taken up by a column buffer. */
static void test_dict_and_selection(void **state)
{
    uint16_t codes[130];
    uint16_t sel[65];
    uint64_t nulls[3] = {0x10, 0, 2};
    struct arena arena;

    (void)state;
    arena_init(&arena, NULL);
    for (unsigned i = 0; i < 130; i++)
        codes[i] = (uint16_t)(i * 3 % 10);
    for (unsigned i = 0; i < 65; i++)
        sel[i] = (uint16_t)(i * 2);
    for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++) {
        struct colbuf c;
        struct colbuf taken;
        struct vec v;
        struct vec flat;

        colbuf_init(&c, types[t], NULL, &arena);
        colbuf_init(&taken, types[t], NULL, &arena);
        for (uint32_t i = 0; i < 10; i++) {
            struct datum d = some(types[t], i);
            assert_true(colbuf_append(&c, &d));
        }
        v = colbuf_vec(&c, 0, 10);
        v.form = VEC_DICT;
        v.codes = codes;
        v.dict_count = 10;
        v.count = 130;
        v.nulls = nulls;
        v.absent = nulls;
        assert_true(vec_flatten(&arena, &v, sel, 65, &flat));
        assert_true(colbuf_append_vec(&taken, &v, NULL, 3));
        assert_null(taken.nulls); /* none of the first three */
        assert_true(colbuf_append_vec(&taken, &v, sel, 65));
        assert_int_equal(taken.count, 68);
        for (uint32_t i = 0; i < 65; i++) {
            assert_same(vec_datum(&flat, i), vec_datum(&v, sel[i]));
            assert_same(colbuf_datum(&taken, i + 3), vec_datum(&v, sel[i]));
            assert_int_equal(vec_bit(flat.absent, i), sel[i] == 4);
            assert_int_equal(vec_bit(taken.absent, i + 3), sel[i] == 4);
        }
        colbuf_done(&c);
        colbuf_done(&taken);
    }
    arena_done(&arena);
}

static void test_colbuf_grows(void **state)
{
    struct arena arena;

    (void)state;
    for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++) {
        struct colbuf c;
        struct vec v;

        arena_init(&arena, NULL);
        colbuf_init(&c, types[t], NULL, &arena);
        for (uint32_t round = 0; round < 2; round++) {
            for (uint32_t i = 0; i < 3000; i++) {
                struct datum d = some(types[t], i);

                d.null = round == 0 && i > 1000 && i % 5 == 0;
                if (round == 0 && i % 7 == 6)
                    assert_true(colbuf_append_absent(&c));
                else
                    assert_true(colbuf_append(&c, &d));
            }
            assert_int_equal(c.count, 3000);
            for (uint32_t i = 0; i < 3000; i++) {
                struct datum want = some(types[t], i);
                bool absent = round == 0 && i % 7 == 6;

                want.null = absent || (round == 0 && i > 1000 && i % 5 == 0);
                assert_same(colbuf_datum(&c, i), want);
                assert_int_equal(vec_bit(c.absent, i), absent);
            }
            v = colbuf_vec(&c, 1024, 1024);
            assert_same(vec_datum(&v, 7), colbuf_datum(&c, 1031));
            colbuf_reset(&c);
            assert_null(c.nulls);
            assert_int_equal(c.count, 0);
        }
        colbuf_done(&c);
        arena_done(&arena);
    }
}

/* Strings are the buffer's own, also when the source goes away; shared ones are copied once. */
static void test_colbuf_owns_strings(void **state)
{
    struct arena arena;
    struct arena other;
    struct datum d = text("growth ring", 11);
    struct colbuf c;
    struct vec v;
    struct vstr first;
    struct vstr last;

    (void)state;
    arena_init(&arena, NULL);
    arena_init(&other, NULL);
    assert_true(datum_copy(&other, &d, &d));
    colbuf_init(&c, TYPE_VARCHAR, NULL, &arena);
    assert_true(vec_make_const(&other, &d, 1000, &v));
    assert_true(colbuf_append_vec(&c, &v, NULL, 1000));
    assert_true(colbuf_append(&c, &d));
    arena_done(&other);
    first = colbuf_datum(&c, 0).str;
    last = colbuf_datum(&c, 999).str;
    assert_ptr_equal(first.ptr, last.ptr);
    assert_memory_equal(first.ptr, "growth ring", 11);
    assert_memory_equal(colbuf_datum(&c, 1000).str.ptr, "growth ring", 11);
    colbuf_done(&c);
    arena_done(&arena);
}

/* Whatever allocation fails: false, the rows so far stay, nothing leaks. */
static void test_colbuf_out_of_memory(void **state)
{
    size_t before = mem_process_used();

    (void)state;
    for (uint64_t n = 1;; n++) {
        struct arena arena;
        struct colbuf c;
        bool good = true;
        bool hit;
        uint32_t i;

        arena_init(&arena, NULL);
        colbuf_init(&c, TYPE_VARCHAR, NULL, &arena);
        mem_fail_nth(n, false);
        for (i = 0; i < 150 && good; i++) {
            struct datum d = some(TYPE_VARCHAR, i);
            d.null = i % 10 == 9;
            good = i % 30 == 29 ? colbuf_append_absent(&c) : colbuf_append(&c, &d);
        }
        hit = mem_fail_hit();
        mem_fail_nth(0, false);
        assert_int_equal(good, !hit);
        assert_int_equal(c.count, good ? i : i - 1);
        for (uint32_t k = 0; k < c.count; k++) {
            struct datum want = some(TYPE_VARCHAR, k);
            want.null = k % 10 == 9;
            assert_same(colbuf_datum(&c, k), want);
        }
        colbuf_done(&c);
        arena_done(&arena);
        assert_int_equal(mem_process_used(), before);
        if (!hit)
            break;
    }
}

/* Bits that a failed append left behind do not show up in the row that comes there later. */
static void test_colbuf_failed_append(void **state)
{
    struct datum d = text("ash", 3);
    struct datum null = {.type = TYPE_VARCHAR, .null = true};
    struct arena arena;
    struct arena fresh; /* its first allocation needs the heap in every build */
    struct colbuf from;
    struct colbuf c;
    struct vec v;

    (void)state;
    arena_init(&arena, NULL);
    arena_init(&fresh, NULL);
    colbuf_init(&from, TYPE_VARCHAR, NULL, &arena);
    colbuf_init(&c, TYPE_VARCHAR, NULL, &fresh);
    assert_true(colbuf_append(&from, &null));
    assert_true(colbuf_append(&from, &d));
    assert_true(colbuf_append(&c, &null)); /* room and bitmap are there */
    v = colbuf_vec(&from, 0, 2);
    mem_fail_nth(1, false);
    assert_false(colbuf_append_vec(&c, &v, NULL, 2));
    mem_fail_nth(0, false);
    assert_int_equal(c.count, 1);
    assert_true(colbuf_append(&c, &d));
    assert_same(colbuf_datum(&c, 1), d);
    colbuf_done(&from);
    colbuf_done(&c);
    arena_done(&fresh);
    arena_done(&arena);
}

/* Every pair of types: what widens keeps value, order, form and NULLs. */
static void test_widen(void **state)
{
    static const int64_t values[] = {-32768, -1, 0, 7, 32767};
    uint16_t codes[] = {4, 0, 0, 2};
    uint64_t nulls = 2;
    struct arena arena;
    int pairs = 0;

    (void)state;
    arena_init(&arena, NULL);
    for (size_t a = 0; a < DN_ARRAY_SIZE(types); a++)
        for (size_t b = 0; b < DN_ARRAY_SIZE(types); b++) {
            uint8_t room[DN_ARRAY_SIZE(values) * 16];
            struct vec v = {.type = types[a], .count = DN_ARRAY_SIZE(values), .data = room};
            struct vec wide;

            if (!type_widens(types[a], types[b]))
                continue;
            assert_int_not_equal(types[a], types[b]);
            assert_false(type_widens(types[b], types[a]));
            pairs++;
            for (uint32_t i = 0; i < v.count; i++) {
                struct datum d = {.type = types[a], .v.i64 = values[i]};

                if (types[a] == TYPE_REAL)
                    d.v.f64 = (double)values[i];
                datum_store(&d, room, i);
            }
            for (int form = VEC_FLAT; form <= VEC_DICT; form++) {
                v.form = (enum vec_form)form;
                v.codes = form == VEC_DICT ? codes : NULL;
                v.dict_count = form == VEC_DICT ? DN_ARRAY_SIZE(values) : 0;
                v.count = form == VEC_DICT ? DN_ARRAY_SIZE(codes) : DN_ARRAY_SIZE(values);
                v.nulls = form == VEC_CONST ? NULL : &nulls;
                assert_true(vec_widen(&arena, &v, types[b], &wide));
                assert_int_equal(wide.form, form);
                assert_int_equal(wide.count, v.count);
                for (uint32_t i = 0; i < v.count; i++) {
                    struct datum was = vec_datum(&v, i);
                    struct datum now = vec_datum(&wide, i);
                    struct datum same = datum_widen(&was, types[b]);

                    assert_int_equal(now.type, types[b]);
                    assert_int_equal(now.null, was.null);
                    assert_int_equal(datum_cmp(&now, &same), 0);
                    if (!now.null && types[b] == TYPE_DOUBLE)
                        assert_true(now.v.f64 == (double)values[vec_at(&v, i)]);
                    else if (!now.null)
                        assert_int_equal(now.v.i64, values[vec_at(&v, i)]);
                }
            }
        }
    assert_int_equal(pairs, 7);
    arena_done(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_timetz),
        cmocka_unit_test(test_datum_order),
        cmocka_unit_test(test_const_and_copy),
        cmocka_unit_test(test_dict_and_selection),
        cmocka_unit_test(test_colbuf_grows),
        cmocka_unit_test(test_colbuf_owns_strings),
        cmocka_unit_test(test_colbuf_out_of_memory),
        cmocka_unit_test(test_colbuf_failed_append),
        cmocka_unit_test(test_widen),
    };

    return cmocka_run_group_tests_name("vec", tests, NULL, NULL);
}
