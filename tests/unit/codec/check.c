/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include "codec/codec_narrow.h"
#include "ref.h"
#include "vec/wide.h"

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
        if (!type_is_fixed(a->type)) {
            uint8_t bytes[VEC_WIDE_BYTES_MAX];
            struct vstr s = {.ptr = (const char *)bytes};

            if (type_is_string(a->type))
                s = vec_str(a, i);
            else
                s.len = vec_wide_put(
                    a->type, (const char *)a->data + (size_t)vec_at(a, i) * size, bytes);
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

static bool check_datum(const struct vec *v, uint32_t row, const struct datum *got)
{
    struct datum want = vec_datum(v, row);

    if (check_absent(v, row))
        want = (struct datum){.type = v->type, .null = true};
    if (got->null || want.null || got->type != want.type)
        return got->null == want.null && got->type == want.type;
    if (type_is_string(v->type))
        return vstr_cmp(got->str, want.str) == 0;
    if (v->type == TYPE_NUMERIC)
        return memcmp(&got->num, &want.num, sizeof want.num) == 0;
    if (v->type == TYPE_INTERVAL)
        return memcmp(&got->iv, &want.iv, sizeof want.iv) == 0;
    return memcmp(&got->v, &want.v, sizeof want.v) == 0;
}

static bool check_near(double got, double want, double magnitude)
{
    double apart = got > want ? got - want : want - got;

    if (want != want || want - want != 0) /* NaN and infinities */
        return (got != got) == (want != want) && (want != want || got == want);
    return apart <= 1e-12 * magnitude;
}

static bool check_agg(const struct vec *v,
                      const struct codec_range *range,
                      unsigned asked,
                      const struct codec_agg *got)
{
    bool is_float = type_is_float(v->type);
    struct datum min = {.type = v->type, .null = true};
    struct datum max = {.type = v->type, .null = true};
    struct datum got_min = {.type = v->type, .v = got->min};
    struct datum got_max = {.type = v->type, .v = got->max};
    double magnitude = 0;
    double fsum = 0;
    codec_i128 isum = 0;
    uint32_t rows = 0;

    for (uint32_t i = range->lo; i < range->hi; i++) {
        struct datum d = vec_datum(v, i);

        if (d.null || check_absent(v, i))
            continue;
        rows++;
        if (is_float) {
            fsum += d.v.f64;
            magnitude += d.v.f64 < 0 ? -d.v.f64 : d.v.f64;
        } else {
            isum += d.v.i64;
        }
        min = min.null || datum_cmp(&d, &min) < 0 ? d : min;
        max = max.null || datum_cmp(&d, &max) > 0 ? d : max;
    }
    if (got->rows != rows || rows == 0)
        return got->rows == rows;
    if (asked & CODEC_SUM &&
        (is_float ? !check_near(got->fsum, fsum, magnitude) : got->isum != isum))
        return false;
    return !(asked & CODEC_BOUNDS) ||
           (datum_cmp(&got_min, &min) == 0 && datum_cmp(&got_max, &max) == 0);
}

static bool check_ask(const struct vec *v,
                      const struct codec_src *src,
                      const struct codec_ask *ask,
                      struct arena *arena)
{
    struct codec_agg got[3];
    struct codec_agg packed[3];
    int rc = codec_agg_packed(src, ask, packed, NULL);

    if (rc < 0 || codec_agg(src, ask, arena, got, NULL) != 0)
        return false;
    for (uint32_t k = 0; k < ask->count; k++)
        if (!check_agg(v, &ask->ranges[k], ask->want, &got[k]) ||
            (rc == 0 && !check_agg(v, &ask->ranges[k], ask->want, &packed[k])))
            return false;
    return true;
}

/* The integers of numbers, against the numbers. */
static uint32_t check_narrow(const struct vec *v, const struct codec_src *src, struct arena *arena)
{
    double bounds[2] = {1, 0};
    struct codec_narrow n;
    struct vec wide;
    bool any = false;

    for (uint32_t row = 0; row < v->count; row++) {
        struct datum d = vec_datum(v, row);
        double x = type_is_float(v->type) ? d.v.f64 : (double)d.v.i64;

        if (d.null || check_absent(v, row))
            continue;
        if (x != x)
            return UINT32_MAX;
        bounds[0] = any && bounds[0] < x ? bounds[0] : x;
        bounds[1] = any && bounds[1] > x ? bounds[1] : x;
        any = true;
    }
    if (codec_decode_narrow(src, bounds, arena, &n, NULL) != 0)
        return UINT32_MAX;
    if (n.lo > n.hi || codec_widen_narrow(&n, arena, &wide, NULL) != 0)
        return 0;
    for (uint32_t row = 0; row < v->count; row++) {
        bool none = vec_is_null(v, row) || check_absent(v, row);

        if (none != vec_bit(n.nulls, row))
            return row;
        if (!none && (n.values[row] < n.lo || n.values[row] > n.hi || !check_value(v, &wide, row)))
            return row;
    }
    return UINT32_MAX;
}

uint32_t check_answers(const struct vec *v, const struct codec_src *src, struct arena *arena)
{
    uint32_t step = v->count / 3 + 1;
    unsigned want = v->count % 3;

    for (uint32_t row = 0; row < v->count; row += row + 2 < v->count ? step : 1) {
        struct datum d;

        if (codec_get(src, row, arena, &d, NULL) != 0 || !check_datum(v, row, &d))
            return row;
    }
    for (uint32_t lo = 0; type_is_fixed(v->type) && lo < v->count; lo += step) {
        uint32_t mid = lo + (v->count - lo + 1) / 2;
        /* All, one half, and pieces that touch or leave rows out between them. */
        const struct codec_range ranges[] = {
            {lo, v->count}, {lo, mid}, {lo, lo + 1}, {lo + 1, mid}, {mid + 1, v->count}};
        struct codec_ask all = {&ranges[0], 1, want++ % 3 + 1};
        struct codec_ask half = {&ranges[1], 1, want % 3 + 1};
        struct codec_ask pieces = {&ranges[2], 1, want % 3 + 1};

        if (lo + 1 < mid)
            pieces.count = mid + 1 < v->count ? 3 : 2;
        if (!check_ask(v, src, &all, arena) || !check_ask(v, src, &half, arena) ||
            !check_ask(v, src, &pieces, arena))
            return lo;
    }
    return type_is_fixed(v->type) ? check_narrow(v, src, arena) : UINT32_MAX;
}
