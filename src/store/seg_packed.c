/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_packed.c: what is known of the values of a vector without decoding it: a few of them, their
 * sums and bounds, their dictionary, the small integers that they are. */
#include "codec/codec_narrow.h"
#include "store/seg_fetch.h"

/* ---- a few rows ---- */

/* The values of one column, put where the caller wants them. False: out of memory. */
static bool seg_few_put(const struct seg_few *few,
                        uint32_t out,
                        const struct datum *values,
                        struct arena *arena)
{
    enum type_id type = values[0].type;
    void *data = arena_alloc_array(arena, few->count, phys_size(type_phys(type)));
    uint64_t nulls = 0;
    uint64_t *bits = NULL;

    for (uint32_t i = 0; data && i < few->count; i++) {
        datum_store(&values[i], data, i);
        nulls |= (uint64_t)values[i].null << i;
    }
    if (data && nulls)
        bits = arena_dup(arena, &nulls, sizeof nulls);
    if (!data || (nulls && !bits))
        return false;
    few->vecs[out] = (struct vec){
        .type = type, .form = VEC_FLAT, .count = few->count, .data = data, .nulls = bits};
    few->known[out] = true;
    return true;
}

/* Is each of the rows the first or the last one of the block? */
static bool
seg_few_ends(const struct seg *s, const struct seg_select *select, const struct seg_few *few)
{
    for (uint32_t i = 0; i < few->count; i++) {
        uint32_t row = select->vector * SEG_VECTOR_ROWS + few->rows[i];

        if (row != 0 && row + 1 != s->blocks[select->block].rows)
            return false;
    }
    return true;
}

/* Such values stand beside the zone of the block. */
static bool seg_few_of_ends(const struct seg *s,
                            const struct seg_select *select,
                            const struct seg_few *few,
                            uint32_t out,
                            struct arena *arena)
{
    struct datum values[SEG_FEW_ROWS];

    for (uint32_t i = 0; i < few->count; i++) {
        bool last = select->vector > 0 || few->rows[i] > 0;

        values[i] = seg_block_end(s, seg_stored_col(s, select->cols[out]), select->block, last);
    }
    return seg_few_put(few, out, values, arena);
}

static int seg_few_get(const struct seg *s,
                       const struct seg_want *want,
                       const struct codec_src *src,
                       const struct seg_few *few,
                       struct arena *arena,
                       struct dn_err *err)
{
    struct datum values[SEG_FEW_ROWS];

    for (uint32_t i = 0; i < few->count; i++) {
        int rc = codec_get(src, few->rows[i], arena, &values[i], err);

        if (rc < 0) {
            seg_vec_prefix(s, &want->vec, err);
            return rc;
        }
    }
    return seg_few_put(few, want->out, values, arena) ? 0 : DN_FAIL_NOMEM(err);
}

/* Fills what zones know; the others become wants if their codec may be asked. */
static bool seg_few_wants(struct seg_fetch *f,
                          const struct seg_select *select,
                          const struct seg_few *few,
                          struct arena *arena)
{
    const struct seg *s = f->s;
    bool ends = seg_few_ends(s, select, few);

    for (uint32_t i = 0; i < select->cols_count; i++) {
        const struct seg_rcol *c = seg_stored_col(s, select->cols[i]);
        struct seg_vecref v;

        few->known[i] = false;
        if (!c || c->kinds[f->group] != SEG_KIND_VECTORS || c->as != c->type)
            continue;
        v = seg_vec_of(s, c, select->block, select->vector);
        if (c->absent[v.index])
            continue;
        if (ends && type_is_fixed(c->type)) { /* their bytes are not needed */
            if (!seg_few_of_ends(s, select, few, i, arena))
                return false;
            continue;
        }
        if (codec_may_get(c->codec[v.index]))
            f->wants[f->count++] = (struct seg_want){.out = i, .vec = v};
    }
    return true;
}

int seg_fetch_few(struct seg *s,
                  const struct seg_select *select,
                  const struct seg_few *few,
                  struct arena *arena,
                  struct seg_pins *pins,
                  struct dn_err *err)
{
    struct seg_want few_wants[SEG_COLS_FEW];
    struct volume_range few_ranges[SEG_COLS_FEW];
    struct seg_fetch f = {.s = s,
                          .group = s->blocks[select->block].group,
                          .wants = few_wants,
                          .ranges = few_ranges,
                          .lone = select->lone};
    int rc;

    DN_ASSERT(few->count > 0 && few->count <= SEG_FEW_ROWS);
    if (!seg_fetch_room(&f, select->cols_count, arena) || !seg_few_wants(&f, select, few, arena))
        return DN_FAIL_NOMEM(err);
    if (f.count == 0)
        return 0;
    rc = seg_fetch_bytes(&f, pins, arena, err);
    for (uint32_t i = 0; i < f.count && rc == 0; i++) {
        const struct seg_want *want = &f.wants[i];
        struct codec_src src = seg_vec_src(&want->vec, want->bytes);

        seg_fetch_ahead(&f, i);
        if (codec_guide(&src) || codec_back(&src)) /* others would have to be read, too */
            continue;
        rc = seg_few_get(s, want, &src, few, arena, err);
    }
    return rc;
}

int seg_dict(struct seg *s,
             const struct seg_select *select,
             struct arena *arena,
             struct seg_pins *pins,
             uint64_t *ret,
             struct dn_err *err)
{
    const struct seg_rcol *c = seg_stored_col(s, select->cols[0]);
    uint32_t group = s->blocks[select->block].group;
    struct seg_want want = {.out = 0};
    struct volume_range range;
    struct seg_fetch f = {
        .s = s, .group = group, .wants = &want, .ranges = &range, .count = 1, .lone = select->lone};
    struct codec_src src;
    int rc;

    DN_ASSERT(select->cols_count == 1);
    *ret = 0;
    if (!c || c->kinds[group] != SEG_KIND_VECTORS || c->as != c->type)
        return 0;
    want.vec = seg_vec_of(s, c, select->block, select->vector);
    if (c->nulls[want.vec.index] || c->absent[want.vec.index])
        return 0;
    rc = seg_fetch_bytes(&f, pins, arena, err);
    if (rc < 0)
        return rc;
    src = seg_vec_src(&want.vec, want.bytes);
    *ret = seg_dict_id(s, &want.vec, codec_back(&src));
    return 0;
}

int seg_agg(struct seg *s,
            const struct seg_select *select,
            const struct codec_ask *ask,
            struct arena *arena,
            struct seg_pins *pins,
            const struct seg_aggs *ret,
            struct dn_err *err)
{
    struct seg_want few[SEG_COLS_FEW];
    struct volume_range few_ranges[SEG_COLS_FEW];
    struct seg_fetch f = {.s = s,
                          .group = s->blocks[select->block].group,
                          .wants = few,
                          .ranges = few_ranges,
                          .lone = select->lone};
    int rc;

    if (!seg_fetch_room(&f, select->cols_count, arena))
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < select->cols_count; i++) {
        const struct seg_rcol *c = seg_stored_col(s, select->cols[i]);
        struct seg_vecref v;

        ret->known[i] = false;
        if (!c || c->kinds[f.group] != SEG_KIND_VECTORS || c->as != c->type)
            continue;
        v = seg_vec_of(s, c, select->block, select->vector);
        if (c->nulls[v.index] == 0)
            f.wants[f.count++] = (struct seg_want){.out = i, .vec = v};
    }
    if (f.count == 0)
        return 0;
    rc = seg_fetch_bytes(&f, pins, arena, err);
    for (uint32_t i = 0; i < f.count && rc == 0; i++) {
        const struct seg_want *want = &f.wants[i];
        struct codec_src src = seg_vec_src(&want->vec, want->bytes);

        seg_fetch_ahead(&f, i);
        if (codec_guide(&src) || codec_back(&src)) /* others would have to be read, too */
            continue;
        rc = codec_agg_packed(&src, ask, ret->all + (size_t)want->out * ask->count, err);
        if (rc < 0)
            seg_vec_prefix(s, &want->vec, err);
        ret->known[want->out] = rc == 0;
        rc = rc < 0 ? rc : 0;
    }
    return rc;
}

int seg_narrow(struct seg *s,
               const struct seg_select *select,
               const double bounds[2],
               struct arena *arena,
               struct seg_pins *pins,
               struct codec_narrow *ret,
               struct dn_err *err)
{
    const struct seg_rcol *c = seg_stored_col(s, select->cols[0]);
    uint32_t group = s->blocks[select->block].group;
    struct seg_want want = {.out = 0};
    struct volume_range range;
    struct seg_fetch f = {
        .s = s, .group = group, .wants = &want, .ranges = &range, .count = 1, .lone = select->lone};
    struct codec_src src;
    int rc;

    DN_ASSERT(select->cols_count == 1);
    if (!c || c->kinds[group] != SEG_KIND_VECTORS || c->as != c->type)
        return DN_NOT_FOUND;
    want.vec = seg_vec_of(s, c, select->block, select->vector);
    if (!codec_may_narrow(c->codec[want.vec.index]))
        return DN_NOT_FOUND;
    rc = seg_fetch_bytes(&f, pins, arena, err);
    if (rc < 0)
        return rc;
    src = seg_vec_src(&want.vec, want.bytes);
    rc = codec_decode_narrow(&src, bounds, arena, ret, err);
    if (rc < 0)
        seg_vec_prefix(s, &want.vec, err);
    return rc;
}
