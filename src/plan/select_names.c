/* SPDX-License-Identifier: Apache-2.0
 *
 * select_names.c: what the columns of a result are called that nobody gave a name, and which one a
 * name of ORDER BY or GROUP BY means. */
#include "plan/select_names.h"

#include "base/text.h"

/* The text of characters [pos, end) of the statement, without blanks around it. */
static const char *
sel_item_text(const struct stmt *stmt, uint32_t pos, uint32_t end, struct arena *arena)
{
    size_t at = stmt->start_byte;
    size_t from, to;
    uint32_t ch = stmt->start;

    while (at < stmt->end_byte && ch < pos) {
        at++;
        if (at == stmt->end_byte || ((uint8_t)stmt->text[at] & 0xc0) != 0x80)
            ch++;
    }
    from = at;
    while (at < stmt->end_byte && ch < end) {
        at++;
        if (at == stmt->end_byte || ((uint8_t)stmt->text[at] & 0xc0) != 0x80)
            ch++;
    }
    to = at;
    while (from < to && (uint8_t)stmt->text[from] <= ' ')
        from++;
    while (to > from && (uint8_t)stmt->text[to - 1] <= ' ')
        to--;
    return arena_strndup(arena, stmt->text + from, to - from);
}

/* What PostgreSQL calls a type or function itself, of the names it is known by. */
static const char *sel_own_name(const char *name)
{
    static const char *const names[][2] = {{"int", "int4"},
                                           {"integer", "int4"},
                                           {"smallint", "int2"},
                                           {"bigint", "int8"},
                                           {"real", "float4"},
                                           {"double", "float8"},
                                           {"float", "float8"},
                                           {"decimal", "numeric"},
                                           {"boolean", "bool"},
                                           {"char", "bpchar"},
                                           {"trim", "btrim"}};

    for (size_t i = 0; name && i < DN_ARRAY_SIZE(names); i++) {
        if (text_same_fold(name, strlen(name), names[i][0], strlen(names[i][0])))
            return names[i][1];
    }
    return name;
}

static const char sel_no_name[] = "?column?";

/* How PostgreSQL calls a column without alias: what queries around this one may say; sel_no_name if
 * nothing comes of it. NULL: out of memory. */
const char *select_implied_name(struct sel *s, const struct expr *e)
{
    const struct expr *of = e;
    const char *inner;

    switch ((int)e->kind) {
    case EXPR_COLUMN:
    case EXPR_FIELD:
        return e->name;
    case EXPR_CALL:
        return sel_own_name(bind_lower_name(&s->b, e->name));
    case EXPR_CAST:
        while (of->kind == EXPR_CAST) /* of several casts the last one says */
            of = of->a;
        inner = select_implied_name(s, of);
        if (inner && of->kind == EXPR_CASE && strcmp(inner, "case") == 0)
            inner = sel_no_name;
        return inner == sel_no_name && e->type_name ? sel_own_name(e->type_name->name) : inner;
    case EXPR_SUBSCRIPT:
    case EXPR_COLLATE:
        return select_implied_name(s, e->a);
    case EXPR_CASE:
        inner = e->b ? select_implied_name(s, e->b) : sel_no_name;
        return inner == sel_no_name ? "case" : inner;
    case EXPR_EXISTS:
        return "exists";
    case EXPR_ARRAY:
    case EXPR_ARRAY_QUERY:
        return "array";
    case EXPR_ROW:
        return "row";
    case EXPR_QUERY:
        if (e->query->kind != QUERY_SELECT || e->query->core->items_count == 0)
            return sel_no_name;
        return e->query->core->items[0].alias
                   ? e->query->core->items[0].alias
                   : select_implied_name(s, e->query->core->items[0].expr);
    default:
        return sel_no_name;
    }
}

/* The result of a statement is named by its text, unless the client asks for PostgreSQL's names;
 * that of a query in a query as PostgreSQL does. */
const char *select_item_name(struct sel *s, const struct select_item *item, const struct bexpr *e)
{
    const char *name;

    if (item->alias)
        return item->alias;
    if (item->expr->kind == EXPR_COLUMN && e->kind == BEXPR_COLUMN) {
        const char *said = item->expr->name;

        name = s->b.q->vars[e->col].name; /* as declared, unless FROM has renamed it */
        return text_same_fold(name, strlen(name), said, strlen(said)) ? name : said;
    }
    if (s->b.q->depth > 1 || s->b.stmt->kind != STMT_SELECT || s->b.env->short_names)
        return select_implied_name(s, item->expr);
    return sel_item_text(s->b.stmt, item->pos, item->end, s->b.env->arena);
}

/* ---- found by their names ---- */

/* Names of one kind, compared in one way; 1: none is it. */
static int sel_find_name(const struct sel *s,
                         const struct expr *e,
                         bool computed,
                         int pass,
                         uint32_t *ret,
                         struct dn_err *err)
{
    bool fold = pass % 2 != 0;
    size_t len = strlen(e->name);
    int found = 1;

    for (uint32_t i = 0; i < s->shown_count; i++) {
        const struct sel_out *o = &s->outs[i];
        const char *name = pass >= 2               ? o->implied
                           : o->alias              ? o->alias
                           : o->plain && !computed ? o->name
                                                   : NULL;

        if (!name ||
            !(fold ? text_same_fold(name, strlen(name), e->name, len) : strcmp(name, e->name) == 0))
            continue;
        if (found == 0 && !bind_same(o->e, s->outs[*ret].e)) {
            int rc = DN_FAIL(err, DN_E_AMBIGUOUS, "ORDER BY \"%s\" is ambiguous", e->name);

            dn_err_at(err, e->pos);
            return rc;
        }
        if (found == 1)
            *ret = i;
        found = 0;
    }
    return found;
}

int select_by_name(
    const struct sel *s, const struct expr *e, bool computed, uint32_t *ret, struct dn_err *err)
{
    int rc = 1;

    if (e->kind != EXPR_COLUMN || e->table)
        return 1;
    for (int pass = 0; pass < 4 && rc == 1; pass++)
        rc = sel_find_name(s, e, computed, pass, ret, err);
    return rc;
}
