/* SPDX-License-Identifier: Apache-2.0
 *
 * apply_cache.h: what the right side of an APPLY returned for bind values seen not long ago, so
 * that equal ones do not run it again. Small: over its size it starts anew.
 *
 * One thread at a time. */
#pragma once

#include "exec/exec_int.h"
#include "exec/groups.h"
#include "exec/rows.h"

enum exec_apply_state { APPLY_NEW, APPLY_KEPT, APPLY_LARGE };

struct exec_apply_entry {
    enum exec_apply_state state;
    uint32_t first; /* rows */
    uint32_t count;
};

struct exec_apply_cache {
    struct mem_owner mem;
    bool on;
    struct exec_groups keys;          /* bind values */
    struct exec_rows rows;            /* rows of all entries */
    struct exec_apply_entry *entries; /* owned, by number of the key */
    uint32_t entries_count;
    uint32_t entries_cap;
    enum type_id *key_types; /* borrowed */
    uint32_t keys_count;
};

/* Is what the node returns the same whenever its parameters are? */
bool exec_apply_stable(const struct plan_node *node);

int exec_apply_cache_init(struct exec_apply_cache *c,
                          enum type_id *key_types,
                          uint32_t keys_count,
                          const enum type_id *types,
                          uint32_t cols_count,
                          struct mem_owner *owner,
                          struct dn_err *err) DN_MUST_CHECK;
void exec_apply_cache_done(struct exec_apply_cache *c); /* zeroed or half-made is fine */
/* ids[i] is the entry of the i-th selected row; ids of earlier batches are void. */
int exec_apply_cache_find(struct exec_apply_cache *c,
                          const struct vec *keys,
                          const struct batch *in,
                          struct arena *scratch,
                          uint32_t *ids,
                          struct dn_err *err) DN_MUST_CHECK;
/* More rows of an entry that is NEW; it becomes LARGE when there are too many. */
int exec_apply_cache_add(struct exec_apply_cache *c,
                         uint32_t id,
                         const struct batch *in,
                         struct dn_err *err) DN_MUST_CHECK;
