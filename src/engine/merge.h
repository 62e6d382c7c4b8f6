/* SPDX-License-Identifier: Apache-2.0
 *
 * merge.h: MERGE. Owner thread of the connection only. */
#pragma once

#include "base/err.h"
#include "sql/ast.h"

struct dendro_stmt;

/* The statements that a MERGE is made of, in the order in which they run; memory of
 * stmt->compiled. */
int stmt_merge_parts(struct dendro_stmt *stmt,
                     struct stmt ***ret,
                     uint32_t *ret_count,
                     struct dn_err *err) DN_MUST_CHECK;
/* The error of rows that several rows of the source would change. */
int stmt_merge_twice(struct dn_err *err) DN_MUST_CHECK;
