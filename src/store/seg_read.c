/* SPDX-License-Identifier: Apache-2.0
 *
 * seg_read.c: vectors of an open segment. */
#include "base/hash.h"
#include "store/seg_fetch.h"
#include "vec/widen.h"

#define SEG_LONE_BYTES 16384u /* an extent of fewer is read as fast as a vector of it */
#define SEG_LONE_TIMES 4u     /* so many vectors cost less than the extent, in small calls */

uint32_t seg_vec_rows(const struct seg *s, uint32_t block, uint32_t vector)
{
    uint32_t left = s->blocks[block].rows - vector * SEG_VECTOR_ROWS;

    return left < SEG_VECTOR_ROWS ? left : SEG_VECTOR_ROWS;
}

struct seg_vecref
seg_vec_of(const struct seg *s, const struct seg_rcol *c, uint32_t block, uint32_t vector)
{
    uint32_t g = s->blocks[block].group;
    uint32_t in_group = s->block_vec[block] - s->block_vec[s->groups[g].block_first];

    return (struct seg_vecref){.col = c,
                               .index = c->vec_first[g] + in_group + vector,
                               .rows = seg_vec_rows(s, block, vector)};
}

/* ---- vectors from constants ---- */

/* What a column reads as that the segment does not have. */
static struct datum seg_default(const struct table *t, uint32_t store_col)
{
    struct datum d = {.type = store_col_type(t, store_col), .null = true, .str = {"", 0}};

    if (store_col < t->columns_count && t->columns[store_col].has_default)
        d = t->columns[store_col].def;
    d.type = store_col_type(t, store_col);
    return d;
}

/* ---- vectors from bytes ---- */

int seg_vec_check(const struct seg *s,
                  const struct seg_vecref *v,
                  const uint8_t *p,
                  struct dn_err *err)
{
    const struct seg_rcol *c = v->col;

    DN_CHECK_DISK(dn_checksum32(p, c->len[v->index]) == c->checksum[v->index],
                  err,
                  "%s: checksum of the vector of column id %u at offset %u, %u bytes, does not fit",
                  s->name,
                  c->id,
                  c->at[v->index],
                  c->len[v->index]);
    return 0;
}

struct codec_src seg_vec_src(const struct seg_vecref *v, const uint8_t *p)
{
    const struct seg_rcol *c = v->col;

    return (struct codec_src){.codec = c->codec[v->index],
                              .type = c->type,
                              .count = v->rows,
                              .p = p,
                              .n = c->len[v->index]};
}

int seg_vec_guide(const struct seg *s,
                  const struct seg_rows *rows,
                  uint32_t id,
                  struct seg_vecref *ret,
                  struct dn_err *err)
{
    uint32_t g = s->blocks[rows->block].group;

    for (uint32_t i = 0; i < s->cols_count; i++)
        if (s->cols[i].id == id && s->cols[i].kinds[g] == SEG_KIND_VECTORS) {
            *ret = seg_vec_of(s, &s->cols[i], rows->block, rows->vector);
            return 0;
        }
    return DN_FAIL(err,
                   DN_E_CORRUPT,
                   "%s: column id %u is to guide block %u, and has no vectors there",
                   s->name,
                   id,
                   rows->block);
}

int seg_vec_kin_of_runs(const struct seg *s,
                        const struct seg_rows *rows,
                        uint32_t id,
                        struct codec_kin *ret,
                        struct dn_err *err)
{
    const struct table *t = s->table;
    const uint32_t *first = s->runs.first_row;
    uint32_t end = rows->first + rows->count;
    uint16_t starts[SEG_VECTOR_ROWS];
    uint32_t n = 0;

    if (t->series_count == 0 || t->columns[t->series[0]].id != id)
        return 0;
    DN_CHECK_DISK(s->flags & SEG_FLAG_RUN_GUIDE,
                  err,
                  "%s: runs are to guide block %u, and no flag says that they do",
                  s->name,
                  rows->block);
    starts[n++] = 0;
    for (uint32_t run = seg_run_of(&s->runs, &s->blocks[rows->block], rows->first) + 1;
         first[run] < end; /* behind the last run stands the number of all rows */
         run++)
        starts[n++] = (uint16_t)(first[run] - rows->first);
    codec_kin_from_starts(starts, n, rows->count, id, ret);
    return 1;
}

int seg_vec_home(const struct seg *s,
                 const struct seg_vecref *v,
                 uint32_t group,
                 uint32_t back,
                 struct seg_vecref *ret,
                 struct dn_err *err)
{
    const struct seg_group *g = &s->groups[group];
    uint32_t first = v->col->vec_first[group];
    uint32_t number = v->index - first;

    DN_CHECK_DISK(back <= number,
                  err,
                  "%s: column id %u at offset %u: its dictionary is %u vectors back",
                  s->name,
                  v->col->id,
                  v->col->at[v->index],
                  back);
    number -= back;
    *ret = (struct seg_vecref){.col = v->col, .index = first + number};
    for (uint32_t b = g->block_first; b < g->block_first + g->block_count; b++) {
        if (number < s->blocks[b].vectors) {
            ret->rows = seg_vec_rows(s, b, number);
            break;
        }
        number -= s->blocks[b].vectors;
    }
    return 0;
}

void seg_vec_prefix(const struct seg *s, const struct seg_vecref *v, struct dn_err *err)
{
    dn_err_prefix(err, "%s: column id %u at offset %u", s->name, v->col->id, v->col->at[v->index]);
}

int seg_vec_decode(const struct seg *s,
                   const struct seg_vecref *v,
                   const struct codec_src *src,
                   struct arena *arena,
                   struct vec *ret,
                   struct dn_err *err)
{
    int rc = codec_decode(src, arena, ret, err);

    if (rc < 0)
        seg_vec_prefix(s, v, err);
    return rc;
}

/* ---- fetching ---- */

void seg_pins_init(struct seg_pins *p)
{
    memset(p, 0, sizeof *p);
}

void seg_pins_release(struct seg_pins *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        cache_unpin(p->cache, p->entries[i]);
    p->count = 0;
    p->codes = NULL;
}

void seg_pins_done(struct seg_pins *p)
{
    seg_pins_release(p);
    mem_free(p->entries);
    mem_free(p->kin);
    seg_pins_init(p);
}

/* Room for n more pins, so that adding them cannot fail. */
static bool seg_pins_reserve(struct seg_pins *p, uint32_t n)
{
    struct cache_entry **grown;
    uint32_t cap = p->cap ? p->cap : 16;

    if (n <= p->cap - p->count)
        return true;
    while (cap - p->count < n)
        cap *= 2;
    grown = mem_realloc(NULL, p->entries, cap * sizeof(struct cache_entry *));
    if (!grown)
        return false;
    p->entries = grown;
    p->cap = cap;
    return true;
}

/* Just the vector's own bytes, in the arena. */
static int
seg_want_vector(struct seg_fetch *f, struct seg_want *want, struct arena *arena, struct dn_err *err)
{
    const struct seg_vecref *v = &want->vec;
    uint8_t *to = arena_alloc(arena, v->col->len[v->index]);

    if (!to)
        return DN_FAIL_NOMEM(err);
    want->bytes = to;
    want->direct = true;
    f->ranges[f->missing++] = (struct volume_range){
        .offset = v->col->at[v->index], .len = v->col->len[v->index], .to = to};
    return 0;
}

/* Without a cache. */
static int seg_read_vectors(struct seg_fetch *f, struct arena *arena, struct dn_err *err)
{
    struct seg *s = f->s;
    int rc = 0;

    for (uint32_t i = 0; i < f->count && rc == 0; i++)
        rc = seg_want_vector(f, &f->wants[i], arena, err);
    if (f->count == 0 || rc < 0)
        return rc;
    rc = volume_read(s->volume, s->name, f->ranges, f->count, err);
    for (uint32_t i = 0; i < f->count && rc == 0; i++)
        rc = seg_vec_check(s, &f->wants[i].vec, f->wants[i].bytes, err);
    return rc;
}

static void seg_want_from(struct seg_want *want, uint32_t group, const uint8_t *extent)
{
    const struct seg_rcol *c = want->vec.col;

    want->bytes = extent + (c->at[want->vec.index] - c->extent_at[group]);
}

/* Is just the vector to be read, of an extent that is not in memory? A few times, for readers that
 * need hardly more of it: if others come, too, the extent is worth its reading. */
static bool seg_want_lone(const struct seg_fetch *f, const struct seg_rcol *c)
{
    _Atomic uint8_t *lone = &c->lone[f->group];
    uint8_t times;

    if (!f->lone || c->extent_len[f->group] < SEG_LONE_BYTES)
        return false;
    times = atomic_load_explicit(lone, memory_order_relaxed);
    if (times >= SEG_LONE_TIMES)
        return false;
    atomic_store_explicit(lone, (uint8_t)(times + 1), memory_order_relaxed);
    return true;
}

/* Takes from the cache what it has, and memory for the rest. Where memory is so little that the
 * cache cannot keep a whole column of a block group, or has no room for it, the vector is read
 * alone. */
static int
seg_look_up(struct seg_fetch *f, struct seg_pins *pins, struct arena *arena, struct dn_err *err)
{
    struct seg *s = f->s;

    for (uint32_t i = 0; i < f->count; i++) {
        struct seg_want *want = &f->wants[i];
        const struct seg_rcol *c = want->vec.col;
        struct cache_key key = {.segment = s->meta.id, .group = f->group, .column = c->id};
        struct cache_entry *e = cache_get(s->cache, &key);
        size_t n;

        if (e) {
            pins->entries[pins->count++] = e;
            seg_want_from(want, f->group, cache_data(e, &n));
            continue;
        }
        if (!seg_want_lone(f, c) && cache_fits(s->cache, c->extent_len[f->group]))
            want->extent = cache_alloc(s->cache, c->extent_len[f->group]);
        if (!want->extent) {
            int rc = seg_want_vector(f, want, arena, err);

            if (rc < 0)
                return rc;
            continue;
        }
        f->ranges[f->missing++] = (struct volume_range){
            .offset = c->extent_at[f->group], .len = c->extent_len[f->group], .to = want->extent};
    }
    return 0;
}

/* All vectors of an extent against their checksums. */
static int
seg_check_extent(const struct seg_fetch *f, const struct seg_want *want, struct dn_err *err)
{
    const struct seg *s = f->s;
    const struct seg_rcol *c = want->vec.col;
    struct seg_vecref v = {.col = c, .index = c->vec_first[f->group]};

    for (uint32_t i = 0; i < s->groups[f->group].vecs; i++, v.index++) {
        int rc =
            seg_vec_check(s, &v, want->extent + (c->at[v.index] - c->extent_at[f->group]), err);

        if (rc < 0)
            return rc;
    }
    return 0;
}

static int seg_read_extents(struct seg_fetch *f,
                            struct seg_pins *pins,
                            struct arena *arena,
                            struct dn_err *err)
{
    struct seg *s = f->s;
    int rc;

    if (!seg_pins_reserve(pins, f->count))
        return DN_FAIL_NOMEM(err);
    DN_ASSERT(!pins->cache || pins->cache == s->cache);
    pins->cache = s->cache;
    rc = seg_look_up(f, pins, arena, err);
    if (rc == 0 && f->missing)
        rc = volume_read(s->volume, s->name, f->ranges, f->missing, err);
    for (uint32_t i = 0; i < f->missing; i++)
        pins->read_bytes += f->ranges[i].len;
    for (uint32_t i = 0; i < f->count; i++) {
        struct seg_want *want = &f->wants[i];
        struct cache_key key = {
            .segment = s->meta.id, .group = f->group, .column = want->vec.col->id};
        struct cache_entry *e;
        size_t n;

        if (want->direct && rc == 0)
            rc = seg_vec_check(s, &want->vec, want->bytes, err);
        if (!want->extent)
            continue;
        if (rc == 0)
            rc = seg_check_extent(f, want, err);
        if (rc < 0) {
            mem_free(want->extent);
            continue;
        }
        e = cache_put(s->cache, &key, want->extent, want->vec.col->extent_len[f->group]);
        if (!e) {
            rc = DN_FAIL_NOMEM(err);
            continue;
        }
        pins->entries[pins->count++] = e;
        seg_want_from(want, f->group, cache_data(e, &n));
    }
    return rc;
}

int seg_fetch_bytes(struct seg_fetch *f,
                    struct seg_pins *pins,
                    struct arena *arena,
                    struct dn_err *err)
{
    return f->s->cache ? seg_read_extents(f, pins, arena, err) : seg_read_vectors(f, arena, err);
}

/* Fills the vectors that need no bytes; the others become wants. 0 or DN_E_NOMEM. */
static int seg_fetch_easy(struct seg_fetch *f,
                          const struct seg_rows *rows,
                          const struct seg_select *select,
                          struct arena *arena,
                          struct vec *ret)
{
    const struct seg *s = f->s;

    for (uint32_t i = 0; i < select->cols_count; i++) {
        uint32_t store_col = select->cols[i];
        const struct seg_rcol *c = seg_stored_col(s, store_col);
        int rc = 0;

        if (c && c->kinds[f->group] == SEG_KIND_VECTORS) {
            f->wants[f->count++] =
                (struct seg_want){.out = i, .vec = seg_vec_of(s, c, rows->block, rows->vector)};
        } else if (c) {
            ret[i] = c->consts[f->group];
            ret[i].count = rows->count;
        } else if (s->col_of[store_col] == SEG_COL_IS_SERIES) {
            rc = seg_series_vec(s, rows, s->series_of[store_col], arena, &ret[i]);
        } else {
            struct datum d = seg_default(s->table, store_col);

            rc = vec_make_const(arena, &d, rows->count, &ret[i]) ? 0 : DN_E_NOMEM;
        }
        if (rc < 0)
            return rc;
    }
    return 0;
}

struct seg_rows seg_rows_of(const struct seg *s, uint32_t block, uint32_t vector)
{
    return (struct seg_rows){.block = block,
                             .vector = vector,
                             .first = s->blocks[block].first_row + vector * SEG_VECTOR_ROWS,
                             .count = seg_vec_rows(s, block, vector)};
}

/* ---- kin ---- */

/* The bytes of one more vector: those of a want, or read now. */
static int seg_fetch_more(const struct seg_fetch *f,
                          const struct seg_vecref *v,
                          struct arena *arena,
                          struct seg_pins *pins,
                          const uint8_t **ret,
                          struct dn_err *err)
{
    struct seg_want want = {.vec = *v};
    struct volume_range range;
    struct seg_fetch more = {.s = f->s,
                             .group = f->group,
                             .wants = &want,
                             .ranges = &range,
                             .count = 1,
                             .lone = f->lone};
    int rc;

    for (uint32_t i = 0; i < f->count; i++)
        if (f->wants[i].vec.col == v->col && f->wants[i].vec.index == v->index) {
            *ret = f->wants[i].bytes;
            return 0;
        }
    rc = seg_fetch_bytes(&more, pins, arena, err);
    *ret = want.bytes;
    return rc;
}

/* Who is kin to whom in these rows; `guide` is the column that tells. Memory: the pins', or the
 * arena where there are none. */
static int seg_fetch_kin(const struct seg_fetch *f,
                         const struct seg_rows *rows,
                         uint32_t guide,
                         struct arena *arena,
                         struct seg_pins *pins,
                         const struct codec_kin **ret,
                         struct dn_err *err)
{
    struct codec_kin *kin = pins ? pins->kin : NULL;
    const uint8_t *p = NULL;
    struct seg_vecref v;
    struct codec_src src;
    int rc;

    if (kin && kin->guide == guide && pins->kin_segment == f->s->meta.id &&
        pins->kin_block == rows->block && pins->kin_vector == rows->vector) {
        *ret = kin;
        return 0;
    }
    if (!kin)
        kin = pins ? mem_alloc(NULL, sizeof *kin) : arena_alloc(arena, sizeof *kin);
    if (!kin)
        return DN_FAIL_NOMEM(err);
    kin->guide = 0; /* not what the pins say until it is filled */
    if (pins) {
        pins->kin = kin;
        pins->kin_segment = f->s->meta.id;
        pins->kin_block = rows->block;
        pins->kin_vector = rows->vector;
    }
    if (pins && pins->codes && pins->codes_col == guide && pins->codes_segment == f->s->meta.id &&
        pins->codes_block == rows->block && pins->codes_vector == rows->vector) {
        codec_kin_from_codes(pins->codes, rows->count, guide, kin);
        *ret = kin;
        return 0;
    }
    rc = seg_vec_kin_of_runs(f->s, rows, guide, kin, err);
    if (rc != 0) {
        *ret = kin;
        return rc < 0 ? rc : 0;
    }
    rc = seg_vec_guide(f->s, rows, guide, &v, err);
    if (rc == 0)
        rc = seg_fetch_more(f, &v, arena, pins, &p, err);
    if (rc < 0)
        return rc;
    src = seg_vec_src(&v, p);
    rc = codec_kin_of_guide(&src, guide, kin, err);
    if (rc < 0)
        dn_err_prefix(err, "%s: column id %u at offset %u", f->s->name, guide, v.col->at[v.index]);
    *ret = kin;
    return rc;
}

/* The vector whose dictionary the one of src uses, if it is another. */
static int seg_fetch_home(const struct seg_fetch *f,
                          const struct seg_want *want,
                          struct arena *arena,
                          struct seg_pins *pins,
                          struct codec_src *src,
                          struct codec_src *home,
                          struct dn_err *err)
{
    uint32_t back = want->back;
    const uint8_t *p = NULL;
    struct seg_vecref v;
    int rc;

    if (back == 0)
        return 0;
    rc = seg_vec_home(f->s, &want->vec, f->group, back, &v, err);
    if (rc == 0)
        rc = seg_fetch_more(f, &v, arena, pins, &p, err);
    if (rc < 0)
        return rc;
    *home = seg_vec_src(&v, p);
    src->home = home;
    return 0;
}

#define SEG_AHEAD_BYTES 1024u
#define SEG_LINE_BYTES  64u

void seg_fetch_ahead(const struct seg_fetch *f, uint32_t i)
{
    const struct seg_want *next = &f->wants[i + 1];
    uint32_t len;

    if (i + 1 >= f->count)
        return;
    len = next->vec.col->len[next->vec.index];
    len = len < SEG_AHEAD_BYTES ? len : SEG_AHEAD_BYTES;
    for (uint32_t at = 0; at < len; at += SEG_LINE_BYTES)
        __builtin_prefetch(next->bytes + at);
}

/* Columns that this one guides will ask for its codes. */
static void seg_fetch_keep_codes(const struct seg_fetch *f,
                                 const struct seg_rows *rows,
                                 const struct seg_want *want,
                                 const struct vec *v,
                                 struct seg_pins *pins)
{
    const struct seg_rcol *c = want->vec.col;

    if (!pins || v->form != VEC_DICT || !codec_may_guide(c->codec[want->vec.index]))
        return;
    pins->codes = v->codes;
    pins->codes_col = c->id;
    pins->codes_segment = f->s->meta.id;
    pins->codes_block = rows->block;
    pins->codes_vector = rows->vector;
}

uint64_t seg_dict_id(const struct seg *s, const struct seg_vecref *v, uint32_t back)
{
    return s->dicts_first + v->col->dict_first + (v->index - back);
}

static int seg_fetch_decode(const struct seg_fetch *f,
                            const struct seg_rows *rows,
                            struct arena *arena,
                            struct seg_pins *pins,
                            struct vec *ret,
                            struct dn_err *err)
{
    const struct codec_kin *kin = NULL;

    for (uint32_t i = 0; i < f->count; i++) {
        struct seg_want *want = &f->wants[i];
        struct codec_src src = seg_vec_src(&want->vec, want->bytes);
        uint32_t guide = codec_guide(&src);
        struct vec *out = &ret[want->out];
        struct codec_src home;
        int rc = 0;

        want->back = codec_back(&src);
        seg_fetch_ahead(f, i);
        if (guide && (!kin || kin->guide != guide))
            rc = seg_fetch_kin(f, rows, guide, arena, pins, &kin, err);
        src.kin = guide ? kin : NULL;
        if (rc == 0)
            rc = seg_fetch_home(f, want, arena, pins, &src, &home, err);
        if (rc == 0)
            rc = seg_vec_decode(f->s, &want->vec, &src, arena, out, err);
        if (rc < 0)
            return rc;
        seg_fetch_keep_codes(f, rows, want, out, pins);
        if (out->form == VEC_DICT)
            out->dict_id = seg_dict_id(f->s, &want->vec, want->back);
    }
    return 0;
}

bool seg_fetch_room(struct seg_fetch *f, uint32_t count, struct arena *arena)
{
    if (count <= SEG_COLS_FEW)
        return true;
    f->wants = arena_alloc_array(arena, count, sizeof *f->wants);
    f->ranges = arena_alloc_array(arena, count, sizeof *f->ranges);
    return f->wants && f->ranges;
}

int seg_fetch(struct seg *s,
              const struct seg_select *select,
              struct arena *arena,
              struct seg_pins *pins,
              struct vec *ret,
              struct dn_err *err)
{
    struct seg_want few[SEG_COLS_FEW];
    struct volume_range few_ranges[SEG_COLS_FEW];
    struct seg_fetch f = {.s = s, .wants = few, .ranges = few_ranges};
    struct seg_rows rows;
    int rc;

    DN_ASSERT(select->block < s->blocks_count);
    DN_ASSERT(select->vector < s->blocks[select->block].vectors);
    rows = seg_rows_of(s, select->block, select->vector);
    f.group = s->blocks[select->block].group;
    f.lone = select->lone;
    if (!seg_fetch_room(&f, select->cols_count, arena))
        return DN_FAIL_NOMEM(err);
    rc = seg_fetch_easy(&f, &rows, select, arena, ret);
    if (rc < 0)
        return DN_FAIL_NOMEM(err);
    rc = seg_fetch_bytes(&f, pins, arena, err);
    if (rc == 0)
        rc = seg_fetch_decode(&f, &rows, arena, pins, ret, err);
    for (uint32_t i = 0; s->widens && i < select->cols_count && rc == 0; i++) {
        const struct seg_rcol *c = seg_stored_col(s, select->cols[i]);

        if (c && c->as != c->type && !vec_widen(arena, &ret[i], c->as, &ret[i]))
            rc = DN_FAIL_NOMEM(err);
    }
    return rc;
}
