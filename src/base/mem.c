/* SPDX-License-Identifier: Apache-2.0
 *
 * Each allocation has a 16-byte head: its size and its owner, so mem_free needs neither. The only
 * mutable globals are the process counter and the fault switch of the tests. */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct mem_head {
    size_t size;             /* bytes the caller asked for */
    struct mem_owner *owner; /* borrowed, NULL = process root */
};

_Static_assert(sizeof(struct mem_head) == 16, "the head keeps 16-byte alignment");

static _Atomic size_t mem_used_total;
static _Atomic uint64_t mem_fail_at; /* 0 = off */
static _Atomic bool mem_fail_sticky;
static _Atomic bool mem_fail_struck;

void mem_owner_init(struct mem_owner *owner,
                    const char *name,
                    struct mem_owner *parent,
                    size_t limit)
{
    owner->name = name;
    owner->parent = parent;
    atomic_init(&owner->used, 0);
    atomic_init(&owner->peak, 0);
    atomic_init(&owner->limit, limit);
    atomic_init(&owner->refused, 0);
}

size_t mem_owner_used(const struct mem_owner *owner)
{
    return atomic_load_explicit(&owner->used, memory_order_relaxed);
}

uint64_t mem_owner_refused(const struct mem_owner *owner)
{
    return atomic_load_explicit(&owner->refused, memory_order_relaxed);
}

bool mem_charge(struct mem_owner *owner, size_t size)
{
    for (struct mem_owner *o = owner; o; o = o->parent) {
        size_t now = atomic_fetch_add_explicit(&o->used, size, memory_order_relaxed) + size;
        size_t limit = atomic_load_explicit(&o->limit, memory_order_relaxed);

        if (limit && now > limit) {
            atomic_fetch_add_explicit(&o->refused, 1, memory_order_relaxed);
            for (struct mem_owner *u = owner;; u = u->parent) {
                atomic_fetch_sub_explicit(&u->used, size, memory_order_relaxed);
                if (u == o)
                    break;
            }
            return false;
        }
        if (now > atomic_load_explicit(&o->peak, memory_order_relaxed))
            atomic_store_explicit(&o->peak, now, memory_order_relaxed);
    }
    atomic_fetch_add_explicit(&mem_used_total, size, memory_order_relaxed);
    return true;
}

void mem_uncharge(struct mem_owner *owner, size_t size)
{
    for (struct mem_owner *o = owner; o; o = o->parent) {
        size_t before = atomic_fetch_sub_explicit(&o->used, size, memory_order_relaxed);
        DN_ASSERT(before >= size);
    }
    atomic_fetch_sub_explicit(&mem_used_total, size, memory_order_relaxed);
}

size_t mem_process_used(void)
{
    return atomic_load(&mem_used_total);
}

void mem_fail_nth(uint64_t n, bool sticky)
{
    atomic_store(&mem_fail_struck, false);
    atomic_store(&mem_fail_sticky, sticky);
    atomic_store(&mem_fail_at, n);
}

bool mem_fail_hit(void)
{
    return atomic_load(&mem_fail_struck);
}

static bool mem_should_fail(void)
{
    if (DN_LIKELY(atomic_load_explicit(&mem_fail_at, memory_order_relaxed) == 0))
        return false;
    if (atomic_fetch_sub(&mem_fail_at, 1) != 1)
        return false;
    atomic_store(&mem_fail_struck, true);
    if (atomic_load(&mem_fail_sticky))
        atomic_store(&mem_fail_at, 1);
    return true;
}

void *mem_alloc(struct mem_owner *owner, size_t size)
{
    struct mem_head *head;

    if (size > SIZE_MAX - sizeof *head || mem_should_fail())
        return NULL;
    if (!mem_charge(owner, size))
        return NULL;
    head = malloc(sizeof *head + size);
    if (!head) {
        mem_uncharge(owner, size);
        return NULL;
    }
    head->size = size;
    head->owner = owner;
    return head + 1;
}

void *mem_alloc_array(struct mem_owner *owner, size_t count, size_t size)
{
    size_t bytes;

    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    return mem_alloc(owner, bytes);
}

void *mem_calloc(struct mem_owner *owner, size_t count, size_t size)
{
    void *p = mem_alloc_array(owner, count, size);

    if (p)
        memset(p, 0, count * size);
    return p;
}

void *mem_realloc(struct mem_owner *owner, void *p, size_t size)
{
    struct mem_head *head;
    struct mem_head *moved;
    size_t old;

    if (!p)
        return mem_alloc(owner, size);
    if (size > SIZE_MAX - sizeof *head || mem_should_fail())
        return NULL;
    head = (struct mem_head *)p - 1;
    old = head->size;
    if (size > old && !mem_charge(head->owner, size - old))
        return NULL;
    moved = realloc(head, sizeof *head + size);
    if (!moved) {
        if (size > old)
            mem_uncharge(head->owner, size - old);
        return NULL;
    }
    if (size < old)
        mem_uncharge(moved->owner, old - size);
    moved->size = size;
    return moved + 1;
}

void mem_free(void *p)
{
    struct mem_head *head;

    if (!p)
        return;
    head = (struct mem_head *)p - 1;
    mem_uncharge(head->owner, head->size);
    free(head);
}

void *mem_dup(struct mem_owner *owner, const void *p, size_t size)
{
    void *copy = mem_alloc(owner, size);

    if (copy && size)
        memcpy(copy, p, size);
    return copy;
}

char *mem_strdup(struct mem_owner *owner, const char *s)
{
    return mem_dup(owner, s, strlen(s) + 1);
}
