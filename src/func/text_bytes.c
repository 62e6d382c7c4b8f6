/* SPDX-License-Identifier: Apache-2.0
 *
 * text_bytes.c: texts of BLOB: hexadecimal after 0x or \x, otherwise characters that stand for
 * their bytes, with \\ for a backslash and \ooo for any byte. */
#include "base/number.h"
#include "base/text.h"
#include "func/text_int.h"

#include <string.h>

/* Bytes of the character at i. */
static int bytes_char_len(struct vstr s, uint32_t i)
{
    int n = 1;

    while (i + (uint32_t)n < s.len && (s.ptr[i + (uint32_t)n] & 0xC0) == 0x80 && n < 4)
        n++;
    return n;
}

int text_unhex(struct vstr s, struct buf *b, struct dn_err *err)
{
    uint8_t *to;

    if (!buf_reserve(b, s.len / 2 + 1))
        return 0; /* b->failed says it */
    to = b->data + b->len;
    for (uint32_t i = 0; i < s.len;) {
        int high = number_hex(s.ptr[i]);
        int low;

        if (s.ptr[i] == ' ' || (s.ptr[i] >= '\t' && s.ptr[i] <= '\r')) {
            i++;
            continue;
        }
        low = i + 1 < s.len ? number_hex(s.ptr[i + 1]) : -1;
        if (i + 1 >= s.len && high >= 0)
            return DN_FAIL(
                err, DN_E_INVALID_PARAM, "invalid hexadecimal data: odd number of digits");
        if (high < 0 || low < 0)
            return DN_FAIL(err,
                           DN_E_INVALID_PARAM,
                           "invalid hexadecimal digit: \"%.*s\"",
                           bytes_char_len(s, high < 0 ? i : i + 1),
                           s.ptr + (high < 0 ? i : i + 1));
        *to++ = (uint8_t)(high << 4 | low);
        i += 2;
    }
    b->len = (size_t)(to - b->data);
    return 0;
}

static bool bytes_octal(char c, char most)
{
    return c >= '0' && c <= most;
}

#define BYTES_PIECE 4096u /* of what is escaped: room is made once for each */

void text_escape(struct vstr s, struct buf *b)
{
    for (uint32_t i = 0; i < s.len;) {
        uint32_t end = s.len - i < BYTES_PIECE ? s.len : i + BYTES_PIECE;
        uint8_t *to;

        if (!buf_reserve(b, (size_t)(end - i) * 4))
            return;
        for (to = b->data + b->len; i < end; i++) {
            uint8_t byte = (uint8_t)s.ptr[i];

            if (byte >= 0x20 && byte <= 0x7e && byte != '\\') {
                *to++ = byte;
                continue;
            }
            *to++ = '\\';
            if (byte == '\\') {
                *to++ = byte;
                continue;
            }
            *to++ = (uint8_t)('0' + (byte >> 6));
            *to++ = (uint8_t)('0' + (byte >> 3 & 7));
            *to++ = (uint8_t)('0' + (byte & 7));
        }
        b->len = (size_t)(to - b->data);
    }
}

int text_unescape(struct vstr s, struct buf *b, struct dn_err *err)
{
    uint8_t *to;

    if (!buf_reserve(b, (size_t)s.len + 1))
        return 0; /* b->failed says it */
    to = b->data + b->len;
    for (uint32_t i = 0; i < s.len;) {
        const char *p = s.ptr + i;
        const char *end = *p == '\\' ? p : memchr(p, '\\', s.len - i);

        if (end != p) {
            size_t n = end ? (size_t)(end - p) : s.len - i;

            memcpy(to, p, n);
            to += n;
            i += (uint32_t)n;
        } else if (s.len - i >= 2 && p[1] == '\\') {
            *to++ = '\\';
            i += 2;
        } else if (s.len - i >= 4 && bytes_octal(p[1], '3') && bytes_octal(p[2], '7') &&
                   bytes_octal(p[3], '7')) {
            *to++ = (uint8_t)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
            i += 4;
        } else {
            int rc = DN_FAIL(err, DN_E_BAD_TEXT, "invalid input syntax for type bytea");

            dn_err_hint(err, "Write a backslash as \\\\, any byte as \\ooo, or all as '0x00ff'.");
            return rc;
        }
    }
    b->len = (size_t)(to - b->data);
    return 0;
}

/* Nothing but pairs of digits; false: something else, too. */
static bool bytes_pairs(struct vstr s, char *to)
{
    for (uint32_t i = 0; i < s.len / 2; i++) {
        int high = number_hex(s.ptr[2 * i]);
        int low = number_hex(s.ptr[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        to[i] = (char)(high << 4 | low);
    }
    return s.len % 2 == 0;
}

int text_parse_bits(struct vstr s, struct arena *arena, struct vstr *ret, struct dn_err *err)
{
    char kind = s.len ? (char)(s.ptr[0] | 0x20) : 0;
    bool hex = kind == 'x';
    uint32_t skip = hex || kind == 'b' ? 1 : 0;
    uint64_t bits = (uint64_t)(s.len - skip) * (hex ? 4 : 1);
    char *to = bits > UINT32_MAX ? NULL : arena_alloc(arena, bits + 1);

    if (!to)
        return DN_FAIL_NOMEM(err);
    for (uint64_t i = 0; i < bits; i++) {
        uint32_t at = skip + (uint32_t)(hex ? i / 4 : i);
        int digit = number_hex(s.ptr[at]);

        if (digit < 0 || (!hex && digit > 1))
            return DN_FAIL(err,
                           DN_E_BAD_TEXT,
                           "\"%.*s\" is not a valid %s digit",
                           bytes_char_len(s, at),
                           s.ptr + at,
                           hex ? "hexadecimal" : "binary");
        to[i] = (char)('0' + (hex ? digit >> (3 - i % 4) & 1 : digit));
    }
    *ret = (struct vstr){to, (uint32_t)bits};
    return 0;
}

int text_parse_blob(struct vstr s, struct arena *arena, struct vstr *ret, struct dn_err *err)
{
    bool hex = s.len >= 2 && (memcmp(s.ptr, "0x", 2) == 0 || memcmp(s.ptr, "0X", 2) == 0 ||
                              memcmp(s.ptr, "\\x", 2) == 0);
    struct vstr digits = hex ? (struct vstr){s.ptr + 2, s.len - 2} : s;
    char *to = arena_alloc(arena, s.len);
    struct buf b;
    int rc;

    if (!to)
        return DN_FAIL_NOMEM(err);
    if (hex && bytes_pairs(digits, to)) {
        *ret = (struct vstr){to, digits.len / 2};
        return 0;
    }
    buf_init(&b, NULL);
    rc = hex ? text_unhex(digits, &b, err) : text_unescape(digits, &b, err);
    if (rc == 0 && b.failed)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0) {
        DN_ASSERT(b.len <= s.len);
        if (b.len)
            memcpy(to, b.data, b.len);
        *ret = (struct vstr){to, (uint32_t)b.len};
    }
    buf_done(&b);
    return rc;
}
