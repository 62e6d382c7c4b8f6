/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_expr.c: expressions with words in them (CASE, LIKE, IS, ANY), rows, arrays, operators by
 * symbol, intervals. */
#include "sql/ast_expr.h"
#include "base/text.h"
#include "grammar.h"

#include "base/bytes.h"

#include <string.h>
#include <strings.h>

struct expr *sql_case(struct sql_parser *ps,
                      uint32_t pos,
                      struct expr *operand,
                      struct sql_list whens,
                      struct expr *otherwise)
{
    struct expr *e = sql_expr_new(ps, EXPR_CASE, pos);

    if (!e)
        return NULL;
    e->a = operand;
    e->b = otherwise;
    e->args = sql_list_take(ps, whens);
    e->args_count = whens.count;
    return sql_expr_done(ps, e);
}

struct expr *sql_like(struct sql_parser *ps,
                      const struct sql_op *op,
                      bool negated,
                      struct expr *a,
                      struct expr *b,
                      struct expr *escape)
{
    struct expr *e = sql_expr_new(ps, EXPR_LIKE, op ? op->tok.pos : 0);

    if (!e)
        return NULL;
    e->op = op->op;
    e->negated = negated;
    e->a = a;
    e->b = b;
    e->c = escape;
    return sql_expr_done(ps, e);
}

struct expr *
sql_is(struct sql_parser *ps, uint32_t pos, enum expr_op op, bool negated, struct expr *a)
{
    struct expr *e = sql_expr_new(ps, EXPR_IS, pos);

    if (!e)
        return NULL;
    e->op = op;
    e->negated = negated;
    e->a = a;
    return sql_expr_done(ps, e);
}

struct expr *
sql_distinct(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct expr *b)
{
    struct expr *e = sql_expr_new(ps, EXPR_DISTINCT, pos);

    if (!e)
        return NULL;
    e->negated = negated;
    e->a = a;
    e->b = b;
    return sql_expr_done(ps, e);
}

/* ---- queries, rows, arrays ---- */

struct expr *
sql_query_expr(struct sql_parser *ps, enum expr_kind kind, uint32_t pos, struct query *q)
{
    struct expr *e = sql_expr_new(ps, kind, pos);

    if (!e)
        return NULL;
    e->query = q;
    return sql_expr_done(ps, e);
}

struct expr *
sql_in_query(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct query *q)
{
    struct expr *e = sql_expr_new(ps, EXPR_IN, pos);

    if (!e)
        return NULL;
    e->negated = negated;
    e->a = a;
    e->query = q;
    return sql_expr_done(ps, e);
}

/* Is it ~~, ~~*, !~~ or !~~*: LIKE, ILIKE and NOT? */
static bool sql_is_like(struct sql_token symbol)
{
    static const char *const symbols[] = {"~~", "~~*", "!~~", "!~~*"};

    for (size_t i = 0; i < DN_ARRAY_SIZE(symbols); i++)
        if (strlen(symbols[i]) == symbol.len && memcmp(symbols[i], symbol.ptr, symbol.len) == 0)
            return true;
    return false;
}

struct expr *sql_any(struct sql_parser *ps,
                     const struct sql_op *op,
                     int flags,
                     struct expr *a,
                     struct expr *b,
                     struct query *q)
{
    struct expr *e = sql_expr_new(ps, EXPR_ANY, op ? op->tok.pos : 0);

    if (!e)
        return NULL;
    e->op = op->op;
    e->negated = (flags & SQL_NEGATED) != 0;
    if (op->op == OP_OTHER && sql_is_like(op->tok)) {
        e->op = op->tok.ptr[op->tok.len - 1] == '*' ? OP_ILIKE : OP_LIKE;
        e->negated = op->tok.ptr[0] == '!';
    }
    if (e->op == OP_OTHER || e->op == OP_SIMILAR) {
        sql_fail(ps,
                 DN_E_UNSUPPORTED,
                 op->tok.pos,
                 "the operator %.*s with ANY or ALL is not supported",
                 (int)op->tok.len,
                 op->tok.ptr);
        return NULL;
    }
    e->all = (flags & SQL_ALL) != 0;
    e->a = a;
    e->b = b;
    e->query = q;
    return sql_expr_done(ps, e);
}

struct expr *sql_row(struct sql_parser *ps, uint32_t pos, bool word, struct sql_list values)
{
    struct expr *e = sql_expr_new(ps, EXPR_ROW, pos);

    if (!e)
        return NULL;
    e->row_word = word;
    e->args = sql_list_take(ps, values);
    e->args_count = values.count;
    for (uint32_t i = 0; ps->rc == 0 && i < values.count; i++)
        if (!e->args[i] && ps->row_default == 0)
            ps->row_default = pos;
    return ps->rc < 0 ? NULL : sql_expr_done(ps, e);
}

struct expr *sql_array(struct sql_parser *ps, uint32_t pos, struct sql_list values)
{
    struct expr *e = sql_expr_new(ps, EXPR_ARRAY, pos);

    if (!e)
        return NULL;
    e->args = sql_list_take(ps, values);
    e->args_count = values.count;
    return ps->rc < 0 ? NULL : sql_expr_done(ps, e);
}

struct expr *sql_subscript(
    struct sql_parser *ps, uint32_t pos, struct expr *a, struct expr *b, struct expr *c, bool slice)
{
    struct expr *e = sql_expr_new(ps, EXPR_SUBSCRIPT, pos);

    if (!e)
        return NULL;
    e->a = a;
    e->b = b;
    e->c = c;
    e->slice = slice;
    return sql_expr_done(ps, e);
}

struct expr *sql_field(struct sql_parser *ps, struct expr *a, struct sql_token name)
{
    struct expr *e = sql_expr_new(ps, EXPR_FIELD, name.pos);

    if (!e)
        return NULL;
    e->a = a;
    e->name = sql_name(ps, name);
    return sql_expr_done(ps, e);
}

struct expr *sql_field_star(struct sql_parser *ps, struct expr *a, uint32_t pos)
{
    struct expr *e = sql_star(ps, NULL, NULL, pos);

    if (!e)
        return NULL;
    e->a = a;
    return sql_expr_done(ps, e);
}

struct expr *
sql_collate(struct sql_parser *ps, uint32_t pos, struct expr *a, const struct qual_name *name)
{
    struct expr *e = sql_expr_new(ps, EXPR_COLLATE, pos);

    if (!e)
        return NULL;
    e->a = a;
    e->name = name->name;
    e->schema = name->schema;
    return sql_expr_done(ps, e);
}

/* ---- operators by their symbol ---- */

static const struct {
    const char *symbol;
    enum expr_op infix;
    enum expr_op prefix;
} expr_symbols[] = {
    {"+", OP_ADD, OP_POS},          {"-", OP_SUB, OP_NEG},
    {"*", OP_MUL, OP_OTHER},        {"/", OP_DIV, OP_OTHER},
    {"%", OP_MOD, OP_OTHER},        {"^", OP_POWER, OP_OTHER},
    {"=", OP_EQ, OP_OTHER},         {"==", OP_EQ, OP_OTHER},
    {"<>", OP_NE, OP_OTHER},        {"!=", OP_NE, OP_OTHER},
    {"<", OP_LT, OP_OTHER},         {"<=", OP_LE, OP_OTHER},
    {">", OP_GT, OP_OTHER},         {">=", OP_GE, OP_OTHER},
    {"||", OP_CONCAT, OP_OTHER},    {"&", OP_BIT_AND, OP_OTHER},
    {"|", OP_BIT_OR, OP_OTHER},     {"#", OP_BIT_XOR, OP_OTHER},
    {"<<", OP_BIT_LEFT, OP_OTHER},  {">>", OP_BIT_RIGHT, OP_OTHER},
    {"~", OP_REGEX, OP_BIT_NOT},    {"~*", OP_REGEX_I, OP_OTHER},
    {"!~", OP_NOT_REGEX, OP_OTHER}, {"!~*", OP_NOT_REGEX_I, OP_OTHER},
    {"@>", OP_CONTAINS, OP_OTHER},  {"<@", OP_CONTAINED, OP_OTHER},
    {"&&", OP_OVERLAP, OP_OTHER},   {"^@", OP_STARTS, OP_OTHER},
    {"|/", OP_OTHER, OP_SQRT},      {"||/", OP_OTHER, OP_CBRT},
    {"@", OP_OTHER, OP_ABS},
};

enum expr_op sql_symbol(struct sql_token tok, bool prefix)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(expr_symbols); i++)
        if (strlen(expr_symbols[i].symbol) == tok.len &&
            memcmp(expr_symbols[i].symbol, tok.ptr, tok.len) == 0)
            return prefix ? expr_symbols[i].prefix : expr_symbols[i].infix;
    return OP_OTHER;
}

struct sql_op *sql_op(struct sql_parser *ps, enum expr_op op, struct sql_token tok)
{
    struct sql_op *o = sql_new(ps, sizeof *o);

    if (!o)
        return NULL;
    o->op = op;
    o->tok = tok;
    return o;
}

static struct expr *
sql_like_symbol(struct sql_parser *ps, struct sql_token symbol, struct expr *a, struct expr *b)
{
    bool negated = symbol.ptr[0] == '!';
    bool fold = symbol.ptr[symbol.len - 1] == '*';
    struct sql_op op = {.op = fold ? OP_ILIKE : OP_LIKE, .tok = symbol};

    return sql_like(ps, &op, negated, a, b, NULL);
}

struct expr *sql_operator(struct sql_parser *ps,
                          const struct sql_token *schema,
                          struct sql_token symbol,
                          struct expr *a,
                          struct expr *b)
{
    bool known = !schema || (schema->len == 10 && strncasecmp(schema->ptr, "pg_catalog", 10) == 0);
    enum expr_op op = known ? sql_symbol(symbol, !a) : OP_OTHER;
    struct expr *e;

    if (known && a && sql_is_like(symbol))
        return sql_like_symbol(ps, symbol, a, b);
    e = a ? sql_binary(ps, op, symbol.pos, a, b) : sql_unary(ps, op, symbol.pos, b);
    if (!e || op != OP_OTHER)
        return e;
    e->name = sql_name(ps, symbol);
    e->schema = schema ? sql_name(ps, *schema) : NULL;
    return e;
}

/* ---- intervals ---- */

/* The bytes of p as the text of an interval. */
static struct expr *interval_of(struct sql_parser *ps, uint32_t pos, const char *p, size_t len)
{
    struct expr *e = sql_expr_new(ps, EXPR_LITERAL, pos);
    struct type_name *type = sql_type_interval(ps, pos);
    char *copy = sql_new(ps, len + 1);

    if (!e || !copy || !type)
        return NULL;
    memcpy(copy, p, len);
    e->value = (struct datum){.type = TYPE_VARCHAR, .str = {.ptr = copy, .len = (uint32_t)len}};
    return sql_cast(ps, pos, e, type);
}

struct expr *sql_duration(struct sql_parser *ps, struct sql_token tok)
{
    return interval_of(ps, tok.pos, tok.ptr, tok.len);
}

/* A number alone: then the unit is its unit. */
static bool interval_is_number(const char *text, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++)
        if (!text_one_of(text[i], "0123456789.+- ") || (i > 0 && text[i] == '-'))
            return false;
    return len > 0;
}

struct expr *sql_interval_field(struct sql_parser *ps,
                                struct sql_token name,
                                struct sql_token text,
                                const struct sql_fields *f)
{
    uint32_t len;
    const char *value = sql_string_text(ps, text, &len);
    struct expr *e = NULL;
    struct buf b;

    if (ps->rc < 0)
        return NULL;
    if (f->from.ptr != f->to.ptr || f->precision || !interval_is_number(value, len)) {
        e = interval_of(ps, name.pos, value, len);
        if (e)
            sql_type_fields(ps, e->type_name, f);
        return e;
    }
    buf_init(&b, ps->arena->owner);
    buf_append(&b, value, len);
    buf_u8(&b, ' ');
    buf_append(&b, f->from.ptr, f->from.len);
    if (b.failed)
        sql_fail_nomem(ps);
    else
        e = interval_of(ps, name.pos, (const char *)b.data, b.len);
    buf_done(&b);
    if (e)
        sql_type_fields(ps, e->type_name, f);
    return e;
}
