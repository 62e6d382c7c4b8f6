/* SPDX-License-Identifier: Apache-2.0
 *
 * bound.h: what a top-N sort tells the scan below it: rows whose first sort key comes after this
 * value cannot be among the first N any more. The scan leaves out blocks and vectors by their
 * zones, and rows before it decodes their other columns. Rows that are left out are those that the
 * sort would drop, so what lies between (filters, projections) need not know.
 *
 * One thread at a time: that of the statement. */
#pragma once

#include "plan/plan.h"

struct op;
struct exec_source;

struct exec_bound {
    bool wanted; /* a sort will set it */
    bool set;
    uint32_t col;     /* of the scan: the first sort key */
    bool desc;        /* order of the sort … */
    bool nulls_first; /* … and where NULLs are in it */
    bool strict;      /* the only key: rows that equal the value come too late, too */
    enum phys phys;
    struct datum value; /* not NULL; bytes of a string are in `text` */
    struct buf text;
};

/* Finds the scan whose rows reach the sort through filters and projections and whose column is its
 * first key, and makes it begin at the end of time where the first rows are. NULL: there is none.
 */
struct exec_source *exec_bound_find(const struct op *input, const struct plan_node *sort);
/* The key of the last row kept. A NULL says nothing. */
int exec_bound_tighten(struct exec_bound *b,
                       const struct datum *key,
                       struct dn_err *err) DN_MUST_CHECK;
/* Do all rows with such values come too late? */
bool exec_bound_excludes(const struct exec_bound *b, const struct zone *z);
/* The selected rows of the batch that do not; their numbers in sel. The column is decoded. */
uint32_t exec_bound_select(const struct exec_bound *b, const struct batch *in, uint16_t *sel);
void exec_bound_done(struct exec_bound *b);
