/* SPDX-License-Identifier: Apache-2.0
 *
 * route.c: see the header. */
#include "engine/route.h"

#include "engine/engine_int.h"
#include "engine/timepart.h"
#include "store/shard_load.h"

static int route_gone(const struct table *t, struct dn_err *err)
{
    return DN_FAIL(err,
                   DN_E_TABLE_CHANGED,
                   "table \"%s\" was dropped or emptied by another session meanwhile",
                   t->name);
}

/* Where a load goes that was made for t; the session's catalog may be older. */
static int route_table(void *arg, const struct table *t, struct table **ret, struct dn_err *err)
{
    struct dendro_db *db = arg;
    const struct table *to;
    struct catalog *cat;
    int rc = engine_catalog_now(db, &cat, err);

    if (rc < 0)
        return rc;
    to = timepart_target(cat, t);
    if (to)
        *ret = table_ref(to->id == t->id ? t : to);
    else
        rc = route_gone(t, err);
    catalog_unref(cat);
    return rc;
}

int route_load(struct dendro_db *db,
               const struct table *t,
               bool named,
               const struct shard_load_options *options,
               struct shard_load **ret,
               struct dn_err *err)
{
    struct shard_load_options how = *options;
    struct table *to;
    int rc;

    if (t->ttl_seconds)
        engine_rollouts_expiry(db);
    if (named) {
        rc = engine_write_ready(db, t, err);
        return rc < 0 ? rc : shard_load_begin(db->shard, t, &how, ret, err);
    }
    rc = route_table(db, t, &to, err);
    if (rc < 0)
        return rc;
    how.route = route_table;
    how.route_arg = db;
    rc = shard_load_begin(db->shard, to, &how, ret, err);
    table_unref(to);
    return rc;
}

/* ---- commits ---- */

bool route_may(const struct shard_batch *batches, size_t count)
{
    bool shard = false;

    for (size_t i = 0; i < count; i++) {
        if (!batches[i].inserts || batches[i].check_seq)
            return false;
        shard = shard || batches[i].table->parent != 0;
    }
    return shard;
}

int route_batches(const struct catalog *cat,
                  const struct shard_batch *from,
                  size_t count,
                  struct shard_batch *to,
                  struct dn_err *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct table *t = from[i].named ? catalog_table_by_id(cat, from[i].table->id)
                                              : timepart_target(cat, from[i].table);

        if (!t)
            return route_gone(from[i].table, err);
        to[i] = from[i];
        if (t->id != from[i].table->id)
            to[i].table = t;
    }
    return 0;
}

/* ---- blocks ---- */

static int route_add(struct dendro_conn *conn,
                     const struct table *t,
                     struct overlay_route *to,
                     const struct catalog *now,
                     struct dn_err *err)
{
    const struct table *was = timepart_parent(conn->tx.catalog, t);
    const struct table *newest = was ? timepart_newest(conn->tx.catalog, was) : NULL;

    *to = (struct overlay_route){.from = t->id};
    if (overlay_named(conn->tx.rows, t->id))
        return route_gone(t, err);
    if (!newest || !timepart_parent(now, t)) /* it is no shard, or its partition has gone, too */
        return route_gone(t, err);
    if (newest->id != t->id)
        return 0;
    to->to = timepart_target(now, t);
    return to->to ? 0 : route_gone(t, err);
}

int route_overlay(struct dendro_conn *conn, struct routes *ret, struct dn_err *err)
{
    struct overlay *rows = conn->tx.rows;
    const struct table *t;
    size_t tables = 0;
    size_t at = 0;
    int rc;

    *ret = (struct routes){.count = 0};
    while (overlay_table(rows, &at))
        tables++;
    rc = engine_catalog_now(conn->db, &ret->cat, err);
    if (rc < 0)
        return rc;
    ret->v = mem_calloc(&conn->db->owner, tables + 1, sizeof(*ret->v));
    if (!ret->v)
        rc = DN_FAIL_NOMEM(err);
    at = 0;
    while (rc == 0 && (t = overlay_table(rows, &at)) != NULL)
        if (!catalog_table_by_id(ret->cat, t->id))
            rc = route_add(conn, t, &ret->v[ret->count++], ret->cat, err);
    if (rc == 0)
        overlay_set_routes(rows, ret->v, ret->count);
    else
        routes_done(ret);
    return rc;
}

void routes_done(struct routes *r)
{
    catalog_unref(r->cat);
    mem_free(r->v);
    *r = (struct routes){.count = 0};
}
