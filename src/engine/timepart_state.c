/* SPDX-License-Identifier: Apache-2.0
 *
 * timepart_state.c: PUT TIME PARTITION … STATE: a partition as a dump has it. pg_dump writes the
 * parent (PARTITION BY TIME) and the tables under it as tables, fills these, and at its end, in the
 * place of a trigger, says which of them make up the partition (system/fill_dump.c). */
#include "engine/timepart.h"

#include "catalog/access_check.h"
#include "engine/names.h"

struct state_edit {
    struct dendro_stmt *stmt;
    bool counted;
    int64_t counter;
    char name[COUNTER_NAME_MAX]; /* of the counter */
};

/* Is there a row in the table? Then it would be lost from sight. */
static int state_empty(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_stmt *inner = NULL;
    struct sql_text text;
    struct buf query;
    int rc;

    buf_init(&query, NULL);
    buf_puts(&query, "SELECT FROM ");
    if (stmt->ast->name.schema) {
        sql_print_ident(stmt->ast->name.schema, &query);
        buf_puts(&query, ".");
    }
    sql_print_ident(stmt->ast->name.name, &query);
    buf_puts(&query, " LIMIT 1");
    if (query.failed) {
        buf_done(&query);
        return DN_FAIL_NOMEM(err);
    }
    sql_text_init(&text, (const char *)query.data, query.len);
    rc = stmt_prepare(stmt->conn, &text, NULL, &inner, err);
    if (rc == 0)
        rc = stmt_step(inner, err);
    if (rc == DENDRO_ROW)
        rc = DN_FAIL(err, DN_E_NOT_READY, "table \"%s\" has rows", stmt->ast->name.name);
    dendro_finalize(inner);
    buf_done(&query);
    if (rc < 0)
        err->position = 0; /* it would be one of another text */
    dn_err_at(err, stmt->ast->name.pos);
    return rc < 0 ? rc : 0;
}

/* May the table be one of the partition? */
static int state_fit(const struct dendro_conn *conn,
                     const struct catalog *cur,
                     const struct table *t,
                     const struct table *part,
                     struct dn_err *err)
{
    const struct catalog_relation r = {.table = part};
    int rc = catalog_must_own(cur, conn->role, &r, err);

    if (rc < 0)
        return rc;
    if (part == t || part->parent || part->timepart || part->temp != TABLE_PERMANENT)
        return DN_FAIL(err,
                       DN_E_WRONG_OBJECT,
                       "\"%s\" cannot be a table of the time partition \"%s\"",
                       part->name,
                       t->name);
    if (!timepart_dumped(t, part))
        return DN_FAIL(err,
                       DN_E_WRONG_OBJECT,
                       "\"%s\" has another definition than the time partition \"%s\"",
                       part->name,
                       t->name);
    for (size_t i = 0; i < cur->views_count; i++)
        if (view_reads(cur->views[i], part->id, 0))
            return DN_FAIL(err,
                           DN_E_DEPENDENT,
                           "view \"%s\" reads table \"%s\", which is to be a shard",
                           cur->views[i]->name,
                           part->name);
    return 0;
}

static int
state_put(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct state_edit *e = arg;
    const struct stmt *ast = e->stmt->ast;
    const struct spec_name *text = &ast->timepart->def.state;
    const struct table *t = session_table(e->stmt->conn, cur, &ast->name, err);
    struct timepart_state state;
    int rc = t ? 0 : err->code;

    if (rc == 0 && (t->timepart || t->parent || t->temp != TABLE_PERMANENT))
        rc = DN_FAIL(err,
                     DN_E_WRONG_OBJECT,
                     "\"%s\" is %s",
                     t->name,
                     t->timepart ? "a time partition already"
                     : t->parent ? "a table of a time partition"
                                 : "a temporary table");
    if (rc < 0)
        return rc;
    rc = timepart_read_state(cur, text->s, strlen(text->s), &state, err);
    if (rc < 0) {
        dn_err_at(err, text->pos);
        return rc;
    }
    for (uint32_t i = 0; rc == 0 && timepart_table(state.parts, i); i++)
        rc = state_fit(
            e->stmt->conn, cur, t, catalog_table_by_id(cur, timepart_table(state.parts, i)), err);
    if (rc < 0) {
        timepart_free(state.parts);
        dn_err_at(err, text->pos);
        return rc;
    }
    e->counted = state.counted;
    e->counter = state.counter;
    timepart_counter_name(t, e->name);
    return catalog_with_timepart_state(cur, t->id, state.parts, ret_next, err);
}

int stmt_run_timepart_state(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct dendro_db *db = stmt->conn->db;
    struct state_edit e = {.stmt = stmt};
    struct catalog_relation r = {.table = NULL};
    int rc = session_relation(stmt->conn, stmt->catalog, &stmt->ast->name, &r, err);

    if (rc == 0 && r.table && !r.table->timepart)
        rc = state_empty(stmt, err);
    if (rc < 0)
        return rc;
    rc = tx_edit(stmt->conn, state_put, &e, err);
    if (rc < 0)
        return rc;
    if (e.counted)
        rc = engine_counter_put(db, e.name, COUNTER_SET, e.counter, err);
    engine_rollouts_wake(db);
    return rc;
}
