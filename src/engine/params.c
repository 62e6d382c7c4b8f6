/* SPDX-License-Identifier: Apache-2.0
 *
 * params.c: values of parameters, kept by the statement until it is finalized. */
#include "engine/engine_int.h"

#include "base/text.h"
#include "func/text.h"

static size_t param_text_len(const char *text, ptrdiff_t len)
{
    return len < 0 ? strlen(text) : (size_t)len;
}

int dendro_param_count(const dendro_stmt *stmt)
{
    return stmt && !stmt->params_given ? (int)stmt->ast->params_count : 0;
}

/* The type that it was given when the statement was prepared. */
static enum type_id stmt_hint(const struct dendro_stmt *stmt, int param)
{
    return (uint32_t)param <= stmt->hints.count ? stmt->hints.types[param - 1] : TYPE_NONE;
}

static int stmt_bind(
    dendro_stmt *stmt, int param, const struct datum *value, bool untyped, struct dendro_error *err)
{
    struct stmt_param *p;
    struct datum typed;
    struct dn_err e;
    char *bytes = NULL;
    int rc;

    dn_err_clear(&e);
    if (!stmt)
        return engine_return(err, &e, DN_FAIL(&e, DN_E_MISUSE, "no statement to bind to"));
    if (stmt->state == RUN_ACTIVE)
        return engine_return(
            err,
            &e,
            DN_FAIL(&e, DN_E_MISUSE, "the statement is running: dendro_reset it before binding"));
    if (param < 1 || (uint32_t)param > stmt->ast->params_count)
        return engine_return(err,
                             &e,
                             DN_FAIL(&e,
                                     DN_E_MISUSE,
                                     "no parameter %d: the statement has %u",
                                     param,
                                     stmt->ast->params_count));
    if (untyped && stmt_hint(stmt, param) != TYPE_NONE && !value->null) {
        rc = text_parse_in(
            &stmt->conn->functions, stmt_hint(stmt, param), value->str, &stmt->texts, &typed, &e);
        if (rc < 0)
            return engine_return(err, &e, rc);
        value = &typed;
        untyped = false;
    }
    if (value->type == TYPE_TIMESTAMPTZ && !value->null && value->v.i64 != INT64_MAX &&
        value->v.i64 != INT64_MIN) { /* its digits are meant: a key does not round them */
        typed = *value;
        typed.type = TYPE_TIMESTAMP_US;
        value = &typed;
    }
    if (!value->null && type_is_string(value->type)) {
        bytes = mem_dup(&stmt->owner, value->str.ptr, value->str.len);
        if (!bytes)
            return engine_return(err, &e, DN_FAIL_NOMEM(&e));
    }
    p = &stmt->params[param - 1];
    mem_free(p->bytes);
    *p = (struct stmt_param){.bound = true, .untyped = untyped, .value = *value, .bytes = bytes};
    if (bytes)
        p->value.str.ptr = bytes;
    return engine_return(err, &e, DENDRO_OK);
}

int engine_bind(
    dendro_stmt *stmt, int param, const struct datum *value, bool untyped, struct dendro_error *err)
{
    return stmt_bind(stmt, param, value, untyped, err);
}

int dendro_bind_null(dendro_stmt *stmt, int param, struct dendro_error *err)
{
    struct datum d = {.type = TYPE_NONE, .null = true};

    return stmt_bind(stmt, param, &d, true, err);
}

int dendro_bind_bool(dendro_stmt *stmt, int param, bool value, struct dendro_error *err)
{
    struct datum d = {.type = TYPE_BOOLEAN, .v = {.i64 = value}};

    return stmt_bind(stmt, param, &d, false, err);
}

int dendro_bind_int64(dendro_stmt *stmt, int param, int64_t value, struct dendro_error *err)
{
    struct datum d = {.type = TYPE_BIGINT, .v = {.i64 = value}};

    return stmt_bind(stmt, param, &d, false, err);
}

int dendro_bind_double(dendro_stmt *stmt, int param, double value, struct dendro_error *err)
{
    struct datum d = {.type = TYPE_DOUBLE, .v = {.f64 = value}};

    return stmt_bind(stmt, param, &d, false, err);
}

static int stmt_bind_bytes(dendro_stmt *stmt,
                           int param,
                           enum type_id type,
                           const void *bytes,
                           size_t len,
                           struct dendro_error *err)
{
    struct datum d = {.type = type, .str = {.ptr = bytes ? bytes : ""}};
    struct dn_err e;

    if (!bytes && len > 0) {
        dn_err_clear(&e);
        return engine_return(
            err, &e, DN_FAIL(&e, DN_E_MISUSE, "parameter %d: no bytes given", param));
    }
    if (len > SQL_TEXT_MAX) {
        dn_err_clear(&e);
        return engine_return(err,
                             &e,
                             DN_FAIL(&e,
                                     DN_E_TOO_LONG,
                                     "parameter %d: %zu bytes, more than %u",
                                     param,
                                     len,
                                     SQL_TEXT_MAX));
    }
    d.str.len = (uint32_t)len;
    if (type == TYPE_VARCHAR && !text_value_valid(d.str.ptr, len)) {
        dn_err_clear(&e);
        return engine_return(
            err,
            &e,
            DN_FAIL(&e, DN_E_BAD_ENCODING, "parameter %d: the text is not valid UTF-8", param));
    }
    return stmt_bind(stmt, param, &d, type == TYPE_VARCHAR, err);
}

int dendro_bind_text(
    dendro_stmt *stmt, int param, const char *text, ptrdiff_t len, struct dendro_error *err)
{
    return stmt_bind_bytes(
        stmt, param, TYPE_VARCHAR, text, text ? param_text_len(text, len) : len != 0, err);
}

int dendro_bind_blob(
    dendro_stmt *stmt, int param, const void *bytes, size_t len, struct dendro_error *err)
{
    return stmt_bind_bytes(stmt, param, TYPE_BLOB, bytes, len, err);
}

int dendro_bind_timestamp(
    dendro_stmt *stmt, int param, int64_t value, enum dendro_unit unit, struct dendro_error *err)
{
    struct datum d;
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    rc = engine_time(value, unit, &d, &e);
    if (rc == 0)
        return stmt_bind(stmt, param, &d, false, err);
    dn_err_prefix(&e, "parameter %d", param);
    return engine_return(err, &e, rc);
}

const struct func_session *engine_session(const dendro_conn *conn)
{
    return &conn->functions;
}
