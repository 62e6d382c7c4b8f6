/* SPDX-License-Identifier: Apache-2.0
 *
 * type.c: tables over type_list.h, and the names SQL dialects give to the types. */
#include "vec/type.h"
#include "vec/fields.h"

#include "base/bytes.h"
#include "vec/numeric.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* NULL: no such id. */
static const char *const type_names[TYPE_MAX] = {
#define DN_TYPE(id, NAME, sql, phys) [id] = (sql),
#include "vec/type_list.h"
#undef DN_TYPE
#define DN_TYPE(id, NAME, sql, phys) [(id) | TYPE_ARRAY] = (id) ? sql "[]" : NULL,
#include "vec/type_list.h"
#undef DN_TYPE
};

const uint8_t type_phys_rows[TYPE_MAX] = {
#define DN_TYPE(id, NAME, sql, phys) [id] = (phys) + 1,
#include "vec/type_list.h"
#undef DN_TYPE
#define DN_TYPE(id, NAME, sql, phys) [(id) | TYPE_ARRAY] = (id) ? PHYS_STR + 1 : 0,
#include "vec/type_list.h"
#undef DN_TYPE
};

/* Further names; those of type_list.h without parameters are found there. */
static const struct {
    const char *name;
    enum type_id type;
} type_aliases[] = {
    {"BOOL", TYPE_BOOLEAN},
    {"INT2", TYPE_SMALLINT},
    {"INT", TYPE_INTEGER},
    {"INT4", TYPE_INTEGER},
    {"INT8", TYPE_BIGINT},
    {"SINT64", TYPE_BIGINT},
    {"FLOAT4", TYPE_REAL},
    {"FLOAT", TYPE_DOUBLE},
    {"FLOAT8", TYPE_DOUBLE},
    {"TEXT", TYPE_VARCHAR},
    {"STRING", TYPE_VARCHAR},
    {"BPCHAR", TYPE_BPCHAR},
    {"CHARACTER", TYPE_BPCHAR},
    {"NCHAR", TYPE_BPCHAR},
    {"BIT VARYING", TYPE_VARBIT},
    {"\"BIT\"", TYPE_BIT}, /* of any length; BIT is BIT(1) */
    {"BYTEA", TYPE_BLOB},
    {"DATETIME", TYPE_TIMESTAMP_US},
    {"DECIMAL", TYPE_NUMERIC},
    {"DEC", TYPE_NUMERIC},
    {"DOUBLE PRECISION", TYPE_DOUBLE},
    {"REGPROCEDURE", TYPE_REGPROC},
    {"REGOPER", TYPE_REGPROC},
    {"REGOPERATOR", TYPE_REGPROC},
};

bool type_known(unsigned id)
{
    unsigned base = id & (TYPE_MAX - 1u);

    return id < TYPE_MAX ? type_names[id] != NULL
                         : (id & 0xff) == base && (base & ~TYPE_ARRAY) == TYPE_ENUM &&
                               TYPE_NUMBER(id) <= TYPE_ENUM_MAX;
}

bool type_storable(unsigned id)
{
    return type_known(id) && id != TYPE_NONE && (id & ~TYPE_ARRAY) != TYPE_TIMESTAMP_LOCAL &&
           (!type_is_system((enum type_id)id) || (id & ~TYPE_ARRAY) == TYPE_NAME);
}

const char *type_name(enum type_id t)
{
    DN_ASSERT(type_known(t));
    return type_names[TYPE_BASE(t)];
}

/* As PostgreSQL calls them. */
#define TYPE_WORDS(X)                                 \
    X(NONE, "unknown")                                \
    X(BOOLEAN, "boolean")                             \
    X(SMALLINT, "smallint")                           \
    X(INTEGER, "integer")                             \
    X(BIGINT, "bigint")                               \
    X(REAL, "real")                                   \
    X(DOUBLE, "double precision")                     \
    X(VARCHAR, "text")                                \
    X(BLOB, "bytea")                                  \
    X(TIMESTAMP, "timestamp")                         \
    X(TIMESTAMP_US, "timestamp(6)")                   \
    X(TIMESTAMP_NS, "timestamp(9)")                   \
    X(INTERVAL, "interval")                           \
    X(DATE, "date")                                   \
    X(TIME, "time")                                   \
    X(TIMESTAMPTZ, "timestamp with time zone")        \
    X(UUID, "uuid")                                   \
    X(NUMERIC, "numeric")                             \
    X(BPCHAR, "character")                            \
    X(TIMETZ, "time with time zone")                  \
    X(BIT, "bit")                                     \
    X(VARBIT, "bit varying")                          \
    X(ENUM, "enum")                                   \
    X(TIMESTAMP_LOCAL, "timestamp without time zone") \
    X(OID, "oid")                                     \
    X(NAME, "name")                                   \
    X(CHAR1, "\"char\"")                              \
    X(REGCLASS, "regclass")                           \
    X(REGTYPE, "regtype")                             \
    X(REGPROC, "regproc")                             \
    X(REGNAMESPACE, "regnamespace")                   \
    X(REGROLE, "regrole")                             \
    X(INT2VECTOR, "int2vector")                       \
    X(OIDVECTOR, "oidvector")                         \
    X(NODE_TREE, "pg_node_tree")                      \
    X(ACLITEM, "aclitem")                             \
    X(EXPANDED, "record")

const char *type_word(enum type_id t)
{
    static const char *const words[TYPE_MAX] = {
#define TYPE_WORD(type, word) [TYPE_##type] = (word), [TYPE_##type | TYPE_ARRAY] = (word "[]"),
        TYPE_WORDS(TYPE_WORD)
#undef TYPE_WORD
    };

    DN_ASSERT(type_known(t));
    t = TYPE_BASE(t);
    return words[t] ? words[t] : type_name(t);
}

bool type_is_int(enum type_id t)
{
    return t == TYPE_SMALLINT || t == TYPE_INTEGER || t == TYPE_BIGINT;
}

bool type_is_bits(enum type_id t)
{
    return t == TYPE_BIT || t == TYPE_VARBIT;
}

bool type_is_text(enum type_id t)
{
    return t == TYPE_VARCHAR || t == TYPE_BPCHAR;
}

bool type_is_utf8(enum type_id t)
{
    return type_is_text(t) || t == TYPE_NAME;
}

bool type_is_number(enum type_id t)
{
    return type_is_int(t) || type_is_float(t) || t == TYPE_NUMERIC;
}

bool type_is_timestamp(enum type_id t)
{
    return t == TYPE_TIMESTAMP || t == TYPE_TIMESTAMP_US || t == TYPE_TIMESTAMP_NS;
}

bool type_is_enum(enum type_id t)
{
    return TYPE_BASE(t) == TYPE_ENUM;
}

enum type_id type_enum(uint32_t number)
{
    DN_ASSERT(number <= TYPE_ENUM_MAX);
    return (enum type_id)((number << TYPE_ENUM_SHIFT) | TYPE_ENUM);
}

int64_t enum_value(uint32_t number, int64_t order)
{
    return (int64_t)number << ENUM_ORDER_BITS | order;
}

uint32_t enum_value_number(int64_t value)
{
    return (uint32_t)((uint64_t)value >> ENUM_ORDER_BITS);
}

int64_t enum_value_order(int64_t value)
{
    return value & ENUM_ORDER_MAX;
}

bool type_is_system(enum type_id t)
{
    unsigned plain = (unsigned)t & ~TYPE_ARRAY;

    return plain >= TYPE_OID && plain <= TYPE_EXPANDED;
}

bool type_is_reg(enum type_id t)
{
    return t >= TYPE_REGCLASS && t <= TYPE_REGROLE;
}

uint32_t type_reg_oid(struct vstr v)
{
    uint32_t oid = 0;

    for (uint32_t i = 0; i < 4 && i < v.len; i++)
        oid = oid << 8 | (uint8_t)v.ptr[i];
    return oid;
}

struct vstr type_reg_name(struct vstr v)
{
    return v.len < 4 ? (struct vstr){"", 0} : (struct vstr){v.ptr + 4, v.len - 4};
}

int64_t type_ts_per_second(enum type_id t)
{
    DN_ASSERT(type_is_timestamp(t) || t == TYPE_TIMESTAMPTZ || t == TYPE_TIMESTAMP_LOCAL);
    return t == TYPE_TIMESTAMP ? 1000 : t == TYPE_TIMESTAMP_NS ? 1000000000 : 1000000;
}

enum type_id type_element(enum type_id t)
{
    DN_ASSERT(type_is_array(t));
    return (enum type_id)((unsigned)t & ~(unsigned)TYPE_ARRAY);
}

enum type_id type_array_of(enum type_id t)
{
    return t == TYPE_NONE || type_is_array(t) ? TYPE_NONE
                                              : (enum type_id)((unsigned)t | TYPE_ARRAY);
}

static bool type_name_is(const char *want, const char *name, size_t len)
{
    return strlen(want) == len && strncasecmp(want, name, len) == 0;
}

enum type_id type_by_name(const char *name, size_t len)
{
    /* Names with parameters ("TIMESTAMP(6)") are put together by the binder, NULL is no name, ENUM
     * neither. */
    for (unsigned id = 1; id < TYPE_MAX; id++)
        if (type_known(id) && (id & ~TYPE_ARRAY) != TYPE_ENUM && !strchr(type_names[id], '(') &&
            type_name_is(type_names[id], name, len))
            return (enum type_id)id;
    for (size_t i = 0; i < DN_ARRAY_SIZE(type_aliases); i++)
        if (type_name_is(type_aliases[i].name, name, len))
            return type_aliases[i].type;
    return TYPE_NONE;
}

bool type_mods_good(enum type_id t, const struct type_mods *m)
{
    for (uint32_t i = m->count; i < TYPE_MODS_MAX; i++)
        if (m->v[i] != 0)
            return false;
    if (m->count == 0)
        return true;
    if (type_is_array(t))
        t = type_element(t);
    if (t == TYPE_NUMERIC)
        return m->count <= 2 && m->v[0] >= 1 && m->v[0] <= (int32_t)VNUMERIC_DIGITS &&
               m->v[1] >= -VNUMERIC_SCALE_MAX && m->v[1] <= VNUMERIC_SCALE_MAX;
    if (type_is_text(t) || type_is_bits(t))
        return m->count == 1 && m->v[0] >= 1 && m->v[0] <= TYPE_CHARS_MAX;
    if (t == TYPE_INTERVAL && m->count == 2 &&
        (!type_fields_name(m->v[1]) ||
         (m->v[0] != TYPE_FRACTION_MAX && !(m->v[1] & TYPE_FIELD_SECOND))))
        return false;
    if (t == TYPE_TIME || t == TYPE_TIMETZ || t == TYPE_TIMESTAMPTZ || t == TYPE_INTERVAL)
        return m->count <= (t == TYPE_INTERVAL ? 2 : 1) && m->v[0] >= 0 &&
               m->v[0] <= TYPE_FRACTION_MAX;
    if (t == TYPE_TIMESTAMP_US)
        return m->count == 1 && m->v[0] >= 0 && m->v[0] < TYPE_FRACTION_MAX && m->v[0] != 3;
    return false;
}

void type_print(enum type_id t, const struct type_mods *m, struct buf *b)
{
    if (t == TYPE_BPCHAR && m->count == 0) {
        buf_puts(b, "BPCHAR"); /* CHAR is CHAR(1) */
        return;
    }
    if ((t & ~TYPE_ARRAY) == TYPE_BIT && m->count == 0) {
        buf_printf(b, "\"bit\"%s", type_is_array(t) ? "[]" : "");
        return;
    }
    if (m->count && (t & ~TYPE_ARRAY) == TYPE_TIMESTAMP_US)
        buf_puts(b, type_name(TYPE_TIMESTAMP)); /* not TIMESTAMP(6)(2) */
    else
        buf_puts(b, type_name(m->count && type_is_array(t) ? type_element(t) : t));
    if (m->count == 2 && (t & ~TYPE_ARRAY) == TYPE_INTERVAL) {
        buf_printf(b, " %s", type_fields_name(m->v[1]));
        if (m->v[0] < TYPE_FRACTION_MAX)
            buf_printf(b, "(%" PRId32 ")", m->v[0]);
        buf_puts(b, type_is_array(t) ? "[]" : "");
        return;
    }
    for (uint32_t i = 0; i < m->count; i++)
        buf_printf(b, "%s%" PRId32, i ? ", " : "(", m->v[i]);
    buf_puts(b, m->count ? type_is_array(t) ? ")[]" : ")" : "");
}
