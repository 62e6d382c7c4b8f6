/* SPDX-License-Identifier: Apache-2.0
 *
 * build_access.h: builders of the statements of ast_access.h, for the grammar's actions; as
 * ast_build.h. Inside src/sql only. One thread at a time. */
#pragma once

#include "sql/ast_build.h"

/* A word of a role's options that is a name. */
struct option_spec *sql_role_name(struct sql_parser *ps, struct sql_token tok);
void sql_role(struct sql_parser *ps,
              enum role_action action,
              bool user,
              struct sql_token name,
              struct sql_list words);
void sql_role_rename(struct sql_parser *ps, struct sql_token name, struct sql_token to);
void sql_role_set(struct sql_parser *ps,
                  struct sql_token name,
                  const struct qual_name *setting,
                  struct sql_list values,
                  bool reset);
void sql_role_names(struct sql_parser *ps,
                    enum role_action action,
                    bool if_exists,
                    struct sql_list names,
                    const struct sql_token *to);

void sql_owner(struct sql_parser *ps,
               int object,
               bool if_exists,
               const struct qual_name *name,
               struct sql_token to);

/* A privilege and its columns, for the list of sql_grant_what. */
struct grant_word {
    struct spec_name name; /* ALL has none */
    struct grant_columns columns;
};
struct grant_word *
sql_grant_word(struct sql_parser *ps, const struct sql_token *name, struct sql_list columns);
/* Parts of a GRANT, and the whole; on NULL: roles are given. */
#define SQL_REVOKE 1
#define SQL_OPTION 2
/* words: of sql_grant_word. all: the one word is ALL. */
struct grant_stmt *sql_grant_what(struct sql_parser *ps, struct sql_list words, bool all);
struct grant_stmt *sql_grant_on(struct sql_parser *ps,
                                enum object_kind object,
                                bool everything,
                                struct sql_list objects);
struct grant_stmt *sql_grant_to(struct sql_parser *ps, struct sql_list grantees);
void sql_grant(struct sql_parser *ps,
               const struct grant_stmt *what,
               const struct grant_stmt *on,
               const struct grant_stmt *to,
               int flags,
               int behavior);
