/* SPDX-License-Identifier: Apache-2.0
 *
 * lexer.h: text to tokens. A token is a slice of the text, nothing is copied; positions are counted
 * in characters while the bytes go by, so they cost nothing later. Token codes are those of the
 * generated grammar.h (TK_*); 0 is the end of the statement.
 *
 * Checked here: UTF-8, NUL bytes, closed quotes and comments, digits of numbers and blobs. What a
 * token means (doubled quotes, escapes, values) is ast_literal.c's.
 *
 * One thread at a time. */
#pragma once

#include "base/err.h"

struct sql_token {
    const char *ptr; /* first byte in the text, borrowed */
    uint32_t len;    /* bytes */
    uint32_t pos;    /* character position of the first */
};

struct sql_lexer {
    const char *start;  /* first byte of the whole text, borrowed */
    const char *cur;    /* next byte */
    const char *end;    /* one past the last */
    uint32_t pos;       /* character position of cur, 1-based */
    struct dn_err *err; /* borrowed, may be NULL */
    bool no_pos;        /* tokens of the parser have position 0 */
};

/* The next token's code; 0 at a semicolon (taken; its token is ";") and at the end of the text (its
 * token is empty). < 0: error raised with its position; cur stands at the bad token. */
int sql_lex(struct sql_lexer *lx, struct sql_token *ret_token) DN_MUST_CHECK;

/* Moves over blanks and comments as far as they are well-formed. */
void sql_lex_skip_blanks(struct sql_lexer *lx);

/* Moves behind the next semicolon outside quotes and comments, or to the end of the text. True: a
 * semicolon was found. Bytes that are no UTF-8 do not stop it. */
bool sql_lex_skip_statement(struct sql_lexer *lx);

/* Code of a keyword, TK_ID for any other word. */
int sql_keyword_code(const char *word, size_t len);
/* What a token's code is: no keyword, one that is always itself, one that may be a name. */
enum sql_word { SQL_WORD_NONE, SQL_WORD_RESERVED, SQL_WORD_FREE };
enum sql_word sql_keyword_word(int code);
/* "SELECT" for TK_SELECT, NULL if the code is no keyword's. */
const char *sql_keyword_upper(int code);
/* May the word stand as a name without quotes, everywhere? */
bool sql_keyword_is_free(const char *word, size_t len, bool *ret_is_keyword);

/* Bytes of the well-formed UTF-8 character at p, 0 if there is none. */
unsigned sql_utf8_len(const char *p, const char *end);
