/* SPDX-License-Identifier: Apache-2.0
 *
 * frame.h: messages of PostgreSQL's protocol, version 3, taken apart. Numbers are big-endian.
 *
 * First comes an untyped packet (length, code, rest): a start, or a request for TLS, GSS or the
 * cancelling of something. Then typed messages: a letter, a length that counts itself, a body.
 * Nothing here trusts a length: what is too long or too short is refused before it is waited for.
 * Any thread; nothing is kept. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Codes of first packets. */
#define PGW_CANCEL  80877102u
#define PGW_TLS     80877103u
#define PGW_GSS     80877104u
#define PGW_VERSION 196608u /* 3.0 */

#define PGW_START_MAX 10000u /* bytes of a first packet, as PostgreSQL has it */

/* A body, or the rest of one. Sticky: reading over its end gives zeros and sets bad. */
struct pgw_rd {
    const uint8_t *p; /* borrowed */
    const uint8_t *end;
    bool bad;
};

struct pgw_frame {
    uint32_t code; /* of a first packet, or the letter of a message */
    struct pgw_rd body;
};

enum pgw_framing {
    PGW_FRAME = 1,    /* *ret is one; *ret_len bytes were taken */
    PGW_MORE = 0,     /* not all of it has come */
    PGW_BAD_LEN = -1, /* the length makes no sense */
    PGW_TOO_LONG = -2,
};

enum pgw_framing
pgw_first(const uint8_t *p, size_t n, struct pgw_frame *ret, size_t *ret_len) DN_MUST_CHECK;
enum pgw_framing pgw_next(
    const uint8_t *p, size_t n, uint64_t max, struct pgw_frame *ret, size_t *ret_len) DN_MUST_CHECK;

uint8_t pgw_rd_u8(struct pgw_rd *r);
int16_t pgw_rd_i16(struct pgw_rd *r);
int32_t pgw_rd_i32(struct pgw_rd *r);
int64_t pgw_rd_i64(struct pgw_rd *r);
/* Up to its NUL; "" and bad if there is none. */
const char *pgw_rd_text(struct pgw_rd *r);
const uint8_t *pgw_rd_bytes(struct pgw_rd *r, size_t n); /* NULL and bad: fewer are left */
static inline size_t pgw_rd_left(const struct pgw_rd *r)
{
    return (size_t)(r->end - r->p);
}
/* All was read, and nothing is wrong. */
static inline bool pgw_rd_done(const struct pgw_rd *r)
{
    return !r->bad && r->p == r->end;
}
