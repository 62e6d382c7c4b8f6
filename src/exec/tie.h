/* SPDX-License-Identifier: Apache-2.0
 *
 * tie.h: is a row equal to one seen before, in some columns of sorted input? DISTINCT ON, LIMIT …
 * WITH TIES and the partitions and peers of windows ask that. NULLs are equal.
 *
 * One thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "vec/vec.h"

struct exec_tie {
    struct arena arena; /* what is remembered */
    uint32_t *cols;     /* owned: columns that are compared */
    uint32_t count;
    struct datum *kept; /* in arena, by place in cols; NULL = nothing is remembered */
};

int exec_tie_init(struct exec_tie *t, uint32_t count, struct mem_owner *owner, struct dn_err *err)
    DN_MUST_CHECK;                      /* then the caller fills cols */
void exec_tie_done(struct exec_tie *t); /* zeroed or half-made is fine */
/* Remembers a row. */
int exec_tie_keep(struct exec_tie *t, const struct batch *in, uint32_t row, struct dn_err *err)
    DN_MUST_CHECK;
/* Is it equal to the one remembered? False when there is none. */
bool exec_tie_same(const struct exec_tie *t, const struct batch *in, uint32_t row);
/* Two rows of one batch. */
bool exec_tie_rows(const struct exec_tie *t, const struct batch *in, uint32_t a, uint32_t b);
