/* SPDX-License-Identifier: Apache-2.0
 *
 * alter.c: ALTER TABLE, one edit of the catalog. No row is touched: rows that are stored are read
 * with the newest definition (missing columns as their default). What gives every row new values is
 * alter_rewrite.c. */
#include "engine/alter_int.h"
#include "engine/ddl_expr.h"
#include "engine/generated.h"
#include "engine/retain.h"
#include "engine/stmt_ops.h"
#include "engine/timepart.h"
#include "engine/ttl.h"

#include "catalog/table_alter.h"
#include "catalog/table_constraint.h"

#include <stdio.h>

static bool alter_has_column(const struct table *t, const char *name)
{
    return table_column_find(t, name, strlen(name)) != -1;
}

static int alter_options(struct alter *a,
                         const struct table *was,
                         struct table *t,
                         const struct alter_action *action,
                         struct dn_err *err)
{
    struct table_rows_span rows = {.any = false};
    struct shard *shard = a->stmt->conn->db->shard;
    bool row = t->upsert == UPSERT_ROW;
    struct shard_span span;
    int rc;

    if (action->kind == ALTER_RESET_OPTIONS && t->horizon != RETENTION_NO_HORIZON &&
        table_options_retain(action->options, action->options_count)) {
        if (tx_in_block(a->stmt->conn))
            return DN_FAIL(
                err,
                DN_E_TX_ACTIVE,
                "ALTER TABLE … RESET of retention cannot run inside a transaction block");
        rc = engine_retain_finish(a->stmt->conn->db, was, err);
        if (rc < 0)
            return rc;
        a->held = true;
    }
    if (table_options_place(action->options, action->options_count)) {
        if (tx_in_block(a->stmt->conn))
            return DN_FAIL(err,
                           DN_E_TX_ACTIVE,
                           "ALTER TABLE … SET of quantum, slab or time cannot run inside a "
                           "transaction block");
        /* From here to the end of the edit no row may come that the new schedule does not know. */
        shard_hold(shard, t->id, &span);
        a->held = true;
        rows.any = span.time_min <= span.time_max;
        rows.time_max = span.time_max;
    }
    rc = table_set_options(t, action->options, action->options_count, &rows, err);
    if (rc == 0 && row && t->upsert == UPSERT_FIELD)
        rc = ddl_alter_hold(a, t, err);
    if (rc == 0 && row && t->upsert == UPSERT_FIELD && stmt_expires(a->stmt, t)) {
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "table \"%s\" has rows that expire, which does not go with upsert = 'field'",
                     t->name);
        dn_err_at(err, action->options[0].name.pos);
    }
    return rc;
}

static int alter_drop_constraint(struct alter *a,
                                 struct table *t,
                                 const struct alter_action *action,
                                 struct dn_err *err)
{
    if (!action->if_exists || table_constraint_find(t, action->name.s))
        return table_drop_constraint(t, &action->name, err);
    snprintf(a->skipped,
             sizeof(a->skipped),
             "constraint \"%.200s\" of relation \"%s\" does not exist, skipping",
             action->name.s,
             t->name);
    return 1;
}

static bool alter_had(const struct table *was, const struct table_constraint *c)
{
    const struct table_constraint *old = table_constraint_find(was, c->name);

    return old && old->kind == c->kind && old->not_valid == c->not_valid &&
           strcmp(old->text, c->text) == 0;
}

int ddl_alter_hold(struct alter *a, const struct table *was, struct dn_err *err)
{
    struct shard_span span;
    int rc = 0;

    if (tx_in_block(a->stmt->conn)) { /* COMMIT will see */
        for (uint32_t n = 0; rc == 0 && was->timepart; n++) {
            const struct table *shard = timepart_nth(a->stmt->catalog, was, n);

            if (!shard)
                break;
            rc = tx_hold_table(a->stmt->conn, shard, err);
        }
        return rc < 0 ? rc : tx_hold_table(a->stmt->conn, was, err);
    }
    if (!a->held)
        shard_hold(a->stmt->conn->db->shard, was->id, &span);
    a->held = true;
    return 0;
}

static bool alter_is_shorter(const struct column *was, const struct column *now)
{
    return type_is_text(now->type) && now->mods.count > 0 &&
           (was->mods.count == 0 || was->mods.v[0] > now->mods.v[0]);
}

/* A column that takes no NULL any more, or only shorter texts: so do the rows there are. */
static int alter_verify_column(struct alter *a,
                               const struct table *was,
                               const struct table *t,
                               const struct column *c,
                               struct dn_err *err)
{
    int old = table_column_by_id(was, c->id);
    bool nulls = old >= 0 && c->not_null && !was->columns[old].not_null;
    bool shorter = old >= 0 && alter_is_shorter(&was->columns[old], c);
    struct table_constraint rule = {.kind = TABLE_CHECK, .name = c->name};
    struct buf b;
    int rc = 0;

    buf_init(&b, NULL);
    if (nulls || shorter)
        rc = ddl_alter_hold(a, was, err);
    for (int i = 0; rc == 0 && i < 2; i++) {
        if (!(i == 0 ? nulls : shorter))
            continue;
        b.len = 0;
        buf_puts(&b, i == 0 ? "" : "char_length(");
        sql_print_ident(c->name, &b);
        if (i == 0)
            buf_puts(&b, " IS NOT NULL");
        else
            buf_printf(&b, ") <= %d", c->mods.v[0]);
        buf_u8(&b, '\0');
        rule.text = (char *)b.data;
        rc = b.failed ? DN_FAIL_NOMEM(err) : ddl_verify(a->stmt, was, t, &rule, err);
        if (rc == DN_E_CHECK_VIOLATION && i == 0)
            rc = DN_FAIL(err,
                         DN_E_NOT_NULL,
                         "column \"%s\" of relation \"%s\" contains null values",
                         c->name,
                         t->name);
        else if (rc == DN_E_CHECK_VIOLATION)
            rc = DN_FAIL(err,
                         DN_E_TOO_LONG,
                         "value too long for type character%s(%d)",
                         c->type == TYPE_VARCHAR ? " varying" : "",
                         c->mods.v[0]);
    }
    buf_done(&b);
    return rc;
}

/* What a new constraint says must hold for the rows there are, and for those that come until the
 * edit is done: none do. */
static int
alter_verify(struct alter *a, const struct table *was, struct table *t, struct dn_err *err)
{
    int rc = 0;

    for (uint16_t i = 0; rc == 0 && i < t->columns_count; i++)
        rc = alter_verify_column(a, was, t, &t->columns[i], err);
    for (uint16_t i = 0; rc == 0 && i < t->constraints_count; i++) {
        const struct table_constraint *c = &t->constraints[i];

        if (c->kind != TABLE_CHECK || c->not_valid || alter_had(was, c))
            continue;
        rc = ddl_alter_hold(a, was, err);
        if (rc == 0)
            rc = ddl_verify(a->stmt, was, t, c, err);
    }
    return rc;
}

static int alter_schema(struct alter *a,
                        struct table *t,
                        const struct alter_action *action,
                        struct dn_err *err)
{
    struct catalog *cat = tx_catalog(a->stmt->conn);
    const struct schema_def *s = catalog_schema(cat, action->to.s, err);
    int rc = s ? 0 : err->code;

    if (rc == 0 && (s->temp || t->temp != TABLE_PERMANENT))
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "cannot move objects into or out of temporary schemas");
    if (rc == 0)
        rc = table_move(t, s->name, t->name, err);
    if (rc < 0)
        dn_err_at(err, action->to.pos);
    catalog_unref(cat);
    return rc;
}

/* ALTER COLUMN … IDENTITY and DROP EXPRESSION; 1: there is nothing to do. */
static int alter_generated(struct alter *a,
                           struct table *t,
                           const struct alter_action *action,
                           struct dn_err *err)
{
    bool stored = action->kind == ALTER_DROP_EXPRESSION;
    int rc = stored ? ddl_generated_forget(t, action, err)
                    : ddl_identity_alter(&a->serials, t, action, err);

    if (rc == 1)
        snprintf(a->skipped,
                 sizeof(a->skipped),
                 "column \"%.100s\" of relation \"%s\" is not %s column, skipping",
                 action->name.s,
                 t->name,
                 stored ? "a stored generated" : "an identity");
    return rc;
}

static int
alter_add(struct alter *a, struct table *t, const struct alter_action *action, struct dn_err *err)
{
    struct column_spec spec = action->column;
    int rc = 0;

    if (action->def.serial || action->def.identity != IDENTITY_NONE)
        rc = ddl_serial_add(&a->serials, &spec, &action->def, err);
    else if (action->def.generated)
        rc = ddl_generated(a->stmt, t->name, &spec, &action->def, err);
    if (rc == 0)
        rc = table_add_column(t, &spec, err);
    return rc < 0
               ? rc
               : ddl_constraints(a->stmt, t, action->constraints, action->constraints_count, err);
}

/* 1: there is nothing to do. */
static int alter_action(struct alter *a,
                        const struct table *was,
                        struct table *t,
                        const struct alter_action *action,
                        struct dn_err *err)
{
    int rc;

    switch (action->kind) {
    case ALTER_ADD_COLUMN:
        if (action->if_not_exists && alter_has_column(t, action->column.name.s)) {
            snprintf(a->skipped,
                     sizeof(a->skipped),
                     "column \"%s\" already exists, skipped",
                     action->column.name.s);
            return 1;
        }
        return alter_add(a, t, action, err);
    case ALTER_DROP_COLUMN:
        if (action->if_exists && !alter_has_column(t, action->name.s)) {
            snprintf(a->skipped,
                     sizeof(a->skipped),
                     "column \"%s\" does not exist, skipped",
                     action->name.s);
            return 1;
        }
        rc = ddl_generated_drop(a->stmt, t, &action->name, action->behavior == DROP_CASCADE, err);
        return rc < 0 ? rc : table_drop_column(t, &action->name, err);
    case ALTER_RENAME_COLUMN:
        return ddl_rename_column(a->stmt, t, &action->name, &action->to, err);
    case ALTER_RENAME_TABLE:
        return table_rename(t, &action->to, err);
    case ALTER_SET_OPTIONS:
    case ALTER_RESET_OPTIONS:
        return alter_options(a, was, t, action, err);
    case ALTER_SET_DEFAULT:
    case ALTER_DROP_DEFAULT:
        return ddl_set_default(a->stmt, t, &action->name, action->def.def, err);
    case ALTER_ADD_CONSTRAINT:
        return ddl_constraints(a->stmt, t, action->constraints, action->constraints_count, err);
    case ALTER_DROP_CONSTRAINT:
        return alter_drop_constraint(a, t, action, err);
    case ALTER_RENAME_CONSTRAINT:
        return table_rename_constraint(t, &action->name, &action->to, err);
    case ALTER_SET_NOT_NULL:
    case ALTER_DROP_NOT_NULL:
        return ddl_set_not_null(t, &action->name, action->kind == ALTER_SET_NOT_NULL, err);
    case ALTER_DROP_EXPRESSION:
    case ALTER_ADD_IDENTITY:
    case ALTER_SET_IDENTITY:
    case ALTER_DROP_IDENTITY:
        return alter_generated(a, t, action, err);
    case ALTER_VALIDATE_CONSTRAINT:
        return table_validate_constraint(t, &action->name, err);
    case ALTER_TYPE:
        return ddl_alter_type(a, was, t, action, err);
    case ALTER_SET_SCHEMA:
        return alter_schema(a, t, action, err);
    case ALTER_ADD_KEY:
        rc = table_add_key(t, action->key, err);
        if (rc == 1)
            snprintf(a->skipped,
                     sizeof(a->skipped),
                     "table \"%s\" has a primary key of these columns, skipping",
                     t->name);
        return rc;
    case ALTER_PARTITION: /* another one is for when the rest is done */
        if (a->collapses) {
            timepart_free(t->timepart);
            t->timepart = NULL;
        }
        return 0;
    case ALTER_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "unknown ALTER TABLE: %d", (int)action->kind);
}

int ddl_alter_follow(struct alter *a,
                     const struct catalog *before,
                     const struct table *was,
                     const struct table *t,
                     struct catalog **cat,
                     struct dn_err *err)
{
    int rc = ddl_views_alter(a->stmt, before, was, t, cat, err);

    for (uint32_t i = 0; rc == 0 && i < a->actions_count; i++)
        if (a->actions[i].kind == ALTER_SET_IDENTITY || a->actions[i].kind == ALTER_DROP_IDENTITY)
            rc = ddl_identity_follow(a->stmt, was, &a->actions[i], cat, err);
    return rc < 0 ? rc : ddl_sequences_follow(a->stmt, before, was, t, cat, err);
}

/* Shards are left alone; and what a partition cannot do. */
static int alter_of_partition(const struct alter *a,
                              const struct catalog *cur,
                              const struct table *t,
                              struct dn_err *err)
{
    int rc = timepart_refuse_shard(cur, t, "alter", err);

    if (rc < 0) {
        dn_err_at(err, a->stmt->ast->name.pos);
        return rc;
    }
    for (uint32_t i = 0; t->timepart && i < a->actions_count; i++) {
        const struct alter_action *action = &a->actions[i];

        if (action->kind == ALTER_SET_OPTIONS &&
            table_options_retain(action->options, action->options_count)) {
            rc = DN_FAIL(
                err, DN_E_UNSUPPORTED, "table option retention does not go with a time partition");
            dn_err_hint(
                err, "It keeps its newest shards: PUT TIME PARTITION %s RETENTION n.", t->name);
            return rc;
        }
        if ((action->kind == ALTER_SET_OPTIONS || action->kind == ALTER_RESET_OPTIONS) &&
            table_options_place(action->options, action->options_count))
            return DN_FAIL(err,
                           DN_E_UNSUPPORTED,
                           "quantum, slab and time of a time partition cannot be changed");
    }
    return 0;
}

/* Is it a new name or place, and no other change? */
static bool alter_only_renames(const struct alter *a)
{
    for (uint32_t i = 0; i < a->actions_count; i++)
        if (a->actions[i].kind != ALTER_RENAME_COLUMN && a->actions[i].kind != ALTER_RENAME_TABLE &&
            a->actions[i].kind != ALTER_RENAME_CONSTRAINT && a->actions[i].kind != ALTER_SET_SCHEMA)
            return false;
    return true;
}

int ddl_alter_make(struct alter *a,
                   const struct catalog *cur,
                   const struct table **ret_was,
                   struct table **ret_t,
                   struct dn_err *err)
{
    const struct stmt *ast = a->stmt->ast;
    const struct table *was = session_table(a->stmt->conn, cur, &ast->name, err);
    bool changed = false;
    struct table *t;
    int rc;

    if (!was && ast->if_exists &&
        (err->code == DN_E_UNDEFINED_TABLE || err->code == DN_E_UNDEFINED_SCHEMA)) {
        snprintf(
            a->skipped, sizeof(a->skipped), "table \"%s\" does not exist, skipped", ast->name.name);
        return DN_NOT_FOUND;
    }
    if (!was)
        return err->code;
    rc = alter_only_renames(a) ? 0 : cursor_check_unused(a->stmt->conn, was, "ALTER TABLE", err);
    if (rc == 0)
        rc = alter_of_partition(a, cur, was, err);
    if (rc == 0)
        rc = table_copy(was, &t, err);
    if (rc < 0)
        return rc;
    a->serials = (struct ddl_serials){.stmt = a->stmt,
                                      .cat = cur,
                                      .schema = was->schema,
                                      .table = was->name,
                                      .temp = was->temp != TABLE_PERMANENT};
    for (uint32_t i = 0; rc >= 0 && i < a->actions_count; i++) {
        rc = alter_action(a, was, t, &a->actions[i], err);
        changed = changed || rc == 0;
    }
    if (rc >= 0)
        rc = changed ? ddl_generated_check(a->stmt, t, cur, err) : DN_NOT_FOUND;
    if (rc != 0) {
        table_unref(t);
        return rc;
    }
    *ret_was = was;
    *ret_t = t;
    return 0;
}

/* Shards follow their partition, before views are looked at that read them. */
static int alter_shards(const struct table *t, struct catalog **cat, struct dn_err *err)
{
    struct catalog *next;
    int rc;

    if (!t->timepart)
        return 0;
    rc = catalog_with_followers(*cat, t->id, &next, err);
    if (rc < 0)
        return rc;
    catalog_unref(*cat);
    *cat = next;
    return 0;
}

/* PARTITIONED BY. */
static int
alter_partition(struct alter *a, const struct table *t, struct catalog **cat, struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; rc == 0 && i < a->actions_count; i++) {
        if (a->actions[i].kind != ALTER_PARTITION)
            continue;
        t = catalog_table_by_id(*cat, t->id);
        rc = t->timepart ? ddl_repartition(a->stmt, t, a->actions[i].partition, cat, err)
                         : ddl_partition(a->stmt, t, a->actions[i].partition, cat, err);
    }
    return rc;
}

static int
alter_edit(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct alter *a = arg;
    struct catalog *next = NULL;
    const struct table *was = NULL;
    struct table *t = NULL;
    int rc = ddl_alter_make(a, cur, &was, &t, err);

    if (rc == 0)
        rc = alter_verify(a, was, t, err);
    if (rc == 0)
        rc = catalog_with_changed_table(cur, t, false, &next, err);
    if (rc == DN_E_DUPLICATE_TABLE)
        dn_err_at(err, a->actions[a->actions_count - 1].to.pos);
    if (rc == 0)
        rc = alter_shards(t, &next, err);
    if (rc == 0)
        rc = ddl_alter_follow(a, cur, was, t, &next, err);
    if (rc == 0)
        rc = ddl_serials_make(&a->serials, t, &next, err);
    if (rc == 0)
        rc = alter_partition(a, t, &next, err);
    if (rc == 0)
        *ret_next = next;
    else
        catalog_unref(next);
    table_unref(t);
    return rc;
}

/* Values of defaults, before the catalog is looked at. */
static int alter_defaults(struct alter *a, struct dn_err *err)
{
    const struct alter_stmt *ast = a->stmt->ast->alter;
    int rc = 0;

    a->actions_count = ast->actions_count;
    a->actions = arena_alloc_array(&a->stmt->run, ast->actions_count, sizeof(*a->actions));
    if (!a->actions)
        return DN_FAIL_NOMEM(err);
    memcpy(a->actions, ast->actions, ast->actions_count * sizeof(*a->actions));
    for (uint32_t i = 0; rc >= 0 && i < a->actions_count; i++) {
        const struct column_def *def = &a->actions[i].def;

        a->rewrites = a->rewrites || a->actions[i].kind == ALTER_ADD_KEY;
        if (a->actions[i].kind != ALTER_ADD_COLUMN)
            continue;
        if (def->serial || def->identity != IDENTITY_NONE || def->generated)
            a->rewrites = true;
        else if (def->def)
            rc = ddl_default(a->stmt, def->def, true, &a->actions[i].column, err);
        a->rewrites = a->rewrites || rc == 1;
    }
    return rc < 0 ? rc : ddl_alter_look(a, err);
}

static int stmt_run_alter(struct dendro_stmt *stmt, struct dn_err *err)
{
    struct alter a = {.stmt = stmt};
    int rc = session_write_allowed(stmt->conn, err);

    if (rc == 0)
        rc = alter_defaults(&a, err);
    if (rc == 0)
        rc = a.rewrites ? ddl_alter_run_rewrite(&a, err) : tx_edit(stmt->conn, alter_edit, &a, err);
    if (a.held)
        engine_release(stmt->conn->db);
    if (a.skipped[0] && rc >= 0)
        session_notice(stmt->conn, "NOTICE", "%s", a.skipped);
    return rc < 0 ? rc : 0;
}

/* ---- the row of ALTER ---- */

/* The owner's; another name or schema needs CREATE there, a foreign key REFERENCES. */
int stmt_alter_privilege(const struct dendro_stmt *stmt, const struct stmt *ast, struct dn_err *err)
{
    int rc;

    if (ast->object == OBJECT_SCHEMA)
        return privilege_schema_owner(stmt, &ast->name, err);
    if (ast->object == OBJECT_INDEX)
        return 0; /* of its table: index.c */
    rc = privilege_owner(stmt, &ast->name, err);
    for (uint32_t i = 0; rc == 0 && ast->alter && i < ast->alter->actions_count; i++) {
        const struct alter_action *a = &ast->alter->actions[i];
        struct qual_name to = {.schema = a->to.s, .pos = a->to.pos};

        if (a->kind == ALTER_RENAME_TABLE)
            rc = privilege_create_beside(stmt, &ast->name, err);
        else if (a->kind == ALTER_SET_SCHEMA)
            rc = privilege_create(stmt, &to, err);
        else
            rc = privilege_references(stmt, a->constraints, a->constraints_count, err);
    }
    return rc;
}

static const char *alter_name(const struct stmt *ast)
{
    static const char *const names[OBJECT_KIND_MAX] = {[OBJECT_TABLE] = "ALTER TABLE",
                                                       [OBJECT_VIEW] = "ALTER VIEW",
                                                       [OBJECT_SEQUENCE] = "ALTER SEQUENCE",
                                                       [OBJECT_INDEX] = "ALTER INDEX",
                                                       [OBJECT_SCHEMA] = "ALTER SCHEMA"};

    DN_ASSERT(names[ast->object]);
    return names[ast->object];
}

static int alter_run(struct dendro_stmt *stmt, struct dn_err *err)
{
    switch (stmt->ast->object) {
    case OBJECT_VIEW:
        return stmt_run_alter_view(stmt, err);
    case OBJECT_SEQUENCE:
        return stmt_run_sequence(stmt, err);
    case OBJECT_INDEX:
        return stmt_run_drop_index(stmt, err);
    case OBJECT_SCHEMA:
        return stmt_run_alter_schema(stmt, err);
    case OBJECT_TABLE:
        return stmt_run_alter(stmt, err);
    case OBJECT_COLUMN: /* objects of COMMENT alone */
    case OBJECT_CONSTRAINT:
    case OBJECT_DATABASE:
    case OBJECT_ROLE:
    case OBJECT_KIND_MAX:
        break;
    }
    return DN_FAIL(err, DN_E_INTERNAL, "ALTER of an unknown object: %d", (int)stmt->ast->object);
}

STMT_OPS(alter,
         alter_name,
         stmt_tag_name,
         stmt_class_ddl,
         stmt_use_writes,
         stmt_alter_privilege,
         stmt_compile_nothing,
         alter_run);
