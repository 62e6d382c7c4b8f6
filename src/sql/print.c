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

void sql_print_text(const char *s, struct buf *b)
{
    sql_print_quoted(s, strlen(s), '\'', b);
}

void sql_print_opt(const char *before, const struct expr *e, struct buf *b)
{
    if (e) {
        buf_puts(b, before);
        sql_print_expr(e, b);
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

void sql_print_option_list(const struct option_spec *options,
                           size_t count,
                           const char *between,
                           struct buf *b)
{
    for (size_t i = 0; i < count; i++) {
        const struct option_spec *o = &options[i];

        buf_puts(b, i ? between : "");
        sql_print_ident(o->name.s, b);
        buf_puts(b, " = ");
        if (o->quoted)
            sql_print_quoted(o->value, strlen(o->value), '\'', b);
        else
            buf_puts(b, o->value);
    }
}

static void print_schema(const struct stmt *s, const char *verb, struct buf *b)
{
    buf_puts(b, verb);
    buf_puts(b, s->keyspace ? " KEYSPACE " : " SCHEMA ");
    buf_puts(b, s->if_not_exists ? "IF NOT EXISTS " : s->if_exists ? "IF EXISTS " : "");
    sql_print_ident(s->name.name, b);
    if (s->kind == STMT_CREATE_SCHEMA && s->names_count > 0) {
        buf_puts(b, " AUTHORIZATION ");
        sql_print_ident(s->names[0].name, b);
    }
    if (s->replication)
        buf_printf(b, " WITH replication = %s", s->replication);
    if (s->behavior != DROP_DEFAULT)
        buf_puts(b, s->behavior == DROP_CASCADE ? " CASCADE" : " RESTRICT");
}

static void print_named(const char *before, const struct stmt *s, struct buf *b)
{
    buf_puts(b, before);
    sql_print_qual(&s->name, b);
}

static void print_empty(const struct stmt *s, struct buf *b)
{
    (void)s;
    (void)b;
}

static void print_query_stmt(const struct stmt *s, struct buf *b)
{
    sql_print_query(s->query, b);
}

static void print_drop(const struct stmt *s, struct buf *b)
{
    buf_printf(b, "DROP %s", sql_object_words[s->object]);
    buf_puts(b, s->if_exists ? " IF EXISTS" : "");
    sql_print_tables(s, b);
}

static void print_truncate(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "TRUNCATE TABLE");
    sql_print_tables(s, b);
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
    if (!s->name.schema && strcasecmp(s->name.name, "all") == 0)
        buf_puts(b, "ALL");
    else if (s->name.schema)
        sql_print_qual(&s->name, b);
    else
        sql_print_name(s->name.name, true, b);
}

static void print_show_create(const struct stmt *s, struct buf *b)
{
    buf_printf(b, "SHOW CREATE %s ", sql_object_words[s->object]);
    sql_print_qual(&s->name, b);
}

static void print_show_schemas(const struct stmt *s, struct buf *b)
{
    buf_puts(b, s->keyspace ? "SHOW KEYSPACES" : "SHOW SCHEMAS");
}

/* Words alone, words and a name, or a function. */
static const struct {
    const char *words;
    bool named;
    void (*print)(const struct stmt *s, struct buf *b);
} print_kinds[STMT_KIND_MAX] = {
    [STMT_EMPTY] = {.print = print_empty},
    [STMT_SELECT] = {.print = print_query_stmt},
    [STMT_INSERT] = {.print = sql_print_insert},
    [STMT_UPDATE] = {.print = sql_print_change},
    [STMT_DELETE] = {.print = sql_print_change},
    [STMT_MERGE] = {.print = sql_print_merge},
    [STMT_COPY] = {.print = sql_print_copy},
    [STMT_TRUNCATE] = {.print = print_truncate},
    [STMT_ALTER] = {.print = sql_print_alter},
    [STMT_CREATE_TABLE] = {.print = sql_print_create_table},
    [STMT_DROP] = {.print = print_drop},
    [STMT_CREATE_SCHEMA] = {.print = print_create_schema},
    [STMT_DROP_SCHEMA] = {.print = print_drop_schema},
    [STMT_USE] = {"USE ", .named = true},
    [STMT_DESCRIBE] = {"DESCRIBE ", .named = true},
    [STMT_SHOW_TABLES] = {.words = "SHOW TABLES"},
    [STMT_SHOW_SCHEMAS] = {.print = print_show_schemas},
    [STMT_SHOW_CREATE_TABLE] = {.print = print_show_create},
    [STMT_SHOW_TABLE_STATUS] = {"SHOW TABLE STATUS ", .named = true},
    [STMT_SHOW_PARTITIONS] = {.print = sql_print_show_partitions},
    [STMT_SHOW_SETTING] = {.print = print_show_setting},
    [STMT_SET] = {.print = sql_print_set},
    [STMT_EXPLAIN] = {.print = sql_print_explain},
    [STMT_CHECKPOINT] = {.words = "CHECKPOINT"},
    [STMT_CREATE_VIEW] = {.print = sql_print_create_view},
    [STMT_CREATE_INDEX] = {.print = sql_print_create_index},
    [STMT_CREATE_SEQUENCE] = {.print = sql_print_sequence},
    [STMT_ALTER_SEQUENCE] = {.print = sql_print_sequence},
    [STMT_TIMEPART] = {.print = sql_print_timepart},
    [STMT_SLABS] = {.print = sql_print_slabs},
    [STMT_TYPE] = {.print = sql_print_type_stmt},
    [STMT_COMMENT] = {.print = sql_print_comment},
    [STMT_TRANSACTION] = {.print = sql_print_misc},
    [STMT_PREPARE] = {.print = sql_print_misc},
    [STMT_EXECUTE] = {.print = sql_print_misc},
    [STMT_DEALLOCATE] = {.print = sql_print_misc},
    [STMT_DECLARE] = {.print = sql_print_misc},
    [STMT_FETCH] = {.print = sql_print_misc},
    [STMT_CLOSE] = {.print = sql_print_misc},
    [STMT_DISCARD] = {.print = sql_print_misc},
    [STMT_LOCK] = {.print = sql_print_misc},
    [STMT_ROLE] = {.print = sql_print_role},
    [STMT_GRANT] = {.print = sql_print_grant},
    [STMT_CHANNEL] = {.print = sql_print_misc},
    [STMT_MAINTAIN] = {.print = sql_print_misc},
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
