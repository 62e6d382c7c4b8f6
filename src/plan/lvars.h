/* SPDX-License-Identifier: Apache-2.0
 *
 * lvars.h: inside of plan/: lists of variables and of expressions, in an arena. One thread at a
 * time. */
#pragma once

#include "func/expr.h"

/* A list of variables or expressions that grows. */
struct lvars {
    uint32_t *v;
    uint32_t n;
    uint32_t cap;
};

struct lexprs {
    struct bexpr **v;
    uint32_t n;
    uint32_t cap;
};

bool lvars_add(struct arena *arena, struct lvars *l, uint32_t var) DN_MUST_CHECK;
bool lvars_add_new(struct arena *arena, struct lvars *l, uint32_t var) DN_MUST_CHECK; /* once */
bool lvars_has(const struct lvars *l, uint32_t var);
bool lexprs_add(struct arena *arena, struct lexprs *l, struct bexpr *e) DN_MUST_CHECK;
