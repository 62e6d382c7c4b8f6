/* SPDX-License-Identifier: Apache-2.0
 *
 * sql.h: text to tree and back.
 *
 *     struct sql_text t; sql_text_init(&t, text, len);
 *     while ((rc = sql_parse(&t, arena, &stmt, err)) == 0) …       DN_EOF: no statement left
 *
 * Statements are separated by semicolons; one with nothing in it is STMT_EMPTY, blanks and comments
 * after the last semicolon are no statement. A syntax error names what was found and what was
 * expected ("syntax error at or near "FORM"; expected FROM, ',' or end of statement"), DN_E_SYNTAX
 * with the position, and a hint for known slips (missing parenthesis in a key, keyword misspelt).
 * Depth, list length and text size are capped (SQL_*_MAX): DN_E_TOO_COMPLEX, never a crash.
 *
 * One thread at a time per sql_text. */
#pragma once

#include "base/arena.h"
#include "sql/ast.h"

#include <stdatomic.h>

#define SQL_DATABASE   "dendro"             /* the one database, in database.schema.name */
#define SQL_TEXT_MAX   (256u * 1024 * 1024) /* bytes */
#define SQL_DEPTH_MAX  500u                 /* nesting of expressions, queries in them counted */
#define SQL_LIST_MAX   1000000u             /* elements of one list */
#define SQL_PARAMS_MAX 65535u

/* Resolves names of types that CREATE TYPE made. */
struct sql_types {
    /* Fills in ret's type, schema and name, in the arena; schema NULL: not given. False: none. */
    bool (*find)(void *arg,
                 const char *schema,
                 const char *name,
                 struct arena *arena,
                 struct type_name *ret);
    void *arg;
};

struct sql_text {
    const char *text; /* borrowed, len bytes, UTF-8; need not end in NUL */
    size_t len;
    size_t next;       /* byte offset where the next statement starts */
    uint32_t next_pos; /* its character position, 1-based */
    bool no_positions; /* all positions of the tree are 0: the user never wrote this text */
    const struct sql_types *types; /* NULL: there are no user types, as sql_text_init() leaves it */
    const atomic_bool *cancel;     /* base/cancel.h; NULL: never; sql_text_init sets that */
};

void sql_text_init(struct sql_text *t, const char *text, size_t len);
/* The next statement. After an error the text stands after the failed statement's semicolon. */
int sql_parse(struct sql_text *t, struct arena *arena, struct stmt **ret_stmt, struct dn_err *err)
    DN_MUST_CHECK;
/* Is the text a whole statement (ends in ';' outside quotes and comments)? For the shell's
 * continuation prompt. */
bool sql_complete(const char *text, size_t len);

/* Back to text: canonical spelling; parsing it gives the same tree. */
void sql_print_expr(const struct expr *e, struct buf *b);
void sql_print_stmt(const struct stmt *s, struct buf *b);

/* A name, in double quotes if it needs them. */
void sql_print_ident(const char *name, struct buf *b);
/* A type as it was written. */
void sql_print_type(const struct type_name *t, struct buf *b);

/* The words of base/keyword_list.h, in alphabetical order: for completion and docs. */
struct sql_keyword {
    const char *word; /* lower case */
    bool reserved;    /* usable as a name only in quotes */
};
const struct sql_keyword *sql_keywords(size_t *ret_count);

/* "Perhaps you meant": the candidate within a small edit distance, NULL if none. */
const char *sql_suggest(const char *word, const char *const *candidates, size_t count);
