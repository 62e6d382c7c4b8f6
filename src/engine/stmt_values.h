/* SPDX-License-Identifier: Apache-2.0
 *
 * stmt_values.h: values that come into a statement, and texts of those that leave it. Part of
 * engine_int.h; threads as there. */
#pragma once

#include "vec/vec.h"

/* A value given for a parameter. */
struct stmt_param {
    bool bound;
    bool untyped; /* text: as a quoted literal */
    struct datum value;
    char *bytes; /* owned copy of string bytes */
};

struct stmt_text {
    const char *ptr; /* NULL: not made yet */
    size_t len;
};
