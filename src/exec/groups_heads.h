/* SPDX-License-Identifier: Apache-2.0
 *
 * groups_heads.h: rows that have the very same key as the selected row before them, as those of a
 * series have in the order of the key. Only the head of such a stretch needs to be looked up. */
#pragma once

#include "vec/vec.h"

struct groups_heads {
    uint32_t count;
    uint16_t rows[VEC_ROWS_MAX]; /* of the heads, as in a selection */
    uint16_t of[VEC_ROWS_MAX];   /* per selected row, which head's stretch it is in */
};

/* False: the first rows show that it would hardly pay; *ret means nothing then. Values are compared
 * by their bits, strings by where they lie. Any thread. */
bool exec_heads(const struct vec *keys,
                uint32_t keys_count,
                const struct batch *in,
                struct groups_heads *ret) DN_MUST_CHECK;
