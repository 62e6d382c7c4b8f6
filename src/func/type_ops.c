/* SPDX-License-Identifier: Apache-2.0
 *
 * type_ops.c: the row of each type, and what is short enough to stand beside it: printers and
 * parsers of texts, then the binary forms, then the table. */
#include "func/type_ops.h"

#include "base/civil.h"
#include "base/text.h"
#include "func/text_int.h"
#include "func/text_wire.h"
#include "func/text_wire_int.h"
#include "vec/array.h"
#include "vec/timetz.h"

#include <float.h>
#include <string.h>
#include <strings.h>

#define WIRE_EPOCH_DAYS 10957                                 /* 1970-01-01 to 2000-01-01 */
#define WIRE_EPOCH_US   (WIRE_EPOCH_DAYS * 86400ll * 1000000) /* the same in microseconds */
#define WIRE_DAY_US     (86400ll * 1000000)                   /* a time of day is at most that */

/* ---- texts: printers ---- */

static void print_nothing(const struct datum *d, const struct type_to *to)
{
    (void)d;
    (void)to;
}

static void print_boolean(const struct datum *d, const struct type_to *to)
{
    if (to->style == TEXT_SELECT)
        buf_puts(to->b, d->v.i64 ? "true" : "false");
    else
        buf_u8(to->b, d->v.i64 ? 't' : 'f');
}

static void print_integer(const struct datum *d, const struct type_to *to)
{
    text_print_i64(d->v.i64, to->b);
}

static void print_float(const struct datum *d, const struct type_to *to)
{
    int digits = d->type == TYPE_REAL ? FLT_DIG : DBL_DIG;

    if (to->session && to->session->float_less)
        text_print_digits(d->v.f64, digits + 1 - to->session->float_less, to->b);
    else if (d->type == TYPE_REAL)
        text_print_f32((float)d->v.f64, to->b);
    else
        text_print_f64(d->v.f64, to->b);
}

static void print_string(const struct datum *d, const struct type_to *to)
{
    buf_append(to->b, d->str.ptr, d->str.len);
}

static void print_hex(const char *prefix, struct vstr s, struct buf *b)
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

static void print_blob(const struct datum *d, const struct type_to *to)
{
    if (to->session && to->session->bytes_escaped)
        text_escape(d->str, to->b);
    else
        print_hex(to->style == TEXT_SELECT ? "0x" : "\\x", d->str, to->b);
}

static void print_timestamp(const struct datum *d, const struct type_to *to)
{
    int64_t us = to->style == TEXT_WIRE ? text_wire_us(d) : 0;

    if (to->style == TEXT_WIRE && ((us != INT64_MAX && us != INT64_MIN) || us == d->v.i64))
        text_print_zoned_in(to->session, us, to->b);
    else
        text_print_time_in(to->style == TEXT_COPY ? NULL : to->session, d->v.i64, d->type, to->b);
}

static void print_interval(const struct datum *d, const struct type_to *to)
{
    text_print_interval_in(
        to->session ? to->session->interval_style : INTERVAL_POSTGRES, d->iv, to->b);
}

static void print_date(const struct datum *d, const struct type_to *to)
{
    text_print_date_in(to->session, d->v.i64, to->b);
}

static void print_clock(const struct datum *d, const struct type_to *to)
{
    text_print_clock(d->v.i64, to->b);
}

static void print_timetz(const struct datum *d, const struct type_to *to)
{
    text_print_timetz(d->v.i64, to->b);
}

static void print_zoned(const struct datum *d, const struct type_to *to)
{
    text_print_zoned_in(to->session, d->v.i64, to->b);
}

static void print_local(const struct datum *d, const struct type_to *to)
{
    text_print_local_in(to->session, d->v.i64, to->b);
}

static void print_enum(const struct datum *d, const struct type_to *to)
{
    text_print_enum(to->session, d->v.i64, to->b);
}

static void print_uuid(const struct datum *d, const struct type_to *to)
{
    text_print_uuid(d->str, to->b);
}

static void print_numeric(const struct datum *d, const struct type_to *to)
{
    text_print_numeric(d->num, to->b);
}

static void print_system(const struct datum *d, const struct type_to *to)
{
    text_print_system(d, to->b);
}

static void print_array(const struct datum *d, const struct type_to *to)
{
    text_print_array(to->session, to->style, d, to->b);
}

/* ---- texts: parsers ---- */

static int parse_nothing(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    (void)from;
    (void)ret;
    return DN_FAIL(err, DN_E_INTERNAL, "text has no type to become");
}

static int parse_boolean(const struct type_from *from, struct datum *ret, struct dn_err *err)
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
    const struct vstr s = text_trim(from->s);

    for (size_t i = 0; i < DN_ARRAY_SIZE(words); i++)
        if (strlen(words[i].word) == s.len && strncasecmp(words[i].word, s.ptr, s.len) == 0) {
            ret->v.i64 = words[i].value;
            return 0;
        }
    return text_fail_syntax(TYPE_BOOLEAN, s, err);
}

static int parse_integer(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_int(from->type, text_trim(from->s), &ret->v.i64, err);
}

static int parse_float(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_float(from->type, text_trim(from->s), &ret->v.f64, err);
}

static int parse_string(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    struct vstr s = from->type == TYPE_BPCHAR ? text_unblank(from->s) : from->s;
    char *to;

    if (!text_value_valid(s.ptr, s.len))
        return DN_FAIL(err, DN_E_BAD_ENCODING, "the text is not valid UTF-8");
    to = arena_strndup(from->arena, s.ptr, s.len);
    if (!to)
        return DN_FAIL_NOMEM(err);
    ret->str = (struct vstr){to, s.len};
    return 0;
}

static int parse_bits(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_bits(from->s, from->arena, &ret->str, err);
}

static int parse_blob(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_blob(from->s, from->arena, &ret->str, err);
}

static int parse_timestamp(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    int64_t seconds;
    int32_t ns;
    bool exact;
    int rc = text_parse_time_in(from->session, false, from->s, &seconds, &ns, err);

    return rc < 0 ? rc : text_time_to_type(seconds, ns, from->type, true, &ret->v.i64, &exact, err);
}

static int parse_interval(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    enum interval_style style = from->session ? from->session->interval_style : INTERVAL_POSTGRES;

    return text_parse_interval_in(style, from->s, &ret->iv, err);
}

static int parse_date(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_date(from->session, from->s, &ret->v.i64, err);
}

static int parse_clock(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_clock(from->session, from->s, &ret->v.i64, err);
}

static int parse_timetz(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_timetz(from->session, from->s, &ret->v.i64, err);
}

static int parse_zoned(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_timestamptz(from->session, from->s, &ret->v.i64, err);
}

static int parse_local(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_local(from->session, from->s, &ret->v.i64, err);
}

static int parse_enum(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_enum(from->session, from->type, from->s, &ret->v.i64, err);
}

static int parse_uuid(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_uuid(text_trim(from->s), from->arena, &ret->str, err);
}

static int parse_numeric(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_numeric(text_trim(from->s), &ret->num, err);
}

static int parse_system(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_system(from->session, from->type, from->s, from->arena, ret, err);
}

static int parse_array(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse_array(from->session, from->type, from->s, from->arena, &ret->str, err);
}

/* ---- binary forms: out ---- */

static void put_nothing(const struct datum *d, const struct type_to *to)
{
    (void)d;
    to->b->failed = true;
}

static void put_boolean(const struct datum *d, const struct type_to *to)
{
    buf_u8(to->b, d->v.i64 != 0);
}

static void put_16(const struct datum *d, const struct type_to *to)
{
    buf_be16(to->b, (uint16_t)d->v.i64);
}

static void put_32(const struct datum *d, const struct type_to *to)
{
    buf_be32(to->b, (uint32_t)d->v.i64);
}

static void put_64(const struct datum *d, const struct type_to *to)
{
    buf_be64(to->b, (uint64_t)d->v.i64);
}

static void put_real(const struct datum *d, const struct type_to *to)
{
    float f = (float)d->v.f64;
    uint32_t bits;

    memcpy(&bits, &f, sizeof bits);
    buf_be32(to->b, bits);
}

static void put_double(const struct datum *d, const struct type_to *to)
{
    uint64_t bits;

    memcpy(&bits, &d->v.f64, sizeof bits);
    buf_be64(to->b, bits);
}

static void put_date(const struct datum *d, const struct type_to *to)
{
    bool infinite = d->v.i64 == INT32_MAX || d->v.i64 == INT32_MIN;
    int64_t days = infinite ? d->v.i64 : d->v.i64 - WIRE_EPOCH_DAYS;

    buf_be32(to->b, (uint32_t)(days < INT32_MIN ? INT32_MIN : days));
}

/* Microseconds since 2000, as the wire has them. What is before or after all that it can say is
 * infinite. */
static int64_t since_2000(const struct datum *d)
{
    int64_t us = text_wire_us(d);

    if (us == INT64_MAX || us == INT64_MIN || __builtin_sub_overflow(us, WIRE_EPOCH_US, &us))
        return us == INT64_MAX ? INT64_MAX : INT64_MIN;
    return us;
}

static void put_instant(const struct datum *d, const struct type_to *to)
{
    buf_be64(to->b, (uint64_t)since_2000(d));
}

static void put_timetz(const struct datum *d, const struct type_to *to)
{
    buf_be64(to->b, (uint64_t)timetz_clock_us(d->v.i64));
    buf_be32(to->b, (uint32_t)timetz_west(d->v.i64));
}

static void put_interval(const struct datum *d, const struct type_to *to)
{
    buf_be64(to->b, (uint64_t)d->iv.us);
    buf_be32(to->b, (uint32_t)d->iv.days);
    buf_be32(to->b, (uint32_t)d->iv.months);
}

static void put_numeric(const struct datum *d, const struct type_to *to)
{
    text_wire_put_numeric(d->num, to->b);
}

static void put_bits(const struct datum *d, const struct type_to *to)
{
    text_wire_put_bits(d->str, to->b);
}

static void put_string(const struct datum *d, const struct type_to *to)
{
    buf_append(to->b, d->str.ptr, d->str.len);
}

static void put_reg(const struct datum *d, const struct type_to *to)
{
    buf_be32(to->b, type_reg_oid(d->str));
}

static void put_char(const struct datum *d, const struct type_to *to)
{
    buf_u8(to->b, d->str.len ? (uint8_t)d->str.ptr[0] : 0);
}

static void put_array(const struct datum *d, const struct type_to *to)
{
    text_wire_put_array(d, to->scratch, to->b);
}

static enum type_id vector_element(enum type_id type)
{
    return type == TYPE_OIDVECTOR ? TYPE_OID : TYPE_SMALLINT;
}

static void put_vector(const struct datum *d, const struct type_to *to)
{
    struct datum array = *d;

    array.type = type_array_of(vector_element(d->type));
    text_wire_put_array(&array, to->scratch, to->b);
}

/* ---- binary forms: in ---- */

static const uint8_t *from_bytes(const struct type_from *from)
{
    return (const uint8_t *)from->s.ptr;
}

/* Values of the system, which no client may make up, and labels, which callers read as texts. */
static int get_refused(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    (void)ret;
    return DN_FAIL(err,
                   DN_E_UNSUPPORTED,
                   "values of type %s have no binary form to read",
                   type_word(from->type));
}

static int get_boolean(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    (void)err;
    ret->v.i64 = from_bytes(from)[0] != 0;
    return 0;
}

static int get_16(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    (void)err;
    ret->v.i64 = (int16_t)be_get16(from_bytes(from));
    return 0;
}

static int get_32(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    (void)err;
    ret->v.i64 = (int32_t)be_get32(from_bytes(from));
    return 0;
}

static int get_oid(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    (void)err;
    ret->v.i64 = be_get32(from_bytes(from));
    return 0;
}

static int get_64(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    (void)err;
    ret->v.i64 = (int64_t)be_get64(from_bytes(from));
    return 0;
}

static int get_real(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    uint32_t bits = be_get32(from_bytes(from));
    float f;

    (void)err;
    memcpy(&f, &bits, sizeof f);
    ret->v.f64 = (double)f;
    return 0;
}

static int get_double(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    uint64_t bits = be_get64(from_bytes(from));

    (void)err;
    memcpy(&ret->v.f64, &bits, sizeof bits);
    return 0;
}

static int get_date(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    int32_t days = (int32_t)be_get32(from_bytes(from));

    ret->v.i64 = days;
    if (days == INT32_MAX || days == INT32_MIN) /* infinity */
        return 0;
    ret->v.i64 += WIRE_EPOCH_DAYS;
    return civil_is_date(ret->v.i64) ? 0 : DN_FAIL(err, DN_E_DATETIME_RANGE, "DATE out of range");
}

static int get_clock(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    ret->v.i64 = (int64_t)be_get64(from_bytes(from));
    return ret->v.i64 >= 0 && ret->v.i64 <= WIRE_DAY_US
               ? 0
               : DN_FAIL(err, DN_E_DATETIME_RANGE, "TIME out of range");
}

static int get_timetz(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    int64_t us = (int64_t)be_get64(from_bytes(from));
    int32_t west = (int32_t)be_get32(from_bytes(from) + 8);

    if (!timetz_good(us, west))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "TIMETZ out of range");
    ret->v.i64 = timetz_make(us, west);
    return 0;
}

static int instant_of(enum type_id type, int64_t us, int64_t *ret, struct dn_err *err)
{
    struct datum d = {.type = type};
    int64_t seconds;
    int64_t rest;
    bool exact;
    int rc;

    if (us == INT64_MAX || us == INT64_MIN) { /* infinite */
        *ret = us;
        return 0;
    }
    if (__builtin_add_overflow(us, WIRE_EPOCH_US, &us))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "%s out of range", type_word(type));
    seconds = us / 1000000;
    rest = us % 1000000;
    if (rest < 0) {
        rest += 1000000;
        seconds--;
    }
    if (type == TYPE_TIMESTAMPTZ || type == TYPE_TIMESTAMP_LOCAL) {
        *ret = us;
        return 0;
    }
    rc = text_time_to_type(seconds, (int32_t)(rest * 1000), type, true, &d.v.i64, &exact, err);
    if (rc < 0)
        return rc;
    us = since_2000(&d); /* in a coarser unit it may have left what the wire can say */
    if (us == INT64_MAX || us == INT64_MIN)
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "%s out of range", type_word(type));
    *ret = d.v.i64;
    return 0;
}

static int get_instant(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return instant_of(from->type, (int64_t)be_get64(from_bytes(from)), &ret->v.i64, err);
}

static int get_interval(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    const uint8_t *p = from_bytes(from);

    (void)err;
    ret->iv = (struct vinterval){.us = (int64_t)be_get64(p),
                                 .days = (int32_t)be_get32(p + 8),
                                 .months = (int32_t)be_get32(p + 12)};
    return 0;
}

static int get_numeric(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_wire_get_numeric(from_bytes(from), from->s.len, &ret->num, err);
}

static int get_bits(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_wire_get_bits(
        from->type, from_bytes(from), from->s.len, from->arena, &ret->str, err);
}

static int get_bytes(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    (void)err;
    ret->str = from->s; /* a REGCLASS has no name then: it is not known here */
    return 0;
}

static int get_string(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_parse(from->type, from->s, from->arena, ret, err);
}

static int get_char(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    uint8_t c = from->s.len == 1 ? from_bytes(from)[0] : 0xff;

    if (c >= 0x80)
        return text_wire_bad(from->type, err);
    ret->str = (struct vstr){.ptr = from->s.ptr, .len = c != 0};
    return 0;
}

static int get_array(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    return text_wire_get_array(from->type, from_bytes(from), from->s.len, from->arena, ret, err);
}

/* Elements that count from 0 in one row of numbers. */
static int get_vector(const struct type_from *from, struct datum *ret, struct dn_err *err)
{
    enum type_id elem = vector_element(from->type);
    struct varray a;
    int rc = text_wire_get_array(
        type_array_of(elem), from_bytes(from), from->s.len, from->arena, ret, err);

    if (rc < 0)
        return rc;
    rc = varray_read(ret->str, elem, NULL, from->arena, &a);
    if (rc < 0)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < a.count; i++)
        rc = a.items[i].null;
    if (rc != 0 || a.dims > 1 || (a.dims == 1 && a.low[0] != 0))
        return text_wire_bad(from->type, err);
    return 0;
}

/* ---- the table ---- */

/* clang-format off */
static const struct type_ops type_rows[TYPE_MAX] = {
/*                         OID  array  bytes  print            parse            put           get */
    [TYPE_NONE]         = {0,    0,    0,  print_nothing,   parse_nothing,     put_nothing,  get_refused},
    [TYPE_BOOLEAN]      = {16,   1000, 1,  print_boolean,   parse_boolean,     put_boolean,  get_boolean},
    [TYPE_SMALLINT]     = {21,   1005, 2,  print_integer,   parse_integer,     put_16,       get_16},
    [TYPE_INTEGER]      = {23,   1007, 4,  print_integer,   parse_integer,     put_32,       get_32},
    [TYPE_BIGINT]       = {20,   1016, 8,  print_integer,   parse_integer,     put_64,       get_64},
    [TYPE_REAL]         = {700,  1021, 4,  print_float,     parse_float,       put_real,     get_real},
    [TYPE_DOUBLE]       = {701,  1022, 8,  print_float,     parse_float,       put_double,   get_double},
    [TYPE_VARCHAR]      = {1043, 1015, 0,  print_string,    parse_string,      put_string,   get_string},
    [TYPE_BPCHAR]       = {1042, 1014, 0,  print_string,    parse_string,      put_string,   get_string},
    [TYPE_BLOB]         = {17,   1001, 0,  print_blob,      parse_blob,        put_string,   get_bytes},
    [TYPE_BIT]          = {1560, 1561, 0,  print_string,    parse_bits,        put_bits,     get_bits},
    [TYPE_VARBIT]       = {1562, 1563, 0,  print_string,    parse_bits,        put_bits,     get_bits},
    [TYPE_UUID]         = {2950, 2951, 16, print_uuid,      parse_uuid,        put_string,   get_bytes},
    [TYPE_NUMERIC]      = {1700, 1231, 0,  print_numeric,   parse_numeric,     put_numeric,  get_numeric},
    [TYPE_TIMESTAMP]    = {1184, 1185, 8,  print_timestamp, parse_timestamp,   put_instant,  get_instant},
    [TYPE_TIMESTAMP_US] = {1184, 1185, 8,  print_timestamp, parse_timestamp,   put_instant,  get_instant},
    [TYPE_TIMESTAMP_NS] = {1184, 1185, 8,  print_timestamp, parse_timestamp,   put_instant,  get_instant},
    [TYPE_TIMESTAMPTZ]  = {1184, 1185, 8,  print_zoned,     parse_zoned,       put_instant,  get_instant},
    [TYPE_TIMESTAMP_LOCAL] = {1114, 1115, 8, print_local,   parse_local,       put_instant,  get_instant},
    [TYPE_INTERVAL]     = {1186, 1187, 16, print_interval,  parse_interval,    put_interval, get_interval},
    [TYPE_DATE]         = {1082, 1182, 4,  print_date,      parse_date,        put_date,     get_date},
    [TYPE_TIME]         = {1083, 1183, 8,  print_clock,     parse_clock,       put_64,       get_clock},
    [TYPE_TIMETZ]       = {1266, 1270, 12, print_timetz,    parse_timetz,      put_timetz,   get_timetz},
    /* by their labels, which pgwire knows; the numbers depend on the type (text_wire_oid) */
    [TYPE_ENUM]         = {0,    0,    0,  print_enum,      parse_enum,        put_nothing,  get_refused},
    [TYPE_OID]          = {26,   1028, 4,  print_system,    parse_system, put_32,       get_oid},
    [TYPE_NAME]         = {19,   1003, 0,  print_system,    parse_system, put_string,   get_string},
    [TYPE_CHAR1]        = {18,   1002, 0,  print_system,    parse_system, put_char,     get_char},
    [TYPE_REGCLASS]     = {2205, 2210, 4,  print_system,    parse_system, put_reg,      get_bytes},
    [TYPE_REGTYPE]      = {2206, 2211, 4,  print_system,    parse_system, put_reg,      get_bytes},
    [TYPE_REGPROC]      = {24,   1008, 4,  print_system,    parse_system, put_reg,      get_bytes},
    [TYPE_REGNAMESPACE] = {4089, 4090, 4,  print_system,    parse_system, put_reg,      get_bytes},
    [TYPE_REGROLE]      = {4096, 4097, 4,  print_system,    parse_system, put_reg,      get_bytes},
    [TYPE_INT2VECTOR]   = {22,   1006, 0,  print_system,    parse_system, put_vector,   get_vector},
    [TYPE_OIDVECTOR]    = {30,   1013, 0,  print_system,    parse_system, put_vector,   get_vector},
    [TYPE_NODE_TREE]    = {194,  1009, 0,  print_system,    parse_system, put_string,   get_refused},
    [TYPE_ACLITEM]      = {1033, 1034, 0,  print_system,    parse_system, put_string,   get_refused},
    [TYPE_EXPANDED]     = {2249, 2287, 0,  print_system,    parse_system, put_string,   get_refused},
};

/* Their numbers are those of their elements (text_wire_oid). */
static const struct type_ops type_array_row = {0, 0, 0, print_array, parse_array, put_array, get_array};
/* clang-format on */

const struct type_ops *type_ops_of(enum type_id type)
{
    const struct type_ops *row =
        type_is_array(type) ? &type_array_row : &type_rows[TYPE_BASE(type)];

    DN_ASSERT(row->print);
    return row;
}
