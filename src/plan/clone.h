/* SPDX-License-Identifier: Apache-2.0
 *
 * clone.h: inside of plan/: a tree over variables once more. One thread at a time. */
#pragma once

#include "plan/logic.h"

/* Variables and what stands in their place: columns. */
struct lmap {
    struct ldef *v;
    uint32_t n;
    uint32_t cap;
};
bool logic_map_var(struct planner *q, struct lmap *map, uint32_t from, uint32_t to) DN_MUST_CHECK;
uint32_t logic_mapped(const struct lmap *map, uint32_t var); /* itself if nothing stands for it */
/* A copy of a tree that defines variables of its own; map gets them, and may say at the start what
 * stands for variables of others. NULL: out of memory (clone.c). */
struct lnode *logic_clone(struct planner *q, const struct lnode *tree, struct lmap *map);
/* A copy with the variables of others exchanged; its own stay. */
struct lnode *logic_rename(struct planner *q, const struct lnode *tree, struct lmap *map);
