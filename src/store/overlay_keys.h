/* SPDX-License-Identifier: Apache-2.0
 *
 * overlay_keys.h: a set of rows of one table, known by their keys (by their row ids where there is
 * none); for overlay.c. Keys are kept as hashes of 64 bits. One thread at a time. */
#pragma once

#include "store/memtable.h"

struct overlay_keys;

struct overlay_keys *overlay_keys_new(const struct table *t, struct mem_owner *owner);
void overlay_keys_free(struct overlay_keys *k); /* NULL is fine */
/* A row of a memtable of the table; false: out of memory. */
bool overlay_keys_add(struct overlay_keys *k, const struct memtable *m, uint32_t row) DN_MUST_CHECK;
/* Is a row among them? cols: store columns. After all of them: was there memory for each answer? */
bool overlay_keys_has(struct overlay_keys *k, const struct vec *cols, uint32_t row);
bool overlay_keys_failed(const struct overlay_keys *k);
