/* SPDX-License-Identifier: Apache-2.0
 *
 * log.c: the server's log: stderr, which systemd and containers keep. A line is text,
 *
 *     dendro: login: user="grafana" address="10.0.0.7:51234" database="dendro"
 *
 * or, with log_format = json, an object:
 *
 *     {"time":"2026-01-02T03:04:05.678Z","event":"login","user":"grafana",…}
 *
 * and goes out in one write, so that lines of several threads do not mix. */
#include "base/bytes.h"
#include "base/text.h"
#include "server/server.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOG_LINE_MAX  512u  /* bytes of a message */
#define LOG_VALUE_MAX 2048u /* bytes of a field */

/* The whole process has one stderr, so these are the process's, too. */
static atomic_bool log_json;
static _Atomic(struct server *) log_clock;

void server_log_json(bool json)
{
    atomic_store(&log_json, json);
}

bool server_log_is_json(void)
{
    return atomic_load(&log_json);
}

void server_log_clock(struct server *s)
{
    atomic_store(&log_clock, s);
}

/* As JSON has it, and nothing that could end the line. */
static void log_quote(struct buf *b, const char *s)
{
    size_t len = strnlen(s, LOG_VALUE_MAX);
    bool good = text_utf8_valid(s, len);

    while (len > 0 && !good && len > LOG_VALUE_MAX - 4) /* cut within a character */
        good = text_utf8_valid(s, --len);
    buf_u8(b, '"');
    for (size_t i = 0; i < len; i++) {
        uint8_t c = (uint8_t)s[i];

        if (c == '"' || c == '\\')
            buf_printf(b, "\\%c", c);
        else if (c == '\n')
            buf_puts(b, "\\n");
        else if (c == '\t')
            buf_puts(b, "\\t");
        else if (c < ' ' || c == 0x7f || (c >= 0x80 && !good))
            buf_printf(b, "\\u%04x", c);
        else
            buf_u8(b, c);
    }
    buf_u8(b, '"');
}

/* {"time":"…", */
static void log_json_begin(struct buf *b)
{
    struct server *s = atomic_load(&log_clock);
    int64_t ms = s ? server_wall_ns(s) / 1000000 : 0;
    int64_t days = ms / 86400000;
    int64_t of_day = ms % 86400000;
    /* Days to a date, by eras of 400 years that begin in March. */
    int64_t z = days + 719468;
    int64_t era = z / 146097;
    int64_t doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int64_t mp = (5 * doy + 2) / 153;
    int month = (int)(mp < 10 ? mp + 3 : mp - 9);

    buf_u8(b, '{');
    if (!s)
        return;
    buf_printf(b,
               "\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\",",
               (int)(yoe + era * 400 + (month <= 2)),
               month,
               (int)(doy - (153 * mp + 2) / 5 + 1),
               (int)(of_day / 3600000),
               (int)(of_day / 60000 % 60),
               (int)(of_day / 1000 % 60),
               (int)(of_day % 1000));
}

static void log_send(struct buf *b)
{
    buf_u8(b, '\n');
    if (!b->failed)
        (void)fprintf(stderr, "%.*s", (int)b->len, (const char *)b->data);
    buf_done(b);
}

void server_log(const char *fmt, ...)
{
    char text[LOG_LINE_MAX];
    struct buf b;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    buf_init(&b, NULL);
    if (atomic_load(&log_json)) {
        log_json_begin(&b);
        buf_puts(&b, "\"message\":");
        log_quote(&b, text);
        buf_u8(&b, '}');
    } else {
        for (char *c = text; *c; c++) /* a name may not start a line of its own */
            if ((unsigned char)*c < ' ')
                *c = '?';
        buf_printf(&b, "dendro: %s", text);
    }
    log_send(&b);
}

void server_event(const char *event, const struct server_field *fields, size_t count)
{
    bool json = atomic_load(&log_json);
    struct buf b;

    buf_init(&b, NULL);
    if (json) {
        log_json_begin(&b);
        buf_puts(&b, "\"event\":");
        log_quote(&b, event);
    } else {
        buf_printf(&b, "dendro: %s:", event);
    }
    for (size_t i = 0; i < count; i++) {
        if (!fields[i].value)
            continue;
        if (json)
            buf_printf(&b, ",\"%s\":", fields[i].name);
        else
            buf_printf(&b, " %s=", fields[i].name);
        log_quote(&b, fields[i].value);
    }
    if (json)
        buf_u8(&b, '}');
    log_send(&b);
}
