/* SPDX-License-Identifier: Apache-2.0
 *
 * build_ddl.h: builders of constraints, views, indexes, sequences and ALTER, for the grammar's
 * actions; as ast_build.h, which has those of a table's columns and key. Inside src/sql only. One
 * thread at a time. */
#pragma once

#include "sql/ast_build.h"

/* ---- ast_define.c: CREATE but a table's columns and key ---- */
/* CREATE TABLE … AS EXECUTE. */
void sql_create_execute(struct sql_parser *ps,
                        struct misc_stmt *execute,
                        struct sql_list columns,
                        struct sql_list options,
                        int on_commit,
                        bool data);
void sql_create_as(struct sql_parser *ps,
                   struct sql_list columns,
                   struct sql_list options,
                   int on_commit,
                   struct query *q,
                   bool data);
int sql_preserve(struct sql_parser *ps, struct sql_token word); /* ON COMMIT PRESERVE ROWS */
int sql_like_option(struct sql_parser *ps, struct sql_token word);
void sql_like_table(struct sql_parser *ps, const struct qual_name *table, int including);
struct view_def *
sql_view(struct sql_parser *ps, bool or_replace, bool recursive, struct query *q, int check);
void sql_create_view(struct sql_parser *ps,
                     struct sql_persist persist,
                     const struct qual_name *name,
                     struct sql_list columns,
                     struct view_def *view);
struct index_def *sql_index(struct sql_parser *ps,
                            bool unique,
                            const struct qual_name *table,
                            struct sql_token method,
                            bool nulls_not_distinct,
                            struct expr *where);
/* opclass: NULL = none. */
struct index_elem *sql_index_elem(
    struct sql_parser *ps, struct expr *e, const struct sql_token *opclass, bool desc, int nulls);
void sql_create_index(struct sql_parser *ps,
                      struct index_def *index,
                      bool if_not_exists,
                      const struct qual_name *name,
                      struct sql_list elems,
                      struct sql_list include);
/* One option of a sequence; given: its bit. */
struct sequence_def *
sql_sequence(struct sql_parser *ps, struct sql_token at, uint32_t given, int64_t value);
struct sequence_def *sql_sequence_owned(struct sql_parser *ps,
                                        struct sql_token at,
                                        const struct qual_name *table,
                                        struct sql_token column);
/* SEQUENCE NAME name; word: what stands for NAME. */
struct sequence_def *sql_sequence_name(struct sql_parser *ps,
                                       struct sql_token at,
                                       struct sql_token word,
                                       const struct qual_name *name);
struct sequence_def *
sql_sequence_merge(struct sql_parser *ps, struct sequence_def *all, const struct sequence_def *one);
void sql_create_sequence(struct sql_parser *ps,
                         struct sql_persist persist,
                         bool if_not_exists,
                         const struct qual_name *name,
                         struct sequence_def *def);
void sql_alter_sequence(struct sql_parser *ps,
                        int object,
                        bool if_exists,
                        const struct qual_name *name,
                        struct sequence_def *def);

/* ---- ast_timepart.c ---- */
struct qual_name *sql_part_name(struct sql_parser *ps, struct sql_token tok); /* of a string */
/* PARTITION BY TIME, as a dump has it of a time partition: what it is comes later. */
void sql_partition_by(struct sql_parser *ps, struct sql_token at, struct sql_token by);
struct partition_def *sql_partitioned(struct sql_parser *ps,
                                      struct sql_token at,
                                      struct sql_token by,
                                      struct sql_list words);
void sql_create_partitioned(struct sql_parser *ps, struct partition_def *p);
struct alter_action *sql_alter_partition(struct sql_parser *ps, struct partition_def *p);
void sql_create_timepart(struct sql_parser *ps,
                         bool if_not_exists,
                         const struct qual_name *shard,
                         const struct qual_name *name,
                         struct sql_list words);
void sql_drop_timepart(struct sql_parser *ps, bool if_exists, const struct qual_name *name);
void sql_drop_trigger(struct sql_parser *ps,
                      struct sql_token at,
                      bool if_exists,
                      struct sql_token trigger,
                      const struct qual_name *name);
void sql_put_timepart(struct sql_parser *ps, const struct qual_name *name, struct sql_list words);
void sql_put_counter(struct sql_parser *ps,
                     struct sql_token word,
                     const struct qual_name *name,
                     enum counter_what what,
                     int64_t value);

/* ---- ast_slabs.c ---- */
/* list: of values. */
struct slabs_stmt *
sql_slabs(struct sql_parser *ps, enum slabs_what what, struct expr *where, struct sql_list list);
struct slabs_stmt *
sql_slabs_path(struct sql_parser *ps, struct slabs_stmt *slabs, struct sql_token path);
void sql_slabs_stmt(struct sql_parser *ps,
                    bool if_exists,
                    const struct qual_name *table,
                    struct slabs_stmt *slabs);
void sql_show_slabs(struct sql_parser *ps, const struct qual_name *table);

/* ---- ast_constraint.c ---- */
void sql_constraint_name(struct sql_parser *ps, struct sql_token name);
/* Adds one of the table, with the name read before. */
void sql_constraint_add(struct sql_parser *ps, struct constraint_def *c);
struct constraint_def *sql_constraint_attrs(struct constraint_def *c, int bits);
struct constraint_def *sql_check_def(struct sql_parser *ps, uint32_t pos, struct expr *e);
struct constraint_def *
sql_unique(struct sql_parser *ps, uint32_t pos, struct sql_list columns, bool nulls_not_distinct);
struct constraint_def *
sql_references(struct sql_parser *ps, const struct qual_name *table, struct sql_list columns);
/* ref: what sql_references made. */
struct constraint_def *sql_foreign(struct sql_parser *ps,
                                   uint32_t pos,
                                   struct sql_list columns,
                                   struct constraint_def *ref);
/* Those of the column being read. */
void sql_column_constraint(struct sql_parser *ps, struct constraint_def *c);
void sql_column_constraint_name(struct sql_parser *ps, struct sql_token name);
void sql_column_attrs(struct sql_parser *ps, int bits);
void sql_column_collate(struct sql_parser *ps, const struct qual_name *name);
void sql_column_identity(struct sql_parser *ps,
                         uint32_t pos,
                         enum identity_kind kind,
                         struct sequence_def *sequence);
void sql_column_generated(struct sql_parser *ps, uint32_t pos, struct expr *e);
/* Takes the constraints read so far as an array. */
struct constraint_def *sql_constraints_take(struct sql_parser *ps, uint32_t *ret_count);

/* ---- ast_alter.c ---- */
/* ADD: begins the action, then the column and its constraints are read, then it is complete. */
struct alter_action *sql_alter_add(struct sql_parser *ps, bool if_not_exists);
struct alter_action *sql_alter_column(struct sql_parser *ps, struct alter_action *a);
struct alter_action *sql_alter_constraint(struct sql_parser *ps, struct constraint_def *c);
struct alter_action *sql_alter_key(struct sql_parser *ps); /* after its parts were read */
struct alter_action *sql_alter_drop(struct sql_parser *ps,
                                    enum alter_kind kind,
                                    bool if_exists,
                                    struct sql_token name,
                                    int behavior);
/* name NULL: the table itself. */
struct alter_action *sql_alter_rename(struct sql_parser *ps,
                                      enum alter_kind kind,
                                      const struct sql_token *name,
                                      struct sql_token to);
struct alter_action *sql_alter_set(struct sql_parser *ps, struct sql_list options);
struct alter_action *sql_alter_reset(struct sql_parser *ps, struct sql_list options);
struct alter_action *sql_alter_default(struct sql_parser *ps,
                                       enum alter_kind kind,
                                       struct sql_token name,
                                       struct expr *e);
struct alter_action *sql_alter_type(struct sql_parser *ps,
                                    struct sql_token name,
                                    struct type_name *type,
                                    const struct qual_name *collation,
                                    struct expr *using);
struct alter_action *sql_alter_identity(struct sql_parser *ps,
                                        enum alter_kind kind,
                                        struct sql_token name,
                                        struct sql_token at,
                                        int identity,
                                        struct sequence_def *sequence);
/* SET … SET …: two changes of one identity; and whose they are. */
struct alter_action *sql_alter_identity_merge(struct sql_parser *ps,
                                              struct alter_action *all,
                                              const struct alter_action *one);
struct alter_action *
sql_alter_identity_of(struct sql_parser *ps, struct alter_action *a, struct sql_token name);
void sql_alter(struct sql_parser *ps,
               int object,
               bool if_exists,
               const struct qual_name *table,
               struct sql_list actions);
