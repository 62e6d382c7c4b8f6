/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#include <stdarg.h>
#include <stdio.h>

#define BUF_CAP_FIRST 64u

void buf_init(struct buf *b, struct mem_owner *owner)
{
    memset(b, 0, sizeof *b);
    b->owner = owner;
}

void buf_done(struct buf *b)
{
    mem_free(b->data);
    b->data = NULL;
    b->len = 0;
    b->cap = 0;
}

void buf_reset(struct buf *b)
{
    b->len = 0;
    b->failed = false;
}

bool buf_reserve(struct buf *b, size_t n)
{
    size_t want;
    size_t cap;
    uint8_t *data;

    if (b->failed)
        return false;
    if (n <= b->cap - b->len)
        return true;
    if (__builtin_add_overflow(b->len, n, &want) || want > SIZE_MAX / 2) {
        b->failed = true;
        return false;
    }
    cap = b->cap < BUF_CAP_FIRST ? BUF_CAP_FIRST : b->cap + b->cap / 2;
    if (cap < want)
        cap = want;
    data = mem_realloc(b->owner, b->data, cap);
    if (!data) {
        b->failed = true;
        return false;
    }
    b->data = data;
    b->cap = cap;
    return true;
}

uint8_t *buf_extend(struct buf *b, size_t n)
{
    uint8_t *p;

    if (!buf_reserve(b, n))
        return NULL;
    p = b->data + b->len;
    b->len += n;
    return p;
}

void buf_append(struct buf *b, const void *p, size_t n)
{
    uint8_t *to;

    if (n == 0)
        return;
    to = buf_extend(b, n);
    if (to)
        memcpy(to, p, n);
}

void buf_u8(struct buf *b, uint8_t v)
{
    buf_append(b, &v, 1);
}

void buf_u16(struct buf *b, uint16_t v)
{
    uint8_t *p = buf_extend(b, 2);
    if (p)
        le_put16(p, v);
}

void buf_u32(struct buf *b, uint32_t v)
{
    uint8_t *p = buf_extend(b, 4);
    if (p)
        le_put32(p, v);
}

void buf_u64(struct buf *b, uint64_t v)
{
    uint8_t *p = buf_extend(b, 8);
    if (p)
        le_put64(p, v);
}

void buf_be16(struct buf *b, uint16_t v)
{
    uint8_t *p = buf_extend(b, 2);
    if (p)
        be_put16(p, v);
}

void buf_be32(struct buf *b, uint32_t v)
{
    uint8_t *p = buf_extend(b, 4);
    if (p)
        be_put32(p, v);
}

void buf_be64(struct buf *b, uint64_t v)
{
    uint8_t *p = buf_extend(b, 8);
    if (p)
        be_put64(p, v);
}

void buf_varint(struct buf *b, uint64_t v)
{
    uint8_t tmp[10];
    size_t n = 0;

    while (v >= 0x80) {
        tmp[n++] = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    tmp[n++] = (uint8_t)v;
    buf_append(b, tmp, n);
}

void buf_bytes(struct buf *b, const void *p, size_t n)
{
    buf_varint(b, n);
    buf_append(b, p, n);
}

void buf_str(struct buf *b, const char *s)
{
    buf_bytes(b, s, strlen(s));
}

void buf_puts(struct buf *b, const char *s)
{
    buf_append(b, s, strlen(s));
}

void buf_hex(struct buf *b, const void *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *from = p;

    for (size_t i = 0; i < n; i++) {
        buf_u8(b, (uint8_t)digits[from[i] >> 4]);
        buf_u8(b, (uint8_t)digits[from[i] & 15]);
    }
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0 || !buf_reserve(b, (size_t)n + 1)) {
        b->failed = true;
        return;
    }
    va_start(args, fmt);
    (void)vsnprintf((char *)b->data + b->len, (size_t)n + 1, fmt, args);
    va_end(args);
    b->len += (size_t)n;
}

uint8_t *buf_take(struct buf *b, size_t *ret_len)
{
    uint8_t *data = b->data;

    *ret_len = b->len;
    b->data = NULL;
    b->len = 0;
    b->cap = 0;
    return data;
}

const uint8_t *rd_bytes(struct rd *r, size_t n)
{
    const uint8_t *p = r->p;

    if (r->bad || n > rd_left(r)) {
        r->bad = true;
        return NULL;
    }
    r->p += n;
    return p;
}

uint8_t rd_u8(struct rd *r)
{
    const uint8_t *p = rd_bytes(r, 1);
    return p ? *p : 0;
}

uint16_t rd_u16(struct rd *r)
{
    const uint8_t *p = rd_bytes(r, 2);
    return p ? le_get16(p) : 0;
}

uint32_t rd_u32(struct rd *r)
{
    const uint8_t *p = rd_bytes(r, 4);
    return p ? le_get32(p) : 0;
}

uint64_t rd_u64(struct rd *r)
{
    const uint8_t *p = rd_bytes(r, 8);
    return p ? le_get64(p) : 0;
}

uint64_t rd_varint(struct rd *r)
{
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = rd_u8(r);
        if (r->bad)
            return 0;
        if (shift == 63 && byte > 1)
            break;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return v;
    }
    r->bad = true;
    return 0;
}

const uint8_t *rd_blob(struct rd *r, size_t *ret_len)
{
    uint64_t n = rd_varint(r);
    const uint8_t *p;

    *ret_len = 0;
    if (r->bad || n > rd_left(r)) {
        r->bad = true;
        return NULL;
    }
    p = rd_bytes(r, (size_t)n);
    *ret_len = (size_t)n;
    return p;
}
