/* SPDX-License-Identifier: Apache-2.0
 *
 * appender_all.c: several appenders in one commit; see appender.h. */
#include "engine/appender.h"

#include "engine/appender_int.h"
#include "engine/commit.h"
#include "engine/pressure.h"

static int all_write(dendro_appender *const *apps,
                     struct shard_batch *batches,
                     size_t count,
                     struct dn_err *err)
{
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < count; i++) {
        if (apps[i]->rows.rows == 0)
            continue;
        rc = intake_batch(&apps[i]->rows, &batches[n], err);
        n++;
    }
    return rc < 0 || n == 0 ? rc : session_commit(apps[0]->conn, batches, n, err);
}

static int all_commit(dendro_appender *const *apps, size_t count, struct dn_err *err)
{
    struct dendro_conn *conn = apps[0]->conn;
    struct shard_batch *batches = mem_calloc(&conn->db->owner, count, sizeof(*batches));
    struct pressure p;
    uint64_t bytes = 0;
    int rc = batches ? 0 : DN_FAIL_NOMEM(err);

    for (size_t i = 0; rc == 0 && i < count; i++) {
        rc = appender_ready(apps[i], err);
        bytes += apps[i]->bytes;
    }
    if (rc == 0) {
        atomic_store(&conn->cancel, activity_ended(conn));
        pressure_begin(&p, conn);
        do {
            rc = all_write(apps, batches, count, err);
        } while (rc < 0 && (rc = pressure_relieve(&p, conn, bytes, rc, err)) == 0);
    }
    mem_free(batches);
    if (rc == 0)
        for (size_t i = 0; i < count; i++)
            appender_flushed(apps[i]);
    return rc;
}

int appender_commit_all(dendro_appender *const *apps, size_t count, struct dendro_error *err)
{
    struct dn_err e;
    int rc = 0;

    dn_err_clear(&e);
    if (count == 0)
        return engine_return(err, &e, DENDRO_OK);
    if (count > 1 && !tx_in_block(apps[0]->conn))
        return engine_return(err, &e, all_commit(apps, count, &e));
    for (size_t i = 0; rc >= 0 && i < count; i++)
        rc = dendro_appender_flush(apps[i], err);
    return rc;
}

struct table *appender_table(dendro_conn *conn, const char *schema, const char *name)
{
    const struct qual_name q = {.schema = schema, .name = name};
    struct catalog *cat = tx_catalog(conn);
    struct dn_err why; /* nobody asks */
    const struct table *t = session_table(conn, cat, &q, &why);
    struct table *ref = t ? table_ref(t) : NULL;

    catalog_unref(cat);
    return ref;
}
