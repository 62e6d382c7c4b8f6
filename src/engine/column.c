/* SPDX-License-Identifier: Apache-2.0
 *
 * column.c: reading the current row. */
#include "engine/door.h"
#include "engine/engine_int.h"

#include "func/num.h"
#include "func/text.h"
#include "system/system.h"

#include <math.h>

int dendro_column_count(const dendro_stmt *stmt)
{
    return stmt ? (int)stmt->cols_count : 0;
}

bool engine_gives_rows(const dendro_stmt *stmt)
{
    if (!stmt || stmt->cols_count > 0)
        return stmt;
    return stmt->ast->kind == STMT_SELECT ||
           (stmt->ast->kind == STMT_FETCH && !stmt->ast->misc->fetch.move);
}

const char *dendro_column_name(const dendro_stmt *stmt, int col)
{
    return stmt && col >= 0 && (uint32_t)col < stmt->cols_count ? stmt->cols[col].name : NULL;
}

enum dendro_type dendro_column_type(const dendro_stmt *stmt, int col)
{
#define DN_TYPE(id, NAME, sql, phys) \
    _Static_assert((int)TYPE_##NAME == (int)DENDRO_TYPE_##NAME, "dendro.h and type_list.h differ");
#include "vec/type_list.h"
#undef DN_TYPE
    if (!stmt || col < 0 || (uint32_t)col >= stmt->cols_count)
        return DENDRO_TYPE_NONE;
    return (enum dendro_type)TYPE_BASE(stmt->cols[col].type);
}

enum type_id engine_column_type(const dendro_stmt *stmt, int col)
{
    return stmt->cols[col].type;
}

void engine_column_origin(const dendro_stmt *stmt, int col, struct engine_origin *ret)
{
    const struct plan_col *c = &stmt->cols[col];
    const struct plan_origin *o = &c->origin;

    *ret = (struct engine_origin){
        .relation = o->relation, .column = o->column, .mod = -1, .type = o->type};
    if (o->declared) {
        ret->mod = sys_type_mod(c->type, &o->mods);
        if (o->mods.count)
            ret->type = sys_type_oid(c->type, &o->mods);
    }
}

const char *dendro_type_name(enum dendro_type type)
{
    return type_known((unsigned)type) ? type_name((enum type_id)type) : "?";
}

bool stmt_datum(const struct dendro_stmt *stmt, int col, struct datum *ret)
{
    uint32_t row;

    if (!stmt || !stmt->has_row || col < 0 || (uint32_t)col >= stmt->cols_count)
        return false;
    if (!stmt->root) {
        *ret = stmt->rows.cells[stmt->row * stmt->rows.cols_count + (size_t)col];
        return true;
    }
    row = stmt->batch.sel ? stmt->batch.sel[stmt->row] : stmt->row;
    *ret = vec_datum(&stmt->batch.cols[col], row);
    return true;
}

/* The vector of a column of the current row, and the row's place in it; NULL: there is no row, no
 * such column, or the result is no vectors. What rows are read by most: no datum is made. */
static const struct vec *col_vec(const struct dendro_stmt *stmt, int col, uint32_t *ret_row)
{
    if (!stmt || !stmt->has_row || !stmt->root || (uint32_t)col >= stmt->cols_count)
        return NULL;
    *ret_row = stmt->batch.sel ? stmt->batch.sel[stmt->row] : stmt->row;
    return &stmt->batch.cols[col];
}

/* A value that is there. */
static bool col_value(const struct dendro_stmt *stmt, int col, struct datum *ret)
{
    return stmt_datum(stmt, col, ret) && !ret->null;
}

bool dendro_column_is_null(const dendro_stmt *stmt, int col)
{
    uint32_t row;
    const struct vec *v = col_vec(stmt, col, &row);
    struct datum d;

    return v ? vec_is_null(v, row) : !col_value(stmt, col, &d);
}

bool dendro_column_bool(const dendro_stmt *stmt, int col)
{
    return dendro_column_double(stmt, col) != 0;
}

int64_t dendro_column_int64(const dendro_stmt *stmt, int col)
{
    uint32_t row;
    const struct vec *v = col_vec(stmt, col, &row);
    struct datum d;

    if (v && type_is_fixed(v->type) && !type_is_float(v->type))
        return vec_is_null(v, row) ? 0 : vec_i64(v, row);
    if (!col_value(stmt, col, &d))
        return 0;
    if (d.type == TYPE_NUMERIC) {
        d.v.f64 = num_to_f64(d.num);
        d.type = TYPE_DOUBLE;
    }
    if (!type_is_fixed(d.type))
        return 0;
    if (!type_is_float(d.type))
        return d.v.i64;
    if (isnan(d.v.f64))
        return 0;
    if (d.v.f64 >= 9223372036854775808.0)
        return INT64_MAX;
    return d.v.f64 < -9223372036854775808.0 ? INT64_MIN : (int64_t)d.v.f64;
}

double dendro_column_double(const dendro_stmt *stmt, int col)
{
    uint32_t row;
    const struct vec *v = col_vec(stmt, col, &row);
    struct datum d;

    if (v && type_is_float(v->type))
        return vec_is_null(v, row) ? 0 : vec_f64(v, row);
    if (!col_value(stmt, col, &d))
        return 0;
    if (d.type == TYPE_NUMERIC)
        return num_to_f64(d.num);
    if (!type_is_fixed(d.type))
        return 0;
    return type_is_float(d.type) ? d.v.f64 : (double)d.v.i64;
}

int64_t dendro_column_timestamp(const dendro_stmt *stmt, int col, enum dendro_unit unit)
{
    int64_t want = unit == DENDRO_UNIT_NS   ? 1000000000
                   : unit == DENDRO_UNIT_US ? 1000000
                   : unit == DENDRO_UNIT_MS ? 1000
                                            : 1;
    int64_t have, value;
    struct datum d;

    if (!col_value(stmt, col, &d) || (!type_is_timestamp(d.type) && d.type != TYPE_TIMESTAMPTZ &&
                                      d.type != TYPE_TIMESTAMP_LOCAL))
        return 0;
    have = type_ts_per_second(d.type);
    if (have >= want)
        return d.v.i64 / (have / want) - (d.v.i64 % (have / want) < 0);
    if (__builtin_mul_overflow(d.v.i64, want / have, &value))
        return d.v.i64 < 0 ? INT64_MIN : INT64_MAX;
    return value;
}

/* ---- text ---- */

static struct stmt_text *col_text(struct dendro_stmt *stmt, int col)
{
    struct stmt_text *t;
    struct datum d;
    struct buf b;

    if (!col_value(stmt, col, &d))
        return NULL;
    if (!stmt->text) {
        stmt->text = arena_calloc(&stmt->texts, stmt->cols_count, sizeof(*stmt->text));
        if (!stmt->text)
            return NULL;
    }
    t = &stmt->text[col];
    if (t->ptr)
        return t;
    if (type_is_utf8(d.type)) {
        t->ptr = arena_strndup(&stmt->texts, d.str.ptr, d.str.len);
        t->len = d.str.len;
        return t->ptr ? t : NULL;
    }
    buf_init(&b, &stmt->owner);
    text_print_in(&stmt->conn->functions, &d, &b);
    if (!b.failed) {
        t->ptr = arena_strndup(&stmt->texts, b.len ? (const char *)b.data : "", b.len);
        t->len = b.len;
    }
    buf_done(&b);
    return t->ptr ? t : NULL;
}

const char *dendro_column_text(dendro_stmt *stmt, int col)
{
    struct stmt_text *t = col_text(stmt, col);

    return t ? t->ptr : NULL;
}

size_t dendro_column_bytes(dendro_stmt *stmt, int col)
{
    struct stmt_text *t = col_text(stmt, col);

    return t ? t->len : 0;
}

const void *dendro_column_blob(const dendro_stmt *stmt, int col, size_t *ret_len)
{
    uint32_t row;
    const struct vec *v = col_vec(stmt, col, &row);
    struct datum d;

    if (ret_len)
        *ret_len = 0;
    if (v && type_is_array(v->type))
        return NULL;
    if (v && type_is_string(v->type) && !vec_is_null(v, row)) {
        struct vstr text = vec_str(v, row);

        if (ret_len)
            *ret_len = text.len;
        return text.ptr;
    }
    if (!col_value(stmt, col, &d) || !type_is_string(d.type) || type_is_array(d.type))
        return NULL;
    if (ret_len)
        *ret_len = d.str.len;
    return d.str.ptr;
}

/* ---- parameters ---- */

/* In the VALUES of an INSERT a parameter is what its column is. */
static enum type_id column_insert_param(const struct dendro_stmt *stmt,
                                        const struct insert_stmt *insert,
                                        uint32_t param)
{
    const struct values_rows *values = insert->query ? &insert->query->values : NULL;

    for (uint32_t i = 0; values && i < values->rows_count; i++)
        for (uint32_t j = 0; j < values->rows_len[i] && j < stmt->insert.cols_count; j++) {
            const struct expr *e = values->rows[i][j];

            if (e && e->kind == EXPR_PARAM && e->param == param)
                return stmt->insert.table->columns[stmt->insert.cols[j]].type;
        }
    return TYPE_NONE;
}

/* So it is in the SET of an UPDATE. */
static enum type_id column_update_param(const struct dendro_stmt *stmt, uint32_t param)
{
    const struct plan_change *change = stmt->plan ? stmt->plan->change : NULL;

    for (uint32_t i = 0; change && i < change->sets_count; i++) {
        const struct expr *e = change->sets[i].value;

        if (e && e->kind == EXPR_PARAM && e->param == param)
            return stmt->plan->table->columns[change->sets[i].col].type;
    }
    return TYPE_NONE;
}

enum dendro_type dendro_param_type(const dendro_stmt *stmt, int param)
{
    const struct stmt *ast;
    enum type_id type = TYPE_NONE;

    if (!stmt || param < 1 || (uint32_t)param > stmt->ast->params_count)
        return DENDRO_TYPE_NONE;
    ast = stmt_inner(stmt);
    if ((uint32_t)param <= stmt->hints.count)
        type = stmt->hints.types[param - 1];
    if (type == TYPE_NONE && stmt->plan && (uint32_t)param <= stmt->plan->params_count)
        type = stmt->plan->param_types[param - 1];
    if (type == TYPE_NONE && ast->kind == STMT_INSERT && stmt->insert.table)
        type = column_insert_param(stmt, ast->insert, (uint32_t)param);
    if (type == TYPE_NONE && ast->kind == STMT_UPDATE)
        type = column_update_param(stmt, (uint32_t)param);
    return (enum dendro_type)type;
}
