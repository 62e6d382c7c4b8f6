/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_int.h: the state of a parser, its driver and its errors. Inside src/sql only; what builds
 * the tree is ast_build.h.
 *
 * One thread at a time. */
#pragma once

#include "sql/lexer.h"
#include "sql/sql.h"

/* Entries of the parser's stack: open brackets and pending operators. */
#define SQL_STACK_MAX 3000

/* Height of a query outside of expressions: they may have all of SQL_DEPTH_MAX in it. */
#define SQL_QUERY_DEPTH (SQL_DEPTH_MAX + 8)

struct sql_list {
    uint32_t start; /* place of the first element on the stack */
    uint32_t count;
};

struct sql_row {
    struct expr **values; /* arena */
    uint32_t len;
    uint32_t pos;     /* of its parenthesis */
    uint32_t depth;   /* of its highest value */
    bool has_default; /* DEFAULT is among them */
};

struct sql_column {
    struct column_spec spec;
    struct column_def def;
};

struct sql_limit {
    struct expr *limit;  /* NULL = none */
    struct expr *offset; /* NULL = none */
    bool with_ties;      /* FETCH FIRST … WITH TIES */
    uint32_t pos;        /* of FETCH */
};

/* The units of an interval, as tokens. */
struct sql_fields {
    struct sql_token from;
    struct sql_token to;
    struct expr *precision; /* SECOND(3); NULL = none */
};

struct sql_func {
    struct sql_token schema; /* len 0 = none */
    struct sql_token name;
};

struct sql_op {
    enum expr_op op;
    struct sql_token tok;
};

struct sql_persist {
    int kind; /* enum persistence */
    uint32_t pos;
};

struct sql_parser {
    struct arena *arena; /* borrowed: the tree */
    struct dn_err *err;  /* borrowed, may be NULL */
    int rc;              /* 0 or the first error */
    struct sql_lexer lx;
    const char *stmt_start; /* where lx started, for sql_parser_expect */
    uint32_t stmt_pos;
    struct stmt *stmt;             /* arena: what is being built */
    uint32_t prev_end;             /* position one past the last token shifted */
    const char *last_end;          /* the byte there */
    const struct sql_types *types; /* borrowed; NULL: only our own types */
    const atomic_bool *cancel;     /* base/cancel.h; NULL: never */
    bool user_types;               /* one of them was named */
    uint32_t params_count;         /* highest parameter number */
    bool params_question;          /* ? was used */
    bool params_dollar;            /* $n was used */
    void **stack;                  /* owned: elements of open lists */
    uint32_t stack_len;
    uint32_t stack_cap;
    struct sql_row *rows; /* owned: INSERT */
    uint32_t rows_len;
    uint32_t rows_cap;
    struct table_spec *spec;            /* arena: CREATE TABLE */
    struct sql_list columns;            /* CREATE TABLE, ADD COLUMN: of struct sql_column */
    struct constraint_def *constraints; /* arena: CREATE TABLE, ADD COLUMN */
    uint32_t constraints_len;
    uint32_t constraints_cap;
    uint32_t constraints_named;       /* constraints_len when the last CONSTRAINT name was read */
    struct spec_name constraint_name; /* CONSTRAINT name before one of a table; s NULL = none */
    const char *view_start;           /* CREATE VIEW: bytes of the query */
    const char *view_end;
    struct sql_into *into; /* arena: SELECT … INTO; NULL = none, or done with */
    uint32_t row_default;  /* position of a row with DEFAULT that no SET has claimed; 0 = none */
};

/* ---- grammar.y: runs the generated parser over the tokens of one statement ---- */
void sql_parser_run(struct sql_parser *ps);

/* ---- parse_rows.c: a whole row of plain values; false: there is none, nothing has moved ---- */
bool sql_rows_try(struct sql_parser *ps, struct sql_token *ret_token);

/* What could have stood at a token: a parser without actions runs the statement again. */
#define SQL_EXPECT_TOKENS_MAX 512
struct sql_expect {
    bool token[SQL_EXPECT_TOKENS_MAX]; /* by code */
    struct sql_token prev;             /* the token before, len 0 = none */
    int prev_code;
    struct sql_token high; /* the last bare name with characters over 127, len 0 = none */
    uint32_t open_count;   /* parentheses not closed before the token */
    uint32_t open_pos;     /* position of the innermost of them */
};
/* at: the byte where the token starts. */
void sql_parser_expect(const struct sql_parser *ps, const char *at, struct sql_expect *ret);

/* ---- sql_error.c ---- */
void sql_fail_syntax(struct sql_parser *ps, int code, struct sql_token tok);
void sql_fail_nomem(struct sql_parser *ps);
void sql_fail_deep(struct sql_parser *ps, uint32_t pos);
/* Raises code with the text at pos. */
void sql_fail(struct sql_parser *ps, int code, uint32_t pos, const char *fmt, ...) DN_PRINTF(4, 5);
