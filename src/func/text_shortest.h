/* SPDX-License-Identifier: Apache-2.0
 *
 * text_shortest.h: the shortest decimal number that reads back as a given double; of several the
 * nearest. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* v > 0: v is *ret_digits * 10^*ret_exp10; the digits may end in zeros. False for what is left to
 * others: powers of two, whose neighbours are not equally far, subnormal and infinite ones. */
bool text_shortest(double v, uint64_t *ret_digits, int *ret_exp10);
