/* SPDX-License-Identifier: Apache-2.0 */
#include "call_values.h"

/* NULL-terminated lists of literals, quotes included; the type is named by a cast. */
static const char *const v_boolean[] = {"true", "false", NULL};
static const char *const v_smallint[] = {"'-32768'", "32767", "1", NULL};
static const char *const v_integer[] = {"'-2147483648'", "2147483647", "0", "2", NULL};
static const char *const v_bigint[] = {
    "'-9223372036854775808'", "9223372036854775807", "-1", "3", NULL};
static const char *const v_real[] = {"'NaN'", "'3.4e38'", "'-Infinity'", "1.5", NULL};
static const char *const v_double[] = {
    "'NaN'", "'-Infinity'", "'Infinity'", "'1.7e308'", "'-1e-320'", "0.5", NULL};
static const char *const v_text[] = {"''",
                                     "'a'",
                                     "'h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 %_'",
                                     "'('",
                                     "'-12.5'",
                                     "'2020-02-29 12:34:56.789'",
                                     "'Europe/Berlin'",
                                     "'month'",
                                     "'t'",
                                     "'s'",
                                     "'dendro'",
                                     "'SELECT'",
                                     "'USAGE'",
                                     "'hex'",
                                     "'UTF8'",
                                     "'FM9G999D99PL'",
                                     "'YYYY-MM-DD HH24:MI:SS.US TZ'",
                                     "'{1,NULL,{'",
                                     "repeat('ab''\"', 300)",
                                     NULL};
static const char *const v_blob[] = {"''", "'0x00ff80'", "'0xc3'", NULL};
static const char *const v_stamp[] = {
    "'0001-01-01 BC'", "'2020-02-29 23:59:59.999'", "'9999-12-31'", NULL};
static const char *const v_number_stamp[] = {
    "9223372036854775807::bigint", "'2262-01-01'", "'-9223372036854775808'::bigint", NULL};
static const char *const v_interval[] = {"'-178956970 years -8 months -2147483648 days'",
                                         "'178956970 years 7 months 2147483647 days'",
                                         "'2562047788 hours'",
                                         "'0'",
                                         "'1 month -3 days 00:00:00.5'",
                                         NULL};
static const char *const v_date[] = {
    "'4713-01-01 BC'", "'5874897-12-31'", "'1970-01-01'", "'infinity'", NULL};
static const char *const v_time[] = {"'24:00'", "'00:00'", "'12:34:56.789012'", NULL};
static const char *const v_timetz[] = {"'24:00-15:59'", "'00:00+15:59'", NULL};
static const char *const v_uuid[] = {
    "'00000000-0000-0000-0000-000000000000'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'", NULL};
static const char *const v_numeric[] = {"99999999999999999999999999999999999999",
                                        "'-99999999999999999999999999999999999999'",
                                        "'1e-37'",
                                        "'NaN'",
                                        "'Infinity'",
                                        "0",
                                        "2.5",
                                        NULL};
static const char *const v_bits[] = {"''", "'1'", "'10110'", NULL};
static const char *const v_oid[] = {"0", "4294967295", "1259", NULL};
static const char *const v_name[] = {"''", "'pg_class'", NULL};
static const char *const v_char1[] = {"''", "'r'", NULL};
static const char *const v_reg[] = {"0::oid", "4294967295::oid", "16::oid", NULL};
static const char *const v_vector[] = {"''", "'1 2 3'", NULL};
static const char *const v_null[] = {"NULL", NULL};
/* Without a type. */
static const char *const v_untyped[] = {
    "NULL", "''", "'abc'", "'1'", "'2020-01-01'", "'{1,2}'", "'1 day'", "1", "-7.5", "1e300", NULL};

/* One line for each type that SQL can name; that none is missing is checked against the type list.
 * RECORD(x, n) has no name. */
const struct call_type call_types[CALL_TYPES] = {
    {TYPE_BOOLEAN, "BOOLEAN", v_boolean},
    {TYPE_SMALLINT, "SMALLINT", v_smallint},
    {TYPE_INTEGER, "INTEGER", v_integer},
    {TYPE_BIGINT, "BIGINT", v_bigint},
    {TYPE_REAL, "REAL", v_real},
    {TYPE_DOUBLE, "DOUBLE", v_double},
    {TYPE_VARCHAR, "TEXT", v_text},
    {TYPE_BLOB, "BLOB", v_blob},
    {TYPE_TIMESTAMP, "TIMESTAMP(3)", v_stamp},
    {TYPE_TIMESTAMP_US, "TIMESTAMP(6)", v_stamp},
    {TYPE_TIMESTAMP_NS, "TIMESTAMP(9)", v_number_stamp},
    {TYPE_INTERVAL, "INTERVAL", v_interval},
    {TYPE_DATE, "DATE", v_date},
    {TYPE_TIME, "TIME", v_time},
    {TYPE_TIMESTAMPTZ, "TIMESTAMPTZ", v_stamp},
    {TYPE_UUID, "UUID", v_uuid},
    {TYPE_NUMERIC, "NUMERIC", v_numeric},
    {TYPE_BPCHAR, "CHAR(5)", v_text},
    {TYPE_TIMETZ, "TIMETZ", v_timetz},
    {TYPE_BIT, "BIT(5)", v_bits},
    {TYPE_VARBIT, "VARBIT", v_bits},
    {TYPE_ENUM, "mood", (const char *const[]){"'sad'", "'ok'", NULL}},
    {TYPE_TIMESTAMP_LOCAL, "TIMESTAMPTZ", v_stamp}, /* call_put_typed */
    {TYPE_OID, "OID", v_oid},
    {TYPE_NAME, "NAME", v_name},
    {TYPE_CHAR1, "\"char\"", v_char1},
    {TYPE_REGCLASS, "REGCLASS", v_reg},
    {TYPE_REGTYPE, "REGTYPE", v_reg},
    {TYPE_REGPROC, "REGPROC", v_reg},
    {TYPE_REGNAMESPACE, "REGNAMESPACE", v_reg},
    {TYPE_REGROLE, "REGROLE", v_reg},
    {TYPE_INT2VECTOR, "INT2VECTOR", v_vector},
    {TYPE_OIDVECTOR, "OIDVECTOR", v_vector},
    {TYPE_NODE_TREE, "PG_NODE_TREE", v_null},
    {TYPE_ACLITEM, "ACLITEM", v_null},
};

static uint64_t state;

void call_seed(uint64_t seed)
{
    state = seed * 0x9e3779b97f4a7c15u | 1;
}

uint32_t call_random(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

const struct call_type *call_type_of(enum type_id type)
{
    for (size_t i = 0; i < CALL_TYPES; i++)
        if (call_types[i].type == TYPE_BASE(type) ||
            (type_is_enum(type) && call_types[i].type == TYPE_ENUM))
            return &call_types[i];
    return NULL;
}

uint32_t call_values_count(const char *const *v)
{
    uint32_t n = 0;

    while (v[n])
        n++;
    return n;
}

static const char *any_value(const char *const *v)
{
    return v[call_random(call_values_count(v))];
}

/* No SQL names the type of a time without a zone: it is what AT TIME ZONE makes. */
static void call_put_typed(struct buf *b, const char *value, const struct call_type *p)
{
    bool local = p->type == TYPE_TIMESTAMP_LOCAL;

    buf_printf(b,
               "%sCAST(%s AS %s)%s",
               local ? "(" : "",
               value,
               p->word,
               local ? " AT TIME ZONE 'UTC')" : "");
}

void call_put_arg(struct buf *b, uint32_t kind, uint32_t pick)
{
    const struct call_type *p = &call_types[kind % CALL_TYPES];

    if (kind == CALL_KINDS - 1) {
        buf_puts(b, any_value(v_untyped));
    } else if (kind < CALL_TYPES) {
        uint32_t n = call_values_count(p->values);

        if (pick == UINT32_MAX)
            pick = call_random(n + 1);
        call_put_typed(b, pick % (n + 1) < n ? p->values[pick % (n + 1)] : "NULL", p);
    } else {
        const char *first = any_value(p->values);
        const char *second = any_value(p->values);

        switch (pick == UINT32_MAX ? call_random(5) : pick % 5) {
        case 0:
            buf_printf(b, "CAST(ARRAY[] AS %s[])", p->word);
            break;
        case 1:
            buf_printf(b, "CAST(NULL AS %s[])", p->word);
            break;
        case 2:
            buf_puts(b, "ARRAY[[");
            call_put_typed(b, first, p);
            buf_puts(b, "],[NULL]]");
            break;
        default:
            buf_puts(b, "ARRAY[");
            call_put_typed(b, first, p);
            buf_printf(b, ",NULL,%s]", second);
            break;
        }
    }
}

uint32_t call_kind_of(enum type_id type, uint32_t any)
{
    const struct call_type *p =
        type_is_array(type) ? call_type_of(type_element(type)) : call_type_of(type);

    if (type == TYPE_ANY_ELEMENT)
        return any;
    if (type == TYPE_ANY_ARRAY)
        return any + (uint32_t)CALL_TYPES;
    if (type == TYPE_NONE || !p)
        return call_random((uint32_t)CALL_KINDS);
    return (uint32_t)(p - call_types) + (type_is_array(type) ? (uint32_t)CALL_TYPES : 0);
}
