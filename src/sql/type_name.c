/* SPDX-License-Identifier: Apache-2.0
 *
 * type_name.c: names of types, and literals that begin with one. A name is known here if vec/type.h
 * knows it, or if PostgreSQL does (type_others): the latter become a type_name with TYPE_NONE, and
 * the binder says that there is no such type yet. */
#include "grammar.h"
#include "sql/ast_build.h"
#include "vec/fields.h"
#include "vec/numeric.h"

#include <string.h>
#include <strings.h>

static const char *const type_words[] = {
    "VARCHAR",  "TEXT",     "STRING", "BOOLEAN", "BOOL",     "TIMESTAMP", "TIMESTAMPTZ",
    "DATETIME", "SMALLINT", "INT",    "INTEGER", "BIGINT",   "SINT64",    "REAL",
    "DOUBLE",   "FLOAT",    "BLOB",   "BYTEA",   "INTERVAL", "NUMERIC",   "DATE",
};
/* Types of PostgreSQL, and how many parameters they take. */
static const struct {
    const char *word;
    const char *name; /* what it is called in the tree */
    unsigned mods;
} type_others[] = {
    {"\"bit\"", "\"bit\"", 0},
    {"bit", "bit", 1},
    {"bpchar", "bpchar", 1},
    {"char", "char", 1},
    {"character", "char", 1},
    {"date", "date", 0},
    {"dec", "numeric", 2},
    {"decimal", "numeric", 2},
    {"inet", "inet", 0},
    {"json", "json", 0},
    {"jsonb", "jsonb", 0},
    {"money", "money", 0},
    {"name", "name", 0},
    {"nchar", "char", 1},
    {"numeric", "numeric", 2},
    {"oid", "oid", 0},
    {"regclass", "regclass", 0},
    {"serial", "serial", 0},
    {"serial2", "smallserial", 0},
    {"serial4", "serial", 0},
    {"serial8", "bigserial", 0},
    {"smallserial", "smallserial", 0},
    {"bigserial", "bigserial", 0},
    {"time", "time", 1},
    {"timestamptz", "timestamptz", 1},
    {"timetz", "timetz", 1},
    {"uuid", "uuid", 0},
    {"varbit", "varbit", 1},
};
/* Types of other databases, and what serves here; NULL: nothing yet. */
static const struct {
    const char *word;
    const char *instead;
} type_foreign[] = {
    {"TIMEUUID", "VARCHAR"},
    {"NVARCHAR", "VARCHAR"},
    {"ASCII", "VARCHAR"},
    {"TINYINT", "SMALLINT"},
    {"UINT32", "BIGINT"},
    {"UINT64", "BIGINT"},
    {"VARINT", "BIGINT"},
    {"COUNTER", "BIGINT"},
    {"LIST", NULL},
    {"SET", NULL},
    {"MAP", NULL},
    {"TUPLE", NULL},
    {"RECORD", NULL},
};

static bool type_is(const char *name, const char *word)
{
    return strcasecmp(name, word) == 0;
}

static int type_other(const char *name)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(type_others); i++)
        if (type_is(name, type_others[i].word))
            return (int)i;
    return -1;
}

static void type_unknown(struct sql_parser *ps, const char *name, uint32_t pos)
{
    const char *near;

    for (size_t i = 0; i < DN_ARRAY_SIZE(type_foreign); i++) {
        if (!type_is(name, type_foreign[i].word))
            continue;
        sql_fail(ps, DN_E_UNSUPPORTED, pos, "the type %s is not supported", type_foreign[i].word);
        if (type_foreign[i].instead)
            dn_err_hint(ps->err, "use %s", type_foreign[i].instead);
        return;
    }
    near = sql_suggest(name, type_words, DN_ARRAY_SIZE(type_words));
    sql_fail(ps, DN_E_UNDEFINED_OBJECT, pos, "type \"%.60s\" does not exist", name);
    if (near)
        dn_err_hint(ps->err, "Perhaps you meant %s.", near);
}

/* The name in lower case, unless it was quoted; "char" is another type than char, "bit" than bit,
 * which is bit(1). */
static const char *type_lower(struct sql_parser *ps, struct sql_token tok)
{
    char *word = sql_name(ps, tok);

    if (word && tok.ptr[0] == '"' && strcmp(word, "char") == 0)
        return "\"char\"";
    if (word && tok.ptr[0] == '"' && strcmp(word, "bit") == 0)
        return "\"bit\"";
    for (char *c = word; c && *c && tok.ptr[0] != '"' && tok.ptr[0] != '`'; c++)
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c | 0x20);
    return word;
}

/* ---- parameters ---- */

/* TIMESTAMP(0) to (6), (9). What is not one of our units is rounded microseconds: to round them
 * twice, first to milliseconds, would give other results than PostgreSQL's. */
static enum type_id
type_timestamp(struct sql_parser *ps, const char *name, const struct expr *precision)
{
    int64_t p = type_is_int(precision->value.type) ? precision->value.v.i64 : -1;

    if (p == 3)
        return TYPE_TIMESTAMP;
    if (p >= 0 && p <= TYPE_FRACTION_MAX)
        return TYPE_TIMESTAMP_US;
    if (p == 9)
        return TYPE_TIMESTAMP_NS;
    sql_fail(ps,
             DN_E_INVALID_PARAM,
             precision->pos,
             "%s(%.20s): the precision is 0 to 6, or 9",
             name,
             precision->text);
    dn_err_hint(ps->err,
                "How many digits of a second are kept: 3 are milliseconds, 9 nanoseconds.");
    return TYPE_NONE;
}

/* How many parameters it may have. */
static unsigned type_mods_max(const struct type_name *t, int other)
{
    if (type_is_text(t->type) || t->type == TYPE_INTERVAL || type_is_timestamp(t->type) ||
        type_is(t->name, "float"))
        return type_is(t->name, "text") || type_is(t->name, "string") ? 0 : 1;
    return other < 0 ? 0 : type_others[other].mods;
}

/* Is the parameter the digits of a second's fraction, up to TYPE_FRACTION_MAX? */
static bool type_has_fraction(enum type_id t)
{
    return t == TYPE_TIME || t == TYPE_TIMETZ || t == TYPE_TIMESTAMPTZ || t == TYPE_INTERVAL;
}

static const char *type_length_word(enum type_id t)
{
    return t == TYPE_BPCHAR   ? "char"
           : t == TYPE_BIT    ? "bit"
           : t == TYPE_VARBIT ? "varbit"
                              : "varchar";
}

static void type_mods_check(struct sql_parser *ps,
                            const struct type_name *t,
                            const char *shown,
                            struct expr *const *args)
{
    int32_t first = t->mods[0];
    int32_t scale = t->mods_count > 1 ? t->mods[1] : 0;

    if ((type_is_text(t->type) || type_is_bits(t->type)) && first < 1)
        sql_fail(ps,
                 DN_E_INVALID_PARAM,
                 args[0]->pos,
                 "length for type %s must be at least 1",
                 type_length_word(t->type));
    else if ((type_is_text(t->type) || type_is_bits(t->type)) && first > TYPE_CHARS_MAX)
        sql_fail(ps,
                 DN_E_INVALID_PARAM,
                 args[0]->pos,
                 "length for type %s cannot exceed %d",
                 type_length_word(t->type),
                 TYPE_CHARS_MAX);
    else if (t->type == TYPE_NUMERIC && (first < 1 || first > (int32_t)VNUMERIC_DIGITS))
        sql_fail(ps,
                 DN_E_INVALID_PARAM,
                 args[0]->pos,
                 "NUMERIC precision %d must be between 1 and %u",
                 (int)first,
                 VNUMERIC_DIGITS);
    else if (t->type == TYPE_NUMERIC && (scale < -VNUMERIC_SCALE_MAX || scale > VNUMERIC_SCALE_MAX))
        sql_fail(ps,
                 DN_E_INVALID_PARAM,
                 args[1]->pos,
                 "NUMERIC scale %d must be between %d and %d",
                 (int)scale,
                 -VNUMERIC_SCALE_MAX,
                 VNUMERIC_SCALE_MAX);
    else if (type_has_fraction(t->type) && (first < 0 || first > TYPE_FRACTION_MAX))
        sql_fail(ps,
                 DN_E_INVALID_PARAM,
                 args[0]->pos,
                 "%.60s(%d): the precision is 0 to %d",
                 shown,
                 (int)first,
                 TYPE_FRACTION_MAX);
}

static void type_mods(struct sql_parser *ps,
                      struct type_name *t,
                      const char *shown,
                      int other,
                      struct expr *const *args,
                      uint32_t count)
{
    unsigned most = type_mods_max(t, other);

    if (count > most || count > TYPE_NAME_MODS_MAX) {
        sql_fail(ps,
                 DN_E_SYNTAX,
                 args[most]->pos,
                 most == 0   ? "the type %s takes no parameters"
                 : most == 1 ? "the type %s takes one parameter"
                             : "the type %s takes one or two parameters",
                 shown);
        return;
    }
    if (type_is_timestamp(t->type) ||
        (t->type == TYPE_TIMESTAMPTZ && args[0]->value.v.i64 > TYPE_FRACTION_MAX))
        t->type = type_timestamp(ps, shown, args[0]);
    for (uint32_t i = 0; ps->rc == 0 && i < count; i++) {
        int64_t v = args[i]->value.v.i64;

        if (!type_is_int(args[i]->value.type) || v < -1000000000 || v > 1000000000) {
            sql_fail(ps,
                     DN_E_INVALID_PARAM,
                     args[i]->pos,
                     "%s is no parameter of the type %s",
                     args[i]->text,
                     shown);
            return;
        }
        t->mods[i] = (int32_t)v;
    }
    t->mods_count = (uint8_t)count;
    if (type_is(t->name, "float") && count == 1)
        t->type = t->mods[0] <= 24 ? TYPE_REAL : TYPE_DOUBLE;
    if (ps->rc == 0)
        type_mods_check(ps, t, shown, args);
    if (type_has_fraction(t->type) && t->mods[0] == TYPE_FRACTION_MAX)
        t->mods_count = 0; /* it keeps that many anyway */
}

struct type_mods sql_type_mods(const struct type_name *t)
{
    struct type_mods m = {.count = 0};

    if (!type_is_text(t->type) && !type_is_bits(t->type) && t->type != TYPE_NUMERIC &&
        !type_has_fraction(t->type) &&
        !(t->type == TYPE_TIMESTAMP_US && t->mods[0] < TYPE_FRACTION_MAX))
        return m;
    m.count = t->mods_count;
    for (uint32_t i = 0; i < m.count; i++)
        m.v[i] = t->mods[i];
    if (t->type == TYPE_INTERVAL && t->field_from) {
        m.v[0] = m.count ? m.v[0] : TYPE_FRACTION_MAX;
        m.v[1] = type_fields(t->field_from, t->field_to);
        m.count = 2;
    }
    return m;
}

/* ---- names ---- */

/* Two words that are one name; NULL: they are not. */
static const char *type_second(const char *name, int second)
{
    switch (second) {
    case TK_PRECISION:
        return type_is(name, "double") ? "double" : NULL;
    case TK_VARYING:
        if (type_is(name, "bit"))
            return "varbit";
        return type_is(name, "character") || type_is(name, "char") || type_is(name, "nchar")
                   ? "varchar"
                   : NULL;
    case TK_WITH:
        return type_is(name, "timestamp") ? "timestamptz" : type_is(name, "time") ? "timetz" : NULL;
    case TK_WITHOUT:
        return type_is(name, "timestamp") ? "timestamp" : type_is(name, "time") ? "time" : NULL;
    default:
        return name;
    }
}

static bool type_name_known(const char *name)
{
    return type_by_name(name, strlen(name)) != TYPE_NONE || type_other(name) >= 0;
}

/* Is t->name that of a type CREATE TYPE made? Then t is that. schema NULL: not given. */
static bool type_of_user(struct sql_parser *ps, const char *schema, struct type_name *t)
{
    if (ps->rc < 0 || !ps->types || !ps->types->find(ps->types->arg, schema, t->name, ps->arena, t))
        return false;
    ps->user_types = true;
    return true;
}

/* shown: the name as written, for messages. */
static struct type_name *type_resolve(struct sql_parser *ps,
                                      const char *shown,
                                      const char *word,
                                      uint32_t pos,
                                      int second,
                                      struct expr *const *args,
                                      uint32_t args_count)
{
    struct type_name *t = sql_new(ps, sizeof *t);
    int other;

    if (!t)
        return NULL;
    t->pos = pos;
    t->name = type_second(word, second);
    if (!t->name) {
        sql_fail(ps,
                 DN_E_UNDEFINED_OBJECT,
                 pos,
                 "type \"%.60s %s\" does not exist",
                 shown,
                 second == TK_WITH      ? "WITH TIME ZONE"
                 : second == TK_WITHOUT ? "WITHOUT TIME ZONE"
                                        : sql_keyword_upper(second));
        return NULL;
    }
    other = type_other(t->name);
    t->type = type_by_name(t->name, strlen(t->name));
    if (t->type == TYPE_NONE && other < 0) {
        t->name = shown;
        if (args_count == 0 && second == 0 && type_of_user(ps, NULL, t))
            return t;
        type_unknown(ps, shown, pos);
        return NULL;
    }
    if (other >= 0)
        t->name = type_others[other].name;
    if (args_count > 0) {
        type_mods(ps, t, shown, other, args, args_count);
    } else if (second == TK_WITHOUT && t->type == TYPE_TIMESTAMP) {
        t->type = TYPE_TIMESTAMP_US; /* spelled out, it keeps what PostgreSQL does */
        t->mods[0] = 6;
        t->mods_count = 1;
    } else if ((t->type == TYPE_BPCHAR && !type_is(t->name, "bpchar")) ||
               (t->type == TYPE_BIT && type_is(t->name, "bit"))) {
        t->mods[0] = 1; /* CHAR is CHAR(1), BIT is BIT(1) */
        t->mods_count = 1;
    }
    return ps->rc < 0 ? NULL : t;
}

struct type_name *
sql_type(struct sql_parser *ps, struct sql_token name, int second, struct sql_list args)
{
    const char *word = type_lower(ps, name);
    struct expr **values = sql_list_take(ps, args);

    if (ps->rc < 0)
        return NULL;
    return type_resolve(ps, sql_name(ps, name), word, name.pos, second, values, args.count);
}

struct type_name *sql_type_in(struct sql_parser *ps,
                              struct sql_token schema,
                              struct sql_token name,
                              struct sql_list args)
{
    struct type_name *t;

    if (schema.len == 10 && strncasecmp(schema.ptr, "pg_catalog", 10) == 0)
        return sql_type(ps, name, 0, args);
    (void)sql_list_take(ps, args); /* of user types: none */
    t = ps->rc < 0 ? NULL : sql_new(ps, sizeof *t);
    if (!t)
        return NULL;
    t->pos = schema.pos;
    t->name = sql_name(ps, name);
    if (args.count == 0 && type_of_user(ps, sql_name(ps, schema), t))
        return t;
    if (ps->rc == 0)
        sql_fail(ps,
                 DN_E_UNDEFINED_OBJECT,
                 schema.pos,
                 "type \"%.*s.%.60s\" does not exist",
                 (int)(schema.len > 60 ? 60 : schema.len),
                 schema.ptr,
                 t->name);
    return NULL;
}

struct type_name *sql_type_dims(struct type_name *type, int dims)
{
    if (type)
        type->dims = (uint8_t)(dims > 6 ? 6 : dims);
    return type;
}

/* ---- intervals ---- */

struct sql_fields *sql_fields(struct sql_parser *ps,
                              struct sql_token from,
                              struct sql_token to,
                              struct expr *precision)
{
    struct sql_fields *f = sql_new(ps, sizeof *f);

    if (!f)
        return NULL;
    f->from = from;
    f->to = to;
    f->precision = precision;
    return f;
}

struct type_name *
sql_type_fields(struct sql_parser *ps, struct type_name *type, const struct sql_fields *f)
{
    struct expr *precision[1];

    if (ps->rc < 0)
        return NULL;
    if (type->type != TYPE_INTERVAL) {
        sql_fail_syntax(ps, TK_FIELD, f->from);
        return NULL;
    }
    type->field_from = type_lower(ps, f->from);
    type->field_to = type_lower(ps, f->to);
    if (ps->rc < 0)
        return NULL;
    if (type_fields(type->field_from, type->field_to) == 0) {
        sql_fail_syntax(ps, TK_FIELD, f->to);
        return NULL;
    }
    if (f->precision && strcmp(type->field_to, "second") != 0) {
        sql_fail(ps, DN_E_SYNTAX, f->precision->pos, "only SECOND has a precision");
        return NULL;
    }
    precision[0] = f->precision;
    if (f->precision)
        type_mods(ps, type, type->name, -1, precision, 1);
    return type;
}

struct type_name *sql_type_interval(struct sql_parser *ps, uint32_t pos)
{
    return type_resolve(ps, "interval", "interval", pos, 0, NULL, 0);
}

/* ---- type 'text' ---- */

/* TIMESTAMP '…' without a precision has that of its fraction: nothing of what is written is lost.
 */
static enum type_id typed_timestamp(struct sql_token text)
{
    uint32_t at = 0;
    uint32_t digits = 0;

    while (at < text.len && text.ptr[at] != '.' && text.ptr[at] != ',')
        at++;
    for (at++; at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9'; at++)
        digits++;
    return digits > 6 ? TYPE_TIMESTAMP_NS : digits > 3 ? TYPE_TIMESTAMP_US : TYPE_TIMESTAMP;
}

static bool typed_plain_args(struct sql_parser *ps, const struct expr *call)
{
    for (uint32_t i = 0; i < call->args_count; i++) {
        const struct expr *arg = call->args[i];

        if (arg->kind != EXPR_LITERAL || !arg->text || !type_is_int(arg->value.type)) {
            sql_fail(ps, DN_E_SYNTAX, arg->pos, "the type %s takes no such parameter", call->name);
            return false;
        }
    }
    return true;
}

static bool type_known_here(struct sql_parser *ps, const char *shown, const char *word, bool more)
{
    struct type_name t = {.name = shown};

    return type_name_known(word) || (!more && shown && type_of_user(ps, NULL, &t));
}

struct expr *sql_typed(struct sql_parser *ps,
                       struct sql_token name,
                       struct expr *call,
                       int second,
                       struct sql_token text)
{
    const char *word = call ? call->name : type_lower(ps, name);
    struct type_name *type;
    struct expr *value;

    if (ps->rc < 0)
        return NULL;
    if (!type_known_here(ps, call ? call->name : sql_name(ps, name), word, call || second) ||
        (call && (call->ext || call->star || call->distinct))) {
        sql_fail_syntax(ps, TK_STRING, text);
        return NULL;
    }
    if (call && !typed_plain_args(ps, call))
        return NULL;
    type = type_resolve(ps,
                        call ? word : sql_name(ps, name),
                        word,
                        call ? call->pos : name.pos,
                        second,
                        call ? call->args : NULL,
                        call ? call->args_count : 0);
    if (!type)
        return NULL;
    if (type->mods_count == 0 && type->type == TYPE_TIMESTAMP) {
        type->type = typed_timestamp(text);
        if (type->type != TYPE_TIMESTAMP) {
            type->mods_count = 1;
            type->mods[0] = type->type == TYPE_TIMESTAMP_US ? 6 : 9;
        }
    }
    if (!call && type->type == TYPE_BIT) { /* as many bits as the text has */
        type->name = "\"bit\"";
        type->mods_count = 0;
    }
    value = sql_string(ps, text);
    return value ? sql_cast(ps, type->pos, value, type) : NULL;
}
