/* SPDX-License-Identifier: Apache-2.0
 *
 * names.h: what the names in a session's statements mean. Threads as in engine_int.h. */
#pragma once

#include "engine/engine_int.h"

/* The error of session_table once more, for a statement that writes: a view says so. */
int session_no_table(const struct dendro_conn *conn,
                     const struct catalog *cat,
                     const struct qual_name *name,
                     const char *what,
                     struct dn_err *err) DN_MUST_CHECK;
