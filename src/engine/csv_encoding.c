/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/csv_encoding.h"

#include "engine/csv_json.h"

#include "base/text.h"
#include "func/text.h"

#include <string.h>

#define ENCODING_LOOK 4096u /* bytes that are looked at for zero bytes */

/* Windows-1252 from 0x80 on; where it has no sign, the control character of Latin-1. */
static const uint16_t encoding_win1252[32] = {
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178,
};

static const struct {
    const char *name; /* without signs between letters and digits */
    enum csv_encoding encoding;
} encoding_names[] = {
    {"utf8", CSV_UTF8},
    {"unicode", CSV_UTF8},
    {"latin1", CSV_LATIN1},
    {"iso88591", CSV_LATIN1},
    {"win1252", CSV_WIN1252},
    {"windows1252", CSV_WIN1252},
    {"cp1252", CSV_WIN1252},
    {"utf16", CSV_UTF16LE},
    {"utf16le", CSV_UTF16LE},
    {"utf16be", CSV_UTF16BE},
    {"ndjson", CSV_NDJSON},
    {"auto", CSV_ENCODING_AUTO},
};

bool csv_encoding_find(const char *name, enum csv_encoding *ret)
{
    char plain[16];
    size_t n = 0;

    for (; *name; name++) {
        if (*name == '-' || *name == '_' || *name == ' ')
            continue;
        if (n == sizeof plain)
            return false;
        plain[n++] = *name;
    }
    for (size_t i = 0; i < DN_ARRAY_SIZE(encoding_names); i++)
        if (text_same_fold(plain, n, encoding_names[i].name, strlen(encoding_names[i].name))) {
            *ret = encoding_names[i].encoding;
            return true;
        }
    return false;
}

const char *csv_encoding_name(enum csv_encoding e)
{
    switch (e) {
    case CSV_UTF8:
        return "UTF8";
    case CSV_LATIN1:
        return "LATIN1";
    case CSV_WIN1252:
        return "WIN1252";
    case CSV_UTF16LE:
        return "UTF16LE";
    case CSV_UTF16BE:
        return "UTF16BE";
    case CSV_NDJSON:
        return "NDJSON";
    case CSV_ENCODING_AUTO:
        return "AUTO";
    }
    return "";
}

/* ---- guessing ---- */

/* The text without what the cut at its end has left of a character. */
static size_t encoding_whole(const uint8_t *text, size_t len)
{
    size_t back = 0;

    while (back < 3 && back < len && (text[len - 1 - back] & 0xc0) == 0x80)
        back++;
    return back < len && text[len - 1 - back] >= 0xc0 ? len - 1 - back : len;
}

/* Zero bytes at every second place: half of a text of ASCII. */
static bool encoding_zeros(const uint8_t *text, size_t len, size_t from)
{
    size_t zeros = 0;
    size_t looked = 0;

    len = len < ENCODING_LOOK ? len : ENCODING_LOOK;
    for (size_t i = from; i < len; i += 2) {
        zeros += text[i] == 0;
        looked++;
    }
    return looked > 1 && zeros > looked * 3 / 4 && text[1 - from] != 0;
}

/* Bytes that are in pictures and programs, and in no text. */
static bool encoding_controls(const uint8_t *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] < ' ' && !memchr("\t\n\v\f\r", text[i], 5))
            return true;
    return false;
}

enum csv_encoding csv_encoding_guess(const uint8_t *text, size_t len, bool whole)
{
    size_t whole_len;

    if (len >= 2 && text[0] == 0xff && text[1] == 0xfe)
        return CSV_UTF16LE;
    if (len >= 2 && text[0] == 0xfe && text[1] == 0xff)
        return CSV_UTF16BE;
    if (encoding_zeros(text, len, 1))
        return CSV_UTF16LE;
    if (encoding_zeros(text, len, 0))
        return CSV_UTF16BE;
    if (csv_json_is(text, len, whole))
        return CSV_NDJSON;
    whole_len = len;
    len = whole ? len : encoding_whole(text, len);
    /* A zero byte is refused later, whatever the encoding. */
    for (size_t at = 0; at < len;) {
        const uint8_t *zero = memchr(text + at, 0, len - at);
        size_t n = zero ? (size_t)(zero - text) - at : len - at;

        if (!text_value_valid((const char *)text + at, n))
            return encoding_controls(text, whole_len) ? CSV_UTF8 : CSV_WIN1252;
        at += n + 1;
    }
    return CSV_UTF8;
}

/* ---- converting ---- */

static int encoding_put(uint32_t c, uint8_t *to)
{
    if (c < 0x80) {
        to[0] = (uint8_t)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (uint8_t)(0xc0 | c >> 6);
        to[1] = (uint8_t)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (uint8_t)(0xe0 | c >> 12);
        to[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        to[2] = (uint8_t)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (uint8_t)(0xf0 | c >> 18);
    to[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
    to[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
    to[3] = (uint8_t)(0x80 | (c & 0x3f));
    return 4;
}

static uint32_t encoding_unit(bool big, const uint8_t *in)
{
    return big ? (uint32_t)in[0] << 8 | in[1] : (uint32_t)in[1] << 8 | in[0];
}

static int encoding_utf16(
    bool big, const uint8_t *in, size_t len, size_t *ret_used, uint8_t *to, struct dn_err *err)
{
    uint32_t c;
    uint32_t low;

    if (len < 2)
        return DN_FAIL(err, DN_E_BAD_ENCODING, "the UTF-16 text ends in the middle of a character");
    c = encoding_unit(big, in);
    *ret_used = 2;
    if (c < 0xd800 || c > 0xdfff)
        return encoding_put(c, to);
    low = len >= 4 ? encoding_unit(big, in + 2) : 0;
    if (c > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return DN_FAIL(err, DN_E_BAD_ENCODING, "the text is not valid UTF-16");
    *ret_used = 4;
    return encoding_put(0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00), to);
}

int csv_encoding_take(enum csv_encoding e,
                      const uint8_t *in,
                      size_t len,
                      size_t *ret_used,
                      uint8_t *to,
                      struct dn_err *err)
{
    *ret_used = 1;
    switch (e) {
    case CSV_LATIN1:
        return encoding_put(in[0], to);
    case CSV_WIN1252:
        return encoding_put(in[0] >= 0x80 && in[0] < 0xa0 ? encoding_win1252[in[0] - 0x80] : in[0],
                            to);
    case CSV_UTF16LE:
    case CSV_UTF16BE:
        return encoding_utf16(e == CSV_UTF16BE, in, len, ret_used, to, err);
    case CSV_UTF8:
    case CSV_NDJSON:
    case CSV_ENCODING_AUTO:
        break;
    }
    to[0] = in[0];
    return 1;
}
