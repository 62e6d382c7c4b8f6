/* SPDX-License-Identifier: Apache-2.0
 *
 * regex_similar.c: the patterns of SIMILAR TO as AREs: % and _ as in LIKE; | * + ? {m,n} () [] as
 * in regular expressions; all of the text must fit. In substring(s SIMILAR p ESCAPE e) escape and
 * double quote stand around the part that is wanted: as little as can be goes before it. */
#include "base/text.h"
#include "func/regex.h"

#include <string.h>

struct similar {
    struct vstr in;
    struct vstr escape;
    uint32_t at;
    uint32_t quotes;
    struct buf *b;
    struct dn_err *err;
};

static bool similar_at_escape(const struct similar *s)
{
    return s->escape.len && s->in.len - s->at >= s->escape.len &&
           memcmp(s->in.ptr + s->at, s->escape.ptr, s->escape.len) == 0;
}

/* The character at s->at means itself. */
static void similar_literal(struct similar *s)
{
    char c = s->in.ptr[s->at++];

    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c & 0x80) {
        buf_u8(s->b, (uint8_t)c);
        return;
    }
    buf_u8(s->b, '\\');
    buf_u8(s->b, (uint8_t)c);
}

/* As little as possible in what goes before the part that is wanted. */
static void similar_lazy(struct similar *s, bool lazy)
{
    if (lazy)
        buf_u8(s->b, '?');
}

static int similar_escaped(struct similar *s)
{
    s->at += s->escape.len;
    if (s->at >= s->in.len)
        return 0; /* as PostgreSQL has it */
    if (s->in.ptr[s->at] == '"') {
        s->at++;
        if (++s->quotes > 2)
            return DN_FAIL(
                s->err,
                DN_E_BAD_ESCAPE_USE,
                "SQL regular expression may not contain more than two escape-double-quote "
                "separators");
        buf_puts(s->b, s->quotes == 1 ? ")(" : ")(?:");
        return 0;
    }
    if ((s->in.ptr[s->at] | 32) >= 'a' && (s->in.ptr[s->at] | 32) <= 'z') { /* \d, \m */
        buf_u8(s->b, '\\');
        buf_u8(s->b, (uint8_t)s->in.ptr[s->at++]);
        return 0;
    }
    similar_literal(s);
    return 0;
}

/* [ … ] as it is; backslashes mean themselves unless they are the escape. */
static void similar_bracket(struct similar *s)
{
    bool first = true;

    buf_u8(s->b, '[');
    s->at++;
    if (s->at < s->in.len && s->in.ptr[s->at] == '^') {
        buf_u8(s->b, '^');
        s->at++;
    }
    for (; s->at < s->in.len; first = false) {
        char c = s->in.ptr[s->at];

        if (similar_at_escape(s) && s->at + s->escape.len < s->in.len) {
            s->at += s->escape.len;
            similar_literal(s);
            continue;
        }
        s->at++;
        if (c == '\\')
            buf_u8(s->b, '\\');
        buf_u8(s->b, (uint8_t)c);
        if (c == ']' && !first)
            return;
        if (c == '[' && s->at < s->in.len && text_one_of(s->in.ptr[s->at], ":.=")) {
            char mark = s->in.ptr[s->at];

            do
                buf_u8(s->b, (uint8_t)s->in.ptr[s->at++]);
            while (s->at + 1 < s->in.len &&
                   !(s->in.ptr[s->at] == mark && s->in.ptr[s->at + 1] == ']'));
            for (int i = 0; i < 2 && s->at < s->in.len; i++)
                buf_u8(s->b, (uint8_t)s->in.ptr[s->at++]);
        }
    }
}

static int similar_step(struct similar *s, bool lazy)
{
    char c = s->in.ptr[s->at];

    if (similar_at_escape(s))
        return similar_escaped(s);
    switch (c) {
    case '[':
        similar_bracket(s);
        return 0;
    case '%':
        buf_puts(s->b, ".*");
        similar_lazy(s, lazy);
        break;
    case '_':
        buf_u8(s->b, '.');
        break;
    case '(':
        buf_puts(s->b, "(?:");
        break;
    case ')':
    case '|':
    case '{':
        buf_u8(s->b, (uint8_t)c);
        break;
    case '*':
    case '+':
    case '?':
    case '}':
        buf_u8(s->b, (uint8_t)c);
        similar_lazy(s, lazy);
        break;
    default:
        if (c == ',' || (c >= '0' && c <= '9')) { /* may be in a {m,n} */
            buf_u8(s->b, (uint8_t)c);
            break;
        }
        similar_literal(s);
        return 0;
    }
    s->at++;
    return 0;
}

/* Whether escape and double quote stand anywhere. */
static bool similar_has_parts(struct similar s)
{
    for (; s.at < s.in.len; s.at++)
        if (similar_at_escape(&s)) {
            s.at += s.escape.len;
            if (s.at < s.in.len && s.in.ptr[s.at] == '"')
                return true;
        }
    return false;
}

int regex_similar(struct vstr pattern, struct vstr escape, struct buf *b, struct dn_err *err)
{
    struct similar s = {.in = pattern, .escape = escape, .b = b, .err = err};
    bool lazy;
    uint32_t chars = 0;
    int rc = 0;

    if (pattern.len > REGEX_PATTERN_MAX)
        return DN_FAIL(err, DN_E_BAD_REGEX, "invalid regular expression: it is too long");
    lazy = similar_has_parts(s);
    for (uint32_t i = 0; i < escape.len; i++)
        chars += ((uint8_t)escape.ptr[i] & 0xc0) != 0x80;
    if (chars > 1)
        return DN_FAIL(
            err, DN_E_BAD_ESCAPE, "invalid escape string: it must be one character or empty");
    buf_puts(b, "***:^(?:");
    while (s.at < pattern.len && rc == 0)
        rc = similar_step(&s, lazy && s.quotes == 0);
    if (rc < 0)
        return rc;
    buf_puts(b, ")$");
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}
