/* SPDX-License-Identifier: Apache-2.0
 *
 * fill_partitions.c: dendro_partitions: the slabs of all tables that have some and that the role
 * may read: they tell times and numbers of rows. Values come in the order of the columns in
 * pg_catalog_list.h. */
#include "system/system_int.h"

#include "catalog/retention.h"

struct partition_rows {
    struct sys_rows *w;
    const struct table *t;
    const struct table *parent; /* NULL: it is no shard of a time partition */
};

static void partition_time(struct sys_rows *w, bool known, int64_t ms)
{
    if (known)
        sys_int(w, ms);
    else
        sys_null(w, 1);
}

static void partition_row(void *arg, const struct func_slab *s)
{
    const struct partition_rows *p = arg;
    const int64_t times[] = {s->start, s->end, s->time_min, s->time_max};
    int64_t gone = retention_gone(p->t, s->end);
    int64_t ms = 0;
    bool goes;

    sys_text(p->w, p->t->schema);
    sys_text(p->w, p->t->name);
    sys_text(p->w, p->parent ? p->parent->name : NULL);
    for (size_t i = 0; i < DN_ARRAY_SIZE(times); i++) {
        bool known = retention_time_ms(p->t, times[i], &ms);

        partition_time(p->w, known, ms);
    }
    sys_int(p->w, (int64_t)s->rows);
    sys_int(p->w, (int64_t)s->bytes);
    sys_int(p->w, (int64_t)s->segments);
    sys_int(p->w, (int64_t)s->memtable_rows);
    goes = gone != INT64_MAX && !__builtin_mul_overflow(gone, 1000, &ms);
    partition_time(p->w, goes, ms);
    sys_text(p->w, retention_option(p->t, "retention"));
    sys_end(p->w);
}

void sys_fill_partitions(struct sys_rows *w)
{
    const struct catalog *c = w->env->catalog;
    const struct func_session *s = w->env->session;

    for (size_t i = 0; s && s->slabs && w->rc == 0 && i < c->tables_count; i++) {
        struct partition_rows p = {
            .w = w, .t = c->tables[i], .parent = timepart_parent(c, c->tables[i])};
        int rc = 0;

        if (p.t->time_col >= 0 && !p.t->timepart && sys_table_reads(w->env, p.t))
            rc = s->slabs(s->arg, p.t, partition_row, &p, w->err);
        if (rc < 0 && w->rc == 0)
            w->rc = rc;
    }
}
