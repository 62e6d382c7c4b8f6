/* SPDX-License-Identifier: Apache-2.0
 *
 * regex_flags.c: the options of regular expressions: letters in an argument, or in front of the
 * pattern. */
#include "func/regex.h"

#include <string.h>

/* Letters as in (?i) and in the argument of functions; g is only for those. */
static int regex_flag(char c, uint32_t *flags)
{
    switch (c) {
    case 'c':
        *flags &= ~(uint32_t)REGEX_NO_CASE;
        return 0;
    case 'i':
        *flags |= REGEX_NO_CASE;
        return 0;
    case 'm':
    case 'n':
        *flags |= REGEX_DOT_NOT_LF | REGEX_LINES;
        return 0;
    case 'p':
        *flags = (*flags | REGEX_DOT_NOT_LF) & ~(uint32_t)REGEX_LINES;
        return 0;
    case 'w':
        *flags = (*flags | REGEX_LINES) & ~(uint32_t)REGEX_DOT_NOT_LF;
        return 0;
    case 's':
        *flags &= ~(uint32_t)(REGEX_DOT_NOT_LF | REGEX_LINES);
        return 0;
    case 't':
        *flags &= ~(uint32_t)REGEX_EXPANDED;
        return 0;
    case 'x':
        *flags |= REGEX_EXPANDED;
        return 0;
    case 'q':
        *flags |= REGEX_LITERAL;
        return 0;
    default:
        return -1;
    }
}

int regex_flags(struct vstr text, uint32_t *ret, struct dn_err *err)
{
    *ret = 0;
    for (uint32_t i = 0; i < text.len; i++) {
        uint32_t n = 1;

        if (text.ptr[i] == 'g') {
            *ret |= REGEX_GLOBAL;
            continue;
        }
        if (regex_flag(text.ptr[i], ret) == 0)
            continue;
        while (i + n < text.len && ((uint8_t)text.ptr[i + n] & 0xc0) == 0x80)
            n++;
        return DN_FAIL(err,
                       DN_E_INVALID_PARAM,
                       "invalid regular expression option: \"%.*s\"",
                       (int)n,
                       text.ptr + i);
    }
    return 0;
}

static bool regex_starts(struct vstr s, const char *with)
{
    size_t n = strlen(with);

    return s.len >= n && memcmp(s.ptr, with, n) == 0;
}

static struct vstr regex_behind(struct vstr s, uint32_t n)
{
    return (struct vstr){s.ptr + n, s.len - n};
}

int regex_director(struct vstr *pattern, uint32_t *flags, struct dn_err *err)
{
    struct vstr s = *pattern;
    uint32_t n = 2;

    if (*flags & REGEX_LITERAL)
        return 0;
    if (regex_starts(s, "***=")) {
        *pattern = regex_behind(s, 4);
        *flags |= REGEX_LITERAL;
        return 0;
    }
    if (regex_starts(s, "***:"))
        s = regex_behind(s, 4); /* what else starts with a star is refused as a quantifier */
    if (regex_starts(s, "(?") && s.len > 2 && (s.ptr[2] | 32) >= 'a' && (s.ptr[2] | 32) <= 'z') {
        while (n < s.len && s.ptr[n] != ')' && regex_flag(s.ptr[n], flags) == 0)
            n++;
        if (n == s.len || s.ptr[n] != ')')
            return DN_FAIL(
                err, DN_E_BAD_REGEX, "invalid regular expression: invalid embedded option");
        s = regex_behind(s, n + 1);
    }
    *pattern = s;
    return 0;
}
