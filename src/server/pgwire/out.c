/* SPDX-License-Identifier: Apache-2.0
 *
 * out.c: see out.h. */
#include "server/pgwire/out.h"

#include <stdio.h>

size_t pgw_begin(struct buf *b, char type)
{
    size_t at = b->len + 1;
    uint8_t *p = buf_extend(b, 5);

    if (p) {
        p[0] = (uint8_t)type;
        be_put32(p + 1, 0);
    }
    return at;
}

void pgw_end(struct buf *b, size_t at)
{
    if (!b->failed)
        be_put32(b->data + at, (uint32_t)(b->len - at));
}

void pgw_text(struct buf *b, const char *s)
{
    buf_append(b, s, strlen(s) + 1);
}

void pgw_empty(struct buf *b, char type)
{
    pgw_end(b, pgw_begin(b, type));
}

void pgw_ready(struct buf *b, char status)
{
    size_t at = pgw_begin(b, 'Z');

    buf_u8(b, (uint8_t)status);
    pgw_end(b, at);
}

void pgw_complete(struct buf *b, const char *tag)
{
    size_t at = pgw_begin(b, 'C');

    pgw_text(b, tag);
    pgw_end(b, at);
}

void pgw_parameter(struct buf *b, const char *name, const char *value)
{
    size_t at = pgw_begin(b, 'S');

    pgw_text(b, name);
    pgw_text(b, value);
    pgw_end(b, at);
}

void pgw_auth(struct buf *b, int32_t kind, const void *p, size_t n)
{
    size_t at = pgw_begin(b, 'R');

    pgw_i32(b, kind);
    buf_append(b, p, n);
    pgw_end(b, at);
}

static void out_field(struct buf *b, char field, const char *text)
{
    buf_u8(b, (uint8_t)field);
    pgw_text(b, text);
}

void pgw_report(struct buf *b, char type, const struct pgw_report *r)
{
    size_t at = pgw_begin(b, type);
    char position[16];

    out_field(b, 'S', r->severity);
    out_field(b, 'V', r->severity);
    out_field(b, 'C', r->sqlstate);
    out_field(b, 'M', r->message);
    if (r->hint && r->hint[0])
        out_field(b, 'H', r->hint);
    if (r->position) {
        snprintf(position, sizeof position, "%u", r->position);
        out_field(b, 'P', position);
    }
    buf_u8(b, 0);
    pgw_end(b, at);
}

void pgw_error(struct buf *b, const struct dendro_error *e)
{
    pgw_report(b,
               'E',
               &(struct pgw_report){.severity = "ERROR",
                                    .sqlstate = e->sqlstate,
                                    .message = e->message,
                                    .hint = e->hint,
                                    .position = e->position});
}

void pgw_errorf(
    struct buf *b, const char *severity, const char *sqlstate, const char *fmt, va_list args)
{
    char text[DENDRO_MESSAGE_MAX];

    vsnprintf(text, sizeof text, fmt, args);
    pgw_report(
        b, 'E', &(struct pgw_report){.severity = severity, .sqlstate = sqlstate, .message = text});
}
