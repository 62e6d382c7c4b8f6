/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_from.c: builders of what stands in FROM, and of windows. */
#include "sql/build_query.h"

static struct from_item *from_new(struct sql_parser *ps, enum from_kind kind, uint32_t pos)
{
    struct from_item *f = sql_new(ps, sizeof *f);

    if (!f)
        return NULL;
    f->kind = kind;
    f->pos = pos;
    f->depth = 1;
    return f;
}

static struct from_item *from_depth(struct sql_parser *ps, struct from_item *f, uint32_t child)
{
    if (child >= f->depth)
        f->depth = child + 1;
    if (f->depth > SQL_QUERY_DEPTH)
        sql_fail_deep(ps, f->pos);
    return f;
}

struct from_item *sql_from(struct sql_parser *ps, const struct qual_name *name, bool only)
{
    struct from_item *f = from_new(ps, FROM_TABLE, name ? name->pos : 0);

    if (!f)
        return NULL;
    f->table = *name;
    f->only = only;
    return f;
}

struct from_item *sql_from_file(struct sql_parser *ps, struct sql_token name)
{
    struct from_item *f = from_new(ps, FROM_FILE, name.pos);
    uint32_t len;

    if (!f)
        return NULL;
    f->file = sql_string_text(ps, name, &len);
    if (ps->rc == 0 && memchr(f->file, '\0', len))
        sql_fail(ps, DN_E_BAD_NAME, name.pos, "the name of a file cannot hold a NUL");
    return f;
}

struct from_item *sql_from_query(struct sql_parser *ps, struct query *q, bool lateral)
{
    struct from_item *f = from_new(ps, FROM_QUERY, q ? q->pos : 0);

    if (!f)
        return NULL;
    f->query = q;
    f->lateral = lateral;
    return from_depth(ps, f, q->depth);
}

struct from_item *
sql_from_call(struct sql_parser *ps, struct expr *call, bool lateral, bool ordinality)
{
    struct from_item *f = from_new(ps, FROM_FUNCTION, call ? call->pos : 0);

    if (!f)
        return NULL;
    f->call = call;
    f->lateral = lateral;
    f->ordinality = ordinality;
    return from_depth(ps, f, call->depth);
}

struct from_item *sql_from_rows(
    struct sql_parser *ps, uint32_t pos, struct sql_list calls, bool lateral, bool ordinality)
{
    struct from_item *f = from_new(ps, FROM_FUNCTION, pos);
    uint32_t depth = 0;

    if (!f)
        return NULL;
    f->calls_count = (uint32_t)calls.count;
    f->calls = sql_list_take(ps, calls);
    if (!f->calls)
        return NULL;
    f->lateral = lateral;
    f->ordinality = ordinality;
    for (uint32_t i = 0; i < f->calls_count; i++)
        depth = f->calls[i]->depth > depth ? f->calls[i]->depth : depth;
    return from_depth(ps, f, depth);
}

struct from_column *
sql_from_column(struct sql_parser *ps, struct sql_token name, struct type_name *type)
{
    struct from_column *c = sql_new(ps, sizeof *c);

    if (!c)
        return NULL;
    c->name = sql_spec_name(ps, name);
    c->type = type;
    return c;
}

struct sql_alias *
sql_alias(struct sql_parser *ps, const struct sql_token *name, struct sql_list columns)
{
    struct sql_alias *a = sql_new(ps, sizeof *a);

    if (!a)
        return NULL;
    if (name) {
        a->name = sql_name(ps, *name);
        a->pos = name->pos;
    }
    a->columns_count = columns.count;
    a->columns = sql_list_take_structs(ps, columns, sizeof *a->columns);
    return a;
}

struct sql_alias *
sql_alias_defs(struct sql_parser *ps, const struct sql_token *name, struct sql_list defs)
{
    struct from_column *list = sql_list_take_structs(ps, defs, sizeof *list);
    struct sql_alias *a = sql_alias(ps, name, sql_list_none(ps));

    if (!a)
        return NULL;
    a->defs = list;
    a->defs_count = defs.count;
    return a;
}

struct from_item *
sql_from_alias(struct sql_parser *ps, struct from_item *f, const struct sql_alias *alias)
{

    if (ps->rc < 0 || !alias)
        return f;
    f->alias = alias->name;
    f->alias_pos = alias->pos;
    f->columns = alias->columns;
    f->columns_count = alias->columns_count;
    f->column_defs = alias->defs;
    f->column_defs_count = alias->defs_count;
    return f;
}

struct from_sample *
sql_sample(struct sql_parser *ps, struct sql_token method, struct sql_list args, struct expr *seed)
{
    struct expr **list = sql_list_take(ps, args);
    struct from_sample *s = sql_new(ps, sizeof *s);

    if (!s)
        return NULL;
    s->method = sql_spec_name(ps, method);
    s->args = list;
    s->args_count = args.count;
    s->seed = seed;
    return s;
}

struct from_item *
sql_from_sample(struct sql_parser *ps, struct from_item *f, struct from_sample *sample)
{
    if (ps->rc < 0 || !f || !sample)
        return f;
    f->sample = sample;
    for (uint32_t i = 0; i < sample->args_count; i++)
        if (f->depth <= sample->args[i]->depth)
            f->depth = sample->args[i]->depth + 1;
    if (sample->seed && f->depth <= sample->seed->depth)
        f->depth = sample->seed->depth + 1;
    return f;
}

struct sql_on *
sql_on(struct sql_parser *ps, struct expr *on, struct sql_list using, const struct sql_token *alias)
{
    struct sql_on *o = sql_new(ps, sizeof *o);

    if (!o)
        return NULL;
    o->on = on;
    o->using_count = using.count;
    o->using = sql_list_take_structs(ps, using, sizeof *o->using);
    o->alias = alias ? sql_name(ps, *alias) : NULL;
    return o;
}

struct from_item *sql_join(struct sql_parser *ps,
                           uint32_t pos,
                           enum join_kind kind,
                           struct from_item *left,
                           struct from_item *right,
                           const struct sql_on *on)
{
    struct from_item *f = from_new(ps, FROM_JOIN, pos);

    if (!f)
        return NULL;
    f->join = kind;
    f->left = left;
    f->right = right;
    if (on) {
        f->on = on->on;
        f->using = on->using;
        f->using_count = on->using_count;
        f->using_alias = on->alias;
        if (on->on)
            from_depth(ps, f, on->on->depth);
    }
    from_depth(ps, f, left->depth);
    return from_depth(ps, f, right->depth);
}

struct from_item *sql_natural(struct sql_parser *ps,
                              uint32_t pos,
                              enum join_kind kind,
                              struct from_item *left,
                              struct from_item *right)
{
    struct from_item *f = sql_join(ps, pos, kind, left, right, NULL);

    if (f)
        f->natural = true;
    return f;
}

/* ---- windows ---- */

struct window_def *sql_window(struct sql_parser *ps,
                              uint32_t pos,
                              struct sql_token ref,
                              struct sql_list partition_by,
                              struct sql_list order_by,
                              const struct window_def *frame)
{
    struct window_def *w = sql_new(ps, sizeof *w);

    if (!w)
        return NULL;
    if (frame)
        *w = *frame;
    w->pos = pos;
    w->ref = ref.len ? sql_name(ps, ref) : NULL;
    w->order_by_count = order_by.count;
    w->order_by = sql_list_take_structs(ps, order_by, sizeof *w->order_by);
    w->partition_by_count = partition_by.count;
    w->partition_by = sql_list_take(ps, partition_by);
    return w;
}

struct window_def *
sql_window_name(struct sql_parser *ps, struct window_def *w, struct sql_token name)
{
    if (ps->rc < 0)
        return NULL;
    w->name = sql_name(ps, name);
    w->pos = name.pos;
    return w;
}

struct sql_bound *sql_bound(struct sql_parser *ps, enum frame_bound bound, struct expr *value)
{
    struct sql_bound *b = sql_new(ps, sizeof *b);

    if (!b)
        return NULL;
    b->bound = bound;
    b->value = value;
    return b;
}

static void frame_check(struct sql_parser *ps, const struct window_def *w)
{
    const char *text = NULL;

    if (w->from == FRAME_UNBOUNDED_FOLLOWING)
        text = "frame start cannot be UNBOUNDED FOLLOWING";
    else if (w->to == FRAME_UNBOUNDED_PRECEDING)
        text = "frame end cannot be UNBOUNDED PRECEDING";
    else if (w->from == FRAME_CURRENT && w->to == FRAME_PRECEDING)
        text = "frame starting from current row cannot have preceding rows";
    else if (w->from == FRAME_FOLLOWING && w->to == FRAME_PRECEDING)
        text = "frame starting from following row cannot have preceding rows";
    else if (w->from == FRAME_FOLLOWING && w->to == FRAME_CURRENT)
        text = "frame starting from following row cannot end with current row";
    if (text)
        sql_fail(ps, DN_E_WINDOWING, w->frame_pos, "%s", text);
}

struct window_def *sql_frame(struct sql_parser *ps,
                             struct sql_word_at mode,
                             const struct sql_bound *from,
                             const struct sql_bound *to,
                             int exclude)
{
    struct window_def *w = sql_new(ps, sizeof *w);

    if (!w)
        return NULL;
    w->mode = (enum frame_mode)mode.word;
    w->frame_pos = mode.pos;
    w->from = from->bound;
    w->from_value = from->value;
    w->to = to ? to->bound : FRAME_CURRENT;
    w->to_value = to ? to->value : NULL;
    w->excluded = (enum frame_exclude)exclude;
    frame_check(ps, w);
    return w;
}
