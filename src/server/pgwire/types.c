/* SPDX-License-Identifier: Apache-2.0
 *
 * types.c: see types.h. */
#include "server/pgwire/types.h"

#include "engine/door.h"
#include "func/text.h"
#include "func/text_wire.h"
#include "vec/array.h"

#include <stdio.h>

#define TYPES_TEXT       25 /* what clients are told of VARCHAR, and of a bare NULL … */
#define TYPES_TEXT_ARRAY 1009
#define TYPES_ELEMENT_AT                                                      \
    8u /* … also in an array: so many bytes before the type of its elements \
        */
#define TYPES_TIMESTAMP   1114
#define TYPES_OID         26
#define TYPES_ARRAY(elem) ((enum type_id)(DENDRO_TYPE_ARRAY | (int)(elem)))

/* Types of PostgreSQL that are others of ours, or not told apart here. */
static const struct types_alias {
    uint32_t oid;
    enum type_id type;
    bool vague; /* says nothing about what is meant */
} types_aliases[] = {
    {TYPES_TEXT, TYPE_VARCHAR, true},          /* text */
    {1043, TYPE_VARCHAR, true},                /* varchar */
    {1042, TYPE_VARCHAR, true},                /* char(n) */
    {19, TYPE_VARCHAR, true},                  /* name */
    {18, TYPE_VARCHAR, true},                  /* "char" */
    {705, TYPE_VARCHAR, true},                 /* unknown */
    {26, TYPE_BIGINT, false},                  /* oid: four bytes without a sign */
    {TYPES_TIMESTAMP, TYPE_TIMESTAMPTZ, true}, /* timestamp: at UTC, as all time stamps here */
    {TYPES_TEXT_ARRAY, TYPES_ARRAY(TYPE_VARCHAR), false},
    {1115, TYPES_ARRAY(TYPE_TIMESTAMPTZ), true},
};

uint32_t pgw_type_oid(enum type_id type)
{
    uint32_t oid = type_known(type) && type != TYPE_VARCHAR ? text_wire_oid(type) : 0;

    if (type == TYPES_ARRAY(TYPE_VARCHAR))
        return TYPES_TEXT_ARRAY;
    return oid ? oid : TYPES_TEXT;
}

int16_t pgw_type_len(enum type_id type)
{
    if (type == TYPE_NAME)
        return 64;
    if (type == TYPE_CHAR1)
        return 1;
    if (type_known(type) && type_is_reg(type))
        return 4;
    if (!type_known(type) || type == TYPE_NONE || type_phys(type) == PHYS_NUMERIC ||
        (type_is_string(type) && type != TYPE_UUID))
        return -1;
    if (type == TYPE_OID)
        return sizeof(uint32_t);
    return type == TYPE_UUID ? 16 : type == TYPE_TIMETZ ? 12 : (int16_t)phys_size(type_phys(type));
}

static const struct types_alias *types_alias(uint32_t oid)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(types_aliases); i++)
        if (types_aliases[i].oid == oid)
            return &types_aliases[i];
    return NULL;
}

enum type_id pgw_type_hint(uint32_t oid)
{
    const struct types_alias *a = types_alias(oid);

    if (a)
        return a->vague ? TYPE_NONE : a->type;
    return text_wire_type(oid);
}

/* ---- out ---- */

/* An array of a user type: as one of texts, but for the type of its elements. */
static void types_put_labels(struct buf *b,
                             const struct datum *d,
                             const struct func_session *session,
                             struct arena *scratch)
{
    struct datum texts = {.type = TYPES_ARRAY(TYPE_VARCHAR)};
    size_t at = b->len;
    struct varray a;
    struct buf label, bytes;

    buf_init(&label, b->owner);
    buf_init(&bytes, b->owner);
    b->failed = b->failed || varray_read(d->str, type_element(d->type), NULL, scratch, &a) != 0;
    for (uint32_t i = 0; !b->failed && i < a.count; i++) {
        buf_reset(&label);
        text_print_as(session, TEXT_WIRE, &a.items[i], &label);
        a.items[i].type = TYPE_VARCHAR;
        a.items[i].str.len = (uint32_t)label.len;
        a.items[i].str.ptr = arena_strndup(scratch, (const char *)label.data, label.len);
        b->failed = label.failed || !a.items[i].str.ptr;
    }
    if (!b->failed) {
        a.elem = TYPE_VARCHAR;
        varray_write(&a, NULL, &bytes);
        texts.str = (struct vstr){(const char *)bytes.data, (uint32_t)bytes.len};
        if (bytes.failed)
            b->failed = true;
        else
            text_wire_put(&texts, scratch, b);
    }
    if (!b->failed)
        be_put32(b->data + at + TYPES_ELEMENT_AT, text_wire_oid(type_element(d->type)));
    buf_done(&label);
    buf_done(&bytes);
}

void pgw_put_value(struct buf *b,
                   const struct datum *d,
                   enum pgw_format format,
                   const struct func_session *session,
                   struct arena *scratch)
{
    size_t at = b->len;

    buf_be32(b, d->null ? UINT32_MAX : 0);
    if (d->null)
        return;
    if (format == PGW_FORMAT_BINARY && !TYPE_NUMBER(d->type))
        text_wire_put(d, scratch, b);
    else if (format == PGW_FORMAT_BINARY && type_is_array(d->type))
        types_put_labels(b, d, session, scratch);
    else
        text_print_as(session, TEXT_WIRE, d, b);
    if (b->failed)
        return;
    if (format == PGW_FORMAT_BINARY && d->type == TYPES_ARRAY(TYPE_VARCHAR))
        be_put32(b->data + at + sizeof(uint32_t) + TYPES_ELEMENT_AT, TYPES_TEXT);
    be_put32(b->data + at, (uint32_t)(b->len - at - sizeof(uint32_t)));
}

/* ---- in ---- */

static int
types_refuse(struct dendro_error *err, int code, const char *sqlstate, const char *text, int param)
{
    if (err) {
        *err = (struct dendro_error){.code = code};
        memcpy(err->sqlstate, sqlstate, sizeof err->sqlstate);
        snprintf(err->message, sizeof err->message, "%s, parameter $%d", text, param);
    }
    return code;
}

static int types_bind_binary(dendro_stmt *stmt,
                             int param,
                             const struct pgw_given *g,
                             struct arena *scratch,
                             struct dendro_error *err)
{
    const struct types_alias *a = types_alias(g->oid);
    enum type_id type = a                          ? a->type
                        : g->oid >= TEXT_WIRE_USER ? TYPE_VARCHAR /* a label */
                        : g->oid                   ? text_wire_type(g->oid)
                        : type_is_enum(g->wanted)  ? TYPE_VARCHAR
                                                   : g->wanted;
    struct datum d = {.type = TYPE_BIGINT};
    struct dn_err e;
    int rc;

    dn_err_clear(&e);
    if (g->oid && type == TYPE_NONE)
        return types_refuse(
            err, DN_E_UNSUPPORTED, "0A000", "this type has no binary form here", param);
    if (type == TYPE_NONE)
        type = TYPE_VARCHAR;
    if (g->wanted == TYPE_TIMESTAMP_LOCAL && (!g->oid || g->oid == TYPES_TIMESTAMP))
        type = TYPE_TIMESTAMP_LOCAL;
    if (type_is_timestamp(type)) /* the statement may be exact about what it takes */
        type = TYPE_TIMESTAMPTZ;
    if (a && a->oid == TYPES_OID && g->len == sizeof(uint32_t)) {
        d.v.i64 = be_get32(g->bytes);
        return engine_bind(stmt, param, &d, false, err);
    }
    rc = text_wire_get(type, g->bytes, g->len, scratch, &d, &e);
    if (rc < 0) {
        dn_err_prefix(&e, "parameter $%d", param);
        return engine_return(err, &e, rc);
    }
    return engine_bind(stmt, param, &d, type == TYPE_VARCHAR, err);
}

int pgw_bind(dendro_stmt *stmt,
             int param,
             const struct pgw_given *g,
             struct arena *scratch,
             struct dendro_error *err)
{
    if (!g->bytes)
        return dendro_bind_null(stmt, param, err);
    if (g->format == PGW_FORMAT_BINARY)
        return types_bind_binary(stmt, param, g, scratch, err);
    return dendro_bind_text(stmt, param, (const char *)g->bytes, (ptrdiff_t)g->len, err);
}
