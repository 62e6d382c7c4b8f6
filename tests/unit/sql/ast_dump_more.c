/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_dump_more.c: what statements say without expressions, as text. */
#include "ast_dump.h"

#include <inttypes.h>

void ast_dump_set(const struct set_stmt *s, struct buf *b)
{
    buf_printf(b, " set%d %d %d", s->scope, s->scope_given, s->reset);
    for (uint32_t i = 0; i < s->values_count; i++)
        buf_printf(b, " ='%s'", s->values[i].value ? s->values[i].value : "");
}

void ast_dump_partition(const struct partition_def *p, struct buf *b)
{
    if (!p)
        return;
    buf_printf(b,
               " [partition%d '%s' %d %" PRId64 " '%s' %d %d]",
               p->kind,
               p->period.s ? p->period.s : "",
               p->has_retention,
               p->retention,
               p->start.s ? p->start.s : "",
               p->start_quoted,
               p->retroactively);
}

void ast_dump_made(const struct table_def *def, struct buf *b)
{
    ast_dump_partition(def->partition, b);
    if (!def->execute)
        return;
    buf_printf(b, " [execute '%s' %d", def->execute->name.s, def->no_data);
    for (uint32_t i = 0; i < def->as_columns_count; i++)
        buf_printf(b, " '%s'", def->as_columns[i].s);
    for (uint32_t i = 0; i < def->execute->args_count; i++) {
        buf_puts(b, " ");
        sql_print_expr(def->execute->args[i], b);
    }
    buf_puts(b, "]");
}

void ast_dump_timepart(const struct timepart_stmt *t, struct buf *b)
{
    buf_printf(b,
               " [timepart%d '%s.%s' %d %" PRId64,
               t->what,
               t->shard.schema ? t->shard.schema : "",
               t->shard.name ? t->shard.name : "",
               t->counter,
               t->value);
    ast_dump_partition(&t->def, b);
    buf_puts(b, "]");
}
