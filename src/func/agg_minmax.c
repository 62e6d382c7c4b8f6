/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_minmax.c: min and max of every type, in the order that comparisons use: strings by bytes, NaN
 * after all numbers. A winning string is copied over the last one if it fits there, so a column
 * that only rises does not fill the arena. */
#include "func/enum_int.h"
#include "func/func_int.h"

#include <string.h>

struct agg_minmax {
    union vfixed v; /* fixed-width types */
    char *str;      /* strings: our copy, in the arena */
    uint32_t len;   /* bytes of it */
    uint32_t cap;   /* bytes allocated */
    bool any;       /* a value was seen */
};

#define MINMAX_T            int8_t
#define MINMAX_FIELD        i64
#define MINMAX_CAST         int64_t
#define MINMAX_BETTER(x, y) ((x) < (y))
#define MINMAX_ALL          agg_min_i8_all
#define MINMAX_GROUPED      agg_min_i8_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            int8_t
#define MINMAX_FIELD        i64
#define MINMAX_CAST         int64_t
#define MINMAX_BETTER(x, y) ((y) < (x))
#define MINMAX_ALL          agg_max_i8_all
#define MINMAX_GROUPED      agg_max_i8_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            int16_t
#define MINMAX_FIELD        i64
#define MINMAX_CAST         int64_t
#define MINMAX_BETTER(x, y) ((x) < (y))
#define MINMAX_ALL          agg_min_i16_all
#define MINMAX_GROUPED      agg_min_i16_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            int16_t
#define MINMAX_FIELD        i64
#define MINMAX_CAST         int64_t
#define MINMAX_BETTER(x, y) ((y) < (x))
#define MINMAX_ALL          agg_max_i16_all
#define MINMAX_GROUPED      agg_max_i16_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            int32_t
#define MINMAX_FIELD        i64
#define MINMAX_CAST         int64_t
#define MINMAX_BETTER(x, y) ((x) < (y))
#define MINMAX_ALL          agg_min_i32_all
#define MINMAX_GROUPED      agg_min_i32_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            int32_t
#define MINMAX_FIELD        i64
#define MINMAX_CAST         int64_t
#define MINMAX_BETTER(x, y) ((y) < (x))
#define MINMAX_ALL          agg_max_i32_all
#define MINMAX_GROUPED      agg_max_i32_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            int64_t
#define MINMAX_FIELD        i64
#define MINMAX_CAST         int64_t
#define MINMAX_BETTER(x, y) ((x) < (y))
#define MINMAX_ALL          agg_min_i64_all
#define MINMAX_GROUPED      agg_min_i64_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            int64_t
#define MINMAX_FIELD        i64
#define MINMAX_CAST         int64_t
#define MINMAX_BETTER(x, y) ((y) < (x))
#define MINMAX_ALL          agg_max_i64_all
#define MINMAX_GROUPED      agg_max_i64_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            float
#define MINMAX_FIELD        f64
#define MINMAX_CAST         double
#define MINMAX_BETTER(x, y) ((x) < (y))
#define MINMAX_FLOAT
#define MINMAX_NAN     0
#define MINMAX_ALL     agg_min_f32_all
#define MINMAX_GROUPED agg_min_f32_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            float
#define MINMAX_FIELD        f64
#define MINMAX_CAST         double
#define MINMAX_BETTER(x, y) ((y) < (x))
#define MINMAX_FLOAT
#define MINMAX_NAN     1
#define MINMAX_ALL     agg_max_f32_all
#define MINMAX_GROUPED agg_max_f32_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            double
#define MINMAX_FIELD        f64
#define MINMAX_CAST         double
#define MINMAX_BETTER(x, y) ((x) < (y))
#define MINMAX_FLOAT
#define MINMAX_NAN     0
#define MINMAX_ALL     agg_min_f64_all
#define MINMAX_GROUPED agg_min_f64_grouped
#include "func/agg_minmax_tmpl.h"

#define MINMAX_T            double
#define MINMAX_FIELD        f64
#define MINMAX_CAST         double
#define MINMAX_BETTER(x, y) ((y) < (x))
#define MINMAX_FLOAT
#define MINMAX_NAN     1
#define MINMAX_ALL     agg_max_f64_all
#define MINMAX_GROUPED agg_max_f64_grouped
#include "func/agg_minmax_tmpl.h"

/* ---- strings ---- */

#define AGG_STR_CAP_FIRST 16u

static int
agg_str_take(struct agg_minmax *s, struct vstr x, struct arena *strings, struct dn_err *err)
{
    if (x.len > s->cap || !s->str) {
        uint32_t cap = s->cap < AGG_STR_CAP_FIRST ? AGG_STR_CAP_FIRST : s->cap;
        char *str;

        while (cap < x.len)
            cap = cap > UINT32_MAX / 2 ? x.len : cap * 2;
        str = arena_alloc(strings, cap);
        if (!str)
            return DN_FAIL_NOMEM(err);
        s->str = str;
        s->cap = cap;
    }
    if (x.len)
        memcpy(s->str, x.ptr, x.len);
    s->len = x.len;
    s->any = true;
    return 0;
}

static inline bool agg_str_wins(struct vstr x, struct vstr y, bool max)
{
    int c = vstr_cmp(x, y);

    return max ? c > 0 : c < 0;
}

static int agg_str_one(
    struct agg_minmax *s, struct vstr x, bool max, struct arena *strings, struct dn_err *err)
{
    if (s->any && !agg_str_wins(x, (struct vstr){s->str, s->len}, max))
        return 0;
    return agg_str_take(s, x, strings, err);
}

/* The batch's winner first, so that at most one string is copied. */
static int agg_str_all(void *state,
                       const struct vec *v,
                       const uint16_t *sel,
                       uint32_t rows,
                       bool max,
                       struct arena *strings,
                       struct dn_err *err)
{
    const struct vstr *data = v->data;
    const struct vstr *best = NULL;

    if (v->form == VEC_CONST && rows > 1)
        rows = 1;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (vec_is_null(v, row))
            continue;
        if (!best || agg_str_wins(data[vec_at(v, row)], *best, max))
            best = &data[vec_at(v, row)];
    }
    return best ? agg_str_one(state, *best, max, strings, err) : 0;
}

static int agg_str_grouped(void *const *states,
                           const struct vec *v,
                           const uint16_t *sel,
                           uint32_t rows,
                           bool max,
                           struct arena *strings,
                           struct dn_err *err)
{
    const struct vstr *data = v->data;

    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (!vec_is_null(v, row)) {
            int rc = agg_str_one(states[i], data[vec_at(v, row)], max, strings, err);

            if (rc < 0)
                return rc;
        }
    }
    return 0;
}

static int agg_min_str_all(void *state,
                           const struct vec *v,
                           const uint16_t *sel,
                           uint32_t rows,
                           struct arena *strings,
                           struct dn_err *err)
{
    return agg_str_all(state, v, sel, rows, false, strings, err);
}

static int agg_min_str_grouped(void *const *states,
                               const struct vec *v,
                               const uint16_t *sel,
                               uint32_t rows,
                               struct arena *strings,
                               struct dn_err *err)
{
    return agg_str_grouped(states, v, sel, rows, false, strings, err);
}

static int agg_max_str_all(void *state,
                           const struct vec *v,
                           const uint16_t *sel,
                           uint32_t rows,
                           struct arena *strings,
                           struct dn_err *err)
{
    return agg_str_all(state, v, sel, rows, true, strings, err);
}

static int agg_max_str_grouped(void *const *states,
                               const struct vec *v,
                               const uint16_t *sel,
                               uint32_t rows,
                               struct arena *strings,
                               struct dn_err *err)
{
    return agg_str_grouped(states, v, sel, rows, true, strings, err);
}

/* ---- merge and emit: one kernel per type, as they must know it ---- */

static int agg_minmax_merge(void *into,
                            const void *from,
                            enum type_id type,
                            bool max,
                            struct arena *strings,
                            struct dn_err *err)
{
    struct agg_minmax *a = into;
    const struct agg_minmax *b = from;
    struct datum da = {.type = type, .v = a->v, .str = {a->str, a->len}};
    struct datum db = {.type = type, .v = b->v, .str = {b->str, b->len}};
    int c;

    if (!b->any)
        return 0;
    c = a->any ? datum_cmp(&db, &da) : 0;
    if (a->any && (max ? c <= 0 : c >= 0))
        return 0;
    if (type_is_string(type))
        return agg_str_take(a, db.str, strings, err);
    a->v = b->v;
    a->any = true;
    return 0;
}

/* One value, of rows that nobody decoded. */
static int agg_minmax_zone(
    void *state, const struct datum *d, bool max, struct arena *strings, struct dn_err *err)
{
    struct agg_minmax *s = state;
    struct datum have = {.type = d->type, .v = s->v, .str = {s->str, s->len}};
    int c;

    if (d->null)
        return 0;
    c = s->any ? datum_cmp(d, &have) : 0;
    if (s->any && (max ? c <= 0 : c >= 0))
        return 0;
    if (type_is_string(d->type))
        return agg_str_take(s, d->str, strings, err);
    s->v = d->v;
    s->any = true;
    return 0;
}

static int
agg_min_zone(void *state, const struct agg_zone *z, struct arena *strings, struct dn_err *err)
{
    return agg_minmax_zone(state, &z->min, false, strings, err);
}

static int
agg_max_zone(void *state, const struct agg_zone *z, struct arena *strings, struct dn_err *err)
{
    return agg_minmax_zone(state, &z->max, true, strings, err);
}

static int agg_minmax_emit(const void *state, enum type_id type, struct datum *ret)
{
    const struct agg_minmax *s = state;

    *ret = (struct datum){.type = type, .null = !s->any, .v = s->v, .str = {"", 0}};
    if (s->any && type_is_string(type))
        ret->str = (struct vstr){s->str, s->len};
    return 0;
}

/* The struct, then the string. */
static void agg_minmax_save(const void *state, struct buf *b)
{
    const struct agg_minmax *s = state;

    buf_append(b, s, sizeof *s);
    if (s->str && s->len)
        buf_append(b, s->str, s->len);
}

static int
agg_minmax_load(void *state, const uint8_t *p, size_t n, struct arena *strings, struct dn_err *err)
{
    struct agg_minmax *s = state;

    if (n < sizeof *s)
        return agg_load_fail("min or max", n, err);
    memcpy(s, p, sizeof *s);
    if (!s->str)
        return 0;
    if (n != sizeof *s + s->len)
        return agg_load_fail("min or max", n, err);
    s->cap = s->len;
    s->str = arena_dup(strings, p + sizeof *s, s->len);
    return s->str ? 0 : DN_FAIL_NOMEM(err);
}

#define MINMAX_TYPES(X)                                                                          \
    X(BIGINT, i64, "2", "1", "3")                                                                \
    X(INTEGER, i32, "2", "1", "3")                                                               \
    X(SMALLINT, i16, "2", "1", "3")                                                              \
    X(DOUBLE, f64, "2", "0.5", "2.5")                                                            \
    X(REAL, f32, "2", "0.5", "2.5")                                                              \
    X(VARCHAR, str, "b", "a", "c")                                                               \
    X(BLOB, str, "0x02", "0x01", "0x03")                                                         \
    X(BOOLEAN, i8, "true", "false", "true")                                                      \
    X(TIMESTAMP,                                                                                 \
      i64,                                                                                       \
      "2015-06-02T00:00:00.000Z",                                                                \
      "2015-06-01T00:00:00.000Z",                                                                \
      "2015-06-03T00:00:00.000Z")                                                                \
    X(TIMESTAMP_US,                                                                              \
      i64,                                                                                       \
      "2015-06-02T00:00:00.000000Z",                                                             \
      "2015-06-01T00:00:00.000000Z",                                                             \
      "2015-06-03T00:00:00.000000Z")                                                             \
    X(TIMESTAMP_NS,                                                                              \
      i64,                                                                                       \
      "2015-06-02T00:00:00.000000000Z",                                                          \
      "2015-06-01T00:00:00.000000000Z",                                                          \
      "2015-06-03T00:00:00.000000000Z")                                                          \
    X(DATE, i32, "2015-06-02", "2015-06-01", "2015-06-03")                                       \
    X(TIME, i64, "04:05:02", "04:05:01", "04:05:03")                                             \
    X(TIMETZ, i64, "04:05:02+00", "04:05:01+00", "04:05:03+00")                                  \
    X(TIMESTAMPTZ,                                                                               \
      i64,                                                                                       \
      "2015-06-02 00:00:00+00",                                                                  \
      "2015-06-01 00:00:00+00",                                                                  \
      "2015-06-03 00:00:00+00")                                                                  \
    X(TIMESTAMP_LOCAL, i64, "2015-06-02 00:00:00", "2015-06-01 00:00:00", "2015-06-03 00:00:00") \
    X(BPCHAR, str, "b", "a", "c")                                                                \
    X(UUID,                                                                                      \
      str,                                                                                       \
      "00000000-0000-0000-0000-000000000002",                                                    \
      "00000000-0000-0000-0000-000000000001",                                                    \
      "00000000-0000-0000-0000-000000000003")

/* How partial results of a type are merged and shown. */
#define MINMAX_FUNCTIONS(t)                                                      \
    static int agg_min_merge_##t(                                                \
        void *into, const void *from, struct arena *strings, struct dn_err *err) \
    {                                                                            \
        return agg_minmax_merge(into, from, TYPE_##t, false, strings, err);      \
    }                                                                            \
    static int agg_max_merge_##t(                                                \
        void *into, const void *from, struct arena *strings, struct dn_err *err) \
    {                                                                            \
        return agg_minmax_merge(into, from, TYPE_##t, true, strings, err);       \
    }                                                                            \
    static int agg_minmax_emit_##t(                                              \
        const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)      \
    {                                                                            \
        return agg_minmax_emit(state, TYPE_##t, ret);                            \
    }

#define X(t, suffix, mid, lo, hi) MINMAX_FUNCTIONS(t)
MINMAX_TYPES(X)
#undef X

/* Arrays: their bytes have their order. */
#define MINMAX_ARRAYS(X) \
    X(BOOLEAN)           \
    X(SMALLINT)          \
    X(INTEGER)           \
    X(BIGINT)            \
    X(REAL)              \
    X(DOUBLE)            \
    X(VARCHAR)           \
    X(BPCHAR)            \
    X(BLOB)              \
    X(TIMESTAMP)         \
    X(TIMESTAMP_US)      \
    X(TIMESTAMP_NS)      \
    X(INTERVAL)          \
    X(DATE)              \
    X(TIME)              \
    X(TIMETZ)            \
    X(TIMESTAMPTZ)       \
    X(TIMESTAMP_LOCAL)   \
    X(UUID)              \
    X(NUMERIC)

#define MINMAX_ARRAY(t) ((enum type_id)(TYPE_##t | TYPE_ARRAY))
#define X(t)                                                                       \
    static int agg_min_merge_array_##t(                                            \
        void *into, const void *from, struct arena *strings, struct dn_err *err)   \
    {                                                                              \
        return agg_minmax_merge(into, from, MINMAX_ARRAY(t), false, strings, err); \
    }                                                                              \
    static int agg_max_merge_array_##t(                                            \
        void *into, const void *from, struct arena *strings, struct dn_err *err)   \
    {                                                                              \
        return agg_minmax_merge(into, from, MINMAX_ARRAY(t), true, strings, err);  \
    }                                                                              \
    static int agg_minmax_emit_array_##t(                                          \
        const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)        \
    {                                                                              \
        return agg_minmax_emit(state, MINMAX_ARRAY(t), ret);                       \
    }
MINMAX_ARRAYS(X)
#undef X

#define MINMAX_ARRAY_ROW(m, t, text)          \
    {.name = #m,                              \
     .arg = MINMAX_ARRAY(t),                  \
     .result = MINMAX_ARRAY(t),               \
     .state_size = sizeof(struct agg_minmax), \
     .update_all = agg_##m##_str_all,         \
     .update_grouped = agg_##m##_str_grouped, \
     .merge = agg_##m##_merge_array_##t,      \
     .emit = agg_minmax_emit_array_##t,       \
     .save = agg_minmax_save,                 \
     .load = agg_minmax_load,                 \
     .doc = text,                             \
     .example = #m " of ({}, NULL) = {}"},

/* Strings have none. */
#define agg_min_str_all_turns NULL
#define agg_max_str_all_turns NULL

#define MINMAX_ROW(m, t, suffix, text, sample)       \
    {.name = #m,                                     \
     .arg = TYPE_##t,                                \
     .result = TYPE_##t,                             \
     .state_size = sizeof(struct agg_minmax),        \
     .update_all = agg_##m##_##suffix##_all,         \
     .update_grouped = agg_##m##_##suffix##_grouped, \
     .update_turns = agg_##m##_##suffix##_all_turns, \
     .merge = agg_##m##_merge_##t,                   \
     .emit = agg_minmax_emit_##t,                    \
     .update_zone = agg_##m##_zone,                  \
     .zone = AGG_ZONE_RANGE,                         \
     .save = agg_minmax_save,                        \
     .load = agg_minmax_load,                        \
     .doc = text,                                    \
     .example = sample},

static const struct agg agg_minmax_rows[] = {
#define X(t, suffix, mid, lo, hi)                                           \
    MINMAX_ROW(min,                                                         \
               t,                                                           \
               suffix,                                                      \
               "Least value that is not NULL; NULL when there is none.",    \
               "min of (" mid ", NULL, " lo ") = " lo)                      \
    MINMAX_ROW(max,                                                         \
               t,                                                           \
               suffix,                                                      \
               "Greatest value that is not NULL; NULL when there is none.", \
               "max of (" mid ", NULL, " hi ") = " hi)
    MINMAX_TYPES(X)
#undef X
#define X(t)                                                                           \
    MINMAX_ARRAY_ROW(min, t, "Least value that is not NULL; NULL when there is none.") \
    MINMAX_ARRAY_ROW(max, t, "Greatest value that is not NULL; NULL when there is none.")
        MINMAX_ARRAYS(X)
#undef X
};

MINMAX_FUNCTIONS(ENUM)

const struct agg agg_enum_minmax[AGG_ENUM_MINMAX] = {
    MINMAX_ROW(min, ENUM, i64, "Least value that is not NULL; NULL when there is none.", NULL)
        MINMAX_ROW(
            max, ENUM, i64, "Greatest value that is not NULL; NULL when there is none.", NULL)};

const struct agg_table agg_table_minmax = {agg_minmax_rows, DN_ARRAY_SIZE(agg_minmax_rows)};
