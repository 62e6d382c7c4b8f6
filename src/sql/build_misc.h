/* SPDX-License-Identifier: Apache-2.0
 *
 * build_misc.h: builders of INSERT, UPDATE, DELETE, COPY and of the statements of ast_misc.h, for
 * the grammar's actions; as ast_build.h. Inside src/sql only. One thread at a time. */
#pragma once

#include "sql/ast_build.h"

/* ---- ast_dml.c: INSERT, UPDATE, DELETE ---- */
/* The parser's statement is that one. */
void sql_dml(struct sql_parser *ps, const struct stmt *s);
struct insert_stmt *sql_insert_begin(struct sql_parser *ps,
                                     const struct qual_name *table,
                                     const struct sql_token *alias);
struct insert_stmt *
sql_insert_source(struct sql_parser *ps, struct sql_list columns, int overriding, struct query *q);
/* USING TTL; NULL: none. */
struct insert_stmt *sql_insert_ttl(struct insert_stmt *s, struct expr *ttl);
struct change_stmt *sql_change_ttl(struct change_stmt *c, struct expr *ttl);
struct insert_stmt *sql_insert_end(struct sql_parser *ps,
                                   const struct insert_stmt *into,
                                   struct insert_stmt *source,
                                   const struct conflict_clause *conflict,
                                   struct sql_list returning);
struct stmt *
sql_insert_with(struct sql_parser *ps, struct with_clause *with, struct insert_stmt *s);
struct conflict_clause *
sql_conflict_target(struct sql_parser *ps, struct sql_list elems, struct expr *where);
struct conflict_clause *sql_conflict_constraint(struct sql_parser *ps, struct sql_token name);
struct conflict_clause *sql_conflict(struct sql_parser *ps,
                                     uint32_t pos,
                                     struct conflict_clause *target,
                                     enum conflict_action action,
                                     struct sql_list sets,
                                     struct expr *where);
struct change_stmt *
sql_change(struct sql_parser *ps, const struct qual_name *table, const struct sql_token *alias);
/* WHERE CURRENT OF. */
struct change_stmt *
sql_change_current(struct sql_parser *ps, struct change_stmt *c, struct sql_token cursor);
struct change_stmt *sql_change_end(struct sql_parser *ps,
                                   struct change_stmt *c,
                                   struct sql_list sets,
                                   struct sql_list from,
                                   struct expr *where,
                                   struct sql_list returning);
struct stmt *sql_change_stmt(struct sql_parser *ps,
                             enum stmt_kind kind,
                             struct with_clause *with,
                             struct change_stmt *c);
struct set_item *sql_set_item(struct sql_parser *ps, struct sql_token name, struct expr *e);
/* (a, b) = e */
struct sql_list sql_set_row(struct sql_parser *ps, struct sql_list names, struct expr *e);
/* a[i] = e; place is an EXPR_SUBSCRIPT of the column. */
struct set_item *sql_set_place(struct sql_parser *ps, struct expr *place, struct expr *e);

/* ---- ast_copy.c ---- */
/* place: the file's name, STDIN or STDOUT. */
void sql_copy(struct sql_parser *ps,
              bool from,
              const struct qual_name *table,
              struct sql_list columns,
              struct sql_token place,
              struct sql_list options,
              struct expr *where);
void sql_copy_query(struct sql_parser *ps,
                    struct stmt *query,
                    struct sql_token place,
                    struct sql_list options);
/* An option named without a value. */
struct option_spec *sql_option_on(struct sql_parser *ps, struct sql_token name);
/* A word of the old syntax: CSV, BINARY, HEADER. */
struct option_spec *sql_copy_word(struct sql_parser *ps, struct sql_token name);
/* FORCE QUOTE, FORCE NOT NULL and FORCE NULL of the old syntax, as the option of that name. */
struct option_spec *sql_copy_force(struct sql_parser *ps,
                                   const char *option,
                                   struct sql_token word,
                                   struct option_spec *value);
/* SET TIME ZONE INTERVAL '…' [HOUR [TO MINUTE]]: the value is that text. */
struct option_spec *sql_value_zone(struct sql_parser *ps,
                                   struct sql_token type,
                                   struct sql_token text,
                                   const struct sql_token *field);
struct option_spec *sql_value_names(struct sql_parser *ps, uint32_t pos, struct sql_list names);

/* ---- ast_misc.c ---- */
struct qual_name *sql_qual_text(struct sql_parser *ps, struct sql_token at, const char *name);
void sql_show(struct sql_parser *ps, struct sql_token at, const char *name);
/* Statements about a list of tables. */
void sql_names_stmt(struct sql_parser *ps,
                    enum stmt_kind kind,
                    struct sql_list names,
                    int behavior);
void sql_drop(
    struct sql_parser *ps, int object, bool if_exists, struct sql_list names, int behavior);
struct comment_stmt *sql_comment_on(struct sql_parser *ps,
                                    int object,
                                    const struct qual_name *name,
                                    const struct sql_token *sub);
void sql_comment(struct sql_parser *ps, struct comment_stmt *c, const struct sql_token *text);
/* scope: enum set_scope, -1 = not given; no values: DEFAULT. */
void sql_set(struct sql_parser *ps,
             int scope,
             const struct qual_name *name,
             struct sql_list values);
void sql_reset(struct sql_parser *ps, int scope, const struct qual_name *name);
void sql_transaction(struct sql_parser *ps,
                     enum transaction_kind kind,
                     const struct transaction *modes,
                     const struct sql_token *name);
void sql_transaction_start(struct sql_parser *ps, const struct transaction *modes);
/* scope: as sql_set; pos: of SNAPSHOT. */
void sql_transaction_snapshot(struct sql_parser *ps, int scope, uint32_t pos, struct sql_token id);
void sql_transaction_chain(struct sql_parser *ps, enum transaction_kind kind, bool chain);
struct transaction *sql_mode(struct sql_parser *ps,
                             enum isolation isolation,
                             enum mode_given read_only,
                             enum mode_given deferrable);
struct transaction *sql_mode_add(struct transaction *all, const struct transaction *mode);
/* The statement just read is what it explains. */
void sql_explain(struct sql_parser *ps, bool analyze, struct sql_list options);
void sql_prepare(struct sql_parser *ps, struct sql_token name, struct sql_list types);
struct misc_stmt *
sql_execute_new(struct sql_parser *ps, struct sql_token name, struct sql_list args);
void sql_execute(struct sql_parser *ps, struct misc_stmt *m);
void sql_misc_named(struct sql_parser *ps, enum stmt_kind kind, const struct sql_token *name);
/* words: bits of the grammar's cursor_words. */
void sql_declare(
    struct sql_parser *ps, struct sql_token name, int words, bool hold, struct query *q);
struct fetch *
sql_fetch_new(struct sql_parser *ps, enum fetch_direction direction, int64_t count, bool all);
void sql_fetch(struct sql_parser *ps, bool move, const struct fetch *f, struct sql_token name);
void sql_discard(struct sql_parser *ps, enum discard_kind kind);
/* name NULL: all. */
void sql_channel(struct sql_parser *ps,
                 enum channel_kind kind,
                 const struct sql_token *name,
                 const struct sql_token *text);
void sql_lock(struct sql_parser *ps, struct sql_list names, struct sql_list mode, bool nowait);
void sql_maintain(struct sql_parser *ps, enum maintain_kind kind, struct sql_list names);
