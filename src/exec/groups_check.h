/* SPDX-License-Identifier: Apache-2.0
 *
 * groups_check.h: guesses of groups.h, checked column by column. Any thread. */
#pragma once

#include "vec/vec.h"

/* Is a key of each selected row, which is in v, that of its group, which c has under ids[i]? Clears
 * right[i] where it is not. `at` is scratch for as many rows. */
void exec_groups_check(const struct vec *v,
                       const struct colbuf *c,
                       const struct batch *in,
                       const uint32_t *ids,
                       uint16_t *at,
                       uint8_t *right);
