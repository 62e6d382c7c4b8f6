/* SPDX-License-Identifier: Apache-2.0
 *
 * out.h: messages to the client, each built whole in a buffer: pgw_begin, the parts, pgw_end.
 * A buffer without memory is found by whoever sends it (buf.failed). One thread at a time. */
#pragma once

#include "base/bytes.h"
#include "dendro.h"

#include <stdarg.h>

/* The letter and room for the length; gives the place for pgw_end. */
size_t pgw_begin(struct buf *b, char type);
void pgw_end(struct buf *b, size_t at);

static inline void pgw_i16(struct buf *b, int16_t v)
{
    buf_be16(b, (uint16_t)v);
}
static inline void pgw_i32(struct buf *b, int32_t v)
{
    buf_be32(b, (uint32_t)v);
}
void pgw_text(struct buf *b, const char *s); /* with its NUL */

void pgw_empty(struct buf *b, char type); /* a message without a body */
void pgw_ready(struct buf *b, char status);
void pgw_complete(struct buf *b, const char *tag);
void pgw_parameter(struct buf *b, const char *name, const char *value);
void pgw_auth(struct buf *b, int32_t kind, const void *p, size_t n);

/* ErrorResponse (type 'E') or NoticeResponse ('N'). */
struct pgw_report {
    const char *severity; /* "ERROR", "FATAL", "NOTICE" … */
    const char *sqlstate;
    const char *message;
    const char *hint;  /* NULL or "" = none */
    uint32_t position; /* 0 = none */
};
void pgw_report(struct buf *b, char type, const struct pgw_report *r);
void pgw_error(struct buf *b, const struct dendro_error *e);
void pgw_errorf(struct buf *b,
                const char *severity,
                const char *sqlstate,
                const char *fmt,
                va_list args) DN_PRINTF(4, 0);
