/* SPDX-License-Identifier: Apache-2.0
 *
 * func_compare.c: = <> < <= > >= for every type. Both sides have one type: the binder casts.
 * Strings compare by bytes. NaN equals NaN and is greater than every number, so sorting, grouping
 * and comparing agree. */
#include "func/func_int.h"
#include "func/num_even.h"
#include "vec/numeric.h"

#include <string.h>

enum compare_op {
    COMPARE_OP_EQ,
    COMPARE_OP_NE,
    COMPARE_OP_LT,
    COMPARE_OP_LE,
    COMPARE_OP_GT,
    COMPARE_OP_GE,
};

static inline bool func_str_eq(struct vstr a, struct vstr b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

#define COMPARE_T        int8_t
#define COMPARE_SUFFIX   i8
#define COMPARE_EQ(x, y) ((x) == (y))
#define COMPARE_LT(x, y) ((x) < (y))
#include "func/compare_tmpl.h"

#define COMPARE_T      int16_t
#define COMPARE_SUFFIX i16
#define COMPARE_WIDE
#define COMPARE_EQ(x, y) ((x) == (y))
#define COMPARE_LT(x, y) ((x) < (y))
#include "func/compare_tmpl.h"

#define COMPARE_T      int32_t
#define COMPARE_SUFFIX i32
#define COMPARE_WIDE
#define COMPARE_EQ(x, y) ((x) == (y))
#define COMPARE_LT(x, y) ((x) < (y))
#include "func/compare_tmpl.h"

#define COMPARE_T      int64_t
#define COMPARE_SUFFIX i64
#define COMPARE_WIDE
#define COMPARE_EQ(x, y) ((x) == (y))
#define COMPARE_LT(x, y) ((x) < (y))
#include "func/compare_tmpl.h"

#define COMPARE_T      float
#define COMPARE_SUFFIX f32
#define COMPARE_WIDE
#define COMPARE_EQ(x, y) (((x) == (y)) | (((x) != (x)) & ((y) != (y))))
#define COMPARE_LT(x, y) (((x) < (y)) | (((y) != (y)) & ((x) == (x))))
#include "func/compare_tmpl.h"

#define COMPARE_T      double
#define COMPARE_SUFFIX f64
#define COMPARE_WIDE
#define COMPARE_EQ(x, y) (((x) == (y)) | (((x) != (x)) & ((y) != (y))))
#define COMPARE_LT(x, y) (((x) < (y)) | (((y) != (y)) & ((x) == (x))))
#include "func/compare_tmpl.h"

#define COMPARE_T        struct vstr
#define COMPARE_SUFFIX   str
#define COMPARE_EQ(x, y) func_str_eq(x, y)
#define COMPARE_LT(x, y) (vstr_cmp(x, y) < 0)
#include "func/compare_tmpl.h"

/* One row per operator; lo < hi are two literals of the type. */
#define COMPARE_T        struct vinterval
#define COMPARE_SUFFIX   iv
#define COMPARE_EQ(x, y) (vinterval_cmp(x, y) == 0)
#define COMPARE_LT(x, y) (vinterval_cmp(x, y) < 0)
#include "func/compare_tmpl.h"

static inline bool compare_i64(enum compare_op op, int64_t x, int64_t y)
{
    switch (op) {
    case COMPARE_OP_EQ:
        return x == y;
    case COMPARE_OP_NE:
        return x != y;
    case COMPARE_OP_LT:
        return x < y;
    case COMPARE_OP_LE:
        return x <= y;
    case COMPARE_OP_GT:
        return x > y;
    case COMPARE_OP_GE:
        return x >= y;
    }
    return false;
}

/* Numbers that are alike, by their coefficients; false: they are not. */
static inline __attribute__((always_inline)) bool compare_even(enum compare_op op,
                                                               const struct vnumeric *a,
                                                               const struct vnumeric *b,
                                                               bool b_const,
                                                               const uint64_t *skip,
                                                               uint32_t count,
                                                               int8_t *restrict to)
{
    uint32_t first = num_even_first(skip, count);
    uint64_t look = count ? num_even_look(&a[first]) : 0;
    uint64_t bad = 0;
    int64_t one = 0;

    if (count == 0)
        return true;
    if (a[first].special || (b_const && !num_even_at_scale(b, a[first].scale, &one)))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t odd = num_even_odd(&a[i], look) | (b_const ? 0 : num_even_odd(&b[i], look));

        bad |= skip && vec_bit(skip, i) ? 0 : odd;
        to[i] = compare_i64(op, (int64_t)a[i].lo, b_const ? one : (int64_t)b[i].lo);
    }
    return bad == 0;
}

#define COMPARE_T        struct vnumeric
#define COMPARE_SUFFIX   num
#define COMPARE_EQ(x, y) (vnumeric_cmp(x, y) == 0)
#define COMPARE_LT(x, y) (vnumeric_cmp(x, y) < 0)
#define COMPARE_TRY(op, a, b, b_const, skip, count, to) \
    compare_even(op, a, b, b_const, skip, count, to)
#include "func/compare_tmpl.h"

#define COMPARE1(op, t, fn, text, sample)                                                  \
    {                                                                                      \
        .name = op, .args = {TYPE_##t, TYPE_##t}, .args_count = 2, .result = TYPE_BOOLEAN, \
        .flags = FUNC_STRICT | FUNC_OPERATOR | FUNC_QUICK, .kernel = fn, .doc = text,      \
        .example = sample                                                                  \
    }
#define COMPARE6(t, suffix, lo, hi)                                                                \
    COMPARE1("=", t, func_eq_##suffix, "Equal.", lo " = " hi " = false"),                          \
        COMPARE1("<>", t, func_ne_##suffix, "Not equal; != is the same.", lo " <> " hi " = true"), \
        COMPARE1("<", t, func_lt_##suffix, "Less.", lo " < " hi " = true"),                        \
        COMPARE1("<=", t, func_le_##suffix, "Less or equal.", hi " <= " hi " = true"),             \
        COMPARE1(">", t, func_gt_##suffix, "Greater.", lo " > " hi " = false"),                    \
        COMPARE1(">=", t, func_ge_##suffix, "Greater or equal.", lo " >= " hi " = false")

static const struct func func_compare_rows[] = {
    COMPARE6(VARCHAR, str, "'a'", "'b'"),
    COMPARE6(BIGINT, i64, "1", "2"),
    COMPARE6(INTEGER, i32, "1", "2"),
    COMPARE6(SMALLINT, i16, "1", "2"),
    COMPARE6(DOUBLE, f64, "0.5", "2"),
    COMPARE6(REAL, f32, "0.5", "2"),
    COMPARE6(TIMESTAMP, i64, "TIMESTAMP '2015-06-01'", "TIMESTAMP '2015-06-02'"),
    COMPARE6(TIMESTAMP_US, i64, "TIMESTAMP(6) '2015-06-01'", "TIMESTAMP(6) '2015-06-02'"),
    COMPARE6(TIMESTAMP_NS, i64, "TIMESTAMP(9) '2015-06-01'", "TIMESTAMP(9) '2015-06-02'"),
    COMPARE6(BOOLEAN, i8, "false", "true"),
    COMPARE6(INTERVAL, iv, "INTERVAL '23:00'", "INTERVAL '1 day'"),
    COMPARE6(BPCHAR, str, "CHAR 'a'", "CHAR 'b'"),
    COMPARE6(NAME, str, "NAME 'a'", "NAME 'b'"),
    COMPARE6(BLOB, str, "0x00ff", "0x01"),
    COMPARE6(NUMERIC, num, "0.5", "2.00"),
    COMPARE6(DATE, i32, "DATE '2015-06-01'", "DATE '2015-06-02'"),
    COMPARE6(TIME, i64, "TIME '04:05'", "TIME '04:06'"),
    COMPARE6(BIT, str, "B'011'", "B'10'"),
    COMPARE6(VARBIT, str, "VARBIT '011'", "VARBIT '10'"),
    COMPARE6(TIMETZ, i64, "TIMETZ '04:05+02'", "TIMETZ '04:05+00'"),
    COMPARE6(TIMESTAMPTZ, i64, "TIMESTAMPTZ '2015-06-01'", "TIMESTAMPTZ '2015-06-02'"),
    COMPARE6(TIMESTAMP_LOCAL,
             i64,
             "TIMESTAMPTZ '2015-06-01' AT TIME ZONE 'UTC'",
             "TIMESTAMPTZ '2015-06-02' AT TIME ZONE 'UTC'"),
    COMPARE6(UUID,
             str,
             "UUID '00000000-0000-0000-0000-000000000001'",
             "UUID '00000000-0000-0000-0000-000000000002'"),
    COMPARE1("=", ENUM, func_eq_i64, "Equal.", NULL),
    COMPARE1("<>", ENUM, func_ne_i64, "Not equal; != is the same.", NULL),
    COMPARE1("<", ENUM, func_lt_i64, "Less.", NULL),
    COMPARE1("<=", ENUM, func_le_i64, "Less or equal.", NULL),
    COMPARE1(">", ENUM, func_gt_i64, "Greater.", NULL),
    COMPARE1(">=", ENUM, func_ge_i64, "Greater or equal.", NULL),
};

const struct func_table func_table_compare = {func_compare_rows, DN_ARRAY_SIZE(func_compare_rows)};
