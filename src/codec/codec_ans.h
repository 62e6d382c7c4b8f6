/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_ans.h: integers that are unevenly spread, in as many bits as their frequencies ask for: an
 * entropy coder (range ANS; Jarek Duda, "Asymmetric numeral systems", 2013). Frequent ones take
 * less than a bit, rare ones up to ten. An integer is cut in two: its high bits, the symbol, are
 * coded, low bits are packed as they are.
 *
 *   u8 low bits, u8 symbols - 1, per symbol 4 bits: length of its frequency, and that less its
 *   top bit (plain bits, low ones first, up to a whole byte), varint bytes of the stream, the
 *   stream, packed low bits
 *
 * Frequencies add up to 1024. For src/codec only. Any thread. */
#pragma once

#include "codec/codec_int.h"

#define CODEC_ANS_SYMBOLS_MAX 128u

/* Bytes of the shortest form of to->ints, to->count of them of up to `width` bits, which is left in
 * `to`; SIZE_MAX if it would have `limit` or more, or there is nothing to code. */
size_t codec_ans_encode(struct codec_ans *to, unsigned width, size_t limit);
void codec_ans_put(const struct codec_ans *ans, struct codec_work *work, struct buf *b);
/* Reads count >= 1 integers of up to `width` bits; r is left behind them. */
int codec_ans_get(struct rd *r, uint32_t count, unsigned width, uint64_t *to, struct dn_err *err)
    DN_MUST_CHECK;
