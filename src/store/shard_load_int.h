/* SPDX-License-Identifier: Apache-2.0
 *
 * shard_load_int.h: a batch of a load, for shard_load*.c. One thread at a time. */
#pragma once

#include "store/seg_sink.h"
#include "store/shard_load.h"

struct load_batch {
    struct shard_load_part *parts; /* owned array */
    size_t parts_count;
    size_t parts_cap;
    uint64_t rows;
    size_t bytes;
    uint64_t seq;        /* of its rows */
    uint64_t rowid_base; /* append tables: of the first row */
    uint32_t task_rows;  /* as in the load's options */
};

/* Writes the rows as segments if each series is in the order of its key as it is (append tables
 * always are), without a copy. Parts may be released before it returns. DN_NOT_FOUND: it is not in
 * order, nothing was written. */
int shard_load_runs(struct shard *s,
                    const struct table *t,
                    struct load_batch *batch,
                    struct seg_sink *sink,
                    struct dn_err *err) DN_MUST_CHECK;

/* The same for rows in any order. Of rows with the same key the last one stays; patches are made
 * one with what they change. */
int shard_load_sorted(struct shard *s,
                      const struct table *t,
                      struct load_batch *batch,
                      struct seg_sink *sink,
                      struct dn_err *err) DN_MUST_CHECK;

/* ---- shard_load_rows.c: for both ways ---- */

/* The part's memory goes; once or never. */
void shard_load_part_release(struct shard_load_part *part);

/* Order of two rows by the rest of the key (append tables: 0), and by the values of the series. The
 * columns may be of different parts. */
int shard_load_cmp_rest(const struct table *t,
                        const struct vec *a,
                        uint32_t a_row,
                        const struct vec *b,
                        uint32_t b_row);
int shard_load_cmp_series(const struct table *t,
                          const struct vec *a,
                          uint32_t a_row,
                          const struct vec *b,
                          uint32_t b_row);
/* Are two rows of the same series? */
bool shard_load_same_series(const struct table *t,
                            const struct vec *a,
                            uint32_t a_row,
                            const struct vec *b,
                            uint32_t b_row);

/* Slabs of rows, most of which are of the slab of the row before. */
struct load_slab {
    int64_t slab;
    int64_t from; /* times of it: [from, to] */
    int64_t to;
};
void shard_load_slab_init(struct load_slab *slab, const struct table *t);
int64_t shard_load_slab_of(struct load_slab *slab,
                           const struct table *t,
                           const struct vec *cols,
                           uint32_t row);
/* Does the order of the rest of the key put the slabs in order, too? Else they are before it. */
bool shard_load_slab_implied(const struct table *t);

/* How many tasks write the batch. */
uint32_t shard_load_stretches(const struct load_batch *b, const struct shard *s);
/* Writes the rows of stretch `number` to a sink that it has for itself. */
typedef int (*load_stretch_fn)(void *arg,
                               uint32_t number,
                               struct seg_sink *sink,
                               struct dn_err *err);
/* Each stretch in a task of its own. Their segments become the sink's, in the order of the
 * stretches; after an error too, so that whoever has the sink can discard them. */
int shard_load_write_stretches(struct seg_sink *sink,
                               uint32_t count,
                               load_stretch_fn write,
                               void *arg,
                               struct dn_err *err) DN_MUST_CHECK;

/* ---- shard_load_dict.c ---- */

/* The different texts of a column of a batch. */
struct load_dict {
    struct vstr *entries;   /* owned; the bytes are the parts' */
    uint32_t count;         /* 0: there is no dictionary */
    uint16_t *numbers;      /* owned: of the entries of all parts … */
    const uint16_t **maps;  /* owned: … those of each */
    const uint16_t **codes; /* owned: codes of each part's rows; NULL: it has one entry for all */
};
/* DN_NOT_FOUND: some part does not have the column as DICT or CONST, or there are too many. */
int shard_load_dict_make(struct load_dict *d,
                         const struct load_batch *b,
                         uint16_t col,
                         struct mem_owner *owner,
                         struct dn_err *err) DN_MUST_CHECK;
void shard_load_dict_done(struct load_dict *d); /* a zeroed one is fine */
