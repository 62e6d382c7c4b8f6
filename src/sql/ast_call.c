/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_call.c: builders of calls. Those that have words where others have commas become ordinary
 * calls: extract(hour FROM t) is extract('hour', t). ast_node.h lists them. */
#include "grammar.h"
#include "sql/ast_expr.h"

#include <string.h>
#include <strings.h>

/* ---- words that are calls ---- */

static const struct {
    const char *word;
    const char *call;
} call_values[] = {
    {"current_catalog", "current_catalog"},
    {"current_date", "current_date"},
    {"current_role", "current_role"},
    {"current_schema", "current_schema"},
    {"current_time", "current_time"},
    {"current_timestamp", "now"},
    {"current_user", "current_user"},
    {"localtime", "localtime"},
    {"localtimestamp", "localtimestamp"},
    {"session_user", "session_user"},
};

const char *sql_value_call(const char *word, size_t len)
{
    for (size_t i = 0; i < DN_ARRAY_SIZE(call_values); i++)
        if (strlen(call_values[i].word) == len && strncasecmp(call_values[i].word, word, len) == 0)
            return call_values[i].call;
    return NULL;
}

/* name(args), without those that are NULL. */
static struct expr *call_make(
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

struct expr *sql_call_none(struct sql_parser *ps, const char *name, uint32_t pos)
{
    return call_make(ps, name, pos, NULL, 0);
}

/* ---- name(…) ---- */

struct sql_func *
sql_func(struct sql_parser *ps, const struct sql_token *schema, struct sql_token name)
{
    struct sql_func *f = sql_new(ps, sizeof *f);

    if (!f)
        return NULL;
    if (schema)
        f->schema = *schema;
    f->name = name;
    return f;
}

static bool call_is(const struct sql_func *f, const char *word)
{
    return strlen(word) == f->name.len && strncasecmp(f->name.ptr, word, f->name.len) == 0;
}

static struct call_ext *call_ext(struct sql_parser *ps, struct expr *e)
{
    if (ps->rc == 0 && !e->ext)
        e->ext = sql_new(ps, sizeof *e->ext);
    return ps->rc < 0 ? NULL : e->ext;
}

static void call_order(struct sql_parser *ps, struct expr *e, struct sql_list order_by)
{
    struct order_item *list = sql_list_take_structs(ps, order_by, sizeof *list);
    struct call_ext *x = order_by.count > 0 ? call_ext(ps, e) : NULL;

    if (!x)
        return;
    x->order_by = list;
    x->order_by_count = order_by.count;
}

/* normalize(a, NFC): the form is a word, not a column. */
static void call_normalize(struct sql_parser *ps, struct expr *e)
{
    static const char *const forms[] = {"NFC", "NFD", "NFKC", "NFKD"};
    const struct expr *form = e->args_count == 2 ? e->args[1] : NULL;

    if (!form || form->kind != EXPR_COLUMN || form->table || strcasecmp(e->name, "normalize") != 0)
        return;
    for (size_t i = 0; i < DN_ARRAY_SIZE(forms); i++)
        if (strcasecmp(forms[i], form->name) == 0)
            e->args[1] = sql_text_literal(ps, forms[i], form->pos);
}

/* position(a IN (b)::text || c) was read as the list (b), and operators behind it: the IN that is
 * leftmost within. NULL: there is none. */
static struct expr **call_leftmost_in(struct expr **e)
{
    while (((*e)->kind == EXPR_CAST || (*e)->kind == EXPR_BINARY) && !(*e)->paren)
        e = &(*e)->a;
    return (*e)->kind == EXPR_IN && !(*e)->negated && !(*e)->paren &&
                   ((*e)->query || (*e)->args_count == 1)
               ? e
               : NULL;
}

struct expr *sql_call(struct sql_parser *ps,
                      const struct sql_func *f,
                      struct sql_list args,
                      int flags,
                      struct sql_list order_by)
{
    struct expr *e = sql_expr_new(ps, EXPR_CALL, f ? f->name.pos : 0);
    const char *value;

    if (!e)
        return NULL;
    call_order(ps, e, order_by);
    value = f->schema.len ? NULL : sql_value_call(f->name.ptr, f->name.len);
    e->schema = f->schema.len ? sql_name(ps, f->schema) : NULL;
    e->name = value ? value : sql_name(ps, f->name);
    if (value && args.count > 0 && strcmp(value, "now") == 0)
        e->name = "current_timestamp"; /* (3): a function of its own */
    if (f->schema.len)
        e->pos = f->schema.pos;
    e->star = (flags & SQL_CALL_STAR) != 0;
    e->distinct = (flags & SQL_CALL_DISTINCT) != 0;
    e->args = sql_list_take(ps, args);
    e->args_count = args.count;
    if (ps->rc < 0)
        return NULL;
    if (args.count == 1 && call_is(f, "position")) {
        struct expr **in = call_leftmost_in(&e->args[0]);
        struct expr *part = in ? (*in)->a : NULL;

        if (in && (*in)->query) /* position(a IN (q)) */
            *in = sql_query_expr(ps, EXPR_QUERY, (*in)->pos, (*in)->query);
        else if (in) /* position(a IN (b)) */
            *in = (*in)->args[0];
        if (in)
            return sql_position(ps, f, part, e->args[0]);
    }
    call_normalize(ps, e);
    return ps->rc < 0 ? NULL : sql_expr_done(ps, e);
}

struct expr *sql_call_variadic(struct sql_parser *ps,
                               const struct sql_func *f,
                               struct sql_list args,
                               struct expr *last,
                               struct sql_list order_by)
{
    struct order_item *order = sql_list_take_structs(ps, order_by, sizeof *order);
    struct expr *e = sql_call(ps, f, sql_list_add(ps, args, last), 0, sql_list_none(ps));
    struct call_ext *x = e ? call_ext(ps, e) : NULL;

    if (!x)
        return NULL;
    x->variadic = true;
    x->order_by = order;
    x->order_by_count = order_by.count;
    return sql_expr_done(ps, e);
}

struct expr *sql_named_arg(struct sql_parser *ps, struct sql_token name, struct expr *value)
{
    struct expr *e = sql_expr_new(ps, EXPR_NAMED_ARG, name.pos);

    if (!e)
        return NULL;
    e->name = sql_name(ps, name);
    e->a = value;
    return sql_expr_done(ps, e);
}

/* ---- what follows a call ---- */

struct sql_over *sql_over(struct sql_parser *ps, uint32_t pos, struct window_def *window)
{
    struct sql_over *o = sql_new(ps, sizeof *o);

    if (!o)
        return NULL;
    o->window = window;
    o->pos = pos;
    return o;
}

struct sql_over *sql_over_name(struct sql_parser *ps, uint32_t pos, struct sql_token name)
{
    struct window_def *w = sql_new(ps, sizeof *w);

    if (!w)
        return NULL;
    w->ref = sql_name(ps, name);
    w->bare = true;
    w->pos = name.pos;
    return sql_over(ps, pos, w);
}

struct expr *sql_call_tail(struct sql_parser *ps,
                           struct expr *call,
                           struct sql_list within,
                           struct expr *filter,
                           const struct sql_over *over)
{
    struct call_ext *x;

    if (ps->rc < 0)
        return NULL;
    if (within.count == 0 && !filter && !over)
        return call;
    if (within.count > 0 && call->ext && call->ext->order_by_count > 0) {
        sql_fail(
            ps, DN_E_SYNTAX, call->pos, "cannot use multiple ORDER BY clauses with WITHIN GROUP");
        return NULL;
    }
    if (within.count > 0 && call->distinct) {
        sql_fail(ps, DN_E_SYNTAX, call->pos, "cannot use DISTINCT with WITHIN GROUP");
        return NULL;
    }
    call_order(ps, call, within);
    x = within.count > 0 || over ? call_ext(ps, call) : NULL;
    if (x && within.count > 0)
        x->within_group = true;
    if (x && over) {
        x->over = over->window;
        x->over_pos = over->pos;
    }
    if (ps->rc < 0)
        return NULL;
    call->a = filter;
    return sql_expr_done(ps, call);
}

/* ---- words between the arguments ---- */

struct expr *sql_text_literal(struct sql_parser *ps, const char *text, uint32_t pos)
{
    struct expr *e = sql_expr_new(ps, EXPR_LITERAL, pos);

    if (!e)
        return NULL;
    e->value =
        (struct datum){.type = TYPE_VARCHAR, .str = {.ptr = text, .len = (uint32_t)strlen(text)}};
    return e;
}

static struct expr *call_number(struct sql_parser *ps, int64_t v, uint32_t pos)
{
    struct expr *e = sql_expr_new(ps, EXPR_LITERAL, pos);

    if (e)
        e->value = (struct datum){.type = TYPE_INTEGER, .v = {.i64 = v}};
    return e;
}

static struct expr *call_unexpected(struct sql_parser *ps, struct sql_token at)
{
    sql_fail(ps,
             DN_E_SYNTAX,
             at.pos,
             "syntax error at or near \"%.*s\"; expected ',' or ')'",
             (int)at.len,
             at.ptr);
    dn_err_hint(ps->err, "FROM and FOR stand in extract, substring, overlay and trim");
    return NULL;
}

struct expr *sql_call_from(struct sql_parser *ps,
                           const struct sql_func *f,
                           struct expr *a,
                           struct expr *from,
                           struct expr *count,
                           struct sql_token at)
{
    struct expr *args[3] = {a, from, count};

    if (ps->rc < 0)
        return NULL;
    if (call_is(f, "substring")) {
        if (!from)
            args[1] = call_number(ps, 1, f->name.pos);
        return call_make(ps, "substring", f->name.pos, args, 3);
    }
    if (call_is(f, "extract") && from && !count) {
        if (a->kind == EXPR_COLUMN && !a->table)
            args[0] = sql_text_literal(ps, a->name, a->pos);
        return call_make(ps, "extract", f->name.pos, args, 2);
    }
    if (call_is(f, "trim") && from && !count) {
        args[0] = from;
        args[1] = a;
        return call_make(ps, "btrim", f->name.pos, args, 2);
    }
    return call_unexpected(ps, at);
}

struct expr *sql_substring_similar(struct sql_parser *ps,
                                   const struct sql_func *f,
                                   struct expr *a,
                                   struct expr *pattern,
                                   struct expr *escape)
{
    struct expr *args[3] = {a, pattern, escape};

    if (ps->rc < 0)
        return NULL;
    if (!call_is(f, "substring"))
        return call_unexpected(ps, f->name);
    return call_make(ps, "substring", f->name.pos, args, 3);
}

struct expr *sql_overlay(struct sql_parser *ps,
                         const struct sql_func *f,
                         struct expr *a,
                         struct expr *placing,
                         struct expr *from,
                         struct expr *count)
{
    struct expr *args[4] = {a, placing, from, count};

    if (ps->rc < 0)
        return NULL;
    if (!call_is(f, "overlay"))
        return call_unexpected(ps, f->name);
    return call_make(ps, "overlay", f->name.pos, args, 4);
}

struct expr *sql_trim(
    struct sql_parser *ps, const struct sql_func *f, int side, struct expr *a, struct expr *from)
{
    struct expr *args[2] = {from, a};
    const char *call = side == TK_LEADING ? "ltrim" : side == TK_TRAILING ? "rtrim" : "btrim";

    if (ps->rc < 0)
        return NULL;
    if (!call_is(f, "trim")) {
        sql_fail(ps, DN_E_SYNTAX, f->name.pos, "LEADING, TRAILING and BOTH stand in trim only");
        return NULL;
    }
    return call_make(ps, call, f->name.pos, args, 2);
}

struct expr *
sql_position(struct sql_parser *ps, const struct sql_func *f, struct expr *part, struct expr *in)
{
    struct expr *args[2] = {in, part};

    if (ps->rc < 0)
        return NULL;
    if (!call_is(f, "position")) {
        sql_fail(ps, DN_E_SYNTAX, in->pos, "IN takes a list in parentheses");
        return NULL;
    }
    return call_make(ps, "strpos", f->name.pos, args, 2);
}

struct expr *sql_at_zone(struct sql_parser *ps, uint32_t pos, struct expr *a, struct expr *zone)
{
    struct expr *args[2] = {zone, a};

    return call_make(ps, "timezone", pos, args, 2);
}

struct expr *sql_overlaps(struct sql_parser *ps, uint32_t pos, struct expr *a, struct expr *b)
{
    struct expr *args[4];

    if (ps->rc < 0)
        return NULL;
    if (a->kind != EXPR_ROW || a->args_count != 2 || b->kind != EXPR_ROW || b->args_count != 2) {
        bool left = a->kind != EXPR_ROW || a->args_count != 2;

        sql_fail(ps,
                 DN_E_SYNTAX,
                 left ? a->pos : b->pos,
                 "wrong number of parameters on %s side of OVERLAPS expression",
                 left ? "left" : "right");
        return NULL;
    }
    args[0] = a->args[0];
    args[1] = a->args[1];
    args[2] = b->args[0];
    args[3] = b->args[1];
    return call_make(ps, "overlaps", pos, args, 4);
}

struct expr *sql_normalized(
    struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct sql_token form)
{
    struct expr *args[2] = {a, NULL};
    struct expr *e;

    if (form.len)
        args[1] = sql_text_literal(ps, sql_name(ps, form), form.pos);
    e = call_make(ps, "is_normalized", pos, args, 2);
    return negated ? sql_unary(ps, OP_NOT, pos, e) : e;
}
