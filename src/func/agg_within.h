/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_within.h: what the aggregates of WITHIN GROUP share. Any thread. */
#pragma once

#include "func/func_int.h"

#define AGG_CONT_DOC                                                                       \
    "WITHIN GROUP (ORDER BY x): the value at that fraction of the way through the values " \
    "that are not NULL in their order, between two of them if need be."
#define AGG_DISC_DOC                                                                       \
    "WITHIN GROUP (ORDER BY x): the first of the values that are not NULL in their order " \
    "at or behind that fraction of them."
#define AGG_MODE_DOC                                                                          \
    "WITHIN GROUP (ORDER BY x): the value that is there most often; of several the first in " \
    "the order."

/* The fraction a percentile is asked for. */
struct agg_fraction {
    double value;
    bool known;
    bool null;
};

/* Is it between 0 and 1? */
int agg_fraction_check(double fraction, struct dn_err *err) DN_MUST_CHECK;
/* Takes it from a row, if it is not known yet. */
int agg_fraction_ask(struct agg_fraction *f, const struct vec *v, uint32_t row, struct dn_err *err)
    DN_MUST_CHECK;
/* Where it is among total > 0 values: ranks from 0 in ascending order. */
struct agg_ranks {
    uint64_t first; /* in the order asked for, then the next or the same one */
    uint64_t second;
    double part; /* of the way from first to second */
};
struct agg_ranks agg_fraction_cont(const struct agg_fraction *f, uint64_t total, bool desc);
uint64_t agg_fraction_disc(const struct agg_fraction *f, uint64_t total, bool desc);
void agg_fraction_save(const struct agg_fraction *f, struct buf *b);
void agg_fraction_load(struct agg_fraction *f, struct rd *r); /* r->bad: it makes no sense */
