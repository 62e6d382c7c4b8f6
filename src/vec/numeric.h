/* SPDX-License-Identifier: Apache-2.0
 *
 * numeric.h: decimal numbers as they lie in vectors (struct vnumeric of type.h): their parts,
 * order, hashes and bytes. Arithmetic is in func/num.h. Any thread. */
#pragma once

#include "base/bytes.h"
#include "vec/type.h"

#define VNUMERIC_DIGITS    38u  /* of a coefficient */
#define VNUMERIC_SCALE_MAX 1000 /* digits shown after the point */
#define VNUMERIC_BYTES_MAX 18u  /* of the stored form */
#define VNUMERIC_KEY_BYTES 19u  /* of the ordered form */

__extension__ typedef __int128 vnumeric_i128;
__extension__ typedef unsigned __int128 vnumeric_u128;

static inline vnumeric_i128 vnumeric_coef(struct vnumeric v)
{
    return (vnumeric_i128)((vnumeric_u128)(uint64_t)v.hi << 64 | v.lo);
}

static inline struct vnumeric vnumeric_make(vnumeric_i128 coef, int scale)
{
    return (struct vnumeric){.lo = (uint64_t)coef,
                             .hi = (int64_t)(uint64_t)((vnumeric_u128)coef >> 64),
                             .scale = (int16_t)scale};
}

/* Values that are no finite numbers, in their order. */
enum vnumeric_special {
    VNUMERIC_MINUS_INF = -1,
    VNUMERIC_FINITE = 0,
    VNUMERIC_PLUS_INF = 1,
    VNUMERIC_NAN = 2,
};

static inline struct vnumeric vnumeric_nan(void)
{
    return (struct vnumeric){.special = VNUMERIC_NAN};
}

static inline struct vnumeric vnumeric_inf(bool negative)
{
    return (struct vnumeric){.special = negative ? VNUMERIC_MINUS_INF : VNUMERIC_PLUS_INF};
}

static inline bool vnumeric_is_nan(struct vnumeric v)
{
    return v.special == VNUMERIC_NAN;
}

static inline bool vnumeric_is_inf(struct vnumeric v)
{
    return v.special == VNUMERIC_PLUS_INF || v.special == VNUMERIC_MINUS_INF;
}

static inline vnumeric_u128 vnumeric_abs(vnumeric_i128 v)
{
    return v < 0 ? -(vnumeric_u128)v : (vnumeric_u128)v;
}

/* 10^n for n up to 38. */
vnumeric_u128 vnumeric_pow10(unsigned n);
/* Decimal digits; 0 has none. */
unsigned vnumeric_digits(vnumeric_u128 v);
/* Digits with a point and an exponent, NaN, Infinity or inf with a sign or without; no spaces. */
enum vnumeric_read { VNUMERIC_OK, VNUMERIC_BAD, VNUMERIC_TOO_LONG };
enum vnumeric_read vnumeric_parse(const char *text, size_t len, struct vnumeric *ret);
void vnumeric_print(struct vnumeric v, struct buf *b);
/* Does the coefficient have 64 bits? Then it is `lo`, signed. Most numbers are so. */
static inline bool vnumeric_short(struct vnumeric v)
{
    return !v.special && v.hi == (int64_t)v.lo >> 63;
}

/* vnumeric_cmp of any two. */
int vnumeric_cmp_any(struct vnumeric a, struct vnumeric b);
/* 10^n for n up to 19: 64 bits times that have room in 128, with the sign. */
#define VNUMERIC_TENS 20
extern const uint64_t vnumeric_tens[VNUMERIC_TENS];
/* <0, 0, >0: by value whatever the scale, infinities at the ends, NaN after all. Equal ones have
 * equal hashes. */
static inline int vnumeric_cmp(struct vnumeric a, struct vnumeric b)
{
    int d = a.scale - b.scale;

    if (vnumeric_short(a) && vnumeric_short(b) && d > -VNUMERIC_TENS && d < VNUMERIC_TENS) {
        vnumeric_i128 x = (vnumeric_i128)(int64_t)a.lo * vnumeric_tens[d < 0 ? -d : 0];
        vnumeric_i128 y = (vnumeric_i128)(int64_t)b.lo * vnumeric_tens[d > 0 ? d : 0];

        return (x > y) - (x < y);
    }
    return vnumeric_cmp_any(a, b);
}
uint64_t vnumeric_hash(struct vnumeric v);
/* The same value without trailing zeros in its fraction: equal numbers get equal representations.
 */
struct vnumeric vnumeric_trim(struct vnumeric v);
/* Bytes whose memcmp order is that of vnumeric_cmp; returns how many. */
uint32_t vnumeric_key(struct vnumeric v, uint8_t *to);
/* The coefficient in two's complement, big-endian, as few bytes as hold it; returns how many. */
uint32_t vnumeric_coef_bytes(struct vnumeric v, uint8_t *to);
/* The stored form: scale (2 bytes big-endian; 0xffff for NaN, 0xfffe and 0xfffd for infinity
 * and -infinity, and no more bytes), then the coefficient as above. Returns how many bytes. */
uint32_t vnumeric_put(struct vnumeric v, uint8_t *to);
/* Reads the untrusted stored form back; false: the bytes are no number. */
bool vnumeric_get(const void *bytes, uint32_t len, struct vnumeric *ret);
