/* SPDX-License-Identifier: Apache-2.0
 *
 * type_ddl.h: types that CREATE TYPE made: their statements, what uses them, and how the parser
 * finds them. Owner thread of the connection. */
#pragma once

#include "engine/engine_int.h"

/* struct sql_types of a session. */
bool session_find_type(
    void *arg, const char *schema, const char *name, struct arena *arena, struct type_name *ret);
/* What of the catalog uses the type: "column c of table t", "view v", into `to`. 0: nothing; 1: a
 * column or a view has values of it; 2: a text (CHECK, DEFAULT, query) names it. */
int ddl_type_used(const struct catalog *cat,
                  uint32_t number,
                  char *to,
                  size_t size,
                  struct dn_err *err) DN_MUST_CHECK;
/* The types of a schema go with it, from *cat, which is replaced; DN_E_DEPENDENT: one is used. */
int ddl_types_drop(const char *schema, struct catalog **cat, struct dn_err *err) DN_MUST_CHECK;
/* A schema has another name: its types lie there, in *cat, which is replaced. */
int ddl_types_move(const char *was, const char *now, struct catalog **cat, struct dn_err *err)
    DN_MUST_CHECK;
