/* SPDX-License-Identifier: Apache-2.0
 *
 * sort_team.h: exec_sort_order (sort_rows.h) for many rows, by several threads: each sorts a
 * stretch of them, then the stretches are merged. The order is the same.
 *
 * One thread at a time: that of the statement. */
#pragma once

#include "exec/exec_int.h"
#include "exec/sort_rows.h"

int exec_sort_order_team(struct exec_sort_rows *s,
                         const struct exec_ctx *ctx,
                         struct dn_err *err) DN_MUST_CHECK;
