/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_expr.h: expressions with words in them, for the grammar's actions; as ast_build.h. Inside
 * src/sql only. One thread at a time. */
#pragma once

#include "sql/ast_build.h"

/* ---- ast_call.c: calls ---- */
enum { SQL_CALL_STAR = 1, SQL_CALL_DISTINCT = 2 };
struct sql_over {
    struct window_def *window;
    uint32_t pos; /* of OVER */
};
/* The name of the call that a word such as current_date stands for; NULL: it is a name. */
const char *sql_value_call(const char *word, size_t len);
struct expr *sql_text_literal(struct sql_parser *ps, const char *text, uint32_t pos);
struct expr *sql_call_none(struct sql_parser *ps, const char *name, uint32_t pos);
struct sql_func *
sql_func(struct sql_parser *ps, const struct sql_token *schema, struct sql_token name);
struct expr *sql_call(struct sql_parser *ps,
                      const struct sql_func *f,
                      struct sql_list args,
                      int flags,
                      struct sql_list order_by);
struct expr *sql_call_variadic(struct sql_parser *ps,
                               const struct sql_func *f,
                               struct sql_list args,
                               struct expr *last,
                               struct sql_list order_by);
struct expr *sql_named_arg(struct sql_parser *ps, struct sql_token name, struct expr *value);
struct sql_over *sql_over(struct sql_parser *ps, uint32_t pos, struct window_def *window);
struct sql_over *sql_over_name(struct sql_parser *ps, uint32_t pos, struct sql_token name);
struct expr *sql_call_tail(struct sql_parser *ps,
                           struct expr *call,
                           struct sql_list within,
                           struct expr *filter,
                           const struct sql_over *over);
/* What stands in a call between other words than commas: extract(a FROM b), substring(a FROM b FOR
 * c), trim(a FROM b); from is NULL in substring(a FOR c). */
struct expr *sql_call_from(struct sql_parser *ps,
                           const struct sql_func *f,
                           struct expr *a,
                           struct expr *from,
                           struct expr *count,
                           struct sql_token at);
struct expr *sql_substring_similar(struct sql_parser *ps,
                                   const struct sql_func *f,
                                   struct expr *a,
                                   struct expr *pattern,
                                   struct expr *escape);
struct expr *sql_overlay(struct sql_parser *ps,
                         const struct sql_func *f,
                         struct expr *a,
                         struct expr *placing,
                         struct expr *from,
                         struct expr *count);
/* trim(side [a] FROM b): side is TK_LEADING, TK_TRAILING or TK_BOTH. */
struct expr *sql_trim(
    struct sql_parser *ps, const struct sql_func *f, int side, struct expr *a, struct expr *from);
struct expr *
sql_position(struct sql_parser *ps, const struct sql_func *f, struct expr *part, struct expr *in);
struct expr *sql_at_zone(struct sql_parser *ps, uint32_t pos, struct expr *a, struct expr *zone);
struct expr *sql_overlaps(struct sql_parser *ps, uint32_t pos, struct expr *a, struct expr *b);
struct expr *sql_normalized(
    struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct sql_token form);

/* ---- ast_expr.c ---- */
struct expr *sql_case(struct sql_parser *ps,
                      uint32_t pos,
                      struct expr *operand,
                      struct sql_list whens,
                      struct expr *otherwise);
struct expr *sql_like(struct sql_parser *ps,
                      const struct sql_op *op,
                      bool negated,
                      struct expr *a,
                      struct expr *b,
                      struct expr *escape);
struct expr *
sql_is(struct sql_parser *ps, uint32_t pos, enum expr_op op, bool negated, struct expr *a);
struct expr *
sql_distinct(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct expr *b);
struct expr *
sql_in_query(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct query *q);
/* (query), EXISTS (query), ARRAY(query) */
struct expr *
sql_query_expr(struct sql_parser *ps, enum expr_kind kind, uint32_t pos, struct query *q);
/* a op ANY (b or q); flags: SQL_ALL, SQL_NEGATED */
struct expr *sql_any(struct sql_parser *ps,
                     const struct sql_op *op,
                     int flags,
                     struct expr *a,
                     struct expr *b,
                     struct query *q);
struct expr *sql_row(struct sql_parser *ps, uint32_t pos, bool word, struct sql_list values);
struct expr *sql_array(struct sql_parser *ps, uint32_t pos, struct sql_list values);
struct expr *sql_subscript(struct sql_parser *ps,
                           uint32_t pos,
                           struct expr *a,
                           struct expr *b,
                           struct expr *c,
                           bool slice);
struct expr *sql_field(struct sql_parser *ps, struct expr *a, struct sql_token name);
struct expr *sql_field_star(struct sql_parser *ps, struct expr *a, uint32_t pos);
struct expr *
sql_collate(struct sql_parser *ps, uint32_t pos, struct expr *a, const struct qual_name *name);
struct sql_op *sql_op(struct sql_parser *ps, enum expr_op op, struct sql_token tok);
/* The operator a symbol stands for, OP_OTHER if it stands for none; before one operand alone:
 * prefix.
 */
enum expr_op sql_symbol(struct sql_token tok, bool prefix);
/* a symbol b; symbol b when a is NULL. schema: OPERATOR(schema.symbol), or NULL. */
struct expr *sql_operator(struct sql_parser *ps,
                          const struct sql_token *schema,
                          struct sql_token symbol,
                          struct expr *a,
                          struct expr *b);
/* 15m, 1h30m: an interval. */
struct expr *sql_duration(struct sql_parser *ps, struct sql_token tok);
/* INTERVAL '15' MINUTE */
struct expr *sql_interval_field(struct sql_parser *ps,
                                struct sql_token name,
                                struct sql_token text,
                                const struct sql_fields *f);
