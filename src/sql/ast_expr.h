/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_expr.h: expressions with words in them, for the grammar's actions; as ast_build.h. Inside
 * src/sql only. One thread at a time. */
#pragma once

#include "sql/ast_build.h"

/* What stands in a call between other words than commas: extract(a FROM b), substring(a FROM b FOR
 * c), trim(a FROM b); from is NULL in substring(a FOR c). */
struct expr *sql_call_from(struct sql_parser *ps,
                           struct sql_token name,
                           struct expr *a,
                           struct expr *from,
                           struct expr *count,
                           struct sql_token at);
/* trim(side [a] FROM b): side is TK_LEADING, TK_TRAILING or TK_BOTH. */
struct expr *
sql_trim(struct sql_parser *ps, struct sql_token name, int side, struct expr *a, struct expr *from);
struct expr *
sql_position(struct sql_parser *ps, struct sql_token name, struct expr *part, struct expr *in);
/* now(), which is what CURRENT_TIMESTAMP stands for. */
struct expr *sql_now(struct sql_parser *ps, struct sql_token tok);
struct expr *sql_filter(struct sql_parser *ps, struct expr *call, struct expr *cond);
struct expr *sql_case(struct sql_parser *ps,
                      uint32_t pos,
                      struct expr *operand,
                      struct sql_list whens,
                      struct expr *otherwise);
struct expr *sql_like(struct sql_parser *ps,
                      struct sql_token op,
                      bool negated,
                      struct expr *a,
                      struct expr *b,
                      struct expr *escape);
struct expr *
sql_is(struct sql_parser *ps, uint32_t pos, enum expr_op op, bool negated, struct expr *a);
struct expr *
sql_distinct(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct expr *b);
/* 15m, 1h30m: an interval. */
struct expr *sql_duration(struct sql_parser *ps, struct sql_token tok);
/* INTERVAL '15' MINUTE */
struct expr *sql_interval_field(struct sql_parser *ps,
                                struct sql_token name,
                                struct sql_token text,
                                struct sql_token field);
