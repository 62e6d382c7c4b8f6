/* SPDX-License-Identifier: Apache-2.0
 *
 * alter_rewrite.c: ALTER TABLE that gives every row new values: ALTER COLUMN TYPE, and ADD COLUMN
 * with a sequence, an expression over the row or a volatile DEFAULT; and PARTITIONED BY NONE, which
 * puts the rows of all shards of a time partition into one table.
 *
 *  1. One edit of the catalog makes the table with its new definition, among the session's
 *     temporary objects, where nobody sees it and a crash does not leave it, with its sequences.
 *  2. A second edit, while the shard takes no rows of the old table, fills it with INSERT … SELECT
 *     and lets the table have its rows: their id becomes the table's, the old rows are nobody's.
 *
 * A time partition has such a table for each of its shards, and all get their rows in that edit;
 * what was evicted goes. If anything fails before the second edit is saved, the tables of the first
 * one are dropped.
 *
 * In a transaction block both edits are the block's, the rows go where all its rows go, and COMMIT
 * fails if somebody else has written to the table since (tx_hold_table). */
#include "engine/alter_int.h"
#include "engine/ttl.h"

#include "engine/ddl_expr.h"
#include "engine/generated.h"

#include "catalog/table_alter.h"
#include "plan/stored.h"

#include <stdio.h>

#define REWRITE_TRIES 16 /* of a partition that rolls meanwhile */

/* ---- ALTER COLUMN TYPE ---- */

static enum type_id rewrite_type(const struct alter_action *action)
{
    enum type_id type = action->def.type->type;

    return action->def.type->dims > 0 ? (enum type_id)(type | TYPE_ARRAY) : type;
}

static const char *rewrite_type_text(struct dendro_stmt *stmt, const struct alter_action *action)
{
    struct type_mods mods = sql_type_mods(action->def.type);
    struct buf b;
    char *text;

    buf_init(&b, NULL);
    type_print(rewrite_type(action), &mods, &b);
    text = b.failed ? NULL : arena_strndup(&stmt->run, (const char *)b.data, b.len);
    buf_done(&b);
    return text ? text : "";
}

/* May the values, or those of USING, become the type's? */
static int rewrite_assignable(struct alter *a,
                              const struct table *was,
                              const struct column *c,
                              const struct alter_action *action,
                              struct dn_err *err)
{
    struct plan_env env = session_plan_env(a->stmt->conn, a->stmt->catalog, &a->stmt->run);
    const char *type = rewrite_type_text(a->stmt, action);
    enum type_id from = c->type;
    struct bexpr *b;
    int rc = 0;

    if (action->using && c->source == COLUMN_STORED) {
        rc = DN_FAIL(
            err, DN_E_BAD_COLUMN, "cannot specify USING when altering type of generated column");
        dn_err_at(err, action->name.pos);
        return rc;
    }
    if (action->using) {
        rc = plan_row_expr(&env, was, action->using, "a transform expression", NULL, &b, err);
        if (rc < 0)
            return rc;
        from = b->type;
    }
    if (c->source == COLUMN_STORED || from == TYPE_NONE ||
        plan_assignable(rewrite_type(action), from))
        return 0;
    if (action->using) {
        rc =
            DN_FAIL(err,
                    DN_E_DATATYPE_MISMATCH,
                    "result of USING clause for column \"%s\" cannot be cast automatically to type "
                    "%s",
                    c->name,
                    type);
        dn_err_hint(err, "You might need to add an explicit cast.");
    } else {
        rc = DN_FAIL(err,
                     DN_E_DATATYPE_MISMATCH,
                     "column \"%s\" cannot be cast automatically to type %s",
                     c->name,
                     type);
        dn_err_hint(err, "You might need to specify \"USING %s::%s\".", c->name, type);
    }
    dn_err_at(err, action->name.pos);
    return rc;
}

/* The DEFAULT as a value of the new type; one that is an expression is bound when rows come. */
static int rewrite_default(struct alter *a,
                           const struct column *c,
                           const struct alter_action *action,
                           struct column_spec *spec,
                           struct dn_err *err)
{
    struct plan_target to = {
        .type = spec->type, .mods = spec->mods, .session = &a->stmt->conn->functions};
    bool constant = c->has_default && !c->def_sql; /* else it is that of rows from before it */
    bool text = c->def_sql && c->source == COLUMN_DEFAULT && strcmp(c->def_sql, "NULL") != 0;
    int rc;

    if (!constant && !text)
        return 0;
    rc = plan_assignable(spec->type, c->type)
             ? (constant ? plan_assign(&to, &c->def, false, &a->stmt->run, &spec->def, err) : 0)
             : DN_FAIL(err,
                       DN_E_DATATYPE_MISMATCH,
                       "default for column \"%s\" cannot be cast automatically to type %s",
                       c->name,
                       rewrite_type_text(a->stmt, action));
    spec->has_default = rc == 0 && constant && !spec->def.null;
    if (rc < 0)
        dn_err_at(err, action->name.pos);
    return rc;
}

/* What stands in the way of another type for this column. */
static int rewrite_allowed(const struct table *t,
                           const struct column *c,
                           const struct alter_action *action,
                           struct dn_err *err)
{
    enum type_id type = rewrite_type(action);
    int rc = 0;

    if ((column_is_identity(c) || c->source == COLUMN_SERIAL) && !type_is_int(type))
        rc = DN_FAIL(
            err, DN_E_INVALID_PARAM, "identity column type must be smallint, integer, or bigint");
    else if (t->time_col >= 0 && c == &t->columns[t->time_col])
        rc = DN_FAIL(err, DN_E_UNSUPPORTED, "the type of the time column cannot be changed");
    else if (c->key_pos > 0 && !type_is_int(type) && type != TYPE_VARCHAR)
        rc = DN_FAIL(err,
                     DN_E_UNSUPPORTED,
                     "a column of the key can become an integer or VARCHAR column, and no other");
    if (rc < 0)
        dn_err_at(err, action->name.pos);
    return rc;
}

int ddl_alter_type(struct alter *a,
                   const struct table *was,
                   struct table *t,
                   const struct alter_action *action,
                   struct dn_err *err)
{
    struct column_spec spec = {.type = rewrite_type(action),
                               .mods = sql_type_mods(action->def.type)};
    uint16_t col;
    int rc = table_find_column(t, &action->name, &col, err);

    if (rc == 0)
        rc = ddl_generated_type(a->stmt, t, &action->name, err);
    if (rc < 0)
        return rc;
    if (!action->using && table_same_values(&t->columns[col], spec.type, &spec.mods)) {
        table_set_mods(t, col, &spec.mods);
        return 0;
    }
    if (!action->using && table_widens(t, col, spec.type)) {
        table_widen(t, col, spec.type);
        return 0;
    }
    rc = rewrite_allowed(t, &t->columns[col], action, err);
    if (rc == 0)
        rc = rewrite_assignable(a, was, &t->columns[col], action, err);
    if (rc == 0)
        rc = rewrite_default(a, &t->columns[col], action, &spec, err);
    return rc < 0 ? rc : table_change_type(t, col, &spec, err);
}

int ddl_alter_look(struct alter *a, struct dn_err *err)
{
    struct catalog *cat = tx_catalog(a->stmt->conn);
    const struct table *t = session_table(a->stmt->conn, cat, &a->stmt->ast->name, err);
    bool shards;

    /* What is wrong with the names is said later. */
    for (uint32_t i = 0; t && i < a->actions_count; i++) {
        const struct alter_action *action = &a->actions[i];
        const char *name = action->name.s;
        int col = action->kind == ALTER_TYPE ? table_column_find(t, name, strlen(name)) : -1;
        struct type_mods mods;

        if (action->kind == ALTER_PARTITION && action->partition->kind == PARTITION_BY_NONE &&
            t->timepart)
            a->rewrites = a->collapses = true;
        if (col < 0)
            continue;
        mods = sql_type_mods(action->def.type);
        if (action->using || (!table_same_values(&t->columns[col], rewrite_type(action), &mods) &&
                              !table_widens(t, (uint16_t)col, rewrite_type(action))))
            a->rewrites = true;
    }
    shards = t && t->timepart;
    catalog_unref(cat);
    if (!a->rewrites || !shards || !tx_in_block(a->stmt->conn))
        return 0;
    return DN_FAIL(err,
                   DN_E_TX_ACTIVE,
                   "ALTER TABLE that writes every row of a time partition anew cannot run inside a "
                   "transaction block");
}

/* ---- the new table ---- */

/* A table for rows, where nobody sees it. */
static int rewrite_hide(const struct alter *a,
                        const struct table *shard,
                        const struct catalog *from,
                        uint64_t *ret_id,
                        struct catalog **ret,
                        struct dn_err *err)
{
    struct catalog_relation there;
    struct table *t;
    char name[TABLE_NAME_MAX + 1];
    int rc = table_copy(a->now, &t, err);

    if (rc < 0)
        return rc;
    if (t->timepart) /* what a shard has that follows its partition: rows are stored with it */
        t->version = shard->version + 1;
    timepart_free(t->timepart);
    t->timepart = NULL;
    snprintf(name, sizeof(name), "%s", a->now->name); /* messages say it */
    for (unsigned i = 1; catalog_relation(from, a->hidden, name, &there, NULL) == 0; i++)
        snprintf(name, sizeof(name), "alter table %u", i);
    rc = table_move(t, a->hidden, name, err);
    if (rc == 0)
        rc = catalog_with_table(from, t, ret, err);
    if (rc == 0)
        *ret_id = t->id;
    table_unref(t);
    return rc;
}

/* Tables for all of them: what a->made says. */
static int rewrite_hide_all(struct alter *a,
                            const struct catalog *cur,
                            const struct table *was,
                            const struct catalog *from,
                            struct catalog **ret,
                            struct dn_err *err)
{
    const struct table *shard = was;
    struct catalog *now = NULL;
    uint32_t n = 1;
    int rc = 0;

    a->made_count = 0;
    while (a->now->timepart && timepart_nth(cur, was, n))
        n++;
    a->made = arena_calloc(&a->stmt->run, n, sizeof(*a->made));
    if (!a->made)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        struct catalog *next;

        if (a->now->timepart)
            shard = timepart_nth(cur, was, i);
        a->made[i].shard = shard->id;
        rc = rewrite_hide(a, shard, now ? now : from, &a->made[i].rows, &next, err);
        if (rc < 0)
            break;
        catalog_unref(now);
        now = next;
        a->made_count++;
    }
    if (rc < 0)
        catalog_unref(now);
    else
        *ret = now;
    return rc;
}

static int
rewrite_begin(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct alter *a = arg;
    struct catalog *base = NULL, *next = NULL;
    const struct table *was;
    int rc;

    table_unref(a->now); /* of an attempt that somebody was faster than */
    table_unref(a->was);
    a->now = a->was = NULL;
    rc = ddl_alter_make(a, cur, &was, &a->now, err);
    if (rc == 0)
        rc = session_temp_base(a->stmt->conn, cur, &base, a->hidden, err);
    if (rc == 0)
        rc = rewrite_hide_all(a, cur, was, base ? base : cur, &next, err);
    if (rc == 0) {
        a->was = table_ref(was);
        rc = ddl_serials_make(&a->serials, catalog_table_by_id(next, a->made[0].rows), &next, err);
    }
    if (rc == 0)
        *ret_next = next;
    else
        catalog_unref(next);
    catalog_unref(base);
    return rc;
}

static const struct alter_action *
rewrite_using(const struct alter *a, const struct table *was, uint16_t col)
{
    for (uint32_t i = 0; i < a->actions_count; i++)
        if (a->actions[i].kind == ALTER_TYPE && a->actions[i].using &&
            table_column_find(was, a->actions[i].name.s, strlen(a->actions[i].name.s)) == (int)col)
            return &a->actions[i];
    return NULL;
}

/* The rows of a partition, those of the oldest shard first: of a key the newest row stays. */
static void rewrite_shards(const struct alter *a, const struct table *was, struct buf *b)
{
    struct catalog *cat = engine_catalog(a->stmt->conn->db);
    const struct table *shard;
    uint32_t n = 0;

    while (timepart_nth(cat, was, n))
        n++;
    buf_puts(b, "(");
    for (uint32_t i = n; i > 0; i--) {
        shard = timepart_nth(cat, was, i - 1);
        buf_puts(b, i < n ? " UNION ALL SELECT * FROM " : "SELECT * FROM ");
        sql_print_ident(shard->schema, b);
        buf_puts(b, ".");
        sql_print_ident(shard->name, b);
    }
    buf_puts(b, ") AS shards");
    catalog_unref(cat);
}

/* … which go with it. */
static int rewrite_drop_shards(const struct table *was, struct catalog **cat, struct dn_err *err)
{
    uint64_t ids[3 * TIMEPART_RETENTION_MAX + 4];
    struct catalog *next;
    size_t n = 0;
    int rc;

    for (uint64_t id; (id = timepart_table(was->timepart, (uint32_t)n)) != 0; n++)
        ids[n] = id;
    rc = catalog_without(*cat, ids, n, &next, err);
    if (rc < 0)
        return rc;
    catalog_unref(*cat);
    *cat = next;
    return 0;
}

/* INSERT INTO the new one (all columns that are not computed) SELECT … FROM the old one, or a shard
 * of it. */
static void rewrite_text(const struct alter *a,
                         const struct table *was,
                         const struct table *shard,
                         const struct table *t,
                         struct buf *b)
{
    for (int part = 0; part < 2; part++) {
        const char *between = "";

        buf_puts(b, part == 0 ? "INSERT INTO " : ") OVERRIDING SYSTEM VALUE SELECT ");
        if (part == 0) {
            sql_print_ident(t->schema, b);
            buf_puts(b, ".");
            sql_print_ident(t->name, b);
            buf_puts(b, " (");
        }
        for (uint16_t i = 0; i < t->columns_count; i++) {
            int old = table_column_by_id(was, t->columns[i].id);
            const struct alter_action *action;

            if (old < 0 || t->columns[i].source == COLUMN_STORED)
                continue;
            action = part == 0 ? NULL : rewrite_using(a, was, (uint16_t)old);
            buf_puts(b, between);
            between = ", ";
            if (action)
                sql_print_expr(action->using, b);
            else
                sql_print_ident(part == 0 ? t->columns[i].name : was->columns[old].name, b);
        }
    }
    buf_puts(b, " FROM ");
    if (a->collapses) {
        rewrite_shards(a, was, b);
        return;
    }
    sql_print_ident(shard->schema, b);
    buf_puts(b, ".");
    sql_print_ident(shard->name, b);
    buf_puts(b, " AS ");
    sql_print_ident(was->name, b);
}

/* Runs a statement; ret: rows written, or the first value of the first row. */
static int
rewrite_run(struct dendro_stmt *stmt, const struct buf *b, uint64_t *ret, struct dn_err *err)
{
    struct dendro_stmt *inner = NULL;
    struct sql_text text;
    int rc;

    if (b->failed)
        return DN_FAIL_NOMEM(err);
    sql_text_init(&text, (const char *)b->data, b->len);
    rc = stmt_prepare(stmt->conn, &text, NULL, &inner, err);
    if (rc == 0)
        rc = stmt_step(inner, err);
    if (rc == DENDRO_ROW)
        *ret = (uint64_t)dendro_column_int64(inner, 0);
    else if (rc >= 0)
        *ret = inner->rows_count;
    if (rc < 0)
        err->position = 0; /* it would be one of this statement */
    dendro_finalize(inner);
    return rc < 0 ? rc : 0;
}

/* Are keys other ones than they were? */
static bool rewrite_keys(const struct table *was, const struct table *t)
{
    if (was->form != t->form)
        return true;
    for (uint16_t i = 0; i < t->columns_count; i++) {
        int old = table_column_by_id(was, t->columns[i].id);

        if (t->columns[i].key_pos > 0 && (old < 0 || was->columns[old].type != t->columns[i].type))
            return true;
    }
    return false;
}

static int rewrite_fill(struct alter *a,
                        const struct table *was,
                        const struct table *shard,
                        const struct table *t,
                        struct dn_err *err)
{
    uint64_t rows = 0, keys = 0;
    struct buf b;
    int rc;

    buf_init(&b, NULL);
    rewrite_text(a, was, shard, t, &b);
    rc = rewrite_run(a->stmt, &b, &rows, err);
    if (rc == 0 && rewrite_keys(was, t)) {
        buf_reset(&b);
        buf_puts(&b, "SELECT count(*) FROM ");
        sql_print_ident(t->schema, &b);
        buf_puts(&b, ".");
        sql_print_ident(t->name, &b);
        rc = rewrite_run(a->stmt, &b, &keys, err);
        if (rc == 0 && keys != rows)
            rc = DN_FAIL(err,
                         DN_E_DUPLICATE_KEY,
                         "could not create unique index \"%s_pkey\": two rows would have the same "
                         "key",
                         was->name);
    }
    buf_done(&b);
    return rc;
}

static int rewrite_fill_all(struct alter *a,
                            const struct catalog *cur,
                            const struct table *was,
                            struct dn_err *err)
{
    int rc = 0;

    for (size_t i = a->made_count; rc == 0 && i-- > 0;) /* sequences begin with the oldest */
        rc = rewrite_fill(a,
                          was,
                          catalog_table_by_id(cur, a->made[i].shard),
                          catalog_table_by_id(cur, a->made[i].rows),
                          err);
    return rc;
}

/* The shards of a partition get their rows. */
static int rewrite_hand_over(const struct alter *a, struct catalog **cat, struct dn_err *err)
{
    struct catalog *next;
    int rc = catalog_with_shard_rows(*cat, a->now->id, a->made, a->made_count, &next, err);

    if (rc < 0)
        return rc;
    catalog_unref(*cat);
    *cat = next;
    return 0;
}

static int
rewrite_end(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    struct alter *a = arg;
    const struct table *was = catalog_table_by_id(cur, a->was->id);
    bool shards = a->now->timepart != NULL;
    struct catalog *next = NULL;
    int rc = 0;

    if (was != a->was || a->filled || !catalog_table_by_id(cur, a->made[0].rows))
        return DN_FAIL(
            err, DN_E_TABLE_CHANGED, "table \"%s\" was altered by another session", a->was->name);
    rc = ddl_alter_hold(a, was, err);
    a->filled = true;
    if (rc == 0 && stmt_expires(a->stmt, was))
        rc = DN_FAIL(
            err, DN_E_UNSUPPORTED, "ALTER TABLE cannot write every row anew where rows expire");
    if (rc == 0)
        rc = rewrite_fill_all(a, cur, was, err);
    if (rc == 0)
        rc = catalog_with_changed_table(cur, a->now, false, &next, err);
    if (rc == 0 && shards)
        rc = rewrite_hand_over(a, &next, err);
    if (rc == 0)
        rc = ddl_alter_follow(a, cur, was, a->now, &next, err);
    if (rc == 0 && a->collapses)
        rc = rewrite_drop_shards(was, &next, err);
    if (rc == 0 && shards) {
        *ret_next = next;
        return 0;
    }
    if (rc == 0)
        rc = catalog_with_rows_of(next, a->now->id, a->made[0].rows, ret_next, err);
    catalog_unref(next);
    return rc;
}

static int
rewrite_undo(void *arg, const struct catalog *cur, struct catalog **ret_next, struct dn_err *err)
{
    const struct alter *a = arg;
    uint64_t *ids = arena_calloc(&a->stmt->run, a->made_count + 1, sizeof(*ids));
    size_t n = 0;

    if (!ids)
        return DN_FAIL_NOMEM(err);
    for (size_t i = 0; i < a->made_count; i++)
        if (catalog_table_by_id(cur, a->made[i].rows))
            ids[n++] = a->made[i].rows;
    return n > 0 ? catalog_without(cur, ids, n, ret_next, err) : DN_NOT_FOUND;
}

static int rewrite_once(struct alter *a, struct dn_err *err)
{
    struct dendro_db *db = a->stmt->conn->db;
    bool block = tx_in_block(a->stmt->conn); /* then all of it is the block's, for good or not */
    struct dn_err ignored;
    int rc = tx_edit(a->stmt->conn, rewrite_begin, a, err);

    if (rc == 0) {
        session_temp_made(a->stmt->conn, a->hidden, TABLE_PERMANENT);
        a->stmt->epoch = a->stmt->conn->epoch;
        rc = block ? tx_edit(a->stmt->conn, rewrite_end, a, err)
                   : engine_edit_of(a->stmt->conn, rewrite_end, a, err);
        if (rc < 0 && !block) /* if it fails it goes with the session */
            DN_IGNORE(engine_edit(db, NULL, rewrite_undo, a, &ignored));
    }
    table_unref(a->now);
    a->now = NULL;
    return rc;
}

/* A partition may roll between the two edits. */
int ddl_alter_run_rewrite(struct alter *a, struct dn_err *err)
{
    int rc = DN_E_TABLE_CHANGED;
    bool again = true;

    for (int i = 0; rc == DN_E_TABLE_CHANGED && again && i < REWRITE_TRIES; i++) {
        if (a->held)
            engine_release(a->stmt->conn->db);
        a->held = false;
        a->filled = false;
        rc = rewrite_once(a, err);
        again = a->was && a->was->timepart;
        table_unref(a->was);
        a->was = NULL;
    }
    return rc;
}
