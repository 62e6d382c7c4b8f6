/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart.h: time partitions: a table whose rows lie in shards, tables of their own with the same
 * definition. The parent has the name, columns, constraints, comments and rights, and no rows;
 * struct timepart hangs on it and says which tables are its shards. Rows are read from all of them
 * and inserted into the newest; a rollout makes a new newest one, and the oldest goes whole.
 *
 * The state of rollouts is in here, so that each step is one edit of the catalog, and any process
 * that opens the database later knows the next step (rollout.h):
 *
 *     waiting --make the next shard--> ready --roll--> waiting, with evicted shards
 *     evicted shard --after a delay--> dropped
 *
 * Two styles. VIEW is CREATE TIME PARTITION: shards are made when they are needed and dropped when
 * they are too old. TABLE is PARTITIONED BY: all are there from the start, and the oldest is
 * emptied and used again.
 *
 * Immutable once others can see it, as the table it belongs to. */
#pragma once

#include "base/bytes.h"
#include "base/err.h"

struct catalog;
struct table;

#define TIMEPART_RETENTION_MAX 1000u /* shards */
#define TIMEPART_PERIOD_MAX    64u   /* bytes of its text */
#define TIMEPART_NAME_MAX      32u   /* bytes of a shard's name, "$12_89ABCDEF" */
#define TIMEPART_SOURCE_BYTES  16u
#define TIMEPART_LOW           INT64_MIN /* bound of a shard: since ever */
#define TIMEPART_HIGH          INT64_MAX /* … for ever; both: not used yet */

enum timepart_style { TIMEPART_VIEW, TIMEPART_TABLE, TIMEPART_STYLE_MAX };

struct timepart_shard {
    uint64_t id;     /* of its table */
    uint32_t number; /* in its name; the first shard of a VIEW is 0 and has a name of its own */
    int64_t low;     /* when it became the newest: seconds since 1970, or the counter */
    int64_t high;    /* … and stopped being it */
};

/* No shard any more, and still a table. */
struct timepart_gone {
    uint64_t id;
    uint32_t number;
    int64_t at; /* seconds since 1970: then it is dropped */
};

struct timepart {
    enum timepart_style style;
    bool manual;     /* rolled by a counter, PUT COUNTER */
    int64_t months;  /* the period: months, or else */
    int64_t seconds; /* … seconds; both 0: manual */
    char *period;    /* owned: as it is called, "daily" */
    uint32_t retention;
    int64_t start;  /* of the first rollout: seconds since 1970, or counter */
    uint64_t rolls; /* that were made */
    char *seed;     /* owned: what names of shards begin with */
    uint8_t source[TIMEPART_SOURCE_BYTES]; /* of this partition alone */
    struct timepart_shard *shards;         /* owned: newest first; then those not used yet */
    uint32_t shards_count;                 /* at least 1 */
    uint64_t next;                         /* table made for the next rollout, 0 = none */
    uint32_t next_number;
    struct timepart_gone *gone; /* owned: oldest first */
    uint32_t gone_count;
};

/* A copy with room for `more` shards and evicted ones. */
int timepart_copy(const struct timepart *p,
                  uint32_t more,
                  struct timepart **ret,
                  struct dn_err *err) DN_MUST_CHECK;
void timepart_free(struct timepart *p); /* NULL is fine */
/* DN_E_CORRUPT: it cannot have been written so. */
int timepart_check(const struct timepart *p, struct dn_err *err) DN_MUST_CHECK;

/* The name of the shard with this number, after that of the seed (VIEW) or of the shard before it
 * (TABLE; of number 0: the table's): byte for byte comdb2's. */
void timepart_shard_name(uint32_t number, const char *after, char to[TIMEPART_NAME_MAX]);

static inline bool timepart_shard_used(const struct timepart_shard *s)
{
    return s->low != TIMEPART_HIGH;
}

/* The table that new rows go to: of a partition its newest shard, else the table itself. */
const struct table *timepart_newest(const struct catalog *c, const struct table *t);
/* The n-th table of a partition: its shards in use, newest first; then NULL. */
const struct table *timepart_nth(const struct catalog *c, const struct table *t, uint32_t n);
/* All its tables, from 0 on: shards, the one for the next rollout, evicted ones; 0: no more. */
uint64_t timepart_table(const struct timepart *p, uint32_t n);
/* Is it a shard, or was one that is about to go? Then its partition; else NULL. */
const struct table *timepart_parent(const struct catalog *c, const struct table *t);
/* … which is an error: DN_E_DEPENDENT. what: "drop", "alter". */
int timepart_refuse_shard(const struct catalog *c,
                          const struct table *t,
                          const char *what,
                          struct dn_err *err) DN_MUST_CHECK;
/* May rows that were made for one of these definitions be stored by the other: the same columns,
 * key and constraints? */
bool timepart_alike(const struct table *a, const struct table *b);
/* May t, as a dump has made it again, be a shard of the parent? Identity columns of a shard are
 * plain ones in a dump, since their sequence is the parent's. */
bool timepart_dumped(const struct table *parent, const struct table *t);
/* Where new rows go that were made for the table: it is `t` of c, or, when it is a shard that is
 * not the newest any more or has gone, the newest of its partition as long as that is alike. NULL:
 * there is no such table. */
const struct table *timepart_target(const struct catalog *c, const struct table *t);
/* The name of the counter that it is rolled by, if by hand: its own, with the schema if that is not
 * the default one. */
#define TIMEPART_COUNTER_MAX 514u /* bytes: two names, a dot and the end */
void timepart_counter_name(const struct table *t, char to[TIMEPART_COUNTER_MAX]);
/* What follows PARTITIONED BY, or the name in CREATE TIME PARTITION. */
void timepart_print_clause(const struct timepart *p, struct buf *b);

/* ---- timepart_state.c: a partition as one text, for dumps ---- */
struct timepart_state {
    struct timepart *parts; /* owned */
    bool counted;           /* it is rolled by a counter, which stands at: */
    int64_t counter;
};
/* counter NULL: it has none. */
int timepart_print_state(const struct catalog *c,
                         const struct table *t,
                         const int64_t *counter,
                         struct buf *b,
                         struct dn_err *err) DN_MUST_CHECK;
/* Looks its tables up in c. Fails with DN_E_INVALID_PARAM (no such state), DN_E_UNDEFINED_TABLE. */
int timepart_read_state(const struct catalog *c,
                        const char *text,
                        size_t len,
                        struct timepart_state *ret,
                        struct dn_err *err) DN_MUST_CHECK;
/* The table with the id `parent`, which has no rows, becomes a partition of those parts, which have
 * its definition (timepart_dumped); takes p, also when it fails. */
int catalog_with_timepart_state(const struct catalog *c,
                                uint64_t parent,
                                struct timepart *p,
                                struct catalog **ret,
                                struct dn_err *err) DN_MUST_CHECK;

/* ---- timepart_edit.c: edits, as those of catalog.h; each makes *ret out of c ---- */

/* parent (id 0, with a struct timepart of one shard, the table with this id) takes its place as a
 * time partition; owner, grants and sequences of the shard become the partition's. */
int catalog_with_timepart(const struct catalog *c,
                          struct table *parent,
                          uint64_t shard,
                          struct catalog **ret,
                          struct dn_err *err) DN_MUST_CHECK;
/* A new table like the partition, which the caller then has to make known (catalog_with_parts). */
int catalog_with_shard(const struct catalog *c,
                       uint64_t parent,
                       const char *name,
                       uint64_t *ret_id,
                       struct catalog **ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* The partition with other parts; takes p, also when it fails. */
int catalog_with_parts(const struct catalog *c,
                       uint64_t parent,
                       struct timepart *p,
                       struct catalog **ret,
                       struct dn_err *err) DN_MUST_CHECK;
/* All tables of the partition get its definition, which has changed. */
int catalog_with_followers(const struct catalog *c,
                           uint64_t parent,
                           struct catalog **ret,
                           struct dn_err *err) DN_MUST_CHECK;
/* Shards of the partition, whose definition has changed, get it, and the rows of other tables,
 * which have it already and go; sequences of the first of those become the partition's. What was
 * evicted goes. */
struct timepart_rows {
    uint64_t shard;
    uint64_t rows;
};
int catalog_with_shard_rows(const struct catalog *c,
                            uint64_t parent,
                            const struct timepart_rows *v,
                            size_t count,
                            struct catalog **ret,
                            struct dn_err *err) DN_MUST_CHECK;
/* The partition is a table without rows again, and its shards are tables, as they were before
 * catalog_with_timepart_state. */
int catalog_with_timepart_undone(const struct catalog *c,
                                 uint64_t parent,
                                 struct catalog **ret,
                                 struct dn_err *err) DN_MUST_CHECK;
/* The partition goes, its shards stay as tables (keep), or go too. */
int catalog_without_timepart(const struct catalog *c,
                             uint64_t parent,
                             bool keep,
                             struct catalog **ret,
                             struct dn_err *err) DN_MUST_CHECK;
