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

/* ---- statements of a few words ---- */

void sql_print_empty(const struct stmt *s, struct buf *b)
{
    (void)s;
    (void)b;
}

void sql_print_select(const struct stmt *s, struct buf *b)
{
    sql_print_query(s->query, b);
}

void sql_print_schema(const struct stmt *s, struct buf *b)
{
    buf_puts(b, s->kind == STMT_CREATE_SCHEMA ? "CREATE" : "DROP");
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

void sql_print_drop(const struct stmt *s, struct buf *b)
{
    buf_printf(b, "DROP %s", sql_object_words[s->object]);
    buf_puts(b, s->if_exists ? " IF EXISTS" : "");
    sql_print_tables(s, b);
}

void sql_print_truncate(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "TRUNCATE TABLE");
    sql_print_tables(s, b);
}

void sql_print_use(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "USE ");
    sql_print_qual(&s->name, b);
}

void sql_print_describe(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "DESCRIBE ");
    sql_print_qual(&s->name, b);
}

void sql_print_show_tables(const struct stmt *s, struct buf *b)
{
    (void)s;
    buf_puts(b, "SHOW TABLES");
}

void sql_print_show_schemas(const struct stmt *s, struct buf *b)
{
    buf_puts(b, s->keyspace ? "SHOW KEYSPACES" : "SHOW SCHEMAS");
}

void sql_print_show_create(const struct stmt *s, struct buf *b)
{
    buf_printf(b, "SHOW CREATE %s ", sql_object_words[s->object]);
    sql_print_qual(&s->name, b);
}

void sql_print_show_status(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "SHOW TABLE STATUS ");
    sql_print_qual(&s->name, b);
}

void sql_print_show_setting(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "SHOW ");
    if (!s->name.schema && strcasecmp(s->name.name, "all") == 0)
        buf_puts(b, "ALL");
    else if (s->name.schema)
        sql_print_qual(&s->name, b);
    else
        sql_print_name(s->name.name, true, b);
}

void sql_print_checkpoint(const struct stmt *s, struct buf *b)
{
    (void)s;
    buf_puts(b, "CHECKPOINT");
}

void sql_print_stmt(const struct stmt *s, struct buf *b)
{
    static void (*const printers[STMT_KIND_MAX])(const struct stmt *s, struct buf *b) = {
#define SQL_STMT(kind, name, printer) [STMT_##kind] = printer,
#include "sql/stmt_list.h"
#undef SQL_STMT
    };

    printers[s->kind](s, b);
}
