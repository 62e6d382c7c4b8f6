/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_literal.c: what numbers, strings, blobs and type names mean. A literal is one allocation: the
 * node and behind it the number's text or the string's bytes. */
#include "grammar.h"
#include "sql/ast_build.h"

#include "base/text.h"
#include "vec/numeric.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
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

/* strtod whatever decimal point the program's locale has; text is digits, '.', exponent. */
static double literal_strtod(struct sql_parser *ps, const char *text)
{
    char *end;
    double v = strtod(text, &end);
    const char *point;
    const char *dot;
    struct buf b;

    if (*end != '.')
        return v;
    point = localeconv()->decimal_point;
    dot = strchr(text, '.');
    buf_init(&b, ps->arena->owner);
    buf_append(&b, text, (size_t)(dot - text));
    buf_puts(&b, point);
    buf_append(&b, dot + 1, strlen(dot + 1) + 1);
    if (b.failed)
        sql_fail_nomem(ps);
    else
        v = strtod((const char *)b.data, NULL);
    buf_done(&b);
    return v;
}

static void literal_set_double(struct sql_parser *ps, struct expr *e)
{
    e->value.type = TYPE_DOUBLE;
    e->value.v.f64 = literal_strtod(ps, e->text);
    if (isinf(e->value.v.f64))
        sql_fail(
            ps, DN_E_OUT_OF_RANGE, e->pos, "the number %.40s is out of range of DOUBLE", e->text);
}

/* Digits to a magnitude; false when it is over 64 bits. */
static bool literal_digits(const char *p, size_t len, uint64_t *ret)
{
    uint64_t v = 0;

    for (size_t i = 0; i < len; i++) {
        if (__builtin_mul_overflow(v, (uint64_t)10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(p[i] - '0'), &v))
            return false;
    }
    *ret = v;
    return true;
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

    e->big = false;
    if (strspn(digits, "0123456789") == len && literal_digits(digits, len, &v) && v <= most) {
        e->value.v.i64 = negative ? (int64_t)-v : (int64_t)v;
        e->value.type = v <= (uint64_t)INT32_MAX + negative ? TYPE_INTEGER : TYPE_BIGINT;
        return;
    }
    e->big = strspn(digits, "0123456789") == len;
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

static unsigned literal_utf8_put(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

static int literal_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads up to max digits of that base at *p; false if there are fewer than min. */
static bool
literal_code(const char **p, const char *end, int base, unsigned min, unsigned max, uint32_t *ret)
{
    unsigned n = 0;
    uint32_t v = 0;

    while (n < max && *p < end) {
        int d = literal_hex(**p);
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
        if (!literal_code(p, end, 8, 1, 3, &code) || code == 0 || code > 0xFF)
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
        if (!literal_code(p, end, 16, 1, 2, &code) || code == 0)
            return false;
        *(*out)++ = (char)code;
        return true;
    case 'u':
    case 'U':
        if (!literal_code(p, end, 16, c == 'u' ? 4 : 8, c == 'u' ? 4 : 8, &code) || code == 0 ||
            code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            return false;
        *out += literal_utf8_put(code, *out);
        return true;
    default:
        *(*out)++ = c;
        return true;
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
        *out++ = c;
        if (c == '\'')
            p++;
    }
    if (!text_utf8_valid(to, (size_t)(out - to)))
        sql_fail(ps, DN_E_BAD_ENCODING, tok.pos, "the escapes of the string make no valid UTF-8");
    return (uint32_t)(out - to);
}

static uint32_t literal_string(struct sql_parser *ps, struct sql_token tok, char *to)
{
    const char *p = tok.ptr + 1;
    const char *end = tok.ptr + tok.len - 1;
    char *out = to;

    if (tok.ptr[0] != '\'')
        return literal_unescape(ps, tok, to);
    for (;;) {
        const char *quote = memchr(p, '\'', (size_t)(end - p));
        size_t n = (size_t)((quote ? quote + 1 : end) - p);

        memcpy(out, p, n);
        out += n;
        if (!quote)
            return (uint32_t)(out - to);
        p = quote + 2;
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
    for (uint32_t i = 0; i < len; i++)
        to[i] = (char)(literal_hex(tok.ptr[2 + 2 * i]) << 4 | literal_hex(tok.ptr[3 + 2 * i]));
    e->value.type = TYPE_BLOB;
    e->value.str.ptr = to;
    e->value.str.len = len;
    return e;
}

/* ---- types ---- */

static const char *const type_words[] = {
    "VARCHAR",  "TEXT",  "STRING",   "BOOLEAN", "BOOL",    "TIMESTAMP", "TIMESTAMPTZ", "DATETIME",
    "SMALLINT", "INT",   "INTEGER",  "BIGINT",  "SINT64",  "REAL",      "DOUBLE",      "FLOAT",
    "BLOB",     "BYTEA", "INTERVAL", "NUMERIC", "DECIMAL", "DATE",      "TIME",        "UUID",
};
/* Types of other databases, and what serves here; NULL: nothing yet. */
static const struct {
    const char *word;
    const char *instead;
} type_foreign[] = {
    {"TIMEUUID", "VARCHAR"}, {"JSON", "VARCHAR"},      {"JSONB", "VARCHAR"},
    {"CHAR", "VARCHAR"},     {"CHARACTER", "VARCHAR"}, {"NCHAR", "VARCHAR"},
    {"NVARCHAR", "VARCHAR"}, {"ASCII", "VARCHAR"},     {"INET", "VARCHAR"},
    {"TINYINT", "SMALLINT"}, {"UINT32", "BIGINT"},     {"UINT64", "BIGINT"},
    {"VARINT", "BIGINT"},    {"COUNTER", "BIGINT"},    {"SERIAL", "BIGINT"},
    {"BIGSERIAL", "BIGINT"}, {"LIST", NULL},           {"SET", NULL},
    {"MAP", NULL},           {"TUPLE", NULL},          {"RECORD", NULL},
};

static bool type_is(const char *name, const char *word)
{
    return strcasecmp(name, word) == 0;
}

static void type_unknown(struct sql_parser *ps, const char *name, uint32_t pos)
{
    const char *near;

    for (size_t i = 0; i < DN_ARRAY_SIZE(type_foreign); i++) {
        if (!type_is(name, type_foreign[i].word))
            continue;
        sql_fail(ps, DN_E_UNSUPPORTED, pos, "the type %s is not supported", type_foreign[i].word);
        if (type_foreign[i].instead)
            dn_err_hint(ps->err, "use %s", type_foreign[i].instead);
        return;
    }
    near = sql_suggest(name, type_words, DN_ARRAY_SIZE(type_words));
    sql_fail(ps, DN_E_UNDEFINED_OBJECT, pos, "there is no type \"%.60s\"", name);
    if (near)
        dn_err_hint(ps->err, "Perhaps you meant %s.", near);
}

/* TIMESTAMP(3), (6), (9). */
static enum type_id
type_timestamp(struct sql_parser *ps, const char *name, const struct expr *precision)
{
    int64_t p = type_is_int(precision->value.type) ? precision->value.v.i64 : -1;

    if (p == 3)
        return TYPE_TIMESTAMP;
    if (p == 6)
        return TYPE_TIMESTAMP_US;
    if (p == 9)
        return TYPE_TIMESTAMP_NS;
    sql_fail(ps,
             DN_E_INVALID_PARAM,
             precision->pos,
             "%s(%.20s): the precision is 3, 6 or 9",
             name,
             precision->text);
    dn_err_hint(ps->err, "3 keeps milliseconds, 6 microseconds, 9 nanoseconds");
    return TYPE_NONE;
}

static enum type_id type_find(struct sql_parser *ps, const char *name, uint32_t pos, int second)
{
    enum type_id type = type_by_name(name, strlen(name));
    bool fits = true;

    if (second == TK_VARYING && (type_is(name, "CHARACTER") || type_is(name, "CHAR")))
        return TYPE_VARCHAR;
    if (type == TYPE_NONE) {
        type_unknown(ps, name, pos);
        return TYPE_NONE;
    }
    if (second == TK_PRECISION)
        fits = type_is(name, "DOUBLE");
    else if (second == TK_VARYING)
        fits = false;
    else if (second != 0)
        fits = type_is(name, "TIMESTAMP");
    if (!fits) {
        sql_fail(ps,
                 DN_E_UNDEFINED_OBJECT,
                 pos,
                 "there is no type \"%.60s %s\"",
                 name,
                 second == TK_WITH || second == TK_WITHOUT
                     ? (second == TK_WITH ? "WITH TIME ZONE" : "WITHOUT TIME ZONE")
                     : sql_keyword_upper(second));
        return TYPE_NONE;
    }
    return second == TK_WITH ? TYPE_TIMESTAMPTZ : type;
}

static enum type_id type_resolve(struct sql_parser *ps,
                                 const char *name,
                                 uint32_t pos,
                                 int second,
                                 struct expr **args,
                                 uint32_t args_count)
{
    enum type_id type = type_find(ps, name, pos, second);

    if (ps->rc < 0 || args_count == 0)
        return type;
    if (args_count == 1 && type == TYPE_TIMESTAMPTZ && args[0]->value.v.i64 <= 6)
        return type;
    if (args_count == 1 && type_is(name, "TIMESTAMP"))
        return type_timestamp(ps, name, args[0]);
    if (type_is_string(type)) {
        sql_fail(ps,
                 DN_E_UNSUPPORTED,
                 args[0]->pos,
                 "a length for the type %s is not supported",
                 type_name(type));
        dn_err_hint(ps->err, "leave the length away: %s", type_name(type));
    } else {
        sql_fail(ps, DN_E_SYNTAX, args[0]->pos, "the type %s takes no parameters", name);
    }
    return TYPE_NONE;
}

struct sql_type
sql_type(struct sql_parser *ps, struct sql_token name, int second, struct sql_list args)
{
    struct sql_type type = {.type = TYPE_NONE, .pos = name.pos};
    const char *word = sql_name(ps, name);
    struct expr **values = sql_list_take(ps, args);

    if (ps->rc == 0)
        type.type = type_resolve(ps, word, name.pos, second, values, args.count);
    return type;
}

/* TIMESTAMP '…' without a precision has that of its fraction: nothing of what is written is lost.
 */
static enum type_id typed_timestamp(struct sql_token text)
{
    uint32_t at = 0;
    uint32_t digits = 0;

    while (at < text.len && text.ptr[at] != '.' && text.ptr[at] != ',')
        at++;
    for (at++; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++)
        digits++;
    return digits > 6 ? TYPE_TIMESTAMP_NS : digits > 3 ? TYPE_TIMESTAMP_US : TYPE_TIMESTAMP;
}

struct expr *sql_typed(struct sql_parser *ps,
                       struct sql_token name,
                       struct expr *call,
                       int second,
                       struct sql_token text)
{
    const char *word = call ? call->name : sql_name(ps, name);
    struct sql_type type = {.type = TYPE_NONE, .pos = call ? call->pos : name.pos};
    struct expr *value;

    if (ps->rc < 0)
        return NULL;
    if (type_by_name(word, strlen(word)) != TYPE_NONE) {
        for (uint32_t i = 0; call && i < call->args_count; i++) {
            const struct expr *arg = call->args[i];
            if (arg->kind != EXPR_LITERAL || !arg->text) {
                sql_fail(ps, DN_E_SYNTAX, arg->pos, "the type %s takes no such parameter", word);
                return NULL;
            }
        }
        type.type = type_resolve(
            ps, word, type.pos, second, call ? call->args : NULL, call ? call->args_count : 0);
        if (!call && type.type == TYPE_TIMESTAMP)
            type.type = typed_timestamp(text);
    } else {
        sql_fail_syntax(ps, TK_STRING, text);
    }
    value = sql_string(ps, text);
    return sql_cast(ps, type.pos, value, type);
}
