/* SPDX-License-Identifier: Apache-2.0
 *
 * join_prune.h: what the right side of a join says about the left: once the right side is read, the
 * values of a key that is a plain column of a scan on the left become a constraint of that scan, so
 * that it reads only the series, slabs and blocks that can match. For joins that drop left rows
 * without a match.
 *
 * One thread at a time. */
#pragma once

#include "exec/join_table.h"

/* Adds constraints to ctx, which the left side is to be opened with; in the arena, strings stay in
 * the table. */
int exec_join_prune(const struct op *op,
                    const struct exec_join_table *t,
                    struct arena *arena,
                    struct exec_ctx *ctx,
                    struct dn_err *err) DN_MUST_CHECK;
