/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c: values to text and back: which printer and parser for which type, and the short ones
 * among them. */
#include "func/text.h"

#include "base/text.h"
#include "func/text_int.h"
#include "func/text_wire.h"

#include <float.h>
#include <string.h>
#include <strings.h>

#define TEXT_QUOTE_MAX 60u /* bytes of a bad value quoted in a message */

struct vstr text_trim(struct vstr s)
{
    while (s.len && text_is_space(s.ptr[0])) {
        s.ptr++;
        s.len--;
    }
    while (s.len && text_is_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

int text_quote_len(struct vstr s)
{
    uint32_t n = s.len;

    if (n > TEXT_QUOTE_MAX) {
        n = TEXT_QUOTE_MAX;
        while (n && ((uint8_t)s.ptr[n] & 0xc0) == 0x80)
            n--;
    }
    return (int)n;
}

int text_fail_syntax(enum type_id type, struct vstr s, struct dn_err *err)
{
    int n = text_quote_len(s);

    return DN_FAIL(err,
                   DN_E_BAD_TEXT,
                   "invalid input syntax for type %s: \"%.*s%s\"",
                   type_word(type),
                   n,
                   s.ptr,
                   (uint32_t)n < s.len ? "…" : "");
}

static void text_print_hex(const char *prefix, struct vstr s, struct buf *b)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t *to;

    buf_puts(b, prefix);
    to = buf_extend(b, (size_t)s.len * 2);
    if (!to)
        return;
    for (uint32_t i = 0; i < s.len; i++) {
        uint8_t byte = (uint8_t)s.ptr[i];

        *to++ = (uint8_t)digits[byte >> 4];
        *to++ = (uint8_t)digits[byte & 15];
    }
}

void text_print(const struct datum *d, struct buf *b)
{
    text_print_in(NULL, d, b);
}

void text_print_in(const struct func_session *session, const struct datum *d, struct buf *b)
{
    text_print_as(session, TEXT_SELECT, d, b);
}

static void
text_print_float(const struct func_session *session, const struct datum *d, struct buf *b)
{
    int digits = d->type == TYPE_REAL ? FLT_DIG : DBL_DIG;

    if (session && session->float_less)
        text_print_digits(d->v.f64, digits + 1 - session->float_less, b);
    else if (d->type == TYPE_REAL)
        text_print_f32((float)d->v.f64, b);
    else
        text_print_f64(d->v.f64, b);
}

/* INTERVAL, DATE, TIME, TIMETZ, TIMESTAMPTZ and TIMESTAMP_LOCAL. */
static void
text_print_temporal(const struct func_session *session, const struct datum *d, struct buf *b)
{
    if (d->type == TYPE_INTERVAL)
        text_print_interval_in(session ? session->interval_style : INTERVAL_POSTGRES, d->iv, b);
    else if (d->type == TYPE_DATE)
        text_print_date_in(session, d->v.i64, b);
    else if (d->type == TYPE_TIME)
        text_print_clock(d->v.i64, b);
    else if (d->type == TYPE_TIMETZ)
        text_print_timetz(d->v.i64, b);
    else if (d->type == TYPE_TIMESTAMP_LOCAL)
        text_print_local_in(session, d->v.i64, b);
    else
        text_print_zoned_in(session, d->v.i64, b);
}

void text_print_as(const struct func_session *session,
                   enum text_style style,
                   const struct datum *d,
                   struct buf *b)
{
    int64_t us;

    if (d->null)
        return;
    if (type_is_array(d->type)) {
        text_print_array(session, style, d, b);
        return;
    }
    if (type_is_enum(d->type)) {
        text_print_enum(session, d->v.i64, b);
        return;
    }
    switch ((int)d->type) {
    case TYPE_NONE:
    case TYPE_MAX:
        return;
    case TYPE_BOOLEAN:
        if (style == TEXT_SELECT)
            buf_puts(b, d->v.i64 ? "true" : "false");
        else
            buf_u8(b, d->v.i64 ? 't' : 'f');
        return;
    case TYPE_SMALLINT:
    case TYPE_INTEGER:
    case TYPE_BIGINT:
        text_print_i64(d->v.i64, b);
        return;
    case TYPE_REAL:
    case TYPE_DOUBLE:
        text_print_float(session, d, b);
        return;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
    case TYPE_BIT:
    case TYPE_VARBIT:
        buf_append(b, d->str.ptr, d->str.len);
        return;
    case TYPE_BLOB:
        if (session && session->bytes_escaped)
            text_escape(d->str, b);
        else
            text_print_hex(style == TEXT_SELECT ? "0x" : "\\x", d->str, b);
        return;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_US:
    case TYPE_TIMESTAMP_NS:
        us = style == TEXT_WIRE ? text_wire_us(d) : 0;
        if (style == TEXT_WIRE && ((us != INT64_MAX && us != INT64_MIN) || us == d->v.i64))
            text_print_zoned_in(session, us, b);
        else
            text_print_time_in(style == TEXT_COPY ? NULL : session, d->v.i64, d->type, b);
        return;
    case TYPE_INTERVAL:
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMETZ:
    case TYPE_TIMESTAMPTZ:
    case TYPE_TIMESTAMP_LOCAL:
        text_print_temporal(session, d, b);
        return;
    case TYPE_UUID:
        text_print_uuid(d->str, b);
        return;
    case TYPE_NUMERIC:
        text_print_numeric(d->num, b);
        return;
    default: /* of the system's relations */
        text_print_system(d, b);
        return;
    }
}

static int text_parse_bool(struct vstr s, int64_t *ret, struct dn_err *err)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {
        {"true", true},
        {"false", false},
        {"t", true},
        {"f", false},
        {"yes", true},
        {"no", false},
        {"y", true},
        {"n", false},
        {"on", true},
        {"off", false},
        {"1", true},
        {"0", false},
    };

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++)
        if (strlen(words[i].word) == s.len && strncasecmp(words[i].word, s.ptr, s.len) == 0) {
            *ret = words[i].value;
            return 0;
        }
    return text_fail_syntax(TYPE_BOOLEAN, s, err);
}

void text_print_out(const struct func_session *session, const struct datum *d, struct buf *b)
{
    if (d->type == TYPE_BOOLEAN && !d->null)
        buf_u8(b, d->v.i64 ? 't' : 'f');
    else
        text_print_in(session, d, b);
}

int text_hex_digit(char c)
{
    if (text_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

struct vstr text_unblank(struct vstr s)
{
    while (s.len > 0 && s.ptr[s.len - 1] == ' ')
        s.len--;
    return s;
}

static int
text_parse_varchar(struct vstr s, struct arena *arena, struct vstr *ret, struct dn_err *err)
{
    char *to;

    if (!text_value_valid(s.ptr, s.len))
        return DN_FAIL(err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
    to = arena_strndup(arena, s.ptr, s.len);
    if (!to)
        return DN_FAIL_NOMEM(err);
    *ret = (struct vstr){to, s.len};
    return 0;
}

static int text_parse_timestamp(const struct func_session *session,
                                enum type_id type,
                                struct vstr s,
                                int64_t *ret,
                                struct dn_err *err)
{
    int64_t seconds;
    int32_t ns;
    bool exact;
    int rc;

    rc = text_parse_time_in(session, false, s, &seconds, &ns, err);
    if (rc < 0)
        return rc;
    return text_time_to_type(seconds, ns, type, true, ret, &exact, err);
}

int text_parse(
    enum type_id type, struct vstr s, struct arena *arena, struct datum *ret, struct dn_err *err)
{
    return text_parse_in(NULL, type, s, arena, ret, err);
}

/* INTERVAL, DATE, TIME, TIMETZ, TIMESTAMPTZ and TIMESTAMP_LOCAL. */
static int text_parse_temporal(const struct func_session *session,
                               enum type_id type,
                               struct vstr s,
                               struct datum *d,
                               struct dn_err *err)
{
    if (type == TYPE_INTERVAL)
        return text_parse_interval_in(
            session ? session->interval_style : INTERVAL_POSTGRES, s, &d->iv, err);
    return type == TYPE_DATE              ? text_parse_date(session, s, &d->v.i64, err)
           : type == TYPE_TIME            ? text_parse_clock(session, s, &d->v.i64, err)
           : type == TYPE_TIMETZ          ? text_parse_timetz(session, s, &d->v.i64, err)
           : type == TYPE_TIMESTAMP_LOCAL ? text_parse_local(session, s, &d->v.i64, err)
                                          : text_parse_timestamptz(session, s, &d->v.i64, err);
}

static int text_parse_one(const struct func_session *session,
                          enum type_id type,
                          struct vstr s,
                          struct arena *arena,
                          struct datum *ret,
                          struct dn_err *err)
{
    struct datum d = {.type = type, .str = {.ptr = "", .len = 0}};
    int rc = 0;

    switch (TYPE_BASE(type)) {
    case TYPE_ENUM:
        rc = text_parse_enum(session, type, s, &d.v.i64, err);
        break;
    case TYPE_NONE:
    case TYPE_MAX:
        return DN_FAIL(err, DN_E_INTERNAL, "text has no type to become");
    case TYPE_BOOLEAN:
        rc = text_parse_bool(text_trim(s), &d.v.i64, err);
        break;
    case TYPE_SMALLINT:
    case TYPE_INTEGER:
    case TYPE_BIGINT:
        rc = text_parse_int(type, text_trim(s), &d.v.i64, err);
        break;
    case TYPE_REAL:
    case TYPE_DOUBLE:
        rc = text_parse_float(type, text_trim(s), &d.v.f64, err);
        break;
    case TYPE_VARCHAR:
    case TYPE_BPCHAR:
        rc = text_parse_varchar(type == TYPE_BPCHAR ? text_unblank(s) : s, arena, &d.str, err);
        break;
    case TYPE_BIT:
    case TYPE_VARBIT:
        rc = text_parse_bits(s, arena, &d.str, err);
        break;
    case TYPE_BLOB:
        rc = text_parse_blob(s, arena, &d.str, err);
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_US:
    case TYPE_TIMESTAMP_NS:
        rc = text_parse_timestamp(session, type, s, &d.v.i64, err);
        break;
    case TYPE_INTERVAL:
    case TYPE_DATE:
    case TYPE_TIME:
    case TYPE_TIMETZ:
    case TYPE_TIMESTAMPTZ:
    case TYPE_TIMESTAMP_LOCAL:
        rc = text_parse_temporal(session, type, s, &d, err);
        break;
    case TYPE_UUID:
        rc = text_parse_uuid(text_trim(s), arena, &d.str, err);
        break;
    case TYPE_NUMERIC:
        rc = text_parse_numeric(text_trim(s), &d.num, err);
        break;
    case TYPE_OID:
    case TYPE_NAME:
    case TYPE_CHAR1:
    case TYPE_REGCLASS:
    case TYPE_REGTYPE:
    case TYPE_REGPROC:
    case TYPE_REGNAMESPACE:
    case TYPE_REGROLE:
    case TYPE_INT2VECTOR:
    case TYPE_OIDVECTOR:
    case TYPE_NODE_TREE:
    case TYPE_ACLITEM:
    case TYPE_EXPANDED:
        return text_parse_system(session, type, s, arena, ret, err);
    }
    if (rc < 0)
        return rc;
    *ret = d;
    return 0;
}

int text_parse_in(const struct func_session *session,
                  enum type_id type,
                  struct vstr s,
                  struct arena *arena,
                  struct datum *ret,
                  struct dn_err *err)
{
    struct datum d = {.type = type, .str = {.ptr = "", .len = 0}};
    int rc;

    if (!type_is_array(type))
        return text_parse_one(session, type, s, arena, ret, err);
    rc = text_parse_array(session, type, s, arena, &d.str, err);
    if (rc == 0)
        *ret = d;
    return rc;
}
