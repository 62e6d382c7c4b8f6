/* SPDX-License-Identifier: Apache-2.0
 *
 * union.h: the inputs of a UNION ALL for an operator above it that reads each by itself, such as an
 * aggregate that asks their zones. One thread at a time. */
#pragma once

#include "exec/exec.h"

/* Is it one, whose inputs have nothing read of them yet? */
bool exec_union_is(const struct op *op);
/* Opens the next input that is no UNION ALL itself, after closing the one before it; *ret is
 * borrowed until the next call. DN_EOF: there are no more. */
int exec_union_next(struct op *op, struct op **ret, struct dn_err *err) DN_MUST_CHECK;
