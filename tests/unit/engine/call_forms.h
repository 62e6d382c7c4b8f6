/* SPDX-License-Identifier: Apache-2.0
 *
 * call_forms.h: what takes arguments and is no function of the descriptor tables: expressions that
 * have a spelling of their own, calls that the binder knows by name, clauses, and assignments. For
 * test_calls.c. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Texts of statements in which #0 to #3 stand for arguments. */
#define CALL_FORMS_MAX 400u
uint32_t call_forms_count(void);
const char *call_form(uint32_t i);
bool call_forms_complete(void); /* each kind of expression of sql/ast_node.h has some */
