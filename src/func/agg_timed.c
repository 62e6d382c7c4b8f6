/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_timed.c: first(x, t) and last(x, t): the value with the earliest or the latest time. Rows
 * where either is NULL do not count. Of several values at that one time first takes the least and
 * last the greatest: so the result does not depend on the order in which rows or parts come. The
 * planner gives t where the query does not: the table's time column. */
#include "func/func_int.h"

#include <string.h>

struct agg_timed {
    struct datum value; /* string bytes are ours, in the arena */
    int64_t time;
    uint32_t cap; /* bytes allocated for a string */
    bool any;
};

static int agg_timed_take(struct agg_timed *s,
                          const struct datum *d,
                          int64_t time,
                          struct arena *strings,
                          struct dn_err *err)
{
    const char *kept = s->value.str.ptr;
    union {
        const char *in;
        char *out;
    } own = {.in = kept}; /* it was allocated below */

    if (type_is_string(d->type)) {
        if (!s->any || d->str.len > s->cap) {
            uint32_t cap = d->str.len < 16 ? 16 : d->str.len + d->str.len / 2;

            own.out = arena_alloc(strings, cap);
            if (!own.out)
                return DN_FAIL_NOMEM(err);
            s->cap = cap;
        }
        memcpy(own.out, d->str.ptr, d->str.len);
    }
    s->value = *d;
    if (type_is_string(d->type))
        s->value.str.ptr = own.in;
    s->time = time;
    s->any = true;
    return 0;
}

/* Does (time, d) come before what is there (after it, for last)? */
static bool
agg_timed_wins(const struct agg_timed *s, int64_t time, const struct datum *d, bool last)
{
    int c;

    if (!s->any || time != s->time)
        return !s->any || (last ? time > s->time : time < s->time);
    c = datum_cmp(d, &s->value);
    return last ? c > 0 : c < 0;
}

static int agg_timed_one(struct agg_timed *s,
                         const struct vec *v,
                         uint32_t row,
                         bool last,
                         struct arena *strings,
                         struct dn_err *err)
{
    int64_t time;
    struct datum d;

    if (vec_is_null(&v[0], row) || vec_is_null(&v[1], row))
        return 0;
    time = vec_i64(&v[1], row);
    if (s->any && (last ? time < s->time : time > s->time)) /* most rows, once time goes that way */
        return 0;
    d = vec_datum(&v[0], row);
    return agg_timed_wins(s, time, &d, last) ? agg_timed_take(s, &d, time, strings, err) : 0;
}

/* Does the time never go the other way? Then only the end that counts has to be looked at. */
static bool agg_timed_sorted(const int64_t *t, uint32_t rows, bool *ret_rising)
{
    bool rises = false;
    bool falls = false;

    for (uint32_t i = 1; i < rows; i++) {
        rises |= t[i] > t[i - 1];
        falls |= t[i] < t[i - 1];
    }
    *ret_rising = !falls;
    return !(rises && falls);
}

/* The rows of one state; of a sorted, plain time only those at the end that counts. */
static int agg_timed_all(void *state,
                         const struct vec *v,
                         const uint16_t *sel,
                         uint32_t rows,
                         bool last,
                         struct arena *strings,
                         struct dn_err *err)
{
    const int64_t *t = v[1].data;
    uint32_t from = 0;
    uint32_t end = rows;
    bool rising = false;

    if (rows > 8 && !sel && v[1].form == VEC_FLAT && type_phys(v[1].type) == PHYS_I64 &&
        !v[0].nulls && !v[1].nulls && agg_timed_sorted(t, rows, &rising)) {
        if (rising == last)
            for (from = rows - 1; from > 0 && t[from - 1] == t[rows - 1];)
                from--;
        else
            for (end = 1; end < rows && t[end] == t[0];)
                end++;
    }
    for (uint32_t i = from; i < end; i++) {
        int rc = agg_timed_one(state, v, sel ? sel[i] : i, last, strings, err);

        if (rc < 0)
            return rc;
    }
    return 0;
}

static int agg_timed_grouped(void *const *states,
                             const struct vec *v,
                             const uint16_t *sel,
                             uint32_t rows,
                             bool last,
                             struct arena *strings,
                             struct dn_err *err)
{
    for (uint32_t i = 0; i < rows; i++) {
        int rc = agg_timed_one(states[i], v, sel ? sel[i] : i, last, strings, err);

        if (rc < 0)
            return rc;
    }
    return 0;
}

static int
agg_timed_merge(void *into, const void *from, bool last, struct arena *strings, struct dn_err *err)
{
    const struct agg_timed *b = from;

    if (!b->any || !agg_timed_wins(into, b->time, &b->value, last))
        return 0;
    return agg_timed_take(into, &b->value, b->time, strings, err);
}

static int agg_timed_zone(struct agg_timed *s,
                          const struct datum *d,
                          int64_t time,
                          bool last,
                          struct arena *strings,
                          struct dn_err *err)
{
    return agg_timed_wins(s, time, d, last) ? agg_timed_take(s, d, time, strings, err) : 0;
}

static int
agg_first_zone(void *state, const struct agg_zone *z, struct arena *strings, struct dn_err *err)
{
    return agg_timed_zone(state, &z->early, z->early_time, false, strings, err);
}

static int
agg_last_zone(void *state, const struct agg_zone *z, struct arena *strings, struct dn_err *err)
{
    return agg_timed_zone(state, &z->late, z->late_time, true, strings, err);
}

#define AGG_TIMED(name, last)                                                    \
    static int agg_##name##_all(void *state,                                     \
                                const struct vec *v,                             \
                                const uint16_t *sel,                             \
                                uint32_t rows,                                   \
                                struct arena *strings,                           \
                                struct dn_err *err)                              \
    {                                                                            \
        return agg_timed_all(state, v, sel, rows, last, strings, err);           \
    }                                                                            \
    static int agg_##name##_grouped(void *const *states,                         \
                                    const struct vec *v,                         \
                                    const uint16_t *sel,                         \
                                    uint32_t rows,                               \
                                    struct arena *strings,                       \
                                    struct dn_err *err)                          \
    {                                                                            \
        return agg_timed_grouped(states, v, sel, rows, last, strings, err);      \
    }                                                                            \
    static int agg_##name##_merge(                                               \
        void *into, const void *from, struct arena *strings, struct dn_err *err) \
    {                                                                            \
        return agg_timed_merge(into, from, last, strings, err);                  \
    }
AGG_TIMED(first, false)
AGG_TIMED(last, true)

/* The struct, then the string. */
static void agg_timed_save(const void *state, struct buf *b)
{
    const struct agg_timed *s = state;

    buf_append(b, s, sizeof *s);
    if (s->any && type_is_string(s->value.type))
        buf_append(b, s->value.str.ptr, s->value.str.len);
}

static int
agg_timed_load(void *state, const uint8_t *p, size_t n, struct arena *strings, struct dn_err *err)
{
    struct agg_timed *s = state;
    struct vstr *str = &s->value.str;

    if (n < sizeof *s)
        return agg_load_fail("first or last", n, err);
    memcpy(s, p, sizeof *s);
    if (!s->any || !type_is_string(s->value.type))
        return 0;
    if (n != sizeof *s + str->len)
        return agg_load_fail("first or last", n, err);
    s->cap = str->len;
    str->ptr = arena_dup(strings, p + sizeof *s, str->len);
    return str->ptr ? 0 : DN_FAIL_NOMEM(err);
}

#define AGG_TIMED_EMIT(t, one, two)                                         \
    static int agg_timed_emit_##t(                                          \
        const void *state, struct datum *ret, struct dn_err *err DN_UNUSED) \
    {                                                                       \
        const struct agg_timed *s = state;                                  \
                                                                            \
        *ret = s->value;                                                    \
        ret->type = TYPE_##t;                                               \
        ret->null = !s->any;                                                \
        return 0;                                                           \
    }

#define AGG_TIMED_ROW(aname, t, needs, text, sample) \
    {.name = #aname,                                 \
     .arg = TYPE_##t,                                \
     .arg2 = TYPE_TIMESTAMP,                         \
     .result = TYPE_##t,                             \
     .state_size = sizeof(struct agg_timed),         \
     .update_all = agg_##aname##_all,                \
     .update_grouped = agg_##aname##_grouped,        \
     .merge = agg_##aname##_merge,                   \
     .emit = agg_timed_emit_##t,                     \
     .update_zone = agg_##aname##_zone,              \
     .zone = needs,                                  \
     .save = agg_timed_save,                         \
     .load = agg_timed_load,                         \
     .doc = text,                                    \
     .example = sample},

/* type, two values as text */
#define AGG_TIMED_TYPES(X)                                                              \
    X(BIGINT, "7", "5")                                                                 \
    X(INTEGER, "7", "5")                                                                \
    X(SMALLINT, "7", "5")                                                               \
    X(DOUBLE, "0.7", "0.5")                                                             \
    X(REAL, "0.7", "0.5")                                                               \
    X(VARCHAR, "b", "a")                                                                \
    X(BPCHAR, "b", "a")                                                                 \
    X(BOOLEAN, "true", "false")                                                         \
    X(BLOB, "0x01", "0x00ff")                                                           \
    X(TIMESTAMP, "2015-06-02T00:00:00.000Z", "2015-06-01T00:00:00.000Z")                \
    X(TIMESTAMP_US, "2015-06-02T00:00:00.000000Z", "2015-06-01T00:00:00.000000Z")       \
    X(TIMESTAMP_NS, "2015-06-02T00:00:00.000000000Z", "2015-06-01T00:00:00.000000000Z") \
    X(INTERVAL, "1 day", "12:00:00")                                                    \
    X(NUMERIC, "0.7", "0.50")                                                           \
    X(DATE, "2015-06-02", "2015-06-01")                                                 \
    X(TIME, "04:06:00", "04:05:00")                                                     \
    X(BIT, "10", "01")                                                                  \
    X(VARBIT, "10", "01")                                                               \
    X(TIMETZ, "04:06:00+00", "04:05:00+00")                                             \
    X(TIMESTAMPTZ, "2015-06-02 00:00:00+00", "2015-06-01 00:00:00+00")                  \
    X(TIMESTAMP_LOCAL, "2015-06-02 00:00:00", "2015-06-01 00:00:00")                    \
    X(UUID, "00000000-0000-0000-0000-000000000002", "00000000-0000-0000-0000-000000000001")

AGG_TIMED_TYPES(AGG_TIMED_EMIT)

#define AGG_FIRST_DOC                                                                        \
    "The value with the earliest time, which is given second or is the table's; of several " \
    "at that time the least."
#define AGG_LAST_DOC                                                                       \
    "The value with the latest time, which is given second or is the table's; of several " \
    "at that time the greatest."

static const struct agg agg_timed_rows[] = {
#define X(t, one, two)                                                                       \
    AGG_TIMED_ROW(                                                                           \
        first, t, AGG_ZONE_EARLY, AGG_FIRST_DOC, "first of (" one ", NULL, " two ") = " one) \
    AGG_TIMED_ROW(last, t, AGG_ZONE_LATE, AGG_LAST_DOC, "last of (" one ", NULL, " two ") = " two)
    AGG_TIMED_TYPES(X)
#undef X
};

const struct agg_table agg_table_timed = {agg_timed_rows, DN_ARRAY_SIZE(agg_timed_rows)};
