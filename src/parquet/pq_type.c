/* SPDX-License-Identifier: Apache-2.0
 *
 * pq_type.c: which of our types a column of a Parquet file is. Times without a zone are taken as
 * those of UTC, as Dendro's own TIMESTAMP is (docs/adr/0017). */
#include "parquet/pq_int.h"

#include "vec/numeric.h"

struct pq_rule {
    enum type_id type;
    enum pq_convert convert;
};

static struct pq_rule pq_rule_int(const struct pq_element *e, bool wide)
{
    if (e->logical != PQ_L_INTEGER)
        return (struct pq_rule){wide ? TYPE_BIGINT : TYPE_INTEGER, PQ_AS_IS};
    if (wide)
        return e->is_signed ? (struct pq_rule){TYPE_BIGINT, PQ_AS_IS}
                            : (struct pq_rule){TYPE_NUMERIC, PQ_FROM_UINT64};
    if (e->is_signed)
        return e->bits <= 16 ? (struct pq_rule){TYPE_SMALLINT, PQ_TO_INT16}
                             : (struct pq_rule){TYPE_INTEGER, PQ_AS_IS};
    if (e->bits <= 8)
        return (struct pq_rule){TYPE_SMALLINT, PQ_TO_INT16};
    return e->bits <= 16 ? (struct pq_rule){TYPE_INTEGER, PQ_FROM_UINT16}
                         : (struct pq_rule){TYPE_BIGINT, PQ_FROM_UINT32};
}

static struct pq_rule pq_rule_int64(const struct pq_element *e)
{
    if (e->logical == PQ_L_TIMESTAMP)
        return (struct pq_rule){e->unit == 3   ? TYPE_TIMESTAMP
                                : e->unit == 6 ? TYPE_TIMESTAMP_US
                                               : TYPE_TIMESTAMP_NS,
                                PQ_AS_IS};
    if (e->logical == PQ_L_TIME)
        return (struct pq_rule){TYPE_TIME, e->unit == 9 ? PQ_FROM_NS_TIME : PQ_FROM_US_TIME};
    if (e->logical == PQ_L_DECIMAL)
        return (struct pq_rule){TYPE_NUMERIC, PQ_DECIMAL64};
    return pq_rule_int(e, true);
}

static struct pq_rule pq_rule_bytes(const struct pq_element *e)
{
    if (e->logical == PQ_L_DECIMAL)
        return (struct pq_rule){TYPE_NUMERIC, PQ_DECIMAL_BYTES};
    if (e->phys == PQ_FIXED && e->logical == PQ_L_UUID && e->width == 16)
        return (struct pq_rule){TYPE_UUID, PQ_AS_IS};
    if (e->phys == PQ_FIXED && e->logical == PQ_L_FLOAT16 && e->width == 2)
        return (struct pq_rule){TYPE_REAL, PQ_FROM_HALF};
    if (e->phys == PQ_FIXED && e->logical == PQ_L_INTERVAL && e->width == 12)
        return (struct pq_rule){TYPE_INTERVAL, PQ_FROM_INTERVAL};
    if (e->phys == PQ_BYTE_ARRAY &&
        (e->logical == PQ_L_STRING || e->logical == PQ_L_ENUM || e->logical == PQ_L_JSON))
        return (struct pq_rule){TYPE_VARCHAR, PQ_TO_UTF8};
    return (struct pq_rule){TYPE_BLOB, PQ_AS_IS};
}

static struct pq_rule pq_rule_of(const struct pq_element *e)
{
    switch ((enum pq_phys)e->phys) {
    case PQ_BOOLEAN:
        return (struct pq_rule){TYPE_BOOLEAN, PQ_AS_IS};
    case PQ_INT32:
        if (e->logical == PQ_L_DATE)
            return (struct pq_rule){TYPE_DATE, PQ_TO_DATE};
        if (e->logical == PQ_L_TIME)
            return (struct pq_rule){TYPE_TIME, PQ_FROM_MS_TIME};
        if (e->logical == PQ_L_DECIMAL)
            return (struct pq_rule){TYPE_NUMERIC, PQ_DECIMAL32};
        return pq_rule_int(e, false);
    case PQ_INT64:
        return pq_rule_int64(e);
    case PQ_INT96:
        return (struct pq_rule){TYPE_TIMESTAMP_NS, PQ_FROM_INT96};
    case PQ_FLOAT:
        return (struct pq_rule){TYPE_REAL, PQ_AS_IS};
    case PQ_DOUBLE:
        return (struct pq_rule){TYPE_DOUBLE, PQ_AS_IS};
    case PQ_BYTE_ARRAY:
    case PQ_FIXED:
        break;
    }
    return pq_rule_bytes(e);
}

/* Why the column cannot be read; NULL: it can. */
static const char *pq_refusal(const struct pq_element *e)
{
    if (e->phys < 0 || e->repetition == PQ_REPEATED) {
        if (e->logical == PQ_L_MAP)
            return "it is a map";
        return e->logical == PQ_L_LIST || e->repetition == PQ_REPEATED ? "it is a list"
                                                                       : "it is a struct";
    }
    if (e->logical == PQ_L_DECIMAL &&
        (e->precision < 1 || e->precision > (int64_t)VNUMERIC_DIGITS || e->scale < 0 ||
         e->scale > e->precision))
        return "it is a decimal of more than 38 digits";
    return NULL;
}

int pq_type_of(const struct pq_element *e,
               struct arena *arena,
               struct pq_field *ret,
               struct dn_err *err)
{
    const char *name = arena_strndup(arena, e->name.ptr, e->name.len);
    struct pq_rule rule = {.type = TYPE_NONE};

    if (!name)
        return DN_FAIL_NOMEM(err);
    if (e->phys >= PQ_PHYS_COUNT || (e->phys == PQ_FIXED && (e->width < 1 || e->width > INT32_MAX)))
        return DN_FAIL(err, DN_E_BAD_COPY, "column \"%s\" has no known type", name);
    ret->shown.name = name;
    ret->shown.refused = pq_refusal(e);
    ret->optional = e->repetition == PQ_OPTIONAL;
    if (!ret->shown.refused)
        rule = pq_rule_of(e);
    ret->shown.type = rule.type;
    ret->convert = rule.convert;
    ret->phys = e->phys < 0 ? PQ_BYTE_ARRAY : (enum pq_phys)e->phys;
    ret->width = e->phys == PQ_FIXED ? (uint32_t)e->width : 0;
    if (rule.convert == PQ_FROM_UINT64)
        ret->shown.mods = (struct type_mods){.count = 2, .v = {20, 0}};
    if (rule.convert >= PQ_DECIMAL32) {
        ret->scale = (int16_t)e->scale;
        ret->shown.mods =
            (struct type_mods){.count = 2, .v = {(int32_t)e->precision, (int32_t)e->scale}};
    }
    return 0;
}
