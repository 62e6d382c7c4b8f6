/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h: how rows look inside the store. A stored batch has the table's columns in declared order,
 * then the hidden ones:
 *
 *     index columns_count + HIDDEN_SEQ     BIGINT    commit sequence of the write
 *     index columns_count + HIDDEN_OP      SMALLINT  enum row_op
 *     index columns_count + HIDDEN_EXPIRY  BIGINT    ns since 1970, NULL = never
 *     index columns_count + HIDDEN_ROWID   BIGINT    0 in tables with a key; identity in tables
 * without
 *
 * "Store column" means an index into this list. On disk a column is named by its permanent id; the
 * hidden ones have ids from HIDDEN_ID_BASE on.
 *
 * The physical key of a row is the byte string (slab, token, series values, rest of the local key
 * or the row id), each part in normalized form (vec/normkey.h), slab inverted when the table's
 * time column is DESC: memcmp order is physical order, equal bytes mean the same row.
 *
 * A put with an expiry is a delete written ahead (docs/adr/0009): from that instant on it is read
 * as ROW_DELETE. Only puts have one, and no patch is ever newer than a put with one: a table with
 * upsert = 'field' has no rows that expire. Any thread. */
#pragma once

#include "base/bytes.h"
#include "catalog/table.h"
#include "vec/vec.h"

enum hidden_col { HIDDEN_SEQ, HIDDEN_OP, HIDDEN_EXPIRY, HIDDEN_ROWID, HIDDEN_MAX };

#define HIDDEN_ID_BASE 0x80000000u /* column id of HIDDEN_SEQ on disk; the others follow */

/* Values are on disk: permanent. */
enum row_op {
    ROW_PUT = 0,    /* the whole row; absent columns take their default */
    ROW_PATCH = 1,  /* only the columns that are not absent */
    ROW_DELETE = 2, /* the row is gone; only key columns have values */
    ROW_OP_MAX,
    ROW_RANGE = ROW_OP_MAX, /* of a batch in the log, never of a row: a range tombstone (range.h) */
    ROW_CATALOG,            /* the same: the catalog from this commit on */
};

#define ROW_NEVER   0         /* an expiry in memory: never; on disk NULL */
#define ROW_DEFAULT 0         /* … of rows that come: as the table's default_time_to_live says */
#define ROW_FOREVER (-1)      /* … never, whatever the table says */
#define ROW_EARLY   INT64_MIN /* a now before which nothing has expired */

static inline bool rows_expired(int64_t expiry_ns, int64_t now_ns)
{
    return expiry_ns != ROW_NEVER && expiry_ns <= now_ns;
}

/* The instants of a vector of HIDDEN_EXPIRY, in the arena, ROW_NEVER among them; NULL: all are. */
struct arena;
int rows_expiries(const struct vec *v, struct arena *arena, const int64_t **ret, struct dn_err *err)
    DN_MUST_CHECK;
/* The expiry of rows that are put now: given, or what the table says. */
static inline int64_t rows_expiry(const struct table *t, int64_t given, int64_t now_ns)
{
    if (given != ROW_DEFAULT)
        return given == ROW_FOREVER ? ROW_NEVER : given;
    return t->ttl_seconds ? now_ns + t->ttl_seconds * 1000000000 : ROW_NEVER;
}

static inline uint32_t store_cols_count(const struct table *t)
{
    return t->columns_count + (uint32_t)HIDDEN_MAX;
}

enum type_id store_col_type(const struct table *t, uint32_t store_col);
uint32_t store_col_id(const struct table *t, uint32_t store_col); /* permanent id on disk */
/* Store column of a permanent id, UINT32_MAX when the table has no such column (any more). */
uint32_t store_col_by_id(const struct table *t, uint32_t id);

/* Appends the physical key of one row of a stored batch. cols has store_cols_count(t) vectors; only
 * the key columns (and HIDDEN_ROWID for tables without a key) are looked at; none of them may be
 * NULL. Out of memory shows in b->failed. */
void rows_key(const struct table *t, const struct vec *cols, uint32_t row, struct buf *b);
/* Only its first part: (slab, token, series values); equal prefix = same run. Returns the token.
 * The scratch is reset; keep it from row to row. */
int64_t rows_key_prefix(const struct table *t,
                        const struct vec *cols,
                        uint32_t row,
                        struct buf *scratch,
                        struct buf *b);
/* Only what follows the prefix; for rows of a run whose prefix is known. */
void rows_key_rest(const struct table *t, const struct vec *cols, uint32_t row, struct buf *b);
/* Start of the row's slab; 0 for tables with one slab. A NULL time (of a time column outside the
 * key) counts as 0. */
int64_t rows_slab(const struct table *t, const struct vec *cols, uint32_t row);
