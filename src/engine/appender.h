/* SPDX-License-Identifier: Apache-2.0
 *
 * appender.h: appenders for the layers above, beyond what dendro.h promises to programs. Threads as
 * there. */
#pragma once

#include "dendro.h"

struct table;

/* Flushes appenders of one session, of any tables, in one commit: all their rows or none. The rows
 * of a later one win over those of an earlier one. After an error they keep their rows. */
int appender_commit_all(dendro_appender *const *apps, size_t count, struct dendro_error *err);

/* The table that a name means for the session now, schema NULL: by its path. A reference, NULL:
 * there is none. */
struct table *appender_table(dendro_conn *conn, const char *schema, const char *name);
