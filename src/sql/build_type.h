/* SPDX-License-Identifier: Apache-2.0
 *
 * build_type.h: inside src/sql: what the grammar's actions call for CREATE, ALTER and DROP TYPE
 * (ast_type.c). One thread at a time. */
#pragma once

#include "sql/ast_build.h"

struct type_place { /* ADD VALUE … BEFORE, AFTER */
    bool given;
    bool after;
    struct sql_token beside;
};
struct type_place
sql_type_place(struct sql_parser *ps, struct sql_token word, struct sql_token beside);
void sql_create_enum(struct sql_parser *ps,
                     const struct qual_name *name,
                     struct sql_token word,
                     struct sql_list labels);
void sql_type_add(struct sql_parser *ps,
                  const struct qual_name *name,
                  struct sql_token word,
                  bool if_not_exists,
                  struct sql_token label,
                  struct type_place place);
void sql_type_rename_value(struct sql_parser *ps,
                           const struct qual_name *name,
                           struct sql_token word,
                           struct sql_token was,
                           struct sql_token to);
/* what: RENAME, SET_SCHEMA or OWNER. */
void sql_type_to(struct sql_parser *ps,
                 const struct qual_name *name,
                 enum type_what what,
                 struct sql_token to);
void sql_type_drop(struct sql_parser *ps, bool if_exists, struct sql_list names, int behavior);
