/* SPDX-License-Identifier: Apache-2.0
 *
 * run.h: the start of an execution. Owner thread of the connection only. */
#pragma once

#include "engine/engine_int.h"
#include "engine/names.h"

/* Executes a statement; a query is made ready to return its rows. */
int stmt_run(struct dendro_stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
/* "INSERT 0 3": what was done, when it is done. */
void stmt_set_tag(struct dendro_stmt *stmt);
