/* SPDX-License-Identifier: Apache-2.0
 *
 * lp.c: see lp.h. The scanner walks over a line once. Where a name or value ends is decided by the
 * class of each byte; a backslash is looked at only where there is one. */
#include "server/ingest/lp.h"

#include "base/attr.h"
#include "engine/csv_value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LP_NUMBER_MAX 400u /* characters of a number */

/* What a byte may end. */
enum {
    LP_C_SPACE = 1, /* ends a section */
    LP_C_COMMA = 2,
    LP_C_EQUAL = 4,
    LP_C_LINE = 8, /* line feed */
    LP_C_BACK = 16,
};

static const uint8_t lp_class[256] = {
    [' '] = LP_C_SPACE,
    [','] = LP_C_COMMA,
    ['='] = LP_C_EQUAL,
    ['\n'] = LP_C_LINE,
    ['\\'] = LP_C_BACK,
};

void lp_begin(struct lp *p, const char *text, size_t len, struct arena *arena)
{
    text = len ? text : ""; /* nothing may lie nowhere */
    p->at = text;
    p->end = text + len;
    p->line_start = text;
    p->arena = arena;
    p->line = 0;
    p->line_next = 1;
    p->error[0] = 0;
}

DN_PRINTF(2, 3) static enum lp_result lp_bad(struct lp *p, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(p->error, sizeof p->error, fmt, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof p->error)
        snprintf(p->error + n,
                 sizeof p->error - (size_t)n,
                 " (character %zu)",
                 (size_t)(p->at - p->line_start) + 1);
    return LP_BAD;
}

/* Behind the line that p->at is in. */
static void lp_skip_line(struct lp *p)
{
    const char *nl = memchr(p->at, '\n', (size_t)(p->end - p->at));

    p->at = nl ? nl + 1 : p->end;
    p->line_next++;
}

/* ---- names and tag values ---- */

/* Without the backslashes in front of bytes of the classes `escapes`. */
static enum lp_result lp_unescape(struct lp *p, struct lp_text *t, unsigned escapes)
{
    char *to = arena_alloc(p->arena, t->len);
    uint32_t n = 0;

    if (!to)
        return LP_NOMEM;
    for (uint32_t i = 0; i < t->len; i++) {
        if (t->ptr[i] == '\\' && i + 1 < t->len && (lp_class[(uint8_t)t->ptr[i + 1]] & escapes))
            i++;
        to[n++] = t->ptr[i];
    }
    t->ptr = to;
    t->len = n;
    return LP_POINT;
}

/* Up to a byte of the classes `stops`; one behind a backslash stops nothing. */
static enum lp_result lp_word(struct lp *p, unsigned stops, unsigned escapes, struct lp_text *ret)
{
    const char *from = p->at;
    const char *at = from;
    bool escaped = false;

    for (; at < p->end; at++) {
        unsigned c = lp_class[(uint8_t)*at];

        if (c == 0)
            continue;
        if (c & stops)
            break;
        if (c == LP_C_BACK && at + 1 < p->end && (lp_class[(uint8_t)at[1]] & escapes)) {
            escaped = true;
            at++;
        }
    }
    p->at = at;
    if ((size_t)(at - from) > UINT32_MAX)
        return lp_bad(p, "a text of more than 4 GB");
    *ret = (struct lp_text){.ptr = from, .len = (uint32_t)(at - from)};
    return escaped ? lp_unescape(p, ret, escapes) : LP_POINT;
}

static bool lp_is(const struct lp *p, char c)
{
    return p->at < p->end && *p->at == c;
}

static enum lp_result lp_key(struct lp *p, const char *what, struct lp_text *ret)
{
    enum lp_result rc = lp_word(p,
                                LP_C_EQUAL | LP_C_COMMA | LP_C_SPACE | LP_C_LINE,
                                LP_C_EQUAL | LP_C_COMMA | LP_C_SPACE,
                                ret);

    if (rc != LP_POINT)
        return rc;
    if (ret->len == 0)
        return lp_bad(p, "missing %s key", what);
    if (ret->len > LP_NAME_MAX)
        return lp_bad(p, "a %s key of more than %u bytes", what, LP_NAME_MAX);
    if (!lp_is(p, '='))
        return lp_bad(p, "missing %s value", what);
    p->at++;
    return LP_POINT;
}

static bool lp_same(struct lp_text a, struct lp_text b)
{
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static enum lp_result lp_tags(struct lp *p)
{
    struct lp_point *pt = &p->point;
    enum lp_result rc;

    while (lp_is(p, ',')) {
        struct lp_tag *t = &pt->tags[pt->tags_count];

        p->at++;
        if (pt->tags_count == LP_TAGS_MAX)
            return lp_bad(p, "more than %u tags", LP_TAGS_MAX);
        rc = lp_key(p, "tag", &t->key);
        if (rc == LP_POINT)
            rc = lp_word(p,
                         LP_C_EQUAL | LP_C_COMMA | LP_C_SPACE | LP_C_LINE,
                         LP_C_EQUAL | LP_C_COMMA | LP_C_SPACE,
                         &t->value);
        if (rc != LP_POINT)
            return rc;
        if (t->value.len == 0)
            return lp_bad(p, "missing tag value");
        if (lp_is(p, '='))
            return lp_bad(p, "an equals sign in a tag value needs a backslash");
        for (uint32_t i = 0; i < pt->tags_count; i++)
            if (lp_same(pt->tags[i].key, t->key))
                return lp_bad(p, "duplicate tag");
        pt->tags_count++;
    }
    return LP_POINT;
}

/* ---- field values ---- */

static bool lp_ends_value(const struct lp *p, const char *at)
{
    return at >= p->end || *at == ',' || *at == ' ' || *at == '\n' || *at == '\r';
}

/* p->at is behind the opening quote. */
static enum lp_result lp_string(struct lp *p, struct lp_field *f)
{
    const char *from = p->at;
    const char *at = from;
    bool escaped = false;

    while (at < p->end && *at != '"') {
        if (*at == '\\' && at + 1 < p->end && (at[1] == '"' || at[1] == '\\')) {
            escaped = true;
            at++;
        }
        p->line_next += *at == '\n';
        at++;
    }
    p->at = at;
    if (at == p->end)
        return lp_bad(p, "unbalanced quotes");
    if ((size_t)(at - from) > UINT32_MAX)
        return lp_bad(p, "a text of more than 4 GB");
    p->at++;
    f->type = LP_TEXT;
    f->v.s = (struct lp_text){.ptr = from, .len = (uint32_t)(at - from)};
    if (escaped) {
        uint32_t n = 0;
        char *to = arena_alloc(p->arena, f->v.s.len);

        if (!to)
            return LP_NOMEM;
        for (const char *c = from; c < at; c++) {
            if (*c == '\\' && c + 1 < at && (c[1] == '"' || c[1] == '\\'))
                c++;
            to[n++] = *c;
        }
        f->v.s = (struct lp_text){.ptr = to, .len = n};
    }
    return LP_POINT;
}

/* Digits with an i or u behind them. */
static enum lp_result lp_int(struct lp *p, const char *text, size_t len, struct lp_field *f)
{
    bool minus = text[0] == '-';
    uint64_t limit = minus ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t v = 0;
    size_t i = minus;

    if (i == len || (minus && p->at[len] == 'u'))
        return lp_bad(p, "invalid number");
    for (; i < len; i++) {
        unsigned d = (unsigned)(text[i] - '0');

        if (d > 9)
            return lp_bad(p, "invalid number");
        if (v > (limit - d) / 10)
            return lp_bad(p, "an integer outside the range of BIGINT");
        v = v * 10 + d;
    }
    f->type = LP_INT;
    f->v.i = minus ? (int64_t)(0 - v) : (int64_t)v;
    return LP_POINT;
}

/* The forms that csv_read_double leaves out: .5 and 5. and more digits than it takes. */
static bool lp_double_slow(const char *text, size_t len, double *ret)
{
    char copy[LP_NUMBER_MAX + 1];
    size_t digits = 0, i = text[0] == '-';
    char *end;

    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++)
        digits++;
    if (i < len && text[i] == '.')
        for (i++; i < len && text[i] >= '0' && text[i] <= '9'; i++)
            digits++;
    if (digits == 0 || len > LP_NUMBER_MAX)
        return false;
    if (i < len && (text[i] == 'e' || text[i] == 'E')) {
        i += i + 1 < len && (text[i + 1] == '+' || text[i + 1] == '-') ? 2 : 1;
        if (i == len)
            return false;
        while (i < len && text[i] >= '0' && text[i] <= '9')
            i++;
    }
    if (i != len)
        return false;
    memcpy(copy, text, len);
    copy[len] = 0;
    *ret = strtod(copy, &end);
    return *end == 0 && isfinite(*ret);
}

static bool lp_bool(const char *text, size_t len, int64_t *ret)
{
    static const char *const words[] = {
        "t", "T", "true", "True", "TRUE", "f", "F", "false", "False", "FALSE"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++)
        if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0) {
            *ret = i < 5;
            return true;
        }
    return false;
}

static enum lp_result lp_value(struct lp *p, struct lp_field *f)
{
    const char *from = p->at;
    const char *at = from;
    enum lp_result rc = LP_POINT;
    size_t len;

    if (lp_is(p, '"')) {
        p->at++;
        rc = lp_string(p, f);
        if (rc == LP_POINT && !lp_ends_value(p, p->at))
            return lp_bad(p, "something behind the closing quote");
        return rc;
    }
    while (!lp_ends_value(p, at))
        at++;
    len = (size_t)(at - from);
    if (len == 0)
        return lp_bad(p, "missing field value");
    if ((from[0] < '0' || from[0] > '9') && from[0] != '-' && from[0] != '.') {
        if (!lp_bool(from, len, &f->v.i))
            return lp_bad(p, "invalid value: a number, a boolean or a \"text\" is wanted");
        f->type = LP_BOOL;
    } else if (from[len - 1] == 'i' || from[len - 1] == 'u') {
        rc = lp_int(p, from, len - 1, f);
    } else {
        f->type = LP_DOUBLE;
        if ((!csv_read_double(from, len, &f->v.d) || !isfinite(f->v.d)) &&
            !lp_double_slow(from, len, &f->v.d))
            return lp_bad(p, "invalid number");
    }
    if (rc == LP_POINT)
        p->at = at;
    return rc;
}

static enum lp_result lp_fields(struct lp *p)
{
    struct lp_point *pt = &p->point;
    enum lp_result rc;

    for (;;) {
        struct lp_field *f = &pt->fields[pt->fields_count];

        if (pt->fields_count == LP_FIELDS_MAX)
            return lp_bad(p, "more than %u fields", LP_FIELDS_MAX);
        f->null = false;
        rc = lp_key(p, "field", &f->key);
        if (rc == LP_POINT)
            rc = lp_value(p, f);
        if (rc != LP_POINT)
            return rc;
        pt->fields_count++;
        if (!lp_is(p, ','))
            return LP_POINT;
        p->at++;
    }
}

/* ---- lines ---- */

static void lp_spaces(struct lp *p)
{
    while (p->at < p->end && *p->at == ' ')
        p->at++;
}

/* Carriage returns belong to the end of a line. */
static bool lp_at_end(const struct lp *p)
{
    const char *at = p->at;

    while (at < p->end && *at == '\r')
        at++;
    return at == p->end || *at == '\n';
}

static enum lp_result lp_time(struct lp *p)
{
    const char *from = p->at;
    const char *at = from;
    bool minus = lp_is(p, '-');
    uint64_t limit = minus ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t v = 0;

    at += minus;
    for (; at < p->end && *at >= '0' && *at <= '9'; at++) {
        unsigned d = (unsigned)(*at - '0');

        if (v > (limit - d) / 10)
            return lp_bad(p, "time outside range");
        v = v * 10 + d;
    }
    if (at == from + minus)
        return lp_bad(p, "bad timestamp");
    p->at = at;
    p->point.timed = true;
    p->point.time = minus ? (int64_t)(0 - v) : (int64_t)v;
    lp_spaces(p);
    return lp_at_end(p) ? LP_POINT : lp_bad(p, "bad timestamp");
}

static enum lp_result lp_line(struct lp *p)
{
    struct lp_point *pt = &p->point;
    enum lp_result rc = lp_word(
        p, LP_C_COMMA | LP_C_SPACE | LP_C_LINE, LP_C_COMMA | LP_C_SPACE | LP_C_EQUAL, &pt->name);

    if (rc != LP_POINT)
        return rc;
    if (pt->name.len == 0)
        return lp_bad(p, "missing measurement");
    if (pt->name.len > LP_NAME_MAX)
        return lp_bad(p, "a measurement of more than %u bytes", LP_NAME_MAX);
    rc = lp_tags(p);
    if (rc != LP_POINT)
        return rc;
    lp_spaces(p);
    if (lp_at_end(p))
        return lp_bad(p, "missing fields");
    rc = lp_fields(p);
    if (rc != LP_POINT)
        return rc;
    lp_spaces(p);
    return lp_at_end(p) ? LP_POINT : lp_time(p);
}

enum lp_result lp_next(struct lp *p)
{
    enum lp_result rc;

    for (;;) {
        while (p->at < p->end && (*p->at == ' ' || *p->at == '\r' || *p->at == '\t'))
            p->at++;
        if (p->at == p->end)
            return LP_END;
        if (*p->at != '\n' && *p->at != '#')
            break;
        lp_skip_line(p);
    }
    p->line = p->line_next;
    p->line_start = p->at;
    p->point.tags_count = 0;
    p->point.fields_count = 0;
    p->point.timed = false;
    rc = lp_line(p);
    lp_skip_line(p);
    return rc;
}

size_t lp_whole(const char *text, size_t len)
{
    size_t whole = 0;
    bool quoted = false;
    bool fields = false; /* quotes mean nothing in names and tags */
    bool comment = false;
    bool begun = false; /* something but spaces was there */

    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (c == '\n' && (!quoted || comment)) {
            whole = i + 1;
            quoted = fields = comment = begun = false;
        } else if (c == '#' && !begun) {
            comment = true;
        } else if (c == '\\' && i + 1 < len && text[i + 1] != '\n') {
            i++;
        } else if (c == ' ') {
            fields = fields || begun;
            continue;
        } else if (c == '"' && fields) {
            quoted = !quoted;
        }
        begun = begun || c != '\n';
    }
    return whole;
}
