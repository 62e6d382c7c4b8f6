/* SPDX-License-Identifier: Apache-2.0
 *
 * type.h: the SQL types, once. type_list.h has one row per type. Any thread. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>

/* How values lie in memory. */
enum phys {
    PHYS_I8, /* int8_t: BOOLEAN (0/1) */
    PHYS_I16,
    PHYS_I32,
    PHYS_I64,
    PHYS_F32,
    PHYS_F64,
    PHYS_STR,      /* struct vstr */
    PHYS_INTERVAL, /* struct vinterval */
    PHYS_MAX
};

enum type_id {
#define DN_TYPE(id, NAME, sql, phys) TYPE_##NAME = (id),
#include "vec/type_list.h"
#undef DN_TYPE
    TYPE_MAX = 32
};

/* A value's text or bytes: not NUL-terminated, borrowed from where the vector says. */
struct vstr {
    const char *ptr;
    uint32_t len;
};

/* A span of time in parts that calendars keep apart: a month has no fixed length, and a day is not
 * always 24 hours. For comparisons a month is 30 days and a day is 24 hours. */
struct vinterval {
    int64_t us;
    int32_t days;
    int32_t months;
};

/* <0, 0, >0; equal ones have equal hashes. */
int vinterval_cmp(struct vinterval a, struct vinterval b);
uint64_t vinterval_hash(struct vinterval v);
/* The length as a big-endian number whose memcmp order is that of vinterval_cmp. */
#define VINTERVAL_KEY_BYTES 16u
void vinterval_key(struct vinterval v, uint8_t *to);

/* The fixed 8-byte scalar form of every fixed-width type but INTERVAL. */
union vfixed {
    int64_t i64; /* BOOLEAN, integers, time stamps */
    double f64;  /* REAL, DOUBLE */
};

bool type_known(unsigned id); /* is it in type_list.h? The functions below want known ones. */
/* May a column have it? Known, and neither NONE nor INTERVAL. */
bool type_storable(unsigned id);
const char *type_name(enum type_id t); /* as SQL writes it: "TIMESTAMP", "DOUBLE" */
enum phys type_phys(enum type_id t);
uint32_t phys_size(enum phys p);        /* bytes of a value in a flat vector */
bool type_is_int(enum type_id t);       /* SMALLINT, INTEGER, BIGINT */
bool type_is_float(enum type_id t);     /* REAL, DOUBLE */
bool type_is_number(enum type_id t);    /* either */
bool type_is_timestamp(enum type_id t); /* any precision */
bool type_is_string(enum type_id t);    /* VARCHAR, BLOB */
/* Units per second of a time stamp type: 1000, 1000000, 1000000000. */
int64_t type_ts_per_second(enum type_id t);
/* By SQL name without parameters, any case: "sint64" -> BIGINT. TYPE_NONE if unknown. */
enum type_id type_by_name(const char *name, size_t len);
