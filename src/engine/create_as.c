/* SPDX-License-Identifier: Apache-2.0
 *
 * create_as.c: CREATE TABLE AS and SELECT INTO, whole or not there: the table is made among the
 * session's temporary objects, where nobody sees it, its own query neither, and a crash does not
 * leave it; it is filled; then one edit of the catalog gives it its schema and name. */
#include "engine/create_as.h"

#include "engine/engine_int.h"
#include "engine/names.h"

#include <stdio.h>

struct make {
    struct dendro_stmt *stmt;
    struct ddl_place place; /* where it is to be in the end */
    struct table_spec spec;
    char hidden[SESSION_TEMP_MAX]; /* schema it is made in */
    uint64_t id;                   /* 0 = not made yet */
    char skipped[2 * TABLE_NAME_MAX + 64];
};

/* The type of the column that a value of the query is kept in: a time without a zone is kept as the
 * instant at which clocks of the session show it. */
static enum type_id make_type(enum type_id type)
{
    return type == TYPE_NONE                             ? TYPE_VARCHAR
           : type == TYPE_TIMESTAMP_LOCAL                ? TYPE_TIMESTAMP_US
           : type == type_array_of(TYPE_TIMESTAMP_LOCAL) ? type_array_of(TYPE_TIMESTAMP_US)
                                                         : type;
}

/* ---- compile ---- */

static int make_changed(const struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct intake_target *to = &stmt->insert;
    bool same = stmt->plan->cols_count == to->cols_count;

    for (uint32_t i = 0; same && i < to->cols_count; i++) {
        same = make_type(stmt->plan->cols[i].type) == to->table->columns[i].type;
    }
    return same ? 0
                : DN_FAIL(err, DN_E_TABLE_CHANGED, "a table of the query was altered meanwhile");
}

int stmt_compile_create_as(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct table_def *def = stmt_inner(stmt)->table_def;
    struct plan_env env = stmt_plan_env(stmt, &stmt->compiled);
    int rc;

    if (!def->as)
        return 0;
    rc = plan_query(&env, stmt_inner(stmt), NULL, def->as, &stmt->plan, err);
    if (rc < 0)
        return rc;
    stmt->reads = def->as;
    if (stmt->insert.table) /* while it runs: someone has changed the catalog */
        return make_changed(stmt, err);
    if (def->as_columns_count > stmt->plan->cols_count) {
        rc = DN_FAIL(err, DN_E_SYNTAX, "too many column names were specified");
        dn_err_at(err, def->as_columns[stmt->plan->cols_count].pos);
    }
    return rc;
}

/* ---- the table ---- */

static int make_spec(struct make *m, struct dn_err *err)
{
    const struct plan *plan = m->stmt->plan;
    const struct table_def *def = stmt_inner(m->stmt)->table_def;
    struct column_spec *cols =
        arena_calloc(&m->stmt->run, (size_t)plan->cols_count + 1, sizeof(*cols));

    if (!cols)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < plan->cols_count; i++) {
        const char *name = arena_strndup(
            &m->stmt->run, plan->cols[i].name, strlen(plan->cols[i].name)); /* the plan may go */

        if (!name)
            return DN_FAIL_NOMEM(err);
        cols[i].name = i < def->as_columns_count
                           ? def->as_columns[i]
                           : (struct spec_name){.s = name, .pos = def->as->pos};
        cols[i].type = make_type(plan->cols[i].type);
        if (plan->cols[i].origin.declared)
            cols[i].mods = plan->cols[i].origin.mods;
    }
    m->spec = *stmt_inner(m->stmt)->create;
    m->spec.columns = cols;
    m->spec.columns_count = plan->cols_count;
    return 0;
}

/* A name that is free in the session's own schema. */
static void make_name(const struct catalog *c, const char *schema, char *to, size_t size)
{
    struct catalog_relation r;
    unsigned n = 0;

    do
        snprintf(to, size, "create table as %u", ++n);
    while (catalog_relation(c, schema, to, &r, NULL) == 0);
}

static int
make_hidden(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct make *m = arg;
    struct catalog_relation there;
    struct catalog *base = NULL;
    struct table *t = NULL;
    char name[64];
    int rc = ddl_place(m->stmt, cur, &m->place, err);

    if (rc == 0 && stmt_inner(m->stmt)->if_not_exists &&
        catalog_relation(cur, m->place.schema, m->spec.name.s, &there, NULL) == 0) {
        catalog_unref(m->place.base);
        snprintf(m->skipped,
                 sizeof(m->skipped),
                 "relation \"%s\" already exists, skipped",
                 m->spec.name.s);
        return DN_NOT_FOUND;
    }
    m->spec.schema.s = m->place.schema;
    m->spec.temp = m->place.temp;
    if (rc == 0)
        rc = table_build(&m->spec, &t, err); /* under its own name, for the messages */
    if (rc == 0)
        rc = catalog_free(cur, m->place.schema, m->spec.name.s, err);
    if (rc < 0)
        dn_err_at(err, m->spec.name.pos);
    if (rc == 0)
        rc = session_temp_base(m->stmt->conn, cur, &base, m->hidden, err);
    if (rc == 0) {
        make_name(base ? base : cur, m->hidden, name, sizeof(name));
        rc = table_move(t, m->hidden, name, err);
    }
    if (rc == 0)
        rc = catalog_with_table(base ? base : cur, t, ret_next, err);
    if (rc == 0)
        m->id = t->id;
    table_unref(t);
    catalog_unref(base);
    catalog_unref(m->place.base);
    return rc;
}

static int
make_visible(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct make *m = arg;
    const struct table *was = catalog_table_by_id(cur, m->id);
    struct table *t;
    int rc = ddl_place(m->stmt, cur, &m->place, err);

    if (rc < 0)
        return rc;
    DN_ASSERT(!m->place.base); /* the session's schema is there: the table is in it */
    if (!was)
        return DN_FAIL(err, DN_E_UNDEFINED_TABLE, "the table does not exist any more");
    rc = table_copy(was, &t, err);
    if (rc < 0)
        return rc;
    rc = table_move(t, m->place.schema, m->spec.name.s, err);
    if (rc == 0)
        rc = catalog_with_changed_table(cur, t, false, ret_next, err);
    if (rc < 0)
        dn_err_at(err, m->spec.name.pos);
    table_unref(t);
    return rc;
}

static int
make_undone(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    const struct make *m = arg;

    return catalog_table_by_id(cur, m->id) ? catalog_without_table(cur, m->id, ret_next, err)
                                           : DN_NOT_FOUND;
}

/* ---- the rows ---- */

static int make_fill(struct make *m, struct dn_err *err)
{
    struct dendro_stmt *stmt = m->stmt;
    struct catalog *made = tx_catalog(stmt->conn);
    const struct table *t = catalog_table_by_id(made, m->id);
    struct plan_env env = session_plan_env(stmt->conn, made, &stmt->run);
    int rc;

    rc = t ? intake_target_columns(&stmt->insert, t, NULL, 0, &stmt->run, err)
           : DN_FAIL(err, DN_E_UNDEFINED_TABLE, "the table does not exist any more");
    if (rc == 0)
        rc = intake_target_bind(&stmt->insert, &env, err);
    if (rc == 0)
        rc = intake_target_unlisted(&stmt->insert, err);
    if (rc == 0)
        rc = stmt_run_insert_query(stmt, err);
    stmt->insert = (struct intake_target){.table = NULL};
    catalog_unref(made);
    return rc;
}

int stmt_run_create_as(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_db *db = stmt->conn->db;
    bool block = tx_in_block(stmt->conn);
    struct make m = {.stmt = stmt};
    struct dn_err ignored;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc = make_spec(&m, err);
    if (rc == 0)
        rc = tx_edit(stmt->conn, make_hidden, &m, err);
    if (rc == DN_NOT_FOUND) {
        session_notice(stmt->conn, "NOTICE", "%s", m.skipped);
        return 0;
    }
    if (rc < 0)
        return rc;
    session_temp_made(stmt->conn, m.hidden, m.spec.temp);
    stmt->epoch = stmt->conn->epoch; /* that changes nothing for the plan */
    if (!stmt_inner(stmt)->table_def->no_data)
        rc = make_fill(&m, err);
    if (rc == 0)
        rc = block ? tx_edit(stmt->conn, make_visible, &m, err)
                   : engine_edit_of(stmt->conn, make_visible, &m, err);
    if (rc < 0 && !block) /* if it fails it goes with the session */
        DN_IGNORE(engine_edit(db, NULL, make_undone, &m, &ignored));
    return rc;
}
