/* SPDX-License-Identifier: Apache-2.0
 *
 * test_normkey.c: memcmp of normalized keys is datum_cmp of the columns, on pairs of random
 * tuples, ascending and descending; reading back; bytes that are no key. */
#include "vec/normkey.h"

#include "vec/numeric.h"
#include "vec/wide.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
/* cmocka wants these above */
#include <cmocka.h>

#define TUPLE_MAX 3u
#define PAIRS     30000u

static const enum type_id types[] = {TYPE_BOOLEAN,
                                     TYPE_SMALLINT,
                                     TYPE_INTEGER,
                                     TYPE_BIGINT,
                                     TYPE_REAL,
                                     TYPE_DOUBLE,
                                     TYPE_VARCHAR,
                                     TYPE_BLOB,
                                     TYPE_TIMESTAMP,
                                     TYPE_TIMESTAMP_US,
                                     TYPE_TIMESTAMP_NS,
                                     TYPE_INTERVAL,
                                     TYPE_NUMERIC};

static uint64_t rng_state = 20240229;

static uint64_t rng(void)
{
    uint64_t z = rng_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double random_double(void)
{
    static const double corners[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     (double)INFINITY,
                                     -(double)INFINITY,
                                     (double)NAN,
                                     5e-324,
                                     -5e-324,
                                     0x1p63,
                                     1e300,
                                     -1e300};
    uint64_t bits = rng();
    double f;

    if (rng() % 2)
        return corners[rng() % DN_ARRAY_SIZE(corners)];
    memcpy(&f, &bits, sizeof f);
    return f;
}

static int64_t random_int(enum type_id type)
{
    unsigned bits = type == TYPE_BOOLEAN ? 1 : 8 * phys_size(type_phys(type));
    int64_t max = INT64_MAX >> (64 - bits);
    const int64_t corners[] = {0, 1, -1, max, -max - 1, 256, 255};

    if (type == TYPE_BOOLEAN)
        return (int64_t)(rng() % 2);
    if (rng() % 2)
        return corners[rng() % DN_ARRAY_SIZE(corners)];
    return (int64_t)(rng() << (64 - bits)) >> (64 - bits);
}

/* Short strings over few bytes, so that prefixes and equals are common. */
static struct vstr random_str(struct arena *arena)
{
    static const char alphabet[] = {0, 1, 'a', (char)0xfe, (char)0xff};
    uint32_t len = (uint32_t)(rng() % 5);
    char *p = arena_alloc(arena, len);

    assert_non_null(p);
    for (uint32_t i = 0; i < len; i++)
        p[i] = alphabet[rng() % sizeof alphabet];
    return (struct vstr){p, len};
}

/* Few lengths, in many looks. */
static struct vinterval random_interval(void)
{
    static const int64_t us[] = {0, 1, -1, 86400000000, -86400000000, INT64_MAX, INT64_MIN};
    static const int32_t days[] = {0, 1, -1, 30, -30, 29, INT32_MAX, INT32_MIN};
    static const int32_t months[] = {0, 1, -1, 12, INT32_MAX, INT32_MIN};

    return (struct vinterval){.us = us[rng() % DN_ARRAY_SIZE(us)],
                              .days = days[rng() % DN_ARRAY_SIZE(days)],
                              .months = months[rng() % DN_ARRAY_SIZE(months)]};
}

/* Of all sizes and scales; equal ones in several scales. */
static struct vnumeric random_numeric(void)
{
    vnumeric_u128 coef = rng() % 5;
    int scale = (int)(rng() % 4);

    if (rng() % 8 == 0)
        return rng() % 2 ? vnumeric_nan() : vnumeric_inf(rng() % 2);
    if (rng() % 4 == 0)
        coef = vnumeric_pow10((unsigned)(rng() % 38)) + rng() % 2;
    if (rng() % 8 == 0)
        coef = vnumeric_pow10(VNUMERIC_DIGITS) - 1 - rng() % 3;
    if (rng() % 8 == 0)
        scale = (int)(rng() % (VNUMERIC_SCALE_MAX + 1));
    return vnumeric_make(rng() % 2 ? (vnumeric_i128)coef : -(vnumeric_i128)coef, scale);
}

static struct datum random_datum(struct arena *arena, enum type_id type)
{
    struct datum d = {.type = type, .str = {"", 0}};

    if (type_is_string(type))
        d.str = random_str(arena);
    else if (type == TYPE_INTERVAL)
        d.iv = random_interval();
    else if (type == TYPE_NUMERIC)
        d.num = random_numeric();
    else if (type == TYPE_REAL)
        d.v.f64 = (double)(float)random_double();
    else if (type == TYPE_DOUBLE)
        d.v.f64 = random_double();
    else
        d.v.i64 = random_int(type);
    return d;
}

static int sign(int c)
{
    return (c > 0) - (c < 0);
}

static int bytes_cmp(const struct buf *a, const struct buf *b)
{
    size_t n = a->len < b->len ? a->len : b->len;
    int c = memcmp(a->data, b->data, n);

    return c ? c : (a->len > b->len) - (a->len < b->len);
}

static void read_back(
    const struct buf *b, const struct datum *cols, const bool *desc, size_t n, struct arena *arena)
{
    struct rd r = rd_make(b->data, b->len);
    struct dn_err err = {0};
    struct datum d;

    for (size_t i = 0; i < n; i++) {
        if (type_is_wide(cols[i].type)) { /* not read back: what it looks like is not in it */
            assert_int_equal(normkey_read(&r, cols[i].type, desc[i], arena, &d, &err),
                             DN_E_CORRUPT);
            return;
        }
        assert_int_equal(normkey_read(&r, cols[i].type, desc[i], arena, &d, &err), 0);
        assert_int_equal(d.type, cols[i].type);
        assert_int_equal(datum_cmp(&d, &cols[i]), 0);
    }
    assert_int_equal(rd_left(&r), 0);
}

static void test_order(void **state)
{
    uint64_t equal = 0;
    struct buf ka;
    struct buf kb;

    (void)state;
    buf_init(&ka, NULL);
    buf_init(&kb, NULL);
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        struct datum a[TUPLE_MAX];
        struct datum b[TUPLE_MAX];
        bool desc[TUPLE_MAX];
        size_t n = rng() % TUPLE_MAX + 1;
        struct arena arena;
        int want = 0;

        arena_init(&arena, NULL);
        buf_reset(&ka);
        buf_reset(&kb);
        for (size_t i = 0; i < n; i++) {
            enum type_id type = types[rng() % DN_ARRAY_SIZE(types)];

            desc[i] = rng() % 2;
            a[i] = random_datum(&arena, type);
            b[i] = rng() % 3 ? random_datum(&arena, type) : a[i];
            normkey_append(&ka, &a[i], desc[i]);
            normkey_append(&kb, &b[i], desc[i]);
            if (want == 0)
                want = desc[i] ? -datum_cmp(&a[i], &b[i]) : datum_cmp(&a[i], &b[i]);
        }
        assert_false(ka.failed || kb.failed);
        if (sign(bytes_cmp(&ka, &kb)) != sign(want))
            fail_msg("pair %u: %d by bytes, %d by value", pair, bytes_cmp(&ka, &kb), want);
        equal += want == 0;
        read_back(&ka, a, desc, n, &arena);
        arena_done(&arena);
    }
    assert_true(equal > PAIRS / 20);
    buf_done(&ka);
    buf_done(&kb);
}

static void test_bytes(void **state)
{
    struct datum i = {.type = TYPE_INTEGER, .v.i64 = -2};
    struct datum s = {.type = TYPE_VARCHAR, .str = {"a\0b", 3}};
    struct datum f = {.type = TYPE_DOUBLE, .v.f64 = -0.0};
    struct datum r = {.type = TYPE_REAL, .v.f64 = -1};
    struct datum t = {.type = TYPE_BOOLEAN, .v.i64 = 1};
    struct buf b;

    (void)state;
    buf_init(&b, NULL);
    normkey_append(&b, &i, false);
    normkey_append(&b, &s, false);
    normkey_append(&b, &f, false);
    normkey_append(&b, &r, false);
    normkey_append(&b, &t, false);
    assert_int_equal(b.len, 8 + 6 + 8 + 4 + 1);
    assert_memory_equal(b.data,
                        "\x7f\xff\xff\xff\xff\xff\xff\xfe"
                        "a\x00\xff"
                        "b\x00\x00"
                        "\x80\x00\x00\x00\x00\x00\x00\x00"
                        "\x40\x7f\xff\xff"
                        "\x01",
                        b.len);
    buf_reset(&b);
    normkey_append(&b, &s, true);
    assert_memory_equal(b.data, "\x9e\xff\x00\x9d\xff\xff", 6);
    buf_done(&b);
}

/* A row of a vector of any form gives the bytes of its datum. */
static void test_vec_rows(void **state)
{
    uint16_t codes[20];
    struct arena arena;
    struct buf a;
    struct buf b;

    (void)state;
    arena_init(&arena, NULL);
    buf_init(&a, NULL);
    buf_init(&b, NULL);
    for (unsigned i = 0; i < 20; i++)
        codes[i] = (uint16_t)(i * 3 % 8);
    for (size_t t = 0; t < DN_ARRAY_SIZE(types); t++) {
        struct colbuf c;

        colbuf_init(&c, types[t], NULL, &arena);
        for (unsigned i = 0; i < 20; i++) {
            struct datum d = random_datum(&arena, types[t]);
            assert_true(colbuf_append(&c, &d));
        }
        for (int form = VEC_FLAT; form <= VEC_DICT; form++) {
            struct vec v = colbuf_vec(&c, 0, 20);

            v.form = (enum vec_form)form;
            v.codes = codes;
            v.dict_count = 20;
            for (uint32_t row = 0; row < 20; row++) {
                struct datum d = vec_datum(&v, row);

                buf_reset(&a);
                buf_reset(&b);
                normkey_append(&a, &d, row % 2);
                normkey_append_vec(&b, &v, row, row % 2);
                assert_int_equal(bytes_cmp(&a, &b), 0);
            }
        }
        colbuf_done(&c);
    }
    buf_done(&a);
    buf_done(&b);
    arena_done(&arena);
}

/* What a key column stores of values that are equal is the same to the bit, and equal to them. */
static void test_key_form(void **state)
{
    static const struct type_mods none = {.count = 0};
    struct datum big = {.type = TYPE_INTERVAL, .iv = {.days = INT32_MAX, .months = INT32_MAX}};
    struct datum null = {.type = TYPE_INTERVAL, .null = true, .iv = big.iv};
    unsigned equal = 0;

    (void)state;
    for (unsigned pair = 0; pair < PAIRS; pair++) {
        enum type_id type = pair % 2 ? TYPE_INTERVAL : TYPE_NUMERIC;
        struct datum a = random_datum(NULL, type);
        struct datum b = random_datum(NULL, type);
        struct datum ka = a;
        struct datum kb = b;

        if (!datum_key_form(&none, &ka) || !datum_key_form(&none, &kb)) {
            assert_int_equal(type, TYPE_INTERVAL);
            continue;
        }
        assert_int_equal(datum_cmp(&a, &ka), 0);
        if (datum_cmp(&a, &b) == 0) {
            assert_memory_equal(&ka.iv, &kb.iv, phys_size(type_phys(type)));
            equal++;
        }
    }
    assert_true(equal > PAIRS / 100);
    assert_false(datum_key_form(&none, &big));
    assert_true(datum_key_form(&none, &null));
}

/* Prefixes are errors; random bytes are errors or values; nothing is read beyond the end. */
static void test_untrusted(void **state)
{
    struct arena arena;
    struct buf b;

    (void)state;
    buf_init(&b, NULL);
    for (unsigned round = 0; round < 3000; round++) {
        enum type_id type = types[rng() % DN_ARRAY_SIZE(types)];
        bool desc = rng() % 2;
        struct dn_err err = {0};
        struct datum d;
        uint8_t *exact;
        struct rd r;
        size_t n;
        int rc;

        arena_init(&arena, NULL);
        buf_reset(&b);
        d = random_datum(&arena, type);
        normkey_append(&b, &d, desc);
        n = rng() % b.len;
        exact = mem_dup(NULL, b.data, n);
        r = rd_make(exact, n);
        assert_int_equal(normkey_read(&r, type, desc, &arena, &d, &err), DN_E_CORRUPT);
        for (size_t i = 0; i < n; i++)
            exact[i] = (uint8_t)(rng() % 3 ? rng() : rng() % 2 * 255);
        r = rd_make(exact, n);
        rc = normkey_read(&r, type, desc, &arena, &d, &err);
        assert_true(rc == 0 || rc == DN_E_CORRUPT);
        assert_true(r.p <= r.end);
        mem_free(exact);
        arena_done(&arena);
    }
    buf_done(&b);
}

static void test_out_of_range(void **state)
{
    struct datum big = {.type = TYPE_BIGINT, .v.i64 = 40000};
    struct dn_err err = {0};
    struct datum d;
    struct buf b;
    struct rd r;

    (void)state;
    buf_init(&b, NULL);
    normkey_append(&b, &big, false);
    r = rd_make(b.data, b.len);
    assert_int_equal(normkey_read(&r, TYPE_SMALLINT, false, NULL, &d, &err), DN_E_CORRUPT);
    r = rd_make("\x02", 1);
    assert_int_equal(normkey_read(&r, TYPE_BOOLEAN, false, NULL, &d, &err), DN_E_CORRUPT);
    r = rd_make("a\x00\x05", 3);
    assert_int_equal(normkey_read(&r, TYPE_VARCHAR, false, NULL, &d, &err), DN_E_CORRUPT);
    assert_non_null(strstr(err.text, "escape"));
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_vec_rows),
        cmocka_unit_test(test_key_form),
        cmocka_unit_test(test_untrusted),
        cmocka_unit_test(test_out_of_range),
    };

    return cmocka_run_group_tests_name("normkey", tests, NULL, NULL);
}
