/* SPDX-License-Identifier: Apache-2.0
 *
 * print_type.c: CREATE, ALTER and DROP TYPE as text. */
#include "sql/print_int.h"

static void print_label(const struct spec_name *n, struct buf *b)
{
    sql_print_text(n->s, b);
}

static void print_type_create(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "CREATE TYPE ");
    sql_print_qual(&s->name, b);
    buf_puts(b, " AS ENUM (");
    for (uint32_t i = 0; i < s->type->labels_count; i++) {
        buf_puts(b, i ? ", " : "");
        print_label(&s->type->labels[i], b);
    }
    buf_puts(b, ")");
}

static void print_type_drop(const struct stmt *s, struct buf *b)
{
    buf_puts(b, s->if_exists ? "DROP TYPE IF EXISTS" : "DROP TYPE");
    sql_print_tables(s, b);
}

void sql_print_type_stmt(const struct stmt *s, struct buf *b)
{
    const struct type_stmt *t = s->type;

    if (t->what == TYPE_STMT_CREATE) {
        print_type_create(s, b);
        return;
    }
    if (t->what == TYPE_STMT_DROP) {
        print_type_drop(s, b);
        return;
    }
    buf_puts(b, "ALTER TYPE ");
    sql_print_qual(&s->name, b);
    if (t->what == TYPE_STMT_ADD_VALUE) {
        buf_puts(b, s->if_not_exists ? " ADD VALUE IF NOT EXISTS " : " ADD VALUE ");
        print_label(&t->labels[0], b);
        if (t->neighbor.s) {
            buf_puts(b, t->after ? " AFTER " : " BEFORE ");
            print_label(&t->neighbor, b);
        }
    } else if (t->what == TYPE_STMT_RENAME_VALUE) {
        buf_puts(b, " RENAME VALUE ");
        print_label(&t->labels[0], b);
        buf_puts(b, " TO ");
        print_label(&t->to, b);
    } else {
        buf_puts(b,
                 t->what == TYPE_STMT_RENAME  ? " RENAME TO "
                 : t->what == TYPE_STMT_OWNER ? " OWNER TO "
                                              : " SET SCHEMA ");
        sql_print_ident(t->to.s, b);
    }
}
