/* SPDX-License-Identifier: Apache-2.0
 *
 * segment.h: immutable sorted columnar objects. docs/format/segment.md has the bytes.
 *
 * Vocabulary: rows are numbered 0.. through the segment in physical order. A *run* is the
 * consecutive rows of one series and slab; runs are numbered 0.. and kept in a table of their own:
 * first row, token, slab, time range, and the series columns' values, which are stored there once
 * and nowhere else. A *block* is up to SEG_BLOCK_ROWS rows: either a piece of one run of
 * SEG_LONG_RUN rows or more, so that the zones of its blocks are the run's own, or a number of
 * whole shorter runs. A *vector* is up to 1024 consecutive rows of a block: the unit of decoding,
 * with its own checksum and zone. A *group* is some consecutive blocks whose vectors lie in the
 * object in the order (column, vector number in block, block), so that a time window over many
 * series reads contiguous bytes; one column of a group is one contiguous extent, the unit of I/O
 * and caching.
 *
 * Writing:  seg_writer_new -> seg_writer_add (rows in strictly ascending physical key) … ->
 *           seg_writer_finish gives the whole object's bytes and its seg_meta -> volume_put.
 * Reading:  seg_open reads trailer and footer (untrusted: checked) -> directories below are plain
 *           arrays in memory -> seg_fetch decodes vectors of chosen columns.
 *
 * A struct seg is immutable after open and shared by reference count: any thread. A writer: one. */
#pragma once

#include "catalog/table.h"
#include "store/cache.h"
#include "store/rows.h"
#include "volume/volume.h"

#define SEG_FORMAT       1
#define SEG_BLOCK_ROWS   16384u             /* rows of a block at most: 16 vectors */
#define SEG_LONG_RUN     1024u              /* a run this long has its blocks for itself */
#define SEG_GROUP_BLOCKS 32u                /* blocks of a group at most … */
#define SEG_GROUP_ROWS   131072u            /* … and rows (a single block may not exceed it) */
#define SEG_BYTES_TARGET (8u * 1024 * 1024) /* the shard starts a new segment at this size */
#define SEG_ROWS_TARGET  (1u << 23)         /* … or with so many rows, however small they are */
#define SEG_ROWS_MAX     (1u << 27)         /* rows of a segment at most */

/* What the manifest keeps of a segment, enough to prune without opening it. */
struct seg_meta {
    uint64_t id;
    uint64_t table_id;
    uint32_t table_version; /* definition it was written with */
    uint64_t rows;
    uint64_t bytes;
    uint32_t runs;
    uint32_t blocks;
    uint64_t seq_min;
    uint64_t seq_max;
    int64_t slab_min; /* starts of its earliest and latest slab (0, 0 for tables with one slab) */
    int64_t slab_max;
    int64_t time_min; /* of the time column; INT64_MIN/MAX when the table has none, MAX/MIN when all
                         are NULL */
    int64_t time_max;
    int64_t token_min; /* tables laid out by value: datum_place of the first column of the key */
    int64_t token_max;
    uint64_t rowid_max; /* tables without a key; else 0 */
    bool has_patch;
    bool has_delete;
    bool has_expiry;
    uint8_t level;    /* merges it went through; kept by the manifest only, 0 after seg_open */
    uint64_t applied; /* no row of it is hit by a range tombstone up to this sequence; kept by the
                         manifest only, 0 = nobody knows */
};

/* A zone map: what is known of a column over some rows without decoding. */
struct zone {
    uint32_t rows;   /* rows covered */
    uint32_t nulls;  /* NULL or absent among them */
    uint32_t absent; /* absent among them: such a row may read as the column's default, or as an
                        older value */
    bool has_range;  /* min and max are set: then there is a value. False with nulls < rows: not
                        known */
    bool min_exact;  /* strings: min and max may be cut prefixes (max rounded up) when false */
    bool max_exact;
    bool has_sum; /* integers, doubles: sum is set (no overflow) */
    struct datum min;
    struct datum max;
    struct datum first; /* by position; null if that value is NULL; strings and vectors: not kept
                           (null, type NONE) */
    struct datum last;
    union vfixed sum; /* i64 for integers, f64 for REAL and DOUBLE */
};

/* Run table: arrays of runs_count entries, borrowed from the segment. */
struct seg_runs {
    uint32_t count;
    const uint32_t *first_row; /* count + 1 entries: the last is the row count */
    const int64_t *token;
    const int64_t *slab; /* slab start */
    const int64_t
        *time_min; /* NULL when the table has no time column; MAX/MIN for a run of NULL times */
    const int64_t *time_max;
};

struct seg_block {
    uint32_t first_row;
    uint32_t rows;
    uint32_t vectors;   /* ceil(rows / 1024) */
    uint32_t run_first; /* run that holds first_row */
    uint32_t run_count; /* runs that touch the block */
    uint32_t group;
    uint64_t seq_min;
    uint64_t seq_max;
};

struct seg_writer;

struct seg_writer *seg_writer_new(struct mem_owner *owner,
                                  const struct table *t,
                                  uint64_t id); /* NULL: out of memory */
void seg_writer_free(struct seg_writer *w);     /* NULL is fine */
/* cols: store_cols_count vectors of equal count (any form), rows already sorted, no key twice. */
int seg_writer_add(struct seg_writer *w, const struct vec *cols, uint32_t count, struct dn_err *err)
    DN_MUST_CHECK;
uint64_t seg_writer_rows(const struct seg_writer *w);
size_t seg_writer_bytes(const struct seg_writer *w); /* estimate of the object so far */
/* Time to finish it: SEG_BYTES_TARGET, SEG_ROWS_TARGET or as many runs as are good for a reader.
 * Ask between batches. */
bool seg_writer_full(const struct seg_writer *w);
/* At least one row. Appends the object's bytes to ret. */
int seg_writer_finish(struct seg_writer *w,
                      struct buf *ret,
                      struct seg_meta *ret_meta,
                      struct dn_err *err) DN_MUST_CHECK;

/* Name of the object: "seg/<table id>/<segment id>", ids as 16 hex digits. */
void seg_name(uint64_t table_id, uint64_t id, char ret[VOLUME_NAME_MAX + 1]);

struct seg;

/* t: the table's current definition; columns the segment lacks read as their default (or NULL). The
 * cache may be NULL; its keys are segment ids, which must be unique in the volume. */
int seg_open(struct volume *v,
             struct cache *cache,
             const struct table *t,
             uint64_t table_id,
             uint64_t id,
             struct seg **ret,
             struct dn_err *err) DN_MUST_CHECK;
struct seg *seg_ref(struct seg *s);
void seg_unref(struct seg *s);
const struct seg_meta *seg_get_meta(const struct seg *s);
const struct seg_runs *seg_get_runs(const struct seg *s);
const struct seg_block *seg_get_blocks(const struct seg *s, uint32_t *ret_count);
/* Series column values of a run, in the order of table->series. */
struct datum seg_run_value(const struct seg *s, uint32_t run, uint32_t series_index);
/* First run r in [from, to) with (token, series) >= the given; to if none. All runs of the range
 * must be of one slab. */
uint32_t seg_run_find(
    const struct seg *s, uint32_t from, uint32_t to, int64_t token, const struct datum *series);
/* Run that holds a row of the block. */
uint32_t seg_run_of(const struct seg_runs *runs, const struct seg_block *b, uint32_t row);
/* Block that holds a row. */
uint32_t seg_block_of(const struct seg *s, uint32_t row);

/* Zone of a store column over a block or over one of its vectors. False: nothing is known (column
 * absent from this segment, or a series column: use the run table). */
bool seg_block_zone(const struct seg *s, uint32_t block, uint32_t store_col, struct zone *ret);
bool seg_vector_zone(
    const struct seg *s, uint32_t block, uint32_t vector, uint32_t store_col, struct zone *ret);

/* Bounds of the values of a column of the key (append tables: of the row id) over the whole
 * segment: none is below the least or above the greatest, which need not occur. False: not known.
 * Borrowed from the segment. */
bool seg_key_bounds(const struct seg *s,
                    uint32_t store_col,
                    struct datum *ret_min,
                    struct datum *ret_max);

/* Cache entries that decoded vectors borrow from. Release when done with the vectors. */
struct seg_pins {
    struct cache *cache;
    struct cache_entry **entries; /* owned array */
    uint32_t count;
    uint32_t cap;
    uint64_t read_bytes; /* from the volume, by the fetches that used these pins */
    /* who is kin to whom in the rows fetched last: columns may be asked for one by one */
    struct codec_kin *kin; /* owned; NULL: none so far */
    uint64_t kin_segment;
    uint32_t kin_block;
    uint32_t kin_vector;
    /* codes of a decoded vector that may guide others of its rows */
    const uint16_t *codes; /* in the arena of the fetch, until the pins are released; NULL: none */
    uint32_t codes_col;    /* id of its column */
    uint64_t codes_segment;
    uint32_t codes_block;
    uint32_t codes_vector;
};
void seg_pins_init(struct seg_pins *p);
void seg_pins_release(struct seg_pins *p); /* keeps the array */
void seg_pins_done(struct seg_pins *p);

/* Which values to fetch. */
struct seg_select {
    uint32_t block;
    uint32_t vector;      /* in the block */
    const uint32_t *cols; /* store columns, borrowed */
    uint32_t cols_count;
    bool lone; /* hardly any other vector of the group will be asked for: what is not in memory is
                  not read with all of its extent, at first */
};

/* Decodes one vector of each chosen column into ret[0..cols_count). Series columns come as CONST or
 * DICT vectors (one entry per run, so entries may be equal). Memory: arena, pinned cache entries,
 * and the segment itself. pins may be NULL if the segment was opened without a cache. */
int seg_fetch(struct seg *s,
              const struct seg_select *select,
              struct arena *arena,
              struct seg_pins *pins,
              struct vec *ret,
              struct dn_err *err) DN_MUST_CHECK;

/* A few rows of a vector. */
#define SEG_FEW_ROWS 4u
struct seg_few {
    const uint16_t *rows; /* of the vector, borrowed */
    uint32_t count;       /* 1..SEG_FEW_ROWS */
    struct vec *vecs;     /* out, per chosen column where it is known: FLAT, the values of the rows
                             in the arena */
    bool *known;          /* out, per chosen column */
};
/* The values of a few rows of a vector for those of the chosen columns where they are read for less
 * than it takes to decode the vector. Memory as for seg_fetch. */
int seg_fetch_few(struct seg *s,
                  const struct seg_select *select,
                  const struct seg_few *few,
                  struct arena *arena,
                  struct seg_pins *pins,
                  struct dn_err *err) DN_MUST_CHECK;

/* The dictionary that a vector is written with, where all rows of it have a value: its number, as
 * vec.dict_id has it once the vector is decoded. The column is the only one of those chosen. 0:
 * there is none, or it is not known. Memory as for seg_fetch. */
int seg_dict(struct seg *s,
             const struct seg_select *select,
             struct arena *arena,
             struct seg_pins *pins,
             uint64_t *ret,
             struct dn_err *err) DN_MUST_CHECK;

struct codec_narrow;
/* The vector of the one column chosen as codec_decode_narrow has it. DN_NOT_FOUND: it is stored in
 * another way. Memory as for seg_fetch. */
int seg_narrow(struct seg *s,
               const struct seg_select *select,
               const double bounds[2],
               struct arena *arena,
               struct seg_pins *pins,
               struct codec_narrow *ret,
               struct dn_err *err) DN_MUST_CHECK;

struct codec_ask;
struct codec_agg;
struct seg_aggs {
    bool *known;           /* per chosen column */
    struct codec_agg *all; /* of column i and range k: [i * ask->count + k] */
};
/* Sums and bounds of ranges of the rows of a vector (codec.h), for each of the chosen columns,
 * which are of fixed width, where they are to be had without decoding. Memory as for seg_fetch;
 * *ret points to the caller's. */
int seg_agg(struct seg *s,
            const struct seg_select *select,
            const struct codec_ask *ask,
            struct arena *arena,
            struct seg_pins *pins,
            const struct seg_aggs *ret,
            struct dn_err *err) DN_MUST_CHECK;

/* Reads everything, verifies every checksum and invariant (order of keys, run table, zones against
 * the values, counts against meta). The first fault is the error; its text names object, place and
 * what is wrong. */
int seg_verify(struct seg *s, struct dn_err *err) DN_MUST_CHECK;
