/* SPDX-License-Identifier: Apache-2.0
 *
 * agg.c: finding aggregates. Those of one argument have a row for every type they take, and
 * TYPE_NONE in a row takes any; those of two, and of WITHIN GROUP, take what can be cast unasked.
 */
#include "func/enum_int.h"
#include "func/func_int.h"

#include "base/bytes.h"

#include <string.h>
#include <strings.h>

static const struct agg_table *const agg_tables[] = {
#define X(name) &agg_table_##name,
    AGG_TABLES(X)
#undef X
};

const struct agg *agg_at(uint32_t i)
{
    for (size_t t = 0; t < DN_ARRAY_SIZE(agg_tables); t++) {
        if (i < agg_tables[t]->count)
            return &agg_tables[t]->rows[i];
        i -= agg_tables[t]->count;
    }
    return NULL;
}

const struct agg *agg_named(struct func_walk *w, const char *name)
{
    for (; w->table < DN_ARRAY_SIZE(agg_tables); w->table++, w->row = 0) {
        const struct agg_table *t = agg_tables[w->table];

        while (w->row < t->count) {
            const struct agg *a = &t->rows[w->row++];

            if (func_name_may(a->name, name) && strcasecmp(a->name, name) == 0)
                return a;
        }
    }
    return NULL;
}

void agg_save(const struct agg *a, const void *state, struct buf *b)
{
    if (a->save)
        a->save(state, b);
    else
        buf_append(b, state, a->state_size);
}

int agg_load(const struct agg *a,
             void *state,
             const uint8_t *p,
             size_t n,
             struct arena *strings,
             struct dn_err *err)
{
    if (a->load)
        return a->load(state, p, n, strings, err);
    if (n != a->state_size)
        return agg_load_fail(a->name, n, err);
    memcpy(state, p, n);
    return 0;
}

int agg_load_fail(const char *name, size_t n, struct dn_err *err)
{
    return DN_FAIL(err, DN_E_CORRUPT, "%zu bytes are no state of %s", n, name);
}

bool agg_name_exists(const char *name)
{
    struct func_walk walk = {0};

    return agg_named(&walk, name) != NULL;
}

static void agg_hint_types(const char *name, struct dn_err *err)
{
    struct func_walk walk = {0};
    const struct agg *a;
    struct buf b;

    buf_init(&b, NULL);
    while ((a = agg_named(&walk, name)))
        if (!a->star && a->within != AGG_WITHIN_DESC &&
            (a->arg2 == TYPE_NONE || a->within == AGG_WITHIN_ASC))
            buf_printf(&b,
                       "%s%s",
                       b.len ? ", " : "",
                       a->arg == TYPE_NONE ? "any type" : type_name(a->arg));
    if (!b.failed && b.len)
        dn_err_hint(err, "It takes %.*s.", (int)b.len, (const char *)b.data);
    buf_done(&b);
}

enum type_id agg_result(const struct agg *a, enum type_id arg)
{
    if ((a->result & ~TYPE_ARRAY) != TYPE_ENUM)
        return a->result;
    arg = type_is_array(arg) ? type_element(arg) : arg;
    return type_is_array(a->result) ? type_array_of(arg) : arg;
}

static const struct agg *agg_find_enum(const char *name)
{
    for (uint32_t i = 0; i < AGG_ENUM_MINMAX; i++)
        if (strcasecmp(agg_enum_minmax[i].name, name) == 0)
            return &agg_enum_minmax[i];
    return strcasecmp(agg_enum_array[0].name, name) == 0 ? &agg_enum_array[0] : NULL;
}

const struct agg *
agg_find(const char *name, bool star, enum type_id arg, uint32_t pos, struct dn_err *err)
{
    const struct agg *a = type_is_enum(arg) && !star ? agg_find_enum(name) : NULL;
    struct func_walk walk = {0};

    if (a)
        return a;

    while ((a = agg_named(&walk, name))) {
        if (a->star != star)
            continue;
        if (a->arg2 != TYPE_NONE || a->within != AGG_WITHIN_NONE)
            continue;
        if (star || a->arg == arg || a->arg == TYPE_NONE || arg == TYPE_NONE)
            return a;
    }
    if (!agg_name_exists(name))
        DN_IGNORE(
            DN_FAIL(err, DN_E_UNDEFINED_FUNCTION, "aggregate function %s does not exist", name));
    else if (star)
        DN_IGNORE(DN_FAIL(
            err, DN_E_UNDEFINED_FUNCTION, "function %s(*) does not exist: only count(*)", name));
    else {
        DN_IGNORE(DN_FAIL(
            err, DN_E_UNDEFINED_FUNCTION, "function %s(%s) does not exist", name, type_word(arg)));
        agg_hint_types(name, err);
    }
    dn_err_at(err, pos); /* NULL tells of the failure; its code is in err */
    return NULL;
}

/* What a second argument may be: a time of any precision, or a number that counts like one. */
static bool agg_orders(enum type_id type)
{
    return type_is_timestamp(type) || type == TYPE_TIMESTAMP_LOCAL || type_is_int(type) ||
           type == TYPE_NONE;
}

/* Does a value of that type go where the row wants one of its own, cast if need be? */
static bool agg_takes(enum type_id want, enum type_id have)
{
    return want == have || have == TYPE_NONE || func_cast_level(have, want) == FUNC_CAST_IMPLICIT;
}

static bool agg_fits_pair(const struct agg *a, enum type_id arg, enum type_id arg2, bool exactly)
{
    if (a->arg2 == TYPE_TIMESTAMP)
        return (a->arg == arg || arg == TYPE_NONE) && agg_orders(arg2);
    return exactly ? a->arg == arg && a->arg2 == arg2
                   : agg_takes(a->arg, arg) && agg_takes(a->arg2, arg2);
}

const struct agg *agg_find_pair(
    const char *name, enum type_id arg, enum type_id arg2, uint32_t pos, struct dn_err *err)
{
    const struct agg *a;

    if (type_is_enum(arg) && arg2 == TYPE_BOOLEAN && strcasecmp(agg_enum_array[1].name, name) == 0)
        return &agg_enum_array[1];
    for (int exactly = 1; exactly >= 0; exactly--) {
        struct func_walk walk = {0};

        while ((a = agg_named(&walk, name)))
            if (a->arg2 != TYPE_NONE && a->within == AGG_WITHIN_NONE &&
                agg_fits_pair(a, arg, arg2, exactly))
                return a;
    }
    DN_IGNORE(DN_FAIL(err,
                      DN_E_UNDEFINED_FUNCTION,
                      "function %s(%s, %s) does not exist",
                      name,
                      type_word(arg),
                      type_word(arg2)));
    dn_err_at(err, pos); /* NULL tells of the failure; its code is in err */
    return NULL;
}

const struct agg *
agg_find_within(const char *name, enum type_id arg, bool desc, uint32_t pos, struct dn_err *err)
{
    enum agg_within within = desc ? AGG_WITHIN_DESC : AGG_WITHIN_ASC;
    const struct agg *a;

    for (int exactly = 1; exactly >= 0; exactly--) {
        struct func_walk walk = {0};

        while ((a = agg_named(&walk, name)))
            if (a->within == within && (exactly ? a->arg == arg : agg_takes(a->arg, arg)))
                return a;
    }
    DN_IGNORE(DN_FAIL(err,
                      DN_E_UNDEFINED_FUNCTION,
                      "function %s WITHIN GROUP (ORDER BY %s) does not exist",
                      name,
                      type_word(arg)));
    agg_hint_types(name, err);
    dn_err_at(err, pos); /* NULL tells of the failure; its code is in err */
    return NULL;
}

bool agg_name_within(const char *name)
{
    struct func_walk walk = {0};
    const struct agg *a;

    while ((a = agg_named(&walk, name)))
        if (a->within != AGG_WITHIN_NONE)
            return true;
    return false;
}

bool agg_name_timed(const char *name)
{
    struct func_walk walk = {0};
    const struct agg *a;

    while ((a = agg_named(&walk, name)))
        if (a->arg2 == TYPE_TIMESTAMP)
            return true;
    return false;
}

void agg_name_args(const char *name, uint32_t *ret_min, uint32_t *ret_max)
{
    struct func_walk walk = {0};
    const struct agg *a;

    *ret_min = FUNC_ARGS_MAX;
    *ret_max = 0;
    while ((a = agg_named(&walk, name))) {
        uint32_t n = (a->arg2 != TYPE_NONE) + (a->within == AGG_WITHIN_NONE ? 1u : 0u);
        uint32_t least = a->arg2 == TYPE_TIMESTAMP ? 1 : n;

        if (a->star || (a->nulls_count && a->arg2 != TYPE_NONE)) /* its FILTER */
            continue;
        *ret_min = least < *ret_min ? least : *ret_min;
        *ret_max = n > *ret_max ? n : *ret_max;
    }
}
