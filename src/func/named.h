/* SPDX-License-Identifier: Apache-2.0
 *
 * named.h: names of arguments, for calls like make_interval(days => 10): of the functions whose
 * names PostgreSQL documents. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FUNC_NAMED_MAX 8u

struct func_named {
    const char *name; /* of the function, lower case */
    const char *args[FUNC_NAMED_MAX];
    uint32_t count;
    bool zeros; /* what is left out is 0; else all must be given */
};

/* NULL past the end. Rows of one function are in the order in which they are tried. */
const struct func_named *func_named_at(uint32_t i);
