/* SPDX-License-Identifier: Apache-2.0
 *
 * fast_sums.h: what tests that compare fast_paths on and off are made of: random choices of texts,
 * random conditions on sums of columns. One thread at a time. */
#pragma once

#include "sql_db.h"

#define PICK(r, ...)                              \
    fast_pick((r),                                \
              (const char *const[]){__VA_ARGS__}, \
              (uint32_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

const char *fast_pick(struct rng *r, const char *const *list, uint32_t count);
/* A condition on v, w (DOUBLE), i, k (BIGINT), their sums and multiples, with AND, OR and NOT. */
void fast_sums(struct rng *r, struct buf *b);
