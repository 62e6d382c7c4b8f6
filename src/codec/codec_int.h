/* SPDX-License-Identifier: Apache-2.0
 *
 * codec_int.h: what the codecs share with each other and with the driver; for src/codec only.
 *
 * A "value list" is the part of several codecs that holds values as they are:
 *   fixed forms   count * size bytes, little-endian
 *   strings       u8 width, varint shortest length, bit-packed (length - shortest), all bytes
 *
 * Any thread; a struct codec_work belongs to one encoding. */
#pragma once

#include "codec/bitpack.h"
#include "codec/codec.h"

#define CODEC_DICT_SLOTS (2u * VEC_ROWS_MAX)

/* How far integers lie apart. */
struct codec_spread {
    int64_t least;
    uint64_t span; /* greatest - least */
};

/* How SPLIT cuts values in two. */
struct codec_split {
    unsigned right;              /* bits of the right part */
    uint32_t entries;            /* of the list */
    uint16_t lefts[8];           /* the list: left parts */
    uint32_t odd;                /* rows whose left part is not there */
    uint16_t rows[VEC_ROWS_MAX]; /* which, ascending */
    uint8_t codes[VEC_ROWS_MAX]; /* per row, its place in the list */
};

/* How FRONT shortens strings. */
struct codec_front {
    uint8_t shared[VEC_ROWS_MAX]; /* bytes of a row that are those of the row before */
    uint8_t shared_max;           /* the most */
    uint32_t rest_min;            /* fewest bytes of a row beyond these */
    uint32_t rest_max;            /* the most */
    uint64_t rest_total;          /* of all rows */
};

/* How DECIMAL sees numbers; the integers are in codec_work.wide, which strings do not need. */
struct codec_decimal {
    int scale;                   /* number = integer / 10^scale */
    unsigned order;              /* of the frame */
    uint32_t odd;                /* rows whose number is no such integer */
    uint8_t fewer_max;           /* the most of fewer */
    uint16_t rows[VEC_ROWS_MAX]; /* the odd rows, ascending */
    uint8_t fewer[VEC_ROWS_MAX]; /* per row: digits that it shows less than the scale */
};

/* Integers as codec_ans.h codes them. */
struct codec_ans {
    uint32_t count;
    unsigned low;         /* bits of each that are packed as they are */
    unsigned symbols;     /* what the others can be, 1 .. 128 */
    uint32_t table_n;     /* bytes of table */
    uint32_t stream_n;    /* bytes of the stream, which ends where its room does */
    uint8_t table[256];   /* frequencies: 14 bits each at most */
    uint8_t stream[1536]; /* 10 bits a symbol at most, and what is left of the states */
    uint64_t ints[VEC_ROWS_MAX];
};

/* How a kin frame is written. */
struct codec_kin_plan {
    unsigned seed_bits; /* bits of a seed */
    bool may_odd;       /* rows may be odd */
    unsigned width;     /* the head, see struct codec_kin_frame */
    unsigned tall;
    bool chain;
    unsigned odd_width;
    uint32_t size;
    uint32_t odd;
    int64_t least;
    int64_t seed_least;
    const struct codec_ans *ans;      /* the codes of rows with kin; NULL: codes are packed */
    const uint64_t *from;             /* the integers: the caller's, or ints */
    int64_t diffs[VEC_ROWS_MAX];      /* per row, to its kin */
    uint16_t odd_rows[VEC_ROWS_MAX];  /* ascending */
    uint64_t odd_highs[VEC_ROWS_MAX]; /* of each odd row: zigzag of what the width cuts off */
    uint64_t ints[VEC_ROWS_MAX];      /* where rows that mean nothing repeat their kin */
};

/* How one with symbols is written. */
struct codec_small {
    struct codec_kin_plan plan;
    struct codec_ans ans[2]; /* that of the plan, and another that was tried */
};

struct codec_work {
    /* Filled by the driver. */
    uint32_t runs;                   /* runs of equal neighbours, >= 1 */
    uint32_t run_max;                /* rows of the longest */
    uint16_t run_rows[VEC_ROWS_MAX]; /* first row of each run */
    uint64_t wide[VEC_ROWS_MAX];     /* in->wide */
    /* Filled by size() of the dictionary. */
    bool dict_done;                     /* the rest is there, for all rows */
    uint32_t dict_count;                /* distinct values */
    uint16_t dict_rows[VEC_ROWS_MAX];   /* row where each stands first */
    uint16_t dict_codes[VEC_ROWS_MAX];  /* per row */
    uint32_t dict_hashes[VEC_ROWS_MAX]; /* strings: per entry, for a quick no */
    uint16_t slots[CODEC_DICT_SLOTS];   /* hash table: code + 1, 0 = empty */
    /* Filled by codec_far_fill. */
    bool far_done;             /* the rest is there */
    bool far_grown;            /* the dictionary is that of in->home and more entries */
    uint32_t far_back;         /* vectors to the dictionary; 0: it is the vector's own */
    uint32_t far_entries;      /* of it */
    uint32_t far_fresh;        /* entries that in->home has not */
    size_t far_own;            /* bytes of a list of the entries that rows have */
    size_t far_gift;           /* bytes of the list that count nothing in the choice of a codec */
    const uint16_t *far_codes; /* per row: dict_codes or far_room */
    uint16_t far_room[VEC_ROWS_MAX];
    struct vstr far_list[VEC_ROWS_MAX]; /* grown: the entries */
    /* Filled by size() of DICT_NEXT: rows whose code is not what the one before leads to. */
    uint32_t next_odd;
    uint16_t next_rows[VEC_ROWS_MAX]; /* ascending */
    /* Filled by size() of FOR, DELTA, DELTA2: of values, of differences, of their differences. */
    struct codec_spread spread[3];
    /* Filled by size() of ALP: the values as integers, and those that are none. */
    bool alp_done;                     /* the rest is there */
    bool alp_fits;                     /* it may pay */
    unsigned alp_exponent;             /* value = integer / 10^exponent */
    uint32_t alp_odd;                  /* rows whose value is no such integer */
    struct codec_spread alp_spread[2]; /* of the integers and of their differences */
    uint16_t alp_rows[VEC_ROWS_MAX];   /* the odd rows, ascending */
    uint64_t alp_ints[VEC_ROWS_MAX];   /* integers; under odd rows that of a neighbour */
    struct codec_split split;          /* filled by size() of SPLIT */
    struct codec_front front;          /* filled by size() of FRONT */
    struct codec_decimal decimal;      /* filled by size() of DECIMAL, and spread */
    struct codec_kin kin_plain;        /* where there is no guide */
    struct codec_kin_plan kin;         /* filled by size() of codecs with a kin frame */
    struct codec_small *small;         /* of those with symbols, in scratch; NULL: not yet */
    /* Filled by size() of codecs that wrap. */
    unsigned inner;         /* what the driver chose to be wrapped */
    size_t inner_n;         /* how many bytes it has */
    const uint8_t *inner_p; /* these, once encoded */
    uint8_t *wrapped;       /* compressed bytes; NULL: none yet that are short enough */
    size_t wrapped_n;       /* how many */
    bool nomem;             /* a size() ran out of memory */
    /* What is handed to bitpack_pack. */
    uint64_t pack[VEC_ROWS_MAX];
};

#define DN_CODEC(id, NAME, ops) extern const struct codec_ops ops;
#include "codec/codec_list.h"
#undef DN_CODEC

static inline bool codec_phys_is_int(enum phys phys)
{
    return phys == PHYS_I8 || phys == PHYS_I16 || phys == PHYS_I32 || phys == PHYS_I64;
}

static inline bool codec_same_str(struct vstr a, struct vstr b)
{
    return a.len == b.len && (a.len == 0 || a.ptr == b.ptr || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline uint64_t codec_zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? ~(uint64_t)0 : 0);
}

static inline int64_t codec_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1 ^ (v & 1 ? ~(uint64_t)0 : 0));
}

/* A value of `size` bytes that computing modulo 2^64 may have spilled over. */
static inline int64_t codec_narrow(uint64_t v, uint32_t size)
{
    unsigned shift = 64 - 8 * size;

    return (int64_t)(v << shift) >> shift;
}

/* Does v fit a signed integer of so many bytes? */
static inline bool codec_fits(int64_t v, uint32_t size)
{
    return codec_narrow((uint64_t)v, size) == v;
}

static inline size_t codec_varint_size(uint64_t v)
{
    return v ? (bitpack_width(v) + 6) / 7 : 1;
}

/* Packs work->pack[0..count). */
void codec_put_packed(struct buf *b, const struct codec_work *work, uint32_t count, unsigned width);
/* Value list of the given rows of in (the first `count` when rows is NULL). */
size_t codec_values_size(const struct codec_in *in, const uint16_t *rows, uint32_t count);
void codec_values_put(const struct codec_in *in,
                      const uint16_t *rows,
                      uint32_t count,
                      struct buf *b);
/* Reads a list of list->count values that fills its bytes; the array is the arena's, strings point
 * into the bytes. */
int codec_values_get(const struct codec_part *list,
                     struct arena *arena,
                     const void **ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* One value of a list of `count`, into ret->v or ret->str. */
int codec_values_at(const struct codec_part *list,
                    uint32_t i,
                    struct datum *ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* The low `size` bytes (1, 2, 4, 8) of each word. */
void codec_cut(const uint64_t *from, uint32_t count, uint32_t size, void *to);
/* A fixed-size value as it lies in memory. */
union vfixed codec_fixed(enum phys phys, const uint8_t *p);
/* Values as 64-bit words: integers sign-extended, bits of floats; not for strings. */
void codec_widen(enum phys phys, const void *data, uint32_t count, uint64_t *wide);
/* Sums (isum) and bounds (i64) of ranges of integers. */
void codec_agg_words(const int64_t *values, const struct codec_ask *ask, struct codec_agg *ret);
