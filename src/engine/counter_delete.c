/* SPDX-License-Identifier: Apache-2.0
 *
 * counter_delete.c: DELETE FROM comdb2_logical_cron, which is how comdb2 forgets counters. The
 * system table is made out of a document: the rows that the WHERE clause finds are looked up first,
 * then they go, all at once. As PUT COUNTER it does not wait for the end of a block. */
#include "engine/names.h"
#include "engine/timepart.h"

#include "catalog/access.h"
#include "system/system.h"

#include <strings.h>

#define COUNTERS_TABLE "comdb2_logical_cron"

bool stmt_deletes_counters(const struct dendro_stmt *stmt)
{
    const struct stmt *ast = stmt->ast;
    const struct qual_name *name = ast->kind == STMT_DELETE ? &ast->change->table : NULL;
    struct catalog_relation there;
    struct dn_err ignored;

    dn_err_clear(&ignored);
    return name && strcasecmp(name->name, COUNTERS_TABLE) == 0 &&
           sys_find(name->schema, name->name) &&
           session_relation(stmt->conn, stmt->catalog, name, &there, &ignored) < 0;
}

/* Whoever rolls the partition may forget its counter, too. */
static int counters_allowed(const struct dendro_stmt *stmt, const char *counter, struct dn_err *err)
{
    const struct catalog *cat = stmt->catalog;

    for (size_t i = 0; i < cat->tables_count; i++) {
        struct access_object o = {.kind = ACCESS_RELATION, .id = cat->tables[i]->id};
        char name[TIMEPART_COUNTER_MAX];

        if (!cat->tables[i]->timepart)
            continue;
        timepart_counter_name(cat->tables[i], name);
        if (strcmp(name, counter) == 0 && !access_owns(cat->access, stmt->conn->role, &o))
            return DN_FAIL(
                err, DN_E_DENIED, "must be owner of time partition %s", cat->tables[i]->name);
    }
    return 0;
}

/* The names of those that are to go, in the run's arena. */
static int counters_found(struct dendro_stmt *stmt,
                          const struct buf *query,
                          const char ***ret,
                          size_t *ret_count,
                          struct dn_err *err)
{
    struct dendro_stmt *inner = NULL;
    const char **names = NULL;
    size_t count = 0, cap = 0;
    struct sql_text text;
    int rc = 0;

    if (query->failed)
        return DN_FAIL_NOMEM(err);
    sql_text_init(&text, (const char *)query->data, query->len);
    rc = stmt_prepare(stmt->conn, &text, NULL, &inner, err);
    while (rc == 0 && (rc = stmt_step(inner, err)) == DENDRO_ROW) {
        const char *name = dendro_column_text(inner, 0);

        if (count == cap) {
            const char **more = arena_calloc(&stmt->run, 2 * cap + 16, sizeof(*more));

            if (more && count)
                memcpy(more, names, count * sizeof(*more));
            names = more;
            cap = 2 * cap + 16;
        }
        if (names)
            names[count] = arena_strdup(&stmt->run, name ? name : "");
        rc = names && names[count++] ? counters_allowed(stmt, name, err) : DN_FAIL_NOMEM(err);
    }
    if (rc < 0)
        err->position = 0; /* it would be one of another text */
    dendro_finalize(inner);
    *ret = names;
    *ret_count = count;
    return rc < 0 ? rc : 0;
}

int stmt_run_delete_counters(struct dendro_stmt *stmt, struct dn_err *err)
{
    const struct change_stmt *c = stmt->ast->change;
    const char **names;
    struct buf query;
    uint64_t gone = 0;
    size_t count;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    if (c->from_count || c->returning_count || c->with || stmt->ast->params_count) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "DELETE FROM " COUNTERS_TABLE
                     " takes a WHERE clause without parameters, and nothing else");
        dn_err_at(err, c->table.pos);
        return rc;
    }
    buf_init(&query, NULL);
    buf_puts(&query, "SELECT name FROM pg_catalog." COUNTERS_TABLE);
    if (c->alias) {
        buf_puts(&query, " AS ");
        sql_print_ident(c->alias, &query);
    }
    if (c->where) {
        buf_puts(&query, " WHERE ");
        sql_print_expr(c->where, &query);
    }
    rc = counters_found(stmt, &query, &names, &count, err);
    buf_done(&query);
    if (rc == 0 && count > 0)
        rc = engine_counters_drop(stmt->conn->db, names, count, &gone, err);
    stmt->rows_count = gone;
    return rc;
}
