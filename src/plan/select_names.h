/* SPDX-License-Identifier: Apache-2.0
 *
 * select_names.h: inside of plan/: names of a result's columns. One thread at a time. */
#pragma once

#include "plan/select_int.h"

/* What the column is called; NULL: out of memory. */
const char *select_item_name(struct sel *s, const struct select_item *item, const struct bexpr *e);
/* What PostgreSQL calls an item without alias, of which ORDER BY and GROUP BY know.
 * NULL: out of memory. */
const char *select_implied_name(struct sel *s, const struct expr *e);
/* A bare name that is the name of a result column: one that was given, else one that is implied;
 * exact first, then in any case. computed: names of bare columns do not count. 1: none. */
int select_by_name(const struct sel *s,
                   const struct expr *e,
                   bool computed,
                   uint32_t *ret,
                   struct dn_err *err) DN_MUST_CHECK;
