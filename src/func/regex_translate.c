/* SPDX-License-Identifier: Apache-2.0
 *
 * regex_translate.c: an ARE, character by character, as PCRE2 reads it. What ARE does not allow is
 * refused here, so PCRE2's own syntax never shows: all that is not a letter, digit or beyond ASCII
 * goes out escaped. */
#include "base/number.h"
#include "base/text.h"
#include "func/regex_tr.h"
#include "func/text_int.h"

static bool tr_alnum(char c)
{
    return tr_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The next character, UTF-8 or not: a byte that starts none is one. */
static uint32_t tr_take(struct tr *t)
{
    uint8_t c = (uint8_t)*t->p++;
    uint32_t more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    uint32_t v = more == 3 ? c & 7u : more == 2 ? c & 15u : more == 1 ? c & 31u : c;

    for (; more && tr_more(t) && ((uint8_t)*t->p & 0xc0) == 0x80; more--)
        v = v << 6 | ((uint8_t)*t->p++ & 63u);
    return v;
}

/* A character that means itself. */
static int tr_char(struct tr *t, uint32_t v)
{
    if (v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
        return tr_fail(t, "invalid escape \\ sequence");
    if (v < 128 && tr_alnum((char)v))
        buf_u8(t->b, (uint8_t)v);
    else
        buf_printf(t->b, "\\x{%x}", v);
    return 0;
}

/* ---- escapes ---- */

static int tr_hex_digits(struct tr *t, uint32_t least, uint32_t most, uint32_t *ret)
{
    uint32_t n = 0;

    *ret = 0;
    for (; n < most && tr_more(t) && number_hex(*t->p) >= 0; n++, t->p++)
        *ret = *ret > 0x10ffff ? *ret : *ret << 4 | (uint32_t)number_hex(*t->p);
    return n < least ? tr_fail(t, "invalid escape \\ sequence") : 0;
}

static uint32_t tr_octal(struct tr *t)
{
    uint32_t v = 0;

    for (int n = 0; n < 3 && tr_more(t) && *t->p >= '0' && *t->p <= '7'; n++)
        v = v << 3 | (uint32_t)(*t->p++ - '0');
    return v;
}

/* An escape that stands for a character, after its \ : 1 and the character; 0: it is another. */
static int tr_escape_char(struct tr *t, uint32_t *ret)
{
    static const char names[] = "abefnrtvB";
    static const char codes[] = "\a\b\x1b\f\n\r\t\v\\";
    char c = *t->p;
    const char *at = memchr(names, c, sizeof names - 1);
    int rc;

    if (at) {
        t->p++;
        *ret = (uint8_t)codes[at - names];
        return 1;
    }
    if (c == '0') {
        *ret = tr_octal(t);
        return 1;
    }
    if (!tr_alnum(c)) {
        *ret = tr_take(t);
        return 1;
    }
    if (c == 'c') {
        t->p++;
        if (!tr_more(t))
            return tr_fail(t, "invalid escape \\ sequence");
        *ret = tr_take(t) & 31u;
        return 1;
    }
    if (c == 'u' || c == 'U' || c == 'x') {
        uint32_t n = c == 'u' ? 4 : 8;

        t->p++;
        rc = c == 'x' ? tr_hex_digits(t, 1, 255, ret) : tr_hex_digits(t, n, n, ret);
        return rc < 0 ? rc : 1;
    }
    return 0;
}

/* \1 and its like: 1 if it was one. */
static int tr_back_reference(struct tr *t)
{
    const char *start = t->p;
    uint32_t n = 0;
    uint32_t v;

    while (tr_more(t) && tr_digit(*t->p) && n < 1000)
        n = n * 10 + (uint32_t)(*t->p++ - '0');
    if (t->p - start > 1 && n > t->closed) {
        t->p = start;
        v = tr_octal(t);
        if (t->p == start)
            return tr_fail(t, "invalid backreference number");
        return tr_char(t, v);
    }
    if (n > t->closed || t->looks)
        return tr_fail(t, "invalid backreference number");
    buf_printf(t->b, "\\g{%u}", n);
    return 0;
}

struct tr_word {
    char name;
    bool constraint;
    const char *text;
};

static const struct tr_word tr_words[] = {
    {'d', false, "[0-9]"},
    {'D', false, "[^0-9]"},
    {'s', false, "\\s"},
    {'S', false, "\\S"},
    {'w', false, "\\w"},
    {'W', false, "\\W"},
    {'A', true, "\\A"},
    {'Z', true, "\\z"},
    {'m', true, "(?:\\b(?=\\w))"},
    {'M', true, "(?:\\b(?<=\\w))"},
    {'y', true, "\\b"},
    {'Y', true, "\\B"},
};

/* After the \ outside brackets. */
static int tr_escape(struct tr *t)
{
    uint32_t v;
    int rc;

    if (!tr_more(t))
        return tr_fail(t, "invalid escape \\ sequence");
    t->atom = true;
    for (size_t i = 0; i < sizeof tr_words / sizeof tr_words[0]; i++)
        if (*t->p == tr_words[i].name) {
            t->p++;
            buf_puts(t->b, tr_words[i].text);
            t->atom = !tr_words[i].constraint;
            return 0;
        }
    if (*t->p >= '1' && *t->p <= '9')
        return tr_back_reference(t);
    rc = tr_escape_char(t, &v);
    if (rc == 0)
        return tr_fail(t, "invalid escape \\ sequence");
    return rc < 0 ? rc : tr_char(t, v);
}

/* ---- brackets ---- */

/* clang-format off */
static const char *const tr_classes[] = {
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
    "xdigit", "word"};
/* clang-format on */

/* [:name:] at t->p, which is behind the "[:". */
static int tr_class(struct tr *t)
{
    for (size_t i = 0; i < sizeof tr_classes / sizeof tr_classes[0]; i++) {
        size_t n = strlen(tr_classes[i]);

        if (tr_next_is(t, tr_classes[i]) && (size_t)(t->end - t->p) > n + 1 && t->p[n] == ':' &&
            t->p[n + 1] == ']') {
            t->p += n + 2;
            if (strcmp(tr_classes[i], "digit") == 0)
                buf_puts(t->b, "0-9");
            else
                buf_printf(t->b, "[:%s:]", tr_classes[i]);
            return 0;
        }
    }
    return tr_fail(t, "invalid character class");
}

/* [.x.] or [=x=], behind the "[." : one character. */
static int tr_collating(struct tr *t, char mark, uint32_t *ret)
{
    if (!tr_more(t))
        return tr_fail(t, "brackets [] not balanced");
    *ret = tr_take(t);
    if (t->end - t->p < 2 || t->p[0] != mark || t->p[1] != ']')
        return tr_fail(t, "invalid collating element");
    t->p += 2;
    return 1;
}

/* One element: 1 and a character, which a range may start or end with; 0: written already. */
static int tr_element(struct tr *t, uint32_t *ret)
{
    if (tr_next_is(t, "[:")) {
        t->p += 2;
        return tr_class(t);
    }
    if (tr_next_is(t, "[.") || tr_next_is(t, "[=")) {
        t->p += 2;
        return tr_collating(t, t->p[-1], ret);
    }
    if (*t->p != '\\') {
        *ret = tr_take(t);
        return 1;
    }
    t->p++;
    if (!tr_more(t))
        return tr_fail(t, "invalid escape \\ sequence");
    if (text_one_of(*t->p, "dswDSW")) {
        char c = *t->p++;

        if (c == 'd' || c == 'D')
            buf_puts(t->b, c == 'd' ? "0-9" : "\\x{0}-\\x{2f}\\x{3a}-\\x{10ffff}");
        else
            buf_printf(t->b, "\\%c", c);
        return 0;
    }
    if (tr_escape_char(t, ret) == 1)
        return 1;
    return tr_fail(t, "invalid escape \\ sequence");
}

/* The end of a range that starts with `from`, behind its -. */
static int tr_range(struct tr *t, uint32_t from)
{
    uint32_t to = 0;
    int rc;

    if (!tr_more(t))
        return tr_fail(t, "brackets [] not balanced");
    if (tr_next_is(t, "[:"))
        return tr_fail(t, "invalid character range");
    rc = tr_element(t, &to);
    if (rc == 0 || (rc == 1 && to < from))
        return tr_fail(t, "invalid character range");
    if (rc < 0)
        return rc;
    rc = tr_char(t, from);
    buf_u8(t->b, '-');
    return rc < 0 ? rc : tr_char(t, to);
}

/* Behind the [. */
static int tr_bracket(struct tr *t)
{
    bool first = true;
    int rc = 0;

    t->atom = true;
    if (tr_next_is(t, "[:<:]]") || tr_next_is(t, "[:>:]]")) {
        buf_puts(t->b, t->p[2] == '<' ? "(?:\\b(?=\\w))" : "(?:\\b(?<=\\w))");
        t->p += 6;
        t->atom = false;
        return 0;
    }
    buf_u8(t->b, '[');
    if (tr_next_is(t, "^")) {
        t->p++;
        buf_puts(t->b, (t->flags & REGEX_DOT_NOT_LF) ? "^\\n" : "^");
    }
    for (; rc == 0; first = false) {
        uint32_t v;

        if (!tr_more(t))
            return tr_fail(t, "brackets [] not balanced");
        if (*t->p == ']' && !first)
            break;
        if (*t->p == '-' && !first && t->p + 1 < t->end && t->p[1] != ']')
            return tr_fail(t, "invalid character range");
        rc = tr_element(t, &v);
        if (rc != 1)
            continue;
        if (tr_next_is(t, "-") && !(t->p + 1 < t->end && t->p[1] == ']')) {
            t->p++;
            rc = tr_range(t, v);
        } else {
            rc = tr_char(t, v);
        }
    }
    if (rc < 0)
        return rc;
    t->p++;
    buf_u8(t->b, ']');
    return 0;
}

/* ---- groups ---- */

static struct tr_group *tr_top(struct tr *t)
{
    return &t->stack[t->depth];
}

/* Behind the (. */
static int tr_open(struct tr *t)
{
    static const char *const looks[] = {"?=", "?!", "?<=", "?<!"};
    struct tr_group g = {.branch = TR_NONE};

    if (tr_next_is(t, "?#")) {
        while (tr_more(t) && *t->p != ')')
            t->p++;
        if (!tr_more(t))
            return tr_fail(t, "parentheses () not balanced");
        t->p++;
        return 0;
    }
    if (t->depth + 1 >= TR_DEPTH)
        return tr_fail(t, "regular expression is too complex");
    for (size_t i = 0; i < sizeof looks / sizeof looks[0] && !g.look; i++)
        if (tr_next_is(t, looks[i])) {
            t->p += strlen(looks[i]);
            buf_printf(t->b, "(%s", looks[i]);
            g.look = true;
            t->looks++;
        }
    if (!g.look && tr_next_is(t, "?")) {
        if (!tr_next_is(t, "?:"))
            return tr_fail(t, "quantifier operand invalid");
        t->p += 2;
        buf_puts(t->b, "(?:");
    } else if (!g.look) {
        g.captures = t->looks == 0;
        t->opened += g.captures;
        buf_puts(t->b, g.captures ? "(" : "(?:");
    }
    t->depth++;
    *tr_top(t) = g;
    t->atom = false;
    return 0;
}

static int tr_close(struct tr *t)
{
    struct tr_group g = *tr_top(t);

    if (t->depth == 0)
        return tr_fail(t, "parentheses () not balanced");
    t->depth--;
    t->looks -= g.look;
    t->closed += g.captures;
    buf_u8(t->b, ')');
    t->atom = !g.look;
    t->single = TR_NO_SINGLE;
    t->inner = g.many ? TR_LONG : g.branch;
    return 0;
}

/* ---- all of it ---- */

/* The atom before is over: its preference is the branch's if that has none. */
static void tr_settle(struct tr *t)
{
    if (tr_top(t)->branch == TR_NONE)
        tr_top(t)->branch = t->inner;
    t->inner = TR_NONE;
}

/* White space and comments of the expanded syntax. */
static bool tr_skip(struct tr *t)
{
    if (!(t->flags & REGEX_EXPANDED))
        return false;
    if (*t->p == '#') {
        while (tr_more(t) && *t->p != '\n')
            t->p++;
        return true;
    }
    if (!text_one_of(*t->p, " \t\n\r\f\v"))
        return false;
    t->p++;
    return true;
}

static int tr_other(struct tr *t)
{
    char c = *t->p;

    t->atom = true;
    t->single = t->b->len;
    switch (c) {
    case '\\':
        t->p++;
        return tr_escape(t);
    case '[':
        t->p++;
        return tr_bracket(t);
    case '.':
        t->p++;
        buf_puts(t->b, (t->flags & REGEX_DOT_NOT_LF) ? "[^\\n]" : "(?s:.)");
        return 0;
    case '^':
    case '$':
        t->p++;
        buf_u8(t->b, (uint8_t)c);
        t->atom = false;
        return 0;
    default:
        return tr_char(t, tr_take(t));
    }
}

static int tr_step(struct tr *t)
{
    char c = *t->p;

    if (c == '*' || c == '+' || c == '?' || (c == '{' && t->p + 1 < t->end && tr_digit(t->p[1]))) {
        t->p++;
        return regex_tr_repeat(t, c);
    }
    tr_settle(t);
    t->repeated = false;
    if (c == '(') {
        t->p++;
        return tr_open(t);
    }
    if (c == ')') {
        t->p++;
        return tr_close(t);
    }
    if (c == '|') {
        t->p++;
        buf_u8(t->b, '|');
        tr_top(t)->many = true;
        t->branches = true;
        t->atom = false;
        return 0;
    }
    return tr_other(t);
}

int regex_translate(
    struct vstr pattern, uint32_t flags, struct buf *b, struct regex_plan *ret, struct dn_err *err)
{
    struct tr t = {.b = b, .err = err};
    int rc = regex_director(&pattern, &flags, err);

    t.p = pattern.ptr;
    t.end = pattern.ptr + pattern.len;
    t.flags = flags;
    while (rc == 0 && tr_more(&t)) {
        if (t.flags & REGEX_LITERAL)
            rc = tr_char(&t, tr_take(&t));
        else if (!tr_skip(&t))
            rc = tr_step(&t);
    }
    if (rc < 0)
        return rc;
    if (t.depth > 0)
        return tr_fail(&t, "parentheses () not balanced");
    tr_settle(&t);
    *ret = (struct regex_plan){
        .groups = t.opened,
        .shortest = !t.stack[0].many && t.stack[0].branch == TR_SHORT,
        .ambiguous = t.branches || t.quantifiers > 1,
        .lines = (t.flags & REGEX_LINES) != 0,
        .no_case = (t.flags & REGEX_NO_CASE) != 0,
    };
    return b->failed ? DN_FAIL_NOMEM(err) : 0;
}
