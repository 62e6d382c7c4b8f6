/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_within_any.c: percentiles and mode WITHIN GROUP (ORDER BY x) of values that are more than a
 * number: texts, intervals, NUMERIC. All are kept, and sorted at the end. */
#include "base/mem.h"
#include "base/sort.h"
#include "func/agg_each.h"
#include "func/agg_within.h"

#include <math.h>
#include <string.h>

struct agg_any {
    struct datum *values; /* in the arena, bytes of strings too */
    uint64_t used;
    uint64_t cap;
    const atomic_bool *cancel; /* of the statement; NULL = never */
    struct agg_fraction fraction;
};

static int
any_add(struct agg_any *s, const struct datum *d, struct arena *strings, struct dn_err *err)
{
    if (s->used == s->cap) {
        uint64_t cap = s->cap ? s->cap * 2 : 8;
        struct datum *values = arena_alloc_array(strings, cap, sizeof *values);

        if (!values)
            return DN_FAIL_NOMEM(err);
        if (s->used)
            memcpy(values, s->values, s->used * sizeof *values);
        s->values = values;
        s->cap = cap;
    }
    s->cancel = strings->cancel;
    if (!datum_copy(strings, d, &s->values[s->used]))
        return DN_FAIL_NOMEM(err);
    s->used++;
    return 0;
}

static inline int
any_one(void *state, const struct vec *v, uint32_t row, struct arena *strings, struct dn_err *err)
{
    struct datum d;

    if (vec_is_null(&v[0], row))
        return 0;
    d = vec_datum(&v[0], row);
    return any_add(state, &d, strings, err);
}

static inline int any_percentile_one(
    void *state, const struct vec *v, uint32_t row, struct arena *strings, struct dn_err *err)
{
    struct agg_any *s = state;
    int rc = agg_fraction_ask(&s->fraction, &v[1], row, err);

    return rc < 0 ? rc : any_one(state, v, row, strings, err);
}

AGG_EACH(any, any_one)
AGG_EACH(any_percentile, any_percentile_one)

static int any_merge(void *into, const void *from, struct arena *strings, struct dn_err *err)
{
    struct agg_any *a = into;
    const struct agg_any *b = from;
    int rc = 0;

    if (!a->fraction.known)
        a->fraction = b->fraction;
    for (uint64_t i = 0; i < b->used && rc == 0; i++)
        rc = any_add(a, &b->values[i], strings, err);
    return rc;
}

/* ---- as bytes ---- */

static void any_save(const void *state, struct buf *b)
{
    const struct agg_any *s = state;

    agg_fraction_save(&s->fraction, b);
    buf_varint(b, s->used);
    for (uint64_t i = 0; i < s->used; i++) {
        const struct datum *d = &s->values[i];

        buf_u8(b, (uint8_t)d->type);
        if (d->type == TYPE_INTERVAL)
            buf_bytes(b, &d->iv, sizeof d->iv);
        else if (d->type == TYPE_NUMERIC)
            buf_bytes(b, &d->num, sizeof d->num);
        else
            buf_bytes(b, d->str.ptr, d->str.len);
    }
}

/* False: the bytes are no value. */
static bool any_load_one(struct rd *r, struct datum *ret)
{
    const uint8_t *p;
    size_t len;

    *ret = (struct datum){.type = (enum type_id)rd_u8(r)};
    p = rd_blob(r, &len);
    if (r->bad || len > UINT32_MAX)
        return false;
    if (ret->type == TYPE_INTERVAL && len == sizeof ret->iv)
        memcpy(&ret->iv, p, len);
    else if (ret->type == TYPE_NUMERIC && len == sizeof ret->num)
        memcpy(&ret->num, p, len);
    else if (type_known(ret->type) && type_is_string(ret->type))
        ret->str = (struct vstr){.ptr = (const char *)p, .len = (uint32_t)len};
    else
        return false;
    return true;
}

static int
any_load(void *state, const uint8_t *p, size_t n, struct arena *strings, struct dn_err *err)
{
    struct agg_any *s = state;
    struct rd r = rd_make(p, n);
    uint64_t used;
    int rc = 0;

    agg_fraction_load(&s->fraction, &r);
    used = rd_varint(&r);
    for (uint64_t i = 0; i < used && !r.bad && rc == 0; i++) {
        struct datum d;

        rc = any_load_one(&r, &d) ? any_add(s, &d, strings, err) : 1;
    }
    if (rc < 0)
        return rc;
    return rc || r.bad || rd_left(&r) ? agg_load_fail("an aggregate WITHIN GROUP", n, err) : 0;
}

/* ---- results ---- */

static int any_cmp(const void *a, const void *b)
{
    return datum_cmp(a, b);
}

/* Sorts; 1: the result is NULL, which it is made. */
static int any_sort(const struct agg_any *s,
                    enum type_id type,
                    bool fraction,
                    struct datum *ret,
                    struct dn_err *err)
{
    struct datum *scratch;
    int rc;

    *ret = (struct datum){.type = type, .null = true, .str = {.ptr = "", .len = 0}};
    if (s->used == 0 || (fraction && (!s->fraction.known || s->fraction.null)))
        return 1;
    scratch = mem_alloc_array(NULL, s->used, sizeof *scratch);
    if (!scratch)
        return DN_FAIL_NOMEM(err);
    rc = dn_sort(s->values, scratch, s->used, sizeof *s->values, any_cmp, s->cancel, err);
    mem_free(scratch);
    return rc;
}

static int any_disc(
    const struct agg_any *s, enum type_id type, bool desc, struct datum *ret, struct dn_err *err)
{
    int rc = any_sort(s, type, true, ret, err);

    if (rc == 0)
        *ret = s->values[agg_fraction_disc(&s->fraction, s->used, desc)];
    return rc < 0 ? rc : 0;
}

static int any_mode(
    const struct agg_any *s, enum type_id type, bool desc, struct datum *ret, struct dn_err *err)
{
    uint64_t best = 0;
    int rc = any_sort(s, type, false, ret, err);

    if (rc != 0)
        return rc < 0 ? rc : 0;
    for (uint64_t i = 0; i < s->used;) {
        uint64_t first = i;

        while (i < s->used && datum_cmp(&s->values[i], &s->values[first]) == 0)
            i++;
        if (desc ? i - first >= best : i - first > best) {
            best = i - first;
            *ret = s->values[first];
        }
    }
    return 0;
}

/* first + part * (second - first), part by part of the calendar. */
static int any_cont(const struct agg_any *s, bool desc, struct datum *ret, struct dn_err *err)
{
    struct agg_ranks at;
    struct vinterval a, b;
    int rc = any_sort(s, TYPE_INTERVAL, true, ret, err);

    if (rc != 0)
        return rc < 0 ? rc : 0;
    at = agg_fraction_cont(&s->fraction, s->used, desc);
    *ret = s->values[at.first];
    if (at.first == at.second)
        return 0;
    a = ret->iv;
    b = s->values[at.second].iv;
    rc = func_interval_spread(((double)b.months - a.months) * at.part,
                              ((double)b.days - a.days) * at.part,
                              ((double)b.us - (double)a.us) * at.part,
                              &ret->iv,
                              err);
    if (rc < 0)
        return rc;
    if (__builtin_add_overflow(a.us, ret->iv.us, &ret->iv.us) ||
        __builtin_add_overflow(a.days, ret->iv.days, &ret->iv.days) ||
        __builtin_add_overflow(a.months, ret->iv.months, &ret->iv.months))
        return DN_FAIL(err, DN_E_DATETIME_RANGE, "interval out of range");
    return 0;
}

static int any_emit_cont_ASC(const void *state, struct datum *ret, struct dn_err *err)
{
    return any_cont(state, false, ret, err);
}

static int any_emit_cont_DESC(const void *state, struct datum *ret, struct dn_err *err)
{
    return any_cont(state, true, ret, err);
}

#define ANY_EMIT(name, call)                                                             \
    static int any_emit_##name(const void *state, struct datum *ret, struct dn_err *err) \
    {                                                                                    \
        return call;                                                                     \
    }
#define ANY_EMITS(t, values, median, most, greatest)                     \
    ANY_EMIT(disc_##t##_ASC, any_disc(state, TYPE_##t, false, ret, err)) \
    ANY_EMIT(disc_##t##_DESC, any_disc(state, TYPE_##t, true, ret, err)) \
    ANY_EMIT(mode_##t##_ASC, any_mode(state, TYPE_##t, false, ret, err)) \
    ANY_EMIT(mode_##t##_DESC, any_mode(state, TYPE_##t, true, ret, err))

/* type, values with a NULL, percentile_disc(0.5), mode, mode of ORDER BY x DESC */
#define ANY_TYPES(X)                                                                      \
    X(VARCHAR, "pear, NULL, apple, plum, pear", "pear", "pear", "pear")                   \
    X(BPCHAR, "pear, NULL, apple, plum, pear", "pear", "pear", "pear")                    \
    X(BLOB, "0x01, NULL, 0x00ff", "0x00ff", "0x00ff", "0x01")                             \
    X(UUID,                                                                               \
      "00000000-0000-0000-0000-000000000002, NULL, 00000000-0000-0000-0000-000000000001", \
      "00000000-0000-0000-0000-000000000001",                                             \
      "00000000-0000-0000-0000-000000000001",                                             \
      "00000000-0000-0000-0000-000000000002")                                             \
    X(INTERVAL, "1 day, NULL, 12:00:00", "12:00:00", "12:00:00", "1 day")                 \
    X(NUMERIC, "0.7, NULL, 0.50", "0.50", "0.50", "0.7")
ANY_TYPES(ANY_EMITS)

#define ANY_ROW(aname, t, t2, way, updates, emitter, text, sample) \
    {.name = aname,                                                \
     .arg = TYPE_##t,                                              \
     .arg2 = t2,                                                   \
     .within = AGG_WITHIN_##way,                                   \
     .result = TYPE_##t,                                           \
     .state_size = sizeof(struct agg_any),                         \
     .update_all = updates##_all,                                  \
     .update_grouped = updates##_grouped,                          \
     .merge = any_merge,                                           \
     .emit = any_emit_##emitter##_##way,                           \
     .save = any_save,                                             \
     .load = any_load,                                             \
     .doc = text,                                                  \
     .example = sample},
#define CONT_ROW(way, sample)  \
    ANY_ROW("percentile_cont", \
            INTERVAL,          \
            TYPE_DOUBLE,       \
            way,               \
            any_percentile,    \
            cont,              \
            AGG_CONT_DOC,      \
            "percentile_cont of (1 day, NULL, 2 days) with (0.25) = " sample)
#define MODE_ROW(t, way, sample) \
    ANY_ROW("mode", t, TYPE_NONE, way, any, mode_##t, AGG_MODE_DOC, "mode of (" sample)

static const struct agg agg_within_any_rows[] = {CONT_ROW(ASC, "1 day 06:00:00")
                                                     CONT_ROW(DESC, "2 days -06:00:00")
#define X(t, values, median, most, greatest)                        \
    ANY_ROW("percentile_disc",                                      \
            t,                                                      \
            TYPE_DOUBLE,                                            \
            ASC,                                                    \
            any_percentile,                                         \
            disc_##t,                                               \
            AGG_DISC_DOC,                                           \
            "percentile_disc of (" values ") with (0.5) = " median) \
    ANY_ROW("percentile_disc",                                      \
            t,                                                      \
            TYPE_DOUBLE,                                            \
            DESC,                                                   \
            any_percentile,                                         \
            disc_##t,                                               \
            AGG_DISC_DOC,                                           \
            "percentile_disc of (" values ") with (0.6) = " median)
                                                         ANY_TYPES(X)
#undef X
#define X(t, values, median, most, greatest) \
    MODE_ROW(t, ASC, values ") = " most) MODE_ROW(t, DESC, values ") = " greatest)
                                                             ANY_TYPES(X)
#undef X
};

const struct agg_table agg_table_within_any = {agg_within_any_rows,
                                               DN_ARRAY_SIZE(agg_within_any_rows)};
