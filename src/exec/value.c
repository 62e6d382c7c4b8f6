/* SPDX-License-Identifier: Apache-2.0
 *
 * value.c: hashes and equality of values, the type decided once per column where that pays. */
#include "exec/value.h"

#include "vec/array.h"
#include "vec/numeric.h"

#include <string.h>

#define VALUE_NULL_HASH 0x9e3779b97f4a7c15u

/* What a string is compared by. */
static inline struct vstr value_str(enum type_id type, struct vstr s)
{
    return type_is_array(type) ? varray_key(type, s) : s;
}

static uint64_t value_f64_hash(double f)
{
    uint64_t bits;

    if (f != f)
        return VALUE_NULL_HASH + 1;
    f = f == 0 ? 0 : f; /* one zero */
    memcpy(&bits, &f, sizeof bits);
    return dn_mix64(bits);
}

/* Of the value at a position of data, whatever the form. */
uint64_t exec_value_hash(const struct vec *v, uint32_t at)
{
    switch (type_phys(v->type)) {
    case PHYS_I8:
        return dn_mix64((uint64_t)((const int8_t *)v->data)[at]);
    case PHYS_I16:
        return dn_mix64((uint64_t)((const int16_t *)v->data)[at]);
    case PHYS_I32:
        return dn_mix64((uint64_t)((const int32_t *)v->data)[at]);
    case PHYS_I64:
        return dn_mix64((uint64_t)((const int64_t *)v->data)[at]);
    case PHYS_F32:
        return value_f64_hash((double)((const float *)v->data)[at]);
    case PHYS_F64:
        return value_f64_hash(((const double *)v->data)[at]);
    case PHYS_STR:
        return exec_str_hash(value_str(v->type, ((const struct vstr *)v->data)[at]));
    case PHYS_INTERVAL:
        return vinterval_hash(((const struct vinterval *)v->data)[at]);
    case PHYS_NUMERIC:
        return vnumeric_hash(((const struct vnumeric *)v->data)[at]);
    case PHYS_MAX:
        break;
    }
    return 0;
}

static inline uint64_t value_combine(uint64_t h, uint64_t value)
{
    return (h ^ value) * 0xff51afd7ed558ccdu + (h >> 29);
}

uint64_t exec_row_hash(const struct vec *keys, uint32_t keys_count, uint32_t row)
{
    uint64_t h = 0;

    for (uint32_t k = 0; k < keys_count; k++)
        h = value_combine(h,
                          vec_is_null(&keys[k], row)
                              ? VALUE_NULL_HASH
                              : exec_value_hash(&keys[k], vec_at(&keys[k], row)));
    return dn_mix64(h);
}

static bool value_f64_same(double a, double b)
{
    return a == b || (a != a && b != b);
}

/* Values at positions of two arrays of one type. */
bool exec_value_same(enum type_id type, const void *a, uint32_t at_a, const void *b, uint32_t at_b)
{
    switch (type_phys(type)) {
    case PHYS_I8:
        return ((const int8_t *)a)[at_a] == ((const int8_t *)b)[at_b];
    case PHYS_I16:
        return ((const int16_t *)a)[at_a] == ((const int16_t *)b)[at_b];
    case PHYS_I32:
        return ((const int32_t *)a)[at_a] == ((const int32_t *)b)[at_b];
    case PHYS_I64:
        return ((const int64_t *)a)[at_a] == ((const int64_t *)b)[at_b];
    case PHYS_F32:
        return value_f64_same((double)((const float *)a)[at_a], (double)((const float *)b)[at_b]);
    case PHYS_F64:
        return value_f64_same(((const double *)a)[at_a], ((const double *)b)[at_b]);
    case PHYS_STR:
        return exec_str_same(value_str(type, ((const struct vstr *)a)[at_a]),
                             value_str(type, ((const struct vstr *)b)[at_b]));
    case PHYS_INTERVAL:
        return vinterval_cmp(((const struct vinterval *)a)[at_a],
                             ((const struct vinterval *)b)[at_b]) == 0;
    case PHYS_NUMERIC:
        return vnumeric_cmp(((const struct vnumeric *)a)[at_a],
                            ((const struct vnumeric *)b)[at_b]) == 0;
    case PHYS_MAX:
        break;
    }
    return false;
}

#define VALUE_HASH_LOOP(T, hash)                          \
    do {                                                  \
        const T *data = v->data;                          \
        for (uint32_t i = 0; i < in->sel_count; i++) {    \
            T x = data[in->sel ? in->sel[i] : i];         \
            hashes[i] = value_combine(hashes[i], (hash)); \
        }                                                 \
        return;                                           \
    } while (0)

/* FLAT columns: the type is decided once, not per row. */
static void value_hash_flat(const struct vec *v, const struct batch *in, uint64_t *hashes)
{
    if (!v->nulls) {
        switch (type_phys(v->type)) {
        case PHYS_I8:
            VALUE_HASH_LOOP(int8_t, dn_mix64((uint64_t)x));
        case PHYS_I16:
            VALUE_HASH_LOOP(int16_t, dn_mix64((uint64_t)x));
        case PHYS_I32:
            VALUE_HASH_LOOP(int32_t, dn_mix64((uint64_t)x));
        case PHYS_I64:
            VALUE_HASH_LOOP(int64_t, dn_mix64((uint64_t)x));
        case PHYS_F64:
            VALUE_HASH_LOOP(double, value_f64_hash(x));
        case PHYS_STR:
            if (!type_is_array(v->type))
                VALUE_HASH_LOOP(struct vstr, exec_str_hash(x));
            break;
        case PHYS_F32:
        case PHYS_INTERVAL:
        case PHYS_NUMERIC:
        case PHYS_MAX:
            break;
        }
    }
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        hashes[i] = value_combine(
            hashes[i], vec_bit(v->nulls, row) ? VALUE_NULL_HASH : exec_value_hash(v, row));
    }
}

/* Adds one column to the hashes of the selected rows; entries of a small DICT are hashed once. */
static int value_hash_col(const struct vec *v,
                          const struct batch *in,
                          struct arena *scratch,
                          uint64_t *hashes,
                          struct dn_err *err)
{
    uint32_t entries = v->form == VEC_CONST ? 1 : v->dict_count;
    uint64_t *entry;

    if (v->form == VEC_FLAT) {
        value_hash_flat(v, in, hashes);
        return 0;
    }
    if (entries > in->sel_count) { /* a big DICT of which few rows are left */
        for (uint32_t i = 0; i < in->sel_count; i++) {
            uint32_t row = in->sel ? in->sel[i] : i;

            hashes[i] = value_combine(hashes[i],
                                      vec_is_null(v, row) ? VALUE_NULL_HASH
                                                          : exec_value_hash(v, vec_at(v, row)));
        }
        return 0;
    }
    entry = arena_alloc_array(scratch, entries, sizeof *entry);
    if (!entry)
        return DN_FAIL_NOMEM(err);
    for (uint32_t e = 0; e < entries; e++)
        entry[e] = exec_value_hash(v, e);
    for (uint32_t i = 0; i < in->sel_count; i++) {
        uint32_t row = in->sel ? in->sel[i] : i;

        hashes[i] =
            value_combine(hashes[i], vec_is_null(v, row) ? VALUE_NULL_HASH : entry[vec_at(v, row)]);
    }
    return 0;
}

int exec_rows_hash(const struct vec *keys,
                   uint32_t keys_count,
                   const struct batch *in,
                   struct arena *scratch,
                   uint64_t *hashes,
                   struct dn_err *err)
{
    memset(hashes, 0, in->sel_count * sizeof *hashes);
    for (uint32_t k = 0; k < keys_count; k++) {
        int rc = value_hash_col(&keys[k], in, scratch, hashes, err);

        if (rc < 0)
            return rc;
    }
    for (uint32_t i = 0; i < in->sel_count; i++)
        hashes[i] = dn_mix64(hashes[i]);
    return 0;
}
