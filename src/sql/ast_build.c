/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_build.c: memory and lists of the parser, and the nodes of expressions.
 *
 * Depth. Each node knows its height; one over SQL_DEPTH_MAX is refused, so code that walks a tree
 * may recurse. A chain of ANDs or ORs is no nesting: its n operands are kept as perfect trees of
 * falling sizes (the binary digits of n), joined from left to right, and adding one is like
 * counting up: the height stays under twice the logarithm. The shape depends on n alone, so a tree
 * that is printed flat and parsed again is the same tree. */
#include "grammar.h"
#include "sql/ast_expr.h"

#include "base/number.h"

#include <string.h>
#include <strings.h>

void *sql_new(struct sql_parser *ps, size_t size)
{
    void *p;

    if (ps->rc < 0)
        return NULL;
    p = arena_alloc(ps->arena, size);
    if (!p) {
        sql_fail_nomem(ps);
        return NULL;
    }
    memset(p, 0, size);
    return p;
}

/* Removes the quotes and halves the doubled ones. */
char *sql_name(struct sql_parser *ps, struct sql_token tok)
{
    char *name = sql_new(ps, (size_t)tok.len + 1);
    char quote = tok.ptr[0];
    uint32_t n = 0;

    if (!name)
        return NULL;
    if ((quote | 32) == 'u' && tok.len > 3 && tok.ptr[1] == '&') {
        n = sql_unicode(ps, tok, name);
        if (ps->rc == 0 && (n == 0 || memchr(name, '\0', n)))
            sql_fail(ps, DN_E_BAD_NAME, tok.pos, "a name may not be empty");
        return name;
    }
    if (quote != '"' && quote != '`') {
        memcpy(name, tok.ptr, tok.len);
        return name;
    }
    for (uint32_t i = 1; i + 1 < tok.len; i++) {
        name[n++] = tok.ptr[i];
        if (tok.ptr[i] == quote)
            i++;
    }
    return name;
}

struct spec_name sql_spec_name(struct sql_parser *ps, struct sql_token tok)
{
    struct spec_name name = {.s = sql_name(ps, tok), .pos = tok.pos};

    return name;
}

struct spec_name *sql_new_name(struct sql_parser *ps, struct sql_token tok)
{
    struct spec_name *name = sql_new(ps, sizeof *name);

    if (name)
        *name = sql_spec_name(ps, tok);
    return name;
}

uint32_t sql_chars(const char *p, const char *end)
{
    uint32_t n = 0;

    for (; p < end; p++)
        n += ((unsigned char)*p & 0xC0) != 0x80;
    return n;
}

struct sql_token sql_join_tokens(struct sql_token a, struct sql_token b)
{
    a.len = (uint32_t)(b.ptr - a.ptr) + b.len;
    return a;
}

/* ---- lists ---- */

struct sql_list sql_list_none(struct sql_parser *ps)
{
    struct sql_list list = {.start = ps->stack_len, .count = 0};

    return list;
}

struct sql_list sql_list_one(struct sql_parser *ps, void *element)
{
    return sql_list_add(ps, sql_list_none(ps), element);
}

struct sql_list sql_list_add(struct sql_parser *ps, struct sql_list list, void *element)
{
    if (ps->rc < 0)
        return list;
    if (list.count >= SQL_LIST_MAX) {
        sql_fail(
            ps, DN_E_TOO_COMPLEX, ps->lx.pos, "a list has more than %u elements", SQL_LIST_MAX);
        return list;
    }
    if (ps->stack_len == ps->stack_cap) {
        uint32_t cap = ps->stack_cap ? ps->stack_cap * 2 : 64;
        void **stack = mem_realloc(ps->arena->owner, ps->stack, cap * sizeof *stack);
        if (!stack) {
            sql_fail_nomem(ps);
            return list;
        }
        ps->stack = stack;
        ps->stack_cap = cap;
    }
    DN_ASSERT(list.start + list.count == ps->stack_len);
    ps->stack[ps->stack_len++] = element;
    list.count++;
    return list;
}

void sql_list_drop(struct sql_parser *ps, struct sql_list list)
{
    if (ps->rc < 0 || list.count == 0)
        return;
    DN_ASSERT(list.start + list.count == ps->stack_len);
    ps->stack_len = list.start;
}

struct sql_list sql_list_concat(struct sql_list a, struct sql_list b)
{
    a.count += b.count;
    return a;
}

void *sql_list_take(struct sql_parser *ps, struct sql_list list)
{
    void **array;

    if (ps->rc < 0 || list.count == 0)
        return NULL;
    DN_ASSERT(list.start + list.count == ps->stack_len);
    ps->stack_len = list.start;
    array = arena_dup(ps->arena, ps->stack + list.start, list.count * sizeof *array);
    if (!array)
        sql_fail_nomem(ps);
    return array;
}

void *sql_list_take_structs(struct sql_parser *ps, struct sql_list list, size_t size)
{
    uint8_t *array;

    if (ps->rc < 0 || list.count == 0)
        return NULL;
    DN_ASSERT(list.start + list.count == ps->stack_len);
    ps->stack_len = list.start;
    array = arena_alloc_array(ps->arena, list.count, size);
    if (!array) {
        sql_fail_nomem(ps);
        return NULL;
    }
    for (uint32_t i = 0; i < list.count; i++)
        memcpy(array + i * size, ps->stack[list.start + i], size);
    return array;
}

/* ---- expressions ---- */

struct expr *sql_expr_new(struct sql_parser *ps, enum expr_kind kind, uint32_t pos)
{
    struct expr *e = sql_new(ps, sizeof *e);

    if (e) {
        e->kind = kind;
        e->pos = pos;
        e->depth = 1;
    }
    return e;
}

static uint32_t build_depth(const struct expr *child, uint32_t depth)
{
    return child && child->depth >= depth ? child->depth + 1 : depth;
}

/* Queries, and what a call has beside its arguments. */
static uint32_t build_depth_beside(const struct expr *e, uint32_t depth)
{
    if (sql_has_query(e))
        return e->query->depth >= depth ? e->query->depth + 1 : depth;
    if (e->kind == EXPR_CALL && e->ext) {
        const struct window_def *w = e->ext->over;

        for (uint32_t i = 0; i < e->ext->order_by_count; i++)
            depth = build_depth(e->ext->order_by[i].expr, depth);
        for (uint32_t i = 0; w && i < w->partition_by_count; i++)
            depth = build_depth(w->partition_by[i], depth);
        for (uint32_t i = 0; w && i < w->order_by_count; i++)
            depth = build_depth(w->order_by[i].expr, depth);
        if (w) {
            depth = build_depth(w->from_value, depth);
            depth = build_depth(w->to_value, depth);
        }
    }
    return depth;
}

bool sql_has_query(const struct expr *e)
{
    return (e->kind == EXPR_QUERY || e->kind == EXPR_EXISTS || e->kind == EXPR_ARRAY_QUERY ||
            e->kind == EXPR_IN || e->kind == EXPR_ANY) &&
           e->query;
}

struct expr *sql_expr_done(struct sql_parser *ps, struct expr *e)
{
    uint32_t depth = 1;

    if (ps->rc < 0)
        return NULL;
    depth = build_depth(e->a, depth);
    depth = build_depth(e->b, depth);
    depth = build_depth(e->c, depth);
    for (uint32_t i = 0; i < e->args_count; i++)
        depth = build_depth(e->args[i], depth);
    depth = build_depth_beside(e, depth);
    e->depth = depth;
    if (depth > SQL_DEPTH_MAX)
        sql_fail_deep(ps, e->pos);
    sql_parens(e);
    return e;
}

struct expr *sql_unary(struct sql_parser *ps, enum expr_op op, uint32_t pos, struct expr *a)
{
    struct expr *e;

    if (ps->rc < 0)
        return NULL;
    if (op == OP_NEG && sql_negate(ps, a, pos))
        return a;
    e = sql_expr_new(ps, EXPR_UNARY, pos);
    if (!e)
        return NULL;
    e->op = op;
    e->a = a;
    return sql_expr_done(ps, e);
}

/* Operands of e as part of a chain of op. */
static uint32_t build_chain_len(const struct expr *e, enum expr_op op)
{
    return e->kind == EXPR_BINARY && e->op == op && !e->paren ? e->chain : 1;
}

static void build_join(struct expr *node, enum expr_op op, struct expr *a, struct expr *b)
{
    node->a = a;
    node->b = b;
    node->chain = build_chain_len(a, op) + build_chain_len(b, op);
    node->depth = 1 + (a->depth > b->depth ? a->depth : b->depth);
}

/* Appends `last` to the chain `all`; node is a new one for it. */
static struct expr *build_chain(struct expr *node, struct expr *all, struct expr *last)
{
    enum expr_op op = node->op;

    for (;;) {
        uint32_t all_len = build_chain_len(all, op);
        bool perfect = (all_len & (all_len - 1)) == 0;
        struct expr *tail = perfect ? all : all->b;

        if (perfect || build_chain_len(tail, op) != build_chain_len(last, op)) {
            build_join(node, op, all, last);
            return node;
        }
        /* Carry: tail and last become one tree; the node that held tail is free to join it on. */
        build_join(node, op, tail, last);
        last = node;
        node = all;
        all = all->a;
    }
}

struct expr *
sql_binary(struct sql_parser *ps, enum expr_op op, uint32_t pos, struct expr *a, struct expr *b)
{
    struct expr *e = sql_expr_new(ps, EXPR_BINARY, pos);

    if (!e)
        return NULL;
    e->op = op;
    if (op == OP_AND || op == OP_OR) {
        e = build_chain(e, a, b);
        if (e->depth > SQL_DEPTH_MAX)
            sql_fail_deep(ps, pos);
        return e;
    }
    e->a = a;
    e->b = b;
    return sql_expr_done(ps, e);
}

struct expr *sql_between(
    struct sql_parser *ps, uint32_t pos, int flags, struct expr *a, struct expr *b, struct expr *c)
{
    struct expr *e = sql_expr_new(ps, EXPR_BETWEEN, pos);

    if (!e)
        return NULL;
    e->negated = (flags & SQL_NEGATED) != 0;
    e->symmetric = (flags & SQL_SYMMETRIC) != 0;
    e->a = a;
    e->b = b;
    e->c = c;
    return sql_expr_done(ps, e);
}

struct expr *
sql_in(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct sql_list list)
{
    struct expr *e = sql_expr_new(ps, EXPR_IN, pos);

    if (!e)
        return NULL;
    e->negated = negated;
    e->a = a;
    e->args = sql_list_take(ps, list);
    e->args_count = list.count;
    return sql_expr_done(ps, e);
}

struct expr *sql_is_null(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a)
{
    struct expr *e = sql_expr_new(ps, EXPR_IS_NULL, pos);

    if (!e)
        return NULL;
    e->negated = negated;
    e->a = a;
    return sql_expr_done(ps, e);
}

struct expr *sql_cast(struct sql_parser *ps, uint32_t pos, struct expr *a, struct type_name *type)
{
    struct expr *e = sql_expr_new(ps, EXPR_CAST, pos);

    if (!e)
        return NULL;
    e->a = a;
    e->type = type->type;
    e->type_name = type;
    return sql_expr_done(ps, e);
}

struct expr *sql_column(struct sql_parser *ps,
                        const struct sql_token *schema,
                        const struct sql_token *table,
                        struct sql_token name)
{
    const char *call = table ? NULL : sql_value_call(name.ptr, name.len);
    struct expr *e;

    if (call)
        return sql_call_none(ps, call, name.pos);
    e = sql_expr_new(ps, EXPR_COLUMN, schema ? schema->pos : table ? table->pos : name.pos);
    if (!e)
        return NULL;
    e->schema = schema ? sql_name(ps, *schema) : NULL;
    e->table = table ? sql_name(ps, *table) : NULL;
    e->name = sql_name(ps, name);
    return e;
}

struct expr *sql_star(struct sql_parser *ps,
                      const struct sql_token *schema,
                      const struct sql_token *table,
                      uint32_t pos)
{
    struct expr *e = sql_expr_new(ps, EXPR_STAR, pos);

    if (!e)
        return NULL;
    e->schema = schema ? sql_name(ps, *schema) : NULL;
    e->table = table ? sql_name(ps, *table) : NULL;
    return e;
}

struct expr *sql_param(struct sql_parser *ps, struct sql_token tok)
{
    struct expr *e = sql_expr_new(ps, EXPR_PARAM, tok.pos);
    uint64_t number = 0;

    if (!e)
        return NULL;
    if (tok.ptr[0] == '?') {
        ps->params_question = true;
        number = ps->params_count + 1;
    } else {
        ps->params_dollar = true;
        DN_IGNORE(number_digits(tok.ptr + 1, tok.len - 1, &number));
    }
    if (ps->params_question && ps->params_dollar) {
        sql_fail(ps,
                 DN_E_SYNTAX,
                 tok.pos,
                 "parameters are either ? or $1, $2, …, not both in one statement");
        return NULL;
    }
    if (number == 0 || number > SQL_PARAMS_MAX) {
        sql_fail(ps, DN_E_SYNTAX, tok.pos, "parameters are numbered from 1 to %u", SQL_PARAMS_MAX);
        return NULL;
    }
    e->param = (uint32_t)number;
    if (e->param > ps->params_count)
        ps->params_count = e->param;
    return e;
}

struct expr *sql_paren(struct expr *e)
{
    if (e)
        e->paren = true;
    return e;
}
