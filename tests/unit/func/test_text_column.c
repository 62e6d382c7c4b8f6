/* SPDX-License-Identifier: Apache-2.0
 *
 * Columns on their way out (func/text_column.h) against the printers of single values, over random
 * vectors of every type and form, formats, frames and settings of a session; and those printers
 * against printf. A round is made of one seed, which is printed when it fails: test_text_column
 * SEED runs that round alone. */
#include "build.h"

#include "base/civil.h"
#include "func/text_column.h"
#include "func/text_put.h"
#include "func/text_shortest.h"
#include "func/text_wire.h"
#include "vec/array.h"
#include "vec/numeric.h"
#include "vec/timetz.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define BUDGET_SECONDS 2

#define ARRAY(elem) ((enum type_id)(TYPE_ARRAY | (int)(elem)))

static const enum type_id types[] = {
    TYPE_BOOLEAN,      TYPE_SMALLINT,        TYPE_INTEGER, TYPE_BIGINT,    TYPE_REAL,
    TYPE_DOUBLE,       TYPE_VARCHAR,         TYPE_BLOB,    TYPE_TIMESTAMP, TYPE_TIMESTAMP_US,
    TYPE_TIMESTAMP_NS, TYPE_INTERVAL,        TYPE_DATE,    TYPE_TIME,      TYPE_TIMESTAMPTZ,
    TYPE_UUID,         TYPE_NUMERIC,         TYPE_BPCHAR,  TYPE_TIMETZ,    TYPE_BIT,
    TYPE_VARBIT,       TYPE_TIMESTAMP_LOCAL, TYPE_OID,     TYPE_NAME,
};

static uint64_t seed;
static uint64_t round_now; /* the seed of the round at hand, for messages */
static struct arena arena;

static uint64_t next_random(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (seed * 0x2545f4914f6cdd1du >> 11) % below;
}

static uint64_t random_bits(void)
{
    return next_random((uint64_t)1 << 32) << 32 | next_random((uint64_t)1 << 32);
}

/* Of every size, edges among them. */
static int64_t random_i64(void)
{
    static const int64_t edges[] = {
        INT64_MIN, INT64_MAX, INT64_MIN + 1, INT64_MAX - 1, 0, -1, 9, 10, 99, 100, -1000};

    if (next_random(10) == 0)
        return edges[next_random(DN_ARRAY_SIZE(edges))];
    return (int64_t)random_bits() >> next_random(64);
}

/* Mostly of our days, so that neighbours share a date; edges of days and of the calendar too. */
static int64_t random_time(enum type_id type)
{
    int64_t per = type_ts_per_second(type);

    switch (next_random(6)) {
    case 0:
        return random_i64();
    case 1:
        return ((int64_t)next_random(40000) - 20000) * CIVIL_DAY_SECONDS * per -
               (int64_t)next_random(3) + 1;
    case 2:
        return ((int64_t)next_random(6000) - 3000) * 366 * CIVIL_DAY_SECONDS *
               (per > 1000000 ? 1 : per);
    default:
        return (1711846800 + (int64_t)next_random(200000) - 100000) * per +
               (next_random(2) ? (int64_t)next_random((uint64_t)per) : 0);
    }
}

static double random_f64(void)
{
    static const double edges[] = {0,
                                   -0.0,
                                   (double)NAN,
                                   (double)INFINITY,
                                   -(double)INFINITY,
                                   1e15,
                                   999999999999999,
                                   1e-5,
                                   5e-324,
                                   0.1};
    uint64_t bits = random_bits();
    double v;

    switch (next_random(4)) {
    case 0:
        return edges[next_random(DN_ARRAY_SIZE(edges))];
    case 1:
        memcpy(&v, &bits, sizeof v);
        return v;
    case 2:
        return (double)random_i64();
    default:
        return (double)(int64_t)(next_random(2000000) - 1000000) /
               (double[]){1, 10, 100, 1000, 10000}[next_random(5)];
    }
}

static struct vstr random_text(const char *from, uint32_t letters, uint32_t len)
{
    char *to = arena_alloc(&arena, len + 1u);

    assert_non_null(to);
    for (uint32_t i = 0; i < len; i++)
        to[i] = from[next_random(letters)];
    return (struct vstr){to, len};
}

static struct vstr random_array(enum type_id elem)
{
    struct datum items[3];
    struct varray a = {.elem = elem, .dims = 1, .count = 3, .items = items};
    struct buf b;
    struct vstr s;

    a.len[0] = 3;
    a.low[0] = 1;
    for (int i = 0; i < 3; i++)
        items[i] = next_random(4) == 0   ? build_null(elem)
                   : elem == TYPE_BIGINT ? build_int(elem, random_i64())
                                         : build_str("a \"b\"");
    buf_init(&b, NULL);
    varray_write(&a, NULL, &b);
    assert_false(b.failed);
    s = (struct vstr){arena_dup(&arena, b.data, b.len), (uint32_t)b.len};
    buf_done(&b);
    return s;
}

static struct datum random_datum(enum type_id type)
{
    struct datum d = {.type = type, .str = {"", 0}};

    if (type_is_array(type))
        d.str = random_array(type_element(type));
    else if (type == TYPE_UUID)
        d.str = random_text("\0\1\xff"
                            "az",
                            5,
                            16);
    else if (type_is_bits(type))
        d.str = random_text("01", 2, (uint32_t)next_random(20));
    else if (type == TYPE_BLOB)
        d.str = random_text("\0\\'az\xff\x7f", 7, (uint32_t)next_random(next_random(9) ? 20 : 900));
    else if (type_is_string(type))
        d.str = random_text("abc,\t\"\\ \n", 9, (uint32_t)next_random(next_random(9) ? 20 : 900));
    else if (type == TYPE_NUMERIC)
        d.num = vnumeric_make(random_i64(), (int)next_random(12));
    else if (type == TYPE_INTERVAL)
        d.iv = (struct vinterval){.us = random_i64() / 1000,
                                  .days = (int32_t)random_i64() / 4,
                                  .months = (int32_t)next_random(90)};
    else if (type_is_float(type))
        d.v.f64 = type == TYPE_REAL ? (double)(float)random_f64() : random_f64();
    else if (type_is_timestamp(type) || type == TYPE_TIMESTAMPTZ || type == TYPE_TIMESTAMP_LOCAL)
        d.v.i64 = random_time(type);
    else if (type == TYPE_TIME)
        d.v.i64 = (int64_t)next_random((uint64_t)86400 * 1000000 + 1);
    else if (type == TYPE_TIMETZ)
        d.v.i64 = timetz_make((int64_t)next_random((uint64_t)86400 * 1000000),
                              (int32_t)next_random(86400) - 43200);
    else if (type == TYPE_OID)
        d.v.i64 = (int64_t)next_random((uint64_t)1 << 32);
    else
        d.v.i64 = type == TYPE_BOOLEAN                        ? (int64_t)next_random(2)
                  : type == TYPE_SMALLINT                     ? (int16_t)random_i64()
                  : type == TYPE_INTEGER || type == TYPE_DATE ? (int32_t)random_i64()
                                                              : random_i64();
    return d;
}

static struct vec random_vec(enum type_id type, uint32_t count)
{
    struct datum values[VEC_ROWS_MAX];
    uint32_t different = next_random(2) ? count : 1 + (uint32_t)next_random(5);
    bool nulls = next_random(2);
    struct vec v;

    for (uint32_t i = 0; i < count; i++) {
        values[i] = i < different ? random_datum(type) : values[next_random(different)];
        if (nulls && next_random(5) == 0)
            values[i].null = true;
    }
    switch (next_random(3)) {
    case 0:
        return build_dict(type, values, count);
    case 1:
        v = build_vec(type, values, 1);
        v.form = VEC_CONST;
        v.count = count;
        return v;
    default:
        return build_vec(type, values, count);
    }
}

/* ---- what must come out ---- */

struct want {
    struct text_column_how how;
    uint32_t calls;
};

static bool is_bare(const struct datum *d)
{
    return d->type == TYPE_BOOLEAN || d->type == TYPE_SMALLINT || d->type == TYPE_INTEGER ||
           (d->type == TYPE_BIGINT && d->v.i64 >> 53 == d->v.i64 >> 63 &&
            d->v.i64 != -(INT64_C(1) << 53)) ||
           (type_is_float(d->type) && isfinite(d->v.f64));
}

/* One value, as the printers of values have it. */
static void want_cell(void *arg, const struct datum *d, struct buf *b)
{
    struct want *w = arg;
    bool quotes = w->how.frame == TEXT_FRAME_QUOTES && !is_bare(d);
    size_t at = b->len;

    w->calls++;
    if (w->how.frame == TEXT_FRAME_LENGTH)
        buf_be32(b, 0);
    if (quotes)
        buf_u8(b, '"');
    if (w->how.binary)
        text_wire_put(d, &arena, b);
    else
        text_print_as(w->how.session, w->how.style, d, b);
    if (quotes)
        buf_u8(b, '"');
    if (w->how.frame == TEXT_FRAME_LENGTH)
        be_put32(b->data + at, (uint32_t)(b->len - at - 4));
    assert_false(b->failed);
}

static void check_column(struct text_column *c, const struct want *w, const struct vec *v)
{
    struct buf want, got;
    struct want one = *w;
    uint32_t rows = next_random(2) ? v->count : 1 + (uint32_t)next_random(v->count);

    buf_init(&want, NULL);
    buf_init(&got, NULL);
    text_column_begin(c, &w->how);
    text_column_set(c, v, rows);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = next_random(4) ? i : (uint32_t)next_random(v->count);
        struct datum d = vec_datum(v, row);

        buf_reset(&want);
        buf_reset(&got);
        if (!d.null)
            want_cell(&one, &d, &want);
        else if (w->how.frame == TEXT_FRAME_LENGTH)
            buf_be32(&want, UINT32_MAX);
        else
            buf_append(&want, w->how.null_text.ptr, w->how.null_text.len);
        text_column_put(c, row, &got);
        assert_false(got.failed);
        if (want.len != got.len || (want.len && memcmp(want.data, got.data, want.len) != 0))
            fail_msg(
                "type %s, form %d, style %d, binary %d, frame %d, row %u: \"%.*s\" is not \"%.*s\"",
                type_word(v->type),
                (int)v->form,
                (int)w->how.style,
                w->how.binary,
                (int)w->how.frame,
                row,
                (int)got.len,
                (char *)got.data,
                (int)want.len,
                (char *)want.data);
    }
    buf_done(&want);
    buf_done(&got);
}

static void check_round(void)
{
    static const char *const zones[] = {
        "UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "<-0330>3:30", "<+05>-5:00:07"};
    struct func_session session = {.date_style =
                                       next_random(4) ? DATE_AS_ISO : (enum date_as)next_random(4),
                                   .interval_style = (enum interval_style)next_random(4),
                                   .date_first = (enum date_first)next_random(3),
                                   .float_less = next_random(4) ? 0 : 1 + (int)next_random(5),
                                   .bytes_escaped = next_random(2)};
    struct text_column column = {.kind = 0};
    struct tz_zone zone;
    const char *name = zones[next_random(DN_ARRAY_SIZE(zones))];

    assert_true(tz_posix((struct vstr){name, (uint32_t)strlen(name)}, &zone));
    session.zone = next_random(3) ? &zone : NULL;
    for (int i = 0; i < 8; i++) { /* one column after the other: memory is used again */
        enum type_id type = next_random(10) == 0
                                ? next_random(2) ? ARRAY(TYPE_BIGINT) : ARRAY(TYPE_VARCHAR)
                                : types[next_random(DN_ARRAY_SIZE(types))];
        uint32_t count = 1 + (uint32_t)next_random(next_random(3) ? 60 : VEC_ROWS_MAX);
        struct vec v = random_vec(type, count);
        struct want w = {.how = {.session = next_random(5) ? &session : NULL,
                                 .style = (enum text_style)next_random(3),
                                 .binary = next_random(3) == 0,
                                 .bytes = next_random(2),
                                 .frame = (enum text_frame)next_random(3),
                                 .null_text = {"\\N", next_random(2) ? 2 : 0},
                                 .cell = want_cell}};

        if (w.how.frame == TEXT_FRAME_QUOTES)
            w.how.bytes = w.how.binary = false;
        w.how.arg = &w;
        check_column(&column, &w, &v);
        arena_reset(&arena);
    }
    text_column_done(&column);
}

static const char *only_seed;

static void columns_are_their_values(void **state)
{
    time_t end = time(NULL) + BUDGET_SECONDS;
    uint64_t round = only_seed ? strtoull(only_seed, NULL, 10) : (uint64_t)time(NULL);

    (void)state;
    arena_init(&arena, NULL);
    build_init(&arena);
    do {
        seed = round * 0x9e3779b97f4a7c15u | 1;
        round_now = round;
        check_round();
        round++;
    } while (!only_seed && time(NULL) < end);
    arena_done(&arena);
}

/* The caller is asked once for a constant, and for nothing that is printed here. */
static void the_same_is_printed_once(void **state)
{
    struct text_column c = {.kind = 0};
    struct want w = {.how = {.frame = TEXT_FRAME_LENGTH, .style = TEXT_WIRE, .cell = want_cell}};
    struct datum d = {.type = TYPE_NUMERIC, .num = vnumeric_make(12345, 2)};
    struct vec v;
    struct buf b;

    (void)state;
    arena_init(&arena, NULL);
    build_init(&arena);
    buf_init(&b, NULL);
    w.how.arg = &w;
    text_column_begin(&c, &w.how);
    v = build_vec(TYPE_NUMERIC, &d, 1);
    v.form = VEC_CONST;
    v.count = 100;
    text_column_set(&c, &v, 100);
    for (uint32_t i = 0; i < 100; i++)
        text_column_put(&c, i, &b);
    assert_int_equal(w.calls, 1);
    assert_int_equal(b.len, 100 * (4 + strlen("123.45")));
    d = build_int(TYPE_TIMESTAMP, 1711846800000);
    v = build_vec(TYPE_TIMESTAMP, &d, 1);
    text_column_set(&c, &v, 1);
    text_column_put(&c, 0, &b);
    assert_int_equal(w.calls, 1);
    buf_done(&b);
    text_column_done(&c);
    arena_done(&arena);
}

/* ---- against printf ---- */

static void check_put(const char *want, const char *text, const char *end)
{
    if (strlen(want) != (size_t)(end - text) || memcmp(want, text, strlen(want)) != 0)
        fail_msg("\"%.*s\" is not \"%s\"", (int)(end - text), text, want);
}

static void digits_are_those_of_printf(void **state)
{
    char text[TEXT_PUT_MAX];
    char want[TEXT_PUT_MAX];

    (void)state;
    seed = (uint64_t)time(NULL) | 1;
    for (int i = 0; i < 200000; i++) {
        int64_t v = random_i64();
        unsigned width = (unsigned)next_random(21);
        uint32_t clock = (uint32_t)next_random(86401);
        struct civil day = civil_from_days(v >> 20);
        int32_t offset = (int32_t)next_random(2 * 86399) - 86399;
        uint32_t ahead = (uint32_t)abs(offset);
        uint32_t part = (uint32_t)next_random(1000000000);
        int n;

        snprintf(want, sizeof want, "%" PRId64, v);
        check_put(want, text, text_put_i64(text, v));
        snprintf(want, sizeof want, "%0*" PRIu64, (int)width, (uint64_t)v);
        check_put(want, text, text_put_padded(text, (uint64_t)v, width));
        snprintf(want, sizeof want, "%02u:%02u:%02u", clock / 3600, clock / 60 % 60, clock % 60);
        check_put(want, text, text_put_seconds(text, clock));
        snprintf(want,
                 sizeof want,
                 "%04" PRId64 "-%02d-%02d",
                 day.year > 0 ? day.year : 1 - day.year,
                 day.month,
                 day.day);
        check_put(want, text, text_put_day(text, v >> 20));
        n = snprintf(want, sizeof want, "%c%02u", offset < 0 ? '-' : '+', ahead / 3600);
        if (ahead % 3600)
            n += snprintf(want + n, sizeof want - (size_t)n, ":%02u", ahead / 60 % 60);
        if (ahead % 60)
            snprintf(want + n, sizeof want - (size_t)n, ":%02u", ahead % 60);
        check_put(want, text, text_put_offset(text, offset));
        part /= (uint32_t[]){1, 1000, 1000000, 1000000000}[next_random(4)];
        snprintf(want, sizeof want, ".%09u", part);
        for (n = (int)strlen(want); n > 1 && want[n - 1] == '0'; n--)
            want[n - 1] = 0;
        check_put(part ? want : "", text, text_put_fraction(text, part, 9));
    }
}

/* The shortest digits are those with which printf, asked for more and more of them, first gives a
 * number that reads back as the same one. */
static void doubles_are_those_of_printf(void **state)
{
    (void)state;
    seed = (uint64_t)time(NULL) | 1;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = random_bits() >> 1;
        double v = next_random(2) ? fabs(random_f64())
                                  : (double)next_random(1000000) / (double)(1 + next_random(9999));
        char want[40], text[TEXT_PUT_MAX];
        uint64_t digits;
        int exp10;

        if (next_random(4) == 0)
            memcpy(&v, &bits, sizeof v);
        if (!isfinite(v) || v == 0 || !text_shortest(v, &digits, &exp10))
            continue;
        for (int p = 14; p <= 16; p++) {
            snprintf(want, sizeof want, "%.*e", p, v);
            if (strtod(want, NULL) == v)
                break;
        }
        for (; digits % 10 == 0; exp10++)
            digits /= 10;
        snprintf(text, sizeof text, "%" PRIu64 "e%d", digits, exp10);
        if (strtod(text, NULL) != v)
            fail_msg("%s is not %s", text, want);
        *strchr(want, 'e') = 0;
        memmove(want + 1, want + 2, strlen(want + 1)); /* the point goes */
        for (size_t n = strlen(want); n > 1 && want[n - 1] == '0'; n--)
            want[n - 1] = 0;
        *strchr(text, 'e') = 0;
        assert_string_equal(text, want);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_their_values),
        cmocka_unit_test(the_same_is_printed_once),
        cmocka_unit_test(digits_are_those_of_printf),
        cmocka_unit_test(doubles_are_those_of_printf),
    };

    only_seed = argc > 1 ? argv[1] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
