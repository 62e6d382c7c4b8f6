/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h: rows kept in memory, numbered as they come: the build side of a join, what a CTE has
 * returned, the partition of a window. Columns lie in chunks of VEC_ROWS_MAX rows, so that growing
 * moves nothing that is there.
 *
 * With `stable`, what exec_rows_view gave stays valid while rows are added (a chunk has its full
 * size from the start); without, the first chunk starts small and may move.
 *
 * One thread at a time; once nobody adds, any number may read. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "vec/vec.h"

#define EXEC_NO_ROW UINT32_MAX

struct exec_rows {
    struct mem_owner *owner; /* borrowed */
    enum type_id *types;     /* owned, cols_count */
    bool *nulls;             /* owned, cols_count: has the column a NULL? */
    uint32_t cols_count;
    uint32_t count;         /* rows */
    struct colbuf **chunks; /* owned, each owned: cols_count columns */
    uint32_t chunks_count;
    uint32_t chunks_cap;
    struct arena strings; /* bytes of all columns */
    uint64_t dicts; /* numbers of the columns as dictionaries (vec.dict_id), from here on; 0: rows
                       may still come */
    bool stable;
};

/* done is right after a failed init, and on zeroed memory. */
int exec_rows_init(struct exec_rows *r,
                   const enum type_id *types,
                   uint32_t cols_count,
                   bool stable,
                   struct mem_owner *owner,
                   struct dn_err *err) DN_MUST_CHECK;
void exec_rows_done(struct exec_rows *r);
/* No rows; memory of the first chunk stays. */
void exec_rows_reset(struct exec_rows *r);

/* Adds the given rows (all when sel is NULL) of cols_count vectors. After an error only done. */
int exec_rows_add(struct exec_rows *r,
                  const struct vec *cols,
                  const uint16_t *sel,
                  uint32_t count,
                  struct dn_err *err) DN_MUST_CHECK;

/* No more rows come: what is gathered from few has the numbers of dictionaries. */
void exec_rows_complete(struct exec_rows *r);

/* Rows from `first` on, as many as lie together (up to `max`), without copying: all columns. */
int exec_rows_view(const struct exec_rows *r,
                   uint32_t first,
                   uint32_t max,
                   struct arena *arena,
                   struct vec *ret,
                   uint32_t *ret_count,
                   struct dn_err *err) DN_MUST_CHECK;
/* The given rows of the columns [0, cols_count) in the arena; EXEC_NO_ROW gives NULL. count is at
 * most VEC_ROWS_MAX. Columns of few rows become DICTs that share their codes, values of one row
 * CONSTs; string bytes stay in r. */
int exec_rows_gather(const struct exec_rows *r,
                     const uint32_t *rows,
                     uint32_t count,
                     uint32_t cols_count,
                     struct arena *arena,
                     struct vec *ret,
                     struct dn_err *err) DN_MUST_CHECK;
/* A row of the columns [0, cols_count) as CONST vectors that stand for `count` rows; the data stays
 * in r. EXEC_NO_ROW: NULLs. */
void exec_rows_const(
    const struct exec_rows *r, uint32_t row, uint32_t count, uint32_t cols_count, struct vec *ret);

static inline const struct colbuf *
exec_rows_col(const struct exec_rows *r, uint32_t col, uint32_t row)
{
    return &r->chunks[row / VEC_ROWS_MAX][col];
}

static inline bool exec_rows_is_null(const struct exec_rows *r, uint32_t col, uint32_t row)
{
    return vec_bit(exec_rows_col(r, col, row)->nulls, row % VEC_ROWS_MAX);
}

static inline struct datum exec_rows_datum(const struct exec_rows *r, uint32_t col, uint32_t row)
{
    return colbuf_datum(exec_rows_col(r, col, row), row % VEC_ROWS_MAX);
}

/* ---- vectors of somebody else's rows ---- */

/* The given rows of vectors, without copying values: FLAT and DICT become DICT, CONST stays. */
int exec_pick(const struct vec *cols,
              uint32_t cols_count,
              const uint16_t *rows,
              uint32_t count,
              struct arena *arena,
              struct vec *ret,
              struct dn_err *err) DN_MUST_CHECK;
/* One row as CONST vectors that stand for `count` rows. */
void exec_pick_const(
    const struct vec *cols, uint32_t cols_count, uint32_t row, uint32_t count, struct vec *ret);
/* A NULL of each type, for `count` rows. */
void exec_nulls(const enum type_id *types, uint32_t cols_count, uint32_t count, struct vec *ret);
