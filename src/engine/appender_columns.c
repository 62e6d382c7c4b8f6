/* SPDX-License-Identifier: Apache-2.0
 *
 * appender_columns.c: dendro_append_columns: whole arrays at once. */
#include "engine/appender_int.h"

#include "base/civil.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>

/* Row `row` of an array as a value. */
static int app_array_value(const struct dendro_array *a,
                           size_t row,
                           struct intake_value *ret,
                           struct dn_err *err)
{
    *ret = (struct intake_value){.d = {.type = (enum type_id)a->type}};
    if (a->nulls && a->nulls[row]) {
        ret->d.null = true;
        return 0;
    }
    switch (a->type) {
    case DENDRO_TYPE_NONE:
        ret->d.null = true;
        return 0;
    case DENDRO_TYPE_BOOLEAN:
        ret->d.v.i64 = ((const uint8_t *)a->values)[row] != 0;
        return 0;
    case DENDRO_TYPE_SMALLINT:
        ret->d.v.i64 = ((const int16_t *)a->values)[row];
        return 0;
    case DENDRO_TYPE_DATE:
        ret->d.v.i64 = ((const int32_t *)a->values)[row];
        return civil_is_date(ret->d.v.i64) || ret->d.v.i64 == INT32_MAX || ret->d.v.i64 == INT32_MIN
                   ? 0
                   : DN_FAIL(err, DN_E_DATETIME_RANGE, "date out of range");
    case DENDRO_TYPE_INTEGER:
        ret->d.v.i64 = ((const int32_t *)a->values)[row];
        return 0;
    case DENDRO_TYPE_BIGINT:
    case DENDRO_TYPE_TIMESTAMP:
    case DENDRO_TYPE_TIMESTAMP_US:
    case DENDRO_TYPE_TIMESTAMP_NS:
    case DENDRO_TYPE_TIME:
    case DENDRO_TYPE_TIMESTAMPTZ:
    case DENDRO_TYPE_TIMESTAMP_LOCAL:
        ret->d.v.i64 = ((const int64_t *)a->values)[row];
        return 0;
    case DENDRO_TYPE_REAL:
        ret->d.v.f64 = (double)((const float *)a->values)[row];
        return 0;
    case DENDRO_TYPE_DOUBLE:
        ret->d.v.f64 = ((const double *)a->values)[row];
        return 0;
    case DENDRO_TYPE_VARCHAR:
    case DENDRO_TYPE_BPCHAR:
    case DENDRO_TYPE_BLOB: {
        const char *text = ((const char *const *)a->values)[row];
        size_t len = a->lengths ? a->lengths[row] : text ? strlen(text) : 1;

        return appender_bytes((enum type_id)a->type, text, len, ret, err);
    }
    case DENDRO_TYPE_UUID:
    case DENDRO_TYPE_TIMETZ:
    case DENDRO_TYPE_BIT:
    case DENDRO_TYPE_VARBIT:
    case DENDRO_TYPE_ENUM:
    case DENDRO_TYPE_INTERVAL: /* as text */
    case DENDRO_TYPE_NUMERIC:
    case DENDRO_TYPE_OID:
    case DENDRO_TYPE_NAME:
    case DENDRO_TYPE_CHAR1:
    case DENDRO_TYPE_REGCLASS:
    case DENDRO_TYPE_REGTYPE:
    case DENDRO_TYPE_REGPROC:
    case DENDRO_TYPE_REGNAMESPACE:
    case DENDRO_TYPE_REGROLE:
    case DENDRO_TYPE_INT2VECTOR:
    case DENDRO_TYPE_OIDVECTOR:
    case DENDRO_TYPE_NODE_TREE:
    case DENDRO_TYPE_ACLITEM:
    case DENDRO_TYPE_EXPANDED:
    case DENDRO_TYPE_ARRAY:
        break;
    }
    return DN_FAIL(err, DN_E_MISUSE, "no such type: %d", (int)a->type);
}

/* Numbers and times of the column's own type need no conversion: they are copied at once. False:
 * they have to be looked at one by one. */
static bool app_array_whole(struct dendro_appender *app,
                            uint16_t col,
                            const struct dendro_array *a,
                            size_t rows)
{
    const struct table *t = app->target.table;
    struct colbuf *to = &app->rows.bufs[col];
    enum type_id type = t->columns[col].type;
    struct vec v = {.type = type, .form = VEC_FLAT, .count = (uint32_t)rows, .data = a->values};

    if ((enum type_id)a->type != type || a->nulls || t->columns[col].mods.count > 0)
        return false;
    if (type == TYPE_DOUBLE) {
        for (size_t i = 0; i < rows; i++)
            if (!isfinite(((const double *)a->values)[i]))
                return false;
    } else if (type_is_timestamp(type)) {
        for (size_t i = 0; t->time_col == (int)col && i < rows; i++)
            if (((const int64_t *)a->values)[i] == 0)
                return false;
    } else if (!type_is_int(type)) {
        return false;
    }
    return colbuf_append_vec(to, &v, NULL, (uint32_t)rows);
}

/* The same for texts, where the column takes any. */
static bool app_texts_whole(struct dendro_appender *app,
                            uint16_t col,
                            const struct dendro_array *a,
                            size_t rows)
{
    const struct column *c = &app->target.table->columns[col];
    const char *const *texts = a->values;
    struct vec v = {.type = TYPE_VARCHAR, .form = VEC_FLAT, .count = (uint32_t)rows};
    struct vstr *s;
    uint64_t bytes = 0;

    if (a->type != DENDRO_TYPE_VARCHAR || c->type != TYPE_VARCHAR || c->mods.count > 0 ||
        a->nulls || !a->lengths)
        return false;
    s = arena_alloc_array(&app->scratch, rows, sizeof(*s));
    for (size_t i = 0; s && i < rows; i++) {
        if (!texts[i] || a->lengths[i] > SQL_TEXT_MAX || !text_value_valid(texts[i], a->lengths[i]))
            return false;
        s[i] = (struct vstr){.ptr = texts[i], .len = (uint32_t)a->lengths[i]};
        bytes += 16 + a->lengths[i];
    }
    v.data = s;
    if (!s || !colbuf_append_vec(&app->rows.bufs[col], &v, NULL, (uint32_t)rows))
        return false;
    arena_reset(&app->scratch);
    app->bytes += bytes;
    return true;
}

static int app_array(struct dendro_appender *app,
                     uint16_t col,
                     const struct dendro_array *a,
                     size_t rows,
                     struct dn_err *err)
{
    const struct table *t = app->target.table;
    struct intake_value v;
    struct datum d;
    int rc;

    if (rows > 0 && !a->values && a->type != DENDRO_TYPE_NONE)
        return DN_FAIL(err, DN_E_MISUSE, "column \"%s\": no values given", t->columns[col].name);
    if (app_array_whole(app, col, a, rows)) {
        app->bytes += rows * 8;
        return 0;
    }
    if (app_texts_whole(app, col, a, rows))
        return 0;
    for (size_t row = 0; row < rows; row++) {
        rc = app_array_value(a, row, &v, err);
        if (rc == 0)
            rc = intake_assign(t, col, &v, app->target.session, &app->scratch, &d, err);
        if (rc == 0 && !colbuf_append(&app->rows.bufs[col], &d))
            rc = DN_FAIL_NOMEM(err);
        if (rc < 0) {
            if (rc != DN_E_NOMEM)
                dn_err_prefix(err,
                              "row %" PRIu64 ", column \"%s\"",
                              appender_row(app, app->rows.rows + row),
                              t->columns[col].name);
            return rc;
        }
        app->bytes += type_is_string(d.type) ? 16 + d.str.len : 8;
        if (v.untyped)
            arena_reset(&app->scratch);
    }
    return 0;
}

/* The keys' text, which no single column can tell. */
static int app_check_keys(struct dendro_appender *app, size_t rows, struct dn_err *err)
{
    const struct table *t = app->target.table;

    for (size_t row = 0; row < rows; row++) {
        uint64_t bytes = app->target.key_bytes;

        for (uint16_t i = 0; i < t->local_count; i++) {
            uint16_t col = t->local[i].col;

            if (app->target.listed[col] && type_is_string(t->columns[col].type))
                bytes += ((const struct vstr *)app->rows.bufs[col].data)[app->rows.rows + row].len;
        }
        if (bytes > INTAKE_KEY_BYTES_MAX)
            return DN_FAIL(err,
                           DN_E_TOO_LONG,
                           "row %" PRIu64 ": the key's text is longer than %u bytes",
                           appender_row(app, app->rows.rows + row),
                           INTAKE_KEY_BYTES_MAX);
    }
    return 0;
}

int dendro_append_columns(dendro_appender *app,
                          const struct dendro_array *columns,
                          int columns_count,
                          size_t rows,
                          struct dendro_error *err)
{
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = appender_begin(app, &e);
    if (rc < 0)
        return engine_return(err, &e, rc);
    if (app->in_row)
        rc = DN_FAIL(&e, DN_E_MISUSE, "a row is under way: dendro_append_end_row comes first");
    else if (!columns || columns_count < 0 || (uint32_t)columns_count != app->target.cols_count)
        rc = DN_FAIL(&e,
                     DN_E_MISUSE,
                     "%d arrays for %u columns",
                     columns ? columns_count : 0,
                     app->target.cols_count);
    else if (rows > APPENDER_ROWS_MAX - app->rows.rows)
        rc = DN_FAIL(&e, DN_E_TOO_LONG, "more than %u rows in a batch", APPENDER_ROWS_MAX);
    if (rc < 0)
        return engine_return(err, &e, rc);
    for (uint32_t i = 0; rc == 0 && i < app->target.cols_count; i++)
        rc = app_array(app, app->target.cols[i], &columns[i], rows, &e);
    if (rc == 0)
        rc = app_check_keys(app, rows, &e);
    if (rc < 0) {
        intake_undo_row(&app->rows);
        return engine_return(err, &e, appender_spoil(app, rc, &e));
    }
    app->rows.rows += (uint32_t)rows;
    rc = appender_settle(app, &e);
    return engine_return(err, &e, rc);
}
