/* SPDX-License-Identifier: Apache-2.0
 *
 * ingest_write.c: shapes to appenders, and one commit of them all. What the tables lack is made in
 * the same transaction. If somebody else changed a table meanwhile, all of it is done again. */
#include "server/ingest/ingest_int.h"

#include "engine/appender.h"

#include <inttypes.h>
#include <stdio.h>

#define WRITE_TRIES 30

struct write {
    struct ingest *in;
    dendro_conn *session;
    struct arena arena;     /* of arrays that had to be converted */
    dendro_appender **apps; /* of the arena */
    const struct ingest_shape **shapes;
    size_t count;
};

/* ---- arrays ---- */

static const enum dendro_type write_types[] = {[LP_DOUBLE] = DENDRO_TYPE_DOUBLE,
                                               [LP_INT] = DENDRO_TYPE_BIGINT,
                                               [LP_BOOL] = DENDRO_TYPE_BOOLEAN,
                                               [LP_TEXT] = DENDRO_TYPE_VARCHAR};

/* The column's values, as what the table has where numbers can be both. */
static bool write_array(struct write *w,
                        const struct ingest_shape *s,
                        const struct ingest_col *c,
                        enum type_id to,
                        struct dendro_array *ret)
{
    bool floats = c->type == LP_INT && (to == TYPE_DOUBLE || to == TYPE_REAL);
    bool ints = c->type == LP_DOUBLE && type_is_int(to);
    int64_t *out;

    *ret = (struct dendro_array){
        .type = write_types[c->type], .values = c->values, .lengths = c->lens, .nulls = c->nulls};
    if (!floats && !ints)
        return true;
    out = arena_alloc_array(&w->arena, s->rows, sizeof(*out));
    if (!out)
        return false;
    for (size_t i = 0; i < s->rows; i++) {
        if (floats)
            ((double *)(void *)out)[i] = (double)((const int64_t *)c->values)[i];
        else
            out[i] = (int64_t)((const double *)c->values)[i];
    }
    ret->type = floats ? DENDRO_TYPE_DOUBLE : DENDRO_TYPE_BIGINT;
    ret->values = out;
    return true;
}

static int write_shape(struct write *w, const struct ingest_shape *s, struct dendro_error *err)
{
    const struct table *t = s->table->def;
    const char **names = arena_calloc(&w->arena, (size_t)s->cols_count + 2, sizeof(*names));
    struct dendro_array *arrays =
        arena_calloc(&w->arena, (size_t)s->cols_count + 1, sizeof(*arrays));
    dendro_appender *app;
    int rc;

    if (!names || !arrays)
        return ingest_fail(err, DN_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < s->cols_count; i++) {
        int col = table_column_find(t, s->cols[i].name, s->cols[i].name_len);

        names[i] = s->cols[i].name;
        if (!write_array(
                w, s, &s->cols[i], col >= 0 ? t->columns[col].type : TYPE_NONE, &arrays[i]))
            return ingest_fail(err, DN_E_NOMEM, "out of memory");
    }
    names[s->cols_count] = t->columns[ingest_time_column(t)].name;
    arrays[s->cols_count] =
        (struct dendro_array){.type = DENDRO_TYPE_TIMESTAMP_NS, .values = s->times};
    rc = dendro_appender_open(w->session, w->in->opt.schema, s->table->name, names, &app, err);
    if (rc < 0)
        return rc;
    w->apps[w->count] = app;
    w->shapes[w->count++] = s;
    dendro_appender_set_flush(app, 0, 0);
    return dendro_append_columns(app, arrays, (int)s->cols_count + 1, s->rows, err);
}

/* ---- one try ---- */

/* "row 7, column …": which line is that? */
static void write_name_line(struct write *w, const struct ingest_shape *s, struct dendro_error *err)
{
    uint64_t row;
    int n = 0;

    if (sscanf(err->message, "row %" SCNu64 "%n", &row, &n) != 1 || row == 0 || row > s->rows)
        return;
    n += err->message[n] == ',' || err->message[n] == ':';
    n += err->message[n] == ' ';
    w->in->bad_line = s->lines[row - 1];
    memmove(err->message, err->message + n, strlen(err->message + n) + 1);
}

/* A point for a time that the retention of its table has dropped, among those of several tables. */
static void write_name_late(struct write *w, struct dendro_error *err)
{
    for (size_t i = 0; i < w->count; i++) {
        const struct ingest_shape *s = w->shapes[i];
        const struct table *t = s->table->def;
        int64_t unit = type_ts_per_second(t->columns[ingest_time_column(t)].type);
        int64_t ns;

        if (t->horizon == RETENTION_NO_HORIZON || t->late != LATE_REJECT ||
            __builtin_mul_overflow(t->horizon, 1000000000 / unit, &ns))
            continue;
        for (size_t row = 0; row < s->rows; row++)
            if (s->times[row] < ns) {
                w->in->bad_table = s->table;
                write_name_line(w, s, err);
                w->in->bad_line = s->lines[row];
                return;
            }
    }
}

static int write_rows(struct write *w, struct dendro_error *err)
{
    size_t max = w->in->shapes_count;
    int rc = 0;

    w->apps = arena_calloc(&w->arena, max, sizeof(struct dendro_appender *));
    w->shapes = arena_calloc(&w->arena, max, sizeof(struct ingest_shape *));
    if (!w->apps || !w->shapes)
        return ingest_fail(err, DN_E_NOMEM, "out of memory");
    for (const struct ingest_shape *s = w->in->shapes; rc >= 0 && s; s = s->next) {
        rc = s->rows ? write_shape(w, s, err) : 0;
        if (rc < 0) {
            w->in->bad_table = s->table;
            write_name_line(w, s, err);
        }
    }
    if (rc < 0)
        return rc;
    rc = appender_commit_all(w->apps, w->count, err);
    if (rc < 0 && w->count == 1)
        write_name_line(w, w->shapes[0], err);
    else if (rc == DN_E_LATE_ROW || rc == DN_E_FUTURE_ROW)
        write_name_late(w, err);
    return rc;
}

static void write_close(struct write *w)
{
    for (size_t i = 0; i < w->count; i++) {
        dendro_appender_clear(w->apps[i]);
        DN_IGNORE(dendro_appender_close(w->apps[i], NULL)); /* it has nothing to flush */
    }
    arena_done(&w->arena);
}

static int write_run(dendro_conn *session, const char *sql, size_t len, struct dendro_error *err)
{
    return dendro_exec(session, sql, (ptrdiff_t)len, NULL, NULL, err);
}

/* A view, a CHECK or a generated column stands in the way. */
static bool write_cannot_widen(const struct dendro_error *err)
{
    return strcmp(err->sqlstate, "0A000") == 0 || strcmp(err->sqlstate, "25001") == 0 ||
           strcmp(err->sqlstate, "2BP01") == 0;
}

/* What the tables lack, in a transaction that stays open. */
static int write_schema(struct write *w, struct buf *sql, struct dendro_error *err)
{
    int rc = write_run(w->session, "BEGIN", 5, err);

    if (rc >= 0)
        rc = write_run(w->session, (const char *)sql->data, sql->len, err);
    if (rc < 0 && w->in->narrow.code < 0 && write_cannot_widen(err)) {
        *err = w->in->narrow;
        w->in->bad_line = w->in->narrow_line;
        return err->code;
    }
    err->position = 0; /* nobody sees these statements */
    for (struct ingest_table *t = w->in->tables; rc >= 0 && t; t = t->next) {
        table_unref(t->def);
        t->def = appender_table(w->session, w->in->opt.schema, t->name);
        if (!t->def)
            rc = ingest_fail(err, DN_E_TABLE_CHANGED, "table \"%s\" is gone", t->name);
    }
    return rc;
}

static int write_try(struct ingest *in, dendro_conn *session, struct dendro_error *err)
{
    struct write w = {.in = in, .session = session};
    struct ingest_plan plan = {.in = in, .session = session};
    struct buf sql;
    int rc;

    buf_init(&sql, in->owner);
    arena_init(&w.arena, in->owner);
    plan.sql = &sql;
    rc = ingest_plan(&plan, err);
    if (rc >= 0 && sql.len > 0)
        rc = write_schema(&w, &sql, err);
    if (rc >= 0)
        rc = write_rows(&w, err);
    write_close(&w);
    if (rc >= 0 && sql.len > 0)
        rc = write_run(session, "COMMIT", 6, err);
    if (rc >= 0 && sql.len > 0)
        in->made = arena_strndup(&in->arena, (const char *)sql.data, sql.len); /* for the log */
    if (rc < 0 && dendro_transaction_status(session) != DENDRO_TX_IDLE)
        DN_IGNORE(write_run(session, "ROLLBACK", 8, NULL)); /* the error is there already */
    buf_done(&sql);
    return rc;
}

/* Somebody else made the table or column first, or changed it. */
static bool write_again(const struct dendro_error *err)
{
    return strcmp(err->sqlstate, "40001") == 0 || err->code == DN_E_DUPLICATE_TABLE ||
           err->code == DN_E_DUPLICATE_COLUMN || err->code == DN_E_DUPLICATE_SCHEMA ||
           (err->code == DN_E_MISUSE && strstr(err->message, "was altered"));
}

int ingest_write(struct ingest *in, dendro_conn *session, struct dendro_error *err)
{
    int rc = 0;

    if (in->rows == 0)
        return 0;
    for (int tries = 0; tries < WRITE_TRIES; tries++) {
        in->bad_line = 0;
        rc = write_try(in, session, err);
        if (rc >= 0 || in->bad_line || !write_again(err))
            break;
    }
    return rc < 0 ? rc : 0;
}
