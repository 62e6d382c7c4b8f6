/* SPDX-License-Identifier: Apache-2.0
 *
 * array.h: arrays: values of type t | TYPE_ARRAY, kept as bytes (struct vstr) whose memcmp order is
 * that of PostgreSQL: element by element, NULL last, then by length, dimensions and lower bounds.
 *
 *   per element    0x01 and its normalized key (normkey.h), or 0x02 for NULL
 *   0x00
 *   1 byte         dimensions, 0 (an empty array) to 6
 *   per dimension  length and lower bound, 4 bytes big-endian each, the latter's sign bit flipped
 *   INTERVAL and NUMERIC elements: the stored bytes (wide.h) of each that is not NULL, a length
 *                  byte before them; not part of the order, as equal ones may look different
 *
 * Elements are in row order: the last dimension varies fastest. Any thread. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "vec/vec.h"

#include <stdatomic.h>

#define VARRAY_DIMS_MAX  6
#define VARRAY_ITEMS_MAX (16u * 1024 * 1024)

struct varray {
    enum type_id elem;
    uint32_t dims; /* 0: empty */
    int32_t len[VARRAY_DIMS_MAX];
    int32_t low[VARRAY_DIMS_MAX]; /* lower bounds; 1 unless said otherwise */
    uint32_t count;               /* items: the product of len */
    struct datum *items;
};

/* The upper bound of a dimension. Arrays whose bounds are beyond INT32_MAX are refused where they
 * are made (func_array_bounds), but may have been stored before that. */
static inline int64_t varray_high(const struct varray *a, uint32_t dim)
{
    return (int64_t)a->low[dim] + a->len[dim] - 1;
}

/* Decodes untrusted bytes; strings are copied to the arena. 1: they are no array of this type.
 * DN_E_NOMEM also if `cancel` is set (base/cancel.h; may be NULL). */
int varray_read(struct vstr s,
                enum type_id elem,
                const atomic_bool *cancel,
                struct arena *arena,
                struct varray *ret) DN_MUST_CHECK;
/* Appends the bytes; running out of memory shows in b->failed, and so does a flag that goes up. */
void varray_write(const struct varray *a, const atomic_bool *cancel, struct buf *b);
/* The same by parts: the bytes of an element, and those of it that stand behind the shape; the
 * shape, of which dims, len and low count (dims > 0): returns how many bytes it has. */
void varray_write_item(const struct datum *item, struct buf *b, struct buf *tail);
#define VARRAY_SHAPE_BYTES_MAX (2 + 8 * VARRAY_DIMS_MAX)
uint32_t varray_write_shape(const struct varray *a, uint8_t *to);
/* The part of a value's bytes that counts for order and equality: all of it but for arrays of
 * INTERVAL and NUMERIC. Any type of PHYS_STR. */
struct vstr varray_key(enum type_id type, struct vstr s);
int varray_cmp(enum type_id type, struct vstr a, struct vstr b);
/* One dimension of n items. */
struct varray varray_flat(enum type_id elem, struct datum *items, uint32_t n);
