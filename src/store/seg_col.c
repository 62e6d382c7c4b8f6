/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_col.c: one column of a segment being written.
 *
 * Rows of the current block lie in a flat array of the column's form. At the end of a block each
 * 1024 of them are looked at for their zone and encoded; the bytes wait in `enc` for the end of
 * the group, when they go to the object in the order (number in block, block).
 *
 * A column whose rows are all alike in a group is not encoded at all: while `constant` holds,
 * blocks only leave their zones, and the first block that differs makes up for the earlier ones. */
#include "base/hash.h"
#include "codec/codec.h"
#include "store/seg_array.h"
#include "store/seg_writer.h"

/* ---- bits ---- */

static uint64_t seg_bits_get(const uint64_t *bits, uint32_t at, uint32_t n)
{
    uint32_t shift = at & 63;
    uint64_t x = bits[at >> 6] >> shift;

    if (shift + n > 64)
        x |= bits[(at >> 6) + 1] << (64 - shift);
    return n == 64 ? x : x & (((uint64_t)1 << n) - 1);
}

static void seg_bits_or(uint64_t *bits, uint32_t at, uint32_t n, uint64_t x)
{
    uint32_t shift = at & 63;

    bits[at >> 6] |= x << shift;
    if (shift + n > 64)
        bits[(at >> 6) + 1] |= x >> (64 - shift);
}

/* Sets the bits [at, at + n) of `to` that are set in v, which may be constant. True: some were. */
static bool seg_bits_add(
    uint64_t *to, uint32_t at, const struct vec *v, const uint64_t *bits, uint32_t from, uint32_t n)
{
    bool all = v->form == VEC_CONST;
    uint64_t any = 0;

    if (!bits || (all && !vec_bit(bits, 0)))
        return false;
    for (uint32_t i = 0; i < n; i += 64) {
        uint32_t part = n - i < 64 ? n - i : 64;
        uint64_t x = ~(uint64_t)0 >> (64 - part);

        if (!all)
            x = seg_bits_get(bits, from + i, part);
        seg_bits_or(to, at + i, part, x);
        any |= x;
    }
    return any != 0;
}

/* ---- life ---- */

void seg_col_init(struct seg_wcol *c, struct seg_writer *w, uint32_t store_col)
{
    struct mem_owner *owner = w->owner;
    enum type_id sum;
    enum type_id bound;

    c->store_col = store_col;
    c->id = store_col_id(w->table, store_col);
    c->type = store_col_type(w->table, store_col);
    for (uint32_t i = 0; i < w->table->rest_count; i++)
        c->key = c->key || w->table->rest[i].col == store_col;
    c->size = phys_size(type_phys(c->type));
    c->constant = true;
    arena_init(&c->strings[0], owner);
    arena_init(&c->strings[1], owner);
    arena_init(&c->bounds, owner);
    buf_init(&c->value_bytes, owner);
    buf_init(&c->enc, owner);
    buf_init(&c->kinds, owner);
    buf_init(&c->consts, owner);
    sum = seg_sum_type(c->type);
    bound = type_is_fixed(c->type) ? c->type : TYPE_BLOB;
    colbuf_init(&c->b_nulls, TYPE_INTEGER, owner, NULL);
    colbuf_init(&c->b_absent, TYPE_INTEGER, owner, NULL);
    colbuf_init(&c->b_min, bound, owner, &c->bounds);
    colbuf_init(&c->b_max, bound, owner, &c->bounds);
    colbuf_init(&c->b_exact, TYPE_SMALLINT, owner, NULL);
    colbuf_init(&c->b_first, bound, owner, &c->bounds);
    colbuf_init(&c->b_last, bound, owner, &c->bounds);
    colbuf_init(&c->b_sum, sum, owner, NULL);
    colbuf_init(&c->v_codec, TYPE_SMALLINT, owner, NULL);
    colbuf_init(&c->v_len, TYPE_INTEGER, owner, NULL);
    colbuf_init(&c->v_checksum, TYPE_INTEGER, owner, NULL);
    colbuf_init(&c->v_nulls, TYPE_SMALLINT, owner, NULL);
    colbuf_init(&c->v_absent, TYPE_SMALLINT, owner, NULL);
    colbuf_init(&c->v_min, bound, owner, NULL);
    colbuf_init(&c->v_max, bound, owner, NULL);
    colbuf_init(&c->v_sum, sum, owner, NULL);
}

void seg_col_arrays(struct seg_wcol *c, struct colbuf *ret[SEG_COL_ARRAYS])
{
    struct colbuf *arrays[SEG_COL_ARRAYS] = {&c->b_nulls,
                                             &c->b_absent,
                                             &c->b_min,
                                             &c->b_max,
                                             &c->b_exact,
                                             &c->b_first,
                                             &c->b_last,
                                             &c->b_sum,
                                             &c->v_codec,
                                             &c->v_len,
                                             &c->v_checksum,
                                             &c->v_nulls,
                                             &c->v_absent,
                                             &c->v_min,
                                             &c->v_max,
                                             &c->v_sum};

    memcpy(ret, arrays, sizeof(arrays));
}

void seg_col_done(struct seg_wcol *c)
{
    struct colbuf *arrays[SEG_COL_ARRAYS];

    seg_col_arrays(c, arrays);
    for (size_t i = 0; i < DN_ARRAY_SIZE(arrays); i++)
        colbuf_done(arrays[i]);
    mem_free(c->data);
    mem_free(c->nulls);
    mem_free(c->absent);
    mem_free(c->vecs);
    if (c->home)
        codec_home_done(c->home);
    mem_free(c->home);
    arena_done(&c->strings[0]);
    arena_done(&c->strings[1]);
    arena_done(&c->bounds);
    buf_done(&c->value_bytes);
    buf_done(&c->enc);
    buf_done(&c->kinds);
    buf_done(&c->consts);
}

static bool
seg_col_grow_bits(struct mem_owner *owner, uint64_t **bits, uint32_t cap, uint32_t new_cap)
{
    uint64_t *grown = mem_realloc(owner, *bits, VEC_BITMAP_WORDS(new_cap) * sizeof *grown);

    if (!grown)
        return false;
    memset(grown + VEC_BITMAP_WORDS(cap),
           0,
           (VEC_BITMAP_WORDS(new_cap) - VEC_BITMAP_WORDS(cap)) * sizeof *grown);
    *bits = grown;
    return true;
}

bool seg_col_reserve(struct seg_wcol *c, struct mem_owner *owner, uint32_t cap, uint32_t new_cap)
{
    uint8_t *grown = mem_realloc(owner, c->data, (size_t)new_cap * c->size);

    if (!grown)
        return false;
    c->data = grown;
    return seg_col_grow_bits(owner, &c->nulls, cap, new_cap) &&
           seg_col_grow_bits(owner, &c->absent, cap, new_cap);
}

/* ---- filling the block ---- */

/* Own copies of the strings s[0..n). Neighbours that are one string, told by its place, share one
 * copy, also with `before`, which the column owns already; NULL: there is none. */
static bool
seg_own_strings(struct arena *arena, const struct vstr *before, struct vstr *s, uint32_t n)
{
    uint32_t i = 0;

    while (i < n) {
        struct vstr from = s[i];
        const char *own = before && before->len == from.len &&
                                  (from.len == 0 || memcmp(before->ptr, from.ptr, from.len) == 0)
                              ? before->ptr
                              : arena_dup(arena, from.ptr, from.len);

        if (!own)
            return false;
        while (i < n && s[i].ptr == from.ptr && s[i].len == from.len)
            s[i++].ptr = own;
        before = &s[i - 1];
    }
    return true;
}

static bool seg_col_append_strings(
    struct seg_wcol *c, const struct vec *v, uint32_t from, uint32_t n, uint32_t at)
{
    struct arena *arena = &c->strings[c->strings_now];
    struct vstr *to = (struct vstr *)(void *)c->data + at;
    const struct vstr *s = v->data;
    uint32_t own = v->form == VEC_CONST ? 1 : v->form == VEC_DICT ? v->dict_count : n;
    struct vstr *entries = to;

    if (v->form != VEC_FLAT && own <= n) { /* each entry once */
        entries = arena_dup(arena, s, own * sizeof *s);
        if (!entries || !seg_own_strings(arena, at ? to - 1 : NULL, entries, own))
            return false;
        for (uint32_t i = 0; i < n; i++)
            to[i] = entries[vec_at(v, from + i)];
        return true;
    }
    for (uint32_t i = 0; i < n; i++)
        to[i] = s[vec_at(v, from + i)];
    return seg_own_strings(arena, at ? to - 1 : NULL, to, n);
}

static void seg_col_append_fixed(
    struct seg_wcol *c, const struct vec *v, uint32_t from, uint32_t n, uint32_t at)
{
    uint8_t *to = c->data + (size_t)at * c->size;
    struct vec part = *v;

    if (v->form == VEC_FLAT)
        part.data = (const uint8_t *)v->data + (size_t)from * c->size;
    if (v->form == VEC_DICT)
        part.codes = v->codes + from;
    part.count = n;
    vec_gather(&part, NULL, n, to);
}

bool seg_col_append(struct seg_wcol *c, const struct vec *v, uint32_t from, uint32_t n, uint32_t at)
{
    DN_ASSERT(type_phys(v->type) == type_phys(c->type));
    if (type_is_string(c->type)) {
        if (!seg_col_append_strings(c, v, from, n, at))
            return false;
    } else {
        seg_col_append_fixed(c, v, from, n, at);
    }
    c->has_nulls |= seg_bits_add(c->nulls, at, v, v->nulls, from, n);
    if (seg_bits_add(c->absent, at, v, v->absent, from, n)) {
        c->has_absent = true;
        c->has_nulls |= seg_bits_add(c->nulls, at, v, v->absent, from, n);
    }
    return true;
}

/* Bits [from, rows) move to the front, all others become 0. */
static bool seg_bits_carry(uint64_t *bits, uint32_t from, uint32_t rows)
{
    uint64_t kept[VEC_BITMAP_WORDS(SEG_LONG_RUN)] = {0};
    uint32_t n = rows - from;
    uint64_t any = 0;

    DN_ASSERT(n <= SEG_LONG_RUN);
    for (uint32_t i = 0; i < n; i += 64) {
        kept[i / 64] = seg_bits_get(bits, from + i, n - i < 64 ? n - i : 64);
        any |= kept[i / 64];
    }
    memset(bits, 0, VEC_BITMAP_WORDS(rows) * sizeof *bits);
    memcpy(bits, kept, VEC_BITMAP_WORDS(n) * sizeof *bits);
    return any != 0;
}

bool seg_col_carry(struct seg_wcol *c, uint32_t from, uint32_t rows)
{
    struct arena *fresh = &c->strings[1 - c->strings_now];
    uint32_t n = rows - from;

    if (n)
        memmove(c->data, c->data + (size_t)from * c->size, (size_t)n * c->size);
    if (type_is_string(c->type)) {
        if (n && !seg_own_strings(fresh, NULL, (struct vstr *)(void *)c->data, n))
            return false;
        arena_reset(&c->strings[c->strings_now]);
        c->strings_now = 1 - c->strings_now;
    }
    if (c->has_nulls)
        c->has_nulls = seg_bits_carry(c->nulls, from, rows);
    if (c->has_absent)
        c->has_absent = seg_bits_carry(c->absent, from, rows);
    return true;
}

/* ---- the end of a block ---- */

struct vec seg_col_vec(const struct seg_wcol *c, uint32_t number, uint32_t rows)
{
    uint32_t first = number * SEG_VECTOR_ROWS;
    uint32_t left = rows - first;

    return (struct vec){.type = c->type,
                        .form = VEC_FLAT,
                        .count = left < SEG_VECTOR_ROWS ? left : SEG_VECTOR_ROWS,
                        .data = c->data + (size_t)first * c->size,
                        .nulls = c->has_nulls ? c->nulls + first / 64 : NULL,
                        .absent = c->has_absent ? c->absent + first / 64 : NULL};
}

/* Is row 0 of v what the group's constant says? */
static bool seg_col_is_value(const struct seg_wcol *c, const struct vec *v)
{
    bool null = vec_is_null(v, 0);

    if (null != (c->value_null & 1) || vec_bit(v->absent, 0) != (c->value_absent & 1))
        return false;
    return null || seg_same_value(c->type, v->data, c->value.data);
}

static bool seg_col_set_value(struct seg_wcol *c, const struct vec *v)
{
    c->value_null = vec_is_null(v, 0);
    c->value_absent = vec_bit(v->absent, 0);
    c->value = (struct vec){.type = c->type,
                            .form = VEC_CONST,
                            .count = 1,
                            .data = &c->value_fixed,
                            .nulls = c->value_null ? &c->value_null : NULL,
                            .absent = c->value_absent ? &c->value_absent : NULL};
    if (!type_is_string(c->type)) {
        memcpy(&c->value_fixed, v->data, c->size);
        return true;
    }
    c->value_str = c->value_null ? (struct vstr){"", 0} : *(const struct vstr *)v->data;
    buf_reset(&c->value_bytes);
    buf_append(&c->value_bytes, c->value_str.ptr, c->value_str.len);
    if (c->value_str.len)
        c->value_str.ptr = (const char *)c->value_bytes.data;
    c->value.data = &c->value_str;
    return !c->value_bytes.failed;
}

static int seg_col_encode(struct seg_writer *w,
                          struct seg_wcol *c,
                          const struct vec *v,
                          struct seg_wvec place,
                          struct dn_err *err)
{
    struct codec_hint hint = seg_turns_hint(w, c, &place);
    struct seg_wvec *vec;
    int rc;

    if (c->vecs_count == c->vecs_cap) {
        uint32_t cap = c->vecs_cap ? c->vecs_cap * 2 : SEG_BLOCK_VECTORS;

        vec = mem_realloc(w->owner, c->vecs, cap * sizeof *vec);
        if (!vec)
            return DN_FAIL_NOMEM(err);
        c->vecs = vec;
        c->vecs_cap = cap;
    }
    vec = &c->vecs[c->vecs_count];
    *vec = place;
    vec->at = c->enc.len;
    arena_reset(&w->scratch);
    rc = codec_encode_hinted(v, &hint, &w->scratch, &c->enc, &vec->codec, err);
    if (rc < 0)
        return rc;
    if (hint.kin && codec_ops_by_id(vec->codec)->guided) {
        w->guided++;
        w->runs_guided = w->runs_guided || w->guide_runs;
    }
    if (c->enc.len - vec->at > VOLUME_OBJECT_MAX)
        return DN_FAIL(err,
                       DN_E_TOO_LONG,
                       "1024 values of %zu bytes are too many for a segment",
                       c->enc.len - vec->at);
    vec->len = (uint32_t)(c->enc.len - vec->at);
    vec->checksum = dn_checksum32(c->enc.data + vec->at, vec->len);
    c->vecs_count++;
    return 0;
}

/* Strings are written with the dictionary of an earlier vector of the group where that will do. */
static int seg_col_home(struct seg_writer *w, struct seg_wcol *c, struct dn_err *err)
{
    if (!type_is_string(c->type) || c->home)
        return 0;
    c->home = mem_alloc(w->owner, sizeof *c->home);
    if (!c->home)
        return DN_FAIL_NOMEM(err);
    codec_home_init(c->home, w->owner);
    return 0;
}

/* The group's constant ends here: earlier blocks are encoded after all. */
static int seg_col_end_constant(struct seg_writer *w, struct seg_wcol *c, struct dn_err *err)
{
    struct arena arena;
    int rc = seg_col_home(w, c, err);

    if (rc < 0)
        return rc;
    arena_init(&arena, w->owner);
    c->constant = false;
    for (uint32_t b = 0; b < w->group_blocks && rc == 0; b++)
        for (uint32_t at = 0; at < w->group_block_rows[b] && rc == 0; at += SEG_VECTOR_ROWS) {
            struct seg_wvec place = {.block = b, .number = at / SEG_VECTOR_ROWS};
            uint32_t left = w->group_block_rows[b] - at;
            struct vec v = c->value;
            struct vec flat;

            v.count = left < SEG_VECTOR_ROWS ? left : SEG_VECTOR_ROWS;
            arena_reset(&arena);
            if (!vec_flatten(&arena, &v, NULL, v.count, &flat)) {
                rc = DN_FAIL_NOMEM(err);
                break;
            }
            seg_zone_vec(&flat, c->key, &place.zone);
            rc = seg_col_encode(w, c, &flat, place, err);
        }
    arena_done(&arena);
    return rc;
}

static void seg_col_block_zone(struct seg_wcol *c, struct seg_wblock *b, uint32_t rows)
{
    struct vec whole = {.type = c->type,
                        .form = VEC_FLAT,
                        .count = rows,
                        .data = c->data,
                        .nulls = c->has_nulls ? c->nulls : NULL};

    b->bounded = false;
    if (!type_is_fixed(c->type)) {
        b->bounded = seg_zone_bounds(&b->zone, &b->min, &b->max);
        return;
    }
    b->first = vec_datum(&whole, 0);
    b->last = vec_datum(&whole, rows - 1);
}

int seg_col_block(struct seg_writer *w, struct seg_wcol *c, uint32_t rows, struct dn_err *err)
{
    struct seg_wblock *b = &c->blocks[w->group_blocks];
    struct seg_zone zones[SEG_BLOCK_VECTORS];
    uint32_t vectors = (rows + SEG_VECTOR_ROWS - 1) / SEG_VECTOR_ROWS;
    int rc = 0;

    if (c->constant && w->group_blocks == 0) {
        struct vec v = seg_col_vec(c, 0, rows);

        if (!seg_col_set_value(c, &v))
            return DN_FAIL_NOMEM(err);
    }
    for (uint32_t i = 0; i < vectors; i++) {
        struct vec v = seg_col_vec(c, i, rows);

        seg_zone_vec(&v, c->key, &zones[i]);
        if (i == 0)
            b->zone = zones[0];
        else
            seg_zone_merge(&b->zone, &zones[i]);
        if (c->constant && !(zones[i].constant && seg_col_is_value(c, &v)))
            rc = seg_col_end_constant(w, c, err);
        if (rc < 0)
            return rc;
    }
    seg_col_block_zone(c, b, rows);
    for (uint32_t i = 0; i < vectors && !c->constant; i++) {
        struct seg_wvec place = {.block = w->group_blocks, .number = i, .zone = zones[i]};
        struct vec v = seg_col_vec(c, i, rows);

        rc = seg_col_encode(w, c, &v, place, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* ---- the end of a group ---- */

static bool seg_put_i64(struct colbuf *c, int64_t x)
{
    struct datum d = {.type = c->type, .v.i64 = x};

    return colbuf_append(c, &d);
}

static bool seg_put_sum(struct colbuf *c, const struct seg_zone *z)
{
    struct datum d = {.type = c->type};

    if (c->type == TYPE_NONE)
        return true;
    d.null = !seg_zone_sum(z, &d.v);
    return colbuf_append(c, &d);
}

static bool seg_put_bound(struct colbuf *c, const struct seg_bound *bound, bool bounded)
{
    struct datum d = {.type = c->type, .null = !bounded};

    d.str = (struct vstr){.ptr = (const char *)bound->bytes, .len = bound->len};
    return colbuf_append(c, &d);
}

static bool seg_col_put_block(struct seg_wcol *c, const struct seg_wblock *b)
{
    struct datum min = seg_zone_min(&b->zone);
    struct datum max = seg_zone_max(&b->zone);

    if (!seg_put_i64(&c->b_nulls, b->zone.nulls) || !seg_put_i64(&c->b_absent, b->zone.absent))
        return false;
    if (!type_is_fixed(c->type))
        return seg_put_bound(&c->b_min, &b->min, b->bounded) &&
               seg_put_bound(&c->b_max, &b->max, b->bounded) &&
               seg_put_i64(&c->b_exact, b->bounded ? b->min.exact | b->max.exact << 1 : 0);
    return colbuf_append(&c->b_min, &min) && colbuf_append(&c->b_max, &max) &&
           colbuf_append(&c->b_first, &b->first) && colbuf_append(&c->b_last, &b->last) &&
           seg_put_sum(&c->b_sum, &b->zone);
}

static bool seg_col_put_vec(struct seg_wcol *c, const struct seg_wvec *v)
{
    struct datum min = seg_zone_min(&v->zone);
    struct datum max = seg_zone_max(&v->zone);

    if (!seg_put_i64(&c->v_codec, v->codec) || !seg_put_i64(&c->v_len, v->len) ||
        !seg_put_i64(&c->v_checksum, (int32_t)v->checksum) ||
        !seg_put_i64(&c->v_nulls, v->zone.nulls) || !seg_put_i64(&c->v_absent, v->zone.absent))
        return false;
    if (!type_is_fixed(c->type))
        return true;
    return colbuf_append(&c->v_min, &min) && colbuf_append(&c->v_max, &max) &&
           seg_put_sum(&c->v_sum, &v->zone);
}

/* The bytes in the order (number in block, block). */
static void seg_col_put_extent(struct seg_writer *w, const struct seg_wcol *c)
{
    uint32_t first[SEG_GROUP_BLOCKS];
    uint32_t vectors[SEG_GROUP_BLOCKS];
    uint32_t at = 0;

    for (uint32_t b = 0; b < w->group_blocks; b++) {
        first[b] = at;
        vectors[b] = (w->group_block_rows[b] + SEG_VECTOR_ROWS - 1) / SEG_VECTOR_ROWS;
        at += vectors[b];
    }
    DN_ASSERT(at == c->vecs_count);
    for (uint32_t number = 0; number < SEG_BLOCK_VECTORS; number++)
        for (uint32_t b = 0; b < w->group_blocks; b++) {
            const struct seg_wvec *v;

            if (number >= vectors[b])
                continue;
            v = &c->vecs[first[b] + number];
            buf_append(&w->out, c->enc.data + v->at, v->len);
        }
}

int seg_col_group(struct seg_writer *w, struct seg_wcol *c, struct dn_err *err)
{
    int rc = 0;

    buf_u8(&c->kinds, c->constant ? SEG_KIND_CONST : SEG_KIND_VECTORS);
    if (c->constant) {
        rc = seg_put_encoded(&c->value, &w->scratch, &c->consts, err);
    } else {
        seg_col_put_extent(w, c);
        for (uint32_t i = 0; i < c->vecs_count; i++)
            if (!seg_col_put_vec(c, &c->vecs[i]))
                return DN_FAIL_NOMEM(err);
        for (uint32_t i = 0; i < w->group_blocks; i++)
            if (!seg_col_put_block(c, &c->blocks[i]))
                return DN_FAIL_NOMEM(err);
    }
    buf_reset(&c->enc);
    c->vecs_count = 0;
    if (c->home)
        codec_home_reset(c->home);
    c->constant = true;
    if (rc == 0 && (c->kinds.failed || w->out.failed))
        return DN_FAIL_NOMEM(err);
    return rc;
}
