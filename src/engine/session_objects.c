/* SPDX-License-Identifier: Apache-2.0
 *
 * session_objects.c: what functions ask about objects, answered for a session: its catalog, its
 * names, the sizes of tables. */
#include "engine/names.h"
#include "engine/prepared.h"
#include "engine/session_zone.h"
#include "system/system.h"

/* Segments, and the memory of rows that are in none yet. */
static int64_t session_size(const struct dendro_db *db, const struct table *t)
{
    struct shard_stats stats;

    shard_table_stats(db->shard, t->id, &stats);
    return (int64_t)(stats.segment_bytes + (stats.memtable_rows ? stats.memtable_bytes : 0));
}

/* Bytes of a table, or of all. */
static int session_sizes(const struct dendro_conn *conn,
                         const struct sys_env *env,
                         const struct func_ask *ask,
                         struct func_answer *ret)
{
    const struct table *t;

    ret->number = 0;
    if (ask->type == TYPE_REGCLASS) {
        t = sys_ask_table(env, ask);
        if (t)
            ret->number = session_size(conn->db, t);
        return 0;
    }
    for (size_t i = 0; i < env->catalog->tables_count; i++)
        ret->number += session_size(conn->db, env->catalog->tables[i]);
    return 0;
}

int session_ask(void *arg, const struct func_ask *ask, struct func_answer *ret, struct dn_err *err)
{
    struct dendro_conn *conn = arg;
    struct catalog *cat = tx_catalog(conn);
    struct catalog_path path = session_path(conn);
    struct sys_env env = {.catalog = cat,
                          .schema = path.schema,
                          .temp = path.temp,
                          .more = path.more,
                          .settings = &conn->settings,
                          .session = &conn->functions};
    int rc = ask->kind == FUNC_ASK_SIZE ? session_sizes(conn, &env, ask, ret)
                                        : sys_answer(&env, ask, ret, err);

    catalog_unref(cat);
    return rc;
}

void session_kept(void *arg, bool prepared, func_kept_fn fn, void *fn_arg)
{
    const struct dendro_conn *conn = arg;

    if (prepared)
        session_list_prepared(conn, fn, fn_arg);
    else
        cursor_list(conn, fn, fn_arg);
}
