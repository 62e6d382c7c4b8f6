/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c: statements as text. Keywords in upper case, one blank between words. */
#include "sql/print_int.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

void sql_print_qual(const struct qual_name *q, struct buf *b)
{
    if (q->schema) {
        sql_print_ident(q->schema, b);
        buf_puts(b, ".");
    }
    sql_print_ident(q->name, b);
}

/* ---- SELECT, INSERT ---- */

void sql_print_opt(const char *before, const struct expr *e, struct buf *b)
{
    if (e) {
        buf_puts(b, before);
        sql_print_expr(e, b);
    }
}

static void print_select(const struct query *q, struct buf *b)
{
    const struct select_core *s = q->core;
    static const char *const nulls[] = {
        [NULLS_DEFAULT] = "", [NULLS_FIRST] = " NULLS FIRST", [NULLS_LAST] = " NULLS LAST"};

    buf_puts(b, s->distinct ? "SELECT DISTINCT " : "SELECT ");
    for (uint32_t i = 0; i < s->items_count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_expr(s->items[i].expr, b);
        if (s->items[i].alias) {
            buf_puts(b, " AS ");
            sql_print_ident(s->items[i].alias, b);
        }
    }
    if (s->from_count > 0) {
        buf_puts(b, " FROM ");
        sql_print_qual(&s->from[0]->table, b);
        if (s->from[0]->alias) {
            buf_puts(b, " AS ");
            sql_print_ident(s->from[0]->alias, b);
        }
    }
    sql_print_opt(" WHERE ", s->where, b);
    for (uint32_t i = 0; i < s->group_by_count; i++)
        sql_print_opt(i ? ", " : " GROUP BY ", s->group_by[i].expr, b);
    sql_print_opt(" HAVING ", s->having, b);
    for (uint32_t i = 0; i < q->order_by_count; i++) {
        const struct order_item *o = &q->order_by[i];
        buf_puts(b, i ? ", " : " ORDER BY ");
        sql_print_expr(o->expr, b);
        buf_puts(b, o->desc ? " DESC" : "");
        buf_puts(b, nulls[o->nulls]);
    }
    sql_print_opt(" LIMIT ", q->limit, b);
    sql_print_opt(" OFFSET ", q->offset, b);
}

static void print_names(const struct spec_name *names, size_t count, struct buf *b)
{
    for (size_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "(");
        sql_print_ident(names[i].s, b);
    }
    buf_puts(b, ")");
}

static void print_insert(const struct insert_stmt *s, struct buf *b)
{
    const struct values_rows *v = &s->query->values;

    buf_puts(b, "INSERT INTO ");
    sql_print_qual(&s->table, b);
    if (s->columns) {
        buf_puts(b, " ");
        print_names(s->columns, s->columns_count, b);
    }
    buf_puts(b, " VALUES ");
    for (uint32_t i = 0; i < v->rows_count; i++) {
        buf_puts(b, i ? ", (" : "(");
        for (uint32_t j = 0; j < v->rows_len[i]; j++) {
            buf_puts(b, j ? ", " : "");
            if (v->rows[i][j])
                sql_print_expr(v->rows[i][j], b);
            else
                buf_puts(b, "DEFAULT");
        }
        buf_puts(b, ")");
    }
}

/* ---- CREATE ---- */

void sql_print_key(const struct key_elem_spec *elems, size_t count, struct buf *b)
{
    for (size_t i = 0; i < count; i++) {
        const struct key_elem_spec *k = &elems[i];

        buf_puts(b, i ? ", " : "");
        buf_puts(b, k->is_quantum ? "QUANTUM(" : "");
        sql_print_ident(k->name.s, b);
        if (k->is_quantum) {
            buf_printf(b, ", %" PRId64 ", ", k->count);
            sql_print_quoted(k->unit, strlen(k->unit), '\'', b);
            buf_puts(b, ")");
        }
        if (k->order_given)
            buf_puts(b, k->desc ? " DESC" : " ASC");
    }
}

static void print_key(const struct table_spec *spec, struct buf *b)
{
    buf_puts(b, "PRIMARY KEY (");
    if (spec->has_inner) {
        buf_puts(b, "(");
        sql_print_key(spec->partition, spec->partition_count, b);
        buf_puts(b, spec->local_count ? "), " : ")");
    }
    sql_print_key(spec->local, spec->local_count, b);
    buf_puts(b, ")");
}

void sql_print_column(const struct column_spec *c, const struct expr *def, struct buf *b)
{
    sql_print_ident(c->name.s, b);
    buf_printf(b, " %s", type_name(c->type));
    buf_puts(b, c->not_null ? " NOT NULL" : c->null_given ? " NULL" : "");
    sql_print_opt(" DEFAULT ", def, b);
    buf_puts(b, c->primary_key ? " PRIMARY KEY" : "");
}

void sql_print_option_list(const struct option_spec *options,
                           size_t count,
                           const char *between,
                           struct buf *b)
{
    for (size_t i = 0; i < count; i++) {
        const struct option_spec *o = &options[i];

        buf_puts(b, i ? between : "");
        sql_print_name(o->name.s, true, b);
        buf_puts(b, " = ");
        if (o->quoted)
            sql_print_quoted(o->value, strlen(o->value), '\'', b);
        else
            buf_puts(b, o->value);
    }
}

static void print_options(const struct table_spec *spec, struct buf *b)
{
    bool clustering = spec->clustering != NULL;

    if (clustering) {
        buf_puts(b, " WITH CLUSTERING ORDER BY (");
        sql_print_key(spec->clustering, spec->clustering_count, b);
        buf_puts(b, ")");
    } else if (spec->options_count) {
        buf_puts(b, " WITH (");
    }
    if (clustering && spec->options_count)
        buf_puts(b, " AND ");
    sql_print_option_list(spec->options, spec->options_count, clustering ? " AND " : ", ", b);
    if (!clustering && spec->options_count)
        buf_puts(b, ")");
}

static void print_create_table(const struct stmt *s, struct buf *b)
{
    const struct table_spec *spec = s->create;
    struct qual_name name = {.schema = spec->schema.s, .name = spec->name.s};
    size_t items = 0;

    buf_puts(b, s->if_not_exists ? "CREATE TABLE IF NOT EXISTS " : "CREATE TABLE ");
    sql_print_qual(&name, b);
    for (size_t i = 0; i < spec->columns_count; i++) {
        buf_puts(b, items++ ? ", " : " (");
        sql_print_column(&spec->columns[i], s->table_def->columns[i].def, b);
    }
    for (uint32_t i = 0; i < spec->keys_count; i++) {
        buf_puts(b, items++ ? ", " : " (");
        print_key(spec, b);
    }
    if (spec->partition_key) {
        buf_puts(b, items++ ? ", PARTITION KEY " : " (PARTITION KEY ");
        print_names(spec->partition_key, spec->partition_key_count, b);
    }
    buf_puts(b, ")");
    print_options(spec, b);
}

static void print_schema(const struct stmt *s, const char *verb, struct buf *b)
{
    buf_puts(b, verb);
    buf_puts(b, s->keyspace ? " KEYSPACE " : " SCHEMA ");
    buf_puts(b, s->if_not_exists ? "IF NOT EXISTS " : s->if_exists ? "IF EXISTS " : "");
    sql_print_ident(s->name.name, b);
    if (s->replication)
        buf_printf(b, " WITH replication = %s", s->replication);
}

static void print_set(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "SET ");
    sql_print_ident(s->name.name, b);
    buf_puts(b, " = ");
    if (s->set->values)
        sql_print_quoted(s->set->values[0].value, strlen(s->set->values[0].value), '\'', b);
    else
        buf_puts(b, "DEFAULT");
}

static void print_named(const char *before, const struct stmt *s, struct buf *b)
{
    buf_puts(b, before);
    sql_print_qual(&s->name, b);
}

static void print_copy(const struct stmt *s, struct buf *b)
{
    const struct copy_stmt *c = s->copy;

    buf_puts(b, "COPY ");
    if (c->table.name) {
        sql_print_qual(&c->table, b);
        buf_puts(b, c->columns ? " " : "");
        if (c->columns)
            print_names(c->columns, c->columns_count, b);
    } else {
        buf_puts(b, "(");
        sql_print_stmt(s->explained, b);
        buf_puts(b, ")");
    }
    buf_puts(b, c->from ? " FROM " : " TO ");
    sql_print_quoted(c->file, strlen(c->file), '\'', b);
    for (uint32_t i = 0; i < c->options_count; i++) {
        const struct option_spec *o = &c->options[i];

        buf_puts(b, i ? ", " : " WITH (");
        sql_print_ident(o->name.s, b);
        if (o->value)
            buf_u8(b, ' ');
        if (o->value && o->quoted)
            sql_print_quoted(o->value, strlen(o->value), '\'', b);
        else if (o->value)
            buf_puts(b, o->value);
    }
    buf_puts(b, c->options_count ? ")" : "");
}

static void print_empty(const struct stmt *s, struct buf *b)
{
    (void)s;
    (void)b;
}

static void print_query_stmt(const struct stmt *s, struct buf *b)
{
    print_select(s->query, b);
}

static void print_insert_stmt(const struct stmt *s, struct buf *b)
{
    print_insert(s->insert, b);
}

static void print_drop(const struct stmt *s, struct buf *b)
{
    print_named(s->if_exists ? "DROP TABLE IF EXISTS " : "DROP TABLE ", s, b);
}

static void print_create_schema(const struct stmt *s, struct buf *b)
{
    print_schema(s, "CREATE", b);
}

static void print_drop_schema(const struct stmt *s, struct buf *b)
{
    print_schema(s, "DROP", b);
}

static void print_show_setting(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "SHOW ");
    if (strcasecmp(s->name.name, "all") == 0)
        buf_puts(b, "ALL");
    else
        sql_print_name(s->name.name, true, b);
}

static void print_show_schemas(const struct stmt *s, struct buf *b)
{
    buf_puts(b, s->keyspace ? "SHOW KEYSPACES" : "SHOW SCHEMAS");
}

static void print_explain(const struct stmt *s, struct buf *b)
{
    const struct explain_options *e = &s->explain;

    buf_puts(b, e->analyze ? "EXPLAIN ANALYZE " : e->options_count ? "EXPLAIN (" : "EXPLAIN ");
    for (uint32_t i = 0; i < e->options_count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_ident(e->options[i].name.s, b);
        if (e->options[i].value) {
            buf_puts(b, " ");
            if (e->options[i].quoted)
                sql_print_quoted(e->options[i].value, strlen(e->options[i].value), '\'', b);
            else
                buf_puts(b, e->options[i].value);
        }
    }
    buf_puts(b, e->options_count ? ") " : "");
    sql_print_stmt(s->explained, b);
}

/* Words alone, words and a name, or a function. */
static const struct {
    const char *words;
    bool named;
    void (*print)(const struct stmt *s, struct buf *b);
} print_kinds[STMT_KIND_MAX] = {
    [STMT_EMPTY] = {.print = print_empty},
    [STMT_SELECT] = {.print = print_query_stmt},
    [STMT_INSERT] = {.print = print_insert_stmt},
    [STMT_UPDATE] = {.print = sql_print_change},
    [STMT_DELETE] = {.print = sql_print_change},
    [STMT_COPY] = {.print = print_copy},
    [STMT_TRUNCATE] = {"TRUNCATE TABLE ", .named = true},
    [STMT_ALTER] = {.print = sql_print_alter},
    [STMT_CREATE_TABLE] = {.print = print_create_table},
    [STMT_DROP] = {.print = print_drop},
    [STMT_CREATE_SCHEMA] = {.print = print_create_schema},
    [STMT_DROP_SCHEMA] = {.print = print_drop_schema},
    [STMT_USE] = {"USE ", .named = true},
    [STMT_DESCRIBE] = {"DESCRIBE ", .named = true},
    [STMT_SHOW_TABLES] = {.words = "SHOW TABLES"},
    [STMT_SHOW_SCHEMAS] = {.print = print_show_schemas},
    [STMT_SHOW_CREATE_TABLE] = {"SHOW CREATE TABLE ", .named = true},
    [STMT_SHOW_TABLE_STATUS] = {"SHOW TABLE STATUS ", .named = true},
    [STMT_SHOW_PARTITIONS] = {"SHOW PARTITIONS ", .named = true},
    [STMT_SHOW_SETTING] = {.print = print_show_setting},
    [STMT_SET] = {.print = print_set},
    [STMT_EXPLAIN] = {.print = print_explain},
    [STMT_CHECKPOINT] = {.words = "CHECKPOINT"},
};

void sql_print_stmt(const struct stmt *s, struct buf *b)
{
    if (print_kinds[s->kind].print)
        print_kinds[s->kind].print(s, b);
    else if (print_kinds[s->kind].named)
        print_named(print_kinds[s->kind].words, s, b);
    else if (print_kinds[s->kind].words)
        buf_puts(b, print_kinds[s->kind].words);
}
