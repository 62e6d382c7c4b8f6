/* SPDX-License-Identifier: Apache-2.0
 *
 * vec.h: column vectors and batches, the currency between store, exec and engine.
 *
 * A vector holds `count` values of one type in one of three forms:
 *   FLAT   data[i]
 *   CONST  data[0] stands for all rows (null bit 0 too)
 *   DICT   data[codes[i]]; `dict_count` entries in data; null bits belong to the entries' rows,
 *          that is nulls is indexed by row i, never by code
 * Nulls: a bitmap, bit set = NULL; NULL pointer = none. Absent: same, for stored rows of a patch
 * (the column was not listed in the write); only store makes and sees it; an absent row of a
 * colbuf is NULL too, so code that ignores absent bits reads NULL. The value under a set null bit
 * is unspecified but readable (a string there is never a wild pointer). Bits from `count` on may be
 * set. Entries of a DICT need not be distinct (runs decode to one entry each).
 *
 * Memory is borrowed from the arena or cache entry that the producer of the vector documents; a
 * batch is valid until the next call on the operator or cursor that returned it.
 *
 * A batch is some vectors of equal count and an optional selection: `sel` lists the row numbers
 * that count, ascending. One thread at a time. */
#pragma once

#include "base/arena.h"
#include "vec/type.h"

#define VEC_ROWS_MAX 1024u /* rows of a batch, and of a stored vector */

enum vec_form { VEC_FLAT, VEC_CONST, VEC_DICT };

struct vec {
    enum type_id type;
    enum vec_form form;
    uint32_t count;      /* rows */
    uint32_t dict_count; /* DICT: entries in data */
    uint64_t dict_id;    /* DICT: not 0: vectors with this number and as many entries have the same
                            entries, bit for bit, wherever they lie; else 0 */
    const void *data;    /* by type_phys(type) */
    const uint16_t *codes;  /* DICT: one per row */
    const uint64_t *nulls;  /* bit i set: row i is NULL; CONST: bit 0 */
    const uint64_t *absent; /* as nulls; see above */
};

struct batch {
    uint32_t count; /* rows in every vector */
    uint32_t cols_count;
    struct vec *cols;    /* cols_count of them */
    const uint16_t *sel; /* NULL = all rows */
    uint32_t sel_count;  /* rows that count: == count when sel is NULL */
};

#define VEC_BITMAP_WORDS(n) (((n) + 63u) / 64u)

static inline bool vec_bit(const uint64_t *bits, uint32_t i)
{
    return bits && (bits[i >> 6] >> (i & 63) & 1);
}

static inline void vec_bit_set(uint64_t *bits, uint32_t i)
{
    bits[i >> 6] |= (uint64_t)1 << (i & 63);
}

static inline bool vec_is_null(const struct vec *v, uint32_t row)
{
    return vec_bit(v->nulls, v->form == VEC_CONST ? 0 : row);
}

/* Position in data of a row's value. */
static inline uint32_t vec_at(const struct vec *v, uint32_t row)
{
    return v->form == VEC_FLAT ? row : v->form == VEC_CONST ? 0 : v->codes[row];
}

/* One value widened to 8 bytes: BOOLEAN, integers, dates and times. */
static inline int64_t vec_i64(const struct vec *v, uint32_t row)
{
    uint32_t at = vec_at(v, row);

    switch (type_phys(v->type)) {
    case PHYS_I8:
        return ((const int8_t *)v->data)[at];
    case PHYS_I16:
        return ((const int16_t *)v->data)[at];
    case PHYS_I32:
        return ((const int32_t *)v->data)[at];
    case PHYS_I64:
        return ((const int64_t *)v->data)[at];
    case PHYS_F32:
    case PHYS_F64:
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    dn_assert_failed("a vector of integers", __FILE__, __LINE__);
}

/* REAL, DOUBLE. */
static inline double vec_f64(const struct vec *v, uint32_t row)
{
    enum phys phys = type_phys(v->type);
    uint32_t at = vec_at(v, row);

    DN_ASSERT(phys == PHYS_F64 || phys == PHYS_F32);
    if (phys == PHYS_F64)
        return ((const double *)v->data)[at];
    return (double)((const float *)v->data)[at];
}

static inline struct vstr vec_str(const struct vec *v, uint32_t row)
{
    DN_DCHECK(type_phys(v->type) == PHYS_STR);
    return ((const struct vstr *)v->data)[vec_at(v, row)];
}

/* A value of any type on its own: literals, parameters, defaults, zone maps. */
struct datum {
    enum type_id type;
    bool null;
    union vfixed v; /* fixed-width types */
    union {
        struct vstr str;     /* VARCHAR, BLOB, UUID; borrowed */
        struct vinterval iv; /* INTERVAL */
        struct vnumeric num; /* NUMERIC */
    };
};

struct datum vec_datum(const struct vec *v, uint32_t row);
/* <0, 0, >0 in the order of the type (bytes for strings; NaN last); NULL sorts after everything. */
int datum_cmp(const struct datum *a, const struct datum *b);
/* A number for a value: of two values of one type, the lesser one never has the greater number, and
 * values that are equal have the same one. Other values may share it. Not of NULL. */
int64_t datum_place(const struct datum *d);
int vstr_cmp(struct vstr a, struct vstr b);
/* Copies string bytes into the arena; false when out of memory. */
bool datum_copy(struct arena *arena, const struct datum *from, struct datum *ret) DN_MUST_CHECK;

/* Writes a value, narrowed to its type's physical form, to data[at]; zero or "" for a NULL. */
void datum_store(const struct datum *d, void *data, uint32_t at);

/* Reserves `count` values of dict_id that this process has not used yet; returns the first. Any
 * thread. */
uint64_t vec_dict_ids(uint64_t count);

/* A CONST vector of one datum (strings stay borrowed). False when out of memory. */
bool vec_make_const(struct arena *arena, const struct datum *d, uint32_t count, struct vec *ret)
    DN_MUST_CHECK;
/* A FLAT copy of a vector's selected rows (all when sel is NULL), densely packed; string bytes stay
 * borrowed. */
bool vec_flatten(struct arena *arena,
                 const struct vec *v,
                 const uint16_t *sel,
                 uint32_t count,
                 struct vec *ret) DN_MUST_CHECK;

/* Rows [first, first + count) without copying values; bitmaps are copied to the arena if first is
 * not a multiple of 64. False when out of memory. */
bool vec_slice(struct arena *arena,
               const struct vec *v,
               uint32_t first,
               uint32_t count,
               struct vec *ret) DN_MUST_CHECK;

/* The values alone of the selected rows (all when sel is NULL), densely packed into `to`. */
void vec_gather(const struct vec *v, const uint16_t *sel, uint32_t count, void *to);

/* Grows a column row by row or by gather, for INSERT, memtables, sorts. Owns its strings. */
struct colbuf {
    enum type_id type;
    uint32_t count;          /* rows */
    uint32_t cap;            /* rows allocated */
    void *data;              /* owned */
    uint64_t *nulls;         /* owned, NULL until the first NULL */
    uint64_t *absent;        /* owned, NULL until the first absent value */
    struct arena *strings;   /* borrowed: string bytes are copied there */
    struct mem_owner *owner; /* borrowed */
};

void colbuf_init(struct colbuf *c,
                 enum type_id type,
                 struct mem_owner *owner,
                 struct arena *strings);
void colbuf_done(struct colbuf *c);
void colbuf_reset(struct colbuf *c);
bool colbuf_reserve(struct colbuf *c, uint32_t rows) DN_MUST_CHECK;
bool colbuf_append(struct colbuf *c,
                   const struct datum *d) DN_MUST_CHECK; /* d->type == c->type or null */
bool colbuf_append_absent(struct colbuf *c) DN_MUST_CHECK;
/* Appends the given rows of v (all when rows is NULL); same physical type. Absent bits come along.
 */
bool colbuf_append_vec(struct colbuf *c, const struct vec *v, const uint16_t *rows, uint32_t count)
    DN_MUST_CHECK;
/* The NULL bits, allocated on first use and all clear, for callers that fill data and set count
 * themselves. NULL: out of memory. */
uint64_t *colbuf_nulls(struct colbuf *c);
/* A FLAT view of rows [first, first + count); first must be a multiple of 64 when there are nulls.
 */
struct vec colbuf_vec(const struct colbuf *c, uint32_t first, uint32_t count);
struct datum colbuf_datum(const struct colbuf *c, uint32_t row);
