/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_dump.c: trees as text. Each function writes its node and returns its height. */
#include "ast_dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct dump {
    struct buf *b;
    bool sound;
};

static uint32_t dump_expr(struct dump *d, const struct expr *e);
static uint32_t dump_query(struct dump *d, const struct query *q);
static void dump_stmt(struct dump *d, const struct stmt *s);

static uint32_t higher(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static void check(struct dump *d, bool fact)
{
    d->sound = d->sound && fact;
}

static void str(struct dump *d, const char *label, const char *s)
{
    if (s)
        buf_printf(d->b, " %s'%s'", label, s);
}

static void num(struct dump *d, const char *label, int64_t v)
{
    if (v)
        buf_printf(d->b, " %s%" PRId64, label, v);
}

static void qual(struct dump *d, const char *label, const struct qual_name *q)
{
    str(d, label, q->name);
    str(d, "in", q->schema);
}

static void names(struct dump *d, const char *label, const struct spec_name *list, size_t count)
{
    check(d, !list == (count == 0));
    if (count > 0)
        buf_printf(d->b, " %s(", label);
    for (size_t i = 0; i < count; i++)
        str(d, "", list[i].s);
    if (count > 0)
        buf_puts(d->b, ")");
}

static void options(struct dump *d, const struct option_spec *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_puts(d->b, " {");
        str(d, "", list[i].name.s);
        str(d, "=", list[i].value);
        num(d, "quoted", list[i].quoted);
        buf_puts(d->b, "}");
    }
}

static uint32_t opt(struct dump *d, const char *label, const struct expr *e)
{
    if (!e)
        return 0;
    buf_printf(d->b, " %s:", label);
    return dump_expr(d, e);
}

static uint32_t exprs(struct dump *d, const char *label, struct expr *const *list, uint32_t count)
{
    uint32_t height = 0;

    check(d, !list == (count == 0) || count == 0);
    for (uint32_t i = 0; i < count; i++)
        height = higher(height, opt(d, label, list[i]));
    return height;
}

static uint32_t
orders(struct dump *d, const char *label, const struct order_item *list, uint32_t count)
{
    uint32_t height = 0;

    for (uint32_t i = 0; i < count; i++) {
        height = higher(height, opt(d, label, list[i].expr));
        num(d, "desc", list[i].desc);
        num(d, "nulls", (int64_t)list[i].nulls);
        str(d, "using", list[i].using_op);
    }
    return height;
}

static uint32_t window(struct dump *d, const struct window_def *w)
{
    uint32_t height;

    buf_puts(d->b, " [window");
    str(d, "", w->name);
    str(d, "ref", w->ref);
    num(d, "bare", w->bare);
    height = exprs(d, "by", w->partition_by, w->partition_by_count);
    height = higher(height, orders(d, "order", w->order_by, w->order_by_count));
    if (w->mode != FRAME_NONE) {
        buf_printf(d->b, " frame%d %d..%d x%d", w->mode, w->from, w->to, w->excluded);
        check(d, !w->from_value == (w->from != FRAME_PRECEDING && w->from != FRAME_FOLLOWING));
        check(d, !w->to_value == (w->to != FRAME_PRECEDING && w->to != FRAME_FOLLOWING));
        height = higher(height, opt(d, "from", w->from_value));
        height = higher(height, opt(d, "to", w->to_value));
    }
    buf_puts(d->b, "]");
    return height;
}

static void type(struct dump *d, const struct type_name *t)
{
    check(d, t->name && t->name[0]);
    buf_printf(d->b, " type:%s", t->type == TYPE_NONE ? t->name : type_name(t->type));
    for (uint32_t i = 0; i < t->mods_count && !type_is_timestamp(t->type); i++)
        buf_printf(d->b, ",%" PRId32, t->mods[i]);
    num(d, "dims", t->dims);
    str(d, "from", t->field_from);
    str(d, "to", t->field_to);
}

/* ---- expressions ---- */

static void literal(struct dump *d, const struct expr *e)
{
    const struct datum *v = &e->value;
    bool minus = e->text && e->text[0] == '-';

    if (v->null || v->type == TYPE_NONE)
        buf_puts(d->b, "null");
    else if (type_is_int(v->type))
        buf_printf(d->b, "%s%" PRId64, v->v.i64 == 0 && minus ? "-" : "", v->v.i64);
    else if (v->type == TYPE_BOOLEAN)
        buf_puts(d->b, v->v.i64 ? "true" : "false");
    else if (v->type == TYPE_DOUBLE || v->type == TYPE_NUMERIC)
        buf_printf(d->b, "%s%s", e->text, e->big ? "!" : "");
    else
        buf_printf(d->b,
                   "%s'%.*s'",
                   e->bits                   ? "B"
                   : v->type == TYPE_VARCHAR ? ""
                                             : "X",
                   (int)v->str.len,
                   v->str.ptr);
}

static void operator_name(struct dump *d, const struct expr *e)
{
    static const char *const words[OP_MAX] = {
        [OP_ADD] = "+",        [OP_SUB] = "-",          [OP_MUL] = "*",
        [OP_DIV] = "/",        [OP_MOD] = "%",          [OP_EQ] = "=",
        [OP_NE] = "<>",        [OP_LT] = "<",           [OP_LE] = "<=",
        [OP_GT] = ">",         [OP_GE] = ">=",          [OP_AND] = "and",
        [OP_OR] = "or",        [OP_NOT] = "not",        [OP_NEG] = "neg",
        [OP_POS] = "pos",      [OP_CONCAT] = "||",      [OP_BIT_AND] = "&",
        [OP_BIT_OR] = "|",     [OP_BIT_XOR] = "#",      [OP_BIT_LEFT] = "<<",
        [OP_BIT_RIGHT] = ">>", [OP_BIT_NOT] = "bitnot", [OP_POWER] = "^",
        [OP_LIKE] = "like",    [OP_ILIKE] = "ilike",    [OP_SIMILAR] = "similar",
        [OP_IS_TRUE] = "true", [OP_IS_FALSE] = "false", [OP_IS_UNKNOWN] = "unknown",
        [OP_REGEX] = "~",      [OP_REGEX_I] = "~*",     [OP_NOT_REGEX] = "!~",
        [OP_CONTAINS] = "@>",  [OP_CONTAINED] = "<@",   [OP_OVERLAP] = "&&",
        [OP_STARTS] = "^@",    [OP_SQRT] = "|/",        [OP_CBRT] = "||/",
        [OP_ABS] = "@",        [OP_OTHER] = "op",       [OP_NOT_REGEX_I] = "!~*",
    };

    check(d, e->op < OP_MAX && words[e->op]);
    buf_puts(d->b, words[e->op]);
    if (e->op == OP_OTHER && e->kind != EXPR_ANY) {
        str(d, "", e->name);
        str(d, "in", e->schema);
    }
}

static bool chain_sound(const struct expr *e)
{
    const struct expr *kids[2] = {e->a, e->b};
    uint32_t below = 0;

    for (int i = 0; i < 2; i++)
        below += kids[i]->kind == EXPR_BINARY && kids[i]->op == e->op && !kids[i]->paren
                     ? kids[i]->chain
                     : 1;
    return e->chain == below;
}

static uint32_t call(struct dump *d, const struct expr *e)
{
    uint32_t height = 0;

    check(d, e->name && e->name[0]);
    buf_puts(d->b, e->name);
    str(d, "in", e->schema);
    num(d, "star", e->star);
    num(d, "distinct", e->distinct);
    if (e->ext) {
        num(d, "variadic", e->ext->variadic);
        num(d, "within", e->ext->within_group);
        height = orders(d, "order", e->ext->order_by, e->ext->order_by_count);
        if (e->ext->over)
            height = higher(height, window(d, e->ext->over));
    }
    return height;
}

/* What belongs to the kind alone; the height of what is beside a, b, c and args. */
static uint32_t kind(struct dump *d, const struct expr *e)
{
    static const char *const words[EXPR_KIND_MAX] = {
        [EXPR_BETWEEN] = "between",
        [EXPR_IN] = "in",
        [EXPR_IS_NULL] = "isnull",
        [EXPR_CAST] = "cast",
        [EXPR_CASE] = "case",
        [EXPR_DISTINCT] = "distinct",
        [EXPR_QUERY] = "query",
        [EXPR_EXISTS] = "exists",
        [EXPR_ROW] = "row",
        [EXPR_ARRAY] = "array",
        [EXPR_ARRAY_QUERY] = "array",
        [EXPR_SUBSCRIPT] = "at",
        [EXPR_FIELD] = "field",
        [EXPR_COLLATE] = "collate",
        [EXPR_NAMED_ARG] = "named",
        [EXPR_ANY] = "any ",
        [EXPR_IS] = "is ",
    };

    if (e->kind < EXPR_KIND_MAX && words[e->kind])
        buf_puts(d->b, words[e->kind]);
    switch (e->kind) {
    case EXPR_UNARY:
    case EXPR_BINARY:
    case EXPR_LIKE:
    case EXPR_IS:
        operator_name(d, e);
        return 0;
    case EXPR_STAR:
        buf_puts(d->b, "*");
        str(d, "", e->table);
        str(d, "in", e->schema);
        return 0;
    case EXPR_FIELD:
    case EXPR_COLLATE:
    case EXPR_NAMED_ARG:
        str(d, "", e->name);
        if (e->kind == EXPR_COLLATE)
            str(d, "in", e->schema);
        return 0;
    case EXPR_CALL:
        return call(d, e);
    case EXPR_CAST:
        check(d, e->type == e->type_name->type);
        type(d, e->type_name);
        return 0;
    case EXPR_ANY:
        operator_name(d, e);
        return e->query ? dump_query(d, e->query) : 0;
    case EXPR_IN:
    case EXPR_QUERY:
    case EXPR_EXISTS:
    case EXPR_ARRAY_QUERY:
        return e->query ? dump_query(d, e->query) : 0;
    case EXPR_LITERAL:
    case EXPR_COLUMN:
    case EXPR_PARAM:
    case EXPR_BETWEEN:
    case EXPR_IS_NULL:
    case EXPR_CASE:
    case EXPR_DISTINCT:
    case EXPR_ROW:
    case EXPR_ARRAY:
    case EXPR_SUBSCRIPT:
    case EXPR_KIND_MAX:
        break;
    }
    return 0;
}

static bool leaf(struct dump *d, const struct expr *e)
{
    if (e->kind == EXPR_LITERAL) {
        literal(d, e);
    } else if (e->kind == EXPR_PARAM) {
        buf_printf(d->b, "$%" PRIu32, e->param);
    } else if (e->kind == EXPR_COLUMN) {
        check(d, e->name && e->name[0]);
        buf_printf(d->b,
                   "%s%s%s%s%s",
                   e->schema ? e->schema : "",
                   e->schema ? "." : "",
                   e->table ? e->table : "",
                   e->table ? "." : "",
                   e->name);
    } else {
        return false;
    }
    check(d, e->depth == 1);
    return true;
}

static uint32_t dump_expr(struct dump *d, const struct expr *e)
{
    const struct expr *kids[3] = {e->a, e->b, e->c};
    uint32_t height;

    buf_puts(d->b, e->paren ? "p" : "");
    if (leaf(d, e))
        return 1;
    buf_puts(d->b, "(");
    height = kind(d, e);
    num(d, "neg", e->negated);
    if (e->kind != EXPR_CALL)
        num(d, "flag", e->star);
    for (int i = 0; i < 3; i++) {
        buf_puts(d->b, kids[i] ? " " : e->kind == EXPR_SUBSCRIPT ? " -" : "");
        if (kids[i])
            height = higher(height, dump_expr(d, kids[i]));
    }
    for (uint32_t i = 0; i < e->args_count; i++) {
        buf_puts(d->b, " ");
        check(d, e->args[i] != NULL);
        if (e->args[i])
            height = higher(height, dump_expr(d, e->args[i]));
    }
    buf_puts(d->b, ")");
    if (e->kind == EXPR_BINARY && (e->op == OP_AND || e->op == OP_OR))
        check(d, chain_sound(e));
    check(d, e->depth == height + 1);
    return height + 1;
}

/* ---- queries ---- */

static uint32_t from(struct dump *d, const struct from_item *f)
{
    uint32_t height = 0;

    buf_printf(d->b, " [from%d", f->kind);
    qual(d, "", &f->table);
    buf_printf(d->b, " only%d lateral%d ordinality%d", f->only, f->lateral, f->ordinality);
    str(d, f->file ? f->file : "as", f->alias);
    names(d, "cols", f->columns, f->columns_count);
    for (uint32_t i = 0; i < f->column_defs_count; i++) {
        str(d, "col", f->column_defs[i].name.s);
        type(d, f->column_defs[i].type);
    }
    if (f->query)
        height = dump_query(d, f->query);
    height = higher(height, opt(d, "call", f->call));
    if (f->sample)
        height = higher(exprs(d, f->sample->method.s, f->sample->args, f->sample->args_count),
                        opt(d, "seed", f->sample->seed));
    if (f->kind == FROM_JOIN) {
        buf_printf(d->b, " join%d natural%d", f->join, f->natural);
        names(d, "using", f->using, f->using_count);
        str(d, "usingas", f->using_alias);
        height = higher(height, opt(d, "on", f->on));
        height = higher(height, from(d, f->left));
        height = higher(height, from(d, f->right));
    }
    buf_puts(d->b, "]");
    check(d, f->depth == height + 1);
    return height + 1;
}

static uint32_t group(struct dump *d, const struct group_item *g)
{
    uint32_t height = 0;

    buf_printf(d->b, " [group%d", g->kind);
    if (g->expr)
        height = opt(d, "by", g->expr);
    for (uint32_t i = 0; i < g->items_count; i++)
        height = higher(height, group(d, &g->items[i]));
    buf_puts(d->b, "]");
    height += g->kind != GROUP_EXPR;
    check(d, g->depth == height);
    return height;
}

static uint32_t items(struct dump *d, const struct select_item *list, uint32_t count)
{
    uint32_t height = 0;

    for (uint32_t i = 0; i < count; i++) {
        check(d, list[i].expr && list[i].end > list[i].pos);
        height = higher(height, opt(d, "item", list[i].expr));
        str(d, "as", list[i].alias);
    }
    return height;
}

static uint32_t core(struct dump *d, const struct select_core *s)
{
    uint32_t height;

    num(d, "distinct", s->distinct);
    height = exprs(d, "on", s->distinct_on, s->distinct_on_count);
    height = higher(height, items(d, s->items, s->items_count));
    for (uint32_t i = 0; i < s->from_count; i++)
        height = higher(height, from(d, s->from[i]));
    height = higher(height, opt(d, "where", s->where));
    num(d, "groupdistinct", s->group_distinct);
    for (uint32_t i = 0; i < s->group_by_count; i++)
        height = higher(height, group(d, &s->group_by[i]));
    height = higher(height, opt(d, "having", s->having));
    for (uint32_t i = 0; i < s->windows_count; i++)
        height = higher(height, window(d, &s->windows[i]));
    return height;
}

static uint32_t values(struct dump *d, const struct values_rows *v)
{
    uint32_t height = 0;

    check(d, v->rows_count > 0);
    for (uint32_t i = 0; i < v->rows_count; i++) {
        buf_puts(d->b, " row(");
        for (uint32_t j = 0; j < v->rows_len[i]; j++) {
            buf_puts(d->b, v->rows[i][j] ? " " : " default");
            if (v->rows[i][j])
                height = higher(height, dump_expr(d, v->rows[i][j]));
        }
        buf_puts(d->b, ")");
    }
    return height;
}

static uint32_t with(struct dump *d, const struct with_clause *w)
{
    uint32_t height = 0;

    if (!w)
        return 0;
    buf_printf(d->b, " [with %d", w->recursive);
    for (uint32_t i = 0; i < w->ctes_count; i++) {
        const struct cte *c = &w->ctes[i];

        str(d, "cte", c->name.s);
        names(d, "cols", c->columns, c->columns_count);
        num(d, "material", c->material);
        check(d, !c->query != !c->change);
        if (c->query) {
            height = higher(height, dump_query(d, c->query));
        } else {
            dump_stmt(d, c->change);
            height = higher(
                height, c->change->insert ? c->change->insert->depth : c->change->change->depth);
        }
    }
    buf_puts(d->b, "]");
    check(d, w->depth == height + 1);
    return w->depth;
}

static uint32_t dump_query(struct dump *d, const struct query *q)
{
    uint32_t height;

    buf_printf(d->b, " [query%d", q->kind);
    height = with(d, q->with);
    if (q->kind == QUERY_SELECT)
        height = higher(height, core(d, q->core));
    else if (q->kind == QUERY_VALUES)
        height = higher(height, values(d, &q->values));
    if (q->kind == QUERY_SET) {
        buf_printf(d->b, " set%d all%d", q->set, q->all);
        height = higher(height, dump_query(d, q->left));
        height = higher(height, dump_query(d, q->right));
    }
    height = higher(height, orders(d, "order", q->order_by, q->order_by_count));
    height = higher(height, opt(d, "limit", q->limit));
    height = higher(height, opt(d, "offset", q->offset));
    for (uint32_t i = 0; i < q->locks_count; i++) {
        buf_printf(d->b, " lock%d wait%d", q->locks[i].mode, q->locks[i].wait);
        for (uint32_t k = 0; k < q->locks[i].of_count; k++)
            str(d, "of", q->locks[i].of[k].name);
    }
    buf_printf(d->b, " ties%d]", q->with_ties);
    check(d, q->depth == height + 1);
    return height + 1;
}

/* ---- statements ---- */

static void sets(struct dump *d, const struct set_item *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        str(d, "set", list[i].column.s);
        names(d, "cols", list[i].columns, list[i].columns_count);
        opt(d, "to", list[i].expr);
        opt(d, "place", list[i].place);
    }
}

static void elems(struct dump *d, const struct index_elem *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        opt(d, "elem", list[i].expr);
        str(d, "collate", list[i].collation);
        str(d, "class", list[i].opclass);
        num(d, "desc", list[i].desc);
        num(d, "nulls", (int64_t)list[i].nulls);
    }
}

static void insert(struct dump *d, const struct insert_stmt *s)
{
    with(d, s->with);
    qual(d, "into", &s->table);
    str(d, "as", s->alias);
    names(d, "cols", s->columns, s->columns_count);
    num(d, "overriding", s->overriding);
    if (s->query)
        dump_query(d, s->query);
    num(d, "conflict", s->conflict.action);
    elems(d, s->conflict.target, s->conflict.target_count);
    opt(d, "targetwhere", s->conflict.target_where);
    str(d, "constraint", s->conflict.constraint.s);
    sets(d, s->conflict.set, s->conflict.set_count);
    opt(d, "where", s->conflict.where);
    items(d, s->returning, s->returning_count);
}

static void change(struct dump *d, const struct change_stmt *s)
{
    with(d, s->with);
    qual(d, "table", &s->table);
    str(d, "as", s->alias);
    sets(d, s->set, s->set_count);
    for (uint32_t i = 0; i < s->from_count; i++)
        from(d, s->from[i]);
    opt(d, "where", s->where);
    str(d, "cursor", s->current_of.s);
    items(d, s->returning, s->returning_count);
}

static void sequence(struct dump *d, const struct sequence_def *s)
{
    buf_printf(d->b,
               " [sequence %u %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64,
               s->given,
               s->increment,
               s->min,
               s->max,
               s->start,
               s->cache,
               s->restart);
    if (s->as)
        type(d, s->as);
    num(d, "temp", s->temp);
    qual(d, "owned", &s->owned_table);
    str(d, "col", s->owned_column);
    buf_puts(d->b, "]");
}

static void column(struct dump *d, const struct column_spec *c, const struct column_def *def)
{
    str(d, "column", c->name.s);
    type(d, def->type);
    check(d, c->type == def->type->type && c->has_default == (def->def != NULL));
    num(d, "notnull", c->not_null);
    num(d, "null", c->null_given);
    num(d, "primary", c->primary_key);
    opt(d, "default", def->def);
    num(d, "serial", def->serial);
    str(d, "collate", def->collation);
    num(d, "identity", def->identity);
    if (def->sequence)
        sequence(d, def->sequence);
    opt(d, "generated", def->generated);
}

static void constraints(struct dump *d, const struct constraint_def *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct constraint_def *c = &list[i];

        buf_printf(d->b, " [constraint%d", c->kind);
        str(d, "", c->name.s);
        num(d, "ofcolumn", c->of_column);
        names(d, "cols", c->columns, c->columns_count);
        opt(d, "check", c->check);
        num(d, "nullsnot", c->nulls_not_distinct);
        qual(d, "ref", &c->ref_table);
        names(d, "refcols", c->ref_columns, c->ref_columns_count);
        buf_printf(d->b, " %d %d", c->on_delete, c->on_update);
        num(d, "full", c->match_full);
        num(d, "deferrable", c->deferrable);
        num(d, "deferred", c->initially_deferred);
        num(d, "notvalid", c->not_valid);
        buf_puts(d->b, "]");
    }
}

static void keys(struct dump *d, const char *label, const struct key_elem_spec *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        str(d, label, list[i].name.s);
        num(d, "quantum", list[i].is_quantum);
        num(d, "count", list[i].count);
        str(d, "unit", list[i].unit);
        num(d, "order", list[i].order_given);
        num(d, "desc", list[i].desc);
    }
}

static void create(struct dump *d, const struct stmt *s)
{
    const struct table_spec *t = s->create;
    const struct table_def *def = s->table_def;

    str(d, "create", t->name.s);
    str(d, "in", t->schema.s);
    num(d, "persist", def->persistence);
    num(d, "oncommit", def->on_commit);
    for (size_t i = 0; i < t->columns_count; i++)
        column(d, &t->columns[i], &def->columns[i]);
    constraints(d, def->constraints, def->constraints_count);
    for (uint32_t i = 0; i < def->likes_count; i++) {
        qual(d, "like", &def->likes[i].table);
        buf_printf(d->b, " %u@%u", def->likes[i].including, def->likes[i].before_col);
    }
    buf_printf(d->b, " keys%u inner%d", t->keys_count, t->has_inner);
    keys(d, "part", t->partition, t->partition_count);
    keys(d, "local", t->local, t->local_count);
    keys(d, "clustering", t->clustering, t->clustering_count);
    names(d, "partkey", t->partition_key, t->partition_key_count);
    options(d, t->options, t->options_count);
    if (def->as) {
        names(d, "cols", def->as_columns, def->as_columns_count);
        dump_query(d, def->as);
        num(d, "nodata", def->no_data);
    }
    ast_dump_made(def, d->b);
}

static void alter(struct dump *d, const struct alter_stmt *s)
{
    check(d, s->actions_count > 0);
    for (uint32_t i = 0; i < s->actions_count; i++) {
        const struct alter_action *a = &s->actions[i];

        buf_printf(d->b, " [alter%d", a->kind);
        num(d, "ifexists", a->if_exists);
        num(d, "ifnot", a->if_not_exists);
        num(d, "behavior", a->behavior);
        str(d, "", a->name.s);
        str(d, "to", a->to.s);
        if (a->kind == ALTER_ADD_COLUMN)
            column(d, &a->column, &a->def);
        else
            opt(d, "default", a->def.def);
        if (a->kind == ALTER_ADD_IDENTITY || a->kind == ALTER_SET_IDENTITY) {
            num(d, "identity", a->def.identity);
            if (a->def.sequence)
                sequence(d, a->def.sequence);
        }
        ast_dump_partition(a->partition, d->b);
        if (a->kind == ALTER_TYPE) {
            type(d, a->def.type);
            str(d, "collate", a->def.collation);
        }
        constraints(d, a->constraints, a->constraints_count);
        opt(d, "using", a->using);
        options(d, a->options, a->options_count);
        buf_puts(d->b, "]");
    }
}

static void copy(struct dump *d, const struct copy_stmt *c)
{
    buf_printf(d->b, " copy%d %d", c->from, c->place);
    qual(d, "", &c->table);
    names(d, "cols", c->columns, c->columns_count);
    str(d, "file", c->file);
    options(d, c->options, c->options_count);
    opt(d, "where", c->where);
}

static void view(struct dump *d, const struct view_def *v)
{
    buf_printf(d->b, " view%d %d %d %d", v->or_replace, v->persistence, v->recursive, v->check);
    names(d, "cols", v->columns, v->columns_count);
    check(d, v->query_start < v->query_end);
    dump_query(d, v->query);
}

static void index_of(struct dump *d, const struct index_def *x)
{
    buf_printf(d->b, " index%d %d", x->unique, x->nulls_not_distinct);
    qual(d, "on", &x->table);
    str(d, "method", x->method);
    elems(d, x->elems, x->elems_count);
    names(d, "include", x->include, x->include_count);
    opt(d, "where", x->where);
}

static void comment(struct dump *d, const struct comment_stmt *c)
{
    buf_printf(d->b, " comment%d", c->object);
    qual(d, "", &c->name);
    str(d, "sub", c->sub.s);
    str(d, "is", c->text);
}

static void misc(struct dump *d, const struct misc_stmt *m)
{
    const struct transaction *t = &m->transaction;

    str(d, "name", m->name.s);
    buf_printf(
        d->b, " %d/%d/%d/%d/%d", t->kind, t->isolation, t->read_only, t->deferrable, t->chain);
    for (uint32_t i = 0; i < m->types_count; i++)
        type(d, &m->types[i]);
    exprs(d, "arg", m->args, m->args_count);
    buf_printf(d->b,
               " %d/%d/%d/%d",
               m->cursor.binary,
               m->cursor.insensitive,
               m->cursor.hold,
               m->cursor.scroll);
    buf_printf(d->b,
               " %d/%" PRId64 "/%d/%d",
               m->fetch.direction,
               m->fetch.count,
               m->fetch.all,
               m->fetch.move);
    buf_printf(d->b, " %d/%d/%d", m->maintain, m->discard, m->nowait);
    str(d, "mode", m->lock_mode);
    options(d, m->options, m->options_count);
}

static void dump_stmt(struct dump *d, const struct stmt *s)
{
    buf_printf(d->b, "{%d p%u", s->kind, s->params_count);
    check(d, s->kind < STMT_KIND_MAX);
    buf_printf(
        d->b, " %d%d%d%d%d", s->if_exists, s->if_not_exists, s->keyspace, s->object, s->behavior);
    qual(d, "name", &s->name);
    for (uint32_t i = 0; i < s->names_count; i++)
        qual(d, "", &s->names[i]);
    str(d, "replication", s->replication);
    if (s->query)
        dump_query(d, s->query);
    if (s->insert)
        insert(d, s->insert);
    if (s->change)
        change(d, s->change);
    if (s->merge) /* its text: all of it is there */
        sql_print_stmt(s, d->b);
    if (s->alter)
        alter(d, s->alter);
    if (s->copy)
        copy(d, s->copy);
    if (s->create)
        create(d, s);
    if (s->view)
        view(d, s->view);
    if (s->index)
        index_of(d, s->index);
    if (s->sequence)
        sequence(d, s->sequence);
    if (s->comment)
        comment(d, s->comment);
    if (s->misc)
        misc(d, s->misc);
    if (s->set)
        ast_dump_set(s->set, d->b);
    if (s->timepart)
        ast_dump_timepart(s->timepart, d->b);
    num(d, "analyze", s->explain.analyze);
    options(d, s->explain.options, s->explain.options_count);
    if (s->explained)
        dump_stmt(d, s->explained);
    buf_puts(d->b, "}");
}

bool ast_dump_expr(const struct expr *e, struct buf *b)
{
    struct dump d = {.b = b, .sound = true};
    dump_expr(&d, e);
    return d.sound;
}

bool ast_dump_stmt(const struct stmt *s, struct buf *b)
{
    struct dump d = {.b = b, .sound = true};
    dump_stmt(&d, s);
    return d.sound;
}
