/* SPDX-License-Identifier: Apache-2.0
 *
 * build_query.h: builders of queries, for the grammar's actions; as ast_build.h. Inside src/sql
 * only. One thread at a time. */
#pragma once

#include "sql/ast_build.h"

struct sql_group_by {
    struct sql_list list;
    bool distinct;
};

struct sql_on {
    struct expr *on;
    struct spec_name *using;
    uint32_t using_count;
    const char *alias;
};

struct sql_alias {
    const char *name; /* NULL = none */
    uint32_t pos;
    struct spec_name *columns;
    uint32_t columns_count;
    struct from_column *defs;
    uint32_t defs_count;
};

/* ORDER BY, LIMIT, FOR of one query. */
struct sql_tail {
    struct order_item *order_by;
    uint32_t order_by_count;
    uint32_t order_pos;
    const struct sql_limit *limit; /* NULL = none */
    struct lock_clause *locks;     /* NULL = none */
    uint32_t locks_count;
};

struct sql_bound {
    enum frame_bound bound;
    struct expr *value;
};

struct sql_word_at {
    int word;
    uint32_t pos;
};

/* ---- ast_query.c ---- */
struct select_core *sql_core(struct sql_parser *ps,
                             uint32_t pos,
                             bool distinct,
                             struct sql_list distinct_on,
                             struct sql_list items);
struct query *sql_query_core(struct sql_parser *ps, struct select_core *core);
struct query *sql_values(struct sql_parser *ps, uint32_t pos, uint32_t first_row);
struct query *sql_table_query(struct sql_parser *ps, uint32_t pos, const struct qual_name *table);
struct query *sql_set_op(struct sql_parser *ps,
                         enum set_op op,
                         uint32_t pos,
                         bool all,
                         struct query *left,
                         struct query *right);
/* Adds the clauses around a body; one that is there already is an error. */
struct query *sql_query_tail(struct sql_parser *ps,
                             struct with_clause *with,
                             struct query *q,
                             const struct sql_tail *tail);
/* Refuses DEFAULT in VALUES: it is for an INSERT's own. */
struct query *sql_query_plain(struct sql_parser *ps, struct query *q);
struct sql_tail *sql_tail(struct sql_parser *ps,
                          struct sql_list order,
                          const struct sql_limit *limit,
                          struct sql_list locks);
struct sql_limit *sql_limits(struct sql_limit *limit, const struct sql_limit *offset);
struct sql_limit *
sql_fetch_first(struct sql_parser *ps, uint32_t pos, struct expr *count, bool ties);
struct lock_clause *
sql_lock_clause(struct sql_parser *ps, uint32_t pos, int mode, struct sql_list of, int wait);
struct order_item *sql_order_using(struct sql_parser *ps,
                                   struct expr *e,
                                   struct sql_token symbol,
                                   enum nulls_order nulls);
struct group_item *
sql_groups(struct sql_parser *ps, enum group_kind kind, uint32_t pos, struct sql_list items);
struct with_clause *
sql_with(struct sql_parser *ps, uint32_t pos, bool recursive, struct sql_list ctes);
struct cte *sql_cte(struct sql_parser *ps,
                    struct sql_token name,
                    struct sql_list columns,
                    int material,
                    struct query *query,
                    struct stmt *change);
/* The parser's statement is that query. */
void sql_query_stmt(struct sql_parser *ps, struct query *q);
/* INTO of a SELECT: the statement is a CREATE TABLE AS, if that SELECT is all of it. */
struct sql_into {
    struct sql_persist persist;
    struct qual_name name;
    uint32_t pos; /* of INTO */
    const struct select_core *core;
};
struct sql_into *sql_select_into(struct sql_parser *ps,
                                 uint32_t pos,
                                 struct sql_persist persist,
                                 const struct qual_name *name);
struct stmt *sql_new_query_stmt(struct sql_parser *ps, struct query *q);

/* ---- ast_from.c: FROM and windows ---- */
struct from_item *sql_from(struct sql_parser *ps, const struct qual_name *name, bool only);
/* FROM 'file'. */
struct from_item *sql_from_file(struct sql_parser *ps, struct sql_token name);
struct from_item *sql_from_query(struct sql_parser *ps, struct query *q, bool lateral);
struct from_item *
sql_from_call(struct sql_parser *ps, struct expr *call, bool lateral, bool ordinality);
struct from_item *sql_from_rows(
    struct sql_parser *ps, uint32_t pos, struct sql_list calls, bool lateral, bool ordinality);
/* TABLESAMPLE. */
struct from_sample *
sql_sample(struct sql_parser *ps, struct sql_token method, struct sql_list args, struct expr *seed);
struct from_item *
sql_from_sample(struct sql_parser *ps, struct from_item *f, struct from_sample *sample);
struct from_item *
sql_from_alias(struct sql_parser *ps, struct from_item *f, const struct sql_alias *alias);
struct from_column *
sql_from_column(struct sql_parser *ps, struct sql_token name, struct type_name *type);
struct sql_alias *
sql_alias(struct sql_parser *ps, const struct sql_token *name, struct sql_list columns);
struct sql_alias *
sql_alias_defs(struct sql_parser *ps, const struct sql_token *name, struct sql_list defs);
struct sql_on *sql_on(struct sql_parser *ps,
                      struct expr *on,
                      struct sql_list using,
                      const struct sql_token *alias);
struct from_item *sql_join(struct sql_parser *ps,
                           uint32_t pos,
                           enum join_kind kind,
                           struct from_item *left,
                           struct from_item *right,
                           const struct sql_on *on);
struct from_item *sql_natural(struct sql_parser *ps,
                              uint32_t pos,
                              enum join_kind kind,
                              struct from_item *left,
                              struct from_item *right);
struct window_def *sql_window(struct sql_parser *ps,
                              uint32_t pos,
                              struct sql_token ref,
                              struct sql_list partition_by,
                              struct sql_list order_by,
                              const struct window_def *frame);
struct window_def *
sql_window_name(struct sql_parser *ps, struct window_def *w, struct sql_token name);
struct sql_bound *sql_bound(struct sql_parser *ps, enum frame_bound bound, struct expr *value);
struct window_def *sql_frame(struct sql_parser *ps,
                             struct sql_word_at mode,
                             const struct sql_bound *from,
                             const struct sql_bound *to,
                             int exclude);

/* ---- ast_merge.c ---- */
struct merge_when *sql_merge_when(
    struct sql_parser *ps, uint32_t pos, bool matched, struct expr *cond, enum merge_action action);
struct merge_when *
sql_merge_update(struct sql_parser *ps, uint32_t pos, struct expr *cond, struct sql_list sets);
struct merge_when *sql_merge_columns(struct sql_parser *ps, struct sql_list columns);
/* columns: NULL = none */
struct merge_when *sql_merge_values(struct sql_parser *ps,
                                    struct merge_when *columns,
                                    int overriding,
                                    struct sql_list values);
struct merge_when *
sql_merge_insert(struct sql_parser *ps, uint32_t pos, struct expr *cond, struct merge_when *values);
struct merge_stmt *sql_merge(struct sql_parser *ps,
                             uint32_t pos,
                             const struct change_stmt *target,
                             struct from_item *source,
                             struct expr *on,
                             struct sql_list whens);
void sql_merge_stmt(struct sql_parser *ps, struct with_clause *with, struct merge_stmt *m);
