/* SPDX-License-Identifier: Apache-2.0
 *
 * print_timepart.c: time partitions back to text. */
#include "sql/print_int.h"

#include <inttypes.h>

static void print_words(const struct partition_def *p, struct buf *b)
{
    if (p->period.s) {
        buf_puts(b, " PERIOD ");
        sql_print_text(p->period.s, b);
    }
    if (p->has_retention)
        buf_printf(b, " RETENTION %" PRId64, p->retention);
    if (p->start.s) {
        buf_puts(b, " START ");
        if (p->start_quoted)
            sql_print_text(p->start.s, b);
        else
            buf_puts(b, p->start.s);
    }
    if (p->state.s) {
        buf_puts(b, " STATE ");
        sql_print_text(p->state.s, b);
    }
    if (p->retroactively)
        buf_puts(b, " RETROACTIVELY");
}

void sql_print_partitioned(const struct partition_def *p, struct buf *b)
{
    static const char *const by[] = {[PARTITION_BY_TIME] = "TIME",
                                     [PARTITION_BY_MANUAL] = "MANUAL",
                                     [PARTITION_BY_NONE] = "NONE"};

    buf_printf(b, "PARTITIONED BY %s", by[p->kind]);
    print_words(p, b);
}

void sql_print_timepart(const struct stmt *s, struct buf *b)
{
    static const char *const counters[] = {
        [COUNTER_MAKE] = "", [COUNTER_INCREMENT] = " INCREMENT", [COUNTER_SET] = " SET "};
    const struct timepart_stmt *t = s->timepart;

    switch (t->what) {
    case TIMEPART_CREATE:
        buf_puts(b, "CREATE TIME PARTITION ");
        buf_puts(b, s->if_not_exists ? "IF NOT EXISTS ON " : "ON ");
        sql_print_qual(&t->shard, b);
        buf_puts(b, " AS ");
        break;
    case TIMEPART_DROP:
        buf_puts(b, s->if_exists ? "DROP TIME PARTITION IF EXISTS " : "DROP TIME PARTITION ");
        break;
    case TIMEPART_UNDO:
        buf_puts(b, s->if_exists ? "DROP TRIGGER IF EXISTS " : "DROP TRIGGER ");
        buf_puts(b, "time_partition ON ");
        break;
    case TIMEPART_PUT:
        buf_puts(b, "PUT TIME PARTITION ");
        break;
    case TIMEPART_COUNTER:
        buf_puts(b, "PUT COUNTER ");
        break;
    }
    sql_print_qual(&s->name, b);
    print_words(&t->def, b);
    if (t->what == TIMEPART_COUNTER)
        buf_puts(b, counters[t->counter]);
    if (t->what == TIMEPART_COUNTER && t->counter == COUNTER_SET)
        buf_printf(b, "%" PRId64, t->value);
}
