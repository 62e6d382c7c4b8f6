/* SPDX-License-Identifier: Apache-2.0
 *
 * value.h: hashes and equality of values and tuples, for whoever looks rows up: groups, joins, set
 * operations. NaN equals NaN, -0 equals 0; equal values have equal hashes.
 *
 * Any thread. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "vec/vec.h"

#include <string.h>

#define EXEC_STR_SHORT 16u /* bytes */

/* A string of 1 to 16 bytes as two words that differ for strings of the same length that differ. */
static inline void exec_str_words(const char *p, uint32_t len, uint64_t *ret_a, uint64_t *ret_b)
{
    uint32_t low;
    uint32_t high;

    *ret_b = 0;
    if (len >= 8) {
        memcpy(ret_a, p, 8);
        memcpy(ret_b, p + len - 8, 8);
    } else if (len >= 4) {
        memcpy(&low, p, 4);
        memcpy(&high, p + len - 4, 4);
        *ret_a = (uint64_t)high << 32 | low;
    } else {
        *ret_a = (uint64_t)(uint8_t)p[0] | (uint64_t)(uint8_t)p[len / 2] << 8 |
                 (uint64_t)(uint8_t)p[len - 1] << 16;
    }
}

/* Of strings; short ones without a call. */
static inline uint64_t exec_str_hash(struct vstr s)
{
    uint64_t a;
    uint64_t b;

    if (s.len - 1 >= EXEC_STR_SHORT)
        return dn_hash64(s.ptr, s.len, 0);
    exec_str_words(s.ptr, s.len, &a, &b);
    return dn_mix64(dn_mix64(a + s.len) ^ b);
}

static inline bool exec_str_same(struct vstr x, struct vstr y)
{
    uint64_t a;
    uint64_t b;
    uint64_t c;
    uint64_t d;

    if (x.len != y.len)
        return false;
    if (x.len - 1 >= EXEC_STR_SHORT)
        return x.len == 0 || memcmp(x.ptr, y.ptr, x.len) == 0;
    exec_str_words(x.ptr, x.len, &a, &b);
    exec_str_words(y.ptr, y.len, &c, &d);
    return a == c && b == d;
}

/* Of the value at a position of data, whatever the form of the vector. */
uint64_t exec_value_hash(const struct vec *v, uint32_t at);
/* Values at positions of two arrays of one type. */
bool exec_value_same(enum type_id type, const void *a, uint32_t at_a, const void *b, uint32_t at_b);

/* Of the tuple of one row; a NULL hashes like a value of its own. */
uint64_t exec_row_hash(const struct vec *keys, uint32_t keys_count, uint32_t row);
/* The same for all selected rows: hashes[i] is of the i-th. With one key of an integer or time type
 * different values have different hashes (NULL aside). */
int exec_rows_hash(const struct vec *keys,
                   uint32_t keys_count,
                   const struct batch *in,
                   struct arena *scratch,
                   uint64_t *hashes,
                   struct dn_err *err) DN_MUST_CHECK;
