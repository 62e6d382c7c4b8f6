/* SPDX-License-Identifier: Apache-2.0
 *
 * expr_in.c: x IN (list), x = ANY (array). The list becomes a set once per run (struct eval keeps
 * it if it has an arena that lives as long), then every value is looked up: in a short list one by
 * one, in a longer one by hash. A DICT is looked up by entry, not by row.
 *
 * Values of fixed width are compared as 64-bit keys: integers as they are, floats by bits in which
 * equal values are equal (one zero, one NaN). A short list of these is compared value by value with
 * the whole vector, which the vectorizer likes. */
#include "func/expr_int.h"

#include "base/hash.h"
#include "func/func_int.h"
#include "vec/array.h"

#include <string.h>

#define EXPR_IN_LINEAR_MAX 8u

struct eval_set {
    struct eval_set *next;
    const struct bexpr *e; /* whose list it is */
    bool has_null;         /* a NULL in the list */
    bool strings;          /* str is used, else keys */
    uint32_t count;        /* values, NULLs left out */
    uint64_t *keys;        /* fixed width */
    struct vstr *str;
    uint32_t *slots; /* value + 1 by hash, 0 = empty; NULL in a short list */
    uint32_t mask;
};

static uint64_t expr_key(const struct datum *d)
{
    return type_is_float(d->type) ? func_f64_bits(d->v.f64) : (uint64_t)d->v.i64;
}

static bool expr_str_same(struct vstr a, struct vstr b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static uint32_t expr_hash(const struct eval_set *set, uint64_t key, struct vstr str)
{
    return (uint32_t)(set->strings ? dn_hash64(str.ptr, str.len, 0) : dn_mix64(key));
}

static bool expr_set_has(const struct eval_set *set, uint64_t key, struct vstr str)
{
    if (!set->slots) {
        for (uint32_t i = 0; i < set->count; i++)
            if (set->strings ? expr_str_same(set->str[i], str) : set->keys[i] == key)
                return true;
        return false;
    }
    for (uint32_t at = expr_hash(set, key, str);; at++) {
        uint32_t id = set->slots[at & set->mask];

        if (id == 0)
            return false;
        if (set->strings ? expr_str_same(set->str[id - 1], str) : set->keys[id - 1] == key)
            return true;
    }
}

/* A value that is there already is left out: of many equal ones each would go past all others. */
static int expr_set_index(struct eval_set *set,
                          const struct func_session *session,
                          struct arena *arena,
                          struct dn_err *err)
{
    const struct func_ctx ctx = {.session = session};
    uint64_t steps = 0;
    uint32_t size = 16;

    while (size < set->count * 2)
        size *= 2;
    set->slots = arena_calloc(arena, size, sizeof *set->slots);
    if (!set->slots)
        return DN_FAIL_NOMEM(err);
    set->mask = size - 1;
    for (uint32_t i = 0; i < set->count; i++) {
        uint64_t key = set->strings ? 0 : set->keys[i];
        struct vstr str = set->strings ? set->str[i] : (struct vstr){"", 0};
        uint32_t at = expr_hash(set, key, str);
        uint32_t id;

        for (; (id = set->slots[at & set->mask]) != 0; at++) {
            int rc = func_count_steps(&ctx, 1, &steps, err);

            if (rc < 0)
                return rc;
            if (set->strings ? expr_str_same(set->str[id - 1], str) : set->keys[id - 1] == key)
                break;
        }
        if (id == 0)
            set->slots[at & set->mask] = i + 1;
    }
    return 0;
}

/* One value of the list: a constant, a parameter, or an expression of such. */
static int
expr_in_value(const struct bexpr *e, struct eval *ev, struct datum *ret, struct dn_err *err)
{
    const struct datum *param;
    int rc;

    if (e->kind == BEXPR_CONST) {
        *ret = e->value;
        return 0;
    }
    if (e->kind == BEXPR_PARAM) {
        rc = expr_param(e, ev, &param, err);
        if (rc < 0) {
            dn_err_at(err, e->pos);
            return rc;
        }
        *ret = *param;
        return 0;
    }
    return expr_eval_datum(e, ev, ret, err);
}

/* The items of = ANY (array), in the arena; of NULL one NULL, which makes all comparisons NULL. */
static int expr_in_items(const struct bexpr *e,
                         struct eval *ev,
                         struct arena *arena,
                         struct varray *ret,
                         struct dn_err *err)
{
    struct datum *null = arena_calloc(arena, 1, sizeof *null);
    struct datum d;
    int rc = expr_in_value(e->args[1], ev, &d, err);

    if (rc < 0)
        return rc;
    if (!null)
        return DN_FAIL_NOMEM(err);
    if (d.null) {
        *null = (struct datum){.type = e->args[0]->type, .null = true};
        *ret = varray_flat(e->args[0]->type, null, 1);
        return 0;
    }
    rc = varray_read(d.str, e->args[0]->type, NULL, arena, ret);
    if (rc < 0)
        return DN_FAIL_NOMEM(err);
    DN_CHECK_DISK(rc == 0, err, "a value is no %s", type_name(d.type));
    return 0;
}

static int expr_set_make(const struct bexpr *e,
                         struct eval *ev,
                         struct arena *arena,
                         struct eval_set **ret,
                         struct dn_err *err)
{
    struct eval_set *set = arena_calloc(arena, 1, sizeof *set);
    bool array = expr_in_array(e);
    uint32_t list = e->args_count - 1;
    struct varray items = {.count = 0};
    int rc = array ? expr_in_items(e, ev, arena, &items, err) : 0;

    if (rc < 0)
        return rc;
    if (array)
        list = items.count;
    if (!set)
        return DN_FAIL_NOMEM(err);
    DN_ASSERT(type_is_fixed(e->args[0]->type) || type_is_string(e->args[0]->type));
    set->e = e;
    set->strings = type_is_string(e->args[0]->type);
    if (set->strings)
        set->str = arena_alloc_array(arena, list + 1, sizeof *set->str);
    else
        set->keys = arena_alloc_array(arena, list + 1, sizeof *set->keys);
    if (!set->str && !set->keys)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < list; i++) {
        struct datum own;

        if (array)
            own = items.items[i];
        else
            rc = expr_in_value(e->args[i + 1], ev, &own, err);
        if (rc < 0)
            return rc;
        if (own.null) {
            set->has_null = true;
            continue;
        }
        if (!array && !datum_copy(arena, &own, &own))
            return DN_FAIL_NOMEM(err);
        if (set->strings)
            set->str[set->count++] = own.str;
        else
            set->keys[set->count++] = expr_key(&own);
    }
    if (set->count > EXPR_IN_LINEAR_MAX)
        rc = expr_set_index(set, ev->session, arena, err);
    *ret = set;
    return rc;
}

static int
expr_set_get(const struct bexpr *e, struct eval *ev, struct eval_set **ret, struct dn_err *err)
{
    int rc;

    for (struct eval_set *s = ev->sets; s && ev->run; s = s->next)
        if (s->e == e) {
            *ret = s;
            return 0;
        }
    rc = expr_set_make(e, ev, ev->run ? ev->run : ev->arena, ret, err);
    if (rc < 0 || !ev->run)
        return rc;
    (*ret)->next = ev->sets;
    ev->sets = *ret;
    return 0;
}

#define EXPR_KEYS(T, key)                  \
    for (uint32_t i = 0; i < count; i++) { \
        T x = ((const T *)v->data)[i];     \
        to[i] = (key);                     \
    }

/* The keys of data[0 .. count), which is of a fixed width. */
static void expr_keys(const struct vec *v, uint32_t count, uint64_t *restrict to)
{
    switch (type_phys(v->type)) {
    case PHYS_I8:
        EXPR_KEYS(int8_t, (uint64_t)x)
        return;
    case PHYS_I16:
        EXPR_KEYS(int16_t, (uint64_t)x)
        return;
    case PHYS_I32:
        EXPR_KEYS(int32_t, (uint64_t)x)
        return;
    case PHYS_I64:
        EXPR_KEYS(int64_t, (uint64_t)x)
        return;
    case PHYS_F32:
        EXPR_KEYS(float, func_f64_bits((double)x))
        return;
    case PHYS_F64:
        EXPR_KEYS(double, func_f64_bits(x))
        return;
    case PHYS_STR:
    case PHYS_INTERVAL:
    case PHYS_NUMERIC:
    case PHYS_MAX:
        break;
    }
    dn_assert_failed("a type of fixed width", __FILE__, __LINE__);
}
#undef EXPR_KEYS

static inline __attribute__((always_inline)) void
expr_keys_same(const uint64_t *restrict keys, uint64_t key, uint32_t count, int8_t *restrict found)
{
    for (uint32_t i = 0; i < count; i++)
        found[i] |= (int8_t)(keys[i] == key);
}

#ifdef FUNC_AVX2
FUNC_AVX2 static void
expr_keys_same_avx2(const uint64_t *keys, uint64_t key, uint32_t count, int8_t *found)
{
    expr_keys_same(keys, key, count, found);
}
#endif

/* found[i], all 0 before: is data[i] in the set, which is not of strings? */
static int expr_in_keys(const struct eval_set *set,
                        const struct vec *v,
                        uint32_t count,
                        struct arena *arena,
                        int8_t *found,
                        struct dn_err *err)
{
    uint64_t *keys = arena_alloc_array(arena, count, sizeof *keys);

    if (!keys)
        return DN_FAIL_NOMEM(err);
    expr_keys(v, count, keys);
    if (set->slots) {
        for (uint32_t i = 0; i < count; i++)
            found[i] = expr_set_has(set, keys[i], (struct vstr){"", 0});
        return 0;
    }
    for (uint32_t k = 0; k < set->count; k++) {
#ifdef FUNC_AVX2
        if (func_has_avx2()) {
            expr_keys_same_avx2(keys, set->keys[k], count, found);
            continue;
        }
#endif
        expr_keys_same(keys, set->keys[k], count, found);
    }
    return 0;
}

/* Is data[at] in the set? */
static bool expr_in_at(const struct eval_set *set, const struct vec *flat, uint32_t at)
{
    struct datum d;

    if (set->strings)
        return expr_set_has(set, 0, ((const struct vstr *)flat->data)[at]);
    d = vec_datum(flat, at);
    return expr_set_has(set, expr_key(&d), (struct vstr){"", 0});
}

/* Values that are not found are NULL when the list has a NULL; the caller's bits are the left's. */
static int expr_in_nulls(const struct eval_set *set,
                         const struct vec *left,
                         const int8_t *found,
                         struct arena *arena,
                         struct vec *ret,
                         struct dn_err *err)
{
    uint64_t *bits;

    if (!set->has_null) {
        ret->nulls = set->count ? left->nulls : NULL; /* nothing is in no values, nor is NULL */
        return 0;
    }
    bits = expr_bitmap(arena, ret->count);
    if (!bits)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < ret->count; i++)
        if (vec_is_null(left, i) || !found[vec_at(left, i)])
            vec_bit_set(bits, i);
    ret->nulls = bits;
    return 0;
}

/* found[i], all 0 before, for each position of data that a selected row uses. */
static int expr_in_find(const struct eval_set *set,
                        const struct vec *left,
                        const struct batch *in,
                        struct arena *arena,
                        int8_t *found,
                        struct dn_err *err)
{
    struct vec flat = *left;

    flat.form = VEC_FLAT;
    flat.nulls = NULL;
    flat.count = left->form == VEC_DICT ? left->dict_count : left->count;
    if (left->form == VEC_CONST) {
        flat.count = 1;
        found[0] = !vec_is_null(left, 0) && expr_in_at(set, &flat, 0);
        return 0;
    }
    if (!set->strings && (left->form == VEC_FLAT || left->dict_count <= in->sel_count))
        return flat.count ? expr_in_keys(set, &flat, flat.count, arena, found, err) : 0;
    if (left->form == VEC_DICT && left->dict_count <= in->sel_count) {
        for (uint32_t i = 0; i < left->dict_count; i++)
            found[i] = expr_in_at(set, &flat, i);
        return 0;
    }
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        if (!vec_is_null(left, row))
            found[vec_at(left, row)] = expr_in_at(set, &flat, vec_at(left, row));
    }
    return 0;
}

int expr_in(const struct bexpr *e,
            struct eval *ev,
            const struct batch *in,
            const struct vec *left,
            struct vec *ret,
            struct dn_err *err)
{
    uint32_t entries = left->form == VEC_CONST  ? 1
                       : left->form == VEC_DICT ? left->dict_count
                                                : in->count;
    int8_t *found = arena_calloc(ev->arena, entries, sizeof *found);
    struct vec out = *left;
    struct eval_set *set;
    int rc;

    if (!found)
        return DN_FAIL_NOMEM(err);
    rc = expr_set_get(e, ev, &set, err);
    if (rc < 0)
        return rc;
    rc = expr_in_find(set, left, in, ev->arena, found, err);
    if (rc < 0)
        return rc;
    out.type = TYPE_BOOLEAN;
    out.count = in->count;
    out.data = found;
    out.absent = NULL;
    rc = expr_in_nulls(set, left, found, ev->arena, &out, err);
    if (rc < 0)
        return rc;
    if (e->negated)
        for (uint32_t i = 0; i < entries; i++)
            found[i] = !found[i];
    *ret = out;
    return 0;
}

void expr_and_into(const struct vec *v, uint32_t count, int8_t *restrict found)
{
    const int8_t *data = v->data;

    if (v->form == VEC_FLAT && !v->nulls) {
        for (uint32_t i = 0; i < count; i++)
            found[i] &= data[i];
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        found[i] &= data[vec_at(v, i)] && !vec_bit(v->nulls, i);
}
