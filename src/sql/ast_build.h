/* SPDX-License-Identifier: Apache-2.0
 *
 * ast_build.h: what the grammar's actions call. Inside src/sql only.
 *
 * Every function takes the parser first and is silent once parser->rc is negative: the actions need
 * no checks of their own, the driver stops after the token at which the first error came up.
 *
 * Lists: elements are pushed on one stack of pointers and taken off as an array when the list is
 * complete. Lists nest like the brackets around them, so the elements of each stay together.
 *
 * One thread at a time. */
#pragma once

#include "sql/parse_int.h"

/* ---- ast_build.c: memory, lists, expressions ---- */
void *sql_new(struct sql_parser *ps, size_t size); /* zeroed; NULL after an error */
char *sql_name(struct sql_parser *ps, struct sql_token tok);
struct spec_name sql_spec_name(struct sql_parser *ps, struct sql_token tok);
struct spec_name *sql_new_name(struct sql_parser *ps, struct sql_token tok);
/* Characters from p to end, which are UTF-8. */
uint32_t sql_chars(const char *p, const char *end);
/* From the first byte of a to the last of b. */
struct sql_token sql_join_tokens(struct sql_token a, struct sql_token b);
struct sql_list sql_list_none(struct sql_parser *ps);
struct sql_list sql_list_one(struct sql_parser *ps, void *element);
struct sql_list sql_list_add(struct sql_parser *ps, struct sql_list list, void *element);
/* The elements as an array of pointers, or of structs of that size; the list is gone. */
void *sql_list_take(struct sql_parser *ps, struct sql_list list);
void *sql_list_take_structs(struct sql_parser *ps, struct sql_list list, size_t size);

struct expr *sql_expr_new(struct sql_parser *ps, enum expr_kind kind, uint32_t pos);
/* Sets the height from the children; refuses one too high. */
struct expr *sql_expr_done(struct sql_parser *ps, struct expr *e);
struct expr *sql_unary(struct sql_parser *ps, enum expr_op op, uint32_t pos, struct expr *a);
struct expr *
sql_binary(struct sql_parser *ps, enum expr_op op, uint32_t pos, struct expr *a, struct expr *b);
/* flags: SQL_NEGATED, SQL_SYMMETRIC */
#define SQL_NEGATED   1
#define SQL_SYMMETRIC 2
#define SQL_ALL       4
struct expr *sql_between(
    struct sql_parser *ps, uint32_t pos, int flags, struct expr *a, struct expr *b, struct expr *c);
struct expr *
sql_in(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a, struct sql_list list);
struct expr *sql_is_null(struct sql_parser *ps, uint32_t pos, bool negated, struct expr *a);
struct expr *sql_cast(struct sql_parser *ps, uint32_t pos, struct expr *a, struct type_name *type);
struct expr *sql_column(struct sql_parser *ps,
                        const struct sql_token *schema,
                        const struct sql_token *table,
                        struct sql_token name);
struct expr *sql_star(struct sql_parser *ps,
                      const struct sql_token *schema,
                      const struct sql_token *table,
                      uint32_t pos);
/* Does it have a query below it? */
bool sql_has_query(const struct expr *e);
struct expr *sql_param(struct sql_parser *ps, struct sql_token tok);
struct expr *sql_paren(struct expr *e);

/* ---- print_expr.c ---- */
/* Marks operands that bind less than their operator (a + NOT b, a IN (1) + 2 read so without any)
 * as written in parentheses: then the printed text means the same in every session. */
void sql_parens(struct expr *e);

/* ---- ast_literal.c: literals and types ---- */
struct expr *sql_integer(struct sql_parser *ps, struct sql_token tok);
struct expr *sql_float(struct sql_parser *ps, struct sql_token tok);
struct expr *sql_string(struct sql_parser *ps, struct sql_token tok);
struct expr *sql_blob(struct sql_parser *ps, struct sql_token tok);
struct expr *
sql_word(struct sql_parser *ps, int code, struct sql_token tok); /* NULL, TRUE, FALSE */
/* A minus before a number becomes part of it. False: e is no plain number. */
bool sql_negate(struct sql_parser *ps, struct expr *e, uint32_t pos);
/* The value of a U&'…' or U&"…", which is never longer than the token. */
uint32_t sql_unicode(struct sql_parser *ps, struct sql_token tok, char *to);
/* The string's value, NUL-terminated. */
char *sql_string_text(struct sql_parser *ps, struct sql_token tok, uint32_t *ret_len);
struct expr *sql_bits(struct sql_parser *ps, struct sql_token tok); /* B'0101' */
/* A whole number with its sign. */
int64_t sql_signed(struct sql_parser *ps, struct sql_token tok, bool negative);

/* ---- type_name.c ---- */
/* A type from its words: name [second] [(args)]. second: PRECISION, VARYING, WITH, WITHOUT or 0. */
struct type_name *
sql_type(struct sql_parser *ps, struct sql_token name, int second, struct sql_list args);
struct type_name *sql_type_in(struct sql_parser *ps,
                              struct sql_token schema,
                              struct sql_token name,
                              struct sql_list args);
struct type_name *sql_type_dims(struct type_name *type, int dims);
struct sql_fields *sql_fields(struct sql_parser *ps,
                              struct sql_token from,
                              struct sql_token to,
                              struct expr *precision);
struct type_name *
sql_type_fields(struct sql_parser *ps, struct type_name *type, const struct sql_fields *f);
/* INTERVAL, for a literal at pos. */
struct type_name *sql_type_interval(struct sql_parser *ps, uint32_t pos);
/* type 'text'; call is TIMESTAMP(6), else NULL and name counts. */
struct expr *sql_typed(struct sql_parser *ps,
                       struct sql_token name,
                       struct expr *call,
                       int second,
                       struct sql_token text);

/* ---- ast_stmt.c: statements but CREATE ---- */
struct stmt *sql_stmt(struct sql_parser *ps, enum stmt_kind kind);
void sql_stmt_named(struct sql_parser *ps, enum stmt_kind kind, const struct qual_name *name);
struct qual_name *
sql_qual(struct sql_parser *ps, const struct sql_token *schema, struct sql_token name);
/* database.schema.name; there is one database, and others are refused. */
struct qual_name *sql_qual_of(struct sql_parser *ps,
                              struct sql_token database,
                              struct sql_token schema,
                              struct sql_token name);
void sql_database(struct sql_parser *ps, struct sql_token database, struct sql_token last);
/* Drops a list whose elements are not needed. */
void sql_list_drop(struct sql_parser *ps, struct sql_list list);
/* Two lists, the second read right after the first. */
struct sql_list sql_list_concat(struct sql_list a, struct sql_list b);
struct select_item *
sql_item(struct sql_parser *ps, uint32_t pos, struct expr *e, const struct sql_token *alias);
struct group_item *sql_group(struct sql_parser *ps, struct expr *e);
struct order_item *
sql_order(struct sql_parser *ps, struct expr *e, bool desc, enum nulls_order nulls);
struct sql_limit *sql_limit(struct sql_parser *ps, struct expr *limit, struct expr *offset);
void sql_insert_row(struct sql_parser *ps, uint32_t pos, struct sql_list values);

/* ---- ast_ddl.c: CREATE ---- */
void sql_create_begin(struct sql_parser *ps,
                      struct sql_persist persist,
                      bool if_not_exists,
                      const struct qual_name *name);
void sql_column_begin(struct sql_parser *ps, struct sql_token name, struct type_name *type);
void sql_column_null(struct sql_parser *ps, bool not_null, uint32_t pos);
void sql_column_default(struct sql_parser *ps, uint32_t pos, struct expr *e);
void sql_column_primary(struct sql_parser *ps, uint32_t pos);
void sql_create_columns(struct sql_parser *ps); /* the closing parenthesis */
struct key_elem_spec *sql_key_elem(struct sql_parser *ps, struct sql_token name);
struct key_elem_spec *sql_key_quantum(struct sql_parser *ps,
                                      struct sql_token word,
                                      struct sql_token column,
                                      struct sql_token count,
                                      struct sql_token unit);
struct key_elem_spec *sql_key_order(struct key_elem_spec *elem, uint32_t pos, bool desc);
/* The lists of a PRIMARY KEY; inner: the first stood in parentheses of its own. */
void sql_key_inner(struct sql_parser *ps, struct sql_list partition);
void sql_key_local(struct sql_parser *ps, struct sql_list local);
void sql_key_begin(struct sql_parser *ps, uint32_t pos);
void sql_partition_key(struct sql_parser *ps, uint32_t pos, struct sql_list names);
void sql_clustering(struct sql_parser *ps, uint32_t pos, struct sql_list elems);
struct option_spec *
sql_option(struct sql_parser *ps, struct sql_token name, struct option_spec *value);
struct option_spec *
sql_value(struct sql_parser *ps, struct sql_token tok, bool negative, uint32_t pos);
struct option_spec *sql_map(struct sql_parser *ps, uint32_t pos, struct sql_list entries);
char *sql_map_entry(struct sql_parser *ps, struct option_spec *key, struct option_spec *value);
void sql_create_table(struct sql_parser *ps, struct sql_list options, int on_commit);
/* … AUTHORIZATION role: stmt.names has it. */
void sql_create_schema_of(struct sql_parser *ps,
                          bool if_not_exists,
                          struct sql_token name,
                          struct sql_token role);
void sql_create_schema(struct sql_parser *ps,
                       bool keyspace,
                       bool if_not_exists,
                       struct sql_token name,
                       struct sql_list options);
