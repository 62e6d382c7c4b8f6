/* SPDX-License-Identifier: Apache-2.0
 *
 * compact.h: batches of few rows put together. A filter or a join often leaves a handful of a
 * thousand rows; what comes above costs the same for these as for all. Where all rows of an
 * operator will be asked for (op.drained), its small batches are copied into one that is nearly
 * full; larger ones go on as they are. The order of rows stays. Where some rows may be enough
 * (LIMIT), nothing is gathered: rows should come at once there.
 *
 * One thread at a time. */
#pragma once

#include "exec/exec.h"

/* The next batch of an operator, as it makes it; how exec_compact_next asks for batches. */
typedef int (*exec_compact_fn)(struct op *op, struct batch *ret, struct dn_err *err);

/* Like `next`, with small batches put together; valid until the next call. */
int exec_compact_next(struct op *op, exec_compact_fn next, struct batch *ret, struct dn_err *err)
    DN_MUST_CHECK;
void exec_compact_close(struct op *op); /* none is fine */

/* All rows of the operator will be asked for; before the first one is. Operators below that hand
 * rows on are told, too, as far as they are open. */
void exec_drain(struct op *op);
