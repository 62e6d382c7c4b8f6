/* SPDX-License-Identifier: Apache-2.0
 *
 * source.h: the rows of a scan that pass the conditions above it, read unit by unit (store/scan.h).
 * The Scan operator owns a source; a Filter above it hands its condition down, and an Aggregate
 * reads the units itself. Conditions that a constraint of the scan implies are not evaluated where
 * the store has proven the constraint; the others see only the columns they need, and the remaining
 * columns are decoded only where rows are left.
 *
 * Rows that a join above would drop for want of a key may be left out here (join_prune.h): each
 * unit of one key is looked up as a whole, others row by row, as long as that leaves out enough.
 *
 * A source is constant once opened; each reader belongs to one thread at a time. */
#pragma once

#include "exec/bound.h"
#include "exec/exec.h"
#include "exec/slice.h"
#include "func/narrow.h"

/* One operand of the AND that rows must satisfy. */
struct exec_cond {
    const struct bexpr *e;
    uint32_t pred;        /* constraint that implies it, PLAN_NO_COL = none */
    const uint32_t *cols; /* columns it reads */
    uint32_t cols_count;
    bool joins; /* plain (expr_is_plain), as the one before, and both read the same column alone, of
                   fixed width: they are tested together */
    const struct narrow *narrow; /* the same for columns that are stored as small integers; NULL: it
                                    is not of that kind */
};

struct exec_source {
    const struct plan_node *node; /* SCAN; borrowed */
    struct exec_ctx *ctx;         /* borrowed */
    struct mem_owner *owner;      /* borrowed */
    struct arena run;             /* constraints and conditions */
    struct plan_preds preds;
    struct scan *scan; /* owned */
    struct exec_cond *conds;
    uint32_t conds_count;
    const struct exec_prune **keys; /* in run: joins above whose keys rows must have to count */
    uint32_t keys_count;
    uint32_t *all_cols;       /* 0, 1, 2, … */
    uint32_t work;            /* of a row of it, for exec_count_rows */
    bool limited;             /* a LIMIT above stops after `wanted` rows of the Scan operator */
    uint64_t wanted;          /* … from now on */
    bool backward;            /* the Scan operator gives rows from the last to the first */
    struct exec_bound bound;  /* of a sort above; only the Scan operator's own reader looks at it */
    struct exec_quota *quota; /* owned: rows of each series that count (quota.h), as the bound; NULL
                                 = all */
};

/* close is right after a failed open, and on zeroed memory. */
int exec_source_open(struct exec_source *s,
                     const struct plan_node *node,
                     struct exec_ctx *ctx,
                     struct mem_owner *owner,
                     struct dn_err *err) DN_MUST_CHECK;
void exec_source_close(struct exec_source *s);
/* Adds a condition; before readers are opened. */
int exec_source_push(struct exec_source *s,
                     const struct bexpr *cond,
                     struct dn_err *err) DN_MUST_CHECK;

struct exec_reader {
    const struct exec_source *source;
    struct scan_reader *r; /* owned */
    struct arena batch;    /* reset for each unit */
    struct exec_pace pace; /* of the conditions */
    struct arena run;
    struct eval ev;
    struct scan_unit unit;          /* the one at hand */
    bool exact;                     /* all rows of the unit pass: nothing is left to evaluate */
    bool keys_asked;                /* rows of the unit are looked up by the keys of joins */
    struct exec_join_look *looks;   /* in run, one per key of joins; NULL: not yet */
    uint32_t keys_rest;             /* rows that are not, as too many of those before passed */
    uint32_t keys_rows;             /* looked up since */
    uint32_t keys_passed;           /* of these */
    struct exec_narrowed *narrowed; /* in run; NULL: not yet */
    uint16_t sel[VEC_ROWS_MAX];
};

int exec_reader_open(struct exec_reader *r,
                     const struct exec_source *s,
                     const struct scan_reader_options *options,
                     struct dn_err *err) DN_MUST_CHECK;
void exec_reader_close(struct exec_reader *r); /* half-open or zeroed is fine */
/* The next unit; DN_EOF at the end. Looks at the cancel flag. */
int exec_reader_next(struct exec_reader *r, struct dn_err *err) DN_MUST_CHECK;
/* Its rows that pass, as a selection over what is decoded so far; maybe none. Not of a BLOCK. */
int exec_reader_select(struct exec_reader *r, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;
/* Before the conditions of a unit. */
void exec_reader_narrow_begin(struct exec_reader *r);
/* The answers of a condition for the unit at hand, from columns as they are stored
 * (source_narrow.c), with those of conditions before it; ret_some: is a row left? DN_NOT_FOUND: its
 * columns have to be decoded. */
int exec_reader_narrow(struct exec_reader *r,
                       const struct exec_cond *c,
                       bool *ret_some,
                       struct dn_err *err) DN_MUST_CHECK;
/* Makes a selection of the answers so far, if there are any. */
void exec_reader_narrow_done(struct exec_reader *r, struct batch *batch);
/* Where few of many rows are selected the unit becomes just these, so that other columns are read
 * for them alone; the batch has no selection then. */
int exec_reader_pick(struct exec_reader *r, struct batch *batch, struct dn_err *err) DN_MUST_CHECK;
/* Do all its rows come too late for the sort above? A BLOCK that does not say so is split. */
bool exec_reader_late(struct exec_reader *r);
/* Leaves out rows that come too late for it. */
int exec_reader_bound(struct exec_reader *r, struct batch *batch, struct dn_err *err) DN_MUST_CHECK;
/* The keys of joins above (source_keys.c): may rows of the unit at hand have them? Sets
 * keys_asked. */
int exec_reader_unit_keys(struct exec_reader *r, bool *ret, struct dn_err *err) DN_MUST_CHECK;
/* Leaves out rows that have them not. */
int exec_reader_keys(struct exec_reader *r, struct batch *batch, struct dn_err *err) DN_MUST_CHECK;
/* Decodes columns of the unit into the batch that exec_reader_select gave. */
int exec_reader_fetch(struct exec_reader *r,
                      const uint32_t *cols,
                      uint32_t count,
                      struct batch *batch,
                      struct dn_err *err) DN_MUST_CHECK;

/* The source of a Scan operator, or of one below a Filter that handed its condition down; NULL: the
 * operator has none, its batches must be pulled. */
struct exec_source *exec_source_of(const struct op *op);

/* Does each evaluation count? */
bool exec_expr_volatile(const struct bexpr *e);
/* The columns that expressions read, each once, in the arena. */
int exec_expr_cols(const struct bexpr *const *exprs,
                   uint32_t count,
                   uint32_t cols_max,
                   struct arena *arena,
                   const uint32_t **ret_cols,
                   uint32_t *ret_count,
                   struct dn_err *err) DN_MUST_CHECK;
