/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

#define ARENA_CHUNK_FIRST 4096u
#define ARENA_CHUNK_MAX   (256u * 1024u)
#define ARENA_ALIGN       16u

struct arena_chunk {
    struct arena_chunk *older; /* owned */
    size_t size;               /* usable bytes after this head */
};

_Static_assert(sizeof(struct arena_chunk) % ARENA_ALIGN == 0, "chunk head keeps alignment");

void arena_init(struct arena *arena, struct mem_owner *owner)
{
    memset(arena, 0, sizeof *arena);
    arena->owner = owner;
    arena->chunk_size = ARENA_CHUNK_FIRST;
}

void arena_done(struct arena *arena)
{
    struct arena_chunk *chunk = arena->chunk;

    while (chunk) {
        struct arena_chunk *older = chunk->older;
        mem_free(chunk);
        chunk = older;
    }
    arena->chunk = NULL;
    arena->next = NULL;
    arena->left = 0;
}

void arena_reset(struct arena *arena)
{
#ifdef DN_DEBUG
    arena_done(arena);
#else
    struct arena_chunk *keep = arena->chunk;
    struct arena_chunk *chunk;

    if (!keep)
        return;
    chunk = keep->older;
    while (chunk) {
        struct arena_chunk *older = chunk->older;
        mem_free(chunk);
        chunk = older;
    }
    keep->older = NULL;
    arena->next = (uint8_t *)(keep + 1);
    arena->left = keep->size;
#endif
}

static void *arena_grow(struct arena *arena, size_t size)
{
    struct arena_chunk *chunk;
    size_t bytes = size;

#ifndef DN_DEBUG
    if (bytes < arena->chunk_size)
        bytes = arena->chunk_size;
    if (arena->chunk_size < ARENA_CHUNK_MAX)
        arena->chunk_size *= 2;
#endif
    if (arena->cancel && atomic_load_explicit(arena->cancel, memory_order_relaxed))
        return NULL;
    chunk = mem_alloc(arena->owner, sizeof *chunk + bytes);
    if (!chunk)
        return NULL;
    chunk->older = arena->chunk;
    chunk->size = bytes;
    arena->chunk = chunk;
    arena->next = (uint8_t *)(chunk + 1) + size;
    arena->left = bytes - size;
    return chunk + 1;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    void *p;

    if (size > SIZE_MAX / 2)
        return NULL;
#ifndef DN_DEBUG
    size = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
    if (arena->chunk && size <= arena->left) {
        p = arena->next;
        arena->next += size;
        arena->left -= size;
        return p;
    }
#endif
    p = arena_grow(arena, size);
    return p;
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return arena_alloc(arena, bytes);
}

void *arena_calloc(struct arena *arena, size_t count, size_t size)
{
    void *p = arena_alloc_array(arena, count, size);

    if (p)
        memset(p, 0, count * size);
    return p;
}

void *arena_dup(struct arena *arena, const void *p, size_t size)
{
    void *copy = arena_alloc(arena, size);

    if (copy && size)
        memcpy(copy, p, size);
    return copy;
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
    char *copy = arena_alloc(arena, len + 1);

    if (copy) {
        if (len)
            memcpy(copy, s, len);
        copy[len] = '\0';
    }
    return copy;
}

char *arena_strdup(struct arena *arena, const char *s)
{
    return arena_strndup(arena, s, strlen(s));
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
    va_list args;
    va_list again;
    char *text;
    int n;

    va_start(args, fmt);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    text = n < 0 ? NULL : arena_alloc(arena, (size_t)n + 1);
    if (text)
        (void)vsnprintf(text, (size_t)n + 1, fmt, again);
    va_end(again);
    return text;
}
