/* SPDX-License-Identifier: Apache-2.0
 *
 * mem.h: the only door to the heap. Every allocation is charged to an owner; owners form a tree,
 * a charge goes up to the root, and any owner may have a limit. NULL as owner means the process
 * root, which has no limit. All functions return NULL on failure (over a limit, out of memory,
 * size overflow) and never abort; the caller raises DN_E_NOMEM.
 *
 * Any thread. An owner must outlive its allocations. */
#pragma once

#include "base/attr.h"

#include <stdatomic.h>
#include <stdbool.h>

struct mem_owner {
    const char *name;         /* static, for messages */
    struct mem_owner *parent; /* borrowed, NULL = process root */
    _Atomic size_t used;      /* bytes charged now, children included */
    _Atomic size_t peak;      /* highest used */
    _Atomic size_t limit;     /* bytes, 0 = none; may be changed at any time */
    _Atomic uint64_t refused; /* charges that this limit turned down */
};

void mem_owner_init(struct mem_owner *owner,
                    const char *name,
                    struct mem_owner *parent,
                    size_t limit);
size_t mem_owner_used(const struct mem_owner *owner);
/* Charges that its limit turned down so far: tells "over the limit" from other failures. */
uint64_t mem_owner_refused(const struct mem_owner *owner);
/* Charge or release bytes that were allocated elsewhere. False: over a limit, nothing charged. */
bool mem_charge(struct mem_owner *owner, size_t size) DN_MUST_CHECK;
void mem_uncharge(struct mem_owner *owner, size_t size);

/* 16-byte aligned. A size of 0 gives a valid pointer. Free with mem_free; NULL is fine there. */
void *mem_alloc(struct mem_owner *owner, size_t size) DN_MUST_CHECK;
void *mem_calloc(struct mem_owner *owner, size_t count, size_t size) DN_MUST_CHECK;
void *mem_alloc_array(struct mem_owner *owner, size_t count, size_t size) DN_MUST_CHECK;
/* Keeps the owner of p; a NULL p is mem_alloc(owner, size). On failure p stays valid. */
void *mem_realloc(struct mem_owner *owner, void *p, size_t size) DN_MUST_CHECK;
void mem_free(void *p);
char *mem_strdup(struct mem_owner *owner, const char *s) DN_MUST_CHECK;
void *mem_dup(struct mem_owner *owner, const void *p, size_t size) DN_MUST_CHECK;

/* Bytes in use by the whole process: what a leak check compares. */
size_t mem_process_used(void);

/* Fault sweep: the n-th allocation from now fails (1 = the next); 0 switches it off. With sticky,
 * all later ones fail too. mem_fail_hit tells whether it has struck since it was set. */
void mem_fail_nth(uint64_t n, bool sticky);
bool mem_fail_hit(void);
