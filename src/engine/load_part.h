/* SPDX-License-Identifier: Apache-2.0
 *
 * load_part.h: the rows of one chunk, packed for the store: exactly as much memory as they need,
 * strings of their own (few different ones once, the column then is DICT), and the rows of a series
 * next to each other in the order of the key's time. Files are mostly in the order of time and
 * segments by series; put in order here, while the rows are in the processor's cache, they are
 * never moved again. One thread at a time. */
#pragma once

#include "engine/csv.h"
#include "store/shard_load.h"

struct load_part {
    struct shard_load_part rows; /* release and arg free this struct */
    struct mem_owner *owner;     /* borrowed */
    const struct table *table;   /* borrowed */
    struct arena arena;          /* everything that the rows are in */
    struct vec *columns;         /* arena: those of rows */
    uint32_t series;             /* lower bound of the series in it; 0: not counted */
    bool grouped; /* rows of a series are next to each other; false: too many series */
};

/* What csv_parse has found. Rows with the same key keep their order. NULL: out of memory. */
struct load_part *load_part_new(const struct csv_parser *p, struct mem_owner *owner);
/* The columns whose DEFAULT is an expression, and rows that come too late; parts in their order. */
int load_part_evaluate(struct load_part *part,
                       const struct intake_target *to,
                       struct intake_run *run,
                       struct dn_err *err) DN_MUST_CHECK;
/* For who takes no DICT columns: a commit. */
int load_part_flatten(struct load_part *part, struct dn_err *err) DN_MUST_CHECK;
void load_part_free(struct load_part *part); /* NULL is fine */
