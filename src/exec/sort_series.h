/* SPDX-License-Identifier: Apache-2.0
 *
 * sort_series.h: a sort by series and then by the rest of the key needs no sorting: the scan below
 * reads each series in that order, from one end or the other. It is asked for the series there are,
 * which its directories know, and then opened for one after the other, in the order of their names.
 * Nothing is kept, and series columns stay constants. Only where series are long: opening a scan
 * costs as much as sorting some hundred rows.
 *
 * One thread at a time. */
#pragma once

#include "exec/groups.h"
#include "exec/source.h"

struct exec_series_key {
    const uint8_t *key; /* normalized, in keys */
    size_t len;
    uint32_t id;
};

struct exec_series {
    struct op *op; /* SORT; NULL: not used */
    const struct plan_node *scan;
    bool backward;         /* series are read from the end */
    struct exec_ctx inner; /* of the input: with the series at hand */
    struct arena run;
    struct arena one; /* of the series at hand */
    struct exec_groups series;
    uint32_t *cols; /* in run: columns of the scan, of the series columns in order of the table */
    struct vec *keys;
    struct buf bytes;
    struct exec_series_key *order; /* in run */
    uint32_t at;
};

/* Is the order of this SORT that of the key, series by series? */
bool exec_series_ordered(const struct plan_node *sort);
/* Reads what series there are through the open input of the operator. ret: go on with next; else
 * the input is as new. done is right on zeroed memory, and after an error. */
int exec_series_start(struct exec_series *s, struct op *op, bool *ret, struct dn_err *err)
    DN_MUST_CHECK;
int exec_series_next(struct exec_series *s, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;
void exec_series_done(struct exec_series *s);
