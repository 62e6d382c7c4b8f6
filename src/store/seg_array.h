/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_array.h: the footer's arrays, written and read. For src/store/seg_*.c only. One thread. */
#pragma once

#include "base/arena.h"
#include "store/segment_int.h"

/* One codec id byte, varint length, bytes. */
int seg_put_encoded(const struct vec *v, struct arena *scratch, struct buf *b, struct dn_err *err)
    DN_MUST_CHECK;
/* All rows of c, 1024 at a time. */
int seg_put_array(const struct colbuf *c, struct arena *scratch, struct buf *b, struct dn_err *err)
    DN_MUST_CHECK;

/* Reading: where we are, for messages, and memory. */
struct seg_parse {
    struct rd rd;         /* over the footer */
    const uint8_t *start; /* of the footer */
    uint64_t offset;      /* of the footer in the object */
    const char *name;     /* object */
    struct arena *arena;  /* what stays */
    struct arena scratch; /* owned: reset for each vector */
    uint64_t data_len;    /* bytes of the data area */
    uint64_t vecs_total;  /* vectors of the columns so far: each has a byte of data at least */
};

#define SEG_PARSE_AT(p) ((unsigned long long)((p)->offset + (uint64_t)((p)->rd.p - (p)->start)))

/* One encoded vector; strings borrow from the footer and the arena given. No absent rows. */
int seg_get_encoded(struct seg_parse *p,
                    enum type_id type,
                    uint32_t count,
                    struct arena *arena,
                    struct vec *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* Arrays of n values. NULL is refused unless nulls is given (one byte per value, 1 = NULL, the
 * value then 0). 64-bit integers may be read through int64_t: the union has no other bits. */
int seg_get_fixed(struct seg_parse *p,
                  enum type_id type,
                  uint32_t n,
                  union vfixed *ret,
                  uint8_t *nulls,
                  struct dn_err *err) DN_MUST_CHECK;
struct seg_range {
    const char *what; /* for the message */
    int64_t min;
    int64_t max;
};
int seg_get_u32s(struct seg_parse *p,
                 const struct seg_range *range,
                 enum type_id type,
                 uint32_t n,
                 uint32_t *ret,
                 struct dn_err *err) DN_MUST_CHECK;
int seg_get_strs(struct seg_parse *p,
                 uint32_t n,
                 struct vstr *ret,
                 uint8_t *nulls,
                 struct dn_err *err) DN_MUST_CHECK;
