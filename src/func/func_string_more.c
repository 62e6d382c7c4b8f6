/* SPDX-License-Identifier: Apache-2.0
 *
 * func_string_more.c: more functions of text: overlay, initcap, to_hex, unistr, and bytes as text
 * and back. */
#include "func/str_int.h"
#include "func/text_int.h"

#include <inttypes.h>
#include <strings.h>
#include <utf8proc.h>

static int str_overlay(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr with = str_arg(c, 1);
    int64_t from = str_int(c, 2);
    int64_t count = c->args_count == 4 ? str_int(c, 3) : str_chars(with);
    int64_t end;
    uint32_t head;
    uint32_t tail;
    struct buf b;

    if (from <= 0)
        return DN_FAIL(c->err, DN_E_BAD_SUBSTRING, "negative substring length not allowed");
    if (__builtin_add_overflow(from, count, &end))
        return func_fail_range(TYPE_BIGINT, c->err);
    head = str_skip(s, 0, from - 1);
    tail = str_skip(s, 0, end - 1);
    buf_init(&b, c->ctx->arena->owner);
    buf_append(&b, s.ptr, head);
    buf_append(&b, with.ptr, with.len);
    buf_append(&b, s.ptr + tail, s.len - tail);
    return str_keep(c, 0, &b, ret);
}
STR_KERNEL(overlay)

static bool more_is_word(utf8proc_int32_t ch)
{
    utf8proc_category_t k = utf8proc_category(ch);

    return (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) ||
           (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO);
}

static int str_initcap(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    bool inside = false;
    uint64_t steps = 0;
    struct buf b;
    int rc = 0;

    buf_init(&b, c->ctx->arena->owner);
    for (uint32_t at = 0; at < s.len && rc == 0;) {
        uint32_t n = str_char_len(s, at);
        utf8proc_int32_t ch = 0;
        utf8proc_uint8_t to[4];

        if (utf8proc_iterate((const utf8proc_uint8_t *)s.ptr + at, (utf8proc_ssize_t)n, &ch) <= 0) {
            buf_append(&b, s.ptr + at, n); /* no UTF-8: it stays */
        } else {
            bool word = more_is_word(ch);

            ch = inside ? utf8proc_tolower(ch) : utf8proc_toupper(ch);
            buf_append(&b, to, (size_t)utf8proc_encode_char(ch, to));
            inside = word;
        }
        at += n;
        rc = str_steps(c, 1, &steps);
    }
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(initcap)

static int str_to_hex(const struct str_call *c, struct vstr *ret)
{
    int64_t v = str_int(c, 0);
    struct buf b;

    buf_init(&b, c->ctx->arena->owner);
    if (c->args[0].type == TYPE_BIGINT)
        buf_printf(&b, "%" PRIx64, (uint64_t)v);
    else
        buf_printf(&b, "%" PRIx32, (uint32_t)v);
    return str_keep(c, 0, &b, ret);
}
STR_KERNEL(to_hex)

/* n hexadecimal digits at *at: the number, or -1. */
static int64_t more_hex(struct vstr s, uint32_t *at, uint32_t n)
{
    int64_t v = 0;

    if (s.len - *at < n)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        char ch = s.ptr[*at + i];
        int d = ch >= '0' && ch <= '9'   ? ch - '0'
                : ch >= 'a' && ch <= 'f' ? ch - 'a' + 10
                : ch >= 'A' && ch <= 'F' ? ch - 'A' + 10
                                         : -1;

        if (d < 0)
            return -1;
        v = v << 4 | d;
    }
    *at += n;
    return v;
}

/* Behind a backslash: the number of a character, or -1. */
static int64_t more_unicode(struct vstr s, uint32_t *at)
{
    char ch = *at < s.len ? s.ptr[*at] : 0;

    if (ch == '\\') {
        (*at)++;
        return '\\';
    }
    if (ch != 'u' && ch != 'U' && ch != '+')
        return more_hex(s, at, 4);
    (*at)++;
    return more_hex(s, at, ch == 'u' ? 4 : ch == 'U' ? 8 : 6);
}

static int more_fail_unicode(const struct str_call *c)
{
    int rc = DN_FAIL(c->err, DN_E_SYNTAX, "invalid Unicode escape");

    dn_err_hint(c->err, "Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX.");
    return rc;
}

static int more_fail_pair(const struct str_call *c)
{
    return DN_FAIL(c->err, DN_E_SYNTAX, "invalid Unicode surrogate pair");
}

static int more_unistr(const struct str_call *c, struct vstr s, struct buf *b)
{
    utf8proc_uint8_t to[4];
    uint64_t steps = 0;

    for (uint32_t at = 0; at < s.len;) {
        int64_t v;
        int rc = str_steps(c, 1, &steps);

        if (rc < 0)
            return rc;
        if (s.ptr[at] != '\\') {
            buf_u8(b, (uint8_t)s.ptr[at++]);
            continue;
        }
        at++;
        v = more_unicode(s, &at);
        if (v >= 0xd800 && v < 0xdc00 && at < s.len && s.ptr[at] == '\\') {
            int64_t low;

            at++;
            low = more_unicode(s, &at);
            if (low >= 0 && (low < 0xdc00 || low >= 0xe000))
                return more_fail_pair(c);
            v = low >= 0 ? 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00) : -1;
        }
        if (v >= 0xd800 && v < 0xe000)
            return more_fail_pair(c);
        if (v <= 0 || v > 0x10ffff)
            return more_fail_unicode(c);
        buf_append(b, to, (size_t)utf8proc_encode_char((utf8proc_int32_t)v, to));
    }
    return 0;
}

static int str_unistr(const struct str_call *c, struct vstr *ret)
{
    struct buf b;

    buf_init(&b, c->ctx->arena->owner);
    return str_keep(c, more_unistr(c, str_arg(c, 0), &b), &b, ret);
}
STR_KERNEL(unistr)

/* ---- bytes as text ---- */

static const char more_base64[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int more_encode_base64(const struct str_call *c, struct vstr s, struct buf *b)
{
    uint64_t steps = 0;
    uint32_t line = 0;

    for (uint32_t i = 0; i < s.len; i += 3) {
        uint32_t n = s.len - i < 3 ? s.len - i : 3;
        uint32_t v = 0;
        int rc = str_steps(c, 3, &steps);

        if (rc < 0)
            return rc;
        for (uint32_t k = 0; k < 3; k++)
            v = v << 8 | (k < n ? (uint8_t)s.ptr[i + k] : 0u);
        for (uint32_t k = 0; k < 4; k++)
            buf_u8(b, (uint8_t)(k <= n ? more_base64[v >> (18 - 6 * k) & 63] : '='));
        line += 4;
        if (line >= 76) {
            buf_u8(b, '\n');
            line = 0;
        }
    }
    return 0;
}

static int more_encode_escape(const struct str_call *c, struct vstr s, struct buf *b)
{
    uint64_t steps = 0;

    for (uint32_t i = 0; i < s.len; i++) {
        uint8_t ch = (uint8_t)s.ptr[i];
        int rc = str_steps(c, 16, &steps);

        if (rc < 0)
            return rc;
        if (ch == 0 || ch >= 128)
            buf_printf(b, "\\%03o", ch);
        else if (ch == '\\')
            buf_puts(b, "\\\\");
        else
            buf_u8(b, ch);
    }
    return 0;
}

static int more_encode_hex(const struct str_call *c, struct vstr s, struct buf *b)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t steps = 0;

    for (uint32_t i = 0; i < s.len; i++) {
        int rc = str_steps(c, 1, &steps);

        if (rc < 0)
            return rc;
        buf_u8(b, (uint8_t)digits[(uint8_t)s.ptr[i] >> 4]);
        buf_u8(b, (uint8_t)digits[s.ptr[i] & 15]);
    }
    return 0;
}

static bool more_is(struct vstr name, const char *word)
{
    return strlen(word) == name.len && strncasecmp(word, name.ptr, name.len) == 0;
}

static int more_fail_encoding(const struct str_call *c, struct vstr name)
{
    int rc = DN_FAIL(c->err,
                     DN_E_INVALID_PARAM,
                     "unrecognized encoding: \"%.*s\"",
                     text_quote_len(name),
                     name.ptr);

    dn_err_hint(c->err, "Encodings are hex, base64 and escape.");
    return rc;
}

static int str_encode(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr how = str_arg(c, 1);
    struct buf b;
    int rc;

    buf_init(&b, c->ctx->arena->owner);
    if (more_is(how, "hex"))
        rc = more_encode_hex(c, s, &b);
    else if (more_is(how, "base64"))
        rc = more_encode_base64(c, s, &b);
    else if (more_is(how, "escape"))
        rc = more_encode_escape(c, s, &b);
    else
        rc = more_fail_encoding(c, how);
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(encode)

static int more_decode_base64(const struct str_call *c, struct vstr s, struct buf *b)
{
    uint32_t v = 0;
    uint32_t have = 0; /* digits of a group of four */
    uint32_t ends = 0; /* = among them */
    uint64_t steps = 0;

    for (uint32_t i = 0; i < s.len; i++) {
        const char *at = memchr(more_base64, s.ptr[i], 64);
        int rc = str_steps(c, 1, &steps);

        if (rc < 0)
            return rc;
        if (text_is_space(s.ptr[i]))
            continue;
        if (s.ptr[i] == '=' && have < 2)
            return DN_FAIL(
                c->err, DN_E_INVALID_PARAM, "unexpected \"=\" while decoding base64 sequence");
        if (s.ptr[i] != '=' && (!at || ends))
            return DN_FAIL(c->err,
                           DN_E_INVALID_PARAM,
                           "invalid symbol \"%.*s\" found while decoding base64 sequence",
                           (int)str_char_len(s, i),
                           s.ptr + i);
        ends += s.ptr[i] == '=';
        v = v << 6 | (at ? (uint32_t)(at - more_base64) : 0u);
        if (++have < 4)
            continue;
        for (uint32_t k = 0; k < 3 - ends; k++)
            buf_u8(b, (uint8_t)(v >> (16 - 8 * k)));
        v = 0;
        have = 0;
        ends = 0;
    }
    if (have) {
        int rc = DN_FAIL(c->err, DN_E_INVALID_PARAM, "invalid base64 end sequence");

        dn_err_hint(c->err,
                    "Input data is missing padding, is truncated, or is otherwise corrupted.");
        return rc;
    }
    return 0;
}

static int str_decode(const struct str_call *c, struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct vstr how = str_arg(c, 1);
    struct buf b;
    int rc;

    buf_init(&b, c->ctx->arena->owner);
    if (more_is(how, "hex"))
        rc = text_unhex(s, &b, c->err);
    else if (more_is(how, "base64"))
        rc = more_decode_base64(c, s, &b);
    else if (more_is(how, "escape"))
        rc = text_unescape(s, &b, c->err);
    else
        rc = more_fail_encoding(c, how);
    return str_keep(c, rc, &b, ret);
}
STR_KERNEL(decode)

#define T TYPE_VARCHAR
#define N TYPE_BIGINT

static const struct func func_string_more_rows[] = {
    STR("overlay",
        3,
        func_overlay,
        "The second text in place of as many characters from one on; also overlay(s PLACING t FROM "
        "n).",
        "overlay('Txxxxas', 'hom', 2) = Thomxas",
        T,
        T,
        N),
    STR("overlay",
        4,
        func_overlay,
        "The second text in place of that many characters from one on; also overlay(s PLACING t "
        "FROM "
        "n FOR m).",
        "overlay('Txxxxas', 'hom', 2, 4) = Thomas",
        T,
        T,
        N,
        N),
    STR("initcap",
        1,
        func_initcap,
        "The first letter of each word in upper case, the others in lower.",
        "initcap('hi ÄTHER') = Hi Äther",
        T),
    STR("to_hex",
        1,
        func_to_hex,
        "The number in hexadecimal digits.",
        "to_hex(255) = ff",
        TYPE_INTEGER),
    STR("to_hex", 1, func_to_hex, "The number in hexadecimal digits.", "to_hex(255) = ff", N),
    STR("unistr",
        1,
        func_unistr,
        "\\XXXX, \\+XXXXXX, \\uXXXX and \\UXXXXXXXX replaced by the character with that number.",
        "unistr('d\\0061t\\+000061') = data",
        T),
    STR("encode",
        2,
        func_encode,
        "The bytes as text: hex, base64 or escape.",
        "encode(0x3132ff, 'base64') = MTL/",
        TYPE_BLOB,
        T),
    STR_TO("decode",
           2,
           BLOB,
           func_decode,
           "The bytes that a text stands for: hex, base64 or escape.",
           "decode('MTL/', 'base64') = 0x3132ff",
           T,
           T),
};

const struct func_table func_table_string_more = {func_string_more_rows,
                                                  DN_ARRAY_SIZE(func_string_more_rows)};
