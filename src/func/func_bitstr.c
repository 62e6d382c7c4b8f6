/* SPDX-License-Identifier: Apache-2.0
 *
 * func_bitstr.c: bit strings, BIT(n) and VARBIT(n): casts, operators, functions. A value is kept as
 * its digits, the characters 0 and 1: the order of those texts is PostgreSQL's order of bit
 * strings. Operators of BIT take VARBITs too, which become BITs by themselves. */
#include "func/str_int.h"
#include "func/text.h"

#define BITSTR_BITS_MAX (64u * 1024 * 1024) /* of a result */
#define BITSTR_FAR      ((int64_t)1 << 40)  /* behind the end of each */

static char *bitstr_new(const struct str_call *c, uint64_t len, struct vstr *ret)
{
    char *to = len > BITSTR_BITS_MAX ? NULL : arena_alloc(c->ctx->arena, len + 1);

    if (to)
        *ret = (struct vstr){to, (uint32_t)len};
    else
        DN_IGNORE(DN_FAIL_NOMEM(c->err)); /* the caller returns the code */
    return to;
}

/* A position or a length; what is beyond all strings is as far as need be. */
static int64_t bitstr_number(const struct str_call *c, uint32_t arg)
{
    int64_t v = str_int(c, arg);

    return v > BITSTR_FAR ? BITSTR_FAR : v < -BITSTR_FAR ? -BITSTR_FAR : v;
}

/* ---- casts ---- */

/* The last `len` bits of a number, filled up with its sign. */
static int bitstr_of_int(const struct str_call *c, int64_t v, uint64_t len, struct vstr *ret)
{
    char *to = bitstr_new(c, len, ret);

    if (!to)
        return DN_E_NOMEM;
    for (uint64_t i = 0; i < len; i++) {
        uint64_t bit = len - 1 - i;

        to[i] = (char)('0' + (bit > 63 ? v < 0 : (int)((uint64_t)v >> bit & 1)));
    }
    return 0;
}

/* All bits of the type, or as many as the second argument says. */
static int str_bits_of_int(const struct str_call *c, struct vstr *ret)
{
    uint64_t all = c->args[0].type == TYPE_BIGINT ? 64 : 32;

    return bitstr_of_int(c, str_int(c, 0), c->args_count > 1 ? (uint64_t)str_int(c, 1) : all, ret);
}
STR_KERNEL(bits_of_int)

static int str_bits_of_blob(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    char *to = bitstr_new(c, (uint64_t)s.len * 8, ret);

    uint64_t steps = 0;

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < s.len; i++, to += 8) {
        int rc = func_count_steps(c->ctx, 8, &steps, c->err);

        if (rc < 0)
            return rc;
        for (uint32_t bit = 0; bit < 8; bit++)
            to[bit] = (char)('0' + ((uint8_t)s.ptr[i] >> (7 - bit) & 1));
    }
    return 0;
}
STR_KERNEL(bits_of_blob)

/* Shorter strings are positive numbers. */
static int bitstr_to_int(struct vstr s, enum type_id type, int64_t *ret, struct dn_err *err)
{
    uint32_t most = type == TYPE_BIGINT ? 64 : 32;
    uint64_t v = 0;

    if (s.len > most)
        return func_fail_range(type, err);
    for (uint32_t i = 0; i < s.len; i++)
        v = v << 1 | (s.ptr[i] == '1');
    *ret = most == 32 ? (int64_t)(int32_t)(uint32_t)v : (int64_t)v;
    return 0;
}

static int bitstr_to_i32(struct vstr s, int32_t *ret, struct dn_err *err)
{
    int64_t v = 0;
    int rc = bitstr_to_int(s, TYPE_INTEGER, &v, err);

    *ret = (int32_t)v;
    return rc;
}

FUNC_EACH(func_cast_bits, struct vstr, (to[i] = vec_str(&args[0], i), 0))
FUNC_EACH(func_bits_to_i32, int32_t, bitstr_to_i32(vec_str(&args[0], i), &to[i], err))
FUNC_EACH(func_bits_to_i64, int64_t, bitstr_to_int(vec_str(&args[0], i), TYPE_BIGINT, &to[i], err))

#define BITSTR_CAST(from, to, fn, sample)                                                        \
    {                                                                                            \
        .name = "cast", .args = {TYPE_##from}, .args_count = 1, .result = TYPE_##to,             \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = "The value as another type.", \
        .example = sample                                                                        \
    }
#define BITSTR_CASTS(t)                                                                    \
    BITSTR_CAST(VARCHAR, t, func_cast_from_text, "CAST('101' AS " #t ") = 101"),           \
        BITSTR_CAST(t, VARCHAR, func_cast_to_text, "CAST(" #t " '101' AS VARCHAR) = 101"), \
        BITSTR_CAST(BLOB, t, func_bits_of_blob, "CAST(0x1f AS " #t ") = 00011111")

static const struct func func_cast_bitstr_rows[] = {
    BITSTR_CASTS(BIT),
    BITSTR_CASTS(VARBIT),
    BITSTR_CAST(
        INTEGER, BIT, func_bits_of_int, "CAST(5 AS BIT) = 00000000000000000000000000000101"),
    BITSTR_CAST(
        BIGINT,
        BIT,
        func_bits_of_int,
        "CAST(5 AS BIT) = 0000000000000000000000000000000000000000000000000000000000000101"),
    BITSTR_CAST(BIT, INTEGER, func_bits_to_i32, "CAST(B'101' AS INTEGER) = 5"),
    BITSTR_CAST(BIT, BIGINT, func_bits_to_i64, "CAST(B'101' AS BIGINT) = 5"),
    BITSTR_CAST(BIT, VARBIT, func_cast_bits, "CAST(BIT '101' AS VARBIT) = 101"),
    BITSTR_CAST(VARBIT, BIT, func_cast_bits, "CAST(VARBIT '101' AS BIT) = 101"),
};

const struct func_table func_table_cast_bitstr = {func_cast_bitstr_rows,
                                                  DN_ARRAY_SIZE(func_cast_bitstr_rows)};

const struct func *func_bits_cast(void)
{
    static const struct func row = {.name = "bits",
                                    .args = {TYPE_BIGINT, TYPE_BIGINT},
                                    .args_count = 2,
                                    .result = TYPE_BIT,
                                    .flags = FUNC_STRICT | FUNC_OPERATOR,
                                    .kernel = func_bits_of_int};

    return &row;
}

/* ---- operators ---- */

static int bitstr_pair(const struct str_call *c, const char *word, char op, struct vstr *ret)
{
    struct vstr a = str_arg(c, 0);
    struct vstr b = str_arg(c, 1);
    char *to;

    if (a.len != b.len)
        return DN_FAIL(c->err, DN_E_BITS_LENGTH, "cannot %s bit strings of different sizes", word);
    to = bitstr_new(c, a.len, ret);
    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < a.len; i++) {
        int x = a.ptr[i] == '1';
        int y = b.ptr[i] == '1';

        to[i] = (char)('0' + (op == '&' ? x & y : op == '|' ? x | y : x ^ y));
    }
    return 0;
}

static int str_bits_and(const struct str_call *c, struct vstr *ret)
{
    return bitstr_pair(c, "AND", '&', ret);
}
STR_KERNEL(bits_and)

static int str_bits_or(const struct str_call *c, struct vstr *ret)
{
    return bitstr_pair(c, "OR", '|', ret);
}
STR_KERNEL(bits_or)

static int str_bits_xor(const struct str_call *c, struct vstr *ret)
{
    return bitstr_pair(c, "XOR", '#', ret);
}
STR_KERNEL(bits_xor)

static int str_bits_not(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    char *to = bitstr_new(c, s.len, ret);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < s.len; i++)
        to[i] = s.ptr[i] == '1' ? '0' : '1';
    return 0;
}
STR_KERNEL(bits_not)

/* To the left by `by`, to the right if that is negative; zeros come in. */
static int bitstr_shift(const struct str_call *c, int64_t by, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    char *to = bitstr_new(c, s.len, ret);

    if (!to)
        return DN_E_NOMEM;
    for (int64_t i = 0; i < s.len; i++)
        to[i] = i + by >= 0 && i + by < s.len ? s.ptr[i + by] : '0';
    return 0;
}

static int str_bits_left(const struct str_call *c, struct vstr *ret)
{
    return bitstr_shift(c, bitstr_number(c, 1), ret);
}
STR_KERNEL(bits_left)

static int str_bits_right(const struct str_call *c, struct vstr *ret)
{
    return bitstr_shift(c, -bitstr_number(c, 1), ret);
}
STR_KERNEL(bits_right)

static int bitstr_join(const struct str_call *c, struct vstr a, struct vstr b, struct vstr *ret)
{
    char *to = bitstr_new(c, (uint64_t)a.len + b.len, ret);

    if (!to)
        return DN_E_NOMEM;
    if (a.len)
        memcpy(to, a.ptr, a.len);
    if (b.len)
        memcpy(to + a.len, b.ptr, b.len);
    return 0;
}

static int str_bits_concat(const struct str_call *c, struct vstr *ret)
{
    return bitstr_join(c, str_arg(c, 0), str_arg(c, 1), ret);
}
STR_KERNEL(bits_concat)

/* ---- functions ---- */

/* From bit `from` (1 is the first) so many bits; what lies outside is not there. */
static struct vstr bitstr_cut(struct vstr s, int64_t from, int64_t count)
{
    int64_t start = from < 1 ? 1 : from;
    int64_t end = from + count;

    if (end > (int64_t)s.len + 1)
        end = (int64_t)s.len + 1;
    return start >= end ? (struct vstr){s.ptr, 0}
                        : (struct vstr){s.ptr + start - 1, (uint32_t)(end - start)};
}

static int str_bits_sub(const struct str_call *c, struct vstr *ret)
{
    int64_t count = c->args_count > 2 ? bitstr_number(c, 2) : BITSTR_FAR;

    if (count < 0)
        return DN_FAIL(c->err, DN_E_BAD_SUBSTRING, "negative substring length not allowed");
    *ret = bitstr_cut(str_arg(c, 0), bitstr_number(c, 1), count);
    return 0;
}
STR_KERNEL(bits_sub)

static int str_bits_overlay(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr by = str_arg(c, 1);
    int64_t from = bitstr_number(c, 2);
    int64_t count = c->args_count > 3 ? bitstr_number(c, 3) : (int64_t)by.len;
    struct vstr head;
    int rc;

    if (from <= 0)
        return DN_FAIL(c->err, DN_E_BAD_SUBSTRING, "negative substring length not allowed");
    rc = bitstr_join(c, bitstr_cut(s, 1, from - 1), by, &head);
    return rc < 0 ? rc : bitstr_join(c, head, bitstr_cut(s, from + count, (int64_t)s.len + 1), ret);
}
STR_KERNEL(bits_overlay)

static int bitstr_at(const struct vec *args, uint32_t row, uint32_t *ret, struct dn_err *err)
{
    struct vstr s = vec_str(&args[0], row);
    int64_t n = vec_i64(&args[1], row);

    if (n < 0 || n >= s.len)
        return DN_FAIL(err,
                       DN_E_BAD_SUBSCRIPT,
                       "bit index %lld out of valid range (0..%lld)",
                       (long long)n,
                       (long long)s.len - 1);
    *ret = (uint32_t)n;
    return 0;
}

static int str_bits_set(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    int64_t bit = str_int(c, 2);
    uint32_t at = 0;
    char *to;
    int rc = bitstr_at(c->args, c->row, &at, c->err);

    if (rc < 0)
        return rc;
    if (bit != 0 && bit != 1)
        return DN_FAIL(c->err, DN_E_INVALID_PARAM, "new bit must be 0 or 1");
    to = bitstr_new(c, s.len, ret);
    if (!to)
        return DN_E_NOMEM;
    memcpy(to, s.ptr, s.len);
    to[at] = (char)('0' + (int)bit);
    return 0;
}
STR_KERNEL(bits_set)

static int bitstr_get(const struct vec *args, uint32_t row, int32_t *ret, struct dn_err *err)
{
    uint32_t at = 0;
    int rc = bitstr_at(args, row, &at, err);

    *ret = rc == 0 && vec_str(&args[0], row).ptr[at] == '1';
    return rc;
}

static int64_t bitstr_ones(struct vstr s)
{
    int64_t n = 0;

    for (uint32_t i = 0; i < s.len; i++)
        n += s.ptr[i] == '1';
    return n;
}

/* Where the second begins in the first, from 1 on; 0: nowhere. */
static int32_t bitstr_position(struct vstr s, struct vstr sub)
{
    uint32_t at = sub.len > s.len || s.len == 0 ? UINT32_MAX : str_find(s, sub, 0);

    return at == UINT32_MAX ? 0 : (int32_t)at + 1;
}

FUNC_EACH(func_bits_get, int32_t, bitstr_get(args, i, &to[i], err))
FUNC_EACH(func_bits_len, int32_t, (to[i] = (int32_t)vec_str(&args[0], i).len, 0))
FUNC_EACH(func_bits_octets, int32_t, (to[i] = (int32_t)((vec_str(&args[0], i).len + 7) / 8), 0))
FUNC_EACH(func_bits_count, int64_t, (to[i] = bitstr_ones(vec_str(&args[0], i)), 0))
FUNC_EACH(func_bits_strpos,
          int32_t,
          (to[i] = bitstr_position(vec_str(&args[0], i), vec_str(&args[1], i)), 0))

#define BITSTR2(op, a, b, r, fn, text, sample)                                             \
    {                                                                                      \
        .name = op, .args = {TYPE_##a, TYPE_##b}, .args_count = 2, .result = TYPE_##r,     \
        .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fn, .doc = text, .example = sample \
    }

static const struct func func_bitstr_rows[] = {
    BITSTR2("&", BIT, BIT, BIT, func_bits_and, "Bits that both have.", "B'1100' & B'1010' = 1000"),
    BITSTR2(
        "|", BIT, BIT, BIT, func_bits_or, "Bits that one of them has.", "B'1100' | B'1010' = 1110"),
    BITSTR2("#",
            BIT,
            BIT,
            BIT,
            func_bits_xor,
            "Bits that only one of them has.",
            "B'1100' # B'1010' = 0110"),
    BITSTR2("<<",
            BIT,
            BIGINT,
            BIT,
            func_bits_left,
            "Bits moved to the left; the length stays.",
            "B'10001' << 3 = 01000"),
    BITSTR2(">>",
            BIT,
            BIGINT,
            BIT,
            func_bits_right,
            "Bits moved to the right; the length stays.",
            "B'10001' >> 2 = 00100"),
    BITSTR2("||",
            VARBIT,
            VARBIT,
            VARBIT,
            func_bits_concat,
            "One bit string behind the other.",
            "B'10001' || B'011' = 10001011"),
    {.name = "~",
     .args = {TYPE_BIT},
     .args_count = 1,
     .result = TYPE_BIT,
     .flags = FUNC_STRICT | FUNC_OPERATOR,
     .kernel = func_bits_not,
     .doc = "All bits the other way.",
     .example = "~ B'10001' = 01110"},
    STR_TO("substring",
           2,
           BIT,
           func_bits_sub,
           "Bits from that one on; also substring(b FROM n).",
           "substring(B'110010', 3) = 0010",
           TYPE_BIT,
           TYPE_BIGINT),
    STR_TO("substring",
           3,
           BIT,
           func_bits_sub,
           "So many bits from that one on; also substring(b FROM n FOR m).",
           "substring(B'110010', 3, 2) = 00",
           TYPE_BIT,
           TYPE_BIGINT,
           TYPE_BIGINT),
    STR_TO("overlay",
           3,
           BIT,
           func_bits_overlay,
           "With the second in place of as many bits from that one on; also overlay(b PLACING c "
           "FROM n).",
           "overlay(B'01010101', B'11111', 2) = 01111101",
           TYPE_BIT,
           TYPE_BIT,
           TYPE_BIGINT),
    STR_TO("overlay",
           4,
           BIT,
           func_bits_overlay,
           "The same in place of so many bits; also overlay(b PLACING c FROM n FOR m).",
           "overlay(B'01010101', B'11111', 2, 3) = 0111110101",
           TYPE_BIT,
           TYPE_BIT,
           TYPE_BIGINT,
           TYPE_BIGINT),
    STR_TO("strpos",
           2,
           INTEGER,
           func_bits_strpos,
           "Where the second begins in the first, from 1 on; 0 if nowhere. Also position(b IN a).",
           "strpos(B'1101011', B'010') = 3",
           TYPE_BIT,
           TYPE_BIT),
    STR_TO("length",
           1,
           INTEGER,
           func_bits_len,
           "How many bits it has.",
           "length(B'10111') = 5",
           TYPE_BIT),
    STR_TO("bit_length",
           1,
           INTEGER,
           func_bits_len,
           "How many bits it has.",
           "bit_length(B'10111') = 5",
           TYPE_BIT),
    STR_TO("octet_length",
           1,
           INTEGER,
           func_bits_octets,
           "How many bytes hold its bits.",
           "octet_length(B'1011111011') = 2",
           TYPE_BIT),
    STR_TO("bit_count",
           1,
           BIGINT,
           func_bits_count,
           "How many bits are 1.",
           "bit_count(B'10111') = 4",
           TYPE_BIT),
    STR_TO("get_bit",
           2,
           INTEGER,
           func_bits_get,
           "A bit, counted from the left from 0 on.",
           "get_bit(B'101010101010101010', 6) = 1",
           TYPE_BIT,
           TYPE_BIGINT),
    STR_TO("set_bit",
           3,
           BIT,
           func_bits_set,
           "With that bit, counted from the left from 0 on, 0 or 1.",
           "set_bit(B'101010', 1, 1) = 111010",
           TYPE_BIT,
           TYPE_BIGINT,
           TYPE_BIGINT),
};

const struct func_table func_table_bitstr = {func_bitstr_rows, DN_ARRAY_SIZE(func_bitstr_rows)};
