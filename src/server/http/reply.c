/* SPDX-License-Identifier: Apache-2.0
 *
 * reply.c: answers that are made at once, errors above all. */
#include "base/text.h"
#include "server/http/http_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void http_reply(struct http_req *req, unsigned status, const char *type, const char *text)
{
    req->status = status;
    req->type = type;
    req->more = NULL;
    req->ended = true;
    if (text) {
        buf_reset(&req->out);
        buf_puts(&req->out, text);
    }
}

/* Runs of plain characters are copied at once. Messages quote what clients sent, or end in the
 * middle of a character: U+FFFD stands for each byte that is none. */
void http_json_text(struct buf *b, const char *s, size_t len)
{
    size_t from = 0;

    buf_u8(b, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        size_t chars = c >= 0x80 ? text_utf8_len(s + i, len - i) : 1;

        if (chars > 0 && c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
            i += chars - 1;
            continue;
        }
        buf_append(b, s + from, i - from);
        from = i + 1;
        if (chars == 0) {
            buf_puts(b, "\xef\xbf\xbd");
        } else if (c == '"' || c == '\\') {
            buf_u8(b, '\\');
            buf_u8(b, c);
        } else if (c == '\n') {
            buf_append(b, "\\n", 2);
        } else if (c == '\t') {
            buf_append(b, "\\t", 2);
        } else {
            buf_printf(b, "\\u%04x", c);
        }
    }
    buf_append(b, s + from, len - from);
    buf_u8(b, '"');
}

static void reply_member(struct buf *b, const char *name, const char *text)
{
    buf_printf(b, ",\"%s\":", name);
    http_json_text(b, text, strlen(text));
}

void http_print_error(struct buf *b, const struct dendro_error *e, unsigned statement)
{
    const char *name = dendro_error_name(e->code);

    buf_puts(b, "{\"sqlstate\":");
    http_json_text(b, e->sqlstate, strlen(e->sqlstate));
    if (e->code < 0 && name)
        reply_member(b, "name", name);
    reply_member(b, "message", e->message);
    if (e->hint[0])
        reply_member(b, "hint", e->hint);
    if (e->position)
        buf_printf(b, ",\"position\":%u", e->position);
    if (statement)
        buf_printf(b, ",\"statement\":%u", statement);
    buf_u8(b, '}');
}

unsigned http_status_of(const struct dendro_error *e)
{
    static const struct {
        const char *prefix;
        unsigned status;
    } list[] = {{"53", 503},
                {"57P03", 503},
                {"08007", 500},
                {"57014", 499},
                {"40", 409},
                {"25006", 403},
                {"42501", 403},
                {"28", 401},
                {"58", 500},
                {"XX", 500},
                {"F0", 500}};

    for (size_t i = 0; i < DN_ARRAY_SIZE(list); i++)
        if (strncmp(e->sqlstate, list[i].prefix, strlen(list[i].prefix)) == 0)
            return list[i].status;
    return 400;
}

unsigned http_write_status_of(const struct dendro_error *e)
{
    unsigned status = http_status_of(e);

    return status == 409 ? 503 : status;
}

void http_fail_as(struct http_req *req, unsigned status, const struct dendro_error *e)
{
    buf_reset(&req->out);
    buf_puts(&req->out, "{\"error\":");
    http_print_error(&req->out, e, 0);
    buf_puts(&req->out, "}\n");
    http_reply(req, status, "application/json", NULL);
}

void http_fail_with(struct http_req *req, const struct dendro_error *e)
{
    http_fail_as(req, http_status_of(e), e);
}

void http_fail(struct http_req *req, unsigned status, const char *sqlstate, const char *fmt, ...)
{
    struct dendro_error e = {.code = 0};
    va_list args;

    snprintf(e.sqlstate, sizeof e.sqlstate, "%s", sqlstate);
    va_start(args, fmt);
    vsnprintf(e.message, sizeof e.message, fmt, args);
    va_end(args);
    http_fail_with(req, &e);
    req->status = status;
}
