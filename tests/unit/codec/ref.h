/* SPDX-License-Identifier: Apache-2.0
 *
 * ref.h: a second reader of encoded vectors, written from docs/format/vector.md alone: one bit at
 * a time, no sharing of code with src/codec. If it and the codecs agree, the page is right. For
 * well-formed bytes only: it asserts. Only decompression is left to the libraries. One thread at a
 * time: strings that had to be written out are good until the next call. */
#pragma once

#include "codec/codec.h"

struct ref_row {
    bool null;
    bool absent;
    uint64_t bits;      /* fixed forms: the value's bytes, zero-extended */
    const uint8_t *str; /* strings; of NUMERIC the form that is encoded as a string */
    uint64_t len;
};

/* Rows 0..src->count. The value of a row that is null or absent has no meaning. */
void ref_decode(const struct codec_src *src, struct ref_row *rows);
