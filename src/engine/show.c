/* SPDX-License-Identifier: Apache-2.0
 *
 * show.c: DESCRIBE and SHOW: which question goes to which answer of catalog/describe.h; SHOW
 * STATUS. */
#include "engine/engine_int.h"
#include "engine/names.h"
#include "engine/session_settings.h"
#include "engine/stmt_ops.h"

#include <stdio.h>
#include <strings.h>

struct status_row {
    const char *section;
    const char *name;
    double value;
    const char *doc;
};

static struct datum show_text(const char *text)
{
    return (struct datum){.type = TYPE_VARCHAR,
                          .str = {.ptr = text, .len = (uint32_t)strlen(text)}};
}

/* SHOW STATUS: what the engine counts, as of now. */
static int show_status(const struct dendro_stmt *stmt,
                       struct arena *arena,
                       struct describe *ret,
                       struct dn_err *err)
{
    struct dendro_db *db = stmt->conn->db;
    uint64_t sessions, catalog_version;
    struct shard_stats st;
    double amplification;
    struct datum *cell;

    shard_get_stats(db->shard, &st);
    sched_lock(db->lock);
    sessions = db->conns_count;
    catalog_version = db->catalog->version;
    sched_unlock(db->lock);
    amplification =
        st.flush_bytes ? (double)(st.flush_bytes + st.merge_bytes) / (double)st.flush_bytes : 0;
    const struct status_row rows[] = {
#define DN_STATUS(section, name, value, doc) {section, name, (double)(value), doc},
#include "engine/status_list.h"
#undef DN_STATUS
    };

    *ret = (struct describe){.cols_count = 4,
                             .names = {"Section", "Name", "Value", "Description"},
                             .types = {TYPE_VARCHAR, TYPE_VARCHAR, TYPE_DOUBLE, TYPE_VARCHAR},
                             .rows_count = DN_ARRAY_SIZE(rows)};
    ret->cells = arena_calloc(arena, DN_ARRAY_SIZE(rows) * 4, sizeof(*ret->cells));
    if (!ret->cells)
        return DN_FAIL_NOMEM(err);
    cell = ret->cells;
    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++, cell += 4) {
        cell[0] = show_text(rows[i].section);
        cell[1] = show_text(rows[i].name);
        cell[2] = (struct datum){.type = TYPE_DOUBLE, .v = {.f64 = rows[i].value}};
        cell[3] = show_text(rows[i].doc);
    }
    return 0;
}

/* SHOW ALL. */
struct show_all {
    struct arena *arena;
    struct describe_setting *rows;
    size_t count, cap;
};

static int show_one(void *arg, const struct func_setting *s, struct dn_err *err)
{
    struct show_all *all = arg;
    struct describe_setting *to = &all->rows[all->count];

    if (all->count == all->cap)
        return 1;
    *to = (struct describe_setting){.name = arena_strdup(all->arena, s->name),
                                    .value = arena_strdup(all->arena, s->value),
                                    .doc = arena_strdup(all->arena, s->doc)};
    all->count++;
    return to->name && to->value && to->doc ? 0 : DN_FAIL_NOMEM(err);
}

static int show_settings(const struct dendro_conn *conn,
                         struct arena *arena,
                         struct describe *ret,
                         struct dn_err *err)
{
    struct show_all all = {.arena = arena, .cap = settings_count() + 1};
    const char *ignored;
    int rc;

    while (settings_extra_at(conn->extra, all.cap - settings_count() - 1, &ignored))
        all.cap++;
    all.rows = arena_alloc_array(arena, all.cap, sizeof(*all.rows));
    if (!all.rows)
        return DN_FAIL_NOMEM(err);
    rc = session_settings_each(conn, show_one, &all, err);
    return rc < 0 ? rc : describe_settings(all.rows, all.count, arena, ret, err);
}

/* SHOW name: one row, one column of that name. */
static int show_setting(const struct dendro_stmt *stmt,
                        struct arena *arena,
                        struct describe *ret,
                        struct dn_err *err)
{
    const struct qual_name *given = &stmt->ast->name;
    const char *name = given->name;
    const char *own = NULL;
    struct buf b;
    int rc;

    if (!given->schema && strcasecmp(name, "all") == 0)
        return show_settings(stmt->conn, arena, ret, err);
    if (!given->schema && strcasecmp(name, "status") == 0)
        return show_status(stmt, arena, ret, err);
    if (given->schema) {
        size_t room = strlen(given->schema) + strlen(name) + 2;
        char *whole = arena_alloc(arena, room);

        if (!whole)
            return DN_FAIL_NOMEM(err);
        snprintf(whole, room, "%s.%s", given->schema, name);
        name = whole;
    }
    buf_init(&b, arena->owner);
    rc = session_setting_show(stmt->conn, name, &b, &own, err);
    if (rc < 0) {
        buf_done(&b);
        dn_err_at(err, given->pos);
        return rc;
    }
    *ret = (struct describe){
        .cols_count = 1, .names = {own}, .types = {TYPE_VARCHAR}, .rows_count = 1};
    ret->cells = arena_calloc(arena, 1, sizeof(*ret->cells));
    if (ret->cells && !b.failed) {
        ret->cells[0].type = TYPE_VARCHAR;
        ret->cells[0].str.ptr = arena_strndup(arena, b.len ? (const char *)b.data : "", b.len);
        ret->cells[0].str.len = (uint32_t)b.len;
    }
    buf_done(&b);
    return ret->cells && ret->cells[0].str.ptr ? 0 : DN_FAIL_NOMEM(err);
}

static int show_tables(const struct dendro_stmt *stmt,
                       const struct catalog *cat,
                       struct arena *arena,
                       struct describe *ret,
                       struct dn_err *err)
{
    struct catalog_path path = session_path(stmt->conn);
    const struct schema_def *schema = catalog_path_schema(cat, &path, stmt->ast->name.name, err);

    if (!schema) {
        dn_err_at(err, stmt->ast->name.pos);
        return err->code;
    }
    path.schema = schema->name;
    if (stmt->ast->name.name)
        path.temp = NULL;
    return describe_tables(cat, stmt->conn->role, &path, arena, ret, err);
}

static int show_table_status(const struct dendro_stmt *stmt,
                             const struct catalog *cat,
                             const struct table *t,
                             struct arena *arena,
                             struct describe *ret,
                             struct dn_err *err)
{
    struct describe_writes w;
    struct shard_stats stats;

    shard_table_stats(stmt->conn->db->shard, t->id, &stats);
    w = (struct describe_writes){
        .flush_bytes = stats.flush_bytes, .merge_bytes = stats.merge_bytes, .ranges = stats.ranges};
    return describe_status(cat, t, &w, arena, ret, err);
}

int stmt_describe(struct dendro_stmt *stmt,
                  const struct catalog *cat,
                  struct arena *arena,
                  struct describe *ret,
                  struct dn_err *err)
{
    struct catalog_relation r;
    int rc;

    if (stmt->ast->kind == STMT_SHOW_SETTING)
        return show_setting(stmt, arena, ret, err);
    if (stmt->ast->kind == STMT_SHOW_TABLES)
        return show_tables(stmt, cat, arena, ret, err);
    if (stmt->ast->kind == STMT_SHOW_SCHEMAS)
        return describe_schemas(cat, arena, ret, err);
    rc = session_relation(stmt->conn, cat, &stmt->ast->name, &r, err);
    if (rc == 0 && stmt->ast->kind == STMT_SHOW_TABLE_STATUS && !r.table)
        rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a table", catalog_relation_name(&r));
    if (rc == 0 && stmt->ast->object == OBJECT_VIEW && !r.view)
        rc = DN_FAIL(err, DN_E_WRONG_OBJECT, "\"%s\" is not a view", catalog_relation_name(&r));
    if (rc < 0) {
        dn_err_at(err, stmt->ast->name.pos);
        return rc;
    }
    if (stmt->ast->kind == STMT_SHOW_CREATE_TABLE)
        return r.view    ? describe_create_view(r.view, arena, ret, err)
               : r.table ? describe_create(cat, r.table, arena, ret, err)
                         : describe_create_sequence(cat, r.sequence, arena, ret, err);
    if (stmt->ast->kind == STMT_SHOW_TABLE_STATUS)
        return show_table_status(stmt, cat, r.table, arena, ret, err);
    DN_ASSERT(stmt->ast->kind == STMT_DESCRIBE);
    if (r.sequence)
        return describe_create_sequence(cat, r.sequence, arena, ret, err);
    return r.view ? describe_view(cat, r.view, arena, ret, err)
                  : describe_table(cat, r.table, arena, ret, err);
}

/* ---- the rows of DESCRIBE and SHOW ---- */

/* What information_schema would say of the table: to those who may do anything with it. */
static int
show_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    return privilege_any(stmt, &ast->name, ~0u, true, err);
}

static int show_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    return stmt_describe(stmt, stmt->catalog, &stmt->run, &stmt->rows, err);
}

STMT_NAME(describe, "DESCRIBE")
STMT_NAME(show, "SHOW")

STMT_OPS(show_tables,
         stmt_name_show,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_reads,
         privilege_when_run,
         stmt_compile_described,
         show_run);

STMT_OPS(show_schemas,
         stmt_name_show,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_reads,
         privilege_everybody,
         stmt_compile_described,
         show_run);

STMT_OPS(show_create,
         stmt_name_show,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_reads,
         show_privilege,
         stmt_compile_described,
         show_run);

STMT_OPS(show_status,
         stmt_name_show,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_reads,
         show_privilege,
         stmt_compile_described,
         show_run);

STMT_OPS(show_setting,
         stmt_name_show,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_free,
         privilege_when_run,
         stmt_compile_described,
         show_run);

STMT_OPS(describe,
         stmt_name_describe,
         stmt_tag_name,
         stmt_class_other,
         stmt_use_reads,
         show_privilege,
         stmt_compile_described,
         show_run);
