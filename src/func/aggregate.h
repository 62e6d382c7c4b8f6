/* SPDX-License-Identifier: Apache-2.0
 *
 * aggregate.h: aggregate functions: one descriptor row each. States are zeroed memory that only the
 * functions of the row look into. Any thread; a state belongs to one thread at a time. */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "vec/vec.h"

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
    bool nulls_count; /* NULLs count: FILTER becomes a second argument, BOOLEAN */
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
    /* Optional: the same for states that take turns: rows i, i + turn, i + 2 * turn … go to
     * states[i], 1 <= turn <= rows. v is FLAT and without NULLs, or NULL for count(*). */
    void (*update_turns)(void *const *states, const struct vec *v, uint32_t turn, uint32_t rows);
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
/* The type of its result for an argument of that type: a->result, but ENUM says of which type. */
enum type_id agg_result(const struct agg *a, enum type_id arg);
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
/* The rows of a name, as func_named has those of functions. */
struct func_walk;
const struct agg *agg_named(struct func_walk *w, const char *name);
/* save and load, whichever way the aggregate has them. */
void agg_save(const struct agg *a, const void *state, struct buf *b);
int agg_load(const struct agg *a,
             void *state,
             const uint8_t *p,
             size_t n,
             struct arena *strings,
             struct dn_err *err) DN_MUST_CHECK;
