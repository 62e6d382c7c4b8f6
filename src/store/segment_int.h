/* SPDX-License-Identifier: Apache-2.0
 *
 * segment_int.h: what the files of the segment share; for src/store/seg_*.c only. The bytes are
 * described in docs/format/segment.md; the constants below are its numbers.
 *
 *   seg_zone.c    what is known of a vector or block: nulls, least, greatest, sum
 *   seg_array.c   arrays of the footer: any number of values, encoded 1024 at a time
 *   seg_col.c     writer: one column of the block and group being built
 *   seg_write.c   writer: runs, blocks, groups
 *   seg_finish.c  writer: footer and trailer
 *   seg_open.c    reader: trailer and header, life of a struct seg
 *   seg_footer.c  reader: footer to flat arrays
 *   seg_footer_col.c  … the part of one column
 *   seg_read.c    reader: directories, zones, fetching vectors
 *   seg_verify.c  reader: the whole truth of one segment */
#pragma once

#include "base/arena.h"
#include "store/segment.h"

#include <stdatomic.h>

#define SEG_MAGIC_SIZE    8u
#define SEG_HEADER_MAGIC  "DNSEGHDR"
#define SEG_TRAILER_MAGIC "DNSEGEND"
#define SEG_HEADER_SIZE   40u
#define SEG_TRAILER_SIZE  48u
#define SEG_META_SIZE     104u   /* fixed part of the footer */
#define SEG_DIR_SIZE      8u     /* one entry of the column directory */
#define SEG_TAIL_READ     65536u /* bytes read from the end at once: most footers fit */

#define SEG_VECTOR_ROWS   1024u
#define SEG_BLOCK_VECTORS (SEG_BLOCK_ROWS / SEG_VECTOR_ROWS)
#define SEG_PREFIX_MAX    16u /* bytes kept of a string's least and greatest value */
#define SEG_COLUMNS_MAX   (TABLE_COLUMNS_MAX + HIDDEN_MAX)
/* Cells of the run table: runs * (SEG_RUN_ARRAYS + series columns). Bounds what a reader allocates.
 */
#define SEG_RUN_ARRAYS    5u
#define SEG_RUN_CELLS_MAX (1u << 25)

_Static_assert(SEG_VECTOR_ROWS == VEC_ROWS_MAX, "a stored vector is a vector");
_Static_assert(SEG_BLOCK_ROWS % SEG_VECTOR_ROWS == 0, "a full block is whole vectors");
_Static_assert(SEG_LONG_RUN <= SEG_BLOCK_ROWS, "a long run is found inside the block it began in");
_Static_assert(SEG_GROUP_ROWS >= SEG_BLOCK_ROWS, "a group holds a block");

/* Flags of the footer's fixed part. */
enum seg_flag {
    SEG_FLAG_PATCH = 1,      /* some row is ROW_PATCH */
    SEG_FLAG_DELETE = 2,     /* some row is ROW_DELETE */
    SEG_FLAG_EXPIRY = 4,     /* some row expires */
    SEG_FLAG_TIME = 8,       /* the table has a time column: runs have a time range */
    SEG_FLAG_TIME_DESC = 16, /* slabs run backwards */
    SEG_FLAG_ROWID = 32,     /* no key: rows are told apart by the row id */
    SEG_FLAGS_KNOWN = 63
};

/* Flags of a column directory entry. */
enum seg_col_flag {
    SEG_COL_SERIES = 1, /* values are in the run table; pos is its place in the series */
    SEG_COL_REST = 2,   /* part of the local key after the series; pos is its place there */
    SEG_COL_DESC = 4,   /* with SEG_COL_REST: descending */
    SEG_COL_KNOWN = 7
};

/* How one column of one group is stored. */
enum seg_kind {
    SEG_KIND_VECTORS = 0, /* an extent of vectors in the data area */
    SEG_KIND_CONST = 1,   /* all rows alike: one value in the footer */
    SEG_KIND_MAX
};

/* ---- zones ---- */

__extension__ typedef __int128 seg_i128;

/* Zone of a vector or block while it is computed. */
struct seg_zone {
    enum type_id type;
    uint32_t rows;
    uint32_t nulls;   /* NULL or absent */
    uint32_t absent;  /* of these, absent */
    bool has_range;   /* at least one value */
    bool constant;    /* every row has the same bits, or all are NULL, or all absent */
    union vfixed min; /* fixed-width types */
    union vfixed max;
    struct vstr str_min; /* strings, whole; borrowed from the vector */
    struct vstr str_max;
    seg_i128 isum; /* integers: exact */
    double fsum;   /* REAL, DOUBLE */
};

/* A string bound as it is stored. */
struct seg_bound {
    uint8_t bytes[SEG_PREFIX_MAX];
    uint8_t len;
    bool exact; /* the value itself; else a prefix of the least, or above the greatest */
};

/* v: FLAT, absent rows have their null bit set too. */
void seg_zone_vec(const struct vec *v, struct seg_zone *ret);
/* b follows a. */
void seg_zone_merge(struct seg_zone *a, const struct seg_zone *b);
/* False: the type has no sum, it does not fit, or is not finite. */
bool seg_zone_sum(const struct seg_zone *z, union vfixed *ret);
struct datum seg_zone_min(const struct seg_zone *z); /* null if there is no value */
struct datum seg_zone_max(const struct seg_zone *z);
void seg_bound_min(struct vstr s, struct seg_bound *ret);
/* False: no short string is greater (16 bytes of 0xff). */
bool seg_bound_max(struct vstr s, struct seg_bound *ret);
/* Type in which sums of a column are kept; TYPE_NONE: it has none. */
enum type_id seg_sum_type(enum type_id type);
/* All bits alike? Strings compare as bytes. */
bool seg_same_value(enum type_id type, const void *a, const void *b);

/* ---- arrays of the footer ---- */

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

/* ---- writer ---- */

/* One encoded vector of the group being built. */
struct seg_wvec {
    size_t at; /* in enc */
    uint32_t len;
    uint32_t checksum;
    unsigned codec;
    uint32_t block;       /* in the group */
    uint32_t number;      /* in the block */
    struct seg_zone zone; /* string bounds are not kept */
};

/* Block zone of the group being built, free of borrowed memory. */
struct seg_wblock {
    struct seg_zone zone; /* str_min and str_max unset */
    struct seg_bound min; /* strings */
    struct seg_bound max;
    bool bounded;       /* strings: min and max are set */
    struct datum first; /* fixed-width types */
    struct datum last;
};

struct seg_wcol {
    uint32_t store_col;
    uint32_t id;
    enum type_id type;
    uint32_t size; /* bytes of a value in data */
    /* the block being filled: writer->block_rows rows */
    uint8_t *data;    /* owned */
    uint64_t *nulls;  /* owned; bits beyond the rows are 0 */
    uint64_t *absent; /* owned */
    bool has_nulls;   /* some bit is set */
    bool has_absent;
    struct arena
        strings[2]; /* bytes of the strings; they change roles when rows are carried over */
    unsigned strings_now;
    /* the group being built */
    bool constant;    /* so far all rows are alike: nothing is encoded yet */
    struct vec value; /* then: one row, memory below */
    union vfixed value_fixed;
    struct vstr value_str;
    uint64_t value_null;
    uint64_t value_absent;
    struct buf value_bytes;
    struct buf enc;        /* encoded vectors in the order (block, number) */
    struct seg_wvec *vecs; /* owned */
    uint32_t vecs_count;
    uint32_t vecs_cap;
    struct seg_wblock blocks[SEG_GROUP_BLOCKS];
    /* the footer so far */
    struct buf kinds;    /* one byte per group */
    struct buf consts;   /* values of constant groups */
    struct arena bounds; /* bytes of string bounds */
    struct colbuf b_nulls, b_absent, b_min, b_max, b_exact, b_first, b_last, b_sum;
    struct colbuf v_codec, v_len, v_checksum, v_nulls, v_absent, v_min, v_max, v_sum;
};

struct seg_writer {
    struct mem_owner *owner; /* borrowed */
    struct table *table;     /* shared, refcounted */
    uint64_t id;
    struct buf out;       /* the object so far: header and finished groups */
    struct arena scratch; /* of one vector being encoded */

    struct seg_wcol *cols; /* owned: all columns that are not in the series */
    uint32_t cols_count;
    uint32_t rows_cap; /* rows the columns' block buffers hold */
    uint32_t row_size; /* bytes of a row in memory, for the estimate */

    /* runs */
    struct colbuf run_first, run_token, run_slab, run_time_min, run_time_max;
    struct colbuf *run_series; /* owned, series_count of them */
    struct arena run_strings;
    struct buf prefix; /* key prefix of the current run */
    struct buf prefix_next;
    struct buf token_scratch;
    int64_t slab_from; /* times of the current run's slab: [slab_from, slab_to] */
    int64_t slab_to;
    uint64_t rows;     /* all rows so far */
    uint64_t run_rows; /* rows of the current run so far; 0 = there is none */
    int64_t run_tmin;  /* time range of the current run so far */
    int64_t run_tmax;
#ifdef DN_DEBUG
    struct buf rest; /* key of the last row after its prefix: proves the order */
    struct buf rest_next;
#endif

    /* the batch being added: rows [batch_from, batch_to) belong to the block but are not copied */
    const struct vec *batch;
    uint32_t batch_from;
    uint32_t batch_to;
    /* the block being filled */
    uint32_t block_rows; /* rows, those of the batch included */
    uint32_t run_start;  /* row where the current run begins; 0 also when it began earlier */
    /* the group being built */
    uint32_t group_blocks;
    uint32_t group_rows;
    uint32_t group_block_rows[SEG_GROUP_BLOCKS];
    /* all finished blocks */
    struct colbuf d_group_blocks, d_rows, d_seq_min, d_seq_max;
    struct seg_meta meta; /* grows with the blocks and runs */
    uint32_t groups;
    bool failed; /* an earlier call failed: nothing more can be written */
};

void seg_col_init(struct seg_wcol *c, struct seg_writer *w, uint32_t store_col);
void seg_col_done(struct seg_wcol *c);
bool seg_col_reserve(struct seg_wcol *c,
                     struct mem_owner *owner,
                     uint32_t rows_cap,
                     uint32_t new_cap) DN_MUST_CHECK;
/* Puts rows [from, from + n) of v at row `at` of the block. */
bool seg_col_append(struct seg_wcol *c, const struct vec *v, uint32_t from, uint32_t n, uint32_t at)
    DN_MUST_CHECK;
/* The first `rows` rows of the buffer become a block of the group. */
int seg_col_block(struct seg_writer *w, struct seg_wcol *c, uint32_t rows, struct dn_err *err)
    DN_MUST_CHECK;
/* Moves rows [from, rows) to the front; they begin the next block. */
bool seg_col_carry(struct seg_wcol *c, uint32_t from, uint32_t rows) DN_MUST_CHECK;
/* The group is complete: its bytes go to the object, its zones to the footer. */
int seg_col_group(struct seg_writer *w, struct seg_wcol *c, struct dn_err *err) DN_MUST_CHECK;

int seg_write_footer(struct seg_writer *w, struct dn_err *err) DN_MUST_CHECK;

/* ---- reader ---- */

/* A column of the directory that is not in the series. Arrays over the vectors (or blocks) of its
 * groups of kind VECTORS, in the order (group, block, number). */
struct seg_rcol {
    uint32_t id;
    enum type_id type;
    const uint8_t *kinds;  /* per group */
    struct vec *consts;    /* per group; kind CONST: one row, form CONST */
    uint32_t *vec_first;   /* per group: its first vector in the arrays */
    uint32_t *block_first; /* per group: its first block in the arrays */
    uint32_t *extent_at;   /* per group: offset in the object */
    uint32_t *extent_len;  /* per group: bytes */
    uint32_t vecs_count;
    uint32_t blocks_count;
    /* vectors */
    uint32_t *at; /* offset in the object */
    uint32_t *len;
    uint32_t *checksum;
    uint8_t *codec;
    uint32_t *nulls;
    uint32_t *absent;
    union vfixed *min; /* fixed-width types; NULL otherwise */
    union vfixed *max;
    uint8_t *no_range; /* 1 = no value */
    union vfixed *sum; /* numbers; NULL otherwise */
    uint8_t *no_sum;
    /* blocks */
    uint32_t *b_nulls;
    uint32_t *b_absent;
    union vfixed *b_min;
    union vfixed *b_max;
    uint8_t *b_no_range;
    union vfixed *b_first;
    uint8_t *b_first_null;
    union vfixed *b_last;
    uint8_t *b_last_null;
    union vfixed *b_sum;
    uint8_t *b_no_sum;
    struct vstr *b_str_min; /* strings */
    struct vstr *b_str_max;
    uint8_t *b_exact; /* bit 0 min, bit 1 max */
};

struct seg_group {
    uint32_t block_first;
    uint32_t block_count;
    uint32_t vecs; /* vectors of one column */
    uint32_t at;   /* offset in the object of its first extent */
    uint32_t len;  /* bytes of all its extents */
};

struct seg {
    atomic_uint refs;
    struct volume *volume;   /* borrowed: outlives all segments */
    struct cache *cache;     /* borrowed, may be NULL */
    struct mem_owner *owner; /* the cache's, or NULL */
    size_t charged;          /* bytes charged to the cache */
    struct table *table;     /* shared, refcounted */
    char name[VOLUME_NAME_MAX + 1];
    struct seg_meta meta;
    uint32_t flags;     /* enum seg_flag */
    struct arena arena; /* all arrays */
    uint8_t *footer;    /* owned; strings point into it */
    uint64_t footer_at; /* its offset in the object */
    uint64_t footer_len;

    struct seg_rcol *cols; /* in directory order, series columns left out */
    uint32_t cols_count;
    int32_t *col_of; /* per store column: index into cols, SEG_COL_IS_SERIES or SEG_COL_MISSING */
    struct seg_block *blocks;
    uint32_t *block_vec; /* per block: its first vector, counted over all blocks */
    uint32_t blocks_count;
    struct seg_group *groups;
    uint32_t groups_count;
    struct seg_runs runs;
    struct vec **run_series; /* [series index][run / 1024] */
    uint16_t *series_of;     /* per table column: place in the series; valid for series columns */
};

#define SEG_COL_IS_SERIES (-1)
#define SEG_COL_MISSING   (-2)

int seg_parse_footer(struct seg *s, struct dn_err *err) DN_MUST_CHECK;
/* Memory that stays with the segment, counted for the cache. NULL: out of memory. */
void *seg_keep(struct seg *s, size_t count, size_t size) DN_MUST_CHECK;
int seg_get_column_part(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
    DN_MUST_CHECK;
/* Offsets of all vectors, from their lengths. */
int seg_place_vectors(struct seg *s, struct dn_err *err) DN_MUST_CHECK;
/* Checks of the fixed parts; bytes are untrusted. The trailer tells where the footer is. */
int seg_check_header(const struct seg *s,
                     const uint8_t *p,
                     uint32_t *ret_table_version,
                     struct dn_err *err) DN_MUST_CHECK;
struct seg_trailer {
    uint64_t footer_at;
    uint64_t footer_len;
    uint64_t checksum;
};
int seg_check_trailer(const struct seg *s,
                      const uint8_t *p,
                      uint64_t size,
                      struct seg_trailer *ret,
                      struct dn_err *err) DN_MUST_CHECK;

/* One stored vector. */
struct seg_vecref {
    const struct seg_rcol *col;
    uint32_t index; /* into the column's arrays */
    uint32_t rows;
};

uint32_t seg_vec_rows(const struct seg *s, uint32_t block, uint32_t vector);
/* The block's group must be of kind VECTORS for the column. */
struct seg_vecref
seg_vec_of(const struct seg *s, const struct seg_rcol *c, uint32_t block, uint32_t vector);
/* p: the vector's bytes as read. */
int seg_vec_check(const struct seg *s,
                  const struct seg_vecref *v,
                  const uint8_t *p,
                  struct dn_err *err) DN_MUST_CHECK;
int seg_vec_decode(const struct seg *s,
                   const struct seg_vecref *v,
                   const uint8_t *p,
                   struct arena *arena,
                   struct vec *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* The rows of one vector. */
struct seg_rows {
    uint32_t block;
    uint32_t vector; /* in the block */
    uint32_t first;  /* row of the segment */
    uint32_t count;
};
struct seg_rows seg_rows_of(const struct seg *s, uint32_t block, uint32_t vector);
/* Values of a series column over these rows, CONST or DICT. 0 or DN_E_NOMEM. */
int seg_series_vec(const struct seg *s,
                   const struct seg_rows *rows,
                   uint32_t series_index,
                   struct arena *arena,
                   struct vec *ret) DN_MUST_CHECK;
