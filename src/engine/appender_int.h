/* SPDX-License-Identifier: Apache-2.0
 *
 * appender_int.h: an appender from the inside, for appender*.c. One thread at a time. */
#pragma once

#include "engine/engine_int.h"

#define APPENDER_ROWS_MAX (1u << 30) /* of a batch */

struct dendro_appender {
    struct dendro_conn *conn;
    struct dendro_appender *next; /* in conn->appenders */
    struct dendro_appender *prev;
    struct mem_owner owner;
    struct arena arena;      /* target */
    struct arena scratch;    /* of one value */
    struct catalog *catalog; /* one reference */
    struct intake_target target;
    struct intake rows;
    uint32_t field; /* the next value's */
    bool in_row;    /* a value of the row was given */
    uint64_t bytes; /* of the batch, about */
    uint64_t flush_rows;
    uint64_t flush_bytes;
    uint64_t flushed; /* rows */
    int rc;           /* of the batch */
    struct dn_err why;
};

/* DN_E_MISUSE without an appender; the batch's error if it has one. */
int appender_begin(struct dendro_appender *app, struct dn_err *err) DN_MUST_CHECK;
/* The batch's first error stays; gives rc. */
int appender_spoil(struct dendro_appender *app, int rc, const struct dn_err *why);
/* Number of a row of the batch as the caller counts. */
uint64_t appender_row(const struct dendro_appender *app, uint64_t in_batch);
/* A text or blob as a value. */
int appender_bytes(enum type_id type,
                   const void *bytes,
                   size_t len,
                   struct intake_value *ret,
                   struct dn_err *err) DN_MUST_CHECK;
/* May its rows be written: is its table as it was, the batch good and its last row ended? */
int appender_ready(struct dendro_appender *app, struct dn_err *err) DN_MUST_CHECK;
/* They were. */
void appender_flushed(struct dendro_appender *app);
/* Flushes if it is time to. */
int appender_settle(struct dendro_appender *app, struct dn_err *err) DN_MUST_CHECK;
