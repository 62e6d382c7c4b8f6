/* SPDX-License-Identifier: Apache-2.0
 *
 * bound.h: what a top-N sort tells the scan below it: rows whose sort keys come after these
 * values cannot be among the first N any more. The scan leaves out blocks and vectors by their
 * zones, and rows before it decodes their other columns. Rows that are left out are those that the
 * sort would drop, so what lies between (filters, projections, joins) need not know.
 *
 * One thread at a time: that of the statement. */
#pragma once

#include "plan/plan.h"

struct op;
struct exec_source;

#define EXEC_BOUND_KEYS_MAX 4u

/* A key of the sort that is a column of the scan. */
struct exec_bound_key {
    uint32_t col;     /* of the scan */
    bool desc;        /* order of the sort … */
    bool nulls_first; /* … and where NULLs are in it */
    enum phys phys;
    struct datum value; /* of the last row kept; bytes of a string are in `text` */
    struct buf text;
};

struct exec_bound {
    bool wanted; /* a sort will set it */
    bool set;    /* values count; the first one is not NULL */
    bool strict; /* these are all keys: rows that equal the values come too late, too … */
    bool guess;  /* … unless the values are not of a row that was read (bound_guess.c) */
    struct exec_bound_key keys[EXEC_BOUND_KEYS_MAX]; /* the first keys of the sort */
    uint32_t keys_count;
};

/* A bound of the first key alone, for the sort itself: columns are those of its input. */
void exec_bound_init(struct exec_bound *b, const struct plan_node *sort, struct mem_owner *owner);
/* bound_guess.c: a first bound for `keep` rows from zones alone, if that is worth it. */
int exec_bound_guess(struct exec_source *s, uint32_t keep, bool reverse, struct dn_err *err)
    DN_MUST_CHECK;
/* Finds the scan whose rows reach the sort through filters, projections and left sides of joins and
 * whose column is its first key, and makes it begin at the end of time where the first rows are.
 * NULL: there is none. Before the first row is pulled; joins read their right side for it. `keep`
 * rows are wanted. */
int exec_bound_find(struct op *input,
                    const struct plan_node *sort,
                    uint32_t keep,
                    struct exec_source **ret,
                    struct dn_err *err) DN_MUST_CHECK;
/* The keys of the last row kept, keys_count of them. A NULL as the first one says nothing. */
int exec_bound_tighten(struct exec_bound *b,
                       const struct datum *keys,
                       struct dn_err *err) DN_MUST_CHECK;
/* Rows whose key number k has such values: do they come too late (> 0), if those of the keys before
 * equal the bound? 0: some may equal the bound and none comes before it, so that the next key
 * tells; < 0: some may come before it. */
int exec_bound_zone(const struct exec_bound *b, uint32_t k, const struct zone *z);
/* The selected rows of the batch that do not come too late by their first key alone; their numbers
 * in sel. Its column is decoded. */
uint32_t exec_bound_select(const struct exec_bound *b, const struct batch *in, uint16_t *sel);
/* The same by all keys; their columns are decoded. */
uint32_t exec_bound_select_all(const struct exec_bound *b, const struct batch *in, uint16_t *sel);
void exec_bound_done(struct exec_bound *b);
