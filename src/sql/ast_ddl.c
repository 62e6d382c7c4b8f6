/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_ddl.c: builders of CREATE TABLE and CREATE SCHEMA. What is written goes into the spec as it
 * is; whether a key makes sense is table_build's to say. */
#include "grammar.h"
#include "sql/build_ddl.h"

#include <string.h>
#include <strings.h>

void sql_create_begin(struct sql_parser *ps,
                      struct sql_persist persist,
                      bool if_not_exists,
                      const struct qual_name *name)
{
    struct table_spec *spec = sql_new(ps, sizeof *spec);
    struct table_def *def = sql_new(ps, sizeof *def);

    if (!spec || !def)
        return;
    spec->schema.s = name->schema;
    spec->schema.pos = name->schema ? name->pos : 0;
    spec->name.s = name->name;
    spec->name.pos = name->name_pos;
    ps->stmt->kind = STMT_CREATE_TABLE;
    ps->stmt->if_not_exists = if_not_exists;
    ps->stmt->create = spec;
    ps->stmt->table_def = def;
    def->persistence = (enum persistence)persist.kind;
    def->persistence_pos = persist.pos;
    ps->spec = spec;
    ps->columns = sql_list_none(ps);
}

/* ---- columns ---- */

/* SERIAL, BIGSERIAL, SMALLSERIAL: the type of the values. */
static bool ddl_serial(struct type_name *type)
{
    static const struct {
        const char *name;
        const char *values;
        enum type_id type;
    } serials[] = {{"smallserial", "smallint", TYPE_SMALLINT},
                   {"serial", "integer", TYPE_INTEGER},
                   {"bigserial", "bigint", TYPE_BIGINT}};

    for (size_t i = 0; i < DN_ARRAY_SIZE(serials); i++) {
        if (type->dims == 0 && strcmp(type->name, serials[i].name) == 0) {
            type->name = serials[i].values;
            type->type = serials[i].type;
            return true;
        }
    }
    return false;
}

void sql_column_begin(struct sql_parser *ps, struct sql_token name, struct type_name *type)
{
    struct sql_column *column = sql_new(ps, sizeof *column);

    if (!column)
        return;
    column->spec.name = sql_spec_name(ps, name);
    column->def.serial = ddl_serial(type);
    column->def.generated_pos = column->def.serial ? type->pos : 0;
    column->def.type = type;
    column->spec.type = type->dims ? type_array_of(type->type) : type->type;
    column->spec.mods = sql_type_mods(type);
    ps->constraints_named = ps->constraints_len;
    ps->columns = sql_list_add(ps, ps->columns, column);
}

/* The column whose constraints are being read. */
static struct sql_column *ddl_column(struct sql_parser *ps)
{
    return ps->rc < 0 ? NULL : ps->stack[ps->stack_len - 1];
}

void sql_column_null(struct sql_parser *ps, bool not_null, uint32_t pos)
{
    struct sql_column *column = ddl_column(ps);

    if (!column)
        return;
    if (not_null)
        column->spec.not_null = true;
    else
        column->spec.null_given = true;
    if (column->spec.not_null && column->spec.null_given)
        sql_fail(ps,
                 DN_E_SYNTAX,
                 pos,
                 "column \"%.60s\" is declared both NULL and NOT NULL",
                 column->spec.name.s);
}

void sql_column_default(struct sql_parser *ps, uint32_t pos, struct expr *e)
{
    struct sql_column *column = ddl_column(ps);

    if (!column)
        return;
    if (column->def.def) {
        sql_fail(ps,
                 DN_E_SYNTAX,
                 pos,
                 "column \"%.60s\" has more than one DEFAULT",
                 column->spec.name.s);
        return;
    }
    column->def.def = e;
    column->spec.has_default = true;
}

void sql_column_primary(struct sql_parser *ps, uint32_t pos)
{
    struct sql_column *column = ddl_column(ps);

    if (!column)
        return;
    column->spec.primary_key = true;
    column->spec.pk_pos = pos;
}

void sql_create_columns(struct sql_parser *ps)
{
    uint32_t n = ps->columns.count;
    struct sql_column **columns = sql_list_take(ps, ps->columns);
    struct column_spec *specs = sql_new(ps, n * sizeof *specs);
    struct column_def *defs = sql_new(ps, n * sizeof *defs);

    if (ps->rc < 0)
        return;
    for (uint32_t i = 0; i < n; i++) {
        specs[i] = columns[i]->spec;
        defs[i] = columns[i]->def;
    }
    ps->spec->columns = specs;
    ps->spec->columns_count = n;
    ps->stmt->table_def->columns = defs;
    ps->stmt->table_def->constraints =
        sql_constraints_take(ps, &ps->stmt->table_def->constraints_count);
}

/* ---- keys ---- */

/* 'text' or E'text', and no name. */
static bool ddl_is_string(struct sql_token tok)
{
    return tok.ptr[0] == '\'' || tok.ptr[0] == '$' ||
           (tok.len > 1 && tok.ptr[1] == '\'' && (tok.ptr[0] | 0x20) == 'e') ||
           (tok.len > 2 && (tok.ptr[0] | 0x20) == 'u' && tok.ptr[1] == '&' && tok.ptr[2] == '\'');
}

struct key_elem_spec *sql_key_elem(struct sql_parser *ps, struct sql_token name)
{
    struct key_elem_spec *elem = sql_new(ps, sizeof *elem);

    if (!elem)
        return NULL;
    elem->name = sql_spec_name(ps, name);
    elem->pos = name.pos;
    return elem;
}

struct key_elem_spec *sql_key_quantum(struct sql_parser *ps,
                                      struct sql_token word,
                                      struct sql_token column,
                                      struct sql_token count,
                                      struct sql_token unit)
{
    struct key_elem_spec *elem = sql_key_elem(ps, column);
    bool negative = count.ptr[0] == '-';
    int64_t n = 0;
    uint32_t len;

    if (!elem)
        return NULL;
    if (word.len != 7 || strncasecmp(word.ptr, "quantum", 7) != 0) {
        sql_fail(ps,
                 DN_E_SYNTAX,
                 word.pos,
                 "a key holds columns and QUANTUM(column, count, unit), not \"%.*s\"(…)",
                 (int)(word.len > 60 ? 60 : word.len),
                 word.ptr);
        return NULL;
    }
    for (uint32_t i = 0; i < count.len; i++) {
        char c = count.ptr[i];
        if (c < '0' || c > '9') {
            n = 0; /* the minus, and blanks behind it */
            continue;
        }
        if (__builtin_mul_overflow(n, (int64_t)10, &n) ||
            __builtin_add_overflow(n, (int64_t)(c - '0'), &n)) {
            sql_fail(ps, DN_E_OUT_OF_RANGE, count.pos, "the count of the QUANTUM is out of range");
            return NULL;
        }
    }
    elem->is_quantum = true;
    elem->pos = word.pos;
    elem->count = negative ? -n : n;
    elem->count_pos = count.pos;
    elem->unit = ddl_is_string(unit) ? sql_string_text(ps, unit, &len) : sql_name(ps, unit);
    elem->unit_pos = unit.pos;
    return elem;
}

struct key_elem_spec *sql_key_order(struct key_elem_spec *elem, uint32_t pos, bool desc)
{
    if (elem) {
        elem->order_given = true;
        elem->order_pos = pos;
        elem->desc = desc;
    }
    return elem;
}

void sql_key_begin(struct sql_parser *ps, uint32_t pos)
{
    if (ps->rc == 0 && !ps->spec) /* of ALTER TABLE */
        ps->spec = sql_new(ps, sizeof *ps->spec);
    if (ps->rc < 0)
        return;
    ps->spec->keys_count++;
    ps->spec->has_key = true;
    if (ps->spec->keys_count <= 2)
        ps->spec->key_pos = pos;
}

/* Of two PRIMARY KEYs the first is kept; table_build refuses them anyway. */
void sql_key_inner(struct sql_parser *ps, struct sql_list partition)
{
    struct key_elem_spec *elems = sql_list_take_structs(ps, partition, sizeof *elems);

    if (ps->rc < 0 || ps->spec->keys_count > 1)
        return;
    ps->spec->has_inner = true;
    ps->spec->partition = elems;
    ps->spec->partition_count = partition.count;
}

void sql_key_local(struct sql_parser *ps, struct sql_list local)
{
    struct key_elem_spec *elems = sql_list_take_structs(ps, local, sizeof *elems);

    if (ps->rc < 0 || ps->spec->keys_count > 1)
        return;
    ps->spec->local = elems;
    ps->spec->local_count = local.count;
}

void sql_partition_key(struct sql_parser *ps, uint32_t pos, struct sql_list names)
{
    struct spec_name *columns = sql_list_take_structs(ps, names, sizeof *columns);

    if (ps->rc < 0)
        return;
    if (ps->spec->partition_key) {
        sql_fail(ps, DN_E_SYNTAX, pos, "more than one PARTITION KEY");
        return;
    }
    ps->spec->partition_key = columns;
    ps->spec->partition_key_count = names.count;
    ps->spec->partition_key_pos = pos;
}

void sql_clustering(struct sql_parser *ps, uint32_t pos, struct sql_list elems)
{
    struct key_elem_spec *order = sql_list_take_structs(ps, elems, sizeof *order);

    if (ps->rc < 0)
        return;
    if (!ps->spec) {
        sql_fail(ps, DN_E_SYNTAX, pos, "CLUSTERING ORDER BY belongs to a table");
        return;
    }
    if (ps->spec->clustering) {
        sql_fail(ps, DN_E_SYNTAX, pos, "more than one CLUSTERING ORDER BY");
        return;
    }
    ps->spec->clustering = order;
    ps->spec->clustering_count = elems.count;
    ps->spec->clustering_pos = pos;
}

/* ---- options ---- */

struct option_spec *
sql_value(struct sql_parser *ps, struct sql_token tok, bool negative, uint32_t pos)
{
    struct option_spec *option = sql_new(ps, sizeof *option);
    uint32_t len;

    if (!option)
        return NULL;
    option->value_pos = pos;
    if (ddl_is_string(tok)) {
        option->value = sql_string_text(ps, tok, &len);
        option->quoted = true;
    } else if (negative) {
        char *text = sql_new(ps, (size_t)tok.len + 2);
        if (text) {
            text[0] = '-';
            memcpy(text + 1, tok.ptr, tok.len);
        }
        option->value = text;
    } else {
        option->value = sql_name(ps, tok);
        option->quoted = tok.ptr[0] == '"' || tok.ptr[0] == '`'; /* a string, says EventQL */
    }
    return option;
}

struct option_spec *
sql_option(struct sql_parser *ps, struct sql_token name, struct option_spec *value)
{
    if (ps->rc == 0 && !value)
        value = sql_new(ps, sizeof *value);
    if (ps->rc < 0)
        return NULL;
    value->name = sql_spec_name(ps, name);
    return value;
}

static void ddl_print_value(const struct option_spec *v, struct buf *b)
{
    if (!v->quoted) {
        buf_puts(b, v->value);
        return;
    }
    buf_puts(b, "'");
    for (const char *s = v->value; *s; s++) {
        buf_append(b, s, 1);
        if (*s == '\'')
            buf_append(b, s, 1);
    }
    buf_puts(b, "'");
}

/* The buffer's text in the arena; the buffer is gone. */
static char *ddl_take(struct sql_parser *ps, struct buf *b)
{
    char *text = NULL;

    if (!b->failed)
        text = arena_strndup(ps->arena, (const char *)b->data, b->len);
    if (!text)
        sql_fail_nomem(ps);
    buf_done(b);
    return text;
}

char *sql_map_entry(struct sql_parser *ps, struct option_spec *key, struct option_spec *value)
{
    struct buf b;

    if (ps->rc < 0)
        return NULL;
    buf_init(&b, ps->arena->owner);
    ddl_print_value(key, &b);
    buf_puts(&b, ": ");
    ddl_print_value(value, &b);
    return ddl_take(ps, &b);
}

struct option_spec *sql_map(struct sql_parser *ps, uint32_t pos, struct sql_list entries)
{
    char **texts = sql_list_take(ps, entries);
    struct option_spec *option = sql_new(ps, sizeof *option);
    struct buf b;

    if (!option)
        return NULL;
    buf_init(&b, ps->arena->owner);
    buf_puts(&b, "{");
    for (uint32_t i = 0; i < entries.count; i++) {
        buf_puts(&b, i ? ", " : "");
        buf_puts(&b, texts[i]);
    }
    buf_puts(&b, "}");
    option->value = ddl_take(ps, &b);
    option->value_pos = pos;
    return option;
}

void sql_create_table(struct sql_parser *ps, struct sql_list options, int on_commit)
{
    struct option_spec *list = sql_list_take_structs(ps, options, sizeof *list);

    if (ps->rc < 0)
        return;
    ps->spec->options = list;
    ps->spec->options_count = options.count;
    ps->stmt->table_def->on_commit = (enum on_commit)on_commit;
}

void sql_create_schema(struct sql_parser *ps,
                       bool keyspace,
                       bool if_not_exists,
                       struct sql_token name,
                       struct sql_list options)
{
    struct option_spec **list = sql_list_take(ps, options);
    struct qual_name *q = sql_qual(ps, NULL, name);
    struct stmt *s = sql_stmt(ps, STMT_CREATE_SCHEMA);

    if (!s)
        return;
    s->name = *q;
    s->keyspace = keyspace;
    s->if_not_exists = if_not_exists;
    for (uint32_t i = 0; i < options.count; i++) {
        const struct option_spec *o = list[i];
        if (strcasecmp(o->name.s, "durable_writes") == 0)
            continue; /* every write is durable here: nothing to keep */
        if (strcasecmp(o->name.s, "replication") != 0) {
            sql_fail(ps,
                     DN_E_UNDEFINED_OBJECT,
                     o->name.pos,
                     "a schema has no option \"%.60s\"",
                     o->name.s);
            dn_err_hint(ps->err, "the options are replication and durable_writes");
            return;
        }
        if (o->quoted || o->value[0] != '{') {
            sql_fail(ps, DN_E_INVALID_PARAM, o->value_pos, "replication is a map");
            dn_err_hint(ps->err,
                        "WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
            return;
        }
        if (s->replication) {
            sql_fail(ps, DN_E_SYNTAX, o->name.pos, "replication is given twice");
            return;
        }
        s->replication = o->value;
    }
}

void sql_create_schema_of(struct sql_parser *ps,
                          bool if_not_exists,
                          struct sql_token name,
                          struct sql_token role)
{
    struct qual_name *owner = sql_qual(ps, NULL, role);

    sql_create_schema(ps, false, if_not_exists, name, sql_list_none(ps));
    if (ps->rc < 0)
        return;
    ps->stmt->names = owner;
    ps->stmt->names_count = 1;
}
