/* SPDX-License-Identifier: Apache-2.0
 *
 * arena.h: memory that goes away all at once. Three lives: statement (parse, bind, plan), batch
 * (reset for each batch), session. Passed as an argument, never global. In debug builds each
 * allocation is its own heap block, so that the sanitizers see overruns.
 *
 * One thread at a time. */
#pragma once

#include "base/attr.h"
#include "base/mem.h"

#include <stdarg.h>

struct arena_chunk;

struct arena {
    struct mem_owner *owner;   /* borrowed; NULL = process root */
    struct arena_chunk *chunk; /* owned list, newest first */
    uint8_t *next;             /* free space of the newest chunk */
    size_t left;               /* bytes there */
    size_t chunk_size;         /* bytes of a normal chunk */
    /* While this flag is set, allocations fail as if memory had run out: code that only allocates
     * and copies stops when its statement is canceled (base/cancel.h), and its caller turns
     * DN_E_NOMEM into DN_E_CANCELED. NULL, as arena_init() leaves it: allocations never fail for
     * this reason. */
    const atomic_bool *cancel;
};

void arena_init(struct arena *arena, struct mem_owner *owner);
void arena_done(struct arena *arena); /* a zeroed arena is fine */
/* Frees all allocations; keeps one chunk for reuse. */
void arena_reset(struct arena *arena);

/* 16-byte aligned; NULL when out of memory. */
void *arena_alloc(struct arena *arena, size_t size) DN_MUST_CHECK;
void *arena_calloc(struct arena *arena, size_t count, size_t size) DN_MUST_CHECK;
void *arena_alloc_array(struct arena *arena, size_t count, size_t size) DN_MUST_CHECK;
void *arena_dup(struct arena *arena, const void *p, size_t size) DN_MUST_CHECK;
/* NUL-terminated copies. */
char *arena_strdup(struct arena *arena, const char *s) DN_MUST_CHECK;
char *arena_strndup(struct arena *arena, const char *s, size_t len) DN_MUST_CHECK;
char *arena_printf(struct arena *arena, const char *fmt, ...) DN_PRINTF(2, 3) DN_MUST_CHECK;
