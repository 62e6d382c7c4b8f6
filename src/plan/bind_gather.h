/* SPDX-License-Identifier: Apache-2.0
 *
 * bind_gather.h: many comparisons of one column as one list. One thread at a time. */
#pragma once

#include "plan/bind.h"

/* Operands of an OR that compare one column with many constants become one IN, those of an AND (<>)
 * one NOT IN. False: out of memory. */
bool bind_in_gather(struct binder *b, enum bexpr_kind kind, struct bexpr **args, uint32_t *count);
