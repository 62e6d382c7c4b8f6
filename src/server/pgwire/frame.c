/* SPDX-License-Identifier: Apache-2.0
 *
 * frame.c: see frame.h. */
#include "server/pgwire/frame.h"

#include "base/bytes.h"

enum pgw_framing pgw_first(const uint8_t *p, size_t n, struct pgw_frame *ret, size_t *ret_len)
{
    uint32_t len;

    if (n < 4)
        return PGW_MORE;
    len = be_get32(p);
    if (len < 8)
        return PGW_BAD_LEN;
    if (len > PGW_START_MAX)
        return PGW_TOO_LONG;
    if (n < len)
        return PGW_MORE;
    *ret = (struct pgw_frame){.code = be_get32(p + 4), .body = {.p = p + 8, .end = p + len}};
    *ret_len = len;
    return PGW_FRAME;
}

enum pgw_framing
pgw_next(const uint8_t *p, size_t n, uint64_t max, struct pgw_frame *ret, size_t *ret_len)
{
    uint32_t len;

    if (n < 5)
        return PGW_MORE;
    len = be_get32(p + 1);
    if (len < 4)
        return PGW_BAD_LEN;
    if (len > max)
        return PGW_TOO_LONG;
    if (n - 1 < len)
        return PGW_MORE;
    *ret = (struct pgw_frame){.code = p[0], .body = {.p = p + 5, .end = p + 1 + len}};
    *ret_len = (size_t)len + 1;
    return PGW_FRAME;
}

const uint8_t *pgw_rd_bytes(struct pgw_rd *r, size_t n)
{
    const uint8_t *p = r->p;

    if (r->bad || n > pgw_rd_left(r)) {
        r->bad = true;
        return NULL;
    }
    r->p += n;
    return p;
}

uint8_t pgw_rd_u8(struct pgw_rd *r)
{
    const uint8_t *p = pgw_rd_bytes(r, 1);

    return p ? *p : 0;
}

int16_t pgw_rd_i16(struct pgw_rd *r)
{
    const uint8_t *p = pgw_rd_bytes(r, 2);

    return (int16_t)(p ? be_get16(p) : 0);
}

int32_t pgw_rd_i32(struct pgw_rd *r)
{
    const uint8_t *p = pgw_rd_bytes(r, 4);

    return p ? (int32_t)be_get32(p) : 0;
}

int64_t pgw_rd_i64(struct pgw_rd *r)
{
    const uint8_t *p = pgw_rd_bytes(r, 8);

    return p ? (int64_t)be_get64(p) : 0;
}

const char *pgw_rd_text(struct pgw_rd *r)
{
    const uint8_t *end = r->bad ? NULL : memchr(r->p, 0, pgw_rd_left(r));
    const char *text = (const char *)r->p;

    if (!end) {
        r->bad = true;
        return "";
    }
    r->p = end + 1;
    return text;
}
