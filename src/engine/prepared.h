/* SPDX-License-Identifier: Apache-2.0
 *
 * prepared.h: PREPARE and its like for protocols that keep statements by name themselves: to
 * clients both kinds are one. Threads: as dendro.h. */
#pragma once

#include "dendro.h"
#include "func/session.h"

/* Is it a DEALLOCATE? Then of which name; NULL: ALL. */
bool engine_deallocates(const dendro_stmt *stmt, const char **ret_name);
/* What PREPARE made, the last first. */
void session_list_prepared(const struct dendro_conn *conn, func_kept_fn fn, void *fn_arg);
