/* SPDX-License-Identifier: Apache-2.0
 *
 * func_fit.c: parameters of types: VARCHAR(n), NUMERIC(p, s), TIME(p), TIMESTAMP(p), INTERVAL(p).
 * A column and a cast make a value fit in the same way; only too long a text differs. */
#include "func/func_array.h"
#include "func/num.h"
#include "func/str_int.h"
#include "func/text.h"
#include "vec/fields.h"
#include "vec/timetz.h"

#define FIT_EPOCH_US 946684800000000 /* 2000-01-01: halves round away from it, as in PostgreSQL */

static int fit_text(int32_t chars, bool cut, bool padded, struct vstr *s, struct dn_err *err)
{
    uint32_t end;

    if (padded)
        *s = text_unblank(*s);
    if (s->len <= (uint32_t)chars) /* no character is shorter than a byte */
        return 0;
    end = str_skip(*s, 0, chars);
    for (uint32_t i = end; !cut && i < s->len; i++)
        if (s->ptr[i] != ' ')
            return DN_FAIL(err,
                           DN_E_TOO_LONG,
                           "value too long for type character%s(%d)",
                           padded ? "" : " varying",
                           (int)chars);
    s->len = end;
    if (padded)
        *s = text_unblank(*s);
    return 0;
}

/* A BIT(n) has n bits: a cast fills it up with zeros or cuts; a VARBIT(n) has no more. */
static int
fit_bits(int32_t bits, bool cut, struct arena *arena, struct datum *d, struct dn_err *err)
{
    bool fixed = d->type == TYPE_BIT;
    char *to;

    if (d->str.len == (uint32_t)bits || (!fixed && d->str.len < (uint32_t)bits))
        return 0;
    if (!cut && fixed)
        return DN_FAIL(err,
                       DN_E_BITS_LENGTH,
                       "bit string length %u does not match type bit(%d)",
                       d->str.len,
                       (int)bits);
    if (!cut)
        return DN_FAIL(
            err, DN_E_TOO_LONG, "bit string too long for type bit varying(%d)", (int)bits);
    if (d->str.len > (uint32_t)bits) {
        d->str.len = (uint32_t)bits;
        return 0;
    }
    to = arena_alloc(arena, (size_t)bits);
    if (!to)
        return DN_FAIL_NOMEM(err);
    memset(to, '0', (size_t)bits);
    if (d->str.len)
        memcpy(to, d->str.ptr, d->str.len);
    d->str = (struct vstr){to, (uint32_t)bits};
    return 0;
}

/* Microseconds to that many digits of a second, halves away from zero. False: out of range. */
static bool fit_fraction(int32_t digits, int64_t us, int64_t *ret)
{
    int64_t unit = 1;
    int64_t rest;

    for (int32_t i = digits; i < TYPE_FRACTION_MAX; i++)
        unit *= 10;
    rest = us % unit;
    us -= rest;
    if (rest * 2 >= unit)
        return !__builtin_add_overflow(us, unit, ret);
    if (rest * 2 <= -unit)
        return !__builtin_sub_overflow(us, unit, ret);
    *ret = us;
    return true;
}

static bool fit_timetz(int32_t digits, int64_t *v)
{
    int64_t us = timetz_clock_us(*v);
    bool good = fit_fraction(digits, us, &us);

    *v = timetz_make(us, timetz_west(*v));
    return good;
}

static bool fit_instant(int32_t digits, int64_t *us)
{
    int64_t since;

    if (*us == INT64_MAX || *us == INT64_MIN) /* infinity */
        return true;
    return !__builtin_sub_overflow(*us, (int64_t)FIT_EPOCH_US, &since) &&
           fit_fraction(digits, since, &since) &&
           !__builtin_add_overflow(since, (int64_t)FIT_EPOCH_US, us);
}

/* What is smaller than the last field is cut; what is greater than the first one stays. */
static struct vinterval *fit_fields(int32_t fields, struct vinterval *v)
{
    const int64_t minute = 60000000;

    if (fields == 0 || (fields & TYPE_FIELD_SECOND))
        return v;
    if (fields & TYPE_FIELD_MINUTE)
        v->us -= v->us % minute;
    else if (fields & TYPE_FIELD_HOUR)
        v->us -= v->us % (60 * minute);
    else
        v->us = 0;
    if (fields & (TYPE_FIELD_YEAR | TYPE_FIELD_MONTH))
        v->days = 0;
    if (fields == TYPE_FIELD_YEAR)
        v->months -= v->months % 12;
    return v;
}

static int fit_array(const struct type_mods *mods,
                     bool cut,
                     struct arena *arena,
                     struct datum *d,
                     struct dn_err *err)
{
    const struct func_ctx ctx = {.arena = arena};
    struct varray a;
    int rc = func_array_read(&ctx, d->str, d->type, &a, err);

    for (uint32_t i = 0; rc == 0 && i < a.count; i++)
        if (!a.items[i].null)
            rc = func_fit(mods, cut, arena, &a.items[i], err);
    return rc < 0 ? rc : func_array_write(&ctx, &a, &d->str, err);
}

int func_fit(const struct type_mods *mods,
             bool cut,
             struct arena *arena,
             struct datum *d,
             struct dn_err *err)
{
    bool good = true;

    if (type_is_array(d->type))
        return fit_array(mods, cut, arena, d, err);
    if (type_is_bits(d->type))
        return fit_bits(mods->v[0], cut, arena, d, err);
    if (type_is_text(d->type))
        return fit_text(mods->v[0], cut, d->type == TYPE_BPCHAR, &d->str, err);
    if (d->type == TYPE_NUMERIC)
        return num_fit(d->num, mods->v[0], mods->v[1], &d->num, err);
    if (d->type == TYPE_TIME)
        good = fit_fraction(mods->v[0], d->v.i64, &d->v.i64);
    else if (d->type == TYPE_TIMETZ)
        good = fit_timetz(mods->v[0], &d->v.i64);
    else if (d->type == TYPE_TIMESTAMPTZ || d->type == TYPE_TIMESTAMP_US)
        good = fit_instant(mods->v[0], &d->v.i64);
    else if (d->type == TYPE_INTERVAL)
        good = fit_fraction(
            mods->v[0], fit_fields(mods->count > 1 ? mods->v[1] : 0, &d->iv)->us, &d->iv.us);
    return good ? 0 : DN_FAIL(err, DN_E_DATETIME_RANGE, "%s out of range", type_word(d->type));
}

static int fit_rows(const struct func_ctx *ctx,
                    const struct vec *args,
                    uint32_t args_count,
                    uint32_t count,
                    struct vec *ret,
                    struct dn_err *err)
{
    struct type_mods mods = {.count = (uint8_t)(args_count - 1)};
    size_t size = phys_size(type_phys(ret->type));
    void *to = func_ret_alloc(ctx, ret, count, size, err);

    if (!to)
        return DN_E_NOMEM;
    memset(to, 0, count * size);
    for (uint32_t i = 0; count > 0 && i < mods.count; i++)
        mods.v[i] = (int32_t)vec_i64(&args[1 + i], 0);
    for (uint32_t i = 0; i < count; i++) {
        struct datum d = {.type = ret->type, .str = {"", 0}};
        int rc = 0;

        if (!vec_is_null(ret, i)) {
            d = vec_datum(&args[0], i);
            rc = func_fit(&mods, true, ctx->arena, &d, err);
        } else if (!type_is_string(ret->type)) {
            continue;
        }
        if (rc < 0)
            return rc;
        datum_store(&d, to, i);
    }
    return 0;
}

#define FIT(t, n)                                                                     \
    {                                                                                 \
        .name = "fit", .args = {TYPE_##t, TYPE_BIGINT, TYPE_BIGINT}, .args_count = n, \
        .result = TYPE_##t, .flags = FUNC_STRICT | FUNC_OPERATOR, .kernel = fit_rows, \
        .doc = "The value as the parameters of its type keep it."                     \
    }

const struct func *func_fit_cast(enum type_id type)
{
    static const struct func rows[] = {FIT(VARCHAR, 2),
                                       FIT(BPCHAR, 2),
                                       FIT(BIT, 2),
                                       FIT(VARBIT, 2),
                                       FIT(NUMERIC, 3),
                                       FIT(TIME, 2),
                                       FIT(TIMETZ, 2),
                                       FIT(TIMESTAMPTZ, 2),
                                       FIT(TIMESTAMP_US, 2),
                                       FIT(INTERVAL, 3)};
    static const struct func array = {.name = "fit",
                                      .args = {TYPE_ANY_ARRAY, TYPE_BIGINT, TYPE_BIGINT},
                                      .args_count = 3,
                                      .result = TYPE_ANY_ARRAY,
                                      .flags = FUNC_STRICT | FUNC_OPERATOR,
                                      .kernel = fit_rows};

    for (size_t i = 0; i < DN_ARRAY_SIZE(rows); i++)
        if (rows[i].result == type)
            return &rows[i];
    return type_is_array(type) ? &array : NULL;
}

/* ---- blanks ---- */

static int pad_text(struct arena *arena, int64_t chars, struct vstr *s, struct dn_err *err)
{
    int64_t more = chars - str_chars(*s);
    char *to;

    if (more <= 0)
        return 0;
    to = arena_alloc(arena, s->len + (size_t)more);
    if (!to)
        return DN_FAIL_NOMEM(err);
    if (s->len)
        memcpy(to, s->ptr, s->len);
    memset(to + s->len, ' ', (size_t)more);
    *s = (struct vstr){to, s->len + (uint32_t)more};
    return 0;
}

static int pad_value(const struct func_ctx *ctx,
                     enum type_id type,
                     int64_t chars,
                     struct vstr *s,
                     struct dn_err *err)
{
    struct varray a;
    int rc;

    if (!type_is_array(type))
        return pad_text(ctx->arena, chars, s, err);
    rc = func_array_read(ctx, *s, type, &a, err);
    for (uint32_t i = 0; rc == 0 && i < a.count; i++)
        if (!a.items[i].null)
            rc = pad_text(ctx->arena, chars, &a.items[i].str, err);
    return rc < 0 ? rc : func_array_write(ctx, &a, s, err);
}

FUNC_EACH(pad_rows,
          struct vstr,
          (to[i] = vec_str(&args[0], i),
           pad_value(ctx, args[0].type, vec_i64(&args[1], i), &to[i], err)))

const struct func *func_pad(void)
{
    static const struct func pad = {.name = "pad",
                                    .args = {TYPE_NONE, TYPE_BIGINT},
                                    .args_count = 2,
                                    .result = TYPE_NONE,
                                    .flags = FUNC_STRICT | FUNC_OPERATOR,
                                    .kernel = pad_rows};

    return &pad;
}
