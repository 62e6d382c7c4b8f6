/* SPDX-License-Identifier: Apache-2.0
 *
 * str_int.h: what the files of text functions share: characters of UTF-8, and a kernel made of a
 * function for one row. Positions and lengths count characters (code points), not bytes. Any
 * thread. */
#pragma once

#include "func/func_int.h"

#include <string.h>

/* ---- characters ---- */

static inline bool str_is_lead(char c)
{
    return ((uint8_t)c & 0xc0) != 0x80;
}

/* Eight bytes at a time: a byte that goes on with a character has its upper bit set and the next
 * one not. */
static inline int64_t str_chars(struct vstr s)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t more = 0; /* bytes that go on with a character */
    uint32_t i = 0;

    for (; i + 8 <= s.len; i += 8) {
        uint64_t x;

        memcpy(&x, s.ptr + i, sizeof x);
        more += ((x >> 7 & ~(x >> 6) & ones) * ones) >> 56;
    }
    for (; i < s.len; i++)
        more += !str_is_lead(s.ptr[i]);
    return (int64_t)(s.len - more);
}

/* The byte where the n-th character after byte `from` starts; s.len if there are fewer. */
static inline uint32_t str_skip(struct vstr s, uint32_t from, int64_t n)
{
    uint32_t at = from;

    while (n > 0 && at < s.len) {
        at++;
        while (at < s.len && !str_is_lead(s.ptr[at]))
            at++;
        n--;
    }
    return at;
}

static inline struct vstr str_cut(struct vstr s, uint32_t from, uint32_t to)
{
    return (struct vstr){s.ptr + from, to > from ? to - from : 0};
}

/* Bytes of the character that starts at a byte. */
static inline uint32_t str_char_len(struct vstr s, uint32_t at)
{
    return str_skip(s, at, 1) - at;
}

/* Where sub starts, from byte `from` on; UINT32_MAX: nowhere. */
static inline uint32_t str_find(struct vstr s, struct vstr sub, uint32_t from)
{
    const char *hit;

    if (sub.len == 0)
        return from;
    hit = func_find_text((struct vstr){s.ptr + from, s.len - from}, sub);
    return hit ? (uint32_t)(hit - s.ptr) : UINT32_MAX;
}

/* ---- rows ---- */

struct str_call {
    const struct func_ctx *ctx;
    const struct vec *args;
    uint32_t args_count;
    uint32_t row;
    struct dn_err *err;
};

typedef int (*str_fn)(const struct str_call *c, struct vstr *ret);

static inline struct vstr str_arg(const struct str_call *c, uint32_t i)
{
    return vec_str(&c->args[i], c->row);
}

static inline int64_t str_int(const struct str_call *c, uint32_t i)
{
    return vec_i64(&c->args[i], c->row);
}

/* func_count_steps for one row. */
static inline DN_MUST_CHECK int str_steps(const struct str_call *c, uint32_t n, uint64_t *steps)
{
    return func_count_steps(c->ctx, n, steps, c->err);
}

/* Runs fn for every row that counts. */
int str_rows(const struct func_ctx *ctx,
             const struct vec *args,
             uint32_t args_count,
             uint32_t count,
             str_fn fn,
             struct vec *ret,
             struct dn_err *err) DN_MUST_CHECK;

/* What b holds as the result, unless rc says that filling it failed. b is done with. */
int str_keep(const struct str_call *c, int rc, struct buf *b, struct vstr *ret) DN_MUST_CHECK;

#define STR_KERNEL(name)                                                     \
    static int func_##name(const struct func_ctx *ctx,                       \
                           const struct vec *args,                           \
                           uint32_t args_count,                              \
                           uint32_t count,                                   \
                           struct vec *ret,                                  \
                           struct dn_err *err)                               \
    {                                                                        \
        return str_rows(ctx, args, args_count, count, str_##name, ret, err); \
    }

#define STR(fname, n, fn, text, sample, ...)                                           \
    {                                                                                  \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = TYPE_VARCHAR, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample             \
    }
#define STR_TO(fname, n, r, fn, text, sample, ...)                                 \
    {                                                                              \
        .name = fname, .args = {__VA_ARGS__}, .args_count = n, .result = TYPE_##r, \
        .flags = FUNC_STRICT, .kernel = fn, .doc = text, .example = sample         \
    }
