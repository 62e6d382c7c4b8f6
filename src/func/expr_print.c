/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_print.c: bound expressions as text, for EXPLAIN. Operators stand in parentheses, so that
 * nobody has to know how tightly they bind. */
#include "func/expr.h"

#include "base/bytes.h"
#include "func/text.h"

#include <string.h>

#define EXPR_PRINT_LIST_MAX 8u /* values of an IN list */

static void expr_print_literal(const struct datum *d, struct buf *b)
{
    if (d->null) {
        buf_puts(b, "NULL");
    } else if (d->type == TYPE_VARCHAR) {
        buf_u8(b, '\'');
        for (uint32_t i = 0; i < d->str.len; i++) {
            if (d->str.ptr[i] == '\'')
                buf_u8(b, '\'');
            buf_u8(b, (uint8_t)d->str.ptr[i]);
        }
        buf_u8(b, '\'');
    } else if (type_is_timestamp(d->type) || d->type == TYPE_INTERVAL) {
        buf_u8(b, '\'');
        text_print(d, b);
        buf_u8(b, '\'');
    } else {
        text_print(d, b);
    }
}

static void expr_print_upper(const char *word, struct buf *b)
{
    for (; *word; word++)
        buf_u8(b, (uint8_t)(*word >= 'a' && *word <= 'z' ? *word - 'a' + 'A' : *word));
}

static void expr_print_list(const struct bexpr *e,
                            uint32_t first,
                            const char *separator,
                            const char *const *names,
                            struct buf *b)
{
    for (uint32_t i = first; i < e->args_count; i++) {
        if (i > first)
            buf_puts(b, separator);
        if (e->kind == BEXPR_IN && i - first == EXPR_PRINT_LIST_MAX) {
            buf_printf(b, "… %u more", e->args_count - i);
            return;
        }
        expr_print(e->args[i], names, b);
    }
}

/* CAST(x AS VARCHAR(3)), whatever cast there is inside. */
static void expr_print_fit(const struct bexpr *e, const char *const *names, struct buf *b)
{
    const struct bexpr *from = e->args[0];
    struct type_mods mods = {.count = (uint8_t)(e->args_count - 1)};

    for (uint32_t i = 0; i < mods.count; i++)
        mods.v[i] = (int32_t)e->args[1 + i]->value.v.i64;
    if (from->kind == BEXPR_CALL && strcmp(from->func->name, "cast") == 0)
        from = from->args[0];
    buf_puts(b, "CAST(");
    expr_print(from, names, b);
    buf_puts(b, " AS ");
    type_print(e->type, &mods, b);
    buf_puts(b, ")");
}

static void expr_print_call(const struct bexpr *e, const char *const *names, struct buf *b)
{
    const char *name = e->func->name;

    if (strcmp(name, "fit") == 0) {
        expr_print_fit(e, names, b);
        return;
    }
    if (strcmp(name, "cast") == 0) {
        buf_puts(b, "CAST(");
        expr_print(e->args[0], names, b);
        buf_printf(b, " AS %s)", type_name(e->type));
        return;
    }
    if (!(e->func->flags & FUNC_OPERATOR)) {
        buf_printf(b, "%s(", name);
        expr_print_list(e, 0, ", ", names, b);
        buf_puts(b, ")");
        return;
    }
    buf_puts(b, "(");
    if (e->args_count == 2) {
        expr_print(e->args[0], names, b);
        buf_printf(b, " %s ", name);
        expr_print(e->args[1], names, b);
    } else if (strncmp(name, "is ", 3) == 0) {
        expr_print(e->args[0], names, b);
        buf_puts(b, " ");
        expr_print_upper(name, b);
    } else {
        expr_print_upper(name, b);
        buf_puts(b, strcmp(name, "-") == 0 ? "" : " ");
        expr_print(e->args[0], names, b);
    }
    buf_puts(b, ")");
}

static void expr_print_case(const struct bexpr *e, const char *const *names, struct buf *b)
{
    const struct bexpr *other = e->args[e->args_count - 1];

    buf_puts(b, "CASE");
    for (uint32_t i = 0; i + 1 < e->args_count; i += 2) {
        buf_puts(b, " WHEN ");
        expr_print(e->args[i], names, b);
        buf_puts(b, " THEN ");
        expr_print(e->args[i + 1], names, b);
    }
    if (other->kind != BEXPR_CONST || !other->value.null) {
        buf_puts(b, " ELSE ");
        expr_print(other, names, b);
    }
    buf_puts(b, " END");
}

void expr_print(const struct bexpr *e, const char *const *names, struct buf *b)
{
    switch (e->kind) {
    case BEXPR_CONST:
        expr_print_literal(&e->value, b);
        return;
    case BEXPR_COLUMN:
        buf_puts(b, names[e->col]);
        return;
    case BEXPR_PARAM:
        buf_printf(b, "$%u", e->param);
        return;
    case BEXPR_CALL:
        expr_print_call(e, names, b);
        return;
    case BEXPR_AND:
    case BEXPR_OR:
        buf_puts(b, "(");
        expr_print_list(e, 0, e->kind == BEXPR_AND ? " AND " : " OR ", names, b);
        buf_puts(b, ")");
        return;
    case BEXPR_IN:
        buf_puts(b, "(");
        expr_print(e->args[0], names, b);
        if (expr_in_array(e)) {
            buf_puts(b, e->negated ? " <> all " : " = any ");
            expr_print(e->args[1], names, b);
            buf_puts(b, ")");
            return;
        }
        buf_puts(b, e->negated ? " NOT IN (" : " IN (");
        expr_print_list(e, 1, ", ", names, b);
        buf_puts(b, "))");
        return;
    case BEXPR_CASE:
        expr_print_case(e, names, b);
        return;
    case BEXPR_COALESCE:
        buf_puts(b, "coalesce(");
        expr_print_list(e, 0, ", ", names, b);
        buf_puts(b, ")");
        return;
    case BEXPR_KIND_MAX:
        return;
    }
}
