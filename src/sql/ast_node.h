/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_node.h: expressions in the syntax tree; ast_query.h has the queries around them, ast.h the
 * statements, and says what holds for all. One thread at a time.
 *
 * What PostgreSQL's grammar turns into a call is a call here too: extract(f FROM t) is
 * extract('f', t), substring(s FROM a FOR n) and substring(s SIMILAR p ESCAPE e) are substring with
 * three arguments, position(a IN b) is strpos(b, a), trim(BOTH x FROM s) is btrim(s, x) (ltrim,
 * rtrim), overlay(s PLACING p FROM a FOR n) is overlay(s, p, a, n), t AT TIME ZONE z is
 * timezone(z, t), (a, b) OVERLAPS (c, d) is overlaps(a, b, c, d), normalize(s, NFC) is
 * normalize(s, 'NFC'), s IS NFC NORMALIZED is is_normalized(s, 'NFC'), CURRENT_TIMESTAMP is now(),
 * and CURRENT_DATE, CURRENT_TIME, LOCALTIME, LOCALTIMESTAMP, CURRENT_USER and similar words are
 * calls of that name in lower case, with the precision as argument; INTERVAL '1' DAY is a CAST of
 * '1 day'. COALESCE, NULLIF, GREATEST, LEAST, GROUPING are calls as they look. */
#pragma once

#include "vec/vec.h"

struct query;
struct window_def;
struct order_item;

enum expr_kind {
    EXPR_LITERAL,  /* value: NULL, boolean, integer, double, string, blob; or type '…' (typed) */
    EXPR_COLUMN,   /* [[schema.]table.]name */
    EXPR_PARAM,    /* ? or $n */
    EXPR_STAR,     /* * or [schema.]table.* or (a).* in a select list; count(*) is call.star */
    EXPR_UNARY,    /* op a */
    EXPR_BINARY,   /* a op b */
    EXPR_BETWEEN,  /* a [NOT] BETWEEN [SYMMETRIC] b AND c */
    EXPR_IN,       /* a [NOT] IN (list); a [NOT] IN (query) when query is set */
    EXPR_IS_NULL,  /* a IS [NOT] NULL */
    EXPR_CALL,     /* [schema.]name(args) */
    EXPR_CAST,     /* CAST(a AS type), a::type, TIMESTAMP 'text' */
    EXPR_CASE,     /* CASE [a] WHEN … THEN … [ELSE b] END; args: WHEN, THEN, WHEN, THEN, … */
    EXPR_LIKE,     /* a [NOT] LIKE b [ESCAPE c]; op says LIKE, ILIKE or SIMILAR TO */
    EXPR_IS,       /* a IS [NOT] TRUE, FALSE, UNKNOWN: op */
    EXPR_DISTINCT, /* a IS [NOT] DISTINCT FROM b */
    EXPR_QUERY,    /* (query): one column, at most one row; as one side of a comparison with a
                      row, or as source of a multi-column SET, several columns */
    EXPR_EXISTS,   /* EXISTS (query) */
    EXPR_ANY,      /* a op ANY (b), a op ALL (b) when all is set: b is an array, or b is NULL and
                      query is set; op also LIKE and ILIKE, then negated counts */
    EXPR_ROW,      /* ROW(args), then row_word is set; or (a, b), two or more */
    EXPR_ARRAY,    /* ARRAY[args]; an inner [ ] is an EXPR_ARRAY of its own */
    EXPR_ARRAY_QUERY, /* ARRAY(query) */
    EXPR_SUBSCRIPT,   /* a[b]; a[b:c] when slice is set, then b and c may be NULL */
    EXPR_FIELD,       /* (a).name */
    EXPR_COLLATE,     /* a COLLATE [schema.]name */
    EXPR_NAMED_ARG,   /* name => a; among the arguments of a CALL alone */
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
    OP_SIMILAR,
    OP_IS_TRUE,
    OP_IS_FALSE,
    OP_IS_UNKNOWN,
    OP_REGEX,       /* a ~ b */
    OP_REGEX_I,     /* a ~* b */
    OP_NOT_REGEX,   /* a !~ b */
    OP_NOT_REGEX_I, /* a !~* b */
    OP_CONTAINS,    /* a @> b */
    OP_CONTAINED,   /* a <@ b */
    OP_OVERLAP,     /* a && b */
    OP_STARTS,      /* a ^@ b */
    OP_SQRT,        /* |/ a */
    OP_CBRT,        /* ||/ a */
    OP_ABS,         /* @ a */
    OP_OTHER,       /* any other symbol, in name; schema if OPERATOR(schema.symbol) gave one */
    OP_MAX
};

/* A type as written. Two words become one name: "double precision" double, "character varying"
 * varchar, "timestamp with time zone" timestamptz, "time with time zone" timetz. SERIAL and its
 * like are not here: see struct column_def. */
#define TYPE_NAME_MODS_MAX 2u
struct type_name {
    const char *schema; /* NULL = not given */
    const char *name;   /* lower case unless it was quoted */
    enum type_id type;  /* of a value or of an array's elements; TYPE_NONE: known, but not here */
    uint32_t pos;
    int32_t mods[TYPE_NAME_MODS_MAX]; /* VARCHAR(10), NUMERIC(10, 2), TIMESTAMP(6) */
    uint8_t mods_count;
    uint8_t dims; /* INT[] 1, INT[][] 2; bounds and the word ARRAY are not kept */
    /* INTERVAL DAY TO SECOND: the first and the last field, "day" and "second"; the same one twice
     * when there is one alone; NULL = none. */
    const char *field_from;
    const char *field_to;
};
/* The parameters that values of the type must fit; those of TIMESTAMP and FLOAT say which type it
 * is, and are not among them. */
struct type_mods sql_type_mods(const struct type_name *t);

/* What may follow a call or stand inside its parentheses beside the arguments; most have none. */
struct call_ext {
    struct order_item *order_by; /* array_agg(x ORDER BY y); WITHIN GROUP (ORDER BY y) */
    uint32_t order_by_count;
    bool within_group;   /* order_by is that of WITHIN GROUP */
    bool variadic;       /* VARIADIC stood before the last argument */
    bool direct_grouped; /* the binder's: columns of the direct argument are those of GROUP BY */
    /* OVER: a definition, or, with ref alone and bare set, the name of one. NULL: no window. */
    struct window_def *over;
    uint32_t over_pos; /* of the word OVER */
};

/* a, b, c and args are NULL where a kind does not name them, so a walk over them fits every kind
 * (queries, and order_by and over of a call, are beside that); the fields in unions belong to the
 * kinds they name. Kept small: a row of an INSERT is a node for each value. */
struct expr {
    enum expr_kind kind;
    uint32_t pos;        /* of the operator or first character: what an error points at */
    uint32_t depth;      /* height of this tree, queries in it counted; capped */
    uint32_t args_count; /* IN list, CALL arguments, parts of a CASE, ROW, ARRAY */
    union {
        enum expr_op op;   /* UNARY, BINARY, LIKE, IS, ANY */
        enum type_id type; /* CAST: target; = type_name->type */
    };
    union {
        uint32_t param; /* PARAM: 1-based number */
        uint32_t chain; /* BINARY AND, OR: operands of this chain; a long chain is a balanced tree,
                           its operands from left to right in the order written */
    };
    bool negated; /* BETWEEN, IN, IS_NULL, LIKE, IS, DISTINCT, ANY with LIKE: NOT form */
    union {
        bool star;      /* CALL: f(*) */
        bool symmetric; /* BETWEEN */
        bool all;       /* ANY: it is ALL */
        bool row_word;  /* ROW: with the word; (a, b) in GROUP BY is a list, ROW(a, b) a value */
        bool slice;     /* SUBSCRIPT */
        bool plain;     /* STAR: but for generated columns, as COPY has it */
        bool own;       /* COLUMN: the statement itself reads it, not its text: no privilege */
    };
    bool distinct;  /* CALL: f(DISTINCT x) */
    bool big;       /* LITERAL: integer that does not fit BIGINT */
    bool paren;     /* was written in parentheses, or needs them to be read so */
    bool bits;      /* LITERAL: B'0101', the value is VARCHAR with those digits */
    struct expr *a; /* operands; BETWEEN uses a, b, c; CALL: a is the condition of FILTER */
    struct expr *b;
    struct expr *c;
    struct expr **args; /* IN list, CALL arguments, parts of a CASE, ROW, ARRAY */
    const char *text; /* LITERAL number: as written (an integer too big for BIGINT has type NUMERIC
                         or DOUBLE and big = true); a minus before it is part of it */
    union {
        struct {
            const char *table;    /* COLUMN, STAR: qualifier or NULL */
            const char *name;     /* COLUMN, CALL, FIELD, COLLATE, NAMED_ARG; OTHER operators */
            const char *schema;   /* COLUMN, STAR with a table; CALL, COLLATE, OTHER; or NULL */
            struct call_ext *ext; /* CALL: NULL = nothing of it */
        };
        struct query *query;         /* QUERY, EXISTS, ARRAY_QUERY; IN, ANY: NULL = none */
        struct type_name *type_name; /* CAST */
        struct datum value; /* LITERAL: types NONE (NULL), BOOLEAN, BIGINT, DOUBLE, VARCHAR, BLOB */
    };
};
