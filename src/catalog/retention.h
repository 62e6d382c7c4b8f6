/* SPDX-License-Identifier: Apache-2.0
 *
 * retention.h: how long a table keeps its rows, by their own time: the option, and the horizon that
 * follows from it. The horizon is the start of a slab: everything before it is gone and takes no
 * rows any more. It is kept in the definition, and only moves up as long as there is an option
 * (docs/adr/0010-retention-by-horizon.md).
 *
 * Pure functions: any thread. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"

struct catalog;
struct table;

#define RETENTION_NO_HORIZON INT64_MIN
#define RETENTION_ANY_FUTURE (-1)
#define RETENTION_FUTURE     86400 /* seconds: the limit where there is a retention and none given */

enum retention_kind {
    RETENTION_NONE,
    RETENTION_AGE,   /* '30 days', '3 months', '1 year 12 h' */
    RETENTION_BYTES, /* '500 GB', '2 MiB': of the newest slabs together */
    RETENTION_SLABS, /* '30 partitions': slabs that have rows */
};

/* What becomes of rows that come for a time before the horizon, or too far ahead of the clock. */
enum late_rows {
    LATE_REJECT, /* the statement fails */
    LATE_DROP,   /* they are left out */
};

struct retention {
    enum retention_kind kind;
    int64_t months;  /* AGE: of the calendar, in UTC; taken off first */
    int64_t seconds; /* AGE: and these */
    uint64_t count;  /* BYTES, SLABS; > 0 */
};

/* False: the text is no retention, an empty one ('0 days'), or a number overflows. */
bool retention_parse(const char *text, struct retention *ret) DN_MUST_CHECK;

/* late_rows = 'reject' or 'drop'. */
bool retention_late(const char *text, enum late_rows *ret) DN_MUST_CHECK;
/* future_limit = '1 day' or 'none' (RETENTION_ANY_FUTURE), in seconds; and what holds without it,
 * once t->retention is known: rows of a far future would keep a retention by number or size busy
 * for ever. */
bool retention_future(const char *text, int64_t *ret_seconds) DN_MUST_CHECK;
int64_t retention_future_default(const struct table *t);
/* The last time that a row may have at that time of the clock; INT64_MAX: any. */
int64_t retention_latest(const struct table *t, int64_t now_ns);
/* The text of an option that a definition has; NULL: it has none. */
const char *retention_option(const struct table *t, const char *name);

/* A slab as the store counts it. */
struct retention_slab {
    int64_t start;
    uint64_t rows; /* 0: it counts for nothing */
    uint64_t bytes;
};

/* The horizon that the table's option asks for at that time of the clock: the table's own or a
 * later one, RETENTION_NO_HORIZON if it has none yet. slabs: in the order of time, needed where
 * retention_counts. AGE keeps every slab that has a time within it; BYTES as many of the newest as
 * fit, but always the newest; SLABS so many that have rows. Slabs that begin after now are kept and
 * do not count: rows of the future never drop those of the past. */
int64_t retention_horizon(const struct table *t,
                          int64_t now_ns,
                          const struct retention_slab *slabs,
                          size_t count);
/* Does it depend on what is stored? */
static inline bool retention_counts(const struct retention *r)
{
    return r->kind == RETENTION_BYTES || r->kind == RETENTION_SLABS;
}
/* When, in seconds of the clock, an age moves the horizon next; INT64_MAX: that is not known. */
int64_t retention_next(const struct table *t, int64_t now_ns);

/* A time of the table's, in milliseconds; false: they cannot hold it. */
bool retention_time_ms(const struct table *t, int64_t time, int64_t *ret);
/* When, in seconds of the clock, the age drops the slab that ends at slab_end; INT64_MAX: the slab
 * stays, or its end depends on more than an age. */
int64_t retention_gone(const struct table *t, int64_t slab_end);

/* Tables get later horizons, and stay of the same version. Those that are gone, or of another
 * version than the horizon was made for, are passed over. */
struct catalog_horizon {
    uint64_t table;
    uint32_t version;
    int64_t horizon;
};
int catalog_with_horizons(const struct catalog *c,
                          const struct catalog_horizon *list,
                          size_t count,
                          struct catalog **ret,
                          struct dn_err *err) DN_MUST_CHECK;
