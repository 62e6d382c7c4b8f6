/* SPDX-License-Identifier: Apache-2.0
 *
 * func_string.c: parts of texts and facts about them. What comes out borrows the argument's bytes.
 */
#define _GNU_SOURCE /* memmem */
#include "func/str_chars.h"

#define FIND_MISSES 32u /* so many places may turn out wrong before memmem takes over … */
#define FIND_SHORT  64u /* … and, if the text that is looked for is not longer, … */
#define FIND_STRIDE 8u  /* … one for so many bytes more */

/* Most texts have few places that begin alike: memchr finds them with fewer instructions than
 * memmem, which makes a table at each call. Where there are many, memmem's time is linear. */
const char *func_find_text(struct vstr s, struct vstr sub)
{
    const size_t stride = sub.len <= FIND_SHORT ? FIND_STRIDE : 0;
    const uint32_t rest = sub.len - 1; /* behind the first byte */
    const char *p = s.ptr;
    const char *last;    /* the last place where it may start */
    size_t patience = 0; /* a wrong place before this byte is one too many */
    size_t misses = 0;

    if (s.len < sub.len)
        return NULL;
    last = s.ptr + s.len - sub.len;
    while (p <= last) {
        p = memchr(p, sub.ptr[0], (size_t)(last - p) + 1);
        if (!p || (p[rest] == sub.ptr[rest] && memcmp(p, sub.ptr, rest) == 0))
            return p;
        if ((size_t)(p - s.ptr) < patience)
            return memmem(p, (size_t)(s.ptr + s.len - p), sub.ptr, sub.len);
        p++;
        if (++misses > FIND_MISSES)
            patience = stride ? (misses - FIND_MISSES) * stride : SIZE_MAX;
    }
    return NULL;
}

int str_rows(const struct func_ctx *ctx,
             const struct vec *args,
             uint32_t args_count,
             uint32_t count,
             str_fn fn,
             struct vec *ret,
             struct dn_err *err)
{
    struct vstr *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);
    struct str_call c = {.ctx = ctx, .args = args, .args_count = args_count, .err = err};

    if (!to)
        return DN_E_NOMEM;
    for (c.row = 0; c.row < count; c.row++) {
        int rc = func_check_cancel(ctx, err);

        to[c.row] = (struct vstr){"", 0};
        if (rc == 0 && !vec_is_null(ret, c.row))
            rc = fn(&c, &to[c.row]);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- parts ---- */

static int str_substring(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    int64_t first = str_int(c, 1);
    int64_t chars = INT64_MAX;
    int64_t end = INT64_MAX; /* first character after it, counted from 1 */
    uint32_t from;

    if (c->args_count == 3) {
        chars = str_int(c, 2);
        if (chars < 0)
            return DN_FAIL(c->err, DN_E_BAD_SUBSTRING, "negative substring length not allowed");
        if (__builtin_add_overflow(first, chars, &end))
            end = INT64_MAX;
    }
    if (first < 1)
        first = 1;
    if (end <= first)
        return 0;
    from = str_skip(s, 0, first - 1);
    *ret = str_cut(s, from, str_skip(s, from, end - first));
    return 0;
}
STR_KERNEL(substring)

/* A negative count leaves that many away at the other end. */
static int str_left(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    int64_t n = str_int(c, 1);

    if (n < 0)
        n = n < -(int64_t)s.len ? 0 : str_chars(s) + n;
    *ret = str_cut(s, 0, str_skip(s, 0, n));
    return 0;
}
STR_KERNEL(left)

static int str_right(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    int64_t n = str_int(c, 1);
    int64_t skip;

    if (n == INT64_MIN)
        return 0;
    skip = n < 0 ? -n : str_chars(s) - n;
    *ret = str_cut(s, str_skip(s, 0, skip), s.len);
    return 0;
}
STR_KERNEL(right)

static int str_split_part(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr by = str_arg(c, 1);
    int64_t n = str_int(c, 2);
    int64_t parts = 1;
    uint32_t from = 0;

    if (n == 0)
        return DN_FAIL(c->err, DN_E_INVALID_PARAM, "field position must not be zero");
    if (by.len == 0) {
        *ret = n == 1 || n == -1 ? s : *ret;
        return 0;
    }
    if (n < 0) {
        for (uint32_t at = 0; (at = str_find(s, by, at)) != UINT32_MAX; at += by.len)
            parts++;
        n = n < -parts ? 0 : parts + n + 1;
    }
    for (int64_t i = 1; n > 0; i++) {
        uint32_t at = str_find(s, by, from);

        if (i == n) {
            *ret = str_cut(s, from, at == UINT32_MAX ? s.len : at);
            return 0;
        }
        if (at == UINT32_MAX)
            return 0;
        from = at + by.len;
    }
    return 0;
}
STR_KERNEL(split_part)

/* ---- trimming ---- */

static int str_trim(const struct str_call *c, bool left, bool right, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr chars = c->args_count == 2 ? str_arg(c, 1) : (struct vstr){" ", 1};
    struct str_chars set;
    uint64_t steps = 0;
    uint32_t ignored;
    int rc = 0; /* 1: the character is to go */

    str_chars_init(chars, (struct vstr){"", 0}, &set);
    while (left && s.len && rc >= 0) {
        rc = str_chars_find(&set, c, s, 0, &ignored);
        if (rc <= 0)
            break;
        s = str_cut(s, str_char_len(s, 0), s.len);
        rc = str_steps(c, 8, &steps);
    }
    while (right && s.len && rc >= 0) {
        uint32_t at = s.len - 1;

        while (at > 0 && !str_is_lead(s.ptr[at]))
            at--;
        rc = str_chars_find(&set, c, s, at, &ignored);
        if (rc <= 0)
            break;
        s.len = at;
        rc = str_steps(c, 8, &steps);
    }
    str_chars_done(&set);
    *ret = s;
    return rc < 0 ? rc : 0;
}

static int str_btrim(const struct str_call *c, struct vstr *ret)
{
    return str_trim(c, true, true, ret);
}
STR_KERNEL(btrim)

static int str_ltrim(const struct str_call *c, struct vstr *ret)
{
    return str_trim(c, true, false, ret);
}
STR_KERNEL(ltrim)

static int str_rtrim(const struct str_call *c, struct vstr *ret)
{
    return str_trim(c, false, true, ret);
}
STR_KERNEL(rtrim)

/* ---- to numbers and truth values ---- */

static int32_t str_strpos(struct vstr s, struct vstr sub)
{
    uint32_t at = str_find(s, sub, 0);

    return at == UINT32_MAX ? 0 : (int32_t)str_chars(str_cut(s, 0, at)) + 1;
}

static int func_strpos(const struct func_ctx *ctx,
                       const struct vec *args,
                       uint32_t args_count DN_UNUSED,
                       uint32_t count,
                       struct vec *ret,
                       struct dn_err *err)
{
    int32_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        to[i] = vec_is_null(ret, i) ? 0 : str_strpos(vec_str(&args[0], i), vec_str(&args[1], i));
    return 0;
}

static int func_starts_with(const struct func_ctx *ctx,
                            const struct vec *args,
                            uint32_t args_count DN_UNUSED,
                            uint32_t count,
                            struct vec *ret,
                            struct dn_err *err)
{
    int8_t *to = func_ret_alloc(ctx, ret, count, sizeof *to, err);

    if (!to)
        return DN_E_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        struct vstr s = {"", 0};
        struct vstr start = {"", 0};

        if (!vec_is_null(ret, i)) {
            s = vec_str(&args[0], i);
            start = vec_str(&args[1], i);
        }
        to[i] = start.len <= s.len && memcmp(s.ptr, start.ptr, start.len) == 0;
    }
    return 0;
}

static int32_t str_code(struct vstr s)
{
    const uint8_t *p = (const uint8_t *)s.ptr;

    if (s.len == 0)
        return 0;
    if (p[0] < 0x80 || s.len < 2)
        return p[0];
    if (p[0] < 0xE0 || s.len < 3)
        return (p[0] & 0x1F) << 6 | (p[1] & 0x3F);
    if (p[0] < 0xF0 || s.len < 4)
        return (p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    return (p[0] & 0x07) << 18 | (p[1] & 0x3F) << 12 | (p[2] & 0x3F) << 6 | (p[3] & 0x3F);
}

#define UNARY_FN       func_ascii
#define UNARY_T        struct vstr
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = str_code(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_bytes
#define UNARY_T        struct vstr
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (int32_t)(x).len, 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define UNARY_FN       func_char_length
#define UNARY_T        struct vstr
#define UNARY_R        int32_t
#define UNARY_OP(x, r) ((r) = (int32_t)str_chars(x), 0)
#define UNARY_RAISE(x) ((void)err, DN_E_INTERNAL)
#include "func/unary_tmpl.h"

#define T TYPE_VARCHAR
#define N TYPE_BIGINT

static const struct func func_string_rows[] = {
    STR("substring",
        2,
        func_substring,
        "The part from that character on, the first is 1; also substring(s FROM n).",
        "substring('Größe', 3) = öße",
        T,
        N),
    STR("substring",
        3,
        func_substring,
        "That many characters from that one on; also substring(s FROM n FOR m).",
        "substring('Größe', 2, 3) = röß",
        T,
        N,
        N),
    STR("substr", 2, func_substring, "The same as substring.", "substr('abc', 2) = bc", T, N),
    STR("substr", 3, func_substring, "The same as substring.", "substr('abc', 0, 2) = a", T, N, N),
    STR("left",
        2,
        func_left,
        "The first characters; with a negative count all but the last.",
        "left('abcde', -2) = abc",
        T,
        N),
    STR("right",
        2,
        func_right,
        "The last characters; with a negative count all but the first.",
        "right('abcde', 2) = de",
        T,
        N),
    STR("split_part",
        3,
        func_split_part,
        "The n-th part between separators; from the end if n is negative.",
        "split_part('a,b,c', ',', 2) = b",
        T,
        T,
        N),
    STR("trim",
        1,
        func_btrim,
        "Without the spaces at both ends; trim([LEADING | TRAILING | BOTH] [characters] FROM s) "
        "too.",
        "trim('  ab ') = ab",
        T),
    STR("trim",
        2,
        func_btrim,
        "Without those characters at both ends.",
        "trim('xyabyx', 'xy') = ab",
        T,
        T),
    STR("btrim", 1, func_btrim, "Without the spaces at both ends.", "btrim('  ab ') = ab", T),
    STR("btrim",
        2,
        func_btrim,
        "Without those characters at both ends.",
        "btrim('xyabyx', 'xy') = ab",
        T,
        T),
    STR("ltrim", 1, func_ltrim, "Without the spaces at the start.", "ltrim('  ab') = ab", T),
    STR("ltrim",
        2,
        func_ltrim,
        "Without those characters at the start.",
        "ltrim('xyab', 'yx') = ab",
        T,
        T),
    STR("rtrim", 1, func_rtrim, "Without the spaces at the end.", "rtrim('ab  ') = ab", T),
    STR("rtrim",
        2,
        func_rtrim,
        "Without those characters at the end.",
        "rtrim('abxy', 'yx') = ab",
        T,
        T),
    STR_TO("ascii",
           1,
           INTEGER,
           func_ascii,
           "The Unicode number of the first character; 0 of the empty text.",
           "ascii('€') = 8364",
           T),
    STR_TO(
        "strpos",
        2,
        INTEGER,
        func_strpos,
        "Where the second text first occurs in the first, 0 if nowhere; also position(part IN s).",
        "strpos('Größe', 'ß') = 4",
        T,
        T),
    STR_TO("starts_with",
           2,
           BOOLEAN,
           func_starts_with,
           "Whether the first text starts with the second.",
           "starts_with('abc', 'ab') = true",
           T,
           T),
    STR_TO("char_length",
           1,
           INTEGER,
           func_char_length,
           "Characters of a text.",
           "char_length('Größe') = 5",
           T),
    STR_TO("character_length",
           1,
           INTEGER,
           func_char_length,
           "Characters of a text.",
           "character_length('ab') = 2",
           T),
    STR_TO("octet_length",
           1,
           INTEGER,
           func_bytes,
           "Bytes of a text or BLOB.",
           "octet_length('Größe') = 7",
           T),
    STR_TO("octet_length",
           1,
           INTEGER,
           func_bytes,
           "Bytes of a text or BLOB.",
           "octet_length(0x00ff) = 2",
           TYPE_BLOB),
};

const struct func_table func_table_string = {func_string_rows, DN_ARRAY_SIZE(func_string_rows)};
