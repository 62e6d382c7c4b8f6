/* SPDX-License-Identifier: Apache-2.0
 *
 * csv_encoding.h: texts of other encodings become UTF-8 on their way in. Latin-1 and Windows-1252
 * never fail, UTF-16 only for half a pair of surrogates. One thread at a time per converter. */
#pragma once

#include "base/err.h"

enum csv_encoding {
    CSV_UTF8,
    CSV_LATIN1,  /* ISO 8859-1 */
    CSV_WIN1252, /* the same with signs instead of control characters from 0x80 to 0x9f */
    CSV_UTF16LE,
    CSV_UTF16BE,
    CSV_NDJSON,        /* UTF-8, but lines of JSON objects, which become CSV: csv_json.h */
    CSV_ENCODING_AUTO, /* as the beginning of the text suggests */
};

/* As people write it: "latin1", "windows-1252", "UTF-16" (little-endian) …; false: there is none.
 */
bool csv_encoding_find(const char *name, enum csv_encoding *ret);
/* As COPY … (ENCODING …) takes it. Not of CSV_ENCODING_AUTO. */
const char *csv_encoding_name(enum csv_encoding e);

/* What the beginning of a text is written in: by a byte order mark, by zero bytes between ASCII,
 * and Windows-1252 if it cannot be UTF-8 and has no bytes that are in no text;
 * NDJSON if the first line is an object. whole: nothing
 * follows, so that the last character must be complete. */
enum csv_encoding csv_encoding_guess(const uint8_t *text, size_t len, bool whole);

#define CSV_CHAR_MAX 4u /* bytes of a character, in any of the encodings and in UTF-8 */

/* One character of in, which has at least CSV_CHAR_MAX bytes unless the text ends there, to UTF-8.
 * ret_used: bytes of in. Returns the bytes written to `to`, at most CSV_CHAR_MAX, or
 * DN_E_BAD_ENCODING. */
int csv_encoding_take(enum csv_encoding e,
                      const uint8_t *in,
                      size_t len,
                      size_t *ret_used,
                      uint8_t *to,
                      struct dn_err *err) DN_MUST_CHECK;
