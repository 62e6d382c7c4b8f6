/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_bits.c: bit_and, bit_or and bit_xor of integers. One state has all three. */
#include "func/func_int.h"

struct agg_bits {
    int64_t some_unset; /* bits that some value does not have */
    int64_t some_set;
    int64_t odd; /* bits that an odd number of values have */
    int64_t count;
};

static inline void agg_bits_one(void *state, int64_t x)
{
    struct agg_bits *s = state;

    s->some_unset |= ~x;
    s->some_set |= x;
    s->odd ^= x;
    s->count++;
}

#define AGG_BITS_MANY(suffix, T)                                                   \
    static void agg_bits_many_##suffix(void *state, const T *data, uint32_t count) \
    {                                                                              \
        for (uint32_t i = 0; i < count; i++)                                       \
            agg_bits_one(state, data[i]);                                          \
    }
AGG_BITS_MANY(i64, int64_t)
AGG_BITS_MANY(i32, int32_t)
AGG_BITS_MANY(i16, int16_t)

#define SUM_T       int64_t
#define SUM_STATE   struct agg_bits
#define SUM_ONE     agg_bits_one
#define SUM_MANY    agg_bits_many_i64
#define SUM_ALL     agg_bits_i64_all
#define SUM_GROUPED agg_bits_i64_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       int32_t
#define SUM_STATE   struct agg_bits
#define SUM_ONE     agg_bits_one
#define SUM_MANY    agg_bits_many_i32
#define SUM_ALL     agg_bits_i32_all
#define SUM_GROUPED agg_bits_i32_grouped
#include "func/agg_sum_tmpl.h"

#define SUM_T       int16_t
#define SUM_STATE   struct agg_bits
#define SUM_ONE     agg_bits_one
#define SUM_MANY    agg_bits_many_i16
#define SUM_ALL     agg_bits_i16_all
#define SUM_GROUPED agg_bits_i16_grouped
#include "func/agg_sum_tmpl.h"

static int agg_bits_merge(void *into,
                          const void *from,
                          struct arena *strings DN_UNUSED,
                          struct dn_err *err DN_UNUSED)
{
    struct agg_bits *a = into;
    const struct agg_bits *b = from;

    a->some_unset |= b->some_unset;
    a->some_set |= b->some_set;
    a->odd ^= b->odd;
    a->count += b->count;
    return 0;
}

#define AGG_BITS_EMIT(name, t, bits)                                        \
    static int agg_bits_emit_##name##_##t(                                  \
        const void *state, struct datum *ret, struct dn_err *err DN_UNUSED) \
    {                                                                       \
        const struct agg_bits *s = state;                                   \
                                                                            \
        *ret = (struct datum){.type = TYPE_##t, .null = s->count == 0};     \
        ret->v.i64 = (bits);                                                \
        return 0;                                                           \
    }

#define BITS_TYPES(X) \
    X(BIGINT, i64)    \
    X(INTEGER, i32)   \
    X(SMALLINT, i16)

#define X(t, suffix)                      \
    AGG_BITS_EMIT(and, t, ~s->some_unset) \
    AGG_BITS_EMIT(or, t, s->some_set)     \
    AGG_BITS_EMIT(xor, t, s->odd)
BITS_TYPES(X)
#undef X

#define BITS_ROW(aname, t, suffix, final, text, sample) \
    {.name = aname,                                     \
     .arg = TYPE_##t,                                   \
     .result = TYPE_##t,                                \
     .state_size = sizeof(struct agg_bits),             \
     .update_all = agg_bits_##suffix##_all,             \
     .update_grouped = agg_bits_##suffix##_grouped,     \
     .merge = agg_bits_merge,                           \
     .emit = agg_bits_emit_##final##_##t,               \
     .doc = text,                                       \
     .example = aname " of (6, NULL, 3) = " sample},

static const struct agg agg_bits_rows[] = {
#define X(t, suffix)                                                                   \
    BITS_ROW("bit_and",                                                                \
             t,                                                                        \
             suffix,                                                                   \
             and,                                                                      \
             "Bits that all values that are not NULL have; NULL when there are none.", \
             "2")
    BITS_TYPES(X)
#undef X
#define X(t, suffix)   \
    BITS_ROW("bit_or", \
             t,        \
             suffix,   \
             or        \
             , "Bits that one of the values has; NULL when there are none but NULL.", "7")
        BITS_TYPES(X)
#undef X
#define X(t, suffix)                                                                       \
    BITS_ROW("bit_xor",                                                                    \
             t,                                                                            \
             suffix,                                                                       \
             xor,                                                                          \
             "Bits that an odd number of values have; NULL when there are none but NULL.", \
             "5")
            BITS_TYPES(X)
#undef X
};

const struct agg_table agg_table_bits = {agg_bits_rows, DN_ARRAY_SIZE(agg_bits_rows)};
