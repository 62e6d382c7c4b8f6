/* SPDX-License-Identifier: Apache-2.0
 *
 * print_expr.c: names and expressions as text. Parentheses stand where they were written or where
 * the tree needs them. Recursion is bounded by SQL_DEPTH_MAX. */
#include "sql/ast_expr.h"
#include "sql/print_int.h"

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
    if (*s == '\0' || *s == '$' || sql_value_call(name, strlen(name)))
        return false;
    for (; *s; s++) {
        bool ok = (*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') ||
                  (*s >= 'a' && *s <= 'z') || *s == '_' || *s == '$' || *s >= 0x80;
        if (!ok)
            return false;
    }
    return true;
}

void sql_print_quoted(const char *s, size_t len, char quote, struct buf *b)
{
    buf_append(b, &quote, 1);
    for (size_t i = 0; i < len; i++) {
        buf_append(b, s + i, 1);
        if (s[i] == quote)
            buf_append(b, &quote, 1);
    }
    buf_append(b, &quote, 1);
}

void sql_print_name(const char *name, bool any, struct buf *b)
{
    bool keyword;
    bool is_free = sql_keyword_is_free(name, strlen(name), &keyword);

    if (print_is_word(name) && is_free && !(any && keyword))
        buf_puts(b, name);
    else
        sql_print_quoted(name, strlen(name), '"', b);
}

void sql_print_ident(const char *name, struct buf *b)
{
    sql_print_name(name, false, b);
}

/* ---- expressions ---- */

enum print_prec {
    PREC_OR = 1,
    PREC_AND,
    PREC_NOT,
    PREC_IS,
    PREC_COMPARE,
    PREC_IN,
    PREC_OTHER,
    PREC_ADD,
    PREC_MUL,
    PREC_POWER,
    PREC_COLLATE,
    PREC_SIGN,
    PREC_SUBSCRIPT,
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
    [OP_CONCAT] = {" || ", PREC_OTHER},
    [OP_BIT_AND] = {" & ", PREC_OTHER},
    [OP_BIT_OR] = {" | ", PREC_OTHER},
    [OP_BIT_XOR] = {" # ", PREC_OTHER},
    [OP_BIT_LEFT] = {" << ", PREC_OTHER},
    [OP_BIT_RIGHT] = {" >> ", PREC_OTHER},
    [OP_BIT_NOT] = {"~ ", PREC_OTHER},
    [OP_POWER] = {" ^ ", PREC_POWER},
    [OP_LIKE] = {"LIKE ", PREC_IN},
    [OP_ILIKE] = {"ILIKE ", PREC_IN},
    [OP_SIMILAR] = {"SIMILAR TO ", PREC_IN},
    [OP_IS_TRUE] = {"TRUE", PREC_IS},
    [OP_IS_FALSE] = {"FALSE", PREC_IS},
    [OP_IS_UNKNOWN] = {"UNKNOWN", PREC_IS},
    [OP_REGEX] = {" ~ ", PREC_OTHER},
    [OP_REGEX_I] = {" ~* ", PREC_OTHER},
    [OP_NOT_REGEX] = {" !~ ", PREC_OTHER},
    [OP_NOT_REGEX_I] = {" !~* ", PREC_OTHER},
    [OP_CONTAINS] = {" @> ", PREC_OTHER},
    [OP_CONTAINED] = {" <@ ", PREC_OTHER},
    [OP_OVERLAP] = {" && ", PREC_OTHER},
    [OP_STARTS] = {" ^@ ", PREC_OTHER},
    [OP_SQRT] = {"|/ ", PREC_OTHER},
    [OP_CBRT] = {"||/ ", PREC_OTHER},
    [OP_ABS] = {"@ ", PREC_OTHER},
    [OP_OTHER] = {"", PREC_OTHER},
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
    if (e->value.type == TYPE_NUMERIC)
        return e->value.num.hi < 0;
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
    case EXPR_CASE:
    case EXPR_QUERY:
    case EXPR_EXISTS:
    case EXPR_ROW:
    case EXPR_ARRAY:
    case EXPR_ARRAY_QUERY:
    case EXPR_FIELD:
    case EXPR_NAMED_ARG:
        return PREC_ATOM;
    case EXPR_COLLATE:
        return PREC_COLLATE;
    case EXPR_SUBSCRIPT:
        return PREC_SUBSCRIPT;
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_ANY:
        return print_ops[e->op].prec;
    case EXPR_BETWEEN:
    case EXPR_IN:
    case EXPR_LIKE:
        return PREC_IN;
    case EXPR_IS_NULL:
    case EXPR_IS:
    case EXPR_DISTINCT:
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
    else if (type_is_int(d->type))
        buf_printf(b, "%s%" PRId64, d->v.i64 == 0 && print_is_negative(e) ? "-" : "", d->v.i64);
    else if (e->bits)
        buf_printf(b, "B'%.*s'", (int)d->str.len, d->str.ptr);
    else if (d->type == TYPE_VARCHAR)
        sql_print_quoted(d->str.ptr, d->str.len, '\'', b);
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
        if (e->kind == EXPR_CALL && e->ext && e->ext->variadic && i + 1 == e->args_count)
            buf_puts(b, "VARIADIC ");
        print_at(e->args[i], PREC_OR, b);
    }
}

/* current_date, current_user and others are calls that are written without parentheses. */
static bool print_word_call(const struct expr *e, struct buf *b)
{
    const char *call = sql_value_call(e->name, strlen(e->name));

    if (!call || strcmp(call, e->name) != 0 || e->schema || e->args_count > 0 || e->star || e->a)
        return false;
    buf_puts(b, e->name);
    return true;
}

static void print_call(const struct expr *e, struct buf *b)
{
    struct qual_name name = {.schema = e->schema, .name = e->name};
    const struct call_ext *x = e->ext;

    if (print_word_call(e, b))
        return;
    sql_print_qual(&name, b);
    buf_puts(b, e->distinct ? "(DISTINCT " : "(");
    if (e->star)
        buf_puts(b, "*");
    print_args(e, b);
    if (x && !x->within_group)
        sql_print_orders(x->order_by, x->order_by_count, " ", b);
    buf_puts(b, ")");
    if (x && x->within_group) {
        buf_puts(b, " WITHIN GROUP (");
        sql_print_orders(x->order_by, x->order_by_count, "", b);
        buf_puts(b, ")");
    }
    if (e->a) {
        buf_puts(b, " FILTER (WHERE ");
        print_at(e->a, PREC_OR, b);
        buf_puts(b, ")");
    }
    if (x && x->over) {
        buf_puts(b, " OVER ");
        if (x->over->bare)
            sql_print_ident(x->over->ref, b);
        else
            sql_print_window(x->over, b);
    }
}

static void print_case(const struct expr *e, struct buf *b)
{
    buf_puts(b, "CASE ");
    if (e->a) {
        print_at(e->a, PREC_OR, b);
        buf_puts(b, " ");
    }
    for (uint32_t i = 0; i + 1 < e->args_count; i += 2) {
        buf_puts(b, "WHEN ");
        print_at(e->args[i], PREC_OR, b);
        buf_puts(b, " THEN ");
        print_at(e->args[i + 1], PREC_OR, b);
        buf_puts(b, " ");
    }
    if (e->b) {
        buf_puts(b, "ELSE ");
        print_at(e->b, PREC_OR, b);
        buf_puts(b, " ");
    }
    buf_puts(b, "END");
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
    case EXPR_LIKE:
    case EXPR_IS:
    case EXPR_DISTINCT:
        least.a = prec + 1;
        least.b = prec + 1;
        break;
    case EXPR_ANY: /* its right side stands in parentheses */
        least.a = prec == PREC_OTHER ? prec : prec + 1;
        break;
    case EXPR_COLLATE:
    case EXPR_SUBSCRIPT:
        least.a = prec;
        break;
    case EXPR_LITERAL:
    case EXPR_COLUMN:
    case EXPR_PARAM:
    case EXPR_STAR:
    case EXPR_CALL:
    case EXPR_CAST:
    case EXPR_CASE:
    case EXPR_QUERY:
    case EXPR_EXISTS:
    case EXPR_ROW:
    case EXPR_ARRAY:
    case EXPR_ARRAY_QUERY:
    case EXPR_FIELD:
    case EXPR_NAMED_ARG:
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

static void print_symbol(const struct expr *e, struct buf *b)
{
    buf_puts(b, print_ops[e->op].text);
    if (e->op != OP_OTHER)
        return;
    buf_puts(b, e->kind == EXPR_BINARY ? " " : "");
    if (e->schema) {
        buf_puts(b, "OPERATOR(");
        sql_print_ident(e->schema, b);
        buf_puts(b, ".");
    }
    buf_puts(b, e->name);
    buf_puts(b, e->schema ? ") " : " ");
}

static void print_operator(const struct expr *e, struct buf *b)
{
    struct print_least least = print_least(e);

    if (e->kind == EXPR_BINARY) {
        print_at(e->a, least.a, b);
        print_symbol(e, b);
        print_at(e->b, least.b, b);
        return;
    }
    print_symbol(e, b);
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

/* LIKE, IS TRUE, IS DISTINCT FROM. */
static void print_words(const struct expr *e, struct buf *b)
{
    struct print_least least = print_least(e);

    print_at(e->a, least.a, b);
    if (e->kind == EXPR_DISTINCT)
        buf_puts(b, e->negated ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM ");
    else if (e->kind == EXPR_IS)
        buf_puts(b, e->negated ? " IS NOT " : " IS ");
    else
        buf_puts(b, e->negated ? " NOT " : " ");
    if (e->kind != EXPR_DISTINCT)
        buf_puts(b, print_ops[e->op].text);
    if (e->b)
        print_at(e->b, least.b, b);
    if (e->c) {
        buf_puts(b, " ESCAPE ");
        print_at(e->c, least.b, b);
    }
}

static void print_any(const struct expr *e, struct buf *b)
{
    print_at(e->a, print_least(e).a, b);
    if (e->op == OP_LIKE || e->op == OP_ILIKE)
        buf_puts(b, e->negated ? " NOT " : " ");
    buf_puts(b, print_ops[e->op].text);
    buf_puts(b, e->all ? "ALL (" : "ANY (");
    if (e->query)
        sql_print_query(e->query, b);
    else
        print_at(e->b, PREC_OR, b);
    buf_puts(b, ")");
}

/* a[b], a[b:c], (a).name, a COLLATE name, name => a */
static void print_postfix(const struct expr *e, struct buf *b)
{
    struct qual_name name = {.schema = e->schema, .name = e->name};

    if (e->kind == EXPR_NAMED_ARG) {
        sql_print_ident(e->name, b);
        buf_puts(b, " => ");
        print_at(e->a, PREC_OR, b);
    } else if (e->kind == EXPR_FIELD) {
        buf_puts(b, "(");
        print_at(e->a, PREC_OR, b);
        buf_puts(b, ").");
        sql_print_ident(e->name, b);
    } else if (e->kind == EXPR_COLLATE) {
        print_at(e->a, print_least(e).a, b);
        buf_puts(b, " COLLATE ");
        sql_print_qual(&name, b);
    } else {
        print_at(e->a, print_least(e).a, b);
        buf_puts(b, "[");
        if (e->b)
            print_at(e->b, PREC_OR, b);
        buf_puts(b, e->slice ? ":" : "");
        if (e->c)
            print_at(e->c, PREC_OR, b);
        buf_puts(b, "]");
    }
}

static void print_column(const struct expr *e, struct buf *b)
{
    if (e->a) { /* (a).* */
        buf_puts(b, "(");
        print_at(e->a, PREC_OR, b);
        buf_puts(b, ").*");
        return;
    }
    if (e->schema) {
        sql_print_ident(e->schema, b);
        buf_puts(b, ".");
    }
    if (e->table) {
        sql_print_ident(e->table, b);
        buf_puts(b, ".");
    }
    if (e->kind == EXPR_STAR)
        buf_puts(b, "*");
    else
        sql_print_ident(e->name, b);
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
        print_column(e, b);
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
        buf_puts(b, e->symmetric ? "SYMMETRIC " : "");
        print_at(e->b, least.b, b);
        buf_puts(b, " AND ");
        print_at(e->c, least.b, b);
        break;
    case EXPR_IN:
        print_at(e->a, least.a, b);
        buf_puts(b, e->negated ? " NOT IN (" : " IN (");
        if (e->query)
            sql_print_query(e->query, b);
        print_args(e, b);
        buf_puts(b, ")");
        break;
    case EXPR_IS_NULL:
        print_at(e->a, least.a, b);
        buf_puts(b, e->negated ? " IS NOT NULL" : " IS NULL");
        break;
    case EXPR_LIKE:
    case EXPR_IS:
    case EXPR_DISTINCT:
        print_words(e, b);
        break;
    case EXPR_CASE:
        print_case(e, b);
        break;
    case EXPR_CALL:
        print_call(e, b);
        break;
    case EXPR_CAST:
        buf_puts(b, "CAST(");
        print_at(e->a, PREC_OR, b);
        buf_puts(b, " AS ");
        sql_print_type(e->type_name, b);
        buf_puts(b, ")");
        break;
    case EXPR_QUERY:
    case EXPR_EXISTS:
    case EXPR_ARRAY_QUERY:
        buf_puts(b, e->kind == EXPR_EXISTS ? "EXISTS (" : e->kind == EXPR_QUERY ? "(" : "ARRAY(");
        sql_print_query(e->query, b);
        buf_puts(b, ")");
        break;
    case EXPR_ANY:
        print_any(e, b);
        break;
    case EXPR_ROW:
    case EXPR_ARRAY:
        buf_puts(b, e->kind == EXPR_ARRAY ? "ARRAY[" : e->row_word ? "ROW(" : "(");
        print_args(e, b);
        buf_puts(b, e->kind == EXPR_ARRAY ? "]" : ")");
        break;
    case EXPR_SUBSCRIPT:
    case EXPR_FIELD:
    case EXPR_COLLATE:
    case EXPR_NAMED_ARG:
        print_postfix(e, b);
        break;
    case EXPR_KIND_MAX:
        break;
    }
}

/* In parentheses if they were written, or if e binds less than `least`. */
static void print_at(const struct expr *e, enum print_prec least, struct buf *b)
{
    bool paren = e && (e->paren || print_prec(e) < least);

    if (!e) { /* among the values of a row */
        buf_puts(b, "DEFAULT");
        return;
    }
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
