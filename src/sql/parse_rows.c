/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_rows.c: the short way for the rows of an INSERT. A row of plain values, which is nearly
 * every row, is read here without the automaton and reaches it as the one token ROW; anything else
 * in the row, errors too, and the automaton reads it from its parenthesis as usual. Both ways call
 * the same builders, and the tests compare their trees. */
#include "grammar.h"
#include "sql/ast_build.h"

/* One value; false if it is not a plain one. */
static bool rows_value(struct sql_parser *ps, int code, struct sql_token tok, struct expr **ret)
{
    struct sql_token number;

    switch (code) {
    case TK_INTEGER:
        *ret = sql_integer(ps, tok);
        return true;
    case TK_FLOAT:
        *ret = sql_float(ps, tok);
        return true;
    case TK_STRING:
        *ret = sql_string(ps, tok);
        return true;
    case TK_BLOB:
        *ret = sql_blob(ps, tok);
        return true;
    case TK_NULL:
    case TK_TRUE:
    case TK_FALSE:
        *ret = sql_word(ps, code, tok);
        return true;
    case TK_DEFAULT:
        *ret = NULL;
        return true;
    case TK_MINUS:
        code = sql_lex(&ps->lx, &number);
        if (code != TK_INTEGER && code != TK_FLOAT)
            return false;
        *ret = code == TK_INTEGER ? sql_integer(ps, number) : sql_float(ps, number);
        return *ret != NULL && sql_negate(ps, *ret, tok.pos);
    default:
        return false;
    }
}

/* From the first value to the closing parenthesis. */
static bool rows_values(struct sql_parser *ps, struct sql_list *list)
{
    struct sql_token tok;
    struct expr *value;
    int code;

    do {
        code = sql_lex(&ps->lx, &tok);
        if (!rows_value(ps, code, tok, &value))
            return false;
        *list = sql_list_add(ps, *list, value);
        code = sql_lex(&ps->lx, &tok);
    } while (code == TK_COMMA && ps->rc == 0);
    return code == TK_RP;
}

bool sql_rows_try(struct sql_parser *ps, struct sql_token *ret_token)
{
    struct sql_lexer before = ps->lx;
    struct sql_list list = sql_list_none(ps);
    struct sql_token open;
    bool plain;

    ps->lx.err = NULL;
    plain = sql_lex(&ps->lx, &open) == TK_LP && rows_values(ps, &list);
    ps->lx.err = before.err;
    if (!plain && ps->rc == 0) {
        ps->lx = before;
        ps->stack_len = list.start;
        return false;
    }
    sql_insert_row(ps, open.pos, list);
    open.len = (uint32_t)(ps->lx.cur - open.ptr);
    *ret_token = open;
    return true;
}
