/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_encode.h: values to the encodings that the writer uses. All functions append; running out of
 * memory shows in b->failed. Any thread. */
#pragma once

#include "parquet/pq_int.h"

/* Runs and packed groups of numbers of so many bits, as pq_rle_begin reads them. */
void pq_put_rle(struct buf *b, const uint32_t *from, uint32_t n, uint32_t width);
/* DELTA_BINARY_PACKED. Differences wrap around. */
void pq_put_delta(struct buf *b, const int64_t *from, uint32_t n, bool wide);
/* Bits that a number of up to max takes. */
uint32_t pq_width(uint32_t max);
