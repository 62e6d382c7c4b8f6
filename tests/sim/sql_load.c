/* SPDX-License-Identifier: Apache-2.0 */
#include "sql_load.h"

#include "engine/engine_int.h"
#include "engine/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static uint32_t load_order(const struct sqlm_table *t,
                           const struct sqlm_insert *ins,
                           struct rng *r,
                           uint32_t order[SQLM_COLS_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < t->cols_count; i++)
        if (ins->listed[i])
            order[count++] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t k = rng_below(r, i);
        uint32_t swap = order[i - 1];
        order[i - 1] = order[k];
        order[k] = swap;
    }
    return count;
}

/* ---- the appender ---- */

static int load_append_value(dendro_appender *app,
                             const struct sql_value *v,
                             struct rng *r,
                             struct dendro_error *err)
{
    static const enum dendro_unit units[] = {DENDRO_UNIT_MS, DENDRO_UNIT_US, DENDRO_UNIT_NS};

    if (v->null)
        return dendro_append_null(app, err);
    if (sql_type_is_float(v->type))
        return dendro_append_double(app, v->f64, err);
    if (v->type == DENDRO_TYPE_VARCHAR)
        return dendro_append_text(app, v->str, (ptrdiff_t)v->len, err);
    if (v->type == DENDRO_TYPE_BLOB)
        return dendro_append_blob(app, v->str, v->len, err);
    if (v->type == DENDRO_TYPE_NUMERIC) {
        struct buf text;
        int rc;

        buf_init(&text, NULL);
        sql_num_print(v->i64, &text);
        DN_ASSERT(!text.failed);
        rc = dendro_append_text(app, (const char *)text.data, (ptrdiff_t)text.len, err);
        buf_done(&text);
        return rc;
    }
    if (v->type == DENDRO_TYPE_BOOLEAN)
        return dendro_append_bool(app, v->i64 != 0, err);
    if (sql_type_is_time(v->type) && rng_one_in(r, 2))
        return dendro_append_timestamp(app, v->i64, units[v->type - DENDRO_TYPE_TIMESTAMP], err);
    return dendro_append_int64(app, v->i64, err);
}

static int load_append(const struct sqlm_table *t,
                       const struct sqlm_insert *ins,
                       struct rng *r,
                       dendro_conn *conn,
                       struct dendro_error *err)
{
    char names[SQLM_COLS_MAX][32];
    const char *columns[SQLM_COLS_MAX + 1] = {NULL};
    uint32_t order[SQLM_COLS_MAX];
    uint32_t count = load_order(t, ins, r, order);
    dendro_appender *app = NULL;
    struct dendro_error later;
    int rc;

    for (uint32_t i = 0; i < count; i++) {
        sqlm_col_name(&t->cols[order[i]], names[i]);
        columns[i] = names[i];
    }
    rc = dendro_appender_open(conn, NULL, t->name, columns, &app, err);
    if (rc < 0)
        return rc;
    dendro_appender_set_flush(app, 0, 0);
    for (size_t i = 0; rc == 0 && i < ins->rows.count; i++) {
        for (uint32_t k = 0; rc == 0 && k < count; k++)
            rc = load_append_value(app, &sql_row(&ins->rows, i)[order[k]], r, err);
        if (rc == 0)
            rc = dendro_append_end_row(app, err);
    }
    if (rc == 0)
        rc = dendro_appender_flush(app, err);
    if (rc < 0)
        dendro_appender_clear(app);
    if (dendro_appender_close(app, &later) < 0 && rc == 0) {
        rc = (int)later.code;
        *err = later;
    }
    return rc;
}

/* ---- CSV ---- */

static void load_csv_text(const char *text, size_t len, struct buf *b)
{
    buf_u8(b, '"');
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            buf_u8(b, '"');
        buf_u8(b, (uint8_t)text[i]);
    }
    buf_u8(b, '"');
}

static void load_csv_value(const struct sql_value *v, struct rng *r, struct buf *b)
{
    struct buf text;
    const char *p;
    size_t n;

    if (v->null)
        return;
    if (v->type == DENDRO_TYPE_VARCHAR) {
        load_csv_text(v->str, v->len, b);
        return;
    }
    buf_init(&text, NULL);
    do { /* whole numbers could be days: 20150601 */
        text.len = 0;
        sqlm_literal(r, v, &text);
        DN_ASSERT(!text.failed);
    } while (sql_type_is_time(v->type) && text.data[0] != '\'');
    p = (const char *)text.data;
    n = text.len;
    if (p[0] == '\'') {
        p++;
        n -= 2;
    }
    if (rng_one_in(r, 4))
        load_csv_text(p, n, b);
    else
        buf_append(b, p, n);
    buf_done(&text);
}

static void
load_csv(const struct sqlm_table *t, const struct sqlm_insert *ins, struct rng *r, struct buf *b)
{
    uint32_t order[SQLM_COLS_MAX];
    uint32_t count = load_order(t, ins, r, order);
    const char *end = rng_one_in(r, 2) ? "\n" : "\r\n";

    for (uint32_t k = 0; k < count; k++) {
        char name[32];
        sqlm_col_name(&t->cols[order[k]], name);
        buf_puts(b, k ? "," : "");
        load_csv_text(name, strlen(name), b);
    }
    buf_puts(b, end);
    for (size_t i = 0; i < ins->rows.count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            const struct sql_value *v = &sql_row(&ins->rows, i)[order[k]];
            buf_puts(b, k ? "," : "");
            load_csv_value(v, r, b);
        }
        buf_puts(b, end);
    }
}

struct load_from {
    const struct buf *text;
    size_t at;
};

static int load_read(void *arg, void *to, size_t len, size_t *ret_len, struct dn_err *err)
{
    struct load_from *f = arg;
    size_t n = f->text->len - f->at;

    (void)err;
    n = n < len ? n : len;
    memcpy(to, f->text->data + f->at, n);
    f->at += n;
    *ret_len = n;
    return 0;
}

static int load_by_csv(const struct sqlm_table *t,
                       const struct sqlm_insert *ins,
                       struct rng *r,
                       dendro_conn *conn,
                       struct dendro_error *err)
{
    struct buf text;
    struct load_from from = {.text = &text};
    const struct qual_name name = {.name = t->name};
    struct catalog *cat = engine_catalog(conn->db);
    struct load_result result;
    struct dn_err why = {.code = 0};
    struct load_spec spec = {
        .table = session_table(conn, cat, &name, &why),
        .format = {.delimiter = ',', .quote = '"', .null_text = {.ptr = ""}, .epoch = -1},
        .header = LOAD_HEADER_YES,
        .read = load_read,
        .read_arg = &from,
        .whole = true,
        /* Few bytes: many chunks, and straight into segments. */
        .chunk_bytes = rng_one_in(r, 2) ? 0 : 100 + rng_below(r, 2000)};
    int rc;

    buf_init(&text, NULL);
    load_csv(t, ins, r, &text);
    DN_ASSERT(!text.failed);
    rc = spec.table ? load_run(conn, &spec, &result, &why) : (int)why.code;
    if (rc < 0) {
        err->code = rc;
        (void)snprintf(err->message, sizeof err->message, "%s", why.text);
        (void)snprintf(err->hint, sizeof err->hint, "%s", why.hint);
    }
    catalog_unref(cat);
    buf_done(&text);
    return rc;
}

int sqlm_load(const struct sqlm_table *t,
              const struct sqlm_insert *ins,
              enum sqlm_door door,
              struct rng *r,
              dendro_conn *conn,
              struct dendro_error *err)
{
    uint32_t count = 0;

    DN_ASSERT(!ins->bad);
    for (uint32_t i = 0; i < t->cols_count; i++)
        count += ins->listed[i];
    if (count == 1 && door == SQLM_BY_CSV)
        door = SQLM_BY_APPENDER; /* NULL would make an empty line, which is no record */
    memset(err, 0, sizeof *err);
    switch (door) {
    case SQLM_BY_INSERT:
        break;
    case SQLM_BY_APPENDER:
        return load_append(t, ins, r, conn, err);
    case SQLM_BY_CSV:
        return load_by_csv(t, ins, r, conn, err);
    case SQLM_DOOR_MAX:
        break;
    }
    return sql_exec(conn, (const char *)ins->sql.data, err);
}
