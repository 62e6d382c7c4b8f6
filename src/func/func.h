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
#include "base/err.h"
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
};

struct func_ctx {
    struct arena *arena; /* of the batch */
    int64_t now_ns;      /* statement's time */
    uint32_t pos;        /* position of the call in the text, for errors */
    const void *extra;   /* func-specific (token(): unused; cast: none) */
};

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
int func_fit(const struct type_mods *mods, bool cut, struct datum *d, struct dn_err *err)
    DN_MUST_CHECK;
/* The same as a function of the value and the parameters (BIGINT constants), as a cast has it; of
 * the types that have parameters. In no table: nobody calls it by name. */
const struct func *func_fit_cast(enum type_id type);
/* The text every match of a LIKE pattern starts with, written to `to` (room for the pattern);
 * returns its length. ret_whole: the pattern is nothing but that text. */
uint32_t func_like_prefix(struct vstr pattern, struct vstr escape, char *to, bool *ret_whole);
/* Iteration for docs, completion and tests. */
const struct func *func_at(uint32_t i); /* NULL past the end */

/* ---- aggregates ---- */

/* What an aggregate must be told of rows so that nobody needs to decode them. */
enum agg_zone_need {
    AGG_ZONE_COUNT = 1, /* rows and NULLs */
    AGG_ZONE_RANGE = 2, /* least and greatest value */
    AGG_ZONE_SUM = 4,
    AGG_ZONE_EARLY = 8, /* value and time of the earliest row (two arguments) */
    AGG_ZONE_LATE = 16,
};

struct agg_zone {
    uint32_t rows;
    uint32_t nulls;   /* of the argument, among them */
    struct datum min; /* null: there is no value */
    struct datum max;
    union vfixed sum;   /* i64 for integers, f64 for REAL and DOUBLE; 0 without values */
    struct datum early; /* not null */
    struct datum late;
    int64_t early_time;
    int64_t late_time;
};

/* f(fraction) WITHIN GROUP (ORDER BY x): x is the argument, the fraction, if it takes one, the
 * second. NULLs do not count, so where they sort is of no interest. */
enum agg_within {
    AGG_WITHIN_NONE,
    AGG_WITHIN_ASC,
    AGG_WITHIN_DESC, /* the same for ORDER BY x DESC: a row of its own, next to that of ASC */
};

struct agg {
    const char *name;  /* lower case: "count", "sum", "avg", "mean", "min", "max" */
    enum type_id arg;  /* TYPE_NONE with star: count(*) */
    enum type_id arg2; /* second argument; TIMESTAMP: the time of first(x, t), of any precision;
                          TYPE_NONE: there is none */
    bool star;
    bool in_order; /* the result depends on the order of the rows: they come in that of the input,
                      and parts are merged in that order */
    enum agg_within within;
    enum type_id result;
    uint32_t state_size; /* bytes; states are zeroed memory, 16-byte aligned */
    /* All selected rows into one state. v is NULL for count(*): rows says how many; with arg2 it
     * points at two vectors. sel NULL = rows 0..rows-1. */
    int (*update_all)(void *state,
                      const struct vec *v,
                      const uint16_t *sel,
                      uint32_t rows,
                      struct arena *strings,
                      struct dn_err *err);
    /* Row sel[i] (or i) goes to states[i]. */
    int (*update_grouped)(void *const *states,
                          const struct vec *v,
                          const uint16_t *sel,
                          uint32_t rows,
                          struct arena *strings,
                          struct dn_err *err);
    int (*merge)(void *into, const void *from, struct arena *strings, struct dn_err *err);
    int (*emit)(const void *state,
                struct datum *ret,
                struct dn_err *err); /* strings borrowed from the state */
    /* Rows of which only the zone is known. Set where it can be done; zone says what it needs. */
    int (*update_zone)(void *state,
                       const struct agg_zone *z,
                       struct arena *strings,
                       struct dn_err *err);
    uint32_t zone; /* enum agg_zone_need, or-ed */
    /* The state as bytes, to be put aside, and back into zeroed memory. Both NULL: it has no
     * pointers, its own bytes will do. A loaded state is as good as the one that was saved, and a
     * zeroed one changes nothing when it is merged. Bytes that make no sense are DN_E_CORRUPT. */
    void (*save)(const void *state, struct buf *b);
    int (*load)(void *state, const uint8_t *p, size_t n, struct arena *strings, struct dn_err *err);
    const char *doc;
    const char *example; /* "sum of (1, 2, 3) = 6" */
};

const struct agg *
agg_find(const char *name, bool star, enum type_id arg, uint32_t pos, struct dn_err *err);
/* With two arguments. first(x, time): the time may be of any precision, or an integer; it is not
 * cast to agg->arg2. Others: both may have to be cast to the types of the row. */
const struct agg *agg_find_pair(
    const char *name, enum type_id arg, enum type_id arg2, uint32_t pos, struct dn_err *err);
/* WITHIN GROUP (ORDER BY arg); it may have to be cast to the type of the row. */
const struct agg *
agg_find_within(const char *name, enum type_id arg, bool desc, uint32_t pos, struct dn_err *err);
/* Is it an aggregate of WITHIN GROUP? */
bool agg_name_within(const char *name);
/* Does it go by a time: first and last? */
bool agg_name_timed(const char *name);
/* How many arguments it may have in the parentheses, * aside. */
void agg_name_args(const char *name, uint32_t *ret_min, uint32_t *ret_max);
bool agg_name_exists(const char *name);
const struct agg *agg_at(uint32_t i);
/* save and load, whichever way the aggregate has them. */
void agg_save(const struct agg *a, const void *state, struct buf *b);
int agg_load(const struct agg *a,
             void *state,
             const uint8_t *p,
             size_t n,
             struct arena *strings,
             struct dn_err *err) DN_MUST_CHECK;
