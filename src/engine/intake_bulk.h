/* SPDX-License-Identifier: Apache-2.0
 *
 * intake_bulk.h: any number of rows into a table in one commit: through the log, or, when they are
 * many, straight into segments that become visible together (store/shard_load.h).
 *
 *     intake_bulk_begin, then for each row: intake_begin_row … intake_end_row on b->rows and
 *     intake_bulk_row; intake_bulk_end; intake_bulk_done in any case
 *
 * One thread at a time. */
#pragma once

#include "engine/intake.h"

struct shard_load;

struct intake_bulk {
    struct dendro_conn *conn;       /* borrowed */
    const struct intake_target *to; /* borrowed */
    struct mem_owner *owner;        /* borrowed */
    struct intake *rows;            /* owned; those not handed over yet */
    struct shard_load *load;        /* owned; NULL: not that many */
    size_t bytes;                   /* about what rows holds */
    uint64_t count;                 /* rows so far; at the end: written ones */
    uint64_t late;                  /* of the session, before */
    int64_t expiry_ns;              /* of the rows, as in struct intake */
};

/* conn, to and owner are set, expiry_ns may be, all else is zero. */
int intake_bulk_begin(struct intake_bulk *b, struct dn_err *err) DN_MUST_CHECK;
/* After a row of about so many bytes. Looks at the cancel flag now and then. */
int intake_bulk_row(struct intake_bulk *b, size_t bytes, struct dn_err *err) DN_MUST_CHECK;
/* After any number of rows that the caller has counted itself (count, bytes). */
int intake_bulk_settle(struct intake_bulk *b, struct dn_err *err) DN_MUST_CHECK;
int intake_bulk_end(struct intake_bulk *b, struct dn_err *err) DN_MUST_CHECK;
void intake_bulk_done(struct intake_bulk *b);
