/* SPDX-License-Identifier: Apache-2.0
 *
 * type.h: the SQL types, once. type_list.h has one row per type. Any thread. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>

struct buf;

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
    PHYS_NUMERIC,  /* struct vnumeric */
    PHYS_MAX
};

enum type_id {
#define DN_TYPE(id, NAME, sql, phys) TYPE_##NAME = (id),
#include "vec/type_list.h"
#undef DN_TYPE
    TYPE_MAX = 128
};

/* An array of elements of type t is t | TYPE_ARRAY. In descriptors of functions alone: any type,
 * and an array of that type. */
#define TYPE_ARRAY       64u
#define TYPE_ANY_ELEMENT ((enum type_id)62)
#define TYPE_ANY_ARRAY   ((enum type_id)(62u | TYPE_ARRAY))

/* Types that CREATE TYPE … AS ENUM made have a number each, from 1 on; theirs is TYPE_ENUM with
 * that number above the lowest byte, and so are arrays of them. TYPE_ENUM alone is what files say:
 * which one it is the catalog knows. A value has the number, too, and below it a number that says
 * which label it is and where in the order of all; neither ever changes (docs/adr/0011). */
#define TYPE_ENUM_SHIFT 8u
#define TYPE_ENUM_MAX   ((1u << 22) - 1) /* numbers of types */
#define ENUM_ORDER_BITS 41u
#define ENUM_ORDER_MAX  ((INT64_C(1) << ENUM_ORDER_BITS) - 1)
#define TYPE_BASE(t)    ((enum type_id)((unsigned)(t) & (TYPE_MAX - 1u)))
#define TYPE_NUMBER(t)  ((uint32_t)(t) >> TYPE_ENUM_SHIFT)

/* What stands behind the name of a type: VARCHAR(10), NUMERIC(10, 2), TIME(3). Types with fewer
 * than that many parameters have 0 in the rest; NUMERIC(10) has scale 0. */
#define TYPE_MODS_MAX     2u
#define TYPE_CHARS_MAX    10485760 /* n of VARCHAR(n) */
#define TYPE_FRACTION_MAX 6        /* n of TIME(n), TIMESTAMPTZ(n), INTERVAL(n) */
struct type_mods {
    uint8_t count; /* 0: none */
    int32_t v[TYPE_MODS_MAX];
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
/* Normalizes to whole months, whole days and the rest, all of one sign, as justify_interval() does:
 * equal intervals get equal representations. False: too many months. */
bool vinterval_justify(struct vinterval v, struct vinterval *ret) DN_MUST_CHECK;

/* A decimal number: coefficient / 10^scale, or NaN. The coefficient has at most 38 digits; the
 * scale is how many digits are shown after the point, so 1.5 and 1.50 are equal and look different.
 * vec/numeric.h has what can be done with it. */
struct vnumeric {
    uint64_t lo; /* of the coefficient, 128 bits in two's complement */
    int64_t hi;
    int16_t scale;   /* 0..VNUMERIC_SCALE_MAX */
    int16_t special; /* enum vnumeric_special of numeric.h; unless 0, all else is 0 */
    uint32_t zero;   /* so that equal bytes mean equal looks */
};

/* The fixed 8-byte scalar form of every fixed-width type but INTERVAL and NUMERIC. */
union vfixed {
    int64_t i64; /* BOOLEAN, integers, dates and times */
    double f64;  /* REAL, DOUBLE */
};

bool type_known(unsigned id); /* is it in type_list.h? The functions below require that. */
/* May a column have it? Known, not NONE, not TIMESTAMP_LOCAL, none of the system's but NAME. */
bool type_storable(unsigned id);
const char *type_name(enum type_id t); /* as SQL writes it: "TIMESTAMP", "DOUBLE" */
const char *type_word(enum type_id t); /* as errors say it: "timestamp", "double precision" */
/* One more than the physical form, by TYPE_BASE; 0: no such type. For type_phys alone. */
extern const uint8_t type_phys_rows[TYPE_MAX];

/* These are asked for single values, so they are inline. */
static inline enum phys type_phys(enum type_id t)
{
    unsigned row = type_phys_rows[TYPE_BASE(t)];

    DN_DCHECK(type_known(t));
    DN_ASSERT(row != 0);
    return (enum phys)(row - 1);
}

/* Bytes of a value in a flat vector. */
static inline uint32_t phys_size(enum phys p)
{
    static const uint8_t sizes[PHYS_MAX] = {
        [PHYS_I8] = 1,
        [PHYS_I16] = 2,
        [PHYS_I32] = 4,
        [PHYS_I64] = 8,
        [PHYS_F32] = 4,
        [PHYS_F64] = 8,
        [PHYS_STR] = sizeof(struct vstr),
        [PHYS_INTERVAL] = sizeof(struct vinterval),
        [PHYS_NUMERIC] = sizeof(struct vnumeric),
    };

    DN_ASSERT(p < PHYS_MAX);
    return sizes[p];
}

/* REAL, DOUBLE. */
static inline bool type_is_float(enum type_id t)
{
    return t == TYPE_REAL || t == TYPE_DOUBLE;
}

/* Are its values bytes behind a pointer: VARCHAR, BLOB, UUID, arrays? */
static inline bool type_is_string(enum type_id t)
{
    return type_phys(t) == PHYS_STR;
}

/* Neither a string nor a union vfixed: INTERVAL, NUMERIC; stored as bytes (wide.h). */
static inline bool type_is_wide(enum type_id t)
{
    enum phys p = type_phys(t);

    return p == PHYS_INTERVAL || p == PHYS_NUMERIC;
}

/* Is a value a union vfixed? */
static inline bool type_is_fixed(enum type_id t)
{
    return !type_is_string(t) && !type_is_wide(t);
}

static inline bool type_is_array(enum type_id t)
{
    return ((unsigned)t & TYPE_ARRAY) != 0;
}

bool type_is_enum(enum type_id t); /* ENUM of any number; not arrays */
enum type_id type_enum(uint32_t number);
int64_t enum_value(uint32_t number, int64_t order);
uint32_t enum_value_number(int64_t value);
int64_t enum_value_order(int64_t value);
bool type_is_int(enum type_id t);       /* SMALLINT, INTEGER, BIGINT */
bool type_is_bits(enum type_id t);      /* BIT, VARBIT */
bool type_is_text(enum type_id t);      /* VARCHAR, BPCHAR: UTF-8 */
bool type_is_utf8(enum type_id t);      /* these, and NAME */
bool type_is_number(enum type_id t);    /* either, or NUMERIC */
bool type_is_timestamp(enum type_id t); /* TIMESTAMP of any precision; not TIMESTAMPTZ, _LOCAL */
bool type_is_system(enum type_id t);    /* OID, NAME and so on, and arrays of them */
/* A number with a name (REGCLASS, …): it and its values. */
bool type_is_reg(enum type_id t);
uint32_t type_reg_oid(struct vstr v);
struct vstr type_reg_name(struct vstr v);
enum type_id type_element(enum type_id t);  /* of an array type */
enum type_id type_array_of(enum type_id t); /* TYPE_NONE: there are no arrays of it (of arrays) */
/* Units per second of a time stamp type, TIMESTAMPTZ and TIMESTAMP_LOCAL included: 1000, 1000000,
 * 1000000000. */
int64_t type_ts_per_second(enum type_id t);
/* By SQL name without parameters, ignoring case: "sint64" -> BIGINT. TYPE_NONE if unknown. */
enum type_id type_by_name(const char *name, size_t len);
/* Are these parameters valid for the type? No parameters are valid for every type. TIMESTAMP(3),
 * (6) and (9) are types of their own, not parameters; other precisions are parameters of
 * TIMESTAMP(6). */
bool type_mods_good(enum type_id t, const struct type_mods *m);
/* The name with its parameters: "NUMERIC(10, 2)". */
void type_print(enum type_id t, const struct type_mods *m, struct buf *b);
