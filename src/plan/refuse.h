/* SPDX-License-Identifier: Apache-2.0
 *
 * refuse.h: the one place that knows which parts of the syntax tree nobody can execute yet. What it
 * lets pass, the binder, the planner and the engine handle. One thread at a time. */
#pragma once

#include "sql/ast.h"

/* DN_E_UNSUPPORTED "… is not supported yet" at its position, or 0. */
int plan_refuse(const struct stmt *stmt, struct dn_err *err) DN_MUST_CHECK;
