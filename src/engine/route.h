/* SPDX-License-Identifier: Apache-2.0
 *
 * route.h: rows on their way into a time partition whose shards roll meanwhile. Whoever writes is
 * never refused for that:
 *
 *     a commit outside a block   its rows go to the shard that is the newest then (route_batches)
 *     a bulk load                … that was it when it began; if that has gone, to the newest
 *                                (route_load)
 *     a transaction block        the same, for what it inserted; what it did to rows of shards that
 *                                have gone went with them (route_overlay)
 *
 * A partition that was altered meanwhile is another thing: DN_E_TABLE_CHANGED, as of any table. So
 * is a shard that was named by the statement, and not by way of its partition: its rows go there,
 * be it the newest or not, and if it has gone, nowhere.
 *
 * The session's thread. */
#pragma once

#include "store/overlay.h"

struct catalog;
struct dendro_conn;
struct dendro_db;
struct shard_load;
struct shard_load_options;

/* Are those of a commit inserted rows of shards, which may go to another one, and nothing that
 * depends on what a shard holds? */
bool route_may(const struct shard_batch *batches, size_t count);
/* Copies the batches with the tables they go to by the catalog. */
int route_batches(const struct catalog *cat,
                  const struct shard_batch *from,
                  size_t count,
                  struct shard_batch *to,
                  struct dn_err *err) DN_MUST_CHECK;
/* shard_load_begin for rows made for t, which may be a shard that was named; options without a
 * route. */
int route_load(struct dendro_db *db,
               const struct table *t,
               bool named,
               const struct shard_load_options *options,
               struct shard_load **ret,
               struct dn_err *err) DN_MUST_CHECK;

/* What becomes of the rows of a block in shards that have gone. */
struct routes {
    struct catalog *cat;     /* reference: that they go by */
    struct overlay_route *v; /* owned */
    size_t count;
};
/* For the rows of the session's block, which has changed no table; in force until the next. Fails
 * with DN_E_TABLE_CHANGED if a table has gone for another reason. */
int route_overlay(struct dendro_conn *conn, struct routes *ret, struct dn_err *err) DN_MUST_CHECK;
void routes_done(struct routes *r); /* zeroed is fine */
