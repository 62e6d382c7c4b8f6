/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_footer_col.c: the part of the footer that belongs to one column: how each group is stored,
 * zones of blocks, places, checksums and zones of vectors. See seg_footer.c for R3 and R4. */
#include "codec/codec.h"
#include "store/seg_reader.h"
#include "store/seg_zone.h"

/* A vector of one row as a constant. */
static void seg_make_const(struct vec *v)
{
    size_t size = phys_size(type_phys(v->type));

    if (v->form == VEC_DICT)
        v->data = (const uint8_t *)v->data + v->codes[0] * size;
    v->form = VEC_CONST;
    v->codes = NULL;
    v->dict_count = 0;
}

static int seg_get_kinds(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
{
    unsigned long long at = SEG_PARSE_AT(p);

    c->kinds = rd_bytes(&p->rd, s->groups_count);
    DN_CHECK_DISK(c->kinds, err, "%s: footer cut short at offset %llu", s->name, at);
    c->consts = seg_keep(s, s->groups_count, sizeof *c->consts);
    c->vec_first = seg_keep(s, s->groups_count, sizeof *c->vec_first);
    c->block_first = seg_keep(s, s->groups_count, sizeof *c->block_first);
    c->extent_at = seg_keep(s, s->groups_count, sizeof *c->extent_at);
    c->extent_len = seg_keep(s, s->groups_count, sizeof *c->extent_len);
    c->lone = seg_keep(s, s->groups_count, sizeof *c->lone);
    if (!c->consts || !c->vec_first || !c->block_first || !c->extent_at || !c->extent_len ||
        !c->lone)
        return DN_FAIL_NOMEM(err);
    for (uint32_t g = 0; g < s->groups_count; g++) {
        int rc;

        atomic_init(&c->lone[g], 0);
        c->vec_first[g] = c->vecs_count;
        c->block_first[g] = c->blocks_count;
        DN_CHECK_DISK(c->kinds[g] < SEG_KIND_MAX,
                      err,
                      "%s: unknown kind %u of group %u, column id %u at offset %llu",
                      s->name,
                      c->kinds[g],
                      g,
                      c->id,
                      at + g);
        if (c->kinds[g] == SEG_KIND_VECTORS) {
            c->vecs_count += s->groups[g].vecs;
            c->blocks_count += s->groups[g].block_count;
            continue;
        }
        rc = seg_get_encoded(p, c->type, 1, p->arena, &c->consts[g], err);
        if (rc < 0)
            return rc;
        seg_make_const(&c->consts[g]);
    }
    p->vecs_total += c->vecs_count;
    DN_CHECK_DISK(p->vecs_total <= p->data_len,
                  err,
                  "%s: more vectors than the %llu bytes of data can hold",
                  s->name,
                  (unsigned long long)p->data_len);
    return 0;
}

static int seg_get_u32_array(struct seg *s,
                             struct seg_parse *p,
                             const struct seg_range *range,
                             enum type_id type,
                             uint32_t n,
                             uint32_t **ret,
                             struct dn_err *err)
{
    *ret = seg_keep(s, n, sizeof **ret);
    if (!*ret)
        return DN_FAIL_NOMEM(err);
    return seg_get_u32s(p, range, type, n, *ret, err);
}

/* Values that may be NULL, and which are. */
static int seg_get_values(struct seg *s,
                          struct seg_parse *p,
                          enum type_id type,
                          uint32_t n,
                          union vfixed **ret,
                          uint8_t **ret_nulls,
                          struct dn_err *err)
{
    *ret = seg_keep(s, n, sizeof **ret);
    *ret_nulls = seg_keep(s, n, 1);
    if (!*ret || !*ret_nulls)
        return DN_FAIL_NOMEM(err);
    return seg_get_fixed(p, type, n, *ret, *ret_nulls, err);
}

/* ---- blocks ---- */

/* Are the bounds of a block what its column may have? Those of a wide type are there in the key,
 * whole; elsewhere it has none. */
static bool seg_bounds_good(const struct seg_rcol *c, uint32_t i)
{
    struct datum min = {.type = c->type};
    struct datum max = {.type = c->type};

    if (!type_is_wide(c->type))
        return c->b_str_min[i].len <= SEG_PREFIX_MAX && c->b_str_max[i].len <= SEG_PREFIX_MAX &&
               vstr_cmp(c->b_str_min[i], c->b_str_max[i]) <= 0;
    if (c->b_no_range[i])
        return c->b_exact[i] == 0;
    return c->key && c->b_exact[i] == 3 && seg_wide_bound(c->b_str_min[i], &min) &&
           seg_wide_bound(c->b_str_max[i], &max) && datum_cmp(&min, &max) <= 0;
}

static int
seg_get_block_strings(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
{
    struct seg_range range = {.what = "flags of a string zone", .min = 0, .max = 3};
    uint32_t n = c->blocks_count;
    uint8_t *max_null = seg_keep(s, n, 1);
    uint32_t *exact = NULL;
    int rc;

    c->b_str_min = seg_keep(s, n, sizeof *c->b_str_min);
    c->b_str_max = seg_keep(s, n, sizeof *c->b_str_max);
    c->b_no_range = seg_keep(s, n, 1);
    c->b_exact = seg_keep(s, n, 1);
    if (!c->b_str_min || !c->b_str_max || !c->b_no_range || !max_null || !c->b_exact)
        return DN_FAIL_NOMEM(err);
    rc = seg_get_strs(p, n, c->b_str_min, c->b_no_range, err);
    if (rc == 0)
        rc = seg_get_strs(p, n, c->b_str_max, max_null, err);
    if (rc == 0)
        rc = seg_get_u32_array(s, p, &range, TYPE_SMALLINT, n, &exact, err);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < n; i++) {
        c->b_exact[i] = (uint8_t)exact[i];
        DN_CHECK_DISK(max_null[i] == c->b_no_range[i] && seg_bounds_good(c, i),
                      err,
                      "%s: string range of column id %u is wrong",
                      s->name,
                      c->id);
    }
    return 0;
}

static int
seg_get_block_fixed(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
{
    uint32_t n = c->blocks_count;
    uint8_t *max_null = NULL;
    enum type_id sum = seg_sum_type(c->type);
    int rc = seg_get_values(s, p, c->type, n, &c->b_min, &c->b_no_range, err);

    if (rc == 0)
        rc = seg_get_values(s, p, c->type, n, &c->b_max, &max_null, err);
    if (rc == 0)
        rc = seg_get_values(s, p, c->type, n, &c->b_first, &c->b_first_null, err);
    if (rc == 0)
        rc = seg_get_values(s, p, c->type, n, &c->b_last, &c->b_last_null, err);
    if (rc == 0 && sum != TYPE_NONE)
        rc = seg_get_values(s, p, sum, n, &c->b_sum, &c->b_no_sum, err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(n == 0 || memcmp(c->b_no_range, max_null, n) == 0,
                  err,
                  "%s: half a range in the zones of column id %u",
                  s->name,
                  c->id);
    return 0;
}

static int
seg_get_block_zones(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
{
    struct seg_range range = {.what = "NULLs of a block", .min = 0, .max = SEG_BLOCK_ROWS};
    bool strings = !type_is_fixed(c->type);
    int rc = seg_get_u32_array(s, p, &range, TYPE_INTEGER, c->blocks_count, &c->b_nulls, err);

    if (rc == 0)
        rc = seg_get_u32_array(s, p, &range, TYPE_INTEGER, c->blocks_count, &c->b_absent, err);
    if (rc == 0)
        rc = strings ? seg_get_block_strings(s, c, p, err) : seg_get_block_fixed(s, c, p, err);
    if (rc < 0)
        return rc;
    for (uint32_t g = 0; g < s->groups_count; g++) {
        if (c->kinds[g] != SEG_KIND_VECTORS)
            continue;
        for (uint32_t b = 0; b < s->groups[g].block_count; b++) {
            uint32_t i = c->block_first[g] + b;
            uint32_t rows = s->blocks[s->groups[g].block_first + b].rows;
            bool valued = c->b_nulls[i] < rows;

            DN_CHECK_DISK(c->b_nulls[i] <= rows && c->b_absent[i] <= c->b_nulls[i] && /* R4 */
                              (valued || c->b_no_range[i]) &&
                              ((strings && !(type_is_wide(c->type) && c->key)) || !valued ||
                               !c->b_no_range[i]) &&
                              (!c->b_sum || valued || c->b_no_sum[i]),
                          err,
                          "%s: zone of block %u, column id %u is wrong",
                          s->name,
                          s->groups[g].block_first + b,
                          c->id);
        }
    }
    return 0;
}

/* ---- vectors ---- */

static int
seg_get_vec_places(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
{
    struct seg_range codecs = {.what = "codec", .min = 0, .max = CODEC_ID_MAX - 1};
    struct seg_range lens = {.what = "length of a vector", .min = 1, .max = (int64_t)p->data_len};
    struct seg_range any = {.what = "checksum", .min = INT32_MIN, .max = INT32_MAX};
    struct seg_range nulls = {.what = "NULLs of a vector", .min = 0, .max = SEG_VECTOR_ROWS};
    uint32_t n = c->vecs_count;
    uint32_t *codec = NULL;
    int rc = seg_get_u32_array(s, p, &codecs, TYPE_SMALLINT, n, &codec, err);

    if (rc == 0)
        rc = seg_get_u32_array(s, p, &lens, TYPE_INTEGER, n, &c->len, err);
    if (rc == 0)
        rc = seg_get_u32_array(s, p, &any, TYPE_INTEGER, n, &c->checksum, err);
    if (rc == 0)
        rc = seg_get_u32_array(s, p, &nulls, TYPE_SMALLINT, n, &c->nulls, err);
    if (rc == 0)
        rc = seg_get_u32_array(s, p, &nulls, TYPE_SMALLINT, n, &c->absent, err);
    if (rc < 0)
        return rc;
    c->codec = seg_keep(s, n, 1);
    c->at = seg_keep(s, n, sizeof *c->at);
    if (!c->codec || !c->at)
        return DN_FAIL_NOMEM(err);
    for (uint32_t i = 0; i < n; i++) {
        DN_CHECK_DISK(codec_ops_by_id(codec[i]),
                      err,
                      "%s: unknown codec %u of a vector of column id %u",
                      s->name,
                      codec[i],
                      c->id);
        c->codec[i] = (uint8_t)codec[i];
    }
    return 0;
}

static int
seg_get_vec_zones(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
{
    enum type_id sum = seg_sum_type(c->type);
    uint8_t *max_null = NULL;
    uint32_t n = c->vecs_count;
    int rc;

    if (!type_is_fixed(c->type))
        return 0;
    rc = seg_get_values(s, p, c->type, n, &c->min, &c->no_range, err);
    if (rc == 0)
        rc = seg_get_values(s, p, c->type, n, &c->max, &max_null, err);
    if (rc == 0 && sum != TYPE_NONE)
        rc = seg_get_values(s, p, sum, n, &c->sum, &c->no_sum, err);
    if (rc < 0)
        return rc;
    DN_CHECK_DISK(n == 0 || memcmp(c->no_range, max_null, n) == 0,
                  err,
                  "%s: half a range in the zones of column id %u",
                  s->name,
                  c->id);
    return 0;
}

static int seg_check_vec_zones(const struct seg *s, const struct seg_rcol *c, struct dn_err *err)
{
    for (uint32_t b = 0; b < s->blocks_count; b++) {
        if (c->kinds[s->blocks[b].group] != SEG_KIND_VECTORS)
            continue;
        for (uint32_t v = 0; v < s->blocks[b].vectors; v++) {
            struct seg_vecref ref = seg_vec_of(s, c, b, v);
            uint32_t i = ref.index;
            bool valued = c->nulls[i] < ref.rows;

            DN_CHECK_DISK(c->nulls[i] <= ref.rows && c->absent[i] <= c->nulls[i] && /* R4 */
                              (!c->no_range || valued != c->no_range[i]) &&
                              (!c->sum || valued || c->no_sum[i]),
                          err,
                          "%s: zone of block %u, vector %u, column id %u is wrong",
                          s->name,
                          b,
                          v,
                          c->id);
        }
    }
    return 0;
}

int seg_get_column_part(struct seg *s, struct seg_rcol *c, struct seg_parse *p, struct dn_err *err)
{
    int rc = seg_get_kinds(s, c, p, err);

    if (rc == 0)
        rc = seg_get_block_zones(s, c, p, err);
    if (rc == 0)
        rc = seg_get_vec_places(s, c, p, err);
    if (rc == 0)
        rc = seg_get_vec_zones(s, c, p, err);
    if (rc == 0)
        rc = seg_check_vec_zones(s, c, err);
    return rc;
}

/* One column of one group: its vectors lie in the order (number in block, block). */
static uint64_t
seg_place_extent(const struct seg *s, struct seg_rcol *c, uint32_t g, uint64_t at, uint64_t end)
{
    const struct seg_group *group = &s->groups[g];

    for (uint32_t number = 0; number < SEG_BLOCK_VECTORS; number++)
        for (uint32_t k = 0; k < group->block_count; k++) {
            uint32_t b = group->block_first + k;
            uint32_t i;

            if (number >= s->blocks[b].vectors)
                continue;
            i = seg_vec_of(s, c, b, number).index;
            if (c->len[i] > end - at)
                return UINT64_MAX;
            c->at[i] = (uint32_t)at;
            at += c->len[i];
        }
    return at;
}

int seg_place_vectors(struct seg *s, struct dn_err *err)
{
    uint64_t at = SEG_HEADER_SIZE;

    for (uint32_t g = 0; g < s->groups_count; g++) {
        s->groups[g].at = (uint32_t)at;
        for (uint32_t i = 0; i < s->cols_count; i++) {
            struct seg_rcol *c = &s->cols[i];
            uint64_t begin = at;

            if (c->kinds[g] == SEG_KIND_VECTORS)
                at = seg_place_extent(s, c, g, at, s->footer_at);
            DN_CHECK_DISK(
                at <= s->footer_at,
                err,
                "%s: vectors of group %u, column id %u reach into the footer at offset %llu",
                s->name,
                g,
                c->id,
                (unsigned long long)s->footer_at);
            c->extent_at[g] = (uint32_t)begin;
            c->extent_len[g] = (uint32_t)(at - begin);
        }
        s->groups[g].len = (uint32_t)(at - s->groups[g].at);
    }
    DN_CHECK_DISK(at == s->footer_at, /* R3 */
                  err,
                  "%s: bytes from offset %llu to the footer at %llu belong to nothing",
                  s->name,
                  (unsigned long long)at,
                  (unsigned long long)s->footer_at);
    return 0;
}
