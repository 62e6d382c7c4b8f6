/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "ref.h"

static bool check_absent(const struct vec *v, uint32_t row)
{
    return vec_bit(v->absent, v->form == VEC_CONST ? 0 : row);
}

static bool check_value(const struct vec *a, const struct vec *b, uint32_t row)
{
    uint32_t size = phys_size(type_phys(a->type));
    struct vstr s;
    struct vstr t;

    if (type_is_string(a->type)) {
        s = vec_str(a, row);
        t = vec_str(b, row);
        return s.len == t.len && (s.len == 0 || memcmp(s.ptr, t.ptr, s.len) == 0);
    }
    return memcmp((const char *)a->data + (size_t)vec_at(a, row) * size,
                  (const char *)b->data + (size_t)vec_at(b, row) * size,
                  size) == 0;
}

uint32_t check_same(const struct vec *a, const struct vec *b)
{
    if (a->count != b->count || a->type != b->type)
        return 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (vec_is_null(a, i) != vec_is_null(b, i) || check_absent(a, i) != check_absent(b, i))
            return i;
        if (!vec_is_null(a, i) && !check_absent(a, i) && !check_value(a, b, i))
            return i;
    }
    return UINT32_MAX;
}

uint32_t check_ref(const struct vec *a, const struct codec_src *src)
{
    struct ref_row rows[VEC_ROWS_MAX];
    uint32_t size = phys_size(type_phys(a->type));

    ref_decode(src, rows);
    for (uint32_t i = 0; i < a->count; i++) {
        if (vec_is_null(a, i) != rows[i].null || check_absent(a, i) != rows[i].absent)
            return i;
        if (rows[i].null || rows[i].absent)
            continue;
        if (type_is_string(a->type)) {
            struct vstr s = vec_str(a, i);
            if (s.len != rows[i].len || (s.len && memcmp(s.ptr, rows[i].str, s.len) != 0))
                return i;
        } else if (memcmp((const char *)a->data + (size_t)vec_at(a, i) * size,
                          &rows[i].bits,
                          size) != 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

uint64_t check_touch(const struct vec *v)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < v->count; i++) {
        struct datum d = vec_datum(v, i);

        if (v->form == VEC_DICT && v->codes[i] >= v->dict_count)
            dn_assert_failed("a code of the dictionary", __FILE__, __LINE__);
        if (type_is_string(v->type)) {
            struct vstr s = vec_str(v, i); /* readable under a null bit, too */
            for (uint32_t k = 0; k < s.len; k++)
                sum = sum * 31 + (uint8_t)s.ptr[k];
        }
        sum += (uint64_t)d.v.i64 + d.null + check_absent(v, i);
    }
    return sum;
}
