/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_merge.c: builders of MERGE. */
#include "sql/build_misc.h"
#include "sql/build_query.h"

struct merge_when *sql_merge_when(
    struct sql_parser *ps, uint32_t pos, bool matched, struct expr *cond, enum merge_action action)
{
    struct merge_when *w = sql_new(ps, sizeof *w);

    if (!w)
        return NULL;
    w->pos = pos;
    w->matched = matched;
    w->cond = cond;
    w->action = action;
    return w;
}

struct merge_when *
sql_merge_update(struct sql_parser *ps, uint32_t pos, struct expr *cond, struct sql_list sets)
{
    struct merge_when *w = sql_merge_when(ps, pos, true, cond, MERGE_UPDATE);
    struct set_item *set = sql_list_take_structs(ps, sets, sizeof *set);

    if (ps->rc < 0 || !w)
        return NULL;
    w->set = set;
    w->set_count = sets.count;
    return w;
}

struct merge_when *sql_merge_columns(struct sql_parser *ps, struct sql_list columns)
{
    struct merge_when *w = sql_new(ps, sizeof *w);
    struct spec_name *names = sql_list_take_structs(ps, columns, sizeof *names);

    if (ps->rc < 0 || !w)
        return NULL;
    w->columns = names;
    w->columns_count = columns.count;
    return w;
}

struct merge_when *sql_merge_values(struct sql_parser *ps,
                                    struct merge_when *columns,
                                    int overriding,
                                    struct sql_list values)
{
    struct merge_when *w = columns ? columns : sql_new(ps, sizeof *w);
    struct expr **taken = sql_list_take(ps, values);

    if (ps->rc < 0 || !w)
        return NULL;
    w->overriding = (enum overriding)overriding;
    w->values = values.count ? taken : NULL;
    w->values_count = values.count;
    return w;
}

struct merge_when *
sql_merge_insert(struct sql_parser *ps, uint32_t pos, struct expr *cond, struct merge_when *values)
{
    if (ps->rc < 0 || !values)
        return NULL;
    values->pos = pos;
    values->cond = cond;
    values->action = MERGE_INSERT;
    return values;
}

static void merge_deeper(uint32_t *depth, const struct expr *e)
{
    if (e && e->depth >= *depth)
        *depth = e->depth + 1;
}

static void merge_when_depth(const struct merge_when *w, uint32_t *depth)
{
    merge_deeper(depth, w->cond);
    for (uint32_t i = 0; i < w->set_count; i++) {
        merge_deeper(depth, w->set[i].expr);
        merge_deeper(depth, w->set[i].place);
    }
    for (uint32_t i = 0; i < w->values_count; i++)
        merge_deeper(depth, w->values[i]);
}

/* A WHEN without a condition takes all: none of its kind may follow. */
static void merge_check_order(struct sql_parser *ps, const struct merge_stmt *m)
{
    bool all[2] = {false, false};

    for (uint32_t i = 0; i < m->whens_count; i++) {
        const struct merge_when *w = &m->whens[i];

        if (all[w->matched])
            sql_fail(ps,
                     DN_E_SYNTAX,
                     w->pos,
                     "unreachable WHEN clause specified after unconditional WHEN clause");
        all[w->matched] = all[w->matched] || !w->cond;
    }
}

struct merge_stmt *sql_merge(struct sql_parser *ps,
                             uint32_t pos,
                             const struct change_stmt *target,
                             struct from_item *source,
                             struct expr *on,
                             struct sql_list whens)
{
    struct merge_stmt *m = sql_new(ps, sizeof *m);
    struct merge_when *taken = sql_list_take_structs(ps, whens, sizeof *taken);

    if (ps->rc < 0 || !m)
        return NULL;
    m->pos = pos;
    m->table = target->table;
    m->alias = target->alias;
    m->source = source;
    m->on = on;
    m->whens = taken;
    m->whens_count = whens.count;
    m->depth = source->depth + 1;
    merge_deeper(&m->depth, on);
    for (uint32_t i = 0; i < m->whens_count; i++)
        merge_when_depth(&m->whens[i], &m->depth);
    merge_check_order(ps, m);
    return m;
}

void sql_merge_stmt(struct sql_parser *ps, struct with_clause *with, struct merge_stmt *m)
{
    if (ps->rc < 0 || !m)
        return;
    m->with = with;
    if (with && with->depth >= m->depth)
        m->depth = with->depth + 1;
    for (uint32_t i = 0; with && i < with->ctes_count; i++) {
        if (with->ctes[i].change)
            sql_fail(ps,
                     DN_E_UNSUPPORTED,
                     with->ctes[i].name.pos,
                     "INSERT, UPDATE and DELETE in the WITH of a MERGE are not supported");
    }
    if (m->depth + 4 > SQL_QUERY_DEPTH) /* what it becomes is higher */
        sql_fail_deep(ps, m->pos);
    ps->stmt->kind = STMT_MERGE;
    ps->stmt->merge = m;
}
