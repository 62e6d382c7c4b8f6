/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h: what the codec tests share. One thread at a time. */
#pragma once

#include "codec/codec.h"

/* Does every row of b say the same as in a: null bit, absent bit, and, unless one of them is set,
 * the value bit for bit? Otherwise the first row that differs, or UINT32_MAX. */
uint32_t check_same(const struct vec *a, const struct vec *b);
/* The same against the second reader. */
uint32_t check_ref(const struct vec *a, const struct codec_src *src);
/* Reads every row, code and string byte, so that the sanitizer sees any wild one. */
uint64_t check_touch(const struct vec *v);
/* Asks codec_get for some rows, codec_agg for some ranges and codec_decode_narrow, and compares
 * with the decoded vector. A row or the first row of a range that differs, or UINT32_MAX. */
uint32_t check_answers(const struct vec *v, const struct codec_src *src, struct arena *arena);
