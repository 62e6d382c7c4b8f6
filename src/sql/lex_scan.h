/* SPDX-License-Identifier: Apache-2.0
 *
 * lex_scan.h: the parts of the lexer that are written by hand; called by lexer.re alone. Each is
 * given the token with ptr and pos set, sets its length, moves the lexer behind it and returns the
 * code; or raises an error and returns it, the lexer standing at the token. One thread at a time.
 */
#pragma once

#include "sql/lexer.h"

#include <string.h>

/* A word with bytes over 127 that ends at p. */
int sql_scan_word(struct sql_lexer *lx, struct sql_token *tok, const char *p);
/* A string or quoted name; its opening quote stands `skip` bytes into the token (1: E'…'). */
int sql_scan_quoted(struct sql_lexer *lx, struct sql_token *tok, uint32_t skip, int code);
int sql_scan_hex(struct sql_lexer *lx, struct sql_token *tok);  /* X'AB' */
int sql_scan_bits(struct sql_lexer *lx, struct sql_token *tok); /* B'01' */
/* U&'…' or U&"…", with the UESCAPE '…' that follows it if there is one. */
int sql_scan_unicode(struct sql_lexer *lx, struct sql_token *tok, int code);
/* $tag$ … $tag$: the tag ends at p. */
int sql_scan_dollar(struct sql_lexer *lx, struct sql_token *tok, const char *p);
/* An operator: as many of its signs as PostgreSQL takes. */
int sql_scan_symbol(struct sql_lexer *lx, struct sql_token *tok);
int sql_scan_hex_number(struct sql_lexer *lx, struct sql_token *tok, const char *p); /* 0xAB */
/* A number that runs into letters, up to p: always an error. */
int sql_scan_junk(struct sql_lexer *lx, struct sql_token *tok, const char *p);
int sql_scan_nul(struct sql_lexer *lx, const char *p, uint32_t pos);
/* Comments: the lexer stands at their first byte. 0 when passed. */
int sql_scan_line_comment(struct sql_lexer *lx);
int sql_scan_block_comment(struct sql_lexer *lx);
