/* SPDX-License-Identifier: Apache-2.0
 *
 * func_encoding.c: bytes of text in other encodings. */
#include "func/str_int.h"
#include "func/text_int.h"

#include <utf8proc.h>

enum bytes_encoding { BYTES_NONE, BYTES_UTF8, BYTES_LATIN1, BYTES_ASCII };

/* Letters and digits of the name alone count. */
static enum bytes_encoding bytes_encoding(struct vstr name)
{
    static const struct {
        const char *name;
        enum bytes_encoding is;
    } names[] = {{"utf8", BYTES_UTF8},
                 {"unicode", BYTES_UTF8},
                 {"latin1", BYTES_LATIN1},
                 {"iso88591", BYTES_LATIN1},
                 {"sqlascii", BYTES_ASCII}};
    char plain[16];
    size_t n = 0;

    for (uint32_t i = 0; i < name.len; i++) {
        char ch = name.ptr[i];
        bool letter = (ch | 32) >= 'a' && (ch | 32) <= 'z';

        if (n + 1 >= sizeof plain)
            return BYTES_NONE;
        if (letter || (ch >= '0' && ch <= '9'))
            plain[n++] = (char)(letter ? ch | 32 : ch);
    }
    plain[n] = 0;
    for (size_t i = 0; i < DN_ARRAY_SIZE(names); i++)
        if (strcmp(names[i].name, plain) == 0)
            return names[i].is;
    return BYTES_NONE;
}

static int bytes_arg_encoding(const struct str_call *c,
                              uint32_t arg,
                              const char *what,
                              enum bytes_encoding *ret)
{
    struct vstr name = str_arg(c, arg);
    int rc;

    *ret = bytes_encoding(name);
    if (*ret != BYTES_NONE)
        return 0;
    rc = DN_FAIL(c->err,
                 DN_E_INVALID_PARAM,
                 "invalid %s encoding name \"%.*s\"",
                 what,
                 text_quote_len(name),
                 name.ptr);
    dn_err_hint(c->err, "Encodings are UTF8 and LATIN1.");
    return rc;
}

static int bytes_check_utf8(const struct str_call *c, struct vstr s)
{
    for (uint32_t at = 0; at < s.len;) {
        utf8proc_int32_t ch;
        utf8proc_ssize_t n = utf8proc_iterate(
            (const utf8proc_uint8_t *)s.ptr + at, (utf8proc_ssize_t)(s.len - at), &ch);

        if (n <= 0 || ch == 0)
            return DN_FAIL(c->err,
                           DN_E_BAD_ENCODING,
                           "invalid byte sequence for encoding \"UTF8\": 0x%02x",
                           (uint8_t)s.ptr[at]);
        at += (uint32_t)n;
    }
    return 0;
}

/* Bytes of one encoding in the other. */
static int bytes_convert(const struct str_call *c,
                         enum bytes_encoding from,
                         enum bytes_encoding to,
                         struct vstr *ret)
{
    struct vstr s = str_arg(c, 0);
    struct buf b;
    uint64_t steps = 0;
    int rc = from == BYTES_UTF8 ? bytes_check_utf8(c, s) : 0;

    buf_init(&b, c->ctx->arena->owner);
    for (uint32_t at = 0; rc == 0 && at < s.len;) {
        utf8proc_int32_t ch = (uint8_t)s.ptr[at];
        utf8proc_uint8_t out[4];
        utf8proc_ssize_t n = 1;

        if (from == BYTES_UTF8)
            n = utf8proc_iterate(
                (const utf8proc_uint8_t *)s.ptr + at, (utf8proc_ssize_t)(s.len - at), &ch);
        if (to == BYTES_UTF8 && from == BYTES_LATIN1)
            buf_append(&b, out, (size_t)utf8proc_encode_char(ch, out));
        else if (to == BYTES_LATIN1 && from == BYTES_UTF8 && ch > 255)
            rc = DN_FAIL(c->err,
                         DN_E_UNTRANSLATABLE,
                         "character \"%.*s\" of encoding \"UTF8\" has no equivalent in encoding "
                         "\"LATIN1\"",
                         (int)n,
                         s.ptr + at);
        else if (to == BYTES_LATIN1 && from == BYTES_UTF8)
            buf_u8(&b, (uint8_t)ch);
        else
            buf_append(&b, s.ptr + at, (size_t)n);
        at += (uint32_t)n;
        if (rc == 0)
            rc = str_steps(c, 1, &steps);
    }
    return str_keep(c, rc, &b, ret);
}

static int str_convert(const struct str_call *c, struct vstr *ret)
{
    enum bytes_encoding from;
    enum bytes_encoding to;
    int rc = bytes_arg_encoding(c, 1, "source", &from);

    if (rc == 0)
        rc = bytes_arg_encoding(c, 2, "destination", &to);
    return rc < 0 ? rc : bytes_convert(c, from, to, ret);
}
STR_KERNEL(convert)

static int str_convert_from(const struct str_call *c, struct vstr *ret)
{
    enum bytes_encoding from;
    int rc = bytes_arg_encoding(c, 1, "source", &from);

    if (rc == 0 && from == BYTES_ASCII)
        rc = bytes_check_utf8(c, str_arg(c, 0));
    return rc < 0 ? rc : bytes_convert(c, from, BYTES_UTF8, ret);
}
STR_KERNEL(convert_from)

static int str_convert_to(const struct str_call *c, struct vstr *ret)
{
    enum bytes_encoding to;
    int rc = bytes_arg_encoding(c, 1, "destination", &to);

    return rc < 0 ? rc : bytes_convert(c, BYTES_UTF8, to, ret);
}
STR_KERNEL(convert_to)

#define B TYPE_BLOB
#define T TYPE_VARCHAR

static const struct func func_encoding_rows[] = {
    STR_TO("convert",
           3,
           BLOB,
           func_convert,
           "Text in the second encoding as bytes of the third: UTF8 or LATIN1.",
           "convert(0x6a6f73c3a9, 'UTF8', 'LATIN1') = 0x6a6f73e9",
           B,
           T,
           T),
    STR("convert_from",
        2,
        func_convert_from,
        "The text that bytes are in that encoding.",
        "convert_from(0x6a6f73e9, 'LATIN1') = josé",
        B,
        T),
    STR_TO("convert_to",
           2,
           BLOB,
           func_convert_to,
           "The text as bytes of that encoding.",
           "convert_to('josé', 'LATIN1') = 0x6a6f73e9",
           T,
           T),
};

const struct func_table func_table_encoding = {func_encoding_rows,
                                               DN_ARRAY_SIZE(func_encoding_rows)};
