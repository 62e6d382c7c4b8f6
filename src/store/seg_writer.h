/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_writer.h: a segment being written. For src/store/seg_*.c only; the order of calls is that of
 * seg_write.c. One thread. */
#pragma once

#include "base/arena.h"
#include "codec/codec.h"
#include "store/seg_zone.h"
#include "store/segment_int.h"

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
    bool key;      /* it is in the key, behind the series */
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
    union {
        union vfixed fixed;
        struct vinterval iv;
        struct vnumeric num;
    } value_fixed;
    struct vstr value_str;
    uint64_t value_null;
    uint64_t value_absent;
    struct buf value_bytes;
    struct buf enc;        /* encoded vectors in the order (block, number) */
    struct seg_wvec *vecs; /* owned */
    uint32_t vecs_count;
    uint32_t vecs_cap;
    struct codec_home *home; /* owned: strings, once they are not constant; or NULL */
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
    bool small;           /* the table wants the fewest bytes */
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
    /* seg_turns.c: rows of many series that take turns, or follow each other in short runs */
    struct seg_wcol *guide; /* tells which rows belong together; NULL: no column does */
    bool guide_runs;        /* the runs tell it */
    bool runs_guided;       /* they have, in some vector of the segment */
    struct codec_kin *kins; /* owned: per vector of the block, once the guide is known; or NULL */
    uint32_t guided;        /* vectors of the block that the guide made shorter */
    uint32_t guide_wait;    /* blocks before the next search for a guide */
    uint32_t guide_step;    /* as many were waited for the last time */
    /* all finished blocks */
    struct colbuf d_group_blocks, d_rows, d_seq_min, d_seq_max;
    struct seg_meta meta; /* grows with the blocks and runs */
    uint32_t groups;
    bool failed; /* an earlier call failed: nothing more can be written */
};

void seg_col_init(struct seg_wcol *c, struct seg_writer *w, uint32_t store_col);
void seg_col_done(struct seg_wcol *c);
/* Those of the footer, in its order. */
#define SEG_COL_ARRAYS 16u
void seg_col_arrays(struct seg_wcol *c, struct colbuf *ret[SEG_COL_ARRAYS]);
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

/* Vector `number` of the block in the buffer. */
struct vec seg_col_vec(const struct seg_wcol *c, uint32_t number, uint32_t rows);

/* Looks for a guide, if it is time to, and writes its column of the block. */
int seg_turns_block(struct seg_writer *w, uint32_t rows, struct dn_err *err) DN_MUST_CHECK;
/* What is known of a vector of the group; the guide of the current block has been written. */
struct codec_hint
seg_turns_hint(const struct seg_writer *w, const struct seg_wcol *c, const struct seg_wvec *place);

int seg_write_footer(struct seg_writer *w, struct dn_err *err) DN_MUST_CHECK;
