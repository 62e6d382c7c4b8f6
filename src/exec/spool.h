/* SPDX-License-Identifier: Apache-2.0
 *
 * spool.h: rows in the order in which they came, read again from anywhere: the rows of a CTE, of a
 * round of a recursion, of the partition of a window. They lie in chunks of VEC_ROWS_MAX rows in
 * memory; when they outgrow the share given, full chunks go to the volume's scratch area (spill.h),
 * the oldest first, and cursors bring them back one at a time.
 *
 *     init -> add … and cursors: open -> seek -> … -> close -> done
 *
 * A cursor holds one chunk: that of the row it was last sent to. What it shows stays valid until it
 * is sent to another row or closed, whatever is added meanwhile. Cursors at the same chunk share
 * it.
 *
 * Errors: DN_E_NOMEM; DN_E_IO, DN_E_NOSPC, DN_E_CORRUPT of the scratch area; DN_E_TOO_COMPLEX: more
 * than 2^32 rows. After an error only close and done are called.
 *
 * One thread at a time. */
#pragma once

#include "exec/rows.h"
#include "exec/spill.h"

struct exec_spool_options {
    const enum type_id *types; /* copied */
    uint32_t cols_count;
    struct mem_owner *owner;
    struct volume *volume;     /* NULL: all stays in memory */
    size_t share;              /* bytes; 0: all stays in memory */
    const atomic_bool *cancel; /* NULL: never; ends what is put aside */
    bool stable;               /* cursors look at the last chunk while it grows */
};

/* In memory: as it was made, or read back. */
struct exec_spool_chunk {
    struct colbuf *cols;             /* owned; NULL: read back */
    struct arena strings;            /* of cols */
    struct exec_spill_reader reader; /* read back: has it */
    struct vec *read;                /* of the reader */
    uint32_t pins;                   /* cursors that look at it */
    bool aside;                      /* it is in scratch: it goes with the last of them */
};

struct exec_spool {
    struct exec_spool_options options;
    enum type_id *types;              /* owned */
    uint32_t count;                   /* rows */
    uint32_t chunk_rows;              /* a power of two, VEC_ROWS_MAX at most */
    struct exec_spool_chunk **chunks; /* owned; NULL: in scratch only */
    uint32_t chunks_count;
    uint32_t chunks_cap;
    uint32_t aside;          /* the first so many are in scratch: chunk n is block n */
    struct exec_spill spill; /* open once something is */
    uint64_t spilled;        /* bytes, over all resets */
};

/* done is right after a failed init, and on zeroed memory; after the cursors. */
int exec_spool_init(struct exec_spool *s,
                    const struct exec_spool_options *options,
                    struct dn_err *err) DN_MUST_CHECK;
void exec_spool_done(struct exec_spool *s);
/* No rows; no cursor looks at one. Memory of the first chunk stays. */
void exec_spool_reset(struct exec_spool *s);
/* Adds the given rows (all when sel is NULL) of cols_count vectors. */
int exec_spool_add(struct exec_spool *s,
                   const struct vec *cols,
                   const uint16_t *sel,
                   uint32_t count,
                   struct dn_err *err) DN_MUST_CHECK;

struct exec_spool_cursor {
    struct exec_spool *spool;        /* borrowed; NULL: not open */
    struct exec_spool_chunk *pinned; /* the chunk at hand; NULL: none */
    uint32_t first;                  /* its first row */
    uint32_t rows;                   /* of the chunk, as it was looked at */
    struct vec *cols;                /* owned: its columns, FLAT */
};

/* close is right after a failed open, and on zeroed memory. */
int exec_spool_cursor_open(struct exec_spool_cursor *c,
                           struct exec_spool *s,
                           struct dn_err *err) DN_MUST_CHECK;
void exec_spool_cursor_close(struct exec_spool_cursor *c);
/* Before the spool is reset: the cursor looks at nothing. */
void exec_spool_cursor_leave(struct exec_spool_cursor *c);
int exec_spool_bring(struct exec_spool_cursor *c, uint32_t row, struct dn_err *err) DN_MUST_CHECK;

/* Brings the chunk of a row, which must be there. */
static inline int exec_spool_seek(struct exec_spool_cursor *c, uint32_t row, struct dn_err *err)
{
    if (DN_LIKELY(row - c->first < c->rows))
        return 0;
    return exec_spool_bring(c, row, err);
}

/* Of a row of the chunk at hand. */
static inline bool exec_spool_is_null(const struct exec_spool_cursor *c, uint32_t col, uint32_t row)
{
    return vec_bit(c->cols[col].nulls, row - c->first);
}

static inline struct datum
exec_spool_datum(const struct exec_spool_cursor *c, uint32_t col, uint32_t row)
{
    return vec_datum(&c->cols[col], row - c->first);
}

/* Rows from `row` on, as many as lie together (up to max), without copying: all columns. Valid as
 * long as what the cursor shows. */
int exec_spool_view(struct exec_spool_cursor *c,
                    uint32_t row,
                    uint32_t max,
                    struct arena *arena,
                    struct vec *ret,
                    uint32_t *ret_count,
                    struct dn_err *err) DN_MUST_CHECK;
