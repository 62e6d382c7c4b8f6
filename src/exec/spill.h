/* SPDX-License-Identifier: Apache-2.0
 *
 * spill.h: rows that do not fit in memory, put aside in the volume's scratch area as batches of
 * typed columns. Sort, Aggregate and whoever else outgrows the memory of a statement stand on it.
 *
 *     open -> write | scatter … -> seal -> readers … -> close
 *
 * A spill has parts (the runs of a sort, the partitions of a hash table), each a sequence of rows
 * that comes back in the order in which it was written. All parts share one scratch file, which has
 * no name: it is gone with close, and with the process. Rows gather in a buffer per part until a
 * block is full; a block has a checksum, and a block that does not pass is DN_E_CORRUPT.
 *
 * Memory: a part holds one block while it is written and none once it is sealed; a reader holds
 * exec_spill_reader_bytes. All of it is charged to the owner given.
 *
 * Errors besides: DN_E_IO, DN_E_NOSPC (the scratch area is full; nothing but the statement is
 * lost), DN_E_NOMEM. After an error only close is called.
 *
 * One thread at a time; once sealed, and while nothing is added, each reader may have its own. */
#pragma once

#include "base/bytes.h"
#include "base/cancel.h"
#include "base/err.h"
#include "vec/vec.h"
#include "volume/volume.h"

#define EXEC_SPILL_PARTS_MAX 64u /* that exec_spill_scatter can tell apart */

struct exec_spill_options {
    struct volume *volume;
    struct mem_owner *owner;
    const enum type_id *types; /* copied */
    uint32_t cols_count;
    uint32_t parts_count;      /* to start with; exec_spill_add makes more */
    uint32_t block_bytes;      /* about so large are reads and writes */
    uint32_t batch_rows;       /* rows that a reader returns at most, 1..VEC_ROWS_MAX */
    bool by_hand;              /* blocks end where exec_spill_cut says, whatever their size */
    const atomic_bool *cancel; /* NULL: never; ends what writes (base/cancel.h): DN_E_CANCELED */
};

struct exec_spill_block {
    uint64_t offset;
    uint32_t len; /* bytes, its head included */
};

struct exec_spill_part {
    struct buf pending;              /* the block being filled */
    struct exec_spill_block *blocks; /* owned */
    uint32_t blocks_count;
    uint32_t blocks_cap;
    uint64_t rows;
};

struct exec_spill {
    struct volume_scratch *file; /* owned; NULL: not open */
    struct mem_owner *owner;     /* borrowed */
    const atomic_bool *cancel;   /* borrowed; NULL: never */
    enum type_id *types;         /* owned */
    uint32_t cols_count;
    uint32_t fixed_bytes; /* of a row, without the bytes of strings */
    bool strings;         /* some column has them */
    uint32_t block_bytes;
    uint32_t block_largest; /* of those in the file */
    uint32_t batch_rows;
    bool by_hand;
    struct exec_spill_part *parts; /* owned */
    uint32_t parts_count;
    uint32_t parts_cap;
    uint64_t rows;
    uint64_t bytes; /* in the scratch file */
};

/* close is right after a failed open, and on zeroed memory; after the readers. */
int exec_spill_open(struct exec_spill *s,
                    const struct exec_spill_options *options,
                    struct dn_err *err) DN_MUST_CHECK;
void exec_spill_close(struct exec_spill *s);
static inline bool exec_spill_is_open(const struct exec_spill *s)
{
    return s->file != NULL;
}

/* One more part, empty. */
int exec_spill_add(struct exec_spill *s, uint32_t *ret_part, struct dn_err *err) DN_MUST_CHECK;
/* The last part goes, with what is in it; nobody reads it. */
void exec_spill_drop(struct exec_spill *s);
/* The given rows (all when rows is NULL) of cols_count vectors, behind those of the part. */
int exec_spill_write(struct exec_spill *s,
                     uint32_t part,
                     const struct vec *cols,
                     const uint16_t *rows,
                     uint32_t count,
                     struct dn_err *err) DN_MUST_CHECK;
/* The i-th selected row of the batch goes to part part_of[i]; parts_count <= EXEC_SPILL_PARTS_MAX.
 */
int exec_spill_scatter(struct exec_spill *s,
                       const struct batch *in,
                       const uint8_t *part_of,
                       struct dn_err *err) DN_MUST_CHECK;
/* The same with part first + part_of[i] of `count` parts, at most EXEC_SPILL_PARTS_MAX. */
int exec_spill_scatter_from(struct exec_spill *s,
                            uint32_t first,
                            uint32_t count,
                            const struct batch *in,
                            const uint8_t *part_of,
                            struct dn_err *err) DN_MUST_CHECK;
/* by_hand: the rows since the last cut, at most batch_rows of them, become a block. */
int exec_spill_cut(struct exec_spill *s, uint32_t part, struct dn_err *err) DN_MUST_CHECK;
/* What still waits in memory is written. Readers opened from now on see it; what is added later is
 * for readers opened after the next seal. */
int exec_spill_seal(struct exec_spill *s, uint32_t part, struct dn_err *err) DN_MUST_CHECK;
int exec_spill_seal_all(struct exec_spill *s, struct dn_err *err) DN_MUST_CHECK;

struct exec_spill_reader {
    const struct exec_spill *s; /* borrowed */
    uint32_t part;
    uint32_t block;     /* the next one to read */
    struct buf data;    /* the one at hand */
    struct rd rd;       /* what is left of it */
    struct arena arena; /* the arrays of the vectors */
    struct vec *cols;   /* of the batch at hand */
    void **values;      /* batch_rows of each column */
    uint64_t **nulls;   /* the same as bits */
    struct mem_owner *owner;
};

/* About so many bytes a reader holds, as far as what is written tells. */
size_t exec_spill_reader_bytes(const struct exec_spill *s);
/* Of a sealed part, from its start. close is right after a failed open, and on zeroed memory. */
int exec_spill_reader_open(struct exec_spill_reader *r,
                           const struct exec_spill *s,
                           uint32_t part,
                           struct mem_owner *owner,
                           struct dn_err *err) DN_MUST_CHECK;
void exec_spill_reader_close(struct exec_spill_reader *r);
/* The next rows are those of a block, counted from 0 in the part. */
void exec_spill_reader_seek(struct exec_spill_reader *r, uint32_t block);
/* The next 1..batch_rows rows as FLAT vectors without a selection, valid until the next call;
 * DN_EOF at the end. */
int exec_spill_reader_next(struct exec_spill_reader *r,
                           struct batch *ret,
                           struct dn_err *err) DN_MUST_CHECK;
