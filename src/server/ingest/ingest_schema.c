/* SPDX-License-Identifier: Apache-2.0
 *
 * ingest_schema.c: what the tables lack for the rows that came, as statements. */
#include "server/ingest/ingest_int.h"

#include "engine/appender.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define SCHEMA_INT_MAX 9007199254740992.0 /* doubles beyond it are no exact integers */

/* A column that the points of a table have. */
struct schema_want {
    const char *name;
    bool tag;
    enum lp_type type;
    bool whole; /* doubles that are all integers */
    uint32_t line;
};

struct schema_wants {
    struct schema_want *list; /* of the arena */
    uint32_t count;
};

const char *ingest_sql_type(enum lp_type type)
{
    static const char *const names[] = {
        [LP_DOUBLE] = "DOUBLE", [LP_INT] = "BIGINT", [LP_BOOL] = "BOOLEAN", [LP_TEXT] = "VARCHAR"};

    return names[type];
}

static void schema_ident(const char *name, struct buf *b)
{
    table_print_ident(name, b);
}

static void schema_table_name(const struct ingest *in, const char *name, struct buf *b)
{
    if (in->opt.schema) {
        schema_ident(in->opt.schema, b);
        buf_u8(b, '.');
    }
    schema_ident(name, b);
}

int ingest_time_column(const struct table *t)
{
    int named = table_column_find(t, INGEST_TIME, strlen(INGEST_TIME));

    if (t->time_col >= 0)
        return t->time_col;
    for (uint16_t i = 0; i < t->local_count; i++)
        if (type_is_timestamp(t->columns[t->local[i].col].type))
            return t->local[i].col;
    return named >= 0 && type_is_timestamp(t->columns[named].type) ? named : -1;
}

/* ---- what is wanted ---- */

/* The line of the first double that is no integer; 0: none. */
static uint32_t schema_fraction(const struct ingest_shape *s, const struct ingest_col *c)
{
    const double *v = c->values;

    for (size_t i = 0; i < s->rows; i++)
        if ((!c->nulls || !c->nulls[i]) && (fabs(v[i]) > SCHEMA_INT_MAX || v[i] != trunc(v[i])))
            return s->lines[i];
    return 0;
}

static int schema_add_want(struct schema_wants *w,
                           const struct ingest_shape *s,
                           const struct ingest_col *c,
                           struct dendro_error *err)
{
    uint32_t fraction = c->type == LP_DOUBLE ? schema_fraction(s, c) : 0;
    struct schema_want new = {.name = c->name,
                              .tag = c->tag,
                              .type = c->type,
                              .whole = fraction == 0,
                              .line = fraction ? fraction : s->lines[0]};
    uint32_t i = 0;

    while (i < w->count && strcmp(w->list[i].name, c->name) != 0)
        i++;
    if (i == w->count) {
        w->list[w->count++] = new;
        return 0;
    }
    if (w->list[i].whole && !new.whole)
        w->list[i].line = new.line;
    w->list[i].whole = w->list[i].whole && new.whole;
    if (w->list[i].type == new.type && w->list[i].tag == new.tag)
        return 0;
    if (w->list[i].tag != new.tag)
        return ingest_fail(err, DN_E_DUPLICATE_COLUMN, "\"%s\" is both a tag and a field", c->name);
    if ((w->list[i].type == LP_INT && new.type == LP_DOUBLE) ||
        (w->list[i].type == LP_DOUBLE && new.type == LP_INT)) {
        w->list[i].type = LP_DOUBLE;
        return 0;
    }
    return ingest_fail(err,
                       DN_E_DATATYPE_MISMATCH,
                       "field \"%s\" is %s here and %s in a line before",
                       c->name,
                       ingest_sql_type(new.type),
                       ingest_sql_type(w->list[i].type));
}

static int schema_by_name(const void *a, const void *b)
{
    const struct schema_want *x = a, *y = b;

    if (x->tag != y->tag)
        return x->tag ? -1 : 1;
    return x->tag ? strcmp(x->name, y->name) : 0;
}

/* Tags first, by name; then fields. */
static int schema_wants(struct ingest *in,
                        const struct ingest_table *t,
                        struct schema_wants *ret,
                        struct dendro_error *err)
{
    size_t max = 0;
    size_t tags = 0;

    *ret = (struct schema_wants){.count = 0};
    for (const struct ingest_shape *s = in->shapes; s; s = s->next)
        max += s->table == t ? s->cols_count : 0;
    ret->list = arena_calloc(&in->arena, max + 1, sizeof(*ret->list));
    if (!ret->list)
        return ingest_fail(err, DN_E_NOMEM, "out of memory");
    for (const struct ingest_shape *s = in->shapes; s; s = s->next)
        for (uint32_t i = 0; s->table == t && i < s->cols_count; i++) {
            int rc = schema_add_want(ret, s, &s->cols[i], err);

            if (rc < 0) {
                in->bad_line = s->lines[0];
                return rc;
            }
        }
    for (uint32_t i = 0; i < ret->count; i++) /* a stable order of fields: bring tags forward */
        if (ret->list[i].tag) {
            struct schema_want tag = ret->list[i];

            memmove(&ret->list[tags + 1], &ret->list[tags], (i - tags) * sizeof(tag));
            ret->list[tags++] = tag;
        }
    qsort(ret->list, tags, sizeof(*ret->list), schema_by_name);
    return 0;
}

/* ---- a new table ---- */

static int schema_reserved(struct ingest *in,
                           const struct schema_want *w,
                           const char *time,
                           struct dendro_error *err)
{
    if (strcasecmp(w->name, time) != 0)
        return 0;
    in->bad_line = w->line;
    return ingest_fail(err,
                       DN_E_DUPLICATE_COLUMN,
                       "\"%s\" is the column of the time stamp: no tag or field may be called so",
                       w->name);
}

/* The columns of a key, `also` among them, and its end. */
static void schema_key(const char *const *tags, uint32_t count, const char *quantum, struct buf *b)
{
    if (count == 0) {
        buf_printf(b, "PRIMARY KEY (\"%s\")", quantum);
        return;
    }
    buf_puts(b, "PRIMARY KEY ((");
    for (uint32_t i = 0; i < count; i++) {
        schema_ident(tags[i], b);
        buf_puts(b, ", ");
    }
    buf_printf(b, "%s), ", quantum);
    for (uint32_t i = 0; i < count; i++) {
        schema_ident(tags[i], b);
        buf_puts(b, ", ");
    }
}

static int schema_create(struct ingest_plan *plan,
                         const struct ingest_table *t,
                         const struct schema_wants *w,
                         struct dendro_error *err)
{
    struct buf *b = plan->sql;
    const char *tags[LP_TAGS_MAX + 1];
    uint32_t tags_count = 0;

    if (plan->in->opt.schema) {
        buf_puts(b, "CREATE SCHEMA IF NOT EXISTS ");
        schema_ident(plan->in->opt.schema, b);
        buf_puts(b, ";\n");
    }
    buf_puts(b, "CREATE TABLE ");
    schema_table_name(plan->in, t->name, b);
    buf_puts(b, " (");
    for (uint32_t i = 0; i < w->count; i++) {
        int rc = schema_reserved(plan->in, &w->list[i], INGEST_TIME, err);

        if (rc < 0)
            return rc;
        if (w->list[i].tag && tags_count == LP_TAGS_MAX)
            return ingest_fail(err, DN_E_TOO_LONG, "more than %u tags", LP_TAGS_MAX);
        if (!w->list[i].tag)
            continue;
        tags[tags_count++] = w->list[i].name;
        schema_ident(w->list[i].name, b);
        buf_puts(b, " VARCHAR NOT NULL DEFAULT '', ");
    }
    buf_puts(b, "\"" INGEST_TIME "\" TIMESTAMP(9) NOT NULL, ");
    for (uint32_t i = tags_count; i < w->count; i++) {
        schema_ident(w->list[i].name, b);
        buf_printf(b, " %s, ", ingest_sql_type(w->list[i].type));
    }
    schema_key(
        tags, tags_count, tags_count ? "QUANTUM(\"" INGEST_TIME "\", 1, 'd')" : INGEST_TIME, b);
    buf_puts(b, tags_count ? "\"" INGEST_TIME "\"))" : ")");
    buf_puts(b, " WITH (upsert = 'field');\n");
    plan->in->tables_new++;
    return 0;
}

/* ---- a tag that is new to a table: it joins the key ---- */

static int schema_may_join(struct ingest *in,
                           const struct table *t,
                           const struct schema_want *tag,
                           struct dendro_error *err)
{
    int rc;

    if (t->upsert == UPSERT_FIELD && t->constraints_count == 0 && t->quantum_count == 1 &&
        t->quantum_unit == 'd' && (t->form == KEY_RIAK || t->form == KEY_RANGE))
        return 0;
    in->bad_line = tag->line;
    rc = ingest_fail(err,
                     DN_E_UNDEFINED_COLUMN,
                     "table \"%s\" has no column \"%s\" for the tag",
                     t->name,
                     tag->name);
    snprintf(err->hint,
             sizeof err->hint,
             "Only tables that were made by points get new tags by themselves: ALTER TABLE … ADD "
             "COLUMN makes a column that is not in the key.");
    return rc;
}

static void schema_add_tag(struct ingest_plan *plan, const struct table *t, const char *name)
{
    buf_puts(plan->sql, "ALTER TABLE ");
    schema_table_name(plan->in, t->name, plan->sql);
    buf_puts(plan->sql, " ADD COLUMN ");
    schema_ident(name, plan->sql);
    buf_puts(plan->sql, " VARCHAR NOT NULL DEFAULT '' PRIMARY KEY;\n");
    plan->in->columns_new++;
}

/* ---- a table that is there ---- */

static int schema_mismatch(struct ingest *in,
                           const struct table *t,
                           const struct column *c,
                           const struct schema_want *w,
                           struct dendro_error *err)
{
    in->bad_line = w->line;
    return ingest_fail(err,
                       DN_E_DATATYPE_MISMATCH,
                       "field \"%s\" is %s, but column \"%s\" of table \"%s\" is %s",
                       w->name,
                       ingest_sql_type(w->type),
                       c->name,
                       t->name,
                       type_name(c->type));
}

/* A declared type stays; a column that points made is what they need. */
static bool schema_may_widen(const struct ingest *in, const struct table *t, const struct column *c)
{
    return in->opt.create == INGEST_CREATE_ALL && t->upsert == UPSERT_FIELD &&
           c->type == TYPE_BIGINT && c->key_pos == 0;
}

/* Can the column take such values? 1: when it is a DOUBLE. */
static int schema_takes(const struct column *c, const struct schema_want *w)
{
    bool number = type_is_int(c->type) || c->type == TYPE_DOUBLE || c->type == TYPE_REAL;

    if (w->tag)
        return 0; /* as a quoted literal would be */
    switch (w->type) {
    case LP_DOUBLE:
        if (type_is_int(c->type))
            return w->whole ? 0 : c->type == TYPE_BIGINT ? 1 : -1;
        return number || c->type == TYPE_NUMERIC ? 0 : -1;
    case LP_INT:
        return number || c->type == TYPE_NUMERIC || type_is_timestamp(c->type) ? 0 : -1;
    case LP_BOOL:
        return c->type == TYPE_BOOLEAN ? 0 : -1;
    case LP_TEXT:
        return number || c->type == TYPE_BOOLEAN ? -1 : 0;
    }
    return -1;
}

/* The column that a name means; < 0: none. Upper and lower case count where both are there. */
static int
schema_find(const struct table *t, const struct schema_wants *all, const struct schema_want *w)
{
    int col = table_column_find(t, w->name, strlen(w->name));

    for (uint32_t i = 0; col >= 0 && i < all->count; i++)
        if (&all->list[i] != w && strcmp(t->columns[col].name, all->list[i].name) == 0)
            return -1;
    return col;
}

static int schema_column(struct ingest_plan *plan,
                         const struct table *t,
                         const struct schema_want *w,
                         int col,
                         struct dendro_error *err)
{
    struct ingest *in = plan->in;
    struct buf *b = plan->sql;
    int fits;

    if (col < 0 && in->opt.create != INGEST_CREATE_ALL) {
        in->bad_line = w->line;
        return ingest_fail(err,
                           DN_E_UNDEFINED_COLUMN,
                           "table \"%s\" has no column \"%s\", and none is added by itself",
                           t->name,
                           w->name);
    }
    if (col < 0) {
        buf_puts(b, "ALTER TABLE ");
        schema_table_name(in, t->name, b);
        buf_puts(b, " ADD COLUMN ");
        schema_ident(w->name, b);
        buf_printf(b, " %s;\n", ingest_sql_type(w->type));
        in->columns_new++;
        return 0;
    }
    fits = schema_takes(&t->columns[col], w);
    if (fits < 0 || (fits > 0 && !schema_may_widen(in, t, &t->columns[col])))
        return schema_mismatch(in, t, &t->columns[col], w, err);
    if (fits > 0) {
        DN_IGNORE(schema_mismatch(in, t, &t->columns[col], w, &in->narrow)); /* if it cannot be */
        in->narrow_line = in->bad_line;
        in->bad_line = 0;
        buf_puts(b, "ALTER TABLE ");
        schema_table_name(in, t->name, b);
        buf_puts(b, " ALTER COLUMN ");
        schema_ident(w->name, b);
        buf_puts(b, " TYPE DOUBLE;\n");
        in->widened++;
    }
    return 0;
}

static int schema_extend(struct ingest_plan *plan,
                         const struct ingest_table *it,
                         const struct schema_wants *w,
                         struct dendro_error *err)
{
    const struct table *t = it->def;
    int time = ingest_time_column(t);
    int rc = 0;

    if (time < 0)
        return ingest_fail(err,
                           DN_E_UNDEFINED_COLUMN,
                           "table \"%s\" has no column for the time stamp: one in its key, or one "
                           "that is called \"" INGEST_TIME "\"",
                           t->name);
    for (uint32_t i = 0; rc == 0 && i < w->count; i++) {
        const struct schema_want *want = &w->list[i];
        int col = schema_find(t, w, want);
        bool new_tag = want->tag && plan->in->opt.create == INGEST_CREATE_ALL && col < 0;

        rc = schema_reserved(plan->in, want, t->columns[time].name, err);
        if (rc == 0 && !new_tag)
            rc = schema_column(plan, t, want, col, err);
        else if (rc == 0)
            rc = schema_may_join(plan->in, t, want, err);
        if (rc == 0 && new_tag)
            schema_add_tag(plan, t, want->name);
    }
    return rc;
}

int ingest_plan(struct ingest_plan *plan, struct dendro_error *err)
{
    struct ingest *in = plan->in;
    int rc = 0;

    in->tables_new = in->columns_new = in->widened = 0;
    in->narrow.code = 0;
    for (struct ingest_table *t = in->tables; rc == 0 && t; t = t->next) {
        struct schema_wants w;

        table_unref(t->def);
        t->def = appender_table(plan->session, in->opt.schema, t->name);
        in->bad_table = t;
        rc = schema_wants(in, t, &w, err);
        if (rc < 0)
            break;
        if (t->def) {
            rc = schema_extend(plan, t, &w, err);
        } else if (in->opt.create == INGEST_CREATE_NONE) {
            rc = ingest_fail(err,
                             DN_E_UNDEFINED_TABLE,
                             "table \"%s\" does not exist, and none is made by itself",
                             t->name);
        } else {
            rc = schema_create(plan, t, &w, err);
        }
    }
    if (rc == 0 && plan->sql->failed)
        rc = ingest_fail(err, DN_E_NOMEM, "out of memory");
    if (rc == 0)
        in->bad_table = NULL;
    return rc;
}
