/* SPDX-License-Identifier: Apache-2.0
 *
 * print_slabs.c: statements about slabs back to text. */
#include "sql/print_int.h"

void sql_print_show_partitions(const struct stmt *s, struct buf *b)
{
    buf_puts(b, s->slabs ? "SHOW PARTITIONS FROM " : "SHOW PARTITIONS ");
    sql_print_qual(&s->name, b);
}

void sql_print_slabs(const struct stmt *s, struct buf *b)
{
    static const char *const verbs[] = {
        [SLABS_DROP] = " DROP", [SLABS_DETACH] = " DETACH", [SLABS_ATTACH] = " ATTACH", ""};
    const struct slabs_stmt *l = s->slabs;

    buf_puts(b, s->if_exists ? "ALTER TABLE IF EXISTS " : "ALTER TABLE ");
    sql_print_qual(&s->name, b);
    buf_printf(b, "%s PARTITION", verbs[l->what]);
    for (uint32_t i = 0; i < l->list_count; i++) {
        buf_puts(b, i ? ", " : " LIST ");
        sql_print_text(l->list[i].s, b);
    }
    if (l->where) {
        buf_puts(b, " WHERE ");
        sql_print_expr(l->where, b);
    }
    if (l->path.s) {
        buf_puts(b, l->what == SLABS_ATTACH ? " FROM " : " TO ");
        sql_print_text(l->path.s, b);
    }
}
