/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_model.h: random tables, random rows, and a naive model of what a shard must hold: a plain
 * list of rows, searched from end to end. Used by the shard's random, crash and fault tests. */
#pragma once

#include "catalog/catalog.h"
#include "store/scan.h"
#include "store/shard.h"
#include "volume/sim.h"

#define MODEL_COLS_MAX 8u
/* Rows expire within MODEL_EXPIRY_S seconds of this, which is where the clock should stand. */
#define MODEL_CLOCK_NS INT64_C(1700000000000000000)
#define MODEL_EXPIRY_S 600u

struct rng {
    uint64_t state;
};
uint64_t rng_next(struct rng *r);
static inline uint32_t rng_below(struct rng *r, uint32_t n)
{
    return (uint32_t)(rng_next(r) % n);
}

struct model_row {
    struct datum v[MODEL_COLS_MAX];
    uint64_t rowid;    /* append tables: order of arrival */
    int64_t expiry_ns; /* it is gone from then on; ROW_NEVER */
};

struct model {
    struct table *t; /* reference */
    struct model_row *rows;
    size_t count;
    size_t cap;
    uint64_t rowid_next;
};

/* One batch of rows as it is written. */
struct model_batch {
    struct model_row *rows;
    bool (*absent)[MODEL_COLS_MAX];
    uint32_t count;
    enum row_op op;
    bool existing; /* append tables: rows[i].rowid names a row that is there */
    /* ROW_RANGE: no rows */
    struct range range;
    struct range_bound bounds[MODEL_COLS_MAX];
};

/* A random definition, named name; id must be set through the catalog. */
struct table *model_random_table(struct rng *r, const char *name);
void model_init(struct model *m, const struct table *t);
void model_done(struct model *m);
void model_copy(const struct model *from, struct model *ret);
/* For append tables: updates or deletes some of the rows that are there; else as
 * model_random_batch. */
struct model_batch
model_random_change(struct rng *r, struct model *m, struct shard *s, uint32_t rows_max);
struct model_batch model_random_batch(struct rng *r, const struct table *t, uint32_t rows_max);
struct model_batch model_random_range(struct rng *r, const struct table *t);
void model_batch_done(struct model_batch *b);
void model_apply(struct model *m, const struct model_batch *b);
/* Adds a row that is not there yet; takes its values over. */
void model_put(struct model *m, const struct model_row *row);
int model_write(struct shard *s,
                const struct table *t,
                const struct model_batch *b,
                bool sync,
                struct dn_err *err);
/* Scans with random constraints (none when r is NULL) and compares rows, values and order. NULL:
 * equal; else what differs (static). */
const char *model_compare(const struct model *m, struct shard *s, struct rng *r);

/* Values; strings are owned. */
void model_datum_free(struct datum *d);
struct datum model_datum_copy(const struct datum *d);
struct datum model_random_datum(struct rng *r, enum type_id type, bool nullable);
bool model_in(const struct interval *iv, const struct datum *d);
