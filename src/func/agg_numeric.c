/* SPDX-License-Identifier: Apache-2.0
 *
 * agg_numeric.c: sum, avg, mean, min, max, standard deviations and variances of NUMERIC, with
 * PostgreSQL's scales. Sums are exact; one of more than 38 digits is an error. */
#include "func/func_int.h"
#include "func/num.h"

struct agg_num_sum {
    struct vnumeric sum;
    struct vnumeric squares; /* stddev and variance only */
    int64_t count;
};

struct agg_num_best {
    struct vnumeric v;
    bool any;
};

static int agg_num_sum_one(void *state, const struct vnumeric *x, struct dn_err *err)
{
    struct agg_num_sum *s = state;

    s->count++;
    return num_add_to(&s->sum, x, err);
}

static int agg_num_square_one(void *state, const struct vnumeric *x, struct dn_err *err)
{
    struct agg_num_sum *s = state;
    struct vnumeric square;
    int rc = agg_num_sum_one(state, x, err);

    if (rc == 0)
        rc = num_mul_fast(x, x, &square, err);
    return rc < 0 ? rc : num_add_to(&s->squares, &square, err);
}

static int agg_num_min_one(void *state, const struct vnumeric *x, struct dn_err *err DN_UNUSED)
{
    struct agg_num_best *s = state;

    if (!s->any || vnumeric_cmp(*x, s->v) < 0)
        s->v = *x;
    s->any = true;
    return 0;
}

static int agg_num_max_one(void *state, const struct vnumeric *x, struct dn_err *err DN_UNUSED)
{
    struct agg_num_best *s = state;

    if (!s->any || vnumeric_cmp(*x, s->v) > 0)
        s->v = *x;
    s->any = true;
    return 0;
}

typedef int (*agg_num_one)(void *state, const struct vnumeric *x, struct dn_err *err);

static inline __attribute__((always_inline)) int agg_num_rows(agg_num_one one,
                                                              void *state,
                                                              void *const *states,
                                                              const struct vec *v,
                                                              const uint16_t *sel,
                                                              uint32_t rows,
                                                              struct dn_err *err)
{
    const struct vnumeric *flat = v->data;
    int rc = 0;

    if (v->form == VEC_FLAT && !v->nulls) { /* nothing to ask per row */
        for (uint32_t i = 0; i < rows && rc == 0; i++)
            rc = one(states ? states[i] : state, &flat[sel ? sel[i] : i], err);
        return rc;
    }
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = sel ? sel[i] : i;

        if (vec_is_null(v, row))
            continue;
        rc = one(states ? states[i] : state, func_num_at(v, row), err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

#define AGG_NUM(name)                                                               \
    static int agg_num_##name##_all(void *state,                                    \
                                    const struct vec *v,                            \
                                    const uint16_t *sel,                            \
                                    uint32_t rows,                                  \
                                    struct arena *strings DN_UNUSED,                \
                                    struct dn_err *err)                             \
    {                                                                               \
        return agg_num_rows(agg_num_##name##_one, state, NULL, v, sel, rows, err);  \
    }                                                                               \
    static int agg_num_##name##_grouped(void *const *states,                        \
                                        const struct vec *v,                        \
                                        const uint16_t *sel,                        \
                                        uint32_t rows,                              \
                                        struct arena *strings DN_UNUSED,            \
                                        struct dn_err *err)                         \
    {                                                                               \
        return agg_num_rows(agg_num_##name##_one, NULL, states, v, sel, rows, err); \
    }
AGG_NUM(sum)
AGG_NUM(square)
AGG_NUM(min)
AGG_NUM(max)

static int
agg_num_sum_merge(void *into, const void *from, struct arena *strings DN_UNUSED, struct dn_err *err)
{
    struct agg_num_sum *a = into;
    const struct agg_num_sum *b = from;
    int rc = num_add(a->sum, b->sum, &a->sum, err);

    a->count += b->count;
    return rc < 0 ? rc : num_add(a->squares, b->squares, &a->squares, err);
}

static int
agg_num_min_merge(void *into, const void *from, struct arena *strings DN_UNUSED, struct dn_err *err)
{
    const struct agg_num_best *b = from;

    return b->any ? agg_num_min_one(into, &b->v, err) : 0;
}

static int
agg_num_max_merge(void *into, const void *from, struct arena *strings DN_UNUSED, struct dn_err *err)
{
    const struct agg_num_best *b = from;

    return b->any ? agg_num_max_one(into, &b->v, err) : 0;
}

static int agg_num_emit_best(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_num_best *s = state;

    *ret = (struct datum){.type = TYPE_NUMERIC, .null = !s->any, .num = s->v};
    return 0;
}

static int agg_num_emit_sum(const void *state, struct datum *ret, struct dn_err *err DN_UNUSED)
{
    const struct agg_num_sum *s = state;

    *ret = (struct datum){.type = TYPE_NUMERIC, .null = !s->count, .num = s->sum};
    return 0;
}

static int agg_num_emit_avg(const void *state, struct datum *ret, struct dn_err *err)
{
    const struct agg_num_sum *s = state;

    *ret = (struct datum){.type = TYPE_NUMERIC, .null = !s->count};
    return s->count ? num_div(s->sum, num_from_i64(s->count), &ret->num, err) : 0;
}

/* (n * squares - sum * sum) / (n * (n - sample)), and the root of that. */
static int agg_num_spread(
    const struct agg_num_sum *s, bool sample, bool root, struct datum *ret, struct dn_err *err)
{
    struct vnumeric n = num_from_i64(s->count);
    struct vnumeric top, squared, under;
    int scale;
    int rc;

    *ret = (struct datum){.type = TYPE_NUMERIC, .null = s->count <= (sample ? 1 : 0)};
    if (ret->null)
        return 0;
    rc = num_mul(n, s->squares, &top, err);
    if (rc == 0)
        rc = num_mul(s->sum, s->sum, &squared, err);
    if (rc == 0)
        rc = num_sub(top, squared, &top, err);
    if (rc == 0)
        rc = num_mul(n, num_from_i64(s->count - sample), &under, err);
    if (rc < 0)
        return rc;
    if (!top.special && num_sign(top) <= 0) {
        ret->num = num_from_i64(0);
        return 0;
    }
    scale = num_div_digits(top, under);
    rc = num_div_scale(top, under, scale, &ret->num, err);
    return rc < 0 || !root ? rc : num_sqrt(ret->num, scale, &ret->num, err);
}

#define AGG_NUM_SPREAD(name, sample, root)                                                   \
    static int agg_num_emit_##name(const void *state, struct datum *ret, struct dn_err *err) \
    {                                                                                        \
        return agg_num_spread(state, sample, root, ret, err);                                \
    }
AGG_NUM_SPREAD(stddev, true, true)
AGG_NUM_SPREAD(stddev_pop, false, true)
AGG_NUM_SPREAD(variance, true, false)
AGG_NUM_SPREAD(var_pop, false, false)

#define NUM_ROW(aname, kernel, merger, state, final, text, sample)                       \
    {                                                                                    \
        .name = aname, .arg = TYPE_NUMERIC, .result = TYPE_NUMERIC,                      \
        .state_size = sizeof(struct state), .update_all = agg_num_##kernel##_all,        \
        .update_grouped = agg_num_##kernel##_grouped, .merge = agg_num_##merger##_merge, \
        .emit = agg_num_emit_##final, .doc = text,                                       \
        .example = aname " of (1.5, NULL, 2.25) = " sample                               \
    }
#define NUM_SPREAD(aname, final, text, sample) \
    NUM_ROW(aname, square, sum, agg_num_sum, final, text, sample)

static const struct agg agg_numeric_rows[] = {
    NUM_ROW("sum",
            sum,
            sum,
            agg_num_sum,
            sum,
            "Sum of the values that are not NULL; NULL when there are none.",
            "3.75"),
    NUM_ROW("avg",
            sum,
            sum,
            agg_num_sum,
            avg,
            "Arithmetic mean of the values that are not NULL; NULL when there are none.",
            "1.8750000000000000"),
    NUM_ROW("mean", sum, sum, agg_num_sum, avg, "The same as avg.", "1.8750000000000000"),
    NUM_ROW("min",
            min,
            min,
            agg_num_best,
            best,
            "Least value that is not NULL; NULL when there is none.",
            "1.5"),
    NUM_ROW("max",
            max,
            max,
            agg_num_best,
            best,
            "Greatest value that is not NULL; NULL when there is none.",
            "2.25"),
    NUM_SPREAD("stddev",
               stddev,
               "Standard deviation of a sample; NULL for fewer than two values.",
               "0.53033008588991064330"),
    NUM_SPREAD("stddev_samp", stddev, "The same as stddev.", "0.53033008588991064330"),
    NUM_SPREAD("stddev_pop",
               stddev_pop,
               "Standard deviation of all there is; NULL without values.",
               "0.37500000000000000000"),
    NUM_SPREAD("variance",
               variance,
               "Variance of a sample; NULL for fewer than two values.",
               "0.28125000000000000000"),
    NUM_SPREAD("var_samp", variance, "The same as variance.", "0.28125000000000000000"),
    NUM_SPREAD("var_pop",
               var_pop,
               "Variance of all there is; NULL without values.",
               "0.14062500000000000000"),
};

const struct agg_table agg_table_numeric = {agg_numeric_rows, DN_ARRAY_SIZE(agg_numeric_rows)};
