/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_expr.c: expressions with words in them: CASE, LIKE, IS, FILTER, and the calls that have words
 * where others have commas. The latter become ordinary calls: extract(hour FROM t) is
 * extract('hour', t). */
#include "sql/ast_expr.h"
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
                      struct sql_token op,
                      bool negated,
                      struct expr *a,
                      struct expr *b,
                      struct expr *escape)
{
    struct expr *e = sql_expr_new(ps, EXPR_LIKE, op.pos);

    if (!e)
        return NULL;
    e->op = op.len == 5 ? OP_ILIKE : OP_LIKE;
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

struct expr *sql_filter(struct sql_parser *ps, struct expr *call, struct expr *cond)
{
    if (ps->rc < 0)
        return NULL;
    call->a = cond;
    return sql_expr_done(ps, call);
}

/* ---- calls ---- */

/* name(args), without those that are NULL. */
static struct expr *expr_call(
    struct sql_parser *ps, const char *name, uint32_t pos, struct expr *const *args, uint32_t count)
{
    struct expr *e = sql_expr_new(ps, EXPR_CALL, pos);

    if (!e)
        return NULL;
    e->name = name;
    e->args = sql_new(ps, (count + 1) * sizeof *e->args);
    if (!e->args)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        if (args[i])
            e->args[e->args_count++] = args[i];
    return sql_expr_done(ps, e);
}

static bool expr_is(struct sql_token name, const char *word)
{
    return strlen(word) == name.len && strncasecmp(name.ptr, word, name.len) == 0;
}

static struct expr *expr_text(struct sql_parser *ps, const char *text, uint32_t pos)
{
    struct expr *e = sql_expr_new(ps, EXPR_LITERAL, pos);

    if (!e)
        return NULL;
    e->value =
        (struct datum){.type = TYPE_VARCHAR, .str = {.ptr = text, .len = (uint32_t)strlen(text)}};
    return e;
}

static struct expr *expr_number(struct sql_parser *ps, int64_t v, uint32_t pos)
{
    struct expr *e = sql_expr_new(ps, EXPR_LITERAL, pos);

    if (e)
        e->value = (struct datum){.type = TYPE_INTEGER, .v = {.i64 = v}};
    return e;
}

struct expr *sql_call_from(struct sql_parser *ps,
                           struct sql_token name,
                           struct expr *a,
                           struct expr *from,
                           struct expr *count,
                           struct sql_token at)
{
    struct expr *args[3] = {a, from, count};

    if (ps->rc < 0)
        return NULL;
    if (expr_is(name, "substring")) {
        if (!from)
            args[1] = expr_number(ps, 1, name.pos);
        return expr_call(ps, "substring", name.pos, args, 3);
    }
    if (expr_is(name, "extract") && from && !count) {
        if (a->kind == EXPR_COLUMN && !a->table)
            args[0] = expr_text(ps, a->name, a->pos);
        return expr_call(ps, "extract", name.pos, args, 2);
    }
    if (expr_is(name, "trim") && from && !count) {
        args[0] = from;
        args[1] = a;
        return expr_call(ps, "btrim", name.pos, args, 2);
    }
    sql_fail(ps,
             DN_E_SYNTAX,
             at.pos,
             "syntax error at or near \"%.*s\"; expected ',' or ')'",
             (int)at.len,
             at.ptr);
    dn_err_hint(ps->err, "FROM and FOR stand in extract, substring and trim");
    return NULL;
}

struct expr *
sql_trim(struct sql_parser *ps, struct sql_token name, int side, struct expr *a, struct expr *from)
{
    struct expr *args[2] = {from, a};
    const char *call = side == TK_LEADING ? "ltrim" : side == TK_TRAILING ? "rtrim" : "btrim";

    if (ps->rc < 0)
        return NULL;
    if (!expr_is(name, "trim")) {
        sql_fail(ps, DN_E_SYNTAX, name.pos, "LEADING, TRAILING and BOTH stand in trim only");
        return NULL;
    }
    return expr_call(ps, call, name.pos, args, 2);
}

struct expr *
sql_position(struct sql_parser *ps, struct sql_token name, struct expr *part, struct expr *in)
{
    struct expr *args[2] = {in, part};

    if (ps->rc < 0)
        return NULL;
    if (!expr_is(name, "position")) {
        sql_fail(ps, DN_E_SYNTAX, in->pos, "IN takes a list in parentheses");
        return NULL;
    }
    return expr_call(ps, "strpos", name.pos, args, 2);
}

struct expr *sql_now(struct sql_parser *ps, struct sql_token tok)
{
    return expr_call(ps, "now", tok.pos, NULL, 0);
}

/* ---- intervals ---- */

/* The bytes of p as the text of an interval. */
static struct expr *interval_of(struct sql_parser *ps, uint32_t pos, const char *p, size_t len)
{
    struct expr *e = sql_expr_new(ps, EXPR_LITERAL, pos);
    struct sql_type type = {.type = TYPE_INTERVAL, .pos = pos};
    char *copy = sql_new(ps, len + 1);

    if (!e || !copy)
        return NULL;
    memcpy(copy, p, len);
    e->value = (struct datum){.type = TYPE_VARCHAR, .str = {.ptr = copy, .len = (uint32_t)len}};
    return sql_cast(ps, pos, e, type);
}

struct expr *sql_duration(struct sql_parser *ps, struct sql_token tok)
{
    return interval_of(ps, tok.pos, tok.ptr, tok.len);
}

struct expr *sql_interval_field(struct sql_parser *ps,
                                struct sql_token name,
                                struct sql_token text,
                                struct sql_token field)
{
    uint32_t len;
    const char *value = sql_string_text(ps, text, &len);
    struct expr *e = NULL;
    struct buf b;

    if (ps->rc < 0)
        return NULL;
    buf_init(&b, ps->arena->owner);
    buf_append(&b, value, len);
    buf_u8(&b, ' ');
    buf_append(&b, field.ptr, field.len);
    if (b.failed)
        sql_fail_nomem(ps);
    else
        e = interval_of(ps, name.pos, (const char *)b.data, b.len);
    buf_done(&b);
    return e;
}
