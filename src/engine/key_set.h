/* SPDX-License-Identifier: Apache-2.0
 *
 * key_set.h: keys of rows of a table with a key, numbered from 0 as they come. One thread at a
 * time. */
#pragma once

#include "base/bytes.h"
#include "base/hash.h"
#include "catalog/table.h"
#include "vec/vec.h"

#define KEY_SET_NONE UINT32_MAX

struct key_set {
    const struct table *table; /* borrowed */
    struct mem_owner *owner;   /* borrowed */
    struct buf bytes;          /* one after another */
    struct buf probe;          /* what is looked for */
    size_t *ends;              /* owned: ends[i] is where key i ends */
    uint32_t count;
    uint32_t cap;
    struct hidx index;
};

void key_set_init(struct key_set *k, const struct table *t, struct mem_owner *owner);
void key_set_done(struct key_set *k);
/* The number of a row's key (columns by store column), KEY_SET_NONE: it is not there. */
int key_set_find(struct key_set *k,
                 const struct vec *cols,
                 uint32_t row,
                 uint32_t *ret,
                 struct dn_err *err) DN_MUST_CHECK;
/* 0: added, 1: it was there; its number. */
int key_set_add(struct key_set *k,
                const struct vec *cols,
                uint32_t row,
                uint32_t *ret,
                struct dn_err *err) DN_MUST_CHECK;
