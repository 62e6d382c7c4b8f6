/* SPDX-License-Identifier: Apache-2.0
 *
 * segment_int.h: the numbers of the format, for src/store/seg_*.c only; docs/format/segment.md says
 * what they mean. Its files:
 *
 *   seg_zone.c        what is known of a vector or block: nulls, least, greatest, sum
 *   seg_array.c       arrays of the footer: any number of values, encoded 1024 at a time
 *   seg_writer.h      a segment being written
 *     seg_writer.c    … its life and size
 *     seg_write.c     … rows in: runs, blocks, groups
 *     seg_col.c       … one column of the block and group being built
 *     seg_finish.c    … footer and trailer
 *   seg_reader.h      an open segment
 *     seg_open.c      … header and trailer, life
 *     seg_footer.c    … footer to flat arrays
 *     seg_footer_col.c  … the part of one column
 *     seg_read.c      … directories, zones, fetching vectors
 *     seg_fetch.h     … the bytes of vectors
 *     seg_packed.c    … looking into vectors without decoding them
 *     seg_series.c    … vectors of series columns, from the run table
 *     seg_verify.c    … proves it against itself
 *
 * Any thread. */
#pragma once

#include "store/segment.h"

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
#define SEG_BOUND_MAX     18u /* … of one of a wide type, which is kept whole */
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
    SEG_FLAG_RUN_GUIDE = 64, /* runs guide some vectors (docs/adr/0023) */
    SEG_FLAGS_KNOWN = 127
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
