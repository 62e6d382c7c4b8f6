/* SPDX-License-Identifier: Apache-2.0
 *
 * drop.c: DROP TABLE, DROP VIEW, DROP SEQUENCE and DROP SCHEMA, with what depends on them: one edit
 * of the catalog, whatever their number. */
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/sequence_ddl.h"
#include "engine/stmt_ops.h"
#include "engine/type_ddl.h"

#include <stdio.h>

struct drop {
    struct dendro_stmt *stmt;
    uint64_t *ids; /* what goes: first those named, then those that depend on them */
    size_t count;
    size_t cap;
    size_t named;       /* how many the statement names */
    struct buf notices; /* lines; they are told when the edit is done */
};

static bool drop_has(const struct drop *d, uint64_t id)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->ids[i] == id)
            return true;
    return false;
}

static int drop_add(struct drop *d, uint64_t id, struct dn_err *err)
{
    if (drop_has(d, id))
        return 0;
    if (d->count == d->cap) {
        size_t cap = d->cap ? 2 * d->cap : 16;
        uint64_t *more = arena_alloc_array(&d->stmt->run, cap, sizeof(*more));

        if (!more)
            return DN_FAIL_NOMEM(err);
        if (d->count)
            memcpy(more, d->ids, d->count * sizeof(*more));
        d->ids = more;
        d->cap = cap;
    }
    d->ids[d->count++] = id;
    return 0;
}

/* ---- what depends on them ---- */

/* One of ids that the view reads. */
static uint64_t drop_read_by(const struct drop *d, const struct view *v)
{
    for (size_t i = 0; i < d->count; i++)
        if (view_reads(v, d->ids[i], 0))
            return d->ids[i];
    return 0;
}

/* "table t", "view v" or "sequence s" of an id. */
static void drop_name(const struct catalog *c, uint64_t id, char *to, size_t size)
{
    const struct table *t = catalog_table_by_id(c, id);
    const struct view *v = catalog_view_by_id(c, id);
    const struct sequence *s = catalog_sequence_by_id(c, id);

    snprintf(to,
             size,
             "%s %s",
             t   ? "table"
             : s ? "sequence"
                 : "view",
             t   ? t->name
             : s ? s->name
             : v ? v->name
                 : "?");
}

/* All views that read any of them, and those that read these; the text of the error says which. */
static int
drop_dependents(struct drop *d, const struct catalog *cur, struct buf *why, struct dn_err *err)
{
    bool more = true;
    int rc = 0;

    while (rc == 0 && more) {
        more = false;
        for (size_t i = 0; rc == 0 && i < cur->views_count; i++) {
            const struct view *v = cur->views[i];
            uint64_t of = drop_has(d, v->id) ? 0 : drop_read_by(d, v);
            char name[TABLE_NAME_MAX + 16];

            if (!of)
                continue;
            drop_name(cur, of, name, sizeof(name));
            if (why->len < 200)
                buf_printf(why, "%sview %s depends on %s", why->len ? ", " : "", v->name, name);
            rc = drop_add(d, v->id, err);
            more = true;
        }
    }
    return rc;
}

/* They go too, or the statement fails. what: "table t", "desired object(s)". */
static int
drop_cascade(struct drop *d, const struct catalog *cur, const char *what, struct dn_err *err)
{
    size_t named = d->named;
    struct buf why;
    int rc;

    buf_init(&why, &d->stmt->owner);
    rc = drop_dependents(d, cur, &why, err);
    if (rc == 0 && why.failed)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0 && d->count > named && d->stmt->ast->behavior != DROP_CASCADE) {
        rc = DN_FAIL(err,
                     DN_E_DEPENDENT,
                     "cannot drop %s because other objects depend on %s: %.*s",
                     what,
                     named > 1 ? "them" : "it",
                     (int)why.len,
                     (const char *)why.data);
        dn_err_hint(err, "Use DROP ... CASCADE to drop the dependent objects too.");
    }
    buf_done(&why);
    if (rc < 0 || d->count == named)
        return rc;
    if (d->count == named + 1) {
        char name[TABLE_NAME_MAX + 16];

        drop_name(cur, d->ids[named], name, sizeof(name));
        buf_printf(&d->notices, "drop cascades to %s\n", name);
    } else {
        buf_printf(&d->notices, "drop cascades to %zu other objects\n", d->count - named);
    }
    return 0;
}

/* ---- DROP TABLE, DROP VIEW, DROP SEQUENCE ---- */

static const char *drop_word(const struct stmt *ast)
{
    return ast->object == OBJECT_TABLE ? "table" : ast->object == OBJECT_VIEW ? "view" : "sequence";
}

static bool drop_right_kind(const struct stmt *ast, const struct catalog_relation *r)
{
    return ast->object == OBJECT_TABLE  ? r->table != NULL
           : ast->object == OBJECT_VIEW ? r->view != NULL
                                        : r->sequence != NULL;
}

static int
drop_wrong_kind(const struct stmt *ast, const struct catalog_relation *r, struct dn_err *err)
{
    int rc = DN_FAIL(
        err, DN_E_WRONG_OBJECT, "\"%s\" is not a %s", catalog_relation_name(r), drop_word(ast));

    dn_err_hint(err,
                r->view       ? "Use DROP VIEW to remove a view."
                : r->sequence ? "Use DROP SEQUENCE to remove a sequence."
                              : "Use DROP TABLE to remove a table.");
    return rc;
}

static int drop_named(struct drop *d,
                      const struct catalog *cur,
                      const struct qual_name *name,
                      struct dn_err *err)
{
    const struct stmt *ast = d->stmt->ast;
    struct catalog_relation r;
    int rc = session_relation(d->stmt->conn, cur, name, &r, err);

    if (ast->if_exists && (rc == DN_E_UNDEFINED_TABLE || rc == DN_E_UNDEFINED_SCHEMA)) {
        buf_printf(&d->notices, "%s \"%s\" does not exist, skipped\n", drop_word(ast), name->name);
        return 0;
    }
    if (rc == 0 && !drop_right_kind(ast, &r))
        rc = drop_wrong_kind(ast, &r, err);
    if (rc == 0 && r.table)
        rc = timepart_refuse_shard(cur, r.table, "drop", err);
    if (rc == 0 && r.table && r.table->timepart && r.table->timepart->style == TIMEPART_VIEW) {
        rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is a time partition", r.table->name);
        dn_err_hint(err, "DROP TIME PARTITION removes it, its shards stay as tables.");
    }
    if (rc == 0)
        rc = drop_add(d, r.table ? r.table->id : r.view ? r.view->id : r.sequence->id, err);
    if (rc < 0)
        dn_err_at(err, name->pos);
    return rc;
}

/* The catalog without them, and without the sequences that go with them. */
static int drop_without(struct drop *d,
                        const struct catalog *cur,
                        const char *what,
                        struct catalog **ret,
                        struct dn_err *err)
{
    struct ddl_gone gone = {.arena = &d->stmt->run,
                            .types = &d->stmt->conn->types,
                            .before = cur,
                            .what = what,
                            .cascade = d->stmt->ast->behavior == DROP_CASCADE,
                            .notices = &d->notices};
    struct catalog *next = NULL;
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < d->count; i++) {
        const struct table *t = catalog_table_by_id(cur, d->ids[i]);

        rc = t ? cursor_check_unused(d->stmt->conn, t, "DROP TABLE", err) : 0;
    }
    if (rc == 0)
        rc = catalog_without(cur, d->ids, d->count, &next, err);
    if (rc == 0)
        rc = ddl_sequences_gone(&gone, &next, err);
    if (rc < 0) {
        catalog_unref(next);
        return rc;
    }
    *ret = next;
    return 0;
}

static int
drop_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct drop *d = arg;
    const struct stmt *ast = d->stmt->ast;
    char what[TABLE_NAME_MAX + 16] = "desired object(s)";
    int rc = 0;

    d->count = 0;
    d->notices.len = 0;
    for (uint32_t i = 0; rc == 0 && i < ast->names_count; i++)
        rc = drop_named(d, cur, &ast->names[i], err);
    if (rc < 0)
        return rc;
    if (d->count == 0)
        return DN_NOT_FOUND;
    d->named = d->count;
    if (d->count == 1)
        drop_name(cur, d->ids[0], what, sizeof(what));
    rc = drop_cascade(d, cur, what, err);
    return rc < 0 ? rc : drop_without(d, cur, what, ret_next, err);
}

/* ---- ALTER TABLE … DROP COLUMN ---- */

static bool drop_column_cascades(const struct stmt *ast, const struct table *t, uint16_t col)
{
    for (uint32_t i = 0; i < ast->alter->actions_count; i++) {
        const struct alter_action *a = &ast->alter->actions[i];

        if (a->kind == ALTER_DROP_COLUMN && a->behavior == DROP_CASCADE &&
            table_column_find(t, a->name.s, strlen(a->name.s)) == col)
            return true;
    }
    return false;
}

int ddl_drop_column(struct dendro_stmt *stmt,
                    const struct table *t,
                    uint16_t col,
                    struct catalog **cat,
                    struct dn_err *err)
{
    const struct column *c = &t->columns[col];
    struct drop d = {.stmt = stmt};
    struct catalog *next;
    struct buf why;
    int rc = 0;

    buf_init(&why, &stmt->owner);
    for (size_t i = 0; rc == 0 && i < (*cat)->views_count; i++) {
        const struct view *v = (*cat)->views[i];

        if (!view_reads(v, t->id, c->id))
            continue;
        if (why.len < 200)
            buf_printf(&why,
                       "%sview %s depends on column %s of table %s",
                       why.len ? ", " : "",
                       v->name,
                       c->name,
                       t->name);
        rc = drop_add(&d, v->id, err);
    }
    if (rc == 0)
        rc = drop_dependents(&d, *cat, &why, err);
    if (rc == 0 && why.failed)
        rc = DN_FAIL_NOMEM(err);
    if (rc == 0 && d.count > 0 && !drop_column_cascades(stmt->ast, t, col)) {
        rc = DN_FAIL(err,
                     DN_E_DEPENDENT,
                     "cannot drop column %s of table %s because other objects depend on it: %.*s",
                     c->name,
                     t->name,
                     (int)why.len,
                     (const char *)why.data);
        dn_err_hint(err, "Use DROP ... CASCADE to drop the dependent objects too.");
    }
    buf_done(&why);
    if (rc == 0 && d.count > 0) {
        rc = catalog_without(*cat, d.ids, d.count, &next, err);
        if (rc == 0) {
            catalog_unref(*cat);
            *cat = next;
        }
    }
    return rc;
}

/* ---- DROP SCHEMA ---- */

/* CASCADE: the catalog without what the schema holds, and what depends on that. */
static int drop_contents(struct drop *d,
                         const struct catalog *cur,
                         const char *schema,
                         struct catalog **ret,
                         struct dn_err *err)
{
    struct catalog *next = NULL;
    int rc = 0;

    d->named = 0;
    for (size_t i = 0; rc == 0 && i < cur->tables_count; i++)
        if (strcmp(cur->tables[i]->schema, schema) == 0)
            rc = drop_add(d, cur->tables[i]->id, err);
    for (size_t i = 0; rc == 0 && i < cur->views_count; i++)
        if (strcmp(cur->views[i]->schema, schema) == 0)
            rc = drop_add(d, cur->views[i]->id, err);
    for (size_t i = 0; rc == 0 && i < cur->sequences_count; i++)
        if (strcmp(cur->sequences[i]->schema, schema) == 0 &&
            !drop_has(d, cur->sequences[i]->owner_table))
            rc = drop_add(d, cur->sequences[i]->id, err);
    if (rc == 0)
        rc = drop_cascade(d, cur, "schema", err);
    if (rc == 0)
        rc = drop_without(d, cur, "schema", &next, err);
    if (rc == 0)
        rc = ddl_types_drop(schema, &next, err);
    if (rc < 0)
        catalog_unref(next);
    else
        *ret = next;
    return rc;
}

static int drop_schema_edit(void *arg,
                            const struct catalog *cur,
                            struct catalog **ret_next,
                            struct dn_err *err)
{
    struct drop *d = arg;
    const struct stmt *ast = d->stmt->ast;
    struct catalog_path path = session_path(d->stmt->conn);
    const struct schema_def *s = catalog_path_schema(cur, &path, ast->name.name, err);
    struct catalog *emptied = NULL;
    int rc = s ? 0 : err->code;

    d->count = 0;
    d->notices.len = 0;
    if (!s && ast->if_exists && rc == DN_E_UNDEFINED_SCHEMA) {
        buf_printf(&d->notices,
                   "%s \"%s\" does not exist, skipped\n",
                   ast->keyspace ? "keyspace" : "schema",
                   ast->name.name);
        return DN_NOT_FOUND;
    }
    if (rc == 0 && s->temp)
        rc = DN_FAIL(err, DN_E_DEPENDENT, "the schema of temporary tables goes with its session");
    if (rc == 0 && ast->behavior == DROP_CASCADE && strcmp(s->name, CATALOG_SCHEMA_DEFAULT) != 0)
        rc = drop_contents(d, cur, s->name, &emptied, err);
    if (rc == 0)
        rc = catalog_without_schema(emptied ? emptied : cur, s->name, ret_next, err);
    catalog_unref(emptied);
    if (rc < 0)
        dn_err_at(err, ast->name.pos);
    return rc;
}

static int stmt_run_drop(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct drop d = {.stmt = stmt};
    const char *at;
    int rc = session_write_allowed(stmt->conn, err);

    if (rc < 0)
        return rc;
    buf_init(&d.notices, &stmt->owner);
    rc = tx_edit(
        stmt->conn, stmt->ast->kind == STMT_DROP_SCHEMA ? drop_schema_edit : drop_edit, &d, err);
    buf_u8(&d.notices, '\0');
    at = rc >= 0 && !d.notices.failed ? (const char *)d.notices.data : "";
    for (const char *end; (end = strchr(at, '\n')) != NULL; at = end + 1)
        session_notice(stmt->conn, "NOTICE", "%.*s", (int)(end - at), at);
    buf_done(&d.notices);
    return rc < 0 ? rc : 0;
}

/* ---- the rows of DROP and DROP SCHEMA ---- */

static const char *drop_stmt_name(const struct stmt *ast)
{
    static const char *const names[OBJECT_KIND_MAX] = {[OBJECT_TABLE] = "DROP TABLE",
                                                       [OBJECT_VIEW] = "DROP VIEW",
                                                       [OBJECT_SEQUENCE] = "DROP SEQUENCE",
                                                       [OBJECT_INDEX] = "DROP INDEX"};

    DN_ASSERT(names[ast->object]);
    return names[ast->object];
}

static int
drop_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return privilege_names(stmt, ast, 0, err);
}

static int drop_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt->ast->object == OBJECT_INDEX ? stmt_run_drop_index(stmt, err)
                                             : stmt_run_drop(stmt, err);
}

static const char *drop_schema_name(const struct stmt *ast)
{
    return ast->keyspace ? "DROP KEYSPACE" : "DROP SCHEMA";
}

static int
drop_schema_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return privilege_schema_owner(stmt, &ast->name, err);
}

STMT_OPS(drop,
         drop_stmt_name,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         drop_privilege,
         stmt_compile_nothing,
         drop_run);

STMT_OPS(drop_schema,
         drop_schema_name,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         drop_schema_privilege,
         stmt_compile_nothing,
         stmt_run_drop);
