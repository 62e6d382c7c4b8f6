/* SPDX-License-Identifier: Apache-2.0
 *
 * json.c: recursive descent over a bounded buffer; every function leaves the position after what
 * it read, and reports the first error at the position where it stands. */
#include "base/json.h"

#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define JSON_NUMBER_MAX \
    400u /* bytes of a number with a point: more than %.17g or any sane digits */

struct json_in {
    struct arena *arena; /* borrowed */
    const char *start;   /* of the document */
    const char *at;      /* next byte */
    const char *end;
    struct dn_err *err; /* borrowed */
};

static int json_value(struct json_in *in, unsigned depth, struct dn_json *ret);

static int json_fail(const struct json_in *in, const char *what)
{
    size_t line = 1;
    const char *line_start = in->start;

    for (const char *s = in->start; s < in->at; s++)
        if (*s == '\n') {
            line++;
            line_start = s + 1;
        }
    return DN_FAIL(in->err,
                   DN_E_CORRUPT,
                   "line %zu, column %zu: %s",
                   line,
                   (size_t)(in->at - line_start) + 1,
                   what);
}

static void json_skip(struct json_in *in)
{
    while (in->at < in->end &&
           (*in->at == ' ' || *in->at == '\n' || *in->at == '\t' || *in->at == '\r'))
        in->at++;
}

static bool json_take(struct json_in *in, char c)
{
    json_skip(in);
    if (in->at == in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

static bool json_word(struct json_in *in, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(in->end - in->at) < n || memcmp(in->at, word, n) != 0)
        return false;
    in->at += n;
    return true;
}

/* ---- strings ---- */

/* Four hex digits; -1 if they are not. */
static int32_t json_hex4(struct json_in *in)
{
    int32_t v = 0;

    if (in->end - in->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = number_hex(in->at[i]);

        if (digit < 0)
            return -1;
        v = v * 16 + digit;
    }
    in->at += 4;
    return v;
}

/* What follows a backslash; at most as many bytes as the escape has. */
static int json_escape(struct json_in *in, char *to, size_t *ret_len)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char bytes[] = "\"\\/\b\f\n\r\t";
    const char *letter = in->at < in->end && *in->at ? strchr(letters, *in->at) : NULL;
    int32_t cp;
    int32_t low;

    if (letter) {
        in->at++;
        *to = bytes[letter - letters];
        *ret_len = 1;
        return 0;
    }
    if (!json_word(in, "u"))
        return json_fail(in, "not an escape");
    cp = json_hex4(in);
    if (cp >= 0xd800 && cp <= 0xdbff) {
        low = json_word(in, "\\u") ? json_hex4(in) : -1;
        if (low < 0xdc00 || low > 0xdfff)
            return json_fail(in, "half a surrogate pair");
        cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
    } else if (cp < 0 || (cp >= 0xdc00 && cp <= 0xdfff)) {
        return json_fail(in, "not an escape");
    }
    *ret_len = text_utf8_put((uint32_t)cp, to);
    return 0;
}

/* After the opening quote. The text is never longer than what stands between the quotes. */
static int json_string(struct json_in *in, const char **ret, size_t *ret_len)
{
    const char *close = in->at;
    size_t n = 0;
    size_t used;
    char *to;
    int rc;

    while (close < in->end && *close != '"')
        close += *close == '\\' && close + 1 < in->end ? 2 : 1;
    if (close >= in->end)
        return json_fail(in, "a string without end");
    to = arena_alloc(in->arena, (size_t)(close - in->at) + 1);
    if (!to)
        return DN_FAIL_NOMEM(in->err);
    while (in->at < close) {
        if ((unsigned char)*in->at < 0x20)
            return json_fail(in, "a control character in a string");
        if (*in->at != '\\') {
            to[n++] = *in->at++;
            continue;
        }
        in->at++;
        rc = json_escape(in, to + n, &used);
        if (rc < 0)
            return rc;
        n += used;
    }
    if (!text_utf8_valid(to, n))
        return json_fail(in, "not UTF-8");
    in->at = close + 1;
    to[n] = '\0';
    *ret = to;
    *ret_len = n;
    return 0;
}

/* ---- numbers ---- */

static size_t json_digits(struct json_in *in)
{
    const char *from = in->at;

    while (in->at < in->end && number_is_digit(*in->at))
        in->at++;
    return (size_t)(in->at - from);
}

static int json_real(struct json_in *in, const char *from, struct dn_json *ret)
{
    char text[JSON_NUMBER_MAX + 1];
    size_t n = (size_t)(in->at - from);

    if (n > JSON_NUMBER_MAX)
        return json_fail(in, "a number with too many digits");
    memcpy(text, from, n);
    text[n] = '\0';
    ret->kind = DN_JSON_REAL;
    if (number_real(text, &ret->real) != n || !isfinite(ret->real))
        return json_fail(in, "a number out of range");
    return 0;
}

static int json_number(struct json_in *in, struct dn_json *ret)
{
    const char *from = in->at;
    const char *digits = json_word(in, "-") ? from + 1 : from;
    size_t n = json_digits(in);
    bool real = false;

    if (n == 0 || (n > 1 && *digits == '0'))
        return json_fail(in, "not a value");
    if (json_word(in, ".")) {
        real = true;
        if (json_digits(in) == 0)
            return json_fail(in, "no digit after the point");
    }
    if (json_word(in, "e") || json_word(in, "E")) {
        real = true;
        if (!json_word(in, "+"))
            DN_IGNORE(json_word(in, "-")); /* may be there */
        if (json_digits(in) == 0)
            return json_fail(in, "no digit in the exponent");
    }
    if (real)
        return json_real(in, from, ret);
    if (!number_is_int(from, (size_t)(in->at - from), &ret->integer))
        return json_fail(in, "an integer of more than 64 bits");
    ret->kind = DN_JSON_INT;
    return 0;
}

/* ---- arrays and objects ---- */

/* Room for one more item. */
static struct dn_json *json_grow(struct json_in *in, struct dn_json *list, size_t *cap)
{
    if (list->count == *cap) {
        size_t more = *cap ? 2 * *cap : 4;
        struct dn_json *items = arena_alloc_array(in->arena, more, sizeof *items);

        if (!items)
            return NULL;
        if (list->count)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        *cap = more;
    }
    memset(&list->items[list->count], 0, sizeof *list->items);
    return &list->items[list->count++];
}

static int json_name(struct json_in *in, const struct dn_json *o, const char **ret)
{
    size_t len;
    int rc;

    if (!json_take(in, '"'))
        return json_fail(in, "expected a name");
    rc = json_string(in, ret, &len);
    if (rc < 0)
        return rc;
    if (strlen(*ret) != len)
        return json_fail(in, "a NUL in a name");
    if (dn_json_get(o, *ret))
        return json_fail(in, "a name given twice");
    return json_take(in, ':') ? 0 : json_fail(in, "expected a colon");
}

/* After the opening brace. */
static int json_list(struct json_in *in, unsigned depth, bool object, struct dn_json *ret)
{
    char close = object ? '}' : ']';
    size_t cap = 0;
    int rc;

    ret->kind = object ? DN_JSON_OBJECT : DN_JSON_ARRAY;
    if (depth > DN_JSON_DEPTH_MAX)
        return json_fail(in, "nested too deeply");
    if (json_take(in, close))
        return 0;
    do {
        const char *name = NULL;
        struct dn_json *item;

        if (object) {
            if (ret->count == DN_JSON_MEMBERS_MAX)
                return json_fail(in, "too many members");
            rc = json_name(in, ret, &name);
            if (rc < 0)
                return rc;
        }
        item = json_grow(in, ret, &cap);
        if (!item)
            return DN_FAIL_NOMEM(in->err);
        rc = json_value(in, depth + 1, item);
        if (rc < 0)
            return rc;
        item->name = name;
    } while (json_take(in, ','));
    return json_take(in, close) ? 0 : json_fail(in, object ? "expected , or }" : "expected , or ]");
}

static int json_value(struct json_in *in, unsigned depth, struct dn_json *ret)
{
    if (json_take(in, '{'))
        return json_list(in, depth, true, ret);
    if (json_take(in, '['))
        return json_list(in, depth, false, ret);
    if (json_take(in, '"')) {
        ret->kind = DN_JSON_STRING;
        return json_string(in, &ret->str, &ret->len);
    }
    if (json_word(in, "null")) {
        ret->kind = DN_JSON_NULL;
        return 0;
    }
    ret->kind = DN_JSON_BOOL;
    ret->integer = json_word(in, "true");
    if (ret->integer || json_word(in, "false"))
        return 0;
    return json_number(in, ret);
}

int dn_json_parse(
    struct arena *arena, const void *p, size_t n, const struct dn_json **ret, struct dn_err *err)
{
    struct json_in in = {.arena = arena, .start = p, .at = p, .err = err};
    struct dn_json *root = arena_calloc(arena, 1, sizeof *root);
    int rc;

    if (!root)
        return DN_FAIL_NOMEM(err);
    in.end = n ? in.start + n : in.start;
    rc = json_value(&in, 1, root);
    if (rc < 0)
        return rc;
    json_skip(&in);
    if (in.at != in.end)
        return json_fail(&in, "something after the end");
    *ret = root;
    return 0;
}

const struct dn_json *dn_json_get(const struct dn_json *o, const char *name)
{
    if (!dn_json_is(o, DN_JSON_OBJECT))
        return NULL;
    for (size_t i = 0; i < o->count; i++)
        if (o->items[i].name && strcmp(o->items[i].name, name) == 0)
            return &o->items[i];
    return NULL;
}

/* ---- writing ---- */

struct dn_json_writer dn_json_writer_make(struct buf *b)
{
    struct dn_json_writer w = {.b = b};

    return w;
}

static void json_indent(struct dn_json_writer *w)
{
    buf_u8(w->b, '\n');
    for (uint32_t i = 0; i < w->depth; i++)
        buf_u8(w->b, ' ');
}

static void json_put_string(struct buf *b, const char *s, size_t len)
{
    static const char bytes[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";

    buf_u8(b, '"');
    for (size_t i = 0; i < len; i++) {
        const char *special = s[i] ? strchr(bytes, s[i]) : NULL;

        if (special) {
            buf_u8(b, '\\');
            buf_u8(b, (uint8_t)letters[special - bytes]);
        } else if ((unsigned char)s[i] < 0x20) {
            buf_printf(b, "\\u%04X", (unsigned)(unsigned char)s[i]);
        } else {
            buf_u8(b, (uint8_t)s[i]);
        }
    }
    buf_u8(b, '"');
}

/* Comma, line and name before a value. */
static void json_before(struct dn_json_writer *w, const char *name)
{
    if (w->started >> w->depth & 1)
        buf_u8(w->b, ',');
    w->started |= (uint32_t)1 << w->depth;
    if (w->depth)
        json_indent(w);
    if (!name)
        return;
    json_put_string(w->b, name, strlen(name));
    buf_puts(w->b, ": ");
}

void dn_json_begin(struct dn_json_writer *w, const char *name, char brace)
{
    DN_ASSERT(w->depth + 1 < DN_JSON_DEPTH_MAX);
    json_before(w, name);
    buf_u8(w->b, (uint8_t)brace);
    w->depth++;
    w->started &= ~((uint32_t)1 << w->depth);
}

void dn_json_end(struct dn_json_writer *w, char brace)
{
    bool empty = !(w->started >> w->depth & 1);

    DN_ASSERT(w->depth > 0);
    w->depth--;
    if (!empty)
        json_indent(w);
    buf_u8(w->b, (uint8_t)brace);
}

void dn_json_put_null(struct dn_json_writer *w, const char *name)
{
    json_before(w, name);
    buf_puts(w->b, "null");
}

void dn_json_put_bool(struct dn_json_writer *w, const char *name, bool v)
{
    json_before(w, name);
    buf_puts(w->b, v ? "true" : "false");
}

void dn_json_put_int(struct dn_json_writer *w, const char *name, int64_t v)
{
    json_before(w, name);
    buf_printf(w->b, "%" PRId64, v);
}

void dn_json_put_real(struct dn_json_writer *w, const char *name, double v)
{
    char text[40];
    size_t n;

    json_before(w, name);
    (void)snprintf(text, sizeof text, "%.17g", v);
    /* Whatever point the program's locale has, JSON's is a point. */
    n = strspn(text, "-0123456789");
    if (text[n] != '\0' && text[n] != 'e')
        text[n] = '.';
    buf_puts(w->b, text);
    if (text[n] == '\0')
        buf_puts(w->b, ".0");
}

void dn_json_put_text(struct dn_json_writer *w, const char *name, const char *s, size_t len)
{
    json_before(w, name);
    json_put_string(w->b, s, len);
}
