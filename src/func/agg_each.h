/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_each.h: the updates of an aggregate that goes row by row. Any thread. */
#pragma once

#include "func/func_int.h"

/* prefix_all and prefix_grouped of an aggregate that goes row by row: `one` is
 * int (void *state, const struct vec *v, uint32_t row, struct arena *, struct dn_err *). */
#define AGG_EACH(prefix, one)                                       \
    static int prefix##_all(void *state,                            \
                            const struct vec *v,                    \
                            const uint16_t *sel,                    \
                            uint32_t rows,                          \
                            struct arena *strings,                  \
                            struct dn_err *err)                     \
    {                                                               \
        int rc = 0;                                                 \
                                                                    \
        for (uint32_t i = 0; i < rows && rc == 0; i++)              \
            rc = one(state, v, sel ? sel[i] : i, strings, err);     \
        return rc;                                                  \
    }                                                               \
    static int prefix##_grouped(void *const *states,                \
                                const struct vec *v,                \
                                const uint16_t *sel,                \
                                uint32_t rows,                      \
                                struct arena *strings,              \
                                struct dn_err *err)                 \
    {                                                               \
        int rc = 0;                                                 \
                                                                    \
        for (uint32_t i = 0; i < rows && rc == 0; i++)              \
            rc = one(states[i], v, sel ? sel[i] : i, strings, err); \
        return rc;                                                  \
    }
