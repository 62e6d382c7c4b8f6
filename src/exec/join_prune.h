/* SPDX-License-Identifier: Apache-2.0
 *
 * join_prune.h: what the right side of a join says about the left: once the right side is read, the
 * values of its keys become constraints of the scans whose columns they are (join_reach.h), so that
 * these read only the series, slabs and blocks that can match, and leave out rows that do not. For
 * joins that drop left rows without a match.
 *
 * One thread at a time. */
#pragma once

#include "exec/join_table.h"

/* Adds constraints to ctx, which the left side is to be opened with; in the arena, strings stay in
 * the table, which is finished and outlives the left side. */
int exec_join_prune(const struct op *op,
                    const struct exec_join_table *t,
                    struct arena *arena,
                    struct exec_ctx *ctx,
                    struct dn_err *err) DN_MUST_CHECK;
/* "keys narrow: a, b": the scans. */
int exec_join_prune_explain(const struct plan_node *node,
                            struct buf *b,
                            struct dn_err *err) DN_MUST_CHECK;
