/* SPDX-License-Identifier: Apache-2.0
 *
 * thrift.h: Thrift's compact protocol, as far as Parquet's footers and page headers need it.
 *
 * Reading goes over a struct rd, which is sticky: after an error every read gives 0 and in->bad is
 * set, so that a caller looks at it once, at the end. Bytes are untrusted.
 *
 *     struct thrift_field f = {.id = 0};
 *     while (thrift_next(in, &f))
 *         switch (f.id) { case 1: n = thrift_int(in, &f); break; default: thrift_skip(in, &f); }
 *
 * Writing appends to a struct buf; a struct is thrift_begin, its fields in ascending order,
 * thrift_end. Any thread. */
#pragma once

#include "base/bytes.h"
#include "vec/type.h"

enum thrift_type {
    THRIFT_STOP = 0,
    THRIFT_TRUE = 1,
    THRIFT_FALSE = 2,
    THRIFT_I8 = 3,
    THRIFT_I16 = 4,
    THRIFT_I32 = 5,
    THRIFT_I64 = 6,
    THRIFT_DOUBLE = 7,
    THRIFT_BINARY = 8,
    THRIFT_LIST = 9,
    THRIFT_SET = 10,
    THRIFT_MAP = 11,
    THRIFT_STRUCT = 12,
    THRIFT_UUID = 13,
};

struct thrift_field {
    int64_t id;   /* of the last field read; 0 before the first */
    uint8_t type; /* enum thrift_type */
};

/* The next field's head. False: the struct ends, or in->bad. */
bool thrift_next(struct rd *in, struct thrift_field *f);
/* Values of a field. Another type than the one wanted sets in->bad. */
int64_t thrift_int(struct rd *in, const struct thrift_field *f);
bool thrift_bool(struct rd *in, const struct thrift_field *f);
struct vstr thrift_text(struct rd *in, const struct thrift_field *f);
/* Is it a struct, that can now be read field by field? */
bool thrift_is_struct(struct rd *in, const struct thrift_field *f);
/* The number of elements of a list, each of which takes a byte at least; their type must be elem.
 * They are read by the functions below, structs field by field. */
uint32_t thrift_list(struct rd *in, const struct thrift_field *f, uint8_t elem);
int64_t thrift_elem_int(struct rd *in);
struct vstr thrift_elem_text(struct rd *in);
/* Passes a value over. */
void thrift_skip(struct rd *in, const struct thrift_field *f);

/* ---- writing ---- */

struct thrift_out {
    struct buf *b;   /* borrowed */
    int16_t last[8]; /* id of the last field, by depth */
    uint32_t depth;  /* structs that are open */
};

void thrift_begin(struct thrift_out *o); /* the outermost struct, or an element of a list */
void thrift_end(struct thrift_out *o);
void thrift_put_int(struct thrift_out *o, int16_t id, enum thrift_type type, int64_t v);
void thrift_put_bool(struct thrift_out *o, int16_t id, bool v);
void thrift_put_text(struct thrift_out *o, int16_t id, const void *p, size_t len);
void thrift_put_struct(struct thrift_out *o, int16_t id); /* thrift_end closes it */
void thrift_put_list(struct thrift_out *o, int16_t id, enum thrift_type elem, uint32_t count);
void thrift_put_elem_int(struct thrift_out *o, int64_t v);
void thrift_put_elem_text(struct thrift_out *o, const void *p, size_t len);
