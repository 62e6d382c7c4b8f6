/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_within.c: percentile_cont, percentile_disc and mode WITHIN GROUP (ORDER BY x) for values that
 * are a number each; for the others: agg_within_any.c. The fraction is that of the first row: the
 * planner lets through only what is the same in a whole group. */
#include "func/agg_within.h"
#include "func/agg_set.h"

#include <math.h>

struct within {
    struct agg_set set;
    const atomic_bool *cancel; /* of the statement; NULL = never */
    struct agg_fraction fraction;
};

/* ---- the fraction ---- */

int agg_fraction_check(double fraction, struct dn_err *err)
{
    if (fraction >= 0 && fraction <= 1)
        return 0;
    return DN_FAIL(err, DN_E_OUT_OF_RANGE, "percentile value %g is not between 0 and 1", fraction);
}

int agg_fraction_ask(struct agg_fraction *f, const struct vec *v, uint32_t row, struct dn_err *err)
{
    if (f->known)
        return 0;
    f->known = true;
    f->null = vec_is_null(v, row);
    if (f->null)
        return 0;
    f->value = ((const double *)v->data)[vec_at(v, row)];
    return agg_fraction_check(f->value, err);
}

struct agg_ranks agg_fraction_cont(const struct agg_fraction *f, uint64_t total, bool desc)
{
    double at = f->value * (double)(total - 1);
    uint64_t first = (uint64_t)floor(at);
    uint64_t second = (uint64_t)ceil(at);

    return (struct agg_ranks){.first = desc ? total - 1 - first : first,
                              .second = desc ? total - 1 - second : second,
                              .part = at - (double)first};
}

uint64_t agg_fraction_disc(const struct agg_fraction *f, uint64_t total, bool desc)
{
    double at = ceil(f->value * (double)total);
    uint64_t rank = at > 1 ? (uint64_t)at - 1 : 0;

    return desc ? total - 1 - rank : rank;
}

void agg_fraction_save(const struct agg_fraction *f, struct buf *b)
{
    uint64_t bits;

    memcpy(&bits, &f->value, sizeof bits);
    buf_u8(b, (uint8_t)(f->known | f->null << 1));
    buf_u64(b, bits);
}

void agg_fraction_load(struct agg_fraction *f, struct rd *r)
{
    uint8_t flags = rd_u8(r);
    uint64_t bits = rd_u64(r);

    f->known = flags & 1;
    f->null = flags >> 1 & 1;
    memcpy(&f->value, &bits, sizeof bits);
    if (!(f->value >= 0 && f->value <= 1))
        r->bad = true;
}

/* ---- keys ---- */

/* Numbers whose order is that of the values, NaN last, and one zero. */
static inline int64_t within_f64_key(double x)
{
    int64_t bits;

    x = x != x ? (double)NAN : x + 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (int64_t)((uint64_t)(bits >> 63) >> 1);
}

static inline double within_key_f64(int64_t key)
{
    double x;

    key ^= (int64_t)((uint64_t)(key >> 63) >> 1);
    memcpy(&x, &key, sizeof x);
    return x;
}

/* Keys of the rows, NULLs included. */
static void within_keys(const struct vec *v, const uint16_t *sel, uint32_t rows, int64_t *to)
{
#define KEYS(T, key)                                             \
    for (uint32_t i = 0; i < rows; i++) {                        \
        T x = ((const T *)v->data)[vec_at(v, sel ? sel[i] : i)]; \
                                                                 \
        to[i] = (key);                                           \
    }                                                            \
    return
    switch (type_phys(v->type)) {
    case PHYS_F64:
        if (v->form == VEC_FLAT && !sel) { /* for the vectorizer */
            for (uint32_t i = 0; i < rows; i++)
                to[i] = within_f64_key(((const double *)v->data)[i]);
            return;
        }
        KEYS(double, within_f64_key(x));
    case PHYS_F32:
        KEYS(float, within_f64_key((double)x));
    case PHYS_I64:
        KEYS(int64_t, x);
    case PHYS_I32:
        KEYS(int32_t, x);
    case PHYS_I16:
        KEYS(int16_t, x);
    case PHYS_I8:
        KEYS(int8_t, x);
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
#undef KEYS
    DN_ASSERT(false);
}

static int within_all(void *state,
                      const struct vec *v,
                      const uint16_t *sel,
                      uint32_t rows,
                      struct arena *strings,
                      struct dn_err *err)
{
    struct within *s = state;
    int64_t keys[VEC_ROWS_MAX];
    uint32_t n = rows;

    DN_ASSERT(rows <= VEC_ROWS_MAX);
    within_keys(v, sel, rows, keys);
    if (v->nulls) {
        n = 0;
        for (uint32_t i = 0; i < rows; i++)
            if (!vec_is_null(v, sel ? sel[i] : i))
                keys[n++] = keys[i];
    }
    s->cancel = strings->cancel;
    return agg_set_add(&s->set, keys, n, strings, err);
}

static int within_grouped(void *const *states,
                          const struct vec *v,
                          const uint16_t *sel,
                          uint32_t rows,
                          struct arena *strings,
                          struct dn_err *err)
{
    int64_t keys[VEC_ROWS_MAX];
    int rc = 0;

    DN_ASSERT(rows <= VEC_ROWS_MAX);
    within_keys(v, sel, rows, keys);
    for (uint32_t i = 0; i < rows && rc == 0; i++) {
        struct within *s = states[i];

        s->cancel = strings->cancel;
        if (!vec_is_null(v, sel ? sel[i] : i))
            rc = agg_set_add(&s->set, &keys[i], 1, strings, err);
    }
    return rc;
}

/* With a fraction. */
static int percentile_all(void *state,
                          const struct vec *v,
                          const uint16_t *sel,
                          uint32_t rows,
                          struct arena *strings,
                          struct dn_err *err)
{
    struct within *s = state;
    int rc = rows ? agg_fraction_ask(&s->fraction, &v[1], sel ? sel[0] : 0, err) : 0;

    return rc < 0 ? rc : within_all(state, v, sel, rows, strings, err);
}

static int percentile_grouped(void *const *states,
                              const struct vec *v,
                              const uint16_t *sel,
                              uint32_t rows,
                              struct arena *strings,
                              struct dn_err *err)
{
    int rc = 0;

    for (uint32_t i = 0; i < rows && rc == 0; i++) {
        struct within *s = states[i];

        rc = agg_fraction_ask(&s->fraction, &v[1], sel ? sel[i] : i, err);
    }
    return rc < 0 ? rc : within_grouped(states, v, sel, rows, strings, err);
}

static int within_merge(void *into, const void *from, struct arena *strings, struct dn_err *err)
{
    struct within *a = into;
    const struct within *b = from;

    if (!a->fraction.known)
        a->fraction = b->fraction;
    a->cancel = strings->cancel;
    return agg_set_merge(&a->set, &b->set, strings, err);
}

static void within_save(const void *state, struct buf *b)
{
    const struct within *s = state;

    agg_fraction_save(&s->fraction, b);
    agg_set_save(&s->set, b);
}

static int
within_load(void *state, const uint8_t *p, size_t n, struct arena *strings, struct dn_err *err)
{
    struct within *s = state;
    struct rd r = rd_make(p, n);
    bool nomem;

    s->cancel = strings->cancel;
    agg_fraction_load(&s->fraction, &r);
    if (agg_set_load(&s->set, &r, strings, &nomem) && rd_left(&r) == 0)
        return 0;
    return nomem ? DN_FAIL_NOMEM(err) : agg_load_fail("an aggregate WITHIN GROUP", n, err);
}

/* ---- results ---- */

/* Is there one? */
static bool within_asked(const struct within *s)
{
    return s->set.total > 0 && s->fraction.known && !s->fraction.null;
}

static void within_cont(const struct within *s, bool desc, struct datum *ret)
{
    struct agg_ranks at;
    int64_t keys[2];
    double first, second;

    *ret = (struct datum){.type = TYPE_DOUBLE, .null = !within_asked(s)};
    if (ret->null)
        return;
    at = agg_fraction_cont(&s->fraction, s->set.total, desc);
    agg_set_rank(&s->set, desc ? at.second : at.first, keys);
    first = within_key_f64(keys[desc && at.first != at.second]);
    second = within_key_f64(keys[!desc]);
    ret->v.f64 = at.first == at.second ? first : first + at.part * (second - first);
}

static void within_value(enum type_id type, int64_t key, struct datum *ret)
{
    if (type_is_float(type))
        ret->v.f64 = within_key_f64(key);
    else
        ret->v.i64 = key;
}

static void within_disc(const struct within *s, enum type_id type, bool desc, struct datum *ret)
{
    int64_t keys[2];

    *ret = (struct datum){.type = type, .null = !within_asked(s)};
    if (ret->null)
        return;
    agg_set_rank(&s->set, agg_fraction_disc(&s->fraction, s->set.total, desc), keys);
    within_value(type, keys[0], ret);
}

static int within_mode(
    const struct within *s, enum type_id type, bool desc, struct datum *ret, struct dn_err *err)
{
    int64_t key;
    int rc;

    *ret = (struct datum){.type = type, .null = s->set.total == 0};
    if (ret->null)
        return 0;
    rc = agg_set_mode(&s->set, desc, s->cancel, &key, err);
    if (rc < 0)
        return rc;
    within_value(type, key, ret);
    return 0;
}

#define WITHIN_EMIT(name, call)                                             \
    static int within_emit_##name(                                          \
        const void *state, struct datum *ret, struct dn_err *err DN_UNUSED) \
    {                                                                       \
        call;                                                               \
        return 0;                                                           \
    }
#define WITHIN_EMIT_MODE(name, type, desc)                                                  \
    static int within_emit_##name(const void *state, struct datum *ret, struct dn_err *err) \
    {                                                                                       \
        return within_mode(state, type, desc, ret, err);                                    \
    }
WITHIN_EMIT(cont_ASC, within_cont(state, false, ret))
WITHIN_EMIT(cont_DESC, within_cont(state, true, ret))

#define WITHIN_EMITS(t, values, median, most, greatest)                   \
    WITHIN_EMIT(disc_##t##_ASC, within_disc(state, TYPE_##t, false, ret)) \
    WITHIN_EMIT(disc_##t##_DESC, within_disc(state, TYPE_##t, true, ret)) \
    WITHIN_EMIT_MODE(mode_##t##_ASC, TYPE_##t, false)                     \
    WITHIN_EMIT_MODE(mode_##t##_DESC, TYPE_##t, true)

/* type, values with a NULL, percentile_disc(0.5), mode, mode of ORDER BY x DESC */
#define WITHIN_INTS(X, t) X(t, "7, 5, NULL, 9, 5, 9", "7", "5", "9")
#define WITHIN_TYPES(X)                                                                      \
    WITHIN_INTS(X, BIGINT)                                                                   \
    WITHIN_INTS(X, INTEGER)                                                                  \
    WITHIN_INTS(X, SMALLINT)                                                                 \
    X(DOUBLE, "0.5, NULL, NaN, -2.5, 0.5", "0.5", "0.5", "0.5")                              \
    X(REAL, "0.5, NULL, NaN, -2.5, 0.5", "0.5", "0.5", "0.5")                                \
    X(BOOLEAN, "true, NULL, false", "false", "false", "true")                                \
    X(DATE, "2015-06-02, NULL, 2015-06-01", "2015-06-01", "2015-06-01", "2015-06-02")        \
    X(TIME, "04:06:00, NULL, 04:05:00", "04:05:00", "04:05:00", "04:06:00")                  \
    X(TIMESTAMP,                                                                             \
      "2015-06-02T00:00:00.000Z, NULL, 2015-06-01T00:00:00.000Z",                            \
      "2015-06-01T00:00:00.000Z",                                                            \
      "2015-06-01T00:00:00.000Z",                                                            \
      "2015-06-02T00:00:00.000Z")                                                            \
    X(TIMESTAMP_US,                                                                          \
      "2015-06-02T00:00:00.000000Z, NULL, 2015-06-01T00:00:00.000000Z",                      \
      "2015-06-01T00:00:00.000000Z",                                                         \
      "2015-06-01T00:00:00.000000Z",                                                         \
      "2015-06-02T00:00:00.000000Z")                                                         \
    X(TIMESTAMP_NS,                                                                          \
      "2015-06-02T00:00:00.000000000Z, NULL, 2015-06-01T00:00:00.000000000Z",                \
      "2015-06-01T00:00:00.000000000Z",                                                      \
      "2015-06-01T00:00:00.000000000Z",                                                      \
      "2015-06-02T00:00:00.000000000Z")                                                      \
    X(TIMETZ, "04:06:00+00, NULL, 04:05:00+00", "04:05:00+00", "04:05:00+00", "04:06:00+00") \
    X(TIMESTAMPTZ,                                                                           \
      "2015-06-02 00:00:00+00, NULL, 2015-06-01 00:00:00+00",                                \
      "2015-06-01 00:00:00+00",                                                              \
      "2015-06-01 00:00:00+00",                                                              \
      "2015-06-02 00:00:00+00")                                                              \
    X(TIMESTAMP_LOCAL,                                                                       \
      "2015-06-02 00:00:00, NULL, 2015-06-01 00:00:00",                                      \
      "2015-06-01 00:00:00",                                                                 \
      "2015-06-01 00:00:00",                                                                 \
      "2015-06-02 00:00:00")
WITHIN_TYPES(WITHIN_EMITS)

#define WITHIN_ROW(aname, t, t2, r, way, updates, emitter, text, sample) \
    {.name = aname,                                                      \
     .arg = TYPE_##t,                                                    \
     .arg2 = t2,                                                         \
     .within = AGG_WITHIN_##way,                                         \
     .result = TYPE_##r,                                                 \
     .state_size = sizeof(struct within),                                \
     .update_all = updates##_all,                                        \
     .update_grouped = updates##_grouped,                                \
     .merge = within_merge,                                              \
     .emit = within_emit_##emitter##_##way,                              \
     .save = within_save,                                                \
     .load = within_load,                                                \
     .doc = text,                                                        \
     .example = sample},

#define CONT_ROW(way, sample)     \
    WITHIN_ROW("percentile_cont", \
               DOUBLE,            \
               TYPE_DOUBLE,       \
               DOUBLE,            \
               way,               \
               percentile,        \
               cont,              \
               AGG_CONT_DOC,      \
               "percentile_cont of (1, 4, NULL, 2) with (0.75) = " sample)

static const struct agg agg_within_rows[] = {CONT_ROW(ASC, "3") CONT_ROW(DESC, "1.5")
#define X(t, values, median, most, greatest)                           \
    WITHIN_ROW("percentile_disc",                                      \
               t,                                                      \
               TYPE_DOUBLE,                                            \
               t,                                                      \
               ASC,                                                    \
               percentile,                                             \
               disc_##t,                                               \
               AGG_DISC_DOC,                                           \
               "percentile_disc of (" values ") with (0.5) = " median) \
    WITHIN_ROW("percentile_disc",                                      \
               t,                                                      \
               TYPE_DOUBLE,                                            \
               t,                                                      \
               DESC,                                                   \
               percentile,                                             \
               disc_##t,                                               \
               AGG_DISC_DOC,                                           \
               "percentile_disc of (" values ") with (0.6) = " median)
                                                 WITHIN_TYPES(X)
#undef X
#define X(t, values, median, most, greatest)   \
    WITHIN_ROW("mode",                         \
               t,                              \
               TYPE_NONE,                      \
               t,                              \
               ASC,                            \
               within,                         \
               mode_##t,                       \
               AGG_MODE_DOC,                   \
               "mode of (" values ") = " most) \
    WITHIN_ROW("mode",                         \
               t,                              \
               TYPE_NONE,                      \
               t,                              \
               DESC,                           \
               within,                         \
               mode_##t,                       \
               AGG_MODE_DOC,                   \
               "mode of (" values ") = " greatest)
                                                     WITHIN_TYPES(X)
#undef X
};

const struct agg_table agg_table_within = {agg_within_rows, DN_ARRAY_SIZE(agg_within_rows)};
