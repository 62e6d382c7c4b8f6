/* SPDX-License-Identifier: Apache-2.0
 *
 * show.c: DESCRIBE and SHOW: which question goes to which answer of catalog/describe.h. */
#include "engine/engine_int.h"

#include <strings.h>

/* SHOW name: one row, one column of that name. */
static int show_setting(const struct dendro_stmt *stmt,
                        struct arena *arena,
                        struct describe *ret,
                        struct dn_err *err)
{
    const struct settings *s = &stmt->conn->settings;
    const char *name = stmt->ast->name.name;
    const struct setting_row *row;
    struct buf b;

    if (strcasecmp(name, "all") == 0)
        return describe_settings(s, arena, ret, err);
    row = settings_find(name, err);
    if (!row) {
        dn_err_at(err, stmt->ast->name.pos);
        return err->code;
    }
    buf_init(&b, arena->owner);
    settings_print(row, settings_value(s, row), &b);
    *ret = (struct describe){
        .cols_count = 1, .names = {row->name}, .types = {TYPE_VARCHAR}, .rows_count = 1};
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
    const char *given = stmt->ast->name.name;
    const struct schema_def *schema = catalog_schema(cat, given ? given : stmt->conn->schema, err);

    if (!schema) {
        dn_err_at(err, stmt->ast->name.pos);
        return err->code;
    }
    return describe_tables(cat, schema->name, arena, ret, err);
}

int stmt_describe(struct dendro_stmt *stmt,
                  const struct catalog *cat,
                  struct arena *arena,
                  struct describe *ret,
                  struct dn_err *err)
{
    const struct table *t;

    if (stmt->ast->kind == STMT_SHOW_SETTING)
        return show_setting(stmt, arena, ret, err);
    if (stmt->ast->kind == STMT_SHOW_TABLES)
        return show_tables(stmt, cat, arena, ret, err);
    if (stmt->ast->kind == STMT_SHOW_SCHEMAS)
        return describe_schemas(cat, arena, ret, err);
    t = session_table(stmt->conn, cat, &stmt->ast->name, err);
    if (!t)
        return err->code;
    if (stmt->ast->kind == STMT_SHOW_CREATE_TABLE)
        return describe_create(t, arena, ret, err);
    if (stmt->ast->kind == STMT_SHOW_TABLE_STATUS)
        return describe_status(t, arena, ret, err);
    DN_ASSERT(stmt->ast->kind == STMT_DESCRIBE);
    return describe_table(t, arena, ret, err);
}
