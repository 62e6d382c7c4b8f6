/* SPDX-License-Identifier: Apache-2.0
 *
 * lexer.re: the tokens, for re2c. The generated matcher knows only where a token ends; whatever is
 * delimited (strings, quoted names, comments) is scanned by the functions of lex_scan.c, which also
 * validate UTF-8 and count characters. The text needs no NUL at its end: a peek at the end gives
 * 0, which no longer token goes on with. */
#include "sql/lexer.h"

#include "grammar.h"
#include "sql/lex_scan.h"

/* An ASCII token of n bytes is n characters. */
static int sql_lex_plain(struct sql_lexer *lx, struct sql_token *tok, const char *p, int code)
{
    tok->len = (uint32_t)(p - tok->ptr);
    lx->cur = p;
    lx->pos += tok->len;
    return code;
}

int sql_lex(struct sql_lexer *lx, struct sql_token *ret_token)
{
    struct sql_token *tok = ret_token;
    const char *p = lx->cur;
    const char *const end = lx->end;
    const char *mark = p;

again:
    tok->ptr = p;
    tok->pos = lx->pos;
    if (p == end) {
        tok->len = 0;
        return 0;
    }
    /*!re2c
        re2c:api = custom;
        re2c:api:style = free-form;
        re2c:define:YYCTYPE = "unsigned char";
        re2c:define:YYPEEK = "(p < end ? (unsigned char)*p : 0)";
        re2c:define:YYSKIP = "p++;";
        re2c:define:YYBACKUP = "mark = p;";
        re2c:define:YYRESTORE = "p = mark;";
        re2c:yyfill:enable = 0;

        digit  = [0-9];
        hex    = [0-9a-fA-F];
        letter = [A-Za-z_];
        high   = [\x80-\xff];
        more   = [A-Za-z0-9_$];
        symbol = [-+*/<>=~!@#%^&|];
        exp    = [eE] [+-]? digit+;
        float  = digit+ "." digit* exp? | "." digit+ exp? | digit+ exp;

        [ \t\r\n\f\v]+ {
            lx->pos += (uint32_t)(p - tok->ptr);
            lx->cur = p;
            goto again;
        }
        "--" {
            int rc = sql_scan_line_comment(lx);
            if (rc < 0)
                return rc;
            p = lx->cur;
            goto again;
        }
        "/*" {
            int rc = sql_scan_block_comment(lx);
            if (rc < 0)
                return rc;
            p = lx->cur;
            goto again;
        }

        letter more* {
            return sql_lex_plain(lx, tok, p, sql_keyword_code(tok->ptr, (size_t)(p - tok->ptr)));
        }
        (letter | high) (more | high)* { return sql_scan_word(lx, tok, p); }
        "\"" | "`" { return sql_scan_quoted(lx, tok, 0, TK_ID); }
        "'"        { return sql_scan_quoted(lx, tok, 0, TK_STRING); }
        [eE] "'"   { return sql_scan_quoted(lx, tok, 1, TK_STRING); }
        [uU] "&'"  { return sql_scan_unicode(lx, tok, TK_STRING); }
        [uU] "&\"" { return sql_scan_unicode(lx, tok, TK_ID); }
        [xX] "'"   { return sql_scan_hex(lx, tok); }
        [bB] "'"   { return sql_scan_bits(lx, tok); }
        "$" (letter | high) (letter | high | digit)* "$" | "$$" { return sql_scan_dollar(lx, tok, p); }

        digit+               { return sql_lex_plain(lx, tok, p, TK_INTEGER); }
        float                { return sql_lex_plain(lx, tok, p, TK_FLOAT); }
        "0" [xX] hex*        { return sql_scan_hex_number(lx, tok, p); }
        (digit+ ("us" | "ms" | [smhdw]))+ { return sql_lex_plain(lx, tok, p, TK_DURATION); }
        (digit+ | float) (letter | high) (more | high)* { return sql_scan_junk(lx, tok, p); }
        "$" digit+           { return sql_lex_plain(lx, tok, p, TK_PARAM); }
        "?"                  { return sql_lex_plain(lx, tok, p, TK_PARAM); }

        "("  { return sql_lex_plain(lx, tok, p, TK_LP); }
        ")"  { return sql_lex_plain(lx, tok, p, TK_RP); }
        ","  { return sql_lex_plain(lx, tok, p, TK_COMMA); }
        "."  { return sql_lex_plain(lx, tok, p, TK_DOT); }
        ";"  { return sql_lex_plain(lx, tok, p, 0); }
        ":"  { return sql_lex_plain(lx, tok, p, TK_COLON); }
        "::" { return sql_lex_plain(lx, tok, p, TK_TYPECAST); }
        "{"  { return sql_lex_plain(lx, tok, p, TK_LBRACE); }
        "}"  { return sql_lex_plain(lx, tok, p, TK_RBRACE); }
        "["  { return sql_lex_plain(lx, tok, p, TK_LB); }
        "]"  { return sql_lex_plain(lx, tok, p, TK_RB); }
        ":=" { return sql_lex_plain(lx, tok, p, TK_ASSIGN); }
        symbol { return sql_scan_symbol(lx, tok); }

        [\x00] { return sql_scan_nul(lx, tok->ptr, tok->pos); }
        * { return sql_lex_plain(lx, tok, p, TK_ILLEGAL); }
    */
}
