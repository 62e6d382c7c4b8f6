/* SPDX-License-Identifier: Apache-2.0
 *
 * bytes.h: loads and stores of either byte order, a growing byte buffer, and a bounds-checked
 * reader. All formats on disk and on the wire are written with struct buf and read with struct rd;
 * a buffer is never cast to a struct.
 *
 * Both are sticky: a buf that ran out of memory ignores further appends, an rd that ran over its
 * end returns zeros; test buf.failed / rd.bad once at the end. One thread at a time. */
#pragma once

#include "base/attr.h"
#include "base/mem.h"

#include <stdbool.h>
#include <string.h>

static inline uint16_t le_get16(const void *p)
{
    const uint8_t *b = p;
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t le_get32(const void *p)
{
    const uint8_t *b = p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t le_get64(const void *p)
{
    const uint8_t *b = p;
    return (uint64_t)le_get32(b) | (uint64_t)le_get32(b + 4) << 32;
}

static inline void le_put16(void *p, uint16_t v)
{
    uint8_t *b = p;
    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
}

static inline void le_put32(void *p, uint32_t v)
{
    uint8_t *b = p;
    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
    b[2] = (uint8_t)(v >> 16);
    b[3] = (uint8_t)(v >> 24);
}

static inline void le_put64(void *p, uint64_t v)
{
    uint8_t *b = p;
    le_put32(b, (uint32_t)v);
    le_put32(b + 4, (uint32_t)(v >> 32));
}

static inline uint16_t be_get16(const void *p)
{
    const uint8_t *b = p;
    return (uint16_t)(b[0] << 8 | b[1]);
}

static inline uint32_t be_get32(const void *p)
{
    const uint8_t *b = p;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
}

static inline void be_put16(void *p, uint16_t v)
{
    uint8_t *b = p;
    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

static inline void be_put32(void *p, uint32_t v)
{
    uint8_t *b = p;
    b[0] = (uint8_t)(v >> 24);
    b[1] = (uint8_t)(v >> 16);
    b[2] = (uint8_t)(v >> 8);
    b[3] = (uint8_t)v;
}

static inline void be_put64(void *p, uint64_t v)
{
    uint8_t *b = p;
    b[0] = (uint8_t)(v >> 56);
    b[1] = (uint8_t)(v >> 48);
    b[2] = (uint8_t)(v >> 40);
    b[3] = (uint8_t)(v >> 32);
    b[4] = (uint8_t)(v >> 24);
    b[5] = (uint8_t)(v >> 16);
    b[6] = (uint8_t)(v >> 8);
    b[7] = (uint8_t)v;
}

/* Written out because gcc folds this form, but no loop, into one load and a byte swap. */
static inline uint64_t be_get64(const void *p)
{
    const uint8_t *b = p;
    return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 |
           (uint64_t)b[3] << 32 | (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 |
           (uint64_t)b[6] << 8 | (uint64_t)b[7];
}

struct buf {
    uint8_t *data;           /* owned */
    size_t len;              /* bytes used */
    size_t cap;              /* bytes allocated */
    struct mem_owner *owner; /* borrowed */
    bool failed;             /* an allocation failed; contents are useless */
};

void buf_init(struct buf *b, struct mem_owner *owner);
void buf_done(struct buf *b);  /* zeroed or half-built is fine */
void buf_reset(struct buf *b); /* len = 0, failed = false, memory kept */
/* Room for n more bytes; false (and failed) when out of memory. */
bool buf_reserve(struct buf *b, size_t n);
/* n bytes at the end to be filled by the caller; NULL when out of memory. */
uint8_t *buf_extend(struct buf *b, size_t n);
void buf_append(struct buf *b, const void *p, size_t n);
void buf_u8(struct buf *b, uint8_t v);
void buf_u16(struct buf *b, uint16_t v);
void buf_u32(struct buf *b, uint32_t v);
void buf_u64(struct buf *b, uint64_t v);
void buf_be16(struct buf *b, uint16_t v); /* big-endian, as PostgreSQL's protocol has it */
void buf_be32(struct buf *b, uint32_t v);
void buf_be64(struct buf *b, uint64_t v);
void buf_varint(struct buf *b, uint64_t v); /* LEB128 */
/* varint length, then the bytes */
void buf_bytes(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, const char *s);           /* buf_bytes of a C string */
void buf_puts(struct buf *b, const char *s);          /* the characters only */
void buf_hex(struct buf *b, const void *p, size_t n); /* two digits in lower case for each byte */
void buf_printf(struct buf *b, const char *fmt, ...) DN_PRINTF(2, 3);
/* Hands the memory over (mem_free it) and leaves b empty. */
uint8_t *buf_take(struct buf *b, size_t *ret_len);

struct rd {
    const uint8_t *p;   /* next byte, borrowed */
    const uint8_t *end; /* one past the last */
    bool bad;           /* read over the end, or a varint was malformed */
};

static inline struct rd rd_make(const void *p, size_t n)
{
    struct rd r = {.p = p, .end = n ? (const uint8_t *)p + n : p, .bad = false};
    return r;
}

static inline size_t rd_left(const struct rd *r)
{
    return (size_t)(r->end - r->p);
}

uint8_t rd_u8(struct rd *r);
uint16_t rd_u16(struct rd *r);
uint32_t rd_u32(struct rd *r);
uint64_t rd_u64(struct rd *r);
uint64_t rd_varint(struct rd *r);
/* n bytes in place, NULL (and bad) if fewer are left. */
const uint8_t *rd_bytes(struct rd *r, size_t n);
/* varint length, then that many bytes in place. */
const uint8_t *rd_blob(struct rd *r, size_t *ret_len);
