/* SPDX-License-Identifier: Apache-2.0
 *
 * text_wire_digits.c: NUMERIC and bit strings in PostgreSQL's binary form: groups of four decimal
 * digits, and eight bits in a byte. */
#include "base/bytes.h"
#include "func/text_wire_int.h"

#include "vec/numeric.h"

#define WIRE_NEGATIVE     0x4000u
#define WIRE_NAN          0xc000u
#define WIRE_PINF         0xd000u
#define WIRE_NINF         0xf000u
#define WIRE_GROUPS_MAX   512 /* of four digits, on either side of the point */
#define WIRE_NUMERIC_HEAD 8u

/* Groups of four digits of a text without sign and point; the last is filled up with zeros. */
static uint32_t wire_group(const char *digits, size_t len, size_t at)
{
    uint32_t v = 0;

    for (size_t i = at; i < at + 4; i++)
        v = v * 10 + (i < len ? (uint32_t)(digits[i] - '0') : 0);
    return v;
}

void text_wire_put_numeric(struct vnumeric v, struct buf *b)
{
    char digits[4 * WIRE_GROUPS_MAX];
    struct buf text;
    const char *s;
    size_t len;
    size_t point;
    size_t n;
    size_t first = 0;
    size_t end;
    bool negative;

    if (v.special) {
        buf_be16(b, 0);
        buf_be16(b, 0);
        buf_be16(b, vnumeric_is_nan(v) ? WIRE_NAN : v.special < 0 ? WIRE_NINF : WIRE_PINF);
        buf_be16(b, 0);
        return;
    }
    buf_init(&text, NULL);
    vnumeric_print(v, &text);
    if (text.failed || text.len + 8 > sizeof digits) {
        b->failed = true;
        buf_done(&text);
        return;
    }
    s = (const char *)text.data;
    len = text.len;
    negative = len > 0 && s[0] == '-';
    s += negative;
    len -= negative;
    point = memchr(s, '.', len) ? (size_t)((const char *)memchr(s, '.', len) - s) : len;
    n = (4 - point % 4) % 4; /* zeros in front, so that the point is between groups */
    memset(digits, '0', n);
    memcpy(digits + n, s, point);
    if (point < len)
        memcpy(digits + n + point, s + point + 1, len - point - 1);
    end = n + (point < len ? len - 1 : len);
    point += n;
    buf_done(&text);
    n = (end + 3) / 4;
    while (first < n && wire_group(digits, end, 4 * first) == 0)
        first++;
    while (n > first && wire_group(digits, end, 4 * (n - 1)) == 0)
        n--;
    buf_be16(b, (uint16_t)(n - first));
    buf_be16(b, (uint16_t)(n > first ? (int)(point / 4) - 1 - (int)first : 0));
    buf_be16(b, negative ? WIRE_NEGATIVE : 0);
    buf_be16(b, (uint16_t)v.scale);
    for (; first < n; first++)
        buf_be16(b, (uint16_t)wire_group(digits, end, 4 * first));
}

/* How many bits, then eight in a byte. */
void text_wire_put_bits(struct vstr s, struct buf *b)
{
    buf_be32(b, s.len);
    for (uint32_t i = 0; i < s.len; i += 8) {
        unsigned byte = 0;

        for (uint32_t k = i; k < i + 8; k++)
            byte = byte << 1 | (k < s.len && s.ptr[k] == '1');
        buf_u8(b, (uint8_t)byte);
    }
}

int text_wire_bad(enum type_id type, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_BAD_BINARY, "incorrect binary data format of a %s", type_word(type));
}

int text_wire_get_bits(enum type_id type,
                       const uint8_t *p,
                       uint32_t len,
                       struct arena *arena,
                       struct vstr *ret,
                       struct dn_err *err)
{
    uint32_t bits = len >= 4 ? be_get32(p) : 0;
    char *to;

    if (len < 4 || bits > INT32_MAX || len - 4 != (bits + 7) / 8)
        return text_wire_bad(type, err);
    to = arena_alloc(arena, (size_t)bits + 1);
    if (!to)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < bits; i++)
        to[i] = (char)('0' + (p[4 + i / 8] >> (7 - i % 8) & 1));
    *ret = (struct vstr){to, bits};
    return 0;
}

/* The digits of group i (0 = the first stored); outside: zeros. */
static void wire_digits(const uint8_t *groups, int count, int i, char to[4])
{
    uint32_t v = i >= 0 && i < count ? be_get16(groups + 2 * (size_t)i) : 0;

    for (int k = 3; k >= 0; k--, v /= 10)
        to[k] = (char)('0' + v % 10);
}

int text_wire_get_numeric(const uint8_t *p, uint32_t len, struct vnumeric *ret, struct dn_err *err)
{
    int count = len >= WIRE_NUMERIC_HEAD ? (int16_t)be_get16(p) : -1;
    int weight = count >= 0 ? (int16_t)be_get16(p + 2) : 0;
    uint32_t sign = count >= 0 ? be_get16(p + 4) : 0;
    int scale = count >= 0 ? (int)be_get16(p + 6) : 0;
    const uint8_t *groups = p + WIRE_NUMERIC_HEAD;
    struct buf text;
    char four[4];
    enum vnumeric_read how;

    if (count < 0 || len != WIRE_NUMERIC_HEAD + 2 * (uint32_t)count)
        return text_wire_bad(TYPE_NUMERIC, err);
    for (int i = 0; i < count; i++)
        if (be_get16(groups + 2 * (size_t)i) > 9999)
            return text_wire_bad(TYPE_NUMERIC, err);
    if (sign == WIRE_NAN) {
        *ret = vnumeric_nan();
        return 0;
    }
    if (sign == WIRE_PINF || sign == WIRE_NINF) {
        *ret = vnumeric_inf(sign == WIRE_NINF);
        return 0;
    }
    if (sign != 0 && sign != WIRE_NEGATIVE)
        return text_wire_bad(TYPE_NUMERIC, err);
    if (weight >= WIRE_GROUPS_MAX || scale > VNUMERIC_SCALE_MAX)
        return DN_FAIL(err, DN_E_OUT_OF_RANGE, "a NUMERIC has %u digits at most", VNUMERIC_DIGITS);
    buf_init(&text, NULL);
    buf_puts(&text, sign ? "-" : "");
    for (int i = 0; i <= weight; i++) {
        wire_digits(groups, count, i, four);
        buf_append(&text, four, 4);
    }
    buf_puts(&text, weight < 0 ? "0." : ".");
    for (int i = 0; i < scale; i++) {
        wire_digits(groups, count, weight + 1 + i / 4, four);
        buf_u8(&text, (uint8_t)four[i % 4]);
    }
    if (scale == 0)
        text.len--; /* no point */
    how = text.failed ? VNUMERIC_BAD : vnumeric_parse((const char *)text.data, text.len, ret);
    if (text.failed) {
        buf_done(&text);
        return DN_FAIL_NOMEM(err);
    }
    buf_done(&text);
    if (how == VNUMERIC_TOO_LONG)
        return DN_FAIL(err, DN_E_OUT_OF_RANGE, "a NUMERIC has %u digits at most", VNUMERIC_DIGITS);
    return how == VNUMERIC_OK ? 0 : text_wire_bad(TYPE_NUMERIC, err);
}
