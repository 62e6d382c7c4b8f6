/* SPDX-License-Identifier: Apache-2.0
 *
 * func.h: scalar functions, operators and aggregates: one descriptor row each, beside its kernel.
 * Operators are functions whose name is the operator ("+", "<", "not", "is null", "cast").
 * Docs are printed from the tables and every example is executed by the tests.
 *
 * A kernel works on whole vectors: args[i].count == count, FLAT or CONST (eval turns a DICT into
 * one call over its entries, or flattens it); it fills ret->data (memory from the arena; ret->type,
 * form FLAT and count are set). ret->nulls marks on entry the rows whose result nobody wants:
 * strict functions: the union of the arguments' nulls; all functions: rows outside the selection.
 * The kernel must not raise for them (look at vec_is_null(ret, i) before raising division by zero
 * or overflow) and may skip them, but their data must be readable: a string there may not be wild.
 * Where that is cheaper a kernel may turn ret into a CONST (only if no argument has NULLs) or a
 * DICT. A kernel that makes NULLs of its own points ret->nulls at a new bitmap. A function over
 * CONST arguments only is called with count 1 and its result is a CONST vector.
 *
 * Any thread; no state but the call's. */
#pragma once

#include "base/arena.h"
#include "base/bytes.h"
#include "base/cancel.h"
#include "base/err.h"
#include "func/aggregate.h"
#include "func/session.h"
#include "vec/vec.h"

#define FUNC_ARGS_MAX 8u

enum func_flag {
    FUNC_STRICT = 1,     /* NULL in, NULL out */
    FUNC_VOLATILE = 2,   /* not folded at plan time */
    FUNC_VARIADIC = 4,   /* the last argument type repeats */
    FUNC_OPERATOR = 8,   /* printed as an operator; not callable by name */
    FUNC_STABLE = 16,    /* one value per statement (now()): not folded at plan time */
    FUNC_MONOTONIC = 32, /* with the other arguments constant, the result never falls while argument
                            `mono_arg` rises (equal for equal): date_trunc, time_bucket */
    FUNC_COMPATIBLE = 64, /* arguments of any type need not be of the same one, if one becomes the
                             others by itself: ARRAY[1] || 2.5 */
    FUNC_CLOCK = 128,     /* what a clock says; a coarser column rounds its digits */
    FUNC_ANY_FORM = 256,  /* for expr.c: the kernel takes a DICT as well as FLAT and CONST */
    FUNC_QUICK = 512,   /* for expr.c: the kernel costs less than a look at the selection. It has no
                           effect but its result, so it may be asked twice. One of BOOLEAN never
                           raises */
    FUNC_HALVES = 1024, /* rounds a DOUBLE, or is one of its DOUBLEs; those that stand for a NUMERIC
                           go another way (plan/decimal.h) */
    FUNC_TOKEN = 2048,  /* a place on the ring: rows are wanted in the order of it */
};

struct func_ctx {
    struct arena *arena;                /* of the batch */
    int64_t now_ns;                     /* the transaction's time */
    uint32_t pos;                       /* position of the call in the text, for errors */
    const struct func_session *session; /* NULL: there is none, as when constants are folded */
    const void *extra;                  /* func-specific (token(): unused; cast: none) */
};

/* DN_E_CANCELED if the statement is to end. Kernels that may take long for one row, or are slow for
 * each of many, look here. */
static inline DN_MUST_CHECK int func_check_cancel(const struct func_ctx *ctx, struct dn_err *err)
{
    return ctx->session ? dn_cancel_check(ctx->session->cancel, err) : 0;
}

/* The same for loops whose steps are short: looks once in FUNC_STEPS_MAX of them. `steps` is the
 * caller's count, 0 at first; the number of steps taken since the last call is added to it. */
#define FUNC_STEPS_MAX 65536u
static inline DN_MUST_CHECK int
func_count_steps(const struct func_ctx *ctx, uint32_t n, uint64_t *steps, struct dn_err *err)
{
    *steps += n;
    if (DN_LIKELY(*steps < FUNC_STEPS_MAX))
        return 0;
    *steps = 0;
    return func_check_cancel(ctx, err);
}

typedef int (*func_kernel)(const struct func_ctx *ctx,
                           const struct vec *args,
                           uint32_t args_count,
                           uint32_t count,
                           struct vec *ret,
                           struct dn_err *err);

struct func {
    const char *name;                 /* lower case */
    enum type_id args[FUNC_ARGS_MAX]; /* TYPE_NONE: any type, taken as it is; TYPE_ANY_ELEMENT and
                                         TYPE_ANY_ARRAY: any, but the same in all arguments */
    uint32_t args_count;
    enum type_id result;
    uint32_t flags;
    func_kernel kernel;
    uint32_t mono_arg;   /* FUNC_MONOTONIC: which argument */
    const char *doc;     /* one sentence */
    const char *example; /* "abs(-3) = 3"; NULL for operators shown elsewhere */
};

/* The overload for the argument types, with the casts it needs written to ret_casts (type each
 * argument must be cast to; equal to its own = none). TYPE_NONE arguments (NULL, untyped literals)
 * fit anything. Exact match first, then the cheapest implicit casts (SMALLINT < INTEGER < BIGINT <
 * REAL < DOUBLE; TIMESTAMP < (6) < (9)). NULL: err says which function and types
 * (DN_E_UNDEFINED_FUNCTION, hint with the nearest name or the types it takes), position ctx_pos. */
const struct func *func_find(const char *name,
                             const enum type_id *types,
                             uint32_t count,
                             enum type_id *ret_casts,
                             uint32_t pos,
                             struct dn_err *err);
/* The type of the result for arguments of the types in ret_casts of func_find; TYPE_NONE: that of
 * the first argument. */
enum type_id func_result(const struct func *f, const enum type_id *types, uint32_t count);
/* type_name, and what TYPE_ANY_ELEMENT and TYPE_ANY_ARRAY are called. */
const char *func_type_name(enum type_id type);
/* Who may ask for a cast; each may what those before it may. */
enum func_cast_level {
    FUNC_CAST_IMPLICIT, /* nobody: operators and functions take it as theirs */
    FUNC_CAST_ASSIGN,   /* a column that the value is to be stored in */
    FUNC_CAST_EXPLICIT, /* CAST(… AS …) */
    FUNC_CAST_NONE,     /* there is no such cast */
};
enum func_cast_level func_cast_level(enum type_id from, enum type_id to);
/* The cast from one type to another; NULL: no such cast. implicit: only those allowed without
 * asking. */
const struct func *func_cast(enum type_id from, enum type_id to, bool implicit);
/* A value (not NULL) as its type with those parameters keeps it: text in VARCHAR(n) characters, a
 * number rounded to NUMERIC(p, s), the fraction of a second rounded. cut: a cast was asked for, so
 * longer text is cut; else only blanks at its end are (DN_E_TOO_LONG). DN_E_OUT_OF_RANGE: a number
 * with too many digits before the point. */
int func_fit(const struct type_mods *mods,
             bool cut,
             struct arena *arena,
             struct datum *d,
             struct dn_err *err) DN_MUST_CHECK;
/* The same as a function of the value and the parameters (BIGINT constants), as a cast has it; of
 * the types that have parameters. In no table: nobody calls it by name. */
const struct func *func_fit_cast(enum type_id type);
/* A BIGINT and n: its last n bits as a BIT. In no table either. */
const struct func *func_bits_cast(void);
/* CHAR(n), or an array of them, and n: with the blanks that it is shown with. */
const struct func *func_pad(void);
/* round(DOUBLE) with halves away from zero, as NUMERIC does. */
const struct func *func_round_away(void);
/* The text every match of a LIKE pattern starts with, written to `to` (room for the pattern);
 * returns its length. ret_whole: the pattern is nothing but that text. */
uint32_t func_like_prefix(struct vstr pattern, struct vstr escape, char *to, bool *ret_whole);
/* Iteration for docs, completion and tests. */
const struct func *func_at(uint32_t i); /* NULL past the end */
/* The rows of a name, in any case of its letters, one after the other; NULL past the last. The walk
 * begins zeroed. */
struct func_walk {
    uint32_t table;
    uint32_t row;
};
const struct func *func_named(struct func_walk *w, const char *name);
/* Can two names be the same, by their first letters in any case? Most cannot. */
static inline bool func_name_may(const char *a, const char *b)
{
    return ((*a ^ *b) & ~0x20) == 0;
}
