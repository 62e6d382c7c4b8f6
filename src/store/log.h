/* SPDX-License-Identifier: Apache-2.0
 *
 * log.h: the bytes of the log. docs/format/log.md has the offsets. One append to a log chunk is one
 * frame with one checksum, so an append is there whole or not at all:
 *
 *     frame   = head, commits
 *     commit  = sequence, batches: one table's rows each
 *
 * The head says how many bytes of the chunk were known to be durable when the frame was written.
 * That tells a torn tail from damage: a bad frame may be dropped only if no good frame behind it
 * knew it to be durable. A frame without commits, a mark, says nothing else (docs/adr/0013).
 *
 * Building: log_batch for each batch (any time), then log_frame_begin, log_frame_commit …,
 * log_frame_end. Reading:  log_reader_next gives frames; log_commit_next / log_batch_next walk
 * inside.
 *
 * One thread at a time. */
#pragma once

#include "catalog/table.h"
#include "store/range.h"
#include "store/rows.h"

#define LOG_FORMAT     4 /* of a frame with rows that expire; log_frame_version has the others */
#define LOG_FRAME_HEAD 48u
#define LOG_ROWS_MAX   (64u * 1024 * 1024) /* of a batch */

/* A batch as decoded: columns by permanent id, borrowed from the frame's bytes and the arena. */
struct log_batch {
    uint64_t table_id;
    uint32_t table_version;
    enum row_op op;
    uint64_t rowid_base; /* first row id, tables without a key */
    const int64_t
        *rowids; /* of rows that exist already, arena; NULL = new rows from rowid_base on */
    const int64_t *expiries; /* of the rows (ROW_NEVER: none), arena; NULL = none expires */
    uint32_t rows;
    uint32_t cols_count;
    uint32_t *col_ids; /* arena */
    struct vec *cols;  /* arena: FLAT, rows long */
    struct rd range;   /* ROW_RANGE: its bytes, for range_parse; there are no rows and columns */
    struct rd catalog; /* ROW_CATALOG: its bytes, for catalog_parse; as above */
};

/* Encodes rows; rowid_base is filled in later by log_frame_commit. rowids: of rows of append tables
 * that exist already, NULL for new rows. */
void log_encode_batch(const struct table *t,
                      const struct vec *cols,
                      const int64_t *rowids,
                      uint32_t rows,
                      enum row_op op,
                      struct buf *b);

/* Adds to the batch of ROW_PUT that begins at `batch` in b, and is the last there, when its rows
 * expire: each of them, or (NULL) all at once. */
void log_encode_expiry(
    struct buf *b, size_t batch, const int64_t *expiries, int64_t expiry_ns, uint32_t rows);

/* A range tombstone; it takes the sequence of its commit. */
void log_encode_range(const struct table *t, const struct range *r, struct buf *b);

/* A catalog, as catalog_print gives it. */
void log_encode_catalog(const struct buf *json, struct buf *b);

void log_frame_begin(struct buf *b, size_t *ret_frame);
/* One commit: its batches' bytes one after another; rowid_bases has one entry per batch. */
void log_frame_commit(struct buf *b,
                      uint64_t seq,
                      const struct buf *batches,
                      const uint64_t *rowid_bases,
                      uint32_t count);
void log_frame_end(
    struct buf *b, size_t frame, uint64_t epoch, uint64_t seq_first, uint64_t durable);

struct log_reader {
    const uint8_t *data; /* whole chunk, borrowed */
    size_t len;
    size_t next;      /* offset of the next frame */
    bool sealed;      /* every byte must be good */
    const char *name; /* for messages, borrowed */
    bool torn;        /* set at DN_EOF: the rest was a torn append */
};

struct log_frame {
    uint64_t epoch;
    uint64_t seq_first;
    uint16_t version;
    size_t offset; /* in the chunk */
    struct rd commits;
};

struct log_commit {
    uint64_t seq;
    uint32_t batches_left;
};

void log_reader_init(
    struct log_reader *r, const char *name, const void *data, size_t len, bool sealed);
/* DN_EOF at the end (or torn tail); DN_E_CORRUPT names chunk and offset. */
int log_reader_next(struct log_reader *r, struct log_frame *ret, struct dn_err *err) DN_MUST_CHECK;
/* DN_EOF after the last. All batches of a commit must be read before the next. */
int log_commit_next(struct log_frame *f, struct log_commit *ret, struct dn_err *err) DN_MUST_CHECK;
int log_batch_next(struct log_frame *f,
                   struct log_commit *c,
                   struct arena *arena,
                   struct log_batch *ret,
                   struct dn_err *err) DN_MUST_CHECK;
