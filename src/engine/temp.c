/* SPDX-License-Identifier: Apache-2.0
 *
 * temp.c: temporary tables and views. Each session that makes one has a schema of its own for them,
 * pg_temp_<n>, which is looked at before the session's other schema and which nobody else sees. It
 * goes with the session; what a crash left is dropped when the database is opened. Rows of a
 * temporary table go through the log as all others, but nobody waits for them to be durable.
 *
 * ON COMMIT DELETE ROWS and DROP happen when a transaction ends (session_commit_temps): at the end
 * of each statement outside of one. */
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/sequence_ddl.h"
#include "engine/session_settings.h"

#include <stdio.h>
#include <strings.h>

/* Numbers of sessions are not used twice, so a name is one session's as long as the database is
 * open; it may be that of a schema which could not be dropped. The name is chosen once for a
 * session: a later edit of the same statement sees the schema that the first one made, and must
 * take that one, not look for a free name again. */
static void temp_choose(struct dendro_conn *conn, const struct catalog *cur)
{
    unsigned again = 0;

    snprintf(conn->temp_name,
             sizeof(conn->temp_name),
             CATALOG_TEMP "_%llu",
             (unsigned long long)conn->number);
    while (catalog_schema(cur, conn->temp_name, NULL))
        snprintf(conn->temp_name,
                 sizeof(conn->temp_name),
                 CATALOG_TEMP "_%llu_%u",
                 (unsigned long long)conn->number,
                 ++again);
}

int session_temp_base(struct dendro_conn *conn,
                      const struct catalog *cur,
                      struct catalog **ret_base,
                      char *ret_schema,
                      struct dn_err *err)
{
    *ret_base = NULL;
    if (!conn->temp_name[0])
        temp_choose(conn, cur);
    snprintf(ret_schema, SESSION_TEMP_MAX, "%s", conn->temp_name);
    if (catalog_schema(cur, ret_schema, NULL))
        return 0;
    return catalog_with_temp_schema(cur, ret_schema, ret_base, err); /* or it was rolled back */
}

void session_temp_made(struct dendro_conn *conn, const char *schema, enum table_temp kind)
{
    snprintf(conn->temp_schema, sizeof(conn->temp_schema), "%s", schema);
    conn->temp_commits = conn->temp_commits || kind == TABLE_TEMP_DELETE || kind == TABLE_TEMP_DROP;
    if (kind != TABLE_PERMANENT)
        session_temp_show(conn, true);
    conn->epoch++;
}

bool session_temp_shown(const struct dendro_conn *conn)
{
    return conn->functions.temp_schema == conn->temp_schema;
}

void session_temp_show(struct dendro_conn *conn, bool on)
{
    conn->functions.temp_schema = on ? conn->temp_schema : "";
}

void session_temp_follow(struct dendro_conn *conn, bool shown)
{
    struct catalog *cat;

    bool there;

    session_temp_show(conn, shown);
    if (!conn->temp_name[0])
        return;
    cat = tx_catalog(conn);
    there = catalog_schema(cat, conn->temp_name, NULL) != NULL; /* DISCARD TEMP may be undone */
    if (there != (conn->temp_schema[0] != '\0')) {
        snprintf(conn->temp_schema, sizeof(conn->temp_schema), "%s", there ? conn->temp_name : "");
        conn->epoch++;
    }
    catalog_unref(cat);
}

bool session_temp_wanted(const struct dendro_conn *conn,
                         const struct catalog *cat,
                         const struct spec_name *schema,
                         enum persistence persistence,
                         bool *ret,
                         struct dn_err *err)
{
    const struct schema_def *s =
        schema->s ? catalog_schema(cat, schema->s, NULL) : NULL; /* errors come later */
    bool own = schema->s && (strcasecmp(schema->s, CATALOG_TEMP) == 0 ||
                             (s && s->temp && strcmp(s->name, conn->temp_schema) == 0));

    *ret = own || persistence == PERSIST_TEMP || (!schema->s && session_path_is_temp(conn, cat));
    if (!*ret && !schema->s && session_path_is_system(conn)) {
        DN_IGNORE(DN_FAIL(err, /* false says it */
                          DN_E_SYSTEM_CATALOG,
                          "permission denied to create an object in schema \"%s\"",
                          conn->shown));
        return false;
    }
    if (!*ret || !schema->s || own)
        return true;
    DN_IGNORE(
        DN_FAIL(err,
                DN_E_BAD_TABLE,
                "cannot create temporary relation in non-temporary schema")); /* false says it */
    dn_err_at(err, schema->pos);
    return false;
}

/* ---- the end of a session, and what is left of those that had none ---- */

struct temp_sweep {
    const char *schema;             /* NULL: all temporary ones */
    const struct dendro_conn *conn; /* whose cursors may read them; NULL: there are none */
    struct arena *arena;
};

static bool temp_goes(const struct temp_sweep *s, const struct catalog *c, const char *schema)
{
    const struct schema_def *def = catalog_schema(c, schema, NULL);

    return def && def->temp && (!s->schema || strcmp(s->schema, def->name) == 0);
}

/* DEFAULTs of tables that stay may be of sequences that went: CREATE TABLE p (LIKE t INCLUDING
 * DEFAULTS). They go, too. */
static int temp_defaults(const struct dendro_conn *conn,
                         struct arena *arena,
                         const struct catalog *before,
                         struct catalog **cat,
                         struct dn_err *err)
{
    const struct ddl_gone gone = {.arena = arena,
                                  .types = conn ? &conn->types : NULL,
                                  .before = before,
                                  .what = "a temporary sequence",
                                  .cascade = true};

    return ddl_sequences_gone(&gone, cat, err);
}

static int
temp_sweep(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    const struct temp_sweep *s = arg;
    uint64_t *ids = arena_alloc_array(
        s->arena, cur->tables_count + cur->views_count + cur->sequences_count + 1, sizeof(*ids));
    struct catalog *next, *emptied;
    size_t n = 0;
    int rc;

    if (!ids)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < cur->tables_count; i++) {
        if (!temp_goes(s, cur, cur->tables[i]->schema))
            continue;
        rc = s->conn ? cursor_check_unused(s->conn, cur->tables[i], "DROP TABLE", err) : 0;
        if (rc < 0)
            return rc;
        ids[n++] = cur->tables[i]->id;
    }
    for (size_t i = 0; i < cur->views_count; i++)
        if (temp_goes(s, cur, cur->views[i]->schema))
            ids[n++] = cur->views[i]->id;
    for (size_t i = 0; i < cur->sequences_count; i++)
        if (temp_goes(s, cur, cur->sequences[i]->schema))
            ids[n++] = cur->sequences[i]->id;
    rc = catalog_without(cur, ids, n, &next, err);
    if (rc < 0)
        return rc;
    rc = temp_defaults(s->conn, s->arena, cur, &next, err);
    for (size_t i = 0; rc == 0 && i < cur->schemas_count; i++) {
        if (!temp_goes(s, cur, cur->schemas[i].name))
            continue;
        emptied = next;
        rc = catalog_without_schema(emptied, cur->schemas[i].name, &next, err);
        if (rc < 0)
            next = NULL;
        catalog_unref(emptied);
    }
    if (rc == 0)
        *ret_next = next;
    else
        catalog_unref(next);
    return rc;
}

static int temp_run_sweep(struct dendro_db *db, const char *schema, struct dn_err *err)
{
    struct arena arena;
    struct temp_sweep s = {.schema = schema, .arena = &arena};
    int rc;

    arena_init(&arena, &db->owner);
    rc = engine_edit(db, NULL, temp_sweep, &s, err);
    arena_done(&arena);
    return rc;
}

void session_drop_temps(struct dendro_conn *conn)
{
    struct dn_err ignored;

    if (conn->temp_schema[0]) /* if it fails the next open does it */
        DN_IGNORE(temp_run_sweep(conn->db, conn->temp_schema, &ignored));
    conn->temp_schema[0] = '\0';
}

int session_discard_temps(struct dendro_conn *conn, struct dn_err *err)
{
    struct arena arena;
    struct temp_sweep s = {.schema = conn->temp_schema, .conn = conn, .arena = &arena};
    int rc;

    if (!conn->temp_schema[0])
        return 0;
    arena_init(&arena, &conn->db->owner);
    rc = tx_in_block(conn) && !conn->tx.rows ? tx_fix(conn, err) : 0;
    if (rc == 0)
        rc = tx_edit(conn, temp_sweep, &s, err);
    arena_done(&arena);
    return rc < 0 ? rc : 0;
}

void engine_sweep_temps(struct dendro_db *db)
{
    struct dn_err ignored;
    bool any = false;

    for (size_t i = 0; i < db->catalog->schemas_count; i++)
        any = any || db->catalog->schemas[i].temp;
    if (any && !db->read_only) /* if it fails nobody sees them all the same */
        DN_IGNORE(temp_run_sweep(db, NULL, &ignored));
}

/* ---- ON COMMIT ---- */

/* The first table of the session that the end of a transaction changes; NULL: none. */
static const struct table *temp_due(const struct dendro_conn *conn, const struct catalog *c)
{
    for (size_t i = 0; i < c->tables_count; i++) {
        const struct table *t = c->tables[i];
        struct shard_stats stats;

        if (t->temp < TABLE_TEMP_DELETE || strcmp(t->schema, conn->temp_schema) != 0)
            continue;
        if (t->temp == TABLE_TEMP_DROP)
            return t;
        shard_table_stats(conn->db->shard, t->id, &stats);
        if (stats.memtable_rows + stats.segment_rows > 0)
            return t;
    }
    return NULL;
}

static int
temp_commit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    const struct table *due = temp_due(arg, cur);
    struct arena arena;
    struct table *t;
    int rc;

    if (!due)
        return DN_NOT_FOUND;
    if (due->temp == TABLE_TEMP_DROP) {
        rc = catalog_without_table(cur, due->id, ret_next, err);
        if (rc < 0)
            return rc;
        arena_init(&arena, NULL);
        rc = temp_defaults(arg, &arena, cur, ret_next, err);
        arena_done(&arena);
        if (rc < 0)
            catalog_unref(*ret_next);
        return rc;
    }
    rc = table_copy(due, &t, err);
    if (rc == 0) {
        rc = catalog_with_changed_table(cur, t, true, ret_next, err);
        table_unref(t);
    }
    return rc;
}

int session_commit_temps(struct dendro_conn *conn, struct dn_err *err)
{
    int rc = 0;

    /* The commit is done, and is not said to have been canceled. */
    while (rc == 0 && conn->temp_commits && !tx_in_block(conn))
        rc = engine_edit(conn->db, NULL, temp_commit, conn, err);
    return rc < 0 ? rc : 0;
}
