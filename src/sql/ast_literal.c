/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_literal.c: what numbers, strings and blobs mean. A literal is one allocation: the
 * node and behind it the number's text or the string's bytes. */
#include "grammar.h"
#include "sql/ast_build.h"

#include "base/number.h"
#include "base/text.h"
#include "vec/numeric.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* A literal with room for `room` bytes behind the node, which are not cleared. */
static struct expr *literal_new(struct sql_parser *ps, uint32_t pos, size_t room)
{
    struct expr *e;

    if (ps->rc < 0)
        return NULL;
    e = arena_alloc(ps->arena, sizeof *e + room);
    if (!e) {
        sql_fail_nomem(ps);
        return NULL;
    }
    memset(e, 0, sizeof *e);
    e->kind = EXPR_LITERAL;
    e->pos = pos;
    e->depth = 1;
    return e;
}

/* ---- numbers ---- */

/* A node with the number's text behind it, and a byte before the text for a minus. */
static struct expr *literal_number(struct sql_parser *ps, struct sql_token tok)
{
    struct expr *e = literal_new(ps, tok.pos, (size_t)tok.len + 2);
    char *text;

    if (!e)
        return NULL;
    text = (char *)(e + 1);
    text[0] = '-';
    memcpy(text + 1, tok.ptr, tok.len);
    text[1 + tok.len] = '\0';
    e->text = text + 1;
    return e;
}

static void literal_set_double(struct sql_parser *ps, struct expr *e)
{
    e->value.type = TYPE_DOUBLE;
    DN_IGNORE(number_real(e->text, &e->value.v.f64)); /* the scanner knows that it is one */
    if (isinf(e->value.v.f64))
        sql_fail(
            ps, DN_E_OUT_OF_RANGE, e->pos, "the number %.40s is out of range of DOUBLE", e->text);
}

/* What the digits of e->text are: INTEGER if they fit, else BIGINT, else NUMERIC; with a point or
 * an exponent NUMERIC; what has more than 38 digits is a DOUBLE. */
static void literal_set_number(struct sql_parser *ps, struct expr *e)
{
    bool negative = e->text[0] == '-';
    const char *digits = e->text + negative;
    size_t len = strlen(digits);
    uint64_t most = (uint64_t)INT64_MAX + negative;
    uint64_t v;

    e->big = number_digits(digits, len, &v) == len;
    if (e->big && v <= most) {
        e->big = false;
        e->value.v.i64 = negative ? (int64_t)-v : (int64_t)v;
        e->value.type = v <= (uint64_t)INT32_MAX + negative ? TYPE_INTEGER : TYPE_BIGINT;
        return;
    }
    if (vnumeric_parse(e->text, len + negative, &e->value.num) == VNUMERIC_OK)
        e->value.type = TYPE_NUMERIC;
    else
        literal_set_double(ps, e);
}

struct expr *sql_float(struct sql_parser *ps, struct sql_token tok)
{
    struct expr *e = literal_number(ps, tok);

    if (e)
        literal_set_number(ps, e);
    return e;
}

struct expr *sql_integer(struct sql_parser *ps, struct sql_token tok)
{
    return sql_float(ps, tok);
}

bool sql_negate(struct sql_parser *ps, struct expr *e, uint32_t pos)
{
    if (e->kind != EXPR_LITERAL || !e->text || e->paren || e->text[0] == '-')
        return false;
    e->text--; /* the minus stands there */
    e->pos = pos;
    literal_set_number(ps, e);
    return true;
}

struct expr *sql_word(struct sql_parser *ps, int code, struct sql_token tok)
{
    struct expr *e = literal_new(ps, tok.pos, 0);

    if (!e)
        return NULL;
    e->value.type = code == TK_NULL ? TYPE_NONE : TYPE_BOOLEAN;
    e->value.null = code == TK_NULL;
    e->value.v.i64 = code == TK_TRUE;
    return e;
}

/* ---- strings ---- */

/* Reads up to max digits of that base at *p; false if there are fewer than min. */
static bool
literal_code(const char **p, const char *end, int base, unsigned min, unsigned max, uint32_t *ret)
{
    unsigned n = 0;
    uint32_t v = 0;

    while (n < max && *p < end) {
        int d = number_hex(**p);
        if (d < 0 || d >= base)
            break;
        v = v * (uint32_t)base + (uint32_t)d;
        ++*p;
        n++;
    }
    *ret = v;
    return n >= min;
}

/* One escape after the backslash at *p, written to out. False: it makes no character. */
static bool literal_escape(const char **p, const char *end, char **out)
{
    static const char from[] = "bfnrt";
    static const char to[] = "\b\f\n\r\t";
    char c = **p;
    const char *known = strchr(from, c);
    uint32_t code;

    if (c >= '0' && c <= '7') {
        if (!literal_code(p, end, 8, 1, 3, &code) || code > 0xFF)
            return false;
        *(*out)++ = (char)code;
        return true;
    }
    ++*p;
    if (known) {
        *(*out)++ = to[known - from];
        return true;
    }
    switch (c) {
    case 'x':
        if (!literal_code(p, end, 16, 1, 2, &code))
            return false;
        *(*out)++ = (char)code;
        return true;
    case 'u':
    case 'U':
        if (!literal_code(p, end, 16, c == 'u' ? 4 : 8, c == 'u' ? 4 : 8, &code) || code == 0 ||
            code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            return false;
        *out += text_utf8_put(code, *out);
        return true;
    default:
        *(*out)++ = c;
        return true;
    }
}

/* Behind a quote inside a string: a second one, which is passed; or, true, the end of a piece, and
 * the next one begins behind the next quote. */
static bool literal_resume(const char **p)
{
    if (**p == '\'') {
        ++*p;
        return false;
    }
    for (;;) {
        char c = *(*p)++;

        if (c == '\'')
            return true;
        if (c == '-') /* a comment, which may have a quote in it */
            while (**p != '\n')
                ++*p;
    }
}

/* Copies the value of an E'…' string; what comes out is never longer. */
static uint32_t literal_unescape(struct sql_parser *ps, struct sql_token tok, char *to)
{
    const char *p = tok.ptr + 2;
    const char *end = tok.ptr + tok.len - 1;
    char *out = to;

    while (p < end) {
        const char *at = p;
        char c = *p++;
        if (c == '\\') {
            if (literal_escape(&p, end, &out))
                continue;
            sql_fail(ps,
                     DN_E_SYNTAX,
                     tok.pos + sql_chars(tok.ptr, at),
                     "the escape sequence is no character");
            return 0;
        }
        if (c == '\'' && literal_resume(&p))
            continue;
        *out++ = c;
    }
    if (!text_value_valid(to, (size_t)(out - to)))
        sql_fail(ps, DN_E_BAD_ENCODING, tok.pos, "the escapes of the string make no valid UTF-8");
    return (uint32_t)(out - to);
}

/* One escape of a U&'…' at *p, behind its sign: XXXX, +XXXXXX or the sign again. */
static bool literal_unicode(const char **p, const char *end, char sign, uint32_t *ret)
{
    if (*p < end && **p == sign) {
        ++*p;
        *ret = (unsigned char)sign;
        return true;
    }
    if (*p < end && **p == '+') {
        ++*p;
        return literal_code(p, end, 16, 6, 6, ret);
    }
    return literal_code(p, end, 16, 4, 4, ret);
}

/* U&'…' UESCAPE '!': the closing quote of the first string, and the sign. */
static void unicode_uescape(struct sql_token tok, const char **end, char *sign)
{
    const char *last = tok.ptr + tok.len - 1;
    char quote = tok.ptr[2];
    const char *p = tok.ptr + 3;

    for (;;) {
        while (*p != quote)
            p++;
        *end = p;
        if (p == last)
            return;
        if (p[1] == quote) {
            p += 2;
            continue;
        }
        for (p++; *p == ' ' || (*p >= '\t' && *p <= '\r'); p++)
            ;
        if (*p == 'u' || *p == 'U') {
            *sign = last[-1];
            return;
        }
        if (*p == '-') /* a comment before the next piece */
            while (*p != '\n')
                p++;
    }
}

uint32_t sql_unicode(struct sql_parser *ps, struct sql_token tok, char *to)
{
    const char *p = tok.ptr + 3;
    const char *end = tok.ptr + tok.len - 1;
    char quote = tok.ptr[2];
    char sign = '\\';
    char *out = to;

    unicode_uescape(tok, &end, &sign);
    while (p < end) {
        const char *at = p;
        uint32_t code = (unsigned char)*p++;
        uint32_t low = 0;
        bool good;

        if ((char)code == quote && literal_resume(&p))
            continue;
        if ((char)code != sign) {
            *out++ = (char)code;
            continue;
        }
        good = literal_unicode(&p, end, sign, &code);
        if (good && code >= 0xD800 && code <= 0xDBFF && p < end && *p == sign) {
            p++;
            if (literal_unicode(&p, end, sign, &low) && low >= 0xDC00 && low <= 0xDFFF)
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        if (!good || code == 0 || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
            sql_fail(ps, DN_E_SYNTAX, tok.pos + sql_chars(tok.ptr, at), "invalid Unicode escape");
            return 0;
        }
        out += text_utf8_put(code, out);
    }
    return (uint32_t)(out - to);
}

static uint32_t literal_dollar(struct sql_token tok, char *to)
{
    const char *tag = memchr(tok.ptr + 1, '$', tok.len - 1);
    uint32_t skip = (uint32_t)(tag - tok.ptr) + 1;

    memcpy(to, tok.ptr + skip, tok.len - 2 * skip);
    return tok.len - 2 * skip;
}

static uint32_t literal_string(struct sql_parser *ps, struct sql_token tok, char *to)
{
    const char *p = tok.ptr + 1;
    const char *end = tok.ptr + tok.len - 1;
    char *out = to;

    if (tok.ptr[0] == '$')
        return literal_dollar(tok, to);
    if (tok.ptr[0] != '\'')
        return tok.ptr[1] == '&' ? sql_unicode(ps, tok, to) : literal_unescape(ps, tok, to);
    for (;;) {
        const char *quote = memchr(p, '\'', (size_t)(end - p));
        size_t n = (size_t)((quote ? quote : end) - p);

        memcpy(out, p, n);
        out += n;
        if (!quote)
            return (uint32_t)(out - to);
        p = quote + 1;
        if (!literal_resume(&p))
            *out++ = '\'';
    }
}

struct expr *sql_string(struct sql_parser *ps, struct sql_token tok)
{
    struct expr *e = literal_new(ps, tok.pos, tok.len);
    char *to;

    if (!e)
        return NULL;
    to = (char *)(e + 1);
    e->value.type = TYPE_VARCHAR;
    e->value.str.ptr = to;
    e->value.str.len = literal_string(ps, tok, to);
    return e;
}

char *sql_string_text(struct sql_parser *ps, struct sql_token tok, uint32_t *ret_len)
{
    char *to = sql_new(ps, (size_t)tok.len + 1);

    *ret_len = to ? literal_string(ps, tok, to) : 0;
    return to;
}

struct expr *sql_blob(struct sql_parser *ps, struct sql_token tok)
{
    /* 0xAB or X'AB': two characters of opening, and in the second form one that closes. */
    uint32_t len = (tok.ptr[0] == '0' ? tok.len - 2 : tok.len - 3) / 2;
    struct expr *e = literal_new(ps, tok.pos, len);
    char *to;

    if (!e)
        return NULL;
    to = (char *)(e + 1);
    DN_IGNORE(number_hex_bytes(tok.ptr + 2, 2 * (size_t)len, to)); /* the scanner knows */
    e->value.type = TYPE_BLOB;
    e->value.str.ptr = to;
    e->value.str.len = len;
    return e;
}

struct expr *sql_bits(struct sql_parser *ps, struct sql_token tok)
{
    bool hex = (tok.ptr[0] | 0x20) == 'x'; /* B'…', or X'…' of an odd number of digits */
    uint32_t len = (tok.len - 3) * (hex ? 4 : 1);
    struct expr *e = literal_new(ps, tok.pos, len);
    char *to;

    if (!e)
        return NULL;
    to = (char *)(e + 1);
    for (uint32_t i = 0; i < len; i++) {
        unsigned bit = hex ? (unsigned)number_hex(tok.ptr[2 + i / 4]) >> (3 - i % 4) & 1u
                           : tok.ptr[2 + i] == '1';

        to[i] = bit ? '1' : '0';
    }
    e->bits = true;
    e->value.type = TYPE_BIT;
    e->value.str.ptr = (const char *)(e + 1);
    e->value.str.len = len;
    return e;
}

int64_t sql_signed(struct sql_parser *ps, struct sql_token tok, bool negative)
{
    uint64_t v;

    if (number_digits(tok.ptr, tok.len, &v) == tok.len && v <= (uint64_t)INT64_MAX + negative)
        return negative ? (int64_t)(0 - v) : (int64_t)v;
    sql_fail(ps,
             DN_E_OUT_OF_RANGE,
             tok.pos,
             "the number %.*s is out of range of BIGINT",
             (int)(tok.len > 40 ? 40 : tok.len),
             tok.ptr);
    return 0;
}
