/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c: the tree as text. Keywords in upper case, one blank between words, parentheses where
 * they were written or where the tree needs them. Recursion is bounded by SQL_DEPTH_MAX. */
#include "sql/parse_int.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

static bool print_is_word(const char *name)
{
    const unsigned char *s = (const unsigned char *)name;

    if (*s >= '0' && *s <= '9')
        return false;
    if (*s == '\0' || *s == '$')
        return false;
    for (; *s; s++) {
        bool ok = (*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') ||
                  (*s >= 'a' && *s <= 'z') || *s == '_' || *s == '$' || *s >= 0x80;
        if (!ok)
            return false;
    }
    return true;
}

static void print_quoted(const char *s, size_t len, char quote, struct buf *b)
{
    buf_append(b, &quote, 1);
    for (size_t i = 0; i < len; i++) {
        buf_append(b, s + i, 1);
        if (s[i] == quote)
            buf_append(b, &quote, 1);
    }
    buf_append(b, &quote, 1);
}

/* any: a keyword of any class goes into quotes. */
static void print_name(const char *name, bool any, struct buf *b)
{
    bool keyword;
    bool is_free = sql_keyword_is_free(name, strlen(name), &keyword);

    if (print_is_word(name) && is_free && !(any && keyword))
        buf_puts(b, name);
    else
        print_quoted(name, strlen(name), '"', b);
}

void sql_print_ident(const char *name, struct buf *b)
{
    print_name(name, false, b);
}

static void print_qual(const struct qual_name *q, struct buf *b)
{
    if (q->schema) {
        sql_print_ident(q->schema, b);
        buf_puts(b, ".");
    }
    sql_print_ident(q->name, b);
}

/* ---- expressions ---- */

enum print_prec {
    PREC_OR = 1,
    PREC_AND,
    PREC_NOT,
    PREC_IS,
    PREC_COMPARE,
    PREC_IN,
    PREC_ADD,
    PREC_MUL,
    PREC_SIGN,
    PREC_CAST,
    PREC_ATOM
};

static const struct {
    const char *text;
    enum print_prec prec;
} print_ops[OP_MAX] = {
    [OP_ADD] = {" + ", PREC_ADD},
    [OP_SUB] = {" - ", PREC_ADD},
    [OP_MUL] = {" * ", PREC_MUL},
    [OP_DIV] = {" / ", PREC_MUL},
    [OP_MOD] = {" % ", PREC_MUL},
    [OP_EQ] = {" = ", PREC_COMPARE},
    [OP_NE] = {" <> ", PREC_COMPARE},
    [OP_LT] = {" < ", PREC_COMPARE},
    [OP_LE] = {" <= ", PREC_COMPARE},
    [OP_GT] = {" > ", PREC_COMPARE},
    [OP_GE] = {" >= ", PREC_COMPARE},
    [OP_AND] = {" AND ", PREC_AND},
    [OP_OR] = {" OR ", PREC_OR},
    [OP_NOT] = {"NOT ", PREC_NOT},
    [OP_NEG] = {"-", PREC_SIGN},
    [OP_POS] = {"+", PREC_SIGN},
};

static void print_at(const struct expr *e, enum print_prec least, struct buf *b);

static bool print_is_number(const struct expr *e)
{
    return e->kind == EXPR_LITERAL && type_is_number(e->value.type) && !e->value.null;
}

static bool print_is_negative(const struct expr *e)
{
    if (!print_is_number(e))
        return false;
    if (e->text)
        return e->text[0] == '-';
    return e->value.type == TYPE_DOUBLE ? signbit(e->value.v.f64) != 0 : e->value.v.i64 < 0;
}

static enum print_prec print_prec(const struct expr *e)
{
    switch (e->kind) {
    case EXPR_LITERAL:
        return print_is_negative(e) ? PREC_SIGN : PREC_ATOM;
    case EXPR_COLUMN:
    case EXPR_PARAM:
    case EXPR_STAR:
    case EXPR_CALL:
    case EXPR_CAST:
        return PREC_ATOM;
    case EXPR_UNARY:
    case EXPR_BINARY:
        return print_ops[e->op].prec;
    case EXPR_BETWEEN:
    case EXPR_IN:
        return PREC_IN;
    case EXPR_IS_NULL:
        return PREC_IS;
    case EXPR_KIND_MAX:
        break;
    }
    return PREC_ATOM;
}

static void print_blob(struct vstr v, struct buf *b)
{
    static const char digits[] = "0123456789abcdef";

    buf_puts(b, v.len ? "0x" : "X''");
    for (uint32_t i = 0; i < v.len; i++) {
        unsigned char c = (unsigned char)v.ptr[i];
        char pair[2] = {digits[c >> 4], digits[c & 15]};
        buf_append(b, pair, 2);
    }
}

static void print_literal(const struct expr *e, struct buf *b)
{
    const struct datum *d = &e->value;

    if (d->null || d->type == TYPE_NONE)
        buf_puts(b, "NULL");
    else if (d->type == TYPE_BOOLEAN)
        buf_puts(b, d->v.i64 ? "TRUE" : "FALSE");
    else if (d->type == TYPE_BIGINT)
        buf_printf(b, "%" PRId64, d->v.i64);
    else if (d->type == TYPE_VARCHAR)
        print_quoted(d->str.ptr, d->str.len, '\'', b);
    else if (d->type == TYPE_BLOB)
        print_blob(d->str, b);
    else if (e->text)
        buf_puts(b, e->text);
    else
        buf_printf(b, "%.17e", d->v.f64);
}

static void print_args(const struct expr *e, struct buf *b)
{
    for (uint32_t i = 0; i < e->args_count; i++) {
        buf_puts(b, i ? ", " : "");
        print_at(e->args[i], PREC_OR, b);
    }
}

static void print_call(const struct expr *e, struct buf *b)
{
    sql_print_ident(e->name, b);
    buf_puts(b, e->distinct ? "(DISTINCT " : "(");
    if (e->star)
        buf_puts(b, "*");
    print_args(e, b);
    buf_puts(b, ")");
}

/* What each operand must at least bind like to stand there without parentheses. Comparisons do not
 * associate; the other operators do to the left; a chain is flat whatever its shape. */
struct print_least {
    enum print_prec a;
    enum print_prec b; /* and c */
};

static struct print_least print_least(const struct expr *e)
{
    struct print_least least = {PREC_OR, PREC_OR};
    enum print_prec prec = print_prec(e);

    switch (e->kind) {
    case EXPR_UNARY:
        least.a = prec;
        break;
    case EXPR_BINARY:
        least.a = prec == PREC_COMPARE ? prec + 1 : prec;
        least.b = e->op == OP_AND || e->op == OP_OR ? prec : prec + 1;
        break;
    case EXPR_BETWEEN:
    case EXPR_IN:
    case EXPR_IS_NULL:
        least.a = prec + 1;
        least.b = prec + 1;
        break;
    case EXPR_LITERAL:
    case EXPR_COLUMN:
    case EXPR_PARAM:
    case EXPR_STAR:
    case EXPR_CALL:
    case EXPR_CAST:
    case EXPR_KIND_MAX:
        break;
    }
    return least;
}

static void print_need(struct expr *e, enum print_prec least)
{
    if (e && print_prec(e) < least)
        e->paren = true;
}

void sql_parens(struct expr *e)
{
    struct print_least least = print_least(e);

    print_need(e->a, least.a);
    print_need(e->b, least.b);
    print_need(e->c, least.b);
}

static void print_operator(const struct expr *e, struct buf *b)
{
    struct print_least least = print_least(e);

    if (e->kind == EXPR_BINARY) {
        print_at(e->a, least.a, b);
        buf_puts(b, print_ops[e->op].text);
        print_at(e->b, least.b, b);
        return;
    }
    buf_puts(b, print_ops[e->op].text);
    /* A sign before a number would become part of it, two signs would be a comment. */
    if (e->op == OP_NEG && print_is_number(e->a) && !e->a->paren && !print_is_negative(e->a)) {
        buf_puts(b, "(");
        print_at(e->a, PREC_OR, b);
        buf_puts(b, ")");
        return;
    }
    if (e->op != OP_NOT && !e->a->paren && print_prec(e->a) == PREC_SIGN)
        buf_puts(b, " ");
    print_at(e->a, least.a, b);
}

static void print_expr_inner(const struct expr *e, struct buf *b)
{
    struct print_least least = print_least(e);

    switch (e->kind) {
    case EXPR_LITERAL:
        print_literal(e, b);
        break;
    case EXPR_COLUMN:
    case EXPR_STAR:
        if (e->table) {
            sql_print_ident(e->table, b);
            buf_puts(b, ".");
        }
        if (e->kind == EXPR_STAR)
            buf_puts(b, "*");
        else
            sql_print_ident(e->name, b);
        break;
    case EXPR_PARAM:
        buf_printf(b, "$%u", e->param);
        break;
    case EXPR_UNARY:
    case EXPR_BINARY:
        print_operator(e, b);
        break;
    case EXPR_BETWEEN:
        print_at(e->a, least.a, b);
        buf_puts(b, e->negated ? " NOT BETWEEN " : " BETWEEN ");
        print_at(e->b, least.b, b);
        buf_puts(b, " AND ");
        print_at(e->c, least.b, b);
        break;
    case EXPR_IN:
        print_at(e->a, least.a, b);
        buf_puts(b, e->negated ? " NOT IN (" : " IN (");
        print_args(e, b);
        buf_puts(b, ")");
        break;
    case EXPR_IS_NULL:
        print_at(e->a, least.a, b);
        buf_puts(b, e->negated ? " IS NOT NULL" : " IS NULL");
        break;
    case EXPR_CALL:
        print_call(e, b);
        break;
    case EXPR_CAST:
        buf_puts(b, "CAST(");
        print_at(e->a, PREC_OR, b);
        buf_printf(b, " AS %s)", type_name(e->type));
        break;
    case EXPR_KIND_MAX:
        break;
    }
}

/* In parentheses if they were written, or if e binds less than `least`. */
static void print_at(const struct expr *e, enum print_prec least, struct buf *b)
{
    bool paren = e->paren || print_prec(e) < least;

    if (paren)
        buf_puts(b, "(");
    print_expr_inner(e, b);
    if (paren)
        buf_puts(b, ")");
}

void sql_print_expr(const struct expr *e, struct buf *b)
{
    print_at(e, PREC_OR, b);
}

/* ---- SELECT, INSERT ---- */

static void print_exprs(const char *before, struct expr *const *list, uint32_t count, struct buf *b)
{
    for (uint32_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : before);
        sql_print_expr(list[i], b);
    }
}

static void print_opt(const char *before, const struct expr *e, struct buf *b)
{
    if (e) {
        buf_puts(b, before);
        sql_print_expr(e, b);
    }
}

static void print_select(const struct select_stmt *s, struct buf *b)
{
    static const char *const nulls[] = {
        [NULLS_DEFAULT] = "", [NULLS_FIRST] = " NULLS FIRST", [NULLS_LAST] = " NULLS LAST"};

    buf_puts(b, s->distinct ? "SELECT DISTINCT " : "SELECT ");
    for (uint32_t i = 0; i < s->items_count; i++) {
        buf_puts(b, i ? ", " : "");
        sql_print_expr(s->items[i].expr, b);
        if (s->items[i].alias) {
            buf_puts(b, " AS ");
            sql_print_ident(s->items[i].alias, b);
        }
    }
    if (s->has_from) {
        buf_puts(b, " FROM ");
        print_qual(&s->from, b);
        if (s->from_alias) {
            buf_puts(b, " AS ");
            sql_print_ident(s->from_alias, b);
        }
    }
    print_opt(" WHERE ", s->where, b);
    print_exprs(" GROUP BY ", s->group_by, s->group_by_count, b);
    print_opt(" HAVING ", s->having, b);
    for (uint32_t i = 0; i < s->order_by_count; i++) {
        const struct order_item *o = &s->order_by[i];
        buf_puts(b, i ? ", " : " ORDER BY ");
        sql_print_expr(o->expr, b);
        buf_puts(b, o->desc ? " DESC" : "");
        buf_puts(b, nulls[o->nulls]);
    }
    print_opt(" LIMIT ", s->limit, b);
    print_opt(" OFFSET ", s->offset, b);
}

static void print_names(const struct spec_name *names, size_t count, struct buf *b)
{
    for (size_t i = 0; i < count; i++) {
        buf_puts(b, i ? ", " : "(");
        sql_print_ident(names[i].s, b);
    }
    buf_puts(b, ")");
}

static void print_insert(const struct insert_stmt *s, struct buf *b)
{
    buf_puts(b, "INSERT INTO ");
    print_qual(&s->table, b);
    if (s->columns) {
        buf_puts(b, " ");
        print_names(s->columns, s->columns_count, b);
    }
    buf_puts(b, " VALUES ");
    for (uint32_t i = 0; i < s->rows_count; i++) {
        buf_puts(b, i ? ", (" : "(");
        for (uint32_t j = 0; j < s->rows_len[i]; j++) {
            buf_puts(b, j ? ", " : "");
            if (s->rows[i][j])
                sql_print_expr(s->rows[i][j], b);
            else
                buf_puts(b, "DEFAULT");
        }
        buf_puts(b, ")");
    }
}

/* ---- CREATE ---- */

static void print_key_elems(const struct key_elem_spec *elems, size_t count, struct buf *b)
{
    for (size_t i = 0; i < count; i++) {
        const struct key_elem_spec *k = &elems[i];

        buf_puts(b, i ? ", " : "");
        buf_puts(b, k->is_quantum ? "QUANTUM(" : "");
        sql_print_ident(k->name.s, b);
        if (k->is_quantum) {
            buf_printf(b, ", %" PRId64 ", ", k->count);
            print_quoted(k->unit, strlen(k->unit), '\'', b);
            buf_puts(b, ")");
        }
        if (k->order_given)
            buf_puts(b, k->desc ? " DESC" : " ASC");
    }
}

static void print_key(const struct table_spec *spec, struct buf *b)
{
    buf_puts(b, "PRIMARY KEY (");
    if (spec->has_inner) {
        buf_puts(b, "(");
        print_key_elems(spec->partition, spec->partition_count, b);
        buf_puts(b, spec->local_count ? "), " : ")");
    }
    print_key_elems(spec->local, spec->local_count, b);
    buf_puts(b, ")");
}

static void print_column(const struct column_spec *c, const struct expr *def, struct buf *b)
{
    sql_print_ident(c->name.s, b);
    buf_printf(b, " %s", type_name(c->type));
    buf_puts(b, c->not_null ? " NOT NULL" : c->null_given ? " NULL" : "");
    print_opt(" DEFAULT ", def, b);
    buf_puts(b, c->primary_key ? " PRIMARY KEY" : "");
}

static void print_options(const struct table_spec *spec, struct buf *b)
{
    bool clustering = spec->clustering != NULL;

    if (clustering) {
        buf_puts(b, " WITH CLUSTERING ORDER BY (");
        print_key_elems(spec->clustering, spec->clustering_count, b);
        buf_puts(b, ")");
    } else if (spec->options_count) {
        buf_puts(b, " WITH (");
    }
    for (size_t i = 0; i < spec->options_count; i++) {
        const struct option_spec *o = &spec->options[i];

        buf_puts(b, clustering ? " AND " : i ? ", " : "");
        print_name(o->name.s, true, b);
        buf_puts(b, " = ");
        if (o->quoted)
            print_quoted(o->value, strlen(o->value), '\'', b);
        else
            buf_puts(b, o->value);
    }
    if (!clustering && spec->options_count)
        buf_puts(b, ")");
}

static void print_create_table(const struct stmt *s, struct buf *b)
{
    const struct table_spec *spec = s->create;
    struct qual_name name = {.schema = spec->schema.s, .name = spec->name.s};
    size_t items = 0;

    buf_puts(b, s->if_not_exists ? "CREATE TABLE IF NOT EXISTS " : "CREATE TABLE ");
    print_qual(&name, b);
    for (size_t i = 0; i < spec->columns_count; i++) {
        buf_puts(b, items++ ? ", " : " (");
        print_column(&spec->columns[i], s->column_defaults ? s->column_defaults[i] : NULL, b);
    }
    for (uint32_t i = 0; i < spec->keys_count; i++) {
        buf_puts(b, items++ ? ", " : " (");
        print_key(spec, b);
    }
    if (spec->partition_key) {
        buf_puts(b, items++ ? ", PARTITION KEY " : " (PARTITION KEY ");
        print_names(spec->partition_key, spec->partition_key_count, b);
    }
    buf_puts(b, ")");
    print_options(spec, b);
}

static void print_schema(const struct stmt *s, const char *verb, struct buf *b)
{
    buf_puts(b, verb);
    buf_puts(b, s->keyspace ? " KEYSPACE " : " SCHEMA ");
    buf_puts(b, s->if_not_exists ? "IF NOT EXISTS " : s->if_exists ? "IF EXISTS " : "");
    sql_print_ident(s->name.name, b);
    if (s->replication)
        buf_printf(b, " WITH replication = %s", s->replication);
}

static void print_set(const struct stmt *s, struct buf *b)
{
    buf_puts(b, "SET ");
    sql_print_ident(s->name.name, b);
    buf_puts(b, " = ");
    if (s->set_value)
        print_quoted(s->set_value, strlen(s->set_value), '\'', b);
    else
        buf_puts(b, "DEFAULT");
}

static void print_named(const char *before, const struct stmt *s, struct buf *b)
{
    buf_puts(b, before);
    print_qual(&s->name, b);
}

void sql_print_stmt(const struct stmt *s, struct buf *b)
{
    switch (s->kind) {
    case STMT_EMPTY:
    case STMT_KIND_MAX:
        break;
    case STMT_SELECT:
        print_select(s->select, b);
        break;
    case STMT_INSERT:
        print_insert(s->insert, b);
        break;
    case STMT_CREATE_TABLE:
        print_create_table(s, b);
        break;
    case STMT_DROP_TABLE:
        print_named(s->if_exists ? "DROP TABLE IF EXISTS " : "DROP TABLE ", s, b);
        break;
    case STMT_CREATE_SCHEMA:
        print_schema(s, "CREATE", b);
        break;
    case STMT_DROP_SCHEMA:
        print_schema(s, "DROP", b);
        break;
    case STMT_USE:
        print_named("USE ", s, b);
        break;
    case STMT_DESCRIBE:
        print_named("DESCRIBE ", s, b);
        break;
    case STMT_SHOW_TABLES:
        buf_puts(b, "SHOW TABLES");
        break;
    case STMT_SHOW_SCHEMAS:
        buf_puts(b, s->keyspace ? "SHOW KEYSPACES" : "SHOW SCHEMAS");
        break;
    case STMT_SHOW_CREATE_TABLE:
        print_named("SHOW CREATE TABLE ", s, b);
        break;
    case STMT_SHOW_TABLE_STATUS:
        print_named("SHOW TABLE STATUS ", s, b);
        break;
    case STMT_SHOW_SETTING:
        buf_puts(b, "SHOW ");
        if (strcasecmp(s->name.name, "all") == 0)
            buf_puts(b, "ALL");
        else
            print_name(s->name.name, true, b);
        break;
    case STMT_SET:
        print_set(s, b);
        break;
    case STMT_EXPLAIN:
        buf_puts(b, "EXPLAIN ");
        sql_print_stmt(s->explained, b);
        break;
    case STMT_CHECKPOINT:
        buf_puts(b, "CHECKPOINT");
        break;
    }
}
