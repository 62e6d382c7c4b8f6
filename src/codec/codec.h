/* SPDX-License-Identifier: Apache-2.0
 *
 * codec.h: how a vector of up to 1024 values becomes bytes. One .c file per codec and one line in
 * codec_list.h; tests, fuzz targets, golden bytes and benchmarks iterate the list.
 *
 * An encoded vector is self-contained given (type, count): nulls and absent bitmaps, if any, stand
 * first, written by codec_encode itself; a codec sees only the values (those under a null bit are
 * replaced by their neighbour so that they cost nothing). Values are encoded losslessly: doubles
 * keep their bits.
 *
 * Which codec: CONSTANT if all values are the same, else that of the least size * weight, see
 * struct codec_ops.
 *
 * Decoding takes untrusted bytes: it never reads outside them, never allocates by a size it has
 * not checked against `count` or the input length, and answers DN_E_CORRUPT.
 *
 * Any thread; functions keep no state. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"
#include "vec/vec.h"

enum codec_id {
#define DN_CODEC(id, NAME, ops) CODEC_##NAME = (id),
#include "codec/codec_list.h"
#undef DN_CODEC
    CODEC_ID_MAX = 64
};

/* Which row of a vector is kin to which: codec_kin.h. */
struct codec_kin {
    uint32_t guide; /* id of the column that tells; 0: each row is the next one's */
    uint32_t count; /* rows; 0: there is none */
    uint32_t seeds; /* rows without kin */
    uint32_t turn;  /* not 0: the first rows are seeds, so many, and the kin of each other
                       row is as many rows before it */
    /* Stretches of rows that are kin to the row before them, but for the first; 0: they are too
     * short to be worth it */
    uint32_t stretches;
    uint16_t of[VEC_ROWS_MAX]; /* per row, 1 + the row of its kin, which is earlier; 0: none */
    uint16_t seed_rows[VEC_ROWS_MAX]; /* ascending */
    uint16_t starts[VEC_ROWS_MAX];    /* per stretch, its first row */
    uint16_t seed_of[VEC_ROWS_MAX]; /* per stretch, or per row where there are none: which seed its
                                       line of kin begins with, from 0 */
};

struct codec_work; /* codec_int.h: statistics and scratch of one encoding */

/* What a codec sees: densely packed values without nulls. */
struct codec_in {
    enum phys phys;
    uint32_t count;       /* 1..VEC_ROWS_MAX */
    const void *data;     /* by phys */
    const uint64_t *wide; /* the same as 64-bit words: integers sign-extended, bits of floats;
                             NULL for strings */
    const struct vnumeric *nums; /* NUMERIC: the numbers whose bytes are in data; else NULL */
    const struct codec_kin *kin; /* of the rows, if a guide is known; else NULL */
    struct codec_home *home;     /* as struct codec_hint has it; NULL: not to be looked at now */
    bool small;                  /* likewise */
    const uint64_t *missing;     /* rows whose value means nothing; NULL: there are none */
    struct codec_work *work;     /* statistics made once for all codecs; room for a codec's own */
    struct arena *scratch;       /* for size(); a failure to be told by work->nomem */
};

/* The values of an encoded vector: what is left of its bytes after the bitmaps. */
struct codec_part {
    enum phys phys;
    uint32_t count;                /* rows, 1..VEC_ROWS_MAX */
    const uint8_t *p;              /* the bytes, borrowed; untrusted */
    size_t n;                      /* how many; a codec must use them all */
    const struct codec_kin *kin;   /* as struct codec_src has it */
    const struct codec_part *home; /* the value list that struct codec_src.home has; or NULL */
};

__extension__ typedef __int128 codec_i128;

struct codec_narrow; /* codec_narrow.h */

enum codec_want { CODEC_SUM = 1, CODEC_BOUNDS = 2 };

/* Rows lo .. hi - 1, at least one. */
struct codec_range {
    uint32_t lo;
    uint32_t hi;
};

/* What is asked of ranges that follow each other: none begins before the last one ends. */
struct codec_ask {
    const struct codec_range *ranges; /* borrowed */
    uint32_t count;                   /* 1.. */
    unsigned want;                    /* CODEC_SUM, CODEC_BOUNDS or both */
};

/* The answer for one of them. What was not asked for is not to be looked at. */
struct codec_agg {
    uint32_t rows;    /* that have a value; 0: the rest is zero and means nothing */
    codec_i128 isum;  /* BOOLEAN, integers, time stamps: exact */
    double fsum;      /* REAL, DOUBLE; ALP adds integers and divides once, so this is at least as
                         near to the true sum as adding one by one, and may differ from that */
    union vfixed min; /* in the order of datum_cmp: NaN is the greatest, -0.0 equals 0.0 */
    union vfixed max;
};

/* When size() is asked. Later ones know a tighter limit. */
enum codec_stage {
    CODEC_AT_ONCE, /* from the statistics alone */
    CODEC_COSTLY,  /* takes a pass over the values */
    CODEC_LOOKUP,  /* looks every value up */
    CODEC_WRAPS,   /* compresses what another has encoded */
};

struct codec_ops {
    const char *name; /* static; docs, EXPLAIN, SHOW */
    /* How a byte counts in the choice, in percent: 100 for what decodes at the speed of memory,
     * more for what is slower and must therefore save that much to be taken. Among equal products
     * the lower weight wins, then the order of the list. */
    unsigned weight;
    enum codec_stage stage;
    bool numbers; /* for NUMERIC alone: reads in->nums, gives numbers; to others these are strings.
                     A part's phys is PHYS_NUMERIC then */
    bool lists;   /* has a value list: bytes that a compressor may shrink */
    bool hinted;  /* chosen only where a struct codec_hint speaks for it */
    bool guided;  /* begins with the id of a guide */
    bool small;   /* for those that want the fewest bytes, struct codec_hint.small */
    bool varies;  /* a library writes the bytes: other versions may write others that mean the same
                   */
    /* Bytes that encode would append; SIZE_MAX if the values cannot be held or the answer would be
     * `limit` or more. Called before encode, which may use what it left in `work`. With a limit of
     * SIZE_MAX the caller insists: no giving up because it will hardly pay. */
    size_t (*size)(const struct codec_in *in, size_t limit);
    /* Appends the bytes. Running out of memory shows in b->failed. */
    void (*encode)(const struct codec_in *in, struct buf *b);
    /* Fills ret->form, data, codes, dict_count; memory from the arena; strings may point into the
     * input bytes. */
    int (*decode)(const struct codec_part *part,
                  struct arena *arena,
                  struct vec *ret,
                  struct dn_err *err);
    /* Optional: the value of one row, into ret->v or ret->str. Checks what it reads, no more. */
    int (*get)(const struct codec_part *part, uint32_t row, struct datum *ret, struct dn_err *err);
    bool get_walks; /* … goes through the rows before it, one by one */
    /* Optional: codes of all rows, each less than the entries, whose value list is *ret_list. A
     * guide's codec must have it. */
    int (*codes)(const struct codec_part *part,
                 uint16_t *to,
                 struct codec_part *ret_list,
                 struct dn_err *err);
    /* Optional: how many vectors back in the column the value list is that belongs to the codes; 0:
     * it is here, or the bytes are broken. */
    uint32_t (*back)(const struct codec_part *part);
    /* Optional: the value list, for vectors that use it from there. ret->p is NULL if it is not
     * here. */
    int (*list)(const struct codec_part *part, struct codec_part *ret, struct dn_err *err);
    /* Optional: sums and bounds of each range, without writing values out where possible; not for
     * strings. Gets zeros in ret. DN_NOT_FOUND: decode. */
    int (*agg)(const struct codec_part *part,
               const struct codec_ask *ask,
               struct codec_agg *ret,
               struct dn_err *err);
    /* Optional: the values modulo 2^16, and ret->exponent, if bounds[0] and bounds[1], between
     * which all of them lie, fit once they are integers; these are ret->lo and hi then.
     * DN_NOT_FOUND: they do not, or the values are no integers. */
    int (*narrow)(const struct codec_part *part,
                  const double bounds[2],
                  int16_t *to,
                  struct codec_narrow *ret,
                  struct dn_err *err);
};

const struct codec_ops *codec_ops_by_id(unsigned id); /* NULL: unknown */

/* Appends v (any form, all `count` rows, 1..VEC_ROWS_MAX) with the codec of the least size *
 * weight, and tells which. Takes some 100 KiB of scratch per call; reset it when it suits. After an
 * error the bytes from the old b->len on are undefined. */
int codec_encode(const struct vec *v,
                 struct arena *scratch,
                 struct buf *b,
                 unsigned *ret_codec,
                 struct dn_err *err) DN_MUST_CHECK;
/* The dictionary of an earlier vector of a column of strings, which later ones may do with. One
 * that lacks some entries is written once more with them, if that costs less than what others saved
 * by it, or if it lacks fewer each time. One thread. */
struct codec_home {
    uint32_t back;  /* vectors written since */
    uint32_t count; /* entries; 0: there is none */
    uint32_t idle;  /* vectors since it was last of use */
    int64_t credit; /* bytes that it saved, less those of entries written again */
    uint32_t fresh; /* entries that came last */
    struct vstr values[VEC_ROWS_MAX];
    uint32_t hashes[VEC_ROWS_MAX];
    uint16_t slots[2 * VEC_ROWS_MAX]; /* entry + 1; 0: empty */
    struct arena arena;               /* the strings */
};
void codec_home_init(struct codec_home *home, struct mem_owner *owner);
void codec_home_done(struct codec_home *home);
void codec_home_reset(struct codec_home *home); /* vectors before are out of reach */

/* What a writer of many vectors knows of one. */
struct codec_hint {
    const struct codec_kin *kin; /* of its rows, by a guide; NULL: there is none */
    uint32_t guide; /* not 0: this is the vector of a guide, whose column has the id; it gets a
                       dictionary and ret_kin is filled, or ret_kin->count is 0 */
    struct codec_kin *ret_kin; /* borrowed */
    struct codec_home *home; /* of the column, in and out: all its vectors are written with it, one
                                after the other; NULL: each has its own dictionary */
    bool small;              /* the fewest bytes, whatever it takes to read them */
};
/* As codec_encode; with a guide the bytes can be read only where the guide's are at hand, too. */
int codec_encode_hinted(const struct vec *v,
                        const struct codec_hint *hint,
                        struct arena *scratch,
                        struct buf *b,
                        unsigned *ret_codec,
                        struct dn_err *err) DN_MUST_CHECK;
/* As above with a codec named by the caller (tests, benches); DN_NOT_FOUND if it cannot hold the
 * values (nothing is appended then). */
int codec_encode_with(unsigned codec,
                      const struct vec *v,
                      struct arena *scratch,
                      struct buf *b,
                      struct dn_err *err) DN_MUST_CHECK;
/* Tests of frozen bytes: codec_encode never takes a codec whose bytes may vary. Not while others
 * run. */
void codec_avoid_libraries(bool avoid);
/* An encoded vector as the segment's directory knows it; all of it is checked, none trusted. */
struct codec_src {
    unsigned codec;               /* enum codec_id */
    enum type_id type;            /* of the column */
    uint32_t count;               /* rows, 1..VEC_ROWS_MAX */
    const uint8_t *p;             /* the bytes, borrowed */
    size_t n;                     /* how many */
    const struct codec_kin *kin;  /* of the rows, borrowed: codec_guide tells if it is needed */
    const struct codec_src *home; /* borrowed: codec_back tells if it is needed */
};

/* The column whose vector of the same rows is needed to decode: its id; 0: none. Bytes that are
 * broken have none either. */
uint32_t codec_guide(const struct codec_src *src);
/* How many vectors back in the column is the one that is needed to decode, as struct
 * codec_src.home; 0: none. Bytes that are broken need none either. */
uint32_t codec_back(const struct codec_src *src);
/* May vectors of the codec guide others? They decode to DICT then, and their codes are what
 * codec_kin_from_codes takes. */
bool codec_may_guide(unsigned codec);
/* From the codes of the guide's rows, all below VEC_ROWS_MAX. */
void codec_kin_from_codes(const uint16_t *codes,
                          uint32_t count,
                          uint32_t guide,
                          struct codec_kin *ret);
/* The same where the rows of each series follow each other: starts[0 .. n) are their first rows,
 * ascending, the first of them 0. */
void codec_kin_from_starts(
    const uint16_t *starts, uint32_t n, uint32_t count, uint32_t guide, struct codec_kin *ret);
/* Who is kin to whom, from the guide's vector, whose column has the id. */
int codec_kin_of_guide(const struct codec_src *guide,
                       uint32_t id,
                       struct codec_kin *ret,
                       struct dn_err *err) DN_MUST_CHECK;

/* The other way. The vector borrows from the arena and from src->p. Forms: CONSTANT gives CONST
 * (DICT of one entry if some rows are NULL), DICT gives DICT, RLE gives DICT for strings and FLAT
 * for the rest, LZ4 and ZSTD what is in them gives, others FLAT. */
int codec_decode(const struct codec_src *src,
                 struct arena *arena,
                 struct vec *ret,
                 struct dn_err *err) DN_MUST_CHECK;
/* One row's value, NULL if it is NULL or absent. Reads only what it needs where the codec allows
 * (all but LZ4, ZSTD and FRONT): some ten nanoseconds, up to a hundred for running sums; else it
 * decodes into scratch. Checks what it reads: a flaw elsewhere in the vector may go unseen. Strings
 * are borrowed from src->p or scratch. */
int codec_get(const struct codec_src *src,
              uint32_t row,
              struct arena *scratch,
              struct datum *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* Does codec_get take less time than a decoder, for a few rows of a vector? */
bool codec_may_get(unsigned codec);
/* Sums and bounds of ranges of rows, ret[i] those of range i; not for strings. Without decoding.
 * DN_NOT_FOUND: the codec cannot do it, or rows have no value. */
int codec_agg_packed(const struct codec_src *src,
                     const struct codec_ask *ask,
                     struct codec_agg *ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* The same in any case: rows without a value are left out, and what must be decoded is, into
 * scratch. */
int codec_agg(const struct codec_src *src,
              const struct codec_ask *ask,
              struct arena *scratch,
              struct codec_agg *ret,
              struct dn_err *err) DN_MUST_CHECK;
