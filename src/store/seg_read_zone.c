/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_read_zone.c: what an open segment knows of the values of a block or vector without decoding
 * them, as stored and as the table's type of now. */
#include "store/seg_reader.h"
#include "store/seg_zone.h"
#include "vec/widen.h"

/* Zones are asked for by the thousand: fields are written where they belong, one by one. */
static inline void
seg_put_datum(struct datum *d, enum type_id type, union vfixed v, struct vstr str, bool null)
{
    d->type = type;
    d->null = null;
    d->v = v;
    d->str = str;
}

static inline void seg_put_fixed(struct datum *d, enum type_id type, union vfixed v, bool null)
{
    seg_put_datum(d, type, v, (struct vstr){"", 0}, null);
}

static inline void seg_put_none(struct datum *d)
{
    seg_put_fixed(d, TYPE_NONE, (union vfixed){0}, true);
}

/* Zone of `rows` equal rows. */
static void seg_const_zone(const struct vec *v, uint32_t rows, struct zone *z)
{
    struct datum d = vec_datum(v, 0);
    seg_i128 sum;

    z->rows = rows;
    z->nulls = d.null ? rows : 0;
    z->absent = vec_bit(v->absent, 0) ? rows : 0;
    z->has_range = !d.null;
    z->min_exact = z->has_range;
    z->max_exact = z->has_range;
    z->min = d;
    z->max = d;
    if (type_is_fixed(v->type)) {
        z->first = d;
        z->last = d;
    }
    if (d.null)
        return;
    if (type_is_int(v->type)) {
        sum = (seg_i128)d.v.i64 * rows;
        z->has_sum = sum >= INT64_MIN && sum <= INT64_MAX;
        z->sum.i64 = z->has_sum ? (int64_t)sum : 0;
    } else if (type_is_float(v->type)) {
        z->sum.f64 = d.v.f64 * rows;
        z->has_sum = !__builtin_isnan(z->sum.f64) && !__builtin_isinf(z->sum.f64);
    }
}

static void seg_zone_clear(struct zone *z)
{
    z->rows = z->nulls = z->absent = 0;
    z->has_range = z->min_exact = z->max_exact = z->has_sum = false;
    z->sum = (union vfixed){0};
    seg_put_none(&z->min);
    seg_put_none(&z->max);
    seg_put_none(&z->first);
    seg_put_none(&z->last);
}

bool seg_stored_block_zone(const struct seg *s,
                           uint32_t block,
                           uint32_t store_col,
                           struct zone *ret)
{
    const struct seg_rcol *c = seg_stored_col(s, store_col);
    const union vfixed zero = {0};
    uint32_t g;
    uint32_t i;

    DN_ASSERT(block < s->blocks_count);
    if (!c)
        return false;
    g = s->blocks[block].group;
    if (c->kinds[g] == SEG_KIND_CONST) {
        seg_zone_clear(ret);
        seg_const_zone(&c->consts[g], s->blocks[block].rows, ret);
        return true;
    }
    i = c->block_first[g] + (block - s->groups[g].block_first);
    ret->rows = s->blocks[block].rows;
    ret->nulls = c->b_nulls[i];
    ret->absent = c->b_absent[i];
    ret->has_range = !c->b_no_range[i];
    ret->has_sum = c->b_sum && !c->b_no_sum[i];
    ret->sum = c->b_sum ? c->b_sum[i] : zero;
    if (!type_is_fixed(c->type)) {
        ret->min_exact = c->b_exact[i] & 1;
        ret->max_exact = c->b_exact[i] & 2;
        seg_put_datum(&ret->min, c->type, zero, c->b_str_min[i], !ret->has_range);
        seg_put_datum(&ret->max, c->type, zero, c->b_str_max[i], !ret->has_range);
        if (type_is_wide(c->type) &&
            ret->has_range) /* the bytes were looked at when it was opened */
            ret->has_range = seg_wide_bound(c->b_str_min[i], &ret->min) &&
                             seg_wide_bound(c->b_str_max[i], &ret->max);
        seg_put_none(&ret->first);
        seg_put_none(&ret->last);
        return true;
    }
    ret->min_exact = ret->has_range;
    ret->max_exact = ret->has_range;
    seg_put_fixed(&ret->min, c->type, c->b_min[i], !ret->has_range);
    seg_put_fixed(&ret->max, c->type, c->b_max[i], !ret->has_range);
    seg_put_fixed(&ret->first, c->type, c->b_first[i], c->b_first_null[i]);
    seg_put_fixed(&ret->last, c->type, c->b_last[i], c->b_last_null[i]);
    return true;
}

struct datum seg_block_end(const struct seg *s, const struct seg_rcol *c, uint32_t block, bool last)
{
    uint32_t g = s->blocks[block].group;
    uint32_t i = c->block_first[g] + (block - s->groups[g].block_first);
    struct datum d;

    DN_ASSERT(c->kinds[g] == SEG_KIND_VECTORS && type_is_fixed(c->type));
    if (last)
        seg_put_fixed(&d, c->type, c->b_last[i], c->b_last_null[i]);
    else
        seg_put_fixed(&d, c->type, c->b_first[i], c->b_first_null[i]);
    return d;
}

bool seg_stored_vector_zone(
    const struct seg *s, uint32_t block, uint32_t vector, uint32_t store_col, struct zone *ret)
{
    const struct seg_rcol *c = seg_stored_col(s, store_col);
    struct seg_vecref v;
    uint32_t g;

    DN_ASSERT(block < s->blocks_count && vector < s->blocks[block].vectors);
    if (!c)
        return false;
    seg_zone_clear(ret);
    g = s->blocks[block].group;
    if (c->kinds[g] == SEG_KIND_CONST) {
        seg_const_zone(&c->consts[g], seg_vec_rows(s, block, vector), ret);
        return true;
    }
    v = seg_vec_of(s, c, block, vector);
    ret->rows = v.rows;
    ret->nulls = c->nulls[v.index];
    ret->absent = c->absent[v.index];
    if (!c->min)
        return true;
    ret->has_range = !c->no_range[v.index];
    ret->min_exact = ret->has_range;
    ret->max_exact = ret->has_range;
    seg_put_fixed(&ret->min, c->type, c->min[v.index], !ret->has_range);
    seg_put_fixed(&ret->max, c->type, c->max[v.index], !ret->has_range);
    if (c->sum) {
        ret->has_sum = !c->no_sum[v.index];
        ret->sum = c->sum[v.index];
    }
    return true;
}

/* What a zone says of the same values in the type that the table has now. A sum stays where every
 * value is what it was. */
static void seg_zone_widen(struct zone *z, enum type_id to)
{
    enum type_id from = z->min.type;

    if (to == TYPE_DOUBLE && from != TYPE_REAL) {
        z->has_sum = z->has_sum && z->has_range && z->min.v.i64 >= -VEC_EXACT_MAX &&
                     z->max.v.i64 <= VEC_EXACT_MAX;
        z->sum.f64 = z->has_sum ? (double)z->sum.i64 : 0;
    }
    z->min = datum_widen(&z->min, to);
    z->max = datum_widen(&z->max, to);
    if (z->first.type != TYPE_NONE) {
        z->first = datum_widen(&z->first, to);
        z->last = datum_widen(&z->last, to);
    }
}

bool seg_block_zone(const struct seg *s, uint32_t block, uint32_t store_col, struct zone *ret)
{
    const struct seg_rcol *c = seg_stored_col(s, store_col);

    if (!c || !seg_stored_block_zone(s, block, store_col, ret))
        return false;
    if (c->as != c->type)
        seg_zone_widen(ret, c->as);
    return true;
}

bool seg_vector_zone(
    const struct seg *s, uint32_t block, uint32_t vector, uint32_t store_col, struct zone *ret)
{
    const struct seg_rcol *c = seg_stored_col(s, store_col);

    if (!c || !seg_stored_vector_zone(s, block, vector, store_col, ret))
        return false;
    if (c->as != c->type)
        seg_zone_widen(ret, c->as);
    return true;
}

bool seg_key_bounds(const struct seg *s,
                    uint32_t store_col,
                    struct datum *ret_min,
                    struct datum *ret_max)
{
    struct zone z;

    if (s->col_of[store_col] == SEG_COL_IS_SERIES) {
        *ret_min = s->series_min[s->series_of[store_col]];
        *ret_max = s->series_max[s->series_of[store_col]];
        return true;
    }
    for (uint32_t b = 0; b < s->blocks_count; b++) {
        if (!seg_block_zone(s, b, store_col, &z) || !z.has_range || z.nulls || z.absent)
            return false;
        if (b == 0 || datum_cmp(&z.min, ret_min) < 0)
            *ret_min = z.min;
        if (b == 0 || datum_cmp(&z.max, ret_max) > 0)
            *ret_max = z.max;
    }
    return s->blocks_count > 0;
}
