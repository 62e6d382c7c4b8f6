/* SPDX-License-Identifier: Apache-2.0
 *
 * func_int.h: what the files of src/func share. One table of descriptors per file; FUNC_TABLES and
 * AGG_TABLES name them once, func.c and agg.c walk them. Any thread. */
#pragma once

#include "func/func.h"

/* Where two rows of a name fit equally well (an untyped argument fits all), the earlier wins. */
#define FUNC_TABLES(X) \
    X(arith)           \
    X(compare)         \
    X(logic)           \
    X(cast)            \
    X(scalar)

#define AGG_TABLES(X) \
    X(count)          \
    X(sum)            \
    X(minmax)

struct func_table {
    const struct func *rows; /* static */
    uint32_t count;
};

struct agg_table {
    const struct agg *rows; /* static */
    uint32_t count;
};

#define X(name) extern const struct func_table func_table_##name;
FUNC_TABLES(X)
#undef X
#define X(name) extern const struct agg_table agg_table_##name;
AGG_TABLES(X)
#undef X

/* Inside src/func only: the kernel takes a DICT as well as FLAT and CONST. */
#define FUNC_ANY_FORM 256u

/* "integer out of range" in the words of the type: every operator raises it here. */
int func_fail_range(enum type_id type, struct dn_err *err);
int func_fail_zero(struct dn_err *err);

/* Result memory: count values of `size` bytes; NULL has raised DN_E_NOMEM. */
void *func_ret_alloc(
    const struct func_ctx *ctx, struct vec *ret, uint32_t count, size_t size, struct dn_err *err);

/* Bits of a double such that equal values have equal bits: one zero, one NaN. */
static inline uint64_t func_f64_bits(double f)
{
    uint64_t bits;

    if (f != f)
        return 0x7ff8000000000000u;
    if (f == 0)
        return 0;
    __builtin_memcpy(&bits, &f, sizeof bits);
    return bits;
}
