/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_bitstr.c: bit_and, bit_or and bit_xor of bit strings, which have to be of one length. */
#include "base/bytes.h"
#include "func/agg_each.h"

#include <string.h>

struct agg_bitstr {
    char *bits; /* of the arena; NULL: no value yet */
    uint32_t len;
};

static int agg_bitstr_add(struct agg_bitstr *s,
                          struct vstr v,
                          char op,
                          const char *word,
                          struct arena *strings,
                          struct dn_err *err)
{
    if (!s->bits) {
        s->bits = arena_alloc(strings, (size_t)v.len + 1);
        if (!s->bits)
            return DN_FAIL_NOMEM(err);
        if (v.len)
            memcpy(s->bits, v.ptr, v.len);
        s->len = v.len;
        return 0;
    }
    if (s->len != v.len)
        return DN_FAIL(err, DN_E_BITS_LENGTH, "cannot %s bit strings of different sizes", word);
    for (uint32_t i = 0; i < v.len; i++) {
        int a = s->bits[i] == '1';
        int b = v.ptr[i] == '1';

        s->bits[i] = (char)('0' + (op == '&' ? a & b : op == '|' ? a | b : a ^ b));
    }
    return 0;
}

#define AGG_BITSTR(name, op, word)                                                                 \
    static int agg_bitstr_##name##_one(                                                            \
        void *state, const struct vec *v, uint32_t row, struct arena *strings, struct dn_err *err) \
    {                                                                                              \
        return vec_is_null(v, row)                                                                 \
                   ? 0                                                                             \
                   : agg_bitstr_add(state, vec_str(v, row), op, word, strings, err);               \
    }                                                                                              \
    static int agg_bitstr_##name##_merge(                                                          \
        void *into, const void *from, struct arena *strings, struct dn_err *err)                   \
    {                                                                                              \
        const struct agg_bitstr *b = from;                                                         \
                                                                                                   \
        return b->bits                                                                             \
                   ? agg_bitstr_add(into, (struct vstr){b->bits, b->len}, op, word, strings, err)  \
                   : 0;                                                                            \
    }                                                                                              \
    AGG_EACH(agg_bitstr_##name, agg_bitstr_##name##_one)

AGG_BITSTR(and, '&', "AND")
AGG_BITSTR(or, '|', "OR")
AGG_BITSTR(xor, '#', "XOR")

static void agg_bitstr_save(const void *state, struct buf *b)
{
    const struct agg_bitstr *s = state;

    buf_append(b, s, sizeof *s);
    if (s->bits && s->len)
        buf_append(b, s->bits, s->len);
}

static int
agg_bitstr_load(void *state, const uint8_t *p, size_t n, struct arena *strings, struct dn_err *err)
{
    struct agg_bitstr *s = state;

    if (n < sizeof *s)
        return agg_load_fail("an aggregate of bits", n, err);
    memcpy(s, p, sizeof *s);
    if (!s->bits)
        return 0;
    if (n != sizeof *s + s->len)
        return agg_load_fail("an aggregate of bits", n, err);
    s->bits = arena_alloc(strings, (size_t)s->len + 1);
    if (!s->bits)
        return DN_FAIL_NOMEM(err);
    memcpy(s->bits, p + sizeof *s, s->len);
    return 0;
}

static int agg_bitstr_emit(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_bitstr *s = state;

    *ret =
        (struct datum){.type = TYPE_BIT, .null = !s->bits, .str = {s->bits ? s->bits : "", s->len}};
    return 0;
}

#define BITSTR_ROW(aname, t, way, text, sample)                                                 \
    {                                                                                           \
        .name = aname, .arg = TYPE_##t, .result = TYPE_BIT,                                     \
        .state_size = sizeof(struct agg_bitstr), .update_all = agg_bitstr_##way##_all,          \
        .update_grouped = agg_bitstr_##way##_grouped, .merge = agg_bitstr_##way##_merge,        \
        .emit = agg_bitstr_emit, .save = agg_bitstr_save, .load = agg_bitstr_load, .doc = text, \
        .example = aname " of (110, NULL, 011) = " sample                                       \
    }

#define BITSTR_ROWS(t)                                                                           \
    BITSTR_ROW("bit_and",                                                                        \
               t,                                                                                \
               and,                                                                              \
               "Bits that all values have; NULL when there are none but NULL.",                  \
               "010"),                                                                           \
        BITSTR_ROW(                                                                              \
            "bit_or",                                                                            \
            t,                                                                                   \
            or                                                                                   \
            , "Bits that one of the values has; NULL when there are none but NULL.", "111"),     \
        BITSTR_ROW("bit_xor",                                                                    \
                   t,                                                                            \
                   xor,                                                                          \
                   "Bits that an odd number of values have; NULL when there are none but NULL.", \
                   "101")

static const struct agg agg_bitstr_rows[] = {
    BITSTR_ROWS(BIT),
    BITSTR_ROWS(VARBIT),
};

const struct agg_table agg_table_bitstr = {agg_bitstr_rows, DN_ARRAY_SIZE(agg_bitstr_rows)};
