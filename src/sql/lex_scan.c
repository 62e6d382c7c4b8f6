/* SPDX-License-Identifier: Apache-2.0 */
#include "sql/lex_scan.h"
#include "base/text.h"

#include "grammar.h"

#include <strings.h>

unsigned sql_utf8_len(const char *p, const char *end)
{
    const unsigned char *s = (const unsigned char *)p;
    size_t left = (size_t)(end - p);
    unsigned n;

    if (left == 0)
        return 0;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (left < n)
        return 0;
    for (unsigned i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    }
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
        return 0; /* overlong, surrogate, above U+10FFFF */
    return n;
}

int sql_scan_nul(struct sql_lexer *lx, const char *p, uint32_t pos)
{
    (void)p;
    DN_IGNORE(DN_FAIL(lx->err, DN_E_SYNTAX, "syntax error at a NUL byte")); /* returned below */
    dn_err_at(lx->err, pos);
    return DN_E_SYNTAX;
}

static int scan_bad_utf8(struct sql_lexer *lx, const char *p, uint32_t pos)
{
    int rc = DN_FAIL(lx->err,
                     DN_E_BAD_ENCODING,
                     "the text is not valid UTF-8: byte 0x%02X at character %u",
                     (unsigned)(unsigned char)*p,
                     pos);

    dn_err_at(lx->err, pos);
    return rc;
}

static int scan_fail(struct sql_lexer *lx, uint32_t pos, const char *text, const char *hint)
{
    int rc = DN_FAIL(lx->err, DN_E_SYNTAX, "%s", text);

    dn_err_at(lx->err, pos);
    if (hint)
        dn_err_hint(lx->err, "%s", hint);
    return rc;
}

/* Moves *p over one byte or one character over 127, counting characters in *pos. */
static inline int scan_step(struct sql_lexer *lx, const char **p, uint32_t *pos)
{
    unsigned char c = (unsigned char)**p;
    unsigned n;

    if (DN_LIKELY(c < 0x80 && c != 0)) {
        ++*p;
        ++*pos;
        return 0;
    }
    if (c == 0)
        return sql_scan_nul(lx, *p, *pos);
    n = sql_utf8_len(*p, lx->end);
    if (n == 0)
        return scan_bad_utf8(lx, *p, *pos);
    *p += n;
    ++*pos;
    return 0;
}

int sql_scan_word(struct sql_lexer *lx, struct sql_token *tok, const char *p)
{
    const char *s = tok->ptr;
    uint32_t pos = tok->pos;

    while (s < p) {
        int rc = scan_step(lx, &s, &pos);
        if (rc < 0)
            return rc;
    }
    tok->len = (uint32_t)(s - tok->ptr);
    lx->cur = s;
    lx->pos = pos;
    return TK_ID;
}

static int scan_unterminated(struct sql_lexer *lx, const struct sql_token *tok, char quote)
{
    if (quote == '\'')
        return scan_fail(lx,
                         tok->pos,
                         "unterminated quoted string",
                         "a quote inside a string is written twice: 'it''s'");
    return scan_fail(lx, tok->pos, "unterminated quoted identifier", NULL);
}

/* 'a' and on another line 'b' are one string: the byte of the second's quote, NULL if there is
 * none. Comments may stand between. */
static const char *scan_continues(const struct sql_lexer *lx, const char *p)
{
    bool line = false;

    while (p < lx->end) {
        if (*p == '\'')
            return line ? p : NULL;
        if (*p == '\n' || *p == '\r')
            line = true;
        if (line && lx->end - p >= 2 && p[0] == '-' && p[1] == '-') {
            while (p < lx->end && *p != '\n')
                p++;
            continue;
        }
        if (*p != ' ' && !(*p >= '\t' && *p <= '\r'))
            return NULL;
        p++;
    }
    return NULL;
}

int sql_scan_quoted(struct sql_lexer *lx, struct sql_token *tok, uint32_t skip, int code)
{
    const char *p = tok->ptr + skip;
    uint32_t pos = tok->pos + skip + 1;
    char quote = *p++;
    bool escapes = skip == 1; /* E'…' */

    for (;;) {
        if (p >= lx->end)
            return scan_unterminated(lx, tok, quote);
        if (*p == quote) {
            const char *more = NULL;

            p++;
            pos++;
            if (p < lx->end && *p != quote && quote == '\'')
                more = scan_continues(lx, p);
            if (!more && (p >= lx->end || *p != quote))
                break;
            for (more = more ? more : p; p <= more;) {
                int rc = scan_step(lx, &p, &pos);
                if (rc < 0)
                    return rc;
            }
            continue;
        }
        if (escapes && *p == '\\') {
            p++;
            pos++;
            if (p >= lx->end)
                return scan_unterminated(lx, tok, quote);
        }
        int rc = scan_step(lx, &p, &pos);
        if (rc < 0)
            return rc;
    }
    tok->len = (uint32_t)(p - tok->ptr);
    if (code == TK_ID && tok->len == skip + 2)
        return scan_fail(lx, tok->pos, "a name in quotes may not be empty", NULL);
    lx->cur = p;
    lx->pos = pos;
    return code;
}

static bool scan_is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int scan_odd(struct sql_lexer *lx, const struct sql_token *tok)
{
    return scan_fail(lx,
                     tok->pos,
                     "the blob has an odd number of hexadecimal digits",
                     "two digits make a byte: 0x0A, X'0A'");
}

int sql_scan_hex(struct sql_lexer *lx, struct sql_token *tok)
{
    const char *p = tok->ptr + 2;

    while (p < lx->end && scan_is_hex(*p))
        p++;
    if (p >= lx->end)
        return scan_fail(lx, tok->pos, "unterminated hexadecimal string literal", NULL);
    if (*p != '\'')
        return scan_fail(lx,
                         tok->pos + (uint32_t)(p - tok->ptr),
                         "this is not a hexadecimal digit of a blob",
                         "a blob is 0x or X'…' with two hexadecimal digits for each byte");
    p++;
    tok->len = (uint32_t)(p - tok->ptr);
    lx->cur = p;
    lx->pos += tok->len;
    return tok->len % 2 == 0 ? TK_BITS : TK_BLOB; /* no bytes: four bits a digit */
}

int sql_scan_bits(struct sql_lexer *lx, struct sql_token *tok)
{
    const char *p = tok->ptr + 2;

    while (p < lx->end && (*p == '0' || *p == '1'))
        p++;
    if (p >= lx->end)
        return scan_fail(lx, tok->pos, "unterminated bit string literal", NULL);
    if (*p != '\'')
        return scan_fail(lx,
                         tok->pos + (uint32_t)(p - tok->ptr),
                         "this is not a digit of a bit string",
                         "a bit string is B'…' with the digits 0 and 1");
    p++;
    tok->len = (uint32_t)(p - tok->ptr);
    lx->cur = p;
    lx->pos += tok->len;
    return TK_BITS;
}

int sql_scan_dollar(struct sql_lexer *lx, struct sql_token *tok, const char *p)
{
    size_t tag = (size_t)(p - tok->ptr);
    const char *s = tok->ptr;
    uint32_t pos = tok->pos;
    int rc;

    while (s < p) {
        rc = scan_step(lx, &s, &pos);
        if (rc < 0)
            return rc;
    }
    while ((size_t)(lx->end - s) >= tag) {
        if (*s == '$' && memcmp(s, tok->ptr, tag) == 0) {
            tok->len = (uint32_t)(s + tag - tok->ptr);
            for (p = s + tag; s < p;) {
                rc = scan_step(lx, &s, &pos);
                if (rc < 0)
                    return rc;
            }
            lx->cur = s;
            lx->pos = pos;
            return TK_STRING;
        }
        rc = scan_step(lx, &s, &pos);
        if (rc < 0)
            return rc;
    }
    return scan_fail(lx, tok->pos, "unterminated dollar-quoted string", NULL);
}

static void scan_spaces(struct sql_lexer *lx)
{
    while (lx->cur < lx->end && (*lx->cur == ' ' || (*lx->cur >= '\t' && *lx->cur <= '\r'))) {
        lx->cur++;
        lx->pos++;
    }
}

/* UESCAPE 'x' behind a U&'…' that ends at lx->cur becomes part of the token. */
static void scan_uescape(struct sql_lexer *lx, struct sql_token *tok)
{
    struct sql_lexer ahead = *lx;

    scan_spaces(&ahead);
    if (ahead.end - ahead.cur < 7 || strncasecmp(ahead.cur, "uescape", 7) != 0)
        return;
    ahead.cur += 7;
    ahead.pos += 7;
    scan_spaces(&ahead);
    if (ahead.end - ahead.cur < 3 || ahead.cur[0] != '\'' || ahead.cur[2] != '\'' ||
        (unsigned char)ahead.cur[1] >= 0x80)
        return;
    lx->cur = ahead.cur + 3;
    lx->pos = ahead.pos + 3;
    tok->len = (uint32_t)(lx->cur - tok->ptr);
}

int sql_scan_unicode(struct sql_lexer *lx, struct sql_token *tok, int code)
{
    int rc = sql_scan_quoted(lx, tok, 2, code);

    if (rc > 0)
        scan_uescape(lx, tok);
    return rc;
}

/* ---- operators ---- */

static const struct {
    char text[3];
    int code;
} scan_symbols[] = {
    {"+", TK_PLUS},    {"-", TK_MINUS},  {"*", TK_STAR},  {"/", TK_SLASH},   {"%", TK_PERCENT},
    {"=", TK_EQ},      {"<", TK_LT},     {">", TK_GT},    {"&", TK_AMP},     {"|", TK_PIPE},
    {"#", TK_HASH},    {"~", TK_TILDE},  {"^", TK_CARET}, {"==", TK_EQ},     {"<>", TK_NE},
    {"!=", TK_NE},     {"<=", TK_LE},    {">=", TK_GE},   {"||", TK_CONCAT}, {"<<", TK_LSHIFT},
    {">>", TK_RSHIFT}, {"=>", TK_ARROW},
};

/* As PostgreSQL reads them: the longest run of signs before a comment; one that has none of
 * ~!@#%^&| does not end in + or -. */
int sql_scan_symbol(struct sql_lexer *lx, struct sql_token *tok)
{
    static const char signs[] = "+-*/<>=~!@#%^&|";
    const char *p = tok->ptr;
    bool special = false;
    uint32_t len = 0;

    while (p < lx->end && *p && strchr(signs, *p)) {
        bool two = lx->end - p >= 2;

        if (two && ((p[0] == '-' && p[1] == '-') || (p[0] == '/' && p[1] == '*')))
            break;
        special = special || text_one_of(*p, "~!@#%^&|");
        p++;
        len++;
    }
    while (len > 1 && !special && (tok->ptr[len - 1] == '+' || tok->ptr[len - 1] == '-'))
        len--;
    tok->len = len;
    lx->cur = tok->ptr + len;
    lx->pos = tok->pos + len;
    for (size_t i = 0; len < 3 && i < DN_ARRAY_SIZE(scan_symbols); i++)
        if (scan_symbols[i].text[0] == tok->ptr[0] &&
            (len == 2 ? scan_symbols[i].text[1] == tok->ptr[1] : scan_symbols[i].text[1] == '\0'))
            return scan_symbols[i].code;
    return TK_OP;
}

int sql_scan_hex_number(struct sql_lexer *lx, struct sql_token *tok, const char *p)
{
    tok->len = (uint32_t)(p - tok->ptr);
    if (tok->len % 2 != 0)
        return scan_odd(lx, tok);
    lx->cur = p;
    lx->pos += tok->len;
    return TK_BLOB;
}

int sql_scan_junk(struct sql_lexer *lx, struct sql_token *tok, const char *p)
{
    const char *s = tok->ptr;
    uint32_t pos = tok->pos;
    int rc;

    while (s < p) { /* the message quotes it: it must be UTF-8 */
        rc = scan_step(lx, &s, &pos);
        if (rc < 0)
            return rc;
    }
    if (p - tok->ptr >= 2 && tok->ptr[0] == '0' && (tok->ptr[1] | 0x20) == 'x') {
        const char *d = tok->ptr + 2;
        while (d < p && scan_is_hex(*d))
            d++;
        return scan_fail(lx,
                         tok->pos + (uint32_t)(d - tok->ptr),
                         "this is not a hexadecimal digit of a blob",
                         "a blob is 0x or X'…' with two hexadecimal digits for each byte");
    }
    rc = DN_FAIL(lx->err,
                 DN_E_SYNTAX,
                 "the number runs into letters at \"%.*s\"",
                 (int)(p - tok->ptr > 60 ? 60 : p - tok->ptr),
                 tok->ptr);
    dn_err_at(lx->err, tok->pos);
    dn_err_hint(lx->err,
                "a value with a unit is a string ('64MB'), a name that starts with a digit needs "
                "double quotes");
    return rc;
}

int sql_scan_line_comment(struct sql_lexer *lx)
{
    const char *p = lx->cur;
    uint32_t pos = lx->pos;

    while (p < lx->end && *p != '\n') {
        int rc = scan_step(lx, &p, &pos);
        if (rc < 0)
            return rc;
    }
    lx->cur = p;
    lx->pos = pos;
    return 0;
}

int sql_scan_block_comment(struct sql_lexer *lx)
{
    const char *p = lx->cur;
    uint32_t pos = lx->pos;
    uint32_t depth = 0;

    do {
        if (lx->end - p >= 2 && p[0] == '/' && p[1] == '*') {
            depth++;
            p += 2;
            pos += 2;
        } else if (lx->end - p >= 2 && p[0] == '*' && p[1] == '/') {
            depth--;
            p += 2;
            pos += 2;
        } else if (p >= lx->end) {
            return scan_fail(lx,
                             lx->pos,
                             "unterminated /* comment",
                             depth > 1 ? "comments nest: each /* needs its own */" : NULL);
        } else {
            int rc = scan_step(lx, &p, &pos);
            if (rc < 0)
                return rc;
        }
    } while (depth > 0);
    lx->cur = p;
    lx->pos = pos;
    return 0;
}

void sql_lex_skip_blanks(struct sql_lexer *lx)
{
    struct dn_err *err = lx->err;
    int rc = 0;

    lx->err = NULL;
    while (rc == 0 && lx->cur < lx->end) {
        char c = *lx->cur;
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            lx->cur++;
            lx->pos++;
        } else if (lx->end - lx->cur >= 2 && c == '-' && lx->cur[1] == '-') {
            rc = sql_scan_line_comment(lx);
        } else if (lx->end - lx->cur >= 2 && c == '/' && lx->cur[1] == '*') {
            rc = sql_scan_block_comment(lx);
        } else {
            break;
        }
    }
    lx->err = err;
}

/* ---- over a bad statement: no errors, only an end ---- */

/* One byte forward; a byte that continues a character is no position. */
static void skip_byte(struct sql_lexer *lx)
{
    if (((unsigned char)*lx->cur & 0xC0) != 0x80)
        lx->pos++;
    lx->cur++;
}

static void skip_quoted(struct sql_lexer *lx, bool escapes)
{
    char quote = *lx->cur;

    skip_byte(lx);
    while (lx->cur < lx->end) {
        bool closes = *lx->cur == quote;
        bool doubled = lx->end - lx->cur >= 2 && lx->cur[1] == quote;

        if (closes && !doubled) {
            skip_byte(lx);
            return;
        }
        if (closes || (escapes && *lx->cur == '\\' && lx->end - lx->cur >= 2))
            skip_byte(lx);
        skip_byte(lx);
    }
}

static void skip_comment(struct sql_lexer *lx)
{
    uint32_t depth = 0;

    do {
        bool two = lx->end - lx->cur >= 2;
        if (two && lx->cur[0] == '/' && lx->cur[1] == '*') {
            depth++;
            skip_byte(lx);
        } else if (two && lx->cur[0] == '*' && lx->cur[1] == '/') {
            depth--;
            skip_byte(lx);
        }
        skip_byte(lx);
    } while (depth > 0 && lx->cur < lx->end);
}

static bool skip_in_word(const struct sql_lexer *lx)
{
    unsigned char c = lx->cur > lx->start ? (unsigned char)lx->cur[-1] : ' ';

    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' ||
           c == '$' || c >= 0x80;
}

/* Bytes of the tag that opens a dollar-quoted text here, both signs included; 0: none does. */
static size_t skip_tag(const struct sql_lexer *lx)
{
    const char *p = lx->cur + 1;

    if (*lx->cur != '$' || skip_in_word(lx) || (p < lx->end && *p >= '0' && *p <= '9'))
        return 0;
    while (p < lx->end && ((*p >= '0' && *p <= '9') || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') ||
                           *p == '_' || (unsigned char)*p >= 0x80))
        p++;
    return p < lx->end && *p == '$' ? (size_t)(p - lx->cur) + 1 : 0;
}

/* $tag$ … $tag$; without an end, to that of the text. */
static void skip_dollar(struct sql_lexer *lx, size_t tag)
{
    const char *open = lx->cur;
    const char *end = lx->end;

    for (const char *p = open + tag; (size_t)(lx->end - p) >= tag; p++) {
        if (*p == '$' && memcmp(p, open, tag) == 0) {
            end = p + tag;
            break;
        }
    }
    while (lx->cur < end)
        skip_byte(lx);
}

bool sql_lex_skip_statement(struct sql_lexer *lx)
{
    bool escapes = false; /* the byte before was an E that starts a word */

    while (lx->cur < lx->end) {
        char c = *lx->cur;
        char next = lx->end - lx->cur >= 2 ? lx->cur[1] : '\0';
        bool was_e = escapes;
        size_t tag = skip_tag(lx);

        escapes = (c == 'e' || c == 'E') && !skip_in_word(lx);
        if (c == ';') {
            skip_byte(lx);
            return true;
        }
        if (c == '\'' || c == '"' || c == '`') {
            skip_quoted(lx, was_e && c == '\'');
        } else if (c == '-' && next == '-') {
            while (lx->cur < lx->end && *lx->cur != '\n')
                skip_byte(lx);
        } else if (c == '/' && next == '*') {
            skip_comment(lx);
        } else if (tag > 0) {
            skip_dollar(lx, tag);
        } else {
            skip_byte(lx);
        }
    }
    return false;
}
