/* SPDX-License-Identifier: Apache-2.0
 *
 * ttl.h: how long the rows of a statement live (docs/adr/0009). The thread of the session. */
#pragma once

#include "engine/engine_int.h"

/* Has a table, or have the shards of a time partition, rows that expire? */
bool stmt_expires(struct dendro_stmt *stmt, const struct table *t);
/* When rows that a statement writes into a table now expire, as struct shard_batch has it. ttl: of
 * its USING TTL; NULL: as the table says. */
int stmt_expiry(struct dendro_stmt *stmt,
                const struct table *t,
                const struct expr *ttl,
                int64_t *ret_expiry_ns,
                struct dn_err *err) DN_MUST_CHECK;
