/* SPDX-License-Identifier: Apache-2.0
 *
 * model.h: tables made by hand and rows kept naively, against which the store is tested. A model
 * has its rows in physical order, each store column in one colbuf. Asserts with cmocka. */
#pragma once

#include "base/bytes.h"
#include "store/segment.h"

struct rng {
    uint64_t x;
};

uint64_t rng_next(struct rng *r);
uint32_t rng_below(struct rng *r, uint32_t n); /* 0 .. n - 1 */
bool rng_chance(struct rng *r, unsigned percent);

#define MODEL_COLS_MAX 12u

/* A table: the columns' ids are 1.., their names c1, c2 .. */
struct table_shape {
    uint32_t cols;
    enum type_id types[MODEL_COLS_MAX];
    enum key_form form;
    uint32_t series_count;
    uint16_t series[MODEL_COLS_MAX];
    uint32_t rest_count;
    struct key_part rest[MODEL_COLS_MAX];
    uint32_t value_parts; /* not 0: laid out by value; the first so many of rest are the partition
                             key */
    int time_col;
    int64_t slab_width;
};

struct table *model_table(const struct table_shape *shape);
/* Any key form, any types. */
void model_random_shape(struct rng *r, struct table_shape *ret);

struct model {
    struct table *t; /* owned */
    struct arena arena;
    struct colbuf *cols; /* store columns */
    uint32_t rows;
};

/* How rows are drawn. */
struct model_style {
    uint32_t rows;     /* before equal keys are dropped */
    uint32_t series;   /* distinct values of a series column */
    uint32_t domain;   /* distinct values of the other columns */
    unsigned null_pct; /* columns outside the key */
    bool writes;       /* patches and deletes among the rows */
    bool plain;        /* hidden columns alike in all rows */
    uint32_t turns;    /* not 0: so many series take turns, values are near those of the last */
};

/* Takes the table. */
void model_init(struct model *m, struct table *t, const struct model_style *style, struct rng *r);
/* The same by hand: rows are appended to the raw columns in any order; model_end sorts them. */
void model_begin(struct model *m, struct table *t, struct colbuf **ret_raw);
void model_end(struct model *m, struct colbuf *raw);
void model_done(struct model *m);
bool model_absent(const struct model *m, uint32_t col, uint32_t row);
/* Rows [from, from + n) of a column, flat or, by the generator, as dictionary or constant. */
struct vec model_vec(
    const struct model *m, uint32_t col, uint32_t from, uint32_t n, struct arena *a, struct rng *r);
/* The whole object, in batches of random size up to batch_max. */
int model_write(const struct model *m,
                uint64_t id,
                uint32_t batch_max,
                struct rng *r,
                struct buf *ret,
                struct seg_meta *meta,
                struct dn_err *err);

/* Same value to the bit? */
bool model_same(const struct datum *a, const struct datum *b);
/* Everything the segment tells against the model: rows, zones, runs, blocks, meta data. */
void model_check(const struct model *m, struct seg *s, bool cached);
