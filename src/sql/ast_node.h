/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_node.h: expressions in the syntax tree; the statements around them are in ast.h, which says
 * what holds for both. One thread at a time. */
#pragma once

#include "vec/vec.h"

enum expr_kind {
    EXPR_LITERAL,  /* value: NULL, boolean, integer, double, string, blob; or type '…' (typed) */
    EXPR_COLUMN,   /* [table.]name */
    EXPR_PARAM,    /* ? or $n */
    EXPR_STAR,     /* * or table.* in a select list; argument of count(*) is call.star */
    EXPR_UNARY,    /* op a */
    EXPR_BINARY,   /* a op b */
    EXPR_BETWEEN,  /* a [NOT] BETWEEN b AND c */
    EXPR_IN,       /* a [NOT] IN (list) */
    EXPR_IS_NULL,  /* a IS [NOT] NULL */
    EXPR_CALL,     /* name(args) */
    EXPR_CAST,     /* CAST(a AS type), a::type, TIMESTAMP 'text' */
    EXPR_CASE,     /* CASE [a] WHEN … THEN … [ELSE b] END; args: WHEN, THEN, WHEN, THEN, … */
    EXPR_LIKE,     /* a [NOT] LIKE b [ESCAPE c]; op says LIKE or ILIKE */
    EXPR_IS,       /* a IS [NOT] TRUE, FALSE, UNKNOWN: op */
    EXPR_DISTINCT, /* a IS [NOT] DISTINCT FROM b */
    EXPR_KIND_MAX
};

enum expr_op {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_MOD,
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_AND,
    OP_OR,
    OP_NOT,
    OP_NEG,
    OP_POS,
    OP_CONCAT,
    OP_BIT_AND,
    OP_BIT_OR,
    OP_BIT_XOR,
    OP_BIT_LEFT,
    OP_BIT_RIGHT,
    OP_BIT_NOT,
    OP_POWER,
    OP_LIKE,
    OP_ILIKE,
    OP_IS_TRUE,
    OP_IS_FALSE,
    OP_IS_UNKNOWN,
    OP_MAX
};

/* a, b, c and args are NULL where a kind does not name them, so a walk over them fits every kind;
 * the fields in unions belong to the kinds they name. Kept small: a row of an INSERT is a node for
 * each value. */
struct expr {
    enum expr_kind kind;
    uint32_t pos;        /* of the operator or first character: what an error points at */
    uint32_t depth;      /* height of this tree; capped */
    uint32_t args_count; /* IN list, CALL arguments, parts of a CASE */
    union {
        enum expr_op op;   /* UNARY, BINARY, LIKE, IS */
        enum type_id type; /* CAST: target */
    };
    union {
        uint32_t param; /* PARAM: 1-based number */
        uint32_t chain; /* BINARY AND, OR: operands of this chain; a long chain is a balanced tree,
                           its operands from left to right in the order written */
    };
    bool negated;   /* BETWEEN, IN, IS_NULL, LIKE, IS, DISTINCT: NOT form */
    bool star;      /* CALL: f(*) */
    bool distinct;  /* CALL: f(DISTINCT x) */
    bool big;       /* LITERAL: integer that does not fit BIGINT */
    bool paren;     /* was written in parentheses, or needs them to be read so */
    struct expr *a; /* operands; BETWEEN uses a, b, c; CALL: a is the condition of FILTER */
    struct expr *b;
    struct expr *c;
    struct expr **args; /* IN list, CALL arguments, parts of a CASE */
    const char *text;   /* LITERAL number: as written (an integer too big for BIGINT has type DOUBLE
                           and big = true); a minus before it is part of it */
    union {
        struct {
            const char *table; /* COLUMN, STAR: qualifier or NULL */
            const char *name;  /* COLUMN, CALL */
        };
        struct datum value; /* LITERAL: types NONE (NULL), BOOLEAN, BIGINT, DOUBLE, VARCHAR, BLOB */
    };
};
