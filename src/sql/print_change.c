/* SPDX-License-Identifier: Apache-2.0
 *
 * print_change.c: INSERT, UPDATE, DELETE and ALTER as text. */
#include "sql/print_int.h"

static void print_set_list(const struct set_item *sets, uint32_t count, struct buf *b)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct set_item *s = &sets[i];

        buf_puts(b, i ? ", " : " SET ");
        if (s->columns)
            sql_print_names(s->columns, s->columns_count, b);
        else if (s->place)
            sql_print_expr(s->place, b);
        else
            sql_print_ident(s->column.s, b);
        buf_puts(b, " = ");
        if (s->expr)
            sql_print_expr(s->expr, b);
        else
            buf_puts(b, "DEFAULT");
    }
}

static void print_returning(const struct select_item *items, uint32_t count, struct buf *b)
{
    buf_puts(b, count ? " RETURNING " : "");
    sql_print_items(items, count, b);
}

static void print_as(const char *alias, struct buf *b)
{
    if (alias) {
        buf_puts(b, " AS ");
        sql_print_ident(alias, b);
    }
}

/* ---- INSERT ---- */

/* In parentheses, since a column may have stood in them: what is no column or call needs them. */
void sql_print_index_elems(const struct index_elem *elems, uint32_t count, struct buf *b)
{
    static const char *const nulls[] = {
        [NULLS_DEFAULT] = "", [NULLS_FIRST] = " NULLS FIRST", [NULLS_LAST] = " NULLS LAST"};

    for (uint32_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_expr(elems[i].expr, b);
        if (elems[i].collation) {
            buf_puts(b, " COLLATE ");
            sql_print_ident(elems[i].collation, b);
        }
        if (elems[i].opclass) {
            buf_puts(b, " ");
            sql_print_name(elems[i].opclass, true, b);
        }
        buf_puts(b, elems[i].desc ? " DESC" : "");
        buf_puts(b, nulls[elems[i].nulls]);
    }
}

static void print_conflict(const struct conflict_clause *c, struct buf *b)
{
    if (c->action == CONFLICT_NONE)
        return;
    buf_puts(b, " ON CONFLICT");
    if (c->target) {
        buf_puts(b, " (");
        sql_print_index_elems(c->target, c->target_count, b);
        buf_puts(b, ")");
        sql_print_opt(" WHERE ", c->target_where, b);
    }
    if (c->constraint.s) {
        buf_puts(b, " ON CONSTRAINT ");
        sql_print_ident(c->constraint.s, b);
    }
    buf_puts(b, c->action == CONFLICT_NOTHING ? " DO NOTHING" : " DO UPDATE");
    print_set_list(c->set, c->set_count, b);
    sql_print_opt(" WHERE ", c->where, b);
}

static const char *const print_overriding[] = {
    [OVERRIDING_NONE] = "",
    [OVERRIDING_USER] = " OVERRIDING USER VALUE",
    [OVERRIDING_SYSTEM] = " OVERRIDING SYSTEM VALUE",
};

void sql_print_insert(const struct stmt *stmt, struct buf *b)
{
    const struct insert_stmt *s = stmt->insert;

    sql_print_with(s->with, b);
    buf_puts(b, "INSERT INTO ");
    sql_print_qual(&s->table, b);
    print_as(s->alias, b);
    if (s->columns) {
        buf_puts(b, " ");
        sql_print_names(s->columns, s->columns_count, b);
    }
    buf_puts(b, print_overriding[s->overriding]);
    buf_puts(b, s->query ? " " : " DEFAULT VALUES");
    if (s->query)
        sql_print_query(s->query, b);
    sql_print_opt(" USING TTL ", s->ttl, b);
    print_conflict(&s->conflict, b);
    print_returning(s->returning, s->returning_count, b);
}

/* ---- UPDATE, DELETE ---- */

void sql_print_change(const struct stmt *s, struct buf *b)
{
    const struct change_stmt *c = s->change;
    bool update = s->kind == STMT_UPDATE;

    sql_print_with(c->with, b);
    buf_puts(b, update ? "UPDATE " : "DELETE FROM ");
    sql_print_qual(&c->table, b);
    print_as(c->alias, b);
    sql_print_opt(" USING TTL ", c->ttl, b);
    print_set_list(c->set, c->set_count, b);
    sql_print_from_list(update ? " FROM " : " USING ", c->from, c->from_count, b);
    sql_print_opt(" WHERE ", c->where, b);
    if (c->current_of.s) {
        buf_puts(b, " WHERE CURRENT OF ");
        sql_print_ident(c->current_of.s, b);
    }
    print_returning(c->returning, c->returning_count, b);
}

/* ---- ALTER ---- */

static void print_alter_name(const char *before, const struct spec_name *name, struct buf *b)
{
    buf_puts(b, before);
    sql_print_ident(name->s, b);
}

static void print_alter_drop(const char *what, const struct alter_action *a, struct buf *b)
{
    static const char *const behaviors[] = {
        [DROP_DEFAULT] = "", [DROP_RESTRICT] = " RESTRICT", [DROP_CASCADE] = " CASCADE"};

    buf_puts(b, what);
    print_alter_name(a->if_exists ? "IF EXISTS " : "", &a->name, b);
    buf_puts(b, behaviors[a->behavior]);
}

static void print_alter_column(const struct alter_action *a, const char *what, struct buf *b)
{
    print_alter_name("ALTER COLUMN ", &a->name, b);
    buf_puts(b, what);
    if (a->kind == ALTER_SET_DEFAULT)
        sql_print_expr(a->def.def, b);
    if (a->if_exists)
        buf_puts(b, " IF EXISTS");
    if (a->kind == ALTER_ADD_IDENTITY)
        sql_print_generated(&a->def, b);
    if (a->kind == ALTER_SET_IDENTITY)
        sql_print_identity_sets(&a->def, b);
    if (a->kind != ALTER_TYPE)
        return;
    sql_print_type(a->def.type, b);
    if (a->def.collation) {
        buf_puts(b, " COLLATE ");
        sql_print_ident(a->def.collation, b);
    }
    sql_print_opt(" USING ", a->using, b);
}

static void print_alter_options(const struct alter_action *a, struct buf *b)
{
    if (a->kind == ALTER_SET_OPTIONS) {
        buf_puts(b, "SET (");
        sql_print_option_list(a->options, a->options_count, ", ", b);
    }
    for (uint32_t i = 0; a->kind == ALTER_RESET_OPTIONS && i < a->options_count; i++)
        print_alter_name(i ? ", " : "RESET (", &a->options[i].name, b);
    buf_puts(b, ")");
}

static void print_alter_action(const struct alter_action *a, struct buf *b)
{
    static const char *const of_column[ALTER_KIND_MAX] = {
        [ALTER_SET_DEFAULT] = " SET DEFAULT ",
        [ALTER_DROP_DEFAULT] = " DROP DEFAULT",
        [ALTER_SET_NOT_NULL] = " SET NOT NULL",
        [ALTER_DROP_NOT_NULL] = " DROP NOT NULL",
        [ALTER_TYPE] = " TYPE ",
        [ALTER_DROP_EXPRESSION] = " DROP EXPRESSION",
        [ALTER_ADD_IDENTITY] = " ADD",
        [ALTER_SET_IDENTITY] = "",
        [ALTER_DROP_IDENTITY] = " DROP IDENTITY",
    };

    switch (a->kind) {
    case ALTER_ADD_COLUMN:
        buf_puts(b, a->if_not_exists ? "ADD COLUMN IF NOT EXISTS " : "ADD COLUMN ");
        sql_print_column(&a->column, &a->def, a->constraints, a->constraints_count, b);
        break;
    case ALTER_DROP_COLUMN:
        print_alter_drop("DROP COLUMN ", a, b);
        break;
    case ALTER_DROP_CONSTRAINT:
        print_alter_drop("DROP CONSTRAINT ", a, b);
        break;
    case ALTER_RENAME_COLUMN:
        print_alter_name("RENAME COLUMN ", &a->name, b);
        print_alter_name(" TO ", &a->to, b);
        break;
    case ALTER_RENAME_CONSTRAINT:
        print_alter_name("RENAME CONSTRAINT ", &a->name, b);
        print_alter_name(" TO ", &a->to, b);
        break;
    case ALTER_RENAME_TABLE:
        print_alter_name("RENAME TO ", &a->to, b);
        break;
    case ALTER_SET_SCHEMA:
        print_alter_name("SET SCHEMA ", &a->to, b);
        break;
    case ALTER_SET_OPTIONS:
    case ALTER_RESET_OPTIONS:
        print_alter_options(a, b);
        break;
    case ALTER_ADD_CONSTRAINT:
        buf_puts(b, "ADD ");
        sql_print_constraint(&a->constraints[0], b);
        break;
    case ALTER_ADD_KEY:
        sql_print_primary("ADD ", a->key, b);
        break;
    case ALTER_SET_DEFAULT:
    case ALTER_DROP_DEFAULT:
    case ALTER_SET_NOT_NULL:
    case ALTER_DROP_NOT_NULL:
    case ALTER_TYPE:
    case ALTER_DROP_EXPRESSION:
    case ALTER_ADD_IDENTITY:
    case ALTER_SET_IDENTITY:
    case ALTER_DROP_IDENTITY:
        print_alter_column(a, of_column[a->kind], b);
        break;
    case ALTER_VALIDATE_CONSTRAINT:
        print_alter_name("VALIDATE CONSTRAINT ", &a->name, b);
        break;
    case ALTER_PARTITION:
        sql_print_partitioned(a->partition, b);
        break;
    case ALTER_KIND_MAX:
        break;
    }
}

void sql_print_alter(const struct stmt *s, struct buf *b)
{
    buf_printf(b, "ALTER %s ", sql_object_words[s->object]);
    buf_puts(b, s->if_exists ? "IF EXISTS " : "");
    sql_print_qual(&s->name, b);
    for (uint32_t i = 0; i < s->alter->actions_count; i++) {
        buf_puts(b, i ? ", " : " ");
        print_alter_action(&s->alter->actions[i], b);
    }
}

/* ---- MERGE ---- */

static void print_merge_insert(const struct merge_when *w, struct buf *b)
{
    buf_puts(b, "INSERT");
    if (w->columns) {
        buf_puts(b, " ");
        sql_print_names(w->columns, w->columns_count, b);
    }
    buf_puts(b, print_overriding[w->overriding]);
    buf_puts(b, w->values ? " VALUES (" : " DEFAULT VALUES");
    for (uint32_t i = 0; i < w->values_count; i++) {
        buf_puts(b, i ? ", " : "");
        if (w->values[i])
            sql_print_expr(w->values[i], b);
        else
            buf_puts(b, "DEFAULT");
    }
    buf_puts(b, w->values ? ")" : "");
}

void sql_print_merge(const struct stmt *stmt, struct buf *b)
{
    const struct merge_stmt *m = stmt->merge;

    sql_print_with(m->with, b);
    buf_puts(b, "MERGE INTO ");
    sql_print_qual(&m->table, b);
    print_as(m->alias, b);
    buf_puts(b, " USING ");
    sql_print_from(m->source, b);
    sql_print_opt(" ON ", m->on, b);
    for (uint32_t i = 0; i < m->whens_count; i++) {
        const struct merge_when *w = &m->whens[i];

        buf_puts(b, w->matched ? " WHEN MATCHED" : " WHEN NOT MATCHED");
        sql_print_opt(" AND ", w->cond, b);
        buf_puts(b, " THEN ");
        switch (w->action) {
        case MERGE_NOTHING:
            buf_puts(b, "DO NOTHING");
            break;
        case MERGE_DELETE:
            buf_puts(b, "DELETE");
            break;
        case MERGE_UPDATE:
            buf_puts(b, "UPDATE");
            print_set_list(w->set, w->set_count, b);
            break;
        case MERGE_INSERT:
            print_merge_insert(w, b);
            break;
        }
    }
}
