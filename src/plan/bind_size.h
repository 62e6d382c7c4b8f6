/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_size.h: inside of plan/: bind_expr without its look at the size of the result and at the
 * cancel flag; bind_size.c says what they are for. One thread at a time. */
#pragma once

#include "plan/bind.h"

int bind_expr_kind(struct binder *b, const struct expr *e, struct bexpr **ret, struct dn_err *err)
    DN_MUST_CHECK;
