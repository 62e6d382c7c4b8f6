/* SPDX-License-Identifier: Apache-2.0
 *
 * join.h: what becomes of the left rows of a join, whatever finds their matches. For each batch of
 * the left side:
 *
 *     exec_joiner_left -> exec_joiner_match (for candidates, batch by batch) … -> exec_joiner_rest
 *
 * match applies the filter, notes which left rows have a match and says which candidates are rows
 * of the result; rest gives the rows that depend on all candidates being known: left rows without a
 * match, those of SEMI and ANTI, marks.
 *
 * One thread at a time. */
#pragma once

#include "exec/exec_int.h"
#include "exec/rows.h"

enum exec_join_hit { JOIN_HIT = 1, JOIN_UNKNOWN = 2 };

struct exec_joiner {
    const struct plan_node *node; /* JOIN or APPLY; borrowed */
    struct arena batch;           /* of the candidates at hand: reset it for each */
    struct arena run;
    struct eval ev;
    enum type_id *right_types; /* in run */
    struct vec *cols;          /* in run: left columns, then right ones or the mark */
    struct batch left;         /* the batch at hand */
    uint8_t *hits;             /* in run, by row of it: enum exec_join_hit */
    uint16_t *sel;             /* in run */
    bool rest_done;
};

/* Candidates: columns are in joiner->cols; each row of the batch belongs to a row of the left. */
struct exec_join_cands {
    uint32_t count;
    const uint16_t *sel; /* NULL = all */
    uint32_t sel_count;
    const uint16_t *left; /* left row of each row; NULL: the same number, or `one_left` */
    bool one_left;        /* all are of left row `left_row` */
    uint16_t left_row;
};

int exec_joiner_init(struct exec_joiner *j, struct op *op, struct dn_err *err) DN_MUST_CHECK;
void exec_joiner_done(struct exec_joiner *j); /* half-made or zeroed is fine */
void exec_joiner_left(struct exec_joiner *j, const struct batch *left);

/* Does the kind ask only whether there is a match? */
static inline bool exec_join_asks(enum plan_join_kind kind)
{
    return kind == PLAN_JOIN_SEMI || kind == PLAN_JOIN_ANTI || kind == PLAN_JOIN_MARK;
}

/* ret are the candidates that match, with columns of both sides; sel_count may be 0. */
int exec_joiner_match(struct exec_joiner *j,
                      const struct exec_join_cands *cands,
                      struct batch *ret,
                      struct dn_err *err) DN_MUST_CHECK;
/* A candidate without filter: the left row has a match. DN_E_CARDINALITY: SINGLE, the second. */
int exec_joiner_hit(struct exec_joiner *j, uint32_t row, struct dn_err *err) DN_MUST_CHECK;
/* DN_EOF: nothing is left to say about the left batch. */
int exec_joiner_rest(struct exec_joiner *j, struct batch *ret, struct dn_err *err) DN_MUST_CHECK;

/* "left" of "Hash join left". */
const char *exec_join_kind_name(enum plan_join_kind kind);
/* " on a = b and c = d". */
int exec_join_explain_keys(const struct plan_node *node,
                           struct buf *b,
                           struct dn_err *err) DN_MUST_CHECK;
/* The filter's line, if there is one. */
int exec_join_explain_filter(const struct plan_node *node,
                             struct buf *b,
                             struct dn_err *err) DN_MUST_CHECK;
/* op_ops.explain of JOIN. */
int exec_join_explain(const struct plan_node *node,
                      struct exec_ctx *ctx,
                      struct buf *b,
                      struct dn_err *err) DN_MUST_CHECK;
